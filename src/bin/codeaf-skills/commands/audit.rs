//! `personal audit`: what was changed in a store, as differences of texts.

use std::cell::RefCell;
use std::io;
use std::time::Duration;

use clap::builder::styling::Style;
use codeaf_skills::StoreFault;
use codeaf_skills::personal::{Action, PersonalStore, Record};
use codeaf_skills::text::clean;
use serde::{Serialize, Serializer};
use similar::TextDiff;

use crate::failure::Failure;
use crate::render::{Console, cell};

/// Records that are asked for at once: each can hold 128 KiB.
const AT_ONCE: usize = 64;

/// How long a difference may be searched for; a coarser one comes after it.
const DIFF_PATIENCE: Duration = Duration::from_millis(500);

pub(super) fn audit(
    store: &dyn PersonalStore,
    name: Option<&str>,
    console: &mut Console,
) -> Result<(), Failure> {
    let mut records = Records::new(store, name);
    // The first is asked for before anything is written: a store that is away
    // answers with a failure, and not with half an object.
    let first = records.next().transpose()?.map(Ok);
    let fault = RefCell::new(None);
    if console.json {
        let records = first.into_iter().chain(records);
        console.json(&Document {
            version: 1,
            store: store.place(),
            records: RecordSequence(RefCell::new(Some(records)), &fault),
        })?;
    } else {
        for record in first.into_iter().chain(records) {
            print(&record?, console)?;
        }
    }
    fault.into_inner().map_or(Ok(()), |fault| Err(fault.into()))
}

/// Every record, asked for as it is needed.
struct Records<'a> {
    store: &'a dyn PersonalStore,
    name: Option<&'a str>,
    asked: std::vec::IntoIter<Record>,
    last: i64,
    is_done: bool,
}

impl<'a> Records<'a> {
    fn new(store: &'a dyn PersonalStore, name: Option<&'a str>) -> Self {
        Self {
            store,
            name,
            asked: Vec::new().into_iter(),
            last: 0,
            is_done: false,
        }
    }
}

impl Iterator for Records<'_> {
    type Item = Result<Record, StoreFault>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.asked.len() == 0 && !self.is_done {
            match self.store.audit(self.name, self.last, AT_ONCE) {
                Ok(records) => {
                    self.is_done = records.len() < AT_ONCE;
                    self.asked = records.into_iter();
                }
                Err(fault) => {
                    self.is_done = true;
                    return Some(Err(fault));
                }
            }
        }
        let record = self.asked.next()?;
        self.last = record.id;
        Some(Ok(record))
    }
}

fn print(record: &Record, console: &mut Console) -> io::Result<()> {
    let headline = format!(
        "{}  {}  {}  by {}, of {}",
        cell(&record.time),
        record.action.as_str(),
        cell(&record.skill),
        cell(&record.actor),
        cell(&record.owner)
    );
    console.line(console.paint(Style::new().bold(), &headline))?;
    console.write(clean(&diff(record)).as_ref())?;
    console.line("")
}

/// Returns the difference of the raw texts in the unified form; the name of the
/// side that is not there is `/dev/null`.
fn diff(record: &Record) -> String {
    let text = |side: &Option<Vec<u8>>| {
        let bytes = side.as_deref().unwrap_or_default();
        String::from_utf8_lossy(bytes).into_owned()
    };
    let name = |side: &Option<Vec<u8>>| match side {
        Some(_) => format!("personal/{}", record.skill),
        None => "/dev/null".to_owned(),
    };
    let (before, after) = (text(&record.before), text(&record.after));
    TextDiff::configure()
        .timeout(DIFF_PATIENCE)
        .diff_lines(&before, &after)
        .unified_diff()
        .header(&name(&record.before), &name(&record.after))
        .to_string()
}

#[derive(Serialize)]
#[serde(bound = "")]
struct Document<'a, I>
where
    I: Iterator<Item = Result<Record, StoreFault>>,
{
    version: u8,
    store: &'a str,
    records: RecordSequence<'a, I>,
}

/// Serialises records one after the other, and keeps what ended them early.
struct RecordSequence<'a, I>(RefCell<Option<I>>, &'a RefCell<Option<StoreFault>>);

impl<I: Iterator<Item = Result<Record, StoreFault>>> Serialize for RecordSequence<'_, I> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let records = self.0.borrow_mut().take().into_iter().flatten();
        let rows = records.map_while(|record| {
            let record = record.map_err(|fault| self.1.replace(Some(fault))).ok()?;
            Some(RecordRow::of(&record))
        });
        serializer.collect_seq(rows)
    }
}

#[derive(Serialize)]
struct RecordRow {
    time: String,
    actor: String,
    owner: String,
    skill: String,
    action: Action,
    diff: String,
}

impl RecordRow {
    fn of(record: &Record) -> Self {
        Self {
            time: record.time.clone(),
            actor: record.actor.clone(),
            owner: record.owner.clone(),
            skill: record.skill.clone(),
            action: record.action,
            diff: diff(record),
        }
    }
}
