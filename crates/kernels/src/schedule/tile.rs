//! Tiles: points that read the same elements read them together.
//!
//! A map whose points loop over arrays, such as a matrix product, reads every element again for every point
//! that needs it. With tiles, a block of threads computes a rectangle of points, and goes through the loop in
//! steps: its threads copy what the rectangle needs for the step into shared memory, wait for each other, and
//! compute from there. This file finds the loops that all points of a block can run in step, because their
//! bounds are the same for all, and the reads in them whose offsets depend on the variable of the loop, but
//! not on all indices of the block's rectangle:
//!
//! ```text
//! a[i,k]      k and the index down the rectangle:     one element for each row, [`Along::Down`]
//! b[k,j]      k and the index across:                 [`Along::Across`]
//! c[k]        k alone:                                [`Along::Nothing`]
//! ```
//!
//! With both of the first two in one loop the rectangle has two dimensions. Otherwise it is a line of points,
//! which have only what depends on the loop alone in common. (Rows of single points are better read as they
//! are, from the first-level cache, than through shared memory. Times:
//! `notebook/2026-11-19-gpu-mechanisms.md`.)
//!
//! Offsets are polynomials of the indices of the point and the variables of loops. Slices, transpositions and
//! batches of matrices need no rules of their own.
//!
//! Only code without effects and checks, and with scalars as results, may come before the end of the last
//! such loop: it is also run by threads that have no point.
//!
//! There are up to three sizes of tiles. Large ones read the least, but there may be too few of them for all
//! of the device:
//!
//! ```text
//! if large tiles fit, and there are enough of them for the whole device: launch the kernel with large tiles
//! else if small tiles fit:                                               that with small ones
//! else if tiles of one point for each thread fit:                        that with those
//! else                                                                   that without tiles
//! ```
//!
//! Where a side of the rectangle is known to be at most half as long as these tiles, as for products of small
//! matrices, there is one of its length instead: a thread has fewer points of it, but still several.

use super::product::Factors;
use super::{read_element, when, Scheduler};
use fehu_algebra::{Poly, Sym};
use fehu_analysis::polynomial::polynomial;
use fehu_base::device::{MAX_DECLARED_SHARED_BYTES, SMALL_TILE_SIDE, TILE_SIDE};
use fehu_base::prim::IntType;
use fehu_base::tuning::schedule::*;
use fehu_base::{Name, Symbol};
use fehu_ir::free::bound_in_exp;
use fehu_ir::mem::{sym, sym_name, MemOp};
use fehu_ir::schedule::{Along, Choice, Condition, Plan, Quantity, Tiled, TiledLoop, TiledRead};
use fehu_ir::seg::{SegOp, SizeClass};
use fehu_ir::visit::for_each_stm;
use fehu_ir::{Body, Exp, Loop, LoopForm, Memory, Stm, SubExp, Type};
use rustc_hash::{FxHashMap, FxHashSet};

/// How a map is tiled.
pub(super) struct Tiling<'a> {
    /// The dimension of the space that goes across the rectangle.
    across: usize,
    /// The one that goes down, if the rectangle has two.
    pub(super) down: Option<usize>,
    /// The points along the shorter of its sides, as far as that is known.
    shortest: Option<i64>,
    /// The tiled loops, in order.
    loops: Vec<(InStep<'a>, Vec<TiledRead>)>,
    /// The factors of each of them, if warps multiply matrices in all.
    products: Option<Vec<[Name; 2]>>,
}

/// A loop with the same bound for all points.
#[derive(Clone, Copy)]
struct InStep<'a> {
    of: &'a Loop<Memory>,
    var: Name,
    ty: IntType,
    bound: SubExp,
}

/// The sizes of tiles that are tried.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Version {
    /// A line of points, one for each thread.
    Line,
    /// A rectangle, if it is at least one in so many of the blocks that the device runs at a time. Its side
    /// is that of other tiles if it has none of its own.
    Rectangle { side: Option<i64>, points: i64, one_in: Threshold },
}

impl Version {
    /// Whether lanes of warps that multiply matrices can have its points: two rows of two each, at least.
    fn suits_warps(self) -> bool {
        match self {
            Version::Line => false,
            Version::Rectangle { points, .. } => points % 2 == 0,
        }
    }
}

