//! `while` loops whose iterations cost little do several of them before they ask whether one was the last.
//!
//! How soon does each point of the Mandelbrot set escape? An iteration is seven instructions; counting it,
//! comparing the count with the limit and the jump are four more. A thread that goes on does a few
//! iterations, the *piece*, without any of these, and asks at its end whether it would have left within it.
//! If so it goes back to where the piece began, and does the rest one by one:
//!
//! ```text
//! while going {                        if k < limit - 64 {
//!   x = f(x)                             far = k + 8
//!   k = k + 1                            while going && k < far { x = f(x); k = k + 1; going = g(x) }
//!   c = k < limit               =>       if going {
//!   going = c && g(x)                      ahead = true
//! }                                        while ahead && k < limit - 8 {
//!                                            old = (x, k)
//!                                            x = f(x); k = k + 1; ahead = ahead && g(x)        8 times
//!                                            if !ahead { (x, k) = old }
//!                                          }
//!                                        }
//!                                      }
//!                                      while going { ... as before ... }
//! ```
//!
//! **When.** An iteration can be done once too often: it has no effects, reads no memory and cannot fail. It
//! is short, and each of its operations is an instruction or two. One of the values that it carries counts
//! iterations, and is compared with a constant that is high enough. Where the limit is known only at run
//! time, the loop as it stands becomes slower beside its pieces. Times:
//! `notebook/2026-11-19-gpu-mechanisms.md`.
//!
//! **What it costs.** A thread that leaves in the middle of a piece has done the piece for nothing. So the
//! first iterations are done one by one: short loops have no pieces, and where there are any, what may be
//! done for nothing is a fraction of what has been done. Loops with a low limit are as they were.
//!
//! **The same results.** The compiler of CUDA kernels contracts `a * b + c` to one operation with one
//! rounding, where it chooses to, and it knows other products in a piece than in an iteration. Which
//! operations are contracted is therefore decided here, for the loop and its pieces alike: all sums and
//! differences with an operand that is a product of the same iteration. Loops whose products are carried to
//! the next iteration are left alone. So this is a pass for CUDA.

use crate::loops::{renamed, Renaming};
use crate::walks::{changing, once, resolved, stays};
use fehu_base::ops::{BinOp, CmpOp, ConvOp, MathFn, PrimFn, UnOp};
use fehu_base::prim::{FloatType, IntType, PrimType, PrimValue};
use fehu_base::{Name, NameSource};
use fehu_imp::build::{and, binary, bool, constant, var};
use fehu_imp::parts::{flat, for_each_part, for_each_statement};
use fehu_imp::syntax::{Code as AnyCode, Expr, KernelOp, Program};
use fehu_ir::visit::deep;
use fehu_pass::{Need, Pass};
use rustc_hash::{FxHashMap, FxHashSet};

type Code = AnyCode<KernelOp>;

/// Loops of few operations that end they do not know when do several iterations at a time.
pub static PASS: Pass<Program> = Pass {
    name: "while-pieces",
    need: Need::Optional,
    run: |program| {
        let Program { kernels, names, .. } = program;
        for kernel in kernels {
            let mut types = FxHashMap::default();
            for_each_statement(&kernel.body, &mut |code| {
                if let Code::DeclareScalar(x, ty) = code {
                    types.insert(*x, *ty);
                }
            });
            in_code(names, &types, &mut kernel.body);
        }
    },
};

/// Iterations of a piece. Larger ones gain little for points that go on, and cost more for those that leave
/// early.
const ITERATIONS_OF_PIECE: i64 = 8;
/// Iterations that are done one by one before there are pieces. With none, and with more of them, points take
/// longer, whether they leave early or not.
const FIRST_ITERATIONS: i64 = 8;
/// Iterations that there may be at least, for any of this. With a low limit, the first ones are unrolled, and
/// cost more than the plain loop.
const LEAST_ITERATIONS: i64 = 64;
/// The most operations of an iteration: of longer ones, what counts and jumps is a small part.
const MOST_OPERATIONS: usize = 32;

fn in_code(names: &mut NameSource, types: &FxHashMap<Name, PrimType>, code: &mut Code) {
    code.bodies_mut().into_iter().for_each(|body| deep(|| in_code(names, types, body)));
    let Code::While(Expr::Var(going), body) = code else { return };
    if let Some(pieces) = Loop::of(types, *going, body).map(|l| l.in_pieces(names)) {
        *code = pieces;
    }
}

/// A loop that can be done in pieces.
struct Loop {
    going: Name,
    /// An iteration, with contracted operations.
    body: Code,
    /// What goes from one iteration to the next, other than whether there is one.
    carried: Vec<(Name, PrimType)>,
    /// The one of these that counts, its type, and the test whether it is below the limit.
    count: Name,
    ty: IntType,
    test: Name,
    limit: Expr,
}

