//! Threads that walk along rows of their own read several elements at a time.
//!
//! Where neighbouring threads are in different rows, each of the 32 reads of a warp is a cache line of its
//! own, and it is the number of reads that takes time, not the number of bytes: what a thread fetches with an
//! element, it uses in the next iterations. So it reads as many neighbouring elements as one instruction can,
//! and takes iterations in pieces of as many:
//!
//! ```text
//! for j < m {                          for piece < (m + 3) / 4 {
//!   sum = sum * 0.5 + xs[j + m * i]      run = xs[4 * piece + m * i ..]          one read of 16 bytes, if these are aligned
//! }                                      for k < 4 { if 4 * piece + k < m { sum = sum * 0.5 + run[k] } }
//!                                      }
//! ```
//!
//! Rows that are not aligned gain the least. Times: `notebook/2026-11-19-gpu-mechanisms.md`.
//!
//! **When.** The loop is short and has no loops in it. The place of the element grows by one from iteration
//! to iteration (or by a stride that the host computes, and the thread compares with one), and leaps from
//! thread to thread: where neighbours read neighbours, a read is one line already; where they all read the
//! same, see [`in_step`]. The array is only read while the kernel runs. And every iteration reads the
//! element, so that nothing is read that the loop would not read itself: the read is in no branch, and the
//! loop has no checks, which might leave it before.

mod in_step;
mod together;

use fehu_base::ops::{BinOp, ConvOp};
use fehu_base::prim::{IntType, PrimType};
use fehu_base::{Name, NameSource};
use fehu_imp::build::{add, constant, count_up, i64, lt, mul, quot, sub, var};
use fehu_imp::parts::{flat, for_each_part, for_each_statement};
use fehu_imp::syntax::{Code as AnyCode, Expr, GpuIndex, KernelOp, Program, Qualifier, Space};
use fehu_imp::visit::{change_expr, Mutator, Visitor};
use fehu_ir::visit::deep;
use fehu_pass::{Need, Pass};
use indexmap::IndexMap;
use rustc_hash::{FxHashMap, FxHashSet};
use together::{Launches, Tiles};

type Code = AnyCode<KernelOp>;

/// Loops along rows read several elements at a time.
pub static PASS: Pass<Program> =
    Pass { name: "walks", need: Need::Optional, run: |program| walks(program, Warps::Unknown) };

/// The same, on machines whose warps exchange values (CUDA).
pub static PASS_OF_WARPS: Pass<Program> =
    Pass { name: "walks", need: Need::Optional, run: |program| walks(program, Warps::Exchange) };

/// What is known of warps.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Warps {
    Unknown,
    /// Their threads can exchange values.
    Exchange,
}

/// Changes all loops.
fn walks(program: &mut Program, warps: Warps) {
    let mut launches = Launches(FxHashMap::default());
    for kernel in &mut program.kernels {
        let only_read = |(m, q): (&Name, &Qualifier)| (*q == Qualifier::OnlyRead).then_some(*m);
        let only_read = kernel.qualifiers.iter().filter_map(only_read).collect();
        let tiles = Tiles::of(kernel, warps == Warps::Exchange);
        let names = &mut program.names;
        let mut walks = Walks { names, only_read, across: Known::default(), tiles };
        walks.code(&mut kernel.body);
        let wanted = walks.tiles.declare(kernel);
        launches.0.extend(wanted.map(|wanted| (kernel.name, wanted)));
    }
    if !launches.0.is_empty() {
        program.functions.iter_mut().for_each(|f| launches.code(&mut f.body));
        launches.code(&mut program.init);
    }
}

/// Elements of a piece, unless they are wider than 4 bytes.
const MOST_ELEMENTS: u32 = 4;
/// The most bytes that a thread reads by one instruction.
const MOST_BYTES: u64 = 16;
/// The fewest bytes that are worth an instruction of its own.
const LEAST_BYTES: u64 = 4;
/// The most statements of an iteration, as it is copied for each element of a piece: with more, it is not
/// reading that takes the time.
const MOST_STATEMENTS: usize = 32;
/// The most arrays that are read in pieces: each takes registers for a piece.
const MOST_RUNS: usize = 4;

/// What happens to a value from one thread to the next.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Across {
    /// It stays the same, nearly always.
    Same,
    /// It grows by one, nearly always.
    Next,
    /// Anything else, or it is not known.
    Leaps,
}

/// What happens to the scalars that were set so far, from one thread to the next.
#[derive(Default)]
struct Known {
    across: FxHashMap<Name, Across>,
    /// What was set, and what was known of it before.
    journal: Vec<(Name, Option<Across>)>,
    /// In how many branches scalars are declared: what is declared in a branch matters to nobody after it.
    declared: FxHashMap<Name, usize>,
    branches: usize,
}

