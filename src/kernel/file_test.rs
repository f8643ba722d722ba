//! The tests of files that `[[`, the builtins `test` and `[`, and the programs of those names share: the operators of POSIX `test`, and
//! what bash and coreutils add to them.

use std::cmp::Ordering;

use super::proc::Proc;
use crate::fs::{Access, FileKind, Follow, Metadata};

impl Proc {
    /// Answers `-letter path`; a file that is not there answers no to everything. `None`: the letter tests no file.
    pub fn test_file(&self, letter: u8, path: &[u8]) -> Option<bool> {
        let may = |access| self.access(path, access).is_ok();
        Some(match letter {
            b'r' => may(Access::READ),
            b'w' => may(Access::WRITE),
            b'x' => may(Access::EXECUTE),
            b'h' | b'L' => self
                .metadata(path, Follow::No)
                .is_ok_and(|file| file.kind == FileKind::Symlink),
            _ => {
                let holds = test_of(letter)?;
                self.tested(path).is_some_and(|file| holds(self, &file))
            }
        })
    }

    /// `-nt` and `-ot`: by the time of modification; a file that is not there is older than any that is.
    pub fn compare_times(&self, left: &[u8], right: &[u8]) -> Option<Ordering> {
        match (self.tested(left), self.tested(right)) {
            (Some(left), Some(right)) => Some(left.mtime.cmp(&right.mtime)),
            (Some(_), None) => Some(Ordering::Greater),
            (None, Some(_)) => Some(Ordering::Less),
            (None, None) => None,
        }
    }

    /// `-ef`: the same node on the same device.
    pub fn same_file(&self, left: &[u8], right: &[u8]) -> bool {
        match (self.tested(left), self.tested(right)) {
            (Some(left), Some(right)) => (left.device, left.inode) == (right.device, right.inode),
            _ => false,
        }
    }

    fn tested(&self, path: &[u8]) -> Option<Metadata> {
        self.metadata(path, Follow::Yes).ok()
    }
}

/// What the letter asks of a file that was found.
fn test_of(letter: u8) -> Option<fn(&Proc, &Metadata) -> bool> {
    Some(match letter {
        b'a' | b'e' => |_, _| true,
        b'b' => |_, file| file.kind == FileKind::BlockDevice,
        b'c' => |_, file| file.kind == FileKind::CharDevice,
        b'd' => |_, file| file.kind == FileKind::Directory,
        b'f' => |_, file| file.kind == FileKind::Regular,
        b'p' => |_, file| file.kind == FileKind::Fifo,
        b'S' => |_, file| file.kind == FileKind::Socket,
        b'g' => |_, file| file.mode & 0o2000 != 0,
        b'k' => |_, file| file.mode & 0o1000 != 0,
        b'u' => |_, file| file.mode & 0o4000 != 0,
        b's' => |_, file| file.size > 0,
        b'G' => |proc, file| file.gid == proc.user.gid,
        b'O' => |proc, file| file.uid == proc.user.uid,
        b'N' => |_, file| file.mtime > file.atime,
        _ => return None,
    })
}
