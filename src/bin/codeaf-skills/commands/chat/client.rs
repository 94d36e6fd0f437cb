//! The model's server: one request, its retries and its failures in words. The
//! only file that knows HTTP.

use std::io::{self, Read};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, SyncSender};
use std::time::{Duration, Instant};

use codeaf_skills::Env;
use codeaf_skills::engine::{Answer, Decoder, Model, ModelError, Request, WireError, server_words};
use codeaf_skills::text::one_line;

use super::signals::Interrupts;
use crate::args::Chat as Args;
use crate::failure::Failure;

/// What stands behind the base address in that of a request.
const COMPLETIONS: &str = "/chat/completions";

const DEFAULT_BASE_URL: &str = "https://api.openai.com/v1";

/// How often a request is sent at most.
const ATTEMPTS: u32 = 5;
/// The first pause; each later one is twice as long.
const FIRST_PAUSE: Duration = Duration::from_millis(500);
/// The longest pause that a server may ask for: nobody waits longer unasked.
const LONGEST_PAUSE: Duration = Duration::from_secs(60);
/// How often a wait looks whether it is to stop.
const TICK: Duration = Duration::from_millis(50);
/// Bytes of what a server says of a failure.
const WORDS: u64 = 65_536;
/// Characters of it that are shown.
const SHOWN: usize = 400;

/// One server and one model of it.
pub(super) struct Client {
    agent: ureq::Agent,
    url: String,
    pub(super) model: String,
    key: Option<String>,
    interrupts: Interrupts,
    /// How long the server may say nothing.
    patience: Duration,
    /// Bytes of one answer.
    most: usize,
}

impl Client {
    pub(super) fn new(args: &Args, interrupts: &Interrupts, env: &Env) -> Result<Self, Failure> {
        let variables = crate::model_variables();
        let base = args.base_url.clone().or(variables.base_url);
        let base = base.unwrap_or_else(|| DEFAULT_BASE_URL.to_owned());
        let base = base_of(base.trim());
        if !["http://", "https://"]
            .iter()
            .any(|scheme| base.starts_with(scheme))
        {
            return Err(
                Failure::usage(format!("`{base}` is no address of a server"))
                    .help("give --base-url, such as http://127.0.0.1:8080/v1"),
            );
        }
        let Some(model) = args.model.clone().or(variables.model) else {
            return Err(
                Failure::usage("which model?").help("name it with --model, or in OPENAI_MODEL")
            );
        };
        let is_key = |key: &String| key.chars().all(|c| c.is_ascii_graphic());
        if variables.key.as_ref().is_some_and(|key| !is_key(key)) {
            return Err(
                Failure::usage("OPENAI_API_KEY has characters that no key has")
                    .help("set it again, without blanks and line ends"),
            );
        }
        Ok(Self {
            agent: agent(),
            url: format!("{base}{COMPLETIONS}"),
            model,
            key: variables.key,
            interrupts: interrupts.clone(),
            patience: env.limits.model_patience,
            most: env.limits.answer_bytes,
        })
    }

    /// Returns the model, which gives what it waits for to `note`.
    pub(super) fn telling<N: FnMut(&str)>(&self, note: N) -> Telling<'_, N> {
        Telling { client: self, note }
    }
}

/// Returns the base of an address, also of one that requests go to.
fn base_of(address: &str) -> &str {
    let address = address.trim_end_matches('/');
    let base = address.strip_suffix(COMPLETIONS).unwrap_or(address);
    base.trim_end_matches('/')
}

fn agent() -> ureq::Agent {
    ureq::Agent::config_builder()
        .http_status_as_error(false)
        // The key is for this address alone.
        .max_redirects(0)
        .max_redirects_will_error(false)
        .timeout_connect(Some(Duration::from_secs(30)))
        .user_agent(concat!("codeaf-skills/", env!("CARGO_PKG_VERSION")))
        .build()
        .into()
}

/// A model that tells while it waits.
pub(super) struct Telling<'a, N> {
    client: &'a Client,
    note: N,
}

/// What became of one attempt.
enum Trouble {
    Stopped,
    /// It may go better the next time.
    ForNow {
        message: String,
        after: Option<Duration>,
    },
    Failed(ModelError),
}

