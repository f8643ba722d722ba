//! [`Clip`]: a text of which only the start and the end are kept, whatever comes in between.

use std::fmt::Write as _;

/// Characters of a text that are kept: half of them from its start, half from its end.
pub const CLIP: usize = 30_000;

const HALF: usize = CLIP / 2;

/// Collects a text in bounded memory.
///
/// ```
/// use exuvia::tool::Clip;
///
/// let mut clip = Clip::default();
/// clip.push(&"x".repeat(40_000));
/// assert!(clip.is_cut());
/// assert!(clip.into_text().contains("\n[10000 characters left out"));
/// ```
#[derive(Debug, Clone, Default)]
pub struct Clip {
    head: String,
    tail: String,
    head_characters: usize,
    tail_characters: usize,
    total: u64,
}

impl Clip {
    /// Appends text.
    pub fn push(&mut self, text: &str) {
        let mut text = text;
        if self.head_characters < HALF {
            let (head, rest) = split_at_character(text, HALF - self.head_characters);
            self.head.push_str(head);
            let count = head.chars().count();
            self.head_characters += count;
            self.total += count as u64;
            text = rest;
        }
        let count = text.chars().count();
        self.tail.push_str(text);
        self.tail_characters += count;
        self.total += count as u64;
        if self.tail_characters > 4 * HALF {
            self.drop_middle();
        }
    }

    /// Whether something is left out.
    pub fn is_cut(&self) -> bool {
        self.total > CLIP as u64
    }

    /// The text; when it was cut, a line of its own in between says by how much.
    pub fn into_text(mut self) -> String {
        let mut text = std::mem::take(&mut self.head);
        if self.total > CLIP as u64 {
            self.drop_middle();
            if !text.ends_with('\n') {
                text.push('\n');
            }
            let left_out = self.total - CLIP as u64;
            let _ = writeln!(
                text,
                "[{left_out} characters left out: to see them, send the output to a file and read parts of it]"
            );
        }
        text.push_str(&self.tail);
        text
    }

    fn drop_middle(&mut self) {
        let surplus = self.tail_characters.saturating_sub(HALF);
        let (_, rest) = split_at_character(&self.tail, surplus);
        let start = self.tail.len() - rest.len();
        self.tail.drain(..start);
        self.tail_characters -= surplus;
    }
}

/// Splits after `count` characters, or at the end.
pub(super) fn split_at_character(text: &str, count: usize) -> (&str, &str) {
    let at = text.char_indices().nth(count).map_or(text.len(), |(at, _)| at);
    text.split_at_checked(at).unwrap_or((text, ""))
}
