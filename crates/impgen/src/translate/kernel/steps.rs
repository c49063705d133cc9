//! Several iterations of a loop of stencils in one kernel.
//!
//! A block computes a strip of columns, and goes down the rows. In every round it reads a row of the array,
//! and computes a row of each step from rows of the step before, each step `r + 1` rows behind the one
//! before: what it reads was computed in earlier rounds. So there is one barrier in a round. Of each step but
//! the last, the last `2r + 2` rows are in shared memory, in a ring.
//!
//! ```text
//! loop (a) for s < n { segmap (i < h, j < w) { ... a[i - 1, j] ... a[i, j + 1] ... } }        steps(4 of [a], radius 1, ..)
//!   ==>
//! for s < n / 4 {
//!   blocks of 256 threads, a column each, for some rows:
//!     for row {
//!       x = a[row, j]
//!       for step < 4 { i = row - 2 * (step + 1);  y = ... ring[step][(i - 1) % 4][j] ... ring[step][i % 4][j + 1] ...
//!                      if step < 3 { ring[step + 1][i % 4][j] = y } else { out[i, j] = y } }
//!       ring[0][row % 4][j] = x
//!       barrier
//!     }
//! }
//! for s < n % 4 { the map as it is }
//! ```
//!
//! The body of the map is the program's own, with the indices of the array: what it does at the edges of the
//! array it does here, too, so that the results are the same bit by bit. At the edges of strips, and above
//! and below its rows, a block computes what others compute as well: `r` fewer columns and rows on each side
//! with every step. Where edges are neighbours (`around`), a block whose rows or columns are beyond an edge
//! has those from the other edge on in their place.
//!
//! Blocks far from all edges of the array need no tests for them (see `kernels/inside`): they have a loop of
//! their own. There it is known which elements a point reads, and those of its own column were computed by
//! the same thread, and are still in registers. Where whatever a point computes does no harm, all points are
//! computed, also those for which something is missing: only results that are complete leave the block, and
//! none depends on others.
//!
//! Other arrays, which the loop does not change, are often read at the point itself. Every step needs the
//! same element, each a few rounds after the one before: so a thread reads it once, with the row of the
//! arrays that is read ahead, and keeps it in registers until the last step has used it ([`Queue`]).

mod reads;

use super::choice::{self, Quantities};
use super::iterations::{once_around, set_counter, within, Circle, Iterations};
use super::map::Inside;
use crate::translate::kernel::{point, size};
use crate::translate::state::{HostCode, KernelCode, Mode};
use fehu_algebra::Poly;
use fehu_base::prim::PrimType;
use fehu_base::{bug, Name};
use fehu_imp::build::*;
use fehu_imp::syntax::{Code, Expr};
use fehu_ir::mem::{poly, Lmad, MemOp};
use fehu_ir::schedule::{Choice, Plan, Quantity, Schedule, Steps};
use fehu_ir::seg::{KernelBody, SegOp};
use fehu_ir::visit::for_each_stm;
use fehu_ir::{Basic, Body, Exp, Loop, LoopForm, Memory, PatElem, Stm, SubExp, Type};
use fehu_lmad::Dim;
use reads::{own_column, own_elements, Side, Through};

