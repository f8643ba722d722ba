//! Options of bash builtins: bash's `internal_getopt`, and the two lines that follow a wrong one.

use super::builtin_usage::builtin_usage;

/// The options of a builtin. Letters stand in `letters` as bash declares them: `"ersa:d:"`, where `:` after a letter means
/// that it takes a value, and `;` that it may take one.
#[derive(Debug, Clone, Copy)]
pub struct BuiltinSpec {
    /// The builtin's name.
    pub name: &'static str,
    /// Its option letters.
    pub letters: &'static str,
    /// Whether `+x` is an option too (`declare`, `compopt`).
    pub plus: bool,
}

/// One option.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BuiltinOption {
    /// The letter.
    pub letter: u8,
    /// Given as `+x`.
    pub plus: bool,
    /// Its value.
    pub value: Option<Vec<u8>>,
}

/// The options and operands of a builtin.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct BuiltinParsed {
    /// The options in order.
    pub options: Vec<BuiltinOption>,
    /// The operands.
    pub operands: Vec<Vec<u8>>,
}

impl BuiltinParsed {
    /// Whether `-x` was given.
    pub fn has(&self, letter: u8) -> bool {
        self.options
            .iter()
            .any(|option| option.letter == letter && !option.plus)
    }

    /// The value of the last `-x`.
    pub fn last(&self, letter: u8) -> Option<&[u8]> {
        self.options
            .iter()
            .rev()
            .find(|option| option.letter == letter)?
            .value
            .as_deref()
    }
}

/// Why a builtin stops before it starts. All of these give status 2 (`EX_USAGE`).
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum BuiltinError {
    /// `--help` as the first argument: the text for standard output.
    Help(Vec<u8>),
    /// A message for `bash: line N: NAME: MESSAGE`, and the usage line after it.
    Usage {
        /// The message, such as `-z: invalid option`; none where bash prints the usage line alone.
        message: Option<Vec<u8>>,
        /// `cd: usage: cd [-L|[-P [-e]] [-@]] [dir]`, without a newline.
        usage: String,
    },
}

impl BuiltinSpec {
    /// A builtin whose options begin with `-`.
    pub const fn new(name: &'static str, letters: &'static str) -> Self {
        BuiltinSpec {
            name,
            letters,
            plus: false,
        }
    }

    /// A builtin with `+x` options as well.
    pub const fn with_plus(name: &'static str, letters: &'static str) -> Self {
        BuiltinSpec {
            name,
            letters,
            plus: true,
        }
    }

    /// Parses the arguments (without the builtin's name). Options end at `--`, at a lone `-` and at the first operand.
    /// `--help` is the answer only where bash looks for it: as the first argument or after options.
    pub fn parse(&self, args: &[Vec<u8>]) -> Result<BuiltinParsed, BuiltinError> {
        let (mut parsed, operands) = self.parse_options(args)?;
        parsed.operands = operands.to_vec();
        Ok(parsed)
    }

