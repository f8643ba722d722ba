//! `exuvia mcp`: the six tools over standard input and output, for any host that speaks the Model Context Protocol.
//!
//! One workspace for the life of the process, in memory, over a directory of the host, or in it. Calls take their turns.

use std::ffi::OsString;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use clap::Parser;
use exuvia::mcp;
use exuvia::tool::{self, Call, Cancel, VirtualWorkspace};
use rmcp::handler::server::ServerHandler;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, ErrorData, ListToolsResult, PaginatedRequestParams, ServerConfig,
};
use rmcp::service::{RequestContext, RoleServer, ServiceExt};
use tokio::sync::Mutex;

/// How often a call that waits looks at the time.
const TICK: Duration = Duration::from_millis(50);

/// Serves the tools bash, read, write, edit, grep and glob over standard input and output (Model Context Protocol).
#[derive(Debug, Parser)]
#[command(name = "exuvia mcp", version)]
struct Options {
    /// Mount a host directory at /workspace; writes stay in memory.
    #[arg(long, value_name = "DIR", conflicts_with = "dir_rw")]
    dir: Option<PathBuf>,
    /// Mount a host directory at /workspace for reading and writing.
    #[arg(long, value_name = "DIR")]
    dir_rw: Option<PathBuf>,
    #[cfg(feature = "http")]
    #[command(flatten)]
    reach: super::network::Reach,
}

/// Serves until the client goes away.
pub fn run(words: impl Iterator<Item = OsString>) -> ExitCode {
    let options = match Options::try_parse_from(std::iter::once(OsString::from("exuvia mcp")).chain(words)) {
        Ok(options) => options,
        Err(error) => {
            let _ = error.print();
            return ExitCode::from(if error.use_stderr() { 2 } else { 0 });
        }
    };
    match serve(&options) {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("exuvia mcp: {message}");
            ExitCode::from(2)
        }
    }
}

fn serve(options: &Options) -> Result<(), String> {
    let builder = super::mount::mount(
        VirtualWorkspace::builder(),
        options.dir.as_deref(),
        options.dir_rw.as_deref(),
    )?;
    #[cfg(feature = "http")]
    let (builder, _sockets) = options.reach.give(builder)?;
    let shell = builder.build().map_err(|error| error.to_string())?;
    let server = Server {
        workspace: Arc::new(Mutex::new(VirtualWorkspace::new(shell))),
    };
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .map_err(|error| error.to_string())?;
    let served = runtime.block_on(async {
        let running = server
            .serve(rmcp::transport::stdio())
            .await
            .map_err(|error| error.to_string())?;
        running.waiting().await.map_err(|error| error.to_string())
    });
    // A read of standard input that is under way must not keep the process.
    runtime.shutdown_background();
    served.map(|_| ())
}

struct Server {
    workspace: Arc<Mutex<VirtualWorkspace>>,
}

impl ServerHandler for Server {
    fn get_info(&self) -> ServerConfig {
        mcp::server()
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        Ok(ListToolsResult::with_all_items(mcp::tools()))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let request = match mcp::request(request)? {
            Ok(request) => request,
            Err(result) => return Ok(result.into()),
        };
        let cancel = Cancel::new();
        let options = Call {
            cancel: cancel.clone(),
            output: None,
        };
        let mut workspace = self.workspace.lock().await;
        // The process may live for days: `date` is to say so.
        workspace.shell().catch_up();
        let mut work = std::pin::pin!(tool::run(&mut *workspace, &request, options));
        let mut tick = tokio::time::interval(TICK);
        let outcome = loop {
            tokio::select! {
                outcome = &mut work => break outcome,
                () = context.ct.cancelled(), if !cancel.is_cancelled() => cancel.cancel(),
                // Being polled is what lets the call see that its time is over.
                _ = tick.tick() => {}
            }
        };
        Ok(match outcome {
            Ok(outcome) => mcp::result(outcome),
            Err(error) => mcp::failed(&error.to_string()),
        }
        .into())
    }
}
