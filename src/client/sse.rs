//! Server-sent events, as they are read: fields a line, an empty line ends a message.
//!
//! What is not known is passed over, as the standard wants it (WHATWG HTML, "Server-sent events").

use std::io::{BufRead, BufReader, Read};

use serde::de::DeserializeOwned;

use super::error::Error;

/// One message.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Message {
    /// Where it is in the stream.
    pub id: Option<String>,
    /// Its kind.
    pub event: String,
    /// Its text.
    pub data: String,
}

impl Message {
    pub(super) fn json<T: DeserializeOwned>(&self) -> Result<T, Error> {
        serde_json::from_str(&self.data).map_err(Error::unreadable)
    }

    fn field(&mut self, line: &str) {
        let (name, value) = line.split_once(':').unwrap_or((line, ""));
        let value = value.strip_prefix(' ').unwrap_or(value);
        match name {
            "id" => self.id = Some(value.to_owned()),
            "event" => value.clone_into(&mut self.event),
            "data" => {
                if !self.data.is_empty() {
                    self.data.push('\n');
                }
                self.data.push_str(value);
            }
            _ => {}
        }
    }
}

/// The messages of a stream. A message that did not come whole is left out.
pub(super) struct Messages {
    lines: BufReader<Box<dyn Read + Send>>,
}

impl Messages {
    pub(super) fn new(stream: Box<dyn Read + Send>) -> Messages {
        Messages {
            lines: BufReader::new(stream),
        }
    }

    fn read(&mut self) -> Result<Option<Message>, Error> {
        let mut message = Message::default();
        let mut line = String::new();
        loop {
            line.clear();
            if self.lines.read_line(&mut line)? == 0 {
                return Ok(None);
            }
            match line.trim_end_matches(['\r', '\n']) {
                "" if message == Message::default() => {}
                "" => return Ok(Some(message)),
                text => message.field(text),
            }
        }
    }
}

impl Iterator for Messages {
    type Item = Result<Message, Error>;

    fn next(&mut self) -> Option<Self::Item> {
        self.read().transpose()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &'static str) -> Vec<Message> {
        Messages::new(Box::new(text.as_bytes()))
            .map(Result::unwrap)
            .collect()
    }

    #[test]
    fn fields_make_messages() {
        let found = read(
            ": alive\n\nid: 7\nevent: a.b\ndata: {\"x\":1}\n\ndata:one\r\ndata: two\r\n\r\ndata: cut off",
        );
        let expected = [
            Message {
                id: Some("7".into()),
                event: "a.b".into(),
                data: "{\"x\":1}".into(),
            },
            Message {
                data: "one\ntwo".into(),
                ..Message::default()
            },
        ];
        assert_eq!(found, expected);
    }
}
