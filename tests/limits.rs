//! Every limit ends a run in its own words, and no script, however hostile, does more than that.
//!
//! Each row runs on a thread with a stack of one MiB, under small limits, and ends either in a named halt or in an error of
//! bash's; afterwards the same shell runs the next script as if nothing had been. The last family shows the other side: the default
//! limits let ordinary work through.

#![allow(clippy::expect_used, clippy::panic)] // a test fails by panicking

use std::sync::Arc;
use std::time::{Duration, Instant};

use exuvia::fs::Quota;
use exuvia::kernel::{Clock, Halt, Limits};
use exuvia::{Outcome, Run, Shell, ShellBuilder};

/// The stack that a run must fit in.
const STACK: usize = 1 << 20;

/// No row takes longer, on a busy machine and without optimisation.
const PATIENCE: Duration = Duration::from_secs(60);

/// What hostile scripts run under.
fn small() -> Limits {
    Limits {
        steps: 4_000_000,
        output_bytes: 1 << 20,
        memory_bytes: 32 << 20,
        depth: 10_000,
        processes: 64,
        ..Limits::default()
    }
}

/// Runs on a small stack: the outcome, and the outcome of the next run on the same shell.
fn play(builder: ShellBuilder, run: Run) -> (Outcome, Outcome) {
    let body = move || {
        let mut shell = builder.build().expect("the tree is small");
        let first = shell.execute(run);
        let next = shell.execute(Run::command("x=next; echo $x | cat").limits(Limits::default()));
        (first, next)
    };
    let thread = std::thread::Builder::new()
        .stack_size(STACK)
        .spawn(body)
        .expect("a thread starts");
    thread.join().expect("the host does not panic")
}

