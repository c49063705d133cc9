//! Blocks reduce equal shares of rows of different sizes (a *merge path*).
//!
//! The points of all rows that count, their *elements*, stand one after the other. With the ends of rows
//! between them they are a sequence of items, and the end of row `r` is item `r + ends[r]`. A share is a
//! number of these items. Three kernels:
//!
//! ```text
//! search     for each share: how many rows end before it
//! merge      ends of the share's rows to shared memory; each thread finds where its items are among these, and notes the row of each of its elements, if elements depend on it
//!            neighbouring threads compute neighbouring elements, and put values into shared memory
//!            each thread goes through its items: an element is combined with what it has, an end of a row writes that as a result
//!            a scan over threads finds what belongs before the first result of each; what is left in the end is the share's carry
//! carries    one block scans carries, and puts them before the first result of each share
//! ```
//!
//! Operators need not commute: whatever is combined stands side by side. A share without an end of a row
//! hands its carry on with what came before. Empty rows are ends without elements before them. No result
//! depends on which block is first, so that two runs give the same.

use super::Red;
use crate::translate::kernel::operator::vars;
use crate::translate::kernel::{point, size};
use crate::translate::state::{HostCode, KernelCode, Mode};
use fehu_base::ops::{BinOp, CmpOp, ConvOp};
use fehu_base::prim::{IntType, PrimType};
use fehu_base::Name;
use fehu_imp::build::*;
use fehu_imp::syntax::{Code, Expr};
use fehu_ir::free::free_in_stm;
use fehu_ir::mem::poly;
use fehu_ir::schedule::MergePath;
use fehu_ir::seg::SegOp;
use fehu_ir::{Basic, Exp, Memory, Stm, SubExp};
use rustc_hash::FxHashSet;

pub(super) fn merge_path(t: &mut HostCode, red: &Red, plan: &MergePath, carry_threads: Expr) {
    let value_bytes: i64 = red.types.iter().map(|ty| ty.bytes() as i64).sum();
    let elements = Elements::of(red, plan);
    let places = if elements.by_row { 2 } else { 1 };
    let thread_bytes = plan.items * (value_bytes + places * PrimType::I32.bytes() as i64) + value_bytes + 2;
    size::limit_block(t, plan.block, thread_bytes);
    size::limit_block(t, plan.carries, value_bytes + 1);
    let items = t.let_i64("items", add(red.segments.clone(), red.n.clone()));
    let share = t.let_i64("share", mul(red.size.clone(), i64(plan.items)));
    let shares = t.let_i64("shares", quot_up(items.clone(), share.clone()));
    let rows = t.fresh_array("rows", PrimType::I64, add(shares.clone(), i64(1)));
    let carries = red.types.iter().map(|ty| t.fresh_array("carries", *ty, shares.clone())).collect();
    let merge = Merge { red, plan, elements, items, share, shares: shares.clone(), rows, carries };
    let blocks = quot_up(add(shares.clone(), i64(1)), red.size.clone());
    t.kernel("segred_search", blocks, red.size.clone(), Mode::Thread, |t| search(t, &merge));
    t.kernel("segred_merge", shares.clone(), red.size.clone(), Mode::Thread, |t| one_share(t, &merge));
    let one = select(lt(i64(1), shares), i64(1), i64(0));
    t.kernel("segred_carries", one, carry_threads.clone(), Mode::Thread, |t| {
        combine_carries(t, &merge, &carry_threads);
    });
    t.free_device(merge.rows);
    merge.carries.iter().for_each(|mem| t.free_device(*mem));
}

/// The reduction that is emitted, and what its kernels hand on.
struct Merge<'a> {
    red: &'a Red<'a>,
    plan: &'a MergePath,
    elements: Elements,
    /// How many items there are.
    items: Expr,
    /// How many a share has.
    share: Expr,
    shares: Expr,
    /// For each share, and beyond the last one, how many rows end before it.
    rows: Name,
    /// What each share has of a row that has not ended, for each operand.
    carries: Vec<Name>,
}

