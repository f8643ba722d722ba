//! Names of users and groups: `/etc/passwd` and `/etc/group` of the file tree, read when first asked.

use rustc_hash::FxHashMap;

use crate::kernel::Proc;

/// One of the two files.
#[derive(Debug, Default)]
struct Table {
    names: FxHashMap<u32, Vec<u8>>,
    numbers: FxHashMap<Vec<u8>, u32>,
    /// The fourth field by the first: a user's group.
    groups: FxHashMap<Vec<u8>, u32>,
}

/// What the two files say.
#[derive(Debug, Default)]
pub struct Accounts {
    users: Option<Table>,
    groups: Option<Table>,
}

fn number(field: Option<&[u8]>) -> Option<u32> {
    std::str::from_utf8(field?).ok()?.parse().ok()
}

/// The first line of a name or number counts, as for `getpwnam` and `getpwuid`.
fn read(proc: &Proc, path: &[u8]) -> Table {
    let text = proc.fs.read(&proc.view(), path).unwrap_or_default();
    let mut table = Table::default();
    for line in text.split(|byte| *byte == b'\n') {
        let fields: Vec<&[u8]> = line.split(|byte| *byte == b':').collect();
        let (Some(name), Some(id)) = (fields.first(), number(fields.get(2).copied())) else {
            continue;
        };
        if let Some(group) = number(fields.get(3).copied()) {
            table.groups.entry(name.to_vec()).or_insert(group);
        }
        table.names.entry(id).or_insert_with(|| name.to_vec());
        table.numbers.entry(name.to_vec()).or_insert(id);
    }
    table
}

impl Accounts {
    fn users(&mut self, proc: &Proc) -> &Table {
        self.users.get_or_insert_with(|| read(proc, b"/etc/passwd"))
    }

    fn groups(&mut self, proc: &Proc) -> &Table {
        self.groups.get_or_insert_with(|| read(proc, b"/etc/group"))
    }

    /// The name of a user.
    pub fn user_name(&mut self, proc: &Proc, uid: u32) -> Option<&[u8]> {
        self.users(proc).names.get(&uid).map(Vec::as_slice)
    }

    /// The name of a group.
    pub fn group_name(&mut self, proc: &Proc, gid: u32) -> Option<&[u8]> {
        self.groups(proc).names.get(&gid).map(Vec::as_slice)
    }

    /// The name of a user, or the number of one that has none.
    pub fn user_text(&mut self, proc: &Proc, uid: u32) -> Vec<u8> {
        let name = self.user_name(proc, uid);
        name.map_or_else(|| uid.to_string().into_bytes(), <[u8]>::to_vec)
    }

    /// The name of a group, or the number of one that has none.
    pub fn group_text(&mut self, proc: &Proc, gid: u32) -> Vec<u8> {
        let name = self.group_name(proc, gid);
        name.map_or_else(|| gid.to_string().into_bytes(), <[u8]>::to_vec)
    }

    /// The number of a user.
    pub fn user_id(&mut self, proc: &Proc, name: &[u8]) -> Option<u32> {
        self.users(proc).numbers.get(name).copied()
    }

    /// The number of a group.
    pub fn group_id(&mut self, proc: &Proc, name: &[u8]) -> Option<u32> {
        self.groups(proc).numbers.get(name).copied()
    }

    /// The group that a user logs in with.
    pub fn login_group(&mut self, proc: &Proc, user: &[u8]) -> Option<u32> {
        self.users(proc).groups.get(user).copied()
    }
}
