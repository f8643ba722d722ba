//! `eval [arg …]`

use crate::interp::{Flow, Interp, Origin};

/// The builtin.
pub async fn run(interp: &mut Interp, args: Vec<Vec<u8>>) -> Flow {
    let args = match args.first() {
        Some(first) if first == b"--" => args.get(1..).unwrap_or_default(),
        _ => &args,
    };
    if args.is_empty() {
        return Ok(0);
    }
    let text = args.join(&b' ');
    interp.evals += 1;
    let flow = interp.run_nested(text, Origin::Eval).await;
    interp.evals = interp.evals.saturating_sub(1);
    flow
}
