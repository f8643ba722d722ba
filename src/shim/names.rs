//! Which names are well formed: sessions, sandboxes, labels.

use std::collections::BTreeMap;

/// Sandbox ids: segments of letters, digits and `._-` that start with a letter or digit, joined by `/`.
pub fn is_sandbox_id(id: &str) -> bool {
    let segment = |text: &str| {
        text.starts_with(|c: char| c.is_ascii_alphanumeric())
            && text
                .chars()
                .all(|c| c.is_ascii_alphanumeric() || "._-".contains(c))
    };
    (1..=200).contains(&id.len()) && id.split('/').all(segment)
}

/// Session, agent and owner ids: visible ASCII.
pub fn is_plain_id(id: &str) -> bool {
    (1..=200).contains(&id.len()) && id.bytes().all(|byte| byte.is_ascii_graphic())
}

/// Session ids go into paths and into ids of sandboxes (`sessions/<id>`).
pub fn is_session_id(id: &str) -> bool {
    is_sandbox_id(id)
}

/// What is wrong with labels.
pub fn label_problems(labels: &BTreeMap<String, String>) -> Vec<String> {
    let mut problems = Vec::new();
    if labels.len() > 32 {
        problems.push("labels: at most 32".to_owned());
    }
    for (key, value) in labels {
        if !is_label_key(key) {
            problems.push(format!(
                "labels: '{key}' is no key: 1 to 63 of [A-Za-z0-9._/-], alphanumeric at both ends"
            ));
        }
        if value.len() > 256 || !value.bytes().all(|byte| (0x20..0x7f).contains(&byte)) {
            problems.push(format!(
                "labels: the value of '{key}' must be at most 256 printable ASCII characters"
            ));
        }
    }
    problems
}

fn is_label_key(key: &str) -> bool {
    let ends = |c: char| c.is_ascii_alphanumeric();
    (1..=63).contains(&key.len())
        && key.starts_with(ends)
        && key.ends_with(ends)
        && key
            .chars()
            .all(|c| c.is_ascii_alphanumeric() || "._/-".contains(c))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sandbox_ids() {
        for good in ["a", "team-a/proj-42", "0.x_y-z/1", &"a".repeat(200)] {
            assert!(is_sandbox_id(good), "{good}");
        }
        for bad in [
            "",
            "/",
            "a/",
            "/a",
            "a//b",
            ".a",
            "a/..",
            "a b",
            "a\0",
            "ä",
            "-a",
            &"a".repeat(201),
        ] {
            assert!(!is_sandbox_id(bad), "{bad}");
        }
    }

    #[test]
    fn labels() {
        let labels = |key: &str, value: &str| BTreeMap::from([(key.to_owned(), value.to_owned())]);
        assert!(label_problems(&labels("a/b.c-d_e", "")).len() <= 1);
        assert!(label_problems(&labels("project", "acme x")).is_empty());
        for (key, value) in [
            ("", "x"),
            ("-a", "x"),
            ("a-", "x"),
            ("a b", "x"),
            ("a", "\n"),
            ("a", "ä"),
        ] {
            assert_eq!(label_problems(&labels(key, value)).len(), 1, "{key}={value}");
        }
    }
}
