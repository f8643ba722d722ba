//! Open files: what a descriptor refers to. The position lives here, so that everyone who shares a descriptor shares it.

use std::sync::{Arc, Mutex};
use std::task::{Context, Poll};

use super::pipe::{Pipe, PipeReader, PipeWriter};
use super::{Halt, Kernel, Lease, lock};
use crate::fs::{Device, Errno, FileKind, Metadata, OpenFlags, OpenNode, Timestamp};

/// Where a host takes what a run writes.
pub trait HostSink: Send + Sync {
    /// Takes bytes. Must not block for long.
    fn write(&self, data: &[u8]);
}

/// Where a host lets a run read from.
pub trait HostSource: Send + Sync {
    /// At most `max` bytes; empty at the end.
    fn poll_read(&self, cx: &mut Context<'_>, max: usize) -> Poll<Vec<u8>>;
}

/// The buffer of a named pipe, shared by all that have it open.
#[derive(Debug)]
pub struct FifoPipe(Pipe);

enum Kind {
    Node(OpenNode),
    Directory(OpenNode),
    Reader(PipeReader),
    Writer(PipeWriter),
    Fifo {
        reader: Option<PipeReader>,
        writer: Option<PipeWriter>,
        node: OpenNode,
        _keep: Arc<FifoPipe>,
    },
    Device(Device),
    /// Bytes given at the start, with a position.
    Bytes(Arc<[u8]>),
    Sink(Arc<dyn HostSink>),
    Source(Arc<dyn HostSource>, Mutex<Vec<u8>>),
    /// Collects everything; for command substitution.
    Collector(Mutex<(Vec<u8>, Lease)>),
}

/// An open file description.
pub struct File {
    kernel: Kernel,
    kind: Kind,
    flags: OpenFlags,
    offset: Mutex<u64>,
    /// The inode number that `fstat` shows when no tree has the file; both ends of a pipe have the same.
    serial: u64,
    /// The share of the run's memory of what it holds itself.
    _lease: Option<Lease>,
}

impl std::fmt::Debug for File {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("File")
            .field("flags", &self.flags)
            .finish_non_exhaustive()
    }
}

/// What `fstat` answers for a file that is in no tree.
fn anonymous(kind: FileKind, mode: u32, size: u64, inode: u64, now: Timestamp) -> Metadata {
    Metadata {
        kind,
        mode,
        nlink: 1,
        uid: 0,
        gid: 0,
        size,
        blocks: 0,
        device: 13,
        inode,
        rdev: (0, 0),
        atime: now,
        mtime: now,
        ctime: now,
        btime: now,
    }
}

/// Most bytes one read takes from a file.
const BLOCK: usize = 64 << 10;

/// Most bytes of a line that is read at once.
const LINE: usize = 16 << 10;

/// Copies the line at `offset` into an empty buffer; its length, unless it is long or cannot be read.
fn line_of_node(node: &OpenNode, offset: u64, into: &mut Vec<u8>) -> Option<usize> {
    // Small blocks first: most lines are short.
    let mut block = 128;
    while into.len() < LINE {
        let start = into.len();
        into.resize(start + block, 0);
        let room = into.get_mut(start..).unwrap_or_default();
        let count = node.read_at(offset + start as u64, room).ok()?;
        let fresh = room.get(..count).unwrap_or_default();
        let newline = memchr::memchr(b'\n', fresh);
        into.truncate(start + newline.map_or(count, |i| i + 1));
        if newline.is_some() || count == 0 {
            return Some(into.len());
        }
        block *= 2;
    }
    None
}

impl File {
    fn make(kernel: &Kernel, kind: Kind, flags: OpenFlags) -> File {
        File {
            kernel: kernel.clone(),
            kind,
            flags,
            offset: Mutex::new(0),
            serial: kernel.next_serial(),
            _lease: None,
        }
    }

    /// Both ends of a pipe.
    pub(super) fn pipe_ends(kernel: &Kernel, reader: PipeReader, writer: PipeWriter) -> (File, File) {
        let reader = File::make(kernel, Kind::Reader(reader), OpenFlags::READ);
        let writer = File {
            serial: reader.serial,
            ..File::make(kernel, Kind::Writer(writer), OpenFlags::WRITE)
        };
        (reader, writer)
    }

