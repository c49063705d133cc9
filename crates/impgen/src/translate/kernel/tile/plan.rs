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
//! With both of the first two in one loop the rectangle has two dimensions. Otherwise it is a line of points, which have only
//! what depends on the loop alone in common. (Rows of single points are better read as they are, from the first-level cache: on
//! an H200, 4096 rows of 4096 floats are read in 0.55 ms so, and in 1.49 ms through shared memory.)
//!
//! Only code without effects and checks, and with scalars as results, may come before the end of the last such loop: it is
//! also run by threads that have no point.

use super::super::Translate;
use crate::translate::place::At;
use fehu_algebra::{Poly, Sym};
use fehu_base::ops::{BinOp, ConvOp};
use fehu_base::prim::IntType;
use fehu_base::Name;
use fehu_ir::free::bound_in_exp;
use fehu_ir::mem::{poly, sym, sym_name, MemOp};
use fehu_ir::seg::{KernelReturn, SegOp};
use fehu_ir::{Basic, Body, Exp, Loop, LoopForm, Memory, Space, Stm, SubExp, Type};
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
        let (vars, known) = (vec![], FxHashMap::default());
        let found = Survey { t: self, dims: &dims, inside: &inside, vars, known }.body(&seg.body.body)?;
        let last = dims.len() - 1;
        let pairs = (0..dims.len()).rev().flat_map(|x| (0..dims.len()).rev().map(move |y| (x, y)));
        let rectangles = pairs.filter(|(x, y)| x != y).map(|(x, y)| (x, Some(y)));
        for (across, down) in rectangles.chain([(last, None)]) {
            let sides = Sides { across: dims[across], down: down.map(|d| dims[d]) };
            if let Some(parts) = sides.parts(&found) {
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

/// What there is in a body, whichever dimensions the sides of the rectangle are.
enum Found<'a> {
    /// Code of each point.
    Point(&'a Stm<Memory>),
    /// A loop that may be run in step, what is in it, and the reads of its body that depend on its variable.
    Loop(InStep<'a>, Vec<Found<'a>>, Vec<Candidate>),
}

/// A read that goes through shared memory if the sides of the rectangle are right.
struct Candidate {
    name: Name,
    stm: usize,
    at: At,
    by_loop: bool,
}

/// Looks through a body once.
struct Survey<'t> {
    t: &'t Translate,
    dims: &'t [Sym],
    /// Names bound in the map.
    inside: &'t FxHashSet<Name>,
    /// The variables of loops in step around.
    vars: Vec<Sym>,
    /// Scalars that are polynomials.
    known: FxHashMap<Sym, Poly>,
}

impl Survey<'_> {
    /// What is in a body, if that may have tiles.
    fn body<'a>(&mut self, body: &'a Body<Memory>) -> Option<Vec<Found<'a>>> {
        // What has no effects so far, and so may come before a loop in step.
        let mut plain = true;
        let mut found = vec![];
        for stm in &body.stms {
            self.learn(stm);
            plain &= stm.is_plain();
            let in_step = if plain { self.in_step(stm) } else { None };
            found.push(in_step.unwrap_or(Found::Point(stm)));
        }
        found.iter().any(|f| matches!(f, Found::Loop(..))).then_some(found)
    }

    /// A loop without effects that can be run in step and may have tiles.
    fn in_step<'a>(&mut self, stm: &'a Stm<Memory>) -> Option<Found<'a>> {
        let Exp::Loop(of) = &stm.exp else { return None };
        let LoopForm::For { var, ty, bound } = of.form else { return None };
        let uniform = match bound {
            SubExp::Var(n) => !self.inside.contains(&n),
            SubExp::Const(v) => v.as_i64().is_some_and(|n| n >= 1),
        };
        if !uniform {
            return None;
        }
        self.vars.push(sym(var));
        let inner = self.body(&of.body).unwrap_or_default();
        let long = bound.as_i64().is_none_or(|n| n >= SHORT);
        let reads = if long { self.reads(&of.body, sym(var)) } else { vec![] };
        self.vars.pop();
        let tiles = !inner.is_empty() || !reads.is_empty();
        tiles.then_some(Found::Loop(InStep { stm, of, var, ty, bound }, inner, reads))
    }

    /// The reads of a loop's body that depend on its variable.
    fn reads(&self, body: &Body<Memory>, var: Sym) -> Vec<Candidate> {
        let mut found = vec![];
        for (number, stm) in body.stms.iter().enumerate() {
            let (Exp::Basic(Basic::Index(array, slice)), [p]) = (&stm.exp, stm.pat.as_slice()) else {
                continue;
            };
            if !matches!(p.ty, Type::Prim(_)) {
                continue;
            }
            let mut at = self.t.place_of(*array).sliced(slice);
            if at.offset().is_none() {
                continue;
            }
            at.lmad.offset = at.lmad.offset.subst_all(|x| self.known.get(&x).cloned());
            if self.can_be_tile(&at, var) {
                let by_loop = at.lmad.offset.split_on(var).0.is_one();
                found.push(Candidate { name: p.name, stm: number, at, by_loop });
            }
        }
        found
    }

    fn can_be_tile(&self, at: &At, var: Sym) -> bool {
        let offset = &at.lmad.offset;
        let free =
            |x: &Sym| self.dims.contains(x) || self.vars.contains(x) || !self.inside.contains(&sym_name(*x));
        let in_memory = matches!(self.t.space(at.block), Space::Default);
        offset.is_known() && offset.mentions(var) && offset.vars().iter().all(free) && in_memory
    }

    /// Remembers scalars that are sums and products of others.
    fn learn(&mut self, stm: &Stm<Memory>) {
        let [p] = stm.pat.as_slice() else { return };
        let of = |e: SubExp| poly(e).subst_all(|x| self.known.get(&x).cloned());
        let value = match &stm.exp {
            Exp::Basic(Basic::SubExp(e)) if p.ty == Type::I64 => of(*e),
            Exp::Basic(Basic::BinOp(BinOp::Add(IntType::I64), a, b)) => of(*a) + of(*b),
            Exp::Basic(Basic::BinOp(BinOp::Sub(IntType::I64), a, b)) => of(*a) - of(*b),
            Exp::Basic(Basic::BinOp(BinOp::Mul(IntType::I64), a, b)) => of(*a) * of(*b),
            // The variable of a loop is what it counts, in any width.
            Exp::Basic(Basic::Conv(ConvOp::SExt(_, IntType::I64), SubExp::Var(x)))
                if self.vars.contains(&sym(*x)) =>
            {
                poly((*x).into())
            }
            _ => return,
        };
        if value.is_known() {
            self.known.insert(sym(p.name), value);
        }
    }
}

