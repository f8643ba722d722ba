//! `declare`, `typeset`, `local`: attributes and values of variables, and listing them.
//!
//! `export` and `readonly` share [`assign`] and [`show`].

use std::sync::Arc;

use super::operand::{Operand, cut};
use crate::args::BuiltinSpec;
use crate::expand::{Attributes, ExpandHost, Failure, Value, Variable, readback, word};
use crate::interp::{Flow, FunctionEntry, Interp, Misuse, Set, Shopt, split_subscript};
use crate::syntax::ast::Name;
use crate::syntax::print::print_function;

const DECLARE: BuiltinSpec = BuiltinSpec::with_plus("declare", "aAfFgiIlnrtuxcp");
const TYPESET: BuiltinSpec = BuiltinSpec::with_plus("typeset", "aAfFgiIlnrtuxcp");
const LOCAL: BuiltinSpec = BuiltinSpec::with_plus("local", "aAfFgiIlnrtuxcp");

/// What a declaration asks for.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Request {
    /// The builtin's name, for messages.
    pub name: &'static str,
    /// Attributes to set.
    pub on: Attributes,
    /// Attributes to clear.
    pub off: Attributes,
    /// `-g`
    pub global: bool,
    /// `-I`, or `localvar_inherit`
    pub inherit: bool,
    /// Make a local variable.
    pub local: bool,
}

/// `declare`
pub fn run(interp: &mut Interp, args: &[Vec<u8>]) -> Flow {
    declare(interp, &DECLARE, args)
}

/// `typeset`
pub fn run_typeset(interp: &mut Interp, args: &[Vec<u8>]) -> Flow {
    declare(interp, &TYPESET, args)
}

/// `local`
pub fn run_local(interp: &mut Interp, args: &[Vec<u8>]) -> Flow {
    if !interp.vars.in_function() {
        interp.complain("local", "can only be used in a function");
        // Lists are assigned all the same.
        for list in std::mem::take(&mut interp.declared) {
            if let Err(failure) = interp.assign_array(&list.name, list.elements, list.append) {
                return Err(interp.fail_expansion(failure));
            }
        }
        return Ok(1);
    }
    if !args.is_empty()
        && interp.declared.is_empty()
        && !interp.options.shopt(Shopt::LocalvarInherit)
        && args.iter().all(|arg| is_plain_local(arg))
    {
        let mut status = 0;
        for arg in args {
            status = status.max(local(interp, arg)?);
        }
        return Ok(status);
    }
    if let [only] = args
        && only == b"-"
    {
        interp.vars.save_options(interp.options);
        return Ok(0);
    }
    declare(interp, &LOCAL, args)
}

/// The argument is `name=value`, and the value no list.
fn is_plain_local(arg: &[u8]) -> bool {
    match memchr::memchr(b'=', arg).map(|at| arg.split_at(at)) {
        Some((name, value)) => word::is_name(name) && value.get(1) != Some(&b'('),
        None => false,
    }
}

/// A plain local variable.
fn local(interp: &mut Interp, arg: &[u8]) -> Flow {
    let at = memchr::memchr(b'=', arg).unwrap_or(arg.len());
    let (name, value) = (
        arg.get(..at).unwrap_or_default(),
        arg.get(at + 1..).unwrap_or_default(),
    );
    if interp.set_plain_local(name, value) {
        return Ok(0);
    }
    let request = Request {
        name: "local",
        local: true,
        ..Request::default()
    };
    assign(interp, arg, request)
}

/// The attribute of a letter.
pub(super) const fn attribute(letter: u8) -> Option<Attributes> {
    Some(match letter {
        b'a' => Attributes::ARRAY,
        b'A' => Attributes::ASSOC,
        b'i' => Attributes::INTEGER,
        b'l' => Attributes::LOWER,
        b'u' => Attributes::UPPER,
        b'c' => Attributes::CAPITAL,
        b'n' => Attributes::NAMEREF,
        b'r' => Attributes::READONLY,
        b't' => Attributes::TRACE,
        b'x' => Attributes::EXPORT,
        _ => return None,
    })
}

