//! Words to fields: the drivers.
//!
//! Each step exists as a plain function for pure parts, and as a future for parts that hold a substitution; the futures call the
//! plain functions for everything but the substitution.

use super::fields::{Builder, Field, Mode, is_glob};
use super::host::{ExpandHost, Failure};
use super::indirect::{indirect, is_indirect};
use super::operands::{operands, operands_now};
use super::param::{self, Decision, Subject, Target};
use super::value::Text;
use super::{arith, arith_text, brace, direct, emit, glob, subscript};
use crate::kernel::{BoxFuture, cost};
use crate::syntax::ast::{Arith, Param, ParamName, ParamOp, Part, Subscript, Word};

type Outcome<T, H> = Result<T, Failure<<H as ExpandHost>::Divert>>;

/// Expands words to arguments: braces, parts, splitting, pathnames.
pub async fn fields<H: ExpandHost>(host: &mut H, words: &[Word], into: &mut Vec<Vec<u8>>) -> Outcome<(), H> {
    for word in words {
        if word.pure {
            fields_now(host, word, into)?;
        } else {
            Box::pin(fields_of(host, word, into)).await?;
        }
    }
    Ok(())
}

async fn fields_of<H: ExpandHost>(host: &mut H, word: &Word, into: &mut Vec<Vec<u8>>) -> Outcome<(), H> {
    if word.braces && host.flags().braceexpand {
        for word in braces(host, word)? {
            let mut builder = Builder::new(Mode::Fields);
            parts(host, &word.parts, Quoting::None, &mut builder).await?;
            finish(host, builder, into)?;
        }
        return Ok(());
    }
    let mut builder = Builder::new(Mode::Fields);
    parts(host, &word.parts, Quoting::None, &mut builder).await?;
    finish(host, builder, into)
}

/// The words that brace expansion makes of one.
pub fn braced<H: ExpandHost>(host: &H, word: &Word) -> Outcome<Vec<Word>, H> {
    if host.flags().braceexpand {
        braces(host, word)
    } else {
        Ok(vec![word.clone()])
    }
}

fn braces<H: ExpandHost>(host: &H, word: &Word) -> Outcome<Vec<Word>, H> {
    brace::expand(word, &mut |count| {
        host.charge(count as u64 * cost::FIELD)?;
        host.reserve(count.saturating_mul(brace::BYTES_PER_CHARGE))
    })
    .map_err(|halt| Failure::Divert(H::Divert::from(halt)))
}

/// Expands one pure word to arguments.
pub fn fields_now<H: ExpandHost>(host: &mut H, word: &Word, into: &mut Vec<Vec<u8>>) -> Outcome<(), H> {
    if let Some(text) = text_of_field(word) {
        let mut field = host.buffer();
        field.extend_from_slice(text);
        into.push(field);
        return Ok(());
    }
    if word.braces && host.flags().braceexpand {
        for word in braces(host, word)? {
            let mut builder = Builder::new(Mode::Fields);
            parts_now(host, &word.parts, Quoting::None, &mut builder)?;
            finish(host, builder, into)?;
        }
        return Ok(());
    }
    if let [part] = word.parts.as_slice()
        && let Some((param, quoted)) = lone_parameter(part)
        && let Some(text) = plain_text(host, param)
        && (quoted || is_one_field(host, &text))
    {
        host.charge(cost::FIELD)?;
        if quoted || !text.is_empty() {
            let mut field = host.buffer();
            field.extend_from_slice(&text);
            into.push(field);
        }
        return Ok(());
    }
    let mut builder = Builder::with_buffer(Mode::Fields, host.buffer());
    parts_now(host, &word.parts, Quoting::None, &mut builder)?;
    finish(host, builder, into)
}

/// The text of a word in which nothing is expanded.
#[inline]
fn text_of_field(word: &Word) -> Option<&[u8]> {
    match word.parts.as_slice() {
        [Part::Literal(text)] if !word.braces && !glob::may_match(text) => Some(text),
        [Part::Single(text) | Part::AnsiC { text, .. }] => Some(text),
        [Part::Double { parts, .. }] => match parts.as_slice() {
            [] => Some(b""),
            [Part::Literal(text)] => Some(text),
            _ => None,
        },
        _ => None,
    }
}

