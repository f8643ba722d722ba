//! [`Url`]: the addresses of the web, as `curl` reads them.

use std::fmt;

use core::net::IpAddr;

use super::address::parse_address;

/// How it is carried.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scheme {
    /// In the clear, port 80.
    Http,
    /// Encrypted, port 443.
    Https,
}

impl Scheme {
    /// The port when none is given.
    pub const fn port(self) -> u16 {
        match self {
            Scheme::Http => 80,
            Scheme::Https => 443,
        }
    }

    /// Its name.
    pub const fn name(self) -> &'static str {
        match self {
            Scheme::Http => "http",
            Scheme::Https => "https",
        }
    }
}

/// Who is asked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Host {
    /// A name.
    Name(String),
    /// An address, in whatever spelling.
    Address(IpAddr),
}

impl fmt::Display for Host {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Host::Name(name) => f.write_str(name),
            Host::Address(IpAddr::V6(address)) => write!(f, "[{address}]"),
            Host::Address(address) => write!(f, "{address}"),
        }
    }
}

/// A parsed URL, without its fragment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Url {
    /// How.
    pub scheme: Scheme,
    /// `user:password`, decoded.
    pub credentials: Option<(String, String)>,
    /// Who.
    pub host: Host,
    /// Where.
    pub port: u16,
    /// Path and query, starting with a slash.
    pub target: String,
}

/// Why a text is no URL that can be fetched.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum UrlError {
    /// It names another protocol than HTTP.
    Scheme(String),
    /// It has no host, or not a valid one.
    Host,
    /// The port is no number up to 65535.
    Port,
    /// There are blanks or control characters in it.
    Malformed,
}

impl Url {
    /// Reads a URL; without a scheme it is `http`.
    pub fn parse(text: &str) -> Result<Url, UrlError> {
        if text.bytes().any(|byte| byte <= b' ' || byte == 0x7f) {
            return Err(UrlError::Malformed);
        }
        let (scheme, rest) = match text.split_once("://") {
            Some((name, rest))
                if name
                    .bytes()
                    .all(|byte| byte.is_ascii_alphanumeric() || b"+-.".contains(&byte)) =>
            {
                (scheme(name)?, rest)
            }
            _ => (Scheme::Http, text),
        };
        let end = rest.find(['/', '?', '#']).unwrap_or(rest.len());
        let (authority, target) = rest.split_at(end);
        let (credentials, host_and_port) = match authority.rsplit_once('@') {
            Some((user, host)) => (Some(credentials(user)), host),
            None => (None, authority),
        };
        let (host, port) = split_port(host_and_port)?;
        let target = target.split('#').next().unwrap_or_default();
        Ok(Url {
            scheme,
            credentials,
            host: parse_host(host)?,
            port: port.unwrap_or(scheme.port()),
            target: rooted(target),
        })
    }

    /// Where a `Location` leads from here.
    pub fn join(&self, location: &str) -> Result<Url, UrlError> {
        let location = location.trim().replace(' ', "%20");
        if location.contains("://") {
            return Url::parse(&location);
        }
        if let Some(rest) = location.strip_prefix("//") {
            return Url::parse(&format!("{}://{rest}", self.scheme.name()));
        }
        let location = location.split('#').next().unwrap_or_default();
        let path = self.target.split('?').next().unwrap_or_default();
        let target = if location.is_empty() {
            self.target.clone()
        } else if location.starts_with('/') {
            without_dots(location)
        } else if location.starts_with('?') {
            format!("{path}{location}")
        } else {
            let directory = path.rsplit_once('/').map_or("", |(directory, _)| directory);
            without_dots(&format!("{directory}/{location}"))
        };
        Ok(Url {
            credentials: None,
            target,
            ..self.clone()
        })
    }

    /// Whether both have scheme, host and port in common: then credentials may go along.
    pub fn same_origin(&self, other: &Url) -> bool {
        self.scheme == other.scheme && self.host == other.host && self.port == other.port
    }

