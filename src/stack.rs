//! How much of the host's stack is left.
//!
//! What recurses over input has a limit that counts levels, so that an answer does not depend on the build. But a level takes several times more stack
//! without optimisation than with it, one construct takes more than another, and an embedder builds this crate as it likes; a stack that
//! overflows takes the host down. So whoever recurses asks [`is_low`] as well, and stops where it would meet its own limit.
//!
//! The address of a local variable tells where the stack stands. The [`Base`] is where a run is polled, or a parser is called on its own;
//! from there [`BYTES`] may be used, which fit in a stack of one MiB and leave room for the host, for what does not ask, and for dropping what
//! was built. On another stack than the one of the base, the answer means nothing, so it lives in the thread.
//!
//! Tests: `tests/limits.rs`.

use std::cell::Cell;
use std::hint::black_box;

/// What recursion may take of a thread's stack, counted from the [`Base`].
pub const BYTES: usize = 768 << 10;

thread_local! {
    /// The lowest address that recursion may come to; 0 where nobody has begun.
    static FLOOR: Cell<usize> = const { Cell::new(0) };
}

/// Where the stack stands.
#[inline(never)]
fn position() -> usize {
    let here = 0_u8;
    std::ptr::from_ref(black_box(&here)).addr()
}

/// Recursion begins here, for as long as this lives. Inside of another base, that one counts.
#[derive(Debug)]
pub struct Base {
    outer: usize,
}

impl Base {
    /// A base at this place of the stack.
    pub fn here() -> Base {
        let outer = FLOOR.get();
        if outer == 0 {
            FLOOR.set(position().saturating_sub(BYTES));
        }
        Base { outer }
    }
}

impl Drop for Base {
    fn drop(&mut self) {
        FLOOR.set(self.outer);
    }
}

/// One level more might not fit.
#[inline]
pub fn is_low() -> bool {
    position() < FLOOR.get()
}

/// The same where evaluating still has to say so in its own words, for which there must be room.
#[inline]
pub fn is_low_soon() -> bool {
    let floor = FLOOR.get();
    floor != 0 && position() < floor + BYTES / 8
}

/// Time to go on elsewhere, for whoever can.
#[inline]
pub fn is_half_used() -> bool {
    let floor = FLOOR.get();
    floor != 0 && position() < floor + BYTES / 2
}

#[cfg(test)]
mod tests {
    use super::{BYTES, Base, is_low, position};

    /// How many levels fit.
    fn levels(count: usize) -> usize {
        let room = std::hint::black_box([0_u8; 1024]);
        if is_low() {
            return count + usize::from(room[0]);
        }
        levels(count + 1)
    }

    #[test]
    fn recursion_ends_before_the_stack_does() {
        let work = || {
            let top = position();
            let base = Base::here();
            let inner = Base::here();
            let deep = levels(0);
            assert!((10..BYTES / 1024 + 1).contains(&deep), "{deep}");
            drop(inner);
            assert_eq!(levels(0), deep);
            drop(base);
            assert!(!is_low() && top > 0);
        };
        let small = std::thread::Builder::new().stack_size(1 << 20).spawn(work);
        small.unwrap().join().unwrap();
    }
}
