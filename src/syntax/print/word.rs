//! Words, their parts and assignments.

use super::super::ast::{
    Arith, Assign, AssignValue, CaseKind, List, Param, ParamName, ParamOp, Part, ReplaceKind, Subscript,
    Substitution, TestKind, Word,
};
use super::{Out, Printer};

/// A word as written.
pub(super) fn word(word: &Word, out: &mut Out) {
    for each in &word.parts {
        part(each, out);
    }
}

/// A word of a command: an array among the arguments of a declaration builtin prints as bash rebuilds it.
pub(super) fn argument(argument: &Word, out: &mut Out) {
    match argument.assign.as_deref() {
        Some(
            assigned @ Assign {
                value: AssignValue::Array(_),
                ..
            },
        ) => assign(assigned, out),
        _ => word(argument, out),
    }
}

/// `name[sub]+=value`
pub(super) fn assign(assign: &Assign, out: &mut Out) {
    out.extend_from_slice(&assign.name);
    if let Some(text) = &assign.subscript {
        subscript(text, out);
    }
    out.extend_from_slice(if assign.append { b"+=" } else { b"=" });
    assign_value(&assign.value, out);
}

/// The right side of an assignment.
pub(super) fn assign_value(value: &AssignValue, out: &mut Out) {
    match value {
        AssignValue::Scalar(value) => word(value, out),
        AssignValue::Array(elements) => {
            out.push(b'(');
            for (at, element) in elements.iter().enumerate() {
                if at > 0 {
                    out.push(b' ');
                }
                if let Some(text) = &element.subscript {
                    subscript(text, out);
                    out.extend_from_slice(if element.append { b"+=" } else { b"=" });
                }
                word(&element.value, out);
            }
            out.push(b')');
        }
    }
}

fn subscript(text: &Word, out: &mut Out) {
    out.push(b'[');
    word(text, out);
    out.push(b']');
}

/// A part as written.
pub(super) fn part(part: &Part, out: &mut Out) {
    match part {
        Part::Literal(text) => out.extend_from_slice(text),
        Part::Escaped(byte) => out.extend_from_slice(&[b'\\', *byte]),
        Part::Single(text) => {
            out.push(b'\'');
            out.extend_from_slice(text);
            out.push(b'\'');
        }
        Part::AnsiC { text, .. } => single_quoted(text, out),
        Part::Double { parts, .. } => {
            out.push(b'"');
            for each in parts {
                self::part(each, out);
            }
            out.push(b'"');
        }
        Part::Tilde(user) => {
            out.push(b'~');
            out.extend_from_slice(user);
        }
        Part::Param(each) => param(each, out),
        Part::Command(each) => substitution(each, out),
        Part::Arith(each) => arith(each, out),
        Part::Process { write, body } => {
            out.extend_from_slice(if *write { b">(" } else { b"<(" });
            inner(body, out);
        }
    }
}

/// A part of a here-document's body: the text of a quoted one stands bare.
pub(super) fn document_part(each: &Part, out: &mut Out) {
    match each {
        Part::Single(text) => out.extend_from_slice(text),
        each => part(each, out),
    }
}

/// `'…'` around any text, as bash does it for `$'…'`.
pub(super) fn single_quoted(text: &[u8], out: &mut Out) {
    if text == b"'" {
        out.extend_from_slice(b"\\'");
        return;
    }
    out.push(b'\'');
    for byte in text {
        match byte {
            b'\'' => out.extend_from_slice(b"'\\''"),
            byte => out.push(*byte),
        }
    }
    out.push(b'\'');
}

/// The text of a word without quotes or expansions.
pub(super) fn unquoted(word: &Word) -> Option<&[u8]> {
    match word.parts.as_slice() {
        [Part::Literal(text)] => Some(text),
        _ => None,
    }
}

fn substitution(substitution: &Substitution, out: &mut Out) {
    if let Some(raw) = &substitution.backquoted {
        out.push(b'`');
        out.extend_from_slice(raw);
        out.push(b'`');
        return;
    }
    out.extend_from_slice(b"$(");
    if let Some(raw) = &substitution.raw {
        out.extend_from_slice(raw);
        out.push(b')');
        return;
    }
    inner(&substitution.body, out);
}

