//! The back end PostgreSQL: a server for a team, which holds the rules itself.
//!
//! The owner of a skill is the role of the session. What a client of ours or
//! anybody's may do is decided in `migrations/postgres`; here questions are
//! asked, and what the server refuses comes back as an error of this room.
//!
//! The client lives on a thread of its own: so no call waits longer than its
//! patience, whatever the network does, and an engine may call from within an
//! asynchronous runtime.

use std::error::Error as _;
use std::fmt;
use std::net::IpAddr;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use postgres::config::{Host, SslMode};
use postgres::error::SqlState;
use postgres::types::{ToSql, Type};
use postgres::{Client, Config, NoTls, Row};
use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject;
use rustls::{ClientConfig, RootCertStore};
use tokio_postgres_rustls::MakeRustlsConnect;

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
pub(super) struct PostgresStore {
    config: Config,
    /// What proves that a server on another machine is the one that is meant.
    tls: Option<MakeRustlsConnect>,
    place: String,
    reading: Duration,
    writing: Duration,
    /// The thread that has the connection, once it was needed.
    worker: Mutex<Option<Sender<Job>>>,
}

/// What the thread is to do with its connection.
type Job = Box<dyn FnOnce(&mut Session) + Send>;

/// Why a question was not answered.
enum Unanswered {
    Server(postgres::Error),
    Refused(PersonalError),
    /// The patience ended.
    Late,
}

impl From<postgres::Error> for Unanswered {
    fn from(error: postgres::Error) -> Self {
        Self::Server(error)
    }
}

impl From<StoreFault> for Unanswered {
    fn from(fault: StoreFault) -> Self {
        Self::Refused(fault.into())
    }
}

impl fmt::Debug for PostgresStore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PostgresStore")
            .field("place", &self.place)
            .finish_non_exhaustive()
    }
}

impl PostgresStore {
    pub(super) fn new(url: &str, env: &Env) -> Result<Self, BadStore> {
        let malformed = |cause: &str| BadStore::Malformed {
            cause: cause.to_owned(),
        };
        // The parser's own words can quote a password with an `&` in it.
        let mut config: Config = url.parse().map_err(|_| {
            malformed("it is not of the form postgres://USER@HOST:PORT/DATABASE, or has an option that is not known")
        })?;
        // The first `@` ends the password: what follows would be shown.
        if url.matches('@').count() > 1 {
            return Err(malformed(
                "write each `@` but the one before the host as `%40`",
            ));
        }
        let is_near = config.get_hosts().iter().all(is_near);
        let tls = match config.get_ssl_mode() {
            SslMode::Disable => None,
            // What would fall back to plain text where somebody in between wants
            // it is as good as none.
            SslMode::Prefer if is_near => None,
            _ => Some(trusting(env)?),
        };
        config.ssl_mode(if tls.is_some() {
            SslMode::Require
        } else {
            SslMode::Disable
        });
        if let (None, Some(password)) = (config.get_password(), &env.store_password) {
            config.password(&password.0);
        }
        let patience = env.limits.store_patience;
        config
            .connect_timeout(patience)
            .tcp_user_timeout(env.limits.lock_patience)
            .application_name("codeaf-skills");
        Ok(Self {
            place: place(&config),
            config,
            tls,
            reading: patience,
            writing: env.limits.lock_patience,
            worker: Mutex::new(None),
        })
    }