/// The part is `$x` or `"$x"`; says whether it is quoted.
#[inline]
fn lone_parameter(part: &Part) -> Option<(&Param, bool)> {
    let (part, quoted) = match part {
        Part::Double { parts, .. } => match parts.as_slice() {
            [part] => (part, true),
            _ => return None,
        },
        part => (part, false),
    };
    match part {
        Part::Param(param) if is_plain(param) => Some((param, quoted)),
        _ => None,
    }
}

/// The text is neither split nor matched against the tree.
#[inline]
fn is_one_field<H: ExpandHost>(host: &mut H, text: &[u8]) -> bool {
    let ifs = host.ifs();
    text.iter().all(|byte| ifs.class(*byte) == 0 && !is_glob(*byte))
}

fn finish<H: ExpandHost>(host: &mut H, builder: Builder, into: &mut Vec<Vec<u8>>) -> Outcome<(), H> {
    let builder = match builder.only() {
        Ok(field) => {
            host.charge(cost::FIELD)?;
            return expand_path(host, field, into);
        }
        Err(builder) => builder,
    };
    let fields = builder.finish();
    host.charge(fields.len() as u64 * cost::FIELD)?;
    for field in fields {
        expand_path(host, field, into)?;
    }
    Ok(())
}

fn expand_path<H: ExpandHost>(host: &mut H, field: Field, into: &mut Vec<Vec<u8>>) -> Outcome<(), H> {
    if field.glob && !host.flags().noglob {
        let pattern = field.pattern();
        if crate::pattern::has_glob(&pattern, host.flags().extglob) {
            return glob::expand(host, &pattern, field, into);
        }
    }
    into.push(field.text);
    Ok(())
}

/// Expands a word to one string, without splitting: assignments, `case` words, here-documents.
pub async fn single<H: ExpandHost>(host: &mut H, word: &Word) -> Outcome<Vec<u8>, H> {
    text(host, word, Mode::Single).await
}

/// Expands a word to one string in a mode.
pub async fn text<H: ExpandHost>(host: &mut H, word: &Word, mode: Mode) -> Outcome<Vec<u8>, H> {
    if word.pure {
        return text_now(host, word, mode);
    }
    let mut builder = Builder::new(mode);
    Box::pin(parts(host, &word.parts, Quoting::None, &mut builder)).await?;
    Ok(builder.into_single())
}

/// Expands a pure word to one string.
pub fn text_now<H: ExpandHost>(host: &mut H, word: &Word, mode: Mode) -> Outcome<Vec<u8>, H> {
    match word.parts.as_slice() {
        [Part::Literal(text)] => {
            let mut field = host.buffer();
            field.extend_from_slice(text);
            return Ok(field);
        }
        [Part::Single(text) | Part::AnsiC { text, .. }] if mode == Mode::Single => {
            let mut field = host.buffer();
            field.extend_from_slice(text);
            return Ok(field);
        }
        [part] => {
            if let Some((param, quoted)) = lone_parameter(part)
                && (!quoted || matches!(mode, Mode::Single | Mode::Document))
                && let Some(text) = plain_text(host, param)
            {
                let mut field = host.buffer();
                field.extend_from_slice(&text);
                return Ok(field);
            }
        }
        _ => {}
    }
    let mut builder = Builder::with_buffer(mode, host.buffer());
    parts_now(host, &word.parts, Quoting::None, &mut builder)?;
    Ok(builder.into_single())
}

/// No command runs while this part is expanded.
fn is_pure(part: &Part) -> bool {
    match part {
        Part::Command(_) | Part::Process { .. } => false,
        Part::Double { parts, .. } => parts.iter().all(is_pure),
        Part::Arith(arith) => arith.text.pure,
        Part::Param(param) => param_is_pure(param),
        _ => true,
    }
}

fn param_is_pure(param: &Param) -> bool {
    let subscript = match &param.subscript {
        Some(Subscript::Index(word)) => word.pure,
        _ => true,
    };
    subscript
        && match &param.op {
            ParamOp::Test { word, .. } | ParamOp::Trim { pattern: word, .. } => word.pure,
            ParamOp::Replace {
                pattern, replacement, ..
            } => pattern.pure && replacement.as_ref().is_none_or(|word| word.pure),
            ParamOp::Slice { offset, length } => {
                offset.text.pure && length.as_ref().is_none_or(|length| length.text.pure)
            }
            ParamOp::Case { pattern, .. } => pattern.as_ref().is_none_or(|word| word.pure),
            ParamOp::Transform(letter) => *letter != b'P',
            _ => true,
        }
}

