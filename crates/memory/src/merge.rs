//! Blocks that are not needed at the same time become one.
//!
//! Before: a program over `Memory`, in which kernels allocate only in shared and private memory. After: the same, with
//! fewer blocks.
//!
//! ```text
//! segmap block (i < m) {                                segmap block (i < m) {
//!   let (x : mem) = alloc n shared                        let (x : mem) = alloc n shared
//!   let (a : [n]i8 @ x) = segscan in_block ...            let (y : mem) = alloc n shared
//!   let (y : mem) = alloc n shared                        let (a : [n]i8 @ x) = segscan in_block ...
//!   let (b : [n]i8 @ y) = segscan in_block ... a ...      let (b : [n]i8 @ y) = segscan in_block ... a ...
//!   let (z : mem) = alloc n shared                        let (c : [n]i8 @ x) = segscan in_block ... b ...
//!   let (c : [n]i8 @ z) = segscan in_block ... b ...
//! ```
//!
//! `lifetimes` says when a block is needed, and `colour` which blocks can be one. The rules are those of their memory:
//!
//! | blocks | become one | size |
//! | --- | --- | --- |
//! | shared memory of a thread block | in one kernel; a barrier stands before whatever writes there | the largest |
//! | parts of a block for all threads | in one kernel, with elements of one size: else threads would meet | the largest |
//! | a thread's own array, indexed by what changes | in one operation, with elements of one type | the largest |
//! | allocated before a loop or branch, used only in it | in one such statement: all are there while it runs | the largest |
//! | other blocks of host code | in one body, if nothing is allocated between the last use of the one and the other | equal |
//!
//! In the first four rows all blocks are allocated anyway and at once, so that the largest size is never more than
//! the sum. Host code frees blocks after their last use: there a block that is kept for later must not be there while
//! something else is allocated, or the peak would grow. A thread's own array whose indices are all constants is
//! registers, and must not share with one that is memory.
//!
//! Blocks that are passed on or returned may be known by other names: they can take the place of a block that
//! is no longer needed, but nobody takes theirs.
//!
//! Run before allocations leave loops, this makes one block of those of an iteration; and again afterwards,
//! of those that have left.

mod apply;
mod colour;
mod lifetimes;
pub(crate) mod sizes;

use crate::constants::with_constants;
use crate::tables::Tables;
use apply::{apply, Plan};
use colour::{colour, Member};
use fehu_base::prim::PrimType;
use fehu_base::Name;
use fehu_ir::mem::{sym_name, MemOp};
use fehu_ir::seg::SegLevel;
use fehu_ir::visit::{for_each_lambda, for_each_stm};
use fehu_ir::{Basic, Body, DimIndex, Exp, FunDef, Memory, Prog, Space};
use fehu_pass::{Need, Pass};
use indexmap::IndexMap;
use lifetimes::{lifetimes, Kind, Life, Lifetimes, Time, User};
use rustc_hash::{FxHashMap, FxHashSet};
use sizes::{key, Sizes};

/// Blocks that are not needed at the same time become one.
pub static PASS: Pass<Prog<Memory>> = Pass { name: "merge-blocks", need: Need::Optional, run: merge };

fn merge(prog: &mut Prog<Memory>) {
    with_constants(prog, of_functions);
}

fn of_functions(prog: &mut Prog<Memory>) {
    let tables = Tables::of(prog);
    for fun in &mut prog.funs {
        let plan = plan(&tables, fun);
        apply(&mut prog.names, &tables, &mut fun.body, &plan);
    }
}

/// Blocks of a group are all there at the same time.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum Group {
    /// In the kernel with this flat index.
    Shared(Name),
    /// In the operation with this flat index.
    Private(Name, PrimType),
    /// Parts for threads, of elements with so many bytes, that only the statement at this time uses.
    Parts(Time, usize, u64),
    /// Allocated in this body, used in its statement at this time.
    Inside(Time, usize),
}

/// Which blocks of a function become one.
fn plan(tables: &Tables, fun: &FunDef<Memory>) -> Plan {
    let lives = lifetimes(tables, fun);
    let mut plan = Plan::default();
    if lives.blocks.len() < 2 {
        return plan;
    }
    let mut sizes = Sizes::of(&fun.body);
    let registers = in_registers(tables, &fun.body);
    let operators = in_operators(&fun.body);
    let mut groups: IndexMap<Group, Vec<Member>> = IndexMap::new();
    for (block, life) in &lives.blocks {
        if life.passed || life.user == User::Nobody || registers.contains(block) || operators.contains(block)
        {
            continue;
        }
        if let Some(group) = group(tables, &lives, *block, life) {
            let span = match group {
                Group::Parts(..) => life.own_span,
                Group::Shared(_) | Group::Private(..) | Group::Inside(..) => life.span,
            };
            let size = sizes.size(life.bytes);
            groups.entry(group).or_default().push(Member { block: *block, size, span });
        }
    }
    for (group, members) in groups {
        let sizes: FxHashMap<Name, String> = members.iter().map(|m| (m.block, key(&m.size))).collect();
        for place in colour(members).into_iter().filter(|p| p.len() > 1) {
            let equal = place.windows(2).all(|w| sizes.get(&w[0]) == sizes.get(&w[1]));
            plan.join(&lives, group, place, equal);
        }
    }
    neighbours(&lives, &mut sizes, &mut plan);
    plan
}

