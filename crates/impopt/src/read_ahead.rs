//! Loops whose iterations read what others have read the place of, and check it before, do so for several
//! iterations at once.
//!
//! A thread waits for what it has read when it uses it, and a check uses it: nothing behind a check starts
//! before the check is made. Unrolled or not, such a loop waits twice in each iteration, once for the place
//! and once for the element. So iterations are done in pieces, stage by stage: the reads of a stage are all
//! on their way before the next one waits.
//!
//! ```text
//! for j < m {                          for piece < (m + 3) / 4 {
//!   assert(j < n)                        for k < 4: if k < m - 4 * piece { assert(4 * piece + k < n); i[k] = places[4 * piece + k] }
//!   i = places[j]                        for k < 4: if ..                { assert(i[k] < s); x[k] = xs[i[k]] }
//!   assert(i < s)                        for k < 4: if ..                { sum = sum + x[k] }
//!   x = xs[i]                          }
//!   sum = sum + x
//! }
//! ```
//!
//! The loops over `k` are unrolled, and what goes from stage to stage is in registers.
//!
//! So do the few points of a thread that each write what they have computed: a map that gathers rows, for
//! one. Such a loop has few iterations, each of which is there on a condition, and all are one piece:
//!
//! ```text
//! for k < 4 { i = first + k;  if i < n { p = places[i];  assert(p < s);  x = xs[p];  out[i] = x } }
//!   ==>
//! fine = all points are there
//! if fine { for k < 4: p[k] = places[first + k];  fine = all p[k] < s
//!           if fine { for k < 4: x[k] = xs[p[k]];  for k < 4: out[first + k] = x[k] } }
//! if !fine { the loop as it was }
//! ```
//!
//! **When.** The loop is short, and has no branches, loops or writes in it, but for writes of what it has
//! computed to memory that it does not read, which is shared memory or that of points. All it reads is shared
//! memory, or memory that is only read while the kernel runs, and neither places nor checks depend on what
//! earlier iterations have computed. It has a check, and reads an element whose place it has read: without
//! checks, compilers of kernels do the same when they unroll, and with a place that is known before there is
//! one wait at most. It may be long. An iteration that fails ends the loop as before; where several would
//! fail, another one may be the first.

use crate::instead::Instead;
use fehu_base::ops::{BinOp, CmpOp, ConvOp};
use fehu_base::prim::{IntType, PrimType};
use fehu_base::{Name, NameSource};
use fehu_imp::build::{add, and, constant, count_up, for_loop, i64, min, mul, not, quot, sub, var};
use fehu_imp::parts::{flat, for_each_part, for_each_statement};
use fehu_imp::syntax::{Code as AnyCode, ErrorPart, Expr, KernelOp, Program, Qualifier, Space};
use fehu_imp::visit::Mutator;
use fehu_ir::visit::deep;
use fehu_pass::{Need, Pass};
use rustc_hash::{FxHashMap, FxHashSet};

type Code = AnyCode<KernelOp>;

/// Loops with checks read several elements before they wait for one.
pub static PASS: Pass<Program> = Pass {
    name: "read-ahead",
    need: Need::Optional,
    run: |program| {
        for kernel in &mut program.kernels {
            let only_read = |(m, q): (&Name, &Qualifier)| (*q == Qualifier::OnlyRead).then_some(*m);
            let only_read = kernel.qualifiers.iter().filter_map(only_read).collect();
            let defined = definitions(&kernel.body);
            Ahead { names: &mut program.names, only_read, defined }.code(&mut kernel.body);
        }
    },
};

/// Iterations of a piece.
const ITERATIONS: i64 = 4;
/// Iterations of a piece of a loop that fills shared memory, at most.
const MOST_ITERATIONS: i64 = 8;
/// The most statements of an iteration.
const MOST_STATEMENTS: usize = 32;
/// The most parts of an expression that is computed again where it is needed: the place of a point has about ten.
const MOST_PARTS: usize = 24;
/// The most bytes that an iteration hands on from stage to stage: so many registers of 4 bytes are needed for a piece.
const MOST_BYTES: u64 = 24;
/// The same of loops that fill shared memory, which have nothing else in registers.
const MOST_BYTES_OF_FILLING: u64 = 48;

