//! The shell as expansion sees it: [`ExpandHost`] for [`Interp`].

use std::sync::Arc;

use super::variable::Circle;
use super::{Divert, ExpandFailure, Interp};
use crate::expand::arith::{Integer, Key, plain_number};
use crate::expand::{Attributes, ExpandFlags, ExpandHost, Failure, Ifs, Text, Value, Variable};
use crate::fs::{DirEntry, FileKind, Follow};
use crate::kernel::{BoxFuture, Halt};
use crate::pattern::{Pattern, PatternOptions};
use crate::syntax::ast::{List, Name, Substitution, Word};

/// How many compiled patterns a shell keeps.
const PATTERNS_KEPT: usize = 64;

/// How many buffers for fields a shell keeps, and how large each may be.
const BUFFERS_KEPT: usize = 16;
const BUFFER_KEPT: usize = 256;

impl ExpandHost for Interp {
    type Divert = Divert;

    fn value(&mut self, name: &Name) -> Option<Value> {
        match self.vars.find(name)? {
            variable
                if variable.attributes.has(Attributes::NAMEREF)
                    || matches!(variable.value, Value::Unset | Value::Dynamic(_)) =>
            {
                self.value_of(name)
            }
            variable => Some(variable.value.clone()),
        }
    }

    #[inline]
    fn plain_text(&self, name: &Name) -> Option<&Text> {
        match self.vars.find(name)? {
            Variable {
                value: Value::Scalar(text),
                attributes,
            } if !attributes.has(Attributes::NAMEREF) => Some(text),
            _ => None,
        }
    }

    #[inline]
    fn plain_number(&self, name: &Name) -> Option<i64> {
        plain_number(self.plain_text(name)?)
    }

    #[inline]
    fn assign_number(&mut self, name: &Name, key: &Key, number: i64) -> bool {
        let mut buffer = itoa::Buffer::new();
        let text = buffer.format(number).as_bytes();
        if self.preparing {
            return false;
        }
        match key {
            Key::None => self.assign_plain(name, text),
            key => self.assign_plain_element(name, key, text),
        }
    }

    #[inline]
    fn scalar_text(&mut self, name: &Name) -> Option<Text> {
        if let Some(variable) = self.vars.find(name)
            && !variable.attributes.has(Attributes::NAMEREF)
            && let Value::Scalar(text) = &variable.value
        {
            return Some(text.clone());
        }
        if self.is_reference(name) && self.circle(name) != Circle::None {
            // Whoever asks for the value next says it.
            return None;
        }
        self.value_of(name)?.scalar().map(Text::new)
    }

    #[inline]
    fn integer(&mut self, name: &Name) -> Integer {
        if let Some(variable) = self.vars.find(name)
            && let Value::Scalar(text) = &variable.value
            && let Some(number) = plain_number(text)
            && !variable.attributes.has(Attributes::NAMEREF)
        {
            return Integer::Number(number);
        }
        self.integer_of(name)
    }

    fn integer_of(&mut self, name: &[u8]) -> Integer {
        match self.scalar(name) {
            None => Integer::Unset,
            Some(text) => plain_number(&text).map_or(Integer::Text(text), Integer::Number),
        }
    }

    #[inline]
    fn element_number(&self, name: &Name, key: &Key) -> Option<i64> {
        let variable = self.vars.find(name)?;
        let text = match (&variable.value, key) {
            (Value::Indexed(array), Key::Index(index @ 0..)) => array.get(*index),
            (Value::Assoc(array), Key::Text(key)) if !key.is_empty() => array.get(key),
            _ => return None,
        };
        text.map_or(Some(0), plain_number)
    }

    #[inline]
    fn plain_element(&self, name: &Name, key: &Key) -> Option<&Text> {
        match (&self.vars.find(name)?.value, key) {
            (Value::Indexed(array), Key::Index(index)) => array.text(*index),
            (Value::Assoc(array), Key::Text(key)) => array.text(key),
            _ => None,
        }
    }

    fn resolve(&mut self, name: &[u8]) -> (Name, Option<Vec<u8>>) {
        let (name, key) = self.follow(name);
        let key = match key {
            Some(key) if key != b"@" && key != b"*" => self.evaluate_key(&name, &key),
            key => key,
        };
        (name, key)
    }

    #[inline]
    fn is_reference(&self, name: &[u8]) -> bool {
        self.vars
            .get(name)
            .is_some_and(|variable| variable.attributes.has(Attributes::NAMEREF))
    }

