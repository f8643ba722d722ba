//! What a tenant allows, and how a spec that asks for something becomes one with every value decided.
//!
//! All that is wrong with a spec is found before anything is said: one answer names every problem.

use super::error::Problem;
use super::units;
use crate::net::HostPattern;
use crate::wire::{
    Config, ConfigLimits, DefaultSandbox, Network, Pinned, PinnedResources, ResourceNumbers, Resources,
    SpecInput, TenantLifecycle, TenantSettings,
};

/// The settings of a tenant with the defaults filled in.
#[derive(Debug, Clone)]
pub struct Limits {
    /// What a session without a word about it gets.
    pub default: DefaultSandbox,
    /// The network ceiling.
    pub network: Vec<HostPattern>,
    /// The most one sandbox may ask for.
    pub most: ResourceNumbers,
    /// What one gets that does not ask.
    pub usual: ResourceNumbers,
    /// When a sandbox is put to rest, as written.
    pub idle: String,
    /// How many resources there may be.
    pub sandboxes: i64,
    /// The longest life of a pod, as written.
    pub ttl: Option<String>,
    /// Ends of pods.
    pub lifecycle: TenantLifecycle,
}

impl Limits {
    /// Reads settings; every problem they have.
    pub fn of(settings: &TenantSettings) -> Result<Limits, Vec<String>> {
        let mut problems = Vec::new();
        let asked = settings.limits.clone().unwrap_or_default();
        let most = numbers(
            asked.resources.as_ref(),
            "limits.resources",
            (4, 8192),
            &mut problems,
        );
        let usual = usual(asked.default_resources.as_ref(), most, &mut problems);
        let limits = Limits {
            default: settings.default.clone().unwrap_or_default(),
            network: ceiling(asked.network, &mut problems),
            most,
            usual,
            idle: duration(asked.idle, "limits.idle", &mut problems).unwrap_or_else(|| "15m".to_owned()),
            sandboxes: asked.sandboxes.unwrap_or(100),
            ttl: duration(asked.ttl, "limits.ttl", &mut problems),
            lifecycle: lifecycle(settings.lifecycle.clone().unwrap_or_default(), &mut problems),
        };
        if !(0..=100_000).contains(&limits.sandboxes) {
            problems.push("limits.sandboxes: must be from 0 to 100000".to_owned());
        }
        if let DefaultSandbox::Spec(spec) = &limits.default
            && let Err(more) = limits.pin(spec)
        {
            problems.extend(more.into_iter().map(|problem| format!("default.{problem}")));
        }
        if problems.is_empty() {
            Ok(limits)
        } else {
            Err(problems)
        }
    }

    /// As they are shown.
    pub fn config(&self) -> Config {
        Config {
            default: self.default.clone(),
            limits: ConfigLimits {
                network: self.network.iter().map(HostPattern::to_string).collect(),
                resources: self.most,
                default_resources: self.usual,
                idle: self.idle.clone(),
                sandboxes: Some(self.sandboxes),
                ttl: self.ttl.clone(),
            },
            lifecycle: Some(self.lifecycle.clone()),
        }
    }

    /// Decides every value of a virtual sandbox; or every problem.
    pub fn pin(&self, spec: &SpecInput) -> Result<Pinned, Vec<String>> {
        let mut problems = Vec::new();
        if spec.image.is_some() {
            problems.push("image: a virtual sandbox has no image".to_owned());
        }
        let allow = spec.network.as_ref().and_then(|network| network.allow.as_deref());
        let allow = allow.map(|hosts| self.hosts(hosts, &mut problems));
        let resources = self.resources(&spec.resources.clone().unwrap_or_default(), &mut problems);
        if !problems.is_empty() {
            return Err(problems);
        }
        Ok(Pinned {
            image: None,
            network: Network {
                preset: "none".to_owned(),
                allow,
            },
            resources,
            idle: self.idle.clone(),
        })
    }

    /// Below the maxima.
    fn resources(&self, asked: &Resources, problems: &mut Vec<String>) -> PinnedResources {
        let cpus = asked.cpus.unwrap_or(self.usual.cpus);
        check_cpus(cpus, "resources", problems);
        if (1..=64).contains(&cpus) && cpus > self.most.cpus {
            problems.push(format!(
                "resources.cpus: {cpus} is above the limit of {}",
                self.most.cpus
            ));
        }
        let memory = memory(
            asked.memory.as_deref(),
            "resources",
            self.usual.memory_mib,
            problems,
        );
        if memory > self.most.memory_mib {
            problems.push(format!(
                "resources.memory: {memory}MiB is above the limit of {}MiB",
                self.most.memory_mib
            ));
        }
        PinnedResources {
            cpus,
            memory: format!("{memory}MiB"),
        }
    }

