//! `join`: pairs lines of two sorted files that have a field in common.
//!
//! Of each file the lines with the current key are held; their pairs are printed when both groups are complete. Keys compare as
//! bytes; `-i` folds ASCII letters.

mod options;

use std::cmp::Ordering;

use super::lines;
use super::usage::{self, Failure};
use crate::kernel::{Input, Lease, Proc, Program, Stop};
use options::{Output, Plan};

/// The program.
pub const PROGRAM: Program = Program {
    name: "join",
    run: |proc| Box::pin(run(proc)),
};

/// A line and where its fields are.
#[derive(Debug, Clone, Default)]
struct Line {
    text: Vec<u8>,
    fields: Vec<(usize, usize)>,
}

impl Line {
    fn new(text: &[u8], separator: Option<u8>) -> Line {
        let mut fields = Vec::new();
        match separator {
            _ if text.is_empty() => {}
            Some(b'\n') => fields.push((0, text.len())),
            Some(separator) => {
                let mut start = 0;
                for end in memchr::memchr_iter(separator, text) {
                    fields.push((start, end));
                    start = end + 1;
                }
                fields.push((start, text.len()));
            }
            None => split_at_blanks(text, &mut fields),
        }
        Line {
            text: text.to_vec(),
            fields,
        }
    }

    /// A field; empty when it is missing.
    fn field(&self, index: usize) -> &[u8] {
        self.fields
            .get(index)
            .and_then(|(start, end)| self.text.get(*start..*end))
            .unwrap_or_default()
    }
}

/// Blanks behind the last field make one more, empty field.
fn split_at_blanks(text: &[u8], fields: &mut Vec<(usize, usize)>) {
    let is_blank = |at: usize| matches!(text.get(at), Some(b' ' | b'\t' | b'\n'));
    let mut at = 0;
    while is_blank(at) {
        at += 1;
    }
    while at < text.len() {
        let start = at;
        while at < text.len() && !is_blank(at) {
            at += 1;
        }
        fields.push((start, at));
        if at == text.len() {
            return;
        }
        while is_blank(at) {
            at += 1;
        }
        if at == text.len() {
            fields.push((at, at));
        }
    }
}

/// One of the two files.
struct Side {
    index: usize,
    path: Vec<u8>,
    input: Input,
    number: u64,
    /// The next line.
    line: Option<Line>,
    /// The key of the line before it.
    previous: Option<Vec<u8>>,
    disorder: bool,
}

struct Join<'a> {
    plan: &'a Plan,
    /// A line of one file had no partner, though the other file had lines.
    unpaired: bool,
    /// Fields of the first lines, for `-o auto`.
    counts: [usize; 2],
}

async fn run(proc: &mut Proc) -> Result<i32, Stop> {
    let plan = Plan::from_arguments(proc.arguments());
    let plan = usage::accept(proc, plan).await?;
    let [first, second] = &plan.files;
    let mut left = Side::open(proc, first, 0).await?;
    let mut right = Side::open(proc, second, 1).await?;
    if first == b"-" && second == b"-" {
        return Err(usage::fail(
            proc,
            1,
            "both files cannot be standard input: No such file or directory",
        )
        .await);
    }
    let mut join = Join {
        plan: &plan,
        unpaired: false,
        counts: [0; 2],
    };
    join.join(proc, &mut left, &mut right).await?;
    if left.disorder || right.disorder {
        return Err(usage::fail(proc, 1, "input is not in sorted order").await);
    }
    Ok(0)
}

impl Side {
    async fn open(proc: &mut Proc, path: &[u8], index: usize) -> Result<Side, Stop> {
        let Some(input) = usage::open_input(proc, path).await? else {
            return Err(Stop::Exit(1));
        };
        Ok(Side {
            index,
            path: path.to_vec(),
            input,
            number: 0,
            line: None,
            previous: None,
            disorder: false,
        })
    }

    /// Takes the current line out and reads the next; its order is checked.
    async fn advance(&mut self, proc: &mut Proc, join: &Join<'_>) -> Result<Option<Line>, Stop> {
        let plan = join.plan;
        let read = self.input.line(plan.delimiter).await.map_err(Failure::from);
        let line = match usage::settle(read)? {
            Ok(line) => line.map(|line| Line::new(lines::text(line, plan.delimiter), plan.separator)),
            Err(errno) => return Err(usage::fail(proc, 1, format!("read error: {errno}")).await),
        };
        if let Some(line) = &line {
            self.number += 1;
            let key = join.key(line, self.index).to_vec();
            if let Some(before) = self.previous.replace(key) {
                self.check(proc, join, &before, line).await?;
            }
        }
        Ok(std::mem::replace(&mut self.line, line))
    }

    async fn check(
        &mut self,
        proc: &mut Proc,
        join: &Join<'_>,
        before: &[u8],
        line: &Line,
    ) -> Result<(), Stop> {
        let checked = join.plan.check.unwrap_or(join.unpaired) && !self.disorder;
        if !checked || join.compare_keys(before, join.key(line, self.index)).is_le() {
            return Ok(());
        }
        let place = format!(":{}: is not sorted: ", self.number);
        proc.warn([&self.path, place.as_bytes(), &line.text].concat())
            .await?;
        if join.plan.check == Some(true) {
            return Err(Stop::Exit(1));
        }
        self.disorder = true;
        Ok(())
    }
}

