//! `jq` 1.6: a language of filters over JSON.
//!
//! A program is parsed ([`parser`]), compiled to the code of jq's own machine ([`compile`]) and run once for each input ([`machine`]); most of what is
//! built in is written in the language itself (`prelude.jq`). It is not built on another implementation, for what a program prints, in which order,
//! and with which complaint, is decided in that machine; and so that every step, value and level of nesting counts on the meter.
//!
//! Modules, `--stream` and a few rare functions (`gamma`, `significand`, `modulemeta`) are not there: they are
//! refused as unknown.

mod ast;
mod compile;
mod json;
mod lexer;
mod machine;
mod modules;
mod native;
mod operate;
mod options;
mod parser;
mod prelude;
mod print;
mod regex;
mod source;
mod stream;
mod text;
mod time;
mod value;

use self::compile::Program as Code;
use self::lexer::{NOWHERE, SyntaxError};
use self::machine::{Event, Machine};
use self::native::Request;
use self::options::{Binding, Options, Refusal, Variables};
use self::source::Source;
use self::value::{Heap, Value};
use crate::kernel::{Input, Proc, Program, Stop};
use crate::text::zone;

/// The program.
pub const PROGRAM: Program = Program {
    name: "jq",
    run: |proc| Box::pin(run(proc)),
};

async fn run(proc: &mut Proc) -> Result<i32, Stop> {
    let options = match options::parse(proc.arguments()) {
        Ok(options) => options,
        Err(refusal) => return refuse(proc, refusal).await,
    };
    let heap = Heap::new(proc.kernel.lease());
    let variables = match bind(proc, &heap, &options).await? {
        Ok(variables) => variables,
        Err(message) => {
            proc.warn(message).await?;
            return Ok(2);
        }
    };
    let Some(text) = program_text(proc, &options).await? else {
        return Ok(2);
    };
    let compiled = parser::parse(&text)
        .map_err(|error| vec![error])
        .and_then(|program| compile::compile(&heap, &variables, &program));
    let code = match compiled {
        Ok(code) => code,
        Err(errors) => return complain(proc, &text, &errors).await,
    };
    proc.charge(text.len() as u64 / 4 + 16)?;
    let source = Source::new(&options, options.files.clone());
    let mut session = Session {
        heap: &heap,
        code: &code,
        options: &options,
        source,
        status: 0,
    };
    session.work(proc).await
}

async fn refuse(proc: &mut Proc, refusal: Refusal) -> Result<i32, Stop> {
    match refusal {
        Refusal::Version => {
            proc.write(b"jq-1.6\n").await?;
            Ok(0)
        }
        Refusal::Help => {
            let text = format!(
                "jq - commandline JSON processor [version 1.6]\n\n{}{}",
                options::USAGE,
                options::HELP
            );
            proc.write(text.as_bytes()).await?;
            Ok(0)
        }
        Refusal::Wrong(message) => {
            proc.warn(message).await?;
            let text = "Use jq --help for help with command-line options,\nor see the jq manpage, or online docs  at https://stedolan.github.io/jq\n";
            proc.write_error(text.as_bytes()).await?;
            Ok(2)
        }
    }
}

/// The text of the program; says why not when there is none.
async fn program_text(proc: &mut Proc, options: &Options) -> Result<Option<String>, Stop> {
    let program = options.program.clone().unwrap_or_default();
    if !options.from_file {
        return Ok(Some(String::from_utf8_lossy(&program).into_owned()));
    }
    match read_file(proc, &program).await {
        Ok(bytes) => Ok(Some(String::from_utf8_lossy(&bytes).into_owned())),
        Err(message) => {
            proc.warn(message).await?;
            Ok(None)
        }
    }
}

/// A whole file; the complaint is jq's.
async fn read_file(proc: &mut Proc, path: &[u8]) -> Result<Vec<u8>, String> {
    let shown = String::from_utf8_lossy(path).into_owned();
    let failed = |errno: crate::fs::Errno| format!("Could not open {shown}: {errno}");
    let file = proc
        .open(path, crate::fs::OpenFlags::READ)
        .await
        .map_err(failed)?;
    let mut lease = proc.kernel.lease();
    Input::new(file).rest(&mut lease).await.map_err(failed)
}

