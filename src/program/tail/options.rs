//! The command line of `tail`, the obsolete `-5`, `+5`, `-5c`, `-5f` included.

use std::time::Duration;

use crate::args::{COREUTILS, Opt, Parsed, Spec, UsageError, parse_count, quote};
use crate::program::message::message;
use crate::program::{numbers, usage};
use crate::text::number;

#[derive(Clone, Copy, PartialEq)]
enum Flag {
    Bytes,
    Follow,
    FollowName,
    Lines,
    MaxUnchanged,
    Pid,
    Quiet,
    Retry,
    Sleep,
    Verbose,
    Zero,
    Hidden,
    Digit,
}

static SPEC: Spec<Flag> = Spec::new(
    "tail",
    COREUTILS,
    &["[OPTION]... [FILE]..."],
    "Print the last 10 lines of each FILE to standard output.\n\
     With more than one FILE, precede each with a header giving the file name.\n\n\
     With no FILE, or when FILE is -, read standard input.",
    &[
        Opt::required(Flag::Bytes, 'c', "bytes", "[+]NUM", "output the last NUM bytes; or use -c +NUM to\noutput starting with byte NUM of each file"),
        Opt::short(Flag::Follow, 'f', ""),
        Opt::long(Flag::Follow, "follow", "output appended data as the file grows;\n-f and --follow mean --follow=descriptor").may_take("{name|descriptor}"),
        Opt::short(Flag::FollowName, 'F', "same as --follow=name --retry"),
        Opt::required(Flag::Lines, 'n', "lines", "[+]NUM", "output the last NUM lines, instead of the last 10;\nor use -n +NUM to output starting with line NUM"),
        Opt::long(Flag::MaxUnchanged, "max-unchanged-stats", "with --follow=name, reopen a FILE which has not\nchanged size after N (default 5) iterations").takes("N"),
        Opt::long(Flag::Pid, "pid", "with -f, terminate after process ID, PID dies").takes("PID"),
        Opt::flag(Flag::Quiet, 'q', "quiet", "never output headers giving file names"),
        Opt::long(Flag::Quiet, "silent", ""),
        Opt::long(Flag::Retry, "retry", "keep trying to open a file if it is inaccessible"),
        Opt::required(Flag::Sleep, 's', "sleep-interval", "N", "with -f, sleep for approximately N seconds\n(default 1.0) between iterations"),
        Opt::flag(Flag::Verbose, 'v', "verbose", "always output headers giving file names"),
        Opt::flag(Flag::Zero, 'z', "zero-terminated", "line delimiter is NUL, not newline"),
        Opt::long(Flag::Hidden, "-disable-inotify", ""),
        Opt::long(Flag::Hidden, "-presume-input-pipe", ""),
        Opt::digits(Flag::Digit, ""),
    ],
)
.notes(
    "NUM may have a multiplier suffix:\nb 512, kB 1000, K 1024, MB 1000*1000, M 1024*1024,\n\
     GB 1000*1000*1000, G 1024*1024*1024, and so on for T, P, E, Z, Y.\n\
     Binary prefixes can be used, too: KiB=K, MiB=M, and so on.\n\n\
     With --follow (-f), tail defaults to following the file descriptor, which\n\
     means that even if a tail'ed file is renamed, tail will continue to track\n\
     its end.  Use --follow=name to track the actual name of the named file.",
);

/// What is followed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Follow {
    /// The open file.
    Descriptor,
    /// Whatever has the name.
    Name,
}

/// What to print, and what to do then.
#[derive(Debug)]
pub struct Plan {
    /// Units from the end, or units to leave out at the start.
    pub count: u64,
    /// From the start.
    pub from_start: bool,
    /// Lines, not bytes.
    pub lines: bool,
    /// At the end of lines.
    pub delimiter: u8,
    /// `None`: headers when there is more than one file.
    pub headers: Option<bool>,
    /// Go on as files grow.
    pub follow: Option<Follow>,
    /// Files that cannot be opened are tried again.
    pub retry: bool,
    /// Ends when this process has ended.
    pub pid: Option<u32>,
    /// Between looks.
    pub interval: Duration,
    /// The files.
    pub files: Vec<Vec<u8>>,
    /// To be said first.
    pub warnings: Vec<&'static str>,
}

impl Plan {
    /// Reads the command line.
    pub fn from_arguments(arguments: &[Vec<u8>]) -> Result<Plan, UsageError> {
        let mut plan = Plan {
            count: 10,
            from_start: false,
            lines: true,
            delimiter: b'\n',
            headers: None,
            follow: None,
            retry: false,
            pid: None,
            interval: Duration::from_secs(1),
            files: Vec::new(),
            warnings: Vec::new(),
        };
        let obsolete = plan.obsolete(arguments)?;
        let rest = if obsolete {
            arguments.get(1..).unwrap_or_default()
        } else {
            arguments
        };
        let Parsed { options, operands } = SPEC
            .parse(rest)
            .map_err(|error| first_digit(rest).unwrap_or(error))?;
        for (flag, value) in options {
            plan.set(flag, value.as_deref())?;
        }
        plan.files = usage::operands_or_stdin(operands);
        plan.warn();
        Ok(plan)
    }

