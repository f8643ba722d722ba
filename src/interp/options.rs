//! Options of `set -o` and `shopt`: tables and state.

use crate::expand::ExpandFlags;

/// An option of `set -o`: name, letter, default.
pub struct SetOption {
    /// The long name.
    pub name: &'static str,
    /// The letter of `set -x`, or 0.
    pub letter: u8,
}

macro_rules! bits {
    ($(#[$doc:meta])* $type:ident { $($name:ident = $index:literal,)* }) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub enum $type { $(#[allow(missing_docs)] $name = $index,)* }
    };
}

bits! {
    /// Options of `set`, by their place in [`SET_OPTIONS`].
    Set {
        Allexport = 0, Braceexpand = 1, Emacs = 2, Errexit = 3, Errtrace = 4, Functrace = 5, Hashall = 6, Histexpand = 7,
        History = 8, Ignoreeof = 9, InteractiveComments = 10, Keyword = 11, Monitor = 12, Noclobber = 13, Noexec = 14,
        Noglob = 15, Nolog = 16, Notify = 17, Nounset = 18, Onecmd = 19, Physical = 20, Pipefail = 21, Posix = 22,
        Privileged = 23, Verbose = 24, Vi = 25, Xtrace = 26,
    }
}

const fn option(name: &'static str, letter: u8) -> SetOption {
    SetOption { name, letter }
}

/// In the order of `set -o`.
pub static SET_OPTIONS: [SetOption; 27] = [
    option("allexport", b'a'),
    option("braceexpand", b'B'),
    option("emacs", 0),
    option("errexit", b'e'),
    option("errtrace", b'E'),
    option("functrace", b'T'),
    option("hashall", b'h'),
    option("histexpand", b'H'),
    option("history", 0),
    option("ignoreeof", 0),
    option("interactive-comments", 0),
    option("keyword", b'k'),
    option("monitor", b'm'),
    option("noclobber", b'C'),
    option("noexec", b'n'),
    option("noglob", b'f'),
    option("nolog", 0),
    option("notify", b'b'),
    option("nounset", b'u'),
    option("onecmd", b't'),
    option("physical", b'P'),
    option("pipefail", 0),
    option("posix", 0),
    option("privileged", b'p'),
    option("verbose", b'v'),
    option("vi", 0),
    option("xtrace", b'x'),
];

bits! {
    /// Options of `shopt`, by their place in [`SHOPT_OPTIONS`].
    Shopt {
        Autocd = 0, AssocExpandOnce = 1, CdableVars = 2, Cdspell = 3, Checkhash = 4, Checkjobs = 5, Checkwinsize = 6,
        Cmdhist = 7, Compat31 = 8, Compat32 = 9, Compat40 = 10, Compat41 = 11, Compat42 = 12, Compat43 = 13, Compat44 = 14,
        CompleteFullquote = 15, Direxpand = 16, Dirspell = 17, Dotglob = 18, Execfail = 19, ExpandAliases = 20,
        Extdebug = 21, Extglob = 22, Extquote = 23, Failglob = 24, ForceFignore = 25, Globasciiranges = 26,
        Globskipdots = 27, Globstar = 28, GnuErrfmt = 29, Histappend = 30, Histreedit = 31, Histverify = 32,
        Hostcomplete = 33, Huponexit = 34, InheritErrexit = 35, InteractiveComments = 36, Lastpipe = 37, Lithist = 38,
        LocalvarInherit = 39, LocalvarUnset = 40, LoginShell = 41, Mailwarn = 42, NoEmptyCmdCompletion = 43,
        Nocaseglob = 44, Nocasematch = 45, NoexpandTranslation = 46, Nullglob = 47, PatsubReplacement = 48, Progcomp = 49,
        ProgcompAlias = 50, Promptvars = 51, RestrictedShell = 52, ShiftVerbose = 53, Sourcepath = 54,
        VarredirClose = 55, XpgEcho = 56,
    }
}

/// In the order of `shopt`, with the defaults of a non-interactive shell.
pub static SHOPT_OPTIONS: [(&str, bool); 57] = [
    ("autocd", false),
    ("assoc_expand_once", false),
    ("cdable_vars", false),
    ("cdspell", false),
    ("checkhash", false),
    ("checkjobs", false),
    ("checkwinsize", true),
    ("cmdhist", true),
    ("compat31", false),
    ("compat32", false),
    ("compat40", false),
    ("compat41", false),
    ("compat42", false),
    ("compat43", false),
    ("compat44", false),
    ("complete_fullquote", true),
    ("direxpand", false),
    ("dirspell", false),
    ("dotglob", false),
    ("execfail", false),
    ("expand_aliases", false),
    ("extdebug", false),
    ("extglob", false),
    ("extquote", true),
    ("failglob", false),
    ("force_fignore", true),
    ("globasciiranges", true),
    ("globskipdots", true),
    ("globstar", false),
    ("gnu_errfmt", false),
    ("histappend", false),
    ("histreedit", false),
    ("histverify", false),
    ("hostcomplete", true),
    ("huponexit", false),
    ("inherit_errexit", false),
    ("interactive_comments", true),
    ("lastpipe", false),
    ("lithist", false),
    ("localvar_inherit", false),
    ("localvar_unset", false),
    ("login_shell", false),
    ("mailwarn", false),
    ("no_empty_cmd_completion", false),
    ("nocaseglob", false),
    ("nocasematch", false),
    ("noexpand_translation", false),
    ("nullglob", false),
    ("patsub_replacement", true),
    ("progcomp", true),
    ("progcomp_alias", false),
    ("promptvars", true),
    ("restricted_shell", false),
    ("shift_verbose", false),
    ("sourcepath", true),
    ("varredir_close", false),
    ("xpg_echo", false),
];

/// The state of all options.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Options {
    set: u32,
    shopt: u64,
}

