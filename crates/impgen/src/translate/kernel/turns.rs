//! Points of an operation in a thread block, where there are several for each thread: computed some at once,
//! then written.
//!
//! A thread waits for what it has read when it needs it. If it wrote each value before it reads for the next
//! point, it would wait once for each point; so it keeps some values, and waits once for all of them:
//!
//! ```text
//! for (next = thread; next < points; next += 8 * threads) {
//!   for k < 8: values[k] = ... reads ...          both loops are unrolled, and `values` are registers
//!   for k < 8: results[point k] = values[k]
//! }
//! ```
//!
//! The indices of a point of several dimensions would take a division for each dimension but the first. A
//! thread goes on by the same number of points each time, so that it divides once, and then adds, as one does
//! with digits:
//!
//! ```text
//! (i, j) = (thread / m, thread % m)                            for rows of m points
//! (di, dj) = (threads / m, threads % m)
//! ... i += di; j += dj; if j >= m { j -= m; i += 1 }           from point to point
//! ```
//!
//! Where a block copies squares of numbers from shared memory, such divisions are a good part of what it
//! does. Times: `notebook/2026-11-19-gpu-mechanisms.md`.
//!
//! Where the rows are as long as there are threads, or a part of that, a thread stays in its column, and only
//! goes on by rows. That has a loop of its own, in which compilers know how far it is from each place to the
//! next:
//!
//! ```text
//! if (dj == 0) { ... i += di ... }
//! ```
//!
//! A lane of a team, which has four points of many rows, can count its turns without a division: they are a
//! loop that compilers unroll.

use super::point;
use crate::translate::state::{Flat, KernelCode};
use fehu_base::ops::BinOp;
use fehu_base::prim::{IntType, PrimType};
use fehu_base::Name;
use fehu_imp::build::*;
use fehu_imp::syntax::{Code, Expr};
use fehu_ir::seg::SegSpace;
use fehu_ir::SubExp;

/// Points that a thread computes before it writes any of them.
const AT_ONCE: i64 = 8;

/// Turns of a lane of a team that become one, if it has so many.
const UNROLLED_IN_TEAM: usize = 8;

/// A point of a thread.
pub(super) struct Turn {
    /// Its flat number.
    at: Expr,
    /// Its indices, if they need not be computed of the number.
    indices: Option<Vec<Expr>>,
}

impl Turn {
    /// Sets indices.
    pub(super) fn set(&self, t: &mut KernelCode, dims: &[(Name, SubExp)]) {
        let Some(indices) = &self.indices else { return point::unflatten(t, dims, self.at.clone()) };
        if let Expr::Var(x) = self.at {
            t.in_kernel.flats.extend(Flat::new(dims, x));
        }
        for ((index, _), value) in dims.iter().zip(indices) {
            t.emit(Code::DeclareScalar(*index, PrimType::I64));
            t.set_to(*index, value.clone());
        }
    }

    /// Sets all indices of a space, and the flat number.
    pub(super) fn set_point(&self, t: &mut KernelCode, space: &SegSpace) {
        t.emit(Code::DeclareScalar(space.flat, PrimType::I64));
        t.set_to(space.flat, self.at.clone());
        self.set(t, &space.dims);
    }
}

