//! Requests to the shim.

use std::time::Duration;

use serde_json::Value;

use super::Where;

/// The protocol that is spoken.
const PROTOCOL: &str = "10";

/// A command that failed: what to print, and the exit status.
#[derive(Debug)]
pub struct Failure {
    /// The exit status.
    pub status: u8,
    /// For people.
    pub message: String,
}

impl Failure {
    /// With status 1.
    pub fn new(message: impl Into<String>) -> Failure {
        Failure {
            status: 1,
            message: message.into(),
        }
    }

    /// Wrong arguments: status 2.
    pub fn usage(message: impl Into<String>) -> Failure {
        Failure {
            status: 2,
            message: message.into(),
        }
    }
}

/// Someone who asks the shim.
pub struct Client {
    agent: ureq::Agent,
    url: String,
    key: Option<String>,
    management_key: Option<String>,
}

impl Client {
    /// As the options say.
    pub fn of(place: &Where) -> Client {
        let settings = ureq::Agent::config_builder()
            .http_status_as_error(false)
            .timeout_connect(Some(Duration::from_secs(10)))
            .build();
        Client {
            agent: ureq::Agent::new_with_config(settings),
            url: place.url.trim_end_matches('/').to_owned(),
            key: place.key.clone(),
            management_key: place.management_key.clone(),
        }
    }

    /// The address.
    pub fn url(&self) -> &str {
        &self.url
    }

    /// Whether the settings of the tenant can be asked for.
    pub fn has_management_key(&self) -> bool {
        self.management_key.is_some()
    }

    /// `GET`
    pub fn get(&self, path: &str) -> Result<Value, Failure> {
        let request = self.agent.get(format!("{}{path}", self.url));
        self.answer(self.with_key(request, path)?.call())
    }

    /// `DELETE`
    pub fn delete(&self, path: &str) -> Result<Value, Failure> {
        let request = self.agent.delete(format!("{}{path}", self.url));
        self.answer(self.with_key(request, path)?.call())
    }

    /// `POST` of JSON
    pub fn post(&self, path: &str, body: &Value, headers: &[(&str, &str)]) -> Result<Value, Failure> {
        let request = self.agent.post(format!("{}{path}", self.url));
        let mut request = self
            .with_key(request, path)?
            .header("Content-Type", "application/json");
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        self.answer(request.send(body.to_string()))
    }

    fn with_key<B>(
        &self,
        request: ureq::RequestBuilder<B>,
        path: &str,
    ) -> Result<ureq::RequestBuilder<B>, Failure> {
        if !path.starts_with("/v1/") {
            return Ok(request);
        }
        let (key, name) = match path.starts_with("/v1/tenant/") {
            true => (&self.management_key, "--management-key or EXUVIA_MANAGEMENT_KEY"),
            false => (&self.key, "--key or EXUVIA_KEY"),
        };
        let key = key
            .as_ref()
            .ok_or_else(|| Failure::usage(format!("a key is needed: {name}")))?;
        Ok(request
            .header("Authorization", format!("Bearer {key}"))
            .header("Nylorun-Protocol", PROTOCOL))
    }

    fn answer(&self, sent: Result<ureq::http::Response<ureq::Body>, ureq::Error>) -> Result<Value, Failure> {
        let mut response = sent.map_err(|error| Failure::new(format!("{}: {error}", self.url)))?;
        let status = response.status();
        let text = response.body_mut().read_to_string();
        let text = text.map_err(|error| Failure::new(format!("{}: {error}", self.url)))?;
        let value: Value = serde_json::from_str(&text).unwrap_or_default();
        if status.is_success() {
            return Ok(value);
        }
        let word = |name: &str| {
            value
                .get(name)
                .and_then(Value::as_str)
                .unwrap_or_default()
                .to_owned()
        };
        Err(Failure::new(format!(
            "{} {}: {}",
            status.as_u16(),
            word("code"),
            word("message")
        )))
    }
}

/// One segment of a path.
pub fn segment(text: &str) -> String {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"._-~".contains(&byte);
    text.bytes()
        .map(|byte| {
            if plain(byte) {
                char::from(byte).to_string()
            } else {
                format!("%{byte:02X}")
            }
        })
        .collect()
}
