//! The directives about modules. They are read, so that what is wrong with them is said; no module is there to be found.

use super::ast::{Exp, Literal};
use super::lexer::{Kind, SyntaxError};
use super::parser::{Parsed, Parser};

impl Parser<'_> {
    /// `module {…};`, `import "path" as name {…};` and `include "path" {…};`: the first path.
    pub(super) fn directives(&mut self) -> Parsed<Option<String>> {
        let mut first = None;
        loop {
            let begin = self.start();
            let Kind::Keyword(word @ ("module" | "import" | "include")) = *self.peek() else {
                return Ok(first);
            };
            self.at += 1;
            if word != "module" {
                let place = self.start();
                let Exp::Literal(Literal::Text(path)) = self.primary()? else {
                    return Err(wrong_at("Import path must be constant", place));
                };
                first.get_or_insert(path);
            }
            if word == "import" {
                self.expect_keyword("as")?;
                self.accept("$");
                self.name("")?;
            }
            if !self.is_sign(";") {
                let metadata = self.term()?;
                if !is_constant(&metadata) {
                    return Err(wrong_at("Module metadata must be constant", begin));
                }
                if !matches!(metadata, Exp::Object(..)) {
                    return Err(wrong_at("Module metadata must be an object", begin));
                }
            }
            self.expect(";")?;
        }
    }
}

fn wrong_at(message: &str, start: usize) -> SyntaxError {
    SyntaxError {
        message: message.to_owned(),
        start,
        note: None,
    }
}

/// Literals, and arrays and objects of such.
fn is_constant(exp: &Exp) -> bool {
    match exp {
        Exp::Literal(_) => true,
        Exp::Array(items) => items.as_deref().is_none_or(is_constant),
        Exp::Comma(items) => items.iter().all(is_constant),
        Exp::Object(pairs, _) => pairs
            .iter()
            .all(|(key, value)| is_constant(key) && is_constant(value)),
        _ => false,
    }
}
