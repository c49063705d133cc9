//! Plain code without branches: they become choices between values, both of which are computed.
//!
//! C compilers do not compute floats before they know that they are asked for (it might set a flag), and so
//! make no vector code of loops with branches in which there is arithmetic. They also take `a && b` and
//! choices between booleans for branches. So booleans become words that are 0 or 1, as the lanes of vectors
//! are. What this module gets may be computed in any case: it has no effects and cannot fail.
//!
//! ```text
//! t = false                            a = t; p = x * x; a = (p < 4)
//! if c { p = x * x; t = p < 4 }   =>   t = c & a | (c ^ 1) & t
//! y = d ? x + 1 : 0                    q = x + 1; y = d != 0 ? q : 0
//! ```

use super::plain::{for_each_set, renamed, Renaming};
use fehu_base::ops::{BinOp, ConvOp, UnOp};
use fehu_base::prim::{IntType, PrimType, PrimValue};
use fehu_base::{Name, NameSource};
use fehu_imp::build::{i32, select, var};
use fehu_imp::ops::Operation;
use fehu_imp::parts::flat;
use fehu_imp::syntax::{Code, Expr};
use indexmap::IndexMap;
use rustc_hash::{FxHashMap, FxHashSet};

/// Plain code of which nothing is done on a condition. It must declare what it assigns.
pub(super) fn straight<O: Operation>(names: &mut NameSource, code: &Code<O>) -> Vec<Code<O>> {
    let mut this =
        Straight { names, types: FxHashMap::default(), assigned: FxHashSet::default(), out: vec![] };
    this.code(code);
    this.out
}

struct Straight<'n, O> {
    names: &'n mut NameSource,
    /// The types that scalars were declared with.
    types: FxHashMap<Name, PrimType>,
    /// Those that have a value by now.
    assigned: FxHashSet<Name>,
    out: Vec<Code<O>>,
}

