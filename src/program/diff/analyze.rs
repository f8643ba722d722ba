//! From two files to an edit script, as GNU `diff` finds it.
//!
//! What is equal at both ends is put aside; lines that occur in one file alone are changed anyway and stay out of the comparison, and so
//! do very common lines between them; then comes the search for the shortest script, and last, runs of changes are moved as far down
//! as they go, or to where the other file has changes too. Each step decides which of several scripts comes out.

use super::options::Options;
use super::sequence::{self, Effort};
use super::text::{Classes, Text};
use crate::kernel::{Halt, Meter};

/// Lines deleted from one file and inserted from the other, in one place; lines count from 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Change {
    pub left: usize,
    pub right: usize,
    pub deleted: usize,
    pub inserted: usize,
    /// Nothing of it matters.
    pub ignored: bool,
}

/// One file in the comparison.
struct Side {
    /// Classes of the lines between the equal ends.
    classes: Vec<u32>,
    /// Which of them are changed, behind one that is not and before another.
    changed: Vec<bool>,
}

impl Side {
    fn is_changed(&self, index: isize) -> bool {
        usize::try_from(index + 1)
            .ok()
            .and_then(|at| self.changed.get(at))
            .copied()
            .unwrap_or(false)
    }

    fn mark(&mut self, index: isize, changed: bool) {
        let at = usize::try_from(index + 1).ok();
        if let Some(slot) = at.and_then(|at| self.changed.get_mut(at)) {
            *slot = changed;
        }
    }

    fn class(&self, index: isize) -> Option<u32> {
        usize::try_from(index)
            .ok()
            .and_then(|at| self.classes.get(at))
            .copied()
    }

    fn len(&self) -> isize {
        self.classes.len() as isize
    }
}

/// The changes that turn `left` into `right`, in order.
pub fn script(left: &Text, right: &Text, options: &Options, meter: &Meter) -> Result<Vec<Change>, Halt> {
    let (prefix, left_end, right_end) = equal_ends(left, right, options);
    meter.charge((left.bytes().len() + right.bytes().len()) as u64 / 64 + 1)?;
    let mut classes = Classes::default();
    let mut sides = [
        side(classes.of(left, prefix..left_end, options)),
        side(classes.of(right, prefix..right_end, options)),
    ];
    let kept = discard(&mut sides, classes.count(), options.minimal);
    let pick = |side: &Side, kept: &[usize]| -> Vec<u32> {
        kept.iter()
            .filter_map(|index| side.classes.get(*index).copied())
            .collect()
    };
    let [left_side, right_side] = &sides;
    let (picked_left, picked_right) = (pick(left_side, &kept[0]), pick(right_side, &kept[1]));
    let effort = Effort {
        minimal: options.minimal,
        speed_large: options.speed_large,
        limit: effort_limit(picked_left.len() + picked_right.len() + 3),
    };
    let (deleted, inserted) = sequence::changes(&picked_left, &picked_right, effort, meter)?;
    for ((side, kept), found) in sides.iter_mut().zip(&kept).zip([deleted, inserted]) {
        for index in found {
            if let Some(line) = kept.get(index) {
                side.mark(*line as isize, true);
            }
        }
    }
    shift_boundaries(&mut sides);
    Ok(build(&sides, prefix))
}

fn side(classes: Vec<u32>) -> Side {
    let changed = vec![false; classes.len() + 2];
    Side { classes, changed }
}

/// The square root of the size, about, and not too small.
fn effort_limit(mut diagonals: usize) -> isize {
    let mut limit = 1;
    while diagonals != 0 {
        limit <<= 1;
        diagonals >>= 2;
    }
    limit.max(4096)
}