fn parts<'a, H: ExpandHost>(
    host: &'a mut H,
    list: &'a [Part],
    quoting: Quoting,
    into: &'a mut Builder,
) -> BoxFuture<'a, Outcome<(), H>> {
    Box::pin(async move {
        for item in list {
            let done = if is_pure(item) {
                part_now(host, item, quoting, into)
            } else {
                part(host, item, quoting, into).await
            };
            done.map_err(|failure| bad_substitution(failure, list))?;
        }
        Ok(())
    })
}

/// The message of a bad substitution shows everything that is expanded with it: the word, or the text between double quotes.
fn bad_substitution<D>(failure: Failure<D>, list: &[Part]) -> Failure<D> {
    let Failure::BadSubstitution { fatal } = failure else {
        return failure;
    };
    let word = Word {
        parts: list.to_vec(),
        ..Word::default()
    };
    let text = crate::syntax::print::print_word(&word);
    let message = [&text, b": bad substitution".as_slice()].concat();
    if fatal {
        Failure::Fatal(message)
    } else {
        Failure::Discard(message)
    }
}

async fn part<H: ExpandHost>(
    host: &mut H,
    item: &Part,
    quoting: Quoting,
    into: &mut Builder,
) -> Outcome<(), H> {
    match item {
        Part::Double { parts: inner, .. } => {
            let mark = open_double(host, inner, into);
            parts(host, inner, Quoting::Double, into).await?;
            close_double(mark, into);
            Ok(())
        }
        Part::Command(substitution) => {
            let output = host.substitute(substitution).await?;
            emit::put(host, &output, quoting.is_double(), into)
        }
        Part::Process { write, body } => {
            let path = host.process(*write, body).await?;
            into.quoted(&path);
            Ok(())
        }
        Part::Arith(arith) => {
            let value = arithmetic(host, arith).await?;
            append_number(host, value, quoting, into);
            Ok(())
        }
        Part::Param(param) => parameter(host, param, quoting, into).await,
        _ => part_now(host, item, quoting, into),
    }
}

fn parts_now<H: ExpandHost>(
    host: &mut H,
    list: &[Part],
    quoting: Quoting,
    into: &mut Builder,
) -> Outcome<(), H> {
    list.iter()
        .try_for_each(|item| part_now(host, item, quoting, into))
        .map_err(|failure| bad_substitution(failure, list))
}

fn part_now<H: ExpandHost>(
    host: &mut H,
    item: &Part,
    quoting: Quoting,
    into: &mut Builder,
) -> Outcome<(), H> {
    match item {
        Part::Literal(text) => match quoting {
            Quoting::Double => into.quoted(text),
            Quoting::None => into.literal(text),
            Quoting::Operand => {
                into.value(text, false, host.ifs());
            }
        },
        Part::Escaped(byte) => into.quoted(&[*byte]),
        Part::Single(text) | Part::AnsiC { text, .. } => into.quoted(text),
        Part::Double { parts: inner, .. } => {
            let mark = open_double(host, inner, into);
            parts_now(host, inner, Quoting::Double, into)?;
            close_double(mark, into);
        }
        Part::Tilde(user) => match host.tilde(user) {
            Some(directory) => into.quoted(&directory),
            None => into.literal(&[b"~", &**user].concat()),
        },
        Part::Param(param) => parameter_now(host, param, quoting, into)?,
        Part::Arith(arith) => {
            let value = arithmetic_now(host, arith)?;
            append_number(host, value, quoting, into);
        }
        // Not pure: the drivers never come here with these.
        Part::Command(_) | Part::Process { .. } => {}
    }
    Ok(())
}

fn append_number<H: ExpandHost>(host: &mut H, value: i64, quoting: Quoting, into: &mut Builder) {
    let mut buffer = itoa::Buffer::new();
    into.value(buffer.format(value).as_bytes(), quoting.is_double(), host.ifs());
}

/// A double-quoted string exists even when empty, unless it holds a `$@`-like parameter that gives no element.
fn open_double<H: ExpandHost>(host: &mut H, inner: &[Part], into: &mut Builder) -> Option<Mark> {
    if inner
        .iter()
        .any(|part| matches!(part, Part::Param(param) if is_list(host, param)))
    {
        return Some(into.mark());
    }
    into.mark_present();
    None
}

