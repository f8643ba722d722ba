//! `chown` and `chgrp`: change owners and groups.
//!
//! Anybody may give a file the owner it has; other changes are for whom the file tree allows them.

use super::accounts::Accounts;
use super::attribute_change::{self, Report, refuses_root};
use super::message::{complain, message};
use super::usage;
use super::walk::{Links, Visit, Visited, Walk};
use crate::args::{COREUTILS, Opt, Parsed, Spec, UsageError, quote, quoteaf};
use crate::fs::{Errno, FileKind, Follow, Metadata};
use crate::kernel::{Proc, Program, Stop};

/// `chown`.
pub const PROGRAM: Program = Program {
    name: "chown",
    run: |proc| Box::pin(run(proc, Called::Chown)),
};

/// `chgrp`.
pub const CHGRP: Program = Program {
    name: "chgrp",
    run: |proc| Box::pin(run(proc, Called::Chgrp)),
};

#[derive(Clone, Copy, PartialEq)]
enum Called {
    Chown,
    Chgrp,
}

#[derive(Clone, Copy, PartialEq)]
enum Flag {
    Changes,
    Silent,
    Verbose,
    Dereference,
    NoDereference,
    From,
    NoPreserveRoot,
    PreserveRoot,
    Reference,
    Recursive,
    FollowOperands,
    FollowAll,
    FollowNone,
}

const OPTIONS: &[Opt<Flag>] = &[
    Opt::flag(
        Flag::Changes,
        'c',
        "changes",
        "like verbose but report only when a change is made",
    ),
    Opt::flag(Flag::Silent, 'f', "silent", "suppress most error messages"),
    Opt::long(Flag::Silent, "quiet", ""),
    Opt::flag(
        Flag::Verbose,
        'v',
        "verbose",
        "output a diagnostic for every file processed",
    ),
    Opt::long(
        Flag::Dereference,
        "dereference",
        "affect the referent of each symbolic link (this is\nthe default), rather than the symbolic link itself",
    ),
    Opt::flag(
        Flag::NoDereference,
        'h',
        "no-dereference",
        "affect symbolic links instead of any referenced file",
    ),
    Opt::long(
        Flag::NoPreserveRoot,
        "no-preserve-root",
        "do not treat '/' specially (the default)",
    ),
    Opt::long(
        Flag::PreserveRoot,
        "preserve-root",
        "fail to operate recursively on '/'",
    ),
    Opt::long(
        Flag::Reference,
        "reference",
        "use RFILE's owner and group rather than\nspecifying OWNER:GROUP values",
    )
    .takes("RFILE"),
    Opt::flag(
        Flag::Recursive,
        'R',
        "recursive",
        "operate on files and directories recursively",
    ),
    Opt::short(
        Flag::FollowOperands,
        'H',
        "if a command line argument is a symbolic link\nto a directory, traverse it",
    ),
    Opt::short(
        Flag::FollowAll,
        'L',
        "traverse every symbolic link to a directory\nencountered",
    ),
    Opt::short(
        Flag::FollowNone,
        'P',
        "do not traverse any symbolic links (default)",
    ),
    Opt::long(
        Flag::From,
        "from",
        "change the owner and/or group of each file only if\nits current owner and/or group match those specified",
    )
    .takes("CURRENT_OWNER:CURRENT_GROUP"),
];

const LONG_ORDER: &[&str] = &[
    "recursive",
    "changes",
    "dereference",
    "from",
    "no-dereference",
    "no-preserve-root",
    "preserve-root",
    "quiet",
    "silent",
    "reference",
    "verbose",
];

static CHOWN_SPEC: Spec<Flag> = Spec::new(
    "chown",
    COREUTILS,
    &[
        "[OPTION]... [OWNER][:[GROUP]] FILE...",
        "[OPTION]... --reference=RFILE FILE...",
    ],
    "Change the owner and/or group of each FILE to OWNER and/or GROUP.\nWith --reference, change the owner and group of each FILE to those of RFILE.\n",
    OPTIONS,
)
.long_order(LONG_ORDER);

static CHGRP_SPEC: Spec<Flag> = Spec::new(
    "chgrp",
    COREUTILS,
    &[
        "[OPTION]... GROUP FILE...",
        "[OPTION]... --reference=RFILE FILE...",
    ],
    "Change the group of each FILE to GROUP.\nWith --reference, change the group of each FILE to that of RFILE.\n",
    OPTIONS,
)
.long_order(LONG_ORDER);

