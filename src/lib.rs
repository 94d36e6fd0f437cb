//! Agent Skills: find them, switch them on and off per scope, explain why.

pub mod diagnostic;
pub mod limits;
pub mod name;
pub mod scope;
pub mod skill;
pub mod text;

pub use diagnostic::{Diagnostic, Rule, Severity, Span};
pub use limits::Limits;
pub use name::{Source, split_qualified};
pub use scope::{
    Cause, Change, Decisions, Resolution, Scope, ScopePath, Scopes, State, Subject, resolve,
};
