//! Sizes and durations as people write them: `2GiB`, `15m`.

/// The smallest memory that is given.
const SMALLEST_MIB: u64 = 128;

fn split(text: &str) -> Option<(u64, &str)> {
    let end = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    let (digits, unit) = text.split_at_checked(end)?;
    Some((digits.parse().ok()?, unit))
}

/// A size in MiB, rounded up, at least 128.
pub fn mebibytes(text: &str) -> Option<u64> {
    let (number, unit) = split(text)?;
    let shift = match unit {
        "B" => 0,
        "KiB" => 10,
        "MiB" => 20,
        "GiB" => 30,
        "TiB" => 40,
        _ => return None,
    };
    let bytes = u128::from(number) << shift;
    u64::try_from(bytes.div_ceil(1 << 20))
        .ok()
        .map(|size| size.max(SMALLEST_MIB))
}

/// A duration in milliseconds, above 0.
pub fn milliseconds(text: &str) -> Option<u64> {
    let (number, unit) = split(text)?;
    let factor = match unit {
        "ms" => 1,
        "s" => 1000,
        "m" => 60_000,
        "h" => 3_600_000,
        "d" => 86_400_000,
        _ => return None,
    };
    number.checked_mul(factor).filter(|time| *time > 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes() {
        assert_eq!(mebibytes("2GiB"), Some(2048));
        assert_eq!(mebibytes("1B"), Some(128));
        assert_eq!(mebibytes("134217729B"), Some(129));
        assert_eq!(mebibytes("1TiB"), Some(1 << 20));
        for wrong in [
            "",
            "1",
            "1GB",
            "GiB",
            "-1GiB",
            "1.5GiB",
            "99999999999999999999B",
            "1 GiB",
        ] {
            assert_eq!(mebibytes(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn durations() {
        assert_eq!(milliseconds("15m"), Some(900_000));
        assert_eq!(milliseconds("1d"), Some(86_400_000));
        for wrong in ["0s", "", "5", "5 s", "1w", "99999999999999999999d"] {
            assert_eq!(milliseconds(wrong), None, "{wrong}");
        }
    }
}