/// An owner, a group or both, and their names as they were said.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct Owners {
    user: Option<u32>,
    group: Option<u32>,
    user_name: Option<Vec<u8>>,
    group_name: Option<Vec<u8>>,
}

/// What became of a file.
#[derive(Clone, Copy, PartialEq)]
enum Fate {
    Changed,
    Failed,
    Retained,
}

struct Options {
    wanted: Owners,
    from: Owners,
    report: Report,
    silent: bool,
    recursive: bool,
    preserve_root: bool,
    links: Links,
    follows: bool,
    called: Called,
}

async fn run(proc: &mut Proc, called: Called) -> Result<i32, Stop> {
    let spec = match called {
        Called::Chown => &CHOWN_SPEC,
        Called::Chgrp => &CHGRP_SPEC,
    };
    let parsed = usage::parse(proc, spec).await?;
    let mut accounts = Accounts::default();
    let read = read_options(proc, &parsed, called, spec, &mut accounts);
    let (options, operands, warnings) = usage::accept(proc, read).await?;
    for warning in warnings {
        proc.warn(warning).await?;
    }
    let mut status = 0;
    for operand in operands {
        let mut walk = Walk::tidy(operand, options.links);
        while let Some(visited) = walk.next(proc) {
            proc.kernel.breathe().await;
            if visited.visit == Visit::Enter && options.recursive {
                if options.preserve_root && refuses_root(proc, &visited).await? {
                    walk.skip();
                    status = 1;
                    let _ = walk.next(proc);
                }
                continue;
            }
            if visited.visit == Visit::Enter {
                walk.skip();
                continue;
            }
            if !change(proc, &visited, &options, &mut accounts).await? {
                status = 1;
            }
        }
    }
    Ok(status)
}

type Read<'p> = (Options, &'p [Vec<u8>], Vec<Vec<u8>>);

fn read_options<'p>(
    proc: &Proc,
    parsed: &'p Parsed<Flag>,
    called: Called,
    spec: &Spec<Flag>,
    accounts: &mut Accounts,
) -> Result<Read<'p>, UsageError> {
    let reference = parsed.last(Flag::Reference);
    let mut operands = parsed.operands.as_slice();
    let least = if reference.is_some() { 1 } else { 2 };
    if operands.len() < least {
        return Err(match operands.last() {
            Some(last) => spec.missing_operand_after(last),
            None => spec.missing_operand(),
        });
    }
    let (links, follows) = followed_links(parsed)?;
    let recursive = parsed.has(Flag::Recursive);
    let mut warnings = Vec::new();
    let wanted = match reference {
        Some(path) => reference_owners(proc, path, called, accounts)?,
        None => {
            let Some((first, rest)) = operands.split_first() else {
                return Err(spec.missing_operand());
            };
            operands = rest;
            match called {
                Called::Chown => parse_owners(proc, first, accounts, &mut warnings)?,
                Called::Chgrp => parse_group(proc, first, accounts)?,
            }
        }
    };
    let from = match parsed.last(Flag::From) {
        Some(text) => parse_owners(proc, text, accounts, &mut warnings)?,
        None => Owners::default(),
    };
    let preserve = parsed.last_of(&[Flag::PreserveRoot, Flag::NoPreserveRoot]);
    let options = Options {
        wanted,
        from,
        report: Report::from_options(parsed, Flag::Changes, Flag::Verbose),
        silent: parsed.has(Flag::Silent),
        recursive,
        preserve_root: preserve == Some(Flag::PreserveRoot),
        links,
        follows,
        called,
    };
    Ok((options, operands, warnings))
}

/// Which links are walked through, and whether it is their targets that change.
fn followed_links(parsed: &Parsed<Flag>) -> Result<(Links, bool), UsageError> {
    let recursive = parsed.has(Flag::Recursive);
    let followed = parsed.last_of(&[Flag::FollowOperands, Flag::FollowAll, Flag::FollowNone]);
    let links = match followed {
        Some(Flag::FollowOperands) if recursive => Links::Operands,
        Some(Flag::FollowAll) if recursive => Links::Always,
        _ => Links::Never,
    };
    let dereference = parsed.last_of(&[Flag::Dereference, Flag::NoDereference]);
    if !recursive || links != Links::Never {
        return Ok((links, dereference != Some(Flag::NoDereference)));
    }
    if dereference == Some(Flag::Dereference) {
        let line = "-R --dereference requires either -H or -L";
        return Err(UsageError::plain(1, line));
    }
    Ok((links, false))
}

