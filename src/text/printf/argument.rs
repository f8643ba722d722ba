//! Arguments as numbers. bash takes an argument that is empty, or missing, as 0; after a quote comes a character code.

use super::{Complaint, Family};
use crate::text::long_double::LongDouble;
use crate::text::number::{self, Scanned};
use crate::text::utf8::{self, Unit};

/// The arguments that are left, and what was complained about.
pub(super) struct Arguments<'a> {
    pub(super) family: Family,
    pub(super) words: std::slice::Iter<'a, Vec<u8>>,
    pub(super) complaints: Vec<Complaint>,
    /// A number was not valid: the status will be 1.
    pub(super) failed: bool,
}

impl<'a> Arguments<'a> {
    pub(super) fn next(&mut self) -> Option<&'a [u8]> {
        self.words.next().map(Vec::as_slice)
    }

    /// `%d %i`, `*`.
    pub(super) fn signed(&mut self) -> i64 {
        self.number(|word| number::scan_signed(word, 0), i64::from)
    }

    /// `%u %o %x %X`.
    pub(super) fn unsigned(&mut self) -> u64 {
        self.number(|word| number::scan_unsigned(word, 0), u64::from)
    }

    /// `%e %f %g %a`.
    pub(super) fn float(&mut self) -> LongDouble {
        self.number(number::scan_long_double, |code| LongDouble::from(u64::from(code)))
    }

    fn number<T>(&mut self, scan: impl Fn(&[u8]) -> Scanned<T>, from_code: impl Fn(u32) -> T) -> T {
        let word = self.next().unwrap_or_default();
        if let Some(code) = self.character_code(word) {
            return from_code(code);
        }
        let found = scan(word);
        self.check(word, found.length, found.out_of_range);
        found.value
    }

    /// `'a` is the code of `a`. For bash a lone quote is 0; for coreutils it is no number.
    fn character_code(&mut self, word: &[u8]) -> Option<u32> {
        let (b'\'' | b'"', character) = word.split_first()? else {
            return None;
        };
        let Some(unit) = utf8::first(character) else {
            return (self.family == Family::Bash).then_some(0);
        };
        let rest = character.get(unit.len()..).unwrap_or_default();
        if self.family == Family::Coreutils && !rest.is_empty() {
            self.complaints.push(Complaint::IgnoredCharacters(rest.to_vec()));
        }
        Some(match unit {
            Unit::Char(character) => u32::from(character),
            Unit::Byte(byte) => u32::from(byte),
        })
    }

    fn check(&mut self, word: &[u8], length: usize, out_of_range: bool) {
        let word_copy = || word.to_vec();
        let complaint = match self.family {
            Family::Bash if length < word.len() => Complaint::InvalidNumber(word_copy()),
            Family::Bash if out_of_range => {
                // A warning only.
                self.complaints.push(Complaint::OutOfRange(word_copy()));
                return;
            }
            Family::Coreutils if out_of_range => Complaint::RangeError(word_copy()),
            Family::Coreutils if length == 0 && !word.is_empty() => Complaint::ExpectedNumber(word_copy()),
            Family::Coreutils if length < word.len() => Complaint::NotConverted(word_copy()),
            _ => return,
        };
        self.complaints.push(complaint);
        self.failed = true;
    }
}
