//! Loops in strips: `#[stripmine(k)]` makes k loops in each other, each of which saves its own parameters
//! only.
//!
//! ```text
//! loop p = x for i < n { f }     =>     s = the root of n, rounded up
//!                                       loop q = x for o < (n + s - 1) / s {
//!                                         loop p = q for j < min(s, n - o * s) { let (i) = o * s + j  f } }
//! ```
//!
//! With n = 1,000 and k = 2 that is 32 + 32 states in place of 1,000, and each step runs twice more.

use super::Reverse;
use fehu_base::ops::{BinOp, ConvOp, MathFn, PrimFn};
use fehu_base::prim::{FloatType, IntType, PrimType};
use fehu_base::{Name, Symbol};
use fehu_ir::subst::Subst;
use fehu_ir::{Attr, Basic, Exp, Loop, LoopForm, Param, PatElem, Soacs, SubExp, Type};

impl Reverse<'_> {
    /// A `for` loop as `k` loops.
    pub(super) fn stripped(&mut self, pat: Vec<PatElem<Soacs>>, l: Loop<Soacs>, k: i64) {
        let LoopForm::For { var, ty, bound } = l.form else { fehu_base::bug!("a loop without a count") };
        let n = self.iterations(ty, bound);
        let strip = self.strip(n, k);
        let less = self.b.sub64(strip, SubExp::i64(1));
        let up = self.b.add64(n, less);
        let count = self.b.bin(BinOp::SQuot(IntType::I64), up, strip);
        let outer: Vec<Name> = l.params.iter().map(|(p, _)| self.b.names.fresh_like(p.name)).collect();
        let subst: Subst = l.params.iter().zip(&outer).map(|((p, _), o)| (p.name, SubExp::Var(*o))).collect();
        let mut params = vec![];
        for ((p, init), name) in l.params.iter().zip(&outer) {
            let mut ty = p.ty.clone();
            subst.ty(&mut ty);
            self.b.types.insert(*name, ty.clone());
            params.push((Param { name: *name, ty, ..p.clone() }, *init));
        }
        let o = self.b.fresh("o", Type::I64);
        let body = self.nested(|r| {
            let start = r.b.mul64(o.into(), strip);
            let rest = r.b.sub64(n, start);
            let steps = r.b.bin(BinOp::SMin(IntType::I64), strip, rest);
            let j = r.b.fresh("j", Type::I64);
            let mut inner = l.clone();
            r.b.begin();
            let at = r.b.add64(start, j.into());
            let counter = match ty {
                IntType::I64 => Basic::SubExp(at),
                IntType::I8 | IntType::I16 | IntType::I32 => Basic::Conv(ConvOp::SExt(IntType::I64, ty), at),
            };
            r.b.bind_names(vec![(var, Type::Prim(PrimType::Int(ty)))], Exp::Basic(counter));
            let stms = r.b.end(vec![]).stms;
            inner.body.stms.splice(0..0, stms);
            inner.form = LoopForm::For { var: j, ty: IntType::I64, bound: steps };
            inner.params.iter_mut().zip(&outer).for_each(|((_, init), o)| *init = (*o).into());
            r.inner_strip(&pat, inner, k - 1)
        });
        let form = LoopForm::For { var: o, ty: IntType::I64, bound: count };
        let names = pat.iter().map(|p| (p.name, p.ty.clone())).collect();
        self.b.bind_names(names, Exp::Loop(Box::new(Loop { params, form, body })));
    }

    fn inner_strip(&mut self, pat: &[PatElem<Soacs>], l: Loop<Soacs>, k: i64) -> Vec<SubExp> {
        let names: Vec<Name> = pat.iter().map(|p| self.b.names.fresh_like(p.name)).collect();
        let subst: Subst = pat.iter().zip(&names).map(|(p, n)| (p.name, SubExp::Var(*n))).collect();
        let own = pat.iter().zip(&names).map(|(p, n)| {
            let mut ty = p.ty.clone();
            subst.ty(&mut ty);
            (*n, ty)
        });
        let own = own.collect();
        if k > 1 {
            self.b.attrs = vec![Attr::Comp(Symbol::new("stripmine"), vec![Attr::Int(k)])];
        }
        self.b.bind_names(own, Exp::Loop(Box::new(l)));
        self.b.attrs.clear();
        names.into_iter().map(SubExp::Var).collect()
    }

    /// The size of a strip: r^(k-1), where r is the k-th root of n, rounded up, at least 1.
    fn strip(&mut self, n: SubExp, k: i64) -> SubExp {
        let t = FloatType::F64;
        let x = self.b.conv(ConvOp::SIToFP(IntType::I64, t), n);
        let root = self.b.bin(BinOp::FPow(t), x, SubExp::float(t, 1.0 / k as f64));
        let ceil = PrimFn { op: MathFn::Ceil, at: PrimType::Float(t) };
        let root =
            self.b.bind("root", Type::Prim(PrimType::Float(t)), Exp::Basic(Basic::PrimFn(ceil, vec![root])));
        let root = self.b.conv(ConvOp::FPToSI(t, IntType::I64), root.into());
        let root = self.b.bin(BinOp::SMax(IntType::I64), root, SubExp::i64(1));
        (1..k - 1).fold(root, |power, _| self.b.mul64(power, root))
    }
}