fn declare(interp: &mut Interp, spec: &BuiltinSpec, args: &[Vec<u8>]) -> Flow {
    let parsed = match interp.parse_options(spec, args) {
        Ok(parsed) => parsed,
        Err(status) => return Ok(status),
    };
    let in_function = interp.vars.in_function();
    let global = parsed.has(b'g');
    let mut request = Request {
        name: spec.name,
        global,
        local: in_function && !global,
        inherit: parsed.has(b'I') || interp.options.shopt(Shopt::LocalvarInherit),
        ..Request::default()
    };
    for option in &parsed.options {
        if let Some(bit) = attribute(option.letter) {
            if option.plus {
                request.off = request.off.with(bit);
            } else {
                request.on = request.on.with(bit);
            }
        }
    }
    // An array is no reference: it wins.
    if request.on.has(Attributes::ARRAY.with(Attributes::ASSOC)) {
        request.on = request.on.without(Attributes::NAMEREF);
    }
    let functions = parsed.has(b'f') || parsed.has(b'F');
    if functions {
        let style = FunctionStyle {
            definition: !parsed.has(b'F'),
            declaration: parsed.has(b'p'),
        };
        return declare_functions(interp, &parsed.operands, request, style);
    }
    if parsed.has(b'p') && parsed.operands.is_empty() && spec.name == "local" {
        show_locals(interp);
        return Ok(0);
    }
    if parsed.has(b'p') {
        return show_named(interp, spec.name, &parsed.operands, request.on);
    }
    if parsed.operands.is_empty() {
        if spec.name == "local" {
            show_locals(interp);
        } else if request.on == Attributes::default() {
            super::set::list_variables(interp);
        } else {
            show_with(interp, request.on);
        }
        return Ok(0);
    }
    let mut status = 0;
    for operand in &parsed.operands {
        if spec.name == "local" && operand == b"-" {
            interp.vars.save_options(interp.options);
            continue;
        }
        status = status.max(assign(interp, operand, request)?);
    }
    Ok(status)
}

/// What the function has of its own.
fn show_locals(interp: &mut Interp) {
    if interp.vars.keeps_options() {
        interp.print("local -\n");
    }
    for name in interp.vars.locals() {
        show(interp, &name);
    }
}

/// Declares one operand. Its status; an error that abandons the line is control flow.
pub(super) fn assign(interp: &mut Interp, operand: &[u8], request: Request) -> Flow {
    let pieces = cut(operand);
    // What is exported or made readonly is a whole variable.
    let element = pieces
        .key
        .filter(|_| matches!(request.name, "export" | "readonly"));
    if !word::is_name(pieces.name) || element.is_some() {
        let shown = match element {
            Some(key) => [pieces.name, b"[", key, b"]"].concat(),
            None => operand.to_vec(),
        };
        let message = [b"`", shown.as_slice(), b"': not a valid identifier"].concat();
        interp.complain(request.name, message);
        return Ok(1);
    }
    let swapped = request.global && interp.vars.swap_global(pieces.name);
    let status = assign_visible(interp, operand, &pieces, request);
    if swapped {
        interp.vars.swap_global(pieces.name);
    }
    status
}

/// What no element can be assigned to: nothing between the brackets, or all elements of an array with numbers.
fn is_bad_key(interp: &Interp, pieces: &Operand<'_>, request: Request) -> bool {
    let assoc = || request.on.has(Attributes::ASSOC) || interp.is_assoc_named(pieces.name);
    pieces.value.is_some()
        && match pieces.key {
            Some(b"") => true,
            Some(b"@" | b"*") => !assoc(),
            _ => false,
        }
}

