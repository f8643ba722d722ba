//! What a command line of `wget` asks for.

use std::time::Duration;

use super::progress::Style;
use crate::args::{Complaint, Opt, Package, Parsed, Spec, quote};
use crate::program::message::message;

#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Flag {
    Agent,
    AppendOutput,
    BodyData,
    BodyFile,
    Compression,
    ConnectTimeout,
    ContentDisposition,
    ContentOnError,
    Continue,
    CutDirectories,
    DefaultPage,
    DnsTimeout,
    Execute,
    Header,
    IgnoreLength,
    InputFile,
    Insecure,
    Ipv4,
    Ipv6,
    KeepSessionCookies,
    LoadCookies,
    MaxRedirect,
    Method,
    No,
    NoCache,
    NoChallenge,
    NoClobber,
    NoCookies,
    NoDirectories,
    NoHostDirectories,
    NoIfModifiedSince,
    NoKeepAlive,
    NoServerTimes,
    NoVerbose,
    /// What is never done here.
    Nothing,
    Directories,
    Output,
    OutputFile,
    Password,
    PostData,
    PostFile,
    Prefix,
    Progress,
    ProtocolDirectories,
    Quiet,
    ReadTimeout,
    Referer,
    RetryOn,
    RetryRefused,
    SaveCookies,
    SaveHeaders,
    ServerResponse,
    ShowProgress,
    Spider,
    StartPosition,
    Timeout,
    Timestamping,
    Tries,
    TrustNames,
    User,
    Verbose,
    Wait,
    WaitRetry,
}

