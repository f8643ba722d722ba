//! `printf [-v var] format [arguments]`

use std::sync::Arc;

use crate::args::BuiltinSpec;
use crate::expand::{ExpandHost, word};
use crate::interp::{Flow, Interp, split_reference};
use crate::text::printf::{Family, Format, Host};

const SPEC: BuiltinSpec = BuiltinSpec::new("printf", "v:");

/// Bytes of one field, and of all output, that are refused.
const LIMIT: usize = 256 << 20;

struct Shell<'a>(&'a mut Interp);

impl Host for Shell<'_> {
    fn time(&mut self, format: &[u8], seconds: i64) -> Vec<u8> {
        let format = if format.is_empty() {
            b"%X".as_slice()
        } else {
            format
        };
        let time = match seconds {
            -1 => self.0.proc.kernel.now(),
            -2 => self.0.started(),
            seconds => crate::fs::Timestamp { seconds, nanos: 0 },
        };
        self.0.format_timestamp(format, time)
    }

    fn assign(&mut self, name: &[u8], count: usize) -> Result<(), Vec<u8>> {
        if !word::is_name(name) {
            return Err([b"`", name, b"': not a valid identifier"].concat());
        }
        self.0.vars.set_raw(name, count.to_string().into_bytes());
        Ok(())
    }
}

/// The builtin.
pub fn run(interp: &mut Interp, args: &[Vec<u8>]) -> Flow {
    let parsed;
    let (variable, operands) = match usual(args) {
        Some(usual) => usual,
        None => {
            parsed = match SPEC.parse_options(args) {
                Ok(parsed) => parsed,
                Err(error) => return Ok(interp.say_usage("printf", error)),
            };
            (parsed.0.last(b'v'), parsed.1)
        }
    };
    if let Some(name) = variable
        && split_reference(name).is_none()
    {
        interp.complain("printf", [b"`", name, b"': not a valid identifier"].concat());
        return Ok(2);
    }
    let Some((format, arguments)) = operands.split_first() else {
        return Ok(interp.say_usage("printf", SPEC.usage_error(None)));
    };
    let format = parsed_format(interp, format);
    let limit = LIMIT.min(usize::try_from(interp.proc.kernel.meter().memory_limit()).unwrap_or(LIMIT));
    let buffer = interp.buffer();
    let Ok(printed) = format.1.run_into(buffer, arguments, &mut Shell(interp), limit) else {
        interp.proc.kernel.meter().stop(crate::kernel::Halt::Memory);
        return Err(crate::interp::Divert::Halt(crate::kernel::Halt::Memory));
    };
    interp.proc.kernel.meter().charge_bytes(printed.bytes.len())?;
    for complaint in &printed.complaints {
        interp.complain("printf", complaint.message());
    }
    match variable {
        Some(name) if !store(interp, name, &printed.bytes)? => return Ok(1),
        Some(_) => {}
        None => interp.print(&printed.bytes),
    }
    interp.recycle_buffer(printed.bytes);
    Ok(i32::from(printed.status))
}

/// The variable and the operands of `printf -v name format …` and `printf format …`, where nothing else can be an option.
fn usual(args: &[Vec<u8>]) -> Option<(Option<&[u8]>, &[Vec<u8>])> {
    let is_operand = |word: Option<&Vec<u8>>| word.is_some_and(|word| word.first() != Some(&b'-'));
    match args {
        [option, name, operands @ ..] if option == b"-v" => {
            is_operand(operands.first()).then_some((Some(name.as_slice()), operands))
        }
        operands => is_operand(operands.first()).then_some((None, operands)),
    }
}

/// Parses a format, or finds it parsed: loops use the same one.
fn parsed_format(interp: &mut Interp, text: &[u8]) -> Arc<(Vec<u8>, Format)> {
    if let Some(last) = &interp.last_format
        && last.0 == text
    {
        return Arc::clone(last);
    }
    let format = Arc::new((text.to_vec(), Format::parse(text, Family::Bash)));
    interp.last_format = Some(Arc::clone(&format));
    format
}

fn store(interp: &mut Interp, name: &[u8], value: &[u8]) -> Flow<bool> {
    // A NUL ends the string.
    let end = memchr::memchr(0, value).unwrap_or(value.len());
    let value = value.get(..end).unwrap_or(value);
    let (base, key) = split_reference(name).unwrap_or((name, None));
    let result = match key {
        None => interp.assign_element(base, None, value, false),
        Some(key) => interp
            .key_of(base, key)
            .and_then(|key| interp.assign_element(base, Some(&key), value, false)),
    };
    interp.said(result)
}