/// A loop whose iterations are done several at a time if the conditions of its plan hold; false if it has no
/// such plan. Its parameters are set.
pub(crate) fn steps_loop(t: &mut HostCode, l: &Loop<Memory>) -> bool {
    let LoopForm::For { var, ty, bound } = l.form else { return false };
    let Some((stm, before)) = l.body.stms.split_last() else { return false };
    let Exp::Op(MemOp::Seg(seg)) = &stm.exp else { return false };
    let Some(schedule) = &seg.schedule else { return false };
    let [Choice { when, plan: Plan::Steps(_) }, others @ ..] = schedule.choices.as_slice() else {
        return false;
    };
    size::add_params(t, schedule);
    let (iteration, counter) = t.renamed_iteration(&l.body, (var, ty));
    let Some((Stm { exp: Exp::Op(MemOp::Seg(copy)), .. }, before_copy)) = iteration.stms.split_last() else {
        bug!("a copy of a loop has no map")
    };
    let Plan::Steps(plan) = &choice::schedule(copy).choices[0].plan else {
        bug!("a copy of a map has no steps")
    };
    let measures = Measures::new(t, copy, plan);
    let known = measures.quantities(t, copy, plan);
    let fits = choice::all_hold(t, when, &known);
    let count = max(point::counted(t, bound, ty), i64(0));
    let count = t.let_i64("count", count);
    let several = t.let_i64("several", select(fits, quot(count.clone(), i64(plan.steps)), i64(0)));
    let next: Vec<(Name, SubExp)> =
        l.params.iter().zip(&l.body.result).map(|((p, _), e)| (p.name, *e)).collect();
    t.for_up_to("steps", several.clone(), |t, group| {
        let from = mul(group, i64(plan.steps));
        t.loc = stm.loc.clone();
        Iterations { before, counter: (var, ty), from: from.clone() }.checks(t, i64(plan.steps));
        let of = Iterations { before: before_copy, counter: (counter, ty), from };
        steps_kernel(t, &stm.pat, copy, plan, (&measures, &of));
        t.set_all(&next);
    });
    let single = Schedule { params: schedule.params.clone(), choices: others.to_vec() };
    let single = SegOp { schedule: Some(Box::new(single)), ..seg.clone() };
    let single = Stm { exp: Exp::Op(MemOp::Seg(single)), ..stm.clone() };
    let stms = before.iter().cloned().chain([single]).collect();
    let body = Body { stms, result: l.body.result.clone() };
    let done = t.let_i64("done", mul(several, i64(plan.steps)));
    let left = Iterations { before, counter: (var, ty), from: done.clone() };
    t.for_up_to("step", sub(count, done), |t, step| {
        if left.count(seg) {
            set_counter(t, (var, ty), add(left.from.clone(), step));
        }
        t.body(&body, &[]);
        t.set_all(&next);
    });
    true
}

/// How the points are shared out among blocks.
struct Measures {
    /// The height and width of the array.
    height: Expr,
    width: Expr,
    /// Strips of columns, and parts of a strip.
    strips: Expr,
    parts: Expr,
    /// Rows of a part.
    rows: Expr,
}

impl Measures {
    fn new(t: &mut HostCode, seg: &SegOp<Memory>, plan: &Steps) -> Measures {
        let [(_, height), (_, width)] = seg.space.dims.as_slice() else { bug!("steps of no matrix") };
        let (height, width) = (t.operand(*height), t.operand(*width));
        let strips = quot_up(width.clone(), i64(plan.block - 2 * plan.halo()));
        let strips = t.let_i64("strips", strips);
        let blocks = size::param(t, plan.blocks);
        let parts = max(quot(blocks, max(strips.clone(), i64(1))), i64(1));
        let rows = max(quot_up(height.clone(), parts), i64(plan.rows));
        let rows = t.let_i64("rows", rows);
        let parts = t.let_i64("parts", quot_up(height.clone(), rows.clone()));
        Measures { height, width, strips, parts, rows }
    }

    /// What the conditions of a plan are about.
    fn quantities(&self, t: &mut HostCode, seg: &SegOp<Memory>, plan: &Steps) -> Quantities {
        let sizes: Vec<SubExp> = seg.space.dims.iter().map(|d| d.1).collect();
        let points = point::points(t, &sizes);
        let blocks = t.let_i64("blocks", mul(self.strips.clone(), self.parts.clone()));
        let height = add(self.height.clone(), mul(self.parts.clone(), i64(2 * plan.halo())));
        let covered = mul(mul(self.strips.clone(), i64(plan.block)), height);
        let elements = ring_elements(plan);
        let bytes: i64 =
            seg.types.iter().filter_map(Type::elem).map(|e| e.bytes() as i64 * elements + 15).sum();
        vec![
            (Quantity::Points, points),
            (Quantity::Block, i64(plan.block)),
            (Quantity::Blocks, blocks),
            (Quantity::Covered, covered),
            (Quantity::Depth, i64(1)),
            (Quantity::Shared, i64(bytes)),
        ]
    }
}

