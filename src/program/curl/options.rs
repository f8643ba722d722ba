//! What a command line of `curl` asks for.
//!
//! curl does not use `getopt_long`: it has `--no-` forms, and what is not an option is a URL wherever it stands. So it has a parser of its own here,
//! over a table like those of other programs. An option of the real curl that is not in the table is refused.

use std::time::Duration;

use core::net::IpAddr;

/// How the words of an option are read.
#[derive(Debug, Clone, Copy)]
enum Kind {
    /// On, or off as `--no-NAME`.
    Flag(fn(&mut Options, bool)),
    /// With a word after it. `false` when the word will not do.
    Word(fn(&mut Options, &[u8]) -> bool),
}

/// An option: its letter, if it has one, and its name.
struct Row {
    letter: Option<u8>,
    name: &'static str,
    help: &'static str,
    kind: Kind,
}

const fn flag(
    letter: Option<u8>,
    name: &'static str,
    help: &'static str,
    set: fn(&mut Options, bool),
) -> Row {
    let kind = Kind::Flag(set);
    Row {
        letter,
        name,
        help,
        kind,
    }
}

const fn word(
    letter: Option<u8>,
    name: &'static str,
    help: &'static str,
    set: fn(&mut Options, &[u8]) -> bool,
) -> Row {
    let kind = Kind::Word(set);
    Row {
        letter,
        name,
        help,
        kind,
    }
}

/// A part of the body, as `-d` and its kin give it.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Data {
    pub(super) text: Vec<u8>,
    pub(super) form: DataForm,
}

/// How a part of the body is read.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum DataForm {
    /// `-d`: `@FILE` is a file, without its line ends.
    Text,
    /// `--data-binary`: `@FILE` is a file as it is.
    Binary,
    /// `--data-raw`: never a file.
    Raw,
    /// `--data-urlencode`
    Encoded,
    /// `--json`: as binary, one after the other.
    Json,
}

/// Where a reply goes.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Target {
    /// `-o FILE`
    File(Vec<u8>),
    /// `-O`
    RemoteName,
}

/// Addresses of one kind alone.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Family {
    V4,
    V6,
}

impl Family {
    /// Whether an address is of it.
    pub(super) fn test(self) -> fn(&IpAddr) -> bool {
        match self {
            Family::V4 => IpAddr::is_ipv4,
            Family::V6 => IpAddr::is_ipv6,
        }
    }
}

/// Where a transfer goes on.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Resume {
    At(u64),
    /// `-C -`: at the end of the file that is there.
    End,
}

/// The options.
#[derive(Debug, Clone, Default)]
pub(super) struct Options {
    pub(super) urls: Vec<Vec<u8>>,
    pub(super) targets: Vec<Target>,
    pub(super) address_family: Option<Family>,
    pub(super) agent: Option<Vec<u8>>,
    pub(super) bearer: Option<Vec<u8>>,
    pub(super) compressed: bool,
    pub(super) connect_timeout: Option<Duration>,
    pub(super) cookies: Vec<Vec<u8>>,
    pub(super) cookie_jar: Option<Vec<u8>>,
    pub(super) create_dirs: bool,
    pub(super) data: Vec<Data>,
    pub(super) dump_header: Option<Vec<u8>>,
    pub(super) fail: bool,
    pub(super) fail_early: bool,
    pub(super) fail_with_body: bool,
    pub(super) form: Vec<(Vec<u8>, bool)>,
    pub(super) get: bool,
    pub(super) head: bool,
    pub(super) headers: Vec<Vec<u8>>,
    pub(super) include: bool,
    pub(super) insecure: bool,
    pub(super) location: bool,
    pub(super) location_trusted: bool,
    pub(super) keep_post: Vec<u16>,
    pub(super) max_bytes: Option<u64>,
    pub(super) max_redirects: Option<i64>,
    pub(super) max_time: Option<Duration>,
    pub(super) method: Option<Vec<u8>>,
    pub(super) no_meter: bool,
    pub(super) literal_urls: bool,
    pub(super) only_https: bool,
    pub(super) only_others: bool,
    pub(super) output_directory: Option<Vec<u8>>,
    pub(super) range: Option<Vec<u8>>,
    pub(super) referer: Option<Vec<u8>>,
    pub(super) remote_header_name: bool,
    pub(super) remote_name_all: bool,
    pub(super) resume: Option<Resume>,
    pub(super) retry: u32,
    pub(super) retry_all_errors: bool,
    pub(super) retry_connection_refused: bool,
    pub(super) retry_delay: Option<Duration>,
    pub(super) retry_max_time: Option<Duration>,
    pub(super) show_error: bool,
    pub(super) silent: bool,
    pub(super) upload: Option<Vec<u8>>,
    pub(super) user: Option<Vec<u8>>,
    pub(super) verbose: bool,
    pub(super) write_out: Option<Vec<u8>>,
    pub(super) help: bool,
    pub(super) version: bool,
}

