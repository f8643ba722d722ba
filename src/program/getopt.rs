//! `getopt` of util-linux: checks a script's options and puts them in order, quoted for the shell.
//!
//! The script's options are known only when it runs, so that they cannot be a table of [`crate::args`]; [`Scanner`] reads them as glibc's
//! `getopt_long` does, and says what that says.

use std::collections::VecDeque;

use super::message::message;
use super::usage;
use crate::args::{Opt, Parsed, Spec, UTIL_LINUX, UsageError};
use crate::kernel::{Proc, Program, Stop};

/// The program.
pub const PROGRAM: Program = Program {
    name: "getopt",
    run: |proc| Box::pin(run(proc)),
};

#[derive(Debug, Clone, Copy, PartialEq)]
enum Flag {
    Alternative,
    LongOptions,
    Name,
    Options,
    Quiet,
    QuietOutput,
    Shell,
    Test,
    Unquoted,
}

static SPEC: Spec<Flag> = Spec::new(
    "getopt",
    UTIL_LINUX,
    &["<optstring> <parameters>"],
    "",
    &[
        Opt::flag(Flag::Alternative, 'a', "alternative", ""),
        Opt::required(Flag::LongOptions, 'l', "longoptions", "longopts", ""),
        Opt::required(Flag::Name, 'n', "name", "progname", ""),
        Opt::required(Flag::Options, 'o', "options", "optstring", ""),
        Opt::flag(Flag::Quiet, 'q', "quiet", ""),
        Opt::flag(Flag::QuietOutput, 'Q', "quiet-output", ""),
        Opt::required(Flag::Shell, 's', "shell", "shell", ""),
        Opt::flag(Flag::Test, 'T', "test", ""),
        Opt::flag(Flag::Unquoted, 'u', "unquoted", ""),
    ],
)
.own_help(
    "
Usage:
 {name} <optstring> <parameters>
 {name} [options] [--] <optstring> <parameters>
 {name} [options] -o|--options <optstring> [options] [--] <parameters>

Parse command options.

Options:
 -a, --alternative             allow long options starting with single -
 -l, --longoptions <longopts>  the long options to be recognized
 -n, --name <progname>         the name under which errors are reported
 -o, --options <optstring>     the short options to be recognized
 -q, --quiet                   disable error reporting by getopt(3)
 -Q, --quiet-output            no normal output
 -s, --shell <shell>           set quoting conventions to those of <shell>
 -T, --test                    test for getopt(1) version
 -u, --unquoted                do not quote the output

 -h, --help                    display this help
 -V, --version                 display version

For more details see getopt(1).
",
)
.posix()
.fails_with(2)
.help_letter('h')
.version_letter('V');

/// The status after a mistake in the script's options.
const MISTAKE: i32 = 1;
/// The status of `--test`, which tells this program from older ones.
const ENHANCED: i32 = 4;

/// How words are quoted.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Quoting {
    None,
    Bourne,
    Csh,
}

/// A long option of the script.
#[derive(Debug)]
struct Long {
    name: Vec<u8>,
    argument: Argument,
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Argument {
    None,
    Required,
    Optional,
}

/// What to do.
struct Plan {
    name: Vec<u8>,
    shorts: Vec<u8>,
    longs: Vec<Long>,
    alternative: bool,
    quiet: bool,
    quiet_output: bool,
    quoting: Quoting,
    words: Vec<Vec<u8>>,
}

impl Plan {
    /// The old way: the options and then the words, and nothing is quoted.
    fn compatible(shorts: &[u8], words: &[Vec<u8>]) -> Plan {
        let start = shorts
            .iter()
            .take_while(|byte| matches!(byte, b'-' | b'+'))
            .count();
        Plan {
            name: b"getopt".to_vec(),
            shorts: shorts.get(start..).unwrap_or_default().to_vec(),
            longs: Vec::new(),
            alternative: false,
            quiet: false,
            quiet_output: false,
            quoting: Quoting::None,
            words: words.to_vec(),
        }
    }

