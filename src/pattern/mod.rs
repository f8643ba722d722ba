//! Shell patterns and POSIX regular expressions, compiled once, with bounded matching. Pure.
