//! `numfmt`: numbers for people and back.
//!
//! Numbers are decimal and exact ([`decimal`](super::decimal)), where GNU's are of 64 bits: the digits are the same as long as those are
//! exact. `--debug` is refused.

mod format;
mod options;
mod scale;

use self::options::{Invalid, Options};
use self::scale::Scale;
use super::decimal::Number;
use super::message::message;
use super::usage;
use crate::kernel::{Input, Proc, Program, Stop};

/// The program.
pub const PROGRAM: Program = Program {
    name: "numfmt",
    run: |proc| Box::pin(run(proc)),
};

/// The status after something that is no number.
const INVALID_NUMBER: i32 = 2;
/// Digits of a number that is written without a unit.
const MOST_DIGITS: usize = 18;

async fn run(proc: &mut Proc) -> Result<i32, Stop> {
    let options = Options::from_arguments(proc.arguments());
    let options = usage::accept(proc, options).await?;
    let mut status = 0;
    for word in &options.words {
        status |= line(proc, &options, word).await?;
        proc.write(&[options.line_end]).await?;
    }
    if !options.words.is_empty() {
        return Ok(status);
    }
    let mut input = match proc.stdin() {
        Ok(file) => Input::new(file),
        Err(errno) => {
            return Err(usage::fail(proc, 1, message!("error reading input: ", errno.message())).await);
        }
    };
    let mut lease = proc.kernel.lease();
    let mut count = 0;
    loop {
        proc.kernel.breathe().await;
        let read = match input.line(options.line_end).await {
            Ok(Some(read)) => read.to_vec(),
            Ok(None) => return Ok(status),
            Err(errno) => {
                return Err(usage::fail(proc, 1, message!("error reading input: ", errno.message())).await);
            }
        };
        lease.resize(read.len() * 2)?;
        count += 1;
        if count <= options.header {
            proc.write(&read).await?;
            continue;
        }
        let text = super::lines::text(&read, options.line_end);
        status |= line(proc, &options, text).await?;
        if text.len() < read.len() {
            proc.write(&[options.line_end]).await?;
        }
    }
}

/// Writes a line with its numbers in their new form. The status.
async fn line(proc: &mut Proc, options: &Options, text: &[u8]) -> Result<i32, Stop> {
    let mut status = 0;
    let mut rest = text;
    for number in 1.. {
        proc.charge(10)?;
        let end = field_end(rest, options.delimiter);
        let (field, behind) = rest.split_at(end);
        status |= self::field(proc, options, field, number).await?;
        let Some((separator, behind)) = behind.split_first() else {
            break;
        };
        proc.write(&[if options.delimiter.is_some() {
            *separator
        } else {
            b' '
        }])
        .await?;
        rest = behind;
    }
    Ok(status)
}

/// Where the first field ends; blanks before it are part of it.
fn field_end(text: &[u8], delimiter: Option<u8>) -> usize {
    let is_blank = |byte: &u8| matches!(byte, b' ' | b'\t' | b'\n');
    match delimiter {
        Some(delimiter) => memchr::memchr(delimiter, text).unwrap_or(text.len()),
        None => {
            let start = text.iter().take_while(|byte| is_blank(byte)).count();
            let rest = text.get(start..).unwrap_or_default();
            start + rest.iter().take_while(|byte| !is_blank(byte)).count()
        }
    }
}

async fn field(proc: &mut Proc, options: &Options, text: &[u8], number: u64) -> Result<i32, Stop> {
    let wanted = options
        .fields
        .iter()
        .any(|range| range.first <= number && number <= range.last);
    if !wanted {
        proc.write(text).await?;
        return Ok(0);
    }
    match converted(options, text, number) {
        Ok(text) => {
            proc.write(&text).await?;
            Ok(0)
        }
        Err(sentence) => {
            if options.invalid != Invalid::Ignore {
                proc.warn(sentence).await?;
            }
            if options.invalid == Invalid::Abort {
                return Err(Stop::Exit(INVALID_NUMBER));
            }
            proc.write(text).await?;
            Ok(if options.invalid == Invalid::Fail {
                INVALID_NUMBER
            } else {
                0
            })
        }
    }
}

/// The new form of a field.
fn converted(options: &Options, text: &[u8], number: u64) -> Result<Vec<u8>, Vec<u8>> {
    let whole = text;
    let text = match text.strip_suffix(options.suffix.as_slice()) {
        Some(rest) if !rest.is_empty() => rest,
        _ => text,
    };
    let trimmed = text.trim_ascii_start();
    let width = match options.keeps_width {
        true if trimmed.len() < text.len() || number > 1 => whole.len() as i64,
        true => 0,
        false => options.format.width,
    };
    let input = options.from.read(trimmed)?;
    let one = Number::whole(1);
    let mut value = input.value;
    let has_units = options.from_unit.compare(&one).is_ne() || options.to_unit.compare(&one).is_ne();
    if has_units {
        value = value.multiply(&options.from_unit, value.scale());
        value = value
            .divide(&options.to_unit, value.scale() + 20)
            .unwrap_or_default();
    }
    let precision = options.format.precision.unwrap_or(input.digits);
    if options.to == Scale::None && value.integer_digits() - 1 + precision > MOST_DIGITS {
        let shown = general(&value);
        return Err(if precision > 0 {
            message!(
                "value/precision too large to be printed: '",
                shown,
                "/",
                precision.to_string(),
                "' (consider using --to)"
            )
        } else {
            message!(
                "value too large to be printed: '",
                shown,
                "' (consider using --to)"
            )
        });
    }
    let mut shown = options.to.write(&value, input.digits, options);
    shown.extend_from_slice(&options.suffix);
    Ok(options.format.apply(&shown, width))
}

/// A large number as `%Lg` has it.
fn general(value: &Number) -> String {
    let text = String::from_utf8_lossy(&value.to_decimal()).into_owned();
    let value: f64 = text.parse().unwrap_or(0.0);
    let text = format!("{value:.5e}");
    match text.split_once('e') {
        Some((digits, power)) => {
            let digits = digits.trim_end_matches('0').trim_end_matches('.');
            format!("{digits}e+{power:0>2}")
        }
        None => text,
    }
}
