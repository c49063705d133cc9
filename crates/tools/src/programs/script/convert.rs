//! Values of scripts: as variables of the server, as data, as text.
//!
//! Data travels through a file. Numbers without a suffix, and arrays of them, become what a parameter asks for; where
//! none is asked for, `[1, 2i64]` is an array of the type that one of its elements has.

use super::{wrong, Evaluator, Res, ScriptError, Val};
use crate::programs::show::{in_rows, Printer};
use fehu_base::prim::ScalarType;
use fehu_data::server::Kind;
use fehu_data::{read_values, Data, Number, Value};
use fehu_driver::files::{read_data, write};

impl Evaluator<'_> {
    /// A value as one would write it.
    pub(crate) fn text(&mut self, v: &Val) -> Res<String> {
        let joined = |texts: Vec<String>| texts.join(", ");
        Ok(match v {
            Val::Data(value) => in_rows(value),
            Val::Number(number) => in_rows(&by_itself(number)?),
            Val::Var(var, t) => {
                let transfer = self.places.scratch.join("script-value");
                Printer { server: self.server, transfer: &transfer, named: &mut self.named, equals: "=" }
                    .value(var, t)?
            }
            Val::Tuple(vs) => format!("({})", joined(self.texts(vs)?)),
            Val::Array(vs) if natural_type(vs).is_some() => in_rows(&self.value(v)?),
            Val::Array(vs) => format!("[{}]", joined(self.texts(vs)?)),
            Val::Function(entry, _) => return wrong(format!("{entry} is a function, which has no text")),
            Val::Record(fields) => {
                let texts = fields.iter().map(|(f, v)| Ok(format!("{f}={}", self.text(v)?)));
                format!("{{{}}}", joined(texts.collect::<Res<_>>()?))
            }
        })
    }

    fn texts(&mut self, vs: &[Val]) -> Res<Vec<String>> {
        vs.iter().map(|v| self.text(v)).collect()
    }

    /// A value in the binary format.
    pub(super) fn binary(&mut self, v: &Val) -> Res<Vec<u8>> {
        match v {
            Val::Data(value) => {
                let mut bytes = vec![];
                fehu_data::binary::write_binary(value, &mut bytes);
                Ok(bytes)
            }
            Val::Number(number) => self.binary(&Val::Data(by_itself(number)?)),
            Val::Var(var, _) => {
                let path = self.places.scratch.join("script-value");
                self.server.store(&path.display().to_string(), &[var])?;
                std::fs::read(&path)
                    .map_err(|e| ScriptError::Script(format!("could not read {}: {e}", path.display())))
            }
            Val::Array(vs) if natural_type(vs).is_some() => {
                let value = self.value(v)?;
                self.binary(&Val::Data(value))
            }
            Val::Tuple(_) | Val::Record(_) | Val::Array(_) | Val::Function(..) => {
                wrong(format!("a {} has no binary format", kind(v)))
            }
        }
    }

    /// A variable of the server with this value, which must be of this type.
    pub(super) fn variable(&mut self, v: &Val, t: &str) -> Res<String> {
        let mismatch = |actual: &str| wrong(format!("a value of type {actual} stands where {t} is expected"));
        match v {
            Val::Var(var, actual) if actual == t => Ok(var.clone()),
            Val::Var(_, actual) => mismatch(actual),
            Val::Function(..) => mismatch("function"),
            Val::Data(_) | Val::Number(_) => {
                let value = self.value_of_type(v, t)?;
                self.send(&value, t)
            }
            Val::Tuple(_) | Val::Record(_)
                if scalar_of(t).is_some() || self.server.kind(t)? != Kind::Record =>
            {
                mismatch(&self.type_name(v))
            }
            Val::Tuple(parts) => {
                let fields = self.tuple_fields(t)?;
                if fields.len() != parts.len() {
                    return mismatch("tuple");
                }
                let parts = parts.iter().zip(&fields).map(|(v, (_, t))| self.variable(v, t));
                let parts: Vec<String> = parts.collect::<Res<_>>()?;
                // The server wants them in the order in which it names them.
                let order = self.server.fields(t)?;
                let at = |f: &String| fields.iter().position(|(g, _)| g == f).unwrap_or(0);
                self.record(t, order.iter().map(|(f, _)| parts[at(f)].as_str()).collect())
            }
            Val::Record(parts) => {
                let mut made = vec![];
                for (field, t) in self.server.fields(t)? {
                    let Some((_, v)) = parts.iter().find(|(f, _)| *f == field) else {
                        return wrong(format!("the record has no field {field}"));
                    };
                    made.push(self.variable(v, &t)?);
                }
                if made.len() != parts.len() {
                    return mismatch("record");
                }
                self.record(t, made.iter().map(String::as_str).collect())
            }
            Val::Array(elems) => {
                if scalar_of(t).is_some() {
                    let value = self.value_of_type(v, t)?;
                    return self.send(&value, t);
                }
                let elem_type = self.server.elemtype(t)?;
                let elems = elems.iter().map(|v| self.variable(v, &elem_type));
                let elems: Vec<String> = elems.collect::<Res<_>>()?;
                let to = self.fresh();
                let names: Vec<&str> = elems.iter().map(String::as_str).collect();
                self.server.new_array(&to, t, &[elems.len()], &names)?;
                Ok(to)
            }
        }
    }

    /// A value of this type, which is a scalar or an array of scalars.
    fn value_of_type(&mut self, v: &Val, t: &str) -> Res<Value> {
        let mismatch = |actual: &str| wrong(format!("a value of type {actual} stands where {t} is expected"));
        match v {
            Val::Data(_) | Val::Var(..) => {
                let value = self.value(v)?;
                if server_type(&value) == t {
                    Ok(value)
                } else {
                    mismatch(&server_type(&value))
                }
            }
            Val::Number(number) => match ScalarType::named(t) {
                Some(scalar) => number.value_of(scalar).map_err(ScriptError::Script),
                None => mismatch(number.natural_type().as_str()),
            },
            Val::Array(elements) => {
                let Some(inner) = t.strip_prefix("[]") else { return mismatch("array") };
                let rows = elements.iter().map(|v| self.value_of_type(v, inner));
                let rows: Vec<Value> = rows.collect::<Res<_>>()?;
                match stacked(&rows) {
                    Some(array) => Ok(array),
                    None => wrong("the rows of an array have different sizes"),
                }
            }
            Val::Tuple(_) => mismatch("tuple"),
            Val::Record(_) => mismatch("record"),
            Val::Function(..) => mismatch("function"),
        }
    }

    /// What a scalar or an array of scalars is, here and not in the server.
    pub(crate) fn value(&mut self, v: &Val) -> Res<Value> {
        match v {
            Val::Data(value) => Ok(value.clone()),
            Val::Number(number) => by_itself(number),
            Val::Var(var, t) if scalar_of(t).is_some() => {
                let path = self.places.scratch.join("script-value");
                self.server.store(&path.display().to_string(), &[var])?;
                let bytes = read_data(&path).map_err(ScriptError::Script)?;
                match read_values(&bytes).map(<[Value; 1]>::try_from) {
                    Ok(Ok([value])) => Ok(value),
                    Ok(Err(_)) | Err(_) => wrong(format!("the value of type {t} cannot be read")),
                }
            }
            Val::Var(_, t) => wrong(format!("a value of type {t} stands where numbers are expected")),
            Val::Array(elements) => match natural_type(elements) {
                Some(t) => self.value_of_type(v, &t),
                None => wrong("an array of composed values stands where numbers are expected"),
            },
            Val::Tuple(_) | Val::Record(_) | Val::Function(..) => {
                wrong(format!("a {} stands where a single value is expected", kind(v)))
            }
        }
    }

    /// The type of a value, as one would write it: what messages say.
    pub(crate) fn type_name(&mut self, v: &Val) -> String {
        let joined = |types: Vec<String>| types.join(", ");
        match v {
            Val::Data(value) => server_type(value),
            Val::Number(number) => number.natural_type().to_string(),
            Val::Var(_, t) => t.clone(),
            Val::Tuple(vs) => format!("({})", joined(vs.iter().map(|v| self.type_name(v)).collect())),
            Val::Record(fields) => {
                let fields = fields.iter().map(|(f, v)| format!("{f}: {}", self.type_name(v)));
                format!("{{{}}}", joined(fields.collect()))
            }
            Val::Array(elements) => match (natural_type(elements), elements.first()) {
                (Some(t), _) => t,
                (None, Some(first)) => format!("[]{}", self.type_name(first)),
                (None, None) => "[]".into(),
            },
            Val::Function(entry, _) => format!("of the function {entry}"),
        }
    }

    pub(crate) fn number(&mut self, v: &Val) -> Res<usize> {
        let index = self.value(v)?.as_prim().and_then(|p| p.as_i64());
        index.and_then(|i| usize::try_from(i).ok()).map_or_else(|| wrong("an index is no number"), Ok)
    }

    /// The text of a string.
    pub(super) fn string(&mut self, v: &Val) -> Res<String> {
        if let Data::U8(bytes) = self.value(v)?.data() {
            Ok(String::from_utf8_lossy(bytes).into_owned())
        } else {
            wrong("a built-in function takes strings")
        }
    }

    fn record(&mut self, t: &str, fields: Vec<&str>) -> Res<String> {
        let to = self.fresh();
        self.server.new_record(&to, t, &fields)?;
        Ok(to)
    }

    /// Data goes through a file.
    fn send(&mut self, value: &Value, t: &str) -> Res<String> {
        let (to, path) = (self.fresh(), self.places.scratch.join("script-value"));
        let mut bytes = vec![];
        fehu_data::binary::write_binary(value, &mut bytes);
        write(&path, bytes).map_err(ScriptError::Script)?;
        self.server.restore(&path.display().to_string(), &[(&to, t)])?;
        Ok(to)
    }
}

