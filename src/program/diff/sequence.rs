//! The shortest edit script between two sequences: Myers' algorithm, in linear space, as gnulib's `diffseq.h` does it, so that among
//! equally short scripts the same one comes out.
//!
//! Two searches meet in the middle, one from each end; the halves are then searched on their own, from a stack instead of by recursion.
//! Unless the script must be minimal, a search that has become too expensive stops and goes on from the best points so far.

use crate::kernel::{Halt, Meter};

/// A run of equal elements that counts as progress.
const SNAKE: isize = 20;

/// How much effort to spend.
#[derive(Debug, Clone, Copy)]
pub struct Effort {
    /// Find a script of minimal length whatever it costs.
    pub minimal: bool,
    /// Assume many small changes in large inputs.
    pub speed_large: bool,
    /// Steps of one search.
    pub limit: isize,
}

/// What of the two sequences is to be compared.
#[derive(Debug, Clone, Copy)]
struct Task {
    left: (isize, isize),
    right: (isize, isize),
    minimal: bool,
}

/// Where to cut a task in two, and whether each half must be minimal.
struct Cut {
    left: isize,
    right: isize,
    low_minimal: bool,
    high_minimal: bool,
}

/// A comparison at work.
struct Search<'a> {
    left: &'a [u32],
    right: &'a [u32],
    forward: Vec<isize>,
    backward: Vec<isize>,
    /// Diagonals are numbered from minus the length of the right sequence.
    origin: isize,
    effort: Effort,
    meter: &'a Meter,
}

/// The elements that an edit script deletes from the left and inserts from the right.
pub fn changes(
    left: &[u32],
    right: &[u32],
    effort: Effort,
    meter: &Meter,
) -> Result<(Vec<usize>, Vec<usize>), Halt> {
    let diagonals = left.len() + right.len() + 3;
    let mut search = Search {
        left,
        right,
        forward: vec![0; diagonals],
        backward: vec![0; diagonals],
        origin: right.len() as isize + 1,
        effort,
        meter,
    };
    let (mut deleted, mut inserted) = (Vec::new(), Vec::new());
    let mut tasks = vec![Task {
        left: (0, left.len() as isize),
        right: (0, right.len() as isize),
        minimal: effort.minimal,
    }];
    while let Some(mut task) = tasks.pop() {
        search.trim(&mut task);
        let (left, right) = (task.left, task.right);
        if left.0 == left.1 {
            inserted.extend(right.0 as usize..right.1 as usize);
        } else if right.0 == right.1 {
            deleted.extend(left.0 as usize..left.1 as usize);
        } else {
            let cut = search.cut(&task)?;
            tasks.push(Task {
                left: (cut.left, left.1),
                right: (cut.right, right.1),
                minimal: cut.high_minimal,
            });
            tasks.push(Task {
                left: (left.0, cut.left),
                right: (right.0, cut.right),
                minimal: cut.low_minimal,
            });
        }
    }
    Ok((deleted, inserted))
}

/// The bounds of a search on the diagonals.
#[derive(Debug, Clone, Copy)]
struct Band {
    low: isize,
    high: isize,
}

