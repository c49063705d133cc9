//! Neighbouring `while` loops of a map advance together.
//!
//! How soon does each point of the Mandelbrot set escape? One point is a chain of floats: each step waits for
//! the one before, and no C compiler makes vector code of a loop that ends it does not know when. But
//! neighbouring points are independent, and mostly leave at about the same time. So a few of them, the
//! *lanes*, do each step together: what a point remembers becomes an array with a place for each lane, and a
//! lane that has left keeps what it has:
//!
//! ```text
//! for j < m {                    for s < ceil(m / 32) {
//!   x = before(j)                  for b < 32 { xs[b] = before(s*32 + b); goings[b] = going(xs[b]) }
//!   while going(x) {               while (more than a few are going) {
//!     x = f(x)               =>      for b < 32 { y = f(xs[b]); xs[b] = goings[b] ? y : xs[b]; goings[b] &= going(y) }
//!   }                              }
//!   out[j] = after(x)              for b < 32 { x = xs[b]; while going(x) { x = f(x) }; out[s*32 + b] = after(x) }
//! }                              }
//! ```
//!
//! A step of all lanes costs as much as some steps of single points. So when only a few are still going,
//! these end one after the other by the loop as it was: however different the points are, no step of the
//! lanes costs much more than what it saves.
//!
//! It must be possible: iterations of the map do not depend on each other, and a step has no effects and
//! cannot fail, for lanes that have left do it as well: it reads no memory and does not divide integers. And
//! it must pay: floats are carried from step to step, and everything that a step computes has a vector form.
//! Branches in it become choices between values, both of which are computed. Lanes beyond the end of the map
//! begin with the values of the last point, and are not going.

use super::plain::{for_each_expr, for_each_set, renamed, rewrite, size, Renaming};
use super::straight::straight;
use super::stride::Strides;
use super::strip::{set_new, written_out, Nest};
use super::Loops;
use fehu_base::ops::{BinOp, CmpOp, ConvOp, MathFn, PrimFn, UnOp};
use fehu_base::prim::{FloatType, IntType, PrimType};
use fehu_base::tuning::cpu_loops;
use fehu_base::{Name, NameSource};
use fehu_imp::build::*;
use fehu_imp::ops::Operation;
use fehu_imp::parts::{flat, for_each_part};
use fehu_imp::syntax::{Code, Expr, Space};
use indexmap::IndexMap;
use rustc_hash::FxHashSet;

/// The parts of a map whose points are `while` loops.
struct Parts<'c, O> {
    before: Vec<&'c Code<O>>,
    cond: &'c Expr,
    step: &'c Code<O>,
    after: Vec<&'c Code<O>>,
}

/// Scalars of a point that outlive the code before the loop.
struct Remembered {
    /// The array with a place for each lane.
    array: Name,
    ty: PrimType,
    /// Whether steps assign it.
    carried: bool,
}

impl Remembered {
    /// Booleans lie in words, as vectors of comparisons do.
    fn elem(&self) -> PrimType {
        if self.ty == PrimType::Bool {
            PrimType::I32
        } else {
            self.ty
        }
    }
}

impl Loops<'_> {
    /// A map of `while` loops by lanes, if that can be done and pays.
    pub(super) fn in_lanes<O: Operation>(&mut self, code: &Code<O>) -> Option<Code<O>> {
        let Code::For { var: outer, ty: IntType::I64, bound, body, .. } = code else { return None };
        let body = &written_out(*outer, body);
        let parts = Parts::of(body)?;
        let plain: Vec<&Code<O>> =
            parts.before.iter().copied().chain([parts.step]).chain(parts.after.iter().copied()).collect();
        let mut nest = Nest::default();
        nest.code(&Code::Seq(plain.into_iter().cloned().collect()), &[])?;
        let across = Strides::of(*outer, body);
        if !nest.can_move(*outer) || !self.writes_apart(&nest, &across) {
            return None;
        }
        let mut remembered = parts.remembered(self.names, &nest)?;
        // Whether a lane is going is remembered in any case.
        if let Expr::Var(going) = parts.cond {
            remembered.shift_remove(going);
        }
        Some(Lanes { names: self.names, outer: *outer, bound, parts: &parts, remembered }.code())
    }
}