fn assign_visible(interp: &mut Interp, operand: &[u8], pieces: &Operand<'_>, request: Request) -> Flow {
    if is_bad_key(interp, pieces, request) {
        let key = pieces.key.unwrap_or_default();
        interp.error([pieces.name, b"[", key, b"]: bad array subscript"].concat());
        return Ok(1);
    }
    let name = match target(interp, pieces, request) {
        Ok(name) => name,
        Err(status) => return Ok(status),
    };
    if let Some(status) = refuse(interp, &name, pieces, request) {
        return Ok(status);
    }
    let declared = interp
        .declared
        .iter()
        .position(|declared| declared.argument == operand);
    let elements = match (declared, pieces.value) {
        (Some(index), _) => Some(interp.declared.swap_remove(index).elements),
        (None, Some(value))
            if pieces.key.is_none() && is_array(interp, &name, request) && is_compound(value) =>
        {
            interp.parse_elements(
                value,
                interp.is_assoc_named(&name) || request.on.has(Attributes::ASSOC),
            )
        }
        _ => None,
    };
    if !request.local && (request.on.has(Attributes::EXPORT) || request.on.has(Attributes::READONLY)) {
        interp.vars.keep_temporary(&name);
    }
    set_attributes(interp, &name, request, elements.is_some() || pieces.key.is_some());
    let readonly = interp
        .vars
        .get(&name)
        .is_some_and(|variable| variable.attributes.has(Attributes::READONLY));
    let lift = readonly && request.on.has(Attributes::READONLY);
    if lift {
        let variable = interp.vars.entry(&name);
        variable.attributes = variable.attributes.without(Attributes::READONLY);
    }
    if let (None, Some(value), "export" | "readonly") = (&elements, pieces.value, request.name) {
        interp.trace_declared(pieces.name, pieces.append, value);
    }
    let is_list = elements.is_some();
    let result = match (elements, pieces.value) {
        (Some(elements), _) => interp.assign_array(&name, elements, pieces.append),
        (None, Some(value)) => assign_value(interp, &name, pieces, value, request),
        (None, None) => Ok(()),
    };
    if lift {
        let variable = interp.vars.entry(&name);
        variable.attributes = variable.attributes.with(Attributes::READONLY);
    }
    match result {
        Ok(()) => Ok(0),
        Err(Failure::Top(message)) if !is_list => {
            Err(interp.fail_expansion(Failure::Top([request.name.as_bytes(), b": ", &message].concat())))
        }
        Err(Failure::Discard(message) | Failure::Arith(message))
            if matches!(request.name, "export" | "readonly") =>
        {
            interp.misuse = Misuse::Failure;
            interp.error(message);
            Ok(1)
        }
        Err(Failure::Discard(message) | Failure::Arith(message)) => {
            interp.complain(request.name, message);
            Ok(1)
        }
        Err(failure) => Err(interp.fail_expansion(failure)),
    }
}

fn assign_value(
    interp: &mut Interp,
    name: &Name,
    pieces: &Operand<'_>,
    value: &[u8],
    request: Request,
) -> Result<(), crate::interp::ExpandFailure> {
    if request.on.has(Attributes::NAMEREF) {
        let value = interp.cased(request.on, value);
        interp.vars.set_raw(name, value);
        return Ok(());
    }
    let key = match pieces.key {
        Some(key) if interp.is_assoc_named(name) => Some(interp.expand_key(key)),
        Some(key) => match crate::expand::arith::evaluate(interp, key) {
            Ok(index) => Some(index.to_string().into_bytes()),
            // An error in an index ends everything, and the builtin is not named.
            Err(Failure::Arith(message)) => {
                return Err(Failure::Divert(interp.fail_expansion(Failure::Top(message))));
            }
            Err(failure) => return Err(failure),
        },
        None => None,
    };
    let element = || {
        interp
            .nameref(pieces.name)
            .is_some_and(|target| target.ends_with(b"]"))
    };
    let name = match !request.local && element() {
        true => pieces.name,
        false => name,
    };
    interp.assign_element(name, key.as_deref(), value, pieces.append)
}

