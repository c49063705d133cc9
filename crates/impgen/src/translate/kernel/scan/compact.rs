//! Scans of flags that decide where elements go, as those of filters and partitions.
//!
//! Points with a flag write to places one after the other. So those of a tile are gathered in shared memory,
//! and then written by neighbouring threads to neighbouring places. What is written is computed with the
//! flags, before the tile knows what is before it, and stays in registers until then: nothing is read twice.
//!
//! ```text
//! points of a tile        a b c d e f       flags 1 0 1 1 0 0
//! in shared memory        a c d b e f       flagged 0, then others
//! to memory               a c d at 7, 8, 9 of the one array, where 7 points before the tile have the flag; b e f at 5, 6, 7 of the other
//! ```
//!
//! A thread has its flags as the bits of a number. How many points before its own have one, among those of
//! its warp, the lanes find out together: four counts share a word of 32 bits, and words are added up by
//! shuffles.

use super::flags::before_warp;
use super::tile::Tile;
use super::{cut, widened, Scan, Shared};
use crate::translate::kernel::hist::shared_out;
use crate::translate::kernel::point;
use crate::translate::state::KernelCode;
use fehu_base::device::WARP_THREADS;
use fehu_base::ops::BinOp;
use fehu_base::prim::{IntType, PrimType};
use fehu_base::{bug, Name};
use fehu_imp::build::*;
use fehu_imp::syntax::{Direction, Expr};
use fehu_ir::free::by_need_of_numbers;
use fehu_ir::mem::poly;
use fehu_ir::schedule::Placing;
use fehu_ir::seg::{KernelReturn, SegAfter, SegOp};
use fehu_ir::{Body, Memory, SubExp};

/// Bits of a count of lanes.
const COUNT_BITS: i64 = 8;
/// Counts in a word.
const COUNTS: i64 = 32 / COUNT_BITS;

/// Scans a tile of flags, and writes what they decide about.
pub(super) fn scan_tile(t: &mut KernelCode, scan: &Scan, shared: &Shared, tile: &Tile, placings: &[Placing]) {
    let flags: Vec<Name> = scan.types.iter().map(|_| t.let_as("flags", PrimType::I32, i32(0))).collect();
    let values = collect(t, scan, tile, placings, &flags);
    let counts: Vec<Counts> = flags.iter().map(|flags| Counts::new(t, scan, *flags)).collect();
    let sums: Vec<Name> = counts.iter().map(|c| c.sum).collect();
    let inside = before_warp(t, scan, shared, tile, rem(local(), i64(WARP_THREADS)), &sums);
    let last = sub(quot(block_size(), i64(WARP_THREADS)), i64(1));
    let totals = t.load_all(&shared.sums, &scan.tile_types, &last);
    let before = t.load_all(&shared.prefix, &scan.types, &i64(0));
    let here = cut(min(scan.span.clone(), sub(scan.points.clone(), tile.base.clone())));
    let here = t.let_as("here", PrimType::I32, here);
    let classes = Classes::new(t, &totals, &before, tile, here);
    let compact = Compact { scan, tile, flags, counts, inside, classes, values };
    for (k, layer) in layers(scan, placings).iter().enumerate() {
        if k > 0 {
            t.barrier();
        }
        compact.gather(t, shared, layer);
        t.barrier();
        for (class, which) in layer {
            compact.write(t, shared, *class, *which);
        }
    }
    write_counts(t, scan, tile, placings, (&before, &totals));
}

/// Writes how many points have a flag, given how many of the tiles before and of this one do: the last tile knows.
pub(super) fn write_counts(
    t: &mut KernelCode,
    scan: &Scan,
    tile: &Tile,
    placings: &[Placing],
    (before, totals): (&[Name], &[Name]),
) {
    let last = and(eq(tile.number.clone(), sub(scan.tiles.clone(), i64(1))), eq(local(), i64(0)));
    for (k, placing) in placings.iter().enumerate() {
        if let Placing::Count(flag) = placing {
            t.if_then(last.clone(), |t| {
                let all = add(var(before[*flag]), widened(var(totals[*flag])));
                write_to(t, scan, k, i64(0), all);
            });
        }
    }
}

