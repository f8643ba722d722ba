//! The only option parser and `--help` renderer, for builtins and programs.
