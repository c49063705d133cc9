//! Checking expressions that all representations share.

use super::{instantiate, shapes_differ, substituted, Checker};
use crate::op::RepOp;
use crate::rep::Rep;
use crate::soac::Soac;
use crate::subst::Subst;
use crate::syntax::*;
use crate::types::{exp_types, slice_shape};
use fehu_base::prim::PrimType;
use fehu_base::Name;

impl<R: Rep> Checker<'_, R> {
    /// Checks the expression of a statement; gives the types of its values unless the pattern
    /// was compared here already, or something is wrong.
    pub(super) fn exp(&mut self, stm: &Stm<R>) -> Option<Vec<Type>> {
        let before = self.mistakes;
        match &stm.exp {
            Exp::Basic(basic) => self.basic(stm, basic),
            Exp::Call(f, args) => {
                self.call(&stm.pat, *f, args);
                return None;
            }
            Exp::If(cond, t, f) => {
                self.prim(*cond, PrimType::Bool);
                self.branch(&stm.pat, t, "first branch");
                self.branch(&stm.pat, f, "second branch");
                return None;
            }
            Exp::Loop(l) => {
                self.loop_(&stm.pat, l);
                return None;
            }
            Exp::WithAcc(w) => self.with_acc(w),
            Exp::Op(op) => {
                self.op(op);
                if let Some(Soac::Filter(f)) = op.as_soac() {
                    self.filtered(&stm.pat, f);
                    return None;
                }
            }
        }
        if self.mistakes > before {
            return None;
        }
        let types = exp_types(&self.scope, &stm.exp);
        if types.is_none() {
            self.error("no type can be found for this expression");
        }
        types
    }

    fn basic(&mut self, stm: &Stm<R>, basic: &Basic) {
        match basic {
            Basic::SubExp(e) | Basic::Opaque(e) => {
                self.type_of(*e);
            }
            Basic::UnOp(op, x) => self.prim(*x, op.operand_type()),
            Basic::BinOp(op, x, y) => {
                self.prim(*x, op.operand_type());
                self.prim(*y, op.operand_type());
            }
            Basic::CmpOp(op, x, y) => {
                self.prim(*x, op.operand_type());
                self.prim(*y, op.operand_type());
            }
            Basic::Conv(op, x) => self.prim(*x, op.operand_type()),
            Basic::PrimFn(f, xs) => {
                if f.is_defined() {
                    let params: Vec<Type> = f.signature().0.into_iter().map(Type::Prim).collect();
                    self.results(xs, &params, "operand");
                } else {
                    self.error(format!("there is no {f}"));
                }
            }
            Basic::Assert(cond, parts, purpose) => {
                self.prim(*cond, PrimType::Bool);
                for part in parts {
                    if let ErrorPart::Value(e, t) = part {
                        self.prim(*e, t.prim());
                    }
                }
                self.purpose(purpose);
            }
            Basic::ArrayLit(es, t) => {
                self.ty(t);
                match t {
                    Type::Prim(_) | Type::Array(..) => {}
                    Type::Acc(..) | Type::Mem(_) => self.error("an array of what is no value"),
                }
                es.iter().for_each(|e| self.operand(*e, t, "element"));
            }
            Basic::ArrayConst(data) => {
                if data.values.iter().any(|v| v.prim_type() != data.elem) {
                    self.error("an element of another type");
                }
            }
            Basic::Index(a, slice) => self.slice(*a, slice),
            Basic::Update(a, slice, e) => {
                self.slice(*a, slice);
                if let Some(elem) = self.array(*a).and_then(|t| t.elem()) {
                    let t = Type::Prim(elem).array_of(&slice_shape(slice));
                    self.operand(*e, &t, "value put in");
                }
            }
            Basic::FlatIndex(a, offset, dims) => self.flat_slice(*a, *offset, dims),
            Basic::FlatUpdate(a, offset, dims, x) => {
                self.flat_slice(*a, *offset, dims);
                if let Some(elem) = self.array(*a).and_then(|t| t.elem()) {
                    let shape: Shape = dims.iter().map(|d| d.0).collect();
                    self.operand(SubExp::Var(*x), &Type::Prim(elem).array_of(&shape), "value put in");
                }
            }
            Basic::Iota { n, start, step, ty } => {
                self.size(*n);
                self.prim(*start, PrimType::Int(*ty));
                self.prim(*step, PrimType::Int(*ty));
            }
            Basic::Replicate(shape, e) => {
                self.shape(shape);
                match self.type_of(*e) {
                    Some(Type::Prim(_) | Type::Array(..)) | None => {}
                    Some(Type::Acc(..) | Type::Mem(_)) => self.error("an array of what is no value"),
                }
            }
            Basic::Scratch(_, shape) => self.shape(shape),
            Basic::Copy(a) => {
                self.array(*a);
            }
            Basic::Manifest(perm, a) | Basic::Rearrange(perm, a) => self.permutation(perm, *a),
            Basic::Concat { dim, arrays, size } => self.concat(*dim, arrays, *size),
            Basic::Reshape(shape, a) => {
                self.shape(shape);
                if let Some(t) = self.array(*a) {
                    let count = |s: &[SubExp]| s.iter().map(|e| e.as_i64()).product::<Option<i64>>();
                    if let (Some(m), Some(n)) = (count(shape), count(t.shape())) {
                        // With a certificate, the count may be wrong where the check fails.
                        if m != n && stm.certs.is_empty() {
                            self.error(format!("{n} elements in a shape of {m}"));
                        }
                    }
                }
            }
            Basic::UpdateAcc(acc, index, values) => self.update_acc(*acc, index, values),
        }
    }

    /// What a check is made for: sizes, and how often loops run, of any integer type.
    fn purpose(&mut self, purpose: &Purpose) {
        match purpose {
            Purpose::Values | Purpose::Program => {}
            Purpose::Sizes { sizes, runs } => {
                sizes.iter().for_each(|n| self.prim(*n, PrimType::I64));
                for n in runs {
                    match self.type_of(*n) {
                        Some(Type::Prim(PrimType::Int(_))) | None => {}
                        Some(t) => self.error(format!("a number of iterations has type {t:?}")),
                    }
                }
            }
        }
    }

    pub(super) fn prim(&mut self, e: SubExp, t: PrimType) {
        self.operand(e, &Type::Prim(t), "operand");
    }

    pub(super) fn shape(&mut self, shape: &[SubExp]) {
        shape.iter().for_each(|e| self.size(*e));
    }

    /// The type of what must be an array.
    pub(super) fn array(&mut self, a: Name) -> Option<Type> {
        let t = self.type_of(SubExp::Var(a))?;
        if t.is_array() {
            return Some(t);
        }
        self.error(format!("{} of type {} is no array", self.show(a), self.show_type(&t)));
        None
    }

    fn slice(&mut self, a: Name, slice: &[DimIndex]) {
        if let Some(t) = self.array(a) {
            if t.rank() != slice.len() {
                self.error(format!("{} indices for an array of rank {}", slice.len(), t.rank()));
            }
        }
        for d in slice {
            match d {
                DimIndex::Fix(e) => self.prim(*e, PrimType::I64),
                DimIndex::Slice { start, len, stride } => {
                    self.prim(*start, PrimType::I64);
                    self.size(*len);
                    self.prim(*stride, PrimType::I64);
                }
            }
        }
    }

    fn flat_slice(&mut self, a: Name, offset: SubExp, dims: &[(SubExp, SubExp)]) {
        if let Some(t) = self.array(a) {
            if t.rank() != 1 {
                self.error(format!("flat index of an array of rank {}", t.rank()));
            }
        }
        self.prim(offset, PrimType::I64);
        for (len, stride) in dims {
            self.size(*len);
            self.prim(*stride, PrimType::I64);
        }
    }

    fn permutation(&mut self, perm: &[usize], a: Name) {
        let Some(t) = self.array(a) else { return };
        let mut sorted = perm.to_vec();
        sorted.sort_unstable();
        if !sorted.into_iter().eq(0..t.rank()) {
            self.error(format!("{perm:?} is no permutation of {} dimensions", t.rank()));
        }
    }

    fn concat(&mut self, dim: usize, arrays: &[Name], size: SubExp) {
        self.size(size);
        let types: Vec<Type> = arrays.iter().filter_map(|a| self.array(*a)).collect();
        let Some(first) = types.first() else {
            self.error("nothing to join");
            return;
        };
        if dim >= first.rank() {
            self.error(format!("an array of rank {} joined along dimension {dim}", first.rank()));
            return;
        }
        let rest = |t: &Type| -> Shape {
            t.shape().iter().enumerate().filter(|(i, _)| *i != dim).map(|(_, e)| *e).collect()
        };
        for t in &types {
            if t.elem() != first.elem() || t.rank() != first.rank() || shapes_differ(&rest(t), &rest(first)) {
                self.error(format!("{} joined with {}", self.show_type(t), self.show_type(first)));
            }
        }
        let total = types.iter().map(|t| t.shape().get(dim).and_then(|e| e.as_i64())).sum::<Option<i64>>();
        if let (Some(total), Some(size)) = (total, size.as_i64()) {
            if total != size {
                self.error(format!("{total} rows joined to {size}"));
            }
        }
    }

    fn update_acc(&mut self, acc: Name, index: &[SubExp], values: &[SubExp]) {
        match self.type_of(SubExp::Var(acc)) {
            None => {}
            Some(Type::Acc(_, shape, elems)) => {
                if index.len() != shape.len() {
                    self.error(format!("{} indices for {} dimensions", index.len(), shape.len()));
                }
                index.iter().for_each(|e| self.prim(*e, PrimType::I64));
                self.results(values, &elems, "value put in");
            }
            Some(Type::Prim(_) | Type::Array(..) | Type::Mem(_)) => {
                self.error(format!("{} is no accumulator", self.show(acc)));
            }
        }
    }

    fn call(&mut self, pat: &[PatElem<R>], f: Name, args: &[SubExp]) {
        self.results_in_scope(args);
        let Some(fun) = self.funs.get(&f).copied() else {
            self.error(format!("there is no function {}", self.show(f)));
            return;
        };
        if args.len() != fun.params.len() {
            self.error(format!("{} arguments for {} parameters", args.len(), fun.params.len()));
            return;
        }
        let subst: Subst = fun.params.iter().zip(args).map(|(p, e)| (p.name, *e)).collect();
        // A parameter's type mentions blocks and sizes, never the parameter itself; constants stand only for those.
        for (p, e) in fun.params.iter().zip(args) {
            self.operand(*e, &substituted(&p.ty, &subst), "argument");
        }
        if pat.len() != fun.ret.len() {
            self.error(format!("{} results are bound to {} names", fun.ret.len(), pat.len()));
            return;
        }
        let results: Vec<SubExp> = pat.iter().map(|p| p.name.into()).collect();
        for (p, ret) in pat.iter().zip(&fun.ret) {
            let t = substituted(&instantiate(&ret.ty, &results), &subst);
            self.same(&p.ty, &t, &format!("the value of {}", self.show(p.name)));
        }
    }

    fn branch(&mut self, pat: &[PatElem<R>], body: &Body<R>, what: &str) {
        self.body(body, |c, result| {
            if result.len() != pat.len() {
                c.error(format!("{what}: {} values are bound to {} names", result.len(), pat.len()));
                return;
            }
            let subst: Subst = pat.iter().zip(result).map(|(p, e)| (p.name, *e)).collect();
            for (p, e) in pat.iter().zip(result) {
                c.operand(*e, &substituted(&p.ty, &subst), what);
            }
        });
    }

    fn loop_(&mut self, pat: &[PatElem<R>], l: &Loop<R>) {
        let params: Vec<&Param<R>> = l.params.iter().map(|(p, _)| p).collect();
        let inits: Vec<SubExp> = l.params.iter().map(|(_, e)| *e).collect();
        let with = |es: &[SubExp]| -> Subst { params.iter().zip(es).map(|(p, e)| (p.name, *e)).collect() };
        let initial = with(&inits);
        for (p, e) in params.iter().zip(&inits) {
            self.operand(*e, &substituted(&p.ty, &initial), "initial value");
        }
        if let LoopForm::For { ty, bound, .. } = &l.form {
            self.prim(*bound, PrimType::Int(*ty));
        }
        self.scoped(|c| {
            c.params(params.iter().copied());
            match &l.form {
                LoopForm::For { var, ty, .. } => c.bind(*var, Type::Prim(PrimType::Int(*ty))),
                LoopForm::While(cond) => {
                    if params.iter().all(|p| p.name != *cond) {
                        c.error(format!("the condition {} is no parameter of the loop", c.show(*cond)));
                    }
                    c.operand((*cond).into(), &Type::BOOL, "condition");
                }
            }
            c.body(&l.body, |c, result| {
                if result.len() != params.len() {
                    c.error(format!(
                        "the loop's body returns {} values for {} parameters",
                        result.len(),
                        params.len()
                    ));
                    return;
                }
                let next = with(result);
                for (p, e) in params.iter().zip(result) {
                    c.operand(*e, &substituted(&p.ty, &next), "result of the loop's body");
                }
            });
        });
        if pat.len() != params.len() {
            self.error(format!("{} results are bound to {} names", params.len(), pat.len()));
            return;
        }
        let last = with(&pat.iter().map(|p| p.name.into()).collect::<Vec<_>>());
        for (p, param) in pat.iter().zip(&params) {
            let t = substituted(&param.ty, &last);
            self.same(&p.ty, &t, &format!("the value of {}", self.show(p.name)));
        }
    }
}
