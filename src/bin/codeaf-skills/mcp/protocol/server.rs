//! Who answers: one server a connection over lines, and one a request over HTTP.

use std::sync::{Arc, Mutex, PoisonError};

use codeaf_skills::disclosure::{FILE_TOOL, ToolCall};
use codeaf_skills::text::{one_line, write_json};
use codeaf_skills::{CatalogForm, Freshness, Ledger, Reply, Snapshot};
use rmcp::model::{CallToolResult, ContentBlock, Implementation, ServerCapabilities, ServerConfig};
use rmcp::service::Peer;
use rmcp::{ErrorData, RoleServer};
use serde_json::Value;
use tokio::sync::watch;

use crate::mcp::limits;
use crate::mcp::skills::{Changes, Skills};

/// What stands above the catalog in the server's instructions.
const INSTRUCTIONS: &str = "\
This server offers the user's Agent Skills. The user decides which ones are on, with the program \
`codeaf-skills`; the tool `skill` loads those that are, and `read_skill_file` reads the files that they bundle.";

/// Answers the requests of one client; over HTTP, one request.
#[derive(Clone)]
pub(super) struct Server {
    pub(super) skills: Arc<Skills>,
    /// What the connection has loaded; none where every request stands alone.
    pub(super) ledger: Option<Arc<Mutex<Ledger>>>,
    /// The changes that who listens on the connection was told of.
    pub(super) told: Arc<Mutex<Changes>>,
    pub(super) asks_roots: bool,
    pub(super) roots: watch::Sender<Roots>,
    /// Held while the client is asked for its roots, so that its last answer is
    /// the last to be heeded.
    asking: Arc<tokio::sync::Mutex<()>>,
}

/// Whether it is known which project is meant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Roots {
    Settled,
    Awaited,
}

impl Server {
    /// Returns what answers one client for as long as it stays.
    pub(super) fn of_connection(skills: &Arc<Skills>, asks_roots: bool) -> Self {
        Self {
            ledger: Some(Arc::default()),
            // The client may have had a list before it listens.
            told: Arc::default(),
            asks_roots,
            ..Self::of_request(skills)
        }
    }

    /// Returns what answers one request that stands alone.
    pub(super) fn of_request(skills: &Arc<Skills>) -> Self {
        Self {
            skills: Arc::clone(skills),
            ledger: None,
            told: Arc::new(Mutex::new(*skills.changes().borrow())),
            asks_roots: false,
            roots: watch::Sender::new(Roots::Settled),
            asking: Arc::default(),
        }
    }

    /// Returns the skills as they are now, once it is known of which project.
    pub(super) async fn now(&self) -> Snapshot {
        let mut roots = self.roots.subscribe();
        let settled = roots.wait_for(|roots| *roots == Roots::Settled);
        if tokio::time::timeout(limits::ROOTS_PATIENCE, settled)
            .await
            .is_err()
        {
            self.skills
                .log
                .warn("the client did not say its roots, so the working folder counts");
            self.roots.send_replace(Roots::Settled);
        }
        settle(&self.skills).await;
        self.skills.now()
    }

    /// Does what reads much on a thread of its own.
    pub(super) async fn reading<T: Send + 'static>(
        &self,
        read: impl FnOnce(&Snapshot) -> T + Send + 'static,
    ) -> Result<T, ErrorData> {
        let snapshot = self.now().await;
        tokio::task::spawn_blocking(move || read(&snapshot))
            .await
            .map_err(|error| ErrorData::internal_error(error.to_string(), None))
    }

    pub(super) async fn ask_for_roots(&self, peer: Peer<RoleServer>) {
        let _asking = self.asking.lock().await;
        let what_holds = match *self.roots.borrow() {
            Roots::Awaited => "so the working folder counts",
            Roots::Settled => "so what was served before stays",
        };
        #[expect(deprecated, reason = "what clients of these versions have")]
        match tokio::time::timeout(limits::ROOTS_PATIENCE, peer.list_roots()).await {
            Ok(Ok(listed)) => {
                let roots: Vec<String> = listed.roots.into_iter().map(|root| root.uri).collect();
                let skills = Arc::clone(&self.skills);
                // Fails only if it panics, and then the roots stay as they were.
                let _ = tokio::task::spawn_blocking(move || skills.move_to(&roots)).await;
            }
            Ok(Err(error)) => self.skills.log.warn(&format!(
                "the client did not say its roots, {what_holds}: {error}"
            )),
            Err(_) => self
                .skills
                .log
                .warn(&format!("the client did not say its roots, {what_holds}")),
        }
        self.roots.send_replace(Roots::Settled);
    }

    pub(super) fn info() -> ServerConfig {
        let capabilities = ServerCapabilities::builder()
            .enable_tools()
            .enable_tool_list_changed()
            .enable_prompts()
            .enable_prompts_list_changed()
            .enable_resources()
            .enable_resources_list_changed()
            .enable_skills_with_directory_read()
            .build();
        let program = Implementation::new("codeaf-skills", env!("CARGO_PKG_VERSION"))
            .with_title("Agent Skills");
        ServerConfig::new(capabilities).with_server_info(program)
    }

    /// Returns the instructions, as they are at the start.
    pub(super) async fn instructions(&self) -> String {
        // The lists wait for the roots, and what they show is not known before.
        if *self.roots.borrow() == Roots::Settled {
            settle(&self.skills).await;
        }
        let snapshot = self.skills.now();
        if let Some(fault) = snapshot.scope_faults().next() {
            let fault = one_line(&fault.diagnostic.to_string()).into_owned();
            return format!(
                "{INSTRUCTIONS}\n\nNo skill can be offered until the user mends a file: {fault}"
            );
        }
        // Without a budget it always fits.
        match snapshot.catalog().render(CatalogForm::Text, None) {
            Ok(catalog) if !catalog.text.is_empty() => {
                format!("{INSTRUCTIONS}\n\n{}", catalog.text)
            }
            _ => INSTRUCTIONS.to_owned(),
        }
    }

    pub(super) fn call_skill(&self, snapshot: &Snapshot, arguments: &Value) -> Reply {
        let mut ledger = self
            .ledger
            .as_ref()
            .map(|ledger| ledger.lock().unwrap_or_else(PoisonError::into_inner));
        let call = ToolCall {
            snapshot,
            ledger: ledger.as_deref_mut(),
            freshness: Freshness::Fresh,
            read_tool: Some(FILE_TOOL),
        };
        call.answer(arguments, || snapshot.reload())
    }

    pub(super) fn result(&self, reply: &Reply) -> CallToolResult {
        for found in &reply.diagnostics {
            self.skills.log.finding(found);
        }
        let mut text = Vec::new();
        // Writing to memory does not fail.
        let _ = write_json(&mut text, &reply.message);
        let content = vec![ContentBlock::text(String::from_utf8_lossy(&text))];
        if reply.message["ok"] == true {
            CallToolResult::success(content)
        } else {
            CallToolResult::error(content)
        }
    }
}

/// Fixes what the lists show, on a thread of its own: folders are walked for it.
pub(super) async fn settle(skills: &Arc<Skills>) {
    if !skills.is_settled() {
        let skills = Arc::clone(skills);
        // Fails only if it panics, and then the next answer tries again.
        let _ = tokio::task::spawn_blocking(move || skills.settle()).await;
    }
}
