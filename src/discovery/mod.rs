//! Many skills: which folders are looked at, what is found in them, and the
//! immutable view that everything else reads.

mod as_profile;
pub mod broken;
pub mod bundled;
pub mod conversation;
pub mod difference;
pub mod personal;
pub mod project;
pub mod roots;
pub mod scan;
pub mod skill_file;
pub mod snapshot;

#[cfg(test)]
mod tests;
