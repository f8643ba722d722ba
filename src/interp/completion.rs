//! Completion specifications: what `complete` keeps and `compgen` carries out.
//!
//! No line is edited here, so they only act through these builtins; but scripts that set completion up must be able to.

/// Kinds of names: bash's word for `-A`, and its own letter if it has one, in the order in which `complete -p` prints them.
pub const ACTIONS: [(&str, Option<u8>); 24] = [
    ("alias", Some(b'a')),
    ("builtin", Some(b'b')),
    ("command", Some(b'c')),
    ("directory", Some(b'd')),
    ("export", Some(b'e')),
    ("file", Some(b'f')),
    ("group", Some(b'g')),
    ("job", Some(b'j')),
    ("keyword", Some(b'k')),
    ("service", Some(b's')),
    ("user", Some(b'u')),
    ("variable", Some(b'v')),
    ("arrayvar", None),
    ("binding", None),
    ("disabled", None),
    ("enabled", None),
    ("function", None),
    ("helptopic", None),
    ("hostname", None),
    ("running", None),
    ("setopt", None),
    ("shopt", None),
    ("signal", None),
    ("stopped", None),
];

/// What `-o` may say, in the order in which it is printed.
pub const OPTIONS: [&str; 8] = [
    "bashdefault",
    "default",
    "dirnames",
    "filenames",
    "noquote",
    "nosort",
    "nospace",
    "plusdirs",
];

/// How words are completed.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Completion {
    /// Bits by place in [`ACTIONS`].
    pub actions: u32,
    /// Bits by place in [`OPTIONS`].
    pub options: u8,
    /// `-G`
    pub glob: Option<Vec<u8>>,
    /// `-W`
    pub words: Option<Vec<u8>>,
    /// `-F`
    pub function: Option<Vec<u8>>,
    /// `-C`
    pub command: Option<Vec<u8>>,
    /// `-X`
    pub filter: Option<Vec<u8>>,
    /// `-P`
    pub prefix: Option<Vec<u8>>,
    /// `-S`
    pub suffix: Option<Vec<u8>>,
}

impl Completion {
    /// The action of this name is asked for.
    pub fn has(&self, action: &str) -> bool {
        place(action).is_some_and(|place| self.actions & (1 << place) != 0)
    }

    /// The option of this name is set.
    pub fn has_option(&self, option: &str) -> bool {
        option_place(option.as_bytes()).is_some_and(|place| self.options & (1 << place) != 0)
    }
}

/// The place of an action in the table.
pub fn place(action: &str) -> Option<usize> {
    ACTIONS.iter().position(|(name, _)| *name == action)
}

/// The place of an option in the table.
pub fn option_place(option: &[u8]) -> Option<usize> {
    OPTIONS.iter().position(|name| name.as_bytes() == option)
}
