//! Reading and writing variables by the rules of their attributes.

use std::sync::Arc;

use super::{Divert, ExpandFailure, Interp, Set, Shopt};
use crate::expand::arith::Key;
use crate::expand::{Attributes, CaseChange, ExpandHost, Failure, Indexed, Text, Value, Variable};
use crate::syntax::ast::{CaseKind, Name, Word};

type Outcome<T = ()> = Result<T, ExpandFailure>;

/// How a nameref leads back to itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Circle {
    None,
    /// It names itself.
    Own,
    /// Others are on the way.
    Longer,
}

/// How many namerefs may point to each other.
const MAX_REFERENCES: usize = 8;

impl Interp {
    /// The plain string of a variable; arrays give element 0.
    pub fn scalar(&mut self, name: &[u8]) -> Option<Vec<u8>> {
        if let Some(variable) = self.vars.get(name)
            && !variable.attributes.has(Attributes::NAMEREF)
            && let Value::Scalar(text) = &variable.value
        {
            return Some(text.to_vec());
        }
        if self.is_reference(name) && self.circle(name) == Circle::Longer {
            return None;
        }
        self.value_of(name)?.scalar().map(<[u8]>::to_vec)
    }

    /// Follows namerefs: the variable's name, and the subscript the last one carries.
    pub(super) fn follow(&self, name: &[u8]) -> (Name, Option<Vec<u8>>) {
        let mut current = match self.vars.get(name) {
            Some(variable) if variable.attributes.has(Attributes::NAMEREF) => Name::from(name),
            _ => return (Name::from(name), None),
        };
        for _ in 0..=MAX_REFERENCES {
            let Some(variable) = self.vars.get(&current) else {
                return (current, None);
            };
            let Some(target) = variable.value.scalar() else {
                return (current, None);
            };
            if !variable.attributes.has(Attributes::NAMEREF) || target.is_empty() {
                return (current, None);
            }
            let (base, key) = split_subscript(target);
            if let Some(key) = key {
                return (Name::from(base), Some(key.to_vec()));
            }
            if *base == *current || base == name {
                return (Name::from(name), None);
            }
            current = Name::from(base);
        }
        // They are too many: nothing is there.
        (Name::from(&b""[..]), None)
    }

    /// The last nameref on the way from one.
    pub fn last_reference(&self, name: &[u8]) -> Name {
        let mut current = Name::from(name);
        for _ in 0..MAX_REFERENCES {
            let target = self
                .vars
                .get(&current)
                .and_then(|variable| variable.value.scalar());
            match target {
                Some(target) if self.is_reference(target) && target != name => current = Name::from(target),
                _ => break,
            }
        }
        current
    }

    /// A nameref that leads back to itself, directly or over others.
    pub(super) fn circle(&self, name: &[u8]) -> Circle {
        let mut current = Name::from(name);
        for step in 0..MAX_REFERENCES {
            let Some(variable) = self.vars.get(&current) else {
                return Circle::None;
            };
            let target = variable.value.scalar().filter(|target| !target.is_empty());
            let Some(target) = target.filter(|_| variable.attributes.has(Attributes::NAMEREF)) else {
                return Circle::None;
            };
            let (base, _) = split_subscript(target);
            if base == &*current {
                return if step == 0 { Circle::Own } else { Circle::Longer };
            }
            if base == name {
                return Circle::Longer;
            }
            current = Name::from(base);
        }
        Circle::None
    }

    pub(super) fn warn_circle(&mut self, name: &[u8]) {
        self.error([b"warning: ", name, b": circular name reference"].concat());
    }

    /// Assigns to a nameref that leads back to itself: a local one that names itself stands for the global variable.
    fn assign_circular(
        &mut self,
        name: &[u8],
        circle: Circle,
        (key, value, append): (Option<&[u8]>, &[u8], bool),
    ) -> Outcome {
        if circle == Circle::Longer {
            self.warn_circle(name);
            self.status = 1;
            return Err(Failure::Divert(Divert::Discard(1)));
        }
        self.on_global_twin(name, |interp| interp.assign_to(name, key, value, append))
    }

