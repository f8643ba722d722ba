//! `id`, `whoami`, `groups`, `logname`: who a process is, by the accounts of the file tree.

use super::accounts::Accounts;
use super::usage;
use crate::args::{COREUTILS, Opt, Parsed, Spec, UsageError, quote};
use crate::kernel::{Proc, Program, Stop};

/// `id`.
pub const PROGRAM: Program = Program {
    name: "id",
    run: |proc| Box::pin(run_id(proc)),
};

/// `whoami`.
pub const WHOAMI: Program = Program {
    name: "whoami",
    run: |proc| Box::pin(run_whoami(proc)),
};

/// `groups`.
pub const GROUPS: Program = Program {
    name: "groups",
    run: |proc| Box::pin(run_groups(proc)),
};

/// `logname`.
pub const LOGNAME: Program = Program {
    name: "logname",
    run: |proc| Box::pin(run_logname(proc)),
};

#[derive(Clone, Copy, PartialEq)]
enum Flag {
    Ignored,
    Context,
    Group,
    Groups,
    Name,
    Real,
    User,
    Zero,
}

static SPEC: Spec<Flag> = Spec::new(
    "id",
    COREUTILS,
    &["[OPTION]... [USER]..."],
    "Print user and group information for each specified USER,\nor (when USER omitted) for the current process.\n",
    &[
        Opt::short(Flag::Ignored, 'a', "ignore, for compatibility with other versions"),
        Opt::flag(Flag::Context, 'Z', "context", "print only the security context of the process"),
        Opt::flag(Flag::Group, 'g', "group", "print only the effective group ID"),
        Opt::flag(Flag::Groups, 'G', "groups", "print all group IDs"),
        Opt::flag(Flag::Name, 'n', "name", "print a name instead of a number, for -ugG"),
        Opt::flag(Flag::Real, 'r', "real", "print the real ID instead of the effective ID, with -ugG"),
        Opt::flag(Flag::User, 'u', "user", "print only the effective user ID"),
        Opt::flag(Flag::Zero, 'z', "zero", "delimit entries with NUL characters, not whitespace;\nnot permitted in default format"),
    ],
)
.notes("Without any OPTION, print some useful set of identified information.");

fn check(parsed: &Parsed<Flag>) -> Result<(), UsageError> {
    let plain = |message: &str| Err(UsageError::plain(1, message));
    let only = [Flag::User, Flag::Group, Flag::Groups]
        .iter()
        .filter(|flag| parsed.has(**flag))
        .count();
    if parsed.has(Flag::Context) {
        return plain("--context (-Z) works only on an SELinux-enabled kernel");
    }
    if only > 1 {
        return plain("cannot print \"only\" of more than one choice");
    }
    if only == 0 && (parsed.has(Flag::Name) || parsed.has(Flag::Real)) {
        return plain("cannot print only names or real IDs in default format");
    }
    if only == 0 && parsed.has(Flag::Zero) {
        return plain("option --zero not permitted in default format");
    }
    Ok(())
}

async fn run_id(proc: &mut Proc) -> Result<i32, Stop> {
    let parsed = usage::parse(proc, &SPEC).await?;
    usage::accept(proc, check(&parsed)).await?;
    let mut accounts = Accounts::default();
    let mut status = 0;
    let mut who = Vec::new();
    if parsed.operands.is_empty() {
        who.push((proc.user.uid, proc.user.gid));
    }
    for name in &parsed.operands {
        match lookup(proc, &mut accounts, name) {
            Some(found) => who.push(found),
            None => {
                // The real one has an error number left over from looking for no name.
                let reason: &[u8] = if name.is_empty() {
                    b": No such file or directory"
                } else {
                    b""
                };
                proc.warn([&*quote(name), b": no such user", reason].concat())
                    .await?;
                status = 1;
            }
        }
    }
    let several = parsed.operands.len() > 1;
    for (uid, gid) in who {
        let mut text = describe(proc, &mut accounts, &parsed, uid, gid);
        if several && parsed.has(Flag::Zero) && parsed.has(Flag::Groups) {
            text.push(0);
        }
        proc.write(&text).await?;
    }
    Ok(status)
}

/// A user by name or number, and the group.
fn lookup(proc: &Proc, accounts: &mut Accounts, name: &[u8]) -> Option<(u32, u32)> {
    if let Some(uid) = accounts.user_id(proc, name) {
        return Some((uid, accounts.login_group(proc, name)?));
    }
    let uid = std::str::from_utf8(name).ok()?.parse().ok()?;
    let name = accounts.user_name(proc, uid)?.to_vec();
    Some((uid, accounts.login_group(proc, &name)?))
}

