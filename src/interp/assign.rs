//! Assignments: `name=word`, `name[sub]=word`, `name=( … )`, before a command or as arguments of a declaration builtin.

use std::borrow::Cow;
use std::sync::Arc;

use super::dynamic::Kept;
use super::variable::Circle;
use super::{Divert, ExpandFailure, Interp, Set};
use crate::expand::arith::{Key, plain_number};
use crate::expand::{Attributes, ExpandHost, Failure, Mode, Text, Value, direct, subscript, word};
use crate::kernel::cost;
use crate::syntax::ast::{ArrayElement, Assign, AssignValue, ParamName, Part, Word};
use crate::text::quote;

/// An expanded element of `( … )`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Element {
    /// The text of its subscript.
    pub key: Option<Vec<u8>>,
    /// `+=`
    pub append: bool,
    /// Its value.
    pub value: Vec<u8>,
}

impl Element {
    /// A word without a subscript.
    pub fn of(value: Vec<u8>) -> Self {
        Element {
            key: None,
            append: false,
            value,
        }
    }
}

/// An argument `name=( … )` of a declaration builtin, expanded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Declared {
    /// The argument that stands for it.
    pub argument: Vec<u8>,
    /// The variable.
    pub name: Vec<u8>,
    /// `+=`
    pub append: bool,
    /// The elements.
    pub elements: Vec<Element>,
}

type Outcome<T = ()> = Result<T, ExpandFailure>;

impl Interp {
    /// Does one pure assignment.
    pub(super) fn assign_pure(&mut self, assign: &Assign) -> Outcome {
        match &assign.value {
            AssignValue::Scalar(word) => {
                // The subscript comes after the value.
                let value = word::text_now(self, word, Mode::Single)?;
                self.trace_assignment(assign, Some(&value));
                if self.assign_plain_place(assign, &value) {
                    self.recycle_buffer(value);
                    return Ok(());
                }
                let key = match &assign.subscript {
                    Some(index) => Some(subscript::of_variable(self, &assign.name, index)?),
                    None => None,
                };
                check_key(assign, key.as_deref())?;
                let result = self.assign_text(assign, key.as_deref(), &value);
                self.recycle_buffer(value);
                result
            }
            AssignValue::Array(_) if assign.subscript.is_some() => Err(list_to_member(assign)),
            AssignValue::Array(elements) => {
                let mut expanded = Vec::with_capacity(elements.len());
                let assoc = self.is_assoc_named(&assign.name);
                for element in elements {
                    self.element_now(&as_kept(element, assoc), assoc, &mut expanded)?;
                }
                self.trace_assignment(assign, None);
                self.assign_array(&assign.name, expanded, assign.append)
            }
        }
    }

    /// Assigns to an element whose place takes no more than a look, where no more is to be done than to store it. `false`: nothing is done.
    fn assign_plain_place(&mut self, assign: &Assign, value: &[u8]) -> bool {
        let place = match &assign.subscript {
            Some(subscript) if !assign.append => direct::key(self, &assign.name, subscript),
            _ => None,
        };
        place.is_some_and(|place| self.assign_plain_element(&assign.name, &place, value))
    }

    /// Stores an expanded text where the assignment says.
    fn assign_text(&mut self, assign: &Assign, key: Option<&[u8]>, value: &[u8]) -> Outcome {
        let stored = !assign.append
            && match key {
                None => self.assign_plain(&assign.name, value),
                Some(key) => plain_number(key)
                    .is_some_and(|index| self.assign_plain_element(&assign.name, &Key::Index(index), value)),
            };
        if stored {
            return Ok(());
        }
        self.assign_element(&assign.name, key, value, assign.append)
    }

    /// Does one assignment.
    pub(super) async fn assign(&mut self, assign: &Assign) -> Outcome {
        if let (AssignValue::Scalar(word), None) = (&assign.value, &assign.subscript) {
            let value = word::text(self, word, Mode::Single).await?;
            self.trace_assignment(assign, Some(&value));
            return self.assign_element(&assign.name, None, &value, assign.append);
        }
        match &assign.value {
            AssignValue::Scalar(word) => {
                let value = word::text(self, word, Mode::Single).await?;
                self.trace_assignment(assign, Some(&value));
                let key = match &assign.subscript {
                    Some(index) => {
                        Some(subscript::value(self, &ParamName::Variable(assign.name.clone()), index).await?)
                    }
                    None => None,
                };
                check_key(assign, key.as_deref())?;
                self.assign_element(&assign.name, key.as_deref(), &value, assign.append)
            }
            AssignValue::Array(_) if assign.subscript.is_some() => Err(list_to_member(assign)),
            AssignValue::Array(elements) => {
                let assoc = self.is_assoc_named(&assign.name);
                // The list is traced as it is written, before what it runs.
                self.trace_assignment(assign, None);
                let expanded = self.elements(elements, assoc).await?;
                self.assign_array(&assign.name, expanded, assign.append)
            }
        }
    }

