//! Puts here-document bodies into the tree, behind the reader (see `heredoc`).
//!
//! The tree was just made, so nothing else holds its shared bodies. A body that runs a command makes its simple
//! command impure; words around a substitution are impure already.

use std::sync::Arc;

use super::ast::{
    AndOr, Arith, Assign, AssignValue, Command, Compound, CompoundKind, Cond, List, Param, ParamOp, Part,
    Pipeline, Redirect, RedirectFd, RedirectOp, Simple, Subscript, Substitution, Word,
};
use super::heredoc::Body;

/// Attaches the bodies to a list.
pub(super) fn list(list: &mut List, bodies: &[Body]) {
    for item in &mut list.items {
        and_or(&mut item.and_or, bodies);
    }
}

fn shared(body: &mut Arc<List>, bodies: &[Body]) {
    if let Some(body) = Arc::get_mut(body) {
        list(body, bodies);
    }
}

fn and_or(and_or: &mut AndOr, bodies: &[Body]) {
    pipeline(&mut and_or.first, bodies);
    for (_, next) in &mut and_or.rest {
        pipeline(next, bodies);
    }
}

fn pipeline(pipeline: &mut Pipeline, bodies: &[Body]) {
    for each in pipeline.commands.as_mut_slice() {
        command(each, bodies);
    }
}

fn command(command: &mut Command, bodies: &[Body]) {
    match command {
        Command::Simple(each) => simple(each, bodies),
        Command::Compound(each) => shared_compound(each, bodies),
        Command::Function(function) => {
            if let Some(function) = Arc::get_mut(function) {
                shared_compound(&mut function.body, bodies);
            }
        }
        Command::Coproc(coproc) => {
            if let Some(coproc) = Arc::get_mut(coproc) {
                self::command(&mut coproc.body, bodies);
            }
        }
    }
}

fn simple(simple: &mut Simple, bodies: &[Body]) {
    for each in &mut simple.assigns {
        assign(each, bodies);
    }
    for each in &mut simple.words {
        word(each, bodies);
    }
    for each in &mut simple.redirects {
        redirect(each, bodies);
        simple.pure &= super::redirect::is_pure(each);
    }
}

fn assign(assign: &mut Assign, bodies: &[Body]) {
    if let Some(subscript) = &mut assign.subscript {
        word(subscript, bodies);
    }
    match &mut assign.value {
        AssignValue::Scalar(value) => word(value, bodies),
        AssignValue::Array(elements) => {
            for element in elements {
                if let Some(subscript) = &mut element.subscript {
                    word(subscript, bodies);
                }
                word(&mut element.value, bodies);
            }
        }
    }
}

fn redirect(redirect: &mut Redirect, bodies: &[Body]) {
    if let Some(RedirectFd::Variable(_, Some(subscript))) = &mut redirect.fd {
        word(subscript, bodies);
    }
    match &mut redirect.op {
        RedirectOp::HereDocument(document) => super::heredoc::attach(document, bodies),
        RedirectOp::Read(each)
        | RedirectOp::Write(each)
        | RedirectOp::Clobber(each)
        | RedirectOp::Append(each)
        | RedirectOp::ReadWrite(each)
        | RedirectOp::WriteBoth(each)
        | RedirectOp::AppendBoth(each)
        | RedirectOp::DuplicateInput(each)
        | RedirectOp::DuplicateOutput(each)
        | RedirectOp::HereString(each) => word(each, bodies),
    }
}

fn shared_compound(each: &mut Arc<Compound>, bodies: &[Body]) {
    if let Some(each) = Arc::get_mut(each) {
        compound(each, bodies);
    }
}

fn compound(compound: &mut Compound, bodies: &[Body]) {
    kind(&mut compound.kind, bodies);
    for each in &mut compound.redirects {
        redirect(each, bodies);
    }
}

fn kind(kind: &mut CompoundKind, bodies: &[Body]) {
    match kind {
        CompoundKind::Group(body) => list(body, bodies),
        CompoundKind::Subshell(body) => shared(body, bodies),
        CompoundKind::If { branches, otherwise } => {
            for (condition, body) in branches {
                list(condition, bodies);
                list(body, bodies);
            }
            if let Some(body) = otherwise {
                list(body, bodies);
            }
        }
        CompoundKind::While { condition, body, .. } => {
            list(condition, bodies);
            list(body, bodies);
        }
        CompoundKind::For { words, body, .. } | CompoundKind::Select { words, body, .. } => {
            for each in words.iter_mut().flatten() {
                word(each, bodies);
            }
            list(body, bodies);
        }
        CompoundKind::ArithFor {
            init,
            condition,
            update,
            body,
        } => {
            for each in [init, condition, update] {
                arith(each, bodies);
            }
            list(body, bodies);
        }
        CompoundKind::Case { word: subject, items } => {
            word(subject, bodies);
            for item in items {
                for pattern in &mut item.patterns {
                    word(pattern, bodies);
                }
                list(&mut item.body, bodies);
            }
        }
        CompoundKind::Arith(each) => arith(each, bodies),
        CompoundKind::Cond(each) => cond(each, bodies),
    }
}

fn cond(cond: &mut Cond, bodies: &[Body]) {
    match cond {
        Cond::And(left, right) | Cond::Or(left, right) => {
            self::cond(left, bodies);
            self::cond(right, bodies);
        }
        Cond::Not(inner) | Cond::Group(inner) => self::cond(inner, bodies),
        Cond::Unary(_, operand) | Cond::Word(operand) => word(operand, bodies),
        Cond::Binary(_, left, right) => {
            word(left, bodies);
            word(right, bodies);
        }
    }
}

fn arith(arith: &mut Arith, bodies: &[Body]) {
    word(&mut arith.text, bodies);
}

/// Attaches the bodies to a word. A pure word holds no place for one.
pub(super) fn word(word: &mut Word, bodies: &[Body]) {
    if word.pure {
        return;
    }
    parts(&mut word.parts, bodies);
    if let Some(each) = &mut word.assign {
        assign(each, bodies);
    }
}

fn parts(parts: &mut [Part], bodies: &[Body]) {
    for part in parts {
        match part {
            Part::Double { parts, .. } => self::parts(parts, bodies),
            Part::Param(each) => param(each, bodies),
            Part::Command(each) => substitution(each, bodies),
            Part::Arith(each) => arith(each, bodies),
            Part::Process { body, .. } => shared(body, bodies),
            Part::Literal(_) | Part::Escaped(_) | Part::Single(_) | Part::AnsiC { .. } | Part::Tilde(_) => {}
        }
    }
}

fn substitution(substitution: &mut Substitution, bodies: &[Body]) {
    if substitution.backquoted.is_none() {
        shared(&mut substitution.body, bodies);
    }
}

fn param(param: &mut Param, bodies: &[Body]) {
    if let Some(Subscript::Index(subscript)) = &mut param.subscript {
        word(subscript, bodies);
    }
    match &mut param.op {
        ParamOp::Test { word: operand, .. }
        | ParamOp::Trim { pattern: operand, .. }
        | ParamOp::Case {
            pattern: Some(operand),
            ..
        } => word(operand, bodies),
        ParamOp::Replace {
            pattern, replacement, ..
        } => {
            word(pattern, bodies);
            if let Some(replacement) = replacement {
                word(replacement, bodies);
            }
        }
        ParamOp::Slice { offset, length } => {
            arith(offset, bodies);
            if let Some(length) = length {
                arith(length, bodies);
            }
        }
        _ => {}
    }
}
