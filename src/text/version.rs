//! The order of version numbers within text: gnulib's `filevercmp`, for `ls -v` and `sort -V`.
//!
//! Texts are compared in parts, without digits and with, by turns; `~` comes before the end of a text, letters before everything else.
//! File names are first compared without their suffixes (`.tar.gz`), so that `a-1.0.tar` comes before `a-1.0.1.tar`.

use std::cmp::Ordering;

/// Compares two names.
pub fn compare(left: &[u8], right: &[u8]) -> Ordering {
    if left.is_empty() || right.is_empty() {
        return left.len().cmp(&right.len());
    }
    rank(left).cmp(&rank(right)).then_with(|| {
        if rank(left) < 2 {
            return Ordering::Equal;
        }
        let (left_stem, right_stem) = (stem(left), stem(right));
        parts(left_stem, right_stem).then_with(|| {
            if left_stem.len() == left.len() && right_stem.len() == right.len() {
                Ordering::Equal
            } else {
                parts(left, right)
            }
        })
    })
}

/// `.` comes first, then `..`, hidden names, other names.
fn rank(name: &[u8]) -> u8 {
    match name {
        b"." => 0,
        b".." => 1,
        [b'.', ..] => 2,
        _ => 3,
    }
}

/// The name without the suffixes at its end: `.` and a letter or `~`, then letters, digits and `~`.
fn stem(name: &[u8]) -> &[u8] {
    let mut at = 0;
    let mut end = 0;
    while at < name.len() {
        at += 1;
        end = at;
        while let Some([b'.', first, ..]) = name.get(at..)
            && (first.is_ascii_alphabetic() || *first == b'~')
        {
            at += 2;
            let rest = name.get(at..).unwrap_or_default();
            at += rest
                .iter()
                .take_while(|byte| byte.is_ascii_alphanumeric() || **byte == b'~')
                .count();
        }
    }
    name.get(..end).unwrap_or(name)
}

/// Where a byte that is no digit stands; the end of the text before all but `~`.
fn order(byte: Option<u8>) -> i32 {
    match byte {
        None => -1,
        Some(b'~') => -2,
        Some(byte) if byte.is_ascii_digit() => 0,
        Some(byte) if byte.is_ascii_alphabetic() => i32::from(byte),
        Some(byte) => i32::from(byte) + 256,
    }
}

fn starts_with_digit(text: &[u8]) -> bool {
    text.first().is_some_and(u8::is_ascii_digit)
}

fn rest(text: &[u8], from: usize) -> &[u8] {
    text.get(from..).unwrap_or_default()
}

/// The number at the start, without zeros in front, and what follows.
fn number(text: &[u8]) -> (&[u8], &[u8]) {
    let zeros = text.iter().take_while(|byte| **byte == b'0').count();
    let text = rest(text, zeros);
    let digits = text.iter().take_while(|byte| byte.is_ascii_digit()).count();
    text.split_at_checked(digits).unwrap_or_default()
}

/// Debian's comparison.
fn parts(mut left: &[u8], mut right: &[u8]) -> Ordering {
    while !left.is_empty() || !right.is_empty() {
        while (!left.is_empty() && !starts_with_digit(left))
            || (!right.is_empty() && !starts_with_digit(right))
        {
            let ordering = order(left.first().copied()).cmp(&order(right.first().copied()));
            if ordering != Ordering::Equal {
                return ordering;
            }
            (left, right) = (rest(left, 1), rest(right, 1));
        }
        let (left_number, left_rest) = number(left);
        let (right_number, right_rest) = number(right);
        let longer = left_number.len().cmp(&right_number.len());
        let ordering = longer.then_with(|| left_number.cmp(right_number));
        if ordering != Ordering::Equal {
            return ordering;
        }
        (left, right) = (left_rest, right_rest);
    }
    Ordering::Equal
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The order that `ls -v` of coreutils 9.1 printed.
    #[test]
    fn as_ls_sorts() {
        let names = [
            "",
            ".",
            "..",
            ".0",
            ".9",
            ".A",
            ".Z",
            ".a~",
            ".a",
            ".b~",
            ".b",
            ".z",
            ".zz~",
            ".zz",
            ".zz.~1~",
            ".zz.0",
            "0",
            "9",
            "A",
            "Z",
            "a~",
            "a",
            "a.b~",
            "a.b",
            "a.bc~",
            "a.bc",
            "a+",
            "a.",
            "a..a",
            "a.+",
            "b~",
            "b",
            "gcc-c++-10.fc9.tar.gz",
            "gcc-c++-10.fc9.tar.gz.~1~",
            "gcc-c++-10.fc9.tar.gz.~2~",
            "gcc-c++-10.8.12-0.7rc2.fc9.tar.bz2",
            "glibc-2-0.1.beta1.fc10.rpm",
            "glibc-common-5-0.2.beta2.fc9.ebuild",
            "x9",
            "x010",
            "x0100",
            "z",
            "zz~",
            "zz",
            "zz.~1~",
            "zz.0",
            "zz.0.txt",
            "\u{1}",
        ];
        for pair in names.windows(2) {
            let [left, right] = pair else { continue };
            assert_eq!(
                compare(left.as_bytes(), right.as_bytes()),
                Ordering::Less,
                "{left} {right}"
            );
            assert_eq!(
                compare(right.as_bytes(), left.as_bytes()),
                Ordering::Greater,
                "{left} {right}"
            );
        }
        assert_eq!(compare(b"a01", b"a1"), Ordering::Equal);
    }
}
