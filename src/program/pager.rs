//! `more` and `less` where standard output is no terminal: there they copy what they are given.
//!
//! Then neither numbers lines nor pauses, whatever its options say, so these are read and passed over. `more` copies standard input first, as
//! it does when that is no terminal either.

use super::usage;
use crate::args::{Opt, Parsed, Spec, UTIL_LINUX};
use crate::fs::{Errno, FileKind};
use crate::kernel::{Input, Proc, Program, Stop};

/// `more`.
pub const MORE: Program = Program {
    name: "more",
    run: |proc| Box::pin(more(proc)),
};

/// `less`.
pub const LESS: Program = Program {
    name: "less",
    run: |proc| Box::pin(less(proc)),
};

static MORE_SPEC: Spec<()> = Spec::new(
    "more",
    UTIL_LINUX,
    &["[options] <file>..."],
    "A file perusal filter for CRT viewing.",
    &[
        Opt::flag(
            (),
            'd',
            "silent",
            "display help instead of ringing the terminal bell",
        ),
        Opt::flag((), 'f', "logical", "count logical rather than screen lines"),
        Opt::flag((), 'l', "no-pause", "suppress pause after form feed"),
        Opt::flag(
            (),
            'c',
            "print-over",
            "do not scroll, display text and clean line ends",
        ),
        Opt::flag(
            (),
            'p',
            "clean-print",
            "do not scroll, clean screen and display text",
        ),
        Opt::flag((), 'e', "exit-on-eof", "exit on end-of-file"),
        Opt::flag((), 's', "squeeze", "squeeze multiple blank lines into one"),
        Opt::flag((), 'u', "plain", "suppress underlining and bold"),
        Opt::required((), 'n', "lines", "number", "the number of lines per screenful"),
    ],
);

/// `-5` and `+2` say where and how much is shown, which makes no difference here.
fn without_numbers(arguments: &[Vec<u8>]) -> Vec<Vec<u8>> {
    let is_number = |word: &&Vec<u8>| match word.as_slice() {
        [b'+', ..] => true,
        [b'-', digits @ ..] => !digits.is_empty() && digits.iter().all(u8::is_ascii_digit),
        _ => false,
    };
    let words = arguments.iter();
    words.filter(|word| !is_number(word)).cloned().collect()
}

async fn more(proc: &mut Proc) -> Result<i32, Stop> {
    let parsed = MORE_SPEC.parse(&without_numbers(proc.arguments()));
    let parsed: Parsed<()> = usage::accept(proc, parsed).await?;
    if let Ok(file) = proc.stdin() {
        copy(proc, Input::new(file)).await?;
    }
    for path in &parsed.operands {
        match open(proc, path).await {
            Ok(input) => {
                let line = b"::::::::::::::\n";
                proc.write(&[line, path.as_slice(), b"\n", line].concat()).await?;
                copy(proc, input).await?;
            }
            Err(Errno::EISDIR) => {
                proc.write(&[b"\n*** ", path.as_slice(), b": directory ***\n\n"].concat())
                    .await?;
            }
            Err(errno) => {
                let message = [
                    b"cannot open ",
                    path.as_slice(),
                    b": ",
                    errno.message().as_bytes(),
                ];
                proc.warn(message.concat()).await?;
            }
        }
    }
    Ok(0)
}

/// Letters of `less` that take a value, with their long names.
const LESS_VALUES: &[(u8, &str)] = &[
    (b'b', "buffers"),
    (b'D', "color"),
    (b'h', "max-back-scroll"),
    (b'j', "jump-target"),
    (b'k', "lesskey-file"),
    (b'o', "log-file"),
    (b'O', "LOG-FILE"),
    (b'p', "pattern"),
    (b'P', "prompt"),
    (b't', "tag"),
    (b'T', "tag-file"),
    (b'x', "tabs"),
    (b'y', "max-forw-scroll"),
    (b'z', "window"),
];

/// Long names without a value.
const LESS_FLAGS: &[&str] = &[
    "quit-if-one-screen",
    "quit-at-eof",
    "QUIT-AT-EOF",
    "ignore-case",
    "IGNORE-CASE",
    "status-column",
    "long-prompt",
    "LONG-PROMPT",
    "line-numbers",
    "LINE-NUMBERS",
    "quiet",
    "silent",
    "QUIET",
    "SILENT",
    "raw-control-chars",
    "RAW-CONTROL-CHARS",
    "squeeze-blank-lines",
    "chop-long-lines",
    "underline-special",
    "UNDERLINE-SPECIAL",
    "no-init",
    "force",
    "hilite-search",
    "HILITE-SEARCH",
    "clear-screen",
    "CLEAR-SCREEN",
    "dumb",
    "hilite-unread",
    "HILITE-UNREAD",
    "tilde",
    "no-keypad",
    "follow-name",
    "mouse",
    "MOUSE",
    "use-backslash",
    "use-color",
    "quit-on-intr",
    "no-histdups",
    "incsearch",
    "save-marks",
    "no-lessopen",
];

