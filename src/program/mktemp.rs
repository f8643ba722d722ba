//! `mktemp`: makes a file or directory of a name that was not there.
//!
//! The letters come from the run's generator, so a run with the same seed makes the same names.

use super::message::message;
use super::{path, usage};
use crate::args::{COREUTILS, Opt, Parsed, Spec, UsageError, quote};
use crate::fs::{Errno, Follow, OpenFlags};
use crate::kernel::{Proc, Program, Stop};

/// The program.
pub const PROGRAM: Program = Program {
    name: "mktemp",
    run: |proc| Box::pin(run(proc)),
};

#[derive(Clone, Copy, PartialEq)]
enum Flag {
    Directory,
    DryRun,
    Quiet,
    Suffix,
    TemporaryDirectory,
    Component,
}

static SPEC: Spec<Flag> = Spec::new(
    "mktemp",
    COREUTILS,
    &["[OPTION]... [TEMPLATE]"],
    "Create a temporary file or directory, safely, and print its name.\nTEMPLATE must contain at least 3 consecutive 'X's in last component.\nIf TEMPLATE is not specified, use tmp.XXXXXXXXXX, and --tmpdir is implied.\nFiles are created u+rw, and directories u+rwx, minus umask restrictions.",
    &[
        Opt::flag(Flag::Directory, 'd', "directory", "create a directory, not a file"),
        Opt::flag(
            Flag::DryRun,
            'u',
            "dry-run",
            "do not create anything; merely print a name (unsafe)",
        ),
        Opt::flag(
            Flag::Quiet,
            'q',
            "quiet",
            "suppress diagnostics about file/dir-creation failure",
        ),
        Opt::long(
            Flag::Suffix,
            "suffix",
            "append SUFF to TEMPLATE; SUFF must not contain a slash.\n  This option is implied if TEMPLATE does not end in X",
        )
        .takes("SUFF"),
        Opt::long(
            Flag::TemporaryDirectory,
            "tmpdir",
            "interpret TEMPLATE relative to DIR; if DIR is not\nspecified, use $TMPDIR if set, else /tmp.  With\nthis option, TEMPLATE must not be an absolute name;\nunlike with -t, TEMPLATE may contain slashes, but\nmktemp creates only the final component",
        )
        .may_take("DIR"),
        Opt::short(Flag::TemporaryDirectory, 'p', "the same, with DIR").takes("DIR"),
        Opt::short(
            Flag::Component,
            't',
            "interpret TEMPLATE as a single file name component,\nrelative to a directory: $TMPDIR, if set; else the\ndirectory specified via -p; else /tmp [deprecated]",
        ),
    ],
)
.version_letter('V');

/// Letters of names.
const LETTERS: &[u8; 62] = b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
/// Names that are tried before giving up.
const ATTEMPTS: u32 = 62 * 62 * 62;

/// A name with a gap for letters.
struct Template {
    before: Vec<u8>,
    gap: usize,
    after: Vec<u8>,
}

async fn run(proc: &mut Proc) -> Result<i32, Stop> {
    let parsed = usage::parse(proc, &SPEC).await?;
    let template = read_template(proc, &parsed);
    let template = usage::accept(proc, template).await?;
    let directory = parsed.has(Flag::Directory);
    match create(proc, &template, directory, parsed.has(Flag::DryRun)).await? {
        Ok(name) => {
            proc.write(&[&name, b"\n".as_slice()].concat()).await?;
            Ok(0)
        }
        Err(errno) => {
            if !parsed.has(Flag::Quiet) {
                let kind = if directory { "directory" } else { "file" };
                let shown = quote(&template.text());
                let line = message!(
                    "failed to create ",
                    kind,
                    " via template ",
                    shown,
                    ": ",
                    errno.message()
                );
                proc.warn(line).await?;
            }
            Ok(1)
        }
    }
}

