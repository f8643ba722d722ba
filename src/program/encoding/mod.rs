//! `base64`, `base32` and `basenc`: bytes as text of a few letters, and back.
//!
//! The three share everything but their options. Encoding and decoding are streams: a group of bytes or letters at a time ([`codec`]). What is
//! decoded before an error is printed, as GNU does.

mod codec;

use self::codec::{Codec, Decoder};
use super::usage;
use crate::args::{COREUTILS, CountError, Opt, Parsed, Spec, UsageError, parse_count, quote};
use crate::kernel::{Input, Proc, Program, Stop};

/// `base64`
pub const BASE64: Program = Program {
    name: "base64",
    run: |proc| Box::pin(run_fixed(proc, &BASE64_SPEC, Codec::Base64)),
};

/// `base32`
pub const BASE32: Program = Program {
    name: "base32",
    run: |proc| Box::pin(run_fixed(proc, &BASE32_SPEC, Codec::Base32)),
};

/// `basenc`
pub const BASENC: Program = Program {
    name: "basenc",
    run: |proc| Box::pin(run_chosen(proc)),
};

#[derive(Clone, Copy, PartialEq)]
enum Flag {
    Decode,
    IgnoreGarbage,
    Wrap,
    Kind(Codec),
}

const USAGE: &[&str] = &["[OPTION]... [FILE]"];
const DECODE: Opt<Flag> = Opt::flag(Flag::Decode, 'd', "decode", "decode data");
const IGNORE: Opt<Flag> = Opt::flag(
    Flag::IgnoreGarbage,
    'i',
    "ignore-garbage",
    "when decoding, ignore non-alphabet characters",
);
const WRAP: Opt<Flag> = Opt::required(
    Flag::Wrap,
    'w',
    "wrap",
    "COLS",
    "wrap encoded lines after COLS character (default 76).\nUse 0 to disable line wrapping",
);

static BASE64_SPEC: Spec<Flag> = Spec::new(
    "base64",
    COREUTILS,
    USAGE,
    "Base64 encode or decode FILE, or standard input, to standard output.\n\nWith no FILE, or when FILE is -, read standard input.",
    &[DECODE, IGNORE, WRAP],
)
.notes(
    "The data are encoded as described for the base64 alphabet in RFC 4648.\nWhen decoding, the input may contain newlines in addition to the bytes of\nthe formal base64 alphabet.  Use --ignore-garbage to attempt to recover\nfrom any other non-alphabet bytes in the encoded stream.",
);

static BASE32_SPEC: Spec<Flag> = Spec::new(
    "base32",
    COREUTILS,
    USAGE,
    "Base32 encode or decode FILE, or standard input, to standard output.\n\nWith no FILE, or when FILE is -, read standard input.",
    &[DECODE, IGNORE, WRAP],
)
.notes(
    "The data are encoded as described for the base32 alphabet in RFC 4648.\nWhen decoding, the input may contain newlines in addition to the bytes of\nthe formal base32 alphabet.  Use --ignore-garbage to attempt to recover\nfrom any other non-alphabet bytes in the encoded stream.",
);

static BASENC_SPEC: Spec<Flag> = Spec::new(
    "basenc",
    COREUTILS,
    USAGE,
    "basenc encode or decode FILE, or standard input, to standard output.\n\nWith no FILE, or when FILE is -, read standard input.",
    &[
        Opt::long(Flag::Kind(Codec::Base64), "base64", "same as 'base64' program (RFC4648 section 4)"),
        Opt::long(Flag::Kind(Codec::Base64Url), "base64url", "file- and url-safe base64 (RFC4648 section 5)"),
        Opt::long(Flag::Kind(Codec::Base32), "base32", "same as 'base32' program (RFC4648 section 6)"),
        Opt::long(Flag::Kind(Codec::Base32Hex), "base32hex", "extended hex alphabet base32 (RFC4648 section 7)"),
        Opt::long(Flag::Kind(Codec::Base16), "base16", "hex encoding (RFC4648 section 8)"),
        Opt::long(Flag::Kind(Codec::Base2Msbf), "base2msbf", "bit string with most significant bit (msb) first"),
        Opt::long(Flag::Kind(Codec::Base2Lsbf), "base2lsbf", "bit string with least significant bit (lsb) first"),
        DECODE,
        IGNORE,
        WRAP,
        Opt::long(
            Flag::Kind(Codec::Z85),
            "z85",
            "ascii85-like encoding (ZeroMQ spec:32/Z85);\nwhen encoding, input length must be a multiple of 4;\nwhen decoding, input length must be a multiple of 5",
        ),
    ],
)
.notes(
    "When decoding, the input may contain newlines in addition to the bytes of\nthe formal alphabet.  Use --ignore-garbage to attempt to recover\nfrom any other non-alphabet bytes in the encoded stream.",
);

struct Plan {
    decode: bool,
    ignore_garbage: bool,
    /// Letters a line; 0: no lines.
    wrap: u64,
    path: Vec<u8>,
}

