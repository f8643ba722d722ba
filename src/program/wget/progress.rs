//! The meter of a log that is no terminal: rows of dots.

use std::time::Duration;

use super::rate;

/// What a dot stands for, and how many there are in a group and in a row.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Style {
    dot: u64,
    group: u64,
    row: u64,
}

impl Style {
    pub(super) const DEFAULT: Style = Style {
        dot: 1 << 10,
        group: 10,
        row: 50,
    };

    /// The style of `--progress=TYPE`. A bar needs a terminal and is dots without one.
    pub(super) fn named(text: &[u8]) -> Option<Style> {
        let style = |dot, group, row| Some(Style { dot, group, row });
        let (kind, name) = match text.iter().position(|byte| *byte == b':') {
            Some(at) => (text.get(..at)?, text.get(at + 1..)?),
            None => (text, &b""[..]),
        };
        match (kind, name) {
            (b"dot", b"binary") => style(8 << 10, 16, 48),
            (b"dot", b"mega") => style(64 << 10, 8, 48),
            (b"dot", b"giga") => style(1 << 20, 8, 32),
            (b"dot" | b"bar", _) => Some(Style::DEFAULT),
            _ => None,
        }
    }
}

/// The dots of one transfer. Methods give what is to be printed.
pub(super) struct Dots {
    style: Style,
    /// What there was before this transfer.
    initial: u64,
    total: Option<u64>,
    rows: u64,
    in_row: u64,
    /// Bytes that are no dot yet.
    left: u64,
    row_began: Duration,
}

impl Dots {
    pub(super) fn start(style: Style, initial: u64, total: Option<u64>) -> (Dots, String) {
        let mut dots = Dots {
            style,
            initial,
            total,
            rows: 0,
            in_row: 0,
            left: 0,
            row_began: Duration::ZERO,
        };
        let text = dots.skip();
        (dots, text)
    }

    fn row_bytes(&self) -> u64 {
        self.style.dot * self.style.row
    }

    /// Shows what there was before.
    fn skip(&mut self) -> String {
        if self.initial == 0 {
            return String::new();
        }
        let rest = self.initial % self.row_bytes();
        let skipped = (self.initial - rest) / 1024;
        let mut text = String::new();
        if skipped > 0 {
            let width = 2 + skipped.to_string().len().max(6);
            text.push_str(&format!("\n{:width$}[ skipping {skipped}K ]", ""));
        }
        text.push_str(&format!("\n{skipped:>6}K"));
        self.rows = self.initial / self.row_bytes();
        while self.in_row < rest / self.style.dot {
            self.gap(&mut text);
            text.push(',');
            self.in_row += 1;
        }
        self.left = rest % self.style.dot;
        text
    }

    fn gap(&self, text: &mut String) {
        if self.in_row.is_multiple_of(self.style.group) {
            text.push(' ');
        }
    }

    fn begin_row(&self, text: &mut String) {
        if self.in_row == 0 {
            text.push_str(&format!("\n{:>6}K", self.rows * self.row_bytes() / 1024));
        }
    }

    /// More bytes have come, `elapsed` after the start.
    pub(super) fn add(&mut self, bytes: u64, elapsed: Duration) -> String {
        let mut text = String::new();
        self.left += bytes;
        while self.left >= self.style.dot {
            self.left -= self.style.dot;
            self.begin_row(&mut text);
            self.gap(&mut text);
            text.push('.');
            self.in_row += 1;
            if self.in_row >= self.style.row {
                self.rows += 1;
                self.in_row = 0;
                let row = self.row_bytes();
                self.figures(&mut text, row, elapsed);
                self.remaining(&mut text, elapsed);
            }
        }
        text
    }

    /// All has come.
    pub(super) fn end(&mut self, elapsed: Duration) -> String {
        let mut text = String::new();
        self.begin_row(&mut text);
        let shown = self.in_row;
        let row = shown * self.style.dot + self.left;
        while self.in_row < self.style.row {
            self.gap(&mut text);
            text.push(' ');
            self.in_row += 1;
        }
        self.in_row = shown;
        self.figures(&mut text, row, elapsed);
        if elapsed >= Duration::from_secs(10) {
            let whole = (elapsed.as_secs_f64() + 0.5) as u64;
            text.push_str(&format!("={}", rate::brief_span(whole)));
        } else {
            text.push_str(&format!("={}s", rate::seconds(elapsed)));
        }
        text.push_str("\n\n");
        text
    }

    fn shown(&self) -> u64 {
        self.rows * self.row_bytes() + self.in_row * self.style.dot
    }

    /// How much has come, and how fast this row did.
    fn figures(&mut self, text: &mut String, row: u64, elapsed: Duration) {
        let whole_row = self.in_row == 0 && row == self.row_bytes();
        let shown = if whole_row {
            self.shown()
        } else {
            self.shown() + self.left
        };
        if let Some(total) = self.total.filter(|total| *total > 0) {
            let percent = 100 * u128::from(shown) / u128::from(total);
            text.push_str(&format!("{percent:>3}%"));
        }
        let mut row = row;
        if self.rows == self.initial / self.row_bytes() {
            row = row.saturating_sub(self.initial % self.row_bytes());
        }
        let took = elapsed.saturating_sub(self.row_began);
        text.push_str(&format!(" {}", rate::short(row, took)));
        self.row_began = elapsed;
    }

    /// The time that the rest needs if it goes on like this.
    fn remaining(&self, text: &mut String, elapsed: Duration) {
        let Some(total) = self.total.filter(|total| *total > 0) else {
            return;
        };
        let rest = total.saturating_sub(self.shown()) as f64;
        let so_far = self.shown().saturating_sub(self.initial).max(1) as f64;
        let seconds = (elapsed.as_secs_f64() * rest / so_far + 0.5) as u64;
        text.push_str(&format!(" {}", rate::brief_span(seconds)));
    }
}
