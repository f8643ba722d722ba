//! What reaches the network, and what does not: `curl` over a transport that is a table of answers.

// A test may stop at the first surprise.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::net::{IpAddr, SocketAddr};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use exuvia::net::{Body, BodyStream, BoxFuture, Exchange, Failure, HostPattern, Network, Reply, Transport};
use exuvia::{Outcome, Shell};

/// Pieces of a body, and how it ends.
struct Pieces(Vec<Result<Vec<u8>, Failure>>);

impl BodyStream for Pieces {
    fn next(&mut self) -> BoxFuture<'_, Result<Vec<u8>, Failure>> {
        Box::pin(async move {
            if self.0.is_empty() {
                Ok(Vec::new())
            } else {
                self.0.remove(0)
            }
        })
    }
}

/// Answers from a table, and remembers what was asked.
#[derive(Default)]
struct Table {
    asked: Mutex<Vec<(Exchange, SocketAddr)>>,
    resolved: Mutex<u32>,
}

fn reply(status: u16, headers: &[(&str, &str)], body: &[&str]) -> Reply {
    Reply {
        version: "1.1",
        status,
        reason: if status == 200 { "OK" } else { "Other" }.to_owned(),
        headers: headers
            .iter()
            .map(|(name, value)| ((*name).to_owned(), value.as_bytes().to_vec()))
            .collect(),
        body: Box::new(Pieces(
            body.iter().map(|piece| Ok(piece.as_bytes().to_vec())).collect(),
        )),
        address: "93.184.216.34:80".parse().unwrap(),
        connected: Duration::ZERO,
        secured: None,
    }
}

/// The request as it would be on the wire.
fn wire(exchange: &Exchange) -> String {
    let mut text = format!("{} {} HTTP/1.1\n", exchange.method, exchange.url.target);
    for (name, value) in &exchange.headers {
        text.push_str(&format!("{name}: {}\n", String::from_utf8_lossy(value)));
    }
    text.push('\n');
    if let Body::Bytes(body) = &exchange.body {
        text.push_str(&String::from_utf8_lossy(body));
    }
    text
}

impl Transport for Table {
    fn resolve<'a>(&'a self, host: &'a str) -> BoxFuture<'a, Result<Vec<IpAddr>, Failure>> {
        let mut count = self.resolved.lock().unwrap();
        *count += 1;
        let addresses: Vec<&str> = match host {
            "example.com" | "www.example.com" => vec!["93.184.216.34"],
            "other.example.org" => vec!["93.184.216.35"],
            "two.example.com" => vec!["10.0.0.1", "93.184.216.36"],
            "down.example.com" => vec!["93.184.216.99"],
            // An answer that changes: public for whoever looks first, private after that.
            "rebind.example.com" if *count == 1 => vec!["93.184.216.34"],
            "rebind.example.com" => vec!["127.0.0.1"],
            _ => match host
                .strip_suffix(".in.example.com")
                .map(|text| text.replace('_', ":"))
            {
                Some(text) => vec![Box::leak(text.into_boxed_str())],
                None => vec![],
            },
        };
        let addresses = addresses.into_iter().map(|text| text.parse().unwrap()).collect();
        Box::pin(async move { Ok(addresses) })
    }

