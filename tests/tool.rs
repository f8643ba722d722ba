//! The six tools: one row a behaviour. A row says which files there are, what is asked, and the whole answer.

// A test may stop at the first surprise.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use exuvia::tool::{
    Call, Cancel, OutputChunk, Request, Stream, TOOL_NAMES, VirtualWorkspace, call_blocking, definitions,
};
use serde_json::{Value, json};

/// A workspace with these files in it.
fn workspace(files: &[(&str, &[u8])]) -> VirtualWorkspace {
    let mut builder = VirtualWorkspace::builder();
    for (path, contents) in files {
        builder = builder.file(format!("/workspace/{path}"), contents);
    }
    VirtualWorkspace::new(builder.build().unwrap())
}

fn ask(workspace: &mut VirtualWorkspace, tool: &str, input: Value) -> Value {
    match call_blocking(workspace, tool, input, Call::default()) {
        Ok(outcome) => json!(outcome),
        Err(error) => panic!("{error}"),
    }
}

/// The output of a call that completes.
fn output(workspace: &mut VirtualWorkspace, tool: &str, input: Value) -> Value {
    let outcome = ask(workspace, tool, input);
    assert_eq!(outcome["kind"], "completed", "{outcome}");
    outcome["output"].clone()
}

/// Code and message of a call that fails.
fn failure(workspace: &mut VirtualWorkspace, tool: &str, input: Value) -> (String, String) {
    let outcome = ask(workspace, tool, input);
    assert_eq!(outcome["kind"], "failed", "{outcome}");
    let text = |key: &str| outcome[key].as_str().unwrap().to_owned();
    (text("code"), text("message"))
}

/// What bash prints, for looking at the tree.
fn bash(workspace: &mut VirtualWorkspace, command: &str) -> String {
    let output = output(workspace, "bash", json!({ "command": command }));
    assert_eq!(output["stderr"], "");
    output["stdout"].as_str().unwrap().to_owned()
}

mod bash_tool {
    use super::*;

    fn reply(command: &str) -> Value {
        output(&mut workspace(&[]), "bash", json!({ "command": command }))
    }

    macro_rules! replies {
        ($($name:ident: $command:expr => $reply:tt;)*) => {$(
            #[test]
            fn $name() {
                assert_eq!(reply($command), json!($reply));
            }
        )*};
    }

    replies! {
        status_and_both_streams: "echo out; echo err >&2; exit 3" => {"exitCode": 3, "stdout": "out\n", "stderr": "err\n"};
        starts_in_the_workspace: "pwd; echo $HOME $PATH $LANG $TERM" => {"exitCode": 0, "stderr": "",
            "stdout": "/workspace\n/workspace /usr/local/bin:/usr/bin:/bin C.UTF-8 dumb\n"};
        standard_input_is_empty: "cat; read x || echo none" => {"exitCode": 0, "stdout": "none\n", "stderr": ""};
        bytes_that_are_no_characters: r"printf 'a\xff\xe2\x82'" => {"exitCode": 0, "stdout": "a\u{fffd}\u{fffd}", "stderr": ""};
        a_command_that_is_not_there: "nope" => {"exitCode": 127, "stdout": "", "stderr": "bash: line 1: nope: command not found\n"};
        a_syntax_error: "if" => {"exitCode": 2, "stdout": "", "stderr": "bash: -c: line 2: syntax error: unexpected end of file\n"};
        a_background_command_ends_first: "sleep 3 && echo late & echo soon" => {"exitCode": 0, "stdout": "soon\nlate\n", "stderr": ""};
        a_deadlock_is_said: "coproc cat; read x <&${COPROC[0]}" => {"exitCode": 137, "stdout": "",
            "stderr": "exuvia: deadlock: every process waits for another one\n"};
        the_longest_that_is_kept: "head -c 30000 /dev/zero | tr '\\0' x >&2" => {"exitCode": 0, "stdout": "", "stderr": ("x".repeat(30_000))};
    }

    #[test]
    fn a_call_is_a_new_shell_but_files_stay() {
        let mut workspace = workspace(&[]);
        bash(
            &mut workspace,
            "x=1; cd /tmp; f() { :; }; echo kept > /workspace/file",
        );
        assert_eq!(
            bash(&mut workspace, "echo \"[$x]\"; pwd; type f 2>/dev/null; cat file"),
            "[]\n/workspace\nkept\n"
        );
    }