impl Plan {
    fn from_options(parsed: &Parsed<Flag>, spec: &Spec<Flag>) -> Result<Plan, UsageError> {
        let mut wrap = 76;
        for text in parsed.values(Flag::Wrap) {
            wrap = match parse_count(text, "") {
                Ok(wrap) => wrap,
                // Longer than any line.
                Err(CountError::Overflow) => 0,
                Err(CountError::Invalid) => {
                    let message = [b"invalid wrap size: ".as_slice(), &quote(text)].concat();
                    return Err(UsageError::plain(1, message));
                }
            };
        }
        spec.check_operands(parsed, 0, 1)?;
        Ok(Plan {
            decode: parsed.has(Flag::Decode),
            ignore_garbage: parsed.has(Flag::IgnoreGarbage),
            wrap,
            path: parsed.operands.first().cloned().unwrap_or_else(|| b"-".to_vec()),
        })
    }
}

async fn run_fixed(proc: &mut Proc, spec: &Spec<Flag>, codec: Codec) -> Result<i32, Stop> {
    let parsed = usage::parse(proc, spec).await?;
    let plan = usage::accept(proc, Plan::from_options(&parsed, spec)).await?;
    work(proc, &plan, codec).await
}

async fn run_chosen(proc: &mut Proc) -> Result<i32, Stop> {
    let parsed = usage::parse(proc, &BASENC_SPEC).await?;
    let plan = Plan::from_options(&parsed, &BASENC_SPEC);
    let chosen = parsed.options.iter().rev().find_map(|(flag, _)| match flag {
        Flag::Kind(codec) => Some(*codec),
        _ => None,
    });
    let Some(codec) = chosen else {
        let error = match plan {
            // A wrong width is seen while options are read, too many operands only after the encoding is known.
            Err(error) if parsed.operands.len() <= 1 => error,
            _ => BASENC_SPEC.complain("missing encoding type"),
        };
        return Err(usage::refuse(proc, &error).await);
    };
    let plan = usage::accept(proc, plan).await?;
    work(proc, &plan, codec).await
}

async fn work(proc: &mut Proc, plan: &Plan, codec: Codec) -> Result<i32, Stop> {
    let Some(input) = usage::open_input(proc, &plan.path).await? else {
        return Ok(1);
    };
    if plan.decode {
        decode(proc, input, plan, codec).await
    } else {
        encode(proc, input, plan, codec).await
    }
}

async fn read_failed(proc: &mut Proc, errno: crate::fs::Errno) -> Stop {
    usage::fail(proc, 1, format!("read error: {errno}")).await
}

async fn decode(proc: &mut Proc, mut input: Input, plan: &Plan, codec: Codec) -> Result<i32, Stop> {
    let mut decoder = Decoder::new(codec);
    loop {
        let block = match input.block().await {
            Ok(block) => block,
            Err(errno) => return Err(read_failed(proc, errno).await),
        };
        let out = proc.out();
        let well = if block.is_empty() {
            decoder.finish(out)
        } else {
            decoder.push(block, plan.ignore_garbage, out)
        };
        let ended = block.is_empty();
        proc.flush_if_full().await?;
        if !well {
            return Err(usage::fail(proc, 1, "invalid input").await);
        }
        if ended {
            return Ok(0);
        }
    }
}

async fn encode(proc: &mut Proc, mut input: Input, plan: &Plan, codec: Codec) -> Result<i32, Stop> {
    let mut column = 0;
    let mut letters = Vec::new();
    loop {
        // Whole groups but at the end.
        let mut ended = false;
        while !ended && input.buffered().len() < 1 << 12 {
            ended = match input.fill().await {
                Ok(more) => !more,
                Err(errno) => return Err(read_failed(proc, errno).await),
            };
        }
        let length = input.buffered().len();
        let whole = if ended {
            length
        } else {
            length - length % codec.group()
        };
        letters.clear();
        if !codec.encode(input.take(whole), &mut letters) {
            let message = "invalid input (length must be multiple of 4 characters)";
            return Err(usage::fail(proc, 1, message).await);
        }
        wrap(proc.out(), &letters, plan.wrap, &mut column);
        proc.flush_if_full().await?;
        if ended {
            break;
        }
    }
    if plan.wrap > 0 && column > 0 {
        proc.write(b"\n").await?;
    }
    Ok(0)
}

/// Breaks letters into lines. A full line ends when the next one begins, or at the end.
fn wrap(out: &mut Vec<u8>, letters: &[u8], width: u64, column: &mut u64) {
    let mut rest = letters;
    while !rest.is_empty() {
        if width > 0 && *column == width {
            out.push(b'\n');
            *column = 0;
        }
        let room = if width == 0 { u64::MAX } else { width - *column };
        let room = usize::try_from(room).unwrap_or(usize::MAX).min(rest.len());
        let (line, behind) = rest.split_at_checked(room).unwrap_or((rest, b""));
        out.extend_from_slice(line);
        *column += room as u64;
        rest = behind;
    }
}
