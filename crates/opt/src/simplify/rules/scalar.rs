//! Scalar arithmetic: constants, laws, and what facts decide.

use super::{one, Rewrite, Rule};
use crate::simplify::engine::Engine;
use fehu_algebra::Poly;
use fehu_base::ops::{BinOp, CmpOp, ConvOp, MathFn, PrimFn, UnOp};
use fehu_base::prim::{FloatType, IntType, PrimType, PrimValue};
use fehu_ir::mem::sym_name;
use fehu_ir::{Basic, Exp, Rep, Stm, SubExp, Type};

pub(super) fn rules<R: Rep<Dec = ()>>() -> [Rule<R>; 11] {
    [
        Rule { name: "checks that arithmetic does not need", apply: unchecked },
        Rule { name: "fold constants", apply: fold },
        Rule { name: "neutral and absorbing operands", apply: laws },
        Rule { name: "equal operands", apply: equal_operands },
        Rule { name: "ring identities", apply: ring },
        Rule { name: "constants to the right", apply: constant_right },
        Rule { name: "joined constants", apply: reassociate },
        Rule { name: "negations and conversions cancel", apply: cancel },
        Rule { name: "inverses of square roots", apply: inverse_root },
        Rule { name: "comparisons of booleans", apply: bool_cmp },
        Rule { name: "decided by facts", apply: decided },
    ]
}

/// Arithmetic that always has a value needs no check; what the check is about depends on it by other ways.
fn unchecked<R: Rep<Dec = ()>>(_: &mut Engine<'_, R>, stm: &Stm<R>) -> Option<Rewrite<R>> {
    let guarded =
        matches!(stm.exp, Exp::Basic(Basic::BinOp(op, ..)) if op.is_partial() || matches!(op, BinOp::Pow(_)));
    let needless = !stm.certs.is_empty() && !guarded;
    needless.then(|| Rewrite::Stms(vec![Stm { certs: vec![], ..stm.clone() }]))
}

fn fold<R: Rep<Dec = ()>>(_: &mut Engine<'_, R>, stm: &Stm<R>) -> Option<Rewrite<R>> {
    let constant = |e: &SubExp| match e {
        SubExp::Const(v) => Some(*v),
        SubExp::Var(_) => None,
    };
    let value = match &stm.exp {
        Exp::Basic(Basic::UnOp(op, x)) => op.eval(constant(x)?)?,
        Exp::Basic(Basic::BinOp(op, x, y)) => op.eval(constant(x)?, constant(y)?)?,
        Exp::Basic(Basic::CmpOp(op, x, y)) => PrimValue::Bool(op.eval(constant(x)?, constant(y)?)?),
        Exp::Basic(Basic::Conv(op, x)) => op.eval(constant(x)?)?,
        Exp::Basic(Basic::PrimFn(f, xs)) => f.eval(&xs.iter().map(constant).collect::<Option<Vec<_>>>()?)?,
        Exp::Basic(_) | Exp::Call(..) | Exp::If(..) | Exp::Loop(_) | Exp::WithAcc(_) | Exp::Op(_) => {
            return None
        }
    };
    one(SubExp::Const(value))
}

fn laws<R: Rep<Dec = ()>>(_: &mut Engine<'_, R>, stm: &Stm<R>) -> Option<Rewrite<R>> {
    let Exp::Basic(Basic::BinOp(op, x, y)) = &stm.exp else { return None };
    if let SubExp::Const(v) = y {
        if op.right_neutral() == Some(*v) {
            return one(*x);
        }
        if op.absorbing() == Some(*v) {
            return one(*y);
        }
        let by_one = v.as_i64() == Some(1);
        if let (BinOp::SMod(t) | BinOp::SRem(t) | BinOp::UMod(t), true) = (op, by_one) {
            return one(SubExp::int(*t, 0));
        }
    }
    if let SubExp::Const(v) = x {
        if op.neutral() == Some(*v) {
            return one(*y);
        }
        if op.absorbing() == Some(*v) {
            return one(*x);
        }
    }
    None
}

