//! Items in columns: `ls -C` and `-x`, the menu of bash's `select`, and util-linux' `column`.
//!
//! Each decides by its own rule how many columns there are; all three then go from item to item with tabs where a tab gets there.

/// An item: what is printed, and how many columns of the terminal that takes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Item {
    /// What is printed, escape sequences for colours included.
    pub text: Vec<u8>,
    /// Its width.
    pub width: usize,
}

/// The order of items.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fill {
    /// Down the first column, then the next one (`ls -C`, `column`).
    Columns,
    /// Along the rows (`ls -x`, `column -x`).
    Rows,
}

/// What `ls` gives a column at least.
const LEAST_WIDTH: usize = 3;
/// Blanks between columns of `ls`.
const GAP: usize = 2;

/// The widths of the columns of `ls`: as many columns as fit in `line` (0 for no limit). The widths include the gap.
pub fn ls_column_widths(widths: &[usize], line: usize, fill: Fill) -> Vec<usize> {
    let most = if line == 0 {
        widths.len()
    } else {
        line.div_ceil(LEAST_WIDTH).min(widths.len())
    };
    let fits = |total: usize| line == 0 || total < line;
    // The widest arrangement that fits; trying them from the widest down stops early.
    (2..=most)
        .rev()
        .find_map(|columns| arrange(widths, columns, fill, fits))
        .unwrap_or_else(|| vec![widths.iter().copied().max().unwrap_or(0).max(LEAST_WIDTH)])
}

/// The widths of exactly `columns` columns, unless they do not fit.
fn arrange(widths: &[usize], columns: usize, fill: Fill, fits: impl Fn(usize) -> bool) -> Option<Vec<usize>> {
    let rows = widths.len().div_ceil(columns);
    let mut result = vec![LEAST_WIDTH; columns];
    let mut total = LEAST_WIDTH * columns;
    for (index, width) in widths.iter().enumerate() {
        let column = match fill {
            Fill::Columns => index / rows,
            Fill::Rows => index % columns,
        };
        let needed = width + if column + 1 == columns { 0 } else { GAP };
        let known = result.get_mut(column)?;
        if *known < needed {
            total += needed - *known;
            *known = needed;
            if !fits(total) {
                return None;
            }
        }
    }
    fits(total).then_some(result)
}

/// Prints blanks from one column of the terminal to another, with tabs of `tab` (0 for none).
pub fn indent(out: &mut Vec<u8>, from: usize, to: usize, tab: usize) {
    let mut at = from;
    while at < to {
        if tab != 0 && to / tab > (at + 1) / tab {
            out.push(b'\t');
            at += tab - at % tab;
        } else {
            out.push(b' ');
            at += 1;
        }
    }
}

/// `ls -C` and `ls -x`: the lines, with tabs of `tab` columns (0 for blanks only).
pub fn ls(items: &[Item], line: usize, fill: Fill, tab: usize) -> Vec<u8> {
    let widths: Vec<usize> = items.iter().map(|item| item.width).collect();
    let columns = ls_column_widths(&widths, line, fill);
    let rows = items.len().div_ceil(columns.len().max(1));
    let mut out = Vec::new();
    for row in 0..rows {
        let in_row: Vec<&Item> = match fill {
            Fill::Columns => items.iter().skip(row).step_by(rows).collect(),
            Fill::Rows => items
                .iter()
                .skip(row * columns.len())
                .take(columns.len())
                .collect(),
        };
        let mut position = 0;
        for (index, (item, width)) in in_row.iter().zip(&columns).enumerate() {
            out.extend_from_slice(&item.text);
            if index + 1 < in_row.len() {
                indent(&mut out, position + item.width, position + width, tab);
                position += width;
            }
        }
        out.push(b'\n');
    }
    out
}

/// Digits of a number.
fn digits(number: usize) -> usize {
    number.checked_ilog10().unwrap_or(0) as usize + 1
}

