//! The operands of `dd`: `name=value`.

use super::super::message::message;
use crate::args::{CountError, Spec, UsageError, parse_count, quote};
use crate::fs::Errno;

/// What is to be done.
#[derive(Debug, Clone)]
pub struct Plan {
    pub input: Option<Vec<u8>>,
    pub output: Option<Vec<u8>>,
    pub input_block: u64,
    pub output_block: u64,
    /// `bs=` was given: a block is written as it was read.
    pub same_blocks: bool,
    pub skip: Amount,
    pub seek: Amount,
    pub count: Option<Amount>,
    pub conversions: Conversions,
    pub input_flags: Flags,
    pub output_flags: Flags,
    pub level: Level,
}

/// A number of blocks, or of bytes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Amount {
    pub number: u64,
    pub bytes: bool,
}

impl Amount {
    /// In bytes, with blocks of this size.
    pub fn in_bytes(self, block: u64) -> u64 {
        if self.bytes {
            self.number
        } else {
            self.number.saturating_mul(block)
        }
    }
}

/// `conv=`
#[derive(Debug, Clone, Copy, Default)]
pub struct Conversions {
    pub case: Case,
    pub swap: bool,
    pub pad: bool,
    pub exclusive: bool,
    pub no_create: bool,
    pub keep_length: bool,
    pub past_errors: bool,
}

/// `lcase`, `ucase`
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Case {
    #[default]
    Keep,
    Lower,
    Upper,
}

/// `iflag=`, `oflag=`: what has an effect here.
#[derive(Debug, Clone, Copy, Default)]
pub struct Flags {
    pub append: bool,
    pub directory: bool,
    pub no_follow: bool,
    pub full_blocks: bool,
    count_bytes: bool,
    place_bytes: bool,
}

/// `status=`
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Level {
    None,
    NoTransfer,
    All,
}

const DEFAULT_BLOCK: u64 = 512;

impl Plan {
    pub fn from_operands(spec: &Spec<()>, operands: &[Vec<u8>]) -> Result<Plan, UsageError> {
        let mut plan = Plan {
            input: None,
            output: None,
            input_block: DEFAULT_BLOCK,
            output_block: DEFAULT_BLOCK,
            same_blocks: false,
            skip: Amount::default(),
            seek: Amount::default(),
            count: None,
            conversions: Conversions::default(),
            input_flags: Flags::default(),
            output_flags: Flags::default(),
            level: Level::All,
        };
        let mut block = None;
        for operand in operands {
            plan.read(spec, operand, &mut block)?;
        }
        if let Some(block) = block {
            (plan.input_block, plan.output_block) = (block, block);
            plan.same_blocks = true;
        }
        plan.skip.bytes |= plan.input_flags.place_bytes;
        plan.seek.bytes |= plan.output_flags.place_bytes;
        if let Some(count) = &mut plan.count {
            count.bytes |= plan.input_flags.count_bytes;
        }
        if plan.conversions.exclusive && plan.conversions.no_create {
            return Err(UsageError::plain(1, "cannot combine excl and nocreat"));
        }
        Ok(plan)
    }

    fn read(&mut self, spec: &Spec<()>, operand: &[u8], block: &mut Option<u64>) -> Result<(), UsageError> {
        let unknown = || spec.complain(message!("unrecognized operand ", quote(operand)));
        let at = memchr::memchr(b'=', operand).ok_or_else(unknown)?;
        let (name, value) = operand.split_at_checked(at).unwrap_or_default();
        let value = value.get(1..).unwrap_or_default();
        match name {
            b"if" => self.input = Some(value.to_vec()),
            b"of" => self.output = Some(value.to_vec()),
            b"bs" => *block = Some(block_size(value)?),
            b"ibs" => self.input_block = block_size(value)?,
            b"obs" => self.output_block = block_size(value)?,
            b"cbs" => drop(block_size(value)?),
            b"skip" | b"iseek" => self.skip = amount(value)?,
            b"seek" | b"oseek" => self.seek = amount(value)?,
            b"count" => self.count = Some(amount(value)?),
            b"conv" => read_conversions(spec, value, &mut self.conversions)?,
            b"iflag" => read_flags(spec, "invalid input flag: ", value, &mut self.input_flags)?,
            b"oflag" => read_flags(spec, "invalid output flag: ", value, &mut self.output_flags)?,
            b"status" => {
                self.level = match value {
                    b"none" => Level::None,
                    b"noxfer" => Level::NoTransfer,
                    b"progress" => Level::All,
                    _ => return Err(spec.complain(message!("invalid status level: ", quote(value)))),
                }
            }
            _ => return Err(unknown()),
        }
        Ok(())
    }

