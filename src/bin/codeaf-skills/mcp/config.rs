//! How each agent is told to start the server: which file, and what goes in.

use clap::ValueEnum;

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

    /// Returns the block, with its last line feed.
    pub(crate) fn config(self) -> &'static str {
        self.setup().1
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
