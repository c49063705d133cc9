//! Loops that ask for each bit of a word have the word shifted along.
//!
//! A bit that is found by its number takes a shift to find the place, and a comparison of what is there with
//! the place; and a shift by a number that is known only at run time is done again in each of several
//! iterations that are one. With the word shifted along, these know which of its bits is theirs:
//!
//! ```text
//! for i < n {                          few = min(n, 32); bits = word
//!   t = 1 << i                         for i < few {                                unrolled by 8
//!   if (word & t) == t { ... }           if (bits & 1) == 1 { ... }
//! }                                      bits = bits >> 1
//!                                      }
//!                                      for k < n - few { i = few + k; ... }         as before
//! ```
//!
//! Beyond the last bit a place is zero, and the answer depends on how the question is put: these iterations
//! stay as they are. Numbers of Sobol sequences are such loops: one of 30 bits takes some 175 instead of 285
//! instructions.
//!
//! **When.** The loop is short and has no loops, checks or calls in it, and its number of iterations is not a
//! constant: then compilers of kernels do the same. The word is a variable that does not change in it.

use crate::loops::{renamed, Renaming};
use crate::walks::{changing, once, plain_statements, resolved, stays};
use fehu_base::ops::{BinOp, CmpOp, ConvOp};
use fehu_base::prim::{IntType, PrimType, PrimValue};
use fehu_base::{Name, NameSource};
use fehu_imp::build::{constant, var};
use fehu_imp::parts::flat;
use fehu_imp::syntax::{Code as AnyCode, Expr, KernelOp, Program};
use fehu_imp::visit::{change_expr, Mutator};
use fehu_ir::visit::deep;
use fehu_pass::{Need, Pass};
use rustc_hash::{FxHashMap, FxHashSet};

type Code = AnyCode<KernelOp>;

/// Loops over the bits of a word shift the word.
pub static PASS: Pass<Program> = Pass {
    name: "bits",
    need: Need::Optional,
    run: |program| {
        let Program { kernels, names, .. } = program;
        kernels.iter_mut().for_each(|kernel| in_code(names, &mut kernel.body));
    },
};

/// The most statements of an iteration.
const MOST_STATEMENTS: usize = 32;
/// Iterations that are one. Half or twice as many make little difference. Times:
/// `notebook/2026-11-19-gpu-mechanisms.md`.
const ITERATIONS: usize = 8;

/// A word of which a loop asks for bits.
struct Word {
    word: Expr,
    ty: IntType,
    /// The word, shifted.
    bits: Name,
}

fn in_code(names: &mut NameSource, code: &mut Code) {
    code.bodies_mut().into_iter().for_each(|body| deep(|| in_code(names, body)));
    if let Code::For { var, ty, bound, body, .. } = code {
        if let Some(shifted) = shifted(names, (*var, *ty), bound, body) {
            *code = shifted;
        }
    }
}

/// The loop with words that are shifted along, if it asks for bits of any.
fn shifted(names: &mut NameSource, (i, ty): (Name, IntType), bound: &Expr, body: &Code) -> Option<Code> {
    if constant(bound).is_some() || plain_statements(body).is_none_or(|n| n > MOST_STATEMENTS) {
        return None;
    }
    let mut known = FxHashMap::default();
    for code in flat(body) {
        if let Code::SetScalar(x, e) = code {
            if once(body, *x) {
                known.insert(*x, resolved(e, &known));
            }
        }
    }
    let mut ask = Ask { names, i, known, changed: changing(body), words: vec![] };
    let mut first = body.clone();
    ask.code(&mut first);
    let words = ask.words;
    let width = words.iter().map(|w| i64::from(w.ty.bits())).min()?;

    let (end, few, k) = (names.fresh_str("end"), names.fresh_str("few"), names.fresh_str("k"));
    let width = Expr::Const(PrimValue::int(ty, width));
    let mut code = declared(end, ty, bound.clone());
    code.extend(declared(few, ty, binary(BinOp::SMin(ty), var(end), width)));
    let mut iteration = vec![first];
    for Word { word, ty, bits } in words {
        code.extend(declared(bits, ty, word));
        let one = Expr::Const(PrimValue::int(ty, 1));
        iteration.push(Code::SetScalar(bits, binary(BinOp::LShr(ty), var(bits), one)));
    }
    let body_of_few = Box::new(Code::Seq(iteration));
    let by = Some(ITERATIONS);
    code.push(Code::Op(KernelOp::UnrolledFor { by, var: i, ty, bound: var(few), body: body_of_few }));

    let number = names.fresh_like(i);
    let mut rest = declared(number, ty, binary(BinOp::Add(ty), var(few), var(k)));
    rest.push(renamed(names, body, &mut Renaming::from_iter([(i, number)])));
    let bound = binary(BinOp::Sub(ty), var(end), var(few));
    let body = Box::new(Code::Seq(rest));
    code.push(Code::Op(KernelOp::UnrolledFor { by: Some(1), var: k, ty, bound, body }));
    Some(Code::Seq(code))
}

