//! `jobs [-lnprs] [jobspec …]`, `jobs -x command [args]`

use super::wait::job_message;
use crate::args::BuiltinSpec;
use crate::interp::job::{Job, JobState, JobStyle};
use crate::interp::{Flow, Interp};

const SPEC: BuiltinSpec = BuiltinSpec::new("jobs", "lpnxrs");

/// What is printed of a job.
#[derive(Debug, Clone, Copy)]
enum Form {
    Lines(JobStyle),
    /// `-n`: only if its state has changed since it was shown.
    Changed,
    /// `-p`: the number of the first process.
    Pid,
}

/// The builtin.
pub async fn run(interp: &mut Interp, args: Vec<Vec<u8>>) -> Flow {
    let parsed = match interp.parse_options(&SPEC, &args) {
        Ok(parsed) => parsed,
        Err(status) => return Ok(status),
    };
    let (mut form, mut only, mut execute) = (Form::Lines(JobStyle::Standard), None, false);
    for option in &parsed.options {
        match option.letter {
            b'l' => form = Form::Lines(JobStyle::Long),
            b'p' => form = Form::Pid,
            b'n' => form = Form::Changed,
            b'r' => only = Some(JobState::Running),
            b's' => only = Some(JobState::Stopped),
            _ if !matches!(form, Form::Lines(JobStyle::Standard)) => {
                interp.complain("jobs", "no other options allowed with `-x'");
                return Ok(1);
            }
            _ => execute = true,
        }
    }
    interp.update_jobs();
    if execute {
        return execute_with_pids(interp, parsed.operands).await;
    }
    interp.jobs.clean();
    if parsed.operands.is_empty() {
        let jobs: Vec<Job> = interp.jobs.iter().cloned().collect();
        for job in jobs
            .iter()
            .filter(|job| only.is_none_or(|only| job.state == only))
        {
            show(interp, job, form);
        }
        return Ok(0);
    }
    let mut status = 0;
    for operand in &parsed.operands {
        match interp.find_job(operand) {
            Ok(id) => {
                if let Some(job) = interp.jobs.get(id).cloned() {
                    show(interp, &job, form);
                }
            }
            Err(error) => {
                interp.complain("jobs", job_message(operand, error));
                if error == crate::interp::job::JobError::Ambiguous {
                    interp.complain("jobs", [operand, b": no such job".as_slice()].concat());
                }
                status = 1;
            }
        }
    }
    Ok(status)
}

fn show(interp: &mut Interp, job: &Job, form: Form) {
    let text = match form {
        Form::Pid => {
            interp.print(format!("{}\n", job.leader()));
            return;
        }
        Form::Changed if job.notified => return,
        Form::Changed => interp.describe_job(job, JobStyle::Standard),
        Form::Lines(style) => interp.describe_job(job, style),
    };
    interp.print(text);
    interp.mark_notified(job.id);
}

/// Runs a command in which names of jobs become numbers of their first process.
async fn execute_with_pids(interp: &mut Interp, mut words: Vec<Vec<u8>>) -> Flow {
    for word in words.iter_mut().filter(|word| word.first() == Some(&b'%')) {
        if let Ok(id) = interp.find_job(word)
            && let Some(job) = interp.jobs.get(id)
        {
            *word = job.leader().to_string().into_bytes();
        }
    }
    if words.is_empty() {
        return Ok(0);
    }
    interp.run_words(words).await
}
