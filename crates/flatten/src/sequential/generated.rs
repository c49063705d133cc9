//! Updates by arrays that are computed from indices and scalars alone.
//!
//! What is the same in all iterations of a loop, or all points of a task, is computed before it, also an
//! array that each iteration puts into another one. If an element takes a few instructions, to compute it
//! again costs no more than to read it, and there need be no array to copy from:
//!
//! ```text
//! ts = map (\i -> i + x) (iota 2)            loop ... {
//! loop ... { ys' = ys with [3:5] = ts }  =>    ys' = loop (*p = ys) for i < 2 { p with [3 + i] = i + x } }
//! ```
//!
//! An array that is computed in the same body as the update is left alone: it is computed where it is put
//! (`memory/shortcircuit`).

use super::{Bindings, Goal, Seq};
use fehu_base::prim::IntType;
use fehu_base::{bug, Name};
use fehu_ir::soac::{Screma, Soac};
use fehu_ir::subst::rename_lambda;
use fehu_ir::{Basic, DimIndex, Exp, Lambda, Loop, LoopForm, Param, Slice, Soacs, Stm, SubExp, Type};
use rustc_hash::FxHashMap;

/// Instructions of an element that may be computed again, at most.
const MAX_INSTRUCTIONS: usize = 3;

/// Arrays whose elements are known by their indices.
#[derive(Default)]
pub(super) struct Known {
    /// The first element and the step of ranges.
    ranges: FxHashMap<Name, (SubExp, SubExp)>,
    maps: FxHashMap<Name, Generated>,
}

/// A map over ranges.
#[derive(Clone)]
struct Generated {
    /// The first element and the step of each range.
    ranges: Vec<(SubExp, SubExp)>,
    map: Lambda<Soacs>,
    certs: Vec<Name>,
    /// How many bodies are around it.
    depth: usize,
}

impl<R: Goal> Seq<R> {
    /// Remembers an array if its elements are known by their indices.
    pub(crate) fn learn_generated(&mut self, pat: &Bindings, exp: &Exp<Soacs>) {
        let [(name, ty)] = pat.as_slice() else { return };
        match exp {
            Exp::Basic(Basic::Iota { start, step, ty: IntType::I64, n: _ }) => {
                self.known.ranges.insert(*name, (*start, *step));
            }
            Exp::Op(Soac::Screma(s)) if ty.rank() == 1 && is_generator(s) => {
                let ranges: Option<Vec<_>> =
                    s.arrays.iter().map(|a| self.known.ranges.get(a).copied()).collect();
                let Some(ranges) = ranges else { return };
                let (certs, depth) = (self.b.certs.clone(), self.b.depth());
                self.known.maps.insert(*name, Generated { ranges, map: s.map.clone(), certs, depth });
            }
            Exp::Basic(_) | Exp::Call(..) | Exp::If(..) | Exp::Loop(_) | Exp::WithAcc(_) | Exp::Op(_) => {}
        }
    }

    /// The map that an update copies, from outside of the body that the update is in.
    fn generated_outside(&self, source: SubExp) -> Option<Generated> {
        let found = self.known.maps.get(&source.name()?)?;
        (found.depth < self.b.depth()).then(|| found.clone())
    }

    /// Binds an update of part of an array.
    pub(super) fn put(&mut self, pat: Bindings, array: Name, slice: Slice, source: SubExp) {
        let dimension = slice.iter().enumerate().find_map(|(at, d)| match d {
            DimIndex::Slice { start, len, stride } => Some((at, *start, *len, *stride)),
            DimIndex::Fix(_) => None,
        });
        let (Some(source), Some((at, start, len, stride)), [(_, ty)]) =
            (self.generated_outside(source), dimension, pat.as_slice())
        else {
            self.b.bind_names(pat, Exp::Basic(Basic::Update(array, slice, source)));
            return;
        };
        let ty = ty.clone();
        let param = self.b.names.fresh_like(array);
        self.b.types.insert(param, ty.clone());
        let i = self.b.fresh("i", Type::I64);
        let body = self.undecorated(|seq| {
            seq.b.begin();
            let value = seq.element(&source, i.into());
            let offset = seq.b.mul64(i.into(), stride);
            let mut place = slice;
            place[at] = DimIndex::Fix(seq.b.add64(start, offset));
            let put = Exp::Basic(Basic::Update(param, place, value));
            let out = seq.b.bind("out", ty.clone(), put);
            seq.b.end(vec![out.into()])
        });
        let params = vec![(Param { name: param, ty, dec: (), consumed: true }, array.into())];
        let form = LoopForm::For { var: i, ty: IntType::I64, bound: len };
        self.b.certs.extend(source.certs);
        self.b.bind_names(pat, Exp::Loop(Box::new(Loop { params, form, body })));
    }

    /// The element at an index, computed in the current body.
    fn element(&mut self, source: &Generated, i: SubExp) -> SubExp {
        let lambda = rename_lambda(&mut self.b.names, &source.map);
        self.learn_types(&lambda);
        for (param, (start, step)) in lambda.params.iter().zip(&source.ranges) {
            let offset = self.b.mul64(i, *step);
            let element = self.b.add64(*start, offset);
            self.b.bind_names(vec![(param.name, param.ty.clone())], Exp::Basic(Basic::SubExp(element)));
        }
        match self.inline(lambda.body)[..] {
            [value] => value,
            ref values => bug!("a map of one result has {} values", values.len()),
        }
    }
}

/// Whether the points of a map read nothing, cannot fail and take a few instructions.
fn is_generator(s: &Screma<Soacs>) -> bool {
    let simple = |stm: &Stm<Soacs>| match &stm.exp {
        Exp::Basic(b @ (Basic::UnOp(..) | Basic::BinOp(..) | Basic::CmpOp(..) | Basic::Conv(..))) => {
            b.is_total()
        }
        Exp::Basic(_) | Exp::Call(..) | Exp::If(..) | Exp::Loop(_) | Exp::WithAcc(_) | Exp::Op(_) => false,
    };
    let stms = &s.map.body.stms;
    s.scans.is_empty() && s.reds.is_empty() && stms.len() <= MAX_INSTRUCTIONS && stms.iter().all(simple)
}