    /// Where writing starts.
    pub fn seek_bytes(&self) -> u64 {
        self.seek.in_bytes(self.output_block)
    }
}

fn invalid(text: &[u8], reason: Vec<u8>) -> UsageError {
    UsageError::plain(1, message!("invalid number: ", quote(text), reason))
}

/// A number with suffixes, and factors between `x`.
fn number(text: &[u8]) -> Result<u64, UsageError> {
    let mut product = 1_u64;
    for factor in text.split(|byte| *byte == b'x') {
        let starts_well = factor.first().is_some_and(u8::is_ascii_digit);
        let value = if starts_well {
            parse_count(factor, "bcEGkKMPTwYZ0")
        } else {
            Err(CountError::Invalid)
        };
        let value = value.map_err(|error| match error {
            CountError::Invalid => invalid(text, Vec::new()),
            CountError::Overflow => too_large(text),
        })?;
        product = product.checked_mul(value).ok_or_else(|| too_large(text))?;
    }
    i64::try_from(product).map_err(|_| too_large(text))?;
    Ok(product)
}

fn too_large(text: &[u8]) -> UsageError {
    invalid(text, message!(": ", Errno::EOVERFLOW.message()))
}

fn block_size(text: &[u8]) -> Result<u64, UsageError> {
    match number(text)? {
        0 => Err(invalid(text, Vec::new())),
        size => Ok(size),
    }
}

/// A number of blocks; of bytes when it ends in `B` with no unit before it.
fn amount(text: &[u8]) -> Result<Amount, UsageError> {
    let bare = text.strip_suffix(b"B");
    if let Some(digits) = bare
        && digits.last().is_some_and(u8::is_ascii_digit)
    {
        return Ok(Amount {
            number: number(digits)?,
            bytes: true,
        });
    }
    Ok(Amount {
        number: number(text)?,
        bytes: false,
    })
}

fn read_conversions(spec: &Spec<()>, list: &[u8], to: &mut Conversions) -> Result<(), UsageError> {
    for name in list.split(|byte| *byte == b',') {
        let case = match name {
            b"lcase" => Case::Lower,
            b"ucase" => Case::Upper,
            _ => Case::Keep,
        };
        if case != Case::Keep {
            if to.case != Case::Keep && to.case != case {
                return Err(UsageError::plain(1, "cannot combine lcase and ucase"));
            }
            to.case = case;
            continue;
        }
        match name {
            b"swab" => to.swap = true,
            b"sync" => to.pad = true,
            b"excl" => to.exclusive = true,
            b"nocreat" => to.no_create = true,
            b"notrunc" => to.keep_length = true,
            b"noerror" => to.past_errors = true,
            // Everything is written at once.
            b"fdatasync" | b"fsync" => {}
            _ => return Err(spec.complain(message!("invalid conversion: ", quote(name)))),
        }
    }
    Ok(())
}

fn read_flags(spec: &Spec<()>, sentence: &str, list: &[u8], to: &mut Flags) -> Result<(), UsageError> {
    let input = sentence.contains("input");
    for name in list.split(|byte| *byte == b',') {
        match name {
            b"append" if !input => to.append = true,
            b"append" | b"direct" | b"dsync" | b"sync" | b"nonblock" | b"noatime" | b"nocache"
            | b"noctty" => {}
            b"directory" => to.directory = true,
            b"nofollow" => to.no_follow = true,
            b"fullblock" if input => to.full_blocks = true,
            b"count_bytes" => to.count_bytes = true,
            b"skip_bytes" => to.place_bytes |= input,
            b"seek_bytes" => to.place_bytes |= !input,
            _ => return Err(spec.complain(message!(sentence, quote(name)))),
        }
    }
    Ok(())
}
