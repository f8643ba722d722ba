//! `-w`: a line about the transfer.

use std::time::Duration;

/// What is known of a transfer, in the end. Times count from its start.
#[derive(Debug, Clone, Default)]
pub(super) struct Report {
    pub(super) status: u16,
    pub(super) version: &'static str,
    pub(super) url: String,
    pub(super) given_url: String,
    /// Which URL of the command line it is, from 0.
    pub(super) number: usize,
    pub(super) scheme: &'static str,
    pub(super) method: String,
    pub(super) content_type: String,
    pub(super) headers: Vec<(String, Vec<u8>)>,
    pub(super) redirect_url: String,
    pub(super) redirects: u32,
    pub(super) connects: u32,
    pub(super) header_bytes: u64,
    pub(super) request_bytes: u64,
    pub(super) received: u64,
    pub(super) sent: u64,
    /// Bytes that were there before.
    pub(super) resumed: u64,
    pub(super) remote: Option<core::net::SocketAddr>,
    pub(super) resolved: Duration,
    pub(super) connected: Duration,
    pub(super) secured: Option<Duration>,
    pub(super) replied: Duration,
    pub(super) redirected: Duration,
    pub(super) total: Duration,
    pub(super) exit: i32,
    pub(super) message: String,
    pub(super) output: String,
}

impl Report {
    /// Another try begins.
    pub(super) fn begin(&mut self) {
        *self = Report {
            url: self.given_url.clone(),
            given_url: std::mem::take(&mut self.given_url),
            number: self.number,
            method: std::mem::take(&mut self.method),
            output: std::mem::take(&mut self.output),
            ..Report::default()
        };
    }
}

/// Where text goes from here on.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Stream {
    Out,
    Error,
}

/// What `-w` comes to.
#[derive(Debug, Default)]
pub(super) struct Rendered {
    /// Texts, each for one of the streams.
    pub(super) texts: Vec<(Stream, Vec<u8>)>,
    /// Names that are not known.
    pub(super) unknown: Vec<String>,
}

/// Fills the format in.
pub(super) fn render(format: &[u8], report: &Report) -> Rendered {
    let mut rendered = Rendered::default();
    let mut text = Vec::new();
    let mut stream = Stream::Out;
    let mut rest = format;
    while let Some((&byte, after)) = rest.split_first() {
        rest = after;
        match byte {
            b'%' if after.starts_with(b"%") => {
                text.push(b'%');
                rest = after.get(1..).unwrap_or_default();
            }
            b'%' if after.starts_with(b"{") => {
                let Some((name, behind)) = braced(after.get(1..).unwrap_or_default()) else {
                    text.push(b'%');
                    continue;
                };
                rest = behind;
                match name.as_str() {
                    // What follows is for failures alone.
                    "onerror" if report.exit == 0 => break,
                    "onerror" => {}
                    "stdout" | "stderr" => {
                        rendered.texts.push((stream, std::mem::take(&mut text)));
                        stream = if name == "stdout" {
                            Stream::Out
                        } else {
                            Stream::Error
                        };
                    }
                    _ => match variable(&name, report) {
                        Some(value) => text.extend(value.into_bytes()),
                        None => rendered.unknown.push(name),
                    },
                }
            }
            b'%' if after.starts_with(b"header{") => {
                let Some((name, behind)) = braced(after.get(b"header{".len()..).unwrap_or_default()) else {
                    text.push(b'%');
                    continue;
                };
                rest = behind;
                let header = report
                    .headers
                    .iter()
                    .find(|(other, _)| other.eq_ignore_ascii_case(&name));
                text.extend(header.map_or(&b""[..], |(_, value)| value));
            }
            b'\\' => {
                let (letter, behind) = after
                    .split_first()
                    .map_or((b'\\', after), |(letter, behind)| (*letter, behind));
                rest = behind;
                match letter {
                    b'n' => text.push(b'\n'),
                    b'r' => text.push(b'\r'),
                    b't' => text.push(b'\t'),
                    other => text.extend([b'\\', other]),
                }
            }
            byte => text.push(byte),
        }
    }
    rendered.texts.push((stream, text));
    rendered
}

/// What stands before a closing brace, and what follows it.
fn braced(text: &[u8]) -> Option<(String, &[u8])> {
    let end = memchr::memchr(b'}', text)?;
    let name = String::from_utf8_lossy(text.get(..end)?).into_owned();
    Some((name, text.get(end + 1..)?))
}

/// Seconds with six places.
fn seconds(time: Duration) -> String {
    format!("{}.{:06}", time.as_secs(), time.subsec_micros())
}

/// Bytes a second.
fn speed(bytes: u64, time: Duration) -> String {
    let rate = bytes as f64 / time.as_secs_f64();
    if rate.is_finite() {
        format!("{rate:.0}")
    } else {
        "0".to_owned()
    }
}

/// `%{header_json}`: names in lower case, each with all its values.
fn header_json(report: &Report) -> String {
    let mut lines: Vec<(String, Vec<String>)> = Vec::new();
    for (name, value) in &report.headers {
        let name = name.to_ascii_lowercase();
        let value = String::from_utf8_lossy(value).into_owned();
        match lines.iter_mut().find(|(other, _)| *other == name) {
            Some((_, values)) => values.push(value),
            None => lines.push((name, vec![value])),
        }
    }
    let line = |(name, values): &(String, Vec<String>)| {
        format!("{}:{}", serde_json::json!(name), serde_json::json!(values))
    };
    format!("{{{}\n}}", lines.iter().map(line).collect::<Vec<_>>().join(",\n"))
}

fn variable(name: &str, report: &Report) -> Option<String> {
    let remote = |part: fn(core::net::SocketAddr) -> String| report.remote.map(part).unwrap_or_default();
    Some(match name {
        "content_type" => report.content_type.clone(),
        "errormsg" => report.message.clone(),
        "exitcode" => report.exit.to_string(),
        "filename_effective" => report.output.clone(),
        "http_code" | "response_code" => format!("{:03}", report.status),
        "http_version" => report.version.to_owned(),
        "method" => report.method.clone(),
        "num_connects" => report.connects.to_string(),
        "num_redirects" => report.redirects.to_string(),
        "redirect_url" => report.redirect_url.clone(),
        "remote_ip" => remote(|address| address.ip().to_string()),
        "remote_port" => remote(|address| address.port().to_string()),
        "scheme" => report.scheme.to_ascii_uppercase(),
        "size_download" => report.received.to_string(),
        "size_header" => report.header_bytes.to_string(),
        "size_upload" => report.sent.to_string(),
        "certs" | "ftp_entry_path" | "referer" => String::new(),
        "header_json" => header_json(report),
        "http_connect" => "000".to_owned(),
        "num_certs" | "proxy_ssl_verify_result" | "ssl_verify_result" => "0".to_owned(),
        "num_headers" => report.headers.len().to_string(),
        "size_request" => report.request_bytes.to_string(),
        "speed_download" => speed(report.received, report.total),
        "speed_upload" => speed(report.sent, report.total),
        "time_appconnect" => seconds(report.secured.unwrap_or_default()),
        "time_connect" => seconds(report.connected),
        "time_namelookup" => seconds(report.resolved),
        "time_pretransfer" => seconds(report.secured.unwrap_or(report.connected)),
        "time_redirect" => seconds(report.redirected),
        "time_starttransfer" => seconds(report.replied),
        "time_total" => seconds(report.total),
        "urlnum" => report.number.to_string(),
        "url" => report.given_url.clone(),
        "url_effective" => report.url.clone(),
        _ => return None,
    })
}
