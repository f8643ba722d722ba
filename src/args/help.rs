//! `--help` and `--version`, rendered from a [`Spec`] in the layout of GNU tools.

use super::spec::{Opt, Package, Spec, Value};

/// The column where help texts start, unless the spellings of an option need more.
const LEAST_COLUMN: usize = 24;
/// A longer spelling has its help on the next line.
const MOST_COLUMN: usize = 34;

/// `-n, --lines=NUM`; all spellings of one option.
fn spelling<F: Copy>(options: &[Opt<F>]) -> String {
    let shorts: Vec<String> = options
        .iter()
        .filter_map(|opt| opt.short)
        .map(|short| format!("-{short}"))
        .collect();
    let longs: Vec<String> = options
        .iter()
        .filter_map(|opt| opt.long)
        .map(|long| format!("--{long}"))
        .collect();
    let mut text = String::from("  ");
    // A letter may take no value where the long name may.
    let value = options.last().map_or(Value::None, |opt| opt.value);
    if value == Value::Digit {
        return text + "-NUM";
    }
    if shorts.is_empty() {
        text.push_str("    ");
    }
    text += &shorts
        .iter()
        .chain(&longs)
        .cloned()
        .collect::<Vec<_>>()
        .join(", ");
    match (value, longs.is_empty()) {
        (Value::Required(name), true) => text = text + " " + name,
        (Value::Required(name), false) => text = text + "=" + name,
        (Value::Optional(name), true) => text = text + "[" + name + "]",
        (Value::Optional(name), false) => text = text + "[=" + name + "]",
        (Value::None | Value::Digit, _) => {}
    }
    text
}

fn item(spelling: &str, help: &str, column: usize) -> String {
    let mut lines = help.lines();
    let first = lines.next().unwrap_or_default();
    let mut text = if spelling.chars().count() + 2 > column {
        format!("{spelling}\n{:column$}{first}\n", "")
    } else {
        format!("{spelling:column$}{first}\n")
    };
    for line in lines {
        text = format!("{text}{:1$}{line}\n", "", column + 2);
    }
    text
}

/// The options of a table, spellings of the same one joined, with their help.
fn groups<F: Copy + PartialEq>(options: &'static [Opt<F>]) -> Vec<&'static [Opt<F>]> {
    options
        .chunk_by(|first, next| next.help.is_empty() && first.flag == next.flag)
        .collect()
}

fn letter_and_name(letter: Option<char>, name: &str) -> String {
    letter.map_or_else(
        || format!("      --{name}"),
        |letter| format!("  -{letter}, --{name}"),
    )
}

impl<F: Copy + PartialEq> Spec<F> {
    /// The help text; a NUL stands for the program's name.
    pub(super) fn help_text(&self) -> Vec<u8> {
        if !self.own_help.is_empty() {
            return self.own_help.replace("{name}", "\0").into_bytes();
        }
        let mut text = String::new();
        for (index, usage) in self.synopsis.iter().enumerate() {
            text += if index == 0 { "Usage: \0" } else { "  or:  \0" };
            if !usage.is_empty() {
                text.push(' ');
            }
            text = text + usage + "\n";
        }
        if !self.about.is_empty() {
            text = text + self.about.trim_end() + "\n";
        }
        text.push('\n');
        let mut items: Vec<(String, &str)> = groups(self.options)
            .into_iter()
            .filter_map(|group| Some((spelling(group), group.first()?.help)))
            .filter(|(_, help)| !help.is_empty())
            .collect();
        items.push((
            letter_and_name(self.help_short, "help"),
            "display this help and exit",
        ));
        items.push((
            letter_and_name(self.version_short, "version"),
            "output version information and exit",
        ));
        let widest = items.iter().map(|(spelling, _)| spelling.chars().count() + 2);
        let column = widest
            .filter(|&width| width <= MOST_COLUMN)
            .max()
            .unwrap_or(0)
            .max(LEAST_COLUMN);
        for (spelling, help) in &items {
            text += &item(spelling, help, column);
        }
        if !self.notes.is_empty() {
            text = text + "\n" + self.notes.trim_end() + "\n";
        }
        text.into_bytes()
    }

    pub(super) fn version_text(&self) -> Vec<u8> {
        let name = self.name;
        let line = match self.package {
            Package::Gnu(package, version) => format!("{name} ({package}) {version}\n"),
            Package::From(package, version) => format!("{name} from {package} {version}\n"),
            Package::Line(line) => format!("{line}\n"),
        };
        line.into_bytes()
    }
}
