//! The commands of a pipeline.
//!
//! Nearly always there is one, which needs no list of its own. Several are shared: each runs as a process, whose task must own what it runs,
//! and a copy of a command costs more than many a command does.

use std::ops::Deref;
use std::sync::Arc;

use super::ast::Command;

/// The commands of a pipeline, in order.
#[derive(Debug, Clone, PartialEq)]
pub enum Stages {
    /// The only one.
    One(Command),
    /// Several, or none.
    Many(Arc<[Command]>),
}

impl Stages {
    /// Takes out the only one.
    pub(super) fn take_only(&mut self) -> Option<Command> {
        match std::mem::take(self) {
            Stages::One(command) => Some(command),
            stages @ Stages::Many(_) => {
                *self = stages;
                None
            }
        }
    }

    /// As a slice.
    #[inline]
    pub fn as_slice(&self) -> &[Command] {
        match self {
            Stages::One(command) => std::slice::from_ref(command),
            Stages::Many(commands) => commands,
        }
    }

    /// To be changed, where nothing else shares them: while the tree is made.
    pub fn as_mut_slice(&mut self) -> &mut [Command] {
        match self {
            Stages::One(command) => std::slice::from_mut(command),
            Stages::Many(commands) => Arc::get_mut(commands).unwrap_or_default(),
        }
    }
}

impl Default for Stages {
    fn default() -> Stages {
        Stages::Many(Arc::default())
    }
}

impl From<Vec<Command>> for Stages {
    fn from(mut commands: Vec<Command>) -> Stages {
        match commands.pop() {
            Some(only) if commands.is_empty() => Stages::One(only),
            last => Stages::Many(commands.into_iter().chain(last).collect()),
        }
    }
}

impl Deref for Stages {
    type Target = [Command];
    #[inline]
    fn deref(&self) -> &[Command] {
        self.as_slice()
    }
}
