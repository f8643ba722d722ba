//! The command line of make, and `MAKEFLAGS`, in which a make tells its children what it was told.

use super::names;
use crate::args::{Complaint, Opt, Package, Parsed, Spec, UsageError};

#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Flag {
    Ignored,
    AlwaysMake,
    Directory,
    Debug,
    EnvironmentOverrides,
    Evaluate,
    File,
    IgnoreErrors,
    IncludeDirectory,
    Jobs,
    KeepGoing,
    Load,
    CheckLinks,
    JustPrint,
    Old,
    OutputSync,
    PrintDatabase,
    Question,
    NoRules,
    NoVariables,
    Silent,
    NoSilent,
    Stop,
    Touch,
    Trace,
    PrintDirectory,
    NoPrintDirectory,
    New,
    WarnUndefined,
    JobServer,
}

pub static SPEC: Spec<Flag> = Spec::new(
    "make",
    Package::Line("GNU Make 4.3"),
    &["[options] [target] ..."],
    "",
    &[
        Opt::short(Flag::Ignored, 'b', ""),
        Opt::short(Flag::Ignored, 'm', ""),
        Opt::flag(Flag::AlwaysMake, 'B', "always-make", ""),
        Opt::required(Flag::Directory, 'C', "directory", "DIRECTORY", ""),
        Opt::short(Flag::Debug, 'd', ""),
        Opt::long(Flag::Debug, "debug", "").may_take("FLAGS"),
        Opt::flag(Flag::EnvironmentOverrides, 'e', "environment-overrides", ""),
        Opt::required(Flag::Evaluate, 'E', "eval", "STRING", ""),
        Opt::required(Flag::File, 'f', "file", "FILE", ""),
        Opt::long(Flag::File, "makefile", "").takes("FILE"),
        Opt::flag(Flag::IgnoreErrors, 'i', "ignore-errors", ""),
        Opt::required(Flag::IncludeDirectory, 'I', "include-dir", "DIRECTORY", ""),
        Opt::optional(Flag::Jobs, 'j', "jobs", "N", ""),
        Opt::flag(Flag::KeepGoing, 'k', "keep-going", ""),
        Opt::optional(Flag::Load, 'l', "load-average", "N", ""),
        Opt::long(Flag::Load, "max-load", "").may_take("N"),
        Opt::flag(Flag::CheckLinks, 'L', "check-symlink-times", ""),
        Opt::flag(Flag::JustPrint, 'n', "just-print", ""),
        Opt::long(Flag::JustPrint, "dry-run", ""),
        Opt::long(Flag::JustPrint, "recon", ""),
        Opt::required(Flag::Old, 'o', "old-file", "FILE", ""),
        Opt::long(Flag::Old, "assume-old", "").takes("FILE"),
        Opt::optional(Flag::OutputSync, 'O', "output-sync", "TYPE", ""),
        Opt::flag(Flag::PrintDatabase, 'p', "print-data-base", ""),
        Opt::flag(Flag::Question, 'q', "question", ""),
        Opt::flag(Flag::NoRules, 'r', "no-builtin-rules", ""),
        Opt::flag(Flag::NoVariables, 'R', "no-builtin-variables", ""),
        Opt::flag(Flag::Silent, 's', "silent", ""),
        Opt::long(Flag::Silent, "quiet", ""),
        Opt::long(Flag::NoSilent, "no-silent", ""),
        Opt::flag(Flag::Stop, 'S', "no-keep-going", ""),
        Opt::long(Flag::Stop, "stop", ""),
        Opt::flag(Flag::Touch, 't', "touch", ""),
        Opt::long(Flag::Trace, "trace", ""),
        Opt::flag(Flag::PrintDirectory, 'w', "print-directory", ""),
        Opt::long(Flag::NoPrintDirectory, "no-print-directory", ""),
        Opt::required(Flag::New, 'W', "what-if", "FILE", ""),
        Opt::long(Flag::New, "new-file", "").takes("FILE"),
        Opt::long(Flag::New, "assume-new", "").takes("FILE"),
        Opt::long(Flag::WarnUndefined, "warn-undefined-variables", ""),
        Opt::long(Flag::JobServer, "jobserver-auth", "").takes("FDS"),
    ],
)
.fails_with(2)
.complains(Complaint::Help)
.own_help(include_str!("help.txt"))
.help_letter('h')
.version_letter('v');

