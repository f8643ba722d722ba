//! The `printf` builtin of bash and the `printf` program of coreutils: one engine, two [`Family`]s.
//!
//! A format is parsed once into pieces and then run over the arguments, again and again while there are any left. Both
//! compute floats as `long double` and count widths in bytes; they differ in what they complain about and how.
//! A width or precision above the caller's limit, or more output, is an error ([`LimitExceeded`]) before anything that large is made.
//! (bash itself prints nothing for a width above 2^31 - 1.)

mod argument;
mod parse;
mod run;

use super::escape::Problem;
use super::gnu_quote::quote;

/// Whose `printf`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Family {
    /// The builtin.
    Bash,
    /// `/usr/bin/printf`.
    Coreutils,
}

/// A parsed format.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Format {
    family: Family,
    pieces: Vec<parse::Piece>,
}

/// What a format printed.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Printed {
    /// The output.
    pub bytes: Vec<u8>,
    /// The complaints in order, to be printed with the prefix of the command. They do not stop it.
    pub complaints: Vec<Complaint>,
    /// 0 or 1.
    pub status: u8,
}

/// A width, precision or output larger than allowed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LimitExceeded;

/// What bash's `printf` needs from the shell.
pub trait Host {
    /// `%(format)T`: the time as `strftime` writes it. -1 is now, -2 the start of the shell.
    fn time(&mut self, format: &[u8], seconds: i64) -> Vec<u8>;
    /// `%n`: sets a variable to the number of bytes so far. An error is printed and ends the command.
    fn assign(&mut self, name: &[u8], count: usize) -> Result<(), Vec<u8>>;
}

/// For formats without `%(…)T` and `%n`: coreutils'.
#[derive(Debug, Clone, Copy)]
pub struct NoHost;

impl Host for NoHost {
    fn time(&mut self, _format: &[u8], _seconds: i64) -> Vec<u8> {
        Vec::new()
    }
    fn assign(&mut self, name: &[u8], _count: usize) -> Result<(), Vec<u8>> {
        Err(Complaint::NotAnIdentifier(name.to_vec()).message())
    }
}

/// A complaint; [`Complaint::message`] is its sentence.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Complaint {
    /// An escape in the format or an argument of `%b`.
    Escape(Problem),
    /// `` `%5': missing format character ``
    MissingCharacter(Vec<u8>),
    /// `` `y': invalid format character ``
    InvalidCharacter(u8),
    /// `%5y: invalid conversion specification`
    InvalidConversion(Vec<u8>),
    /// ``warning: `Z': invalid time format specification``
    InvalidTimeFormat(u8),
    /// `3x: invalid number`, or hex or octal number.
    InvalidNumber(Vec<u8>),
    /// `warning: 1e5000: Numerical result out of range`
    OutOfRange(Vec<u8>),
    /// `‘99999999999999999999’: Numerical result out of range`
    RangeError(Vec<u8>),
    /// `‘x’: expected a numeric value`
    ExpectedNumber(Vec<u8>),
    /// `‘3x’: value not completely converted`
    NotConverted(Vec<u8>),
    /// `warning: b: character(s) following character constant have been ignored`
    IgnoredCharacters(Vec<u8>),
    /// `invalid field width: ‘99999999999’`
    InvalidWidth(Vec<u8>),
    /// `invalid precision: ‘99999999999’`
    InvalidPrecision(Vec<u8>),
    /// `warning: ignoring excess arguments, starting with ‘a’`
    ExcessArguments(Vec<u8>),
    /// `` `1x': not a valid identifier ``
    NotAnIdentifier(Vec<u8>),
    /// What the host said.
    Host(Vec<u8>),
}

impl Complaint {
    /// The sentence, without the prefix of the command.
    pub fn message(&self) -> Vec<u8> {
        let around =
            |before: &str, word: &[u8], after: &str| [before.as_bytes(), word, after.as_bytes()].concat();
        match self {
            Complaint::Escape(problem) => problem.message().into_bytes(),
            Complaint::MissingCharacter(text) => around("`", text, "': missing format character"),
            Complaint::InvalidCharacter(byte) => around("`", &[*byte], "': invalid format character"),
            Complaint::InvalidConversion(text) => around("", text, ": invalid conversion specification"),
            Complaint::InvalidTimeFormat(byte) => {
                around("warning: `", &[*byte], "': invalid time format specification")
            }
            Complaint::InvalidNumber(word) => around("", word, invalid_number(word)),
            Complaint::OutOfRange(word) => around("warning: ", word, ": Numerical result out of range"),
            Complaint::RangeError(word) => around("", &quote(word), ": Numerical result out of range"),
            Complaint::ExpectedNumber(word) => around("", &quote(word), ": expected a numeric value"),
            Complaint::NotConverted(word) => around("", &quote(word), ": value not completely converted"),
            Complaint::IgnoredCharacters(rest) => around(
                "warning: ",
                rest,
                ": character(s) following character constant have been ignored",
            ),
            Complaint::InvalidWidth(word) => around("invalid field width: ", &quote(word), ""),
            Complaint::InvalidPrecision(word) => around("invalid precision: ", &quote(word), ""),
            Complaint::ExcessArguments(word) => around(
                "warning: ignoring excess arguments, starting with ",
                &quote(word),
                "",
            ),
            Complaint::NotAnIdentifier(word) => around("`", word, "': not a valid identifier"),
            Complaint::Host(message) => message.clone(),
        }
    }
}