    /// Does an assignment to the global variable that a local nameref of the same name stands for.
    pub(super) fn on_global_twin(&mut self, name: &[u8], work: impl FnOnce(&mut Self) -> Outcome) -> Outcome {
        self.warn_circle(name);
        if !self.vars.swap_global(name) {
            return Ok(());
        }
        let assigned = work(self);
        self.vars.swap_global(name);
        assigned
    }

    /// Refuses a readonly variable.
    pub fn check_writable(&mut self, name: &[u8]) -> Outcome {
        match self.vars.get(name) {
            Some(variable) if variable.attributes.has(Attributes::READONLY) => {
                Err(Failure::Discard([name, b": readonly variable"].concat()))
            }
            _ => Ok(()),
        }
    }

    /// Turns a variable into an array, keeping a string as its first element.
    pub fn make_array(&mut self, name: &[u8], assoc: bool) {
        let variable = self.vars.entry(name);
        match (&variable.value, assoc) {
            (Value::Indexed(_) | Value::Assoc(_), _) => {}
            (Value::Scalar(text), false) => {
                variable.value = Value::Indexed(Arc::new(Indexed::from_texts([text.clone()])));
            }
            (_, false) => variable.value = Value::Indexed(Arc::default()),
            (Value::Scalar(text), true) => {
                let mut array = crate::expand::Assoc::default();
                array.set(b"0", text.clone());
                variable.value = Value::Assoc(Arc::new(array));
            }
            (_, true) => variable.value = Value::Assoc(Arc::default()),
        }
    }

    /// Assigns to a variable or to an element whose key is evaluated.
    pub fn assign_element(&mut self, name: &[u8], key: Option<&[u8]>, value: &[u8], append: bool) -> Outcome {
        if key.is_none()
            && !append
            && let Some(name) = self.vars.known(name).cloned()
            && self.assign_plain(&name, value)
        {
            return Ok(());
        }
        if !self.is_reference(name) {
            return self.assign_to(name, key, value, append);
        }
        let circle = self.circle(name);
        if circle != Circle::None {
            return self.assign_circular(name, circle, (key, value, append));
        }
        self.refuse_element(name, key.is_some())?;
        let (resolved, embedded) = self.resolve(name);
        if self.is_reference(&resolved) && key.is_none() {
            return self.assign_reference(&resolved, value);
        }
        self.assign_to(&resolved, key.or(embedded.as_deref()), value, append)
    }

    /// Refuses what cannot be assigned to the element that a nameref stands for: an element of it, or a list.
    pub(super) fn refuse_element(&self, name: &[u8], parts: bool) -> Outcome {
        let (base, Some(key)) = self.follow(name) else {
            return Ok(());
        };
        let element = [&*base, b"[", &key, b"]"].concat();
        if parts {
            return Err(Failure::Discard(
                [b"`", element.as_slice(), b"': not a valid identifier"].concat(),
            ));
        }
        if matches!(key.as_slice(), b"@" | b"*") && !self.is_assoc_named(&base) {
            return Err(Failure::Discard(
                [element.as_slice(), b": bad array subscript"].concat(),
            ));
        }
        Ok(())
    }

