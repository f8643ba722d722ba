//! Saved states of a shell: its files, and the statements that make its variables, functions and options again.
//!
//! The state of the interpreter is kept as a bash text in the forms of `declare -p`, `declare -f`, `shopt -p`, … which read
//! back by definition. So a snapshot can be read by a person, and old ones stay readable.

use serde::{Deserialize, Serialize};

use crate::builtin::describe_variable;
use crate::error::Error;
use crate::expand::Value;
use crate::fs::{Fs, FsSnapshot};
use crate::interp::Interp;
use crate::interp::options::{SET_OPTIONS, SHOPT_OPTIONS};
use crate::syntax::print::print_function_exactly;
use crate::text::quote;

/// The version that is written.
const VERSION: u32 = 1;

/// A saved state of a [`Shell`](crate::Shell): serialise it with any serde format.
#[derive(Clone, Serialize, Deserialize)]
pub struct Snapshot {
    version: u32,
    files: FsSnapshot,
    cwd: Vec<u8>,
    state: Vec<u8>,
}

impl std::fmt::Debug for Snapshot {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Snapshot")
            .field("version", &self.version)
            .finish_non_exhaustive()
    }
}

impl Snapshot {
    pub(crate) fn take(interp: &Interp) -> Result<Snapshot, Error> {
        let failed = |errno| Error::File(b"/".to_vec(), errno);
        let files = interp.proc.fs.snapshot().map_err(failed)?;
        Ok(Snapshot {
            version: VERSION,
            files,
            cwd: interp.proc.cwd.to_vec(),
            state: state(interp),
        })
    }

    pub(crate) fn fs(&self) -> Result<Fs, Error> {
        if self.version != VERSION {
            return Err(Error::Snapshot(format!(
                "version {} is not {VERSION}",
                self.version
            )));
        }
        Fs::from_snapshot(&self.files).map_err(|errno| Error::File(b"/".to_vec(), errno))
    }

    /// Where the shell was.
    pub fn cwd(&self) -> &[u8] {
        &self.cwd
    }

    /// The statements that make its state again.
    pub fn state(&self) -> &[u8] {
        &self.state
    }
}

/// Variables that a new shell makes for itself.
const OWN: [&[u8]; 16] = [
    b"BASH",
    b"BASH_VERSINFO",
    b"BASH_VERSION",
    b"BASH_EXECUTION_STRING",
    b"BASH_LOADABLES_PATH",
    b"BASH_REMATCH",
    b"EUID",
    b"HOSTTYPE",
    b"MACHTYPE",
    b"OPTIND",
    b"OSTYPE",
    b"PPID",
    b"PWD",
    b"SHELLOPTS",
    b"SHLVL",
    b"UID",
];

fn state(interp: &Interp) -> Vec<u8> {
    let mut interp = interp.clone();
    let mut text = Vec::new();
    let names: Vec<_> = interp
        .vars
        .sorted()
        .into_iter()
        .filter(|(name, variable)| !OWN.contains(&&***name) && !matches!(variable.value, Value::Dynamic(_)))
        .map(|(name, variable)| (name.clone(), variable.clone()))
        .collect();
    for (name, variable) in names {
        text.extend(describe_variable(&mut interp, &name, &variable));
    }
    let mut functions: Vec<_> = interp.functions.values().cloned().collect();
    functions.sort_by(|a, b| a.function.name.cmp(&b.function.name));
    for entry in functions {
        text.extend(print_function_exactly(&entry.function));
        text.push(b'\n');
        for (on, flag) in [(entry.exported, "x"), (entry.trace, "t"), (entry.readonly, "r")] {
            if on {
                text.extend([b"declare -f", flag.as_bytes(), b" ", &entry.function.name, b"\n"].concat());
            }
        }
    }
    for (name, value) in interp.aliases.iter() {
        text.extend(
            [
                b"alias ",
                name.as_slice(),
                b"=",
                &quote::single_quoted(value),
                b"\n",
            ]
            .concat(),
        );
    }
    for (key, action) in &interp.traps.active {
        let action = quote::single_quoted(action);
        text.extend([b"trap -- ", action.as_slice(), b" ", key.name().as_bytes(), b"\n"].concat());
    }
    let positional: Vec<Vec<u8>> = interp
        .positional
        .iter()
        .map(|item| quote::reusable(item))
        .collect();
    text.extend([b"set -- ".to_vec(), positional.join(&b' '), b"\n".to_vec()].concat());
    for (index, (name, default)) in SHOPT_OPTIONS.iter().enumerate() {
        let on = interp.options.is_shopt_index(index);
        if on != *default {
            text.extend(format!("shopt -{} {name}\n", if on { 's' } else { 'u' }).into_bytes());
        }
    }
    for (index, option) in SET_OPTIONS.iter().enumerate() {
        let sign = if interp.options.is_index(index) { '-' } else { '+' };
        text.extend(format!("set {sign}o {}\n", option.name).into_bytes());
    }
    text
}
