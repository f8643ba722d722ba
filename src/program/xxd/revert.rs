//! Reading a dump: the bytes that its digits stand for, at the offsets that its lines begin with.
//!
//! This is a machine over the characters, as in the original, since what it makes of odd input follows from its steps: `n1`, `n2`, `n3` are there
//! the last three characters as digits.

use super::{Options, Style};
use crate::kernel::{Input, Proc, Stop};
use crate::program::usage;

/// Zeros written at a time.
const ZEROS: [u8; 4096] = [0; 4096];

struct Machine {
    plain: bool,
    columns: usize,
    base: i64,
    /// The last digits.
    last: [Option<u8>; 3],
    /// No digit has come in this line.
    garbage: bool,
    /// Bytes of the line; as many as there are columns: the offset is being read.
    place: usize,
    have: i64,
    want: i64,
    /// The rest of the line is passed over.
    skipping: bool,
}

fn digit(byte: u8) -> Option<u8> {
    char::from(byte).to_digit(16).map(|digit| digit as u8)
}

pub(super) async fn revert(
    proc: &mut Proc,
    mut input: Input,
    options: &Options,
    columns: usize,
) -> Result<i32, Stop> {
    let seek = options.seek;
    let mut machine = Machine {
        plain: options.style == Style::Plain,
        columns,
        base: if seek.backwards { -seek.offset } else { seek.offset },
        last: [None; 3],
        garbage: true,
        place: columns,
        have: 0,
        want: 0,
        skipping: false,
    };
    loop {
        proc.kernel.breathe().await;
        let block = match input.block().await {
            Ok([]) => return Ok(0),
            Ok(block) => block.to_vec(),
            Err(errno) => return Err(usage::fail(proc, 2, errno.message()).await),
        };
        for byte in block {
            machine.step(proc, byte).await?;
        }
    }
}

impl Machine {
    async fn step(&mut self, proc: &mut Proc, byte: u8) -> Result<(), Stop> {
        if self.skipping {
            if byte == b'\n' {
                self.skipping = false;
                // The newline ended the inner loop of the original, which then looks at it as any character does.
                self.end_of_line();
            }
            return Ok(());
        }
        if byte == b'\r' || self.plain && matches!(byte, b' ' | b'\n' | b'\t') {
            return Ok(());
        }
        let [first, second, _] = self.last;
        self.last = [digit(byte), first, second];
        let [now, before, earlier] = self.last;
        if now.is_none() && self.garbage {
            return Ok(());
        }
        self.garbage = false;
        if !self.plain && self.place >= self.columns {
            match now {
                None => self.place = 0,
                Some(digit) => self.want = self.want << 4 | i64::from(digit),
            }
            return Ok(());
        }
        self.reach(proc).await?;
        match (before, now) {
            (Some(high), Some(low)) => {
                proc.write(&[high << 4 | low]).await?;
                self.have += 1;
                self.want += 1;
                self.last = [None, before, earlier];
                self.place += 1;
                if !self.plain && self.place >= self.columns {
                    self.skip_line();
                    return Ok(());
                }
            }
            (None, None) if earlier.is_none() => {
                if byte == b'\n' {
                    self.end_of_line();
                    self.skipping = true;
                } else {
                    self.skip_line();
                }
                return Ok(());
            }
            _ => {}
        }
        if byte == b'\n' {
            self.end_of_line();
        }
        Ok(())
    }

    fn skip_line(&mut self) {
        if !self.plain {
            self.want = 0;
        }
        self.garbage = true;
        self.skipping = true;
    }

    fn end_of_line(&mut self) {
        if !self.plain {
            self.want = 0;
        }
        self.place = self.columns;
        self.garbage = true;
    }

    /// Moves to the wanted offset, filling with zeros where the output cannot be moved.
    async fn reach(&mut self, proc: &mut Proc) -> Result<(), Stop> {
        let wanted = self.base.saturating_add(self.want);
        if wanted == self.have {
            return Ok(());
        }
        proc.flush().await?;
        if let Ok(file) = proc.fds.get(1).cloned()
            && file.is_seekable()
            && let Some(position) = file.offset().checked_add_signed(wanted - self.have)
            && file.seek(position).is_ok()
        {
            self.have = wanted;
        }
        if wanted < self.have {
            return Err(usage::fail(proc, 5, "Sorry, cannot seek backwards.").await);
        }
        while self.have < wanted {
            let step = (wanted - self.have).min(ZEROS.len() as i64);
            proc.write(ZEROS.get(..step as usize).unwrap_or_default()).await?;
            self.have += step;
        }
        Ok(())
    }
}