/// Iterations of a loop that is left alone, at most: most of its pieces would not be full. In the flat
/// version of irregular nests, a thread has up to 16 elements, and few have so many. Times:
/// `notebook/2026-11-19-gpu-mechanisms.md`.
const SHORT_ITERATIONS: i64 = 64;
/// How many definitions are looked up to find out how long a loop is.
const MOST_DEFINITIONS: usize = 8;

struct Ahead<'p> {
    names: &'p mut NameSource,
    /// Blocks that nobody writes.
    only_read: FxHashSet<Name>,
    /// What variables are that are set once.
    defined: FxHashMap<Name, Expr>,
}

/// An iteration, by stages.
struct Stages<'c> {
    /// The statements of each stage, in order.
    stages: Vec<Vec<&'c Code>>,
    /// Variables that an iteration declares.
    types: FxHashMap<Name, PrimType>,
    /// Those that later stages need, in the order of the text.
    handed_on: Vec<Name>,
    /// Whether iterations write what they have to shared memory.
    fills: bool,
}

impl Ahead<'_> {
    fn code(&mut self, code: &mut Code) {
        code.bodies_mut().into_iter().for_each(|body| deep(|| self.code(body)));
        if let Code::For { var, ty, bound, body, .. } = code {
            if let Some(points) = constant(bound).and_then(|n| self.points((*var, *ty), n, body)) {
                *code = points;
                return;
            }
            let Some(stages) = self.stages(body, Written::Shared) else { return };
            if let Some(most) = self.most(bound).filter(|_| stages.fills) {
                *code = self.at_once((*var, *ty), bound.clone(), most, &stages);
            } else if stages.fills || !self.is_short(bound, MOST_DEFINITIONS) {
                *code = self.in_pieces((*var, *ty), bound.clone(), &stages);
            }
        }
    }

    /// The largest number of iterations, if it is the minimum of something and a constant, and small enough
    /// for all of them to be one piece.
    fn most(&self, bound: &Expr) -> Option<i64> {
        let bound = if let Expr::Var(x) = bound { self.defined.get(x)? } else { bound };
        let Expr::BinOp(BinOp::SMin(_), a, b) = bound else { return None };
        constant(a).or(constant(b)).filter(|n| *n <= MOST_ITERATIONS)
    }

    /// Whether a number of iterations is known to be small: it is the minimum of something and a constant, or less.
    fn is_short(&self, bound: &Expr, definitions: usize) -> bool {
        let short = |e: &Expr| self.is_short(e, definitions);
        match bound {
            Expr::Const(_) => constant(bound).is_some_and(|n| n <= SHORT_ITERATIONS),
            Expr::Var(x) => match self.defined.get(x) {
                Some(e) if definitions > 0 => self.is_short(e, definitions - 1),
                Some(_) | None => false,
            },
            Expr::BinOp(BinOp::SMin(_), a, b) => short(a) || short(b),
            Expr::BinOp(BinOp::Add(_), a, b) => short(a) && short(b),
            Expr::BinOp(BinOp::Sub(_) | BinOp::SQuot(_) | BinOp::SDiv(_) | BinOp::AShr(_), a, _) => short(a),
            Expr::Conv(_, a) => short(a),
            Expr::Select(_, a, b) => short(a) && short(b),
            Expr::BinOp(..)
            | Expr::CmpOp(..)
            | Expr::UnOp(..)
            | Expr::PrimFn(..)
            | Expr::Index { .. }
            | Expr::Param(_)
            | Expr::Gpu(_) => false,
        }
    }

    /// The points of a thread as one piece, if each of so many iterations is one that is there on a condition.
    fn points(&mut self, (x, ty): (Name, IntType), iterations: i64, body: &Code) -> Option<Code> {
        let (guard, before) = flat(body).split_last().map(|(last, before)| (*last, before.to_vec()))?;
        let Code::If(there, inside, otherwise) = guard else { return None };
        if !(2..=MOST_ITERATIONS).contains(&iterations) || !flat(otherwise).is_empty() {
            return None;
        }
        let mut known = FxHashMap::default();
        if !known_again(before, &mut known).is_empty() {
            return None;
        }
        let mut there = there.clone();
        Instead(&known).expr(&mut there);
        let mut reads = false;
        for_each_part(&there, &mut |part| reads |= matches!(part, Expr::Index { .. }));
        let inside = Code::Seq(known_again(flat(inside), &mut known));
        let own: FxHashSet<Name> = flat(&inside).iter().filter_map(|c| declared(c)).map(|(x, _)| x).collect();
        if flat(&inside).iter().filter_map(|c| set(c)).any(|x| !own.contains(&x)) {
            return None;
        }
        if reads || needs_check(&inside) {
            return None;
        }
        let stages = self.stages(&inside, Written::Any)?;
        let at = |k: Expr| {
            let mut there = there.clone();
            Instead(&FxHashMap::from_iter([(x, converted(k, IntType::I64, ty))])).expr(&mut there);
            there
        };
        let all = (0..iterations).map(|k| at(i64(k))).reduce(and)?;
        let one_by_one = for_loop((x, ty), converted(i64(iterations), IntType::I64, ty), body.clone());
        Some(self.all_or_one_by_one((x, ty), iterations, &stages, all, one_by_one))
    }

    /// Points stage by stage, if a condition holds and all checks do. Until the last stage nothing is
    /// written, so that otherwise all points are computed one by one, which finds what fails. There is no
    /// branch between the reads of a stage: compilers of kernels would move them to where they are needed.
    fn all_or_one_by_one(
        &mut self,
        of_loop: (Name, IntType),
        iterations: i64,
        of: &Stages,
        all: Expr,
        one_by_one: Code,
    ) -> Code {
        let fine = self.names.fresh_str("fine");
        let (mut codes, kept) = self.arrays(iterations, of);
        codes.extend([Code::DeclareScalar(fine, PrimType::Bool), Code::SetScalar(fine, all)]);
        let mut parts = vec![];
        let mut earlier: FxHashSet<Name> = FxHashSet::default();
        for stage in &of.stages {
            let is_check = |code: &Code| matches!(code, Code::Assert { .. });
            let mut checks = None;
            if stage.iter().any(|code| is_check(code)) {
                let pure = |code: &&&Code| is_check(code) || !self.reads_memory(code);
                let pure: Vec<&Code> = stage.iter().filter(pure).copied().collect();
                let done = self.stage(of_loop, &pure, of, &kept, &mut earlier.clone(), var);
                checks = Some(unrolled(iterations, done, |code| checked(code, fine)));
            }
            let rest: Vec<&Code> = stage.iter().copied().filter(|code| !is_check(code)).collect();
            let done = self.stage(of_loop, &rest, of, &kept, &mut earlier, var);
            parts.push((checks, unrolled(iterations, done, |code| code)));
        }
        let mut inside = vec![];
        for (checks, stage) in parts.into_iter().rev() {
            inside.insert(0, stage);
            if let Some(checks) = checks {
                let then = Code::Seq(std::mem::take(&mut inside));
                inside = vec![checks, Code::If(var(fine), Box::new(then), Box::new(Code::Seq(vec![])))];
            }
        }
        codes.push(Code::If(var(fine), Box::new(Code::Seq(inside)), Box::new(Code::Seq(vec![]))));
        codes.push(Code::If(not(var(fine)), Box::new(one_by_one), Box::new(Code::Seq(vec![]))));
        Code::Seq(codes)
    }

    /// Whether a statement reads device memory, or writes any.
    fn reads_memory(&self, code: &Code) -> bool {
        fills(code, Written::Any).is_some() || uses(code, Written::Any).is_some_and(|u| !u.blocks.is_empty())
    }

    /// The stages of an iteration, if it pays.
    fn stages<'c>(&self, body: &'c Code, may_write: Written) -> Option<Stages<'c>> {
        let fills = |code: &'c Code| fills(code, may_write);
        let uses = |code: &'c Code| uses(code, may_write);
        let codes = flat(body);
        let types: FxHashMap<Name, PrimType> = codes.iter().filter_map(|c| declared(c)).collect();
        // From which stage on a variable has its value; what is not in it, always has one.
        let mut from: FxHashMap<Name, usize> = FxHashMap::default();
        let mut carried: FxHashSet<Name> = codes.iter().filter_map(|c| set(c)).collect();
        carried.retain(|x| !types.contains_key(x));
        let (mut placed, mut last): (Vec<(usize, &Code)>, Vec<&Code>) = (vec![], vec![]);
        let (mut checked, mut checks, mut led) = (0, 0, false);
        let filled: FxHashSet<Name> = codes.iter().filter_map(|c| fills(c)).map(|(mem, _)| mem).collect();
        for code in codes.iter().copied().filter(|c| declared(c).is_none()) {
            let used = uses(code)?;
            if !used.blocks.iter().all(|m| self.only_read.contains(m))
                || used.shared.iter().any(|m| filled.contains(m))
            {
                return None;
            }
            let reads = !used.blocks.is_empty();
            if reads && used.blocks.iter().any(|m| filled.contains(m)) {
                return None;
            }
            if fills(code).is_some() {
                if reads {
                    return None;
                }
                last.push(code);
                continue;
            }
            let later = used.vars.iter().any(|x| carried.contains(x));
            let mut stage = used.vars.iter().filter_map(|x| from.get(x)).copied().max().unwrap_or(0);
            match set(code) {
                Some(x) if carried.contains(&x) || later => {
                    if reads {
                        return None;
                    }
                    carried.insert(x);
                    last.push(code);
                    continue;
                }
                Some(x) => {
                    stage = if reads { stage.max(checked) } else { stage };
                    led |= reads && stage > 0;
                    if from.insert(x, stage + usize::from(reads)).is_some() {
                        return None;
                    }
                }
                None if later => return None,
                None => {
                    checked = checked.max(stage);
                    checks += 1;
                }
            }
            placed.push((stage, code));
        }
        if checks == 0 || !led || placed.len() + last.len() > MOST_STATEMENTS {
            return None;
        }
        let end = from.values().copied().max().unwrap_or(0);
        let mut stages = vec![vec![]; end + 1];
        placed.iter().for_each(|(stage, code)| stages[*stage].push(*code));
        stages[end].extend(last);
        let handed_on = handed_on(&codes, &stages);
        let bytes: u64 = handed_on.iter().map(|x| types[x].bytes().max(4)).sum();
        let fills = !filled.is_empty();
        let most = if fills { MOST_BYTES_OF_FILLING } else { MOST_BYTES };
        (bytes <= most).then_some(Stages { stages, types, handed_on, fills })
    }

    /// The loop in pieces. How many iterations of a piece there are fits 32 bits, which one instruction compares.
    fn in_pieces(&mut self, (x, ty): (Name, IntType), bound: Expr, of: &Stages) -> Code {
        let [end, piece, first, left] =
            ["end", "piece", "first", "left"].map(|base| self.names.fresh_str(base));
        let each = i64(ITERATIONS);
        let of_piece = min(sub(var(end), var(first)), each.clone());
        let mut inside = vec![
            Code::DeclareScalar(first, PrimType::I64),
            Code::SetScalar(first, mul(var(piece), each.clone())),
            Code::DeclareScalar(left, PrimType::I32),
            Code::SetScalar(left, converted(of_piece, IntType::I64, IntType::I32)),
        ];
        let at = |k: Name| add(var(first), var(k));
        inside.extend(self.by_stages((x, ty), ITERATIONS, of, at, |k| is_below(k, left)));
        let pieces = quot(add(var(end), sub(each.clone(), i64(1))), each);
        Code::Seq(vec![
            Code::DeclareScalar(end, PrimType::I64),
            Code::SetScalar(end, converted(bound, ty, IntType::I64)),
            count_up(piece, pieces, Code::Seq(inside)),
        ])
    }

    /// The loop as one piece, of at most so many iterations. Numbers of 32 bits are compared by one instruction.
    fn at_once(&mut self, (x, ty): (Name, IntType), bound: Expr, most: i64, of: &Stages) -> Code {
        let end = self.names.fresh_str("end");
        let mut codes = vec![
            Code::DeclareScalar(end, PrimType::I32),
            Code::SetScalar(end, converted(bound, ty, IntType::I32)),
        ];
        codes.extend(self.by_stages((x, ty), most, of, var, |k| is_below(k, end)));
        Code::Seq(codes)
    }

    /// The iterations of a piece, stage by stage: which one an unrolled iteration is, and whether it is there.
    fn by_stages(
        &mut self,
        (x, ty): (Name, IntType),
        iterations: i64,
        of: &Stages,
        at: impl Fn(Name) -> Expr,
        there: impl Fn(Name) -> Expr,
    ) -> Vec<Code> {
        let (mut inside, kept) = self.arrays(iterations, of);
        let mut earlier: FxHashSet<Name> = FxHashSet::default();
        for stage in &of.stages {
            let done = self.stage((x, ty), stage, of, &kept, &mut earlier, &at);
            let there = there(done.0);
            inside.push(unrolled(iterations, done, |code| {
                Code::If(there, Box::new(code), Box::new(Code::Seq(vec![])))
            }));
        }
        inside
    }

    /// Arrays of the thread's own for what goes from stage to stage.
    fn arrays(&mut self, iterations: i64, of: &Stages) -> (Vec<Code>, Arrays) {
        let (mut codes, mut kept): (Vec<Code>, Arrays) = (vec![], FxHashMap::default());
        for x in &of.handed_on {
            let (mem, elem) = (self.names.fresh_like(*x), of.types[x]);
            let space = Space::Scalar(elem, vec![iterations]);
            let array = KernelOp::DeclareArray { mem, space: space.clone(), elem, count: i64(iterations) };
            codes.push(Code::Op(array));
            kept.insert(*x, (mem, elem, space));
        }
        (codes, kept)
    }

    /// Statements of a stage for the iteration of a number that the result begins with. `earlier` are
    /// variables that are in arrays.
    fn stage(
        &mut self,
        (x, ty): (Name, IntType),
        stage: &[&Code],
        of: &Stages,
        kept: &Arrays,
        earlier: &mut FxHashSet<Name>,
        at: impl Fn(Name) -> Expr,
    ) -> (Name, Vec<Code>) {
        let k = self.names.fresh_str("k");
        let mut instead = FxHashMap::default();
        instead.insert(x, converted(at(k), IntType::I64, ty));
        for x in earlier.iter() {
            if let Some((mem, elem, space)) = kept.get(x) {
                let offset = Box::new(var(k));
                instead.insert(*x, Expr::Index { mem: *mem, offset, elem: *elem, space: space.clone() });
            }
        }
        let mut codes = vec![];
        for code in stage {
            let mut code = (*code).clone();
            Instead(&instead).code(&mut code);
            let x = set(&code);
            codes.extend(x.and_then(|x| Some(Code::DeclareScalar(x, *of.types.get(&x)?))));
            codes.push(code);
            if let Some((x, (mem, elem, space))) = x.and_then(|x| Some((x, kept.get(&x)?))) {
                let (offset, space) = (var(k), space.clone());
                codes.push(Code::Write { mem: *mem, offset, elem: *elem, space, value: var(x) });
                earlier.insert(x);
            }
        }
        (k, codes)
    }
}