    fn exchange(&self, exchange: Exchange, address: SocketAddr) -> BoxFuture<'_, Result<Reply, Failure>> {
        self.asked.lock().unwrap().push((exchange.clone(), address));
        let tries = self
            .asked
            .lock()
            .unwrap()
            .iter()
            .filter(|(asked, _)| asked.url.target == "/flaky")
            .count();
        Box::pin(async move {
            if address.ip().to_string() == "93.184.216.99" {
                return Err(Failure::Connect);
            }
            let location = |to| vec![("Location", to), ("Content-Length", "0")];
            Ok(match exchange.url.target.as_str() {
                "/" => reply(
                    200,
                    &[("Content-Type", "text/html"), ("Content-Length", "6")],
                    &["hel", "lo\n"],
                ),
                "/empty" => reply(200, &[], &[]),
                "/missing" => reply(404, &[], &["no\n"]),
                "/flaky" if tries < 3 => reply(503, &[], &["busy\n"]),
                "/flaky" => reply(200, &[], &["fine\n"]),
                "/moved" => reply(302, &location("/echo"), &[]),
                "/kept" => reply(307, &location("/echo"), &[]),
                "/away" => reply(302, &location("http://other.example.org/echo"), &[]),
                "/inside" => reply(302, &location("http://169.254.169.254/latest"), &[]),
                "/inside-by-name" => reply(302, &location("http://127.0.0.1.in.example.com/"), &[]),
                target if target.starts_with("/to?") => reply(302, &location(&target[4..]), &[]),
                "/loop" => reply(301, &location("/loop"), &[]),
                "/cookie" => reply(
                    200,
                    &[
                        ("Set-Cookie", "a=1; Path=/"),
                        ("Set-Cookie", "b=2; Domain=evil.org"),
                    ],
                    &["set\n"],
                ),
                "/cut" => Reply {
                    body: Box::new(Pieces(vec![
                        Ok(b"abc".to_vec()),
                        Err(Failure::Receive("reset".to_owned())),
                    ])),
                    ..reply(200, &[("Content-Length", "10")], &[])
                },
                "/slow" => return Err(Failure::Timeout),
                "/hang-up" => return Err(Failure::Empty),
                _ => reply(200, &[], &[&wire(&exchange)]),
            })
        })
    }
}

/// A shell that may reach `example.com` and what is below it, and `example.org`'s other host.
fn shell(table: &Arc<Table>, allow: &[&str]) -> Shell {
    let allow = allow.iter().map(|text| HostPattern::parse(text).unwrap());
    let network = Network::new(Arc::clone(table) as Arc<dyn Transport>, allow);
    Shell::builder().network(network).build().unwrap()
}

const ALLOW: &[&str] = &["example.com", "*.example.com", "other.example.org"];

fn run(script: &str) -> Outcome {
    shell(&Arc::default(), ALLOW).run(script)
}

macro_rules! prints {
    ($($name:ident: $script:expr => $stdout:expr;)*) => {$(
        #[test]
        fn $name() {
            let outcome = run($script);
            assert_eq!(String::from_utf8_lossy(&outcome.stderr), "");
            assert_eq!(String::from_utf8_lossy(&outcome.stdout), $stdout);
        }
    )*};
}

const GET: &str = "GET /echo HTTP/1.1\nHost: example.com\nUser-Agent: curl/7.88.1\nAccept: */*\n\n";

