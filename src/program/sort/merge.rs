//! `sort -m`: merges sorted inputs line by line, so that endless inputs can be merged too.

use super::options::Plan;
use super::{Comparer, Output, file_failed};
use crate::kernel::{Input, Proc, Stop};
use crate::program::lines;

/// An input and its next line.
struct Head {
    path: Vec<u8>,
    input: Input,
    line: Vec<u8>,
    rank: u64,
}

impl Head {
    /// Goes on to the next line; whether there is one.
    async fn advance(&mut self, proc: &mut Proc, plan: &Plan, comparer: &Comparer) -> Result<bool, Stop> {
        match self.input.line(plan.delimiter).await {
            Ok(None) => Ok(false),
            Ok(Some(line)) => {
                self.line.clear();
                self.line.extend_from_slice(lines::text(line, plan.delimiter));
                self.rank = comparer.rank(&self.line);
                Ok(true)
            }
            Err(errno) => Err(file_failed(proc, "read failed", &self.path, errno).await),
        }
    }
}

/// Merges the inputs of the plan to its output.
pub async fn merge(proc: &mut Proc, plan: &Plan, comparer: &Comparer) -> Result<(), Stop> {
    let mut heads = Vec::with_capacity(plan.files.len());
    for path in &plan.files {
        let file = match proc.open_operand(path).await {
            Ok(file) => file,
            Err(errno) => return Err(file_failed(proc, "open failed", path, errno).await),
        };
        let mut head = Head {
            path: path.clone(),
            input: Input::new(file),
            line: Vec::new(),
            rank: 0,
        };
        if head.advance(proc, plan, comparer).await? {
            heads.push(head);
        }
    }
    // An output that may be an input is written at the end only.
    let mut lease = proc.kernel.lease();
    let mut output = match plan.output {
        None => Some(Output::open(proc, plan).await?),
        Some(_) => None,
    };
    let mut result = Vec::new();
    let mut last: Option<Vec<u8>> = None;
    while let Some(next) = first(&heads, comparer) {
        let Some(head) = heads.get_mut(next) else { break };
        let repeats = plan.unique
            && last
                .as_ref()
                .is_some_and(|last| comparer.compare(last, &head.line).is_eq());
        if !repeats {
            head.line.push(plan.delimiter);
            match &mut output {
                Some(output) => output.write(proc, &head.line).await?,
                None => {
                    lease.grow(head.line.len())?;
                    result.extend_from_slice(&head.line);
                }
            }
            head.line.pop();
            if plan.unique {
                last = Some(head.line.clone());
            }
        }
        if !head.advance(proc, plan, comparer).await? {
            heads.remove(next);
        }
    }
    let mut output = match output {
        Some(output) => output,
        None => Output::open(proc, plan).await?,
    };
    output.write(proc, &result).await?;
    output.flush(proc).await
}

/// The head whose line comes first; of equal ones the first input's.
fn first(heads: &[Head], comparer: &Comparer) -> Option<usize> {
    let order = |left: &Head, right: &Head| {
        left.rank
            .cmp(&right.rank)
            .then_with(|| comparer.compare(&left.line, &right.line))
    };
    heads
        .iter()
        .enumerate()
        .min_by(|left, right| order(left.1, right.1))
        .map(|(index, _)| index)
}
