//! Loops whose iterations read what others have read the place of, and check it before, do so for several iterations at once.
//!
//! A thread waits for what it has read when it uses it, and a check uses it: nothing behind a check starts before the check is made. Unrolled or not, such a loop waits twice in
//! each iteration, once for the place and once for the element. So iterations are done in pieces, stage by stage: the reads of a stage are all on their way before the next one waits.
//!
//! ```text
//! for j < m {                          for piece < (m + 3) / 4 {
//!   assert(j < n)                        for k < 4: if 4 * piece + k < m { assert(4 * piece + k < n); i[k] = places[4 * piece + k] }
//!   i = places[j]                        for k < 4: if ..                { assert(i[k] < s); x[k] = xs[i[k]] }
//!   assert(i < s)                        for k < 4: if ..                { sum = sum + x[k] }
//!   x = xs[i]                          }
//!   sum = sum + x
//! }
//! ```
//!
//! The loops over `k` are unrolled, and what goes from stage to stage is in registers.
//!
//! **When.** The loop is short, and has no branches, loops or writes in it, but for writes of what it has computed to shared memory that it does not read. All it reads is shared memory, or memory that
//! is only read while the kernel runs, and neither places nor checks depend on what earlier iterations have computed. It has a check, and reads an element whose place it has read: without checks, compilers of kernels do the same when they unroll, and with a
//! place that is known before there is one wait at most. It may be long. An iteration that fails ends the loop as before; where several would fail, another one may be the first.

use crate::instead::Instead;
use fehu_base::ops::{BinOp, CmpOp, ConvOp};
use fehu_base::prim::{IntType, PrimType};
use fehu_base::{Name, NameSource};
use fehu_imp::build::{add, constant, i64, lt, mul, quot, sub, var};
use fehu_imp::parts::{flat, for_each_part, for_each_statement};
use fehu_imp::syntax::{Code as AnyCode, ErrorPart, Expr, KernelOp, Program, Qualifier, Space};
use fehu_imp::visit::Mutator;
use fehu_ir::visit::deep;
use fehu_pass::{Need, Pass};
use rustc_hash::{FxHashMap, FxHashSet};

type Code = AnyCode<KernelOp>;

