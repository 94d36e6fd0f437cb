//! How each agent is told to start the server: which file, and what goes in.

use std::path::Path;

use clap::ValueEnum;
use codeaf_skills::Env;
use codeaf_skills::personal::{StoreUrl, without_passwords};
use serde_json::json;

use crate::args::Globals;
use crate::failure::Failure;
use crate::render::Console;

/// Prints what tells `agent` to start the server as it would serve now.
pub(crate) fn print(
    agent: Agent,
    globals: &Globals,
    env: &Env,
    console: &mut Console,
) -> Result<(), Failure> {
    let flags = serving_flags(globals, env)?;
    console.note(format!("note: this goes into {}", agent.file()));
    if console.places.lacks_password {
        console.note("note: the password of the store is left out: give the server PGPASSWORD");
    }
    let config = agent.config(&flags);
    if console.json {
        let answer = json!({"version": 1, "file": agent.file(), "config": config});
        return Ok(console.json(&answer)?);
    }
    Ok(console.write(&config)?)
}

/// Returns the flags that decide what is served, as they mean the same in every
/// working folder, and without a password.
fn serving_flags(globals: &Globals, env: &Env) -> Result<Vec<String>, Failure> {
    let mut flags = Vec::new();
    if globals.start.is_some() {
        flags.extend(["-C".to_owned(), text(&env.start)?]);
    }
    if let Some(conversation) = &globals.conversation {
        // It can be an id instead of a path.
        let place = env.absolute(conversation);
        let named = if place.exists() { &place } else { conversation };
        flags.extend(["--conversation".to_owned(), text(named)?]);
    }
    for (flag, folders) in [
        ("--folder", &globals.folders),
        ("--skills-dir", &globals.skills_dirs),
    ] {
        for folder in folders {
            flags.extend([flag.to_owned(), text(&env.absolute(folder))?]);
        }
    }
    if let Some(url) = &globals.store {
        let url = match StoreUrl::parse(url, env) {
            Ok(StoreUrl::Sqlite(path)) => format!("sqlite:{}", text(&path)?),
            _ => without_passwords(url),
        };
        flags.extend(["--store".to_owned(), url]);
    }
    if let Some(allowed) = &globals.allowed_skills {
        flags.extend(["--allowed-skills".to_owned(), allowed.clone()]);
    }
    let switches = [
        ("--require-store", globals.require_store),
        ("--ignore-project-on", globals.ignore_project_on),
    ];
    let switches = switches.iter().filter(|(_, is_given)| *is_given);
    flags.extend(switches.map(|(flag, _)| (*flag).to_owned()));
    Ok(flags)
}

/// Refuses a path that a file of settings cannot hold.
fn text(path: &Path) -> Result<String, Failure> {
    path.to_str().map(ToOwned::to_owned).ok_or_else(|| {
        Failure::usage(format!("{} is no text in UTF-8", path.display()))
            .help("rename it, or name another path")
    })
}

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
    fn file(self) -> &'static str {
        self.setup().0
    }

    /// Returns the block, with its last line feed. The server is started with
    /// `flags`.
    fn config(self, flags: &[String]) -> String {
        // What quotes a text in JSON quotes it in TOML and YAML too.
        let flags = flags.iter().map(|flag| format!(", {}", json!(flag)));
        let flags: String = flags.collect();
        let block = self.setup().1;
        ["\"mcp\"]", "[mcp]"]
            .iter()
            .fold(block.to_owned(), |block, list| {
                let more = format!("{}{flags}]", list.trim_end_matches(']'));
                block.replace(list, &more)
            })
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
    args: [mcp]
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_agent_starts_the_server_with_the_flags() {
        let flags = ["--store".to_owned(), "sqlite:/a \"b\".db".to_owned()];

        for agent in Agent::value_variants() {
            let block = agent.config(&flags);
            let said = r#"mcp, "--store", "sqlite:/a \"b\".db"]"#;
            assert!(block.replace("\"mcp\"", "mcp").contains(said), "{block}");
            let server = agent.config(&[]);
            assert_eq!(server, agent.setup().1);
        }
    }
}
