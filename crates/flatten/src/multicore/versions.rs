//! Sequential or parallel inside: chosen at run time by how much there is outside, and inside.
//!
//! Attributes that ask for no version with outer parallelism only are for GPUs: here, sizes decide.
//!
//! Where the points are enough, but inner sizes differ from point to point, one point may have most of the
//! work: the others are done long before it. So an inner operation whose size belongs to the point has both
//! versions, and each point chooses:
//!
//! ```text
//! map (\n -> reduce (+) 0 (map f (iota n))) ns
//!
//! segmap(task; i < m) { if ns[i] >= 2^14 then segred(task; j < ns[i]) {...} else loop ... }
//! ```

use super::estimate::Estimate;
use super::host::Form;
use super::worth::{nest, parallel_inside};
use super::{Inside, Multi};
use crate::gpu::steer::Steer;
use fehu_base::ops::{BinOp, CmpOp};
use fehu_base::prim::IntType;
use fehu_base::tuning::multicore;
use fehu_base::Name;
use fehu_ir::free::bound_in_body;
use fehu_ir::seg::{KernelsOp, SizeClass, SizeOp};
use fehu_ir::soac::Soac;
use fehu_ir::subst::rename_stm;
use fehu_ir::types::body_types;
use fehu_ir::{Body, Exp, Kernels, Lambda, Soacs, Stm, SubExp, Type};
use rustc_hash::FxHashSet;

/// An operation of one level: its width, whether there may be parallelism inside of it, and what that takes.
fn in_one(width: SubExp, lambda: &Lambda<Soacs>) -> (Vec<SubExp>, bool, Option<Estimate>) {
    let estimate = Estimate::of(&lambda.body, &names_in(lambda));
    (vec![width], parallel_inside(&lambda.body), estimate)
}

fn names_in(lambda: &Lambda<Soacs>) -> FxHashSet<Name> {
    let mut names: FxHashSet<Name> = bound_in_body(&lambda.body).into_iter().collect();
    names.extend(lambda.params.iter().map(|p| p.name));
    names
}

impl Multi {
    /// A map, reduction, scan or scatter as one operation, in the versions that are worth having.
    pub(super) fn versions(&mut self, stm: Stm<Soacs>) {
        let (widths, nested, estimate) = match &stm.exp {
            Exp::Op(Soac::Screma(s)) if s.scans.is_empty() && s.reds.is_empty() => {
                let (levels, inner) = nest(s.clone());
                let mut own = names_in(&inner);
                own.extend(levels.iter().flat_map(|l| &l.params).map(|p| p.name));
                own.extend(levels.iter().flat_map(|l| &l.stms).flat_map(|s| &s.pat).map(|p| p.name));
                let widths = levels.iter().map(|l| l.width).collect();
                (widths, parallel_inside(&inner.body), Estimate::of(&inner.body, &own))
            }
            Exp::Op(Soac::Screma(s)) => in_one(s.width, &s.map),
            Exp::Op(Soac::Scatter(s)) => in_one(s.width, &s.lambda),
            Exp::Basic(_) | Exp::Call(..) | Exp::If(..) | Exp::Loop(_) | Exp::WithAcc(_) | Exp::Op(_) => {
                (vec![], false, None)
            }
        };
        let steer = Steer::of(&stm.attrs);
        let inside = match nested {
            false => Some(Inside::Sequential),
            true if steer.no_inner || self.versions >= multicore::VERSIONS => Some(Inside::Sequential),
            true => None,
        };
        match inside {
            Some(inside) => self.decorated(stm, |m, pat, exp| m.one(pat, exp, inside)),
            None => {
                self.versions += 1;
                self.decorated(stm.clone(), |m, pat, _| {
                    let workers = m.workers();
                    let others = m.seq.b.sub64(workers, SubExp::i64(1));
                    let enough = m.seq.b.mul64(others, SubExp::i64(multicore::TASKS_PER_WORKER));
                    let par = m.seq.b.product(&widths);
                    let mut cond = m.seq.b.cmp(CmpOp::SLe(IntType::I64), enough, par);
                    if let Some(estimate) = &estimate {
                        let as_soon = m.as_soon(par, workers, estimate);
                        cond = m.seq.b.bin(BinOp::LogOr, cond, as_soon);
                    }
                    let yes = m.version(&stm, |m, s| {
                        m.decorated(s, |m, pat, exp| m.one(pat, exp, Inside::Sequential));
                    });
                    let no = m.version(&stm, |m, s| {
                        m.decorated(s, |m, pat, exp| m.one(pat, exp, Inside::Parallel));
                    });
                    m.seq.b.bind_names(pat, Exp::If(cond, Box::new(yes), Box::new(no)));
                });
            }
        }
    }

    /// The code of a point, with these names in it: sequential, but for operations whose size belongs to the
    /// point, and is large.
    pub(super) fn uneven(&mut self, body: Body<Soacs>, inside: &FxHashSet<Name>) -> Vec<SubExp> {
        for stm in body.stms {
            let width = match &stm.exp {
                Exp::Op(Soac::Screma(s)) if matches!(Self::shape_of(s), Form::One) => Some(s.width),
                Exp::Op(Soac::Scatter(s)) => Some(s.width),
                Exp::Basic(_) | Exp::Call(..) | Exp::If(..) | Exp::Loop(_) | Exp::WithAcc(_) | Exp::Op(_) => {
                    None
                }
            };
            let steer = Steer::of(&stm.attrs);
            match width.filter(|w| w.name().is_some_and(|n| inside.contains(&n))) {
                Some(width) if !steer.sequential && self.versions < multicore::VERSIONS => {
                    self.versions += 1;
                    self.decorated(stm.clone(), |m, pat, _| {
                        let large = SubExp::i64(multicore::LARGE_POINT_ELEMENTS);
                        let cond = m.seq.b.cmp(CmpOp::SLe(IntType::I64), large, width);
                        let yes = m.version(&stm, |m, s| {
                            m.decorated(s, |m, pat, exp| m.one(pat, exp, Inside::Sequential));
                        });
                        let no = m.version(&stm, |m, s| m.seq.stm(s));
                        m.seq.b.bind_names(pat, Exp::If(cond, Box::new(yes), Box::new(no)));
                    });
                }
                Some(_) | None => self.seq.stm(stm),
            }
        }
        body.result
    }

    /// A body with a copy of a statement in it, whose results it returns.
    pub(super) fn version(
        &mut self,
        stm: &Stm<Soacs>,
        f: impl FnOnce(&mut Self, Stm<Soacs>),
    ) -> Body<Kernels> {
        let mut copy = rename_stm(&mut self.seq.b.names, stm);
        copy.certs.clear();
        let result = copy.pat.iter().map(|p| SubExp::Var(p.name)).collect();
        let alone = Body { stms: vec![copy.clone()], result: vec![] };
        self.seq.b.types.extend(body_types(&alone));
        self.nested(|m| {
            f(m, copy);
            result
        })
    }

    /// How many workers there are.
    pub(super) fn workers(&mut self) -> SubExp {
        let size = SizeOp::GetSizeMax(SizeClass::GridSize);
        self.seq.b.bind("workers", Type::I64, Exp::Op(KernelsOp::Size(size))).into()
    }
}
