//! Programs: one file each (large ones a folder), and the sorted table of them.
//!
//! A program is a process: it sees a [`Proc`](crate::kernel::Proc) (arguments, environment, directory, descriptors, files) and
//! never shell state. It reads through [`Input`](crate::kernel::Input), writes through `Proc::write`, and says what went wrong
//! through `Proc::warn`. It parses its arguments into a struct with [`crate::args`] before it acts. Behaviour is that of the GNU
//! tools in Debian 12; each program has a folder in `corpus/cases/program/`.

use std::sync::OnceLock;

use rustc_hash::FxHashMap;

use crate::kernel::Program;

mod accounts;
mod attribute_change;
mod awk;
mod backup;
mod basename;
mod bc;
mod block_unit;
mod blocks;
mod cat;
mod chmod;
mod chown;
mod cmp;
mod column;
mod comm;
mod content_coding;
mod cookies;
mod copy;
mod cp;
mod csplit;
mod curl;
mod cut;
mod date;
mod dates;
mod dc;
mod dd;
mod decimal;
mod destination;
mod df;
mod diff;
mod digest;
mod du;
mod duration;
mod echo;
mod encoding;
mod env;
mod env_split;
mod envsubst;
mod expr;
mod expr_number;
mod factor;
mod r#false;
mod file;
mod find;
mod fmt;
mod fold;
mod getconf;
mod getopt;
mod grep;
mod gzip;
mod head;
mod hexdump;
mod iconv;
mod id;
mod inode;
mod install;
mod join;
mod jq;
mod kill;
mod launch;
mod lines;
mod link;
mod ln;
mod look;
mod ls;
mod make;
mod message;
mod mkdir;
mod mknod;
mod mktemp;
mod mv;
mod network;
mod nice;
mod nl;
mod nohup;
mod numbers;
mod numfmt;
mod od;
mod pager;
mod paste;
mod patch;
mod path;
mod pathchk;
mod pr;
mod printenv;
mod printf;
mod pwd;
mod random_source;
mod ranges;
mod readlink;
mod realpath;
mod remove;
mod rev;
mod rg;
mod rm;
mod rmdir;
mod sdiff;
mod sed;
mod seq;
mod shuf;
mod sleep;
mod sort;
mod split;
mod stat;
mod strings;
mod sync;
mod tabs;
mod tac;
mod tail;
mod tar;
mod tee;
mod test;
mod timeout;
mod touch;
mod tput;
mod tr;
mod tree;
mod r#true;
mod truncate;
mod tsort;
mod tty;
mod uname;
mod uniq;
mod usage;
mod walk;
mod wc;
mod wget;
mod which;
mod who;
mod xargs;
mod xxd;
mod yes;