pub(super) static SPEC: Spec<Flag> = Spec::new(
    "wget",
    Package::Line("GNU Wget 1.21.3 built on linux-gnu."),
    &["[OPTION]... [URL]..."],
    "",
    &[
        Opt::required(Flag::AppendOutput, 'a', "append-output", "FILE", ""),
        Opt::long(Flag::NoChallenge, "auth-no-challenge", ""),
        Opt::long(Flag::BodyData, "body-data", "").takes("STRING"),
        Opt::long(Flag::BodyFile, "body-file", "").takes("FILE"),
        Opt::long(Flag::Compression, "compression", "").takes("TYPE"),
        Opt::long(Flag::ConnectTimeout, "connect-timeout", "").takes("SECS"),
        Opt::long(Flag::ContentDisposition, "content-disposition", ""),
        Opt::long(Flag::ContentOnError, "content-on-error", ""),
        Opt::flag(Flag::Continue, 'c', "continue", ""),
        Opt::long(Flag::CutDirectories, "cut-dirs", "").takes("NUMBER"),
        Opt::long(Flag::DefaultPage, "default-page", "").takes("NAME"),
        Opt::required(Flag::Prefix, 'P', "directory-prefix", "PREFIX", ""),
        Opt::long(Flag::DnsTimeout, "dns-timeout", "").takes("SECS"),
        Opt::required(Flag::Execute, 'e', "execute", "COMMAND", ""),
        Opt::flag(Flag::Directories, 'x', "force-directories", ""),
        Opt::long(Flag::Header, "header", "").takes("STRING"),
        Opt::long(Flag::Password, "http-password", "").takes("PASS"),
        Opt::long(Flag::User, "http-user", "").takes("USER"),
        Opt::long(Flag::IgnoreLength, "ignore-length", ""),
        Opt::flag(Flag::Ipv4, '4', "inet4-only", ""),
        Opt::flag(Flag::Ipv6, '6', "inet6-only", ""),
        Opt::required(Flag::InputFile, 'i', "input-file", "FILE", ""),
        Opt::long(Flag::KeepSessionCookies, "keep-session-cookies", ""),
        Opt::long(Flag::LoadCookies, "load-cookies", "").takes("FILE"),
        Opt::long(Flag::MaxRedirect, "max-redirect", "").takes("NUMBER"),
        Opt::long(Flag::Method, "method", "").takes("HTTPMethod"),
        Opt::required(Flag::No, 'n', "no", "", ""),
        Opt::long(Flag::NoCache, "no-cache", ""),
        Opt::long(Flag::Insecure, "no-check-certificate", ""),
        Opt::long(Flag::NoClobber, "no-clobber", ""),
        Opt::long(Flag::Nothing, "no-config", ""),
        Opt::long(Flag::NoCookies, "no-cookies", ""),
        Opt::long(Flag::NoDirectories, "no-directories", ""),
        Opt::long(Flag::Nothing, "no-dns-cache", ""),
        Opt::long(Flag::NoHostDirectories, "no-host-directories", ""),
        Opt::long(Flag::Nothing, "no-hsts", ""),
        Opt::long(Flag::NoKeepAlive, "no-http-keep-alive", ""),
        Opt::long(Flag::NoIfModifiedSince, "no-if-modified-since", ""),
        Opt::long(Flag::Nothing, "no-iri", ""),
        Opt::long(Flag::Nothing, "no-netrc", ""),
        Opt::long(Flag::Nothing, "no-parent", ""),
        Opt::long(Flag::Nothing, "no-proxy", ""),
        Opt::long(Flag::NoServerTimes, "no-use-server-timestamps", ""),
        Opt::long(Flag::NoVerbose, "no-verbose", ""),
        Opt::required(Flag::Output, 'O', "output-document", "FILE", ""),
        Opt::required(Flag::OutputFile, 'o', "output-file", "FILE", ""),
        Opt::long(Flag::Password, "password", "").takes("PASS"),
        Opt::long(Flag::PostData, "post-data", "").takes("STRING"),
        Opt::long(Flag::PostFile, "post-file", "").takes("FILE"),
        Opt::long(Flag::Progress, "progress", "").takes("TYPE"),
        Opt::long(Flag::ProtocolDirectories, "protocol-directories", ""),
        Opt::flag(Flag::Quiet, 'q', "quiet", ""),
        Opt::long(Flag::ReadTimeout, "read-timeout", "").takes("SECS"),
        Opt::long(Flag::Referer, "referer", "").takes("URL"),
        Opt::long(Flag::RetryRefused, "retry-connrefused", ""),
        Opt::long(Flag::RetryOn, "retry-on-http-error", "").takes("ERRORS"),
        Opt::long(Flag::SaveCookies, "save-cookies", "").takes("FILE"),
        Opt::long(Flag::SaveHeaders, "save-headers", ""),
        Opt::flag(Flag::ServerResponse, 'S', "server-response", ""),
        Opt::long(Flag::ShowProgress, "show-progress", ""),
        Opt::long(Flag::Spider, "spider", ""),
        Opt::long(Flag::StartPosition, "start-pos", "").takes("OFFSET"),
        Opt::required(Flag::Timeout, 'T', "timeout", "SECONDS", ""),
        Opt::flag(Flag::Timestamping, 'N', "timestamping", ""),
        Opt::required(Flag::Tries, 't', "tries", "NUMBER", ""),
        Opt::long(Flag::TrustNames, "trust-server-names", ""),
        Opt::long(Flag::User, "user", "").takes("USER"),
        Opt::required(Flag::Agent, 'U', "user-agent", "AGENT", ""),
        Opt::flag(Flag::Verbose, 'v', "verbose", ""),
        Opt::required(Flag::Wait, 'w', "wait", "SECONDS", ""),
        Opt::long(Flag::WaitRetry, "waitretry", "").takes("SECONDS"),
    ],
)
.fails_with(2)
.complains(Complaint::UsageAndOptions)
.help_letter('h')
.version_letter('V')
.own_help(include_str!("help.txt"));

/// How much is said.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Verbosity {
    Quiet,
    Terse,
    Verbose,
}