impl Join<'_> {
    fn key<'a>(&self, line: &'a Line, file: usize) -> &'a [u8] {
        line.field(self.plan.fields.get(file).copied().unwrap_or(0))
    }

    fn compare_keys(&self, left: &[u8], right: &[u8]) -> Ordering {
        if self.plan.ignore_case {
            let folded = |text: &[u8]| text.to_ascii_uppercase();
            return folded(left).cmp(&folded(right));
        }
        left.cmp(right)
    }

    async fn join(&mut self, proc: &mut Proc, left: &mut Side, right: &mut Side) -> Result<(), Stop> {
        left.advance(proc, self).await?;
        right.advance(proc, self).await?;
        if self.plan.auto {
            let count = |side: &Side| side.line.as_ref().map_or(0, |line| line.fields.len());
            self.counts = [count(left), count(right)];
        }
        if self.plan.header && (left.line.is_some() || right.line.is_some()) {
            self.print(proc, left.line.as_ref(), right.line.as_ref()).await?;
            left.previous = None;
            right.previous = None;
            for side in [&mut *left, &mut *right] {
                if side.line.is_some() {
                    side.advance(proc, self).await?;
                }
            }
        }
        let mut lease = proc.kernel.lease();
        while let (Some(first), Some(second)) = (&left.line, &right.line) {
            match self.compare_keys(self.key(first, 0), self.key(second, 1)) {
                Ordering::Equal => self.pair(proc, left, right, &mut lease).await?,
                order => {
                    let side = if order.is_lt() { &mut *left } else { &mut *right };
                    self.print_unpaired(proc, side).await?;
                    side.advance(proc, self).await?;
                    self.unpaired = true;
                }
            }
        }
        self.finish(proc, left, right).await
    }

    /// Collects the lines of both files that have the current key, and prints their pairs.
    async fn pair(
        &mut self,
        proc: &mut Proc,
        left: &mut Side,
        right: &mut Side,
        lease: &mut Lease,
    ) -> Result<(), Stop> {
        let key = left
            .line
            .as_ref()
            .map(|line| self.key(line, 0).to_vec())
            .unwrap_or_default();
        lease.resize(0)?;
        let mut groups = [Vec::new(), Vec::new()];
        for (side, group) in [&mut *left, &mut *right].into_iter().zip(&mut groups) {
            while let Some(line) = &side.line {
                if self.compare_keys(self.key(line, side.index), &key).is_ne() {
                    break;
                }
                lease.grow(line.text.len() + line.fields.len() * 16 + size_of::<Line>())?;
                group.extend(side.advance(proc, self).await?);
            }
        }
        if self.plan.no_pairs {
            return Ok(());
        }
        let [firsts, seconds] = &groups;
        for first in firsts {
            for second in seconds {
                self.print(proc, Some(first), Some(second)).await?;
            }
        }
        Ok(())
    }

    /// What is left of one file when the other has ended.
    async fn finish(&mut self, proc: &mut Proc, left: &mut Side, right: &mut Side) -> Result<(), Stop> {
        let check = self.plan.check != Some(false) && !(left.disorder && right.disorder);
        let had_lines = [left.line.is_some(), right.line.is_some()];
        let [had_left, had_right] = had_lines;
        for (side, other_had) in [(left, had_right), (right, had_left)] {
            let wanted = self.plan.unpaired.get(side.index).copied().unwrap_or(false);
            if !(wanted || check) || side.line.is_none() {
                continue;
            }
            self.unpaired |= other_had;
            while side.line.is_some() {
                self.print_unpaired(proc, side).await?;
                side.advance(proc, self).await?;
                if side.disorder && !wanted {
                    break;
                }
            }
        }
        Ok(())
    }

    async fn print_unpaired(&self, proc: &mut Proc, side: &Side) -> Result<(), Stop> {
        match (side.index, self.plan.unpaired) {
            (0, [true, _]) => self.print(proc, side.line.as_ref(), None).await,
            (1, [_, true]) => self.print(proc, None, side.line.as_ref()).await,
            _ => Ok(()),
        }
    }

    fn push_field(&self, out: &mut Vec<u8>, line: Option<&Line>, index: usize) {
        match line
            .map(|line| line.field(index))
            .filter(|field| !field.is_empty())
        {
            Some(field) => out.extend_from_slice(field),
            None => out.extend_from_slice(self.plan.empty.as_deref().unwrap_or_default()),
        }
    }

    fn push_join_field(&self, out: &mut Vec<u8>, lines: [Option<&Line>; 2]) {
        let [first, second] = self.plan.fields;
        match lines {
            [None, line] => self.push_field(out, line, second),
            [line, _] => self.push_field(out, line, first),
        }
    }

    async fn print(&self, proc: &mut Proc, first: Option<&Line>, second: Option<&Line>) -> Result<(), Stop> {
        let separator = self.plan.separator.unwrap_or(b' ');
        let lines = [first, second];
        let out = proc.out();
        if self.plan.format.is_empty() {
            self.push_join_field(out, lines);
            for ((line, join), count) in lines.into_iter().zip(self.plan.fields).zip(self.counts) {
                let count = if self.plan.auto {
                    count
                } else {
                    line.map_or(0, |line| line.fields.len())
                };
                for index in (0..count).filter(|index| *index != join) {
                    out.push(separator);
                    self.push_field(out, line, index);
                }
            }
        }
        for (place, output) in self.plan.format.iter().enumerate() {
            if place > 0 {
                out.push(separator);
            }
            match output {
                Output::Join => self.push_join_field(out, lines),
                Output::Field(file, index) => {
                    self.push_field(out, lines.get(*file).copied().flatten(), *index);
                }
            }
        }
        out.push(self.plan.delimiter);
        proc.flush_if_full().await
    }
}
