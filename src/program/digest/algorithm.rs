//! The checksums: those of RustCrypto, and three old ones that are a few lines each.

use blake2::Blake2bVarCore;
use blake2::digest::Output;
use blake2::digest::block_api::{Buffer, UpdateCore, VariableOutputCore};
use md5::Md5;
use sha1::Sha1;
use sha2::digest::Digest;
use sha2::{Sha224, Sha256, Sha384, Sha512};
use sm3::Sm3;

/// Which checksum.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Algorithm {
    /// 16 bits, as BSD's `sum`.
    Bsd,
    /// 16 bits, as System V's `sum`.
    Sysv,
    /// The CRC of POSIX `cksum`.
    Crc,
    /// MD5
    Md5,
    /// SHA-1
    Sha1,
    /// SHA-224
    Sha224,
    /// SHA-256
    Sha256,
    /// SHA-384
    Sha384,
    /// SHA-512
    Sha512,
    /// BLAKE2b, whose digest may be shorter.
    Blake2b,
    /// SM3
    Sm3,
}

/// What `cksum -a` calls them.
pub const NAMES: [(&str, Algorithm); 11] = [
    ("bsd", Algorithm::Bsd),
    ("sysv", Algorithm::Sysv),
    ("crc", Algorithm::Crc),
    ("md5", Algorithm::Md5),
    ("sha1", Algorithm::Sha1),
    ("sha224", Algorithm::Sha224),
    ("sha256", Algorithm::Sha256),
    ("sha384", Algorithm::Sha384),
    ("sha512", Algorithm::Sha512),
    ("blake2b", Algorithm::Blake2b),
    ("sm3", Algorithm::Sm3),
];

/// The longest digest of BLAKE2b in bytes.
pub const MOST_BLAKE2B: usize = 64;

impl Algorithm {
    /// The name in tagged lines; empty for those that have none.
    pub fn tag(self) -> &'static str {
        match self {
            Algorithm::Bsd => "BSD",
            Algorithm::Sysv => "SYSV",
            Algorithm::Crc => "CRC",
            Algorithm::Md5 => "MD5",
            Algorithm::Sha1 => "SHA1",
            Algorithm::Sha224 => "SHA224",
            Algorithm::Sha256 => "SHA256",
            Algorithm::Sha384 => "SHA384",
            Algorithm::Sha512 => "SHA512",
            Algorithm::Blake2b => "BLAKE2b",
            Algorithm::Sm3 => "SM3",
        }
    }

    /// Bytes of a full digest.
    pub fn length(self) -> usize {
        match self {
            Algorithm::Bsd | Algorithm::Sysv | Algorithm::Crc => 4,
            Algorithm::Md5 => 16,
            Algorithm::Sha1 => 20,
            Algorithm::Sha224 => 28,
            Algorithm::Sha256 | Algorithm::Sm3 => 32,
            Algorithm::Sha384 => 48,
            Algorithm::Sha512 => 64,
            Algorithm::Blake2b => MOST_BLAKE2B,
        }
    }

    /// Printed as a number.
    pub fn is_number(self) -> bool {
        matches!(self, Algorithm::Bsd | Algorithm::Sysv | Algorithm::Crc)
    }

    /// The start of the computation; `length` in bytes matters to BLAKE2b.
    pub fn hasher(self, length: usize) -> Hasher {
        match self {
            Algorithm::Bsd => Hasher::Bsd(0),
            Algorithm::Sysv => Hasher::Sysv(0),
            Algorithm::Crc => Hasher::Crc(0),
            Algorithm::Md5 => Hasher::Md5(Md5::new()),
            Algorithm::Sha1 => Hasher::Sha1(Sha1::new()),
            Algorithm::Sha224 => Hasher::Sha224(Sha224::new()),
            Algorithm::Sha256 => Hasher::Sha256(Sha256::new()),
            Algorithm::Sha384 => Hasher::Sha384(Sha384::new()),
            Algorithm::Sha512 => Hasher::Sha512(Sha512::new()),
            Algorithm::Blake2b => {
                let state = Blake2bVarCore::new(length).ok();
                Hasher::Blake2b(
                    state.map(|core| Box::new((core, Buffer::<Blake2bVarCore>::default()))),
                    length,
                )
            }
            Algorithm::Sm3 => Hasher::Sm3(Sm3::new()),
        }
    }

    /// The line of a number: value and size.
    pub fn number_line(self, digest: &[u8], length: u64) -> String {
        let value = digest
            .iter()
            .fold(0_u32, |value, byte| value << 8 | u32::from(*byte));
        match self {
            Algorithm::Bsd => format!("{value:05} {:5}", length.div_ceil(1024)),
            Algorithm::Sysv => format!("{value} {}", length.div_ceil(512)),
            _ => format!("{value} {length}"),
        }
    }
}