/// Whether an unrolled iteration is below a number of 32 bits.
fn is_below(k: Name, end: Name) -> Expr {
    let k = converted(var(k), IntType::I64, IntType::I32);
    Expr::CmpOp(CmpOp::SLt(IntType::I32), Box::new(k), Box::new(var(end)))
}

/// The array of the thread's own that has the values of a variable.
type Arrays = FxHashMap<Name, (Name, PrimType, Space)>;

/// An unrolled loop, of statements for the number of an iteration.
fn unrolled(iterations: i64, (var, codes): (Name, Vec<Code>), body: impl FnOnce(Code) -> Code) -> Code {
    let body = Box::new(body(Code::Seq(codes)));
    Code::Op(KernelOp::UnrolledFor { by: None, var, ty: IntType::I64, bound: i64(iterations), body })
}

/// Statements whose checks only say whether they hold.
fn checked(code: Code, fine: Name) -> Code {
    if let Code::Seq(codes) = code {
        Code::Seq(codes.into_iter().map(|code| checked(code, fine)).collect())
    } else if let Code::Assert { cond, .. } = code {
        Code::SetScalar(fine, and(var(fine), cond))
    } else {
        code
    }
}

/// An integer of another type.
fn converted(e: Expr, from: IntType, to: IntType) -> Expr {
    match from == to {
        true => e,
        false => Expr::Conv(ConvOp::SExt(from, to), Box::new(e)),
    }
}

