//! `wait [-fn] [-p var] [id …]`

use std::sync::Arc;

use crate::args::BuiltinSpec;
use crate::interp::{Flow, Interp};
use crate::kernel::{Pid, WaitStatus};

const SPEC: BuiltinSpec = BuiltinSpec::new("wait", "fnp:");

/// The builtin.
pub async fn run(interp: &mut Interp, args: Vec<Vec<u8>>) -> Flow {
    let parsed = match interp.parse_options(&SPEC, &args) {
        Ok(parsed) => parsed,
        Err(status) => return Ok(status),
    };
    let variable = parsed.last(b'p').map(<[u8]>::to_vec);
    if let Some(name) = &variable {
        interp.vars.unset(name);
    }
    interp.flush().await?;
    if parsed.has(b'n') {
        return wait_next(interp, &parsed.operands, variable.as_deref()).await;
    }
    if parsed.operands.is_empty() {
        return wait_all(interp).await;
    }
    let mut status = 0;
    for operand in &parsed.operands {
        status = match resolve(interp, operand) {
            Ok(pid) => {
                if let Some(name) = &variable {
                    interp.vars.set_raw(name, pid.to_string().into_bytes());
                }
                match wait_process(interp, pid).await {
                    Waited::Status(status) => status,
                    Waited::Interrupted(status) => return Ok(status),
                }
            }
            Err(status) => status,
        };
    }
    Ok(status)
}

enum Waited {
    Status(i32),
    Interrupted(i32),
}

fn resolve(interp: &mut Interp, operand: &[u8]) -> Result<Pid, i32> {
    if operand.first() == Some(&b'%') {
        let Some(id) = interp.find_job(operand) else {
            interp.complain("wait", [operand, b": no such job"].concat());
            return Err(127);
        };
        return interp.jobs.get(id).and_then(|job| job.pids.last().copied()).ok_or(127);
    }
    let Some(pid) = super::support::number(operand) else {
        interp.complain("wait", [b"`", operand, b"': not a pid or valid job spec"].concat());
        return Err(1);
    };
    let pid = Pid::try_from(pid).unwrap_or(0);
    if interp.jobs.of_process(pid).is_none() && interp.jobs.remembered(pid).is_none() && !interp.proc.kernel.exists(pid) {
        interp.complain("wait", format!("pid {pid} is not a child of this shell"));
        return Err(127);
    }
    Ok(pid)
}

async fn wait_process(interp: &mut Interp, pid: Pid) -> Waited {
    if let Some(status) = interp.jobs.remembered(pid) {
        forget(interp, pid);
        return Waited::Status(status.code());
    }
    let kernel = interp.proc.kernel.clone();
    let signals = Arc::clone(&interp.proc.signals);
    let ended = kernel
        .wait_any(&signals, || match kernel.status_of(pid) {
            Some(status) => Some(Some(status)),
            None if !kernel.exists(pid) => Some(Some(WaitStatus::Exited(127))),
            None => signals.is_pending().then_some(None),
        })
        .await;
    match ended {
        Some(status) => {
            kernel.reap(pid);
            interp.jobs.remember(pid, status);
            forget(interp, pid);
            Waited::Status(status.code())
        }
        None => Waited::Interrupted(interrupted(interp)),
    }
}

/// A trapped signal ends `wait`: 128 and its number. The trap runs before the next command.
fn interrupted(interp: &Interp) -> i32 {
    interp.proc.signals.first_pending().map_or(130, |signal| 128 + i32::from(signal.number()))
}

fn forget(interp: &mut Interp, pid: Pid) {
    if let Some(id) = interp.jobs.of_process(pid).map(|job| job.id) {
        interp.jobs.remove(id);
    }
}

async fn wait_all(interp: &mut Interp) -> Flow {
    loop {
        let next = interp.jobs.iter().find_map(|job| job.pids.last().copied()).or_else(|| interp.last_substitution.take());
        let Some(pid) = next else { return Ok(0) };
        if let Waited::Interrupted(status) = wait_process(interp, pid).await {
            return Ok(status);
        }
    }
}

/// `wait -n`: the first to end.
async fn wait_next(interp: &mut Interp, operands: &[Vec<u8>], variable: Option<&[u8]>) -> Flow {
    let mut pids = Vec::new();
    if operands.is_empty() {
        pids.extend(interp.jobs.iter().filter_map(|job| job.pids.last().copied()));
    }
    for operand in operands {
        if let Ok(pid) = resolve(interp, operand) {
            pids.push(pid);
        }
    }
    if pids.is_empty() {
        return Ok(127);
    }
    let kernel = interp.proc.kernel.clone();
    let signals = Arc::clone(&interp.proc.signals);
    let jobs = interp.jobs.clone();
    let known = |pid: &Pid| jobs.remembered(*pid).or_else(|| kernel.status_of(*pid)).map(|_| *pid);
    let ended = kernel
        .wait_any(&signals, || match pids.iter().find_map(known) {
            Some(pid) => Some(Some(pid)),
            None => signals.is_pending().then_some(None),
        })
        .await;
    let Some(pid) = ended else { return Ok(interrupted(interp)) };
    if let Some(name) = variable {
        interp.vars.set_raw(name, pid.to_string().into_bytes());
    }
    match wait_process(interp, pid).await {
        Waited::Status(status) | Waited::Interrupted(status) => Ok(status),
    }
}
