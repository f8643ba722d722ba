//! Operations that wait: reading, writing, commands, and sorting by a function of the program.

use super::code::{Builtin, LineSource, LineTarget, Op, Redirection, Special};
use super::machine::{Flow, Machine, Pause, Run, Trouble, fatal, write_values};
use super::sort::Order;
use super::streams::{Kind, status_number};
use super::value::{Text, Value};
use crate::fs::Errno;
use crate::kernel::{BoxFuture, Disposition, Signal, Stop};
use crate::program::launch::shell;

/// Calls of functions from within operations that may nest.
const NESTING: usize = 40;

impl Machine<'_> {
    /// Runs a piece of code to its end.
    pub async fn execute(&mut self, entry: usize) -> Run<Flow> {
        let (frames, stack, walks) = (self.frames.len(), self.stack.len(), self.walks.len());
        self.at = entry;
        loop {
            match self.run_on()? {
                Pause::Ended(flow) => {
                    self.unwind(frames, stack, walks);
                    return Ok(flow);
                }
                Pause::Wait(op) => self.perform(op).await?,
                Pause::Flush => self.proc.flush().await?,
                Pause::Breathe => self.proc.kernel.breathe().await,
                Pause::Warn => self.print_warnings().await?,
            }
        }
    }

    /// The same from within an operation.
    pub fn execute_boxed(&mut self, entry: usize) -> BoxFuture<'_, Run<Flow>> {
        Box::pin(self.execute(entry))
    }

    /// Calls a function of the program from within an operation.
    pub fn call_function(&mut self, function: u32, arguments: Vec<Value>) -> BoxFuture<'_, Run<Value>> {
        Box::pin(async move {
            if self.nesting >= NESTING {
                return Err(fatal("comparison functions nest too deep"));
            }
            self.nesting += 1;
            let (at, frames, stack) = (self.at, self.frames.len(), self.stack.len());
            let count = arguments.len();
            self.stack.extend(arguments);
            self.call(function, count)?;
            while self.frames.len() > frames {
                match self.run_to_return(frames)? {
                    Pause::Ended(flow) if self.frames.len() > frames => {
                        return Err(Trouble::Stop(match flow {
                            Flow::Exit => Stop::Exit(self.status),
                            _ => Stop::Exit(2),
                        }));
                    }
                    Pause::Ended(_) => break,
                    Pause::Wait(op) => self.perform(op).await?,
                    Pause::Flush => self.proc.flush().await?,
                    Pause::Breathe => self.proc.kernel.breathe().await,
                    Pause::Warn => self.print_warnings().await?,
                }
            }
            let value = self.pop();
            self.stack.truncate(stack);
            self.at = at;
            self.nesting -= 1;
            Ok(value)
        })
    }

    /// Prints the warnings that came up.
    pub async fn print_warnings(&mut self) -> Run<()> {
        for sentence in std::mem::take(&mut self.operand_warnings) {
            self.proc.warn(format!("warning: {sentence}")).await?;
        }
        for text in std::mem::take(&mut self.warnings) {
            self.proc.warn(text).await?;
        }
        Ok(())
    }

    /// A message with the place in the program and in the input.
    pub fn located(&self, message: &[u8]) -> Vec<u8> {
        let at = self.at.saturating_sub(1);
        let (source, line) = self.program.lines.get(at).copied().unwrap_or((0, 1));
        let name = self
            .program
            .sources
            .get(usize::from(source))
            .map_or(&b""[..], Vec::as_slice);
        let mut text = [name, format!(":{line}: ").as_bytes()].concat();
        text.extend_from_slice(self.input_place().as_bytes());
        text.extend_from_slice(message);
        text
    }

    async fn perform(&mut self, op: Op) -> Run<()> {
        match op {
            Op::Print {
                count,
                redirection: Some(redirection),
            } => {
                let name = self.pop();
                let mut text = Vec::new();
                if count == 0 {
                    text.extend_from_slice(self.record.text(&self.ofs, &self.convfmt));
                    text.extend_from_slice(&self.ors);
                } else {
                    let values = self.pop_many(count as usize);
                    write_values(&mut text, &values, &self.ofmt, &self.ofs, &self.ors);
                }
                self.write_to("print", redirection, &name, &text).await
            }
            Op::Printf {
                count,
                redirection: Some(redirection),
            } => {
                let name = self.pop();
                let mut text = Vec::new();
                self.formatted(count as usize, &mut text)?;
                self.write_to("printf", redirection, &name, &text).await
            }
            Op::Getline { source, target } => self.getline(source, target).await,
            Op::Builtin { function, count } => {
                let arguments = self.pop_many(count as usize);
                let value = match function {
                    Builtin::Close => self.close(&arguments).await?,
                    Builtin::Fflush => self.fflush(&arguments).await?,
                    _ => self.system(&arguments).await?,
                };
                self.push(Value::Number(value));
                Ok(())
            }
            Op::Sort {
                source,
                destination,
                indices,
                how,
            } => {
                let how = if how { Some(self.pop_text()) } else { None };
                let destination = match destination {
                    Some(destination) => Some(self.resolve(destination)?),
                    None => None,
                };
                let source = self.resolve(source)?;
                self.sort(source, destination, indices, how).await
            }
            Op::Walk(array) => {
                let array = self.resolve(array)?;
                let keys = self.ordered_keys(array).await?;
                self.walk(keys);
                Ok(())
            }
            _ => Ok(()),
        }
    }

    // Output.

    async fn write_to(
        &mut self,
        function: &str,
        redirection: Redirection,
        name: &Value,
        text: &[u8],
    ) -> Run<()> {
        let name = self.text_of(name);
        if name.is_empty() {
            let sign = redirection.sign();
            return Err(fatal(format!(
                "expression for `{sign}' redirection has null string value"
            )));
        }
        let kind = match redirection {
            Redirection::Pipe => Kind::OutputPipe,
            Redirection::Coprocess => Kind::Coprocess,
            _ => Kind::OutputFile,
        };
        self.proc.charge(self.streams.list.len() as u64 / 4)?;
        let index = match self.streams.find(&name, |known| known == kind) {
            Some(index) => index,
            None => self.open_for_output(redirection, kind, &name).await?,
        };
        let Some(stream) = self.streams.list.get_mut(index) else {
            return Ok(());
        };
        if stream.is_write_closed() {
            let sentence = format!("{function}: attempt to write to closed write end of two-way pipe");
            return Err(fatal(sentence));
        }
        match stream.write(self.proc, text).await? {
            Ok(()) => Ok(()),
            Err(Errno::EPIPE) if self.proc.signals.disposition(Signal::PIPE) == Disposition::Default => {
                Err(Trouble::Stop(Stop::Signal(Signal::PIPE)))
            }
            Err(errno) => Err(fatal(
                [
                    b"print to \"",
                    name.as_slice(),
                    format!("\" failed: {errno}").as_bytes(),
                ]
                .concat(),
            )),
        }
    }

    async fn open_for_output(&mut self, redirection: Redirection, kind: Kind, name: &[u8]) -> Run<usize> {
        let opened = if kind == Kind::OutputFile {
            self.streams
                .open_output(self.proc, name, redirection == Redirection::Append)
                .await
        } else {
            self.streams.flush_all(self.proc).await?;
            self.export_environment();
            self.streams.open_command(self.proc, name, kind)
        };
        opened.map_err(|errno| {
            let sentence: &[u8] = if kind == Kind::OutputFile {
                b"cannot redirect to `"
            } else {
                b"cannot open pipe `"
            };
            fatal([sentence, name, format!("': {errno}").as_bytes()].concat())
        })
    }

    async fn close(&mut self, arguments: &[Value]) -> Run<f64> {
        let name = arguments
            .first()
            .map(|value| self.text_of(value))
            .unwrap_or_default();
        let how = arguments.get(1).map(|value| self.text_of(value));
        let Some(index) = self.streams.find(&name, |_| true) else {
            self.set_error("close of redirection that was never opened")?;
            return Ok(-1.0);
        };
        match how.as_deref() {
            Some(b"to") => {
                self.streams.close_to(self.proc, index).await?;
                return Ok(0.0);
            }
            Some(b"from") => {
                if let Some(stream) = self.streams.list.get_mut(index) {
                    stream.reader = None;
                }
                return Ok(0.0);
            }
            _ => {}
        }
        self.proc.flush().await?;
        self.streams.close(self.proc, index).await
    }

    async fn fflush(&mut self, arguments: &[Value]) -> Run<f64> {
        let Some(name) = arguments
            .first()
            .map(|value| self.text_of(value))
            .filter(|name| !name.is_empty())
        else {
            self.streams.flush_all(self.proc).await?;
            return Ok(0.0);
        };
        if name == b"/dev/stdout" {
            self.proc.flush().await?;
            return Ok(0.0);
        }
        match self
            .streams
            .find(&name, |_| true)
            .and_then(|index| self.streams.list.get_mut(index))
        {
            Some(stream) if stream.is_write_closed() => {
                let name = String::from_utf8_lossy(&name).into_owned();
                self.warn_later(format!(
                    "fflush: cannot flush: two-way pipe `{name}' has closed write end"
                ));
                self.print_warnings().await?;
                Ok(-1.0)
            }
            Some(stream) => Ok(if stream.flush(self.proc).await.is_ok() {
                0.0
            } else {
                -1.0
            }),
            None => {
                let name = String::from_utf8_lossy(&name).into_owned();
                self.warn_later(format!(
                    "fflush: `{name}' is not an open file, pipe or co-process"
                ));
                self.print_warnings().await?;
                Ok(-1.0)
            }
        }
    }

    async fn system(&mut self, arguments: &[Value]) -> Run<f64> {
        let command = arguments
            .first()
            .map(|value| self.text_of(value))
            .unwrap_or_default();
        self.streams.flush_all(self.proc).await?;
        self.export_environment();
        let Ok(child) = self.proc.spawn(shell(command, Vec::new())) else {
            return Ok(127.0);
        };
        Ok(self.proc.wait(child).await.map_or(-1.0, status_number))
    }

    // Input.

    /// Sets ERRNO.
    pub fn set_error(&mut self, sentence: &str) -> Run<()> {
        let text = Value::Text(Text::copy(sentence.as_bytes(), &self.proc.kernel)?);
        self.set_global(Special::Errno, text);
        Ok(())
    }

    async fn getline(&mut self, source: LineSource, target: LineTarget) -> Run<()> {
        let result = match source {
            LineSource::Main => self.getline_main(target).await?,
            LineSource::File => {
                let name = self.pop();
                let name = self.text_of(&name);
                self.getline_stream(Kind::InputFile, &name, target).await?
            }
            LineSource::Command | LineSource::Coprocess => {
                // The command lies below what the target needs.
                let needs = self.needs_of(target);
                let needs = self.pop_many(needs);
                let name = self.pop_text();
                self.stack.extend(needs);
                let kind = if source == LineSource::Command {
                    Kind::InputPipe
                } else {
                    Kind::Coprocess
                };
                self.getline_stream(kind, &name, target).await?
            }
        };
        self.push(Value::Number(result));
        Ok(())
    }

    fn needs_of(&self, target: LineTarget) -> usize {
        use super::code::{ArrayRef, Target};
        match target {
            LineTarget::Target(Target::Field | Target::Element(ArrayRef::Variable(_))) => 1,
            LineTarget::Target(Target::Element(ArrayRef::Stack)) => 2,
            _ => 0,
        }
    }

    fn drop_line_needs(&mut self, target: LineTarget) {
        let needs = self.needs_of(target);
        self.pop_many(needs);
    }

    async fn getline_main(&mut self, target: LineTarget) -> Run<f64> {
        let mut line = Vec::new();
        if !self.next_record(&mut line).await? {
            self.drop_line_needs(target);
            return Ok(0.0);
        }
        self.nr += 1.0;
        self.fnr += 1.0;
        self.store_line(target, line)?;
        Ok(1.0)
    }

    async fn getline_stream(&mut self, kind: Kind, name: &[u8], target: LineTarget) -> Run<f64> {
        if name.is_empty() {
            let sign = match kind {
                Kind::InputFile => "<",
                Kind::Coprocess => "|&",
                _ => "|",
            };
            return Err(fatal(format!(
                "expression for `{sign}' redirection has null string value"
            )));
        }
        self.proc.charge(self.streams.list.len() as u64 / 4)?;
        let index = match self.streams.find(name, |known| known == kind) {
            Some(index) => index,
            None => {
                let opened = if kind == Kind::InputFile {
                    self.streams.open_input(self.proc, name).await
                } else {
                    self.streams.flush_all(self.proc).await?;
                    self.export_environment();
                    self.streams.open_command(self.proc, name, kind)
                };
                match opened {
                    Ok(index) => index,
                    Err(errno) => {
                        self.set_error(errno.message())?;
                        self.drop_line_needs(target);
                        return Ok(-1.0);
                    }
                }
            }
        };
        let Some(stream) = self.streams.list.get_mut(index) else {
            return Ok(-1.0);
        };
        let _ = stream.flush(self.proc).await;
        let Some(reader) = &mut stream.reader else {
            if kind == Kind::Coprocess {
                return Err(fatal(
                    "getline: attempt to read from closed read end of two-way pipe",
                ));
            }
            self.drop_line_needs(target);
            return Ok(-1.0);
        };
        let mut line = Vec::new();
        match reader.read(&self.separator, &mut line).await {
            Ok(true) => {}
            Ok(false) => {
                self.drop_line_needs(target);
                return Ok(0.0);
            }
            Err(errno) => {
                self.set_error(errno.message())?;
                self.drop_line_needs(target);
                return Ok(-1.0);
            }
        }
        let terminator = reader.terminator.clone();
        self.set_terminator(&terminator)?;
        // Despite the manual, gawk 5.2.1 does not count the lines of commands in NR.
        self.store_line(target, line)?;
        Ok(1.0)
    }

    /// Sets RT.
    pub fn set_terminator(&mut self, terminator: &[u8]) -> Run<()> {
        let value = Value::Text(Text::copy(terminator, &self.proc.kernel)?);
        self.set_global(Special::Rt, value);
        Ok(())
    }

    // Order.

    /// The keys of an array in the order that `PROCINFO["sorted_in"]` wants.
    async fn ordered_keys(&mut self, array: u32) -> Run<Vec<Value>> {
        let (keys, as_text) = self.sorted_keys(array).await?;
        let table = self.array(array);
        let is_integer = |key: &Text| !as_text && table.is_some_and(|table| table.is_integer(key.bytes()));
        Ok(keys
            .into_iter()
            .map(|key| match is_integer(&key) {
                true => Value::key(key),
                false => Value::Text(key),
            })
            .collect())
    }

    /// The keys, and whether they were compared as strings.
    async fn sorted_keys(&mut self, array: u32) -> Run<(Vec<Text>, bool)> {
        let keys = self
            .array(array)
            .map(super::array::Array::keys)
            .unwrap_or_default();
        self.proc.charge(keys.len() as u64 / 4)?;
        let Value::Array(procinfo) = self.variable(Special::Procinfo.place()) else {
            return Ok((keys, false));
        };
        let how = self
            .array(procinfo)
            .and_then(|table| table.get(b"sorted_in"))
            .cloned();
        let Some(how) = how else {
            return Ok((keys, false));
        };
        let how = self.text_of(&how);
        let order = self.order_of(&how)?;
        let pairs = self.pairs(array, keys);
        let sorted = self.sorted(pairs, &order).await?;
        let as_text = matches!(order, Order::KeyText | Order::KeyTextDescending);
        Ok((sorted.into_iter().map(|(key, _)| key).collect(), as_text))
    }

    fn pairs(&self, array: u32, keys: Vec<Text>) -> Vec<(Text, Value)> {
        let table = self.array(array);
        keys.into_iter()
            .map(|key| {
                let value = table
                    .and_then(|table| table.get(key.bytes()))
                    .cloned()
                    .unwrap_or_default();
                (key, value)
            })
            .collect()
    }

    fn order_of(&self, how: &[u8]) -> Run<Order> {
        if let Some(order) = Order::from_name(how) {
            return Ok(order);
        }
        let found = self
            .program
            .functions
            .iter()
            .position(|function| function.name == how && function.start.is_some());
        match found {
            Some(function) => Ok(Order::Function(function as u32)),
            None => {
                let name = String::from_utf8_lossy(how).into_owned();
                Err(fatal(format!("sort comparison function `{name}' is not defined")))
            }
        }
    }

    /// `asort` and `asorti`.
    async fn sort(
        &mut self,
        source: u32,
        destination: Option<u32>,
        indices: bool,
        how: Option<Vec<u8>>,
    ) -> Run<()> {
        let order = match how {
            Some(how) => self.order_of(&how)?,
            None if indices => Order::KeyText,
            None => Order::ValueType,
        };
        let keys = self
            .array(source)
            .map(super::array::Array::keys)
            .unwrap_or_default();
        let pairs = self.pairs(source, keys);
        let sorted = self.sorted(pairs, &order).await?;
        let destination = destination.unwrap_or(source);
        let mut values: Vec<Value> = Vec::with_capacity(sorted.len());
        for (key, value) in sorted {
            values.push(match value {
                _ if indices => Value::Text(key),
                // What is cleared frees the arrays within it.
                Value::Array(inner) => Value::Array(self.copy_array(inner)?),
                value => value,
            });
        }
        self.clear_array(destination);
        let count = values.len();
        for (index, value) in values.into_iter().enumerate() {
            let key = Text::small((index + 1).to_string().as_bytes());
            *self.element(destination, &key)? = value;
        }
        self.push(Value::Number(count as f64));
        Ok(())
    }

    /// Sorts pairs: by a known order at once, by a function of the program with a merge sort that waits for it.
    async fn sorted(&mut self, mut pairs: Vec<(Text, Value)>, order: &Order) -> Run<Vec<(Text, Value)>> {
        let count = pairs.len() as u64;
        self.proc
            .charge(count * u64::from(64 - count.leading_zeros()) / 8 + 1)?;
        let Order::Function(function) = order else {
            order.sort(&mut pairs, &self.convfmt, self.ignore_case);
            return Ok(pairs);
        };
        // Runs of growing length are merged.
        let mut width = 1;
        while width < pairs.len() {
            let mut merged = Vec::with_capacity(pairs.len());
            let mut runs = pairs.chunks(width);
            while let Some(left) = runs.next() {
                let right = runs.next().unwrap_or_default();
                self.merge(left, right, *function, &mut merged).await?;
            }
            pairs = merged;
            width *= 2;
        }
        Ok(pairs)
    }

    async fn merge(
        &mut self,
        left: &[(Text, Value)],
        right: &[(Text, Value)],
        function: u32,
        out: &mut Vec<(Text, Value)>,
    ) -> Run<()> {
        let (mut left, mut right) = (left.iter().peekable(), right.iter().peekable());
        while let (Some(first), Some(second)) = (left.peek(), right.peek()) {
            let arguments = vec![
                Value::Input(first.0.clone()),
                first.1.clone(),
                Value::Input(second.0.clone()),
                second.1.clone(),
            ];
            let parameters = self
                .program
                .functions
                .get(function as usize)
                .map_or(0, |known| known.parameters.len());
            let arguments = arguments.into_iter().take(parameters).collect();
            let order = self.call_function(function, arguments).await?.number();
            let next = if order > 0.0 { right.next() } else { left.next() };
            out.extend(next.cloned());
        }
        out.extend(left.cloned());
        out.extend(right.cloned());
        Ok(())
    }
}
