//! `look`: lines that begin with a string, from a sorted file.
//!
//! A binary search finds where they begin, as util-linux' does: in a file that is not sorted it finds what that one finds.
//!
//! Tests: `corpus/cases/program/look.case`.

use std::cmp::Ordering;

use super::message::message;
use super::usage;
use crate::args::{Opt, Spec, UTIL_LINUX};
use crate::fs::{Errno, FileKind, OpenFlags};
use crate::kernel::{Input, Proc, Program, Stop, cost};

/// The program.
pub const PROGRAM: Program = Program {
    name: "look",
    run: |proc| Box::pin(run(proc)),
};

#[derive(Clone, Copy, PartialEq)]
enum Flag {
    Alternative,
    Alphanumeric,
    IgnoreCase,
    Terminate,
}

static SPEC: Spec<Flag> = Spec::new(
    "look",
    UTIL_LINUX,
    &["[options] <string> [<file>...]"],
    "",
    &[
        Opt::flag(Flag::Alternative, 'a', "alternative", ""),
        Opt::flag(Flag::Alphanumeric, 'd', "alphanum", ""),
        Opt::flag(Flag::IgnoreCase, 'f', "ignore-case", ""),
        Opt::required(Flag::Terminate, 't', "terminate", "char", ""),
    ],
)
.own_help(
    "\nUsage:\n {name} [options] <string> [<file>...]\n\n\
     Display lines beginning with a specified string.\n\n\
     Options:\n\
     \x20-a, --alternative        use the alternative dictionary\n\
     \x20-d, --alphanum           compare only blanks and alphanumeric characters\n\
     \x20-f, --ignore-case        ignore case differences when comparing\n\
     \x20-t, --terminate <char>   define the string-termination character\n\n\
     \x20-h, --help               display this help\n\
     \x20-V, --version            display version\n\n\
     For more details see look(1).\n",
)
.help_letter('h')
.version_letter('V');

const WORDS: &[u8] = b"/usr/share/dict/words";
const ALTERNATIVE: &[u8] = b"/usr/share/dict/web2";

/// What is looked for.
struct Query {
    text: Vec<u8>,
    alphanumeric: bool,
    ignore_case: bool,
}

fn counts(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b' ' | b'\t')
}

impl Query {
    /// How the line that a text begins with compares.
    fn compare(&self, line: &[u8]) -> Ordering {
        let folded = |byte: u8| {
            if self.ignore_case {
                byte.to_ascii_lowercase()
            } else {
                byte
            }
        };
        let bytes = line.iter().copied().take_while(|byte| *byte != b'\n');
        let bytes = bytes.filter(|byte| !self.alphanumeric || counts(*byte));
        let wanted = self.text.iter().copied().map(folded);
        bytes.take(self.text.len()).map(folded).cmp(wanted)
    }
}

async fn run(proc: &mut Proc) -> Result<i32, Stop> {
    let parsed = usage::parse(proc, &SPEC).await?;
    let ([string] | [string, _]) = parsed.operands.as_slice() else {
        return Err(usage::refuse(proc, &SPEC.complain("bad usage")).await);
    };
    let listed = proc.variable(b"WORDLIST").filter(|list| !list.is_empty());
    let words = if parsed.has(Flag::Alternative) {
        ALTERNATIVE
    } else {
        listed.unwrap_or(WORDS)
    };
    let path = parsed.operands.get(1).cloned().unwrap_or_else(|| words.to_vec());
    let dictionary = parsed.operands.len() == 1;
    let mut query = Query {
        text: string.clone(),
        alphanumeric: dictionary || parsed.has(Flag::Alphanumeric),
        ignore_case: dictionary || parsed.has(Flag::IgnoreCase),
    };
    if let Some(end) = parsed
        .last(Flag::Terminate)
        .and_then(|text| text.first().copied())
        && let Some(at) = memchr::memchr(end, &query.text)
    {
        query.text.truncate(at + 1);
    }
    if query.alphanumeric {
        query.text.retain(|byte| counts(*byte));
    }
    let mut lease = proc.kernel.lease();
    match contents(proc, &path, &mut lease).await {
        Ok(text) => search(proc, &text, &query).await,
        Err(errno) => Err(usage::fail(proc, 1, message!(path, ": ", errno.message())).await),
    }
}

/// The whole file, which must be one that can be mapped.
async fn contents(proc: &Proc, path: &[u8], lease: &mut crate::kernel::Lease) -> Result<Vec<u8>, Errno> {
    let file = proc.open(path, OpenFlags::READ).await?;
    let found = file.metadata()?;
    match found.kind {
        FileKind::Regular if found.size == 0 => Err(Errno::EINVAL),
        FileKind::Regular => Input::new(file).rest(lease).await,
        _ => Err(Errno::ENODEV),
    }
}

/// Behind the next newline, or the end.
fn next_line(text: &[u8], at: usize, end: usize) -> usize {
    let rest = text.get(at..end).unwrap_or_default();
    memchr::memchr(b'\n', rest).map_or(end, |newline| at + newline + 1)
}

async fn search(proc: &mut Proc, text: &[u8], query: &Query) -> Result<i32, Stop> {
    let tail = |at: usize| text.get(at..).unwrap_or_default();
    let (mut front, mut back) = (0, text.len());
    loop {
        let middle = next_line(text, front + (back - front) / 2, back);
        if middle >= back {
            break;
        }
        proc.charge(cost::LINE)?;
        if query.compare(tail(middle)) == Ordering::Less {
            front = middle;
        } else {
            back = middle;
        }
    }
    let end = text.len();
    while front < end && query.compare(tail(front)) == Ordering::Less {
        proc.charge(cost::LINE)?;
        front = next_line(text, front, end);
    }
    let mut found = false;
    while front < end && query.compare(tail(front)) == Ordering::Equal {
        proc.charge(cost::LINE)?;
        let next = next_line(text, front, end);
        proc.write(text.get(front..next).unwrap_or_default()).await?;
        front = next;
        found = true;
    }
    Ok(i32::from(!found))
}
