//! Arrays, which list their keys in gawk's order.
//!
//! Scripts see that order in `for (k in a)`, so the tables are gawk's own: keys that are whole numbers from 0 on come in
//! ascending order when the first key was such a one; strings lie in chains by the sdbm hash in a table that grows through the
//! same primes; other integers lie in a table of pairs.

use std::collections::BTreeMap;

use rustc_hash::FxHashMap;

use super::value::{Text, Value};

/// The sizes that a table grows through.
const SIZES: [usize; 12] = [
    13, 127, 1021, 8191, 16381, 32749, 65497, 131_101, 262_147, 524_309, 1_048_583, 2_097_169,
];
/// Keys in a chain, on average, before the table grows.
const CHAIN: usize = 2;

/// An array.
#[derive(Debug, Default)]
pub struct Array {
    /// Its kind is decided by the first key.
    table: Option<Table>,
    /// Bytes of the keys, for the meter.
    bytes: usize,
}

#[derive(Debug)]
enum Table {
    /// The first key was a whole number from 0 on.
    Counted {
        numbers: Counted,
        rest: Option<Box<Table>>,
    },
    /// The first key was a negative integer.
    Integers {
        table: IntegerTable,
        rest: Option<Box<Table>>,
    },
    Strings(StringTable),
}

/// What a key is.
enum Kind {
    /// From 0 to 2^31 - 1.
    Count(u32),
    /// A negative integer of 32 bits.
    Integer(i32),
    Other,
}

fn kind(key: &[u8]) -> Kind {
    match key {
        [b'0'] => Kind::Count(0),
        [b'1'..=b'9', rest @ ..] if rest.len() <= 9 && rest.iter().all(u8::is_ascii_digit) => {
            let value = key
                .iter()
                .fold(0u64, |sum, digit| sum * 10 + u64::from(digit - b'0'));
            match i32::try_from(value) {
                Ok(value) => Kind::Count(value as u32),
                Err(_) => Kind::Other,
            }
        }
        [b'-', b'1'..=b'9', rest @ ..] if rest.len() <= 9 && rest.iter().all(u8::is_ascii_digit) => {
            let digits = key.get(1..).unwrap_or_default();
            let value = digits
                .iter()
                .fold(0i64, |sum, digit| sum * 10 + i64::from(digit - b'0'));
            i32::try_from(-value).map_or(Kind::Other, Kind::Integer)
        }
        _ => Kind::Other,
    }
}

impl Table {
    fn for_key(key: &[u8]) -> Table {
        match kind(key) {
            Kind::Count(_) => Table::Counted {
                numbers: Counted::default(),
                rest: None,
            },
            Kind::Integer(_) => Table::Integers {
                table: IntegerTable::default(),
                rest: None,
            },
            Kind::Other => Table::Strings(StringTable::default()),
        }
    }

    fn get(&self, key: &[u8]) -> Option<&Value> {
        match self {
            Table::Counted { numbers, rest } => match kind(key) {
                Kind::Count(number) => numbers.get(number),
                _ => rest.as_ref()?.get(key),
            },
            Table::Integers { table, rest } => match kind(key) {
                Kind::Count(number) => table.get(number as i32),
                Kind::Integer(number) => table.get(number),
                Kind::Other => rest.as_ref()?.get(key),
            },
            Table::Strings(table) => table.get(key),
        }
    }

    /// The value of a key, made when there is none; whether it was made.
    fn entry(&mut self, key: &Text) -> Option<(&mut Value, bool)> {
        match self {
            Table::Counted { numbers, rest } => match kind(key.bytes()) {
                Kind::Count(number) => Some(numbers.entry(number)),
                _ => rest
                    .get_or_insert_with(|| Box::new(Table::for_key(key.bytes())))
                    .entry(key),
            },
            Table::Integers { table, rest } => match kind(key.bytes()) {
                Kind::Count(number) => Some(table.entry(number as i32)),
                Kind::Integer(number) => Some(table.entry(number)),
                Kind::Other => rest
                    .get_or_insert_with(|| Box::new(Table::for_key(key.bytes())))
                    .entry(key),
            },
            Table::Strings(table) => table.entry(key),
        }
    }

    fn remove(&mut self, key: &[u8]) -> Option<Value> {
        match self {
            Table::Counted { numbers, rest } => match kind(key) {
                Kind::Count(number) => numbers.remove(number),
                _ => rest.as_mut()?.remove(key),
            },
            Table::Integers { table, rest } => match kind(key) {
                Kind::Count(number) => table.remove(number as i32),
                Kind::Integer(number) => table.remove(number),
                Kind::Other => rest.as_mut()?.remove(key),
            },
            Table::Strings(table) => table.remove(key),
        }
    }

