//! Numbers for Prometheus.

use prometheus::{
    Encoder, HistogramOpts, HistogramVec, IntCounterVec, IntGauge, Opts, Registry, TextEncoder,
};

/// All of them.
pub struct Metrics {
    registry: Registry,
    /// By method, route and status.
    pub requests: IntCounterVec,
    /// In seconds, by route.
    pub request_seconds: HistogramVec,
    /// By tool and outcome.
    pub calls: IntCounterVec,
    /// In seconds, by tool.
    pub call_seconds: HistogramVec,
    /// Workspaces in memory.
    pub workspaces: IntGauge,
    /// The bytes of their files.
    pub workspace_bytes: IntGauge,
    /// Those who follow events.
    pub followers: IntGauge,
}

/// From half a millisecond to ten minutes.
const BUCKETS: [f64; 14] = [
    0.0005, 0.001, 0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1.0, 5.0, 30.0, 120.0, 600.0,
];

impl Metrics {
    /// A registry of its own for each server.
    pub fn new() -> Result<Metrics, String> {
        let registry = Registry::new();
        let counter = |name: &str, help: &str, labels: &[&str]| {
            let made = IntCounterVec::new(Opts::new(name, help), labels)?;
            registry.register(Box::new(made.clone()))?;
            Ok::<_, prometheus::Error>(made)
        };
        let histogram = |name: &str, help: &str, labels: &[&str]| {
            let made = HistogramVec::new(HistogramOpts::new(name, help).buckets(BUCKETS.to_vec()), labels)?;
            registry.register(Box::new(made.clone()))?;
            Ok::<_, prometheus::Error>(made)
        };
        let gauge = |name: &str, help: &str| {
            let made = IntGauge::new(name, help)?;
            registry.register(Box::new(made.clone()))?;
            Ok::<_, prometheus::Error>(made)
        };
        let made = || -> prometheus::Result<Metrics> {
            Ok(Metrics {
                requests: counter(
                    "exuvia_requests_total",
                    "Requests answered",
                    &["method", "route", "status"],
                )?,
                request_seconds: histogram("exuvia_request_seconds", "Time to answer", &["route"])?,
                calls: counter("exuvia_tool_calls_total", "Tool calls", &["tool", "outcome"])?,
                call_seconds: histogram("exuvia_tool_call_seconds", "Time of tool calls", &["tool"])?,
                workspaces: gauge("exuvia_workspaces_loaded", "Workspaces in memory")?,
                workspace_bytes: gauge("exuvia_workspace_bytes", "Bytes of files of workspaces in memory")?,
                followers: gauge("exuvia_event_followers", "Open event streams")?,
                registry: registry.clone(),
            })
        };
        made().map_err(|error| error.to_string())
    }

    /// As Prometheus reads them.
    pub fn text(&self) -> String {
        let mut text = Vec::new();
        // Into memory: it cannot fail.
        let _ = TextEncoder::new().encode(&self.registry.gather(), &mut text);
        String::from_utf8_lossy(&text).into_owned()
    }
}
