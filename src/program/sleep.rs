//! `sleep`: waits. Time is the kernel's, so with a virtual clock it costs nothing.

use super::{duration, usage};
use crate::args::{COREUTILS, Spec, UsageError, quote};
use crate::kernel::{Proc, Program, Stop};
use std::time::Duration;

/// The program.
pub const PROGRAM: Program = Program {
    name: "sleep",
    run: |proc| Box::pin(run(proc)),
};

#[derive(Clone, Copy, PartialEq)]
enum Flag {}

static SPEC: Spec<Flag> = Spec::new(
    "sleep",
    COREUTILS,
    &["NUMBER[SUFFIX]...", "OPTION"],
    "Pause for NUMBER seconds.  SUFFIX may be 's' for seconds (the default),\n'm' for minutes, 'h' for hours or 'd' for days.  \
     NUMBER need not be an\ninteger.  Given two or more arguments, pause for the amount of time\nspecified by the sum of their \
     values.",
    &[],
);

async fn run(proc: &mut Proc) -> Result<i32, Stop> {
    let parsed = usage::parse(proc, &SPEC).await?;
    // `sleep --` has an argument, and waits for nothing.
    if proc.arguments().is_empty() {
        return Err(usage::refuse(proc, &SPEC.missing_operand()).await);
    }
    let mut total = Duration::ZERO;
    let mut error: Option<UsageError> = None;
    for word in parsed.operands.iter().rev() {
        match duration::parse(word) {
            Some(duration) => total = total.saturating_add(duration),
            None => {
                let message = [b"invalid time interval ", &*quote(word)].concat();
                error = Some(match error {
                    None => SPEC.complain(message),
                    Some(error) => error.after(message),
                });
            }
        }
    }
    if let Some(error) = error {
        return Err(usage::refuse(proc, &error).await);
    }
    proc.sleep(total).await;
    Ok(0)
}
