//! Maps whose few points do different things become the statements of their points.
//!
//! Before: any valid program over `Soacs`. After: in functions that call themselves, a map or reduction over
//! a range of a few constants, in whose function a branch is known at each point, and sides of which make
//! calls of the recursion, is no map any more:
//!
//! ```text
//! reduce (+) 0 (map (\side -> if side == 0 then f xs else f ys) (iota 2))      =>      let a = f xs
//!                                                                                      let b = f ys
//!                                                                                      in  0 + a + b
//! ```
//!
//! [`crate::irregular`] would divide the points of such a map, of all calls of one depth, by a condition that
//! is known, and gather the arrays of each side for the points that take it, which are all points. Statements
//! that do not need each other's results are done together, so nothing is lost: both calls are one
//! (`irregular/together`). In `bench/quicksort.fut` 44 kernels and copies for each depth become 25, of which
//! none copies elements.
//!
//! A map without such a branch stays: its points do the same, and one operation for all of them is better than several.

use fehu_base::prim::{IntType, PrimValue};
use fehu_base::tuning::flattening;
use fehu_base::{Name, NameSource};
use fehu_ir::soac::{Screma, Soac};
use fehu_ir::subst::{rename_lambda, Subst};
use fehu_ir::visit::{deep, for_each_stm, map_bodies};
use fehu_ir::{Basic, Body, Exp, Prog, Soacs, Stm, SubExp, Type};
use fehu_pass::{Need, Pass};
use rustc_hash::{FxHashMap, FxHashSet};

/// The pass.
pub static PASS: Pass<Prog<Soacs>> = Pass { name: "few-points", need: Need::Optional, run };

fn run(prog: &mut Prog<Soacs>) {
    let recursive = fehu_analysis::recursion::recursive(&prog.funs);
    if recursive.is_empty() {
        return;
    }
    let mut pass = FewPoints {
        names: std::mem::replace(&mut prog.names, NameSource::new()),
        recursive,
        ranges: FxHashMap::default(),
    };
    for fun in &mut prog.funs {
        if !pass.recursive.contains(&fun.name) {
            continue;
        }
        for_each_stm(&fun.body, &mut |stm| pass.ranges.extend(range_of(stm)));
        pass.body(&mut fun.body);
    }
    prog.names = pass.names;
}

/// A range of constants: the first, and the difference.
type Range = (IntType, i64, i64);

fn range_of(stm: &Stm<Soacs>) -> Option<(Name, Range)> {
    let Exp::Basic(Basic::Iota { start, step, ty, .. }) = &stm.exp else { return None };
    Some((stm.pat.first()?.name, (*ty, start.as_i64()?, step.as_i64()?)))
}

struct FewPoints {
    names: NameSource,
    /// The functions that call themselves.
    recursive: FxHashSet<Name>,
    ranges: FxHashMap<Name, Range>,
}

impl FewPoints {
    fn body(&mut self, body: &mut Body<Soacs>) {
        deep(|| {
            let mut out = Vec::with_capacity(body.stms.len());
            for mut stm in std::mem::take(&mut body.stms) {
                map_bodies(&mut stm.exp, &mut |inner| self.body(inner));
                match self.points(&stm) {
                    Some(stms) => out.extend(stms),
                    None => out.push(stm),
                }
            }
            body.stms = out;
        });
    }

    /// The statements of all points of a map, and of what combines and keeps their results.
    fn points(&mut self, stm: &Stm<Soacs>) -> Option<Vec<Stm<Soacs>>> {
        let Exp::Op(Soac::Screma(s)) = &stm.exp else { return None };
        let width = s.width.as_i64().filter(|w| (1..=flattening::FEW_POINTS).contains(w))?;
        let scalars = s.map.ret.iter().all(|t| matches!(t, Type::Prim(_)));
        if !s.scans.is_empty() || !scalars || !stm.attrs.is_empty() || !self.has_calls(&s.map.body) {
            return None;
        }
        let ranges: Option<Vec<Range>> = s.arrays.iter().map(|a| self.ranges.get(a).copied()).collect();
        let ranges = ranges?;
        let mut all = vec![];
        let mut results = vec![];
        let mut decided = false;
        for k in 0..width {
            let lambda = rename_lambda(&mut self.names, &s.map);
            let mut known = Subst::new();
            for (p, (ty, start, step)) in lambda.params.iter().zip(&ranges) {
                let place = start.wrapping_add(k.wrapping_mul(*step));
                known.insert(p.name, SubExp::int(*ty, place));
            }
            let mut point = Point { pass: self, known, stms: vec![], decided: false };
            point.stms_of(lambda.body.stms);
            decided |= point.decided;
            results.push(lambda.body.result.iter().map(|e| point.known.operand(*e)).collect::<Vec<_>>());
            all.append(&mut point.stms);
        }
        if !decided {
            return None;
        }
        self.combined(stm, s, &results, &mut all);
        all.iter_mut().for_each(|new| new.certs.extend(&stm.certs));
        Some(all)
    }

