//! Two columns: `-y`.

use super::analyze::Change;
use super::printer::{Ink, Printer};
use super::text::Text;
use crate::text::utf8::{Unit, char_width, first};

/// Blanks between the columns, at least.
const GUTTER: usize = 3;

/// Where columns begin and end.
#[derive(Debug, Clone, Copy)]
struct Layout {
    half: usize,
    second: usize,
}

impl Layout {
    fn new(width: usize, tab: usize) -> Layout {
        let gap = tab + GUTTER;
        let unaligned = (width >> 1) + (gap >> 1) + (width & gap & 1);
        let offset = unaligned - unaligned % tab;
        let half = offset.saturating_sub(GUTTER).min(width.saturating_sub(offset));
        Layout {
            half,
            second: if half > 0 { offset } else { width },
        }
    }
}

/// The next line of each file.
#[derive(Debug, Clone, Copy, Default)]
struct Next {
    left: usize,
    right: usize,
}

impl Printer<'_> {
    /// Prints both files, or with `--suppress-common-lines` what differs.
    pub fn print_side_by_side(&mut self, script: &[Change]) {
        let options = self.options();
        let layout = Layout::new(
            options.width,
            if options.expand_tabs { 1 } else { options.tab_size },
        );
        self.begin();
        let mut next = Next::default();
        for change in script {
            let Some(extent) = self.pair.extent(std::slice::from_ref(change)) else {
                continue;
            };
            self.common(layout, &mut next, (change.left, change.right));
            let both = if extent.deletes && extent.inserts {
                change.deleted.min(change.inserted)
            } else {
                0
            };
            for index in 0..both {
                self.pair_line(layout, Some(change.left + index), '|', Some(change.right + index));
            }
            for index in change.right + both..change.right + change.inserted {
                self.pair_line(layout, None, '>', Some(index));
            }
            for index in change.left + both..change.left + change.deleted {
                self.pair_line(layout, Some(index), '<', None);
            }
            next = Next {
                left: change.left + change.deleted,
                right: change.right + change.inserted,
            };
        }
        self.common(
            layout,
            &mut next,
            (self.pair.left.count(), self.pair.right.count()),
        );
    }

    /// Common lines up to a place in both files. Where changes are ignored, one side may have more.
    fn common(&mut self, layout: Layout, next: &mut Next, (left, right): (usize, usize)) {
        let options = self.options();
        if !options.suppress_common {
            if !options.left_column {
                while next.left < left && next.right < right {
                    self.pair_line(layout, Some(next.left), ' ', Some(next.right));
                    next.left += 1;
                    next.right += 1;
                }
                while next.right < right {
                    self.pair_line(layout, None, ')', Some(next.right));
                    next.right += 1;
                }
            }
            while next.left < left {
                self.pair_line(layout, Some(next.left), '(', None);
                next.left += 1;
            }
        }
        *next = Next { left, right };
    }

    fn pair_line(&mut self, layout: Layout, left: Option<usize>, separator: char, right: Option<usize>) {
        let (left_text, right_text) = (self.pair.left, self.pair.right);
        let ink = match separator {
            '<' => Some(Ink::Delete),
            '>' => Some(Ink::Add),
            _ => None,
        };
        if let Some(ink) = ink {
            self.ink(ink);
        }
        let mut column = 0;
        let mut newline = false;
        let mut separator = separator;
        if let Some(index) = left {
            newline |= left_text.is_complete(index);
            column = self.half_line(left_text, index, 0, layout.half);
        }
        if separator != ' ' {
            column = self.tab_to(column, (layout.half + layout.second - 1) / 2) + 1;
            if separator == '|' && right.is_some_and(|index| right_text.is_complete(index) != newline) {
                separator = if newline { '/' } else { '\\' };
            }
            self.put(separator.to_string());
        }
        if let Some(index) = right {
            newline |= right_text.is_complete(index);
            if !(right_text.line(index).is_empty() && right_text.is_complete(index)) {
                let column = self.tab_to(column, layout.second);
                self.half_line(right_text, index, column, layout.half);
            }
        }
        if newline {
            self.put("\n");
        }
        if ink.is_some() {
            self.no_ink();
        }
    }

    /// Blanks, and tabs where they fit, up to a column.
    fn tab_to(&mut self, from: usize, to: usize) -> usize {
        let options = self.options();
        let mut from = from;
        if !options.expand_tabs {
            let mut tab = from + options.tab_size - from % options.tab_size;
            while tab <= to && !self.is_full() {
                self.put("\t");
                from = tab;
                tab += options.tab_size;
            }
        }
        self.blanks(to.saturating_sub(from));
        to
    }

    /// As much of a line as fits into a column; where it ends.
    fn half_line(&mut self, text: &Text, index: usize, indent: usize, bound: usize) -> usize {
        let options = self.options();
        let (mut input, mut output) = (0_usize, 0_usize);
        let mut rest = text.line(index);
        while let Some(unit) = first(rest) {
            let length = unit.len();
            let bytes = rest.get(..length).unwrap_or_default();
            rest = rest.get(length..).unwrap_or_default();
            match unit {
                Unit::Char('\t') => {
                    let blanks = options.tab_size - input % options.tab_size;
                    if input == output {
                        let stop = output + blanks;
                        if options.expand_tabs {
                            let stop = stop.min(bound);
                            self.blanks(stop.saturating_sub(output));
                            output = output.max(stop);
                        } else if stop < bound {
                            output = stop;
                            self.put("\t");
                        }
                    }
                    input += blanks;
                }
                Unit::Char('\r') => {
                    self.put("\r");
                    self.tab_to(0, indent);
                    (input, output) = (0, 0);
                }
                Unit::Char('\x08') => {
                    if input > 0 {
                        input -= 1;
                        if input < bound {
                            if output <= input {
                                self.blanks(input - output);
                            } else {
                                self.put("\x08");
                            }
                            output = input;
                        }
                    }
                }
                Unit::Char(character) if !matches!(character, ' '..='~') => {
                    input += char_width(character).unwrap_or(0);
                    if input <= bound {
                        output = input;
                        self.put(bytes);
                    }
                }
                _ => {
                    if input < bound {
                        output = input + 1;
                        self.put(bytes);
                    }
                    input += 1;
                }
            }
        }
        output
    }
}