type Mark = (usize, usize, bool, usize);

fn close_double(mark: Option<Mark>, into: &mut Builder) {
    if let Some(mark) = mark {
        into.forget_presence(mark);
    }
}

/// How the text around a part is quoted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Quoting {
    /// Not at all.
    None,
    /// `"…"`
    Double,
    /// The word of an unquoted `${x-word}`: its own text is split too.
    Operand,
}

impl Quoting {
    fn is_double(self) -> bool {
        self == Quoting::Double
    }

    fn operand(self) -> Quoting {
        if self.is_double() { self } else { Quoting::Operand }
    }
}

fn is_list<H: ExpandHost>(host: &mut H, param: &Param) -> bool {
    if matches!(param.op, ParamOp::Length) {
        return false;
    }
    if let ParamOp::Names { at } | ParamOp::Keys { at } = param.op {
        return at;
    }
    match (&param.name, &param.subscript) {
        (ParamName::Special(b'@'), _) | (_, Some(Subscript::At)) => true,
        (ParamName::Variable(name), None) => {
            (param.indirect
                && host.value(name).and_then(|value| value.scalar().map(names_list)) == Some(true))
                || (host.is_reference(name) && matches!(host.resolve(name).1.as_deref(), Some(b"@")))
        }
        _ => false,
    }
}

fn names_list(text: &[u8]) -> bool {
    text == b"@" || text.ends_with(b"[@]")
}

/// The number of an arithmetic part.
pub async fn arithmetic<H: ExpandHost>(host: &mut H, arith: &Arith) -> Outcome<i64, H> {
    if arith.text.pure {
        return arithmetic_now(host, arith);
    }
    let text = arith_text::text(host, &arith.text).await?;
    arith::evaluate(host, &text)
}

/// The number of a pure arithmetic part.
pub fn arithmetic_now<H: ExpandHost>(host: &mut H, source: &Arith) -> Outcome<i64, H> {
    if let Some(value) = arith::evaluate_compiled(host, source)? {
        return Ok(value);
    }
    let text = arith_text::text_now(host, &source.text)?;
    arith::evaluate(host, &text)
}

// --- parameters ---------------------------------------------------------------------------------------------------

