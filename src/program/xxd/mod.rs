//! `xxd`: hexadecimal dumps, and back.
//!
//! Its options are its own: each is recognized by its first letter, a number may follow it or be the next argument, and `--` in front means `-`.
//! [`dump`] prints, [`revert`] reads a dump again.

mod dump;
mod revert;

use super::message::message;
use super::usage;
use crate::fs::OpenFlags;
use crate::kernel::{Input, Proc, Program, Stop};
use crate::text::number::{scan_signed, scan_unsigned};

/// The program.
pub const PROGRAM: Program = Program {
    name: "xxd",
    run: |proc| Box::pin(run(proc)),
};

const USAGE: &str = r#"Usage:
       xxd [options] [infile [outfile]]
    or
       xxd -r [-s [-]offset] [-c cols] [-ps] [infile [outfile]]
Options:
    -a          toggle autoskip: A single '*' replaces nul-lines. Default off.
    -b          binary digit dump (incompatible with -ps,-i,-r). Default hex.
    -C          capitalize variable names in C include file style (-i).
    -c cols     format <cols> octets per line. Default 16 (-i: 12, -ps: 30).
    -E          show characters in EBCDIC. Default ASCII.
    -e          little-endian dump (incompatible with -ps,-i,-r).
    -g bytes    number of octets per group in normal output. Default 2 (-e: 4).
    -h          print this summary.
    -i          output in C include file style.
    -l len      stop after <len> octets.
    -n name     set the variable name used in C include output (-i).
    -o off      add <off> to the displayed file position.
    -ps         output in postscript plain hexdump style.
    -r          reverse operation: convert (or patch) hexdump into binary.
    -r -s off   revert with <off> added to file positions found in hexdump.
    -d          show offset in decimal instead of hex.
    -s [+][-]seek  start at <seek> bytes abs. (or +: rel.) infile offset.
    -u          use upper case hex letters.
    -v          show version: "xxd 2022-01-14 by Juergen Weigert et al.".
"#;

const VERSION: &str = "xxd 2022-01-14 by Juergen Weigert et al.\n";

/// The kind of dump.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Style {
    Normal,
    Plain,
    Include,
    Bits,
    LittleEndian,
}

/// Where the input starts.
#[derive(Debug, Clone, Copy, Default)]
struct Seek {
    offset: i64,
    relative: bool,
    backwards: bool,
}

#[derive(Debug)]
struct Options {
    style: Style,
    revert: bool,
    autoskip: bool,
    upper: bool,
    capitals: bool,
    decimal: bool,
    columns: Option<i64>,
    group: Option<i64>,
    display: u64,
    seek: Seek,
    length: Option<u64>,
    name: Option<Vec<u8>>,
    operands: Vec<Vec<u8>>,
}

/// Why the command line is no use.
enum Refusal {
    Usage,
    Version,
    Unsupported,
}

fn number(text: &[u8]) -> i64 {
    scan_signed(text, 0).value
}

/// The value of an option: what follows its letter, unless that spells the option's name, or else the next argument.
fn value<'a>(
    argument: &'a [u8],
    names: &[&str],
    rest: &mut std::slice::Iter<'a, Vec<u8>>,
) -> Result<&'a [u8], Refusal> {
    let behind = argument.get(2..).unwrap_or_default();
    let spelled = names.iter().any(|name| behind.starts_with(name.as_bytes()));
    if !behind.is_empty() && !spelled {
        return Ok(behind);
    }
    rest.next().map(Vec::as_slice).ok_or(Refusal::Usage)
}

impl Options {
    fn parse(arguments: &[Vec<u8>]) -> Result<Options, Refusal> {
        let mut options = Options {
            style: Style::Normal,
            revert: false,
            autoskip: false,
            upper: false,
            capitals: false,
            decimal: false,
            columns: None,
            group: None,
            display: 0,
            seek: Seek::default(),
            length: None,
            name: None,
            operands: Vec::new(),
        };
        let mut rest = arguments.iter();
        while let Some(given) = rest.clone().next() {
            let argument = match given.as_slice() {
                [b'-', b'-', _, ..] => given.get(1..).unwrap_or_default(),
                _ => given,
            };
            if argument == b"--" {
                rest.next();
                break;
            }
            let [b'-', letter, ..] = argument else { break };
            rest.next();
            options.set(*letter, argument, &mut rest)?;
        }
        options.operands = rest.cloned().collect();
        Ok(options)
    }

