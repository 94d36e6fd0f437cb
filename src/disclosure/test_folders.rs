//! Real folders for the tests of this room.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::discovery::snapshot::Snapshot;
use crate::env::Env;
use crate::personal::test_store::Store;

/// A home and a project in a temporary folder.
pub(super) struct Folders {
    _temporary: tempfile::TempDir,
    pub(super) top: PathBuf,
    pub(super) env: Env,
}

impl Folders {
    pub(super) fn new() -> Self {
        let temporary = tempfile::tempdir().unwrap();
        let top = temporary.path().canonicalize().unwrap();
        for folder in ["home", "project/.codeaf"] {
            fs::create_dir_all(top.join(folder)).unwrap();
        }
        let mut env = Env::new(top.join("project"));
        env.home = Some(top.join("home"));
        env.login_home = env.home.clone();
        Self {
            _temporary: temporary,
            top,
            env,
        }
    }

    pub(super) fn write(&self, path: &str, text: impl AsRef<[u8]>) -> &Self {
        let path = self.top.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
        self
    }

    /// Writes a SKILL.md; `base` is `home` or `project`.
    pub(super) fn skill(&self, base: &str, name: &str, description: &str, body: &str) -> &Self {
        let name_text = serde_json::to_string(name).unwrap();
        let description = serde_json::to_string(description).unwrap();
        self.write(
            &format!("{base}/.agents/skills/{name}/SKILL.md"),
            format!("---\nname: {name_text}\ndescription: {description}\n---\n{body}"),
        )
    }

    pub(super) fn global(&self, json: &str) -> &Self {
        self.write("home/.codeaf/skills.json", json)
    }

    pub(super) fn project(&self, json: &str) -> &Self {
        self.write("project/.codeaf/skills.json", json)
    }

    pub(super) fn folder(&self, base: &str, name: &str) -> PathBuf {
        self.top.join(base).join(".agents/skills").join(name)
    }

    pub(super) fn remove(&self, path: impl AsRef<Path>) {
        fs::remove_dir_all(self.top.join(path)).unwrap();
    }

    pub(super) fn load(&self) -> Snapshot {
        Snapshot::load(&self.env).unwrap()
    }

    pub(super) fn load_with(&self, store: &Arc<Store>) -> Snapshot {
        Snapshot::load_with_store(&self.env, Arc::clone(store) as _).unwrap()
    }
}
