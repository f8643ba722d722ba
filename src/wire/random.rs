//! Names that nobody can guess: keys, turns, events, artifacts.

use data_encoding::{Encoding, Specification};
use std::sync::LazyLock;

/// Crockford's base 32, in lower case.
static CROCKFORD: LazyLock<Encoding> = LazyLock::new(|| {
    let mut specification = Specification::new();
    specification.symbols.push_str("0123456789abcdefghjkmnpqrstvwxyz");
    specification
        .encoding()
        .unwrap_or_else(|_| data_encoding::BASE32_NOPAD.clone())
});

fn bytes<const N: usize>() -> [u8; N] {
    let mut bytes = [0; N];
    // Without randomness of the host nothing here is safe: the process ends rather than give out a known key.
    if getrandom::fill(&mut bytes).is_err() {
        std::process::abort();
    }
    bytes
}

/// A key: 64 lower case hexadecimal characters.
#[cfg(feature = "server")]
pub fn key() -> String {
    data_encoding::HEXLOWER.encode(&bytes::<32>())
}

/// A prefix and 26 characters.
pub fn name(prefix: &str) -> String {
    let mut text = String::with_capacity(prefix.len() + 26);
    text.push_str(prefix);
    text.push_str(&CROCKFORD.encode(&bytes::<16>()));
    text
}
