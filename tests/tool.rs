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

/// Makes a file larger by a hole, which takes no memory.
fn hole(workspace: &VirtualWorkspace, name: &str) {
    let shell = workspace.shell();
    let path = format!("/workspace/{name}");
    shell
        .fs()
        .truncate(&shell.view(), path.as_bytes(), 900 << 20)
        .unwrap();
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
        a_number_with_a_point: b"a\nb\n", {"offset": 2.0} => "2\tb";
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
        bash(&mut workspace, "seq 3000 > big");
        hole(&workspace, "big");
        bash(&mut workspace, "echo >> big; echo end >> big");
        let text = output(&mut workspace, "read", json!({"path": "big", "offset": 3002}));
        assert_eq!(text, "3002\tend");
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
        program: "", "/bin/cat" => "sandbox.binary", "/bin/cat: binary file (ELF program, 15 bytes)";
        unreadable: "echo > f; chmod 0 f", "f" => "sandbox.error", "/workspace/f: Permission denied";
        device: "", "/dev/null" => "sandbox.error", "/dev/null: Not a regular file";
        link_loop: "ln -s l l", "l" => "sandbox.error", "/workspace/l: Too many levels of symbolic links";
        nul_in_the_path: "", "a\0b" => "sandbox.not_found", "/workspace/a\0b: No such file or directory";
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
        exactly: "", "f", "\ta \r\n\n$x `y` \\n é" => {"path": "/workspace/f", "bytes": 18}, "cat f" => "\ta \r\n\n$x `y` \\n é";
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
                "1.5 is no whole number from 0 up",
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

mod edit_tool {
    use super::*;

    /// Edits `file`, and gives the reply and the file afterwards.
    fn edit(contents: &[u8], old: &str, new: &str, all: bool) -> (Value, Vec<u8>) {
        let mut workspace = workspace(&[("file", contents)]);
        let input = json!({"path": "file", "old_string": old, "new_string": new, "replace_all": all});
        let outcome = ask(&mut workspace, "edit", input);
        let shell = workspace.shell();
        let after = shell.fs().read(&shell.view(), b"/workspace/file").unwrap();
        (outcome, after)
    }

    macro_rules! edits {
        ($($name:ident: $contents:expr, $old:expr => $new:expr, $after:expr;)*) => {$(
            #[test]
            fn $name() {
                let (outcome, after) = edit($contents, $old, $new, false);
                assert_eq!(outcome["output"]["replacements"], 1, "{outcome}");
                assert_eq!(String::from_utf8_lossy(&after), String::from_utf8_lossy($after));
                assert_eq!(after, $after);
            }
        )*};
    }

    edits! {
        plain: b"a b c\n", "b" => "x", b"a x c\n";
        no_final_newline: b"a\nb", "b" => "x", b"a\nx";
        to_nothing: b"a\nb\nc\n", "b\n" => "", b"a\nc\n";
        dollars_and_backslashes: b"a\n", "a" => r"$& $1 \1 \n $$", b"$& $1 \\1 \\n $$\n";
        tabs_and_trailing_blanks: b"\ta  \nb\n", "\ta  \n" => "  a\t\n", b"  a\t\nb\n";
        a_blank_text: b"a  b c\n", "  " => " ", b"a b c\n";
        byte_order_mark: b"\xef\xbb\xbfa\nb\n", "a\nb" => "x\ny", b"\xef\xbb\xbfx\ny\n";
        crlf: b"a\r\nb\r\nc\r\n", "a\nb\n" => "x\ny\nz\n", b"x\r\ny\r\nz\r\nc\r\n";
        crlf_within_a_line: b"a\r\nb\r\nc", "b" => "x\ny", b"a\r\nx\r\ny\r\nc";
        crlf_in_the_last_line: b"a\r\nb", "b" => "x\ny", b"a\r\nx\r\ny";
        crlf_starts_the_text: b"a\r\nb\r\n", "\nb" => "", b"a\r\n";
        crlf_given: b"a\r\nb\r\n", "a\r\nb" => "x\ny", b"x\ny\r\n";
        crlf_of_a_mixed_file: b"a\nb\r\nc\nd\r\n", "b\nc\n" => "x\ny\n", b"a\nx\r\ny\r\nd\r\n";
        lf_of_a_mixed_file: b"a\r\nb\nc\n", "b\nc" => "x\ny", b"a\r\nx\ny\n";
        not_utf8_beside: b"caf\xe9 old \xff\n", "old" => "new", b"caf\xe9 new \xff\n";
        nul_beside: b"a\0old\0", "old" => "new", b"a\0new\0";
        a_wide_character: "a𝄞b\n".as_bytes(), "𝄞" => "é", "aéb\n".as_bytes();
    }

    #[test]
    fn reply_and_diff() {
        let contents: String = (1..=9).map(|number| format!("line {number}\n")).collect();
        let (outcome, _) = edit(contents.as_bytes(), "line 5\n", "five\nand more\n", false);
        let diff = "--- /workspace/file\n+++ /workspace/file\n@@ -2,7 +2,8 @@\n line 2\n line 3\n line 4\n-line 5\n+five\n+and more\n line 6\n line 7\n line 8\n";
        let output = json!({"path": "/workspace/file", "replacements": 1, "diff": diff});
        assert_eq!(outcome, json!({"kind": "completed", "output": output}));
    }

    #[test]
    fn replace_all() {
        let (outcome, after) = edit(b"a a\nba\n", "a", "aa", true);
        assert_eq!(
            (&outcome["output"]["replacements"], after.as_slice()),
            (&json!(3), &b"aa aa\nbaa\n"[..])
        );
        let (outcome, after) = edit(b"a\r\nb\r\na\nb\n", "a\nb\n", "x\n", true);
        assert_eq!(
            (&outcome["output"]["replacements"], after.as_slice()),
            (&json!(2), &b"x\r\nx\n"[..])
        );
        let (outcome, after) = edit(b"aaa\n", "aa", "b", true);
        assert_eq!(
            (&outcome["output"]["replacements"], after.as_slice()),
            (&json!(1), &b"ba\n"[..])
        );
    }

    /// The diff is one that `patch` takes.
    #[test]
    fn diffs_of_many_changes_have_the_form_of_diff_u() {
        let contents: String = (1..=40)
            .map(|number| format!("{}\n", if number % 9 == 0 { "x" } else { "y" }))
            .collect();
        let mut workspace = workspace(&[("file", contents.as_bytes())]);
        bash(&mut workspace, "cp file old");
        let input = json!({"path": "file", "old_string": "x\n", "new_string": "z\nz\n", "replace_all": true});
        let reply = output(&mut workspace, "edit", input);
        let expected = bash(&mut workspace, "diff -u old file | tail -n +3");
        let diff = reply["diff"].as_str().unwrap();
        assert_eq!(diff.split_once("+++ /workspace/file\n").unwrap().1, expected);
    }

    #[test]
    fn a_diff_without_final_newline_and_a_new_file_without_lines() {
        let (outcome, _) = edit(b"a\nb", "\nb", "", false);
        let diff = outcome["output"]["diff"].as_str().unwrap();
        assert!(
            diff.ends_with(
                "@@ -1,2 +1 @@\n-a\n-b\n\\ No newline at end of file\n+a\n\\ No newline at end of file\n"
            ),
            "{diff}"
        );
        let (outcome, _) = edit(b"a\n", "a\n", "", false);
        let diff = outcome["output"]["diff"].as_str().unwrap();
        assert!(diff.ends_with("@@ -1 +0,0 @@\n-a\n"), "{diff}");
    }

    #[test]
    fn mode_and_links_stay() {
        let mut workspace = workspace(&[]);
        bash(&mut workspace, "echo old > f; chmod 755 f; ln f g; ln -s f l");
        output(
            &mut workspace,
            "edit",
            json!({"path": "l", "old_string": "old", "new_string": "new"}),
        );
        assert_eq!(
            bash(&mut workspace, "cat f g l; readlink l; stat -c '%a %h' f"),
            "new\nnew\nnew\nf\n755 2\n"
        );
    }

    macro_rules! fails {
        ($($name:ident: $contents:expr, $old:expr => $new:expr, $code:expr, $message:expr;)*) => {$(
            #[test]
            fn $name() {
                let (outcome, after) = edit($contents, $old, $new, false);
                assert_eq!(outcome["message"], concat!("/workspace/file: ", $message));
                assert_eq!(outcome["code"], $code);
                assert_eq!(after, $contents, "the file has changed");
            }
        )*};
    }

    fails! {
        the_same: b"a\n", "a" => "a", "sandbox.edit_noop", "nothing to change: old_string and new_string are the same";
        not_unique: b"a\nb\na b a\n", "a" => "x", "sandbox.edit_not_unique",
            "old_string is there 3 times, at lines 1 and 3: give more of the text around it, or set replace_all";
        not_unique_by_overlap: b"a\na\na\n", "a\na\n" => "x", "sandbox.edit_not_unique",
            "old_string is there 2 times, at lines 1 and 2: give more of the text around it, or set replace_all";
        nowhere: b"some text\n", "something else entirely" => "x", "sandbox.edit_no_match",
            "old_string is not in the file; nothing in it comes near";
        in_an_empty_file: b"", "a" => "x", "sandbox.edit_no_match", "old_string is not in the file; nothing in it comes near";
        tab_for_blanks: b"if x:\n\treturn 1\n", "    return 1" => "x", "sandbox.edit_no_match",
            "old_string is not in the file; the nearest text is at line 2 and differs in blanks: line 2 of the file is `\\treturn 1`, where old_string has `    return 1`";
        trailing_blank: b"a \nb\n", "a\nb" => "x", "sandbox.edit_no_match",
            "old_string is not in the file; the nearest text is at line 1 and differs in blanks: line 1 of the file is `a `, where old_string has `a`";
        case: b"Hello World\n", "hello world" => "x", "sandbox.edit_no_match",
            "old_string is not in the file; the nearest text is at line 1 and differs in upper and lower case: line 1 of the file is `Hello World`, where old_string has `hello world`";
        quotes: "say \u{201c}hi\u{201d}\n".as_bytes(), "say \"hi\"" => "x", "sandbox.edit_no_match",
            "old_string is not in the file; the nearest text is at line 1 and differs in characters that look alike: line 1 of the file is `say \\u{201c}hi\\u{201d}`, where old_string has `say \"hi\"`";
        dashes: b"a - b\n", "a \u{2014} b" => "x", "sandbox.edit_no_match",
            "old_string is not in the file; the nearest text is at line 1 and differs in characters that look alike: line 1 of the file is `a - b`, where old_string has `a \\u{2014} b`";
        no_break_space: "a\u{a0}b\n".as_bytes(), "a b" => "x", "sandbox.edit_no_match",
            "old_string is not in the file; the nearest text is at line 1 and differs in blanks: line 1 of the file is `a\\u{a0}b`, where old_string has `a b`";
        two_differences: "\tIt\u{2019}s\n".as_bytes(), "  It's" => "x", "sandbox.edit_no_match",
            "old_string is not in the file; the nearest text is at line 1 and differs in blanks and characters that look alike: line 1 of the file is `\\tIt\\u{2019}s`, where old_string has `  It's`";
        final_newline: b"a\nb", "b\n" => "x", "sandbox.edit_no_match",
            "old_string is not in the file; the nearest text is at line 2 and differs in line breaks at its start or end: line 2 of the file is `b`, where old_string has `b`";
        one_line_of_several: b"fn f() {\n    let a = 1;\n    let b = 2;\n}\n", "    let a = 1;\n    let b = 3;\n" => "x", "sandbox.edit_no_match",
            "old_string is not in the file; the nearest text is at line 2; line 3 of the file is `    let b = 2;`, where old_string has `let b = 3;`";
        nearest_line: b"one\nlet total = price * amount;\n", "let total = price * count;" => "x", "sandbox.edit_no_match",
            "old_string is not in the file; the nearest line is line 2: `let total = price * amount;`, where old_string has `let total = price * count;`";
        line_numbers: b"a\nb\n", "1\ta\n2\tb" => "x", "sandbox.edit_no_match",
            "old_string is not in the file; nothing in it comes near; old_string seems to hold the line numbers of `read`, which are no part of the file";
        made_before: b"a\nnew text\n", "old string" => "new text", "sandbox.edit_no_match",
            "old_string is not in the file; nothing in it comes near; new_string is there already, at line 2: was the edit made before?";
        not_utf8: b"caf\xe9 x\n", "caf\u{fffd} x" => "x", "sandbox.edit_no_match",
            "old_string is not in the file; line 1 has bytes that are not UTF-8, which are shown as \u{fffd} and cannot be given in old_string";
    }

    #[test]
    fn other_failures() {
        let mut workspace = workspace(&[]);
        bash(&mut workspace, "mkdir d; echo a > f; chmod 444 f");
        for (path, code, message) in [
            (
                "nope",
                "sandbox.not_found",
                "/workspace/nope: No such file or directory",
            ),
            ("d", "sandbox.is_directory", "/workspace/d: Is a directory"),
            ("f", "sandbox.write_failed", "/workspace/f: Permission denied"),
        ] {
            let input = json!({"path": path, "old_string": "a", "new_string": "b"});
            assert_eq!(
                failure(&mut workspace, "edit", input),
                (code.to_owned(), message.to_owned())
            );
        }
    }

    #[test]
    fn large_changes_end_soon_and_their_diffs_are_cut() {
        let contents = "x\n".repeat(200_000);
        let (outcome, after) = edit(contents.as_bytes(), "x", "y", true);
        assert_eq!(after, "y\n".repeat(200_000).as_bytes());
        assert!(
            outcome["output"]["diff"]
                .as_str()
                .unwrap()
                .contains("characters left out")
        );
        let old: String = (0..30_000).map(|number| format!("{number}\n")).collect();
        let new: String = (0..30_000).map(|number| format!("{}\n", number * 7)).collect();
        let (outcome, after) = edit(old.as_bytes(), &old, &new, false);
        assert_eq!(outcome["output"]["replacements"], 1);
        assert_eq!(after, new.as_bytes());
    }
}

mod grep_tool {
    use super::*;

    fn tree() -> VirtualWorkspace {
        workspace(&[
            ("a.c", b"int a;\nint b;\n"),
            ("a/z.c", b"int z;\r\n"),
            ("a/b/deep.py", b"import os\nINT = 1\n"),
            ("a0", b"int zero\n"),
            (".hidden", b"int hidden\n"),
            (".git/config", b"int git\n"),
            ("sub/.git/HEAD", b"int git\n"),
            ("binary", b"int\0\n"),
            ("long", b"begin"),
            ("latin", b"int caf\xe9\n"),
        ])
    }

    macro_rules! greps {
        ($($name:ident: $input:tt => $output:expr;)*) => {$(
            #[test]
            fn $name() {
                assert_eq!(output(&mut tree(), "grep", json!($input)), json!($output));
            }
        )*};
    }

    const W: &str = "/workspace";

    greps! {
        sorted_by_path: {"pattern": "int [abz]"} => format!("{W}/a.c:1:int a;\n{W}/a.c:2:int b;\n{W}/a/z.c:1:int z;\n{W}/a0:1:int zero");
        hidden_files_but_not_git: {"pattern": "int (hidden|git)"} => format!("{W}/.hidden:1:int hidden");
        case: {"pattern": "INT"} => format!("{W}/a/b/deep.py:2:INT = 1");
        any_case: {"pattern": "INT (=|A)", "ignore_case": true} => format!("{W}/a.c:1:int a;\n{W}/a/b/deep.py:2:INT = 1");
        by_name: {"pattern": "int", "glob": "*.c"} => format!("{W}/a.c:1:int a;\n{W}/a.c:2:int b;\n{W}/a/z.c:1:int z;");
        by_braces: {"pattern": "os|zero", "glob": "{*.py,a0}"} => format!("{W}/a/b/deep.py:1:import os\n{W}/a0:1:int zero");
        by_path: {"pattern": "int", "glob": "a/*.c"} => format!("{W}/a/z.c:1:int z;");
        by_deep_path: {"pattern": "import", "glob": "a/**/*.py"} => format!("{W}/a/b/deep.py:1:import os");
        by_absolute_path: {"pattern": "int", "path": "a", "glob": "/workspace/a/*.c"} => format!("{W}/a/z.c:1:int z;");
        below_a_directory: {"pattern": "int|import", "path": "a"} => format!("{W}/a/b/deep.py:1:import os\n{W}/a/z.c:1:int z;");
        one_file: {"pattern": "b", "path": "a.c"} => format!("{W}/a.c:2:int b;");
        the_git_directory_when_named: {"pattern": "git", "path": ".git"} => format!("{W}/.git/config:1:int git");
        bytes_that_are_no_characters: {"pattern": "caf"} => format!("{W}/latin:1:int caf\u{fffd}");
        gnu_operators: {"pattern": "\\bos$"} => format!("{W}/a/b/deep.py:1:import os");
        several_lines: {"pattern": "os$\nzero"} => format!("{W}/a/b/deep.py:1:import os\n{W}/a0:1:int zero");
        nothing: {"pattern": "nowhere"} => "No matches.";
        binary_is_skipped: {"pattern": "int", "path": "binary"} => "No matches.";
        first_page: {"pattern": "int", "glob": "*.c", "max_results": 2} =>
            format!("{W}/a.c:1:int a;\n{W}/a.c:2:int b;\n[more lines match: only the first 2 are shown; narrow the search, or raise max_results]");
        exactly_a_page: {"pattern": "int", "glob": "*.c", "max_results": 3} =>
            format!("{W}/a.c:1:int a;\n{W}/a.c:2:int b;\n{W}/a/z.c:1:int z;");
        empty_options: {"pattern": "zero", "path": "", "glob": ""} => format!("{W}/a0:1:int zero");
    }

    macro_rules! fails {
        ($($name:ident: $input:tt => $message:expr;)*) => {$(
            #[test]
            fn $name() {
                let (code, message) = failure(&mut tree(), "grep", json!($input));
                assert_eq!((code.as_str(), message.as_str()), ("sandbox.grep_failed", $message));
            }
        )*};
    }

    fails! {
        bad_pattern: {"pattern": "a("} => "a(: Unmatched ( or \\(";
        bad_path: {"pattern": "a", "path": "nope"} => "/workspace/nope: No such file or directory";
        a_device: {"pattern": "a", "path": "/dev/null"} => "/dev/null: Not a regular file";
    }

    #[test]
    fn links_are_not_followed() {
        let mut workspace = workspace(&[]);
        bash(
            &mut workspace,
            "mkdir d; echo word > d/f; ln -s .. d/up; ln -s d/f link; ln -s d dlink",
        );
        let found = output(&mut workspace, "grep", json!({"pattern": "word"}));
        assert_eq!(found, "/workspace/d/f:1:word");
        // But for the path itself.
        let found = output(
            &mut workspace,
            "grep",
            json!({"pattern": "word", "path": "dlink"}),
        );
        assert_eq!(found, "/workspace/dlink/f:1:word");
    }

    #[test]
    fn long_lines_are_cut() {
        let contents = [b"x".repeat(3000).as_slice(), b"end\n"].concat();
        let found = output(
            &mut workspace(&[("f", &contents)]),
            "grep",
            json!({"pattern": "end"}),
        );
        assert_eq!(found, format!("/workspace/f:1:{}…", "x".repeat(2000)));
    }

    #[test]
    fn lines_over_pieces_and_their_numbers() {
        let contents: Vec<u8> = (1..=100_000)
            .flat_map(|number| format!("line {number}\n").into_bytes())
            .collect();
        let mut workspace = workspace(&[("f", &contents)]);
        let found = output(&mut workspace, "grep", json!({"pattern": "9999[0-9]$|100000"}));
        let lines: Vec<String> = (99_990..=100_000)
            .map(|number| format!("/workspace/f:{number}:line {number}"))
            .collect();
        assert_eq!(found, lines.join("\n"));
        let found = output(&mut workspace, "grep", json!({"pattern": "line 40000$"}));
        assert_eq!(found, "/workspace/f:40000:line 40000");
    }

    #[test]
    fn the_first_page_needs_no_more() {
        let mut workspace = workspace(&[("a", b"word\nword\n")]);
        // Holes of a gigabyte, which would be searched as one line.
        bash(&mut workspace, ": > z");
        hole(&workspace, "z");
        let found = output(
            &mut workspace,
            "grep",
            json!({"pattern": "word", "max_results": 1}),
        );
        assert!(
            found
                .as_str()
                .unwrap()
                .starts_with("/workspace/a:1:word\n[more lines match")
        );
    }

    #[test]
    fn what_cannot_be_read_is_said() {
        let mut workspace = workspace(&[("f", b"word\n"), ("g", b"word\n"), ("d/f", b"word\n")]);
        bash(&mut workspace, "chmod 0 g d");
        let found = output(&mut workspace, "grep", json!({"pattern": "word"}));
        assert_eq!(
            found,
            "/workspace/f:1:word\n[not searched, because they cannot be read: 2]"
        );
    }
}

mod glob_tool {
    use super::*;

    fn tree() -> VirtualWorkspace {
        let paths = [
            "a.c",
            "a/z.c",
            "a/b/deep.py",
            "a0",
            ".hidden",
            ".git/config",
            "sub/.git/HEAD",
            "sub/.env",
            "sub/README.md",
            "src/x.ts",
            "src/y.tsx",
            "src/lib/z.ts",
            "src/[id].ts",
            "A.C",
        ];
        let files: Vec<(&str, &[u8])> = paths.iter().map(|path| (*path, b"".as_slice())).collect();
        workspace(&files)
    }

    macro_rules! globs {
        ($($name:ident: $input:tt => $($path:literal)*;)*) => {$(
            #[test]
            fn $name() {
                let paths: &[&str] = &[$($path),*];
                let paths: Vec<String> = paths.iter().map(|path| format!("/workspace/{path}")).collect();
                assert_eq!(output(&mut tree(), "glob", json!($input)), json!(paths.join("\n")));
            }
        )*};
    }

    globs! {
        a_name_at_any_depth: {"pattern": "*.c"} => "a.c" "a/z.c";
        everything_sorted: {"pattern": "*"} => ".hidden" "A.C" "a.c" "a/b/deep.py" "a/z.c" "a0" "src/[id].ts" "src/lib/z.ts" "src/x.ts" "src/y.tsx" "sub/.env" "sub/README.md";
        a_path: {"pattern": "a/*.c"} => "a/z.c";
        here_only: {"pattern": "./*.c"} => "a.c";
        any_directory: {"pattern": "**/*.c"} => "a.c" "a/z.c";
        below: {"pattern": "src/**/*.ts"} => "src/[id].ts" "src/lib/z.ts" "src/x.ts";
        all_below: {"pattern": "src/**"} => "src/[id].ts" "src/lib/z.ts" "src/x.ts" "src/y.tsx";
        a_slash_at_the_end: {"pattern": "sub/"} => "sub/.env" "sub/README.md";
        braces: {"pattern": "*.{tsx,py}"} => "a/b/deep.py" "src/y.tsx";
        braces_in_braces: {"pattern": "{src/{x,y}.ts*,a/{b/*.py,z.c}}"} => "a/b/deep.py" "a/z.c" "src/x.ts" "src/y.tsx";
        one_in_braces: {"pattern": "*.{py}"} => "a/b/deep.py";
        classes: {"pattern": "[a-c][.[:digit:]]*"} => "a.c" "a0";
        not_in_class: {"pattern": "src/[!x]*.ts"} => "src/[id].ts";
        escaped: {"pattern": "src/\\[id\\].ts"} => "src/[id].ts";
        one_character: {"pattern": "?.ts"} => "src/lib/z.ts" "src/x.ts";
        hidden: {"pattern": ".*"} => ".hidden" "sub/.env";
        case_counts: {"pattern": "*.C"} => "A.C";
        below_a_path: {"pattern": "*.ts", "path": "src/lib"} => "src/lib/z.ts";
        absolute: {"pattern": "/workspace/a/*.c", "path": "src"} => "a/z.c";
        literal: {"pattern": "a.c"} => "a.c";
        deep_within_a_name: {"pattern": "a**"} => "a.c" "a0";
    }

    #[test]
    fn nothing() {
        for pattern in ["*.nope", "nope/*.c", "a", "{", "src/**/nope"] {
            assert_eq!(
                output(&mut tree(), "glob", json!({ "pattern": pattern })),
                "No files matched.",
                "{pattern}"
            );
        }
    }

    #[test]
    fn failures() {
        for (input, code, message) in [
            (
                json!({"pattern": "*", "path": "nope"}),
                "sandbox.not_found",
                "/workspace/nope: No such file or directory",
            ),
            (
                json!({"pattern": "*", "path": "a.c"}),
                "sandbox.not_found",
                "/workspace/a.c: Not a directory",
            ),
            (
                json!({"pattern": "{a,b}".repeat(20)}),
                "sandbox.error",
                "the braces give too many patterns",
            ),
        ] {
            let found = failure(&mut tree(), "glob", input);
            assert!(found.0 == code && found.1.ends_with(message), "{found:?}");
        }
    }

    #[test]
    fn links() {
        let mut workspace = workspace(&[]);
        bash(
            &mut workspace,
            "mkdir d; echo > d/f; ln -s .. d/up; ln -s d dlink; ln -s f d/link; ln -s nowhere dangling",
        );
        let found = output(&mut workspace, "glob", json!({"pattern": "**"}));
        assert_eq!(found, "/workspace/d/f\n/workspace/d/link\n/workspace/dangling");
        let found = output(&mut workspace, "glob", json!({"pattern": "dlink/*"}));
        assert_eq!(found, "/workspace/dlink/f\n/workspace/dlink/link");
    }

    #[test]
    fn many_files() {
        let mut workspace = workspace(&[]);
        bash(&mut workspace, "for ((i = 1000; i < 1501; i++)); do : > $i; done");
        let found = output(&mut workspace, "glob", json!({"pattern": "1*"}));
        let lines: Vec<&str> = found.as_str().unwrap().lines().collect();
        assert_eq!(lines.len(), 501);
        assert_eq!(lines[499], "/workspace/1499");
        assert_eq!(
            lines[500],
            "[there are more files: only the first 500 are shown; give a narrower pattern or path]"
        );
        bash(&mut workspace, "rm 1500");
        let found = output(&mut workspace, "glob", json!({"pattern": "1*"}));
        assert_eq!(found.as_str().unwrap().lines().count(), 500);
    }

    #[test]
    fn more_files_than_are_looked_at() {
        let mut workspace = workspace(&[]);
        bash(
            &mut workspace,
            "for ((i = 10000; i < 30001; i++)); do : > $i; done; : > z",
        );
        let found = output(&mut workspace, "glob", json!({"pattern": "z"}));
        assert_eq!(
            found,
            "No files matched.\n[stopped after 20000 files: there may be more; give a narrower pattern or path]"
        );
        let found = output(&mut workspace, "glob", json!({"pattern": "3*"}));
        assert!(found.as_str().unwrap().starts_with("No files matched."));
    }
}

mod properties {
    use super::*;
    use exuvia::tool::{CLIP, Clip};
    use proptest::prelude::*;

    /// Texts of few characters, so that they meet.
    fn text(longest: usize) -> impl Strategy<Value = String> {
        let character = prop_oneof![
            4 => Just("a"), 2 => Just("b"), 2 => Just("\n"), 1 => Just("\r\n"), 1 => Just(" "), 1 => Just("é"), 1 => Just("\t")
        ];
        prop::collection::vec(character, 0..longest).prop_map(|parts| parts.concat())
    }

    fn with_unix_ends(text: &str) -> String {
        text.replace("\r\n", "\n")
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

        /// A unique text with newlines is found whatever the line ends are, and nothing beside it changes.
        #[test]
        fn an_edit_changes_nothing_outside_of_the_match(before in text(12), old in text(6), new in text(6), after in text(12)) {
            prop_assume!(!old.is_empty() && old != new);
            let contents = [before.as_bytes(), b"\xff", old.as_bytes(), b"\xfe", after.as_bytes()].concat();
            let mut workspace = workspace(&[("file", &contents)]);
            let input = json!({"path": "file", "old_string": with_unix_ends(&old), "new_string": with_unix_ends(&new)});
            let outcome = ask(&mut workspace, "edit", input);
            let shell = workspace.shell();
            let changed = shell.fs().read(&shell.view(), b"/workspace/file").unwrap();
            if outcome["kind"] == "failed" {
                prop_assert_eq!(changed, contents);
                return Ok(());
            }
            let start = [before.as_bytes(), b"\xff"].concat();
            let end = [b"\xfe", after.as_bytes()].concat();
            prop_assert!(changed.starts_with(&start) && changed.ends_with(&end));
            let middle = String::from_utf8(changed[start.len()..changed.len() - end.len()].to_vec()).unwrap();
            prop_assert_eq!(with_unix_ends(&middle), with_unix_ends(&new));
        }

        /// The diff of a change has as many lines taken away and added as it should: applied to the old text it gives the new one.
        #[test]
        fn a_diff_leads_from_the_old_text_to_the_new(contents in text(60), old in text(3), new in text(4)) {
            prop_assume!(!old.is_empty() && contents.contains(&old) && old != new);
            let mut workspace = workspace(&[("file", contents.as_bytes()), ("old", contents.as_bytes())]);
            let input = json!({"path": "file", "old_string": old, "new_string": new, "replace_all": true});
            let reply = ask(&mut workspace, "edit", input);
            if reply["kind"] == "failed" {
                return Ok(());
            }
            let diff = reply["output"]["diff"].as_str().unwrap().to_owned();
            let shell = workspace.shell();
            let changed = shell.fs().read(&shell.view(), b"/workspace/file").unwrap();
            prop_assert_eq!(applied(&contents, &diff), String::from_utf8(changed).unwrap());
        }

        /// Whatever the pieces, the clip is the one of the whole, and its ends are those of the text.
        #[test]
        fn a_clip_never_cuts_a_character(pieces in prop::collection::vec(("[a€𝄞\n]", 1_usize..9000), 0..12)) {
            let pieces: Vec<String> = pieces.into_iter().map(|(character, count)| character.repeat(count)).collect();
            let whole = pieces.concat();
            let (mut one, mut other) = (Clip::default(), Clip::default());
            one.push(&whole);
            pieces.iter().for_each(|piece| other.push(piece));
            let text = one.into_text();
            prop_assert_eq!(&text, &other.into_text());
            let count = whole.chars().count();
            if count <= CLIP {
                prop_assert_eq!(text, whole);
                return Ok(());
            }
            let head: String = whole.chars().take(CLIP / 2).collect();
            let tail: String = whole.chars().skip(count - CLIP / 2).collect();
            prop_assert!(text.starts_with(&head) && text.ends_with(&tail));
            let note = format!("[{} characters left out", count - CLIP);
            prop_assert!(text[head.len()..text.len() - tail.len()].contains(&note));
        }

        /// No pattern and no tree make glob and grep fail, or leave the workspace.
        #[test]
        fn patterns_are_harmless(pattern in "[a*?{},/.\\[\\]!\\\\-]{1,12}") {
            let mut workspace = workspace(&[("a", b"a\n"), ("aa/a", b"a\n"), ("a.a", b"a\n")]);
            ask(&mut workspace, "glob", json!({"pattern": pattern}));
            ask(&mut workspace, "grep", json!({"pattern": "a", "glob": pattern}));
            ask(&mut workspace, "grep", json!({"pattern": pattern}));
        }
    }

    /// What `patch` does, for a diff that fits exactly.
    fn applied(old: &str, diff: &str) -> String {
        let old: Vec<&str> = old.split_inclusive('\n').collect();
        let (mut new, mut at) = (String::new(), 0);
        let mut lines = diff.split_inclusive('\n').skip(2).peekable();
        while let Some(line) = lines.next() {
            if let Some(header) = line.strip_prefix("@@ -") {
                let range = header.split(' ').next().unwrap();
                let (start, count) = range.split_once(',').unwrap_or((range, "1"));
                let start: usize = start.parse().unwrap();
                let start = if count == "0" { start } else { start - 1 };
                new.extend(old[at..start].iter().copied());
                at = start;
                continue;
            }
            let bare = lines.peek().is_some_and(|next| next.starts_with('\\'));
            let text = if bare {
                line[1..].strip_suffix('\n').unwrap()
            } else {
                &line[1..]
            };
            match line.as_bytes()[0] {
                b'\\' => {}
                b'+' => new.push_str(text),
                sign => {
                    assert_eq!(text, old[at]);
                    at += 1;
                    if sign == b' ' {
                        new.push_str(text);
                    }
                }
            }
        }
        new.extend(old[at..].iter().copied());
        new
    }
}
