//! What goes over the wire, field by field: the types that requests are read into and answers are written from, on both sides.
//!
//! The server reads requests and refuses keys it does not know; the client reads answers and passes over what it does not know, so that it can talk
//! to a newer server. With the feature `server` each type is also a schema of the OpenAPI document.

mod artifact;
mod event;
pub(crate) mod random;
mod rejection;
mod sandbox;
#[cfg(feature = "server")]
mod schema;
mod scope;
mod session;
mod tenant;

pub use artifact::{
    Artifact, ArtifactList, ArtifactVersion, Deleted, FolderEntry, FolderTree, Stored, VersionDiff, Written,
};
pub use event::{Envelope, Items, SandboxEvent, SandboxEvents, Source};
pub use rejection::Rejection;
pub use sandbox::{
    AttachedSession, EnsureSandbox, Lifecycle, Network, NetworkInput, Pinned, PinnedResources, PodState,
    Resources, SandboxList, SandboxView, SpecInput,
};
#[cfg(feature = "server")]
pub(crate) use schema::{ToolInput, ToolOutcome};
pub use scope::Scope;
pub use session::{
    CreateSession, EndTurn, RenewTurn, SandboxChoice, SessionList, SessionStatus, SessionView, StartTurn,
    TurnEnded, TurnOutcome, TurnView,
};
pub use tenant::{
    Cluster, Config, ConfigLimits, DefaultSandbox, LimitsInput, NetworkPolicy, Probe, ResourceNumbers,
    TenantLifecycle, TenantSettings, TenantView,
};

use serde::{Deserialize, Serialize};

/// The newest version of the protocol, and the one that the client speaks.
pub const PROTOCOL: u32 = 10;

/// The oldest version that is spoken.
pub const OLDEST_PROTOCOL: u32 = 4;

/// The versions of the protocol that are spoken, and what is there beyond the core.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(feature = "server", derive(utoipa::ToSchema))]
pub struct Protocol {
    /// The lowest.
    pub min: u32,
    /// The highest.
    pub max: u32,
    /// Named parts.
    pub features: Vec<String>,
}

impl Protocol {
    /// What this server speaks.
    pub fn ours() -> Protocol {
        Protocol {
            min: OLDEST_PROTOCOL,
            max: PROTOCOL,
            features: ["sandboxes", "artifacts"].map(str::to_owned).to_vec(),
        }
    }
}

/// `GET /health`
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(feature = "server", derive(utoipa::ToSchema))]
pub struct Health {
    /// Always `ok`.
    pub status: String,
    /// The name of the program.
    pub service: String,
    /// Its version.
    pub version: String,
    /// What it speaks.
    pub protocol: Protocol,
}

/// `GET /ready`
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(feature = "server", derive(utoipa::ToSchema))]
pub struct Ready {
    /// `ok` or `unavailable`.
    pub status: String,
    /// Each part and how it is.
    pub checks: std::collections::BTreeMap<String, String>,
}
