//! Expressions with back-references: backtracking that tries every way once.
//!
//! A way is a place in the program, a place in the text, and what the referenced groups hold. Each is visited once,
//! so what is not exponential by nature is not so here; the number of steps is bounded, and beyond it the search
//! fails with an error rather than a wrong answer. All ways are tried, since POSIX wants the longest match.

use rustc_hash::FxHashSet;

use super::automata::Automata;
use super::engine::Span;
use super::tree::{Assertion, Set, Tree};
use super::{RegexError, RegexOptions};
use crate::pattern::unit::{fold, unit_at, unit_before};
use crate::text::class::Class;

/// The program may have so many instructions.
const PROGRAM_LIMIT: usize = 200_000;
/// Steps of one search.
const STEP_LIMIT: u64 = 20_000_000;
/// Ways remembered at one start.
const MEMORY_LIMIT: usize = 400_000;
/// Places tried from one that the automaton found.
const TRIES: usize = 32;

#[derive(Debug)]
enum Op {
    Unit(u32),
    Any,
    Set(Set),
    Assert(Assertion),
    /// The first is preferred.
    Split(usize, usize),
    Jump(usize),
    Save(usize),
    Back(usize),
    Match,
}

/// A compiled expression.
#[derive(Debug)]
pub struct Backtracker {
    ops: Vec<Op>,
    slots: usize,
    /// The slots whose values a back-reference reads.
    referenced: Vec<usize>,
    options: RegexOptions,
    /// Matches wherever this does, and elsewhere: finds the places to try.
    relaxed: Automata,
}

impl Backtracker {
    /// Compiles the tree.
    pub fn compile(tree: Tree, groups: usize, options: RegexOptions) -> Result<Self, RegexError> {
        let mut compiler = Compiler {
            ops: Vec::new(),
            referenced: Vec::new(),
        };
        compiler.tree(&tree)?;
        compiler.ops.push(Op::Match);
        let Compiler { ops, mut referenced } = compiler;
        referenced.sort_unstable();
        referenced.dedup();
        let relaxed = Automata::compile(tree, options)?;
        Ok(Self {
            ops,
            slots: (groups + 1) * 2,
            referenced,
            options,
            relaxed,
        })
    }

    /// The leftmost-longest match, and its groups where `spans` has room.
    pub fn find_at(
        &self,
        text: &[u8],
        start: usize,
        spans: &mut [Option<Span>],
    ) -> Result<Option<Span>, RegexError> {
        let mut search = Search::new(self, text);
        let mut from = start;
        while let Some((mut at, _)) = self.relaxed.first_at(text, from)? {
            // Where one place is worth trying others are near, and trying is cheaper than asking.
            for _ in 0..TRIES {
                search.run(at)?;
                if let Some((end, slots)) = &search.best {
                    take_spans(slots, spans);
                    if let Some(whole) = spans.first_mut() {
                        *whole = Some((at, *end));
                    }
                    return Ok(Some((at, *end)));
                }
                let Some((_, length)) = unit_at(text, at) else {
                    return Ok(None);
                };
                at += length;
            }
            from = at;
        }
        Ok(None)
    }
}

fn take_spans(slots: &[Option<usize>], spans: &mut [Option<Span>]) {
    for (span, pair) in spans.iter_mut().zip(slots.chunks_exact(2)) {
        *span = match *pair {
            [Some(start), Some(end)] => Some((start, end)),
            _ => None,
        };
    }
}

struct Compiler {
    ops: Vec<Op>,
    referenced: Vec<usize>,
}

impl Compiler {
    fn push(&mut self, op: Op) -> Result<usize, RegexError> {
        if self.ops.len() >= PROGRAM_LIMIT {
            return Err(RegexError::TooBig);
        }
        self.ops.push(op);
        Ok(self.ops.len() - 1)
    }

    fn patch(&mut self, at: usize, op: Op) {
        if let Some(slot) = self.ops.get_mut(at) {
            *slot = op;
        }
    }

