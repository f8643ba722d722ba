//! The functions that are built in, with their names and how many arguments they take.

use super::ast::Binary;
use super::operate;
use super::regex;
use super::text;
use super::time;
use super::value::{Heap, Text, Value};
use super::{json, prelude, print};
use crate::kernel::{Halt, Meter};

/// What natives know of the world.
#[derive(Debug, Clone)]
pub struct Context<'a> {
    /// The file that is read.
    pub file: Option<Text>,
    /// How many lines were read.
    pub line: u64,
    /// The time in seconds.
    pub now: f64,
    /// The local zone.
    pub zone: &'a jiff::tz::TimeZone,
}

/// What only the program's outside can do.
#[derive(Debug)]
pub enum Request {
    /// The next input.
    Input,
    /// Print to standard error and go on with the value.
    Message(String, Value),
    /// End with a status, perhaps after printing a value to standard error.
    Halt(i32, Option<Value>),
}

/// What a call came to.
pub enum Outcome {
    /// A value.
    Value(Value),
    /// A complaint.
    Error(String),
    /// An error that is a value.
    Raise(Value),
    /// See [`Request`].
    Request(Request),
}

impl From<Result<Value, String>> for Outcome {
    fn from(result: Result<Value, String>) -> Outcome {
        match result {
            Ok(value) => Outcome::Value(value),
            Err(message) => Outcome::Error(message),
        }
    }
}

/// A function: its place in the table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Function(usize);

/// Names and arities. What begins with `_` is not for programs.
const TABLE: &[(&str, usize)] = &[
    ("_plus", 2),
    ("_minus", 2),
    ("_multiply", 2),
    ("_divide", 2),
    ("_mod", 2),
    ("_equal", 2),
    ("_notequal", 2),
    ("_less", 2),
    ("_lesseq", 2),
    ("_greater", 2),
    ("_greatereq", 2),
    ("_negate", 0),
    ("format", 1),
    ("error", 0),
    ("_rethrow_break", 0),
    ("_rethrow_other", 1),
    ("getpath", 1),
    // From here on, looked up by name alone.
    ("_group_by_impl", 1),
    ("_input_line_number", 0),
    ("_match_impl", 3),
    ("_max_by_impl", 1),
    ("_min_by_impl", 1),
    ("_sort_by_impl", 1),
    ("_strindices", 1),
    ("acos", 0),
    ("acosh", 0),
    ("ascii_downcase", 0),
    ("ascii_upcase", 0),
    ("asin", 0),
    ("asinh", 0),
    ("atan", 0),
    ("atan2", 2),
    ("atanh", 0),
    ("builtins", 0),
    ("cbrt", 0),
    ("ceil", 0),
    ("contains", 1),
    ("copysign", 2),
    ("cos", 0),
    ("cosh", 0),
    ("debug", 0),
    ("delpaths", 1),
    ("endswith", 1),
    ("exp", 0),
    ("exp10", 0),
    ("exp2", 0),
    ("explode", 0),
    ("expm1", 0),
    ("fabs", 0),
    ("floor", 0),
    ("fma", 3),
    ("fmax", 2),
    ("fmin", 2),
    ("fmod", 2),
    ("fromjson", 0),
    ("gmtime", 0),
    ("halt", 0),
    ("halt_error", 1),
    ("has", 1),
    ("hypot", 2),
    ("implode", 0),
    ("infinite", 0),
    ("input", 0),
    ("input_filename", 0),
    ("isinfinite", 0),
    ("isnan", 0),
    ("isnormal", 0),
    ("keys", 0),
    ("keys_unsorted", 0),
    ("length", 0),
    ("localtime", 0),
    ("log", 0),
    ("log10", 0),
    ("log1p", 0),
    ("log2", 0),
    ("ltrimstr", 1),
    ("max", 0),
    ("min", 0),
    ("mktime", 0),
    ("nan", 0),
    ("nearbyint", 0),
    ("now", 0),
    ("pow", 2),
    ("pow10", 0),
    ("rint", 0),
    ("round", 0),
    ("rtrimstr", 1),
    ("setpath", 2),
    ("sin", 0),
    ("sinh", 0),
    ("sort", 0),
    ("split", 1),
    ("sqrt", 0),
    ("startswith", 1),
    ("stderr", 0),
    ("strflocaltime", 1),
    ("strftime", 1),
    ("strptime", 1),
    ("tan", 0),
    ("tanh", 0),
    ("tojson", 0),
    ("tonumber", 0),
    ("tostring", 0),
    ("trunc", 0),
    ("type", 0),
    ("utf8bytelength", 0),
];

