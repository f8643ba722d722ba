//! `df`: how full the file trees are, one row a mount.
//!
//! The tree has no devices, so the source of a mount is the name of its kind. A tree without a limit has no size, like `proc`, and is
//! listed only with `-a` or by name.

mod options;

use self::options::{Column, Form, Options, SPEC};
use super::message::message;
use super::usage;
use crate::args::{BlockSize, quotef};
use crate::fs::Follow;
use crate::kernel::{Proc, Program, Stop};
use crate::text::human::{Rounding, human_size};

/// The program.
pub const PROGRAM: Program = Program {
    name: "df",
    run: |proc| Box::pin(run(proc)),
};

/// Inodes and bytes of one row.
#[derive(Debug, Clone, Copy, Default)]
struct Count {
    total: u64,
    used: u64,
}

impl Count {
    fn available(self) -> u64 {
        self.total.saturating_sub(self.used)
    }

    fn percent(self) -> String {
        let whole = u128::from(self.used) + u128::from(self.available());
        if whole == 0 {
            return "-".to_owned();
        }
        format!("{}%", (u128::from(self.used) * 100).div_ceil(whole))
    }

    fn add(&mut self, other: Count) {
        self.total = self.total.saturating_add(other.total);
        self.used = self.used.saturating_add(other.used);
    }
}

struct Row {
    source: Vec<u8>,
    kind: Vec<u8>,
    bytes: Count,
    nodes: Count,
    file: Vec<u8>,
    target: Vec<u8>,
}

async fn run(proc: &mut Proc) -> Result<i32, Stop> {
    let parsed = usage::parse(proc, &SPEC).await?;
    let options = Options::read(proc, &parsed);
    let options = usage::accept(proc, options).await?;
    let mut status = 0;
    let mut rows = Vec::new();
    if parsed.operands.is_empty() {
        for mount in proc.fs.mounts() {
            let row = row(&mount, b"-");
            if options.all || row.bytes.total > 0 {
                rows.push(row);
            }
        }
    }
    for path in &parsed.operands {
        let device = match proc.metadata(path, Follow::Yes) {
            Ok(found) => found.device,
            Err(errno) => {
                proc.warn(message!(quotef_always(path), ": ", errno.message()))
                    .await?;
                status = 1;
                continue;
            }
        };
        let mounts = proc.fs.mounts();
        rows.extend(
            mounts
                .iter()
                .find(|mount| mount.device == device)
                .map(|mount| row(mount, path)),
        );
    }
    rows.retain(|row| options.wants(&row.kind));
    if rows.is_empty() {
        if status == 0 {
            proc.warn("no file systems processed").await?;
        }
        return Ok(1);
    }
    if options.total {
        rows.push(total(&rows));
    }
    let text = table(&options, &rows);
    proc.write(&text).await?;
    Ok(status)
}

fn quotef_always(path: &[u8]) -> Vec<u8> {
    if path.is_empty() {
        b"''".to_vec()
    } else {
        quotef(path)
    }
}

fn row(mount: &crate::fs::MountInfo, file: &[u8]) -> Row {
    // What has no limit has no size.
    let bounded = |limit: u64| if limit > u64::MAX / 4 { 0 } else { limit };
    let usage = &mount.usage;
    let total = bounded(usage.limit_bytes);
    let nodes = bounded(usage.limit_nodes);
    Row {
        source: mount.type_name.as_bytes().to_vec(),
        kind: mount.type_name.as_bytes().to_vec(),
        bytes: Count {
            total,
            used: usage.bytes.min(total),
        },
        nodes: Count {
            total: nodes,
            used: usage.nodes.min(nodes),
        },
        file: file.to_vec(),
        target: mount.at.clone(),
    }
}

fn total(rows: &[Row]) -> Row {
    let mut sum = Row {
        source: b"total".to_vec(),
        kind: b"-".to_vec(),
        bytes: Count::default(),
        nodes: Count::default(),
        file: b"-".to_vec(),
        target: b"-".to_vec(),
    };
    for row in rows {
        sum.bytes.add(row.bytes);
        sum.nodes.add(row.nodes);
    }
    sum
}

fn cell(options: &Options, row: &Row, column: Column) -> Vec<u8> {
    let bytes = |count: u64| options.unit.format(count).into_bytes();
    // Inodes have a unit only for people.
    let nodes = |count: u64| match options.unit {
        BlockSize::Human(base) => human_size(count, base, Rounding::Up).into_bytes(),
        _ => count.to_string().into_bytes(),
    };
    match column {
        Column::Source => row.source.clone(),
        Column::Kind => row.kind.clone(),
        Column::Size => bytes(row.bytes.total),
        Column::Used => bytes(row.bytes.used),
        Column::Available => bytes(row.bytes.available()),
        Column::Percent => row.bytes.percent().into_bytes(),
        Column::Nodes => nodes(row.nodes.total),
        Column::NodesUsed => nodes(row.nodes.used),
        Column::NodesFree => nodes(row.nodes.available()),
        Column::NodesPercent => row.nodes.percent().into_bytes(),
        Column::File => row.file.clone(),
        Column::Target => row.target.clone(),
    }
}

/// The header of a column, and the least width.
fn header(options: &Options, column: Column) -> (String, usize) {
    let people = matches!(options.unit, BlockSize::Human(_));
    let available = if people || options.form == Form::Fields {
        "Avail"
    } else {
        "Available"
    };
    let percent = if options.form == Form::Posix && !people {
        "Capacity"
    } else {
        "Use%"
    };
    let (text, width) = match column {
        Column::Source => ("Filesystem", 14),
        Column::Kind => ("Type", 4),
        Column::Size => return (options.size_header(), 5),
        Column::Used => ("Used", 5),
        Column::Available => (available, 5),
        Column::Percent => (percent, 4),
        Column::Nodes => ("Inodes", 5),
        Column::NodesUsed => ("IUsed", 5),
        Column::NodesFree => ("IFree", 5),
        Column::NodesPercent => ("IUse%", 4),
        Column::File => ("File", 0),
        Column::Target => ("Mounted on", 0),
    };
    (text.to_owned(), width)
}

fn table(options: &Options, rows: &[Row]) -> Vec<u8> {
    let mut lines: Vec<Vec<u8>> = vec![Vec::new(); rows.len() + 1];
    let count = options.columns.len();
    for (index, &column) in options.columns.iter().enumerate() {
        let (title, least) = header(options, column);
        let mut cells = vec![title.into_bytes()];
        cells.extend(rows.iter().map(|row| cell(options, row, column)));
        let width = cells
            .iter()
            .map(|cell| crate::text::utf8::width(cell))
            .fold(least, usize::max);
        let is_text = matches!(
            column,
            Column::Source | Column::Kind | Column::File | Column::Target
        );
        for (line, cell) in lines.iter_mut().zip(cells) {
            if index > 0 {
                line.push(b' ');
            }
            let blanks = width.saturating_sub(crate::text::utf8::width(&cell));
            let padding = std::iter::repeat_n(b' ', blanks);
            if is_text {
                line.extend(cell);
                if index + 1 < count {
                    line.extend(padding);
                }
            } else {
                line.extend(padding);
                line.extend(cell);
            }
        }
    }
    lines
        .into_iter()
        .flat_map(|line| [line, b"\n".to_vec()].concat())
        .collect()
}
