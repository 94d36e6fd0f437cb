//! The skill's own folder, asked about names.

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};

use crate::discovery::skill_file::SKILL_FILE;
use crate::limits::Limits;
use crate::name;
use crate::text::nfc;

/// Whether this system takes `GUIDE.md` for `guide.md`.
const CASE_BLIND: bool = cfg!(target_os = "macos");

/// The folder of one skill, and what was read of it so far.
pub(in crate::check) struct Folder {
    path: PathBuf,
    /// Entries of a folder that are read at most, and names that are looked for;
    /// more entries give no suggestion.
    most: usize,
    names: HashMap<PathBuf, Vec<String>>,
    contents: Option<Contents>,
}

/// What a folder holds at its top.
#[derive(Clone, Copy)]
struct Contents {
    /// Whether there is a folder.
    folders: bool,
    /// Whether there is anything but a SKILL.md and what is hidden.
    more: bool,
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
    pub(in crate::check) fn new(path: &Path, limits: &Limits) -> Self {
        Self {
            path: path.to_path_buf(),
            most: limits.walked_entries,
            names: HashMap::new(),
            contents: None,
        }
    }

    /// Returns how many names are looked for at most.
    pub(super) fn most(&self) -> usize {
        self.most
    }

    /// Whether there is a folder in it.
    pub(super) fn has_folders(&mut self) -> bool {
        self.contents().folders
    }

    /// Whether there is anything in it but a SKILL.md and what is hidden; also
    /// where that cannot be found out.
    pub(in crate::check) fn has_more(&mut self) -> bool {
        self.contents().more
    }

    fn contents(&mut self) -> Contents {
        let (path, most) = (&self.path, self.most);
        *self.contents.get_or_insert_with(|| look_into(path, most))
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

fn look_into(path: &Path, most: usize) -> Contents {
    let mut contents = Contents {
        folders: false,
        more: false,
    };
    let Ok(entries) = fs::read_dir(path) else {
        contents.more = true;
        return contents;
    };
    for entry in entries.take(most) {
        let Ok(entry) = entry else {
            contents.more = true;
            continue;
        };
        let name = entry.file_name();
        contents.more |= name != SKILL_FILE && !name.as_encoded_bytes().starts_with(b".");
        // `metadata` of the path follows links, that of the entry does not.
        contents.folders |= match entry.file_type() {
            Ok(kind) if kind.is_symlink() => entry.path().is_dir(),
            kind => kind.is_ok_and(|kind| kind.is_dir()),
        };
        if contents.folders && contents.more {
            break;
        }
    }
    contents
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
