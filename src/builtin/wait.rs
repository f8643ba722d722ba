//! `wait [-fn] [-p var] [id …]`

use std::sync::Arc;

use super::support::number;
use crate::args::BuiltinSpec;
use crate::expand::{Attributes, word};
use crate::interp::job::{Job, JobError, JobState};
use crate::interp::{Flow, Interp, Set};
use crate::kernel::{Pid, Signal, SignalState, WaitStatus};

const SPEC: BuiltinSpec = BuiltinSpec::new("wait", "fnp:");

/// The status of what is no child of this shell.
const UNKNOWN: i32 = 127;

/// The builtin.
pub async fn run(interp: &mut Interp, args: Vec<Vec<u8>>) -> Flow {
    let parsed = match interp.parse_options(&SPEC, &args) {
        Ok(parsed) => parsed,
        Err(status) => return Ok(status),
    };
    let variable = parsed.last(b'p').map(<[u8]>::to_vec);
    if let Some(name) = &variable
        && let Err(status) = clear(interp, name)
    {
        return Ok(status);
    }
    interp.flush().await?;
    interp.update_jobs();
    // With job control a job that stops ends the wait, unless `-f` is given.
    let stops = interp.options.is(Set::Monitor) && !parsed.has(b'f');
    let outcome = if parsed.has(b'n') {
        next(interp, &parsed.operands).await
    } else if parsed.operands.is_empty() {
        all(interp).await
    } else {
        each(interp, &parsed.operands, stops).await
    };
    interp.reap_coprocs();
    if let (Some(name), Some(pid)) = (&variable, outcome.pid) {
        interp.set_scalar(name, pid.to_string().as_bytes())?;
    }
    Ok(outcome.status)
}

/// What was waited for, and its status.
struct Outcome {
    pid: Option<Pid>,
    status: i32,
}

impl Outcome {
    const fn failed(status: i32) -> Outcome {
        Outcome { pid: None, status }
    }
}

/// Prepares the variable of `-p`.
fn clear(interp: &mut Interp, name: &[u8]) -> Result<(), i32> {
    if !word::is_name(name) {
        interp.complain("wait", [b"`", name, b"': not a valid identifier"].concat());
        return Err(1);
    }
    if interp
        .variable(name)
        .is_some_and(|variable| variable.attributes.has(Attributes::READONLY))
    {
        interp.complain("wait", [name, b": cannot unset: readonly variable"].concat());
        return Err(1);
    }
    interp.vars.unset(name);
    Ok(())
}

/// A trapped signal ends `wait`: 128 and its number. The trap runs before the next command.
fn interrupted(interp: &Interp) -> Outcome {
    Outcome::failed(
        interp
            .proc
            .signals
            .first_pending()
            .map_or(130, |signal| 128 + i32::from(signal.number())),
    )
}

/// A signal came that has a trap, other than for the end of a child: it goes before what has ended in the meantime.
fn interrupts(signals: &SignalState) -> bool {
    signals
        .first_pending()
        .is_some_and(|signal| signal != Signal::CHLD)
}

/// Waits for each operand; the last one gives the status.
async fn each(interp: &mut Interp, operands: &[Vec<u8>], stops: bool) -> Outcome {
    let mut outcome = Outcome::failed(0);
    for operand in operands {
        let found = if operand.first() == Some(&b'%') {
            job_process(interp, operand)
        } else {
            child(interp, operand)
        };
        outcome = match found {
            Ok(pid) => match wait_for_process(interp, pid, stops).await {
                Some(status) => Outcome {
                    pid: Some(pid),
                    status,
                },
                None => return interrupted(interp),
            },
            Err(status) => Outcome::failed(status),
        };
    }
    outcome
}

/// The process of a job that gives its status.
fn job_process(interp: &mut Interp, spec: &[u8]) -> Result<Pid, i32> {
    match interp.find_job(spec) {
        Ok(id) => Ok(interp.jobs.get(id).map_or(0, Job::pid)),
        Err(error) => {
            interp.complain("wait", job_message(spec, error));
            Err(UNKNOWN)
        }
    }
}

/// Why there is no such job.
pub(super) fn job_message(spec: &[u8], error: JobError) -> Vec<u8> {
    let bare = spec.strip_prefix(b"%").unwrap_or(spec);
    match error {
        JobError::Missing => [spec, b": no such job"].concat(),
        JobError::Ambiguous => [bare.strip_prefix(b"?").unwrap_or(bare), b": ambiguous job spec"].concat(),
    }
}

/// A process that this shell has started.
fn child(interp: &mut Interp, operand: &[u8]) -> Result<Pid, i32> {
    let digit = operand.first().is_some_and(u8::is_ascii_digit);
    let Some(pid) = number(operand)
        .and_then(|pid| i32::try_from(pid).ok())
        .filter(|_| digit)
    else {
        interp.complain(
            "wait",
            [b"`", operand, b"': not a pid or valid job spec"].concat(),
        );
        return Err(1);
    };
    let pid = Pid::try_from(pid).unwrap_or(0);
    let own = interp.jobs.of_process(pid).is_some_and(|job| !job.inherited);
    if own || interp.jobs.remembered(pid).is_some() || interp.proc.kernel.is_child(interp.proc.pid, pid) {
        return Ok(pid);
    }
    interp.complain("wait", format!("pid {pid} is not a child of this shell"));
    Err(UNKNOWN)
}

