//! The encodings: groups of bytes to groups of letters, and back.

/// An encoding.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Codec {
    /// RFC 4648, section 4
    Base64,
    /// RFC 4648, section 5
    Base64Url,
    /// RFC 4648, section 6
    Base32,
    /// RFC 4648, section 7
    Base32Hex,
    /// RFC 4648, section 8
    Base16,
    /// Bits, the most significant first.
    Base2Msbf,
    /// Bits, the least significant first.
    Base2Lsbf,
    /// ZeroMQ's Z85.
    Z85,
}

const BASE64: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
const BASE64_URL: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
const BASE32: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
const BASE32_HEX: &[u8] = b"0123456789ABCDEFGHIJKLMNOPQRSTUV";
const BASE16: &[u8] = b"0123456789ABCDEF";
const Z85: &[u8] = b"0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ.-:+=^!/*?&<>()[]{}@%$#";

impl Codec {
    fn alphabet(self) -> &'static [u8] {
        match self {
            Codec::Base64 => BASE64,
            Codec::Base64Url => BASE64_URL,
            Codec::Base32 => BASE32,
            Codec::Base32Hex => BASE32_HEX,
            Codec::Base16 => BASE16,
            Codec::Base2Msbf | Codec::Base2Lsbf => b"01",
            Codec::Z85 => Z85,
        }
    }

    /// Bytes of a group.
    pub fn group(self) -> usize {
        match self {
            Codec::Base64 | Codec::Base64Url => 3,
            Codec::Base32 | Codec::Base32Hex => 5,
            Codec::Base16 | Codec::Base2Msbf | Codec::Base2Lsbf => 1,
            Codec::Z85 => 4,
        }
    }

    /// Letters of a group.
    fn letters(self) -> usize {
        match self {
            Codec::Base64 | Codec::Base64Url => 4,
            Codec::Base32 | Codec::Base32Hex | Codec::Base2Msbf | Codec::Base2Lsbf => 8,
            Codec::Base16 => 2,
            Codec::Z85 => 5,
        }
    }

    /// Bits of a letter, where letters stand for bits.
    fn bits(self) -> u32 {
        match self {
            Codec::Base64 | Codec::Base64Url => 6,
            Codec::Base32 | Codec::Base32Hex => 5,
            Codec::Base16 => 4,
            Codec::Base2Msbf | Codec::Base2Lsbf | Codec::Z85 => 1,
        }
    }

    /// Encodes bytes; only the last may be no whole groups. `false` when the encoding has no way to write them.
    pub fn encode(self, bytes: &[u8], out: &mut Vec<u8>) -> bool {
        for group in bytes.chunks(self.group()) {
            match self {
                Codec::Z85 if group.len() < 4 => return false,
                Codec::Z85 => encode_z85(group, out),
                Codec::Base2Lsbf => {
                    let reversed: Vec<u8> = group.iter().map(|byte| byte.reverse_bits()).collect();
                    self.encode_bits(&reversed, out);
                }
                _ => self.encode_bits(group, out),
            }
        }
        true
    }

    fn encode_bits(self, group: &[u8], out: &mut Vec<u8>) {
        let mut value = 0_u64;
        for index in 0..self.group() {
            value = value << 8 | u64::from(group.get(index).copied().unwrap_or(0));
        }
        let used = (group.len() as u32 * 8).div_ceil(self.bits()) as usize;
        for index in 0..self.letters() {
            let shift = self.bits() * (self.letters() - 1 - index) as u32;
            let digit = (value >> shift) as usize & ((1 << self.bits()) - 1);
            let letter = self.alphabet().get(digit).copied().unwrap_or(b'?');
            out.push(if index < used { letter } else { b'=' });
        }
    }

    fn value(self, letter: u8) -> Option<u32> {
        memchr::memchr(letter, self.alphabet()).map(|at| at as u32)
    }

    fn is_letter(self, byte: u8) -> bool {
        let padded = matches!(
            self,
            Codec::Base64 | Codec::Base64Url | Codec::Base32 | Codec::Base32Hex
        );
        self.value(byte).is_some() || padded && byte == b'='
    }
}