    /// Sorted, each once, inside of the ceiling.
    fn hosts(&self, hosts: &[String], problems: &mut Vec<String>) -> Vec<String> {
        let mut allow = Vec::new();
        for text in hosts {
            let host = HostPattern::parse(text);
            let problem = match &host {
                None => Some("is no host name"),
                Some(host) if !host.is_name() => Some("a virtual sandbox takes whole host names only"),
                Some(host) if !self.network.iter().any(|entry| entry.covers(host)) => {
                    Some("is outside of what this tenant allows")
                }
                Some(_) => None,
            };
            match problem {
                Some(problem) => problems.push(format!("network.allow: '{text}': {problem}")),
                None => allow.extend(host.map(|host| host.to_string())),
            }
        }
        allow.sort();
        allow.dedup();
        allow
    }
}

/// The answer to all that is wrong.
pub fn refuse(problems: Vec<String>) -> Problem {
    Problem::all_invalid(problems)
}

fn check_cpus(cpus: i64, place: &str, problems: &mut Vec<String>) {
    if !(1..=64).contains(&cpus) {
        problems.push(format!("{place}.cpus: must be from 1 to 64"));
    }
}

fn memory(text: Option<&str>, place: &str, otherwise: u64, problems: &mut Vec<String>) -> u64 {
    let Some(text) = text else { return otherwise };
    units::mebibytes(text).unwrap_or_else(|| {
        problems.push(format!("{place}.memory: '{text}' is no size such as 2GiB"));
        0
    })
}

fn numbers(
    asked: Option<&Resources>,
    place: &str,
    otherwise: (i64, u64),
    problems: &mut Vec<String>,
) -> ResourceNumbers {
    let cpus = asked.and_then(|asked| asked.cpus).unwrap_or(otherwise.0);
    check_cpus(cpus, place, problems);
    let text = asked.and_then(|asked| asked.memory.as_deref());
    ResourceNumbers {
        cpus,
        memory_mib: memory(text, place, otherwise.1, problems),
    }
}

/// Defaults that were not asked for give way to a lower ceiling; those that were must be below it.
fn usual(asked: Option<&Resources>, most: ResourceNumbers, problems: &mut Vec<String>) -> ResourceNumbers {
    let otherwise = (2.min(most.cpus), 1024.min(most.memory_mib));
    let usual = numbers(asked, "limits.defaultResources", otherwise, problems);
    if usual.cpus > most.cpus {
        problems.push("limits.defaultResources.cpus: above limits.resources.cpus".to_owned());
    }
    if usual.memory_mib > most.memory_mib {
        problems.push("limits.defaultResources.memory: above limits.resources.memory".to_owned());
    }
    usual
}

fn ceiling(asked: Option<Vec<String>>, problems: &mut Vec<String>) -> Vec<HostPattern> {
    let asked = asked.unwrap_or_else(|| vec!["*".to_owned()]);
    let mut entries = Vec::new();
    for text in asked {
        match HostPattern::parse(&text) {
            Some(host) => entries.push(host),
            None => problems.push(format!("limits.network: '{text}' is no host name or *.suffix")),
        }
    }
    entries.sort();
    entries.dedup();
    entries
}

fn duration(text: Option<String>, place: &str, problems: &mut Vec<String>) -> Option<String> {
    let text = text?;
    if units::milliseconds(&text).is_none() {
        problems.push(format!("{place}: '{text}' is no duration such as 15m"));
    }
    Some(text)
}

fn lifecycle(asked: TenantLifecycle, problems: &mut Vec<String>) -> TenantLifecycle {
    let on_expiry = asked.on_expiry.unwrap_or_else(|| "retain".to_owned());
    if !["retain", "delete"].contains(&on_expiry.as_str()) {
        problems.push("lifecycle.onExpiry: must be retain or delete".to_owned());
    }
    let stop_grace = asked.stop_grace.unwrap_or_else(|| "10s".to_owned());
    if units::milliseconds(&stop_grace).is_none_or(|time| time > 30_000) {
        problems.push("lifecycle.stopGrace: must be a duration of at most 30s".to_owned());
    }
    TenantLifecycle {
        on_expiry: Some(on_expiry),
        stop_grace: Some(stop_grace),
    }
}