fn describe(proc: &Proc, accounts: &mut Accounts, parsed: &Parsed<Flag>, uid: u32, gid: u32) -> Vec<u8> {
    let names = parsed.has(Flag::Name);
    let end: &[u8] = if parsed.has(Flag::Zero) { b"\0" } else { b"\n" };
    let user = accounts.user_name(proc, uid).map(<[u8]>::to_vec);
    let group = accounts.group_name(proc, gid).map(<[u8]>::to_vec);
    if parsed.has(Flag::User) {
        return [named(user.filter(|_| names), uid).as_slice(), end].concat();
    }
    if parsed.has(Flag::Group) || parsed.has(Flag::Groups) {
        return [named(group.filter(|_| names), gid).as_slice(), end].concat();
    }
    let both = |id: u32, name: &Option<Vec<u8>>| match name {
        Some(name) => [id.to_string().as_bytes(), b"(", name, b")"].concat(),
        None => id.to_string().into_bytes(),
    };
    let (user, group) = (both(uid, &user), both(gid, &group));
    [
        b"uid=",
        user.as_slice(),
        b" gid=",
        &group,
        b" groups=",
        &group,
        b"\n",
    ]
    .concat()
}

fn named(name: Option<Vec<u8>>, id: u32) -> Vec<u8> {
    name.unwrap_or_else(|| id.to_string().into_bytes())
}

#[derive(Clone, Copy, PartialEq)]
enum NoFlag {}

static WHOAMI_SPEC: Spec<NoFlag> = Spec::new(
    "whoami",
    COREUTILS,
    &["[OPTION]..."],
    "Print the user name associated with the current effective user ID.\nSame as id -un.\n",
    &[],
);

async fn run_whoami(proc: &mut Proc) -> Result<i32, Stop> {
    let parsed = usage::parse(proc, &WHOAMI_SPEC).await?;
    usage::accept(proc, WHOAMI_SPEC.check_operands(&parsed, 0, 0)).await?;
    let uid = proc.user.uid;
    let mut accounts = Accounts::default();
    let name = accounts.user_name(proc, uid).map(<[u8]>::to_vec);
    let Some(name) = name else {
        let message = format!("cannot find name for user ID {uid}");
        return Err(usage::fail(proc, 1, message).await);
    };
    proc.write(&[name.as_slice(), b"\n"].concat()).await?;
    Ok(0)
}

static GROUPS_SPEC: Spec<NoFlag> = Spec::new(
    "groups",
    COREUTILS,
    &["[OPTION]... [USERNAME]..."],
    "Print group memberships for each USERNAME or, if no USERNAME is specified, for\nthe current process (which may differ if the \
     groups database has changed).",
    &[],
);

async fn run_groups(proc: &mut Proc) -> Result<i32, Stop> {
    let parsed = usage::parse(proc, &GROUPS_SPEC).await?;
    let mut accounts = Accounts::default();
    if parsed.operands.is_empty() {
        let gid = proc.user.gid;
        let name = named(accounts.group_name(proc, gid).map(<[u8]>::to_vec), gid);
        proc.write(&[name.as_slice(), b"\n"].concat()).await?;
        return Ok(0);
    }
    let mut status = 0;
    for user in &parsed.operands {
        let Some((_, gid)) = lookup(proc, &mut accounts, user) else {
            proc.warn([&*quote(user), b": no such user"].concat()).await?;
            status = 1;
            continue;
        };
        let name = named(accounts.group_name(proc, gid).map(<[u8]>::to_vec), gid);
        proc.write(&[user, b" : ".as_slice(), &name, b"\n"].concat())
            .await?;
    }
    Ok(status)
}

static LOGNAME_SPEC: Spec<NoFlag> = Spec::new(
    "logname",
    COREUTILS,
    &["[OPTION]"],
    "Print the user's login name.\n",
    &[],
);

/// Nobody logged in.
async fn run_logname(proc: &mut Proc) -> Result<i32, Stop> {
    let parsed = usage::parse(proc, &LOGNAME_SPEC).await?;
    usage::accept(proc, LOGNAME_SPEC.check_operands(&parsed, 0, 0)).await?;
    Err(usage::fail(proc, 1, "no login name").await)
}