/// The options.
#[derive(Debug, Clone)]
pub(super) struct Options {
    pub(super) urls: Vec<Vec<u8>>,
    pub(super) agent: Vec<u8>,
    pub(super) body_data: Option<Vec<u8>>,
    pub(super) body_file: Option<Vec<u8>>,
    pub(super) cache: bool,
    pub(super) challenge: bool,
    pub(super) compression: bool,
    pub(super) connect_timeout: Option<Duration>,
    pub(super) content_disposition: bool,
    pub(super) content_on_error: bool,
    pub(super) cookies: bool,
    pub(super) cut_directories: usize,
    pub(super) default_page: Vec<u8>,
    pub(super) directories: bool,
    pub(super) family: Option<Family>,
    pub(super) headers: Vec<(String, Vec<u8>)>,
    pub(super) host_directories: bool,
    pub(super) if_modified_since: bool,
    pub(super) ignore_length: bool,
    pub(super) input_file: Option<Vec<u8>>,
    pub(super) insecure: bool,
    pub(super) keep_alive: bool,
    pub(super) keep_session_cookies: bool,
    pub(super) load_cookies: Option<Vec<u8>>,
    /// The file, and whether it is appended to.
    pub(super) log: Option<(Vec<u8>, bool)>,
    pub(super) max_redirects: u64,
    pub(super) method: Option<String>,
    pub(super) no_clobber: bool,
    pub(super) output: Option<Vec<u8>>,
    pub(super) password: Option<Vec<u8>>,
    pub(super) post_data: Option<Vec<u8>>,
    pub(super) post_file: Option<Vec<u8>>,
    pub(super) prefix: Option<Vec<u8>>,
    pub(super) progress: Style,
    pub(super) protocol_directories: bool,
    pub(super) read_timeout: Option<Duration>,
    pub(super) referer: Option<Vec<u8>>,
    pub(super) resume: bool,
    pub(super) retry_on: Vec<u16>,
    pub(super) retry_refused: bool,
    pub(super) save_cookies: Option<Vec<u8>>,
    pub(super) save_headers: bool,
    pub(super) server_response: bool,
    pub(super) server_times: bool,
    pub(super) show_progress: bool,
    pub(super) spider: bool,
    pub(super) start_position: Option<u64>,
    pub(super) timestamping: bool,
    /// None: as often as it takes.
    pub(super) tries: Option<u64>,
    pub(super) trust_names: bool,
    pub(super) user: Option<Vec<u8>>,
    pub(super) verbose_asked: bool,
    pub(super) verbosity: Verbosity,
    pub(super) wait: Duration,
    pub(super) wait_retry: Duration,
}

/// Addresses of one kind alone.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Family {
    V4,
    V6,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            urls: Vec::new(),
            agent: b"Wget/1.21.3".to_vec(),
            body_data: None,
            body_file: None,
            cache: true,
            challenge: true,
            compression: false,
            connect_timeout: None,
            content_disposition: false,
            content_on_error: false,
            cookies: true,
            cut_directories: 0,
            default_page: b"index.html".to_vec(),
            directories: false,
            family: None,
            headers: Vec::new(),
            host_directories: true,
            if_modified_since: true,
            ignore_length: false,
            input_file: None,
            insecure: false,
            keep_alive: true,
            keep_session_cookies: false,
            load_cookies: None,
            log: None,
            max_redirects: 20,
            method: None,
            no_clobber: false,
            output: None,
            password: None,
            post_data: None,
            post_file: None,
            prefix: None,
            progress: Style::DEFAULT,
            protocol_directories: false,
            read_timeout: Some(Duration::from_secs(900)),
            referer: None,
            resume: false,
            retry_on: Vec::new(),
            retry_refused: false,
            save_cookies: None,
            save_headers: false,
            server_response: false,
            server_times: true,
            show_progress: false,
            spider: false,
            start_position: None,
            timestamping: false,
            tries: Some(20),
            trust_names: false,
            user: None,
            verbose_asked: false,
            verbosity: Verbosity::Verbose,
            wait: Duration::ZERO,
            wait_retry: Duration::from_secs(10),
        }
    }
}

/// Why nothing is fetched.
pub(super) struct Refusal {
    pub(super) status: i32,
    pub(super) message: Vec<u8>,
}

/// A value that will not do: `wget: --NAME: SENTENCE`.
fn refuse(name: &str, sentence: &str, value: &[u8], end: &str) -> Refusal {
    Refusal {
        status: 2,
        message: message!("wget: --", name, ": ", sentence, " ", quote(value), end, "\n"),
    }
}

/// Makes options of the words.
pub(super) fn read(parsed: &Parsed<Flag>) -> Result<Options, Refusal> {
    let mut options = Options {
        urls: parsed.operands.clone(),
        ..Options::default()
    };
    for (flag, value) in &parsed.options {
        match value {
            None => options.switch(*flag),
            Some(value) => options.set(*flag, value)?,
        }
    }
    if options.method.as_deref() == Some("HEAD") {
        options.spider = true;
    }
    Ok(options)
}

