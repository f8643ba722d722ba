//! What a model is told of the tools: names, descriptions, JSON schemas.
//!
//! The schemas say what [`Request::parse`](super::Request::parse) accepts; `tests/tool.rs` compares the two.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use super::request::bounds;

/// One tool, as it is shown to a model.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Definition {
    /// The name to call it by.
    pub name: String,
    /// What it does.
    pub description: String,
    /// The JSON schema of its input.
    pub input_schema: Value,
}

const BASH: &str = "Runs a bash command and returns its exit code, standard output and standard error. Each call is a new shell in \
/workspace: files stay, variables, functions and directories do not. The command reads nothing from standard input. Of longer output the \
first and the last 15000 characters are returned.";

const READ: &str = "Reads a text file and returns its lines as `number<TAB>line`. Lines over 2000 characters are cut. When there are more lines, \
the last line of the answer names the offset to go on with.";

const WRITE: &str = "Writes a file with exactly the given content, in place of what was there. Directories above it are made.";

const EDIT: &str = "Replaces text in a file and returns the change as a unified diff. `old_string` must be in the file exactly once, unless \
`replace_all` is set: give enough lines around it. Blanks count; line numbers of `read` are no part of the text.";

const GREP: &str = "Searches files for lines that match a POSIX extended regular expression and returns `path:line:text`, sorted by path. Binary \
files and .git are skipped.";

const GLOB: &str = "Finds files by a pattern with * ? [a-z] {a,b} and **, and returns their absolute paths, sorted. A pattern without a slash \
matches the name at any depth. Hidden files are found, .git is skipped.";

/// All tools, in the order to show them.
pub fn definitions() -> Vec<Definition> {
    vec![
        define("bash", BASH, &["command"], bash()),
        define("read", READ, &["path"], read()),
        define("write", WRITE, &["path", "content"], write()),
        define("edit", EDIT, &["path", "old_string", "new_string"], edit()),
        define("grep", GREP, &["pattern"], grep()),
        define("glob", GLOB, &["pattern"], glob()),
    ]
}

fn define(name: &str, description: &str, required: &[&str], properties: Vec<(&str, Value)>) -> Definition {
    let properties: Map<String, Value> = properties
        .into_iter()
        .map(|(name, schema)| (name.to_owned(), schema))
        .collect();
    Definition {
        name: name.to_owned(),
        description: description.to_owned(),
        input_schema: json!({
            "type": "object",
            "properties": properties,
            "required": required,
            "additionalProperties": false,
        }),
    }
}

fn text(description: &str) -> Value {
    json!({"type": "string", "description": description})
}

fn some_text(description: &str) -> Value {
    json!({"type": "string", "minLength": 1, "description": description})
}

fn optional_text(description: &str) -> Value {
    json!({"type": ["string", "null"], "description": description})
}

fn optional_flag(description: &str) -> Value {
    json!({"type": ["boolean", "null"], "default": false, "description": description})
}

fn optional_number(bounds: &std::ops::RangeInclusive<u64>, default: u64, description: &str) -> Value {
    let mut schema = json!({
        "type": ["integer", "null"],
        "minimum": bounds.start(),
        "default": default,
        "description": description,
    });
    if *bounds.end() != u64::MAX
        && let Some(fields) = schema.as_object_mut()
    {
        fields.insert("maximum".to_owned(), json!(bounds.end()));
    }
    schema
}

fn bash() -> Vec<(&'static str, Value)> {
    let timeout = optional_number(
        &bounds::TIMEOUT,
        bounds::TIMEOUT_DEFAULT,
        "Seconds after which the command is killed, with exit code 124.",
    );
    vec![
        ("command", some_text("The command, as for bash -c.")),
        ("timeout", timeout),
    ]
}

const FILE: &str = "The file; relative to /workspace, or absolute.";

fn read() -> Vec<(&'static str, Value)> {
    let limit = optional_number(&bounds::LIMIT, bounds::LIMIT_DEFAULT, "How many lines to read.");
    vec![
        ("path", some_text(FILE)),
        (
            "offset",
            optional_number(&bounds::OFFSET, 1, "The first line to read."),
        ),
        ("limit", limit),
    ]
}

fn write() -> Vec<(&'static str, Value)> {
    vec![
        ("path", some_text(FILE)),
        ("content", text("The whole content of the file.")),
    ]
}

fn edit() -> Vec<(&'static str, Value)> {
    vec![
        ("path", some_text(FILE)),
        (
            "old_string",
            some_text("The text to replace, exactly as it is in the file."),
        ),
        ("new_string", text("What takes its place.")),
        (
            "replace_all",
            optional_flag("Replace all places where old_string is found."),
        ),
    ]
}

fn grep() -> Vec<(&'static str, Value)> {
    let max_results = optional_number(
        &bounds::MAX_RESULTS,
        bounds::MAX_RESULTS_DEFAULT,
        "How many matching lines to return.",
    );
    vec![
        (
            "pattern",
            some_text("A POSIX extended regular expression, as for grep -E."),
        ),
        (
            "path",
            optional_text("A file or directory to search; /workspace when not given."),
        ),
        (
            "glob",
            optional_text("Only search files that match this, such as *.{ts,tsx} or src/**/*.rs."),
        ),
        ("ignore_case", optional_flag("Letters match either case.")),
        ("max_results", max_results),
    ]
}

fn glob() -> Vec<(&'static str, Value)> {
    vec![
        (
            "pattern",
            some_text("The pattern, such as *.py or src/**/*.{ts,tsx}."),
        ),
        (
            "path",
            optional_text("The directory to look in; /workspace when not given."),
        ),
    ]
}
