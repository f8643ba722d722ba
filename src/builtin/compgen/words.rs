//! Words that a list, a function or a command gives.

use super::expand;
use crate::interp::{Flow, Interp, Set};
use crate::syntax::ast::{Command, Word};

/// `-W`: split by `IFS` outside of quotes, then each word is expanded.
pub(super) async fn split(interp: &mut Interp, list: &[u8]) -> Flow<Vec<Vec<u8>>> {
    let separators = interp.scalar(b"IFS").unwrap_or_else(|| b" \t\n".to_vec());
    let mut found = Vec::new();
    for piece in pieces(list, &separators) {
        let Some(word) = parse_word(&piece) else { continue };
        found.extend(fields(interp, &word).await?);
    }
    Ok(found)
}

/// Expands and splits a word; paths are not looked for.
async fn fields(interp: &mut Interp, word: &Word) -> Flow<Vec<Vec<u8>>> {
    let noglob = interp.options.is(Set::Noglob);
    interp.options.set(Set::Noglob, true);
    let mut fields = Vec::new();
    let expanded = crate::expand::word::fields(interp, std::slice::from_ref(word), &mut fields).await;
    interp.options.set(Set::Noglob, noglob);
    match expanded {
        Ok(()) => Ok(fields),
        Err(failure) => Err(interp.fail_expansion(failure)),
    }
}

/// The pieces between separators; quotes, backslashes and `$( )` keep theirs.
fn pieces(list: &[u8], separators: &[u8]) -> Vec<Vec<u8>> {
    let mut pieces = Vec::new();
    let mut piece = Vec::new();
    let mut quote = 0;
    let mut depth = 0_u32;
    let mut bytes = list.iter().copied();
    while let Some(byte) = bytes.next() {
        if quote == 0 && depth == 0 && separators.contains(&byte) {
            if !piece.is_empty() {
                pieces.push(std::mem::take(&mut piece));
            }
            continue;
        }
        match byte {
            b'\\' if quote != b'\'' => {
                piece.push(byte);
                piece.extend(bytes.next());
                continue;
            }
            b'\'' | b'"' | b'`' if quote == 0 => quote = byte,
            byte if byte == quote => quote = 0,
            b'(' if quote == 0 && (depth > 0 || piece.last() == Some(&b'$')) => depth += 1,
            b')' if quote == 0 && depth > 0 => depth -= 1,
            b' ' | b'\t' | b'\n' | b';' | b'&' | b'|' | b'<' | b'>' | b'(' | b')'
                if quote == 0 && depth == 0 =>
            {
                // Not special in a list.
                piece.push(b'\'');
                piece.push(byte);
                piece.push(b'\'');
                continue;
            }
            _ => {}
        }
        piece.push(byte);
    }
    if !piece.is_empty() {
        pieces.push(piece);
    }
    pieces
}

/// Reads one word of the language.
fn parse_word(text: &[u8]) -> Option<Word> {
    let source = [b": ", text].concat();
    let lists = crate::syntax::parse_all(&source, &()).ok()?;
    let item = lists.first()?.items.first()?;
    match item.and_or.first.commands.first()? {
        Command::Simple(simple) => simple.words.get(1).cloned(),
        _ => None,
    }
}

/// `-F`: the function is called as for a completion, and leaves its answer in `COMPREPLY`.
pub(super) async fn from_function(interp: &mut Interp, function: &[u8], prefix: &[u8]) -> Flow<Vec<Vec<u8>>> {
    if !interp.functions.contains_key(function) {
        interp.error([b"completion: function `", function, b"' not found"].concat());
        return Ok(Vec::new());
    }
    for (name, value) in [
        ("COMP_LINE", ""),
        ("COMP_POINT", "0"),
        ("COMP_TYPE", "0"),
        ("COMP_KEY", "0"),
        ("COMP_CWORD", "-1"),
    ] {
        interp.vars.set_raw(name.as_bytes(), value.as_bytes());
    }
    interp.set_array(b"COMP_WORDS", [])?;
    interp.vars.unset(b"COMPREPLY");
    let args = vec![
        function.to_vec(),
        b"compgen".to_vec(),
        prefix.to_vec(),
        Vec::new(),
    ];
    interp.run_words(args).await?;
    let reply = interp.value_of(b"COMPREPLY");
    let found = reply.map(|value| value.elements()).unwrap_or_default();
    let found = found.iter().map(|text| text.to_vec()).collect();
    for name in [
        "COMP_LINE",
        "COMP_POINT",
        "COMP_TYPE",
        "COMP_KEY",
        "COMP_CWORD",
        "COMP_WORDS",
        "COMPREPLY",
    ] {
        interp.vars.unset(name.as_bytes());
    }
    Ok(found)
}

/// `-C`: each line that the command prints.
pub(super) async fn from_command(interp: &mut Interp, command: &[u8], prefix: &[u8]) -> Flow<Vec<Vec<u8>>> {
    let quoted = crate::text::quote::single_quoted(prefix);
    let text = [b"$(", command, b" 'compgen' ", &quoted, b" ''\n)"].concat();
    let Some(word) = parse_word(&text) else {
        return Ok(Vec::new());
    };
    let output = expand(interp, &word).await?;
    let lines = output
        .split(|byte| *byte == b'\n')
        .filter(|line| !line.is_empty());
    Ok(lines.map(<[u8]>::to_vec).collect())
}