/// `-value`
pub const NEGATE: Function = Function(11);
/// `@name`
pub const FORMAT: Function = Function(12);
/// `error`
pub const ERROR: Function = Function(13);
/// Raises what is a `break`, and gives anything else.
pub const RETHROW_BREAK: Function = Function(14);
/// Raises what is not the argument.
pub const RETHROW_OTHER: Function = Function(15);
/// `getpath`
pub const GETPATH: Function = Function(16);

/// The function of an operator.
pub fn binary(operation: Binary) -> Function {
    Function(operation as usize)
}

/// The function of this name.
pub fn find(name: &str, arity: usize) -> Option<Function> {
    TABLE.iter().position(|row| *row == (name, arity)).map(Function)
}

const OPERATIONS: [Binary; 11] = [
    Binary::Add,
    Binary::Subtract,
    Binary::Multiply,
    Binary::Divide,
    Binary::Remainder,
    Binary::Equal,
    Binary::NotEqual,
    Binary::Less,
    Binary::LessEqual,
    Binary::Greater,
    Binary::GreaterEqual,
];

/// The operator that a function is.
pub fn operation(function: Function) -> Option<Binary> {
    OPERATIONS.get(function.0).copied()
}

/// Calls a function. The work it may be is charged before it is done.
pub fn call(
    function: Function,
    heap: &Heap,
    meter: &Meter,
    context: &mut Context<'_>,
    input: Value,
    arguments: &[Value],
) -> Result<Outcome, Halt> {
    let null = Value::Null;
    let first = arguments.first().unwrap_or(&null);
    let second = arguments.get(1).unwrap_or(&null);
    let third = arguments.get(2).unwrap_or(&null);
    let Some((name, _)) = TABLE.get(function.0) else {
        return Ok(Outcome::Error("no such function".to_owned()));
    };
    meter.charge(input.weight(1 << 24) / 16)?;
    Ok(match *name {
        "_negate" => negate(&input).into(),
        "error" => Outcome::Raise(input),
        "_rethrow_break" => match &input {
            Value::Object(object) if object.get("__jq").is_some_and(Value::is_true) => Outcome::Raise(input),
            _ => Outcome::Value(input),
        },
        "_rethrow_other" => {
            if input.equals(first) {
                Outcome::Value(input)
            } else {
                Outcome::Raise(input)
            }
        }
        "getpath" => operate::get_path(heap, &input, first).into(),
        "setpath" => operate::set_path(heap, input, first, second.clone()).into(),
        "delpaths" => operate::delete_paths(heap, input, first).into(),
        "_match_impl" => regex::search(heap, meter, &input, (first, second, third))?.into(),
        "input" => Outcome::Request(Request::Input),
        "debug" => {
            let pair = heap.array(vec![heap.text("DEBUG:"), input.clone()]);
            Outcome::Request(Request::Message(print::compact(&pair) + "\n", input))
        }
        "stderr" => Outcome::Request(Request::Message(print::compact(&input), input)),
        "halt" => Outcome::Request(Request::Halt(0, None)),
        "halt_error" => match first {
            Value::Number(status) => Outcome::Request(Request::Halt(*status as i32, Some(input))),
            _ => Outcome::Error("halt_error/1: number required".to_owned()),
        },
        "input_filename" => Outcome::Value(context.file.clone().map_or(Value::Null, Value::Text)),
        "_input_line_number" => Outcome::Value(Value::Number(context.line as f64)),
        "now" => Outcome::Value(Value::Number(context.now)),
        "builtins" => Outcome::Value(builtins(heap)),
        "mktime" | "gmtime" | "localtime" | "strftime" | "strflocaltime" | "strptime" => {
            time::call(heap, name, context.zone, &input, first).into()
        }
        _ => plain(heap, name, input, (first, second, third)).into(),
    })
}

fn negate(input: &Value) -> Result<Value, String> {
    match input {
        Value::Number(value) => Ok(Value::Number(-value)),
        other => Err(format!("{} cannot be negated", operate::described(other))),
    }
}

/// The names of all functions, each with the number of its arguments.
fn builtins(heap: &Heap) -> Value {
    let own = TABLE.iter().filter(|(name, _)| !name.starts_with('_'));
    let own = own.map(|(name, arity)| format!("{name}/{arity}"));
    let all = own.chain(prelude::names()).map(|name| heap.text(name));
    heap.array(all.collect())
}

