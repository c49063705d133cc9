//! The types of expressions, found from the types of names.
//!
//! Conditionals, loops, calls and filters may return arrays of sizes not known before,
//! so their types are those of the pattern that binds them: [`exp_types`]
//! gives `None`.

use crate::op::{OpView, RepOp};
use crate::rep::Rep;
use crate::seg::{KernelReturn, SegKind, SegOp, SizeOp};
use crate::soac::{Ad, AdMode, Screma, Soac};
use crate::syntax::*;
use crate::visit::{look, Visitor};
use fehu_base::prim::PrimType;
use fehu_base::Name;
use rustc_hash::{FxHashMap, FxHashSet};

/// The types of names. Names are unique, so one table can serve a whole program.
pub type Types = FxHashMap<Name, Type>;

/// The type of an operand; `None` for a name that is not in the table.
pub fn operand_type(types: &Types, e: SubExp) -> Option<Type> {
    match e {
        SubExp::Const(v) => Some(Type::Prim(v.prim_type())),
        SubExp::Var(n) => types.get(&n).cloned(),
    }
}

/// The types of what an expression returns; `None` for conditionals, loops, calls and filters (see the
/// module's text), and if the table does not know a name.
pub fn exp_types<R: Rep>(types: &Types, exp: &Exp<R>) -> Option<Vec<Type>> {
    let name = |n: &Name| types.get(n);
    let one = |t: Type| Some(vec![t]);
    match exp {
        Exp::Basic(Basic::SubExp(e) | Basic::Opaque(e)) => one(operand_type(types, *e)?),
        Exp::Basic(Basic::UnOp(op, _)) => one(Type::Prim(op.result_type())),
        Exp::Basic(Basic::BinOp(op, ..)) => one(Type::Prim(op.result_type())),
        Exp::Basic(Basic::CmpOp(op, ..)) => one(Type::Prim(op.result_type())),
        Exp::Basic(Basic::Conv(op, _)) => one(Type::Prim(op.result_type())),
        Exp::Basic(Basic::PrimFn(f, _)) => one(Type::Prim(f.signature().1)),
        Exp::Basic(Basic::Assert(..)) => one(Type::UNIT),
        Exp::Basic(Basic::ArrayLit(es, t)) => one(t.array_of(&[SubExp::i64(es.len() as i64)])),
        Exp::Basic(Basic::ArrayConst(data)) => {
            one(Type::Prim(data.elem).array_of(&[SubExp::i64(data.values.len() as i64)]))
        }
        Exp::Basic(Basic::Index(a, slice)) => one(Type::Prim(name(a)?.elem()?).array_of(&slice_shape(slice))),
        Exp::Basic(
            Basic::Update(a, ..) | Basic::FlatUpdate(a, ..) | Basic::Copy(a) | Basic::Manifest(_, a),
        ) => one(name(a)?.clone()),
        Exp::Basic(Basic::FlatIndex(a, _, dims)) => {
            let shape: Shape = dims.iter().map(|d| d.0).collect();
            one(Type::Prim(name(a)?.elem()?).array_of(&shape))
        }
        Exp::Basic(Basic::Iota { n, ty, .. }) => one(Type::Array(PrimType::Int(*ty), vec![*n])),
        Exp::Basic(Basic::Replicate(shape, e)) => one(operand_type(types, *e)?.array_of(shape)),
        Exp::Basic(Basic::Scratch(p, shape)) => one(Type::Prim(*p).array_of(shape)),
        Exp::Basic(Basic::Concat { dim, arrays, size }) => {
            let mut t = name(arrays.first()?)?.clone();
            if let Type::Array(_, shape) = &mut t {
                *shape.get_mut(*dim)? = *size;
            }
            one(t)
        }
        Exp::Basic(Basic::Rearrange(perm, a)) => {
            let t = name(a)?;
            let shape: Option<Shape> = perm.iter().map(|i| t.shape().get(*i).copied()).collect();
            one(Type::Prim(t.elem()?).array_of(&shape?))
        }
        Exp::Basic(Basic::Reshape(shape, a)) => one(Type::Prim(name(a)?.elem()?).array_of(shape)),
        Exp::Basic(Basic::UpdateAcc(acc, ..)) => one(name(acc)?.clone()),
        Exp::Call(..) | Exp::If(..) | Exp::Loop(_) => None,
        Exp::WithAcc(w) => {
            let arrays = w.inputs.iter().flat_map(|i| &i.arrays).map(|a| name(a).cloned());
            let rest = w.lambda.ret.iter().skip(w.inputs.len()).map(|t| Some(t.clone()));
            arrays.chain(rest).collect()
        }
        Exp::Op(op) => match op.view() {
            OpView::Soac(soac) => soac_types(types, soac),
            OpView::Seg(seg) => seg_types(types, seg),
            OpView::Size(size) => one(size_type(size)),
            OpView::Alloc(_, space) => one(Type::Mem(space.clone())),
        },
    }
}

/// The shape of a slice: the lengths of the dimensions that are not fixed.
pub fn slice_shape(slice: &[DimIndex]) -> Shape {
    slice
        .iter()
        .filter_map(|d| match d {
            DimIndex::Fix(_) => None,
            DimIndex::Slice { len, .. } => Some(*len),
        })
        .collect()
}

