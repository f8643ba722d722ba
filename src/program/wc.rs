//! `wc`: counts lines, words, characters, bytes and the longest line.
//!
//! Bytes and lines alone need no decoding. Else text is decoded as the multibyte branch of GNU wc does: an invalid byte is no
//! character and neither starts nor ends a word, and only printable characters start one. The width of the columns comes
//! from the sizes of the files before they are read.

use super::usage::{self, Failure};
use crate::args::{COREUTILS, Opt, Parsed, Spec, UsageError, quoteaf, quotef};
use crate::fs::{Errno, FileKind, Follow};
use crate::kernel::{Input, Proc, Program, Stop};
use crate::text::class::Class;
use crate::text::utf8::{self, Unit};

/// The program.
pub const PROGRAM: Program = Program {
    name: "wc",
    run: |proc| Box::pin(run(proc)),
};

#[derive(Clone, Copy, PartialEq)]
enum Flag {
    Bytes,
    Chars,
    Lines,
    FilesFrom,
    Longest,
    Words,
}

static SPEC: Spec<Flag> = Spec::new(
    "wc",
    COREUTILS,
    &["[OPTION]... [FILE]...", "[OPTION]... --files0-from=F"],
    "Print newline, word, and byte counts for each FILE, and a total line if\n\
     more than one FILE is specified.  A word is a non-zero-length sequence of\n\
     printable characters delimited by white space.\n\n\
     With no FILE, or when FILE is -, read standard input.",
    &[
        Opt::flag(Flag::Bytes, 'c', "bytes", "print the byte counts"),
        Opt::flag(Flag::Chars, 'm', "chars", "print the character counts"),
        Opt::flag(Flag::Lines, 'l', "lines", "print the newline counts"),
        Opt::long(
            Flag::FilesFrom,
            "files0-from",
            "read input from the files specified by\nNUL-terminated names in file F;\nIf F is - then read names from standard input",
        )
        .takes("F"),
        Opt::flag(Flag::Longest, 'L', "max-line-length", "print the maximum display width"),
        Opt::flag(Flag::Words, 'w', "words", "print the word counts"),
    ],
);

#[derive(Debug, Clone, Copy)]
struct Columns {
    lines: bool,
    words: bool,
    chars: bool,
    bytes: bool,
    longest: bool,
}

impl Columns {
    fn from_options(parsed: &Parsed<Flag>) -> Columns {
        let columns = Columns {
            lines: parsed.has(Flag::Lines),
            words: parsed.has(Flag::Words),
            chars: parsed.has(Flag::Chars),
            bytes: parsed.has(Flag::Bytes),
            longest: parsed.has(Flag::Longest),
        };
        if columns.count() == 0 {
            return Columns {
                lines: true,
                words: true,
                bytes: true,
                ..columns
            };
        }
        columns
    }

    fn count(self) -> usize {
        [self.lines, self.words, self.chars, self.bytes, self.longest]
            .into_iter()
            .filter(|shown| *shown)
            .count()
    }

    fn decodes(self) -> bool {
        self.words || self.chars || self.longest
    }
}

#[derive(Debug, Default, Clone, Copy)]
struct Counts {
    lines: u64,
    words: u64,
    chars: u64,
    bytes: u64,
    longest: u64,
}

/// The names of the files, and how the columns are as wide as they are.
struct Names {
    paths: Vec<Vec<u8>>,
    /// The file that lists them.
    listed_in: Option<Vec<u8>>,
    /// No file was named: the count has no name behind it.
    nameless: bool,
    width: usize,
}

