//! From the arguments of `tr` to its tables, with the checks of one set against the other.

use super::set::{Case, Element, Set, Walk, Warnings};
use super::{Flag, SPEC};
use crate::args::{Parsed, UsageError, quote};
use crate::text::class::Class;

/// Which bytes are in a set.
#[derive(Debug, Clone)]
pub struct Members(pub [bool; 256]);

impl Members {
    /// Whether a byte is.
    #[inline]
    pub fn has(&self, byte: u8) -> bool {
        self.0.get(usize::from(byte)).copied().unwrap_or(false)
    }

    fn of(set: &Set, complement: bool) -> Members {
        let mut members = set.members();
        if complement {
            for member in &mut members {
                *member = !*member;
            }
        }
        Members(members)
    }
}

/// What each byte becomes.
#[derive(Debug, Clone)]
pub struct Translation([u8; 256]);

impl Translation {
    /// What a byte becomes.
    #[inline]
    pub fn to(&self, byte: u8) -> u8 {
        self.0.get(usize::from(byte)).copied().unwrap_or(byte)
    }

    fn identity() -> Translation {
        let mut table = [0; 256];
        table
            .iter_mut()
            .zip(0..=255)
            .for_each(|(entry, byte)| *entry = byte);
        Translation(table)
    }

    fn set(&mut self, from: u8, to: u8) {
        if let Some(entry) = self.0.get_mut(usize::from(from)) {
            *entry = to;
        }
    }
}

/// What is done to the bytes: deleted or translated, then squeezed.
#[derive(Debug)]
pub struct Plan {
    /// Left out.
    pub delete: Option<Members>,
    /// Applied when nothing is deleted.
    pub translate: Translation,
    /// Repeats of these are left out.
    pub squeeze: Option<Members>,
}

struct Mode {
    complement: bool,
    delete: bool,
    squeeze: bool,
    truncate: bool,
    translating: bool,
}

fn error(message: impl Into<Vec<u8>>) -> UsageError {
    UsageError::plain(1, message)
}

impl Plan {
    /// Reads and checks the sets.
    pub fn from_arguments(parsed: &Parsed<Flag>, warnings: &mut Warnings) -> Result<Plan, UsageError> {
        let operands = &parsed.operands;
        let (delete, squeeze) = (parsed.has(Flag::Delete), parsed.has(Flag::Squeeze));
        let mode = Mode {
            complement: parsed.has(Flag::Complement),
            delete,
            squeeze,
            truncate: parsed.has(Flag::Truncate),
            translating: operands.len() == 2 && !delete,
        };
        check_count(operands, &mode)?;
        let mut parse = |index: usize| {
            operands
                .get(index)
                .map(|text| Set::parse(text, warnings).map_err(error))
                .transpose()
        };
        let Some(first) = parse(0)? else {
            return Err(SPEC.missing_operand());
        };
        let mut second = parse(1)?;
        check(&first, second.as_mut(), &mode)?;
        let mut plan = Plan {
            delete: None,
            translate: Translation::identity(),
            squeeze: None,
        };
        if mode.delete {
            plan.delete = Some(Members::of(&first, mode.complement));
        }
        match &second {
            Some(second) if mode.translating => plan.translate = translation(&first, second, &mode),
            _ => {}
        }
        if mode.squeeze {
            let (set, complement) = second
                .as_ref()
                .map_or((&first, mode.complement), |second| (second, false));
            plan.squeeze = Some(Members::of(set, complement));
        }
        Ok(plan)
    }
}

fn check_count(operands: &[Vec<u8>], mode: &Mode) -> Result<(), UsageError> {
    let least = 1 + usize::from(mode.delete == mode.squeeze);
    let most = 1 + usize::from(mode.delete <= mode.squeeze);
    match operands {
        [] => return Err(SPEC.missing_operand()),
        [.., last] if operands.len() < least => {
            let doing = if mode.squeeze {
                "both deleting and squeezing repeats"
            } else {
                "translating"
            };
            let line = format!("Two strings must be given when {doing}.\n");
            return Err(SPEC.missing_operand_after(last).with_lines(line.as_bytes()));
        }
        _ => {}
    }
    let Some(extra) = operands.get(most) else {
        return Ok(());
    };
    let error = SPEC.complain([b"extra operand ", quote(extra).as_slice()].concat());
    if operands.len() != 2 {
        return Err(error);
    }
    Err(error.with_lines(b"Only one string may be given when deleting without squeezing repeats.\n"))
}

