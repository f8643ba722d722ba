//! Lists, pipelines, simple commands, functions and coprocesses.

use super::super::ast::{
    AndOr, Command, Connector, Function, Item, List, Pipeline, Redirect, Simple, TimeFormat,
};
use super::super::token;
use super::{INDENT, Printer};

impl<'t> Printer<'t> {
    /// A list: bash sees it as nested connections.
    pub(super) fn list(&mut self, list: &'t List) {
        let connection = list.items.len() > 1 || list.items.first().is_some_and(|item| item.background);
        self.connections += usize::from(connection);
        let last = list.items.len().saturating_sub(1);
        for (at, item) in list.items.iter().enumerate() {
            self.and_or(&item.and_or);
            if at > 0 && !item.background {
                self.flush_waiting();
            }
            self.separator(item, at == last);
        }
        self.connections -= usize::from(connection);
    }

    /// What stands behind an and-or list.
    fn separator(&mut self, item: &Item, last: bool) {
        if item.background {
            self.flush_documents(" &");
            if last {
                self.flush_waiting();
            } else {
                self.text(" ");
                self.skip_indent += 1;
            }
        } else if !last {
            self.end_of_command(self.in_substitution && item.newline);
        }
    }

    /// `;` or a kept newline between two commands.
    fn end_of_command(&mut self, newline: bool) {
        if !self.deferred.is_empty() {
            self.flush_documents("");
        } else if !std::mem::take(&mut self.after_document) {
            match (newline, self.in_function) {
                (false, _) => self.text(";"),
                (true, 0) => {}
                (true, _) => self.text("\n"),
            }
        }
        if self.in_function > 0 || newline {
            self.text("\n");
        } else {
            self.text(" ");
        }
        self.skip_indent += usize::from(self.in_function == 0);
    }

    pub(super) fn and_or(&mut self, and_or: &'t AndOr) {
        let connection = !and_or.rest.is_empty();
        self.connections += usize::from(connection);
        self.pipeline(&and_or.first);
        for (connector, pipeline) in &and_or.rest {
            self.flush_documents(if *connector == Connector::And {
                " && "
            } else {
                " || "
            });
            self.skip_indent += 1;
            self.pipeline(pipeline);
            self.flush_waiting();
        }
        self.connections -= usize::from(connection);
    }

    pub(super) fn pipeline(&mut self, pipeline: &'t Pipeline) {
        self.indent_once();
        match pipeline.time {
            Some(TimeFormat::Default) => self.text("time "),
            Some(TimeFormat::Posix) => self.text("time -p "),
            None => {}
        }
        if pipeline.negated {
            self.text("! ");
        } else if self.out.exact && pipeline.commands.is_empty() && pipeline.time.is_none() {
            // `! !` with nothing behind it, of which bash shows nothing.
            self.text("! ! ");
        }
        let connection = pipeline.commands.len() > 1;
        self.connections += usize::from(connection);
        for (at, command) in pipeline.commands.iter().enumerate() {
            if at > 0 {
                self.flush_documents(" |");
                self.text(" ");
            }
            self.command(command, pipeline.pipe_stderr.get(at).copied().unwrap_or(false));
        }
        if connection {
            self.flush_waiting();
            self.connections -= 1;
        }
    }

    /// One stage; `|&` behind it shows as `2>&1`.
    pub(super) fn command(&mut self, command: &'t Command, pipe_stderr: bool) {
        match command {
            Command::Simple(simple) => self.simple(simple, pipe_stderr),
            Command::Compound(compound) => {
                self.compound_kind(&compound.kind);
                self.trailing_redirects(&compound.redirects, pipe_stderr);
            }
            Command::Function(function) => self.inner_function(function, pipe_stderr),
            Command::Coproc(coproc) => {
                self.text("coproc ");
                if !(self.out.exact && matches!(coproc.body, Command::Simple(_))) {
                    self.out.extend_from_slice(&coproc.name);
                    self.text(" ");
                }
                self.command(&coproc.body, pipe_stderr);
            }
        }
    }

    /// Redirections behind a compound command.
    fn trailing_redirects(&mut self, redirects: &'t [Redirect], pipe_stderr: bool) {
        if !redirects.is_empty() || pipe_stderr {
            self.text(" ");
            self.redirects(redirects, pipe_stderr);
        }
    }

    pub(super) fn simple(&mut self, simple: &'t Simple, pipe_stderr: bool) {
        let mut first = true;
        for assign in &simple.assigns {
            self.gap(&mut first);
            super::word::assign(assign, &mut self.out);
        }
        for word in &simple.words {
            self.gap(&mut first);
            super::word::argument(word, &mut self.out);
        }
        if !simple.redirects.is_empty() || pipe_stderr {
            self.gap(&mut first);
            self.redirects(&simple.redirects, pipe_stderr);
        }
    }

    fn gap(&mut self, first: &mut bool) {
        if !std::mem::take(first) {
            self.out.push(b' ');
        }
    }

    /// `declare -f name`
    pub(super) fn function(&mut self, function: &'t Function) {
        if token::is_reserved(&function.name) {
            self.text("function ");
        }
        self.out.extend_from_slice(&function.name);
        self.text(" () \n{ \n");
        self.indentation += INDENT;
        self.function_body(function);
        self.function_end(function);
    }

    /// The value of the environment variable that hands a function on.
    pub(super) fn function_value(&mut self, function: &'t Function) {
        self.text("() { ");
        self.indentation += INDENT;
        self.function_body(function);
        self.function_end(function);
    }

    /// A definition inside other code.
    fn inner_function(&mut self, function: &'t Function, pipe_stderr: bool) {
        self.text("function ");
        self.out.extend_from_slice(&function.name);
        self.text(" () \n");
        self.spaces();
        self.text("{ \n");
        self.indentation += INDENT;
        self.function_body(function);
        self.function_end(function);
        self.after_document = false;
        if pipe_stderr {
            self.text(" 2>&1");
        }
    }

    fn function_body(&mut self, function: &'t Function) {
        use super::super::ast::CompoundKind;
        self.in_function += 1;
        match &function.body.kind {
            CompoundKind::Group(list) => self.list(list),
            kind => {
                self.indent_once();
                self.compound_kind(kind);
                self.trailing_redirects(&function.body.redirects, false);
            }
        }
        self.flush_waiting();
        self.in_function -= 1;
        self.indentation -= INDENT;
    }

    /// The closing brace; redirections of a group stand behind it.
    fn function_end(&mut self, function: &'t Function) {
        use super::super::ast::CompoundKind;
        let redirects = match &function.body.kind {
            CompoundKind::Group(_) => function.body.redirects.as_slice(),
            _ => &[],
        };
        self.newline("}");
        self.trailing_redirects(redirects, false);
    }
}
