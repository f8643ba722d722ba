//! Globs as `git` reads them in its lists of ignored files: `*` stops at a slash and `**` does not. They become regular expressions.

use regex_automata::meta::{Config, Regex};
use regex_automata::util::syntax;

/// Options of a glob.
#[derive(Debug, Clone, Copy, Default)]
pub struct GlobOptions {
    /// Upper and lower case are the same.
    pub ignores_case: bool,
    /// `{a,b}` is a choice.
    pub braces: bool,
}

/// Compiles a glob that is compared with a whole path.
pub fn compile(glob: &[u8], options: GlobOptions) -> Option<Regex> {
    let expression = expression(glob, options)?;
    let syntax = syntax::Config::new()
        .utf8(false)
        .unicode(true)
        .dot_matches_new_line(true)
        .case_insensitive(options.ignores_case);
    Regex::builder()
        .configure(Config::new().utf8_empty(false).nfa_size_limit(Some(1 << 20)))
        .syntax(syntax)
        .build(&expression)
        .ok()
}

/// The glob as a regular expression.
fn expression(glob: &[u8], options: GlobOptions) -> Option<String> {
    let text = String::from_utf8(glob.to_vec()).ok()?;
    let mut result = String::from("^");
    let mut characters = text.chars().peekable();
    let mut depth = 0;
    let mut before = '/';
    while let Some(character) = characters.next() {
        match character {
            '*' if characters.peek() == Some(&'*') && before == '/' => {
                characters.next();
                match characters.peek() {
                    None => result.push_str(".*"),
                    Some('/') => {
                        characters.next();
                        result.push_str("(?:[^/]+/)*");
                        before = '/';
                        continue;
                    }
                    Some(_) => result.push_str("[^/]*"),
                }
            }
            '*' => result.push_str("[^/]*"),
            '?' => result.push_str("[^/]"),
            '[' => bracket(&mut characters, &mut result)?,
            '{' if options.braces => {
                depth += 1;
                result.push_str("(?:");
            }
            '}' if depth > 0 => {
                depth -= 1;
                result.push(')');
            }
            ',' if depth > 0 => result.push('|'),
            '\\' => literal(characters.next()?, &mut result),
            character => literal(character, &mut result),
        }
        before = character;
    }
    result.push('$');
    (depth == 0).then_some(result)
}

fn literal(character: char, result: &mut String) {
    if character.is_ascii() && !character.is_ascii_alphanumeric() {
        result.push('\\');
    }
    result.push(character);
}

/// `[a-z]`, `[!x]`.
fn bracket(characters: &mut std::iter::Peekable<std::str::Chars<'_>>, result: &mut String) -> Option<()> {
    result.push('[');
    if characters.next_if(|next| matches!(next, '!' | '^')).is_some() {
        result.push_str("^/");
    }
    let mut first = true;
    loop {
        let character = characters.next()?;
        match character {
            ']' if !first => break,
            '-' => result.push('-'),
            character => literal(character, result),
        }
        first = false;
    }
    result.push(']');
    Some(())
}
