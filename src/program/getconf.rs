//! `getconf`: the configuration that scripts ask for.

use super::usage;
use crate::fs::Follow;
use crate::kernel::{Proc, Program, Stop};

/// The program.
pub const PROGRAM: Program = Program {
    name: "getconf",
    run: |proc| Box::pin(run(proc)),
};

/// Variables of the system, sorted.
const SYSTEM: [(&str, &str); 34] = [
    ("ARG_MAX", "2097152"),
    ("CHAR_BIT", "8"),
    ("CHAR_MAX", "127"),
    ("CHAR_MIN", "-128"),
    ("CHILD_MAX", "1024"),
    ("CLK_TCK", "100"),
    ("CS_PATH", "/bin:/usr/bin"),
    ("GNU_LIBC_VERSION", "glibc 2.36"),
    ("HOST_NAME_MAX", "64"),
    ("INT_MAX", "2147483647"),
    ("INT_MIN", "-2147483648"),
    ("IOV_MAX", "1024"),
    ("LINE_MAX", "2048"),
    ("LONG_BIT", "64"),
    ("LONG_MAX", "9223372036854775807"),
    ("NGROUPS_MAX", "65536"),
    ("NZERO", "20"),
    ("OPEN_MAX", "1024"),
    ("PAGESIZE", "4096"),
    ("PAGE_SIZE", "4096"),
    ("PATH", "/bin:/usr/bin"),
    ("RE_DUP_MAX", "32767"),
    ("SHRT_MAX", "32767"),
    ("SHRT_MIN", "-32768"),
    ("SSIZE_MAX", "32767"),
    ("UCHAR_MAX", "255"),
    ("UINT_MAX", "4294967295"),
    ("ULONG_MAX", "18446744073709551615"),
    ("USHRT_MAX", "65535"),
    ("WORD_BIT", "32"),
    ("_NPROCESSORS_CONF", "1"),
    ("_NPROCESSORS_ONLN", "1"),
    ("_POSIX_VERSION", "200809"),
    ("_XOPEN_VERSION", "700"),
];

/// Variables of a path, sorted.
const PATHS: [(&str, &str); 5] = [
    ("LINK_MAX", "127"),
    ("MAX_INPUT", "255"),
    ("NAME_MAX", "255"),
    ("PATH_MAX", "4096"),
    ("PIPE_BUF", "4096"),
];

const USAGE: &[u8] =
    b"Usage: getconf [-v specification] variable_name [pathname]\n       getconf -a [pathname]\n";

fn find(table: &[(&str, &'static str)], name: &[u8]) -> Option<&'static str> {
    table
        .iter()
        .find(|(known, _)| known.as_bytes() == name)
        .map(|(_, value)| *value)
}

async fn run(proc: &mut Proc) -> Result<i32, Stop> {
    let mut words = proc.arguments().to_vec();
    if words.first().is_some_and(|word| word == b"--") {
        words.remove(0);
    }
    if let [only] = words.as_slice()
        && only == b"-a"
    {
        for (name, value) in SYSTEM.iter().chain(&PATHS) {
            proc.write(format!("{name:<34} {value}\n").as_bytes()).await?;
        }
        return Ok(0);
    }
    let value = match words.as_slice() {
        [name] => find(&SYSTEM, name).ok_or(name),
        // A variable of the system has no path.
        [name, path] if find(&SYSTEM, name).is_none() => {
            let value = find(&PATHS, name);
            if value.is_some()
                && let Err(errno) = proc.metadata(path, Follow::Yes)
            {
                let message = [b"pathconf: ", path.as_slice(), b": ", errno.message().as_bytes()].concat();
                return Err(usage::fail(proc, 3, message).await);
            }
            value.ok_or(name)
        }
        _ => {
            proc.write_error(USAGE).await?;
            return Ok(2);
        }
    };
    match value {
        Ok(value) => {
            proc.write(format!("{value}\n").as_bytes()).await?;
            Ok(0)
        }
        // A variable of paths needs one.
        Err(name) if find(&PATHS, name).is_some() => {
            proc.write_error(USAGE).await?;
            Ok(2)
        }
        Err(name) => Err(usage::fail(
            proc,
            2,
            [b"Unrecognized variable `", name.as_slice(), b"'"].concat(),
        )
        .await),
    }
}
