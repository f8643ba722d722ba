//! Text of a word as it was written: short ones, which most are, need no allocation.

use std::ops::Deref;

/// Bytes of a text that are kept in place.
const ROOM: usize = 22;

/// A text of the tree; never changed.
#[derive(Clone)]
pub struct Verbatim(Form);

#[derive(Clone)]
enum Form {
    /// Length and bytes.
    Short(u8, [u8; ROOM]),
    Long(Box<[u8]>),
}

impl Default for Verbatim {
    fn default() -> Verbatim {
        Verbatim(Form::Short(0, [0; ROOM]))
    }
}

impl From<&[u8]> for Verbatim {
    #[inline]
    fn from(text: &[u8]) -> Verbatim {
        let mut short = [0; ROOM];
        match short.get_mut(..text.len()) {
            Some(room) => {
                room.copy_from_slice(text);
                Verbatim(Form::Short(text.len() as u8, short))
            }
            None => Verbatim(Form::Long(text.into())),
        }
    }
}

impl From<Vec<u8>> for Verbatim {
    fn from(text: Vec<u8>) -> Verbatim {
        if text.len() > ROOM {
            Verbatim(Form::Long(text.into_boxed_slice()))
        } else {
            Verbatim::from(text.as_slice())
        }
    }
}

impl From<Box<[u8]>> for Verbatim {
    fn from(text: Box<[u8]>) -> Verbatim {
        if text.len() > ROOM {
            Verbatim(Form::Long(text))
        } else {
            Verbatim::from(&*text)
        }
    }
}

impl Deref for Verbatim {
    type Target = [u8];
    #[inline]
    fn deref(&self) -> &[u8] {
        match &self.0 {
            Form::Short(length, bytes) => bytes.get(..usize::from(*length)).unwrap_or_default(),
            Form::Long(text) => text,
        }
    }
}

impl PartialEq for Verbatim {
    fn eq(&self, other: &Verbatim) -> bool {
        **self == **other
    }
}

impl std::fmt::Debug for Verbatim {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:?}", bstr::BStr::new(&**self))
    }
}
