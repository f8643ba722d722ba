//! Prompt strings: backslash escapes, then expansion as in double quotes.

use super::interactive::Stage;
use super::{ExpandFailure, Interp, Set, Shopt};
use crate::expand::{Mode, word};
use crate::text::strftime;

/// How deep prompt strings expand prompt strings.
const MAX_PROMPTS: u32 = 8;

impl Interp {
    /// Expands a prompt string: `PS4`, `${x@P}`. What it does to `$?` is undone.
    pub(super) async fn expand_prompt(&mut self, text: &[u8]) -> Result<Vec<u8>, ExpandFailure> {
        let decoded = self.decode_prompt(text);
        if !self.options.shopt(Shopt::Promptvars) && !self.is_posix() {
            return Ok(without_escapes(&decoded));
        }
        // A prompt may hold `${x@P}` of itself.
        if self.prompts >= MAX_PROMPTS || !decoded.iter().any(|byte| matches!(byte, b'$' | b'`' | b'\\')) {
            return Ok(decoded);
        }
        let Ok(word) = crate::syntax::parse_double_quoted(&decoded) else {
            return Ok(decoded);
        };
        let (status, substituted) = (self.status, self.substitution_status);
        self.prompts += 1;
        let expanded = word::text(self, &word, Mode::Single).await;
        self.prompts -= 1;
        (self.status, self.substitution_status) = (status, substituted);
        expanded
    }

    fn decode_prompt(&mut self, text: &[u8]) -> Vec<u8> {
        let mut out = Vec::new();
        let mut bytes = text.iter().copied().peekable();
        while let Some(byte) = bytes.next() {
            if byte != b'\\' {
                out.push(byte);
                continue;
            }
            let Some(escape) = bytes.next() else {
                out.push(b'\\');
                break;
            };
            match escape {
                b'a' => out.push(7),
                b'e' => out.push(0x1b),
                b'n' => out.push(b'\n'),
                b'r' => out.push(b'\r'),
                b'\\' => out.extend_from_slice(b"\\\\"),
                // The marks around what has no width, for who edits lines.
                b'[' if self.interactive => out.push(1),
                b']' if self.interactive => out.push(2),
                b'[' | b']' => {}
                b'0'..=b'7' => {
                    let mut value = u32::from(escape - b'0');
                    for _ in 0..2 {
                        if let Some(digit) = bytes.next_if(|byte| matches!(byte, b'0'..=b'7')) {
                            value = value * 8 + u32::from(digit - b'0');
                        }
                    }
                    out.push(value as u8);
                }
                b'D' => {
                    bytes.next_if_eq(&b'{');
                    let mut format = Vec::new();
                    for byte in bytes.by_ref() {
                        if byte == b'}' {
                            break;
                        }
                        format.push(byte);
                    }
                    let format = if format.is_empty() { b"%X".to_vec() } else { format };
                    out.extend(self.format_time(&format));
                }
                other => self.prompt_escape(other, &mut out),
            }
        }
        out
    }

    fn prompt_escape(&mut self, escape: u8, out: &mut Vec<u8>) {
        match escape {
            b'd' => out.extend(self.format_time(b"%a %b %d")),
            b't' => out.extend(self.format_time(b"%H:%M:%S")),
            b'T' => out.extend(self.format_time(b"%I:%M:%S")),
            b'@' => out.extend(self.format_time(b"%I:%M %p")),
            b'A' => out.extend(self.format_time(b"%H:%M")),
            b'h' | b'H' => {
                let host = self.scalar(b"HOSTNAME").unwrap_or_default();
                let end = host
                    .iter()
                    .position(|byte| *byte == b'.')
                    .filter(|_| escape == b'h')
                    .unwrap_or(host.len());
                out.extend_from_slice(host.get(..end).unwrap_or_default());
            }
            b'u' => out.extend(self.user_name()),
            b's' => {
                let name = self.zero.rsplit(|byte| *byte == b'/').next().unwrap_or_default();
                out.extend_from_slice(name);
            }
            b'v' => out.extend_from_slice(b"5.2"),
            b'V' => out.extend_from_slice(b"5.2.15"),
            b'j' => out.extend_from_slice(self.jobs.len().to_string().as_bytes()),
            b'l' => out.extend_from_slice(b"tty"),
            b'!' => out.extend_from_slice(self.history_number().to_string().as_bytes()),
            b'#' => {
                let number = self.commands + u64::from(self.stage == Stage::Prompting);
                out.extend_from_slice(number.to_string().as_bytes());
            }
            b'$' if self.proc.user.uid == 0 => out.push(b'#'),
            b'$' if self.options.shopt(Shopt::Promptvars) || self.is_posix() => {
                out.extend_from_slice(b"\\$");
            }
            b'$' => out.push(b'$'),
            b'w' | b'W' => {
                let home = self.scalar(b"HOME").unwrap_or_default();
                let cwd = self.proc.cwd.to_vec();
                let short = match cwd.strip_prefix(home.as_slice()) {
                    Some(rest) if !home.is_empty() && (rest.is_empty() || rest.first() == Some(&b'/')) => {
                        [b"~", rest].concat()
                    }
                    _ => cwd,
                };
                let last = short.rsplit(|byte| *byte == b'/').next().unwrap_or_default();
                let shown = match escape {
                    b'W' if !last.is_empty() => last,
                    _ => &short,
                };
                let expands = self.options.shopt(Shopt::Promptvars) || self.is_posix();
                for byte in shown {
                    if expands && matches!(byte, b'$' | b'`' | b'\\' | b'"') {
                        out.push(b'\\');
                    }
                    out.push(*byte);
                }
            }
            other => out.extend_from_slice(&[b'\\', other]),
        }
    }

    /// The current time in a format of `strftime`, in the zone of `TZ`.
    pub fn format_time(&mut self, format: &[u8]) -> Vec<u8> {
        let now = self.proc.kernel.now();
        self.format_timestamp(format, now)
    }

    /// A time in a format of `strftime`, in the zone of `TZ`.
    pub fn format_timestamp(&mut self, format: &[u8], time: crate::fs::Timestamp) -> Vec<u8> {
        let zone = self.scalar(b"TZ");
        let zone = crate::text::zone::from_variable(zone.as_deref());
        let moment = strftime::Moment::new(time.seconds, time.nanos, &zone);
        let text =
            moment.and_then(|moment| strftime::strftime(format, &moment, strftime::Dialect::Glibc, 1 << 16));
        text.unwrap_or_default()
    }

    /// The name of the user by `/etc/passwd`.
    pub fn user_name(&mut self) -> Vec<u8> {
        self.passwd_name()
            .or_else(|| self.scalar(b"USER"))
            .unwrap_or_default()
    }

    /// `set -o posix` is on.
    pub fn is_posix(&self) -> bool {
        self.options.is(Set::Posix)
    }

    /// The value of a variable as a number, if it is one.
    pub fn number(&mut self, name: &[u8]) -> Option<i64> {
        crate::expand::arith::plain_number(&self.scalar(name)?)
    }
}

/// Backslashes that would keep a character from expansion are gone.
fn without_escapes(text: &[u8]) -> Vec<u8> {
    let mut kept = Vec::with_capacity(text.len());
    let mut bytes = text.iter().copied().peekable();
    while let Some(byte) = bytes.next() {
        if byte == b'\\' && bytes.peek() == Some(&b'\\') {
            bytes.next();
        }
        kept.push(byte);
    }
    kept
}
