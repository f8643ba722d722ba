//! `rand` and `srand`: the generator that gawk brings along, so that its numbers come out.
//!
//! BSD's `random` with 63 words of state, behind a shuffle of 512 places; a call of `rand` joins two of its numbers.

/// Words of state.
const WORDS: usize = 63;
/// Places of the shuffle.
const PLACES: usize = 512;

/// The generator.
#[derive(Debug)]
pub struct Random {
    state: [u32; WORDS],
    front: usize,
    shuffle: Vec<u32>,
    last: u32,
    /// The seed, which `srand` gives back.
    pub seed: f64,
}

impl Random {
    /// Seeded.
    pub fn new(seed: f64) -> Random {
        let mut state = [0; WORDS];
        let mut word = seed as i64 as u32;
        for place in &mut state {
            *place = word;
            word = following(word);
        }
        let mut random = Random {
            state,
            front: 1,
            shuffle: Vec::new(),
            last: 0,
            seed,
        };
        random.shuffle = (0..PLACES).map(|_| random.plain()).collect();
        random.last = random.plain();
        for _ in 0..10 * WORDS {
            random.shuffled();
        }
        random
    }

    fn plain(&mut self) -> u32 {
        let rear = (self.front + WORDS - 1) % WORDS;
        let addend = self.state.get(rear).copied().unwrap_or(0);
        let Some(place) = self.state.get_mut(self.front) else {
            return 0;
        };
        *place = place.wrapping_add(addend);
        self.front = (self.front + 1) % WORDS;
        *place >> 1
    }

    fn shuffled(&mut self) -> u32 {
        let new = self.plain();
        if let Some(place) = self.shuffle.get_mut(self.last as usize % PLACES) {
            self.last = std::mem::replace(place, new);
        }
        self.last
    }

    /// The next number, from 0 to below 1.
    pub fn next(&mut self) -> f64 {
        const RANGE: f64 = 2_147_483_648.0;
        loop {
            let (low, high) = (f64::from(self.shuffled()), f64::from(self.shuffled()));
            let number = 0.5 + (low / RANGE + high) / RANGE - 0.5;
            if number < 1.0 {
                return number;
            }
        }
    }
}

/// Park and Miller's generator, which fills the state.
fn following(word: u32) -> u32 {
    let word = if word == 0 { 123_459_876 } else { word as i32 };
    let (high, low) = (word / 127_773, word % 127_773);
    let next = 16807i32
        .wrapping_mul(low)
        .wrapping_sub(2836i32.wrapping_mul(high));
    (if next < 0 {
        next.wrapping_add(0x7fff_ffff)
    } else {
        next
    }) as u32
}

#[cfg(test)]
mod tests {
    use super::Random;

    /// Numbers printed by gawk 5.2.
    #[test]
    fn as_gawk() {
        let mut random = Random::new(1.0);
        assert!((random.next() - 0.924_045_815_399_124_7).abs() < 1e-15);
        assert!((random.next() - 0.593_908_619_295_878_24).abs() < 1e-15);
        assert!((Random::new(42.0).next() - 0.246_320_326_574_543_06).abs() < 1e-15);
        assert!((Random::new(0.0).next() - 0.855_565_923_655_723_37).abs() < 1e-15);
    }
}
