//! [`Events`]: the events of a session while they happen.

use super::error::Error;
use super::sse::Messages;
use super::{Client, session_path};
use crate::wire::Envelope;

/// Events as they come. The iterator waits for the next one; it ends when the shim stops or the session is deleted.
///
/// After its end, or an error, [`Session::events`](super::Session::events) with the last [`cursor`](Events::cursor) goes on without a gap and without
/// a duplicate.
pub struct Events {
    messages: Messages,
    cursor: Option<String>,
}

impl std::fmt::Debug for Events {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Events")
            .field("cursor", &self.cursor)
            .finish_non_exhaustive()
    }
}

impl Events {
    pub(super) fn open(client: &Client, session: &str, cursor: Option<&str>) -> Result<Events, Error> {
        let asked = client.get(session_path(session, "/events"));
        let stream = asked
            .header("Accept", Some("text/event-stream"))
            .query("cursor", cursor)
            .open()?;
        Ok(Events {
            messages: Messages::new(stream),
            cursor: cursor.map(str::to_owned),
        })
    }

    /// Where to go on after what was seen.
    pub fn cursor(&self) -> Option<&str> {
        self.cursor.as_deref()
    }
}

impl Iterator for Events {
    type Item = Result<Envelope, Error>;

    fn next(&mut self) -> Option<Self::Item> {
        let message = match self.messages.next()? {
            Ok(message) => message,
            Err(error) => return Some(Err(error)),
        };
        let event: Result<Envelope, Error> = message.json();
        if let Ok(event) = &event {
            self.cursor = Some(event.cursor.clone());
        }
        Some(event)
    }
}
