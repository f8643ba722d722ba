//! `-F`: the body of a form, in parts.

use super::options::Options;
use super::request::{Content, read};
use super::{Refusal, Trouble, warn};
use crate::kernel::{Proc, Stop};

/// Types of files, by their endings.
const TYPES: &[(&str, &str)] = &[
    (".gif", "image/gif"),
    (".htm", "text/html"),
    (".html", "text/html"),
    (".jpeg", "image/jpeg"),
    (".jpg", "image/jpeg"),
    (".pdf", "application/pdf"),
    (".png", "image/png"),
    (".svg", "image/svg+xml"),
    (".txt", "text/plain"),
    (".xml", "application/xml"),
];

/// Puts the parts together.
pub(super) async fn content(proc: &mut Proc, options: &Options) -> Result<Result<Content, Refusal>, Stop> {
    let boundary = format!("------------------------{:016x}", proc.kernel.random());
    let mut body = Vec::new();
    for (field, literal) in &options.form {
        let Some(at) = field.iter().position(|byte| *byte == b'=') else {
            warn(proc, options, "Illegally formatted input field!").await?;
            return Ok(Err(Refusal::Usage(2, "option -F: is badly used here".to_owned())));
        };
        let (name, value) = (
            field.get(..at).unwrap_or_default(),
            field.get(at + 1..).unwrap_or_default(),
        );
        match part(proc, name, value, *literal).await? {
            Ok(part) => {
                body.extend(format!("--{boundary}\r\n").into_bytes());
                body.extend(part);
            }
            Err(trouble) => return Ok(Err(Refusal::Trouble(trouble))),
        }
    }
    body.extend(format!("--{boundary}--\r\n").into_bytes());
    Ok(Ok(Content {
        body: Some(body),
        media_type: Some(format!("multipart/form-data; boundary={boundary}")),
        ..Content::default()
    }))
}

/// A value, `@FILE` as an upload, or `<FILE` as a value; each with `;type=` and `;filename=` behind.
async fn part(
    proc: &mut Proc,
    name: &[u8],
    value: &[u8],
    literal: bool,
) -> Result<Result<Vec<u8>, Trouble>, Stop> {
    let mut pieces = value.split(|byte| *byte == b';');
    let first = pieces.next().unwrap_or_default();
    let (mut kind, mut filename) = (None, None);
    for piece in pieces.filter(|_| !literal) {
        let piece = piece.trim_ascii();
        kind = piece.strip_prefix(b"type=").map(<[u8]>::to_vec).or(kind);
        filename = piece.strip_prefix(b"filename=").map(<[u8]>::to_vec).or(filename);
    }
    let path = first
        .strip_prefix(b"@")
        .or_else(|| first.strip_prefix(b"<"))
        .filter(|_| !literal);
    let bytes = match path {
        Some(path) => match read(proc, path).await? {
            Ok(bytes) => bytes,
            Err(()) => {
                return Ok(Err(Trouble::new(
                    26,
                    "Failed to open/read local data from file/application",
                )));
            }
        },
        None if literal || (kind.is_none() && filename.is_none()) => value.to_vec(),
        None => first.to_vec(),
    };
    if first.starts_with(b"@") && !literal {
        let path = path.unwrap_or_default();
        let base = path.rsplit(|byte| *byte == b'/').next().unwrap_or(path);
        kind = kind.or_else(|| Some(type_of(base).as_bytes().to_vec()));
        filename = filename.or_else(|| Some(base.to_vec()));
    }
    let mut part = [
        b"Content-Disposition: form-data; name=\"",
        escaped(name).as_slice(),
        b"\"",
    ]
    .concat();
    if let Some(filename) = filename {
        part.extend([b"; filename=\"", escaped(&filename).as_slice(), b"\""].concat());
    }
    part.extend(b"\r\n");
    if let Some(kind) = kind {
        part.extend([b"Content-Type: ", kind.as_slice(), b"\r\n"].concat());
    }
    part.extend([b"\r\n", bytes.as_slice(), b"\r\n"].concat());
    Ok(Ok(part))
}

fn type_of(name: &[u8]) -> &'static str {
    let name = name.to_ascii_lowercase();
    TYPES
        .iter()
        .find(|(ending, _)| name.ends_with(ending.as_bytes()))
        .map_or("application/octet-stream", |(_, kind)| kind)
}

fn escaped(text: &[u8]) -> Vec<u8> {
    let mut escaped = Vec::with_capacity(text.len());
    for byte in text {
        match byte {
            b'"' => escaped.extend(b"%22"),
            b'\r' => escaped.extend(b"%0D"),
            b'\n' => escaped.extend(b"%0A"),
            byte => escaped.push(*byte),
        }
    }
    escaped
}
