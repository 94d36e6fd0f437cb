//! Why a turn, or a command of a conversation, came to no end.

use super::built_in::BuiltIn;
use super::model::ModelError;
use super::transcript::TranscriptError;
use crate::disclosure::ActivationError;
use crate::discovery::conversation::ConversationError;
use crate::discovery::snapshot::DiscoveryError;
use crate::scope::StoreError;
use crate::text::visible;

/// Why the conversation could not do what was asked.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ChatError {
    /// Nobody named a conversation, and there is no home to keep one in.
    #[error("there is no home folder to keep the conversation in")]
    NoPlace,
    /// What was named is no conversation.
    #[error(transparent)]
    Conversation(#[from] ConversationError),
    /// The skills could not be looked for.
    #[error(transparent)]
    Discovery(#[from] DiscoveryError),
    /// `meta.json` could not be written.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The transcript could not be read or written.
    #[error(transparent)]
    Transcript(#[from] TranscriptError),
    /// A `/name` gave no skill.
    #[error(transparent)]
    Activation(#[from] ActivationError),
    /// The model gave no whole answer.
    #[error(transparent)]
    Model(#[from] ModelError),
    /// A command that is nobody's.
    #[error("there is no command `/{}`", visible(name))]
    NoSuchCommand {
        /// The command without its slash.
        name: String,
        /// Whether it only lacks the name of a skill.
        takes_a_name: bool,
    },
    /// Words stood behind a command that takes none; nothing was sent.
    #[error("`/{}` takes nothing behind it", command.name())]
    TakesNothing {
        /// The command.
        command: BuiltIn,
    },
    /// Everything that was said stays as it is.
    #[error("there is nothing to compact")]
    NothingToCompact,
    /// The model called tools without end.
    #[error("the model called tools {rounds} times in a row")]
    TooManyRounds {
        /// How often.
        rounds: usize,
    },
}

impl ChatError {
    /// Returns the stable code.
    #[must_use]
    pub fn code(&self) -> &'static str {
        match self {
            Self::NoPlace => "no_home",
            Self::Conversation(_) => "conversation_not_found",
            Self::Discovery(_) => "folder_not_found",
            Self::Store(_) => "scope_not_written",
            Self::Transcript(TranscriptError::Busy { .. }) => "conversation_busy",
            Self::Transcript(_) => "transcript",
            Self::Activation(error) => error.code(),
            Self::Model(ModelError::Stopped) => "stopped",
            Self::Model(_) => "model",
            Self::NoSuchCommand { .. } => "no_such_command",
            Self::TakesNothing { .. } => "takes_nothing",
            Self::NothingToCompact => "nothing_to_compact",
            Self::TooManyRounds { .. } => "too_many_rounds",
        }
    }

    /// Returns what to do about it, if there is something to type or change.
    #[must_use]
    pub fn help(&self) -> Option<String> {
        let help = match self {
            Self::NoPlace => "name a folder with --conversation, or set HOME",
            Self::Store(error) => return error.help(),
            Self::Activation(error) => return error.help().map(std::borrow::Cow::into_owned),
            Self::Model(ModelError::Failed { help, .. }) => return help.clone(),
            Self::Transcript(TranscriptError::Busy { .. }) => {
                "end the other chat, or go on in another conversation"
            }
            Self::Transcript(TranscriptError::TooLong { .. }) => "go on in a new conversation",
            Self::Transcript(TranscriptError::NotAFile { .. }) => {
                "move it away, or go on in another conversation"
            }
            Self::Transcript(_) => "see whether the disk is full, and who owns the file",
            Self::NoSuchCommand {
                takes_a_name: true, ..
            } => "a skill is called with /NAME, or with /skill:NAME",
            Self::NoSuchCommand { .. } => {
                "`/help` lists the commands; put a blank before the slash to send the line as it is"
            }
            Self::TakesNothing { command } => {
                let name = command.name();
                return Some(format!(
                    "type `/{name}` alone, or put a blank before the slash to send the line as it is"
                ));
            }
            Self::NothingToCompact => "a turn that is not over stays as it is",
            Self::TooManyRounds { .. } => "say how to go on, or ask otherwise",
            Self::Conversation(_) | Self::Discovery(_) | Self::Model(_) => return None,
        };
        Some(help.to_owned())
    }
}