impl Merge<'_> {
    /// Where a row ends.
    fn end(&self, t: &mut KernelCode, row: Expr) -> Expr {
        let row = t.let_as("row", PrimType::I64, row);
        let at = t.place_of(self.plan.ends).fixed(&[poly(row.into())]);
        t.read(&at)
    }

    /// The first item of a share, or of nothing after the last one.
    fn first(&self, share: Expr) -> Expr {
        min(mul(share, self.share.clone()), self.items.clone())
    }

    /// Writes the results of a row.
    fn put(&self, t: &mut KernelCode, row: Expr, values: &[Name]) {
        let row = t.let_as("row", PrimType::I64, row);
        for (at, value) in self.red.results.iter().zip(values) {
            t.write(&at.fixed(&[poly(row.into())]), var(*value));
        }
    }

    /// Variables with neutral elements.
    fn neutral(&self, t: &mut KernelCode) -> Vec<Name> {
        let neutral = t.neutrals(self.red.ops);
        t.lanes("acc", &self.red.types, neutral)
    }

    fn set_neutral(&self, t: &mut KernelCode, values: &[Name]) {
        let neutral = t.neutrals(self.red.ops);
        values.iter().zip(neutral).for_each(|(x, e)| t.set_to(*x, e));
    }

    /// Combines what is in variables with what comes after it.
    fn append(&self, t: &mut KernelCode, values: &[Name], next: &[Name]) {
        t.apply_all(self.red.ops, &vars(values), &vars(next), values);
    }
}

/// How many rows end before each share. Each step looks at three rows at once, since a thread waits for what
/// it reads: at the ends of quarters of what is left.
fn search(t: &mut KernelCode, merge: &Merge) {
    let share = t.let_i64("share", add(mul(block(), block_size()), local()));
    t.if_then(le(share.clone(), merge.shares.clone()), |t| {
        let item = t.let_i64("item", merge.first(share.clone()));
        let (rows, elements) = (merge.red.segments.clone(), merge.red.n.clone());
        let least = t.let_as("least", PrimType::I64, max(i64(0), sub(item.clone(), elements)));
        let most = t.let_as("most", PrimType::I64, min(item.clone(), rows));
        t.while_(lt(var(least), var(most)), |t| {
            let quarter = binary(BinOp::LShr(IntType::I64), sub(var(most), var(least)), i64(2));
            let quarter = t.let_i64("quarter", quarter);
            let looked = [0, 1, 2].map(|k| {
                let row = add(var(least), mul(i64(k), add(quarter.clone(), i64(1))));
                let row = t.let_i64("row", min(sub(var(most), i64(1)), add(row, quarter.clone())));
                let end = merge.end(t, row.clone());
                (row.clone(), t.let_as("before", PrimType::Bool, lt(add(row, end), item.clone())))
            });
            // Ends before the item come first: the last of these decides where to go on, and the first after
            // them where to stop.
            for (row, before) in looked {
                t.if_else(
                    var(before),
                    |t| t.set_to(least, max(var(least), add(row.clone(), i64(1)))),
                    |t| t.set_to(most, min(var(most), row.clone())),
                );
            }
        });
        t.store(merge.rows, PrimType::I64, share, var(least));
    });
}

/// What the threads of a share know of it, and where in shared memory the rest is. Places are relative to the
/// first row and the first element of the share, and have 32 bits.
struct Share {
    /// The first row that ends in it, or after it.
    row: Expr,
    /// Its first element.
    element: Expr,
    /// How many rows end in it, and how many elements it has.
    rows: Expr,
    elements: Expr,
    /// Ends of rows; after them, the end of the elements.
    ends: Name,
    /// If elements depend on their rows: where the first row starts, and the row of each element.
    owners: Option<(Expr, Name)>,
    /// The value of each element, for each operand.
    values: Vec<Name>,
}

