//! Content codings of HTTP that are undone while a body comes in: `gzip` and `deflate`.

use std::io::{self, Write};

use flate2::write::{DeflateDecoder, GzDecoder, ZlibDecoder};

/// Bytes that go in at once, so that what comes out (up to a thousand times as much) can be counted in between.
pub const STEP: usize = 1 << 10;

/// Undoes a coding, piece by piece.
pub struct Decoder(State);

enum State {
    Gzip(Box<GzDecoder<Vec<u8>>>),
    /// Nothing came yet.
    Deflate,
    Zlib(Box<ZlibDecoder<Vec<u8>>>),
    /// Some servers leave the frame of zlib out.
    Raw(Box<DeflateDecoder<Vec<u8>>>),
}

impl Decoder {
    /// For a `Content-Encoding`; none for those that are not known here.
    pub fn named(name: &[u8]) -> Option<Decoder> {
        match name.to_ascii_lowercase().as_slice() {
            b"gzip" | b"x-gzip" => Some(Decoder(State::Gzip(Box::new(GzDecoder::new(Vec::new()))))),
            b"deflate" => Some(Decoder(State::Deflate)),
            _ => None,
        }
    }

    /// What some bytes, at most [`STEP`], come to.
    pub fn decode(&mut self, piece: &[u8]) -> io::Result<Vec<u8>> {
        if let (State::Deflate, Some(first)) = (&self.0, piece.first()) {
            // The frame of zlib names the method in the lower half of its first byte.
            self.0 = if first & 15 == 8 {
                State::Zlib(Box::new(ZlibDecoder::new(Vec::new())))
            } else {
                State::Raw(Box::new(DeflateDecoder::new(Vec::new())))
            };
        }
        match &mut self.0 {
            State::Deflate => Ok(Vec::new()),
            State::Gzip(decoder) => drained(piece, decoder.as_mut(), GzDecoder::get_mut),
            State::Zlib(decoder) => drained(piece, decoder.as_mut(), ZlibDecoder::get_mut),
            State::Raw(decoder) => drained(piece, decoder.as_mut(), DeflateDecoder::get_mut),
        }
    }
}

fn drained<W: Write>(
    mut piece: &[u8],
    decoder: &mut W,
    out: fn(&mut W) -> &mut Vec<u8>,
) -> io::Result<Vec<u8>> {
    while !piece.is_empty() {
        match decoder.write(piece)? {
            // What follows the end is no part of it.
            0 => break,
            taken => piece = piece.get(taken..).unwrap_or_default(),
        }
    }
    decoder.flush()?;
    Ok(std::mem::take(out(decoder)))
}
