//! `$'…'`: what stands between the quotes, decoded and encoded.

use crate::text::escape::{self, Reader, unescape};

/// The text that `raw`, what stood between the quotes, means. `\0` (in any spelling) ends the text, as in bash.
pub(super) fn decode(raw: &[u8]) -> Vec<u8> {
    unescape(raw, Reader::DollarQuote).bytes
}

/// `$'…'` around a text that is not printable, as bash shows it.
pub(super) fn quote(text: &[u8]) -> Vec<u8> {
    let mut out = b"$'".to_vec();
    for &byte in text {
        match byte {
            27 => out.extend_from_slice(b"\\E"),
            b'\\' | b'\'' => out.extend([b'\\', byte]),
            byte if let Some(letter) = escape::letter_of(byte) => out.extend([b'\\', letter]),
            0..=31 | 127 => escape::push_octal(&mut out, byte),
            byte => out.push(byte),
        }
    }
    out.push(b'\'');
    out
}

#[cfg(test)]
mod tests {
    use super::decode;

    #[test]
    fn escapes_mean_what_bash_says() {
        assert_eq!(
            decode(br"a\tb\n\x41\101\u00e9\'\q\e\cA\c\\"),
            "a\tb\nAA\u{e9}'\\q\x1b\x01\x1c".as_bytes()
        );
        assert_eq!(decode(br"a\0b"), b"a");
        assert_eq!(decode(br"\xzz\u\"), br"\xzz\u\");
    }
}
