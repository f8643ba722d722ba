//! Redirections and the bodies of here-documents.

use super::super::ast::{HereDocument, Redirect, RedirectFd, RedirectOp, Word};
use super::Printer;
use super::word::{single_quoted, unquoted};

impl<'t> Printer<'t> {
    /// Redirections, `2>&1` for a `|&` last, then the here-documents (later, inside a connection).
    pub(super) fn redirects(&mut self, redirects: &'t [Redirect], pipe_stderr: bool) {
        self.after_document = false;
        let mut documents = Vec::new();
        for (at, redirect) in redirects.iter().enumerate() {
            if at > 0 {
                self.text(" ");
            }
            self.redirect(redirect);
            if let RedirectOp::HereDocument(document) = &redirect.op {
                documents.push(document);
            }
        }
        if pipe_stderr {
            self.text(if redirects.is_empty() { "2>&1" } else { " 2>&1" });
        }
        if documents.is_empty() {
            return;
        }
        if self.connections > 0 {
            self.deferred = documents;
        } else {
            self.document_bodies(&documents);
        }
    }

    fn redirect(&mut self, redirect: &Redirect) {
        let fd = redirect.fd.as_ref();
        match &redirect.op {
            RedirectOp::Read(word) => self.file(fd, 0, "< ", word),
            RedirectOp::Write(word) => self.file(fd, 1, "> ", word),
            RedirectOp::Clobber(word) => self.file(fd, 1, ">| ", word),
            RedirectOp::Append(word) => self.file(fd, 1, ">> ", word),
            RedirectOp::ReadWrite(word) => self.file(fd, 1, "<> ", word),
            RedirectOp::HereString(word) => self.file(fd, 0, "<<< ", word),
            RedirectOp::WriteBoth(word) => self.file(None, 0, "&> ", word),
            RedirectOp::AppendBoth(word) => self.file(None, 0, "&>> ", word),
            RedirectOp::DuplicateInput(word) => self.duplicate(fd, 0, "<&", word),
            RedirectOp::DuplicateOutput(word) => self.duplicate(fd, 1, ">&", word),
            RedirectOp::HereDocument(document) => self.document_header(fd, document),
        }
    }

    /// The descriptor, unless it is the operator's own.
    fn descriptor(&mut self, fd: Option<&RedirectFd>, own: u32) {
        match fd {
            None => {}
            Some(RedirectFd::Number(number)) if *number == own => {}
            Some(RedirectFd::Number(number)) => self.text(&number.to_string()),
            Some(RedirectFd::Variable(name, subscript)) => {
                self.text("{");
                self.out.extend_from_slice(name);
                if let Some(subscript) = subscript {
                    self.text("[");
                    super::word(subscript, &mut self.out);
                    self.text("]");
                }
                self.text("}");
            }
        }
    }

    fn file(&mut self, fd: Option<&RedirectFd>, own: u32, operator: &str, word: &Word) {
        // Behind `<>` bash leaves out 1, though its own is 0.
        let fd = if operator == "<> " && fd.is_none() {
            Some(&RedirectFd::Number(0))
        } else {
            fd
        };
        self.descriptor(fd, own);
        self.text(operator);
        super::word(word, &mut self.out);
    }

    /// `n>&m`: bash keeps the numbers when it knows both, and writes every closing as `>&-`.
    fn duplicate(&mut self, fd: Option<&RedirectFd>, own: u32, operator: &str, word: &Word) {
        let literal = unquoted(word);
        let digits = |text: &[u8]| !text.is_empty() && text.iter().all(u8::is_ascii_digit);
        let fixed =
            literal.is_some_and(|text| text == b"-" || digits(text.strip_suffix(b"-").unwrap_or(text)));
        match fd {
            None if fixed => self.text(&own.to_string()),
            Some(RedirectFd::Number(number)) if fixed => self.text(&number.to_string()),
            fd => self.descriptor(fd, own),
        }
        self.text(if literal == Some(b"-") { ">&" } else { operator });
        super::word(word, &mut self.out);
    }

    fn document_header(&mut self, fd: Option<&RedirectFd>, document: &HereDocument) {
        self.descriptor(fd, 0);
        self.text(if document.strip_tabs { "<<-" } else { "<<" });
        if document.quoted {
            single_quoted(&document.wanted(), &mut self.out);
        } else {
            self.out.extend_from_slice(&document.delimiter);
        }
    }

    pub(super) fn document_bodies(&mut self, documents: &[&'t HereDocument]) {
        self.text("\n");
        for document in documents {
            match (&document.raw, document.body.parts.as_slice()) {
                (Some(raw), _) => self.out.extend_from_slice(raw),
                (None, parts) => parts
                    .iter()
                    .for_each(|part| super::word::document_part(part, &mut self.out)),
            }
            self.out.extend_from_slice(&document.wanted());
            self.text("\n");
        }
        self.after_document = true;
    }
}
