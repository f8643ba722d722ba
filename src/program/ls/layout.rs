//! Several entries to a line: in columns, across, or after commas.

use super::Lister;
use super::entry::{Entry, Target};
use super::options::{Format, Indicator};
use crate::text::columns::{Fill, indent, ls_column_widths};

impl Lister<'_> {
    /// One entry of a short listing, which starts in column `start`.
    pub fn print_short(&mut self, entry: &Entry, start: usize) {
        self.set_normal_color();
        let widths = match self.options.format {
            Format::Commas => (0, 0),
            _ => (self.widths.inode, self.widths.blocks),
        };
        self.put_front(entry, widths);
        if self.options.context {
            self.out.extend_from_slice(b"? ");
        }
        self.print_name(entry, Target::Entry, start);
        self.out.extend(entry.indicator(self.options.indicator));
    }

    /// Columns that it takes.
    fn short_width(&self, entry: &Entry) -> usize {
        let commas = self.options.format == Format::Commas;
        let mut width = self.name_width(entry);
        if self.options.inode {
            let digits = entry.inode.map_or(1, |inode| inode.to_string().len());
            width += 1 + if commas { digits } else { self.widths.inode };
        }
        if self.options.blocks {
            width += 1 + if commas {
                self.blocks_text(entry).len()
            } else {
                self.widths.blocks
            };
        }
        if self.options.context {
            width += 2;
        }
        let marked =
            self.options.indicator != Indicator::None && entry.indicator(self.options.indicator).is_some();
        width + usize::from(marked)
    }

    /// Prints entries in the format asked for.
    pub fn lay_out(&mut self, entries: &[Entry]) {
        if entries.is_empty() {
            return;
        }
        match self.options.format {
            Format::Commas => self.print_separated(entries, b','),
            _ if self.options.width == 0 => self.print_separated(entries, b' '),
            Format::Across => self.print_columns(entries, Fill::Rows),
            _ => self.print_columns(entries, Fill::Columns),
        }
    }

    fn print_separated(&mut self, entries: &[Entry], separator: u8) {
        let line = self.options.width;
        let mut position = 0;
        for (index, entry) in entries.iter().enumerate() {
            let width = if line == 0 { 0 } else { self.short_width(entry) };
            if index > 0 {
                self.out.push(separator);
                if line == 0 || position + width + 2 < line {
                    position += 2;
                    self.out.push(b' ');
                } else {
                    position = 0;
                    self.out.push(self.options.end);
                }
            }
            self.print_short(entry, position);
            position += width;
        }
        self.out.push(self.options.end);
    }

    fn print_columns(&mut self, entries: &[Entry], fill: Fill) {
        let widths: Vec<usize> = entries.iter().map(|entry| self.short_width(entry)).collect();
        let columns = ls_column_widths(&widths, self.options.width, fill);
        let rows = entries.len().div_ceil(columns.len().max(1));
        let (first, step) = match fill {
            Fill::Columns => (1, rows),
            Fill::Rows => (columns.len(), 1),
        };
        for row in 0..rows {
            let in_row = entries.iter().zip(&widths).skip(row * first).step_by(step);
            let mut position = 0;
            let mut gap = None;
            for ((entry, width), column) in in_row.zip(&columns) {
                if let Some(from) = gap {
                    indent(&mut self.out, from, position, self.options.tab);
                }
                self.print_short(entry, position);
                gap = Some(position + width);
                position += column;
            }
            self.out.push(self.options.end);
        }
    }
}