/// What variables are that are set once.
fn definitions(body: &Code) -> FxHashMap<Name, Expr> {
    let mut defined = FxHashMap::default();
    let mut changed = FxHashSet::default();
    for_each_statement(body, &mut |code| {
        if let Code::SetScalar(x, e) = code {
            if defined.insert(*x, e.clone()).is_some() {
                changed.insert(*x);
            }
        }
    });
    defined.retain(|x, _| !changed.contains(x));
    defined
}

/// The variables of the iteration that are needed in another stage than the one they are set in, in the order
/// of the text.
fn handed_on(codes: &[&Code], stages: &[Vec<&Code>]) -> Vec<Name> {
    let mut set_in: FxHashMap<Name, usize> = FxHashMap::default();
    let mut needed: FxHashSet<Name> = FxHashSet::default();
    for (stage, codes) in stages.iter().enumerate() {
        for code in codes {
            let used = uses(code, Written::Any).map_or_else(Vec::new, |used| used.vars);
            needed.extend(used.into_iter().filter(|x| set_in.get(x).is_some_and(|before| *before < stage)));
            set_in.extend(set(code).map(|x| (x, stage)));
        }
    }
    codes.iter().filter_map(|c| set(c)).filter(|x| needed.contains(x)).collect()
}

/// The variable that a statement declares.
fn declared(code: &Code) -> Option<(Name, PrimType)> {
    if let Code::DeclareScalar(x, ty) = code {
        Some((*x, *ty))
    } else {
        None
    }
}

