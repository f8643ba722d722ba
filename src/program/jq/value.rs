//! JSON values: their kinds, order, and the memory that they hold.
//!
//! Texts, arrays and objects are shared and hold a lease on the meter, so that what a program of jq builds counts from the moment it is made until
//! nobody has it any more. A growing lease that the meter refuses halts the run; the machine sees that at its next step. An array or object
//! knows how deep it is: no value is deeper than [`MOST_DEPTH`], since values are dropped, compared and printed by recursion.

use std::cmp::Ordering;
use std::sync::Arc;

use rustc_hash::FxHashMap;

use crate::kernel::Lease;

/// The deepest value.
pub const MOST_DEPTH: u32 = 1000;

/// A value.
#[derive(Debug, Clone, Default)]
pub enum Value {
    /// `null`
    #[default]
    Null,
    /// `false`, `true`
    Bool(bool),
    /// A number.
    Number(f64),
    /// A text.
    Text(Text),
    /// An array.
    Array(Arc<Array>),
    /// An object.
    Object(Arc<Object>),
}

/// A shared text.
#[derive(Debug, Clone)]
pub struct Text(Arc<Held>);

#[derive(Debug)]
struct Held {
    text: String,
    _lease: Lease,
}

impl std::ops::Deref for Text {
    type Target = str;
    fn deref(&self) -> &str {
        &self.0.text
    }
}

impl std::hash::Hash for Text {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        self.0.text.hash(state);
    }
}

impl PartialEq for Text {
    fn eq(&self, other: &Text) -> bool {
        self.0.text == other.0.text
    }
}

impl Eq for Text {}

impl std::borrow::Borrow<str> for Text {
    fn borrow(&self) -> &str {
        self
    }
}

/// The values of an array.
#[derive(Debug)]
pub struct Array {
    items: Vec<Value>,
    depth: u32,
    lease: Lease,
}

/// The pairs of an object, in the order in which their keys came.
#[derive(Debug)]
pub struct Object {
    pairs: Vec<(Text, Value)>,
    /// Where keys are, once there are many.
    index: Option<FxHashMap<Text, usize>>,
    depth: u32,
    lease: Lease,
}

/// Objects with more pairs have an index.
const MANY: usize = 8;
const ITEM: usize = size_of::<Value>();
const PAIR: usize = size_of::<(Text, Value)>() + 32;

/// Where values come from.
#[derive(Debug)]
pub struct Heap {
    lease: Lease,
}

impl Heap {
    /// Values that count on this lease's meter.
    pub fn new(lease: Lease) -> Heap {
        Heap { lease }
    }

    /// A lease of so many bytes. A refusal halts the run, which the machine sees.
    fn hold(&self, bytes: usize) -> Lease {
        let mut lease = self.lease.sibling();
        let _halted = lease.resize(bytes);
        lease
    }

    /// A shared text.
    pub fn share(&self, text: impl Into<String>) -> Text {
        let text = text.into();
        let lease = self.hold(text.len() + 48);
        Text(Arc::new(Held { text, _lease: lease }))
    }

    /// A text.
    pub fn text(&self, text: impl Into<String>) -> Value {
        Value::Text(self.share(text))
    }

    /// An array.
    pub fn array(&self, items: Vec<Value>) -> Value {
        let depth = items.iter().map(Value::depth).max().unwrap_or(0) + 1;
        let lease = self.hold(items.capacity() * ITEM + 64);
        Value::Array(Arc::new(Array { items, depth, lease }))
    }

    /// An empty object.
    pub fn empty_object(&self) -> Value {
        Value::Object(Arc::new(Object {
            pairs: Vec::new(),
            index: None,
            depth: 1,
            lease: self.hold(96),
        }))
    }

