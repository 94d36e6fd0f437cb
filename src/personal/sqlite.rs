//! The back end SQLite: one file, one owner, opened anew for each call.
//!
//! The file is made by the first write, whole and with its tables, and never by
//! reading. Its rules are held by its own tables and triggers,
//! `migrations/sqlite`; what they refuse comes back as an error of this room.
//!
//! Every call has one time by which it ends, however many statements it takes.

use std::fmt::Write;
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use rusqlite::MAIN_DB;
use rusqlite::config::DbConfig;
use rusqlite::{Connection, ErrorCode, OpenFlags, OptionalExtension, Row, Transaction, params};

use super::StoreUrl;
use super::{
    Action, Entry, Owner, PersonalError, PersonalSkill, PersonalStore, Record, StoreFault, checked,
};
use crate::disk::{self, Folder, Made, Refused};
use crate::env::Env;
use crate::limits::Limits;
use crate::text::system_words;

/// What makes the tables, a version each.
const MIGRATIONS: [&str; 1] = [include_str!("migrations/sqlite/0001.sql")];

/// Steps of SQLite between two looks at the clock: some hundredths of a
/// millisecond, and few looks in a listing.
const STEPS: std::ffi::c_int = 2_000;

/// How long a statement rests that finds the database locked.
const PAUSE: Duration = Duration::from_millis(5);

/// Marks a database as ours: `cdaf`.
const APPLICATION: i32 = i32::from_be_bytes(*b"cdaf");

/// A store in one SQLite file.
#[derive(Debug)]
pub(super) struct SqliteStore {
    file: PathBuf,
    /// Whether nobody need have named it, so that it can be missing.
    is_default: bool,
    place: String,
    actor: String,
    reading: Duration,
    writing: Duration,
}

impl SqliteStore {
    pub(super) fn new(file: &Path, env: &Env) -> Self {
        Self {
            file: file.to_path_buf(),
            is_default: env
                .home
                .as_deref()
                .is_some_and(|home| StoreUrl::default_in(home) == StoreUrl::Sqlite(file.into())),
            place: file.to_string_lossy().into_owned(),
            actor: env.user.clone().unwrap_or_else(|| "unknown".to_owned()),
            reading: env.limits.store_patience,
            writing: env.limits.lock_patience,
        }
    }

    /// Asks the database; the answer is `nothing` while there is no file where
    /// nobody need have made one.
    fn ask<T>(
        &self,
        nothing: T,
        question: impl FnOnce(&Connection) -> rusqlite::Result<T>,
    ) -> Result<T, StoreFault> {
        // One call decides, so that no file costs nearly nothing.
        if !self.is_there()? {
            return if self.is_default {
                Ok(nothing)
            } else {
                Err(StoreFault::Absent)
            };
        }
        let until = Instant::now() + self.reading;
        let answer = || -> rusqlite::Result<Result<T, StoreFault>> {
            let (database, found) = self.open_to_read(until)?;
            Ok(match fit(found, &database)? {
                Ok(()) => Ok(question(&database)?),
                Err(fault) => Err(fault),
            })
        };
        answer().unwrap_or_else(|error| {
            Err(match fault(&error, self.reading) {
                // Nothing was to be written.
                StoreFault::NotWritten { cause } => StoreFault::Unreadable { cause },
                fault => fault,
            })
        })
    }

    /// Returns whether there is a file. A pipe in its place would never end.
    fn is_there(&self) -> Result<bool, StoreFault> {
        let damaged = |cause: &str| StoreFault::Damaged {
            cause: cause.to_owned(),
        };
        match self.file.metadata() {
            Ok(found) if !found.is_file() => Err(damaged("it is not a regular file")),
            // SQLite takes a file of no bytes for a new database.
            Ok(found) if found.len() == 0 => Err(damaged("the file is empty")),
            Ok(_) => Ok(true),
            Err(error) if disk::is_absent(&error) && self.file.is_symlink() => {
                Err(StoreFault::Unreadable {
                    cause: "it is behind a link to nothing".to_owned(),
                })
            }
            Err(error) if disk::is_absent(&error) => Ok(false),
            Err(error) => Err(StoreFault::Unreadable {
                cause: system_words(&error),
            }),
        }
    }

