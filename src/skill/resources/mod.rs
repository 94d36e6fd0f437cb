//! The files that a skill bundles: a bounded listing, and pages of one file.
//!
//! Listing opens nothing. Reading cannot leave the skill's folder, whatever
//! happens to the links in it meanwhile. Both follow Albedo: its bounds, its
//! order of checks and its texts. This room knows neither SKILL.md's contents
//! nor whether the skill is on.

mod listing;
#[cfg(feature = "extension")]
mod media;
mod page;
mod stamp;
#[cfg(feature = "extension")]
mod whole;

pub use listing::{Listing, Tree, list, names, tree};
#[cfg(feature = "extension")]
pub use media::{Carried, media_type};
pub(crate) use page::plain;
pub use page::{Asked, Encoding, Page, ReadError, Window, page, read, read_bundled};
pub use stamp::Stamp;
#[cfg(feature = "extension")]
pub use whole::{Hashed, Sha256, look, read_whole, sha256, sha256_of};