#[expect(clippy::wildcard_enum_match_arm, reason = "a few of many are asked for")]
fn equal_operands<R: Rep<Dec = ()>>(_: &mut Engine<'_, R>, stm: &Stm<R>) -> Option<Rewrite<R>> {
    match &stm.exp {
        Exp::Basic(Basic::BinOp(op, x, y)) if x == y => match op {
            BinOp::Sub(t) | BinOp::Xor(t) => one(SubExp::int(*t, 0)),
            _ if op.is_idempotent() => one(*x),
            _ => None,
        },
        Exp::Basic(Basic::CmpOp(op, x, y)) if x == y => match op {
            CmpOp::Eq(PrimType::Int(_) | PrimType::Bool | PrimType::Unit)
            | CmpOp::SLe(_)
            | CmpOp::ULe(_)
            | CmpOp::BLe => one(SubExp::bool(true)),
            CmpOp::SLt(_) | CmpOp::ULt(_) | CmpOp::FLt(_) | CmpOp::BLt => one(SubExp::bool(false)),
            CmpOp::Eq(PrimType::Float(_)) | CmpOp::FLe(_) => None,
        },
        Exp::Basic(_) | Exp::Call(..) | Exp::If(..) | Exp::Loop(_) | Exp::WithAcc(_) | Exp::Op(_) => None,
    }
}

fn ring<R: Rep<Dec = ()>>(engine: &mut Engine<'_, R>, stm: &Stm<R>) -> Option<Rewrite<R>> {
    let Exp::Basic(Basic::BinOp(op, x, y)) = stm.exp else { return None };
    if !matches!(op, BinOp::Add(IntType::I64) | BinOp::Sub(IntType::I64) | BinOp::Mul(IntType::I64)) {
        return None;
    }
    match engine.ring_value(op, x, y) {
        Some(value) => one(value),
        None => without_cancelled(engine, stm, &engine.cancelled(op, x, y)?),
    }
}

/// A sum in which names cancelled, made of those that are left: the size of `xs[i * b : i * b + b + 1]` is
/// `b + 1`, which does not depend on `i`.
fn without_cancelled<R: Rep<Dec = ()>>(
    engine: &mut Engine<'_, R>,
    stm: &Stm<R>,
    sum: &Poly,
) -> Option<Rewrite<R>> {
    const I64: IntType = IntType::I64;
    let mut terms: Vec<(SubExp, i64)> = vec![];
    for (monomial, coefficient) in sum.terms() {
        match monomial.factors() {
            [] => terms.push((SubExp::i64(*coefficient), 1)),
            [x] => terms.push((sym_name(*x).into(), *coefficient)),
            _ => return None,
        }
    }
    // A sum begins with what is added, and ends with a constant.
    terms.sort_by_key(|(e, c)| (e.name().is_none(), *c < 0));
    let mut stms = vec![];
    let mut bind = |engine: &mut Engine<'_, R>, op, x, y| {
        let (name, made) = engine.fresh_stm("t", Type::I64, &stm.loc, Exp::Basic(Basic::BinOp(op, x, y)));
        stms.push(made);
        SubExp::Var(name)
    };
    let mut total: Option<SubExp> = None;
    for (e, c) in terms {
        let (op, c) = if total.is_some() && c < 0 && c != i64::MIN {
            (BinOp::Sub(I64), -c)
        } else {
            (BinOp::Add(I64), c)
        };
        let e = if c == 1 { e } else { bind(engine, BinOp::Mul(I64), e, SubExp::i64(c)) };
        total = Some(match total {
            None => e,
            Some(total) => bind(engine, op, total, e),
        });
    }
    Some(Rewrite::Inline { stms, result: vec![total?] })
}

fn constant_right<R: Rep<Dec = ()>>(_: &mut Engine<'_, R>, stm: &Stm<R>) -> Option<Rewrite<R>> {
    match stm.exp {
        Exp::Basic(Basic::BinOp(op, x @ SubExp::Const(_), y @ SubExp::Var(_))) if op.is_commutative() => {
            Some(Rewrite::Exp(Exp::Basic(Basic::BinOp(op, y, x))))
        }
        Exp::Basic(Basic::CmpOp(op @ CmpOp::Eq(_), x @ SubExp::Const(_), y @ SubExp::Var(_))) => {
            Some(Rewrite::Exp(Exp::Basic(Basic::CmpOp(op, y, x))))
        }
        Exp::Basic(_) | Exp::Call(..) | Exp::If(..) | Exp::Loop(_) | Exp::WithAcc(_) | Exp::Op(_) => None,
    }
}

