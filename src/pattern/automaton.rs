//! Patterns with groups: `?( *( +( @( !(`, nested, in polynomial time.
//!
//! The tree becomes the instructions of a nondeterministic automaton whose threads are walked together over the
//! subject, one unit at a time, so `*(*(*(a)b)c)d` costs O(subject · pattern) where a backtracking matcher takes
//! forever. `!(…)` is a complement, which such an automaton lacks. It is handled by simulation: a thread that
//! enters it carries the *set* of threads of the alternatives begun there; while that set does not accept, what
//! was read so far is matched by `!(…)`. Sets are shared: two that are equal at a position are one (see
//! [`Arena`]), so there are at most `starting positions · number of !(` of them, whatever the nesting.
//!
//! One habit of bash is kept, since people lean on it: what follows a `*` and begins with `@(`, `+(` or `!(` is never
//! tried against the empty rest, so that `*!(foo)` does not match `foo`. `Hold` and `Progress` do that, forward only.
//!
//! For suffixes the tree is compiled backward and the subject walked from its end. For `find` a thread knows
//! where it began; the leftmost one wins where two meet, so one pass finds the leftmost-longest match.

use rustc_hash::{FxHashMap, FxHashSet};

use super::bracket::CharSet;
use super::shell_syntax::{GroupKind, Node};
use super::unit::{Units, fold};

/// A compiled pattern.
#[derive(Debug, Clone)]
pub struct Program {
    ops: Vec<Op>,
    nocase: bool,
    units: Units,
    negations: usize,
}

/// An instruction; what consumes a unit goes on with the next.
#[derive(Debug, Clone)]
enum Op {
    Unit(u32),
    Any,
    Set(Box<CharSet>),
    /// `*`: consumes any number.
    Star,
    Jump(usize),
    Split(usize, usize),
    /// `!(…)`: its alternatives begin at the next instruction and end in `Accept`; the pattern goes on at `next`.
    Not {
        next: usize,
    },
    /// From here a unit must be consumed before the next `Progress`.
    Hold,
    Progress,
    Accept,
}

/// Which way the subject is walked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Direction {
    /// From the start.
    Forward,
    /// From the end.
    Backward,
}

impl Program {
    /// Compiles the tree for one direction.
    pub fn compile(nodes: &[Node], nocase: bool, units: Units, direction: Direction) -> Self {
        let mut compiler = Compiler {
            ops: Vec::new(),
            nocase,
            units,
            direction,
            negations: 0,
        };
        compiler.sequence(nodes);
        compiler.ops.push(Op::Accept);
        Self {
            ops: compiler.ops,
            nocase,
            units,
            negations: compiler.negations,
        }
    }

    /// An upper bound of the steps of one match.
    pub fn cost_bound(&self, length: usize) -> u64 {
        let linear = (length as u64 + 1).saturating_mul(self.ops.len() as u64);
        if self.negations == 0 {
            linear
        } else {
            linear.saturating_mul(length as u64 + 1)
        }
    }

    /// Whether all of `subject` matches. With `guard_dot`, a `.` at its start is matched by a literal `.` only.
    pub fn matches(&self, subject: &[u8], guard_dot: bool) -> bool {
        let mut machine = Machine::new(self);
        let guarded = guard_dot && subject.first() == Some(&b'.');
        let mut frontier = machine.begin(guarded);
        let mut at = 0;
        while let Some((unit, length)) = self.units.at(subject, at) {
            if frontier.threads.is_empty() {
                return false;
            }
            frontier = machine.step(&frontier, unit, guarded && at == 0, None);
            at += length;
        }
        frontier.accept.is_some()
    }

    /// Every length at which the pattern matches a prefix, shortest first, until `visit` says stop.
    pub fn prefixes(&self, subject: &[u8], mut visit: impl FnMut(usize) -> bool) {
        self.walk(
            subject,
            0,
            |text, at| self.units.at(text, at).map(|(unit, length)| (unit, at + length)),
            &mut visit,
        );
    }

    /// Every start at which the pattern matches a suffix, shortest first, until `visit` says stop.
    pub fn suffixes(&self, subject: &[u8], mut visit: impl FnMut(usize) -> bool) {
        let back = |text: &[u8], at| {
            self.units
                .before(text, at)
                .map(|(unit, length)| (unit, at - length))
        };
        self.walk(subject, subject.len(), back, &mut visit);
    }

