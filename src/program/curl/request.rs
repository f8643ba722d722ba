//! The request that a command line describes.

use super::options::{Data, DataForm, Options};
use super::{Refusal, form, warn};
use crate::fs::OpenFlags;
use crate::kernel::{Input, Proc, Stop};
use crate::net::{Body, Exchange, Url};
use crate::program::cookies::Jar;

/// What is sent, whatever the URL: it is read once, before the first request.
#[derive(Debug, Clone, Default)]
pub(super) struct Content {
    pub(super) body: Option<Vec<u8>>,
    /// The header for it, unless the user has one.
    pub(super) media_type: Option<String>,
    /// What `-G` adds to the URL.
    pub(super) query: Vec<u8>,
    /// `-T`
    pub(super) upload: bool,
    /// The name that a URL of a folder gets for it.
    pub(super) file_name: Option<String>,
}

/// Reads the body from options and files.
pub(super) async fn content(proc: &mut Proc, options: &Options) -> Result<Result<Content, Refusal>, Stop> {
    let mut content = Content::default();
    if let Some(path) = &options.upload {
        content.upload = true;
        if path != b"-" {
            let name = path.rsplit(|byte| *byte == b'/').next().unwrap_or(path);
            content.file_name = Some(super::encoded(name));
        }
        content.body = match read(proc, path).await? {
            Ok(bytes) => Some(bytes),
            Err(()) => {
                let path = String::from_utf8_lossy(path).into_owned();
                return Ok(Err(Refusal::Usage(26, format!("Can't open '{path}'!"))));
            }
        };
        return Ok(Ok(content));
    }
    if !options.form.is_empty() {
        return form::content(proc, options).await;
    }
    if options.data.is_empty() {
        return Ok(Ok(content));
    }
    let mut body = Vec::new();
    for data in &options.data {
        if !body.is_empty() && data.form != DataForm::Json {
            body.push(b'&');
        }
        body.extend(part(proc, options, data).await?);
    }
    if options.get {
        content.query = body;
    } else {
        content.body = Some(body);
        content.media_type = Some("application/x-www-form-urlencoded".to_owned());
    }
    Ok(Ok(content))
}

async fn part(proc: &mut Proc, options: &Options, data: &Data) -> Result<Vec<u8>, Stop> {
    if data.form == DataForm::Encoded {
        return encoded(proc, options, &data.text).await;
    }
    let path = data
        .text
        .strip_prefix(b"@")
        .filter(|_| data.form != DataForm::Raw);
    let Some(path) = path else {
        return Ok(data.text.clone());
    };
    let mut bytes = posted(proc, options, path).await?;
    if data.form == DataForm::Text {
        bytes.retain(|byte| !matches!(byte, b'\r' | b'\n' | 0));
    }
    Ok(bytes)
}

/// A file to post; what cannot be read is empty.
async fn posted(proc: &mut Proc, options: &Options, path: &[u8]) -> Result<Vec<u8>, Stop> {
    if let Ok(bytes) = read(proc, path).await? {
        return Ok(bytes);
    }
    let path = String::from_utf8_lossy(path);
    let warning = format!("Couldn't read data from file \"{path}\", this makes an empty POST.");
    warn(proc, options, &warning).await?;
    Ok(Vec::new())
}

/// `content`, `=content`, `name=content`, `@file`, `name@file`
async fn encoded(proc: &mut Proc, options: &Options, text: &[u8]) -> Result<Vec<u8>, Stop> {
    let mark = text.iter().position(|byte| matches!(byte, b'=' | b'@'));
    let (name, mark, rest) = match mark {
        Some(at) => (text.get(..at), text.get(at), text.get(at + 1..)),
        None => (None, None, Some(text)),
    };
    let rest = rest.unwrap_or_default();
    let value = match mark {
        Some(b'@') => posted(proc, options, rest).await?,
        _ => rest.to_vec(),
    };
    let name = name.filter(|name| !name.is_empty());
    let mut part = name.map_or(Vec::new(), |name| [name, b"="].concat());
    for byte in value {
        match byte {
            b' ' => part.push(b'+'),
            b'-' | b'.' | b'_' | b'~' => part.push(byte),
            _ if byte.is_ascii_alphanumeric() => part.push(byte),
            _ => part.extend(format!("%{byte:02X}").into_bytes()),
        }
    }
    Ok(part)
}

/// A whole file; `-` is standard input.
pub(super) async fn read(proc: &mut Proc, path: &[u8]) -> Result<Result<Vec<u8>, ()>, Stop> {
    let opened = if path == b"-" {
        proc.stdin()
    } else {
        proc.open(path, OpenFlags::READ).await
    };
    let Ok(file) = opened else {
        return Ok(Err(()));
    };
    let mut lease = proc.kernel.lease();
    let bytes = Input::new(file).rest(&mut lease).await;
    if let Some(halt) = proc.kernel.meter().halted() {
        return Err(Stop::Halt(halt));
    }
    Ok(bytes.map_err(|_| ()))
}

/// Whether secrets may go along.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Trust {
    /// The host that the user named, or one the user trusts as well.
    Same,
    /// Another one, by redirection.
    Other,
}

/// What one exchange differs in from those before it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Asked {
    pub(super) trust: Trust,
    /// Seconds since the epoch.
    pub(super) now: i64,
    /// Where to go on.
    pub(super) from: u64,
}