    /// Lets the thread ask `question`, and waits for the answer.
    fn ask<T: Send + 'static>(
        &self,
        patience: Duration,
        question: impl Fn(&mut Client) -> Result<T, Unanswered> + Send + 'static,
        is_harmless: bool,
    ) -> Result<T, Unanswered> {
        let (answer, answered) = mpsc::channel();
        let is_late = Arc::new(AtomicBool::new(false));
        let given_up = Arc::clone(&is_late);
        let job: Job = Box::new(move |session| {
            // Nobody waits any more, so nothing may be changed either.
            if !given_up.load(Ordering::Acquire) {
                let _ = answer.send(session.ask(&question, is_harmless));
            }
        });
        self.send(job);
        match answered.recv_timeout(patience) {
            Ok(answer) => answer,
            Err(RecvTimeoutError::Timeout) => {
                is_late.store(true, Ordering::Release);
                Err(Unanswered::Late)
            }
            Err(RecvTimeoutError::Disconnected) => Err(StoreFault::Away {
                cause: "the connection broke".to_owned(),
            }
            .into()),
        }
    }

    fn send(&self, job: Job) {
        let mut worker = self.worker.lock().unwrap_or_else(PoisonError::into_inner);
        let job = match worker.as_ref() {
            None => job,
            Some(worker) => match worker.send(job) {
                Ok(()) => return,
                // It ended: with a panic, if at all.
                Err(returned) => returned.0,
            },
        };
        let (jobs, received) = mpsc::channel();
        let session = Session {
            config: self.config.clone(),
            tls: self.tls.clone(),
            client: None,
        };
        // It does not fail: the thread has the other end.
        let _ = jobs.send(job);
        thread::spawn(move || session.serve(&received));
        *worker = Some(jobs);
    }

    fn read_only<T: Send + 'static>(
        &self,
        question: impl Fn(&mut Client) -> Result<T, Unanswered> + Send + 'static,
    ) -> Result<T, StoreFault> {
        self.ask(self.reading, question, true)
            .map_err(|unanswered| match unanswered {
                Unanswered::Late => StoreFault::Slow {
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
        self.ask(self.writing, change, false)
            .map_err(|unanswered| match unanswered {
                Unanswered::Late => StoreFault::Unsure {
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
        &self.place
    }

    fn list(&self, owner: Owner<'_>) -> Result<Vec<Entry>, StoreFault> {
        let owner = named(owner);
        let entries = self.read_only(move |client| {
            let rows = client.query_typed(LIST, &[(&owner, Type::TEXT)])?;
            known(&rows)?;
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

/// The connection, as its thread has it.
struct Session {
    config: Config,
    tls: Option<MakeRustlsConnect>,
    client: Option<Client>,
}

impl Session {
    /// Does what it is told until nobody can tell it anything more.
    fn serve(mut self, jobs: &Receiver<Job>) {
        while let Ok(job) = jobs.recv() {
            job(&mut self);
        }
    }

    /// Asks a question; one that changes nothing is asked again where the
    /// connection turns out to be an old one that broke.
    fn ask<T>(
        &mut self,
        question: &impl Fn(&mut Client) -> Result<T, Unanswered>,
        is_harmless: bool,
    ) -> Result<T, Unanswered> {
        self.client.take_if(|client| client.is_closed());
        let is_old = self.client.is_some();
        let answer = question(self.client()?);
        let is_broken = match &answer {
            Err(Unanswered::Server(error)) => is_broken(error),
            _ => false,
        };
        if is_broken {
            self.client = None;
        }
        if is_broken && is_old && is_harmless {
            return question(self.client()?);
        }
        answer
    }

    fn client(&mut self) -> Result<&mut Client, postgres::Error> {
        let client = match self.client.take() {
            Some(client) => client,
            None => match &self.tls {
                Some(tls) => self.config.connect(tls.clone())?,
                None => self.config.connect(NoTls)?,
            },
        };
        Ok(self.client.insert(client))
    }
}

/// Whether what is sent to the host stays on this machine.
fn is_near(host: &Host) -> bool {
    match host {
        Host::Tcp(name) => {
            let address = name.parse::<IpAddr>();
            name == "localhost" || address.is_ok_and(|address| address.is_loopback())
        }
        #[cfg(unix)]
        Host::Unix(_) => true,
    }
}

/// Returns what holds a server's certificate against those that are trusted.
fn trusting(env: &Env) -> Result<MakeRustlsConnect, BadStore> {
    let mut roots = RootCertStore::empty();
    match &env.store_roots {
        None => roots.extend(webpki_roots::TLS_SERVER_ROOTS.iter().cloned()),
        Some(file) => {
            let unread = |cause: &dyn fmt::Display| BadStore::Roots {
                file: file.clone(),
                cause: cause.to_string(),
            };
            let certificates =
                CertificateDer::pem_file_iter(file).map_err(|error| unread(&error))?;
            for certificate in certificates {
                let certificate = certificate.map_err(|error| unread(&error))?;
                roots.add(certificate).map_err(|error| unread(&error))?;
            }
        }
    }
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(|error| BadStore::Malformed {
            cause: error.to_string(),
        })?
        .with_root_certificates(roots)
        .with_no_client_auth();
    Ok(MakeRustlsConnect::new(config))
}

/// Whether the connection is gone, by its end or by the server's word.
fn is_broken(error: &postgres::Error) -> bool {
    let ends = [
        SqlState::ADMIN_SHUTDOWN,
        SqlState::CRASH_SHUTDOWN,
        SqlState::IDLE_SESSION_TIMEOUT,
    ];
    error.is_closed() || error.code().is_some_and(|code| ends.contains(code))
}

/// Returns the server, the database and the user, as people write them.
fn place(config: &Config) -> String {
    let user = config
        .get_user()
        .map_or(String::new(), |user| format!("{user}@"));
    let ports = config.get_ports();
    let hosts = config.get_hosts().iter().enumerate().map(|(index, host)| {
        let host = match host {
            Host::Tcp(name) => name.clone(),
            #[cfg(unix)]
            Host::Unix(folder) => folder.display().to_string(),
        };
        let port = ports.get(index).or(ports.first());
        port.map_or(host.clone(), |port| format!("{host}:{port}"))
    });
    let hosts: Vec<String> = hosts.collect();
    let database = config.get_dbname().unwrap_or_default();
    format!("postgres://{user}{}/{database}", hosts.join(","))
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
