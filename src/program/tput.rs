//! `tput` and `clear`: the capabilities that scripts use, of a terminal that TERM names.
//!
//! There is one table, that of `xterm`; other terminals with colours are taken for it, and `dumb` knows nothing. A capability with
//! parameters is a template in terminfo's language, of which `%i`, `%pN` and `%d` are understood; without arguments it is printed
//! as it is, as the real one does.

use super::usage;
use crate::kernel::{Proc, Program, Stop};

/// `tput`.
pub const PROGRAM: Program = Program {
    name: "tput",
    run: |proc| Box::pin(run_tput(proc)),
};

/// `clear`.
pub const CLEAR: Program = Program {
    name: "clear",
    run: |proc| Box::pin(run_clear(proc)),
};

/// A terminal that knows colours, or one that knows nothing.
#[derive(Clone, Copy, PartialEq)]
enum Terminal {
    Colors(u32),
    Dumb,
}

const VERSION: &[u8] = b"ncurses 6.4.20221231\n";
const ERASE: &[u8] = b"\x1b[H\x1b[2J";
const ERASE_SCROLLBACK: &[u8] = b"\x1b[3J";

const TPUT_USAGE: &[u8] = b"Usage: tput [options] [command]

Options:
  -S <<       read commands from standard input
  -T TERM     use this instead of $TERM
  -V          print curses-version
  -x          do not try to clear scrollback

Commands:
  clear       clear the screen
  init        initialize the terminal
  reset       reinitialize the terminal
  capname     unlike clear/init/reset, print value for capability \"capname\"
";

const CLEAR_USAGE: &[u8] = b"Usage: clear [options]

Options:
  -T TERM     use this instead of $TERM
  -V          print curses-version
  -x          do not try to clear scrollback
";

