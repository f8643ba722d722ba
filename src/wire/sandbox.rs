//! Sandbox resources and the specs of sandboxes.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// What a command may reach.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "server", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct NetworkInput {
    /// Host names.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub allow: Option<Vec<String>>,
}

impl NetworkInput {
    fn of<H: Into<String>>(hosts: impl IntoIterator<Item = H>) -> NetworkInput {
        NetworkInput {
            allow: Some(hosts.into_iter().map(Into::into).collect()),
        }
    }
}

/// What a sandbox may use, as asked for.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "server", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Resources {
    /// 1 to 64.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "server", schema(minimum = 1, maximum = 64))]
    pub cpus: Option<i64>,
    /// A size: `2GiB`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "server", schema(pattern = "^[0-9]{1,15}(B|KiB|MiB|GiB|TiB)$"))]
    pub memory: Option<String>,
}

/// An inline spec.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "server", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct SpecInput {
    /// Only for pods.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub image: Option<String>,
    /// What it may reach.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub network: Option<NetworkInput>,
    /// What it may use.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub resources: Option<Resources>,
}

impl SpecInput {
    /// It may reach these hosts.
    #[must_use]
    pub fn allow<H: Into<String>>(mut self, hosts: impl IntoIterator<Item = H>) -> SpecInput {
        self.network = Some(NetworkInput::of(hosts));
        self
    }

    /// So many of its commands may run at once.
    #[must_use]
    pub fn cpus(mut self, cpus: i64) -> SpecInput {
        self.resources.get_or_insert_default().cpus = Some(cpus);
        self
    }

    /// A command may use so much: `2GiB`.
    #[must_use]
    pub fn memory(mut self, memory: impl Into<String>) -> SpecInput {
        self.resources.get_or_insert_default().memory = Some(memory.into());
        self
    }
}

/// How long a resource lives.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "server", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Lifecycle {
    /// A duration from its creation.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ttl: Option<String>,
}

/// `PUT /v1/sandboxes/{id}`
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "server", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct EnsureSandbox {
    /// The request's own number.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub request_id: Option<String>,
    /// `virtual` or `pod`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "server", schema(pattern = "^(virtual|pod)$"))]
    pub kind: Option<String>,
    /// At most 32.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub labels: Option<BTreeMap<String, String>>,
    /// Only for pods.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub image: Option<String>,
    /// What it may reach.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub network: Option<NetworkInput>,
    /// What it may use.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub resources: Option<Resources>,
    /// Only for pods: the size of the volume.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub storage: Option<String>,
    /// Only for pods.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lifecycle: Option<Lifecycle>,
}

impl EnsureSandbox {
    /// The part of it that an inline spec has as well.
    pub fn spec(&self) -> SpecInput {
        SpecInput {
            image: self.image.clone(),
            network: self.network.clone(),
            resources: self.resources.clone(),
        }
    }

    /// It has this label, too.
    #[must_use]
    pub fn label(mut self, key: impl Into<String>, value: impl Into<String>) -> EnsureSandbox {
        self.labels
            .get_or_insert_default()
            .insert(key.into(), value.into());
        self
    }

    /// It may reach these hosts.
    #[must_use]
    pub fn allow<H: Into<String>>(mut self, hosts: impl IntoIterator<Item = H>) -> EnsureSandbox {
        self.network = Some(NetworkInput::of(hosts));
        self
    }
}

/// The network of a pinned spec.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "server", derive(utoipa::ToSchema))]
pub struct Network {
    /// Always `none`: nothing but what `allow` names.
    pub preset: String,
    /// Sorted, each once.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub allow: Option<Vec<String>>,
}

/// The resources of a pinned spec.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "server", derive(utoipa::ToSchema))]
pub struct PinnedResources {
    /// Commands that run at once.
    pub cpus: i64,
    /// In MiB: `1024MiB`.
    pub memory: String,
}

/// A spec with every value decided.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "server", derive(utoipa::ToSchema))]
pub struct Pinned {
    /// Only for pods.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub image: Option<String>,
    /// What it may reach.
    pub network: Network,
    /// What it may use.
    pub resources: PinnedResources,
    /// When it is put to rest: `15m`.
    pub idle: String,
}

/// A session that is attached to a resource.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(feature = "server", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct AttachedSession {
    /// Its id.
    pub id: String,
    /// Its turn.
    pub active_turn_id: Option<String>,
}

/// Where a pod is.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(feature = "server", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct PodState {
    /// `running`, `suspended` or `deleted`.
    pub desired: String,
    /// What is seen of it.
    pub observed: String,
    /// How often the volume was made anew.
    pub volume_generation: i64,
    /// When it expires.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expires_at: Option<String>,
    /// Why it is as it is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

/// A sandbox resource.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(feature = "server", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct SandboxView {
    /// Its id.
    pub id: String,
    /// `virtual` or `pod`.
    pub kind: String,
    /// Its labels.
    pub labels: BTreeMap<String, String>,
    /// Its spec.
    pub spec: Pinned,
    /// `ready`, `creating`, `running` or `stopped`.
    pub state: String,
    /// Only for pods.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pod: Option<PodState>,
    /// Who is attached: a person sees their own alone.
    pub sessions: Vec<AttachedSession>,
    /// When it was made.
    pub created_at: String,
    /// When it was last changed.
    pub updated_at: String,
}

/// `GET /v1/sandboxes`
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(feature = "server", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct SandboxList {
    /// By id.
    pub sandboxes: Vec<SandboxView>,
    /// With `limit`: where the next page starts, or null.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "server", schema(value_type = Option<String>))]
    pub next_cursor: Option<Option<String>>,
}
