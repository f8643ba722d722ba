//! `seq`: numbers in steps.
//!
//! Three ways, chosen so that nobody can tell them apart but by their speed:
//! - integers without options are counted as decimal text, of any length ([`count_up`]);
//! - numbers whose last digit is known are counted as integers scaled by a power of ten ([`Scaled`]);
//! - all others, and user formats, are computed as long doubles like GNU seq does: `first + i * step`.

use super::usage;
use crate::args::{COREUTILS, Opt, Parsed, Spec, UsageError, quote};
use crate::kernel::{Proc, Program, Stop};
use crate::text::format::{Flags, Layout};
use crate::text::long_double::LongDouble;
use crate::text::number;

/// The program.
pub const PROGRAM: Program = Program {
    name: "seq",
    run: |proc| Box::pin(run(proc)),
};

#[derive(Clone, Copy, PartialEq)]
enum Flag {
    Format,
    Separator,
    EqualWidth,
}

static SPEC: Spec<Flag> = Spec::new(
    "seq",
    COREUTILS,
    &[
        "[OPTION]... LAST",
        "[OPTION]... FIRST LAST",
        "[OPTION]... FIRST INCREMENT LAST",
    ],
    "Print numbers from FIRST to LAST, in steps of INCREMENT.\n",
    &[
        Opt::required(
            Flag::Format,
            'f',
            "format",
            "FORMAT",
            "use printf style floating-point FORMAT",
        ),
        Opt::required(
            Flag::Separator,
            's',
            "separator",
            "STRING",
            "use STRING to separate numbers (default: \\n)",
        ),
        Opt::flag(
            Flag::EqualWidth,
            'w',
            "equal-width",
            "equalize width by padding with leading zeroes",
        ),
    ],
)
.posix()
.notes(
    "If FIRST or INCREMENT is omitted, it defaults to 1.  That is, an\n\
     omitted INCREMENT defaults to 1 even when LAST is smaller than FIRST.\n\
     The sequence of numbers ends when the sum of the current number and\n\
     INCREMENT would become greater than LAST.\n\
     FIRST, INCREMENT, and LAST are interpreted as floating point values.\n\
     INCREMENT is usually positive if FIRST is smaller than LAST, and\n\
     INCREMENT is usually negative if FIRST is greater than LAST.\n\
     INCREMENT must not be 0; none of FIRST, INCREMENT and LAST may be NaN.\n\
     FORMAT must be suitable for printing one argument of type 'double';\n\
     it defaults to %.PRECf if FIRST, INCREMENT, and LAST are all fixed point\n\
     decimal numbers with maximum precision PREC, and to %g otherwise.",
);

/// Options end at a negative number too.
fn parse_arguments(arguments: &[Vec<u8>]) -> Result<Parsed<Flag>, UsageError> {
    let mut end = 0;
    while let Some(word) = arguments.get(end) {
        if word == b"--" || !word.starts_with(b"-") {
            return SPEC.parse(arguments);
        }
        if matches!(word.get(1), Some(b'.' | b'0'..=b'9')) {
            break;
        }
        end += if takes_next(word) { 2 } else { 1 };
    }
    let options = arguments.get(..end).unwrap_or(arguments);
    let mut parsed = SPEC.parse(options)?;
    parsed.operands = arguments.get(end..).unwrap_or_default().to_vec();
    Ok(parsed)
}

/// The value of this option is the next word.
fn takes_next(word: &[u8]) -> bool {
    if let Some(name) = word.strip_prefix(b"--") {
        return b"format".starts_with(name) || b"separator".starts_with(name);
    }
    let letter = word.iter().position(|byte| matches!(byte, b'f' | b's'));
    letter.is_some_and(|at| at + 1 == word.len())
}

/// An operand with what it says about how numbers are printed.
#[derive(Debug, Clone, Copy)]
struct Operand {
    value: LongDouble,
    width: i64,
    /// Digits behind the point; `None` when unknown.
    precision: Option<i64>,
}

const ONE: LongDouble = LongDouble::Finite {
    negative: false,
    mantissa: 1 << 63,
    exponent: -63,
};

/// `xstrtold`: all of the text, overflow is an error, underflow to zero is none.
fn long_double(text: &[u8]) -> Option<LongDouble> {
    let scanned = number::scan_long_double(text);
    let whole = scanned.length > 0 && scanned.length == text.len();
    let in_range = !scanned.out_of_range || scanned.value.is_zero();
    (whole && in_range).then_some(scanned.value)
}

impl Operand {
    fn one() -> Operand {
        Operand {
            value: ONE,
            width: 1,
            precision: Some(0),
        }
    }

