//! File modes: the octal and symbolic changes of `chmod`, `mkdir -m`, `install -m`, `find -perm` (gnulib's `modechange`), the
//! stricter symbolic masks of bash's `umask`, and the ten letters of `ls -l`.
//!
//! A [`ModeChange`] is compiled once and applied to many files. Bits are those of `st_mode` without the kind: `0o7777`.

/// Every bit that `chmod` can change.
pub const MODE_BITS: u32 = 0o7777;
const SET_UID: u32 = 0o4000;
const SET_GID: u32 = 0o2000;
const STICKY: u32 = 0o1000;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Operation {
    Add,
    Remove,
    Set,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Source {
    /// The bits as written.
    Plain,
    /// `u`, `g`, `o` after the operator: the bits that the file has there.
    Copy,
    /// `X`: execution too, if it is a directory or someone may execute it.
    ConditionalExecute,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Clause {
    operation: Operation,
    source: Source,
    /// The bits of the classes named; 0 when none is, and then the umask counts.
    affected: u32,
    value: u32,
    /// Bits said expressly: only those of set-id are changed on a directory.
    mentioned: u32,
}

/// A compiled change of modes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ModeChange {
    clauses: Vec<Clause>,
}

/// A mode after a change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Adjusted {
    /// The new bits.
    pub mode: u32,
    /// The bits that the change spoke about.
    pub concerned: u32,
}

impl ModeChange {
    /// Compiles `755`, `u+rwX,go=`, `+x`, … `None` when it is no mode.
    pub fn parse(text: &[u8]) -> Option<ModeChange> {
        if let Some(b'0'..=b'7') = text.first() {
            let (mode, rest) = octal(text)?;
            let short = (text.len() - rest.len()) < 5;
            let mentioned = if short { (mode & !0o777) | 0o777 } else { MODE_BITS };
            let clause = Clause {
                operation: Operation::Set,
                source: Source::Plain,
                affected: MODE_BITS,
                value: mode,
                mentioned,
            };
            return rest.is_empty().then(|| ModeChange {
                clauses: vec![clause],
            });
        }
        let mut clauses = Vec::new();
        for part in text.split(|byte| *byte == b',') {
            symbolic(part, &mut clauses)?;
        }
        Some(ModeChange { clauses })
    }

    /// A change that sets these bits, as `--reference` does.
    pub fn exactly(mode: u32) -> ModeChange {
        ModeChange {
            clauses: vec![Clause {
                operation: Operation::Set,
                source: Source::Plain,
                affected: MODE_BITS,
                value: mode & MODE_BITS,
                mentioned: MODE_BITS,
            }],
        }
    }

    /// The bits of a node after the change.
    pub fn apply(&self, old: u32, directory: bool, umask: u32) -> u32 {
        self.adjust(old, directory, umask).mode
    }

    /// [`ModeChange::apply`], and what it was about.
    pub fn adjust(&self, old: u32, directory: bool, umask: u32) -> Adjusted {
        let mut mode = old & MODE_BITS;
        let mut concerned = 0;
        for clause in &self.clauses {
            let kept = if directory { SET_UID | SET_GID } else { 0 } & !clause.mentioned;
            let classes = if clause.affected == 0 {
                !umask
            } else {
                clause.affected
            };
            let value = clause.bits(mode, directory) & classes & !kept;
            match clause.operation {
                Operation::Set => {
                    let preserved = if clause.affected == 0 { 0 } else { !clause.affected } | kept;
                    concerned |= MODE_BITS & !preserved;
                    mode = (mode & preserved) | value;
                }
                Operation::Add => {
                    concerned |= value;
                    mode |= value;
                }
                Operation::Remove => {
                    concerned |= value;
                    mode &= !value;
                }
            }
        }
        Adjusted {
            mode: mode & MODE_BITS,
            concerned,
        }
    }
}

impl Clause {
    fn bits(&self, mode: u32, directory: bool) -> u32 {
        match self.source {
            Source::Plain => self.value,
            Source::Copy => {
                let class = mode & self.value;
                [0o444, 0o222, 0o111]
                    .into_iter()
                    .filter(|everyone| class & everyone != 0)
                    .fold(class, |bits, everyone| bits | everyone)
            }
            Source::ConditionalExecute if directory || mode & 0o111 != 0 => self.value | 0o111,
            Source::ConditionalExecute => self.value,
        }
    }
}

