//! Keys: which part of a line is compared, and how.

use std::cmp::Ordering;

use super::decimal::{self, Decimal};
use crate::text::long_double::LongDouble;
use crate::text::number;
use crate::text::version;
use md5::{Digest, Md5};

/// A blank for fields: the end of line counts, because with `-z` it stands inside of lines.
pub fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n')
}

/// What is left out of a text key.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Ignore {
    /// Nothing.
    #[default]
    Nothing,
    /// `-i`: what is not printable.
    Nonprinting,
    /// `-d`: all but letters, digits and blanks.
    Nondictionary,
}

impl Ignore {
    fn keeps(self, byte: u8) -> bool {
        match self {
            Ignore::Nothing => true,
            Ignore::Nonprinting => matches!(byte, b' '..=b'~'),
            Ignore::Nondictionary => byte.is_ascii_alphanumeric() || is_blank(byte),
        }
    }
}

/// How keys are ordered: the letters after a key, or the global ones.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct KeyOrder {
    /// `b` at the start.
    pub skip_start_blanks: bool,
    /// `b` at the end.
    pub skip_end_blanks: bool,
    /// `d`, `i`.
    pub ignore: Ignore,
    /// `f`.
    pub fold: bool,
    /// `g`.
    pub general: bool,
    /// `h`.
    pub human: bool,
    /// `M`.
    pub month: bool,
    /// `n`.
    pub numeric: bool,
    /// `R`.
    pub random: bool,
    /// `r`.
    pub reverse: bool,
    /// `V`.
    pub version: bool,
}

/// Which end of a key the letter `b` belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum End {
    /// The first position.
    Start,
    /// The last position.
    Last,
    /// A global option: both.
    Both,
}

impl KeyOrder {
    /// Nothing was said, or only `r`.
    pub fn is_default_compare(&self) -> bool {
        KeyOrder {
            reverse: false,
            ..*self
        } == KeyOrder::default()
    }

    /// Takes letters in; the number of bytes that were letters.
    pub fn set_letters(&mut self, letters: &[u8], end: End) -> usize {
        for (index, letter) in letters.iter().enumerate() {
            match letter {
                b'b' => {
                    self.skip_start_blanks |= end != End::Last;
                    self.skip_end_blanks |= end != End::Start;
                }
                b'd' => self.ignore = Ignore::Nondictionary,
                b'f' => self.fold = true,
                b'g' => self.general = true,
                b'h' => self.human = true,
                b'i' => {
                    if self.ignore == Ignore::Nothing {
                        self.ignore = Ignore::Nonprinting;
                    }
                }
                b'M' => self.month = true,
                b'n' => self.numeric = true,
                b'R' => self.random = true,
                b'r' => self.reverse = true,
                b'V' => self.version = true,
                _ => return index,
            }
        }
        letters.len()
    }

    /// The letters of orders that cannot be had at once.
    pub fn conflict(&self) -> Option<String> {
        let text = self.version || self.random || self.ignore != Ignore::Nothing;
        let count = [self.numeric, self.general, self.human, self.month, text];
        if count.into_iter().filter(|given| *given).count() < 2 {
            return None;
        }
        let letters = [
            ('d', self.ignore == Ignore::Nondictionary),
            ('f', self.fold),
            ('g', self.general),
            ('h', self.human),
            ('i', self.ignore == Ignore::Nonprinting),
            ('M', self.month),
            ('n', self.numeric),
            ('R', self.random),
            ('V', self.version),
        ];
        Some(
            letters
                .into_iter()
                .filter(|(_, given)| *given)
                .map(|(letter, _)| letter)
                .collect(),
        )
    }
}

/// A key. Field numbers count from 0 here.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Key {
    /// First field; `None`: the start of the line.
    pub start_field: Option<usize>,
    /// Bytes behind the start of that field.
    pub start_byte: usize,
    /// Last field; `None`: the end of the line.
    pub end_field: Option<usize>,
    /// Bytes of the last field; 0: all of it.
    pub end_byte: usize,
    /// How it compares.
    pub order: KeyOrder,
}

