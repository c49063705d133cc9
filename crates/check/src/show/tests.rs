use super::*;
use crate::types::{Parts, TypeDef};
use fehu_base::Span;
use std::sync::Arc;

fn exp(kind: ExpKind) -> Exp {
    Exp { kind: Arc::new(kind), ty: Type::scalar(ScalarType::I64), ext: vec![], span: Span::NONE }
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
    let i32t = Type::scalar(ScalarType::I32);
    let bool_t = Type::scalar(ScalarType::Bool);
    let row = Type::array(Size::Var(n), i32t.clone());
    let starred = Type::Array(Uniq::Unique, Size::Any, Parts::new(i32t.clone()));
    let sum = Type::sum(vec![(Symbol::new("b"), vec![]), (Symbol::new("a"), vec![i32t.clone()])]);
    let dependent = Type::Arrow(Parts::new(Arrow {
        param: Some(n),
        lhs: Type::scalar(ScalarType::I64),
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

#[test]
fn different_names_have_different_texts() {
    let mut names = NameSource::new();
    let [t, u, n, m] = ["t", "t", "n", "n"].map(|s| names.fresh_str(s));
    let ty = Type::tuple(vec![
        Type::var(t),
        Type::var(u),
        Type::array(Size::Var(n), Type::array(Size::Var(m), Type::var(t))),
    ]);
    assert_eq!(show_type(&names, &ty), "(t, t1, [n][n1]t)");
    // What a type mentions keeps its text, what it binds does not.
    let ret =
        RetType { dims: vec![n], ty: Type::array(Size::Var(n), Type::array(Size::Var(m), Type::var(t))) };
    let arrow = Type::Arrow(Parts::new(Arrow { param: None, lhs: Type::var(t), ret }));
    assert_eq!(show_type(&names, &arrow), "t -> ?[n1].[n1][n]t");
    // What is in a module has its path, and no value hides the module.
    names.put_into(t, Symbol::new("n"));
    assert_eq!(show_type(&names, &Type::array(Size::Var(n), Type::var(t))), "[n1]n.t");
}

#[test]
fn abbreviations_are_printed_as_long_as_they_are_right() {
    let mut names = NameSource::new();
    let [pair, a, n] = ["pair", "a", "n"].map(|s| names.fresh_str(s));
    let part = Type::array(Size::Var(n), Type::var(a));
    let body = Type::record(vec![(Symbol::new("x"), part.clone()), (Symbol::new("y"), part)]);
    let tparams = vec![TParam::Size(n), TParam::Type(Liftedness::Unlifted, a)];
    let def = TypeDef { tparams, lifted: Liftedness::Unlifted, def: RetType::simple(body) };
    let of = |x: i64, y: i64| {
        let part = |n| Type::array(Size::Const(n), Type::scalar(ScalarType::I32));
        let fields = vec![(Symbol::new("x"), part(x)), (Symbol::new("y"), part(y))];
        Type::record(fields).abbreviated(Abbreviation { name: pair, def: Arc::new(def.clone()) })
    };
    assert_eq!(show_type(&names, &of(3, 3)), "pair [3] i32");
    assert_eq!(show_type(&names, &crate::subst::make_unique(&of(3, 3))), "*pair [3] i32");
    assert_eq!(show_type(&names, &Type::array(Size::Any, of(3, 3))), "[](pair [3] i32)");
    assert_eq!(show_type(&names, &of(3, 4)), "{x: [3]i32, y: [4]i32}");
}

#[test]
fn abbreviations_hide_sizes_that_nothing_else_mentions() {
    let mut names = NameSource::new();
    let [row, k, n, m] = ["row", "k", "n", "m"].map(|s| names.fresh_str(s));
    let array = |n| Type::array(Size::Var(n), Type::scalar(ScalarType::I32));
    let def = RetType { dims: vec![k], ty: array(k) };
    let def = Arc::new(TypeDef { tparams: vec![], lifted: Liftedness::SizeLifted, def });
    let row_of = |n| array(n).abbreviated(Abbreviation { name: row, def: def.clone() });
    let function = |tparams: &[Name], dims: Vec<Name>, lhs: Type, ty: Type| {
        let arrow = Arrow { param: None, lhs, ret: RetType { dims, ty } };
        let tparams = tparams.iter().map(|n| TParam::Size(*n)).collect();
        Scheme { tparams, overloads: vec![], ty: Type::Arrow(Parts::new(arrow)) }
    };
    let shown = |s: &Scheme| show_scheme(&names, s);
    assert_eq!(shown(&function(&[n], vec![m], row_of(n), row_of(m))), "row -> row");
    // The same size, one that is bound elsewhere, and a parameter that another type tells.
    assert_eq!(shown(&function(&[n], vec![], row_of(n), row_of(n))), "[n] -> [n]i32 -> [n]i32");
    assert_eq!(shown(&function(&[n, m], vec![], row_of(n), row_of(m))), "[m] -> row -> [m]i32");
    assert_eq!(shown(&function(&[n], vec![m], array(n), row_of(m))), "[n] -> [n]i32 -> row");
    let two = Type::tuple(vec![row_of(n), array(n)]);
    assert_eq!(shown(&function(&[n], vec![m], two, row_of(m))), "[n] -> ([n]i32, [n]i32) -> row");
    // A size that has no name is hidden, one that has is not.
    assert_eq!(show_type(&names, &without_hidden(&row_of(n), &|_| false, &[])), "row");
    assert_eq!(show_type(&names, &without_hidden(&row_of(n), &|_| true, &[])), "[n]i32");
}
