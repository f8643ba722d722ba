//! Cookies of `curl` and `wget`: those in a file of Netscape's format, and what servers set.

use crate::net::{Host, Reply, Url};

/// Cookies that are kept.
const MOST: usize = 3000;

#[derive(Debug, Clone, PartialEq)]
struct Cookie {
    domain: String,
    /// Subdomains get it, too.
    tail: bool,
    path: String,
    secure: bool,
    http_only: bool,
    /// Seconds since the epoch; 0: until the end.
    expires: i64,
    name: Vec<u8>,
    value: Vec<u8>,
}

/// The cookies at hand, the oldest first.
#[derive(Debug, Clone, Default)]
pub struct Jar {
    cookies: Vec<Cookie>,
    /// Servers may set some.
    pub active: bool,
}

impl Jar {
    /// No cookies yet; says whether servers may set some.
    pub fn started(active: bool) -> Jar {
        Jar {
            cookies: Vec::new(),
            active,
        }
    }

    /// Adds what a file holds.
    pub fn load(&mut self, text: &[u8]) {
        self.active = true;
        for line in text.split(|byte| *byte == b'\n') {
            let line = line.strip_suffix(b"\r").unwrap_or(line);
            let (line, http_only) = match line.strip_prefix(b"#HttpOnly_") {
                Some(rest) => (rest, true),
                None => (line, false),
            };
            if line.starts_with(b"#") {
                continue;
            }
            let fields: Vec<&[u8]> = line.split(|byte| *byte == b'\t').collect();
            if let [domain, tail, path, secure, expires, name, value] = fields.as_slice() {
                let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
                let domain = text(domain);
                self.put(Cookie {
                    domain: domain.trim_start_matches('.').to_owned(),
                    tail: *tail == b"TRUE",
                    path: text(path),
                    secure: *secure == b"TRUE",
                    http_only,
                    expires: text(expires).parse().unwrap_or(0),
                    name: name.to_vec(),
                    value: value.to_vec(),
                });
            }
        }
    }

    /// Takes what a server sets.
    pub fn take(&mut self, url: &Url, reply: &Reply, now: i64) {
        let set = reply
            .headers
            .iter()
            .filter(|(name, _)| name.eq_ignore_ascii_case("set-cookie"));
        for (_, value) in set {
            if let Some(cookie) = parse(url, value, now) {
                self.put(cookie);
            }
        }
    }

    fn put(&mut self, cookie: Cookie) {
        self.cookies.retain(|other| {
            (&other.domain, &other.path, &other.name) != (&cookie.domain, &cookie.path, &cookie.name)
        });
        if self.cookies.len() < MOST && cookie.expires >= 0 {
            self.cookies.push(cookie);
        }
    }

    /// `name=value` of each that goes to a URL, those of the longest path first.
    pub fn header(&self, url: &Url, now: i64) -> Vec<Vec<u8>> {
        let mut fitting: Vec<&Cookie> = self
            .cookies
            .iter()
            .filter(|cookie| cookie.fits(url, now))
            .collect();
        fitting.sort_by_key(|cookie| {
            std::cmp::Reverse((cookie.path.len(), cookie.domain.len(), cookie.name.len()))
        });
        fitting
            .into_iter()
            .map(|cookie| [cookie.name.as_slice(), b"=", &cookie.value].concat())
            .collect()
    }

    /// The lines of a file, the last cookie first; without `session`, only those that outlive a session.
    pub fn lines(&self, now: i64, session: bool) -> Vec<u8> {
        let mut text = Vec::new();
        let kept = self.cookies.iter().rev();
        for cookie in kept.filter(|cookie| !cookie.is_over(now) && (session || cookie.expires != 0)) {
            let truth = |on: bool| if on { "TRUE" } else { "FALSE" };
            let mark = if cookie.http_only { "#HttpOnly_" } else { "" };
            let dot = if cookie.tail { "." } else { "" };
            let line = format!(
                "{mark}{dot}{}\t{}\t{}\t{}\t{}\t",
                cookie.domain,
                truth(cookie.tail),
                cookie.path,
                truth(cookie.secure),
                cookie.expires
            );
            text.extend(line.into_bytes());
            text.extend([cookie.name.as_slice(), b"\t", &cookie.value, b"\n"].concat());
        }
        text
    }
}

impl Cookie {
    fn is_over(&self, now: i64) -> bool {
        self.expires != 0 && self.expires <= now
    }

    fn fits(&self, url: &Url, now: i64) -> bool {
        let host = url.host.to_string();
        let by_host = host == self.domain || (self.tail && is_below(url, &self.domain));
        let path = url.target.split('?').next().unwrap_or_default();
        let rest = path.strip_prefix(self.path.as_str());
        let by_path =
            rest.is_some_and(|rest| rest.is_empty() || self.path.ends_with('/') || rest.starts_with('/'));
        let by_scheme = !self.secure || url.scheme == crate::net::Scheme::Https;
        by_host && by_path && by_scheme && !self.is_over(now)
    }
}

/// Whether the URL's host is a name below a domain. Addresses have no names below them, and a single label is no domain.
fn is_below(url: &Url, domain: &str) -> bool {
    match &url.host {
        Host::Name(name) => {
            domain.contains('.') && name.strip_suffix(domain).is_some_and(|rest| rest.ends_with('.'))
        }
        Host::Address(_) => false,
    }
}

/// A `Set-Cookie`; `None` when it is for a domain that its server has no say in.
fn parse(url: &Url, header: &[u8], now: i64) -> Option<Cookie> {
    let mut parts = header.split(|byte| *byte == b';');
    let pair = parts.next()?;
    let at = pair.iter().position(|byte| *byte == b'=')?;
    let host = url.host.to_string();
    let path = url.target.split('?').next().unwrap_or("/");
    let directory = path.rsplit_once('/').map_or("/", |(directory, _)| directory);
    let mut cookie = Cookie {
        domain: host.clone(),
        tail: false,
        path: if directory.is_empty() {
            "/".to_owned()
        } else {
            directory.to_owned()
        },
        secure: false,
        http_only: false,
        expires: 0,
        name: pair.get(..at)?.trim_ascii().to_vec(),
        value: pair.get(at + 1..)?.trim_ascii().to_vec(),
    };
    for part in parts {
        let part = String::from_utf8_lossy(part);
        let (name, value) = part.trim().split_once('=').unwrap_or((part.trim(), ""));
        match name.to_ascii_lowercase().as_str() {
            "path" if value.starts_with('/') => value.clone_into(&mut cookie.path),
            "domain" if !value.is_empty() => {
                cookie.domain = value.trim_start_matches('.').to_ascii_lowercase();
                cookie.tail = !matches!(url.host, Host::Address(_));
            }
            "secure" => cookie.secure = true,
            "httponly" => cookie.http_only = true,
            "max-age" => {
                let age: i64 = value.trim_matches('"').parse().ok()?;
                cookie.expires = if age > 0 { now.saturating_add(age) } else { -1 };
            }
            "expires" if cookie.expires == 0 => cookie.expires = date(value).unwrap_or(0),
            _ => {}
        }
    }
    let own = cookie.domain == host || (cookie.tail && is_below(url, &cookie.domain));
    (own && !cookie.name.is_empty()).then_some(cookie)
}

/// `Wed, 21 Oct 2026 07:28:00 GMT`, also with dashes; -1 for the epoch itself, which means that it is over.
pub fn date(text: &str) -> Option<i64> {
    let text = text.replace('-', " ");
    let seconds = jiff::fmt::rfc2822::parse(&text).ok()?.timestamp().as_second();
    Some(if seconds <= 0 { -1 } else { seconds })
}
