//! URLs as wget reads and shows them.

use crate::net::{Host, Url, UrlError};

/// Reads a URL of the command line; or why it is none.
pub(super) fn parse(text: &[u8]) -> Result<Url, String> {
    let text = encoded(text);
    if let Some((_, rest)) = text.split_once("://") {
        let end = rest.find(['/', '?', '#']).unwrap_or(rest.len());
        let authority = rest.get(..end).unwrap_or_default();
        let host = authority.rsplit('@').next().unwrap_or_default();
        if host.starts_with('[') && !host.contains(']') {
            return Err("Unterminated IPv6 numeric address".to_owned());
        }
    }
    Url::parse(&text).map_err(sentence)
}

/// Why a redirection leads nowhere.
pub(super) fn sentence(error: UrlError) -> String {
    match error {
        UrlError::Scheme(name) => format!("Unsupported scheme ‘{name}’"),
        UrlError::Port => "Bad port number".to_owned(),
        UrlError::Host | UrlError::Malformed => "Invalid host name".to_owned(),
    }
}

/// With `%XX` for what may not be in a URL.
pub(super) fn encoded(text: &[u8]) -> String {
    let mut url = String::with_capacity(text.len());
    for byte in text {
        match byte {
            b'"' | b'<' | b'>' | b'\\' | b'^' | b'`' | b'{' | b'|' | b'}' => {
                url.push_str(&format!("%{byte:02X}"))
            }
            b'!'..=b'~' => url.push(char::from(*byte)),
            byte => url.push_str(&format!("%{byte:02X}")),
        }
    }
    url
}

/// A URL as the log shows it: without a password.
pub(super) fn shown(url: &Url) -> String {
    let text = url.to_string();
    let Some((user, password)) = &url.credentials else {
        return text;
    };
    let password = if password.is_empty() { "" } else { ":*password*" };
    text.replacen("://", &format!("://{user}{password}@"), 1)
}

/// `host:80` or, for a name, `host (host)|address|:80`.
pub(super) fn peer(url: &Url, address: Option<core::net::IpAddr>) -> String {
    match (&url.host, address) {
        (Host::Name(name), Some(address)) => format!("{name} ({name})|{address}|:{}", url.port),
        (host, _) => format!("{host}:{}", url.port),
    }
}
