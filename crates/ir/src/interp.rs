//! A reference interpreter of the IR: what a program means, in the simplest way.
//!
//! It runs any representation, one statement after the other (segmented operations too), and is the oracle
//! for passes: a program must give the same before and after.
//!
//! Memory is ignored, unless [`Options::heap`] asks to watch it: see `heap`.
//!
//! It trusts nothing it can check: every value bound is compared with the type of its name, sizes included;
//! indices are compared with shapes; what was consumed is gone. What the program itself checks ends it with
//! [`Failure::Assert`], what should not happen with [`Failure::Stuck`].
//!
//! Start at [`run_entry`], which finds sizes in the shapes of arguments, or [`run_fun`]. `value` holds
//! values, `exp` expressions, `soac` and `seg` the operations.

mod exp;
mod heap;
mod math;
pub mod samples;
mod seg;
mod soac;
#[cfg(test)]
mod tests;
mod value;

pub use value::{ArrayValue, Value};

use crate::print::print_stm;
use crate::rep::Rep;
use crate::seg::SegGrid;
use crate::syntax::*;
use crate::visit::deep;
use fehu_base::prim::{PrimType, PrimValue};
use fehu_base::{Name, Symbol};
use rustc_hash::FxHashMap;
use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::Arc;

/// Why a program did not end well.
#[derive(Clone, PartialEq, Debug)]
pub enum Failure {
    /// A check of the program failed.
    Assert {
        /// The message, values filled in.
        message: String,
        /// Where the check is.
        loc: Loc,
    },
    /// The program asks for what makes no sense, or is beyond this interpreter.
    Stuck(String),
    /// The memory of an array holds something else than the array.
    Overwritten(String),
    /// It took more steps than were allowed.
    TooLong,
    /// Somebody wanted it to end.
    Interrupted,
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Failure::Assert { message, .. } => write!(f, "check failed: {message}"),
            Failure::Stuck(message) | Failure::Overwritten(message) => write!(f, "stuck: {message}"),
            Failure::TooLong => f.write_str("too many steps"),
            Failure::Interrupted => f.write_str("interrupted"),
        }
    }
}

impl std::error::Error for Failure {}

type Run<T> = Result<T, Failure>;

/// What the machine and the tuning are taken to be, and how long to go on.
#[derive(Clone, Debug)]
pub struct Options {
    /// The value of every threshold.
    pub threshold: i64,
    /// Threads in a block.
    pub block_size: i64,
    /// Blocks in a grid.
    pub grid_size: i64,
    /// Sides of tiles, in shared memory and in registers.
    pub tile_size: i64,
    /// Bytes of shared memory.
    pub shared_memory: i64,
    /// Bytes of device memory for the arrays of all threads of a kernel.
    pub thread_memory: i64,
    /// How many statements may be run.
    pub steps: u64,
    /// How many bytes an array may take in the interpreter. Reserving memory succeeds for more than there is.
    pub memory_bytes: usize,
    /// Set to end the program.
    pub interrupt: Arc<AtomicBool>,
    /// Whether to check that every array is where its place says; for programs over `Memory`.
    pub heap: bool,
    /// Who is called with each value that the program traces.
    pub trace: Option<Trace>,
    /// Who is called when an operation makes a NaN of operands that are none.
    pub nan: Option<NanWatch>,
}

/// What to do where a NaN comes into being: gets the statement's place, and the operands.
#[derive(Clone)]
#[allow(clippy::type_complexity, reason = "it is written once, here")]
pub struct NanWatch(pub Arc<dyn Fn(&Loc, &[PrimValue]) + Send + Sync>);

impl fmt::Debug for NanWatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("NanWatch")
    }
}

/// What to do with traced values: gets the statement's place and attributes, and the value.
#[derive(Clone)]
#[allow(clippy::type_complexity, reason = "it is written once, here")]
pub struct Trace(pub Arc<dyn Fn(&Loc, &[Attr], &Value) + Send + Sync>);

impl fmt::Debug for Trace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Trace")
    }
}

impl Default for Options {
    fn default() -> Options {
        Options {
            threshold: 32768,
            block_size: 8,
            grid_size: 4,
            tile_size: 4,
            shared_memory: 49152,
            thread_memory: 1 << 30,
            steps: 100_000_000,
            memory_bytes: usize::MAX,
            interrupt: Arc::default(),
            heap: false,
            trace: None,
            nan: None,
        }
    }
}

