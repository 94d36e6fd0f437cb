//! The Model Context Protocol, in the words of its SDK: the only room that knows
//! it.
//!
//! Requests come in, the library is asked, and its answers are put into the
//! protocol's forms. Versions and their differences are the SDK's business.

mod endpoint;
mod forms;
mod handler;
mod pages;
mod server;
mod transport;

use std::sync::Arc;

use rmcp::model::{ClientJsonRpcMessage, ClientRequest, ProtocolVersion};
use rmcp::service::serve_server_with_ct;
use serde::Deserialize;
use tokio::sync::mpsc;

use super::lines::Line;
use super::message::{self, Refusal};
use super::skills::Skills;
use server::Server;
use transport::Lines;

pub(super) use endpoint::Endpoint;

/// The versions that are spoken. An older client is offered the newest that has
/// a handshake.
const VERSIONS: [ProtocolVersion; 3] = [
    ProtocolVersion::V_2025_06_18,
    ProtocolVersion::V_2025_11_25,
    ProtocolVersion::V_2026_07_28,
];

/// Speaks the protocol over lines until the client hangs up or the process is to
/// end. `asks_roots`: whether the client's roots say which project is meant.
pub(super) async fn serve_stdio(
    skills: &Arc<Skills>,
    incoming: mpsc::Receiver<Line>,
    outgoing: mpsc::Sender<Vec<u8>>,
    asks_roots: bool,
) {
    let lines = Lines::new(skills, incoming, outgoing);
    let server = Server::of_connection(skills, asks_roots);
    let closing = skills.closing.clone();
    // An error is that the client hung up, or that the process is to end, before
    // a first request.
    if let Ok(running) = serve_server_with_ct(server, lines, closing).await {
        drop(running.waiting().await);
    }
}

/// Reads a message in the SDK's form.
fn read(bytes: &[u8]) -> Result<ClientJsonRpcMessage, Refusal> {
    let message = message::judge(bytes)?;
    match ClientJsonRpcMessage::deserialize(&message) {
        Ok(ClientJsonRpcMessage::Request(request))
            if matches!(request.request, ClientRequest::CustomRequest(_)) =>
        {
            Err(Refusal::unfit(&message))
        }
        Ok(message) => Ok(message),
        Err(_) => Err(Refusal::unfit(&message)),
    }
}