fn group(tables: &Tables, lives: &Lifetimes, block: Name, life: &Life) -> Option<Group> {
    match (&life.space, life.user) {
        (Space::Shared, _) => life.operation.map(Group::Shared),
        (Space::Scalar(elem, _), _) => Some(Group::Private(life.operation?, *elem)),
        (Space::Default, User::One(at, Kind::Control)) => Some(Group::Inside(at, life.body)),
        (Space::Default, User::One(at, Kind::Operation(SegLevel::Thread | SegLevel::Block))) => {
            let bytes = part_bytes(tables, &lives.threads, block)?;
            Some(Group::Parts(at, life.body, bytes))
        }
        // Tasks have no parts, and other statements are no time to share.
        (Space::Default, User::One(..) | User::Several | User::Nobody) => None,
    }
}

/// The bytes of an element, if all arrays in a block are single threads' parts of it.
fn part_bytes(tables: &Tables, threads: &FxHashSet<Name>, block: Name) -> Option<u64> {
    let mut bytes = None;
    for array in tables.inside(block) {
        let own =
            tables.place(*array)?.lmad.offset.vars().into_iter().any(|x| threads.contains(&sym_name(x)));
        let here = tables.types.get(array)?.elem()?.bytes();
        if !own || bytes.is_some_and(|b| b != here) {
            return None;
        }
        bytes = Some(here);
    }
    bytes
}

/// Blocks of operators: what is allocated where the points of an operation begin is not in scope there.
fn in_operators(body: &Body<Memory>) -> FxHashSet<Name> {
    let mut found = FxHashSet::default();
    for_each_stm(body, &mut |stm| {
        if let Exp::Op(MemOp::Seg(_)) = &stm.exp {
            for_each_lambda(&stm.exp, &mut |lambda| {
                for_each_stm(&lambda.body, &mut |stm| {
                    if let Exp::Op(MemOp::Alloc(..)) = &stm.exp {
                        found.extend(stm.pat.iter().map(|p| p.name));
                    }
                });
            });
        }
    });
    found
}

/// A thread's own arrays of which only elements with constant indices are used: they are registers.
fn in_registers(tables: &Tables, body: &Body<Memory>) -> FxHashSet<Name> {
    let mut private = FxHashSet::default();
    let mut indexed = FxHashSet::default();
    for_each_stm(body, &mut |stm| match &stm.exp {
        Exp::Op(MemOp::Alloc(_, Space::Scalar(..))) => private.extend(stm.pat.iter().map(|p| p.name)),
        Exp::Basic(Basic::Index(a, slice) | Basic::Update(a, slice, _)) => {
            let fixed = |d: &DimIndex| matches!(d, DimIndex::Fix(i) if i.name().is_none());
            if !slice.iter().all(fixed) {
                indexed.extend(tables.block_of(*a));
            }
        }
        Exp::Basic(Basic::FlatIndex(a, ..) | Basic::FlatUpdate(a, ..)) => indexed.extend(tables.block_of(*a)),
        Exp::Basic(_) | Exp::Call(..) | Exp::If(..) | Exp::Loop(_) | Exp::WithAcc(_) | Exp::Op(_) => {}
    });
    private.retain(|b| !indexed.contains(b));
    private
}

/// How many blocks of its size a block is compared with.
const MOST_TRIES: usize = 8;

/// Blocks of one body of the host: each takes the place of one of its size that was needed until just before.
fn neighbours(lives: &Lifetimes, sizes: &mut Sizes, plan: &mut Plan) {
    // The blocks that are not passed on, by body and size, and until when each is needed.
    let mut before: FxHashMap<(usize, String), Vec<(Name, Time)>> = FxHashMap::default();
    for (block, life) in &lives.blocks {
        let on_host = life.space == Space::Default && !plan.joins(*block);
        if !on_host || life.user == User::Nobody {
            continue;
        }
        let same = before.entry((life.body, key(&sizes.size(life.bytes)))).or_default();
        let free = |(_, end): &(Name, Time)| {
            let next = lives.allocations.partition_point(|t| t <= end);
            *end < life.alloc && lives.allocations.get(next).is_none_or(|t| *t >= life.alloc)
        };
        let from = same.len().saturating_sub(MOST_TRIES);
        let found = same[from..].iter().position(free).map(|k| same.remove(from + k).0);
        if let Some(by) = found {
            plan.replace(*block, by);
        }
        if !life.passed {
            same.push((found.unwrap_or(*block), life.span.last));
        }
    }
}
