//! glibc's `getopt_long` over a [`Spec`].

use super::spec::{Opt, Order, Spec, Value};
use super::usage::UsageError;

/// A command line that a program runs with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Parsed<F> {
    /// The options in order, each with its value.
    pub options: Vec<(F, Option<Vec<u8>>)>,
    /// The operands in order.
    pub operands: Vec<Vec<u8>>,
}

impl<F: Copy + PartialEq> Parsed<F> {
    /// Whether an option was given.
    pub fn has(&self, flag: F) -> bool {
        self.options.iter().any(|&(given, _)| given == flag)
    }

    /// The value of an option's last occurrence.
    pub fn last(&self, flag: F) -> Option<&[u8]> {
        self.options
            .iter()
            .rev()
            .find(|&&(given, _)| given == flag)?
            .1
            .as_deref()
    }

    /// The values of an option's occurrences, in order; an occurrence without one is left out.
    pub fn values(&self, flag: F) -> impl Iterator<Item = &[u8]> {
        let given = self.options.iter().filter(move |&&(given, _)| given == flag);
        given.filter_map(|(_, value)| value.as_deref())
    }

    /// The last of some options that exclude each other.
    pub fn last_of(&self, flags: &[F]) -> Option<F> {
        self.options
            .iter()
            .rev()
            .map(|&(flag, _)| flag)
            .find(|flag| flags.contains(flag))
    }
}

/// What an option means: the program's own, or one that every program has.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Meaning<F> {
    Own(F),
    Help,
    Version,
}

struct Parser<'a, F: Copy + 'static> {
    spec: &'a Spec<F>,
    args: &'a [Vec<u8>],
    next: usize,
    parsed: Parsed<F>,
}

impl<F: Copy + PartialEq> Spec<F> {
    /// Parses the arguments (without the program's name) as `getopt_long` does. `Err` also stands for `--help` and
    /// `--version`; see [`UsageError::outcome`].
    pub fn parse(&self, args: &[Vec<u8>]) -> Result<Parsed<F>, UsageError> {
        let parsed = Parsed {
            options: Vec::new(),
            operands: Vec::new(),
        };
        let mut parser = Parser {
            spec: self,
            args,
            next: 0,
            parsed,
        };
        while let Some(arg) = parser.take() {
            match arg {
                b"--" => break,
                [b'-', b'-', name @ ..] => parser.long(name)?,
                [b'-', letters @ ..] if !letters.is_empty() => parser.cluster(letters)?,
                _ => {
                    parser.parsed.operands.push(arg.to_vec());
                    if self.order == Order::Posix {
                        break;
                    }
                }
            }
        }
        let rest = args.get(parser.next..).unwrap_or_default();
        parser.parsed.operands.extend_from_slice(rest);
        Ok(parser.parsed)
    }

    /// The answer to `--help`.
    pub fn help(&self) -> UsageError {
        UsageError::output(self.help_text())
    }

    /// The answer to `--version`.
    pub fn version(&self) -> UsageError {
        UsageError::output(self.version_text())
    }
}