impl Share {
    fn new(t: &mut KernelCode, merge: &Merge) -> Share {
        let row = t.element(merge.rows, PrimType::I64, block());
        let row = t.let_i64("row", row);
        let next_row = t.element(merge.rows, PrimType::I64, add(block(), i64(1)));
        let next_row = t.let_i64("next_row", next_row);
        let element = t.let_i64("element", sub(merge.first(block()), row.clone()));
        let next = sub(merge.first(add(block(), i64(1))), next_row.clone());
        let rows = var(t.let_as("rows", PrimType::I32, narrow(sub(next_row, row.clone()))));
        let elements = var(t.let_as("elements", PrimType::I32, narrow(sub(next, element.clone()))));
        let ends = t.shared_array("ends", PrimType::I32, add(merge.share.clone(), i64(1)));
        let owners = merge.elements.by_row.then(|| {
            let start = t.let_as("start", PrimType::I64, sub(i64(0), element.clone()));
            t.if_then(lt(i64(0), row.clone()), |t| {
                let end = merge.end(t, sub(row.clone(), i64(1)));
                t.set_to(start, sub(end, element.clone()));
            });
            (var(start), t.shared_array("owners", PrimType::I32, merge.share.clone()))
        });
        let values = merge.red.types.iter().map(|ty| t.shared_array("values", *ty, merge.share.clone()));
        let values = values.collect();
        Share { row, element, rows, elements, ends, owners, values }
    }

    /// Copies the ends of rows to shared memory.
    fn read_ends(&self, t: &mut KernelCode, merge: &Merge) {
        let rounds = quot_up(sub(t.to_i64(self.rows.clone()), local()), block_size());
        let rounds = t.let_i64("rounds", rounds);
        t.for_up_to("round", rounds, |t, round| {
            let at = t.let_i64("at", add(local(), mul(round, block_size())));
            let end = merge.end(t, add(self.row.clone(), at.clone()));
            t.store(self.ends, PrimType::I32, at, narrow(sub(end, self.element.clone())));
        });
        t.if_then(eq(local(), i64(0)), |t| {
            let last = t.to_i64(self.rows.clone());
            t.store(self.ends, PrimType::I32, last, self.elements.clone());
        });
    }

    fn end(&self, t: &mut KernelCode, row: Expr) -> Expr {
        let row = t.to_i64(row);
        t.element(self.ends, PrimType::I32, row)
    }
}

/// A thread's items of a share.
struct Walk {
    /// How many there are.
    count: Expr,
    /// The first row that ends in them or after them, and the first element.
    row: Expr,
    element: Expr,
}

impl Walk {
    /// Finds them.
    fn new(t: &mut KernelCode, merge: &Merge, share: &Share) -> Walk {
        let all = t.let_as("all", PrimType::I32, add32(share.rows.clone(), share.elements.clone()));
        let first = narrow(mul(local(), i64(merge.plan.items)));
        let first = var(t.let_as("first", PrimType::I32, min32(first, var(all))));
        let least = max32(i32(0), sub32(first.clone(), share.elements.clone()));
        let least = t.let_as("least", PrimType::I32, least);
        let most = t.let_as("most", PrimType::I32, min32(first.clone(), share.rows.clone()));
        t.while_(lt32(var(least), var(most)), |t| {
            let middle = binary(BinOp::LShr(IntType::I32), add32(var(least), var(most)), i32(1));
            let middle = var(t.let_as("middle", PrimType::I32, middle));
            let end = share.end(t, middle.clone());
            t.if_else(
                lt32(add32(middle.clone(), end), first.clone()),
                |t| t.set_to(least, add32(middle.clone(), i32(1))),
                |t| t.set_to(most, middle.clone()),
            );
        });
        let count = min32(i32(merge.plan.items as i32), sub32(var(all), first.clone()));
        let count = var(t.let_as("count", PrimType::I32, count));
        let element = var(t.let_as("element", PrimType::I32, sub32(first, var(least))));
        Walk { count, row: var(least), element }
    }