/// What keys of a run share.
#[derive(Debug, Clone)]
pub struct Context {
    /// The field separator; `None`: between blanks and others.
    pub separator: Option<u8>,
    /// Where `-R` starts.
    pub random: Option<Md5>,
}

impl Key {
    /// The whole line.
    pub fn line(order: KeyOrder) -> Key {
        Key {
            start_field: None,
            start_byte: 0,
            end_field: None,
            end_byte: 0,
            order,
        }
    }

    /// The part of a line (without its end) that is compared.
    pub fn slice<'a>(&self, line: &'a [u8], context: &Context) -> &'a [u8] {
        let end = self.end(line, context.separator);
        let start = self.start(line, context.separator);
        line.get(start..end).unwrap_or_default()
    }

    fn start(&self, line: &[u8], separator: Option<u8>) -> usize {
        let Some(field) = self.start_field else {
            return if self.order.skip_start_blanks {
                skip_blanks(line, 0)
            } else {
                0
            };
        };
        let mut at = 0;
        for _ in 0..field {
            if at >= line.len() {
                break;
            }
            at = match separator {
                Some(separator) => find(line, at, separator).map_or(line.len(), |end| end + 1),
                None => skip_field(line, at),
            };
        }
        if self.order.skip_start_blanks {
            at = skip_blanks(line, at);
        }
        at.saturating_add(self.start_byte).min(line.len())
    }

    fn end(&self, line: &[u8], separator: Option<u8>) -> usize {
        let Some(field) = self.end_field else {
            return line.len();
        };
        let whole = self.end_byte == 0;
        let count = if whole { field.saturating_add(1) } else { field };
        let mut at = 0;
        for index in 0..count {
            if at >= line.len() {
                break;
            }
            at = match separator {
                // The end of the last field is before its separator.
                Some(separator) => match find(line, at, separator) {
                    Some(end) if index + 1 < count || !whole => end + 1,
                    Some(end) => end,
                    None => line.len(),
                },
                None => skip_field(line, at),
            };
        }
        if whole {
            return at;
        }
        if self.order.skip_end_blanks {
            at = skip_blanks(line, at);
        }
        at.saturating_add(self.end_byte).min(line.len())
    }

    /// Compares two keys, `r` included.
    pub fn compare(&self, left: &[u8], right: &[u8], context: &Context) -> Ordering {
        let (left, right) = (self.slice(left, context), self.slice(right, context));
        let order = self.compare_slices(left, right, context);
        if self.order.reverse {
            order.reverse()
        } else {
            order
        }
    }

    fn compare_slices(&self, left: &[u8], right: &[u8], context: &Context) -> Ordering {
        let order = &self.order;
        if order.numeric {
            return Decimal::parse(left).compare(&Decimal::parse(right));
        }
        if order.human {
            let units = decimal::unit_order(left).cmp(&decimal::unit_order(right));
            return units.then_with(|| Decimal::parse(left).compare(&Decimal::parse(right)));
        }
        if order.general {
            return general(left).cmp(&general(right));
        }
        if order.ignore != Ignore::Nothing || order.fold {
            if order.month || order.random || order.version {
                let (left, right) = (self.kept(left), self.kept(right));
                return compare_special(order, &left, &right, context);
            }
            return self.filtered(left).cmp(self.filtered(right));
        }
        compare_special(order, left, right, context)
    }

    /// The bytes of a text key that count, folded.
    fn filtered<'a>(&self, text: &'a [u8]) -> impl Iterator<Item = u8> + use<'a> {
        let (ignore, fold) = (self.order.ignore, self.order.fold);
        text.iter()
            .copied()
            .filter(move |byte| ignore.keeps(*byte))
            .map(move |byte| if fold { byte.to_ascii_uppercase() } else { byte })
    }

    fn kept(&self, text: &[u8]) -> Vec<u8> {
        self.filtered(text).collect()
    }

    /// A number in the order of the keys; lines whose numbers differ need no other comparison.
    pub fn rank(&self, line: &[u8], context: &Context) -> u64 {
        let text = self.slice(line, context);
        let order = &self.order;
        let rank = if order.numeric {
            Decimal::parse(text).rank()
        } else if order.human {
            let unit = i16::from(decimal::unit_order(text)) + 8;
            (unit as u64) << 56 | Decimal::parse(text).rank() >> 8
        } else if order.general {
            general(text).rank()
        } else if order.month {
            u64::from(month(&self.kept(text)))
        } else if order.version || order.random {
            0
        } else {
            first_bytes(self.filtered(text))
        };
        if order.reverse { !rank } else { rank }
    }
}