/// The list of a substitution and its parenthesis; a blank keeps `$( (` from being arithmetic.
fn inner(body: &List, out: &mut Out) {
    let mut printer = Printer {
        in_substitution: true,
        ..Printer::default()
    };
    printer.out.exact = out.exact;
    printer.list(body);
    if printer.out.first() == Some(&b'(') {
        out.push(b' ');
    }
    out.append(&mut printer.out);
    out.push(b')');
}

fn arith(arith: &Arith, out: &mut Out) {
    let (open, close): (&[u8], &[u8]) = if arith.bracket {
        (b"$[", b"]")
    } else {
        (b"$((", b"))")
    };
    out.extend_from_slice(open);
    word(&arith.text, out);
    out.extend_from_slice(close);
}

fn param(param: &Param, out: &mut Out) {
    if let ParamOp::Bad(text) | ParamOp::BadTransform(text) = &param.op {
        out.extend_from_slice(text);
        return;
    }
    out.push(b'$');
    if !param.braced {
        name(&param.name, out);
        return;
    }
    out.push(b'{');
    match param.op {
        ParamOp::Length => out.push(b'#'),
        ParamOp::Names { .. } | ParamOp::Keys { .. } => out.push(b'!'),
        _ if param.indirect => out.push(b'!'),
        _ => {}
    }
    name(&param.name, out);
    match &param.subscript {
        Some(Subscript::At) => out.extend_from_slice(b"[@]"),
        Some(Subscript::Star) => out.extend_from_slice(b"[*]"),
        Some(Subscript::Index(text)) => subscript(text, out),
        None => {}
    }
    operation(&param.op, out);
    out.push(b'}');
}

fn name(name: &ParamName, out: &mut Out) {
    match name {
        ParamName::Variable(name) => out.extend_from_slice(name),
        ParamName::Positional(number) => out.extend_from_slice(number.to_string().as_bytes()),
        ParamName::Special(byte) => out.push(*byte),
    }
}

fn operation(op: &ParamOp, out: &mut Out) {
    match op {
        ParamOp::Get | ParamOp::Length | ParamOp::Bad(_) | ParamOp::BadTransform(_) => {}
        ParamOp::Names { at } => out.push(if *at { b'@' } else { b'*' }),
        ParamOp::Keys { at } => out.extend_from_slice(if *at { b"[@]" } else { b"[*]" }),
        ParamOp::Test {
            kind,
            colon,
            word: operand,
        } => {
            if *colon {
                out.push(b':');
            }
            out.push(match kind {
                TestKind::Default => b'-',
                TestKind::Assign => b'=',
                TestKind::Error => b'?',
                TestKind::Alternative => b'+',
            });
            word(operand, out);
        }
        ParamOp::Trim {
            suffix,
            longest,
            pattern,
        } => {
            let mark = if *suffix { b'%' } else { b'#' };
            doubled(mark, *longest, out);
            word(pattern, out);
        }
        ParamOp::Replace {
            kind,
            pattern,
            replacement,
        } => {
            out.extend_from_slice(match kind {
                ReplaceKind::First => b"/",
                ReplaceKind::All => b"//",
                ReplaceKind::Prefix => b"/#",
                ReplaceKind::Suffix => b"/%",
            });
            word(pattern, out);
            if let Some(replacement) = replacement {
                out.push(b'/');
                word(replacement, out);
            }
        }
        ParamOp::Slice { offset, length } => {
            out.push(b':');
            word(&offset.text, out);
            if let Some(length) = length {
                out.push(b':');
                word(&length.text, out);
            }
        }
        ParamOp::Case { kind, all, pattern } => {
            let mark = match kind {
                CaseKind::Upper => b'^',
                CaseKind::Lower => b',',
                CaseKind::Toggle => b'~',
            };
            doubled(mark, *all, out);
            if let Some(pattern) = pattern {
                word(pattern, out);
            }
        }
        ParamOp::Transform(letter) => out.extend_from_slice(&[b'@', *letter]),
    }
}

fn doubled(mark: u8, twice: bool, out: &mut Out) {
    out.push(mark);
    if twice {
        out.push(mark);
    }
}
