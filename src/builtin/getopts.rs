//! `getopts optstring name [arg …]`

use crate::args::BuiltinSpec;
use crate::expand::word;
use crate::interp::{Flow, Interp};
use crate::text::number::scan_signed;

const SPEC: BuiltinSpec = BuiltinSpec::new("getopts", "");

/// The builtin.
pub fn run(interp: &mut Interp, args: &[Vec<u8>]) -> Flow {
    let parsed = match interp.parse_options(&SPEC, args) {
        Ok(parsed) => parsed,
        Err(status) => return Ok(status),
    };
    let [letters, name, rest @ ..] = parsed.operands.as_slice() else {
        return Ok(interp.say_usage("getopts", SPEC.usage_error(None)));
    };
    let words: Vec<Vec<u8>> = if rest.is_empty() {
        interp.positional.iter().map(|text| text.to_vec()).collect()
    } else {
        rest.to_vec()
    };
    let step = next(interp, letters, &words);
    apply(interp, letters, name, step)
}

/// What the next option is.
enum Step {
    Option(u8, Option<Vec<u8>>),
    Unknown(u8),
    MissingArgument(u8),
    End,
}

fn next(interp: &mut Interp, letters: &[u8], words: &[Vec<u8>]) -> Step {
    let mut index = interp.number(b"OPTIND").filter(|index| *index >= 1).unwrap_or(1) as usize;
    let mut offset = interp.getopts_offset;
    let Some(current) = words.get(index - 1) else {
        set_index(interp, words.len() + 1, 0);
        return Step::End;
    };
    if offset == 0 {
        if current == b"--" {
            set_index(interp, index + 1, 0);
            return Step::End;
        }
        if current.first() != Some(&b'-') || current.len() < 2 {
            set_index(interp, index, 0);
            return Step::End;
        }
        offset = 1;
    }
    let Some(&letter) = current.get(offset) else {
        interp.getopts_offset = 0;
        set_index(interp, index + 1, 0);
        return next(interp, letters, words);
    };
    let takes = letters
        .iter()
        .position(|known| *known == letter && letter != b':')
        .map(|at| letters.get(at + 1) == Some(&b':'));
    let last = offset + 1 >= current.len();
    let step = match takes {
        None => Step::Unknown(letter),
        Some(false) => Step::Option(letter, None),
        Some(true) if !last => {
            let value = current.get(offset + 1..).unwrap_or_default().to_vec();
            set_index(interp, index + 1, 0);
            return Step::Option(letter, Some(value));
        }
        Some(true) => {
            index += 1;
            let value = words.get(index - 1).cloned();
            set_index(interp, index + 1, 0);
            return match value {
                Some(value) => Step::Option(letter, Some(value)),
                None => {
                    set_index(interp, index, 0);
                    Step::MissingArgument(letter)
                }
            };
        }
    };
    if last {
        set_index(interp, index + 1, 0);
    } else {
        set_index(interp, index, offset + 1);
    }
    step
}

fn set_index(interp: &mut Interp, index: usize, offset: usize) {
    interp.vars.set_raw(b"OPTIND", index.to_string().into_bytes());
    interp.getopts_offset = offset;
}

fn apply(interp: &mut Interp, letters: &[u8], name: &[u8], step: Step) -> Flow {
    let silent = letters.first() == Some(&b':');
    let quiet = silent || says_nothing(interp);
    let (found, argument, status) = match step {
        Step::End => {
            interp.vars.unset(b"OPTARG");
            (b'?', None, 1)
        }
        Step::Option(letter, argument) => (letter, argument, 0),
        Step::Unknown(letter) => {
            if !quiet {
                say(interp, &[b"illegal option -- ".as_slice(), &[letter]].concat());
            }
            (b'?', silent.then(|| vec![letter]), 0)
        }
        Step::MissingArgument(letter) => {
            if !quiet {
                say(
                    interp,
                    &[b"option requires an argument -- ".as_slice(), &[letter]].concat(),
                );
            }
            (if silent { b':' } else { b'?' }, silent.then(|| vec![letter]), 0)
        }
    };
    match argument {
        Some(argument) => interp.vars.set_raw(b"OPTARG", argument),
        None => interp.vars.unset(b"OPTARG"),
    }
    if !word::is_name(name) {
        interp.complain("getopts", [b"`", name, b"': not a valid identifier"].concat());
        return Ok(1);
    }
    let set = interp.set_scalar(name, &[found])?;
    Ok(if set || status != 0 { status } else { 2 })
}

/// `OPTERR` begins with no number but zero, as `atoi` reads it; an empty one is none.
fn says_nothing(interp: &mut Interp) -> bool {
    let value = interp.scalar(b"OPTERR").unwrap_or_default();
    !value.is_empty() && scan_signed(&value, 10).value == 0
}

/// The message names the script, without a line.
fn say(interp: &mut Interp, message: &[u8]) {
    let line = [&*interp.zero, b": ", message, b"\n"].concat();
    interp.print_error(line);
}
