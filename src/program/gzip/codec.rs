//! The gzip format: headers and checksums here, the deflate streams in between by `flate2`.
//!
//! Both directions work piece by piece, so that a file of any size needs no more than a block of memory. `tar -z` uses them as well.

use flate2::{Compress, Compression, Crc, Decompress, FlushCompress, FlushDecompress, Status};

use crate::fs::Errno;
use crate::kernel::{Input, Lease, Proc, Stop};

/// Bytes worked on between two charges.
pub const STEP: usize = 64 << 10;

/// Bytes that the state of a stream takes, about.
const STATE: usize = 256 << 10;

/// No header is longer: its name has no end.
const LONGEST_HEADER: usize = 1 << 20;

/// What packing and unpacking a byte costs, in steps a hundred bytes.
const PACKING: u64 = 100;
const UNPACKING: u64 = 25;

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
    /// It cannot be read.
    Unreadable(Errno),
}

impl Broken {
    /// As gzip says it.
    pub fn sentence(self) -> &'static str {
        match self {
            Broken::NotGzip => "not in gzip format",
            Broken::Short => "unexpected end of file",
            Broken::Data => "invalid compressed data--format violated",
            Broken::Checksum => "invalid compressed data--crc error",
            Broken::Length => "invalid compressed data--length error",
            Broken::Garbage => "decompression OK, trailing garbage ignored",
            Broken::Unreadable(errno) => errno.message(),
        }
    }
}

impl From<Errno> for Broken {
    fn from(errno: Errno) -> Broken {
        Broken::Unreadable(errno)
    }
}

/// Makes a file that holds what is pushed.
pub struct Packer {
    compress: Compress,
    crc: Crc,
    /// What came out and was not taken.
    out: Vec<u8>,
    _lease: Lease,
}

impl Packer {
    /// Begins with the header: with a name and a time.
    pub fn new(proc: &Proc, level: u32, name: Option<&[u8]>, time: u32) -> Result<Packer, Stop> {
        let mut lease = proc.kernel.lease();
        lease.grow(STATE)?;
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
        Ok(Packer {
            compress: Compress::new(Compression::new(level), false),
            crc: Crc::new(),
            out,
            _lease: lease,
        })
    }

    /// Takes a piece in. What comes out is to be [taken](Packer::take).
    pub async fn push(&mut self, proc: &Proc, mut data: &[u8]) -> Result<(), Stop> {
        while !data.is_empty() {
            let (piece, rest) = data.split_at_checked(STEP).unwrap_or((data, &[]));
            let (taken, _) = self.step(proc, piece, FlushCompress::None).await?;
            self.crc.update(piece.get(..taken).unwrap_or_default());
            data = if taken == piece.len() {
                rest
            } else {
                data.get(taken..).unwrap_or_default()
            };
        }
        Ok(())
    }

    /// The end of the data.
    pub async fn finish(&mut self, proc: &Proc) -> Result<(), Stop> {
        while !self.step(proc, &[], FlushCompress::Finish).await?.1 {}
        self.out.extend_from_slice(&self.crc.sum().to_le_bytes());
        self.out.extend_from_slice(&self.crc.amount().to_le_bytes());
        Ok(())
    }

    /// How much was taken in, and whether that was the end.
    async fn step(&mut self, proc: &Proc, data: &[u8], flush: FlushCompress) -> Result<(usize, bool), Stop> {
        proc.kernel.breathe().await;
        self.out.reserve(STEP + 1024);
        let before = self.compress.total_in();
        let status = self.compress.compress_vec(data, &mut self.out, flush);
        let taken = self.compress.total_in() - before;
        proc.charge(taken * PACKING / 100 + 1)?;
        // Compressing cannot fail.
        Ok((
            taken as usize,
            !matches!(status, Ok(Status::Ok | Status::BufError)),
        ))
    }

    /// Bytes that came out, without the header and what stands at the end.
    pub fn payload(&self) -> u64 {
        self.compress.total_out()
    }

    /// What came out so far.
    pub fn take(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.out)
    }
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

/// Gives what a file holds: all its members one after the other.
pub struct Unpacker {
    input: Input,
    decompress: Decompress,
    crc: Crc,
    /// A member is being read.
    inside: bool,
    /// The name in the first header.
    pub name: Option<Vec<u8>>,
    /// Bytes that were unpacked, without headers.
    pub payload: u64,
    _lease: Lease,
}

