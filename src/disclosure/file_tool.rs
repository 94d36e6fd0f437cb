//! The `read_skill_file` tool: pages of the files that a skill bundles, for
//! agents whose own tools do not reach its folder.
//!
//! Only files of callable skills are read. Reading activates nothing.

use serde_json::{Map, Value, json};

use super::error::{ActivationError, bounded_name};
use super::reply::{Reply, success};
use super::tool::wanted_skill;
use crate::discovery::bundled::ResourceError;
use crate::discovery::snapshot::Snapshot;
use crate::skill::resources::{ReadError, Window};
use crate::text::{one_line, size};

/// The name of the tool.
pub const FILE_TOOL: &str = "read_skill_file";

const DESCRIPTION: &str = "\
Reads a file of a skill, a page at a time: the files that its instructions mention, \
or SKILL.md to read the instructions again. \
If `truncated` is true, call again with `offset` set to `next_offset`. \
Content that is not text comes as base64, as `encoding` says.";

impl Snapshot {
    /// Returns the definition of the tool in the form of `OpenAI`'s function
    /// tools; nothing if no skill is callable.
    #[must_use]
    pub fn file_tool_definition(&self) -> Option<Value> {
        let names = self.callable_names()?;
        let limits = &self.env().limits;
        Some(json!({
            "type": "function",
            "function": {
                "name": FILE_TOOL,
                "description": DESCRIPTION,
                "parameters": {
                    "type": "object",
                    "properties": {
                        "name": {
                            "type": "string",
                            "description": "The skill, exactly as listed.",
                            "enum": names,
                        },
                        "path": {
                            "type": "string",
                            "description": "The file, relative to the skill's folder, such as references/guide.md.",
                        },
                        "offset": {
                            "type": "integer",
                            "description": "The first byte to read; 0 if left out.",
                            "minimum": 0,
                        },
                        "limit": {
                            "type": "integer",
                            "description": format!("The most bytes to read; {} if left out.", limits.page_bytes),
                            "minimum": 1,
                            "maximum": limits.page_bytes_max,
                        },
                    },
                    "required": ["name", "path"],
                    "additionalProperties": false,
                },
            },
        }))
    }

    /// Answers a call of the tool: a page with the skill's name, or why there is
    /// none.
    ///
    /// While a scope file cannot be read, that is the answer to every call.
    #[must_use]
    pub fn read_skill_file(&self, arguments: &Value) -> Reply {
        let asked = Asked::parse(arguments);
        let name = arguments["name"].as_str().unwrap_or_default();
        let read = self.require_readable().and(asked).and_then(|asked| {
            let skill = wanted_skill(self, &asked.name)?;
            Ok((
                self.read_resource_for_model(skill, &asked.path, asked.window),
                skill,
                asked,
            ))
        });
        match read {
            Err(error) => Reply::failed(name, &error),
            Ok((Err(error), skill, asked)) => {
                let path = bounded_name(&asked.path);
                let alias = self.shown_alias(skill);
                let words = one_line(&error.to_string()).into_owned();
                let help = help(&error);
                let message = format!("cannot read {path} of {alias}: {words}{help}");
                Reply {
                    message: json!({
                        "ok": false,
                        "error": {"code": error.code(), "message": message},
                        "data": null,
                    }),
                    row: format!("skill {alias} · {path} · cannot be read"),
                    read_grant: None,
                    diagnostics: Vec::new(),
                }
            }
            Ok((Ok(page), skill, asked)) => {
                let alias = self.shown_alias(skill);
                let row = format!(
                    "read skill {alias} · {} · {}",
                    bounded_name(&asked.path),
                    size(page.next_offset - asked.window.offset)
                );
                let mut data = json!(page);
                data["name"] = alias.into();
                Reply {
                    message: success(data),
                    row,
                    read_grant: None,
                    diagnostics: Vec::new(),
                }
            }
        }
    }
}

/// Returns what to do about a file that was not read, to stand behind the words;
/// nothing where they say it.
fn help(error: &ResourceError) -> &'static str {
    match error {
        ResourceError::Read(
            ReadError::TooLarge { .. } | ReadError::PastEnd(..) | ReadError::Window(..),
        )
        | ResourceError::Folder(_)
        | ResourceError::NoFiles => "",
        ResourceError::Read(_) => "; the `resources:` line of the skill names its files",
    }
}

