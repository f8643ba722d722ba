//! The command line of jq 1.6, which is its own: options may stand anywhere, letters may be joined, and some take the next words.

use std::collections::HashMap;

use super::print::Style;

/// What an option that takes words puts into the program's variables.
#[derive(Debug, Clone)]
pub enum Binding {
    /// `--arg name text`
    Text(Vec<u8>),
    /// `--argjson name json`
    Json(Vec<u8>),
    /// `--slurpfile name file`
    Values(Vec<u8>),
    /// `--rawfile name file`
    Raw(Vec<u8>),
}

/// What to do.
#[derive(Debug)]
pub struct Options {
    /// The program, or the file of it.
    pub program: Option<Vec<u8>>,
    /// `-f`
    pub from_file: bool,
    /// The files.
    pub files: Vec<Vec<u8>>,
    /// Variables in order.
    pub bindings: Vec<(Vec<u8>, Binding)>,
    /// `$ARGS.positional`; whether each is JSON.
    pub positional: Vec<(Vec<u8>, bool)>,
    /// `-s`
    pub slurp: bool,
    /// `-R`
    pub raw_input: bool,
    /// `-n`
    pub null_input: bool,
    /// `-r`
    pub raw_output: bool,
    /// `-j`
    pub joined: bool,
    /// `--stream`
    pub stream: bool,
    /// `--seq`
    pub sequence: bool,
    /// `-e`
    pub exit_status: bool,
    /// How values are printed.
    pub style: Style,
}

/// Why the program does not run.
pub enum Refusal {
    /// A sentence, and that help is there.
    Wrong(String),
    /// `--help`
    Help,
    /// `--version`
    Version,
}

/// Usage, in short.
pub const USAGE: &str = "Usage:\tjq [options] <jq filter> [file...]\n\tjq [options] --args <jq filter> [strings...]\n\tjq [options] --jsonargs <jq filter> [JSON_TEXTS...]\n";

/// What follows the usage in `--help`.
pub const HELP: &str = "\njq is a tool for processing JSON inputs, applying the given filter to\nits JSON text inputs and producing the filter's results as JSON on\nstandard output.\n\nThe simplest filter is ., which copies jq's input to its output\nunmodified (except for formatting, but note that IEEE754 is used\nfor number representation internally, with all that that implies).\n\nFor more advanced filters see the jq(1) manpage (\"man jq\")\nand/or https://stedolan.github.io/jq\n\nExample:\n\n\t$ echo '{\"foo\": 0}' | jq .\n\t{\n\t\t\"foo\": 0\n\t}\n\nSome of the options include:\n  -c               compact instead of pretty-printed output;\n  -n               use `null` as the single input value;\n  -e               set the exit status code based on the output;\n  -s               read (slurp) all inputs into an array; apply filter to it;\n  -r               output raw strings, not JSON texts;\n  -R               read raw strings, not JSON texts;\n  -C               colorize JSON;\n  -M               monochrome (don't colorize JSON);\n  -S               sort keys of objects on output;\n  --tab            use tabs for indentation;\n  --arg a v        set variable $a to value <v>;\n  --argjson a v    set variable $a to JSON value <v>;\n  --slurpfile a f  set variable $a to an array of JSON texts read from <f>;\n  --rawfile a f    set variable $a to a string consisting of the contents of <f>;\n  --args           remaining arguments are string arguments, not files;\n  --jsonargs       remaining arguments are JSON arguments, not files;\n  --               terminates argument processing;\n\nNamed arguments are also available as $ARGS.named[], while\npositional arguments are available as $ARGS.positional[].\n\nSee the manpage for more options.\n";

#[derive(Clone, Copy, PartialEq)]
enum Rest {
    Files,
    Texts,
    Json,
}

struct Reader<'a> {
    options: Options,
    words: std::slice::Iter<'a, Vec<u8>>,
    rest: Rest,
    indent: Option<usize>,
}

/// Reads the command line.
pub fn parse(arguments: &[Vec<u8>]) -> Result<Options, Refusal> {
    let mut reader = Reader {
        options: Options {
            program: None,
            from_file: false,
            files: Vec::new(),
            bindings: Vec::new(),
            positional: Vec::new(),
            slurp: false,
            raw_input: false,
            null_input: false,
            raw_output: false,
            joined: false,
            stream: false,
            sequence: false,
            exit_status: false,
            style: Style {
                indent: 2,
                tab: false,
                sorted: false,
                ascii: false,
                colour: false,
            },
        },
        words: arguments.iter(),
        rest: Rest::Files,
        indent: None,
    };
    let mut ended = false;
    while let Some(word) = reader.words.next() {
        match word.as_slice() {
            b"--" if !ended => ended = true,
            [b'-', b'-', name @ ..] if !ended => reader.long(name, word)?,
            // What does not begin with a letter is a program: `-1`.
            [b'-', letters @ ..] if !ended && letters.first().is_some_and(u8::is_ascii_alphabetic) => {
                reader.letters(letters, word)?;
            }
            _ => reader.operand(word),
        }
    }
    let mut options = reader.options;
    if let Some(indent) = reader.indent {
        options.style.indent = indent;
    }
    // Without a terminal the program may be left out.
    options.program.get_or_insert_with(|| b".".to_vec());
    Ok(options)
}

