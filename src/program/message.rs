//! Sentences of programs, put together from bytes: names of files are bytes, so `format!` will not do.

/// Joins parts that are bytes or text: `message!("cannot remove ", quoteaf(path), ": ", errno.message())`.
macro_rules! message {
    ($($part:expr),+ $(,)?) => {{
        let mut line: Vec<u8> = Vec::new();
        $(line.extend_from_slice(AsRef::<[u8]>::as_ref(&$part));)+
        line
    }};
}
pub(crate) use message;

use crate::args::quoteaf;
use crate::fs::Errno;
use crate::kernel::{Proc, Stop};

/// Prints `NAME: SENTENCE 'path': ERROR`: `cannot remove 'x': No such file or directory`.
pub async fn complain(proc: &mut Proc, sentence: &str, path: &[u8], errno: Errno) -> Result<(), Stop> {
    let line = message!(sentence, " ", quoteaf(path), ": ", errno.message());
    proc.warn(line).await
}

/// Asks a question on standard error, as `NAME: question? `, and reads the answer.
pub async fn ask(proc: &mut Proc, question: &[u8]) -> Result<bool, Stop> {
    let line = message!(proc.name(), ": ", question, "? ");
    ask_plainly(proc, &line).await
}

/// Prints a question on standard error as it is, and reads the answer from standard input: yes is a line that begins with `y` or `Y`.
pub async fn ask_plainly(proc: &mut Proc, question: &[u8]) -> Result<bool, Stop> {
    proc.flush().await?;
    proc.write_error(question).await?;
    let Ok(input) = proc.stdin() else {
        return Ok(false);
    };
    let mut answer = Vec::new();
    while !matches!(input.read_until(&mut answer, b'\n', 4096).await, Ok(0) | Err(_)) {
        if answer.ends_with(b"\n") {
            break;
        }
        answer.truncate(1);
    }
    Ok(matches!(answer.first(), Some(b'y' | b'Y')))
}
