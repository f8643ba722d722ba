//! Words that must be one of a few: gnulib's `argmatch`, for `--color=WHEN`, `--sort=WORD`, …

use super::spec::Spec;
use super::usage::UsageError;
use crate::text::gnu_quote::quote;

/// Why a word is none of the choices.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ChoiceError {
    /// No choice begins like this.
    Invalid,
    /// More than one does, and they mean different things.
    Ambiguous,
}

/// The choice that a word names or abbreviates. Choices with equal values are synonyms.
pub fn choose<T: Copy + PartialEq>(word: &[u8], choices: &[(&str, T)]) -> Result<T, ChoiceError> {
    if let Some(&(_, value)) = choices.iter().find(|(name, _)| name.as_bytes() == word) {
        return Ok(value);
    }
    let mut matching = choices
        .iter()
        .filter(|(name, _)| name.as_bytes().starts_with(word))
        .map(|&(_, value)| value);
    let first = matching.next().ok_or(ChoiceError::Invalid)?;
    if matching.all(|value| value == first) {
        Ok(first)
    } else {
        Err(ChoiceError::Ambiguous)
    }
}

/// `Valid arguments are:` and the choices, synonyms on one line.
fn list<T: Copy + PartialEq>(choices: &[(&str, T)]) -> Vec<u8> {
    let mut lines = b"Valid arguments are:".to_vec();
    for group in choices.chunk_by(|first, next| first.1 == next.1) {
        let names: Vec<String> = group.iter().map(|(name, _)| format!("‘{name}’")).collect();
        lines.extend_from_slice(format!("\n  - {}", names.join(", ")).as_bytes());
    }
    lines.push(b'\n');
    lines
}

impl<F: Copy + PartialEq> Spec<F> {
    /// [`choose`] with the complaint of coreutils' `XARGMATCH`, which exits with 1 even where usage errors exit with 2.
    /// `option` is as the message names it: `--sort`.
    pub fn choose<T: Copy + PartialEq>(
        &self,
        option: &str,
        word: &[u8],
        choices: &[(&str, T)],
    ) -> Result<T, UsageError> {
        choose(word, choices).map_err(|error| {
            let sort: &[u8] = match error {
                ChoiceError::Invalid => b"invalid",
                ChoiceError::Ambiguous => b"ambiguous",
            };
            let message = [
                sort,
                b" argument ",
                &quote(word),
                b" for ",
                &quote(option.as_bytes()),
            ]
            .concat();
            self.complain(message).with_lines(&list(choices)).with_status(1)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::args::COREUTILS;

    #[test]
    fn as_ls_color() {
        static LS: Spec<u8> = Spec::new("ls", COREUTILS, &[], "", &[]).fails_with(2);
        let choices = [("always", 1), ("yes", 1), ("never", 0), ("none", 0), ("auto", 2)];
        assert_eq!(LS.choose("--color", b"n", &choices), Ok(0));
        let error = LS.choose("--color", b"a", &choices).unwrap_err();
        assert_eq!(error.status, 1);
        let expected = "ls: ambiguous argument ‘a’ for ‘--color’\nValid arguments are:\n  - ‘always’, ‘yes’\n  \
            - ‘never’, ‘none’\n  - ‘auto’\nTry 'ls --help' for more information.\n";
        assert_eq!(error.text(b"ls"), expected.as_bytes());
    }
}
