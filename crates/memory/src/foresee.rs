//! How large arrays get inside of kernels, where their size is a result itself.
//!
//! Inside of a kernel, an array that a loop carries, or that branches return, has a block that is there
//! before (see `introduce/pinned`). If its size comes out of the loop or branch with it, then code before it computes
//! the size alone; for loops, the largest of all iterations:
//!
//! ```text
//!                                                       let (so_far : i64, k' : i64) = loop (most : i64 = 1, k : i64 = 1) for i < n {
//! let (k, xs) = loop (k : i64 = 1, xs : [k]i64 = a)       let (k2 : i64) = mul_i64(2, k)
//!   for i < n {                                           let (most2 : i64) = smax_i64(most, k2)
//!     let (k2 : i64) = mul_i64(2, k)                      return (most2, k2)
//!     ...                                               }
//!     return (k2, ys)                                   let (k, xs) = loop ...
//!   }
//! ```
//!
//! Before: a program over `Kernels`. After: the same, with such code in kernels. Where a size depends on the
//! contents of the very arrays whose size is in question, nothing is known.

use crate::plan::Plan;
use crate::slice::{loop_part, needed, Part};
use fehu_base::ops::BinOp;
use fehu_base::prim::IntType;
use fehu_base::{Name, NameSource};
use fehu_ir::seg::{KernelsOp, SegLevel};
use fehu_ir::subst::{rename_exp, Subst};
use fehu_ir::visit::{deep, map_bodies};
use fehu_ir::{Basic, Body, Exp, Kernels, Loc, Loop, Param, PatElem, Prog, Stm, SubExp, Type};
use rustc_hash::FxHashMap;

/// Adds the code. For each array, by the name of the loop parameter or of the result of branches: how many elements it
/// has at most.
pub(crate) fn foresee(prog: &mut Prog<Kernels>, plans: &FxHashMap<Name, Plan>) -> FxHashMap<Name, SubExp> {
    let mut pass = Foresee {
        names: std::mem::replace(&mut prog.names, NameSource::new()),
        plans,
        bounds: FxHashMap::default(),
    };
    pass.host(&mut prog.consts);
    for fun in &mut prog.funs {
        pass.host(&mut fun.body);
    }
    prog.names = pass.names;
    pass.bounds
}

struct Foresee<'a> {
    names: NameSource,
    /// How loops carry arrays.
    plans: &'a FxHashMap<Name, Plan>,
    bounds: FxHashMap<Name, SubExp>,
}