async fn run(proc: &mut Proc) -> Result<i32, Stop> {
    let parsed = usage::parse(proc, &SPEC).await?;
    let columns = Columns::from_options(&parsed);
    let names = names(proc, &parsed, columns).await?;
    let mut total = Counts::default();
    let mut status = 0;
    for (index, path) in names.paths.iter().enumerate() {
        if let Some(list) = names.listed_in.as_deref()
            && !name_is_fit(proc, list, path, index).await?
        {
            status = 1;
            continue;
        }
        let mut counts = Counts::default();
        let counted = count_path(proc, path, columns, &mut counts).await;
        let opened = match usage::settle(counted)? {
            Ok(opened) => opened,
            Err(errno) => {
                usage::warn_file(proc, path, errno).await?;
                status = 1;
                errno == Errno::EISDIR
            }
        };
        if opened {
            let name = (!names.nameless).then_some(path.as_slice());
            print_counts(proc, columns, names.width, &counts, name).await?;
        }
        total = add(total, counts);
    }
    if names.paths.len() > 1 {
        print_counts(proc, columns, names.width, &total, Some(b"total")).await?;
    }
    Ok(status)
}

fn add(total: Counts, counts: Counts) -> Counts {
    Counts {
        lines: total.lines + counts.lines,
        words: total.words + counts.words,
        chars: total.chars + counts.chars,
        bytes: total.bytes + counts.bytes,
        longest: total.longest.max(counts.longest),
    }
}

/// Says why a name of a list cannot be used.
async fn name_is_fit(proc: &mut Proc, list: &[u8], path: &[u8], index: usize) -> Result<bool, Stop> {
    if list == b"-" && path == b"-" {
        let message = "when reading file names from stdin, no file name of '-' allowed";
        proc.warn(message).await?;
        return Ok(false);
    }
    if path.is_empty() {
        let place = format!(":{}: invalid zero-length file name", index + 1);
        proc.warn([&quotef(list), place.as_bytes()].concat()).await?;
        return Ok(false);
    }
    Ok(true)
}

async fn names(proc: &mut Proc, parsed: &Parsed<Flag>, columns: Columns) -> Result<Names, Stop> {
    let Some(list) = parsed.last(Flag::FilesFrom).map(<[u8]>::to_vec) else {
        let nameless = parsed.operands.is_empty();
        let paths = usage::operands_or_stdin(parsed.operands.clone());
        let width = column_width(proc, &paths, columns);
        return Ok(Names {
            paths,
            listed_in: None,
            nameless,
            width,
        });
    };
    if let Some(extra) = parsed.operands.first() {
        let error = SPEC
            .complain([b"extra operand ", quoteaf(extra).as_slice()].concat())
            .with_lines(b"file operands cannot be combined with --files0-from\n");
        return Err(usage::refuse(proc, &error).await);
    }
    let (paths, regular) = match read_list(proc, &list).await {
        Ok(read) => read,
        Err(Failure::Stop(stop)) => return Err(stop),
        Err(Failure::File(errno)) => {
            let verb = if errno == Errno::EISDIR {
                "read error"
            } else {
                "cannot open"
            };
            return Err(list_failed(proc, &list, verb, errno).await);
        }
    };
    let width = if regular {
        column_width(proc, &paths, columns)
    } else {
        1
    };
    Ok(Names {
        paths,
        listed_in: Some(list),
        nameless: false,
        width,
    })
}

async fn list_failed(proc: &mut Proc, list: &[u8], verb: &str, errno: Errno) -> Stop {
    let error = if verb == "cannot open" {
        [b"cannot open ", quoteaf(list).as_slice(), b" for reading"].concat()
    } else {
        [&quotef(list), b": read error".as_slice()].concat()
    };
    let message = [error.as_slice(), b": ", errno.message().as_bytes()].concat();
    usage::refuse(proc, &UsageError::plain(1, message)).await
}