fn reference_owners(
    proc: &Proc,
    path: &[u8],
    called: Called,
    accounts: &mut Accounts,
) -> Result<Owners, UsageError> {
    let found = attribute_change::reference(proc, path, Follow::Yes)?;
    let users = called == Called::Chown;
    Ok(Owners {
        user: users.then_some(found.uid),
        group: Some(found.gid),
        user_name: users.then(|| accounts.user_text(proc, found.uid)),
        group_name: Some(accounts.group_text(proc, found.gid)),
    })
}

fn number(text: &[u8]) -> Option<u32> {
    let digits = text.strip_prefix(b"+").unwrap_or(text);
    let plain = !digits.is_empty() && digits.iter().all(u8::is_ascii_digit);
    let value: u32 = std::str::from_utf8(digits).ok()?.parse().ok()?;
    (plain && value != u32::MAX).then_some(value)
}

fn parse_group(proc: &Proc, text: &[u8], accounts: &mut Accounts) -> Result<Owners, UsageError> {
    if text.is_empty() {
        return Ok(Owners::default());
    }
    let found = accounts.group_id(proc, text).or_else(|| number(text));
    let invalid = || UsageError::plain(1, message!("invalid group: ", quote(text)));
    Ok(Owners {
        group: Some(found.ok_or_else(invalid)?),
        group_name: Some(text.to_vec()),
        ..Owners::default()
    })
}

/// `USER`, `USER:GROUP`, `USER:`, `:GROUP`; `.` instead of `:` is of old.
fn parse_owners(
    proc: &Proc,
    text: &[u8],
    accounts: &mut Accounts,
    warnings: &mut Vec<Vec<u8>>,
) -> Result<Owners, UsageError> {
    let colon = text.iter().position(|byte| *byte == b':');
    let parsed = split_owners(proc, text, colon, accounts);
    if parsed.is_err()
        && colon.is_none()
        && let Some(dot) = text.iter().position(|byte| *byte == b'.')
        && let Ok(owners) = split_owners(proc, text, Some(dot), accounts)
    {
        warnings.push(message!("warning: '.' should be ':': ", quote(text)));
        return Ok(owners);
    }
    parsed.map_err(|what| UsageError::plain(1, message!(what, ": ", quote(text))))
}

fn split_owners(
    proc: &Proc,
    text: &[u8],
    separator: Option<usize>,
    accounts: &mut Accounts,
) -> Result<Owners, &'static str> {
    let (user, group) = match separator {
        Some(at) => (
            text.get(..at).unwrap_or_default(),
            text.get(at + 1..).unwrap_or_default(),
        ),
        None => (text, &b""[..]),
    };
    let mut owners = Owners::default();
    if !user.is_empty() {
        let known = accounts.user_id(proc, user);
        let by_name = known.is_some();
        let uid = known.or_else(|| number(user)).ok_or("invalid user")?;
        owners.user = Some(uid);
        owners.user_name = Some(user.to_vec());
        if separator.is_some() && group.is_empty() {
            // The login group of a name; a number has none.
            let gid = if by_name {
                accounts.login_group(proc, user)
            } else {
                None
            };
            let gid = gid.ok_or("invalid spec")?;
            owners.group = Some(gid);
            owners.group_name = Some(accounts.group_text(proc, gid));
        }
    }
    if !group.is_empty() {
        let gid = accounts.group_id(proc, group).or_else(|| number(group));
        owners.group = Some(gid.ok_or("invalid group")?);
        owners.group_name = Some(group.to_vec());
    }
    // Messages speak of the ownership `:GROUP` then.
    if owners.user_name.is_none() && owners.group_name.is_some() {
        owners.user_name = Some(Vec::new());
    }
    Ok(owners)
}