/// An array that the loop hands on, in shared memory.
struct Ring {
    /// The array, and the element of it that a thread reads.
    array: Name,
    elem: PrimType,
    /// Rows of all steps but the last.
    mem: Name,
    /// The thread's element of the next row, and of the row that the current step has computed.
    ahead: Name,
    fresh: Name,
    /// The last rows of all steps but the last in the thread's column, as many as a point reads.
    own: Name,
}

/// An array that the loop does not change, whose elements are read by the points that have their indices.
struct Queue {
    array: Name,
    elem: PrimType,
    /// The thread's element of the next row.
    ahead: Name,
    /// Those of the rows before it, the last one first: as many as the last step is behind.
    kept: Name,
}

/// What a block computes.
struct Strip<'s> {
    plan: &'s Steps,
    of: &'s Measures,
    iterations: &'s Iterations<'s>,
    rings: Vec<Ring>,
    /// The first column, and that of the thread.
    left: Expr,
    column: Expr,
    /// The thread's column, or the one that is beyond the edge there, if there is one.
    around: Option<Expr>,
    /// Its own rows.
    top: Expr,
    bottom: Expr,
}

/// Whether there are edges of the array that a block may see.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Edges {
    Tested,
    /// None, and points beyond the rows and columns that are complete do no harm.
    Far {
        harmless: bool,
    },
}

fn steps_kernel(
    t: &mut HostCode,
    pat: &[PatElem<Memory>],
    seg: &SegOp<Memory>,
    plan: &Steps,
    (of, iterations): (&Measures, &Iterations),
) {
    let blocks = mul(of.strips.clone(), of.parts.clone());
    t.kernel("segmap_steps", blocks, i64(plan.block), Mode::Thread, |t| {
        let part = t.let_i64("part", quot(block(), of.strips.clone()));
        let strip = sub(block(), mul(part.clone(), of.strips.clone()));
        let left = mul(strip, i64(plan.block - 2 * plan.halo()));
        let left = t.let_i64("left", sub(left, i64(plan.halo())));
        let column = t.let_i64("column", add(left.clone(), local()));
        let top = t.let_i64("top", mul(part, of.rows.clone()));
        let bottom = t.let_i64("bottom", min(add(top.clone(), of.rows.clone()), of.height.clone()));
        let rings =
            plan.carried.iter().zip(&seg.types).map(|(array, ty)| ring(t, plan, *array, ty)).collect();
        let around = plan.around.then(|| within(column.clone(), &of.width));
        let around = around.map(|column| t.let_i64("around", column));
        let strip = Strip { plan, of, iterations, rings, left, column, around, top, bottom };
        match Inside::of(seg) {
            None => strip.rounds(t, pat, seg, (Edges::Tested, &[])),
            Some(inside) => {
                let far = strip.far_from_edges(t, seg, &inside);
                let body = t.renamed(&inside.body(seg, true));
                let slow = if plan.around { t.renamed(&inside.body(seg, false)) } else { seg.clone() };
                t.if_else(
                    far,
                    |t| {
                        let queues = queues(t, plan);
                        let harmless = harmless(&body, plan);
                        strip.rounds(t, pat, &body, (Edges::Far { harmless }, &queues));
                    },
                    |t| strip.rounds(t, pat, &slow, (Edges::Tested, &[])),
                );
            }
        }
    });
    if let Some(kernel) = t.kernels.last_mut() {
        kernel.block_size = Some(i64(plan.block));
    }
}

fn ring(t: &mut KernelCode, plan: &Steps, array: Name, ty: &Type) -> Ring {
    let Some(elem) = ty.elem() else { bug!("steps of no scalars") };
    let mem = t.shared_array("ring", elem, i64(ring_elements(plan)));
    // They are used before anything is known, and what is undefined may be anything at any time: a compiler
    // may take the row after for it.
    let zero = || Expr::Const(elem.blank());
    let [ahead, fresh] = ["ahead", "fresh"].map(|base| t.let_as(base, elem, zero()));
    let rows = plan.steps * window(plan);
    let own = t.private_array("own", elem, rows);
    t.unrolled_up_to("k", i64(rows), |t, k| t.store(own, elem, k, zero()));
    Ring { array, elem, mem, ahead, fresh, own }
}

