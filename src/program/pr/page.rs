//! Pages: columns and what state their inputs are in, headers, and the lines of a page.

use super::options::Options;
use super::source::Source;
use crate::args::quotef;
use crate::fs::{Errno, Timestamp};
use crate::kernel::{File, Input, Lease, Proc, Stop};
use crate::program::message::message;
use crate::program::{dates, usage};
use crate::text::strftime::{Dialect, Moment, strftime};

/// How far the input of a column is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum State {
    Open,
    /// A form feed ended the page, which is still stored.
    FormFeed,
    /// A form feed ended the page.
    OnHold,
    Closed,
}

/// A column.
#[derive(Debug, Clone)]
pub struct Column {
    pub source: usize,
    pub state: State,
    /// Lines are stored, and printed when the page is full.
    pub stores: bool,
    pub numbered: bool,
    pub full_page: bool,
    pub lines_stored: i64,
    pub lines_to_print: i64,
    pub current_line: usize,
    /// Where it begins.
    pub start: i64,
}

/// Lines of a header, and of a footer.
const EXTREMITY: i64 = 5;

/// Prints the pages of one file, or of several beside each other.
pub struct Printer<'a> {
    pub proc: &'a mut Proc,
    pub options: &'a Options,
    pub columns: Vec<Column>,
    no_column: Column,
    sources: Vec<Source>,
    lease: Lease,
    pub failed: bool,
    // What follows from the options for these files.
    pub parallel: bool,
    pub storing: bool,
    pub extremities: bool,
    pub keep_form_feeds: bool,
    pub truncate: bool,
    pub untabify: bool,
    pub tabify: bool,
    pub use_separator: bool,
    pub separator: Vec<u8>,
    pub column_width: i64,
    pub number_width: i64,
    lines_per_body: i64,
    // The page.
    page: u64,
    files_ready: i64,
    date: Vec<u8>,
    title: Vec<u8>,
    pub header_waits: bool,
    pub form_feed_waits: bool,
    pub only_form_feed: bool,
    pub pad_vertically: bool,
    pub line_number: i64,
    pub line_count: i64,
    /// Lines of the page one after the other, where each begins, and the columns that it takes.
    pub stored: Vec<u8>,
    line_starts: Vec<usize>,
    pub line_ends: Vec<i64>,
    // The line.
    pub input_position: i64,
    pub output_position: i64,
    pub spaces: i64,
    pub separators: i64,
    pub padding: i64,
    pub align_empty: bool,
    pub empty_line: bool,
}