    fn len(&self) -> usize {
        let (own, rest) = match self {
            Table::Counted { numbers, rest } => (numbers.count, rest),
            Table::Integers { table, rest } => (table.count, rest),
            Table::Strings(table) => (table.count, &None),
        };
        own + rest.as_ref().map_or(0, |rest| rest.len())
    }

    fn visit<'a>(&'a self, visit: &mut dyn FnMut(Text, &'a Value)) {
        match self {
            Table::Counted { numbers, rest } => {
                rest.iter().for_each(|rest| rest.visit(visit));
                numbers.visit(visit);
            }
            Table::Integers { table, rest } => {
                rest.iter().for_each(|rest| rest.visit(visit));
                table.visit(visit);
            }
            Table::Strings(table) => table.visit(visit),
        }
    }
}

/// Keys from 0 on: those without large gaps in a list, the others in a tree.
#[derive(Debug, Default)]
struct Counted {
    list: Vec<Option<Value>>,
    tree: BTreeMap<u32, Value>,
    count: usize,
}

impl Counted {
    fn get(&self, key: u32) -> Option<&Value> {
        self.list
            .get(key as usize)
            .and_then(Option::as_ref)
            .or_else(|| self.tree.get(&key))
    }

    fn entry(&mut self, key: u32) -> (&mut Value, bool) {
        let index = key as usize;
        let listed = index < self.list.len() && !self.tree.contains_key(&key);
        if !listed && index <= 2 * self.count + 64 && index >= self.list.len() {
            self.list.resize_with(index + 1, || None);
        }
        let in_tree = self.tree.contains_key(&key);
        match self.list.get_mut(index) {
            Some(slot) if !in_tree => {
                let made = slot.is_none();
                self.count += usize::from(made);
                (slot.get_or_insert_default(), made)
            }
            _ => {
                self.count += usize::from(!in_tree);
                (self.tree.entry(key).or_default(), !in_tree)
            }
        }
    }

    fn remove(&mut self, key: u32) -> Option<Value> {
        let listed = self.list.get_mut(key as usize).and_then(Option::take);
        let removed = listed.or_else(|| self.tree.remove(&key));
        self.count -= usize::from(removed.is_some());
        removed
    }

    fn visit<'a>(&'a self, visit: &mut dyn FnMut(Text, &'a Value)) {
        let name = |number: u32| Text::small(number.to_string().as_bytes());
        let mut tree = self.tree.iter().peekable();
        for (index, value) in self.list.iter().enumerate() {
            while let Some((key, value)) = tree.next_if(|(key, _)| (**key as usize) < index) {
                visit(name(*key), value);
            }
            if let Some(value) = value {
                visit(name(index as u32), value);
            }
        }
        for (key, value) in tree {
            visit(name(*key), value);
        }
    }
}

/// The next size of a table that holds `count` keys; `None` while it is large enough.
fn grown(size: usize, count: usize) -> Option<usize> {
    if size > 0 && count / size <= CHAIN {
        return None;
    }
    SIZES.iter().copied().find(|next| *next > size)
}

/// gawk's `int_array`: chains of pairs.
#[derive(Debug, Default)]
struct IntegerTable {
    /// Each chain's pairs, the newest first; only the first of a chain may lack its second key.
    chains: Vec<Vec<Vec<i32>>>,
    values: FxHashMap<i32, Value>,
    count: usize,
}

/// gawk's `int_hash`.
fn integer_hash(key: i32, size: usize) -> usize {
    let mut hash = key as u32;
    hash ^= hash.wrapping_shl(3);
    hash = hash.wrapping_add(hash >> 5);
    hash ^= hash.wrapping_shl(4);
    hash = hash.wrapping_add(hash >> 17);
    hash ^= hash.wrapping_shl(25);
    hash = hash.wrapping_add(hash >> 6);
    hash as usize % size.max(1)
}

impl IntegerTable {
    fn get(&self, key: i32) -> Option<&Value> {
        self.values.get(&key)
    }

    fn entry(&mut self, key: i32) -> (&mut Value, bool) {
        let made = !self.values.contains_key(&key);
        if made {
            self.count += 1;
            if let Some(size) = grown(self.chains.len(), self.count) {
                let old = std::mem::take(&mut self.chains);
                self.chains.resize_with(size, Vec::new);
                old.into_iter()
                    .flatten()
                    .flatten()
                    .for_each(|key| self.chain(key));
            }
            self.chain(key);
        }
        (self.values.entry(key).or_default(), made)
    }

