//! `message[0]`: what the model is told before anything is said.
//!
//! Pure. The order is the prompt, standing orders, attached folders, the
//! catalog; what is absent leaves no trace.

use std::path::{Path, PathBuf};

use super::belt::Tool;
use super::tags::Tags;
use crate::text::{clean, visible_path};

/// The text of the engine's own. What stands between `{{name}}` and `{{/name}}`
/// is for the tool of that name, and only there while it is on the belt.
const SYSTEM: &str = include_str!("prompts/system.md");

/// Stands below the attached folders.
const ATTACHED: &str =
    "Being attached opens no files: those outside the working folder cannot be read.";

/// What `message[0]` is made from.
#[derive(Debug, Clone, Copy)]
pub(super) struct Prompt<'a> {
    pub(super) tags: &'a Tags,
    pub(super) belt: &'a [Tool],
    pub(super) working_folder: &'a Path,
    pub(super) standing: Option<&'a str>,
    pub(super) attached: &'a [PathBuf],
    pub(super) catalog: &'a str,
}

impl Prompt<'_> {
    /// Returns the text, byte for byte the same for the same parts.
    pub(super) fn render(&self) -> String {
        let standing = self.standing.map(clean);
        let standing = standing.as_deref().unwrap_or_default().trim();
        let parts = [
            &self.system(),
            standing,
            &self.folders(),
            self.catalog.trim_end(),
        ];
        let parts: Vec<&str> = parts.into_iter().filter(|part| !part.is_empty()).collect();
        parts.join("\n\n")
    }

    fn system(&self) -> String {
        let mut text = SYSTEM.trim_end().to_owned();
        for tool in Tool::ALL {
            let (open, close) = (
                format!("{{{{{}}}}}\n", tool.name()),
                format!("{{{{/{}}}}}", tool.name()),
            );
            let Some((before, rest)) = text.split_once(&open) else {
                continue;
            };
            let Some((block, after)) = rest.split_once(&close) else {
                continue;
            };
            text = if self.belt.contains(&tool) {
                format!("{before}\n{}{after}", block.trim_end())
            } else {
                format!("{}{after}", before.trim_end())
            };
        }
        self.tags
            .fill(&text)
            .replace("{{working_folder}}", &visible_path(self.working_folder))
    }

    fn folders(&self) -> String {
        let folders = self.attached.iter().map(|folder| visible_path(folder));
        let mut lines: Vec<String> = folders
            .map(|folder| format!("Attached folder: {folder}"))
            .collect();
        if !lines.is_empty() {
            lines.push(ATTACHED.to_owned());
        }
        lines.join("\n")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rendered(belt: &[Tool]) -> String {
        let prompt = Prompt {
            tags: &Tags::new(),
            belt,
            working_folder: Path::new("/work"),
            standing: None,
            attached: &[],
            catalog: "",
        };
        prompt.render()
    }

    /// Every set of tools.
    fn belts() -> Vec<Vec<Tool>> {
        (0..8)
            .map(|bits| {
                let is_in = |index: usize| bits >> index & 1 == 1;
                let tools = Tool::ALL.into_iter().enumerate();
                tools
                    .filter(|(index, _)| is_in(*index))
                    .map(|(_, tool)| tool)
                    .collect()
            })
            .collect()
    }

    #[test]
    fn the_prompt_names_the_tools_of_the_belt_and_no_other() {
        for belt in belts() {
            let text = rendered(&belt);

            for tool in Tool::ALL {
                let is_named = text.contains(&format!("`{}`", tool.name()));
                assert_eq!(
                    is_named,
                    belt.contains(&tool),
                    "{tool:?} of {belt:?}\n{text}"
                );
            }
            assert!(!text.contains("{{"), "{text}");
            assert!(!text.contains("\n\n\n"), "{text}");
        }
    }

    #[test]
    fn without_the_tool_there_is_no_word_on_skills() {
        for belt in belts() {
            let has_word = rendered(&belt).to_lowercase().contains("skill");
            assert_eq!(has_word, belt.contains(&Tool::Skill), "{belt:?}");
        }
    }

    #[test]
    fn the_parts_stand_in_their_order() {
        let attached = [PathBuf::from("/data/a"), PathBuf::from("/data/b\u{202e}")];
        let tags = Tags::known();
        let prompt = Prompt {
            tags: &tags,
            belt: &[Tool::Read],
            working_folder: Path::new("/work"),
            standing: Some("Speak plainly.\u{1b}[31m\n"),
            attached: &attached,
            catalog: "## Skills\n\n- a\n",
        };

        let text = prompt.render();

        assert!(text.contains("The working folder is /work."));
        assert!(text.contains("between <note-0123456789abcdef> and </note-0123456789abcdef>"));
        assert!(
            text.ends_with(
                "Speak plainly.\n\nAttached folder: /data/a\nAttached folder: /data/b\\u{202e}\n\
                 Being attached opens no files: those outside the working folder cannot be read.\n\n## Skills\n\n- a"
            ),
            "{text}"
        );
    }
}