    fn walk(
        &self,
        subject: &[u8],
        mut at: usize,
        next: impl Fn(&[u8], usize) -> Option<(u32, usize)>,
        visit: &mut dyn FnMut(usize) -> bool,
    ) {
        let mut machine = Machine::new(self);
        let mut frontier = machine.begin(false);
        loop {
            if frontier.accept.is_some() && !visit(at) {
                return;
            }
            let Some((unit, after)) = next(subject, at).filter(|_| !frontier.threads.is_empty()) else {
                return;
            };
            frontier = machine.step(&frontier, unit, false, None);
            at = after;
        }
    }

    /// The leftmost and there longest match at or after `from`.
    pub fn find(&self, subject: &[u8], from: usize) -> Option<(usize, usize)> {
        let mut machine = Machine::new(self);
        let mut best: Option<(usize, usize)> = None;
        let mut at = from;
        let mut frontier = machine.begin(false);
        frontier.begun_at(from);
        loop {
            if let Some(start) = frontier
                .accept
                .filter(|&start| best.is_none_or(|(first, _)| start <= first))
            {
                best = Some((start, at));
                frontier.threads.retain(|thread| thread.start <= start);
            }
            let Some((unit, length)) = self.units.at(subject, at) else {
                return best;
            };
            if best.is_some() && frontier.threads.is_empty() {
                return best;
            }
            at += length;
            frontier = machine.step(&frontier, unit, false, best.is_none().then_some(at));
        }
    }
}

struct Compiler {
    ops: Vec<Op>,
    nocase: bool,
    units: Units,
    direction: Direction,
    negations: usize,
}

impl Compiler {
    fn sequence(&mut self, nodes: &[Node]) {
        if self.direction == Direction::Backward {
            return nodes.iter().rev().for_each(|node| self.node(node));
        }
        let (mut after_star, mut held) = (false, false);
        for node in nodes {
            match node {
                Node::Star => after_star = true,
                Node::Any | Node::Group(GroupKind::Optional | GroupKind::Any, _) => {}
                Node::Group(..) if after_star => {
                    self.ops.push(Op::Hold);
                    (after_star, held) = (false, true);
                }
                _ => after_star = false,
            }
            self.node(node);
        }
        if held {
            self.ops.push(Op::Progress);
        }
    }

    fn node(&mut self, node: &Node) {
        match node {
            Node::Literal(text) => self.literal(text),
            Node::Any => self.ops.push(Op::Any),
            Node::Set(set) => self.ops.push(Op::Set(set.clone())),
            Node::Star => self.ops.push(Op::Star),
            Node::Group(kind, alternatives) => self.group(*kind, alternatives),
        }
    }

    fn literal(&mut self, text: &[u8]) {
        let mut units = Vec::new();
        let mut at = 0;
        while let Some((unit, length)) = self.units.at(text, at) {
            units.push(Op::Unit(if self.nocase { fold(unit) } else { unit }));
            at += length;
        }
        if self.direction == Direction::Backward {
            units.reverse();
        }
        self.ops.append(&mut units);
    }

    fn group(&mut self, kind: GroupKind, alternatives: &[Vec<Node>]) {
        let head = self.ops.len();
        match kind {
            GroupKind::One => self.alternatives(alternatives),
            GroupKind::Optional | GroupKind::Any => {
                self.ops.push(Op::Accept);
                self.alternatives(alternatives);
                if kind == GroupKind::Any {
                    self.ops.push(Op::Jump(head));
                }
                self.patch(head, Op::Split(head + 1, self.ops.len()));
            }
            GroupKind::Many => {
                self.alternatives(alternatives);
                let after = self.ops.len() + 1;
                self.ops.push(Op::Split(head, after));
            }
            GroupKind::Not => {
                self.negations += 1;
                self.ops.push(Op::Accept);
                self.alternatives(alternatives);
                self.ops.push(Op::Accept);
                self.patch(head, Op::Not { next: self.ops.len() });
            }
        }
    }

