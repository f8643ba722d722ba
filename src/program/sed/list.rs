//! `l`: the pattern space without a doubt.

/// Every byte that is not plain becomes an escape; lines are broken before `length` columns (0: never), by a backslash and the
/// delimiter. Ends with `$`.
pub fn listed(text: &[u8], length: usize, delimiter: u8) -> Vec<u8> {
    let mut out = Vec::with_capacity(text.len() + text.len() / 32 + 2);
    let mut column = 0;
    for &byte in text {
        let (symbol, size) = symbol(byte);
        if length > 0 && column + size > length - 1 {
            out.extend_from_slice(&[b'\\', delimiter]);
            column = 0;
        }
        out.extend(symbol.iter().take(size));
        column += size;
    }
    out.push(b'$');
    out
}

fn symbol(byte: u8) -> ([u8; 4], usize) {
    let letter = match byte {
        b'\\' => b'\\',
        7 => b'a',
        8 => b'b',
        12 => b'f',
        b'\n' => b'n',
        b'\r' => b'r',
        b'\t' => b't',
        11 => b'v',
        32..127 => return ([byte, 0, 0, 0], 1),
        _ => {
            return (
                [
                    b'\\',
                    b'0' + (byte >> 6),
                    b'0' + (byte >> 3 & 7),
                    b'0' + (byte & 7),
                ],
                4,
            );
        }
    };
    ([b'\\', letter, 0, 0], 2)
}
