//! Sizes for people: gnulib's `human_readable`, for `ls -h`, `du -h`, `df -h`. Block sizes are in `args`.
//!
//! Sizes are rounded up unless said otherwise, so that nothing looks smaller than it is.

/// How a size that does not come out even is rounded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Rounding {
    /// Up: `ls`, `du`, `df`.
    Up,
    /// To the nearest, halves to even: `dd`.
    Nearest,
    /// Down.
    Down,
}

/// Letters of the powers, from the first one.
const LETTERS: &[u8; 8] = b"KMGTPEZY";

/// `1.5K`, `12M`: one decimal below ten. `base` is 1024 or 1000, which writes its first power as `k`.
pub fn human_size(bytes: u64, base: u64, rounding: Rounding) -> String {
    Amount::scaled(bytes, base, rounding).text(base)
}

/// A number with a decimal and a power.
struct Amount {
    whole: u64,
    tenth: Option<u64>,
    power: usize,
}

impl Amount {
    fn scaled(bytes: u64, base: u64, rounding: Rounding) -> Amount {
        let mut amount = Amount {
            whole: bytes,
            tenth: None,
            power: 0,
        };
        // `rest` tells what the tenths leave: 0 nothing, 1 below half, 2 half, 3 above.
        let (mut tenths, mut rest) = (0, 0);
        while amount.whole >= base {
            let tens = amount.whole % base * 10 + tenths;
            let halves = tens % base * 2 + (rest >> 1);
            amount.whole /= base;
            tenths = tens / base;
            rest = if halves < base {
                u64::from(halves + rest != 0)
            } else {
                2 + u64::from(base < halves + rest)
            };
            amount.power += 1;
        }
        if amount.power > 0 && amount.whole < 10 {
            amount.round_tenth(&mut tenths, &mut rest, rounding);
        }
        let up = match rounding {
            Rounding::Up => tenths + rest > 0,
            Rounding::Nearest => tenths + u64::from(rest + (amount.whole & 1) > 0) > 5,
            Rounding::Down => false,
        };
        if up {
            amount.whole += 1;
            if amount.whole == base {
                amount = Amount {
                    whole: 1,
                    tenth: Some(0),
                    power: amount.power + 1,
                };
            }
        }
        amount
    }

    fn round_tenth(&mut self, tenths: &mut u64, rest: &mut u64, rounding: Rounding) {
        let up = match rounding {
            Rounding::Up => *rest > 0,
            Rounding::Nearest => *rest + (*tenths & 1) > 2,
            Rounding::Down => false,
        };
        if up {
            *tenths += 1;
            *rest = 0;
            if *tenths == 10 {
                self.whole += 1;
                *tenths = 0;
            }
        }
        if self.whole < 10 {
            self.tenth = Some(*tenths);
            (*tenths, *rest) = (0, 0);
        }
    }

    fn text(&self, base: u64) -> String {
        let tenth = self.tenth.map(|tenth| format!(".{tenth}")).unwrap_or_default();
        format!("{}{tenth}{}", self.whole, letter(self.power, base))
    }
}

/// The letter of a power: `K`, `M`, …; `k` for 1000.
pub fn letter(power: usize, base: u64) -> String {
    match power.checked_sub(1).and_then(|index| LETTERS.get(index)) {
        None => String::new(),
        Some(_) if power == 1 && base == 1000 => "k".to_owned(),
        Some(&letter) => char::from(letter).to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn as_ls_prints() {
        let up = |bytes| human_size(bytes, 1024, Rounding::Up);
        assert_eq!(
            [0, 1023, 1024, 1025, 10_137, 10_240, 10_241].map(up),
            ["0", "1023", "1.0K", "1.1K", "9.9K", "10K", "11K"]
        );
        assert_eq!(up(1_048_575), "1.0M");
        assert_eq!(up(u64::MAX), "16E");
        assert_eq!(human_size(1500, 1000, Rounding::Up), "1.5k");
        assert_eq!(human_size(999_999, 1000, Rounding::Up), "1.0M");
    }
}
