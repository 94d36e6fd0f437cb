//! The protocol over HTTP: who may call, what is a stream, and what the SDK is
//! given.

use std::io;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;

use bytes::Bytes;
use codeaf_skills::text::one_line;
use http_body_util::Full;
use hyper::header::{ACCEPT, HeaderMap, HeaderValue};
use hyper::http::request::Parts;
use hyper::{Method, Request, StatusCode};
use rmcp::model::{ClientJsonRpcMessage, ClientRequest, GetMeta};
use rmcp::transport::streamable_http_server::session::never::NeverSessionManager;
use rmcp::transport::{StreamableHttpServerConfig, StreamableHttpService};
use serde_json::json;
use tokio::sync::{Semaphore, mpsc};

use super::server::{Server, settle};
use super::{VERSIONS, read};
use crate::mcp::http::{self, Answer, Answering};
use crate::mcp::limits;
use crate::mcp::message::Refusal;
use crate::mcp::skills::Skills;

type Service = StreamableHttpService<Server, NeverSessionManager>;

/// The protocol over HTTP: without sessions, so that each request stands alone.
#[derive(Clone)]
pub(in crate::mcp) struct Endpoint {
    skills: Arc<Skills>,
    hosts: Arc<[String]>,
    /// Places of streams of changes.
    streams: Arc<Semaphore>,
}

impl Endpoint {
    /// `hosts` are names by which clients may call, beside those of this machine.
    pub(in crate::mcp) fn new(skills: &Arc<Skills>, hosts: &[String]) -> Self {
        Self {
            skills: Arc::clone(skills),
            hosts: hosts.into(),
            streams: Arc::new(Semaphore::new(limits::STREAMS)),
        }
    }

    /// Returns who may be called, and who may call, on a connection to `local`:
    /// a page of another site that made a browser come here names another host.
    fn names(&self, local: IpAddr) -> (Vec<String>, Vec<String>) {
        let local = local.to_canonical().to_string();
        let own = ["localhost", "127.0.0.1", "::1", &local];
        let hosts: Vec<String> = own
            .into_iter()
            .map(str::to_owned)
            .chain(self.hosts.iter().cloned())
            .collect();
        let origins = hosts.iter().flat_map(|host| {
            let host = if host.contains(':') {
                format!("[{host}]")
            } else {
                host.clone()
            };
            ["http", "https"].map(|scheme| format!("{scheme}://{host}:*"))
        });
        let origins = origins.collect();
        (hosts, origins)
    }

    /// Returns what answers one request that came in at `local`.
    fn service(&self, local: IpAddr) -> Service {
        let (hosts, origins) = self.names(local);
        let config = StreamableHttpServerConfig::default()
            .with_legacy_session_mode(false)
            .with_json_response(true)
            .with_allowed_hosts(hosts)
            .with_allowed_origins(origins)
            .enforce_origin_validation()
            .with_max_request_body_bytes(limits::MESSAGE_BYTES)
            .with_cancellation_token(self.skills.closing.clone());
        let server = Server::of_request(&self.skills);
        let make = move || Ok::<_, io::Error>(server.clone());
        StreamableHttpService::new(make, Arc::new(NeverSessionManager::default()), config)
    }

    /// Opens the stream of changes.
    async fn changes(&self, heads: &HeaderMap) -> Answer {
        if let Some(answer) = unspoken(heads) {
            return answer;
        }
        if !http::accepts(heads, http::EVENTS) {
            let words = "changes are told as text/event-stream, which `Accept` leaves out";
            return http::refusal(StatusCode::NOT_ACCEPTABLE, words);
        }
        match Arc::clone(&self.streams).try_acquire_owned() {
            Ok(place) => {
                settle(&self.skills).await;
                let stream = http::event_stream(events(&self.skills), self.skills.closing.clone());
                http::holding(stream, place)
            }
            Err(_) => http::no_more_streams(),
        }
    }