impl Tiling<'_> {
    /// The points of a thread in each direction: as many as there are registers for.
    fn points_per_side(&self) -> i64 {
        match self.down {
            None => 1,
            Some(_) => {
                let words = self.loops.iter().map(|(l, _)| carried_registers(l.of)).max();
                tile_points_per_side(words.unwrap_or(0))
            }
        }
    }

    fn versions(&self) -> Vec<Version> {
        let rectangle = |points, one_in| Version::Rectangle { side: None, points, one_in };
        let single = rectangle(1, SINGLE_TILES_ONE_IN);
        match (self.down, self.points_per_side()) {
            (None, _) => vec![Version::Line],
            (Some(_), 1) => vec![single],
            (Some(_), most) => match self.points_of_short_side(most) {
                Some(1) => vec![single],
                Some(points) => {
                    let (side, one_in) = (Some(SMALL_TILE_SIDE), SHORT_TILES_ONE_IN);
                    vec![Version::Rectangle { side, points, one_in }, single]
                }
                None if most == 2 => vec![rectangle(2, LARGE_TILES_ONE_IN), single],
                None => {
                    let side = (most >= MIN_POINTS_FOR_SMALL_BLOCKS).then_some(SMALL_TILE_SIDE);
                    let large = Version::Rectangle { side, points: most, one_in: LARGE_TILES_ONE_IN };
                    vec![large, rectangle(most / 2, SMALL_TILES_ONE_IN), single]
                }
            },
        }
    }

    /// The points of a thread in each direction of a tile that is no longer than the shorter side of the
    /// rectangle, if other tiles, with up to so many, are at least twice as long as that.
    fn points_of_short_side(&self, most: i64) -> Option<i64> {
        let usual = most.min(MIN_POINTS_FOR_SMALL_BLOCKS / 2) * TILE_SIDE;
        let length = self.shortest.filter(|length| 2 * length <= usual)?;
        Some((1 << (length / SMALL_TILE_SIDE).max(1).ilog2()).min(most))
    }

    fn plan(&self, version: Version, tile: Symbol, each: Option<Symbol>) -> Tiled {
        let points = match self.down {
            Some(_) => self.points_per_side() * self.points_per_side(),
            None => POINTS_OF_UNROLLED_LINE,
        };
        let products = self.products.as_ref().filter(|_| version.suits_warps());
        let tiled_loop = |(i, (l, reads)): (usize, &(InStep, Vec<TiledRead>))| {
            let unrolled = statements(&l.of.body) * points <= MAX_STATEMENTS_OF_UNROLLED_STEP;
            let product = products.map(|products| products[i]);
            TiledLoop { var: l.var, unrolled, reads: reads.clone(), product }
        };
        Tiled {
            across: self.across,
            down: self.down,
            tile,
            each,
            loops: self.loops.iter().enumerate().map(tiled_loop).collect(),
        }
    }

    /// When a version runs: the device has the threads and the shared memory, loops are long enough to fill a
    /// tile, most threads have a point, and there are enough tiles for the device.
    fn conditions(&self, s: &mut Scheduler, version: Version, grid: Option<Symbol>) -> Vec<Condition> {
        let large = matches!(version, Version::Rectangle { one_in: LARGE_TILES_ONE_IN, .. });
        let mut when = vec![
            Condition::must(Quantity::Block, Quantity::MaxBlock),
            Condition::must(Quantity::Shared, Quantity::MaxShared),
            Condition::must(Quantity::Shared, MAX_DECLARED_SHARED_BYTES),
        ];
        let amount = fehu_ir::schedule::Amount::from;
        for (l, _) in &self.loops {
            let bound = amount(Quantity::Size(l.bound, l.ty));
            when.push(match large {
                true => {
                    let steps = s.threshold(MIN_STEPS_OF_LARGE_TILES);
                    Condition::pays(amount(Quantity::Depth).and(steps), bound)
                }
                false => Condition::pays(Quantity::Depth, bound.and(s.threshold(MAX_DEPTH_PER_ITERATION))),
            });
        }
        when.push(match large {
            true => s.covers(MAX_PERCENT_COVERED_BY_LARGE_TILES),
            false => s.covers(MAX_PERCENT_COVERED),
        });
        if let (Version::Rectangle { one_in, .. }, Some(grid)) = (version, grid) {
            when.push(Condition::pays(
                Quantity::Param(grid),
                amount(Quantity::Blocks).and(s.threshold(one_in)),
            ));
        }
        when
    }
}

