use super::matrix::{missing, useful, Head, Shape};
use crate::types::Type;
use fehu_base::prim::{PrimValue, ScalarType};
use fehu_base::Symbol;

fn boolean(b: bool) -> Shape {
    Shape::Con(Head::Literal(PrimValue::Bool(b)), vec![])
}

fn int(n: i32) -> Shape {
    Shape::Con(Head::Literal(PrimValue::I32(n)), vec![])
}

fn pair(a: Shape, b: Shape) -> Shape {
    Shape::Con(Head::Record(vec![Symbol::new("0"), Symbol::new("1")]), vec![a, b])
}

fn con(name: &str, args: Vec<Shape>) -> Shape {
    Shape::Con(Head::Constr(Symbol::new(name)), args)
}

fn bools() -> Type {
    Type::tuple(vec![Type::scalar(ScalarType::Bool), Type::scalar(ScalarType::Bool)])
}

#[test]
fn names_what_is_missing() {
    let cases = [pair(boolean(true), boolean(true)), pair(boolean(false), boolean(false))];
    assert_eq!(missing(&cases, &bools(), 8), ["(false, true)", "(true, false)"]);
    let cases = [pair(boolean(true), Shape::Any), pair(Shape::Any, boolean(true))];
    assert_eq!(missing(&cases, &bools(), 8), ["(false, false)"]);
    assert_eq!(missing(&[Shape::Any], &bools(), 8), Vec::<String>::new());
    assert_eq!(missing(&[int(1), int(2)], &Type::scalar(ScalarType::I32), 8), ["_"]);
}

#[test]
fn looks_into_payloads() {
    let i32t = Type::scalar(ScalarType::I32);
    let inner = Type::sum(vec![(Symbol::new("x"), vec![]), (Symbol::new("y"), vec![i32t.clone()])]);
    let ty = Type::sum(vec![(Symbol::new("none"), vec![]), (Symbol::new("some"), vec![i32t, inner])]);
    let cases = [con("none", vec![]), con("some", vec![Shape::Any, con("x", vec![])])];
    assert_eq!(missing(&cases, &ty, 8), ["#some _ (#y _)"]);
    assert_eq!(missing(&cases[..1], &ty, 8), ["#some _ _"]);
}

#[test]
fn sees_redundant_cases() {
    let cases = [pair(boolean(true), Shape::Any), pair(boolean(false), Shape::Any)];
    assert!(!useful(&cases, &Shape::Any, &bools()));
    assert!(useful(&cases[..1], &Shape::Any, &bools()));
    assert!(!useful(&cases[..1], &pair(boolean(true), boolean(false)), &bools()));
    assert!(useful(&[int(1)], &int(2), &Type::scalar(ScalarType::I32)));
}

#[test]
fn wide_matches_end() {
    let ty = Type::tuple(vec![Type::scalar(ScalarType::Bool); 24]);
    let fields: Vec<Symbol> = (0..24).map(|i| Symbol::new(&i.to_string())).collect();
    let case = |i: usize, b: bool| {
        let parts = (0..24).map(|j| if j == i { boolean(b) } else { Shape::Any }).collect();
        Shape::Con(Head::Record(fields.clone()), parts)
    };
    let cases: Vec<Shape> = (0..24).map(|i| case(i, i % 2 == 0)).collect();
    assert_eq!(missing(&cases, &ty, 8).len(), 1);
}