/// Loops with checks read several elements before they wait for one.
pub const PASS: Pass<Program> = Pass {
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
/// The most bytes that an iteration hands on from stage to stage: so many registers of 4 bytes are needed for a piece.
const MOST_BYTES: u64 = 24;
/// The same of loops that fill shared memory, which have nothing else in registers.
const MOST_BYTES_OF_FILLING: u64 = 48;

/// Iterations of a loop that is left alone, at most: most of its pieces would not be full. In the flat version of irregular nests, a thread has up to 16 elements, and few have so
/// many: a core of a graph whose degrees follow a power law takes 13.0 ms with pieces of four and 11.9 without.
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
        if let Code::For { var, ty, bound, body } = code {
            let Some(stages) = self.stages(body) else { return };
            if let Some(most) = self.most(bound).filter(|_| stages.fills) {
                *code = self.at_once((*var, *ty), bound.clone(), most, &stages);
            } else if stages.fills || !self.is_short(bound, MOST_DEFINITIONS) {
                *code = self.in_pieces((*var, *ty), bound.clone(), &stages);
            }
        }
    }

    /// The largest number of iterations, if it is the minimum of something and a constant, and small enough for all of them to be one piece.
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

    /// The stages of an iteration, if it pays.
    fn stages<'c>(&self, body: &'c Code) -> Option<Stages<'c>> {
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

    /// The loop in pieces.
    fn in_pieces(&mut self, (x, ty): (Name, IntType), bound: Expr, of: &Stages) -> Code {
        let [end, piece, first] = ["end", "piece", "first"].map(|base| self.names.fresh_str(base));
        let each = i64(ITERATIONS);
        let mut inside = vec![
            Code::DeclareScalar(first, PrimType::I64),
            Code::SetScalar(first, mul(var(piece), each.clone())),
        ];
        let at = |k: Name| add(var(first), var(k));
        inside.extend(self.by_stages((x, ty), ITERATIONS, of, at, |k| lt(at(k), var(end))));
        let pieces = quot(add(var(end), sub(each.clone(), i64(1))), each);
        Code::Seq(vec![
            Code::DeclareScalar(end, PrimType::I64),
            Code::SetScalar(end, converted(bound, ty, IntType::I64)),
            Code::For { var: piece, ty: IntType::I64, bound: pieces, body: Box::new(Code::Seq(inside)) },
        ])
    }

    /// The loop as one piece, of at most so many iterations. Numbers of 32 bits are compared by one instruction.
    fn at_once(&mut self, (x, ty): (Name, IntType), bound: Expr, most: i64, of: &Stages) -> Code {
        let end = self.names.fresh_str("end");
        let there = |k: Name| {
            let k = converted(var(k), IntType::I64, IntType::I32);
            Expr::CmpOp(CmpOp::SLt(IntType::I32), Box::new(k), Box::new(var(end)))
        };
        let mut codes = vec![
            Code::DeclareScalar(end, PrimType::I32),
            Code::SetScalar(end, converted(bound, ty, IntType::I32)),
        ];
        codes.extend(self.by_stages((x, ty), most, of, var, there));
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
        let mut inside = vec![];
        let mut kept: FxHashMap<Name, (Name, PrimType, Space)> = FxHashMap::default();
        for x in &of.handed_on {
            let (mem, elem) = (self.names.fresh_like(*x), of.types[x]);
            let space = Space::Scalar(elem, vec![iterations]);
            let array = KernelOp::DeclareArray { mem, space: space.clone(), elem, count: i64(iterations) };
            inside.push(Code::Op(array));
            kept.insert(*x, (mem, elem, space));
        }
        let mut earlier: FxHashSet<Name> = FxHashSet::default();
        for stage in &of.stages {
            let k = self.names.fresh_str("k");
            let mut instead = FxHashMap::default();
            instead.insert(x, converted(at(k), IntType::I64, ty));
            for x in &earlier {
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
            let there = Code::If(there(k), Box::new(Code::Seq(codes)), Box::new(Code::Seq(vec![])));
            inside.push(Code::Op(KernelOp::UnrolledFor {
                by: None,
                var: k,
                ty: IntType::I64,
                bound: i64(iterations),
                body: Box::new(there),
            }));
        }
        inside
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

/// The variables of the iteration that are needed in another stage than the one they are set in, in the order of the text.
fn handed_on(codes: &[&Code], stages: &[Vec<&Code>]) -> Vec<Name> {
    let mut set_in: FxHashMap<Name, usize> = FxHashMap::default();
    let mut needed: FxHashSet<Name> = FxHashSet::default();
    for (stage, codes) in stages.iter().enumerate() {
        for code in codes {
            let used = uses(code).map_or_else(Vec::new, |used| used.vars);
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

/// The shared memory that a statement writes, and what it uses for that.
fn fills(code: &Code) -> Option<(Name, [&Expr; 2])> {
    if let Code::Write { mem, offset, space: Space::Shared, value, .. } = code {
        Some((*mem, [offset, value]))
    } else {
        None
    }
}

/// What a statement reads that sets a variable, makes a check or writes shared memory; none of any other.
fn uses(code: &Code) -> Option<Uses> {
    let exprs: Vec<&Expr> = if let Code::SetScalar(_, e) = code {
        vec![e]
    } else if let Code::Assert { cond, message, .. } = code {
        let values = message.iter().filter_map(|part| match part {
            ErrorPart::Value(e, _) => Some(e),
            ErrorPart::Text(_) => None,
        });
        [cond].into_iter().chain(values).collect()
    } else if let Some((_, used)) = fills(code) {
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
