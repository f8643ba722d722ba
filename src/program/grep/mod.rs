//! `grep`, `egrep`, `fgrep`, `rgrep`: prints lines that match patterns.
//!
//! [`options`] reads the command line, [`patterns`] collects the patterns, [`matcher`] finds lines, [`search`] takes one file
//! through the matcher, [`output`] prints, [`walk`] finds the files. Behaviour is that of GNU grep 3.8.

mod filter;
mod matcher;
mod options;
mod output;
mod patterns;
mod search;
mod walk;

use super::usage;
use crate::kernel::{Proc, Program, Stop};
use filter::Filter;
use matcher::Matcher;
use options::{Directories, Language, NameSource, Options, SPEC};
use output::{Colors, Printer};
use search::Searcher;
use walk::Walk;

pub(super) use output::push_number;

/// `grep`.
pub const GREP: Program = Program {
    name: "grep",
    run: |proc| Box::pin(run(proc, None, false)),
};

/// `egrep`: Debian's script that runs `grep -E`.
pub const EGREP: Program = Program {
    name: "egrep",
    run: |proc| Box::pin(run(proc, Some(Language::Extended), false)),
};

/// `fgrep`: Debian's script that runs `grep -F`.
pub const FGREP: Program = Program {
    name: "fgrep",
    run: |proc| Box::pin(run(proc, Some(Language::Fixed), false)),
};

/// `rgrep`: Debian's script that runs `grep -r`.
pub const RGREP: Program = Program {
    name: "rgrep",
    run: |proc| Box::pin(run(proc, None, true)),
};

async fn run(proc: &mut Proc, implied: Option<Language>, recurse: bool) -> Result<i32, Stop> {
    if implied.is_some() || recurse {
        // These are scripts that run grep, which is therefore the name in messages.
        if let Some(name) = proc.args.first_mut() {
            *name = b"grep".to_vec();
        }
    }
    proc.write_failure.status = 2;
    let parsed = usage::parse(proc, &SPEC).await?;
    let options = Options::from_parsed(parsed, implied);
    let mut options = usage::accept(proc, options).await?;
    if recurse && options.directories == Directories::Read {
        options.directories = Directories::Recurse;
    }
    if options.unix_offsets {
        proc.warn("warning: --unix-byte-offsets (-u) is obsolete").await?;
    }
    let patterns = patterns::collect(proc, &options).await?;
    let colors = colors(proc, &options).await?;
    let files = name_filter(proc, &options).await?;
    let bytes: usize = patterns.iter().map(Vec::len).sum();
    proc.charge(bytes as u64 * 2)?;
    // Many patterns are joined in one automaton.
    let states = if patterns.len() > 1 { bytes as u64 * 128 } else { 0 };
    proc.kernel.meter().check_memory(states)?;
    // Nothing is looked for, so the patterns are not looked at.
    if options.max_count == Some(0) && options.list != options::List::NonMatching {
        return Ok(1);
    }
    let matcher = match Matcher::compile(&options, &patterns) {
        Ok(matcher) => matcher,
        Err(message) => return Err(usage::fail(proc, 2, message).await),
    };
    for warning in matcher.warnings() {
        proc.warn([b"warning: ", warning.as_bytes()].concat()).await?;
    }
    search_all(proc, &options, &matcher, colors, files).await
}

async fn search_all(
    proc: &mut Proc,
    options: &Options,
    matcher: &Matcher,
    colors: Option<Colors>,
    files: Filter,
) -> Result<i32, Stop> {
    let unseen = proc
        .fds
        .get(1)
        .is_ok_and(|file| file.description() == b"/dev/null");
    let printer = Printer {
        options,
        matcher,
        colors,
    };
    let recurses = options.directories == Directories::Recurse;
    let several = options.operands.len() > 1;
    let mut walk = Walk {
        options,
        searcher: Searcher {
            printer,
            used: false,
            unseen,
        },
        files,
        with_filename: options
            .with_filename
            .or((several || !recurses).then_some(several)),
        omit_dot_slash: recurses && options.operands.is_empty(),
        matched: false,
        trouble: false,
    };
    let default: &[u8] = if recurses { b"." } else { b"-" };
    if options.operands.is_empty() {
        walk.operand(proc, default).await?;
    }
    for operand in &options.operands {
        walk.operand(proc, operand).await?;
    }
    Ok(match (walk.trouble, walk.matched) {
        (true, _) => 2,
        (false, true) => 0,
        (false, false) => 1,
    })
}

async fn colors(proc: &mut Proc, options: &Options) -> Result<Option<Colors>, Stop> {
    if !options.color {
        return Ok(None);
    }
    let old = proc
        .variable(b"GREP_COLOR")
        .filter(|value| !value.is_empty())
        .map(<[u8]>::to_vec);
    let new = proc.variable(b"GREP_COLORS").map(<[u8]>::to_vec);
    let Some(old) = old else {
        return Ok(Some(Colors::from_variable(new.as_deref())));
    };
    let message = [
        b"warning: GREP_COLOR='",
        old.as_slice(),
        b"' is deprecated; use GREP_COLORS='mt=",
        &old,
        b"'",
    ];
    proc.warn(message.concat()).await?;
    let joined = [b"mt=", old.as_slice(), b":", new.as_deref().unwrap_or_default()].concat();
    Ok(Some(Colors::from_variable(Some(&joined))))
}

/// The rules about file names, those of `--exclude-from` read in.
async fn name_filter(proc: &mut Proc, options: &Options) -> Result<Filter, Stop> {
    let mut filter = Filter::default();
    for source in &options.names {
        match source {
            NameSource::Rule(rule, glob) => filter.add(*rule, glob),
            NameSource::ExcludeFrom(path) => {
                let text = patterns::read_file(proc, path).await?;
                for line in text.split(|byte| *byte == b'\n').filter(|line| !line.is_empty()) {
                    filter.add(filter::Rule::Exclude, line);
                }
            }
        }
    }
    Ok(filter)
}