/// What a row comes to.
enum End {
    /// One of these.
    Halt(&'static [Halt]),
    /// An error of the shell's, with this on standard error.
    Says(&'static str),
    /// One or the other.
    Either(&'static [Halt], &'static str),
    /// Standard output, status 0.
    Prints(&'static str),
}

fn check(name: &str, builder: ShellBuilder, run: Run, memory: u64, end: &End) {
    let began = Instant::now();
    let (outcome, next) = play(builder, run);
    let took = began.elapsed();
    let text = String::from_utf8_lossy(&outcome.stderr).into_owned();
    let tail = text.get(text.len().saturating_sub(300)..).unwrap_or(&text);
    let shown = format!(
        "{name}: halt {:?}, status {}, usage {:?}, {took:?}, stdout {} bytes, stderr …{tail:?}",
        outcome.halt,
        outcome.status,
        outcome.usage,
        outcome.stdout.len()
    );
    println!("{shown}");
    if ["sleep", "mkfifo"]
        .iter()
        .any(|program| text.contains(&format!("{program}: command not found")))
    {
        println!("{name}: not played without that program");
        return;
    }
    let halted = |halts: &[Halt]| {
        outcome.halt.is_some_and(|halt| {
            halts.contains(&halt)
                && text.ends_with(&format!("exuvia: {halt}\n"))
                && outcome.status == halt.status()
        })
    };
    let said = |words: &str| outcome.halt.is_none() && text.contains(words);
    let right = match end {
        End::Halt(halts) => halted(halts),
        End::Says(words) => said(words),
        End::Either(halts, words) => halted(halts) || said(words),
        End::Prints(words) => {
            outcome.halt.is_none() && outcome.status == 0 && outcome.stdout == words.as_bytes()
        }
    };
    assert!(right, "{shown}");
    // What is there already is counted after the fact: a pipe, an element.
    assert!(outcome.usage.peak_bytes <= memory + memory / 8, "{shown}");
    assert!(took < PATIENCE, "{shown}");
    assert_eq!(next.stdout, b"next\n", "{name}: the next run: {next:?}");
    assert_eq!((next.status, next.halt), (0, None), "{name}: the next run");
}

/// `name: script => end;` a test each, under the small limits.
macro_rules! hostile {
    ($($name:ident: $script:expr => $end:expr;)*) => {
        $(#[test]
        fn $name() {
            check(stringify!($name), Shell::builder().limits(small()), Run::command($script), small().memory_bytes, &$end);
        })*
    };
}

/// `name: limits, script => end;` a test each.
macro_rules! limited {
    ($($name:ident: { $($field:ident: $value:expr),* } $script:expr => $end:expr;)*) => {
        $(#[test]
        fn $name() {
            let limits = Limits { $($field: $value,)* ..Limits::default() };
            let memory = limits.memory_bytes;
            check(stringify!($name), Shell::builder().limits(limits), Run::command($script), memory, &$end);
        })*
    };
}

use Halt::{Deadlock, Depth, Memory, Output, Processes, Steps, WallClock};

mod each_limit {
    use super::*;

    limited! {
        steps: { steps: 1_000 } "while :; do :; done" => End::Halt(&[Steps]);
        output: { output_bytes: 1_000 } "while :; do echo some output; done" => End::Halt(&[Output]);
        memory: { memory_bytes: 100_000 } "x=0123456789; while :; do x=$x$x; done" => End::Halt(&[Memory]);
        depth: { depth: 50 } "f() { f; }; f" => End::Halt(&[Depth]);
        processes: { processes: 8 } "for i in 1 2 3 4 5 6 7 8 9; do sleep 5 & done; wait" => End::Halt(&[Processes]);
        open_files: { open_files: 12 } "for i in 1 2 3; do exec {fd}</dev/null || exit 7; done" => End::Says("Too many open files");
        pipe_bytes: { pipe_bytes: 1 } "for i in 1 2 3; do echo $i; done | while read x; do echo -n $x; done" => End::Prints("123");
        wall_clock: { wall_clock: Some(Duration::from_millis(50)) } "while :; do :; done" => End::Halt(&[WallClock]);
        time_asleep: { time: Some(Duration::from_secs(1)) } "trap '' TERM; sleep 5 || true" => End::Halt(&[WallClock]);
        time_at_work: { time: Some(Duration::from_millis(1)) } "while :; do :; done" => End::Halt(&[WallClock]);
        time_enough: { time: Some(Duration::from_secs(6)) } "sleep 5; echo $SECONDS" => End::Prints("5\n");
        time_of_background: { time: Some(Duration::from_secs(1)) } "sleep 5 && echo late & echo soon" => End::Prints("soon\n");
        deadlock: {} "mkfifo p; read x <p" => End::Halt(&[Deadlock]);
    }

    #[test]
    fn wall_clock_of_real_time_that_sleeps() {
        let limits = Limits {
            wall_clock: Some(Duration::from_millis(50)),
            ..Limits::default()
        };
        let clock = Clock::Real(Arc::new(exuvia::host::SystemClock));
        let builder = Shell::builder().limits(limits).clock(clock);
        check(
            "sleep",
            builder,
            Run::command("sleep 1000"),
            1 << 20,
            &End::Halt(&[WallClock]),
        );
    }

    #[test]
    fn quota_of_files() {
        let quota = Quota {
            bytes: 100_000,
            ..Quota::default()
        };
        let builder = Shell::builder().quota(quota);
        let run = Run::command("while echo a line of text; do :; done >f");
        check(
            "quota",
            builder,
            run,
            1 << 20,
            &End::Says("No space left on device"),
        );
    }

    #[test]
    fn path_too_long() {
        let run = Run::command("d=aaaaaaaaaaaaaaaa; for i in 1 2 3 4 5 6 7 8; do d=$d$d; done; : >$d");
        check(
            "path",
            Shell::builder(),
            run,
            1 << 20,
            &End::Says("File name too long"),
        );
    }

    #[test]
    fn cancel() {
        let mut shell = Shell::new();
        let mut execution = shell.start(Run::command("while :; do :; done"));
        let mut cx = std::task::Context::from_waker(std::task::Waker::noop());
        assert!(std::future::Future::poll(std::pin::Pin::new(&mut execution), &mut cx).is_pending());
        execution.cancel();
        let std::task::Poll::Ready(outcome) =
            std::future::Future::poll(std::pin::Pin::new(&mut execution), &mut cx)
        else {
            panic!("a cancelled run ends at the next poll")
        };
        drop(execution);
        assert_eq!((outcome.status, outcome.halt), (130, Some(Halt::Cancelled)));
        assert!(outcome.stderr.ends_with(b"exuvia: cancelled\n"));
        assert_eq!(shell.run("echo next").stdout, b"next\n");
    }

    #[test]
    fn dropped() {
        let mut shell = Shell::new();
        let mut execution = shell.start(Run::command("sleep 5 | while :; do :; done"));
        let mut cx = std::task::Context::from_waker(std::task::Waker::noop());
        assert!(std::future::Future::poll(std::pin::Pin::new(&mut execution), &mut cx).is_pending());
        drop(execution);
        assert_eq!(shell.run("echo next").stdout, b"next\n");
    }
}

/// `count` times `open`, then `inside`, then `count` times `close`.
fn nested(count: usize, open: &str, inside: &str, close: &str) -> String {
    [open.repeat(count), inside.to_string(), close.repeat(count)].concat()
}

mod processes {
    use super::*;

    hostile! {
        fork_bomb: ":(){ :|:& };:" => End::Halt(&[Processes, Steps]);
        fork_bomb_that_waits: ":(){ :|:; }; :" => End::Halt(&[Processes, Steps, Depth, Memory]);
        background_without_end: "while :; do sleep 1000 & done" => End::Halt(&[Processes]);
        sleep_is_free: "sleep 1000000000; echo awake" => End::Prints("awake\n");
        fifo_without_writer: "mkfifo p; read x <p" => End::Halt(&[Deadlock]);
        pipe_to_oneself: "mkfifo p; cat <p >p" => End::Either(&[Deadlock, Steps], "");
        coprocess_that_never_answers: "coproc cat; read x <&${COPROC[0]}" => End::Halt(&[Deadlock]);
        wait_for_stopped: "sleep 5 & kill -STOP $!; wait" => End::Either(&[Deadlock, Steps], "");
        process_substitutions: "while :; do : <(sleep 99); done" => End::Either(&[Processes, Steps], "Too many open files");
    }
}

mod loops {
    use super::*;

    hostile! {
        while_true: "while :; do :; done" => End::Halt(&[Steps]);
        until_false: "until false; do :; done" => End::Halt(&[Steps]);
        for_without_end: "for ((;;)); do :; done" => End::Halt(&[Steps]);
        errors_ignored: "while :; do false || true; done; trap '' EXIT" => End::Halt(&[Steps]);
        exit_trap_without_end: "trap 'while :; do :; done' EXIT; exit" => End::Halt(&[Steps]);
        yes_to_a_file: "yes >f" => End::Either(&[Steps], "No space left on device");
        yes_to_the_output: "yes" => End::Halt(&[Output, Steps]);
        zeros_through_a_pipe: "cat /dev/zero | tr '\\0' x" => End::Halt(&[Output, Steps]);
        zeros_in_a_substitution: "x=$(cat /dev/zero | tr '\\0' x)" => End::Halt(&[Memory, Steps]);
        mapfile_without_end: "mapfile x < <(yes)" => End::Either(&[Memory, Steps], "");
        read_without_newline: "while read -r x; do :; done </dev/urandom" => End::Halt(&[Steps, Memory]);
        read_zeros: "read -r x </dev/zero" => End::Halt(&[Steps, Memory]);
        select_without_end: "yes 9 | select x in a; do :; done" => End::Halt(&[Steps, Output]);
    }
}

mod growth {
    use super::*;

    hostile! {
        doubling: "x=0123456789; while :; do x=$x$x; done" => End::Halt(&[Memory]);
        doubling_by_append: "x=0123456789; while :; do x+=$x; done" => End::Halt(&[Memory]);
        doubling_in_quotes: "x=0123456789; while :; do x=\"$x-$x\"; done" => End::Halt(&[Memory]);
        doubling_of_elements: "a=(0 1 2 3); while :; do a+=(\"${a[@]}\"); done" => End::Halt(&[Memory, Steps]);
        doubling_of_parameters: "set -- 1 2 3 4; while :; do set -- \"$@\" \"$@\"; done" => End::Halt(&[Memory, Steps]);
        many_variables: "x=0123456789; for i in 1 2 3 4 5 6 7 8 9 10 11 12; do x=$x$x; done; while :; do declare v$((i++))=$x; done"
            => End::Halt(&[Memory, Steps]);
        many_elements: "x=0123456789; for i in 1 2 3 4 5 6 7 8 9 10 11 12; do x=$x$x; done; while :; do a[i++]=$x; done"
            => End::Halt(&[Memory]);
        many_keys: "declare -A a; x=0123456789; for i in 1 2 3 4 5 6 7 8 9 10 11 12; do x=$x$x; done; while :; do a[$((i++))]=$x; done"
            => End::Halt(&[Memory]);
        many_locals: "x=0123456789; for i in 1 2 3 4 5 6 7 8 9 10 11 12; do x=$x$x; done; f() { local y=$x$1; f 1; }; f"
            => End::Halt(&[Memory]);
        held_by_children: "x=0123456789; for i in 1 2 3 4 5 6 7 8 9 10 11 12; do x=$x$x; done; while :; do x=$x; (y=$x$x; sleep 9) & done"
            => End::Halt(&[Memory, Processes]);
        replacement: "x=aaaaaaaaaaaaaaaa; while :; do x=${x//a/aaaaaaaa}; done" => End::Halt(&[Memory, Steps]);
        replacement_by_many: "x=aaaaaaaaaaaaaaaa; while :; do x=${x//?/aaaaaaaa}; done" => End::Halt(&[Memory, Steps]);
        upper: "x=aaaaaaaaaaaaaaaa; while :; do x=${x^^}${x@Q}; done" => End::Halt(&[Memory]);
        number_range: "echo {1..1000000000}" => End::Either(&[Steps, Memory], "");
        huge_range: "echo {1..9223372036854775807}" => End::Either(&[Steps, Memory], "");
        brace_product: "echo {a,b,c,d}{a,b,c,d}{a,b,c,d}{a,b,c,d}{a,b,c,d}{a,b,c,d}{a,b,c,d}{a,b,c,d}{a,b,c,d}{a,b,c,d}{a,b,c,d}{a,b,c,d}{a,b,c,d}{a,b,c,d}"
            => End::Either(&[Steps, Memory], "");
        range_product: "echo {1..1000}{1..1000}{1..1000}" => End::Either(&[Steps, Memory], "");
        printf_width: "printf '%1000000000s'" => End::Either(&[Output, Memory, Steps], "");
        printf_width_star: "printf '%*d' 1000000000 1" => End::Either(&[Output, Memory, Steps], "");
        printf_precision: "printf '%.1000000000f' 1" => End::Either(&[Output, Memory, Steps], "");
        printf_integer_precision: "printf '%.1000000000d' 1" => End::Either(&[Output, Memory, Steps], "");
        printf_variable: "printf -v x '%1000000000s' a" => End::Either(&[Memory, Steps], "");
        program_printf: "env printf '%1000000000s'" => End::Either(&[Output, Memory, Steps], "");
        index_far_away: "a[9999999999]=1; echo ${!a[@]}" => End::Prints("9999999999\n");
        index_out_of_range: "a[9223372036854775807]=1; a+=(2)" => End::Either(&[], "");
        collected: "x=$(while :; do echo 0123456789012345678901234567890123456789; done)" => End::Halt(&[Memory, Steps]);
        here_string: "x=0123456789; while :; do read -r x <<<\"$x$x\"; done" => End::Halt(&[Memory, Steps]);
        exported: "export x=0123456789; while :; do x=$x$x; env >/dev/null; done" => End::Halt(&[Memory, Steps]);
    }
}

mod recursion {
    use super::*;

    hostile! {
        function: "f() { f; }; f" => End::Halt(&[Depth, Memory, Steps]);
        function_with_words: "f() { local x=$1; f $x$x; }; f a" => End::Halt(&[Memory, Depth]);
        function_in_a_loop: "f() { while :; do if :; then { f; }; fi; done; }; f" => End::Halt(&[Depth, Memory, Steps]);
        function_in_a_case: "f() { case x in x) for i in 1; do f && :; done;; esac; }; f" => End::Halt(&[Depth, Memory, Steps]);
        function_in_a_pipeline: "f() { f | f; }; f" => End::Halt(&[Depth, Processes, Steps, Memory]);
        function_in_a_subshell: "f() { (f); }; f" => End::Halt(&[Depth, Processes, Steps, Memory]);
        function_redirected: "f() { f; } >/dev/null; f" => End::Halt(&[Depth, Steps, Memory]);
        function_timed: "f() { time f; }; f" => End::Halt(&[Depth, Steps, Memory]);
        eval: "x='eval \"$x\"'; eval \"$x\"" => End::Halt(&[Depth, Steps, Memory]);
        eval_deeper: "x='eval \"eval \\\"$x\\\"\"'; eval \"$x\"" => End::Either(&[Depth, Steps, Memory], "");
        source: "echo '. ./f' >f; . ./f" => End::Halt(&[Depth, Steps, Memory]);
        script: "echo './f' >f; chmod +x f; ./f" => End::Either(&[Depth, Processes, Steps, Memory], "");
        script_of_bash: "echo 'bash ./f' >f; bash ./f" => End::Halt(&[Depth, Processes, Steps, Memory]);
        script_exec: "echo 'exec bash ./f' >f; bash ./f" => End::Halt(&[Depth, Processes, Steps, Memory]);
        trap_debug: "trap 'f' DEBUG; f() { f; }; f" => End::Halt(&[Depth, Steps, Memory]);
        trap_error: "set -E; trap 'f' ERR; f() { false; }; f" => End::Either(&[Depth, Steps, Memory], "");
        trap_signal: "trap 'kill -USR1 $$' USR1; kill -USR1 $$; while :; do :; done" => End::Halt(&[Depth, Steps, Memory]);
        trap_return: "set -T; trap 'f' RETURN; f() { :; }; f" => End::Either(&[Depth, Steps, Memory], "");
        alias: "shopt -s expand_aliases\nalias a='a a' b='c ' c='b '\na\nb c" => End::Says("command not found");
        command_substitution: "f() { echo $(f); }; f" => End::Halt(&[Depth, Processes, Steps, Memory]);
        backquotes: "f() { echo `f`; }; f" => End::Halt(&[Depth, Processes, Steps, Memory]);
        process_substitution: "f() { cat <(f); }; f" => End::Halt(&[Depth, Processes, Steps, Memory]);
        arithmetic: "x=x+1; echo $((x))" => End::Says("expression recursion level exceeded");
        arithmetic_by_elements: "a[0]='a[0]+1'; echo $((a[0]))" => End::Says("expression recursion level exceeded");
        arithmetic_by_subscript: "x='a[x]'; echo $((x))" => End::Says("expression recursion level exceeded");
        arithmetic_in_subscript: "x='a[$((x))]'; echo $((x))" => End::Says("expression recursion level exceeded");
        arithmetic_by_element_in_subscript: "x='a[${b[x]}]'; echo $((x))" => End::Says("expression recursion level exceeded");
        arithmetic_in_functions: "f() { if (($1)); then f $(($1 - 1)); else echo $((x)); fi; }; x='1+(x)'; f 11" => End::Says("expression recursion level exceeded");
        prompt: "PS4='$(f)'; f() { :; }; set -x; f" => End::Either(&[Depth, Processes, Steps, Memory], "");
        nameref: "declare -n a=b b=a; a=1; echo $a" => End::Says("circular name reference");
        command_not_found: "command_not_found_handle() { nothing; }; nothing" => End::Either(&[Depth, Processes, Steps, Memory], "");
        xargs: "echo 'echo a | xargs bash ./f' >f; bash ./f" => End::Halt(&[Depth, Processes, Steps, Memory]);
        env: "echo 'env bash ./f' >f; bash ./f" => End::Halt(&[Depth, Processes, Steps, Memory]);
        let_builtin: "x='let x'; x='x=x+1'; let x" => End::Says("");
        parameter_transformation: "x='${x@P}'; echo \"${x@P}\"" => End::Either(&[Depth, Steps, Memory], "");
        parameter_indirection: "x=x; echo \"${!x}\"" => End::Prints("x\n");
    }
}

mod nesting {
    use super::*;

    const DEEP: usize = 100_000;

    hostile! {
        parentheses: nested(DEEP, "(", ":", ")") => End::Either(&[Depth, Memory, Steps, Processes], "bash");
        parentheses_spaced: nested(DEEP, "( ", ":", " )") => End::Either(&[Depth, Memory, Steps, Processes], "bash");
        deep_in_functions: format!("f() {{ if (($1)); then for i in 1; do case x in x) while :; do {{ f $(($1 - 1)); }}; break; done;; esac; done; else eval \"$x\"; fi; }}; x='{}'; f 11", nested(40, "(", ":", ")"))
            => End::Either(&[Depth, Memory, Steps, Processes], "");
        deep_parse_in_functions: format!("f() {{ if (($1)); then for i in 1; do case x in x) while :; do {{ f $(($1 - 1)); }}; break; done;; esac; done; else eval \"$x\"; fi; }}; x='{}'; f 11", nested(47, "$(", ":", ")"))
            => End::Either(&[Depth, Memory, Steps, Processes], "");
        parentheses_some: nested(150, "( ", ":", " )") => End::Either(&[Depth, Memory, Steps, Processes], "");
        braces: nested(DEEP, "{ ", ":;", " };") => End::Either(&[Depth, Memory, Steps], "bash");
        ifs: nested(DEEP, "if :; then ", ":", "; fi") => End::Either(&[Depth, Memory, Steps], "bash");
        cases: nested(DEEP, "case x in x) ", ":", ";; esac") => End::Either(&[Depth, Memory, Steps], "bash");
        functions: nested(DEEP, "f() { ", ":", "; }") => End::Either(&[Depth, Memory, Steps], "bash");
        open_parentheses: "(".repeat(DEEP) => End::Says("bash");
        open_braces: "{ ".repeat(DEEP) => End::Either(&[Depth], "bash");
        arithmetic: format!("echo $(( {} ))", nested(DEEP, "(", "1", ")")) => End::Either(&[Depth, Memory, Steps], "bash");
        arithmetic_open: format!("echo $(( {}", "(".repeat(DEEP)) => End::Says("bash");
        arithmetic_signs: format!("echo $(( {}1 ))", "- ".repeat(DEEP)) => End::Either(&[Depth, Memory, Steps], "");
        arithmetic_conditions: format!("echo $(( {}1 ))", "1?".repeat(DEEP)) => End::Either(&[Depth, Memory, Steps], "bash");
        arithmetic_powers: format!("echo $(( {}1 ))", "1**".repeat(DEEP)) => End::Either(&[Depth, Memory, Steps], "");
        arithmetic_assignments: format!("echo $(( {}1 ))", "x=".repeat(DEEP)) => End::Either(&[Depth, Memory, Steps], "");
        arithmetic_subscripts: format!("echo $(( {} ))", nested(DEEP, "a[", "1", "]")) => End::Either(&[Depth, Memory, Steps], "");
        arithmetic_variable: format!("x='{}'; echo $((x))", nested(DEEP, "(", "1", ")")) => End::Either(&[Depth, Memory, Steps], "");
        conditions: format!("[[ {} ]]", nested(DEEP, "( ", "a", " )")) => End::Either(&[Depth, Memory, Steps], "bash");
        conditions_negated: format!("[[ {} a ]]", "! ".repeat(DEEP)) => End::Either(&[Depth, Memory, Steps], "");
        conditions_joined: format!("[[ a{} ]]", " && a".repeat(DEEP)) => End::Either(&[Depth, Memory, Steps], "");
        tests: format!("[ {} ]", nested(5_000, "\\( ", "a", " \\)")) => End::Either(&[Depth, Memory, Steps], "");
        tests_negated: format!("[ {} a ]", "! ".repeat(20_000)) => End::Either(&[Depth, Memory, Steps], "");
        substitutions: nested(DEEP, "$(", ":", ")") => End::Either(&[Depth, Memory, Steps, Processes], "bash");
        substitutions_quoted: nested(DEEP, "\"$(", ":", ")\"") => End::Either(&[Depth, Memory, Steps, Processes], "bash");
        parameters: format!("echo {}", nested(DEEP, "${x:-", "a", "}")) => End::Either(&[Depth, Memory, Steps], "bash");
        parameters_quoted: format!("echo {}", nested(DEEP, "\"${x:-", "a", "}\"")) => End::Either(&[Depth, Memory, Steps], "bash");
        braces_expanded: format!("echo {}", nested(DEEP, "{a,", "b", "}")) => End::Either(&[Depth, Memory, Steps, Output], "");
        process_substitutions: format!("cat {}", nested(DEEP, "<(cat ", "", ")")) => End::Either(&[Depth, Memory, Steps, Processes], "bash");
        negations: format!("{}:", "! ".repeat(DEEP)) => End::Either(&[Depth, Memory, Steps], "");
        times: format!("{}:", "time ".repeat(DEEP)) => End::Either(&[Depth, Memory, Steps], "");
        long_pipeline: format!(":{}", "|:".repeat(DEEP)) => End::Either(&[Depth, Memory, Steps, Processes], "");
        long_and: format!(":{}", "&&:".repeat(DEEP)) => End::Either(&[Depth, Memory, Steps], "");
        long_list: format!(":{}", ";:".repeat(DEEP)) => End::Either(&[Depth, Memory, Steps], "");
        long_elif: format!("if false; then :; {}fi", "elif false; then :; ".repeat(DEEP)) => End::Either(&[Depth, Memory, Steps], "");
        here_documents_unclosed: format!("cat {}", "<<E ".repeat(1_000)) => End::Either(&[], "here-document");
        here_document_unclosed: "cat <<E\nsome text" => End::Says("here-document");
        here_documents_nested: nested(500, "cat <<E\n$(", ":", "\nE\n)") => End::Either(&[Depth, Memory, Steps, Processes], "");
        quotes_unclosed: "\"$(\"$(\"$('" => End::Says("unexpected EOF");
        extended_pattern: format!("shopt -s extglob\n[[ {} == *(*(*(a)b)c)d ]]", "abc".repeat(2_000)) => End::Either(&[Steps, Memory], "");
        extended_pattern_of_a: format!("shopt -s extglob\n[[ {} == *(*(*(a)b)c)d ]]", "a".repeat(5_000)) => End::Either(&[Steps, Memory], "");
        stars: format!("[[ {} == {}b ]]", "a".repeat(5_000), "*a".repeat(500)) => End::Either(&[Steps, Memory], "");
        pattern_deep: format!("shopt -s extglob\ncase x in {}) ;; esac", nested(DEEP, "@(", "a", ")")) => End::Either(&[Depth, Steps, Memory], "");
        pattern_in_a_variable: format!("shopt -s extglob; p='{}'; [[ x == $p ]]", nested(DEEP, "@(", "a", ")")) => End::Either(&[Depth, Steps, Memory], "");
        regular_expression: format!("p='{}'; [[ x =~ $p ]]", nested(20_000, "(", "a", ")")) => End::Either(&[Depth, Steps, Memory], "");
        regular_expression_slow: format!("[[ {} =~ (a*)*b ]]", "a".repeat(5_000)) => End::Either(&[Steps, Memory], "");
        regular_expression_counts: "[[ aaa =~ ((a{1,255}){1,255}){1,255} ]]" => End::Either(&[Steps, Memory], "");
        removal: format!("x={}; y=${{x##*a*a*a*a*b}}", "a".repeat(5_000)) => End::Either(&[Steps, Memory], "");
        globs: "mkdir -p d/d/d/d/d; shopt -s globstar; echo **/**/**/**/**/**/**/**/**/**/** | wc -l" => End::Either(&[Steps, Memory], "");
        file_tree: "while mkdir d && cd d; do :; done" => End::Either(&[Steps, Memory], "too long");
    }
}

/// What was not counted once. `tests/hostile` has many more scripts, played as processes.
mod counted {
    use super::*;

    /// A text of about 8 KiB in `x`.
    const LONG: &str = "x=0123456789abcdef; x=$x$x$x$x$x$x$x$x; x=$x$x$x$x$x$x$x$x; x=$x$x$x$x$x$x$x$x; ";

    fn long(script: &str) -> String {
        [LONG, script].concat()
    }

    /// `x` is `unit`, doubled.
    fn doubled(unit: &str, times: usize, script: &str) -> String {
        format!("x='{unit}'; for i in {{1..{times}}}; do x=$x$x; done; {script}")
    }

    hostile! {
        aliases: long("while :; do alias a$((i++))=\"$x\"; done") => End::Halt(&[Memory, Steps]);
        traps: "x=0123456789; while :; do x=$x$x; trap \"$x\" USR1 USR2 HUP INT TERM QUIT ALRM; done" => End::Halt(&[Memory]);
        remembered_paths: long("while :; do hash -p /$x a$((i++)); done") => End::Halt(&[Memory, Steps]);
        history: long("while :; do history -s \"$x\"; done") => End::Halt(&[Memory, Steps]);
        directories: "while :; do pushd -n /tmp/aaaaaaaaaaaaaaaaaaaaaaaaaaaaa >/dev/null; done" => End::Halt(&[Memory, Steps]);
        functions: long("while :; do eval \"f$((i++)) () { echo $x; }\"; done") => End::Halt(&[Memory, Steps]);
        functions_of_many_commands: "while :; do eval \"f$((i++)) () { :;:;:;:;:;:;:;:;:;:;:;:;:;:; }\"; done" => End::Halt(&[Memory, Steps]);
        jobs: "while :; do : & done" => End::Halt(&[Memory, Steps]);
        tree_of_commands: doubled(":;", 19, "eval \"{ $x }\"") => End::Halt(&[Memory]);
        tree_of_words: doubled("a ", 19, "eval \": $x\"") => End::Halt(&[Memory]);
        tree_of_parameters: doubled("$a", 19, "eval \": $x\"") => End::Halt(&[Memory]);
        tree_of_stages: doubled(":|", 18, "eval \"$x :\"") => End::Halt(&[Memory]);
        tree_of_elements: doubled("a ", 19, "eval \"a=($x)\"") => End::Halt(&[Memory]);
        tree_of_arithmetic: doubled("1+", 20, "((y=${x}1))") => End::Halt(&[Memory]);
        tree_of_a_script: doubled(":;", 19, "echo \"{ $x }\" >f; bash f") => End::Halt(&[Memory]);
        fields_of_a_split: doubled("a ", 21, "set -- $x") => End::Halt(&[Memory]);
        pieces_of_awk: "awk 'BEGIN { x = sprintf(\"%10000000s\", \"\"); n = split(x, a, \"\") }'" => End::Halt(&[Memory]);
        width_of_a_sequence: doubled("0", 17, "eval \"echo {${x}1..100000}\"") => End::Halt(&[Memory, Steps]);
        width_of_diff: "seq 5 >a; seq 3 9 >b; diff -y -W 1000000000 a b" => End::Halt(&[Memory]);
        groups_of_an_expression: doubled("(a)?", 12, "[[ aaa =~ $x ]]; echo $?") => End::Prints("2\n");
        parentheses_of_expr: "expr $(printf '( %.0s' {1..50000}) 1" => End::Says("memory exhausted");
        parentheses_of_expr_allowed: "expr $(printf '( %.0s' {1..50}) 1 + 1 $(printf ' )%.0s' {1..50})" => End::Prints("2\n");
    }
}

/// What was not paid for once: work on large values, and copies of what a subshell shares.
mod paid {
    use super::*;

    fn large(script: &str) -> String {
        format!("x=a; for i in {{1..18}}; do x=$x$x; done; while :; do {script}; done")
    }

    hostile! {
        argument: large(": \"$x\"") => End::Halt(&[Steps]);
        function_argument: large("f() { :; }; f \"$x\"") => End::Halt(&[Steps]);
        length: large("((n = ${#x}))") => End::Halt(&[Steps]);
        substring: large("y=${x:100:1}") => End::Halt(&[Steps]);
        quoting: large("y=${x@Q}") => End::Halt(&[Steps]);
        regular_expressions: "while :; do [[ a =~ (a|b)*$((i++)) ]]; done" => End::Halt(&[Steps]);
        array_in_subshells: "a=({1..50000}); while :; do (a+=(1)); done" => End::Halt(&[Steps]);
        keys_in_subshells: "declare -A m; for i in {1..5000}; do m[$i]=1; done; while :; do (m[x]=1); done" => End::Halt(&[Steps]);
        variables_in_subshells: "for i in {1..5000}; do declare v$i=1; done; while :; do (y=1); done" => End::Halt(&[Steps]);
        environment: "for i in {1..5000}; do export v$i=1; done; while :; do v1=$((j++)); env true; done" => End::Halt(&[Steps]);
        array_slices: "a=({1..50000}); while :; do b=${a[@]:5:1}; done" => End::Halt(&[Steps]);
        many_locals: "f() { while :; do local v$((i++)); done; }; f" => End::Halt(&[Steps, Memory]);
        names_of_functions: "f() { (($1)) && { f $(($1 - 1)); return; }; while :; do y=${FUNCNAME[5]}; done; }; f 1000" => End::Halt(&[Steps]);
        long_paths: "p=./.; for i in {1..9}; do p=$p/$p; done; while :; do [ -e $p ]; done" => End::Halt(&[Steps]);
        options_of_a_long_word: "x=-a; for i in {1..16}; do x=$x${x#-}; done; while getopts a y \"$x\"; do :; done" => End::Either(&[Steps], "");
        awk_substr: "awk 'BEGIN { x = sprintf(\"%1000000s\", \"a\"); while (1) y = substr(x, 2) }'" => End::Halt(&[Steps]);
        awk_comparison: "awk 'BEGIN { x = sprintf(\"%1000000s\", \"a\"); z = x \"b\"; while (1) y = (x < z) }'" => End::Halt(&[Steps]);
        awk_streams: "awk 'BEGIN { while (1) print \"a\" > (\"f\" i++) }'" => End::Either(&[Steps, Memory], "");
        sed_counts: "yes | head -c 200000 | tr -d '\\n' | sed ':a; s/y/y/100000; ba'" => End::Halt(&[Steps]);
        sed_case: "yes | head -c 200000 | tr -d '\\n' | sed ':a; s/.*/\\U&/; ba'" => End::Halt(&[Steps]);
        grep_context: "yes | grep -B 1000000000 x" => End::Halt(&[Steps, Memory]);
        env_assignments: "while :; do env $(printf 'A%d=1 ' {1..5000}) true; done" => End::Halt(&[Steps]);
    }
}

mod ordinary_work {
    use super::*;

    limited! {
        million_turns: {} "i=0; while ((i < 1000000)); do ((i++)); done; echo $i" => End::Prints("1000000\n");
        million_lines: {} "yes a line of text | head -n 1000000 | { while read -r a b; do ((n++)); done; echo $n; }" => End::Prints("1000000\n");
        recursion: {} "f() { if (($1)); then f $(($1 - 1)); else echo end; fi; }; f 5000" => End::Prints("end\n");
        output: {} "yes 0123456789012345678901234567890123456789 | head -c 10000000 | wc -c" => End::Prints("10000000\n");
        elements: {} "for ((i = 0; i < 100000; i++)); do a[i]=element$i; done; echo ${#a[@]} ${a[99999]}" => End::Prints("100000 element99999\n");
        words: {} "set -- {1..100000}; echo $#" => End::Prints("100000\n");
        subshells: {} "for ((i = 0; i < 1000; i++)); do x=$(echo $i | cat); done; echo $x" => End::Prints("999\n");
        collected: {} "x=$(yes abcdefghi | head -c 5000000); echo ${#x}" => End::Prints("4999999\n");
        jobs: {} "for ((i = 0; i < 20000; i++)); do : & done; wait; echo $?" => End::Prints("0\n");
        jobs_of_a_script: {} "echo 'for ((i = 0; i < 20000; i++)); do : & (:); done; echo ok' >f; bash f" => End::Prints("ok\n");
        slurped: {} "seq 20000 | sed ':a; N; $!ba; s/\\n/,/g' | wc -c" => End::Prints("108894\n");
        rewritten: {} "x=$(yes abcdefghi | head -c 1000000); for ((i = 0; i < 1000; i++)); do y=$x; y=${y}1; done; echo ${#y}" => End::Prints("1000000\n");
    }

    #[test]
    fn ten_megabytes_of_output() {
        let run = Run::command("yes 0123456789 | head -c 10000000");
        let (outcome, _) = play(Shell::builder(), run);
        assert_eq!((outcome.stdout.len(), outcome.halt), (10_000_000, None));
    }
}
