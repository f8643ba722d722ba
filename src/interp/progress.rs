//! Compound commands on the synchronous path: which list runs first, and which one after a list has ended.
//!
//! The loop that runs the lists is in `now`; here stands what each kind of command does between them. The coroutines in `compound` do the
//! same for what this path leaves out.

use super::compound::Turn;
use super::now::{Next, State};
use super::{Divert, ExpandFailure, Flow, Interp, Set, Shopt};
use crate::expand::{Mode, word};
use crate::kernel::cost;
use crate::syntax::ast::{Arith, CaseEnd, Compound, CompoundKind, Name, Word};

impl Interp {
    /// Starts a compound command that `runs_now`: which of its lists runs first.
    pub(super) fn begin(&mut self, compound: &Compound, state: &mut State) -> Next {
        match &compound.kind {
            CompoundKind::While { .. } => {
                self.context.loops += 1;
                Next::List(0)
            }
            CompoundKind::For { name, words, .. } => match self.begin_for(name, words.as_deref(), state) {
                Ok(()) => self.next_word(compound, state),
                Err(flow) => Next::End(flow),
            },
            CompoundKind::ArithFor { init, .. } => match self.arith_now(compound.line, init) {
                Ok(Some(_)) => {
                    self.context.loops += 1;
                    self.next_turn(compound, state)
                }
                Ok(None) => Next::End(Ok(1)),
                Err(divert) => Next::End(Err(divert)),
            },
            CompoundKind::Case { word, .. } => match word::text_now(self, word, Mode::Single) {
                Ok(subject) => {
                    state.fields.push(subject);
                    self.next_item(compound, state, 0, false)
                }
                Err(failure) => Next::End(Err(self.fail_expansion(failure))),
            },
            _ => Next::List(0),
        }
    }

    /// A list of a compound command has ended: what follows.
    pub(super) fn after_list(&mut self, compound: &Compound, state: &mut State, flow: Flow) -> Next {
        match &compound.kind {
            CompoundKind::If { branches, otherwise } => {
                self.after_if(state.list, branches.len(), otherwise.is_some(), flow)
            }
            CompoundKind::While { until, .. } => match (state.list, flow) {
                (0, Ok(answer)) if (answer == 0) == *until => Next::End(self.end_loop(state.status, None)),
                (0, Ok(_)) => Next::List(1),
                (0, Err(Divert::Continue(1))) if *until => Next::End(self.end_loop(state.status, None)),
                (_, flow) => self.after_body(state, flow, |_, _| Next::List(0)),
            },
            CompoundKind::For { .. } => {
                self.after_body(state, flow, |interp, state| interp.next_word(compound, state))
            }
            CompoundKind::ArithFor { update, .. } => {
                self.after_body(state, flow, |interp, state| {
                    match interp.arith_now(compound.line, update) {
                        Ok(Some(_)) => interp.next_turn(compound, state),
                        Ok(None) => Next::End(interp.end_loop(1, None)),
                        Err(divert) => Next::End(interp.end_loop(state.status, Some(divert))),
                    }
                })
            }
            CompoundKind::Case { .. } => match flow {
                Ok(status) => {
                    state.status = status;
                    self.after_item(compound, state, state.list)
                }
                Err(divert) => Next::End(Err(divert)),
            },
            _ => Next::End(flow),
        }
    }

    fn after_if(&mut self, index: usize, branches: usize, otherwise: bool, flow: Flow) -> Next {
        match flow {
            Ok(answer) if index.is_multiple_of(2) && index / 2 < branches => {
                if answer == 0 {
                    Next::List(index + 1)
                } else if index / 2 + 1 < branches || otherwise {
                    Next::List(index + 2)
                } else {
                    Next::End(Ok(0))
                }
            }
            flow => Next::End(flow),
        }
    }

    /// The body of a loop has ended.
    fn after_body(
        &mut self,
        state: &mut State,
        flow: Flow,
        next: impl FnOnce(&mut Self, &mut State) -> Next,
    ) -> Next {
        match self.turn(flow, &mut state.status) {
            Turn::Next => next(self, state),
            Turn::Stop => Next::End(self.end_loop(state.status, None)),
            Turn::Leave(divert) => Next::End(self.end_loop(state.status, Some(divert))),
        }
    }

    fn begin_for(&mut self, name: &Name, words: Option<&[Word]>, state: &mut State) -> Result<(), Flow> {
        if !word::is_name(name) {
            return Err(self.bad_loop_name(name));
        }
        match words {
            None => state.fields = self.positional.iter().map(|text| text.to_vec()).collect(),
            Some(words) => {
                for word in words {
                    if let Err(failure) = word::fields_now(self, word, &mut state.fields) {
                        return Err(Err(self.fail_expansion(failure)));
                    }
                }
            }
        }
        self.context.loops += 1;
        Ok(())
    }

    /// The name of `for` cannot be one.
    pub(super) fn bad_loop_name(&mut self, name: &[u8]) -> Flow {
        self.error([b"`", name, b"': not a valid identifier"].concat());
        if self.options.is(Set::Posix) {
            Err(Divert::Exit(1))
        } else {
            Ok(1)
        }
    }

