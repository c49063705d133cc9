//! Operators that stand between their operands in the text of a program; all others are written as functions,
//! `smin_i64(x, y)`.
//!
//! A symbol stands for one operator at each type: `+` is `add_i32`, `fadd_f32` and so on. Of the divisions it is the
//! one that C has: `/` is `squot`, `%` is `srem`.

use fehu_base::ops::{BinOp, CmpOp};
use fehu_base::prim::PrimType;
use fehu_ir::read::Operator;

/// How tightly an operator binds; the symbols of one level, longest first.
pub(crate) const LEVELS: [&[&str]; 6] =
    [&["||"], &["&&"], &["=="], &["<=", "<"], &["+", "-"], &["*", "/", "%"]];

/// Whether operators of a level follow each other without parentheses; comparisons do not.
pub(crate) fn is_chained(level: usize) -> bool {
    !matches!(level, 2 | 3)
}

/// The symbol of an operator on two operands, if it has one.
pub(crate) fn symbol_of_binary(op: BinOp) -> Option<&'static str> {
    match op {
        BinOp::Add(_) | BinOp::FAdd(_) => Some("+"),
        BinOp::Sub(_) | BinOp::FSub(_) => Some("-"),
        BinOp::Mul(_) | BinOp::FMul(_) => Some("*"),
        BinOp::SQuot(_) | BinOp::FDiv(_) => Some("/"),
        BinOp::SRem(_) => Some("%"),
        BinOp::LogAnd => Some("&&"),
        BinOp::LogOr => Some("||"),
        BinOp::SDiv(_)
        | BinOp::SMod(_)
        | BinOp::UDiv(_)
        | BinOp::UMod(_)
        | BinOp::FMod(_)
        | BinOp::SMin(_)
        | BinOp::SMax(_)
        | BinOp::UMin(_)
        | BinOp::UMax(_)
        | BinOp::FMin(_)
        | BinOp::FMax(_)
        | BinOp::Shl(_)
        | BinOp::LShr(_)
        | BinOp::AShr(_)
        | BinOp::And(_)
        | BinOp::Or(_)
        | BinOp::Xor(_)
        | BinOp::Pow(_)
        | BinOp::FPow(_) => None,
    }
}

/// The symbol of a comparison, if it has one.
pub(crate) fn symbol_of_comparison(op: CmpOp) -> Option<&'static str> {
    match op {
        CmpOp::Eq(_) => Some("=="),
        CmpOp::SLt(_) | CmpOp::FLt(_) | CmpOp::BLt => Some("<"),
        CmpOp::SLe(_) | CmpOp::FLe(_) | CmpOp::BLe => Some("<="),
        CmpOp::ULt(_) | CmpOp::ULe(_) => None,
    }
}

/// The level of a symbol.
pub(crate) fn level(symbol: &str) -> usize {
    LEVELS.iter().position(|l| l.contains(&symbol)).unwrap_or(LEVELS.len())
}

/// The operator that a symbol stands for at a type, if there is one.
pub(crate) fn operator_at(symbol: &str, ty: PrimType) -> Option<Operator> {
    use PrimType::{Bool, Float, Int};
    Some(match (symbol, ty) {
        ("+", Int(t)) => Operator::Bin(BinOp::Add(t)),
        ("+", Float(t)) => Operator::Bin(BinOp::FAdd(t)),
        ("-", Int(t)) => Operator::Bin(BinOp::Sub(t)),
        ("-", Float(t)) => Operator::Bin(BinOp::FSub(t)),
        ("*", Int(t)) => Operator::Bin(BinOp::Mul(t)),
        ("*", Float(t)) => Operator::Bin(BinOp::FMul(t)),
        ("/", Int(t)) => Operator::Bin(BinOp::SQuot(t)),
        ("/", Float(t)) => Operator::Bin(BinOp::FDiv(t)),
        ("%", Int(t)) => Operator::Bin(BinOp::SRem(t)),
        ("&&", Bool) => Operator::Bin(BinOp::LogAnd),
        ("||", Bool) => Operator::Bin(BinOp::LogOr),
        ("==", t) => Operator::Cmp(CmpOp::Eq(t)),
        ("<", Int(t)) => Operator::Cmp(CmpOp::SLt(t)),
        ("<", Float(t)) => Operator::Cmp(CmpOp::FLt(t)),
        ("<", Bool) => Operator::Cmp(CmpOp::BLt),
        ("<=", Int(t)) => Operator::Cmp(CmpOp::SLe(t)),
        ("<=", Float(t)) => Operator::Cmp(CmpOp::FLe(t)),
        ("<=", Bool) => Operator::Cmp(CmpOp::BLe),
        _ => return None,
    })
}