    fn nameref(&self, name: &[u8]) -> Option<Vec<u8>> {
        let variable = self.vars.get(name)?;
        if !variable.attributes.has(Attributes::NAMEREF) {
            return None;
        }
        variable.value.scalar().filter(|target| !target.is_empty())?;
        let (target, key) = self.follow(name);
        Some(match key {
            Some(key) => [&*target, b"[", &key, b"]"].concat(),
            None => target.to_vec(),
        })
    }

    fn attributes(&self, name: &[u8]) -> Option<Attributes> {
        self.variable(name).map(|variable| variable.attributes)
    }

    fn attribute_letters(&self, name: &[u8]) -> Option<String> {
        self.variable(name).map(crate::expand::Variable::flags)
    }

    fn assign(&mut self, name: &[u8], key: Option<&[u8]>, value: &[u8]) -> Result<(), ExpandFailure> {
        if self.preparing && self.vars.temporary_holds(name) {
            // The command's own variable gets it, and so does the one that it hides.
            let lifted = self.vars.lift_scope();
            let assigned = self.assign_element(name, key, value, false);
            self.vars.lay_scope(lifted);
            assigned?;
        }
        self.assign_element(name, key, value, false)
    }

    #[inline]
    fn assign_at(&mut self, name: &Name, key: &Key, value: &[u8]) -> Result<(), ExpandFailure> {
        let stored = match key {
            _ if self.preparing => false,
            Key::None => self.assign_plain(name, value),
            key => self.assign_plain_element(name, key, value),
        };
        if stored {
            return Ok(());
        }
        key.with_text(|key| ExpandHost::assign(self, name, key, value))
    }

    #[inline]
    fn is_assoc(&mut self, name: &Name) -> bool {
        match self.vars.find(name) {
            Some(variable) if variable.attributes == Attributes::default() => {
                matches!(variable.value, Value::Assoc(_)) || self.is_dynamic_assoc(&variable.value)
            }
            Some(_) => self.is_assoc_named(name),
            None => false,
        }
    }

    #[inline]
    fn is_plain_assoc(&self, name: &Name) -> bool {
        let variable = self.vars.find(name);
        variable.is_some_and(|variable| matches!(variable.value, Value::Assoc(_)))
    }

    #[inline]
    fn is_numbered(&self, name: &Name) -> bool {
        const OTHERS: Attributes = Attributes::NAMEREF.with(Attributes::ASSOC);
        self.vars.find(name).is_none_or(|variable| {
            !variable.attributes.has(OTHERS)
                && matches!(
                    variable.value,
                    Value::Indexed(_) | Value::Scalar(_) | Value::Unset
                )
        })
    }

    fn positional(&self) -> &[Text] {
        &self.positional
    }

    fn zero(&self) -> &[u8] {
        &self.zero
    }

    fn special(&mut self, parameter: u8) -> Option<Vec<u8>> {
        Some(match parameter {
            b'#' => self.positional.len().to_string().into_bytes(),
            b'?' => self.status.to_string().into_bytes(),
            b'$' => self.shell_pid.to_string().into_bytes(),
            b'!' => self.last_background?.to_string().into_bytes(),
            _ => self.options.letters(self.interactive, self.started_as),
        })
    }

    fn names(&self, prefix: &[u8]) -> Vec<Name> {
        let all = self.vars.sorted();
        let set = all
            .iter()
            .filter(|(name, variable)| name.starts_with(prefix) && variable.value != Value::Unset);
        set.map(|(name, _)| Name::clone(name)).collect()
    }

    fn flags(&self) -> ExpandFlags {
        ExpandFlags {
            bytes: self.byte_locale,
            ..self.options.expand_flags()
        }
    }

    #[inline]
    fn ifs(&mut self) -> &Ifs {
        if self.ifs_changed {
            self.prepare_ifs();
        }
        &self.ifs
    }

    #[inline]
    fn buffer(&mut self) -> Vec<u8> {
        self.buffers.pop().unwrap_or_default()
    }

    #[inline]
    fn give_back(&mut self, buffer: Vec<u8>) {
        self.recycle_buffer(buffer);
    }

    fn tilde(&mut self, user: &[u8]) -> Option<Vec<u8>> {
        match user {
            b"" => Some(
                self.scalar(b"HOME")
                    .unwrap_or_else(|| self.home_of_user().unwrap_or_default()),
            ),
            b"+" => self.scalar(b"PWD"),
            b"-" => self.scalar(b"OLDPWD"),
            _ if user
                .iter()
                .all(|byte| byte.is_ascii_digit() || matches!(byte, b'+' | b'-')) =>
            {
                self.directory_at(user)
            }
            _ => self.home_of(user),
        }
    }