    /// Sets the variable of `for` to the next word.
    fn next_word(&mut self, compound: &Compound, state: &mut State) -> Next {
        let CompoundKind::For { name, .. } = &compound.kind else {
            return Next::End(Ok(0));
        };
        let Some(field) = state.fields.get(state.next) else {
            return Next::End(self.end_loop(state.status, None));
        };
        state.next += 1;
        self.at_line(compound.line);
        if self.assign_plain(name, field) {
            return Next::List(0);
        }
        match self.set_loop_variable(name, field) {
            Ok(()) => Next::List(0),
            Err(failure) => match self.fail_assignment(failure) {
                Divert::Discard(_) => Next::End(self.end_loop(1, None)),
                divert => Next::End(self.end_loop(state.status, Some(divert))),
            },
        }
    }

    /// Looks at the condition of `for (( ))`.
    fn next_turn(&mut self, compound: &Compound, state: &mut State) -> Next {
        let CompoundKind::ArithFor { condition, .. } = &compound.kind else {
            return Next::End(Ok(0));
        };
        if let Err(halt) = self.proc.kernel.meter().charge(cost::STATEMENT) {
            return Next::End(self.end_loop(state.status, Some(halt.into())));
        }
        match self.arith_now(compound.line, condition) {
            Ok(Some(0)) => Next::End(self.end_loop(state.status, None)),
            Ok(Some(_)) => Next::List(0),
            Ok(None) => Next::End(self.end_loop(1, None)),
            Err(divert) => Next::End(self.end_loop(state.status, Some(divert))),
        }
    }

    /// Finds the item of `case` that matches, from one on.
    fn next_item(&mut self, compound: &Compound, state: &mut State, from: usize, falls: bool) -> Next {
        let CompoundKind::Case { items, .. } = &compound.kind else {
            return Next::End(Ok(0));
        };
        let mut falls = falls;
        for (index, item) in items.iter().enumerate().skip(from) {
            if !falls {
                let subject = state.fields.first_mut().map(std::mem::take).unwrap_or_default();
                let matched = self.any_matches_now(&subject, &item.patterns);
                if let Some(slot) = state.fields.first_mut() {
                    *slot = subject;
                }
                match matched {
                    Ok(true) => {}
                    Ok(false) => continue,
                    Err(divert) => return Next::End(Err(divert)),
                }
            }
            if !item.body.items.is_empty() {
                return Next::List(index);
            }
            state.status = 0;
            match item.end {
                CaseEnd::Break => break,
                CaseEnd::FallThrough => falls = true,
                CaseEnd::Continue => falls = false,
            }
        }
        self.recycle(&mut state.fields);
        Next::End(Ok(state.status))
    }

    fn after_item(&mut self, compound: &Compound, state: &mut State, index: usize) -> Next {
        let CompoundKind::Case { items, .. } = &compound.kind else {
            return Next::End(Ok(0));
        };
        match items.get(index).map(|item| item.end) {
            Some(CaseEnd::FallThrough) => self.next_item(compound, state, index + 1, true),
            Some(CaseEnd::Continue) => self.next_item(compound, state, index + 1, false),
            _ => {
                self.recycle(&mut state.fields);
                Next::End(Ok(state.status))
            }
        }
    }

    fn any_matches_now(&mut self, subject: &[u8], patterns: &[Word]) -> Flow<bool> {
        for pattern in patterns {
            if self.matches_now(subject, pattern)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Matches against a pure pattern.
    pub(super) fn matches_now(&mut self, subject: &[u8], pattern: &Word) -> Flow<bool> {
        if let Some(literal) = Self::literal_name(pattern) {
            let active = literal
                .iter()
                .any(|byte| matches!(byte, b'*' | b'?' | b'[' | b'\\' | b'('));
            if !active && !self.options.shopt(Shopt::Nocasematch) {
                return Ok(literal == subject);
            }
            return Ok(self.matches_pattern(subject, literal, self.options.shopt(Shopt::Extglob))?);
        }
        let text = match word::text_now(self, pattern, Mode::Pattern) {
            Ok(text) => text,
            Err(failure) => return Err(self.fail_expansion(failure)),
        };
        let matches = self.matches_pattern(subject, &text, self.options.shopt(Shopt::Extglob))?;
        self.recycle_buffer(text);
        Ok(matches)
    }

    /// Evaluates one of the three expressions, which is pure; `None` after an error, which is said.
    fn arith_now(&mut self, line: u32, arith: &Arith) -> Flow<Option<i64>> {
        if super::assign::is_empty(&arith.text) {
            return Ok(Some(1));
        }
        self.at_line(line);
        match word::arithmetic_now(self, arith) {
            Ok(value) => Ok(Some(value)),
            Err(ExpandFailure::Arith(message)) => {
                self.error([b"((: ".as_slice(), &message].concat());
                Ok(None)
            }
            Err(ExpandFailure::Discard(message)) => {
                self.error(message);
                Ok(None)
            }
            Err(failure) => Err(self.fail_expansion(failure)),
        }
    }
}
