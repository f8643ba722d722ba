//! The library's face: what an embedder relies on.

// A test may stop at the first surprise.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};

use exuvia::fs::{Errno, Timestamp};
use exuvia::host::{Exec, Hooks, HostProgram, Open};
use exuvia::kernel::{Clock, Halt, Limits, Proc, ProgramFuture};
use exuvia::{Event, Outcome, Run, Shell, State};

fn stdout(outcome: &Outcome) -> &str {
    std::str::from_utf8(&outcome.stdout).unwrap()
}

#[test]
fn state_lasts_by_default_and_not_when_fresh() {
    let mut shell = Shell::new();
    shell.run("x=1; f() { echo f$x; }; cd /tmp; echo data > f");
    let outcome = shell.run("f; pwd; cat /tmp/f");
    assert_eq!(stdout(&outcome), "f1\n/tmp\ndata\n");

    let mut shell = Shell::builder().state(State::Fresh).build().unwrap();
    shell.run("x=1; cd /tmp; echo data > f");
    let outcome = shell.run("echo \"[$x]\"; pwd; cat /tmp/f");
    assert_eq!(stdout(&outcome), "[]\n/workspace\ndata\n");
}

#[test]
fn a_fork_is_independent() {
    let mut shell = Shell::new();
    shell.run("x=old; echo old > f");
    let mut fork = shell.fork().unwrap();
    fork.run("x=new; echo new > f");
    assert_eq!(stdout(&shell.run("echo $x; cat f")), "old\nold\n");
    assert_eq!(stdout(&fork.run("echo $x; cat f")), "new\nnew\n");
}

#[test]
fn a_snapshot_brings_files_and_state_back() {
    let mut shell = Shell::new();
    let script = "a=(1 'two words'); declare -A m=([k]=v); f() { echo in f; }; export e='x y'; set -- p q; \
                  set -u; shopt -s extglob; echo one > f; mkdir -p d; cd d";
    assert_eq!(shell.run(script).status, 0);
    let saved = serde_json::to_string(&shell.snapshot().unwrap()).unwrap();
    shell.run("a=(); unset m e; unset -f f; set +u; echo two > ../f; cd /; set --");
    shell.restore(&serde_json::from_str(&saved).unwrap()).unwrap();
    let outcome = shell.run("echo \"${a[1]}\" \"${m[k]}\" \"$e\" $# $-; f; pwd; cat ../f; shopt extglob");
    assert_eq!(outcome.stderr, b"");
    assert_eq!(
        stdout(&outcome),
        "two words v x y 2 huBc\nin f\n/workspace/d\none\nextglob        \ton\n"
    );
}

#[test]
fn a_run_takes_arguments_input_environment_and_directory() {
    let mut shell = Shell::builder()
        .file("/workspace/s.sh", "echo \"$0 $1 $E $(pwd)\"; cat")
        .build()
        .unwrap();
    let run = Run::file("s.sh")
        .args(["a"])
        .stdin("in\n")
        .env("E", "e")
        .cwd("/workspace");
    assert_eq!(stdout(&shell.execute(run)), "s.sh a e /workspace\nin\n");
}

#[test]
fn events_come_in_order_and_cancelling_ends_a_run() {
    let mut shell = Shell::new();
    let mut events = Vec::new();
    let outcome = shell.execute_with(Run::command("echo a; echo b >&2; echo c"), |event| {
        events.push(event)
    });
    assert_eq!(outcome.status, 0);
    let expected = [
        Event::Stdout(b"a\n".to_vec()),
        Event::Stderr(b"b\n".to_vec()),
        Event::Stdout(b"c\n".to_vec()),
    ];
    assert_eq!(events, expected);

    let mut execution = shell.start(Run::command("x=lost; while :; do :; done"));
    let mut cx = Context::from_waker(Waker::noop());
    assert!(Pin::new(&mut execution).poll(&mut cx).is_pending());
    execution.cancel();
    let Poll::Ready(outcome) = Pin::new(&mut execution).poll(&mut cx) else {
        panic!("not ready")
    };
    assert_eq!((outcome.status, outcome.halt), (130, Some(Halt::Cancelled)));
    drop(execution);
    assert_eq!(stdout(&shell.run("echo \"[$x]\"")), "[]\n");
}

#[test]
fn a_shell_and_a_run_can_move_between_threads() {
    fn is_send<T: Send>(_: &T) {}
    let mut shell = Shell::new();
    is_send(&shell);
    is_send(&shell.start(Run::command("echo x")));
}

