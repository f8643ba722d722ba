//! Compound commands.

use super::super::ast::{Arith, CaseEnd, CaseItem, CompoundKind, Cond, CondOp, List, Part, Word};
use super::{INDENT, Printer};

impl<'t> Printer<'t> {
    pub(super) fn compound_kind(&mut self, kind: &'t CompoundKind) {
        match kind {
            CompoundKind::Group(list) => self.group(list),
            CompoundKind::Subshell(list) => {
                self.text("( ");
                self.on_this_line(list);
                self.flush_documents("");
                self.text(" )");
            }
            CompoundKind::If { branches, otherwise } => self.if_command(branches, otherwise.as_ref()),
            CompoundKind::While {
                until,
                condition,
                body,
            } => {
                self.text(if *until { "until " } else { "while " });
                self.on_this_line(condition);
                self.flush_documents("");
                self.semicolon();
                self.text(" do\n");
                self.loop_body(body);
            }
            CompoundKind::For { name, words, body } => self.for_loop("for ", name, words.as_deref(), body),
            CompoundKind::Select { name, words, body } => {
                self.for_loop("select ", name, words.as_deref(), body)
            }
            CompoundKind::ArithFor {
                init,
                condition,
                update,
                body,
            } => {
                self.text("for ((");
                self.section(init);
                self.text("; ");
                self.section(condition);
                self.text("; ");
                self.section(update);
                self.text("))");
                self.newline("do\n");
                self.loop_body(body);
            }
            CompoundKind::Case { word, items } => self.case(word, items),
            CompoundKind::Arith(arith) => {
                self.text("((");
                super::word(&arith.text, &mut self.out);
                self.text("))");
            }
            CompoundKind::Cond(cond) => {
                self.text("[[ ");
                self.cond(cond);
                self.text(" ]]");
            }
        }
    }

    /// A list that starts on the current line.
    fn on_this_line(&mut self, list: &'t List) {
        self.skip_indent += 1;
        self.list(list);
    }

    /// A list one level deeper.
    fn indented(&mut self, list: &'t List) {
        self.indentation += INDENT;
        self.list(list);
        self.flush_documents("");
        self.indentation -= INDENT;
    }

    fn group(&mut self, list: &'t List) {
        self.text("{ ");
        if self.in_function == 0 {
            self.on_this_line(list);
            self.flush_documents("");
            self.semicolon();
            self.text(" ");
        } else {
            self.text("\n");
            self.indented(list);
            self.text("\n");
            self.spaces();
        }
        self.text("}");
    }

    fn loop_body(&mut self, body: &'t List) {
        self.indented(body);
        self.semicolon();
        self.newline("done");
    }

    fn for_loop(&mut self, keyword: &str, name: &[u8], words: Option<&'t [Word]>, body: &'t List) {
        self.text(keyword);
        self.out.extend_from_slice(name);
        self.text(" in ");
        match words {
            None => self.text("\"$@\""),
            Some(words) => self.words(words, " "),
        }
        self.text(";");
        self.newline("do\n");
        self.loop_body(body);
    }

    fn words(&mut self, words: &[Word], between: &str) {
        for (at, word) in words.iter().enumerate() {
            if at > 0 {
                self.text(between);
            }
            super::word(word, &mut self.out);
        }
    }

    /// One expression of `for ((`; bash stores 1 for none.
    fn section(&mut self, arith: &Arith) {
        if arith.text.parts.is_empty() {
            self.text("1");
        } else {
            super::word(&arith.text, &mut self.out);
        }
    }

    /// `elif` is an `if` inside `else`.
    fn if_command(&mut self, branches: &'t [(List, List)], otherwise: Option<&'t List>) {
        for (at, (condition, body)) in branches.iter().enumerate() {
            if at > 0 {
                self.semicolon();
                self.newline("else\n");
                self.indentation += INDENT;
                self.indent_once();
            }
            self.text("if ");
            self.on_this_line(condition);
            self.semicolon();
            self.text(" then\n");
            self.indented(body);
        }
        if let Some(body) = otherwise {
            self.semicolon();
            self.newline("else\n");
            self.indented(body);
        }
        for _ in branches.iter().skip(1) {
            self.semicolon();
            self.newline("fi");
            self.flush_documents("");
            self.indentation -= INDENT;
        }
        self.semicolon();
        self.newline("fi");
    }

    fn case(&mut self, word: &Word, items: &'t [CaseItem]) {
        self.text("case ");
        super::word(word, &mut self.out);
        self.text(" in ");
        self.indentation += INDENT;
        for item in items {
            self.newline("");
            // `esac` alone would end the command; bash prints it all the same.
            let ends =
                |word: &Word| matches!(word.parts.as_slice(), [Part::Literal(text)] if **text == *b"esac");
            if self.out.exact && item.patterns.first().is_some_and(ends) {
                self.text("(");
            }
            self.words(&item.patterns, " | ");
            self.text(")\n");
            self.indented(&item.body);
            self.newline(match item.end {
                CaseEnd::Break => ";;",
                CaseEnd::FallThrough => ";&",
                CaseEnd::Continue => ";;&",
            });
        }
        self.indentation -= INDENT;
        self.newline("esac");
    }

    fn cond(&mut self, cond: &Cond) {
        match cond {
            Cond::And(left, right) => self.cond_pair(left, " && ", right),
            Cond::Or(left, right) => self.cond_pair(left, " || ", right),
            Cond::Not(inner) => self.cond_not(inner),
            Cond::Group(inner) => {
                self.text("( ");
                self.cond(inner);
                self.text(" )");
            }
            Cond::Unary(letter, operand) => {
                self.out.extend_from_slice(&[b'-', *letter, b' ']);
                super::word(operand, &mut self.out);
            }
            Cond::Word(operand) => {
                self.text("-n ");
                super::word(operand, &mut self.out);
            }
            Cond::Binary(operator, left, right) => {
                super::word(left, &mut self.out);
                self.text(" ");
                self.text(cond_operator(*operator));
                self.text(" ");
                super::word(right, &mut self.out);
            }
        }
    }

    fn cond_pair(&mut self, left: &Cond, between: &str, right: &Cond) {
        self.cond(left);
        self.text(between);
        self.cond(right);
    }

    /// bash keeps `!` as a flag, so two cancel out.
    fn cond_not(&mut self, inner: &Cond) {
        match inner {
            Cond::Not(inner) => self.cond(inner),
            inner => {
                self.text("! ");
                self.cond(inner);
            }
        }
    }
}

/// An operator as written.
fn cond_operator(operator: CondOp) -> &'static str {
    match operator {
        CondOp::Match { single: true } => "=",
        CondOp::Match { single: false } => "==",
        CondOp::NotMatch => "!=",
        CondOp::Regex => "=~",
        CondOp::Less => "<",
        CondOp::Greater => ">",
        CondOp::Eq => "-eq",
        CondOp::Ne => "-ne",
        CondOp::Lt => "-lt",
        CondOp::Le => "-le",
        CondOp::Gt => "-gt",
        CondOp::Ge => "-ge",
        CondOp::Newer => "-nt",
        CondOp::Older => "-ot",
        CondOp::SameFile => "-ef",
    }
}