    /// A regular file.
    pub fn node(kernel: &Kernel, node: OpenNode, flags: OpenFlags) -> File {
        File::make(kernel, Kind::Node(node), flags)
    }

    /// A regular file opened once more, with an offset of its own; `None` for what has no other opening (pipes, devices, texts).
    pub(super) fn reopened(&self, flags: OpenFlags) -> Result<Option<File>, Errno> {
        let Kind::Node(node) = &self.kind else {
            return Ok(None);
        };
        if flags.write && flags.truncate {
            node.truncate(0, self.kernel.now())?;
        }
        Ok(Some(File::node(&self.kernel, node.again(), flags)))
    }

    /// A directory: can be named, not read.
    pub fn directory(kernel: &Kernel, node: OpenNode) -> File {
        File::make(kernel, Kind::Directory(node), OpenFlags::READ)
    }

    /// A device that needs no process.
    pub fn device(kernel: &Kernel, device: Device, flags: OpenFlags) -> File {
        File::make(kernel, Kind::Device(device), flags)
    }

    /// Bytes to read, as from a file.
    pub fn bytes(kernel: &Kernel, bytes: Arc<[u8]>) -> File {
        File::make(kernel, Kind::Bytes(bytes), OpenFlags::READ)
    }

    /// The text of a here-document: bytes to read that count against the run's memory.
    pub fn here_document(kernel: &Kernel, text: Vec<u8>) -> Result<File, Halt> {
        let mut lease = kernel.lease();
        lease.resize(text.len())?;
        Ok(File {
            _lease: Some(lease),
            ..File::bytes(kernel, text.into())
        })
    }

    /// Writes go to the host.
    pub fn sink(kernel: &Kernel, sink: Arc<dyn HostSink>) -> File {
        File::make(kernel, Kind::Sink(sink), OpenFlags::WRITE)
    }

    /// Reads come from the host.
    pub fn source(kernel: &Kernel, source: Arc<dyn HostSource>) -> File {
        File::make(kernel, Kind::Source(source, Mutex::default()), OpenFlags::READ)
    }

    /// Collects what is written; see [`File::take_collected`].
    pub fn collector(kernel: &Kernel) -> File {
        File::make(
            kernel,
            Kind::Collector(Mutex::new((Vec::new(), kernel.lease()))),
            OpenFlags::WRITE,
        )
    }

    /// What a collector has.
    pub fn take_collected(&self) -> Vec<u8> {
        match &self.kind {
            Kind::Collector(collected) => {
                let mut collected = lock(collected);
                collected.1.set(0);
                std::mem::take(&mut collected.0)
            }
            _ => Vec::new(),
        }
    }

    /// Opens a named pipe, waiting for the other side as POSIX demands.
    pub async fn open_fifo(kernel: &Kernel, node: OpenNode, flags: OpenFlags) -> File {
        let keep = {
            let mut fifos = lock(&kernel.inner.fifos);
            fifos.retain(|_, pipe| pipe.strong_count() > 0);
            let id = node.id();
            fifos
                .get(&id)
                .and_then(std::sync::Weak::upgrade)
                .unwrap_or_else(|| {
                    let capacity =
                        kernel.inner.pipe_bytes.load(std::sync::atomic::Ordering::Relaxed) as usize;
                    let pipe = Arc::new(FifoPipe(Pipe::new(capacity, kernel.lease())));
                    fifos.insert(id, Arc::downgrade(&pipe));
                    pipe
                })
        };
        let pipe = keep.0.clone();
        let reader = flags.read.then(|| pipe.reader());
        let writer = flags.write.then(|| pipe.writer());
        if !(flags.read && flags.write) {
            pipe.wait_for_peer(flags.read).await;
        }
        File::make(
            kernel,
            Kind::Fifo {
                reader,
                writer,
                node,
                _keep: keep,
            },
            flags,
        )
    }

    fn read_pipe(&self) -> Option<&Pipe> {
        match &self.kind {
            Kind::Reader(reader) => Some(reader.pipe()),
            Kind::Fifo {
                reader: Some(reader), ..
            } => Some(reader.pipe()),
            _ => None,
        }
    }