impl Reader<'_> {
    fn operand(&mut self, word: &[u8]) {
        if self.options.program.is_none() {
            self.options.program = Some(word.to_vec());
            return;
        }
        match self.rest {
            Rest::Files => self.options.files.push(word.to_vec()),
            Rest::Texts => self.options.positional.push((word.to_vec(), false)),
            Rest::Json => self.options.positional.push((word.to_vec(), true)),
        }
    }

    fn letters(&mut self, letters: &[u8], word: &[u8]) -> Result<(), Refusal> {
        for letter in letters {
            match letter {
                b's' => self.options.slurp = true,
                b'r' => self.options.raw_output = true,
                b'c' => self.compact(),
                b'C' => self.options.style.colour = true,
                b'M' => self.options.style.colour = false,
                b'a' => self.options.style.ascii = true,
                b'S' => self.options.style.sorted = true,
                b'R' => self.options.raw_input = true,
                b'n' => self.options.null_input = true,
                b'f' => self.options.from_file = true,
                b'j' => {
                    self.options.raw_output = true;
                    self.options.joined = true;
                }
                b'e' => self.options.exit_status = true,
                b'h' => return Err(Refusal::Help),
                b'V' => return Err(Refusal::Version),
                b'L' => {
                    return Err(Refusal::Wrong("modules are not supported (-L)".to_owned()));
                }
                _ => {
                    return Err(unknown(word));
                }
            }
        }
        Ok(())
    }

    fn long(&mut self, name: &[u8], word: &[u8]) -> Result<(), Refusal> {
        match name {
            b"slurp" => self.options.slurp = true,
            b"raw-output" => self.options.raw_output = true,
            b"compact-output" => self.compact(),
            b"color-output" => self.options.style.colour = true,
            b"monochrome-output" => self.options.style.colour = false,
            b"ascii-output" => self.options.style.ascii = true,
            b"sort-keys" => self.options.style.sorted = true,
            b"raw-input" => self.options.raw_input = true,
            b"null-input" => self.options.null_input = true,
            b"from-file" => self.options.from_file = true,
            b"join-output" => {
                self.options.raw_output = true;
                self.options.joined = true;
            }
            b"exit-status" => self.options.exit_status = true,
            b"seq" => self.options.sequence = true,
            // Output is not held back longer than a program runs.
            b"unbuffered" => {}
            b"tab" => {
                self.options.style.tab = true;
                self.indent = Some(1);
            }
            b"indent" => self.read_indent()?,
            b"arg" => self.bind("arg", "value", Binding::Text)?,
            b"argjson" => self.bind("argjson", "text", Binding::Json)?,
            b"slurpfile" | b"argfile" => self.bind("slurpfile", "filename", Binding::Values)?,
            b"rawfile" => self.bind("rawfile", "filename", Binding::Raw)?,
            b"args" => self.rest = Rest::Texts,
            b"jsonargs" => self.rest = Rest::Json,
            b"help" => return Err(Refusal::Help),
            b"version" => return Err(Refusal::Version),
            b"stream" => self.options.stream = true,
            b"stream-errors" | b"run-tests" | b"debug-dump-disasm" | b"debug-trace" => {
                let shown = String::from_utf8_lossy(word);
                return Err(Refusal::Wrong(format!("{shown} is not supported")));
            }
            _ => return Err(unknown(word)),
        }
        Ok(())
    }

    fn compact(&mut self) {
        self.options.style.tab = false;
        self.indent = Some(0);
    }

    fn read_indent(&mut self) -> Result<(), Refusal> {
        let Some(word) = self.words.next() else {
            return Err(Refusal::Wrong("--indent takes one parameter".to_owned()));
        };
        let number = std::str::from_utf8(word)
            .ok()
            .and_then(|text| text.parse::<i64>().ok());
        match number.unwrap_or(0) {
            value @ 0..=7 => {
                self.options.style.tab = false;
                self.indent = usize::try_from(value).ok();
                Ok(())
            }
            _ => Err(Refusal::Wrong(
                "--indent takes a number between -1 and 7".to_owned(),
            )),
        }
    }

    fn bind(&mut self, option: &str, what: &str, make: impl Fn(Vec<u8>) -> Binding) -> Result<(), Refusal> {
        match (self.words.next(), self.words.next()) {
            (Some(name), Some(value)) => {
                // The first of several with a name counts.
                if !self.options.bindings.iter().any(|(known, _)| known == name) {
                    self.options.bindings.push((name.clone(), make(value.clone())));
                }
                Ok(())
            }
            _ => Err(Refusal::Wrong(format!(
                "--{option} takes two parameters (e.g. --{option} varname {what})"
            ))),
        }
    }
}

fn unknown(word: &[u8]) -> Refusal {
    Refusal::Wrong(format!("Unknown option {}", String::from_utf8_lossy(word)))
}

/// The variables of a program by name.
pub type Variables = HashMap<String, super::value::Value>;