impl<'a, F: Copy + PartialEq> Parser<'a, F> {
    fn take(&mut self) -> Option<&'a [u8]> {
        let arg = self.args.get(self.next)?;
        self.next += 1;
        Some(arg)
    }

    fn act(&mut self, meaning: Meaning<F>, value: Option<Vec<u8>>) -> Result<(), UsageError> {
        match meaning {
            Meaning::Own(flag) => self.parsed.options.push((flag, value)),
            Meaning::Help => return Err(self.spec.help()),
            Meaning::Version => return Err(self.spec.version()),
        }
        Ok(())
    }

    /// `-abc`, `-n5`, `-n 5`.
    fn cluster(&mut self, letters: &[u8]) -> Result<(), UsageError> {
        for (index, &letter) in letters.iter().enumerate() {
            let Some((meaning, value)) = short_option(self.spec, letter) else {
                return Err(self
                    .spec
                    .complain([b"invalid option -- '", &[letter][..], b"'"].concat()));
            };
            let attached = letters.get(index + 1..).filter(|rest| !rest.is_empty());
            match value {
                Value::None => self.act(meaning, None)?,
                Value::Digit => self.act(meaning, Some(vec![letter]))?,
                Value::Optional(_) => return self.act(meaning, attached.map(<[u8]>::to_vec)),
                Value::Required(_) => {
                    let Some(value) = attached.or_else(|| self.take()) else {
                        let message = [b"option requires an argument -- '", &[letter][..], b"'"].concat();
                        return Err(self.spec.complain(message));
                    };
                    return self.act(meaning, Some(value.to_vec()));
                }
            }
        }
        Ok(())
    }

    /// `--name`, `--name=value`, `--name value`, `--na`.
    fn long(&mut self, text: &[u8]) -> Result<(), UsageError> {
        let (name, attached) = match text.iter().position(|&byte| byte == b'=') {
            Some(at) => (text.get(..at).unwrap_or(text), text.get(at + 1..)),
            None => (text, None),
        };
        let found = find_long(self.spec, name).map_err(|possible| self.unknown(text, &possible))?;
        let full = found.name.as_bytes();
        let value = match (found.value, attached) {
            (Value::None | Value::Digit, Some(_)) => {
                return Err(self
                    .spec
                    .complain([b"option '--", full, b"' doesn't allow an argument"].concat()));
            }
            (Value::Required(_), None) => {
                let Some(value) = self.take() else {
                    return Err(self
                        .spec
                        .complain([b"option '--", full, b"' requires an argument"].concat()));
                };
                Some(value)
            }
            (_, attached) => attached,
        };
        self.act(found.meaning, value.map(<[u8]>::to_vec))
    }

    fn unknown(&self, text: &[u8], possible: &[&str]) -> UsageError {
        if possible.is_empty() {
            return self
                .spec
                .complain([b"unrecognized option '--", text, b"'"].concat());
        }
        let mut message = [b"option '--", text, b"' is ambiguous; possibilities:"].concat();
        for name in possible {
            message.extend_from_slice(format!(" '--{name}'").as_bytes());
        }
        self.spec.complain(message)
    }
}

fn short_option<F: Copy>(spec: &Spec<F>, letter: u8) -> Option<(Meaning<F>, Value)> {
    let wanted = Some(char::from(letter)).filter(char::is_ascii)?;
    let matches =
        |opt: &&Opt<F>| opt.short == Some(wanted) || (opt.value == Value::Digit && wanted.is_ascii_digit());
    if let Some(opt) = spec.options.iter().find(matches) {
        return Some((Meaning::Own(opt.flag), opt.value));
    }
    match Some(wanted) {
        letter if letter == spec.help_short => Some((Meaning::Help, Value::None)),
        letter if letter == spec.version_short => Some((Meaning::Version, Value::None)),
        _ => None,
    }
}

struct LongOption<F> {
    name: &'static str,
    value: Value,
    meaning: Meaning<F>,
}

fn long_options<F: Copy>(spec: &Spec<F>) -> impl Iterator<Item = LongOption<F>> {
    let own = spec.options.iter().filter_map(|opt| {
        Some(LongOption {
            name: opt.long?,
            value: opt.value,
            meaning: Meaning::Own(opt.flag),
        })
    });
    let common = [("help", Meaning::Help), ("version", Meaning::Version)];
    own.chain(common.into_iter().map(|(name, meaning)| LongOption {
        name,
        value: Value::None,
        meaning,
    }))
}

/// An exact name, else the only option that the name abbreviates. Options that mean the same are not ambiguous.
/// `Err` has the possibilities, none for an unknown name.
fn find_long<F: Copy + PartialEq>(spec: &Spec<F>, name: &[u8]) -> Result<LongOption<F>, Vec<&'static str>> {
    if let Some(exact) = long_options(spec).find(|option| option.name.as_bytes() == name) {
        return Ok(exact);
    }
    let mut candidates = long_options(spec).filter(|option| option.name.as_bytes().starts_with(name));
    let Some(found) = candidates.next() else {
        return Err(Vec::new());
    };
    let others: Vec<&str> = candidates
        .filter(|other| other.meaning != found.meaning || !same_kind(other.value, found.value))
        .map(|other| other.name)
        .collect();
    if others.is_empty() {
        return Ok(found);
    }
    let place = |name: &&str| spec.long_order.iter().position(|known| known == name);
    let mut possible = [vec![found.name], others].concat();
    possible.sort_by_key(|name| place(name).unwrap_or(usize::MAX));
    Err(possible)
}

