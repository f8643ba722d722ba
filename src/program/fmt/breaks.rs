//! Where the lines of a paragraph end: the breaks that cost least, found from the last word backwards.
//!
//! The costs are those of GNU fmt: squares of how far a line is from the goal and from the line behind it, with bonuses for breaks behind
//! sentences and punctuation and penalties for words of a sentence that stand alone.

/// A word and what follows it.
#[derive(Debug, Clone, Default)]
pub struct Word {
    pub text: Vec<u8>,
    /// Blanks behind it.
    pub space: usize,
    /// It begins with an opening bracket or quote.
    pub opens: bool,
    /// It ends with `.`, `?` or `!`, perhaps in brackets or quotes.
    pub period: bool,
    /// It ends with punctuation.
    pub punctuation: bool,
    /// It ends a sentence.
    pub ends: bool,
    /// The word that begins the next line, if this one begins a line.
    pub next: usize,
    line: i64,
    pub cost: i64,
}

/// The most that anything costs.
pub const MOST: i64 = i64::MAX;

const fn square(number: i64) -> i64 {
    number * number
}

const LINE: i64 = square(70);
const NO_BREAK: i64 = square(600);
const SENTENCE_BONUS: i64 = square(50);
const BONUS: i64 = square(40);

fn short(missing: i64) -> i64 {
    square(missing * 10)
}

fn ragged(difference: i64) -> i64 {
    short(difference) / 2
}

/// A word that is left alone costs more the shorter it is.
fn alone(most: i64, word: &Word) -> i64 {
    square(most) / (word.text.len() as i64 + 2)
}

/// The widths and indents of a paragraph.
#[derive(Debug, Clone, Copy)]
pub struct Measure {
    pub goal: i64,
    pub most: i64,
    pub first_indent: i64,
    pub other_indent: i64,
    /// The length of the line before the paragraph's rest, 0 if there is none.
    pub last_line: i64,
}

/// Finds the breaks: `next` of each word that begins a line. The list ends with a word that is not there.
pub fn find(words: &mut [Word], measure: Measure) {
    let limit = words.len().saturating_sub(1);
    if let Some(end) = words.get_mut(limit) {
        end.cost = 0;
    }
    for start in (0..limit).rev() {
        let (cost, next, line) = best_line(words, start, limit, measure);
        let base = base_cost(words, start);
        if let Some(word) = words.get_mut(start) {
            (word.cost, word.next, word.line) = (cost.saturating_add(base), next, line);
        }
    }
}

/// The best line that begins with a word: its cost, the next line's first word, its length.
fn best_line(words: &[Word], start: usize, limit: usize, measure: Measure) -> (i64, usize, i64) {
    let length = |index: usize| words.get(index).map_or(0, |word| word.text.len() as i64);
    let mut line = if start == 0 {
        measure.first_indent
    } else {
        measure.other_indent
    } + length(start);
    let mut best = (MOST, limit, line);
    for next in start + 1..=limit {
        let behind = words.get(next).map_or(0, |word| word.cost);
        let mut cost = line_cost(words, next, limit, line, measure.goal).saturating_add(behind);
        if start == 0 && measure.last_line > 0 {
            cost = cost.saturating_add(ragged(line - measure.last_line));
        }
        if cost < best.0 {
            best = (cost, next, line);
        }
        line += words.get(next - 1).map_or(0, |word| word.space as i64) + length(next);
        if next < limit && line >= measure.most {
            break;
        }
    }
    best
}

/// What a line costs that ends before a word.
fn line_cost(words: &[Word], next: usize, limit: usize, line: i64, goal: i64) -> i64 {
    let Some(word) = words.get(next).filter(|_| next < limit) else {
        return 0;
    };
    let unfinished = if word.next == limit {
        0
    } else {
        ragged(line - word.line)
    };
    short(goal - line) + unfinished
}

/// What it costs to begin a line with a word.
fn base_cost(words: &[Word], start: usize) -> i64 {
    let Some(this) = words.get(start) else {
        return 0;
    };
    let before = |count: usize| start.checked_sub(count).and_then(|index| words.get(index));
    let mut cost = LINE;
    if let Some(last) = before(1) {
        if last.period {
            cost += if last.ends { -SENTENCE_BONUS } else { NO_BREAK };
        } else if last.punctuation {
            cost -= BONUS;
        } else if before(2).is_some_and(|word| word.ends) {
            cost += alone(200, last);
        }
    }
    if this.opens {
        cost -= BONUS;
    } else if this.ends {
        cost += alone(150, this);
    }
    cost
}
