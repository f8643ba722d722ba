//! What operators and paths do to values, with jq's complaints.

use std::sync::Arc;

use super::ast::Binary;
use super::print;
use super::value::{Heap, MOST_DEPTH, Text, Value};

/// A complaint.
pub type Failed<T> = Result<T, String>;

/// The largest index that may be assigned to.
const MOST_INDEX: usize = 10_000_000;

/// The text of a value, cut to `size - 1` bytes with dots at the end.
pub fn shortened(value: &Value, size: usize) -> String {
    let text = if value.weight(64) >= 64 {
        // Only its beginning shows.
        beginning(value)
    } else {
        print::compact(value)
    };
    if text.len() < size {
        return text;
    }
    let mut end = size - 4;
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    format!("{}...", text.get(..end).unwrap_or_default())
}

fn beginning(value: &Value) -> String {
    let mut out = String::new();
    match value {
        Value::Text(text) => print::push_text(&mut out, &text.chars().take(40).collect::<String>(), false),
        Value::Array(array) => {
            out.push('[');
            for item in array.items().iter().take(20) {
                out.push_str(&beginning(item));
                out.push(',');
                if out.len() > 64 {
                    break;
                }
            }
        }
        Value::Object(object) => {
            out.push('{');
            for (key, item) in object.pairs().iter().take(20) {
                print::push_text(&mut out, &key.chars().take(40).collect::<String>(), false);
                out.push(':');
                out.push_str(&beginning(item));
                out.push(',');
                if out.len() > 64 {
                    break;
                }
            }
        }
        _ => out = print::compact(value),
    }
    out
}

/// `string ("x")`
pub fn described(value: &Value) -> String {
    format!("{} ({})", value.kind(), shortened(value, 15))
}

fn both(one: &Value, other: &Value, what: &str) -> String {
    format!("{} and {} {what}", described(one), described(other))
}

/// The same value, not merely an equal one, where that can be told.
pub fn identical(one: &Value, other: &Value) -> bool {
    match (one, other) {
        (Value::Array(one), Value::Array(other)) => Arc::ptr_eq(one, other),
        (Value::Object(one), Value::Object(other)) => Arc::ptr_eq(one, other),
        (Value::Text(one), Value::Text(other)) => one == other,
        (Value::Number(one), Value::Number(other)) => one.to_bits() == other.to_bits(),
        _ => one.kind() == other.kind() && one.equals(other),
    }
}

/// The bounds that `{"start": …, "end": …}` means in something so long.
fn bounds(key: &Value, length: usize) -> Option<(usize, usize)> {
    let Value::Object(key) = key else { return None };
    let bound = |name: &str, fallback: f64| match key.get(name) {
        None | Some(Value::Null) => Some(fallback),
        Some(Value::Number(value)) => Some(*value),
        _ => None,
    };
    let length = length as f64;
    let from = |value: f64| if value < 0.0 { value + length } else { value }.clamp(0.0, length);
    let start = from(bound("start", 0.0)?);
    let end = from(bound("end", length)?).max(start);
    Some((start as usize, end.ceil() as usize))
}

/// Characters from `start` to `end`.
fn slice_text(text: &str, start: usize, end: usize) -> &str {
    if text.is_ascii() {
        return text.get(start..end).unwrap_or_default();
    }
    let mut offsets = text.char_indices().map(|(at, _)| at).chain([text.len()]);
    let from = offsets.nth(start).unwrap_or(text.len());
    let to = if end > start {
        offsets.nth(end - start - 1).unwrap_or(text.len())
    } else {
        from
    };
    text.get(from..to).unwrap_or_default()
}

/// Where an array has a value, or the values of an array one after the other.
pub fn indices(heap: &Heap, items: &[Value], wanted: &[Value]) -> Value {
    let mut found = Vec::new();
    if !wanted.is_empty() {
        for (at, window) in items.windows(wanted.len()).enumerate() {
            if window.iter().zip(wanted).all(|(one, other)| one.equals(other)) {
                found.push(Value::Number(at as f64));
            }
        }
    }
    heap.array(found)
}