/// Octal digits up to 7777, and what follows them.
fn octal(text: &[u8]) -> Option<(u32, &[u8])> {
    let digits = text
        .iter()
        .take_while(|byte| (b'0'..=b'7').contains(*byte))
        .count();
    let (number, rest) = text.split_at_checked(digits)?;
    let mut value = 0;
    for digit in number {
        value = value * 8 + u32::from(digit - b'0');
        if value > MODE_BITS {
            return None;
        }
    }
    Some((value, rest))
}

/// One part between commas: `ug+rw-x`.
fn symbolic(part: &[u8], clauses: &mut Vec<Clause>) -> Option<()> {
    let mut affected = 0;
    let mut rest = part;
    while let Some((class, after)) = rest.split_first() {
        affected |= match class {
            b'u' => SET_UID | 0o700,
            b'g' => SET_GID | 0o070,
            b'o' => STICKY | 0o007,
            b'a' => MODE_BITS,
            _ => break,
        };
        rest = after;
    }
    loop {
        let (operator, after) = rest.split_first()?;
        let operation = match operator {
            b'+' => Operation::Add,
            b'-' => Operation::Remove,
            b'=' => Operation::Set,
            _ => return None,
        };
        let (clause, after) = permissions(operation, affected, after)?;
        affected = clause.affected;
        clauses.push(clause);
        rest = after;
        if rest.is_empty() {
            return Some(());
        }
    }
}

/// What follows an operator.
fn permissions(operation: Operation, affected: u32, text: &[u8]) -> Option<(Clause, &[u8])> {
    let clause = |source, value| Clause {
        operation,
        source,
        affected,
        value,
        mentioned: if affected == 0 { value } else { affected & value },
    };
    let copied = match text.first() {
        Some(b'0'..=b'7') => {
            let (value, rest) = octal(text)?;
            if affected != 0 || !rest.is_empty() {
                return None;
            }
            let clause = Clause {
                affected: MODE_BITS,
                mentioned: MODE_BITS,
                ..clause(Source::Plain, value)
            };
            return Some((clause, rest));
        }
        Some(b'u') => Some(0o700),
        Some(b'g') => Some(0o070),
        Some(b'o') => Some(0o007),
        _ => None,
    };
    if let Some(class) = copied {
        return Some((clause(Source::Copy, class), text.get(1..).unwrap_or_default()));
    }
    let (mut source, mut value, mut rest) = (Source::Plain, 0, text);
    while let Some((letter, after)) = rest.split_first() {
        match letter {
            b'r' => value |= 0o444,
            b'w' => value |= 0o222,
            b'x' => value |= 0o111,
            b's' => value |= SET_UID | SET_GID,
            b't' => value |= STICKY,
            b'X' => source = Source::ConditionalExecute,
            _ => break,
        }
        rest = after;
    }
    Some((clause(source, value), rest))
}

/// Why bash's `umask` refuses a symbolic mask; the byte is 0 at the end of the text, and bash prints it so.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UmaskError {
    /// ``umask: `q': invalid symbolic mode operator``
    Operator(u8),
    /// ``umask: `q': invalid symbolic mode character``
    Character(u8),
}

/// The mask after `umask u=rwx,g-w`, in the terms of bash: permissions that are let through, no `X`, `s`, `t` or copies.
pub fn symbolic_umask(text: &[u8], umask: u32) -> Result<u32, UmaskError> {
    let mut allowed = !umask & 0o777;
    for part in text.split(|byte| *byte == b',') {
        let classes = part.iter().take_while(|byte| b"agou".contains(byte)).count();
        let who = part.iter().take(classes).fold(0, |who, class| {
            who | match class {
                b'u' => 0o700,
                b'g' => 0o070,
                b'o' => 0o007,
                _ => 0o777,
            }
        });
        let operator = part.get(classes).copied().unwrap_or(0);
        if !b"+-=".contains(&operator) {
            return Err(UmaskError::Operator(operator));
        }
        let mut bits = 0;
        for letter in part.get(classes + 1..).unwrap_or_default() {
            bits |= match letter {
                b'r' => 0o444,
                b'w' => 0o222,
                b'x' => 0o111,
                _ => return Err(UmaskError::Character(*letter)),
            };
        }
        let who = if who == 0 { 0o777 } else { who };
        match operator {
            b'+' => allowed |= bits & who,
            b'-' => allowed &= !(bits & who),
            _ => allowed = (allowed & !who) | (bits & who),
        }
    }
    Ok(!allowed & 0o777)
}

