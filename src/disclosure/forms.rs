//! One activation in the forms of other systems.
//!
//! Interface strings and rules are theirs, literally: bodies are not cleaned
//! and tags not escaped where they don't.

use std::borrow::Cow;
use std::fs;
use std::path::Path;

use serde_json::{Value, json};

use super::activation::Activation;
use super::body::with_base_dir;
use super::error::ActivationError;
use crate::diagnostic::{Diagnostic, Rule, Span};
use crate::discovery::skill_file::SKILL_FILE;
use crate::limits::Limits;
use crate::name::Source;
use crate::personal::for_model;
use crate::text::{escape_xml, visible_path, without_comments};

/// The folders whose files vBot names, in its order (V1).
const VBOT_FOLDERS: [&str; 2] = ["scripts/", "references/"];

impl Activation {
    /// Returns the activation as Albedo does: `{name, description, source,
    /// arguments, instructions}`, the instructions being the whole SKILL.md,
    /// byte for byte but for the comments of a personal skill.
    ///
    /// # Errors
    ///
    /// Returns an error if the file is not UTF-8.
    pub fn to_albedo(&self, arguments: &str, limits: &Limits) -> Result<Value, ActivationError> {
        let text = match self.source {
            Source::Personal => Cow::Owned(for_model(&self.raw, limits)),
            Source::Workspace => Cow::Borrowed(&self.raw),
        };
        let instructions = std::str::from_utf8(&text).map_err(|error| {
            let span = Span::at(&self.raw, error.valid_up_to());
            let message = "SKILL.md must be UTF-8 text";
            ActivationError::Read {
                name: self.alias.clone(),
                diagnostic: Box::new(
                    Diagnostic::error(Rule::InvalidUtf8, &self.place(), message).at(span),
                ),
            }
        })?;
        Ok(json!({
            "name": self.name,
            "description": self.description.trim(),
            "source": self.place().to_string_lossy(),
            "arguments": arguments,
            "instructions": instructions,
        }))
    }

    /// Returns the activation as coder's `read_skill` does: `{name, dir, body,
    /// files}`, without `dir` and with no files for a personal skill.
    ///
    /// The name is the one that was asked for. The body is without HTML
    /// comments, whoever keeps the skill. The files are the direct children of
    /// the folder but for SKILL.md, hidden ones included, folders with a `/`.
    #[must_use]
    pub fn to_coder(&self) -> Value {
        let body = match self.source {
            Source::Personal => self.body.as_slice().into(),
            Source::Workspace => without_comments(&self.body),
        };
        let body = String::from_utf8_lossy(&body);
        let mut form = json!({
            "name": self.asked,
            "body": body.trim(),
            "files": self.dir.as_deref().map(children).unwrap_or_default(),
        });
        if let Some(dir) = &self.dir {
            form["dir"] = dir.to_string_lossy().into();
        }
        form
    }

    /// Returns the activation as vBot's tool message (V1): `{ok, error, data,
    /// artifacts}`, the content in a `<skill_content>` tag.
    #[must_use]
    pub fn to_vbot(&self) -> Value {
        json!({
            "ok": true,
            "error": null,
            "data": {"name": self.name, "status": "loaded", "content": self.vbot_content()},
            "artifacts": [],
        })
    }

    fn vbot_content(&self) -> String {
        let mut lines = vec![format!(
            "<skill_content name=\"{}\">",
            escape_xml(&self.name)
        )];
        let named = VBOT_FOLDERS.iter().flat_map(|folder| {
            self.resources
                .iter()
                .filter(move |name| name.starts_with(folder))
        });
        let named: Vec<String> = named.map(|name| format!("- {name}")).collect();
        if !named.is_empty() {
            lines.push("<resources>".to_owned());
            lines.extend(named);
            lines.push("</resources>".to_owned());
        }
        let dir = self.dir.as_deref().map(visible_path);
        let body = String::from_utf8_lossy(&self.body);
        lines.push(with_base_dir(body.trim(), dir.as_deref()).into_owned());
        lines.push("</skill_content>".to_owned());
        lines.join("\n")
    }
}

