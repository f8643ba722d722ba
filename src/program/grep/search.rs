//! One file through grep: find the lines, keep the context, count, and stop in time.
//!
//! The file passes through a window of whole lines, a block at a time. The matcher looks for the next line that matches in the
//! whole window, so lines without a match cost nothing of their own; line numbers are counted only up to what is printed.
//! A file with a NUL in a block is binary from there on: its NULs end lines, and nothing more of it is printed.

use super::matcher::Matcher;
use super::options::{BinaryFiles, Options};
use super::output::{Kind, Position, Printer};
use crate::fs::{Errno, FileKind};
use crate::kernel::{Input, Proc, Stop};
use crate::pattern::RegexError;
use crate::program::usage;

/// What lasts from one file to the next.
#[derive(Debug)]
pub struct Searcher<'a> {
    pub printer: Printer<'a>,
    /// Something was printed, so that a separator stands before the next group.
    pub used: bool,
    /// Standard output goes nowhere: only whether something matches is of interest.
    pub unseen: bool,
}

/// What came of a file.
#[derive(Debug, Default)]
pub struct Report {
    /// Selected lines.
    pub count: u64,
    /// Something that matches could not be printed.
    pub binary_match: bool,
    /// Reading failed.
    pub error: Option<Errno>,
    /// The search ended because enough lines were selected.
    pub limited: bool,
}

/// Bytes of the first look at a file, which decides whether it is binary.
const FIRST_BLOCK: usize = 96 << 10;

struct Scan<'a> {
    options: &'a Options,
    matcher: &'a Matcher,
    /// The name in front of lines.
    name: Option<&'a [u8]>,
    /// Columns of numbers under `-T`.
    width: usize,
    /// Where reading began in the file.
    origin: u64,
    /// Where the window starts, counted from there.
    base: u64,
    /// The number of lines before `counted`, a place in the window.
    lines: u64,
    counted: usize,
    /// What is before this place in the window was searched and is kept as context.
    searched: usize,
    /// The place behind the last line printed, while it is in the window.
    last_out: Option<usize>,
    /// Lines of trailing context still to print.
    pending: u64,
    /// Lines that may still be selected.
    left: u64,
    count: u64,
    /// Behind the last selected line, in the file.
    after_last: u64,
    /// Nothing is printed.
    quiet: bool,
    /// The first match ends the search.
    once: bool,
    /// The count when the first NUL was seen.
    first_null: Option<u64>,
    encoding_error: bool,
}

