//! Texts that look alike: folding away blanks, look-alike characters or case, with the way back to the original.

/// Differences that can be folded away.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Difference {
    /// Number and kind of blanks, and blanks at the ends of lines.
    Blanks,
    /// Quotes, dashes and the like that look the same.
    LookAlikes,
    /// Upper and lower case.
    Case,
}

impl Difference {
    /// All of them.
    pub(super) const ALL: [Difference; 3] = [Difference::Blanks, Difference::LookAlikes, Difference::Case];

    /// In words.
    pub(super) fn name(self) -> &'static str {
        match self {
            Difference::Blanks => "blanks",
            Difference::LookAlikes => "characters that look alike",
            Difference::Case => "upper and lower case",
        }
    }
}

/// A text with some differences folded away.
pub(super) struct Folded {
    pub(super) text: String,
    /// For each byte of `text`: where in the original its character starts.
    origins: Vec<u32>,
}

impl Folded {
    /// Folds a text of less than 4 GiB.
    pub(super) fn of(original: &str, differences: &[Difference]) -> Folded {
        let blanks = differences.contains(&Difference::Blanks);
        let mut folded = Folded {
            text: String::with_capacity(original.len()),
            origins: Vec::with_capacity(original.len()),
        };
        for (at, character) in original.char_indices() {
            if blanks && is_blank(character) {
                folded.blank(at);
                continue;
            }
            if blanks && character == '\n' {
                folded.drop_blank_at_end();
            }
            folded.character(at, character, differences);
        }
        if blanks {
            folded.drop_blank_at_end();
        }
        folded
    }

    /// Where in the original a byte of the folded text comes from.
    pub(super) fn origin(&self, at: usize) -> Option<usize> {
        self.origins.get(at).map(|origin| *origin as usize)
    }

    /// Blanks become one, and none at the start of a line.
    fn blank(&mut self, at: usize) {
        if !self.text.is_empty() && !self.text.ends_with([' ', '\n']) {
            self.push(at, ' ');
        }
    }

    fn drop_blank_at_end(&mut self) {
        if self.text.ends_with(' ') {
            self.text.pop();
            self.origins.pop();
        }
    }

    fn character(&mut self, at: usize, character: char, differences: &[Difference]) {
        if differences.contains(&Difference::LookAlikes) {
            match plain(character) {
                Some(text) => text.chars().for_each(|plain| self.push(at, plain)),
                None if is_invisible(character) => {}
                None => self.cased(at, character, differences),
            }
            return;
        }
        self.cased(at, character, differences);
    }

    fn cased(&mut self, at: usize, character: char, differences: &[Difference]) {
        if differences.contains(&Difference::Case) {
            character.to_lowercase().for_each(|lower| self.push(at, lower));
        } else {
            self.push(at, character);
        }
    }

    fn push(&mut self, at: usize, character: char) {
        self.text.push(character);
        self.origins
            .extend(std::iter::repeat_n(at as u32, character.len_utf8()));
    }
}

/// Blanks within a line; the CR of CRLF is one.
pub(super) fn is_blank(character: char) -> bool {
    character != '\n' && character.is_whitespace()
}

/// Characters of no width.
fn is_invisible(character: char) -> bool {
    matches!(
        character,
        '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{2060}' | '\u{feff}'
    )
}

/// What a character looks like, when there is a plainer one.
fn plain(character: char) -> Option<&'static str> {
    Some(match character {
        '\u{2018}' | '\u{2019}' | '\u{201a}' | '\u{201b}' | '\u{2032}' | '\u{2b9}' | '\u{2bc}' | '\u{b4}'
        | '`' | '\u{ff07}' => "'",
        '\u{201c}' | '\u{201d}' | '\u{201e}' | '\u{201f}' | '\u{2033}' | '\u{ab}' | '\u{bb}' | '\u{ff02}' => {
            "\""
        }
        '\u{2010}'..='\u{2015}' | '\u{2212}' | '\u{fe58}' | '\u{fe63}' | '\u{ff0d}' => "-",
        '\u{2026}' => "...",
        '\u{a0}' | '\u{2000}'..='\u{200a}' | '\u{202f}' | '\u{205f}' | '\u{3000}' => " ",
        '\u{ff1a}' => ":",
        '\u{ff1b}' => ";",
        '\u{ff0c}' => ",",
        '\u{ff08}' => "(",
        '\u{ff09}' => ")",
        _ => return None,
    })
}

/// A piece of a line for a message: in back quotes, cut when long, with what cannot be told by its look spelled out.
pub(super) fn quoted(line: &str) -> String {
    const LONGEST: usize = 160;
    let mut text = String::from("`");
    for (count, character) in line.chars().enumerate() {
        if count == LONGEST {
            text.push('…');
            break;
        }
        match character {
            '\t' => text.push_str("\\t"),
            '\r' => text.push_str("\\r"),
            '\n' => text.push_str("\\n"),
            '`' => text.push('`'),
            other if spelled_out(other) => text.push_str(&format!("\\u{{{:x}}}", u32::from(other))),
            other => text.push(other),
        }
    }
    text.push('`');
    text
}

fn spelled_out(character: char) -> bool {
    character != ' '
        && (character.is_control()
            || is_blank(character)
            || is_invisible(character)
            || plain(character).is_some())
}
