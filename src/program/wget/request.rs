//! The request that is sent.

use super::options::Options;
use crate::fs::Timestamp;
use crate::net::{Body, Exchange, Url};
use crate::program::cookies::Jar;
use crate::program::dates;

/// One request, as far as it differs from others.
#[derive(Debug, Clone)]
pub(super) struct Request {
    pub(super) url: Url,
    pub(super) method: String,
    pub(super) body: Option<Vec<u8>>,
    /// The host is one that secrets are for.
    pub(super) trusted: bool,
    /// The server has asked for a name, or need not ask.
    pub(super) authorized: bool,
    /// Where to go on.
    pub(super) from: u64,
    pub(super) since: Option<Timestamp>,
}

/// The name and password for a host: those of the URL, else those of the options.
pub(super) fn credentials(request: &Request, options: &Options) -> Option<Vec<u8>> {
    if let Some((user, password)) = &request.url.credentials {
        return Some(format!("{user}:{password}").into_bytes());
    }
    let (user, password) = (options.user.as_ref()?, options.password.as_ref()?);
    request
        .trusted
        .then(|| [user.as_slice(), b":", password].concat())
}

/// Puts the exchange together, with the headers in the order of wget.
pub(super) fn exchange(request: &Request, options: &Options, jar: &Jar, now: i64) -> Exchange {
    let mut headers = Headers(Vec::new());
    headers.add("Host", request.url.host_header());
    if let Some(referer) = &options.referer {
        headers.add("Referer", referer.clone());
    }
    if !options.cache {
        headers.add("Cache-Control", "no-cache");
        headers.add("Pragma", "no-cache");
    }
    if let Some(since) = request.since {
        headers.add("If-Modified-Since", http_date(since));
    }
    if request.from > 0 {
        headers.add("Range", format!("bytes={}-", request.from));
    }
    if !options.agent.is_empty() {
        headers.add("User-Agent", options.agent.clone());
    }
    headers.add("Accept", "*/*");
    let coding = if options.compression { "gzip" } else { "identity" };
    headers.add("Accept-Encoding", coding);
    if let Some(pair) = credentials(request, options).filter(|_| request.authorized) {
        let text = data_encoding::BASE64.encode(&pair);
        headers.add("Authorization", format!("Basic {text}"));
    }
    headers.add(
        "Connection",
        if options.keep_alive { "Keep-Alive" } else { "Close" },
    );
    if let Some(body) = &request.body {
        headers.add("Content-Type", "application/x-www-form-urlencoded");
        headers.add("Content-Length", body.len().to_string());
    }
    let cookies = jar.header(&request.url, now);
    if !cookies.is_empty() {
        headers.add("Cookie", cookies.join(&b"; "[..]));
    }
    for (name, value) in &options.headers {
        let secret = ["authorization", "cookie"].contains(&name.to_ascii_lowercase().as_str());
        if request.trusted || !secret {
            headers.replace(name, value);
        }
    }
    Exchange {
        url: request.url.clone(),
        method: request.method.clone(),
        headers: headers.0,
        body: request.body.clone().map_or(Body::None, Body::Bytes),
        connect_timeout: options.connect_timeout,
        timeout: None,
        idle_timeout: options.read_timeout,
        insecure: options.insecure,
    }
}

struct Headers(Vec<(String, Vec<u8>)>);

impl Headers {
    fn add(&mut self, name: &str, value: impl Into<Vec<u8>>) {
        self.0.push((name.to_owned(), value.into()));
    }

    /// In the place of the one with this name, else at the end.
    fn replace(&mut self, name: &str, value: &[u8]) {
        let place = self
            .0
            .iter_mut()
            .find(|(other, _)| other.eq_ignore_ascii_case(name));
        match place {
            Some(place) => *place = (name.to_owned(), value.to_vec()),
            None => self.add(name, value),
        }
    }
}

fn http_date(time: Timestamp) -> String {
    let time = dates::to_jiff(time).to_zoned_datetime(jiff::tz::TimeZone::UTC);
    time.strftime("%a, %d %b %Y %H:%M:%S GMT").to_string()
}
