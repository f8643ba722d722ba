//! The switches of `echo`, which are no options of any parser: the builtin's and the program's.

/// What `-n`, `-e` and `-E` say.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EchoSwitches {
    /// The line is ended.
    pub newline: bool,
    /// Backslash escapes are interpreted.
    pub escapes: bool,
}

impl EchoSwitches {
    /// Reads the words that consist of such letters alone; what follows is the text.
    pub fn read(&mut self, words: &[Vec<u8>]) -> usize {
        let switches = words.iter().map_while(|word| match word.split_first() {
            Some((b'-', letters)) if !letters.is_empty() => Some(letters),
            _ => None,
        });
        let mut count = 0;
        for letters in switches.take_while(|letters| letters.iter().all(|letter| b"neE".contains(letter))) {
            count += 1;
            for letter in letters {
                match letter {
                    b'n' => self.newline = false,
                    letter => self.escapes = *letter == b'e',
                }
            }
        }
        count
    }
}
