//! Agent Skills: find them, switch them on and off per scope, explain why.
//!
//! An Agent Skill is a folder with a `SKILL.md`. This library finds skills
//! under the roots that agents use, resolves which ones are on here and now,
//! edits the scope files that decide it, and renders what a model gets. The
//! program `codeaf-skills` and any engine that embeds the library call the same
//! functions; no rule is written twice.
//!
//! # The map
//!
//! A room uses the rooms above it in this table, never those below.
//!
//! | room | answers |
//! | --- | --- |
//! | [`diagnostic`], [`env`](mod@env), [`limits`], [`text`], [`name`] | what is a finding, where do we start, how much is read, what may reach a terminal, what is near a name |
//! | [`skill`] | what does one SKILL.md say, does it load, what would each agent system do with it, what does it bundle |
//! | [`scope`] | who decided: the scope files, the one rule, the write path |
//! | [`personal`] | what a personal skill is, and what a store of them must do |
//! | [`discovery`] | which skills are there: roots, scan, and the [`Snapshot`] over both |
//! | [`disclosure`] | what does the model get: catalog, `skill` tool, activation, slash commands |
//! | [`engine`] | a conversation that has skills: prompt, tools, transcript, compaction |
//! | `check` (a feature) | will this skill work, where, and how is it mended |
//!
//! `skill` and `scope` do not know each other, nor do `scope` and `personal`;
//! `personal` uses `skill`, because nothing else may read frontmatter. Nothing here prints, reads the
//! process's surroundings or exits: an [`Env`] is handed in, and values come
//! back. Only `skill/frontmatter` knows YAML, only `scope/store` writes a scope
//! file, only `disk` (not public) makes and replaces files, and only `text` decides
//! what is safe to show.
//!
//! # Example
//!
//! ```
//! use codeaf_skills::{CatalogForm, Change, Env, Freshness, Scope, Snapshot, scope};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let folder = tempfile::tempdir()?;
//! # let home = folder.path().join("home");
//! # let skill = home.join(".agents/skills/pdf-processing");
//! # std::fs::create_dir_all(&skill)?;
//! # std::fs::write(skill.join("SKILL.md"), "---\nname: pdf-processing\ndescription: Reads PDF files.\n---\nUse it.\n")?;
//! let mut env = Env::new(folder.path().join("project"));
//! env.home = Some(home);
//!
//! let snapshot = Snapshot::load(&env)?;
//! let global = snapshot.scope_path(Scope::Global)?;
//! scope::edit(&global, &[Change::on("pdf-processing")], &env.limits)?;
//!
//! let snapshot = snapshot.with_fresh_scopes();
//! let catalog = snapshot.catalog().render(CatalogForm::Text, None)?;
//! assert!(catalog.text.contains("- pdf-processing (67 B): Reads PDF files."));
//!
//! let activation = snapshot.activate("pdf-processing", Freshness::Fresh)?;
//! assert_eq!(activation.instructions, "Use it.");
//! # Ok(())
//! # }
//! ```

#[cfg(feature = "check")]
pub mod check;
pub mod diagnostic;
pub mod disclosure;
pub mod discovery;
mod disk;
pub mod engine;
pub mod env;
mod hash;
mod json;
pub mod limits;
pub mod name;
pub mod personal;
pub mod scope;
pub mod skill;
pub mod text;

pub use diagnostic::{Diagnostic, Rule, Severity, Span};
pub use disclosure::{
    Activation, ActivationError, BudgetError, Catalog, CatalogForm, Commands, Freshness, Invoked,
    Ledger, Rendered, Reply, SlashCommand, ToolCall, Typed,
};
pub use discovery::broken::Broken;
pub use discovery::bundled::ResourceError;
pub use discovery::conversation::{Conversation, ConversationError};
pub use discovery::difference::{Difference, Digest};
pub use discovery::project::Project;
pub use discovery::roots::{Origin, Root};
pub use discovery::scan::{Kept, LookedAt, RootOutcome, Skill};
pub use discovery::snapshot::{DiscoveryError, Doubt, Doubts, Lookup, NoScope, Snapshot};
pub use env::{Allowed, Env, Secret, StoreChoice};
pub use limits::Limits;
pub use name::{Source, split_qualified};
pub use personal::{PersonalError, PersonalStore, StoreFault, StoreUrl};
pub use scope::{
    Cause, Change, Decision, Decisions, Edited, Fault, Missing, Outcome, Preview, Resolution,
    Scope, ScopePath, Scopes, State, Step, StoreError, Subject, resolve,
};
