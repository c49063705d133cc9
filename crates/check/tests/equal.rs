//! When two sizes are equal: all rules of the checker give the same answer, in both directions, and equal
//! sizes have equal values.

use fehu_base::diagnostic::Severity;
use fehu_base::SourceMap;
use fehu_check::modules::needed::Needed;
use fehu_check::modules::{check_program, SourceUnit};
use proptest::prelude::*;

/// A size, written over two names `a` and `b`.
#[derive(Clone, Debug)]
enum Size {
    A,
    B,
    Literal(i64),
    /// A constant, with the name it is written by.
    Constant(&'static str, i64),
    Operator(char, Box<Size>, Box<Size>),
    Call(&'static str, Box<Size>),
}

/// Constants and functions, some of which are other names for others.
const KNOWN: &str = "
def c : i64 = 5
def k : i64 = 6
module inner = { def c = c  def again = c }
module shown : { val c : i64  val p : i64 -> i64 } = { def c = inner.again  def p (x: i64) : i64 = x + 1 }
module make (X: { val c : i64 }) = { def other = X.c  local def hidden = X.c  def both = hidden }
module made = make { def c = shown.c }
module of_k = make { def c = k }
def p = shown.p
def q (x: i64) : i64 = x * 2
";

const CONSTANTS: [(&str, i64); 9] = [
    ("c", 5),
    ("inner.c", 5),
    ("inner.again", 5),
    ("shown.c", 5),
    ("made.other", 5),
    ("made.both", 5),
    ("k", 6),
    ("of_k.other", 6),
    ("of_k.both", 6),
];

impl Size {
    fn text(&self) -> String {
        match self {
            Size::A => "a".into(),
            Size::B => "b".into(),
            Size::Literal(n) => n.to_string(),
            Size::Constant(name, _) => (*name).into(),
            Size::Operator(op, x, y) => format!("({} {op} {})", x.text(), y.text()),
            Size::Call(f, x) => format!("({f} {})", x.text()),
        }
    }

    fn value(&self, a: i64, b: i64) -> i64 {
        match self {
            Size::A => a,
            Size::B => b,
            Size::Literal(n) | Size::Constant(_, n) => *n,
            Size::Operator('+', x, y) => x.value(a, b).wrapping_add(y.value(a, b)),
            Size::Operator('-', x, y) => x.value(a, b).wrapping_sub(y.value(a, b)),
            Size::Operator(_, x, y) => x.value(a, b).wrapping_mul(y.value(a, b)),
            Size::Call("q", x) => x.value(a, b).wrapping_mul(2),
            Size::Call(_, x) => x.value(a, b).wrapping_add(1),
        }
    }

    /// The same size written differently, where that can be seen: constants and functions by other names.
    fn renamed(&self) -> Size {
        match self {
            Size::A | Size::B | Size::Literal(_) => self.clone(),
            Size::Constant(name, value) => {
                let same: Vec<_> = CONSTANTS.iter().filter(|(_, v)| v == value).collect();
                let at = same.iter().position(|(n, _)| n == name).unwrap_or(0);
                let (name, value) = same[(at + 1) % same.len()];
                Size::Constant(name, *value)
            }
            Size::Operator(op, x, y) => Size::Operator(*op, Box::new(x.renamed()), Box::new(y.renamed())),
            Size::Call(f, x) => {
                let other = match *f {
                    "p" => "shown.p",
                    "shown.p" => "p",
                    f => f,
                };
                Size::Call(other, Box::new(x.renamed()))
            }
        }
    }
}

fn size() -> impl Strategy<Value = Size> {
    let leaf = prop_oneof![
        3 => Just(Size::A),
        3 => Just(Size::B),
        1 => (0..3i64).prop_map(Size::Literal),
        2 => prop::sample::select(&CONSTANTS[..]).prop_map(|(name, value)| Size::Constant(name, value)),
    ];
    leaf.prop_recursive(3, 8, 2, |part| {
        let part = part.prop_map(Box::new);
        prop_oneof![
            (prop::sample::select(vec!['+', '-', '*']), part.clone(), part.clone())
                .prop_map(|(op, x, y)| Size::Operator(op, x, y)),
            (prop::sample::select(vec!["p", "q", "shown.p"]), part).prop_map(|(f, x)| Size::Call(f, x)),
        ]
    })
}

/// Two sizes: of one shape, the same by other names, or any two.
fn pair() -> impl Strategy<Value = (Size, Size)> {
    let near = |s: &Size| {
        let s = s.clone();
        match s.clone() {
            Size::Operator('+', x, y) => Size::Operator('*', x, y),
            Size::Operator(_, x, y) => Size::Operator('+', x, y),
            Size::Call("q", x) => Size::Call("p", x),
            Size::Call(_, x) => Size::Call("q", x),
            Size::A | Size::B | Size::Literal(_) | Size::Constant(..) => s,
        }
    };
    prop_oneof![
        size().prop_map(|s| (s.renamed(), s)),
        size().prop_map(move |s| (near(&s), s)),
        (size(), size()),
    ]
}

/// Programs that are right if the sizes are equal.
fn questions(given: &str, wanted: &str) -> Vec<(&'static str, String)> {
    let sized = "(as: [a]i32) (bs: [b]i32)";
    let shows = "[a]i32 -> [b]i32 ->";
    vec![
        ("unification", format!("def f [a] [b] {sized} (xs: [{given}]i32) : [{wanted}]i32 = xs")),
        ("ascription", format!("def f [a] [b] {sized} (xs: [{given}]i32) = (xs : [{wanted}]i32)")),
        ("coercion", format!("def f [a] [b] {sized} (xs: []i32) : [{wanted}]i32 = xs :> [{given}]i32")),
        (
            "coercion of a function",
            format!("def f (g: (a: i64) -> (b: i64) -> [{given}]i32) = g :> ((a: i64) -> (b: i64) -> [{wanted}]i32)"),
        ),
        (
            "branches",
            format!("def f [a] [b] {sized} (which: bool) (xs: [{given}]i32) (ys: [{wanted}]i32) : [{wanted}]i32 = if which then xs else ys"),
        ),
        (
            "loop",
            format!("def f [a] [b] {sized} (xs: [{given}]i32) (ys: [{wanted}]i32) : [{wanted}]i32 = loop (zs: [{wanted}]i32) = ys for i < 3i32 do xs"),
        ),
        (
            "result of a module type",
            format!("module m : {{ val f [a] [b] : {shows} [{wanted}]i32 }} = {{ def f [a] [b] {sized} : [{given}]i32 = ??? }}"),
        ),
        (
            "named parameters of a module type",
            format!("module m : {{ val f : (a: i64) -> (b: i64) -> [{wanted}]i32 }} = {{ def f (a: i64) (b: i64) : [{given}]i32 = ??? }}"),
        ),
        (
            "parameter of a module type",
            format!("module m : {{ val f [a] [b] : {shows} [{given}]i32 -> i32 }} = {{ def f [a] [b] {sized} (xs: [{wanted}]i32) : i32 = 1 }}"),
        ),
        (
            "argument of a parametric module",
            format!("module f (X: {{ val f : (a: i64) -> (b: i64) -> [{wanted}]i32 }}) = {{}} module m = f {{ def f (a: i64) (b: i64) : [{given}]i32 = ??? }}"),
        ),
        (
            "abbreviation",
            format!("module m : {{ type t [a] [b] = ([a]i32, [b]i32, [{wanted}]i32) }} = {{ type t [a] [b] = ([a]i32, [b]i32, [{given}]i32) }}"),
        ),
        (
            "refinement",
            format!("module type s = {{ type t [a] [b] }} module m : s with t [a] [b] = ([a]i32, [b]i32, [{wanted}]i32) = {{ type t [a] [b] = ([a]i32, [b]i32, [{given}]i32) }}"),
        ),
    ]
}

fn accepted(program: &str) -> bool {
    let text = format!("{KNOWN}\n{program}\n");
    let mut sources = SourceMap::default();
    let file = sources.add("main", text.clone());
    let parsed = fehu_syntax::parse(file, &text);
    assert!(parsed.errors.is_empty(), "{:?}", parsed.errors);
    let unit = SourceUnit { file, prog: parsed.prog, imports: vec![], broken: vec![] };
    let checked = check_program(&[unit], 0, Needed::All);
    let errors: Vec<&str> = checked
        .diagnostics
        .iter()
        .filter(|d| d.severity == Severity::Error)
        .map(|d| d.message.as_str())
        .collect();
    let about_sizes = |e: &&str| e.contains("do not match") || e.contains("but module type requires");
    assert!(errors.iter().all(about_sizes), "{program}: {errors:?}");
    errors.is_empty()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 32, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn all_rules_agree((x, y) in pair(), a in -9..9i64, b in -9..9i64) {
        let (s, t) = (x.text(), y.text());
        let answers: Vec<_> = questions(&s, &t).into_iter().chain(questions(&t, &s)).collect();
        let answers: Vec<(&str, bool)> = answers.iter().map(|(who, p)| (*who, accepted(p))).collect();
        let equal = answers[0].1;
        prop_assert!(answers.iter().all(|(_, yes)| *yes == equal), "{s} and {t}: {answers:?}");
        if equal {
            prop_assert_eq!(x.value(a, b), y.value(a, b), "{} and {}", s, t);
        }
        // Names of one constant or function are no difference.
        prop_assert!(accepted(&questions(&s, &x.renamed().text())[0].1), "{s} and {}", x.renamed().text());
    }
}
