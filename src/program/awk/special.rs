//! Variables with a meaning to awk: what loading and storing them does.

use super::code::Special;
use super::machine::{Machine, Run, fatal, is_array};
use super::reader::Separator;
use super::split::Splitter;
use super::value::{Place, Text, Value};

impl Machine<'_> {
    /// The value of a special variable.
    pub(super) fn load_special(&mut self, special: Special) -> Run<Value> {
        match special {
            Special::Nf => Ok(Value::Number(self.record.count()? as f64)),
            Special::Nr => Ok(Value::Number(self.nr)),
            Special::Fnr => Ok(Value::Number(self.fnr)),
            special if is_array(special) => {
                let name = Special::ALL.get(special as usize).map_or("", |(_, name)| name);
                Err(fatal(format!(
                    "attempt to use array `{name}' in a scalar context"
                )))
            }
            special => Ok(self.variable(special.place())),
        }
    }

    /// Assigns a special variable.
    pub(super) fn store_special(&mut self, special: Special, value: Value) -> Run<()> {
        match special {
            Special::Nf => {
                let count = value.number();
                if count < 0.0 {
                    return Err(fatal("NF set to negative value"));
                }
                self.record.text(&self.ofs, &self.convfmt);
                self.record.set_count(count as usize, &self.proc.kernel)?;
            }
            Special::Nr => self.nr = value.number(),
            Special::Fnr => self.fnr = value.number(),
            Special::Ofs => {
                // The record is put together with the separator of the time when it was changed.
                self.record.text(&self.ofs, &self.convfmt);
                self.ofs = self.text_of(&value);
            }
            Special::Ors => self.ors = self.text_of(&value),
            Special::Convfmt => self.convfmt = self.text_of(&value),
            Special::Ofmt => self.ofmt = self.text_of(&value),
            Special::Subsep => self.subsep = self.text_of(&value),
            Special::Fs | Special::Fpat | Special::Fieldwidths => self.set_splitter(special, &value)?,
            Special::Rs => self.set_separator(&value)?,
            Special::Ignorecase => {
                self.ignore_case = value.is_true();
                let separator = self.variable(Special::Rs.place());
                self.set_global(special, value);
                let fields = self.variable(Special::Fs.place());
                if let Splitter::Regex(_) | Splitter::Byte(_) = self.record.splitter {
                    self.set_splitter(Special::Fs, &fields)?;
                }
                return self.set_separator(&separator);
            }
            special if is_array(special) => {
                let name = Special::ALL.get(special as usize).map_or("", |(_, name)| name);
                return Err(fatal(format!(
                    "attempt to use array `{name}' in a scalar context"
                )));
            }
            _ => {}
        }
        self.set_global(special, value);
        Ok(())
    }

    fn set_splitter(&mut self, special: Special, value: &Value) -> Run<()> {
        // The record that is there was made for the old one.
        self.record.split()?;
        let text = self.text_of(value);
        self.record.splitter = match special {
            Special::Fpat => Splitter::Pattern(self.dynamic_regex(&text)?),
            Special::Fieldwidths => Splitter::Widths(widths(&text)?),
            // One character is an expression too, where it was written as one.
            _ if matches!(value, Value::Regex(_)) => Splitter::Regex(self.dynamic_regex(&text)?),
            _ => self.field_splitter(&text)?,
        };
        let name = Special::ALL.get(special as usize).map_or("", |(_, name)| name);
        if let Value::Array(procinfo) = self.variable(Special::Procinfo.place()) {
            let key = Text::small(b"FS");
            self.set_element(procinfo, &key, Value::Text(Text::small(name.as_bytes())))?;
        }
        Ok(())
    }

    fn set_separator(&mut self, value: &Value) -> Run<()> {
        let text = self.text_of(value);
        self.record.newlines = text.is_empty();
        self.separator = match text.as_slice() {
            b"" => Separator::Paragraph,
            text if matches!(value, Value::Regex(_)) => Separator::Regex(self.dynamic_regex(text)?),
            [byte] if !(self.ignore_case && byte.is_ascii_alphabetic()) => Separator::Byte(*byte),
            text => Separator::Regex(self.dynamic_regex(text)?),
        };
        Ok(())
    }

    /// Sets an array's element to a string from outside.
    pub fn set_input(&mut self, special: Special, key: &[u8], text: &[u8]) -> Run<()> {
        let array = self.array_of(special.place())?;
        let key = Text::copy(key, &self.proc.kernel)?;
        let value = Value::Input(Text::copy(text, &self.proc.kernel)?);
        self.set_element(array, &key, value)
    }

    /// Gives commands the variables of ENVIRON as they are now.
    pub(super) fn export_environment(&mut self) {
        let Value::Array(array) = self.variable(Special::Environ.place()) else {
            return;
        };
        let Some(table) = self.array(array) else { return };
        let text = |key: &[u8]| table.get(key).map(|value| self.text_of(value));
        let before = &self.proc.environment;
        let known = before
            .iter()
            .filter_map(|(name, _)| Some((name.clone(), text(name)?)));
        let is_new = |key: &Text| before.iter().all(|(name, _)| name != key.bytes());
        let added = table.keys().into_iter().filter(is_new);
        let added = added.filter_map(|key| Some((key.bytes().to_vec(), text(key.bytes())?)));
        let environment: Vec<_> = known.chain(added).collect();
        self.proc.environment = environment.into();
    }

    /// Assigns what an operand or `-v` says; the name was checked.
    pub fn assign_operand(&mut self, name: &[u8], raw: &[u8]) -> Run<()> {
        let mut warnings = Vec::new();
        let text = super::lexer::unescape(raw, &mut warnings);
        self.operand_warnings.extend(warnings);
        let value = Value::Input(Text::take(text, &self.proc.kernel)?);
        if let Some(in_place) = &mut self.in_place {
            in_place.assign(name, &value.text(b""));
        }
        let name = name.strip_prefix(b"awk::").unwrap_or(name);
        let found = self.program.globals.iter().position(|known| known == name);
        // A variable that the program never mentions is not missed.
        let Some(index) = found else {
            return Ok(());
        };
        let place = Place::Global(index as u32);
        match Special::at(place) {
            Some(special) => self.store_special(special, value),
            None => self.store_variable(place, value),
        }
    }
}

