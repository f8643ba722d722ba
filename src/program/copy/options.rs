//! How to copy: what the options of `cp`, `mv` and `install` come down to.

use crate::program::backup::Backup;

/// Which symbolic links among the sources are followed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Dereference {
    /// None.
    Never,
    /// Those that are operands.
    Operands,
    /// All.
    Always,
}

/// What to do where the destination exists.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Overwrite {
    /// Replace it.
    Yes,
    /// Ask.
    Ask,
    /// Leave it.
    No,
}

/// The attributes that a copy takes over.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Preserve {
    /// Permission bits.
    pub mode: bool,
    /// Owner and group.
    pub ownership: bool,
    /// Times.
    pub times: bool,
    /// Names of the same node stay names of one node.
    pub links: bool,
    /// It was said that modes are not to be kept: new files get what the mask leaves.
    pub no_mode: bool,
}

impl Preserve {
    /// Everything.
    pub const ALL: Preserve = Preserve {
        mode: true,
        ownership: true,
        times: true,
        links: true,
        no_mode: false,
    };
}

/// What is made at the destination.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Make {
    /// A copy.
    Copy,
    /// A hard link (`cp -l`).
    HardLink,
    /// A symbolic link (`cp -s`).
    SymbolicLink,
    /// The source itself: `mv`.
    Move,
}

/// All that says how to copy.
#[derive(Debug, Clone)]
pub struct CopyOptions {
    /// What is made.
    pub make: Make,
    /// Backups of what is replaced.
    pub backup: Backup,
    /// Links that are followed.
    pub dereference: Dereference,
    /// What to do where something exists.
    pub overwrite: Overwrite,
    /// What is taken over.
    pub preserve: Preserve,
    /// Directories too.
    pub recursive: bool,
    /// Special files are read, not made anew.
    pub as_regular: bool,
    /// Remove the destination first.
    pub unlink_first: bool,
    /// Remove the destination if it cannot be opened.
    pub unlink_on_failure: bool,
    /// Only where the source is newer.
    pub update: bool,
    /// Stay in the file system of the operand.
    pub one_file_system: bool,
    /// Say what is done.
    pub verbose: bool,
    /// Attributes only, no contents.
    pub attributes_only: bool,
    /// `--reflink=always`, which no tree here can do.
    pub clone_always: bool,
    /// Which zeros become holes.
    pub holes: Holes,
    /// The mode that copies get (`install`).
    pub mode: Option<u32>,
}

/// `--sparse`: which zeros of a source become holes of its copy.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Holes {
    /// Those of a source that has holes itself.
    Kept,
    /// All.
    Made,
    /// None.
    Filled,
}

impl CopyOptions {
    /// Plain copies of files.
    pub fn plain() -> CopyOptions {
        CopyOptions {
            make: Make::Copy,
            backup: Backup::off(),
            dereference: Dereference::Always,
            overwrite: Overwrite::Yes,
            preserve: Preserve::default(),
            recursive: false,
            as_regular: true,
            unlink_first: false,
            unlink_on_failure: false,
            update: false,
            one_file_system: false,
            verbose: false,
            attributes_only: false,
            clone_always: false,
            holes: Holes::Kept,
            mode: None,
        }
    }

    /// What `mv` does, by renaming or by copying.
    pub fn moving() -> CopyOptions {
        CopyOptions {
            make: Make::Move,
            dereference: Dereference::Never,
            preserve: Preserve::ALL,
            recursive: true,
            as_regular: false,
            ..CopyOptions::plain()
        }
    }

    /// Whether it moves.
    pub fn moves(&self) -> bool {
        self.make == Make::Move
    }
}
