//! Values as text.

use crate::value::{Data, Value};
use half::f16;
use std::fmt::{self, Write};

/// How arrays of several dimensions are laid out.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Layout {
    /// `[[1i32, 2i32], [3i32, 4i32]]`: everything on one line, as
    /// executables print.
    OneLine,
    /// Every innermost row on a line of its own, aligned.
    Rows,
}

/// Writes the text of a value, without a line break at its end.
pub fn write_text(value: &Value, layout: Layout, out: &mut dyn Write) -> fmt::Result {
    if value.data().is_empty() {
        return write!(out, "empty({})", value.value_type());
    }
    let shape = value.shape();
    // `strides[d]`: the number of elements in one array at depth `d`.
    let mut strides = shape.to_vec();
    for d in (0..shape.len().saturating_sub(1)).rev() {
        strides[d] *= strides[d + 1];
    }
    let boundaries = |i: usize| strides.iter().filter(|&&s| i % s == 0).count();
    for i in 0..value.data().len() {
        let opening = boundaries(i);
        if i > 0 {
            match layout {
                Layout::Rows if opening > 0 => {
                    out.write_str(",\n")?;
                    (0..shape.len() - opening).try_for_each(|_| out.write_char(' '))?;
                }
                Layout::Rows | Layout::OneLine => out.write_str(", ")?,
            }
        }
        (0..opening).try_for_each(|_| out.write_char('['))?;
        write_element(value.data(), i, out)?;
        (0..boundaries(i + 1)).try_for_each(|_| out.write_char(']'))?;
    }
    Ok(())
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_text(self, Layout::OneLine, f)
    }
}

/// Writes one element, with its type; nothing if there is none.
pub(crate) fn write_element(data: &Data, i: usize, out: &mut dyn Write) -> fmt::Result {
    match data {
        Data::I8(v) => v.get(i).map_or(Ok(()), |v| write!(out, "{v}i8")),
        Data::I16(v) => v.get(i).map_or(Ok(()), |v| write!(out, "{v}i16")),
        Data::I32(v) => v.get(i).map_or(Ok(()), |v| write!(out, "{v}i32")),
        Data::I64(v) => v.get(i).map_or(Ok(()), |v| write!(out, "{v}i64")),
        Data::U8(v) => v.get(i).map_or(Ok(()), |v| write!(out, "{v}u8")),
        Data::U16(v) => v.get(i).map_or(Ok(()), |v| write!(out, "{v}u16")),
        Data::U32(v) => v.get(i).map_or(Ok(()), |v| write!(out, "{v}u32")),
        Data::U64(v) => v.get(i).map_or(Ok(()), |v| write!(out, "{v}u64")),
        Data::F16(v) => v.get(i).copied().map_or(Ok(()), |v: f16| write_float(v.to_f32(), "f16", out)),
        Data::F32(v) => v.get(i).copied().map_or(Ok(()), |v| write_float(v, "f32", out)),
        Data::F64(v) => v.get(i).copied().map_or(Ok(()), |v| write_float(v, "f64", out)),
        Data::Bool(v) => v.get(i).map_or(Ok(()), |v| write!(out, "{v}")),
    }
}

/// The fewest digits that read back as the same float; an exponent only
/// below 0.1 and from ten million on.
fn write_float<T>(v: T, t: &str, out: &mut dyn Write) -> fmt::Result
where
    T: Copy + Into<f64> + fmt::Debug + fmt::LowerExp,
{
    let wide: f64 = v.into();
    if wide.is_nan() {
        return write!(out, "{t}.nan");
    }
    if wide.is_infinite() {
        return write!(out, "{}{t}.inf", if wide < 0.0 { "-" } else { "" });
    }
    if wide == 0.0 || (0.1..1e7).contains(&wide.abs()) {
        return write!(out, "{v:?}{t}");
    }
    let scientific = format!("{v:e}");
    match scientific.split_once('e') {
        Some((digits, exponent)) if !digits.contains('.') => write!(out, "{digits}.0e{exponent}{t}"),
        _ => write!(out, "{scientific}{t}"),
    }
}