/// Registers for the arrays whose elements are read once for all steps.
fn queues(t: &mut KernelCode, plan: &Steps) -> Vec<Queue> {
    let queue = |array: &Name| {
        let Some(elem) = t.types.get(array).and_then(Type::elem) else { bug!("steps keep no array") };
        let zero = || Expr::Const(elem.blank());
        let ahead = t.let_as("ahead", elem, zero());
        let kept = t.private_array("kept", elem, plan.rows_behind());
        t.unrolled_up_to("k", i64(plan.rows_behind()), |t, k| t.store(kept, elem, k, zero()));
        Queue { array: *array, elem, ahead, kept }
    };
    plan.kept.iter().map(queue).collect()
}

/// Elements of a ring: with as many before and behind as a point reads beyond a row.
fn ring_elements(plan: &Steps) -> i64 {
    plan.steps * plan.ring() * plan.block + 2 * plan.radius
}

/// Rows that a point reads.
fn window(plan: &Steps) -> i64 {
    2 * plan.radius + 1
}

/// Whether a point computes something, and fails in no way, whatever it reads of what the block has and wherever it is.
fn harmless(seg: &SegOp<Memory>, plan: &Steps) -> bool {
    let kept: Vec<Name> = own_elements(seg, plan).into_iter().map(|(name, _)| name).collect();
    let mut harmless = true;
    for_each_stm(&seg.body.body, &mut |stm| {
        harmless &= match &stm.exp {
            Exp::Basic(Basic::Index(array, _)) => {
                plan.carried.contains(array) || stm.pat.iter().all(|p| kept.contains(&p.name))
            }
            Exp::Basic(Basic::BinOp(op, ..)) => !op.is_partial(),
            Exp::Basic(_) | Exp::If(..) => true,
            Exp::Loop(_) | Exp::Call(..) | Exp::WithAcc(_) | Exp::Op(_) => false,
        };
    });
    harmless
}