fn check(first: &Set, second: Option<&mut Set>, mode: &Mode) -> Result<(), UsageError> {
    let mut first_length = first.length().map_err(error)?;
    if mode.complement {
        first_length = Members::of(first, true)
            .0
            .iter()
            .filter(|member| **member)
            .count() as u64;
    }
    if first.open_repeats() > 0 {
        return Err(error("the [c*] repeat construct may not appear in string1"));
    }
    let Some(second) = second else {
        return Ok(());
    };
    let mut second_length = second.length().map_err(error)?;
    let open = second.open_repeats();
    if first_length >= second_length && open == 1 {
        for element in &mut second.elements {
            if let Element::Repeat(_, count @ 0) = element {
                *count = first_length - second_length;
            }
        }
        second_length = first_length;
    }
    if open > 1 {
        return Err(error("only one [c*] repeat construct may appear in string2"));
    }
    if !mode.translating {
        return if second.open_repeats() > 0 {
            Err(error(
                "the [c*] construct may appear in string2 only when translating",
            ))
        } else {
            Ok(())
        };
    }
    check_translation(first, second, mode, (first_length, second_length))
}

fn has_class(set: &Set, wanted: impl Fn(Class) -> bool) -> bool {
    set.elements
        .iter()
        .any(|element| matches!(element, Element::Class(class) if wanted(*class)))
}

fn check_translation(
    first: &Set,
    second: &mut Set,
    mode: &Mode,
    (mut first_length, mut second_length): (u64, u64),
) -> Result<(), UsageError> {
    if second
        .elements
        .iter()
        .any(|element| matches!(element, Element::Equivalent(_)))
    {
        return Err(error(
            "[=c=] expressions may not appear in string2 when translating",
        ));
    }
    if has_class(second, |class| !matches!(class, Class::Upper | Class::Lower)) {
        return Err(error(
            "when translating, the only character classes that may appear in\nstring2 are 'upper' and 'lower'",
        ));
    }
    if !mode.complement && has_class(second, |_| true) {
        let pairs = aligned_cases(first, second)?;
        // A pair of case classes counts as one character on each side.
        first_length = first_length.saturating_sub(pairs * 25);
        second_length = second_length.saturating_sub(pairs * 25);
    }
    if first_length > second_length && !mode.truncate {
        if second_length == 0 {
            return Err(error("when not truncating set1, string2 must be non-empty"));
        }
        let last = match second.elements.last() {
            Some(Element::Byte(byte) | Element::Range(_, byte) | Element::Repeat(byte, _)) => *byte,
            _ => {
                return Err(error(
                    "when translating with string1 longer than string2,\n\
                     the latter string must not end with a character class",
                ));
            }
        };
        second
            .elements
            .push(Element::Repeat(last, first_length - second_length));
        second_length = first_length;
    }
    if mode.complement && has_class(first, |_| true) {
        let one = second.members().iter().filter(|member| **member).count() <= 1;
        if !(second_length == first_length && one) {
            return Err(error(
                "when translating with complemented character classes,\n\
                 string2 must map all characters in the domain to one",
            ));
        }
    }
    Ok(())
}

/// Case classes of the second set must stand where the first has one; how many do.
fn aligned_cases(first: &Set, second: &Set) -> Result<u64, UsageError> {
    let (mut left, mut right) = (first.walk(), second.walk());
    let mut pairs = 0;
    loop {
        let (left_new, right_new) = (left.at_new_element(), right.at_new_element());
        let (from, to) = (left.next(), right.next());
        let left_case = from.map_or(Case::None, |(_, case)| case);
        let right_case = to.map_or(Case::None, |(_, case)| case);
        if right_new && right_case != Case::None && !(left_new && left_case != Case::None) {
            return Err(error("misaligned [:upper:] and/or [:lower:] construct"));
        }
        if right_case != Case::None {
            left.skip_element();
            right.skip_element();
            pairs += 1;
        }
        if from.is_none() || to.is_none() {
            return Ok(pairs);
        }
    }
}

fn translation(first: &Set, second: &Set, mode: &Mode) -> Translation {
    let mut table = Translation::identity();
    let mut right = second.walk();
    if mode.complement {
        let members = Members::of(first, true);
        for from in (0..=255).filter(|byte| members.has(*byte)) {
            let Some((to, _)) = right.next() else { break };
            table.set(from, to);
        }
        return table;
    }
    let mut left = first.walk();
    while translate_next(&mut table, &mut left, &mut right) {}
    table
}

/// The next pair of characters or case classes; whether there was one.
fn translate_next(table: &mut Translation, left: &mut Walk<'_>, right: &mut Walk<'_>) -> bool {
    let (Some((from, from_case)), Some((to, to_case))) = (left.next(), right.next()) else {
        return false;
    };
    match (from_case, to_case) {
        (Case::Lower, Case::Upper) => {
            (b'a'..=b'z').for_each(|byte| table.set(byte, byte.to_ascii_uppercase()))
        }
        (Case::Upper, Case::Lower) => {
            (b'A'..=b'Z').for_each(|byte| table.set(byte, byte.to_ascii_lowercase()))
        }
        _ => table.set(from, to),
    }
    if to_case == Case::None {
        left.skip_repeats(right);
    } else {
        left.skip_element();
        right.skip_element();
    }
    true
}