    /// Goes through them: what happens at an element, and at the end of a row.
    fn each(
        &self,
        t: &mut KernelCode,
        merge: &Merge,
        share: &Share,
        at_element: impl FnOnce(&mut KernelCode, Expr, Expr),
        at_end: impl FnOnce(&mut KernelCode, Expr),
    ) {
        let row = t.let_as("row", PrimType::I32, self.row.clone());
        let element = t.let_as("element", PrimType::I32, self.element.clone());
        let end = share.end(t, var(row));
        let end = t.let_as("end", PrimType::I32, end);
        t.for_up_to("item", i64(merge.plan.items), |t, item| {
            t.if_then(lt32(narrow(item), self.count.clone()), |t| {
                t.if_else(
                    lt32(var(element), var(end)),
                    |t| {
                        at_element(t, var(row), var(element));
                        t.set_to(element, add32(var(element), i32(1)));
                    },
                    |t| {
                        at_end(t, var(row));
                        t.set_to(row, add32(var(row), i32(1)));
                        let next = share.end(t, var(row));
                        t.set_to(end, next);
                    },
                );
            });
        });
    }
}

/// Reduces a share.
fn one_share(t: &mut KernelCode, merge: &Merge) {
    let red = merge.red;
    let lanes = t.exchange(&red.types, &red.size);
    let flags = t.shared_array("flags", PrimType::Bool, red.size.clone());
    let share = Share::new(t, merge);
    share.read_ends(t, merge);
    // What does not depend on rows is read together with their ends.
    if share.owners.is_none() {
        compute_elements(t, merge, &share);
    }
    t.barrier();
    let walk = Walk::new(t, merge, &share);
    if let Some((_, owners)) = share.owners {
        let note = |t: &mut KernelCode, row, element| {
            let at = t.to_i64(element);
            t.store(owners, PrimType::I32, at, row);
        };
        walk.each(t, merge, &share, note, |_, _| {});
        t.barrier();
        compute_elements(t, merge, &share);
        t.barrier();
    }
    // What is before the first end of a row has to be combined with what threads before have left.
    let head = merge.neutral(t);
    let values = merge.neutral(t);
    let ended = t.let_as("ended", PrimType::Bool, bool(false));
    walk.each(
        t,
        merge,
        &share,
        |t, _, element| {
            let at = t.to_i64(element);
            let next = t.load_all(&share.values, &red.types, &at);
            merge.append(t, &values, &next);
        },
        |t, row| {
            t.if_else(
                var(ended),
                |t| {
                    let row = add(share.row.clone(), t.to_i64(row.clone()));
                    merge.put(t, row, &values);
                },
                |t| {
                    head.iter().zip(&values).for_each(|(h, x)| t.set_to(*h, var(*x)));
                    t.set_to(ended, bool(true));
                },
            );
            merge.set_neutral(t, &values);
        },
    );
    let before = carried(t, merge, &values, ended, (&lanes, flags));
    t.if_then(var(ended), |t| {
        merge.append(t, &before, &head);
        let row = add(share.row.clone(), t.to_i64(walk.row.clone()));
        merge.put(t, row, &before);
    });
    t.if_then(eq(local(), sub(block_size(), i64(1))), |t| {
        t.store_all(&merge.carries, &red.types, &block(), &values);
    });
}

