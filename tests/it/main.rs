//! The program as its users meet it: real folders, a real process, its words.
//!
//! What a rule decides is tested beside the rule; here it is tested that the
//! rules reach the command line, that writes hold under rivals, crashes and
//! failing calls, and that the house keeps its order.
//!
//! To run one theme: `cargo test --test it scopes::`.

#![allow(
    clippy::unwrap_used,
    clippy::disallowed_methods,
    reason = "tests stop at the first surprise, and read their own surroundings"
)]

mod sandbox;

mod broken_skills;
mod catalog;
#[cfg(feature = "chat")]
mod chat;
mod check;
mod ci_files;
mod clear;
mod completions;
mod decide;
mod demo;
mod edges;
mod failing_calls;
mod help;
mod hostile;
mod house;
mod json;
mod json_schema;
mod list;
mod list_profile;
mod matrix;
#[cfg(feature = "mcp")]
mod mcp;
#[cfg(feature = "mcp")]
mod mcp_http;
mod mutations;
#[cfg(feature = "personal")]
mod personal;
mod places;
#[cfg(feature = "personal-postgres")]
mod postgres;
mod races;
mod random;
mod reading;
mod readme;
mod rule_fixtures;
mod rules;
mod sarif;
mod scopes;
mod targets;
mod why;
