"""Drives the server with the official Python client, over standard streams.

    client.py PROGRAM

Works with versions 1 and 2 of the client; version 2 also speaks 2026-07-28, which
has no handshake. Ends with an error at the first surprise.
"""

import asyncio
import contextlib
import importlib.metadata
import json
import os
import pathlib
import subprocess
import sys
import tempfile

import mcp
from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client

VERSION = importlib.metadata.version("mcp")
IS_FIRST = VERSION.startswith("1.")
SKILL = "---\nname: {name}\ndescription: About {name}.\n---\nBody of {name}.\n"
# Changes are told within two seconds; the rest is for a busy machine.
SOON = 2.0


def place():
    """A home with two skills, one of them on, and a project."""
    top = pathlib.Path(tempfile.mkdtemp(prefix="mcp-client-"))
    for name in ["map-kit", "off-kit"]:
        folder = top / "home/.agents/skills" / name
        (folder / "references").mkdir(parents=True)
        (folder / "SKILL.md").write_text(SKILL.format(name=name))
        (folder / "references/guide.md").write_text(f"Guide of {name}.\n")
    (top / "project/.git").mkdir(parents=True)
    return top


def same(found, wanted, what):
    if found != wanted:
        sys.exit(f"{what}: {found!r}, not {wanted!r}")


def text_of(result):
    return json.loads(result.content[0].text)


def uri(text):
    if not IS_FIRST:
        return text
    from pydantic import AnyUrl

    return AnyUrl(text)


class Place:
    def __init__(self, program):
        self.program = program
        self.top = place()
        self.variables = {"HOME": str(self.top / "home"), "PATH": os.environ["PATH"]}
        self.run("on", "map-kit", "--global")

    def run(self, *words):
        subprocess.run(
            [self.program, *words],
            cwd=self.top / "project",
            env=self.variables,
            check=True,
            capture_output=True,
        )

    def server(self):
        return StdioServerParameters(
            command=self.program,
            args=["mcp"],
            cwd=str(self.top / "project"),
            env=self.variables,
        )


async def everything(session, told):
    """Lists, calls, reads and gets; `told` waits for the next changed list."""
    tools = await session.list_tools()
    same([tool.name for tool in tools.tools], ["skill", "read_skill_file"], "tools")
    prompts = await session.list_prompts()
    same([prompt.name for prompt in prompts.prompts], ["map-kit", "off-kit"], "prompts")
    resources = await session.list_resources()
    wanted = ["skill://map-kit/SKILL.md", "skill://map-kit/references/guide.md"]
    same([str(resource.uri) for resource in resources.resources], wanted, "resources")

    first = text_of(await session.call_tool("skill", {"name": "map-kit"}))
    same((first["ok"], first["data"]["status"]), (True, "loaded"), "first call")
    second = text_of(await session.call_tool("skill", {"name": "map-kit"}))
    same((second["ok"], second["data"]["status"]), (True, "already_active"), "second call")
    off = await session.call_tool("skill", {"name": "off-kit"})
    same(text_of(off)["error"]["code"], "skill_off", "a skill that is off")
    arguments = {"name": "map-kit", "path": "references/guide.md"}
    page = text_of(await session.call_tool("read_skill_file", arguments))
    same(page["data"]["content"], "Guide of map-kit.\n", "a bundled file")

    read = await session.read_resource(uri("skill://map-kit/references/guide.md"))
    same(read.contents[0].text, "Guide of map-kit.\n", "a resource")
    got = await session.get_prompt("off-kit", {"arguments": "draw it"})
    text = got.messages[0].content.text
    is_whole = "Body of off-kit.\n" in text and text.endswith("\n</skill>\n\ndraw it")
    same(is_whole, True, f"a prompt: {text}")
    await told()
    tools = await session.list_tools()
    same([tool.name for tool in tools.tools], [], "tools when nothing is on")


async def with_a_handshake(program):
    there = Place(program)
    changed = asyncio.Queue()

    async def hear(message):
        message = getattr(message, "root", message)
        method = getattr(message, "method", "")
        if method.endswith("list_changed"):
            changed.put_nowait(method)

    async with contextlib.AsyncExitStack() as stack:
        streams = await stack.enter_async_context(stdio_client(there.server()))
        session = ClientSession(*streams, message_handler=hear)
        await stack.enter_async_context(session)
        shaken = await session.initialize()
        version = getattr(shaken, "protocolVersion", None) or shaken.protocol_version
        same("map-kit" in (shaken.instructions or ""), True, "instructions")

        async def told():
            await asyncio.sleep(1)
            there.run("off", "map-kit", "--project")
            methods = set()
            with contextlib.suppress(asyncio.TimeoutError):
                while True:
                    methods.add(await asyncio.wait_for(changed.get(), SOON))
            wanted = {f"notifications/{kind}/list_changed" for kind in ["tools", "resources"]}
            same(methods, wanted, "what is told")

        await everything(session, told)
    return version


async def without_a_handshake(program):
    there = Place(program)
    async with mcp.Client(there.server()) as client:

        async def told():
            listening = client.listen(tools_list_changed=True)
            async with listening as events:
                await asyncio.sleep(1)
                there.run("off", "map-kit", "--project")
                event = await asyncio.wait_for(anext(aiter(events)), SOON)
                same("tool" in type(event).__name__.lower(), True, f"an event: {event!r}")

        await everything(client, told)
        return client.protocol_version


def main():
    program = os.path.abspath(sys.argv[1])
    versions = [asyncio.run(with_a_handshake(program))]
    if not IS_FIRST:
        versions.append(asyncio.run(without_a_handshake(program)))
        same(versions[-1], "2026-07-28", "the version without a handshake")
    print(f"mcp {VERSION} for Python: all well over {' and '.join(versions)}")


main()
