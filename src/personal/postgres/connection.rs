//! The connection to a server: TLS where it leaves this machine, and a thread of
//! its own, so that no call waits longer than its patience, whatever the network
//! does, and an engine may call from within an asynchronous runtime.

use std::fmt;
use std::net::IpAddr;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use postgres::config::{Host, SslMode};
use postgres::error::SqlState;
use postgres::{Client, Config, NoTls};
use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject;
use rustls::{ClientConfig, RootCertStore};
use tokio_postgres_rustls::MakeRustlsConnect;

use super::super::url::BadStore;
use super::super::{PersonalError, StoreFault};
use crate::env::Env;

/// How a server is reached.
pub(super) struct Connection {
    config: Config,
    /// What proves that a server on another machine is the one that is meant.
    tls: Option<MakeRustlsConnect>,
    pub(super) place: String,
    /// The thread that has the connection, once it was needed.
    worker: Mutex<Option<Sender<Job>>>,
}

/// What the thread is to do with its connection.
type Job = Box<dyn FnOnce(&mut Session) + Send>;

/// Why a question was not answered.
pub(super) enum Unanswered {
    Server(postgres::Error),
    Refused(PersonalError),
    /// The patience ended.
    Late {
        /// Whether the server was reached, and may do what it was asked.
        is_asked: bool,
    },
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

impl fmt::Debug for Connection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Connection")
            .field("place", &self.place)
            .finish_non_exhaustive()
    }
}

impl Connection {
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
            worker: Mutex::new(None),
        })
    }

    /// Lets the thread ask `question`, and waits for the answer.
    pub(super) fn ask<T: Send + 'static>(
        &self,
        patience: Duration,
        question: impl Fn(&mut Client) -> Result<T, Unanswered> + Send + 'static,
        is_harmless: bool,
    ) -> Result<T, Unanswered> {
        let (answer, answered) = mpsc::channel();
        // Set by whoever is first: the thread that asks, or the end of patience.
        let is_settled = Arc::new(AtomicBool::new(false));
        let settled = Arc::clone(&is_settled);
        let job: Job = Box::new(move |session| {
            // Nobody waits any more, so nothing may be changed either.
            if !settled.load(Ordering::Acquire) {
                let _ = answer.send(session.ask(&question, is_harmless, &settled));
            }
        });
        self.send(job);
        match answered.recv_timeout(patience) {
            Ok(answer) => answer,
            Err(RecvTimeoutError::Timeout) => Err(Unanswered::Late {
                is_asked: is_settled.swap(true, Ordering::AcqRel),
            }),
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
        is_settled: &AtomicBool,
    ) -> Result<T, Unanswered> {
        self.client.take_if(|client| client.is_closed());
        let is_old = self.client.is_some();
        let client = self.client()?;
        if is_settled.swap(true, Ordering::AcqRel) {
            return Err(Unanswered::Late { is_asked: false });
        }
        let answer = question(client);
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
        // With an encoded colon a password is a part of the name.
        .map(|user| user.split_once(':').map_or(user, |(name, _)| name))
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
