//! Headers of archives: blocks of 512 bytes, written as GNU tar does, read in the GNU, ustar and pax forms.

use crate::fs::FileKind;

/// Bytes of a block.
pub const BLOCK: usize = 512;

/// What a member is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// A file.
    File,
    /// Another name of a member.
    HardLink,
    /// A symbolic link.
    SymbolicLink,
    /// A directory.
    Directory,
    /// A named pipe.
    Fifo,
    /// What is passed over.
    Other,
}

/// A member without its data.
#[derive(Debug, Clone)]
pub struct Member {
    /// Its name.
    pub name: Vec<u8>,
    /// What it is.
    pub kind: Kind,
    /// What a link leads to.
    pub target: Vec<u8>,
    /// Bytes of its data.
    pub size: u64,
    /// Permission bits.
    pub mode: u32,
    /// The owner.
    pub uid: u32,
    /// The group.
    pub gid: u32,
    /// The owner's name.
    pub user: Vec<u8>,
    /// The group's name.
    pub group: Vec<u8>,
    /// Seconds of the last change.
    pub time: i64,
}

impl Kind {
    /// The kind for the letters of a listing.
    pub fn file_kind(self) -> FileKind {
        match self {
            Kind::Directory => FileKind::Directory,
            Kind::SymbolicLink => FileKind::Symlink,
            Kind::Fifo => FileKind::Fifo,
            Kind::File | Kind::HardLink | Kind::Other => FileKind::Regular,
        }
    }

    fn flag(self) -> u8 {
        match self {
            Kind::File | Kind::Other => b'0',
            Kind::HardLink => b'1',
            Kind::SymbolicLink => b'2',
            Kind::Directory => b'5',
            Kind::Fifo => b'6',
        }
    }
}

fn put(block: &mut [u8], at: usize, bytes: &[u8]) {
    for (slot, byte) in block.iter_mut().skip(at).zip(bytes) {
        *slot = *byte;
    }
}

/// An octal number of so many digits, or in base 256 when it needs more.
fn put_number(block: &mut [u8], at: usize, width: usize, value: u64) {
    let text = format!("{value:0digits$o}", digits = width - 1);
    if text.len() < width {
        put(block, at, text.as_bytes());
        return;
    }
    let bytes = value.to_be_bytes();
    put(block, at, &[0x80]);
    put(block, at + width - bytes.len(), &bytes);
}

fn sum(block: &[u8]) -> u32 {
    let blank = |index: usize| (148..156).contains(&index);
    block
        .iter()
        .enumerate()
        .map(|(index, byte)| if blank(index) { 32 } else { u32::from(*byte) })
        .sum()
}

fn block(member: &Member, flag: u8) -> Vec<u8> {
    let mut block = vec![0; BLOCK];
    put(&mut block, 0, member.name.get(..100).unwrap_or(&member.name));
    put_number(&mut block, 100, 8, u64::from(member.mode));
    put_number(&mut block, 108, 8, u64::from(member.uid));
    put_number(&mut block, 116, 8, u64::from(member.gid));
    put_number(&mut block, 124, 12, member.size);
    put_number(&mut block, 136, 12, member.time.max(0) as u64);
    put(&mut block, 156, &[flag]);
    put(
        &mut block,
        157,
        member.target.get(..100).unwrap_or(&member.target),
    );
    put(&mut block, 257, b"ustar  \0");
    put(&mut block, 265, member.user.get(..31).unwrap_or(&member.user));
    put(&mut block, 297, member.group.get(..31).unwrap_or(&member.group));
    let sum = format!("{:06o}\0 ", sum(&block));
    put(&mut block, 148, sum.as_bytes());
    block
}

/// A member whose data are a long name.
fn long(flag: u8, text: &[u8], out: &mut Vec<u8>) {
    let carrier = Member {
        name: b"././@LongLink".to_vec(),
        kind: Kind::Other,
        target: Vec::new(),
        size: text.len() as u64 + 1,
        mode: 0o644,
        uid: 0,
        gid: 0,
        user: b"root".to_vec(),
        group: b"root".to_vec(),
        time: 0,
    };
    out.extend_from_slice(&block(&carrier, flag));
    out.extend_from_slice(text);
    out.push(0);
    pad(out);
}

/// Fills the last block with zeros.
fn pad(out: &mut Vec<u8>) {
    out.resize(out.len().next_multiple_of(BLOCK), 0);
}

/// Appends the header of a member.
pub fn write(member: &Member, out: &mut Vec<u8>) {
    if member.target.len() > 100 {
        long(b'K', &member.target, out);
    }
    if member.name.len() > 100 {
        long(b'L', &member.name, out);
    }
    out.extend_from_slice(&block(member, member.kind.flag()));
}

fn text(block: &[u8], at: usize, width: usize) -> Vec<u8> {
    let field = block.get(at..at + width).unwrap_or_default();
    let end = memchr::memchr(0, field).unwrap_or(field.len());
    field.get(..end).unwrap_or_default().to_vec()
}