fn is_compound(value: &[u8]) -> bool {
    value.first() == Some(&b'(') && value.last() == Some(&b')')
}

fn is_array(interp: &Interp, name: &[u8], request: Request) -> bool {
    request.on.has(Attributes::ARRAY.with(Attributes::ASSOC))
        || interp.vars.get(name).is_some_and(|variable| {
            variable.value.is_array() || variable.attributes.has(Attributes::ARRAY.with(Attributes::ASSOC))
        })
}

/// The variable to declare: made local where asked, found through namerefs otherwise.
fn target(interp: &mut Interp, pieces: &Operand<'_>, request: Request) -> Result<Name, i32> {
    let name: Name = pieces.name.into();
    let reference = request.on.has(Attributes::NAMEREF) || request.off.has(Attributes::NAMEREF);
    if request.off.has(Attributes::NAMEREF) && !request.local {
        return Ok(interp.last_reference(&name));
    }
    if reference {
        refuse_array(interp, pieces, request)?;
        check_reference(interp, pieces, request)?;
    }
    if request.local && !interp.vars.is_local(&name) {
        let outer = interp.vars.get(&name).cloned();
        // Only a global one is protected from locals.
        let readonly = !interp.vars.is_hidden(&name)
            && outer
                .as_ref()
                .is_some_and(|variable| variable.attributes.has(Attributes::READONLY));
        if readonly && !interp.vars.is_local(&name) {
            interp.complain(request.name, [&*name, b": readonly variable"].concat());
            return Err(1);
        }
        interp.vars.make_local(&name, false);
        if request.inherit
            && let Some(outer) = outer
        {
            *interp.vars.entry(&name) = outer;
        }
        if &*name != b"POSIXLY_CORRECT" {
            interp.after_unset(&name);
        }
        return Ok(name);
    }
    if reference || request.local {
        return Ok(name);
    }
    refuse_export(interp, &name, pieces, request)?;
    let (resolved, _) = interp.resolve(&name);
    Ok(resolved)
}

/// `export` and `readonly` of a reference to an element of an array: only its value is assigned.
fn refuse_export(
    interp: &mut Interp,
    name: &Name,
    pieces: &Operand<'_>,
    request: Request,
) -> Result<(), i32> {
    let Some(element) = interp.nameref(name).filter(|target| target.ends_with(b"]")) else {
        return Ok(());
    };
    if !matches!(request.name, "export" | "readonly") {
        return Ok(());
    }
    let message = [b"`", element.as_slice(), b"': not a valid identifier"].concat();
    interp.complain(request.name, message);
    if let Some(value) = pieces.value {
        interp.set_scalar(name, value).map_err(|_| 1)?;
    }
    Err(0)
}

/// An array cannot become a reference; a list is assigned before bash finds out.
fn refuse_array(interp: &mut Interp, pieces: &Operand<'_>, request: Request) -> Result<(), i32> {
    if !request.on.has(Attributes::NAMEREF) {
        return Ok(());
    }
    let list = interp.declared.iter().position(|declared| {
        declared.name == pieces.name
            && pieces
                .value
                .is_some_and(|value| declared.argument.ends_with(value))
    });
    if let Some(list) = list {
        let elements = interp.declared.swap_remove(list).elements;
        let assigned = interp.assign_array(pieces.name, elements, pieces.append);
        interp.said(assigned).map_err(|_| 1)?;
    }
    let local = request.local && !interp.vars.is_local(pieces.name);
    let array = !local
        && interp
            .vars
            .get(pieces.name)
            .is_some_and(|variable| variable.value.is_array());
    if array || list.is_some() {
        let message = [pieces.name, b": reference variable cannot be an array"].concat();
        interp.complain(request.name, message);
        return Err(1);
    }
    Ok(())
}

