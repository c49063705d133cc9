//! Running programs without compiling them to C: the interpreter of the core IR, on data as files hold it.
//!
//! In: a checked program, an entry point, values. Out: values, or the program's error. The program is
//! interpreted as lowering leaves it, before any optimisation. [`Interpreted::run`] speaks the language of
//! data files; [`Interpreted::print`] reads and prints what the executable reads and prints (`written`);
//! [`Interpreted::evaluate`] gives a value of any type, for people to read (`shaped`).

mod shaped;
mod stops;
mod written;

use crate::compile::Settings;
use crate::front::Front;
use crate::pipelines;
use fehu_base::prim::{PrimValue, ScalarType};
use fehu_base::{Diagnostic, SourceMap};
use fehu_data::{Data, Reader, Value};
pub use fehu_ir::interp::Failure;
pub use shaped::Shaped;
pub use stops::Variable;

use fehu_ir::interp::{self, run_entry, NanWatch, Trace};
use fehu_ir::{Attr, EntryPoint, EntryType, Loc, OpaqueType, Prog, Soacs};
use std::sync::atomic::AtomicBool;
use std::sync::Arc;

/// A program that is ready to be interpreted.
#[derive(Debug)]
pub struct Interpreted {
    prog: Prog<Soacs>,
    options: interp::Options,
    /// For the places of errors.
    sources: SourceMap,
}

/// Why an entry point has no results.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Stopped {
    /// The program ended with an error.
    Error(String),
    /// The interpreter cannot do it.
    Beyond(String),
}

/// Gets a program ready.
pub fn interpreted(front: &Front, settings: &Settings) -> Result<Interpreted, Vec<Diagnostic>> {
    let prog = pipelines::lower(front, settings).map_err(|stop| stop.diagnostics())?;
    let options = interp::Options { memory_bytes: memory_bytes(), ..interp::Options::default() };
    Ok(Interpreted { prog, options, sources: front.sources.clone() })
}

/// The machine's memory, as Linux says it; on other systems nothing is known.
fn memory_bytes() -> usize {
    let about = std::fs::read_to_string("/proc/meminfo").unwrap_or_default();
    let total = about.lines().find_map(|line| line.strip_prefix("MemTotal:")?.strip_suffix("kB"));
    let kilobytes = total.and_then(|text| text.trim().parse::<usize>().ok());
    kilobytes.map_or(usize::MAX, |n| n.saturating_mul(1024))
}

impl Interpreted {
    /// Lets programs run for so many statements.
    pub fn at_most(mut self, statements: u64) -> Interpreted {
        self.options.steps = statements;
        self
    }

    /// Lets programs end soon after this is set.
    pub fn interrupted_by(mut self, interrupt: Arc<AtomicBool>) -> Interpreted {
        self.options.interrupt = interrupt;
        self
    }

    /// Gives the places, tags and texts of values that the program traces to `show`.
    pub fn traced(mut self, show: impl Fn(&Loc, Option<&str>, &str) + Send + Sync + 'static) -> Interpreted {
        self.options.trace = Some(Trace(Arc::new(move |loc, attrs, value| {
            for (scalar, tag) in attrs.iter().filter_map(trace_attr) {
                if let Some(text) = shaped::leaf(scalar, value).map(|v| v.line()) {
                    show(loc, tag, &text);
                }
            }
        })));
        self
    }

    /// Calls `stop` wherever the program stops, with the variables in scope. The program must have been
    /// lowered with stops.
    pub fn stopping(mut self, stop: impl Fn(&Loc, Vec<Variable>) + Send + Sync + 'static) -> Interpreted {
        let inner = self.options.trace.take();
        self.options.trace = Some(stops::watch(self.prog.opaques.clone(), inner, stop));
        self
    }

    /// Calls `found` wherever an operation makes a NaN of operands that are none, with these operands.
    pub fn watching_nans(
        mut self,
        found: impl Fn(&Loc, &[PrimValue]) + Send + Sync + 'static,
    ) -> Interpreted {
        self.options.nan = Some(NanWatch(Arc::new(found)));
        self
    }

