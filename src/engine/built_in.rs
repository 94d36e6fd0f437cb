//! The engine's own slash commands: one table, from which the reserved names,
//! the help and the dispatch of a host follow.

/// A command of the engine's own. A skill of such a name is `/skill:name`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum BuiltIn {
    /// Says which commands there are.
    Help,
    /// Lists the skills.
    Skills,
    /// Explains the state of one.
    Why,
    /// Reads the skills again.
    Reload,
    /// Puts a summary in the place of what was said.
    Compact,
    /// Attaches a folder.
    Folder,
    /// Ends the chat.
    Quit,
}

impl BuiltIn {
    /// Every command, in the order of the help.
    pub const ALL: [Self; 7] = [
        Self::Help,
        Self::Skills,
        Self::Why,
        Self::Reload,
        Self::Compact,
        Self::Folder,
        Self::Quit,
    ];

    /// The names that skills cannot have as commands of their own.
    pub const RESERVED: [&'static str; 7] = {
        let mut names = [""; 7];
        let mut at = 0;
        while at < names.len() {
            names[at] = Self::ALL[at].name();
            at += 1;
        }
        names
    };

    /// Returns the command called `name`, without its slash.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|command| command.name() == name)
    }

    /// Returns the name, without its slash.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Help => "help",
            Self::Skills => "skills",
            Self::Why => "why",
            Self::Reload => "reload",
            Self::Compact => "compact",
            Self::Folder => "folder",
            Self::Quit => "quit",
        }
    }

    /// Returns what is typed behind it.
    #[must_use]
    pub fn arguments(self) -> Option<&'static str> {
        match self {
            Self::Why => Some("NAME"),
            Self::Folder => Some("DIR"),
            _ => None,
        }
    }

    /// Returns what it does, as a line of the help.
    #[must_use]
    pub fn about(self) -> &'static str {
        match self {
            Self::Help => "list the commands",
            Self::Skills => "list the skills, and how often each was used here",
            Self::Why => "explain why a skill is on or off",
            Self::Reload => "read the skills again",
            Self::Compact => "put a summary in the place of what was said",
            Self::Folder => "attach a folder to this conversation",
            Self::Quit => "end the chat; Ctrl-D does too",
        }
    }

    /// Returns whether it is about skills, and so absent where there are none.
    #[must_use]
    pub fn is_about_skills(self) -> bool {
        matches!(self, Self::Skills | Self::Why | Self::Reload)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_command_is_found_by_its_name() {
        for command in BuiltIn::ALL {
            assert_eq!(BuiltIn::named(command.name()), Some(command));
        }
        assert_eq!(BuiltIn::RESERVED, BuiltIn::ALL.map(BuiltIn::name));
        assert_eq!(BuiltIn::named("pdf"), None);
    }
}
