//! The same scripts in several shells, interleaved: round by round each shell runs each script once, so that what else the machine
//! does hits all alike. Outputs must agree. Prints medians, and ratios to bash; README.md keeps a table.
//!
//!     cargo run --release --manifest-path benches/versus/Cargo.toml [--features peers] -- [ROUNDS]
//!
//! exuvia and bashkit run in this process, in a new shell each time; bash, dash and brush are processes. `BRUSH` names brush's
//! program, when it is not in `PATH`.

mod contender;
mod micro;
mod scripts;
mod text;

fn main() {
    let rounds = std::env::args()
        .nth(1)
        .and_then(|text| text.parse().ok())
        .unwrap_or(7);
    scripts::table(rounds);
    println!();
    text::table(rounds);
    println!();
    micro::table(rounds);
}
