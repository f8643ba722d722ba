//! `kill`, the program: sends signals, as procps' does.

use crate::kernel::{Pid, Proc, Program, Signal, Stop};

/// The program.
pub const PROGRAM: Program = Program {
    name: "kill",
    run: |proc| Box::pin(run(proc)),
};

const USAGE: &[u8] = b"
Usage:
 kill [options] <pid> [...]

Options:
 <pid> [...]            send signal to every <pid> listed
 -<signal>, -s, --signal <signal>
                        specify the <signal> to be sent
 -q, --queue <value>    integer value to be sent with the signal
 -l, --list=[<signal>]  list all signal names, or convert one to a name
 -L, --table            list all signal names in a nice table

 -h, --help     display this help and exit
 -V, --version  output version information and exit

For more details see kill(1).
";

/// The name that procps gives a signal.
fn name_of(signal: Signal) -> String {
    if signal.number() == 29 {
        "POLL".to_owned()
    } else {
        signal.name()
    }
}

fn signal_of(word: &[u8]) -> Option<Option<Signal>> {
    if word.first().is_some_and(u8::is_ascii_digit) {
        let number: i64 = std::str::from_utf8(word).ok()?.parse().ok()?;
        return if number == 0 {
            Some(None)
        } else {
            Signal::from_number(number).map(Some)
        };
    }
    Signal::from_name(word).map(Some)
}

async fn usage(proc: &mut Proc, complaint: Option<&str>) -> Result<i32, Stop> {
    if let Some(complaint) = complaint {
        proc.warn(complaint).await?;
    }
    proc.write_error(USAGE).await?;
    Ok(1)
}

async fn run(proc: &mut Proc) -> Result<i32, Stop> {
    let words = proc.arguments().to_vec();
    let mut signal = Some(Signal::TERM);
    let mut at = 0;
    while let Some(word) = words.get(at) {
        at += 1;
        let value = words.get(at);
        match word.as_slice() {
            b"--" => break,
            b"-h" | b"--help" => {
                proc.write(USAGE).await?;
                return Ok(0);
            }
            b"-V" | b"--version" => {
                proc.write(b"kill from procps-ng 4.0.2\n").await?;
                return Ok(0);
            }
            b"-L" | b"--table" => return table(proc).await,
            b"-l" | b"--list" => return list(proc, value.map(Vec::as_slice)).await,
            b"-s" | b"--signal" => {
                let Some(value) = value else {
                    return usage(proc, Some("invalid argument s")).await;
                };
                match signal_of(value) {
                    Some(found) => signal = found,
                    None => {
                        let text = [b"unknown signal name ", value.as_slice()].concat();
                        proc.warn(text).await?;
                        return Ok(1);
                    }
                }
                at += 1;
            }
            b"-q" | b"--queue" => at += 1,
            _ => {
                if let Some(name) = word.strip_prefix(b"--list=") {
                    return list(proc, Some(name)).await;
                }
                let Some(name) = word.strip_prefix(b"-") else {
                    at -= 1;
                    break;
                };
                match signal_of(name.strip_prefix(b"-signal=").unwrap_or(name)) {
                    Some(found) => signal = found,
                    None => {
                        let letter = name.first().map_or(' ', |byte| char::from(*byte));
                        return usage(proc, Some(&format!("invalid argument {letter}"))).await;
                    }
                }
            }
        }
    }
    let targets = words.get(at..).unwrap_or_default();
    if targets.is_empty() {
        return usage(proc, None).await;
    }
    send_all(proc, targets, signal).await
}

async fn send_all(proc: &mut Proc, targets: &[Vec<u8>], signal: Option<Signal>) -> Result<i32, Stop> {
    let mut status = 0;
    for word in targets {
        let Some(number) = std::str::from_utf8(word)
            .ok()
            .and_then(|word| word.parse::<i64>().ok())
        else {
            proc.warn([b"failed to parse argument: '", word.as_slice(), b"'"].concat())
                .await?;
            return Ok(1);
        };
        let sent = match number {
            0 => proc
                .kernel
                .group_of(proc.pid)
                .map_or(Ok(()), |group| proc.kernel.kill_group(group, signal)),
            1.. => proc.kernel.kill(number as Pid, signal),
            _ => proc.kernel.kill_group(number.unsigned_abs() as Pid, signal),
        };
        if let Err(errno) = sent {
            proc.warn(format!("({number}): {errno}")).await?;
            status = 1;
        }
    }
    Ok(status)
}

fn listed() -> impl Iterator<Item = Signal> {
    Signal::all().filter(|signal| signal.number() < 32)
}

async fn table(proc: &mut Proc) -> Result<i32, Stop> {
    let mut text = String::new();
    for signal in listed() {
        text += &format!("{:2} {:<6}", signal.number(), name_of(signal));
        if signal.number() % 7 == 0 {
            text = text.trim_end().to_owned() + "\n";
        } else {
            text += "  ";
        }
    }
    text = text.trim_end_matches(' ').to_owned() + "     \n";
    proc.write(text.as_bytes()).await?;
    Ok(0)
}

/// All names, or the name of a number and the number of a name.
async fn list(proc: &mut Proc, which: Option<&[u8]>) -> Result<i32, Stop> {
    let Some(which) = which else {
        let names: Vec<String> = listed().map(name_of).collect();
        let (first, second) = names.split_at(16);
        proc.write(format!("{}\n{}\n", first.join(" "), second.join(" ")).as_bytes())
            .await?;
        return Ok(0);
    };
    match signal_of(which) {
        Some(Some(signal)) if signal.number() >= 32 => {
            proc.warn([b"unknown signal name ", which].concat()).await?;
        }
        Some(Some(signal)) if which.first().is_some_and(u8::is_ascii_digit) => {
            proc.write(format!("{}\n", name_of(signal)).as_bytes()).await?;
        }
        Some(Some(signal)) => proc.write(format!("{}\n", signal.number()).as_bytes()).await?,
        _ => proc.warn([b"unknown signal name ", which].concat()).await?,
    }
    Ok(0)
}