    fn parse(text: &[u8]) -> Result<Operand, UsageError> {
        let value = long_double(text).ok_or_else(|| {
            SPEC.complain([b"invalid floating point argument: ", quote(text).as_slice()].concat())
        })?;
        if matches!(value, LongDouble::Nan { .. }) {
            let message = [
                b"invalid ",
                &*quote(b"not-a-number"),
                b" argument: ",
                &quote(text),
            ];
            return Err(SPEC.complain(message.concat()));
        }
        let start = text
            .iter()
            .take_while(|byte| number::is_space(**byte) || **byte == b'+')
            .count();
        let text = text.get(start..).unwrap_or_default();
        let point = memchr::memchr(b'.', text);
        let mut operand = Operand {
            value,
            width: 0,
            precision: None,
        };
        if point.is_none() && !text.contains(&b'p') {
            operand.precision = Some(0);
        }
        if value.is_finite() && !text.iter().any(|byte| matches!(byte, b'x' | b'X')) {
            operand.measure(text, point);
        }
        Ok(operand)
    }

    /// Width and precision of a decimal.
    fn measure(&mut self, text: &[u8], point: Option<usize>) {
        let length = text.len() as i64;
        self.width = length;
        let exponent_at = memchr::memchr(b'e', text).or_else(|| memchr::memchr(b'E', text));
        let mut fraction = 0;
        if let Some(point) = point {
            let behind = text.get(point + 1..).unwrap_or_default();
            let end = behind
                .iter()
                .position(|byte| matches!(byte, b'e' | b'E'))
                .unwrap_or(behind.len());
            fraction = end as i64;
            self.precision = Some(fraction);
            let digit_before = point > 0 && text.get(point - 1).is_some_and(u8::is_ascii_digit);
            self.width += if fraction == 0 {
                -1
            } else {
                i64::from(!digit_before)
            };
        }
        let Some(at) = exponent_at else { return };
        let digits = text.get(at + 1..).unwrap_or_default();
        let mut exponent = number::scan_signed(digits, 10).value.max(-i64::MAX);
        let precision = self.precision.unwrap_or(0);
        self.precision = Some(if exponent < 0 {
            precision.saturating_sub(exponent)
        } else {
            precision - precision.min(exponent)
        });
        self.width -= length - at as i64;
        if exponent < 0 {
            if point.is_none_or(|point| at == point + 1) {
                self.width += 1;
            }
            exponent = -exponent;
        } else {
            if point.is_some() && self.precision == Some(0) && fraction > 0 {
                self.width -= 1;
            }
            exponent -= fraction.min(exponent);
        }
        self.width = self.width.saturating_add(exponent);
    }
}

/// How a number is printed.
#[derive(Debug, Clone)]
struct Format {
    prefix: Vec<u8>,
    layout: Layout,
    letter: u8,
    suffix: Vec<u8>,
    /// Made from the operands: fixed point with this precision.
    fixed: Option<usize>,
}

/// Widths beyond this are refused, not printed.
const MOST_WIDTH: usize = 1 << 24;

impl Format {
    /// Checks and takes apart a format of the user.
    fn parse(text: &[u8]) -> Result<Format, UsageError> {
        let complain = |what: &str| {
            let message = [b"format ", &*quote(text), what.as_bytes()];
            UsageError::plain(1, message.concat())
        };
        let (prefix, rest) = literal(text);
        let Some(rest) = rest.strip_prefix(b"%") else {
            return Err(complain(" has no % directive"));
        };
        let (directive, used) = directive(rest);
        let mut rest = rest.get(used..).unwrap_or_default();
        rest = rest.strip_prefix(b"L").unwrap_or(rest);
        let Some((letter, rest)) = rest.split_first() else {
            return Err(complain(" ends in %"));
        };
        if !b"efgaEFGA".contains(letter) {
            let message = [
                b"format ",
                &*quote(text),
                b" has unknown %",
                &[*letter],
                b" directive",
            ];
            return Err(UsageError::plain(1, message.concat()));
        }
        let (suffix, rest) = literal(rest);
        if !rest.is_empty() {
            return Err(complain(" has too many % directives"));
        }
        if directive.exceeds(MOST_WIDTH) {
            return Err(UsageError::plain(1, "memory exhausted"));
        }
        Ok(Format {
            prefix,
            layout: directive,
            letter: *letter,
            suffix,
            fixed: None,
        })
    }

