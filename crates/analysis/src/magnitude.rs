//! Which integers are not negative, and below which power of two they are.
//!
//! Unlike [`Known`](crate::Known), which takes integers not to wrap around because indices that do are
//! outside of every array, this is about values: what is said here holds whatever the program computes. `i +
//! 1` is not negative if `i` counts the iterations of a loop, but `n + m` may be for two sizes.
//!
//! ```text
//! segmap (i < n) {
//!   let (a : i64) = add_i64(i, 7i64)       a is below 2^53
//!   let (b : i64) = sdiv_i64(a, n)         b is below 2^53: n is a size, thus not negative
//!   let (c : i64) = mul_i64(a, a)          nothing is known: 2^106 does not fit
//! ```
//!
//! A walk over a program asks on its way: [`Magnitudes::enter_body`] and [`Magnitudes::leave`] around bodies, so that
//! what is known of a size holds only where an array of this size exists.

use fehu_base::ops::{BinOp, ConvOp};
use fehu_base::prim::IntType;
use fehu_base::Name;
use fehu_ir::seg::SegSpace;
use fehu_ir::{Basic, Body, Exp, LoopForm, Rep, Stm, SubExp, Type};
use rustc_hash::FxHashMap;

/// No loop and no kernel counts as far as two to this: at 10^12 points a second it would take more than an hour.
const INDEX_BITS: u32 = 52;

/// Names of integers, with the power of two that they are below.
#[derive(Default, Debug)]
pub struct Magnitudes {
    bits: FxHashMap<Name, u32>,
    /// What was known before, for the names of which more is known now.
    before: Vec<(Name, Option<u32>)>,
}

/// A place in the walk to go back to.
#[derive(Clone, Copy, Debug)]
pub struct Mark(usize);

impl Magnitudes {
    /// The least known number of bits of an operand that is not negative.
    pub fn bits(&self, e: SubExp) -> Option<u32> {
        match e {
            SubExp::Var(n) => self.bits.get(&n).copied(),
            SubExp::Const(_) => bits_of(e.as_i64()?),
        }
    }

    /// Whether an operand is known not to be negative.
    pub fn is_natural(&self, e: SubExp) -> bool {
        self.bits(e).is_some()
    }

    /// A place to go back to with [`leave`](Self::leave).
    pub fn enter_body(&self) -> Mark {
        Mark(self.before.len())
    }

    /// Forgets what was learned since.
    pub fn leave(&mut self, mark: Mark) {
        for (name, bits) in self.before.split_off(mark.0).into_iter().rev() {
            match bits {
                Some(bits) => self.bits.insert(name, bits),
                None => self.bits.remove(&name),
            };
        }
    }

    /// An array of this type exists.
    pub fn learn_type(&mut self, ty: &Type) {
        for n in ty.shape().iter().filter_map(|e| e.name()) {
            self.learn(n, 63);
        }
    }

    /// The indices of a space are these, at points of it.
    pub fn learn_space(&mut self, space: &SegSpace) {
        self.learn(space.flat, INDEX_BITS);
        for (i, n) in &space.dims {
            self.learn_index(*i, IntType::I64, *n);
        }
    }

    /// The variable of a loop, in its body.
    pub fn learn_loop(&mut self, form: &LoopForm) {
        if let LoopForm::For { var, ty, bound } = form {
            self.learn_index(*var, *ty, *bound);
        }
    }

    fn learn_index(&mut self, i: Name, ty: IntType, bound: SubExp) {
        let most = room(ty).min(INDEX_BITS);
        let bits = self.bits(bound).map_or(most, |b| b.min(most));
        self.learn(i, bits);
        if let SubExp::Var(n) = bound {
            self.learn(n, room(ty));
        }
    }

    /// What a statement binds, after it.
    pub fn learn_stm<R: Rep>(&mut self, stm: &Stm<R>) {
        for p in &stm.pat {
            self.learn_type(&p.ty);
        }
        match (&stm.exp, stm.pat.as_slice()) {
            (Exp::Basic(b), [p]) => {
                if let Some(bits) = self.of_basic(b) {
                    self.learn(p.name, bits);
                }
            }
            (Exp::If(_, yes, no), pat) => {
                for (i, p) in pat.iter().enumerate() {
                    let both = [yes, no].map(|body| self.of_result(body, i));
                    if let [Some(yes), Some(no)] = both {
                        self.learn(p.name, yes.max(no));
                    }
                }
            }
            (Exp::Basic(_) | Exp::Call(..) | Exp::Loop(_) | Exp::WithAcc(_) | Exp::Op(_), _) => {}
        }
    }

    /// A result of a branch, of which only what is bound outside is still known.
    fn of_result<R: Rep>(&self, body: &Body<R>, i: usize) -> Option<u32> {
        self.bits(*body.result.get(i)?)
    }

    fn learn(&mut self, n: Name, bits: u32) {
        let old = self.bits.get(&n).copied();
        if old.is_none_or(|old| bits < old) {
            self.before.push((n, old));
            self.bits.insert(n, bits);
        }
    }

