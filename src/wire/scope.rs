//! What a person may do.

/// What a person may do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scope {
    /// Their own sessions.
    SessionsOwn,
    /// Making and removing sandboxes.
    SandboxesWrite,
}

impl Scope {
    /// As it is written.
    pub fn name(self) -> &'static str {
        match self {
            Scope::SessionsOwn => "sessions:own",
            Scope::SandboxesWrite => "sandboxes:write",
        }
    }
}
