//! Agent Skills: find them, switch them on and off per scope, explain why.

pub mod diagnostic;
pub mod discovery;
pub mod env;
pub mod limits;
pub mod name;
pub mod scope;
pub mod skill;
pub mod text;

pub use diagnostic::{Diagnostic, Rule, Severity, Span};
pub use discovery::broken::Broken;
pub use discovery::conversation::{Conversation, ConversationError};
pub use discovery::project::Project;
pub use discovery::roots::{Origin, Root};
pub use discovery::scan::{LookedAt, RootOutcome, Skill};
pub use discovery::snapshot::{DiscoveryError, Lookup, NoScope, Snapshot};
pub use env::{Allowed, Env};
pub use limits::Limits;
pub use name::{Source, split_qualified};
pub use scope::{
    Cause, Change, Decision, Decisions, Edited, Fault, Missing, Outcome, Preview, Resolution,
    Scope, ScopePath, Scopes, State, Step, StoreError, Subject, resolve,
};