fn declared(x: Name, ty: IntType, e: Expr) -> Vec<Code> {
    vec![Code::DeclareScalar(x, PrimType::Int(ty)), Code::SetScalar(x, e)]
}

fn binary(op: BinOp, a: Expr, b: Expr) -> Expr {
    Expr::BinOp(op, Box::new(a), Box::new(b))
}

/// Replaces questions for the bit whose number is a loop's variable by such for the lowest bit of a shifted word.
struct Ask<'n> {
    names: &'n mut NameSource,
    i: Name,
    known: FxHashMap<Name, Expr>,
    /// Names that are different in each iteration.
    changed: FxHashSet<Name>,
    words: Vec<Word>,
}

impl Mutator for Ask<'_> {
    fn expr(&mut self, e: &mut Expr) {
        match self.question(e) {
            Some((word, ty, set)) => {
                let bits = self.bits(word, ty);
                let [zero, one] = [0, 1].map(|n| Expr::Const(PrimValue::int(ty, n)));
                let bit = binary(BinOp::And(ty), var(bits), one.clone());
                let wanted = if set { one } else { zero };
                *e = Expr::CmpOp(CmpOp::Eq(PrimType::Int(ty)), Box::new(bit), Box::new(wanted));
            }
            None => change_expr(self, e),
        }
    }
}

impl Ask<'_> {
    /// The shifted word.
    fn bits(&mut self, word: Expr, ty: IntType) -> Name {
        let known = self.words.iter().find(|w| w.word == word && w.ty == ty);
        known.map(|w| w.bits).unwrap_or_else(|| {
            let bits = self.names.fresh_str("bits");
            self.words.push(Word { word, ty, bits });
            bits
        })
    }

    /// A word, and whether its bit with the loop's number is set if this holds; it is not if this does not hold.
    fn question(&self, e: &Expr) -> Option<(Expr, IntType, bool)> {
        let Expr::CmpOp(CmpOp::Eq(PrimType::Int(ty)), a, b) = e else { return None };
        let ty = *ty;
        let [a, b] = [a, b].map(|e| resolved(e, &self.known));
        let (word, set) = self.bit_is(&a, &b).or_else(|| self.bit_is(&b, &a))?;
        let variable = matches!(word, Expr::Var(_)) && stays(word, self.i, &self.changed);
        variable.then(|| (word.clone(), ty, set))
    }

    /// The word of which all but one bit is masked, and whether that is set if what is left is equal to
    /// another expression.
    fn bit_is<'e>(&self, masked: &'e Expr, with: &Expr) -> Option<(&'e Expr, bool)> {
        let Expr::BinOp(BinOp::And(ty), x, y) = masked else { return None };
        let of = |x: &'e Expr, y: &Expr| {
            if self.is_place(y, *ty) {
                let zero = constant(with) == Some(0);
                return (zero || y == with).then_some((x, !zero));
            }
            let Expr::BinOp(BinOp::LShr(_) | BinOp::AShr(_), word, by) = x else { return None };
            let wanted = constant(with).filter(|n| (0..2).contains(n))?;
            (constant(y) == Some(1) && self.is_number(by)).then_some((&**word, wanted == 1))
        };
        of(x, y).or_else(|| of(y, x))
    }

    /// Whether an expression has only the bit set that the loop is at.
    fn is_place(&self, e: &Expr, ty: IntType) -> bool {
        matches!(e, Expr::BinOp(BinOp::Shl(of), one, by) if *of == ty && constant(one) == Some(1) && self.is_number(by))
    }

    /// Whether an expression is the number of the iteration, as long as that is small.
    fn is_number(&self, e: &Expr) -> bool {
        if let Expr::Conv(ConvOp::SExt(..) | ConvOp::ZExt(..), e) = e {
            return self.is_number(e);
        }
        *e == var(self.i)
    }
}
