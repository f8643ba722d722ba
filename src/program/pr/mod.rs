//! `pr`: pages with headers, columns, and files beside each other.
//!
//! [`options`] reads the command line; [`page`] holds the columns and prints pages, [`line`] their lines, from what [`source`] reads. The
//! columns of a page are either read while they are printed (`-a`, `-m`, one column), or stored first and then spread evenly.
//! Everything counts bytes as GNU's does.
//!
//! Tests: `corpus/cases/program/pr.case`.

mod line;
mod options;
mod page;
mod source;

use super::usage;
use crate::kernel::{Proc, Program, Stop};
use options::Options;
use page::Printer;

/// The program.
pub const PROGRAM: Program = Program {
    name: "pr",
    run: |proc| Box::pin(run(proc)),
};

async fn run(proc: &mut Proc) -> Result<i32, Stop> {
    let options = Options::parse(proc.arguments());
    let options = usage::accept(proc, options).await?;
    let mut failed = false;
    if options.files.is_empty() || options.parallel {
        failed |= print(proc, &options, &options.files).await?;
    } else {
        for file in &options.files {
            failed |= print(proc, &options, std::slice::from_ref(file)).await?;
        }
    }
    Ok(i32::from(failed))
}

/// Prints one file, or several beside each other; whether any could not be opened.
async fn print(proc: &mut Proc, options: &Options, files: &[Vec<u8>]) -> Result<bool, Stop> {
    let mut printer = Printer::new(proc, options, files.len()).await?;
    if !printer.open(files).await? {
        return Ok(printer.failed);
    }
    if options.first_page > 1 && !printer.skip_pages().await? {
        return Ok(printer.failed);
    }
    printer.arrange();
    while printer.print_page().await? {}
    Ok(printer.failed)
}