/// The menu that bash's `select` prints; `line` is `COLUMNS`.
pub fn select_menu(items: &[Item], line: usize) -> Vec<u8> {
    const PARENTHESIS: usize = 2;
    const TAB: usize = 8;
    if items.is_empty() {
        return b"\n".to_vec();
    }
    let other_digits = digits(items.len());
    let widest = items.iter().map(|item| item.width).max().unwrap_or(0);
    let column_width = widest + other_digits + PARENTHESIS + 2;
    let mut rows = items.len().div_ceil((line / column_width).max(1));
    if rows == 1 {
        rows = items.len();
    }
    let first_digits = digits(rows);
    let mut out = Vec::new();
    for row in 0..rows {
        let mut position = 0;
        for (index, item) in items.iter().enumerate().skip(row).step_by(rows) {
            let wide = if index == row { first_digits } else { other_digits };
            out.extend_from_slice(format!("{:wide$}) ", index + 1).as_bytes());
            out.extend_from_slice(&item.text);
            if index + rows < items.len() {
                let from = position + wide + PARENTHESIS + item.width;
                select_indent(&mut out, from, position + column_width, TAB);
                position += column_width;
            }
        }
        out.push(b'\n');
    }
    out
}

/// bash takes a tab where `ls` would still take a blank.
fn select_indent(out: &mut Vec<u8>, from: usize, to: usize, tab: usize) {
    let mut at = from;
    while at < to {
        if to / tab > at / tab {
            out.push(b'\t');
            at += tab - at % tab;
        } else {
            out.push(b' ');
            at += 1;
        }
    }
}

/// `column` and `column -x`: columns of equal widths, a multiple of 8, reached by tabs.
pub fn column(items: &[Item], line: usize, fill: Fill) -> Vec<u8> {
    const TAB: usize = 8;
    let widest = items.iter().map(|item| item.width).max().unwrap_or(0);
    if widest >= line {
        return items
            .iter()
            .flat_map(|item| [&item.text[..], b"\n"].concat())
            .collect();
    }
    let width = (widest / TAB + 1) * TAB;
    let columns = match (line / width, fill) {
        (0, Fill::Columns) => 1,
        // The real one then never ends a row.
        (0, Fill::Rows) => items.len().max(1),
        (columns, _) => columns,
    };
    let rows = items.len().div_ceil(columns);
    let mut out = Vec::new();
    for row in 0..rows {
        let in_row: Vec<&Item> = match fill {
            Fill::Columns => items.iter().skip(row).step_by(rows).collect(),
            Fill::Rows => items.iter().skip(row * columns).take(columns).collect(),
        };
        let (mut position, mut end) = (0, width);
        for (index, item) in in_row.iter().enumerate() {
            out.extend_from_slice(&item.text);
            position += item.width;
            while index + 1 < in_row.len() && (position / TAB + 1) * TAB <= end {
                out.push(b'\t');
                position = (position / TAB + 1) * TAB;
            }
            end += width;
        }
        out.push(b'\n');
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn items(count: usize) -> Vec<Item> {
        let text = |index: usize| format!("item{index}{}", "x".repeat(index % 5)).into_bytes();
        (1..=count)
            .map(text)
            .map(|text| Item {
                width: text.len(),
                text,
            })
            .collect()
    }

    #[test]
    fn all_items_are_there() {
        for count in [0, 1, 2, 7, 50] {
            for fill in [Fill::Columns, Fill::Rows] {
                for text in [ls(&items(count), 80, fill, 8), column(&items(count), 80, fill)] {
                    let words = text
                        .split(u8::is_ascii_whitespace)
                        .filter(|word| !word.is_empty())
                        .count();
                    assert_eq!(words, count);
                    assert!(text.split(|&byte| byte == b'\n').all(|line| line.len() <= 80));
                }
            }
        }
    }

    #[test]
    fn menu_of_few_items_is_one_column() {
        let menu = select_menu(&items(3), 80);
        assert_eq!(menu, b"1) item1x\n2) item2xx\n3) item3xxx\n");
    }
}
