//! `random()`: the numbers of the C library's `random` as it starts, for nobody seeds it.

/// Words of state.
const WORDS: usize = 31;
/// How far behind the other word is.
const DISTANCE: usize = 3;

/// The generator.
#[derive(Debug)]
pub struct Random {
    state: [u32; WORDS],
    at: usize,
}

impl Random {
    /// As it starts.
    pub fn new() -> Random {
        let mut state = [1; WORDS];
        let mut word: i64 = 1;
        for place in state.iter_mut().skip(1) {
            word = word * 16807 % 2_147_483_647;
            *place = word as u32;
        }
        let mut random = Random { state, at: DISTANCE };
        for _ in 0..WORDS * 10 {
            random.next();
        }
        random
    }

    /// The next number, of 31 bits.
    pub fn next(&mut self) -> u32 {
        let behind = (self.at + WORDS - DISTANCE) % WORDS;
        let addend = self.state.get(behind).copied().unwrap_or(0);
        let Some(place) = self.state.get_mut(self.at) else {
            return 0;
        };
        *place = place.wrapping_add(addend);
        self.at = (self.at + 1) % WORDS;
        *place >> 1
    }
}
