//! The server over HTTP: connections, bounds and the end of both.
//!
//! What a request means is decided elsewhere. Nothing here waits for ever: not
//! for the head of a request, nor for its body, nor for a connection at the end.

use std::convert::Infallible;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use http_body_util::channel::Channel;
use http_body_util::combinators::BoxBody;
use http_body_util::{BodyExt, Full, LengthLimitError, Limited};
use hyper::body::{Body, Incoming};
use hyper::header::{
    ACCEPT, ALLOW, CACHE_CONTROL, CONTENT_TYPE, HOST, HeaderMap, HeaderName, HeaderValue, ORIGIN,
    RETRY_AFTER,
};
use hyper::http::uri::Authority;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Request, Response, StatusCode, Uri};
use hyper_util::rt::{TokioIo, TokioTimer};
use serde_json::Value;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::mpsc;
use tokio::task::JoinSet;
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;

use super::connections::{Connection, Connections};
use super::limits;

/// Where the protocol is spoken.
const PATH: &str = "/mcp";

pub(super) const JSON: &str = "application/json";
pub(super) const EVENTS: &str = "text/event-stream";

pub(super) type Answer = Response<BoxBody<Bytes, Infallible>>;

/// What answers a request whose body has arrived.
pub(super) trait Answering: Clone + Send + Sync + 'static {
    /// Answers a request that came in at `local`.
    fn answer(
        &self,
        request: Request<Bytes>,
        local: SocketAddr,
    ) -> impl Future<Output = Answer> + Send;
}

/// Serves until `closing`; then lets running requests end, for
/// [`limits::END`] at most.
pub(super) async fn serve(
    listener: TcpListener,
    answering: impl Answering,
    closing: CancellationToken,
) {
    let all = Connections::new(limits::CONNECTIONS);
    let mut connections = JoinSet::new();
    let next = async || {
        let accepted = listener.accept().await;
        (accepted, all.enter().await)
    };
    loop {
        let (accepted, place) = tokio::select! {
            next = next() => next,
            () = closing.cancelled() => break,
        };
        // Connections that ended are taken off the list.
        while connections.try_join_next().is_some() {}
        match accepted {
            Ok((stream, _)) => {
                let answering = answering.clone();
                connections.spawn(connection(stream, place, answering, closing.clone()));
            }
            // Out of file descriptors, say: one moment later it may do.
            Err(_) => tokio::time::sleep(Duration::from_millis(50)).await,
        }
    }
    drop(listener);
    let all_ended = async { while connections.join_next().await.is_some() {} };
    let _ = timeout(limits::END, all_ended).await;
}

async fn connection(
    stream: TcpStream,
    place: Arc<Connection>,
    answering: impl Answering,
    closing: CancellationToken,
) {
    let Ok(local) = stream.local_addr() else {
        return;
    };
    let _ = stream.set_nodelay(true);
    let must_go = place.must_go.clone();
    let service = service_fn(move |request| {
        let (answering, place) = (answering.clone(), Arc::clone(&place));
        async move { Ok::<_, Infallible>(answer(request, answering, local, place).await) }
    });
    let served = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(limits::ARRIVAL)
        .max_buf_size(limits::HEAD_BYTES)
        .serve_connection(TokioIo::new(stream), service);
    let mut served = std::pin::pin!(served);
    tokio::select! {
        // The client went away, or spoke no HTTP.
        _ = served.as_mut() => return,
        () = must_go.cancelled() => return,
        () = closing.cancelled() => served.as_mut().graceful_shutdown(),
    }
    let _ = served.await;
}

async fn answer(
    request: Request<Incoming>,
    answering: impl Answering,
    local: SocketAddr,
    place: Arc<Connection>,
) -> Answer {
    if request.uri().path() != PATH {
        return refusal(StatusCode::NOT_FOUND, "the protocol is spoken at /mcp");
    }
    if let Some(words) = ambiguity(request.uri(), request.headers()) {
        return refusal(StatusCode::BAD_REQUEST, words);
    }
    // A page can have an image load from here, which sends no origin.
    if request
        .headers()
        .get("sec-fetch-site")
        .is_some_and(|site| site == "cross-site")
    {
        let words = "a page of another site makes this request";
        return refusal(StatusCode::FORBIDDEN, words);
    }
    let (head, body) = request.into_parts();
    let too_large = || {
        let words = format!("the body has more than {} bytes", limits::MESSAGE_BYTES);
        refusal(StatusCode::PAYLOAD_TOO_LARGE, words)
    };
    // What is announced need not be waited for.
    if body.size_hint().lower() > limits::MESSAGE_BYTES as u64 {
        return too_large();
    }
    let body = Limited::new(body, limits::MESSAGE_BYTES).collect();
    match timeout(limits::ARRIVAL, body).await {
        Err(_) => refusal(
            StatusCode::REQUEST_TIMEOUT,
            "the body did not arrive in time",
        ),
        Ok(Err(error)) if error.is::<LengthLimitError>() => too_large(),
        Ok(Err(_)) => refusal(StatusCode::BAD_REQUEST, "the body could not be read"),
        Ok(Ok(body)) => {
            let working = place.work();
            let request = Request::from_parts(head, body.to_bytes());
            let answer = answering.answer(request, local).await;
            // What is there as a whole needs nothing but a client that reads it.
            if answer.body().size_hint().exact().is_some() {
                answer
            } else {
                holding(answer, working)
            }
        }
    }
}

