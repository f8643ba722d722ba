//! `sub`, `gsub`, `gensub`, `match`, `split` and `patsplit`.

use super::code::{ArrayRef, LineTarget, RegexRef, Special, Target};
use super::machine::{Machine, Run, fatal};
use super::split::Splitter;
use super::value::{Text, Value};
use crate::pattern::{Captures, Regex};
use crate::text::utf8;

/// A piece of a replacement.
enum Piece {
    Text(Vec<u8>),
    Group(usize),
}

/// The replacement of `sub` and `gsub`: `&` is what matched. Of backslashes right before it two are one, and an odd one makes it an ampersand.
fn replacement(text: &[u8]) -> Vec<Piece> {
    let mut pieces = Vec::new();
    let mut literal = Vec::new();
    let mut at = 0;
    while let Some(found) = memchr::memchr(b'&', text.get(at..).unwrap_or_default()) {
        let before = text.get(at..at + found).unwrap_or_default();
        at += found + 1;
        let count = before.iter().rev().take_while(|byte| **byte == b'\\').count();
        literal.extend_from_slice(before.get(..found - count).unwrap_or_default());
        literal.extend(std::iter::repeat_n(b'\\', count / 2));
        if count % 2 == 1 {
            literal.push(b'&');
        } else {
            pieces.push(Piece::Text(std::mem::take(&mut literal)));
            pieces.push(Piece::Group(0));
        }
    }
    literal.extend_from_slice(text.get(at..).unwrap_or_default());
    pieces.push(Piece::Text(literal));
    pieces
}

/// The replacement of `gensub`: `\0` to `\9` are groups.
fn general_replacement(text: &[u8]) -> Vec<Piece> {
    let mut pieces = Vec::new();
    let mut literal = Vec::new();
    let mut at = 0;
    while let Some(&byte) = text.get(at) {
        at += 1;
        let group = match (byte, text.get(at)) {
            (b'&', _) => Some(0),
            (b'\\', Some(digit @ b'0'..=b'9')) => {
                at += 1;
                Some(usize::from(digit - b'0'))
            }
            (b'\\', Some(next)) => {
                literal.push(*next);
                at += 1;
                None
            }
            _ => {
                literal.push(byte);
                None
            }
        };
        if let Some(group) = group {
            pieces.push(Piece::Text(std::mem::take(&mut literal)));
            pieces.push(Piece::Group(group));
        }
    }
    pieces.push(Piece::Text(literal));
    pieces
}

/// Which matches are replaced.
#[derive(Clone, Copy, PartialEq)]
enum Which {
    All,
    Number(u64),
}

