//! The input of each tool, its bounds, and [`Request`], one of the six.

use std::fmt::Display;
use std::ops::RangeInclusive;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::failure::InvalidInput;

/// The names of the tools.
pub const TOOL_NAMES: [&str; 6] = ["bash", "read", "write", "edit", "grep", "glob"];

/// Bounds and defaults of numbers in the input; the schema tells them too.
pub(super) mod bounds {
    use std::ops::RangeInclusive;

    /// Seconds a command may take.
    pub const TIMEOUT: RangeInclusive<u64> = 1..=600;
    /// The default of it.
    pub const TIMEOUT_DEFAULT: u64 = 120;
    /// The first line to read.
    pub const OFFSET: RangeInclusive<u64> = 1..=u64::MAX;
    /// Lines to read.
    pub const LIMIT: RangeInclusive<u64> = 1..=5000;
    /// The default of it.
    pub const LIMIT_DEFAULT: u64 = 2000;
    /// Matches of `grep`.
    pub const MAX_RESULTS: RangeInclusive<u64> = 1..=1000;
    /// The default of it.
    pub const MAX_RESULTS_DEFAULT: u64 = 200;
}

/// Runs a command.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Bash {
    /// A text for `bash -c`.
    pub command: String,
    /// Seconds after which it is killed.
    #[serde(
        default,
        deserialize_with = "whole_number",
        skip_serializing_if = "Option::is_none"
    )]
    pub timeout: Option<u64>,
}

/// Reads lines of a text file.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Read {
    /// The file.
    pub path: String,
    /// The first line, from 1.
    #[serde(
        default,
        deserialize_with = "whole_number",
        skip_serializing_if = "Option::is_none"
    )]
    pub offset: Option<u64>,
    /// How many lines.
    #[serde(
        default,
        deserialize_with = "whole_number",
        skip_serializing_if = "Option::is_none"
    )]
    pub limit: Option<u64>,
}

/// Sets the contents of a file.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Write {
    /// The file.
    pub path: String,
    /// Its contents.
    pub content: String,
}

/// Replaces text in a file.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Edit {
    /// The file.
    pub path: String,
    /// The text to replace.
    pub old_string: String,
    /// What takes its place.
    pub new_string: String,
    /// Replaces all places, not just a single one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub replace_all: Option<bool>,
}

/// Searches lines of files.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Grep {
    /// A POSIX extended regular expression.
    pub pattern: String,
    /// A file, or a directory that is searched with all below it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// Only files whose name, or path below the directory, matches this.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub glob: Option<String>,
    /// Letters match either case.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ignore_case: Option<bool>,
    /// How many matches to show.
    #[serde(
        default,
        deserialize_with = "whole_number",
        skip_serializing_if = "Option::is_none"
    )]
    pub max_results: Option<u64>,
}

/// Finds files by name.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Glob {
    /// What the name, or the path below the directory, must match.
    pub pattern: String,
    /// The directory.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
}

/// The input of a tool whose one main value is enough.
macro_rules! from_main_value {
    ($($tool:ident: $field:ident),*) => { $(
        impl<T: Into<String>> From<T> for $tool {
            fn from(main: T) -> $tool {
                $tool { $field: main.into(), ..$tool::default() }
            }
        }
    )* };
}

from_main_value!(Bash: command, Read: path, Grep: pattern, Glob: pattern);

/// The input of one of the tools.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Request {
    /// `bash`
    Bash(Bash),
    /// `read`
    Read(Read),
    /// `write`
    Write(Write),
    /// `edit`
    Edit(Edit),
    /// `grep`
    Grep(Grep),
    /// `glob`
    Glob(Glob),
}

impl Request {
    /// Reads the input of the tool `name`.
    ///
    /// # Errors
    /// [`InvalidInput`] when there is no such tool, or the input does not fit its schema.
    pub fn parse(name: &str, input: Value) -> Result<Request, InvalidInput> {
        let request = match name {
            "bash" => Request::Bash(typed(name, input)?),
            "read" => Request::Read(typed(name, input)?),
            "write" => Request::Write(typed(name, input)?),
            "edit" => Request::Edit(typed(name, input)?),
            "grep" => Request::Grep(typed(name, input)?),
            "glob" => Request::Glob(typed(name, input)?),
            _ => return Err(invalid(name, "there is no such tool")),
        };
        request.check()?;
        Ok(request)
    }

    /// The tool.
    pub fn name(&self) -> &'static str {
        match self {
            Request::Bash(_) => "bash",
            Request::Read(_) => "read",
            Request::Write(_) => "write",
            Request::Edit(_) => "edit",
            Request::Grep(_) => "grep",
            Request::Glob(_) => "glob",
        }
    }

    /// Whether texts and numbers are within their bounds.
    ///
    /// # Errors
    /// [`InvalidInput`] names the first that is not.
    pub fn check(&self) -> Result<(), InvalidInput> {
        let checked = match self {
            Request::Bash(bash) => {
                not_empty("command", &bash.command).and(within("timeout", bash.timeout, bounds::TIMEOUT))
            }
            Request::Read(read) => not_empty("path", &read.path)
                .and(within("offset", read.offset, bounds::OFFSET))
                .and(within("limit", read.limit, bounds::LIMIT)),
            Request::Write(write) => not_empty("path", &write.path),
            Request::Edit(edit) => {
                not_empty("path", &edit.path).and(not_empty("old_string", &edit.old_string))
            }
            Request::Grep(grep) => not_empty("pattern", &grep.pattern).and(within(
                "max_results",
                grep.max_results,
                bounds::MAX_RESULTS,
            )),
            Request::Glob(glob) => not_empty("pattern", &glob.pattern),
        };
        checked.map_err(|message| invalid(self.name(), message))
    }
}

/// A number without a fraction, also when it is written with one, as `5.0`: to JSON Schema that is an integer, too.
fn whole_number<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<Option<u64>, D::Error> {
    let Some(number) = Option::<serde_json::Number>::deserialize(deserializer)? else {
        return Ok(None);
    };
    let rounded = number
        .as_f64()
        .filter(|float| float.fract() == 0.0 && (0.0..1e15).contains(float));
    let whole = number.as_u64().or_else(|| rounded.map(|float| float as u64));
    whole
        .map(Some)
        .ok_or_else(|| serde::de::Error::custom(format!("{number} is no whole number from 0 up")))
}

fn invalid(tool: &str, message: impl Display) -> InvalidInput {
    InvalidInput {
        tool: tool.to_owned(),
        message: message.to_string(),
    }
}

fn typed<T: DeserializeOwned>(tool: &str, input: Value) -> Result<T, InvalidInput> {
    if !input.is_object() {
        return Err(invalid(tool, "the input must be an object"));
    }
    serde_json::from_value(input).map_err(|error| invalid(tool, error))
}

fn not_empty(field: &str, text: &str) -> Result<(), String> {
    if text.is_empty() {
        return Err(format!("`{field}` must not be empty"));
    }
    Ok(())
}

fn within(field: &str, number: Option<u64>, bounds: RangeInclusive<u64>) -> Result<(), String> {
    match number {
        Some(number) if !bounds.contains(&number) && *bounds.end() == u64::MAX => {
            Err(format!("`{field}` must be at least {}", bounds.start()))
        }
        Some(number) if !bounds.contains(&number) => Err(format!(
            "`{field}` must be from {} to {}",
            bounds.start(),
            bounds.end()
        )),
        _ => Ok(()),
    }
}
