//! `compgen [-abcdefgjksuv] [-o option] [-A action] [-G globpat] [-W wordlist] [-F function] [-C command] [-X filterpat] [-P prefix] [-S suffix] [word]`
//!
//! Prints what a completion would offer: names of each kind, in bash's order of kinds. Names of files come sorted, where bash gives them in the
//! order of the directory.

mod names;
mod words;

use crate::args::BuiltinSpec;
use crate::expand::{ExpandHost, Mode, word};
use crate::fs::{FileKind, Follow};
use crate::interp::completion::Completion;
use crate::interp::{Flow, Interp, Shopt};
use crate::pattern::{Pattern, PatternOptions};

const SPEC: BuiltinSpec = BuiltinSpec::new("compgen", "abcdefgjko:suvA:G:W:P:S:X:F:C:");

/// The builtin.
pub async fn run(interp: &mut Interp, args: Vec<Vec<u8>>) -> Flow {
    let parsed = match interp.parse_options(&SPEC, &args) {
        Ok(parsed) => parsed,
        Err(status) => return Ok(status),
    };
    let completion = match super::complete::read_specification(interp, "compgen", &parsed) {
        Ok(completion) => completion,
        Err(status) => return Ok(status),
    };
    if completion == Completion::default() {
        return Ok(0);
    }
    for (asked, letter) in [(&completion.function, 'F'), (&completion.command, 'C')] {
        if asked.is_some() {
            let warning = format!("warning: -{letter} option may not work as you expect");
            interp.complain("compgen", warning);
        }
    }
    let prefix = parsed.operands.first().cloned().unwrap_or_default();
    let found = generate(interp, &completion, &prefix).await?;
    let mut out = Vec::new();
    for name in &found {
        out.extend_from_slice(name);
        out.push(b'\n');
    }
    interp.print(out);
    Ok(i32::from(found.is_empty()))
}

async fn generate(interp: &mut Interp, completion: &Completion, prefix: &[u8]) -> Flow<Vec<Vec<u8>>> {
    let mut found = names::generate(interp, completion, prefix);
    if let Some(glob) = &completion.glob {
        found.extend(expand_glob(interp, glob));
    }
    if let Some(list) = &completion.words {
        let words = words::split(interp, list).await?;
        found.extend(words.into_iter().filter(|word| word.starts_with(prefix)));
    }
    if let Some(function) = &completion.function {
        found.extend(words::from_function(interp, function, prefix).await?);
    }
    if let Some(command) = &completion.command {
        found.extend(words::from_command(interp, command, prefix).await?);
    }
    if let Some(filter) = &completion.filter {
        found = filtered(interp, found, filter, prefix);
    }
    interp.proc.kernel.meter().charge(found.len() as u64)?;
    let before = completion.prefix.clone().unwrap_or_default();
    let after = completion.suffix.clone().unwrap_or_default();
    let mut found: Vec<Vec<u8>> = found
        .into_iter()
        .map(|name| [before.as_slice(), &name, &after].concat())
        .collect();
    if found.is_empty() && completion.has_option("default") {
        found = files(interp, prefix, false);
    }
    let directories =
        completion.has_option("plusdirs") || (found.is_empty() && completion.has_option("dirnames"));
    if directories {
        found.extend(files(interp, prefix, true));
    }
    Ok(found)
}

/// `-G`: the paths that match, whatever the word is.
fn expand_glob(interp: &mut Interp, glob: &[u8]) -> Vec<Vec<u8>> {
    let word = crate::syntax::ast::Word {
        parts: vec![crate::syntax::ast::Part::Literal(glob.into())],
        pure: true,
        ..crate::syntax::ast::Word::default()
    };
    let mut paths = Vec::new();
    if word::fields_now(interp, &word, &mut paths).is_err() {
        return Vec::new();
    }
    // What matches nothing stays as it was.
    paths.retain(|path| path != glob || interp.proc.metadata(path, Follow::No).is_ok());
    paths
}

/// `-X`: takes away what matches, or with `!` what does not; `&` stands for the word.
fn filtered(interp: &Interp, found: Vec<Vec<u8>>, filter: &[u8], prefix: &[u8]) -> Vec<Vec<u8>> {
    let extglob = interp.options.shopt(Shopt::Extglob);
    let (keep, filter) = match filter.split_first() {
        // With extended patterns this is one.
        Some((b'!', rest)) if !(extglob && rest.starts_with(b"(")) => (true, rest),
        _ => (false, filter),
    };
    let mut text = Vec::new();
    let mut bytes = filter.iter().copied().peekable();
    while let Some(byte) = bytes.next() {
        match byte {
            b'\\' if bytes.next_if_eq(&b'&').is_some() => text.push(b'&'),
            b'&' => text.extend_from_slice(prefix),
            byte => text.push(byte),
        }
    }
    let options = PatternOptions {
        extglob,
        ..PatternOptions::default()
    };
    let pattern = Pattern::compile(&text, options);
    found
        .into_iter()
        .filter(|name| pattern.matches(name) == keep)
        .collect()
}

/// Paths that begin with a text, hidden ones too.
fn files(interp: &mut Interp, prefix: &[u8], only_directories: bool) -> Vec<Vec<u8>> {
    let (directory, start) = match prefix.iter().rposition(|byte| *byte == b'/') {
        Some(slash) => prefix.split_at(slash + 1),
        None => (b"".as_slice(), prefix),
    };
    let opened = opened_directory(interp, directory);
    let entries = interp.proc.read_dir(&opened).unwrap_or_default();
    let mut names: Vec<Vec<u8>> = entries.into_iter().map(|entry| entry.name).collect();
    if start.starts_with(b".") {
        names.extend([b".".to_vec(), b"..".to_vec()]);
    }
    names.retain(|name| {
        name.starts_with(start) && (!start.is_empty() || !matches!(name.as_slice(), b"." | b".."))
    });
    names.sort();
    names.dedup();
    let is_directory = |name: &Vec<u8>| {
        let path = [opened.as_slice(), b"/", name].concat();
        interp
            .proc
            .metadata(&path, Follow::Yes)
            .is_ok_and(|metadata| metadata.kind == FileKind::Directory)
    };
    names.retain(|name| !only_directories || is_directory(name));
    names
        .into_iter()
        .map(|name| [directory, &name].concat())
        .collect()
}

/// The directory that a written one stands for: a tilde in front is that of a user.
fn opened_directory(interp: &mut Interp, written: &[u8]) -> Vec<u8> {
    if written.is_empty() {
        return b".".to_vec();
    }
    let slash = memchr::memchr(b'/', written).unwrap_or(written.len());
    let (user, rest) = written.split_at(slash);
    let home = user.strip_prefix(b"~").and_then(|user| interp.tilde(user));
    match home {
        Some(home) => [home.as_slice(), rest].concat(),
        None => written.to_vec(),
    }
}

/// Expands the word of a list by the rules of the shell, without splitting.
async fn expand(interp: &mut Interp, word: &crate::syntax::ast::Word) -> Flow<Vec<u8>> {
    match word::text(interp, word, Mode::Single).await {
        Ok(text) => Ok(text),
        Err(failure) => Err(interp.fail_expansion(failure)),
    }
}