    fn tree(&mut self, tree: &Tree) -> Result<(), RegexError> {
        match tree {
            Tree::Empty => {}
            Tree::Unit(unit) => _ = self.push(Op::Unit(*unit))?,
            Tree::Any => _ = self.push(Op::Any)?,
            Tree::Set(set) => _ = self.push(Op::Set(set.clone()))?,
            Tree::Assert(assertion) => _ = self.push(Op::Assert(*assertion))?,
            Tree::Group(number, inner) => {
                self.push(Op::Save(number * 2))?;
                self.tree(inner)?;
                self.push(Op::Save(number * 2 + 1))?;
            }
            Tree::Concat(all) => all.iter().try_for_each(|tree| self.tree(tree))?,
            Tree::Alternate(all) => self.alternate(all)?,
            Tree::Repeat(inner, least, most) => self.repeat(inner, *least, *most)?,
            Tree::BackReference(number) => {
                self.referenced.extend([number * 2, number * 2 + 1]);
                self.push(Op::Back(*number))?;
            }
        }
        Ok(())
    }

    fn alternate(&mut self, all: &[Tree]) -> Result<(), RegexError> {
        let mut exits = Vec::new();
        let last = all.len().saturating_sub(1);
        for (index, tree) in all.iter().enumerate() {
            if index == last {
                self.tree(tree)?;
                break;
            }
            let split = self.push(Op::Match)?;
            self.tree(tree)?;
            exits.push(self.push(Op::Match)?);
            self.patch(split, Op::Split(split + 1, self.ops.len()));
        }
        let end = self.ops.len();
        for exit in exits {
            self.patch(exit, Op::Jump(end));
        }
        Ok(())
    }

    fn repeat(&mut self, inner: &Tree, least: u32, most: Option<u32>) -> Result<(), RegexError> {
        for _ in 0..least {
            self.tree(inner)?;
        }
        let Some(most) = most else {
            let split = self.push(Op::Match)?;
            self.tree(inner)?;
            self.push(Op::Jump(split))?;
            self.patch(split, Op::Split(split + 1, self.ops.len()));
            return Ok(());
        };
        let mut splits = Vec::new();
        for _ in least..most {
            splits.push(self.push(Op::Match)?);
            self.tree(inner)?;
        }
        let end = self.ops.len();
        for split in splits {
            self.patch(split, Op::Split(split + 1, end));
        }
        Ok(())
    }
}

enum Job {
    Explore(usize, usize),
    Restore(usize, Option<usize>),
}

struct Search<'s> {
    program: &'s Backtracker,
    text: &'s [u8],
    steps: u64,
    slots: Vec<Option<usize>>,
    seen: FxHashSet<Box<[usize]>>,
    best: Option<(usize, Vec<Option<usize>>)>,
    jobs: Vec<Job>,
}

impl<'s> Search<'s> {
    fn new(program: &'s Backtracker, text: &'s [u8]) -> Self {
        Self {
            program,
            text,
            steps: 0,
            slots: vec![None; program.slots],
            seen: FxHashSet::default(),
            best: None,
            jobs: Vec::new(),
        }
    }

    /// Tries every way from `start`; the longest match is in `best`.
    fn run(&mut self, start: usize) -> Result<(), RegexError> {
        let rest = self.text.get(start..).unwrap_or_default();
        let line = self
            .program
            .options
            .lines
            .and_then(|byte| memchr::memchr(byte, rest));
        let limit = line.map_or(self.text.len(), |length| start + length);
        self.slots.fill(None);
        if !self.seen.is_empty() {
            self.seen.clear();
        }
        self.jobs.push(Job::Explore(0, start));
        while let Some(job) = self.jobs.pop() {
            match job {
                Job::Restore(slot, value) => self.set_slot(slot, value),
                Job::Explore(pc, at) => {
                    self.explore(pc, at)?;
                    if self.best.as_ref().is_some_and(|(end, _)| *end == limit) {
                        return Ok(());
                    }
                }
            }
        }
        Ok(())
    }

    fn set_slot(&mut self, slot: usize, value: Option<usize>) {
        if let Some(place) = self.slots.get_mut(slot) {
            *place = value;
        }
    }

