//! Pages of the rules about files, links and folders.

use super::Record;
use crate::diagnostic::Rule;

/// A rule whose page needs no example.
const fn words(
    rule: Rule,
    title: &'static str,
    what: &'static str,
    why: &'static str,
    agents: &'static str,
) -> Record {
    Record {
        rule,
        title,
        what,
        why,
        bad: "",
        good: "",
        agents,
    }
}

pub(super) const RECORDS: &[Record] = &[
    words(
        Rule::FileTooLarge,
        "SKILL.md is over its bound",
        "SKILL.md has more than 1 MiB.",
        "No conversation has room for it. Move parts into files under references/.",
        "Albedo has the same bound.",
    ),
    words(
        Rule::NotAFile,
        "SKILL.md is not a regular file",
        "What is called SKILL.md is a folder, a pipe, a socket or a device.",
        "Reading it may wait for ever, so it is not opened.",
        "",
    ),
    words(
        Rule::PlainFile,
        "a file lies among skills",
        "A root holds a file beside the folders of skills.",
        "A skill is a folder with a SKILL.md, so a file here is none; it may be one that was put a level too high.",
        "",
    ),
    words(
        Rule::NoSkillFile,
        "a folder without SKILL.md",
        "A folder in a root has no SKILL.md; perhaps its skills lie one level deeper.",
        "Agents look one level deep, and most of them say nothing about what they pass over.",
        "Codex and opencode look deeper; the others do not.",
    ),
    Record {
        rule: Rule::SkillFileName,
        title: "the file is not called SKILL.md",
        what: "The file is called `skill.md`, `Skill.md` or the like.",
        why: "On Linux that is another name, and the skill is not found.",
        bad: "pdf-tools/skill.md\n",
        good: "pdf-tools/SKILL.md\n",
        agents: "All agents look for exactly `SKILL.md`.",
    },
    words(
        Rule::LinkLeaves,
        "a link leaves the folder it may not leave",
        "A symbolic link of a project leads out of it, or SKILL.md is a link out of its skill's folder.",
        "What a repository links to outside of itself is not what was reviewed.",
        "Codex takes no SKILL.md that is a link; Gemini CLI and opencode do.",
    ),
    words(
        Rule::LinkDangling,
        "a link points at nothing",
        "A symbolic link has a target that is not there.",
        "There is nothing to read.",
        "",
    ),
    words(
        Rule::LinkRing,
        "links lead round in a ring",
        "A symbolic link leads to itself, or to a folder that it lies in.",
        "Following it never ends.",
        "opencode follows a ring for 40 links.",
    ),
    words(
        Rule::Unreadable,
        "the system refuses to read it",
        "The file or folder may not be read by you, or the system failed to read it.",
        "No agent that runs as you can read it either.",
        "",
    ),
    words(
        Rule::CandidatesBound,
        "more entries than are looked at",
        "A root holds more entries than the bound of 16,384.",
        "What is beyond it is not looked at.",
        "Albedo looks at 128.",
    ),
    words(
        Rule::ResourceLeaves,
        "a bundled link leaves the skill",
        "A symbolic link in the skill's folder leads out of it.",
        "The folder is copied without what it points at, and agents refuse to read it.",
        "Albedo and coder refuse to read it.",
    ),
    words(
        Rule::ResourceUnresolved,
        "a bundled link cannot be resolved",
        "A symbolic link in the skill's folder points at nothing, or at itself.",
        "An agent that is sent there finds nothing.",
        "",
    ),
    words(
        Rule::ResourceTooLarge,
        "a bundled file is over its bound",
        "A file in the skill's folder has more than 16 MiB.",
        "It is not listed, and cannot be read through the tools.",
        "Albedo has the same bound.",
    ),
    words(
        Rule::ResourceUnlisted,
        "a bundled folder cannot be listed",
        "The system refuses to list a folder of the skill, or an entry of it is not a file.",
        "What is in it is not found.",
        "",
    ),
    words(
        Rule::ResourceNotEntered,
        "a bundled folder is not entered",
        "The skill's folder holds `.git`, `node_modules`, or a folder that was listed already.",
        "Those are a program's files and not the skill's.",
        "Codex and opencode do enter `node_modules`, and list a SKILL.md in it.",
    ),
    words(
        Rule::ResourcesBound,
        "more bundled files than are listed",
        "A listing ends at 512 files or 2,048 entries.",
        "The rest is there, and can be read by its name; a model does not hear of it.",
        "Albedo has the same bounds.",
    ),
    words(
        Rule::ResourcesDepth,
        "bundled folders are nested too deeply",
        "A listing goes 16 folders deep.",
        "What is deeper is not listed.",
        "Albedo has the same bound.",
    ),
];
