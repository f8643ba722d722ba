//! Addresses that are never connected to, and the spellings of addresses.

use core::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// Networks of IPv4 that are never reached: this host, private ones, those of carriers, link-local ones (with the metadata services of clouds),
/// benchmarks, documentation, multicast, reserved.
const BLOCKED_4: [(Ipv4Addr, u32); 16] = [
    (Ipv4Addr::UNSPECIFIED, 8),
    (Ipv4Addr::new(10, 0, 0, 0), 8),
    (Ipv4Addr::new(100, 64, 0, 0), 10),
    (Ipv4Addr::new(127, 0, 0, 0), 8),
    (Ipv4Addr::new(168, 63, 129, 16), 32),
    (Ipv4Addr::new(169, 254, 0, 0), 16),
    (Ipv4Addr::new(172, 16, 0, 0), 12),
    (Ipv4Addr::new(192, 0, 0, 0), 24),
    (Ipv4Addr::new(192, 0, 2, 0), 24),
    (Ipv4Addr::new(192, 88, 99, 0), 24),
    (Ipv4Addr::new(192, 168, 0, 0), 16),
    (Ipv4Addr::new(198, 18, 0, 0), 15),
    (Ipv4Addr::new(198, 51, 100, 0), 24),
    (Ipv4Addr::new(203, 0, 113, 0), 24),
    (Ipv4Addr::new(224, 0, 0, 0), 4),
    (Ipv4Addr::new(240, 0, 0, 0), 4),
];

/// The same of IPv6: first address and length of the prefix.
const BLOCKED_6: [(Ipv6Addr, u32); 12] = [
    (Ipv6Addr::UNSPECIFIED, 128),
    (Ipv6Addr::LOCALHOST, 128),
    (Ipv6Addr::new(0x64, 0xff9b, 0, 0, 0, 0, 0, 0), 96),
    (Ipv6Addr::new(0x64, 0xff9b, 1, 0, 0, 0, 0, 0), 48),
    (Ipv6Addr::new(0x100, 0, 0, 0, 0, 0, 0, 0), 64),
    (Ipv6Addr::new(0x2001, 0, 0, 0, 0, 0, 0, 0), 32),
    (Ipv6Addr::new(0x2001, 0xdb8, 0, 0, 0, 0, 0, 0), 32),
    (Ipv6Addr::new(0x2002, 0, 0, 0, 0, 0, 0, 0), 16),
    (Ipv6Addr::new(0xfc00, 0, 0, 0, 0, 0, 0, 0), 7),
    (Ipv6Addr::new(0xfe80, 0, 0, 0, 0, 0, 0, 0), 10),
    (Ipv6Addr::new(0xfec0, 0, 0, 0, 0, 0, 0, 0), 10),
    (Ipv6Addr::new(0xff00, 0, 0, 0, 0, 0, 0, 0), 8),
];

/// Whether an address is never connected to. IPv4 inside of IPv6 is judged by what is inside.
pub fn blocked(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(address) => BLOCKED_4
            .iter()
            .any(|(network, bits)| (u32::from(address) ^ u32::from(*network)) >> (32 - bits) == 0),
        IpAddr::V6(address) => {
            // `::ffff:a.b.c.d`, and the old form `::a.b.c.d`.
            let inside = address.to_ipv4_mapped().or_else(|| compatible(address));
            inside.is_some_and(|inside| blocked(IpAddr::V4(inside)))
                || BLOCKED_6
                    .iter()
                    .any(|(network, bits)| (u128::from(address) ^ u128::from(*network)) >> (128 - bits) == 0)
        }
    }
}

fn compatible(address: Ipv6Addr) -> Option<Ipv4Addr> {
    let bits = u128::from(address);
    (bits >> 32 == 0).then(|| Ipv4Addr::from(bits as u32))
}

/// Reads an address in any spelling that the C library takes for one: `127.1`, `0177.0.0.1`, `0x7f000001`, `2130706433`, `::1`.
pub fn parse_address(text: &str) -> Option<IpAddr> {
    if text.contains(':') {
        let bare = text.split('%').next().unwrap_or(text);
        return bare.parse::<Ipv6Addr>().ok().map(IpAddr::V6);
    }
    let parts: Vec<u64> = text.split('.').map(number).collect::<Option<_>>()?;
    let (last, first) = parts.split_last()?;
    if first.len() > 3 || first.iter().any(|part| *part > 255) || *last >> (8 * (4 - first.len())) != 0 {
        return None;
    }
    let high = first.iter().fold(0, |high, part| high << 8 | part);
    let bits = (high << (8 * (4 - first.len()))) | last;
    Some(IpAddr::V4(Ipv4Addr::from(bits as u32)))
}

/// Decimal, `0x` hexadecimal, or octal with a leading zero.
fn number(text: &str) -> Option<u64> {
    let (digits, radix) = match text.strip_prefix("0x").or_else(|| text.strip_prefix("0X")) {
        Some(digits) => (digits, 16),
        None if text.len() > 1 && text.starts_with('0') => (text, 8),
        None => (text, 10),
    };
    let plain = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_hexdigit());
    plain.then(|| u64::from_str_radix(digits, radix).ok()).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_blocked_range() {
        for text in [
            "0.1.2.3",
            "10.255.0.1",
            "100.64.0.1",
            "100.127.255.255",
            "127.0.0.1",
            "169.254.169.254",
            "172.16.0.1",
            "172.31.255.255",
            "192.168.1.1",
            "192.0.0.1",
            "192.0.2.1",
            "198.18.0.1",
            "198.19.255.255",
            "198.51.100.7",
            "203.0.113.9",
            "224.0.0.1",
            "239.255.255.255",
            "240.0.0.1",
            "255.255.255.255",
            "::",
            "::1",
            "fc00::1",
            "fdff::1",
            "fe80::1",
            "fe80::1%eth0",
            "64:ff9b::a00:1",
            "64:ff9b:1::1",
            "100::1",
            "2001::1",
            "2001:db8::1",
            "2002:7f00:1::",
            "ff02::1",
            "::ffff:127.0.0.1",
            "::ffff:a00:1",
            "::127.0.0.1",
            "0",
            "0x7f.1",
            "0177.0.0.1",
            "2130706433",
            "127.1",
            "10.1",
            "0xa9fea9fe",
        ] {
            assert!(parse_address(text).is_some_and(blocked), "{text}");
        }
    }

    #[test]
    fn public_addresses() {
        for text in [
            "1.1.1.1",
            "100.128.0.1",
            "172.32.0.1",
            "198.20.0.1",
            "2606:4700::1111",
            "::ffff:1.1.1.1",
            "2001:1::1",
        ] {
            assert!(
                parse_address(text).is_some_and(|address| !blocked(address)),
                "{text}"
            );
        }
    }

    #[test]
    fn names_are_no_addresses() {
        for text in [
            "example.com",
            "1.2.3.4.5",
            "256.1.1.1",
            "1.2.3.256",
            "",
            ".",
            "1..2",
            "0x",
            "08",
            "4294967296",
            "a",
        ] {
            assert_eq!(parse_address(text), None, "{text}");
        }
    }
}
