//! The patterns of a command line: `-e` and `-f` in order, a pattern a line, each once.

use super::options::{Options, PatternSource};
use crate::kernel::{Input, Proc, Stop};
use crate::program::usage;
use rustc_hash::FxHashSet;

/// All patterns; none at all when every `-f` file is empty, which matches nothing.
pub async fn collect(proc: &mut Proc, options: &Options) -> Result<Vec<Vec<u8>>, Stop> {
    let mut patterns = Vec::new();
    let mut known = FxHashSet::default();
    for source in &options.sources {
        let text = match source {
            PatternSource::Text(text) => text.clone(),
            PatternSource::File(path) => {
                let mut text = read_file(proc, path).await?;
                match text.pop() {
                    None => continue,
                    Some(b'\n') => {}
                    Some(last) => text.push(last),
                }
                text
            }
        };
        for line in text.split(|byte| *byte == b'\n') {
            if known.insert(line.to_vec()) {
                patterns.push(line.to_vec());
            }
        }
    }
    Ok(patterns)
}

/// The contents of a file that the command line names; failure ends grep.
pub async fn read_file(proc: &mut Proc, path: &[u8]) -> Result<Vec<u8>, Stop> {
    let mut lease = proc.kernel.lease();
    let text = match proc.open_operand(path).await {
        Ok(file) => Input::new(file).rest(&mut lease).await,
        Err(errno) => Err(errno),
    };
    match text {
        Ok(text) => Ok(text),
        Err(errno) => {
            let message = [path, b": ", errno.message().as_bytes()].concat();
            Err(usage::fail(proc, 2, message).await)
        }
    }
}