/// `container[key]`
pub fn get(heap: &Heap, container: &Value, key: &Value) -> Failed<Value> {
    match (container, key) {
        (Value::Object(object), Value::Text(key)) => Ok(object.get(key).cloned().unwrap_or_default()),
        (Value::Array(array), Value::Number(index)) => {
            let at = position(*index, array.items().len());
            Ok(at
                .and_then(|at| array.items().get(at))
                .cloned()
                .unwrap_or_default())
        }
        (Value::Array(array), Value::Object(_)) => {
            let items = array.items();
            let (start, end) =
                bounds(key, items.len()).ok_or("Start and end indices of an array slice must be numbers")?;
            Ok(heap.array(items.get(start..end).unwrap_or_default().to_vec()))
        }
        (Value::Text(text), Value::Object(_)) => {
            let length = if text.is_ascii() {
                text.len()
            } else {
                text.chars().count()
            };
            let (start, end) =
                bounds(key, length).ok_or("Start and end indices of an string slice must be numbers")?;
            Ok(heap.text(slice_text(text, start, end)))
        }
        (Value::Array(array), Value::Array(wanted)) => Ok(indices(heap, array.items(), wanted.items())),
        (Value::Null, Value::Text(_) | Value::Number(_) | Value::Object(_)) => Ok(Value::Null),
        (_, Value::Text(key)) => Err(format!(
            "Cannot index {} with string \"{}\"",
            container.kind(),
            &**key
        )),
        _ => Err(format!("Cannot index {} with {}", container.kind(), key.kind())),
    }
}

/// Where an index points, a negative one from the end; `None` outside, and for what is no whole number.
fn position(index: f64, length: usize) -> Option<usize> {
    if index.fract() != 0.0 {
        return None;
    }
    let at = if index < 0.0 { index + length as f64 } else { index };
    (at >= 0.0 && at < length as f64).then_some(at as usize)
}

/// `container[key] = value`
fn set(heap: &Heap, container: Value, key: &Value, value: Value) -> Failed<Value> {
    match (container, key) {
        (Value::Object(mut object), Value::Text(key)) => {
            Arc::make_mut(&mut object).insert(key.clone(), value);
            Ok(Value::Object(object))
        }
        (Value::Null, Value::Text(key)) => Ok(heap.object([(key.clone(), value)])),
        (container @ (Value::Array(_) | Value::Null), Value::Number(index)) => {
            let Value::Array(mut array) = (match container {
                Value::Null => heap.array(Vec::new()),
                other => other,
            }) else {
                return Ok(Value::Null);
            };
            let length = array.items().len() as f64;
            let at = if *index < 0.0 {
                index.floor() + length
            } else {
                *index
            };
            if at < 0.0 {
                return Err("Out of bounds negative array index".to_owned());
            }
            if at >= MOST_INDEX as f64 {
                return Err("Array index too large".to_owned());
            }
            Arc::make_mut(&mut array).set(at as usize, value);
            Ok(Value::Array(array))
        }
        (container @ (Value::Array(_) | Value::Null), Value::Object(_)) => {
            let items = match &container {
                Value::Array(array) => array.items(),
                _ => &[],
            };
            let (start, end) =
                bounds(key, items.len()).ok_or("Start and end indices of an array slice must be numbers")?;
            let Value::Array(new) = value else {
                return Err("A slice of an array can only be assigned another array".to_owned());
            };
            let mut all = items.get(..start).unwrap_or_default().to_vec();
            all.extend_from_slice(new.items());
            all.extend_from_slice(items.get(end..).unwrap_or_default());
            Ok(heap.array(all))
        }
        (container, Value::Object(_)) => Err(format!(
            "Cannot update field at object index of {}",
            container.kind()
        )),
        (Value::Array(_), Value::Array(_)) => Err("Cannot update field at array index of array".to_owned()),
        (container, Value::Text(key)) => {
            Err(format!("Cannot index {} with \"{}\"", container.kind(), &**key))
        }
        (container, key) => Err(format!("Cannot index {} with {}", container.kind(), key.kind())),
    }
}

