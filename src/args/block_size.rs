//! The unit that sizes are printed in: `--block-size`, `-h`, `--si`, `-k` of `ls`, `du` and `df`.

use super::count::{CountError, parse_count};
use crate::text::human::{Rounding, human_size, letter};

/// Why a text is not a block size.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BlockSizeError {
    /// Not a size.
    Invalid,
    /// A number with an unknown suffix.
    InvalidSuffix,
    /// Out of range.
    TooLarge,
}

impl BlockSizeError {
    /// The sentence; `option` is as it is named: `--block-size`.
    pub fn message(self, option: &str, text: &[u8]) -> Vec<u8> {
        let option = option.as_bytes();
        match self {
            BlockSizeError::Invalid => [b"invalid ", option, b" argument '", text, b"'"].concat(),
            BlockSizeError::InvalidSuffix => {
                [b"invalid suffix in ", option, b" argument '", text, b"'"].concat()
            }
            BlockSizeError::TooLarge => [option, b" argument '", text, b"' too large"].concat(),
        }
    }
}

/// The unit that sizes are printed in: `--block-size`, `-h`, `--si`, `-k`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum BlockSize {
    /// Scaled, with this base.
    Human(u64),
    /// Counts of so many bytes.
    Bytes(u64),
    /// Counts of so many bytes, followed by the unit (`--block-size=M` prints `5M`).
    Unit(u64, String),
}

impl BlockSize {
    /// Parses an argument of `--block-size`: `human-readable`, `si`, a size, or a unit alone.
    pub fn parse(text: &[u8]) -> Result<BlockSize, BlockSizeError> {
        let text = text.strip_prefix(b"'").unwrap_or(text);
        for (name, base) in [("human-readable", 1024), ("si", 1000)] {
            if !text.is_empty() && name.as_bytes().starts_with(text) {
                return Ok(BlockSize::Human(base));
            }
        }
        let size = parse_count(text, "gGkKmMPtTEYZ0").map_err(|error| match error {
            CountError::Overflow => BlockSizeError::TooLarge,
            CountError::Invalid if has_number(text) => BlockSizeError::InvalidSuffix,
            CountError::Invalid => BlockSizeError::Invalid,
        })?;
        if size == 0 {
            return Err(BlockSizeError::Invalid);
        }
        if text.iter().any(u8::is_ascii_digit) {
            return Ok(BlockSize::Bytes(size));
        }
        let decimal = text.ends_with(b"B") && !text.ends_with(b"iB");
        let base: u64 = if decimal { 1000 } else { 1024 };
        let power = (1..=6).find(|&power| base.pow(power) >= size).unwrap_or(6) as usize;
        let tail = match (text.ends_with(b"B"), decimal) {
            (false, _) => "",
            (true, true) => "B",
            (true, false) => "iB",
        };
        Ok(BlockSize::Unit(size, letter(power, base) + tail))
    }

    /// A size in this unit, rounded up.
    pub fn format(&self, bytes: u64) -> String {
        match self {
            BlockSize::Human(base) => human_size(bytes, *base, Rounding::Up),
            BlockSize::Bytes(size) => bytes.div_ceil(*size).to_string(),
            BlockSize::Unit(size, unit) => format!("{}{unit}", bytes.div_ceil(*size)),
        }
    }
}

/// A number comes first, or a letter that stands for one but is no unit (`e`).
fn has_number(text: &[u8]) -> bool {
    text.first()
        .is_some_and(|byte| byte.is_ascii_digit() || b"epyz".contains(byte))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_as_ls_takes_them() {
        let format = |unit: &str, bytes| BlockSize::parse(unit.as_bytes()).unwrap().format(bytes);
        assert_eq!(format("M", 1), "1M");
        assert_eq!(format("1M", 1), "1");
        assert_eq!(format("KiB", 2048), "2KiB");
        assert_eq!(format("kB", 2049), "3kB");
        assert_eq!(format("m", 1), "1M");
        assert_eq!(BlockSize::parse(b"s"), Ok(BlockSize::Human(1000)));
        assert_eq!(BlockSize::parse(b"hum"), Ok(BlockSize::Human(1024)));
        assert_eq!(BlockSize::parse(b"0"), Err(BlockSizeError::Invalid));
        assert_eq!(BlockSize::parse(b"1x"), Err(BlockSizeError::InvalidSuffix));
        let error = BlockSize::parse(b"Y").unwrap_err();
        assert_eq!(
            error.message("--block-size", b"Y"),
            b"--block-size argument 'Y' too large"
        );
    }
}
