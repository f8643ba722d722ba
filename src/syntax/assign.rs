//! Assignments: `name=word`, `name[sub]=word`, `name=( … )`, and arguments of declaration builtins.

use super::ast::{ArrayElement, Assign, AssignValue, Name, Part, Word};
use super::parser::{Parsed, Reader};
use super::token::{NAME, QUOTING, class, is_meta, is_name, starts_name};
use super::word::{Builder, Quote};

/// Builtins whose arguments may be assignments.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Declaration {
    /// `declare`, `export`, `alias`, …: arguments get [`Word::assign`], and may be `name=( … )`.
    Direct,
    /// The same behind `command` in POSIX mode, or behind a redirection: no `name=( … )`.
    Behind,
    /// `eval`, `let`: `name=( … )` is taken as text.
    Text,
    /// `command`, in POSIX mode: the next word decides.
    Command,
}

/// What the words of a command so far make of the next one.
pub(super) fn declaration(words: &[Word], so_far: Option<Declaration>, posix: bool) -> Option<Declaration> {
    let name = match words.last()?.parts.as_slice() {
        [Part::Literal(text)] => &**text,
        _ => return None,
    };
    match name {
        _ if is_declaration(name) && so_far.is_some() => Some(Declaration::Behind),
        _ if is_declaration(name) => Some(Declaration::Direct),
        b"eval" | b"let" => so_far.is_none().then_some(Declaration::Text),
        b"command" if posix => Some(Declaration::Command),
        _ => None,
    }
}

fn is_declaration(name: &[u8]) -> bool {
    matches!(
        name,
        b"declare" | b"typeset" | b"local" | b"export" | b"readonly" | b"alias"
    )
}

/// Whether expanding the assignment can run nothing.
pub(super) fn is_pure(assign: &Assign) -> bool {
    let value = match &assign.value {
        AssignValue::Scalar(word) => word.pure,
        AssignValue::Array(elements) => elements.iter().all(|element| {
            element.value.pure && element.subscript.as_ref().is_none_or(|subscript| subscript.pure)
        }),
    };
    value && assign.subscript.as_ref().is_none_or(|subscript| subscript.pure)
}

