//! Operators of `find`: from words in a row to code, with the complaints of findutils' `tree.c`.
//!
//! `!` binds tightest, then `-a` (which stands between two tests when nothing does), `-o`, `,`. An expression without an action is put
//! into parentheses of its own and printed; some complaints tell whether those were met.

use super::predicate::Step;
use crate::stack;

/// The levels that parentheses and `!` may be nested to.
const DEPTH: usize = 2000;

/// What a word is to the grammar.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TokenKind {
    Test(usize),
    Not,
    And,
    Or,
    Comma,
    Open,
    Close,
}

/// A word of the expression.
#[derive(Debug, Clone)]
pub struct Token {
    pub kind: TokenKind,
    /// As written.
    pub name: Vec<u8>,
    /// Put in around the whole.
    pub artificial: bool,
}

/// How tightly operators bind.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Precedence {
    None,
    Comma,
    Or,
    And,
    Not,
}

impl Token {
    fn precedence(&self) -> Precedence {
        match self.kind {
            TokenKind::Test(_) | TokenKind::Open | TokenKind::Close => Precedence::None,
            TokenKind::Comma => Precedence::Comma,
            TokenKind::Or => Precedence::Or,
            TokenKind::And => Precedence::And,
            TokenKind::Not => Precedence::Not,
        }
    }

    fn is_operator(&self) -> bool {
        !matches!(self.kind, TokenKind::Test(_) | TokenKind::Open | TokenKind::Close)
    }
}

/// Appends a word; where two tests meet, `-a` goes between.
pub fn push(tokens: &mut Vec<Token>, token: Token) {
    let after_value = matches!(
        tokens.last().map(|last| last.kind),
        Some(TokenKind::Test(_) | TokenKind::Close)
    );
    let begins_value = matches!(token.kind, TokenKind::Test(_) | TokenKind::Open | TokenKind::Not);
    if after_value && begins_value {
        tokens.push(Token {
            kind: TokenKind::And,
            name: b"-a".to_vec(),
            artificial: false,
        });
    }
    tokens.push(token);
}

/// Turns words into code, or says what is wrong with them.
pub fn compile(tokens: &[Token]) -> Result<Vec<Step>, Vec<u8>> {
    let mut compiler = Compiler {
        tokens,
        next: 0,
        steps: Vec::new(),
        depth: 0,
    };
    compiler.expression(Precedence::None, None)?;
    match compiler.peek() {
        None => Ok(compiler.steps),
        Some(token) if token.kind == TokenKind::Close => Err(b"you have too many ')'".to_vec()),
        Some(token) => Err([b"unexpected extra predicate '", token.name.as_slice(), b"'"].concat()),
    }
}

struct Compiler<'t> {
    tokens: &'t [Token],
    next: usize,
    steps: Vec<Step>,
    depth: usize,
}

fn invalid() -> Vec<u8> {
    b"invalid expression".to_vec()
}

fn about(before: &str, token: Option<&Token>, after: &str) -> Vec<u8> {
    let name = token.map_or(&b""[..], |token| token.name.as_slice());
    [before.as_bytes(), name, after.as_bytes()].concat()
}

