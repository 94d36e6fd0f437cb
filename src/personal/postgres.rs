//! The back end PostgreSQL: a server for a team, which holds the rules itself.
//!
//! The owner of a skill is the role of the session. What a client of ours or
//! anybody's may do is decided in `migrations/postgres`; here questions are
//! asked, and what the server refuses comes back as an error of this room.

mod connection;

use std::error::Error as _;
use std::time::Duration;

use postgres::error::SqlState;
use postgres::types::{ToSql, Type};
use postgres::{Client, Row};

use self::connection::{Connection, Unanswered};
use super::url::BadStore;
use super::{
    Action, Entry, Owner, PersonalError, PersonalSkill, PersonalStore, Record, StoreFault, checked,
};
use crate::env::Env;
use crate::limits::Limits;
use crate::text::system_words;

/// The latest version of the tables that this program knows.
const KNOWN: i32 = 1;

// What stands in `public` is found behind the system's own functions and
// operators, and before them where it fits the types better: so every type here
// is exact.

const LIST: &str = "
    SELECT versions.version, name, left(description, 4097), octet_length(content)::bigint,
        skills.id::text || ':'::text || skills.version::text,
        to_char(updated_at AT TIME ZONE 'UTC', 'YYYY-MM-DD\"T\"HH24:MI:SS.MS\"Z\"')
    FROM (SELECT max(version) AS version FROM codeaf_skills.schema_version) AS versions
    LEFT JOIN codeaf_skills.personal_skills AS skills ON owner = coalesce($1, session_user)
    ORDER BY name COLLATE \"C\" LIMIT 101";

const SEES_OTHERS: &str = "
    SELECT session_user = $1
        OR pg_catalog.pg_has_role(session_user, 'codeaf_skills_admin'::name, 'MEMBER'::text)";

const READ: &str = "
    SELECT versions.version, substr(content, 1, 65537)
    FROM (SELECT max(version) AS version FROM codeaf_skills.schema_version) AS versions
    LEFT JOIN codeaf_skills.personal_skills AS skills
        ON owner = coalesce($1, session_user) AND name = $2";

const AUDIT: &str = "
    SELECT versions.version, id,
        to_char(at AT TIME ZONE 'UTC', 'YYYY-MM-DD\"T\"HH24:MI:SS.MS\"Z\"'),
        actor, owner, skill, action, before, after
    FROM (SELECT max(version) AS version FROM codeaf_skills.schema_version) AS versions
    LEFT JOIN codeaf_skills.personal_skill_audit AS audit
        ON ($1::text IS NULL OR skill = $1) AND id > $2
    ORDER BY id LIMIT $3";

const VERSION: &str = "SELECT max(version) FROM codeaf_skills.schema_version";

const INSERT: &str = "
    INSERT INTO codeaf_skills.personal_skills (name, description, content) VALUES ($1, $2, $3)";

const UPDATE: &str = "
    UPDATE codeaf_skills.personal_skills SET description = $2, content = $3
    WHERE owner = session_user AND name = $1";

const DELETE: &str = "
    DELETE FROM codeaf_skills.personal_skills
    WHERE owner = coalesce($1, session_user) AND name = $2";

/// A store on a server.
#[derive(Debug)]
pub(super) struct PostgresStore {
    connection: Connection,
    reading: Duration,
    writing: Duration,
}

impl PostgresStore {
    pub(super) fn new(url: &str, env: &Env) -> Result<Self, BadStore> {
        Ok(Self {
            connection: Connection::new(url, env)?,
            reading: env.limits.store_patience,
            writing: env.limits.lock_patience,
        })
    }

