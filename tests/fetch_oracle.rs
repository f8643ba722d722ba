//! `curl` and `wget` against a server on this host, beside the real ones: the same words, files and statuses. Feature `http`.
//!
//! What depends on time and speed is made alike on both sides. A program that is not installed is not compared.

// A test may stop at the first surprise.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::net::IpAddr;
use std::process::{Command, Stdio};
use std::sync::Arc;

use exuvia::Shell;
use exuvia::host::HttpTransport;
use exuvia::net::{HostPattern, Network};
use fancy_regex::Regex;

#[path = "support/origin.rs"]
mod origin;

/// What comes after each script: its status, and the files that it left.
const EPILOGUE: &str =
    "\necho \"status $?\"; for f in *; do [ -f \"$f\" ] && { echo \"-- $f\"; cat \"$f\"; echo; }; done; :";

/// What depends on time and speed.
const UNSTABLE: &[(&str, &str)] = &[
    (r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d", "TIME"),
    (r"\([\d.]+ [KMGT]?B/s\)", "(RATE)"),
    (r" +[\d.]+[ KMGT]=[\d.]+s", " RATE"),
    (r"% +[\d.]+[ KMGT] \d+[smhd0-9]*\n", "% RATE\n"),
    (r"(?m)^Total wall clock time: .*$", "WALL"),
    (r" in [\d.]+s \(", " in T ("),
    (r"after \d+ (ms|milliseconds)", "after N ms"),
    (r"\{ \[\d+ bytes data\]", "{ [N bytes data]"),
];

struct Place {
    runtime: tokio::runtime::Runtime,
    port: u16,
    unstable: Vec<(Regex, &'static str)>,
}

/// Both streams, in one order each.
#[derive(PartialEq)]
struct Printed {
    stdout: String,
    stderr: String,
}

impl Place {
    fn start() -> Place {
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(1)
            .enable_all()
            .build()
            .unwrap();
        let unstable = UNSTABLE
            .iter()
            .map(|(pattern, text)| (Regex::new(pattern).unwrap(), *text));
        Place {
            runtime,
            port: origin::serve(),
            unstable: unstable.collect(),
        }
    }

    fn stable(&self, text: &[u8]) -> String {
        let mut text = String::from_utf8_lossy(text).replace(&self.port.to_string(), "PORT");
        for (pattern, stable) in &self.unstable {
            text = pattern.replace_all(&text, *stable).into_owned();
        }
        text
    }

    fn emulated(&self, script: &str) -> Printed {
        let transport = Arc::new(HttpTransport::new(self.runtime.handle().clone()));
        let network = Network::new(transport, HostPattern::parse("*"))
            .permit_for_tests(IpAddr::from([127, 0, 0, 1]))
            .permit_for_tests(IpAddr::from([127, 0, 0, 2]));
        let mut shell = Shell::builder().network(network).build().unwrap();
        let outcome = shell.run(script);
        Printed {
            stdout: self.stable(&outcome.stdout),
            stderr: self.stable(&outcome.stderr),
        }
    }

    fn real(&self, script: &str) -> Printed {
        let (directory, home) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let output = Command::new("bash")
            .args(["-c", script])
            .current_dir(directory.path())
            .env_clear()
            .env("PATH", "/usr/bin:/bin")
            .env("HOME", home.path())
            .env("LC_ALL", "C.UTF-8")
            .env("TZ", "UTC")
            .stdin(Stdio::null())
            .output()
            .unwrap();
        Printed {
            stdout: self.stable(&output.stdout),
            stderr: self.stable(&output.stderr),
        }
    }

    /// The scripts that differ.
    fn compare(&self, program: &str, scripts: &[&str]) {
        if !std::path::Path::new("/usr/bin").join(program).exists() {
            eprintln!("{program} is not installed: nothing is compared");
            return;
        }
        let mut differing = 0;
        for script in scripts {
            let script = script.replace("URL", &format!("http://127.0.0.1:{}", self.port));
            let script = format!("{script}{EPILOGUE}");
            let (ours, real) = (self.emulated(&script), self.real(&script));
            if ours != real {
                differing += 1;
                eprintln!("==== {script}");
                for (name, ours, real) in [
                    ("stdout", ours.stdout, real.stdout),
                    ("stderr", ours.stderr, real.stderr),
                ] {
                    if ours != real {
                        eprintln!("---- {name}, real\n{real}\n---- {name}, emulated\n{ours}");
                    }
                }
            }
        }
        assert_eq!(differing, 0, "scripts differ");
    }
}

#[test]
fn wget_fetches_as_the_real_one() {
    Place::start().compare(
        "wget",
        &[
            "wget URL/",
            "wget -nv URL/",
            "wget -q URL/",
            "wget URL/echo",
            "wget URL/untyped",
            "wget URL/empty",
            "wget URL/size/2000",
            "wget -O f URL/size/51200; rm f",
            "wget -O f URL/size/51300; rm f",
            "wget -O f URL/size/123456; rm f",
            "wget --progress=dot:binary -O f URL/size/500000; rm f",
            "wget --progress=dot:mega -O f URL/size/3300000; rm f",
            "wget --progress=dot:giga -O f URL/size/500000; rm f",
            "wget --progress=bar -O f URL/size/5000; rm f",
            "wget -q --show-progress -O f URL/size/5000; rm f",
            "wget URL/chunked",
            "wget URL/close",
            "wget -O - URL/ 2>&1",
            "wget -nv -O - URL/ 2>&1",
            "wget -qO- URL/; wget -qO- URL/missing",
            "wget -O f URL/ URL/dir/",
            "wget -P d/e URL/; cat d/e/index.html",
            "wget -nv -P d -O f URL/",
            "for n in 1 2 3; do wget -nv URL/; done",
            "wget -nv 'URL/echo?a=b&c=d/e'; wget -nv 'URL/echo/a%20b'; wget -nv URL/echo/%2e%2e; wget -nv URL/echo/a%2fb; wget -nv URL/echo/ä",
            "wget -nv 'URL/echo/a|b:c*d?e'; wget -nv URL/echo/x/; wget -nv URL/dir/?q; wget -nv URL/echo/%00x; wget -nv URL//echo",
            "wget -x -nv URL/echo/a/b; wget -x -nH -nv URL/echo/c/d; wget -x -nH --cut-dirs=1 -nv URL/echo/e/f; find . -type f | sort",
            "wget --default-page=foo -nv URL/",
            "wget -S URL/; wget -nv -S URL/; wget -q -S URL/",
            "wget -S URL/missing; wget -S URL/moved",
        ],
    );
}

#[test]
fn wget_follows_and_fails_as_the_real_one() {
    Place::start().compare(
        "wget",
        &[
            "wget URL/missing; echo $?; wget -nv URL/missing; echo $?; wget -q URL/missing",
            "wget --content-on-error URL/missing; echo $?; wget -nv --content-on-error -O f URL/missing",
            "wget URL/moved",
            "wget URL/moved301; wget -nv URL/renamed; wget -nv --trust-server-names URL/renamed",
            "wget --max-redirect=2 URL/loop; echo $?; wget --max-redirect=0 URL/moved",
            "wget URL/nothing-more; echo $?; wget URL/nowhere",
            "wget -nv URL/nothing-more; echo $?; wget -nv URL/nowhere; echo $?; wget -nv --max-redirect=1 URL/loop",
            "wget --spider URL/; echo $?; wget --spider URL/missing; echo $?; wget --spider URL/size/3; wget --spider -nv URL/; wget --spider -nv URL/missing; wget -q --spider URL/missing",
            "wget --spider URL/moved; wget --spider URL/chunked; wget -S --spider URL/empty; wget --method=HEAD URL/",
            "wget URL/ URL/missing URL/echo",
            "wget -nv URL/ URL/echo",
            "printf '%s\\n' URL/ '  URL/echo ' URL/missing > list; wget -i list; rm list",
            "wget -t 1 URL/short; echo $?; wget -nv -t 1 URL/short",
            "wget --waitretry=0 -t 2 URL/short",
            "wget --waitretry=0 URL/cut",
            "wget --waitretry=0 -nv URL/cut",
            "wget --waitretry=0 -t 2 URL/nothing; echo $?; wget --waitretry=0 -nv -t 2 URL/nothing",
            "wget -t 1 -T 1 URL/slow; echo $?; wget -nv -t 1 --read-timeout=1 URL/slow",
            "wget --waitretry=0 -t 2 --retry-on-http-error=503 URL/busy; echo $?; wget --waitretry=0 -nv -t 2 --retry-on-http-error=503 URL/busy",
            "wget URL/no-content",
            "wget URL/ URL/secret; wget -nv URL/secret",
            "wget --user=u --password=p URL/secret; wget -nv --user=u --password=p URL/secret",
            "wget --user=u --password=p -nv URL/secret URL/secret",
            "wget -O- http://u:p@127.0.0.1:1/ 2>&1",
            "mkdir index.html; wget URL/; echo $?; wget -nv URL/; echo $?; wget -q URL/",
            "wget -nv -o log URL/; wget -nv -a log URL/missing; wget -o log2 URL/",
        ],
    );
}

#[test]
fn wget_resumes_and_renames_as_the_real_one() {
    Place::start().compare(
        "wget",
        &[
            "printf 0123 > range; wget -c URL/range",
            "printf 0123456789 > range; wget -c URL/range; wget -nv -c URL/range",
            "printf 0123456789ab > range; wget -c URL/range",
            "printf 012 > untyped; wget -c URL/untyped",
            "printf 012345 > untyped; wget -c URL/untyped",
            "wget -c URL/range",
            "printf 0123 > f; wget -c -O f URL/range",
            "wget --start-pos=3 URL/range",
            "wget --content-disposition -nv URL/named?n.txt; wget --content-disposition -nv URL/named?n.txt; wget --content-disposition URL/named?../../evil",
            "wget --content-disposition URL/echo/x; wget -nv URL/named?n.txt",
            "wget -nv URL/dated; date -r dated +%s; wget -nv --no-use-server-timestamps URL/dated; date -r dated.1 +%Y | tr 0-9 n",
            "wget -N URL/dated; wget -N URL/dated; wget -nv -N URL/dated; date -r dated +%s",
            "wget -N 'URL/dated?304'; wget -N 'URL/dated?304'",
            "echo longer > dated; touch -d 2001-01-01 dated; wget -N URL/dated",
            "wget -N URL/; wget -nv -N URL/",
            "wget --save-headers -qO- URL/",
            "wget --compression=auto URL/gzip; wget --compression=gzip -qO- URL/echo; wget --compression=none -qO- URL/echo",
        ],
    );
}

#[test]
fn wget_asks_as_the_real_one() {
    Place::start().compare(
        "wget",
        &[
            "wget -qO- URL/echo",
            "wget -qO- --post-data=a=1 URL/echo; printf 'a\\nb' > b; wget -qO- --post-file=b URL/echo; wget -qO- --post-data= URL/echo",
            "wget -qO- --post-data a=1 --header 'Content-Type: text/json' --header 'X: 1' --header 'Accept: x' -U me --referer ref URL/echo",
            "wget -qO- --method=PUT --body-data=xx URL/echo; wget -qO- --method=delete URL/echo",
            "wget -qO- -U '' URL/echo; wget -qO- --header 'User-Agent: x' --header 'Host: y' URL/echo; wget -qO- --header 'A: 1' --header 'A: 2' --header B: URL/echo; wget -qO- --header 'A: 1' --header '' URL/echo",
            "wget -qO- --user=u --password=p --auth-no-challenge URL/echo; wget -qO- --user=u --password=p URL/echo",
            "for to in moved kept see-other kept308 moved301; do wget -qO- --post-data=x URL/$to; echo; wget -qO- --method=PUT --body-data=x URL/$to; echo; done",
            "wget -qO- --no-cache URL/echo; wget -qO- --no-http-keep-alive URL/echo",
            "wget -q --save-cookies jar --keep-session-cookies -O- URL/cookie; wget -qO- --header 'Cookie: x=y' URL/echo; rm jar",
            "wget -qO- 'URL/echo?a b&c=%20#frag'; wget -qO- \"URL/echo/a\\\"b<c>^{|}~'()*,;=:@!\\$[]\"; wget -qO- URL/echo/./x/../y",
        ],
    );
}

#[test]
fn curl_fetches_as_the_real_one() {
    Place::start().compare(
        "curl",
        &[
            "curl -s URL/; curl -s URL/missing; curl -s URL/chunked; curl -s URL/close; curl -sI URL/; curl -si URL/",
            "curl -sv URL/ 2>&1 >/dev/null; curl -svI URL/ 2>&1 >/dev/null; curl -sv -o f URL/echo",
            "curl -sv -d a=b URL/echo 2>&1 >/dev/null",
            "curl -svf URL/missing; curl -sv URL/nothing; curl -sv URL/short 2>&1 >/dev/null",
            "curl -sv -u u:p -o /dev/null URL/echo; curl -sv -m 1 -o f URL/slow",
            "curl -sv http://127.0.0.1:1/ URL/ 2>&1 >/dev/null",
            "curl -s --compressed URL/gzip; curl -s --compressed URL/deflate; curl -sS --compressed URL/no-gzip; curl -si --compressed URL/gzip; curl -sI --compressed URL/gzip; curl -s --compressed -w '%{size_download}' -o f URL/untyped",
            "for r in 2-4 -3 3- 5; do curl -s -r $r URL/range; echo; done; curl -s -r 2-4,6-7 URL/echo; curl -sS -r 20- URL/range; curl -sSf -r 20- URL/range",
            "printf 0123 > range; curl -sS -C - -O URL/range; curl -sS -C - -O URL/range; curl -sSf -C - -O URL/range",
            "curl -sS -C 4 URL/range; curl -sS -C 4 URL/untyped; printf ab > untyped; curl -sS -C - -O URL/untyped",
            "curl -sSOJ URL/named?n.txt; curl -sSOJ URL/named?n.txt; curl -sSOJ 'URL/named?../../evil.txt'; curl -sSOJ URL/untyped",
            "curl -sS --output-dir d -O URL/untyped; curl -sS --output-dir d --create-dirs -O URL/untyped; cat d/*; curl -sS --remote-name-all URL/untyped URL/chunked",
            "curl -s -w '%{http_code} %{num_headers} %{size_download} %{size_header} %{size_request} %{num_connects} %{num_redirects} %{urlnum} %{content_type} %header{content-type} %{scheme} %{method}\\n' -o /dev/null URL/ URL/moved",
            "curl -s -w '%{header_json}' -o /dev/null URL/; curl -s -w 'a%{onerror}b' URL/; curl -s -w 'a%{stderr}b%{stdout}c' -o /dev/null URL/",
            "curl -sSL --post301 -d x URL/moved301; curl -sSL --post302 -d x URL/moved; curl -sSL --post303 -d x URL/see-other; curl -sSL -d x URL/moved; curl -sSL -d x URL/see-other; curl -sSL -X POST -d x URL/moved; curl -sSL -d x URL/kept",
            "curl -sS --max-filesize 3 URL/; curl -sS --max-filesize 1k URL/; curl -sS --oauth2-bearer tok URL/echo; curl -sS --basic -u u:p URL/echo",
            "curl --no-progress-meter --retry 2 --retry-delay 1 URL/busy; curl -sS --retry 1 URL/busy; curl --no-progress-meter --retry 1 -o f URL/busy",
            "curl -sS --fail-early -f URL/missing URL/; curl -sSf URL/missing URL/; curl -sS --fail-with-body URL/missing",
            "curl -sSLI URL/moved; curl -s -c jar -o /dev/null URL/cookie; cat jar; curl -s -b jar URL/echo; rm jar",
            "curl -sS -T /dev/null -X POST http://127.0.0.1:1; echo x > f; curl -sS -T f URL/echo; curl -sS -T f URL/echo/; curl -sS -G -d x=1 --data-urlencode 'y=a b' URL/echo",
        ],
    );
}