    #[inline]
    fn arithmetic_depth(&mut self) -> &mut u32 {
        &mut self.arithmetic_depth
    }

    #[inline]
    fn nest(&self) -> Result<(), Halt> {
        self.proc.kernel.meter().nest()
    }

    #[inline]
    fn charge(&self, units: u64) -> Result<(), Halt> {
        self.proc.kernel.meter().charge(units)
    }

    fn reserve(&self, bytes: usize) -> Result<(), Halt> {
        self.proc.kernel.meter().check_memory(bytes as u64)
    }

    fn substitute<'a>(
        &'a mut self,
        substitution: &'a Substitution,
    ) -> BoxFuture<'a, Result<Vec<u8>, ExpandFailure>> {
        Box::pin(self.command_substitution(substitution))
    }

    fn process<'a>(
        &'a mut self,
        write: bool,
        body: &'a Arc<List>,
    ) -> BoxFuture<'a, Result<Vec<u8>, ExpandFailure>> {
        Box::pin(async move { self.process_substitution(write, body).map_err(Failure::Divert) })
    }

    fn warn(&mut self, message: &[u8]) {
        self.error(message);
    }

    fn prompt<'a>(&'a mut self, text: &'a [u8]) -> BoxFuture<'a, Result<Vec<u8>, ExpandFailure>> {
        Box::pin(self.expand_prompt(text))
    }

    fn read_dir(&self, path: &[u8]) -> Option<Vec<DirEntry>> {
        self.proc.read_dir(path).ok()
    }

    fn kind(&self, path: &[u8]) -> Option<FileKind> {
        self.proc
            .metadata(path, Follow::No)
            .ok()
            .map(|metadata| metadata.kind)
    }

    fn is_dir(&self, path: &[u8]) -> bool {
        self.proc
            .metadata(path, Follow::Yes)
            .is_ok_and(|metadata| metadata.kind == FileKind::Directory)
    }

    fn compile(&mut self, text: &[u8], options: PatternOptions) -> Arc<Pattern> {
        let options = PatternOptions {
            units: self.flags().units(),
            ..options
        };
        if let Some(pattern) = self.patterns.get(text)
            && pattern.0 == options
        {
            return Arc::clone(&pattern.1);
        }
        let pattern = Arc::new(Pattern::compile(text, options));
        // What a subshell shares is not copied: it begins a table of its own.
        if self.patterns.len() >= PATTERNS_KEPT || Arc::get_mut(&mut self.patterns).is_none() {
            self.patterns = Arc::default();
        }
        let patterns = Arc::make_mut(&mut self.patterns);
        patterns.insert(text.to_vec(), (options, Arc::clone(&pattern)));
        pattern
    }

    fn glob_ignore(&mut self) -> Option<Vec<u8>> {
        self.vars.get(b"GLOBIGNORE")?;
        self.scalar(b"GLOBIGNORE").filter(|text| !text.is_empty())
    }
}

impl Interp {
    /// A variable's value through namerefs; dynamic ones are computed. `None`: unset.
    pub fn value_of(&mut self, name: &[u8]) -> Option<Value> {
        let variable = match self.vars.get(name) {
            None => return None,
            Some(variable) if variable.attributes.has(Attributes::NAMEREF) => {
                match self.circle(name) {
                    Circle::None => {}
                    Circle::Own => {
                        self.warn_circle(name);
                        return self.vars.global(name).map(|variable| variable.value.clone());
                    }
                    Circle::Longer => {
                        self.warn_circle(name);
                        return None;
                    }
                }
                let (target, key) = self.follow(name);
                if let Some(key) = key {
                    let value = self.value_of(&target)?;
                    let key = self.evaluate_key(&target, &key)?;
                    let text = crate::expand::param::element::<Divert>(&target, &value, &key).ok()??;
                    return Some(Value::Scalar(Text::new(text)));
                }
                self.vars.get(&target)?
            }
            Some(variable) => variable,
        };
        match &variable.value {
            Value::Unset => variable
                .attributes
                .has(Attributes::ARRAY.with(Attributes::ASSOC))
                .then_some(Value::Unset),
            Value::Dynamic(code) => {
                let code = *code;
                self.note_arguments_asked(code);
                self.dynamic(code)
            }
            value => Some(value.clone()),
        }
    }

