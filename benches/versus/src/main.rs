//! The same scripts in several shells, interleaved: round by round each shell runs each script once, so that what else the machine
//! does hits all alike. Outputs must agree with bash's. Prints medians, and ratios to bash; `results.md` keeps a table.
//!
//!     cargo install --root benches/versus/target/brush brush-shell
//!     cargo run --release --manifest-path benches/versus/Cargo.toml --features peers -- [--processor] [ROUNDS]
//!
//! exuvia and bashkit (feature `peers`) run in this process, in a new shell each time; bash, dash and brush are processes. brush is found
//! where the first command puts it, in `PATH`, or where `BRUSH` says. `--processor` counts processor time, of children
//! too, instead of the time that passes: for a machine that others use.

mod clock;
mod contender;
mod micro;
mod scripts;
mod text;

use clock::Clock;

fn main() {
    let mut clock = Clock::Wall;
    let mut rounds = 7;
    for argument in std::env::args().skip(1) {
        match argument.parse() {
            Ok(number) => rounds = number,
            Err(_) if argument == "--processor" => clock = Clock::Processor,
            Err(_) => {
                eprintln!("versus: {argument}: neither --processor nor a number of rounds");
                std::process::exit(2);
            }
        }
    }
    for version in contender::versions() {
        println!("- {version}");
    }
    println!();
    scripts::table(rounds, clock);
    println!();
    text::table(rounds, clock);
    println!();
    micro::table(rounds, clock);
}