/// The dimensions that the sides of the rectangle are.
struct Sides {
    across: Sym,
    down: Option<Sym>,
}

impl Sides {
    /// The parts of a body, if some of it is tiled.
    fn parts<'a>(&self, found: &[Found<'a>]) -> Option<Vec<Part<'a>>> {
        let mut parts: Vec<Part> = vec![];
        let mut points: Vec<&Stm<Memory>> = vec![];
        for f in found {
            match f {
                Found::Point(stm) => points.push(stm),
                Found::Loop(this, inner, reads) => match self.tiled(*this, inner, reads) {
                    Some(part) => {
                        parts.push(Part::Points(std::mem::take(&mut points)));
                        parts.push(part);
                    }
                    None => points.push(this.stm),
                },
            }
        }
        if parts.is_empty() {
            return None;
        }
        parts.push(Part::Points(points));
        Some(parts)
    }

    /// A loop with its tiles, or those of loops in it.
    fn tiled<'a>(&self, this: InStep<'a>, inner: &[Found<'a>], reads: &[Candidate]) -> Option<Part<'a>> {
        if let Some(parts) = self.parts(inner) {
            return Some(Part::Together(this, parts));
        }
        let read = |r: &Candidate| {
            let Candidate { name, stm, ref at, by_loop } = *r;
            Some(Read { name, stm, at: at.clone(), along: self.along(r)?, by_loop })
        };
        let reads: Vec<Read> = reads.iter().filter_map(read).collect();
        (!reads.is_empty()).then_some(Part::Tiled(this, reads))
    }

    /// Along which side a read changes, if it can be a tile.
    fn along(&self, read: &Candidate) -> Option<Along> {
        let offset = &read.at.lmad.offset;
        match (self.down.is_some_and(|d| offset.mentions(d)), offset.mentions(self.across)) {
            (true, true) => None,
            (true, false) => Some(Along::Down),
            // On a line, points have this for themselves.
            (false, true) => self.down.map(|_| Along::Across),
            (false, false) => Some(Along::Nothing),
        }
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