    /// Parses the options alone; the operands are not copied.
    pub fn parse_options<'a>(
        &self,
        args: &'a [Vec<u8>],
    ) -> Result<(BuiltinParsed, &'a [Vec<u8>]), BuiltinError> {
        let mut parsed = BuiltinParsed::default();
        let mut next = 0;
        while let Some(word) = args.get(next).filter(|word| self.is_option(word)) {
            if word == b"--help" {
                return Err(self.help());
            }
            next += 1;
            if word == b"--" {
                break;
            }
            self.cluster(word, args, &mut next, &mut parsed)?;
        }
        Ok((parsed, args.get(next..).unwrap_or_default()))
    }

    fn is_option(&self, word: &[u8]) -> bool {
        match word {
            [b'-', _, ..] => true,
            [b'+', _, ..] => self.plus,
            _ => false,
        }
    }

    fn cluster(
        &self,
        word: &[u8],
        args: &[Vec<u8>],
        next: &mut usize,
        parsed: &mut BuiltinParsed,
    ) -> Result<(), BuiltinError> {
        let plus = word.first() == Some(&b'+');
        let sign: &[u8] = if plus { b"+" } else { b"-" };
        for (index, &letter) in word.iter().enumerate().skip(1) {
            let rest = word
                .get(index + 1..)
                .filter(|rest| !rest.is_empty())
                .map(<[u8]>::to_vec);
            let kind = self
                .kind(letter)
                .ok_or_else(|| self.usage_error(Some([sign, &[letter], b": invalid option"].concat())))?;
            let value = match kind {
                Kind::Plain => None,
                Kind::Required => rest.or_else(|| args.get(*next).inspect(|_| *next += 1).cloned()),
                Kind::Optional => rest.or_else(|| {
                    args.get(*next)
                        .filter(|word| !self.is_option(word))
                        .inspect(|_| *next += 1)
                        .cloned()
                }),
            };
            if kind == Kind::Required && value.is_none() {
                let message = [sign, &[letter], b": option requires an argument"].concat();
                return Err(self.usage_error(Some(message)));
            }
            parsed.options.push(BuiltinOption { letter, plus, value });
            if kind != Kind::Plain {
                return Ok(());
            }
        }
        Ok(())
    }

    fn kind(&self, letter: u8) -> Option<Kind> {
        if matches!(letter, b':' | b';') {
            return None;
        }
        let letters = self.letters.as_bytes();
        let at = letters.iter().position(|&known| known == letter)?;
        Some(match letters.get(at + 1) {
            Some(b':') => Kind::Required,
            Some(b';') => Kind::Optional,
            _ => Kind::Plain,
        })
    }

    /// A complaint followed by the usage line; `None` prints the usage line alone.
    pub fn usage_error(&self, message: Option<Vec<u8>>) -> BuiltinError {
        let usage = builtin_usage(self.name).map_or(self.name, |known| known.usage);
        BuiltinError::Usage {
            message,
            usage: format!("{}: usage: {usage}", self.name),
        }
    }

    /// What `NAME --help` prints.
    pub fn help(&self) -> BuiltinError {
        BuiltinError::Help(
            builtin_usage(self.name)
                .map(super::BuiltinUsage::help_text)
                .unwrap_or_default(),
        )
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Plain,
    Required,
    Optional,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(spec: &BuiltinSpec, words: &[&str]) -> Result<BuiltinParsed, BuiltinError> {
        spec.parse(
            &words
                .iter()
                .map(|word| word.as_bytes().to_vec())
                .collect::<Vec<_>>(),
        )
    }

    fn message(spec: &BuiltinSpec, words: &[&str]) -> (String, String) {
        match parse(spec, words) {
            Err(BuiltinError::Usage {
                message: Some(message),
                usage,
            }) => (String::from_utf8(message).unwrap(), usage),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn as_bash_does() {
        let read = BuiltinSpec::new("read", "ersa:d:");
        let parsed = parse(&read, &["-ra", "x", "-dq", "y", "-s"]).unwrap();
        assert_eq!(parsed.last(b'a'), Some(&b"x"[..]));
        assert_eq!(parsed.last(b'd'), Some(&b"q"[..]));
        assert!(parsed.has(b'r') && !parsed.has(b's'));
        assert_eq!(parsed.operands, [b"y".to_vec(), b"-s".to_vec()]);
        assert_eq!(message(&read, &["-rz"]).0, "-z: invalid option");
        assert_eq!(message(&read, &["-d"]).0, "-d: option requires an argument");
        let cd = BuiltinSpec::new("cd", "LPe@");
        let usage = "cd: usage: cd [-L|[-P [-e]] [-@]] [dir]".to_owned();
        assert_eq!(message(&cd, &["--foo"]), ("--: invalid option".to_owned(), usage));
        let declare = BuiltinSpec::with_plus("declare", "aA");
        assert_eq!(message(&declare, &["+z"]).0, "+z: invalid option");
        assert!(matches!(
            parse(&cd, &["-L", "--help"]),
            Err(BuiltinError::Help(_))
        ));
    }
}
