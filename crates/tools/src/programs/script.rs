//! Running FutharkScript: the functions are the entry points of a program that runs as a server.
//!
//! ```text
//! let exp = parse_script("let xs = numbers 10i64 in (2f32, xs)")?;
//! let arguments = arguments(server, &place, "main", &exp)?;    // variables of the server, one per parameter
//! ```

use super::server::Connection;
use super::show::Printer;
use fehu_base::prim::ScalarType;
use fehu_data::script::{Exp, Function};
use fehu_data::server::{Kind, ServerError};
use fehu_data::{read_values, Data, Value};
use fehu_driver::files::read_data;
use std::path::{Path, PathBuf};

/// Why a script has no value.
#[derive(Debug)]
pub(crate) enum ScriptError {
    /// The script is wrong.
    Script(String),
    /// The server has an objection.
    Server(ServerError),
}

impl From<ServerError> for ScriptError {
    fn from(e: ServerError) -> ScriptError {
        ScriptError::Server(e)
    }
}

type Res<T> = Result<T, ScriptError>;

/// Where a script finds its files, and where it may make some.
pub(crate) struct Places<'a> {
    /// The program, beside which the script's files are.
    pub(crate) program: &'a Path,
    /// A folder for data on its way to the server.
    pub(crate) scratch: &'a Path,
}

/// The arguments of an entry point: the names of variables of the server, and their types. If the script
/// gives a tuple, its components are the arguments.
pub(crate) fn arguments(
    server: &mut Connection,
    places: &Places,
    entry: &str,
    script: &Exp,
) -> Res<Vec<(String, String)>> {
    let mut e = Evaluator { server, places, made: 0, scope: vec![] };
    let value = e.exp(script)?;
    let types: Vec<String> = e.server.inputs(entry)?.into_iter().map(|t| t.name).collect();
    let values = e.spread(value, types.len())?;
    if values.len() != types.len() {
        return wrong(format!(
            "the script gives {} arguments, but {entry} has {} parameters",
            values.len(),
            types.len()
        ));
    }
    values.iter().zip(types).map(|(v, t)| Ok((e.variable(v, &t)?, t))).collect()
}

/// How a value is printed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Format {
    Text,
    Binary,
}

/// Evaluates scripts in order; the value of the last one, printed.
pub(crate) fn evaluate(
    server: &mut Connection,
    places: &Places,
    scripts: &[Exp],
    format: Format,
) -> Res<Vec<u8>> {
    let mut e = Evaluator { server, places, made: 0, scope: vec![] };
    let mut last = Val::Tuple(vec![]);
    for script in scripts {
        last = e.exp(script)?;
    }
    match format {
        Format::Text => Ok(format!("{}\n", e.text(&last)?).into_bytes()),
        Format::Binary => e.binary(&last),
    }
}

/// A value while a script runs.
#[derive(Clone, Debug)]
enum Val {
    Data(Value),
    /// A number without a suffix becomes what the parameter asks for.
    Number(String, Value),
    /// In the server: the variable and its type.
    Var(String, String),
    Tuple(Vec<Val>),
    Record(Vec<(String, Val)>),
    Array(Vec<Val>),
}

struct Evaluator<'a> {
    server: &'a mut Connection,
    places: &'a Places<'a>,
    /// How many variables were made.
    made: usize,
    scope: Vec<(String, Val)>,
}

fn wrong<T>(message: impl Into<String>) -> Res<T> {
    Err(ScriptError::Script(message.into()))
}

