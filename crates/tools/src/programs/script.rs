//! Running FutharkScript: the functions are the entry points of a program that runs as a server.
//!
//! ```text
//! let exp = parse_script("let xs = numbers 10i64 in (2f32, xs)")?;
//! let arguments = arguments(server, &place, "main", &exp)?;    // variables of the server, one per parameter
//! ```

mod builtin;
mod convert;

use super::server::Connection;
use convert::scalar_of;
use fehu_data::script::{Exp, Function};
use fehu_data::server::{Kind, ServerError};
use fehu_data::{Number, Value};
use std::path::Path;

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

pub(crate) type Res<T> = Result<T, ScriptError>;

/// Where a script finds its files, and where it may make some.
pub(crate) struct Places<'a> {
    /// The program, beside which the script's files are.
    pub(crate) program: &'a Path,
    /// A folder for data on its way to the server.
    pub(crate) scratch: &'a Path,
    /// Whether it may write files beside the program.
    pub(crate) store: Store,
}

/// Where `$store` may write.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Store {
    /// Wherever the user can: the script is the user's.
    Anywhere,
    /// Below the folder of the program: the script is a part of it.
    Below,
    /// There is no `$store`.
    Nowhere,
}

/// The arguments of an entry point: the names of variables of the server, and their types. If the script
/// gives a tuple, its components are the arguments.
pub(crate) fn arguments(
    server: &mut Connection,
    places: &Places,
    entry: &str,
    script: &Exp,
) -> Res<Vec<(String, String)>> {
    let mut e = Evaluator::new(server, places);
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

/// Evaluates scripts in order; the value of the last one, printed. What the program logs goes to `log`.
pub(crate) fn evaluate(
    server: &mut Connection,
    places: &Places,
    scripts: &[Exp],
    format: Format,
    log: &mut Vec<String>,
) -> Res<Vec<u8>> {
    let mut e = Evaluator::new(server, places);
    let result = e.last_of(scripts, format);
    log.append(&mut e.log);
    result
}

/// A value while a script runs.
#[derive(Clone, Debug)]
pub(crate) enum Val {
    Data(Value),
    /// A number without a suffix becomes what the parameter asks for.
    Number(Number),
    /// In the server: the variable and its type.
    Var(String, String),
    Tuple(Vec<Val>),
    Record(Vec<(String, Val)>),
    Array(Vec<Val>),
    /// An entry point, and its first arguments.
    Function(String, Vec<Val>),
}

/// Evaluates scripts on a server.
pub(crate) struct Evaluator<'a> {
    server: &'a mut Connection,
    places: &'a Places<'a>,
    /// How many variables were named.
    named: usize,
    /// Variables of the server that were named and not freed.
    live: Vec<String>,
    scope: Vec<(String, Val)>,
    /// What entry points printed, such as traces.
    log: Vec<String>,
}

pub(crate) fn wrong<T>(message: impl Into<String>) -> Res<T> {
    Err(ScriptError::Script(message.into()))
}

impl<'a> Evaluator<'a> {
    /// An evaluator that knows the program's functions only.
    pub(crate) fn new(server: &'a mut Connection, places: &'a Places<'a>) -> Evaluator<'a> {
        Evaluator { server, places, named: 0, live: vec![], scope: vec![], log: vec![] }
    }

    /// Frees all values; what entry points printed.
    pub(crate) fn finish(mut self) -> Vec<String> {
        for variable in std::mem::take(&mut self.live) {
            // Some were named for a command that then failed.
            let _ = self.server.free(&[&variable]);
        }
        self.log
    }

    fn last_of(&mut self, scripts: &[Exp], format: Format) -> Res<Vec<u8>> {
        let mut last = Val::Tuple(vec![]);
        for script in scripts {
            last = self.exp(script)?;
        }
        match format {
            Format::Text => Ok(format!("{}\n", self.text(&last)?).into_bytes()),
            Format::Binary => self.binary(&last),
        }
    }

    /// The value of an expression.
    pub(crate) fn exp(&mut self, e: &Exp) -> Res<Val> {
        match e {
            Exp::Const(v) => Ok(Val::Data(v.clone())),
            Exp::Number(number) => Ok(Val::Number(number.clone())),
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
                Some((_, Val::Function(entry, first))) => {
                    let args = [first.clone(), args].concat();
                    let entry = entry.clone();
                    self.call(&entry, args)
                }
                Some(_) => wrong(format!("{name} is no function")),
                None => self.call(name, args),
            },
        }
    }