fn encode_z85(group: &[u8], out: &mut Vec<u8>) {
    let mut value = 0_u32;
    for byte in group {
        value = value << 8 | u32::from(*byte);
    }
    for power in [85 * 85 * 85 * 85, 85 * 85 * 85, 85 * 85, 85, 1] {
        let digit = (value / power % 85) as usize;
        out.push(Z85.get(digit).copied().unwrap_or(b'?'));
    }
}

/// Decodes a stream of letters.
#[derive(Debug)]
pub struct Decoder {
    codec: Codec,
    group: Vec<u8>,
}

impl Decoder {
    /// At the start of the stream.
    pub fn new(codec: Codec) -> Decoder {
        Decoder {
            codec,
            group: Vec::with_capacity(8),
        }
    }

    /// Decodes letters. Newlines are passed over, and other bytes that are no letters with `ignore_garbage`. `false` at what cannot be decoded.
    pub fn push(&mut self, letters: &[u8], ignore_garbage: bool, out: &mut Vec<u8>) -> bool {
        for &byte in letters {
            if byte == b'\n' || ignore_garbage && !self.codec.is_letter(byte) {
                continue;
            }
            self.group.push(byte);
            if self.group.len() == self.codec.letters() {
                let well = self.decode_group(out);
                self.group.clear();
                if !well {
                    return false;
                }
            } else if self.codec.bits() == 1 && self.codec.value(byte).is_none() {
                return false;
            }
        }
        true
    }

    /// The stream has ended.
    pub fn finish(&mut self, out: &mut Vec<u8>) -> bool {
        self.group.is_empty() || self.decode_group(out)
    }

    /// Decodes what there is of a group: `false` when it is not right, after the bytes before the error.
    fn decode_group(&self, out: &mut Vec<u8>) -> bool {
        match self.codec {
            Codec::Base64 | Codec::Base64Url => self.decode_padded(out, &[2, 3, 4]),
            Codec::Base32 | Codec::Base32Hex => {
                self.group.len() == 8 && self.decode_padded(out, &[2, 4, 5, 7, 8])
            }
            Codec::Base16 => self.group.len() == 2 && self.decode_padded(out, &[2]),
            Codec::Base2Msbf => self.decode_padded(out, &[8]),
            Codec::Base2Lsbf => {
                let start = out.len();
                let well = self.decode_padded(out, &[8]);
                for byte in out.iter_mut().skip(start) {
                    *byte = byte.reverse_bits();
                }
                well
            }
            Codec::Z85 => self.decode_z85(out),
        }
    }

    /// A byte is out after each of so many letters; padding may begin behind any of these.
    fn decode_padded(&self, out: &mut Vec<u8>, ends: &[usize]) -> bool {
        let mut value = 0_u32;
        let mut bits = 0;
        let mut done = 0;
        for &end in ends {
            let rest = self.group.get(done..).unwrap_or_default();
            if done > 0 && rest.first() == Some(&b'=') {
                return self.group.len() == self.codec.letters() && rest.iter().all(|byte| *byte == b'=');
            }
            for &letter in rest.iter().take(end - done) {
                let Some(digit) = self.codec.value(letter) else {
                    return false;
                };
                value = value << self.codec.bits() | digit;
                bits += self.codec.bits();
            }
            if self.group.len() < end {
                return false;
            }
            done = end;
            bits -= 8;
            out.push((value >> bits) as u8);
        }
        true
    }

    fn decode_z85(&self, out: &mut Vec<u8>) -> bool {
        if self.group.len() < 5 {
            return false;
        }
        let mut value = 0_u64;
        for &letter in &self.group {
            let Some(digit) = self.codec.value(letter) else {
                return false;
            };
            value = value * 85 + u64::from(digit);
        }
        let Ok(value) = u32::try_from(value) else {
            return false;
        };
        out.extend_from_slice(&value.to_be_bytes());
        true
    }
}
