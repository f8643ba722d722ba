//! The command line of awk.

use crate::args::{Complaint, Opt, Outcome, Package, Parsed, Spec, UsageError};
use crate::kernel::{Proc, Stop};
use crate::program::usage;

#[derive(Clone, Copy, PartialEq)]
enum Flag {
    File,
    Separator,
    Assign,
    Bytes,
    Source,
    Include,
    ReInterval,
    Optimize,
    NoOptimize,
    Lint,
    Posix,
    Traditional,
    Sandbox,
    LintOld,
    NonDecimal,
    UseNumeric,
    Exec,
}

/// `-W version` is `--version`.
fn modernized(arguments: &[Vec<u8>]) -> Vec<Vec<u8>> {
    let mut changed = Vec::with_capacity(arguments.len());
    let mut arguments = arguments.iter();
    while let Some(argument) = arguments.next() {
        match argument.as_slice() {
            b"-W" => match arguments.next() {
                Some(name) => changed.push([b"--", name.as_slice()].concat()),
                None => changed.push(argument.clone()),
            },
            [b'-', b'W', name @ ..] => changed.push([b"--", name].concat()),
            // The program, or what follows an option that takes a value, ends what may be changed.
            [b'-', _, ..] => changed.push(argument.clone()),
            _ => {
                changed.push(argument.clone());
                break;
            }
        }
    }
    changed.extend(arguments.cloned());
    changed
}

static SPEC: Spec<Flag> = Spec::new(
    "gawk",
    Package::Line("GNU Awk 5.2.1, API 3.2, PMA Avon 8-g1, (GNU MPFR 4.2.0, GNU MP 6.2.1)"),
    &[
        "[POSIX or GNU style options] -f progfile [--] file ...",
        "[POSIX or GNU style options] [--] 'program' file ...",
    ],
    "",
    &[
        Opt::required(
            Flag::File,
            'f',
            "file",
            "progfile",
            "read the program from a file",
        ),
        Opt::required(Flag::Separator, 'F', "field-separator", "fs", "set FS"),
        Opt::required(
            Flag::Assign,
            'v',
            "assign",
            "var=val",
            "set a variable before the program starts",
        ),
        Opt::flag(Flag::Bytes, 'b', "characters-as-bytes", ""),
        Opt::required(
            Flag::Source,
            'e',
            "source",
            "program-text",
            "a piece of the program",
        ),
        Opt::required(
            Flag::Exec,
            'E',
            "exec",
            "file",
            "read the program from a file, and no more options",
        ),
        Opt::required(
            Flag::Include,
            'i',
            "include",
            "includefile",
            "read a file of functions first",
        ),
        Opt::flag(
            Flag::ReInterval,
            'r',
            "re-interval",
            "allow intervals in regular expressions (always)",
        ),
        Opt::flag(Flag::Optimize, 'O', "optimize", "optimize the program (always)"),
        Opt::flag(Flag::NoOptimize, 's', "no-optimize", ""),
        Opt::optional(Flag::Lint, 'L', "lint", "fatal|invalid|no-ext", ""),
        Opt::flag(Flag::Posix, 'P', "posix", ""),
        Opt::flag(Flag::Traditional, 'c', "traditional", ""),
        Opt::flag(Flag::Sandbox, 'S', "sandbox", ""),
        Opt::flag(Flag::LintOld, 't', "lint-old", ""),
        Opt::flag(Flag::NonDecimal, 'n', "non-decimal-data", ""),
        Opt::flag(Flag::UseNumeric, 'N', "use-lc-numeric", ""),
    ],
)
.posix()
.complains(Complaint::Help)
.own_help(include_str!("usage.txt"))
.version_letter('V')
.help_letter('h');

/// A command line.
#[derive(Debug, Default)]
pub struct Options {
    pub separator: Option<Vec<u8>>,
    pub assignments: Vec<(Vec<u8>, Vec<u8>)>,
    pub pieces: Vec<Piece>,
    pub operands: Vec<Vec<u8>>,
    /// `-i inplace`
    pub in_place: bool,
}

