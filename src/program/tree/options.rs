//! The command line of `tree`, which is parsed in its own way: letters in clusters, values in the next argument or behind `=`.

use crate::kernel::Proc;
use crate::pattern::{Pattern, PatternOptions};
use crate::program::message::message;

/// Why the program does not draw.
pub enum Answer {
    Help,
    Version,
    /// A sort that there is not.
    Sort(Vec<u8>),
    /// A complaint, with or without the usage behind it.
    Complaint(Vec<u8>, bool),
}

/// What entries are sorted by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sort {
    Name,
    Version,
    Size,
    Modification,
    Change,
    None,
}

/// Which kind comes first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum First {
    Neither,
    Directories,
    Files,
}

/// How names are shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Names {
    Escaped,
    QuestionMarks,
    Raw,
}

/// The characters of lines.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Lines {
    Unicode,
    Ascii,
    None,
}

/// A pattern of `-P` or `-I`; with a slash at its end it is for directories.
pub struct Filter {
    pattern: Pattern,
    directories_only: bool,
}

/// What is wanted.
pub struct Options {
    pub operands: Vec<Vec<u8>>,
    pub all: bool,
    pub directories_only: bool,
    pub follow_links: bool,
    pub full_paths: bool,
    pub one_file_system: bool,
    pub levels: usize,
    pub include: Vec<Filter>,
    pub exclude: Vec<Filter>,
    pub match_directories: bool,
    pub prune: bool,
    pub report: bool,
    pub file_limit: usize,
    pub output: Option<Vec<u8>>,
    pub names: Names,
    pub quotes: bool,
    pub modes: bool,
    pub users: bool,
    pub groups: bool,
    pub sizes: bool,
    /// The base of sizes for people.
    pub human: Option<u64>,
    pub dates: bool,
    pub time_format: Option<Vec<u8>>,
    pub indicators: bool,
    pub inodes: bool,
    pub sort: Sort,
    pub change_time: bool,
    pub reverse: bool,
    pub first: First,
    pub lines: Lines,
    pub info_first: bool,
    pub json: bool,
    /// Names are text in UTF-8 to the locale.
    pub unicode: bool,
}

fn complaint(line: Vec<u8>) -> Answer {
    Answer::Complaint(line, false)
}

/// Whether the locale that the environment names is one of UTF-8.
fn locale_is_unicode(proc: &Proc) -> bool {
    let names: [&[u8]; 3] = [b"LC_ALL", b"LC_CTYPE", b"LANG"];
    let locale = names
        .iter()
        .find_map(|name| proc.variable(name).filter(|value| !value.is_empty()));
    let locale = locale.unwrap_or_default().to_ascii_lowercase();
    [b"utf-8".as_slice(), b"utf8"]
        .iter()
        .any(|form| memchr::memmem::find(&locale, form).is_some())
}

impl Options {
    /// Reads the arguments.
    pub fn read(proc: &Proc) -> Result<Options, Answer> {
        let unicode = locale_is_unicode(proc);
        let mut parser = Parser {
            words: proc.arguments(),
            next: 0,
            ignore_case: false,
            include: Vec::new(),
            exclude: Vec::new(),
            plain_lines: false,
            options: Options {
                operands: Vec::new(),
                all: false,
                directories_only: false,
                follow_links: false,
                full_paths: false,
                one_file_system: false,
                levels: usize::MAX,
                include: Vec::new(),
                exclude: Vec::new(),
                match_directories: false,
                prune: false,
                report: true,
                file_limit: 0,
                output: None,
                names: Names::Escaped,
                quotes: false,
                modes: false,
                users: false,
                groups: false,
                sizes: false,
                human: None,
                dates: false,
                time_format: None,
                indicators: false,
                inodes: false,
                sort: Sort::Name,
                change_time: false,
                reverse: false,
                first: First::Neither,
                lines: if unicode { Lines::Unicode } else { Lines::Ascii },
                info_first: false,
                json: false,
                unicode,
            },
        };
        parser.run()?;
        let Parser {
            mut options,
            include,
            exclude,
            ignore_case,
            plain_lines,
            ..
        } = parser;
        options.include = filters(&include, ignore_case);
        options.exclude = filters(&exclude, ignore_case);
        if plain_lines {
            options.lines = Lines::None;
        }
        if options.operands.is_empty() {
            options.operands.push(b".".to_vec());
        }
        Ok(options)
    }
}

/// The alternatives of patterns, which are joined by `|`.
fn filters(texts: &[Vec<u8>], ignore_case: bool) -> Vec<Filter> {
    let options = PatternOptions {
        nocase: ignore_case,
        ..PatternOptions::default()
    };
    let alternatives = texts.iter().flat_map(|text| text.split(|byte| *byte == b'|'));
    let filter = |text: &[u8]| Filter {
        directories_only: text.ends_with(b"/"),
        pattern: Pattern::compile(text.strip_suffix(b"/").unwrap_or(text), options),
    };
    alternatives.map(filter).collect()
}

/// Whether one of the filters matches.
pub fn any_matches(filters: &[Filter], name: &[u8], is_directory: bool) -> bool {
    filters
        .iter()
        .any(|filter| (is_directory || !filter.directories_only) && filter.pattern.matches(name))
}

struct Parser<'w> {
    words: &'w [Vec<u8>],
    next: usize,
    ignore_case: bool,
    include: Vec<Vec<u8>>,
    exclude: Vec<Vec<u8>>,
    plain_lines: bool,
    options: Options,
}

