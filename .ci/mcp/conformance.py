"""Runs the public conformance runner against the server, over HTTP.

    conformance.py PROGRAM NODE RUNNER

RUNNER is the runner's main file. scenarios.tsv says which scenarios apply; each of
those must pass in every version that it knows, and the runner must have no scenario
that the list does not name.
"""

import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).parent
SKILL = "---\nname: {name}\ndescription: About {name}.\nlicense: MIT\n---\nBody of {name}.\n"


def read_list():
    """Returns which scenarios apply, and the checks of each that do not."""
    applies, passed_over = {}, {}
    for line in (HERE / "scenarios.tsv").read_text().splitlines():
        if line.startswith("#"):
            continue
        scenario, answer, *reason = line.split("\t")
        if answer not in ("applies", "no") or answer == "no" and not reason:
            sys.exit(f"scenarios.tsv: {line}")
        applies[scenario] = answer == "applies"
        if answer == "applies" and reason:
            check, _, why = reason[0].partition(": ")
            if not why:
                sys.exit(f"scenarios.tsv: {line}")
            passed_over.setdefault(scenario, set()).add(check)
    return applies, passed_over


def known(runner):
    """Returns the runner's server scenarios and the versions that each knows."""
    listed = subprocess.run([*runner, "list", "--server"], capture_output=True, text=True)
    section = listed.stdout.split("Server scenarios", 1)[1].split("Client scenarios", 1)[0]
    rows = re.findall(r"^  - (\S+) \[([^\]]*)\]", section, re.MULTILINE)
    return {name: versions.split(",") for name, versions in rows}


def start(program, top):
    home = top / "home"
    for name in ["map-kit", "pdf-kit", "test_simple_prompt"]:
        folder = home / ".agents/skills" / name
        (folder / "references/deep").mkdir(parents=True)
        (folder / "SKILL.md").write_text(SKILL.format(name=name))
        (folder / "references/guide.md").write_text("Guide.\n")
        (folder / "references/deep/data.bin").write_bytes(b"\0\xff")
    (home / ".codeaf").mkdir()
    (home / ".codeaf/skills.json").write_text('{"on": ["map-kit", "pdf-kit"]}')
    server = subprocess.Popen(
        [program, "mcp", "--http", "127.0.0.1:0"],
        cwd=top,
        env={"HOME": str(home), "PATH": os.environ["PATH"]},
        stdin=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    )
    line = server.stderr.readline()
    return server, line.split("listening on ")[1].strip()


def checks_of(runner, url, scenario, version, top):
    """Returns the checks of one run; none if it did not come to its end."""
    folder = top / "results" / f"{scenario}-{version}"
    words = ["server", "--url", url, "--scenario", scenario, "-o", str(folder)]
    if version != "extension":
        words += ["--spec-version", version]
    run = subprocess.run([*runner, *words], capture_output=True, text=True)
    found = list(folder.rglob("checks.json"))
    if len(found) != 1:
        print(run.stdout[-2_000:], run.stderr[-2_000:])
        return []
    return json.loads(found[0].read_text())


def main():
    program, node, main_file = sys.argv[1:]
    runner = [node, main_file]
    applies, passed_over = read_list()
    scenarios = known(runner)
    unknown = set(scenarios) ^ set(applies)
    if unknown:
        sys.exit(f"scenarios.tsv and the runner differ in {', '.join(sorted(unknown))}")
    top = pathlib.Path(tempfile.mkdtemp(prefix="mcp-conformance-"))
    server, url = start(os.path.abspath(program), top)
    failed = runs = count = 0
    try:
        for scenario in (name for name in scenarios if applies[name]):
            for version in scenarios[scenario]:
                checks = checks_of(runner, url, scenario, version, top)
                over = passed_over.get(scenario, set())
                bad = [
                    check
                    for check in checks
                    if check["status"] not in ("SUCCESS", "INFO") and check["id"] not in over
                ]
                good = [check for check in checks if check["status"] == "SUCCESS"]
                runs, count = runs + 1, count + len(good)
                if bad or not good:
                    failed += 1
                print(f"{'FAILED' if bad or not good else 'passed'} {scenario} {version}: {len(good)} checks")
                for check in bad:
                    print(f"    {check['status']} {check['id']}: {check.get('errorMessage', '')}")
    finally:
        server.terminate()
    status = server.wait(10)
    if failed or status != 0:
        sys.exit(f"{failed} of {runs} runs failed; the server ended with {status}")
    left_out = sum(not answer for answer in applies.values())
    print(f"{runs} runs, {count} checks, all well; {left_out} scenarios do not apply")


main()