/// The letters of a mode without its kind, as `ls -l` shows them: `rwxr-sr-T`.
pub fn permission_letters(mode: u32) -> [u8; 9] {
    let bit = |mask: u32, letter: u8| if mode & mask == 0 { b'-' } else { letter };
    let execute =
        |execute: u32, special: u32, both: u8, alone: u8| match (mode & execute != 0, mode & special != 0) {
            (true, true) => both,
            (false, true) => alone,
            (true, false) => b'x',
            (false, false) => b'-',
        };
    [
        bit(0o400, b'r'),
        bit(0o200, b'w'),
        execute(0o100, SET_UID, b's', b'S'),
        bit(0o040, b'r'),
        bit(0o020, b'w'),
        execute(0o010, SET_GID, b's', b'S'),
        bit(0o004, b'r'),
        bit(0o002, b'w'),
        execute(0o001, STICKY, b't', b'T'),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn apply(text: &str, old: u32, directory: bool) -> Option<u32> {
        ModeChange::parse(text.as_bytes()).map(|change| change.apply(old, directory, 0o022))
    }

    /// Every line was seen from chmod of coreutils 9.1 under umask 022.
    #[test]
    fn changes_of_files() {
        for (text, old, new) in [
            ("755", 0o644, 0o755),
            ("+x", 0o644, 0o755),
            ("+w", 0o444, 0o644),
            ("a+w", 0o444, 0o666),
            ("u+s,g-r", 0o755, 0o4715),
            ("u=g", 0o640, 0o440),
            ("go=u-w", 0o640, 0o644),
            ("=", 0o777, 0),
            ("o+t", 0o644, 0o1644),
            ("+t", 0o644, 0o1644),
            ("a=rX", 0o744, 0o555),
            ("a=rX", 0o644, 0o444),
            ("+0111", 0o644, 0o755),
            ("u=rwx,go=", 0o4777, 0o700),
            ("u+x-w", 0o644, 0o544),
        ] {
            assert_eq!(apply(text, old, false), Some(new), "{text} on {old:o}");
        }
    }

    #[test]
    fn set_id_bits_of_directories_stay_unless_mentioned() {
        assert_eq!(apply("755", 0o2775, true), Some(0o2755));
        assert_eq!(apply("00755", 0o2775, true), Some(0o755));
        assert_eq!(apply("g-s", 0o2775, true), Some(0o775));
        assert_eq!(apply("g=rx", 0o2775, true), Some(0o2755));
        assert_eq!(apply("a+X", 0o600, true), Some(0o711));
    }

    #[test]
    fn what_is_no_mode() {
        for text in [
            "", "8", "77777", "u", "u+q", "x+r", "755x", "u+755", "+7,", ",u+x", "u+x,", "u+gr",
        ] {
            assert_eq!(ModeChange::parse(text.as_bytes()), None, "{text}");
        }
    }

    #[test]
    fn masks_of_bash() {
        assert_eq!(symbolic_umask(b"u=rwx,g=rx,o=", 0o022), Ok(0o027));
        assert_eq!(symbolic_umask(b"-x", 0o022), Ok(0o133));
        assert_eq!(symbolic_umask(b"u+q", 0o022), Err(UmaskError::Character(b'q')));
        assert_eq!(symbolic_umask(b"x+r", 0o022), Err(UmaskError::Operator(b'x')));
        assert_eq!(symbolic_umask(b"u+r,", 0o022), Err(UmaskError::Operator(0)));
    }

    #[test]
    fn letters() {
        assert_eq!(&permission_letters(0o7644), b"rwSr-Sr-T");
        assert_eq!(&permission_letters(0o1755), b"rwxr-xr-t");
    }
}
