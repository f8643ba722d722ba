//! A small generator of bash programs: what it makes ends by itself, prints the same every time, starts no program but a few of the
//! plainest, and writes no file. So the same text can be run here and by real bash, and compared.
//!
//! Choices come from a stream of numbers: from a seed, or from the bytes of a fuzzer. When a fuzzer's bytes run out every choice is
//! the first one, which is the simplest.

use std::fmt::Write as _;

/// A stream of choices.
pub enum Choices<'a> {
    /// From a seed (splitmix64).
    Seed(u64),
    /// From bytes.
    Bytes(&'a [u8]),
}

impl Choices<'_> {
    /// A number below `count`.
    pub fn below(&mut self, count: usize) -> usize {
        match self {
            Choices::Seed(state) => {
                *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
                let mut z = *state;
                z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
                z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
                ((z ^ (z >> 31)) % count as u64) as usize
            }
            Choices::Bytes(bytes) => match bytes.split_first() {
                Some((first, rest)) => {
                    *bytes = rest;
                    usize::from(*first) % count
                }
                None => 0,
            },
        }
    }

    /// One of a list.
    pub fn of<T: Copy>(&mut self, list: &[T]) -> T {
        list[self.below(list.len())]
    }

    /// True once in `count` times.
    pub fn once_in(&mut self, count: usize) -> bool {
        self.below(count) == count - 1
    }
}

/// A program of about `size` statements.
pub fn program(choices: Choices<'_>, size: usize) -> String {
    let mut writer = Writer {
        choices,
        depth: 0,
        counters: 0,
        functions: 0,
        in_function: false,
    };
    let mut out = String::new();
    for _ in 0..size {
        out.push_str(&writer.statement());
        out.push('\n');
    }
    out.push_str("echo \"<$?> $a|$b|$c|${r[*]}|${#r[@]}|$#|$*\"\n");
    out
}

/// Pieces of the language thrown together: mostly wrong, never to be executed without limits.
pub fn soup(choices: &mut Choices<'_>, length: usize) -> String {
    const PIECES: &[&str] = &[
        " ", " ", " ", "\n", ";", "a", "b", "x", "1", "-n", "echo", "if", "then", "else", "elif", "fi",
        "for", "in", "do", "done", "while", "until", "case", "esac", "{", "}", "(", ")", "((", "))", "[[",
        "]]", "|", "||", "&", "&&", "|&", ";;", ";&", "!", "time", "function", "select", "coproc", "$", "$a",
        "${", "${a", "$(", "$((", "`", "'", "\"", "\\", "$'", "$\"", "<", ">", ">>", "<<", "<<-", "<<<",
        "<(", ">(", "2>&1", ">&", "&>", "E\n", "a=", "a+=", "a[", "]", "a=(", "=", "==", "=~", "+", "-", "*",
        "?", "#", "%", "/", ":", "^", ",", "@", "~", "..", "{a,b}", "{1..3}", "*(", "@(", "!(", "-f", "-z",
        "eval", "local", "declare", "export", "set", "shift", "break", "return", "continue", "trap", "read",
        "printf", "test", "[", "unset", "f()", "f", "exec", "exit", ".", "\t", "é", "\u{1}", "$?", "$@",
        "${#a}", "${a[@]}", "${!a}", "${a:-b}", "wait", "cat", "%d", "&&\n",
    ];
    (0..length).map(|_| choices.of(PIECES)).collect()
}

struct Writer<'a> {
    choices: Choices<'a>,
    depth: usize,
    counters: usize,
    functions: usize,
    in_function: bool,
}

const NAMES: &[&str] = &["a", "b", "c"];
const DEEPEST: usize = 4;

