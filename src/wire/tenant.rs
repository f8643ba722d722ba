//! The settings of the tenant.

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::Value;

use super::{Resources, SpecInput};

/// What a session without a word about it gets.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum DefaultSandbox {
    /// No sandbox.
    #[default]
    None,
    /// A virtual one with the default resources.
    Virtual,
    /// This one.
    Spec(SpecInput),
}

impl<'de> Deserialize<'de> for DefaultSandbox {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let value = Value::deserialize(deserializer)?;
        match &value {
            Value::String(text) if text == "none" => Ok(DefaultSandbox::None),
            Value::String(text) if text == "virtual" => Ok(DefaultSandbox::Virtual),
            Value::Object(_) => serde_json::from_value(value)
                .map(DefaultSandbox::Spec)
                .map_err(|error| D::Error::custom(format!("default: {error}"))),
            _ => Err(D::Error::custom(
                "default: must be \"none\", \"virtual\" or a spec",
            )),
        }
    }
}

impl Serialize for DefaultSandbox {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            DefaultSandbox::None => serializer.serialize_str("none"),
            DefaultSandbox::Virtual => serializer.serialize_str("virtual"),
            DefaultSandbox::Spec(spec) => spec.serialize(serializer),
        }
    }
}

/// Ceilings and defaults, as asked for.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "server", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct LimitsInput {
    /// Hosts and `*.suffix` entries; `*` is any public host.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub network: Option<Vec<String>>,
    /// The most one sandbox may ask for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub resources: Option<Resources>,
    /// What one gets that does not ask.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub default_resources: Option<Resources>,
    /// When a sandbox is put to rest.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "server", schema(pattern = "^[0-9]{1,9}(ms|s|m|h|d)$"))]
    pub idle: Option<String>,
    /// How many resources there may be.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "server", schema(minimum = 0, maximum = 100_000))]
    pub sandboxes: Option<i64>,
    /// The longest life of a pod.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "server", schema(pattern = "^[0-9]{1,9}(ms|s|m|h|d)$"))]
    pub ttl: Option<String>,
}

/// What happens to pods at their end.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "server", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct TenantLifecycle {
    /// `retain` or `delete`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "server", schema(pattern = "^(retain|delete)$"))]
    pub on_expiry: Option<String>,
    /// At most `30s`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "server", schema(pattern = "^[0-9]{1,9}(ms|s|m|h|d)$"))]
    pub stop_grace: Option<String>,
}

/// `PUT /v1/tenant/sandbox`; it replaces what was set.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "server", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct TenantSettings {
    /// The request's own number.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub request_id: Option<String>,
    /// What a session without a word about it gets.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub default: Option<DefaultSandbox>,
    /// Ceilings.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limits: Option<LimitsInput>,
    /// Ends of pods.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lifecycle: Option<TenantLifecycle>,
}

/// Resources in numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "server", derive(utoipa::ToSchema))]
pub struct ResourceNumbers {
    /// Commands that run at once.
    pub cpus: i64,
    /// Memory.
    #[serde(rename = "memoryMiB")]
    pub memory_mib: u64,
}

/// Whether one kind of sandbox can be had.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(feature = "server", derive(utoipa::ToSchema))]
pub struct Probe {
    /// `virtual` or `pod`.
    pub name: String,
    /// Whether it can be had.
    pub available: bool,
    /// `process`, `container` or null.
    pub isolation: Option<String>,
    /// Why not, or what to know.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// Its version.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
}

/// The limits in force.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(feature = "server", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct ConfigLimits {
    /// The network ceiling.
    pub network: Vec<String>,
    /// The most one sandbox may ask for.
    pub resources: ResourceNumbers,
    /// What one gets that does not ask.
    pub default_resources: ResourceNumbers,
    /// When a sandbox is put to rest.
    pub idle: String,
    /// How many resources there may be.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sandboxes: Option<i64>,
    /// The longest life of a pod.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ttl: Option<String>,
}

/// The settings in force.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(feature = "server", derive(utoipa::ToSchema))]
pub struct Config {
    /// What a session without a word about it gets.
    pub default: DefaultSandbox,
    /// Ceilings.
    pub limits: ConfigLimits,
    /// Ends of pods.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lifecycle: Option<TenantLifecycle>,
}

/// `GET /v1/tenant/sandbox`
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(feature = "server", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct TenantView {
    /// What is asked for: `none`, `virtual` or `pod`.
    pub preference: String,
    /// What inline and default sandboxes get.
    pub backend: String,
    /// How far it isolates.
    pub isolation: Option<String>,
    /// Why that one.
    pub reason: String,
    /// Every kind.
    pub probes: Vec<Probe>,
    /// The image of pods that name none.
    pub default_image: String,
    /// The settings in force.
    pub config: Config,
    /// The cluster of pods, when one is enabled.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cluster: Option<Cluster>,
}

/// The cluster that pods run on.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(feature = "server", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct Cluster {
    /// Where the pods are.
    pub namespace: String,
    /// Under which name the cluster is known.
    pub context: String,
    /// Whether pods can be made.
    pub ready: bool,
    /// The version of the controller.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub controller_version: Option<String>,
    /// Whether the network of pods is held to its list.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub network_policy: Option<NetworkPolicy>,
}

/// What was found out about the network of pods.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(feature = "server", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct NetworkPolicy {
    /// Whether a pod cannot reach what it may not.
    pub enforced: bool,
    /// When that was tried.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub probed_at: Option<String>,
}