fn check_reference(interp: &mut Interp, pieces: &Operand<'_>, request: Request) -> Result<(), i32> {
    let Some(value) = pieces.value.filter(|_| request.on.has(Attributes::NAMEREF)) else {
        return Ok(());
    };
    // A number is no name: nothing is declared, and nothing said.
    if request.on.has(Attributes::INTEGER) {
        return Err(1);
    }
    let (base, _) = split_subscript(value);
    if base == pieces.name && !request.local {
        let message = [pieces.name, b": nameref variable self references not allowed"].concat();
        interp.complain(request.name, message);
        return Err(1);
    }
    if value == pieces.name {
        let message = [b"warning: ".as_slice(), pieces.name, b": circular name reference"].concat();
        interp.complain(request.name, &message);
        interp.error(message);
    }
    if value.is_empty() {
        interp.complain(request.name, "`': not a valid identifier");
        return Err(1);
    }
    if !word::is_name(base) {
        interp.complain(
            request.name,
            [b"`", value, b"': invalid variable name for name reference"].concat(),
        );
        return Err(1);
    }
    Ok(())
}

/// What cannot be: readonly variables, arrays turned into the other kind.
fn refuse(interp: &mut Interp, name: &Name, pieces: &Operand<'_>, request: Request) -> Option<i32> {
    let Some(variable) = interp.vars.get(name) else {
        if request.on.has(Attributes::ARRAY) && request.on.has(Attributes::ASSOC) {
            interp.complain(
                request.name,
                [&**name, b": cannot convert associative to indexed array"].concat(),
            );
            return Some(1);
        }
        return None;
    };
    let attributes = variable.attributes;
    let assoc = matches!(variable.value, Value::Assoc(_)) || attributes.has(Attributes::ASSOC);
    let indexed = matches!(variable.value, Value::Indexed(_)) || attributes.has(Attributes::ARRAY);
    let message: &[u8] = if attributes.has(Attributes::READONLY)
        && (pieces.value.is_some() || request.off.has(Attributes::READONLY))
    {
        b": readonly variable"
    } else if request.off.has(Attributes::ARRAY.with(Attributes::ASSOC)) && (assoc || indexed) {
        b": cannot destroy array variables in this way"
    } else if request.on.has(Attributes::ARRAY) && (assoc || request.on.has(Attributes::ASSOC)) {
        b": cannot convert associative to indexed array"
    } else if request.on.has(Attributes::ASSOC) && indexed && !assoc {
        b": cannot convert indexed to associative array"
    } else {
        return None;
    };
    let text = [&**name, message].concat();
    if matches!(request.name, "export" | "readonly") {
        interp.misuse = Misuse::Failure;
        interp.error(text);
    } else {
        interp.complain(request.name, text);
    }
    Some(1)
}

fn set_attributes(interp: &mut Interp, name: &Name, request: Request, makes_array: bool) {
    let variable = interp.vars.entry(name);
    let mut attributes = variable.attributes.without(request.off);
    let mut on = request.on;
    // The last of -l, -u, -c wins, and sets the others off.
    let cases = Attributes(Attributes::LOWER.0 | Attributes::UPPER.0 | Attributes::CAPITAL.0);
    if on.has(cases) {
        attributes = attributes.without(cases);
        if on.has(Attributes::LOWER) && on.has(Attributes::UPPER) {
            on = on.without(cases);
        }
    }
    attributes = attributes.with(on);
    if makes_array && !attributes.has(Attributes::ASSOC) && !matches!(variable.value, Value::Assoc(_)) {
        attributes = attributes.with(Attributes::ARRAY);
    }
    // Each command sets `$_` anew, and takes this away.
    if &**name == b"_" {
        attributes = attributes.without(Attributes::EXPORT);
    }
    variable.attributes = attributes;
    match (
        &variable.value,
        attributes.has(Attributes::ASSOC),
        attributes.has(Attributes::ARRAY),
    ) {
        (Value::Scalar(text), true, _) => {
            let mut array = crate::expand::Assoc::default();
            array.set(b"0", text.clone());
            variable.value = Value::Assoc(Arc::new(array));
        }
        (Value::Scalar(text), false, true) => {
            variable.value = Value::Indexed(Arc::new(crate::expand::Indexed::from_texts([text.clone()])));
        }
        _ => {}
    }
    interp.vars.touch_environment();
}