impl Parser<'_> {
    fn take(&mut self) -> Option<Vec<u8>> {
        let word = self.words.get(self.next)?;
        self.next += 1;
        Some(word.clone())
    }

    fn run(&mut self) -> Result<(), Answer> {
        let mut ended = false;
        while let Some(word) = self.take() {
            match word.as_slice() {
                b"--" if !ended => ended = true,
                [b'-', b'-', name @ ..] if !ended => self.long(name)?,
                [b'-', letters @ ..] if !ended && !letters.is_empty() => {
                    for letter in letters {
                        self.letter(*letter)?;
                    }
                }
                _ => self.options.operands.push(word),
            }
        }
        Ok(())
    }

    fn value_of_letter(&mut self, letter: char) -> Result<Vec<u8>, Answer> {
        self.take()
            .ok_or_else(|| complaint(format!("Missing argument to -{letter} option.").into_bytes()))
    }

    fn letter(&mut self, letter: u8) -> Result<(), Answer> {
        let options = &mut self.options;
        match letter {
            b'a' => options.all = true,
            b'd' => options.directories_only = true,
            b'l' => options.follow_links = true,
            b'f' => options.full_paths = true,
            b'x' => options.one_file_system = true,
            b'q' => options.names = Names::QuestionMarks,
            b'N' => options.names = Names::Raw,
            b'Q' => options.quotes = true,
            b'p' => options.modes = true,
            b'u' => options.users = true,
            b'g' => options.groups = true,
            b's' => options.sizes = true,
            b'h' => {
                options.sizes = true;
                options.human = options.human.or(Some(1024));
            }
            b'D' => options.dates = true,
            b'F' => options.indicators = true,
            b'v' => options.sort = Sort::Version,
            b't' => options.sort = Sort::Modification,
            b'c' => {
                options.sort = Sort::Change;
                options.change_time = true;
            }
            b'U' => options.sort = Sort::None,
            b'r' => options.reverse = true,
            b'i' => self.plain_lines = true,
            // Colours are off anyway.
            b'n' => {}
            b'J' => options.json = true,
            b'L' => {
                let text = self.value_of_letter('L')?;
                self.options.levels = level(&text)?;
            }
            b'P' => {
                let text = self.value_of_letter('P')?;
                self.include.push(text);
            }
            b'I' => {
                let text = self.value_of_letter('I')?;
                self.exclude.push(text);
            }
            b'o' => {
                let text = self.value_of_letter('o')?;
                self.options.output = Some(text);
            }
            _ => {
                let line = message!("Invalid argument -`", [letter], "'.");
                return Err(Answer::Complaint(line, true));
            }
        }
        Ok(())
    }

    fn long(&mut self, word: &[u8]) -> Result<(), Answer> {
        let (name, attached) = match word.iter().position(|byte| *byte == b'=') {
            Some(at) => (
                word.get(..at).unwrap_or_default(),
                word.get(at + 1..).map(<[u8]>::to_vec),
            ),
            None => (word, None),
        };
        let options = &mut self.options;
        match (name, &attached) {
            (b"help", None) => return Err(Answer::Help),
            (b"version", None) => return Err(Answer::Version),
            (b"noreport", None) => options.report = false,
            (b"prune", None) => options.prune = true,
            (b"matchdirs", None) => options.match_directories = true,
            (b"ignore-case", None) => self.ignore_case = true,
            (b"metafirst", None) => options.info_first = true,
            (b"inodes", None) => options.inodes = true,
            (b"dirsfirst", None) => options.first = First::Directories,
            (b"filesfirst", None) => options.first = First::Files,
            (b"si", None) => {
                options.sizes = true;
                options.human = Some(1000);
            }
            (b"filelimit" | b"charset" | b"timefmt" | b"sort", _) => {
                let value = match attached {
                    Some(value) => value,
                    None => self
                        .take()
                        .ok_or_else(|| complaint(message!("Missing argument to --", name)))?,
                };
                self.long_value(name, value)?;
            }
            _ => {
                let line = message!("Invalid argument `--", word, "'.");
                return Err(Answer::Complaint(line, true));
            }
        }
        Ok(())
    }

    fn long_value(&mut self, name: &[u8], value: Vec<u8>) -> Result<(), Answer> {
        let options = &mut self.options;
        match name {
            b"filelimit" => options.file_limit = leading_number(&value),
            b"charset" => {
                let known = value.to_ascii_lowercase();
                options.lines = if known == b"utf-8" || known == b"utf8" {
                    Lines::Unicode
                } else {
                    Lines::Ascii
                };
            }
            b"timefmt" => {
                options.dates = true;
                options.time_format = Some(value);
            }
            _ => {
                const SORTS: [(&[u8], Sort); 5] = [
                    (b"name", Sort::Name),
                    (b"version", Sort::Version),
                    (b"size", Sort::Size),
                    (b"mtime", Sort::Modification),
                    (b"ctime", Sort::Change),
                ];
                let lower = value.to_ascii_lowercase();
                let found = SORTS.iter().find(|(name, _)| *name == lower);
                let (_, sort) = found.ok_or(Answer::Sort(value))?;
                options.sort = *sort;
            }
        }
        Ok(())
    }
}

fn leading_number(text: &[u8]) -> usize {
    let digits = text.iter().take_while(|byte| byte.is_ascii_digit());
    digits.fold(0_usize, |sum, digit| {
        sum.saturating_mul(10).saturating_add(usize::from(digit - b'0'))
    })
}

fn level(text: &[u8]) -> Result<usize, Answer> {
    match leading_number(text) {
        0 => Err(complaint(b"Invalid level, must be greater than 0.".to_vec())),
        level => Ok(level),
    }
}