    fn cut(stream: &str) -> String {
        let command = format!("seq 100000 >&{}", if stream == "stdout" { 1 } else { 2 });
        let reply = reply(&command);
        assert_eq!(
            (&reply["truncated"], &reply["exitCode"]),
            (&json!(true), &json!(0))
        );
        reply[stream].as_str().unwrap().to_owned()
    }

    #[test]
    fn output_that_is_cut_says_by_how_much() {
        let whole: String = (1..=100_000).map(|number| format!("{number}\n")).collect();
        let (head, tail) = (&whole[..15_000], &whole[whole.len() - 15_000..]);
        let left_out = whole.len() - 30_000;
        for stream in ["stdout", "stderr"] {
            let note = "characters left out: to see them, send the output to a file and read parts of it]";
            assert_eq!(cut(stream), format!("{head}\n[{left_out} {note}\n{tail}"));
        }
    }

    #[test]
    fn characters_are_counted_not_bytes() {
        let reply = reply("for ((i = 0; i < 30001; i++)); do printf 𝄞; done");
        let text = reply["stdout"].as_str().unwrap();
        assert!(
            text.contains("\n[1 characters left out"),
            "{}",
            &text[60_000..60_200]
        );
        assert_eq!(text.matches('𝄞').count(), 30_000);
    }

    #[test]
    fn time_that_is_over() {
        for command in [
            "printf partly; sleep 5",
            "printf partly; trap '' TERM INT; sleep 5",
            "printf partly; while :; do :; done || echo no",
            "printf partly; sleep 5 & wait",
            "printf partly; yes > /dev/null",
        ] {
            let input = json!({"command": command, "timeout": 1});
            let mut workspace = workspace(&[]);
            let expected = json!({"exitCode": 124, "stdout": "partly", "timedOut": true,
                "stderr": "timed out after 1 s: the command was killed\n"});
            assert_eq!(output(&mut workspace, "bash", input), expected, "{command}");
            assert_eq!(bash(&mut workspace, "echo goes on"), "goes on\n");
        }
    }

    #[test]
    fn the_line_about_time_is_a_line_of_its_own() {
        let input = json!({"command": "printf partly >&2; sleep 5", "timeout": 1});
        let reply = output(&mut workspace(&[]), "bash", input);
        assert_eq!(
            reply["stderr"],
            "partly\ntimed out after 1 s: the command was killed\n"
        );
    }

    #[test]
    fn time_that_is_enough() {
        let input = json!({"command": "sleep 5; echo done", "timeout": 6});
        assert_eq!(output(&mut workspace(&[]), "bash", input)["stdout"], "done\n");
        let input = json!({"command": "sleep 119; echo done"});
        assert_eq!(output(&mut workspace(&[]), "bash", input)["exitCode"], 0);
        let input = json!({"command": "sleep 121; echo done"});
        assert_eq!(output(&mut workspace(&[]), "bash", input)["exitCode"], 124);
    }

    #[test]
    fn cancelled() {
        let cancel = Cancel::new();
        let handle = cancel.clone();
        let mut seen = |chunk: OutputChunk| {
            if chunk.text.contains("started") {
                handle.cancel();
            }
        };
        let call = Call {
            cancel,
            output: Some(&mut seen),
        };
        let input = json!({"command": "echo started; while :; do :; done"});
        let outcome = call_blocking(&mut workspace(&[]), "bash", input, call).unwrap();
        let expected = json!({"kind": "completed", "output": {"exitCode": 130, "stdout": "started\n",
            "stderr": "cancelled: the command was killed\n"}});
        assert_eq!(json!(outcome), expected);
    }

    #[test]
    fn streams_in_order_and_by_whole_characters() {
        let mut chunks: Vec<OutputChunk> = Vec::new();
        let mut take = |chunk| chunks.push(chunk);
        let call = Call {
            output: Some(&mut take),
            ..Call::default()
        };
        let command =
            r"echo a; echo b >&2; printf '\xe2\x82'; sleep 1; printf '\xac\n'; echo c >&2; printf '\xe2'";
        call_blocking(&mut workspace(&[]), "bash", json!({ "command": command }), call).unwrap();
        let text = |stream| -> String {
            let of = chunks.iter().filter(|chunk| chunk.stream == stream);
            of.map(|chunk| chunk.text.as_str()).collect()
        };
        assert_eq!(text(Stream::Stdout), "a\n€\n\u{fffd}");
        assert_eq!(text(Stream::Stderr), "b\nc\n");
        assert_eq!(
            (chunks[0].stream, chunks[1].stream),
            (Stream::Stdout, Stream::Stderr)
        );
    }
}

