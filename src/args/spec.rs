//! The static description of a program's command line.

/// Whether an option takes a value, with the name that help shows for it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Value {
    /// No value.
    None,
    /// A value, attached or as the next argument.
    Required(&'static str),
    /// A value only if attached (`-i.bak`, `--color=always`).
    Optional(&'static str),
    /// Any digit is this option and its value (`grep -5`, `diff -3`); one digit at a time, as getopt sees them.
    Digit,
}

/// One option of a program. An entry with an empty help text that follows one with the same flag is another
/// spelling of it and shares its line in `--help`; any other entry with an empty help text is not shown.
#[derive(Debug, Clone, Copy)]
pub struct Opt<F: Copy + 'static> {
    /// What the program gets for it.
    pub flag: F,
    /// The letter.
    pub short: Option<char>,
    /// The long name.
    pub long: Option<&'static str>,
    /// Its value.
    pub value: Value,
    /// One or more lines of help.
    pub help: &'static str,
}

impl<F: Copy> Opt<F> {
    /// `-n, --number`.
    pub const fn flag(flag: F, short: char, long: &'static str, help: &'static str) -> Self {
        Opt {
            flag,
            short: Some(short),
            long: Some(long),
            value: Value::None,
            help,
        }
    }

    /// `-n`.
    pub const fn short(flag: F, short: char, help: &'static str) -> Self {
        Opt {
            flag,
            short: Some(short),
            long: None,
            value: Value::None,
            help,
        }
    }

    /// `--number`.
    pub const fn long(flag: F, long: &'static str, help: &'static str) -> Self {
        Opt {
            flag,
            short: None,
            long: Some(long),
            value: Value::None,
            help,
        }
    }

    /// `-n, --lines=NUM`.
    pub const fn required(
        flag: F,
        short: char,
        long: &'static str,
        name: &'static str,
        help: &'static str,
    ) -> Self {
        Opt {
            flag,
            short: Some(short),
            long: Some(long),
            value: Value::Required(name),
            help,
        }
    }

    /// `-i, --in-place[=SUFFIX]`.
    pub const fn optional(
        flag: F,
        short: char,
        long: &'static str,
        name: &'static str,
        help: &'static str,
    ) -> Self {
        Opt {
            flag,
            short: Some(short),
            long: Some(long),
            value: Value::Optional(name),
            help,
        }
    }

    /// Any digit as an option: `-5`. The value is the digit.
    pub const fn digits(flag: F, help: &'static str) -> Self {
        Opt {
            flag,
            short: Some('0'),
            long: None,
            value: Value::Digit,
            help,
        }
    }

    /// The same option with a value: `Opt::long(…).takes("NUM")`.
    #[must_use]
    pub const fn takes(self, name: &'static str) -> Self {
        Opt {
            value: Value::Required(name),
            ..self
        }
    }

    /// The same option with an optional value: `Opt::long(…).may_take("WHEN")`.
    #[must_use]
    pub const fn may_take(self, name: &'static str) -> Self {
        Opt {
            value: Value::Optional(name),
            ..self
        }
    }
}

/// What happens at the first operand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Order {
    /// Options are found among the operands.
    Permute,
    /// Everything after the first operand is an operand (`env`, `xargs`, `timeout`, `nice`).
    Posix,
}

/// How a program goes on after a complaint about its usage.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Complaint {
    /// `Try 'cat --help' for more information.`
    Try,
    /// `diff: Try 'diff --help' for more information.`
    NamedTry,
    /// The first usage line, then Try (grep).
    UsageAndTry,
    /// The first usage line, a blank one, then ``Try `wget --help' for more options.``
    UsageAndOptions,
    /// `Try 'tar --help' or 'tar --usage' for more information.`
    TryUsage,
    /// ``Try `gzip --help' for more information.``
    BackquotedTry,
    /// ``Try `iconv --help' or `iconv --usage' for more information.``
    BackquotedTryUsage,
    /// The whole help text (sed, bc).
    Help,
    /// Nothing.
    Silent,
}

