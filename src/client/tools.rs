//! [`Tools`]: the six tools of a session.

use serde_json::Value;

use super::connection::Ask;
use super::error::Error;
use super::sse::Messages;
use super::{Client, session_path};
use crate::tool::{
    Bash, BashReply, Edit, EditReply, Glob, Grep, Outcome, OutputChunk, Read, Reply, Request, Stream, Write,
    WriteReply,
};
use crate::wire::Rejection;

/// The six tools of a session, in a turn or each call in one of its own.
///
/// The calls that are named after a tool answer what it came to, and a tool that failed is an [`Error::Tool`]. A loop that hands a model's calls on
/// takes [`call`](Tools::call), where a failure is an [`Outcome`] like any other, to be shown to the model.
#[derive(Debug, Clone, Copy)]
pub struct Tools<'c> {
    client: &'c Client,
    session: &'c str,
    turn: Option<&'c str>,
}

impl<'c> Tools<'c> {
    pub(super) fn new(client: &'c Client, session: &'c str, turn: Option<&'c str>) -> Tools<'c> {
        Tools {
            client,
            session,
            turn,
        }
    }

    /// Runs a command.
    pub fn bash(&self, input: impl Into<Bash>) -> Result<BashReply, Error> {
        bash_reply(self.run(&Request::Bash(input.into()))?)
    }

    /// Runs a command, and hands over what it prints as it comes: all of it, also what the reply leaves out.
    pub fn bash_streaming(
        &self,
        input: impl Into<Bash>,
        mut output: impl FnMut(OutputChunk),
    ) -> Result<BashReply, Error> {
        let asked = self.ask("bash").body(&input.into())?;
        let stream = asked.header("Accept", Some("text/event-stream")).open()?;
        for message in Messages::new(stream) {
            let message = message?;
            let stream = match message.event.as_str() {
                "stdout" => Stream::Stdout,
                "stderr" => Stream::Stderr,
                "outcome" => return bash_reply(message.json()?),
                "rejected" => return Err(rejected(message.json()?)),
                _ => continue,
            };
            let Text { text } = message.json()?;
            output(OutputChunk { stream, text });
        }
        Err(std::io::Error::from(std::io::ErrorKind::UnexpectedEof).into())
    }

    /// Reads lines of a text file, numbered.
    pub fn read(&self, input: impl Into<Read>) -> Result<String, Error> {
        text(self.run(&Request::Read(input.into()))?)
    }

    /// Sets the contents of a file.
    pub fn write(&self, path: impl Into<String>, content: impl Into<String>) -> Result<WriteReply, Error> {
        let (path, content) = (path.into(), content.into());
        match completed(self.run(&Request::Write(Write { path, content }))?)? {
            Reply::Write(reply) => Ok(reply),
            other => Err(unexpected(&other)),
        }
    }

    /// Replaces text in a file.
    pub fn edit(&self, input: Edit) -> Result<EditReply, Error> {
        match completed(self.run(&Request::Edit(input))?)? {
            Reply::Edit(reply) => Ok(reply),
            other => Err(unexpected(&other)),
        }
    }

    /// Searches lines of files.
    pub fn grep(&self, input: impl Into<Grep>) -> Result<String, Error> {
        text(self.run(&Request::Grep(input.into()))?)
    }

    /// Finds files by name.
    pub fn glob(&self, input: impl Into<Glob>) -> Result<String, Error> {
        text(self.run(&Request::Glob(input.into()))?)
    }

    /// Calls a tool with typed input.
    pub fn run(&self, request: &Request) -> Result<Outcome, Error> {
        let asked = self.ask(request.name());
        match request {
            Request::Bash(input) => asked.body(input),
            Request::Read(input) => asked.body(input),
            Request::Write(input) => asked.body(input),
            Request::Edit(input) => asked.body(input),
            Request::Grep(input) => asked.body(input),
            Request::Glob(input) => asked.body(input),
        }?
        .json()
    }

    /// Calls a tool by its name, with the input that a model wrote.
    pub fn call(&self, name: &str, input: &Value) -> Result<Outcome, Error> {
        self.ask(name).body(input)?.json()
    }

    fn ask(&self, tool: &str) -> Ask<'c> {
        let tool = super::connection::segment(tool);
        let asked = self
            .client
            .post(session_path(self.session, &format!("/sandbox/{tool}")));
        asked.header("Nylorun-Turn", self.turn).long()
    }
}

/// A piece of output on the wire.
#[derive(serde::Deserialize)]
struct Text {
    text: String,
}

/// A refusal after the stream had begun: the turn ended meanwhile.
fn rejected(rejection: Rejection) -> Error {
    Error::Rejected {
        status: 409,
        retry_after: None,
        rejection: Box::new(rejection),
    }
}

fn completed(outcome: Outcome) -> Result<Reply, Error> {
    match outcome {
        Outcome::Completed { output } => Ok(output),
        Outcome::Failed(failure) => Err(Error::Tool(failure)),
    }
}

fn bash_reply(outcome: Outcome) -> Result<BashReply, Error> {
    match completed(outcome)? {
        Reply::Bash(reply) => Ok(reply),
        other => Err(unexpected(&other)),
    }
}

fn text(outcome: Outcome) -> Result<String, Error> {
    match completed(outcome)? {
        Reply::Text(text) => Ok(text),
        other => Err(unexpected(&other)),
    }
}

fn unexpected(reply: &Reply) -> Error {
    Error::Unreadable(format!("the answer of another tool: {reply:?}"))
}
