//! How each agent is told to start the server: which file, and what goes in.

use std::path::PathBuf;

use clap::ValueEnum;
use codeaf_skills::personal::StoreUrl;
use codeaf_skills::{Env, Secret};
use serde_json::json;

use crate::args::Globals;

/// An agent that speaks the protocol.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Agent {
    /// Claude Code
    ClaudeCode,
    /// Codex
    Codex,
    /// Gemini CLI
    GeminiCli,
    /// opencode
    Opencode,
    /// Goose
    Goose,
    /// VS Code
    Vscode,
    /// Cursor
    Cursor,
}

impl Agent {
    /// Returns the file that the block goes into.
    pub(crate) fn file(self) -> &'static str {
        self.setup().0
    }

    /// Returns the block, with its last line feed; `words` are those behind
    /// `codeaf-skills`.
    pub(crate) fn config(self, words: &[String]) -> String {
        // A text of JSON is one of TOML and of YAML as well.
        let words: Vec<String> = words.iter().map(|word| json!(word).to_string()).collect();
        self.setup()
            .1
            .replace("\"mcp\"]", &format!("{}]", words.join(", ")))
    }

    fn setup(self) -> (&'static str, &'static str) {
        match self {
            Self::ClaudeCode => (".mcp.json of the project", MCP_SERVERS_TYPED),
            Self::Codex => (
                "~/.codex/config.toml",
                "\
[mcp_servers.codeaf-skills]
command = \"codeaf-skills\"
args = [\"mcp\"]
",
            ),
            Self::GeminiCli => (
                "~/.gemini/settings.json, or .gemini/settings.json of the project",
                MCP_SERVERS,
            ),
            Self::Opencode => (
                "opencode.json of the project, or ~/.config/opencode/opencode.json; \
                 before version 2 the server stands directly under `mcp`, with `\"enabled\": true`",
                "\
{
  \"$schema\": \"https://opencode.ai/config.json\",
  \"mcp\": {
    \"servers\": {
      \"codeaf-skills\": {
        \"type\": \"local\",
        \"command\": [\"codeaf-skills\", \"mcp\"]
      }
    }
  }
}
",
            ),
            Self::Goose => (
                "~/.config/goose/config.yaml",
                "\
extensions:
  codeaf-skills:
    type: stdio
    name: codeaf-skills
    cmd: codeaf-skills
    args: [\"mcp\"]
    enabled: true
    timeout: 300
",
            ),
            Self::Vscode => (
                ".vscode/mcp.json of the project",
                "\
{
  \"servers\": {
    \"codeaf-skills\": {
      \"type\": \"stdio\",
      \"command\": \"codeaf-skills\",
      \"args\": [\"mcp\"]
    }
  }
}
",
            ),
            Self::Cursor => (
                "~/.cursor/mcp.json, or .cursor/mcp.json of the project",
                MCP_SERVERS,
            ),
        }
    }
}

const MCP_SERVERS: &str = "\
{
  \"mcpServers\": {
    \"codeaf-skills\": {
      \"command\": \"codeaf-skills\",
      \"args\": [\"mcp\"]
    }
  }
}
";

const MCP_SERVERS_TYPED: &str = "\
{
  \"mcpServers\": {
    \"codeaf-skills\": {
      \"type\": \"stdio\",
      \"command\": \"codeaf-skills\",
      \"args\": [\"mcp\"]
    }
  }
}
";

/// Returns what the server is to be started with where the program was started
/// with `globals`: all that says what is served, with paths from no folder.
pub(crate) fn words(globals: &Globals, env: &Env) -> Vec<String> {
    let mut words = Vec::new();
    let mut say = |flag: &str, value: String| words.extend([flag.to_owned(), value]);
    let path = |path: &PathBuf| env.absolute(path).to_string_lossy().into_owned();
    if globals.start.is_some() {
        say("-C", env.start.to_string_lossy().into_owned());
    }
    if let Some(conversation) = &globals.conversation {
        // An id is no path.
        let is_id = conversation.components().count() == 1 && !env.absolute(conversation).exists();
        let said = if is_id {
            conversation.to_string_lossy().into_owned()
        } else {
            path(conversation)
        };
        say("--conversation", said);
    }
    for folder in &globals.folders {
        say("--folder", path(folder));
    }
    for root in &globals.skills_dirs {
        say("--skills-dir", path(root));
    }
    if let Some(list) = &globals.allowed_skills {
        say("--allowed-skills", list.clone());
    }
    let store = globals.store.as_ref();
    let store = store.and_then(|url| match StoreUrl::parse(url, env) {
        Ok(StoreUrl::Sqlite(file)) => Some(format!("sqlite:{}", file.display())),
        _ => Secret(url.clone()).without_password(),
    });
    if let Some(url) = store {
        say("--store", url);
    }
    let switches = [
        ("--ignore-project-on", globals.ignore_project_on),
        ("--require-store", globals.require_store),
    ];
    let switches = switches.into_iter().filter(|(_, is_on)| *is_on);
    words.extend(switches.map(|(flag, _)| flag.to_owned()));
    words.push("mcp".to_owned());
    words
}