/// What a call asks for.
struct Asked {
    name: String,
    path: String,
    window: Window,
}

impl Asked {
    fn parse(arguments: &Value) -> Result<Self, ActivationError> {
        const KNOWN: [&str; 4] = ["name", "path", "offset", "limit"];
        let arguments = arguments
            .as_object()
            .ok_or_else(|| invalid("the arguments must be an object"))?;
        if let Some(unknown) = arguments.keys().find(|key| !KNOWN.contains(&key.as_str())) {
            return Err(invalid(&format!(
                "unknown argument: {}",
                bounded_name(unknown)
            )));
        }
        Ok(Self {
            name: text(arguments, "name")?,
            path: text(arguments, "path")?,
            window: Window {
                offset: number(arguments, "offset")?.unwrap_or(0),
                limit: number(arguments, "limit")?
                    .map(|limit| usize::try_from(limit).unwrap_or(usize::MAX)),
            },
        })
    }
}

fn text(arguments: &Map<String, Value>, key: &str) -> Result<String, ActivationError> {
    match arguments.get(key) {
        Some(Value::String(text)) => Ok(text.clone()),
        None | Some(Value::Null) => Err(invalid(&format!("`{key}` is missing"))),
        Some(_) => Err(invalid(&format!("`{key}` must be a text"))),
    }
}

fn number(arguments: &Map<String, Value>, key: &str) -> Result<Option<u64>, ActivationError> {
    match arguments.get(key) {
        None | Some(Value::Null) => Ok(None),
        Some(value) => whole(value).map(Some).ok_or_else(|| {
            invalid(&format!(
                "`{key}` must be a whole number that is not negative"
            ))
        }),
    }
}

/// Returns a whole number, however it is written: `1e1` is an integer in the
/// words of JSON Schema.
fn whole(value: &Value) -> Option<u64> {
    /// From here on not every whole number is one of these.
    const EXACT: f64 = 9_007_199_254_740_992.0;
    let written = || {
        let number = value.as_f64()?;
        let is_whole = number.fract() == 0.0 && (0.0..EXACT).contains(&number);
        // `Display` writes it without a fraction or an exponent.
        is_whole.then(|| number.abs().to_string().parse().ok())?
    };
    value.as_u64().or_else(written)
}