fn set(slot: &mut Option<Vec<u8>>, text: &[u8]) -> bool {
    *slot = Some(text.to_vec());
    true
}

fn data(options: &mut Options, text: &[u8], form: DataForm) -> bool {
    let text = text.to_vec();
    options.data.push(Data { text, form });
    true
}

fn number(text: &[u8]) -> Option<u32> {
    std::str::from_utf8(text).ok()?.parse().ok()
}

fn seconds(slot: &mut Option<Duration>, text: &[u8]) -> bool {
    let parsed = std::str::from_utf8(text)
        .ok()
        .and_then(|text| text.parse::<f64>().ok());
    let time = parsed.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
    *slot = time.filter(|time| !time.is_zero());
    time.is_some()
}

/// A number of bytes, with `k`, `M`, `G` …
fn size(text: &[u8]) -> Option<u64> {
    let text = std::str::from_utf8(text).ok()?;
    let digits = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let factor = match text.get(digits.len()..)?.to_ascii_lowercase().as_str() {
        "" | "b" => 1,
        "k" => 1 << 10,
        "m" => 1 << 20,
        "g" => 1 << 30,
        _ => return None,
    };
    digits.parse::<u64>().ok()?.checked_mul(factor)
}

fn keep_post(options: &mut Options, status: u16, on: bool) {
    options.keep_post.retain(|kept| *kept != status);
    if on {
        options.keep_post.push(status);
    }
}

/// `--proto`: which of `http` and `https` may be used. `=` starts anew, `-` takes away, `+` and nothing add.
fn protocols(options: &mut Options, text: &[u8]) -> bool {
    let (mut http, mut https) = (true, true);
    for word in text.split(|byte| *byte == b',') {
        let (name, on) = match word.split_first() {
            Some((b'=', rest)) => {
                (http, https) = (false, false);
                (rest, true)
            }
            Some((b'-', rest)) => (rest, false),
            Some((b'+', rest)) => (rest, true),
            _ => (word, true),
        };
        match name.to_ascii_lowercase().as_slice() {
            b"http" => http = on,
            b"https" => https = on,
            b"all" => (http, https) = (on, on),
            _ => {}
        }
    }
    options.only_https = !http;
    options.only_others = !https;
    true
}