impl Loop {
    fn of(types: &FxHashMap<Name, PrimType>, going: Name, body: &Code) -> Option<Loop> {
        if operations(body).is_none_or(|n| n > MOST_OPERATIONS) {
            return None;
        }
        let changed = changing(body);
        let mut own = FxHashSet::default();
        let mut set = vec![];
        for_each_statement(body, &mut |code| {
            if let Code::DeclareScalar(x, _) = code {
                own.insert(*x);
            }
            set.extend(assigned_by(code));
        });
        set.retain(|x| !own.contains(x));
        if !set.contains(&going) {
            return None;
        }
        let (mut carried, mut seen) = (vec![], FxHashSet::default());
        for x in &set {
            if *x != going && seen.insert(*x) {
                carried.push((*x, *types.get(x)?));
            }
        }
        // What once-set names are, in terms of what an iteration begins with.
        let mut known = FxHashMap::default();
        let (mut steps, mut tests) = (FxHashMap::default(), vec![]);
        let mut assigned = FxHashSet::default();
        for code in flat(body) {
            let Code::SetScalar(x, e) = code else {
                for_each_statement(code, &mut |code| assigned.extend(assigned_by(code)));
                continue;
            };
            let mut early = true;
            for_each_part(e, &mut |part| early &= !matches!(part, Expr::Var(y) if assigned.contains(y)));
            let e = resolved(e, &known);
            if !own.contains(x) {
                assigned.insert(*x);
                if early && set.iter().filter(|y| *y == x).count() == 1 {
                    steps.insert(*x, e);
                }
            } else if early && once(body, *x) {
                if let Expr::CmpOp(CmpOp::SLt(ty), count, limit) = &e {
                    tests.push((*x, *ty, (**count).clone(), (**limit).clone()));
                }
                known.insert(*x, e);
            }
        }
        let (test, ty, limit, count) = tests.into_iter().find_map(|(test, ty, next, limit)| {
            let (count, _) = carried.iter().find(|(x, t)| {
                let step = binary(BinOp::Add(ty), var(*x), Expr::Const(PrimValue::int(ty, 1)));
                *t == PrimType::Int(ty) && next == step && steps.get(x) == Some(&step)
            })?;
            let high = constant(&limit).is_some_and(|n| n >= LEAST_ITERATIONS);
            (high && stays(&limit, test, &changed)).then_some((test, ty, limit, *count))
        })?;
        let body = Contract::new(&own, body).code(body)?;
        Some(Loop { going, body, carried, count, ty, test, limit })
    }

    fn in_pieces(self, names: &mut NameSource) -> Code {
        let Loop { going, ref body, ref carried, count, ty, ref limit, .. } = self;
        let [most, far, last, ahead] = ["most", "far", "last", "ahead"].map(|s| names.fresh_str(s));
        let number = |n: i64| Expr::Const(PrimValue::int(ty, n));
        let below = |x: Name| Expr::CmpOp(CmpOp::SLt(ty), Box::new(var(count)), Box::new(var(x)));
        let before_limit = |n: i64| {
            let limit = binary(BinOp::SMax(ty), limit.clone(), number(smallest(ty) + n));
            binary(BinOp::Sub(ty), limit, number(n))
        };
        let (mut code, mut first, mut long) = (vec![], vec![], vec![]);
        let int = PrimType::Int(ty);
        set_new(&mut code, most, int, before_limit(LEAST_ITERATIONS));
        set_new(&mut first, far, int, binary(BinOp::Add(ty), var(count), number(FIRST_ITERATIONS)));
        let one = renamed(names, &self.below_limit(), &mut Renaming::default());
        first.push(Code::While(and(var(going), below(far)), Box::new(one)));
        set_new(&mut long, last, int, before_limit(ITERATIONS_OF_PIECE));
        set_new(&mut long, ahead, PrimType::Bool, bool(true));

        let mut piece = vec![];
        let mut restore = vec![];
        for (x, ty) in carried {
            let old = names.fresh_like(*x);
            set_new(&mut piece, old, *ty, var(*x));
            restore.push(Code::SetScalar(*x, var(old)));
        }
        for _ in 0..ITERATIONS_OF_PIECE {
            piece.push(self.iteration(names, ahead));
        }
        piece.push(Code::If(var(ahead), Box::new(Code::Seq(vec![])), Box::new(Code::Seq(restore))));
        long.push(Code::While(and(var(ahead), below(last)), Box::new(Code::Seq(piece))));
        first.push(Code::If(var(going), Box::new(Code::Seq(long)), Box::new(Code::Seq(vec![]))));
        code.push(Code::If(below(most), Box::new(Code::Seq(first)), Box::new(Code::Seq(vec![]))));
        code.push(Code::While(var(going), Box::new(body.clone())));
        Code::Seq(code)
    }