    fn warn(&mut self) {
        if self.retry && self.follow.is_none() {
            self.retry = false;
            self.warnings
                .push("warning: --retry ignored; --retry is useful only when following");
        } else if self.retry && self.follow == Some(Follow::Descriptor) {
            self.warnings
                .push("warning: --retry only effective for the initial open");
        }
        if self.pid.is_some() && self.follow.is_none() {
            self.warnings
                .push("warning: PID ignored; --pid=PID is useful only when following");
        }
    }

    fn set(&mut self, flag: Flag, value: Option<&[u8]>) -> Result<(), UsageError> {
        let text = value.unwrap_or_default();
        match flag {
            Flag::Bytes | Flag::Lines => {
                self.lines = flag == Flag::Lines;
                self.from_start |= text.starts_with(b"+");
                let digits = text.strip_prefix(b"-").unwrap_or(text);
                let sentence = if self.lines {
                    "invalid number of lines"
                } else {
                    "invalid number of bytes"
                };
                self.count = numbers::unsigned(digits, "bkKmMGTPEZY0", (0, u64::MAX), sentence)?;
            }
            Flag::Follow => {
                let choices = [("descriptor", Follow::Descriptor), ("name", Follow::Name)];
                self.follow = Some(match value {
                    None => Follow::Descriptor,
                    Some(word) => SPEC.choose("--follow", word, &choices)?,
                });
            }
            Flag::FollowName => {
                self.follow = Some(Follow::Name);
                self.retry = true;
            }
            Flag::MaxUnchanged => {
                // Files are looked at every time.
                let sentence = "invalid maximum number of unchanged stats between opens";
                numbers::unsigned(text, "", (0, u64::MAX), sentence)?;
            }
            Flag::Pid => {
                let pid = numbers::unsigned(text, "", (0, i32::MAX as u64), "invalid PID")?;
                self.pid = Some(pid as u32).filter(|pid| *pid != 0);
            }
            Flag::Quiet => self.headers = Some(false),
            Flag::Retry => self.retry = true,
            Flag::Sleep => self.interval = seconds(text)?,
            Flag::Verbose => self.headers = Some(true),
            Flag::Zero => self.delimiter = 0,
            Flag::Hidden => {}
            Flag::Digit => return Err(invalid_context(text)),
        }
        Ok(())
    }

    /// The first argument is of the obsolete kind.
    fn obsolete(&mut self, arguments: &[Vec<u8>]) -> Result<bool, UsageError> {
        let is_option = |word: &Vec<u8>| word.len() > 1 && word.starts_with(b"-");
        let word = match arguments {
            [word] => word,
            [word, file] if !is_option(file) => word,
            [word, dashes] | [word, dashes, _] if dashes == b"--" => word,
            _ => return Ok(false),
        };
        let (from_start, text) = match word.split_first() {
            Some((b'+', text)) => (true, text),
            Some((b'-', [] | [b'c'])) => return Ok(false),
            Some((b'-', text)) => (false, text),
            _ => return Ok(false),
        };
        let length = text.iter().take_while(|byte| byte.is_ascii_digit()).count();
        let (digits, letters) = text.split_at_checked(length).unwrap_or_default();
        let (unit, rest) = match letters.split_first() {
            Some((unit @ (b'b' | b'c' | b'l'), rest)) => (*unit, rest),
            _ => (b'l', letters),
        };
        let follow = match rest {
            [] => None,
            b"f" => Some(Follow::Descriptor),
            _ => return Ok(false),
        };
        let factor = if unit == b'b' { 512 } else { 1 };
        let count = if digits.is_empty() {
            Ok(10)
        } else {
            parse_count(digits, "")
        };
        let Some(count) = count.ok().and_then(|count| count.checked_mul(factor)) else {
            let reason = b": Numerical result out of range".as_slice();
            let message = [b"invalid number: ", &*quote(word), reason];
            return Err(UsageError::plain(1, message.concat()));
        };
        self.count = count;
        self.from_start = from_start;
        self.lines = unit == b'l';
        self.follow = follow;
        Ok(true)
    }
}

fn invalid_context(digit: &[u8]) -> UsageError {
    UsageError::plain(1, message!("option used in invalid context -- ", digit))
}

/// A digit is complained about where it stands, before what is wrong behind it.
fn first_digit(words: &[Vec<u8>]) -> Option<UsageError> {
    words.iter().find_map(|word| match word.as_slice() {
        [b'-', digit @ b'0'..=b'9', ..] => Some(invalid_context(&[*digit])),
        _ => None,
    })
}

fn seconds(text: &[u8]) -> Result<Duration, UsageError> {
    let scanned = number::scan_double(text);
    if scanned.length == 0 || scanned.length != text.len() || scanned.value.is_nan() || scanned.value < 0.0 {
        return Err(UsageError::plain(
            1,
            message!("invalid number of seconds: ", quote(text)),
        ));
    }
    Ok(Duration::try_from_secs_f64(scanned.value).unwrap_or(Duration::MAX))
}