    /// Assigns to what is no nameref.
    fn assign_to(&mut self, name: &[u8], key: Option<&[u8]>, value: &[u8], append: bool) -> Outcome {
        if !crate::expand::word::is_name(name) {
            return Err(Failure::Discard(
                [b"`", name, b"': not a valid identifier"].concat(),
            ));
        }
        self.check_writable(name)?;
        if key == Some(b"") {
            return Err(Failure::Discard([name, b"[]: bad array subscript"].concat()));
        }
        if let Some(Value::Dynamic(code)) = self.vars.get(name).map(|variable| &variable.value)
            && self.assign_dynamic(*code, name, key, value)?
        {
            return Ok(());
        }
        match key {
            Some(key) => self.assign_key(name, key, value, append)?,
            None => self.assign_whole(name, value, append)?,
        }
        self.vars.hold_value(name);
        if self.options.is(Set::Allexport) && key.is_none() {
            let variable = self.vars.entry(name);
            variable.attributes = variable.attributes.with(Attributes::EXPORT);
            self.vars.touch_environment();
        }
        self.hook_assigned(name);
        Ok(())
    }

    /// The frequent case: a string variable without attributes that matter, and no hook.
    #[inline]
    pub(super) fn assign_plain(&mut self, name: &Name, value: &[u8]) -> bool {
        if self.options.is(Set::Allexport) || has_hook(name) {
            return false;
        }
        let long = value.len() > Text::INLINE;
        if long && self.proc.kernel.meter().check_memory(value.len() as u64).is_err() {
            return false;
        }
        let plain = |variable: &Variable| {
            variable.attributes.without(Attributes::EXPORT) == Attributes::default()
                && matches!(variable.value, Value::Scalar(_) | Value::Unset)
        };
        let Some(variable) = self.vars.find_mut(name, plain) else {
            return false;
        };
        match &mut variable.value {
            Value::Scalar(Text::Heap(old)) if long => match Arc::get_mut(old) {
                Some(old) => old.replace(value),
                None => variable.value = Value::Scalar(Text::new(value)),
            },
            slot => *slot = Value::Scalar(Text::new(value)),
        }
        if long {
            self.vars.hold_value(name);
        }
        true
    }

    /// The same for an element of an array.
    #[inline]
    pub(super) fn assign_plain_element(&mut self, name: &Name, key: &Key, value: &[u8]) -> bool {
        if value.len() > Text::INLINE || self.options.is(Set::Allexport) || has_hook(name) {
            return false;
        }
        let plain = |variable: &Variable| {
            let ignored = Attributes::ARRAY.with(Attributes::ASSOC);
            variable.attributes.without(ignored) == Attributes::default()
                && match (&variable.value, key) {
                    (Value::Indexed(_), Key::Index(index)) => *index >= 0,
                    (Value::Assoc(_), Key::Text(key)) => !key.is_empty(),
                    _ => false,
                }
        };
        let Some(variable) = self.vars.find_mut(name, plain) else {
            return false;
        };
        match (&mut variable.value, key) {
            (Value::Indexed(array), Key::Index(index)) => Arc::make_mut(array).set(*index, Text::new(value)),
            (Value::Assoc(array), Key::Text(key)) => Arc::make_mut(array).set(key, Text::new(value)),
            _ => return false,
        }
        true
    }

    /// Makes a local variable of the running function, where nothing about its name or value is special.
    pub fn set_plain_local(&mut self, name: &[u8], value: &[u8]) -> bool {
        value.len() <= Text::INLINE
            && !self.options.is(Set::Allexport)
            && !has_hook(name)
            && self.vars.set_plain_local(name, value)
    }

    fn assign_reference(&mut self, name: &[u8], value: &[u8]) -> Outcome {
        let (base, _) = split_subscript(value);
        if !crate::expand::word::is_name(base) {
            return Err(Failure::Discard(
                [b"`", value, b"': not a valid identifier"].concat(),
            ));
        }
        self.check_writable(name)?;
        self.vars.entry(name).value = Value::Scalar(Text::new(value));
        Ok(())
    }

