//! `BASH_COMPAT` and the options `compat31` to `compat44`: two names for one level, of which each follows the other.
//!
//! The level is kept and shown; the old behaviours themselves are not here.

use super::{Interp, Shopt};

/// The options, and the level of each.
const LEVELS: [(Shopt, u32); 7] = [
    (Shopt::Compat31, 31),
    (Shopt::Compat32, 32),
    (Shopt::Compat40, 40),
    (Shopt::Compat41, 41),
    (Shopt::Compat42, 42),
    (Shopt::Compat43, 43),
    (Shopt::Compat44, 44),
];

/// The lowest level, and that of this shell.
const LOWEST: u32 = 31;
const OWN: u32 = 52;

impl Interp {
    /// `BASH_COMPAT` was assigned or unset.
    pub(super) fn take_compatibility(&mut self) {
        let value = self.scalar(b"BASH_COMPAT").unwrap_or_default();
        let level = match value.as_slice() {
            b"" => Some(OWN),
            [tens @ b'0'..=b'9', b'.', ones @ b'0'..=b'9'] | [tens @ b'0'..=b'9', ones @ b'0'..=b'9'] => {
                Some(u32::from(tens - b'0') * 10 + u32::from(ones - b'0'))
            }
            _ => None,
        };
        match level.filter(|level| (LOWEST..=OWN).contains(level)) {
            Some(level) => self.show_compatibility(level),
            None => {
                let message = [
                    b"BASH_COMPAT: ",
                    value.as_slice(),
                    b": compatibility value out of range",
                ];
                self.error(message.concat());
            }
        }
    }

    /// One of the options was switched: the variable says the level.
    pub fn switch_compatibility(&mut self, index: usize, on: bool) {
        let asked = LEVELS.iter().find(|(option, _)| *option as usize == index);
        let Some((_, level)) = asked else { return };
        let level = if on { *level } else { OWN };
        self.show_compatibility(level);
        self.vars.set_raw(b"BASH_COMPAT", level.to_string().into_bytes());
    }

    fn show_compatibility(&mut self, level: u32) {
        for (option, its) in LEVELS {
            self.options.set_shopt(option, its == level);
        }
    }
}
