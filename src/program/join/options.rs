//! The command line of `join`: operands may belong to an `-o` or `-j1` before them, so their order counts.

use crate::args::{COREUTILS, CountError, Opt, Spec, UsageError, parse_count, quote, quoteaf};
use crate::program::message::message;

#[derive(Clone, Copy, PartialEq)]
enum Flag {
    Unpaired,
    OnlyUnpaired,
    Empty,
    IgnoreCase,
    Field,
    Format,
    Separator,
    FirstField,
    SecondField,
    CheckOrder,
    NoCheckOrder,
    Header,
    Zero,
}

static SPEC: Spec<Flag> = Spec::new(
    "join",
    COREUTILS,
    &["[OPTION]... FILE1 FILE2"],
    "For each pair of input lines with identical join fields, write a line to\n\
     standard output.  The default join field is the first, delimited by blanks.\n\n\
     When FILE1 or FILE2 (not both) is -, read standard input.",
    &[
        Opt::short(Flag::Unpaired, 'a', "also print unpairable lines from file FILENUM, where\nFILENUM is 1 or 2, corresponding to FILE1 or FILE2")
            .takes("FILENUM"),
        Opt::short(Flag::Empty, 'e', "replace missing input fields with STRING").takes("STRING"),
        Opt::flag(Flag::IgnoreCase, 'i', "ignore-case", "ignore differences in case when comparing fields"),
        Opt::short(Flag::Field, 'j', "equivalent to '-1 FIELD -2 FIELD'").takes("FIELD"),
        Opt::short(Flag::Format, 'o', "obey FORMAT while constructing output line").takes("FORMAT"),
        Opt::short(Flag::Separator, 't', "use CHAR as input and output field separator").takes("CHAR"),
        Opt::short(Flag::OnlyUnpaired, 'v', "like -a FILENUM, but suppress joined output lines").takes("FILENUM"),
        Opt::short(Flag::FirstField, '1', "join on this FIELD of file 1").takes("FIELD"),
        Opt::short(Flag::SecondField, '2', "join on this FIELD of file 2").takes("FIELD"),
        Opt::long(
            Flag::CheckOrder,
            "check-order",
            "check that the input is correctly sorted, even\nif all input lines are pairable",
        ),
        Opt::long(Flag::NoCheckOrder, "nocheck-order", "do not check that the input is correctly sorted"),
        Opt::long(
            Flag::Header,
            "header",
            "treat the first line in each file as field headers,\nprint them without trying to pair them",
        ),
        Opt::flag(Flag::Zero, 'z', "zero-terminated", "line delimiter is NUL, not newline"),
    ],
)
.posix()
.notes(
    "Unless -t CHAR is given, leading blanks separate fields and are ignored,\n\
     else fields are separated by CHAR.  Any FIELD is a field number counted\n\
     from 1.  FORMAT is one or more comma or blank separated specifications,\n\
     each being 'FILENUM.FIELD' or '0'.  Default FORMAT outputs the join field,\n\
     the remaining fields from FILE1, the remaining fields from FILE2, all\n\
     separated by CHAR.  If FORMAT is the keyword 'auto', then the first\n\
     line of each file determines the number of fields output for each line.",
);

/// A field of the output.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Output {
    /// The field that was joined on.
    Join,
    /// Field of a file, both from 0.
    Field(usize, usize),
}

/// What `join` was asked to do.
#[derive(Debug, Default)]
pub struct Plan {
    /// Unpaired lines of each file are printed.
    pub unpaired: [bool; 2],
    /// Pairs are not.
    pub no_pairs: bool,
    /// For empty and missing fields.
    pub empty: Option<Vec<u8>>,
    /// ASCII letters of either case are the same.
    pub ignore_case: bool,
    /// The fields to join on, from 0.
    pub fields: [usize; 2],
    /// The fields to print.
    pub format: Vec<Output>,
    /// As many fields as the first lines have.
    pub auto: bool,
    /// Between fields; `None`: blanks. A newline: the line is one field.
    pub separator: Option<u8>,
    /// `None`: only when lines were not paired.
    pub check: Option<bool>,
    /// First lines are headers.
    pub header: bool,
    /// At the end of lines.
    pub delimiter: u8,
    /// The files.
    pub files: [Vec<u8>; 2],
}