/// Puts the exchange together, with its headers in the order of curl.
pub(super) fn exchange(
    options: &Options,
    content: &Content,
    method: &str,
    url: &Url,
    jar: &Jar,
    asked: Asked,
) -> Exchange {
    let Asked { trust, now, from } = asked;
    let mut headers = Headers::new(options, trust);
    headers.standard("Host", Some(url.host_header().into_bytes()));
    headers.standard("Authorization", authorization(options, url, trust));
    headers.standard("Range", range(options, from));
    let agent = options.agent.as_deref().unwrap_or(b"curl/7.88.1");
    headers.standard(
        "User-Agent",
        Some(agent.to_vec()).filter(|agent| !agent.is_empty()),
    );
    let coding = options.compressed.then(|| b"deflate, gzip".to_vec());
    let json = options.data.iter().any(|data| data.form == DataForm::Json);
    if !json {
        headers.standard("Accept", Some(b"*/*".to_vec()));
    }
    headers.standard("Accept-Encoding", coding);
    headers.standard("Referer", options.referer.clone());
    let literal = options
        .cookies
        .iter()
        .filter(|text| text.contains(&b'=') && trust == Trust::Same);
    let cookies: Vec<Vec<u8>> = jar.header(url, now).into_iter().chain(literal.cloned()).collect();
    headers.standard(
        "Cookie",
        Some(cookies.join(&b"; "[..])).filter(|text| !text.is_empty()),
    );
    if json {
        headers.standard("Content-Type", Some(b"application/json".to_vec()));
        headers.standard("Accept", Some(b"application/json".to_vec()));
    }
    headers.custom();
    let body = content
        .body
        .as_ref()
        .filter(|_| !matches!(method, "GET" | "HEAD") || options.method.is_some());
    if let Some(body) = body {
        headers.standard("Content-Length", Some(body.len().to_string().into_bytes()));
        if content.upload && !body.is_empty() {
            headers.standard("Expect", Some(b"100-continue".to_vec()));
        }
        if !json {
            headers.standard("Content-Type", content.media_type.clone().map(String::into_bytes));
        }
    }
    Exchange {
        url: url.clone(),
        method: method.to_owned(),
        headers: headers.list,
        body: body.map_or(Body::None, |body| Body::Bytes(body.clone())),
        connect_timeout: options.connect_timeout,
        timeout: options.max_time,
        idle_timeout: None,
        insecure: options.insecure,
    }
}

/// `-u`, else what the URL says.
fn authorization(options: &Options, url: &Url, trust: Trust) -> Option<Vec<u8>> {
    if let Some(token) = options.bearer.as_ref().filter(|_| trust == Trust::Same) {
        return Some([b"Bearer ", token.as_slice()].concat());
    }
    let given = options.user.clone().filter(|_| trust == Trust::Same);
    let pair = given.or_else(|| {
        let (user, password) = url.credentials.as_ref()?;
        Some(format!("{user}:{password}").into_bytes())
    })?;
    let pair = if pair.contains(&b':') {
        pair
    } else {
        [pair.as_slice(), b":"].concat()
    };
    let text = data_encoding::BASE64.encode(&pair);
    Some(format!("Basic {text}").into_bytes())
}

/// `-r`, else where `-C` goes on.
fn range(options: &Options, from: u64) -> Option<Vec<u8>> {
    if from > 0 {
        return Some(format!("bytes={from}-").into_bytes());
    }
    let range = options.range.as_ref()?;
    let dash = if range.contains(&b'-') { &b""[..] } else { b"-" };
    Some([b"bytes=", range.as_slice(), dash].concat())
}

/// Headers, with what `-H` says of them: `Name: value` in place of the standard one, `Name:` takes it away, `Name;` is sent without a value.
struct Headers<'o> {
    list: Vec<(String, Vec<u8>)>,
    given: Vec<(String, Option<&'o [u8]>)>,
}

impl<'o> Headers<'o> {
    fn new(options: &'o Options, trust: Trust) -> Headers<'o> {
        let secret = |name: &str| ["authorization", "cookie"].contains(&name.to_ascii_lowercase().as_str());
        let given = options
            .headers
            .iter()
            .filter_map(|line| split(line))
            .filter(|(name, _)| trust == Trust::Same || !secret(name))
            .collect();
        Headers {
            list: Vec::new(),
            given,
        }
    }

    fn standard(&mut self, name: &str, value: Option<Vec<u8>>) {
        let replaced = self
            .given
            .iter()
            .any(|(other, _)| other.eq_ignore_ascii_case(name));
        // `Host` keeps its place.
        if name == "Host"
            && let Some((_, Some(value))) = self
                .given
                .iter()
                .find(|(other, _)| other.eq_ignore_ascii_case(name))
        {
            self.list.push((name.to_owned(), value.to_vec()));
        }
        if let (false, Some(value)) = (replaced, value) {
            self.list.push((name.to_owned(), value));
        }
    }

    fn custom(&mut self) {
        for (name, value) in &self.given {
            if let (Some(value), false) = (value, name.eq_ignore_ascii_case("host")) {
                self.list.push((name.clone(), value.to_vec()));
            }
        }
    }
}

/// A line of `-H`. What could smuggle another line in is cut.
fn split(line: &[u8]) -> Option<(String, Option<&[u8]>)> {
    let end = line
        .iter()
        .position(|byte| matches!(byte, b'\r' | b'\n'))
        .unwrap_or(line.len());
    let line = line.get(..end)?;
    let at = line.iter().position(|byte| matches!(byte, b':' | b';'))?;
    let name = std::str::from_utf8(line.get(..at)?).ok()?.trim().to_owned();
    let valid = !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_graphic());
    let value = line.get(at + 1..)?.trim_ascii();
    let semicolon = line.get(at) == Some(&b';');
    let value = if semicolon && value.is_empty() {
        Some(b"".as_slice())
    } else {
        Some(value).filter(|value| !value.is_empty())
    };
    valid.then_some((name, value))
}
