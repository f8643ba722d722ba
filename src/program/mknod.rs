//! `mkfifo` and `mknod`: named pipes and device files. Devices are for the superuser, whom nobody is here unless the host says so.

use super::message::{complain, message};
use super::usage;
use crate::args::{COREUTILS, Opt, Spec, UsageError, quote, quotef};
use crate::fs::{Errno, FileKind, Follow};
use crate::kernel::{Proc, Program, Stop};
use crate::text::mode::ModeChange;
use crate::text::number::scan_unsigned;

/// `mknod`.
pub const PROGRAM: Program = Program {
    name: "mknod",
    run: |proc| Box::pin(run_mknod(proc)),
};

/// `mkfifo`.
pub const MKFIFO: Program = Program {
    name: "mkfifo",
    run: |proc| Box::pin(run_mkfifo(proc)),
};

#[derive(Clone, Copy, PartialEq)]
enum Flag {
    Mode,
    Context,
}

const OPTIONS: &[Opt<Flag>] = &[
    Opt::required(
        Flag::Mode,
        'm',
        "mode",
        "MODE",
        "set file permission bits to MODE, not a=rw - umask",
    ),
    Opt::short(
        Flag::Context,
        'Z',
        "set the SELinux security context to default type",
    ),
    Opt::long(
        Flag::Context,
        "context",
        "like -Z, or if CTX is specified then set the SELinux\nor SMACK security context to CTX",
    )
    .may_take("CTX"),
];

static MKFIFO_SPEC: Spec<Flag> = Spec::new(
    "mkfifo",
    COREUTILS,
    &["[OPTION]... NAME..."],
    "Create named pipes (FIFOs) with the given NAMEs.\n\nMandatory arguments to long options are mandatory for short options too.",
    OPTIONS,
);

static MKNOD_SPEC: Spec<Flag> = Spec::new(
    "mknod",
    COREUTILS,
    &["[OPTION]... NAME TYPE [MAJOR MINOR]"],
    "Create the special file NAME of the given TYPE.\n\nMandatory arguments to long options are mandatory for short options too.",
    OPTIONS,
)
.notes(
    "Both MAJOR and MINOR must be specified when TYPE is b, c, or u, and they\nmust be omitted when TYPE is p.  If MAJOR or MINOR begins with 0x or 0X,\nit is interpreted as hexadecimal; otherwise, if it begins with 0, as octal;\notherwise, as decimal.  TYPE may be:\n\n  b      create a block (buffered) special file\n  c, u   create a character (unbuffered) special file\n  p      create a FIFO",
);

async fn run_mkfifo(proc: &mut Proc) -> Result<i32, Stop> {
    let parsed = usage::parse(proc, &MKFIFO_SPEC).await?;
    if parsed.operands.is_empty() {
        return Err(usage::refuse(proc, &MKFIFO_SPEC.missing_operand()).await);
    }
    warn_of_context(proc, parsed.last(Flag::Context)).await?;
    let mode = file_mode(proc, parsed.last(Flag::Mode));
    let mode = usage::accept(proc, mode).await?;
    let mut status = 0;
    for path in &parsed.operands {
        if let Err(errno) = make(proc, path, FileKind::Fifo, mode, (0, 0)) {
            complain(proc, "cannot create fifo", path, errno).await?;
            status = 1;
        }
    }
    Ok(status)
}

async fn run_mknod(proc: &mut Proc) -> Result<i32, Stop> {
    let parsed = usage::parse(proc, &MKNOD_SPEC).await?;
    let mode = file_mode(proc, parsed.last(Flag::Mode));
    let mode = usage::accept(proc, mode).await?;
    let wanted = node(&parsed.operands);
    let (kind, rdev) = usage::accept(proc, wanted).await?;
    warn_of_context(proc, parsed.last(Flag::Context)).await?;
    let Some(path) = parsed.operands.first() else {
        return Ok(1);
    };
    if let Err(errno) = make(proc, path, kind, mode, rdev) {
        return Err(usage::fail(proc, 1, message!(quotef(path), ": ", errno.message())).await);
    }
    Ok(0)
}

async fn warn_of_context(proc: &mut Proc, context: Option<&[u8]>) -> Result<(), Stop> {
    if context.is_none() {
        return Ok(());
    }
    proc.warn("warning: ignoring --context; it requires an SELinux/SMACK-enabled kernel")
        .await
}

/// The bits of `-m`.
fn file_mode(proc: &Proc, text: Option<&[u8]>) -> Result<Option<u32>, UsageError> {
    let Some(text) = text else { return Ok(None) };
    let change = ModeChange::parse(text).ok_or_else(|| UsageError::plain(1, "invalid mode"))?;
    let mode = change.apply(0o666, false, proc.umask);
    if mode > 0o777 {
        return Err(UsageError::plain(
            1,
            "mode must specify only file permission bits",
        ));
    }
    Ok(Some(mode))
}

fn make(proc: &Proc, path: &[u8], kind: FileKind, mode: Option<u32>, rdev: (u32, u32)) -> Result<(), Errno> {
    proc.make_node(path, kind, mode.unwrap_or(0o666), rdev)?;
    match mode {
        Some(mode) => proc.set_mode(path, mode, Follow::No),
        None => Ok(()),
    }
}

/// What the operands of `mknod` after the name ask for.
fn node(operands: &[Vec<u8>]) -> Result<(FileKind, (u32, u32)), UsageError> {
    let is_pipe = operands.get(1).is_some_and(|kind| kind.starts_with(b"p"));
    let expected = if operands.is_empty() || is_pipe { 2 } else { 4 };
    if operands.len() < expected {
        let Some(last) = operands.last() else {
            return Err(MKNOD_SPEC.missing_operand());
        };
        let error = MKNOD_SPEC.missing_operand_after(last);
        let without_numbers = expected == 4 && operands.len() == 2;
        let hint = b"Special files require major and minor device numbers.\n";
        return Err(if without_numbers {
            error.with_lines(hint)
        } else {
            error
        });
    }
    if let Some(extra) = operands.get(expected) {
        let error = MKNOD_SPEC.extra_operand(extra);
        let with_numbers = expected == 2 && operands.len() == 4;
        let hint = b"Fifos do not have major and minor device numbers.\n";
        return Err(if with_numbers {
            error.with_lines(hint)
        } else {
            error
        });
    }
    let kind = operands.get(1).map(Vec::as_slice).unwrap_or_default();
    let kind = match kind.first() {
        Some(b'b') => FileKind::BlockDevice,
        Some(b'c' | b'u') => FileKind::CharDevice,
        Some(b'p') => return Ok((FileKind::Fifo, (0, 0))),
        _ => return Err(MKNOD_SPEC.complain(message!("invalid device type ", quote(kind)))),
    };
    let number = |index: usize, which: &str| {
        let text = operands.get(index).map(Vec::as_slice).unwrap_or_default();
        device_number(text)
            .ok_or_else(|| UsageError::plain(1, message!("invalid ", which, " device number ", quote(text))))
    };
    Ok((kind, (number(2, "major")?, number(3, "minor")?)))
}

/// A number in C's notations.
fn device_number(text: &[u8]) -> Option<u32> {
    let found = scan_unsigned(text, 0);
    let whole = found.length > 0 && found.length == text.len() && !found.out_of_range;
    u32::try_from(found.value)
        .ok()
        .filter(|_| whole && !text.trim_ascii_start().starts_with(b"-"))
}