    /// Expands an element. Words of a list for an associative array are keys and values as they are: not split, and no patterns.
    fn element_now(&mut self, element: &ArrayElement, assoc: bool, into: &mut Vec<Element>) -> Outcome {
        match &element.subscript {
            None if assoc => {
                let value = word::text_now(self, &element.value, Mode::Single)?;
                into.push(Element::of(value));
            }
            Some(subscript) => {
                let key = Some(word::text_now(self, subscript, Mode::Single)?);
                let value = word::text_now(self, &element.value, Mode::Single)?;
                into.push(Element {
                    key,
                    append: element.append,
                    value,
                });
            }
            None => {
                let mut fields = Vec::new();
                word::fields_now(self, &element.value, &mut fields)?;
                into.extend(fields.into_iter().map(Element::of));
            }
        }
        Ok(())
    }

    /// Expands the elements of `( … )`.
    async fn elements(&mut self, elements: &[ArrayElement], assoc: bool) -> Outcome<Vec<Element>> {
        let mut expanded = Vec::with_capacity(elements.len());
        for element in elements {
            let element = &*as_kept(element, assoc);
            match &element.subscript {
                Some(subscript) => {
                    let key = Some(word::text(self, subscript, Mode::Single).await?);
                    let value = word::text(self, &element.value, Mode::Single).await?;
                    expanded.push(Element {
                        key,
                        append: element.append,
                        value,
                    });
                }
                None if assoc => {
                    let value = word::text(self, &element.value, Mode::Single).await?;
                    expanded.push(Element::of(value));
                }
                None => {
                    let mut fields = Vec::new();
                    word::fields(self, std::slice::from_ref(&element.value), &mut fields).await?;
                    expanded.extend(fields.into_iter().map(Element::of));
                }
            }
        }
        Ok(expanded)
    }

    /// [`Interp::declaration_argument`] for a plain string whose word is pure.
    pub(super) fn declaration_argument_now(&mut self, assign: &Assign) -> Outcome<Vec<u8>> {
        let operator: &[u8] = if assign.append { b"+=" } else { b"=" };
        let mut argument = crate::expand::ExpandHost::buffer(self);
        argument.extend_from_slice(&assign.name);
        argument.extend_from_slice(operator);
        if let AssignValue::Scalar(word) = &assign.value {
            let text = word::text_now(self, word, Mode::Single)?;
            argument.extend_from_slice(&text);
            self.recycle_buffer(text);
        }
        Ok(argument)
    }

    /// The argument of a declaration builtin for an assignment-shaped word.
    pub(super) async fn declaration_argument(
        &mut self,
        assign: &Assign,
        before: &[Vec<u8>],
    ) -> Outcome<Vec<u8>> {
        let operator: &[u8] = if assign.append { b"+=" } else { b"=" };
        let mut argument = assign.name.to_vec();
        if let Some(subscript) = &assign.subscript {
            let key = word::text(self, subscript, Mode::Single).await?;
            argument.push(b'[');
            argument.extend_from_slice(&key);
            argument.push(b']');
        }
        argument.extend_from_slice(operator);
        match &assign.value {
            AssignValue::Scalar(word) => argument.extend(word::text(self, word, Mode::Single).await?),
            AssignValue::Array(elements) => {
                let asked = |arg: &Vec<u8>| arg.starts_with(b"-") && arg.contains(&b'A');
                let assoc = before.iter().any(asked) || self.is_assoc_named(&assign.name);
                let elements = self.elements(elements, assoc).await?;
                self.trace_list(&assign.name, assign.append, &elements);
                argument.push(b'(');
                argument.extend(elements.iter().map(element_text).collect::<Vec<_>>().join(&b' '));
                argument.push(b')');
                let name = assign.name.to_vec();
                self.declared.push(Declared {
                    argument: argument.clone(),
                    name,
                    append: assign.append,
                    elements,
                });
            }
        }
        Ok(argument)
    }

