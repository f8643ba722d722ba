//! A server of the web on this host, for those who test what reaches it.

use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::thread;
use std::time::Duration;

/// Answers each connection in a thread of its own, for as long as the test runs.
pub fn serve() -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            thread::spawn(move || connection(stream).ok());
        }
    });
    port
}

/// A request as it came.
struct Request {
    method: String,
    path: String,
    head: String,
    body: Vec<u8>,
}

impl Request {
    fn read(reader: &mut impl BufRead) -> std::io::Result<Option<Request>> {
        let (mut head, mut length) = (String::new(), 0);
        loop {
            let mut line = String::new();
            if reader.read_line(&mut line)? == 0 {
                return Ok(None);
            }
            if line == "\r\n" {
                break;
            }
            if let Some(value) = line.to_ascii_lowercase().strip_prefix("content-length:") {
                length = value.trim().parse().unwrap();
            }
            head.push_str(&line);
        }
        let mut body = vec![0; length];
        reader.read_exact(&mut body)?;
        let mut words = head.split(' ');
        Ok(Some(Request {
            method: words.next().unwrap_or_default().to_owned(),
            path: words.next().unwrap_or_default().to_owned(),
            head,
            body,
        }))
    }

    fn header(&self, name: &str) -> Option<&str> {
        let line = self.head.lines().find(|line| {
            line.split_once(':')
                .is_some_and(|(other, _)| other.eq_ignore_ascii_case(name))
        })?;
        Some(line.split_once(':')?.1.trim())
    }
}

/// Requests one after the other, until a reply ends the connection.
fn connection(mut stream: TcpStream) -> std::io::Result<()> {
    let mut reader = BufReader::new(stream.try_clone()?);
    while let Some(request) = Request::read(&mut reader)? {
        if !answer(&mut stream, &request)? {
            break;
        }
    }
    Ok(())
}

/// A whole reply, with its length.
fn reply(
    stream: &mut TcpStream,
    request: &Request,
    status: &str,
    headers: &str,
    body: &[u8],
) -> std::io::Result<bool> {
    let head = format!(
        "HTTP/1.1 {status}\r\n{headers}Content-Length: {}\r\n\r\n",
        body.len()
    );
    stream.write_all(head.as_bytes())?;
    if request.method != "HEAD" {
        stream.write_all(body)?;
    }
    Ok(true)
}

fn packed(text: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    encoder.write_all(text).unwrap();
    encoder.finish().unwrap()
}

fn deflated(text: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::default());
    encoder.write_all(text).unwrap();
    encoder.finish().unwrap()
}

const TEXT: &str = "Content-Type: text/plain\r\n";

