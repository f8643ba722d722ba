//! The six tools in the terms of the Model Context Protocol: how they are shown, and what an outcome becomes. Both servers of them use it: `exuvia mcp`
//! over standard input and output, and the shim over HTTP.

use rmcp::model::{
    CallToolRequestParams, CallToolResult, ContentBlock, ErrorData, Implementation, ServerCapabilities,
    ServerConfig, Tool,
};
use serde_json::{Value, json};

use crate::tool::{BashReply, Definition, Outcome, Reply, Request, TOOL_NAMES, definitions};

/// What the server says of itself, and for the model of the workspace.
pub fn server() -> ServerConfig {
    let capabilities = ServerCapabilities::builder().enable_tools().build();
    ServerConfig::new(capabilities)
        .with_server_info(Implementation::new("exuvia", env!("CARGO_PKG_VERSION")))
        .with_instructions(
            "An emulated Linux workspace at /workspace. Files stay between calls; no real process is started.",
        )
}

/// All tools.
pub fn tools() -> Vec<Tool> {
    definitions().into_iter().map(tool).collect()
}

fn tool(definition: Definition) -> Tool {
    let schema = match definition.input_schema {
        Value::Object(schema) => schema,
        _ => serde_json::Map::new(),
    };
    Tool::new(definition.name, definition.description, schema)
}

/// Reads a call. A tool that is not there is an error of the protocol; input that does not fit is a result, for the model to read.
pub fn request(asked: CallToolRequestParams) -> Result<Result<Request, CallToolResult>, ErrorData> {
    if !TOOL_NAMES.contains(&&*asked.name) {
        let message = format!("there is no tool {:?}", asked.name);
        return Err(ErrorData::invalid_params(message, None));
    }
    let input = Value::Object(asked.arguments.unwrap_or_default());
    Ok(Request::parse(&asked.name, input).map_err(|error| failed(&error.to_string())))
}

/// A call that failed, for the model to read.
pub fn failed(message: &str) -> CallToolResult {
    CallToolResult::error(vec![ContentBlock::text(message)])
}

/// Text for the model; and the reply itself, where it is more than a text.
pub fn result(outcome: Outcome) -> CallToolResult {
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
