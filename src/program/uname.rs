//! `uname`, `arch`, `nproc` and `hostname`: the machine that is simulated.

use super::usage;
use crate::args::{COREUTILS, CountError, Opt, Package, Spec, UsageError, parse_count, quote};
use crate::kernel::{Proc, Program, Stop};

/// `uname`.
pub const PROGRAM: Program = Program {
    name: "uname",
    run: |proc| Box::pin(run_uname(proc)),
};

/// `arch`.
pub const ARCH: Program = Program {
    name: "arch",
    run: |proc| Box::pin(run_arch(proc)),
};

/// `nproc`.
pub const NPROC: Program = Program {
    name: "nproc",
    run: |proc| Box::pin(run_nproc(proc)),
};

/// `hostname`.
pub const HOSTNAME: Program = Program {
    name: "hostname",
    run: |proc| Box::pin(run_hostname(proc)),
};

/// The kernel of Debian 12.
const RELEASE: &str = "6.1.0-37-amd64";
const VERSION: &str = "#1 SMP PREEMPT_DYNAMIC Debian 6.1.140-1 (2025-05-22)";
const MACHINE: &str = "x86_64";
/// Processors; everything runs on one.
const PROCESSORS: u64 = 1;

#[derive(Clone, Copy, PartialEq)]
enum Flag {
    All,
    Kernel,
    Node,
    Release,
    Version,
    Machine,
    Processor,
    Platform,
    System,
}

static UNAME: Spec<Flag> = Spec::new(
    "uname",
    COREUTILS,
    &["[OPTION]..."],
    "Print certain system information.  With no OPTION, same as -s.\n",
    &[
        Opt::flag(
            Flag::All,
            'a',
            "all",
            "print all information, in the following order,\nexcept omit -p and -i if unknown:",
        ),
        Opt::flag(Flag::Kernel, 's', "kernel-name", "print the kernel name"),
        Opt::long(Flag::Kernel, "sysname", ""),
        Opt::flag(Flag::Node, 'n', "nodename", "print the network node hostname"),
        Opt::flag(Flag::Release, 'r', "kernel-release", "print the kernel release"),
        Opt::long(Flag::Release, "release", ""),
        Opt::flag(Flag::Version, 'v', "kernel-version", "print the kernel version"),
        Opt::flag(Flag::Machine, 'm', "machine", "print the machine hardware name"),
        Opt::flag(
            Flag::Processor,
            'p',
            "processor",
            "print the processor type (non-portable)",
        ),
        Opt::flag(
            Flag::Platform,
            'i',
            "hardware-platform",
            "print the hardware platform (non-portable)",
        ),
        Opt::flag(
            Flag::System,
            'o',
            "operating-system",
            "print the operating system",
        ),
    ],
);

/// The name in `/etc/hostname`.
fn node(proc: &Proc) -> Vec<u8> {
    let text = proc.fs.read(&proc.view(), b"/etc/hostname").unwrap_or_default();
    let name = text.trim_ascii();
    if name.is_empty() {
        b"localhost".to_vec()
    } else {
        name.to_vec()
    }
}

async fn run_uname(proc: &mut Proc) -> Result<i32, Stop> {
    let parsed = usage::parse(proc, &UNAME).await?;
    usage::accept(proc, UNAME.check_operands(&parsed, 0, 0)).await?;
    let all = parsed.has(Flag::All);
    let wants = |flag| all || parsed.has(flag) || (flag == Flag::Kernel && parsed.options.is_empty());
    let node = node(proc);
    let known = |flag| parsed.has(flag);
    let words: [(bool, &[u8]); 8] = [
        (wants(Flag::Kernel), b"Linux"),
        (wants(Flag::Node), &node),
        (wants(Flag::Release), RELEASE.as_bytes()),
        (wants(Flag::Version), VERSION.as_bytes()),
        (wants(Flag::Machine), MACHINE.as_bytes()),
        (known(Flag::Processor) && !all, b"unknown"),
        (known(Flag::Platform) && !all, b"unknown"),
        (wants(Flag::System), b"GNU/Linux"),
    ];
    let words: Vec<&[u8]> = words
        .iter()
        .filter(|(wanted, _)| *wanted)
        .map(|(_, word)| *word)
        .collect();
    proc.write(&[words.join(&b' ').as_slice(), b"\n"].concat())
        .await?;
    Ok(0)
}