/// What make was told.
#[derive(Debug, Clone, Default)]
pub struct Options {
    pub always_make: bool,
    pub directories: Vec<Vec<u8>>,
    pub env_overrides: bool,
    pub evaluate: Vec<Vec<u8>>,
    pub makefiles: Vec<Vec<u8>>,
    pub ignore_errors: bool,
    pub include_dirs: Vec<Vec<u8>>,
    /// `-j`: none for one job at a time, 0 for any number.
    pub jobs: Option<u64>,
    pub keep_going: bool,
    pub just_print: bool,
    pub old_files: Vec<Vec<u8>>,
    pub new_files: Vec<Vec<u8>>,
    pub question: bool,
    pub no_rules: bool,
    pub no_variables: bool,
    pub silent: bool,
    pub touch: bool,
    pub trace: bool,
    pub print_directory: bool,
    pub no_print_directory: bool,
    pub warn_undefined: bool,
    pub output_sync: Option<Vec<u8>>,
    pub load: Option<Vec<u8>>,
    /// Options that are not done, as they are called.
    pub refused: Option<&'static str>,
    /// `NAME=VALUE` on the command line.
    pub overrides: Vec<Vec<u8>>,
    pub goals: Vec<Vec<u8>>,
}

/// `-j 4`: a number in a word of its own belongs to the option.
fn with_numbers(arguments: &[Vec<u8>]) -> Vec<Vec<u8>> {
    let mut result: Vec<Vec<u8>> = Vec::with_capacity(arguments.len());
    let mut ended = false;
    for word in arguments {
        let is_number = !word.is_empty() && word.iter().all(u8::is_ascii_digit);
        match result.last_mut() {
            Some(before) if is_number && !ended && awaits_number(before) => before.extend_from_slice(word),
            _ => result.push(word.clone()),
        }
        ended |= word == b"--";
    }
    result
}

fn awaits_number(word: &[u8]) -> bool {
    let Some(letters) = word
        .strip_prefix(b"-")
        .filter(|letters| !letters.starts_with(b"-"))
    else {
        return false;
    };
    let takes = |byte: &u8| b"CEfIoWO".contains(byte);
    matches!(letters.last(), Some(b'j' | b'l')) && !letters.iter().any(takes)
}

impl Options {
    /// Reads more arguments.
    pub fn read(&mut self, arguments: &[Vec<u8>]) -> Result<(), UsageError> {
        let parsed = SPEC.parse(&with_numbers(arguments))?;
        self.apply(parsed)
    }

    fn apply(&mut self, parsed: Parsed<Flag>) -> Result<(), UsageError> {
        for (flag, value) in parsed.options {
            self.apply_flag(flag, value)?;
        }
        for operand in parsed.operands {
            if super::variables::Definition::parse(&operand).is_some() {
                self.overrides.push(operand);
            } else {
                self.goals.push(operand);
            }
        }
        Ok(())
    }

