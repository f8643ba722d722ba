//! Numbers with multiplier suffixes: gnulib's `xstrtoumax` and `xstrtoimax`.

use super::block_size::BlockSizeError;

/// Why a text is not such a number. The sentence is the caller's: `invalid number of lines: ‘x’`, to which an overflow
/// adds `: Value too large for defined data type`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CountError {
    /// Not a number, or an unknown suffix.
    Invalid,
    /// Out of range.
    Overflow,
}

/// A number without a sign (a `+` is let through, as `strtoumax` does). `suffixes` are the letters that may follow, as
/// the tools declare them: `"bkKmMGTPEZY0"` for head and tail, where `0` means that `B` (powers of 1000) or `iB` (powers of
/// 1024) may follow; `""` for none. A suffix without a number counts as one.
pub fn parse_count(text: &[u8], suffixes: &str) -> Result<u64, CountError> {
    let value = parse_wide(text, suffixes, i128::from(u64::MAX))?;
    if text.trim_ascii_start().starts_with(b"-") {
        return Err(CountError::Invalid);
    }
    u64::try_from(value).map_err(|_| CountError::Overflow)
}

/// A number with an optional sign.
pub fn parse_signed_count(text: &[u8], suffixes: &str) -> Result<i64, CountError> {
    let value = parse_wide(text, suffixes, i128::from(i64::MAX) + 1)?;
    i64::try_from(value).map_err(|_| CountError::Overflow)
}

/// A number as C writes it: base 8, 10 or 16, or by its prefix (`0x1f`, `017`) with base 0. The error says which option's argument it
/// was, as gnulib's `xstrtol_fatal` does.
pub fn parse_count_in(text: &[u8], base: u32, suffixes: &str) -> Result<u64, BlockSizeError> {
    let rest = text.strip_prefix(b"\x0b").unwrap_or(text).trim_ascii_start();
    if rest.starts_with(b"-") {
        return Err(BlockSizeError::Invalid);
    }
    let rest = rest.strip_prefix(b"+").unwrap_or(rest);
    let is_hex = |digit: Option<&u8>| digit.is_some_and(u8::is_ascii_hexdigit);
    let (base, digits) = match (base, rest) {
        (0 | 16, [b'0', b'x' | b'X', digits @ ..]) if is_hex(digits.first()) => (16, digits),
        (0, [b'0', ..]) => (8, rest),
        (0, _) => (10, rest),
        _ => (base, rest),
    };
    let is_digit = |byte: &u8| char::from(*byte).is_digit(base);
    let length = digits.iter().take_while(|byte| is_digit(byte)).count();
    let (number, suffix) = digits.split_at_checked(length).unwrap_or_default();
    let mut value = u128::from(length == 0);
    for digit in number.iter().filter_map(|byte| char::from(*byte).to_digit(base)) {
        value = (value * u128::from(base) + u128::from(digit)).min(u128::from(u64::MAX) * 16);
    }
    let factor = match suffix {
        [] if length == 0 => return Err(BlockSizeError::Invalid),
        [] => 1,
        _ => match multiplier(suffix, suffixes) {
            Some(factor) => factor.unsigned_abs(),
            None if length == 0 => return Err(BlockSizeError::Invalid),
            None => return Err(BlockSizeError::InvalidSuffix),
        },
    };
    let scaled = value.checked_mul(factor).ok_or(BlockSizeError::TooLarge)?;
    u64::try_from(scaled).map_err(|_| BlockSizeError::TooLarge)
}

fn parse_wide(text: &[u8], suffixes: &str, most: i128) -> Result<i128, CountError> {
    let rest = text.strip_prefix(b"\x0b").unwrap_or(text).trim_ascii_start();
    let (negative, unsigned) = match rest {
        [b'-', unsigned @ ..] => (true, unsigned),
        [b'+', unsigned @ ..] => (false, unsigned),
        _ => (false, rest),
    };
    let digits = unsigned.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let (number, suffix) = if digits == 0 {
        (&b"1"[..], text)
    } else {
        unsigned.split_at_checked(digits).unwrap_or_default()
    };
    let mut value = 0_i128;
    for digit in number {
        // Saturates past every limit, so that a wrong suffix after a number too large is still a wrong suffix.
        value = (value * 10 + i128::from(digit - b'0')).min(i128::from(u64::MAX) * 16);
    }
    let overflow = value > most;
    let factor = match suffix {
        [] => Some(1),
        _ => Some(multiplier(suffix, suffixes).ok_or(CountError::Invalid)?),
    };
    if digits == 0 && suffix.is_empty() {
        return Err(CountError::Invalid);
    }
    let scaled = factor
        .and_then(|factor| value.checked_mul(factor))
        .filter(|&scaled| !overflow && scaled <= most);
    let value = scaled.ok_or(CountError::Overflow)?;
    Ok(if negative && digits > 0 { -value } else { value })
}

/// What a suffix multiplies by; `None` when it is not one.
fn multiplier(suffix: &[u8], suffixes: &str) -> Option<i128> {
    let (&letter, second) = suffix.split_first()?;
    if letter == b'0' || !suffixes.as_bytes().contains(&letter) {
        return None;
    }
    let power = match letter {
        b'k' | b'K' => 1,
        b'm' | b'M' => 2,
        b'g' | b'G' => 3,
        b't' | b'T' => 4,
        b'P' => 5,
        b'E' => 6,
        b'Z' => 7,
        b'Y' => 8,
        _ => {
            let factor = match letter {
                b'b' => 512,
                b'B' => 1024,
                b'c' => 1,
                b'w' => 2,
                _ => return None,
            };
            return second.is_empty().then_some(factor);
        }
    };
    let base: i128 = match second {
        [] | b"iB" => 1024,
        b"B" | b"D" => 1000,
        _ => return None,
    };
    (second.is_empty() || suffixes.contains('0')).then(|| base.saturating_pow(power))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn suffixes_of_head() {
        let parse = |text: &str| parse_count(text.as_bytes(), "bkKmMGTPEZY0");
        assert_eq!(parse("10"), Ok(10));
        assert_eq!(parse("1b"), Ok(512));
        assert_eq!(parse("2kB"), Ok(2000));
        assert_eq!(parse("2KiB"), Ok(2048));
        assert_eq!(parse("M"), Ok(1 << 20));
        assert_eq!(parse("+3"), Ok(3));
        assert_eq!(parse("0Y"), Ok(0));
        for wrong in ["", "x", "1XB", "1bB", "1g", "-1", "1 ", "99999999999999999999x"] {
            assert_eq!(parse(wrong), Err(CountError::Invalid), "{wrong}");
        }
        for large in ["18446744073709551616", "16E", "1Y"] {
            assert_eq!(parse(large), Err(CountError::Overflow), "{large}");
        }
        assert_eq!(parse_signed_count(b"-9223372036854775808", ""), Ok(i64::MIN));
    }
}
