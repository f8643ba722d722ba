//! What builtins share: parsing options with bash's messages, saying errors under the builtin's name, reading numbers.

use crate::args::{BuiltinError, BuiltinParsed, BuiltinSpec};
use crate::expand::Failure;
use crate::interp::{Divert, Interp, Misuse};

impl Interp {
    /// Parses a builtin's options; a wrong one is said, and `Err` carries the status to return.
    pub(super) fn parse_options(
        &mut self,
        spec: &BuiltinSpec,
        args: &[Vec<u8>],
    ) -> Result<BuiltinParsed, i32> {
        spec.parse(args).map_err(|error| self.say_usage(spec.name, error))
    }

    /// Says why a builtin stops before it starts.
    pub(super) fn say_usage(&mut self, name: &str, error: BuiltinError) -> i32 {
        self.misuse = Misuse::Usage;
        match error {
            BuiltinError::Help(text) => {
                self.print(text);
                2
            }
            BuiltinError::Usage { message, usage } => {
                if let Some(message) = message {
                    self.complain(name, message);
                }
                self.print_error(format!("{usage}\n"));
                2
            }
        }
    }

    /// `--help` as the first argument of a builtin without options: its text, and the status.
    pub(super) fn help_asked(&mut self, name: &'static str, args: &[Vec<u8>]) -> Option<i32> {
        let asked = args.first().is_some_and(|arg| arg == b"--help");
        asked.then(|| self.say_usage(name, BuiltinSpec::new(name, "").help()))
    }

    /// Says `NAME: message` with the shell's prefix.
    pub(super) fn complain(&mut self, name: &str, message: impl AsRef<[u8]>) {
        self.error([name.as_bytes(), b": ", message.as_ref()].concat());
    }

    /// More arguments than one: the line is abandoned; with `-c`, the shell.
    pub(super) fn too_many(&mut self, name: &str) -> Divert {
        let message = [name.as_bytes(), b": too many arguments"].concat();
        self.fail_expansion(Failure::Top(message))
    }

    /// A status to leave with, from a numeric argument. Not a number: said, and status 2.
    pub(super) fn status_argument(&mut self, name: &str, text: &[u8]) -> Result<i32, i32> {
        match number(text) {
            Some(number) => Ok((number & 0xff) as i32),
            None => {
                self.complain(name, [text, b": numeric argument required"].concat());
                Err(2)
            }
        }
    }
}

pub(super) use crate::text::number::legal_number as number;
