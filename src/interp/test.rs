//! The tests that `[[`, `test` and `[` share.

use std::cmp::Ordering;

use super::Interp;
use crate::expand::{ExpandHost, Value};
use crate::fs::{Access, FileKind, Follow, Metadata};

/// Letters of unary operators.
pub const UNARY: &[u8] = b"abcdefghknoprstuvwxzGLNORS";

impl Interp {
    /// Answers `-op text`. `None`: no such operator. `Err`: the message of an error.
    pub fn unary_test(&mut self, op: u8, text: &[u8]) -> Option<Result<bool, Vec<u8>>> {
        let answer = match op {
            b'n' => !text.is_empty(),
            b'z' => text.is_empty(),
            b'a' | b'e' => self.file(text).is_some(),
            b'b' => self.is_kind(text, FileKind::BlockDevice),
            b'c' => self.is_kind(text, FileKind::CharDevice),
            b'd' => self.is_kind(text, FileKind::Directory),
            b'f' => self.is_kind(text, FileKind::Regular),
            b'p' => self.is_kind(text, FileKind::Fifo),
            b'S' => self.is_kind(text, FileKind::Socket),
            b'h' | b'L' => self
                .proc
                .metadata(text, Follow::No)
                .is_ok_and(|metadata| metadata.kind == FileKind::Symlink),
            b'g' => self.file(text).is_some_and(|file| file.mode & 0o2000 != 0),
            b'u' => self.file(text).is_some_and(|file| file.mode & 0o4000 != 0),
            b'k' => self.file(text).is_some_and(|file| file.mode & 0o1000 != 0),
            b's' => self.file(text).is_some_and(|file| file.size > 0),
            b'r' => self.may(text, Access::READ),
            b'w' => self.may(text, Access::WRITE),
            b'x' => self.may(text, Access::EXECUTE),
            b'O' => self.file(text).is_some_and(|file| file.uid == self.proc.user.uid),
            b'G' => self.file(text).is_some_and(|file| file.gid == self.proc.user.gid),
            b'N' => self.file(text).is_some_and(|file| file.mtime > file.atime),
            // No descriptor of a script is a terminal.
            // What is no number is no terminal either.
            b't' => false,
            b'o' => super::options::set_index(text).is_some_and(|index| self.options.is_index(index)),
            b'v' => self.is_set(text),
            b'R' => self.nameref(text).is_some(),
            _ => return None,
        };
        Some(Ok(answer))
    }

    fn file(&self, path: &[u8]) -> Option<Metadata> {
        self.proc.metadata(path, Follow::Yes).ok()
    }

    fn is_kind(&self, path: &[u8], kind: FileKind) -> bool {
        self.file(path).is_some_and(|file| file.kind == kind)
    }

    fn may(&self, path: &[u8], access: Access) -> bool {
        if crate::fs::descriptor_of_path(path).is_some() {
            return self.file(path).is_some();
        }
        self.proc.fs.access(&self.proc.view(), path, access).is_ok()
    }

    /// `-v name`, `-v name[key]`, `-v 1`
    pub fn is_set(&mut self, text: &[u8]) -> bool {
        if let Some(number) = crate::expand::arith::plain_number(text) {
            let index = usize::try_from(number).unwrap_or(usize::MAX);
            return index == 0 || index <= self.positional.len();
        }
        let (name, key) = super::variable::split_subscript(text);
        let Some(key) = key else {
            // A reference to an element of an array is never set.
            if self.is_reference(name) && self.follow(name).1.is_some() {
                return false;
            }
            return self.value_of(name).is_some_and(|value| value.scalar().is_some());
        };
        let Some(value) = self.value_of(name) else {
            return false;
        };
        if matches!(key, b"@" | b"*") && !matches!(value, Value::Assoc(_)) {
            return !value.elements().is_empty();
        }
        let key = match &value {
            Value::Assoc(_) => key.to_vec(),
            _ => match crate::expand::arith::evaluate(self, key) {
                Ok(index) => index.to_string().into_bytes(),
                Err(_) => return false,
            },
        };
        crate::expand::param::element::<super::Divert>(name, &value, &key).is_ok_and(|text| text.is_some())
    }

    /// `-nt` and `-ot`: a file that is not there is older than any that is.
    pub fn compare_times(&self, left: &[u8], right: &[u8]) -> Option<Ordering> {
        match (self.file(left), self.file(right)) {
            (Some(left), Some(right)) => Some(left.mtime.cmp(&right.mtime)),
            (Some(_), None) => Some(Ordering::Greater),
            (None, Some(_)) => Some(Ordering::Less),
            (None, None) => None,
        }
    }

    /// `-ef`
    pub fn same_file(&self, left: &[u8], right: &[u8]) -> bool {
        match (self.file(left), self.file(right)) {
            (Some(left), Some(right)) => (left.device, left.inode) == (right.device, right.inode),
            _ => false,
        }
    }
}
