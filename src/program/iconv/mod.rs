//! `iconv`: from one set of characters to another. Behaviour is that of glibc 2.36.
//!
//! The sets are those of Unicode, ASCII, ISO 8859, the code pages of Windows and a few more ([`charset`], [`sets`]); any other is refused as
//! one that is not known. `--list` names what is here.

mod charset;
mod like;
mod sets;

use self::charset::{Charset, Step};
use super::message::message;
use super::usage;
use crate::args::{Complaint, Opt, Package, Parsed, Spec};
use crate::fs::OpenFlags;
use crate::kernel::{Input, Proc, Program, Stop};

/// The program.
pub const PROGRAM: Program = Program {
    name: "iconv",
    run: |proc| Box::pin(run(proc)),
};

#[derive(Debug, Clone, Copy, PartialEq)]
enum Flag {
    From,
    To,
    List,
    Omit,
    Output,
    Silent,
}

static SPEC: Spec<Flag> = Spec::new(
    "iconv",
    Package::Line("iconv (Debian GLIBC 2.36-9+deb12u14) 2.36"),
    &["[OPTION...] [FILE...]"],
    "Convert encoding of given files from one encoding to another.",
    &[
        Opt::required(Flag::From, 'f', "from-code", "NAME", "encoding of original text"),
        Opt::required(Flag::To, 't', "to-code", "NAME", "encoding for output"),
        Opt::flag(Flag::List, 'l', "list", "list all known coded character sets"),
        Opt::short(Flag::Omit, 'c', "omit invalid characters from output"),
        Opt::required(Flag::Output, 'o', "output", "FILE", "output file"),
        Opt::flag(Flag::Silent, 's', "silent", "suppress warnings"),
    ],
)
.fails_with(64)
.complains(Complaint::BackquotedTryUsage)
.help_letter('?')
.version_letter('V');

/// What to do.
struct Plan {
    from: Charset,
    to: Charset,
    translit: bool,
    /// What cannot be converted is left out: `-c`, and `//IGNORE`, which says so at the end.
    omits: bool,
    ignores: bool,
}

/// A name with what follows it: `ASCII//TRANSLIT//IGNORE`.
fn parts(name: &[u8]) -> (Vec<u8>, Vec<Vec<u8>>) {
    let text = name.to_ascii_uppercase();
    let mut words = Vec::new();
    let mut rest = text.as_slice();
    while let Some(at) = memchr::memmem::find(rest, b"//") {
        words.push(rest.get(..at).unwrap_or_default().to_vec());
        rest = rest.get(at + 2..).unwrap_or_default();
    }
    words.push(rest.to_vec());
    let first = words.remove(0);
    (first, words)
}

impl Plan {
    fn new(parsed: &Parsed<Flag>) -> Option<Plan> {
        let (from, from_words) = parts(parsed.last(Flag::From).unwrap_or_default());
        let (to, to_words) = parts(parsed.last(Flag::To).unwrap_or_default());
        let has = |word: &[u8]| to_words.iter().chain(&from_words).any(|known| known == word);
        Some(Plan {
            from: Charset::from_name(&from)?,
            to: Charset::from_name(&to)?,
            translit: to_words.iter().any(|known| known == b"TRANSLIT"),
            omits: parsed.has(Flag::Omit),
            ignores: has(b"IGNORE"),
        })
    }
}

async fn run(proc: &mut Proc) -> Result<i32, Stop> {
    let parsed = usage::parse(proc, &SPEC).await?;
    if parsed.has(Flag::List) {
        let names = [
            "ASCII", "UTF8", "UTF16", "UTF16BE", "UTF16LE", "UTF32", "UTF32BE", "UTF32LE",
        ];
        for name in names.into_iter().chain(sets::SETS.iter().map(|(name, _)| *name)) {
            proc.write(&message!(name, "//\n")).await?;
        }
        return Ok(0);
    }
    let Some(plan) = Plan::new(&parsed) else {
        let sentence = "failed to start conversion processing: No such file or directory";
        return Err(usage::fail(proc, 1, sentence).await);
    };
    let mut result = plan.to.mark().to_vec();
    let mut status = 0;
    let mut lease = proc.kernel.lease();
    for path in usage::operands_or_stdin(parsed.operands.clone()) {
        let mut held = proc.kernel.lease();
        let read = match proc.open_operand(&path).await {
            Ok(file) => Input::new(file).rest(&mut held).await,
            Err(errno) => {
                let sentence = message!("cannot open input file `", path, "': ", errno.message());
                proc.warn(sentence).await?;
                status = 1;
                continue;
            }
        };
        let text = match read {
            Ok(text) => text,
            Err(errno) => {
                let sentence = message!("unable to read input file `", path, "': ", errno.message());
                return Err(usage::fail(proc, 1, sentence).await);
            }
        };
        proc.charge(text.len() as u64)?;
        lease.resize(result.len() + text.len() * 4)?;
        if let Some(sentence) = convert(&plan, &text, &mut result) {
            put(proc, &parsed, &result).await?;
            return Err(usage::fail(proc, 1, sentence).await);
        }
    }
    put(proc, &parsed, &result).await?;
    Ok(status)
}

async fn put(proc: &mut Proc, parsed: &Parsed<Flag>, result: &[u8]) -> Result<(), Stop> {
    let Some(path) = parsed.last(Flag::Output) else {
        return proc.write(result).await;
    };
    let written = match proc.open(path, OpenFlags::CREATE).await {
        Ok(file) => file.write_all(result).await,
        Err(errno) => Err(errno),
    };
    match written {
        Ok(()) => Ok(()),
        Err(errno) => {
            Err(usage::fail(proc, 1, message!("unable to open output file: ", errno.message())).await)
        }
    }
}

/// Converts a text; the sentence says what could not be.
fn convert(plan: &Plan, text: &[u8], result: &mut Vec<u8>) -> Option<String> {
    let (from, mut at) = plan.from.clone().start(text);
    let omits = plan.omits || plan.ignores;
    let mut left_out = false;
    while at < text.len() {
        match from.decode(text.get(at..).unwrap_or_default()) {
            Step::Character(character, length) => {
                if !write(plan, character, result) {
                    if !omits {
                        return Some(format!("illegal input sequence at position {at}"));
                    }
                    left_out = true;
                }
                at += length;
            }
            Step::Illegal(length) => {
                if !omits {
                    return Some(format!("illegal input sequence at position {at}"));
                }
                left_out = true;
                at += length;
            }
            Step::Incomplete => {
                return Some("incomplete character or shift sequence at end of buffer".into());
            }
        }
    }
    (plan.ignores && left_out && !plan.omits)
        .then(|| format!("illegal input sequence at position {}", text.len()))
}

/// Writes a character, or what looks like it.
fn write(plan: &Plan, character: char, result: &mut Vec<u8>) -> bool {
    if plan.to.encode(character, result) {
        return true;
    }
    if !plan.translit {
        return false;
    }
    for part in like::like(character).unwrap_or("?").chars() {
        plan.to.encode(part, result);
    }
    true
}