/// Threads compute the elements of a share, neighbours by neighbours. The loop is of a form that
/// `impopt/read_ahead` knows.
fn compute_elements(t: &mut KernelCode, merge: &Merge, share: &Share) {
    let Elements { seg, number, .. } = &merge.elements;
    let [(row, _), (place, _)] = seg.space.dims.as_slice() else { return };
    let count = quot_up(sub(t.to_i64(share.elements.clone()), local()), block_size());
    let count = t.let_i64("count", min(i64(merge.plan.items), count));
    t.same.insert(merge.plan.counts, SubExp::bool(true));
    t.guarded(|t| {
        t.for_up_to("k", count, |t, k| {
            let at = add(local(), mul(k, block_size()));
            let mut places = vec![];
            if let Some((start, owners)) = &share.owners {
                let owner = t.element(*owners, PrimType::I32, at.clone());
                let owner = var(t.let_as("owner", PrimType::I32, owner));
                let before = share.end(t, max32(i32(0), sub32(owner.clone(), i32(1))));
                let before = t.to_i64(before);
                let start = select(lt32(i32(0), owner.clone()), before, start.clone());
                places.push((*row, add(share.row.clone(), t.to_i64(owner))));
                places.push((*place, sub(at.clone(), start)));
                places.push((seg.space.flat, add(mul(var(*row), merge.red.n.clone()), var(*place))));
            }
            places.extend(number.map(|number| (number, add(share.element.clone(), at.clone()))));
            for (x, e) in places {
                t.emit(Code::DeclareScalar(x, PrimType::I64));
                t.set_to(x, e);
            }
            let new = point::point(t, merge.red.pat, seg);
            for ((mem, ty), value) in share.values.iter().zip(&merge.red.types).zip(new) {
                t.store(*mem, *ty, at.clone(), value);
            }
        });
    });
}

/// How elements are computed.
struct Elements {
    /// The reduction at points that are known to count: the side of the branch on that stands in its place.
    seg: SegOp<Memory>,
    /// What is compared with the end of a row: the number of the element among those of all rows.
    number: Option<Name>,
    /// Whether anything but that number is needed.
    by_row: bool,
}

impl Elements {
    fn of(red: &Red, plan: &MergePath) -> Elements {
        let counts = plan.counts;
        let mut seg = red.seg.clone();
        let defines = |stm: &Stm<Memory>, x: Name| stm.pat.iter().any(|p| p.name == x);
        let number = seg.body.body.stms.iter().filter(|stm| defines(stm, counts)).find_map(|stm| {
            let Exp::Basic(Basic::CmpOp(_, number, _)) = &stm.exp else { return None };
            number.name()
        });
        // Where all rows start at 0, it is the place itself.
        let number = number.filter(|x| seg.space.dims.iter().all(|d| d.0 != *x));
        let mut stms = vec![];
        for stm in std::mem::take(&mut seg.body.body.stms) {
            if defines(&stm, counts) || number.is_some_and(|number| defines(&stm, number)) {
                continue;
            }
            match stm.exp {
                Exp::If(SubExp::Var(c), side, _) if c == counts => {
                    stms.extend(side.stms);
                    stms.extend(stm.pat.iter().zip(side.result).map(|(p, e)| Stm {
                        pat: vec![p.clone()],
                        exp: Exp::Basic(Basic::SubExp(e)),
                        certs: stm.certs.clone(),
                        attrs: vec![],
                        loc: stm.loc.clone(),
                    }));
                }
                exp @ (Exp::Basic(_)
                | Exp::Call(..)
                | Exp::If(..)
                | Exp::Loop(_)
                | Exp::WithAcc(_)
                | Exp::Op(_)) => stms.push(Stm { exp, ..stm }),
            }
        }
        let (stms, names) = needed(stms, &seg.body.body.result);
        seg.body.body.stms = stms;
        let by_row =
            seg.space.dims.iter().map(|(x, _)| x).chain([&seg.space.flat]).any(|x| names.contains(x));
        Elements { seg, number, by_row }
    }
}

