//! The unit in which `df`, `du` and `ls` count space: what an option says, else the environment, else kibibytes. `human_options` of gnulib.

use crate::args::{BlockSize, UsageError};
use crate::kernel::Proc;

/// The argument of `--block-size`; the complaint names the option as it was written.
pub fn parse(text: &[u8], option: &str, status: u8) -> Result<BlockSize, UsageError> {
    BlockSize::parse(text).map_err(|error| UsageError::plain(status, error.message(option, text)))
}

/// How an option was written, for complaints that name it so: `long` when a word begins with `prefix`.
pub fn spelling(proc: &Proc, prefix: &[u8], short: &'static str, long: &'static str) -> &'static str {
    if proc.arguments().iter().any(|word| word.starts_with(prefix)) {
        long
    } else {
        short
    }
}

/// The unit of the environment: the program's own variable (`DF_BLOCK_SIZE`), then the two common ones. A text that is no unit
/// means the default, which POSIX has as 512 bytes.
pub fn of_environment(proc: &Proc, own: &[u8]) -> BlockSize {
    let names = [own, b"BLOCK_SIZE", b"BLOCKSIZE"];
    let text = names.into_iter().find_map(|name| proc.variable(name));
    text.and_then(|text| BlockSize::parse(text).ok())
        .unwrap_or_else(|| {
            let posix = proc.variable(b"POSIXLY_CORRECT").is_some();
            BlockSize::Bytes(if posix { 512 } else { 1024 })
        })
}
