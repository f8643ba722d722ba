//! The orders of `asort`, `asorti` and `PROCINFO["sorted_in"]`.

use std::cmp::Ordering;

use super::value::{Text, Value};

/// An order of elements.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Order {
    Unsorted,
    KeyText,
    KeyTextDescending,
    KeyNumber,
    KeyNumberDescending,
    ValueText,
    ValueTextDescending,
    ValueNumber,
    ValueNumberDescending,
    ValueType,
    ValueTypeDescending,
    /// By a function of the program.
    Function(u32),
}

impl Order {
    /// By gawk's name for it.
    pub fn from_name(name: &[u8]) -> Option<Order> {
        Some(match name {
            b"@unsorted" => Order::Unsorted,
            b"@ind_str_asc" => Order::KeyText,
            b"@ind_str_desc" => Order::KeyTextDescending,
            b"@ind_num_asc" => Order::KeyNumber,
            b"@ind_num_desc" => Order::KeyNumberDescending,
            b"@val_str_asc" => Order::ValueText,
            b"@val_str_desc" => Order::ValueTextDescending,
            b"@val_num_asc" => Order::ValueNumber,
            b"@val_num_desc" => Order::ValueNumberDescending,
            b"@val_type_asc" => Order::ValueType,
            b"@val_type_desc" => Order::ValueTypeDescending,
            _ => return None,
        })
    }

    /// Sorts elements; [`Order::Function`] is the machine's affair.
    pub fn sort(self, pairs: &mut [(Text, Value)], convfmt: &[u8], ignore_case: bool) {
        let text = |left: &[u8], right: &[u8]| {
            if ignore_case {
                crate::text::utf8::lowercase(left).cmp(&crate::text::utf8::lowercase(right))
            } else {
                left.cmp(right)
            }
        };
        pairs.sort_by(|left, right| match self {
            Order::Unsorted | Order::Function(_) => Ordering::Equal,
            Order::KeyText => text(left.0.bytes(), right.0.bytes()),
            Order::KeyTextDescending => text(right.0.bytes(), left.0.bytes()),
            Order::KeyNumber => key_numbers(&left.0, &right.0),
            Order::KeyNumberDescending => key_numbers(&right.0, &left.0),
            Order::ValueText => {
                value_texts(&left.1, &right.1, convfmt, &text).then_with(|| key_numbers(&left.0, &right.0))
            }
            Order::ValueTextDescending => {
                value_texts(&right.1, &left.1, convfmt, &text).then_with(|| key_numbers(&right.0, &left.0))
            }
            Order::ValueNumber => {
                value_numbers(&left.1, &right.1, convfmt).then_with(|| key_numbers(&left.0, &right.0))
            }
            Order::ValueNumberDescending => {
                value_numbers(&right.1, &left.1, convfmt).then_with(|| key_numbers(&right.0, &left.0))
            }
            Order::ValueType => {
                value_types(&left.1, &right.1, convfmt, &text).then_with(|| key_numbers(&left.0, &right.0))
            }
            Order::ValueTypeDescending => {
                value_types(&right.1, &left.1, convfmt, &text).then_with(|| key_numbers(&right.0, &left.0))
            }
        });
    }
}

fn numbers(left: f64, right: f64) -> Ordering {
    left.partial_cmp(&right)
        .unwrap_or_else(|| left.is_nan().cmp(&right.is_nan()))
}

fn key_numbers(left: &Text, right: &Text) -> Ordering {
    let number = |key: &Text| super::number::leading(key.bytes());
    numbers(number(left), number(right)).then_with(|| left.bytes().cmp(right.bytes()))
}

/// Arrays come last.
fn arrays(left: &Value, right: &Value) -> Ordering {
    matches!(left, Value::Array(_)).cmp(&matches!(right, Value::Array(_)))
}

fn value_texts(
    left: &Value,
    right: &Value,
    convfmt: &[u8],
    text: &impl Fn(&[u8], &[u8]) -> Ordering,
) -> Ordering {
    arrays(left, right).then_with(|| text(&left.text(convfmt), &right.text(convfmt)))
}

fn value_numbers(left: &Value, right: &Value, convfmt: &[u8]) -> Ordering {
    arrays(left, right)
        .then_with(|| numbers(left.number(), right.number()))
        .then_with(|| left.text(convfmt).cmp(&right.text(convfmt)))
}

/// Numbers before strings before arrays.
fn value_types(
    left: &Value,
    right: &Value,
    convfmt: &[u8],
    text: &impl Fn(&[u8], &[u8]) -> Ordering,
) -> Ordering {
    arrays(left, right).then_with(|| match (left.comparable_number(), right.comparable_number()) {
        (Some(left), Some(right)) => numbers(left, right),
        (Some(_), None) => Ordering::Less,
        (None, Some(_)) => Ordering::Greater,
        (None, None) => text(&left.text(convfmt), &right.text(convfmt)),
    })
}
