//! The `read` tool: pages of text files in a few folders, and nowhere else.
//!
//! This file decides which path is meant, that a skill's files are read only
//! once it is loaded, and what the model is told. That no open leaves a folder is
//! held where bundled files are read.

use std::path::{Component, Path, PathBuf};

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};

use super::belt::{Answered, Permissions, Refusal, Tool};
use crate::disclosure::ActivationError;
use crate::discovery::bundled::Holder;
use crate::discovery::scan::Skill;
use crate::discovery::snapshot::Snapshot;
use crate::limits::Limits;
use crate::skill::resources::{self, Asked, Encoding, Page, ReadError, Window};
use crate::text::{path_text, size, system_words, visible};

/// The folders that may be read in: real paths.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Grants {
    pub(super) working_folder: PathBuf,
    /// Those of the loaded skills.
    pub(super) skills: Vec<PathBuf>,
}

/// What decides which files may be read.
#[derive(Clone, Copy)]
pub(super) struct Reach<'a> {
    pub(super) grants: &'a Grants,
    pub(super) snapshot: &'a Snapshot,
    pub(super) permissions: &'a Permissions,
}

/// What a call asks for.
struct Wanted<'a> {
    path: &'a str,
    window: Window,
}

/// Returns the parameters of the tool.
pub(super) fn definition(limits: &Limits) -> Value {
    json!({
        "type": "function",
        "function": {
            "name": "read",
            "description": "Reads a page of a text file, in the working folder or in a folder that the conversation has opened. \
                The result holds the content, the size of the file in bytes, and whether there is more; \
                if so, call again with `next_offset` as the offset. Folders cannot be listed.",
            "parameters": {
                "type": "object",
                "properties": {
                    "path": {"type": "string", "description": "The file: absolute, or relative to the working folder."},
                    "offset": {"type": "integer", "minimum": 0, "description": "The first byte, from 0."},
                    "limit": {
                        "type": "integer",
                        "minimum": 4,
                        "maximum": limits.page_bytes_max,
                        "description": format!("Bytes at most; {} if left out.", limits.page_bytes),
                    },
                },
                "required": ["path"],
                "additionalProperties": false,
            },
        },
    })
}

/// Answers a call.
pub(super) fn answer(arguments: &Value, reach: Reach<'_>) -> Result<Answered, Refusal> {
    let limits = &reach.snapshot.env().limits;
    let wanted = wanted(arguments)?;
    let shown = visible(wanted.path).into_owned();
    let (folder, inside) = reach
        .grants
        .place(wanted.path)
        .ok_or_else(|| reach.grants.outside(&shown))?;
    let is_working_folder = folder == reach.grants.working_folder;
    let read = if is_working_folder {
        resources::read
    } else {
        resources::read_bundled
    };
    let refused = |error: ReadError| refused(&error, &shown, limits);
    let asked = || Asked {
        dir: folder.to_path_buf(),
        resource: inside.clone(),
    };
    if inside.is_empty() {
        return Err(refused(ReadError::NotAFile(asked())));
    }
    let page = read(folder, &inside, wanted.window, limits).map_err(refused)?;
    // Where the file really lies: a link may have led there.
    if is_working_folder && is_of_git(&page.path, folder) {
        return Err(refused(ReadError::NotEntered(asked(), ".git".to_owned())));
    }
    reach.require_open(&page.path, &shown)?;
    let page = as_text(page).ok_or_else(|| {
        Refusal::new("not_text", format!("{shown} is not a text file")).about(&end_of(&shown))
    })?;
    let read = page.content.len() as u64;
    Ok(Answered {
        row: format!("read {} · {}", end_of(&shown), size(read)),
        data: json!({
            "path": path_text(&page.path),
            "content": page.content,
            "next_offset": page.next_offset,
            "truncated": page.truncated,
            "size": page.size,
        }),
    })
}

/// Whether a file of the working folder is one of git's, which may hold the
/// password of a server.
fn is_of_git(real: &Path, folder: &Path) -> bool {
    let inside = real.strip_prefix(folder).unwrap_or(real);
    inside.components().any(|part| part.as_os_str() == ".git")
}

/// Returns a path as it stands in a row: a long one is known by its end.
fn end_of(path: &str) -> String {
    const CHARACTERS: usize = 60;
    let surplus = path.chars().count().saturating_sub(CHARACTERS);
    match path.char_indices().nth(surplus + 1) {
        Some((at, _)) if surplus > 0 => format!("…{}", &path[at..]),
        _ => path.to_owned(),
    }
}

