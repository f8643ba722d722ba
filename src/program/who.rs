//! `who` and `uptime`: nobody is logged in, and the system is as old as the run.

use super::usage;
use crate::args::{COREUTILS, Complaint, Opt, Package, Parsed, Spec};
use crate::kernel::{Proc, Program, Stop};
use crate::text::strftime::{Dialect, Moment, strftime};
use crate::text::zone;

/// `who`.
pub const PROGRAM: Program = Program {
    name: "who",
    run: |proc| Box::pin(run_who(proc)),
};

/// `uptime`.
pub const UPTIME: Program = Program {
    name: "uptime",
    run: |proc| Box::pin(run_uptime(proc)),
};

#[derive(Clone, Copy, PartialEq)]
enum Flag {
    Heading,
    Count,
    All,
    Login,
    Lookup,
    Idle,
    Message,
    Other,
}

static SPEC: Spec<Flag> = Spec::new(
    "who",
    COREUTILS,
    &["[OPTION]... [ FILE | ARG1 ARG2 ]"],
    "Print information about users who are currently logged in.\n",
    &[
        Opt::flag(Flag::All, 'a', "all", "same as -b -d --login -p -r -t -T -u"),
        Opt::flag(Flag::Other, 'b', "boot", "time of last system boot"),
        Opt::flag(Flag::Other, 'd', "dead", "print dead processes"),
        Opt::flag(Flag::Heading, 'H', "heading", "print line of column headings"),
        Opt::flag(Flag::Login, 'l', "login", "print system login processes"),
        Opt::long(
            Flag::Lookup,
            "lookup",
            "attempt to canonicalize hostnames via DNS",
        ),
        Opt::short(Flag::Other, 'm', "only hostname and user associated with stdin"),
        Opt::flag(
            Flag::Other,
            'p',
            "process",
            "print active processes spawned by init",
        ),
        Opt::flag(
            Flag::Count,
            'q',
            "count",
            "all login names and number of users logged on",
        ),
        Opt::flag(Flag::Other, 'r', "runlevel", "print current runlevel"),
        Opt::flag(
            Flag::Other,
            's',
            "short",
            "print only name, line, and time (default)",
        ),
        Opt::flag(Flag::Other, 't', "time", "print last system clock change"),
        Opt::flag(
            Flag::Message,
            'T',
            "mesg",
            "add user's message status as +, - or ?",
        ),
        Opt::short(Flag::Message, 'w', ""),
        Opt::flag(Flag::Idle, 'u', "users", "list users logged in"),
    ],
);

async fn run_who(proc: &mut Proc) -> Result<i32, Stop> {
    let parsed = usage::parse(proc, &SPEC).await?;
    if let Some(extra) = parsed.operands.get(2) {
        return Err(usage::refuse(proc, &SPEC.extra_operand(extra)).await);
    }
    if parsed.has(Flag::Count) {
        proc.write(b"\n# users=0\n").await?;
    } else if parsed.has(Flag::Heading) {
        proc.write(&heading(&parsed)).await?;
    }
    Ok(0)
}

/// The columns that the options ask for.
fn heading(parsed: &Parsed<Flag>) -> Vec<u8> {
    let all = parsed.has(Flag::All);
    let message = if all || parsed.has(Flag::Message) {
        "  "
    } else {
        ""
    };
    let idle = if all || parsed.has(Flag::Idle) {
        " IDLE          PID"
    } else {
        ""
    };
    let exit = if all { "  EXIT" } else { "" };
    format!("NAME     {message}LINE         TIME            {idle} COMMENT{exit}\n").into_bytes()
}

#[derive(Clone, Copy, PartialEq)]
enum UptimeFlag {
    Pretty,
    Since,
}

static UPTIME_SPEC: Spec<UptimeFlag> = Spec::new(
    "uptime",
    Package::Line("uptime from procps-ng 4.0.2"),
    &["[options]"],
    "",
    &[
        Opt::flag(UptimeFlag::Pretty, 'p', "pretty", "show uptime in pretty format"),
        Opt::flag(UptimeFlag::Since, 's', "since", "system up since"),
    ],
)
.complains(Complaint::Help)
.help_letter('h')
.version_letter('V');

async fn run_uptime(proc: &mut Proc) -> Result<i32, Stop> {
    let parsed = usage::parse(proc, &UPTIME_SPEC).await?;
    if parsed.has(UptimeFlag::Pretty) {
        proc.write(b"up 0 minutes\n").await?;
        return Ok(0);
    }
    let since = parsed.has(UptimeFlag::Since);
    let format: &[u8] = if since {
        b"%Y-%m-%d %H:%M:%S"
    } else {
        b" %H:%M:%S up 0 min,  0 user,  load average: 0.00, 0.00, 0.00"
    };
    let now = proc.kernel.now();
    let zone = zone::from_variable(proc.variable(b"TZ"));
    let moment = Moment::new(now.seconds, now.nanos, &zone);
    let text = moment
        .and_then(|moment| strftime(format, &moment, Dialect::Glibc, 4096))
        .unwrap_or_default();
    proc.write(&[text.as_slice(), b"\n"].concat()).await?;
    Ok(0)
}
