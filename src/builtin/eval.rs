//! `eval [arg …]`

use crate::args::BuiltinSpec;
use crate::interp::{Flow, Interp, Origin};

const SPEC: BuiltinSpec = BuiltinSpec::new("eval", "");

/// The builtin.
pub async fn run(interp: &mut Interp, args: Vec<Vec<u8>>) -> Flow {
    let parsed = match interp.parse_options(&SPEC, &args) {
        Ok(parsed) => parsed,
        Err(status) => return Ok(status),
    };
    if parsed.operands.is_empty() {
        return Ok(0);
    }
    let text = parsed.operands.join(&b' ');
    interp.evals += 1;
    let flow = interp.run_nested(text, Origin::Eval).await;
    interp.evals = interp.evals.saturating_sub(1);
    flow
}