impl Searcher<'_> {
    /// Searches a file from its current position.
    pub async fn search(
        &mut self,
        proc: &mut Proc,
        input: &mut Input,
        name: Option<&[u8]>,
    ) -> Result<Report, Stop> {
        let options = self.printer.options;
        let once = self.unseen || options.first_match_decides();
        let quiet = once || options.count;
        let mut scan = Scan {
            options,
            matcher: self.printer.matcher,
            name,
            width: width_of_numbers(options, input),
            origin: input.file().offset(),
            base: 0,
            lines: 0,
            counted: 0,
            searched: 0,
            last_out: None,
            pending: 0,
            left: options.max_count.unwrap_or(u64::MAX),
            count: 0,
            after_last: input.file().offset(),
            quiet,
            once,
            first_null: None,
            encoding_error: false,
        };
        let error = self.walk(proc, input, &mut scan).await?;
        let limited = scan.left == 0;
        if limited && input.file().is_seekable() {
            // What follows the last line belongs to whoever reads next.
            let _ = input.file().seek(scan.after_last);
        }
        let null_match = scan.first_null.is_some_and(|before| before < scan.count);
        Ok(Report {
            count: scan.count,
            binary_match: !quiet && (scan.encoding_error || null_match),
            error,
            limited,
        })
    }

    /// Window after window, to the end or until enough is known.
    async fn walk(
        &mut self,
        proc: &mut Proc,
        input: &mut Input,
        scan: &mut Scan<'_>,
    ) -> Result<Option<Errno>, Stop> {
        let mut lease = proc.kernel.lease();
        let mut zapped = Vec::new();
        let mut wanted = FIRST_BLOCK;
        loop {
            let known = input.buffered().len();
            let more = match fill(input, wanted).await {
                Ok(more) => more,
                Err(errno) => return Ok(Some(errno)),
            };
            wanted = 1;
            lease.resize(input.buffered().len())?;
            // Context in front is gone through again with every window.
            proc.charge(input.buffered().len() as u64 / 16 + 1)?;
            if scan.is_skipped(input.buffered().get(known..).unwrap_or_default()) {
                scan.count = 0;
                return Ok(None);
            }
            let window = scan.zap(input.buffered(), &mut zapped);
            let whole = if more {
                let fresh = window.get(known..).unwrap_or_default();
                memchr::memrchr(scan.options.end, fresh).map(|at| known + at + 1)
            } else {
                Some(window.len())
            };
            if let Some(whole) = whole {
                self.select(proc, scan, window, whole).await?;
                let unneeded = scan.slide(window, whole);
                input.consume(unneeded);
            }
            if !more || scan.is_done() {
                return Ok(None);
            }
        }
    }

    /// Prints and counts the lines of a window, from the first that was not yet searched up to `whole`.
    async fn select(
        &mut self,
        proc: &mut Proc,
        scan: &mut Scan<'_>,
        window: &[u8],
        whole: usize,
    ) -> Result<(), Stop> {
        let lines = window.get(..whole).unwrap_or_default();
        let mut from = scan.searched;
        while from < whole && scan.left > 0 {
            let found = match scan.matcher.find_line(lines, from) {
                Ok(found) => found,
                Err(error) => return Err(failed(proc, scan, &error).await),
            };
            let (start, next) = match found {
                Some((start, end)) => (start, (end + 1).min(whole)),
                None if scan.options.invert => (whole, whole),
                None => break,
            };
            if !scan.options.invert {
                self.select_lines(proc, scan, lines, start, next).await?;
            } else if from < start {
                self.select_lines(proc, scan, lines, from, start).await?;
            }
            if scan.once && scan.count > 0 {
                break;
            }
            from = next;
        }
        scan.searched = whole;
        self.print_pending(proc, scan, lines, whole).await
    }

    /// One selected line, or several that stand together (under `-v`).
    async fn select_lines(
        &mut self,
        proc: &mut Proc,
        scan: &mut Scan<'_>,
        lines: &[u8],
        start: usize,
        end: usize,
    ) -> Result<(), Stop> {
        if scan.quiet {
            let (count, behind) = scan.count_lines(lines, start, end);
            scan.took(count, behind);
            return Ok(());
        }
        self.print_pending(proc, scan, lines, start).await?;
        let mut at = scan.leading_context(lines, start);
        let wants_context = scan.options.before.is_some() || scan.options.after.is_some();
        if let Some(text) = scan.options.separator.as_ref().filter(|_| wants_context)
            && self.used
            && scan.last_out != Some(at)
        {
            self.printer.group_separator(proc.out(), text);
        }
        while at < start {
            at = self.print_line(proc, scan, lines, at, Kind::Context).await?;
        }
        while at < end && scan.left > 0 {
            at = self.print_line(proc, scan, lines, at, Kind::Selected).await?;
            scan.took(1, at);
        }
        scan.pending = scan.options.after.unwrap_or(0);
        self.used = true;
        Ok(())
    }

    async fn print_pending(
        &mut self,
        proc: &mut Proc,
        scan: &mut Scan<'_>,
        lines: &[u8],
        end: usize,
    ) -> Result<(), Stop> {
        let mut at = scan.last_out.unwrap_or(0);
        while scan.pending > 0 && at < end {
            at = self.print_line(proc, scan, lines, at, Kind::Context).await?;
            scan.pending -= 1;
        }
        Ok(())
    }

    /// Prints the line that starts at `start`; says where the next one does.
    async fn print_line(
        &mut self,
        proc: &mut Proc,
        scan: &mut Scan<'_>,
        lines: &[u8],
        start: usize,
        kind: Kind,
    ) -> Result<usize, Stop> {
        let (end, next) = line_end(lines, start, scan.options.end);
        let line = lines.get(start..end).unwrap_or_default();
        let place = Position {
            name: scan.name,
            number: if scan.options.line_number {
                scan.number_of(lines, start)
            } else {
                0
            },
            offset: scan.base + start as u64,
            width: scan.width,
        };
        match self.printer.line(proc.out(), line, place, kind) {
            Ok(true) => scan.last_out = Some(next),
            Ok(false) => scan.encoding_error = true,
            Err(error) => return Err(failed(proc, scan, &error).await),
        }
        if scan.options.line_buffered {
            proc.flush().await?;
        } else {
            proc.flush_if_full().await?;
        }
        Ok(next)
    }
}