/// The first eight bytes as a number.
pub fn first_bytes(bytes: impl Iterator<Item = u8>) -> u64 {
    let mut rank = [0; 8];
    rank.iter_mut().zip(bytes).for_each(|(slot, byte)| *slot = byte);
    u64::from_be_bytes(rank)
}

fn compare_special(order: &KeyOrder, left: &[u8], right: &[u8], context: &Context) -> Ordering {
    if order.month {
        return month(left).cmp(&month(right));
    }
    if order.version {
        return version::compare(left, right);
    }
    if let (true, Some(state)) = (order.random, &context.random) {
        return hash(state, left)
            .cmp(&hash(state, right))
            .then_with(|| left.cmp(right));
    }
    left.cmp(right)
}

/// GNU sort hashes what `strxfrm` makes of the text, which in `C.UTF-8` is the text and a NUL.
fn hash(state: &Md5, text: &[u8]) -> [u8; 16] {
    let mut state = state.clone();
    state.update(text);
    if !text.is_empty() {
        state.update([0]);
    }
    state.finalize().into()
}

fn find(line: &[u8], from: usize, byte: u8) -> Option<usize> {
    memchr::memchr(byte, line.get(from..)?).map(|at| from + at)
}

fn skip_blanks(line: &[u8], from: usize) -> usize {
    let rest = line.get(from..).unwrap_or_default();
    from + rest.iter().take_while(|byte| is_blank(**byte)).count()
}

/// Behind the blanks and the word at `from`.
fn skip_field(line: &[u8], from: usize) -> usize {
    let from = skip_blanks(line, from);
    let rest = line.get(from..).unwrap_or_default();
    from + rest.iter().take_while(|byte| !is_blank(**byte)).count()
}

/// A month by its first three letters, 1 to 12; 0 for anything else.
fn month(text: &[u8]) -> u8 {
    const NAMES: [&[u8; 3]; 12] = [
        b"JAN", b"FEB", b"MAR", b"APR", b"MAY", b"JUN", b"JUL", b"AUG", b"SEP", b"OCT", b"NOV", b"DEC",
    ];
    let text = decimal::trim_blanks(text);
    let Some(letters) = text.get(..3) else { return 0 };
    let place = NAMES.iter().position(|name| letters.eq_ignore_ascii_case(*name));
    place.map_or(0, |place| place as u8 + 1)
}

/// A number of `-g`: no numbers first, then NaN, then by value.
#[derive(Debug, Clone, Copy)]
enum General {
    NoNumber,
    NotANumber(bool),
    Number(LongDouble),
}

fn general(text: &[u8]) -> General {
    // strtold stops at a NUL like at any other byte.
    let scanned = number::scan_long_double(text);
    match scanned.value {
        _ if scanned.length == 0 => General::NoNumber,
        LongDouble::Nan { negative } => General::NotANumber(negative),
        value => General::Number(value),
    }
}

impl General {
    fn rank(self) -> u64 {
        match self {
            General::NoNumber => 0,
            General::NotANumber(_) => 1,
            General::Number(value) => {
                // Zero has one rank whatever its sign; the order of doubles is that of their bits.
                let bits = (value.to_f64() + 0.0).to_bits();
                let ordered = if bits >> 63 == 1 { !bits } else { bits | 1 << 63 };
                ordered.max(2)
            }
        }
    }

    fn cmp(&self, other: &General) -> Ordering {
        match (self, other) {
            (General::Number(left), General::Number(right)) => {
                left.partial_cmp(right).unwrap_or(Ordering::Equal)
            }
            (General::NotANumber(left), General::NotANumber(right)) => left.cmp(right),
            _ => self.class().cmp(&other.class()),
        }
    }

    fn class(self) -> u8 {
        match self {
            General::NoNumber => 0,
            General::NotANumber(_) => 1,
            General::Number(_) => 2,
        }
    }
}