fn number(block: &[u8], at: usize, width: usize) -> Option<u64> {
    let field = block.get(at..at + width)?;
    if field.first().is_some_and(|byte| byte & 0x80 != 0) {
        let bytes = field.iter().skip(width.saturating_sub(8));
        return Some(bytes.fold(0, |value, byte| value << 8 | u64::from(*byte)));
    }
    let digits = field.trim_ascii().split(|byte| *byte == 0).next()?.trim_ascii();
    let digits = std::str::from_utf8(digits).ok()?;
    if digits.is_empty() {
        return Some(0);
    }
    u64::from_str_radix(digits, 8).ok()
}

/// What the next header of an archive is.
pub enum Next {
    /// A member, and how long its headers are.
    Member(Box<Member>, usize),
    /// More must be read to tell.
    More,
    /// The end.
    End,
    /// No header.
    Invalid,
    /// Not even a block.
    Short,
}

/// Names that headers before a member give it.
#[derive(Default)]
struct Given {
    name: Option<Vec<u8>>,
    target: Option<Vec<u8>>,
    size: Option<u64>,
    time: Option<i64>,
}

/// No name or other record is longer.
const LONGEST: u64 = 1 << 20;

/// Reads the header at the start of `data`, behind which more may follow unless they are the end.
pub fn read(data: &[u8], ended: bool) -> Next {
    let mut given = Given::default();
    let mut at = 0;
    let short = if ended { Next::Short } else { Next::More };
    loop {
        if at == data.len() && ended {
            return Next::End;
        }
        let Some(block) = data.get(at..at + BLOCK) else {
            return short;
        };
        if block.iter().all(|byte| *byte == 0) {
            return Next::End;
        }
        let stored = number(block, 148, 8);
        if stored != Some(u64::from(sum(block))) {
            return Next::Invalid;
        }
        let size = given.size.or_else(|| number(block, 124, 12)).unwrap_or(0);
        let begin = at + BLOCK;
        let flag = block.get(156).copied().unwrap_or(b'0');
        if !b"LKxg".contains(&flag) {
            return Next::Member(Box::new(member(block, flag, size, given)), begin);
        }
        if size > LONGEST {
            return Next::Invalid;
        }
        let end = begin + size as usize;
        let Some(carried) = data.get(begin..end) else {
            return short;
        };
        let name = carried.strip_suffix(b"\0").unwrap_or(carried).to_vec();
        match flag {
            b'L' => given.name = Some(name),
            b'K' => given.target = Some(name),
            b'x' => given.read_pax(carried),
            _ => {}
        }
        at = end.next_multiple_of(BLOCK);
        if ended {
            at = at.min(data.len());
        }
    }
}

impl Given {
    /// Records `LENGTH KEY=VALUE\n`.
    fn read_pax(&mut self, mut data: &[u8]) {
        while let Some(blank) = memchr::memchr(b' ', data) {
            let length = data
                .get(..blank)
                .and_then(|digits| std::str::from_utf8(digits).ok());
            let Some(length) = length.and_then(|digits| digits.parse::<usize>().ok()) else {
                return;
            };
            let Some(record) = data.get(blank + 1..length) else {
                return;
            };
            let record = record.strip_suffix(b"\n").unwrap_or(record);
            if let Some(equals) = memchr::memchr(b'=', record) {
                let (key, value) = record.split_at_checked(equals).unwrap_or_default();
                let value = value.get(1..).unwrap_or_default();
                let text = std::str::from_utf8(value).unwrap_or_default();
                match key {
                    b"path" => self.name = Some(value.to_vec()),
                    b"linkpath" => self.target = Some(value.to_vec()),
                    b"size" => self.size = text.parse().ok(),
                    b"mtime" => self.time = text.split('.').next().and_then(|text| text.parse().ok()),
                    _ => {}
                }
            }
            data = data.get(length..).unwrap_or_default();
        }
    }
}

fn member(block: &[u8], flag: u8, size: u64, given: Given) -> Member {
    let mut name = text(block, 0, 100);
    // The prefix of ustar; GNU's form has other things there.
    if block.get(257..263) == Some(b"ustar\0") {
        let prefix = text(block, 345, 155);
        if !prefix.is_empty() {
            name = [prefix.as_slice(), b"/", &name].concat();
        }
    }
    let name = given.name.unwrap_or(name);
    let kind = match flag {
        b'0' | 0 | b'7' if name.ends_with(b"/") => Kind::Directory,
        b'0' | 0 | b'7' => Kind::File,
        b'1' => Kind::HardLink,
        b'2' => Kind::SymbolicLink,
        b'5' => Kind::Directory,
        b'6' => Kind::Fifo,
        _ => Kind::Other,
    };
    let id = |at: usize| {
        number(block, at, 8)
            .and_then(|value| u32::try_from(value).ok())
            .unwrap_or(0)
    };
    Member {
        name,
        kind,
        target: given.target.unwrap_or_else(|| text(block, 157, 100)),
        // Links and directories have no data.
        size: if matches!(kind, Kind::File | Kind::Other) {
            size
        } else {
            0
        },
        mode: id(100) & 0o7777,
        uid: id(108),
        gid: id(116),
        user: text(block, 265, 32),
        group: text(block, 297, 32),
        time: given
            .time
            .unwrap_or_else(|| number(block, 136, 12).unwrap_or(0) as i64),
    }
}
