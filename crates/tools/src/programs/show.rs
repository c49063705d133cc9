//! The text of values that a server holds, as one would write them in a program: `{a = 1i32, b = [(2u8, true)]}`.

use super::{transparent_type, Connection};
use fehu_data::server::{Kind, ServerError};
use fehu_data::text::{write_text, Layout};
use fehu_data::{read_values, Value};
use std::path::Path;

/// Prints values of a server.
pub(crate) struct Printer<'a> {
    pub(crate) server: &'a mut Connection,
    pub(crate) transfer: &'a Path,
    /// How many variables were named.
    pub(crate) named: &'a mut usize,
    /// What stands between a field and its value.
    pub(crate) equals: &'static str,
}

impl Printer<'_> {
    /// The text of a variable's value.
    pub(crate) fn value(&mut self, variable: &str, t: &str) -> Result<String, ServerError> {
        if transparent_type(t).is_some() {
            return stored(self.server, self.transfer, variable);
        }
        match self.server.kind(t)? {
            Kind::Record => self.record(variable, t),
            Kind::Array => {
                let shape = self.server.shape(variable)?;
                let elem = self.server.elemtype(t)?;
                self.array(variable, &elem, &shape, &mut vec![])
            }
            Kind::Sum => {
                let variant = self.server.variant(variable)?;
                let variants = self.server.variants(t)?;
                let payload = variants.into_iter().find(|v| v.name == variant).map_or(vec![], |v| v.payload);
                let parts: Vec<String> = payload.iter().map(|_| self.fresh()).collect();
                let names: Vec<&str> = parts.iter().map(String::as_str).collect();
                self.server.destruct(variable, &names)?;
                let mut text = format!("#{variant}");
                for (part, t) in names.iter().zip(&payload) {
                    text.push(' ');
                    text.push_str(&self.value(part, t)?);
                }
                if !names.is_empty() {
                    self.server.free(&names)?;
                }
                Ok(text)
            }
            Kind::Primitive | Kind::Opaque => Ok(format!("(a value of type {t})")),
        }
    }

    fn record(&mut self, variable: &str, t: &str) -> Result<String, ServerError> {
        let mut fields = self.server.fields(t)?;
        let is_tuple = fields.iter().all(|(name, _)| name.parse::<usize>().is_ok());
        if is_tuple {
            fields.sort_by_key(|(name, _)| name.parse::<usize>().unwrap_or(usize::MAX));
        }
        let mut parts = vec![];
        for (name, t) in &fields {
            let part = self.fresh();
            self.server.project(&part, variable, name)?;
            let text = self.value(&part, t)?;
            self.server.free(&[&part])?;
            parts.push(if is_tuple { text } else { format!("{name}{}{text}", self.equals) });
        }
        let inside = parts.join(", ");
        Ok(if is_tuple { format!("({inside})") } else { format!("{{{inside}}}") })
    }

    /// The part of an array at the first few indices.
    fn array(
        &mut self,
        variable: &str,
        elem: &str,
        shape: &[usize],
        index: &mut Vec<usize>,
    ) -> Result<String, ServerError> {
        let Some(&count) = shape.get(index.len()) else {
            let part = self.fresh();
            self.server.index(&part, variable, index)?;
            let text = self.value(&part, elem)?;
            self.server.free(&[&part])?;
            return Ok(text);
        };
        let mut parts = vec![];
        for i in 0..count {
            index.push(i);
            parts.push(self.array(variable, elem, shape, index)?);
            index.pop();
        }
        Ok(format!("[{}]", parts.join(", ")))
    }

    fn fresh(&mut self) -> String {
        *self.named += 1;
        format!("v{}", self.named)
    }
}

/// The text of a scalar or an array of scalars, each innermost row on a line of its own.
pub(crate) fn stored(
    server: &mut Connection,
    transfer: &Path,
    variable: &str,
) -> Result<String, ServerError> {
    server.store(&transfer.display().to_string(), &[variable])?;
    let values = read_values(&std::fs::read(transfer)?).unwrap_or_default();
    Ok(values.iter().map(in_rows).collect::<Vec<_>>().join("\n"))
}

/// The text of a value, each innermost row on a line of its own.
pub(crate) fn in_rows(value: &Value) -> String {
    let mut text = String::new();
    // Writing to a string does not fail.
    let _ = write_text(value, Layout::Rows, &mut text);
    text.lines().map(str::trim_start).collect::<Vec<_>>().join("\n")
}