impl<'a> Printer<'a> {
    /// A printer for so many files; 0 for standard input.
    pub async fn new(proc: &'a mut Proc, options: &'a Options, files: usize) -> Result<Printer<'a>, Stop> {
        let lease = proc.kernel.lease();
        let mut printer = Printer {
            proc,
            options,
            columns: Vec::new(),
            no_column: NO_COLUMN,
            sources: Vec::new(),
            lease,
            failed: false,
            parallel: options.parallel && files > 0,
            storing: options.storing,
            extremities: options.extremities,
            keep_form_feeds: options.keep_form_feeds,
            truncate: options.truncate,
            untabify: options.untabify,
            tabify: options.tabify,
            use_separator: options.use_separator,
            separator: options.separator.clone(),
            column_width: 0,
            number_width: 0,
            lines_per_body: 0,
            page: 1,
            files_ready: 0,
            date: Vec::new(),
            title: Vec::new(),
            header_waits: false,
            form_feed_waits: false,
            only_form_feed: false,
            pad_vertically: false,
            line_number: 0,
            line_count: 0,
            stored: Vec::new(),
            line_starts: Vec::new(),
            line_ends: Vec::new(),
            input_position: 0,
            output_position: 0,
            spaces: 0,
            separators: 0,
            padding: 0,
            align_empty: false,
            empty_line: true,
        };
        printer.measure(files).await?;
        Ok(printer)
    }

    async fn measure(&mut self, files: usize) -> Result<(), Stop> {
        let options = self.options;
        self.lines_per_body = options.page_length - 2 * EXTREMITY;
        if self.lines_per_body <= 0 {
            self.extremities = false;
            self.keep_form_feeds = true;
        }
        if !self.extremities {
            self.lines_per_body = options.page_length;
        }
        if options.double_space {
            self.lines_per_body /= 2;
        }
        let columns = if self.parallel {
            files as i64
        } else {
            options.columns
        };
        if columns > 1 {
            self.choose_separator();
            self.truncate = true;
            self.untabify |= self.separator != b"\t";
            self.tabify = true;
        } else {
            self.storing = false;
        }
        if options.join {
            self.truncate = false;
        }
        if options.numbered {
            self.line_count = options.first_number;
            let digits = options.number_digits;
            self.number_width = if options.number_separator == b'\t' {
                digits + 8 - digits % 8
            } else {
                digits + 1
            };
        }
        let number = if self.parallel && options.numbered {
            self.number_width
        } else {
            0
        };
        let separators = (columns - 1).saturating_mul(self.separator.len() as i64);
        self.column_width = (options.line_width - number - separators) / columns;
        if self.column_width < 1 {
            return Err(usage::fail(self.proc, 1, "page width too narrow").await);
        }
        self.lease
            .grow(columns as usize * std::mem::size_of::<Column>())?;
        let column = Column {
            source: 0,
            state: State::Open,
            stores: false,
            numbered: false,
            full_page: false,
            lines_stored: 0,
            lines_to_print: 0,
            current_line: 0,
            start: 0,
        };
        self.columns = vec![column; columns as usize];
        Ok(())
    }

    fn choose_separator(&mut self) {
        if !self.use_separator {
            self.separator = if self.options.join {
                b"\t".to_vec()
            } else {
                b" ".to_vec()
            };
            self.use_separator = true;
        } else if !self.options.join && self.separator == b"\t" {
            self.separator = b" ".to_vec();
        }
    }

    pub fn column(&self, column: usize) -> &Column {
        // The index comes from a loop over the columns.
        self.columns.get(column).unwrap_or(&NO_COLUMN)
    }

    pub fn column_mut(&mut self, column: usize) -> &mut Column {
        self.columns.get_mut(column).unwrap_or(&mut self.no_column)
    }

    /// Opens the files. `false`: there is none.
    pub async fn open(&mut self, files: &[Vec<u8>]) -> Result<bool, Stop> {
        if files.is_empty() {
            let Ok(file) = self.proc.stdin() else {
                return Ok(false);
            };
            self.add_source(b"standard input".to_vec(), &file);
            self.choose_header(b"", None);
            return Ok(true);
        }
        for name in files {
            match self.proc.open_operand(name).await {
                Ok(file) => {
                    let shown = if name == b"-" {
                        b"standard input".to_vec()
                    } else {
                        name.clone()
                    };
                    self.add_source(shown, &file);
                    if !self.parallel {
                        let written = file.metadata().ok().filter(|_| name != b"-");
                        self.choose_header(name, written.map(|found| found.mtime));
                    }
                }
                Err(errno) => self.not_opened(name, errno).await?,
            }
        }
        if self.parallel {
            self.columns.truncate(self.sources.len());
            self.choose_header(b"", None);
        }
        Ok(!self.sources.is_empty())
    }

    fn add_source(&mut self, name: Vec<u8>, file: &std::sync::Arc<File>) {
        let source = self.sources.len();
        self.sources
            .push(Source::new(name, Input::new(std::sync::Arc::clone(file))));
        self.files_ready += 1;
        if self.parallel
            && let Some(column) = self.columns.get_mut(source)
        {
            column.source = source;
        }
    }

    async fn not_opened(&mut self, name: &[u8], errno: Errno) -> Result<(), Stop> {
        self.failed = true;
        if self.options.quiet_opens {
            return Ok(());
        }
        self.proc
            .warn(message!(quotef(name), ": ", errno.message()))
            .await
    }

    fn choose_header(&mut self, name: &[u8], written: Option<Timestamp>) {
        let posix = self.proc.variable(b"POSIXLY_CORRECT").is_some();
        let usual: &[u8] = if posix {
            b"%b %e %H:%M %Y"
        } else {
            b"%Y-%m-%d %H:%M"
        };
        let format = self.options.date_format.as_deref().unwrap_or(usual);
        let time = written.unwrap_or_else(|| self.proc.kernel.now());
        let moment = Moment::new(time.seconds, time.nanos, &dates::zone(self.proc));
        let limit = self.proc.kernel.meter().free_bytes();
        let date = moment.and_then(|moment| strftime(format, &moment, Dialect::Gnulib, limit));
        self.date = date.unwrap_or_default();
        let title = if written.is_some() { name } else { b"" };
        self.title = self.options.header.clone().unwrap_or_else(|| title.to_vec());
    }

    pub async fn print_header(&mut self) -> Result<(), Stop> {
        self.output_position = 0;
        self.pad_across_to(self.options.margin).await?;
        if self.spaces > 0 {
            self.print_spaces().await?;
        }
        let page = format!("Page {}", self.page);
        let width = |text: &[u8]| crate::text::utf8::width(text) as i64;
        let room = self.options.line_width - width(&self.date) - width(&self.title) - page.len() as i64;
        let left = (room.max(0) / 2) as usize;
        let right = room.max(0) as usize - left;
        self.proc
            .kernel
            .meter()
            .check_memory(room.max(0) as u64 + self.options.margin as u64)?;
        let line = message!(
            "\n\n",
            vec![b' '; self.options.margin as usize],
            self.date,
            vec![b' '; left.max(1)],
            self.title,
            vec![b' '; right.max(1)],
            page,
            "\n\n\n"
        );
        self.put(&line).await?;
        self.header_waits = false;
        self.output_position = 0;
        Ok(())
    }

    /// Sets the columns up.
    pub fn arrange(&mut self) {
        let length = self.separator.len() as i64;
        let mut start = self.options.margin;
        let number = if self.parallel && self.options.numbered {
            self.number_width
        } else {
            0
        };
        let mut next = start + self.column_width + number;
        start += length;
        for (index, column) in self.columns.iter_mut().enumerate() {
            column.stores = self.storing;
            column.numbered = self.options.numbered && (!self.parallel || index == 0);
            column.start = start;
            if self.truncate {
                start = next + length;
                next = start + self.column_width;
            } else {
                start = 0;
            }
        }
        self.line_number = self.line_count;
    }

    pub async fn next(&mut self, column: usize) -> Result<Option<u8>, Stop> {
        let source = self.column(column).source;
        match self.sources.get_mut(source) {
            Some(source) => source.next(self.proc).await,
            None => Ok(None),
        }
    }

    pub async fn pass_newline(&mut self, column: usize) -> Result<(), Stop> {
        let source = self.column(column).source;
        match self.sources.get_mut(source) {
            Some(source) => source.pass_newline(self.proc).await,
            None => Ok(()),
        }
    }

    /// A form feed ended the page of a file.
    pub fn hold(&mut self, column: usize) {
        let state = if self.storing {
            State::FormFeed
        } else {
            State::OnHold
        };
        if self.parallel {
            self.column_mut(column).state = State::OnHold;
        } else {
            for other in &mut self.columns {
                other.state = state;
            }
        }
        self.column_mut(column).lines_to_print = 0;
        self.files_ready -= 1;
    }

    /// A file has ended.
    pub async fn close(&mut self, column: usize) -> Result<(), Stop> {
        if self.column(column).state == State::Closed {
            return Ok(());
        }
        let source = self.column(column).source;
        if let Some(source) = self.sources.get_mut(source) {
            source.close(self.proc).await?;
        }
        if self.parallel {
            let column = self.column_mut(column);
            column.state = State::Closed;
            column.lines_to_print = 0;
        } else {
            for other in &mut self.columns {
                other.state = State::Closed;
                if other.lines_stored == 0 {
                    other.lines_to_print = 0;
                }
            }
        }
        self.files_ready -= 1;
        Ok(())
    }

    fn reset(&mut self) {
        for column in &mut self.columns {
            if column.state == State::OnHold {
                column.state = State::Open;
                self.files_ready += 1;
            }
        }
        if self.storing {
            self.files_ready = i64::from(self.column(0).state != State::Closed);
        }
    }

    /// Passes the pages before the first one that is wanted. `false`: there are not so many.
    pub async fn skip_pages(&mut self) -> Result<bool, Stop> {
        for page in 1..self.options.first_page {
            for line in 1..=self.lines_per_body.max(1) {
                self.proc.charge(self.columns.len() as u64)?;
                self.proc.kernel.breathe().await;
                for column in 0..self.columns.len() {
                    if self.column(column).state == State::Open {
                        self.skip_line(column, line >= self.lines_per_body).await?;
                    }
                }
            }
            if self.storing {
                for column in &mut self.columns {
                    if column.state != State::Closed {
                        column.state = State::OnHold;
                    }
                }
            }
            self.reset();
            if self.files_ready < 1 {
                let sentence = format!(
                    "starting page number {} exceeds page count {page}",
                    self.options.first_page
                );
                self.proc.warn(sentence).await?;
                break;
            }
        }
        self.page = self.options.first_page;
        Ok(self.files_ready > 0)
    }

    fn ready(&self) -> usize {
        let is_ready = |column: &&Column| match column.state {
            State::Open | State::FormFeed => true,
            _ => self.storing && column.lines_stored > 0 && column.lines_to_print > 0,
        };
        self.columns.iter().filter(is_ready).count()
    }

    async fn begin_page(&mut self) -> Result<(), Stop> {
        if self.storing {
            self.store().await?;
        }
        for column in &mut self.columns {
            column.lines_to_print = match column.state {
                _ if self.storing => column.lines_stored,
                State::Open => self.lines_per_body,
                _ => 0,
            };
        }
        Ok(())
    }

    pub fn line_start(&self, line: usize) -> usize {
        self.line_starts.get(line).copied().unwrap_or(self.stored.len())
    }

    /// Reads a page and spreads its lines evenly over the columns.
    async fn store(&mut self) -> Result<(), Stop> {
        self.stored.clear();
        self.line_starts.clear();
        self.line_ends.clear();
        let mut lease = self.proc.kernel.lease();
        for column in &mut self.columns {
            column.lines_stored = 0;
        }
        let mut start = 0;
        for column in 0..self.columns.len() {
            self.column_mut(column).current_line = self.line_starts.len();
            let mut left = self.lines_per_body;
            while left > 0 && self.files_ready > 0 {
                left -= 1;
                if self.column(column).state != State::Open {
                    continue;
                }
                self.proc.kernel.breathe().await;
                self.input_position = 0;
                if !self.read_line(column).await? {
                    self.read_rest(column).await?;
                }
                if self.column(column).state == State::Open || start != self.stored.len() {
                    self.column_mut(column).lines_stored += 1;
                    self.line_starts.push(start);
                    self.line_ends.push(self.input_position);
                    start = self.stored.len();
                }
                lease.resize(self.stored.capacity() + self.line_starts.len() * 16)?;
            }
        }
        let (total, count) = (self.line_starts.len(), self.columns.len());
        let mut first = 0;
        for (index, column) in self.columns.iter_mut().enumerate() {
            let lines = total / count + usize::from(index < total % count);
            column.lines_stored = lines as i64;
            column.current_line = first;
            first += lines;
        }
        Ok(())
    }

    /// Prints a page. `false`: it was the last one.
    pub async fn print_page(&mut self) -> Result<bool, Stop> {
        // A page may have no room for lines (`-d -l 11`): then pages go on without end, as GNU's do.
        self.proc.charge(crate::kernel::cost::STATEMENT)?;
        self.proc.kernel.breathe().await;
        self.begin_page().await?;
        if self.ready() == 0 {
            return Ok(false);
        }
        self.header_waits = self.extremities;
        let mut printed = false;
        let mut left = self.lines_per_body;
        if self.options.double_space {
            left *= 2;
        }
        self.pad_vertically = false;
        while left > 0 && self.ready() > 0 {
            self.proc.charge(self.columns.len() as u64 * 2)?;
            self.proc.kernel.breathe().await;
            printed |= self.print_columns().await?;
            if self.pad_vertically {
                self.put(b"\n").await?;
                left -= 1;
            }
            if self.ready() == 0 && !self.extremities {
                break;
            }
            if self.options.double_space && printed {
                self.put(b"\n").await?;
                left -= 1;
            }
        }
        if left == 0 {
            for column in &mut self.columns {
                column.full_page |= column.state == State::Open;
            }
        }
        self.pad_vertically = printed;
        if printed && self.extremities {
            self.pad_down(left + EXTREMITY).await?;
        } else if self.keep_form_feeds && std::mem::take(&mut self.form_feed_waits) {
            self.put(b"\x0c").await?;
        }
        self.page += 1;
        if self.options.last_page < self.page {
            return Ok(false);
        }
        self.reset();
        Ok(true)
    }

    /// Prints a line of all columns; whether anything came.
    async fn print_columns(&mut self) -> Result<bool, Stop> {
        self.output_position = 0;
        self.spaces = 0;
        self.separators = 0;
        self.pad_vertically = false;
        self.align_empty = false;
        self.empty_line = true;
        let mut printed = false;
        for column in 0..self.columns.len() {
            self.input_position = 0;
            let Column {
                lines_to_print,
                state,
                ..
            } = *self.column(column);
            if lines_to_print > 0 || state == State::FormFeed {
                self.only_form_feed = false;
                self.padding = self.column(column).start;
                if self.column(column).stores {
                    self.print_stored(column).await?;
                } else if !self.read_line(column).await? {
                    self.read_rest(column).await?;
                }
                printed |= self.pad_vertically;
                self.column_mut(column).lines_to_print -= 1;
                if self.column(column).lines_to_print <= 0 && self.ready() == 0 {
                    break;
                }
                self.align_closed(column).await?;
            } else if self.parallel {
                self.align_absent(column).await?;
            }
            self.separators += i64::from(self.use_separator);
        }
        Ok(printed)
    }

    /// A file that just ended still takes its column.
    async fn align_closed(&mut self, column: usize) -> Result<(), Stop> {
        let state = self.column(column).state;
        if !self.parallel || state == State::Open {
            return Ok(());
        }
        if self.empty_line {
            self.align_empty = true;
        } else if state == State::Closed || (state == State::OnHold && self.only_form_feed) {
            self.align_column(column).await?;
        }
        Ok(())
    }

    async fn align_absent(&mut self, column: usize) -> Result<(), Stop> {
        if self.empty_line {
            self.align_empty = true;
            return Ok(());
        }
        self.align_column(column).await
    }
}

/// What stands for a column that is none.
const NO_COLUMN: Column = Column {
    source: usize::MAX,
    state: State::Closed,
    stores: false,
    numbered: false,
    full_page: false,
    lines_stored: 0,
    lines_to_print: 0,
    current_line: 0,
    start: 0,
};
