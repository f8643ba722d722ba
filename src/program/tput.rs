//! `tput` and `clear`: the few capabilities that scripts use, of a terminal that TERM names.

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

fn terminal(proc: &Proc, named: Option<&[u8]>) -> Option<Terminal> {
    let name = named.or_else(|| proc.variable(b"TERM"))?;
    match name {
        b"dumb" => Some(Terminal::Dumb),
        _ if name.ends_with(b"-256color") => Some(Terminal::Colors(256)),
        b"xterm" | b"linux" | b"screen" | b"tmux" | b"vt100" | b"vt220" | b"ansi" | b"rxvt"
        | b"xterm-color" => Some(Terminal::Colors(8)),
        _ => None,
    }
}

const CLEAR_TEXT: &[u8] = b"\x1b[H\x1b[2J\x1b[3J";

async fn run_clear(proc: &mut Proc) -> Result<i32, Stop> {
    if proc.variable(b"TERM").is_none() {
        proc.write_error(b"TERM environment variable not set.\n").await?;
        return Ok(1);
    }
    match terminal(proc, None) {
        Some(Terminal::Colors(_)) => proc.write(CLEAR_TEXT).await?,
        Some(Terminal::Dumb) => return Ok(1),
        None => {
            let name = proc.variable(b"TERM").unwrap_or_default().to_vec();
            proc.write_error(&[b"'", name.as_slice(), b"': unknown terminal type.\n"].concat())
                .await?;
            return Ok(1);
        }
    }
    Ok(0)
}

async fn run_tput(proc: &mut Proc) -> Result<i32, Stop> {
    let mut words: Vec<Vec<u8>> = proc.arguments().to_vec();
    let mut named = None;
    if let Some(first) = words.first().cloned()
        && let Some(rest) = first.strip_prefix(b"-T")
    {
        words.remove(0);
        named = Some(if rest.is_empty() && !words.is_empty() {
            words.remove(0)
        } else {
            rest.to_vec()
        });
    }
    let Some(capability) = words.first() else {
        proc.write_error(
            b"Usage: tput [options] [command]\n\nOptions:\n  -S <<       read commands from standard input\n  -T TERM     use \
              this instead of $TERM\n  -V          print curses-version\n  -x          do not try to clear \
              scrollback\n\nCommands:\n  clear       clear the screen\n  init        initialize the terminal\n  reset       \
              reinitialize the terminal\n  capname     unlike clear/init/reset, print value for capability \"capname\"\n",
        )
        .await?;
        return Ok(2);
    };
    let Some(terminal) = terminal(proc, named.as_deref()) else {
        let name = named.or_else(|| proc.variable(b"TERM").map(<[u8]>::to_vec));
        let message = match name {
            Some(name) => [b"unknown terminal \"", name.as_slice(), b"\""].concat(),
            None => b"No value for $TERM and no -T specified".to_vec(),
        };
        return Err(usage::fail(proc, if message.starts_with(b"No") { 2 } else { 3 }, message).await);
    };
    let number = |index: usize| -> Option<u32> { std::str::from_utf8(words.get(index)?).ok()?.parse().ok() };
    let text = match (capability.as_slice(), terminal) {
        (b"cols", _) => Some(b"80\n".to_vec()),
        (b"lines", _) => Some(b"24\n".to_vec()),
        (b"colors", Terminal::Colors(colors)) => Some(format!("{colors}\n").into_bytes()),
        (b"colors", Terminal::Dumb) => Some(b"-1\n".to_vec()),
        (name, Terminal::Colors(colors)) => sequence(name, colors, number(1), number(2)),
        (name, Terminal::Dumb) if sequence(name, 8, Some(0), Some(0)).is_some() => return Ok(1),
        _ => None,
    };
    match text {
        Some(text) => {
            proc.write(&text).await?;
            Ok(0)
        }
        None => {
            let message = [b"unknown terminfo capability '", capability.as_slice(), b"'"].concat();
            Err(usage::fail(proc, 4, message).await)
        }
    }
}

/// What a capability sends.
fn sequence(name: &[u8], colors: u32, first: Option<u32>, second: Option<u32>) -> Option<Vec<u8>> {
    let fixed: &[u8] = match name {
        b"clear" => CLEAR_TEXT,
        b"bold" => b"\x1b[1m",
        b"dim" => b"\x1b[2m",
        b"sitm" => b"\x1b[3m",
        b"smul" => b"\x1b[4m",
        b"rmul" => b"\x1b[24m",
        b"blink" => b"\x1b[5m",
        b"rev" | b"smso" => b"\x1b[7m",
        b"rmso" => b"\x1b[27m",
        b"sgr0" => b"\x1b(B\x1b[m",
        b"op" => b"\x1b[39;49m",
        b"el" => b"\x1b[K",
        b"ed" => b"\x1b[J",
        b"home" => b"\x1b[H",
        b"civis" => b"\x1b[?25l",
        b"cnorm" => b"\x1b[?12l\x1b[?25h",
        b"sc" => b"\x1b7",
        b"rc" => b"\x1b8",
        b"bel" => b"\x07",
        b"setaf" => return Some(color(3, 9, 38, colors, first.unwrap_or(0))),
        b"setab" => return Some(color(4, 10, 48, colors, first.unwrap_or(0))),
        b"cup" => {
            let (row, column) = (first.unwrap_or(0) + 1, second.unwrap_or(0) + 1);
            return Some(format!("\x1b[{row};{column}H").into_bytes());
        }
        _ => return None,
    };
    Some(fixed.to_vec())
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