    fn write_pipe(&self) -> Option<&Pipe> {
        match &self.kind {
            Kind::Writer(writer) => Some(writer.pipe()),
            Kind::Fifo {
                writer: Some(writer), ..
            } => Some(writer.pipe()),
            _ => None,
        }
    }

    /// Reads what there is without waiting: `None` when a reader must wait, `Ok(0)` at the end.
    pub fn try_read(&self, into: &mut Vec<u8>, max: usize) -> Option<Result<usize, Errno>> {
        if !self.flags.read {
            return Some(Err(Errno::EBADF));
        }
        if let Some(pipe) = self.read_pipe() {
            let count = pipe.try_read(into, max)?;
            return Some(self.charge(count));
        }
        let result = match &self.kind {
            Kind::Source(_, buffer) => {
                let mut buffer = lock(buffer);
                if buffer.is_empty() {
                    return None;
                }
                let count = buffer.len().min(max);
                into.extend(buffer.drain(..count));
                Ok(count)
            }
            Kind::Node(node) => {
                let mut offset = lock(&self.offset);
                let start = into.len();
                into.resize(start + max.min(BLOCK), 0);
                let result = node.read_at(*offset, into.get_mut(start..).unwrap_or_default());
                into.truncate(start + *result.as_ref().unwrap_or(&0));
                *offset += *result.as_ref().unwrap_or(&0) as u64;
                result
            }
            Kind::Bytes(bytes) => {
                let mut offset = lock(&self.offset);
                let rest = bytes.get(*offset as usize..).unwrap_or_default();
                let taken = rest.get(..rest.len().min(max)).unwrap_or_default();
                into.extend_from_slice(taken);
                *offset += taken.len() as u64;
                Ok(taken.len())
            }
            Kind::Device(device) => self.read_device(*device, into, max.min(BLOCK)),
            Kind::Directory(_) => Err(Errno::EISDIR),
            _ => Err(Errno::EBADF),
        };
        Some(result.and_then(|count| self.charge(count)))
    }

    fn read_device(&self, device: Device, into: &mut Vec<u8>, max: usize) -> Result<usize, Errno> {
        match device {
            Device::Null => Ok(0),
            Device::Zero | Device::Full => {
                into.resize(into.len() + max, 0);
                Ok(max)
            }
            Device::Random => {
                let start = into.len();
                into.resize(start + max, 0);
                self.kernel.fill_random(into.get_mut(start..).unwrap_or_default());
                Ok(max)
            }
            _ => Err(Errno::EIO),
        }
    }

    /// An empty lease on the run's memory.
    pub(super) fn lease(&self) -> Lease {
        self.kernel.lease()
    }

    /// Charges what a program does with what it read.
    pub fn charge_work(&self, units: u64) -> Result<(), Errno> {
        self.kernel.meter().charge(units).map_err(|_| Errno::EIO)
    }

    fn charge(&self, bytes: usize) -> Result<usize, Errno> {
        self.kernel.meter().charge_bytes(bytes).map_err(|_| Errno::EIO)?;
        Ok(bytes)
    }

    /// Reads at least one byte and at most `max`, appending to `into`; 0 at the end.
    pub async fn read(&self, into: &mut Vec<u8>, max: usize) -> Result<usize, Errno> {
        if self.kernel.meter().slice_spent() {
            super::yield_now().await;
        }
        if let Some(result) = self.try_read(into, max) {
            return result;
        }
        if let Some(pipe) = self.read_pipe() {
            let count = pipe.read(into, max).await;
            return self.charge(count);
        }
        if let Kind::Source(..) = &self.kind {
            self.fill_source(max).await;
            return self.try_read(into, max).unwrap_or(Ok(0));
        }
        Ok(0)
    }

    async fn fill_source(&self, max: usize) {
        if let Kind::Source(source, buffer) = &self.kind {
            let read = std::future::poll_fn(|cx| source.poll_read(cx, max.min(BLOCK)));
            let data = self.kernel.host_call(read).await;
            lock(buffer).extend(data);
        }
    }

