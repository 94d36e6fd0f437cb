//! The Model Context Protocol, in the words of its SDK: the only file that
//! knows it.
//!
//! Requests come in, the library is asked, and its answers are put into the
//! protocol's forms. Versions and their differences are the SDK's business.

use std::borrow::Cow;
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::sync::{Arc, Mutex, PoisonError};

use bytes::Bytes;
use codeaf_skills::disclosure::{FILE_TOOL, ServedError, ToolCall};
use codeaf_skills::skill::resources::Carried;
use codeaf_skills::text::{one_line, write_json};
use codeaf_skills::{
    ActivationError, CatalogForm, Freshness, Ledger, Reply, ResourceError, Snapshot,
};
use http_body_util::Full;
use hyper::header::{ACCEPT, HeaderMap, HeaderValue};
use hyper::http::request::Parts;
use hyper::{Method, Request, StatusCode};
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ClientCapabilities,
    ClientJsonRpcMessage, ClientRequest, ContentBlock, DiscoverResult, GetMeta,
    GetPromptRequestParams, GetPromptResponse, GetPromptResult, GetSkillRequestParams,
    GetSkillResult, Implementation, InitializeRequestParams, InitializeResult, JsonObject,
    ListPromptsResult, ListResourcesResult, ListSkillsResult, ListToolsResult,
    PaginatedRequestParams, Prompt, PromptArgument, PromptMessage, ProtocolVersion,
    ReadResourceDirectoryRequestParams, ReadResourceDirectoryResult, ReadResourceRequestParams,
    ReadResourceResponse, ReadResourceResult, Resource, ResourceContents, Role, ServerCapabilities,
    ServerConfig, ServerJsonRpcMessage, Skill, SubscriptionFilter, Tool, ToolAnnotations,
};
use rmcp::service::{
    NotificationContext, Peer, RequestContext, SubscriptionContext, serve_server_with_ct,
};
use rmcp::transport::streamable_http_server::session::never::NeverSessionManager;
use rmcp::transport::{StreamableHttpServerConfig, StreamableHttpService, Transport};
use rmcp::{ErrorData, RoleServer, ServerHandler};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use tokio::sync::{Semaphore, mpsc, watch as watching};

use super::http::{self, Answer, Answering};
use super::limits;
use super::lines::Line;
use super::message::{self, Refusal};
use super::skills::{Changes, List, Shown, Skills, prompts, tools};
use super::watch;

/// The versions that are spoken. An older client is offered the newest that has
/// a handshake.
const VERSIONS: [ProtocolVersion; 3] = [
    ProtocolVersion::V_2025_06_18,
    ProtocolVersion::V_2025_11_25,
    ProtocolVersion::V_2026_07_28,
];

/// What stands above the catalog in the server's instructions.
const INSTRUCTIONS: &str = "\
This server offers the user's Agent Skills. The user decides which ones are on, with the program \
`codeaf-skills`; the tool `skill` loads those that are, and `read_skill_file` reads the files that they bundle.";

type Service = StreamableHttpService<Server, NeverSessionManager>;

/// Speaks the protocol over lines until the client hangs up or the process is to
/// end. `asks_roots`: whether the client's roots say which project is meant.
pub(super) async fn serve_stdio(
    skills: &Arc<Skills>,
    incoming: mpsc::Receiver<Line>,
    outgoing: mpsc::Sender<Vec<u8>>,
    asks_roots: bool,
) {
    let lines = Lines {
        incoming,
        outgoing,
        is_open: false,
        skills: Arc::clone(skills),
    };
    let server = Server {
        skills: Arc::clone(skills),
        ledger: Some(Arc::default()),
        asks_roots,
        roots: watching::Sender::new(Roots::Settled),
        asking: Arc::default(),
    };
    let closing = skills.closing.clone();
    // An error is that the client hung up, or that the process is to end, before
    // a first request.
    if let Ok(running) = serve_server_with_ct(server, lines, closing).await {
        drop(running.waiting().await);
    }
}

