//! [`Characters`]: turns pieces of bytes into text, when a character may be cut in two by a piece's end.
//!
//! Bytes that are no characters become U+FFFD, as `String::from_utf8_lossy` does it for the whole.

/// Decodes a stream.
#[derive(Debug, Default)]
pub(super) struct Characters {
    /// The start of a character whose end has not come: at most three bytes.
    pending: Vec<u8>,
}

impl Characters {
    /// Appends the text of the next piece.
    pub(super) fn decode(&mut self, piece: &[u8], text: &mut String) {
        if self.pending.is_empty() {
            let kept = decode_whole(piece, text);
            self.pending
                .extend_from_slice(piece.get(kept..).unwrap_or_default());
            return;
        }
        let bytes = [std::mem::take(&mut self.pending).as_slice(), piece].concat();
        self.decode(&bytes, text);
    }

    /// Appends what is left at the end of the stream.
    pub(super) fn finish(&mut self, text: &mut String) {
        if !self.pending.is_empty() {
            text.push('\u{fffd}');
            self.pending.clear();
        }
    }
}

/// Appends all but a character that is cut at the end; says how many bytes that were.
fn decode_whole(bytes: &[u8], text: &mut String) -> usize {
    let mut done = 0;
    while let Some(rest) = bytes.get(done..).filter(|rest| !rest.is_empty()) {
        let error = match std::str::from_utf8(rest) {
            Ok(all) => {
                text.push_str(all);
                return bytes.len();
            }
            Err(error) => error,
        };
        let valid = rest.get(..error.valid_up_to()).unwrap_or_default();
        text.push_str(&String::from_utf8_lossy(valid));
        done += valid.len();
        let Some(broken) = error.error_len() else {
            return done;
        };
        text.push('\u{fffd}');
        done += broken;
    }
    done
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_give_what_the_whole_gives() {
        let samples: [&[u8]; 5] = [
            "a€𝄞é".as_bytes(),
            b"\xe2\x82",
            b"x\xff\xe2\x82y\xf0\x9d\x84",
            b"\xed\xa0\x80\xc0\xaf",
            b"",
        ];
        for bytes in samples {
            for size in 1..5 {
                let (mut characters, mut text) = (Characters::default(), String::new());
                for piece in bytes.chunks(size) {
                    characters.decode(piece, &mut text);
                }
                characters.finish(&mut text);
                assert_eq!(text, String::from_utf8_lossy(bytes), "{bytes:?} by {size}");
            }
        }
    }
}
