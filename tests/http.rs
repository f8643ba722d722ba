//! `curl` over real sockets, against a server on this host: what the table of `tests/network.rs` cannot show. Feature `http`.

// A test may stop at the first surprise.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::net::IpAddr;
use std::sync::Arc;
use std::time::{Duration, Instant};

use exuvia::host::HttpTransport;
use exuvia::net::{HostPattern, Network};
use exuvia::{Outcome, Shell};

#[path = "support/origin.rs"]
mod origin;

struct Place {
    runtime: tokio::runtime::Runtime,
    port: u16,
}

impl Place {
    fn start() -> Place {
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(1)
            .enable_all()
            .build()
            .unwrap();
        Place {
            runtime,
            port: origin::serve(),
        }
    }

    fn shell(&self, permitted: bool) -> Shell {
        let transport = Arc::new(HttpTransport::new(self.runtime.handle().clone()));
        let mut network = Network::new(transport, HostPattern::parse("*"));
        if permitted {
            network = network.permit_for_tests(IpAddr::from([127, 0, 0, 1]));
        }
        Shell::builder().network(network).build().unwrap()
    }

    fn run(&self, script: &str) -> Outcome {
        self.shell(true)
            .run(script.replace("URL", &format!("http://127.0.0.1:{}", self.port)))
    }
}

#[test]
fn replies_of_all_kinds() {
    let place = Place::start();
    for (script, stdout) in [
        ("curl -s URL/chunked", "abcde"),
        ("curl -s URL/close", "to the end"),
        (
            "curl -sI URL/close",
            "HTTP/1.0 200 Fine\r\nX-Some-Thing: 1\r\n\r\n",
        ),
        ("curl -s URL/large | wc -c", "50000000\n"),
        ("curl -s URL/large | head -c 5", "xxxxx"),
        ("curl -s -o f URL/large; wc -c < f", "50000000\n"),
        ("curl -s -d a=1 URL/echo | tail -n 1", "a=1"),
        ("curl -sL -w '%{http_code}' -o /dev/null URL/moved", "200"),
        (
            "curl -s -H 'X-Up: 1' URL/echo | grep -i x-up | tr -d '\\r'",
            "X-Up: 1\n",
        ),
    ] {
        let outcome = place.run(script);
        assert_eq!(
            String::from_utf8_lossy(&outcome.stdout),
            stdout,
            "{script}: {}",
            String::from_utf8_lossy(&outcome.stderr)
        );
    }
}

#[test]
fn failures() {
    let place = Place::start();
    for (script, status, stderr) in [
        (
            "curl -sS URL/short",
            18,
            "curl: (18) transfer closed with 7 bytes remaining to read\n",
        ),
        ("curl -sS URL/nothing", 52, "curl: (52) Empty reply from server\n"),
        (
            "curl -sS -m 1 URL/slow",
            28,
            "curl: (28) Operation timed out after 1000 milliseconds with 3 out of 6 bytes received\n",
        ),
        (
            "curl -sS http://127.0.0.1:1/",
            7,
            "curl: (7) Failed to connect to 127.0.0.1 port 1 after 0 ms: Couldn't connect to server\n",
        ),
        (
            "curl -sS http://no-such-name.invalid/",
            6,
            "curl: (6) Could not resolve host: no-such-name.invalid\n",
        ),
    ] {
        let outcome = place.run(script);
        let said = String::from_utf8_lossy(&outcome.stderr).into_owned();
        // How long it took is no matter.
        let said = match said.split_once(" after ") {
            Some((before, after)) if after.contains(" ms: ") => {
                format!("{before} after 0 ms: {}", after.split_once(" ms: ").unwrap().1)
            }
            _ => said,
        };
        assert_eq!((outcome.status, said.as_str()), (status, stderr), "{script}");
    }
}

/// The server is there, and is not reached: not by its address and not by a name for it.
#[test]
fn this_host_is_out_of_reach() {
    let place = Place::start();
    let mut shell = place.shell(false);
    for host in ["127.0.0.1", "localhost", "2130706433", "[::ffff:127.0.0.1]", "0"] {
        let outcome = shell.run(format!("curl -s http://{host}:{}/echo", place.port));
        assert_eq!(
            (outcome.status, outcome.stdout.as_slice()),
            (7, &b""[..]),
            "{host}"
        );
    }
}

#[test]
fn a_command_that_waits_for_the_network_is_over_in_time() {
    use exuvia::tool::{Call, VirtualWorkspace, call_blocking};
    let place = Place::start();
    let mut workspace = VirtualWorkspace::new(place.shell(true));
    let command = format!("curl -s http://127.0.0.1:{}/slow", place.port);
    let input = serde_json::json!({"command": command, "timeout": 1});
    let start = Instant::now();
    let outcome = serde_json::json!(call_blocking(&mut workspace, "bash", input, Call::default()).unwrap());
    assert_eq!(
        (&outcome["output"]["exitCode"], &outcome["output"]["stdout"]),
        (&124.into(), &"abc".into())
    );
    assert!(start.elapsed() < Duration::from_secs(10));
}