fn keys(path: &Value) -> Failed<&[Value]> {
    match path {
        Value::Array(path) if path.items().len() > MOST_DEPTH as usize => {
            Err("Exceeds depth limit".to_owned())
        }
        Value::Array(path) => Ok(path.items()),
        _ => Err("Path must be specified as an array".to_owned()),
    }
}

/// The value at a path.
pub fn get_path(heap: &Heap, value: &Value, path: &Value) -> Failed<Value> {
    let mut value = value.clone();
    for key in keys(path)? {
        if matches!(value, Value::Null) {
            return Ok(Value::Null);
        }
        value = get(heap, &value, key)?;
    }
    Ok(value)
}

/// Sets the value at a path.
pub fn set_path(heap: &Heap, value: Value, path: &Value, new: Value) -> Failed<Value> {
    set_keys(heap, value, keys(path)?, new)
}

fn set_keys(heap: &Heap, mut value: Value, keys: &[Value], new: Value) -> Failed<Value> {
    let Some((key, rest)) = keys.split_first() else {
        return Ok(new);
    };
    // The part is taken out, so that it need not be copied.
    let part = match (&mut value, key) {
        (Value::Object(object), Value::Text(key)) => Arc::make_mut(object).take(key),
        (Value::Array(array), Value::Number(index)) => match position(*index, array.items().len()) {
            Some(at) => Arc::make_mut(array).take(at),
            None => Value::Null,
        },
        _ => get(heap, &value, key)?,
    };
    let part = set_keys(heap, part, rest, new)?;
    set(heap, value, key, part)
}

/// Takes what is at paths out, the last one first.
pub fn delete_paths(heap: &Heap, value: Value, paths: &Value) -> Failed<Value> {
    let Value::Array(paths) = paths else {
        return Err("Paths must be specified as an array".to_owned());
    };
    let mut all = Vec::with_capacity(paths.items().len());
    let mut sorted: Vec<&Value> = paths.items().iter().collect();
    sorted.sort_by(|one, other| one.compare(other));
    for path in sorted {
        all.push(keys(path)?);
    }
    match all.first() {
        None => Ok(value),
        Some([]) => Ok(Value::Null),
        Some(_) => delete_sorted(heap, value, &all, 0),
    }
}

/// Deletes paths that are sorted and agree up to a depth. What is deleted from one array is found before anything of it goes.
fn delete_sorted(heap: &Heap, value: Value, paths: &[&[Value]], depth: usize) -> Failed<Value> {
    let mut value = value;
    let mut whole = Vec::new();
    let mut rest = paths;
    while let Some((key, is_whole)) = rest
        .first()
        .and_then(|path| Some((path.get(depth)?, path.len() == depth + 1)))
    {
        let same = |path: &&[Value]| path.get(depth).is_some_and(|other| other.equals(key));
        let count = rest.iter().take_while(|path| same(path)).count().max(1);
        let (group, others) = rest.split_at(count);
        rest = others;
        if is_whole {
            whole.push(key);
            continue;
        }
        let part = get(heap, &value, key)?;
        if !matches!(part, Value::Null) {
            let part = delete_sorted(heap, part, group, depth + 1)?;
            value = set(heap, value, key, part)?;
        }
    }
    match &value {
        Value::Array(array) if whole.len() > 1 => {
            let items = array.items();
            let mut gone = vec![false; items.len()];
            for key in whole {
                let (start, end) = stretch(&value, key, items.len())?;
                gone.get_mut(start..end).unwrap_or_default().fill(true);
            }
            let left = items.iter().zip(gone).filter(|(_, gone)| !gone);
            Ok(heap.array(left.map(|(item, _)| item.clone()).collect()))
        }
        _ => whole
            .into_iter()
            .try_fold(value, |value, key| delete(heap, value, key)),
    }
}