/// Every program, sorted by name.
#[rustfmt::skip] // one a line, so that two additions do not meet
pub static PROGRAMS: &[Program] = &[
    test::BRACKET,
    uname::ARCH,
    awk::AWK,
    digest::B2SUM,
    encoding::BASE32,
    encoding::BASE64,
    basename::PROGRAM,
    encoding::BASENC,
    bc::PROGRAM,
    cat::PROGRAM,
    chown::CHGRP,
    chmod::PROGRAM,
    chown::PROGRAM,
    digest::CKSUM,
    tput::CLEAR,
    cmp::PROGRAM,
    column::PROGRAM,
    comm::PROGRAM,
    cp::PROGRAM,
    csplit::PROGRAM,
    curl::PROGRAM,
    cut::PROGRAM,
    date::PROGRAM,
    dc::PROGRAM,
    dd::PROGRAM,
    df::PROGRAM,
    diff::PROGRAM,
    ls::DIR,
    basename::DIRNAME,
    du::PROGRAM,
    echo::PROGRAM,
    grep::EGREP,
    env::PROGRAM,
    envsubst::PROGRAM,
    tabs::expand::PROGRAM,
    expr::PROGRAM,
    factor::PROGRAM,
    r#false::PROGRAM,
    grep::FGREP,
    file::PROGRAM,
    find::PROGRAM,
    fmt::PROGRAM,
    fold::PROGRAM,
    awk::GAWK,
    getconf::PROGRAM,
    getopt::PROGRAM,
    grep::GREP,
    id::GROUPS,
    gzip::GUNZIP,
    gzip::GZIP,
    hexdump::HD,
    head::PROGRAM,
    hexdump::PROGRAM,
    uname::HOSTNAME,
    iconv::PROGRAM,
    id::PROGRAM,
    install::PROGRAM,
    join::PROGRAM,
    jq::PROGRAM,
    kill::PROGRAM,
    pager::LESS,
    link::PROGRAM,
    ln::PROGRAM,
    id::LOGNAME,
    look::PROGRAM,
    ls::PROGRAM,
    make::PROGRAM,
    digest::MD5SUM,
    mkdir::PROGRAM,
    mknod::MKFIFO,
    mknod::PROGRAM,
    mktemp::PROGRAM,
    pager::MORE,
    mv::PROGRAM,
    nice::PROGRAM,
    nl::PROGRAM,
    nohup::PROGRAM,
    uname::NPROC,
    numfmt::PROGRAM,
    od::PROGRAM,
    paste::PROGRAM,
    patch::PROGRAM,
    pathchk::PROGRAM,
    pr::PROGRAM,
    printenv::PROGRAM,
    printf::PROGRAM,
    pwd::PROGRAM,
    readlink::PROGRAM,
    realpath::PROGRAM,
    rev::PROGRAM,
    rg::PROGRAM,
    grep::RGREP,
    rm::PROGRAM,
    rmdir::PROGRAM,
    sdiff::PROGRAM,
    sed::PROGRAM,
    seq::PROGRAM,
    digest::SHA1SUM,
    digest::SHA224SUM,
    digest::SHA256SUM,
    digest::SHA384SUM,
    digest::SHA512SUM,
    shuf::PROGRAM,
    sleep::PROGRAM,
    sort::PROGRAM,
    split::PROGRAM,
    stat::PROGRAM,
    strings::PROGRAM,
    digest::SUM,
    sync::PROGRAM,
    tac::PROGRAM,
    tail::PROGRAM,
    tar::PROGRAM,
    tee::PROGRAM,
    test::PROGRAM,
    timeout::PROGRAM,
    touch::PROGRAM,
    tput::PROGRAM,
    tr::PROGRAM,
    tree::PROGRAM,
    r#true::PROGRAM,
    truncate::PROGRAM,
    tsort::PROGRAM,
    tty::PROGRAM,
    uname::PROGRAM,
    tabs::unexpand::PROGRAM,
    uniq::PROGRAM,
    link::UNLINK,
    who::UPTIME,
    ls::VDIR,
    wc::PROGRAM,
    wget::PROGRAM,
    which::PROGRAM,
    who::PROGRAM,
    id::WHOAMI,
    xargs::PROGRAM,
    xxd::PROGRAM,
    yes::PROGRAM,
    gzip::ZCAT,
];

/// Programs that run other programs: each gets a task of its own.
const RUNNERS: &[&str] = &[
    "awk", "bash", "env", "find", "gawk", "make", "nice", "nohup", "sdiff", "sh", "split", "time", "timeout",
    "xargs",
];

/// The program of this name.
pub fn find(name: &[u8]) -> Option<&'static Program> {
    static INDEX: OnceLock<FxHashMap<&'static [u8], &'static Program>> = OnceLock::new();
    let index = INDEX.get_or_init(|| {
        PROGRAMS
            .iter()
            .map(|program| (program.name.as_bytes(), program))
            .collect()
    });
    index.get(name).copied()
}

/// The program may start others.
pub fn runs_others(name: &[u8]) -> bool {
    RUNNERS.iter().any(|runner| runner.as_bytes() == name)
}

#[cfg(test)]
mod tests {
    use super::PROGRAMS;

    #[test]
    fn table_is_sorted() {
        assert!(PROGRAMS.is_sorted_by(|a, b| a.name < b.name));
    }
}