prints! {
    get: "curl -s http://example.com/echo" => GET;
    to_a_file: "curl -s -o f http://example.com/ && cat f" => "hello\n";
    to_its_own_name: "curl -sO http://example.com/echo?x && ls" => "echo\n";
    into_a_pipe: "curl -s http://example.com/ | tr a-z A-Z" => "HELLO\n";
    an_empty_file: "curl -s -o f http://example.com/empty && wc -c < f" => "0\n";
    directories: "curl -s --create-dirs -o a/b/f http://example.com/ && cat a/b/f" => "hello\n";
    head: "curl -sI http://example.com/" => "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 6\r\n\r\n";
    include: "curl -si http://example.com/missing" => "HTTP/1.1 404 Other\r\n\r\nno\n";
    dump_header: "curl -s -D h -o /dev/null http://example.com/missing; cat h" => "HTTP/1.1 404 Other\r\n\r\n";
    data: "curl -s -d a=1 -d b=2 http://example.com/echo" =>
        "POST /echo HTTP/1.1\nHost: example.com\nUser-Agent: curl/7.88.1\nAccept: */*\nContent-Length: 7\nContent-Type: application/x-www-form-urlencoded\n\na=1&b=2";
    data_of_files: "printf 'a\\nb\\n' > f; for o in --data --data-binary --data-raw; do curl -s $o @f http://example.com/echo | tail -n +7; echo; done" =>
        "\nab\n\na\nb\n\n\n@f\n";
    data_of_standard_input: "echo x | curl -s -d @- http://example.com/echo | tail -1" => "x";
    json: "curl -s --json '{}' http://example.com/echo" =>
        "POST /echo HTTP/1.1\nHost: example.com\nUser-Agent: curl/7.88.1\nContent-Type: application/json\nAccept: application/json\nContent-Length: 2\n\n{}";
    query: "curl -sG -d q=1 --data-urlencode 'r=a b&c' http://example.com/echo | head -1" => "GET /echo?q=1&r=a+b%26c HTTP/1.1\n";
    upload: "echo x > f; curl -s -T f http://example.com/echo | sed -n '1p;$p'" => "PUT /echo HTTP/1.1\nx\n";
    form: "echo x > f; curl -s -F a=1 -F 'b=@f;type=text/x' http://example.com/echo | sed 's/-----*[0-9a-f]*/B/;s/\\r//' | tail -n +6" =>
        "Content-Type: multipart/form-data; boundary=B\n\nB\nContent-Disposition: form-data; name=\"a\"\n\n1\nB\nContent-Disposition: form-data; name=\"b\"; filename=\"f\"\nContent-Type: text/x\n\nx\n\nB--\n";
    headers: "curl -s -H 'X: 1' -H 'Accept:' -H 'Empty;' -A agent -e ref -u u:p -b k=v http://example.com/echo" =>
        "GET /echo HTTP/1.1\nHost: example.com\nAuthorization: Basic dTpw\nUser-Agent: agent\nReferer: ref\nCookie: k=v\nX: 1\nEmpty: \n\n";
    a_header_smuggles_nothing: "curl -s -H $'X: 1\\r\\nY: 2' http://example.com/echo | grep -c Y" => "0\n";
    method: "curl -s -X DELETE http://example.com/echo | head -1" => "DELETE /echo HTTP/1.1\n";
    user_of_the_url: "curl -s http://u%40:p@example.com/echo | grep Auth" => "Authorization: Basic dUA6cA==\n";
    redirection_is_shown: "curl -s -w '%{http_code} %{redirect_url}' http://example.com/moved" => "302 http://example.com/echo";
    redirection: "curl -sL -w '%{http_code} %{num_redirects} %{url_effective} %{size_download}\\n' http://example.com/moved" =>
        format!("{GET}200 1 http://example.com/echo {}\n", GET.len());
    post_becomes_get: "curl -sL -d x http://example.com/moved | head -1" => "GET /echo HTTP/1.1\n";
    post_stays: "curl -sL -d x http://example.com/kept | sed -n '1p;$p'" => "POST /echo HTTP/1.1\nx";
    secrets_stay_at_home: "curl -sL -u u:p -b k=v -H 'Authorization: t' -H 'X: 1' http://example.com/away" =>
        "GET /echo HTTP/1.1\nHost: other.example.org\nUser-Agent: curl/7.88.1\nAccept: */*\nX: 1\n\n";
    secrets_go_along_at_home: "curl -sL -u u:p http://example.com/moved | grep Auth" => "Authorization: Basic dTpw\n";
    secrets_go_where_they_are_trusted: "curl -s --location-trusted -u u:p http://example.com/away | grep Auth" => "Authorization: Basic dTpw\n";
    cookies: "curl -s -c jar http://example.com/cookie; grep -v '^#' jar; curl -s -b jar http://example.com/echo | grep Cookie; curl -s -b jar http://other.example.org/echo | grep -c Cookie" =>
        "set\n\nexample.com\tFALSE\t/\tFALSE\t0\ta\t1\nCookie: a=1\n0\n";
    another_try: "curl -s --retry 3 -w '%{http_code}' -o f http://example.com/flaky; echo; cat f" => "200\nfine\n";
    a_second_address: "curl -s http://two.example.com/echo | sed -n 2p" => "Host: two.example.com\n";
    a_port: "curl -s http://example.com:8080/echo | sed -n 2p" => "Host: example.com:8080\n";
    two_urls: "curl -s http://example.com/ http://example.com/" => "hello\nhello\n";
}

