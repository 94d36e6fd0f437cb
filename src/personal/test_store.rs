//! A store in memory for the tests of every room.

use std::path::Path;
use std::sync::{Arc, Mutex};

use super::{Entry, Owner, PersonalError, PersonalSkill, PersonalStore, Record, StoreFault, read};
use crate::limits::Limits;

/// Skills by name and text, until they are taken away.
#[derive(Debug)]
pub(crate) struct Store(Mutex<Option<Vec<(String, String)>>>);

impl Store {
    pub(crate) fn of(skills: &[(&str, &str)]) -> Arc<Self> {
        let store = Arc::new(Self(Mutex::new(Some(Vec::new()))));
        for (name, text) in skills {
            store.put(name, text);
        }
        store
    }

    pub(crate) fn put(&self, name: &str, text: &str) {
        let mut skills = self.0.lock().unwrap();
        let skills = skills.get_or_insert_default();
        skills.push((name.to_owned(), text.to_owned()));
    }

    pub(crate) fn remove(&self, name: &str) {
        let mut skills = self.0.lock().unwrap();
        skills.as_mut().unwrap().retain(|(known, _)| known != name);
    }

    pub(crate) fn take_away(&self) {
        *self.0.lock().unwrap() = None;
    }

    fn ask<T>(&self, answer: impl Fn(&[(String, String)]) -> T) -> Result<T, StoreFault> {
        let skills = self.0.lock().unwrap();
        let away = || StoreFault::Away {
            cause: "it is unplugged".to_owned(),
        };
        skills.as_deref().map(answer).ok_or_else(away)
    }
}

impl PersonalStore for Store {
    fn place(&self) -> &'static str {
        "memory:"
    }

    fn list(&self, _: Owner<'_>) -> Result<Vec<Entry>, StoreFault> {
        let entry = |(name, text): &(String, String)| {
            let skill = read(text.as_bytes(), Path::new(name), &Limits::DEFAULT);
            Entry {
                name: name.clone(),
                description: skill.unwrap().description,
                size: text.len() as u64,
                revision: text.clone(),
                updated: String::new(),
            }
        };
        self.ask(|skills| skills.iter().map(entry).collect())
    }

    fn read(&self, _: Owner<'_>, name: &str) -> Result<Option<Vec<u8>>, StoreFault> {
        self.ask(|skills| {
            let mut found = skills.iter().rev().filter(|(known, _)| known == name);
            found.next().map(|(_, text)| text.as_bytes().to_vec())
        })
    }

    fn add(&self, skill: &PersonalSkill) -> Result<(), PersonalError> {
        self.put(&skill.name, &String::from_utf8_lossy(&skill.text));
        Ok(())
    }

    fn replace(&self, skill: &PersonalSkill) -> Result<bool, PersonalError> {
        self.remove(&skill.name);
        self.add(skill).map(|()| true)
    }

    fn remove(&self, _: Owner<'_>, name: &str) -> Result<(), PersonalError> {
        Self::remove(self, name);
        Ok(())
    }

    fn audit(&self, _: Option<&str>, _: i64, _: usize) -> Result<Vec<Record>, StoreFault> {
        Ok(Vec::new())
    }
}
