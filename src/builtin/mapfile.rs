//! `mapfile [-d delim] [-n count] [-O origin] [-s count] [-t] [-u fd] [-C callback] [-c quantum] [array]`, also called `readarray`

use std::sync::Arc;

use crate::args::{BuiltinParsed, BuiltinSpec};
use crate::expand::{Attributes, ExpandHost, Indexed, Value, Variable, word};
use crate::fs::Errno;
use crate::interp::{Flow, Interp, Kept, Origin};
use crate::kernel::{File, cost};
use crate::text::quote;

const LETTERS: &str = "d:u:n:O:tC:c:s:";

/// Lines between two calls of the callback, unless `-c` says otherwise.
const QUANTUM: u64 = 5000;

/// What the arguments ask for.
struct Request {
    /// The array.
    name: Vec<u8>,
    delimiter: u8,
    descriptor: u32,
    /// Lines to store; 0 for all.
    count: u64,
    /// Lines to skip first.
    skip: u64,
    /// Where the first line goes; without it the array is emptied.
    origin: Option<u64>,
    /// The delimiter is not stored.
    trim: bool,
    callback: Option<Vec<u8>>,
    quantum: u64,
}

/// The builtin under either name.
pub async fn run(interp: &mut Interp, name: &'static str, args: Vec<Vec<u8>>) -> Flow {
    let parsed = match interp.parse_options(&BuiltinSpec::new(name, LETTERS), &args) {
        Ok(parsed) => parsed,
        Err(status) => return Ok(status),
    };
    let request = match read_request(&parsed) {
        Ok(request) => request,
        Err(message) => {
            interp.complain(name, message);
            return Ok(1);
        }
    };
    let file = match open(interp, name, &request) {
        Ok(file) => file,
        Err(status) => return Ok(status),
    };
    match prepare(interp, name, &request) {
        Ok(array) => store(interp, &request, &array, file).await,
        Err(status) => Ok(status),
    }
}

fn read_request(parsed: &BuiltinParsed) -> Result<Request, Vec<u8>> {
    let mut request = Request {
        name: parsed
            .operands
            .first()
            .cloned()
            .unwrap_or_else(|| b"MAPFILE".to_vec()),
        delimiter: b'\n',
        descriptor: 0,
        count: 0,
        skip: 0,
        origin: None,
        trim: false,
        callback: None,
        quantum: QUANTUM,
    };
    for option in &parsed.options {
        let value = option.value.as_deref().unwrap_or_default();
        match option.letter {
            b'd' => request.delimiter = value.first().copied().unwrap_or(0),
            b'u' => request.descriptor = descriptor(value)?,
            b'n' => request.count = unsigned(value, 0, "line count")?,
            b's' => request.skip = unsigned(value, 0, "line count")?,
            b'O' => request.origin = Some(unsigned(value, 0, "array origin")?),
            b't' => request.trim = true,
            b'C' => request.callback = Some(value.to_vec()),
            _ => request.quantum = unsigned(value, 1, "callback quantum")?,
        }
    }
    Ok(request)
}

/// A number that fits in 32 bits without a sign, as bash holds them.
fn unsigned(text: &[u8], least: u64, what: &str) -> Result<u64, Vec<u8>> {
    super::support::number(text)
        .and_then(|number| u32::try_from(number).ok())
        .map(u64::from)
        .filter(|number| *number >= least)
        .ok_or_else(|| [text, b": invalid ", what.as_bytes()].concat())
}

fn descriptor(text: &[u8]) -> Result<u32, Vec<u8>> {
    super::support::number(text)
        .and_then(|number| i32::try_from(number).ok())
        .and_then(|number| u32::try_from(number).ok())
        .ok_or_else(|| [text, b": invalid file descriptor specification"].concat())
}

/// The input; `None` when standard input is closed, which counts as empty.
fn open(interp: &mut Interp, name: &str, request: &Request) -> Result<Option<Arc<File>>, i32> {
    match interp.proc.fds.get(request.descriptor) {
        Ok(file) => Ok(Some(Arc::clone(file))),
        Err(_) if request.descriptor == 0 => Ok(None),
        Err(errno) => {
            interp.complain(
                name,
                format!("{}: invalid file descriptor: {errno}", request.descriptor),
            );
            Err(1)
        }
    }
}

