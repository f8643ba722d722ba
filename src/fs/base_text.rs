//! The texts of the base tree's `/etc`: those of Debian 12, cut to what scripts look at.

/// Path and contents of each file.
pub(super) const FILES: [(&str, &str); 8] = [
    ("/etc/debian_version", "12.11\n"),
    ("/etc/group", GROUP),
    ("/etc/hostname", "exuvia\n"),
    ("/etc/hosts", "127.0.0.1\tlocalhost\n127.0.1.1\texuvia\n"),
    ("/usr/lib/os-release", OS_RELEASE),
    ("/etc/passwd", PASSWD),
    ("/etc/profile", PROFILE),
    ("/etc/shells", SHELLS),
];

const PASSWD: &str = "\
root:x:0:0:root:/root:/bin/bash
daemon:x:1:1:daemon:/usr/sbin:/usr/sbin/nologin
bin:x:2:2:bin:/bin:/usr/sbin/nologin
sys:x:3:3:sys:/dev:/usr/sbin/nologin
sync:x:4:65534:sync:/bin:/bin/sync
games:x:5:60:games:/usr/games:/usr/sbin/nologin
man:x:6:12:man:/var/cache/man:/usr/sbin/nologin
mail:x:8:8:mail:/var/mail:/usr/sbin/nologin
www-data:x:33:33:www-data:/var/www:/usr/sbin/nologin
backup:x:34:34:backup:/var/backups:/usr/sbin/nologin
nobody:x:65534:65534:nobody:/nonexistent:/usr/sbin/nologin
user:x:1000:1000::/home/user:/bin/bash
";

const GROUP: &str = "\
root:x:0:
daemon:x:1:
bin:x:2:
sys:x:3:
adm:x:4:
tty:x:5:
disk:x:6:
mail:x:8:
man:x:12:
sudo:x:27:
www-data:x:33:
backup:x:34:
shadow:x:42:
staff:x:50:
games:x:60:
users:x:100:
nogroup:x:65534:
user:x:1000:
";

const OS_RELEASE: &str = "\
PRETTY_NAME=\"Debian GNU/Linux 12 (bookworm)\"
NAME=\"Debian GNU/Linux\"
VERSION_ID=\"12\"
VERSION=\"12 (bookworm)\"
VERSION_CODENAME=bookworm
ID=debian
HOME_URL=\"https://www.debian.org/\"
SUPPORT_URL=\"https://www.debian.org/support\"
BUG_REPORT_URL=\"https://bugs.debian.org/\"
";

const SHELLS: &str = "\
# /etc/shells: valid login shells
/bin/sh
/usr/bin/sh
/bin/bash
/usr/bin/bash
";

const PROFILE: &str = "\
# /etc/profile: system-wide .profile file for the Bourne shell (sh(1))
# and Bourne compatible shells (bash(1), ksh(1), ash(1), ...).

if [ \"$(id -u)\" -eq 0 ]; then
  PATH=\"/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin\"
else
  PATH=\"/usr/local/bin:/usr/bin:/bin:/usr/local/games:/usr/games\"
fi
export PATH
";
