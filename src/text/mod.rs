//! Byte text: lines, UTF-8, escapes, numbers, formats, columns, quoting. Pure: no clock, no I/O.