/// The flags of a thread's points, as bits, and arrays of what is written for each result.
fn collect(
    t: &mut KernelCode,
    scan: &Scan,
    tile: &Tile,
    placings: &[Placing],
    flags: &[Name],
) -> Vec<Option<Name>> {
    let mut kept: Vec<(SubExp, Name)> = vec![];
    let mut values = vec![];
    for (k, placing) in placings.iter().enumerate() {
        let value = after(scan).lambda.body.result[k];
        values.push(match placing {
            Placing::Count(_) | Placing::Number(_) => None,
            Placing::Flagged(_) | Placing::Others => Some(match kept.iter().find(|(e, _)| *e == value) {
                Some((_, array)) => *array,
                None => {
                    let array = t.private_array("kept", written_type(scan, k), scan.row);
                    kept.push((value, array));
                    array
                }
            }),
        });
    }
    tile.at_points(t, scan, |t, seg, point| {
        point.if_there(t, |t| {
            t.guarded(|t| {
                point.set(t, &seg.space);
                let new = point::point(t, scan.pat, seg);
                for (flags, e) in flags.iter().zip(new) {
                    let bit = select(eq(e, i64(0)), i32(0), i32(1));
                    let bit = binary(BinOp::Shl(IntType::I32), bit, cut(point.k.clone()));
                    t.set_to(*flags, binary(BinOp::Or(IntType::I32), var(*flags), bit));
                }
                let Some(after) = seg.after() else { bug!("nothing comes after a scan") };
                let stms = by_need_of_numbers(after).0.into_iter().cloned().collect();
                t.body(&Body { stms, result: vec![] }, &[]);
                let mut stored: Vec<Name> = vec![];
                for (k, array) in values.iter().enumerate() {
                    let Some(array) = array else { continue };
                    if !stored.contains(array) {
                        stored.push(*array);
                        let value = t.operand(after.lambda.body.result[k]);
                        t.store(*array, written_type(scan, k), point.k.clone(), value);
                    }
                }
            });
        });
    });
    values
}

fn after<'a>(scan: &Scan<'a>) -> &'a SegAfter<Memory> {
    let Some(after) = scan.seg.after() else { bug!("nothing comes after a scan") };
    after
}

/// The types of what is gathered.
pub(super) fn gathered_types(seg: &SegOp<Memory>, placings: &[Placing]) -> Vec<PrimType> {
    let results = seg.after().into_iter().flat_map(|after| &after.lambda.ret).zip(placings);
    let of_class = |p: &Placing| matches!(p, Placing::Flagged(_) | Placing::Others);
    results.filter(|(_, p)| of_class(p)).filter_map(|(ty, _)| ty.elem()).collect()
}

/// The type of a result.
fn written_type(scan: &Scan, which: usize) -> PrimType {
    after(scan).lambda.ret[which].elem().unwrap_or(PrimType::Unit)
}

/// Writes to a place of a result's array, if there is such a place.
fn write_to(t: &mut KernelCode, scan: &Scan, which: usize, place: Expr, value: Expr) {
    let KernelReturn::Write { array, shape, .. } = &after(scan).returns[which] else {
        bug!("a result is not written to a place")
    };
    let place = t.let_as("place", PrimType::I64, place);
    let size = t.operand(shape[0]);
    let at = t.place_of(*array).fixed(&[poly(place.into())]);
    t.if_then(lt(var(place), size), |t| t.write(&at, value));
}

/// The points with a flag, or, without one, those with no flag.
type Class = Option<usize>;