    fn prepare_ifs(&mut self) {
        self.ifs_changed = false;
        let value = self.scalar(b"IFS");
        self.ifs = match value.as_deref() {
            None | Some(b" \t\n") => Arc::clone(Ifs::standard()),
            value => Arc::new(Ifs::new(value)),
        };
    }

    /// `IFS` prepared, to be kept while the shell changes.
    pub fn shared_ifs(&mut self) -> Arc<Ifs> {
        ExpandHost::ifs(self);
        Arc::clone(&self.ifs)
    }

    /// The name is, or refers to, an associative array.
    pub fn is_assoc_named(&self, name: &[u8]) -> bool {
        let variable = if !self.is_reference(name) {
            self.vars.get(name)
        } else if self.circle(name) == Circle::Own {
            self.vars.global(name)
        } else {
            self.variable(name)
        };
        variable.is_some_and(|variable| {
            matches!(variable.value, Value::Assoc(_))
                || variable.attributes.has(Attributes::ASSOC)
                || self.is_dynamic_assoc(&variable.value)
        })
    }

    /// Takes the texts of a command that has run, for the next one.
    #[inline]
    pub(super) fn recycle(&mut self, texts: &mut Vec<Vec<u8>>) {
        for text in texts.drain(..) {
            self.recycle_buffer(text);
        }
    }

    /// Takes one text.
    #[inline]
    pub fn recycle_buffer(&mut self, mut text: Vec<u8>) {
        if self.buffers.len() < BUFFERS_KEPT && text.capacity() <= BUFFER_KEPT && text.capacity() > 0 {
            text.clear();
            self.buffers.push(text);
        }
    }

    /// The key that a nameref's `name[text]` means.
    fn evaluate_key(&mut self, name: &[u8], text: &[u8]) -> Option<Vec<u8>> {
        if self.is_assoc_named(name) {
            return Some(self.expand_key(text));
        }
        let written = Word::subscript(text);
        match written.pure {
            true => crate::expand::subscript::of_variable(self, &Name::from(name), &written).ok(),
            false => crate::expand::arith::evaluate(self, text)
                .ok()
                .map(|index| index.to_string().into_bytes()),
        }
    }

    /// A user's home by `/etc/passwd` of the tree.
    pub fn home_of(&self, user: &[u8]) -> Option<Vec<u8>> {
        self.passwd_field(|fields| fields.first() == Some(&user), 5)
    }

    fn home_of_user(&self) -> Option<Vec<u8>> {
        let uid = self.proc.user.uid.to_string();
        self.passwd_field(|fields| fields.get(2) == Some(&uid.as_bytes()), 5)
    }

    fn passwd_field(&self, wanted: impl Fn(&[&[u8]]) -> bool, index: usize) -> Option<Vec<u8>> {
        let passwd = self.proc.fs.read(&self.proc.view(), b"/etc/passwd").ok()?;
        let rows = passwd.split(|byte| *byte == b'\n');
        rows.map(|row| row.split(|byte| *byte == b':').collect::<Vec<_>>())
            .find(|fields| wanted(fields))
            .and_then(|fields| fields.get(index).map(|field| field.to_vec()))
    }

    /// `~N`, `~+N`, `~-N`: an entry of the directory stack.
    fn directory_at(&mut self, text: &[u8]) -> Option<Vec<u8>> {
        let digits = text
            .strip_prefix(b"+")
            .or_else(|| text.strip_prefix(b"-"))
            .unwrap_or(text);
        let number = usize::try_from(plain_number(digits)?).ok()?;
        let stack = self.directory_stack();
        let index = if text.first() == Some(&b'-') {
            stack.len().checked_sub(number + 1)?
        } else {
            number
        };
        stack.get(index).cloned()
    }

    /// `DIRSTACK`: the working directory first.
    pub fn directory_stack(&self) -> Vec<Vec<u8>> {
        std::iter::once(self.proc.cwd.to_vec())
            .chain(self.directories.iter().map(|entry| entry.to_vec()))
            .collect()
    }
}

impl Interp {
    /// The name of the process's user by `/etc/passwd` of the tree.
    pub(super) fn passwd_name(&self) -> Option<Vec<u8>> {
        let uid = self.proc.user.uid.to_string();
        self.passwd_field(|fields| fields.get(2) == Some(&uid.as_bytes()), 0)
    }
}