    fn of_basic(&self, b: &Basic) -> Option<u32> {
        if let Basic::SubExp(e) = b {
            return self.bits(*e);
        }
        if let Basic::BinOp(op, x, y) = b {
            return self.of_binop(*op, *x, *y);
        }
        let Basic::Conv(op, x) = b else { return None };
        if let ConvOp::SExt(_, to) = op {
            return self.bits(*x).filter(|b| *b <= room(*to));
        }
        if let ConvOp::ZExt(from, to) = op {
            let all = if from < to { room(*from) + 1 } else { u32::MAX };
            return self.bits(*x).or(Some(all)).filter(|b| *b <= room(*to));
        }
        matches!(op, ConvOp::BToI(_)).then_some(1)
    }

    fn of_binop(&self, op: BinOp, x: SubExp, y: SubExp) -> Option<u32> {
        let both = || Some((self.bits(x)?, self.bits(y)?));
        match op {
            BinOp::Add(t) => both().map(|(a, b)| a.max(b) + 1).filter(|b| *b <= room(t)),
            BinOp::Mul(t) => both().map(|(a, b)| a + b).filter(|b| *b <= room(t)),
            BinOp::SDiv(_) | BinOp::SQuot(_) | BinOp::UDiv(_) => both().map(|(a, _)| a),
            // The sign is that of the divisor.
            BinOp::SMod(_) => self.bits(y).map(|b| self.bits(x).map_or(b, |a| a.min(b))),
            BinOp::SRem(_) | BinOp::UMod(_) | BinOp::SMin(_) | BinOp::UMin(_) => {
                both().map(|(a, b)| a.min(b))
            }
            BinOp::SMax(_) | BinOp::UMax(_) | BinOp::Or(_) | BinOp::Xor(_) => both().map(|(a, b)| a.max(b)),
            BinOp::And(_) => match (self.bits(x), self.bits(y)) {
                (Some(a), Some(b)) => Some(a.min(b)),
                (a, b) => a.or(b),
            },
            BinOp::AShr(_) | BinOp::LShr(_) => {
                let by = y.as_i64().and_then(|k| u32::try_from(k).ok()).unwrap_or(0);
                self.bits(x).map(|a| a.saturating_sub(by))
            }
            BinOp::Sub(_)
            | BinOp::Shl(_)
            | BinOp::Pow(_)
            | BinOp::FAdd(_)
            | BinOp::FSub(_)
            | BinOp::FMul(_)
            | BinOp::FDiv(_)
            | BinOp::FMod(_)
            | BinOp::FMin(_)
            | BinOp::FMax(_)
            | BinOp::FPow(_)
            | BinOp::LogAnd
            | BinOp::LogOr => None,
        }
    }
}

/// The bits of a type, without that of the sign.
fn room(ty: IntType) -> u32 {
    ty.bits() - 1
}

fn bits_of(value: i64) -> Option<u32> {
    (value >= 0).then(|| 64 - value.leading_zeros())
}

#[cfg(test)]
mod tests {
    use super::*;
    use fehu_base::prim::PrimValue;

    fn known(pairs: &[(u32, u32)]) -> Magnitudes {
        let mut m = Magnitudes::default();
        pairs.iter().for_each(|(n, bits)| m.learn(Name(*n), *bits));
        m
    }

    fn var(n: u32) -> SubExp {
        SubExp::Var(Name(n))
    }

    #[test]
    fn sums_and_products_that_may_wrap_around_are_not_known() {
        let m = known(&[(1, 52), (2, 63), (3, 11)]);
        let i64 = IntType::I64;
        assert_eq!(m.of_binop(BinOp::Add(i64), var(1), SubExp::i64(1)), Some(53));
        assert_eq!(m.of_binop(BinOp::Add(i64), var(2), SubExp::i64(1)), None);
        assert_eq!(m.of_binop(BinOp::Mul(i64), var(1), var(3)), Some(63));
        assert_eq!(m.of_binop(BinOp::Mul(i64), var(1), var(1)), None);
        assert_eq!(m.of_binop(BinOp::Sub(i64), var(1), var(3)), None);
        assert_eq!(m.of_binop(BinOp::SMod(i64), var(9), var(3)), Some(11));
        assert_eq!(m.of_binop(BinOp::SRem(i64), var(9), var(3)), None);
        assert_eq!(m.bits(SubExp::Const(PrimValue::I64(-1))), None);
        assert_eq!(m.bits(SubExp::i64(8)), Some(4));
    }

    #[test]
    fn conversions_keep_what_fits() {
        let m = known(&[(1, 31), (2, 52)]);
        let (i32, i64) = (IntType::I32, IntType::I64);
        assert_eq!(m.of_basic(&Basic::Conv(ConvOp::SExt(i64, i32), var(1))), Some(31));
        assert_eq!(m.of_basic(&Basic::Conv(ConvOp::SExt(i64, i32), var(2))), None);
        assert_eq!(m.of_basic(&Basic::Conv(ConvOp::ZExt(i32, i64), var(9))), Some(32));
        assert_eq!(m.of_basic(&Basic::Conv(ConvOp::ZExt(i64, i32), var(9))), None);
    }

    #[test]
    fn what_is_learned_inside_is_forgotten_outside() {
        let mut m = known(&[(1, 52)]);
        let mark = m.enter_body();
        m.learn(Name(1), 10);
        m.learn(Name(2), 63);
        assert_eq!((m.bits(var(1)), m.is_natural(var(2))), (Some(10), true));
        m.leave(mark);
        assert_eq!((m.bits(var(1)), m.is_natural(var(2))), (Some(52), false));
    }
}
