//! `envsubst`: puts the values of environment variables in the place of `$NAME` and `${NAME}`.

use super::usage;
use crate::args::{Opt, Package, Spec};
use crate::kernel::{Input, Proc, Program, Stop};
use crate::program::message::message;

/// The program.
pub const PROGRAM: Program = Program {
    name: "envsubst",
    run: |proc| Box::pin(run(proc)),
};

#[derive(Debug, Clone, Copy, PartialEq)]
enum Flag {
    Variables,
}

static SPEC: Spec<Flag> = Spec::new(
    "envsubst",
    Package::Line("envsubst (GNU gettext-runtime) 0.21"),
    &["[OPTION] [SHELL-FORMAT]"],
    "",
    &[Opt::flag(Flag::Variables, 'v', "variables", "")],
)
.own_help(
    "Usage: {name} [OPTION] [SHELL-FORMAT]

Substitutes the values of environment variables.

Operation mode:
  -v, --variables             output the variables occurring in SHELL-FORMAT

Informative output:
  -h, --help                  display this help and exit
  -V, --version               output version information and exit

In normal operation mode, standard input is copied to standard output,
with references to environment variables of the form $VARIABLE or ${VARIABLE}
being replaced with the corresponding values.  If a SHELL-FORMAT is given,
only those environment variables that are referenced in SHELL-FORMAT are
substituted; otherwise all environment variables references occurring in
standard input are substituted.

When --variables is used, standard input is ignored, and the output consists
of the environment variables that are referenced in SHELL-FORMAT, one per line.

Report bugs in the bug tracker at <https://savannah.gnu.org/projects/gettext>
or by email to <bug-gettext@gnu.org>.
",
)
.help_letter('h')
.version_letter('V');

/// Text that is copied, or a reference.
enum Piece<'a> {
    Text(&'a [u8]),
    /// The name, and the reference as it is written.
    Variable(&'a [u8], &'a [u8]),
}

/// Cuts the first piece off.
fn next_piece(text: &[u8]) -> Option<(Piece<'_>, &[u8])> {
    if text.is_empty() {
        return None;
    }
    let start = memchr::memchr(b'$', text).unwrap_or(text.len());
    if start > 0 {
        let (plain, rest) = text.split_at(start);
        return Some((Piece::Text(plain), rest));
    }
    let behind = text.get(1..).unwrap_or_default();
    let (braced, behind) = match behind.strip_prefix(b"{") {
        Some(rest) => (1, rest),
        None => (0, behind),
    };
    let is_part = |byte: &&u8| byte.is_ascii_alphanumeric() || **byte == b'_';
    let length = behind.iter().take_while(is_part).count();
    let (name, rest) = behind.split_at(length);
    let named = name.first().is_some_and(|byte| !byte.is_ascii_digit());
    if !named || (braced == 1 && !rest.starts_with(b"}")) {
        let (sign, rest) = text.split_at(1);
        return Some((Piece::Text(sign), rest));
    }
    let (reference, rest) = text.split_at(1 + length + braced * 2);
    Some((Piece::Variable(name, reference), rest))
}

async fn run(proc: &mut Proc) -> Result<i32, Stop> {
    let parsed = usage::parse(proc, &SPEC).await?;
    let only_names = parsed.has(Flag::Variables);
    let format = match parsed.operands.as_slice() {
        [] if only_names => return Err(usage::fail(proc, 1, "missing arguments").await),
        [] => None,
        [format] => Some(names_in(format)),
        _ => return Err(usage::fail(proc, 1, "too many arguments").await),
    };
    if only_names {
        for name in format.unwrap_or_default() {
            proc.write(&message!(name, "\n")).await?;
        }
        return Ok(0);
    }
    let mut lease = proc.kernel.lease();
    let read = match proc.stdin() {
        Ok(file) => Input::new(file).rest(&mut lease).await,
        Err(errno) => Err(errno),
    };
    let text = match read {
        Ok(text) => text,
        Err(errno) => {
            return Err(usage::fail(
                proc,
                1,
                message!("error while reading \"standard input\": ", errno.message()),
            )
            .await);
        }
    };
    let mut rest = text.as_slice();
    while let Some((piece, behind)) = next_piece(rest) {
        proc.charge(4)?;
        match piece {
            Piece::Text(text) => proc.out().extend_from_slice(text),
            Piece::Variable(name, reference) => {
                let wanted = format
                    .as_ref()
                    .is_none_or(|names| names.iter().any(|known| known == name));
                let value = if wanted {
                    proc.variable(name).unwrap_or_default()
                } else {
                    reference
                };
                let value = value.to_vec();
                proc.out().extend_from_slice(&value);
            }
        }
        proc.flush_if_full().await?;
        rest = behind;
    }
    Ok(0)
}

fn names_in(format: &[u8]) -> Vec<Vec<u8>> {
    let mut names = Vec::new();
    let mut rest = format;
    while let Some((piece, behind)) = next_piece(rest) {
        if let Piece::Variable(name, _) = piece {
            names.push(name.to_vec());
        }
        rest = behind;
    }
    names
}
