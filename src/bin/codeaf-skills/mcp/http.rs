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
use hyper::body::Incoming;
use hyper::header::{CACHE_CONTROL, CONTENT_TYPE, HeaderValue};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Request, Response, StatusCode};
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Semaphore, mpsc};
use tokio::task::JoinSet;
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;

use super::lines::LINE_BYTES;

/// Where the protocol is spoken.
const PATH: &str = "/mcp";
/// Connections at once. An agent opens a few; more wait their turn.
const CONNECTIONS: usize = 128;
/// Bytes of the head of a request.
const HEAD_BYTES: usize = 65_536;
/// How long the head of a request may take to arrive, and its body.
const ARRIVAL: Duration = Duration::from_secs(15);
/// How long a stream of events is silent at most.
const KEEP_ALIVE: Duration = Duration::from_secs(15);

pub(super) type Answer = Response<BoxBody<Bytes, Infallible>>;

/// What answers a request whose body has arrived.
pub(super) trait Answering: Clone + Send + Sync + 'static {
    /// Answers a request that came in at `local`.
    fn answer(
        &self,
        request: Request<Full<Bytes>>,
        local: SocketAddr,
    ) -> impl Future<Output = Answer> + Send;
}

/// Serves until `closing`; then lets running requests end, for `patience` at
/// most.
pub(super) async fn serve(
    listener: TcpListener,
    answering: impl Answering,
    closing: CancellationToken,
    patience: Duration,
) {
    let room = Arc::new(Semaphore::new(CONNECTIONS));
    let mut connections = JoinSet::new();
    loop {
        let Ok(place) = Arc::clone(&room).acquire_owned().await else {
            break;
        };
        let accepted = tokio::select! {
            accepted = listener.accept() => accepted,
            () = closing.cancelled() => break,
        };
        // Connections that ended are taken off the list.
        while connections.try_join_next().is_some() {}
        match accepted {
            Ok((stream, _)) => {
                let connection = connection(stream, answering.clone(), closing.clone());
                connections.spawn(async move {
                    connection.await;
                    drop(place);
                });
            }
            // Out of file descriptors, say: one moment later it may do.
            Err(_) => tokio::time::sleep(Duration::from_millis(50)).await,
        }
    }
    drop(listener);
    let all_ended = async { while connections.join_next().await.is_some() {} };
    let _ = timeout(patience, all_ended).await;
}

async fn connection(stream: TcpStream, answering: impl Answering, closing: CancellationToken) {
    let Ok(local) = stream.local_addr() else {
        return;
    };
    let _ = stream.set_nodelay(true);
    let service = service_fn(move |request| {
        let answering = answering.clone();
        async move { Ok::<_, Infallible>(answer(request, answering, local).await) }
    });
    let served = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(ARRIVAL)
        .max_buf_size(HEAD_BYTES)
        .serve_connection(TokioIo::new(stream), service);
    let mut served = std::pin::pin!(served);
    tokio::select! {
        // The client went away, or spoke no HTTP.
        _ = served.as_mut() => return,
        () = closing.cancelled() => served.as_mut().graceful_shutdown(),
    }
    let _ = served.await;
}

async fn answer(
    request: Request<Incoming>,
    answering: impl Answering,
    local: SocketAddr,
) -> Answer {
    if request.uri().path() != PATH {
        return refusal(StatusCode::NOT_FOUND, "the protocol is spoken at /mcp");
    }
    let (head, body) = request.into_parts();
    match timeout(ARRIVAL, Limited::new(body, LINE_BYTES).collect()).await {
        Err(_) => refusal(
            StatusCode::REQUEST_TIMEOUT,
            "the body did not arrive in time",
        ),
        Ok(Err(error)) if error.is::<LengthLimitError>() => refusal(
            StatusCode::PAYLOAD_TOO_LARGE,
            "the body has more than 4,194,304 bytes",
        ),
        Ok(Err(_)) => refusal(StatusCode::BAD_REQUEST, "the body could not be read"),
        Ok(Ok(body)) => {
            let request = Request::from_parts(head, Full::new(body.to_bytes()));
            answering.answer(request, local).await
        }
    }
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
    let body = body.map_frame(move |frame| {
        let _ = &guard;
        frame
    });
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
                () = tokio::time::sleep(KEEP_ALIVE) => ":\n\n".to_owned(),
            };
            if sender.send_data(Bytes::from(sent)).await.is_err() {
                return;
            }
        }
    });
    let mut response = Response::new(body.boxed());
    let heads = response.headers_mut();
    heads.insert(CONTENT_TYPE, HeaderValue::from_static("text/event-stream"));
    heads.insert(CACHE_CONTROL, HeaderValue::from_static("no-cache"));
    response
}

fn refusal(status: StatusCode, words: &'static str) -> Answer {
    let mut response = Response::new(Full::from(words).boxed());
    *response.status_mut() = status;
    response
}