/// Changes one file; whether all went well.
async fn change(
    proc: &mut Proc,
    visited: &Visited,
    options: &Options,
    accounts: &mut Accounts,
) -> Result<bool, Stop> {
    let path = visited.path.as_slice();
    let mut complete = true;
    match visited.visit {
        Visit::Missing(errno) => {
            return refuse(proc, options, "cannot access ", path, Some(errno)).await;
        }
        Visit::Unreadable(errno) => {
            complete = refuse(proc, options, "cannot read directory ", path, Some(errno)).await?;
        }
        _ => {}
    }
    let follow = if options.follows { Follow::Yes } else { Follow::No };
    let found = match proc.metadata(path, follow) {
        Ok(found) => found,
        Err(errno) => return refuse(proc, options, "cannot dereference ", path, Some(errno)).await,
    };
    if !matches(&found, &options.from) {
        return Ok(complete);
    }
    let wanted = &options.wanted;
    let result = proc.set_owner(path, wanted.user, wanted.group, follow);
    let same = wanted.user.is_none_or(|user| user == found.uid)
        && wanted.group.is_none_or(|group| group == found.gid);
    let fate = match result {
        Err(_) => Fate::Failed,
        Ok(()) if same => Fate::Retained,
        Ok(()) => Fate::Changed,
    };
    if let Err(errno) = result {
        complete = false;
        if !options.silent {
            let sentence = match options.called {
                Called::Chown => "changing ownership of",
                Called::Chgrp => "changing group of",
            };
            complain(proc, sentence, path, errno).await?;
        }
    }
    describe(proc, path, fate, &found, options, accounts).await?;
    Ok(complete)
}

async fn refuse(
    proc: &mut Proc,
    options: &Options,
    sentence: &str,
    path: &[u8],
    errno: Option<Errno>,
) -> Result<bool, Stop> {
    if !options.silent {
        let reason = errno.map_or_else(Vec::new, |errno| message!(": ", errno.message()));
        proc.warn(message!(sentence, quoteaf(path), reason)).await?;
    }
    if options.report == Report::Everything {
        let what = match (&options.wanted.user_name, options.called) {
            (None, _) | (_, Called::Chgrp) => "group",
            _ => "ownership",
        };
        let to = shown(&options.wanted).unwrap_or_default();
        let line = message!("failed to change ", what, " of ", quoteaf(path), " to ", to, "\n");
        proc.write(&line).await?;
    }
    Ok(false)
}

fn matches(found: &Metadata, from: &Owners) -> bool {
    from.user.is_none_or(|user| user == found.uid) && from.group.is_none_or(|group| group == found.gid)
}

/// `user:group`, or the one that there is.
fn shown(owners: &Owners) -> Option<Vec<u8>> {
    match (&owners.user_name, &owners.group_name) {
        (Some(user), Some(group)) => Some(message!(user, ":", group)),
        (Some(one), None) | (None, Some(one)) => Some(one.clone()),
        (None, None) => None,
    }
}

async fn describe(
    proc: &mut Proc,
    path: &[u8],
    fate: Fate,
    found: &Metadata,
    options: &Options,
    accounts: &mut Accounts,
) -> Result<(), Stop> {
    let told = options.report.tells(fate == Fate::Changed);
    if !told || (found.kind == FileKind::Symlink && options.follows) {
        return Ok(());
    }
    let names = &options.wanted;
    let old = Owners {
        user_name: names
            .user_name
            .is_some()
            .then(|| accounts.user_text(proc, found.uid)),
        group_name: names
            .group_name
            .is_some()
            .then(|| accounts.group_text(proc, found.gid)),
        ..Owners::default()
    };
    let what = match (&names.user_name, &names.group_name) {
        (None, Some(_)) => "group",
        _ => "ownership",
    };
    let name = quoteaf(path);
    let from = shown(&old).map_or_else(Vec::new, |text| message!(" from ", text));
    let to = shown(names).map_or_else(Vec::new, |text| message!(" to ", text));
    let kept = shown(&old).map_or_else(Vec::new, |text| message!(" as ", text));
    let line = match fate {
        Fate::Changed if to.is_empty() => message!("no change to ownership of ", name, "\n"),
        Fate::Changed => message!("changed ", what, " of ", name, from, to, "\n"),
        Fate::Failed => message!("failed to change ", what, " of ", name, from, to, "\n"),
        Fate::Retained => message!(what, " of ", name, " retained", kept, "\n"),
    };
    proc.write(&line).await
}