    /// The value of the header `Host`.
    pub fn host_header(&self) -> String {
        if self.port == self.scheme.port() {
            self.host.to_string()
        } else {
            format!("{}:{}", self.host, self.port)
        }
    }
}

impl fmt::Display for Url {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{}://{}{}",
            self.scheme.name(),
            self.host_header(),
            self.target
        )
    }
}

fn scheme(name: &str) -> Result<Scheme, UrlError> {
    match name.to_ascii_lowercase().as_str() {
        "http" => Ok(Scheme::Http),
        "https" => Ok(Scheme::Https),
        other => Err(UrlError::Scheme(other.to_owned())),
    }
}

fn credentials(text: &str) -> (String, String) {
    let (user, password) = text.split_once(':').unwrap_or((text, ""));
    let decoded = |text: &str| String::from_utf8_lossy(&percent_decoded(text)).into_owned();
    (decoded(user), decoded(password))
}

/// Without its `%XX`.
pub fn percent_decoded(text: &str) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((&byte, after)) = rest.split_first() {
        let code = after
            .get(..2)
            .filter(|code| byte == b'%' && code.iter().all(u8::is_ascii_hexdigit));
        let code = code.and_then(|code| u8::from_str_radix(std::str::from_utf8(code).ok()?, 16).ok());
        bytes.push(code.unwrap_or(byte));
        rest = if code.is_some() {
            after.get(2..).unwrap_or_default()
        } else {
            after
        };
    }
    bytes
}

fn split_port(text: &str) -> Result<(&str, Option<u16>), UrlError> {
    let bracket = text.rfind(']').map_or(0, |at| at + 1);
    let Some(colon) = text.get(bracket..).and_then(|rest| rest.find(':')) else {
        return Ok((text, None));
    };
    let (host, port) = text.split_at(bracket + colon);
    match port.get(1..).unwrap_or_default() {
        "" => Ok((host, None)),
        digits if digits.bytes().all(|byte| byte.is_ascii_digit()) => {
            Ok((host, Some(digits.parse().map_err(|_| UrlError::Port)?)))
        }
        _ => Err(UrlError::Port),
    }
}

fn parse_host(text: &str) -> Result<Host, UrlError> {
    if let Some(inside) = text.strip_prefix('[') {
        let inside = inside.strip_suffix(']').ok_or(UrlError::Host)?;
        return parse_address(inside)
            .filter(IpAddr::is_ipv6)
            .map(Host::Address)
            .ok_or(UrlError::Host);
    }
    let name = text.to_ascii_lowercase();
    let bare = name.strip_suffix('.').unwrap_or(&name);
    if let Some(address) = parse_address(bare) {
        return Ok(Host::Address(address));
    }
    let valid = !bare.is_empty()
        && bare.len() <= 253
        && !bare
            .bytes()
            .any(|byte| byte.is_ascii_control() || b" \"#%/:;<=>?@[\\]^`{|}".contains(&byte));
    valid.then_some(Host::Name(name)).ok_or(UrlError::Host)
}

/// With the slash that starts it, and `.` and `..` gone.
fn rooted(target: &str) -> String {
    if target.starts_with('/') {
        without_dots(target)
    } else {
        format!("/{target}")
    }
}

/// The path without `.` and `..`, as RFC 3986 removes them; the query stays.
fn without_dots(target: &str) -> String {
    let (path, query) = match target.split_once('?') {
        Some((path, query)) => (path, Some(query)),
        None => (target, None),
    };
    let mut parts: Vec<&str> = Vec::new();
    let segments: Vec<&str> = path.split('/').skip(1).collect();
    for (index, segment) in segments.iter().enumerate() {
        let last = index + 1 == segments.len();
        match *segment {
            "." if last => parts.push(""),
            "." => {}
            ".." => {
                parts.pop();
                if last {
                    parts.push("");
                }
            }
            other => parts.push(other),
        }
    }
    let path = format!("/{}", parts.join("/"));
    match query {
        Some(query) => format!("{path}?{query}"),
        None => path,
    }
}