/// What an operand may be besides a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Status {
    File,
    /// The field number of a `-j1` or `-j2` (0 or 1) before it.
    OldField(usize),
    /// More of the `-o` before it.
    Format,
}

fn plain(message: Vec<u8>) -> UsageError {
    UsageError::plain(1, message)
}

fn field_number(text: &[u8]) -> Result<usize, UsageError> {
    match parse_count(text, "") {
        Ok(0) | Err(CountError::Invalid) => Err(plain(message!("invalid field number: ", quote(text)))),
        Ok(number) => Ok(usize::try_from(number - 1).unwrap_or(usize::MAX)),
        Err(CountError::Overflow) => Ok(usize::MAX),
    }
}

struct Reader {
    plan: Plan,
    join_fields: [Option<usize>; 2],
    old_fields: [i32; 2],
    operands: Vec<(Status, Vec<u8>)>,
}

impl Plan {
    /// Reads the command line.
    pub fn from_arguments(arguments: &[Vec<u8>]) -> Result<Plan, UsageError> {
        let plan = Plan {
            delimiter: b'\n',
            ..Plan::default()
        };
        let mut reader = Reader {
            plan,
            join_fields: [None; 2],
            old_fields: [0; 2],
            operands: Vec::new(),
        };
        let mut rest = arguments;
        let mut status = Status::File;
        while !rest.is_empty() {
            let parsed = SPEC.parse(rest)?;
            let used = rest.len() - parsed.operands.len();
            let words = rest.get(..used).unwrap_or_default();
            for (flag, value) in parsed.options {
                status = reader.option(flag, value.unwrap_or_default(), words)?;
            }
            let Some((first, others)) = parsed.operands.split_first() else {
                break;
            };
            if words.last().is_some_and(|word| word == b"--") {
                for operand in &parsed.operands {
                    reader.operand(Status::File, operand)?;
                }
                break;
            }
            status = reader.operand(status, first)?;
            rest = rest.get(rest.len() - others.len()..).unwrap_or_default();
        }
        reader.finish(arguments)
    }
}

impl Reader {
    fn set_field(&mut self, file: usize, field: usize) -> Result<(), UsageError> {
        let Some(slot) = self.join_fields.get_mut(file) else {
            return Ok(());
        };
        if let Some(before) = slot.filter(|before| *before != field) {
            let text = format!(
                "incompatible join fields {}, {}",
                before.wrapping_add(1),
                field.wrapping_add(1)
            );
            return Err(plain(text.into_bytes()));
        }
        *slot = Some(field);
        Ok(())
    }

    /// Takes an option in; what an operand behind it may be.
    fn option(&mut self, flag: Flag, value: Vec<u8>, words: &[Vec<u8>]) -> Result<Status, UsageError> {
        let plan = &mut self.plan;
        match flag {
            Flag::Unpaired | Flag::OnlyUnpaired => {
                plan.no_pairs |= flag == Flag::OnlyUnpaired;
                let file = parse_count(&value, "").ok().filter(|file| matches!(file, 1 | 2));
                let Some(file) = file else {
                    return Err(plain(message!("invalid field number: ", quote(&value))));
                };
                let [first, second] = &mut plan.unpaired;
                *(if file == 1 { first } else { second }) = true;
            }
            Flag::Empty => {
                if plan.empty.as_ref().is_some_and(|before| *before != value) {
                    return Err(plain(b"conflicting empty-field replacement strings".to_vec()));
                }
                plan.empty = Some(value);
            }
            Flag::IgnoreCase => plan.ignore_case = true,
            Flag::FirstField => self.set_field(0, field_number(&value)?)?,
            Flag::SecondField => self.set_field(1, field_number(&value)?)?,
            Flag::Field => return self.both_fields(&value, words),
            Flag::Format if value == b"auto" => plan.auto = true,
            Flag::Format => {
                self.add_format(&value)?;
                return Ok(Status::Format);
            }
            Flag::Separator => self.set_separator(&value)?,
            Flag::CheckOrder => plan.check = Some(true),
            Flag::NoCheckOrder => plan.check = Some(false),
            Flag::Header => plan.header = true,
            Flag::Zero => plan.delimiter = 0,
        }
        Ok(Status::File)
    }

