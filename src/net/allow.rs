//! [`HostPattern`]: an entry of an allow-list.

use std::fmt;

/// A host name, or all names below one (`*.example.com`), or all there are (`*`). Compared in lower case.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct HostPattern {
    text: String,
}

impl HostPattern {
    /// Reads an entry. `None` when it is no host name of at least two labels: an address, a URL, a bare word.
    pub fn parse(text: &str) -> Option<HostPattern> {
        let text = text.to_ascii_lowercase();
        let name = text.strip_prefix("*.").unwrap_or(&text);
        let labels: Vec<&str> = name.split('.').collect();
        let valid = text == "*"
            || (text.len() <= 253
                && labels.len() >= 2
                && labels.iter().all(|label| is_label(label))
                && !labels
                    .iter()
                    .all(|label| label.bytes().all(|byte| byte.is_ascii_digit())));
        valid.then_some(HostPattern { text })
    }

    /// Whether it is one name, and not all below another.
    pub fn is_name(&self) -> bool {
        !self.text.starts_with('*')
    }

    /// Whether each name that another entry means is meant by this one, too.
    pub fn covers(&self, other: &HostPattern) -> bool {
        self == other || (!self.is_name() && self.matches(other.text.trim_start_matches("*.")))
    }

    /// Whether a host name is meant. A dot at its end is no difference.
    pub fn matches(&self, host: &str) -> bool {
        let host = host.strip_suffix('.').unwrap_or(host).to_ascii_lowercase();
        match self.text.strip_prefix('*') {
            Some("") => true,
            Some(suffix) => host.len() > suffix.len() && host.ends_with(suffix),
            None => host == self.text,
        }
    }
}

impl fmt::Display for HostPattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

fn is_label(label: &str) -> bool {
    (1..=63).contains(&label.len())
        && label
            .bytes()
            .all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries() {
        for text in ["example.com", "*.example.com", "a-1.EXAMPLE.com", "*"] {
            assert!(HostPattern::parse(text).is_some(), "{text}");
        }
        for text in [
            "com",
            "",
            "https://example.com",
            "example.com:80",
            "example.com/",
            "1.2.3.4",
            "*.com",
            "a..b",
            "*.*.b",
            "a_b.c",
        ] {
            assert!(HostPattern::parse(text).is_none(), "{text}");
        }
    }

    #[test]
    fn covers() {
        let all = HostPattern::parse("*").unwrap();
        let exact = HostPattern::parse("example.com").unwrap();
        let below = HostPattern::parse("*.example.com").unwrap();
        let deep = HostPattern::parse("*.a.example.com").unwrap();
        assert!(all.covers(&all) && all.covers(&exact) && all.covers(&below));
        assert!(below.covers(&below) && below.covers(&deep));
        assert!(
            !deep.covers(&below) && !below.covers(&exact) && !exact.covers(&below) && !exact.covers(&all)
        );
        assert!(!below.covers(&all));
        assert!(exact.is_name() && !below.is_name() && !all.is_name());
    }

    #[test]
    fn matches() {
        let exact = HostPattern::parse("example.com").unwrap();
        assert!(
            exact.matches("Example.COM.")
                && !exact.matches("a.example.com")
                && !exact.matches("notexample.com")
        );
        let below = HostPattern::parse("*.example.com").unwrap();
        assert!(
            below.matches("a.b.example.com")
                && !below.matches("example.com")
                && !below.matches("aexample.com")
        );
    }
}