    /// An object of these pairs; a key that comes again replaces.
    pub fn object(&self, pairs: impl IntoIterator<Item = (Text, Value)>) -> Value {
        let mut value = self.empty_object();
        if let Value::Object(object) = &mut value
            && let Some(object) = Arc::get_mut(object)
        {
            for (key, item) in pairs {
                object.insert(key, item);
            }
        }
        value
    }
}

impl Clone for Array {
    fn clone(&self) -> Array {
        let mut lease = self.lease.sibling();
        let _halted = lease.resize(self.items.len() * ITEM + 64);
        Array {
            items: self.items.clone(),
            depth: self.depth,
            lease,
        }
    }
}

impl Clone for Object {
    fn clone(&self) -> Object {
        let mut lease = self.lease.sibling();
        let _halted = lease.resize(self.pairs.len() * PAIR + 96);
        Object {
            pairs: self.pairs.clone(),
            index: self.index.clone(),
            depth: self.depth,
            lease,
        }
    }
}

impl Array {
    /// The values.
    pub fn items(&self) -> &[Value] {
        &self.items
    }

    fn grown(&mut self) {
        let _halted = self.lease.resize(self.items.capacity() * ITEM + 64);
    }

    /// Adds a value.
    pub fn push(&mut self, item: Value) {
        self.depth = self.depth.max(item.depth() + 1);
        self.items.push(item);
        self.grown();
    }

    /// Adds values.
    pub fn extend(&mut self, items: &[Value]) {
        let deepest = items.iter().map(Value::depth).max().unwrap_or(0);
        self.depth = self.depth.max(deepest + 1);
        self.items.extend_from_slice(items);
        self.grown();
    }

    /// Sets a value, behind `null`s where the array is shorter. The caller has bounded the index.
    pub fn set(&mut self, index: usize, item: Value) {
        self.depth = self.depth.max(item.depth() + 1);
        if index >= self.items.len() {
            self.items.resize(index + 1, Value::Null);
            self.grown();
        }
        if let Some(slot) = self.items.get_mut(index) {
            *slot = item;
        }
    }

    /// Takes a value out, leaving `null`.
    pub fn take(&mut self, index: usize) -> Value {
        self.items.get_mut(index).map_or(Value::Null, std::mem::take)
    }
}

impl Object {
    /// The pairs in order.
    pub fn pairs(&self) -> &[(Text, Value)] {
        &self.pairs
    }

    /// The pairs sorted by key.
    pub fn sorted(&self) -> Vec<&(Text, Value)> {
        let mut pairs: Vec<_> = self.pairs.iter().collect();
        pairs.sort_by(|one, other| one.0.as_bytes().cmp(other.0.as_bytes()));
        pairs
    }

    fn position(&self, key: &str) -> Option<usize> {
        match &self.index {
            Some(index) => index.get(key).copied(),
            None => self.pairs.iter().position(|(known, _)| &**known == key),
        }
    }

    /// The value of a key.
    pub fn get(&self, key: &str) -> Option<&Value> {
        self.pairs.get(self.position(key)?).map(|(_, value)| value)
    }

    /// Takes the value of a key out, leaving `null`.
    pub fn take(&mut self, key: &str) -> Value {
        let slot = self.position(key).and_then(|at| self.pairs.get_mut(at));
        slot.map_or(Value::Null, |(_, value)| std::mem::take(value))
    }

    /// Sets a key.
    pub fn insert(&mut self, key: Text, value: Value) {
        self.depth = self.depth.max(value.depth() + 1);
        if let Some(slot) = self.position(&key).and_then(|at| self.pairs.get_mut(at)) {
            slot.1 = value;
            return;
        }
        if let Some(index) = &mut self.index {
            index.insert(key.clone(), self.pairs.len());
        }
        self.pairs.push((key, value));
        if self.index.is_none() && self.pairs.len() > MANY {
            self.reindex();
        }
        let _halted = self.lease.resize(self.pairs.capacity() * PAIR + 96);
    }

