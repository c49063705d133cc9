//! The binary form: `b`, version 2, the rank as a byte, four characters for
//! the type, each size as a little-endian `u64`, then the elements.

use crate::cursor::{Cursor, DataError};
use crate::value::{with_data, Data, Element, Value};
use fehu_base::prim::ScalarType;

const VERSION: u8 = 2;

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
pub(crate) fn read_value(c: &mut Cursor<'_>) -> Result<Value, DataError> {
    let start = c.pos;
    c.pos += 1;
    let version = take(c, 1, "version")?[0];
    if version != VERSION {
        return Err(c.error_at(start, format!("binary data of version {version}; only {VERSION} is known")));
    }
    let rank = take(c, 1, "rank")?[0];
    let name = take(c, 4, "element type")?;
    let elem = std::str::from_utf8(name).ok().and_then(|n| ScalarType::named(n.trim_start()));
    let Some(elem) = elem.filter(|e| format!("{:>4}", e.as_str()).as_bytes() == name) else {
        let name = String::from_utf8_lossy(name);
        return Err(c.error_at(start, format!("binary data of unknown type `{}`", name.escape_debug())));
    };
    let mut shape = Vec::with_capacity(rank.into());
    for _ in 0..rank {
        let size = u64::read_le(take(c, 8, "shape")?);
        let size = usize::try_from(size).ok().filter(|&s| s <= isize::MAX as usize);
        shape.push(size.ok_or_else(|| c.error_at(start, "binary data of impossible size"))?);
    }
    let count = crate::value::element_count(&shape);
    let bytes = count.and_then(|n| n.checked_mul(elem.prim().bytes() as usize));
    let Some(bytes) = bytes.filter(|&n| n <= c.rest().len()) else {
        let shown = crate::value::ValueType { shape, elem };
        return Err(c.error_at(start, format!("binary data ends within a value of type {shown}")));
    };
    let data = read_elements(elem, take(c, bytes, "elements")?);
    Value::new(shape, data).ok_or_else(|| c.error_at(start, "binary data of impossible shape"))
}

/// Steps over exactly so many bytes.
fn take<'a>(c: &mut Cursor<'a>, count: usize, what: &str) -> Result<&'a [u8], DataError> {
    match c.rest().get(..count) {
        Some(bytes) => {
            c.pos += count;
            Ok(bytes)
        }
        None => Err(c.error(format!("binary data ends within the {what}"))),
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