    fn from_options(parsed: Parsed<Flag>) -> Result<Plan, UsageError> {
        let mut plan = Plan {
            alternative: parsed.has(Flag::Alternative),
            quiet: parsed.has(Flag::Quiet),
            quiet_output: parsed.has(Flag::QuietOutput),
            quoting: Quoting::Bourne,
            ..Plan::compatible(b"", &[])
        };
        let unquoted = parsed.has(Flag::Unquoted);
        let mut shorts = None;
        for (flag, value) in parsed.options {
            let value = value.unwrap_or_default();
            match flag {
                Flag::Options => shorts = Some(value),
                Flag::Name => plan.name = value,
                Flag::LongOptions => add_longs(&mut plan.longs, &value)?,
                Flag::Shell => plan.quoting = shell(&value)?,
                _ => {}
            }
        }
        if unquoted {
            plan.quoting = Quoting::None;
        }
        let mut words = VecDeque::from(parsed.operands);
        plan.shorts = match shorts.or_else(|| words.pop_front()) {
            Some(shorts) => shorts,
            None => return Err(SPEC.complain("missing optstring argument")),
        };
        plan.words = words.into();
        Ok(plan)
    }
}

/// Reads `NAME[:[:]],…`.
fn add_longs(longs: &mut Vec<Long>, list: &[u8]) -> Result<(), UsageError> {
    let is_separator = |byte: &u8| matches!(byte, b',' | b' ' | b'\t' | b'\n');
    for word in list.split(is_separator).filter(|word| !word.is_empty()) {
        let (name, argument) = match word {
            [name @ .., b':', b':'] => (name, Argument::Optional),
            [name @ .., b':'] => (name, Argument::Required),
            name => (name, Argument::None),
        };
        if name.is_empty() {
            return Err(SPEC.complain("empty long option after -l or --long argument"));
        }
        longs.push(Long {
            name: name.to_vec(),
            argument,
        });
    }
    Ok(())
}

fn shell(name: &[u8]) -> Result<Quoting, UsageError> {
    match name {
        b"sh" | b"bash" => Ok(Quoting::Bourne),
        b"csh" | b"tcsh" => Ok(Quoting::Csh),
        _ => Err(SPEC.complain("unknown shell after -s or --shell argument")),
    }
}

async fn run(proc: &mut Proc) -> Result<i32, Stop> {
    let plan = match proc.arguments() {
        [] if proc.variable(b"GETOPT_COMPATIBLE").is_some() => {
            proc.write(b" --\n").await?;
            return Ok(0);
        }
        [first, rest @ ..] if !first.starts_with(b"-") || proc.variable(b"GETOPT_COMPATIBLE").is_some() => {
            Plan::compatible(first, rest)
        }
        arguments => {
            let parsed = usage::accept(proc, SPEC.parse(arguments)).await?;
            if parsed.has(Flag::Test) {
                return Ok(ENHANCED);
            }
            let plan = Plan::from_options(parsed);
            usage::accept(proc, plan).await?
        }
    };
    let posix = proc.variable(b"POSIXLY_CORRECT").is_some();
    let mut scanner = Scanner::new(&plan, posix);
    let mut lease = proc.kernel.lease();
    let mut line = Vec::new();
    let mut status = 0;
    while let Some(found) = scanner.next() {
        proc.charge(4)?;
        lease.resize(line.len())?;
        if let Found::Mistake(message) = &found {
            status = MISTAKE;
            if !plan.quiet {
                proc.write_error(&message!(plan.name, ": ", message, "\n"))
                    .await?;
            }
            continue;
        }
        push_found(&mut line, &found, plan.quoting);
    }
    if plan.quiet_output {
        return Ok(status);
    }
    line.extend_from_slice(b" --");
    for operand in scanner.operands() {
        push_word(&mut line, operand, plan.quoting);
    }
    line.push(b'\n');
    proc.write(&line).await?;
    Ok(status)
}

fn push_found(line: &mut Vec<u8>, found: &Found, quoting: Quoting) {
    match found {
        Found::Operand(word) => push_word(line, word, quoting),
        Found::Short(letter, value) => {
            line.extend_from_slice(&[b' ', b'-', *letter]);
            if let Some(value) = value {
                push_word(line, value, quoting);
            }
        }
        Found::Long(name, value) => {
            line.extend_from_slice(b" --");
            line.extend_from_slice(name);
            if let Some(value) = value {
                push_word(line, value, quoting);
            }
        }
        Found::Mistake(_) => {}
    }
}

fn push_word(line: &mut Vec<u8>, word: &[u8], quoting: Quoting) {
    line.push(b' ');
    if quoting == Quoting::None {
        line.extend_from_slice(word);
        return;
    }
    line.push(b'\'');
    for byte in word {
        match byte {
            b'\'' => line.extend_from_slice(b"'\\''"),
            b'\\' if quoting == Quoting::Csh => line.extend_from_slice(b"\\\\"),
            b'!' if quoting == Quoting::Csh => line.extend_from_slice(b"'\\!'"),
            b'\n' if quoting == Quoting::Csh => line.extend_from_slice(b"\\n"),
            byte if quoting == Quoting::Csh && crate::text::number::is_space(*byte) => {
                line.extend_from_slice(&[b'\'', b'\\', *byte, b'\'']);
            }
            byte => line.push(*byte),
        }
    }
    line.push(b'\'');
}

/// What the scanner found next.
#[derive(Debug)]
enum Found {
    /// A letter; a value where it takes one, empty when an optional one is missing.
    Short(u8, Option<Vec<u8>>),
    Long(Vec<u8>, Option<Vec<u8>>),
    /// An operand in its place, when the options begin with `-`.
    Operand(Vec<u8>),
    Mistake(Vec<u8>),
}

/// What happens at an operand.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Order {
    /// It goes behind the options.
    Permute,
    /// It ends the options (`+`).
    Stop,
    /// It is given back in its place (`-`).
    InPlace,
}