/// By name.
static TABLE: &[Row] = &[
    word(
        Some(b'm'),
        "max-time",
        "Maximum time allowed for transfer",
        |o, text| seconds(&mut o.max_time, text),
    ),
    word(
        Some(b'A'),
        "user-agent",
        "Send User-Agent <name> to server",
        |o, text| set(&mut o.agent, text),
    ),
    flag(None, "basic", "Use HTTP Basic Authentication", |_, _| {}),
    flag(None, "compressed", "Request compressed response", |o, on| {
        o.compressed = on
    }),
    word(
        None,
        "connect-timeout",
        "Maximum time allowed for connection",
        |o, text| seconds(&mut o.connect_timeout, text),
    ),
    word(Some(b'C'), "continue-at", "Resumed transfer offset", |o, text| {
        o.resume = if text == b"-" {
            Some(Resume::End)
        } else {
            std::str::from_utf8(text)
                .ok()
                .and_then(|text| text.parse().ok())
                .map(Resume::At)
        };
        o.resume.is_some()
    }),
    word(
        Some(b'b'),
        "cookie",
        "Send cookies from string/file",
        |o, text| {
            o.cookies.push(text.to_vec());
            true
        },
    ),
    word(
        Some(b'c'),
        "cookie-jar",
        "Write cookies to <filename> after operation",
        |o, text| set(&mut o.cookie_jar, text),
    ),
    flag(
        None,
        "create-dirs",
        "Create necessary local directory hierarchy",
        |o, on| o.create_dirs = on,
    ),
    word(Some(b'd'), "data", "HTTP POST data", |o, text| {
        data(o, text, DataForm::Text)
    }),
    word(None, "data-ascii", "HTTP POST ASCII data", |o, text| {
        data(o, text, DataForm::Text)
    }),
    word(None, "data-binary", "HTTP POST binary data", |o, text| {
        data(o, text, DataForm::Binary)
    }),
    word(None, "data-raw", "HTTP POST data, '@' allowed", |o, text| {
        data(o, text, DataForm::Raw)
    }),
    word(None, "data-urlencode", "HTTP POST data URL encoded", |o, text| {
        data(o, text, DataForm::Encoded)
    }),
    word(
        Some(b'D'),
        "dump-header",
        "Write the received headers to <filename>",
        |o, text| set(&mut o.dump_header, text),
    ),
    flag(Some(b'q'), "disable", "Disable .curlrc", |_, _| {}),
    flag(
        None,
        "fail-early",
        "Fail on first transfer error, do not continue",
        |o, on| o.fail_early = on,
    ),
    flag(
        Some(b'f'),
        "fail",
        "Fail fast with no output on HTTP errors",
        |o, on| o.fail = on,
    ),
    flag(
        None,
        "fail-with-body",
        "Fail on HTTP errors but save the body",
        |o, on| o.fail_with_body = on,
    ),
    word(Some(b'F'), "form", "Specify multipart MIME data", |o, text| {
        o.form.push((text.to_vec(), false));
        true
    }),
    word(None, "form-string", "Specify multipart MIME data", |o, text| {
        o.form.push((text.to_vec(), true));
        true
    }),
    flag(
        Some(b'G'),
        "get",
        "Put the post data in the URL and use GET",
        |o, on| o.get = on,
    ),
    flag(
        Some(b'g'),
        "globoff",
        "Disable URL sequences and ranges using {} and []",
        |o, on| o.literal_urls = on,
    ),
    flag(Some(b'I'), "head", "Show document info only", |o, on| o.head = on),
    word(
        Some(b'H'),
        "header",
        "Pass custom header(s) to server",
        |o, text| {
            o.headers.push(text.to_vec());
            true
        },
    ),
    flag(Some(b'h'), "help", "Get help for commands", |o, on| o.help = on),
    flag(
        Some(b'i'),
        "include",
        "Include protocol response headers in the output",
        |o, on| o.include = on,
    ),
    flag(
        Some(b'k'),
        "insecure",
        "Allow insecure server connections",
        |o, on| o.insecure = on,
    ),
    flag(Some(b'4'), "ipv4", "Resolve names to IPv4 addresses", |o, on| {
        o.address_family = on.then_some(Family::V4);
    }),
    flag(Some(b'6'), "ipv6", "Resolve names to IPv6 addresses", |o, on| {
        o.address_family = on.then_some(Family::V6);
    }),
    flag(None, "http1.1", "Use HTTP 1.1", |_, _| {}),
    word(None, "json", "HTTP POST JSON", |o, text| {
        data(o, text, DataForm::Json)
    }),
    flag(Some(b'L'), "location", "Follow redirects", |o, on| {
        o.location = on
    }),
    flag(
        None,
        "location-trusted",
        "Like --location, and send auth to other hosts",
        |o, on| {
            o.location = on;
            o.location_trusted = on;
        },
    ),
    flag(
        None,
        "keepalive",
        "Enable TCP keepalive on the connection",
        |_, _| {},
    ),
    word(
        None,
        "max-filesize",
        "Maximum file size to download",
        |o, text| {
            o.max_bytes = size(text);
            o.max_bytes.is_some()
        },
    ),
    word(
        None,
        "max-redirs",
        "Maximum number of redirects allowed",
        |o, text| {
            o.max_redirects = std::str::from_utf8(text).ok().and_then(|text| text.parse().ok());
            o.max_redirects.is_some()
        },
    ),
    flag(
        Some(b'N'),
        "no-buffer",
        "Disable buffering of the output stream",
        |_, _| {},
    ),
    flag(
        None,
        "no-progress-meter",
        "Do not show the progress meter",
        |o, on| o.no_meter = on,
    ),
    word(None, "noproxy", "List of hosts which do not use proxy", |_, _| {
        true
    }),
    word(None, "oauth2-bearer", "OAuth 2 Bearer Token", |o, text| {
        set(&mut o.bearer, text)
    }),
    word(None, "output-dir", "Directory to save files in", |o, text| {
        set(&mut o.output_directory, text)
    }),
    word(
        Some(b'o'),
        "output",
        "Write to file instead of stdout",
        |o, text| {
            o.targets.push(Target::File(text.to_vec()));
            true
        },
    ),
    flag(
        None,
        "post301",
        "Do not switch to GET after following a 301",
        |o, on| {
            keep_post(o, 301, on);
        },
    ),
    flag(
        None,
        "post302",
        "Do not switch to GET after following a 302",
        |o, on| {
            keep_post(o, 302, on);
        },
    ),
    flag(
        None,
        "post303",
        "Do not switch to GET after following a 303",
        |o, on| {
            keep_post(o, 303, on);
        },
    ),
    word(None, "proto", "Enable/disable PROTOCOLS", protocols),
    word(
        Some(b'r'),
        "range",
        "Retrieve only the bytes within RANGE",
        |o, text| set(&mut o.range, text),
    ),
    word(Some(b'e'), "referer", "Referrer URL", |o, text| {
        set(&mut o.referer, text)
    }),
    flag(
        Some(b'J'),
        "remote-header-name",
        "Use the header-provided filename",
        |o, on| o.remote_header_name = on,
    ),
    flag(
        None,
        "remote-name-all",
        "Use the remote file name for all URLs",
        |o, on| o.remote_name_all = on,
    ),
    flag(
        Some(b'O'),
        "remote-name",
        "Write output to a file named as the remote file",
        |o, on| {
            if on {
                o.targets.push(Target::RemoteName);
            }
        },
    ),
    word(
        Some(b'X'),
        "request",
        "Specify request method to use",
        |o, text| set(&mut o.method, text),
    ),
    word(
        None,
        "retry",
        "Retry request if transient problems occur",
        |o, text| {
            o.retry = number(text).unwrap_or_default();
            number(text).is_some()
        },
    ),
    flag(
        None,
        "retry-all-errors",
        "Retry all errors (use with --retry)",
        |o, on| o.retry_all_errors = on,
    ),
    flag(
        None,
        "retry-connrefused",
        "Retry on connection refused (use with --retry)",
        |o, on| {
            o.retry_connection_refused = on;
        },
    ),
    word(None, "retry-delay", "Wait time between retries", |o, text| {
        seconds(&mut o.retry_delay, text)
    }),
    word(
        None,
        "retry-max-time",
        "Retry only within this period",
        |o, text| seconds(&mut o.retry_max_time, text),
    ),
    flag(
        Some(b'S'),
        "show-error",
        "Show error even when -s is used",
        |o, on| o.show_error = on,
    ),
    flag(Some(b's'), "silent", "Silent mode", |o, on| o.silent = on),
    flag(None, "tlsv1.2", "Use TLSv1.2 or greater", |_, _| {}),
    word(
        Some(b'T'),
        "upload-file",
        "Transfer local FILE to destination",
        |o, text| set(&mut o.upload, text),
    ),
    word(None, "url", "URL to work with", |o, text| {
        o.urls.push(text.to_vec());
        true
    }),
    word(Some(b'u'), "user", "Server user and password", |o, text| {
        set(&mut o.user, text)
    }),
    flag(
        Some(b'v'),
        "verbose",
        "Make the operation more talkative",
        |o, on| o.verbose = on,
    ),
    flag(Some(b'V'), "version", "Show version number and quit", |o, on| {
        o.version = on
    }),
    word(
        Some(b'w'),
        "write-out",
        "Use output FORMAT after completion",
        |o, text| set(&mut o.write_out, text),
    ),
];

