//! What goes over the wire, field by field: the types that requests are read into and answers are written from.
//!
//! Requests refuse unknown keys. Each type is also a schema of the OpenAPI document.

mod artifact;
mod event;
mod sandbox;
mod session;
mod tenant;

pub use artifact::{
    Artifact, ArtifactList, ArtifactVersion, Deleted, FolderEntry, FolderTree, Stored, VersionDiff,
};
pub use event::{Envelope, Items, SandboxEvent, SandboxEvents, Source};
pub use sandbox::{
    AttachedSession, EnsureSandbox, Network, Pinned, PinnedResources, Resources, SandboxList, SandboxView,
    SpecInput,
};
pub use session::{
    CreateSession, Creation, EndTurn, RenewTurn, SandboxChoice, SessionList, SessionView, StartTurn,
    ToolOutcome, TurnEnded, TurnView,
};
pub use tenant::{
    Config, ConfigLimits, DefaultSandbox, Probe, ResourceNumbers, TenantLifecycle, TenantSettings, TenantView,
};

use serde::Serialize;
use utoipa::ToSchema;

/// The versions of the protocol that are spoken, and what is there beyond the core.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct Protocol {
    /// The lowest.
    pub min: u32,
    /// The highest.
    pub max: u32,
    /// Named parts.
    pub features: Vec<&'static str>,
}

impl Protocol {
    /// What this server speaks.
    pub fn ours() -> Protocol {
        Protocol {
            min: 4,
            max: 10,
            features: vec!["sandboxes", "artifacts"],
        }
    }
}

/// `GET /health`
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct Health {
    /// Always `ok`.
    pub status: &'static str,
    /// The name of the program.
    pub service: &'static str,
    /// Its version.
    pub version: &'static str,
    /// What it speaks.
    pub protocol: Protocol,
}

/// `GET /ready`
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct Ready {
    /// `ok` or `unavailable`.
    pub status: &'static str,
    /// Each part and how it is.
    pub checks: std::collections::BTreeMap<&'static str, &'static str>,
}