impl Default for Options {
    fn default() -> Self {
        let shopt = SHOPT_OPTIONS
            .iter()
            .enumerate()
            .fold(0, |bits, (i, (_, on))| if *on { bits | 1 << i } else { bits });
        let mut options = Options { set: 0, shopt };
        for option in [Set::Braceexpand, Set::Hashall, Set::InteractiveComments] {
            options.set(option, true);
        }
        options
    }
}

impl Options {
    /// Is the option on?
    #[inline]
    pub const fn is(&self, option: Set) -> bool {
        self.set & 1 << option as u32 != 0
    }

    /// Is the option on?
    #[inline]
    pub const fn shopt(&self, option: Shopt) -> bool {
        self.shopt & 1 << option as u64 != 0
    }

    /// Switches an option.
    pub fn set(&mut self, option: Set, on: bool) {
        self.set_index(option as usize, on);
    }

    /// Switches an option.
    pub fn set_shopt(&mut self, option: Shopt, on: bool) {
        self.shopt_index(option as usize, on);
    }

    /// By place in [`SET_OPTIONS`].
    pub const fn is_index(&self, index: usize) -> bool {
        self.set & 1 << index != 0
    }

    /// By place in [`SHOPT_OPTIONS`].
    pub const fn is_shopt_index(&self, index: usize) -> bool {
        self.shopt & 1 << index != 0
    }

    /// By place in [`SET_OPTIONS`].
    pub fn set_index(&mut self, index: usize, on: bool) {
        self.set = if on {
            self.set | 1 << index
        } else {
            self.set & !(1 << index)
        };
    }

    /// By place in [`SHOPT_OPTIONS`].
    pub fn shopt_index(&mut self, index: usize, on: bool) {
        self.shopt = if on {
            self.shopt | 1 << index
        } else {
            self.shopt & !(1 << index)
        };
    }

    /// What expansion needs to know.
    pub const fn expand_flags(&self) -> ExpandFlags {
        ExpandFlags {
            nounset: self.is(Set::Nounset),
            noglob: self.is(Set::Noglob),
            braceexpand: self.is(Set::Braceexpand),
            extglob: self.shopt(Shopt::Extglob),
            nullglob: self.shopt(Shopt::Nullglob),
            failglob: self.shopt(Shopt::Failglob),
            dotglob: self.shopt(Shopt::Dotglob),
            globstar: self.shopt(Shopt::Globstar),
            nocaseglob: self.shopt(Shopt::Nocaseglob),
            nocasematch: self.shopt(Shopt::Nocasematch),
            globskipdots: self.shopt(Shopt::Globskipdots),
            patsub_replacement: self.shopt(Shopt::PatsubReplacement),
            bytes: false,
            posix: self.is(Set::Posix),
        }
    }

    /// `$-` of a shell started with this letter (`c` or `s`), or without.
    pub fn letters(&self, interactive: bool, started: Option<u8>) -> Vec<u8> {
        let mut letters: Vec<u8> = SET_OPTIONS
            .iter()
            .enumerate()
            .filter(|(i, option)| option.letter != 0 && self.is_index(*i))
            .map(|(_, option)| option.letter)
            .collect();
        letters.extend(interactive.then_some(b'i'));
        // bash prints them in the order of its flag table.
        let order = b"abefhikmnptuvxBCEHPT";
        letters.sort_by_key(|letter| order.iter().position(|o| o == letter));
        letters.extend(started);
        letters
    }

    /// The value of `SHELLOPTS`.
    pub fn shellopts(&self) -> String {
        let on = SET_OPTIONS.iter().enumerate().filter(|(i, _)| self.is_index(*i));
        on.map(|(_, option)| option.name).collect::<Vec<_>>().join(":")
    }

    /// The value of `BASHOPTS`.
    pub fn bashopts(&self) -> String {
        let on = SHOPT_OPTIONS
            .iter()
            .enumerate()
            .filter(|(i, _)| self.is_shopt_index(*i));
        on.map(|(_, (name, _))| *name).collect::<Vec<_>>().join(":")
    }
}

/// The place of a `set -o` name.
pub fn set_index(name: &[u8]) -> Option<usize> {
    SET_OPTIONS
        .iter()
        .position(|option| option.name.as_bytes() == name)
}

/// The place of a `set` letter.
pub fn letter_index(letter: u8) -> Option<usize> {
    SET_OPTIONS
        .iter()
        .position(|option| option.letter == letter && letter != 0)
}

/// The place of a `shopt` name.
pub fn shopt_index(name: &[u8]) -> Option<usize> {
    SHOPT_OPTIONS
        .iter()
        .position(|(option, _)| option.as_bytes() == name)
}