/// What is left to do after the parameter is looked up.
enum Next<'a> {
    Done,
    /// Put this word's parts in its place.
    Word(&'a Word),
    /// Assign or fail with this word.
    Settle(Target, Decision, &'a Word, bool),
    /// Operate with operands.
    Operate(Target, Subject),
}

fn parameter_now<H: ExpandHost>(
    host: &mut H,
    param: &Param,
    quoting: Quoting,
    into: &mut Builder,
) -> Outcome<(), H> {
    if is_plain(param) && simple_get(host, param, quoting.is_double(), into)? {
        return Ok(());
    }
    let quoted = quoting.is_double();
    if direct::element(host, param, quoted, into)? || direct::operation(host, param, quoted, into)? {
        return Ok(());
    }
    if let Some(subject) = plain_operation(host, param)? {
        return emit::emit(host, subject, quoting.is_double(), into);
    }
    host.nest()?;
    let key = match &param.subscript {
        Some(Subscript::Index(word)) => Some(subscript::now(host, &param.name, word)?),
        _ => None,
    };
    let written = param;
    let holder;
    let (param, key, known) = if is_indirect(param) {
        let pointed = indirect(host, param, key)?;
        holder = pointed.param;
        (&holder, pointed.key, pointed.known)
    } else {
        (param, key, None)
    };
    match begin(host, (param, written), key, known, quoting, into)? {
        Next::Done => Ok(()),
        Next::Word(word) => parts_now(host, &word.parts, quoting.operand(), into),
        Next::Settle(target, decision, word, colon) => {
            let text = text_now(host, word, Mode::Single)?;
            settle(
                host,
                written,
                &target,
                (decision, colon),
                (&text, word),
                quoting,
                into,
            )
        }
        Next::Operate(target, subject) => {
            let operands = operands_now(host, param)?;
            let result = param::operate(host, param, &target, subject, &operands)?;
            emit::emit_of(host, param, result, quoting.is_double(), into)
        }
    }
}

/// What an operation makes of a plain string variable, where it needs no more than the value.
fn plain_operation<H: ExpandHost>(host: &mut H, param: &Param) -> Outcome<Option<Subject>, H> {
    let ParamName::Variable(name) = &param.name else {
        return Ok(None);
    };
    let works_on_text = matches!(
        param.op,
        ParamOp::Trim { .. } | ParamOp::Replace { .. } | ParamOp::Slice { .. } | ParamOp::Case { .. }
    );
    if !works_on_text || param.subscript.is_some() || param.indirect {
        return Ok(None);
    }
    let Some(text) = host.plain_text(name).cloned() else {
        return Ok(None);
    };
    if text.is_empty() && matches!(param.op, ParamOp::Trim { .. }) {
        return Ok(Some(Subject::One(Some(Vec::new()))));
    }
    let operands = operands_now(host, param)?;
    let target = Target {
        name: param.name.clone(),
        key: param::Key::None,
    };
    let mut value = host.buffer();
    value.extend_from_slice(&text);
    param::operate(host, param, &target, Subject::One(Some(value)), &operands).map(Some)
}

/// `$x` and `$1`, the most frequent of all.
fn simple_get<H: ExpandHost>(
    host: &mut H,
    param: &Param,
    quoted: bool,
    into: &mut Builder,
) -> Outcome<bool, H> {
    Ok(match &param.name {
        ParamName::Variable(_) | ParamName::Positional(1..) => {
            let Some(text) = plain_text(host, param) else {
                return Ok(false);
            };
            emit::put(host, &text, quoted, into)?;
            true
        }
        _ => false,
    })
}

/// The text of `$x` or `$1`, where it is a plain one.
#[inline]
fn plain_text<H: ExpandHost>(host: &mut H, param: &Param) -> Option<Text> {
    match &param.name {
        ParamName::Variable(name) => host.scalar_text(name),
        ParamName::Positional(number @ 1..) => host.positional().get(*number as usize - 1).cloned(),
        _ => None,
    }
}

/// `$x` or `${x}`, and nothing more.
#[inline]
fn is_plain(param: &Param) -> bool {
    matches!(param.op, ParamOp::Get) && param.subscript.is_none() && !param.indirect
}

async fn parameter<H: ExpandHost>(
    host: &mut H,
    param: &Param,
    quoting: Quoting,
    into: &mut Builder,
) -> Outcome<(), H> {
    host.nest()?;
    let key = match &param.subscript {
        Some(Subscript::Index(word)) => Some(subscript::value(host, &param.name, word).await?),
        _ => None,
    };
    let written = param;
    let holder;
    let (param, key, known) = if is_indirect(param) {
        let pointed = indirect(host, param, key)?;
        holder = pointed.param;
        (&holder, pointed.key, pointed.known)
    } else {
        (param, key, None)
    };
    match begin(host, (param, written), key, known, quoting, into)? {
        Next::Done => Ok(()),
        Next::Word(word) => parts(host, &word.parts, quoting.operand(), into).await,
        Next::Settle(target, decision, word, colon) => {
            let text = text(host, word, Mode::Single).await?;
            settle(
                host,
                written,
                &target,
                (decision, colon),
                (&text, word),
                quoting,
                into,
            )
        }
        Next::Operate(_, subject) if matches!(param.op, ParamOp::Transform(b'P')) => {
            let prompts = prompts(host, subject).await?;
            emit::emit(host, prompts, quoting.is_double(), into)
        }
        Next::Operate(target, subject) => {
            let operands = operands(host, param).await?;
            let result = param::operate(host, param, &target, subject, &operands)?;
            emit::emit_of(host, param, result, quoting.is_double(), into)
        }
    }
}

/// `${x@P}`
async fn prompts<H: ExpandHost>(host: &mut H, subject: Subject) -> Outcome<Subject, H> {
    Ok(match subject {
        Subject::One(Some(text)) => Subject::One(Some(host.prompt(&text).await?)),
        Subject::One(None) => Subject::One(None),
        Subject::Many { items, star } => {
            let mut expanded = Vec::with_capacity(items.len());
            for item in &items {
                expanded.push(host.prompt(item).await?.into());
            }
            Subject::Many {
                items: expanded,
                star,
            }
        }
    })
}

fn begin<'a, H: ExpandHost>(
    host: &mut H,
    (param, written): (&'a Param, &Param),
    key: Option<Vec<u8>>,
    known: Option<Subject>,
    quoting: Quoting,
    into: &mut Builder,
) -> Outcome<Next<'a>, H> {
    if let (Some(Subscript::Index(word)), ParamName::Variable(name)) = (&param.subscript, &param.name)
        && word.parts.is_empty()
        && key.as_deref() == Some(b"")
    {
        return Err(Failure::Discard(
            [b"${", &**name, b"[]}: bad substitution"].concat(),
        ));
    }
    if let ParamOp::Bad(_) = &param.op {
        return Err(Failure::BadSubstitution { fatal: false });
    }
    let target = param::target(host, param, key);
    if let (ParamOp::Length, ParamName::Variable(name), param::Key::Element(key)) =
        (&param.op, &target.name, &target.key)
        && let Some(value) = host.value(name)
        && param::element::<H::Divert>(name, &value, key).is_err()
    {
        return Err(Failure::Discard(
            [key, b"]: bad array subscript".as_slice()].concat(),
        ));
    }
    if let Some(listing) = param::listing(host, param, &target) {
        emit::emit_of(host, param, listing, quoting.is_double(), into)?;
        return Ok(Next::Done);
    }
    let subject = match known {
        Some(subject) => subject,
        None => param::subject(host, &target)?,
    };
    if let ParamOp::Test { kind, colon, word } = &param.op {
        // Quoted `*` is one text, which may be empty though there are several elements.
        let joined = quoting.is_double() && host.ifs().joiner.is_empty();
        return match param::decide(&subject, *kind, *colon, joined) {
            Decision::Value => {
                emit::emit(host, subject, quoting.is_double(), into)?;
                Ok(Next::Done)
            }
            Decision::Nothing => {
                // Empty elements leave an empty field, no elements none.
                if quoting.is_double()
                    && matches!(&subject, Subject::Many { items, star: false } if !items.is_empty())
                {
                    into.count_elements(1);
                    into.quoted(b"");
                }
                Ok(Next::Done)
            }
            Decision::Word => {
                if quoting.is_double() && word.parts.is_empty() {
                    into.count_elements(1);
                    into.quoted(b"");
                }
                Ok(Next::Word(word))
            }
            decision => Ok(Next::Settle(target, decision, word, *colon)),
        };
    }
    if let (ParamOp::Length, ParamName::Variable(name), Subject::Many { items, .. }) =
        (&param.op, &target.name, &subject)
        && items.is_empty()
        && host.flags().nounset
        && host.value(name).is_none()
    {
        return Err(Failure::Fatal([name, b": unbound variable".as_slice()].concat()));
    }
    param::check_set(host, written, &target, &subject)?;
    if matches!(param.op, ParamOp::Get) {
        emit::emit(host, subject, quoting.is_double(), into)?;
        return Ok(Next::Done);
    }
    if needs_no_operands(&param.op, &subject) {
        emit::emit(host, subject, quoting.is_double(), into)?;
        return Ok(Next::Done);
    }
    Ok(Next::Operate(target, subject))
}

