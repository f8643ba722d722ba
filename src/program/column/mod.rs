//! `column`: lists in columns, and tables.
//!
//! Lines of a list fill columns ([`crate::text::columns`]); with `-t` each line is a row of cells ([`table`]). The options that squeeze
//! a table into a width are refused.

mod options;
mod table;

use self::options::{Mode, Options};
use super::message::message;
use super::usage;
use crate::kernel::{Input, Lease, Proc, Program, Stop};
use crate::text::columns::{Fill, Item, column};
use crate::text::utf8;

/// The program.
pub const PROGRAM: Program = Program {
    name: "column",
    run: |proc| Box::pin(run(proc)),
};

async fn run(proc: &mut Proc) -> Result<i32, Stop> {
    let options = Options::from_arguments(proc.arguments(), proc.variable(b"COLUMNS"));
    let options = usage::accept(proc, options).await?;
    let mut lease = proc.kernel.lease();
    let (lines, failed) = read_lines(proc, &options, &mut lease).await?;
    if lines.is_empty() {
        return Ok(i32::from(failed));
    }
    match options.mode {
        Mode::Table => {
            let table = table::Table::new(&options, &lines);
            let text = match table {
                Ok(table) if options.json => table.json(&options.name),
                Ok(table) => table.text(&options.separator),
                Err(message) => return Err(usage::fail(proc, 1, message).await),
            };
            proc.write(&text).await?;
            // A table that was printed is a success, whatever could not be read.
            Ok(0)
        }
        Mode::Fill(fill) => {
            write_list(proc, lines, options.width, fill).await?;
            Ok(i32::from(failed))
        }
    }
}

/// The lines of all files, and whether one could not be opened.
async fn read_lines(
    proc: &mut Proc,
    options: &Options,
    lease: &mut Lease,
) -> Result<(Vec<Vec<u8>>, bool), Stop> {
    let mut lines = Vec::new();
    let mut held = 0;
    let mut failed = false;
    for path in usage::operands_or_stdin(options.paths.clone()) {
        let mut input = match proc.open_operand(&path).await {
            Ok(file) => Input::new(file),
            Err(errno) => {
                failed = true;
                proc.warn(message!(path, ": ", errno.message())).await?;
                continue;
            }
        };
        loop {
            proc.kernel.breathe().await;
            let line = match input.line(b'\n').await {
                Ok(Some(line)) => line.strip_suffix(b"\n").unwrap_or(line).to_vec(),
                Ok(None) => break,
                Err(errno) => {
                    let text = message!("read failed: ", errno.message());
                    return Err(usage::fail(proc, 1, text).await);
                }
            };
            if line.trim_ascii().is_empty() && !options.keep_empty {
                continue;
            }
            // A line, and what its cells take on top of its text.
            held += line.len() * 2 + 96;
            lease.resize(held)?;
            proc.charge(1)?;
            lines.push(line);
        }
    }
    Ok((lines, failed))
}

async fn write_list(proc: &mut Proc, lines: Vec<Vec<u8>>, width: usize, fill: Fill) -> Result<(), Stop> {
    let items: Vec<Item> = lines
        .into_iter()
        .map(|text| Item {
            width: utf8::width(&text),
            text,
        })
        .collect();
    proc.write(&column(&items, width, fill)).await
}