/// The variable that a statement sets.
fn set(code: &Code) -> Option<Name> {
    if let Code::SetScalar(x, _) = code {
        Some(*x)
    } else {
        None
    }
}

/// What a statement reads.
struct Uses {
    vars: Vec<Name>,
    blocks: Vec<Name>,
    /// Shared memory, which nobody waits for.
    shared: Vec<Name>,
}

/// Which memory iterations may write.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Written {
    /// Shared memory.
    Shared,
    /// Any that they do not read.
    Any,
}

/// The memory that a statement writes, and what it uses for that.
fn fills(code: &Code, may: Written) -> Option<(Name, [&Expr; 2])> {
    let Code::Write { mem, offset, space, value, .. } = code else { return None };
    (may == Written::Any || *space == Space::Shared).then_some((*mem, [offset, value]))
}

/// Statements without those that set variables to sums and products of what is known: `known` says what these
/// are, and they are computed again where they are needed.
fn known_again(codes: Vec<&Code>, known: &mut FxHashMap<Name, Expr>) -> Vec<Code> {
    let mut times_set: FxHashMap<Name, usize> = FxHashMap::default();
    codes.iter().filter_map(|c| set(c)).for_each(|x| *times_set.entry(x).or_default() += 1);
    let own: FxHashSet<Name> = codes.iter().filter_map(|c| declared(c)).map(|(x, _)| x).collect();
    let mut left = vec![];
    for code in codes {
        let mut code = code.clone();
        Instead(&*known).code(&mut code);
        if let Code::SetScalar(x, e) = &code {
            if own.contains(x) && times_set.get(x) == Some(&1) && is_cheap(e) && is_small(e) {
                known.insert(*x, e.clone());
                continue;
            }
        }
        left.push(code);
    }
    left.retain(|code| declared(code).is_none_or(|(x, _)| !known.contains_key(&x)));
    left
}