    /// Opens the database to read it, and returns its version too. SQLite keeps
    /// two files beside a database that is open; where it cannot make them, as on
    /// a disk that is full or only read, and nobody has it open, it is read as it
    /// lies there.
    fn open_to_read(&self, until: Instant) -> rusqlite::Result<(Connection, i64)> {
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let mut database = Connection::open_with_flags(&self.file, flags)?;
        prepare(&mut database, until)?;
        database.pragma_update(None, "query_only", true)?;
        match version(&database) {
            Err(error) if is_about_files(&error) && !self.has_log() => {}
            found => return Ok((database, found?)),
        }
        let flags = OpenFlags::SQLITE_OPEN_READ_ONLY
            | OpenFlags::SQLITE_OPEN_NO_MUTEX
            | OpenFlags::SQLITE_OPEN_URI;
        let mut database = Connection::open_with_flags(unchanging(&self.file), flags)?;
        prepare(&mut database, until)?;
        let found = version(&database)?;
        Ok((database, found))
    }

    /// Whether changes wait in a file beside the database.
    fn has_log(&self) -> bool {
        let mut log = self.file.clone().into_os_string();
        log.push("-wal");
        Path::new(&log)
            .metadata()
            .is_ok_and(|found| found.len() > 0)
    }

    /// Changes the database within one transaction.
    fn change<T>(
        &self,
        change: impl Fn(&Transaction<'_>) -> rusqlite::Result<Result<T, PersonalError>>,
    ) -> Result<T, PersonalError> {
        self.make()?;
        let until = Instant::now() + self.writing;
        loop {
            match self.try_change(until, &change) {
                // Switching a new file to its journal does not wait for others.
                Err(error) if is_busy(&error) && Instant::now() < until => {
                    std::thread::sleep(PAUSE);
                }
                Err(error) => return Err(self.refusal(&error)),
                Ok(done) => return done,
            }
        }
    }

    fn try_change<T>(
        &self,
        until: Instant,
        change: impl Fn(&Transaction<'_>) -> rusqlite::Result<Result<T, PersonalError>>,
    ) -> rusqlite::Result<Result<T, PersonalError>> {
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let mut database = Connection::open_with_flags(&self.file, flags)?;
        prepare(&mut database, until)?;
        if let Err(fault) = fit(version(&database)?, &database)? {
            return Ok(Err(fault.into()));
        }
        database.pragma_update(None, "journal_mode", "wal")?;
        database.pragma_update(None, "synchronous", "full")?;
        let transaction =
            Transaction::new(&mut database, rusqlite::TransactionBehavior::Immediate)?;
        migrate(&transaction)?;
        name_actor(&transaction, &self.actor)?;
        let done = change(&transaction)?;
        if done.is_ok() {
            name_actor(&transaction, "unknown")?;
            transaction.commit()?;
        }
        Ok(done)
    }

    /// Makes a store without skills, which only its owner may read, if there is
    /// no file.
    fn make(&self) -> Result<(), StoreFault> {
        let refused = |error: &io::Error| StoreFault::NotWritten {
            cause: system_words(error),
        };
        if self.is_there()? {
            return Ok(());
        }
        let folder = self.file.parent().unwrap_or(Path::new("/"));
        let mut folders = Made::folders(folder, 0o700).map_err(|error| refused(&error.source))?;
        let bytes = without_skills().map_err(|error| fault(&error, self.writing))?;
        let made = Folder::lock(folder, self.writing).and_then(|locked| match locked {
            // Another first write may have been earlier.
            Some(locked) => locked.create(&self.file, 0o600, &bytes).map(drop),
            None => Err(Refused::new("open", folder, io::ErrorKind::NotFound.into())),
        });
        made.map_err(|error| match error.source.kind() {
            io::ErrorKind::WouldBlock => StoreFault::Locked {
                patience: self.writing,
            },
            _ => refused(&error.source),
        })?;
        folders.stay();
        Ok(())
    }

    fn refusal(&self, error: &rusqlite::Error) -> PersonalError {
        let message = error.to_string();
        if message.contains("personal_skills_per_user_limit") {
            PersonalError::LimitReached {
                most: Limits::PERSONAL_SKILLS,
            }
        } else {
            match fault(error, self.writing) {
                StoreFault::Unreadable { cause } => StoreFault::NotWritten { cause },
                fault => fault,
            }
            .into()
        }
    }
}

impl PersonalStore for SqliteStore {
    fn place(&self) -> &str {
        &self.place
    }

    fn list(&self, owner: Owner<'_>) -> Result<Vec<Entry>, StoreFault> {
        is_own(owner)?;
        let entries = self.ask(Vec::new(), |database| {
            let mut statement = database.prepare(
                "SELECT name, substr(description, 1, ?2), length(content), id || ':' || version, updated_at
                 FROM personal_skills ORDER BY name LIMIT ?1",
            )?;
            // One more than there may be tells that the rules were broken.
            let most = Limits::PERSONAL_SKILLS + 1;
            let description = Limits::PERSONAL_DESCRIPTION_BYTES + 1;
            let rows = statement.query_map([most, description], entry)?;
            rows.collect()
        })?;
        checked(entries)
    }

    fn read(&self, owner: Owner<'_>, name: &str) -> Result<Option<Vec<u8>>, StoreFault> {
        is_own(owner)?;
        self.ask(None, |database| {
            database
                .query_row(
                    "SELECT substr(content, 1, ?2) FROM personal_skills WHERE name = ?1",
                    params![name, Limits::PERSONAL_TEXT_BYTES + 1],
                    |row| row.get(0),
                )
                .optional()
        })
    }

    fn add(&self, skill: &PersonalSkill) -> Result<(), PersonalError> {
        self.change(|database| {
            if content(database, &skill.name)?.is_some() {
                let name = skill.name.clone();
                return Ok(Err(PersonalError::Exists { name }));
            }
            database.execute(
                "INSERT INTO personal_skills (name, description, content) VALUES (?1, ?2, ?3)",
                params![skill.name, skill.description, skill.text],
            )?;
            Ok(Ok(()))
        })
    }

    fn replace(&self, skill: &PersonalSkill) -> Result<bool, PersonalError> {
        // A file is not made for what cannot be in it.
        if self.read(Owner::Me, &skill.name)?.is_none() {
            let name = skill.name.clone();
            return Err(PersonalError::NotFound { name });
        }
        self.change(|database| match content(database, &skill.name)? {
            None => {
                let name = skill.name.clone();
                Ok(Err(PersonalError::NotFound { name }))
            }
            Some(text) if text == skill.text => Ok(Ok(false)),
            Some(_) => {
                database.execute(
                    "UPDATE personal_skills SET description = ?2, content = ?3,
                         version = version + 1, updated_at = strftime('%Y-%m-%dT%H:%M:%fZ', 'now')
                     WHERE name = ?1",
                    params![skill.name, skill.description, skill.text],
                )?;
                Ok(Ok(true))
            }
        })
    }

    fn remove(&self, owner: Owner<'_>, name: &str) -> Result<(), PersonalError> {
        is_own(owner)?;
        let not_found = || PersonalError::NotFound {
            name: name.to_owned(),
        };
        if self.read(Owner::Me, name)?.is_none() {
            return Err(not_found());
        }
        self.change(|database| {
            let removed =
                database.execute("DELETE FROM personal_skills WHERE name = ?1", [name])?;
            Ok(if removed == 0 {
                Err(not_found())
            } else {
                Ok(())
            })
        })
    }

    fn audit(
        &self,
        name: Option<&str>,
        after: i64,
        most: usize,
    ) -> Result<Vec<Record>, StoreFault> {
        self.ask(Vec::new(), |database| {
            let mut statement = database.prepare(
                "SELECT at, actor, skill, action, before, after, id FROM personal_skill_audit
                 WHERE (?1 IS NULL OR skill = ?1) AND id > ?2 ORDER BY id LIMIT ?3",
            )?;
            let rows = statement.query_map(params![name, after, most], record)?;
            rows.collect()
        })
    }
}

fn fault(error: &rusqlite::Error, patience: Duration) -> StoreFault {
    let cause = match error {
        rusqlite::Error::SqliteFailure(_, Some(message)) => message.clone(),
        error => error.to_string(),
    };
    match error.sqlite_error_code() {
        Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => {
            StoreFault::Locked { patience }
        }
        Some(ErrorCode::OperationInterrupted) => StoreFault::Slow { patience },
        Some(ErrorCode::DiskFull) => StoreFault::NotWritten {
            cause: "the disk is full".to_owned(),
        },
        Some(ErrorCode::ReadOnly | ErrorCode::SystemIoFailure) => StoreFault::NotWritten { cause },
        Some(ErrorCode::CannotOpen | ErrorCode::PermissionDenied) => {
            StoreFault::Unreadable { cause }
        }
        // No database, a corrupt one, or one without the tables that it says it has.
        _ => StoreFault::Damaged { cause },
    }
}

fn entry(row: &Row<'_>) -> rusqlite::Result<Entry> {
    Ok(Entry {
        name: row.get(0)?,
        description: row.get(1)?,
        size: row.get(2)?,
        revision: row.get(3)?,
        updated: row.get(4)?,
    })
}

fn record(row: &Row<'_>) -> rusqlite::Result<Record> {
    let action: String = row.get(3)?;
    let actor: String = row.get(1)?;
    Ok(Record {
        id: row.get(6)?,
        time: row.get(0)?,
        owner: actor.clone(),
        actor,
        skill: row.get(2)?,
        action: Action::ALL
            .into_iter()
            .find(|known| known.as_str() == action)
            .unwrap_or(Action::Replace),
        before: row.get(4)?,
        after: row.get(5)?,
    })
}

fn is_own(owner: Owner<'_>) -> Result<(), StoreFault> {
    match owner {
        Owner::Me => Ok(()),
        Owner::User(_) => Err(StoreFault::OneOwner),
    }
}

/// Sets what holds for every connection: until when to wait for others and for
/// an answer, and that nothing in the file's own schema is trusted.
fn prepare(database: &mut Connection, until: Instant) -> rusqlite::Result<()> {
    database.busy_handler(Some(move |_| {
        std::thread::sleep(PAUSE);
        Instant::now() < until
    }))?;
    database.progress_handler(STEPS, Some(move || Instant::now() > until))?;
    database.set_db_config(DbConfig::SQLITE_DBCONFIG_DEFENSIVE, true)?;
    database.set_db_config(DbConfig::SQLITE_DBCONFIG_TRUSTED_SCHEMA, false)?;
    Ok(())
}

/// Names a file so that SQLite takes it for one that nobody changes.
fn unchanging(file: &Path) -> String {
    let mut name = "file:".to_owned();
    for byte in file.as_os_str().as_encoded_bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'/' | b'.' | b'-' | b'_' => {
                name.push(char::from(*byte));
            }
            // Writing into memory does not fail.
            _ => drop(write!(name, "%{byte:02X}")),
        }
    }
    name + "?immutable=1"
}