    fn assign_whole(&mut self, name: &[u8], value: &[u8], append: bool) -> Outcome {
        let variable = self.vars.entry(name);
        let attributes = variable.attributes;
        if variable.value.is_array() || attributes.has(Attributes::ARRAY.with(Attributes::ASSOC)) {
            return self.assign_key(name, b"0", value, append);
        }
        if !attributes.has(Attributes::TRANSFORMS) && append {
            self.grow_memory(name, value.len())?;
            let variable = self.vars.entry(name);
            match &mut variable.value {
                Value::Scalar(text) => text.push_slice(value),
                slot => *slot = Value::Scalar(Text::new(value)),
            }
            return Ok(());
        }
        let old = variable.value.scalar().unwrap_or_default().to_vec();
        let text = self.transformed(attributes, &old, value, append)?;
        self.proc.kernel.meter().check_memory(text.len() as u64)?;
        self.vars.entry(name).value = Value::Scalar(Text::from(text));
        Ok(())
    }

    /// Is there room for a text to grow?
    fn grow_memory(&mut self, name: &[u8], by: usize) -> Outcome {
        let size = self
            .vars
            .get(name)
            .and_then(|variable| variable.value.scalar())
            .map_or(0, <[u8]>::len);
        self.proc.kernel.meter().check_memory((size + by) as u64)?;
        Ok(())
    }

    /// The text that an assignment stores, by the variable's attributes.
    fn transformed(
        &mut self,
        attributes: Attributes,
        old: &[u8],
        value: &[u8],
        append: bool,
    ) -> Outcome<Vec<u8>> {
        if attributes.has(Attributes::INTEGER) {
            let number = self.evaluate_or_end(value)?;
            let base = if append { self.evaluate_or_end(old)? } else { 0 };
            return Ok(base.wrapping_add(number).to_string().into_bytes());
        }
        let before = if append { old } else { b"" };
        Ok(self.cased(attributes, &[before, value].concat()))
    }

    /// A text in the case that the attributes ask for.
    pub fn cased(&self, attributes: Attributes, text: &[u8]) -> Vec<u8> {
        let units = self.flags().units();
        let change = |text: &[u8], kind, all| CaseChange::plain(kind, all, units).apply(text);
        if attributes.has(Attributes::UPPER) {
            change(text, CaseKind::Upper, true)
        } else if attributes.has(Attributes::LOWER) {
            change(text, CaseKind::Lower, true)
        } else if attributes.has(Attributes::CAPITAL) {
            let lower = change(text, CaseKind::Lower, true);
            change(&lower, CaseKind::Upper, false)
        } else {
            text.to_vec()
        }
    }

    fn assign_key(&mut self, name: &[u8], key: &[u8], value: &[u8], append: bool) -> Outcome {
        let variable = self.vars.entry(name);
        let assoc = matches!(variable.value, Value::Assoc(_)) || variable.attributes.has(Attributes::ASSOC);
        self.make_array(name, assoc);
        self.store_element(name, key, value, append)
    }

    /// Stores into an array that exists.
    pub(super) fn store_element(&mut self, name: &[u8], key: &[u8], value: &[u8], append: bool) -> Outcome {
        let variable = self.vars.entry(name);
        let attributes = variable.attributes;
        let special = attributes.has(Attributes::TRANSFORMS);
        match &mut variable.value {
            Value::Assoc(array) if !special => {
                let array = Arc::make_mut(array);
                if append {
                    array.append(key, value)
                } else {
                    array.set(key, Text::new(value))
                }
                return Ok(());
            }
            Value::Indexed(array) => {
                let number = crate::expand::arith::plain_number(key).unwrap_or(0);
                let Some(index) = array.resolve(number) else {
                    return Err(Failure::Discard(
                        [name, b"[", key, b"]: bad array subscript"].concat(),
                    ));
                };
                if !special {
                    let array = Arc::make_mut(array);
                    if append {
                        array.append(index, value)
                    } else {
                        array.set(index, Text::new(value))
                    }
                    return Ok(());
                }
            }
            _ => {}
        }
        let value_now = self.vars.entry(name).value.clone();
        let old = crate::expand::param::element::<Divert>(name, &value_now, key)?
            .unwrap_or_default()
            .to_vec();
        drop(value_now);
        let text = Text::from(self.transformed(attributes, &old, value, append)?);
        match &mut self.vars.entry(name).value {
            Value::Assoc(array) => Arc::make_mut(array).set(key, text),
            Value::Indexed(array) => {
                let number = crate::expand::arith::plain_number(key).unwrap_or(0);
                if let Some(index) = array.resolve(number) {
                    Arc::make_mut(array).set(index, text);
                }
            }
            _ => {}
        }
        Ok(())
    }