    fn read_only<T: Send + 'static>(
        &self,
        question: impl Fn(&mut Client) -> Result<T, Unanswered> + Send + 'static,
    ) -> Result<T, StoreFault> {
        self.connection
            .ask(self.reading, question, true)
            .map_err(|unanswered| match unanswered {
                Unanswered::Late { .. } => StoreFault::Slow {
                    patience: self.reading,
                },
                Unanswered::Server(error) => fault(&error),
                Unanswered::Refused(PersonalError::Store(fault)) => fault,
                Unanswered::Refused(other) => StoreFault::Away {
                    cause: other.to_string(),
                },
            })
    }

    fn change<T: Send + 'static>(
        &self,
        change: impl Fn(&mut Client) -> Result<T, Unanswered> + Send + 'static,
    ) -> Result<T, PersonalError> {
        self.connection
            .ask(self.writing, change, false)
            .map_err(|unanswered| match unanswered {
                Unanswered::Late { is_asked: true } => StoreFault::Unsure {
                    patience: self.writing,
                }
                .into(),
                Unanswered::Late { is_asked: false } => StoreFault::Slow {
                    patience: self.writing,
                }
                .into(),
                Unanswered::Server(error) => refusal(&error),
                Unanswered::Refused(error) => error,
            })
    }
}

impl PersonalStore for PostgresStore {
    fn place(&self) -> &str {
        &self.connection.place
    }

    fn list(&self, owner: Owner<'_>) -> Result<Vec<Entry>, StoreFault> {
        let owner = named(owner);
        let entries = self.read_only(move |client| {
            let rows = client.query_typed(LIST, &[(&owner, Type::TEXT)])?;
            known(&rows)?;
            // The rules show nothing of others, as if there were nothing.
            if owner.is_some() {
                let row = client.query_typed(SEES_OTHERS, &[(&owner, Type::NAME)])?;
                if !row.first().is_some_and(|row| row.get(0)) {
                    return Err(Unanswered::Refused(StoreFault::NoAdministrator.into()));
                }
            }
            rows.iter()
                .filter_map(|row| entry(row).transpose())
                .collect()
        })?;
        checked(entries)
    }

    fn read(&self, owner: Owner<'_>, name: &str) -> Result<Option<Vec<u8>>, StoreFault> {
        let (owner, name) = (named(owner), name.to_owned());
        self.read_only(move |client| {
            let rows = client.query_typed(READ, &[(&owner, Type::TEXT), (&name, Type::TEXT)])?;
            known(&rows)?;
            Ok(rows
                .first()
                .map(|row| row.try_get(1))
                .transpose()?
                .flatten())
        })
    }

    fn add(&self, skill: &PersonalSkill) -> Result<(), PersonalError> {
        let skill = skill.clone();
        self.change(move |client| {
            known(&client.query_typed(VERSION, &[])?)?;
            client
                .execute_typed(INSERT, &values(&skill))
                .map_err(|error| {
                    if error.code() == Some(&SqlState::UNIQUE_VIOLATION) {
                        let name = skill.name.clone();
                        return Unanswered::Refused(PersonalError::Exists { name });
                    }
                    error.into()
                })?;
            Ok(())
        })
    }

    fn replace(&self, skill: &PersonalSkill) -> Result<bool, PersonalError> {
        let not_found = || PersonalError::NotFound {
            name: skill.name.clone(),
        };
        let before = self.read(Owner::Me, &skill.name)?.ok_or_else(not_found)?;
        if before == skill.text {
            return Ok(false);
        }
        let skill = skill.clone();
        let changed =
            self.change(move |client| Ok(client.execute_typed(UPDATE, &values(&skill))?))?;
        // Somebody removed it meanwhile.
        if changed == 0 {
            Err(not_found())
        } else {
            Ok(true)
        }
    }

    fn remove(&self, owner: Owner<'_>, name: &str) -> Result<(), PersonalError> {
        let (owner, wanted) = (named(owner), name.to_owned());
        let removed = self.change(move |client| {
            known(&client.query_typed(VERSION, &[])?)?;
            let names: [(&(dyn ToSql + Sync), Type); 2] =
                [(&owner, Type::TEXT), (&wanted, Type::TEXT)];
            Ok(client.execute_typed(DELETE, &names)?)
        })?;
        if removed == 0 {
            let name = name.to_owned();
            return Err(PersonalError::NotFound { name });
        }
        Ok(())
    }

