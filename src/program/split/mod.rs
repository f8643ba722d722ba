//! `split`: a file in pieces.
//!
//! Pieces of lines or bytes are cut from the stream ([`pieces`]); the kinds that need the length of the whole read it first
//! ([`chunks`]). [`output`] names the pieces and writes them, to files or to a command.

mod chunks;
mod options;
mod output;
mod pieces;

use self::options::{Kind, Options};
use self::output::Output;
use super::blocks::Unit;
use super::usage;
use crate::kernel::{Input, Proc, Program, Stop};

/// The program.
pub const PROGRAM: Program = Program {
    name: "split",
    run: |proc| Box::pin(run(proc)),
};

async fn run(proc: &mut Proc) -> Result<i32, Stop> {
    let options = Options::from_arguments(proc.arguments());
    let options = usage::accept(proc, options).await?;
    let file = match proc.open_operand(&options.input).await {
        Ok(file) => file,
        Err(errno) => {
            let after = format!(" for reading: {errno}");
            usage::warn_about(proc, "cannot open", &options.input, &after).await?;
            return Ok(1);
        }
    };
    let names = match options.names() {
        Ok(names) => names,
        Err(message) => return Err(usage::fail(proc, 1, message).await),
    };
    let mut output = Output::new(&options, names, &file);
    let input = Input::new(file);
    match options.kind {
        Kind::Bytes(size) => pieces::cut(proc, input, &mut output, Unit::Bytes, size).await?,
        Kind::Lines(count) => {
            let unit = Unit::Lines(options.separator);
            pieces::cut(proc, input, &mut output, unit, count).await?;
        }
        kind => chunks::split(proc, input, &mut output, &options, kind).await?,
    }
    output.close(proc).await?;
    Ok(0)
}

/// Ends the program with why the input could not be read.
async fn read_failed(proc: &mut Proc, options_input: &[u8], errno: crate::fs::Errno) -> Stop {
    let name = crate::args::quotef(options_input);
    usage::fail(
        proc,
        1,
        [&name, b": ".as_slice(), errno.message().as_bytes()].concat(),
    )
    .await
}
