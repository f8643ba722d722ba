//! How bash writes a word so that it reads it back: each command has its own way.
//!
//! | where | empty | not printable | needs quotes | else |
//! | --- | --- | --- | --- | --- |
//! | `printf %q` | `''` | `$'…'` | backslashes | as it is |
//! | `${x@Q}`, `${x@A}` | `''` | `$'…'` | `'…'` | `'…'` |
//! | `declare -p`, `export -p` | `""` | `$'…'` | `"…"` | `"…"` |
//! | `set` | nothing | `$'…'` | `'…'` | as it is |
//! | `set -x` | `''` | `$'…'` unless `'…'` comes first | `'…'` | as it is |
//! | `alias`, `trap -p` | `''` | `'…'` | `'…'` | `'…'` |
//!
//! Each is compared with bash over all bytes in `tests/text_oracle.rs`.

use super::escape;
use super::utf8::{self, Unit};

/// `printf %q`: backslashes, or `$'…'`.
pub fn backslashed(word: &[u8]) -> Vec<u8> {
    if word.is_empty() {
        return b"''".to_vec();
    }
    if has_unprintable(word) {
        return dollar_quoted(word);
    }
    let mut out = Vec::with_capacity(word.len() + 2);
    for (index, &byte) in word.iter().enumerate() {
        let special = match byte {
            b'\t' | b'\n' | b' ' | b'!' | b'"' | b'$' | b'&' | b'\'' | b'(' | b')' | b'*' | b',' | b';'
            | b'<' | b'>' | b'?' | b'[' | b'\\' | b']' | b'^' | b'`' | b'{' | b'|' | b'}' => true,
            b'#' => index == 0,
            b'~' => starts_tilde(word, index),
            _ => false,
        };
        if special {
            out.push(b'\\');
        }
        out.push(byte);
    }
    out
}

/// `${x@Q}`: `'…'`, or `$'…'`.
pub fn reusable(word: &[u8]) -> Vec<u8> {
    if has_unprintable(word) {
        dollar_quoted(word)
    } else {
        single_quoted(word)
    }
}

/// A name in a message: `$'…'` when it cannot be shown as it is.
pub fn printable(word: &[u8]) -> Vec<u8> {
    if has_unprintable(word) {
        dollar_quoted(word)
    } else {
        word.to_vec()
    }
}

/// `declare -p`: `"…"`, or `$'…'`.
pub fn declared(word: &[u8]) -> Vec<u8> {
    if has_unprintable(word) {
        dollar_quoted(word)
    } else {
        double_quoted(word)
    }
}

/// A key of an associative array in `declare -p`: quoted only where it has to be.
pub fn declared_key(key: &[u8]) -> Vec<u8> {
    if has_unprintable(key) {
        dollar_quoted(key)
    } else if has_shell_metas(key) || key == b"@" {
        double_quoted(key)
    } else {
        key.to_vec()
    }
}

/// `set`: quoted only where it has to be.
pub fn listed(word: &[u8]) -> Vec<u8> {
    if has_unprintable(word) {
        dollar_quoted(word)
    } else if has_shell_metas(word) {
        single_quoted(word)
    } else {
        word.to_vec()
    }
}

/// `set -x`: quoted only where it has to be, and an empty word is seen.
pub fn traced(word: &[u8]) -> Vec<u8> {
    if word.is_empty() {
        b"''".to_vec()
    } else if has_shell_metas(word) {
        single_quoted(word)
    } else if has_unprintable(word) {
        dollar_quoted(word)
    } else {
        word.to_vec()
    }
}

/// `'…'`, where a quote inside is `'\''`; a lone quote is `\'`. `alias` and `trap -p` always write this.
pub fn single_quoted(word: &[u8]) -> Vec<u8> {
    if word == b"'" {
        return b"\\'".to_vec();
    }
    let mut out = Vec::with_capacity(word.len() + 2);
    out.push(b'\'');
    for &byte in word {
        match byte {
            b'\'' => out.extend_from_slice(b"'\\''"),
            _ => out.push(byte),
        }
    }
    out.push(b'\'');
    out
}

/// `"…"`.
pub fn double_quoted(word: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(word.len() + 2);
    out.push(b'"');
    for &byte in word {
        if matches!(byte, b'"' | b'$' | b'\\' | b'`') {
            out.push(b'\\');
        }
        out.push(byte);
    }
    out.push(b'"');
    out
}

/// `$'…'`: letters and octal numbers for what is not printable.
pub fn dollar_quoted(word: &[u8]) -> Vec<u8> {
    let mut out = b"$'".to_vec();
    for (_, unit) in utf8::units(word) {
        match unit {
            Unit::Char(character) => dollar_quoted_char(character, &mut out),
            Unit::Byte(byte) => escape::push_octal(&mut out, byte),
        }
    }
    out.push(b'\'');
    out
}

fn dollar_quoted_char(character: char, out: &mut Vec<u8>) {
    let letter = match character {
        '\u{1b}' => b'E',
        '\\' => b'\\',
        '\'' => b'\'',
        _ if let Some(letter) = u8::try_from(character).ok().and_then(escape::letter_of) => letter,
        _ if utf8::is_print(character) => return utf8::push_char(out, character),
        _ => {
            let mut buffer = [0; 4];
            character
                .encode_utf8(&mut buffer)
                .bytes()
                .for_each(|byte| escape::push_octal(out, byte));
            return;
        }
    };
    out.extend([b'\\', letter]);
}

/// Whether bash prefers `$'…'` (`ansic_shouldquote`).
pub fn has_unprintable(word: &[u8]) -> bool {
    utf8::units(word).any(|(_, unit)| match unit {
        Unit::Char(character) => !utf8::is_print(character),
        Unit::Byte(_) => true,
    })
}

/// Whether the shell would read the word as something else (`sh_contains_shell_metas`).
pub fn has_shell_metas(word: &[u8]) -> bool {
    word.iter().enumerate().any(|(index, byte)| match byte {
        b' ' | b'\t' | b'\n' | b'\'' | b'"' | b'\\' | b'|' | b'&' | b';' | b'(' | b')' | b'<' | b'>'
        | b'!' | b'{' | b'}' | b'*' | b'[' | b']' | b'?' | b'^' | b'$' | b'`' => true,
        b'#' => index == 0,
        b'~' => starts_tilde(word, index),
        _ => false,
    })
}

/// A tilde is special at the start and after `=` or `:`.
fn starts_tilde(word: &[u8], index: usize) -> bool {
    index
        .checked_sub(1)
        .is_none_or(|before| matches!(word.get(before), Some(b'=' | b':')))
}
