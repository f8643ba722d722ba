//! `printf`: formats its arguments. The program of coreutils; it shares its engine with the builtin.

use super::usage;
use crate::args::{COREUTILS, Opt, Spec};
use crate::kernel::{Halt, Proc, Program, Stop};
use crate::text::printf::{Family, Format, NoHost};

/// The program.
pub const PROGRAM: Program = Program {
    name: "printf",
    run: |proc| Box::pin(run(proc)),
};

const NO_OPTIONS: &[Opt<()>] = &[];

static SPEC: Spec<()> = Spec::new(
    "printf",
    COREUTILS,
    &["FORMAT [ARGUMENT]..."],
    "Print ARGUMENT(s) according to FORMAT.\n",
    NO_OPTIONS,
);

/// Bytes of output that are refused.
const LIMIT: usize = 256 << 20;

async fn run(proc: &mut Proc) -> Result<i32, Stop> {
    let arguments = proc.arguments().to_vec();
    // Only a lone first argument is looked at as an option.
    let operands = match arguments.as_slice() {
        [only] if only == b"--help" || only == b"--version" => usage::parse(proc, &SPEC).await?.operands,
        [first, rest @ ..] if first == b"--" => rest.to_vec(),
        _ => arguments,
    };
    let Some((format, arguments)) = operands.split_first() else {
        let error = SPEC.missing_operand();
        return Err(usage::refuse(proc, &error).await);
    };
    let format = Format::parse(format, Family::Coreutils);
    let Ok(printed) = format.run(arguments, &mut NoHost, LIMIT) else {
        proc.kernel.meter().stop(Halt::Memory);
        return Err(Stop::Halt(Halt::Memory));
    };
    proc.write(&printed.bytes).await?;
    for complaint in &printed.complaints {
        proc.warn(complaint.message()).await?;
    }
    Ok(i32::from(printed.status))
}
