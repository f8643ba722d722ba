//! What ten times as much costs: each row runs at a size and at ten times that, and prints how time and steps grew.
//!
//! Steps are exact, so a row is linear when they grow tenfold; time must follow, or something is not counted. The last column says what
//! does not. Rows whose name ends in "around" make what lies around the work ten times as large, not the work: they must not grow.
//!
//!     cargo bench --bench growth [NAME]

use std::time::{Duration, Instant};

use exuvia::kernel::Limits;
use exuvia::{Run, Shell};

/// A row: what is prepared, and what is measured, at a size.
struct Row {
    name: &'static str,
    size: usize,
    prepare: fn(usize) -> String,
    measure: fn(usize) -> String,
    /// What ten times the size may cost at most.
    most: f64,
}

const ROWS: &[Row] = &[
    Row {
        name: "array append",
        size: 30_000,
        prepare: |_| String::new(),
        measure: |size| format!("a=(); for ((i = 0; i < {size}; i++)); do a+=(x$i); done; echo ${{#a[@]}}"),
        most: 10.0,
    },
    Row {
        name: "array element append",
        size: 30_000,
        prepare: |_| String::new(),
        measure: |size| {
            format!("a=(); for ((i = 0; i < {size}; i++)); do a[i]=x; a[5]+=y; done; echo ${{#a[5]}}")
        },
        most: 10.0,
    },
    Row {
        name: "string append",
        size: 50_000,
        prepare: |_| String::new(),
        measure: |size| format!("s=; for ((i = 0; i < {size}; i++)); do s+=0123456789; done; echo ${{#s}}"),
        most: 10.0,
    },
    Row {
        name: "associative keys",
        size: 20_000,
        prepare: |_| String::new(),
        measure: |size| {
            format!("declare -A m; for ((i = 0; i < {size}; i++)); do m[k$i]=$i; done; echo ${{#m[@]}}")
        },
        most: 10.0,
    },
    Row {
        name: "$( ), environment around",
        size: 300,
        prepare: |size| {
            format!("for ((i = 0; i < {size}; i++)); do export variable$i=some-text-of-some-length$i; done")
        },
        measure: |_| "for ((i = 0; i < 2000; i++)); do x=$(echo $i); done; echo $x".into(),
        most: 1.0,
    },
    Row {
        name: "$( ), large environment",
        size: 500,
        prepare: |_| {
            "for ((i = 0; i < 3000; i++)); do export variable$i=some-text-of-some-length$i; done".into()
        },
        measure: |size| format!("for ((i = 0; i < {size}; i++)); do x=$(echo $i); done; echo $x"),
        most: 10.0,
    },
    Row {
        name: "local variables around",
        size: 500,
        prepare: |size| {
            format!("for ((i = 0; i < {size}; i++)); do v$i=1; done; f() {{ local a=1 b=2; ((a += b)); }}")
        },
        measure: |_| "for ((i = 0; i < 20000; i++)); do f; done".into(),
        most: 1.0,
    },
    Row {
        name: "glob over files",
        size: 10_000,
        prepare: |size| format!("mkdir d; cd d; for ((i = 0; i < {size}; i++)); do : >file$i; done"),
        measure: |_| "set -- *; echo $#; set -- *7; echo $#".into(),
        most: 10.0,
    },
    Row {
        name: "here-document",
        size: 10_000_000,
        prepare: |_| String::new(),
        measure: |size| {
            format!(
                "cat <<E | wc -c\n{}E\n",
                "a line of the document, which is long\n".repeat(size / 38)
            )
        },
        most: 10.0,
    },
    Row {
        name: "here-document of a variable",
        size: 5_000_000,
        prepare: |size| format!("x=$(head -c {size} /dev/zero | tr '\\0' x)"),
        measure: |_| "cat <<E | wc -c\n$x\nE\n".into(),
        most: 10.0,
    },
    Row {
        name: "pipeline",
        size: 100_000_000,
        prepare: |_| String::new(),
        measure: |size| format!("head -c {size} /dev/zero | cat | wc -c"),
        most: 10.0,
    },
    Row {
        name: "while read",
        size: 100_000,
        prepare: |size| format!("seq {size} >lines"),
        measure: |_| "n=0; while read -r line; do ((n += 1)); done <lines; echo $n".into(),
        most: 10.0,
    },
    Row {
        name: "while read from a pipe",
        size: 100_000,
        prepare: |_| String::new(),
        measure: |size| format!("seq {size} | while read -r line; do :; done"),
        most: 10.0,
    },
    Row {
        name: "background jobs",
        size: 10_000,
        prepare: |_| String::new(),
        measure: |size| format!("for ((i = 0; i < {size}; i++)); do : & done; wait; echo $?"),
        most: 10.0,
    },
    Row {
        name: "depth of functions",
        size: 900,
        prepare: |_| "f() { local x=$1; if (($1)); then f $(($1 - 1)); fi; }".into(),
        measure: |size| format!("f {size}"),
        most: 10.0,
    },
    Row {
        name: "$( ) and locals in recursion",
        size: 300,
        prepare: |_| {
            "g() { local y=1; echo $y; }; f() { local x=$(g); if (($1)); then f $(($1 - 1)); fi; }".into()
        },
        measure: |size| format!("f {size}"),
        most: 10.0,
    },
    Row {
        name: "$( ) in $( )",
        size: 90,
        prepare: |_| "f() { local x=1; if (($1)); then x=$(f $(($1 - 1))); fi; }".into(),
        measure: |size| format!("f {size}"),
        most: 10.0,
    },
    Row {
        name: "pattern replacement",
        size: 100_000,
        prepare: |size| format!("x=$(head -c {size} /dev/zero | tr '\\0' x)"),
        measure: |_| "y=${x//x/yy}; echo ${#y}; y=${x%%y*}; y=${x##*y}".into(),
        most: 10.0,
    },
    Row {
        name: "gzip and back",
        size: 1_000_000,
        prepare: |_| String::new(),
        measure: |size| format!("seq 1 100000000 | head -c {size} | gzip | gunzip | wc -c"),
        most: 10.0,
    },
    Row {
        name: "tar and back",
        size: 1_000_000,
        prepare: |size| format!("seq 1 100000000 | head -c {size} >f"),
        measure: |_| "tar cf - f | tar xOf - | wc -c".into(),
        most: 10.0,
    },
    Row {
        name: "mapfile",
        size: 100_000,
        prepare: |size| format!("seq {size} >lines"),
        measure: |_| "mapfile -t a <lines; echo ${#a[@]}".into(),
        most: 10.0,
    },
    Row {
        name: "words of a command",
        size: 50_000,
        prepare: |_| String::new(),
        measure: |size| format!("set -- $(seq {size}); echo $#"),
        most: 10.0,
    },
    Row {
        name: "sort, 40 bytes a line",
        size: 50_000,
        prepare: |size| format!("seq {size} | sed 's/$/ and some more text behind it/' >lines"),
        measure: |_| "sort -r lines | tail -n 1".into(),
        most: 12.0,
    },
];