    fn apply_flag(&mut self, flag: Flag, value: Option<Vec<u8>>) -> Result<(), UsageError> {
        let text = value.clone().unwrap_or_default();
        match flag {
            Flag::Ignored | Flag::JobServer => {}
            Flag::AlwaysMake => self.always_make = true,
            Flag::Directory => self.directories.push(text),
            Flag::Debug => self.refused = Some("-d"),
            Flag::EnvironmentOverrides => self.env_overrides = true,
            Flag::Evaluate => self.evaluate.push(text),
            Flag::File => self.makefiles.push(text),
            Flag::IgnoreErrors => self.ignore_errors = true,
            Flag::IncludeDirectory => self.include_dirs.push(text),
            Flag::Jobs => self.jobs = Some(jobs(value)?),
            Flag::KeepGoing => self.keep_going = true,
            Flag::Load => self.load = Some(text),
            Flag::CheckLinks => self.refused = Some("-L"),
            Flag::JustPrint => self.just_print = true,
            Flag::Old => self.old_files.push(text),
            Flag::OutputSync => self.output_sync = Some(text),
            Flag::PrintDatabase => self.refused = Some("-p"),
            Flag::Question => self.question = true,
            Flag::NoRules => self.no_rules = true,
            Flag::NoVariables => (self.no_variables, self.no_rules) = (true, true),
            Flag::Silent => self.silent = true,
            Flag::NoSilent => self.silent = false,
            Flag::Stop => self.keep_going = false,
            Flag::Touch => self.touch = true,
            Flag::Trace => self.trace = true,
            Flag::PrintDirectory => (self.print_directory, self.no_print_directory) = (true, false),
            Flag::NoPrintDirectory => (self.print_directory, self.no_print_directory) = (false, true),
            Flag::New => self.new_files.push(text),
            Flag::WarnUndefined => self.warn_undefined = true,
        }
        Ok(())
    }

    /// Reads `MAKEFLAGS`: letters without a `-`, options, and behind `--` variables. What is wrong there is passed over.
    pub fn read_flags(&mut self, flags: &[u8]) {
        let mut words = super::rule::file_words(flags);
        if let Some(first) = words.first_mut()
            && !first.starts_with(b"-")
            && !first.contains(&b'=')
        {
            first.insert(0, b'-');
        }
        let goals = self.goals.clone();
        let mut copy = self.clone();
        if copy.read(&words).is_ok() {
            *self = copy;
        }
        self.goals = goals;
    }

    fn letters(&self) -> Vec<u8> {
        let all = [
            (self.always_make, b'B'),
            (self.env_overrides, b'e'),
            (self.ignore_errors, b'i'),
            (self.keep_going, b'k'),
            (self.just_print, b'n'),
            (self.question, b'q'),
            (self.no_rules, b'r'),
            (self.no_variables, b'R'),
            (self.silent, b's'),
            (self.touch, b't'),
            (self.print_directory, b'w'),
        ];
        all.into_iter()
            .filter(|(set, _)| *set)
            .map(|(_, letter)| letter)
            .collect()
    }

    /// The flags for children, without variables.
    pub fn flags(&self) -> Vec<u8> {
        let mut text = self.letters();
        for directory in &self.include_dirs {
            text.extend_from_slice(&[b" -I".as_slice(), directory].concat());
        }
        match self.jobs {
            None | Some(1) => {}
            Some(0) => text.extend_from_slice(b" -j"),
            Some(count) => text.extend_from_slice(format!(" -j{count} --jobserver-auth=3,4").as_bytes()),
        }
        if let Some(kind) = &self.output_sync {
            text.extend_from_slice(&[b" -O".as_slice(), kind].concat());
        }
        if self.trace {
            text.extend_from_slice(b" --trace");
        }
        if self.no_print_directory {
            text.extend_from_slice(b" --no-print-directory");
        }
        if self.warn_undefined {
            text.extend_from_slice(b" --warn-undefined-variables");
        }
        text
    }

    /// The variables of the command line, quoted for the environment, the last one first.
    pub fn quoted_overrides(&self) -> Vec<u8> {
        names::join(self.overrides.iter().rev().map(|text| {
            let mut quoted = Vec::with_capacity(text.len());
            for byte in text {
                match byte {
                    b'$' => quoted.push(b'$'),
                    b'\\' => quoted.push(b'\\'),
                    byte if names::is_blank(*byte) => quoted.push(b'\\'),
                    _ => {}
                }
                quoted.push(*byte);
            }
            quoted
        }))
    }
}

fn jobs(value: Option<Vec<u8>>) -> Result<u64, UsageError> {
    let Some(text) = value else {
        return Ok(0);
    };
    let number = std::str::from_utf8(&text)
        .ok()
        .and_then(|text| text.parse::<u64>().ok());
    match number {
        Some(number) if number > 0 => Ok(number),
        _ => Err(SPEC.complain("the '-j' option requires a positive integer argument")),
    }
}
