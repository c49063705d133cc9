//! The checks of kernels get numbers.
//!
//! A kernel cannot print. A thread that fails a check notes the number of the check and the values in its
//! message, and the host makes the message:
//!
//! ```text
//! kernel k .. {                                       check ("index ", i64, " is out of bounds")
//!   assert(i < n, "index ", i : i64, " is ..")   =>   kernel k .. {
//! }                                                     check 0 (i < n, i : i64)
//! ```
//!
//! Before: kernels and device functions with `assert`. After: without; the program has the list of their checks.

use fehu_imp::syntax::{Check, CheckPart, Code, ErrorPart, KernelOp, Program};
use fehu_ir::visit::deep;
use fehu_pass::{Need, Pass};

/// Checks of kernels get numbers, and the program their messages.
pub static PASS: Pass<Program> = Pass {
    name: "number-checks",
    need: Need::Required,
    run: |program| {
        let checks = &mut program.checks;
        program.device_functions.iter_mut().for_each(|f| number(&mut f.body, checks));
        program.kernels.iter_mut().for_each(|k| number(&mut k.body, checks));
    },
};

/// Numbers the checks of code, in the order of the text.
fn number(code: &mut Code<KernelOp>, checks: &mut Vec<Check>) {
    code.bodies_mut().into_iter().for_each(|body| deep(|| number(body, checks)));
    if !matches!(code, Code::Assert { .. }) {
        return;
    }
    if let Code::Assert { cond, message, loc } = std::mem::replace(code, Code::Seq(vec![])) {
        let number = checks.len();
        let mut values = vec![];
        let part = |part| match part {
            ErrorPart::Text(text) => CheckPart::Text(text),
            ErrorPart::Value(e, ty) => {
                values.push((e, ty));
                CheckPart::Value(ty)
            }
        };
        let message = message.into_iter().map(part).collect();
        checks.push(Check { message, loc });
        *code = Code::Op(KernelOp::Check { cond, number, values });
    }
}