    /// An iteration that is known not to reach the limit.
    fn below_limit(&self) -> Code {
        let mut body = self.body.clone();
        if let Code::Seq(codes) = &mut body {
            for code in codes {
                if let Code::SetScalar(x, e) = code {
                    if *x == self.test {
                        *e = bool(true);
                    }
                }
            }
        }
        body
    }

    /// One iteration of a piece: the count is below the limit, and whether there would be another one is remembered.
    fn iteration(&self, names: &mut NameSource, ahead: Name) -> Code {
        let goes = names.fresh_like(self.going);
        let mut renaming = Renaming::from_iter([(self.going, goes)]);
        let mut code = vec![];
        set_new(&mut code, goes, PrimType::Bool, bool(true));
        code.push(renamed(names, &self.below_limit(), &mut renaming));
        code.push(Code::SetScalar(ahead, and(var(ahead), var(goes))));
        Code::Seq(code)
    }
}

/// The scalar that a statement assigns.
fn assigned_by(code: &Code) -> Option<Name> {
    let Code::SetScalar(x, _) = code else { return None };
    Some(*x)
}

fn set_new(code: &mut Vec<Code>, x: Name, ty: PrimType, value: Expr) {
    code.extend([Code::DeclareScalar(x, ty), Code::SetScalar(x, value)]);
}

fn smallest(ty: IntType) -> i64 {
    i64::MIN >> (64 - ty.bits())
}

/// How many operations code has, if it is plain and each of them is an instruction or two and cannot fail.
fn operations(code: &Code) -> Option<usize> {
    let (mut count, mut plain) = (0, true);
    for_each_statement(code, &mut |code| match code {
        Code::SetScalar(_, e) | Code::If(e, ..) => for_each_part(e, &mut |part| match costs_little(part) {
            Some(cost) => count += cost,
            None => plain = false,
        }),
        Code::Seq(_) | Code::DeclareScalar(..) => {}
        Code::DeclareMem(..)
        | Code::DeclareStatic(..)
        | Code::SetMem(..)
        | Code::Write { .. }
        | Code::Copy { .. }
        | Code::For { .. }
        | Code::While(..)
        | Code::Call { .. }
        | Code::Assert { .. }
        | Code::Op(_) => plain = false,
    });
    plain.then_some(count)
}

/// The operations of an expression without its operands, if these are instructions of any GPU.
fn costs_little(e: &Expr) -> Option<usize> {
    use FloatType::F32;
    let little = match e {
        Expr::Const(PrimValue::F64(_) | PrimValue::F16(_)) => false,
        Expr::Const(_) | Expr::Var(_) => return Some(0),
        Expr::UnOp(op, _) => matches!(
            op,
            UnOp::Not | UnOp::Complement(_) | UnOp::Neg(_) | UnOp::Abs(_) | UnOp::FNeg(F32) | UnOp::FAbs(F32)
        ),
        Expr::BinOp(op, ..) => matches!(
            op,
            BinOp::Add(_)
                | BinOp::Sub(_)
                | BinOp::Mul(_)
                | BinOp::SMin(_)
                | BinOp::SMax(_)
                | BinOp::UMin(_)
                | BinOp::UMax(_)
                | BinOp::Shl(_)
                | BinOp::LShr(_)
                | BinOp::AShr(_)
                | BinOp::And(_)
                | BinOp::Or(_)
                | BinOp::Xor(_)
                | BinOp::FAdd(F32)
                | BinOp::FSub(F32)
                | BinOp::FMul(F32)
                | BinOp::FMin(F32)
                | BinOp::FMax(F32)
                | BinOp::LogAnd
                | BinOp::LogOr
        ),
        Expr::CmpOp(op, ..) => !matches!(
            op,
            CmpOp::FLt(FloatType::F16 | FloatType::F64) | CmpOp::FLe(FloatType::F16 | FloatType::F64)
        ),
        Expr::Conv(op, _) => {
            matches!(op, ConvOp::ZExt(..) | ConvOp::SExt(..) | ConvOp::IToB(_) | ConvOp::BToI(_))
        }
        Expr::Select(..) => true,
        Expr::PrimFn(PrimFn { op, at }, _) => *op == MathFn::Fma && *at == PrimType::Float(F32),
        Expr::Index { .. } | Expr::Param(_) | Expr::Gpu(_) => false,
    };
    little.then_some(1)
}