/// Statements without those whose results nobody needs: what was compared. All names that are used.
fn needed(mut stms: Vec<Stm<Memory>>, result: &[SubExp]) -> (Vec<Stm<Memory>>, FxHashSet<Name>) {
    let mut names: FxHashSet<Name> = result.iter().filter_map(|e| e.name()).collect();
    let mut kept = vec![];
    while let Some(stm) = stms.pop() {
        let effect = !matches!(&stm.exp, Exp::Basic(b) if !b.has_effect());
        if effect || stm.pat.iter().any(|p| names.contains(&p.name)) {
            names.extend(free_in_stm(&stm));
            kept.push(stm);
        }
    }
    kept.reverse();
    (kept, names)
}

/// Scans what threads are left with, and gives each what those before it have. Whether rows end in a thread's
/// part is the same afterwards.
fn carried(
    t: &mut KernelCode,
    merge: &Merge,
    values: &[Name],
    ended: Name,
    (lanes, flags): (&[Name], Name),
) -> Vec<Name> {
    let Red { ops, types, .. } = merge.red;
    let starts = t.let_as("starts", PrimType::Bool, var(ended));
    t.block_scan(ops, types, values, lanes, Some((starts, flags)), merge.plan.exchange);
    t.barrier();
    t.store_all(lanes, types, &local(), values);
    t.barrier();
    let before = merge.neutral(t);
    t.if_then(lt(i64(0), local()), |t| {
        for ((x, mem), ty) in before.iter().zip(lanes).zip(types) {
            let e = t.element(*mem, *ty, sub(local(), i64(1)));
            t.set_to(*x, e);
        }
    });
    before
}

/// How many carries a thread has at a time. All that it reads for these is on its way at once.
const CARRIES_PER_THREAD: i64 = 8;

/// One block puts what shares have left of rows before the first results of the shares after them.
fn combine_carries(t: &mut KernelCode, merge: &Merge, threads: &Expr) {
    let types = &merge.red.types;
    let lanes = t.exchange(types, threads);
    let flags = t.shared_array("flags", PrimType::Bool, threads.clone());
    let earlier = merge.neutral(t);
    let rounds = quot_up(merge.shares.clone(), mul(block_size(), i64(CARRIES_PER_THREAD)));
    let rounds = t.let_i64("rounds", rounds);
    t.for_up_to("round", rounds, |t, round| {
        let first = mul(add(mul(round, block_size()), local()), i64(CARRIES_PER_THREAD));
        let first = t.let_i64("first", first);
        let carries = Carries::read(t, merge, &first);
        let values = merge.neutral(t);
        t.if_then(eq(local(), i64(0)), |t| {
            values.iter().zip(&earlier).for_each(|(x, e)| t.set_to(*x, var(*e)));
        });
        let ended = t.let_as("ended", PrimType::Bool, bool(false));
        carries.each(t, |t, k| {
            let ends = carries.go_on(t, merge, &values, &k);
            t.set_to(ended, or(var(ended), var(ends)));
        });
        let before = carried(t, merge, &values, ended, (&lanes, flags));
        t.if_then(eq(local(), i64(0)), |t| {
            before.iter().zip(&earlier).for_each(|(x, e)| t.set_to(*x, var(*e)));
        });
        for ((x, mem), ty) in earlier.iter().zip(&lanes).zip(types) {
            let e = t.element(*mem, *ty, sub(block_size(), i64(1)));
            t.set_to(*x, e);
        }
        t.barrier();
        carries.each(t, |t, k| {
            let ends = t.element(carries.ends, PrimType::Bool, k.clone());
            t.if_then(ends, |t| {
                let result = t.load_all(&carries.results, types, &k);
                let whole = t.lanes("whole", types, vars(&before));
                merge.append(t, &whole, &result);
                let row = t.element(carries.rows, PrimType::I64, k.clone());
                merge.put(t, row, &whole);
            });
            carries.go_on(t, merge, &before, &k);
        });
    });
}

/// What a thread has of some shares that stand side by side.
struct Carries {
    /// The first row of each, and whether it ends there.
    rows: Name,
    ends: Name,
    /// What they have left, and the first result if there is one.
    values: Vec<Name>,
    results: Vec<Name>,
}

