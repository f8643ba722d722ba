//! `type [-afptP] name [name …]`, and what `command -v` and `-V` say.

use crate::args::BuiltinSpec;
use crate::interp::{BuiltinKind, Flow, Interp, Set, Shopt};
use crate::text::quote;

const SPEC: BuiltinSpec = BuiltinSpec::new("type", "afptP");

/// How a name is described.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Style {
    /// `type name`, `command -V name`
    Long,
    /// `type -t`
    Kind,
    /// `type -p`, `type -P`
    Path,
    /// `command -v`
    Reusable,
}

#[derive(Debug, Clone, Copy)]
struct Request {
    style: Style,
    all: bool,
    functions: bool,
    /// `-P`: only files count.
    force_path: bool,
}

/// The reserved words, in bash's order.
pub(super) const RESERVED: [&str; 22] = [
    "if", "then", "else", "elif", "fi", "case", "esac", "for", "select", "while", "until", "do", "done",
    "in", "function", "time", "{", "}", "!", "[[", "]]", "coproc",
];

/// The word is a reserved word of bash.
pub(super) fn is_reserved(name: &[u8]) -> bool {
    RESERVED.iter().any(|word| word.as_bytes() == name)
}

/// The builtin `type`.
pub fn run(interp: &mut Interp, args: &[Vec<u8>]) -> Flow {
    let parsed = match interp.parse_options(&SPEC, args) {
        Ok(parsed) => parsed,
        Err(status) => return Ok(status),
    };
    let style = parsed
        .options
        .iter()
        .fold(Style::Long, |style, option| match option.letter {
            b't' => Style::Kind,
            b'p' | b'P' => Style::Path,
            _ => style,
        });
    let request = Request {
        style,
        all: parsed.has(b'a'),
        functions: !parsed.has(b'f'),
        force_path: parsed.has(b'P'),
    };
    let mut status = 0;
    for name in &parsed.operands {
        if !describe(interp, name, request) {
            status = 1;
            if style == Style::Long {
                interp.complain("type", [name, b": not found".as_slice()].concat());
            }
        }
    }
    Ok(status)
}

/// `command -v` and `command -V`.
pub(super) fn describe_commands(interp: &mut Interp, names: &[Vec<u8>], long: bool) -> Flow {
    let style = if long { Style::Long } else { Style::Reusable };
    let mut status = 1;
    for name in names {
        if describe(
            interp,
            name,
            Request {
                style,
                all: false,
                functions: true,
                force_path: false,
            },
        ) {
            status = 0;
        } else if long {
            interp.complain("command", [name, b": not found".as_slice()].concat());
        }
    }
    Ok(status)
}

fn describe(interp: &mut Interp, name: &[u8], request: Request) -> bool {
    let mut found = false;
    if !request.force_path {
        found = describe_words(interp, name, request);
        if found && !request.all {
            return true;
        }
    }
    describe_files(interp, name, request) || found
}

/// Aliases, reserved words, functions, builtins. Says whether any was found.
fn describe_words(interp: &mut Interp, name: &[u8], request: Request) -> bool {
    let mut found = false;
    let mut say = |interp: &mut Interp, kind: &str, long: Vec<u8>, reusable: Vec<u8>| {
        found = true;
        match request.style {
            Style::Kind => interp.print(format!("{kind}\n")),
            Style::Long => interp.print([long, b"\n".to_vec()].concat()),
            Style::Reusable => interp.print([reusable, b"\n".to_vec()].concat()),
            Style::Path => {}
        }
        !request.all
    };
    let expands = interp.options.shopt(Shopt::ExpandAliases) || interp.options.is(Set::Posix);
    if let Some(value) = interp.aliases.get(name).cloned().filter(|_| expands) {
        let long = [name, b" is aliased to `", &value, b"'"].concat();
        let reusable = [b"alias ", name, b"=", &quote::single_quoted(&value)].concat();
        if say(interp, "alias", long, reusable) {
            return true;
        }
    }
    if is_reserved(name)
        && say(
            interp,
            "keyword",
            [name, b" is a shell keyword"].concat(),
            name.to_vec(),
        )
    {
        return true;
    }
    if request.functions
        && let Some(entry) = interp.functions.get(name).cloned()
    {
        let text = crate::syntax::print::print_function(&entry.function);
        let long = [name, b" is a function\n", &text].concat();
        if say(interp, "function", long, name.to_vec()) {
            return true;
        }
    }
    if let Some(builtin) = interp.find_builtin(name) {
        let special = interp.options.is(Set::Posix) && builtin.kind != BuiltinKind::Ordinary;
        let what: &[u8] = if special {
            b" is a special shell builtin"
        } else {
            b" is a shell builtin"
        };
        if say(interp, "builtin", [name, what].concat(), name.to_vec()) {
            return true;
        }
    }
    found
}

fn describe_files(interp: &mut Interp, name: &[u8], request: Request) -> bool {
    if name.contains(&b'/') {
        if !interp.is_executable(name) {
            return false;
        }
        say_file(interp, name, name, request);
        return true;
    }
    if (!request.all || request.force_path)
        && let Some(path) = interp.hashed_path(name)
    {
        match request.style {
            Style::Long => interp.print([name, b" is hashed (", &path, b")\n"].concat()),
            _ => say_file(interp, name, &path, request),
        }
        return true;
    }
    let mut any = false;
    for path in interp.find_in_path(name) {
        say_file(interp, name, &path, request);
        any = true;
        if !request.all {
            break;
        }
    }
    any
}

fn say_file(interp: &mut Interp, name: &[u8], path: &[u8], request: Request) {
    match request.style {
        Style::Kind => interp.print(b"file\n"),
        Style::Long => interp.print([name, b" is ", path, b"\n"].concat()),
        Style::Path | Style::Reusable => interp.print([path, b"\n"].concat()),
    }
}