impl Foresee<'_> {
    fn host(&mut self, body: &mut Body<Kernels>) {
        deep(|| {
            for stm in &mut body.stms {
                let kernel = match &stm.exp {
                    Exp::Op(KernelsOp::Seg(seg)) => seg.level != SegLevel::Task,
                    Exp::Basic(_)
                    | Exp::Call(..)
                    | Exp::If(..)
                    | Exp::Loop(_)
                    | Exp::WithAcc(_)
                    | Exp::Op(_) => false,
                };
                if kernel {
                    map_bodies(&mut stm.exp, &mut |b| self.kernel(b));
                } else {
                    map_bodies(&mut stm.exp, &mut |b| self.host(b));
                }
            }
        });
    }

    fn kernel(&mut self, body: &mut Body<Kernels>) {
        deep(|| {
            let mut out = Vec::with_capacity(body.stms.len());
            for stm in std::mem::take(&mut body.stms) {
                self.stm(&mut out, stm);
            }
            body.stms = out;
        });
    }

    fn stm(&mut self, out: &mut Vec<Stm<Kernels>>, mut stm: Stm<Kernels>) {
        let before = match &stm.exp {
            Exp::If(c, t, f) => self.branches(&stm, *c, t, f),
            Exp::Loop(l) => self.iterations(&stm, l),
            Exp::Basic(_) | Exp::Call(..) | Exp::WithAcc(_) | Exp::Op(_) => vec![],
        };
        // Code that computes sizes may have such arrays inside.
        for stm in before {
            deep(|| self.stm(out, stm));
        }
        map_bodies(&mut stm.exp, &mut |b| self.kernel(b));
        out.push(stm);
    }

    /// The sizes that branches return, before they do.
    fn branches(
        &mut self,
        stm: &Stm<Kernels>,
        cond: SubExp,
        t: &Body<Kernels>,
        f: &Body<Kernels>,
    ) -> Vec<Stm<Kernels>> {
        let names: Vec<Name> = stm.pat.iter().map(|p| p.name).collect();
        let arrays: Vec<(Name, Type)> = stm.pat.iter().map(|p| (p.name, p.ty.clone())).collect();
        let (sizes, arrays) = varying(&names, &arrays);
        if arrays.is_empty() {
            return vec![];
        }
        let [t, f] = [t, f].map(|body| {
            let result: Vec<SubExp> = sizes.iter().map(|k| body.result[*k]).collect();
            let stms = needed(body, FxHashMap::default(), result.iter().copied());
            Box::new(Body { stms, result })
        });
        let exp = rename_exp(&mut self.names, &Exp::If(cond, t, f));
        let found: Vec<Name> = sizes.iter().map(|k| self.names.fresh_like(names[*k])).collect();
        let renamed: Subst = sizes.iter().zip(&found).map(|(k, n)| (names[*k], SubExp::Var(*n))).collect();
        let pat = found.iter().map(|n| scalar(*n)).collect();
        let mut before = vec![Stm { pat, exp, ..bare(stm) }];
        for (name, ty) in arrays {
            let shape: Vec<SubExp> = ty.shape().iter().map(|e| renamed.operand(*e)).collect();
            let count = self.product(&mut before, &stm.loc, &shape);
            self.bounds.insert(name, count);
        }
        before
    }

    /// The largest sizes of the arrays that a loop carries.
    fn iterations(&mut self, stm: &Stm<Kernels>, l: &Loop<Kernels>) -> Vec<Stm<Kernels>> {
        let names: Vec<Name> = l.params.iter().map(|(p, _)| p.name).collect();
        let carried: Vec<(Name, Type)> = l
            .params
            .iter()
            .filter(|(p, _)| self.plans.get(&p.name) != Some(&Plan::InPlace))
            .map(|(p, _)| (p.name, p.ty.clone()))
            .collect();
        let (sizes, arrays) = varying(&names, &carried);
        if arrays.is_empty() {
            return vec![];
        }
        let first: Vec<Name> = sizes.iter().map(|k| names[*k]).collect();
        let part = loop_part(l, &first, |next| {
            let stms = needed(&l.body, FxHashMap::default(), next.iter().copied());
            Some(Part { stms, operands: vec![] })
        });
        let Some((kept, Part { mut stms, .. })) = part else { return vec![] };
        let circular = |(p, _): &(Param<Kernels>, SubExp)| arrays.iter().any(|(a, _)| *a == p.name);
        if l.params.iter().zip(&kept).any(|(p, kept)| *kept && circular(p)) {
            return vec![];
        }
        let starts: Subst = l.params.iter().map(|(p, init)| (p.name, *init)).collect();
        let nexts: Subst = names.iter().copied().zip(l.body.result.iter().copied()).collect();
        let mut before = vec![];
        let mut params = vec![];
        let mut result = vec![];
        for (_, ty) in &arrays {
            let shape: Vec<SubExp> = ty.shape().iter().map(|e| starts.operand(*e)).collect();
            let start = self.product(&mut before, &stm.loc, &shape);
            let so_far = self.names.fresh_str("so_far");
            params.push((Param { name: so_far, ty: Type::I64, dec: (), consumed: false }, start));
            let shape: Vec<SubExp> = ty.shape().iter().map(|e| nexts.operand(*e)).collect();
            let count = self.product(&mut stms, &stm.loc, &shape);
            let most = self.names.fresh_str("most");
            let exp = Exp::Basic(Basic::BinOp(BinOp::SMax(IntType::I64), so_far.into(), count));
            stms.push(plain(most, &stm.loc, exp));
            result.push(most.into());
        }
        for ((param, kept), next) in l.params.iter().zip(&kept).zip(&l.body.result) {
            if *kept {
                params.push(param.clone());
                result.push(*next);
            }
        }
        let types: Vec<(Name, Type)> = params.iter().map(|(p, _)| (p.name, p.ty.clone())).collect();
        let body = Body { stms, result };
        let exp = Exp::Loop(Box::new(Loop { params, form: l.form.clone(), body }));
        let exp = rename_exp(&mut self.names, &exp);
        let found: Vec<Name> = types.iter().map(|(n, _)| self.names.fresh_like(*n)).collect();
        let renamed: Subst = types.iter().zip(&found).map(|((n, _), f)| (*n, SubExp::Var(*f))).collect();
        let mut pat = vec![];
        for ((_, mut ty), name) in types.into_iter().zip(&found) {
            renamed.ty(&mut ty);
            pat.push(PatElem { name: *name, ty, dec: () });
        }
        for ((array, _), most) in arrays.iter().zip(&found) {
            self.bounds.insert(*array, (*most).into());
        }
        before.push(Stm { pat, exp, ..bare(stm) });
        before
    }

    fn product(&mut self, out: &mut Vec<Stm<Kernels>>, loc: &Loc, sizes: &[SubExp]) -> SubExp {
        let mut product: Option<SubExp> = None;
        for n in sizes {
            product = Some(match product {
                None => *n,
                Some(so_far) => {
                    let name = self.names.fresh_str("count");
                    out.push(plain(
                        name,
                        loc,
                        Exp::Basic(Basic::BinOp(BinOp::Mul(IntType::I64), so_far, *n)),
                    ));
                    name.into()
                }
            });
        }
        product.unwrap_or(SubExp::i64(1))
    }
}

/// Of arrays, those whose shape mentions names; and the positions of these.
fn varying(names: &[Name], arrays: &[(Name, Type)]) -> (Vec<usize>, Vec<(Name, Type)>) {
    let at = |e: &SubExp| e.name().and_then(|n| names.iter().position(|m| *m == n));
    let mut positions: Vec<usize> =
        arrays.iter().flat_map(|(_, ty)| ty.shape().iter().filter_map(at)).collect();
    positions.sort_unstable();
    positions.dedup();
    let arrays = arrays.iter().filter(|(_, ty)| ty.shape().iter().any(|e| at(e).is_some())).cloned();
    (positions, arrays.collect())
}

fn scalar(name: Name) -> PatElem<Kernels> {
    PatElem { name, ty: Type::I64, dec: () }
}

fn plain(name: Name, loc: &Loc, exp: Exp<Kernels>) -> Stm<Kernels> {
    Stm { pat: vec![scalar(name)], certs: vec![], attrs: vec![], loc: loc.clone(), exp }
}

/// A statement from the same place and with the same certificates, that binds nothing yet.
fn bare(stm: &Stm<Kernels>) -> Stm<Kernels> {
    let exp = Exp::Basic(Basic::SubExp(SubExp::bool(true)));
    Stm { pat: vec![], certs: stm.certs.clone(), attrs: vec![], loc: stm.loc.clone(), exp }
}
