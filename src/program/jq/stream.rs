//! `--stream`: a value as the events of reading it, `[path, leaf]` and `[path]` where an array or object ends.
//!
//! jq gives them while it reads. Here a value is read first, which shows in one thing: of a text that is no JSON no events come before the complaint.

use std::collections::VecDeque;

use super::value::{Heap, Value};
use crate::kernel::{Proc, Stop};

/// The events of a value.
pub fn events(proc: &Proc, heap: &Heap, value: &Value) -> Result<VecDeque<Value>, Stop> {
    let mut run = Run {
        proc,
        heap,
        path: Vec::new(),
        events: VecDeque::new(),
    };
    run.value(value)?;
    Ok(run.events)
}

struct Run<'a> {
    proc: &'a Proc,
    heap: &'a Heap,
    path: Vec<Value>,
    events: VecDeque<Value>,
}

impl Run<'_> {
    /// How deep it goes is limited where values are read.
    fn value(&mut self, value: &Value) -> Result<(), Stop> {
        let parts: Vec<(Value, Value)> = match value {
            Value::Array(array) if !array.items().is_empty() => {
                let items = array.items().iter().enumerate();
                items
                    .map(|(index, item)| (Value::Number(index as f64), item.clone()))
                    .collect()
            }
            Value::Object(object) if !object.pairs().is_empty() => {
                let pairs = object.pairs().iter();
                pairs
                    .map(|(key, item)| (Value::Text(key.clone()), item.clone()))
                    .collect()
            }
            leaf => return self.event(Some(leaf)),
        };
        let last = parts.last().map(|(key, _)| key.clone());
        for (key, part) in parts {
            self.path.push(key);
            self.value(&part)?;
            self.path.pop();
        }
        self.path.extend(last);
        self.event(None)?;
        self.path.pop();
        Ok(())
    }

    fn event(&mut self, leaf: Option<&Value>) -> Result<(), Stop> {
        self.proc.charge(self.path.len() as u64 + 2)?;
        let path = self.heap.array(self.path.clone());
        let event = std::iter::once(path).chain(leaf.cloned()).collect();
        self.events.push_back(self.heap.array(event));
        Ok(())
    }
}