/// Letters of real options that are not supported here.
const UNSUPPORTED_LETTERS: &[u8] = b"0123:BEKMPQRUYZanptxyz#";

/// Why a command line will not do; `curl: option OPTION: SENTENCE`.
#[derive(Debug, PartialEq)]
pub(super) struct UsageError {
    pub(super) option: String,
    pub(super) sentence: &'static str,
}

fn error(option: String, sentence: &'static str) -> UsageError {
    UsageError { option, sentence }
}

/// What a build of curl says that lacks a part.
const UNSUPPORTED: &str = "the installed libcurl version doesn't support this";

/// Reads the words after the program's name.
pub(super) fn parse(words: &[Vec<u8>]) -> Result<Options, UsageError> {
    let mut options = Options::default();
    let mut words = words.iter();
    let mut only_urls = false;
    while let Some(text) = words.next() {
        let is_option = !only_urls && text.len() > 1 && text.starts_with(b"-");
        if !is_option {
            options.urls.push(text.clone());
        } else if text == b"--" {
            only_urls = true;
        } else if let Some(name) = text.strip_prefix(b"--") {
            long(&mut options, &String::from_utf8_lossy(name), &mut words)?;
        } else {
            letters(&mut options, text.get(1..).unwrap_or_default(), &mut words)?;
        }
    }
    if options.remote_name_all {
        while options.targets.len() < options.urls.len() {
            options.targets.push(Target::RemoteName);
        }
    }
    Ok(options)
}