/// Goes through words as `getopt_long` does.
struct Scanner<'a> {
    plan: &'a Plan,
    shorts: &'a [u8],
    order: Order,
    next: usize,
    /// Letters of the current word that are left.
    cluster: &'a [u8],
    operands: Vec<&'a [u8]>,
    ended: bool,
}

impl<'a> Scanner<'a> {
    fn new(plan: &'a Plan, posix: bool) -> Self {
        let (order, shorts) = match plan.shorts.as_slice() {
            [b'+', rest @ ..] => (Order::Stop, rest),
            [b'-', rest @ ..] => (Order::InPlace, rest),
            shorts if posix => (Order::Stop, shorts),
            shorts => (Order::Permute, shorts),
        };
        Scanner {
            plan,
            shorts,
            order,
            next: 0,
            cluster: b"",
            operands: Vec::new(),
            ended: false,
        }
    }

    /// The operands, once all options are found.
    fn operands(&self) -> impl Iterator<Item = &'a [u8]> {
        let rest = self.plan.words.get(self.next..).unwrap_or_default();
        self.operands
            .iter()
            .copied()
            .chain(rest.iter().map(Vec::as_slice))
    }

    fn take(&mut self) -> Option<&'a [u8]> {
        let word = self.plan.words.get(self.next)?;
        self.next += 1;
        Some(word)
    }

    fn next(&mut self) -> Option<Found> {
        if !self.cluster.is_empty() {
            return Some(self.letter());
        }
        while !self.ended {
            let word = self.take()?;
            match word {
                b"--" => self.ended = true,
                [b'-', b'-', name @ ..] => return Some(self.long(b"--", name)),
                [b'-', letters @ ..] if !letters.is_empty() => return Some(self.single(letters)),
                _ => match self.order {
                    Order::Permute => self.operands.push(word),
                    Order::InPlace => return Some(Found::Operand(word.to_vec())),
                    Order::Stop => {
                        self.next -= 1;
                        self.ended = true;
                    }
                },
            }
        }
        None
    }

    /// A word behind a single dash: letters, or with `-a` a long name.
    fn single(&mut self, letters: &'a [u8]) -> Found {
        let known = letters
            .first()
            .is_some_and(|letter| self.argument(*letter).is_some());
        let may_be_long =
            self.plan.alternative && !self.plan.longs.is_empty() && (letters.len() > 1 || !known);
        if may_be_long {
            let name = letters.split(|byte| *byte == b'=').next().unwrap_or_default();
            let matches = self.plan.longs.iter().any(|long| long.name.starts_with(name));
            if matches || !known {
                return self.long(b"-", letters);
            }
        }
        self.cluster = letters;
        self.letter()
    }

    /// Whether a letter is an option, and takes a value.
    fn argument(&self, letter: u8) -> Option<Argument> {
        let at = self.shorts.iter().position(|byte| *byte == letter)?;
        if matches!(letter, b':' | b';') {
            return None;
        }
        Some(match self.shorts.get(at + 1..) {
            Some([b':', b':', ..]) => Argument::Optional,
            Some([b':', ..]) => Argument::Required,
            _ => Argument::None,
        })
    }

    fn letter(&mut self) -> Found {
        let Some((letter, rest)) = self.cluster.split_first() else {
            return Found::Mistake(Vec::new());
        };
        self.cluster = rest;
        let attached = (!rest.is_empty()).then(|| rest.to_vec());
        match self.argument(*letter) {
            None => Found::Mistake(message!("invalid option -- '", [*letter], "'")),
            Some(Argument::None) => Found::Short(*letter, None),
            Some(Argument::Optional) => {
                self.cluster = b"";
                Found::Short(*letter, Some(attached.unwrap_or_default()))
            }
            Some(Argument::Required) => {
                self.cluster = b"";
                match attached.or_else(|| self.take().map(<[u8]>::to_vec)) {
                    Some(value) => Found::Short(*letter, Some(value)),
                    None => Found::Mistake(message!("option requires an argument -- '", [*letter], "'")),
                }
            }
        }
    }

    fn long(&mut self, dashes: &[u8], text: &[u8]) -> Found {
        let at = text.iter().position(|byte| *byte == b'=');
        let (name, attached) = match at {
            Some(at) => (text.get(..at).unwrap_or_default(), text.get(at + 1..)),
            None => (text, None),
        };
        let longs = &self.plan.longs;
        let found = match longs.iter().find(|long| long.name == name) {
            Some(exact) => exact,
            None => {
                let possible: Vec<&Long> = longs.iter().filter(|long| long.name.starts_with(name)).collect();
                match possible.as_slice() {
                    [] => return Found::Mistake(message!("unrecognized option '", dashes, text, "'")),
                    [only] => *only,
                    _ => return Found::Mistake(ambiguous(dashes, text, &possible)),
                }
            }
        };
        let full = found.name.clone();
        match (found.argument, attached) {
            (Argument::None, Some(_)) => {
                Found::Mistake(message!("option '", dashes, full, "' doesn't allow an argument"))
            }
            (Argument::None, None) => Found::Long(full, None),
            (Argument::Required, None) => match self.take() {
                Some(value) => Found::Long(full, Some(value.to_vec())),
                None => Found::Mistake(message!("option '", dashes, full, "' requires an argument")),
            },
            (_, attached) => Found::Long(full, Some(attached.unwrap_or_default().to_vec())),
        }
    }
}

fn ambiguous(dashes: &[u8], text: &[u8], possible: &[&Long]) -> Vec<u8> {
    let mut message = message!("option '", dashes, text, "' is ambiguous; possibilities:");
    for long in possible {
        message.extend_from_slice(&message!(" '", dashes, long.name, "'"));
    }
    message
}