/// All points of a shape, shared out among the threads of a block: for each of them, values of these types
/// are computed, and written later. To count the turns would take a division, which is slower than the turn
/// of a short row.
pub(super) fn in_turns(
    t: &mut KernelCode,
    sizes: &[SubExp],
    points: &Expr,
    types: &[PrimType],
    compute: impl Fn(&mut KernelCode, Turn) -> Vec<Expr>,
    write: impl Fn(&mut KernelCode, Turn, Vec<Expr>),
) {
    if let Some(log2) = t.in_kernel.team_log2.clone() {
        let rest = sub(add(points.clone(), block_size()), add(local(), i64(1)));
        let turns = t.let_i64("turns", binary(BinOp::AShr(IntType::I64), rest, log2));
        return t.unrolled_by(UNROLLED_IN_TEAM, "k", turns, |t, k| {
            let at = t.let_i64("at", add(local(), mul(k, block_size())));
            let values = compute(t, Turn { at: at.clone(), indices: None });
            write(t, Turn { at, indices: None }, values);
        });
    }
    shared_out(
        t,
        sizes,
        points,
        |_, _| (),
        |t, (), first, going| {
            let kept: Vec<Name> = types.iter().map(|ty| t.private_array("kept", *ty, AT_ONCE)).collect();
            each(t, first, points, going, |t, k, turn| {
                t.guarded(|t| {
                    let values = compute(t, turn);
                    for ((mem, ty), value) in kept.iter().zip(types).zip(values) {
                        t.store(*mem, *ty, k.clone(), value);
                    }
                });
            });
            each(t, first, points, going, |t, k, turn| {
                let values =
                    kept.iter().zip(types).map(|(mem, ty)| t.element(*mem, *ty, k.clone())).collect();
                write(t, turn, values);
            })
        },
    );
}

/// All points of a shape, shared out among the threads of a block, one after the other. `start` comes before
/// them, and is given the indices of a thread's first point and how many rows on the next one is, where a
/// thread stays in its column.
pub(super) fn one_by_one<S>(
    t: &mut KernelCode,
    sizes: &[SubExp],
    points: &Expr,
    start: impl Fn(&mut KernelCode, Option<([Expr; 2], Expr)>) -> S,
    body: impl Fn(&mut KernelCode, &S, Turn),
) {
    let start = |t: &mut KernelCode, going: &Going<'_>| {
        let down = match going {
            Going::Down(Digits { now, steps, .. }) => Some(([var(now[0]), var(now[1])], var(steps[0]))),
            Going::Divided | Going::Counted(_) => None,
        };
        start(t, down)
    };
    shared_out(t, sizes, points, start, |t, state, first, going| {
        each(t, first, points, going, |t, _, turn| body(t, state, turn))
    });
}

/// The turns of all threads: what is done from a point on, by how a thread goes from one point to the next,
/// gives the indices of the first point of the next turn where they are counted on.
fn shared_out<S>(
    t: &mut KernelCode,
    sizes: &[SubExp],
    points: &Expr,
    start: impl Fn(&mut KernelCode, &Going<'_>) -> S,
    body: impl Fn(&mut KernelCode, &S, &Expr, &Going<'_>) -> Vec<Name>,
) {
    let digits = Digits::start(t, sizes, points);
    let turns = |t: &mut KernelCode, going: Going<'_>| {
        // Each of the loops has its own numbers of points.
        let flats = t.in_kernel.flats.len();
        let state = start(t, &going);
        while_points(t, points, &going, &|t: &mut KernelCode, first: &Expr, going: &Going<'_>| {
            body(t, &state, first, going)
        });
        t.in_kernel.flats.truncate(flats);
    };
    match &digits {
        None => turns(t, Going::Divided),
        Some(digits) => match digits.steps[..] {
            [_, across] => t.if_else(
                eq(var(across), i64(0)),
                |t| turns(t, Going::Down(digits)),
                |t| turns(t, Going::Counted(digits)),
            ),
            _ => turns(t, Going::Counted(digits)),
        },
    }
}