impl Known {
    fn of(&self, x: Name) -> Across {
        self.across.get(&x).copied().unwrap_or(Across::Same)
    }

    fn set(&mut self, x: Name, across: Across) {
        let before = self.across.insert(x, across);
        self.journal.push((x, before));
    }

    /// Goes past a statement other than an assignment, without code inside of it.
    fn pass(&mut self, code: &Code) {
        if let Code::DeclareScalar(x, _) = code {
            self.declared.insert(*x, self.branches);
        }
        Set(&mut |x| self.journal.push((x, self.across.get(&x).copied()))).code(code);
    }

    fn enter(&mut self) -> usize {
        self.branches += 1;
        self.journal.len()
    }

    /// Goes back to where a branch was entered, and says what it has set.
    fn leave(&mut self, start: usize) -> IndexMap<Name, Across> {
        self.branches -= 1;
        let outside = |x: &Name| self.declared.get(x).is_none_or(|n| *n <= self.branches);
        let changed: Vec<_> = self.journal.drain(start..).collect();
        let names = changed.iter().map(|(x, _)| *x).filter(outside);
        let after = names.map(|x| (x, self.of(x))).collect();
        for (x, before) in changed.into_iter().rev() {
            match before {
                Some(before) => self.across.insert(x, before),
                None => self.across.remove(&x),
            };
        }
        after
    }
}

struct Walks<'p> {
    names: &'p mut NameSource,
    /// Blocks that nobody writes.
    only_read: FxHashSet<Name>,
    across: Known,
    /// What warps read together.
    tiles: Tiles,
}

/// An element that every iteration reads, or writes, one place further each time.
#[derive(Clone, PartialEq)]
struct Read {
    mem: Name,
    /// As it stands in the text.
    offset: Expr,
    elem: PrimType,
    /// In terms of the loop's variable and of what is declared outside of the loop.
    place: Expr,
    /// How far it is to the next element: 1, or a number that is known when the kernel runs.
    stride: Expr,
}