    fn from_operands([first, step, last]: [Operand; 3], equal_width: bool) -> Result<Format, UsageError> {
        let (Some(first_precision), Some(step_precision), Some(last_precision)) =
            (first.precision, step.precision, last.precision)
        else {
            return Ok(Format::general());
        };
        let precision = first_precision.max(step_precision);
        let mut width = 0;
        if equal_width {
            let mut first_width = first.width + (precision - first_precision);
            let mut last_width = last.width + (precision - last_precision);
            if last_precision > 0 && precision == 0 {
                last_width -= 1;
            }
            if last_precision == 0 && precision > 0 {
                last_width += 1;
            }
            if first_precision == 0 && precision > 0 {
                first_width += 1;
            }
            width = first_width.max(last_width);
        }
        let (Ok(width), Ok(precision)) = (usize::try_from(width), usize::try_from(precision)) else {
            return Ok(Format::general());
        };
        let flags = Flags {
            zero: equal_width,
            ..Flags::default()
        };
        let layout = Layout {
            flags,
            width,
            precision: Some(precision),
        };
        if layout.exceeds(MOST_WIDTH) {
            return Err(UsageError::plain(1, "memory exhausted"));
        }
        let (prefix, suffix) = (Vec::new(), Vec::new());
        Ok(Format {
            prefix,
            layout,
            letter: b'f',
            suffix,
            fixed: Some(precision),
        })
    }

    fn general() -> Format {
        let (prefix, suffix) = (Vec::new(), Vec::new());
        Format {
            prefix,
            layout: Layout::default(),
            letter: b'g',
            suffix,
            fixed: None,
        }
    }

    fn push(&self, out: &mut Vec<u8>, value: LongDouble) {
        out.extend_from_slice(&self.prefix);
        out.extend_from_slice(&self.layout.long_double(value, self.letter));
        out.extend_from_slice(&self.suffix);
    }
}

/// Text up to a `%` that is not doubled.
fn literal(text: &[u8]) -> (Vec<u8>, &[u8]) {
    let mut plain = Vec::new();
    let mut rest = text;
    while let Some((byte, behind)) = rest.split_first() {
        match (byte, behind.strip_prefix(b"%")) {
            (b'%', None) => break,
            (b'%', Some(behind)) => rest = behind,
            _ => rest = behind,
        }
        plain.push(*byte);
    }
    (plain, rest)
}

/// Flags, width and precision; how many bytes they take.
fn directive(text: &[u8]) -> (Layout, usize) {
    let mut layout = Layout::default();
    let mut used = 0;
    while let Some(byte) = text.get(used) {
        match byte {
            b'-' => layout.flags.left = true,
            b'+' => layout.flags.plus = true,
            b'#' => layout.flags.alternate = true,
            b'0' => layout.flags.zero = true,
            b' ' => layout.flags.space = true,
            b'\'' => layout.flags.group = true,
            _ => break,
        }
        used += 1;
    }
    let number = |used: &mut usize| {
        let mut value = 0_usize;
        while let Some(digit) = text.get(*used).filter(|byte| byte.is_ascii_digit()) {
            value = value.saturating_mul(10).saturating_add(usize::from(digit - b'0'));
            *used += 1;
        }
        value
    };
    layout.width = number(&mut used);
    if text.get(used) == Some(&b'.') {
        used += 1;
        layout.precision = Some(number(&mut used));
    }
    (layout, used)
}

/// Steps up to this are counted as text.
const MOST_TEXT_STEP: u64 = 200;

struct Plan {
    operands: [Operand; 3],
    separator: Vec<u8>,
    format: Format,
    /// Integers to be counted as text: first, step, last (`None`: for ever).
    text: Option<(Vec<u8>, u64, Option<Vec<u8>>)>,
}

fn plan(arguments: &[Vec<u8>]) -> Result<Plan, UsageError> {
    let parsed = parse_arguments(arguments)?;
    let words = &parsed.operands;
    SPEC.check_operands(&parsed, 1, 3)?;
    let equal_width = parsed.has(Flag::EqualWidth);
    let user_format = parsed.last(Flag::Format).map(Format::parse).transpose()?;
    if user_format.is_some() && equal_width {
        return Err(SPEC.complain("format string may not be specified when printing equal width strings"));
    }
    let separator = parsed.last(Flag::Separator).unwrap_or(b"\n").to_vec();
    let plain = user_format.is_none() && !equal_width && separator.len() == 1;
    let mut operands = [Operand::one(), Operand::one(), Operand::one()];
    let [first, step, last] = &mut operands;
    let text = match words.as_slice() {
        [end] => {
            *last = Operand::parse(end)?;
            exact_text(b"1", 1, end)
        }
        [start, end] => {
            (*first, *last) = (Operand::parse(start)?, Operand::parse(end)?);
            exact_text(start, 1, end)
        }
        [start, by, end] => {
            (*first, *step) = (Operand::parse(start)?, Operand::parse(by)?);
            if step.value.is_zero() {
                let message = [b"invalid Zero increment value: ", quote(by).as_slice()].concat();
                return Err(SPEC.complain(message));
            }
            *last = Operand::parse(end)?;
            let by = is_digits(by).then(|| small_step(step.value)).flatten();
            by.and_then(|by| exact_text(start, by, end))
        }
        _ => None,
    };
    let text = if plain {
        text.or_else(|| value_text(&operands))
    } else {
        None
    };
    let format = match user_format {
        Some(format) => format,
        None => Format::from_operands(operands, equal_width)?,
    };
    Ok(Plan {
        operands,
        separator,
        format,
        text,
    })
}

