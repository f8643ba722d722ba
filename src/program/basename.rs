//! `basename` and `dirname`: the parts of a path, as text.

use super::{path, usage};
use crate::args::{COREUTILS, Opt, Spec};
use crate::kernel::{Proc, Program, Stop};

/// `basename`.
pub const PROGRAM: Program = Program {
    name: "basename",
    run: |proc| Box::pin(run_basename(proc)),
};

/// `dirname`.
pub const DIRNAME: Program = Program {
    name: "dirname",
    run: |proc| Box::pin(run_dirname(proc)),
};

#[derive(Clone, Copy, PartialEq)]
enum Flag {
    Multiple,
    Suffix,
    Zero,
}

const ZERO: Opt<Flag> = Opt::flag(
    Flag::Zero,
    'z',
    "zero",
    "end each output line with NUL, not newline",
);

static BASENAME: Spec<Flag> = Spec::new(
    "basename",
    COREUTILS,
    &["NAME [SUFFIX]", "OPTION... NAME..."],
    "Print NAME with any leading directory components removed.\nIf specified, also remove a trailing SUFFIX.\n\nMandatory arguments to long options are mandatory for short options too.",
    &[
        Opt::flag(
            Flag::Multiple,
            'a',
            "multiple",
            "support multiple arguments and treat each as a NAME",
        ),
        Opt::required(
            Flag::Suffix,
            's',
            "suffix",
            "SUFFIX",
            "remove a trailing SUFFIX; implies -a",
        ),
        ZERO,
    ],
)
.posix()
.notes(
    "Examples:\n  basename /usr/bin/sort          -> \"sort\"\n  basename include/stdio.h .h     -> \"stdio\"\n  basename -s .h include/stdio.h  -> \"stdio\"\n  basename -a any/str1 any/str2   -> \"str1\" followed by \"str2\"",
);

static DIRNAME_SPEC: Spec<Flag> = Spec::new(
    "dirname",
    COREUTILS,
    &["[OPTION] NAME..."],
    "Output each NAME with its last non-slash component and trailing slashes\nremoved; if NAME contains no /'s, output '.' (meaning the current directory).",
    &[ZERO],
)
.notes(
    "Examples:\n  dirname /usr/bin/          -> \"/usr\"\n  dirname dir1/str dir2/str  -> \"dir1\" followed by \"dir2\"\n  dirname stdio.h            -> \".\"",
);

async fn run_basename(proc: &mut Proc) -> Result<i32, Stop> {
    let parsed = usage::parse(proc, &BASENAME).await?;
    let several = parsed.has(Flag::Multiple) || parsed.has(Flag::Suffix);
    let most = if several { usize::MAX } else { 2 };
    if parsed.operands.is_empty() {
        return Err(usage::refuse(proc, &BASENAME.missing_operand()).await);
    }
    let checked = BASENAME.check_operands(&parsed, 1, most);
    usage::accept(proc, checked).await?;
    let end = end_of_line(parsed.has(Flag::Zero));
    let suffix = parsed.last(Flag::Suffix);
    let (names, suffix) = match parsed.operands.as_slice() {
        [name, suffix] if !several => (std::slice::from_ref(name), Some(suffix.as_slice())),
        names => (names, suffix),
    };
    for name in names {
        let base = path::base_name(name);
        let base = suffix
            .and_then(|suffix| base.strip_suffix(suffix))
            .filter(|stem| !stem.is_empty() && base != b"/")
            .unwrap_or(base);
        proc.write(&[base, end].concat()).await?;
    }
    Ok(0)
}

async fn run_dirname(proc: &mut Proc) -> Result<i32, Stop> {
    let parsed = usage::parse(proc, &DIRNAME_SPEC).await?;
    if parsed.operands.is_empty() {
        return Err(usage::refuse(proc, &DIRNAME_SPEC.missing_operand()).await);
    }
    let end = end_of_line(parsed.has(Flag::Zero));
    for name in &parsed.operands {
        proc.write(&[path::directory_name(name), end].concat()).await?;
    }
    Ok(0)
}

fn end_of_line(zero: bool) -> &'static [u8] {
    if zero { b"\0" } else { b"\n" }
}