impl Unpacker {
    /// Reads the first header.
    pub async fn new(proc: &Proc, input: Input) -> Result<(Unpacker, Option<Broken>), Stop> {
        let mut lease = proc.kernel.lease();
        lease.grow(STATE)?;
        let mut unpacker = Unpacker {
            input,
            decompress: Decompress::new(false),
            crc: Crc::new(),
            inside: true,
            name: None,
            payload: 0,
            _lease: lease,
        };
        let broken = match unpacker.header().await {
            Ok(name) => {
                unpacker.name = name;
                None
            }
            Err(broken) => Some(broken),
        };
        Ok((unpacker, broken))
    }

    /// The input, where it stands: at the start of a file that is no gzip file.
    pub fn into_input(self) -> Input {
        self.input
    }

    /// Takes a header.
    async fn header(&mut self) -> Result<Option<Vec<u8>>, Broken> {
        loop {
            match header(self.input.buffered()) {
                Ok((length, name)) => {
                    self.input.consume(length);
                    return Ok(name);
                }
                Err(Broken::Short) if self.input.buffered().len() > LONGEST_HEADER => {
                    return Err(Broken::Data);
                }
                Err(Broken::Short) if self.input.fill().await? => {}
                Err(broken) => return Err(broken),
            }
        }
    }

    /// Appends the next piece, at most [`STEP`] bytes. `None`: that was all.
    pub async fn read(
        &mut self,
        proc: &Proc,
        into: &mut Vec<u8>,
    ) -> Result<Option<Result<(), Broken>>, Stop> {
        loop {
            proc.kernel.breathe().await;
            if !self.inside {
                match self.next_member().await {
                    Ok(true) => {}
                    Ok(false) => return Ok(None),
                    Err(broken) => return Ok(Some(Err(broken))),
                }
            }
            let before = into.len();
            let done = self.step(into).await;
            proc.charge((into.len() - before) as u64 * UNPACKING / 100 + 1)?;
            match done {
                Err(broken) => return Ok(Some(Err(broken))),
                Ok(()) if into.len() > before => return Ok(Some(Ok(()))),
                Ok(()) => {}
            }
        }
    }

    /// Unpacks what is buffered, and the end of the member.
    async fn step(&mut self, into: &mut Vec<u8>) -> Result<(), Broken> {
        let more = !self.input.buffered().is_empty() || self.input.fill().await?;
        into.reserve(STEP);
        let (start, before) = (into.len(), self.decompress.total_in());
        let status = self
            .decompress
            .decompress_vec(self.input.buffered(), into, FlushDecompress::None);
        let taken = (self.decompress.total_in() - before) as usize;
        self.input.consume(taken);
        self.payload += taken as u64;
        self.crc.update(into.get(start..).unwrap_or_default());
        match status {
            Ok(Status::StreamEnd) => self.trailer().await,
            Ok(_) if !more && into.len() == start => Err(Broken::Short),
            Ok(_) => Ok(()),
            Err(_) => Err(Broken::Data),
        }
    }

    /// The checksum and the length behind a member.
    async fn trailer(&mut self) -> Result<(), Broken> {
        self.inside = false;
        while self.input.buffered().len() < 8 {
            if !self.input.fill().await? {
                return Err(Broken::Short);
            }
        }
        let words = self.input.take(8);
        let word = |from: usize| {
            let bytes = words.get(from..from + 4).unwrap_or_default();
            bytes
                .iter()
                .rev()
                .fold(0_u32, |word, byte| word << 8 | u32::from(*byte))
        };
        let (sum, length) = (word(0), word(4));
        let own = (self.crc.sum(), self.crc.amount());
        self.crc.reset();
        self.decompress.reset(false);
        if own.0 != sum {
            Err(Broken::Checksum)
        } else if own.1 != length {
            Err(Broken::Length)
        } else {
            Ok(())
        }
    }

    /// Whether another member follows.
    async fn next_member(&mut self) -> Result<bool, Broken> {
        if self.input.buffered().is_empty() && !self.input.fill().await? {
            return Ok(false);
        }
        if self.input.buffered().first() != Some(&0) {
            return match self.header().await {
                Ok(_) => {
                    self.inside = true;
                    Ok(true)
                }
                Err(Broken::Unreadable(errno)) => Err(errno.into()),
                Err(_) => Err(Broken::Garbage),
            };
        }
        // Zeros may fill a block of a tape.
        loop {
            if self.input.buffered().iter().any(|byte| *byte != 0) {
                return Err(Broken::Garbage);
            }
            self.input.consume(self.input.buffered().len());
            if !self.input.fill().await? {
                return Ok(false);
            }
        }
    }
}