/// `(x + c) + d` is `x + (c + d)`, and so for every associative operator; `(x + c) - d` likewise.
fn reassociate<R: Rep<Dec = ()>>(engine: &mut Engine<'_, R>, stm: &Stm<R>) -> Option<Rewrite<R>> {
    let Exp::Basic(Basic::BinOp(op, x, SubExp::Const(d))) = &stm.exp else { return None };
    let inner = engine.pure_def(*x)?;
    let Exp::Basic(Basic::BinOp(inner_op, y, SubExp::Const(c))) = &*inner else { return None };
    let (c, d) = (*c, *d);
    let joined = match (inner_op, op) {
        (a, b) if a == b && a.is_associative() => (*a, a.eval(c, d)?),
        (BinOp::Add(t), BinOp::Sub(_)) => (BinOp::Add(*t), BinOp::Sub(*t).eval(c, d)?),
        (BinOp::Sub(t), BinOp::Add(_)) => (BinOp::Add(*t), BinOp::Sub(*t).eval(d, c)?),
        (BinOp::Sub(t), BinOp::Sub(_)) => (BinOp::Sub(*t), BinOp::Add(*t).eval(c, d)?),
        _ => return None,
    };
    Some(Rewrite::Exp(Exp::Basic(Basic::BinOp(joined.0, *y, SubExp::Const(joined.1)))))
}

fn cancel<R: Rep<Dec = ()>>(engine: &mut Engine<'_, R>, stm: &Stm<R>) -> Option<Rewrite<R>> {
    match &stm.exp {
        Exp::Basic(Basic::UnOp(op, x)) => {
            let inner = engine.pure_def(*x)?;
            match (op, &*inner) {
                (
                    UnOp::Not | UnOp::Neg(_) | UnOp::FNeg(_) | UnOp::Complement(_),
                    Exp::Basic(Basic::UnOp(inner_op, y)),
                ) if op == inner_op => one(*y),
                (UnOp::Not, Exp::Basic(Basic::CmpOp(CmpOp::SLt(t), a, b))) => {
                    Some(Rewrite::Exp(Exp::Basic(Basic::CmpOp(CmpOp::SLe(*t), *b, *a))))
                }
                (UnOp::Not, Exp::Basic(Basic::CmpOp(CmpOp::SLe(t), a, b))) => {
                    Some(Rewrite::Exp(Exp::Basic(Basic::CmpOp(CmpOp::SLt(*t), *b, *a))))
                }
                (UnOp::Not, Exp::Basic(Basic::CmpOp(CmpOp::ULt(t), a, b))) => {
                    Some(Rewrite::Exp(Exp::Basic(Basic::CmpOp(CmpOp::ULe(*t), *b, *a))))
                }
                (UnOp::Not, Exp::Basic(Basic::CmpOp(CmpOp::ULe(t), a, b))) => {
                    Some(Rewrite::Exp(Exp::Basic(Basic::CmpOp(CmpOp::ULt(*t), *b, *a))))
                }
                _ => None,
            }
        }
        Exp::Basic(Basic::Conv(op, x)) => {
            match op {
                ConvOp::ZExt(a, b) | ConvOp::SExt(a, b) if a == b => return one(*x),
                ConvOp::FPConv(a, b) if a == b => return one(*x),
                ConvOp::ZExt(..)
                | ConvOp::SExt(..)
                | ConvOp::FPConv(..)
                | ConvOp::FPToUI(..)
                | ConvOp::FPToSI(..)
                | ConvOp::UIToFP(..)
                | ConvOp::SIToFP(..)
                | ConvOp::IToB(_)
                | ConvOp::BToI(_)
                | ConvOp::FToB(_)
                | ConvOp::BToF(_) => {}
            }
            let inner = engine.pure_def(*x)?;
            let Exp::Basic(Basic::Conv(inner_op, y)) = &*inner else { return None };
            match (inner_op, op) {
                (ConvOp::BToI(_), ConvOp::IToB(_)) => one(*y),
                // Widening twice is widening once; what was widened and then cut to its width is itself.
                (ConvOp::SExt(a, b), ConvOp::SExt(_, c)) if a.bits() <= b.bits() && b.bits() <= c.bits() => {
                    Some(Rewrite::Exp(Exp::Basic(Basic::Conv(ConvOp::SExt(*a, *c), *y))))
                }
                (ConvOp::ZExt(a, b), ConvOp::ZExt(_, c)) if a.bits() <= b.bits() && b.bits() <= c.bits() => {
                    Some(Rewrite::Exp(Exp::Basic(Basic::Conv(ConvOp::ZExt(*a, *c), *y))))
                }
                (ConvOp::SExt(a, b) | ConvOp::ZExt(a, b), ConvOp::SExt(_, c) | ConvOp::ZExt(_, c))
                    if a == c && a.bits() <= b.bits() =>
                {
                    one(*y)
                }
                _ => None,
            }
        }
        Exp::Basic(_) | Exp::Call(..) | Exp::If(..) | Exp::Loop(_) | Exp::WithAcc(_) | Exp::Op(_) => None,
    }
}