    /// Reads bytes up to and including `delimiter`, at most `max`, and nothing behind it: appends to `into` and says
    /// how many. Ends early at the end of the input.
    pub async fn read_until(&self, into: &mut Vec<u8>, delimiter: u8, max: usize) -> Result<usize, Errno> {
        let start = into.len();
        loop {
            let before = into.len();
            let room = max - (before - start);
            if room == 0 {
                return Ok(max);
            }
            let count = self.read_piece(into, delimiter, room).await?;
            if count == 0 || into.last() == Some(&delimiter) {
                return Ok(into.len() - start);
            }
        }
    }

    /// Reads a line, its newline with it, where that needs no waiting and the line is not long; at the end of the input, nothing.
    /// Unless `raw`, a line with a backslash is left alone, since it may go on in the next one. `false`: nothing was read.
    pub fn read_line_now(&self, into: &mut Vec<u8>, raw: bool) -> bool {
        if !self.flags.read {
            return false;
        }
        if let Some(pipe) = self.read_pipe() {
            return pipe.try_read_line(into, raw);
        }
        let mut offset = lock(&self.offset);
        let length = match &self.kind {
            Kind::Node(node) => line_of_node(node, *offset, into),
            Kind::Bytes(bytes) => {
                let rest = bytes.get(*offset as usize..).unwrap_or_default();
                let near = rest.get(..LINE).unwrap_or(rest);
                let length = memchr::memchr(b'\n', near).map(|i| i + 1);
                let length = length.or_else(|| (near.len() == rest.len()).then_some(rest.len()));
                into.extend_from_slice(near.get(..length.unwrap_or(0)).unwrap_or_default());
                length
            }
            _ => None,
        };
        let Some(length) = length.filter(|_| raw || memchr::memchr(b'\\', into).is_none()) else {
            into.clear();
            return false;
        };
        *offset += length as u64;
        true
    }

    async fn read_piece(&self, into: &mut Vec<u8>, delimiter: u8, room: usize) -> Result<usize, Errno> {
        if let Some(pipe) = self.read_pipe() {
            if !self.flags.read {
                return Err(Errno::EBADF);
            }
            loop {
                if let Some(count) = pipe.try_read_until(into, delimiter, room) {
                    return self.charge(count);
                }
                std::future::poll_fn(|cx| pipe.poll_readable(cx)).await;
            }
        }
        if let Kind::Source(_, buffer) = &self.kind {
            if lock(buffer).is_empty() {
                self.fill_source(BLOCK).await;
            }
            let mut buffer = lock(buffer);
            let end = memchr::memchr(delimiter, &buffer)
                .map_or(buffer.len(), |i| i + 1)
                .min(room);
            into.extend(buffer.drain(..end));
            return Ok(end);
        }
        let before = into.len();
        // Small blocks first: most lines are short, and the rest is given back.
        let count = self.try_read(into, room.min(512)).unwrap_or(Ok(0))?;
        let fresh = into.get(before..).unwrap_or_default();
        if let Some(i) = memchr::memchr(delimiter, fresh) {
            let kept = i + 1;
            if self.is_seekable() {
                *lock(&self.offset) -= (count - kept) as u64;
            }
            into.truncate(before + kept);
            return Ok(kept);
        }
        Ok(count)
    }

    /// Writes without waiting: how many bytes were taken; fewer than given only when a pipe is full.
    pub fn try_write(&self, data: &[u8]) -> Result<usize, Errno> {
        if !self.flags.write {
            return Err(Errno::EBADF);
        }
        if let Some(pipe) = self.write_pipe() {
            let count = pipe.try_write(data)?;
            return self.charge(count);
        }
        match &self.kind {
            Kind::Node(node) => self.write_node(node, data)?,
            Kind::Sink(sink) => {
                let allowed = self.kernel.meter().charge_output(data.len());
                sink.write(data.get(..allowed).unwrap_or(data));
            }
            Kind::Collector(collected) => {
                let mut collected = lock(collected);
                let size = collected.0.len() + data.len();
                collected.1.resize(size).map_err(|_| Errno::ENOMEM)?;
                collected.0.extend_from_slice(data);
            }
            Kind::Device(Device::Null | Device::Zero | Device::Random) => {}
            Kind::Device(Device::Full) if !data.is_empty() => return Err(Errno::ENOSPC),
            Kind::Device(_) => {}
            _ => return Err(Errno::EBADF),
        }
        self.charge(data.len())
    }

