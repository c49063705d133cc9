//! The binary form: `b`, version 2, the rank as a byte, four characters for
//! the type, each size as a little-endian `u64`, then the elements.

use crate::cursor::{Cursor, DataError};
use crate::text::{is_possible, Wanted};
use crate::value::{with_data, Data, Element, Value};
use fehu_base::prim::ScalarType;

const VERSION: u8 = 2;

/// The version, the rank and the type.
const HEADER_BYTES: usize = 6;

/// Appends the binary form of a value.
pub fn write_binary(value: &Value, out: &mut Vec<u8>) {
    // A value has at most MAX_RANK = 255 dimensions.
    out.extend_from_slice(&[b'b', VERSION, value.rank() as u8]);
    out.extend_from_slice(format!("{:>4}", value.scalar_type().as_str()).as_bytes());
    for &size in value.shape() {
        out.extend_from_slice(&(size as u64).to_le_bytes());
    }
    with_data!(value.data(), v => v.iter().for_each(|&e| Element::write_le(e, out)));
}

/// Reads a value whose `b` comes next.
pub(crate) fn read_value(c: &mut Cursor<'_>, wanted: Wanted) -> Result<Value, DataError> {
    let start = c.pos;
    c.pos += 1;
    let header = take(c, HEADER_BYTES)?;
    let (version, rank, name) = (header[0], header[1], &header[2..]);
    if version != VERSION {
        let message = format!("binary data of version {version}, but only version {VERSION} is known");
        return Err(c.error_at(start, message));
    }
    let elem = std::str::from_utf8(name).ok().and_then(|n| ScalarType::named(n.trim_start()));
    let elem = elem.filter(|e| format!("{:>4}", e.as_str()).as_bytes() == name);
    let shown: String =
        name.iter().map(|b| if (b' '..=b'~').contains(b) { char::from(*b) } else { '?' }).collect();
    if wanted.rank.is_some_and(|r| r != rank.into()) || wanted.elem.is_some_and(|t| elem != Some(t)) {
        let (want, t) = (wanted.rank.unwrap_or_default(), wanted.elem.unwrap_or(ScalarType::I32));
        return Err(c.error_at(
            start,
            format!(
                "expected binary data of rank {want} and element type '{t}', got rank {rank} and type '{shown}'"
            ),
        ));
    }
    let Some(elem) = elem else {
        return Err(c.error_at(start, format!("binary data of unknown type '{shown}'")));
    };
    let mut shape = Vec::with_capacity(rank.into());
    for size in take(c, 8 * usize::from(rank))?.chunks_exact(8) {
        // What does not fit is larger than any array, too.
        shape.push(usize::try_from(u64::read_le(size)).unwrap_or(usize::MAX));
    }
    let count = crate::value::element_count(&shape).filter(|_| is_possible(&shape));
    let Some(count) = count.and_then(|n| n.checked_mul(elem.prim().bytes() as usize)) else {
        return Err(c.error_at(start, "binary data of an impossible size"));
    };
    let bytes = take(c, count)?;
    if elem == ScalarType::Bool && bytes.iter().any(|b| *b > 1) {
        return Err(c.error_at(start, "a byte of binary data is no boolean"));
    }
    let data = read_elements(elem, bytes);
    Value::new(shape, data).ok_or_else(|| c.error_at(start, "binary data of an impossible size"))
}

/// Steps over exactly so many bytes.
fn take<'a>(c: &mut Cursor<'a>, count: usize) -> Result<&'a [u8], DataError> {
    match c.rest().get(..count) {
        Some(bytes) => {
            c.pos += count;
            Ok(bytes)
        }
        None => Err(c.error("binary data ends too early")),
    }
}

fn read_elements(t: ScalarType, bytes: &[u8]) -> Data {
    fn all<T: Element>(bytes: &[u8]) -> Data {
        T::wrap(bytes.chunks_exact(size_of::<T>()).map(T::read_le).collect())
    }
    match t {
        ScalarType::I8 => all::<i8>(bytes),
        ScalarType::I16 => all::<i16>(bytes),
        ScalarType::I32 => all::<i32>(bytes),
        ScalarType::I64 => all::<i64>(bytes),
        ScalarType::U8 => all::<u8>(bytes),
        ScalarType::U16 => all::<u16>(bytes),
        ScalarType::U32 => all::<u32>(bytes),
        ScalarType::U64 => all::<u64>(bytes),
        ScalarType::F16 => all::<half::f16>(bytes),
        ScalarType::F32 => all::<f32>(bytes),
        ScalarType::F64 => all::<f64>(bytes),
        ScalarType::Bool => all::<bool>(bytes),
    }
}