fn read_template(proc: &Proc, parsed: &Parsed<Flag>) -> Result<Template, UsageError> {
    let given = match parsed.operands.as_slice() {
        [] => None,
        [one] => Some(one.as_slice()),
        _ => return Err(SPEC.complain("too many templates")),
    };
    let text = given.unwrap_or(b"tmp.XXXXXXXXXX");
    let (stem, suffix) = split(text, parsed.last(Flag::Suffix))?;
    let gap = gap(stem);
    let before = stem.get(..stem.len() - gap).unwrap_or_default();
    let wanted = parsed
        .options
        .iter()
        .any(|(flag, _)| *flag == Flag::TemporaryDirectory);
    let directory = if parsed.has(Flag::Component) {
        if stem.contains(&b'/') {
            return Err(refusal(
                "invalid template, ",
                text,
                ", contains directory separator",
            ));
        }
        Some(environment(proc).or(named(parsed)))
    } else if wanted || given.is_none() {
        if text.starts_with(b"/") {
            let after = "; with --tmpdir, it may not be absolute";
            return Err(refusal("invalid template, ", text, after));
        }
        Some(named(parsed).or(environment(proc)))
    } else {
        None
    };
    let before = match directory {
        None => before.to_vec(),
        Some(directory) => path::join(directory.unwrap_or(b"/tmp"), before),
    };
    Ok(Template {
        before,
        gap,
        after: suffix.to_vec(),
    })
}

fn refusal(before: &str, text: &[u8], after: &str) -> UsageError {
    UsageError::plain(1, message!(before, quote(text), after))
}

/// How many `X` a stem ends with.
fn gap(stem: &[u8]) -> usize {
    stem.iter().rev().take_while(|byte| **byte == b'X').count()
}

/// A template up to its last `X`, and what follows; the latter may be given apart.
fn split<'t>(text: &'t [u8], suffix: Option<&'t [u8]>) -> Result<(&'t [u8], &'t [u8]), UsageError> {
    let (stem, suffix) = match suffix {
        Some(_) if !text.ends_with(b"X") => {
            return Err(refusal("with --suffix, template ", text, " must end in X"));
        }
        Some(suffix) => (text, suffix),
        None => {
            let end = text.iter().rposition(|byte| *byte == b'X');
            text.split_at_checked(end.map_or(text.len(), |last| last + 1))
                .unwrap_or_default()
        }
    };
    if suffix.contains(&b'/') {
        return Err(refusal(
            "invalid suffix ",
            suffix,
            ", contains directory separator",
        ));
    }
    if gap(stem) < 3 {
        return Err(refusal("too few X's in template ", &message!(stem, suffix), ""));
    }
    Ok((stem, suffix))
}

fn environment(proc: &Proc) -> Option<&[u8]> {
    proc.variable(b"TMPDIR").filter(|value| !value.is_empty())
}

fn named(parsed: &Parsed<Flag>) -> Option<&[u8]> {
    parsed
        .last(Flag::TemporaryDirectory)
        .filter(|value| !value.is_empty())
}

impl Template {
    fn fill(&self, letters: impl Iterator<Item = u8>) -> Vec<u8> {
        let mut name = self.before.clone();
        name.extend(letters.take(self.gap));
        name.extend_from_slice(&self.after);
        name
    }

    fn text(&self) -> Vec<u8> {
        self.fill(std::iter::repeat(b'X'))
    }
}

async fn create(
    proc: &Proc,
    template: &Template,
    directory: bool,
    dry_run: bool,
) -> Result<Result<Vec<u8>, Errno>, Stop> {
    let letter = || {
        let index = proc.kernel.random() % LETTERS.len() as u64;
        LETTERS.get(index as usize).copied().unwrap_or(b'a')
    };
    for _ in 0..ATTEMPTS {
        proc.charge(4)?;
        let name = template.fill(std::iter::repeat_with(letter));
        let made = if dry_run {
            match proc.metadata(&name, Follow::No) {
                Ok(_) => Err(Errno::EEXIST),
                Err(Errno::ENOENT) => Ok(()),
                Err(errno) => Err(errno),
            }
        } else if directory {
            proc.make_dir(&name, 0o700)
        } else {
            let opened = proc.open_mode(&name, OpenFlags::CREATE_NEW, 0o600).await;
            opened.map(drop)
        };
        match made {
            Ok(()) => return Ok(Ok(name)),
            Err(Errno::EEXIST) => {}
            Err(errno) => return Ok(Err(errno)),
        }
    }
    Ok(Err(Errno::EEXIST))
}
