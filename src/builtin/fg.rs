//! `fg [job_spec]`, `bg [job_spec …]`: only with `set -m`; a script has no job control otherwise.

use super::wait::{job_message, wait_for_process};
use crate::args::BuiltinSpec;
use crate::interp::job::{Job, JobError, JobState};
use crate::interp::{Flow, Interp, Set};
use crate::kernel::Signal;

const FG: BuiltinSpec = BuiltinSpec::new("fg", "");
const BG: BuiltinSpec = BuiltinSpec::new("bg", "");

/// Where a job goes on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Where {
    Foreground,
    Background,
}

/// `fg`
pub async fn run(interp: &mut Interp, args: Vec<Vec<u8>>) -> Flow {
    let operands = match operands(interp, &FG, &args) {
        Ok(operands) => operands,
        Err(status) => return Ok(status),
    };
    let background = operands.last().is_some_and(|word| word == b"&");
    let to = if background {
        Where::Background
    } else {
        Where::Foreground
    };
    move_job(interp, "fg", operands.first().map(Vec::as_slice), to).await
}

/// `bg`
pub async fn run_bg(interp: &mut Interp, args: Vec<Vec<u8>>) -> Flow {
    let operands = match operands(interp, &BG, &args) {
        Ok(operands) => operands,
        Err(status) => return Ok(status),
    };
    if operands.is_empty() {
        return move_job(interp, "bg", None, Where::Background).await;
    }
    let mut status = 0;
    for operand in &operands {
        if move_job(interp, "bg", Some(operand), Where::Background).await? != 0 {
            status = 1;
        }
    }
    Ok(status)
}

fn operands(interp: &mut Interp, spec: &BuiltinSpec, args: &[Vec<u8>]) -> Result<Vec<Vec<u8>>, i32> {
    if args.first().is_some_and(|word| word == b"--help") {
        return Err(interp.say_usage(spec.name, spec.help()));
    }
    if !interp.options.is(Set::Monitor) {
        interp.complain(spec.name, "no job control");
        return Err(1);
    }
    interp.update_jobs();
    Ok(interp.parse_options(spec, args)?.operands)
}

async fn move_job(interp: &mut Interp, name: &str, spec: Option<&[u8]>, to: Where) -> Flow {
    let found = interp.find_job(spec.unwrap_or(b"%%"));
    let job = found.and_then(|id| interp.jobs.get(id).cloned().ok_or(JobError::Missing));
    let job = match job {
        Ok(job) => job,
        Err(error) => {
            interp.complain(name, job_message(spec.unwrap_or(b"current"), error));
            return Ok(1);
        }
    };
    if !job.group {
        interp.complain(name, format!("job {} started without job control", job.id));
        return Ok(1);
    }
    if job.state == JobState::Dead {
        interp.complain(name, "job has terminated");
        return Ok(1);
    }
    if to == Where::Background {
        interp.last_background = Some(job.pid());
        if job.state == JobState::Running {
            interp.complain(name, format!("job {} already in background", job.id));
            return Ok(0);
        }
    } else {
        interp.jobs.set_current(job.id);
    }
    interp.jobs.change(job.id, |job| {
        job.foreground = to == Where::Foreground;
    });
    announce(interp, &job, to);
    resume(interp, &job);
    interp.flush().await?;
    match to {
        Where::Background => {
            interp.jobs.choose_current();
            Ok(0)
        }
        Where::Foreground => Ok(wait_for_process(interp, job.pid(), true).await.unwrap_or(130)),
    }
}

/// The line that says what goes on.
fn announce(interp: &mut Interp, job: &Job, to: Where) {
    let mut text = Vec::new();
    if to == Where::Background {
        let mark = match interp.jobs.current() {
            _ if interp.options.is(Set::Posix) => " ",
            (Some(current), _) if current == job.id => "+ ",
            (_, Some(previous)) if previous == job.id => "- ",
            _ => " ",
        };
        text.extend_from_slice(format!("[{}]{mark}", job.id).as_bytes());
    }
    let commands: Vec<&[u8]> = job.processes.iter().map(|process| &*process.text).collect();
    text.extend_from_slice(&commands.join(b" | ".as_slice()));
    if to == Where::Background {
        text.extend_from_slice(b" &");
    }
    if job.directory != interp.proc.cwd {
        let directory = interp.polite_directory(&job.directory);
        text.extend_from_slice(&[b"\t(wd: ", directory.as_slice(), b")"].concat());
    }
    text.push(b'\n');
    interp.print(text);
}

fn resume(interp: &mut Interp, job: &Job) {
    let was_stopped = job.state == JobState::Stopped;
    interp.jobs.change(job.id, |job| {
        job.state = JobState::Running;
        job.notified = was_stopped;
    });
    if was_stopped {
        let _ = interp.proc.kernel.kill_group(job.leader(), Some(Signal::CONT));
    }
}