/// The types of what a combinator returns; `None` for filters.
pub fn soac_types<R: Rep>(types: &Types, soac: &Soac<R>) -> Option<Vec<Type>> {
    let names = |ns: Vec<Name>| ns.iter().map(|n| types.get(n).cloned()).collect();
    match soac {
        Soac::Screma(s) => Some(screma_types(s)),
        Soac::Hist(h) => names(h.ops.iter().flat_map(|op| op.dests.clone()).collect()),
        Soac::Scatter(s) => names(s.written()),
        Soac::Filter(_) => None,
        Soac::Ad(ad) => ad_types(types, ad),
    }
}

fn screma_types<R: Rep>(s: &Screma<R>) -> Vec<Type> {
    let scanned: usize = s.scans.iter().map(|scan| scan.neutral.len()).sum();
    let reduced: usize = s.reds.iter().map(|red| red.neutral.len()).sum();
    let result = |(i, t): (usize, &Type)| {
        if (scanned..scanned + reduced).contains(&i) {
            t.clone()
        } else {
            array_of_rows(t, &[s.width])
        }
    };
    s.map.ret.iter().enumerate().map(result).collect()
}

fn ad_types<R: Rep>(types: &Types, ad: &Ad<R>) -> Option<Vec<Type>> {
    let mut result = ad.lambda.ret.clone();
    match ad.mode {
        AdMode::Forward => result.extend(ad.lambda.ret.iter().cloned()),
        AdMode::Reverse => {
            for arg in &ad.args {
                result.push(operand_type(types, *arg)?);
            }
        }
        AdMode::Rule => result.truncate(ad.results()),
    }
    Some(result)
}

/// The type of what a combinator hands to its lambda from an input: a row of an array, or an accumulator
/// itself. `None` for what is neither.
pub fn row_type(t: &Type) -> Option<Type> {
    match t {
        Type::Array(..) => Some(t.peel(1)),
        Type::Acc(..) => Some(t.clone()),
        Type::Prim(_) | Type::Mem(_) => None,
    }
}

/// The type of all results of one type of a parallel operation together: an array, or the accumulator itself.
pub fn array_of_rows(t: &Type, outer: &[SubExp]) -> Type {
    match t {
        Type::Prim(_) | Type::Array(..) => t.array_of(outer),
        Type::Acc(..) | Type::Mem(_) => t.clone(),
    }
}

/// The types of what a segmented operation returns. Results written to one array are one result,
/// at the place of the first.
pub fn seg_types<R: Rep>(types: &Types, seg: &SegOp<R>) -> Option<Vec<Type>> {
    let dims: Shape = seg.space.dims.iter().map(|d| d.1).collect();
    let segments = &dims[..dims.len().saturating_sub(1)];
    let outer: &[SubExp] = match &seg.kind {
        SegKind::Red(_) => segments,
        SegKind::Map | SegKind::Scan(..) => &dims,
        SegKind::Hist(ops) => {
            return ops.iter().flat_map(|op| &op.dests).map(|d| types.get(d).cloned()).collect();
        }
    };
    let mut result: Vec<Type> =
        seg.types.iter().take(seg.leading()).map(|t| array_of_rows(t, outer)).collect();
    let mut written = FxHashSet::default();
    for (t, ret) in seg.kept() {
        match ret {
            KernelReturn::Elem => result.push(array_of_rows(t, &dims)),
            KernelReturn::Write { array, .. } => {
                if written.insert(*array) {
                    result.push(types.get(array)?.clone());
                }
            }
        }
    }
    Some(result)
}

/// The type of a size.
pub fn size_type(size: &SizeOp) -> Type {
    match size {
        SizeOp::GetSize(..) | SizeOp::GetSizeMax(_) | SizeOp::CalcGrid { .. } | SizeOp::SharedNeeded(_) => {
            Type::I64
        }
        SizeOp::CmpThreshold { .. } => Type::BOOL,
    }
}

/// The types of all names bound in a function, parameters included. Add those of `Prog::consts` for
/// a function that uses them.
pub fn fun_types<R: Rep>(fun: &FunDef<R>) -> Types {
    let mut table = Table(Types::default());
    look::fun::<R>(&mut table, fun);
    table.0
}

/// The types of all names bound in a body.
pub fn body_types<R: Rep>(body: &Body<R>) -> Types {
    let mut table = Table(Types::default());
    table.body(body);
    table.0
}

/// The types of all names bound in a program.
pub fn prog_types<R: Rep>(prog: &Prog<R>) -> Types {
    let mut table = Table(Types::default());
    table.body(&prog.consts);
    for fun in &prog.funs {
        look::fun::<R>(&mut table, fun);
    }
    table.0
}

struct Table(Types);

impl<R: Rep> Visitor<R> for Table {
    fn param(&mut self, p: &Param<R>) {
        self.0.insert(p.name, p.ty.clone());
    }

    fn pat_elem(&mut self, p: &PatElem<R>) {
        self.0.insert(p.name, p.ty.clone());
    }

    fn exp(&mut self, e: &Exp<R>) {
        if let Exp::Loop(l) = e {
            if let LoopForm::For { var, ty, .. } = &l.form {
                self.0.insert(*var, Type::Prim(PrimType::Int(*ty)));
            }
        }
        if let Exp::Op(op) = e {
            if let Some(seg) = op.as_seg() {
                self.0.insert(seg.space.flat, Type::I64);
                self.0.extend(seg.grid.iter().map(|g| (g.thread, Type::I64)));
                self.0.extend(seg.space.dims.iter().map(|d| (d.0, Type::I64)));
            }
        }
        look::exp(self, e);
    }
}