    fn audit(
        &self,
        name: Option<&str>,
        after: i64,
        most: usize,
    ) -> Result<Vec<Record>, StoreFault> {
        let name = name.map(str::to_owned);
        let most = i64::try_from(most).unwrap_or(i64::MAX);
        self.read_only(move |client| {
            let rows = client.query_typed(
                AUDIT,
                &[
                    (&name, Type::TEXT),
                    (&after, Type::INT8),
                    (&most, Type::INT8),
                ],
            )?;
            known(&rows)?;
            rows.iter()
                .filter_map(|row| record(row).transpose())
                .collect()
        })
    }
}

fn named(owner: Owner<'_>) -> Option<String> {
    match owner {
        Owner::Me => None,
        Owner::User(name) => Some(name.to_owned()),
    }
}

fn values(skill: &PersonalSkill) -> [(&(dyn ToSql + Sync), Type); 3] {
    [
        (&skill.name, Type::TEXT),
        (&skill.description, Type::TEXT),
        (&skill.text, Type::BYTEA),
    ]
}

/// Refuses tables of another version, which stands in the first column.
fn known(rows: &[Row]) -> Result<(), Unanswered> {
    let found: Option<i32> = rows
        .first()
        .map(|row| row.try_get(0))
        .transpose()?
        .flatten();
    match found {
        None => Err(StoreFault::NotSetUp.into()),
        Some(found) if found > KNOWN => Err(StoreFault::Newer {
            found: found.into(),
            known: KNOWN.into(),
        }
        .into()),
        Some(_) => Ok(()),
    }
}

/// Reads a row of [`LIST`]; where there are no skills, one has the version only.
fn entry(row: &Row) -> Result<Option<Entry>, Unanswered> {
    let Some(name) = row.try_get(1)? else {
        return Ok(None);
    };
    let size: i64 = row.try_get(3)?;
    Ok(Some(Entry {
        name,
        description: row.try_get(2)?,
        size: u64::try_from(size).unwrap_or_default(),
        revision: row.try_get(4)?,
        updated: row.try_get(5)?,
    }))
}

/// Reads a row of [`AUDIT`]; where there are none, one has the version only.
fn record(row: &Row) -> Result<Option<Record>, Unanswered> {
    let Some(id) = row.try_get(1)? else {
        return Ok(None);
    };
    let action: &str = row.try_get(6)?;
    let known = Action::ALL
        .into_iter()
        .find(|known| known.as_str() == action);
    Ok(Some(Record {
        id,
        time: row.try_get(2)?,
        actor: row.try_get(3)?,
        owner: row.try_get(4)?,
        skill: row.try_get(5)?,
        action: known.unwrap_or(Action::Replace),
        before: row.try_get(7)?,
        after: row.try_get(8)?,
    }))
}

fn refusal(error: &postgres::Error) -> PersonalError {
    let constraint = error.as_db_error().and_then(|error| error.constraint());
    if constraint == Some("personal_skills_per_user_limit") {
        return PersonalError::LimitReached {
            most: Limits::PERSONAL_SKILLS,
        };
    }
    fault(error).into()
}

fn fault(error: &postgres::Error) -> StoreFault {
    let cause = words(error);
    match error.code() {
        Some(code)
            if *code == SqlState::UNDEFINED_TABLE || *code == SqlState::INVALID_SCHEMA_NAME =>
        {
            StoreFault::NotSetUp
        }
        Some(code) if *code == SqlState::INSUFFICIENT_PRIVILEGE => StoreFault::NotAllowed { cause },
        Some(code)
            if [
                SqlState::INVALID_CATALOG_NAME,
                SqlState::INVALID_AUTHORIZATION_SPECIFICATION,
                SqlState::INVALID_PASSWORD,
            ]
            .contains(code) =>
        {
            StoreFault::Unknown { cause }
        }
        Some(code) if *code == SqlState::DISK_FULL => StoreFault::NotWritten { cause },
        _ => StoreFault::Away { cause },
    }
}

/// Returns the server's own words, or those of the system. No URL is in them.
fn words(error: &postgres::Error) -> String {
    if let Some(error) = error.as_db_error() {
        return error.message().to_owned();
    }
    let mut words = error.to_string();
    let mut cause = error.source();
    while let Some(source) = cause {
        words = match source.downcast_ref::<std::io::Error>() {
            Some(error) => system_words(error),
            None => source.to_string(),
        };
        cause = source.source();
    }
    words
}