/// Results that are gathered together: of one type, and at most one for each class. Each has its number.
fn layers(scan: &Scan, placings: &[Placing]) -> Vec<Vec<(Class, usize)>> {
    let mut layers: Vec<Vec<(Class, usize)>> = vec![];
    for (k, placing) in placings.iter().enumerate() {
        let class = match placing {
            Placing::Flagged(flag) => Some(*flag),
            Placing::Others => None,
            Placing::Count(_) | Placing::Number(_) => continue,
        };
        let ty = written_type(scan, k);
        let fits = |layer: &&mut Vec<(Class, usize)>| {
            layer.iter().all(|(other, which)| *other != class && written_type(scan, *which) == ty)
        };
        match layers.iter_mut().find(fits) {
            Some(layer) => layer.push((class, k)),
            None => layers.push(vec![(class, k)]),
        }
    }
    layers
}

/// How many points of lanes before a thread's own have a flag, for each of its points.
struct Counts {
    /// Words of four counts: of the points of lanes before, and of all lanes.
    before: Name,
    all: Name,
    /// How many points of the warp have the flag.
    sum: Name,
}

impl Counts {
    fn new(t: &mut KernelCode, scan: &Scan, flags: Name) -> Counts {
        let words = (scan.row + COUNTS - 1) / COUNTS;
        let [before, all] = ["before", "all"].map(|base| t.private_array(base, PrimType::I32, words));
        let sum = t.let_as("sum", PrimType::I32, i32(0));
        for word in 0..words {
            let mut mine = i32(0);
            for k in COUNTS * word..scan.row.min(COUNTS * (word + 1)) {
                let own = bits_of(shifted(var(flags), i32(k as i32)), 1);
                let shift = i32((COUNT_BITS * (k % COUNTS)) as i32);
                mine = super::flags::plus(mine, binary(BinOp::Shl(IntType::I32), own, shift));
            }
            // Those of this lane and all after it: the first lane then knows the sum.
            let upto = t.let_as("upto", PrimType::I32, mine);
            for delta in [1u32, 2, 4, 8, 16] {
                let other = t.shuffle(&[PrimType::I32], &[upto], Direction::Down, delta)[0];
                let lane = rem(local(), i64(WARP_THREADS));
                t.if_then(lt(lane, i64(WARP_THREADS - i64::from(delta))), |t| {
                    t.set_to(upto, super::flags::plus(var(upto), var(other)));
                });
            }
            let total = t.shuffle(&[PrimType::I32], &[upto], Direction::First, 0)[0];
            let earlier = binary(BinOp::Sub(IntType::I32), var(total), var(upto));
            t.store(before, PrimType::I32, i64(word), earlier);
            t.store(all, PrimType::I32, i64(word), var(total));
            for k in COUNTS * word..scan.row.min(COUNTS * (word + 1)) {
                let count = count_in(var(total), i32((COUNT_BITS * (k % COUNTS)) as i32));
                t.set_to(sum, super::flags::plus(var(sum), count));
            }
        }
        Counts { before, all, sum }
    }
}

/// Where the classes of a tile are in shared memory, and where they go.
struct Classes {
    /// How many points of the tile there are.
    here: Name,
    /// Of each flag, then of none: the first place in shared memory, how many points, and the first place in memory.
    of: Vec<(Name, Name, Name)>,
}

impl Classes {
    fn new(t: &mut KernelCode, totals: &[Name], before: &[Name], tile: &Tile, here: Name) -> Classes {
        let mut of = vec![];
        let (mut next, mut outside) = (i32(0), tile.base.clone());
        for (total, before) in totals.iter().zip(before) {
            let start = t.let_as("start", PrimType::I32, next);
            next = super::flags::plus(var(start), var(*total));
            outside = sub(outside, var(*before));
            of.push((start, *total, *before));
        }
        let start = t.let_as("start", PrimType::I32, next);
        let rest = binary(BinOp::Sub(IntType::I32), var(here), var(start));
        let rest = t.let_as("rest", PrimType::I32, rest);
        of.push((start, rest, t.let_as("outside", PrimType::I64, outside)));
        Classes { here, of }
    }

    fn get(&self, class: Class) -> (Name, Name, Name) {
        self.of[class.unwrap_or(self.of.len() - 1)]
    }
}

