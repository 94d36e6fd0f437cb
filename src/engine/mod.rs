//! A reference engine over the rooms before it: a conversation of a person with
//! a model that has skills.
//!
//! It keeps the transcript, renders `message[0]`, offers the tools of the belt,
//! answers their calls, loads once, compacts. It holds no HTTP client and no
//! terminal: a host brings a [`Model`] and shows [`Event`]s.
//!
//! # Example
//!
//! A model that calls `skill`, and then says what it got:
//!
//! ```
//! use codeaf_skills::engine::{Answer, Call, Chat, Event, Model, ModelError, Request, Settings};
//! use codeaf_skills::{Change, Env, Scope, Snapshot, scope};
//!
//! struct Scripted;
//!
//! impl Model for Scripted {
//!     fn answer(
//!         &mut self,
//!         request: Request<'_>,
//!         heard: &mut dyn FnMut(&str),
//!     ) -> Result<Answer, ModelError> {
//!         // A client of your own sends `request.body("a-model")`, and gives what
//!         // it gets to a `Decoder`.
//!         let last = request.messages.last().expect("there is a message");
//!         if last["role"] == "tool" {
//!             heard("Done.");
//!             return Ok(Answer { text: "Done.".to_owned(), ..Answer::default() });
//!         }
//!         let call = Call {
//!             id: "1".to_owned(),
//!             name: "skill".to_owned(),
//!             arguments: r#"{"name": "pdf"}"#.to_owned(),
//!         };
//!         Ok(Answer { calls: vec![call], ..Answer::default() })
//!     }
//! }
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let temporary = tempfile::tempdir()?;
//! # let top = temporary.path().canonicalize()?;
//! # let skill = top.join("home/.agents/skills/pdf");
//! # std::fs::create_dir_all(&skill)?;
//! # std::fs::write(skill.join("SKILL.md"), "---\nname: pdf\ndescription: Reads PDF files.\n---\nUse it.\n")?;
//! let mut env = Env::new(&top);
//! env.home = Some(top.join("home"));
//! env.conversation = Some(top.join("conversation"));
//! let mut chat = Chat::open(&env, Settings::default())?;
//!
//! // In another process, perhaps: it counts from the next turn on.
//! let global = chat.snapshot().scope_path(Scope::Global)?;
//! scope::edit(&global, &[Change::on("pdf")], &env.limits)?;
//!
//! let mut shown = Vec::new();
//! chat.say("Fill this form.", &mut Scripted, &mut |event| match event {
//!     Event::Text(text) => shown.push(text.to_owned()),
//!     Event::Row(row) => shown.push(row.to_owned()),
//!     _ => {}
//! })?;
//!
//! assert_eq!(shown, ["used skill pdf · 56 B", "Done."]);
//! # Ok(())
//! # }
//! ```

mod belt;
mod built_in;
mod changes;
mod compaction;
mod conversation;
mod error;
mod files;
pub mod manual;
mod messages;
mod model;
mod place;
mod prompt;
mod stream;
mod summary;
mod tags;
mod telling;
#[cfg(test)]
mod test_entries;
mod transcript;

pub use belt::Tool;
pub use built_in::BuiltIn;
pub use conversation::{Chat, Event, Input, Settings};
pub use error::ChatError;
pub use model::{Answer, Call, Model, ModelError, Request};
pub use stream::{Decoder, WireError, server_words};
pub use transcript::{Entry, TRANSCRIPT_FILE, TranscriptError, activations};
