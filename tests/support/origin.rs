//! A server of the web on this host, for those who test what reaches it.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::thread;
use std::time::Duration;

/// Answers each connection in a thread of its own, for as long as the test runs.
pub fn serve() -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            thread::spawn(move || answer(stream).ok());
        }
    });
    port
}

fn answer(mut stream: TcpStream) -> std::io::Result<()> {
    let mut reader = BufReader::new(stream.try_clone()?);
    let (mut head, mut length) = (String::new(), 0);
    loop {
        let mut line = String::new();
        if reader.read_line(&mut line)? == 0 || line == "\r\n" {
            break;
        }
        if let Some(value) = line.to_ascii_lowercase().strip_prefix("content-length:") {
            length = value.trim().parse().unwrap();
        }
        head.push_str(&line);
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body)?;
    let path = head.split(' ').nth(1).unwrap_or_default().to_owned();
    match path.as_str() {
        "/chunked" => stream.write_all(
            b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n",
        ),
        "/close" => stream.write_all(b"HTTP/1.0 200 Fine\r\nX-Some-Thing: 1\r\n\r\nto the end"),
        "/short" => stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc"),
        "/nothing" => Ok(()),
        "/large" => {
            stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 50000000\r\n\r\n")?;
            let block = vec![b'x'; 1_000_000];
            (0..50).try_for_each(|_| stream.write_all(&block))
        }
        "/slow" => {
            stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nabc")?;
            thread::sleep(Duration::from_secs(20));
            Ok(())
        }
        _ if path.starts_with("/to?") => {
            let to = path.trim_start_matches("/to?");
            stream.write_all(
                format!("HTTP/1.1 302 Found\r\nLocation: {to}\r\nContent-Length: 0\r\n\r\n").as_bytes(),
            )
        }
        "/moved" => stream.write_all(b"HTTP/1.1 302 Found\r\nLocation: /echo\r\nContent-Length: 0\r\n\r\n"),
        _ => {
            let text = [head.as_bytes(), b"\n", &body].concat();
            let start = format!("HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n", text.len());
            stream.write_all(start.as_bytes())?;
            stream.write_all(&text)
        }
    }
}
