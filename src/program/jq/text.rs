//! Functions of texts, and the formats of `@name`.

use super::operate;
use super::print;
use super::value::{Heap, Value};

/// A text as it is, and anything else as JSON.
pub fn to_text(heap: &Heap, value: &Value) -> Value {
    match value {
        Value::Text(_) => value.clone(),
        other => heap.text(print::compact(other)),
    }
}

fn plain(value: &Value) -> String {
    match value {
        Value::Text(text) => text.to_string(),
        other => print::compact(other),
    }
}

/// Calls a function by name.
pub fn call(heap: &Heap, name: &str, input: &Value, first: &Value) -> Result<Value, String> {
    match name {
        "format" => format(heap, input, first),
        "ascii_downcase" | "ascii_upcase" => match input {
            Value::Text(text) if name == "ascii_downcase" => Ok(heap.text(text.to_ascii_lowercase())),
            Value::Text(text) => Ok(heap.text(text.to_ascii_uppercase())),
            _ => Err("explode input must be a string".to_owned()),
        },
        "explode" => match input {
            Value::Text(text) => {
                let codes = text
                    .chars()
                    .map(|character| Value::Number(f64::from(u32::from(character))));
                Ok(heap.array(codes.collect()))
            }
            _ => Err("explode input must be a string".to_owned()),
        },
        "implode" => implode(heap, input),
        "utf8bytelength" => match input {
            Value::Text(text) => Ok(Value::Number(text.len() as f64)),
            other => Err(format!(
                "{} only strings have UTF-8 byte length",
                operate::described(other)
            )),
        },
        "startswith" | "endswith" => match (input, first) {
            (Value::Text(text), Value::Text(part)) => Ok(Value::Bool(if name == "startswith" {
                text.starts_with(&**part)
            } else {
                text.ends_with(&**part)
            })),
            _ => Err(format!("{name}() requires string inputs")),
        },
        "ltrimstr" | "rtrimstr" => Ok(match (input, first) {
            (Value::Text(text), Value::Text(part)) => {
                let cut = if name == "ltrimstr" {
                    text.strip_prefix(&**part)
                } else {
                    text.strip_suffix(&**part)
                };
                cut.map_or_else(|| input.clone(), |rest| heap.text(rest))
            }
            _ => input.clone(),
        }),
        "split" => match (input, first) {
            (Value::Text(text), Value::Text(separator)) => Ok(operate::split(heap, text, separator)),
            _ => Err("split input and separator must be strings".to_owned()),
        },
        "_strindices" => match (input, first) {
            (Value::Text(text), Value::Text(part)) => Ok(positions(heap, text, part)),
            _ => Ok(Value::Null),
        },
        _ => Err(format!("{name} is not supported")),
    }
}

/// The byte offsets of a text in another, as jq 1.6 counts them, overlapping ones too.
fn positions(heap: &Heap, text: &str, part: &str) -> Value {
    let mut found = Vec::new();
    if !part.is_empty() {
        let mut from = 0;
        while let Some(at) = text.get(from..).and_then(|rest| rest.find(part)) {
            found.push(Value::Number((from + at) as f64));
            from += at + 1;
            while !text.is_char_boundary(from) {
                from += 1;
            }
        }
    }
    heap.array(found)
}

fn implode(heap: &Heap, input: &Value) -> Result<Value, String> {
    let Value::Array(codes) = input else {
        return Err("implode input must be an array".to_owned());
    };
    let mut text = String::new();
    for code in codes.items() {
        let Value::Number(code) = code else {
            return Err("Unicode codepoint must be numeric".to_owned());
        };
        text.push(char::from_u32(*code as u32).unwrap_or('\u{fffd}'));
    }
    Ok(heap.text(text))
}

