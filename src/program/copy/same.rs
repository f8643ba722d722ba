//! Whether source and destination are the same file in a way that would lose it: `same_file_ok` of coreutils' `copy.c`.

use super::{Copier, Dereference, Make};
use crate::fs::{Existing, FileKind, Follow, Metadata};
use crate::kernel::Proc;
use crate::program::path;

/// What to do about a destination that exists.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Sameness {
    /// Go on.
    Fine,
    /// There is nothing left to do.
    Done,
    /// They are the same file.
    Same,
}

/// Both are one node.
pub(super) fn same_node(left: &Metadata, right: &Metadata) -> bool {
    (left.device, left.inode) == (right.device, right.inode)
}

/// Both paths are one name in one directory.
pub(super) fn same_name(proc: &Proc, left: &[u8], right: &[u8]) -> bool {
    if path::base_name(left) != path::base_name(right) {
        return false;
    }
    let directory = |of: &[u8]| proc.metadata(path::directory_name(of), Follow::Yes);
    matches!((directory(left), directory(right)), (Ok(left), Ok(right)) if same_node(&left, &right))
}

fn is_link(metadata: &Metadata) -> bool {
    metadata.kind == FileKind::Symlink
}

/// The two nodes without following links.
struct Links {
    source: Metadata,
    destination: Metadata,
    same: bool,
}

impl Copier<'_> {
    pub(super) fn sameness(
        &self,
        proc: &Proc,
        source: (&[u8], &Metadata),
        destination: (&[u8], &Metadata),
    ) -> Sameness {
        let options = self.options;
        let same = same_node(source.1, destination.1);
        if same && options.make == Make::HardLink {
            return Sameness::Done;
        }
        let links = if options.dereference == Dereference::Never {
            if is_link(source.1) && is_link(destination.1) {
                return self.two_links(proc, source.0, destination.0, same);
            }
            Links {
                source: *source.1,
                destination: *destination.1,
                same,
            }
        } else {
            if !same {
                return Sameness::Fine;
            }
            let node = |path: &[u8]| proc.metadata(path, Follow::No);
            let (Ok(source), Ok(destination)) = (node(source.0), node(destination.0)) else {
                return Sameness::Fine;
            };
            if is_link(&source) && is_link(&destination) && options.unlink_first {
                return Sameness::Fine;
            }
            Links {
                same: same_node(&source, &destination),
                source,
                destination,
            }
        };
        self.judge(proc, source, destination.0, &links)
    }

    /// Two links are two files unless they are one name.
    fn two_links(&self, proc: &Proc, source: &[u8], destination: &[u8], same: bool) -> Sameness {
        if same_name(proc, source, destination) {
            return Sameness::Same;
        }
        match (self.options.backup.is_on(), same, self.options.moves()) {
            (true, ..) | (false, false, _) => Sameness::Fine,
            (false, true, false) => Sameness::Done,
            // Renaming one name of a node to another does nothing at all.
            (false, true, true) => Sameness::Same,
        }
    }

    fn judge(&self, proc: &Proc, source: (&[u8], &Metadata), destination: &[u8], links: &Links) -> Sameness {
        let options = self.options;
        let verdict = |fine: bool| if fine { Sameness::Fine } else { Sameness::Same };
        if options.backup.is_on() {
            if links.same {
                return verdict(!same_name(proc, source.0, destination));
            }
            // The destination moved aside would leave the source a dangling link.
            let dangles = !options.moves()
                && options.dereference != Dereference::Never
                && is_link(&links.source)
                && !is_link(&links.destination);
            return verdict(!dangles);
        }
        if options.moves() || options.unlink_first {
            if is_link(&links.destination) {
                return Sameness::Fine;
            }
            let hard_linked = links.same && links.destination.nlink > 1;
            if hard_linked && !same_name(proc, source.0, destination) {
                return verdict(!options.moves());
            }
        }
        if !is_link(&links.source) && !is_link(&links.destination) {
            if !same_node(&links.source, &links.destination) {
                return Sameness::Fine;
            }
            if options.make == Make::HardLink {
                return Sameness::Done;
            }
        }
        if options.moves() && is_link(source.1) && links.destination.nlink > 1 {
            return match proc.canonicalize(source.0, Existing::All) {
                Ok(real) => verdict(!same_name(proc, &real, destination)),
                Err(_) => self.followed(proc, source.0, destination, links),
            };
        }
        if options.make == Make::SymbolicLink && is_link(&links.destination) {
            return Sameness::Fine;
        }
        self.followed(proc, source.0, destination, links)
    }

    /// The last question: what the links lead to.
    fn followed(&self, proc: &Proc, source: &[u8], destination: &[u8], links: &Links) -> Sameness {
        if self.options.dereference != Dereference::Never {
            return Sameness::Same;
        }
        let target = |path: &[u8], node: &Metadata| {
            if is_link(node) {
                proc.metadata(path, Follow::Yes).ok()
            } else {
                Some(*node)
            }
        };
        let (Some(from), Some(to)) = (
            target(source, &links.source),
            target(destination, &links.destination),
        ) else {
            return Sameness::Fine;
        };
        if !same_node(&from, &to) {
            return Sameness::Fine;
        }
        match self.options.make {
            Make::HardLink if is_link(&links.destination) => Sameness::Fine,
            Make::HardLink => Sameness::Done,
            _ => Sameness::Same,
        }
    }
}
