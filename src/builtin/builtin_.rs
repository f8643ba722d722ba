//! `builtin [name [arg …]]`

use crate::args::BuiltinSpec;
use crate::interp::{Flow, Interp};

const SPEC: BuiltinSpec = BuiltinSpec::new("builtin", "");

/// The builtin.
pub async fn run(interp: &mut Interp, args: Vec<Vec<u8>>) -> Flow {
    let parsed = match interp.parse_options(&SPEC, &args) {
        Ok(parsed) => parsed,
        Err(status) => return Ok(status),
    };
    if parsed.operands.is_empty() {
        return Ok(0);
    }
    interp.run_unshadowed(parsed.operands, true).await
}
