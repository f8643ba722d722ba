//! The text programs on 10 MB, in one process each: the script makes the file first, and what that takes is taken off.

use crate::clock::Clock;
use crate::contender::{all, compare, head};

/// Lines of words and numbers, not sorted: about 10 MB.
const FILE: &str = "awk 'BEGIN { srand(7); for (i = 0; i < 250000; i++) { n = (i * 7919) % 250007; printf \"%06d word%d some,more,text %d\\n\", n, n % 977, i } }' >f; ";

const COMMANDS: &[(&str, &str)] = &[
    ("sort", "sort f | tail -n 1"),
    ("sort -n -k 4", "sort -n -k 4 f | tail -n 1"),
    ("grep -c", "grep -c word97 f"),
    ("grep -E -c", "grep -E -c 'word[0-9]*7 .*te?xt' f"),
    ("sed s///", "sed 's/word\\([0-9]*\\)/\\1/' f | tail -n 1"),
    ("cut -d , -f 2", "cut -d , -f 2 f | tail -n 1"),
    ("wc", "wc <f"),
    ("uniq -c", "uniq -c f | tail -n 1"),
    ("tr a-z A-Z", "tr a-z A-Z <f | tail -n 1"),
];

pub fn table(rounds: usize, clock: Clock) {
    let mut contenders = all();
    contenders.retain(|contender| contender.name != "dash" && contender.name != "brush");
    let mut columns = vec!["real, ms"];
    columns.extend(contenders.iter().skip(1).map(|contender| contender.name));
    head("program, 10 MB", &columns);
    let base: Vec<f64> = compare(&mut contenders, FILE, rounds, clock)
        .iter()
        .map(|result| result.median())
        .collect();
    for (name, command) in COMMANDS {
        let results = compare(&mut contenders, &[FILE, command].concat(), rounds, clock);
        let times: Vec<f64> = results
            .iter()
            .zip(&base)
            .map(|(result, base)| (result.median() - base).max(1e-6))
            .collect();
        let real = times.first().copied().unwrap_or(f64::NAN);
        let cells: Vec<String> = contenders
            .iter()
            .zip(results.iter().zip(&times))
            .skip(1)
            .map(|(contender, (result, time))| {
                let ratio = real / time;
                match (result.failure(), contender.name == "exuvia" && ratio < 1.0) {
                    (Some(failure), _) => failure.into(),
                    (None, true) => format!("**{ratio:.2}**"),
                    (None, false) => format!("{ratio:.2}"),
                }
            })
            .collect();
        println!("| `{name}` | {:.1} | {} |", real * 1e3, cells.join(" | "));
    }
}
