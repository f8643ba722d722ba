//! `disown [-h] [-ar] [jobspec … | pid …]`

use super::support::number;
use crate::args::BuiltinSpec;
use crate::interp::job::JobState;
use crate::interp::{Flow, Interp};
use crate::kernel::Pid;

const SPEC: BuiltinSpec = BuiltinSpec::new("disown", "ahr");

/// The builtin.
pub fn run(interp: &mut Interp, args: &[Vec<u8>]) -> Flow {
    let parsed = match interp.parse_options(&SPEC, args) {
        Ok(parsed) => parsed,
        Err(status) => return Ok(status),
    };
    let (keep, running) = (parsed.has(b'h'), parsed.has(b'r'));
    interp.update_jobs();
    if parsed.operands.is_empty() && (parsed.has(b'a') || running) {
        let wanted = interp
            .jobs
            .iter()
            .filter(|job| !running || job.state == JobState::Running);
        let ids: Vec<u32> = wanted.map(|job| job.id).collect();
        ids.into_iter().for_each(|id| release(interp, id, keep));
        return Ok(0);
    }
    if parsed.operands.is_empty() {
        return Ok(release_named(interp, b"%%", b"current", keep));
    }
    let mut status = 0;
    for operand in &parsed.operands {
        status |= release_named(interp, operand, operand, keep);
    }
    Ok(status)
}

fn release_named(interp: &mut Interp, spec: &[u8], shown: &[u8], keep: bool) -> i32 {
    let by_number = number(spec).map(|pid| {
        let pid = Pid::try_from(pid).unwrap_or(0);
        interp.jobs.of_process(pid).map(|job| job.id)
    });
    match by_number.unwrap_or_else(|| interp.find_job(spec).ok()) {
        Some(id) => {
            release(interp, id, keep);
            0
        }
        None => {
            interp.complain("disown", [shown, b": no such job"].concat());
            1
        }
    }
}

fn release(interp: &mut Interp, id: u32, keep: bool) {
    if keep {
        interp.jobs.change(id, |job| job.keep = true);
    } else {
        interp.jobs.remove(id);
    }
}
