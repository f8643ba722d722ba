//! `bash`: runs a command.

use std::time::Duration;

use super::call::Call;
use super::characters::Characters;
use super::clip::Clip;
use super::failure::Failure;
use super::reply::{BashReply, OutputChunk, Stream};
use super::request::{Bash, bounds};
use super::workspace::{Command, End, Workspace};
use crate::outcome::Event;

pub(super) async fn run(
    workspace: &mut dyn Workspace,
    bash: &Bash,
    call: Call<'_>,
) -> Result<BashReply, Failure> {
    let seconds = bash.timeout.unwrap_or(bounds::TIMEOUT_DEFAULT);
    let Call { cancel, output } = call;
    let mut collector = Collector {
        stdout: Channel::new(Stream::Stdout),
        stderr: Channel::new(Stream::Stderr),
        output,
    };
    let command = Command {
        text: &bash.command,
        timeout: Duration::from_secs(seconds),
        cancel: &cancel,
    };
    let end = workspace
        .run(command, &mut |event| collector.take(&event))
        .await?;
    collector.finish();
    let exit_code = match end {
        End::Exited(status) => status,
        End::TimedOut => {
            collector.say(&format!("timed out after {seconds} s: the command was killed"));
            124
        }
        End::Cancelled => {
            collector.say("cancelled: the command was killed");
            130
        }
    };
    let (stdout, stderr) = (collector.stdout.clip, collector.stderr.clip);
    Ok(BashReply {
        exit_code,
        truncated: stdout.is_cut() || stderr.is_cut(),
        stdout: stdout.into_text(),
        stderr: stderr.into_text(),
        timed_out: end == End::TimedOut,
    })
}

/// One stream of a command.
struct Channel {
    stream: Stream,
    characters: Characters,
    clip: Clip,
    /// What came last ends a line, or nothing came.
    at_line_start: bool,
}

impl Channel {
    fn new(stream: Stream) -> Channel {
        Channel {
            stream,
            characters: Characters::default(),
            clip: Clip::default(),
            at_line_start: true,
        }
    }

    fn take(&mut self, text: String) -> Option<OutputChunk> {
        self.at_line_start = text
            .chars()
            .next_back()
            .map_or(self.at_line_start, |last| last == '\n');
        self.clip.push(&text);
        let stream = self.stream;
        (!text.is_empty()).then_some(OutputChunk { stream, text })
    }
}

/// Both streams, and the caller who wants to see them grow.
struct Collector<'a> {
    stdout: Channel,
    stderr: Channel,
    output: Option<&'a mut (dyn FnMut(OutputChunk) + Send)>,
}

impl Collector<'_> {
    fn take(&mut self, event: &Event) {
        let (channel, bytes) = match event {
            Event::Stdout(bytes) => (&mut self.stdout, bytes),
            Event::Stderr(bytes) => (&mut self.stderr, bytes),
        };
        let mut text = String::new();
        channel.characters.decode(bytes, &mut text);
        let chunk = channel.take(text);
        self.hand_over(chunk);
    }

    /// A last line of standard error.
    fn say(&mut self, line: &str) {
        let start = if self.stderr.at_line_start { "" } else { "\n" };
        let chunk = self.stderr.take(format!("{start}{line}\n"));
        self.hand_over(chunk);
    }

    fn finish(&mut self) {
        let ends = [&mut self.stdout, &mut self.stderr].map(|channel| {
            let mut text = String::new();
            channel.characters.finish(&mut text);
            channel.take(text)
        });
        for chunk in ends {
            self.hand_over(chunk);
        }
    }

    fn hand_over(&mut self, chunk: Option<OutputChunk>) {
        if let (Some(output), Some(chunk)) = (self.output.as_mut(), chunk) {
            output(chunk);
        }
    }
}
