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

use crate::code::{Code, Emit, Res};
use crate::lowerer::Lowerer;
use crate::value::{Data, Ty, Value};
use fehu_base::ops::{BinOp, CmpOp, ConvOp, UnOp};
use fehu_base::prim::{IntType, PrimType, PrimValue, ScalarType};
use fehu_base::Name;
use fehu_check::tast;
use fehu_ir::{Basic, ErrorPart, Exp, SubExp, Type};

/// `start..second..<end` and its kind.
pub(crate) fn range<'a>(
    cx: &mut Lowerer<'a>,
    start: &'a tast::Exp,
    second: Option<&'a tast::Exp>,
    end: &'a tast::RangeEnd,
) -> Res<Value<'a>> {
    let first = cx.exp(start)?;
    let d = cx.code.data(first)?;
    let Ty::Scalar(s) = d.ty else { fehu_base::bug!("range of {:?}", d.ty) };
    let PrimType::Int(t) = s.prim() else { fehu_base::bug!("range of {s}") };
    let lo = d.leaves[0];
    let second = match second {
        Some(e) => {
            let v = cx.exp(e)?;
            Some(cx.code.scalar(v)?)
        }
        None => None,
    };
    let (end_exp, kind) = match end {
        tast::RangeEnd::Inclusive(e) => (e, "..."),
        tast::RangeEnd::UpTo(e) => (e, "..<"),
        tast::RangeEnd::DownTo(e) => (e, "..>"),
    };
    let hi = cx.exp(end_exp)?;
    let hi = cx.code.scalar(hi)?;
    let step = match second {
        Some(x) => cx.code.b.bin(BinOp::Sub(t), x, lo),
        None => SubExp::int(t, if kind == "..>" { -1 } else { 1 }),
    };
    let (n, cert) = range_size(&mut cx.code, s, t, lo, second, step, hi, kind);
    let n = cx.code.checked_size(cert, n);
    cx.certified(cert, |l| {
        let arr = l.code.b.bind(
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
fn range_size(
    code: &mut Code,
    s: ScalarType,
    t: IntType,
    lo: SubExp,
    second: Option<SubExp>,
    step: SubExp,
    hi: SubExp,
    kind: &str,
) -> (SubExp, Option<Name>) {
    let unsigned = s.is_unsigned();
    let le = |x: SubExp, y: SubExp, l: &mut Code| {
        l.b.cmp(if unsigned { CmpOp::ULe(t) } else { CmpOp::SLe(t) }, x, y)
    };
    let lt = |x: SubExp, y: SubExp, l: &mut Code| {
        l.b.cmp(if unsigned { CmpOp::ULt(t) } else { CmpOp::SLt(t) }, x, y)
    };
    let zero = SubExp::int(t, 0);
    // Which way: ranges with a second element go where it points; `..<` and `...` without one
    // go up, `..>` goes down.
    let up = match (second, kind) {
        (Some(x), _) => lt(lo, x, code),
        (None, "..>") => SubExp::bool(false),
        (None, _) => SubExp::bool(true),
    };
    let nonzero = match second {
        Some(_) => {
            let z = code.b.cmp(CmpOp::Eq(PrimType::Int(t)), step, zero);
            code.b.un(UnOp::Not, z)
        }
        None => SubExp::bool(true),
    };
    let towards_up = le(lo, hi, code);
    let towards_down = le(hi, lo, code);
    let valid = match kind {
        "..<" => and3(code, up, towards_up, nonzero),
        "..>" => {
            let down = code.b.un(UnOp::Not, up);
            and3(code, down, towards_down, nonzero)
        }
        _ => {
            let a = select_bool(code, up, towards_up, towards_down);
            b_and(code, a, nonzero)
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
    let widen = |l: &mut Code, x| match t {
        IntType::I64 => x,
        _ if unsigned => l.b.conv(ConvOp::ZExt(t, IntType::I64), x),
        IntType::I8 | IntType::I16 | IntType::I32 => l.b.conv(ConvOp::SExt(t, IntType::I64), x),
    };
    let (lo64, hi64) = (widen(code, lo), widen(code, hi));
    let far = distance(code, up, lo64, hi64);
    let Some(x) = second else {
        // With a step of one, distances are sizes; those that wrap around are negative.
        let last = i64::from(kind == "...");
        let fits = code.is_size_before(far, last);
        let ok = code.all(&[valid, fits]);
        let n = code.b.add64(far, SubExp::i64(last));
        return (n, code.check_sizes(ok, text(" is invalid."), &[n]));
    };
    let cert = code.check(valid, text(" is invalid."));
    let (n, fits) = code.certified(cert, |l| {
        let x = widen(l, x);
        let step = distance(l, up, lo64, x);
        // Where numbers are smaller than sizes, or none is negative, no distance wraps around.
        let goes_up = kind == "..<" || up == SubExp::bool(true);
        let exact = t != IntType::I64 || goes_up && lo64.as_i64().is_some_and(|x| x >= 0);
        range_count(l, far, step, kind == "...", exact)
    });
    let fits = code.certified(cert, |l| l.check_sizes(fits, text(" has too many elements."), &[n]));
    (n, fits.or(cert))
}

/// How far it is from `lo` to `hi`, modulo 2^64, in the direction of the range.
fn distance(code: &mut Code, up: SubExp, lo: SubExp, hi: SubExp) -> SubExp {
    match up {
        SubExp::Const(PrimValue::Bool(true)) => code.b.sub64(hi, lo),
        SubExp::Const(PrimValue::Bool(false)) => code.b.sub64(lo, hi),
        SubExp::Var(_) | SubExp::Const(_) => {
            let d = code.b.sub64(hi, lo);
            let back = code.b.sub64(lo, hi);
            code.select(up, d, back)
        }
    }
}

/// How many elements lie in a distance, and whether that is a size. Distances that may be as large as 2^64
/// are divided as what they are: numbers without a sign.
fn range_count(
    code: &mut Code,
    distance: SubExp,
    step: SubExp,
    inclusive: bool,
    exact: bool,
) -> (SubExp, SubExp) {
    const I: IntType = IntType::I64;
    let (zero, one) = (SubExp::i64(0), SubExp::i64(1));
    let div = if exact { BinOp::SDiv(I) } else { BinOp::UDiv(I) };
    if inclusive {
        let q = code.b.bin(div, distance, step);
        return (code.b.add64(q, one), code.is_size_before(q, 1));
    }
    // Rounded up: one less before the division and one more after it.
    let below = code.b.sub64(distance, one);
    let q = code.b.bin(div, below, step);
    let n = code.b.add64(q, one);
    if exact {
        return (n, code.is_size(n));
    }
    let empty = code.b.cmp(CmpOp::Eq(PrimType::I64), distance, zero);
    let fits = code.is_size_before(q, 1);
    let fits = code.b.bin(BinOp::LogOr, empty, fits);
    (code.select(empty, zero, n), fits)
}

fn b_and(code: &mut Code, a: SubExp, b: SubExp) -> SubExp {
    match (a, b) {
        (SubExp::Const(PrimValue::Bool(true)), x) | (x, SubExp::Const(PrimValue::Bool(true))) => x,
        (a, b) => code.b.bin(BinOp::LogAnd, a, b),
    }
}

fn and3(code: &mut Code, a: SubExp, b: SubExp, c: SubExp) -> SubExp {
    let ab = b_and(code, a, b);
    b_and(code, ab, c)
}

fn select_bool(code: &mut Code, c: SubExp, a: SubExp, b: SubExp) -> SubExp {
    if let SubExp::Const(PrimValue::Bool(c)) = c {
        return if c { a } else { b };
    }
    let ca = code.b.bin(BinOp::LogAnd, c, a);
    let nc = code.b.un(UnOp::Not, c);
    let cb = code.b.bin(BinOp::LogAnd, nc, b);
    code.b.bin(BinOp::LogOr, ca, cb)
}