    /// What must follow an assignment to one of the shell's own variables.
    pub(super) fn hook_assigned(&mut self, name: &[u8]) {
        match name {
            b"IFS" => self.ifs_changed = true,
            b"LANG" | b"LC_ALL" | b"LC_CTYPE" => {
                self.locale_varies = true;
                self.read_locale();
            }
            b"BASH_COMPAT" => self.take_compatibility(),
            b"BASH_XTRACEFD" => self.choose_trace_descriptor(),
            b"OPTIND" => self.getopts_offset = 0,
            b"HISTSIZE" => self.stifle_history(),
            b"HISTFILESIZE" => {
                if let Some(path) = self.history_file() {
                    self.truncate_history_file(&path);
                }
            }
            b"POSIXLY_CORRECT" => self.options.set(Set::Posix, true),
            b"PATH" => self.hashed = Arc::default(),
            b"GLOBIGNORE" => match self.scalar(name) {
                Some(text) if text.is_empty() => {}
                text => self.options.set_shopt(Shopt::Dotglob, text.is_some()),
            },
            _ => {}
        }
    }

    /// After variables came back from a scope.
    pub(super) fn forget_ifs(&mut self) {
        if self.vars.take_ifs_came_back() {
            self.ifs_changed = true;
        }
        if self.locale_varies {
            self.read_locale();
        }
    }

    /// Finds the locale of characters. Whatever is not plainly `C` counts as UTF-8.
    pub(super) fn read_locale(&mut self) {
        let names: [&[u8]; 3] = [b"LC_ALL", b"LC_CTYPE", b"LANG"];
        let set = names
            .into_iter()
            .find_map(|name| self.scalar(name).filter(|value| !value.is_empty()));
        self.byte_locale = set.is_some_and(|locale| matches!(locale.as_slice(), b"C" | b"POSIX"));
    }

    /// Sets a string by the rules, for builtins: an error is said, and the answer is `false`.
    pub fn set_scalar(&mut self, name: &[u8], value: &[u8]) -> Result<bool, Divert> {
        let result = self.assign_element(name, None, value, false);
        self.said(result)
    }

    /// What became of an assignment by a builtin: errors that would abandon a line are only said.
    pub fn said(&mut self, result: Outcome) -> Result<bool, Divert> {
        match result {
            Ok(()) => Ok(true),
            Err(Failure::Discard(message)) => {
                self.error(message);
                self.status = 1;
                Ok(false)
            }
            Err(failure) => match self.fail_expansion(failure) {
                Divert::Discard(_) => Ok(false),
                divert => Err(divert),
            },
        }
    }

    /// Makes an indexed array of these texts.
    pub fn set_array(
        &mut self,
        name: &[u8],
        texts: impl IntoIterator<Item = Vec<u8>>,
    ) -> Result<bool, Divert> {
        let elements = texts.into_iter().map(super::assign::Element::of).collect();
        let result = self.assign_array(name, elements, false);
        self.said(result)
    }

    /// The key of an associative array that a builtin got: it is expanded once more, unless that is turned off. Commands in it do not run.
    pub fn expand_key(&mut self, text: &[u8]) -> Vec<u8> {
        if self.options.shopt(Shopt::AssocExpandOnce) {
            return text.to_vec();
        }
        let word = Word::subscript(text);
        match word.pure {
            true => crate::expand::word::text_now(self, &word, crate::expand::Mode::Single)
                .unwrap_or_else(|_| text.to_vec()),
            false => text.to_vec(),
        }
    }