impl Carries {
    /// Reads them, from a share on. Those beyond the last one are neutral.
    fn read(t: &mut KernelCode, merge: &Merge, first: &Expr) -> Carries {
        let types = &merge.red.types;
        let mut array = |base: &str, ty: PrimType| t.private_array(base, ty, CARRIES_PER_THREAD);
        let carries = Carries {
            rows: array("row", PrimType::I64),
            ends: array("ends", PrimType::Bool),
            values: types.iter().map(|ty| array("value", *ty)).collect(),
            results: types.iter().map(|ty| array("result", *ty)).collect(),
        };
        carries.each(t, |t, k| {
            let share = t.let_i64("share", add(first.clone(), k.clone()));
            let row = t.let_as("row", PrimType::I64, i64(0));
            let next = t.let_as("next", PrimType::I64, i64(0));
            let values = merge.neutral(t);
            t.if_then(lt(share.clone(), merge.shares.clone()), |t| {
                let e = t.element(merge.rows, PrimType::I64, share.clone());
                t.set_to(row, e);
                let e = t.element(merge.rows, PrimType::I64, add(share.clone(), i64(1)));
                t.set_to(next, e);
                for ((x, mem), ty) in values.iter().zip(&merge.carries).zip(types) {
                    let e = t.element(*mem, *ty, share.clone());
                    t.set_to(*x, e);
                }
            });
            t.store(carries.rows, PrimType::I64, k.clone(), var(row));
            t.store(carries.ends, PrimType::Bool, k.clone(), lt(var(row), var(next)));
            t.store_all(&carries.values, types, &k, &values);
        });
        carries.each(t, |t, k| {
            let results = merge.neutral(t);
            let ends = t.element(carries.ends, PrimType::Bool, k.clone());
            t.if_then(ends, |t| {
                let row = t.element(carries.rows, PrimType::I64, k.clone());
                let row = t.let_as("row", PrimType::I64, row);
                for (x, at) in results.iter().zip(&merge.red.results) {
                    let e = t.read(&at.fixed(&[poly(row.into())]));
                    t.set_to(*x, e);
                }
            });
            t.store_all(&carries.results, types, &k, &results);
        });
        carries
    }

    fn each(&self, t: &mut KernelCode, body: impl FnOnce(&mut KernelCode, Expr)) {
        t.unrolled_up_to("k", i64(CARRIES_PER_THREAD), body);
    }

    /// What is left after a share, of what was left before it. Whether a row ends in it.
    fn go_on(&self, t: &mut KernelCode, merge: &Merge, values: &[Name], k: &Expr) -> Name {
        let ends = t.element(self.ends, PrimType::Bool, k.clone());
        let ends = t.let_as("ends", PrimType::Bool, ends);
        let carry = t.load_all(&self.values, &merge.red.types, k);
        t.if_else(
            var(ends),
            |t| values.iter().zip(&carry).for_each(|(x, c)| t.set_to(*x, var(*c))),
            |t| merge.append(t, values, &carry),
        );
        ends
    }
}

fn narrow(e: Expr) -> Expr {
    Expr::Conv(ConvOp::SExt(IntType::I64, IntType::I32), Box::new(e))
}

fn add32(a: Expr, b: Expr) -> Expr {
    binary(BinOp::Add(IntType::I32), a, b)
}

fn sub32(a: Expr, b: Expr) -> Expr {
    binary(BinOp::Sub(IntType::I32), a, b)
}

fn min32(a: Expr, b: Expr) -> Expr {
    binary(BinOp::SMin(IntType::I32), a, b)
}

fn max32(a: Expr, b: Expr) -> Expr {
    binary(BinOp::SMax(IntType::I32), a, b)
}

fn lt32(a: Expr, b: Expr) -> Expr {
    Expr::CmpOp(CmpOp::SLt(IntType::I32), Box::new(a), Box::new(b))
}