/// What is gathered and written.
struct Compact<'a> {
    scan: &'a Scan<'a>,
    tile: &'a Tile,
    /// The flags of a thread's points, as bits.
    flags: Vec<Name>,
    counts: Vec<Counts>,
    /// How many points of the warps before have each flag.
    inside: Vec<Name>,
    classes: Classes,
    /// The array of what is written, for each result.
    values: Vec<Option<Name>>,
}

impl Compact<'_> {
    /// Puts a thread's values where those of their class are in shared memory.
    fn gather(&self, t: &mut KernelCode, shared: &Shared, layer: &[(Class, usize)]) {
        let scan = self.scan;
        let needed: Vec<usize> = match layer.iter().any(|(class, _)| class.is_none()) {
            true => (0..self.flags.len()).collect(),
            false => layer.iter().filter_map(|(class, _)| *class).collect(),
        };
        // How many points of the tile have each flag: before the points `k` of the warp, and before the
        // thread's own of them.
        let counts: Vec<Name> =
            needed.iter().map(|k| t.let_as("count", PrimType::I32, var(self.inside[*k]))).collect();
        let places: Vec<Name> = needed.iter().map(|_| t.let_as("place", PrimType::I32, i32(0))).collect();
        t.for_up_to("k", i64(scan.row), |t, k| {
            let word = quot(k.clone(), i64(COUNTS));
            let shift = cut(mul(rem(k.clone(), i64(COUNTS)), i64(COUNT_BITS)));
            for ((flag, count), place) in needed.iter().zip(&counts).zip(&places) {
                let Counts { before, all, .. } = self.counts[*flag];
                let [before, all] = [before, all]
                    .map(|words| count_in(t.element(words, PrimType::I32, word.clone()), shift.clone()));
                t.set_to(*place, super::flags::plus(var(*count), before));
                t.set_to(*count, super::flags::plus(var(*count), all));
            }
            let mut set = vec![];
            for flag in &needed {
                let bit = bits_of(shifted(var(self.flags[*flag]), cut(k.clone())), 1);
                set.push(t.let_as("set", PrimType::I32, bit));
            }
            for (class, which) in layer {
                let Some(array) = self.values[*which] else { bug!("a number is gathered") };
                let ty = written_type(scan, *which);
                let start = var(self.classes.get(*class).0);
                let (holds, place) = match class {
                    Some(flag) => {
                        let at = needed.iter().position(|k| k == flag).unwrap_or(0);
                        (equal(PrimType::I32, var(set[at]), i32(1)), var(places[at]))
                    }
                    None => {
                        let me = t.let_as("me", PrimType::I32, cut(self.tile.side_by_side(&k)));
                        let (mut none, mut place) =
                            (super::tile::less(var(me), var(self.classes.here)), var(me));
                        for (set, before) in set.iter().zip(&places) {
                            none = and(none, equal(PrimType::I32, var(*set), i32(0)));
                            place = binary(BinOp::Sub(IntType::I32), place, var(*before));
                        }
                        (none, place)
                    }
                };
                t.if_then(holds, |t| {
                    let value = t.element(array, ty, k.clone());
                    let place = widened(super::flags::plus(start, place));
                    t.store(shared.exchange, ty, place, value);
                });
            }
        });
    }

    /// Writes the values of a class to a result's array.
    fn write(&self, t: &mut KernelCode, shared: &Shared, class: Class, which: usize) {
        let (start, count, to) = self.classes.get(class);
        shared_out(t, widened(var(count)), |t, at| {
            let ty = written_type(self.scan, which);
            let value = t.element(shared.exchange, ty, add(widened(var(start)), at.clone()));
            let value = t.let_as("value", ty, value);
            write_to(t, self.scan, which, add(var(to), at), var(value));
        });
    }
}

/// A count in a word of them.
fn count_in(word: Expr, shift: Expr) -> Expr {
    bits_of(shifted(word, shift), (1 << COUNT_BITS) - 1)
}

fn shifted(e: Expr, by: Expr) -> Expr {
    binary(BinOp::LShr(IntType::I32), e, by)
}

fn bits_of(e: Expr, mask: i32) -> Expr {
    binary(BinOp::And(IntType::I32), e, i32(mask))
}
