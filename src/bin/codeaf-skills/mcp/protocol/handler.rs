//! Which request is answered by what.

use std::borrow::Cow;
use std::sync::{Arc, PoisonError};

use codeaf_skills::Skill as Found;
use codeaf_skills::disclosure::{FILE_TOOL, Served};
use codeaf_skills::skill::resources::Carried;
use codeaf_skills::text::one_line;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, DiscoverResult, GetPromptRequestParams,
    GetPromptResponse, GetPromptResult, GetSkillRequestParams, GetSkillResult,
    InitializeRequestParams, InitializeResult, ListPromptsResult, ListResourceTemplatesResult,
    ListResourcesResult, ListSkillsResult, ListToolsResult, PaginatedRequestParams, Prompt,
    PromptArgument, PromptMessage, ProtocolVersion, ReadResourceDirectoryRequestParams,
    ReadResourceDirectoryResult, ReadResourceRequestParams, ReadResourceResponse,
    ReadResourceResult, Resource, ResourceContents, Role, ServerConfig, Skill, SubscriptionFilter,
};
use rmcp::service::{NotificationContext, Peer, RequestContext, SubscriptionContext};
use rmcp::{ErrorData, RoleServer, ServerHandler};
use serde_json::Value;
use tokio::sync::watch as watching;

use super::VERSIONS;
use super::forms::{code, in_sdk, invoked, not_served, prompt_arguments, tool, words};
use super::pages::{Pages, one_page};
use super::server::{Roots, Server};
use crate::mcp::limits;
use crate::mcp::skills::{self, Changes, List, Shown, prompts, tools};
use crate::mcp::watch;

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
        if self.asks_roots && request.capabilities.roots.is_some() {
            self.roots.send_replace(Roots::Awaited);
        }
        context.peer.set_peer_info(request.clone());
        let result = self.negotiate_initialize(&request)?;
        Ok(result.with_instructions(self.instructions().await))
    }

    async fn discover(
        &self,
        _context: RequestContext<RoleServer>,
    ) -> Result<DiscoverResult, ErrorData> {
        let mut result = DiscoverResult::from_server_info(VERSIONS.to_vec(), Self::info());
        result.instructions = Some(self.instructions().await);
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
        // Asked for before the subscription is acknowledged, and what is
        // acknowledged is told from then on.
        self.skills.settle();
        let lists = SubscriptionFilter::builder()
            .tools_list_changed()
            .prompts_list_changed()
            .resources_list_changed();
        Some(lists.build())
    }

    async fn listen(&self, context: SubscriptionContext) -> Result<(), ErrorData> {
        watch::start(&self.skills);
        let mut changes = self.skills.changes();
        let told = || self.told.lock().unwrap_or_else(PoisonError::into_inner);
        let mut seen = *told();
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
            *told() = now;
            tokio::select! {
                () = context.cancelled() => return Ok(()),
                () = self.skills.hung_up.cancelled() => return Ok(()),
                next = changes.changed() => if next.is_err() { return Ok(()) },
            }
        }
    }

    async fn list_tools(
        &self,
        request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        one_page(request.as_ref())?;
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
        let pages = pages("prompts/list", limits::PAGE);
        let name = |prompt: &skills::Prompt| prompt.name.clone();
        let (page, next) = pages.cut(prompts, name, cursor(request))?;
        let prompt = |prompt: skills::Prompt| {
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
        let pages = pages("resources/list", limits::PAGE);
        let uri = |served: &Served| served.uri.clone();
        let (page, next) = pages.cut(served, uri, cursor(request))?;
        let mut result = ListResourcesResult::with_all_items(in_sdk::<Vec<Resource>>(&page)?);
        result.next_cursor = next;
        Ok(result)
    }

    async fn list_resource_templates(
        &self,
        request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        one_page(request.as_ref())?;
        Ok(ListResourceTemplatesResult::with_all_items(Vec::new()))
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
            let pages = pages("skills/list", limits::SKILLS_PAGE);
            // A name holds no control character, so that the order is that of
            // the skills.
            let place = |skill: &&Found| format!("{}\0{}", skill.name, skill.source());
            let (page, next) = pages.cut(snapshot.callable(), place, cursor(request))?;
            let mut entries = Vec::new();
            for skill in page {
                match snapshot.entry(skill) {
                    Ok(entry) => {
                        skills.note_entry(&entry);
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
        self.skills.note_entry(&entry);
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
        let list = format!("resources/directory/read {}", request.uri);
        // Files come before folders.
        let place = |served: &Served| format!("{} {}", served.is_folder(), served.uri);
        let pages = pages(&list, limits::PAGE);
        let (page, next) = pages.cut(served, place, request.cursor)?;
        let mut result = ListResourcesResult::with_all_items(in_sdk::<Vec<Resource>>(&page)?);
        result.next_cursor = next;
        Ok(result)
    }
}

fn pages(list: &str, size: usize) -> Pages<'_> {
    Pages { list, size }
}

fn cursor(request: Option<PaginatedRequestParams>) -> Option<String> {
    request?.cursor
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