impl Evaluator<'_> {
    fn exp(&mut self, e: &Exp) -> Res<Val> {
        match e {
            Exp::Const(v) => Ok(Val::Data(v.clone())),
            Exp::Number(text, v) => Ok(Val::Number(text.clone(), v.clone())),
            Exp::Tuple(es) => Ok(Val::Tuple(self.exps(es)?)),
            Exp::Array(es) => Ok(Val::Array(self.exps(es)?)),
            Exp::Record(fields) => {
                let fields = fields.iter().map(|(f, e)| Ok((f.clone(), self.exp(e)?)));
                Ok(Val::Record(fields.collect::<Res<_>>()?))
            }
            Exp::Project(e, field) => {
                let v = self.exp(e)?;
                self.field(v, field)
            }
            Exp::Index(name, indexes) => {
                let array = self.apply(&Function::Named(name.clone()), vec![])?;
                let indexes = self.exps(indexes)?;
                self.index(array, &indexes)
            }
            Exp::Let(names, value, body) => {
                let v = self.exp(value)?;
                let values = if names.len() == 1 { vec![v] } else { self.spread(v, names.len())? };
                if values.len() != names.len() {
                    return wrong(format!(
                        "the names {} are bound to {} values",
                        names.join(", "),
                        values.len()
                    ));
                }
                let outside = self.scope.len();
                self.scope.extend(names.iter().cloned().zip(values));
                let result = self.exp(body);
                self.scope.truncate(outside);
                result
            }
            Exp::Apply(function, args) => {
                let args = self.exps(args)?;
                self.apply(function, args)
            }
        }
    }

    fn exps(&mut self, es: &[Exp]) -> Res<Vec<Val>> {
        es.iter().map(|e| self.exp(e)).collect()
    }

    fn apply(&mut self, function: &Function, args: Vec<Val>) -> Res<Val> {
        match function {
            Function::Builtin(name) => self.builtin(name, &args),
            Function::Named(name) => match self.scope.iter().rev().find(|(n, _)| n == name) {
                Some((_, v)) if args.is_empty() => Ok(v.clone()),
                Some(_) => wrong(format!("{name} is no function")),
                None => self.call(name, args),
            },
        }
    }

    fn builtin(&mut self, name: &str, args: &[Val]) -> Res<Val> {
        if name == "store" {
            let [file, value] = args else { return wrong("$store takes the name of a file and a value") };
            let (name, bytes) = (self.string(file)?, self.binary(value)?);
            let path = self.file(&name);
            return match std::fs::write(&path, bytes) {
                Ok(()) => Ok(Val::Tuple(vec![])),
                Err(e) => wrong(format!("could not write {}: {e}", path.display())),
            };
        }
        let texts: Vec<String> = args.iter().map(|v| self.string(v)).collect::<Res<_>>()?;
        let path = |file: &str| self.file(file);
        let read = |file: &str| {
            let path = path(file);
            read_data(&path)
                .map_err(|e| ScriptError::Script(format!("could not read {}: {e}", path.display())))
        };
        match (name, texts.as_slice()) {
            ("loadbytes", [file]) => Ok(Val::Data(Value::vector(read(file)?))),
            ("loaddata", [file]) => {
                let mut values = match read_values(&read(file)?) {
                    Ok(values) => values,
                    Err(e) => return wrong(format!("{file}: {e}")),
                };
                if values.len() == 1 {
                    return Ok(Val::Data(values.remove(0)));
                }
                Ok(Val::Tuple(values.into_iter().map(Val::Data).collect()))
            }
            ("restore", [type_name, file]) => {
                let (file, var) = (path(file).display().to_string(), self.fresh());
                self.server.restore(&file, &[(&var, type_name)])?;
                Ok(Val::Var(var, type_name.clone()))
            }
            ("loadbytes" | "loaddata", _) => wrong(format!("${name} takes the name of a file")),
            ("restore", _) => wrong("$restore takes a type and the name of a file"),
            _ => wrong(format!("there is no built-in function ${name} here")),
        }
    }

    /// A file that a script names is beside the program.
    fn file(&self, name: &str) -> PathBuf {
        self.places.program.parent().unwrap_or(Path::new("")).join(name)
    }

    /// A value as one would write it.
    fn text(&mut self, v: &Val) -> Res<String> {
        let joined = |texts: Vec<String>| texts.join(", ");
        Ok(match v {
            Val::Data(value) | Val::Number(_, value) => value.to_string(),
            Val::Var(var, t) => {
                let transfer = self.places.scratch.join("script-value");
                Printer { server: self.server, transfer: &transfer, named: &mut self.made, equals: "=" }
                    .value(var, t)?
            }
            Val::Tuple(vs) => format!("({})", joined(self.texts(vs)?)),
            Val::Array(vs) => format!("[{}]", joined(self.texts(vs)?)),
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
    fn binary(&mut self, v: &Val) -> Res<Vec<u8>> {
        match v {
            Val::Data(value) | Val::Number(_, value) => {
                let mut bytes = vec![];
                fehu_data::binary::write_binary(value, &mut bytes);
                Ok(bytes)
            }
            Val::Var(var, _) => {
                let path = self.places.scratch.join("script-value");
                self.server.store(&path.display().to_string(), &[var])?;
                std::fs::read(&path)
                    .map_err(|e| ScriptError::Script(format!("could not read {}: {e}", path.display())))
            }
            Val::Tuple(_) | Val::Record(_) | Val::Array(_) => wrong("the value has no binary format"),
        }
    }

    fn call(&mut self, entry: &str, args: Vec<Val>) -> Res<Val> {
        if !self.server.entry_points()?.iter().any(|e| e == entry) {
            return wrong(format!("there is no entry point {entry}"));
        }
        let types = self.server.inputs(entry)?;
        let args = match <[Val; 1]>::try_from(args) {
            Ok([arg]) if types.len() > 1 => self.spread(arg, types.len())?,
            Ok(arg) => arg.into(),
            Err(args) => args,
        };
        if args.len() != types.len() {
            let (n, given) = (types.len(), args.len());
            return wrong(format!("{entry} takes {n} arguments, but gets {given}"));
        }
        let inputs = args.iter().zip(&types).map(|(v, t)| self.variable(v, &t.name));
        let inputs: Vec<String> = inputs.collect::<Res<_>>()?;
        let (outputs, tuple) = match self.server.output(entry) {
            Ok(t) => (vec![t.name], false),
            // Servers of older compilers give each component of a tuple a variable.
            Err(ServerError::Failure { .. }) => {
                let types: Vec<String> = self.server.outputs(entry)?.into_iter().map(|t| t.name).collect();
                let tuple = types.len() != 1;
                (types, tuple)
            }
            Err(e) => return Err(e.into()),
        };
        let outputs: Vec<(String, String)> = outputs.into_iter().map(|t| (self.fresh(), t)).collect();
        let names: Vec<&str> = outputs.iter().map(|(v, _)| v.as_str()).collect();
        let inputs: Vec<&str> = inputs.iter().map(String::as_str).collect();
        self.server.call(entry, &names, &inputs)?;
        let mut results: Vec<Val> = outputs.into_iter().map(|(v, t)| Val::Var(v, t)).collect();
        Ok(if tuple { Val::Tuple(results) } else { results.remove(0) })
    }

    /// The components of a tuple of so many; anything else stays as it is.
    fn spread(&mut self, v: Val, count: usize) -> Res<Vec<Val>> {
        match v {
            Val::Tuple(vs) if vs.len() == count => Ok(vs),
            Val::Var(var, t) if count > 1 => {
                let fields = self.tuple_fields(&t)?;
                if fields.len() != count {
                    return Ok(vec![Val::Var(var, t)]);
                }
                fields.into_iter().map(|(f, t)| self.project(&var, &f, t)).collect()
            }
            v @ (Val::Data(_)
            | Val::Number(..)
            | Val::Var(..)
            | Val::Tuple(_)
            | Val::Record(_)
            | Val::Array(_)) => Ok(vec![v]),
        }
    }

    /// The fields of a type that is a tuple; none if it is not.
    fn tuple_fields(&mut self, t: &str) -> Res<Vec<(String, String)>> {
        if scalar_of(t).is_some() || self.server.kind(t)? != Kind::Record {
            return Ok(vec![]);
        }
        let mut fields = self.server.fields(t)?;
        fields.sort_by_key(|(name, _)| name.parse::<usize>().unwrap_or(usize::MAX));
        let numbered = fields.iter().enumerate().all(|(i, (name, _))| *name == i.to_string());
        Ok(if numbered { fields } else { vec![] })
    }

    fn project(&mut self, var: &str, field: &str, t: String) -> Res<Val> {
        let to = self.fresh();
        self.server.project(&to, var, field)?;
        Ok(Val::Var(to, t))
    }

    fn field(&mut self, v: Val, field: &str) -> Res<Val> {
        match v {
            Val::Record(fields) => match fields.into_iter().find(|(f, _)| f == field) {
                Some((_, v)) => Ok(v),
                None => wrong(format!("there is no field {field}")),
            },
            Val::Tuple(mut vs) => match field.parse::<usize>() {
                Ok(i) if i < vs.len() => Ok(vs.swap_remove(i)),
                _ => wrong(format!("there is no field {field}")),
            },
            Val::Var(var, t) => match self.server.fields(&t)?.into_iter().find(|(f, _)| f == field) {
                Some((_, t)) => self.project(&var, field, t),
                None => wrong(format!("{t} has no field {field}")),
            },
            Val::Data(_) | Val::Number(..) | Val::Array(_) => wrong(format!("field {field} of no record")),
        }
    }

    fn index(&mut self, array: Val, indexes: &[Val]) -> Res<Val> {
        let indexes: Vec<usize> = indexes.iter().map(|v| self.number(v)).collect::<Res<_>>()?;
        match array {
            Val::Var(var, t) => {
                let to = self.fresh();
                self.server.index(&to, &var, &indexes)?;
                let elem = match scalar_of(&t) {
                    Some(s) => s.to_string(),
                    None => self.server.elemtype(&t)?,
                };
                Ok(Val::Var(to, elem))
            }
            Val::Array(mut vs) if indexes.len() == 1 && indexes[0] < vs.len() => {
                Ok(vs.swap_remove(indexes[0]))
            }
            Val::Data(v) if v.rank() == indexes.len() => {
                let inside = indexes.iter().zip(v.shape()).all(|(i, n)| i < n);
                let flat = indexes.iter().zip(v.shape()).fold(0, |at, (i, n)| at * n + i);
                let elem = if inside { v.data().get(flat) } else { None };
                let elem = elem.and_then(|p| Value::from_prim(v.scalar_type(), p));
                elem.map_or_else(|| wrong("an index is out of bounds"), |v| Ok(Val::Data(v)))
            }
            Val::Data(_) | Val::Number(..) | Val::Tuple(_) | Val::Record(_) | Val::Array(_) => {
                wrong("an index does not fit what it is applied to")
            }
        }
    }

    /// A variable of the server with this value, which must be of this type.
    fn variable(&mut self, v: &Val, t: &str) -> Res<String> {
        let mismatch = |actual: &str| wrong(format!("a value of type {actual} stands where {t} is expected"));
        match v {
            Val::Var(var, actual) if actual == t => Ok(var.clone()),
            Val::Var(_, actual) => mismatch(actual),
            Val::Data(_) | Val::Number(..) => {
                let value = self.value_of_type(v, t)?;
                self.send(&value, t)
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
            Val::Number(text, value) => match read_values(format!("{text}{t}").as_bytes()) {
                Ok(mut values) if values.len() == 1 && server_type(&values[0]) == t => Ok(values.remove(0)),
                Ok(_) | Err(_) => mismatch(&server_type(value)),
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
        }
    }

    /// What a scalar or an array of scalars is, here and not in the server.
    fn value(&mut self, v: &Val) -> Res<Value> {
        match v {
            Val::Data(value) | Val::Number(_, value) => Ok(value.clone()),
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
            Val::Tuple(_) | Val::Record(_) | Val::Array(_) => {
                wrong("something composed stands where a single value is expected")
            }
        }
    }

    fn number(&mut self, v: &Val) -> Res<usize> {
        let index = self.value(v)?.as_prim().and_then(|p| p.as_i64());
        index.and_then(|i| usize::try_from(i).ok()).map_or_else(|| wrong("an index is no number"), Ok)
    }

    /// The text of a string.
    fn string(&mut self, v: &Val) -> Res<String> {
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
        if let Err(e) = std::fs::write(&path, bytes) {
            return wrong(format!("could not write {}: {e}", path.display()));
        }
        self.server.restore(&path.display().to_string(), &[(&to, t)])?;
        Ok(to)
    }

    fn fresh(&mut self) -> String {
        self.made += 1;
        format!("script{}", self.made)
    }
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
fn scalar_of(t: &str) -> Option<ScalarType> {
    ScalarType::named(t.trim_start_matches("[]"))
}