/// What a key names of an array: start and end.
fn stretch(array: &Value, key: &Value, length: usize) -> Failed<(usize, usize)> {
    match key {
        Value::Number(index) => Ok(match position(*index, length) {
            Some(at) => (at, at + 1),
            None => (0, 0),
        }),
        Value::Object(slice) => Some(slice)
            .filter(|slice| slice.get("start").is_some() && slice.get("end").is_some())
            .and_then(|_| bounds(key, length))
            .ok_or_else(|| "Start and end indices of an array slice must be numbers".to_owned()),
        _ => Err(wrong_index(array, key)),
    }
}

fn wrong_index(container: &Value, key: &Value) -> String {
    let part = match container {
        Value::Object(_) => "field of object",
        _ => "element of array",
    };
    format!("Cannot delete {} {part}", key.kind())
}

fn delete(heap: &Heap, value: Value, key: &Value) -> Failed<Value> {
    match (value, key) {
        (Value::Null, _) => Ok(Value::Null),
        (Value::Object(mut object), Value::Text(key)) => {
            Arc::make_mut(&mut object).remove(key);
            Ok(Value::Object(object))
        }
        (Value::Array(array), key) => {
            let items = array.items();
            let (start, end) = stretch(&Value::Array(array.clone()), key, items.len())?;
            let mut left = items.get(..start).unwrap_or_default().to_vec();
            left.extend_from_slice(items.get(end..).unwrap_or_default());
            Ok(heap.array(left))
        }
        (container @ Value::Object(_), key) => Err(wrong_index(&container, key)),
        (container, _) => Err(format!("Cannot delete fields from {}", container.kind())),
    }
}

/// What an operator makes of two values.
pub fn binary(heap: &Heap, operation: Binary, left: Value, right: &Value) -> Failed<Value> {
    if operation == Binary::Add {
        return add(heap, left, right);
    }
    let left = &left;
    let flag = match operation {
        Binary::Add => return Ok(Value::Null),
        Binary::Subtract => return subtract(heap, left, right),
        Binary::Multiply => return multiply(heap, left, right),
        Binary::Divide => return divide(heap, left, right),
        Binary::Remainder => return remainder(left, right),
        Binary::Equal => left.equals(right),
        Binary::NotEqual => !left.equals(right),
        Binary::Less => left.compare(right).is_lt(),
        Binary::LessEqual => left.compare(right).is_le(),
        Binary::Greater => left.compare(right).is_gt(),
        Binary::GreaterEqual => left.compare(right).is_ge(),
    };
    Ok(Value::Bool(flag))
}

fn add(heap: &Heap, left: Value, right: &Value) -> Failed<Value> {
    Ok(match (left, right) {
        (Value::Null, other) => other.clone(),
        (other, Value::Null) => other,
        (Value::Number(left), Value::Number(right)) => Value::Number(left + right),
        (Value::Text(left), Value::Text(right)) => heap.text([&*left, &**right].concat()),
        (Value::Array(mut left), Value::Array(right)) => {
            Arc::make_mut(&mut left).extend(right.items());
            Value::Array(left)
        }
        (Value::Object(mut left), Value::Object(right)) => {
            let all = Arc::make_mut(&mut left);
            for (key, value) in right.pairs() {
                all.insert(key.clone(), value.clone());
            }
            Value::Object(left)
        }
        (left, right) => return Err(both(&left, right, "cannot be added")),
    })
}

fn subtract(heap: &Heap, left: &Value, right: &Value) -> Failed<Value> {
    match (left, right) {
        (Value::Number(left), Value::Number(right)) => Ok(Value::Number(left - right)),
        (Value::Array(left), Value::Array(right)) => {
            let stays = |item: &&Value| !right.items().iter().any(|other| other.equals(item));
            Ok(heap.array(left.items().iter().filter(stays).cloned().collect()))
        }
        _ => Err(both(left, right, "cannot be subtracted")),
    }
}

