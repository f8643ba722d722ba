//! Tables of `column -t`: cells, columns and their names, and how they are printed.

use super::options::Options;
use crate::program::message::message;
use crate::text::json::push_quoted;
use crate::text::utf8;

#[derive(Debug, Default)]
struct Column {
    name: Option<Vec<u8>>,
    hidden: bool,
    right: bool,
    width: usize,
}

/// A table.
#[derive(Debug)]
pub struct Table {
    columns: Vec<Column>,
    rows: Vec<Vec<Vec<u8>>>,
    /// The columns in the order in which they are printed.
    shown: Vec<usize>,
    headings: bool,
}

/// The cells of a line.
fn cells(line: &[u8], options: &Options) -> Vec<Vec<u8>> {
    let mut cells = Vec::new();
    let mut rest = line;
    loop {
        let is_delimiter = |byte: &u8| match &options.delimiters {
            Some(delimiters) => delimiters.contains(byte),
            None => b" \t".contains(byte),
        };
        if options.delimiters.is_none() {
            let blanks = rest.iter().take_while(|byte| is_delimiter(byte)).count();
            rest = rest.get(blanks..).unwrap_or_default();
            if rest.is_empty() {
                return cells;
            }
        }
        let end = rest.iter().position(is_delimiter);
        match end {
            Some(end) if options.limit != Some(cells.len() + 1) => {
                cells.push(rest.get(..end).unwrap_or_default().to_vec());
                rest = rest.get(end + 1..).unwrap_or_default();
            }
            _ => {
                cells.push(rest.to_vec());
                return cells;
            }
        }
    }
}

impl Table {
    /// Cuts lines into cells and applies the options. The error is a complaint.
    pub fn new(options: &Options, lines: &[Vec<u8>]) -> Result<Table, Vec<u8>> {
        let rows: Vec<Vec<Vec<u8>>> = lines.iter().map(|line| cells(line, options)).collect();
        let count = rows
            .iter()
            .map(Vec::len)
            .max()
            .unwrap_or(0)
            .max(options.names.len());
        let columns = (0..count).map(|index| Column {
            name: options.names.get(index).cloned(),
            ..Column::default()
        });
        let mut table = Table {
            columns: columns.collect(),
            rows,
            shown: Vec::new(),
            headings: options.headings && !options.names.is_empty(),
        };
        for index in table.find(&options.right)? {
            if let Some(column) = table.columns.get_mut(index) {
                column.right = true;
            }
        }
        for index in table.find(&options.hidden)? {
            if let Some(column) = table.columns.get_mut(index) {
                column.hidden = true;
            }
        }
        table.shown = table.find(&options.order)?;
        let others = (0..count)
            .filter(|index| !table.shown.contains(index))
            .collect::<Vec<_>>();
        table.shown.extend(others);
        let hidden = |index: &usize| table.columns.get(*index).is_none_or(|column| column.hidden);
        table.shown.retain(|index| !hidden(index));
        table.measure();
        Ok(table)
    }

    /// The columns that a list of names and numbers means: `0` is all, `-` those without a name.
    fn find(&self, list: &[Vec<u8>]) -> Result<Vec<usize>, Vec<u8>> {
        let mut found = Vec::new();
        for text in list {
            let all = 0..self.columns.len();
            let named = |name: &[u8]| {
                self.columns
                    .iter()
                    .position(|column| column.name.as_deref() == Some(name))
            };
            let number = std::str::from_utf8(text)
                .ok()
                .and_then(|text| text.parse::<usize>().ok());
            match (named(text), number) {
                (Some(index), _) => found.push(index),
                (None, Some(0)) => found.extend(all),
                // A number that is too large means no column.
                (None, Some(number)) => found.extend(all.contains(&(number - 1)).then(|| number - 1)),
                (None, None) if text == b"-" => {
                    found.extend(
                        all.filter(|index| self.columns.get(*index).is_some_and(|c| c.name.is_none())),
                    );
                }
                (None, None) => return Err(message!("undefined column name '", text, "'")),
            }
        }
        Ok(found)
    }

    fn measure(&mut self) {
        for (index, column) in self.columns.iter_mut().enumerate() {
            let cells = self.rows.iter().filter_map(|row| row.get(index));
            let header = column.name.as_ref().filter(|_| self.headings);
            let widths = cells.chain(header).map(|cell| utf8::width(cell));
            column.width = widths.max().unwrap_or(0);
        }
    }

    fn push_row(&self, out: &mut Vec<u8>, separator: &[u8], cell: impl Fn(usize, &Column) -> Vec<u8>) {
        for (place, index) in self.shown.iter().enumerate() {
            let Some(column) = self.columns.get(*index) else {
                continue;
            };
            let text = cell(*index, column);
            let room = column.width.saturating_sub(utf8::width(&text));
            let last = place + 1 == self.shown.len();
            if column.right {
                out.resize(out.len() + room, b' ');
            }
            out.extend_from_slice(&text);
            if !column.right && !last {
                out.resize(out.len() + room, b' ');
            }
            if !last {
                out.extend_from_slice(separator);
            }
        }
        out.push(b'\n');
    }

    /// The table as lines.
    pub fn text(&self, separator: &[u8]) -> Vec<u8> {
        let mut out = Vec::new();
        if self.shown.is_empty() {
            return out;
        }
        if self.headings {
            self.push_row(&mut out, separator, |_, column| {
                column.name.clone().unwrap_or_default()
            });
        }
        for row in &self.rows {
            self.push_row(&mut out, separator, |index, _| {
                row.get(index).cloned().unwrap_or_default()
            });
        }
        out
    }

    /// The table as JSON.
    pub fn json(&self, name: &[u8]) -> Vec<u8> {
        let mut out = b"{\n   ".to_vec();
        push_quoted(&mut out, &name.to_ascii_lowercase());
        out.extend_from_slice(b": [\n      ");
        for (number, row) in self.rows.iter().enumerate() {
            out.extend_from_slice(if number == 0 { b"{\n" } else { b",{\n" });
            for (place, index) in self.shown.iter().enumerate() {
                let key = self.columns.get(*index).and_then(|column| column.name.clone());
                out.extend_from_slice(b"         ");
                push_quoted(&mut out, &key.unwrap_or_default().to_ascii_lowercase());
                out.extend_from_slice(b": ");
                match row.get(*index).filter(|cell| !cell.is_empty()) {
                    Some(cell) => push_quoted(&mut out, cell),
                    None => out.extend_from_slice(b"null"),
                }
                let last = place + 1 == self.shown.len();
                out.extend_from_slice(if last { b"\n" } else { b",\n" });
            }
            out.extend_from_slice(b"      }");
        }
        out.extend_from_slice(b"\n   ]\n}\n");
        out
    }
}
