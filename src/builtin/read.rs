//! `read [-ers] [-a array] [-d delim] [-i text] [-n nchars] [-N nchars] [-p prompt] [-t timeout] [-u fd] [name …]`
//!
//! Takes one line and no more from its descriptor.

use std::sync::Arc;
use std::time::Duration;

use crate::args::BuiltinSpec;
use crate::expand::{ExpandHost, Ifs, word};
use crate::fs::Errno;
use crate::interp::{Flow, Interp, Kept, split_reference};
use crate::kernel::{File, cost, yield_now};
use crate::text::utf8;

const SPEC: BuiltinSpec = BuiltinSpec::new("read", "ersa:d:i:n:N:p:t:u:");

/// How often others may go on before `-t 0` finds that nothing was written.
const TURNS: usize = 8;

struct Request {
    raw: bool,
    array: Option<Vec<u8>>,
    delimiter: u8,
    /// `-n`, or `-N` when `exact`.
    count: Option<usize>,
    exact: bool,
    timeout: Option<Duration>,
    fd: u32,
    /// `-u`: it must be open before anything is read.
    given_fd: bool,
    names: Vec<Vec<u8>>,
}

/// The builtin.
pub async fn run(interp: &mut Interp, args: Vec<Vec<u8>>) -> Flow {
    let request = match parse(interp, &args) {
        Ok(request) => request,
        Err(status) => return Ok(status),
    };
    let file = match interp.proc.fds.get(request.fd) {
        Ok(file) => Arc::clone(file),
        Err(errno) => {
            let message = match request.given_fd {
                true => format!("{}: invalid file descriptor: {errno}", request.fd),
                false if request.timeout == Some(Duration::ZERO) => return Ok(1),
                false => format!("read error: {}: {errno}", request.fd),
            };
            interp.complain("read", message);
            return Ok(1);
        }
    };
    interp.flush().await?;
    if request.timeout == Some(Duration::ZERO) {
        // Whoever is about to write comes first.
        for _ in 0..TURNS {
            if file.is_readable() {
                break;
            }
            yield_now().await;
        }
        return Ok(i32::from(!file.is_readable()));
    }
    let mut taken = Taken::default();
    let status = match request.timeout {
        None => take(interp, &file, &request, &mut taken).await,
        Some(limit) => take_within(interp, &file, &request, limit, &mut taken).await,
    };
    let status = match status {
        Ok(status) => status,
        Err(errno) => {
            interp.complain("read", format!("read error: {}: {errno}", request.fd));
            return Ok(1);
        }
    };
    let Taken { text, marks, .. } = taken;
    interp.proc.kernel.meter().charge_bytes(text.len())?;
    let set = assign(interp, &request, &text, &marks)?;
    Ok(if set { status } else { 1 })
}

/// The builtin where a line is there: no option but `-r`.
pub fn run_now(interp: &mut Interp, args: &[Vec<u8>]) -> Option<Flow> {
    let (raw, names) = match args {
        [option, names @ ..] if option == b"-r" => (true, names),
        names => (false, names),
    };
    let plain = |name: &Vec<u8>| word::is_name(name);
    if names.is_empty() || !names.iter().all(plain) {
        return None;
    }
    let file = Arc::clone(interp.proc.fds.get(0).ok()?);
    let mut text = ExpandHost::buffer(interp);
    let flow = match file.read_line_now(&mut text, raw) {
        true => Some(take_line(interp, &mut text, names)),
        false => None,
    };
    interp.recycle_buffer(text);
    flow
}

/// Splits a line that was read and has no escapes.
fn take_line(interp: &mut Interp, text: &mut Vec<u8>, names: &[Vec<u8>]) -> Flow {
    let ended = text.last() == Some(&b'\n');
    if ended {
        text.pop();
    }
    if memchr::memchr(0, text).is_some() {
        text.retain(|byte| *byte != 0);
    }
    interp.proc.kernel.meter().charge_bytes(text.len())?;
    let ifs = interp.shared_ifs();
    let mut at = 0;
    let mut left = names.len();
    for name in names {
        let field = next_field(text, &[], &ifs, &mut at, left == 1);
        left -= 1;
        let value = text.get(field.0..field.1).unwrap_or_default();
        if !store(interp, name, value)? {
            return Ok(1);
        }
    }
    Ok(i32::from(!ended))
}

