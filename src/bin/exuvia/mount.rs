//! `--dir` and `--dir-rw`: a host directory at `/workspace`.

use std::path::Path;
use std::sync::Arc;

use exuvia::ShellBuilder;
use exuvia::fs::{FileSystem, HostDir, Quota};

/// Who owns the files of a mounted directory: the user of the shell.
const OWNER: u32 = 1000;

/// Mounts the one directory that is given, if one is: overlaid, or for writing.
pub fn mount(
    builder: ShellBuilder,
    overlaid: Option<&Path>,
    written: Option<&Path>,
) -> Result<ShellBuilder, String> {
    let tree: Arc<dyn FileSystem> = match (overlaid, written) {
        (Some(path), _) => {
            check(path)?;
            let quota = Quota {
                bytes: 1 << 30,
                ..Quota::default()
            };
            let lower = HostDir::read_only(path)
                .map_err(|errno| say(path, errno))?
                .owned_by(OWNER, OWNER);
            Arc::new(exuvia::fs::Overlay::new(Arc::new(lower), quota).map_err(|errno| say(path, errno))?)
        }
        (None, Some(path)) => {
            check(path)?;
            Arc::new(
                HostDir::read_write(path)
                    .map_err(|errno| say(path, errno))?
                    .owned_by(OWNER, OWNER),
            )
        }
        (None, None) => return Ok(builder),
    };
    Ok(builder.mount("/workspace", tree))
}

fn check(path: &Path) -> Result<(), String> {
    if path.is_dir() {
        Ok(())
    } else {
        Err(format!("{}: not a directory", path.display()))
    }
}

fn say(path: &Path, errno: exuvia::fs::Errno) -> String {
    format!("{}: {errno}", path.display())
}
