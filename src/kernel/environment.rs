//! The environment of a process.
//!
//! A shell gives all its programs the same variables, and `_`, which is another one each time. That one stands apart, so that nothing is
//! copied when a program starts.

use std::sync::Arc;

/// A variable: name and value.
type Pair = (Vec<u8>, Vec<u8>);

/// Variables in order; names are unique. Cloning shares them.
#[derive(Debug, Clone, Default)]
pub struct Environment {
    shared: Arc<Vec<Pair>>,
    last: Option<Pair>,
}

impl Environment {
    /// These variables, and one more at the end.
    pub fn with_last(shared: Arc<Vec<Pair>>, name: &[u8], value: &[u8]) -> Environment {
        Environment {
            shared,
            last: Some((name.to_vec(), value.to_vec())),
        }
    }

    /// The variables in order.
    pub fn iter(&self) -> impl Iterator<Item = &Pair> {
        self.shared.iter().chain(&self.last)
    }

    /// A copy, to be changed.
    pub fn to_vec(&self) -> Vec<Pair> {
        self.iter().cloned().collect()
    }

    /// The value of a variable.
    pub fn get(&self, name: &[u8]) -> Option<&[u8]> {
        let found = self.iter().find(|(known, _)| known == name);
        found.map(|(_, value)| value.as_slice())
    }
}

impl From<Vec<Pair>> for Environment {
    fn from(variables: Vec<Pair>) -> Environment {
        Arc::new(variables).into()
    }
}

impl From<Arc<Vec<Pair>>> for Environment {
    fn from(shared: Arc<Vec<Pair>>) -> Environment {
        Environment { shared, last: None }
    }
}