impl<'c, O: Operation> Parts<'c, O> {
    fn of(body: &'c Code<O>) -> Option<Parts<'c, O>> {
        let codes = flat(body);
        let at = codes.iter().position(|c| matches!(c, Code::While(..)))?;
        let Code::While(cond, step) = codes[at] else { return None };
        let (before, after) = (codes[..at].to_vec(), codes[at + 1..].to_vec());
        let parts = Parts { before, cond, step, after };
        let plain = parts.before.iter().chain(&parts.after).all(|c| size(c).is_some());
        let small = size(step).is_some_and(|n| n <= cpu_loops::LANES_NODES);
        let vectors = has_vector_form(cond) && step_has_vector_form(step);
        (plain && small && vectors && !parts.before.iter().any(|c| writes(c))).then_some(parts)
    }

    /// What the arrays are for; `None` if no floats are carried.
    fn remembered(&self, names: &mut NameSource, nest: &Nest) -> Option<IndexMap<Name, Remembered>> {
        let mut own = FxHashSet::default();
        for code in self.before.iter().flat_map(|c| flat(c)) {
            if let Code::DeclareScalar(x, _) = code {
                own.insert(*x);
            }
        }
        let mut mentioned = IndexMap::new();
        let mut mention = |x: Name, carried: bool| {
            if own.contains(&x) {
                *mentioned.entry(x).or_insert(false) |= carried;
            }
        };
        let mut in_expr = |e: &Expr| {
            for_each_part(e, &mut |part| {
                if let Expr::Var(x) = part {
                    mention(*x, false);
                }
            });
        };
        in_expr(self.cond);
        for code in [self.step].into_iter().chain(self.after.iter().copied()) {
            for_each_expr(code, &mut in_expr);
        }
        for_each_set(self.step, &mut |x| mention(x, true));
        // Assigned after the loop: the place of the declaration is before it.
        self.after.iter().for_each(|c| for_each_set(c, &mut |x| mention(x, false)));
        let mut floats = false;
        let remembered = mentioned
            .into_iter()
            .map(|(x, carried)| {
                let ty = nest.declared.get(&x).copied()?;
                let lies_in_vectors = matches!(
                    ty,
                    PrimType::Float(FloatType::F32 | FloatType::F64)
                        | PrimType::Int(IntType::I32 | IntType::I64)
                        | PrimType::Bool
                );
                floats |= carried && matches!(ty, PrimType::Float(_));
                let array = names.fresh_like(x);
                (lies_in_vectors || !carried).then_some((x, Remembered { array, ty, carried }))
            })
            .collect::<Option<IndexMap<_, _>>>()?;
        floats.then_some(remembered)
    }
}

/// Whether plain code writes memory.
fn writes<O: Operation>(code: &Code<O>) -> bool {
    flat(code).into_iter().any(|code| {
        if let Code::If(_, a, b) = code {
            [a, b].iter().any(|c| fehu_ir::visit::deep(|| writes(c)))
        } else {
            matches!(code, Code::Write { .. })
        }
    })
}

/// Whether what a step does has a vector form, for branches as well.
fn step_has_vector_form<O: Operation>(code: &Code<O>) -> bool {
    flat(code).into_iter().all(|code| match code {
        Code::DeclareScalar(..) => true,
        Code::SetScalar(_, e) => has_vector_form(e),
        Code::If(c, a, b) => {
            has_vector_form(c) && [a, b].iter().all(|c| fehu_ir::visit::deep(|| step_has_vector_form(c)))
        }
        Code::Seq(_)
        | Code::DeclareMem(..)
        | Code::DeclareStatic(..)
        | Code::SetMem(..)
        | Code::Write { .. }
        | Code::Copy { .. }
        | Code::For { .. }
        | Code::While(..)
        | Code::Call { .. }
        | Code::Assert { .. }
        | Code::Op(_) => false,
    })
}

/// Whether an expression has a vector form on the machines that C compilers assume by default, cannot fail
/// and reads no memory.
fn has_vector_form(e: &Expr) -> bool {
    use FloatType::{F32, F64};
    use IntType::{I32, I64};
    let this = match e {
        Expr::Const(_) | Expr::Var(_) | Expr::Select(..) => true,
        Expr::UnOp(op, _) => matches!(op, UnOp::Not | UnOp::FNeg(F32 | F64) | UnOp::FAbs(F32 | F64)),
        Expr::BinOp(op, ..) => matches!(
            op,
            BinOp::FAdd(F32 | F64)
                | BinOp::FSub(F32 | F64)
                | BinOp::FMul(F32 | F64)
                | BinOp::FDiv(F32 | F64)
                | BinOp::Add(I32 | I64)
                | BinOp::Sub(I32 | I64)
                | BinOp::And(I32 | I64)
                | BinOp::Or(I32 | I64)
                | BinOp::Xor(I32 | I64)
                | BinOp::LogAnd
                | BinOp::LogOr
        ),
        Expr::CmpOp(op, ..) => matches!(
            op,
            CmpOp::Eq(PrimType::Int(I32 | I64) | PrimType::Float(F32 | F64))
                | CmpOp::SLt(I32 | I64)
                | CmpOp::SLe(I32 | I64)
                | CmpOp::FLt(F32 | F64)
                | CmpOp::FLe(F32 | F64)
        ),
        Expr::Conv(op, _) => {
            matches!(op, ConvOp::SIToFP(I32, F32 | F64) | ConvOp::FPConv(F32 | F64, F32 | F64))
        }
        Expr::PrimFn(PrimFn { op, .. }, _) => matches!(op, MathFn::Sqrt | MathFn::Rsqrt),
        Expr::Index { .. } | Expr::Param(_) | Expr::Gpu(_) => false,
    };
    this && e.operands().into_iter().all(has_vector_form)
}

/// Makes the code of a map by lanes.
struct Lanes<'a, 'n, 'c, O> {
    names: &'n mut NameSource,
    /// The variable of the map, and its bound.
    outer: Name,
    bound: &'c Expr,
    parts: &'a Parts<'c, O>,
    remembered: IndexMap<Name, Remembered>,
}

