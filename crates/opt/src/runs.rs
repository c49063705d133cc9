//! What an operation computes anew at each point, though it is the same at all of them, leaves it if the
//! operation runs at all.
//!
//! Before: any valid program, in which checks have left operations (the simplifier sees to it). After: an
//! operation with something to gain stands in a branch that is taken if it has points.
//!
//! A check that leaves an operation need only hold if there are points; so what relies on the check may not
//! leave it, lest it run where the check did not hold:
//!
//! ```text
//! map (\x -> let ys = map f (iota k) in g x ys) xs         k is negative, xs is empty: no error
//!
//! if 0 < n                                                 this pass
//! then map (\x -> let ys = map f (iota k) in g x ys) xs
//! else []
//!
//! if 0 < n                                                 the simplifier: here, `k` is known to be a size
//! then let ys = map f (iota k) in map (\x -> g x ys) xs
//! else []
//! ```
//!
//! That makes the operation harder to fuse with others, so it is done after fusion, and only for operations
//! or loops that were computed at each point, not for numbers and views. Operations in functions of others
//! stay as they are: a branch there is work for each point.

use crate::simplify::may_move;
use fehu_base::ops::{BinOp, CmpOp};
use fehu_base::prim::IntType;
use fehu_base::{Name, NameSource};
use fehu_ir::alias::{Classes, Signatures};
use fehu_ir::free::free_in_stm;
use fehu_ir::soac::{Screma, Soac};
use fehu_ir::visit::{deep, map_bodies};
use fehu_ir::{Basic, Body, Exp, PatElem, Prog, Soacs, Stm, SubExp, Type};
use fehu_pass::{Need, Pass};
use rustc_hash::{FxHashMap, FxHashSet};

/// The branches as a pass.
pub static PASS: Pass<Prog<Soacs>> = Pass { name: "if-it-runs", need: Need::Optional, run: if_it_runs };

/// Puts operations that recompute what is the same at all points into branches.
pub fn if_it_runs(prog: &mut Prog<Soacs>) {
    let signatures = Signatures::of_prog(prog);
    for k in 0..prog.funs.len() {
        let classes = Classes::of_fun(&signatures, &prog.consts, &prog.funs[k]);
        let mut walk = Walk { names: &mut prog.names, classes, defs: FxHashMap::default() };
        walk.body(&mut prog.funs[k].body);
    }
}

struct Walk<'a> {
    names: &'a mut NameSource,
    classes: Classes,
    /// How numbers and certificates around the current place are defined.
    defs: FxHashMap<Name, Basic>,
}

