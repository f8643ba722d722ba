//! The descriptor table of a process.

use std::sync::Arc;

use super::file::File;
use crate::fs::Errno;

#[derive(Debug, Clone)]
struct Slot {
    file: Arc<File>,
    close_on_exec: bool,
}

/// Descriptors by number. Cloning is `fork`: the clones share the open files.
#[derive(Debug, Clone, Default)]
pub struct Fds {
    slots: Vec<Option<Slot>>,
}

impl Fds {
    /// Places in the table; copying takes as long.
    pub fn places(&self) -> usize {
        self.slots.len()
    }

    /// Standard input, output and error.
    pub fn standard(stdin: Arc<File>, stdout: Arc<File>, stderr: Arc<File>) -> Fds {
        let slot = |file| {
            Some(Slot {
                file,
                close_on_exec: false,
            })
        };
        Fds {
            slots: vec![slot(stdin), slot(stdout), slot(stderr)],
        }
    }

    /// The open file of a descriptor.
    #[inline]
    pub fn get(&self, fd: u32) -> Result<&Arc<File>, Errno> {
        match self.slots.get(fd as usize) {
            Some(Some(slot)) => Ok(&slot.file),
            _ => Err(Errno::EBADF),
        }
    }

    /// Puts a file at a number, closing what was there. `EBADF` beyond `limit`.
    pub fn set(&mut self, fd: u32, file: Arc<File>, limit: u32) -> Result<Option<Arc<File>>, Errno> {
        if fd >= limit {
            return Err(Errno::EBADF);
        }
        let index = fd as usize;
        if self.slots.len() <= index {
            self.slots.resize_with(index + 1, || None);
        }
        let slot = self.slots.get_mut(index).ok_or(Errno::EBADF)?;
        Ok(slot
            .replace(Slot {
                file,
                close_on_exec: false,
            })
            .map(|old| old.file))
    }

    /// Puts a file at the lowest free number that is at least `from`.
    pub fn insert(&mut self, file: Arc<File>, from: u32, limit: u32) -> Result<u32, Errno> {
        let fd = (from..limit)
            .find(|fd| self.get(*fd).is_err())
            .ok_or(Errno::EMFILE)?;
        self.set(fd, file, limit)?;
        Ok(fd)
    }

    /// Closes a descriptor.
    pub fn close(&mut self, fd: u32) -> Result<Arc<File>, Errno> {
        let slot = self
            .slots
            .get_mut(fd as usize)
            .and_then(Option::take)
            .ok_or(Errno::EBADF)?;
        while matches!(self.slots.last(), Some(None)) {
            self.slots.pop();
        }
        Ok(slot.file)
    }

    /// Marks a descriptor as the shell's own: programs do not inherit it.
    pub fn set_close_on_exec(&mut self, fd: u32, on: bool) {
        if let Some(Some(slot)) = self.slots.get_mut(fd as usize) {
            slot.close_on_exec = on;
        }
    }

    /// Is it marked?
    pub fn close_on_exec(&self, fd: u32) -> bool {
        matches!(self.slots.get(fd as usize), Some(Some(slot)) if slot.close_on_exec)
    }

    /// What a program inherits.
    #[must_use]
    pub fn inherited(&self) -> Fds {
        let mut fds = self.clone();
        for slot in &mut fds.slots {
            if slot.as_ref().is_some_and(|slot| slot.close_on_exec) {
                *slot = None;
            }
        }
        fds
    }

    /// Open descriptors in ascending order.
    pub fn iter(&self) -> impl Iterator<Item = (u32, &Arc<File>)> {
        self.slots
            .iter()
            .enumerate()
            .filter_map(|(fd, slot)| slot.as_ref().map(|slot| (fd as u32, &slot.file)))
    }
}
