//! Paths as texts: a database holds texts, a file name is bytes. What is not UTF-8 becomes `\xNN`, and a backslash is doubled.

/// Writes bytes as a text.
pub fn escape(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len());
    for chunk in bytes.utf8_chunks() {
        for character in chunk.valid().chars() {
            match character {
                '\\' => text.push_str("\\\\"),
                other => text.push(other),
            }
        }
        for byte in chunk.invalid() {
            text.push_str(&format!("\\x{byte:02x}"));
        }
    }
    text
}

/// Reads them back.
pub fn unescape(text: &str) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('\\') {
        bytes.extend_from_slice(before.as_bytes());
        let hex = after.strip_prefix('x').and_then(|hex| hex.get(..2));
        match hex.and_then(|hex| u8::from_str_radix(hex, 16).ok()) {
            Some(byte) => {
                bytes.push(byte);
                rest = after.get(3..).unwrap_or_default();
            }
            None => {
                bytes.push(b'\\');
                rest = after.strip_prefix('\\').unwrap_or(after);
            }
        }
    }
    bytes.extend_from_slice(rest.as_bytes());
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn what_is_written_is_read(bytes: Vec<u8>) {
            prop_assert_eq!(unescape(&escape(&bytes)), bytes);
        }
    }

    #[test]
    fn ordinary_names_stay() {
        assert_eq!(escape("dir/grün.txt".as_bytes()), "dir/grün.txt");
        assert_eq!(escape(b"a\\b\xff"), "a\\\\b\\xff");
    }
}
