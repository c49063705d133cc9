//! What of a map is tiled.
//!
//! In: a map. Out: a [`Tiling`], if it pays. The body of the map is cut into [`Part`]s: code that each point runs for itself,
//! and loops that all points of a block run in step, because their bounds are the same for all. In the innermost
//! of these, reads whose offsets depend on the variable of the loop, but not on all indices of the block's rectangle, are
//! the same for several points:
//!
//! ```text
//! a[i,k]      k and the index down the rectangle:     one element for each row, [`Along::Down`]
//! b[k,j]      k and the index across:                 [`Along::Across`]
//! c[k]        k alone:                                [`Along::Nothing`]
//! ```
//!
//! With both of the first two in one loop the rectangle has two dimensions. Otherwise it is a line of points, and what
//! is read along it goes through shared memory only where that makes neighbouring threads read neighbouring elements.
//!
//! Only code without effects and checks, and with scalars as results, may come before the end of the last such loop: it is
//! also run by threads that have no point.

use super::super::Translate;
use crate::translate::place::At;
use fehu_algebra::{Poly, Sym};
use fehu_base::ops::{BinOp, ConvOp};
use fehu_base::prim::IntType;
use fehu_base::Name;
use fehu_ir::class::Class;
use fehu_ir::free::bound_in_exp;
use fehu_ir::mem::{poly, sym, sym_name, MemOp};
use fehu_ir::seg::{KernelReturn, SegOp};
use fehu_ir::{Body, Exp, Loop, LoopForm, Memory, Space, Stm, SubExp, Type};
use rustc_hash::{FxHashMap, FxHashSet};

/// The least constant bound of a loop that is worth the trouble.
const SHORT: i64 = 64;

/// How a map is tiled.
pub(super) struct Tiling<'a> {
    /// The dimension of the space that goes across the rectangle.
    pub(super) across: usize,
    /// The one that goes down, if the rectangle has two.
    pub(super) down: Option<usize>,
    /// The body. The last part is what is left to do after the last loop.
    pub(super) parts: Vec<Part<'a>>,
}

/// A piece of a body.
pub(super) enum Part<'a> {
    /// Code of each point.
    Points(Vec<&'a Stm<Memory>>),
    /// A loop that all points run in step.
    Together(InStep<'a>, Vec<Part<'a>>),
    /// The same, with tiles: the statements of its body that read them, which each stands for.
    Tiled(InStep<'a>, Vec<Read>),
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
}

/// Along which side of the rectangle a read changes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Along {
    Down,
    Across,
    Nothing,
}

impl Translate {
    /// How to tile a map, if it pays.
    pub(super) fn tiling<'a>(&self, seg: &'a SegOp<Memory>) -> Option<Tiling<'a>> {
        let elems = seg.body.returns.iter().all(|r| !matches!(r, KernelReturn::Tile(_)));
        if seg.grid.is_some() || !elems || seg.space.dims.is_empty() {
            return None;
        }
        let dims: Vec<Sym> = seg.space.dims.iter().map(|d| sym(d.0)).collect();
        let inside = bound_in_exp::<Memory>(&Exp::Op(MemOp::Seg(seg.clone()))).into_iter().collect();
        let last = dims.len() - 1;
        let pairs = (0..dims.len()).rev().flat_map(|x| (0..dims.len()).rev().map(move |y| (x, y)));
        let rectangles = pairs.filter(|(x, y)| x != y).map(|(x, y)| (x, Some(y)));
        for (across, down) in rectangles.chain([(last, None)]) {
            let mut planner = Planner {
                t: self,
                dims: &dims,
                across,
                down,
                inside: &inside,
                vars: vec![],
                known: FxHashMap::default(),
            };
            if let Some(parts) = planner.body(&seg.body.body) {
                if down.is_none() || parts.iter().any(Part::is_product) {
                    return Some(Tiling { across, down, parts });
                }
            }
        }
        None
    }
}

impl Part<'_> {
    /// Whether it has a loop with reads along both sides.
    fn is_product(&self) -> bool {
        match self {
            Part::Points(_) => false,
            Part::Together(_, parts) => parts.iter().any(Part::is_product),
            Part::Tiled(_, reads) => {
                [Along::Down, Along::Across].iter().all(|side| reads.iter().any(|r| r.along == *side))
            }
        }
    }

    /// Calls a function on the tiled loops.
    pub(super) fn for_each_tiled<'b>(&'b self, f: &mut impl FnMut(&'b InStep, &'b [Read])) {
        match self {
            Part::Points(_) => {}
            Part::Together(_, parts) => parts.iter().for_each(|p| p.for_each_tiled(f)),
            Part::Tiled(l, reads) => f(l, reads),
        }
    }
}

struct Planner<'t> {
    t: &'t Translate,
    dims: &'t [Sym],
    across: usize,
    down: Option<usize>,
    /// Names bound in the map.
    inside: &'t FxHashSet<Name>,
    /// The variables of loops in step around.
    vars: Vec<Sym>,
    /// Scalars that are polynomials.
    known: FxHashMap<Sym, Poly>,
}