#[test]
fn time_is_virtual_and_runs_repeat_byte_for_byte() {
    let build = || {
        let start = Timestamp {
            seconds: 1_000_000_000,
            nanos: 0,
        };
        Shell::builder()
            .clock(Clock::Virtual { start })
            .seed(7)
            .build()
            .unwrap()
    };
    let script = "sleep 3600 2>/dev/null || read -t 3600 x < <(read -t 7200 y); echo $RANDOM $SRANDOM $EPOCHSECONDS; echo $RANDOM";
    let (mut one, mut two) = (build(), build());
    let (one, two) = (one.run(script), two.run(script));
    assert_eq!(one, two);
}

struct Greeter;

impl HostProgram for Greeter {
    fn run<'a>(&'a self, proc: &'a mut Proc) -> ProgramFuture<'a> {
        Box::pin(async move {
            let name = proc.arguments().first().cloned().unwrap_or_default();
            proc.write(&[b"hello ", name.as_slice(), b"\n"].concat()).await?;
            Ok(3)
        })
    }
}

#[test]
fn a_host_program_is_a_command() {
    let mut shell = Shell::builder()
        .program("greet", Arc::new(Greeter))
        .build()
        .unwrap();
    let outcome = shell.run("greet you | cat; echo ${PIPESTATUS[0]}; type greet");
    assert_eq!(stdout(&outcome), "hello you\n3\ngreet is /usr/bin/greet\n");
}

#[test]
fn a_limit_is_said_and_the_shell_goes_on() {
    let mut shell = Shell::builder()
        .limits(Limits {
            steps: 10_000,
            ..Limits::default()
        })
        .build()
        .unwrap();
    let outcome = shell.run("echo start; while :; do :; done; echo no");
    assert_eq!(outcome.halt, Some(Halt::Steps));
    assert_eq!(outcome.stdout, b"start\n");
    assert_eq!(outcome.stderr, b"exuvia: step limit reached\n");
    assert_eq!(stdout(&shell.run("echo again")), "again\n");
}

/// Writes down what runs and what is opened, and refuses what is secret.
#[derive(Default)]
struct Recorder(std::sync::Mutex<Vec<String>>);

impl Hooks for Recorder {
    fn before_exec(&self, exec: &Exec<'_>) -> Result<(), Errno> {
        let words = exec.arguments.join(&b' ');
        self.0.lock().unwrap().push(format!(
            "{}: {}",
            String::from_utf8_lossy(exec.path),
            String::from_utf8_lossy(&words)
        ));
        Ok(())
    }

    fn before_open(&self, open: &Open<'_>) -> Result<(), Errno> {
        let way = if open.flags.write { ">" } else { "<" };
        self.0
            .lock()
            .unwrap()
            .push(format!("{way} {}", String::from_utf8_lossy(open.path)));
        if open.path.ends_with(b"secret") {
            Err(Errno::EACCES)
        } else {
            Ok(())
        }
    }
}

#[test]
fn hooks_see_and_refuse_programs_and_opens() {
    let recorder = Arc::new(Recorder::default());
    let mut shell = Shell::builder()
        .file("/workspace/secret", "x\n")
        .file_mode("/workspace/s", "#!/bin/cat\ntext\n", 0o755)
        .hooks(Arc::clone(&recorder) as Arc<dyn Hooks>)
        .build()
        .unwrap();
    let outcome = shell.run("echo a > out; cat secret; read x < secret; ./s -; echo out | xargs wc -l");
    assert_eq!(
        String::from_utf8_lossy(&outcome.stderr),
        "cat: secret: Permission denied\nbash: line 1: secret: Permission denied\n"
    );
    let mut fork = shell.fork().unwrap();
    fork.run("cat <(:) /dev/null; . ./secret");
    let seen = recorder.0.lock().unwrap().join("\n");
    let expected = [
        "> out",
        "/usr/bin/cat: cat secret",
        "< secret",
        "< secret",
        "./s: ./s -",
        "/bin/cat: /bin/cat ./s -",
        "< ./s",
        "/usr/bin/xargs: xargs wc -l",
        "/usr/bin/wc: wc -l out",
        "< out",
        "/usr/bin/cat: cat /dev/fd/63 /dev/null",
        "< /dev/null",
        "< ./secret",
    ];
    assert_eq!(seen, expected.join("\n"));
}