fn multiply(heap: &Heap, left: &Value, right: &Value) -> Failed<Value> {
    match (left, right) {
        (Value::Number(left), Value::Number(right)) => Ok(Value::Number(left * right)),
        (Value::Text(text), Value::Number(count)) | (Value::Number(count), Value::Text(text)) => {
            if *count <= 0.0 || count.is_nan() {
                return Ok(Value::Null);
            }
            // Half a time is once.
            let count = (*count as usize).max(1);
            if text.len().saturating_mul(count) > 1 << 28 {
                return Err("Repeat string result too long".to_owned());
            }
            Ok(heap.text(text.repeat(count)))
        }
        (Value::Object(left), Value::Object(right)) => {
            let mut all = Arc::clone(left);
            for (key, value) in right.pairs() {
                let merged = match (all.get(key), value) {
                    (Some(old @ Value::Object(_)), Value::Object(_)) => multiply(heap, old, value)?,
                    _ => value.clone(),
                };
                Arc::make_mut(&mut all).insert(key.clone(), merged);
            }
            Ok(Value::Object(all))
        }
        _ => Err(both(left, right, "cannot be multiplied")),
    }
}

/// A text cut at another.
pub fn split(heap: &Heap, text: &Text, separator: &str) -> Value {
    if text.is_empty() {
        return heap.array(Vec::new());
    }
    if separator.is_empty() {
        return heap.array(text.chars().map(|character| heap.text(character)).collect());
    }
    heap.array(text.split(separator).map(|part| heap.text(part)).collect())
}

fn divide(heap: &Heap, left: &Value, right: &Value) -> Failed<Value> {
    match (left, right) {
        (Value::Number(_), Value::Number(0.0)) => {
            Err(both(left, right, "cannot be divided because the divisor is zero"))
        }
        (Value::Number(left), Value::Number(right)) => Ok(Value::Number(left / right)),
        (Value::Text(left), Value::Text(right)) => Ok(split(heap, left, right)),
        _ => Err(both(left, right, "cannot be divided")),
    }
}

fn remainder(left: &Value, right: &Value) -> Failed<Value> {
    match (left, right) {
        (Value::Number(one), Value::Number(other)) => {
            let divisor = (*other as i64).unsigned_abs();
            if divisor == 0 {
                let what = "cannot be divided (remainder) because the divisor is zero";
                return Err(both(left, right, what));
            }
            let value = *one as i64;
            let rest = (value.unsigned_abs() % divisor) as i64;
            Ok(Value::Number(if value < 0 { -rest } else { rest } as f64))
        }
        _ => Err(both(left, right, "cannot be divided (remainder)")),
    }
}

/// `contains`
pub fn contains(one: &Value, other: &Value) -> Failed<bool> {
    Ok(match (one, other) {
        (Value::Object(one), Value::Object(other)) => {
            for (key, part) in other.pairs() {
                match one.get(key) {
                    Some(own) if own.kind() == part.kind() && contains(own, part)? => {}
                    Some(own) if own.kind() != part.kind() => {
                        // jq complains only where the kinds of what it compares differ.
                        return Err(both(own, part, "cannot have their containment checked"));
                    }
                    _ => return Ok(false),
                }
            }
            true
        }
        (Value::Array(one), Value::Array(other)) => other.items().iter().all(|part| {
            let same = |own: &&Value| own.kind() == part.kind();
            one.items()
                .iter()
                .filter(same)
                .any(|own| contains(own, part).unwrap_or(false))
        }),
        (Value::Text(one), Value::Text(other)) => one.contains(&**other),
        _ if one.kind() == other.kind() => one.equals(other),
        _ => return Err(both(one, other, "cannot have their containment checked")),
    })
}
