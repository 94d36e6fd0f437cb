//! One skill: what its SKILL.md says, whether it loads, what it bundles.

pub mod frontmatter;
pub mod loading;
pub mod profile;
pub mod resources;
