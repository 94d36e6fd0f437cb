//! The hasher of maps and digests that every listing makes.
//!
//! Its keys come from files of others; that somebody makes many of them meet in
//! one place is held off by a seed of its own for each process, and by the bounds
//! on how many there are.

use std::collections::{HashMap, HashSet};
use std::hash::{BuildHasher, Hash};

use foldhash::fast::{FixedState, RandomState};

/// A map whose order nobody asks for.
pub(crate) type Map<K, V> = HashMap<K, V, RandomState>;

/// A set whose order nobody asks for.
pub(crate) type Set<T> = HashSet<T, RandomState>;

/// Returns the same number for equal contents, in every process of one build.
pub(crate) fn of<T: Hash + ?Sized>(content: &T) -> u64 {
    FixedState::default().hash_one(content)
}