/// A part of the program.
#[derive(Debug)]
pub enum Piece {
    File(Vec<u8>),
    Text(Vec<u8>),
}

/// Reads the options. What cannot be done is refused.
pub async fn read(proc: &mut Proc) -> Result<Options, Stop> {
    let parsed = match SPEC.parse(&modernized(proc.arguments())) {
        Ok(parsed) => parsed,
        Err(error) if error.outcome == Outcome::Output => return Err(usage::refuse(proc, &error).await),
        Err(error) => return Err(complain(proc, &error).await),
    };
    let mut options = Options {
        operands: parsed.operands.clone(),
        ..Options::default()
    };
    for (flag, value) in &parsed.options {
        let value = value.clone().unwrap_or_default();
        match flag {
            Flag::Include if matches!(value.as_slice(), b"inplace" | b"inplace.awk") => {
                options.in_place = true;
            }
            Flag::File | Flag::Include | Flag::Exec => options.pieces.push(Piece::File(value)),
            Flag::Source => options.pieces.push(Piece::Text(value)),
            Flag::Separator => options.separator = Some(value),
            Flag::Assign => match super::files::assignment(&value) {
                Some((name, text)) => options.assignments.push((name.to_vec(), text.to_vec())),
                None => return Err(bad_assignment(proc, &value).await),
            },
            Flag::ReInterval | Flag::Optimize | Flag::NoOptimize | Flag::UseNumeric => {}
            flag => return Err(refused(proc, *flag).await),
        }
    }
    only_text(proc, &parsed, &mut options).await?;
    Ok(options)
}

/// Without `-f` or `-e` the first operand is the program.
async fn only_text(proc: &mut Proc, parsed: &Parsed<Flag>, options: &mut Options) -> Result<(), Stop> {
    let named = [Flag::File, Flag::Source, Flag::Exec];
    if parsed.options.iter().any(|(flag, _)| named.contains(flag)) {
        return Ok(());
    }
    if options.operands.is_empty() {
        return Err(usage::refuse(proc, &SPEC.bare_usage()).await);
    }
    let program = options.operands.remove(0);
    options.pieces.push(Piece::Text(program));
    Ok(())
}

/// Prints what is wrong with the options. gawk looks through them itself: it says nothing of an unknown one, and names the
/// letter of an option without its value in its own way.
async fn complain(proc: &mut Proc, error: &UsageError) -> Stop {
    let usage = SPEC.help().text(proc.name());
    let text = error.text(proc.name());
    let first = text.split(|byte| *byte == b'\n').next().unwrap_or_default();
    let without_value = SPEC.options.iter().find(|option| {
        let letter = option
            .short
            .map(|letter| format!("requires an argument -- '{letter}'"));
        let name = option.long.map(|name| format!("'--{name}' requires an argument"));
        [letter, name]
            .iter()
            .flatten()
            .any(|end| first.ends_with(end.as_bytes()))
    });
    if let Some(letter) = without_value.and_then(|option| option.short) {
        let message = format!("option requires an argument -- {letter}");
        if let Err(stop) = proc.warn(message).await {
            return stop;
        }
    }
    match proc.write_error(&usage).await {
        Ok(()) => Stop::Exit(1),
        Err(stop) => stop,
    }
}

async fn bad_assignment(proc: &mut Proc, value: &[u8]) -> Stop {
    let name = value.split(|byte| *byte == b'=').next().unwrap_or_default();
    if value.contains(&b'=') {
        let message = [b"fatal: `", name, b"' is not a legal variable name"].concat();
        return usage::fail(proc, 2, message).await;
    }
    let error = SPEC.complain([b"`", value, b"' argument to `-v' not in `var=value' form\n"].concat());
    usage::refuse(proc, &error).await
}

async fn refused(proc: &mut Proc, flag: Flag) -> Stop {
    let name = SPEC
        .options
        .iter()
        .find(|option| option.flag == flag)
        .and_then(|option| option.long);
    let message = format!("fatal: option --{} is not supported", name.unwrap_or_default());
    usage::fail(proc, 2, message).await
}