    fn alternatives(&mut self, alternatives: &[Vec<Node>]) {
        let mut exits = Vec::new();
        let last = alternatives.len().saturating_sub(1);
        for (index, nodes) in alternatives.iter().enumerate() {
            let split = self.ops.len();
            if index == last {
                self.sequence(nodes);
                break;
            }
            self.ops.push(Op::Accept);
            self.sequence(nodes);
            exits.push(self.ops.len());
            self.ops.push(Op::Accept);
            self.patch(split, Op::Split(split + 1, self.ops.len()));
        }
        let end = self.ops.len();
        for exit in exits {
            self.patch(exit, Op::Jump(end));
        }
    }

    fn patch(&mut self, at: usize, op: Op) {
        if let Some(slot) = self.ops.get_mut(at) {
            *slot = op;
        }
    }
}

/// An instruction that waits for a unit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
struct Thread {
    pc: usize,
    /// For `Not`: the set of its alternatives, in the arena of this position.
    inner: u32,
    /// Where the match began; 0 inside sets.
    start: usize,
}

/// The threads at one position, earliest start first.
#[derive(Debug, Clone, Default)]
struct Frontier {
    threads: Vec<Thread>,
    /// The earliest start of a match that ends here.
    accept: Option<usize>,
}

impl Frontier {
    fn begun_at(&mut self, start: usize) {
        self.threads.iter_mut().for_each(|thread| thread.start = start);
        self.accept = self.accept.map(|_| start);
    }
}

/// The sets inside `!(…)` at one position; equal ones have one number.
#[derive(Debug, Default)]
struct Arena {
    sets: Vec<Frontier>,
    index: FxHashMap<(Vec<Thread>, bool), u32>,
}

impl Arena {
    fn intern(&mut self, mut set: Frontier) -> u32 {
        set.threads.sort_unstable();
        let Self { sets, index } = self;
        *index
            .entry((set.threads.clone(), set.accept.is_some()))
            .or_insert_with(|| {
                sets.push(set);
                sets.len() as u32 - 1
            })
    }

    fn accepts(&self, set: u32) -> bool {
        self.sets
            .get(set as usize)
            .is_some_and(|set| set.accept.is_some())
    }

    fn clear(&mut self) {
        self.sets.clear();
        self.index.clear();
    }
}

/// What one closure has visited.
#[derive(Debug, Default)]
struct Marks {
    /// Even; the odd number after it marks what was visited held only.
    generation: u32,
    seen: Vec<u32>,
    inner: FxHashSet<(usize, u32)>,
    stack: Vec<(usize, bool)>,
}

#[derive(PartialEq, Eq)]
enum Visit {
    First,
    /// Visited before, but held.
    Released,
    Again,
}

impl Marks {
    fn reset(&mut self, size: usize) {
        self.generation = self.generation.wrapping_add(2);
        if self.generation == 0 || self.seen.len() != size {
            self.seen = vec![0; size];
            self.generation = 2;
        }
        self.inner.clear();
    }

    fn visit(&mut self, pc: usize, held: bool) -> Visit {
        let Some(mark) = self.seen.get_mut(pc) else {
            return Visit::Again;
        };
        let before = std::mem::replace(mark, self.generation | u32::from(held));
        if before == self.generation || (before == self.generation + 1 && held) {
            *mark = before;
            Visit::Again
        } else if before == self.generation + 1 {
            Visit::Released
        } else {
            Visit::First
        }
    }
}

struct Machine<'p> {
    program: &'p Program,
    /// Sets of the position that is left, and of the one that is entered.
    old: Arena,
    new: Arena,
    /// `old` number to `new` number.
    moved: FxHashMap<u32, u32>,
    free: Vec<Marks>,
    /// At a leading dot that only a literal may match.
    guarded: bool,
}

impl<'p> Machine<'p> {
    fn new(program: &'p Program) -> Self {
        Self {
            program,
            old: Arena::default(),
            new: Arena::default(),
            moved: FxHashMap::default(),
            free: Vec::new(),
            guarded: false,
        }
    }

    /// The threads before the first unit.
    fn begin(&mut self, guarded: bool) -> Frontier {
        self.guarded = guarded;
        self.enter(0)
    }

    fn marks(&mut self) -> Marks {
        let mut marks = self.free.pop().unwrap_or_default();
        marks.reset(self.program.ops.len());
        marks
    }

