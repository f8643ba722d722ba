//! Brace expansion: `a{b,c}d`, `{1..10..2}`, `{a..e}`. The first step of expansion, and a purely textual one.
//!
//! bash does it on the text of the word; here it is done on the parts. Unquoted text is looked at byte by byte, any
//! other part is one opaque thing that no brace, comma or dot can hide in. The algorithm is that of bash's
//! `braces.c`, so that what is not an expansion stays as it is: `{a}`, `{}`, `{a,b`, `{1..x}`, `{1..2147483650}`.
//!
//! Two things follow from working on text that parts alone do not give: a tilde that comes to stand at the start of
//! a word is a tilde prefix (`{~,/x}/y`), and text that comes to stand behind `$name` makes the name longer (`$a{b,c}`
//! is `$ab $ac`).

use crate::syntax::ast::{Assign, AssignValue, Param, ParamName, ParamOp, Part, Verbatim, Word};

/// Braces nested deeper than this stay as they are.
const DEPTH_LIMIT: u32 = 100;

/// Sequences of more elements stay as they are, as in bash.
const SEQUENCE_LIMIT: u64 = i32::MAX as u64 - 2;

/// So many copied or inspected bytes count as one element: about what an element takes.
pub const BYTES_PER_CHARGE: usize = 128;

/// The words that `word` becomes; just itself when there is nothing to expand. `limit` is told how many elements are
/// about to be made, before they are; its error ends the expansion. Empty words have no parts.
pub fn expand<E>(word: &Word, limit: &mut dyn FnMut(usize) -> Result<(), E>) -> Result<Vec<Word>, E> {
    if !word.braces {
        return Ok(vec![word.clone()]);
    }
    let results = expand_parts(&word.parts, limit)?;
    let mut words: Vec<Word> = results
        .into_iter()
        .map(|parts| finish(parts, word.pure))
        .collect();
    if let Some(assign) = &word.assign {
        attach_assignments(&mut words, assign, limit)?;
    }
    Ok(words)
}

/// The words of `x={a,b}` in a declaration command are assignments too.
fn attach_assignments<E>(
    words: &mut [Word],
    assign: &Assign,
    limit: &mut dyn FnMut(usize) -> Result<(), E>,
) -> Result<(), E> {
    let AssignValue::Scalar(value) = &assign.value else {
        return Ok(());
    };
    let values = expand_parts(&value.parts, limit)?;
    if values.len() != words.len() {
        return Ok(());
    }
    for (word, parts) in words.iter_mut().zip(values) {
        let value = AssignValue::Scalar(finish(parts, value.pure));
        word.assign = Some(Box::new(Assign {
            value,
            ..assign.clone()
        }));
    }
    Ok(())
}

fn expand_parts<E>(
    parts: &[Part],
    limit: &mut dyn FnMut(usize) -> Result<(), E>,
) -> Result<Vec<Vec<Part>>, E> {
    let mut items = Vec::new();
    for part in parts {
        match part {
            Part::Literal(text) => items.extend(text.iter().map(|&byte| Item::Byte(byte))),
            // Seen as a prefix only because the braces were not looked at.
            Part::Tilde(user) if items.is_empty() || user.contains(&b'{') => {
                items.push(Item::Byte(b'~'));
                items.extend(user.iter().map(|&byte| Item::Byte(byte)));
            }
            part => items.push(Item::Part(part)),
        }
    }
    Expander { limit }.text(&items, 0)
}

/// One byte of unquoted text, or a part that is taken as it is.
#[derive(Clone, Copy)]
enum Item<'w> {
    Byte(u8),
    Part(&'w Part),
}

impl Item<'_> {
    fn is(self, byte: u8) -> bool {
        matches!(self, Item::Byte(own) if own == byte)
    }
}

struct Expander<'l, E> {
    limit: &'l mut dyn FnMut(usize) -> Result<(), E>,
}

