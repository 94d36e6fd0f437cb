//! Which files hold other bytes than before. Stamps tell where they are the
//! same; a file is read only where its stamp is new and its size is not, so that
//! one that was touched is no news.

use std::collections::HashMap;
use std::mem;

use codeaf_skills::Snapshot;
use codeaf_skills::disclosure::{Served, SkillEntry};
use codeaf_skills::skill::resources::{Hashed, Sha256, Stamp};

/// What is known of the files that were shown last, by their addresses.
#[derive(Debug, Default)]
pub(super) struct Contents {
    known: HashMap<String, Known>,
}

#[derive(Debug, Clone, Copy)]
struct Known {
    /// As the file was looked at last.
    seen: Stamp,
    /// As it was when it got the bytes that it has: it stands for them.
    shown: Stamp,
    digest: Option<Sha256>,
}

impl Contents {
    /// Gives each file the stamp that stands for its bytes, of which nothing is
    /// read where nobody wrote.
    pub(super) fn settle(&mut self, snapshot: &Snapshot, served: &mut [Served]) {
        let mut before = mem::take(&mut self.known);
        for file in served {
            let Some(stamp) = file.stamp else {
                continue;
            };
            let (uri, known) = match before.remove_entry(&file.uri) {
                Some((uri, known)) => {
                    let known = known.now(stamp, || snapshot.hashed_at(&uri));
                    (uri, known)
                }
                None => (file.uri.clone(), Known::new(stamp)),
            };
            file.stamp = Some(known.shown);
            self.known.insert(uri, known);
        }
    }

    /// Remembers what the files of `entry` hash to, being as they were seen.
    pub(super) fn learn(&mut self, entry: &SkillEntry) {
        for file in &entry.resources {
            if let Some(known) = self.known.get_mut(&file.uri)
                && file.stamp == Some(known.seen)
            {
                known.digest.get_or_insert(file.digest);
            }
        }
    }
}

impl Known {
    fn new(stamp: Stamp) -> Self {
        Self {
            seen: stamp,
            shown: stamp,
            digest: None,
        }
    }

    /// Returns what is known once the file has `stamp`. Whose bytes were never
    /// hashed has new ones.
    fn now(self, stamp: Stamp, hash: impl FnOnce() -> Option<Hashed>) -> Self {
        if stamp == self.seen {
            return self;
        }
        if stamp.size != self.seen.size {
            return Self::new(stamp);
        }
        let Some(hashed) = hash() else {
            return Self::new(stamp);
        };
        let is_same = self.digest == Some(hashed.digest);
        Self {
            seen: hashed.stamp,
            shown: if is_same { self.shown } else { hashed.stamp },
            digest: Some(hashed.digest),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use codeaf_skills::Env;
    use std::fs::{self, File};
    use std::time::{Duration, SystemTime};

    #[test]
    fn other_bytes_of_the_same_size_are_news_and_a_touch_is_none() {
        let temporary = tempfile::tempdir().unwrap();
        let home = temporary.path().canonicalize().unwrap();
        let kit = home.join(".agents/skills/map-kit");
        let guide = kit.join("deep/er/guide.md");
        fs::create_dir_all(guide.parent().unwrap()).unwrap();
        fs::create_dir(home.join(".codeaf")).unwrap();
        let write = |text: &str| fs::write(&guide, text).unwrap();
        write("one");
        let skill = "---\nname: map-kit\ndescription: Makes maps.\n---\n";
        fs::write(kit.join("SKILL.md"), skill).unwrap();
        fs::write(home.join(".codeaf/skills.json"), r#"{"on": ["map-kit"]}"#).unwrap();
        let mut env = Env::new(home.join("project"));
        env.home = Some(home);
        let snapshot = Snapshot::load(&env).unwrap();
        let mut contents = Contents::default();
        let settled = |contents: &mut Contents| {
            let mut served = snapshot.served().0;
            contents.settle(&snapshot, &mut served);
            served
        };
        let uri = "skill://map-kit/SKILL.md";
        let touch = |seconds| {
            let when = SystemTime::UNIX_EPOCH + Duration::from_secs(seconds);
            File::options()
                .write(true)
                .open(&guide)
                .and_then(|file| file.set_modified(when))
                .unwrap();
        };

        let first = settled(&mut contents);
        assert_eq!(settled(&mut contents), first);
        contents.learn(&snapshot.entry_at(uri).unwrap());
        touch(1_000);
        assert_eq!(settled(&mut contents), first);
        write("two");
        let second = settled(&mut contents);
        assert_ne!(second, first);
        touch(2_000);
        assert_eq!(settled(&mut contents), second);
        // Written while the entry was asked for, and so not learnt from it.
        write("six");
        contents.learn(&snapshot.entry_at(uri).unwrap());
        assert_ne!(settled(&mut contents), second);
    }
}