impl Machine<'_> {
    /// Replaces matches: the new text and how many there were.
    fn replace(&mut self, regex: &Regex, text: &[u8], pieces: &[Piece], which: Which) -> Run<(Vec<u8>, u64)> {
        let needs_groups = pieces
            .iter()
            .any(|piece| matches!(piece, Piece::Group(group) if *group > 0));
        let mut captures = Captures::default();
        let mut out = Vec::new();
        let (mut from, mut copied, mut seen, mut count) = (0, 0, 0, 0);
        let mut last_end = None;
        while from <= text.len() {
            let found = if needs_groups {
                regex.captures_at(text, from, &mut captures)?;
                captures.get(0)
            } else {
                regex.find_at(text, from)?
            };
            let Some((start, end)) = found else {
                break;
            };
            // An empty match right behind a match is none.
            let counts = start < end || last_end != Some(start);
            seen += u64::from(counts);
            if counts && (which == Which::All || which == Which::Number(seen)) {
                out.extend_from_slice(text.get(copied..start).unwrap_or_default());
                for piece in pieces {
                    let span = match piece {
                        Piece::Text(literal) => {
                            out.extend_from_slice(literal);
                            continue;
                        }
                        Piece::Group(0) => Some((start, end)),
                        Piece::Group(group) => captures.get(*group),
                    };
                    out.extend_from_slice(
                        span.and_then(|(start, end)| text.get(start..end))
                            .unwrap_or_default(),
                    );
                }
                copied = end;
                count += 1;
                if out.len() > 1 << 20 {
                    self.proc.kernel.meter().check_memory(out.len() as u64)?;
                }
                if which != Which::All {
                    break;
                }
            }
            last_end = Some(end);
            from = if start == end {
                end + regex.step(text, end)
            } else {
                end
            };
        }
        out.extend_from_slice(text.get(copied..).unwrap_or_default());
        self.proc.charge((text.len() + out.len()) as u64 / 128)?;
        Ok((out, count))
    }

    /// `sub` and `gsub`.
    pub(super) fn substitute(&mut self, regex: RegexRef, global: bool, target: Option<Target>) -> Run<()> {
        let target = target.unwrap_or(Target::FieldNumber(0));
        // The target's needs lie above the replacement and the expression.
        let target = self.repeat_needs(target)?;
        self.reach_field(target)?;
        let value = self.load(target)?;
        let needs = match target {
            Target::Field => 1,
            Target::Element(_) => 2,
            _ => 0,
        };
        let needs = self.pop_many(needs);
        let text = self.pop_text();
        let regex = self.regex(regex)?;
        self.stack.extend(needs);
        let subject = value.text(&self.convfmt).into_owned();
        let which = if global { Which::All } else { Which::Number(1) };
        let (changed, count) = self.replace(&regex, &subject, &replacement(&text), which)?;
        if count > 0 {
            let changed = match value {
                Value::Regex(_) => Value::Regex(Text::take(changed, &self.proc.kernel)?),
                _ => self.new_text(changed)?,
            };
            self.store(target, changed)?;
        } else {
            self.drop_needs(target);
        }
        self.push(Value::Number(count as f64));
        Ok(())
    }

    /// A field that is to be changed is there from then on, changed or not.
    fn reach_field(&mut self, target: Target) -> Run<()> {
        let number = match target {
            Target::FieldNumber(number) => number as usize,
            Target::Field => self.stack.last().map_or(0.0, Value::number).max(0.0) as usize,
            _ => return Ok(()),
        };
        Ok(self.record.reach(number, &self.proc.kernel)?)
    }

    fn drop_needs(&mut self, target: Target) {
        let count = match target {
            Target::Field => 1,
            Target::Element(ArrayRef::Stack) => 2,
            Target::Element(_) => 1,
            _ => 0,
        };
        self.pop_many(count);
    }

    /// `gensub`.
    pub(super) fn gensub(&mut self, regex: RegexRef) -> Run<()> {
        let subject = self.pop_text();
        let how = self.pop();
        let text = self.pop_text();
        let regex = self.regex(regex)?;
        let name = how.text(&self.convfmt);
        let which = if matches!(name.first(), Some(b'g' | b'G')) {
            Which::All
        } else {
            let number = how.number();
            if number < 1.0 {
                let shown = String::from_utf8_lossy(&name).into_owned();
                self.warn_later(format!("gensub: third argument `{shown}' treated as 1"));
            }
            Which::Number(number.max(1.0) as u64)
        };
        let (changed, _) = self.replace(&regex, &subject, &general_replacement(&text), which)?;
        let changed = self.new_text(changed)?;
        self.push(changed);
        Ok(())
    }

    /// `match`.
    pub(super) fn match_function(&mut self, regex: RegexRef, array: Option<ArrayRef>) -> Run<()> {
        let array = match array {
            Some(array) => Some(self.resolve(array)?),
            None => None,
        };
        let regex = self.regex(regex)?;
        let text = self.pop_text();
        self.pay_bytes(text.len())?;
        let mut captures = Captures::default();
        let found = if array.is_some() {
            regex.captures_at(&text, 0, &mut captures)?;
            captures.get(0)
        } else {
            regex.find_at(&text, 0)?
        };
        let count = |end: usize| utf8::count(text.get(..end).unwrap_or_default());
        let (start, length) = match found {
            Some((start, end)) => (count(start) as f64 + 1.0, (count(end) - count(start)) as f64),
            None => (0.0, -1.0),
        };
        if let Some(array) = array {
            self.clear_array(array);
            for group in 0..captures.len() {
                let Some((from, to)) = captures.get(group) else {
                    continue;
                };
                let piece = text.get(from..to).unwrap_or_default();
                let value = Value::Input(Text::copy(piece, &self.proc.kernel)?);
                self.set_element(array, &Text::small(group.to_string().as_bytes()), value)?;
                for (name, number) in [("start", count(from) + 1), ("length", count(to) - count(from))] {
                    let subsep = self.subsep.clone();
                    let key = [group.to_string().as_bytes(), &subsep, name.as_bytes()].concat();
                    self.set_element(array, &Text::small(&key), Value::Number(number as f64))?;
                }
            }
        }
        self.set_global(Special::Rstart, Value::Number(start));
        self.set_global(Special::Rlength, Value::Number(length));
        self.push(Value::Number(start));
        Ok(())
    }

    /// `split` and `patsplit`.
    pub(super) fn split(
        &mut self,
        array: ArrayRef,
        separator: Option<RegexRef>,
        separators: Option<ArrayRef>,
        by_pattern: bool,
    ) -> Run<()> {
        let separators = match separators {
            Some(separators) => Some(self.resolve(separators)?),
            None => None,
        };
        let splitter = match separator {
            Some(separator) if by_pattern => Splitter::Pattern(self.regex(separator)?),
            Some(separator) => self.splitter_of(separator)?,
            None if by_pattern => {
                let source = self.variable(Special::Fpat.place());
                let source = self.text_of(&source);
                Splitter::Pattern(self.dynamic_regex(&source)?)
            }
            None => {
                let source = self.variable(Special::Fs.place());
                let source = self.text_of(&source);
                self.field_splitter(&source)?
            }
        };
        let array = self.resolve(array)?;
        let text = self.pop_text();
        if separators == Some(array) {
            return Err(fatal(
                "split: cannot use the same array for second and fourth args",
            ));
        }
        // At most a piece a byte: each takes its place in two lists before it is an element.
        self.proc.kernel.meter().check_memory(text.len() as u64 * 32)?;
        self.proc.charge(text.len() as u64 / 8)?;
        let pieces = splitter.pieces(&text)?;
        self.clear_array(array);
        self.proc.charge(pieces.fields.len() as u64 / 4 + 1)?;
        for (index, (start, end)) in pieces.fields.iter().enumerate() {
            let piece = text.get(*start..*end).unwrap_or_default();
            let value = Value::Input(Text::copy(piece, &self.proc.kernel)?);
            self.set_element(array, &Text::small((index + 1).to_string().as_bytes()), value)?;
        }
        if let Some(separators) = separators {
            self.clear_array(separators);
            let outer = by_pattern || matches!(splitter, Splitter::Blanks);
            let last = pieces.fields.len();
            for (index, (start, end)) in pieces.separators.iter().enumerate() {
                // Only blanks and patterns have something in front of the first field and behind the last.
                if !outer && (index == 0 || index >= last) {
                    continue;
                }
                if outer && start == end && !by_pattern {
                    continue;
                }
                let piece = text.get(*start..*end).unwrap_or_default();
                let value = Value::Text(Text::copy(piece, &self.proc.kernel)?);
                self.set_element(separators, &Text::small(index.to_string().as_bytes()), value)?;
            }
        }
        self.push(Value::Number(pieces.fields.len() as f64));
        Ok(())
    }

    /// Puts a line that `getline` read where it belongs.
    pub(super) fn store_line(&mut self, target: LineTarget, line: Vec<u8>) -> Run<()> {
        match target {
            LineTarget::Record => {
                self.record.set(&line);
                Ok(())
            }
            LineTarget::Target(target) => {
                let value = Value::Input(Text::take(line, &self.proc.kernel)?);
                self.store(target, value)
            }
        }
    }
}
