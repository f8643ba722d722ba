//! Resource limits of a process, as `setrlimit` keeps them and children inherit them.
//!
//! What the system bounds is bounded by [`super::Limits`]; of these values only the number of open files acts. The others are what
//! `ulimit` shows, and keep their rules: a soft limit stays below its hard one, and a hard one only falls.

use std::sync::Arc;

use super::Limits;
use crate::fs::Errno;

/// No limit.
pub const UNLIMITED: u64 = u64::MAX;

/// A resource.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Resource {
    RealTime,
    Core,
    Data,
    Nice,
    FileSize,
    PendingSignals,
    LockedMemory,
    ResidentSet,
    OpenFiles,
    MessageQueues,
    RealTimePriority,
    Stack,
    CpuTime,
    Processes,
    AddressSpace,
    FileLocks,
}

const COUNT: usize = Resource::FileLocks as usize + 1;

/// A soft and a hard limit, in the system's unit (bytes, seconds, a count).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Bound {
    /// What holds.
    pub soft: u64,
    /// What the soft limit may be raised to.
    pub hard: u64,
}

/// The limits of a process; cloning shares them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Resources(Arc<[Bound; COUNT]>);

impl Resources {
    /// What the first process starts with.
    pub fn new(limits: &Limits) -> Resources {
        let same = |value| Bound {
            soft: value,
            hard: value,
        };
        let mut bounds = [same(UNLIMITED); COUNT];
        let given = [
            (
                Resource::Core,
                Bound {
                    soft: 0,
                    hard: UNLIMITED,
                },
            ),
            (Resource::Nice, same(0)),
            (Resource::PendingSignals, same(u64::from(limits.processes))),
            (Resource::LockedMemory, same(8 << 20)),
            (Resource::OpenFiles, same(u64::from(limits.open_files))),
            (Resource::MessageQueues, same(819_200)),
            (Resource::RealTimePriority, same(0)),
            (
                Resource::Stack,
                Bound {
                    soft: 8 << 20,
                    hard: UNLIMITED,
                },
            ),
            (Resource::Processes, same(u64::from(limits.processes))),
        ];
        for (resource, bound) in given {
            if let Some(slot) = bounds.get_mut(resource as usize) {
                *slot = bound;
            }
        }
        Resources(Arc::new(bounds))
    }

    /// The limits of a resource.
    pub fn get(&self, resource: Resource) -> Bound {
        self.0.get(resource as usize).copied().unwrap_or(Bound {
            soft: UNLIMITED,
            hard: UNLIMITED,
        })
    }

    /// Changes limits: `EINVAL` when the soft one would exceed the hard one, `EPERM` when the hard one would rise.
    pub fn set(&mut self, resource: Resource, bound: Bound) -> Result<(), Errno> {
        if bound.soft > bound.hard {
            return Err(Errno::EINVAL);
        }
        if bound.hard > self.get(resource).hard {
            return Err(Errno::EPERM);
        }
        if let Some(slot) = Arc::make_mut(&mut self.0).get_mut(resource as usize) {
            *slot = bound;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hard_limits_only_fall() {
        let mut resources = Resources::new(&Limits::default());
        let bound = |soft, hard| Bound { soft, hard };
        assert_eq!(resources.set(Resource::OpenFiles, bound(5, 10)), Ok(()));
        assert_eq!(
            resources.set(Resource::OpenFiles, bound(5, 11)),
            Err(Errno::EPERM)
        );
        assert_eq!(
            resources.set(Resource::OpenFiles, bound(11, 10)),
            Err(Errno::EINVAL)
        );
        assert_eq!(resources.get(Resource::OpenFiles), bound(5, 10));
    }
}