/// The names of a list, and whether it is a regular file, whose names are known before the first is counted.
async fn read_list(proc: &mut Proc, list: &[u8]) -> Result<(Vec<Vec<u8>>, bool), Failure> {
    let file = proc.open_operand(list).await?;
    let regular = file
        .metadata()
        .is_ok_and(|metadata| metadata.kind == FileKind::Regular);
    let mut lease = proc.kernel.lease();
    let bytes = Input::new(file).rest(&mut lease).await?;
    let mut paths: Vec<Vec<u8>> = bytes.split(|byte| *byte == 0).map(<[u8]>::to_vec).collect();
    if paths.last().is_some_and(Vec::is_empty) {
        paths.pop();
    }
    Ok((paths, regular))
}

/// As wide as the sum of the sizes; 7 where a file has none that is known.
fn column_width(proc: &Proc, paths: &[Vec<u8>], columns: Columns) -> usize {
    if paths.is_empty() || (paths.len() == 1 && columns.count() == 1) {
        return 1;
    }
    let mut least = 1;
    let mut total = 0_u64;
    for path in paths {
        let metadata = if path == b"-" {
            proc.stdin().and_then(|file| file.metadata())
        } else {
            proc.metadata(path, Follow::Yes)
        };
        match metadata {
            Ok(metadata) if metadata.kind == FileKind::Regular => total = total.saturating_add(metadata.size),
            Ok(_) => least = 7,
            Err(_) => {}
        }
    }
    total.to_string().len().max(least)
}

/// Counts into `counts`, also up to an error. `Ok(true)`: there is something to print.
async fn count_path(
    proc: &mut Proc,
    path: &[u8],
    columns: Columns,
    counts: &mut Counts,
) -> Result<bool, Failure> {
    let file = proc.open_operand(path).await?;
    if columns.count() == 1 && columns.bytes {
        let metadata = file.metadata()?;
        if metadata.kind == FileKind::Regular && metadata.size > 0 {
            counts.bytes = metadata.size.saturating_sub(file.offset());
            if counts.bytes > 0 {
                file.seek(metadata.size)?;
            }
            return Ok(true);
        }
    }
    let mut input = Input::new(file);
    if columns.decodes() {
        count_text(proc, &mut input, columns, counts).await?;
    } else {
        count_lines(&mut input, columns, counts).await?;
    }
    Ok(true)
}

async fn count_lines(input: &mut Input, columns: Columns, counts: &mut Counts) -> Result<(), Failure> {
    loop {
        let block = input.block().await?;
        if block.is_empty() {
            return Ok(());
        }
        counts.bytes += block.len() as u64;
        if columns.lines {
            counts.lines += memchr::memchr_iter(b'\n', block).count() as u64;
        }
    }
}

#[derive(Debug, Default)]
struct Scan {
    in_word: bool,
    column: u64,
}

async fn count_text(
    proc: &Proc,
    input: &mut Input,
    columns: Columns,
    counts: &mut Counts,
) -> Result<(), Failure> {
    let mut scan = Scan::default();
    while input.fill().await? {
        let block = input.buffered();
        // Decoding costs more than moving bytes does.
        proc.charge(block.len() as u64 / 64)?;
        let used = if columns.longest {
            scan.columns(block, counts)
        } else {
            scan.words(block, counts)
        };
        counts.bytes += used as u64;
        input.consume(used);
    }
    // What is left is the beginning of a character.
    counts.bytes += input.buffered().len() as u64;
    counts.words += u64::from(scan.in_word);
    counts.longest = counts.longest.max(scan.column);
    Ok(())
}

/// What an ASCII byte does to words.
#[derive(Clone, Copy, PartialEq)]
enum Effect {
    Ends,
    Starts,
    Nothing,
}

const fn effects() -> [Effect; 128] {
    let mut table = [Effect::Nothing; 128];
    let mut byte = 0;
    while byte < 128 {
        if byte == 32 || (byte >= 9 && byte <= 13) {
            table[byte] = Effect::Ends;
        } else if byte > 32 && byte < 127 {
            table[byte] = Effect::Starts;
        }
        byte += 1;
    }
    table
}

static EFFECTS: [Effect; 128] = effects();