impl<N: FnMut(&str)> Model for Telling<'_, N> {
    fn answer(
        &mut self,
        request: Request<'_>,
        heard: &mut dyn FnMut(&str),
    ) -> Result<Answer, ModelError> {
        let body = request.body(&self.client.model).to_string();
        let mut pause = FIRST_PAUSE;
        for attempt in 1.. {
            let (message, after) = match self.client.attempt(&body, heard) {
                Ok(answer) => return Ok(answer),
                Err(Trouble::Stopped) => return Err(ModelError::Stopped),
                Err(Trouble::Failed(error)) => return Err(error),
                Err(Trouble::ForNow { message, after }) => (message, after),
            };
            let wait = after.unwrap_or(pause);
            if attempt == ATTEMPTS || wait > LONGEST_PAUSE {
                return Err(given_up(&message, attempt, wait));
            }
            (self.note)(&format!(
                "note: {message}; trying again in {} s",
                wait.as_secs_f32()
            ));
            self.client.wait(wait)?;
            pause *= 2;
        }
        Err(ModelError::Stopped)
    }
}

fn given_up(message: &str, attempts: u32, wait: Duration) -> ModelError {
    let help = if wait > LONGEST_PAUSE {
        format!(
            "the server asks to wait {} s: send the message again then",
            wait.as_secs()
        )
    } else {
        "send the message again later".to_owned()
    };
    let times = if attempts > 1 {
        format!(", {attempts} times")
    } else {
        String::new()
    };
    failed(format!("{message}{times}"), help)
}

fn failed(message: impl Into<String>, help: impl Into<String>) -> ModelError {
    ModelError::Failed {
        message: message.into(),
        help: Some(help.into()),
    }
}

/// What the thread that speaks with the server hears.
enum Heard {
    Head {
        status: u16,
        retry_after: Option<Duration>,
        location: Option<String>,
    },
    Bytes(Vec<u8>),
    End,
    Broken(ureq::Error),
}

impl Client {
    /// Sends the request once.
    fn attempt(&self, body: &str, heard: &mut dyn FnMut(&str)) -> Result<Answer, Trouble> {
        let mut exchange = self.send(body);
        let (status, retry_after, location) = match exchange.next()? {
            Heard::Head {
                status,
                retry_after,
                location,
            } => (status, retry_after, location),
            Heard::Broken(error) => return Err(self.unreachable(&error)),
            Heard::Bytes(_) | Heard::End => return Err(broken_off(false)),
        };
        if status != 200 {
            let words = exchange.words()?;
            return Err(self.refused(status, retry_after, location.as_deref(), &words));
        }
        self.listen(&mut exchange, heard)
    }

