//! Ranges: which are valid, and how many elements they have.
//!
//! In: the first number, perhaps the second, and the last. Out: an `iota` whose size depends on the
//! checks of the range, so that the size of an invalid one is never used.
//!
//! ```text
//! lo..x..<hi     assert (lo < x && lo <= hi);  n = (hi - lo - 1) / (x - lo) + 1
//! ```
//!
//! Distances between numbers of 64 bits can be as large as 2^64 - 1. They are computed without a sign where that may
//! be, and then it is checked that the number of elements is a size.

use crate::lowerer::{Lowerer, Res};
use crate::value::{Data, Ty, Value};
use fehu_base::ops::{BinOp, CmpOp, ConvOp, UnOp};
use fehu_base::prim::{IntType, PrimType, PrimValue, ScalarType};
use fehu_base::Name;
use fehu_check::tast;
use fehu_ir::{Basic, ErrorPart, Exp, SubExp, Type};

impl<'a> Lowerer<'a> {
    /// `start..second..<end` and its kind.
    pub(crate) fn range(
        &mut self,
        start: &'a tast::Exp,
        second: Option<&'a tast::Exp>,
        end: &'a tast::RangeEnd,
    ) -> Res<Value<'a>> {
        let first = self.exp(start)?;
        let d = self.data(first)?;
        let Ty::Scalar(s) = d.ty else { fehu_base::bug!("range of {:?}", d.ty) };
        let PrimType::Int(t) = s.prim() else { fehu_base::bug!("range of {s}") };
        let lo = d.leaves[0];
        let second = match second {
            Some(e) => {
                let v = self.exp(e)?;
                Some(self.scalar(v)?)
            }
            None => None,
        };
        let (end_exp, kind) = match end {
            tast::RangeEnd::Inclusive(e) => (e, "..."),
            tast::RangeEnd::UpTo(e) => (e, "..<"),
            tast::RangeEnd::DownTo(e) => (e, "..>"),
        };
        let hi = self.exp(end_exp)?;
        let hi = self.scalar(hi)?;
        let step = match second {
            Some(x) => self.b.bin(BinOp::Sub(t), x, lo),
            None => SubExp::int(t, if kind == "..>" { -1 } else { 1 }),
        };
        let (n, cert) = self.range_size(s, t, lo, second, step, hi, kind);
        let n = self.checked_size(cert, n);
        self.certified(cert, |l| {
            let arr = l.b.bind(
                "range",
                Type::Array(PrimType::Int(t), vec![n]),
                Exp::Basic(Basic::Iota { n, start: lo, step, ty: t }),
            );
            Ok(Value::Data(Data { ty: Ty::Scalar(s).array(n), leaves: vec![arr.into()] }))
        })
    }

    /// The number of elements of a range, and the check that it is a valid one: the step is not zero
    /// and leads towards the end, or the range is empty by one step at most.
    #[allow(clippy::too_many_arguments)]
    pub(crate) fn range_size(
        &mut self,
        s: ScalarType,
        t: IntType,
        lo: SubExp,
        second: Option<SubExp>,
        step: SubExp,
        hi: SubExp,
        kind: &str,
    ) -> (SubExp, Option<Name>) {
        let unsigned = s.is_unsigned();
        let le = |x: SubExp, y: SubExp, l: &mut Self| {
            l.b.cmp(if unsigned { CmpOp::ULe(t) } else { CmpOp::SLe(t) }, x, y)
        };
        let lt = |x: SubExp, y: SubExp, l: &mut Self| {
            l.b.cmp(if unsigned { CmpOp::ULt(t) } else { CmpOp::SLt(t) }, x, y)
        };
        let zero = SubExp::int(t, 0);
        // Which way: ranges with a second element go where it points; `..<` and `...` without one
        // go up, `..>` goes down.
        let up = match (second, kind) {
            (Some(x), _) => lt(lo, x, self),
            (None, "..>") => SubExp::bool(false),
            (None, _) => SubExp::bool(true),
        };
        let nonzero = match second {
            Some(_) => {
                let z = self.b.cmp(CmpOp::Eq(PrimType::Int(t)), step, zero);
                self.b.un(UnOp::Not, z)
            }
            None => SubExp::bool(true),
        };
        let towards_up = le(lo, hi, self);
        let towards_down = le(hi, lo, self);
        let valid = match kind {
            "..<" => self.and3(up, towards_up, nonzero),
            "..>" => {
                let down = self.b.un(UnOp::Not, up);
                self.and3(down, towards_down, nonzero)
            }
            _ => {
                let a = self.select_bool(up, towards_up, towards_down);
                self.b_and(a, nonzero)
            }
        };
        let text = |what: &str| {
            let mut message = vec![ErrorPart::Text("Range ".into()), ErrorPart::Value(lo, s)];
            if let Some(x) = second {
                message.push(ErrorPart::Text("..".into()));
                message.push(ErrorPart::Value(x, s));
            }
            message.push(ErrorPart::Text(kind.into()));
            message.push(ErrorPart::Value(hi, s));
            message.push(ErrorPart::Text(what.into()));
            message
        };
        let widen = |l: &mut Self, x| match t {
            IntType::I64 => x,
            _ if unsigned => l.b.conv(ConvOp::ZExt(t, IntType::I64), x),
            IntType::I8 | IntType::I16 | IntType::I32 => l.b.conv(ConvOp::SExt(t, IntType::I64), x),
        };
        let (lo64, hi64) = (widen(self, lo), widen(self, hi));
        let distance = self.distance(up, lo64, hi64);
        let Some(x) = second else {
            // With a step of one, distances are sizes; those that wrap around are negative.
            let last = i64::from(kind == "...");
            let fits = self.is_size_before(distance, last);
            let ok = self.all(&[valid, fits]);
            let n = self.b.add64(distance, SubExp::i64(last));
            return (n, self.check(ok, text(" is invalid.")));
        };
        let cert = self.check(valid, text(" is invalid."));
        let (n, fits) = self.certified(cert, |l| {
            let x = widen(l, x);
            let step = l.distance(up, lo64, x);
            // Where numbers are smaller than sizes, or none is negative, no distance wraps around.
            let goes_up = kind == "..<" || up == SubExp::bool(true);
            let exact = t != IntType::I64 || goes_up && lo64.as_i64().is_some_and(|x| x >= 0);
            l.range_count(distance, step, kind == "...", exact)
        });
        let fits = self.certified(cert, |l| l.check(fits, text(" has too many elements.")));
        (n, fits.or(cert))
    }

    /// How far it is from `lo` to `hi`, modulo 2^64, in the direction of the range.
    fn distance(&mut self, up: SubExp, lo: SubExp, hi: SubExp) -> SubExp {
        match up {
            SubExp::Const(PrimValue::Bool(true)) => self.b.sub64(hi, lo),
            SubExp::Const(PrimValue::Bool(false)) => self.b.sub64(lo, hi),
            SubExp::Var(_) | SubExp::Const(_) => {
                let d = self.b.sub64(hi, lo);
                let back = self.b.sub64(lo, hi);
                self.select(up, d, back)
            }
        }
    }

    /// How many elements lie in a distance, and whether that is a size. Distances that may be as large as 2^64
    /// are divided as what they are: numbers without a sign.
    fn range_count(
        &mut self,
        distance: SubExp,
        step: SubExp,
        inclusive: bool,
        exact: bool,
    ) -> (SubExp, SubExp) {
        const I: IntType = IntType::I64;
        let (zero, one) = (SubExp::i64(0), SubExp::i64(1));
        let div = if exact { BinOp::SDiv(I) } else { BinOp::UDiv(I) };
        if inclusive {
            let q = self.b.bin(div, distance, step);
            return (self.b.add64(q, one), self.is_size_before(q, 1));
        }
        // Rounded up: one less before the division and one more after it.
        let below = self.b.sub64(distance, one);
        let q = self.b.bin(div, below, step);
        let n = self.b.add64(q, one);
        if exact {
            return (n, self.is_size(n));
        }
        let empty = self.b.cmp(CmpOp::Eq(PrimType::I64), distance, zero);
        let fits = self.is_size_before(q, 1);
        let fits = self.b.bin(BinOp::LogOr, empty, fits);
        (self.select(empty, zero, n), fits)
    }

    fn b_and(&mut self, a: SubExp, b: SubExp) -> SubExp {
        match (a, b) {
            (SubExp::Const(PrimValue::Bool(true)), x) | (x, SubExp::Const(PrimValue::Bool(true))) => x,
            (a, b) => self.b.bin(BinOp::LogAnd, a, b),
        }
    }

    fn and3(&mut self, a: SubExp, b: SubExp, c: SubExp) -> SubExp {
        let ab = self.b_and(a, b);
        self.b_and(ab, c)
    }

    fn select_bool(&mut self, c: SubExp, a: SubExp, b: SubExp) -> SubExp {
        if let SubExp::Const(PrimValue::Bool(c)) = c {
            return if c { a } else { b };
        }
        let ca = self.b.bin(BinOp::LogAnd, c, a);
        let nc = self.b.un(UnOp::Not, c);
        let cb = self.b.bin(BinOp::LogAnd, nc, b);
        self.b.bin(BinOp::LogOr, ca, cb)
    }
}
