//! The answers to `--help` and `--version`.

/// `find --help`.
pub const HELP: &[u8] = include_bytes!("help.txt");
/// `find --version`.
pub const VERSION: &[u8] = b"find (GNU findutils) 4.9.0\n";
/// `find -D help`.
pub const DEBUG: &[u8] = b"Valid arguments for -D:
exec       Show diagnostic information relating to -exec, -execdir, -ok and -okdir
opt        Show diagnostic information relating to optimisation
rates      Indicate how often each predicate succeeded
search     Navigate the directory tree verbosely
stat       Trace calls to stat(2) and lstat(2)
time       Show diagnostic information relating to time-of-day and timestamp comparisons
tree       Display the expression tree
all        Set all of the debug flags (but help)
help       Explain the various -D options
";
