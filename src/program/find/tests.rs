//! Parsing of tests.

use super::names::Word;
use super::parse::{Parser, Refusal};
use super::predicate::{FileTime, Kinds, PermKind, Predicate};
use super::time::{self, AgeError, DAY};
use crate::args::quote;
use crate::fs::{FileKind, Timestamp};
use crate::kernel::Stop;
use crate::pattern::{Pattern, PatternOptions};
use crate::program::dates;
use crate::program::message::message;
use crate::text::mode::ModeChange;

fn pattern(text: &[u8], ignore_case: bool) -> Pattern {
    let options = PatternOptions {
        nocase: ignore_case,
        ..PatternOptions::default()
    };
    Pattern::compile(text, options)
}

impl Parser<'_> {
    /// A test and its argument.
    pub async fn plain_test(&mut self, word: Word, name: &[u8]) -> Result<Predicate, Refusal> {
        Ok(match word {
            Word::Name(ignore_case) => {
                let text = self.argument()?;
                if text.contains(&b'/') && text != b"/" {
                    self.warn(slash_in_name(name)).await?;
                }
                Predicate::Name(pattern(text, ignore_case))
            }
            Word::Path(ignore_case) => {
                let text = self.argument()?;
                let compiled = pattern(text, ignore_case);
                self.warn_of_slash(name, text, &compiled).await?;
                Predicate::Path(compiled)
            }
            Word::LinkName(ignore_case) => Predicate::LinkName(pattern(self.argument()?, ignore_case)),
            Word::Regex(ignore_case) => self.regex(ignore_case)?,
            Word::Type => Predicate::Type(self.kinds(name)?),
            Word::TargetType => Predicate::TargetType(self.kinds(name)?),
            Word::Size => self.size()?,
            Word::Empty => Predicate::Empty,
            Word::NewerThan(which) => {
                let path = self.argument()?;
                Predicate::Newer(which, self.file(path)?.mtime)
            }
            Word::NewerXy => self.newer(name).await?,
            Word::Days(which) => self.days(which)?,
            Word::Minutes(which) => self.minutes(which)?,
            Word::Used => self.used()?,
            Word::Perm => self.perm().await?,
            Word::Number(which) => {
                let text = self.argument()?;
                let number = time::compared_number(text);
                let (compare, value) = number.ok_or_else(|| Refusal::Argument(text.to_vec()))?;
                Predicate::Number(which, compare, value)
            }
            Word::User | Word::Group => self.owner(word)?,
            Word::NoUser => Predicate::NoUser,
            Word::NoGroup => Predicate::NoGroup,
            Word::SameFile => {
                let path = self.argument()?;
                let found = self.file(path)?;
                Predicate::SameFile(found.device, found.inode)
            }
            Word::FileSystem => Predicate::FileSystem(self.argument()?.to_vec()),
            Word::Context => {
                let line = b"invalid predicate -context: SELinux is not enabled.";
                return Err(Refusal::Fatal(line.to_vec()));
            }
            Word::Access(access) => Predicate::Access(access),
            _ => return Err(Refusal::Word),
        })
    }

    /// A path ends in a slash only where a start point does.
    async fn warn_of_slash(&mut self, name: &[u8], text: &[u8], compiled: &Pattern) -> Result<(), Stop> {
        let can_match = match self.options.starts.as_slice() {
            [] => compiled.matches(b"."),
            starts => starts.iter().any(|start| compiled.matches(start)),
        };
        if !text.ends_with(b"/") || can_match || self.proc.variable(b"POSIXLY_CORRECT").is_some() {
            return Ok(());
        }
        let line = message!(
            "warning: ",
            name,
            " ",
            text,
            " will not match anything because it ends with /."
        );
        self.proc.warn(line).await
    }

    fn regex(&mut self, ignore_case: bool) -> Result<Predicate, Refusal> {
        let text = self.argument()?;
        let compiled = super::regex::compile(text, self.regex_type, ignore_case);
        let regex = compiled.map_err(|error| {
            let line = message!(
                "failed to compile regular expression '",
                text,
                "': ",
                error.to_string()
            );
            Refusal::Fatal(line)
        })?;
        Ok(Predicate::Regex(regex))
    }

    fn kinds(&mut self, name: &[u8]) -> Result<Kinds, Refusal> {
        let text = self.argument()?;
        let fatal = |line: Vec<u8>| Err(Refusal::Fatal(line));
        if text.is_empty() {
            return fatal(message!(
                "Arguments to ",
                name,
                " should contain at least one letter"
            ));
        }
        let mut kinds = Kinds::default();
        let mut letters = text.iter();
        loop {
            let Some(letter) = letters.next() else {
                return fatal(message!(
                    "Last file type in list argument to ",
                    name,
                    " is missing, i.e., list is ending on: ','"
                ));
            };
            let kind = match letter {
                b'b' => FileKind::BlockDevice,
                b'c' => FileKind::CharDevice,
                b'd' => FileKind::Directory,
                b'f' => FileKind::Regular,
                b'l' => FileKind::Symlink,
                b'p' => FileKind::Fifo,
                b's' => FileKind::Socket,
                b'D' => {
                    return fatal(message!(
                        name,
                        " D is not supported because Solaris doors are not supported on the platform find was compiled on."
                    ));
                }
                other => return fatal(message!("Unknown argument to ", name, ": ", [*other])),
            };
            if kinds.contains(kind) {
                return fatal(message!(
                    "Duplicate file type '",
                    [*letter],
                    "' in the argument list to ",
                    name,
                    "."
                ));
            }
            kinds.add(kind);
            match letters.next() {
                None => return Ok(kinds),
                Some(b',') => {}
                Some(_) => {
                    return fatal(message!(
                        "Must separate multiple arguments to ",
                        name,
                        " using: ','"
                    ));
                }
            }
        }
    }

    fn size(&mut self) -> Result<Predicate, Refusal> {
        let text = self.argument()?;
        let Some((&last, rest)) = text.split_last() else {
            return Err(Refusal::Fatal(b"invalid null argument to -size".to_vec()));
        };
        let (number, unit) = if last.is_ascii_digit() {
            (text, 512)
        } else {
            let unit = time::unit(last);
            let unknown = || Refusal::Fatal(message!("invalid -size type `", [last], "'"));
            (rest, unit.ok_or_else(unknown)?)
        };
        let invalid = || Refusal::Fatal(message!("Invalid argument `", text, "' to -size"));
        let (compare, value) = time::compared_number(number).ok_or_else(invalid)?;
        Ok(Predicate::Size(compare, unit, value))
    }

    async fn newer(&mut self, name: &[u8]) -> Result<Predicate, Refusal> {
        let (file, reference) = match name.strip_prefix(b"-").unwrap_or(name) {
            [b'n', b'e', b'w', b'e', b'r', file, reference] => (*file, *reference),
            _ => return Err(Refusal::Word),
        };
        if !b"aBcm".contains(&file) || !b"aBcmt".contains(&reference) {
            return Err(Refusal::Word);
        }
        if file == b'B' || reference == b'B' {
            // As on the real system.
            let line = "This system does not provide a way to find the birth time of a file.";
            self.proc.warn(line).await?;
            return Err(Refusal::Word);
        }
        let Ok(argument) = self.argument() else {
            return Err(Refusal::Fatal(message!(
                "The ",
                quote(name),
                " test needs an argument"
            )));
        };
        let which = |letter| match letter {
            b'a' => FileTime::Access,
            b'c' => FileTime::Change,
            _ => FileTime::Modification,
        };
        let time = if reference == b't' {
            let parsed = dates::parse(self.proc, argument, self.options.start);
            let unknown = || {
                let shown = quote(argument);
                Refusal::Fatal(message!(
                    "I cannot figure out how to interpret ",
                    shown,
                    " as a date or time"
                ))
            };
            parsed.ok_or_else(unknown)?
        } else {
            let found = self.file(argument)?;
            super::evaluate::time_of(&found, which(reference))
        };
        Ok(Predicate::Newer(which(file), time))
    }

    fn days(&mut self, which: FileTime) -> Result<Predicate, Refusal> {
        let text = self.argument()?;
        let mut origin = self.options.day_start;
        if text.starts_with(b"-") {
            // Up to the end of that day.
            origin.seconds += DAY - 1;
        }
        let age = time::age(text, origin, DAY).map_err(|error| refuse_age(text, "days", error))?;
        Ok(Predicate::Age(which, age))
    }

    fn minutes(&mut self, which: FileTime) -> Result<Predicate, Refusal> {
        let text = self.argument()?;
        let mut origin = self.options.day_start;
        origin.seconds += DAY;
        let age = time::age(text, origin, 60).map_err(|error| refuse_age(text, "minutes", error))?;
        Ok(Predicate::Age(which, age))
    }

    /// `-used` takes an age of days before the epoch, odd as it is: that is what findutils does.
    fn used(&mut self) -> Result<Predicate, Refusal> {
        let text = self.argument()?;
        let age = time::age(text, Timestamp::default(), DAY).map_err(|error| match error {
            AgeError::Invalid => Refusal::Fatal(message!("Invalid argument ", text, " to -used")),
            AgeError::Overflow => refuse_age(text, "days", error),
        });
        Ok(Predicate::Used(age?))
    }

    async fn perm(&mut self) -> Result<Predicate, Refusal> {
        let text = self.argument()?;
        let (mut kind, mode) = match text.split_first() {
            Some((b'-', rest)) => (PermKind::AllOf, rest),
            Some((b'/', rest)) => (PermKind::AnyOf, rest),
            _ => (PermKind::Exact, text),
        };
        let invalid = || Refusal::Fatal(message!("invalid mode ", quote(text)));
        // Once `+` meant `/`: an octal mode behind it is refused.
        let plus_octal = matches!(text, [b'+', b'0'..=b'7', ..]);
        let change = ModeChange::parse(mode)
            .filter(|_| !plus_octal)
            .ok_or_else(invalid)?;
        let (file, directory) = (change.apply(0, false, 0), change.apply(0, true, 0));
        if kind == PermKind::AnyOf && file == 0 && directory == 0 {
            let line = message!(
                "warning: you have specified a mode pattern ",
                text,
                " (which is equivalent to /000). The meaning of -perm /000 has now been changed to be consistent with -perm -000; that is, while it used to match no files, it now matches all files."
            );
            self.proc.warn(line).await?;
            kind = PermKind::AllOf;
        }
        Ok(Predicate::Perm(kind, file, directory))
    }

    /// A name, or else a number.
    fn owner(&mut self, word: Word) -> Result<Predicate, Refusal> {
        use super::predicate::{Compare, Number};
        let text = self.argument()?;
        let fatal = |line: Vec<u8>| Err(Refusal::Fatal(line));
        let is_user = word == Word::User;
        if text.is_empty() {
            let option = if is_user { "-user" } else { "-group" };
            return fatal(message!("The argument to ", option, " should not be empty"));
        }
        let accounts = &mut self.options.accounts;
        let (known, number) = if is_user {
            (accounts.user_id(self.proc, text), Number::Uid)
        } else {
            (accounts.group_id(self.proc, text), Number::Gid)
        };
        let digits = text.iter().all(u8::is_ascii_digit);
        let number_given = time::whole_number(text).filter(|_| digits);
        if known.is_none() && digits && number_given.is_none_or(|value| value > i32::MAX as u64) {
            return fatal(message!(text, ": Numerical result out of range"));
        }
        let value = known.map(u64::from).or(number_given);
        match value {
            Some(value) => Ok(Predicate::Number(number, Compare::Equal, value)),
            None if is_user => fatal(message!(quote(text), " is not the name of a known user")),
            None => fatal(message!(quote(text), " is not the name of an existing group")),
        }
    }
}

fn slash_in_name(name: &[u8]) -> Vec<u8> {
    let other: &[u8] = if name == b"-iname" {
        b"-iwholename"
    } else {
        b"-wholename"
    };
    message!(
        "warning: ",
        quote(name),
        " matches against basenames only, but the given pattern contains a directory separator (",
        quote(b"/"),
        "), thus the expression will evaluate to false all the time.  Did you mean ",
        quote(other),
        "?"
    )
}

fn refuse_age(text: &[u8], unit: &str, error: AgeError) -> Refusal {
    match error {
        AgeError::Invalid => Refusal::Argument(text.to_vec()),
        AgeError::Overflow => Refusal::Fatal(message!(
            "arithmetic overflow while converting ",
            time::comparison(text).1,
            " ",
            unit,
            " to a number of seconds"
        )),
    }
}