impl Walks<'_> {
    fn code(&mut self, code: &mut Code) {
        if let Code::SetScalar(x, e) = code {
            let across = self.across(e);
            self.across.set(*x, across);
        } else if !code.is_nested() {
            self.across.pass(code);
        }
        if let Code::If(cond, yes, no) = code {
            return self.branches(cond, yes, no);
        }
        let seq = matches!(code, Code::Seq(_));
        let changed = if seq { FxHashSet::default() } else { assigned(code) };
        changed.iter().for_each(|x| self.across.set(*x, Across::Leaps));
        if let Code::For { var, .. } = code {
            self.across.set(*var, Across::Same);
        }
        let outer = self.tiles.guarded;
        self.tiles.guarded |= matches!(code, Code::Op(KernelOp::Guarded(_)));
        code.bodies_mut().into_iter().for_each(|body| deep(|| self.code(body)));
        self.tiles.guarded = outer;
        // What an iteration has set is one of several values afterwards.
        changed.into_iter().for_each(|x| self.across.set(x, Across::Leaps));
        if let Code::For { var, ty, bound, body, .. } = code {
            let (reads, written) = (self.reads(*var, body), self.rows_written(*var, body));
            let together = self.together((*var, *ty), bound, body, &reads, &written);
            if !reads.is_empty() {
                *code = self.in_pieces((*var, *ty), bound.clone(), (**body).clone(), reads);
            } else if let Some(reads) = self.rows_in_step(*var, bound, body) {
                let whole = self.in_whole_pieces((*var, *ty), bound.clone(), (**body).clone(), reads);
                if let Some(whole) = whole {
                    *code = whole;
                }
            }
            if let Some(together) = together {
                *code = together.or(std::mem::replace(code, Code::Seq(vec![])));
            }
        }
    }

    /// What two branches have set is the same afterwards if the condition is, and what each of them sets.
    fn branches(&mut self, cond: &Expr, yes: &mut Code, no: &mut Code) {
        let same = self.across(cond) == Across::Same;
        let [yes, no] = [yes, no].map(|side| {
            let start = self.across.enter();
            deep(|| self.code(side));
            self.across.leave(start)
        });
        for x in yes.keys().chain(no.keys().filter(|x| !yes.contains_key(*x))) {
            let of =
                |side: &IndexMap<Name, Across>| side.get(x).copied().unwrap_or_else(|| self.across.of(*x));
            let (yes, no) = (of(&yes), of(&no));
            self.across.set(*x, if same && yes == no { yes } else { Across::Leaps });
        }
    }

    /// What happens to an expression from one thread to the next.
    fn across(&self, e: &Expr) -> Across {
        use Across::*;
        match e {
            Expr::Const(_) | Expr::Param(_) => Same,
            Expr::Gpu(GpuIndex::Local) => Next,
            Expr::Gpu(GpuIndex::Block | GpuIndex::BlockSize | GpuIndex::GridSize | GpuIndex::MatrixUnits) => {
                Same
            }
            // Parameters of the kernel are the same for all.
            Expr::Var(x) => self.across.of(*x),
            Expr::Conv(ConvOp::SExt(..) | ConvOp::ZExt(..), a) => self.across(a),
            Expr::BinOp(op, a, b) => match (op, self.across(a), self.across(b)) {
                (_, Same, Same) => Same,
                (BinOp::Add(_) | BinOp::SMin(_) | BinOp::SMax(_), Next, Same)
                | (BinOp::Add(_) | BinOp::SMin(_) | BinOp::SMax(_), Same, Next)
                | (
                    BinOp::Sub(_) | BinOp::SRem(_) | BinOp::SMod(_) | BinOp::UMod(_) | BinOp::And(_),
                    Next,
                    Same,
                ) => Next,
                (
                    BinOp::SQuot(_) | BinOp::SDiv(_) | BinOp::UDiv(_) | BinOp::LShr(_) | BinOp::AShr(_),
                    Next,
                    Same,
                ) => Same,
                _ => Leaps,
            },
            Expr::Select(c, a, b) => match (self.across(c), self.across(a), self.across(b)) {
                (Same, a, b) if a == b => a,
                _ => Leaps,
            },
            Expr::CmpOp(_, a, b) if self.across(a) == Same && self.across(b) == Same => Same,
            Expr::UnOp(_, a) if self.across(a) == Same => Same,
            // What one thread alone has may differ from that of its neighbours.
            Expr::Index { offset, space: Space::Default | Space::Shared, .. }
                if self.across(offset) == Same =>
            {
                Same
            }
            Expr::CmpOp(..) | Expr::UnOp(..) | Expr::Conv(..) | Expr::PrimFn(..) | Expr::Index { .. } => {
                Leaps
            }
        }
    }

    /// What a loop reads in each iteration that is worth a piece; nothing if it cannot be done in pieces.
    fn reads(&self, var: Name, body: &Code) -> Vec<Read> {
        if plain_statements(body).is_none_or(|n| n > MOST_STATEMENTS) {
            return vec![];
        }
        let mut reads = self.walked(var, body, Across::Leaps);
        let count = elements(&reads);
        reads.retain(|r| r.elem.bytes() * u64::from(count) >= LEAST_BYTES);
        reads.truncate(MOST_RUNS);
        reads
    }

    /// What every iteration of a loop reads of memory that nobody writes, one place further each time, where
    /// that is so from thread to thread.
    fn walked(&self, var: Name, body: &Code, across: Across) -> Vec<Read> {
        let changed = changing(body);
        let mut known: FxHashMap<Name, Expr> = FxHashMap::default();
        let mut reads: Vec<Read> = vec![];
        for code in flat(body) {
            let mut found = |e: &Expr| {
                for_each_certain(e, &mut |mem, offset, elem| {
                    let place = resolved(offset, &known);
                    let Some(stride) =
                        step(&place, var, &changed).filter(|stride| may_be_one(stride, &changed))
                    else {
                        return;
                    };
                    let wide = elem.bytes() * 2 <= MOST_BYTES && elem != PrimType::Unit;
                    if wide && self.across(&place) == across && self.only_read.contains(&mem) {
                        let read = Read { mem, offset: offset.clone(), elem, place, stride };
                        if !reads.contains(&read) {
                            reads.push(read);
                        }
                    }
                });
            };
            if let Code::SetScalar(_, e) | Code::If(e, ..) = code {
                found(e);
            } else if let Code::Write { offset, value, .. } = code {
                found(offset);
                found(value);
            }
            if let Code::SetScalar(x, e) = code {
                if once(body, *x) {
                    known.insert(*x, resolved(e, &known));
                }
            }
        }
        reads
    }

    /// The loop in pieces.
    fn in_pieces(&mut self, (x, ty): (Name, IntType), bound: Expr, body: Code, reads: Vec<Read>) -> Code {
        let count = elements(&reads);
        let end = self.names.fresh_str("end");
        let piece = self.names.fresh_str("piece");
        let first = self.names.fresh_str("first");
        let k = self.names.fresh_str("k");
        let each = i64(i64::from(count));
        let narrow = |e: Expr| {
            if ty == IntType::I64 {
                e
            } else {
                Expr::Conv(ConvOp::SExt(IntType::I64, ty), Box::new(e))
            }
        };
        let widen = |e: Expr| {
            if ty == IntType::I64 {
                e
            } else {
                Expr::Conv(ConvOp::SExt(ty, IntType::I64), Box::new(e))
            }
        };
        let mut inside = vec![
            Code::DeclareScalar(first, PrimType::I64),
            Code::SetScalar(first, mul(var(piece), each.clone())),
        ];
        let mut iteration = body;
        for read in reads {
            let run = self.names.fresh_str("run");
            let space = Space::Scalar(read.elem, vec![i64::from(count)]);
            inside.push(Code::Op(KernelOp::DeclareArray {
                mem: run,
                space: space.clone(),
                elem: read.elem,
                count: each.clone(),
            }));
            let mut offset = read.place.clone();
            Replace { x, by: narrow(var(first)) }.expr(&mut offset);
            inside.push(Code::Op(KernelOp::ReadRun {
                to: run,
                mem: read.mem,
                offset,
                elem: read.elem,
                stride: read.stride.clone(),
                count,
                limit: sub(var(end), var(first)),
            }));
            let element = Expr::Index { mem: run, offset: Box::new(var(k)), elem: read.elem, space };
            Instead { read: &read, by: element }.code(&mut iteration);
        }
        let at = add(var(first), var(k));
        let point = Code::Seq(vec![
            Code::DeclareScalar(x, PrimType::Int(ty)),
            Code::SetScalar(x, narrow(at.clone())),
            Code::If(lt(at, var(end)), Box::new(iteration), Box::new(Code::Seq(vec![]))),
        ]);
        inside.push(count_up(k, each.clone(), point));
        let pieces = quot(add(var(end), sub(each.clone(), i64(1))), each);
        Code::Seq(vec![
            Code::DeclareScalar(end, PrimType::I64),
            Code::SetScalar(end, widen(bound)),
            count_up(piece, pieces, Code::Seq(inside)),
        ])
    }
}