impl Walk<'_> {
    fn body(&mut self, body: &mut Body<Soacs>) {
        deep(|| {
            for stm in &mut body.stms {
                match &mut stm.exp {
                    Exp::Basic(
                        basic @ (Basic::Assert(..) | Basic::CmpOp(..) | Basic::BinOp(BinOp::LogOr, ..)),
                    ) => self.defs.extend(stm.pat.iter().map(|p| (p.name, basic.clone()))),
                    Exp::If(..) | Exp::Loop(_) => map_bodies(&mut stm.exp, &mut |b| self.body(b)),
                    Exp::Basic(_) | Exp::Call(..) | Exp::WithAcc(_) | Exp::Op(_) => {}
                }
            }
            for mut stm in std::mem::take(&mut body.stms) {
                let guard = self.guarded(&mut stm);
                body.stms.extend(guard);
                body.stms.push(stm);
            }
        });
    }

    /// Puts an operation into a branch, if that is worth it; gives the statement of its condition.
    fn guarded(&mut self, stm: &mut Stm<Soacs>) -> Option<Stm<Soacs>> {
        let Exp::Op(Soac::Screma(op)) = &stm.exp else { return None };
        if !stm.attrs.is_empty() || op.map.params.iter().any(|p| p.consumed) || !self.gains(op) {
            return None;
        }
        let (zero, width) = (SubExp::int(IntType::I64, 0), op.width);
        let cond = self.names.fresh_str("runs");
        let pat = vec![PatElem { name: cond, ty: Type::BOOL, dec: () }];
        let exp = Exp::Basic(Basic::CmpOp(CmpOp::SLt(IntType::I64), zero, width));
        let guard = Stm { pat, certs: vec![], attrs: vec![], loc: stm.loc.clone(), exp };
        let none = self.without_points(stm)?;
        let inner: Vec<PatElem<Soacs>> = (stm.pat.iter())
            .map(|p| PatElem { name: self.names.fresh_like(p.name), ty: p.ty.clone(), dec: () })
            .collect();
        let result = inner.iter().map(|p| p.name.into()).collect();
        let outer = std::mem::replace(&mut stm.pat, inner);
        let op = Stm {
            pat: std::mem::take(&mut stm.pat),
            certs: std::mem::take(&mut stm.certs),
            attrs: vec![],
            loc: stm.loc.clone(),
            exp: std::mem::replace(&mut stm.exp, Exp::Basic(Basic::SubExp(zero))),
        };
        let some = Body { stms: vec![op], result };
        stm.pat = outer;
        stm.exp = Exp::If(cond.into(), Box::new(some), Box::new(none));
        Some(guard)
    }

    /// Whether there is something to compute once that only checks hold back which need not hold if there are
    /// no points.
    fn gains(&self, op: &Screma<Soacs>) -> bool {
        let mut varies: FxHashSet<Name> = op.map.params.iter().map(|p| p.name).collect();
        // Arrays that may leave only if there are points.
        let mut held: FxHashSet<Name> = FxHashSet::default();
        let mut work = false;
        for stm in &op.map.body.stms {
            let free = free_in_stm(stm);
            let taken = stm.pat.iter().any(|p| p.ty.is_array() && self.classes.is_consumed(p.name));
            let names = || stm.pat.iter().map(|p| p.name);
            if !may_move(stm) || taken || free.iter().any(|n| varies.contains(n)) {
                varies.extend(names());
            } else if free.iter().any(|n| held.contains(n))
                || stm.certs.iter().any(|c| self.holds_if_it_runs(*c, op.width))
            {
                held.extend(names());
                work |= matches!(stm.exp, Exp::Op(_) | Exp::Loop(_));
            }
        }
        work
    }

    /// Whether a certificate says something only of the case that there are points.
    fn holds_if_it_runs(&self, cert: Name, width: SubExp) -> bool {
        let Some(Basic::Assert(cond, ..)) = self.defs.get(&cert) else { return false };
        let mut todo = vec![*cond];
        while let Some(cond) = todo.pop() {
            match cond.name().and_then(|n| self.defs.get(&n)) {
                Some(Basic::BinOp(BinOp::LogOr, a, b)) => todo.extend([*a, *b]),
                Some(Basic::CmpOp(CmpOp::SLe(_), a, b)) if *a == width && b.as_i64() == Some(0) => {
                    return true
                }
                _ => {}
            }
        }
        false
    }

    /// The results of an operation without points: neutral elements, and arrays without elements.
    fn without_points(&mut self, stm: &Stm<Soacs>) -> Option<Body<Soacs>> {
        let Exp::Op(Soac::Screma(op)) = &stm.exp else { return None };
        let scanned: usize = op.scans.iter().map(|s| s.neutral.len()).sum();
        let neutral: Vec<SubExp> = op.reds.iter().flat_map(|r| r.neutral.iter().copied()).collect();
        let mut body = Body { stms: vec![], result: vec![] };
        for (k, p) in stm.pat.iter().enumerate() {
            if let Some(e) = k.checked_sub(scanned).and_then(|k| neutral.get(k)) {
                body.result.push(*e);
                continue;
            }
            let Type::Array(elem, shape) = &p.ty else { return None };
            let name = self.names.fresh_like(p.name);
            let pat = vec![PatElem { name, ty: p.ty.clone(), dec: () }];
            let exp = Exp::Basic(Basic::Scratch(*elem, shape.clone()));
            body.stms.push(Stm { pat, certs: vec![], attrs: vec![], loc: stm.loc.clone(), exp });
            body.result.push(name.into());
        }
        Some(body)
    }
}
