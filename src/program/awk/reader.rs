//! Input to records, by RS.

use crate::fs::Errno;
use crate::kernel::{Input, Lease};
use crate::pattern::Regex;

/// What ends a record.
#[derive(Debug, Clone)]
pub enum Separator {
    Byte(u8),
    /// Empty lines, with those at the start left out.
    Paragraph,
    Regex(Regex),
}

/// Reads records.
#[derive(Debug)]
pub struct Reader {
    input: Input,
    lease: Lease,
    /// What ended the last record.
    pub terminator: Vec<u8>,
}

impl Reader {
    /// Reads from `input`; the lease holds what is buffered.
    pub fn new(input: Input, lease: Lease) -> Reader {
        Reader {
            input,
            lease,
            terminator: Vec::new(),
        }
    }

    /// What is buffered goes back to a file that others may read on.
    pub fn give_back(&mut self) {
        self.input.give_back();
    }

    async fn fill(&mut self) -> Result<bool, Errno> {
        let more = self.input.fill().await?;
        self.lease
            .resize(self.input.buffered().len())
            .map_err(|_| Errno::ENOMEM)?;
        Ok(more)
    }

    /// The next record, in place of what `record` holds; `false` at the end.
    pub async fn read(&mut self, separator: &Separator, record: &mut Vec<u8>) -> Result<bool, Errno> {
        record.clear();
        match separator {
            Separator::Byte(byte) => self.until_byte(*byte, record).await,
            Separator::Paragraph => self.paragraph(record).await,
            Separator::Regex(regex) => self.until_match(regex, record).await,
        }
    }

    async fn until_byte(&mut self, byte: u8, record: &mut Vec<u8>) -> Result<bool, Errno> {
        self.terminator.clear();
        let mut searched = 0;
        loop {
            let buffered = self.input.buffered();
            if let Some(at) = memchr::memchr(byte, buffered.get(searched..).unwrap_or_default()) {
                let end = searched + at;
                record.extend_from_slice(buffered.get(..end).unwrap_or_default());
                self.terminator.push(byte);
                self.input.consume(end + 1);
                return Ok(true);
            }
            searched = buffered.len();
            if !self.fill().await? {
                return Ok(self.rest(record));
            }
        }
    }

    /// What is left is the last record, if it is anything.
    fn rest(&mut self, record: &mut Vec<u8>) -> bool {
        self.terminator.clear();
        let length = self.input.buffered().len();
        record.extend_from_slice(self.input.buffered());
        self.input.consume(length);
        length > 0
    }

    async fn paragraph(&mut self, record: &mut Vec<u8>) -> Result<bool, Errno> {
        loop {
            let newlines = self
                .input
                .buffered()
                .iter()
                .take_while(|byte| **byte == b'\n')
                .count();
            self.input.consume(newlines);
            if !self.input.buffered().is_empty() {
                break;
            }
            if !self.fill().await? {
                self.terminator.clear();
                return Ok(false);
            }
        }
        let mut searched = 0;
        loop {
            let buffered = self.input.buffered();
            let found = memchr::memmem::find(buffered.get(searched..).unwrap_or_default(), b"\n\n");
            if let Some(at) = found {
                let end = searched + at;
                let rest = buffered.get(end..).unwrap_or_default();
                let newlines = rest.iter().take_while(|byte| **byte == b'\n').count();
                // All the newlines belong to the separator, so the block must show where they end.
                if end + newlines < buffered.len() || !self.fill().await? {
                    let buffered = self.input.buffered();
                    record.extend_from_slice(buffered.get(..end).unwrap_or_default());
                    self.terminator = vec![b'\n'; newlines];
                    self.input.consume(end + newlines);
                    return Ok(true);
                }
                searched = end;
                continue;
            }
            searched = buffered.len().saturating_sub(1);
            if !self.fill().await? {
                let found = self.rest(record);
                if record.last() == Some(&b'\n') {
                    record.pop();
                    self.terminator = b"\n".to_vec();
                }
                return Ok(found);
            }
        }
    }

    async fn until_match(&mut self, regex: &Regex, record: &mut Vec<u8>) -> Result<bool, Errno> {
        let mut from = 0;
        loop {
            let buffered = self.input.buffered();
            // A search that takes too long finds nothing.
            match regex.find_at(buffered, from).unwrap_or(None) {
                Some((start, end)) if start == end => {
                    from = end + 1;
                    if from <= buffered.len() {
                        continue;
                    }
                }
                Some((start, end)) if end < buffered.len() => {
                    record.extend_from_slice(buffered.get(..start).unwrap_or_default());
                    self.terminator = buffered.get(start..end).unwrap_or_default().to_vec();
                    self.input.consume(end);
                    return Ok(true);
                }
                // It may go on in the next block.
                Some((start, _)) => from = start,
                // So may one that has only begun; most are short.
                None => from = from.max(buffered.len().saturating_sub(4096)),
            }
            if !self.fill().await? {
                let buffered = self.input.buffered();
                if let Ok(Some((start, end))) = regex.find_at(buffered, from)
                    && start < end
                {
                    record.extend_from_slice(buffered.get(..start).unwrap_or_default());
                    self.terminator = buffered.get(start..end).unwrap_or_default().to_vec();
                    self.input.consume(end);
                    return Ok(true);
                }
                return Ok(self.rest(record));
            }
        }
    }
}