// --- listing ------------------------------------------------------------------------------------------------------

/// Prints one variable as `declare -p` does. `false` when there is none.
pub(super) fn show(interp: &mut Interp, name: &[u8]) -> bool {
    let Some(variable) = interp.vars.get(name).cloned() else {
        return false;
    };
    // One that the shell computes, and has nothing for just now.
    if let Value::Dynamic(code) = variable.value
        && name == b"PIPESTATUS"
        && interp.dynamic(code).is_none()
    {
        return false;
    }
    let line = describe(interp, name, &variable);
    interp.print(line);
    true
}

/// The line of `declare -p`.
pub(crate) fn describe(interp: &mut Interp, name: &[u8], variable: &Variable) -> Vec<u8> {
    let value = match &variable.value {
        Value::Dynamic(code) => interp.dynamic(*code).unwrap_or(Value::Unset),
        value => value.clone(),
    };
    let shown = Variable {
        value: value.clone(),
        attributes: variable.attributes,
    };
    let flags = shown.flags();
    let flags = if flags.is_empty() { "-".to_owned() } else { flags };
    let mut line = format!("declare -{flags} ").into_bytes();
    line.extend_from_slice(name);
    if value != Value::Unset {
        line.push(b'=');
        line.extend_from_slice(&readback::compound(&value));
    }
    line.push(b'\n');
    line
}

/// `declare -p name …`, or all that have the attributes.
pub(super) fn show_named(interp: &mut Interp, builtin: &str, names: &[Vec<u8>], on: Attributes) -> Flow {
    if names.is_empty() {
        show_with(interp, on);
        return Ok(0);
    }
    let mut status = 0;
    for name in names {
        if !show(interp, name) {
            interp.complain(builtin, [name, b": not found".as_slice()].concat());
            status = 1;
        }
    }
    Ok(status)
}

/// Prints every variable that has all of these attributes.
pub(super) fn show_with(interp: &mut Interp, on: Attributes) {
    let names: Vec<Name> = interp
        .vars
        .sorted()
        .into_iter()
        .filter(|(name, variable)| {
            let assoc = matches!(variable.value, Value::Assoc(_)) || interp.is_dynamic_assoc(&variable.value);
            let computed = matches!(variable.value, Value::Dynamic(_)) && is_computed_array(name);
            let array = matches!(variable.value, Value::Indexed(_)) || computed;
            let implied = Attributes(
                variable.attributes.0
                    | if array { Attributes::ARRAY.0 } else { 0 }
                    | if assoc { Attributes::ASSOC.0 } else { 0 },
            );
            on.0 & implied.0 == on.0
        })
        .map(|(name, _)| name.clone())
        .collect();
    for name in names {
        show(interp, &name);
    }
}

/// The shell's own arrays with numbers.
fn is_computed_array(name: &[u8]) -> bool {
    matches!(
        name,
        b"BASH_ARGC"
            | b"BASH_ARGV"
            | b"BASH_LINENO"
            | b"BASH_SOURCE"
            | b"DIRSTACK"
            | b"FUNCNAME"
            | b"GROUPS"
            | b"PIPESTATUS"
    )
}

/// What of a function is shown.
#[derive(Debug, Clone, Copy)]
struct FunctionStyle {
    /// Without `-F`.
    definition: bool,
    /// `-p`: the command that gives its attributes, which follows a definition where it has some.
    declaration: bool,
}

