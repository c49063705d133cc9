//! What the host says when a check in a kernel has failed: the same message as a
//! check on the host.

use crate::c::context::Context;
use crate::c::message::{check_pieces, error_format};
use fehu_base::prim::ScalarType;
use fehu_imp::syntax::{Check, CheckPart};

/// How many words a failed check may need: its number and its values.
pub(super) fn max_values(checks: &[Check]) -> usize {
    checks.iter().map(|c| 1 + values(c).count()).max().unwrap_or(0).max(2)
}

/// The function that makes a message of a failed check.
pub(super) fn messages(context: &Context) -> String {
    let mut out = String::from(
        "static int failure_message(struct futhark_context *ctx, int32_t number, const int64_t *values) {\n  \
         (void)values;\n  switch (number) {\n",
    );
    for (i, check) in context.program.checks.iter().enumerate() {
        let (place, format) = (context.place(&check.loc), error_format(check_pieces(&check.message)));
        out.push_str(&format!("  case {i}: return fail_at(ctx, {place}, \"{format}\""));
        for (at, t) in values(check).enumerate() {
            out.push_str(&format!(", {}", decoded(at + 1, t)));
        }
        out.push_str(");\n");
    }
    out.push_str("  default: return fail(ctx, \"Error: a check in a kernel failed.\\n\");\n  }\n}\n\n");
    out
}

fn values(check: &Check) -> impl Iterator<Item = ScalarType> + '_ {
    check.message.iter().filter_map(|part| match part {
        CheckPart::Text(_) => None,
        CheckPart::Value(t) => Some(*t),
    })
}

fn decoded(at: usize, t: ScalarType) -> String {
    match t {
        ScalarType::I8 | ScalarType::I16 | ScalarType::I32 | ScalarType::I64 => format!("values[{at}]"),
        ScalarType::U8 | ScalarType::U16 | ScalarType::U32 | ScalarType::U64 => {
            format!("(uint64_t)values[{at}]")
        }
        ScalarType::F16 => format!("show_f16(FLOAT_TEXT, (f16)values[{at}])"),
        ScalarType::F32 => format!("show_f32(FLOAT_TEXT, from_bits32((int32_t)values[{at}]))"),
        ScalarType::F64 => format!("show_f64(FLOAT_TEXT, from_bits64(values[{at}]))"),
        ScalarType::Bool => format!("show_bool(values[{at}] != 0)"),
    }
}
