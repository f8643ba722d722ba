//! `tsort`: puts names in an order that agrees with pairs of them.
//!
//! Names without a predecessor come in the order of the alphabet, and each releases its successors, the last one named first, as GNU's do.
//! A loop is reported and broken at one of its pairs.

use std::collections::{BTreeMap, VecDeque};

use super::usage;
use crate::args::{COREUTILS, Spec, quotef};
use crate::kernel::{Proc, Program, Stop};
use crate::program::message::message;

/// The program.
pub const PROGRAM: Program = Program {
    name: "tsort",
    run: |proc| Box::pin(run(proc)),
};

#[derive(Debug, Clone, Copy, PartialEq)]
enum Flag {}

static SPEC: Spec<Flag> = Spec::new(
    "tsort",
    COREUTILS,
    &["[OPTION] [FILE]"],
    "Write totally ordered list consistent with the partial ordering in FILE.\n\n\
     With no FILE, or when FILE is -, read standard input.",
    &[],
);

/// A name.
#[derive(Debug, Default)]
struct Item {
    name: Vec<u8>,
    predecessors: usize,
    /// The last one named is the last one here.
    successors: Vec<usize>,
    /// The next one of the chain that is followed to find a loop.
    link: Option<usize>,
    printed: bool,
}

/// All names.
#[derive(Debug, Default)]
struct Graph {
    by_name: BTreeMap<Vec<u8>, usize>,
    items: Vec<Item>,
}

impl Graph {
    fn item(&mut self, name: &[u8]) -> usize {
        if let Some(found) = self.by_name.get(name) {
            return *found;
        }
        let index = self.items.len();
        self.by_name.insert(name.to_vec(), index);
        self.items.push(Item {
            name: name.to_vec(),
            ..Item::default()
        });
        index
    }

    fn get(&mut self, index: usize) -> Option<&mut Item> {
        self.items.get_mut(index)
    }

    fn relate(&mut self, before: usize, after: usize) {
        if before == after {
            return;
        }
        if let Some(item) = self.get(after) {
            item.predecessors += 1;
        }
        if let Some(item) = self.get(before) {
            item.successors.push(after);
        }
    }

    /// Names that nothing stands before, in the order of the alphabet.
    fn free(&self) -> VecDeque<usize> {
        let is_free = |index: &usize| {
            self.items
                .get(*index)
                .is_some_and(|item| item.predecessors == 0 && !item.printed)
        };
        self.by_name.values().copied().filter(is_free).collect()
    }

    /// Looks for a loop in one go through the names, from the chain that begins at `start`. The names of the loop, once it is found; the
    /// pair that closes it is gone then.
    fn find_loop(&mut self, start: &mut Option<usize>) -> Option<Vec<usize>> {
        let order: Vec<usize> = self.by_name.values().copied().collect();
        for index in order {
            if self.items.get(index).is_none_or(|item| item.predecessors == 0) {
                continue;
            }
            let Some(chain) = *start else {
                *start = Some(index);
                continue;
            };
            let item = self.items.get(index)?;
            let Some(place) = item.successors.iter().rposition(|successor| *successor == chain) else {
                continue;
            };
            if item.link.is_none() {
                self.get(index)?.link = Some(chain);
                *start = Some(index);
                continue;
            }
            let mut found = Vec::new();
            let mut at = Some(chain);
            while let Some(now) = at {
                found.push(now);
                if now == index {
                    self.get(chain)?.predecessors -= 1;
                    self.get(index)?.successors.remove(place);
                    break;
                }
                at = self.items.get(now)?.link;
            }
            for item in &mut self.items {
                item.link = None;
            }
            *start = None;
            return Some(found);
        }
        None
    }
}

async fn run(proc: &mut Proc) -> Result<i32, Stop> {
    let parsed = usage::parse(proc, &SPEC).await?;
    usage::accept(proc, SPEC.check_operands(&parsed, 0, 1)).await?;
    let path = parsed
        .operands
        .into_iter()
        .next()
        .unwrap_or_else(|| b"-".to_vec());
    let Some(mut input) = usage::open_input(proc, &path).await? else {
        return Ok(1);
    };
    let mut lease = proc.kernel.lease();
    let text = match input.rest(&mut lease).await {
        Ok(text) => text,
        Err(errno) => {
            return Err(usage::fail(
                proc,
                1,
                message!(quotef(&path), ": read error: ", errno.message()),
            )
            .await);
        }
    };
    lease.resize(text.len() * 20)?;
    proc.charge(text.len() as u64)?;
    let mut graph = Graph::default();
    let is_blank = |byte: &u8| matches!(byte, b' ' | b'\n' | b'\t');
    let mut before = None;
    for name in text.split(is_blank).filter(|name| !name.is_empty()) {
        let item = graph.item(name);
        match before.take() {
            Some(before) => graph.relate(before, item),
            None => before = Some(item),
        }
    }
    if before.is_some() {
        let sentence = message!(quotef(&path), ": input contains an odd number of tokens");
        return Err(usage::fail(proc, 1, sentence).await);
    }
    print(proc, &path, graph).await
}

async fn print(proc: &mut Proc, path: &[u8], mut graph: Graph) -> Result<i32, Stop> {
    let mut status = 0;
    let mut left = graph.items.len();
    while left > 0 {
        proc.charge(graph.items.len() as u64 / 2)?;
        let mut free = graph.free();
        while let Some(index) = free.pop_front() {
            proc.kernel.breathe().await;
            let Some(item) = graph.get(index) else { continue };
            item.printed = true;
            left -= 1;
            let line = message!(item.name, "\n");
            let successors = std::mem::take(&mut item.successors);
            proc.write(&line).await?;
            proc.charge(successors.len() as u64)?;
            for successor in successors.into_iter().rev() {
                let Some(item) = graph.get(successor) else {
                    continue;
                };
                item.predecessors -= 1;
                if item.predecessors == 0 {
                    free.push_back(successor);
                }
            }
        }
        if left == 0 {
            break;
        }
        status = 1;
        proc.warn(message!(quotef(path), ": input contains a loop:"))
            .await?;
        let mut start = None;
        let found = loop {
            proc.charge(graph.items.len() as u64 * 4)?;
            if let Some(found) = graph.find_loop(&mut start) {
                break found;
            }
            if start.is_none() {
                break Vec::new();
            }
        };
        for index in found {
            let name = graph
                .items
                .get(index)
                .map(|item| item.name.clone())
                .unwrap_or_default();
            proc.warn(name).await?;
        }
    }
    Ok(status)
}
