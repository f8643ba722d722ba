//! `l`: the pattern space without a doubt.

use crate::text::escape;

/// Every byte that is not plain becomes an escape; lines are broken before `length` columns (0: never), by a backslash and the
/// delimiter. Ends with `$`.
pub fn listed(text: &[u8], length: usize, delimiter: u8) -> Vec<u8> {
    let mut out = Vec::with_capacity(text.len() + text.len() / 32 + 2);
    let mut symbol = Vec::with_capacity(4);
    let mut column = 0;
    for &byte in text {
        symbol.clear();
        match byte {
            b'\\' => symbol.extend_from_slice(b"\\\\"),
            _ => escape::push_visible(&mut symbol, byte),
        }
        if length > 0 && column + symbol.len() > length - 1 {
            out.extend_from_slice(&[b'\\', delimiter]);
            column = 0;
        }
        out.extend_from_slice(&symbol);
        column += symbol.len();
    }
    out.push(b'$');
    out
}