/// The number of equal lines at the start, and where the equal lines at the end begin in each file. Some lines stay in, so that
/// changes at the ends can be moved.
fn equal_ends(left: &Text, right: &Text, options: &Options) -> (usize, usize, usize) {
    let (a, b) = (left.bytes(), right.bytes());
    let mut same = common_prefix(a, b);
    let real = |text: &Text| text.bytes().len() - usize::from(text.lacks_newline);
    if options.style.is_robust() && (real(left) < same) != (real(right) < same) {
        same = same.saturating_sub(1);
    }
    let whole = a
        .get(..same)
        .and_then(|start| memchr::memrchr(b'\n', start))
        .map_or(0, |newline| newline + 1);
    let prefix = left.lines_before(whole).saturating_sub(options.horizon);
    if options.style.is_robust() && left.lacks_newline != right.lacks_newline {
        return (prefix, left.count(), right.count());
    }
    let start = left.start(prefix);
    let most = (a.len() - start).min(b.len() - start);
    let tail = common_suffix(a, b, most);
    let (left_at, right_at) = (a.len() - tail, b.len() - tail);
    let at_line = |text: &[u8], at: usize| at == 0 || text.get(at - 1) == Some(&b'\n');
    let skip = options.horizon + usize::from(!(at_line(a, left_at) && at_line(b, right_at)));
    let mut end = left_at;
    for _ in 0..skip {
        let Some(rest) = a.get(end..).filter(|rest| !rest.is_empty()) else {
            break;
        };
        end += memchr::memchr(b'\n', rest).map_or(rest.len(), |newline| newline + 1);
    }
    let suffix_bytes = a.len() - end;
    let end_line = |text: &Text| text.lines_before(text.bytes().len() - suffix_bytes);
    (prefix, end_line(left), end_line(right))
}

fn common_prefix(left: &[u8], right: &[u8]) -> usize {
    const CHUNK: usize = 256;
    let chunks = left.chunks(CHUNK).zip(right.chunks(CHUNK));
    let whole = chunks
        .take_while(|(left, right)| left == right && left.len() == CHUNK)
        .count()
        * CHUNK;
    let rest = left.iter().zip(right).skip(whole);
    whole + rest.take_while(|(left, right)| left == right).count()
}

fn common_suffix(left: &[u8], right: &[u8], most: usize) -> usize {
    let pairs = left.iter().rev().zip(right.iter().rev()).take(most);
    pairs.take_while(|(left, right)| left == right).count()
}

/// What a line is worth to the search.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Fate {
    Kept,
    /// The other file has no such line.
    Discarded,
    /// The other file has many such lines.
    Provisional,
}

/// Marks lines that need no search as changed; the indexes of the others.
fn discard(sides: &mut [Side; 2], classes: usize, minimal: bool) -> [Vec<usize>; 2] {
    let counts: Vec<Vec<usize>> = sides
        .iter()
        .map(|side| {
            let mut counts = vec![0_usize; classes + 1];
            for class in &side.classes {
                if let Some(count) = counts.get_mut(*class as usize) {
                    *count += 1;
                }
            }
            counts
        })
        .collect();
    let mut kept = [Vec::new(), Vec::new()];
    for ((side, others), kept) in sides.iter_mut().zip(counts.iter().rev()).zip(&mut kept) {
        let mut fates = first_fates(&side.classes, others);
        settle_provisional(&mut fates);
        for (index, fate) in fates.into_iter().enumerate() {
            if minimal || fate == Fate::Kept {
                kept.push(index);
            } else {
                side.mark(index as isize, true);
            }
        }
    }
    kept
}

fn first_fates(classes: &[u32], others: &[usize]) -> Vec<Fate> {
    let mut many = 5;
    let mut rest = classes.len() / 64;
    loop {
        rest >>= 2;
        if rest == 0 {
            break;
        }
        many *= 2;
    }
    classes
        .iter()
        .map(|class| match others.get(*class as usize).copied().unwrap_or(0) {
            0 => Fate::Discarded,
            count if count > many => Fate::Provisional,
            _ => Fate::Kept,
        })
        .collect()
}

/// Common lines stay discarded only inside of runs of discarded ones.
fn settle_provisional(fates: &mut [Fate]) {
    let mut start = 0;
    while let Some(&fate) = fates.get(start) {
        match fate {
            Fate::Kept => {}
            Fate::Provisional => {
                if let Some(slot) = fates.get_mut(start) {
                    *slot = Fate::Kept;
                }
            }
            Fate::Discarded => {
                let rest = fates.get_mut(start..).unwrap_or_default();
                start += settle_run(rest) - 1;
            }
        }
        start += 1;
    }
}

/// Settles the run at the start; how many lines it has.
fn settle_run(fates: &mut [Fate]) -> usize {
    let mut length = fates.iter().take_while(|fate| **fate != Fate::Kept).count();
    let run = fates.get_mut(..length).unwrap_or_default();
    for fate in run
        .iter_mut()
        .rev()
        .take_while(|fate| **fate == Fate::Provisional)
    {
        *fate = Fate::Kept;
        length -= 1;
    }
    let run = fates.get_mut(..length).unwrap_or_default();
    let provisional = run.iter().filter(|fate| **fate == Fate::Provisional).count();
    if provisional * 4 > length {
        for fate in run.iter_mut().filter(|fate| **fate == Fate::Provisional) {
            *fate = Fate::Kept;
        }
        return length;
    }
    cancel_subruns(run);
    cancel_near_end(run.iter_mut());
    cancel_near_end(run.iter_mut().rev());
    length.max(1)
}