/// Whether integers are divided or shared memory is read behind a check, which may be what makes that possible.
fn needs_check(code: &Code) -> bool {
    let (mut checked, mut found) = (false, false);
    for code in flat(code) {
        checked |= matches!(code, Code::Assert { .. });
        let Code::SetScalar(_, e) = code else { continue };
        for_each_part(e, &mut |part| {
            found |= checked
                && matches!(
                    part,
                    Expr::Index { space: Space::Shared, .. }
                        | Expr::BinOp(
                            BinOp::SQuot(_)
                                | BinOp::SRem(_)
                                | BinOp::SDiv(_)
                                | BinOp::SMod(_)
                                | BinOp::UDiv(_)
                                | BinOp::UMod(_),
                            ..
                        )
                );
        });
    }
    found
}

/// Whether an expression has few parts. What is known is put in place of variables, so that squares of
/// squares would grow without end.
fn is_small(e: &Expr) -> bool {
    let mut parts = 0;
    for_each_part(e, &mut |_| parts += 1);
    parts <= MOST_PARTS
}

/// Whether an expression is a sum or product of variables and numbers.
fn is_cheap(e: &Expr) -> bool {
    match e {
        Expr::Const(_) | Expr::Var(_) | Expr::Param(_) | Expr::Gpu(_) => true,
        Expr::BinOp(BinOp::Add(_) | BinOp::Sub(_) | BinOp::Mul(_), a, b) => is_cheap(a) && is_cheap(b),
        Expr::Conv(_, a) => is_cheap(a),
        Expr::BinOp(..)
        | Expr::CmpOp(..)
        | Expr::UnOp(..)
        | Expr::PrimFn(..)
        | Expr::Select(..)
        | Expr::Index { .. } => false,
    }
}

/// What a statement reads that sets a variable, makes a check or writes memory that it may; none of any other.
fn uses(code: &Code, may_write: Written) -> Option<Uses> {
    let exprs: Vec<&Expr> = if let Code::SetScalar(_, e) = code {
        vec![e]
    } else if let Code::Assert { cond, message, .. } = code {
        let values = message.iter().filter_map(|part| match part {
            ErrorPart::Value(e, _) => Some(e),
            ErrorPart::Text(_) => None,
        });
        [cond].into_iter().chain(values).collect()
    } else if let Some((_, used)) = fills(code, may_write) {
        used.to_vec()
    } else {
        return None;
    };
    let mut uses = Uses { vars: vec![], blocks: vec![], shared: vec![] };
    for e in exprs {
        for_each_part(e, &mut |part| {
            if let Expr::Var(x) = part {
                uses.vars.push(*x);
            } else if let Expr::Index { mem, space: Space::Shared, .. } = part {
                uses.shared.push(*mem);
            } else if let Expr::Index { mem, .. } = part {
                uses.blocks.push(*mem);
            }
        });
    }
    Some(uses)
}