fn wanted(arguments: &Value) -> Result<Wanted<'_>, Refusal> {
    super::belt::only(arguments, &["path", "offset", "limit"])?;
    let path = arguments["path"]
        .as_str()
        .ok_or_else(|| Refusal::invalid("`path` must be a text"))?;
    if path.is_empty() {
        return Err(Refusal::invalid("`path` must not be empty"));
    }
    let number = |key: &str| match &arguments[key] {
        Value::Null => Ok(None),
        value => value
            .as_u64()
            .map(Some)
            .ok_or_else(|| Refusal::invalid(format!("`{key}` must be a whole number"))),
    };
    let limit = number("limit")?.map(|limit| usize::try_from(limit).unwrap_or(usize::MAX));
    Ok(Wanted {
        path,
        window: Window {
            offset: number("offset")?.unwrap_or(0),
            // Fewer could not hold a character.
            limit: limit.map(|limit| limit.max(4)),
        },
    })
}

impl Grants {
    fn folders(&self) -> impl Iterator<Item = &Path> {
        let working_folder = std::iter::once(&self.working_folder);
        working_folder.chain(&self.skills).map(PathBuf::as_path)
    }

    /// Returns the folder in which `path` lies by its name, and the rest of the
    /// path. That the file lies there in truth is not asked here.
    fn place(&self, path: &str) -> Option<(&Path, String)> {
        let given = Path::new(path);
        let absolute = if given.is_absolute() {
            given.to_path_buf()
        } else {
            self.working_folder.join(given)
        };
        // The narrowest folder that has it; `..` is refused when it is read.
        let holder = self
            .folders()
            .filter(|folder| absolute.starts_with(folder))
            .max_by_key(|folder| folder.components().count())?;
        let inside = absolute.strip_prefix(holder).ok()?;
        let parts: Vec<&str> = inside
            .components()
            .filter(|part| *part != Component::CurDir)
            .map(|part| part.as_os_str().to_str())
            .collect::<Option<_>>()?;
        Some((holder, parts.join("/")))
    }

    fn outside(&self, shown: &str) -> Refusal {
        let folders: Vec<String> = self
            .folders()
            .map(|folder| visible(&path_text(folder)).into_owned())
            .collect();
        let message = format!(
            "{shown} lies outside the folders that may be read: {}",
            folders.join(", ")
        );
        Refusal::new("not_allowed", message).about(&end_of(shown))
    }
}

impl Reach<'_> {
    /// Refuses a file, by its real path, in the folder of a skill that the
    /// conversation has not loaded.
    fn require_open(&self, real: &Path, shown: &str) -> Result<(), Refusal> {
        let refuse = |code, why| Refusal::new(code, format!("{shown} {why}")).about(&end_of(shown));
        let held = self.snapshot.holder_of(real).map_err(|error| {
            let why = system_words(&error);
            refuse(
                "not_allowed",
                format!("may lie in the folder of a skill: {why}"),
            )
        })?;
        let Some((folder, holder)) = held else {
            return Ok(());
        };
        if self.grants.folders().any(|open| open == folder) {
            return Ok(());
        }
        let (code, why) = match holder {
            // There is no word on skills where there are none.
            _ if !self.permissions.skills => ("not_allowed", "may not be read".to_owned()),
            Holder::Broken(_) => (
                "not_allowed",
                "lies in the folder of a skill that does not load".to_owned(),
            ),
            Holder::Skill(skill) => self.closed(skill),
        };
        Err(refuse(code, why))
    }

    /// Returns why the files of `skill` are closed: a code, and words behind the
    /// file's name.
    fn closed(&self, skill: &Skill) -> (&'static str, String) {
        let name = self.snapshot.shown_alias(skill);
        let refused = |error: ActivationError| {
            let help = error.help().map(|help| format!("; {help}"));
            let words = format!("lies in the folder of a skill, and {error}");
            (error.code(), words + &help.unwrap_or_default())
        };
        let readable = self.snapshot.require_readable();
        if let Err(error) = readable.and_then(|()| self.snapshot.require_on(skill)) {
            return refused(error);
        }
        let words = if skill.shadowed_by.is_some() {
            format!("lies in a copy of the skill `{name}` that is not used: another one shadows it")
        } else if self.permissions.belt(self.snapshot).contains(&Tool::Skill) {
            format!("lies in the folder of the skill `{name}`: call `skill` with this name first")
        } else {
            format!("lies in the folder of the skill `{name}`, which is not loaded")
        };
        ("not_allowed", words)
    }
}