    /// Binds what the map gives, from the results of its points.
    fn combined(
        &mut self,
        stm: &Stm<Soacs>,
        s: &Screma<Soacs>,
        results: &[Vec<SubExp>],
        all: &mut Vec<Stm<Soacs>>,
    ) {
        let bare = |p: usize, exp: Basic| Stm {
            pat: vec![stm.pat[p].clone()],
            exp: Exp::Basic(exp),
            certs: vec![],
            attrs: vec![],
            loc: stm.loc.clone(),
        };
        let mut at = 0;
        for red in &s.reds {
            let values = red.neutral.len();
            let mut sum = red.neutral.clone();
            for given in results {
                let op = rename_lambda(&mut self.names, &red.op);
                let mut known = Subst::new();
                for (p, e) in op.params.iter().zip(sum.iter().chain(&given[at..at + values])) {
                    known.insert(p.name, *e);
                }
                let mut body = op.body;
                known.body(&mut body);
                all.append(&mut body.stms);
                sum = body.result;
            }
            all.extend(sum.into_iter().enumerate().map(|(i, e)| bare(at + i, Basic::SubExp(e))));
            at += values;
        }
        for (i, ty) in s.map.ret.iter().enumerate().skip(at) {
            let elements = results.iter().map(|given| given[i]).collect();
            all.push(bare(i, Basic::ArrayLit(elements, ty.clone())));
        }
    }

    /// Whether a body calls a function that calls itself.
    fn has_calls(&self, body: &Body<Soacs>) -> bool {
        let mut any = false;
        for_each_stm(body, &mut |stm| {
            any |= matches!(&stm.exp, Exp::Call(fun, _) if self.recursive.contains(fun));
        });
        any
    }
}

/// One point of a map.
struct Point<'a> {
    pass: &'a mut FewPoints,
    /// What is known of its names.
    known: Subst,
    stms: Vec<Stm<Soacs>>,
    /// Whether a branch with calls on its sides is known.
    decided: bool,
}

impl Point<'_> {
    fn stms_of(&mut self, stms: Vec<Stm<Soacs>>) {
        for mut stm in stms {
            self.known.stm(&mut stm);
            if let (Some(value), [p], []) = (constant(&stm.exp), &stm.pat[..], &stm.certs[..]) {
                self.known.insert(p.name, SubExp::Const(value));
                continue;
            }
            match stm.exp {
                Exp::If(SubExp::Const(cond), yes, no) => {
                    self.decided |= self.pass.has_calls(&yes) || self.pass.has_calls(&no);
                    let Body { stms, result } = if cond == PrimValue::Bool(true) { *yes } else { *no };
                    let first = self.stms.len();
                    deep(|| self.stms_of(stms));
                    self.stms[first..].iter_mut().for_each(|new| new.certs.extend(&stm.certs));
                    for (p, e) in stm.pat.iter().zip(result) {
                        self.known.insert(p.name, self.known.operand(e));
                    }
                }
                exp @ (Exp::If(SubExp::Var(_), ..)
                | Exp::Basic(_)
                | Exp::Call(..)
                | Exp::Loop(_)
                | Exp::WithAcc(_)
                | Exp::Op(_)) => self.stms.push(Stm { exp, ..stm }),
            }
        }
    }
}

/// The value of a scalar expression of constants.
fn constant(exp: &Exp<Soacs>) -> Option<PrimValue> {
    let value = |e: &SubExp| match e {
        SubExp::Const(v) => Some(*v),
        SubExp::Var(_) => None,
    };
    let Exp::Basic(basic) = exp else { return None };
    match basic {
        Basic::SubExp(e) => value(e),
        Basic::UnOp(op, x) => op.eval(value(x)?),
        Basic::BinOp(op, x, y) => op.eval(value(x)?, value(y)?),
        Basic::CmpOp(op, x, y) => Some(PrimValue::Bool(op.eval(value(x)?, value(y)?)?)),
        Basic::Conv(op, x) => op.eval(value(x)?),
        Basic::Opaque(_)
        | Basic::PrimFn(..)
        | Basic::Assert(..)
        | Basic::ArrayLit(..)
        | Basic::ArrayConst(_)
        | Basic::Index(..)
        | Basic::Update(..)
        | Basic::FlatIndex(..)
        | Basic::FlatUpdate(..)
        | Basic::Iota { .. }
        | Basic::Replicate(..)
        | Basic::Scratch(..)
        | Basic::Copy(_)
        | Basic::Manifest(..)
        | Basic::Concat { .. }
        | Basic::Rearrange(..)
        | Basic::Reshape(..)
        | Basic::UpdateAcc(..) => None,
    }
}