/// Returns the names of the direct children of `dir` but for SKILL.md, in byte
/// order; none if it cannot be listed.
fn children(dir: &Path) -> Vec<String> {
    let listed = |entry: fs::DirEntry| {
        let name = entry.file_name().to_string_lossy().into_owned();
        let is_folder = entry.file_type().is_ok_and(|kind| kind.is_dir());
        if is_folder { format!("{name}/") } else { name }
    };
    let mut names: Vec<String> = fs::read_dir(dir)
        .into_iter()
        .flatten()
        .flatten()
        .map(listed)
        .filter(|name| name != SKILL_FILE)
        .collect();
    names.sort_unstable();
    names
}

#[cfg(test)]
mod tests {
    use super::super::activation::Freshness;
    use super::super::test_folders::Folders;
    use super::*;

    fn map_kit() -> Folders {
        let folders = Folders::new();
        folders.skill(
            "home",
            "map-kit",
            " Make\n maps. ",
            "\n# Map\r\n<!-- why -->{baseDir}/scripts/run.sh\n",
        );
        for file in [
            "scripts/nested/helper.py",
            "scripts/run.py",
            "references/guide.md",
            "notes/x.md",
            ".env",
            "top.txt",
        ] {
            folders.write(&format!("home/.agents/skills/map-kit/{file}"), "x");
        }
        folders
    }

    fn activate(folders: &Folders, name: &str) -> Activation {
        folders.load().activate(name, Freshness::Fresh).unwrap()
    }

    #[test]
    fn albedo_gets_the_whole_file_and_the_exact_arguments() {
        let folders = map_kit();
        let file = folders.folder("home", "map-kit").join("SKILL.md");

        let form = activate(&folders, "map-kit")
            .to_albedo(" one  two ", &Limits::DEFAULT)
            .unwrap();

        assert_eq!(
            form,
            json!({
                "name": "map-kit",
                "description": "Make\n maps.",
                "source": file.to_str().unwrap(),
                "arguments": " one  two ",
                "instructions": std::fs::read_to_string(&file).unwrap(),
            })
        );
    }

    #[test]
    fn albedo_wants_utf8() {
        let folders = Folders::new();
        folders.write(
            "home/.agents/skills/odd/SKILL.md",
            b"---\nname: odd\ndescription: Odd.\n---\na\xff\n",
        );

        let error = activate(&folders, "odd")
            .to_albedo("", &Limits::DEFAULT)
            .unwrap_err();

        assert_eq!(error.code(), "skill_read_error");
        assert!(
            error
                .to_string()
                .contains("SKILL.md:5:2: error[invalid-utf8]: SKILL.md must be UTF-8 text"),
            "{error}"
        );
    }

    #[test]
    fn coder_gets_a_body_without_comments_and_the_direct_children() {
        let folders = map_kit();
        let dir = folders.folder("home", "map-kit");

        let form = activate(&folders, "workspace/map-kit").to_coder();

        assert_eq!(
            form,
            json!({
                "name": "workspace/map-kit",
                "dir": dir.to_str().unwrap(),
                "body": "# Map\r\n{baseDir}/scripts/run.sh",
                "files": [".env", "notes/", "references/", "scripts/", "top.txt"],
            })
        );
    }

    #[test]
    fn coder_gets_neither_dir_nor_files_of_a_personal_skill() {
        let folders = map_kit();
        let mut activation = activate(&folders, "map-kit");
        activation.dir = None;

        let form = activation.to_coder();

        assert_eq!(form["files"], json!([]));
        assert!(form.get("dir").is_none());
    }

    #[test]
    fn vbot_gets_its_own_wrapper() {
        let folders = map_kit();
        let dir = folders.folder("home", "map-kit");

        let form = activate(&folders, "map-kit").to_vbot();

        assert_eq!(form["ok"], true);
        assert_eq!(form["data"]["status"], "loaded");
        assert_eq!(form["artifacts"], json!([]));
        assert_eq!(
            form["data"]["content"],
            format!(
                "<skill_content name=\"map-kit\">\n<resources>\n- scripts/nested/helper.py\n- scripts/run.py\n\
                 - references/guide.md\n</resources>\n# Map\r\n<!-- why -->{}/scripts/run.sh\n</skill_content>",
                dir.display()
            )
        );
    }

    #[test]
    fn vbot_escapes_the_name() {
        let folders = Folders::new();
        folders.skill("home", "bad\" name><tag", "Bad.", "Body.");

        let form = activate(&folders, "bad\" name><tag").to_vbot();

        assert_eq!(
            form["data"]["content"],
            "<skill_content name=\"bad&quot; name&gt;&lt;tag\">\nBody.\n</skill_content>"
        );
    }
}
