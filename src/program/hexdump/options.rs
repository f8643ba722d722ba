//! The command line of `hexdump`.

use crate::args::{Opt, Spec, UTIL_LINUX, UsageError, parse_count_in};
use crate::program::message::message;

#[derive(Debug, Clone, Copy, PartialEq)]
enum Flag {
    OneByteOctal,
    OneByteCharacter,
    Canonical,
    TwoBytesDecimal,
    TwoBytesOctal,
    TwoBytesHexadecimal,
    Format,
    FormatFile,
    Length,
    Skip,
    Verbose,
    Colour,
}

static SPEC: Spec<Flag> = Spec::new(
    "hexdump",
    UTIL_LINUX,
    &["[options] <file>..."],
    "Display file contents in hexadecimal, decimal, octal, or ascii.",
    &[
        Opt::flag(
            Flag::OneByteOctal,
            'b',
            "one-byte-octal",
            "one-byte octal display",
        ),
        Opt::flag(
            Flag::OneByteCharacter,
            'c',
            "one-byte-char",
            "one-byte character display",
        ),
        Opt::flag(Flag::Canonical, 'C', "canonical", "canonical hex+ASCII display"),
        Opt::flag(
            Flag::TwoBytesDecimal,
            'd',
            "two-bytes-decimal",
            "two-byte decimal display",
        ),
        Opt::flag(
            Flag::TwoBytesOctal,
            'o',
            "two-bytes-octal",
            "two-byte octal display",
        ),
        Opt::flag(
            Flag::TwoBytesHexadecimal,
            'x',
            "two-bytes-hex",
            "two-byte hexadecimal display",
        ),
        Opt::optional(
            Flag::Colour,
            'L',
            "color",
            "mode",
            "interpret color formatting specifiers",
        ),
        Opt::required(
            Flag::Format,
            'e',
            "format",
            "format",
            "format string to be used for displaying data",
        ),
        Opt::required(
            Flag::FormatFile,
            'f',
            "format-file",
            "file",
            "file that contains format strings",
        ),
        Opt::required(
            Flag::Length,
            'n',
            "length",
            "length",
            "interpret only length bytes of input",
        ),
        Opt::required(
            Flag::Skip,
            's',
            "skip",
            "offset",
            "skip offset bytes from the beginning",
        ),
        Opt::flag(Flag::Verbose, 'v', "no-squeezing", "output identical lines"),
    ],
)
.help_letter('h')
.version_letter('V');

/// What to do.
pub struct Options {
    /// Format strings.
    pub formats: Vec<Vec<u8>>,
    /// Bytes to show.
    pub length: Option<u64>,
    /// Bytes to skip.
    pub skip: u64,
    /// No `*`.
    pub verbose: bool,
    /// The operands.
    pub paths: Vec<Vec<u8>>,
}

const END: &str = "\"%07.7_Ax\n\"";

/// The format strings of a letter.
fn shorthand(flag: Flag) -> [&'static str; 3] {
    match flag {
        Flag::OneByteOctal => [END, "\"%07.7_ax \" 16/1 \"%03o \" \"\\n\"", ""],
        Flag::OneByteCharacter => [END, "\"%07.7_ax \" 16/1 \"%3_c \" \"\\n\"", ""],
        Flag::TwoBytesDecimal => [END, "\"%07.7_ax \" 8/2 \"  %05u \" \"\\n\"", ""],
        Flag::TwoBytesOctal => [END, "\"%07.7_ax \" 8/2 \" %06o \" \"\\n\"", ""],
        Flag::TwoBytesHexadecimal => [END, "\"%07.7_ax \" 8/2 \"   %04x \" \"\\n\"", ""],
        Flag::Canonical => [
            "\"%08.8_Ax\n\"",
            "\"%08.8_ax  \" 8/1 \"%02x \" \"  \" 8/1 \"%02x \" ",
            "\"  |\" 16/1 \"%_p\" \"|\\n\"",
        ],
        _ => [END, "\"%07.7_ax \" 8/2 \"%04x \" \"\\n\"", ""],
    }
}

fn number(text: &[u8], what: &str) -> Result<u64, UsageError> {
    parse_count_in(text, 0, "bkKmMGTPEZY0").map_err(|_| {
        let message = message!("failed to parse ", what, ": '", text, "': Invalid argument");
        UsageError::plain(1, message)
    })
}

impl Options {
    /// Reads the command line.
    pub fn from_arguments(arguments: &[Vec<u8>], canonical: bool) -> Result<Options, UsageError> {
        let parsed = SPEC.parse(arguments)?;
        let mut options = Options {
            formats: Vec::new(),
            length: None,
            skip: 0,
            verbose: false,
            paths: parsed.operands,
        };
        let add = |options: &mut Options, flag| {
            let texts = shorthand(flag).into_iter().filter(|text| !text.is_empty());
            options.formats.extend(texts.map(|text| text.as_bytes().to_vec()));
        };
        if canonical {
            add(&mut options, Flag::Canonical);
        }
        for (flag, value) in parsed.options {
            let value = value.unwrap_or_default();
            match flag {
                Flag::Format => options.formats.push(value),
                Flag::FormatFile => {
                    return Err(UsageError::plain(1, "files of formats are not supported"));
                }
                Flag::Length => options.length = Some(number(&value, "length")?),
                Flag::Skip => options.skip = number(&value, "offset")?,
                Flag::Verbose => options.verbose = true,
                // There is no terminal to colour.
                Flag::Colour if matches!(value.as_slice(), b"" | b"auto" | b"never") => {}
                Flag::Colour => return Err(UsageError::plain(1, "colors are not supported")),
                letter => add(&mut options, letter),
            }
        }
        if options.formats.is_empty() {
            add(&mut options, Flag::Format);
        }
        Ok(options)
    }
}