#[derive(Clone, Copy, PartialEq)]
enum NoFlag {}

static ARCH_SPEC: Spec<NoFlag> = Spec::new(
    "arch",
    COREUTILS,
    &["[OPTION]..."],
    "Print machine architecture.\n",
    &[],
);

async fn run_arch(proc: &mut Proc) -> Result<i32, Stop> {
    let parsed = usage::parse(proc, &ARCH_SPEC).await?;
    usage::accept(proc, ARCH_SPEC.check_operands(&parsed, 0, 0)).await?;
    proc.write(format!("{MACHINE}\n").as_bytes()).await?;
    Ok(0)
}

#[derive(Clone, Copy, PartialEq)]
enum CountFlag {
    All,
    Ignore,
}

static NPROC_SPEC: Spec<CountFlag> = Spec::new(
    "nproc",
    COREUTILS,
    &["[OPTION]..."],
    "Print the number of processing units available to the current process,\nwhich may be less than the number of online \
     processors\n",
    &[
        Opt::long(CountFlag::All, "all", "print the number of installed processors"),
        Opt::long(
            CountFlag::Ignore,
            "ignore",
            "if possible, exclude N processing units",
        )
        .takes("N"),
    ],
);

async fn run_nproc(proc: &mut Proc) -> Result<i32, Stop> {
    let parsed = usage::parse(proc, &NPROC_SPEC).await?;
    let mut ignored = 0;
    for (flag, value) in &parsed.options {
        if *flag == CountFlag::Ignore {
            let text = value.as_deref().unwrap_or_default();
            let count = parse_count(text, "").map_err(|error| {
                let reason: &[u8] = match error {
                    CountError::Invalid => b"",
                    CountError::Overflow => b": Value too large for defined data type",
                };
                UsageError::plain(1, [b"invalid number: ", &*quote(text), reason].concat())
            });
            ignored = usage::accept(proc, count).await?;
        }
    }
    usage::accept(proc, NPROC_SPEC.check_operands(&parsed, 0, 0)).await?;
    let count = if parsed.has(CountFlag::All) {
        PROCESSORS
    } else {
        let limit = threads(proc.variable(b"OMP_THREAD_LIMIT")).unwrap_or(u64::MAX);
        threads(proc.variable(b"OMP_NUM_THREADS"))
            .unwrap_or(PROCESSORS)
            .min(limit)
    };
    let count = count.saturating_sub(ignored).max(1);
    proc.write(format!("{count}\n").as_bytes()).await?;
    Ok(0)
}

/// A number of threads in a variable of OpenMP: the first of a list.
fn threads(text: Option<&[u8]>) -> Option<u64> {
    let first = text?.split(|byte| *byte == b',').next()?.trim_ascii();
    let digits = first.iter().all(u8::is_ascii_digit);
    parse_count(first, "").ok().filter(|count| digits && *count > 0)
}

#[derive(Clone, Copy, PartialEq)]
enum HostFlag {
    Long,
    Short,
    Domain,
    Address,
    Addresses,
    AllNames,
    Yp,
    File,
    Boot,
    Help,
}

static HOSTNAME_SPEC: Spec<HostFlag> = Spec::new(
    "hostname",
    Package::Line("hostname 3.23"),
    &[
        "[-b] {hostname|-F file}         set host name (from file)",
        "[-a|-A|-d|-f|-i|-I|-s|-y]       display formatted name",
    ],
    "",
    &[
        Opt::flag(HostFlag::Long, 'f', "fqdn", "long host name (FQDN)"),
        Opt::long(HostFlag::Long, "long", ""),
        Opt::flag(HostFlag::Short, 's', "short", "short host name"),
        Opt::flag(HostFlag::Domain, 'd', "domain", "DNS domain name"),
        Opt::flag(
            HostFlag::Address,
            'i',
            "ip-address",
            "addresses for the host name",
        ),
        Opt::flag(
            HostFlag::Addresses,
            'I',
            "all-ip-addresses",
            "all addresses for the host",
        ),
        Opt::flag(
            HostFlag::AllNames,
            'A',
            "all-fqdns",
            "all long host names (FQDNs)",
        ),
        Opt::flag(HostFlag::Yp, 'y', "yp", "NIS/YP domain name"),
        Opt::required(
            HostFlag::File,
            'F',
            "file",
            "file",
            "read host name or NIS domain name from given file",
        ),
        Opt::flag(
            HostFlag::Boot,
            'b',
            "boot",
            "set default hostname if none available",
        ),
        Opt::flag(HostFlag::Help, 'h', "help", "print info and exit"),
    ],
)
.fails_with(255)
.complains(crate::args::Complaint::Silent)
.version_letter('V');