    /// Follows one way until it fails, matches or comes to where another was.
    fn explore(&mut self, mut pc: usize, mut at: usize) -> Result<(), RegexError> {
        let program = self.program;
        loop {
            self.steps += 1;
            if self.steps > STEP_LIMIT {
                return Err(RegexError::Exhausted);
            }
            let Some(op) = program.ops.get(pc) else {
                return Ok(());
            };
            pc += 1;
            match op {
                Op::Jump(target) => pc = *target,
                Op::Split(first, second) => {
                    if !self.visit(pc, at)? {
                        return Ok(());
                    }
                    self.jobs.push(Job::Explore(*second, at));
                    pc = *first;
                }
                Op::Save(slot) => {
                    self.jobs
                        .push(Job::Restore(*slot, self.slots.get(*slot).copied().flatten()));
                    self.set_slot(*slot, Some(at));
                }
                Op::Assert(assertion) if self.holds(*assertion, at) => {}
                Op::Match => {
                    if self.best.as_ref().is_none_or(|(end, _)| at > *end) {
                        self.best = Some((at, self.slots.clone()));
                    }
                    return Ok(());
                }
                _ => match self.consume(op, at) {
                    Some(after) => at = after,
                    None => return Ok(()),
                },
            }
        }
    }

    /// False when this way was tried before.
    fn visit(&mut self, pc: usize, at: usize) -> Result<bool, RegexError> {
        let held = |slot: &usize| self.slots.get(*slot).copied().flatten().map_or(0, |at| at + 1);
        let key = [pc, at]
            .into_iter()
            .chain(self.program.referenced.iter().map(held))
            .collect();
        if self.seen.len() >= MEMORY_LIMIT {
            return Err(RegexError::Exhausted);
        }
        Ok(self.seen.insert(key))
    }

    /// The place after the element, if it matches at `at`.
    fn consume(&self, op: &Op, at: usize) -> Option<usize> {
        let options = self.program.options;
        if let Op::Back(number) = op {
            return self.back_reference(*number, at);
        }
        let (unit, length) = unit_at(self.text, at)?;
        let excluded = |byte: Option<u8>| byte.is_some_and(|byte| unit == u32::from(byte));
        let newline = options.newline_anchors.then_some(b'\n');
        let matched = match op {
            Op::Unit(own) if options.ignore_case => fold(*own) == fold(unit),
            Op::Unit(own) => *own == unit,
            Op::Any => unit < crate::pattern::INVALID && !excluded(options.lines.or(newline)),
            Op::Set(set) => {
                set.contains(unit, options.ignore_case)
                    && !excluded(options.lines.or(newline.filter(|_| set.negated)))
            }
            _ => false,
        };
        matched.then_some(at + length)
    }

    fn back_reference(&self, number: usize, at: usize) -> Option<usize> {
        let start = self.slots.get(number * 2).copied().flatten()?;
        let end = self.slots.get(number * 2 + 1).copied().flatten()?;
        let held = self.text.get(start..end)?;
        let rest = self.text.get(at..)?;
        if !self.program.options.ignore_case {
            return rest.starts_with(held).then_some(at + held.len());
        }
        let (mut from, mut to) = (0, 0);
        while let Some((unit, length)) = unit_at(held, from) {
            let (other, other_length) = unit_at(rest, to)?;
            if fold(unit) != fold(other) {
                return None;
            }
            (from, to) = (from + length, to + other_length);
        }
        Some(at + to)
    }

    fn holds(&self, assertion: Assertion, at: usize) -> bool {
        let options = self.program.options;
        let terminator = options.lines.or(options.newline_anchors.then_some(b'\n'));
        let before = unit_before(self.text, at).map(|(unit, _)| unit);
        let after = unit_at(self.text, at).map(|(unit, _)| unit);
        let is_end = |unit: Option<u32>, byte: Option<u8>| match unit {
            None => true,
            Some(unit) => byte.is_some_and(|byte| unit == u32::from(byte)),
        };
        let is_word = |unit: Option<u32>| unit.is_some_and(|unit| Class::Word.contains_unit(unit));
        match assertion {
            Assertion::LineStart => is_end(before, terminator),
            Assertion::LineEnd => is_end(after, terminator),
            Assertion::BufferStart => is_end(before, options.lines),
            Assertion::BufferEnd => is_end(after, options.lines),
            Assertion::WordBoundary => is_word(before) != is_word(after),
            Assertion::NotWordBoundary => is_word(before) == is_word(after),
            Assertion::WordStart => !is_word(before) && is_word(after),
            Assertion::WordEnd => is_word(before) && !is_word(after),
            Assertion::NotAfterWord => !is_word(before),
            Assertion::NotBeforeWord => !is_word(after),
        }
    }
}
