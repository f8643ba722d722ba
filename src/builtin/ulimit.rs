//! `ulimit [-SHabcdefiklmnpqrstuvxPRT] [limit]`

use crate::args::BuiltinSpec;
use crate::fs::Errno;
use crate::interp::{Flow, Interp};
use crate::kernel::{Bound, Resource, UNLIMITED};

/// The letters that this system has a limit for, each with an optional value.
const SPEC: BuiltinSpec = BuiltinSpec::new("ulimit", "c;d;e;f;i;l;m;n;p;q;r;s;t;u;v;x;R;aSH");

/// A row of `ulimit -a`.
struct Row {
    letter: u8,
    /// None: the size of a pipe, which cannot be changed.
    resource: Option<Resource>,
    /// Bytes (or whatever) in one of the unit shown.
    factor: u64,
    description: &'static str,
    unit: &'static str,
}

const fn row(
    letter: u8,
    resource: Resource,
    factor: u64,
    description: &'static str,
    unit: &'static str,
) -> Row {
    Row {
        letter,
        resource: Some(resource),
        factor,
        description,
        unit,
    }
}

/// In bash's order.
static ROWS: [Row; 17] = [
    row(
        b'R',
        Resource::RealTime,
        1,
        "real-time non-blocking time",
        "microseconds",
    ),
    row(b'c', Resource::Core, 512, "core file size", "blocks"),
    row(b'd', Resource::Data, 1024, "data seg size", "kbytes"),
    row(b'e', Resource::Nice, 1, "scheduling priority", ""),
    row(b'f', Resource::FileSize, 1024, "file size", "blocks"),
    row(b'i', Resource::PendingSignals, 1, "pending signals", ""),
    row(b'l', Resource::LockedMemory, 1024, "max locked memory", "kbytes"),
    row(b'm', Resource::ResidentSet, 1024, "max memory size", "kbytes"),
    row(b'n', Resource::OpenFiles, 1, "open files", ""),
    Row {
        letter: b'p',
        resource: None,
        factor: 512,
        description: "pipe size",
        unit: "512 bytes",
    },
    row(b'q', Resource::MessageQueues, 1, "POSIX message queues", "bytes"),
    row(b'r', Resource::RealTimePriority, 1, "real-time priority", ""),
    row(b's', Resource::Stack, 1024, "stack size", "kbytes"),
    row(b't', Resource::CpuTime, 1, "cpu time", "seconds"),
    row(b'u', Resource::Processes, 1, "max user processes", ""),
    row(b'v', Resource::AddressSpace, 1024, "virtual memory", "kbytes"),
    row(b'x', Resource::FileLocks, 1, "file locks", ""),
];

/// Bytes that a pipe takes at once, as bash says.
const PIPE_SIZE: u64 = 4096;

/// Which limits are meant; neither: both when setting, the soft one when showing.
#[derive(Debug, Clone, Copy)]
struct Mode {
    soft: bool,
    hard: bool,
}

/// The builtin.
pub fn run(interp: &mut Interp, args: &[Vec<u8>]) -> Flow {
    let parsed = match interp.parse_options(&SPEC, args) {
        Ok(parsed) => parsed,
        Err(status) => return Ok(status),
    };
    let mode = Mode {
        soft: parsed.has(b'S'),
        hard: parsed.has(b'H'),
    };
    if parsed.has(b'a') {
        ROWS.iter().for_each(|row| show(interp, row, mode, true));
        return Ok(0);
    }
    let mut requests: Vec<(u8, Option<Vec<u8>>)> = parsed
        .options
        .into_iter()
        .filter(|option| !matches!(option.letter, b'S' | b'H'))
        .map(|option| (option.letter, option.value))
        .collect();
    if requests.is_empty() {
        requests.push((b'f', None));
    }
    // An operand is the value of the last option that has none.
    if let (Some((_, value @ None)), Some(operand)) =
        (requests.last_mut(), parsed.operands.into_iter().next())
    {
        *value = Some(operand);
    }
    let several = requests.len() > 1;
    for (letter, value) in requests {
        let Some(row) = ROWS.iter().find(|row| row.letter == letter) else {
            continue;
        };
        match value {
            None => show(interp, row, mode, several),
            Some(value) => {
                if let Err(message) = change(interp, row, &value, mode) {
                    interp.complain("ulimit", message);
                    return Ok(1);
                }
            }
        }
    }
    Ok(0)
}

fn bound(interp: &Interp, row: &Row) -> Bound {
    match row.resource {
        Some(resource) => interp.proc.resources.get(resource),
        None => Bound {
            soft: PIPE_SIZE,
            hard: PIPE_SIZE,
        },
    }
}

fn show(interp: &mut Interp, row: &Row, mode: Mode, described: bool) {
    if described {
        let option = char::from(row.letter);
        let unit = if row.unit.is_empty() {
            format!("(-{option}) ")
        } else {
            format!("({}, -{option}) ", row.unit)
        };
        interp.print(format!("{:<20} {unit:>20}", row.description));
    }
    let Bound { soft, hard } = bound(interp, row);
    let value = if mode.hard && !mode.soft { hard } else { soft };
    if value == UNLIMITED {
        interp.print("unlimited\n");
    } else {
        interp.print(format!("{}\n", value / row.factor));
    }
}

/// Sets a limit, or says why not.
fn change(interp: &mut Interp, row: &Row, text: &[u8], mode: Mode) -> Result<(), Vec<u8>> {
    let old = bound(interp, row);
    let value = match text {
        b"hard" => old.hard,
        b"soft" => old.soft,
        b"unlimited" => UNLIMITED,
        digits if digits.iter().all(u8::is_ascii_digit) => scaled(digits, row.factor)?,
        [b'0', b'x' | b'X', ..] => return Err([text, b": invalid hex number"].concat()),
        _ => return Err([text, b": invalid number"].concat()),
    };
    let both = mode.soft == mode.hard;
    let new = Bound {
        soft: if both || mode.soft { value } else { old.soft },
        hard: if both || mode.hard { value } else { old.hard },
    };
    let refused = |errno: Errno| format!("{}: cannot modify limit: {errno}", row.description).into_bytes();
    let resource = row.resource.ok_or_else(|| refused(Errno::EINVAL))?;
    interp.proc.resources.set(resource, new).map_err(refused)?;
    if resource == Resource::OpenFiles {
        interp.proc.open_files = u32::try_from(new.soft).unwrap_or(u32::MAX);
    }
    Ok(())
}

/// bash reads the digits without looking for overflow, and then asks whether the product still fits.
fn scaled(digits: &[u8], factor: u64) -> Result<u64, Vec<u8>> {
    let number = digits.iter().fold(0u64, |number, digit| {
        number.wrapping_mul(10).wrapping_add(u64::from(digit - b'0'))
    });
    number
        .checked_mul(factor)
        .ok_or_else(|| [digits, b": limit out of range"].concat())
}