impl Planner<'_> {
    /// The parts of a body, if some of it can be tiled.
    fn body<'a>(&mut self, body: &'a Body<Memory>) -> Option<Vec<Part<'a>>> {
        let mut parts: Vec<Part> = vec![];
        let mut points: Vec<&Stm<Memory>> = vec![];
        // What has no effects so far, and so may come before a loop in step.
        let mut plain = true;
        for stm in &body.stms {
            self.learn(stm);
            let tiled = if plain { self.in_step(stm) } else { None };
            match tiled {
                Some(part) => {
                    parts.push(Part::Points(std::mem::take(&mut points)));
                    parts.push(part);
                }
                None => {
                    plain &= is_plain(stm);
                    points.push(stm);
                }
            }
        }
        if parts.is_empty() {
            return None;
        }
        parts.push(Part::Points(points));
        Some(parts)
    }

    /// A loop that is run in step and has tiles.
    fn in_step<'a>(&mut self, stm: &'a Stm<Memory>) -> Option<Part<'a>> {
        let Exp::Loop(of) = &stm.exp else { return None };
        let LoopForm::For { var, ty, bound } = of.form else { return None };
        let uniform = match bound {
            SubExp::Var(n) => !self.inside.contains(&n),
            SubExp::Const(v) => v.as_i64().is_some_and(|n| n >= 1),
        };
        if !uniform || !is_plain(stm) {
            return None;
        }
        let this = InStep { stm, of, var, ty, bound };
        self.vars.push(sym(var));
        let inner = self.body(&of.body);
        let part = match inner {
            Some(parts) => Some(Part::Together(this, parts)),
            None => {
                let reads = self.reads(&of.body, sym(var));
                let long = bound.as_i64().is_none_or(|n| n >= SHORT);
                (long && !reads.is_empty()).then_some(Part::Tiled(this, reads))
            }
        };
        self.vars.pop();
        part
    }

    /// The reads of a loop's body that become tiles.
    fn reads(&self, body: &Body<Memory>, var: Sym) -> Vec<Read> {
        let mut found = vec![];
        for (number, stm) in body.stms.iter().enumerate() {
            let (Exp::Index(array, slice), [p]) = (&stm.exp, stm.pat.as_slice()) else { continue };
            if !matches!(p.ty, Type::Prim(_)) {
                continue;
            }
            let mut at = self.t.place_of(*array).sliced(slice);
            at.lmad.offset = at.lmad.offset.subst_all(|x| self.known.get(&x).cloned());
            found.extend(self.read(p.name, number, at, var));
        }
        found
    }

    fn read(&self, name: Name, stm: usize, at: At, var: Sym) -> Option<Read> {
        let offset = &at.lmad.offset;
        let free =
            |x: &Sym| self.dims.contains(x) || self.vars.contains(x) || !self.inside.contains(&sym_name(*x));
        let in_memory = matches!(self.t.space(at.block), Space::Default);
        if !offset.is_known() || !offset.mentions(var) || !offset.vars().iter().all(free) || !in_memory {
            return None;
        }
        let across = self.dims[self.across];
        let by_loop = offset.split_on(var).0.is_one();
        let goes_down = self.down.is_some_and(|d| offset.mentions(self.dims[d]));
        let along = match (goes_down, offset.mentions(across)) {
            (true, true) => return None,
            (true, false) => Along::Down,
            (false, true) => {
                // On a line, only what would be read in leaps otherwise.
                if self.down.is_none() && (!by_loop || offset.split_on(across).0.is_one()) {
                    return None;
                }
                Along::Across
            }
            (false, false) => Along::Nothing,
        };
        Some(Read { name, stm, at, along, by_loop })
    }

    /// Remembers scalars that are sums and products of others.
    fn learn(&mut self, stm: &Stm<Memory>) {
        let [p] = stm.pat.as_slice() else { return };
        let of = |e: SubExp| poly(e).subst_all(|x| self.known.get(&x).cloned());
        let value = match &stm.exp {
            Exp::SubExp(e) if p.ty == Type::I64 => of(*e),
            Exp::BinOp(BinOp::Add(IntType::I64), a, b) => of(*a) + of(*b),
            Exp::BinOp(BinOp::Sub(IntType::I64), a, b) => of(*a) - of(*b),
            Exp::BinOp(BinOp::Mul(IntType::I64), a, b) => of(*a) * of(*b),
            // The variable of a loop is what it counts, in any width.
            Exp::Conv(ConvOp::SExt(_, IntType::I64), SubExp::Var(x)) if self.vars.contains(&sym(*x)) => {
                poly((*x).into())
            }
            _ => return,
        };
        if value.is_known() {
            self.known.insert(sym(p.name), value);
        }
    }
}

/// Whether a statement gives scalars, or other names for arrays, without effects or checks.
pub(super) fn is_plain(stm: &Stm<Memory>) -> bool {
    let scalars = stm.pat.iter().all(|p| matches!(p.ty, Type::Prim(_)));
    match (stm.exp.class(), &stm.exp) {
        (Class::Arithmetic | Class::Opaque | Class::Function, _)
        | (Class::Read | Class::View | Class::Reshape, _) => {
            stm.pat.iter().all(|p| matches!(p.ty, Type::Prim(_) | Type::Array(..)))
        }
        (_, Exp::If(_, t, f)) => scalars && [t, f].iter().all(|b| b.stms.iter().all(is_plain)),
        (_, Exp::Loop(l)) => {
            let carried = l.params.iter().all(|(p, _)| matches!(p.ty, Type::Prim(_)));
            scalars && carried && l.body.stms.iter().all(is_plain)
        }
        _ => false,
    }
}

/// How many registers of 32 bits the values that a tiled loop carries take, for each point.
pub(super) fn carried_words(of: &Loop<Memory>) -> i64 {
    let words = |t: &Type| match t {
        Type::Prim(p) => (p.bytes() as i64 + 3) / 4,
        Type::Array(..) | Type::Acc(..) | Type::Mem(_) => 0,
    };
    of.params.iter().map(|(p, _)| words(&p.ty)).sum()
}