fn same_kind(left: Value, right: Value) -> bool {
    std::mem::discriminant(&left) == std::mem::discriminant(&right)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::args::{COREUTILS, GREP};
    use crate::args::{Complaint, Outcome};

    static GREP_LIKE: Spec<u8> = Spec::new(
        "grep",
        GREP,
        &["[OPTION]... PATTERNS [FILE]..."],
        "",
        &[
            Opt::flag(b'r', 'r', "recursive", "read directories"),
            Opt::required(b'e', 'e', "regexp", "PATTERN", "the pattern"),
            Opt::optional(b'c', 'c', "color", "WHEN", "colours"),
            Opt::long(b'c', "colour", "").may_take("WHEN"),
            Opt::digits(b'0', "lines of context"),
        ],
    )
    .fails_with(2)
    .complains(Complaint::UsageAndTry)
    .version_letter('V');

    fn args(words: &[&str]) -> Vec<Vec<u8>> {
        words.iter().map(|word| word.as_bytes().to_vec()).collect()
    }

    fn complaint(words: &[&str]) -> String {
        let error = GREP_LIKE.parse(&args(words)).unwrap_err();
        String::from_utf8(error.text(b"grep"))
            .unwrap()
            .lines()
            .next()
            .unwrap()
            .to_owned()
    }

    #[test]
    fn options_are_found_among_operands() {
        let parsed = GREP_LIKE
            .parse(&args(&["a", "-re", "x", "-ey", "--col", "-12", "-", "--", "-r"]))
            .unwrap();
        assert_eq!(parsed.operands, args(&["a", "-", "-r"]));
        let some = |text: &str| Some(text.as_bytes().to_vec());
        let expected = [
            (b'r', None),
            (b'e', some("x")),
            (b'e', some("y")),
            (b'c', None),
            (b'0', some("1")),
            (b'0', some("2")),
        ];
        assert_eq!(parsed.options, expected);
        assert!(parsed.has(b'r') && parsed.last(b'e') == Some(b"y"));
    }

    #[test]
    fn sentences_are_those_of_glibc() {
        assert_eq!(complaint(&["-z"]), "grep: invalid option -- 'z'");
        assert_eq!(complaint(&["--zz=3"]), "grep: unrecognized option '--zz=3'");
        assert_eq!(complaint(&["-e"]), "grep: option requires an argument -- 'e'");
        assert_eq!(
            complaint(&["--reg"]),
            "grep: option '--regexp' requires an argument"
        );
        assert_eq!(
            complaint(&["--rec="]),
            "grep: option '--recursive' doesn't allow an argument"
        );
        assert_eq!(
            complaint(&["--re=5"]),
            "grep: option '--re=5' is ambiguous; possibilities: '--recursive' '--regexp'"
        );
    }

    #[test]
    fn help_and_version() {
        static POSIX: Spec<u8> = Spec::new(
            "env",
            COREUTILS,
            &["[OPTION]...", ""],
            "Run it.",
            &[
                Opt::flag(b'q', 'q', "quiet", "say nothing"),
                Opt::long(b'q', "silent", ""),
                Opt::required(b'u', 'u', "unset", "NAME", "forget NAME\nat once"),
                Opt::short(b'x', 'x', "short"),
            ],
        )
        .posix();
        assert_eq!(
            POSIX.parse(&args(&["-q", "a", "-z"])).unwrap().operands,
            args(&["a", "-z"])
        );
        let version = POSIX.parse(&args(&["--ver"])).unwrap_err();
        assert_eq!((version.outcome, version.status), (Outcome::Output, 0));
        assert_eq!(version.text(b"env"), b"env (GNU coreutils) 9.1\n");
        let help = POSIX.parse(&args(&["--help"])).unwrap_err().text(b"/bin/env");
        let expected = "Usage: /bin/env [OPTION]...\n  or:  /bin/env\nRun it.\n\n\
            \x20 -q, --quiet, --silent  say nothing\n\
            \x20 -u, --unset=NAME       forget NAME\n                           at once\n\
            \x20 -x                     short\n\
            \x20     --help             display this help and exit\n\
            \x20     --version          output version information and exit\n";
        assert_eq!(String::from_utf8(help).unwrap(), expected);
    }
}