macro_rules! fails {
    ($($name:ident: $script:expr => $status:expr, $stderr:expr;)*) => {$(
        #[test]
        fn $name() {
            let outcome = run($script);
            assert_eq!((outcome.status, String::from_utf8_lossy(&outcome.stderr).as_ref()), ($status, $stderr));
        }
    )*};
}

fails! {
    http_error: "curl -fsS http://example.com/missing" => 22, "curl: (22) The requested URL returned error: 404\n";
    http_error_with_body: "curl -sS --fail-with-body -o f http://example.com/missing || { echo $? >&2; cat f >&2; }" =>
        0, "curl: (22) The requested URL returned error: 404\n22\nno\n";
    not_allowed: "curl -sS http://example.net/" => 6, "curl: (6) Could not resolve host: example.net\n";
    not_known: "curl -sS http://nobody.example.com/" => 6, "curl: (6) Could not resolve host: nobody.example.com\n";
    nobody_listens: "curl -sS http://down.example.com/" => 7, "curl: (7) Failed to connect to down.example.com port 80 after 0 ms: Couldn't connect to server\n";
    an_address: "curl -sS http://93.184.216.34/" => 7, "curl: (7) Failed to connect to 93.184.216.34 port 80 after 0 ms: Couldn't connect to server\n";
    too_many_redirections: "curl -sSL http://example.com/loop" => 47, "curl: (47) Maximum (50) redirects followed\n";
    fewer_redirections: "curl -sSL --max-redirs 0 http://example.com/moved" => 47, "curl: (47) Maximum (0) redirects followed\n";
    cut_off: "curl -sS -o f http://example.com/cut" => 18, "curl: (18) transfer closed with 7 bytes remaining to read\n";
    too_slow: "curl -sS -m 2 http://example.com/slow" => 28, "curl: (28) Operation timed out after 2000 milliseconds with 0 bytes received\n";
    hung_up: "curl -sS http://example.com/hang-up" => 52, "curl: (52) Empty reply from server\n";
    cannot_write: "curl -sS -o /nope/f http://example.com/" => 23, "curl: (23) Failure writing output to destination\n";
    redirected_inside: "curl -sSL http://example.com/inside" => 7, "curl: (7) Failed to connect to 169.254.169.254 port 80 after 0 ms: Couldn't connect to server\n";
    redirected_inside_by_name: "curl -sSL http://example.com/inside-by-name" => 7,
        "curl: (7) Failed to connect to 127.0.0.1.in.example.com port 80 after 0 ms: Couldn't connect to server\n";
}

/// Each blocked range: by a name that resolves into it, by its address, by other spellings of it. Nothing is ever asked.
#[test]
fn blocked_addresses_are_never_asked() {
    let table: Arc<Table> = Arc::default();
    let mut shell = shell(&table, &["*"]);
    let addresses = [
        "0.0.0.1",
        "10.1.2.3",
        "100.64.0.1",
        "127.0.0.1",
        "169.254.169.254",
        "172.16.0.1",
        "192.168.0.1",
        "192.0.0.1",
        "192.0.2.1",
        "198.18.0.1",
        "198.51.100.1",
        "203.0.113.1",
        "224.0.0.1",
        "240.0.0.1",
        "__",
        "__1",
        "fc00__1",
        "fe80__1",
        "64_ff9b__1",
        "64_ff9b_1__1",
        "100__1",
        "2001__1",
        "2001_db8__1",
        "2002_1__",
        "ff02__1",
        "__ffff_127.0.0.1",
    ];
    for address in addresses {
        let outcome = shell.run(format!("curl -s http://{address}.in.example.com/"));
        assert_eq!(outcome.status, 7, "{address}");
        let literal = address.replace('_', ":");
        let literal = if literal.contains(':') {
            format!("[{literal}]")
        } else {
            literal
        };
        let outcome = shell.run(format!("curl -s 'http://{literal}/'"));
        assert_eq!(outcome.status, 7, "{literal}");
    }
    for spelling in [
        "2130706433",
        "0x7f000001",
        "0177.0.0.1",
        "127.1",
        "0",
        "0x7f.1",
        "127.0.0.1.",
        "017700000001",
    ] {
        assert_eq!(
            shell.run(format!("curl -s http://{spelling}/")).status,
            7,
            "{spelling}"
        );
    }
    assert_eq!(table.asked.lock().unwrap().len(), 0);
}