fn parse(interp: &mut Interp, args: &[Vec<u8>]) -> Result<Request, i32> {
    let parsed = interp.parse_options(&SPEC, args)?;
    let mut request = Request {
        raw: false,
        array: None,
        delimiter: b'\n',
        count: None,
        exact: false,
        timeout: None,
        fd: 0,
        given_fd: false,
        names: parsed.operands,
    };
    for option in &parsed.options {
        let value = option.value.clone().unwrap_or_default();
        match option.letter {
            b'r' => request.raw = true,
            b'a' => request.array = Some(value),
            b'd' => request.delimiter = value.first().copied().unwrap_or(0),
            b'n' | b'N' => {
                let count = super::support::number(&value).and_then(|count| usize::try_from(count).ok());
                let Some(count) = count else {
                    interp.complain("read", [&value, b": invalid number".as_slice()].concat());
                    return Err(1);
                };
                request.count = Some(count);
                request.exact = option.letter == b'N';
            }
            b't' => request.timeout = Some(timeout(interp, &value)?),
            b'u' => {
                let fd = super::support::number(&value).and_then(|fd| u32::try_from(fd).ok());
                let Some(fd) = fd else {
                    interp.complain(
                        "read",
                        [&value, b": invalid file descriptor specification".as_slice()].concat(),
                    );
                    return Err(1);
                };
                request.fd = fd;
                request.given_fd = true;
            }
            // Prompts and editing are for terminals.
            _ => {}
        }
    }
    // The others are looked at when their turn comes.
    match request.names.first() {
        Some(name) if split_reference(name).is_none() => {
            refuse(interp, name);
            Err(1)
        }
        _ => Ok(request),
    }
}

fn refuse(interp: &mut Interp, name: &[u8]) {
    interp.complain("read", [b"`", name, b"': not a valid identifier"].concat());
}

fn timeout(interp: &mut Interp, text: &[u8]) -> Result<Duration, i32> {
    let seconds = std::str::from_utf8(text)
        .ok()
        .and_then(|text| text.parse::<f64>().ok());
    match seconds.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok()) {
        Some(duration) => Ok(duration),
        None => {
            interp.complain("read", [text, b": invalid timeout specification"].concat());
            Err(1)
        }
    }
}

/// What was read, as far as it has come.
#[derive(Default)]
struct Taken {
    text: Vec<u8>,
    /// Which of its bytes were escaped.
    marks: Vec<bool>,
    /// A line whose end did not come yet.
    line: Vec<u8>,
}

/// The status, where nothing went wrong.
type Read = Result<i32, Errno>;

/// When the time is over, what came until then counts.
async fn take_within(
    interp: &Interp,
    file: &Arc<File>,
    request: &Request,
    limit: Duration,
    taken: &mut Taken,
) -> Read {
    let kernel = interp.proc.kernel.clone();
    let until = crate::kernel::after(kernel.now(), limit);
    let mut sleep = Box::pin(kernel.sleep_until(until));
    let mut read = Box::pin(take(interp, file, request, taken));
    let ended = std::future::poll_fn(|cx| {
        if let std::task::Poll::Ready(ended) = read.as_mut().poll(cx) {
            return std::task::Poll::Ready(Some(ended));
        }
        sleep.as_mut().poll(cx).map(|()| None)
    })
    .await;
    drop(read);
    if let Some(ended) = ended {
        return ended;
    }
    let line = std::mem::take(&mut taken.line);
    taken.add(&line, request.raw);
    Ok(142)
}

async fn take(interp: &Interp, file: &Arc<File>, request: &Request, taken: &mut Taken) -> Read {
    let meter = interp.proc.kernel.meter();
    if let Some(count) = request.count {
        return take_count(interp, file, request, count, taken).await;
    }
    loop {
        taken.line.clear();
        let count = file
            .read_until(&mut taken.line, request.delimiter, 1 << 20)
            .await?;
        meter
            .check_memory(taken.text.len() as u64 + count as u64)
            .map_err(|_| Errno::ENOMEM)?;
        let mut line = std::mem::take(&mut taken.line);
        let ended = line.last() == Some(&request.delimiter);
        if ended {
            line.pop();
        }
        let continues = taken.add(&line, request.raw);
        if continues && ended {
            // Backslash-newline disappears; another delimiter is kept.
            if request.delimiter != b'\n' {
                taken.text.push(request.delimiter);
                taken.marks.push(true);
            }
            continue;
        }
        if count == 0 || ended {
            return Ok(i32::from(!ended));
        }
    }
}

impl Taken {
    /// Adds a line; says whether it goes on in the next one.
    fn add(&mut self, line: &[u8], raw: bool) -> bool {
        let text: Vec<u8> = line.iter().copied().filter(|byte| *byte != 0).collect();
        if !raw {
            return unescape(&text, &mut self.text, &mut self.marks);
        }
        self.text.extend_from_slice(&text);
        self.marks.resize(self.text.len(), false);
        false
    }
}

/// Takes backslashes out; says whether the last byte was an unescaped backslash.
fn unescape(line: &[u8], text: &mut Vec<u8>, marks: &mut Vec<bool>) -> bool {
    let mut bytes = line.iter().copied();
    while let Some(byte) = bytes.next() {
        if byte != b'\\' {
            text.push(byte);
            marks.push(false);
            continue;
        }
        match bytes.next() {
            Some(b'\n') => {}
            Some(next) => {
                text.push(next);
                marks.push(true);
            }
            None => return true,
        }
    }
    false
}

