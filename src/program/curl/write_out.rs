//! `-w`: a line about the transfer.

/// What is known of a transfer, in the end.
#[derive(Debug, Clone, Default)]
pub(super) struct Report {
    pub(super) status: u16,
    pub(super) version: &'static str,
    pub(super) url: String,
    pub(super) given_url: String,
    pub(super) scheme: &'static str,
    pub(super) method: String,
    pub(super) content_type: String,
    pub(super) redirect_url: String,
    pub(super) redirects: u32,
    pub(super) connects: u32,
    pub(super) header_bytes: u64,
    pub(super) received: u64,
    pub(super) sent: u64,
    pub(super) remote: Option<core::net::SocketAddr>,
    pub(super) exit: i32,
    pub(super) message: String,
    pub(super) output: String,
}

/// Fills the format in; also the names in it that are unknown.
pub(super) fn render(format: &[u8], report: &Report) -> (Vec<u8>, Vec<String>) {
    let (mut text, mut unknown) = (Vec::new(), Vec::new());
    let mut rest = format;
    while let Some((&byte, after)) = rest.split_first() {
        rest = after;
        match byte {
            b'%' if after.starts_with(b"%") => {
                text.push(b'%');
                rest = after.get(1..).unwrap_or_default();
            }
            b'%' if after.starts_with(b"{") => {
                let Some(end) = memchr::memchr(b'}', after) else {
                    text.push(b'%');
                    continue;
                };
                let name = String::from_utf8_lossy(after.get(1..end).unwrap_or_default()).into_owned();
                rest = after.get(end + 1..).unwrap_or_default();
                match variable(&name, report) {
                    Some(value) => text.extend(value.into_bytes()),
                    None => unknown.push(name),
                }
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
    (text, unknown)
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
        "speed_download" | "speed_upload" | "ssl_verify_result" => "0".to_owned(),
        "time_appconnect" | "time_connect" | "time_namelookup" | "time_pretransfer" | "time_redirect"
        | "time_starttransfer" | "time_total" => "0.000000".to_owned(),
        "url" => report.given_url.clone(),
        "url_effective" => report.url.clone(),
        _ => return None,
    })
}
