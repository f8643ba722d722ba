//! What a sandbox reaches: the hosts of its `network.allow`, over real sockets, and nothing that is always blocked.
//!
//! A name service of the test says where names are; 127.0.0.1, where a server of the test listens, is the one address that is taken out of the
//! blocked ranges.

use std::net::{IpAddr, SocketAddr};
use std::sync::{Arc, Mutex, OnceLock};

use exuvia::host::HttpTransport;
use exuvia::net::{BoxFuture, Exchange, Failure, Network, Reply, Transport};
use serde_json::json;

use super::harness::{Server, config, session, unique};
use super::origin;

/// Names of the test, sockets of the host; remembers what was connected to.
struct Named {
    sockets: HttpTransport,
    connected: Mutex<Vec<SocketAddr>>,
    asked: Mutex<u32>,
}

impl Transport for Named {
    fn resolve<'a>(&'a self, host: &'a str) -> BoxFuture<'a, Result<Vec<IpAddr>, Failure>> {
        let mut asked = self.asked.lock().unwrap();
        let address = match host.trim_end_matches('.') {
            "files.example.com" | "other.example.org" => "127.0.0.1",
            "private.example.com" => "10.0.0.1",
            "metadata.example.com" => "169.254.169.254",
            "mapped.example.com" => "::ffff:192.168.0.1",
            "turns.example.com" => {
                *asked += 1;
                if *asked == 1 { "127.0.0.1" } else { "127.0.0.2" }
            }
            _ => return Box::pin(async { Err(Failure::Resolve) }),
        };
        Box::pin(async move { Ok(vec![address.parse().unwrap()]) })
    }

    fn exchange(&self, exchange: Exchange, address: SocketAddr) -> BoxFuture<'_, Result<Reply, Failure>> {
        self.connected.lock().unwrap().push(address);
        self.sockets.exchange(exchange, address)
    }
}

/// A shim whose sandboxes may find the server of the test.
struct Place {
    server: Server,
    names: Arc<Named>,
    port: u16,
    _data: tempfile::TempDir,
}

impl Place {
    fn start() -> Place {
        static RUNTIME: OnceLock<tokio::runtime::Runtime> = OnceLock::new();
        let runtime = RUNTIME.get_or_init(|| tokio::runtime::Runtime::new().unwrap());
        let names = Arc::new(Named {
            sockets: HttpTransport::new(runtime.handle().clone()),
            connected: Mutex::default(),
            asked: Mutex::default(),
        });
        let network = Network::new(Arc::clone(&names) as Arc<dyn Transport>, [])
            .permit_for_tests(IpAddr::from([127, 0, 0, 1]));
        let data = tempfile::tempdir().unwrap();
        let server = Server::over(&config(data.path().join("data")), None, Some(network));
        Place {
            server,
            names,
            port: origin::serve(),
            _data: data,
        }
    }

    fn session(&self, allow: &[&str]) -> String {
        let id = unique("network");
        let sandbox = json!({ "sandbox": { "network": { "allow": allow } } });
        let reply = self
            .server
            .app()
            .put(&format!("/v1/sessions/{id}"), session("ada", sandbox));
        assert_eq!(reply.status, 200, "{}", reply.body);
        id
    }

    /// What a command prints; `PORT` is that of the server of the test.
    fn bash(&self, session: &str, command: &str) -> String {
        self.server
            .bash(session, &command.replace("PORT", &self.port.to_string()))
    }
}

#[test]
fn a_sandbox_reaches_the_hosts_of_its_list() {
    let place = Place::start();
    let id = place.session(&["files.example.com"]);
    assert_eq!(
        place.bash(&id, "curl -s http://files.example.com:PORT/chunked"),
        "abcde"
    );
    assert_eq!(
        place.bash(
            &id,
            "curl -s http://FILES.example.com.:PORT/chunked -o kept; echo $?"
        ),
        "0\n"
    );
    assert_eq!(
        place.bash(
            &id,
            "cat kept; curl -s http://files.example.com:PORT/large | wc -c"
        ),
        "abcde50000000\n"
    );
    assert_eq!(
        place.bash(
            &id,
            "curl -sS http://other.example.org:PORT/chunked 2>&1; echo $?"
        ),
        "curl: (6) Could not resolve host: other.example.org\n6\n"
    );
    assert_eq!(
        place.bash(&id, "curl -s http://sub.files.example.com:PORT/; echo $?"),
        "6\n"
    );
    // An address is no name, although the server is there.
    assert_eq!(place.bash(&id, "curl -s http://10.0.0.1/; echo $?"), "7\n");
    // The list of one sandbox is not that of another.
    let other = place.session(&["other.example.org"]);
    assert_eq!(
        place.bash(&other, "curl -s http://files.example.com:PORT/; echo $?"),
        "6\n"
    );
    assert_eq!(
        place.bash(&other, "curl -s http://other.example.org:PORT/chunked"),
        "abcde"
    );
}

#[test]
fn a_sandbox_without_a_list_reaches_nothing() {
    let place = Place::start();
    for id in [place.session(&[]), place.server.session()] {
        assert_eq!(
            place.bash(&id, "curl -s http://files.example.com:PORT/; echo $?"),
            "6\n"
        );
        assert_eq!(place.bash(&id, "curl -s http://93.184.216.34/; echo $?"), "7\n");
    }
    assert!(place.names.connected.lock().unwrap().is_empty());
}