/// Cancels subruns of common lines that are too long for their run.
fn cancel_subruns(run: &mut [Fate]) {
    let mut least = 1;
    let mut rest = run.len() >> 2;
    loop {
        rest >>= 2;
        if rest == 0 {
            break;
        }
        least <<= 1;
    }
    least += 1;
    for subrun in run.chunk_by_mut(|left, right| left == right) {
        if subrun.first() == Some(&Fate::Provisional) && subrun.len() >= least {
            subrun.fill(Fate::Kept);
        }
    }
}

/// Cancels common lines from an end on, until three lines in a row are surely discarded, or one is after eight.
fn cancel_near_end<'f>(fates: impl Iterator<Item = &'f mut Fate>) {
    let mut consecutive = 0;
    for (index, fate) in fates.enumerate() {
        match *fate {
            Fate::Discarded if index >= 8 => break,
            Fate::Provisional => {
                consecutive = 0;
                *fate = Fate::Kept;
            }
            Fate::Kept => consecutive = 0,
            Fate::Discarded => consecutive += 1,
        }
        if consecutive == 3 {
            break;
        }
    }
}

/// Moves runs of changes: up to merge with earlier ones, down as far as they go, then back to where the other file changes too.
fn shift_boundaries(sides: &mut [Side; 2]) {
    for swapped in [false, true] {
        let [first, second] = sides;
        let (own, other) = if swapped { (second, first) } else { (first, second) };
        shift(own, other);
    }
}

fn shift(own: &mut Side, other: &Side) {
    let end = own.len();
    let (mut at, mut beside) = (0_isize, 0_isize);
    loop {
        while at < end && !own.is_changed(at) {
            while other.is_changed(beside) {
                beside += 1;
            }
            beside += 1;
            at += 1;
        }
        if at == end {
            return;
        }
        let mut start = at;
        at += 1;
        while own.is_changed(at) {
            at += 1;
        }
        while other.is_changed(beside) {
            beside += 1;
        }
        let corresponding = merge(own, other, &mut start, &mut at, &mut beside);
        while corresponding < at {
            start -= 1;
            own.mark(start, true);
            at -= 1;
            own.mark(at, false);
            beside -= 1;
            while other.is_changed(beside) {
                beside -= 1;
            }
        }
    }
}

/// Moves a run up and down until it grows no more. The last place where it stands beside a run of the other file, or the end.
fn merge(own: &mut Side, other: &Side, start: &mut isize, at: &mut isize, beside: &mut isize) -> isize {
    let end = own.len();
    loop {
        let length = *at - *start;
        while *start > 0 && own.class(*start - 1) == own.class(*at - 1) {
            *start -= 1;
            own.mark(*start, true);
            *at -= 1;
            own.mark(*at, false);
            while own.is_changed(*start - 1) {
                *start -= 1;
            }
            *beside -= 1;
            while other.is_changed(*beside) {
                *beside -= 1;
            }
        }
        let mut corresponding = if other.is_changed(*beside - 1) { *at } else { end };
        while *at != end && own.class(*start) == own.class(*at) {
            own.mark(*start, false);
            *start += 1;
            own.mark(*at, true);
            *at += 1;
            while own.is_changed(*at) {
                *at += 1;
            }
            *beside += 1;
            while other.is_changed(*beside) {
                corresponding = *at;
                *beside += 1;
            }
        }
        if length == *at - *start {
            return corresponding;
        }
    }
}

/// Reads the script off the marks.
fn build(sides: &[Side; 2], prefix: usize) -> Vec<Change> {
    let [left, right] = sides;
    let (mut at, mut beside) = (0, 0);
    let mut script = Vec::new();
    while at < left.len() || beside < right.len() {
        if left.is_changed(at) || right.is_changed(beside) {
            let (from, to) = (at, beside);
            while left.is_changed(at) {
                at += 1;
            }
            while right.is_changed(beside) {
                beside += 1;
            }
            script.push(Change {
                left: from as usize + prefix,
                right: to as usize + prefix,
                deleted: (at - from) as usize,
                inserted: (beside - to) as usize,
                ignored: false,
            });
        }
        at += 1;
        beside += 1;
    }
    script
}