impl Options {
    /// An option without a value.
    fn switch(&mut self, flag: Flag) {
        match flag {
            Flag::ContentDisposition => self.content_disposition = true,
            Flag::ContentOnError => self.content_on_error = true,
            Flag::Continue => self.resume = true,
            Flag::Directories => self.directories = true,
            Flag::IgnoreLength => self.ignore_length = true,
            Flag::Insecure => self.insecure = true,
            Flag::Ipv4 => self.family = Some(Family::V4),
            Flag::Ipv6 => self.family = Some(Family::V6),
            Flag::KeepSessionCookies => self.keep_session_cookies = true,
            Flag::NoCache => self.cache = false,
            Flag::NoChallenge => self.challenge = false,
            Flag::NoClobber => self.no_clobber = true,
            Flag::NoCookies => self.cookies = false,
            Flag::NoDirectories => self.directories = false,
            Flag::NoHostDirectories => self.host_directories = false,
            Flag::NoIfModifiedSince => self.if_modified_since = false,
            Flag::NoKeepAlive => self.keep_alive = false,
            Flag::NoServerTimes => self.server_times = false,
            Flag::NoVerbose => self.less(),
            Flag::ProtocolDirectories => self.protocol_directories = true,
            Flag::Quiet => self.verbosity = Verbosity::Quiet,
            Flag::RetryRefused => self.retry_refused = true,
            Flag::SaveHeaders => self.save_headers = true,
            Flag::ServerResponse => self.server_response = true,
            Flag::ShowProgress => self.show_progress = true,
            Flag::Spider => self.spider = true,
            Flag::Timestamping => self.timestamping = true,
            Flag::TrustNames => self.trust_names = true,
            Flag::Verbose => self.verbose_asked = true,
            // The rest takes a value, or is nothing that is done here.
            _ => {}
        }
    }

    fn less(&mut self) {
        if self.verbosity == Verbosity::Verbose {
            self.verbosity = Verbosity::Terse;
        }
    }

    /// An option with a value.
    fn set(&mut self, flag: Flag, value: &[u8]) -> Result<(), Refusal> {
        let text = Some(value.to_vec());
        match flag {
            Flag::Agent => self.agent = value.to_vec(),
            Flag::AppendOutput => self.log = Some((value.to_vec(), true)),
            Flag::BodyData => self.body_data = text,
            Flag::BodyFile => self.body_file = text,
            Flag::Compression => {
                self.compression = match value {
                    b"auto" | b"gzip" => true,
                    b"none" => false,
                    _ => return Err(refuse("compression", "Invalid value", value, ".")),
                }
            }
            Flag::CutDirectories => self.cut_directories = number("cut-dirs", value)? as usize,
            Flag::DefaultPage => self.default_page = value.to_vec(),
            Flag::Execute if matches!(value, b"robots=off" | b"robots=on") => {}
            Flag::Execute => {
                let message = message!("wget: Invalid --execute command ", quote(value), "\n");
                return Err(Refusal { status: 2, message });
            }
            Flag::Header => self.header(value)?,
            Flag::InputFile => self.input_file = text,
            Flag::LoadCookies => self.load_cookies = text,
            Flag::MaxRedirect => self.max_redirects = number("max-redirect", value)?,
            Flag::Method => self.method = Some(String::from_utf8_lossy(value).to_uppercase()),
            Flag::No => self.letters(value)?,
            Flag::Output => self.output = text,
            Flag::OutputFile => self.log = Some((value.to_vec(), false)),
            Flag::Password => self.password = text,
            Flag::PostData => self.post_data = text,
            Flag::PostFile => self.post_file = text,
            Flag::Prefix => self.prefix = text,
            Flag::Progress => {
                let style = Style::named(value);
                self.progress =
                    style.ok_or_else(|| refuse("progress", "Invalid progress type", value, "."))?;
            }
            Flag::Referer => self.referer = text,
            Flag::RetryOn => {
                let codes = value.split(|byte| *byte == b',');
                let code = |text: &[u8]| std::str::from_utf8(text).ok()?.trim().parse().ok();
                self.retry_on = codes.filter_map(code).collect();
            }
            Flag::SaveCookies => self.save_cookies = text,
            Flag::StartPosition => self.start_position = Some(number("start-pos", value)?),
            Flag::Tries => {
                let count = if value == b"inf" {
                    0
                } else {
                    number("tries", value)?
                };
                self.tries = Some(count).filter(|count| *count > 0);
            }
            Flag::User => self.user = text,
            _ => self.set_time(flag, value)?,
        }
        Ok(())
    }