/// Returns what keeps it from being known which host is called, or by whom: one
/// is judged, and another one could be meant.
fn ambiguity(target: &Uri, heads: &HeaderMap) -> Option<&'static str> {
    let count = |name| heads.get_all(name).iter().count();
    // A target may be written out as a whole, for a proxy.
    let whole = target.authority().map(Authority::as_str);
    let host = heads.get(HOST).map(HeaderValue::as_bytes);
    let is_other =
        |whole: &str| host.is_some_and(|host| !host.eq_ignore_ascii_case(whole.as_bytes()));
    let has_user = |host: &[u8]| host.contains(&b'@');
    if count(HOST) > 1 || whole.is_some_and(is_other) {
        Some("the request names more than one host")
    } else if count(ORIGIN) > 1 {
        Some("the request names more than one origin")
    } else if host.or(whole.map(str::as_bytes)).is_some_and(has_user) {
        Some("the host has a user's name before it: write HOST:PORT alone")
    } else {
        None
    }
}

/// Whether `heads` take an answer of this media type. Who says nothing takes
/// everything.
pub(super) fn accepts(heads: &HeaderMap, media_type: &str) -> bool {
    let family = media_type.split_once('/').map_or("", |(family, _)| family);
    let takes = |range: &str| {
        let mut parts = range
            .split(';')
            .map(|part| part.trim().to_ascii_lowercase());
        let named = parts.next().unwrap_or_default();
        let fits = named == media_type || named == "*/*" || named == format!("{family}/*");
        let is_refused = |part: String| {
            let weight = part
                .strip_prefix("q=")
                .and_then(|weight| weight.parse().ok());
            weight.is_some_and(|weight: f32| weight <= 0.0)
        };
        fits && !parts.any(is_refused)
    };
    let mut ranges = heads
        .get_all(ACCEPT)
        .iter()
        .flat_map(|value| value.to_str().unwrap_or_default().split(','))
        .peekable();
    ranges.peek().is_none() || ranges.any(takes)
}

/// Whether the body is said to be JSON.
pub(super) fn is_json(heads: &HeaderMap) -> bool {
    let value = heads
        .get(CONTENT_TYPE)
        .and_then(|value| value.to_str().ok());
    let media_type = value.and_then(|value| value.split(';').next());
    media_type.is_some_and(|named| named.trim().eq_ignore_ascii_case(JSON))
}

/// Keeps `held` until the body of `answer` is sent or given up.
pub(super) fn holding(answer: Answer, held: impl Send + Sync + 'static) -> Answer {
    answer.map(|body| {
        let keep = move |frame| {
            let _ = &held;
            frame
        };
        body.map_frame(keep).boxed()
    })
}

/// Answers with a stream of `events`, as server-sent events, until `closing`.
pub(super) fn event_stream(
    mut events: mpsc::Receiver<String>,
    closing: CancellationToken,
) -> Answer {
    let (mut sender, body) = Channel::new(1);
    // Falls with the body, when the client is gone.
    let gone = CancellationToken::new();
    let guard = gone.clone().drop_guard();
    tokio::spawn(async move {
        loop {
            let sent = tokio::select! {
                () = closing.cancelled() => return,
                () = gone.cancelled() => return,
                event = events.recv() => match event {
                    Some(event) => format!("data: {event}\n\n"),
                    None => return,
                },
                // A comment, so that nothing between us takes it for dead.
                () = tokio::time::sleep(limits::KEEP_ALIVE) => ":\n\n".to_owned(),
            };
            if sender.send_data(Bytes::from(sent)).await.is_err() {
                return;
            }
        }
    });
    let response = with(Response::new(body.boxed()), CONTENT_TYPE, EVENTS);
    holding(with(response, CACHE_CONTROL, "no-cache"), guard)
}

/// Answers with what is to be read by a program.
pub(super) fn json(status: StatusCode, value: &Value) -> Answer {
    let mut response = Response::new(Full::from(value.to_string()).boxed());
    *response.status_mut() = status;
    with(response, CONTENT_TYPE, JSON)
}

/// Refuses with what is to be read by a person.
pub(super) fn refusal(status: StatusCode, words: impl Into<Bytes>) -> Answer {
    let mut response = Response::new(Full::new(words.into()).boxed());
    *response.status_mut() = status;
    with(response, CONTENT_TYPE, "text/plain; charset=utf-8")
}

pub(super) fn no_such_method() -> Answer {
    let words = "requests are sent with POST; GET opens the stream of changes";
    with(
        refusal(StatusCode::METHOD_NOT_ALLOWED, words),
        ALLOW,
        "GET, POST",
    )
}

/// Refuses one more stream of changes.
pub(super) fn no_more_streams() -> Answer {
    let words = "all streams of changes are taken: end one, or come again later; other requests are answered";
    with(
        refusal(StatusCode::SERVICE_UNAVAILABLE, words),
        RETRY_AFTER,
        "10",
    )
}

fn with(mut answer: Answer, name: HeaderName, value: &'static str) -> Answer {
    answer
        .headers_mut()
        .insert(name, HeaderValue::from_static(value));
    answer
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_is_taken_by_name_by_family_or_by_silence() {
        for (accept, takes) in [
            (&[][..], true),
            (&["application/json"], true),
            (&["Application/JSON; charset=utf-8"], true),
            (&["text/html, application/*;q=0.8"], true),
            (&["*/*"], true),
            (&["text/event-stream", "application/json"], true),
            (&["text/event-stream"], false),
            (&["text/*"], false),
            (&["application/json;q=0"], false),
            (&["application/json; q=0.0, text/html"], false),
            (&[""], false),
        ] {
            let mut heads = HeaderMap::new();
            for value in accept {
                heads.append(ACCEPT, HeaderValue::from_static(value));
            }
            assert_eq!(accepts(&heads, JSON), takes, "{accept:?}");
        }
    }
}