/// The address that was judged is the one that is asked, and each exchange is judged by an answer of its own.
#[test]
fn answers_that_change_do_not_matter() {
    let table: Arc<Table> = Arc::default();
    let mut shell = shell(&table, ALLOW);
    assert_eq!(shell.run("curl -s http://rebind.example.com/").status, 0);
    assert_eq!(shell.run("curl -s http://rebind.example.com/").status, 7);
    let asked: Vec<String> = table
        .asked
        .lock()
        .unwrap()
        .iter()
        .map(|(_, address)| address.to_string())
        .collect();
    assert_eq!(asked, ["93.184.216.34:80"]);
}

/// The first and the last address of each blocked network of IPv4.
const BLOCKED: &[[u8; 4]] = &[
    [0, 0, 0, 0],
    [0, 255, 255, 255],
    [10, 0, 0, 0],
    [10, 255, 255, 255],
    [100, 64, 0, 0],
    [100, 127, 255, 255],
    [127, 0, 0, 1],
    [127, 255, 255, 255],
    [168, 63, 129, 16],
    [169, 254, 0, 0],
    [169, 254, 169, 254],
    [169, 254, 255, 255],
    [172, 16, 0, 0],
    [172, 31, 255, 255],
    [192, 0, 0, 0],
    [192, 0, 2, 255],
    [192, 88, 99, 1],
    [192, 168, 0, 0],
    [192, 168, 255, 255],
    [198, 18, 0, 0],
    [198, 19, 255, 255],
    [198, 51, 100, 0],
    [203, 0, 113, 255],
    [224, 0, 0, 0],
    [239, 255, 255, 255],
    [240, 0, 0, 0],
    [255, 255, 255, 255],
];

/// An address in every spelling that leads to it.
fn spellings([a, b, c, d]: [u8; 4]) -> Vec<String> {
    let whole = u32::from_be_bytes([a, b, c, d]);
    let (high, low) = (whole >> 16, whole & 0xffff);
    vec![
        format!("{a}.{b}.{c}.{d}"),
        format!("{a}.{b}.{c}.{d}."),
        format!("{whole}"),
        format!("0x{whole:x}"),
        format!("0X{whole:08X}"),
        format!("0{whole:o}"),
        format!("0{a:o}.0{b:o}.0{c:o}.0{d:o}"),
        format!("00{a:o}.{b}.0x{c:x}.{d}"),
        format!("{a}.{b}.{low}"),
        format!("{a}.{}", whole & 0xff_ffff),
        format!("[::ffff:{a}.{b}.{c}.{d}]"),
        format!("[::ffff:{high:x}:{low:x}]"),
        format!("[0:0:0:0:0:ffff:{high:x}:{low:x}]"),
        format!("[::{high:x}:{low:x}]"),
        // The networks that carry IPv4 inside: NAT64 and 6to4.
        format!("[64:ff9b::{a}.{b}.{c}.{d}]"),
        format!("[64:ff9b:1::{high:x}:{low:x}]"),
        format!("[2002:{high:x}:{low:x}::1]"),
    ]
}

#[test]
fn no_spelling_reaches_a_blocked_address() {
    let table: Arc<Table> = Arc::default();
    let mut shell = shell(&table, &["*"]);
    for address in BLOCKED {
        for spelling in spellings(*address) {
            let outcome = shell.run(format!(
                "curl -s 'http://{spelling}/' -o f; echo $?; wget -qO- 'http://{spelling}/'; echo $?"
            ));
            assert_eq!(String::from_utf8_lossy(&outcome.stdout), "7\n4\n", "{spelling}");
        }
    }
    assert_eq!(table.asked.lock().unwrap().len(), 0);
}