async fn complain(proc: &mut Proc, text: &str, errors: &[SyntaxError]) -> Result<i32, Stop> {
    let mut count = 0;
    for error in errors {
        let mut places = vec![(error.message.as_str(), error.start)];
        places.extend(error.note);
        for (message, start) in places {
            count += 1;
            if start == NOWHERE {
                proc.warn(format!("error: {message}\n")).await?;
                continue;
            }
            let before = text.get(..start).unwrap_or(text);
            let line = before.matches('\n').count();
            let begin = before.rfind('\n').map_or(0, |at| at + 1);
            let shown = text.get(begin..).unwrap_or_default();
            let shown = shown.split('\n').next().unwrap_or_default();
            let blanks = " ".repeat(start - begin);
            let message = format!(
                "error: {message} at <top-level>, line {}:\n{shown}{blanks}",
                line + 1
            );
            proc.warn(message).await?;
        }
    }
    let plural = if count == 1 { "error" } else { "errors" };
    proc.warn(format!("{count} compile {plural}")).await?;
    Ok(3)
}

/// The variables of the command line and the environment.
async fn bind(proc: &mut Proc, heap: &Heap, options: &Options) -> Result<Result<Variables, String>, Stop> {
    let mut variables = Variables::new();
    let mut named = Vec::new();
    for (name, binding) in &options.bindings {
        let name = String::from_utf8_lossy(name).into_owned();
        let value = match binding {
            Binding::Text(text) => heap.text(String::from_utf8_lossy(text)),
            Binding::Json(text) => match json::parse(heap, &String::from_utf8_lossy(text)) {
                Ok(value) => value,
                Err(_) => {
                    proc.warn("invalid JSON text passed to --argjson").await?;
                    return Err(refuse_more(proc).await);
                }
            },
            Binding::Values(path) | Binding::Raw(path) => {
                let raw = matches!(binding, Binding::Raw(_));
                match read_value(proc, heap, path, raw).await {
                    Ok(value) => value,
                    Err(message) => {
                        let option = if raw { "rawfile" } else { "slurpfile" };
                        let path = String::from_utf8_lossy(path);
                        return Ok(Err(format!("Bad JSON in --{option} {name} {path}: {message}")));
                    }
                }
            }
        };
        named.push((heap.share(name.as_str()), value.clone()));
        variables.insert(name, value);
    }
    let mut positional = Vec::new();
    for (text, is_json) in &options.positional {
        let text = String::from_utf8_lossy(text);
        positional.push(if *is_json {
            match json::parse(heap, &text) {
                Ok(value) => value,
                Err(_) => {
                    proc.warn("Invalid JSON text passed to --jsonargs").await?;
                    return Err(refuse_more(proc).await);
                }
            }
        } else {
            heap.text(text)
        });
    }
    let pairs = [
        (heap.share("positional"), heap.array(positional)),
        (heap.share("named"), heap.object(named)),
    ];
    variables.insert("ARGS".to_owned(), heap.object(pairs));
    let lossy = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let environment = proc.environment.iter();
    let pairs = environment.map(|(name, value)| (heap.share(lossy(name)), heap.text(lossy(value))));
    variables.insert("ENV".to_owned(), heap.object(pairs));
    Ok(Ok(variables))
}

async fn refuse_more(proc: &mut Proc) -> Stop {
    let text = "Use jq --help for help with command-line options,\nor see the jq manpage, or online docs  at https://stedolan.github.io/jq\n";
    match proc.write_error(text.as_bytes()).await {
        Ok(()) => Stop::Exit(2),
        Err(stop) => stop,
    }
}

/// All values of a file, or its text.
async fn read_value(proc: &mut Proc, heap: &Heap, path: &[u8], raw: bool) -> Result<Value, String> {
    let bytes = read_file(proc, path).await?;
    if raw {
        return Ok(heap.text(String::from_utf8_lossy(&bytes)));
    }
    let mut parser = json::Parser::new();
    let mut at = 0;
    let mut values = Vec::new();
    while let Some(value) = parser.next(heap, &bytes, &mut at)? {
        values.push(value);
    }
    values.extend(parser.finish(heap)?);
    Ok(heap.array(values))
}

/// The running program.
struct Session<'a> {
    heap: &'a Heap,
    code: &'a Code,
    options: &'a Options,
    source: Source,
    /// The status that the last input gave.
    status: i32,
}

/// How work on an input ended.
enum Ended {
    /// There may be more.
    Well,
    /// `halt`
    Halted(i32),
}

