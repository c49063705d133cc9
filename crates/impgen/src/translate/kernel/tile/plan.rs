//! The parts of a tiled map.
//!
//! In: a map, and the plan that says which of its loops have tiles, and what is read through them. Out: a
//! [`Tiling`], the body of the map cut into [`Part`]s: code that each point runs for itself, and loops that
//! all points of a block run in step.

use crate::translate::state::{At, Context};
use fehu_algebra::{Poly, Sym};
use fehu_analysis::polynomial::polynomial;
use fehu_base::prim::IntType;
use fehu_base::{bug, Name};
use fehu_ir::free::bound_in_exp;
use fehu_ir::mem::{sym, MemOp};
use fehu_ir::schedule::{Along, Tiled, TiledRead};
use fehu_ir::seg::SegOp;
use fehu_ir::{Basic, Body, Exp, Loop, LoopForm, Memory, Space, Stm, SubExp};
use rustc_hash::{FxHashMap, FxHashSet};

/// A map that is tiled.
pub(super) struct Tiling<'a> {
    /// The dimension of the space that goes across the rectangle.
    pub(super) across: usize,
    /// The one that goes down, if the rectangle has two.
    pub(super) down: Option<usize>,
    /// The body. The last part is what comes after the last loop.
    pub(super) parts: Vec<Part<'a>>,
    /// Whether all its loops are products that warps can compute.
    pub(super) product: bool,
}

/// A piece of a body.
pub(super) enum Part<'a> {
    /// Code of each point.
    Points(Vec<&'a Stm<Memory>>),
    /// A loop that all points run in step.
    Together(InStep<'a>, Vec<Part<'a>>),
    /// The same, with tiles.
    Tiled(TiledStep<'a>),
}

/// A loop with tiles.
pub(super) struct TiledStep<'a> {
    pub(super) l: InStep<'a>,
    /// The statements of its body that read tiles.
    pub(super) reads: Vec<Read>,
    /// Whether whole steps are unrolled.
    pub(super) unrolled: bool,
    /// If it is a product that warps can compute, the numbers of the statements that compute the factors that
    /// change down and across.
    pub(super) product: Option<[usize; 2]>,
}

/// A loop with the same bound for all points.
#[derive(Clone, Copy)]
pub(super) struct InStep<'a> {
    pub(super) stm: &'a Stm<Memory>,
    pub(super) of: &'a Loop<Memory>,
    pub(super) var: Name,
    pub(super) ty: IntType,
    pub(super) bound: SubExp,
}

/// A read that goes through shared memory.
pub(super) struct Read {
    /// What is read.
    pub(super) name: Name,
    /// The number of the statement in the body of the loop.
    pub(super) stm: usize,
    /// Where, in terms of the indices of the point, the variables of loops in step, and names from outside of the map.
    pub(super) at: At,
    pub(super) along: Along,
    /// Whether neighbours in the loop are neighbours in memory; otherwise, neighbours along the rectangle are.
    pub(super) by_loop: bool,
    /// Whether it reads a block of device memory that is there before the kernel, and so can be copied ahead.
    pub(super) from_device: bool,
}

/// The parts of a map that a plan says to tile.
pub(crate) fn tiling<'a>(t: &Context, seg: &'a SegOp<Memory>, plan: &Tiled) -> Tiling<'a> {
    let inside = bound_in_exp::<Memory>(&Exp::Op(MemOp::Seg(seg.clone()))).into_iter().collect();
    let parts = Cut { t, plan, inside, vars: vec![], known: FxHashMap::default() }.parts(&seg.body.body);
    let Some(parts) = parts else { bug!("none of the tiled loops is there") };
    let product = plan.loops.iter().all(|l| l.product.is_some());
    Tiling { across: plan.across, down: plan.down, parts, product }
}

impl Part<'_> {
    /// Calls a function on the tiled loops.
    pub(super) fn for_each_tiled<'b>(&'b self, f: &mut impl FnMut(&'b InStep, &'b [Read])) {
        match self {
            Part::Points(_) => {}
            Part::Together(_, parts) => parts.iter().for_each(|p| p.for_each_tiled(f)),
            Part::Tiled(TiledStep { l, reads, .. }) => f(l, reads),
        }
    }
}

/// Cuts a body into parts.
struct Cut<'t> {
    t: &'t Context,
    plan: &'t Tiled,
    /// Names bound in the map.
    inside: FxHashSet<Name>,
    /// The variables of loops around.
    vars: Vec<Sym>,
    /// Scalars that are polynomials.
    known: FxHashMap<Sym, Poly>,
}

impl Cut<'_> {
    /// The parts of a body, if some of it is tiled.
    fn parts<'a>(&mut self, body: &'a Body<Memory>) -> Option<Vec<Part<'a>>> {
        let mut parts: Vec<Part> = vec![];
        let mut points: Vec<&Stm<Memory>> = vec![];
        for stm in &body.stms {
            self.learn(stm);
            match self.in_step(stm) {
                Some(part) => {
                    parts.push(Part::Points(std::mem::take(&mut points)));
                    parts.push(part);
                }
                None => points.push(stm),
            }
        }
        if parts.is_empty() {
            return None;
        }
        parts.push(Part::Points(points));
        Some(parts)
    }

    /// A loop with tiles, or with loops that have some.
    fn in_step<'a>(&mut self, stm: &'a Stm<Memory>) -> Option<Part<'a>> {
        let Exp::Loop(of) = &stm.exp else { return None };
        let LoopForm::For { var, ty, bound } = of.form else { return None };
        let this = InStep { stm, of, var, ty, bound };
        self.vars.push(sym(var));
        let part = match self.plan.loops.iter().find(|l| l.var == var) {
            Some(l) => {
                of.body.stms.iter().for_each(|stm| self.learn(stm));
                let reads = l.reads.iter().map(|read| self.read(&of.body, read)).collect();
                let product = l.product.map(|factors| factors.map(|x| self.computed_by(&of.body, x)));
                Some(Part::Tiled(TiledStep { l: this, reads, unrolled: l.unrolled, product }))
            }
            None => self.parts(&of.body).map(|parts| Part::Together(this, parts)),
        };
        self.vars.pop();
        part
    }

    /// The number of the statement that computes a scalar.
    fn computed_by(&self, body: &Body<Memory>, name: Name) -> usize {
        let found = body.stms.iter().position(|s| s.pat.iter().any(|p| p.name == name));
        found.unwrap_or_else(|| bug!("{} is not in the loop that is tiled", self.t.names.show(name)))
    }

    fn read(&self, body: &Body<Memory>, read: &TiledRead) -> Read {
        let TiledRead { name, along, by_loop } = *read;
        let stm = self.computed_by(body, name);
        let Exp::Basic(Basic::Index(array, slice)) = &body.stms[stm].exp else {
            bug!("{} is not read in the loop that is tiled", self.t.names.show(name))
        };
        let mut at = self.t.place_of(*array).sliced(slice);
        at.lmad.offset = at.lmad.offset.subst_all(|x| self.known.get(&x).cloned());
        let from_device = self.t.space(at.block) == Space::Default && !self.inside.contains(&at.block);
        Read { name, stm, at, along, by_loop, from_device }
    }

    /// Remembers scalars that are sums and products of others.
    fn learn(&mut self, stm: &Stm<Memory>) {
        let [p] = stm.pat.as_slice() else { return };
        let counts = |x: Sym| self.vars.contains(&x);
        if let Some(value) = polynomial(stm, &self.known, counts) {
            self.known.insert(sym(p.name), value);
        }
    }
}
