//! `$'…'`: what stands between the quotes, decoded and encoded.

use crate::text::escape::{Reader, unescape};

/// The text that `raw`, what stood between the quotes, means. `\0` (in any spelling) ends the text, as in bash.
pub(super) fn decode(raw: &[u8]) -> Vec<u8> {
    unescape(raw, Reader::DollarQuote).bytes
}

/// `$'…'` around a text that is not printable, as bash shows it.
pub(super) fn quote(text: &[u8]) -> Vec<u8> {
    let mut out = b"$'".to_vec();
    for byte in text {
        match byte {
            27 => out.extend_from_slice(b"\\E"),
            7 => out.extend_from_slice(b"\\a"),
            8 => out.extend_from_slice(b"\\b"),
            9 => out.extend_from_slice(b"\\t"),
            10 => out.extend_from_slice(b"\\n"),
            11 => out.extend_from_slice(b"\\v"),
            12 => out.extend_from_slice(b"\\f"),
            13 => out.extend_from_slice(b"\\r"),
            b'\\' | b'\'' => out.extend_from_slice(&[b'\\', *byte]),
            0..=31 | 127 => out.extend_from_slice(format!("\\{byte:03o}").as_bytes()),
            byte => out.push(*byte),
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