/// Elements of a piece in which all of these are read.
fn elements(reads: &[Read]) -> u32 {
    let each = |r: &Read| MOST_ELEMENTS.min((MOST_BYTES / r.elem.bytes().max(1)) as u32);
    reads.iter().map(each).min().unwrap_or(1)
}

/// Scalars that the code inside of a statement sets.
fn assigned(code: &Code) -> FxHashSet<Name> {
    let mut set = FxHashSet::default();
    for body in code.bodies() {
        Set(&mut |x| set.extend([x])).code(body);
    }
    set
}

/// Names that are different in each iteration: what it sets, and what it declares.
pub(crate) fn changing(body: &Code) -> FxHashSet<Name> {
    let mut set = FxHashSet::default();
    Set(&mut |x| set.extend([x])).code(body);
    set
}

/// Whether a scalar is set by one statement alone.
pub(crate) fn once(body: &Code, x: Name) -> bool {
    let mut count = 0;
    Set(&mut |y| count += usize::from(x == y)).code(body);
    // It is declared, too; a variable from outside is not.
    count == 2
}

/// Calls a function on each name that is declared or set.
struct Set<'f>(&'f mut dyn FnMut(Name));

impl<'c> Visitor<'c> for Set<'_> {
    fn declared(&mut self, x: &'c Name) {
        (self.0)(*x);
    }
    fn assigned(&mut self, x: &'c Name) {
        (self.0)(*x);
    }
}

/// How many statements an iteration has, if it comes to its end: no loops, checks or calls, and no threads
/// that wait for each other.
pub(crate) fn plain_statements(body: &Code) -> Option<usize> {
    let (mut statements, mut plain) = (0, true);
    for_each_statement(body, &mut |code| match code {
        Code::Seq(_) | Code::DeclareScalar(..) => {}
        Code::SetScalar(..) | Code::Write { .. } | Code::If(..) => statements += 1,
        Code::Op(KernelOp::Atomic { .. }) => statements += 1,
        Code::DeclareMem(..)
        | Code::DeclareStatic(..)
        | Code::SetMem(..)
        | Code::Copy { .. }
        | Code::For { .. }
        | Code::While(..)
        | Code::Call { .. }
        | Code::Assert { .. }
        | Code::Op(_) => plain = false,
    });
    plain.then_some(statements)
}

/// Whether a stride is one, or may turn out to be: arrays that may have been laid out anew have strides that
/// the host computes.
fn may_be_one(stride: &Expr, changed: &FxHashSet<Name>) -> bool {
    constant(stride) == Some(1) || matches!(stride, Expr::Var(x) if !changed.contains(x))
}