    /// The value of an entry point without parameters.
    pub fn evaluate(&self, entry: &str) -> Result<Shaped, Failure> {
        let Some(face) = self.face(entry) else {
            return Err(Failure::Stuck(format!("there is no entry point {entry}")));
        };
        let results = run_entry(&self.prog, entry, vec![], &self.options)?;
        let leaves = results.get(face.size_results..).unwrap_or(&[]);
        shaped::shaped(&self.prog.opaques, &face.result.ty, leaves)
            .ok_or_else(|| Failure::Stuck("its result does not have the type that it should".into()))
    }

    fn face(&self, entry: &str) -> Option<&EntryPoint> {
        let mut faces = self.prog.funs.iter().filter_map(|f| f.entry.as_ref());
        faces.find(|e| e.name.as_str() == entry)
    }

    /// Runs an entry point. A tuple is its components.
    pub fn run(&self, entry: &str, args: &[Value]) -> Result<Vec<Value>, Stopped> {
        let face = self.entry(entry)?;
        let results = self.call(face, arguments(face, args)?)?;
        let types = self.result_types(face)?;
        let values: Option<Vec<Value>> =
            results.iter().zip(types).map(|(value, t)| data_value(value, t)).collect();
        values.ok_or_else(no_such_results)
    }

    /// Runs an entry point on the text or binary data that an executable reads, and gives what it prints: a
    /// text for each component of a tuple, or one.
    pub fn print(&self, entry: &str, input: &[u8]) -> Result<Vec<String>, Stopped> {
        let face = self.entry(entry)?;
        let results = self.call(face, self.read_arguments(face, input)?)?;
        let mut scalars = vec![];
        let scalars = shaped::scalars_of(&self.prog.opaques, &face.result.ty, &mut scalars).map(|()| scalars);
        let leaves = scalars.and_then(|scalars| {
            results.iter().zip(scalars).map(|(value, t)| data_value(value, t)).collect::<Option<Vec<_>>>()
        });
        leaves
            .and_then(|leaves| written::written(&self.prog.opaques, &face.result.ty, leaves))
            .ok_or_else(no_such_results)
    }

    fn entry(&self, entry: &str) -> Result<&EntryPoint, Stopped> {
        self.face(entry).ok_or_else(|| Stopped::Error(format!("there is no entry point {entry}")))
    }

    /// The flat results of a call with flat arguments.
    fn call(&self, face: &EntryPoint, args: Vec<interp::Value>) -> Result<Vec<interp::Value>, Stopped> {
        let entry = face.name.as_str();
        if !interp::sizes_agree(&self.prog, entry, &args) {
            return Err(Stopped::Error("Error: entry point arguments have invalid sizes.".into()));
        }
        let results = run_entry(&self.prog, entry, args, &self.options).map_err(|e| match e {
            Failure::Assert { message, loc } => {
                Stopped::Error(format!("Error: {message}\n\n{}", self.backtrace(&loc)))
            }
            Failure::Stuck(message) | Failure::Overwritten(message) => Stopped::Beyond(message),
            Failure::TooLong => Stopped::Beyond("it takes too many steps".into()),
            Failure::Interrupted => Stopped::Beyond("it was interrupted".into()),
        })?;
        Ok(results.into_iter().skip(face.size_results).collect())
    }

    /// Reads the arguments one after the other, as executables do; those of a record are its fields.
    fn read_arguments(&self, face: &EntryPoint, input: &[u8]) -> Result<Vec<interp::Value>, Stopped> {
        let mut reader = Reader::new(input);
        let mut args = vec![];
        for (i, param) in face.params.iter().enumerate() {
            let failed = |why: &str| {
                let t = written::type_name(&param.ty);
                Stopped::Error(format!("Cannot read input #{i} of type {t}: {why}."))
            };
            let Some(leaves) = written::read_as(&self.prog.opaques, &param.ty) else {
                return Err(failed("such values have no external representation"));
            };
            for (t, rank) in leaves {
                let value = reader.value_of(t, rank).map_err(|e| failed(&e.message))?;
                args.push(flat_value(t, &value)?);
            }
        }
        if !reader.at_end() {
            let name = face.name;
            return Err(Stopped::Error(format!("Expected EOF on stdin after reading input for \"{name}\".")));
        }
        Ok(args)
    }