impl Strip<'_> {
    /// Whether all that the block reads exists, and all points that it computes are inside.
    fn far_from_edges(&self, t: &mut KernelCode, seg: &SegOp<Memory>, inside: &Inside) -> Expr {
        let (halo, width) = (i64(self.plan.halo()), i64(self.plan.block));
        let (first, last) = (sub(self.top.clone(), halo.clone()), add(self.bottom.clone(), halo));
        let right = add(self.left.clone(), width);
        let rows = and(le(i64(0), first.clone()), le(last.clone(), self.of.height.clone()));
        let columns = and(le(i64(0), self.left.clone()), le(right.clone(), self.of.width.clone()));
        let radius = i64(self.plan.radius);
        let corners = [
            (add(first, radius.clone()), add(self.left.clone(), radius.clone())),
            (sub(sub(last, radius.clone()), i64(1)), sub(sub(right, radius), i64(1))),
        ];
        inside.at_both(t, and(rows, columns), corners, &|t, (row, column)| set_point(t, seg, row, column))
    }

    /// All rows, from the first that is read to the last that is written.
    fn rounds(
        &self,
        t: &mut KernelCode,
        pat: &[PatElem<Memory>],
        seg: &SegOp<Memory>,
        (edges, queues): (Edges, &[Queue]),
    ) {
        let plan = self.plan;
        let first = t.let_i64("first", sub(self.top.clone(), i64(plan.halo())));
        let rounds = add(sub(self.bottom.clone(), first.clone()), i64(plan.rows_behind()));
        t.for_up_to("round", rounds, |t, round| {
            let row = t.let_i64("row", add(first.clone(), round));
            self.read_row(t, &row, (edges, queues));
            t.unrolled_up_to("step", i64(plan.steps), |t, step| {
                let i = sub(row.clone(), mul(add(step.clone(), i64(1)), i64(plan.radius + 1)));
                let i = t.let_i64("i", i);
                let beyond = mul(sub(i64(plan.steps - 1), step.clone()), i64(plan.radius));
                let exists = self.row_exists(&i, &beyond, edges);
                self.iterations.begin(t, seg, &step);
                match edges {
                    Edges::Tested => {
                        t.if_then(exists, |t| self.row_of_step(t, pat, seg, (&step, &i)));
                    }
                    Edges::Far { harmless } => {
                        let exists = t.let_as("exists", PrimType::Bool, exists);
                        self.elements_of_step(t, seg, &step, queues);
                        self.far_row_of_step(t, pat, seg, (&step, &i), (exists, harmless));
                    }
                }
            });
            self.store_row(t, &row, edges);
            if edges != Edges::Tested {
                self.rings.iter().for_each(|r| self.shift(t, r, &i64(0), r.ahead));
            }
            queues.iter().for_each(|q| q.push(t, plan.rows_behind()));
            t.barrier();
        });
    }

    /// Whether a row is one of the block's own, or not farther from them than a step computes.
    fn row_exists(&self, row: &Expr, beyond: &Expr, edges: Edges) -> Expr {
        let (mut first, mut end) =
            (sub(self.top.clone(), beyond.clone()), add(self.bottom.clone(), beyond.clone()));
        if edges == Edges::Tested && self.around.is_none() {
            first = max(first, i64(0));
            end = min(end, self.of.height.clone());
        }
        and(le(first, row.clone()), lt(row.clone(), end))
    }

    /// Whether the thread's column is one of the array.
    fn column_exists(&self) -> Expr {
        and(le(i64(0), self.column.clone()), lt(self.column.clone(), self.of.width.clone()))
    }

    /// Reads a row of the arrays. It is stored only when the round has been computed: so nobody waits for it.
    fn read_row(&self, t: &mut KernelCode, row: &Expr, (edges, queues): (Edges, &[Queue])) {
        let exists = self.row_exists(row, &i64(self.plan.halo()), edges);
        let exists = match (edges, &self.around) {
            (Edges::Far { .. }, _) | (_, Some(_)) => exists,
            (Edges::Tested, None) => and(exists, self.column_exists()),
        };
        t.if_then(exists, |t| {
            let (row, column) = self.indices(t, row, edges);
            let (Expr::Var(row), Expr::Var(column)) = (&row, &column) else { bug!("indices are variables") };
            let rings = self.rings.iter().map(|r| (r.array, r.ahead));
            for (array, ahead) in rings.chain(queues.iter().map(|q| (q.array, q.ahead))) {
                let at = t.place_of(array).fixed(&[poly((*row).into()), poly((*column).into())]);
                let value = t.read(&at);
                t.set_to(ahead, value);
            }
        });
    }

    /// The indices of the thread's element of a row, which may be beyond an edge.
    fn indices(&self, t: &mut KernelCode, row: &Expr, edges: Edges) -> (Expr, Expr) {
        match (edges, &self.around) {
            (Edges::Tested, Some(column)) => {
                (t.let_i64("around", once_around(row, &self.of.height)), column.clone())
            }
            (Edges::Tested, None) | (Edges::Far { .. }, _) => (row.clone(), self.column.clone()),
        }
    }

    /// Stores what was read.
    fn store_row(&self, t: &mut KernelCode, row: &Expr, edges: Edges) {
        let exists = self.row_exists(row, &i64(self.plan.halo()), edges);
        t.if_then(exists, |t| {
            for ring in &self.rings {
                t.store(ring.mem, ring.elem, self.place(&i64(0), row), var(ring.ahead));
            }
        });
    }

    /// Where the thread's element of a row of a step is in shared memory.
    fn place(&self, step: &Expr, row: &Expr) -> Expr {
        let slot = bits(row.clone(), i64(self.plan.ring() - 1));
        let rows = mul(add(mul(step.clone(), i64(self.plan.ring())), slot), i64(self.plan.block));
        add(rows, add(local(), i64(self.plan.radius)))
    }

    /// A map whose points read the rows of a step in shared memory. `beyond` is the row of the point, if it
    /// and what is close to it may be beyond an edge.
    fn map_of_step(
        &self,
        t: &mut KernelCode,
        seg: &SegOp<Memory>,
        step: &Expr,
        beyond: Option<&Expr>,
    ) -> SegOp<Memory> {
        let rows = mul(step.clone(), i64(self.plan.ring() * self.plan.block));
        let origin = sub(add(rows, i64(self.plan.radius)), self.left.clone());
        let origin = t.let_as("origin", PrimType::I64, origin);
        let arrays: Vec<(Name, Name)> =
            self.rings.iter().map(|r| (r.array, self.array(t, r, origin))).collect();
        let torus = beyond.map(|row| {
            let (Expr::Var(row), Expr::Var(column)) = (row, &self.column) else {
                bug!("indices are variables")
            };
            let side = |(dim, own): (&(Name, SubExp), Name)| {
                let circle = Circle { index: dim.0, size: dim.1, radius: self.plan.radius };
                Side { near: circle.near(&seg.body.body), circle, own }
            };
            seg.space.dims.iter().zip([*row, *column]).map(side).collect()
        });
        let through = Through { arrays, slots: self.plan.ring(), torus };
        let body =
            KernelBody { body: through.body(t, seg.body.body.clone()), returns: seg.body.returns.clone() };
        SegOp { body, ..seg.clone() }
    }

    /// A row of a step, from rows of the step before.
    fn row_of_step(
        &self,
        t: &mut KernelCode,
        pat: &[PatElem<Memory>],
        seg: &SegOp<Memory>,
        (step, row): (&Expr, &Expr),
    ) {
        let seg = self.map_of_step(t, seg, step, self.around.is_some().then_some(row));
        let complete = match self.around {
            Some(_) => self.is_complete(step),
            None => and(self.is_complete(step), self.column_exists()),
        };
        t.if_then(complete, |t| {
            let (i, j) = self.indices(t, row, Edges::Tested);
            set_point(t, &seg, i, j);
            t.body(&seg.body.body, &[]);
            let results: Vec<Expr> = seg.body.body.result.iter().map(|e| t.operand(*e)).collect();
            t.if_else(
                lt(step.clone(), i64(self.plan.steps - 1)),
                |t| self.store_results(t, step, row, &results),
                |t| match self.around {
                    Some(_) => t.if_then(self.column_exists(), |t| write(t, pat, &seg)),
                    None => write(t, pat, &seg),
                },
            );
        });
    }

    /// What is in registers takes the place of what the points of a step read.
    fn elements_of_step(&self, t: &mut KernelCode, seg: &SegOp<Memory>, step: &Expr, queues: &[Queue]) {
        for (name, array, below) in own_column(seg, self.plan) {
            let Some(ring) = self.rings.iter().find(|r| r.array == array) else { continue };
            let at = add(self.in_window(step), i64(below + self.plan.radius));
            let value = t.element(ring.own, ring.elem, at);
            t.in_kernel.instead.insert(name, value);
        }
        let behind = sub(mul(add(step.clone(), i64(1)), i64(self.plan.radius + 1)), i64(1));
        for (name, array) in own_elements(seg, self.plan) {
            let Some(queue) = queues.iter().find(|q| q.array == array) else { continue };
            let value = t.element(queue.kept, queue.elem, behind.clone());
            t.in_kernel.instead.insert(name, value);
        }
    }

    /// The same in a block that is far from all edges.
    fn far_row_of_step(
        &self,
        t: &mut KernelCode,
        pat: &[PatElem<Memory>],
        seg: &SegOp<Memory>,
        (step, row): (&Expr, &Expr),
        (row_exists, harmless): (Name, bool),
    ) {
        let seg = self.map_of_step(t, seg, step, None);
        let complete = and(var(row_exists), self.is_complete(step));
        let zero = |elem: PrimType| Expr::Const(elem.blank());
        let computed: Vec<Name> =
            self.rings.iter().map(|r| t.let_as("computed", r.elem, zero(r.elem))).collect();
        let point = |t: &mut KernelCode| {
            set_point(t, &seg, row.clone(), self.column.clone());
            t.body(&seg.body.body, &[]);
            for (name, value) in computed.iter().zip(&seg.body.body.result) {
                let value = t.operand(*value);
                t.set_to(*name, value);
            }
            let results: Vec<Expr> = computed.iter().map(|x| var(*x)).collect();
            t.if_else(
                lt(step.clone(), i64(self.plan.steps - 1)),
                |t| self.store_results(t, step, row, &results),
                |t| match harmless {
                    true => t.if_then(complete.clone(), |t| write(t, pat, &seg)),
                    false => write(t, pat, &seg),
                },
            );
        };
        match harmless {
            true => point(t),
            false => t.if_then(complete.clone(), point),
        }
        t.if_then(lt(i64(0), step.clone()), |t| {
            self.rings.iter().for_each(|r| self.shift(t, r, step, r.fresh));
        });
        for (ring, value) in self.rings.iter().zip(computed) {
            t.set_to(ring.fresh, var(value));
        }
    }

    /// Whether a step has all that it needs for the thread's element of a row.
    fn is_complete(&self, step: &Expr) -> Expr {
        let edge = mul(add(step.clone(), i64(1)), i64(self.plan.radius));
        and(le(edge.clone(), local()), lt(local(), sub(i64(self.plan.block), edge)))
    }

    /// Stores what a step that is not the last has computed.
    fn store_results(&self, t: &mut KernelCode, step: &Expr, row: &Expr, results: &[Expr]) {
        for (ring, value) in self.rings.iter().zip(results) {
            let at = self.place(&add(step.clone(), i64(1)), row);
            t.store(ring.mem, ring.elem, at, value.clone());
        }
    }

    /// Where the rows of a step are in registers.
    fn in_window(&self, step: &Expr) -> Expr {
        mul(step.clone(), i64(window(self.plan)))
    }

    /// Adds an element to those of a step in registers, instead of the first of them.
    fn shift(&self, t: &mut KernelCode, ring: &Ring, step: &Expr, from: Name) {
        let first = self.in_window(step);
        for k in 1..window(self.plan) {
            let value = t.element(ring.own, ring.elem, add(first.clone(), i64(k)));
            t.store(ring.own, ring.elem, add(first.clone(), i64(k - 1)), value);
        }
        t.store(ring.own, ring.elem, add(first, i64(window(self.plan) - 1)), var(from));
    }

    /// The rows of a step in shared memory as an array, by the number of a row in the ring and the index of a column.
    fn array(&self, t: &mut KernelCode, ring: &Ring, origin: Name) -> Name {
        let array = t.names.fresh_str("rows");
        let (rows, width) = (self.plan.ring(), self.plan.block);
        let shape = vec![SubExp::i64(rows), SubExp::i64(width)];
        t.types.insert(array, Type::Array(ring.elem, shape));
        let dims = vec![
            Dim::new(Poly::constant(rows), Poly::constant(width)),
            Dim::new(Poly::constant(width), Poly::constant(1)),
        ];
        t.places.insert(array, (ring.mem, Lmad::new(poly(origin.into()), dims)));
        array
    }
}

impl Queue {
    /// Adds the element that was read, instead of the oldest one.
    fn push(&self, t: &mut KernelCode, rows: i64) {
        for k in (1..rows).rev() {
            let value = t.element(self.kept, self.elem, i64(k - 1));
            t.store(self.kept, self.elem, i64(k), value);
        }
        t.store(self.kept, self.elem, i64(0), var(self.ahead));
    }
}

/// Sets the indices of a point.
fn set_point(t: &mut KernelCode, seg: &SegOp<Memory>, row: Expr, column: Expr) {
    let [(i, _), (j, n)] = seg.space.dims.as_slice() else { bug!("steps of no matrix") };
    let width = t.operand(*n);
    let flat = add(mul(row.clone(), width), column.clone());
    for (index, value) in [(*i, row), (*j, column), (seg.space.flat, flat)] {
        t.emit(Code::DeclareScalar(index, PrimType::I64));
        t.set_to(index, value);
    }
}

/// Writes the results of the point whose indices are set.
fn write(t: &mut KernelCode, pat: &[PatElem<Memory>], seg: &SegOp<Memory>) {
    let KernelBody { body, returns } = &seg.body;
    point::write_results(t, pat, &seg.space, &seg.types, returns, &body.result);
}