/// The package that a program says it belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Package {
    /// `cat (GNU coreutils) 9.1`: name and version.
    Gnu(&'static str, &'static str),
    /// `column from util-linux 2.38.1`: name and version.
    From(&'static str, &'static str),
    /// The first line of `--version` as it is.
    Line(&'static str),
}

/// GNU coreutils of Debian 12.
pub const COREUTILS: Package = Package::Gnu("GNU coreutils", "9.1");
/// GNU findutils of Debian 12.
pub const FINDUTILS: Package = Package::Gnu("GNU findutils", "4.9.0");
/// GNU diffutils of Debian 12.
pub const DIFFUTILS: Package = Package::Gnu("GNU diffutils", "3.8");
/// GNU grep of Debian 12.
pub const GREP: Package = Package::Gnu("GNU grep", "3.8");
/// GNU sed of Debian 12.
pub const SED: Package = Package::Gnu("GNU sed", "4.9");
/// GNU tar of Debian 12.
pub const TAR: Package = Package::Gnu("GNU tar", "1.34");
/// util-linux of Debian 12.
pub const UTIL_LINUX: Package = Package::From("util-linux", "2.38.1");

/// The command line of a program.
#[derive(Debug, Clone, Copy)]
pub struct Spec<F: Copy + 'static> {
    /// The program's name.
    pub name: &'static str,
    /// Where it comes from, for `--version`.
    pub package: Package,
    /// Usage lines, without the name.
    pub synopsis: &'static [&'static str],
    /// What it does: the lines after the usage.
    pub about: &'static str,
    /// Its options, in the order of `--help`.
    pub options: &'static [Opt<F>],
    /// The long names in the order of the real program's table, in which an ambiguity is reported; those that are not here come after.
    pub long_order: &'static [&'static str],
    /// Lines after the options.
    pub notes: &'static str,
    /// All of `--help`, where the tool's own has no regular layout; `{name}` stands for the program's. Empty: it is rendered.
    pub own_help: &'static str,
    /// What happens at the first operand.
    pub order: Order,
    /// The exit status of a usage error.
    pub status: u8,
    /// What follows a complaint.
    pub complaint: Complaint,
    /// The letter of `--help`, where it has one.
    pub help_short: Option<char>,
    /// The letter of `--version`, where it has one.
    pub version_short: Option<char>,
}

impl<F: Copy> Spec<F> {
    /// A program that permutes its arguments and exits with 1 after a usage error.
    pub const fn new(
        name: &'static str,
        package: Package,
        synopsis: &'static [&'static str],
        about: &'static str,
        options: &'static [Opt<F>],
    ) -> Self {
        Spec {
            name,
            package,
            synopsis,
            about,
            options,
            long_order: &[],
            notes: "",
            own_help: "",
            order: Order::Permute,
            status: 1,
            complaint: Complaint::Try,
            help_short: None,
            version_short: None,
        }
    }

    /// Options end at the first operand.
    #[must_use]
    pub const fn posix(self) -> Self {
        Spec {
            order: Order::Posix,
            ..self
        }
    }

    /// The order in which ambiguous long names are reported, where it is not that of the help.
    #[must_use]
    pub const fn long_order(self, long_order: &'static [&'static str]) -> Self {
        Spec { long_order, ..self }
    }

    /// Usage errors exit with `status`.
    #[must_use]
    pub const fn fails_with(self, status: u8) -> Self {
        Spec { status, ..self }
    }

    /// What follows a complaint.
    #[must_use]
    pub const fn complains(self, complaint: Complaint) -> Self {
        Spec { complaint, ..self }
    }

    /// Lines after the options.
    #[must_use]
    pub const fn notes(self, notes: &'static str) -> Self {
        Spec { notes, ..self }
    }

    /// `--help` as it is.
    #[must_use]
    pub const fn own_help(self, text: &'static str) -> Self {
        Spec {
            own_help: text,
            ..self
        }
    }

    /// `--help` has a letter.
    #[must_use]
    pub const fn help_letter(self, letter: char) -> Self {
        Spec {
            help_short: Some(letter),
            ..self
        }
    }

    /// `--version` has a letter.
    #[must_use]
    pub const fn version_letter(self, letter: char) -> Self {
        Spec {
            version_short: Some(letter),
            ..self
        }
    }
}