/// Nothing is there to be changed: bash does not expand what would say how.
fn needs_no_operands(op: &ParamOp, subject: &Subject) -> bool {
    match (op, subject) {
        (ParamOp::Trim { .. }, Subject::One(Some(text))) => text.is_empty(),
        (
            ParamOp::Trim { .. } | ParamOp::Replace { .. } | ParamOp::Slice { .. } | ParamOp::Case { .. },
            Subject::One(None),
        ) => true,
        (
            ParamOp::Trim { .. } | ParamOp::Replace { .. } | ParamOp::Case { .. },
            Subject::Many { items, .. },
        ) => items.is_empty(),
        _ => false,
    }
}

fn settle<H: ExpandHost>(
    host: &mut H,
    written: &Param,
    target: &Target,
    (decision, colon): (Decision, bool),
    (text, word): (&[u8], &Word),
    quoting: Quoting,
    into: &mut Builder,
) -> Outcome<(), H> {
    if decision == Decision::Error {
        return Err(param::required(
            written,
            target,
            colon,
            text,
            !word.parts.is_empty(),
        ));
    }
    param::assign_default(host, target, text)?;
    let subject = param::subject(host, target)?;
    emit::emit(host, subject, quoting.is_double(), into)
}

/// A valid variable name.
pub fn is_name(text: &[u8]) -> bool {
    text.first()
        .is_some_and(|byte| byte.is_ascii_alphabetic() || *byte == b'_')
        && text
            .iter()
            .all(|byte| byte.is_ascii_alphanumeric() || *byte == b'_')
}
