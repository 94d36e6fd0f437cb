//! Every bound of the library in one place, each with its reason.
//!
//! A bound that bites is never silent: whoever stops at one leaves a
//! diagnostic with the count that was left out.

use std::time::Duration;

/// Bounds on what is read, listed and kept. An engine may set its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Entries looked at in each root; of its own, so that what a repository
    /// ships leaves the user's roots as they are. Far above what people own
    /// (hundreds), low enough that a root that is a whole disk ends in a second.
    pub candidates: usize,
    /// Bytes of frontmatter, fences counted (Albedo and coder: 65,536).
    pub frontmatter_bytes: usize,
    /// Levels of YAML nesting. Real files use three; the YAML library's own
    /// bound of 128 costs it half a second to reach.
    pub yaml_depth: usize,
    /// YAML values, keys among them, after aliases are put in. Real frontmatter
    /// has under a hundred; the 60,000 that its bytes have room for cost the
    /// YAML library a tenth of a second each time that an agent is asked.
    pub yaml_values: usize,
    /// Bytes of YAML text after aliases are put in; as above, for long texts.
    pub yaml_text_bytes: usize,
    /// Bytes of one SKILL.md (Albedo: 1,048,576).
    pub skill_bytes: usize,
    /// Bytes of a name (coder: `MaxPersonalSkillNameBytes`).
    pub name_bytes: usize,
    /// Bytes of one bundled file (Albedo: 16,777,216).
    pub resource_bytes: u64,
    /// Bundled files listed (Albedo: 512).
    pub resources: usize,
    /// Entries walked while listing (Albedo: 2,048).
    pub walked_entries: usize,
    /// Depth of folders while listing (Albedo: 16).
    pub walk_depth: usize,
    /// Entries walked where the whole of a skill's folder is asked for. Thousands
    /// are real; a folder of more is a disk that somebody linked.
    pub tree_entries: usize,
    /// Depth of folders where the whole is asked for.
    pub tree_depth: usize,
    /// Bytes of all files of a skill that are hashed. No host need take more than
    /// 16 MiB (SEP-2640); sixteen times as much is hashed in a second, and one
    /// sparse file of a terabyte would take hours.
    pub tree_bytes: u64,
    /// Bytes of a page when nothing is asked (Albedo: 16,384).
    pub page_bytes: usize,
    /// Bytes of a page at most (Albedo: 65,536).
    pub page_bytes_max: usize,
    /// Diagnostics at the end of a catalog (Albedo: 64).
    pub catalog_diagnostics: usize,
    /// Folders entered while a repository is searched for skills. The largest
    /// public repositories have some 50,000.
    pub searched_folders: usize,
    /// Names in the two lists of one scope file: as many as skills are looked
    /// at, and few enough that a repository's file cannot cost gigabytes.
    pub decisions: usize,
    /// Bytes of a scope file. A `meta.json` is some kilobytes; a file of many
    /// megabytes is not one.
    pub scope_bytes: u64,
    /// Bytes of a conversation's transcript: some ten thousand long turns. What
    /// is over it could not be held in memory several times, as it must be.
    pub transcript_bytes: u64,
    /// Bytes of one answer of a model, as they come over the wire: far above
    /// what any model writes, and little enough to hold.
    pub answer_bytes: usize,
    /// Answers of a model in a row that call tools, before the person is asked
    /// again: real work takes a dozen, a model that goes in circles has no end.
    pub tool_rounds: usize,
    /// Tokens of a conversation at which it is compacted where nobody says
    /// otherwise: models of today take at least 128,000.
    pub context_tokens: usize,
    /// Tokens of the latest turns that stay as they are when the rest is
    /// summarised; at most a quarter of the budget (codeaf: about 20,000).
    pub kept_tokens: usize,
    /// How long a model's server may say nothing: large models think for
    /// minutes before the first word.
    pub model_patience: Duration,
    /// Bytes of standing orders. They go with every request; more than this is
    /// a file that was named by mistake.
    pub standing_bytes: u64,
    /// How long a write waits for the lock on a scope file's folder. A write
    /// holds it for milliseconds, so only a program that is stuck, or that locks
    /// the folder for itself, lets anybody wait this long.
    pub lock_patience: Duration,
    /// How long a store of personal skills is waited for before it counts as
    /// away. A person waits for `list` with each prompt; a local database
    /// answers in a millisecond, one across an ocean in three round trips.
    pub store_patience: Duration,
}

/// Bounds of personal skills: an engine cannot set them, because the stores
/// hold them too.
impl Limits {
    /// Bytes of the text of a personal skill (coder: `MaxPersonalSkillSizeBytes`).
    pub const PERSONAL_TEXT_BYTES: usize = 65_536;
    /// Bytes of its name (coder: `MaxPersonalSkillNameBytes`).
    pub const PERSONAL_NAME_BYTES: usize = 256;
    /// Bytes of its description (coder: `MaxPersonalSkillDescriptionBytes`).
    pub const PERSONAL_DESCRIPTION_BYTES: usize = 4_096;
    /// Personal skills of one user (coder: `MaxPersonalSkillsPerUser`).
    pub const PERSONAL_SKILLS: usize = 100;
}

impl Limits {
    /// The bounds of the profile `codeaf`.
    pub const DEFAULT: Self = Self {
        candidates: 16_384,
        frontmatter_bytes: 65_536,
        yaml_depth: 64,
        yaml_values: 8_192,
        yaml_text_bytes: 1_048_576,
        skill_bytes: 1_048_576,
        name_bytes: 256,
        resource_bytes: 16_777_216,
        resources: 512,
        walked_entries: 2_048,
        walk_depth: 16,
        tree_entries: 65_536,
        tree_depth: 64,
        tree_bytes: 268_435_456,
        page_bytes: 16_384,
        page_bytes_max: 65_536,
        catalog_diagnostics: 64,
        searched_folders: 262_144,
        decisions: 16_384,
        scope_bytes: 4_194_304,
        transcript_bytes: 268_435_456,
        answer_bytes: 16_777_216,
        tool_rounds: 64,
        context_tokens: 100_000,
        kept_tokens: 20_000,
        model_patience: Duration::from_secs(300),
        standing_bytes: 262_144,
        lock_patience: Duration::from_secs(30),
        store_patience: Duration::from_secs(2),
    };
}

impl Default for Limits {
    fn default() -> Self {
        Self::DEFAULT
    }
}