/// The protocol over HTTP: without sessions, so that each request stands alone.
#[derive(Clone)]
pub(super) struct Endpoint {
    skills: Arc<Skills>,
    hosts: Arc<[String]>,
    /// Places of streams of changes.
    streams: Arc<Semaphore>,
}

impl Endpoint {
    /// `hosts` are names by which clients may call, beside those of this machine.
    pub(super) fn new(skills: &Arc<Skills>, hosts: &[String]) -> Self {
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
}

impl Endpoint {
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
        let server = Server {
            skills: Arc::clone(&self.skills),
            ledger: None,
            asks_roots: false,
            roots: watching::Sender::new(Roots::Settled),
            asking: Arc::default(),
        };
        let make = move || Ok::<_, io::Error>(server.clone());
        StreamableHttpService::new(make, Arc::new(NeverSessionManager::default()), config)
    }

    /// Opens the stream of changes.
    fn changes(&self, heads: &HeaderMap) -> Answer {
        if !http::accepts(heads, http::EVENTS) {
            let words = "changes are told as text/event-stream, which `Accept` leaves out";
            return http::refusal(StatusCode::NOT_ACCEPTABLE, words);
        }
        match Arc::clone(&self.streams).try_acquire_owned() {
            Ok(place) => {
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
        let is_stream = match read(&body) {
            Ok(ClientJsonRpcMessage::Request(request)) => {
                matches!(
                    request.request,
                    ClientRequest::SubscriptionsListenRequest(_)
                )
            }
            Ok(_) => false,
            Err(refusal) => {
                let status = if refusal.is_of_form() {
                    StatusCode::BAD_REQUEST
                } else if refusal.is_nowhere() {
                    StatusCode::NOT_FOUND
                } else {
                    StatusCode::OK
                };
                return http::json(status, &refusal.to_json());
            }
        };
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
            Method::GET => self.changes(&head.headers),
            Method::POST => self.message(service, head, body).await,
            _ => http::no_such_method(),
        }
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

/// Answers the requests of one client; over HTTP, one request.
#[derive(Clone)]
struct Server {
    skills: Arc<Skills>,
    /// What the connection has loaded; none where every request stands alone.
    ledger: Option<Arc<Mutex<Ledger>>>,
    asks_roots: bool,
    roots: watching::Sender<Roots>,
    /// Held while the client is asked for its roots, so that its last answer is
    /// the last to be heeded.
    asking: Arc<tokio::sync::Mutex<()>>,
}

/// Whether it is known which project is meant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Roots {
    Settled,
    Awaited,
}

impl Server {
    /// Returns the skills as they are now, once it is known of which project.
    async fn now(&self) -> Snapshot {
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
        self.skills.now()
    }

    /// Does what reads much on a thread of its own.
    async fn reading<T: Send + 'static>(
        &self,
        read: impl FnOnce(&Snapshot) -> T + Send + 'static,
    ) -> Result<T, ErrorData> {
        let snapshot = self.now().await;
        tokio::task::spawn_blocking(move || read(&snapshot))
            .await
            .map_err(|error| ErrorData::internal_error(error.to_string(), None))
    }

    async fn ask_for_roots(&self, peer: Peer<RoleServer>) {
        let _asking = self.asking.lock().await;
        #[expect(deprecated, reason = "what clients of these versions have")]
        match tokio::time::timeout(limits::ROOTS_PATIENCE, peer.list_roots()).await {
            Ok(Ok(listed)) => {
                let roots: Vec<String> = listed.roots.into_iter().map(|root| root.uri).collect();
                let skills = Arc::clone(&self.skills);
                // Fails only if it panics, and then the roots stay as they were.
                let _ = tokio::task::spawn_blocking(move || skills.move_to(&roots)).await;
            }
            Ok(Err(error)) => self.skills.log.warn(&format!(
                "the client did not say its roots, so the working folder counts: {error}"
            )),
            Err(_) => self
                .skills
                .log
                .warn("the client did not say its roots, so the working folder counts"),
        }
        self.roots.send_replace(Roots::Settled);
    }

    fn info() -> ServerConfig {
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
    fn instructions(&self) -> String {
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

    fn call_skill(&self, snapshot: &Snapshot, arguments: &Value) -> Reply {
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

    fn result(&self, reply: &Reply) -> CallToolResult {
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

impl ServerHandler for Server {
    fn get_info(&self) -> ServerConfig {
        Self::info()
    }

    fn supported_protocol_versions(&self) -> Cow<'static, [ProtocolVersion]> {
        Cow::Owned(VERSIONS.to_vec())
    }

    async fn initialize(
        &self,
        request: InitializeRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<InitializeResult, ErrorData> {
        if self.asks_roots && has_roots(&request.capabilities) {
            self.roots.send_replace(Roots::Awaited);
        }
        context.peer.set_peer_info(request.clone());
        let result = self.negotiate_initialize(&request)?;
        Ok(result.with_instructions(self.instructions()))
    }

    async fn discover(
        &self,
        _context: RequestContext<RoleServer>,
    ) -> Result<DiscoverResult, ErrorData> {
        let mut result = DiscoverResult::from_server_info(VERSIONS.to_vec(), Self::info());
        result.instructions = Some(self.instructions());
        Ok(result)
    }

    async fn on_initialized(&self, context: NotificationContext<RoleServer>) {
        watch::start(&self.skills);
        tokio::spawn(tell_changes(self.skills.changes(), context.peer.clone()));
        if *self.roots.borrow() == Roots::Awaited {
            self.ask_for_roots(context.peer).await;
        }
    }

    async fn on_roots_list_changed(&self, context: NotificationContext<RoleServer>) {
        if self.asks_roots {
            self.ask_for_roots(context.peer).await;
        }
    }

    fn accepted_subscription_filter(
        &self,
        _requested: &SubscriptionFilter,
    ) -> Option<SubscriptionFilter> {
        let lists = SubscriptionFilter::builder()
            .tools_list_changed()
            .prompts_list_changed()
            .resources_list_changed();
        Some(lists.build())
    }

    async fn listen(&self, context: SubscriptionContext) -> Result<(), ErrorData> {
        watch::start(&self.skills);
        let mut changes = self.skills.changes();
        // The one client of a connection over lines may have had a list before.
        let mut seen = match self.ledger {
            Some(_) => Changes::default(),
            None => *changes.borrow_and_update(),
        };
        loop {
            let now = *changes.borrow_and_update();
            let sink = context.sink();
            // What was not asked for is refused by the sink, and a stream that
            // ended ends this one.
            for list in now.since(seen) {
                let _ = match list {
                    List::Tools => sink.notify_tool_list_changed().await,
                    List::Prompts => sink.notify_prompt_list_changed().await,
                    List::Resources => sink.notify_resource_list_changed().await,
                };
            }
            seen = now;
            tokio::select! {
                () = context.cancelled() => return Ok(()),
                () = self.skills.hung_up.cancelled() => return Ok(()),
                next = changes.changed() => if next.is_err() { return Ok(()) },
            }
        }
    }

    async fn list_tools(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let snapshot = self.now().await;
        let definitions = tools(&snapshot);
        self.skills.show(Shown::tools(&definitions));
        let tools = definitions.iter().flatten().filter_map(tool);
        Ok(ListToolsResult::with_all_items(tools.collect()))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let arguments = request.arguments.map_or(Value::Null, Value::Object);
        let snapshot = self.now().await;
        let reply = match &*request.name {
            "skill" => self.call_skill(&snapshot, &arguments),
            FILE_TOOL => snapshot.read_skill_file(&arguments),
            name => {
                let message = format!("there is no tool `{}`", one_line(name));
                return Err(ErrorData::invalid_params(message, None));
            }
        };
        Ok(self.result(&reply).into())
    }

    async fn list_prompts(
        &self,
        request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListPromptsResult, ErrorData> {
        let prompts = prompts(&self.now().await);
        self.skills.show(Shown::prompts(&prompts));
        let (page, next) = page(prompts, request, limits::PAGE)?;
        let prompt = |prompt: super::skills::Prompt| {
            let description = prompt
                .arguments
                .unwrap_or_else(|| "What you want done, in your own words".to_owned());
            let argument = PromptArgument::new("arguments")
                .with_description(description)
                .with_required(false);
            Prompt::new(prompt.name, Some(prompt.description), Some(vec![argument]))
        };
        let mut result = ListPromptsResult::with_all_items(page.into_iter().map(prompt).collect());
        result.next_cursor = next;
        Ok(result)
    }

    async fn get_prompt(
        &self,
        request: GetPromptRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<GetPromptResponse, ErrorData> {
        let snapshot = self.now().await;
        let arguments = prompt_arguments(request.arguments)?;
        let (description, text) = invoked(&snapshot, &request.name, &arguments)
            .map_err(|error| ErrorData::invalid_params(words(&error), Some(code(&error))))?;
        let message = PromptMessage::new_text(Role::User, text);
        let result = GetPromptResult::new(vec![message]).with_description(description);
        Ok(result.into())
    }

    async fn list_resources(
        &self,
        request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        let skills = Arc::clone(&self.skills);
        let read = self.reading(move |snapshot| skills.show_served(snapshot));
        let served = read.await?;
        let (page, next) = page(served, request, limits::PAGE)?;
        let mut result = ListResourcesResult::with_all_items(in_sdk::<Vec<Resource>>(&page)?);
        result.next_cursor = next;
        Ok(result)
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        let uri = request.uri.clone();
        let file = self.reading(move |snapshot| snapshot.file_at(&uri)).await?;
        let file = file.map_err(|error| not_served(&error, &request.uri))?;
        let contents = match file.content {
            Carried::Text(text) => ResourceContents::text(text, request.uri),
            Carried::Blob(blob) => ResourceContents::blob(blob, request.uri),
        };
        let contents = contents.with_mime_type(file.mime_type);
        Ok(ReadResourceResult::new(vec![contents]).into())
    }

    async fn list_skills(
        &self,
        request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListSkillsResult, ErrorData> {
        let skills = Arc::clone(&self.skills);
        let entries = self.reading(move |snapshot| {
            // Told with the first page, all folders being walked for it.
            if request
                .as_ref()
                .is_none_or(|request| request.cursor.is_none())
            {
                skills.show_served(snapshot);
            }
            let (page, next) = page(snapshot.callable(), request, limits::SKILLS_PAGE)?;
            let mut entries = Vec::new();
            for skill in page {
                match snapshot.entry(skill) {
                    Ok(entry) => {
                        for found in &entry.warnings {
                            skills.log.finding(found);
                        }
                        entries.push(entry);
                    }
                    Err(found) => skills.log.finding(&found),
                }
            }
            Ok::<_, ErrorData>((entries, next))
        });
        let (entries, next) = entries.await??;
        let mut result = ListSkillsResult::with_all_items(in_sdk::<Vec<Skill>>(&entries)?);
        result.next_cursor = next;
        Ok(result)
    }

    async fn get_skill(
        &self,
        request: GetSkillRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<GetSkillResult, ErrorData> {
        let uri = request.uri.clone();
        let entry = self
            .reading(move |snapshot| snapshot.entry_at(&uri))
            .await?;
        let entry = entry.map_err(|error| not_served(&error, &request.uri))?;
        for found in &entry.warnings {
            self.skills.log.finding(found);
        }
        Ok(GetSkillResult::new(in_sdk::<Skill>(&entry)?))
    }

    async fn read_resource_directory(
        &self,
        request: ReadResourceDirectoryRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<ReadResourceDirectoryResult, ErrorData> {
        let uri = request.uri.clone();
        let served = self
            .reading(move |snapshot| snapshot.folder_at(&uri))
            .await?;
        let served = served.map_err(|error| not_served(&error, &request.uri))?;
        let cursor = PaginatedRequestParams::default().with_cursor(request.cursor);
        let (page, next) = page(served, Some(cursor), limits::PAGE)?;
        let mut result = ListResourcesResult::with_all_items(in_sdk::<Vec<Resource>>(&page)?);
        result.next_cursor = next;
        Ok(result)
    }
}

fn has_roots(capabilities: &ClientCapabilities) -> bool {
    capabilities.roots.is_some()
}

/// Tells a client that shook hands of every change, until it is gone; of those
/// since the start, too: it may have had a list before it could be told.
async fn tell_changes(mut changes: watching::Receiver<Changes>, peer: Peer<RoleServer>) {
    let mut seen = Changes::default();
    loop {
        let now = *changes.borrow_and_update();
        for list in now.since(seen) {
            let told = match list {
                List::Tools => peer.notify_tool_list_changed().await,
                List::Prompts => peer.notify_prompt_list_changed().await,
                List::Resources => peer.notify_resource_list_changed().await,
            };
            if told.is_err() {
                return;
            }
        }
        seen = now;
        if changes.changed().await.is_err() {
            return;
        }
    }
}

/// Returns a tool in the SDK's form.
fn tool(definition: &Value) -> Option<Tool> {
    let function = definition.get("function")?;
    let text = |key: &str| function.get(key)?.as_str().map(str::to_owned);
    let schema = function.get("parameters")?.as_object()?.clone();
    let annotations = ToolAnnotations::new()
        .read_only(true)
        .idempotent(true)
        .open_world(false);
    Some(
        Tool::new(text("name")?, text("description")?, Arc::new(schema))
            .with_annotations(annotations),
    )
}

/// Returns what a person's `/name arguments` gives the model, and the skill's
/// description.
fn invoked(
    snapshot: &Snapshot,
    name: &str,
    arguments: &str,
) -> Result<(String, String), ActivationError> {
    if let Some(fault) = snapshot.scope_faults().next() {
        let fault = Box::new(fault.clone());
        return Err(ActivationError::ScopeUnreadable { fault });
    }
    let activation = snapshot.activate(name, Freshness::Fresh)?;
    let mut text = activation.content();
    if !arguments.is_empty() {
        text.push_str("\n\n");
        text.push_str(arguments);
    }
    Ok((one_line(&activation.description).into_owned(), text))
}

/// Returns the one argument that a prompt has, byte for byte.
fn prompt_arguments(arguments: Option<JsonObject>) -> Result<String, ErrorData> {
    let mut text = String::new();
    for (key, value) in arguments.unwrap_or_default() {
        match (key.as_str(), value) {
            ("arguments", Value::String(value)) => text = value,
            ("arguments", Value::Null) => {}
            ("arguments", _) => {
                return Err(ErrorData::invalid_params(
                    "`arguments` must be a text",
                    None,
                ));
            }
            (key, _) => {
                let message = format!("a skill takes `arguments`, and no `{}`", one_line(key));
                return Err(ErrorData::invalid_params(message, None));
            }
        }
    }
    Ok(text)
}

fn words(error: &ActivationError) -> String {
    let mut words = one_line(&error.to_string()).into_owned();
    if let Some(help) = error.help() {
        words.push_str("; ");
        words.push_str(&one_line(&help));
    }
    words
}

fn code(error: &ActivationError) -> Value {
    json!({"code": error.code()})
}

fn not_served(error: &ServedError, uri: &str) -> ErrorData {
    let words = match error {
        ServedError::NotCallable(error) => words(error),
        error => one_line(&error.to_string()).into_owned(),
    };
    let data = json!({"uri": uri, "code": error.code()});
    match error {
        ServedError::NotRead {
            source: ResourceError::Read(read),
            ..
        } if std::error::Error::source(read).is_some_and(is_system_fault) => {
            ErrorData::internal_error(words, Some(data))
        }
        _ => ErrorData::invalid_params(words, Some(data)),
    }
}

/// Whether the system refused what is there.
fn is_system_fault(source: &(dyn std::error::Error + 'static)) -> bool {
    source
        .downcast_ref::<io::Error>()
        .is_some_and(|error| error.kind() != io::ErrorKind::NotFound)
}

/// Returns a page of `items` and where the next one begins.
fn page<T>(
    items: Vec<T>,
    request: Option<PaginatedRequestParams>,
    size: usize,
) -> Result<(Vec<T>, Option<String>), ErrorData> {
    let is_ours = |start: &usize| (1..=items.len()).contains(start) && start.is_multiple_of(size);
    let start = match request.and_then(|request| request.cursor) {
        None => 0,
        Some(cursor) => cursor.parse().ok().filter(is_ours).ok_or_else(|| {
            let words = "the cursor is none of this list: ask without one for its beginning";
            ErrorData::invalid_params(words, None)
        })?,
    };
    let end = start.saturating_add(size).min(items.len());
    let next = (end < items.len()).then(|| end.to_string());
    let page = items.into_iter().skip(start).take(size).collect();
    Ok((page, next))
}

/// Turns what serialises to a form of the protocol into the SDK's type of it.
fn in_sdk<T: DeserializeOwned>(ours: &impl Serialize) -> Result<T, ErrorData> {
    serde_json::to_value(ours)
        .and_then(serde_json::from_value)
        .map_err(|error| ErrorData::internal_error(error.to_string(), None))
}

/// The protocol over lines. What is no request is answered, too: with what is
/// wrong with it.
struct Lines {
    incoming: mpsc::Receiver<Line>,
    outgoing: mpsc::Sender<Vec<u8>>,
    /// Whether a request came in that opens the connection. Before it, the SDK
    /// would take a notification for the end.
    is_open: bool,
    skills: Arc<Skills>,
}

impl Lines {
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
                if self.is_open || is_before_opening(&request.request) {
                    return Some(ClientJsonRpcMessage::Request(request));
                }
                Refusal::too_early(request.id.into_json_value())
            }
            Ok(other) => return Some(other).filter(|_| self.is_open),
            Err(refusal) => refusal,
        };
        self.refuse(&refusal).await;
        None
    }

    async fn refuse(&mut self, refusal: &Refusal) {
        if refusal.is_awaited {
            let answer = refusal.to_json().to_string();
            // If it cannot be written, reading ends as well.
            let _ = self.outgoing.send(answer.into_bytes()).await;
        }
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

impl Transport<RoleServer> for Lines {
    type Error = io::Error;

    fn send(
        &mut self,
        message: ServerJsonRpcMessage,
    ) -> impl Future<Output = Result<(), Self::Error>> + Send + 'static {
        let outgoing = self.outgoing.clone();
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
            drop(self.outgoing.reserve().await.ok()?);
            let Some(line) = self.incoming.recv().await else {
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

#[cfg(test)]
mod tests {
    use super::*;
    use rmcp::model::ErrorCode;

    #[test]
    fn pages_join_to_the_whole_and_other_cursors_are_refused() {
        let at = |cursor: Option<&str>| {
            let cursor = cursor.map(str::to_owned);
            let request = PaginatedRequestParams::default().with_cursor(cursor);
            page((0..5).collect::<Vec<_>>(), Some(request), 2)
        };
        let mut all = Vec::new();
        let mut cursor = None;
        loop {
            let (items, next) = at(cursor.as_deref()).unwrap();
            all.extend(items);
            cursor = next;
            if cursor.is_none() {
                break;
            }
        }

        assert_eq!(all, [0, 1, 2, 3, 4]);
        for cursor in [
            "",
            "x",
            "-1",
            "0",
            "1",
            "3",
            "6",
            "2.0",
            "99999999999999999999",
        ] {
            let error = at(Some(cursor)).unwrap_err();
            assert_eq!(error.code, ErrorCode::INVALID_PARAMS, "{cursor}");
        }
        assert_eq!(page(vec![1], None, 2).unwrap(), (vec![1], None));
    }
}
