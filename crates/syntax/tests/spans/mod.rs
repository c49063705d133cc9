//! A node's span covers exactly its text: the text alone gives the same node.

use crate::dump;
use fehu_base::FileId;
use fehu_syntax::ast::*;
use fehu_syntax::{parse, parse_exp};

const PROGRAM: &str = "\
def f [n] (xs: [n]i32) = -- a comment
  let (a, {b}) = (xs[0], {b = - 2 ** 3 }) -- another
  let xs.g[1:2] = #[unsafe] map (\\x -> x + 1 : i32) (iota 2) :> [2]i32
  let h 'a (y: a) : a = if true && !b then y else (y) in
  loop z = #some (1) a.b.c for i < n do
    match h z case #some _ -> m.(x `g` y) with [i].f = 0 .. 1 ..< n
              case _ -> assert (a == 1) [ \"s\", ??? ] |> (+ 1) <| (.x[0]) ((- 1) -)
";

#[test]
fn spans_are_exact() {
    let parsed = parse(FileId(0), PROGRAM);
    assert!(parsed.errors.is_empty(), "{:?}", parsed.errors);
    let [Dec::Val(f)] = &parsed.prog.decs[..] else { panic!("one definition") };
    assert_eq!((f.span.lo, f.span.hi as usize), (0, PROGRAM.trim_end().len()));
    let mut todo = vec![&f.body];
    let mut seen = 0;
    while let Some(e) = todo.pop() {
        let text = &PROGRAM[e.span.lo as usize..e.span.hi as usize];
        let (again, errors) = parse_exp(FileId(0), text);
        assert!(errors.is_empty(), "{text}");
        assert_eq!(dump::exp(e), dump::exp(&again), "{text}");
        assert_eq!((again.span.lo, again.span.hi as usize), (0, text.len()), "{text}");
        todo.extend(children(e));
        seen += 1;
    }
    assert!(seen > 50, "{seen}");
}

fn children(e: &Exp) -> Vec<&Exp> {
    match &*e.kind {
        ExpKind::Literal(_) | ExpKind::Var(_) | ExpKind::Hole | ExpKind::Error => vec![],
        ExpKind::Parens(e)
        | ExpKind::QualParens(_, e)
        | ExpKind::Project(e, _)
        | ExpKind::Negate(e)
        | ExpKind::Not(e)
        | ExpKind::SectionLeft(e, _)
        | ExpKind::SectionRight(_, e)
        | ExpKind::Ascript(e, _)
        | ExpKind::Coerce(e, _)
        | ExpKind::Attr(_, e) => vec![e],
        ExpKind::Tuple(es) | ExpKind::Array(es) | ExpKind::Constr(_, es) => es.iter().collect(),
        ExpKind::Record(fs) => fs
            .iter()
            .filter_map(|f| match f {
                FieldExp::Explicit(_, e) => Some(e),
                FieldExp::Implicit(_) => None,
            })
            .collect(),
        ExpKind::Index(e, is) => [e].into_iter().chain(is.iter().flat_map(of_index)).collect(),
        ExpKind::Apply(f, es) => [f].into_iter().chain(es).collect(),
        ExpKind::Assert(a, b) | ExpKind::BinOp(_, a, b) => vec![a, b],
        ExpKind::Lambda(l) => vec![&l.body],
        ExpKind::SectionAccess(path) => path.iter().flat_map(of_access).collect(),
        ExpKind::Range(a, b, end) => {
            let (RangeEnd::Inclusive(c) | RangeEnd::UpTo(c) | RangeEnd::DownTo(c)) = end;
            [a].into_iter().chain(b).chain([&**c]).collect()
        }
        ExpKind::Update(e, path, v) => [e, v].into_iter().chain(path.iter().flat_map(of_access)).collect(),
        ExpKind::Let { value, body, .. } => vec![value, body],
        ExpKind::LetUpdate { path, value, body, .. } => {
            [value, body].into_iter().chain(path.iter().flat_map(of_access)).collect()
        }
        ExpKind::LetFun(f, body) => vec![&f.body, body],
        ExpKind::If(a, b, c) => vec![a, b, c],
        ExpKind::Loop { init, form, body, .. } => {
            let (LoopForm::For(_, e) | LoopForm::ForIn(_, e) | LoopForm::While(e)) = form;
            [&**e, body].into_iter().chain(init).collect()
        }
        ExpKind::Match(e, cases) => [e].into_iter().chain(cases.iter().map(|c| &c.body)).collect(),
    }
}

fn of_access(a: &Access) -> Vec<&Exp> {
    match a {
        Access::Field(_) => vec![],
        Access::Index(is, _) => is.iter().flat_map(of_index).collect(),
    }
}

fn of_index(i: &Index) -> Vec<&Exp> {
    match i {
        Index::Fix(e) => vec![e],
        Index::Slice { lo, hi, stride, .. } => [lo, hi, stride].into_iter().flatten().map(|e| &**e).collect(),
    }
}
