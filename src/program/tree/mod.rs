//! `tree` (by Steve Baker): directories drawn as a tree, or as JSON.
//!
//! The tree is read whole before anything is printed, since `--prune` has to know what is below. Reading and printing keep their own
//! stacks, so depth costs memory only. HTML, XML, colours and the filters by files of git are refused as unknown options.
//!
//! - `options.rs`: the command line · `read.rs`: the tree · `draw.rs`: lines · `json.rs`: `-J`

mod draw;
mod json;
mod options;
mod read;

use std::sync::Arc;

use self::options::{Answer, Options};
use self::read::Forest;
use super::message::message;
use crate::fs::OpenFlags;
use crate::kernel::{File, Proc, Program, Stop};

/// The program.
pub const PROGRAM: Program = Program {
    name: "tree",
    run: |proc| Box::pin(run(proc)),
};

const HELP: &[u8] = include_bytes!("help.txt");
const VERSION: &str = "tree v2.1.0 © 1996 - 2022 by Steve Baker, Thomas Moore, Francesc Rocher, Florian Sesser, Kyosuke Tokoro\n";

/// What the report counts.
#[derive(Debug, Clone, Copy, Default)]
struct Totals {
    directories: u64,
    files: u64,
}

/// Where the drawing goes.
struct Output {
    file: Option<Arc<File>>,
}

impl Output {
    async fn write(&self, proc: &mut Proc, text: &[u8]) -> Result<(), Stop> {
        match &self.file {
            None => proc.write(text).await,
            Some(file) => match file.write_all(text).await {
                Ok(()) => Ok(()),
                Err(errno) => {
                    proc.warn(message!("write error: ", errno.message())).await?;
                    Err(Stop::Exit(1))
                }
            },
        }
    }
}

async fn run(proc: &mut Proc) -> Result<i32, Stop> {
    let options = match Options::read(proc) {
        Ok(options) => options,
        Err(Answer::Help) => {
            proc.write(HELP).await?;
            return Ok(0);
        }
        Err(Answer::Version) => {
            proc.write(VERSION.as_bytes()).await?;
            return Ok(0);
        }
        Err(Answer::Sort(name)) => {
            // The sentence is in two places, as the real one prints it.
            let line = message!(
                proc.name(),
                ": Sort type '",
                name,
                "' not valid, should be one of: "
            );
            proc.write_error(&line).await?;
            proc.write(b"name,version,size,mtime,ctime\n").await?;
            return Ok(1);
        }
        Err(Answer::Complaint(line, with_usage)) => {
            proc.warn(line).await?;
            if with_usage {
                let end = memchr::memmem::find(HELP, b"  -------").unwrap_or(HELP.len());
                proc.write_error(HELP.get(..end).unwrap_or_default()).await?;
            }
            return Ok(1);
        }
    };
    let mut output = Output { file: None };
    if let Some(path) = &options.output {
        match proc.open(path, OpenFlags::CREATE).await {
            Ok(file) => output.file = Some(file),
            Err(_) => {
                proc.warn(message!("invalid filename '", path, "'")).await?;
                return Ok(1);
            }
        }
    }
    let forest = Forest::read(proc, &options).await?;
    if options.json {
        json::print(proc, &forest, &options, &output).await?;
    } else {
        draw::print(proc, &forest, &options, &output).await?;
    }
    Ok(if forest.failed { 2 } else { 0 })
}
