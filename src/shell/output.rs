//! Where the output of a run goes until the host takes it.

use std::sync::{Arc, Mutex};

use crate::kernel::{self, HostSink};
use crate::outcome::Event;

/// Where the output of a run goes until the host takes it.
#[derive(Default)]
pub(super) struct Collected {
    pub(super) stdout: Vec<u8>,
    pub(super) stderr: Vec<u8>,
    /// In order, when the host asked for events.
    pub(super) events: Option<Vec<Event>>,
}

pub(super) struct Sink {
    pub(super) collected: Arc<Mutex<Collected>>,
    pub(super) error: bool,
}

impl HostSink for Sink {
    fn write(&self, data: &[u8]) {
        let mut collected = kernel::lock(&self.collected);
        if let Some(events) = &mut collected.events {
            match (events.last_mut(), self.error) {
                (Some(Event::Stdout(text)), false) | (Some(Event::Stderr(text)), true) => {
                    text.extend_from_slice(data)
                }
                (_, false) => events.push(Event::Stdout(data.to_vec())),
                (_, true) => events.push(Event::Stderr(data.to_vec())),
            }
            return;
        }
        let buffer = if self.error {
            &mut collected.stderr
        } else {
            &mut collected.stdout
        };
        buffer.extend_from_slice(data);
    }
}
