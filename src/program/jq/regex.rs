//! `match` and its kin: Perl's expressions, matched with a bound on going back.

use fancy_regex::{Captures, Regex, RegexBuilder};

use super::operate;
use super::value::{Heap, Value};
use crate::kernel::{Halt, Meter};

/// Steps of one match.
const STEPS: usize = 1_000_000;

struct Flags {
    global: bool,
    not_empty: bool,
    prefix: String,
}

fn not_text(value: &Value) -> String {
    format!(
        "{} cannot be matched, as it is not a string",
        operate::described(value)
    )
}

fn flags(value: &Value) -> Result<Flags, String> {
    let mut flags = Flags {
        global: false,
        not_empty: false,
        prefix: String::new(),
    };
    let text = match value {
        Value::Null => return Ok(flags),
        Value::Text(text) => text,
        other => return Err(format!("{} is not a string", operate::described(other))),
    };
    let mut letters = String::new();
    for letter in text.chars() {
        match letter {
            'g' => flags.global = true,
            'n' => flags.not_empty = true,
            'i' => letters.push('i'),
            'x' => letters.push('x'),
            'p' => letters.push('s'),
            // The ends of a text are those of its only line already.
            's' => {}
            'l' => return Err("the flag \"l\" (longest match) is not supported".to_owned()),
            _ => return Err(format!("{} is not a valid modifier string", &**text)),
        }
    }
    if !letters.is_empty() {
        flags.prefix = format!("(?{letters})");
    }
    Ok(flags)
}

/// `_match_impl(re; flags; test)`: whether there is a match, or all matches as objects.
pub fn search(
    heap: &Heap,
    meter: &Meter,
    input: &Value,
    (pattern, modifiers, test): (&Value, &Value, &Value),
) -> Result<Result<Value, String>, Halt> {
    let (Value::Text(text), Value::Text(source)) = (input, pattern) else {
        let wrong = if matches!(input, Value::Text(_)) {
            pattern
        } else {
            input
        };
        return Ok(Err(not_text(wrong)));
    };
    let flags = match flags(modifiers) {
        Ok(flags) => flags,
        Err(message) => return Ok(Err(message)),
    };
    meter.charge(source.len() as u64 + text.len() as u64 / 16 + 16)?;
    let built = RegexBuilder::new(&format!("{}{}", flags.prefix, &**source))
        .backtrack_limit(STEPS)
        .delegate_size_limit(1 << 22)
        .build();
    let regex = match built {
        Ok(regex) => regex,
        Err(error) => return Ok(Err(format!("Regex failure: {error}"))),
    };
    let test = test.is_true();
    let found = matches(heap, meter, &regex, text, &flags, test)?;
    Ok(found.map(|found| {
        if test {
            Value::Bool(!found.is_empty())
        } else {
            heap.array(found)
        }
    }))
}

/// All matches as objects; only the first, and not described, for a test.
fn matches(
    heap: &Heap,
    meter: &Meter,
    regex: &Regex,
    text: &str,
    flags: &Flags,
    test: bool,
) -> Result<Result<Vec<Value>, String>, Halt> {
    let mut found = Vec::new();
    let mut from = 0;
    let mut place = Place {
        bytes: 0,
        characters: 0,
    };
    while from <= text.len() {
        meter.charge(4)?;
        let captures = match regex.captures_from_pos(text, from) {
            Ok(Some(captures)) => captures,
            Ok(None) => break,
            Err(_) => return Ok(Err("Regex failure: too many steps".to_owned())),
        };
        let Some(whole) = captures.get(0) else { break };
        let empty = whole.start() == whole.end();
        if !(empty && flags.not_empty) {
            if test {
                return Ok(Ok(vec![Value::Bool(true)]));
            }
            found.push(describe(heap, text, regex, &captures, &mut place));
        }
        // Behind an empty match jq 1.6 goes on one further than where it looked from, wherever the match was.
        let next = if empty {
            let rest = text.get(from..).unwrap_or_default();
            from + rest.chars().next().map_or(1, char::len_utf8)
        } else {
            whole.end()
        };
        if !flags.global || next == text.len() {
            break;
        }
        from = next;
    }
    Ok(Ok(found))
}

/// Where counting characters has come to.
struct Place {
    bytes: usize,
    characters: usize,
}

impl Place {
    /// The number of characters before an offset, which mostly lies further on.
    fn count(&mut self, text: &str, offset: usize) -> f64 {
        if offset < self.bytes {
            return text.get(..offset).unwrap_or_default().chars().count() as f64;
        }
        let between = text.get(self.bytes..offset).unwrap_or_default();
        self.characters += between.chars().count();
        self.bytes = offset;
        self.characters as f64
    }
}

fn describe(
    heap: &Heap,
    text: &str,
    regex: &Regex,
    captures: &Captures<'_, str>,
    place: &mut Place,
) -> Value {
    let mut groups = Vec::new();
    let names: Vec<Option<&str>> = regex.capture_names().collect();
    let part = |offset: f64, shown: &str| {
        [
            (heap.share("offset"), Value::Number(offset)),
            (heap.share("length"), Value::Number(shown.chars().count() as f64)),
            (heap.share("string"), heap.text(shown)),
        ]
    };
    let whole = captures.get(0);
    let start = whole.as_ref().map_or(0, fancy_regex::Match::start);
    let offset = place.count(text, start);
    // jq 1.6 tells nothing of the groups of an empty match.
    let is_empty = whole.as_ref().is_none_or(|whole| whole.range().is_empty());
    let names = if is_empty { &[] } else { names.as_slice() };
    for (index, name) in names.iter().enumerate().skip(1) {
        let name = (
            heap.share("name"),
            name.map_or(Value::Null, |name| heap.text(name)),
        );
        let pairs: Vec<_> = match captures.get(index) {
            Some(group) => {
                let at = place.count(text, group.start());
                part(at, group.as_str()).into_iter().chain([name]).collect()
            }
            None => vec![
                (heap.share("offset"), Value::Number(-1.0)),
                (heap.share("string"), Value::Null),
                (heap.share("length"), Value::Number(0.0)),
                name,
            ],
        };
        groups.push(heap.object(pairs));
    }
    let shown = whole.as_ref().map_or("", fancy_regex::Match::as_str);
    let pairs = part(offset, shown).into_iter();
    heap.object(pairs.chain([(heap.share("captures"), heap.array(groups))]))
}
