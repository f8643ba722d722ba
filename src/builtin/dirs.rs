//! `dirs [-clpv] [+N] [-N]`, `pushd [-n] [+N | -N | dir]`, `popd [-n] [+N | -N]`
//!
//! The stack is the working directory and, below it, [`Interp::directories`], the top first. `-N` before a number is an option to the
//! usual parser, so all three look at their words themselves, as bash does.

use std::sync::Arc;

use super::cd;
use super::support::number;
use crate::args::BuiltinSpec;
use crate::interp::{Flow, Interp};

const DIRS: BuiltinSpec = BuiltinSpec::new("dirs", "");
const PUSHD: BuiltinSpec = BuiltinSpec::new("pushd", "");
const POPD: BuiltinSpec = BuiltinSpec::new("popd", "");

/// How `dirs` prints.
#[derive(Debug, Clone, Copy, Default)]
struct Layout {
    /// `-l`: no tilde.
    long: bool,
    /// `-p`: one a line.
    lines: bool,
    /// `-v`: one a line, numbered.
    numbered: bool,
}

/// Counted from the left (`+N`) or from the right (`-N`).
#[derive(Debug, Clone, Copy)]
struct Place {
    count: i64,
    from_right: bool,
}

impl Place {
    /// Reads `+N` or `-N`; `None` when it is no number.
    fn parse(word: &[u8]) -> Option<Place> {
        let (sign, digits) = word.split_first()?;
        Some(Place {
            count: number(digits)?,
            from_right: *sign == b'-',
        })
    }

    /// The place from the left in a stack of `length` entries.
    fn index(self, length: usize) -> Option<usize> {
        let count = usize::try_from(self.count).ok().filter(|count| *count < length)?;
        Some(if self.from_right {
            length - 1 - count
        } else {
            count
        })
    }
}

fn is_place(word: &[u8]) -> bool {
    matches!(word.first(), Some(b'+' | b'-'))
}

/// `dirs`
pub fn run(interp: &mut Interp, args: &[Vec<u8>]) -> Flow {
    let (mut layout, mut clear, mut place) = (Layout::default(), false, None);
    for word in args {
        match word.as_slice() {
            b"--help" => return Ok(interp.say_usage("dirs", DIRS.help())),
            b"-l" => layout.long = true,
            b"-c" => clear = true,
            b"-v" => layout.numbered = true,
            b"-p" => layout.lines = true,
            b"--" => break,
            word if is_place(word) => match Place::parse(word) {
                Some(parsed) => place = Some((word, parsed)),
                None => return Ok(invalid_number(interp, &DIRS, word)),
            },
            word => {
                let message = [word, b": invalid option"].concat();
                return Ok(interp.say_usage("dirs", DIRS.usage_error(Some(message))));
            }
        }
    }
    if clear {
        interp.directories = Arc::default();
        return Ok(0);
    }
    let stack = interp.directory_stack();
    let Some((word, place)) = place else {
        print_stack(interp, &stack, layout);
        return Ok(0);
    };
    let Some((index, directory)) = place
        .index(stack.len())
        .and_then(|index| Some((index, stack.get(index)?)))
    else {
        return Ok(out_of_range(interp, "dirs", word.get(1..).unwrap_or_default()));
    };
    let text = entry(interp, directory, index, layout);
    interp.print([text.as_slice(), b"\n"].concat());
    Ok(0)
}

fn entry(interp: &mut Interp, directory: &[u8], index: usize, layout: Layout) -> Vec<u8> {
    let directory = if layout.long {
        directory.to_vec()
    } else {
        interp.polite_directory(directory)
    };
    if layout.numbered {
        [format!("{index:2}  ").as_bytes(), &directory].concat()
    } else {
        directory
    }
}

fn print_stack(interp: &mut Interp, stack: &[Vec<u8>], layout: Layout) {
    let entries: Vec<_> = stack
        .iter()
        .enumerate()
        .map(|(index, directory)| entry(interp, directory, index, layout))
        .collect();
    let separator: &[u8] = if layout.lines || layout.numbered {
        b"\n"
    } else {
        b" "
    };
    interp.print([&entries.join(separator), b"\n".as_slice()].concat());
}

fn invalid_number(interp: &mut Interp, spec: &BuiltinSpec, word: &[u8]) -> i32 {
    interp.say_usage(
        spec.name,
        spec.usage_error(Some([word, b": invalid number"].concat())),
    )
}

fn out_of_range(interp: &mut Interp, name: &str, word: &[u8]) -> i32 {
    if interp.directories.is_empty() {
        interp.complain(name, "directory stack empty");
    } else {
        interp.complain(name, [word, b": directory stack index out of range"].concat());
    }
    1
}

/// Goes to a directory and prints the stack.
fn enter(interp: &mut Interp, name: &'static str, directory: &[u8]) -> Flow {
    let status = cd::run_as(interp, name, &[b"--".to_vec(), directory.to_vec()])?;
    if status == 0 {
        let stack = interp.directory_stack();
        print_stack(interp, &stack, Layout::default());
    }
    Ok(status)
}