/// Calls a function on each element that is read whenever an expression is evaluated.
fn for_each_certain(e: &Expr, f: &mut impl FnMut(Name, &Expr, PrimType)) {
    match e {
        Expr::Index { mem, offset, elem, .. } => {
            f(*mem, offset, *elem);
            for_each_certain(offset, f);
        }
        // Of these, the second and third part may not be evaluated.
        Expr::Select(c, ..) => for_each_certain(c, f),
        Expr::BinOp(BinOp::LogAnd | BinOp::LogOr, a, _) => for_each_certain(a, f),
        Expr::BinOp(..)
        | Expr::CmpOp(..)
        | Expr::UnOp(..)
        | Expr::Conv(..)
        | Expr::PrimFn(..)
        | Expr::Const(_)
        | Expr::Var(_)
        | Expr::Param(_)
        | Expr::Gpu(_) => e.operands().into_iter().for_each(|part| for_each_certain(part, f)),
    }
}

/// By how much an offset grows in each iteration, if that is always the same.
fn step(e: &Expr, x: Name, changed: &FxHashSet<Name>) -> Option<Expr> {
    let of = |e: &Expr| step(e, x, changed);
    match e {
        Expr::Var(y) if *y == x => Some(i64(1)),
        // Narrower numbers wrap around.
        Expr::Conv(ConvOp::SExt(from, to), a) if from.bits() <= to.bits() && mentions(a, x) => of(a),
        Expr::BinOp(BinOp::Add(IntType::I64), a, b) => Some(add(of(a)?, of(b)?)),
        Expr::BinOp(BinOp::Sub(IntType::I64), a, b) => Some(sub(of(a)?, of(b)?)),
        Expr::BinOp(BinOp::Mul(IntType::I64), a, b) if mentions(a, x) && !mentions(b, x) => {
            Some(mul(of(a)?, (**b).clone()))
        }
        Expr::BinOp(BinOp::Mul(IntType::I64), a, b) if mentions(b, x) && !mentions(a, x) => {
            Some(mul((**a).clone(), of(b)?))
        }
        Expr::Var(_)
        | Expr::Const(_)
        | Expr::Param(_)
        | Expr::Gpu(_)
        | Expr::BinOp(..)
        | Expr::CmpOp(..)
        | Expr::UnOp(..)
        | Expr::Conv(..)
        | Expr::PrimFn(..)
        | Expr::Select(..)
        | Expr::Index { .. } => stays(e, x, changed).then(|| i64(0)),
    }
}

/// Whether an expression has the same value in each iteration.
pub(crate) fn stays(e: &Expr, x: Name, changed: &FxHashSet<Name>) -> bool {
    let mut same = true;
    for_each_part(e, &mut |part| {
        if let Expr::Var(y) = part {
            same &= *y != x && !changed.contains(y);
        }
        same &= !matches!(part, Expr::Index { .. });
    });
    same
}

fn mentions(e: &Expr, x: Name) -> bool {
    let mut found = false;
    for_each_part(e, &mut |part| found |= *part == var(x));
    found
}

/// An expression in which names that are known stand for what they are.
pub(crate) fn resolved(e: &Expr, known: &FxHashMap<Name, Expr>) -> Expr {
    struct Resolve<'k>(&'k FxHashMap<Name, Expr>);
    impl Mutator for Resolve<'_> {
        fn expr(&mut self, e: &mut Expr) {
            if let Expr::Var(x) = e {
                if let Some(known) = self.0.get(x) {
                    *e = known.clone();
                }
            } else {
                change_expr(self, e);
            }
        }
    }
    let mut e = e.clone();
    Resolve(known).expr(&mut e);
    e
}

/// Replaces a variable.
struct Replace {
    x: Name,
    by: Expr,
}

impl Mutator for Replace {
    fn expr(&mut self, e: &mut Expr) {
        if *e == var(self.x) {
            *e = self.by.clone();
        } else {
            change_expr(self, e);
        }
    }
}

/// Replaces a read.
struct Instead<'r> {
    read: &'r Read,
    by: Expr,
}

impl Mutator for Instead<'_> {
    fn expr(&mut self, e: &mut Expr) {
        let is_it = |mem: Name, elem: PrimType, offset: &Expr| {
            mem == self.read.mem && elem == self.read.elem && *offset == self.read.offset
        };
        if matches!(e, Expr::Index { mem, offset, elem, .. } if is_it(*mem, *elem, offset)) {
            *e = self.by.clone();
        } else {
            change_expr(self, e);
        }
    }
}