fn is_digits(text: &[u8]) -> bool {
    !text.is_empty() && text.iter().all(u8::is_ascii_digit)
}

fn small_step(value: LongDouble) -> Option<u64> {
    let step = u64::try_from(value.to_i128()?).ok()?;
    ((1..=MOST_TEXT_STEP).contains(&step) && value == LongDouble::from(step)).then_some(step)
}

type Text = (Vec<u8>, u64, Option<Vec<u8>>);

fn without_zeros(digits: &[u8]) -> Vec<u8> {
    let zeros = digits.iter().take_while(|digit| **digit == b'0').count();
    let zeros = zeros.min(digits.len().saturating_sub(1));
    digits.get(zeros..).unwrap_or_default().to_vec()
}

/// Operands that are nothing but digits.
fn exact_text(first: &[u8], step: u64, last: &[u8]) -> Option<Text> {
    (is_digits(first) && is_digits(last)).then(|| (without_zeros(first), step, Some(without_zeros(last))))
}

/// Integers in another form, such as `1e3`, and an infinite end.
fn value_text([first, step, last]: &[Operand; 3]) -> Option<Text> {
    let whole = [first, step, last]
        .iter()
        .all(|operand| operand.precision == Some(0));
    let digits = |value: LongDouble| {
        let layout = Layout {
            precision: Some(0),
            ..Layout::default()
        };
        let text = layout.long_double(value, b'f');
        is_digits(&text).then_some(text)
    };
    if !whole || !first.value.is_finite() {
        return None;
    }
    let step = small_step(step.value)?;
    let end = match last.value {
        LongDouble::Infinite { negative: false } => None,
        value => Some(digits(value)?),
    };
    Some((digits(first.value)?, step, end))
}

async fn run(proc: &mut Proc) -> Result<i32, Stop> {
    let plan = plan(proc.arguments());
    let plan = usage::accept(proc, plan).await?;
    if let Some((first, step, last)) = &plan.text {
        let separator = plan.separator.first().copied().unwrap_or(b'\n');
        count_up(proc, first, *step, last.as_deref(), separator).await?;
    } else if let Some(scaled) = Scaled::of(&plan) {
        scaled.print(proc, &plan).await?;
    } else {
        print_long_doubles(proc, &plan).await?;
    }
    Ok(0)
}

/// Digits of the same length compare as text.
fn is_behind(digits: &[u8], last: &[u8]) -> bool {
    digits
        .len()
        .cmp(&last.len())
        .then_with(|| digits.cmp(last))
        .is_gt()
}

async fn count_up(
    proc: &mut Proc,
    first: &[u8],
    step: u64,
    last: Option<&[u8]>,
    separator: u8,
) -> Result<(), Stop> {
    let mut digits = first.to_vec();
    let mut any = false;
    while !last.is_some_and(|last| is_behind(&digits, last)) {
        let out = proc.out();
        if any {
            out.push(separator);
        }
        any = true;
        out.extend_from_slice(&digits);
        add(&mut digits, step);
        proc.flush_if_full().await?;
    }
    if any {
        proc.write(b"\n").await?;
    }
    Ok(())
}

/// Adds a small number to decimal digits.
fn add(digits: &mut Vec<u8>, step: u64) {
    let mut carry = step as u32;
    for digit in digits.iter_mut().rev() {
        let sum = u32::from(*digit - b'0') + carry;
        if sum < 10 {
            *digit = b'0' + sum as u8;
            return;
        }
        *digit = b'0' + (sum % 10) as u8;
        carry = sum / 10;
    }
    while carry > 0 {
        digits.insert(0, b'0' + (carry % 10) as u8);
        carry /= 10;
    }
}

