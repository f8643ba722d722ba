//! The command line of awk.

use crate::args::{Complaint, Opt, Outcome, Package, Parsed, Spec};
use crate::fs::OpenFlags;
use crate::kernel::{Input, Proc, Stop};
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
.version_letter('V')
.help_letter('h');

/// A command line.
#[derive(Debug, Default)]
pub struct Options {
    pub separator: Option<Vec<u8>>,
    pub assignments: Vec<(Vec<u8>, Vec<u8>)>,
    pieces: Vec<Piece>,
    pub operands: Vec<Vec<u8>>,
}

#[derive(Debug)]
enum Piece {
    File(Vec<u8>),
    Text(Vec<u8>),
}

/// Reads the options. What cannot be done is refused.
pub async fn read(proc: &mut Proc) -> Result<Options, Stop> {
    let parsed = match SPEC.parse(proc.arguments()) {
        Ok(parsed) => parsed,
        Err(error) if error.outcome == Outcome::Output => return Err(usage::refuse(proc, &error).await),
        Err(error) => return Err(usage::refuse(proc, &error).await),
    };
    let mut options = Options {
        operands: parsed.operands.clone(),
        ..Options::default()
    };
    for (flag, value) in &parsed.options {
        let value = value.clone().unwrap_or_default();
        match flag {
            Flag::File | Flag::Include | Flag::Exec => options.pieces.push(Piece::File(value)),
            Flag::Source => options.pieces.push(Piece::Text(value)),
            // `-Ft` is a tab.
            Flag::Separator => options.separator = Some(if value == b"t" { b"\t".to_vec() } else { value }),
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

async fn bad_assignment(proc: &mut Proc, value: &[u8]) -> Stop {
    let name = value.split(|byte| *byte == b'=').next().unwrap_or_default();
    let message = if value.contains(&b'=') {
        [b"fatal: `", name, b"' is not a legal variable name"].concat()
    } else {
        [b"fatal: `", value, b"' argument to `-v' not in `var=value' form"].concat()
    };
    usage::fail(proc, 2, message).await
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

/// The sources with their names in messages.
pub async fn sources(proc: &mut Proc, options: &Options) -> Result<Vec<(Vec<u8>, Vec<u8>)>, Stop> {
    let mut sources = Vec::new();
    for piece in &options.pieces {
        match piece {
            Piece::Text(text) => sources.push((b"cmd. line".to_vec(), text.clone())),
            Piece::File(name) => sources.push((name.clone(), read_source(proc, name).await?)),
        }
    }
    Ok(sources)
}

async fn read_source(proc: &mut Proc, name: &[u8]) -> Result<Vec<u8>, Stop> {
    let opened = if name == b"-" || name == b"/dev/stdin" {
        proc.stdin()
    } else {
        proc.open(name, OpenFlags::READ).await
    };
    let mut lease = proc.kernel.lease();
    let read = match opened {
        Ok(file) => Input::new(file).rest(&mut lease).await,
        Err(errno) => Err(errno),
    };
    match read {
        Ok(text) => Ok(text),
        Err(errno) => {
            let message = [
                b"fatal: cannot open source file `",
                name,
                format!("' for reading: {errno}").as_bytes(),
            ]
            .concat();
            Err(usage::fail(proc, 2, message).await)
        }
    }
}
