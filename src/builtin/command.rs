//! `command [-pVv] command [arg …]`

use crate::args::BuiltinSpec;
use crate::interp::{Flow, Interp};

const SPEC: BuiltinSpec = BuiltinSpec::new("command", "pvV");

/// Where `-p` looks: `_CS_PATH` of glibc.
const STANDARD_PATH: &[u8] = b"/bin:/usr/bin";

/// The builtin.
pub async fn run(interp: &mut Interp, args: Vec<Vec<u8>>) -> Flow {
    let parsed = match interp.parse_options(&SPEC, &args) {
        Ok(parsed) => parsed,
        Err(status) => return Ok(status),
    };
    if parsed.operands.is_empty() {
        return Ok(0);
    }
    let describe = parsed
        .options
        .iter()
        .rev()
        .find(|option| matches!(option.letter, b'v' | b'V'));
    let path = parsed.has(b'p').then(|| interp.vars.get(b"PATH").cloned());
    if path.is_some() {
        interp.vars.set_raw(b"PATH", STANDARD_PATH);
    }
    let flow = match describe {
        Some(option) => super::type_::describe_commands(interp, &parsed.operands, option.letter == b'V'),
        None => interp.run_unshadowed(parsed.operands, false).await,
    };
    match path {
        Some(Some(path)) => interp.vars.insert(b"PATH".as_slice().into(), path),
        Some(None) => interp.vars.unset(b"PATH"),
        None => {}
    }
    flow
}