    fn set_time(&mut self, flag: Flag, value: &[u8]) -> Result<(), Refusal> {
        let unless_zero = |time: Duration| Some(time).filter(|time| !time.is_zero());
        match flag {
            Flag::ConnectTimeout => self.connect_timeout = unless_zero(time("connect-timeout", value)?),
            Flag::DnsTimeout => drop(time("dns-timeout", value)?),
            Flag::ReadTimeout => self.read_timeout = unless_zero(time("read-timeout", value)?),
            Flag::Timeout => {
                self.connect_timeout = unless_zero(time("timeout", value)?);
                self.read_timeout = self.connect_timeout;
            }
            Flag::Wait => self.wait = time("wait", value)?,
            Flag::WaitRetry => self.wait_retry = time("waitretry", value)?,
            _ => {}
        }
        Ok(())
    }

    /// `-nv` and its kin: `-n` with letters.
    fn letters(&mut self, letters: &[u8]) -> Result<(), Refusal> {
        for letter in letters {
            match letter {
                b'v' => self.less(),
                b'c' => self.no_clobber = true,
                b'd' => self.directories = false,
                b'H' => self.host_directories = false,
                b'p' => {}
                other => {
                    let usage = format!(
                        "wget: illegal option -- `-n{}'\n{}\nTry `wget --help' for more options.\n",
                        char::from(*other),
                        super::USAGE
                    );
                    return Err(Refusal {
                        status: 1,
                        message: usage.into_bytes(),
                    });
                }
            }
        }
        Ok(())
    }

    /// A header; an empty one forgets those before it. What could smuggle another line in is refused.
    fn header(&mut self, line: &[u8]) -> Result<(), Refusal> {
        if line.is_empty() {
            self.headers.clear();
            return Ok(());
        }
        let invalid = || refuse("header", "Invalid header", line, ".");
        let colon = line.iter().position(|byte| *byte == b':').ok_or_else(invalid)?;
        let (name, value) = line.split_at(colon);
        let token = |byte: &u8| byte.is_ascii_graphic();
        let name = std::str::from_utf8(name).map_err(|_| invalid())?;
        let value = value.get(1..).unwrap_or_default().trim_ascii_start();
        if name.is_empty()
            || !name.as_bytes().iter().all(token)
            || value.iter().any(|byte| b"\r\n\0".contains(byte))
        {
            return Err(invalid());
        }
        self.headers
            .retain(|(other, _)| !other.eq_ignore_ascii_case(name));
        self.headers.push((name.to_owned(), value.to_vec()));
        Ok(())
    }
}

/// The digits that a text begins with, as wget counts; nothing is 0.
fn number(name: &str, text: &[u8]) -> Result<u64, Refusal> {
    if text.starts_with(b"-") {
        return Err(refuse(name, "Invalid number", text, "."));
    }
    let digits = text.iter().take_while(|byte| byte.is_ascii_digit());
    Ok(digits.fold(0_u64, |sum, digit| {
        sum.saturating_mul(10).saturating_add(u64::from(digit - b'0'))
    }))
}

/// Seconds, or a number with a unit.
fn time(name: &str, text: &[u8]) -> Result<Duration, Refusal> {
    let (digits, factor) = match text.split_last() {
        Some((b's', rest)) => (rest, 1.0),
        Some((b'm', rest)) => (rest, 60.0),
        Some((b'h', rest)) => (rest, 3600.0),
        Some((b'd', rest)) => (rest, 86_400.0),
        Some((b'w', rest)) => (rest, 604_800.0),
        _ => (text, 1.0),
    };
    let plain = digits.strip_prefix(b"-").unwrap_or(digits);
    let is_number = plain.iter().all(|byte| byte.is_ascii_digit() || *byte == b'.');
    let number = std::str::from_utf8(digits)
        .ok()
        .and_then(|text| text.parse::<f64>().ok());
    match number.filter(|_| is_number) {
        None => Err(refuse(name, "Invalid time period", text, "")),
        Some(number) if number < 0.0 => Err(refuse(name, "Negative time period", text, "")),
        Some(number) => Ok(Duration::try_from_secs_f64(number * factor).unwrap_or(Duration::MAX)),
    }
}