impl Scan {
    fn effect(&mut self, effect: Effect, counts: &mut Counts) {
        match effect {
            Effect::Ends => {
                counts.words += u64::from(self.in_word);
                self.in_word = false;
            }
            Effect::Starts => self.in_word = true,
            Effect::Nothing => {}
        }
    }

    /// Lines, words and characters; returns how many bytes were used.
    fn words(&mut self, block: &[u8], counts: &mut Counts) -> usize {
        counts.lines += memchr::memchr_iter(b'\n', block).count() as u64;
        let mut offset = 0;
        while let Some(rest) = block.get(offset..).filter(|rest| !rest.is_empty()) {
            let mut ascii = 0;
            let mut words = 0_u64;
            for byte in rest {
                let Some(effect) = EFFECTS.get(usize::from(*byte)) else {
                    break;
                };
                words += u64::from(*effect == Effect::Ends && self.in_word);
                self.in_word = *effect == Effect::Starts || (*effect == Effect::Nothing && self.in_word);
                ascii += 1;
            }
            counts.words += words;
            counts.chars += ascii as u64;
            offset += ascii;
            let Some(rest) = rest.get(ascii..).filter(|rest| !rest.is_empty()) else {
                break;
            };
            if rest.len() < 4 && utf8::is_truncated(rest) {
                break;
            }
            offset += self.wide(rest, counts);
        }
        offset
    }

    /// The same with columns.
    fn columns(&mut self, block: &[u8], counts: &mut Counts) -> usize {
        let mut offset = 0;
        while let Some(rest) = block.get(offset..)
            && let Some(byte) = rest.first()
        {
            let Some(effect) = EFFECTS.get(usize::from(*byte)) else {
                if rest.len() < 4 && utf8::is_truncated(rest) {
                    break;
                }
                offset += self.wide(rest, counts);
                continue;
            };
            match byte {
                b'\n' | b'\r' | b'\x0c' => {
                    counts.lines += u64::from(*byte == b'\n');
                    counts.longest = counts.longest.max(self.column);
                    self.column = 0;
                }
                b'\t' => self.column += 8 - self.column % 8,
                b' '..=b'~' => self.column += 1,
                _ => {}
            }
            counts.chars += 1;
            self.effect(*effect, counts);
            offset += 1;
        }
        offset
    }

    /// One character that is not ASCII, or an invalid byte.
    fn wide(&mut self, rest: &[u8], counts: &mut Counts) -> usize {
        let Some(Unit::Char(character)) = utf8::first(rest) else {
            return 1;
        };
        counts.chars += 1;
        if utf8::is_print(character) {
            self.column += utf8::char_width(character).unwrap_or(0) as u64;
            let no_break = matches!(character, '\u{a0}' | '\u{2007}' | '\u{202f}' | '\u{2060}');
            let ends = no_break || Class::Space.contains(character);
            self.effect(if ends { Effect::Ends } else { Effect::Starts }, counts);
        }
        character.len_utf8()
    }
}

async fn print_counts(
    proc: &mut Proc,
    columns: Columns,
    width: usize,
    counts: &Counts,
    name: Option<&[u8]>,
) -> Result<(), Stop> {
    let shown = [
        (columns.lines, counts.lines),
        (columns.words, counts.words),
        (columns.chars, counts.chars),
        (columns.bytes, counts.bytes),
        (columns.longest, counts.longest),
    ];
    let numbers: Vec<String> = shown
        .into_iter()
        .filter(|(shown, _)| *shown)
        .map(|(_, count)| format!("{count:width$}"))
        .collect();
    let mut line = numbers.join(" ").into_bytes();
    if let Some(name) = name {
        line.push(b' ');
        if name.contains(&b'\n') {
            line.extend_from_slice(&quotef(name));
        } else {
            line.extend_from_slice(name);
        }
    }
    line.push(b'\n');
    proc.write(&line).await
}