/// bash's `sh_invalidnum` looks at the beginning of the word.
fn invalid_number(word: &[u8]) -> &'static str {
    match word {
        [b'0', digit, ..] if digit.is_ascii_digit() => ": invalid octal number",
        [b'0', b'x', ..] => ": invalid hex number",
        _ => ": invalid number",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A host whose clock stands at 7 seconds.
    struct Still(Vec<(Vec<u8>, usize)>);

    impl Host for Still {
        fn time(&mut self, format: &[u8], seconds: i64) -> Vec<u8> {
            [format, b"@", seconds.to_string().as_bytes()].concat()
        }
        fn assign(&mut self, name: &[u8], count: usize) -> Result<(), Vec<u8>> {
            self.0.push((name.to_vec(), count));
            Ok(())
        }
    }

    fn words(args: &[&str]) -> Vec<Vec<u8>> {
        args.iter().map(|arg| arg.as_bytes().to_vec()).collect()
    }

    fn print(family: Family, format: &str, args: &[&str]) -> (String, Vec<String>, u8) {
        let format = Format::parse(format.as_bytes(), family);
        let printed = format.run(&words(args), &mut Still(Vec::new()), 1000).unwrap();
        let messages = printed.complaints.iter().map(super::Complaint::message);
        let messages = messages
            .map(|message| String::from_utf8(message).unwrap())
            .collect();
        (
            String::from_utf8_lossy(&printed.bytes).into_owned(),
            messages,
            printed.status,
        )
    }

    fn bash(format: &str, args: &[&str]) -> String {
        print(Family::Bash, format, args).0
    }

    #[test]
    fn formats_are_reused() {
        assert_eq!(bash("[%s %d]", &["a", "1", "b"]), "[a 1][b 0]");
        assert_eq!(bash("x", &["a", "b"]), "x");
        assert_eq!(bash("%s\\n", &[]), "\n");
        assert_eq!(bash("[%b][%s]", &["a\\cb", "c"]), "[a");
        assert_eq!(bash("[%-*d|%.*s]", &["4", "3", "-1", "abc"]), "[3   |abc]");
    }

    #[test]
    fn complaints_of_bash() {
        let print = |format, args| print(Family::Bash, format, args);
        assert_eq!(
            print("[%d]", &["3x"]),
            ("[3]".to_owned(), vec!["3x: invalid number".to_owned()], 1)
        );
        assert_eq!(
            print("[%y]", &["1"]),
            (
                "[".to_owned(),
                vec!["`y': invalid format character".to_owned()],
                1
            )
        );
        assert_eq!(
            print("a%5", &[]),
            (
                "a".to_owned(),
                vec!["`%5': missing format character".to_owned()],
                1
            )
        );
        let warning = "warning: -99999999999999999999: Numerical result out of range".to_owned();
        let limit = "[-9223372036854775808]".to_owned();
        assert_eq!(
            print("[%d]", &["-99999999999999999999"]),
            (limit, vec![warning], 0)
        );
        assert_eq!(
            print("%(x))T", &["5"]).1,
            ["warning: `)': invalid time format specification"]
        );
        assert_eq!(bash("[%12(%Y(a))T]", &["-1"]), "[    %Y(a)@-1]");
    }

    #[test]
    fn complaints_of_coreutils() {
        let print = |format, args| print(Family::Coreutils, format, args);
        let excess = "warning: ignoring excess arguments, starting with ‘a’".to_owned();
        assert_eq!(print("x", &["a"]), ("x".to_owned(), vec![excess], 0));
        assert_eq!(print("%#d", &["1"]).1, ["%#d: invalid conversion specification"]);
        assert_eq!(print("a\\xz", &[]).1, ["missing hexadecimal number in escape"]);
        assert_eq!(print("%q", &["it's"]).0, "\"it's\"");
    }

    #[test]
    fn counts_and_limits() {
        let format = Format::parse(b"abc%n%s", Family::Bash);
        let mut host = Still(Vec::new());
        format.run(&words(&["x", "y"]), &mut host, 100).unwrap();
        assert_eq!(host.0, [(b"x".to_vec(), 3)]);
        let wide = Format::parse(b"%*d", Family::Bash);
        assert_eq!(
            wide.run(&words(&["101", "1"]), &mut host, 100),
            Err(LimitExceeded)
        );
    }
}
