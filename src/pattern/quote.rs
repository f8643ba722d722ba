//! The escaped form of patterns: `\c` is the character `c`, everything else is active.

/// Whether a backslash must stand before this byte for it to be literal in every position.
fn is_active(byte: u8) -> bool {
    matches!(
        byte,
        b'\\' | b'*' | b'?' | b'[' | b']' | b'(' | b')' | b'|' | b'!' | b'+' | b'@' | b'^' | b'-'
    )
}

/// `text` with a backslash before every character that could be active.
pub fn escape(text: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(text.len() + 8);
    for &byte in text {
        if is_active(byte) {
            out.push(b'\\');
        }
        out.push(byte);
    }
    out
}

/// `text` without its escapes. A backslash at the end stands for itself.
pub fn unescape(text: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(text.len());
    let mut bytes = text.iter();
    while let Some(&byte) = bytes.next() {
        out.push(if byte == b'\\' {
            bytes.next().copied().unwrap_or(byte)
        } else {
            byte
        });
    }
    out
}

/// Whether `text`, in escaped form, has an active pattern character, so that file name generation is tried: `*`,
/// `?`, a `[` with a `]` after it in the same component, and with `extglob` one of `+@!` before `(`.
pub fn has_glob(text: &[u8], extglob: bool) -> bool {
    let mut bracket = false;
    let mut at = 0;
    while let Some(&byte) = text.get(at) {
        match byte {
            b'*' | b'?' => return true,
            b'[' => bracket = true,
            b']' if bracket => return true,
            b'/' => bracket = false,
            b'+' | b'@' | b'!' if extglob && text.get(at + 1) == Some(&b'(') => return true,
            b'\\' => at += 1,
            _ => {}
        }
        at += 1;
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn round_trip() {
        let text = b"a*b?[x]\\ @(y|z)!";
        assert_eq!(unescape(&escape(text)), text);
        assert!(!has_glob(&escape(text), true));
    }

    #[test]
    fn active_characters() {
        assert!(has_glob(b"a*", false) && has_glob(b"\\**", false) && has_glob(b"[a]", false));
        assert!(!has_glob(b"a\\*", false) && !has_glob(b"[a", false) && !has_glob(b"[a/]", false));
        assert!(has_glob(b"@(a)", true) && !has_glob(b"@(a)", false));
    }
}