/// `pushd`
pub fn run_pushd(interp: &mut Interp, args: &[Vec<u8>]) -> Flow {
    if args.first().is_some_and(|word| word == b"--help") {
        return Ok(interp.say_usage("pushd", PUSHD.help()));
    }
    let mut words = args;
    let only_operands = words.first().is_some_and(|word| word == b"--");
    if only_operands {
        words = words.get(1..).unwrap_or_default();
    }
    if words.is_empty() {
        return swap(interp);
    }
    let (mut stay, mut rotation) = (false, None);
    while let Some((word, rest)) = words.split_first().filter(|_| !only_operands) {
        match word.as_slice() {
            b"-n" => stay = true,
            b"--" => {
                words = rest;
                break;
            }
            b"-" => break,
            word if is_place(word) => {
                let Some(place) = Place::parse(word) else {
                    return Ok(invalid_number(interp, &PUSHD, word));
                };
                let Some(index) = place.index(interp.directories.len() + 1) else {
                    return Ok(out_of_range(interp, "pushd", word));
                };
                rotation = Some(index);
            }
            _ => break,
        }
        words = rest;
    }
    match (rotation, words.first()) {
        (Some(count), _) => rotate(interp, count, stay),
        (None, None) => Ok(0),
        // `pushd -- dir` is `cd -- dir`.
        (None, Some(directory)) => push(interp, directory, if only_operands { args } else { words }, stay),
    }
}

fn swap(interp: &mut Interp) -> Flow {
    let cwd = interp.proc.kernel.held(b"", interp.proc.cwd.to_vec());
    let Some(top) = Arc::make_mut(&mut interp.directories).first_mut() else {
        interp.complain("pushd", "no other directory");
        return Ok(1);
    };
    let target = std::mem::replace(top, cwd).to_vec();
    enter(interp, "pushd", &target)
}

/// Brings an entry to the top; with `-n` it is dropped instead of entered, as bash does.
fn rotate(interp: &mut Interp, count: usize, stay: bool) -> Flow {
    if stay && count == 0 {
        return Ok(0);
    }
    let mut stack = interp.directory_stack();
    stack.rotate_left(count);
    let target = stack.remove(0);
    let kernel = &interp.proc.kernel;
    let stack = stack.into_iter().map(|entry| kernel.held(b"", entry)).collect();
    interp.directories = Arc::new(stack);
    if stay {
        Ok(0)
    } else {
        enter(interp, "pushd", &target)
    }
}

fn push(interp: &mut Interp, directory: &[u8], words: &[Vec<u8>], stay: bool) -> Flow {
    let mut entry = directory.to_vec();
    if !stay {
        entry = interp.proc.cwd.to_vec();
        let status = cd::run_as(interp, "pushd", words)?;
        if status != 0 {
            return Ok(status);
        }
    }
    let entry = interp.proc.kernel.held(b"", entry);
    Arc::make_mut(&mut interp.directories).insert(0, entry);
    let stack = interp.directory_stack();
    print_stack(interp, &stack, Layout::default());
    Ok(0)
}

/// `popd`
pub fn run_popd(interp: &mut Interp, args: &[Vec<u8>]) -> Flow {
    let (mut stay, mut place, mut place_word): (_, _, &[u8]) = (
        false,
        Place {
            count: 0,
            from_right: false,
        },
        b"".as_slice(),
    );
    for word in args {
        match word.as_slice() {
            b"--help" => return Ok(interp.say_usage("popd", POPD.help())),
            b"-n" => stay = true,
            b"--" => break,
            word if is_place(word) => {
                let Some(parsed) = Place::parse(word) else {
                    return Ok(invalid_number(interp, &POPD, word));
                };
                (place, place_word) = (parsed, word);
            }
            b"" => break,
            word => {
                let message = [word, b": invalid argument"].concat();
                return Ok(interp.say_usage("popd", POPD.usage_error(Some(message))));
            }
        }
    }
    let index = place
        .index(interp.directories.len() + 1)
        .filter(|_| !interp.directories.is_empty());
    match index {
        None => Ok(out_of_range(interp, "popd", place_word)),
        Some(index) => remove(interp, index, stay),
    }
}

/// The top gives way to the one below it, which is entered unless `-n` is given; then that one is dropped.
fn remove(interp: &mut Interp, index: usize, stay: bool) -> Flow {
    let below = index.saturating_sub(1);
    if index == 0 && !stay {
        let target = interp
            .directories
            .first()
            .map_or_else(Vec::new, |top| top.to_vec());
        let status = cd::run_as(interp, "popd", &[b"--".to_vec(), target])?;
        if status != 0 {
            return Ok(status);
        }
    }
    let directories = Arc::make_mut(&mut interp.directories);
    if below < directories.len() {
        directories.remove(below);
    }
    let stack = interp.directory_stack();
    print_stack(interp, &stack, Layout::default());
    Ok(0)
}
