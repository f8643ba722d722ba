//! Texts in JSON, as `column` and `tree` print them: bytes that are not UTF-8 pass through.

use super::escape;

/// Appends a text in quotes.
pub fn push_quoted(out: &mut Vec<u8>, text: &[u8]) {
    out.push(b'"');
    for &byte in text {
        match byte {
            b'"' | b'\\' => out.extend([b'\\', byte]),
            8 | 12 | b'\n' | b'\r' | b'\t' => escape::push_visible(out, byte),
            0..32 => out.extend_from_slice(format!("\\u{byte:04x}").as_bytes()),
            _ => out.push(byte),
        }
    }
    out.push(b'"');
}