impl Reader<'_> {
    /// Production: `name[sub]+=value`, if one starts here. What was taken of a word that is none goes to `builder`.
    pub(super) fn assignment(&mut self, builder: &mut Builder) -> Parsed<Option<Assign>> {
        if !self.at_assigned_name() {
            return Ok(None);
        }
        let line = self.cursor.line;
        let name: Name = self.name();
        let mut subscript = None;
        if self.cursor.eat(b'[') {
            let mut text = self.deeper(|reader| reader.subscript_text(line))?;
            if !self.at_assignment_operator() {
                builder.text(&name);
                builder.byte(b'[');
                builder.word(text);
                builder.byte(b']');
                return Ok(None);
            }
            text.compile_index();
            subscript = Some(text);
        }
        let append = self.cursor.eat(b'+');
        self.cursor.eat(b'=');
        if self.cursor.peek() == Some(b'(') {
            let value = AssignValue::Array(self.deeper(Self::array)?);
            let assign = Assign {
                name,
                subscript,
                append,
                value,
            };
            return if self.at_word_end() {
                Ok(Some(assign))
            } else {
                self.joined_array(assign).map(Some)
            };
        }
        let value = AssignValue::Scalar(self.assigned_word()?);
        Ok(Some(Assign {
            name,
            subscript,
            append,
            value,
        }))
    }

    fn at_word_end(&mut self) -> bool {
        self.cursor
            .peek()
            .is_none_or(|byte| is_meta(byte) && self.operator().is_some() || matches!(byte, b' ' | b'\t'))
    }

    /// `name=(a b)c`: more text makes it an ordinary value, which starts with the parentheses as bash rebuilds them.
    fn joined_array(&mut self, mut assign: Assign) -> Parsed<Assign> {
        let mut builder = Builder::default();
        builder.text(&super::print::print_value(&assign.value));
        self.assigned_rest(&mut builder)?;
        assign.value = AssignValue::Scalar(builder.finish());
        Ok(assign)
    }

    /// Whether a name stands here with `=`, `+=` or `[` behind it.
    fn at_assigned_name(&mut self) -> bool {
        if !self.cursor.peek().is_some_and(starts_name) {
            return false;
        }
        let rest = self.cursor.rest();
        let length = rest
            .iter()
            .position(|byte| class(*byte) & NAME == 0)
            .unwrap_or(rest.len());
        match rest.get(length..).unwrap_or_default() {
            [b'=' | b'[', ..] | [b'+', b'=', ..] => true,
            [b'\\', b'\n', ..] | [b'+', b'\\', b'\n', ..] => self.assignment_after(),
            _ => false,
        }
    }

    /// The same where the line is continued inside the name.
    #[cold]
    fn assignment_after(&mut self) -> bool {
        let mut bytes = self.cursor.ahead().skip_while(|byte| class(*byte) & NAME != 0);
        match bytes.next() {
            Some(b'=' | b'[') => true,
            Some(b'+') => bytes.next() == Some(b'='),
            _ => false,
        }
    }

    fn at_assignment_operator(&mut self) -> bool {
        match self.cursor.peek() {
            Some(b'=') => true,
            Some(b'+') => self.cursor.peek_at(1) == Some(b'='),
            _ => false,
        }
    }

    /// Production: the right side of an assignment.
    pub(super) fn assigned_word(&mut self) -> Parsed<Word> {
        let mut builder = Builder::default();
        self.tilde(&mut builder, b":/");
        let outside = std::mem::replace(&mut self.in_assignment, true);
        let rest = self.assigned_rest(&mut builder);
        self.in_assignment = outside;
        rest?;
        Ok(builder.finish())
    }

    /// Production: `( … )` of an array, at the parenthesis: elements, blanks, newlines and comments.
    fn array(&mut self) -> Parsed<Vec<ArrayElement>> {
        let line = self.cursor.line;
        self.cursor.bump();
        let mut elements = Vec::new();
        loop {
            self.newlines()?;
            match self.cursor.peek() {
                None => {
                    let mut error = self.unclosed(b')', line);
                    error.resumes = true;
                    return Err(error);
                }
                Some(b')') => {
                    self.cursor.bump();
                    return Ok(elements);
                }
                Some(byte) if is_meta(byte) && self.operator().is_some() || self.at_descriptor() => {
                    let mut error = self.unexpected();
                    error.resumes = true;
                    return Err(error);
                }
                Some(_) => match self.array_element() {
                    Ok(element) => elements.push(element),
                    Err(mut error) => {
                        if error.incomplete {
                            error.follow(self.end_line(), "syntax error: unexpected end of file");
                        }
                        return Err(error);
                    }
                },
            }
        }
    }

    /// Production: `word`, `[sub]=word` or `[sub]+=word`
    fn array_element(&mut self) -> Parsed<ArrayElement> {
        let line = self.cursor.line;
        if !self.cursor.eat(b'[') {
            return Ok(ArrayElement {
                subscript: None,
                append: false,
                value: self.element_word()?,
            });
        }
        let text = self.deeper(|reader| reader.subscript_text(line))?;
        if self.at_assignment_operator() {
            let append = self.cursor.eat(b'+');
            self.cursor.eat(b'=');
            return Ok(ArrayElement {
                subscript: Some(text),
                append,
                value: self.assigned_word()?,
            });
        }
        let mut builder = Builder::default();
        builder.byte(b'[');
        builder.word(text);
        builder.byte(b']');
        self.word_rest(&mut builder)?;
        Ok(ArrayElement {
            subscript: None,
            append: false,
            value: builder.finish(),
        })
    }

    /// An element without subscript: it only looks like an assignment, and no tilde counts behind its `=`.
    fn element_word(&mut self) -> Parsed<Word> {
        let tildes = std::mem::replace(&mut self.tildes_in_arguments, false);
        let word = self.word();
        self.tildes_in_arguments = tildes;
        word
    }

    /// Production: an argument of a declaration builtin.
    pub(super) fn declaration_argument(&mut self, kind: Declaration) -> Parsed<Word> {
        let tildes = std::mem::replace(&mut self.tildes_in_arguments, true);
        let word = self.word();
        self.tildes_in_arguments = tildes;
        let mut word = word?;
        let compound =
            self.cursor.peek() == Some(b'(') && matches!(kind, Declaration::Direct | Declaration::Text);
        let Some(mut assign) = assignment_of(&word) else {
            return Ok(word);
        };
        let empty = matches!(&assign.value, AssignValue::Scalar(value) if value.parts.is_empty());
        if compound && empty {
            let start = self.cursor.local();
            let elements = self.deeper(Self::array)?;
            let text = self.cursor.since(start).to_vec();
            assign.value = AssignValue::Array(elements);
            match kind {
                Declaration::Text => word.parts.extend(self.text_of_list(text)?),
                _ => append_literal(&mut word, &text),
            }
            word.pure = is_pure(&assign);
        }
        if matches!(kind, Declaration::Direct | Declaration::Behind) {
            word.assign = Some(Box::new(assign));
        }
        Ok(word)
    }
}