#[test]
fn blocked_addresses_are_not_connected_to_though_their_names_are_allowed() {
    let place = Place::start();
    let id = place.session(&[
        "private.example.com",
        "metadata.example.com",
        "mapped.example.com",
        "turns.example.com",
    ]);
    for name in ["private", "metadata", "mapped"] {
        let printed = place.bash(&id, &format!("curl -s http://{name}.example.com:PORT/; echo $?"));
        assert_eq!(printed, "7\n", "{name}");
    }
    assert!(place.names.connected.lock().unwrap().is_empty());
    // The name that changes its answer is connected to at the address that was judged, then refused for the new one.
    assert_eq!(
        place.bash(
            &id,
            "curl -s http://turns.example.com:PORT/chunked; curl -s http://turns.example.com:PORT/; echo $?"
        ),
        "abcde7\n"
    );
    let connected = place.names.connected.lock().unwrap().clone();
    assert_eq!(connected, [SocketAddr::from(([127, 0, 0, 1], place.port))]);
}

#[test]
fn each_redirect_is_judged_and_secrets_stay_behind() {
    let place = Place::start();
    let narrow = place.session(&["files.example.com"]);
    let to = |target: &str| format!("http://files.example.com:PORT/to?{target}");
    let away = to("http://other.example.org:PORT/echo");
    assert_eq!(
        place.bash(&narrow, &format!("curl -sSL '{away}' 2>&1")),
        "curl: (6) Could not resolve host: other.example.org\n"
    );
    for target in [
        "http://127.0.0.2:PORT/",
        "http://169.254.169.254/latest",
        "http://2130706434:PORT/",
        "http://[::ffff:10.0.0.1]/",
    ] {
        assert_eq!(
            place.bash(&narrow, &format!("curl -sL '{}'; echo $?", to(target))),
            "7\n",
            "{target}"
        );
    }
    let wide = place.session(&["files.example.com", "other.example.org"]);
    let secrets = "-u user:secret -H 'Cookie: secret=1' -H 'Authorization: secret'";
    assert_eq!(
        place.bash(&wide, &format!("curl -sL {secrets} '{away}' | grep -c secret")),
        "0\n"
    );
    let home = to("http://files.example.com:PORT/echo");
    assert_eq!(
        place.bash(&wide, &format!("curl -sL {secrets} '{home}' | grep -c secret")),
        "2\n"
    );
}

#[test]
fn a_resource_has_the_list_it_was_made_with() {
    let place = Place::start();
    let id = unique("listed");
    let spec = json!({ "network": { "allow": ["files.example.com"] } });
    place
        .server
        .app()
        .put(&format!("/v1/sandboxes/{id}"), spec)
        .well();
    let name = unique("network");
    let body = session("ada", json!({ "sandbox": { "id": id } }));
    place
        .server
        .app()
        .put(&format!("/v1/sessions/{name}"), body)
        .well();
    // A ceiling that comes later is for sandboxes that come later.
    let ceiling = json!({ "limits": { "network": ["*.example.net"] } });
    place
        .server
        .management()
        .put("/v1/tenant/sandbox", ceiling)
        .well();
    assert_eq!(
        place.bash(&name, "curl -s http://files.example.com:PORT/chunked"),
        "abcde"
    );
    let later = json!({ "network": { "allow": ["files.example.com"] } });
    let refused = place
        .server
        .app()
        .put(&format!("/v1/sandboxes/{}", unique("later")), later);
    assert_eq!(refused.status, 400, "{}", refused.body);
}

#[test]
fn waiting_for_a_host_ends_with_the_time_of_the_command() {
    let place = Place::start();
    let id = place.session(&["files.example.com"]);
    let command = format!("curl -s http://files.example.com:{}/slow; echo never", place.port);
    let reply = place
        .server
        .app()
        .tool(&id, "bash", json!({ "command": command, "timeout": 1 }));
    assert_eq!(reply.well()["output"]["exitCode"], 124);
    assert_eq!(reply.body["output"]["stdout"], "abc");
}

/// As it is served: nothing of this host is in reach, whatever is allowed.
#[test]
fn the_host_of_the_shim_is_out_of_reach() {
    let server = super::harness::shared();
    let id = unique("network");
    // Names that public services resolve to loopback need not be known where the test runs: then nothing is found.
    let allow = json!({ "sandbox": { "network": { "allow": ["localhost.example.com"] } } });
    server
        .app()
        .put(&format!("/v1/sessions/{id}"), session("ada", allow))
        .well();
    let port = server.url.rsplit_once(':').unwrap().1;
    for host in [
        "127.0.0.1",
        "[::1]",
        "2130706433",
        "0177.1",
        "0x7f.1",
        "[::ffff:127.0.0.1]",
        "0",
    ] {
        assert_eq!(
            server.bash(&id, &format!("curl -s 'http://{host}:{port}/health'; echo $?")),
            "7\n",
            "{host}"
        );
    }
    assert_eq!(
        server.bash(&id, &format!("curl -s http://localhost:{port}/health; echo $?")),
        "6\n"
    );
}