impl Session<'_> {
    async fn work(&mut self, proc: &mut Proc) -> Result<i32, Stop> {
        if self.options.null_input {
            if let Ended::Halted(status) = self.process(proc, Value::Null).await? {
                return Ok(status);
            }
        } else {
            loop {
                match self.source.next(proc, self.heap).await? {
                    Ok(Some(input)) => {
                        if let Ended::Halted(status) = self.process(proc, input).await? {
                            return Ok(status);
                        }
                    }
                    Ok(None) => break,
                    Err(message) => {
                        proc.flush().await?;
                        let line = format!("parse error: {message}\n");
                        proc.write_error(line.as_bytes()).await?;
                        // Debian's jq says 4, not the 2 of the manual.
                        return Ok(4);
                    }
                }
            }
        }
        if self.source.failed {
            return Ok(2);
        }
        Ok(self.status)
    }

    /// Runs the program on one input.
    async fn process(&mut self, proc: &mut Proc, input: Value) -> Result<Ended, Stop> {
        let kernel = proc.kernel.clone();
        let zone = zone::from_variable(proc.variable(b"TZ"));
        let now = kernel.now();
        let context = native::Context {
            file: self.source.name(self.heap),
            line: self.source.line(),
            now: now.seconds as f64 + f64::from(now.nanos) / 1e9,
            zone: &zone,
        };
        let mut machine = Machine::new(
            self.code,
            self.heap,
            kernel.meter(),
            kernel.lease(),
            context,
            input,
        );
        // What `-e` says when there is no output.
        self.status = if self.options.exit_status { 4 } else { 0 };
        let mut event = machine.run()?;
        loop {
            event = match event {
                Event::Output(value) => {
                    self.write(proc, &value).await?;
                    if self.options.exit_status {
                        self.status = i32::from(!value.is_true());
                    }
                    machine.run()?
                }
                Event::Breathe => {
                    kernel.breathe().await;
                    machine.go_on()?
                }
                Event::End => return Ok(Ended::Well),
                Event::Error(error) => {
                    self.report(proc, &error).await?;
                    self.status = 5;
                    return Ok(Ended::Well);
                }
                Event::Request(Request::Halt(status, message)) => {
                    proc.flush().await?;
                    if let Some(message) = message {
                        proc.write_error(last_words(&message).as_bytes()).await?;
                    }
                    return Ok(Ended::Halted(status));
                }
                Event::Request(Request::Message(text, value)) => {
                    proc.flush().await?;
                    proc.write_error(text.as_bytes()).await?;
                    machine.answer(Ok(value))?
                }
                Event::Request(Request::Input) => {
                    let answer = self.next_input(proc).await?;
                    machine.context.file = self.source.name(self.heap);
                    machine.context.line = self.source.line();
                    machine.answer(answer)?
                }
            };
        }
    }

    /// What the function `input` gives, or the error that it raises.
    async fn next_input(&mut self, proc: &mut Proc) -> Result<Result<Value, Value>, Stop> {
        Ok(match self.source.next(proc, self.heap).await? {
            Ok(Some(value)) => Ok(value),
            Ok(None) => Err(self.heap.text("break")),
            Err(message) => Err(self.heap.text(message)),
        })
    }

    async fn write(&self, proc: &mut Proc, value: &Value) -> Result<(), Stop> {
        proc.charge(value.weight(1 << 24) / 8)?;
        let text = match value {
            Value::Text(text) if self.options.raw_output => text.to_string(),
            other => print::print(other, self.options.style),
        };
        if self.options.sequence {
            proc.write(b"\x1e").await?;
        }
        proc.write(text.as_bytes()).await?;
        if !self.options.joined {
            proc.write(b"\n").await?;
        }
        Ok(())
    }

    async fn report(&self, proc: &mut Proc, error: &Value) -> Result<(), Stop> {
        let place = self.source.place();
        let message = match error {
            Value::Text(text) => format!("error (at {place}): {}", &**text),
            Value::Object(object) if object.get("__jq").is_some() => {
                format!("error (at {place}): break")
            }
            other => format!("error (at {place}) (not a string): {}", print::compact(other)),
        };
        proc.warn(message).await
    }
}

/// What `halt_error` prints: a text as it is, anything else as JSON on a line.
fn last_words(message: &Value) -> String {
    match message {
        Value::Text(text) => text.to_string(),
        Value::Null => String::new(),
        other => print::compact(other) + "\n",
    }
}
