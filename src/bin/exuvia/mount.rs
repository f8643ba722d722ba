//! `--dir` and `--dir-rw`: a host directory at `/workspace`.

use exuvia::ShellBuilder;

use super::options::Options;

/// Mounts what the options ask for.
pub fn mount(builder: ShellBuilder, options: &Options) -> Result<ShellBuilder, String> {
    if options.dir.is_some() || options.dir_rw.is_some() {
        return Err("--dir: not built in".into());
    }
    Ok(builder)
}
