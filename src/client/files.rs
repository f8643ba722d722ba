//! [`Files`]: bytes into and out of a workspace.

use super::connection::{Ask, segment};
use super::error::Error;
use super::{Client, session_path};
use crate::wire::Written;

/// The files of a workspace, in a turn or each transfer in one of its own. Paths are those below `/workspace`.
#[derive(Debug, Clone, Copy)]
pub struct Files<'c> {
    client: &'c Client,
    session: &'c str,
    turn: Option<&'c str>,
}

impl<'c> Files<'c> {
    pub(super) fn new(client: &'c Client, session: &'c str, turn: Option<&'c str>) -> Files<'c> {
        Files {
            client,
            session,
            turn,
        }
    }

    /// Writes a file; directories above it are made.
    pub fn put(&self, path: &str, contents: impl Into<Vec<u8>>) -> Result<Written, Error> {
        let asked = self.client.put(self.path(path));
        let asked = asked.bytes("application/octet-stream", contents.into());
        self.in_turn(asked).json()
    }

    /// Reads a file.
    pub fn get(&self, path: &str) -> Result<Vec<u8>, Error> {
        self.in_turn(self.client.get(self.path(path))).read()
    }

    fn in_turn(&self, asked: Ask<'c>) -> Ask<'c> {
        asked.header("Nylorun-Turn", self.turn).long()
    }

    fn path(&self, path: &str) -> String {
        let path: Vec<String> = path.split('/').map(segment).collect();
        session_path(self.session, &format!("/files/{}", path.join("/")))
    }
}