fn version(database: &Connection) -> rusqlite::Result<i64> {
    database.query_row("PRAGMA user_version", [], |row| row.get(0))
}

/// Returns the bytes of a database with our tables and nothing in them.
fn without_skills() -> rusqlite::Result<Vec<u8>> {
    let mut database = Connection::open_in_memory()?;
    let transaction = database.transaction()?;
    migrate(&transaction)?;
    transaction.commit()?;
    Ok(database.serialize(MAIN_DB)?.to_vec())
}

/// Whether a database is one that this program may use.
fn fit(found: i64, database: &Connection) -> rusqlite::Result<Result<(), StoreFault>> {
    let known = i64::try_from(MIGRATIONS.len()).unwrap_or(i64::MAX);
    let application: i32 = database.query_row("PRAGMA application_id", [], |row| row.get(0))?;
    Ok(if application != APPLICATION {
        Err(StoreFault::Damaged {
            cause: "it is a database of another program".to_owned(),
        })
    } else if found > known {
        Err(StoreFault::Newer { found, known })
    } else if found < 1 {
        // Ours are made with their tables and their version in one step.
        Err(StoreFault::Damaged {
            cause: format!("its version is {found}"),
        })
    } else {
        Ok(())
    })
}

/// Brings the tables to the latest version, within the transaction.
fn migrate(database: &Transaction<'_>) -> rusqlite::Result<()> {
    let found = version(database)?;
    for (migration, number) in MIGRATIONS.iter().zip(1_i64..) {
        if number > found {
            database.execute_batch(migration)?;
            database.pragma_update(None, "user_version", number)?;
            database.pragma_update(None, "application_id", APPLICATION)?;
        }
    }
    Ok(())
}

fn name_actor(database: &Transaction<'_>, name: &str) -> rusqlite::Result<()> {
    database.execute("UPDATE personal_actor SET name = ?1", [name])?;
    Ok(())
}

fn content(database: &Connection, name: &str) -> rusqlite::Result<Option<Vec<u8>>> {
    database
        .query_row(
            "SELECT content FROM personal_skills WHERE name = ?1",
            [name],
            |row| row.get(0),
        )
        .optional()
}

/// Whether the files beside the database are what is in the way.
fn is_about_files(error: &rusqlite::Error) -> bool {
    matches!(
        error.sqlite_error_code(),
        Some(
            ErrorCode::CannotOpen
                | ErrorCode::SystemIoFailure
                | ErrorCode::DiskFull
                | ErrorCode::ReadOnly
        )
    )
}

fn is_busy(error: &rusqlite::Error) -> bool {
    matches!(
        error.sqlite_error_code(),
        Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked)
    )
}