fn declare_functions(interp: &mut Interp, names: &[Vec<u8>], request: Request, style: FunctionStyle) -> Flow {
    let changes = request.on != Attributes::default() || request.off != Attributes::default();
    if names.is_empty() {
        list_functions(interp, !style.definition, request);
        return Ok(0);
    }
    let mut status = 0;
    for name in names {
        let Some(entry) = interp.functions.get(name.as_slice()).cloned() else {
            if style.declaration {
                interp.complain(request.name, [name, b": not found".as_slice()].concat());
            }
            status = 1;
            continue;
        };
        if changes && !style.declaration {
            status = status.max(change_function(interp, name, request));
        } else {
            show_function(interp, &entry, style);
        }
    }
    Ok(status)
}

fn show_function(interp: &mut Interp, entry: &FunctionEntry, style: FunctionStyle) {
    if style.definition {
        let text = print_function(&entry.function);
        interp.print([&text, b"\n".as_slice()].concat());
    }
    let declaration = function_declaration(entry);
    if style.declaration {
        if !style.definition || !declaration.starts_with(b"declare -f ") {
            interp.print(declaration);
        }
    } else if !style.definition {
        let mut line = entry.function.name.to_vec();
        if interp.options.shopt(Shopt::Extdebug) {
            line.extend_from_slice(format!(" {} ", entry.function.line).as_bytes());
            line.extend_from_slice(&entry.source);
        }
        line.push(b'\n');
        interp.print(line);
    }
}

/// The command that gives a function its attributes.
fn function_declaration(entry: &FunctionEntry) -> Vec<u8> {
    let mut flags = "f".to_owned();
    for (on, letter) in [(entry.readonly, 'r'), (entry.trace, 't'), (entry.exported, 'x')] {
        if on {
            flags.push(letter);
        }
    }
    [
        format!("declare -{flags} ").as_bytes(),
        &entry.function.name,
        b"\n",
    ]
    .concat()
}

/// `export -f`, `readonly -f`, `declare -ft`.
pub(super) fn change_function(interp: &mut Interp, name: &[u8], request: Request) -> i32 {
    let Some(entry) = Arc::make_mut(&mut interp.functions).get_mut(name) else {
        return 1;
    };
    if request.off.has(Attributes::READONLY) && entry.readonly {
        interp.complain(request.name, [name, b": readonly function"].concat());
        return 1;
    }
    entry.exported =
        (entry.exported || request.on.has(Attributes::EXPORT)) && !request.off.has(Attributes::EXPORT);
    entry.readonly |= request.on.has(Attributes::READONLY);
    entry.trace = (entry.trace || request.on.has(Attributes::TRACE)) && !request.off.has(Attributes::TRACE);
    0
}

/// Prints functions, with `declare -fx` lines for those that have attributes.
pub(super) fn list_functions(interp: &mut Interp, only_names: bool, request: Request) {
    let mut entries: Vec<_> = interp.functions.values().cloned().collect();
    entries.sort_by(|a, b| a.function.name.cmp(&b.function.name));
    for entry in entries {
        let exported = request.on.has(Attributes::EXPORT);
        let readonly = request.on.has(Attributes::READONLY);
        if (exported && !entry.exported) || (readonly && !entry.readonly) {
            continue;
        }
        let style = FunctionStyle {
            definition: !only_names,
            declaration: true,
        };
        show_function(interp, &entry, style);
    }
}

/// `set -o posix` changes how `export -p` and `readonly -p` print.
pub(super) fn show_posix(interp: &mut Interp, word: &str, on: Attributes) -> bool {
    if !interp.options.is(Set::Posix) {
        return false;
    }
    let all: Vec<(Name, Variable)> = interp
        .vars
        .sorted()
        .into_iter()
        .filter(|(_, variable)| variable.attributes.has(on))
        .map(|(name, variable)| (name.clone(), variable.clone()))
        .collect();
    for (name, variable) in all {
        let mut line = [word.as_bytes(), b" ", &name].concat();
        if variable.value != Value::Unset {
            line.push(b'=');
            line.extend_from_slice(&readback::compound(&variable.value));
        }
        line.push(b'\n');
        interp.print(line);
    }
    true
}
