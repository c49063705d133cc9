//! Messages of checks, as formats of `printf`.

use super::literal;
use fehu_base::prim::ScalarType;
use fehu_imp::syntax::{CheckPart, ErrorPart};

/// A piece of a message, whatever its values are computed from.
pub(crate) enum Piece<'a> {
    Text(&'a str),
    Value(ScalarType),
}

/// The pieces of a message.
pub(crate) fn pieces(message: &[ErrorPart]) -> impl Iterator<Item = Piece<'_>> {
    message.iter().map(|part| match part {
        ErrorPart::Text(text) => Piece::Text(text),
        ErrorPart::Value(_, t) => Piece::Value(*t),
    })
}

/// The pieces of the message of a check.
pub(crate) fn check_pieces(message: &[CheckPart]) -> impl Iterator<Item = Piece<'_>> {
    message.iter().map(|part| match part {
        CheckPart::Text(text) => Piece::Text(text),
        CheckPart::Value(t) => Piece::Value(*t),
    })
}

/// The inside of the literal that is the format of an error; the runtime adds the place.
pub(crate) fn error_format<'a>(message: impl Iterator<Item = Piece<'a>>) -> String {
    let mut out = String::from("Error: ");
    push_format(&mut out, message);
    out
}

/// Adds the format of a message.
pub(crate) fn push_format<'a>(out: &mut String, message: impl Iterator<Item = Piece<'a>>) {
    for part in message {
        match part {
            Piece::Text(words) => literal::push_escaped(out, &words.replace('%', "%%")),
            Piece::Value(t) => out.push_str(value_format(t)),
        }
    }
}

/// What makes a value what its piece of a format expects, up to the value.
pub(crate) fn value_wrapper(t: ScalarType) -> &'static str {
    match t {
        ScalarType::I8 | ScalarType::I16 | ScalarType::I32 | ScalarType::I64 => "(int64_t)(",
        ScalarType::U8 => "(uint64_t)(uint8_t)(",
        ScalarType::U16 => "(uint64_t)(uint16_t)(",
        ScalarType::U32 => "(uint64_t)(uint32_t)(",
        ScalarType::U64 => "(uint64_t)(",
        ScalarType::F16 => "show_f16(FLOAT_TEXT, ",
        ScalarType::F32 => "show_f32(FLOAT_TEXT, ",
        ScalarType::F64 => "show_f64(FLOAT_TEXT, ",
        ScalarType::Bool => "show_bool(",
    }
}

/// The piece of a format that shows a value; ends and starts the literal for its macro.
fn value_format(t: ScalarType) -> &'static str {
    match t {
        ScalarType::I8 | ScalarType::I16 | ScalarType::I32 | ScalarType::I64 => "%\" PRId64 \"",
        ScalarType::U8 | ScalarType::U16 | ScalarType::U32 | ScalarType::U64 => "%\" PRIu64 \"",
        ScalarType::F16 | ScalarType::F32 | ScalarType::F64 | ScalarType::Bool => "%s",
    }
}