fn format(heap: &Heap, input: &Value, name: &Value) -> Result<Value, String> {
    let Value::Text(name) = name else {
        return Err(format!("{} is not a valid format", operate::described(name)));
    };
    let text = match &**name {
        "text" => return Ok(to_text(heap, input)),
        "json" => print::compact(input),
        "csv" => row(input, ",", "csv", |text| {
            format!("\"{}\"", text.replace('"', "\"\""))
        })?,
        "tsv" => row(input, "\t", "tsv", |text| {
            text.replace('\\', "\\\\")
                .replace('\t', "\\t")
                .replace('\n', "\\n")
                .replace('\r', "\\r")
        })?,
        "html" => plain(input)
            .replace('&', "&amp;")
            .replace('<', "&lt;")
            .replace('>', "&gt;")
            .replace('\'', "&apos;")
            .replace('"', "&quot;"),
        "uri" => {
            let mut out = String::new();
            for byte in plain(input).bytes() {
                if byte.is_ascii_alphanumeric() || b"-_.!~*'()".contains(&byte) {
                    out.push(char::from(byte));
                } else {
                    out.push_str(&format!("%{byte:02X}"));
                }
            }
            out
        }
        "sh" => shell(input)?,
        "base64" => data_encoding::BASE64.encode(plain(input).as_bytes()),
        "base64d" => {
            let text = plain(input);
            let wrong = |what: &str| format!("{} {what}", operate::described(&heap.text(&text)));
            let bytes = base64(text.as_bytes()).map_err(wrong)?;
            String::from_utf8_lossy(&bytes).into_owned()
        }
        other => return Err(format!("{other} is not a valid format")),
    };
    Ok(heap.text(text))
}

/// Decodes up to a padding; bits that are left over do not matter.
fn base64(text: &[u8]) -> Result<Vec<u8>, &'static str> {
    let mut out = Vec::new();
    let (mut code, mut count) = (0u32, 0);
    for byte in text.iter().take_while(|byte| **byte != b'=') {
        let value = match byte {
            b'A'..=b'Z' => byte - b'A',
            b'a'..=b'z' => byte - b'a' + 26,
            b'0'..=b'9' => byte - b'0' + 52,
            b'+' => 62,
            b'/' => 63,
            _ => return Err("is not valid base64 data"),
        };
        code = code << 6 | u32::from(value);
        count += 1;
        if count % 4 == 0 {
            out.extend([code >> 16, code >> 8, code].map(|byte| byte as u8));
        }
    }
    match count % 4 {
        1 => return Err("trailing base64 byte found"),
        2 => out.push((code >> 4) as u8),
        3 => out.extend([code >> 10, code >> 2].map(|byte| byte as u8)),
        _ => {}
    }
    Ok(out)
}

fn row(
    input: &Value,
    separator: &str,
    name: &str,
    quoted: impl Fn(&str) -> String,
) -> Result<String, String> {
    let Value::Array(items) = input else {
        let shown = operate::described(input);
        return Err(format!(
            "{shown} cannot be {name}-formatted, only an array can be"
        ));
    };
    let cells: Result<Vec<String>, String> = items
        .items()
        .iter()
        .map(|item| match item {
            Value::Null => Ok(String::new()),
            Value::Bool(_) => Ok(print::compact(item)),
            Value::Number(value) if value.is_nan() => Ok(String::new()),
            Value::Number(value) => Ok(print::number(*value)),
            Value::Text(text) => Ok(quoted(text)),
            other => Err(format!("{} is not valid in a csv row", operate::described(other))),
        })
        .collect();
    Ok(cells?.join(separator))
}

fn shell(input: &Value) -> Result<String, String> {
    let one = |item: &Value| match item {
        Value::Text(text) => Ok(format!("'{}'", text.replace('\'', "'\\''"))),
        Value::Array(_) | Value::Object(_) => {
            let shown = operate::described(item);
            Err(format!("{shown} can not be escaped for shell"))
        }
        other => Ok(print::compact(other)),
    };
    match input {
        Value::Array(items) => {
            let all: Result<Vec<String>, String> = items.items().iter().map(one).collect();
            Ok(all?.join(" "))
        }
        other => one(other),
    }
}
