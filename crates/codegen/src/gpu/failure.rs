//! What the host says when a check in a kernel has failed: the same message as a
//! check on the host.

use super::kernel::Failure;
use crate::c::fun::Context;
use crate::c::stm::message_format;
use fehu_base::prim::ScalarType;
use fehu_imp::syntax::ErrorPart;

/// How many words a failed check may need: its number and its values.
pub(crate) fn max_values(failures: &[Failure]) -> usize {
    failures.iter().map(|f| 1 + values(f).count()).max().unwrap_or(0).max(2)
}

/// The function that makes a message of a failed check.
pub(crate) fn messages(context: &Context, failures: &[Failure]) -> String {
    let mut out = String::from(
        "static int failure_message(struct futhark_context *ctx, int32_t number, const int64_t *values) {\n  \
         (void)values;\n  switch (number) {\n",
    );
    for (i, failure) in failures.iter().enumerate() {
        let format = message_format(context, failure.message, failure.loc);
        out.push_str(&format!("  case {i}: return fail(ctx, \"{format}\""));
        for (at, t) in values(failure).enumerate() {
            out.push_str(&format!(", {}", decoded(at + 1, t)));
        }
        out.push_str(");\n");
    }
    out.push_str("  default: return fail(ctx, \"Error: a check in a kernel failed.\\n\");\n  }\n}\n\n");
    out
}

fn values<'a>(failure: &Failure<'a>) -> impl Iterator<Item = ScalarType> + 'a {
    failure.message.iter().filter_map(|part| match part {
        ErrorPart::Text(_) => None,
        ErrorPart::Value(_, t) => Some(*t),
    })
}

fn decoded(at: usize, t: ScalarType) -> String {
    match t {
        ScalarType::I8 | ScalarType::I16 | ScalarType::I32 | ScalarType::I64 => format!("values[{at}]"),
        ScalarType::U8 | ScalarType::U16 | ScalarType::U32 | ScalarType::U64 => {
            format!("(uint64_t)values[{at}]")
        }
        ScalarType::F16 => format!("f16_to_f64((f16)values[{at}])"),
        ScalarType::F32 => format!("(double)from_bits32((int32_t)values[{at}])"),
        ScalarType::F64 => format!("from_bits64(values[{at}])"),
        ScalarType::Bool => format!("show_bool(values[{at}] != 0)"),
    }
}