fn plain(
    heap: &Heap,
    name: &str,
    input: Value,
    (first, second, third): (&Value, &Value, &Value),
) -> Result<Value, String> {
    if let Some(result) = mathematics(name, &input, (first, second, third)) {
        return result;
    }
    match name {
        "type" => Ok(heap.text(input.kind())),
        "length" => length(&input),
        "keys" | "keys_unsorted" => keys(heap, &input, name == "keys"),
        "has" => has(&input, first),
        "contains" => operate::contains(&input, first).map(Value::Bool),
        "sort" => sort(heap, &input),
        "min" | "max" => extreme(&input, &input, name == "max"),
        "_min_by_impl" | "_max_by_impl" => extreme(&input, first, name == "_max_by_impl"),
        "_sort_by_impl" => {
            let pairs = keyed(&input, first, "sorted")?;
            Ok(heap.array(pairs.into_iter().map(|(_, item)| item).collect()))
        }
        "_group_by_impl" => group(heap, &input, first),
        "infinite" => Ok(Value::Number(f64::INFINITY)),
        "nan" => Ok(Value::Number(f64::NAN)),
        "tojson" => Ok(heap.text(print::compact(&input))),
        "tostring" => Ok(text::to_text(heap, &input)),
        "fromjson" => from_json(heap, &input),
        "tonumber" => to_number(heap, input),
        _ => text::call(heap, name, &input, first),
    }
}

fn sort(heap: &Heap, input: &Value) -> Result<Value, String> {
    let Value::Array(array) = input else {
        let described = operate::described(input);
        return Err(format!("{described} cannot be sorted, as it is not an array"));
    };
    let mut items = array.items().to_vec();
    items.sort_by(Value::compare);
    Ok(heap.array(items))
}

fn from_json(heap: &Heap, input: &Value) -> Result<Value, String> {
    let Value::Text(text) = input else {
        let described = operate::described(input);
        return Err(format!("{described} only strings can be parsed"));
    };
    parse(heap, text)
}

fn to_number(heap: &Heap, input: Value) -> Result<Value, String> {
    let parsed = match &input {
        Value::Number(_) => return Ok(input),
        Value::Text(text) => Some(parse(heap, text)?),
        _ => None,
    };
    match parsed {
        Some(value @ Value::Number(_)) => Ok(value),
        _ => Err(format!(
            "{} cannot be parsed as a number",
            operate::described(&input)
        )),
    }
}

fn parse(heap: &Heap, text: &str) -> Result<Value, String> {
    json::parse(heap, text).map_err(|message| format!("{message} (while parsing '{text}')"))
}

/// Functions of numbers; `None` for another name.
fn mathematics(
    name: &str,
    input: &Value,
    (first, second, third): (&Value, &Value, &Value),
) -> Option<Result<Value, String>> {
    let one: fn(f64) -> f64 = match name {
        "acos" => f64::acos,
        "acosh" => f64::acosh,
        "asin" => f64::asin,
        "asinh" => f64::asinh,
        "atan" => f64::atan,
        "atanh" => f64::atanh,
        "cbrt" => f64::cbrt,
        "ceil" => f64::ceil,
        "cos" => f64::cos,
        "cosh" => f64::cosh,
        "exp" => f64::exp,
        "exp10" | "pow10" => |value| 10_f64.powf(value),
        "exp2" => f64::exp2,
        "expm1" => f64::exp_m1,
        "fabs" => f64::abs,
        "floor" => f64::floor,
        "log" => f64::ln,
        "log10" => f64::log10,
        "log1p" => f64::ln_1p,
        "log2" => f64::log2,
        "nearbyint" | "rint" => f64::round_ties_even,
        "round" => f64::round,
        "sin" => f64::sin,
        "sinh" => f64::sinh,
        "sqrt" => f64::sqrt,
        "tan" => f64::tan,
        "tanh" => f64::tanh,
        "trunc" => f64::trunc,
        "isinfinite" | "isnan" | "isnormal" => {
            return Some(number(input).map(|value| {
                Value::Bool(match name {
                    "isinfinite" => value.is_infinite(),
                    "isnan" => value.is_nan(),
                    _ => value.is_normal(),
                })
            }));
        }
        _ => return several(name, (first, second, third)),
    };
    Some(number(input).map(|value| Value::Number(one(value))))
}