impl Scheduler {
    /// The kernels with tiles, largest first.
    pub(super) fn tiles(&mut self, tiling: &Tiling, tile: Symbol) -> Vec<Choice> {
        let versions: Vec<(Version, Symbol, Option<Symbol>)> = (tiling.versions().into_iter())
            .map(|version| match version {
                Version::Line => (version, tile, None),
                Version::Rectangle { side, points, .. } => {
                    let own = side.map(|side| self.param("segmap", SizeClass::TileSize, Some(side)));
                    let each = self.param("segmap", SizeClass::RegTileSize, Some(points));
                    (version, own.unwrap_or(tile), Some(each))
                }
            })
            .collect();
        let mut choices = vec![];
        for (version, tile, each) in versions {
            let grid = match version {
                Version::Line => None,
                Version::Rectangle { .. } => Some(self.param("segmap_tiled", SizeClass::GridSize, None)),
            };
            let conditions = tiling.conditions(self, version, grid);
            choices.push(when(conditions, Plan::Tiled(tiling.plan(version, tile, each))));
        }
        choices
    }

    /// How to tile a map, if it pays.
    pub(super) fn tiling<'a>(&self, seg: &'a SegOp<Memory>) -> Option<Tiling<'a>> {
        if seg.space.dims.is_empty() {
            return None;
        }
        let dims: Vec<Sym> = seg.space.dims.iter().map(|d| sym(d.0)).collect();
        let inside = bound_in_exp::<Memory>(&Exp::Op(MemOp::Seg(seg.clone()))).into_iter().collect();
        let (vars, known) = (vec![], FxHashMap::default());
        let found = Survey { s: self, dims: &dims, inside: &inside, vars, known }.body(&seg.body.body)?;
        let last = dims.len() - 1;
        let pairs = (0..dims.len()).rev().flat_map(|x| (0..dims.len()).rev().map(move |y| (x, y)));
        let rectangles = pairs.filter(|(x, y)| x != y).map(|(x, y)| (x, Some(y)));
        for (across, down) in rectangles.chain([(last, None)]) {
            let sides = Sides { across: dims[across], down: down.map(|d| dims[d]) };
            let mut loops = vec![];
            sides.loops(&found, &mut loops);
            if !loops.is_empty() && (down.is_none() || loops.iter().any(|(_, reads)| is_product(reads))) {
                let products = down.filter(|_| self.device.warps).and_then(|down| {
                    let space: Vec<Name> = seg.space.dims.iter().map(|d| d.0).collect();
                    let factors = |(l, reads): &(InStep<'a>, Vec<TiledRead>)| {
                        let (across, down) = (space[across], space[down]);
                        Factors { of: l.of, reads, across, down, space: &space, inside: &inside }.product()
                    };
                    loops.iter().map(factors).collect()
                });
                let sides = [Some(across), down].into_iter().flatten();
                let shortest = sides.filter_map(|side| seg.space.dims[side].1.as_i64()).min();
                return Some(Tiling { across, down, shortest, loops, products });
            }
        }
        None
    }
}

/// Whether there are reads along both sides.
fn is_product(reads: &[TiledRead]) -> bool {
    [Along::Down, Along::Across].iter().all(|side| reads.iter().any(|r| r.along == *side))
}

/// A loop that may be run in step, what is in it, and the reads of its body that depend on its variable.
struct Found<'a> {
    this: InStep<'a>,
    /// Whether it is long enough to pay where points have little in common.
    long: bool,
    inner: Vec<Found<'a>>,
    reads: Vec<Candidate>,
}

/// A read that goes through shared memory if the sides of the rectangle are right.
struct Candidate {
    name: Name,
    offset: Poly,
    by_loop: bool,
}

