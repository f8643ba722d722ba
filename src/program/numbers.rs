//! Numbers in options that must lie between two bounds: gnulib's `xdectoumax` and `xdectoimax`, with their complaints.

use crate::args::{CountError, UsageError, parse_count, parse_signed_count, quote};

const TOO_LARGE: &str = "Value too large for defined data type";
const OUT_OF_RANGE: &str = "Numerical result out of range";

/// `SENTENCE: ‘text’`, and the reason if there is one.
fn complaint(sentence: &str, text: &[u8], reason: &str) -> UsageError {
    let mut message = [sentence.as_bytes(), b": ", &quote(text)].concat();
    if !reason.is_empty() {
        message.extend_from_slice(b": ");
        message.extend_from_slice(reason.as_bytes());
    }
    UsageError::plain(1, message)
}

fn refused(error: CountError, sentence: &str, text: &[u8]) -> UsageError {
    match error {
        CountError::Invalid => complaint(sentence, text, ""),
        CountError::Overflow => complaint(sentence, text, TOO_LARGE),
    }
}

/// A number without sign from `least` to `most`. `suffixes` as in [`parse_count`].
pub fn unsigned(
    text: &[u8],
    suffixes: &str,
    (least, most): (u64, u64),
    sentence: &str,
) -> Result<u64, UsageError> {
    let value = parse_count(text, suffixes).map_err(|error| refused(error, sentence, text))?;
    if (least..=most).contains(&value) {
        return Ok(value);
    }
    // The reason goes by the size of the number, not by which bound it breaks.
    let reason = if value > i32::MAX as u64 / 2 {
        TOO_LARGE
    } else {
        OUT_OF_RANGE
    };
    Err(complaint(sentence, text, reason))
}

/// A number with a sign from `least` to `most`.
pub fn signed(
    text: &[u8],
    suffixes: &str,
    (least, most): (i64, i64),
    sentence: &str,
) -> Result<i64, UsageError> {
    let value = parse_signed_count(text, suffixes).map_err(|error| refused(error, sentence, text))?;
    if (least..=most).contains(&value) {
        return Ok(value);
    }
    let small = i64::from(i32::MIN / 2)..=i64::from(i32::MAX / 2);
    let reason = if small.contains(&value) {
        OUT_OF_RANGE
    } else {
        TOO_LARGE
    };
    Err(complaint(sentence, text, reason))
}