    fn reindex(&mut self) {
        let keys = self.pairs.iter().enumerate();
        self.index = Some(keys.map(|(at, (key, _))| (key.clone(), at)).collect());
    }

    /// Takes a key off.
    pub fn remove(&mut self, key: &str) {
        if let Some(at) = self.position(key) {
            self.pairs.remove(at);
            if self.index.is_some() {
                self.reindex();
            }
        }
    }
}

impl Value {
    /// How deep it is: 0 for what holds no values.
    pub fn depth(&self) -> u32 {
        match self {
            Value::Array(array) => array.depth,
            Value::Object(object) => object.depth,
            _ => 0,
        }
    }

    /// What `type` says.
    pub fn kind(&self) -> &'static str {
        match self {
            Value::Null => "null",
            Value::Bool(_) => "boolean",
            Value::Number(_) => "number",
            Value::Text(_) => "string",
            Value::Array(_) => "array",
            Value::Object(_) => "object",
        }
    }

    /// Nobody else has it, so that it can grow in place.
    pub fn is_own(&self) -> bool {
        match self {
            Value::Array(array) => Arc::strong_count(array) == 1,
            Value::Object(object) => Arc::strong_count(object) == 1,
            _ => false,
        }
    }

    /// Neither `false` nor `null`.
    pub fn is_true(&self) -> bool {
        !matches!(self, Value::Null | Value::Bool(false))
    }

    fn rank(&self) -> u8 {
        match self {
            Value::Null => 0,
            Value::Bool(false) => 1,
            Value::Bool(true) => 2,
            Value::Number(_) => 3,
            Value::Text(_) => 4,
            Value::Array(_) => 5,
            Value::Object(_) => 6,
        }
    }

    /// The order of values. A NaN is less than any number.
    pub fn compare(&self, other: &Value) -> Ordering {
        match (self, other) {
            (Value::Number(one), Value::Number(two)) => {
                if one.is_nan() || one < two {
                    Ordering::Less
                } else if one == two {
                    Ordering::Equal
                } else {
                    Ordering::Greater
                }
            }
            (Value::Text(one), Value::Text(two)) => one.as_bytes().cmp(two.as_bytes()),
            (Value::Array(one), Value::Array(two)) => {
                let pairs = one.items.iter().zip(&two.items);
                pairs
                    .map(|(one, two)| one.compare(two))
                    .find(|order| order.is_ne())
                    .unwrap_or_else(|| one.items.len().cmp(&two.items.len()))
            }
            (Value::Object(one), Value::Object(two)) => {
                let (one, two) = (one.sorted(), two.sorted());
                let keys = |pairs: &[&(Text, Value)]| -> Vec<String> {
                    pairs.iter().map(|(key, _)| key.to_string()).collect()
                };
                keys(&one).cmp(&keys(&two)).then_with(|| {
                    one.iter()
                        .zip(&two)
                        .map(|(one, two)| one.1.compare(&two.1))
                        .find(|order| order.is_ne())
                        .unwrap_or(Ordering::Equal)
                })
            }
            _ => self.rank().cmp(&other.rank()),
        }
    }

    /// `==`
    pub fn equals(&self, other: &Value) -> bool {
        match (self, other) {
            (Value::Number(one), Value::Number(two)) => one == two,
            _ => self.compare(other).is_eq(),
        }
    }

    /// How many values it holds, itself included, counted up to `most`: the work that a walk over it is.
    pub fn weight(&self, most: u64) -> u64 {
        let mut weight = 1;
        match self {
            Value::Text(text) => weight += text.len() as u64 / 64,
            Value::Array(array) => {
                for item in &array.items {
                    if weight >= most {
                        break;
                    }
                    weight += item.weight(most - weight);
                }
            }
            Value::Object(object) => {
                for (_, item) in &object.pairs {
                    if weight >= most {
                        break;
                    }
                    weight += item.weight(most - weight);
                }
            }
            _ => {}
        }
        weight
    }
}