/// What the real one says to `-h` and, on standard output as well, to what it does not understand.
const HOSTNAME_USAGE: &[u8] = b"Usage: hostname [-b] {hostname|-F file}         set host name (from file)
       hostname [-a|-A|-d|-f|-i|-I|-s|-y]       display formatted name
       hostname                                 display host name

       {yp,nis,}domainname {nisdomain|-F file}  set NIS domain name (from file)
       {yp,nis,}domainname                      display NIS domain name

       dnsdomainname                            display dns domain name

       hostname -V|--version|-h|--help          print info and exit

Program name:
       {yp,nis,}domainname=hostname -y
       dnsdomainname=hostname -d

Program options:
    -a, --alias            alias names
    -A, --all-fqdns        all long host names (FQDNs)
    -b, --boot             set default hostname if none available
    -d, --domain           DNS domain name
    -f, --fqdn, --long     long host name (FQDN)
    -F, --file             read host name or NIS domain name from given file
    -i, --ip-address       addresses for the host name
    -I, --all-ip-addresses all addresses for the host
    -s, --short            short host name
    -y, --yp, --nis        NIS/YP domain name

Description:
   This command can get or set the host name or the NIS domain name. You can
   also get the DNS domain or the FQDN (fully qualified domain name).
   Unless you are using bind or NIS for host lookups you can change the
   FQDN (Fully Qualified Domain Name) and the DNS domain name (which is
   part of the FQDN) in the /etc/hosts file.
";

async fn run_hostname(proc: &mut Proc) -> Result<i32, Stop> {
    let parsed = match HOSTNAME_SPEC.parse(proc.arguments()) {
        Ok(parsed) if !parsed.has(HostFlag::Help) => parsed,
        other => {
            if let Err(error) = other {
                let end = usage::refuse(proc, &error).await;
                if error.status == 0 {
                    return Err(end);
                }
            }
            proc.write(HOSTNAME_USAGE).await?;
            return Ok(255);
        }
    };
    if let Some(path) = parsed.last(HostFlag::File)
        && let Err(errno) = proc.open(path, crate::fs::OpenFlags::READ).await
    {
        return Err(usage::fail(proc, 1, errno.message()).await);
    }
    let sets = parsed.has(HostFlag::File) || parsed.has(HostFlag::Boot) || !parsed.operands.is_empty();
    if sets {
        return Err(usage::fail(proc, 1, "you must be root to change the host name").await);
    }
    let name = node(proc);
    let dot = name.iter().position(|byte| *byte == b'.');
    let text = match parsed.options.last().map(|(flag, _)| *flag) {
        Some(HostFlag::Short) => name.get(..dot.unwrap_or(name.len())).unwrap_or_default().to_vec(),
        Some(HostFlag::Domain) => dot
            .and_then(|dot| name.get(dot + 1..))
            .unwrap_or_default()
            .to_vec(),
        Some(HostFlag::Address) => b"127.0.1.1".to_vec(),
        Some(HostFlag::Addresses | HostFlag::AllNames) => Vec::new(),
        Some(HostFlag::Yp) => return Err(usage::fail(proc, 1, "Local domain name not set").await),
        _ => name,
    };
    if text.is_empty() && parsed.has(HostFlag::Domain) {
        return Ok(0);
    }
    proc.write(&[text.as_slice(), b"\n"].concat()).await?;
    Ok(0)
}