    fn write_node(&self, node: &OpenNode, data: &[u8]) -> Result<(), Errno> {
        let now = self.kernel.now();
        let mut offset = lock(&self.offset);
        if self.flags.append {
            *offset = node.append(data, now)?.1;
            return Ok(());
        }
        let mut rest = data;
        while !rest.is_empty() {
            let count = node.write_at(*offset, rest, now)?;
            if count == 0 {
                return Err(Errno::EIO);
            }
            *offset += count as u64;
            rest = rest.get(count..).unwrap_or_default();
        }
        Ok(())
    }

    /// Writes everything, waiting where a pipe is full. `EPIPE` when nobody reads it any more.
    pub async fn write_all(&self, data: &[u8]) -> Result<(), Errno> {
        if self.kernel.meter().slice_spent() {
            super::yield_now().await;
        }
        let count = self.try_write(data)?;
        if count == data.len() {
            return Ok(());
        }
        let Some(pipe) = self.write_pipe() else {
            return Err(Errno::EIO);
        };
        let rest = data.get(count..).unwrap_or_default();
        pipe.write_all(rest).await?;
        self.charge(rest.len()).map(drop)
    }

    /// The position can be moved.
    pub fn is_seekable(&self) -> bool {
        matches!(self.kind, Kind::Node(_) | Kind::Bytes(_))
    }

    /// The position, in bytes.
    pub fn offset(&self) -> u64 {
        *lock(&self.offset)
    }

    /// Moves the position of a seekable file; `ESPIPE` elsewhere.
    pub fn seek(&self, offset: u64) -> Result<(), Errno> {
        if !self.is_seekable() {
            return Err(Errno::ESPIPE);
        }
        *lock(&self.offset) = offset;
        Ok(())
    }

    /// The node behind it, when it came from the tree.
    pub fn open_node(&self) -> Option<&OpenNode> {
        match &self.kind {
            Kind::Node(node) | Kind::Directory(node) | Kind::Fifo { node, .. } => Some(node),
            _ => None,
        }
    }

    /// What `fstat` answers.
    pub fn metadata(&self) -> Result<Metadata, Errno> {
        if let Some(node) = self.open_node() {
            return node.metadata();
        }
        let (kind, mode) = match &self.kind {
            Kind::Device(_) => (FileKind::CharDevice, 0o666),
            Kind::Bytes(_) => (FileKind::Regular, 0o600),
            _ => (FileKind::Fifo, 0o600),
        };
        let size = if let Kind::Bytes(bytes) = &self.kind {
            bytes.len() as u64
        } else {
            0
        };
        Ok(anonymous(kind, mode, size, self.serial, self.kernel.now()))
    }

    /// How it was opened.
    pub fn flags(&self) -> OpenFlags {
        self.flags
    }

    /// A read would not wait.
    pub fn is_readable(&self) -> bool {
        match &self.kind {
            Kind::Source(_, buffer) => !lock(buffer).is_empty(),
            _ => self.read_pipe().is_none_or(Pipe::readable),
        }
    }

    /// It is the writing end of a pipe that nobody reads any more.
    pub fn has_no_reader(&self) -> bool {
        self.write_pipe().is_some_and(Pipe::has_no_reader)
    }

    /// What `readlink /proc/self/fd/N` shows.
    pub fn description(&self) -> Vec<u8> {
        match &self.kind {
            Kind::Device(Device::Null) => b"/dev/null".to_vec(),
            Kind::Device(Device::Zero) => b"/dev/zero".to_vec(),
            Kind::Device(Device::Full) => b"/dev/full".to_vec(),
            Kind::Device(Device::Random) => b"/dev/urandom".to_vec(),
            _ => self.open_node().map_or_else(
                || format!("pipe:[{}]", self.serial).into_bytes(),
                |node| node.path().to_vec(),
            ),
        }
    }
}