impl Reader<'_> {
    /// A list as text of a word: quotes and expansions count as anywhere in it.
    fn text_of_list(&mut self, text: Vec<u8>) -> Parsed<Vec<Part>> {
        let mut builder = Builder::default();
        let mut reader = self.inside(text.into(), self.cursor.line)?;
        while let Some(byte) = reader.cursor.peek() {
            if class(byte) & QUOTING != 0 {
                reader.quoted(&mut builder, Quote::Bare, byte)?;
            } else {
                reader.cursor.bump();
                builder.byte(byte);
            }
        }
        self.finish(reader);
        Ok(builder.into_parts().0)
    }
}

fn append_literal(word: &mut Word, text: &[u8]) {
    match word.parts.last_mut() {
        Some(Part::Literal(last)) => *last = [&**last, text].concat().into(),
        _ => word.parts.push(Part::Literal(text.into())),
    }
}

/// The word read as an assignment, when it has the shape of one.
pub(super) fn assignment_of(word: &Word) -> Option<Assign> {
    let (first, rest) = word.parts.split_first()?;
    let Part::Literal(text) = first else { return None };
    let end = text.iter().position(|byte| class(*byte) & NAME == 0)?;
    let (name, tail) = text.split_at_checked(end).filter(|(name, _)| is_name(name))?;
    match tail {
        [b'=', value @ ..] => Some(scalar(name, None, false, value, rest, word)),
        [b'+', b'=', value @ ..] => Some(scalar(name, None, true, value, rest, word)),
        [b'[', inside @ ..] => element(name, inside, rest, word),
        _ => None,
    }
}

/// `name[…]=…`: finds the bracket that closes, through quoted parts.
fn element(name: &[u8], inside: &[u8], rest: &[Part], word: &Word) -> Option<Assign> {
    let mut builder = Builder::default();
    let mut open = 0_usize;
    let mut literal = inside;
    let mut rest = rest;
    loop {
        for (at, byte) in literal.iter().enumerate() {
            match byte {
                b'[' => open += 1,
                b']' if open == 0 => {
                    builder.text(literal.get(..at)?);
                    let subscript = Word {
                        pure: word.pure,
                        ..builder.finish()
                    };
                    return match literal.get(at + 1..)? {
                        [b'=', value @ ..] => Some(scalar(name, Some(subscript), false, value, rest, word)),
                        [b'+', b'=', value @ ..] => {
                            Some(scalar(name, Some(subscript), true, value, rest, word))
                        }
                        _ => None,
                    };
                }
                b']' => open -= 1,
                _ => {}
            }
        }
        builder.text(literal);
        literal = b"";
        let (next, tail) = rest.split_first()?;
        rest = tail;
        match next {
            Part::Literal(text) => literal = text,
            other => builder.part(other.clone()),
        }
    }
}

fn scalar(
    name: &[u8],
    subscript: Option<Word>,
    append: bool,
    value: &[u8],
    rest: &[Part],
    word: &Word,
) -> Assign {
    let mut builder = Builder::default();
    builder.text(value);
    for part in rest {
        builder.part(part.clone());
    }
    let value = AssignValue::Scalar(Word {
        pure: word.pure,
        braces: false,
        ..builder.finish()
    });
    Assign {
        name: name.into(),
        subscript,
        append,
        value,
    }
}
