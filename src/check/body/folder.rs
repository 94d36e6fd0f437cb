//! The skill's own folder, asked about names.

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};

use crate::limits::Limits;
use crate::name;
use crate::text::nfc;

/// Whether this system takes `GUIDE.md` for `guide.md`.
const CASE_BLIND: bool = cfg!(target_os = "macos");

/// The folder of one skill, and what was read of it so far.
pub(super) struct Folder {
    path: PathBuf,
    /// Entries of a folder that are read at most; more give no suggestion.
    most: usize,
    names: HashMap<PathBuf, Vec<String>>,
    has_folders: Option<bool>,
}

/// What is at a path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Found {
    /// A file or a folder of this very name.
    There,
    /// One whose name differs in case, or in how accents are composed.
    Otherwise(String),
    /// Nothing; perhaps a near name.
    Nothing(Option<String>),
}

impl Folder {
    pub(super) fn new(path: &Path, limits: &Limits) -> Self {
        Self {
            path: path.to_path_buf(),
            most: limits.walked_entries,
            names: HashMap::new(),
            has_folders: None,
        }
    }

    /// Whether there is a folder in it.
    pub(super) fn has_folders(&mut self) -> bool {
        let (path, most) = (&self.path, self.most);
        *self.has_folders.get_or_insert_with(|| {
            fs::read_dir(path).is_ok_and(|entries| {
                let mut entries = entries.flatten().take(most);
                // `metadata` of the path follows links, that of the entry does not.
                entries.any(|entry| match entry.file_type() {
                    Ok(kind) if kind.is_symlink() => entry.path().is_dir(),
                    kind => kind.is_ok_and(|kind| kind.is_dir()),
                })
            })
        })
    }

    /// Whether `name` is a folder in it.
    pub(super) fn is_top_folder(&mut self, name: &str) -> bool {
        self.has_folders() && self.path.join(name).is_dir()
    }

    /// Looks for `path`, names with `/` between them and none of them `.` or
    /// `..`.
    pub(super) fn look_for(&mut self, path: &str) -> Found {
        if !CASE_BLIND && self.path.join(path).exists() {
            return Found::There;
        }
        let mut real = String::new();
        for name in path.split('/').filter(|name| !name.is_empty()) {
            let folder = self.path.join(&real);
            let names = self.names_in(&folder);
            let fits = |known: &&String| **known == name || folded(known) == folded(name);
            let exact = names.iter().find(|known| **known == name);
            let Some(known) = exact.or_else(|| names.iter().find(fits)) else {
                let near = name::near(name, names.iter().map(String::as_str));
                let near = near.first().map(|near| joined(&real, near));
                return Found::Nothing(near);
            };
            real = joined(&real, known);
        }
        // A link to nothing has a name and no file.
        if !self.path.join(&real).exists() {
            Found::Nothing(None)
        } else if real == path.trim_end_matches('/') {
            Found::There
        } else {
            Found::Otherwise(real)
        }
    }

    fn names_in(&mut self, folder: &Path) -> &[String] {
        let most = self.most;
        self.names.entry(folder.to_path_buf()).or_insert_with(|| {
            let entries = fs::read_dir(folder).into_iter().flatten().flatten();
            let mut names: Vec<String> = entries
                .take(most)
                .filter_map(|entry| entry.file_name().into_string().ok())
                .collect();
            names.sort_unstable();
            names
        })
    }
}

fn joined(folder: &str, name: &str) -> String {
    if folder.is_empty() {
        name.to_owned()
    } else {
        format!("{folder}/{name}")
    }
}

fn folded(name: &str) -> String {
    nfc(name).to_lowercase()
}