    /// `-j N`; the words `-j1` and `-j2` may have their field as the next operand.
    fn both_fields(&mut self, value: &[u8], words: &[Vec<u8>]) -> Result<Status, UsageError> {
        let file = match value {
            b"1" => 0,
            b"2" => 1,
            _ => usize::MAX,
        };
        let word = [b"-j", value].concat();
        if let Some(count) = self.old_fields.get_mut(file).filter(|_| words.contains(&word)) {
            *count += 1;
            return Ok(Status::OldField(file));
        }
        let field = field_number(value)?;
        self.set_field(0, field)?;
        self.set_field(1, field)?;
        Ok(Status::File)
    }

    fn set_separator(&mut self, value: &[u8]) -> Result<(), UsageError> {
        let separator = match value {
            // The whole line.
            [] => b'\n',
            [one] => *one,
            b"\\0" => 0,
            _ => return Err(plain(message!("multi-character tab ", quote(value)))),
        };
        if self.plan.separator.is_some_and(|before| before != separator) {
            return Err(plain(b"incompatible tabs".to_vec()));
        }
        self.plan.separator = Some(separator);
        Ok(())
    }

    fn add_format(&mut self, list: &[u8]) -> Result<(), UsageError> {
        for item in list.split(|byte| matches!(byte, b',' | b' ' | b'\t')) {
            let output = match item {
                b"0" => Output::Join,
                [b'1', b'.', field @ ..] => Output::Field(0, field_number(field)?),
                [b'2', b'.', field @ ..] => Output::Field(1, field_number(field)?),
                [b'0' | b'1' | b'2', ..] => {
                    return Err(plain(message!("invalid field specifier: ", quote(item))));
                }
                _ => {
                    return Err(plain(message!(
                        "invalid file number in field spec: ",
                        quote(item)
                    )));
                }
            };
            self.plan.format.push(output);
        }
        Ok(())
    }

    /// Takes an operand in. The third one shows what the first that may be something else is.
    fn operand(&mut self, status: Status, operand: &[u8]) -> Result<Status, UsageError> {
        if self.operands.len() == 2 {
            let place = self
                .operands
                .iter()
                .position(|(status, _)| *status != Status::File);
            let Some(place) = place else {
                return Err(SPEC.complain(message!("extra operand ", quoteaf(operand))));
            };
            let (status, value) = self.operands.remove(place);
            match status {
                Status::OldField(file) => {
                    if let Some(count) = self.old_fields.get_mut(file) {
                        *count -= 1;
                    }
                    self.set_field(file, field_number(&value)?)?;
                }
                _ => self.add_format(&value)?,
            }
        }
        self.operands.push((status, operand.to_vec()));
        Ok(if status == Status::Format {
            status
        } else {
            Status::File
        })
    }

    fn finish(mut self, arguments: &[Vec<u8>]) -> Result<Plan, UsageError> {
        let operands = std::mem::take(&mut self.operands);
        let mut names = operands.into_iter().map(|(_, name)| name);
        let (Some(first), Some(second)) = (names.next(), names.next()) else {
            return Err(match arguments.last() {
                Some(last) if self.has_operand(arguments) => SPEC.missing_operand_after(last),
                _ => SPEC.missing_operand(),
            });
        };
        for (file, count) in self.old_fields.into_iter().enumerate() {
            if count != 0 {
                self.set_field(0, file)?;
                self.set_field(1, file)?;
            }
        }
        self.plan.fields = self.join_fields.map(|field| field.unwrap_or(0));
        self.plan.files = [first, second];
        Ok(self.plan)
    }

    fn has_operand(&self, arguments: &[Vec<u8>]) -> bool {
        SPEC.parse(arguments)
            .is_ok_and(|parsed| !parsed.operands.is_empty())
    }
}
