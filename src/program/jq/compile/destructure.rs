//! Taking values apart: `as [$a, {b: $c}]`, and alternatives of patterns.

use super::super::ast::Pattern;
use super::super::value::Value;
use super::{Compiler, Name, Op, Slot};

impl Compiler<'_> {
    /// Takes the top apart and runs code on what is below, once for the pattern, or for the first alternative without an error.
    pub(super) fn destructure(&mut self, patterns: &[Pattern], body: &mut dyn FnMut(&mut Self)) {
        let before = self.level().names.len();
        let mut names = Vec::new();
        patterns.iter().for_each(|pattern| pattern.variables(&mut names));
        let slots: Vec<(String, Slot)> = names.into_iter().map(|name| (name, self.fresh())).collect();
        let Some((last, others)) = patterns.split_last() else {
            return;
        };
        let mut ends = Vec::new();
        for pattern in others {
            let attempt = self.emit(Op::TryPattern(0));
            self.clear(&slots);
            self.pattern(pattern, &slots);
            self.name_slots(&slots);
            body(self);
            self.level().names.truncate(before);
            ends.push(self.emit(Op::Jump(0)));
            self.land(attempt);
        }
        if !others.is_empty() {
            self.clear(&slots);
        }
        self.pattern(last, &slots);
        self.name_slots(&slots);
        body(self);
        self.level().names.truncate(before);
        for end in ends {
            self.land(end);
        }
    }

    fn name_slots(&mut self, slots: &[(String, Slot)]) {
        for (name, slot) in slots {
            self.level().names.push(Name::Variable(name.clone(), slot.1));
        }
    }

    fn clear(&mut self, slots: &[(String, Slot)]) {
        for (_, slot) in slots {
            self.emit(Op::Duplicate);
            self.emit(Op::Constant(Value::Null));
            self.emit(Op::Store(*slot));
        }
    }

    /// Stores the parts of the top, which goes.
    fn pattern(&mut self, pattern: &Pattern, slots: &[(String, Slot)]) {
        self.depth += 1;
        let slot_of = |name: &str| {
            slots
                .iter()
                .find(|(known, _)| known == name)
                .map(|(_, slot)| *slot)
        };
        match pattern {
            Pattern::Variable(name) => {
                if let Some(slot) = slot_of(name) {
                    self.emit(Op::Store(slot));
                }
            }
            Pattern::Array(parts) => {
                for (index, part) in parts.iter().enumerate() {
                    self.emit(Op::Duplicate);
                    self.emit(Op::Begin);
                    self.emit(Op::Constant(Value::Number(index as f64)));
                    self.emit(Op::End);
                    self.emit(Op::Index(false));
                    self.pattern(part, slots);
                }
                self.emit(Op::Drop);
            }
            Pattern::Object(parts) => {
                for (key, name, part) in parts {
                    self.emit(Op::Duplicate);
                    // Keys see the variables that stand before them.
                    let before = self.level().names.len();
                    self.name_slots(slots);
                    self.sub(key);
                    self.level().names.truncate(before);
                    self.emit(Op::Index(false));
                    if let Some(slot) = name.as_deref().and_then(slot_of) {
                        self.emit(Op::Duplicate);
                        self.emit(Op::Store(slot));
                    }
                    match part {
                        Some(part) => self.pattern(part, slots),
                        None => {
                            self.emit(Op::Drop);
                        }
                    }
                }
                self.emit(Op::Drop);
            }
        }
        self.depth -= 1;
    }
}