/// What a word of `less` is.
enum Word {
    File(Vec<u8>),
    Option,
    /// The next word is its value.
    Value,
    /// A sentence; whether it ends the program.
    Wrong(String, bool),
}

fn less_word(word: &[u8], last: bool) -> Word {
    match word {
        [b'+', ..] => Word::Option,
        [b'-', b'-', name @ ..] if !name.is_empty() => {
            let name = String::from_utf8_lossy(name);
            let (name, value) = match name.split_once('=') {
                Some((name, _)) => (name, true),
                None => (name.as_ref(), false),
            };
            let takes = LESS_VALUES.iter().find(|(_, long)| *long == name);
            match takes {
                Some((letter, _)) if !value && last => missing_value(*letter),
                Some(_) if !value => Word::Value,
                Some(_) => Word::Option,
                None if LESS_FLAGS.contains(&name) => Word::Option,
                None => Word::Wrong(
                    format!("There is no {name} option (\"less --help\" for help)"),
                    false,
                ),
            }
        }
        [b'-', letters @ ..] if !letters.is_empty() => {
            let at = letters
                .iter()
                .position(|letter| LESS_VALUES.iter().any(|(known, _)| known == letter));
            match at {
                Some(at) if at + 1 < letters.len() => Word::Option,
                Some(_) if last => missing_value(letters.last().copied().unwrap_or(0)),
                Some(_) => Word::Value,
                None => Word::Option,
            }
        }
        word => Word::File(word.to_vec()),
    }
}

fn missing_value(letter: u8) -> Word {
    let known = LESS_VALUES.iter().find(|(known, _)| *known == letter);
    let name = known.map_or("", |(_, name)| name);
    let letter = char::from(letter);
    Word::Wrong(format!("Value is required after -{letter} (--{name})"), true)
}

async fn less(proc: &mut Proc) -> Result<i32, Stop> {
    let arguments = proc.arguments().to_vec();
    if arguments
        .first()
        .is_some_and(|word| word == b"--version" || word == b"-V")
    {
        let text = "less 590 (GNU regular expressions)\nCopyright (C) 1984-2021  Mark Nudelman\n\nless comes with NO WARRANTY, to the extent permitted by law.\nFor information about the terms of redistribution,\nsee the file named README in the less distribution.\nHome page: https://greenwoodsoftware.com/less\n";
        proc.write(text.as_bytes()).await?;
        return Ok(0);
    }
    let mut files = Vec::new();
    let mut words = arguments.iter().peekable();
    while let Some(word) = words.next() {
        if word == b"--" {
            files.extend(words.by_ref().cloned());
            break;
        }
        match less_word(word, words.peek().is_none()) {
            Word::File(path) => files.push(path),
            Word::Option => {}
            Word::Value => drop(words.next()),
            Word::Wrong(sentence, ends) => {
                proc.write_error(format!("{sentence}\n").as_bytes()).await?;
                if ends {
                    return Ok(0);
                }
            }
        }
    }
    if files.is_empty() {
        files.push(b"-".to_vec());
    }
    for path in files {
        let opened = match path.as_slice() {
            b"-" => proc.stdin().map(Input::new),
            path => open(proc, path).await,
        };
        // What is wrong with a file is printed where its text would be.
        match opened {
            Ok(input) => copy(proc, input).await?,
            Err(Errno::EISDIR) => {
                proc.write(&[&path, &b" is a directory\n"[..]].concat()).await?;
            }
            Err(errno) => {
                let line = [path.as_slice(), b": ", errno.message().as_bytes(), b"\n"].concat();
                proc.write(&line).await?;
            }
        }
    }
    Ok(0)
}

async fn open(proc: &mut Proc, path: &[u8]) -> Result<Input, Errno> {
    let file = proc.open(path, crate::fs::OpenFlags::READ).await?;
    match file.metadata() {
        Ok(found) if found.kind == FileKind::Directory => Err(Errno::EISDIR),
        _ => Ok(Input::new(file)),
    }
}

/// Copies until the end, or until nothing more can be read.
async fn copy(proc: &mut Proc, mut input: Input) -> Result<(), Stop> {
    while let Ok(block) = input.block().await {
        if block.is_empty() {
            break;
        }
        proc.write(block).await?;
    }
    Ok(())
}