/// Answers; whether the connection goes on.
fn answer(stream: &mut TcpStream, request: &Request) -> std::io::Result<bool> {
    let path = request.path.as_str();
    let (route, query) = path.split_once('?').unwrap_or((path, ""));
    let mut moved =
        |status: &str, to: &str| reply(stream, request, status, &format!("Location: {to}\r\n"), b"");
    match route {
        "/moved" => return moved("302 Found", "/echo"),
        "/moved301" => return moved("301 Moved Permanently", "/dir/"),
        "/see-other" => return moved("303 See Other", "/echo"),
        "/kept" => return moved("307 Temporary Redirect", "/echo"),
        "/kept308" => return moved("308 Permanent Redirect", "/echo"),
        "/renamed" => return moved("302 Found", "/other/file.txt"),
        "/loop" => return moved("302 Found", "/loop"),
        "/nowhere" => return moved("302 Found", "foo://x/"),
        "/to" => return moved("302 Found", query),
        _ => {}
    }
    match route {
        "/" | "/dir/" => reply(
            stream,
            request,
            "200 OK",
            "Content-Type: text/html\r\n",
            b"hello\n",
        ),
        "/untyped" => reply(stream, request, "200 OK", "", b"hello\n"),
        "/empty" => reply(stream, request, "200 OK", TEXT, b""),
        "/nothing-more" => reply(stream, request, "302 Found", "", b""),
        "/other/file.txt" => reply(stream, request, "200 OK", TEXT, b"file\n"),
        "/missing" => reply(stream, request, "404 Not Found", TEXT, b"no\n"),
        "/busy" => reply(stream, request, "503 Service Unavailable", TEXT, b"busy\n"),
        "/no-content" => {
            stream.write_all(b"HTTP/1.1 204 No Content\r\n\r\n")?;
            Ok(true)
        }
        "/dated" => {
            let dated = format!("{TEXT}Last-Modified: Wed, 21 Oct 2015 07:28:00 GMT\r\n");
            if request.header("if-modified-since").is_some() && query == "304" {
                return reply(stream, request, "304 Not Modified", &dated, b"");
            }
            reply(stream, request, "200 OK", &dated, b"dated\n")
        }
        "/named" => {
            let named = format!("{TEXT}Content-Disposition: attachment; filename=\"{query}\"\r\n");
            reply(stream, request, "200 OK", &named, b"named\n")
        }
        "/cookie" => reply(stream, request, "200 OK", "Set-Cookie: a=1; Path=/\r\n", b"set\n"),
        "/gzip" => reply(
            stream,
            request,
            "200 OK",
            "Content-Encoding: gzip\r\n",
            &packed(b"unpacked\n"),
        ),
        "/deflate" => reply(
            stream,
            request,
            "200 OK",
            "Content-Encoding: deflate\r\n",
            &deflated(b"deflated\n"),
        ),
        "/no-gzip" => reply(
            stream,
            request,
            "200 OK",
            "Content-Encoding: gzip\r\n",
            b"not packed",
        ),
        "/secret" => match request.header("authorization") {
            Some(value) => reply(stream, request, "200 OK", "", format!("{value}\n").as_bytes()),
            None => {
                let ask = "WWW-Authenticate: Basic realm=\"x\"\r\n";
                reply(stream, request, "401 Unauthorized", ask, b"")
            }
        },
        "/range" => range(stream, request),
        _ if route.starts_with("/size/") => {
            let size = route.trim_start_matches("/size/").parse().unwrap();
            reply(stream, request, "200 OK", TEXT, &vec![b'x'; size])
        }
        _ => odd(stream, request, route),
    }
}

/// Ten digits, or the part that is asked for.
fn range(stream: &mut TcpStream, request: &Request) -> std::io::Result<bool> {
    let digits = b"0123456789";
    let Some(range) = request
        .header("range")
        .and_then(|range| range.strip_prefix("bytes="))
    else {
        return reply(stream, request, "200 OK", TEXT, digits);
    };
    let (first, last) = range.split_once('-').unwrap();
    let (first, last) = match (first.parse::<usize>(), last.parse::<usize>()) {
        (Ok(first), Ok(last)) => (first, last.min(9)),
        (Ok(first), Err(_)) => (first, 9),
        (Err(_), Ok(count)) => (10 - count, 9),
        (Err(_), Err(_)) => (0, 9),
    };
    if first > 9 {
        return reply(
            stream,
            request,
            "416 Requested Range Not Satisfiable",
            "Content-Range: bytes */10\r\n",
            b"",
        );
    }
    let headers = format!("{TEXT}Content-Range: bytes {first}-{last}/10\r\n");
    reply(
        stream,
        request,
        "206 Partial Content",
        &headers,
        &digits[first..=last],
    )
}

/// Replies that end early, late, or not at all; else the request itself.
fn odd(stream: &mut TcpStream, request: &Request, route: &str) -> std::io::Result<bool> {
    match route {
        "/chunked" => {
            let chunks = "3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n";
            let head = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";
            stream.write_all(format!("{head}{chunks}").as_bytes())?;
            Ok(true)
        }
        "/close" => {
            stream.write_all(b"HTTP/1.0 200 Fine\r\nX-Some-Thing: 1\r\n\r\nto the end")?;
            Ok(false)
        }
        "/short" => {
            stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc")?;
            Ok(false)
        }
        // The rest comes to those who ask for it.
        "/cut" if request.header("range").is_some() => range(stream, request),
        "/cut" => {
            stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n012")?;
            Ok(false)
        }
        "/nothing" => Ok(false),
        "/large" => {
            stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 50000000\r\n\r\n")?;
            let block = vec![b'x'; 1_000_000];
            (0..50).try_for_each(|_| stream.write_all(&block))?;
            Ok(true)
        }
        "/slow" => {
            stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nabc")?;
            thread::sleep(Duration::from_secs(20));
            Ok(false)
        }
        _ => {
            let text = [request.head.as_bytes(), b"\n", &request.body].concat();
            reply(stream, request, "200 OK", "", &text)
        }
    }
}