    /// The key of `name[text]` as builtins take it: a string for an associative array, else evaluated.
    pub fn key_of(&mut self, name: &[u8], text: &[u8]) -> Outcome<Vec<u8>> {
        if self.is_assoc_named(name) {
            return Ok(self.expand_key(text));
        }
        if matches!(text, b"@" | b"*") {
            return Err(Failure::Discard(
                [name, b"[", text, b"]: bad array subscript"].concat(),
            ));
        }
        Ok(self.evaluate_or_end(text)?.to_string().into_bytes())
    }

    /// Evaluates an expression. An error in it ends everything that is being read.
    pub(super) fn evaluate_or_end(&mut self, text: &[u8]) -> Outcome<i64> {
        crate::expand::arith::evaluate(self, text).map_err(|failure| match failure {
            Failure::Arith(message) => Failure::Top(message),
            failure => failure,
        })
    }

    /// What must follow `unset`.
    pub fn after_unset(&mut self, name: &[u8]) {
        match name {
            b"POSIXLY_CORRECT" => self.options.set(Set::Posix, false),
            _ => self.hook_assigned(name),
        }
    }

    /// `set -o`: the mode `posix` comes with its variable.
    pub fn switch_option(&mut self, index: usize, on: bool) {
        self.options.set_index(index, on);
        if on && index == Set::History as usize {
            self.begin_history();
        }
        match (index == Set::Posix as usize, on) {
            (true, true) => self.vars.set_raw(b"POSIXLY_CORRECT", b"y".as_slice()),
            (true, false) => self.vars.unset(b"POSIXLY_CORRECT"),
            _ => {}
        }
    }

    /// The visible variable that `name` stands for.
    pub fn variable(&self, name: &[u8]) -> Option<&Variable> {
        let (name, _) = self.follow(name);
        self.vars.get(&name)
    }
}

/// Splits `name[subscript]`.
pub fn split_subscript(text: &[u8]) -> (&[u8], Option<&[u8]>) {
    let Some(open) = text.iter().position(|byte| *byte == b'[') else {
        return (text, None);
    };
    match (
        text.get(..open),
        text.get(open + 1..).and_then(|rest| rest.strip_suffix(b"]")),
    ) {
        (Some(name), Some(inner)) => (name, Some(inner)),
        _ => (text, None),
    }
}

/// Splits what a builtin may assign to: `name`, or `name[subscript]` whose bracket is closed by the last byte, with quotes and brackets inside in
/// pairs. `None`: it is no valid identifier.
pub fn split_reference(text: &[u8]) -> Option<(&[u8], Option<&[u8]>)> {
    let (name, rest) = text.split_at(memchr::memchr(b'[', text).unwrap_or(text.len()));
    if !crate::expand::word::is_name(name) {
        return None;
    }
    let Some(inside) = rest.get(1..) else {
        return Some((name, None));
    };
    let length = crate::syntax::arith::subscript_length(inside)?;
    (length > 0 && length + 1 == inside.len()).then_some((name, inside.get(..length)))
}

/// Assigning to the name does more than store.
#[inline]
fn has_hook(name: &[u8]) -> bool {
    matches!(name.first(), Some(b'B' | b'I' | b'O' | b'P' | b'G' | b'H' | b'L'))
        && matches!(
            name,
            b"BASH_COMPAT"
                | b"BASH_XTRACEFD"
                | b"IFS"
                | b"HISTFILESIZE"
                | b"HISTSIZE"
                | b"OPTIND"
                | b"POSIXLY_CORRECT"
                | b"PATH"
                | b"GLOBIGNORE"
                | b"LANG"
                | b"LC_ALL"
                | b"LC_CTYPE"
        )
}