/// `FIELDWIDTHS`: numbers, each perhaps with a count to skip (`2:3`), and `*` for the rest.
fn widths(text: &[u8]) -> Run<Vec<(usize, Option<usize>)>> {
    let is_blank = |byte: &&u8| matches!(byte, b' ' | b'\t');
    let mut widths = Vec::new();
    let mut rest = text;
    loop {
        let blanks = rest.iter().take_while(is_blank).count();
        rest = rest.get(blanks..).unwrap_or_default();
        let length = rest.iter().take_while(|byte| !is_blank(byte)).count();
        let (word, behind) = rest.split_at(length);
        if word.is_empty() {
            return Ok(widths);
        }
        if matches!(widths.last(), Some((_, None))) {
            return Err(fatal("`*' must be the last designator in FIELDWIDTHS"));
        }
        // What is wrong is shown with all that follows.
        let invalid = |at: usize| {
            let near = String::from_utf8_lossy(rest.get(at..).unwrap_or_default()).into_owned();
            let field = widths.len() + 1;
            fatal(format!(
                "invalid FIELDWIDTHS value, for field {field}, near `{near}'"
            ))
        };
        let width = width(word).map_err(invalid)?;
        widths.push(width);
        rest = behind;
    }
}

/// One of them; the error is where it is wrong.
fn width(word: &[u8]) -> Result<(usize, Option<usize>), usize> {
    let number = |word: &[u8]| {
        let text = std::str::from_utf8(word).ok()?;
        text.parse::<usize>().ok()
    };
    let (skip, width) = match memchr::memchr(b':', word) {
        Some(at) => word.split_at(at),
        None => (&b"0"[..], word),
    };
    let width = width.strip_prefix(b":").unwrap_or(width);
    let skip = number(skip).ok_or(0_usize)?;
    if width == b"*" {
        return Ok((skip, None));
    }
    match number(width).filter(|width| *width > 0) {
        Some(width) => Ok((skip, Some(width))),
        None => Err(word.len() - width.len()),
    }
}