impl<O: Operation> Lanes<'_, '_, '_, O> {
    fn code(mut self) -> Code<O> {
        let [strip, first, alive, goings] =
            ["strip", "first", "alive", "goings"].map(|s| self.names.fresh_str(s));
        let mut code = vec![];
        let arrays = self.remembered.values().map(|r| (r.array, r.elem()));
        for (array, elem) in arrays.chain([(goings, PrimType::I32)]) {
            code.push(Code::DeclareMem(array, lanes_of(elem)));
        }
        let mut inside = vec![];
        set_new(&mut inside, first, mul(var(strip), i64(cpu_loops::LANES)));
        inside.push(Code::DeclareScalar(alive, PrimType::I32));
        inside.push(Code::SetScalar(alive, i32(0)));
        inside.push(self.begin(first, alive, goings));
        let steps = [Code::SetScalar(alive, i32(0)), self.step(alive, goings)];
        inside.push(Code::While(self.worth_it(alive), Box::new(Code::Seq(steps.into()))));
        inside.push(self.end(first, goings));
        let bound = quot_up(self.bound.clone(), i64(cpu_loops::LANES));
        code.push(count_up(strip, bound, Code::Seq(inside)));
        Code::Seq(code)
    }

    /// Whether so many are going that it pays to go together.
    fn worth_it(&self, alive: Name) -> Expr {
        let wide = self.remembered.values().any(|r| r.carried && r.elem().bytes() > 4);
        let few = if wide { cpu_loops::FEW_WIDE_LANES } else { cpu_loops::FEW_LANES };
        Expr::CmpOp(CmpOp::SLt(IntType::I32), Box::new(i32(few)), Box::new(var(alive)))
    }

    /// The code before the loop, for each lane.
    fn begin(&mut self, first: Name, alive: Name, goings: Name) -> Code<O> {
        let [at, own, going] = ["b", "i", "going"].map(|s| self.names.fresh_str(s));
        let mut renaming = Renaming::default();
        renaming.insert(self.outer, own);
        let mut inside = vec![];
        // Lanes beyond the end repeat the last point, so that all of them have values.
        set_new(&mut inside, own, min(add(var(first), var(at)), sub(self.bound.clone(), i64(1))));
        for code in &self.parts.before {
            inside.push(renamed(self.names, code, &mut renaming));
        }
        for (x, r) in &self.remembered {
            inside.push(store(r.array, at, r.elem(), widened(r.ty, var(renaming[x]))));
        }
        let cond = renamed_expr(self.parts.cond, &renaming);
        let exists = lt(add(var(first), var(at)), self.bound.clone());
        inside.push(Code::DeclareScalar(going, PrimType::I32));
        inside.push(Code::SetScalar(going, widened(PrimType::Bool, and(cond, exists))));
        inside.push(store(goings, at, PrimType::I32, var(going)));
        inside.push(Code::SetScalar(alive, add_i32(var(alive), var(going))));
        over_lanes(at, i64(cpu_loops::LANES), inside)
    }

    /// One step of all lanes. Those that have left compute it, too, and keep what they have.
    fn step(&mut self, alive: Name, goings: Name) -> Code<O> {
        let [at, going, next] = ["b", "going", "next"].map(|s| self.names.fresh_str(s));
        let mut renaming = Renaming::default();
        let mut inside = vec![];
        let mut old = vec![];
        if let Some(now) = self.going_renamed(&mut renaming) {
            inside.extend([Code::DeclareScalar(now, PrimType::Bool), Code::SetScalar(now, bool(true))]);
        }
        for (x, r) in &self.remembered {
            // What only the code after the loop needs is not loaded.
            if !r.carried && !self.parts.step_mentions(*x) {
                continue;
            }
            let [before, now] = [*x; 2].map(|x| self.names.fresh_like(x));
            inside.push(Code::DeclareScalar(before, r.ty));
            inside.push(Code::SetScalar(before, narrowed(r.ty, load(r.array, at, r.elem()))));
            if r.carried {
                inside.push(Code::DeclareScalar(now, r.ty));
                inside.push(Code::SetScalar(now, var(before)));
                old.push((r, before, now));
            }
            renaming.insert(*x, if r.carried { now } else { before });
        }
        let step = renamed(self.names, self.parts.step, &mut renaming);
        inside.push(step);
        inside.extend([going, next].map(|x| Code::DeclareScalar(x, PrimType::Bool)));
        inside.push(Code::SetScalar(going, narrowed(PrimType::Bool, load(goings, at, PrimType::I32))));
        inside.push(Code::SetScalar(next, renamed_expr(self.parts.cond, &renaming)));
        for (r, before, now) in old {
            let kept = select(var(going), var(now), var(before));
            inside.push(store(r.array, at, r.elem(), widened(r.ty, kept)));
        }
        let both = self.names.fresh_like(going);
        inside.push(Code::DeclareScalar(both, PrimType::I32));
        inside.push(Code::SetScalar(both, widened(PrimType::Bool, and(var(going), var(next)))));
        inside.push(store(goings, at, PrimType::I32, var(both)));
        inside.push(Code::SetScalar(alive, add_i32(var(alive), var(both))));
        let inside = straight(self.names, &Code::Seq(inside));
        over_lanes(at, i64(cpu_loops::LANES), inside)
    }

    /// Another name for the scalar that says whether a point is going, if the condition is one.
    fn going_renamed(&mut self, renaming: &mut Renaming) -> Option<Name> {
        let Expr::Var(going) = self.parts.cond else { return None };
        let own = self.names.fresh_like(*going);
        renaming.insert(*going, own);
        Some(own)
    }

    /// The last steps of those that are still going, and the code after the loop, one after the other.
    fn end(&mut self, first: Name, goings: Name) -> Code<O> {
        let [at, own] = ["b", "i"].map(|s| self.names.fresh_str(s));
        let mut renaming = Renaming::default();
        renaming.insert(self.outer, own);
        let mut inside = vec![];
        set_new(&mut inside, own, add(var(first), var(at)));
        for (x, r) in &self.remembered {
            let local = self.names.fresh_like(*x);
            renaming.insert(*x, local);
            inside.push(Code::DeclareScalar(local, r.ty));
            inside.push(Code::SetScalar(local, narrowed(r.ty, load(r.array, at, r.elem()))));
        }
        if let Some(going) = self.going_renamed(&mut renaming) {
            let value = narrowed(PrimType::Bool, load(goings, at, PrimType::I32));
            inside.extend([Code::DeclareScalar(going, PrimType::Bool), Code::SetScalar(going, value)]);
        }
        let step = renamed(self.names, self.parts.step, &mut renaming);
        inside.push(Code::While(renamed_expr(self.parts.cond, &renaming), Box::new(step)));
        for code in &self.parts.after {
            inside.push(renamed(self.names, code, &mut renaming));
        }
        over_lanes(at, min(sub(self.bound.clone(), var(first)), i64(cpu_loops::LANES)), inside)
    }
}