/// Runs an entry point on the values of its parameters, without the sizes.
pub fn run_entry<R: Rep>(
    prog: &Prog<R>,
    entry: &str,
    args: Vec<Value>,
    options: &Options,
) -> Result<Vec<Value>, Failure> {
    let is_entry = |f: &&FunDef<R>| f.entry.as_ref().is_some_and(|e| e.name == Symbol::new(entry));
    let Some(fun) = prog.funs.iter().find(is_entry) else {
        return stuck(format!("there is no entry point {entry}"));
    };
    let mut machine = Machine::new(prog, options)?;
    let sizes = fun.entry.as_ref().map_or(0, |e| e.size_params);
    let mut all = vec![];
    let is_block = |p: &&Param<R>| matches!(p.ty, Type::Mem(_));
    for p in fun.params.iter().take(sizes) {
        let found = fun.params.iter().skip(sizes).filter(|p| !is_block(p)).zip(&args).find_map(|(q, arg)| {
            let dim = q.ty.shape().iter().position(|e| *e == SubExp::Var(p.name))?;
            arg.array()?.shape.get(dim).copied()
        });
        match found {
            Some(n) => all.push(Value::i64(n as i64)),
            None => return stuck(format!("the size {} is in no argument", prog.names.show(p.name))),
        }
    }
    // The block of an array comes before it.
    let mut args = args.into_iter().peekable();
    for p in fun.params.iter().skip(sizes) {
        if is_block(&p) {
            let block = match (&mut machine.heap, args.peek()) {
                (Some(heap), Some(Value::Array(a))) => heap.filled(a),
                _ => 0,
            };
            all.push(Value::Mem(block));
        } else {
            all.extend(args.next());
        }
    }
    all.extend(args);
    let results = machine.call(fun.name, all)?;
    Ok(results.into_iter().filter(|v| !matches!(v, Value::Mem(_))).collect())
}

/// Whether the sizes of the arguments of an entry point are those of its parameters, where these name the
/// same size or say which it is.
pub fn sizes_agree<R: Rep>(prog: &Prog<R>, entry: &str, args: &[Value]) -> bool {
    let is_entry = |f: &&FunDef<R>| f.entry.as_ref().is_some_and(|e| e.name == Symbol::new(entry));
    let Some(fun) = prog.funs.iter().find(is_entry) else { return true };
    let sizes = fun.entry.as_ref().map_or(0, |e| e.size_params);
    let params = fun.params.iter().skip(sizes).filter(|p| !matches!(p.ty, Type::Mem(_)));
    let params: Vec<_> = params.zip(args).collect();
    let scalars = params.iter().filter_map(|(p, arg)| Some((p.name, arg.to_i64().ok()?)));
    let mut known: FxHashMap<Name, i64> = scalars.collect();
    params.iter().filter_map(|(p, arg)| Some((p.ty.shape(), arg.array()?))).all(|(wanted, array)| {
        wanted.iter().zip(&array.shape).all(|(size, found)| match size {
            SubExp::Var(name) => *known.entry(*name).or_insert(*found as i64) == *found as i64,
            SubExp::Const(size) => size.as_i64() == Some(*found as i64),
        })
    })
}

/// Runs a function on all its arguments.
pub fn run_fun<R: Rep>(
    prog: &Prog<R>,
    fun: Name,
    args: Vec<Value>,
    options: &Options,
) -> Result<Vec<Value>, Failure> {
    Machine::new(prog, options)?.call(fun, args)
}

/// The values of names. Names are unique, so one table serves a whole run of a function.
type Env = FxHashMap<Name, Value>;

/// Arrays that are being accumulated into.
struct Accumulator<'a, R: Rep> {
    shape: Vec<usize>,
    arrays: Vec<ArrayValue>,
    /// The operator, with the values of what is free in it.
    op: Option<(&'a Lambda<R>, Env)>,
}

struct Machine<'a, R: Rep> {
    prog: &'a Prog<R>,
    funs: FxHashMap<Name, &'a FunDef<R>>,
    consts: Env,
    accs: Vec<Accumulator<'a, R>>,
    /// The accumulator of each token.
    tokens: FxHashMap<Name, usize>,
    options: Options,
    steps: u64,
    /// How the operation at level `Block` that we are in was launched, and which block is running.
    block: Option<(&'a SegGrid, i64)>,
    /// Memory, if it is watched.
    heap: Option<heap::Heap>,
}

