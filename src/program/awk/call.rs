//! Calls of awk's own functions: those that take arrays, regular expressions or something to change have operations of their own.

use super::code::{ArrayRef, Builtin, Op, RegexRef, Target};
use super::expression::Parsed;
use super::lexer::Token;
use super::parser::{Parser, Parsing};

impl Parser<'_> {
    /// A function whose name was read.
    pub(super) fn builtin(&mut self, function: Builtin) -> Parsing<Parsed> {
        if !self.is("(") {
            if function != Builtin::Length {
                return Err(self.unexpected());
            }
            self.emit(Op::LengthRecord);
            return Ok(Parsed::Value);
        }
        self.advance()?;
        let before = std::mem::replace(&mut self.no_greater, false);
        let parsed = self.deeper(|parser| match function {
            Builtin::Length => parser.length(),
            Builtin::Sub | Builtin::Gsub => parser.substitute(function),
            Builtin::Gensub => parser.gensub(),
            Builtin::Match => parser.match_function(),
            Builtin::Split | Builtin::Patsplit => parser.split(function),
            Builtin::Asort | Builtin::Asorti => parser.sort(function),
            Builtin::Typeof | Builtin::Isarray => parser.type_of(function),
            _ => parser.plain(function),
        });
        self.no_greater = before;
        parsed?;
        Ok(Parsed::Value)
    }

    fn argument_expression(&mut self) -> Parsing<Parsed> {
        self.skip_newlines()?;
        let parsed = self.expression()?;
        self.skip_newlines()?;
        Ok(parsed)
    }

    fn argument_value(&mut self) -> Parsing<()> {
        let parsed = self.argument_expression()?;
        self.value(parsed)
    }

    /// The comma in front of a further argument; without one the call has too few.
    fn comma(&mut self, function: Builtin, count: usize) -> Parsing<()> {
        if self.take(",")? {
            Ok(())
        } else {
            self.too_few(function, count)
        }
    }

    fn too_few(&mut self, function: Builtin, count: usize) -> Parsing<()> {
        if self.is(")") {
            Err(self.wrong_count(function, count))
        } else {
            Err(self.unexpected())
        }
    }

    /// The end of a call that takes no more than `count` arguments.
    fn close(&mut self, function: Builtin, count: usize) -> Parsing<()> {
        if self.is(",") {
            let mut count = count;
            while self.take(",")? {
                self.argument_value()?;
                count += 1;
            }
            return Err(self.wrong_count(function, count));
        }
        self.expect(")")
    }

    fn plain(&mut self, function: Builtin) -> Parsing<()> {
        let (least, most) = function.arguments();
        let mut count = 0;
        if !self.is(")") {
            loop {
                self.argument_value()?;
                count += 1;
                if !self.take(",")? {
                    break;
                }
            }
        }
        if !self.is(")") {
            return Err(self.unexpected());
        }
        if count < least || count > most {
            return Err(self.wrong_count(function, count));
        }
        self.advance()?;
        self.emit(Op::Builtin {
            function,
            count: count as u32,
        });
        Ok(())
    }

    fn length(&mut self) -> Parsing<()> {
        if self.take(")")? {
            self.emit(Op::LengthRecord);
            return Ok(());
        }
        let parsed = self.argument_expression()?;
        match parsed {
            Parsed::Target(Target::Variable(place)) => {
                self.emit(Op::LengthVariable(place));
            }
            Parsed::Target(Target::Special(special)) if super::machine::is_array(special) => {
                self.emit(Op::LengthVariable(special.place()));
            }
            Parsed::Target(Target::Element(array)) => {
                self.emit(Op::LengthElement(array));
            }
            parsed => {
                self.value(parsed)?;
                self.emit(Op::Builtin {
                    function: Builtin::Length,
                    count: 1,
                });
            }
        }
        self.close(Builtin::Length, 1)
    }

    fn regex_argument(&mut self) -> Parsing<RegexRef> {
        match self.argument_expression()? {
            Parsed::Regex(regex) => Ok(RegexRef::Constant(regex)),
            parsed => {
                self.value(parsed)?;
                Ok(RegexRef::Stack)
            }
        }
    }

    fn substitute(&mut self, function: Builtin) -> Parsing<()> {
        let regex = self.regex_argument()?;
        self.comma(function, 1)?;
        self.argument_value()?;
        let mut target = None;
        if self.take(",")? {
            target = Some(match self.argument_expression()? {
                Parsed::Target(target) => target,
                parsed => {
                    self.value(parsed)?;
                    Target::Variable(self.temporary())
                }
            });
        }
        self.close(function, 3)?;
        self.emit(Op::Substitute {
            regex,
            global: function == Builtin::Gsub,
            target,
        });
        Ok(())
    }

    fn gensub(&mut self) -> Parsing<()> {
        let regex = self.regex_argument()?;
        self.comma(Builtin::Gensub, 1)?;
        self.argument_value()?;
        self.comma(Builtin::Gensub, 2)?;
        self.argument_value()?;
        if self.take(",")? {
            self.argument_value()?;
        } else {
            self.emit(Op::Load(Target::FieldNumber(0)));
        }
        self.close(Builtin::Gensub, 4)?;
        self.emit(Op::Gensub(regex));
        Ok(())
    }

    fn match_function(&mut self) -> Parsing<()> {
        self.argument_value()?;
        self.comma(Builtin::Match, 1)?;
        let regex = self.regex_argument()?;
        let array = if self.take(",")? {
            Some(self.array_argument()?)
        } else {
            None
        };
        self.close(Builtin::Match, 3)?;
        self.emit(Op::MatchFunction { regex, array });
        Ok(())
    }

    /// The name of an array, perhaps within others.
    fn array_argument(&mut self) -> Parsing<ArrayRef> {
        self.skip_newlines()?;
        let Token::Name(name) = self.token.clone() else {
            return Err(self.unexpected());
        };
        self.advance()?;
        let array = ArrayRef::Variable(self.variable(&name));
        let array = self.subarray_path(array)?;
        self.skip_newlines()?;
        Ok(array)
    }

    fn split(&mut self, function: Builtin) -> Parsing<()> {
        self.argument_value()?;
        self.comma(function, 1)?;
        let array = self.array_argument()?;
        let separator = if self.take(",")? {
            Some(self.regex_argument()?)
        } else {
            None
        };
        let separators = if separator.is_some() && self.take(",")? {
            Some(self.array_argument()?)
        } else {
            None
        };
        self.close(function, 4)?;
        self.emit(Op::Split {
            array,
            separator,
            separators,
            by_pattern: function == Builtin::Patsplit,
        });
        Ok(())
    }

    fn sort(&mut self, function: Builtin) -> Parsing<()> {
        let source = self.array_argument()?;
        let mut destination = None;
        let mut how = false;
        if self.take(",")? {
            destination = Some(self.array_argument()?);
            if self.take(",")? {
                self.argument_value()?;
                how = true;
            }
        }
        self.close(function, 3)?;
        self.emit(Op::Sort {
            source,
            destination,
            indices: function == Builtin::Asorti,
            how,
        });
        Ok(())
    }

    fn type_of(&mut self, function: Builtin) -> Parsing<()> {
        let is_array = function == Builtin::Isarray;
        match self.argument_expression()? {
            Parsed::Target(Target::Variable(place)) => {
                self.emit(Op::TypeOf { place, is_array });
            }
            Parsed::Target(Target::Special(special)) => {
                if !super::machine::is_array(special) {
                    // Its value must be up to date.
                    self.emit(Op::Load(Target::Special(special)));
                    self.emit(Op::Drop);
                }
                self.emit(Op::TypeOf {
                    place: special.place(),
                    is_array,
                });
            }
            Parsed::Target(Target::Element(array)) => {
                self.emit(Op::TypeOfElement { array, is_array });
            }
            parsed => {
                self.value(parsed)?;
                let place = self.temporary();
                self.emit(Op::TypeOf { place, is_array });
            }
        }
        self.close(function, 1)
    }
}