/// How a thread gets from one point to the next.
enum Going<'a> {
    /// Indices are computed of numbers.
    Divided,
    /// Indices are counted on.
    Counted(&'a Digits),
    /// Rows are counted on, in one column.
    Down(&'a Digits),
}

/// The turns of a thread.
fn while_points(
    t: &mut KernelCode,
    points: &Expr,
    going: &Going<'_>,
    body: &impl Fn(&mut KernelCode, &Expr, &Going<'_>) -> Vec<Name>,
) {
    let next = t.let_as("next", PrimType::I64, local());
    t.while_(lt(var(next), points.clone()), |t| {
        let first = var(t.let_as("first", PrimType::I64, var(next)));
        let after = body(t, &first, going);
        match going {
            Going::Divided => {}
            Going::Counted(digits) => {
                digits.now.iter().zip(after).for_each(|(x, after)| t.set_to(*x, var(after)));
            }
            Going::Down(digits) => {
                let (row, step) = (digits.now[0], digits.steps[0]);
                t.set_to(row, add(var(row), mul(var(step), i64(AT_ONCE))));
            }
        }
        t.set_to(next, add(var(next), mul(block_size(), i64(AT_ONCE))));
    });
}

/// The points of a turn. The indices of the first point of the next turn, where they are counted on.
fn each(
    t: &mut KernelCode,
    first: &Expr,
    points: &Expr,
    going: &Going<'_>,
    body: impl FnOnce(&mut KernelCode, Expr, Turn),
) -> Vec<Name> {
    let now = match going {
        Going::Counted(digits) => digits.copied(t),
        Going::Divided | Going::Down(_) => vec![],
    };
    t.for_up_to("k", i64(AT_ONCE), |t, k| {
        let at = t.let_i64("at", add(first.clone(), mul(k.clone(), block_size())));
        let indices = match going {
            Going::Divided => None,
            Going::Counted(_) => Some(now.iter().copied().map(var).collect()),
            Going::Down(digits) => {
                let row = add(var(digits.now[0]), mul(k.clone(), var(digits.steps[0])));
                Some(vec![row, var(digits.now[1])])
            }
        };
        let turn = Turn { at: at.clone(), indices };
        t.if_then(lt(at, points.clone()), |t| body(t, k, turn));
        if let Going::Counted(digits) = going {
            digits.advance(t, &now);
        }
    });
    now
}

/// The indices of a point that goes on by as many points as there are threads.
struct Digits {
    sizes: Vec<Expr>,
    now: Vec<Name>,
    /// What is added to each.
    steps: Vec<Name>,
}

impl Digits {
    /// The indices of a thread's first point, if it has one and divisions for others would cost anything: by
    /// constants, they do not.
    fn start(t: &mut KernelCode, sizes: &[SubExp], points: &Expr) -> Option<Digits> {
        let inner = sizes.get(1..).unwrap_or_default();
        if inner.iter().all(|n| n.as_i64().is_some()) {
            return None;
        }
        let sizes: Vec<Expr> = sizes.iter().map(|n| t.operand(*n)).collect();
        let fresh =
            |t: &mut KernelCode, base| sizes.iter().map(|_| t.let_as(base, PrimType::I64, i64(0))).collect();
        let now: Vec<Name> = fresh(t, "index");
        let steps: Vec<Name> = fresh(t, "step");
        // Where there are points, no size is zero.
        t.if_then(lt(local(), points.clone()), |t| {
            take_apart(t, &sizes, &now, local());
            take_apart(t, &sizes, &steps, block_size());
        });
        Some(Digits { sizes, now, steps })
    }

    /// Variables with the same values.
    fn copied(&self, t: &mut KernelCode) -> Vec<Name> {
        self.now.iter().map(|x| t.let_as("index", PrimType::I64, var(*x))).collect()
    }

    /// Goes on.
    fn advance(&self, t: &mut KernelCode, now: &[Name]) {
        for (k, (x, step)) in now.iter().zip(&self.steps).enumerate().rev() {
            t.set_to(*x, add(var(*x), var(*step)));
            if let (Some(above), Some(size)) = (k.checked_sub(1).and_then(|k| now.get(k)), self.sizes.get(k))
            {
                t.if_then(le(size.clone(), var(*x)), |t| {
                    t.set_to(*x, sub(var(*x), size.clone()));
                    t.set_to(*above, add(var(*above), i64(1)));
                });
            }
        }
    }
}

/// Sets variables to the indices of a flat number.
fn take_apart(t: &mut KernelCode, sizes: &[Expr], indices: &[Name], flat: Expr) {
    let mut rest = flat;
    for (k, (x, size)) in indices.iter().zip(sizes).enumerate().rev() {
        if k == 0 {
            t.set_to(*x, rest.clone());
        } else {
            let above = t.let_i64("rest", quot(rest.clone(), size.clone()));
            t.set_to(*x, sub(rest, mul(above.clone(), size.clone())));
            rest = above;
        }
    }
}
