//! Names that the shell and the system know, by kind.

use super::super::type_::RESERVED;
use crate::args::builtin_usages;
use crate::expand::{Attributes, Value};
use crate::interp::completion::Completion;
use crate::interp::job::JobState;
use crate::interp::{Interp, options};
use crate::kernel::Signal;

/// Functions of the line editor that bash adds no names of its own to.
const BINDINGS: &str = include_str!("bindings.txt");

/// bash's order of kinds.
const KINDS: [&str; 18] = [
    "alias",
    "arrayvar",
    "binding",
    "builtin",
    "disabled",
    "enabled",
    "export",
    "function",
    "helptopic",
    "hostname",
    "job",
    "keyword",
    "running",
    "setopt",
    "shopt",
    "signal",
    "stopped",
    "variable",
];

/// All names of the kinds that are asked for and that begin with a text.
pub(super) fn generate(interp: &mut Interp, completion: &Completion, prefix: &[u8]) -> Vec<Vec<u8>> {
    let mut found = Vec::new();
    for kind in KINDS.into_iter().filter(|kind| completion.has(kind)) {
        found.extend(of_kind(interp, kind));
    }
    found.retain(|name: &Vec<u8>| name.starts_with(prefix));
    if completion.has("command") {
        found.extend(commands(interp, prefix));
    }
    if completion.has("file") {
        found.extend(super::files(interp, prefix, false));
    }
    for (kind, file) in [("user", "/etc/passwd"), ("group", "/etc/group")] {
        if completion.has(kind) {
            let fields = columns(interp, file, b':', 0..1);
            found.extend(fields.into_iter().filter(|name| name.starts_with(prefix)));
        }
    }
    if completion.has("service") {
        let services = columns(interp, "/etc/services", b' ', 0..1);
        found.extend(services.into_iter().filter(|name| name.starts_with(prefix)));
    }
    if completion.has("directory") {
        found.extend(super::files(interp, prefix, true));
    }
    found
}

fn of_kind(interp: &mut Interp, kind: &str) -> Vec<Vec<u8>> {
    let texts = |names: &[&str]| names.iter().map(|name| name.as_bytes().to_vec()).collect();
    match kind {
        "alias" => interp.aliases.keys().cloned().collect(),
        "arrayvar" => arrays(interp),
        "binding" => BINDINGS.lines().map(|name| name.as_bytes().to_vec()).collect(),
        "builtin" => builtins(interp, |_| true),
        "disabled" => builtins(interp, |name| interp.disabled.contains(name)),
        "enabled" => builtins(interp, |name| !interp.disabled.contains(name)),
        "export" => variables(interp, |attributes, value| {
            attributes.has(Attributes::EXPORT) && *value != Value::Unset
        }),
        "function" => functions(interp),
        "helptopic" => builtin_usages()
            .iter()
            .map(|topic| topic.title.as_bytes().to_vec())
            .collect(),
        "hostname" => columns(interp, "/etc/hosts", b' ', 1..99),
        "job" => jobs(interp, |_| true),
        "running" => jobs(interp, |state| state == JobState::Running),
        "stopped" => jobs(interp, |state| state == JobState::Stopped),
        "keyword" => texts(&RESERVED),
        "setopt" => options::SET_OPTIONS
            .iter()
            .map(|option| option.name.as_bytes().to_vec())
            .collect(),
        "shopt" => options::SHOPT_OPTIONS
            .iter()
            .map(|(name, _)| name.as_bytes().to_vec())
            .collect(),
        "signal" => signals(),
        _ => variables(interp, |_, value| *value != Value::Unset),
    }
}

/// Arrays, those too that the shell computes.
fn arrays(interp: &mut Interp) -> Vec<Vec<u8>> {
    let mut found = Vec::new();
    let all: Vec<_> = interp
        .vars
        .sorted()
        .into_iter()
        .map(|(name, variable)| (name.clone(), variable.value.clone()))
        .collect();
    for (name, value) in all {
        let value = match value {
            Value::Dynamic(code) => interp.dynamic(code).unwrap_or(Value::Unset),
            value => value,
        };
        if value.is_array() {
            found.push(name.to_vec());
        }
    }
    found
}

