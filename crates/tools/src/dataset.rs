//! `fehu dataset`: values made up, or turned from one format into the other.

use fehu_base::prim::ScalarType;
use fehu_data::generate::{Bounds, Generator, Rng};
use fehu_data::{read_values, Value};

/// How values are written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Format {
    /// As text, one value a line.
    Text,
    /// In the binary format.
    Binary,
    /// Only their types.
    Types,
}

/// Writes values.
pub fn render(values: &[Value], format: Format) -> Vec<u8> {
    let mut out = vec![];
    for v in values {
        match format {
            Format::Text => out.extend(format!("{v}\n").bytes()),
            Format::Binary => fehu_data::binary::write_binary(v, &mut out),
            Format::Types => out.extend(format!("{}\n", v.value_type()).bytes()),
        }
    }
    out
}

/// Reads values in either format.
pub fn convert(bytes: &[u8], format: Format) -> Result<Vec<u8>, String> {
    let values = read_values(bytes).map_err(|e| e.to_string())?;
    Ok(render(&values, format))
}

/// Makes random values of the given types (or the given values), within bounds such as `i32=0:100`.
pub fn generate(types: &[String], bounds: &[(ScalarType, String)], seed: u64) -> Result<Vec<Value>, String> {
    let mut limits = Bounds::default();
    for (t, text) in bounds {
        limits.set(*t, text)?;
    }
    let mut rng = Rng::new(seed);
    types
        .iter()
        .map(|t| Generator::parse(t).map_err(|e| format!("{t}: {e}"))?.value(&limits, &mut rng))
        .collect()
}
