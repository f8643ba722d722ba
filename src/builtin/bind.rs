//! `bind [-lpsvPSVX] [-m keymap] [-f filename] [-q name] [-u name] [-r keyseq] [-x keyseq:shell-command] [keyseq:readline-function or readline-command]`
//!
//! No line is ever edited. Binding a key is therefore without effect, as in a bash without a terminal, which warns; questions about bindings
//! have no answer and fail.

use crate::args::BuiltinSpec;
use crate::fs::{Errno, Follow};
use crate::interp::{Flow, Interp};

const SPEC: BuiltinSpec = BuiltinSpec::new("bind", "lvpVPsSXf:q:u:m:r:x:");

const KEYMAPS: [&str; 8] = [
    "emacs",
    "emacs-standard",
    "emacs-meta",
    "emacs-ctlx",
    "vi",
    "vi-move",
    "vi-command",
    "vi-insert",
];

/// The builtin.
pub fn run(interp: &mut Interp, args: &[Vec<u8>]) -> Flow {
    interp.complain("bind", "warning: line editing not enabled");
    let parsed = match interp.parse_options(&SPEC, args) {
        Ok(parsed) => parsed,
        Err(status) => return Ok(status),
    };
    if let Some(name) = parsed.last(b'm')
        && !KEYMAPS.iter().any(|keymap| keymap.as_bytes() == name)
    {
        interp.complain("bind", [b"`", name, b"': invalid keymap name"].concat());
        return Ok(1);
    }
    if let Some(file) = parsed.last(b'f')
        && let Err(errno) = interp.proc.metadata(file, Follow::Yes)
    {
        interp.complain(
            "bind",
            [file, format!(": cannot read: {errno}").as_bytes()].concat(),
        );
        return Ok(i32::from(errno != Errno::EINTR));
    }
    let asks = b"lvpVPsSXqu".iter().find(|letter| parsed.has(**letter));
    if let Some(letter) = asks {
        interp.complain(
            "bind",
            [b"-", [*letter].as_slice(), b": there are no key bindings"].concat(),
        );
        return Ok(1);
    }
    Ok(0)
}