mod read_tool {
    use super::*;

    fn read(contents: &[u8], input: Value) -> Value {
        let mut input = input;
        input["path"] = json!("file");
        output(&mut workspace(&[("file", contents)]), "read", input)
    }

    macro_rules! reads {
        ($($name:ident: $contents:expr, $input:tt => $output:expr;)*) => {$(
            #[test]
            fn $name() {
                assert_eq!(read($contents, json!($input)), json!($output));
            }
        )*};
    }

    fn lines(count: u32) -> Vec<u8> {
        (1..=count)
            .flat_map(|number| format!("line {number}\n").into_bytes())
            .collect()
    }

    reads! {
        whole: b"a\n\tb \n\nc\n", {} => "1\ta\n2\t\tb \n3\t\n4\tc";
        no_final_newline: b"a\nb", {} => "1\ta\n2\tb";
        a_blank_last_line: b"a\n\n", {} => "1\ta\n2\t";
        carriage_returns: b"a\r\nb\rc\r\nd\r", {} => "1\ta\n2\tb\rc\n3\td\r";
        byte_order_mark: b"\xef\xbb\xbfa\n\xef\xbb\xbfb\n", {} => "1\ta\n2\t\u{feff}b";
        empty: b"", {} => "The file is empty.";
        empty_with_offset: b"", {"offset": 5} => "The file is empty.";
        past_the_end: b"a\nb\n", {"offset": 3} => "Offset 3 is past the end: the file has 2 lines.";
        past_the_end_of_one: b"a", {"offset": 9} => "Offset 9 is past the end: the file has 1 line.";
        numbers_are_aligned: &lines(11), {"offset": 9} => " 9\tline 9\n10\tline 10\n11\tline 11";
        numbers_by_what_is_shown: &lines(11), {"offset": 8, "limit": 2} => "8\tline 8\n9\tline 9\n[there are more lines: go on with offset 10]";
        a_page_that_ends_the_file: &lines(3), {"offset": 2, "limit": 2} => "2\tline 2\n3\tline 3";
        not_utf8: b"caf\xe9\nok\n", {} => "1\tcaf\u{fffd}\n2\tok\n[not all of it is UTF-8: \u{fffd} stands for bytes that are no characters]";
        not_utf8_elsewhere: b"caf\xe9\nok\n", {"offset": 2} => "2\tok";
        longest_line: &[b'x'; 2000], {} => format!("1\t{}", "x".repeat(2000));
        longer_line: &[b'x'; 2001], {} => format!("1\t{}…", "x".repeat(2000));
        long_line_of_wide_characters: "𝄞".repeat(2001).as_bytes(), {} => format!("1\t{}…", "𝄞".repeat(2000));
        long_line_with_carriage_return: format!("{}\r\n", "𝄞".repeat(2000)).as_bytes(), {} => format!("1\t{}", "𝄞".repeat(2000));
        nul_far_down: &[lines(1100).as_slice(), b"x\0y\n"].concat(), {"offset": 1101} => "1101\tx\u{2400}y";
        null_is_not_given: b"a\n", {"offset": null, "limit": null} => "1\ta";
    }

    #[test]
    fn the_default_page_is_2000_lines() {
        let text = read(&lines(2001), json!({}));
        let text = text.as_str().unwrap();
        assert!(text.starts_with("   1\tline 1\n"));
        assert!(text.ends_with("\n2000\tline 2000\n[there are more lines: go on with offset 2001]"));
    }

    #[test]
    fn numbers_agree_between_pages_of_a_large_file() {
        let contents = lines(200_000);
        let text = read(&contents, json!({"offset": 123_456, "limit": 1}));
        assert_eq!(
            text,
            "123456\tline 123456\n[there are more lines: go on with offset 123457]"
        );
    }

    #[test]
    fn a_line_of_a_gigabyte() {
        let mut workspace = workspace(&[]);
        bash(
            &mut workspace,
            "echo start > big; truncate -s 900M big 2>/dev/null || dd if=/dev/null of=big bs=1 seek=900M 2>/dev/null; echo >> big; echo end >> big",
        );
        let text = output(&mut workspace, "read", json!({"path": "big", "offset": 3}));
        assert_eq!(text, "3\tend");
    }