impl<'t> Compiler<'t> {
    fn peek(&self) -> Option<&'t Token> {
        self.tokens.get(self.next)
    }

    /// An operand, and operators after it that bind tighter than `level`.
    fn expression(&mut self, level: Precedence, previous: Option<&'t Token>) -> Result<(), Vec<u8>> {
        self.depth += 1;
        if self.depth > DEPTH || stack::is_low() {
            return Err(invalid());
        }
        self.operand(previous)?;
        while let Some(token) = self.peek().filter(|token| token.precedence() > level) {
            self.next += 1;
            let jump = self.steps.len();
            match token.kind {
                TokenKind::And => self.steps.push(Step::UnlessTrue(0)),
                TokenKind::Or => self.steps.push(Step::UnlessFalse(0)),
                TokenKind::Comma => {}
                _ => return Err(invalid()),
            }
            self.expression(token.precedence(), Some(token))?;
            let end = self.steps.len();
            match self.steps.get_mut(jump) {
                Some(Step::UnlessTrue(to)) if token.kind == TokenKind::And => *to = end,
                Some(Step::UnlessFalse(to)) if token.kind == TokenKind::Or => *to = end,
                _ => {}
            }
        }
        self.depth -= 1;
        Ok(())
    }

    fn operand(&mut self, previous: Option<&'t Token>) -> Result<(), Vec<u8>> {
        let token = self.peek().ok_or_else(invalid)?;
        match token.kind {
            TokenKind::And | TokenKind::Or | TokenKind::Comma => Err(about(
                "invalid expression; you have used a binary operator '",
                Some(token),
                "' with nothing before it.",
            )),
            TokenKind::Close if previous.is_some_and(Token::is_operator) && !token.artificial => {
                Err(about("expected an expression between '", previous, "' and ')'"))
            }
            TokenKind::Close if token.artificial => {
                Err(about("expected an expression after '", previous, "'"))
            }
            TokenKind::Close => Err(b"invalid expression; you have too many ')'".to_vec()),
            TokenKind::Test(index) => {
                self.next += 1;
                self.steps.push(Step::Test(index));
                Ok(())
            }
            TokenKind::Not => {
                self.next += 1;
                self.expression(Precedence::Not, Some(token))?;
                self.steps.push(Step::Not);
                Ok(())
            }
            TokenKind::Open => self.parenthesis(token),
        }
    }

    fn parenthesis(&mut self, open: &'t Token) -> Result<(), Vec<u8>> {
        self.next += 1;
        let inside = self.peek();
        if inside.is_none_or(|token| token.artificial) {
            return Err(about(
                "invalid expression; expected to find a ')' but didn't see one. Perhaps you need an extra predicate after '",
                Some(open),
                "'",
            ));
        }
        if inside.is_some_and(|token| token.kind == TokenKind::Close) {
            return Err(b"invalid expression; empty parentheses are not allowed.".to_vec());
        }
        self.expression(Precedence::None, Some(open))?;
        if self.peek().is_none_or(|token| token.kind != TokenKind::Close) {
            let line = "invalid expression; I was expecting to find a ')' somewhere but did not see one.";
            return Err(line.into());
        }
        self.next += 1;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn compile_words(words: &str) -> Result<Vec<Step>, String> {
        let mut tokens = Vec::new();
        for word in words.split(' ') {
            let kind = match word {
                "!" => TokenKind::Not,
                "-a" => TokenKind::And,
                "-o" => TokenKind::Or,
                "," => TokenKind::Comma,
                "(" => TokenKind::Open,
                ")" => TokenKind::Close,
                number => TokenKind::Test(number.parse().unwrap()),
            };
            let name = word.as_bytes().to_vec();
            push(
                &mut tokens,
                Token {
                    kind,
                    name,
                    artificial: false,
                },
            );
        }
        compile(&tokens).map_err(|error| String::from_utf8(error).unwrap())
    }

    #[test]
    fn precedence() {
        use Step::{Not, Test, UnlessFalse, UnlessTrue};
        assert_eq!(
            compile_words("0 1 -o ! 2 -a 3 , 4"),
            Ok(vec![
                Test(0),
                UnlessTrue(3),
                Test(1),
                UnlessFalse(8),
                Test(2),
                Not,
                UnlessTrue(8),
                Test(3),
                Test(4)
            ])
        );
    }

    #[test]
    fn complaints() {
        assert_eq!(compile_words("0 -o"), Err("invalid expression".to_owned()));
        assert_eq!(compile_words("0 ) 1"), Err("you have too many ')'".to_owned()));
        assert!(compile_words("( 0").unwrap_err().ends_with("did not see one."));
        let deep = "( ".repeat(5000) + "0";
        assert_eq!(compile_words(&deep), Err("invalid expression".to_owned()));
    }
}