fn variables(interp: &Interp, wanted: impl Fn(Attributes, &Value) -> bool) -> Vec<Vec<u8>> {
    interp
        .vars
        .sorted()
        .into_iter()
        .filter(|(_, variable)| wanted(variable.attributes, &variable.value))
        .map(|(name, _)| name.to_vec())
        .collect()
}

fn builtins(interp: &Interp, wanted: impl Fn(&'static str) -> bool) -> Vec<Vec<u8>> {
    let names = interp.builtins.iter().map(|builtin| builtin.name);
    names
        .filter(|name| wanted(name))
        .map(|name| name.as_bytes().to_vec())
        .collect()
}

fn functions(interp: &Interp) -> Vec<Vec<u8>> {
    let mut names: Vec<Vec<u8>> = interp.functions.keys().map(|name| name.to_vec()).collect();
    names.sort();
    names
}

/// The first word of each job.
fn jobs(interp: &Interp, wanted: impl Fn(JobState) -> bool) -> Vec<Vec<u8>> {
    let jobs = interp.jobs.iter().filter(|job| wanted(job.state));
    jobs.filter_map(|job| job.processes.first())
        .filter_map(|process| process.text.split(|byte| *byte == b' ').next())
        .map(<[u8]>::to_vec)
        .collect()
}

/// Every number below 65 has a name.
fn signals() -> Vec<Vec<u8>> {
    let mut names = vec![b"EXIT".to_vec()];
    for number in 1..=64_u8 {
        let signal = Signal::from_number(i64::from(number));
        names.push(match signal {
            Some(signal) => format!("SIG{}", signal.name()).into_bytes(),
            None => format!("SIGJUNK({number})").into_bytes(),
        });
    }
    names.extend(["DEBUG", "ERR", "RETURN"].map(|name| name.as_bytes().to_vec()));
    names
}

/// Columns of the lines of a system's table.
fn columns(interp: &Interp, path: &str, separator: u8, wanted: std::ops::Range<usize>) -> Vec<Vec<u8>> {
    let text = interp
        .proc
        .fs
        .read(&interp.proc.view(), path.as_bytes())
        .unwrap_or_default();
    let mut found = Vec::new();
    for line in text.split(|byte| *byte == b'\n') {
        let line = line.split(|byte| *byte == b'#').next().unwrap_or_default();
        let blank = separator == b' ';
        let fields = line
            .split(|byte| *byte == separator || (blank && *byte == b'\t'))
            .filter(|field| !field.is_empty());
        let fields = fields.skip(wanted.start).take(wanted.len());
        found.extend(fields.map(<[u8]>::to_vec));
    }
    found
}

/// Everything that a command's name may be.
fn commands(interp: &mut Interp, prefix: &[u8]) -> Vec<Vec<u8>> {
    if prefix.contains(&b'/') {
        let mut paths = super::files(interp, prefix, false);
        paths.retain(|path| interp.is_executable(path));
        return paths;
    }
    let mut found: Vec<Vec<u8>> = ["alias", "keyword", "function", "enabled"]
        .into_iter()
        .flat_map(|kind| of_kind(interp, kind))
        .collect();
    let path = interp.scalar(b"PATH").unwrap_or_default();
    for directory in path
        .split(|byte| *byte == b':')
        .filter(|directory| !directory.is_empty())
    {
        let directory = [directory, b"/"].concat();
        let start = [directory.as_slice(), prefix].concat();
        for path in super::files(interp, &start, false) {
            if interp.is_executable(&path) {
                found.push(path.get(directory.len()..).unwrap_or_default().to_vec());
            }
        }
    }
    found.retain(|name| name.starts_with(prefix));
    found
}