    /// Speaks with the server in a thread of its own, so that a person need not
    /// wait for it to stop.
    fn send(&self, body: &str) -> Exchange<'_> {
        let (sender, receiver) = mpsc::sync_channel(16);
        let mut request = self
            .agent
            .post(&self.url)
            .header("content-type", "application/json")
            .header("accept", "text/event-stream, application/json");
        if let Some(key) = &self.key {
            request = request.header("authorization", format!("Bearer {key}"));
        }
        let body = body.to_owned();
        std::thread::spawn(move || {
            // An error means that nobody listens any more.
            let _ = speak(request, &body, &sender);
        });
        Exchange {
            receiver,
            client: self,
        }
    }

    fn listen(
        &self,
        exchange: &mut Exchange<'_>,
        heard: &mut dyn FnMut(&str),
    ) -> Result<Answer, Trouble> {
        let mut decoder = Decoder::new(self.most);
        let mut has_heard = false;
        let mut hear = |text: &str| {
            has_heard = true;
            heard(text);
        };
        let answer = loop {
            let pushed = match exchange.next()? {
                Heard::Bytes(bytes) => decoder.push(&bytes, &mut hear),
                Heard::Head { .. } => Ok(()),
                Heard::End => break decoder.finish(&mut hear),
                Heard::Broken(_) => Err(WireError::BrokenOff),
            };
            if let Err(error) = pushed {
                break Err(error);
            }
            // Some servers keep the connection open behind the end.
            if decoder.is_done() {
                break decoder.finish(&mut hear);
            }
        };
        answer.map_err(|error| match error {
            WireError::BrokenOff => broken_off(has_heard),
            error => Trouble::Failed(failed(
                shown(&error.to_string()),
                "see whether --base-url is the address of chat completions, and what the server logs",
            )),
        })
    }

    /// Waits, unless it is to stop.
    fn wait(&self, time: Duration) -> Result<(), ModelError> {
        let until = Instant::now() + time;
        while Instant::now() < until {
            if self.interrupts.are_to_stop() {
                return Err(ModelError::Stopped);
            }
            std::thread::sleep(TICK.min(until.saturating_duration_since(Instant::now())));
        }
        Ok(())
    }

    fn unreachable(&self, error: &ureq::Error) -> Trouble {
        let message = format!("cannot reach {}: {}", self.url, shown(&words_of(error)));
        let passes = match error {
            ureq::Error::Timeout(_) | ureq::Error::Protocol(_) => true,
            ureq::Error::Io(error) => matches!(
                error.kind(),
                io::ErrorKind::ConnectionReset
                    | io::ErrorKind::ConnectionAborted
                    | io::ErrorKind::BrokenPipe
                    | io::ErrorKind::UnexpectedEof
                    | io::ErrorKind::TimedOut
            ),
            _ => false,
        };
        if passes {
            return Trouble::ForNow {
                message,
                after: None,
            };
        }
        Trouble::Failed(failed(
            message,
            "see whether the server runs and whether --base-url is its address",
        ))
    }

    /// Returns the base address of a server that answers with `location`.
    fn moved_to(&self, location: &str) -> String {
        let host = self.url.find("://").map_or(0, |at| at + 3);
        let root = self.url[host..]
            .find('/')
            .map_or(&*self.url, |at| &self.url[..host + at]);
        // Another path at the same server.
        let same = location.starts_with('/') && !location.starts_with("//");
        let root = if same { root } else { "" };
        format!("{root}{}", base_of(location))
    }

    /// Returns what a status means, with the server's own words.
    fn refused(
        &self,
        status: u16,
        retry_after: Option<Duration>,
        location: Option<&str>,
        words: &str,
    ) -> Trouble {
        let said = if words.is_empty() {
            String::new()
        } else {
            format!(": {words}")
        };
        let message = format!("the server answered {status}{said}");
        let help = match status {
            429 | 500 | 502..=504 | 529 => {
                return Trouble::ForNow {
                    message,
                    after: retry_after,
                };
            }
            300..=399 => {
                let base = location.map_or_else(|| "another address".to_owned(), |to| self.moved_to(to));
                format!("the server is at {}: give that with --base-url", shown(&base))
            }
            401 | 403 if self.key.is_none() => "set OPENAI_API_KEY to a key of this server".to_owned(),
            401 | 403 => "see whether OPENAI_API_KEY is a key of this server, and may use the model".to_owned(),
            404 => format!(
                "see whether --base-url is right (it mostly ends in /v1), and whether the server has the model {}",
                shown(&self.model)
            ),
            _ if ["context", "token", "too long"].iter().any(|word| words.contains(word)) => {
                "`/compact` shortens the conversation; a smaller --context-tokens does so in time".to_owned()
            }
            400 | 422 => "the server does not take the request: if its model has no tools, give --allowed-tools ''".to_owned(),
            _ => "see what the server logs".to_owned(),
        };
        Trouble::Failed(failed(message, help))
    }
}

/// Says that an answer ended too early. With nothing of it shown, it can be
/// asked for again.
fn broken_off(has_heard: bool) -> Trouble {
    let message = "the server ended the answer in the middle".to_owned();
    if has_heard {
        return Trouble::Failed(failed(
            message,
            "what came is kept: say how to go on, or send the message again",
        ));
    }
    Trouble::ForNow {
        message,
        after: None,
    }
}

/// Sends the request and passes on what comes back.
fn speak(
    request: ureq::RequestBuilder<ureq::typestate::WithBody>,
    body: &str,
    sender: &SyncSender<Heard>,
) -> Result<(), mpsc::SendError<Heard>> {
    let response = match request.send(body) {
        Ok(response) => response,
        Err(error) => return sender.send(Heard::Broken(error)),
    };
    let header = |name: &str| {
        response
            .headers()
            .get(name)?
            .to_str()
            .ok()
            .map(str::to_owned)
    };
    let seconds = |text: String| text.trim().parse().ok().map(Duration::from_secs);
    sender.send(Heard::Head {
        status: response.status().as_u16(),
        retry_after: header("retry-after").and_then(seconds),
        location: header("location"),
    })?;
    let mut reader = response.into_body().into_reader();
    let mut buffer = vec![0; 16_384];
    loop {
        match reader.read(&mut buffer) {
            Ok(0) => return sender.send(Heard::End),
            Ok(length) => sender.send(Heard::Bytes(buffer[..length].to_vec()))?,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return sender.send(Heard::Broken(ureq::Error::Io(error))),
        }
    }
}

