//! Section 3: the settings of the tenant.

use serde_json::json;

use super::harness::{Server, session};

#[test]
fn defaults() {
    let server = Server::start();
    let reply = server.management().get("/v1/tenant/sandbox");
    let view = reply.well();
    assert_eq!(
        (&view["preference"], &view["backend"], &view["isolation"]),
        (&json!("none"), &json!("virtual"), &json!(null))
    );
    let config = json!({
        "default": "none",
        "limits": {
            "network": ["*"], "resources": { "cpus": 4, "memoryMiB": 8192 }, "defaultResources": { "cpus": 2, "memoryMiB": 1024 },
            "idle": "15m", "sandboxes": 100
        },
        "lifecycle": { "onExpiry": "retain", "stopGrace": "10s" }
    });
    assert_eq!(view["config"], config);
    let probes = view["probes"].as_array().unwrap();
    let names: Vec<_> = probes
        .iter()
        .map(|probe| (&probe["name"], &probe["available"]))
        .collect();
    assert_eq!(
        names,
        [(&json!("virtual"), &json!(true)), (&json!("pod"), &json!(false))]
    );
    assert_eq!(view.get("cluster"), None);
}

#[test]
fn put_replaces() {
    let server = Server::start();
    let settings = json!({
        "requestId": "r", "default": { "resources": { "cpus": 1 } },
        "limits": { "network": ["Example.com", "*.example.com"], "resources": { "cpus": 2, "memory": "2GiB" },
            "defaultResources": { "cpus": 2, "memory": "512MiB" }, "idle": "5m", "sandboxes": 1, "ttl": "1d" },
        "lifecycle": { "onExpiry": "delete", "stopGrace": "30s" }
    });
    let reply = server.management().put("/v1/tenant/sandbox", settings);
    let config = json!({
        "default": { "resources": { "cpus": 1 } },
        "limits": {
            "network": ["*.example.com", "example.com"], "resources": { "cpus": 2, "memoryMiB": 2048 },
            "defaultResources": { "cpus": 2, "memoryMiB": 512 }, "idle": "5m", "sandboxes": 1, "ttl": "1d"
        },
        "lifecycle": { "onExpiry": "delete", "stopGrace": "30s" }
    });
    assert_eq!(reply.well()["config"], config);
    assert_eq!(reply.body["preference"], "virtual");
    assert_eq!(server.management().get("/v1/tenant/sandbox").well(), &reply.body);
    server.management().put("/v1/tenant/sandbox", json!({})).well();
    assert_eq!(
        server.management().get("/v1/tenant/sandbox").well()["config"]["limits"]["sandboxes"],
        100
    );
}

#[test]
fn every_problem_is_named_and_nothing_changes() {
    let server = Server::start();
    let settings = json!({
        "default": { "image": "x", "network": { "allow": ["example.org"] }, "resources": { "cpus": 3 } },
        "limits": { "network": ["localhost"], "resources": { "cpus": 2, "memory": "1GiB" },
            "defaultResources": { "cpus": 3, "memory": "2GiB" }, "idle": "0s", "sandboxes": 100_001, "ttl": "x" },
        "lifecycle": { "onExpiry": "burn", "stopGrace": "31s" }
    });
    let reply = server.management().put("/v1/tenant/sandbox", settings);
    reply.refused(400, "request_rejected");
    let problems = reply.body["details"]["problems"].as_array().unwrap();
    for place in [
        "default.image",
        "default.network",
        "default.resources.cpus",
        "limits.network",
        "limits.defaultResources.cpus",
        "limits.defaultResources.memory",
        "limits.idle",
        "limits.sandboxes",
        "limits.ttl",
        "lifecycle.onExpiry",
        "lifecycle.stopGrace",
    ] {
        assert!(
            problems
                .iter()
                .any(|problem| problem.as_str().unwrap().starts_with(place)),
            "{place}: {problems:?}"
        );
    }
    assert_eq!(
        server.management().get("/v1/tenant/sandbox").well()["config"]["default"],
        "none"
    );
    server
        .management()
        .put("/v1/tenant/sandbox", json!({ "default": "pod" }))
        .refused(400, "request_rejected");
    server
        .management()
        .put("/v1/tenant/sandbox", json!({ "more": 1 }))
        .refused(400, "request_rejected");
}

#[test]
fn the_network_ceiling_holds() {
    let server = Server::start();
    let make = |id: &str, host: &str| {
        let sandbox = json!({ "network": { "allow": [host] } });
        server
            .app()
            .put(
                &format!("/v1/sessions/{id}"),
                session("ada", json!({ "sandbox": sandbox })),
            )
            .status
    };
    assert_eq!(make("any", "example.net"), 200);
    server
        .management()
        .put(
            "/v1/tenant/sandbox",
            json!({ "limits": { "network": ["example.org", "*.example.com"] } }),
        )
        .well();
    assert_eq!(make("equal", "example.org"), 200);
    assert_eq!(make("below", "a.b.example.com"), 200);
    for (id, host) in [
        ("apex", "example.com"),
        ("sub", "a.example.org"),
        ("look", "badexample.com"),
    ] {
        assert_eq!(make(id, host), 400, "{host}");
    }
    server
        .management()
        .put("/v1/tenant/sandbox", json!({ "limits": { "network": [] } }))
        .well();
    assert_eq!(make("none", "example.org"), 400);
}