fn invalid(message: &str) -> ActivationError {
    ActivationError::InvalidArguments {
        message: message.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::super::test_folders::Folders;
    use super::*;

    fn kits() -> Folders {
        let folders = Folders::new();
        folders
            .skill("home", "map-kit", "Makes maps.", "Do it.")
            .skill("home", "off-kit", "Is off.", "")
            .write("home/.agents/skills/map-kit/a.md", "0123456789");
        folders.global(r#"{"on": ["map-kit"]}"#);
        folders
    }

    #[test]
    fn the_definition_offers_the_callable_names() {
        let folders = kits();

        let tool = folders.load().file_tool_definition().unwrap();

        let function = &tool["function"];
        assert_eq!(function["name"], FILE_TOOL);
        let properties = &function["parameters"]["properties"];
        assert_eq!(properties["name"]["enum"], json!(["map-kit"]));
        assert_eq!(properties["limit"]["maximum"], 65_536);
        folders.global("{}");
        assert_eq!(folders.load().file_tool_definition(), None);
    }

    #[test]
    fn a_page_comes_with_what_is_needed_for_the_next() {
        let folders = kits();
        let snapshot = folders.load();

        let reply = snapshot
            .read_skill_file(&json!({"name": "map-kit", "path": "a.md", "offset": 2, "limit": 3}));

        assert_eq!(reply.row, "read skill map-kit · a.md · 3 B");
        let path = folders.folder("home", "map-kit").join("a.md");
        assert_eq!(
            reply.message,
            json!({"ok": true, "error": null, "data": {
                "name": "map-kit",
                "path": path,
                "encoding": "utf-8",
                "content": "234",
                "next_offset": 5,
                "truncated": true,
                "size": 10,
            }})
        );
    }

    #[test]
    fn a_name_is_taken_as_it_is_offered_and_as_it_is_often_written() {
        let folders = kits();
        folders.write("home/.agents/skills/map-kit/odd\u{7}\u{200b}.md", "odd");
        let snapshot = folders.load();
        let read = |path: &str| {
            let asked = json!({"name": "map-kit", "path": path});
            snapshot.read_skill_file(&asked).message["data"]["content"].clone()
        };

        assert_eq!(read("./a.md"), "0123456789");
        assert_eq!(read("././a.md"), "0123456789");
        assert_eq!(read("odd\\u{7}\\u{200b}.md"), "odd");
        assert_eq!(read("odd\u{7}\u{200b}.md"), "odd");
        assert_eq!(read("./../a.md"), Value::Null);
        assert_eq!(read(".//etc/passwd"), Value::Null);
    }

    #[test]
    fn a_whole_number_is_one_however_it_is_written() {
        let folders = kits();
        let snapshot = folders.load();

        for (limit, content) in [
            ("2", json!("01")),
            ("2.0", json!("01")),
            ("1e1", json!("0123456789")),
            ("2.5", Value::Null),
            ("-2.0", Value::Null),
            ("1e300", Value::Null),
        ] {
            let asked = format!(r#"{{"name": "map-kit", "path": "a.md", "limit": {limit}}}"#);
            let asked = serde_json::from_str(&asked).unwrap();
            let page = snapshot.read_skill_file(&asked).message;
            assert_eq!(page["data"]["content"], content, "{limit}");
        }
    }

    #[test]
    fn a_call_that_reads_nothing_says_why() {
        let folders = kits();
        folders.write("home/.agents/skills/map-kit/.git/config", "x");
        let large = std::fs::File::create(folders.folder("home", "map-kit").join("large"));
        large.unwrap().set_len(16_777_217).unwrap();
        let snapshot = folders.load();
        let failure = |arguments: Value| {
            let message = snapshot.read_skill_file(&arguments).message;
            let text = |key: &str| message["error"][key].as_str().unwrap().to_owned();
            format!("{}: {}", text("code"), text("message"))
        };

        for (arguments, words) in [
            (
                json!("x"),
                "invalid_arguments: the arguments must be an object",
            ),
            (
                json!({"path": "a.md"}),
                "invalid_arguments: `name` is missing",
            ),
            (
                json!({"name": "map-kit"}),
                "invalid_arguments: `path` is missing",
            ),
            (
                json!({"name": "map-kit", "path": "a.md", "offset": -1}),
                "invalid_arguments: `offset` must be a whole number that is not negative",
            ),
            (
                json!({"name": "map-kit", "path": "a.md", "to": 1}),
                "invalid_arguments: unknown argument: to",
            ),
            (
                json!({"name": "map-kit", "path": "../off-kit/SKILL.md"}),
                "resource_not_relative: cannot read ../off-kit/SKILL.md of map-kit: resource must be a relative path without parent traversal; the `resources:` line of the skill names its files",
            ),
            (
                json!({"name": "map-kit", "path": "a.md", "limit": 65_537}),
                "invalid_arguments: cannot read a.md of map-kit: offset must be nonnegative and limit must be 1..65536",
            ),
            (
                json!({"name": "map-kit", "path": "a.md", "offset": 11}),
                "invalid_arguments: cannot read a.md of map-kit: offset exceeds resource size; it has 10 bytes",
            ),
            (
                json!({"name": "map-kit", "path": "large"}),
                "resource_too_large: cannot read large of map-kit: resource exceeds 16777216 bytes; it has 16777217 bytes",
            ),
            (
                json!({"name": "map-kit", "path": ".git/config"}),
                "resource_not_entered: cannot read .git/config of map-kit: resource lies in .git, which is not entered; the `resources:` line of the skill names its files",
            ),
            (
                json!({"name": "off-kit", "path": "SKILL.md"}),
                "skill_off: the skill `off-kit` is off; `codeaf-skills on off-kit --global` turns it on",
            ),
            (
                json!({"name": " map-kit ", "path": "SKILL.md"}),
                "skill_not_found: no skill is called ` map-kit `; did you mean `map-kit`?",
            ),
            (
                json!({"name": "map", "path": "SKILL.md"}),
                "skill_not_found: no skill is called `map`; did you mean `map-kit`?",
            ),
        ] {
            assert_eq!(failure(arguments), words);
        }
    }
}