impl<O: Operation> Parts<'_, O> {
    /// Whether a step reads a scalar.
    fn step_mentions(&self, x: Name) -> bool {
        let mut found = false;
        let mut look =
            |e: &Expr| for_each_part(e, &mut |part| found |= matches!(part, Expr::Var(y) if *y == x));
        look(self.cond);
        for_each_expr(self.step, &mut look);
        found
    }
}

/// An array with a place for each lane.
fn lanes_of(elem: PrimType) -> Space {
    Space::Scalar(elem, vec![cpu_loops::LANES])
}

fn load(array: Name, at: Name, elem: PrimType) -> Expr {
    Expr::Index { mem: array, offset: Box::new(var(at)), elem, space: lanes_of(elem) }
}

fn store<O>(array: Name, at: Name, elem: PrimType, value: Expr) -> Code<O> {
    Code::Write { mem: array, offset: var(at), elem, space: lanes_of(elem), value }
}

/// A value as it lies in an array, and back.
fn widened(ty: PrimType, e: Expr) -> Expr {
    if ty == PrimType::Bool {
        Expr::Conv(ConvOp::BToI(IntType::I32), Box::new(e))
    } else {
        e
    }
}

fn narrowed(ty: PrimType, e: Expr) -> Expr {
    if ty == PrimType::Bool {
        Expr::Conv(ConvOp::IToB(IntType::I32), Box::new(e))
    } else {
        e
    }
}

fn add_i32(a: Expr, b: Expr) -> Expr {
    binary(BinOp::Add(IntType::I32), a, b)
}

fn renamed_expr(e: &Expr, renaming: &Renaming) -> Expr {
    rewrite(e, &mut |e| if let Expr::Var(x) = e { renaming.get(x).map(|y| var(*y)) } else { None })
}

fn over_lanes<O>(at: Name, bound: Expr, body: Vec<Code<O>>) -> Code<O> {
    count_up(at, bound, Code::Seq(body))
}
