use super::*;
use crate::types::Named;
use fehu_base::Span;
use std::sync::Arc;

fn exp(kind: ExpKind) -> Exp {
    Exp { kind: Arc::new(kind), ty: Type::Scalar(ScalarType::I64), ext: vec![], span: Span::NONE }
}

fn binop(names: &mut NameSource, op: &str, l: Exp, r: Exp) -> Exp {
    let op = exp(ExpKind::Var(names.fresh_str(op), vec![]));
    exp(ExpKind::Apply(op, vec![l, r]))
}

#[test]
fn types_as_written() {
    let mut names = NameSource::new();
    let n = names.fresh_str("n");
    let a = names.fresh_str("a");
    let i32t = Type::Scalar(ScalarType::I32);
    let bool_t = Type::Scalar(ScalarType::Bool);
    let row = Type::array(Size::Var(n), i32t.clone());
    let starred = Type::Array(Uniq::Unique, Size::Any, Named::new(i32t.clone()));
    let sum = Type::sum(vec![(Symbol::new("b"), vec![]), (Symbol::new("a"), vec![i32t.clone()])]);
    let dependent = Type::Arrow(Named::new(Arrow {
        param: Some(n),
        lhs: Type::Scalar(ScalarType::I64),
        ret: RetType { dims: vec![a], ty: Type::array(Size::Var(a), row.clone()) },
    }));
    let cases = [
        (row.clone(), "[n]i32"),
        (starred, "*[]i32"),
        (Type::tuple(vec![i32t.clone(), bool_t.clone()]), "(i32, bool)"),
        (Type::unit(), "()"),
        (Type::record(vec![(Symbol::new("x"), i32t.clone())]), "{x: i32}"),
        (sum.clone(), "#a i32 | #b"),
        (Type::array(Size::Const(3), sum), "[3](#a i32 | #b)"),
        (dependent, "(n: i64) -> ?[a].[a][n]i32"),
        (Type::arrow(Type::arrow(i32t.clone(), bool_t.clone()), i32t), "(i32 -> bool) -> i32"),
    ];
    for (t, text) in cases {
        assert_eq!(show_type(&names, &t), text);
    }
}

#[test]
fn size_expressions_keep_only_needed_parentheses() {
    let mut names = NameSource::new();
    let n = exp(ExpKind::Var(names.fresh_str("n"), vec![]));
    let one = exp(ExpKind::Literal(PrimValue::I64(1)));
    let sum = binop(&mut names, "+", n.clone(), one.clone());
    let chain = binop(&mut names, "-", sum.clone(), one.clone());
    let right = binop(&mut names, "-", one.clone(), sum.clone());
    let prod = binop(&mut names, "*", sum.clone(), n.clone());
    let length = exp(ExpKind::Var(names.fresh_str("length"), vec![]));
    let call = exp(ExpKind::Apply(length, vec![sum.clone()]));
    for (e, text) in [
        (sum, "n + 1"),
        (chain, "n + 1 - 1"),
        (right, "1 - (n + 1)"),
        (prod, "(n + 1) * n"),
        (call, "length (n + 1)"),
    ] {
        assert_eq!(Show::plain(&names, &Texts::default()).size(&Size::Exp(Arc::new(e))), text);
    }
}