    macro_rules! fails {
        ($($name:ident: $setup:expr, $path:expr => $code:expr, $message:expr;)*) => {$(
            #[test]
            fn $name() {
                let mut workspace = workspace(&[]);
                bash(&mut workspace, concat!(":;", $setup));
                let (code, message) = failure(&mut workspace, "read", json!({"path": $path}));
                assert_eq!((code.as_str(), message.as_str()), ($code, $message));
            }
        )*};
    }

    fails! {
        missing: "", "nope" => "sandbox.not_found", "/workspace/nope: No such file or directory";
        below_a_file: "echo > f", "f/g" => "sandbox.not_found", "/workspace/f/g: Not a directory";
        directory: "mkdir d", "./d//" => "sandbox.is_directory", "/workspace/d: Is a directory";
        the_workspace: "", "." => "sandbox.is_directory", "/workspace: Is a directory";
        binary: r"printf 'a\0b' > f", "f" => "sandbox.binary", "/workspace/f: binary file (data, 3 bytes)";
        image: r"printf '\x89PNG\r\n\x1a\n\0\0' > f", "f" => "sandbox.binary", "/workspace/f: binary file (PNG image, 10 bytes)";
        utf16: r"printf '\xff\xfea\0' > f", "f" => "sandbox.binary", "/workspace/f: binary file (UTF-16 text, 4 bytes)";
        program: "", "/bin/cat" => "sandbox.binary", "/bin/cat: binary file (ELF program, 16 bytes)";
        unreadable: "echo > f; chmod 0 f", "f" => "sandbox.error", "/workspace/f: Permission denied";
        device: "", "/dev/null" => "sandbox.error", "/dev/null: Not a regular file";
        link_loop: "ln -s l l", "l" => "sandbox.error", "/workspace/l: Too many levels of symbolic links";
        nul_in_the_path: "", "a\0b" => "sandbox.error", "/workspace/a\0b: Not a regular file";
    }
}

mod write_tool {
    use super::*;

    macro_rules! writes {
        ($($name:ident: $setup:expr, $path:expr, $content:expr => $reply:tt, $look:expr => $seen:expr;)*) => {$(
            #[test]
            fn $name() {
                let mut workspace = workspace(&[]);
                bash(&mut workspace, concat!(":;", $setup));
                let reply = output(&mut workspace, "write", json!({"path": $path, "content": $content}));
                assert_eq!(reply, json!($reply));
                assert_eq!(bash(&mut workspace, $look), $seen);
            }
        )*};
    }

    writes! {
        new_file: "", "f", "a\n" => {"path": "/workspace/f", "bytes": 2}, "cat f; stat -c '%a %u' f" => "a\n644 1000\n";
        parents: "", "a/b/f", "x" => {"path": "/workspace/a/b/f", "bytes": 1}, "cat a/b/f; stat -c %a a" => "x755\n";
        exactly: "", "f", "\ta \r\n\n$x `y` \\n é" => {"path": "/workspace/f", "bytes": 19}, "cat f" => "\ta \r\n\n$x `y` \\n é";
        nothing: "echo old > f", "f", "" => {"path": "/workspace/f", "bytes": 0}, "wc -c < f" => "0\n";
        shorter: "echo a long text > f", "f", "x" => {"path": "/workspace/f", "bytes": 1}, "cat f" => "x";
        mode_stays: "echo > f; chmod 750 f", "f", "x" => {"path": "/workspace/f", "bytes": 1}, "stat -c %a f" => "750\n";
        through_a_link: "echo > f; ln -s f l", "l", "x" => {"path": "/workspace/l", "bytes": 1}, "cat f; readlink l" => "xf\n";
        through_a_dangling_link: "ln -s f l", "l", "x" => {"path": "/workspace/l", "bytes": 1}, "cat f; readlink l" => "xf\n";
        hard_links_stay: "echo > f; ln f g", "f", "x" => {"path": "/workspace/f", "bytes": 1}, "cat g; stat -c %h f" => "x2\n";
        absolute: "", "/tmp/./f", "x" => {"path": "/tmp/f", "bytes": 1}, "cat /tmp/f" => "x";
    }

    macro_rules! fails {
        ($($name:ident: $setup:expr, $path:expr => $message:expr;)*) => {$(
            #[test]
            fn $name() {
                let mut workspace = workspace(&[]);
                bash(&mut workspace, concat!(":;", $setup));
                let (code, message) = failure(&mut workspace, "write", json!({"path": $path, "content": "x"}));
                assert_eq!((code.as_str(), message.as_str()), ("sandbox.write_failed", $message));
            }
        )*};
    }