/// Contracts sums and differences with products.
struct Contract<'b> {
    /// What an iteration declares.
    own: &'b FxHashSet<Name>,
    whole: &'b Code,
    /// The factors of names that are products, all of which are what they were.
    products: FxHashMap<Name, [Expr; 2]>,
}

impl Contract<'_> {
    fn new<'b>(own: &'b FxHashSet<Name>, whole: &'b Code) -> Contract<'b> {
        Contract { own, whole, products: FxHashMap::default() }
    }

    /// `None` if a product is carried, or a name is a product only sometimes.
    fn code(&mut self, code: &Code) -> Option<Code> {
        let mut out = vec![];
        for code in flat(code) {
            out.push(if let Code::SetScalar(x, e) = code {
                let e = self.expr(e);
                self.set(*x, &e)?;
                Code::SetScalar(*x, e)
            } else if let Code::If(c, a, b) = code {
                let c = self.expr(c);
                let before = self.products.clone();
                let a = deep(|| self.code(a))?;
                self.products = before.clone();
                let b = deep(|| self.code(b))?;
                self.products = before;
                for_each_statement(code, &mut |code| {
                    assigned_by(code).into_iter().for_each(|x| self.forget(x))
                });
                Code::If(c, Box::new(a), Box::new(b))
            } else {
                code.clone()
            });
        }
        Some(Code::Seq(out))
    }

    fn set(&mut self, x: Name, e: &Expr) -> Option<()> {
        let factors = self.factors(e);
        self.forget(x);
        if let Some(factors) = factors {
            if !self.own.contains(&x) || !once(self.whole, x) {
                return None;
            }
            self.products.insert(x, factors);
        }
        Some(())
    }

    /// Products of a name that is set are no more.
    fn forget(&mut self, x: Name) {
        self.products.retain(|_, factors| {
            let mut there = false;
            for e in factors {
                for_each_part(e, &mut |part| there |= *part == var(x));
            }
            !there
        });
    }

    fn factors(&self, e: &Expr) -> Option<[Expr; 2]> {
        match e {
            Expr::BinOp(BinOp::FMul(FloatType::F32), a, b) => Some([(**a).clone(), (**b).clone()]),
            Expr::Var(x) => self.products.get(x).cloned(),
            Expr::UnOp(UnOp::FNeg(FloatType::F32), a) => self.factors(a).map(|[x, y]| [negated(x), y]),
            Expr::BinOp(..)
            | Expr::Const(_)
            | Expr::UnOp(..)
            | Expr::CmpOp(..)
            | Expr::Conv(..)
            | Expr::PrimFn(..)
            | Expr::Select(..)
            | Expr::Index { .. }
            | Expr::Param(_)
            | Expr::Gpu(_) => None,
        }
    }

    fn expr(&self, e: &Expr) -> Expr {
        let again = |e: &Expr| Box::new(deep(|| self.expr(e)));
        match e {
            Expr::BinOp(op @ (BinOp::FAdd(FloatType::F32) | BinOp::FSub(FloatType::F32)), a, b) => {
                let (a, b) = (again(a), again(b));
                let is_sum = *op == BinOp::FAdd(FloatType::F32);
                let (left, right) = (self.factors(&a), self.factors(&b));
                match (left, right) {
                    (_, Some([x, y])) if is_sum => fma(x, y, *a),
                    (Some([x, y]), _) if is_sum => fma(x, y, *b),
                    (Some([x, y]), _) => fma(x, y, negated(*b)),
                    (None, Some([x, y])) => fma(negated(x), y, *a),
                    (None, None) => Expr::BinOp(*op, a, b),
                }
            }
            Expr::BinOp(op, a, b) => Expr::BinOp(*op, again(a), again(b)),
            Expr::UnOp(op, a) => Expr::UnOp(*op, again(a)),
            Expr::CmpOp(op, a, b) => Expr::CmpOp(*op, again(a), again(b)),
            Expr::Conv(op, a) => Expr::Conv(*op, again(a)),
            Expr::PrimFn(f, args) => Expr::PrimFn(*f, args.iter().map(|e| *again(e)).collect()),
            Expr::Select(c, a, b) => Expr::Select(again(c), again(a), again(b)),
            Expr::Const(_) | Expr::Var(_) | Expr::Index { .. } | Expr::Param(_) | Expr::Gpu(_) => e.clone(),
        }
    }
}

fn fma(x: Expr, y: Expr, z: Expr) -> Expr {
    Expr::PrimFn(PrimFn { op: MathFn::Fma, at: PrimType::Float(FloatType::F32) }, vec![x, y, z])
}

fn negated(e: Expr) -> Expr {
    Expr::UnOp(UnOp::FNeg(FloatType::F32), Box::new(e))
}