fn several(name: &str, (first, second, third): (&Value, &Value, &Value)) -> Option<Result<Value, String>> {
    let two: fn(f64, f64) -> f64 = match name {
        "atan2" => f64::atan2,
        "copysign" => f64::copysign,
        "fmax" => f64::max,
        "fmin" => f64::min,
        "fmod" => |one, other| one % other,
        "hypot" => f64::hypot,
        "pow" => f64::powf,
        "fma" => {
            let all = (number(first), number(second), number(third));
            return Some(match all {
                (Ok(one), Ok(two), Ok(three)) => Ok(Value::Number(one.mul_add(two, three))),
                (Err(message), _, _) | (_, Err(message), _) | (_, _, Err(message)) => Err(message),
            });
        }
        _ => return None,
    };
    let result = match (number(first), number(second)) {
        (Ok(one), Ok(other)) => Ok(Value::Number(two(one, other))),
        (Err(message), _) | (_, Err(message)) => Err(message),
    };
    Some(result)
}

fn number(value: &Value) -> Result<f64, String> {
    match value {
        Value::Number(value) => Ok(*value),
        other => Err(format!("{} number required", operate::described(other))),
    }
}

fn length(value: &Value) -> Result<Value, String> {
    let length = match value {
        Value::Null => 0,
        Value::Number(value) => return Ok(Value::Number(value.abs())),
        Value::Text(text) => text.chars().count(),
        Value::Array(array) => array.items().len(),
        Value::Object(object) => object.pairs().len(),
        Value::Bool(_) => return Err(format!("{} has no length", operate::described(value))),
    };
    Ok(Value::Number(length as f64))
}

fn keys(heap: &Heap, value: &Value, sorted: bool) -> Result<Value, String> {
    match value {
        Value::Object(object) => {
            let pairs = if sorted {
                object.sorted()
            } else {
                object.pairs().iter().collect()
            };
            Ok(heap.array(
                pairs
                    .into_iter()
                    .map(|(key, _)| Value::Text(key.clone()))
                    .collect(),
            ))
        }
        Value::Array(array) => {
            let numbers = (0..array.items().len()).map(|index| Value::Number(index as f64));
            Ok(heap.array(numbers.collect()))
        }
        other => Err(format!("{} has no keys", operate::described(other))),
    }
}

fn has(container: &Value, key: &Value) -> Result<Value, String> {
    match (container, key) {
        (Value::Object(object), Value::Text(key)) => Ok(Value::Bool(object.get(key).is_some())),
        (Value::Array(array), Value::Number(index)) => {
            Ok(Value::Bool(*index >= 0.0 && *index < array.items().len() as f64))
        }
        _ => Err(format!(
            "Cannot check whether {} has a {} key",
            container.kind(),
            key.kind()
        )),
    }
}

/// The items with their keys, sorted by these.
fn keyed(items: &Value, keys: &Value, what: &str) -> Result<Vec<(Value, Value)>, String> {
    match (items, keys) {
        (Value::Array(items), Value::Array(keys)) => {
            let mut pairs: Vec<(Value, Value)> = keys
                .items()
                .iter()
                .cloned()
                .zip(items.items().iter().cloned())
                .collect();
            pairs.sort_by(|one, other| one.0.compare(&other.0));
            Ok(pairs)
        }
        _ => Err(format!(
            "{} cannot be {what}, as it is not an array",
            operate::described(items)
        )),
    }
}

fn group(heap: &Heap, items: &Value, keys: &Value) -> Result<Value, String> {
    let pairs = keyed(items, keys, "grouped")?;
    let mut groups = Vec::new();
    let mut last: Option<(Value, Vec<Value>)> = None;
    for (key, item) in pairs {
        match &mut last {
            Some((known, group)) if known.equals(&key) => group.push(item),
            _ => {
                groups.extend(last.take().map(|(_, group)| heap.array(group)));
                last = Some((key, vec![item]));
            }
        }
    }
    groups.extend(last.map(|(_, group)| heap.array(group)));
    Ok(heap.array(groups))
}

fn extreme(items: &Value, keys: &Value, most: bool) -> Result<Value, String> {
    let (Value::Array(items), Value::Array(keys)) = (items, keys) else {
        return Err(format!(
            "{} and {} cannot be iterated over",
            operate::described(items),
            operate::described(keys)
        ));
    };
    let mut best: Option<(&Value, &Value)> = None;
    for (key, item) in keys.items().iter().zip(items.items()) {
        let better = best.is_none_or(|(known, _)| {
            let order = key.compare(known);
            // Of equal ones the first is the least and the last is the greatest.
            if most { order.is_ge() } else { order.is_lt() }
        });
        if better {
            best = Some((key, item));
        }
    }
    Ok(best.map_or(Value::Null, |(_, item)| item.clone()))
}