/// The value of a number of which no type is asked for.
fn by_itself(number: &Number) -> Res<Value> {
    number.value_of(number.natural_type()).map_err(ScriptError::Script)
}

/// What a value is, in words.
fn kind(v: &Val) -> &'static str {
    match v {
        Val::Data(_) | Val::Number(_) | Val::Var(..) => "value",
        Val::Tuple(_) => "tuple",
        Val::Record(_) => "record",
        Val::Array(_) => "array",
        Val::Function(..) => "function",
    }
}

/// The type of an array of which no other is asked for: that of its elements with a type, else of its numbers.
fn natural_type(elements: &[Val]) -> Option<String> {
    fn typed(v: &Val) -> Option<String> {
        match v {
            Val::Data(value) => Some(server_type(value)),
            Val::Var(_, t) => scalar_of(t).map(|_| t.clone()),
            Val::Array(elements) => elements.iter().find_map(typed).map(|t| format!("[]{t}")),
            Val::Number(_) | Val::Tuple(_) | Val::Record(_) | Val::Function(..) => None,
        }
    }
    fn numbers(v: &Val, any: &mut Option<ScalarType>) {
        match v {
            Val::Number(number) => {
                if any.is_none() || number.natural_type() == ScalarType::F64 {
                    *any = Some(number.natural_type());
                }
            }
            Val::Array(elements) => elements.iter().for_each(|v| numbers(v, any)),
            Val::Data(_) | Val::Var(..) | Val::Tuple(_) | Val::Record(_) | Val::Function(..) => {}
        }
    }
    fn depth(v: &Val) -> usize {
        match v {
            Val::Array(elements) => 1 + elements.first().map_or(0, depth),
            Val::Data(_) | Val::Number(_) | Val::Var(..) | Val::Tuple(_) | Val::Record(_) => 0,
            Val::Function(..) => 0,
        }
    }
    if let Some(t) = elements.iter().find_map(typed) {
        return Some(format!("[]{t}"));
    }
    let mut any = None;
    elements.iter().for_each(|v| numbers(v, &mut any));
    let rank = 1 + elements.first().map_or(0, depth);
    any.map(|scalar| format!("{}{scalar}", "[]".repeat(rank)))
}

/// Rows of one shape and type, on top of each other.
fn stacked(rows: &[Value]) -> Option<Value> {
    let first = rows.first()?;
    let mut data = Data::empty(first.scalar_type());
    for row in rows {
        if row.shape() != first.shape() {
            return None;
        }
        for i in 0..row.data().len() {
            data.push(row.data().get(i)?);
        }
    }
    let shape = [&[rows.len()], first.shape()].concat();
    Value::new(shape, data)
}

/// The server's name for the type of a value: `[][]i32`.
fn server_type(v: &Value) -> String {
    format!("{}{}", "[]".repeat(v.rank()), v.scalar_type())
}

/// The scalars that an array of scalars, or a scalar, is made of.
pub(super) fn scalar_of(t: &str) -> Option<ScalarType> {
    ScalarType::named(t.trim_start_matches("[]"))
}
