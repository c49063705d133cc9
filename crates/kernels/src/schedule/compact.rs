//! Where what comes after a scan of flags writes to, if the flags alone decide that.
//!
//! Filters and partitions number the elements that are kept by a scan, and write each to the place of its
//! number. Whoever knows that these are all elements with a flag, one after the other, can gather those of a
//! tile before they are written:
//!
//! ```text
//! segscan (i < n) add_i64 { let (x) = xs[i]  let (c) = slt_i32(0i32, x)  return (btoi_i64(c)) }
//! after \number {
//!   let (x') = xs[i]  let (c') = slt_i32(0i32, x')
//!   let (place) = if c' then { number - 1 } else { -1 }
//! } as (write x' to ys [n] at [place])                                                  flagged 0: c' is c
//! ```
//!
//! Conditions are compared by their truth tables, places as sums of the point's index and the numbers. What
//! is written must not depend on the numbers itself, unless it is one of them, and goes to a place that does
//! not: filters of irregular nests store every 16th.

use fehu_analysis::conditions::{Conditions, Table};
use fehu_base::ops::{BinOp, CmpOp, ConvOp};
use fehu_base::prim::{IntType, PrimType};
use fehu_base::tuning::schedule::MAX_STATEMENTS_OF_FULL_TILES;
use fehu_base::Name;
use fehu_ir::free::by_need_of_numbers;
use fehu_ir::schedule::Placing;
use fehu_ir::seg::{KernelReturn, SegAfter, SegOp};
use fehu_ir::visit::for_each_stm;
use fehu_ir::{Basic, Body, Exp, Memory, Stm, SubExp, Type};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeMap;

/// Where each result of what comes after a scan of flags goes.
pub(super) struct Placings {
    pub(super) all: Vec<Placing>,
    /// Whether a block can gather what it writes: at most one flag is set at a point, and no numbers are
    /// written but how many points there are.
    pub(super) can_be_gathered: bool,
}

/// Where each result of what comes after a scan of flags goes; none if the flags do not say that of all of them.
pub(super) fn placings(seg: &SegOp<Memory>) -> Option<Placings> {
    let (after, [(index, size)]) = (seg.after()?, &seg.space.dims[..]) else { return None };
    let mut conditions = Conditions::default();
    conditions.body(&seg.body.body);
    conditions.body(&after.lambda.body);
    let flags: Vec<SubExp> = seg.body.body.result[..seg.combined()]
        .iter()
        .map(|e| condition_of(&seg.body.body, *e))
        .collect::<Option<_>>()?;
    let flags: Vec<Table> = flags.iter().map(|e| conditions.table(*e)).collect::<Option<_>>()?;
    let (mut any, mut disjoint) = (0, true);
    for table in &flags {
        disjoint &= any & table == 0;
        any |= table;
    }
    if seg.body.returns.len() != flags.len() || !is_known_before(after) {
        return None;
    }
    let mut of = Placed {
        after,
        index: *index,
        size: *size,
        flags,
        others: disjoint.then_some(!any),
        conditions,
        sums: Sums::of(&after.lambda.body),
    };
    let mut written = FxHashSet::default();
    let mut placings = vec![];
    for ((ret, value), ty) in after.returns.iter().zip(&after.lambda.body.result).zip(&after.lambda.ret) {
        let KernelReturn::Write { array, shape, index } = ret else { return None };
        let ([size], [place], Type::Prim(_)) = (&shape[..], &index[..], ty) else { return None };
        if !written.insert(*array) {
            return None;
        }
        placings.push(of.placing(*size, *place, *value)?);
    }
    let numbers = placings.iter().any(|p| matches!(p, Placing::Number(_)));
    Some(Placings { all: placings, can_be_gathered: disjoint && !numbers })
}

/// How many bytes a point has that go where flags say.
pub(super) fn gathered_bytes(seg: &SegOp<Memory>, placings: &[Placing]) -> u64 {
    let Some(after) = seg.after() else { return 0 };
    let mut values: FxHashMap<SubExp, u64> = FxHashMap::default();
    let results = after.lambda.body.result.iter().zip(&after.lambda.ret);
    for ((value, ty), _) in results.zip(placings).filter(|(_, p)| is_of_class(p)) {
        values.insert(*value, ty.elem().map_or(0, |p| p.bytes()));
    }
    values.values().sum()
}

