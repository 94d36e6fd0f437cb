//! The protocol over lines, as the SDK reads and writes it.

use std::collections::HashSet;
use std::io;
use std::sync::Arc;

use rmcp::RoleServer;
use rmcp::model::{
    ClientJsonRpcMessage, ClientNotification, ClientRequest, GetMeta, ProtocolVersion, RequestId,
    ServerJsonRpcMessage,
};
use rmcp::transport::Transport;
use tokio::sync::mpsc;

use super::{VERSIONS, read};
use crate::mcp::limits;
use crate::mcp::lines::Line;
use crate::mcp::message::Refusal;
use crate::mcp::skills::Skills;

/// The protocol over lines. What is no request is answered, too: with what is
/// wrong with it.
pub(super) struct Lines {
    incoming: mpsc::Receiver<Line>,
    outgoing: mpsc::Sender<Vec<u8>>,
    /// Whether a request came in that opens the connection. Before it, the SDK
    /// would take a notification for the end.
    is_open: bool,
    /// Requests that are not answered yet. The SDK would answer two of one id,
    /// and let only the last be cancelled.
    unanswered: HashSet<RequestId>,
    skills: Arc<Skills>,
}

impl Lines {
    pub(super) fn new(
        skills: &Arc<Skills>,
        incoming: mpsc::Receiver<Line>,
        outgoing: mpsc::Sender<Vec<u8>>,
    ) -> Self {
        Self {
            incoming,
            outgoing,
            is_open: false,
            unanswered: HashSet::new(),
            skills: Arc::clone(skills),
        }
    }

    /// Returns the message on a line; nothing if there is none, which is
    /// answered.
    async fn message(&mut self, line: &[u8]) -> Option<ClientJsonRpcMessage> {
        let line = line.strip_prefix(b"\xef\xbb\xbf").unwrap_or(line);
        let line = line.trim_ascii();
        if line.is_empty() {
            return None;
        }
        let refusal = match read(line) {
            Ok(ClientJsonRpcMessage::Request(request)) => {
                self.is_open |= opens(&request.request);
                if !self.is_open && !is_before_opening(&request.request) {
                    Refusal::too_early(request.id.into_json_value())
                } else if self.unanswered.insert(request.id.clone()) {
                    return Some(ClientJsonRpcMessage::Request(request));
                } else {
                    Refusal::in_use(request.id.into_json_value())
                }
            }
            Ok(other) => {
                self.forget_cancelled(&other);
                return Some(other).filter(|_| self.is_open);
            }
            Err(refusal) => refusal,
        };
        self.refuse(&refusal).await;
        None
    }

    /// What is cancelled need not be answered.
    fn forget_cancelled(&mut self, message: &ClientJsonRpcMessage) {
        if let ClientJsonRpcMessage::Notification(told) = message
            && let ClientNotification::CancelledNotification(cancelled) = &told.notification
            && let Some(id) = &cancelled.params.request_id
        {
            self.unanswered.remove(id);
        }
    }

    async fn refuse(&mut self, refusal: &Refusal) {
        if refusal.is_awaited {
            let answer = refusal.to_json().to_string();
            // If it cannot be written, reading ends as well.
            let _ = self.outgoing.send(answer.into_bytes()).await;
        }
    }
}

/// Whether the SDK takes a request for the first of a connection: a handshake,
/// or one that says all that a handshake would.
fn opens(request: &ClientRequest) -> bool {
    let newest = ProtocolVersion::V_2026_07_28;
    match request {
        ClientRequest::InitializeRequest(_) => true,
        ClientRequest::PingRequest(_) | ClientRequest::DiscoverRequest(_) => false,
        request => {
            let meta = request.get_meta();
            let is_spoken = |version| VERSIONS.contains(&version);
            meta.missing_required_keys(&newest).is_empty()
                && meta.protocol_version().is_some_and(is_spoken)
        }
    }
}

/// Whether a request may come before one that opens the connection, or the SDK
/// has better words for why it may not.
fn is_before_opening(request: &ClientRequest) -> bool {
    matches!(
        request,
        ClientRequest::PingRequest(_) | ClientRequest::DiscoverRequest(_)
    ) || request.get_meta().protocol_version().is_some()
}

/// Returns the id of the request that a message answers.
fn answered(message: &ServerJsonRpcMessage) -> Option<&RequestId> {
    match message {
        ServerJsonRpcMessage::Response(answer) => Some(&answer.id),
        ServerJsonRpcMessage::Error(answer) => answer.id.as_ref(),
        _ => None,
    }
}

impl Transport<RoleServer> for Lines {
    type Error = io::Error;

    fn send(
        &mut self,
        message: ServerJsonRpcMessage,
    ) -> impl Future<Output = Result<(), Self::Error>> + Send + 'static {
        let outgoing = self.outgoing.clone();
        if let Some(id) = answered(&message) {
            self.unanswered.remove(id);
        }
        async move {
            let line = serde_json::to_vec(&message)?;
            outgoing
                .send(line)
                .await
                .map_err(|_| io::ErrorKind::BrokenPipe.into())
        }
    }

    async fn receive(&mut self) -> Option<ClientJsonRpcMessage> {
        loop {
            // A client that does not read its answers is not read from.
            let line = match self.outgoing.reserve().await {
                Ok(_) => tokio::select! {
                    line = self.incoming.recv() => line,
                    // Nothing can be answered any more.
                    () = self.outgoing.closed() => None,
                },
                Err(_) => None,
            };
            let Some(line) = line else {
                // What listens for changes would go on listening.
                self.skills.hung_up.cancel();
                return None;
            };
            let message = match line {
                Line::Whole(line) => self.message(&line).await,
                Line::TooLong => {
                    let words = format!("the line has more than {} bytes", limits::MESSAGE_BYTES);
                    self.refuse(&Refusal::unreadable(words)).await;
                    None
                }
            };
            if message.is_some() {
                return message;
            }
        }
    }

    async fn close(&mut self) -> Result<(), Self::Error> {
        Ok(())
    }
}