impl Scan<'_> {
    /// Looks for a NUL in what was read. `true`: the file is binary and such files are skipped.
    fn is_skipped(&mut self, fresh: &[u8]) -> bool {
        let looks = self.first_null.is_none()
            && self.options.end != 0
            && self.options.binary_files != BinaryFiles::Text
            && memchr::memchr(0, fresh).is_some();
        if looks {
            self.first_null = Some(self.count);
            if !self.options.count {
                (self.quiet, self.once) = (true, true);
                self.pending = 0;
            }
        }
        looks && self.options.binary_files == BinaryFiles::WithoutMatch
    }

    /// In a binary file, NULs end lines.
    fn zap<'w>(&self, window: &'w [u8], copy: &'w mut Vec<u8>) -> &'w [u8] {
        if self.first_null.is_none() {
            return window;
        }
        copy.clear();
        copy.extend(
            window
                .iter()
                .map(|byte| if *byte == 0 { self.options.end } else { *byte }),
        );
        copy
    }

    /// Counts the lines between two places, at most those that may still be selected, and says where the last one ends.
    fn count_lines(&self, lines: &[u8], start: usize, end: usize) -> (u64, usize) {
        if self.once {
            return (1, line_end(lines, start, self.options.end).1);
        }
        let region = lines.get(start..end).unwrap_or_default();
        let whole = memchr::memchr_iter(self.options.end, region).count() as u64;
        let open = u64::from(region.last().is_some_and(|byte| *byte != self.options.end));
        if whole + open <= self.left {
            return (whole + open, end);
        }
        let last = self.left.saturating_sub(1) as usize;
        let behind = memchr::memchr_iter(self.options.end, region)
            .nth(last)
            .unwrap_or(region.len());
        (self.left, start + behind + 1)
    }

    fn took(&mut self, count: u64, behind: usize) {
        self.count += count;
        self.left -= count.min(self.left);
        self.after_last = self.origin + self.base + behind as u64;
    }

    /// Where the context in front of a line starts.
    fn leading_context(&self, lines: &[u8], start: usize) -> usize {
        let bound = self.last_out.unwrap_or(0);
        let mut at = start;
        for _ in 0..self.options.before.unwrap_or(0) {
            if at <= bound {
                break;
            }
            at = previous_line(lines, at, self.options.end).max(bound);
        }
        at
    }

    /// The number of the line that starts at `start`.
    fn number_of(&mut self, lines: &[u8], start: usize) -> u64 {
        if start > self.counted {
            let passed = lines.get(self.counted..start).unwrap_or_default();
            self.lines += memchr::memchr_iter(self.options.end, passed).count() as u64;
            self.counted = start;
        }
        self.lines + 1
    }

    /// Moves the window on: says how many bytes at its start are no longer needed.
    fn slide(&mut self, window: &[u8], whole: usize) -> usize {
        let mut keep = whole;
        if !self.quiet {
            for _ in 0..self.options.before.unwrap_or(0) {
                if keep == 0 || Some(keep) == self.last_out {
                    break;
                }
                keep = previous_line(window, keep, self.options.end);
            }
        }
        self.last_out = (self.last_out == Some(keep)).then_some(0);
        if self.options.line_number {
            self.number_of(window, keep);
            self.counted = self.counted.saturating_sub(keep);
        }
        self.searched = whole - keep;
        self.base += keep as u64;
        keep
    }

    fn is_done(&self) -> bool {
        (self.left == 0 && self.pending == 0) || (self.once && self.count > 0)
    }
}

/// A search that took too long ends grep.
async fn failed(proc: &mut Proc, scan: &Scan<'_>, error: &RegexError) -> Stop {
    let name = scan.name.unwrap_or(b"(standard input)");
    usage::fail(proc, 2, [name, b": ", error.to_string().as_bytes()].concat()).await
}

/// Reads until `wanted` more bytes are there. `false` at the end of the file.
async fn fill(input: &mut Input, wanted: usize) -> Result<bool, Errno> {
    let goal = input.buffered().len() + wanted;
    while input.buffered().len() < goal {
        if !input.fill().await? {
            return Ok(false);
        }
        // From a pipe comes what there is: nobody waits for more to look at it.
        if !input.file().is_seekable() {
            break;
        }
    }
    Ok(true)
}

/// The end of the line at `start`, without its last byte, and where the next one starts.
fn line_end(lines: &[u8], start: usize, end: u8) -> (usize, usize) {
    match memchr::memchr(end, lines.get(start..).unwrap_or_default()) {
        Some(at) => (start + at, start + at + 1),
        None => (lines.len(), lines.len()),
    }
}

/// Where the line before the one at `start` starts.
fn previous_line(lines: &[u8], start: usize, end: u8) -> usize {
    let before = lines.get(..start.saturating_sub(1)).unwrap_or_default();
    memchr::memrchr(end, before).map_or(0, |at| at + 1)
}

/// Under `-T` numbers are as wide as the largest one that the size of the file allows.
fn width_of_numbers(options: &Options, input: &Input) -> usize {
    if !options.initial_tab {
        return 0;
    }
    match input.file().metadata() {
        Ok(metadata) if metadata.kind == FileKind::Regular => metadata.size.to_string().len(),
        _ => 19,
    }
}