    fails! {
        a_directory: "mkdir d", "d" => "/workspace/d: Is a directory";
        a_slash_at_the_end: "", "d/" => "/workspace/d/: Is a directory";
        below_a_file: "echo > f", "f/g" => "/workspace/f/g: Not a directory";
        no_permission: "echo > f; chmod 444 f", "f" => "/workspace/f: Permission denied";
        another_users: "", "/etc/passwd" => "/etc/passwd: Permission denied";
        a_device: "", "/dev/null" => "/dev/null: Not a regular file";
    }

    #[test]
    fn a_full_disk_leaves_the_old_file() {
        let quota = exuvia::fs::Quota {
            bytes: 100_000,
            ..exuvia::fs::Quota::default()
        };
        let shell = VirtualWorkspace::builder()
            .quota(quota)
            .file("/workspace/f", "old\n")
            .build()
            .unwrap();
        let mut workspace = VirtualWorkspace::new(shell);
        let input = json!({"path": "f", "content": "x".repeat(200_000)});
        let (code, message) = failure(&mut workspace, "write", input);
        assert_eq!(
            (code.as_str(), message.as_str()),
            ("sandbox.write_failed", "/workspace/f: No space left on device")
        );
        assert_eq!(bash(&mut workspace, "cat f; ls"), "old\nf\n");
    }
}

mod input {
    use super::*;

    /// Inputs that the schema refuses, and so does the tool.
    fn refused() -> Vec<(&'static str, Value, &'static str)> {
        vec![
            ("bash", json!({}), "missing field `command`"),
            ("bash", json!({"command": ""}), "`command` must not be empty"),
            (
                "bash",
                json!({"command": "x", "timeout": 0}),
                "`timeout` must be from 1 to 600",
            ),
            (
                "bash",
                json!({"command": "x", "timeout": 601}),
                "`timeout` must be from 1 to 600",
            ),
            (
                "bash",
                json!({"command": "x", "timeout": 1.5}),
                "invalid type: floating point `1.5`, expected u64",
            ),
            (
                "bash",
                json!({"command": "x", "cwd": "/"}),
                "unknown field `cwd`, expected `command` or `timeout`",
            ),
            ("bash", json!("x"), "the input must be an object"),
            ("bash", json!(["x"]), "the input must be an object"),
            ("read", json!({"path": ""}), "`path` must not be empty"),
            (
                "read",
                json!({"path": "f", "offset": 0}),
                "`offset` must be at least 1",
            ),
            (
                "read",
                json!({"path": "f", "limit": 5001}),
                "`limit` must be from 1 to 5000",
            ),
            ("write", json!({"path": "f"}), "missing field `content`"),
            (
                "edit",
                json!({"path": "f", "old_string": "", "new_string": ""}),
                "`old_string` must not be empty",
            ),
            ("grep", json!({"pattern": ""}), "`pattern` must not be empty"),
            (
                "grep",
                json!({"pattern": "x", "max_results": 1001}),
                "`max_results` must be from 1 to 1000",
            ),
            ("glob", json!({"pattern": ""}), "`pattern` must not be empty"),
            (
                "glob",
                json!({"pattern": 1}),
                "invalid type: integer `1`, expected a string",
            ),
        ]
    }

    #[test]
    fn what_the_schema_refuses_is_refused() {
        for (tool, input, message) in refused() {
            let error = call_blocking(&mut workspace(&[]), tool, input.clone(), Call::default()).unwrap_err();
            assert_eq!(
                (error.tool.as_str(), error.message.as_str()),
                (tool, message),
                "{input}"
            );
        }
    }

    #[test]
    fn a_tool_that_is_not_there() {
        let error = Request::parse("python", json!({})).unwrap_err();
        assert_eq!(error.to_string(), "python: there is no such tool");
    }

    #[test]
    fn definitions_name_all_tools_and_their_bounds() {
        let definitions = definitions();
        let names: Vec<&str> = definitions
            .iter()
            .map(|definition| definition.name.as_str())
            .collect();
        assert_eq!(names, TOOL_NAMES);
        for definition in &definitions {
            let schema = &definition.input_schema;
            assert_eq!(schema["additionalProperties"], false);
            for (name, property) in schema["properties"].as_object().unwrap() {
                assert!(property["description"].as_str().unwrap().ends_with('.'), "{name}");
            }
        }
        let timeout = &definitions[0].input_schema["properties"]["timeout"];
        assert_eq!(
            (&timeout["minimum"], &timeout["maximum"], &timeout["default"]),
            (&json!(1), &json!(600), &json!(120))
        );
    }
}