/// Numbers as integers, scaled by a power of ten: exact, where long doubles round but show the same digits.
struct Scaled {
    first: i64,
    step: i64,
    last: i64,
    /// Digits behind the point in `first`, `step` and `last`.
    digits: u32,
}

/// Below this a long double shows every digit of a scaled number.
const MOST_SCALED: i128 = 1 << 60;

impl Scaled {
    fn of(plan: &Plan) -> Option<Scaled> {
        plan.format.fixed?;
        let [first, step, last] = plan.operands;
        let precisions = [first.precision?, step.precision?, last.precision?];
        let digits = u32::try_from(precisions.into_iter().max()?)
            .ok()
            .filter(|digits| *digits <= 17)?;
        let scaled = |operand: Operand| {
            if operand.value.is_zero() && operand.value.is_negative() {
                return None;
            }
            let layout = Layout {
                precision: Some(digits as usize),
                ..Layout::default()
            };
            let text = layout.long_double(operand.value, b'f');
            if text.len() > 30 {
                return None;
            }
            let digits: Vec<u8> = text.into_iter().filter(|byte| *byte != b'.').collect();
            let value: i128 = std::str::from_utf8(&digits).ok()?.parse().ok()?;
            (value.abs() < MOST_SCALED).then_some(value as i64)
        };
        Some(Scaled {
            first: scaled(first)?,
            step: scaled(step)?,
            last: scaled(last)?,
            digits,
        })
    }

    async fn print(&self, proc: &mut Proc, plan: &Plan) -> Result<(), Stop> {
        let is_behind = |value: i64| {
            if self.step < 0 {
                value < self.last
            } else {
                value > self.last
            }
        };
        let mut value = self.first;
        let mut index = 0_u64;
        let mut text = Vec::new();
        while !is_behind(value) {
            let out = proc.out();
            if index > 0 {
                out.extend_from_slice(&plan.separator);
            }
            if value == 0 && index > 0 && self.digits > 0 {
                // Whether it is 0 or -0 depends on how long doubles round.
                let [first, step, _] = plan.operands;
                plan.format
                    .push(out, first.value + LongDouble::from(index) * step.value);
            } else {
                self.push(out, value, plan, &mut text);
            }
            index += 1;
            value += self.step;
            proc.flush_if_full().await?;
        }
        if index > 0 {
            proc.write(b"\n").await?;
        }
        Ok(())
    }

    fn push(&self, out: &mut Vec<u8>, value: i64, plan: &Plan, text: &mut Vec<u8>) {
        use std::io::Write;
        let shown = plan.format.fixed.unwrap_or(0) as u32;
        // The number has no digits behind those that are shown: only LAST may have more.
        let value = value / 10_i64.pow(self.digits.saturating_sub(shown));
        let unit = 10_u64.pow(shown.min(18));
        let magnitude = value.unsigned_abs();
        let (whole, fraction) = (magnitude / unit, magnitude % unit);
        text.clear();
        let written = if shown == 0 {
            write!(text, "{whole}")
        } else {
            write!(text, "{whole}.{fraction:0width$}", width = shown as usize)
        };
        debug_assert!(written.is_ok());
        let sign = usize::from(value < 0);
        out.extend((value < 0).then_some(b'-'));
        let zeros = plan.format.layout.width.saturating_sub(text.len() + sign);
        out.extend(std::iter::repeat_n(b'0', zeros));
        out.extend_from_slice(text);
    }
}

async fn print_long_doubles(proc: &mut Proc, plan: &Plan) -> Result<(), Stop> {
    let [first, step, last] = plan.operands.map(|operand| operand.value);
    let down = step < LongDouble::ZERO;
    let is_behind = |value: LongDouble| if down { value < last } else { last < value };
    if is_behind(first) {
        return Ok(());
    }
    let mut value = first;
    let mut index = 1_u64;
    let mut behind = false;
    loop {
        plan.format.push(proc.out(), value);
        proc.charge(1)?;
        proc.flush_if_full().await?;
        if behind {
            break;
        }
        let before = value;
        value = first + LongDouble::from(index) * step;
        behind = is_behind(value);
        if behind && !prints_as_last(&plan.format, value, before, last) {
            break;
        }
        index += 1;
        proc.write(&plan.separator).await?;
    }
    proc.write(b"\n").await
}

/// A number just behind the last is printed when it reads as the last, and the one before does not.
fn prints_as_last(format: &Format, value: LongDouble, before: LongDouble, last: LongDouble) -> bool {
    let text = |value: LongDouble| format.layout.long_double(value, format.letter);
    let shown = text(value);
    long_double(&shown).is_some_and(|read| read == last) && text(before) != shown
}
