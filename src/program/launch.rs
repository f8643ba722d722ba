//! Programs that run other programs: becoming one (`execvp`), or starting one and waiting for it.

use crate::fs::Errno;
use crate::kernel::{Launch, Proc, Stop, WaitStatus};

/// The statuses with which such programs say that the command did not start: found or not.
pub fn launch_status(errno: Errno) -> i32 {
    if errno == Errno::ENOENT { 127 } else { 126 }
}

/// Makes this process the program that `args` names, with this environment: does what `execvp` does, and gives its end. An
/// error is why it did not start.
pub async fn become_program(
    proc: &mut Proc,
    args: Vec<Vec<u8>>,
    environment: Option<Vec<(Vec<u8>, Vec<u8>)>>,
) -> Result<Result<i32, Errno>, Stop> {
    proc.flush().await?;
    let mut image = proc.clone();
    let command = args.first().cloned().unwrap_or_default();
    image.args = args;
    if let Some(environment) = environment {
        image.environment = environment.into();
    }
    image.fds = proc.fds.inherited();
    let program = match image
        .find_program(&command)
        .and_then(|path| load(&mut image, &path))
    {
        Ok(program) => program,
        Err(errno) => return Ok(Err(errno)),
    };
    // The program runs in a task of its own, so that a chain of such programs does not nest.
    let (pid, kernel) = (proc.pid, proc.kernel.clone());
    proc.fds = crate::kernel::Fds::default();
    let signals = std::sync::Arc::clone(&proc.signals);
    image.start_task(program);
    let status = kernel
        .wait_any(&signals, || match kernel.status_of(pid) {
            Some(status) => Some(status),
            // Somebody waited for it before this task came to look: the status is theirs already.
            None if !kernel.exists(pid) => Some(WaitStatus::Exited(0)),
            None => None,
        })
        .await;
    end_as(status).map(Ok)
}

fn load(image: &mut Proc, path: &[u8]) -> Result<Vec<u8>, Errno> {
    match image.load(path) {
        // A script without `#!` runs in sh, as execvp does.
        Err(Errno::ENOEXEC) => {
            let rest = image.args.split_off(1.min(image.args.len()));
            image.args = [b"/bin/sh".to_vec(), path.to_vec()]
                .into_iter()
                .chain(rest)
                .collect();
            image.load(b"/bin/sh")
        }
        loaded => loaded,
    }
}

/// Ends as another process ended.
pub fn end_as(status: WaitStatus) -> Result<i32, Stop> {
    match status {
        WaitStatus::Exited(code) => Ok(i32::from(code)),
        WaitStatus::Signaled(signal) => Err(Stop::Signal(signal)),
    }
}

/// Runs a command in the shell and gives what it prints, and how it ended.
pub async fn capture(
    proc: &mut Proc,
    command: Vec<u8>,
) -> Result<Result<(Vec<u8>, WaitStatus), Errno>, Stop> {
    proc.flush().await?;
    let (reader, writer) = proc.kernel.pipe();
    let child = match proc.spawn(shell(command, vec![(1, writer)])) {
        Ok(child) => child,
        Err(errno) => return Ok(Err(errno)),
    };
    let mut lease = proc.kernel.lease();
    let output = crate::kernel::Input::new(reader).rest(&mut lease).await;
    let status = proc.wait(child).await;
    Ok(output.and_then(|output| Ok((output, status?))))
}

/// `sh -c command`, with some descriptors of its own.
pub fn shell(command: Vec<u8>, fds: Vec<(u32, std::sync::Arc<crate::kernel::File>)>) -> Launch {
    Launch {
        args: vec![b"sh".to_vec(), b"-c".to_vec(), command],
        fds,
        ..Launch::default()
    }
}