/// A tenfold size may take this much more than tenfold time: caches, allocation, other work on the machine.
const SLACK: f64 = 1.6;

/// Time and steps of a row at a size: the best of some runs.
fn cost(row: &Row, size: usize, rounds: usize) -> (Duration, u64) {
    let (mut best, mut steps) = (Duration::MAX, 0);
    let script = (row.measure)(size);
    for _ in 0..rounds {
        let limits = Limits {
            steps: u64::MAX,
            memory_bytes: 4 << 30,
            processes: 1 << 20,
            ..Limits::default()
        };
        let Ok(mut shell) = Shell::builder().limits(limits).build() else {
            continue;
        };
        let prepared = shell.run((row.prepare)(size));
        assert_eq!(
            (prepared.status, prepared.halt),
            (0, None),
            "{}: {prepared:?}",
            row.name
        );
        let began = Instant::now();
        let outcome = shell.execute(Run::command(&script));
        best = best.min(began.elapsed());
        steps = outcome.usage.steps;
        let said = String::from_utf8_lossy(&outcome.stderr).into_owned();
        assert_eq!((outcome.status, outcome.halt), (0, None), "{}: {said}", row.name);
    }
    (best, steps)
}

fn main() {
    let wanted = std::env::args().skip(1).find(|word| !word.starts_with('-'));
    println!(
        "{:<30}{:>13}{:>12}{:>12}{:>8}{:>14}{:>14}{:>8}",
        "row", "size", "time", "at 10x", "", "steps", "at 10x", ""
    );
    for row in ROWS {
        if wanted
            .as_ref()
            .is_some_and(|wanted| !row.name.contains(wanted.as_str()))
        {
            continue;
        }
        let (small, few) = cost(row, row.size, 5);
        let (large, many) = cost(row, row.size * 10, 2);
        let time = large.as_secs_f64() / small.as_secs_f64();
        let steps = many as f64 / few as f64;
        let verdict = match (time <= row.most * SLACK, steps <= row.most * 1.1) {
            (true, true) => "",
            (false, true) => "  time",
            (true, false) => "  steps",
            (false, false) => "  time and steps",
        };
        println!(
            "{:<30}{:>13}{:>9.1} ms{:>9.1} ms{time:>7.1}x{few:>14}{many:>14}{steps:>7.1}x{verdict}",
            row.name,
            row.size,
            small.as_secs_f64() * 1e3,
            large.as_secs_f64() * 1e3,
        );
    }
}
