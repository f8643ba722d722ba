//! The order of version numbers in names: gnulib's `filevercmp`, for `sort -V` and `ls -v`.
//!
//! Runs of digits compare by value, letters before other characters, `~` before everything, even the end. What looks like file
//! suffixes (`.tar.gz`) is left out at first and decides only between names that are equal without.

use std::cmp::Ordering;

/// Compares two names.
pub fn compare(left: &[u8], right: &[u8]) -> Ordering {
    if left.is_empty() || right.is_empty() {
        return left.len().cmp(&right.len());
    }
    // `.`, `..`, other hidden names, then all others.
    let rank = |name: &[u8]| match name {
        b"." => 0,
        b".." => 1,
        [b'.', ..] => 2,
        _ => 3,
    };
    let (left_rank, right_rank) = (rank(left), rank(right));
    if left_rank != right_rank || left_rank < 2 {
        return left_rank.cmp(&right_rank);
    }
    let (left_stem, right_stem) = (without_suffixes(left), without_suffixes(right));
    revisions(left_stem, right_stem).then_with(|| revisions(left, right))
}

/// The name without what matches `(\.[A-Za-z~][A-Za-z0-9~]*)*$`, but never nothing.
fn without_suffixes(name: &[u8]) -> &[u8] {
    let at = |index: usize| name.get(index).copied();
    let mut index = 0;
    let mut end = 0;
    while index < name.len() {
        index += 1;
        end = index;
        while at(index) == Some(b'.')
            && at(index + 1).is_some_and(|byte| byte.is_ascii_alphabetic() || byte == b'~')
        {
            index += 2;
            while at(index).is_some_and(|byte| byte.is_ascii_alphanumeric() || byte == b'~') {
                index += 1;
            }
        }
    }
    name.get(..end).unwrap_or(name)
}

/// The place of one character among others; `None` is the end.
fn rank(byte: Option<u8>) -> i32 {
    match byte {
        None => -1,
        Some(b'~') => -2,
        Some(byte) if byte.is_ascii_digit() => 0,
        Some(byte) if byte.is_ascii_alphabetic() => i32::from(byte),
        Some(byte) => i32::from(byte) + 256,
    }
}

fn is_digit(text: &[u8], at: usize) -> bool {
    text.get(at).is_some_and(u8::is_ascii_digit)
}

fn revisions(left: &[u8], right: &[u8]) -> Ordering {
    let (mut i, mut j) = (0, 0);
    while i < left.len() || j < right.len() {
        while (i < left.len() && !is_digit(left, i)) || (j < right.len() && !is_digit(right, j)) {
            let order = rank(left.get(i).copied()).cmp(&rank(right.get(j).copied()));
            if order.is_ne() {
                return order;
            }
            i += 1;
            j += 1;
        }
        while left.get(i) == Some(&b'0') {
            i += 1;
        }
        while right.get(j) == Some(&b'0') {
            j += 1;
        }
        let mut first_difference = Ordering::Equal;
        while is_digit(left, i) && is_digit(right, j) {
            first_difference = first_difference.then(left.get(i).cmp(&right.get(j)));
            i += 1;
            j += 1;
        }
        let order = is_digit(left, i).cmp(&is_digit(right, j)).then(first_difference);
        if order.is_ne() {
            return order;
        }
    }
    Ordering::Equal
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_sort_as_gnu_sorts_them() {
        let sorted = [
            "", ".", "..", ".0", ".9", ".A", ".a~", ".a", "0", "9", "A", "a~", "a", "a.b~", "a.b", "a.bc~",
            "a.bc", "a+", "a.", "a..a", "a.+",
        ];
        for pair in sorted.windows(2) {
            let [left, right] = pair else { unreachable!() };
            assert_eq!(
                compare(left.as_bytes(), right.as_bytes()),
                Ordering::Less,
                "{left} {right}"
            );
        }
        assert_eq!(compare(b"a-1.9.tar.gz", b"a-1.10.tar.gz"), Ordering::Less);
        assert_eq!(compare(b"a01", b"a1"), Ordering::Equal);
    }
}
