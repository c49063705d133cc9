//! Programs as text, and runs of them on made-up arguments.

use fehu_base::prim::{PrimType, PrimValue, ScalarType};
use fehu_base::{Name, Symbol};
use fehu_ir::interp::{run_fun, Failure, Options, Value};
use fehu_ir::read::read_prog;
use fehu_ir::validate::validate;
use fehu_ir::{
    EntryParam, EntryPoint, EntryResult, EntryType, ExtSize, FunDef, OpaqueType, Prog, RetType, Soacs,
    SubExp, Type,
};
use std::collections::HashMap;
use std::path::{Path, PathBuf};

/// The files of a folder of tests, in order.
pub(crate) fn files(folder: &str) -> Vec<PathBuf> {
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests").join(folder);
    let mut all: Vec<PathBuf> = std::fs::read_dir(&dir)
        .unwrap_or_else(|e| panic!("{}: {e}", dir.display()))
        .filter_map(|e| Some(e.ok()?.path()))
        .filter(|p| p.extension().is_some_and(|e| e == "ir"))
        .collect();
    all.sort();
    assert!(!all.is_empty());
    all
}

/// A valid program from text in which lines that start with `--` say something about it.
pub(crate) fn program(file: &Path, text: &str) -> Prog<Soacs> {
    let text: String = text.lines().filter(|l| !l.starts_with("--")).map(|l| format!("{l}\n")).collect();
    let mut prog: Prog<Soacs> = read_prog(&text).unwrap_or_else(|e| panic!("{}: {e}", file.display()));
    make_entry(&mut prog);
    fehu_ir::mark::mark(&mut prog);
    assert_eq!(validate(&prog), Ok(()), "{}", file.display());
    prog
}

/// Makes the last function an entry point if there is none, so that it is not dead.
fn make_entry(prog: &mut Prog<Soacs>) {
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

/// What the entry points give on a few arguments each.
pub(crate) fn results(prog: &Prog<Soacs>) -> Vec<Result<Vec<Value>, Failure>> {
    let options = Options { steps: 50_000, ..Options::default() };
    let mut all = vec![];
    for fun in prog.funs.iter().filter(|f| f.entry.is_some()) {
        for seed in 1..6 {
            all.push(run_fun(prog, fun.name, arguments(&mut Random(seed * 7919), fun), &options));
        }
    }
    all
}

/// Panics unless everything that ended well before ends the same way now. A check that failed may be gone
/// if nothing depends on it, but nothing may be stuck.
#[track_caller]
pub(crate) fn assert_same(what: &str, before: &[Result<Vec<Value>, Failure>], prog: &Prog<Soacs>) {
    for (a, b) in before.iter().zip(results(prog)) {
        match (a, &b) {
            (Ok(x), Ok(y)) => {
                let text = |vs: &[Value]| vs.iter().map(|v| v.to_string()).collect::<Vec<_>>().join(" ");
                assert_eq!(text(x), text(y), "{what}");
            }
            (Ok(_), Err(e)) => panic!("{what}: {e}"),
            (Err(Failure::Stuck(_)), _) => {}
            (Err(_), Err(Failure::Stuck(e))) => panic!("{what}: stuck: {e}"),
            (Err(_), _) => {}
        }
    }
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

fn arguments(random: &mut Random, fun: &FunDef<Soacs>) -> Vec<Value> {
    let mut sizes: HashMap<Name, i64> = HashMap::new();
    for n in fun.params.iter().flat_map(|p| p.ty.shape()).filter_map(|d| d.name()) {
        sizes.entry(n).or_insert_with(|| (random.next() % 6) as i64);
    }
    let size = |d: &SubExp| match d {
        SubExp::Var(n) => sizes[n] as usize,
        SubExp::Const(v) => v.as_i64().unwrap_or(0) as usize,
    };
    let value = |p: &fehu_ir::Param<Soacs>| match &p.ty {
        Type::Prim(t) => match sizes.get(&p.name) {
            Some(n) => Value::i64(*n),
            None => Value::Prim(random.prim(*t)),
        },
        Type::Array(t, shape) => {
            let dims: Vec<usize> = shape.iter().map(size).collect();
            let data = (0..dims.iter().product()).map(|_| random.prim(*t)).collect();
            Value::of_shape(*t, dims, data).unwrap_or(Value::Mem(0))
        }
        Type::Acc(..) | Type::Mem(_) => Value::Mem(0),
    };
    fun.params.iter().map(value).collect()
}