/// Waits for a process; none when a signal came first.
pub(super) async fn wait_for_process(interp: &mut Interp, pid: Pid, stops: bool) -> Option<i32> {
    let kernel = interp.proc.kernel.clone();
    let signals = Arc::clone(&interp.proc.signals);
    let known = interp
        .jobs
        .remembered(pid)
        .or_else(|| process_status(interp, pid));
    let ended = match known {
        Some(status) => status,
        None => {
            kernel
                .wait_any(&signals, || match kernel.status_of(pid) {
                    _ if interrupts(&signals) => Some(None),
                    Some(status) => Some(Some(status)),
                    None if !kernel.exists(pid) => Some(Some(WaitStatus::Exited(127))),
                    None if stops && kernel.is_stopped(pid) => {
                        Some(Some(WaitStatus::Signaled(crate::kernel::Signal::STOP)))
                    }
                    None => signals.is_pending().then_some(None),
                })
                .await?
        }
    };
    settle(interp, pid, ended);
    Some(ended.code())
}

fn process_status(interp: &Interp, pid: Pid) -> Option<WaitStatus> {
    let job = interp.jobs.of_process(pid)?;
    job.processes.iter().find(|process| process.pid == pid)?.status
}

/// A process was waited for: its job is said to be killed if it was, and is forgotten.
fn settle(interp: &mut Interp, pid: Pid, status: WaitStatus) {
    interp.update_jobs();
    let job = interp
        .jobs
        .of_process(pid)
        .filter(|job| job.state == JobState::Dead)
        .map(|job| job.id);
    interp.notify_jobs();
    if let Some(id) = job {
        interp.mark_notified(id);
    }
    interp.jobs.clean();
    if interp.jobs.of_process(pid).is_none() {
        interp.jobs.remember(pid, status);
        interp.proc.kernel.reap(pid);
    }
}

/// Waits for everything, in the order of the jobs.
async fn all(interp: &mut Interp) -> Outcome {
    loop {
        interp.update_jobs();
        let Some(pid) = interp.jobs.active().next().map(Job::pid) else {
            break;
        };
        if wait_for_process(interp, pid, false).await.is_none() {
            return interrupted(interp);
        }
    }
    // A process substitution is waited for when it was the last thing started.
    if let Some(pid) = interp.last_substitution.take()
        && wait_for_process(interp, pid, false).await.is_none()
    {
        return interrupted(interp);
    }
    interp.notify_jobs();
    forget_all(interp);
    Outcome::failed(0)
}

/// What has ended is forgotten; a script keeps the process started last, for `$!`.
fn forget_all(interp: &mut Interp) {
    let last = interp.last_background;
    let gone: Vec<u32> = interp
        .jobs
        .iter()
        .filter(|job| job.inherited || Some(job.pid()) != last)
        .map(|job| job.id)
        .collect();
    gone.into_iter().for_each(|id| interp.jobs.remove(id));
    interp.jobs.forget_finished();
}

/// `wait -n`: the first job to end, of these or of all.
async fn next(interp: &mut Interp, operands: &[Vec<u8>]) -> Outcome {
    let mut ids = Vec::new();
    for operand in operands {
        match job_of(interp, operand) {
            Ok(id) => ids.push(id),
            Err(error) => interp.complain("wait", job_message(operand, error)),
        }
    }
    if operands.is_empty() {
        ids.extend(interp.jobs.iter().filter(|job| !job.inherited).map(|job| job.id));
    }
    loop {
        interp.update_jobs();
        let jobs: Vec<_> = ids
            .iter()
            .filter_map(|id| interp.jobs.get(*id))
            .cloned()
            .collect();
        if jobs.is_empty() {
            return Outcome::failed(UNKNOWN);
        }
        if let Some((job, status)) = jobs.iter().find_map(|job| Some((job, job.status()?))) {
            settle(interp, job.pid(), status);
            return Outcome {
                pid: Some(job.pid()),
                status: status.code(),
            };
        }
        let kernel = interp.proc.kernel.clone();
        let signals = Arc::clone(&interp.proc.signals);
        let pids: Vec<Pid> = jobs.iter().flat_map(Job::alive).collect();
        let ended = kernel
            .wait_any(&signals, || {
                let any = pids
                    .iter()
                    .any(|pid| kernel.status_of(*pid).is_some() || !kernel.exists(*pid));
                if interrupts(&signals) {
                    Some(false)
                } else if any {
                    Some(true)
                } else {
                    signals.is_pending().then_some(false)
                }
            })
            .await;
        if !ended {
            return interrupted(interp);
        }
    }
}

/// A job by its name or by the number of one of its processes.
fn job_of(interp: &Interp, operand: &[u8]) -> Result<u32, JobError> {
    if operand.first() == Some(&b'%') {
        return interp.find_job(operand);
    }
    let pid = number(operand).and_then(|pid| Pid::try_from(pid).ok());
    pid.and_then(|pid| interp.jobs.of_process(pid))
        .map(|job| job.id)
        .ok_or(JobError::Missing)
}