    /// The place of an error, and the calls that led there, as compiled programs print them.
    fn backtrace(&self, loc: &Loc) -> String {
        let places = fehu_codegen::backtrace(&self.sources, loc);
        let shown = places.iter().enumerate().map(|(i, place)| {
            let arrow = if i == 0 { "->" } else { "  " };
            format!("{arrow} {:<3} {place}", format!("#{i}"))
        });
        format!("Backtrace:\n{}", shown.collect::<Vec<_>>().join("\n"))
    }

    /// The types of the elements of each result.
    fn result_types(&self, face: &EntryPoint) -> Result<Vec<ScalarType>, Stopped> {
        let types = match &face.result.ty {
            EntryType::Transparent(t, _) => Some(vec![*t]),
            EntryType::Opaque(name) => {
                self.prog.opaques.types.iter().find(|(n, _)| n == name).and_then(|(_, t)| {
                    let OpaqueType::Record(fields) = t else { return None };
                    let tuple =
                        fields.iter().enumerate().all(|(i, (name, _))| name.as_str() == i.to_string());
                    let of = |t: &EntryType| match t {
                        EntryType::Transparent(t, _) => Some(*t),
                        EntryType::Opaque(_) => None,
                    };
                    if tuple {
                        fields.iter().map(|(_, t)| of(t)).collect()
                    } else {
                        None
                    }
                })
            }
        };
        types.ok_or_else(|| Stopped::Beyond("its result cannot be written to a file".into()))
    }
}

/// The type and tag of `trace(type, tag)`.
fn trace_attr(attr: &Attr) -> Option<(ScalarType, Option<&str>)> {
    let Attr::Comp(name, args) = attr else { return None };
    let atom = |i: usize| match args.get(i) {
        Some(Attr::Atom(text)) => Some(text.as_str()),
        Some(Attr::Int(_) | Attr::Comp(..)) | None => None,
    };
    (name.as_str() == "trace").then_some(())?;
    Some((ScalarType::named(atom(0)?)?, atom(1)))
}

/// The arguments of an entry point, which must have the types of its parameters.
fn arguments(face: &EntryPoint, args: &[Value]) -> Result<Vec<interp::Value>, Stopped> {
    if args.len() != face.params.len() {
        let (wanted, given) = (face.params.len(), args.len());
        return Err(Stopped::Error(format!("it takes {wanted} arguments, but gets {given}")));
    }
    let one = |(param, value): (&fehu_ir::EntryParam, &Value)| match &param.ty {
        EntryType::Transparent(t, rank) if *t == value.scalar_type() && *rank == value.rank() => {
            flat_value(*t, value)
        }
        EntryType::Transparent(t, rank) => {
            let wanted = format!("{}{t}", "[]".repeat(*rank));
            Err(Stopped::Error(format!(
                "an argument of type {} stands where {wanted} is expected",
                value.value_type()
            )))
        }
        EntryType::Opaque(name) => Err(Stopped::Beyond(format!("an argument of type {name} is in no file"))),
    };
    face.params.iter().zip(args).map(one).collect()
}

/// An argument as the interpreter has it.
fn flat_value(t: ScalarType, value: &Value) -> Result<interp::Value, Stopped> {
    let elements = (0..value.data().len()).filter_map(|i| value.data().get(i)).collect();
    interp::Value::of_shape(t.prim(), value.shape().to_vec(), elements)
        .ok_or_else(|| Stopped::Beyond("an argument cannot be read".into()))
}

fn no_such_results() -> Stopped {
    Stopped::Beyond("its results do not have the types that they should".into())
}

/// A result as files hold it.
fn data_value(value: &interp::Value, t: ScalarType) -> Option<Value> {
    let mut data = Data::empty(t);
    match value {
        interp::Value::Prim(v) => Value::from_prim(t, *v),
        interp::Value::Array(a) => {
            a.data.iter().all(|v| data.push(*v)).then(|| Value::new(a.shape.clone(), data)).flatten()
        }
        interp::Value::Acc(_) | interp::Value::Mem(_) => None,
    }
}