/// A computation.
pub enum Hasher {
    /// The sum.
    Bsd(u32),
    /// The sum.
    Sysv(u32),
    /// The remainder.
    Crc(u32),
    /// MD5
    Md5(Md5),
    /// SHA-1
    Sha1(Sha1),
    /// SHA-224
    Sha224(Sha224),
    /// SHA-256
    Sha256(Sha256),
    /// SHA-384
    Sha384(Sha384),
    /// SHA-512
    Sha512(Sha512),
    /// BLAKE2b and the length of its digest.
    Blake2b(Option<Box<(Blake2bVarCore, Buffer<Blake2bVarCore>)>>, usize),
    /// SM3
    Sm3(Sm3),
}

impl Hasher {
    /// Adds bytes.
    pub fn update(&mut self, bytes: &[u8]) {
        match self {
            Hasher::Bsd(sum) => {
                for byte in bytes {
                    *sum = (*sum >> 1) + ((*sum & 1) << 15);
                    *sum = (*sum + u32::from(*byte)) & 0xffff;
                }
            }
            Hasher::Sysv(sum) => {
                for byte in bytes {
                    *sum = sum.wrapping_add(u32::from(*byte));
                }
            }
            Hasher::Crc(remainder) => {
                for byte in bytes {
                    *remainder = crc_step(*remainder, *byte);
                }
            }
            Hasher::Md5(state) => Digest::update(state, bytes),
            Hasher::Sha1(state) => Digest::update(state, bytes),
            Hasher::Sha224(state) => Digest::update(state, bytes),
            Hasher::Sha256(state) => Digest::update(state, bytes),
            Hasher::Sha384(state) => Digest::update(state, bytes),
            Hasher::Sha512(state) => Digest::update(state, bytes),
            Hasher::Blake2b(state, _) => {
                if let Some(state) = state {
                    let (core, buffer) = state.as_mut();
                    buffer.digest_blocks(bytes, |blocks| core.update_blocks(blocks));
                }
            }
            Hasher::Sm3(state) => Digest::update(state, bytes),
        }
    }

    /// The digest of `length` bytes.
    pub fn finish(self, length: u64) -> Vec<u8> {
        match self {
            Hasher::Bsd(sum) => sum.to_be_bytes().to_vec(),
            Hasher::Sysv(sum) => {
                let folded = (sum & 0xffff) + (sum >> 16);
                let folded = (folded & 0xffff) + (folded >> 16);
                folded.to_be_bytes().to_vec()
            }
            Hasher::Crc(remainder) => {
                let mut remainder = remainder;
                let mut left = length;
                while left > 0 {
                    remainder = crc_step(remainder, left as u8);
                    left >>= 8;
                }
                (!remainder).to_be_bytes().to_vec()
            }
            Hasher::Md5(state) => state.finalize().to_vec(),
            Hasher::Sha1(state) => state.finalize().to_vec(),
            Hasher::Sha224(state) => state.finalize().to_vec(),
            Hasher::Sha256(state) => state.finalize().to_vec(),
            Hasher::Sha384(state) => state.finalize().to_vec(),
            Hasher::Sha512(state) => state.finalize().to_vec(),
            Hasher::Blake2b(state, size) => {
                // The length was checked, so that there is a state.
                let mut digest = Output::<Blake2bVarCore>::default();
                if let Some(mut state) = state {
                    let (core, buffer) = state.as_mut();
                    core.finalize_variable_core(buffer, &mut digest);
                }
                digest.iter().copied().take(size).collect()
            }
            Hasher::Sm3(state) => state.finalize().to_vec(),
        }
    }
}

const CRC_TABLE: [u32; 256] = crc_table();

#[allow(clippy::indexing_slicing)] // computed by the compiler
const fn crc_table() -> [u32; 256] {
    let mut table = [0; 256];
    let mut index = 0;
    while index < 256 {
        let mut value = (index as u32) << 24;
        let mut bit = 0;
        while bit < 8 {
            value = if value >> 31 == 1 {
                value << 1 ^ 0x04c1_1db7
            } else {
                value << 1
            };
            bit += 1;
        }
        table[index] = value;
        index += 1;
    }
    table
}

fn crc_step(remainder: u32, byte: u8) -> u32 {
    let index = (remainder >> 24) as u8 ^ byte;
    let entry = CRC_TABLE.get(usize::from(index)).copied().unwrap_or(0);
    remainder << 8 ^ entry
}