/// Whether a result is written by the points of a class, each to a place of its own.
pub(super) fn is_of_class(placing: &Placing) -> bool {
    matches!(placing, Placing::Flagged(_) | Placing::Others)
}

/// Whether threads can write what flags decide about by themselves, each its own.
pub(super) fn goes_directly(placings: &[Placing]) -> bool {
    placings.iter().all(|placing| *placing != Placing::Others)
}

/// The condition that a number of 0 or 1 stands for.
fn condition_of(body: &Body<Memory>, e: SubExp) -> Option<SubExp> {
    let made = |s: &&Stm<Memory>| matches!(&s.pat[..], [p] if e.name() == Some(p.name));
    let Exp::Basic(Basic::Conv(ConvOp::BToI(IntType::I64), c)) = &body.stms.iter().find(made)?.exp else {
        return None;
    };
    Some(*c)
}

/// Whether nothing that comes after the scan depends on numbers, but for places and the numbers themselves.
fn is_known_before(after: &SegAfter<Memory>) -> bool {
    let (early, late) = by_need_of_numbers(after);
    let mut plain = true;
    let mut survey = |s: &Stm<Memory>| {
        plain &= !matches!(s.exp, Exp::Loop(_) | Exp::Call(..) | Exp::WithAcc(_) | Exp::Op(_));
        plain &= !matches!(s.exp, Exp::Basic(Basic::Assert(..)));
    };
    for stm in &late {
        survey(stm);
        if let Exp::If(_, then, other) = &stm.exp {
            for_each_stm(then, &mut survey);
            for_each_stm(other, &mut survey);
        }
    }
    let copy = |s: &&&Stm<Memory>| !matches!(s.exp, Exp::Basic(Basic::SubExp(_)));
    let late: FxHashSet<Name> = late.iter().filter(copy).flat_map(|s| &s.pat).map(|p| p.name).collect();
    let known = |e: &SubExp| e.name().is_none_or(|x| !late.contains(&x));
    plain && early.len() <= MAX_STATEMENTS_OF_FULL_TILES && after.lambda.body.result.iter().all(known)
}

/// What is known of a scan of flags.
struct Placed<'a> {
    after: &'a SegAfter<Memory>,
    index: Name,
    size: SubExp,
    /// The tables of the flags, and of whether none is set, if they are never set together.
    flags: Vec<Table>,
    others: Option<Table>,
    conditions: Conditions,
    sums: Sums<'a>,
}