fn long<'w>(
    options: &mut Options,
    name: &str,
    words: &mut impl Iterator<Item = &'w Vec<u8>>,
) -> Result<(), UsageError> {
    let shown = || format!("--{name}");
    let exact = |name: &str| TABLE.iter().find(|row| row.name == name);
    let (row, on) = match exact(name) {
        Some(row) => (Some(row), true),
        None => match name.strip_prefix("no-") {
            Some(rest) => (exact(rest), false),
            None => (
                abbreviated(name).ok_or_else(|| error(shown(), "is ambiguous"))?,
                true,
            ),
        },
    };
    match row.map(|row| row.kind) {
        None => Err(error(shown(), "is unknown")),
        Some(Kind::Flag(set)) => {
            set(options, on);
            Ok(())
        }
        Some(Kind::Word(_)) if !on => Err(error(shown(), "used '--no-' for option that isn't a boolean")),
        Some(Kind::Word(set)) => take(options, set, words.next(), shown()),
    }
}

/// The row that a beginning of a name stands for; the outer `None` when there are several.
#[allow(clippy::option_option)]
fn abbreviated(name: &str) -> Option<Option<&'static Row>> {
    let mut rows = TABLE.iter().filter(|row| row.name.starts_with(name));
    match (rows.next(), rows.next()) {
        (Some(_), Some(_)) => None,
        (row, _) => Some(row),
    }
}

fn letters<'w>(
    options: &mut Options,
    text: &[u8],
    words: &mut impl Iterator<Item = &'w Vec<u8>>,
) -> Result<(), UsageError> {
    for (at, letter) in text.iter().enumerate() {
        let shown = format!("-{}", char::from(*letter));
        let Some(row) = TABLE.iter().find(|row| row.letter == Some(*letter)) else {
            let known = UNSUPPORTED_LETTERS.contains(letter);
            return Err(error(shown, if known { UNSUPPORTED } else { "is unknown" }));
        };
        match row.kind {
            Kind::Flag(set) => set(options, true),
            Kind::Word(set) => {
                let rest = text.get(at + 1..).unwrap_or_default();
                let attached = (!rest.is_empty()).then(|| rest.to_vec());
                return match &attached {
                    Some(rest) => take(options, set, Some(rest), shown),
                    None => take(options, set, words.next(), shown),
                };
            }
        }
    }
    Ok(())
}

fn take(
    options: &mut Options,
    set: fn(&mut Options, &[u8]) -> bool,
    word: Option<&Vec<u8>>,
    shown: String,
) -> Result<(), UsageError> {
    match word {
        None => Err(error(shown, "requires parameter")),
        Some(word) if set(options, word) => Ok(()),
        Some(_) if shown.ends_with("max-filesize") => Err(error(shown, "is badly used here")),
        Some(_) => Err(error(shown, "expected a proper numerical parameter")),
    }
}

/// What `--help` prints.
pub(super) fn help() -> String {
    let mut text = String::from("Usage: curl [options...] <url>\n");
    for row in TABLE {
        let letter = row
            .letter
            .map_or("    ".to_owned(), |letter| format!("-{}, ", char::from(letter)));
        let value = if matches!(row.kind, Kind::Word(_)) {
            " <value>"
        } else {
            ""
        };
        text.push_str(&format!(
            " {letter}{:<28}{}\n",
            format!("--{}{value}", row.name),
            row.help
        ));
    }
    text
}
