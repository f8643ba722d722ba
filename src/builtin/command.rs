//! `command [-pVv] command [arg …]`

use crate::args::BuiltinSpec;
use crate::interp::{Flow, Interp};

const SPEC: BuiltinSpec = BuiltinSpec::new("command", "pvV");

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
    if let Some(option) = describe {
        return super::type_::describe_commands(interp, &parsed.operands, option.letter == b'V');
    }
    let standard = parsed.has(b'p').then(|| interp.scalar(b"PATH"));
    if standard.is_some() {
        interp
            .vars
            .set_raw(b"PATH", b"/usr/local/bin:/usr/bin:/bin".to_vec());
    }
    let flow = interp.run_unshadowed(parsed.operands, false).await;
    if let Some(path) = standard {
        interp.vars.set_raw(b"PATH", path.unwrap_or_default());
    }
    flow
}
