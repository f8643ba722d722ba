//! `exuvia mcp`: the six tools over standard input and output, for any host that speaks the Model Context Protocol.
//!
//! One workspace for the life of the process, in memory, over a directory of the host, or in it. Calls take their turns.

use std::ffi::OsString;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use clap::Parser;
use exuvia::tool::{
    BashReply, Call, Cancel, Definition, Outcome, Reply, TOOL_NAMES, VirtualWorkspace, call, definitions,
};
use rmcp::handler::server::ServerHandler;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, ErrorData, Implementation,
    ListToolsResult, PaginatedRequestParams, ServerCapabilities, ServerConfig, Tool,
};
use rmcp::service::{RequestContext, RoleServer, ServiceExt};
use serde_json::{Value, json};
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
        let capabilities = ServerCapabilities::builder().enable_tools().build();
        ServerConfig::new(capabilities)
            .with_server_info(Implementation::new("exuvia", env!("CARGO_PKG_VERSION")))
            .with_instructions("An emulated Linux workspace at /workspace. Files stay between calls; no real process is started.")
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        Ok(ListToolsResult::with_all_items(
            definitions().into_iter().map(tool).collect(),
        ))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        if !TOOL_NAMES.contains(&&*request.name) {
            let message = format!("there is no tool {:?}", request.name);
            return Err(ErrorData::invalid_params(message, None));
        }
        let input = Value::Object(request.arguments.unwrap_or_default());
        let cancel = Cancel::new();
        let options = Call {
            cancel: cancel.clone(),
            output: None,
        };
        let mut workspace = self.workspace.lock().await;
        // The process may live for days: `date` is to say so.
        workspace.shell().catch_up();
        let mut work = std::pin::pin!(call(&mut *workspace, &request.name, input, options));
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
            Ok(outcome) => result(outcome),
            Err(error) => failed(&error.to_string()),
        }
        .into())
    }
}

fn tool(definition: Definition) -> Tool {
    let schema = match definition.input_schema {
        Value::Object(schema) => schema,
        _ => serde_json::Map::new(),
    };
    Tool::new(definition.name, definition.description, schema)
}

fn failed(message: &str) -> CallToolResult {
    CallToolResult::error(vec![ContentBlock::text(message)])
}

/// Text for the model; and the reply itself, where it is more than a text.
fn result(outcome: Outcome) -> CallToolResult {
    let reply = match outcome {
        Outcome::Completed { output } => output,
        Outcome::Failed(failure) => {
            let mut result = failed(&failure.message);
            result.structured_content = Some(json!(failure));
            return result;
        }
    };
    let (text, structured) = match &reply {
        Reply::Text(text) => (text.clone(), None),
        Reply::Bash(bash) => (transcript(bash), Some(json!(reply))),
        Reply::Edit(edit) => (edit.diff.clone(), Some(json!(reply))),
        Reply::Write(write) => (
            format!("{} bytes written to {}", write.bytes, write.path),
            Some(json!(reply)),
        ),
    };
    let mut result = CallToolResult::success(vec![ContentBlock::text(text)]);
    result.structured_content = structured;
    result
}

/// What a terminal would show, with the streams told apart and the exit code at the end, when it is not 0.
fn transcript(bash: &BashReply) -> String {
    let mut text = bash.stdout.clone();
    let mut section = |heading: &str, body: &str| {
        if !text.is_empty() && !text.ends_with('\n') {
            text.push('\n');
        }
        text.push_str(heading);
        text.push('\n');
        text.push_str(body);
    };
    if !bash.stderr.is_empty() {
        section("[stderr]", &bash.stderr);
    }
    if bash.exit_code != 0 {
        section(&format!("[exit code {}]", bash.exit_code), "");
    }
    text
}