/// Looks through a body once, whichever dimensions the sides of the rectangle are.
struct Survey<'t> {
    s: &'t Scheduler,
    dims: &'t [Sym],
    /// Names bound in the map.
    inside: &'t FxHashSet<Name>,
    /// The variables of loops in step around.
    vars: Vec<Sym>,
    /// Scalars that are polynomials.
    known: FxHashMap<Sym, Poly>,
}

impl Survey<'_> {
    /// The loops of a body that may have tiles, if there are any.
    fn body<'a>(&mut self, body: &'a Body<Memory>) -> Option<Vec<Found<'a>>> {
        // What has no effects so far, and so may come before a loop in step.
        let mut plain = true;
        let mut found = vec![];
        for stm in &body.stms {
            self.learn(stm);
            plain &= stm.is_plain();
            found.extend(if plain { self.in_step(stm) } else { None });
        }
        (!found.is_empty()).then_some(found)
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
        let at_least = |iterations: i64| bound.as_i64().is_none_or(|n| n >= iterations);
        let reads = match at_least(MIN_ITERATIONS_FOR_RECTANGLES) {
            true => self.reads(&of.body, sym(var)),
            false => vec![],
        };
        self.vars.pop();
        let tiles = !inner.is_empty() || !reads.is_empty();
        let long = at_least(MIN_ITERATIONS_FOR_LINES);
        tiles.then_some(Found { this: InStep { of, var, ty, bound }, long, inner, reads })
    }

    /// The reads of a loop's body that depend on its variable.
    fn reads(&self, body: &Body<Memory>, var: Sym) -> Vec<Candidate> {
        let mut found = vec![];
        for (name, array, slice) in body.stms.iter().filter_map(read_element) {
            let Some(offset) = self.s.places.offset(array, slice) else { continue };
            let offset = offset.subst_all(|x| self.known.get(&x).cloned());
            if self.can_be_tile(&offset, var) {
                let by_loop = offset.split_on(var).0.is_one();
                found.push(Candidate { name, offset, by_loop });
            }
        }
        found
    }

    fn can_be_tile(&self, offset: &Poly, var: Sym) -> bool {
        let free =
            |x: &Sym| self.dims.contains(x) || self.vars.contains(x) || !self.inside.contains(&sym_name(*x));
        offset.is_known() && offset.mentions(var) && offset.vars().iter().all(free)
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

/// The dimensions that the sides of the rectangle are.
struct Sides {
    across: Sym,
    down: Option<Sym>,
}

impl Sides {
    /// The loops with tiles; those of inner loops before any of the loop around.
    fn loops<'a>(&self, found: &[Found<'a>], loops: &mut Vec<(InStep<'a>, Vec<TiledRead>)>) {
        for Found { this, long, inner, reads } in found {
            let before = loops.len();
            self.loops(inner, loops);
            if loops.len() > before {
                continue;
            }
            let read = |r: &Candidate| {
                Some(TiledRead { name: r.name, along: self.along(&r.offset)?, by_loop: r.by_loop })
            };
            let reads: Vec<TiledRead> = reads.iter().filter_map(read).collect();
            if !reads.is_empty() && (*long || is_product(&reads)) {
                loops.push((*this, reads));
            }
        }
    }

    /// Along which side a read changes, if it can be a tile.
    fn along(&self, offset: &Poly) -> Option<Along> {
        match (self.down.is_some_and(|d| offset.mentions(d)), offset.mentions(self.across)) {
            (true, true) => None,
            (true, false) => Some(Along::Down),
            // On a line, points have this for themselves.
            (false, true) => self.down.map(|_| Along::Across),
            (false, false) => Some(Along::Nothing),
        }
    }
}

/// How many registers of 32 bits the values that a loop carries take, for each point.
fn carried_registers(of: &Loop<Memory>) -> i64 {
    let words = |t: &Type| match t {
        Type::Prim(p) => (p.bytes() as i64 + 3) / 4,
        Type::Array(..) | Type::Acc(..) | Type::Mem(_) => 0,
    };
    of.params.iter().map(|(p, _)| words(&p.ty)).sum()
}

/// How many statements a body has, with those inside of others.
pub(super) fn statements(body: &Body<Memory>) -> i64 {
    let mut statements = 0;
    for_each_stm(body, &mut |_| statements += 1);
    statements
}