    fn chain(&mut self, key: i32) {
        let place = integer_hash(key, self.chains.len());
        let Some(chain) = self.chains.get_mut(place) else {
            return;
        };
        match chain.first_mut() {
            Some(pair) if pair.len() < 2 => pair.push(key),
            _ => chain.insert(0, vec![key]),
        }
    }

    fn remove(&mut self, key: i32) -> Option<Value> {
        let value = self.values.remove(&key)?;
        self.count -= 1;
        let place = integer_hash(key, self.chains.len());
        if let Some(chain) = self.chains.get_mut(place)
            && let Some(index) = chain.iter().position(|pair| pair.contains(&key))
        {
            // A later pair is filled up from the first.
            let filler = if index > 0 {
                chain.first_mut().and_then(Vec::pop)
            } else {
                None
            };
            if let Some(pair) = chain.get_mut(index) {
                pair.retain(|known| *known != key);
                pair.extend(filler);
            }
            chain.retain(|pair| !pair.is_empty());
        }
        Some(value)
    }

    fn visit<'a>(&'a self, visit: &mut dyn FnMut(Text, &'a Value)) {
        for key in self.chains.iter().flatten().flatten() {
            if let Some(value) = self.values.get(key) {
                visit(Text::small(key.to_string().as_bytes()), value);
            }
        }
    }
}

/// gawk's `str_array`: chains, the newest key first.
#[derive(Debug, Default)]
struct StringTable {
    buckets: Vec<u32>,
    nodes: Vec<Node>,
    free: Vec<u32>,
    count: usize,
}

#[derive(Debug)]
struct Node {
    hash: u32,
    next: u32,
    key: Text,
    value: Value,
}

/// The end of a chain.
const NONE: u32 = u32::MAX;

/// The sdbm hash, in 32 bits.
fn string_hash(key: &[u8]) -> u32 {
    key.iter().fold(0u32, |hash, byte| {
        let shifted = hash.wrapping_shl(6);
        u32::from(*byte)
            .wrapping_add(shifted)
            .wrapping_add(shifted.wrapping_shl(10))
            .wrapping_sub(hash)
    })
}

impl StringTable {
    fn bucket(&self, hash: u32) -> usize {
        hash as usize % self.buckets.len().max(1)
    }

    fn find(&self, key: &[u8], hash: u32) -> Option<u32> {
        let mut at = self.buckets.get(self.bucket(hash)).copied().unwrap_or(NONE);
        while let Some(node) = self.nodes.get(at as usize) {
            if node.hash == hash && node.key.bytes() == key {
                return Some(at);
            }
            at = node.next;
        }
        None
    }

    fn get(&self, key: &[u8]) -> Option<&Value> {
        let at = self.find(key, string_hash(key))?;
        self.nodes.get(at as usize).map(|node| &node.value)
    }

    fn entry(&mut self, key: &Text) -> Option<(&mut Value, bool)> {
        let hash = string_hash(key.bytes());
        let found = self.find(key.bytes(), hash);
        let at = found.unwrap_or_else(|| self.insert(key, hash));
        let node = self.nodes.get_mut(at as usize)?;
        Some((&mut node.value, found.is_none()))
    }

    fn insert(&mut self, key: &Text, hash: u32) -> u32 {
        self.count += 1;
        if let Some(size) = grown(self.buckets.len(), self.count) {
            self.grow(size);
        }
        let place = self.bucket(hash);
        let next = self.buckets.get(place).copied().unwrap_or(NONE);
        let node = Node {
            hash,
            next,
            key: key.clone(),
            value: Value::Unset,
        };
        let at = match self.free.pop() {
            Some(at) => {
                if let Some(slot) = self.nodes.get_mut(at as usize) {
                    *slot = node;
                }
                at
            }
            None => {
                self.nodes.push(node);
                self.nodes.len() as u32 - 1
            }
        };
        if let Some(head) = self.buckets.get_mut(place) {
            *head = at;
        }
        at
    }

    fn grow(&mut self, size: usize) {
        let old = std::mem::replace(&mut self.buckets, vec![NONE; size]);
        for head in old {
            let mut at = head;
            while let Some(node) = self.nodes.get_mut(at as usize) {
                let next = node.next;
                if let Some(head) = self.buckets.get_mut(node.hash as usize % size) {
                    node.next = *head;
                    *head = at;
                }
                at = next;
            }
        }
    }

    fn remove(&mut self, key: &[u8]) -> Option<Value> {
        let hash = string_hash(key);
        let at = self.find(key, hash)?;
        let place = self.bucket(hash);
        let node = self.nodes.get_mut(at as usize)?;
        let next = node.next;
        let value = std::mem::take(&mut node.value);
        node.key = Text::default();
        let head = self.buckets.get_mut(place)?;
        if *head == at {
            *head = next;
        } else {
            let mut before = *head;
            while let Some(node) = self.nodes.get_mut(before as usize) {
                if node.next == at {
                    node.next = next;
                    break;
                }
                before = node.next;
            }
        }
        self.free.push(at);
        self.count -= 1;
        Some(value)
    }