#[test]
fn no_redirection_reaches_a_blocked_address() {
    let table: Arc<Table> = Arc::default();
    let mut shell = shell(&table, &["*"]);
    for address in BLOCKED {
        let [a, b, c, d] = address;
        let by_name = format!("{a}.{b}.{c}.{d}.in.example.com");
        for target in spellings(*address).into_iter().chain([by_name]) {
            let url = format!("http://example.com/to?http://{target}:8080/x");
            let outcome = shell.run(format!(
                "curl -gsL '{url}' -o f; echo $?; wget -qO- '{url}'; echo $?"
            ));
            assert_eq!(String::from_utf8_lossy(&outcome.stdout), "7\n4\n", "{target}");
        }
    }
    let elsewhere = table
        .asked
        .lock()
        .unwrap()
        .iter()
        .any(|(_, address)| address.ip().to_string() != "93.184.216.34");
    assert!(!elsewhere);
}

/// A name with both kinds of addresses is reached at those that may be, and only there.
#[test]
fn only_addresses_that_may_be_are_tried() {
    let table: Arc<Table> = Arc::default();
    let mut shell = shell(&table, ALLOW);
    assert_eq!(
        shell
            .run("curl -s http://two.example.com/ && wget -qO- http://two.example.com/")
            .stdout,
        b"hello\nhello\n"
    );
    let asked: Vec<String> = table
        .asked
        .lock()
        .unwrap()
        .iter()
        .map(|(_, address)| address.ip().to_string())
        .collect();
    assert_eq!(asked, ["93.184.216.36", "93.184.216.36"]);
}

#[test]
fn wget_keeps_secrets_at_home() {
    let script = "wget -qO- --user=u --password=p --auth-no-challenge --header 'Cookie: k=v' --header 'Authorization: t' --header 'X: 1' http://example.com";
    let outcome = run(&format!("{script}/away; {script}/moved"));
    let asked = String::from_utf8_lossy(&outcome.stdout).into_owned();
    let (away, home) = asked.split_once("GET /echo HTTP/1.1\nHost: example.com").unwrap();
    assert!(
        away.contains("X: 1") && !away.contains("Cookie") && !away.contains("Authorization"),
        "{away}"
    );
    assert!(
        home.contains("Cookie: k=v") && home.contains("Authorization: t"),
        "{home}"
    );
}

#[test]
fn wget_without_a_network_knows_no_name() {
    let mut shell = Shell::new();
    let outcome = shell.run("wget -nv http://example.com/; echo $?; wget -nv http://93.184.216.34/; echo $?");
    assert_eq!(outcome.stdout, b"4\n4\n");
    let said = String::from_utf8_lossy(&outcome.stderr).into_owned();
    assert_eq!(
        said,
        "wget: unable to resolve host address ‘example.com’\nfailed: Connection refused.\n"
    );
}

/// The words for names, which a server on this host cannot show.
#[test]
fn wget_tells_where_a_name_is() {
    let outcome = run("wget -O f http://www.example.com/ 2>&1 | sed 's/^--.*--/--TIME--/;s/^2.* (/TIME (/'");
    assert_eq!(
        String::from_utf8_lossy(&outcome.stdout),
        "--TIME--  http://www.example.com/\n\
         Resolving www.example.com (www.example.com)... 93.184.216.34\n\
         Connecting to www.example.com (www.example.com)|93.184.216.34|:80... connected.\n\
         HTTP request sent, awaiting response... 200 OK\n\
         Length: 6 [text/html]\n\
         Saving to: ‘f’\n\n\
         \x20    0K                                                       100% 11.2G=0s\n\n\
         TIME (11.2 GB/s) - ‘f’ saved [6/6]\n\n"
    );
}

#[test]
fn an_empty_list_allows_nothing() {
    let mut shell = shell(&Arc::default(), &[]);
    assert_eq!(shell.run("curl -s http://example.com/").status, 6);
    assert_eq!(shell.run("curl -s http://93.184.216.34/").status, 7);
}