    /// Puts elements into an array, replacing it unless `append`.
    pub fn assign_array(&mut self, name: &[u8], elements: Vec<Element>, append: bool) -> Outcome {
        if self.is_reference(name) && self.circle(name) == Circle::Own {
            return self.on_global_twin(name, |interp| interp.assign_array(name, elements, append));
        }
        if self.is_reference(name) {
            self.refuse_element(name, true)?;
        }
        let (name, _) = crate::expand::ExpandHost::resolve(self, name);
        self.check_writable(&name)?;
        match self.kept_by_shell(&name) {
            Kept::No => {}
            Kept::Remade => return Ok(()),
            // bash says nothing, and abandons the line.
            Kept::Refused => {
                self.status = 1;
                return Err(Failure::Divert(Divert::Discard(1)));
            }
        }
        let variable = self.vars.entry(&name);
        let attributes = variable.attributes;
        let assoc = matches!(variable.value, Value::Assoc(_)) || attributes.has(Attributes::ASSOC);
        if append {
            self.make_array(&name, assoc);
        } else {
            let empty = if assoc {
                Value::Assoc(Arc::default())
            } else {
                Value::Indexed(Arc::default())
            };
            self.vars.entry(&name).value = empty;
        }
        self.vars.hold_value(&name);
        self.hook_assigned(&name);
        if assoc {
            self.fill_assoc(&name, elements)
        } else {
            self.fill_indexed(&name, elements, attributes)
        }
    }

    fn fill_assoc(&mut self, name: &[u8], elements: Vec<Element>) -> Outcome {
        let mut pending: Option<Vec<u8>> = None;
        let keyed = elements.iter().any(|element| element.key.is_some());
        for element in elements {
            match (element.key, pending.take()) {
                (Some(key), _) => {
                    if key.is_empty() {
                        let message = [name, b"[]: bad array subscript"].concat();
                        return Err(Failure::Discard(message));
                    }
                    self.store_element(name, &key, &element.value, element.append)?;
                }
                (None, _) if keyed => {
                    let message = [
                        name,
                        b": ",
                        &element.value,
                        b": must use subscript when assigning associative array",
                    ];
                    self.error(message.concat());
                    self.status = 1;
                }
                (None, Some(key)) => self.store_element(name, &key, &element.value, false)?,
                (None, None) => pending = Some(element.value),
            }
        }
        match pending {
            Some(key) => self.store_element(name, &key, b"", false),
            None => Ok(()),
        }
    }

    fn fill_indexed(&mut self, name: &[u8], elements: Vec<Element>, attributes: Attributes) -> Outcome {
        let mut next = match &self.vars.entry(name).value {
            Value::Indexed(array) => array.next_index(),
            _ => 0,
        };
        let plain = !attributes.has(Attributes::TRANSFORMS);
        self.proc
            .kernel
            .meter()
            .charge(elements.len() as u64 * cost::FIELD)?;
        for element in elements {
            if let Some(key) = &element.key {
                if key.is_empty() {
                    self.error([b"[]=", element.value.as_slice(), b": bad array subscript"].concat());
                    continue;
                }
                let index = self.evaluate_or_end(key)?;
                let resolved = match &self.vars.entry(name).value {
                    Value::Indexed(array) => array.resolve(index),
                    _ => Some(index),
                };
                next = resolved.ok_or_else(|| {
                    Failure::Discard([b"[", key.as_slice(), b"]: bad array subscript"].concat())
                })?;
            }
            if plain && !element.append {
                let text = Text::from(element.value);
                if let Value::Indexed(array) = &mut self.vars.entry(name).value {
                    Arc::make_mut(array).set(next, text);
                }
            } else {
                self.store_element(name, next.to_string().as_bytes(), &element.value, element.append)?;
            }
            next = next.saturating_add(1);
        }
        Ok(())
    }

    /// Assignments in front of a builtin or a function: exported, for as long as it runs unless `persists`.
    pub(super) async fn assign_temporary(&mut self, assigns: &[Assign], persists: bool) -> Outcome {
        for assign in assigns {
            if persists {
                self.assign(assign).await?;
                let variable = self.vars.entry(&assign.name);
                variable.attributes = variable.attributes.with(Attributes::EXPORT);
                self.vars.touch_environment();
                continue;
            }
            if let Some(subscript) = &assign.subscript {
                let key = crate::syntax::print::print_word(subscript);
                self.error([b"`", &*assign.name, b"[", &key, b"]': not a valid identifier"].concat());
                continue;
            }
            let value = match &assign.value {
                AssignValue::Scalar(word) => {
                    self.preparing = true;
                    let text = word::text(self, word, Mode::Single).await;
                    self.preparing = false;
                    text?
                }
                // A list is only its text here.
                AssignValue::Array(_) => {
                    let text = crate::syntax::print::print_assignment(assign);
                    let open = memchr::memchr(b'(', &text).unwrap_or(0);
                    text.get(open..).unwrap_or_default().to_vec()
                }
            };
            self.trace_assignment(assign, Some(&value));
            // A readonly variable: said, and the command runs without it.
            let writable = self.check_writable(&assign.name);
            if !self.said(writable)? {
                if self.options.is(Set::Posix) {
                    return Err(Divert::Exit(1).into());
                }
                continue;
            }
            let value = self.temporary_value(assign, value)?;
            let name = match self.follow(&assign.name) {
                (name, None) => name,
                (_, Some(_)) => assign.name.clone(),
            };
            self.vars.make_local(&name, true);
            self.vars.set_exported(&name, value);
            self.hook_assigned(&name);
        }
        Ok(())
    }

