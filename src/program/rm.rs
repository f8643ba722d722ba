//! `rm`: removes names. What is below them is the work of [`super::remove`].

use super::message::{ask, message};
use super::remove::{Interactive, Removal, Removed, remove};
use super::usage;
use crate::args::{COREUTILS, Opt, Outcome, Parsed, Spec, UsageError, quoteaf};
use crate::fs::Follow;
use crate::kernel::{Proc, Program, Stop};
use crate::text::gnu_quote::{Style, styled};

/// The program.
pub const PROGRAM: Program = Program {
    name: "rm",
    run: |proc| Box::pin(run(proc)),
};

#[derive(Clone, Copy, PartialEq)]
enum Flag {
    Force,
    Always,
    Once,
    Interactive,
    OneFileSystem,
    NoPreserveRoot,
    PreserveRoot,
    Recursive,
    Directory,
    Verbose,
    PresumeTty,
}

static SPEC: Spec<Flag> = Spec::new(
    "rm",
    COREUTILS,
    &["[OPTION]... [FILE]..."],
    "Remove (unlink) the FILE(s).",
    &[
        Opt::flag(Flag::Force, 'f', "force", "ignore nonexistent files and arguments, never prompt"),
        Opt::short(Flag::Always, 'i', "prompt before every removal"),
        Opt::short(
            Flag::Once,
            'I',
            "prompt once before removing more than three files, or\nwhen removing recursively; less intrusive than -i,\nwhile still giving protection against most mistakes",
        ),
        Opt::long(
            Flag::Interactive,
            "interactive",
            "prompt according to WHEN: never, once (-I), or\nalways (-i); without WHEN, prompt always",
        )
        .may_take("WHEN"),
        Opt::long(
            Flag::OneFileSystem,
            "one-file-system",
            "when removing a hierarchy recursively, skip any\ndirectory that is on a file system different from\nthat of the corresponding command line argument",
        ),
        Opt::long(Flag::NoPreserveRoot, "no-preserve-root", "do not treat '/' specially"),
        Opt::long(
            Flag::PreserveRoot,
            "preserve-root",
            "do not remove '/' (default);\nwith 'all', reject any command line argument\non a separate device from its parent",
        )
        .may_take("all"),
        Opt::flag(Flag::Recursive, 'r', "recursive", "remove directories and their contents recursively"),
        Opt::short(Flag::Recursive, 'R', ""),
        Opt::flag(Flag::Directory, 'd', "dir", "remove empty directories"),
        Opt::flag(Flag::Verbose, 'v', "verbose", "explain what is being done"),
        Opt::long(Flag::PresumeTty, "-presume-input-tty", ""),
    ],
)
.notes(
    "\nBy default, rm does not remove directories.  Use the --recursive (-r or -R)\noption to remove each listed directory, too, along with all of its contents.\n\nTo remove a file whose name starts with a '-', for example '-foo',\nuse one of these commands:\n  rm -- -foo\n\n  rm ./-foo\n",
);

const WHEN: &[(&str, Interactive)] = &[
    ("never", Interactive::Never),
    ("no", Interactive::Never),
    ("none", Interactive::Never),
    ("once", Interactive::Sometimes),
    ("always", Interactive::Always),
    ("yes", Interactive::Always),
];

async fn run(proc: &mut Proc) -> Result<i32, Stop> {
    let parsed = usage::ordered(proc, &SPEC)
        .parse(proc.arguments())
        .map_err(|error| with_hint(proc, error));
    let parsed = usage::accept(proc, parsed).await?;
    let options = read_options(proc, &parsed);
    let (removal, prompt_once) = usage::accept(proc, options).await?;
    if parsed.operands.is_empty() {
        if removal.ignore_missing {
            return Ok(0);
        }
        return Err(usage::refuse(proc, &SPEC.missing_operand()).await);
    }
    let count = parsed.operands.len();
    if prompt_once && (removal.recursive || count > 3) {
        let plural = if count == 1 { "" } else { "s" };
        let how = if removal.recursive { " recursively" } else { "" };
        let question = format!("remove {count} argument{plural}{how}");
        if !ask(proc, question.as_bytes()).await? {
            return Ok(0);
        }
    }
    let mut status = 0;
    for operand in &parsed.operands {
        if remove(proc, operand, &removal).await? == Removed::Failed {
            status = 1;
        }
    }
    Ok(status)
}

fn read_options(proc: &Proc, parsed: &Parsed<Flag>) -> Result<(Removal, bool), UsageError> {
    let mut removal = Removal::default();
    let mut prompt_once = false;
    for (flag, value) in &parsed.options {
        match flag {
            Flag::Force => {
                (removal.interactive, removal.ignore_missing, prompt_once) =
                    (Interactive::Never, true, false);
            }
            Flag::Always => {
                (removal.interactive, removal.ignore_missing, prompt_once) =
                    (Interactive::Always, false, false);
            }
            Flag::Once => {
                (removal.interactive, removal.ignore_missing, prompt_once) =
                    (Interactive::Sometimes, false, true);
            }
            Flag::Interactive => {
                let when = value.as_deref().unwrap_or(b"always");
                removal.interactive = SPEC.choose("--interactive", when, WHEN)?;
                prompt_once = removal.interactive == Interactive::Sometimes;
                if removal.interactive != Interactive::Never {
                    removal.ignore_missing = false;
                }
            }
            Flag::OneFileSystem => removal.one_file_system = true,
            Flag::NoPreserveRoot => {
                if !proc.arguments().iter().any(|word| word == b"--no-preserve-root") {
                    return Err(UsageError::plain(
                        1,
                        "you may not abbreviate the --no-preserve-root option",
                    ));
                }
                removal.preserve_root = false;
            }
            Flag::PreserveRoot => match value.as_deref() {
                None => removal.preserve_root = true,
                Some(b"all") => (removal.preserve_root, removal.preserve_all_roots) = (true, true),
                Some(other) => {
                    let line = message!("unrecognized --preserve-root argument: ", quoteaf(other));
                    return Err(UsageError::plain(1, line));
                }
            },
            Flag::Recursive => removal.recursive = true,
            Flag::Directory => removal.empty_directories = true,
            Flag::Verbose => removal.verbose = true,
            Flag::PresumeTty => removal.asks_about_protected = true,
        }
    }
    Ok((removal, prompt_once))
}

/// A wrong option may be the name of a file: `rm` says how to remove that.
fn with_hint(proc: &Proc, error: UsageError) -> UsageError {
    let exists =
        |word: &&Vec<u8>| word.starts_with(b"-") && word.len() > 1 && proc.metadata(word, Follow::No).is_ok();
    match proc.arguments().iter().find(exists) {
        Some(name) if error.outcome == Outcome::Complaint => {
            let shown = styled(name, Style::ShellEscape, b"");
            let line = message!(
                "Try '",
                proc.name(),
                " ./",
                shown,
                "' to remove the file ",
                quoteaf(name),
                ".\n"
            );
            error.with_lines(&line)
        }
        _ => error,
    }
}