impl<'a, R: Rep> Machine<'a, R> {
    fn new(prog: &'a Prog<R>, options: &Options) -> Run<Machine<'a, R>> {
        let mut machine = Machine {
            prog,
            funs: prog.funs.iter().map(|f| (f.name, f)).collect(),
            consts: Env::default(),
            accs: vec![],
            tokens: FxHashMap::default(),
            options: options.clone(),
            steps: 0,
            block: None,
            heap: options.heap.then(|| heap::Heap::of(prog)),
        };
        let mut env = Env::default();
        machine.body(&mut env, &prog.consts)?;
        machine.consts = env;
        Ok(machine)
    }

    fn call(&mut self, fun: Name, args: Vec<Value>) -> Run<Vec<Value>> {
        let Some(fun) = self.funs.get(&fun).copied() else {
            return stuck(format!("there is no function {}", self.prog.names.show(fun)));
        };
        let mut env = Env::default();
        self.bind_params(&mut env, &fun.params, args)?;
        let result = self.body_and_results(&mut env, &fun.body)?;
        for (ret, value) in fun.ret.iter().zip(&result) {
            if let RetType::Array { elem, shape, .. } = &ret.ty {
                let size = |s: &ExtSize| match s {
                    ExtSize::Free(e) => self.i64(&env, *e),
                    ExtSize::Ext(k) => result.get(*k).map_or_else(|| stuck("no such result"), Value::to_i64),
                };
                let shape = shape.iter().map(size).collect::<Run<Vec<i64>>>()?;
                value.expect_array(*elem, &sizes(shape)?)?;
            }
        }
        Ok(result)
    }

    fn body(&mut self, env: &mut Env, body: &'a Body<R>) -> Run<Vec<Value>> {
        deep(|| {
            for stm in &body.stms {
                self.stm(env, stm)?;
            }
            body.result.iter().map(|e| self.operand(env, *e)).collect()
        })
    }

    /// Counts a statement, or an iteration that may have none.
    fn step(&mut self) -> Run<()> {
        self.steps += 1;
        if self.steps > self.options.steps {
            return Err(Failure::TooLong);
        }
        match self.options.interrupt.load(Ordering::Relaxed) {
            true => Err(Failure::Interrupted),
            false => Ok(()),
        }
    }

    fn stm(&mut self, env: &mut Env, stm: &'a Stm<R>) -> Run<()> {
        self.step()?;
        if self.notes_what_is_gone(env, stm) {
            return Ok(());
        }
        self.run_stm(env, stm).map_err(|failure| match failure {
            Failure::Stuck(message) => Failure::Stuck(self.at_statement(stm, message)),
            Failure::Overwritten(message) => Failure::Overwritten(self.at_statement(stm, message)),
            Failure::Assert { .. } | Failure::TooLong | Failure::Interrupted => failure,
        })
    }

    /// Whether a statement only says what a variable is where the program stops (see `fehu_lower`'s `stops`),
    /// and that is consumed.
    fn notes_what_is_gone(&self, env: &Env, stm: &Stm<R>) -> bool {
        let note = |a: &Attr| matches!(a, Attr::Comp(name, _) if name.as_str() == "break");
        let Exp::Basic(Basic::Opaque(e)) = &stm.exp else { return false };
        stm.attrs.iter().any(note) && self.operand(env, *e).is_err()
    }

    /// A message with the innermost statement that it is about.
    fn at_statement(&self, stm: &Stm<R>, message: String) -> String {
        if message.contains('`') {
            return message;
        }
        let text = print_stm(&self.prog.names, stm);
        let line = text.lines().next().unwrap_or_default().replace('`', "'");
        format!("`{line}`: {message}")
    }

    fn run_stm(&mut self, env: &mut Env, stm: &'a Stm<R>) -> Run<()> {
        self.check_operands(env, stm)?;
        let mut values = self.exp(env, stm)?;
        if let (Exp::Basic(Basic::ArrayConst(_)), [block, _]) = (&stm.exp, &stm.pat[..]) {
            // Constant data comes with its block.
            if matches!(block.ty, Type::Mem(_)) {
                let block = self.heap.as_mut().map_or(0, |h| h.allocate(i64::MAX));
                values.insert(0, Value::Mem(block));
            }
        }
        if values.len() != stm.pat.len() {
            return stuck(format!("{} values for {} names", values.len(), stm.pat.len()));
        }
        for (p, v) in stm.pat.iter().zip(values) {
            env.insert(p.name, v);
        }
        stm.pat.iter().try_for_each(|p| self.has_type(env, p.name, &p.ty))?;
        self.settle(env, stm)
    }

    /// Binds arguments to parameters, whose types may mention each other.
    fn bind_params<'p>(
        &mut self,
        env: &mut Env,
        params: impl IntoIterator<Item = &'p Param<R>> + Clone,
        args: Vec<Value>,
    ) -> Run<()> {
        let count = params.clone().into_iter().count();
        if count != args.len() {
            return stuck(format!("{} arguments for {count} parameters", args.len()));
        }
        for (p, arg) in params.clone().into_iter().zip(args) {
            env.insert(p.name, arg);
        }
        params.into_iter().try_for_each(|p| self.has_type(env, p.name, &p.ty))
    }