    /// What `+=` in front of a command adds to; without it the value stays as it is, whatever the variable's attributes.
    fn temporary_value(&mut self, assign: &Assign, value: Vec<u8>) -> Outcome<Vec<u8>> {
        let Some(old) = self.vars.get(&assign.name).filter(|_| assign.append) else {
            return Ok(value);
        };
        let before = old.value.scalar().unwrap_or_default().to_vec();
        if !old.attributes.has(Attributes::INTEGER) {
            return Ok([before, value].concat());
        }
        let sum = crate::expand::arith::evaluate(self, &before)?
            .wrapping_add(crate::expand::arith::evaluate(self, &value)?);
        Ok(sum.to_string().into_bytes())
    }

    /// Reads `( … )` of an argument that was not written as an assignment (`declare -a "x=(1 2)"`).
    pub fn parse_elements(&mut self, text: &[u8], assoc: bool) -> Option<Vec<Element>> {
        let source: Vec<u8> = [b"x=", text].concat();
        let list = crate::syntax::parse_all(&source, &()).ok()?;
        let item = list.first()?.items.first()?;
        let crate::syntax::ast::Command::Simple(simple) = item.and_or.first.commands.first()? else {
            return None;
        };
        let AssignValue::Array(elements) = &simple.assigns.first()?.value else {
            return None;
        };
        let mut expanded = Vec::new();
        for element in elements {
            let pure = element.value.pure && element.subscript.as_ref().is_none_or(|word| word.pure);
            if !pure || self.element_now(element, assoc, &mut expanded).is_err() {
                return None;
            }
        }
        Some(expanded)
    }
}

/// The element as an array of this kind takes it: in a list for an associative one, tildes stay.
fn as_kept(element: &ArrayElement, assoc: bool) -> Cow<'_, ArrayElement> {
    let has_tilde = |word: &Word| word.parts.iter().any(|part| matches!(part, Part::Tilde(_)));
    if !assoc || !(has_tilde(&element.value) || element.subscript.as_ref().is_some_and(has_tilde)) {
        return Cow::Borrowed(element);
    }
    let kept = |part: &mut Part| {
        if let Part::Tilde(user) = part {
            *part = Part::Literal([b"~", &**user].concat().into());
        }
    };
    let mut element = element.clone();
    element.value.parts.iter_mut().for_each(kept);
    if let Some(subscript) = &mut element.subscript {
        subscript.parts.iter_mut().for_each(kept);
    }
    Cow::Owned(element)
}

/// An empty subscript; the message shows it as it was written.
fn check_key(assign: &Assign, key: Option<&[u8]>) -> Outcome {
    match (key, &assign.subscript) {
        (Some(b""), Some(subscript)) => {
            let text = crate::syntax::print::print_word(subscript);
            let message = [&*assign.name, b"[", &text, b"]: bad array subscript"].concat();
            Err(Failure::Discard(message))
        }
        _ => Ok(()),
    }
}

/// `a[1]=( … )` cannot be.
fn list_to_member(assign: &Assign) -> ExpandFailure {
    let key = assign
        .subscript
        .as_ref()
        .map(crate::syntax::print::print_word)
        .unwrap_or_default();
    Failure::Discard(
        [
            &*assign.name,
            b"[",
            &key,
            b"]: cannot assign list to array member",
        ]
        .concat(),
    )
}

fn element_text(element: &Element) -> Vec<u8> {
    match &element.key {
        Some(key) => [b"[".as_slice(), key, b"]=", &quote::reusable(&element.value)].concat(),
        None => quote::reusable(&element.value),
    }
}

/// The word is empty text.
pub(super) fn is_empty(word: &Word) -> bool {
    word.parts
        .iter()
        .all(|part| matches!(part, Part::Literal(text) if text.trim_ascii().is_empty()))
}

impl From<Divert> for ExpandFailure {
    fn from(divert: Divert) -> Self {
        Failure::Divert(divert)
    }
}