/// `1 / sqrt x` is `rsqrt x`, which rounds both steps as well, so that it is the same number; GPUs compute it
/// in half as many instructions. Of other floats than `f32`, nothing is gained.
fn inverse_root<R: Rep<Dec = ()>>(engine: &mut Engine<'_, R>, stm: &Stm<R>) -> Option<Rewrite<R>> {
    let Exp::Basic(Basic::BinOp(BinOp::FDiv(FloatType::F32), SubExp::Const(one), root)) = &stm.exp else {
        return None;
    };
    if *one != PrimValue::float(FloatType::F32, 1.0) || !engine.used_at_most(root.name()?, 1) {
        return None;
    }
    let Exp::Basic(Basic::PrimFn(PrimFn { op: MathFn::Sqrt, at }, args)) = &*engine.pure_def(*root)? else {
        return None;
    };
    let inverse = PrimFn { op: MathFn::Rsqrt, at: *at };
    Some(Rewrite::Exp(Exp::Basic(Basic::PrimFn(inverse, args.clone()))))
}

fn bool_cmp<R: Rep<Dec = ()>>(_: &mut Engine<'_, R>, stm: &Stm<R>) -> Option<Rewrite<R>> {
    match stm.exp {
        Exp::Basic(Basic::CmpOp(CmpOp::Eq(PrimType::Bool), x, SubExp::Const(PrimValue::Bool(true)))) => {
            one(x)
        }
        Exp::Basic(Basic::CmpOp(CmpOp::Eq(PrimType::Bool), x, SubExp::Const(PrimValue::Bool(false)))) => {
            Some(Rewrite::Exp(Exp::Basic(Basic::UnOp(UnOp::Not, x))))
        }
        Exp::Basic(_) | Exp::Call(..) | Exp::If(..) | Exp::Loop(_) | Exp::WithAcc(_) | Exp::Op(_) => None,
    }
}

fn decided<R: Rep<Dec = ()>>(engine: &mut Engine<'_, R>, stm: &Stm<R>) -> Option<Rewrite<R>> {
    match stm.exp {
        Exp::Basic(Basic::CmpOp(op, x, y)) => one(SubExp::bool(engine.decide(op, x, y)?)),
        Exp::Basic(Basic::BinOp(BinOp::SMin(t), x, y)) => match engine.decide(CmpOp::SLe(t), x, y)? {
            true => one(x),
            false => one(y),
        },
        Exp::Basic(Basic::BinOp(BinOp::SMax(t), x, y)) => match engine.decide(CmpOp::SLe(t), x, y)? {
            true => one(y),
            false => one(x),
        },
        Exp::Basic(Basic::BinOp(
            op @ (BinOp::SMod(t) | BinOp::SRem(t) | BinOp::SDiv(t) | BinOp::SQuot(t)),
            x,
            y,
        )) => {
            let small = engine.decide(CmpOp::SLe(t), SubExp::int(t, 0), x) == Some(true)
                && engine.decide(CmpOp::SLt(t), x, y) == Some(true);
            match (small, op) {
                (true, BinOp::SMod(_) | BinOp::SRem(_)) => one(x),
                (true, _) => one(SubExp::int(t, 0)),
                (false, _) => None,
            }
        }
        Exp::Basic(_) | Exp::Call(..) | Exp::If(..) | Exp::Loop(_) | Exp::WithAcc(_) | Exp::Op(_) => None,
    }
}
