//! Lines of columns: reading them, and printing with tabs, separators and numbers.

use super::page::{Printer, State};
use crate::kernel::Stop;

/// What a byte is shown as, and the columns that it takes; negative for a backspace.
struct Clump {
    text: Vec<u8>,
    width: i64,
}

fn is_printable(byte: u8) -> bool {
    matches!(byte, b' '..=b'~')
}

/// Columns from a position to the next tab stop.
fn to_tab(width: i64, position: i64) -> i64 {
    width - position % width
}

impl Printer<'_> {
    /// Shows a byte where the input stands; moves on there.
    fn clump(&mut self, byte: u8) -> Vec<u8> {
        let clump = self.shown(byte);
        let before = self.input_position;
        if clump.width < 0 && before == 0 {
            return Vec::new();
        }
        self.input_position = (before + clump.width).max(0);
        clump.text
    }

    fn shown(&self, byte: u8) -> Clump {
        let options = &self.options;
        let escaped = || Clump {
            text: format!("\\{byte:03o}").into_bytes(),
            width: 4,
        };
        let plain = |width| Clump {
            text: vec![byte],
            width,
        };
        if byte == options.input_tab || byte == b'\t' {
            let stops = if byte == options.input_tab {
                options.input_tab_width
            } else {
                8
            };
            let width = to_tab(stops, self.input_position);
            let text = if self.untabify {
                vec![b' '; width as usize]
            } else {
                vec![byte]
            };
            return Clump { text, width };
        }
        match byte {
            byte if is_printable(byte) => plain(1),
            _ if options.escapes => escaped(),
            0x80.. if options.control_prefix => escaped(),
            _ if options.control_prefix => Clump {
                text: vec![b'^', byte ^ 0o100],
                width: 2,
            },
            8 => plain(-1),
            _ => plain(0),
        }
    }

    /// Prints a byte of a line, or stores it.
    async fn emit(&mut self, column: usize, byte: u8) -> Result<(), Stop> {
        if self.column(column).stores {
            self.stored.push(byte);
            return Ok(());
        }
        self.print_byte(byte).await
    }

    pub async fn print_byte(&mut self, byte: u8) -> Result<(), Stop> {
        if self.tabify {
            if byte == b' ' {
                self.spaces += 1;
                return Ok(());
            }
            if self.spaces > 0 {
                self.print_spaces().await?;
            }
            match byte {
                8 => self.output_position -= 1,
                byte => self.output_position += i64::from(is_printable(byte)),
            }
        }
        self.put(&[byte]).await
    }

    pub async fn put(&mut self, bytes: &[u8]) -> Result<(), Stop> {
        self.proc.write(bytes).await
    }

    async fn put_many(&mut self, byte: u8, count: i64) -> Result<(), Stop> {
        let mut left = count.max(0) as usize;
        while left > 0 {
            let part = left.min(1 << 12);
            self.put(&vec![byte; part]).await?;
            left -= part;
        }
        Ok(())
    }

    /// Prints the blanks that wait, as tabs where a tab gets there.
    pub async fn print_spaces(&mut self) -> Result<(), Stop> {
        let goal = self.output_position + self.spaces;
        let width = self.options.output_tab_width;
        let mut at = self.output_position;
        while goal - at > 1 && at + to_tab(width, at) <= goal {
            at += to_tab(width, at);
            let tab = self.options.output_tab;
            self.put(&[tab]).await?;
        }
        self.put_many(b' ', goal - at).await?;
        self.output_position = goal;
        self.spaces = 0;
        Ok(())
    }

    pub async fn pad_across_to(&mut self, position: i64) -> Result<(), Stop> {
        if self.tabify {
            self.spaces = position - self.output_position;
            return Ok(());
        }
        self.put_many(b' ', position - self.output_position).await?;
        self.output_position = position;
        Ok(())
    }

    /// The rest of a page.
    pub async fn pad_down(&mut self, lines: i64) -> Result<(), Stop> {
        if self.options.form_feed {
            return self.put(b"\x0c").await;
        }
        self.put_many(b'\n', lines).await
    }

    /// Goes to where a column begins, with the separator before it.
    pub async fn reach_column(&mut self) -> Result<(), Stop> {
        let length = self.separator.len() as i64;
        if length < self.padding {
            self.pad_across_to(self.padding - length).await?;
            self.padding = 0;
        }
        if self.use_separator {
            self.print_separators().await?;
        }
        Ok(())
    }

    pub async fn align_column(&mut self, column: usize) -> Result<(), Stop> {
        self.padding = self.column(column).start;
        self.reach_column().await?;
        if self.column(column).numbered {
            self.add_number(column).await?;
        }
        Ok(())
    }

    /// Separators of the columns that were passed. Only the first one is printed in full, as GNU's does it.
    async fn print_separators(&mut self) -> Result<(), Stop> {
        if self.separators <= 0 {
            if self.spaces > 0 {
                self.print_spaces().await?;
            }
            return Ok(());
        }
        let separator = self.separator.clone();
        for byte in separator {
            if byte == b' ' {
                self.spaces += 1;
                continue;
            }
            if self.spaces > 0 {
                self.print_spaces().await?;
            }
            self.put(&[byte]).await?;
            self.output_position += 1;
        }
        self.separators = 0;
        if self.spaces > 0 {
            self.print_spaces().await?;
        }
        Ok(())
    }

    async fn add_number(&mut self, column: usize) -> Result<(), Stop> {
        let digits = self.options.number_digits;
        self.proc.kernel.meter().check_memory(digits as u64)?;
        let text = format!("{:>1$}", self.line_number as i32, digits as usize).into_bytes();
        self.line_number += 1;
        let start = text.len() - digits as usize;
        for byte in text.get(start..).unwrap_or_default() {
            self.emit(column, *byte).await?;
        }
        let separator = self.options.number_separator;
        if self.columns.len() > 1 && separator == b'\t' {
            for _ in digits..self.number_width {
                self.emit(column, b' ').await?;
            }
        } else {
            self.emit(column, separator).await?;
            if self.columns.len() == 1 && separator == b'\t' {
                self.output_position += to_tab(self.options.output_tab_width, self.output_position);
            }
        }
        if self.truncate && !self.parallel {
            self.input_position += self.number_width;
        }
        Ok(())
    }

    /// Prepares for the text of a line: the header, the columns before, separators and the number.
    async fn begin_line(&mut self, column: usize) -> Result<(), Stop> {
        if !self.column(column).stores {
            self.pad_vertically = true;
            if self.header_waits && !self.storing {
                self.print_header().await?;
            }
            if self.parallel && self.align_empty {
                self.align_empty_columns(column).await?;
            }
            self.reach_column().await?;
        }
        if self.column(column).numbered {
            self.add_number(column).await?;
        }
        self.empty_line = false;
        Ok(())
    }

    async fn align_empty_columns(&mut self, column: usize) -> Result<(), Stop> {
        let count = std::mem::take(&mut self.separators);
        for other in 0..count {
            self.align_column(other as usize).await?;
            self.separators += 1;
        }
        self.padding = self.column(column).start;
        self.spaces = if self.truncate { self.column_width } else { 0 };
        self.align_empty = false;
        Ok(())
    }

    fn is_too_long(&self) -> bool {
        self.truncate && self.input_position > self.column_width
    }

    /// Reads a line and prints or stores it. `false`: it is cut, and its rest is still to be read.
    pub async fn read_line(&mut self, column: usize) -> Result<bool, Stop> {
        let mut byte = self.next(column).await?;
        let before = self.input_position;
        if byte == Some(0x0c) && self.column(column).full_page {
            byte = self.next(column).await?;
            if byte == Some(b'\n') {
                byte = self.next(column).await?;
            }
        }
        self.column_mut(column).full_page = false;
        let mut clump = Vec::new();
        match byte {
            Some(0x0c) => {
                self.pass_newline(column).await?;
                self.only_form_feed = true;
                if self.header_waits && !self.storing {
                    self.pad_vertically = true;
                    self.print_header().await?;
                } else if self.keep_form_feeds {
                    self.form_feed_waits = true;
                }
                self.hold(column);
                return Ok(true);
            }
            None => {
                self.close(column).await?;
                return Ok(true);
            }
            Some(b'\n') => {}
            Some(byte) => clump = self.clump(byte),
        }
        if self.is_too_long() {
            self.input_position = before;
            return Ok(false);
        }
        self.begin_line(column).await?;
        if byte == Some(b'\n') {
            return Ok(true);
        }
        loop {
            for shown in clump {
                self.emit(column, shown).await?;
            }
            match self.next(column).await? {
                Some(b'\n') => return Ok(true),
                Some(0x0c) => {
                    self.pass_newline(column).await?;
                    self.form_feed_waits |= self.keep_form_feeds;
                    self.hold(column);
                    return Ok(true);
                }
                None => {
                    self.close(column).await?;
                    return Ok(true);
                }
                Some(byte) => {
                    let before = self.input_position;
                    clump = self.clump(byte);
                    if self.is_too_long() {
                        self.input_position = before;
                        return Ok(false);
                    }
                }
            }
        }
    }

    /// Reads what is left of a line that is cut.
    pub async fn read_rest(&mut self, column: usize) -> Result<(), Stop> {
        loop {
            match self.next(column).await? {
                Some(b'\n') => return Ok(()),
                Some(0x0c) => {
                    self.pass_newline(column).await?;
                    self.form_feed_waits |= self.keep_form_feeds;
                    self.hold(column);
                    return Ok(());
                }
                None => return self.close(column).await,
                Some(_) => {}
            }
        }
    }

    /// Passes a line of a page that is not printed.
    pub async fn skip_line(&mut self, column: usize, last: bool) -> Result<(), Stop> {
        let mut byte = self.next(column).await?;
        if byte == Some(0x0c) && self.column(column).full_page {
            byte = self.next(column).await?;
            if byte == Some(b'\n') {
                byte = self.next(column).await?;
            }
        }
        let only_form_feed = byte == Some(0x0c);
        self.column_mut(column).full_page = last;
        while byte != Some(b'\n') {
            match byte {
                Some(0x0c) => {
                    if last {
                        let all = if self.parallel {
                            column..column + 1
                        } else {
                            0..self.columns.len()
                        };
                        for other in all {
                            self.column_mut(other).full_page = false;
                        }
                    }
                    self.pass_newline(column).await?;
                    self.hold(column);
                    break;
                }
                None => {
                    self.close(column).await?;
                    break;
                }
                Some(_) => byte = self.next(column).await?,
            }
        }
        if self.options.skip_count && (!self.parallel || column == 0) && !only_form_feed {
            self.line_count += 1;
        }
        Ok(())
    }

    /// Prints a line that is stored.
    pub async fn print_stored(&mut self, column: usize) -> Result<(), Stop> {
        let line = self.column(column).current_line;
        self.column_mut(column).current_line += 1;
        self.pad_vertically = true;
        if self.header_waits {
            self.print_header().await?;
        }
        if self.column(column).state == State::FormFeed {
            for other in &mut self.columns {
                other.state = State::OnHold;
            }
            if self.column(0).lines_to_print <= 0 {
                if !self.extremities {
                    self.pad_vertically = false;
                }
                return Ok(());
            }
        }
        self.reach_column().await?;
        let (start, end) = (self.line_start(line), self.line_start(line + 1));
        let text = self.stored.get(start..end).unwrap_or_default().to_vec();
        for byte in text {
            self.print_byte(byte).await?;
        }
        if self.spaces == 0 {
            let length = self.separator.len() as i64;
            let start = self.column(column).start;
            let end = self.line_ends.get(line).copied().unwrap_or(0);
            self.output_position = start + end;
            if start - length == self.options.margin {
                self.output_position -= length;
            }
        }
        Ok(())
    }
}
