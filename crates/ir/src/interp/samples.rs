//! Arguments made up for the entry points of a program, and whether two runs ended alike: what tests of passes need.

use super::{Failure, Value};
use crate::syntax::*;
use crate::Soacs;
use fehu_base::prim::{PrimType, PrimValue, ScalarType};
use fehu_base::{Name, Symbol};
use rustc_hash::FxHashMap;

/// A run of an entry point: its name, and its arguments without sizes.
pub type Run = (String, Vec<Value>);

/// A few runs of each entry point: some with all arrays of one size and some with random sizes.
pub fn runs(prog: &Prog<Soacs>) -> Vec<Run> {
    let mut all = vec![];
    for fun in &prog.funs {
        let Some(entry) = &fun.entry else { continue };
        let regular = [(3, 5), (0, 2), (2, 0), (4, 3)].map(|(size, first)| regular(fun, entry, size, first));
        let random = [1, 2, 3].map(|seed| random(fun, entry, seed * 7919));
        let args = regular.into_iter().chain(random).flatten();
        all.extend(args.map(|args| (entry.name.to_string(), args)));
    }
    all
}

/// All arrays have one size, and so has each `i64`; of two numbers, the second is another.
fn regular(fun: &FunDef<Soacs>, entry: &EntryPoint, size: i64, first: i64) -> Option<Vec<Value>> {
    let params = &fun.params[entry.size_params..];
    let mut next = first - 1;
    let mut number = |t: PrimType| {
        next = (next * 7 + 4) % 11;
        match t {
            PrimType::Int(t) => PrimValue::int(t, next % 4),
            PrimType::Float(t) => PrimValue::float(t, next as f64),
            PrimType::Bool => PrimValue::Bool(next % 2 == 0),
            PrimType::Unit => PrimValue::Unit,
        }
    };
    let pair = params.len() == 2 && params.iter().all(|p| p.ty == Type::I64);
    let value = |(i, p): (usize, &Param<Soacs>)| match &p.ty {
        Type::Prim(PrimType::I64) if pair => Some(Value::i64(if i == 0 { size } else { first })),
        Type::Prim(PrimType::I64) => Some(Value::i64(size)),
        Type::Prim(t) => Some(Value::Prim(number(*t))),
        Type::Array(t, shape) => {
            let sizes: Vec<usize> = shape.iter().map(|e| e.as_i64().unwrap_or(size) as usize).collect();
            let data = (0..sizes.iter().product()).map(|_| number(*t)).collect();
            Value::of_shape(*t, sizes, data)
        }
        Type::Acc(..) | Type::Mem(_) => None,
    };
    params.iter().enumerate().map(value).collect()
}

/// Sizes that have different names differ.
fn random(fun: &FunDef<Soacs>, entry: &EntryPoint, seed: u64) -> Option<Vec<Value>> {
    let random = &mut Random(seed);
    let mut sizes: FxHashMap<Name, i64> = FxHashMap::default();
    for n in fun.params.iter().flat_map(|p| p.ty.shape()).filter_map(|d| d.name()) {
        sizes.entry(n).or_insert_with(|| (random.next() % 6) as i64);
    }
    let size = |d: &SubExp| match d {
        SubExp::Var(n) => sizes.get(n).map(|n| *n as usize),
        SubExp::Const(v) => v.as_i64().map(|n| n as usize),
    };
    let value = |p: &Param<Soacs>| match &p.ty {
        Type::Prim(t) => Some(match sizes.get(&p.name) {
            Some(n) => Value::i64(*n),
            None => Value::Prim(random.prim(*t)),
        }),
        Type::Array(t, shape) => {
            let dims: Vec<usize> = shape.iter().map(size).collect::<Option<_>>()?;
            let data = (0..dims.iter().product()).map(|_| random.prim(*t)).collect();
            Value::of_shape(*t, dims, data)
        }
        Type::Acc(..) | Type::Mem(_) => None,
    };
    fun.params[entry.size_params..].iter().map(value).collect()
}

struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    fn prim(&mut self, t: PrimType) -> PrimValue {
        let v = (self.next() % 9) as i64 - 2;
        match t {
            PrimType::Int(t) => PrimValue::int(t, v),
            PrimType::Float(t) => PrimValue::float(t, v as f64 * 0.5),
            PrimType::Bool => PrimValue::Bool(v % 2 == 0),
            PrimType::Unit => PrimValue::Unit,
        }
    }
}

/// What a run must give after a pass.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Checks {
    /// The same; a check that failed fails.
    Kept,
    /// The same; a check that failed may be gone, if nothing depends on it.
    MayGo,
}

/// Whether a run ended after a pass as it must.
pub fn same(
    before: &Result<Vec<Value>, Failure>,
    after: &Result<Vec<Value>, Failure>,
    checks: Checks,
) -> bool {
    match (before, after) {
        (Ok(_), Ok(_)) => show(before) == show(after),
        (Err(Failure::Assert { .. }), Err(Failure::Assert { .. })) => true,
        (Err(Failure::Assert { .. }), Ok(_)) => checks == Checks::MayGo,
        // Nobody sees what a program that fails computes before.
        (Err(Failure::Assert { .. }), Err(Failure::Overwritten(_))) => true,
        (Err(Failure::TooLong | Failure::Interrupted | Failure::Stuck(_) | Failure::Overwritten(_)), _) => {
            true
        }
        (Ok(_) | Err(_), _) => false,
    }
}

/// How a run ended.
pub fn show(result: &Result<Vec<Value>, Failure>) -> String {
    match result {
        Ok(values) => values.iter().map(|v| v.to_string()).collect::<Vec<_>>().join(" "),
        Err(e) => e.to_string(),
    }
}

/// Makes the last function an entry point if there is none, so that it is not dead.
pub fn make_entry(prog: &mut Prog<Soacs>) {
    if prog.funs.iter().any(|f| f.entry.is_some()) {
        return;
    }
    let Some(fun) = prog.funs.last_mut() else { return };
    let in_shapes: Vec<Name> =
        fun.params.iter().flat_map(|p| p.ty.shape()).filter_map(|d| d.name()).collect();
    let size_params = fun.params.iter().take_while(|p| in_shapes.contains(&p.name)).count();
    let exts: Vec<ExtSize> = fun
        .ret
        .iter()
        .flat_map(|r| match &r.ty {
            RetType::Array { shape, .. } => shape.clone(),
            RetType::Prim(_) | RetType::Mem(_) => vec![],
        })
        .collect();
    let size_results = (0..).take_while(|k| exts.contains(&ExtSize::Ext(*k))).count();
    let params = fun.params.iter().skip(size_params).map(|p| EntryParam {
        name: None,
        ty: EntryType::Transparent(scalar(p.ty.elem()), p.ty.rank()),
        unique: p.consumed,
    });
    let values = fun.ret.iter().skip(size_results).map(|r| match &r.ty {
        RetType::Prim(t) => (scalar(Some(*t)), 0),
        RetType::Array { elem, shape, .. } => (scalar(Some(*elem)), shape.len()),
        RetType::Mem(_) => (ScalarType::Bool, 0),
    });
    prog.opaques.types.push(("result".into(), OpaqueType::Plain(values.collect())));
    fun.entry = Some(EntryPoint {
        name: Symbol::new("main"),
        doc: None,
        params: params.collect(),
        result: EntryResult { ty: EntryType::Opaque("result".into()), unique: false },
        size_params,
        size_results,
    });
}

fn scalar(t: Option<PrimType>) -> ScalarType {
    let all = ScalarType::ALL.into_iter();
    all.filter(|s| !s.is_unsigned()).find(|s| Some(s.prim()) == t).unwrap_or(ScalarType::Bool)
}