    /// A body whose results are read at once.
    fn body_and_results(&mut self, env: &mut Env, body: &'a Body<R>) -> Run<Vec<Value>> {
        let result = self.body(env, body)?;
        body.result.iter().filter_map(|e| e.name()).try_for_each(|n| self.check(env, n))?;
        Ok(result)
    }

    fn lambda(&mut self, env: &mut Env, lambda: &'a Lambda<R>, args: Vec<Value>) -> Run<Vec<Value>> {
        self.bind_params(env, &lambda.params, args)?;
        let result = self.body_and_results(env, &lambda.body)?;
        if result.len() != lambda.ret.len() {
            return stuck(format!("{} results for {} types", result.len(), lambda.ret.len()));
        }
        Ok(result)
    }

    fn operand(&self, env: &Env, e: SubExp) -> Run<Value> {
        match e {
            SubExp::Const(v) => Ok(Value::Prim(v)),
            SubExp::Var(n) => self.name(env, n),
        }
    }

    fn operands(&self, env: &Env, es: &[SubExp]) -> Run<Vec<Value>> {
        es.iter().map(|e| self.operand(env, *e)).collect()
    }

    fn name(&self, env: &Env, n: Name) -> Run<Value> {
        match env.get(&n).or_else(|| self.consts.get(&n)) {
            Some(v) => Ok(v.clone()),
            None => stuck(format!("{} is unbound or consumed", self.prog.names.show(n))),
        }
    }

    fn array(&self, env: &Env, n: Name) -> Run<ArrayValue> {
        self.name(env, n)?.into_array()
    }

    /// Takes an array that is consumed: nobody else can use it, so it is changed in place.
    fn take(&self, env: &mut Env, n: Name) -> Run<ArrayValue> {
        match env.remove(&n) {
            Some(v) => v.into_array(),
            None => self.array(env, n),
        }
    }

    fn prim(&self, env: &Env, e: SubExp) -> Run<PrimValue> {
        self.operand(env, e)?.to_prim()
    }

    fn i64(&self, env: &Env, e: SubExp) -> Run<i64> {
        self.operand(env, e)?.to_i64()
    }

    fn size(&self, env: &Env, e: SubExp) -> Run<usize> {
        self.operand(env, e)?.to_size()
    }

    /// The sizes of an array (see [`sizes`]).
    fn shape(&self, env: &Env, shape: &[SubExp]) -> Run<Vec<usize>> {
        sizes(shape.iter().map(|e| self.i64(env, *e)).collect::<Run<Vec<i64>>>()?)
    }

    /// The element type and shape of the rows of an array. There may be none, so that a negative size counts
    /// as 0: a row that is there has its own shape.
    fn row_layout(&self, env: &Env, ty: &Type) -> Run<(PrimType, Vec<usize>)> {
        match ty {
            Type::Prim(p) => Ok((*p, vec![])),
            Type::Array(p, shape) => {
                let size = |e: &SubExp| Ok(usize::try_from(self.i64(env, *e)?).unwrap_or(0));
                Ok((*p, shape.iter().map(size).collect::<Run<Vec<usize>>>()?))
            }
            Type::Acc(..) | Type::Mem(_) => stuck("a value was expected"),
        }
    }

    /// Checks that the value of a name has its type.
    fn has_type(&self, env: &Env, name: Name, ty: &Type) -> Run<()> {
        let value = self.name(env, name)?;
        let result = match (ty, &value) {
            (Type::Prim(p), Value::Prim(v)) if v.prim_type() == *p => Ok(()),
            (Type::Array(p, shape), _) => value.expect_array(*p, &self.shape(env, shape)?),
            (Type::Acc(..), Value::Acc(_)) | (Type::Mem(_), Value::Mem(_)) => Ok(()),
            (Type::Prim(_) | Type::Acc(..) | Type::Mem(_), _) => stuck(format!("has the value {value}")),
        };
        result.map_err(|failure| match failure {
            Failure::Stuck(message) => Failure::Stuck(format!("{}: {message}", self.prog.names.show(name))),
            Failure::Assert { .. } | Failure::Overwritten(_) | Failure::TooLong | Failure::Interrupted => {
                failure
            }
        })
    }
}

/// The sizes of an array. One without elements may have other sizes of any sign, which count as 0: a check of
/// its rows' size is only made by who makes a row.
fn sizes(sizes: Vec<i64>) -> Run<Vec<usize>> {
    let empty = sizes.contains(&0);
    let size = |n: &i64| match usize::try_from(*n) {
        Ok(n) => Ok(n),
        Err(_) if empty => Ok(0),
        Err(_) => stuck(format!("{n} is no size")),
    };
    sizes.iter().map(size).collect()
}

fn stuck<T>(message: impl Into<String>) -> Run<T> {
    Err(Failure::Stuck(message.into()))
}
