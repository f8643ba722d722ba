//! The gzip format: headers and checksums here, the deflate streams in between by `flate2`.
//!
//! `tar -z` uses it as well.

use flate2::{Compress, Compression, Crc, Decompress, FlushCompress, FlushDecompress, Status};

use crate::kernel::{Lease, Proc, Stop};

/// Bytes worked on between two charges.
const STEP: usize = 64 << 10;

/// Why a file is no good gzip file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Broken {
    /// It does not begin like one.
    NotGzip,
    /// It ends too early.
    Short,
    /// The data make no sense.
    Data,
    /// The checksum differs.
    Checksum,
    /// The length differs.
    Length,
    /// Something that is no gzip file follows.
    Garbage,
}

/// What came out.
pub struct Unpacked {
    /// The data, up to what is wrong.
    pub data: Vec<u8>,
    /// Counts them.
    pub lease: Lease,
    /// The name in the first header.
    pub name: Option<Vec<u8>>,
    /// What is wrong.
    pub broken: Option<Broken>,
}

/// The file that holds `data`, with a name and a time in its header.
pub async fn pack(
    proc: &Proc,
    data: &[u8],
    level: u32,
    name: Option<&[u8]>,
    time: u32,
) -> Result<(Vec<u8>, Lease), Stop> {
    let mut lease = proc.kernel.lease();
    let extra = match level {
        9 => 2,
        1 => 4,
        _ => 0,
    };
    let mut out = vec![0x1f, 0x8b, 8, if name.is_some() { 8 } else { 0 }];
    out.extend_from_slice(&time.to_le_bytes());
    out.extend_from_slice(&[extra, 3]);
    if let Some(name) = name {
        out.extend_from_slice(name);
        out.push(0);
    }
    let mut crc = Crc::new();
    let mut compress = Compress::new(Compression::new(level), false);
    let mut rest = data;
    loop {
        proc.kernel.breathe().await;
        let piece = rest.get(..STEP).unwrap_or(rest);
        let last = piece.len() == rest.len();
        out.reserve(STEP + 1024);
        lease.resize(out.capacity())?;
        let before = compress.total_in();
        let flush = if last {
            FlushCompress::Finish
        } else {
            FlushCompress::None
        };
        let status = compress.compress_vec(piece, &mut out, flush);
        let taken = (compress.total_in() - before) as usize;
        crc.update(piece.get(..taken).unwrap_or_default());
        rest = rest.get(taken..).unwrap_or_default();
        proc.charge(taken as u64 / 256 + 1)?;
        match status {
            Ok(Status::StreamEnd) => break,
            Ok(_) => {}
            // Compressing cannot fail.
            Err(_) => break,
        }
    }
    out.extend_from_slice(&crc.sum().to_le_bytes());
    out.extend_from_slice(&(data.len() as u32).to_le_bytes());
    Ok((out, lease))
}

/// The first bytes are those of a gzip file.
pub fn is_gzip(data: &[u8]) -> bool {
    data.starts_with(&[0x1f, 0x8b])
}

/// The end of a header, and the name in it.
fn header(data: &[u8]) -> Result<(usize, Option<Vec<u8>>), Broken> {
    if data.is_empty() {
        return Err(Broken::Short);
    }
    if !is_gzip(data) {
        return Err(if data == [0x1f] {
            Broken::Short
        } else {
            Broken::NotGzip
        });
    }
    let flags = *data.get(3).ok_or(Broken::Short)?;
    let mut at = 10;
    if flags & 4 != 0 {
        let length = data.get(at..at + 2).ok_or(Broken::Short)?;
        let length = length
            .iter()
            .rev()
            .fold(0, |sum, byte| sum << 8 | usize::from(*byte));
        at += 2 + length;
    }
    let mut text = |present: bool| -> Result<Option<Vec<u8>>, Broken> {
        if !present {
            return Ok(None);
        }
        let rest = data.get(at..).ok_or(Broken::Short)?;
        let end = memchr::memchr(0, rest).ok_or(Broken::Short)?;
        at += end + 1;
        Ok(rest.get(..end).map(<[u8]>::to_vec))
    };
    let name = text(flags & 8 != 0)?;
    text(flags & 16 != 0)?;
    if flags & 2 != 0 {
        at += 2;
    }
    if at > data.len() {
        return Err(Broken::Short);
    }
    Ok((at, name))
}

/// What a file holds: all its members one after the other.
pub async fn unpack(proc: &Proc, data: &[u8]) -> Result<Unpacked, Stop> {
    let mut all = Unpacked {
        data: Vec::new(),
        lease: proc.kernel.lease(),
        name: None,
        broken: None,
    };
    let mut at = 0;
    let mut first = true;
    loop {
        let rest = data.get(at..).unwrap_or_default();
        match header(rest) {
            Ok((start, name)) => {
                if first {
                    all.name = name;
                }
                first = false;
                let member = rest.get(start..).unwrap_or_default();
                match unpack_member(proc, member, &mut all).await? {
                    Ok(length) => at += start + length,
                    Err(broken) => {
                        all.broken = Some(broken);
                        return Ok(all);
                    }
                }
            }
            // Zeros may fill a block of a tape.
            Err(_) if !first && rest.iter().all(|byte| *byte == 0) => return Ok(all),
            Err(broken) => {
                all.broken = Some(if first { broken } else { Broken::Garbage });
                return Ok(all);
            }
        }
    }
}

/// Unpacks a member behind its header: its length there.
async fn unpack_member(proc: &Proc, data: &[u8], all: &mut Unpacked) -> Result<Result<usize, Broken>, Stop> {
    let start = all.data.len();
    let mut decompress = Decompress::new(false);
    loop {
        proc.kernel.breathe().await;
        let at = decompress.total_in() as usize;
        let rest = data.get(at..).unwrap_or_default();
        all.data.reserve(STEP);
        all.lease.resize(all.data.capacity())?;
        let before = all.data.len();
        let status = decompress.decompress_vec(rest, &mut all.data, FlushDecompress::None);
        let made = all.data.len() - before;
        proc.charge(made as u64 / 512 + 1)?;
        match status {
            Ok(Status::StreamEnd) => break,
            Ok(_) if made == 0 && decompress.total_in() as usize >= data.len() => {
                return Ok(Err(Broken::Short));
            }
            Ok(_) => {}
            Err(_) => return Ok(Err(Broken::Data)),
        }
    }
    let end = decompress.total_in() as usize;
    let word = |from: usize| -> Option<u32> {
        let bytes = data.get(end + from..end + from + 4)?;
        Some(
            bytes
                .iter()
                .rev()
                .fold(0, |word, byte| word << 8 | u32::from(*byte)),
        )
    };
    let (Some(sum), Some(length)) = (word(0), word(4)) else {
        return Ok(Err(Broken::Short));
    };
    let own = all.data.get(start..).unwrap_or_default();
    let mut crc = Crc::new();
    crc.update(own);
    proc.charge(own.len() as u64 / 1024)?;
    Ok(if crc.sum() != sum {
        Err(Broken::Checksum)
    } else if own.len() as u32 != length {
        Err(Broken::Length)
    } else {
        Ok(end + 8)
    })
}
