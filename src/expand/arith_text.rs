//! The text of arithmetic whose shape its expansions change: bash expands what stands in subscripts apart.
//!
//! What comes out of an expansion between the brackets of `name[…]` gets backslashes, so that it is one subscript whatever it holds, and no
//! code. An index with backslashes in it is no number, which is bash's answer to that.

use super::host::{ExpandHost, Failure};
use super::{Mode, word};
use crate::syntax::ast::{Part, Word};

type Outcome<T, H> = Result<T, Failure<<H as ExpandHost>::Divert>>;

/// Expands an arithmetic text.
pub async fn text<H: ExpandHost>(host: &mut H, written: &Word) -> Outcome<Vec<u8>, H> {
    let Some(pieces) = pieces(written) else {
        return word::text(host, written, Mode::Single).await;
    };
    let mut whole = Vec::new();
    for piece in &pieces {
        let text = word::text(host, &piece.word, Mode::Single).await?;
        piece.add(&text, &mut whole);
    }
    Ok(whole)
}

/// The same for a pure one.
pub fn text_now<H: ExpandHost>(host: &mut H, written: &Word) -> Outcome<Vec<u8>, H> {
    let Some(pieces) = pieces(written) else {
        return word::text_now(host, written, Mode::Single);
    };
    let mut whole = Vec::new();
    for piece in &pieces {
        let text = word::text_now(host, &piece.word, Mode::Single)?;
        piece.add(&text, &mut whole);
    }
    Ok(whole)
}

/// A part of the text, as a word of its own.
struct Piece {
    word: Word,
    /// It is expanded inside of a subscript.
    quoted: bool,
}

impl Piece {
    fn add(&self, text: &[u8], whole: &mut Vec<u8>) {
        for byte in text {
            if self.quoted && b"[]$`~\\'\"".contains(byte) {
                whole.push(b'\\');
            }
            whole.push(*byte);
        }
    }
}

/// The parts, when one of them is expanded in a subscript.
fn pieces(written: &Word) -> Option<Vec<Piece>> {
    let is_literal = |part: &Part| matches!(part, Part::Literal(_));
    let opens = |part: &Part| matches!(part, Part::Literal(text) if text.contains(&b'['));
    if !written.parts.iter().any(opens) || written.parts.iter().all(is_literal) {
        return None;
    }
    let (mut depth, mut before) = (0_usize, 0);
    let mut pieces = Vec::with_capacity(written.parts.len());
    for part in &written.parts {
        match part {
            Part::Literal(text) => scan(text, &mut depth, &mut before),
            _ => before = 0,
        }
        let word = Word {
            parts: vec![part.clone()],
            pure: written.pure,
            ..Word::default()
        };
        let quoted = depth > 0 && !is_literal(part);
        pieces.push(Piece { word, quoted });
    }
    pieces.iter().any(|piece| piece.quoted).then_some(pieces)
}

/// Follows the brackets of subscripts through literal text.
fn scan(text: &[u8], depth: &mut usize, before: &mut u8) {
    for byte in text {
        match byte {
            b'[' if *depth > 0 || before.is_ascii_alphanumeric() || *before == b'_' => *depth += 1,
            b']' => *depth = depth.saturating_sub(1),
            _ => {}
        }
        *before = *byte;
    }
}