impl Placed<'_> {
    /// Where a value goes that is written to a place of an array of some size.
    fn placing(&mut self, size: SubExp, place: SubExp, value: SubExp) -> Option<Placing> {
        let numbers: Vec<Name> = self.after.lambda.params.iter().map(|p| p.name).collect();
        let value = value.name().and_then(|x| self.sums.of_operand(x.into()));
        let is_number = |n: &Name| value == Some(Sum { constant: 0, terms: [(*n, 1)].into() });
        if let Some(flag) = numbers.iter().position(is_number) {
            if size.as_i64() == Some(1) && self.is_at_last_point(place)? {
                return Some(Placing::Count(flag));
            }
            return self.is_early(place).then_some(Placing::Number(flag));
        }
        let (c, where_to, holds) = self.choice(place)?;
        let table = self.conditions.table(c)?;
        let table = if holds { table } else { !table };
        let to = self.sums.of_operand(where_to)?;
        let flagged = (0..numbers.len()).find(|k| {
            table == self.flags[*k] && to == Sum { constant: -1, terms: [(numbers[*k], 1)].into() }
        });
        if let Some(flag) = flagged {
            return Some(Placing::Flagged(flag));
        }
        let all = numbers.iter().map(|n| (*n, -1)).chain([(self.index, 1)]).collect();
        (Some(table) == self.others && to == Sum { constant: 0, terms: all }).then_some(Placing::Others)
    }

    /// Whether a place is the first one at the last point, and none at others.
    fn is_at_last_point(&self, place: SubExp) -> Option<bool> {
        let Some((c, where_to, holds)) = self.choice(place) else { return Some(false) };
        Some(holds && self.is_last_point(c)? && self.sums.of_operand(where_to)? == Sum::default())
    }

    /// Whether a place does not depend on numbers.
    fn is_early(&self, place: SubExp) -> bool {
        let (_, late) = by_need_of_numbers(self.after);
        let numbers = self.after.lambda.params.iter().map(|p| p.name);
        let mut late = late.iter().flat_map(|s| &s.pat).map(|p| p.name).chain(numbers);
        !late.any(|x| place.name() == Some(x))
    }

    /// A place that is -1 unless a condition holds, or unless it does not hold: the condition, the place, and
    /// which of the two it is.
    fn choice(&self, place: SubExp) -> Option<(SubExp, SubExp, bool)> {
        let place = place.name()?;
        let at = |s: &Stm<Memory>| s.pat.iter().position(|p| p.name == place);
        let (stm, k) = self.after.lambda.body.stms.iter().find_map(|s| at(s).map(|k| (s, k)))?;
        let Exp::If(c, then, other) = &stm.exp else { return None };
        match (then.result[k].as_i64(), other.result[k].as_i64()) {
            (_, Some(-1)) => Some((*c, then.result[k], true)),
            (Some(-1), _) => Some((*c, other.result[k], false)),
            _ => None,
        }
    }

    /// Whether a condition says that a point is the last one.
    fn is_last_point(&self, c: SubExp) -> Option<bool> {
        let Exp::Basic(Basic::CmpOp(CmpOp::Eq(PrimType::I64), x, y)) = self.sums.made.get(&c.name()?)? else {
            return Some(false);
        };
        let end = Sum { constant: 1, terms: [(self.index, 1)].into() };
        let size = self.sums.of_operand(self.size)?;
        let sides = [self.sums.of_operand(*x)?, self.sums.of_operand(*y)?];
        Some(sides == [end.clone(), size.clone()] || sides == [size, end])
    }
}

/// A sum of integers of 64 bits.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
struct Sum {
    constant: i64,
    terms: BTreeMap<Name, i64>,
}

/// The sums that a body computes.
struct Sums<'a> {
    made: FxHashMap<Name, &'a Exp<Memory>>,
}

impl<'a> Sums<'a> {
    fn of(body: &'a Body<Memory>) -> Sums<'a> {
        let mut sums = Sums { made: FxHashMap::default() };
        sums.body(body);
        sums
    }

    fn body(&mut self, body: &'a Body<Memory>) {
        for stm in &body.stms {
            if let [p] = &stm.pat[..] {
                self.made.insert(p.name, &stm.exp);
            }
            if let Exp::If(_, then, other) = &stm.exp {
                self.body(then);
                self.body(other);
            }
        }
    }

    fn of_operand(&self, e: SubExp) -> Option<Sum> {
        let SubExp::Var(name) = e else {
            return Some(Sum { constant: e.as_i64()?, terms: BTreeMap::new() });
        };
        let made = self.made.get(&name);
        if let Some(Exp::Basic(Basic::SubExp(e))) = made {
            return self.of_operand(*e);
        }
        if let Some(Exp::Basic(Basic::BinOp(BinOp::Add(IntType::I64), x, y))) = made {
            return self.total(*x, *y, 1);
        }
        if let Some(Exp::Basic(Basic::BinOp(BinOp::Sub(IntType::I64), x, y))) = made {
            return self.total(*x, *y, -1);
        }
        Some(Sum { constant: 0, terms: [(name, 1)].into() })
    }

    /// The sum of an operand, and of another as often as is said.
    fn total(&self, x: SubExp, y: SubExp, times: i64) -> Option<Sum> {
        let (mut sum, other) = (self.of_operand(x)?, self.of_operand(y)?);
        sum.constant = sum.constant.checked_add(other.constant.checked_mul(times)?)?;
        for (name, count) in other.terms {
            let term = sum.terms.entry(name).or_default();
            *term = term.checked_add(count.checked_mul(times)?)?;
        }
        sum.terms.retain(|_, count| *count != 0);
        Some(sum)
    }
}
