//! The files that a skill bundles: a bounded listing, and pages of one file.
//!
//! Listing opens nothing. Reading cannot leave the skill's folder, whatever
//! happens to the links in it meanwhile. Both follow Albedo: its bounds, its
//! order of checks and its texts. This room knows neither SKILL.md's contents
//! nor whether the skill is on.

mod listing;
mod page;

pub use listing::{Listing, list, names};
pub use page::{Asked, Encoding, Page, ReadError, Window, read};