    /// The result of a function that is a value.
    pub(crate) fn apply_value(&mut self, function: &Val, arg: Val) -> Res<Val> {
        match function {
            Val::Function(entry, first) => {
                let (entry, mut args) = (entry.clone(), first.clone());
                args.push(arg);
                self.call(&entry, args)
            }
            Val::Data(_) | Val::Number(_) | Val::Var(..) | Val::Tuple(_) | Val::Record(_) | Val::Array(_) => {
                wrong("a value that is no function is applied")
            }
        }
    }

    /// Frees a value of the server.
    pub(crate) fn free(&mut self, v: &Val) -> Res<()> {
        match v {
            Val::Var(variable, _) => {
                self.live.retain(|live| live != variable);
                Ok(self.server.free(&[variable])?)
            }
            Val::Tuple(vs) | Val::Array(vs) => vs.iter().try_for_each(|v| self.free(v)),
            Val::Record(fields) => fields.iter().try_for_each(|(_, v)| self.free(v)),
            Val::Data(_) | Val::Number(_) | Val::Function(..) => Ok(()),
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
        if args.len() < types.len() {
            return Ok(Val::Function(entry.to_owned(), args));
        }
        if args.len() > types.len() {
            let (n, given) = (types.len(), args.len());
            return wrong(format!("{entry} takes {n} arguments, but gets {given}"));
        }
        let inputs = args.iter().zip(&types).map(|(v, t)| {
            self.variable(v, &t.name).map_err(|e| match e {
                ScriptError::Script(message) => ScriptError::Script(format!(
                    "in an argument of {entry}, which takes {}: {message}",
                    t.name
                )),
                ScriptError::Server(_) => e,
            })
        });
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
        match self.server.call(entry, &names, &inputs) {
            Ok(report) => self.log.extend(report.log),
            Err(e) => {
                if let ServerError::Failure { log, .. } = &e {
                    let said = log.iter().filter(|line| !line.starts_with("runtime:"));
                    self.log.extend(said.cloned());
                }
                return Err(e.into());
            }
        }
        let mut results: Vec<Val> = outputs.into_iter().map(|(v, t)| Val::Var(v, t)).collect();
        Ok(if tuple { Val::Tuple(results) } else { results.remove(0) })
    }

    /// The components of a tuple of so many; anything else stays as it is.
    pub(crate) fn spread(&mut self, v: Val, count: usize) -> Res<Vec<Val>> {
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
            | Val::Number(_)
            | Val::Var(..)
            | Val::Tuple(_)
            | Val::Record(_)
            | Val::Array(_)
            | Val::Function(..)) => Ok(vec![v]),
        }
    }

    /// The components of a tuple; anything else is its only one.
    pub(crate) fn components(&mut self, v: &Val) -> Res<Vec<Val>> {
        match v {
            Val::Tuple(vs) => Ok(vs.clone()),
            Val::Var(_, t) => {
                let count = self.tuple_fields(t)?.len();
                self.spread(v.clone(), count)
            }
            Val::Data(_) | Val::Number(_) | Val::Record(_) | Val::Array(_) | Val::Function(..) => {
                Ok(vec![v.clone()])
            }
        }
    }

    /// The fields of a record that is no tuple; `None` of anything else.
    pub(crate) fn named_fields(&mut self, v: &Val) -> Res<Option<Vec<(String, Val)>>> {
        match v {
            Val::Record(fields) => Ok(Some(fields.clone())),
            Val::Var(var, t) => {
                if scalar_of(t).is_some() || self.server.kind(t)? != Kind::Record {
                    return Ok(None);
                }
                if !self.tuple_fields(t)?.is_empty() {
                    return Ok(None);
                }
                let fields = self.server.fields(t)?.into_iter();
                let fields = fields.map(|(f, t)| Ok((f.clone(), self.project(var, &f, t)?)));
                Ok(Some(fields.collect::<Res<_>>()?))
            }
            Val::Data(_) | Val::Number(_) | Val::Tuple(_) | Val::Array(_) | Val::Function(..) => Ok(None),
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
            Val::Data(_) | Val::Number(_) | Val::Array(_) | Val::Function(..) => {
                wrong(format!("field {field} of no record"))
            }
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
            Val::Data(_)
            | Val::Number(_)
            | Val::Tuple(_)
            | Val::Record(_)
            | Val::Array(_)
            | Val::Function(..) => wrong("an index does not fit what it is applied to"),
        }
    }

    fn fresh(&mut self) -> String {
        self.named += 1;
        let name = format!("script{}", self.named);
        self.live.push(name.clone());
        name
    }
}