/// What a capability is.
#[derive(Clone, Copy)]
enum Capability {
    Text(&'static [u8]),
    Number(u32),
    Yes,
}

use Capability::{Number, Text, Yes};

/// Those of `xterm`, sorted by name.
const CAPABILITIES: &[(&str, Capability)] = &[
    ("am", Yes),
    ("bce", Yes),
    ("bel", Text(b"\x07")),
    ("blink", Text(b"\x1b[5m")),
    ("bold", Text(b"\x1b[1m")),
    ("civis", Text(b"\x1b[?25l")),
    ("clear", Text(b"\x1b[H\x1b[2J\x1b[3J")),
    ("cnorm", Text(b"\x1b[?12l\x1b[?25h")),
    ("cols", Number(80)),
    ("cr", Text(b"\r")),
    ("cub", Text(b"\x1b[%p1%dD")),
    ("cub1", Text(b"\x08")),
    ("cud", Text(b"\x1b[%p1%dB")),
    ("cud1", Text(b"\n")),
    ("cuf", Text(b"\x1b[%p1%dC")),
    ("cuf1", Text(b"\x1b[C")),
    ("cup", Text(b"\x1b[%i%p1%d;%p2%dH")),
    ("cuu", Text(b"\x1b[%p1%dA")),
    ("cuu1", Text(b"\x1b[A")),
    ("cvvis", Text(b"\x1b[?12;25h")),
    ("dch", Text(b"\x1b[%p1%dP")),
    ("dch1", Text(b"\x1b[P")),
    ("dim", Text(b"\x1b[2m")),
    ("dl", Text(b"\x1b[%p1%dM")),
    ("dl1", Text(b"\x1b[M")),
    ("ech", Text(b"\x1b[%p1%dX")),
    ("ed", Text(b"\x1b[J")),
    ("el", Text(b"\x1b[K")),
    ("el1", Text(b"\x1b[1K")),
    ("flash", Text(b"\x1b[?5h\x1b[?5l")),
    ("home", Text(b"\x1b[H")),
    ("hpa", Text(b"\x1b[%i%p1%dG")),
    ("ht", Text(b"\t")),
    ("ich", Text(b"\x1b[%p1%d@")),
    ("il", Text(b"\x1b[%p1%dL")),
    ("il1", Text(b"\x1b[L")),
    ("invis", Text(b"\x1b[8m")),
    ("it", Number(8)),
    ("kcub1", Text(b"\x1bOD")),
    ("kcud1", Text(b"\x1bOB")),
    ("kcuf1", Text(b"\x1bOC")),
    ("kcuu1", Text(b"\x1bOA")),
    ("kdch1", Text(b"\x1b[3~")),
    ("km", Yes),
    ("lines", Number(24)),
    ("mir", Yes),
    ("msgr", Yes),
    ("op", Text(b"\x1b[39;49m")),
    ("rc", Text(b"\x1b8")),
    ("rev", Text(b"\x1b[7m")),
    ("ri", Text(b"\x1bM")),
    ("ritm", Text(b"\x1b[23m")),
    ("rmcup", Text(b"\x1b[?1049l\x1b[23;0;0t")),
    ("rmir", Text(b"\x1b[4l")),
    ("rmkx", Text(b"\x1b[?1l\x1b>")),
    ("rmso", Text(b"\x1b[27m")),
    ("rmul", Text(b"\x1b[24m")),
    ("sc", Text(b"\x1b7")),
    ("setab", Text(b"\x1b[4%p1%dm")),
    ("setaf", Text(b"\x1b[3%p1%dm")),
    ("sgr0", Text(b"\x1b(B\x1b[m")),
    ("sitm", Text(b"\x1b[3m")),
    ("smcup", Text(b"\x1b[?1049h\x1b[22;0;0t")),
    ("smir", Text(b"\x1b[4h")),
    ("smkx", Text(b"\x1b[?1h\x1b=")),
    ("smso", Text(b"\x1b[7m")),
    ("smul", Text(b"\x1b[4m")),
    ("vpa", Text(b"\x1b[%i%p1%dd")),
    ("xenl", Yes),
];

fn terminal(name: &[u8]) -> Option<Terminal> {
    match name {
        b"dumb" => Some(Terminal::Dumb),
        _ if name.ends_with(b"-256color") => Some(Terminal::Colors(256)),
        b"xterm" | b"linux" | b"screen" | b"tmux" | b"vt100" | b"vt220" | b"ansi" | b"rxvt"
        | b"xterm-color" => Some(Terminal::Colors(8)),
        _ => None,
    }
}

/// What both programs are told in front of the operands.
#[derive(Default)]
struct Options {
    terminal: Option<Vec<u8>>,
    keep_scrollback: bool,
    version: bool,
    /// `-S`.
    from_input: bool,
    operands: Vec<Vec<u8>>,
}

/// The complaint is printed before the usage.
fn options(words: &[Vec<u8>], letters: &[u8]) -> Result<Options, Vec<u8>> {
    let mut options = Options::default();
    let mut rest = words.iter();
    while let Some(word) = rest.next() {
        if word == b"--" {
            break;
        }
        let Some(cluster) = word.strip_prefix(b"-").filter(|cluster| !cluster.is_empty()) else {
            options.operands.push(word.clone());
            break;
        };
        for (index, letter) in cluster.iter().enumerate() {
            match letter {
                letter if !letters.contains(letter) => {
                    return Err([b"invalid option -- '", &[*letter][..], b"'"].concat());
                }
                b'x' => options.keep_scrollback = true,
                b'V' => options.version = true,
                b'S' => options.from_input = true,
                _ => {
                    let attached = cluster.get(index + 1..).filter(|text| !text.is_empty());
                    let value = attached.map(<[u8]>::to_vec).or_else(|| rest.next().cloned());
                    let missing = || b"option requires an argument -- 'T'".to_vec();
                    options.terminal = Some(value.ok_or_else(missing)?);
                    break;
                }
            }
        }
    }
    options.operands.extend(rest.cloned());
    Ok(options)
}

async fn run_clear(proc: &mut Proc) -> Result<i32, Stop> {
    let options = match options(proc.arguments(), b"TVx") {
        Ok(options) if options.operands.is_empty() => options,
        other => {
            if let Err(complaint) = other {
                proc.warn(complaint).await?;
            }
            proc.write_error(CLEAR_USAGE).await?;
            return Ok(1);
        }
    };
    if options.version {
        proc.write(VERSION).await?;
        return Ok(0);
    }
    let name = options
        .terminal
        .or_else(|| proc.variable(b"TERM").map(<[u8]>::to_vec));
    let Some(name) = name else {
        proc.write_error(b"TERM environment variable not set.\n").await?;
        return Ok(1);
    };
    match terminal(&name) {
        Some(Terminal::Colors(_)) => {
            proc.write(ERASE).await?;
            if !options.keep_scrollback {
                proc.write(ERASE_SCROLLBACK).await?;
            }
            Ok(0)
        }
        Some(Terminal::Dumb) => Ok(1),
        None => {
            proc.write_error(&[b"'", name.as_slice(), b"': unknown terminal type.\n"].concat())
                .await?;
            Ok(1)
        }
    }
}

async fn run_tput(proc: &mut Proc) -> Result<i32, Stop> {
    let options = match options(proc.arguments(), b"TVxS") {
        Ok(options) => options,
        Err(complaint) => {
            proc.warn(complaint).await?;
            proc.write_error(TPUT_USAGE).await?;
            return Ok(2);
        }
    };
    if options.version {
        proc.write(VERSION).await?;
        return Ok(0);
    }
    if options.operands.is_empty() && !options.from_input {
        proc.write_error(TPUT_USAGE).await?;
        return Ok(2);
    }
    let name = options.terminal.clone().or_else(|| {
        let variable = proc.variable(b"TERM").filter(|name| !name.is_empty());
        variable.map(<[u8]>::to_vec)
    });
    let Some(name) = name else {
        return Err(usage::fail(proc, 2, "No value for $TERM and no -T specified").await);
    };
    let Some(terminal) = terminal(&name) else {
        let message = [b"unknown terminal \"", name.as_slice(), b"\""].concat();
        return Err(usage::fail(proc, 3, message).await);
    };
    if options.from_input {
        return show_lines(proc, terminal, &options).await;
    }
    show(proc, terminal, &options.operands, &options).await
}

/// `-S`: a capability and its parameters a line.
async fn show_lines(proc: &mut Proc, terminal: Terminal, options: &Options) -> Result<i32, Stop> {
    let Some(mut input) = usage::open_input(proc, b"-").await? else {
        return Ok(2);
    };
    let mut status = 0;
    while let Ok(Some(line)) = input.line(b'\n').await {
        let words: Vec<Vec<u8>> = line
            .split(u8::is_ascii_whitespace)
            .filter(|word| !word.is_empty())
            .map(<[u8]>::to_vec)
            .collect();
        if !words.is_empty() && show(proc, terminal, &words, options).await? != 0 {
            status = 4;
        }
    }
    Ok(status)
}

async fn show(
    proc: &mut Proc,
    terminal: Terminal,
    words: &[Vec<u8>],
    options: &Options,
) -> Result<i32, Stop> {
    let Some((name, parameters)) = words.split_first() else {
        return Ok(2);
    };
    let found = CAPABILITIES
        .binary_search_by(|(known, _)| known.as_bytes().cmp(name))
        .ok()
        .and_then(|index| CAPABILITIES.get(index));
    let text = match (name.as_slice(), terminal, found) {
        (b"cols" | b"lines", _, Some((_, Number(number)))) => format!("{number}\n").into_bytes(),
        (b"colors", Terminal::Colors(colors), _) => format!("{colors}\n").into_bytes(),
        (b"colors", Terminal::Dumb, _) => b"-1\n".to_vec(),
        (b"pairs", Terminal::Colors(colors), _) => format!("{}\n", colors * colors).into_bytes(),
        (b"longname", Terminal::Dumb, _) => b"80-column dumb tty".to_vec(),
        (b"longname", Terminal::Colors(8), _) => b"xterm terminal emulator (X Window System)".to_vec(),
        (b"longname", ..) => b"xterm with 256 colors".to_vec(),
        (b"am", Terminal::Dumb, _) => return Ok(0),
        (b"cr" | b"bel" | b"cud1", Terminal::Dumb, Some((_, Text(text)))) => text.to_vec(),
        (b"init" | b"reset", ..) => return Ok(0),
        (b"clear", Terminal::Colors(_), _) if options.keep_scrollback => ERASE.to_vec(),
        (_, Terminal::Dumb, Some((_, Number(_)))) => b"-1\n".to_vec(),
        (_, Terminal::Dumb, Some(_)) => return Ok(1),
        (_, _, Some((_, Yes))) => return Ok(0),
        (_, _, Some((_, Number(number)))) => format!("{number}\n").into_bytes(),
        (_, Terminal::Colors(colors), Some((_, Text(template)))) => fill(name, template, colors, parameters),
        (_, _, None) => {
            let message = [b"unknown terminfo capability '", name.as_slice(), b"'"].concat();
            proc.warn(message).await?;
            return Ok(4);
        }
    };
    proc.write(&text).await?;
    Ok(0)
}

/// A template with its parameters in place, or as it is without any.
fn fill(name: &[u8], template: &[u8], colors: u32, parameters: &[Vec<u8>]) -> Vec<u8> {
    if parameters.is_empty() {
        return template.to_vec();
    }
    let value = |index: usize| -> u32 {
        let text = parameters.get(index).map(Vec::as_slice).unwrap_or_default();
        std::str::from_utf8(text)
            .ok()
            .and_then(|text| text.parse().ok())
            .unwrap_or(0)
    };
    match name {
        b"setaf" => return color(3, 9, 38, colors, value(0)),
        b"setab" => return color(4, 10, 48, colors, value(0)),
        _ => {}
    }
    let mut out = Vec::new();
    let (mut from, mut current) = (0, 0);
    let mut rest = template;
    while let Some((&byte, after)) = rest.split_first() {
        rest = match (byte, after) {
            (b'%', [b'i', after @ ..]) => {
                from = 1;
                after
            }
            (b'%', [b'p', digit, after @ ..]) => {
                current = value(usize::from(digit.saturating_sub(b'1'))).saturating_add(from);
                after
            }
            (b'%', [b'd', after @ ..]) => {
                out.extend_from_slice(current.to_string().as_bytes());
                after
            }
            _ => {
                out.push(byte);
                after
            }
        };
    }
    out
}

fn color(plain: u32, bright: u32, extended: u32, colors: u32, number: u32) -> Vec<u8> {
    match number {
        0..8 => format!("\x1b[{plain}{number}m"),
        8..16 if colors > 8 => format!("\x1b[{bright}{}m", number - 8),
        _ if colors > 8 => format!("\x1b[{extended};5;{number}m"),
        _ => format!("\x1b[{plain}{number}m"),
    }
    .into_bytes()
}

#[cfg(test)]
mod tests {
    use super::CAPABILITIES;

    #[test]
    fn table_is_sorted() {
        assert!(CAPABILITIES.is_sorted_by(|a, b| a.0 < b.0));
    }
}