impl<O: Operation> Straight<'_, O> {
    fn code(&mut self, code: &Code<O>) {
        for code in flat(code) {
            match code {
                Code::SetScalar(x, e) if self.types.get(x) == Some(&PrimType::Bool) => {
                    let e = self.word(e);
                    self.set(*x, e);
                }
                Code::SetScalar(x, e) => {
                    let e = self.expr(e);
                    self.set(*x, e);
                }
                Code::Write { mem, offset, elem, space, value } => {
                    let value = self.expr(value);
                    let (offset, space) = (offset.clone(), space.clone());
                    self.out.push(Code::Write { mem: *mem, offset, elem: *elem, space, value });
                }
                Code::If(cond, a, b) => {
                    let cond = self.word(cond);
                    let cond = self.named_word(cond);
                    self.branches(&cond, a, b);
                }
                Code::DeclareScalar(x, ty) => self.declare(*x, *ty),
                Code::Seq(_)
                | Code::DeclareMem(..)
                | Code::DeclareStatic(..)
                | Code::SetMem(..)
                | Code::Copy { .. }
                | Code::For { .. }
                | Code::While(..)
                | Code::Call { .. }
                | Code::Assert { .. }
                | Code::Op(_) => self.out.push(code.clone()),
            }
        }
    }

    /// Both branches, each with copies of what they assign, and the choice between these.
    fn branches(&mut self, cond: &Expr, a: &Code<O>, b: &Code<O>) {
        let mut results: IndexMap<Name, [Name; 2]> = IndexMap::new();
        for branch in [a, b] {
            for_each_set(branch, &mut |x| {
                if self.types.contains_key(&x) && !results.contains_key(&x) {
                    results.insert(x, [x; 2].map(|x| self.names.fresh_like(x)));
                }
            });
        }
        for (side, branch) in [a, b].into_iter().enumerate() {
            let mut renaming = Renaming::default();
            for (x, copies) in &results {
                let ty = self.types[x];
                renaming.insert(*x, copies[side]);
                self.declare(copies[side], ty);
                // What has no value before is not read before it has one.
                let before =
                    if self.assigned.contains(x) { var(*x) } else { Expr::Const(word_type(ty).blank()) };
                self.set(copies[side], before);
            }
            let copy = renamed(self.names, branch, &mut renaming);
            fehu_ir::visit::deep(|| self.code(&copy));
        }
        for (x, [yes, no]) in results {
            let choice = if self.types[&x] == PrimType::Bool {
                choice_of_words(cond.clone(), var(yes), var(no))
            } else {
                select(is_true(cond.clone()), var(yes), var(no))
            };
            self.set(x, choice);
        }
    }

    /// An expression that is no boolean, and whose conditional parts are names or constants.
    fn expr(&mut self, e: &Expr) -> Expr {
        let mut again = |e: &Expr| Box::new(fehu_ir::visit::deep(|| self.expr(e)));
        match e {
            Expr::Conv(ConvOp::BToI(IntType::I32), a) => self.word(a),
            Expr::Select(c, a, b) => {
                let (a, b) = (again(a), again(b));
                let (a, b) = (self.named(*a), self.named(*b));
                let c = self.word(c);
                select(is_true(c), a, b)
            }
            Expr::UnOp(op, a) => Expr::UnOp(*op, again(a)),
            Expr::BinOp(op, a, b) => Expr::BinOp(*op, again(a), again(b)),
            Expr::CmpOp(op, a, b) => Expr::CmpOp(*op, again(a), again(b)),
            Expr::Conv(op, a) => Expr::Conv(*op, again(a)),
            Expr::PrimFn(f, args) => Expr::PrimFn(*f, args.iter().map(|e| *again(e)).collect()),
            Expr::Const(_) | Expr::Var(_) | Expr::Index { .. } | Expr::Param(_) | Expr::Gpu(_) => e.clone(),
        }
    }

    /// A boolean as a word.
    fn word(&mut self, e: &Expr) -> Expr {
        if matches!(e, Expr::Var(x) if self.types.contains_key(x)) {
            return e.clone();
        }
        let mut again = |e: &Expr| fehu_ir::visit::deep(|| self.word(e));
        match e {
            Expr::Const(PrimValue::Bool(v)) => i32(i32::from(*v)),
            Expr::UnOp(UnOp::Not, a) => not_word(again(a)),
            Expr::BinOp(BinOp::LogAnd, a, b) => words(BinOp::And(IntType::I32), again(a), again(b)),
            Expr::BinOp(BinOp::LogOr, a, b) => words(BinOp::Or(IntType::I32), again(a), again(b)),
            Expr::Select(c, a, b) => {
                let (c, a, b) = (again(c), again(a), again(b));
                let c = self.named_word(c);
                choice_of_words(c, a, b)
            }
            Expr::Const(_)
            | Expr::Var(_)
            | Expr::UnOp(..)
            | Expr::BinOp(..)
            | Expr::CmpOp(..)
            | Expr::Conv(..)
            | Expr::PrimFn(..)
            | Expr::Index { .. }
            | Expr::Param(_)
            | Expr::Gpu(_) => Expr::Conv(ConvOp::BToI(IntType::I32), Box::new(self.expr(e))),
        }
    }

    /// A name or constant that has the value of an expression.
    fn named(&mut self, e: Expr) -> Expr {
        let ty = match &e {
            Expr::Const(_) | Expr::Var(_) => return e,
            Expr::UnOp(op, _) => op.result_type(),
            Expr::BinOp(op, ..) => op.result_type(),
            Expr::CmpOp(op, ..) => op.result_type(),
            Expr::Conv(op, _) => op.result_type(),
            Expr::PrimFn(f, _) => f.signature().1,
            Expr::Index { elem, .. } => *elem,
            // Its parts have names already.
            Expr::Select(..) => return e,
            Expr::Param(_) | Expr::Gpu(_) => PrimType::I64,
        };
        let x = self.names.fresh_str("t");
        self.declare(x, ty);
        self.set(x, e);
        var(x)
    }

    fn named_word(&mut self, e: Expr) -> Expr {
        if let Expr::Const(_) | Expr::Var(_) = e {
            return e;
        }
        let x = self.names.fresh_str("t");
        self.declare(x, PrimType::Bool);
        self.set(x, e);
        var(x)
    }

    fn declare(&mut self, x: Name, ty: PrimType) {
        self.types.insert(x, ty);
        self.out.push(Code::DeclareScalar(x, word_type(ty)));
    }

    fn set(&mut self, x: Name, value: Expr) {
        self.assigned.insert(x);
        self.out.push(Code::SetScalar(x, value));
    }
}

fn word_type(ty: PrimType) -> PrimType {
    if ty == PrimType::Bool {
        PrimType::I32
    } else {
        ty
    }
}

fn words(op: BinOp, a: Expr, b: Expr) -> Expr {
    Expr::BinOp(op, Box::new(a), Box::new(b))
}

fn not_word(a: Expr) -> Expr {
    words(BinOp::Xor(IntType::I32), a, i32(1))
}

/// `c ? a : b`, of words that are 0 or 1.
fn choice_of_words(c: Expr, a: Expr, b: Expr) -> Expr {
    let and = |a, b| words(BinOp::And(IntType::I32), a, b);
    words(BinOp::Or(IntType::I32), and(c.clone(), a), and(not_word(c), b))
}

fn is_true(word: Expr) -> Expr {
    Expr::Conv(ConvOp::IToB(IntType::I32), Box::new(word))
}