impl<E> Expander<'_, E> {
    /// bash's `brace_expand`: all braces of a text, each group multiplied with what stands before it.
    fn text(&mut self, items: &[Item<'_>], depth: u32) -> Result<Vec<Vec<Part>>, E> {
        let mut results = vec![Vec::new()];
        let mut rest = items;
        while !rest.is_empty() {
            let group = if depth < DEPTH_LIMIT {
                self.group(rest)?
            } else {
                None
            };
            let Some((open, close)) = group else {
                append_text(&mut results, rest);
                break;
            };
            append_text(&mut results, rest.get(..open).unwrap_or_default());
            let inside = rest.get(open + 1..close).unwrap_or_default();
            let after = rest.get(close + 1..).unwrap_or_default();
            match self.inside(inside, depth)? {
                Some(choices) => results = self.multiply(&results, choices)?,
                None => append_text(&mut results, rest.get(open..=close).unwrap_or_default()),
            }
            rest = after;
        }
        Ok(results)
    }

    /// The first brace that has its fellow, and that.
    fn group(&mut self, items: &[Item<'_>]) -> Result<Option<(usize, usize)>, E> {
        let mut from = 0;
        while let Some(open) = find_open(items, from) {
            if let Some(close) = find_close(items, open + 1) {
                return Ok(Some((open, close)));
            }
            // Each brace without fellow costs a walk to the end.
            (self.limit)(items.len() / BYTES_PER_CHARGE)?;
            from = open + 1;
        }
        Ok(None)
    }

    /// What stands between the braces: a list or a sequence.
    fn inside(&mut self, items: &[Item<'_>], depth: u32) -> Result<Option<Vec<Vec<Part>>>, E> {
        if !items.iter().any(|item| has_comma(*item)) {
            let text: Option<Vec<u8>> = items
                .iter()
                .map(|item| {
                    if let Item::Byte(byte) = item {
                        Some(*byte)
                    } else {
                        None
                    }
                })
                .collect();
            let Some(sequence) = text.and_then(|text| Sequence::parse(&text)) else {
                return Ok(None);
            };
            let count = usize::try_from(sequence.count).unwrap_or(usize::MAX);
            (self.limit)(count.saturating_mul(1 + sequence.width() / BYTES_PER_CHARGE))?;
            return Ok(Some(sequence.elements()));
        }
        let mut all = Vec::new();
        let mut rest = items;
        loop {
            let comma = find_comma(rest);
            all.append(&mut self.text(rest.get(..comma).unwrap_or_default(), depth + 1)?);
            match rest.get(comma + 1..) {
                Some(after) => rest = after,
                None => return Ok(Some(all)),
            }
        }
    }

    /// Each of `left` followed by each of `right`.
    fn multiply(&mut self, left: &[Vec<Part>], right: Vec<Vec<Part>>) -> Result<Vec<Vec<Part>>, E> {
        if let ([only], true) = (left, right.len() > 1)
            && only.is_empty()
        {
            return Ok(right);
        }
        let count = left.len().saturating_mul(right.len());
        let bytes =
            (size(left).saturating_mul(right.len())).saturating_add(size(&right).saturating_mul(left.len()));
        (self.limit)(count.saturating_add(bytes / BYTES_PER_CHARGE))?;
        let mut all = Vec::with_capacity(count);
        for before in left {
            for after in &right {
                let mut parts = before.clone();
                for part in after {
                    push_part(&mut parts, part.clone());
                }
                all.push(parts);
            }
        }
        Ok(all)
    }
}

/// The bytes of text in `words`.
fn size(words: &[Vec<Part>]) -> usize {
    let part_size = |part: &Part| match part {
        Part::Literal(text) | Part::Single(text) => text.len(),
        _ => 16,
    };
    words.iter().flatten().map(part_size).sum()
}

/// A `{` from `from` on; not a `{` or `{}` that stands for itself at the start.
fn find_open(items: &[Item<'_>], from: usize) -> Option<usize> {
    (from..items.len()).find(|&at| {
        let is_open = items.get(at).is_some_and(|item| item.is(b'{'));
        is_open && !(at == 0 && items.get(1).is_none_or(|next| next.is(b'}')))
    })
}

/// The `}` that belongs to the `{` before `from`: one with a `,` or `..` in between on the same level.
fn find_close(items: &[Item<'_>], from: usize) -> Option<usize> {
    let (mut level, mut separated) = (0_u32, false);
    for (at, item) in items.iter().enumerate().skip(from) {
        let Item::Byte(byte) = item else { continue };
        match byte {
            b'}' if level == 0 && separated => return Some(at),
            b'}' => level = level.saturating_sub(1),
            b'{' => level += 1,
            b',' if level == 0 => separated = true,
            b'.' if level == 0 && items.get(at + 1).is_some_and(|next| next.is(b'.')) => {
                separated |= !items.get(at + 2).is_some_and(|next| next.is(b'}'));
            }
            _ => {}
        }
    }
    None
}

/// The next `,` outside of inner braces, or the end.
fn find_comma(items: &[Item<'_>]) -> usize {
    let mut level = 0_u32;
    for (at, item) in items.iter().enumerate() {
        match item {
            Item::Byte(b',') if level == 0 => return at,
            Item::Byte(b'{') => level += 1,
            Item::Byte(b'}') => level = level.saturating_sub(1),
            _ => {}
        }
    }
    items.len()
}

/// bash looks for the comma of a list without minding quotes, once it knows that there is a group.
fn has_comma(item: Item<'_>) -> bool {
    fn part_has_comma(part: &Part) -> bool {
        match part {
            Part::Literal(text) | Part::Single(text) => text.contains(&b','),
            Part::AnsiC { raw, .. } => raw.contains(&b','),
            Part::Double { parts, .. } => parts.iter().any(part_has_comma),
            _ => false,
        }
    }
    match item {
        Item::Byte(byte) => byte == b',',
        Item::Part(part) => part_has_comma(part),
    }
}

/// `first..last..step`
struct Sequence {
    first: i64,
    step: i64,
    count: u64,
    form: Form,
}

enum Form {
    Letters,
    /// Padded with zeros to this width; 0 for none.
    Numbers(usize),
}

impl Sequence {
    fn parse(text: &[u8]) -> Option<Self> {
        let dots = memchr::memmem::find(text, b"..")?;
        let (left, rest) = (text.get(..dots)?, text.get(dots + 2..)?);
        let (right, step) = match memchr::memmem::find(rest, b"..") {
            Some(dots) => (rest.get(..dots)?, number(rest.get(dots + 2..)?)?),
            None => (rest, 1),
        };
        if let ([first], [last]) = (left, right)
            && first.is_ascii_alphabetic()
            && last.is_ascii_alphabetic()
        {
            return Self::between(i64::from(*first), i64::from(*last), step, Form::Letters);
        }
        let (first, last) = (number(left)?, number(right)?);
        let has_zeros = |text: &[u8]| matches!(text, [b'0', _, ..] | [b'-', b'0', _, ..]);
        let width = if has_zeros(left) || has_zeros(right) {
            left.len().max(right.len())
        } else {
            0
        };
        Self::between(first, last, step, Form::Numbers(width))
    }

    /// The sign of the step is taken from the ends.
    fn between(first: i64, last: i64, step: i64, form: Form) -> Option<Self> {
        let size = step.unsigned_abs().max(1);
        let distance = last.checked_sub(first)?.unsigned_abs();
        let count = distance / size + 1;
        if count > SEQUENCE_LIMIT || distance > i64::MAX as u64 - 2 || (first < last && step == i64::MIN) {
            return None;
        }
        let size = i64::try_from(size).ok()?;
        Some(Self {
            first,
            step: if first > last { -size } else { size },
            count,
            form,
        })
    }

    /// The least bytes of an element.
    fn width(&self) -> usize {
        match self.form {
            Form::Letters => 1,
            Form::Numbers(width) => width,
        }
    }

    fn elements(&self) -> Vec<Vec<Part>> {
        let value = |index: u64| self.first.wrapping_add(self.step.wrapping_mul(index as i64));
        (0..self.count).map(|index| self.element(value(index))).collect()
    }

    fn element(&self, value: i64) -> Vec<Part> {
        let text = match self.form {
            // Read again as part of a word, a lone backslash vanishes; an empty word stays.
            Form::Letters if value == i64::from(b'\\') => return vec![Part::Single(Verbatim::default())],
            Form::Letters => vec![value as u8],
            Form::Numbers(width) => padded(value, width),
        };
        vec![Part::Literal(text.into())]
    }
}

/// A number with zeros in front. (`format!` panics at widths above 65 535.)
fn padded(value: i64, width: usize) -> Vec<u8> {
    let digits = value.unsigned_abs().to_string();
    let sign: &[u8] = if value < 0 { b"-" } else { b"" };
    let zeros = vec![b'0'; width.saturating_sub(sign.len() + digits.len())];
    [sign, &zeros, digits.as_bytes()].concat()
}

/// A decimal number with an optional sign.
fn number(text: &[u8]) -> Option<i64> {
    std::str::from_utf8(text).ok()?.parse().ok()
}

fn append_text(words: &mut [Vec<Part>], items: &[Item<'_>]) {
    for parts in words {
        let mut text = Vec::new();
        for item in items {
            match item {
                Item::Byte(byte) => text.push(*byte),
                Item::Part(part) => {
                    push_text(parts, &mut text);
                    push_part(parts, (*part).clone());
                }
            }
        }
        push_text(parts, &mut text);
    }
}

fn push_text(parts: &mut Vec<Part>, text: &mut Vec<u8>) {
    if !text.is_empty() {
        push_part(parts, Part::Literal(std::mem::take(text).into()));
    }
}

/// Adds a part; text joins text, and the name of a `$name` before it.
fn push_part(parts: &mut Vec<Part>, part: Part) {
    let Part::Literal(text) = &part else {
        return parts.push(part);
    };
    match parts.last_mut() {
        Some(Part::Literal(before)) => *before = [&**before, &**text].concat().into(),
        Some(Part::Param(param)) => {
            let rest = lengthen_name(param, text);
            if !rest.is_empty() {
                parts.push(Part::Literal(rest.into()));
            }
        }
        _ => parts.push(part),
    }
}

/// Moves the name characters at the start of `text` to an unbraced `$name`; what is left.
fn lengthen_name<'t>(param: &mut Param, text: &'t [u8]) -> &'t [u8] {
    let ParamName::Variable(name) = &mut param.name else {
        return text;
    };
    if param.braced || param.op != ParamOp::Get {
        return text;
    }
    let length = text
        .iter()
        .take_while(|byte| byte.is_ascii_alphanumeric() || **byte == b'_')
        .count();
    let (more, rest) = text.split_at_checked(length).unwrap_or((text, b""));
    if !more.is_empty() {
        *name = [&**name, more].concat().into();
    }
    rest
}

fn finish(mut parts: Vec<Part>, pure: bool) -> Word {
    if let Some(Part::Literal(text)) = parts.first()
        && let Some(rest) = text.strip_prefix(b"~")
    {
        let slash = memchr::memchr(b'/', rest);
        if slash.is_some() || parts.len() == 1 {
            let (user, rest) = rest
                .split_at_checked(slash.unwrap_or(rest.len()))
                .unwrap_or((rest, b""));
            let prefix = [Part::Tilde(user.into())];
            let rest = (!rest.is_empty()).then(|| Part::Literal(rest.into()));
            parts.splice(..1, prefix.into_iter().chain(rest));
        }
    }
    let plain = |part: &Part| {
        !matches!(
            part,
            Part::Double { .. } | Part::Param(_) | Part::Command(_) | Part::Arith(_) | Part::Process { .. }
        )
    };
    Word {
        pure: pure || parts.iter().all(plain),
        parts,
        braces: false,
        assign: None,
        index: None,
    }
}
