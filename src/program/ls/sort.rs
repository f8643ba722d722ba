//! The order of entries. Names are compared by bytes; reversing reverses ties too, but directories stay first.

use std::cmp::Ordering;

use super::entry::Entry;
use super::options::{Options, Sort, TimeKind};
use crate::fs::{Metadata, Timestamp};
use crate::text::version;

/// The time of a node that was asked for.
pub fn time_of(metadata: &Metadata, kind: TimeKind) -> Timestamp {
    match kind {
        TimeKind::Modification => metadata.mtime,
        TimeKind::Access => metadata.atime,
        TimeKind::Change => metadata.ctime,
        TimeKind::Birth => metadata.btime,
    }
}

/// The last point of a name and what follows.
fn extension(name: &[u8]) -> &[u8] {
    let start = name.iter().rposition(|byte| *byte == b'.');
    start.and_then(|start| name.get(start..)).unwrap_or_default()
}

/// Sorts. `width` is the number of columns that a name takes.
pub fn sort(entries: &mut [Entry], options: &Options, width: impl Fn(&Entry) -> usize) {
    let time = |entry: &Entry| {
        entry
            .metadata
            .map_or(Timestamp::default(), |found| time_of(&found, options.time))
    };
    let size = |entry: &Entry| entry.metadata.map_or(0, |found| found.size);
    let by_name = |left: &Entry, right: &Entry| left.name.cmp(&right.name);
    match options.sort {
        Sort::None => {}
        Sort::Name => arrange(entries, options, by_name),
        Sort::Time => arrange(entries, options, |left, right| time(right).cmp(&time(left))),
        Sort::Size => arrange(entries, options, |left, right| size(right).cmp(&size(left))),
        Sort::Extension => arrange(entries, options, |left, right| {
            extension(&left.name).cmp(extension(&right.name))
        }),
        Sort::Version => arrange(entries, options, |left, right| {
            version::compare(&left.name, &right.name)
        }),
        Sort::Width => arrange(entries, options, |left, right| width(left).cmp(&width(right))),
    }
}

fn arrange(entries: &mut [Entry], options: &Options, compare: impl Fn(&Entry, &Entry) -> Ordering) {
    entries.sort_by(|left, right| {
        let groups = if options.directories_first {
            right.leads_to_directory().cmp(&left.leads_to_directory())
        } else {
            Ordering::Equal
        };
        let inside = compare(left, right).then_with(|| left.name.cmp(&right.name));
        groups.then(if options.reverse { inside.reverse() } else { inside })
    });
}