    fn enter(&mut self, pc: usize) -> Frontier {
        let mut marks = self.marks();
        let mut frontier = Frontier::default();
        self.close(&mut frontier, &mut marks, pc, 0);
        self.free.push(marks);
        frontier
    }

    /// Consumes a unit; with `seed`, a match may also begin at that position.
    fn step(&mut self, from: &Frontier, unit: u32, guarded: bool, seed: Option<usize>) -> Frontier {
        std::mem::swap(&mut self.old, &mut self.new);
        self.new.clear();
        self.moved.clear();
        // What is entered after the first unit is not at the leading dot any more.
        self.guarded = false;
        let mut to = Frontier::default();
        let mut marks = self.marks();
        self.advance(from, &mut to, &mut marks, unit, guarded);
        if let Some(start) = seed {
            self.close(&mut to, &mut marks, 0, start);
        }
        self.free.push(marks);
        to
    }

    fn advance(&mut self, from: &Frontier, to: &mut Frontier, marks: &mut Marks, unit: u32, guarded: bool) {
        let program = self.program;
        for thread in &from.threads {
            let next = match program.ops.get(thread.pc) {
                Some(Op::Unit(expected)) => {
                    let found = if program.nocase { fold(unit) } else { unit };
                    if *expected != found {
                        continue;
                    }
                    thread.pc + 1
                }
                Some(Op::Any) if !guarded => thread.pc + 1,
                Some(Op::Set(set)) if !guarded && set.contains(unit) => thread.pc + 1,
                Some(Op::Star) => thread.pc,
                Some(&Op::Not { next }) => {
                    let inner = self.advance_set(thread.inner, unit, guarded);
                    if !marks.inner.insert((thread.pc, inner)) {
                        continue;
                    }
                    to.threads.push(Thread { inner, ..*thread });
                    if self.new.accepts(inner) {
                        continue;
                    }
                    next
                }
                _ => continue,
            };
            self.close(to, marks, next, thread.start);
        }
    }

    /// The set after one more unit; each is stepped once per position.
    fn advance_set(&mut self, set: u32, unit: u32, guarded: bool) -> u32 {
        if let Some(&moved) = self.moved.get(&set) {
            return moved;
        }
        // Sets hold deeper sets only, so nothing asks for this one meanwhile.
        let from = self
            .old
            .sets
            .get_mut(set as usize)
            .map(std::mem::take)
            .unwrap_or_default();
        let mut marks = self.marks();
        let mut to = Frontier::default();
        self.advance(&from, &mut to, &mut marks, unit, guarded);
        self.free.push(marks);
        let moved = self.new.intern(to);
        self.moved.insert(set, moved);
        moved
    }

    /// Adds the threads reachable from `pc` without a unit.
    fn close(&mut self, to: &mut Frontier, marks: &mut Marks, pc: usize, start: usize) {
        marks.stack.push((pc, false));
        while let Some((pc, held)) = marks.stack.pop() {
            let visit = marks.visit(pc, held);
            if visit == Visit::Again {
                continue;
            }
            let thread = Thread { pc, inner: 0, start };
            match self.program.ops.get(pc) {
                Some(Op::Unit(_) | Op::Any | Op::Set(_)) if visit == Visit::First => to.threads.push(thread),
                Some(Op::Star) if !self.guarded => {
                    if visit == Visit::First {
                        to.threads.push(thread);
                    }
                    marks.stack.push((pc + 1, held));
                }
                Some(&Op::Jump(target)) => marks.stack.push((target, held)),
                Some(&Op::Split(one, other)) => marks.stack.extend([(other, held), (one, held)]),
                Some(&Op::Not { next }) if !self.guarded => {
                    let set = self.enter(pc + 1);
                    let inner = self.new.intern(set);
                    if marks.inner.insert((pc, inner)) {
                        to.threads.push(Thread { inner, ..thread });
                    }
                    if !self.new.accepts(inner) {
                        marks.stack.push((next, held));
                    }
                }
                Some(Op::Hold) => marks.stack.push((pc + 1, true)),
                Some(Op::Progress) if !held => marks.stack.push((pc + 1, false)),
                Some(Op::Accept) => to.accept = Some(to.accept.map_or(start, |first| first.min(start))),
                _ => {}
            }
        }
    }
}