/// Makes the array; its name behind namerefs.
fn prepare(interp: &mut Interp, name: &str, request: &Request) -> Result<Vec<u8>, i32> {
    if request.name.is_empty() {
        interp.complain(name, "empty array variable name");
        return Err(2);
    }
    let array = interp.resolve(&request.name).0;
    if !word::is_name(&request.name) || !word::is_name(&array) {
        interp.complain(
            name,
            [b"`", request.name.as_slice(), b"': not a valid identifier"].concat(),
        );
        return Err(1);
    }
    if interp.check_writable(&array).is_err() {
        interp.error([&*array, b": readonly variable"].concat());
        return Err(1);
    }
    if interp.kept_by_shell(&array) == Kept::Refused {
        return Err(1);
    }
    if interp.is_assoc_named(&array) {
        interp.complain(
            name,
            [request.name.as_slice(), b": not an indexed array"].concat(),
        );
        return Err(1);
    }
    interp.make_array(&array, false);
    if request.origin.is_none() {
        interp.vars.entry(&array).value = Value::Indexed(Arc::default());
    }
    Ok(array.to_vec())
}

async fn store(interp: &mut Interp, request: &Request, array: &[u8], file: Option<Arc<File>>) -> Flow {
    let Some(file) = file else { return Ok(0) };
    interp.flush().await?;
    let mut line = Vec::new();
    for _ in 0..request.skip {
        if next_line(interp, &file, request, &mut line).await? == 0 {
            return Ok(0);
        }
    }
    let mut index = request.origin.unwrap_or(0);
    let mut stored = 0u64;
    let mut lease = interp.proc.kernel.lease();
    let mut held = 0;
    loop {
        let length = next_line(interp, &file, request, &mut line).await?;
        if length == 0 {
            return Ok(0);
        }
        held += length;
        lease.resize(held)?;
        if line.last() == Some(&request.delimiter) && (request.trim || request.delimiter == 0) {
            line.pop();
        }
        stored += 1;
        if let Some(callback) = &request.callback
            && stored.is_multiple_of(request.quantum)
        {
            call(interp, callback, index, &line).await?;
        }
        set(interp, array, index, &line)?;
        index += 1;
        if stored == request.count {
            return Ok(0);
        }
    }
}

/// Reads a line, its delimiter with it; the length is 0 at the end.
async fn next_line(interp: &Interp, file: &File, request: &Request, line: &mut Vec<u8>) -> Flow<usize> {
    line.clear();
    interp.proc.kernel.meter().charge(cost::TRANSFER)?;
    match file.read_until(line, request.delimiter, usize::MAX).await {
        Ok(length) => {
            // A NUL ends the text, as it does in C.
            if request.delimiter != 0
                && let Some(end) = memchr::memchr(0, line)
            {
                line.truncate(end);
            }
            Ok(length)
        }
        // Like bash, an input that cannot be read is an empty one.
        Err(Errno::EIO) => interp
            .proc
            .kernel
            .meter()
            .halted()
            .map_or(Ok(0), |halt| Err(halt.into())),
        Err(_) => Ok(0),
    }
}

/// Runs `callback index line`, before the line is stored.
async fn call(interp: &mut Interp, callback: &[u8], index: u64, line: &[u8]) -> Flow<()> {
    let text = [
        callback,
        format!(" {index} ").as_bytes(),
        &quote::single_quoted(line),
    ]
    .concat();
    interp.run_nested(text, Origin::Eval).await?;
    interp.flush().await
}

/// The callback may have made something else of the array, so its kind is looked at each time.
fn set(interp: &mut Interp, array: &[u8], index: u64, line: &[u8]) -> Flow<()> {
    let index = i64::try_from(index).unwrap_or(i64::MAX);
    let plain = |variable: &Variable| {
        !variable.attributes.has(
            Attributes::TRANSFORMS
                .with(Attributes::READONLY)
                .with(Attributes::NAMEREF),
        )
    };
    if let Some(name) = interp.vars.known(array).cloned()
        && let Some(variable) = interp.vars.find_mut(&name, plain)
        && let Value::Indexed(elements) = &mut variable.value
    {
        let elements: &mut Indexed = Arc::make_mut(elements);
        elements.set(index, crate::expand::Text::new(line));
        return Ok(());
    }
    match interp.assign_element(array, Some(index.to_string().as_bytes()), line, false) {
        Ok(()) => Ok(()),
        Err(failure) => Err(interp.fail_expansion(failure)),
    }
}