    fn visit<'a>(&'a self, visit: &mut dyn FnMut(Text, &'a Value)) {
        for head in &self.buckets {
            let mut at = *head;
            while let Some(node) = self.nodes.get(at as usize) {
                visit(node.key.clone(), &node.value);
                at = node.next;
            }
        }
    }
}

/// What an element costs besides its key.
const ELEMENT: usize = 64;

impl Array {
    /// The value of a key.
    pub fn get(&self, key: &[u8]) -> Option<&Value> {
        self.table.as_ref()?.get(key)
    }

    /// The value of a key, made when there is none; and the bytes that this takes. `None` never comes.
    pub fn entry(&mut self, key: &Text) -> Option<(&mut Value, usize)> {
        let (value, made) = self
            .table
            .get_or_insert_with(|| Table::for_key(key.bytes()))
            .entry(key)?;
        let cost = if made { key.bytes().len() + ELEMENT } else { 0 };
        self.bytes += cost;
        Some((value, cost))
    }

    /// Takes a key out: its value.
    pub fn remove(&mut self, key: &[u8]) -> Option<Value> {
        let table = self.table.as_mut()?;
        let value = table.remove(key)?;
        self.bytes = self.bytes.saturating_sub(key.len() + ELEMENT);
        if table.len() == 0 {
            self.table = None;
        }
        Some(value)
    }

    /// Whether a key is kept as an integer.
    pub fn is_integer(&self, key: &[u8]) -> bool {
        let mut table = self.table.as_ref();
        while let Some(known) = table {
            let rest = match (known, kind(key)) {
                (Table::Strings(_), _) => return false,
                (Table::Counted { .. }, Kind::Count(_))
                | (Table::Integers { .. }, Kind::Count(_) | Kind::Integer(_)) => return true,
                (Table::Counted { rest, .. } | Table::Integers { rest, .. }, _) => rest,
            };
            table = rest.as_deref();
        }
        false
    }

    /// How many keys there are.
    pub fn len(&self) -> usize {
        self.table.as_ref().map_or(0, Table::len)
    }

    /// Bytes of keys and elements.
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// Keys and values in order.
    pub fn visit<'a>(&'a self, mut visit: impl FnMut(Text, &'a Value)) {
        if let Some(table) = &self.table {
            table.visit(&mut visit);
        }
    }

    /// The keys in order.
    pub fn keys(&self) -> Vec<Text> {
        let mut keys = Vec::with_capacity(self.len());
        self.visit(|key, _| keys.push(key));
        keys
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn order(keys: &[&str]) -> String {
        let mut array = Array::default();
        for key in keys {
            array.entry(&Text::small(key.as_bytes()));
        }
        let keys: Vec<String> = array
            .keys()
            .iter()
            .map(|key| String::from_utf8(key.bytes().to_vec()).unwrap())
            .collect();
        keys.join(" ")
    }

    /// Orders printed by gawk 5.2.
    #[test]
    fn as_gawk_lists() {
        assert_eq!(order(&["1", "-1", "x", "0", "2", "y", "-2"]), "x y -1 -2 0 1 2");
        assert_eq!(order(&["-1", "x", "y", "5", "-7"]), "x y 5 -1 -7");
        let words = [
            "the", "quick", "brown", "fox", "jumps", "over", "the", "lazy", "dog",
        ];
        assert_eq!(order(&words), "fox quick over brown jumps the lazy dog");
        let keys: Vec<String> = (-5..=5).map(|number: i32| number.to_string()).collect();
        let keys: Vec<&str> = keys.iter().map(String::as_str).collect();
        assert_eq!(order(&keys), "0 4 5 -4 -1 3 -3 -2 -5 2 1");
        assert_eq!(order(&["0.5", "x", "1", "2", "y", "01"]), "0.5 x y 01 1 2");
        assert_eq!(order(&["100000", "5", "7000", "3"]), "3 5 7000 100000");
    }

    #[test]
    fn removal() {
        let mut array = Array::default();
        for key in ["a", "b", "n", "7"] {
            array.entry(&Text::small(key.as_bytes()));
        }
        assert!(array.remove(b"a").is_some() && array.remove(b"a").is_none());
        array.entry(&Text::small(b"q"));
        assert_eq!(array.len(), 4);
        assert!(array.get(b"q").is_some() && array.get(b"a").is_none());
    }
}