/// `-n` and `-N`: characters, not bytes.
async fn take_count(
    interp: &Interp,
    file: &Arc<File>,
    request: &Request,
    count: usize,
    taken: &mut Taken,
) -> Read {
    let Taken { text, marks, .. } = taken;
    let mut byte = Vec::new();
    let mut escaped = false;
    let bytes = interp.flags().bytes;
    // Characters that are complete, and where they end.
    let (mut done, mut end) = (0, 0);
    while done < count {
        interp
            .proc
            .kernel
            .meter()
            .charge(cost::TRANSFER)
            .map_err(|_| Errno::EIO)?;
        byte.clear();
        if file.read(&mut byte, 1).await? == 0 {
            return Ok(1);
        }
        let Some(&next) = byte.first() else { break };
        if next == request.delimiter && !request.exact && !escaped {
            return Ok(0);
        }
        if next == b'\\' && !request.raw && !escaped {
            escaped = true;
            continue;
        }
        if !(escaped && next == b'\n') && next != 0 {
            text.push(next);
            marks.push(escaped);
        }
        escaped = false;
        let last = text.get(end..).unwrap_or_default();
        if !last.is_empty() && (bytes || !utf8::is_truncated(last)) {
            done += if bytes { last.len() } else { utf8::count(last) };
            end = text.len();
        }
    }
    Ok(0)
}

fn assign(interp: &mut Interp, request: &Request, text: &[u8], marks: &[bool]) -> Flow<bool> {
    let ifs = interp.shared_ifs();
    if let Some(array) = &request.array {
        if !word::is_name(array) {
            refuse(interp, array);
            return Ok(false);
        }
        if interp.is_assoc_named(array) {
            interp.complain("read", [array, b": not an indexed array".as_slice()].concat());
            return Ok(false);
        }
        if interp.kept_by_shell(array) == Kept::Refused {
            return Ok(false);
        }
        let fields = match request.exact {
            true => vec![text.to_vec()],
            false => split(text, marks, &ifs, usize::MAX),
        };
        return interp.set_array(array, fields);
    }
    if request.names.is_empty() {
        return interp.set_scalar(b"REPLY", text);
    }
    if request.exact {
        for (i, name) in request.names.iter().enumerate() {
            if !store(interp, name, if i == 0 { text } else { b"" })? {
                return Ok(false);
            }
        }
        return Ok(true);
    }
    let mut fields = split(text, marks, &ifs, request.names.len()).into_iter();
    for name in &request.names {
        let value = fields.next().unwrap_or_default();
        if !store(interp, name, &value)? {
            return Ok(false);
        }
    }
    Ok(true)
}

fn store(interp: &mut Interp, name: &[u8], value: &[u8]) -> Flow<bool> {
    let Some((base, key)) = split_reference(name) else {
        refuse(interp, name);
        return Ok(false);
    };
    let result = match key {
        None => interp.assign_element(base, None, value, false),
        Some(key) => interp
            .key_of(base, key)
            .and_then(|key| interp.assign_element(base, Some(&key), value, false)),
    };
    interp.said(result)
}

/// Splits by `IFS` into at most `most` fields; the last one takes the rest, without its trailing white space.
fn split(text: &[u8], marks: &[bool], ifs: &Ifs, most: usize) -> Vec<Vec<u8>> {
    let mut fields = Vec::new();
    let mut at = 0;
    while fields.len() < most {
        let (start, end) = next_field(text, marks, ifs, &mut at, fields.len() + 1 == most);
        if start >= text.len() {
            break;
        }
        fields.push(text.get(start..end).unwrap_or_default().to_vec());
    }
    fields
}

/// The next field from `at` on, as a range; the last one takes the rest. At the end of the text it is empty and behind it.
fn next_field(text: &[u8], marks: &[bool], ifs: &Ifs, at: &mut usize, last: bool) -> (usize, usize) {
    let width = |at: usize| {
        ifs.wide_separator(text.get(at..).unwrap_or_default())
            .unwrap_or(1)
    };
    let class = |at: usize| match (text.get(at), marks.get(at)) {
        (Some(byte), Some(false) | None) => match ifs.class(*byte) {
            3 if width(at) > 1 => 2,
            3 => 0,
            class => class,
        },
        _ => 0,
    };
    let skip_blanks = |at: &mut usize| {
        while class(*at) == 1 {
            *at += 1;
        }
    };
    if *at == 0 {
        skip_blanks(at);
    }
    let start = *at;
    if start >= text.len() {
        return (text.len(), text.len());
    }
    if last {
        *at = text.len();
        return (start, rest(text, start, &class));
    }
    while *at < text.len() && class(*at) == 0 {
        *at += 1;
    }
    let end = *at;
    skip_blanks(at);
    if class(*at) == 2 {
        *at += width(*at);
        skip_blanks(at);
    }
    (start, end)
}

/// Where the last field ends: a single trailing separator is dropped when nothing but white space follows it.
fn rest(text: &[u8], at: usize, class: &impl Fn(usize) -> u8) -> usize {
    let mut end = text.len();
    while end > at && class(end - 1) == 1 {
        end -= 1;
    }
    if end > at && class(end - 1) == 2 {
        let inner = (at..end - 1).any(|i| class(i) == 2);
        if !inner {
            end -= 1;
            while end > at && class(end - 1) == 1 {
                end -= 1;
            }
        }
    }
    end
}