impl Writer<'_> {
    fn statement(&mut self) -> String {
        self.depth += 1;
        let text = if self.depth > DEEPEST {
            self.simple()
        } else {
            self.any_statement()
        };
        self.depth -= 1;
        text
    }

    fn any_statement(&mut self) -> String {
        match self.choices.below(22) {
            0..=5 => self.simple(),
            6 => self.assignment(),
            7 => format!(
                "if {}; then {}; else {}; fi",
                self.condition(),
                self.statement(),
                self.statement()
            ),
            8 => format!(
                "if {}; then {}; elif {}; then {}; fi",
                self.condition(),
                self.body(),
                self.condition(),
                self.body()
            ),
            9 => {
                let name = self.choices.of(NAMES);
                format!("for {name} in {}; do {}; done", self.words(), self.body())
            }
            10 => self.counted_loop(),
            11 => self.case(),
            12 => format!("( {} )", self.body()),
            13 => format!("{{ {}; }}", self.body()),
            14 => self.pipeline(),
            15 => format!(
                "{} {} {}",
                self.command(),
                self.choices.of(&["&&", "||"]),
                self.command()
            ),
            16 => self.function(),
            17 => self.here_document(),
            18 => format!("(( {} ))", self.arithmetic(0)),
            19 => format!("! {}", self.command()),
            20 => self.array_statement(),
            _ => {
                self.counters += 1;
                let i = format!("i{}", self.counters);
                format!(
                    "for (( {i} = 0; {i} < {}; {i}++ )); do {}; done",
                    self.choices.below(4),
                    self.body()
                )
            }
        }
    }

    /// One or two statements on a line.
    fn body(&mut self) -> String {
        let first = self.statement();
        if self.choices.once_in(3) {
            format!("{first}\n{}", self.statement())
        } else {
            first
        }
    }

    fn command(&mut self) -> String {
        if self.choices.once_in(4) {
            format!("{{ {}\n}}", self.statement())
        } else {
            self.simple()
        }
    }

    fn simple(&mut self) -> String {
        match self.choices.below(14) {
            0..=4 => format!("echo {}", self.words()),
            5 => format!("printf '%s,' {}; echo", self.words()),
            6 => format!(
                "printf {} {}; echo",
                self.choices
                    .of(&["'[%s] '", "'<%5s>'", "'%-4s|'", "'%q '", "'%.2s '", "'%b '"]),
                self.words()
            ),
            7 => self.assignment(),
            8 => self
                .choices
                .of(&[
                    "true",
                    "false",
                    ":",
                    "set -- p 'q r' s",
                    "shift",
                    "unset b",
                    "unset r",
                    "set --",
                    "r=()",
                ])
                .to_string(),
            9 => self.condition(),
            10 => format!("echo $(( {} ))", self.arithmetic(0)),
            11 if self.functions > 0 && !self.in_function => {
                format!("f{} {}", self.choices.below(self.functions), self.words())
            }
            12 => format!(
                "eval {}",
                self.quoted_text(&["echo $a", "a=1", "echo \"$b\"", "false", "r+=(z)", "echo $# $1"])
            ),
            13 => format!("{}={} eval 'echo $a-$b-$c'", self.choices.of(NAMES), self.word()),
            _ => format!("echo \"{}\"", self.in_quotes()),
        }
    }

    fn quoted_text(&mut self, list: &[&str]) -> String {
        format!("'{}'", self.choices.of(list))
    }

    fn assignment(&mut self) -> String {
        let name = self.choices.of(NAMES);
        match self.choices.below(8) {
            0 => format!("{name}+={}", self.choices.of(&["x", "' y'", "1"])),
            1 => format!("{name}=$(( {} ))", self.arithmetic(0)),
            2 => format!("r=({})", self.words()),
            3 => format!("r[{}]={}", self.choices.below(4), self.word()),
            4 => format!("r+=({})", self.choices.of(&["x", "'y z'", "$1"])),
            _ => format!("{name}={}", self.word()),
        }
    }

    fn array_statement(&mut self) -> String {
        match self.choices.below(6) {
            0 => "echo \"${#r[@]}\" \"${!r[@]}\"".to_string(),
            1 => "for a in \"${r[@]}\"; do echo \"<$a>\"; done".to_string(),
            2 => format!("unset 'r[{}]'", self.choices.below(4)),
            3 => format!(
                "echo \"${{r[@]:{}:{}}}\"",
                self.choices.below(3),
                self.choices.below(3)
            ),
            4 => format!("echo ${{r[{}]-unset}} ${{r[-1]}}", self.choices.below(4)),
            _ => format!(
                "IFS={} read -r a b <<< {}; echo \"$a/$b\"",
                self.choices.of(&[":", "' '", ","]),
                self.word()
            ),
        }
    }

    fn counted_loop(&mut self) -> String {
        self.counters += 1;
        let n = self.counters;
        let turns = self.choices.below(4);
        let leave = match self.choices.below(4) {
            0 => "\ncontinue".to_string(),
            1 => format!("\n[ $n{n} = 1 ] && break"),
            _ => String::new(),
        };
        match self.choices.below(2) {
            0 => format!(
                "n{n}=0; while (( n{n}++ < {turns} )); do {}{leave}\ndone",
                self.body()
            ),
            _ => format!(
                "n{n}=0; until [ $n{n} -ge {turns} ]; do n{n}=$((n{n} + 1)); {}{leave}\ndone",
                self.body()
            ),
        }
    }

    fn case(&mut self) -> String {
        let mut out = format!("case {} in ", self.word());
        for _ in 0..=self.choices.below(3) {
            let end = self.choices.of(&[";;", ";;", ";;", ";&", ";;&"]);
            let _ = write!(out, "{}) {}{end} ", self.pattern(), self.statement_line());
        }
        let _ = write!(out, "*) {};; esac", self.simple());
        out
    }

    fn statement_line(&mut self) -> String {
        format!("{}\n", self.statement())
    }

    fn pipeline(&mut self) -> String {
        let filter = match self.choices.below(8) {
            0 => "cat".to_string(),
            1 => "tr a-z A-Z".to_string(),
            2 => "wc -l".to_string(),
            3 => "while read -r a b; do echo \"$b:$a\"; done".to_string(),
            4 => "{ read -r c; echo \"[$c]\"; cat; }".to_string(),
            5 => "tac".to_string(),
            6 => format!("tr -d {}", self.choices.of(&["a", "x", "1"])),
            _ => format!("( {}; cat )", self.simple()),
        };
        let middle = if self.choices.once_in(4) { "| cat " } else { "" };
        format!("{} {middle}| {filter}", self.command())
    }

    fn function(&mut self) -> String {
        if self.in_function {
            return self.simple();
        }
        self.in_function = true;
        let n = self.functions;
        let local = self
            .choices
            .of(&["", "local a=$1\n", "local b\n", "local -i c=3\n"]);
        let back = self.choices.of(&["", "\nreturn 3", "\nreturn"]);
        let text = format!(
            "f{n}() {{ {local}{}{back}\n}}; f{n} {}",
            self.body(),
            self.words()
        );
        self.functions += 1;
        self.in_function = false;
        text
    }

    fn here_document(&mut self) -> String {
        let (open, close) = self.choices.of(&[("<<E", "E"), ("<<'E'", "E"), ("<<-E", "\tE")]);
        format!(
            "cat {open}\nline {}\n\t{}\n{close}\n:",
            self.in_quotes(),
            self.in_quotes()
        )
    }

    fn condition(&mut self) -> String {
        match self.choices.below(9) {
            0 => format!("[ {} = {} ]", self.quoted_word(), self.quoted_word()),
            1 => format!("[[ {} == {} ]]", self.word(), self.pattern()),
            2 => format!(
                "[[ {} != {} && -n {} ]]",
                self.word(),
                self.pattern(),
                self.word()
            ),
            3 => format!("[[ -z {} || {} < {} ]]", self.word(), self.word(), self.word()),
            4 => format!("(( {} ))", self.arithmetic(0)),
            5 => format!("test -n {}", self.quoted_word()),
            6 => format!(
                "[[ {} =~ {} ]]",
                self.word(),
                self.choices.of(&["^a", "x+", "[0-9]", "(a|b).?$"])
            ),
            7 => format!(
                "[ $# -{} {} ]",
                self.choices.of(&["eq", "lt", "ge"]),
                self.choices.below(4)
            ),
            _ => self
                .choices
                .of(&["true", "false", "[ -v a ]", "[[ -v r ]]"])
                .to_string(),
        }
    }

    fn pattern(&mut self) -> String {
        match self.choices.below(4) {
            0 => format!("\"${}\"", self.choices.of(NAMES)),
            1 => format!("${}", self.choices.of(NAMES)),
            _ => self
                .choices
                .of(&[
                    "x", "a*", "[a-f]*", "?", "*o*", "'*'", "12", "[!x]", "??", "'a b'",
                ])
                .to_string(),
        }
    }

    fn words(&mut self) -> String {
        let count = 1 + self.choices.below(3);
        let words: Vec<String> = (0..count).map(|_| self.word()).collect();
        words.join(" ")
    }

    fn word(&mut self) -> String {
        let first = self.piece();
        if self.choices.once_in(4) {
            first + &self.piece()
        } else {
            first
        }
    }

    fn quoted_word(&mut self) -> String {
        format!("\"{}\"", self.in_quotes())
    }

    fn piece(&mut self) -> String {
        match self.choices.below(18) {
            0..=2 => self
                .choices
                .of(&["x", "foo", "a1", "12", "b-c", "x.y", "aXbX", "03", "a:b"])
                .to_string(),
            3 => self
                .choices
                .of(&[
                    "'a b'", "'x*'", "' y'", "''", "\"\"", "'$a'", "'1 2  3'", "'a\\b'",
                ])
                .to_string(),
            4 => format!("${}", self.choices.of(NAMES)),
            5 => format!("\"${}\"", self.choices.of(NAMES)),
            6 => self.parameter(),
            7 => format!("\"{}\"", self.parameter()),
            8 => self
                .choices
                .of(&[
                    "$1", "\"$2\"", "$#", "$?", "\"$@\"", "$*", "\"$*\"", "${@:2}", "${*/a/b}",
                ])
                .to_string(),
            9 => self
                .choices
                .of(&[
                    "${r[@]}",
                    "\"${r[@]}\"",
                    "\"${r[*]}\"",
                    "${#r[@]}",
                    "${r[1]}",
                    "\"${r[@]/a/Z}\"",
                    "${r[@]#a}",
                ])
                .to_string(),
            10 => format!("$(( {} ))", self.arithmetic(0)),
            11 if self.depth <= DEEPEST => {
                self.depth += 1;
                let text = format!("$( {} )", self.simple());
                self.depth -= 1;
                text
            }
            12 => self
                .choices
                .of(&["{x,y}", "{1..3}", "p{a,}q", "{a..c}{1,2}", "{3..1}", "{x}", "{,}"])
                .to_string(),
            13 => self
                .choices
                .of(&["$'a\\tb'", "$'\\x41'", "$'q\\'r'", "\\$a", "\\\\", "a\\ b"])
                .to_string(),
            14 => self.quoted_word(),
            15 => self
                .choices
                .of(&["*.none", "[ab]x", "?x", "~root/x", "a=b", "x#"])
                .to_string(),
            _ => self.choices.of(&["x", "yy", "1", "0", "-1"]).to_string(),
        }
    }

    fn in_quotes(&mut self) -> String {
        let mut out = String::new();
        for _ in 0..=self.choices.below(3) {
            let piece = match self.choices.below(7) {
                0 => "a b".to_string(),
                1 => format!("${}", self.choices.of(NAMES)),
                2 => self.parameter(),
                3 => self
                    .choices
                    .of(&["x*", "~", "{a,b}", "\\$", "\\\\", "\\a", "é", "'"])
                    .to_string(),
                4 => format!("$(( {} ))", self.arithmetic(1)),
                5 => self.choices.of(&["$#", "$1", "${r[*]}", "$?"]).to_string(),
                _ => "z".to_string(),
            };
            out.push_str(&piece);
            if self.choices.once_in(3) {
                out.push(' ');
            }
        }
        out
    }

    fn parameter(&mut self) -> String {
        let name = self.choices.of(&["a", "b", "c", "u", "1", "r", "r[0]"]);
        let short = self.choices.of(&["x", "a", "o", "1", "$b", "'x y'"]);
        let pattern = self
            .choices
            .of(&["a", "x*", "?", "*o", "[a-m]", "*", "o", "${b}"]);
        match self.choices.below(16) {
            0 => format!("${{{name}}}"),
            1 => format!("${{#{name}}}"),
            2 => format!("${{{name}:-{short}}}"),
            3 => format!("${{{name}-{short}}}"),
            4 => format!("${{{name}:+{short}}}"),
            5 => format!("${{{name}#{pattern}}}"),
            6 => format!("${{{name}##{pattern}}}"),
            7 => format!("${{{name}%{pattern}}}"),
            8 => format!("${{{name}%%{pattern}}}"),
            9 => format!("${{{name}/{pattern}/{short}}}"),
            10 => format!("${{{name}//{pattern}/{short}}}"),
            11 => format!("${{{name}:{}:{}}}", self.choices.below(3), self.choices.below(4)),
            12 => format!("${{{name}: -{}}}", 1 + self.choices.below(3)),
            13 => format!(
                "${{{name}{}}}",
                self.choices.of(&["^", "^^", ",", ",,", "@Q", "@U", "@u"])
            ),
            14 => format!("${{{name}/{}{pattern}/-}}", self.choices.of(&["#", "%"])),
            _ => format!("${{{}:={short}}}", self.choices.of(&["b", "c"])),
        }
    }

    fn arithmetic(&mut self, depth: usize) -> String {
        if depth > 2 {
            return self.choices.of(&["1", "2", "0", "n1", "7"]).to_string();
        }
        match self.choices.below(10) {
            0..=2 => self
                .choices
                .of(&[
                    "1", "2", "0", "10", "0x1F", "017", "2#101", "-3", "n1", "m", "${#a}", "${#r[@]}", "$#",
                ])
                .to_string(),
            3..=5 => {
                let operator = self.choices.of(&[
                    "+", "-", "*", "<", ">", "==", "!=", "<=", ">=", "&&", "||", "&", "|", "^", ",", "<<",
                    ">>",
                ]);
                format!(
                    "{} {operator} {}",
                    self.arithmetic(depth + 1),
                    self.arithmetic(depth + 1)
                )
            }
            6 => format!(
                "{} {} {}",
                self.arithmetic(depth + 1),
                self.choices.of(&["/", "%", "**"]),
                1 + self.choices.below(3)
            ),
            7 => format!("({})", self.arithmetic(depth + 1)),
            8 => format!(
                "{} ? {} : {}",
                self.arithmetic(depth + 1),
                self.arithmetic(depth + 1),
                self.arithmetic(depth + 1)
            ),
            _ => format!(
                "{}{}",
                self.choices.of(&["!", "~", "- ", "+ ", "m = ", "m += "]),
                self.arithmetic(depth + 1)
            ),
        }
    }
}