impl Search<'_> {
    fn equal(&self, left: isize, right: isize) -> bool {
        let left = usize::try_from(left).ok().and_then(|at| self.left.get(at));
        let right = usize::try_from(right).ok().and_then(|at| self.right.get(at));
        left.is_some() && left == right
    }

    fn fore(&self, diagonal: isize) -> isize {
        let index = usize::try_from(diagonal + self.origin).ok();
        index.and_then(|at| self.forward.get(at)).copied().unwrap_or(-1)
    }

    fn back(&self, diagonal: isize) -> isize {
        let index = usize::try_from(diagonal + self.origin).ok();
        index
            .and_then(|at| self.backward.get(at))
            .copied()
            .unwrap_or(isize::MAX)
    }

    fn set_fore(&mut self, diagonal: isize, value: isize) {
        let index = usize::try_from(diagonal + self.origin).ok();
        if let Some(slot) = index.and_then(|at| self.forward.get_mut(at)) {
            *slot = value;
        }
    }

    fn set_back(&mut self, diagonal: isize, value: isize) {
        let index = usize::try_from(diagonal + self.origin).ok();
        if let Some(slot) = index.and_then(|at| self.backward.get_mut(at)) {
            *slot = value;
        }
    }

    /// Takes off what is equal at both ends.
    fn trim(&self, task: &mut Task) {
        let (left, right) = (&mut task.left, &mut task.right);
        while left.0 < left.1 && right.0 < right.1 && self.equal(left.0, right.0) {
            left.0 += 1;
            right.0 += 1;
        }
        while left.0 < left.1 && right.0 < right.1 && self.equal(left.1 - 1, right.1 - 1) {
            left.1 -= 1;
            right.1 -= 1;
        }
    }

    /// Finds the middle of a shortest script.
    fn cut(&mut self, task: &Task) -> Result<Cut, Halt> {
        let (lowest, highest) = (task.left.0 - task.right.1, task.left.1 - task.right.0);
        let (fore_start, back_start) = (task.left.0 - task.right.0, task.left.1 - task.right.1);
        let mut fore = Band {
            low: fore_start,
            high: fore_start,
        };
        let mut back = Band {
            low: back_start,
            high: back_start,
        };
        let odd = (fore_start - back_start) & 1 != 0;
        self.set_fore(fore_start, task.left.0);
        self.set_back(back_start, task.left.1);
        let mut cost: isize = 0;
        loop {
            cost += 1;
            self.meter
                .charge((fore.high - fore.low + back.high - back.low) as u64 / 16 + 1)?;
            let mut big_snake = false;
            self.widen_fore(&mut fore, lowest, highest);
            let meets = odd.then_some(back);
            if let Some(cut) = self.step_fore(task, fore, meets, &mut big_snake) {
                return Ok(cut);
            }
            self.widen_back(&mut back, lowest, highest);
            let meets = (!odd).then_some(fore);
            if let Some(cut) = self.step_back(task, back, meets, &mut big_snake) {
                return Ok(cut);
            }
            if task.minimal {
                continue;
            }
            if cost > 200
                && big_snake
                && self.effort.speed_large
                && let Some(cut) = self.promising(task, fore, back, cost)
            {
                return Ok(cut);
            }
            if cost >= self.effort.limit {
                return Ok(self.give_up(task, fore, back));
            }
        }
    }

    fn widen_fore(&mut self, band: &mut Band, lowest: isize, highest: isize) {
        if band.low > lowest {
            band.low -= 1;
            self.set_fore(band.low - 1, -1);
        } else {
            band.low += 1;
        }
        if band.high < highest {
            band.high += 1;
            self.set_fore(band.high + 1, -1);
        } else {
            band.high -= 1;
        }
    }

    fn widen_back(&mut self, band: &mut Band, lowest: isize, highest: isize) {
        if band.low > lowest {
            band.low -= 1;
            self.set_back(band.low - 1, isize::MAX);
        } else {
            band.low += 1;
        }
        if band.high < highest {
            band.high += 1;
            self.set_back(band.high + 1, isize::MAX);
        } else {
            band.high -= 1;
        }
    }

    /// One more edit from the start, on each diagonal.
    fn step_fore(&mut self, task: &Task, band: Band, meets: Option<Band>, big: &mut bool) -> Option<Cut> {
        let mut diagonal = band.high;
        while diagonal >= band.low {
            let (below, above) = (self.fore(diagonal - 1), self.fore(diagonal + 1));
            let start = if below < above { above } else { below + 1 };
            let mut left = start;
            while left < task.left.1 && left - diagonal < task.right.1 && self.equal(left, left - diagonal) {
                left += 1;
            }
            *big |= left - start > SNAKE;
            self.set_fore(diagonal, left);
            if let Some(other) = meets
                && other.low <= diagonal
                && diagonal <= other.high
                && self.back(diagonal) <= left
            {
                return Some(Cut {
                    left,
                    right: left - diagonal,
                    low_minimal: true,
                    high_minimal: true,
                });
            }
            diagonal -= 2;
        }
        None
    }

    /// One more edit from the end, on each diagonal.
    fn step_back(&mut self, task: &Task, band: Band, meets: Option<Band>, big: &mut bool) -> Option<Cut> {
        let mut diagonal = band.high;
        while diagonal >= band.low {
            let (below, above) = (self.back(diagonal - 1), self.back(diagonal + 1));
            let start = if below < above { below } else { above - 1 };
            let mut left = start;
            while task.left.0 < left
                && task.right.0 < left - diagonal
                && self.equal(left - 1, left - diagonal - 1)
            {
                left -= 1;
            }
            *big |= start - left > SNAKE;
            self.set_back(diagonal, left);
            if let Some(other) = meets
                && other.low <= diagonal
                && diagonal <= other.high
                && left <= self.fore(diagonal)
            {
                return Some(Cut {
                    left,
                    right: left - diagonal,
                    low_minimal: true,
                    high_minimal: true,
                });
            }
            diagonal -= 2;
        }
        None
    }

    /// A diagonal that made much progress for its cost and ends in a run of equal elements.
    fn promising(&self, task: &Task, fore: Band, back: Band, cost: isize) -> Option<Cut> {
        let run = |left: isize, right: isize| (1..=SNAKE).all(|by| self.equal(left - by, right - by));
        let mut best = None;
        let mut progress = 0;
        let mut diagonal = fore.high;
        while diagonal >= fore.low {
            let left = self.fore(diagonal);
            let right = left - diagonal;
            let offset = diagonal - (task.left.0 - task.right.0);
            let distance = offset.abs();
            let gained = (left - task.left.0) * 2 - offset;
            let inside = task.left.0 + SNAKE <= left
                && left < task.left.1
                && task.right.0 + SNAKE <= right
                && right < task.right.1;
            if gained > 12 * (cost + distance) && gained > progress && inside && run(left, right) {
                progress = gained;
                best = Some(Cut {
                    left,
                    right,
                    low_minimal: true,
                    high_minimal: false,
                });
            }
            diagonal -= 2;
        }
        if best.is_some() {
            return best;
        }
        let run = |left: isize, right: isize| (0..SNAKE).all(|by| self.equal(left + by, right + by));
        let mut diagonal = back.high;
        while diagonal >= back.low {
            let left = self.back(diagonal);
            let right = left.saturating_sub(diagonal);
            let offset = diagonal - (task.left.1 - task.right.1);
            let distance = offset.abs();
            let gained = task
                .left
                .1
                .saturating_sub(left)
                .saturating_mul(2)
                .saturating_add(offset);
            let inside = task.left.0 < left
                && left <= task.left.1 - SNAKE
                && task.right.0 < right
                && right <= task.right.1 - SNAKE;
            if gained > 12 * (cost + distance) && gained > progress && inside && run(left, right) {
                progress = gained;
                best = Some(Cut {
                    left,
                    right,
                    low_minimal: false,
                    high_minimal: true,
                });
            }
            diagonal -= 2;
        }
        best
    }

    /// The best points that either search came to.
    fn give_up(&self, task: &Task, fore: Band, back: Band) -> Cut {
        let (mut fore_sum, mut fore_left) = (-1, 0);
        let mut diagonal = fore.high;
        while diagonal >= fore.low {
            let mut left = self.fore(diagonal).min(task.left.1);
            let mut right = left - diagonal;
            if task.right.1 < right {
                left = task.right.1 + diagonal;
                right = task.right.1;
            }
            if fore_sum < left + right {
                (fore_sum, fore_left) = (left + right, left);
            }
            diagonal -= 2;
        }
        let (mut back_sum, mut back_left) = (isize::MAX, 0);
        let mut diagonal = back.high;
        while diagonal >= back.low {
            let mut left = self.back(diagonal).max(task.left.0);
            let mut right = left.saturating_sub(diagonal);
            if right < task.right.0 {
                left = task.right.0 + diagonal;
                right = task.right.0;
            }
            if left.saturating_add(right) < back_sum {
                (back_sum, back_left) = (left + right, left);
            }
            diagonal -= 2;
        }
        let fore_wins = (task.left.1 + task.right.1) - back_sum < fore_sum - (task.left.0 + task.right.0);
        let (sum, left) = if fore_wins {
            (fore_sum, fore_left)
        } else {
            (back_sum, back_left)
        };
        Cut {
            left,
            right: sum - left,
            low_minimal: fore_wins,
            high_minimal: !fore_wins,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::Limits;

    #[test]
    fn shortest_scripts() {
        let meter = Meter::new(Limits::default());
        let effort = Effort {
            minimal: false,
            speed_large: false,
            limit: 4096,
        };
        let run = |left: &str, right: &str| {
            let units = |text: &str| text.bytes().map(u32::from).collect::<Vec<_>>();
            changes(&units(left), &units(right), effort, &meter).unwrap()
        };
        assert_eq!(run("abc", "abc"), (vec![], vec![]));
        assert_eq!(
            run("abcabba", "cbabac").0.len() + run("abcabba", "cbabac").1.len(),
            5
        );
        assert_eq!(run("", "ab"), (vec![], vec![0, 1]));
        assert_eq!(run("xaby", "xay"), (vec![2], vec![]));
    }
}
