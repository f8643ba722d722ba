//! Values as text that reads back: the right side of `declare -p`, `${a[@]@A}`.

use super::value::Value;
use crate::text::quote;

/// `([0]="a" [1]="b")`, as `declare -p` prints an array; a string is double-quoted.
pub fn compound(value: &Value) -> Vec<u8> {
    match value {
        Value::Indexed(array) => {
            let elements: Vec<Vec<u8>> = array
                .iter()
                .map(|(index, text)| [format!("[{index}]=").as_bytes(), &quote::declared(text)].concat())
                .collect();
            [b"(".to_vec(), elements.join(&b' '), b")".to_vec()].concat()
        }
        Value::Assoc(array) => {
            let mut text = b"(".to_vec();
            for (key, value) in array.iter() {
                text.push(b'[');
                text.extend_from_slice(&assoc_key(key));
                text.extend_from_slice(b"]=");
                text.extend_from_slice(&quote::declared(value));
                text.push(b' ');
            }
            text.push(b')');
            text
        }
        Value::Scalar(text) => quote::declared(text),
        Value::Unset | Value::Dynamic(_) => Vec::new(),
    }
}

/// A key between brackets: quoted only when it must be.
pub fn assoc_key(key: &[u8]) -> Vec<u8> {
    let plain = !key.is_empty()
        && key != b"@"
        && key
            .iter()
            .all(|byte| byte.is_ascii_alphanumeric() || b"_-.,:/%+@=^".contains(byte) || *byte >= 0x80);
    if plain { key.to_vec() } else { quote::declared(key) }
}