    async fn message(&self, service: Service, mut head: Parts, body: Bytes) -> Answer {
        if !http::accepts(&head.headers, http::JSON) {
            let words = "answers are application/json, which `Accept` leaves out";
            return http::refusal(StatusCode::NOT_ACCEPTABLE, words);
        }
        if !http::is_json(&head.headers) {
            let words = "a message is application/json, and `Content-Type` must say so";
            return http::refusal(StatusCode::UNSUPPORTED_MEDIA_TYPE, words);
        }
        let request = match read(&body) {
            Ok(ClientJsonRpcMessage::Request(request)) => Some(request.request),
            Ok(_) => None,
            Err(refusal) => return http::json(status(&refusal), &refusal.to_json()),
        };
        if !request.as_ref().is_some_and(says_version)
            && let Some(answer) = unspoken(&head.headers)
        {
            return answer;
        }
        let is_stream = matches!(request, Some(ClientRequest::SubscriptionsListenRequest(_)));
        // The SDK takes only those who name both.
        let both = HeaderValue::from_static("application/json, text/event-stream");
        head.headers.insert(ACCEPT, both);
        let request = Request::from_parts(head, Full::new(body));
        if !is_stream {
            return service.handle(request).await;
        }
        match Arc::clone(&self.streams).try_acquire_owned() {
            Ok(place) => http::holding(service.handle(request).await, place),
            Err(_) => http::no_more_streams(),
        }
    }
}

impl Answering for Endpoint {
    async fn answer(&self, request: Request<Bytes>, local: SocketAddr) -> Answer {
        let service = self.service(local.ip());
        let (head, body) = request.into_parts();
        // The SDK judges host and origin before it says that it does not know a
        // method.
        let mut caller = Request::from_parts(head.clone(), Full::<Bytes>::default());
        *caller.method_mut() = Method::OPTIONS;
        let judged = service.handle(caller).await;
        if judged.status() != StatusCode::METHOD_NOT_ALLOWED {
            return judged;
        }
        match head.method {
            Method::GET => self.changes(&head.headers).await,
            Method::POST => self.message(service, head, body).await,
            _ => http::no_such_method(),
        }
    }
}

/// Whether a request names its version itself, which the SDK judges: a handshake
/// may ask for any.
fn says_version(request: &ClientRequest) -> bool {
    matches!(request, ClientRequest::InitializeRequest(_))
        || request.get_meta().protocol_version().is_some()
}

/// Refuses a version that is not spoken. Who names none is taken for an older
/// client, as the protocol says.
fn unspoken(heads: &HeaderMap) -> Option<Answer> {
    let is_spoken = |named: &HeaderValue| {
        VERSIONS
            .iter()
            .any(|spoken| spoken.as_str().as_bytes() == named.as_bytes())
    };
    let named = heads.get_all("mcp-protocol-version");
    let named = named.iter().find(|named| !is_spoken(named))?;
    let named = String::from_utf8_lossy(named.as_bytes());
    let [oldest, middle, newest] = VERSIONS;
    let words = format!(
        "`MCP-Protocol-Version` is `{}`, and what is spoken here is {oldest}, {middle} and {newest}",
        one_line(&named)
    );
    Some(http::refusal(StatusCode::BAD_REQUEST, words))
}

/// Returns the status of an answer that refuses.
fn status(refusal: &Refusal) -> StatusCode {
    if refusal.is_of_form() {
        StatusCode::BAD_REQUEST
    } else if refusal.is_nowhere() {
        StatusCode::NOT_FOUND
    } else {
        StatusCode::OK
    }
}

/// Returns each change as the notifications that tell it, until nobody takes
/// them.
fn events(skills: &Arc<Skills>) -> mpsc::Receiver<String> {
    let (sender, receiver) = mpsc::channel(1);
    let mut changes = skills.changes();
    let mut seen = *changes.borrow_and_update();
    tokio::spawn(async move {
        loop {
            tokio::select! {
                () = sender.closed() => return,
                next = changes.changed() => if next.is_err() { return },
            }
            let now = *changes.borrow_and_update();
            for list in now.since(seen) {
                let method = format!("notifications/{list}/list_changed");
                let event = json!({"jsonrpc": "2.0", "method": method}).to_string();
                if sender.send(event).await.is_err() {
                    return;
                }
            }
            seen = now;
        }
    });
    receiver
}