fn refused(error: &ReadError, shown: &str, limits: &Limits) -> Refusal {
    let message = match error {
        ReadError::Missing(..) => format!("there is no file {shown}"),
        ReadError::NotRelative(_) => {
            format!("{shown} goes up or holds a NUL; name the file by a plain path")
        }
        ReadError::Escapes(_) => {
            format!("{shown} leads out of the folders that may be read")
        }
        ReadError::NotEntered(_, closed) => format!("{shown} lies in {closed}, which is not read"),
        ReadError::NotAFile(_) => format!("{shown} is not a regular file"),
        ReadError::Window(_, most) => format!("`limit` must be from 4 to {most}"),
        ReadError::PastEnd(_, bytes) => {
            format!("`offset` is behind the end of the file, which has {bytes} bytes")
        }
        ReadError::TooLarge { .. } => format!("{shown} is over {}", size(limits.resource_bytes)),
        _ => format!("{shown} cannot be read"),
    };
    let code = match error {
        // That is for this tool to say: no folder that may be read holds it.
        ReadError::NotRelative(_) | ReadError::Escapes(_) => "not_allowed",
        _ => error.code(),
    };
    Refusal::new(code, message).about(&end_of(shown))
}

/// Returns a page whose last character is whole; nothing if it is not text.
fn as_text(page: Page) -> Option<Page> {
    if page.encoding == Encoding::Utf8 {
        return (!page.content.contains('\0')).then_some(page);
    }
    let mut bytes = STANDARD.decode(&page.content).ok()?;
    let error = std::str::from_utf8(&bytes).err()?;
    // Only the end of the page may part a character.
    if error.error_len().is_some() || !page.truncated || error.valid_up_to() == 0 {
        return None;
    }
    let cut = bytes.len() - error.valid_up_to();
    bytes.truncate(error.valid_up_to());
    let content = String::from_utf8(bytes).ok()?;
    (!content.contains('\0')).then_some(Page {
        encoding: Encoding::Utf8,
        content,
        next_offset: page.next_offset - cut as u64,
        ..page
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::env::{Allowed, Env};
    use std::fs;
    use std::os::unix::fs::symlink;

    struct Place {
        _temporary: tempfile::TempDir,
        top: PathBuf,
        grants: Grants,
    }

    impl Place {
        fn new() -> Self {
            let temporary = tempfile::tempdir().unwrap();
            let top = temporary.path().canonicalize().unwrap();
            for folder in [
                "here/sub",
                "here/.git",
                "here/node_modules",
                "kit/.git",
                "else",
            ] {
                fs::create_dir_all(top.join(folder)).unwrap();
            }
            fs::write(top.join("here/a.txt"), "aé€b").unwrap();
            fs::write(top.join("here/sub/b.txt"), "b").unwrap();
            fs::write(top.join("kit/guide.md"), "guide").unwrap();
            fs::write(top.join("else/secret"), "no").unwrap();
            fs::write(top.join("here/.git/config"), "ours").unwrap();
            fs::write(top.join("kit/.git/config"), "theirs").unwrap();
            fs::write(top.join("here/binary"), b"\xff\xfe\0").unwrap();
            fs::write(top.join("here/nul"), b"a\0b").unwrap();
            fs::write(top.join("here/node_modules/a.js"), "module").unwrap();
            symlink(top.join("else/secret"), top.join("here/link")).unwrap();
            symlink(top.join("here/.git/config"), top.join("here/by-link")).unwrap();
            symlink(top.join("else"), top.join("kit/out")).unwrap();
            let grants = Grants {
                working_folder: top.join("here"),
                skills: vec![top.join("kit")],
            };
            Self {
                _temporary: temporary,
                top,
                grants,
            }
        }

        fn read(&self, arguments: &Value) -> Result<Answered, Refusal> {
            self.read_with(arguments, true)
        }

        fn read_with(&self, arguments: &Value, skills: bool) -> Result<Answered, Refusal> {
            let mut env = Env::new(self.top.join("here"));
            env.home = Some(self.top.join("home"));
            let reach = Reach {
                grants: &self.grants,
                snapshot: &Snapshot::load(&env).unwrap(),
                permissions: &Permissions {
                    tools: Allowed::All,
                    skills,
                },
            };
            answer(arguments, reach)
        }

        fn content(&self, path: &str) -> String {
            let path = path.replace("[D]", self.top.to_str().unwrap());
            match self.read(&json!({"path": path})) {
                Ok(answered) => answered.data["content"].as_str().unwrap().to_owned(),
                Err(refusal) => refusal.code.to_owned(),
            }
        }
    }

    #[test]
    fn a_file_is_read_by_its_name_in_the_working_folder_and_the_opened_ones() {
        let place = Place::new();
        for (path, content) in [
            ("a.txt", "aé€b"),
            ("./a.txt", "aé€b"),
            ("sub//b.txt", "b"),
            ("[D]/here/sub/b.txt", "b"),
            ("[D]/kit/guide.md", "guide"),
            ("[D]/kit/./guide.md", "guide"),
            ("[D]/else/secret", "not_allowed"),
            ("[D]/kit2/guide.md", "not_allowed"),
            ("../else/secret", "not_allowed"),
            ("[D]/kit/../else/secret", "not_allowed"),
            ("sub/../a.txt", "not_allowed"),
            ("link", "not_allowed"),
            ("[D]/kit/out/secret", "not_allowed"),
            (".git/config", "resource_not_entered"),
            ("by-link", "resource_not_entered"),
            ("node_modules/a.js", "module"),
            ("[D]/kit/.git/config", "resource_not_entered"),
            ("/etc/passwd", "not_allowed"),
            ("nothing", "resource_not_found"),
            ("sub", "not_a_file"),
            (".", "not_a_file"),
            ("[D]/kit/", "not_a_file"),
            ("binary", "not_text"),
            ("nul", "not_text"),
        ] {
            assert_eq!(place.content(path), content, "{path}");
        }
    }

    #[test]
    fn the_files_of_a_skill_are_closed_wherever_it_lies_and_however_it_is_named() {
        let place = Place::new();
        let text = |name: &str| format!("---\nname: {name}\ndescription: D.\n---\n");
        for (folder, text) in [
            ("here/.claude/skills/off", text("off")),
            ("here/.claude/skills/on", text("on")),
            ("here/.claude/skills/torn", "---\n---\n".to_owned()),
            ("here/.gemini/skills/on", text("on")),
            ("here/kept/linked", text("linked")),
            ("here/.claude/skills/group/deep", text("deep")),
        ] {
            fs::create_dir_all(place.top.join(folder)).unwrap();
            fs::write(place.top.join(folder).join("SKILL.md"), text).unwrap();
            fs::write(place.top.join(folder).join("more.txt"), "more").unwrap();
        }
        for (target, link) in [
            ("here/.claude/skills/off/SKILL.md", "here/way.txt"),
            ("here/.claude/skills/off", "here/ways"),
            ("here/kept/linked", "here/.claude/skills/linked"),
        ] {
            symlink(place.top.join(target), place.top.join(link)).unwrap();
        }
        fs::create_dir_all(place.top.join("home/.codeaf")).unwrap();
        fs::write(
            place.top.join("home/.codeaf/skills.json"),
            r#"{"on": ["on"]}"#,
        )
        .unwrap();
        let read = |path: &str, skills| match place.read_with(&json!({"path": path}), skills) {
            Ok(_) => ("read", String::new()),
            Err(refusal) => (refusal.code, refusal.message),
        };

        for (path, code, words) in [
            (
                ".claude/skills/off/SKILL.md",
                "skill_off",
                ".claude/skills/off/SKILL.md lies in the folder of a skill, and the skill `off` is off; `codeaf-skills on off --project` turns it on",
            ),
            (
                "./.claude//skills/off/more.txt",
                "skill_off",
                "the skill `off` is off",
            ),
            (
                "way.txt",
                "skill_off",
                "way.txt lies in the folder of a skill",
            ),
            ("ways/more.txt", "skill_off", "the skill `off` is off"),
            (
                "kept/linked/more.txt",
                "skill_off",
                "the skill `linked` is off",
            ),
            (
                ".claude/skills/on/more.txt",
                "not_allowed",
                ".claude/skills/on/more.txt lies in the folder of the skill `on`: call `skill` with this name first",
            ),
            (
                ".gemini/skills/on/SKILL.md",
                "not_allowed",
                "lies in a copy of the skill `on` that is not used: another one shadows it",
            ),
            (
                ".claude/skills/torn/more.txt",
                "not_allowed",
                "lies in the folder of a skill that does not load",
            ),
            (".claude/skills/group/deep/more.txt", "read", ""),
            ("a.txt", "read", ""),
        ] {
            let (found, message) = read(path, true);
            assert_eq!(found, code, "{path}");
            assert!(message.contains(words), "{message}");
        }
        let (code, message) = read(".claude/skills/on/more.txt", false);
        assert_eq!(
            (code, &*message),
            ("not_allowed", ".claude/skills/on/more.txt may not be read")
        );
    }

    #[test]
    fn while_nobody_knows_where_a_file_lies_it_is_closed() {
        let place = Place::new();
        let file = place.top.join("kit/guide.md");
        let mut env = Env::new(place.top.join("here"));
        env.home = Some(place.top.join("home"));
        let reach = Reach {
            grants: &place.grants,
            snapshot: &Snapshot::load(&env).unwrap(),
            permissions: &Permissions {
                tools: Allowed::All,
                skills: true,
            },
        };
        assert!(reach.require_open(&file, "guide.md").is_ok());

        fs::rename(place.top.join("here"), place.top.join("gone")).unwrap();

        let refusal = reach.require_open(&file, "guide.md").unwrap_err();
        assert_eq!(
            (refusal.code, &*refusal.message),
            (
                "not_allowed",
                "guide.md may lie in the folder of a skill: no such file or directory"
            )
        );
    }

    #[test]
    fn who_works_inside_a_skill_reads_all_of_it_but_for_the_skills_in_it() {
        let mut place = Place::new();
        for (folder, name) in [("here", "here"), ("here/.claude/skills/in", "in")] {
            fs::create_dir_all(place.top.join(folder)).unwrap();
            let text = format!("---\nname: {name}\ndescription: D.\n---\n");
            fs::write(place.top.join(folder).join("SKILL.md"), text).unwrap();
        }
        let root = place.top.join("home/.agents/skills");
        fs::create_dir_all(&root).unwrap();
        symlink(place.top.join("here"), root.join("here")).unwrap();
        place.grants.skills.clear();

        assert!(place.content("SKILL.md").contains("name: here"));
        assert_eq!(place.content(".claude/skills/in/SKILL.md"), "skill_off");
    }

    #[test]
    fn pages_end_at_whole_characters_and_join_to_the_file() {
        let place = Place::new();
        let mut offset = 0;
        let mut text = String::new();
        loop {
            let page = place
                .read(&json!({"path": "a.txt", "offset": offset, "limit": 4}))
                .unwrap()
                .data;
            text.push_str(page["content"].as_str().unwrap());
            offset = page["next_offset"].as_u64().unwrap();
            if page["truncated"] == false {
                break;
            }
        }

        assert_eq!(text, "aé€b");
    }

    #[test]
    fn the_row_names_the_file_and_what_was_read_of_it() {
        let place = Place::new();

        let answered = place.read(&json!({"path": "a.txt"})).unwrap();
        let refusal = place.read(&json!({"path": "no\u{1b}[31m"})).unwrap_err();

        assert_eq!(answered.row, "read a.txt · 7 B");
        assert_eq!(refusal.message, "there is no file no\\u{1b}[31m");
    }

    #[test]
    fn wrong_arguments_are_told() {
        let place = Place::new();
        for (arguments, message) in [
            (json!({}), "`path` must be a text"),
            (json!({"path": ""}), "`path` must not be empty"),
            (
                json!({"path": "a.txt", "offset": -1}),
                "`offset` must be a whole number",
            ),
            (
                json!({"path": "a.txt", "limit": "x"}),
                "`limit` must be a whole number",
            ),
            (
                json!({"path": "a.txt", "limit": 99_999_999}),
                "`limit` must be from 4 to 65536",
            ),
            (
                json!({"path": "a.txt", "offset": 8}),
                "`offset` is behind the end of the file, which has 7 bytes",
            ),
            (
                json!({"path": "a.txt", "file": 1}),
                "unknown argument: file",
            ),
            (json!([]), "the arguments must be an object"),
        ] {
            let refusal = place.read(&arguments).unwrap_err();
            assert_eq!(
                (refusal.code, &*refusal.message),
                ("invalid_arguments", message)
            );
        }
    }
}