    fn set<'a>(
        &mut self,
        letter: u8,
        argument: &'a [u8],
        rest: &mut std::slice::Iter<'a, Vec<u8>>,
    ) -> Result<(), Refusal> {
        match letter {
            b'a' => self.autoskip = !self.autoskip,
            b'b' => self.style = Style::Bits,
            b'e' => self.style = Style::LittleEndian,
            b'u' => self.upper = true,
            b'p' => self.style = Style::Plain,
            b'i' => self.style = Style::Include,
            b'C' => self.capitals = true,
            b'c' if argument.starts_with(b"-capitalize") => self.capitals = true,
            b'd' => self.decimal = true,
            b'r' => self.revert = true,
            b'E' => return Err(Refusal::Unsupported),
            b'v' => return Err(Refusal::Version),
            b'c' => self.columns = Some(number(value(argument, &["ols"], rest)?)),
            b'g' => self.group = Some(number(value(argument, &["group", "roup"], rest)?)),
            b'o' => self.display = scan_unsigned(value(argument, &["ffset"], rest)?, 0).value,
            b's' => {
                let text = value(argument, &["kip", "eek"], rest)?;
                let relative = text.starts_with(b"+");
                let text = text.strip_prefix(b"+").unwrap_or(text);
                let backwards = text.starts_with(b"-");
                let text = text.strip_prefix(b"-").unwrap_or(text);
                self.seek = Seek {
                    offset: number(text),
                    relative,
                    backwards,
                };
            }
            b'l' => self.length = u64::try_from(number(value(argument, &["en"], rest)?)).ok(),
            b'n' => self.name = Some(value(argument, &["ame"], rest)?.to_vec()),
            _ => return Err(Refusal::Usage),
        }
        Ok(())
    }

    /// Octets a line and a group; or the complaint.
    fn layout(&self) -> Result<(usize, usize), &'static str> {
        let columns = match self.columns {
            Some(columns) if columns != 0 || self.style == Style::Plain => columns,
            _ => match self.style {
                Style::Plain => 30,
                Style::Include => 12,
                Style::Bits => 6,
                Style::Normal | Style::LittleEndian => 16,
            },
        };
        let group = match self.group {
            Some(group) if group >= 0 => group,
            _ => match self.style {
                Style::Bits => 1,
                Style::Normal => 2,
                Style::LittleEndian => 4,
                Style::Plain | Style::Include => 0,
            },
        };
        let least = i64::from(self.style != Style::Plain);
        let bounded = matches!(self.style, Style::Normal | Style::Bits | Style::LittleEndian);
        if columns < least || bounded && columns > 256 {
            return Err("invalid number of columns (max. 256).");
        }
        let columns = usize::try_from(columns).unwrap_or(0);
        match usize::try_from(group) {
            Ok(group) if (1..=columns).contains(&group) => {
                if self.style == Style::LittleEndian && !group.is_power_of_two() {
                    return Err("number of octets per group must be a power of 2 with -e.");
                }
                Ok((columns, group))
            }
            _ => Ok((columns, columns)),
        }
    }
}

async fn run(proc: &mut Proc) -> Result<i32, Stop> {
    let options = match Options::parse(proc.arguments()) {
        Ok(options) if options.operands.len() <= 2 => options,
        Ok(_) | Err(Refusal::Usage) => {
            proc.write_error(USAGE.as_bytes()).await?;
            return Ok(1);
        }
        Err(Refusal::Version) => {
            proc.write_error(VERSION.as_bytes()).await?;
            return Ok(0);
        }
        Err(Refusal::Unsupported) => {
            return Err(usage::fail(proc, 1, "EBCDIC is not supported").await);
        }
    };
    let (columns, group) = match options.layout() {
        Ok(layout) => layout,
        Err(complaint) => return Err(usage::fail(proc, 1, complaint).await),
    };
    let input = match options.operands.first() {
        Some(path) if path != b"-" => match proc.open(path, OpenFlags::READ).await {
            Ok(file) => Input::new(file),
            Err(errno) => return Err(usage::fail(proc, 2, message!(path, ": ", errno.message())).await),
        },
        _ => match proc.stdin() {
            Ok(file) => Input::new(file),
            Err(errno) => return Err(usage::fail(proc, 2, errno.message()).await),
        },
    };
    if let Some(path) = options.operands.get(1).filter(|path| *path != b"-") {
        let flags = OpenFlags {
            truncate: !options.revert,
            ..OpenFlags::CREATE
        };
        match proc.open_mode(path, flags, 0o666).await {
            Ok(file) => {
                let limit = proc.open_files;
                if let Err(errno) = proc.fds.set(1, file, limit) {
                    return Err(usage::fail(proc, 3, errno.message()).await);
                }
            }
            Err(errno) => return Err(usage::fail(proc, 3, message!(path, ": ", errno.message())).await),
        }
    }
    if options.revert {
        if !matches!(options.style, Style::Normal | Style::Plain) {
            return Err(usage::fail(proc, 255, "Sorry, cannot revert this type of hexdump").await);
        }
        return revert::revert(proc, input, &options, columns).await;
    }
    dump::dump(proc, input, &options, columns, group).await
}