/// One request on its way.
struct Exchange<'a> {
    receiver: Receiver<Heard>,
    client: &'a Client,
}

impl Exchange<'_> {
    /// Waits for the next that is heard, for as long as patience lasts.
    fn next(&mut self) -> Result<Heard, Trouble> {
        let until = Instant::now() + self.client.patience;
        loop {
            if self.client.interrupts.are_to_stop() {
                return Err(Trouble::Stopped);
            }
            match self.receiver.recv_timeout(TICK) {
                Ok(heard) => return Ok(heard),
                Err(RecvTimeoutError::Disconnected) => return Ok(Heard::End),
                Err(RecvTimeoutError::Timeout) if Instant::now() < until => {}
                Err(RecvTimeoutError::Timeout) => {
                    let seconds = self.client.patience.as_secs();
                    return Err(Trouble::Failed(failed(
                        format!("the server has said nothing for {seconds} s"),
                        "see what the server does, and send the message again",
                    )));
                }
            }
        }
    }

    /// Returns what the server says of a failure, on one line.
    fn words(&mut self) -> Result<String, Trouble> {
        let mut bytes = Vec::new();
        while let Heard::Bytes(more) = self.next()? {
            bytes.extend(more);
            if bytes.len() as u64 > WORDS {
                break;
            }
        }
        let text = String::from_utf8_lossy(&bytes);
        let parsed = serde_json::from_str::<serde_json::Value>(&text).ok();
        let words = parsed.as_ref().and_then(server_words).map(shown);
        // A page for a browser says nothing to a person here.
        let is_page = text.trim_start().starts_with('<');
        Ok(words.unwrap_or_else(|| if is_page { String::new() } else { shown(&text) }))
    }
}

fn words_of(error: &ureq::Error) -> String {
    match error {
        ureq::Error::Io(error) => codeaf_skills::text::system_words(error),
        error => error.to_string(),
    }
}

/// Returns a server's words on one line, and not too many.
fn shown(text: &str) -> String {
    let line = one_line(text);
    match line.char_indices().nth(SHOWN) {
        Some((at, _)) => format!("{}…", &line[..at]),
        None => line.into_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::net::TcpListener;

    /// A client of a server that takes connections and says nothing.
    fn client(listener: &TcpListener, patience: Duration) -> Client {
        Client {
            agent: agent(),
            url: format!(
                "http://{}/v1/chat/completions",
                listener.local_addr().unwrap()
            ),
            model: "m".to_owned(),
            key: None,
            interrupts: Interrupts::default(),
            patience,
            most: 1_000,
        }
    }

    fn ask(client: &Client) -> ModelError {
        let request = Request {
            messages: &[],
            tools: &[],
        };
        let mut model = client.telling(|_| {});
        model.answer(request, &mut |_| {}).unwrap_err()
    }

    #[test]
    fn the_base_of_an_address_is_found_however_it_is_written() {
        let client = client(&TcpListener::bind("127.0.0.1:0").unwrap(), Duration::ZERO);
        let root = client.url.split_once("/v1").unwrap().0;
        for (location, base) in [
            (
                "http://else.where/v1/chat/completions",
                "http://else.where/v1".to_owned(),
            ),
            (
                "http://else.where/v1/chat/completions/",
                "http://else.where/v1".to_owned(),
            ),
            ("https://else.where/", "https://else.where".to_owned()),
            ("/api/v1/chat/completions", format!("{root}/api/v1")),
        ] {
            assert_eq!(client.moved_to(location), base);
        }
        assert_eq!(base_of("http://h/v1//chat/completions//"), "http://h/v1");
    }

    #[test]
    fn a_server_that_says_nothing_is_not_waited_for_without_end() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let client = client(&listener, Duration::from_millis(200));
        let began = Instant::now();

        let error = ask(&client);

        assert_eq!(
            error,
            failed(
                "the server has said nothing for 0 s",
                "see what the server does, and send the message again"
            )
        );
        assert!(began.elapsed() < Duration::from_secs(20));
    }

    #[test]
    fn a_person_who_stops_need_not_wait() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let client = client(&listener, Duration::from_secs(600));
        let interrupts = client.interrupts.clone();
        std::thread::spawn(move || {
            std::thread::sleep(Duration::from_millis(100));
            interrupts.stop();
        });
        let began = Instant::now();

        assert_eq!(ask(&client), ModelError::Stopped);
        assert!(began.elapsed() < Duration::from_secs(20));
    }
}
