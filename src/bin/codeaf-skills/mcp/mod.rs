//! `mcp`: the skills in every agent that speaks the Model Context Protocol.
//!
//! What is offered is the library's to say. Here a process is kept alive: it
//! reads requests, holds one snapshot, and tells of changes. Only `protocol`
//! knows the SDK, only `http` knows HTTP, only `watch` knows how changes are
//! noticed.

mod config;
mod connections;
mod contents;
mod http;
mod limits;
mod lines;
mod log;
mod message;
mod project;
mod protocol;
mod skills;
mod watch;

use std::net::SocketAddr;
use std::sync::Arc;

use codeaf_skills::Snapshot;
use tokio::net::TcpListener;
use tokio::runtime::{Builder, Runtime};
use tokio::signal::unix::{SignalKind, signal};
use tokio_util::sync::CancellationToken;

use crate::args::Mcp;
use crate::failure::Failure;
use crate::render::Console;
use log::Log;
use skills::Skills;

pub(crate) use config::{Agent, print as print_config};

/// How the process was started.
pub(crate) struct Start {
    /// Whether `-C` says where; then the client's roots are not asked for.
    pub(crate) is_fixed: bool,
    /// Whether notes are to be kept back.
    pub(crate) quiet: bool,
}

pub(crate) fn run(
    args: &Mcp,
    start: &Start,
    console: &mut Console,
    load: impl FnOnce(&mut Console) -> Result<Snapshot, Failure>,
) -> Result<(), Failure> {
    let address = args.http.as_deref().map(|text| address(text, args));
    let address = address.transpose()?;
    let skills = Skills::new(load(console)?, Log::new(start.quiet));
    let runtime = Builder::new_current_thread()
        .enable_all()
        .max_blocking_threads(limits::READERS)
        .thread_keep_alive(limits::READER_IDLE)
        .build()
        .map_err(|error| Failure::from_error("start", error).context("cannot start the server"))?;
    let outcome = match address {
        None => stdio(&runtime, &skills, start),
        Some(address) => over_http(&runtime, &skills, address, &args.allow_host),
    };
    // A thread that reads from a pipe cannot be told to stop.
    runtime.shutdown_background();
    outcome
}

fn stdio(runtime: &Runtime, skills: &Arc<Skills>, start: &Start) -> Result<(), Failure> {
    let closing = skills.closing.clone();
    runtime.block_on(async {
        let signals = end_on_signals(closing.clone())?;
        let (incoming, outgoing, written) = lines::standard().map_err(|error| {
            Failure::from_error("start", error).context("cannot use standard input and output")
        })?;
        protocol::serve_stdio(skills, incoming, outgoing, !start.is_fixed).await;
        // What was answered is written before the process ends, for as long as
        // it is to live.
        let ends = async {
            closing.cancelled().await;
            tokio::time::sleep(limits::END).await;
        };
        let written = tokio::select! {
            written = tokio::time::timeout(limits::LAST_WORDS, written) => written,
            () = ends => Ok(Ok(Ok(()))),
        };
        closing.cancel();
        signals.abort();
        match written {
            // That the client closed the pipe is no fault, which `main` knows.
            Ok(Ok(Err(error))) => Err(Failure::from(error)),
            _ => Ok(()),
        }
    })
}

fn over_http(
    runtime: &Runtime,
    skills: &Arc<Skills>,
    address: SocketAddr,
    hosts: &[String],
) -> Result<(), Failure> {
    runtime.block_on(async {
        let signals = end_on_signals(skills.closing.clone())?;
        let listener = TcpListener::bind(address).await.map_err(|error| {
            Failure::from_error("listen", error)
                .context(format!("cannot listen on {address}"))
                .help("another program may have the port: name another one")
        })?;
        let bound = listener.local_addr().unwrap_or(address);
        skills.log.note(&format!("listening on http://{bound}/mcp"));
        watch::start(skills);
        let endpoint = protocol::Endpoint::new(skills, hosts);
        http::serve(listener, endpoint, skills.closing.clone()).await;
        signals.abort();
        Ok(())
    })
}

/// Cancels `closing` when the process is asked to end.
fn end_on_signals(closing: CancellationToken) -> Result<tokio::task::JoinHandle<()>, Failure> {
    let failed =
        |error| Failure::from_error("start", error).context("cannot wait for signals to end");
    let mut terminate = signal(SignalKind::terminate()).map_err(failed)?;
    let mut interrupt = signal(SignalKind::interrupt()).map_err(failed)?;
    Ok(tokio::spawn(async move {
        tokio::select! {
            _ = terminate.recv() => {}
            _ = interrupt.recv() => {}
        }
        closing.cancel();
    }))
}

/// Reads `--http`, and refuses what other machines could reach.
fn address(text: &str, args: &Mcp) -> Result<SocketAddr, Failure> {
    let named = text.replacen("localhost:", "127.0.0.1:", 1);
    let address: SocketAddr = named.parse().map_err(|_| {
        Failure::usage(format!("`{text}` is no address to listen on"))
            .help("write 127.0.0.1:PORT; port 0 takes a free one")
    })?;
    if !address.ip().is_loopback() && !args.allow_remote {
        return Err(Failure::usage(format!(
            "{address} can be reached from other machines"
        ))
        .help("listen on 127.0.0.1:PORT, or add --allow-remote: whoever reaches the port can read your skills"));
    }
    Ok(address)
}
