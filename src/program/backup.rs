//! Backups of files that are about to be replaced: `-b`, `--backup`, `-S` of `cp`, `mv`, `ln`, `install`.

use super::path;
use crate::args::{Opt, Parsed, Spec, UsageError};
use crate::fs::Errno;
use crate::kernel::Proc;

/// How backups are named.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Method {
    /// There are none.
    Off,
    /// `file~`.
    Simple,
    /// `file.~N~` where there are such ones already, else `file~`.
    Existing,
    /// `file.~N~`.
    Numbered,
}

pub(super) const METHODS: &[(&str, Method)] = &[
    ("none", Method::Off),
    ("off", Method::Off),
    ("simple", Method::Simple),
    ("never", Method::Simple),
    ("existing", Method::Existing),
    ("nil", Method::Existing),
    ("numbered", Method::Numbered),
    ("t", Method::Numbered),
];

/// A program's options for backups.
#[derive(Debug, Clone, Copy)]
pub struct BackupFlags<F> {
    /// `--backup[=CONTROL]`.
    pub control: F,
    /// `-b`.
    pub short: F,
    /// `-S`.
    pub suffix: F,
}

impl<F: Copy + PartialEq> BackupFlags<F> {
    /// The row of `--backup`.
    pub const fn control_row(self) -> Opt<F> {
        let help = "make a backup of each existing destination file";
        Opt::long(self.control, "backup", help).may_take("CONTROL")
    }

    /// The row of `-b`.
    pub const fn short_row(self) -> Opt<F> {
        Opt::short(self.short, 'b', "like --backup but does not accept an argument")
    }

    /// The row of `-S`.
    pub const fn suffix_row(self) -> Opt<F> {
        let help = "override the usual backup suffix";
        Opt::required(self.suffix, 'S', "suffix", "SUFFIX", help)
    }

    /// Whether one of them was given.
    pub fn any_given(&self, parsed: &Parsed<F>) -> bool {
        [self.control, self.short, self.suffix]
            .iter()
            .any(|flag| parsed.has(*flag))
    }
}

/// The method and the suffix.
#[derive(Debug, Clone)]
pub struct Backup {
    /// The method.
    pub method: Method,
    /// The suffix of simple backups.
    pub suffix: Vec<u8>,
}

impl Backup {
    /// No backups.
    pub fn off() -> Backup {
        Backup {
            method: Method::Off,
            suffix: b"~".to_vec(),
        }
    }

    /// Whether there are backups.
    pub fn is_on(&self) -> bool {
        self.method != Method::Off
    }

    /// Reads the options and `VERSION_CONTROL`, `SIMPLE_BACKUP_SUFFIX`.
    pub fn from_options<F: Copy + PartialEq>(
        proc: &Proc,
        spec: &Spec<F>,
        parsed: &Parsed<F>,
        flags: BackupFlags<F>,
    ) -> Result<Backup, UsageError> {
        let environment = proc.variable(b"SIMPLE_BACKUP_SUFFIX");
        let usable = |suffix: &&[u8]| !suffix.is_empty() && !suffix.contains(&b'/');
        let suffix = parsed.last(flags.suffix).or(environment).filter(usable);
        let method = if flags.any_given(parsed) {
            method(proc, spec, parsed.last(flags.control))?
        } else {
            Method::Off
        };
        Ok(Backup {
            method,
            suffix: suffix.unwrap_or(b"~").to_vec(),
        })
    }

    /// The name of the next backup of a file.
    pub fn name_for(&self, proc: &Proc, file: &[u8]) -> Vec<u8> {
        let highest = match self.method {
            Method::Numbered | Method::Existing => highest_number(proc, file),
            Method::Off | Method::Simple => None,
        };
        match (self.method, highest) {
            (Method::Numbered, None) => numbered(file, 1),
            (Method::Numbered | Method::Existing, Some(number)) => numbered(file, number.saturating_add(1)),
            _ => [file, &self.suffix].concat(),
        }
    }

    /// Gives a file the name of its backup, and says which.
    pub fn rename(&self, proc: &Proc, file: &[u8]) -> Result<Vec<u8>, Errno> {
        let name = self.name_for(proc, file);
        proc.rename(file, &name)?;
        Ok(name)
    }
}

fn method<F: Copy + PartialEq>(
    proc: &Proc,
    spec: &Spec<F>,
    control: Option<&[u8]>,
) -> Result<Method, UsageError> {
    let given = control.filter(|control| !control.is_empty());
    let environment = proc
        .variable(b"VERSION_CONTROL")
        .filter(|control| !control.is_empty());
    match (given, environment) {
        (Some(control), _) => spec.choose("backup type", control, METHODS),
        (None, Some(control)) => spec.choose("$VERSION_CONTROL", control, METHODS),
        (None, None) => Ok(Method::Existing),
    }
}

fn numbered(file: &[u8], number: u64) -> Vec<u8> {
    [file, format!(".~{number}~").as_bytes()].concat()
}

/// The highest number of the numbered backups of a file.
fn highest_number(proc: &Proc, file: &[u8]) -> Option<u64> {
    let base = path::last_component(path::without_trailing_slashes(file));
    let entries = proc.read_dir(path::directory_name(file)).ok()?;
    entries
        .iter()
        .filter_map(|entry| {
            let number = entry
                .name
                .strip_prefix(base)?
                .strip_prefix(b".~")?
                .strip_suffix(b"~")?;
            let canonical = matches!(number.first(), Some(b'1'..=b'9'));
            if !canonical {
                return None;
            }
            std::str::from_utf8(number).ok()?.parse().ok()
        })
        .max()
}
