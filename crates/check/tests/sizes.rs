//! The types that are found for definitions, and that the typed tree keeps its promises.

use fehu_base::{Name, SourceMap};
use fehu_check::modules::needed::Needed;
use fehu_check::modules::{check_program, Checked, SourceUnit};
use fehu_check::prelude_sources;
use fehu_check::show::{Abbreviations, Show, Texts};
use fehu_check::tast::{Dec, Program, ValBind};
use fehu_check::terms::validate;
use fehu_check::types::Type;
use std::collections::HashSet;

/// Checks a text after the prelude.
fn check(text: &str) -> Checked {
    let mut sources = SourceMap::default();
    let mut units: Vec<SourceUnit> = vec![];
    let prelude = prelude_sources();
    let mut paths: Vec<String> = vec![];
    for (path, text) in
        prelude.iter().map(|(p, t)| (p.to_string(), t.to_string())).chain([("main".into(), text.to_string())])
    {
        let file = sources.add(path.as_str(), text.clone());
        let parsed = fehu_syntax::parse(file, &text);
        assert!(parsed.errors.is_empty(), "{:?}", parsed.errors);
        let imports = paths.iter().enumerate().map(|(i, p)| (fehu_base::Symbol::new(p), i)).collect();
        paths.push(path.trim_start_matches("/prelude/").trim_end_matches(".fut").into());
        units.push(SourceUnit { file, prog: parsed.prog, imports, broken: vec![] });
    }
    check_program(&units, prelude.len(), Needed::All)
}

/// `[n] [n]i32 -> i64`: parameters and result, without uniqueness.
fn signature(p: &Program, b: &ValBind) -> String {
    let texts = Texts::default();
    let show = Show { abbreviations: Abbreviations::Expanded, ..Show::plain(&p.names, &texts) };
    let mut text: String = b.tparams.iter().map(|t| show.tparam(*t) + " ").collect();
    for q in &b.params {
        let shown = show.ty(&q.ty);
        text.push_str(&match q.ty {
            Type::Arrow(_) => format!("({shown}) -> "),
            _ => format!("{shown} -> "),
        });
    }
    (text + &show.ret(&b.ret)).replace('*', "")
}

fn find<'a>(p: &'a Program, name: &str) -> &'a ValBind {
    let found = p.decs.iter().rev().find_map(|d| match d {
        Dec::Val(b) if p.names.base(b.name).as_str() == name => Some(b),
        Dec::Val(_) | Dec::TypeDef(..) | Dec::Alias(_) | Dec::Functor(_) | Dec::Apply(_) => None,
    });
    found.expect("the definition is there")
}

fn globals(decs: &[Dec], out: &mut HashSet<Name>) {
    for d in decs {
        match d {
            Dec::Val(b) => drop(out.insert(b.name)),
            Dec::Alias(a) => drop(out.insert(a.name)),
            Dec::TypeDef(..) => {}
            Dec::Functor(f) => globals(&f.body, out),
            Dec::Apply(a) => {
                globals(&a.bind, out);
                out.extend(a.results.iter().flat_map(|(o, i)| [*o, *i]));
            }
        }
    }
}

fn promises(p: &Program, decs: &[Dec], known: &HashSet<Name>) -> Vec<String> {
    let mut broken = vec![];
    for d in decs {
        match d {
            Dec::Val(b) => {
                let is_global = |n| known.contains(&n) || p.intrinsics.contains_key(&n);
                for m in validate(&p.names, b, &is_global) {
                    broken.push(format!("{}: {m}", p.names.show(b.name)));
                }
            }
            Dec::Functor(f) => broken.extend(promises(p, &f.body, known)),
            Dec::Alias(_) | Dec::TypeDef(..) | Dec::Apply(_) => {}
        }
    }
    broken
}

/// Each line defines something; after `-->` stands its type.
fn types(cases: &[(&str, &str)]) {
    let text: String = cases.iter().map(|(d, _)| format!("{d}\n")).collect();
    let c = check(&text);
    let p = c.program.unwrap_or_else(|| panic!("{:#?}", c.diagnostics));
    for (def, expected) in cases.iter().filter(|(d, _)| d.starts_with("def")) {
        let name = def.split_whitespace().nth(1).unwrap_or_default();
        assert_eq!(signature(&p, find(&p, name)), *expected, "{def}");
    }
    let mut known = HashSet::new();
    globals(&p.decs, &mut known);
    assert_eq!(promises(&p, &p.decs, &known), Vec::<String>::new());
}

fn errors(text: &str) -> Vec<String> {
    let c = check(text);
    c.diagnostics
        .iter()
        .filter(|d| d.severity == fehu_base::diagnostic::Severity::Error)
        .map(|d| d.message.clone())
        .collect()
}

fn rejected(text: &str, words: &str) {
    let all = errors(text).join("\n");
    assert!(all.contains(words), "{text}\n{all}");
}

#[test]
fn slices_and_ranges() {
    types(&[
        ("def a (xs: []i32) (i: i64) (j: i64) = xs[i:j]", "[d] [d]i32 -> i64 -> i64 -> [j - i]i32"),
        ("def b (xs: []i32) (j: i64) = xs[:j]", "[d] [d]i32 -> i64 -> [j]i32"),
        ("def c (xs: []i32) (j: i64) = xs[j:]", "[d] [d]i32 -> i64 -> [d - j]i32"),
        ("def e (xs: []i32) = xs[::-1]", "[d] [d]i32 -> [d]i32"),
        ("def f (xs: []i32) (j: i64) = xs[0:j:2]", "[d] [d]i32 -> i64 -> ?[n].[n]i32"),
        ("def g (a: i64) (b: i64) = a..<b", "i64 -> i64 -> [b - a]i64"),
        ("def h (a: i64) (b: i64) = a...b", "i64 -> i64 -> [b - a + 1]i64"),
        ("def i (n: i64) = 1..2...n", "i64 -> [n]i64"),
        ("def j (n: i32) = 0..<n", "i32 -> ?[n].[n]i32"),
    ]);
}

#[test]
fn arguments_become_sizes() {
    types(&[
        ("def a (x: i64) = let n = x + 1 in iota n", "i64 -> [x + 1]i64"),
        ("def b (x: i64) = let (n, _) = (x, 0i32) in iota n", "i64 -> ?[n].[n]i64"),
        ("def c (xs: []i64) = iota (length xs)", "[d] [d]i64 -> [length xs]i64"),
        ("def e (x: i64) = iota (let n = x in n)", "i64 -> ?[n].[n]i64"),
        ("def f (x: (i64, i64)) = iota (x.0 + x.1)", "(i64, i64) -> [x.0 + x.1]i64"),
        (
            "def g (x: i64, y: i64) = (iota (x + y), iota x, iota y)",
            "(i64, i64) -> ?[x][y].([x + y]i64, [x]i64, [y]i64)",
        ),
        ("def h (n: i64) = map (\\_ -> iota n) (iota n)", "i64 -> [n][n]i64"),
    ]);
}

#[test]
fn abbreviations_are_applied_to_size_expressions() {
    types(&[
        ("type powers [k] = {a: [2 + k]i64, b: [2 + k]i64}", ""),
        (
            "def a (r: i64) : powers [r + 1] = let k = r + 1 in {a = iota (2 + k), b = iota (2 + k)}",
            "i64 -> {a: [2 + (r + 1)]i64, b: [2 + (r + 1)]i64}",
        ),
        ("type^ from 'a '^b = a -> b", ""),
        (
            "def b (f: from bool ((n: i64) -> [n + 1]i32)) = f true 2",
            "(bool -> (n: i64) -> [n + 1]i32) -> [2 + 1]i32",
        ),
        ("type^ twice '^b = (bool -> b, bool -> b)", ""),
        (
            "def c (f: twice ((n: i64) -> [n + 1]i32)) = (f.0 true 2, f.1 true 3)",
            "(bool -> (n: i64) -> [n + 1]i32, bool -> (n1: i64) -> [n1 + 1]i32) -> ([2 + 1]i32, [3 + 1]i32)",
        ),
    ]);
}

#[test]
fn branches_and_loops() {
    types(&[
        (
            "def a (b: bool) (n: i64) (m: i64) = if b then iota n else iota m",
            "bool -> i64 -> i64 -> ?[differ].[differ]i64",
        ),
        ("def c (b: bool) (xs: []i64) = if b then xs else ???", "[d] bool -> [d]i64 -> [d]i64"),
        ("def e (n: i64) = loop xs = iota n for _i < 10i64 do xs", "i64 -> [n]i64"),
        ("def f (n: i64) = loop xs = iota n for _i < 10i64 do xs ++ xs", "i64 -> ?[d].[d]i64"),
        (
            "def g (xs: []i32) (ys: []i32) = loop (a, b) = (xs, ys) for _i < 10i64 do (a, map2 (+) a b)",
            "[d] [d]i32 -> [d]i32 -> ([d]i32, [d]i32)",
        ),
        (
            "def i [p] [n] (as: [p][n]i64) (k: i64) = map (\\a -> loop a = a for _i < k do iota n) as",
            "[p] [n] [p][n]i64 -> i64 -> [p][n]i64",
        ),
        (
            "def j (n: i64) (xs: []i64) (k: i64) = loop a = xs for _i < k do iota n",
            "[d] i64 -> [d]i64 -> i64 -> ?[d1].[d1]i64",
        ),
        (
            "def h (xss: [][]i32) = loop acc = replicate 10 0i32 for xs in xss do map2 (+) acc xs",
            "[d] [d][10]i32 -> [10]i32",
        ),
    ]);
}

#[test]
fn functions() {
    types(&[
        ("def a f x = f (f x)", "'^t (t -> t) -> t -> t"),
        ("def b (f: i64 -> []i64) = f 10", "(i64 -> ?[d].[d]i64) -> ?[d1].[d1]i64"),
        ("def c (xs: []i64) = xs |> filter (> 0) |> map (+ 1)", "[d] [d]i64 -> ?[m].[m]i64"),
        ("def e = map (+ 1i32) >-> filter (> 0)", "[n] (x: [n]i32) -> ?[m].[m]i32"),
        ("def g (n: i64) = let f [m] (xs: [m]i32) = m + n in (f [1], f [1, 2])", "i64 -> (i64, i64)"),
        ("def h 'a (x: a) y = (x, y)", "'a '^t a -> t -> (a, t)"),
    ]);
}

#[test]
fn what_is_refused() {
    rejected("def f (x: i64) = x : [2]i32", "explicit ascription");
    rejected("def f [n] (xs: [n]i32) : [n + 1]i32 = xs", "Sizes \"n + 1\" and \"n\" do not match");
    rejected("def f (xs: []i32) = let n = 2 + 3 in zip (iota n) xs", "Scope violation: \"n\"");
    rejected("def f xs n = zip xs (iota n)", "Scope violation");
    rejected(
        "def f (xs: []i32) = let a = [] : [][]i32 let b = [filter (> 0) xs] in a[0] == b[0]",
        "Causality check",
    );
    rejected("def f [n] (g: [n]i64 -> i64) : i64 = n\ndef h = f (\\xs -> xs[0])", "Ambiguous size \"n\"");
    rejected("def f (ns: []i64) = map iota ns", "anonymous sizes");
    rejected("def f (x: i64, _: bool) (xs: [x]i32) = xs", "will not be accessible to the caller");
    rejected("def f x = x.l", "Type is ambiguous");
    rejected("def f r = r with l = 2i32", "Full type of this record is not known");
    rejected("def f a g = g a g", "Occurs check");
    rejected("def f x = [x, \\y -> y]", "functional");
    rejected(
        "def f (g: i64 -> i64) (n: i64) : i64 = if n == 0 then 0 else f (\\x -> g x) (n - 1)",
        "passed unchanged",
    );
}

#[test]
fn sizes_that_are_one_constant_by_definition_are_equal() {
    let accepted = |text: &str| assert_eq!(errors(text), Vec::<String>::new(), "{text}");
    let definitions = "
        module t = { def rate = 8i64  type s = [rate]f32  module deep = { def rate = rate } }
        module type sized = { val rate : i64 }
        module seen : sized = t
        module outer (X: sized) = { module inner (Y: sized) = { def x = X.rate  def y = Y.rate }
                                    local def kept = X.rate  def shown = kept  def own = 8i64  def again = own }
        module o = outer seen
        module i = o.inner { def rate = 9i64 }
        module p = outer { def rate = 9i64 }
        module more (X: sized) = { def next = X.rate + 1  module inner (Y: sized) = { def a = next } }
        module m1 = more t
        module m2 = more { def rate = 20i64 }
        module m3 = m1.inner t
        module m4 = m2.inner t
        open seen
        local def short = rate
        def long = short
        def times (x: i64) = x * 2
        module u : { val times : i64 -> i64 } = { def times = times }";
    let same = |a: &str, b: &str| format!("{definitions} def f (xs: [{a}]f32) : [{b}]f32 = xs");
    for name in ["seen.rate", "rate", "long", "t.deep.rate", "o.shown", "i.x"] {
        accepted(&same("t.rate", name));
        accepted(&same(&format!("{name} + 1"), "t.rate + 1"));
    }
    accepted(&same("o.own", "o.again"));
    accepted(&same("times t.rate", "u.times o.shown"));
    // Equal only in value, or not at all.
    for name in ["o.own", "p.own", "i.y", "p.shown"] {
        rejected(&same("t.rate", name), "do not match");
    }
    rejected(&same("o.own", "p.again"), "do not match");
    accepted(&same("m1.next", "m3.a"));
    rejected(&same("m3.a", "m4.a"), "do not match");
}

#[test]
fn functors_keep_constants_behind_their_module_types() {
    let accepted = |text: &str| assert_eq!(errors(text), Vec::<String>::new(), "{text}");
    let definitions = "
        module type made = (X: { val rate : i64 }) ->
          { val rate : i64  val twice : i64  val again : i64  type s = [twice]f32  module deep : { val rate : i64 } }
        module plain (X: { val rate : i64 }) =
          { def rate = X.rate  def twice = rate * 2  def again = twice  type s = [twice]f32  module deep = X }
        module m : { module mk : made } = { module mk = plain }
        module t = { def rate = 8i64 }
        module a = m.mk t
        module b = m.mk { def rate = 9i64 }
        module direct : made = plain
        module c = direct a";
    let same = |x: &str, y: &str| format!("{definitions} def f (xs: [{x}]f32) : [{y}]f32 = xs");
    for (x, y) in
        [("t.rate", "a.rate"), ("a.deep.rate", "t.rate"), ("a.twice", "a.again"), ("c.deep.rate", "t.rate")]
    {
        accepted(&same(x, y));
    }
    accepted(&format!("{definitions} def f (xs: [a.again]f32) : a.s = xs"));
    for (x, y) in
        [("a.rate", "b.rate"), ("a.twice", "b.twice"), ("a.twice", "c.again"), ("a.twice", "a.rate")]
    {
        rejected(&same(x, y), "do not match");
    }
    rejected(&format!("{definitions} def f (xs: a.s) : b.s = xs"), "do not match");
}

#[test]
fn functors_show_constants_of_others() {
    let definitions = "
        module t = { def rate = 8i64  module u = { def deep = 9i64 } }
        module one = { def z = 1i64 }
        module F (X: { val r : i64 }) = {
          open t
          module Y = X
          module inner (Z: { val z : i64 }) = { open X open Z open t module v = Y }
        }
        module a = F { def r = 3i64 }
        module b = F { def r = 3i64 }
        module ia = a.inner one
        module ib = b.inner one";
    let same = |x: &str, y: &str| format!("{definitions} def f (xs: [{x}]f32) : [{y}]f32 = xs");
    for (x, y) in [
        ("t.rate", "a.rate"),
        ("a.rate", "ib.rate"),
        ("ia.z", "ib.z"),
        ("a.Y.r", "ia.r"),
        ("ia.v.r", "a.Y.r"),
        ("ia.u.deep", "t.u.deep"),
    ] {
        assert_eq!(errors(&same(x, y)), Vec::<String>::new(), "{x} {y}");
    }
    for (x, y) in [("ia.r", "ib.r"), ("a.Y.r", "b.Y.r"), ("a.Y.r", "ib.v.r"), ("a.Y.r", "t.rate")] {
        rejected(&same(x, y), "do not match");
    }
}

/// A definition does not see itself, so what it is called for the outside is known soon.
#[test]
fn types_of_entry_points_hide_others_of_their_name() {
    let sum = "type i32 [n] = #one ([n]i32) | #two ([n]i32) ([n]i32) entry main [n] (x: i32 [n]) = x";
    let pairs =
        "module m = { type t = i32 } open m module k = { type t = (t, t) } open k entry main (x: t) = x";
    for text in [sum, pairs] {
        assert_eq!(errors(text), Vec::<String>::new(), "{text}");
    }
}

#[test]
fn local_names_of_sizes_are_those_sizes() {
    let accepted = |text: &str| assert_eq!(errors(text), Vec::<String>::new(), "{text}");
    accepted("def k = 8i64 def f (xs: [k]f32) = let n = k let ys : [n]f32 = replicate n 1 in map2 (+) xs ys");
    accepted("def f (m: i64) (xs: [m]f32) : [m]f32 = let n = m let o = n in map2 (+) xs (replicate o 1)");
    accepted("def f [n] (xs: [n]f32) = let m = n in loop ys = xs for i < 3 do replicate m (ys[i])");
    accepted("def f [n] (b: bool) (xs: [n]f32) : [n]f32 = let m = n in if b then xs else replicate m 1");
    accepted("def f (m: i64) = let n = m in zip (replicate (m + 1) 1) (iota (n + 1))");
    // Equal only in value, or not at all.
    rejected("def f (m: i64) (xs: [m]f32) = let n = m + 0 in map2 (+) xs (replicate n 1)", "do not match");
    rejected(
        "def f (m: i64) (xs: [m]f32) = let n = m let m = 3 in map2 (+) xs (replicate m 1)",
        "do not match",
    );
    rejected(
        "def f (m: i64) (xs: [m]f32) = loop n = m for i < 3 do let y = map2 (+) xs (replicate n 1) in n",
        "do not match",
    );
}

#[test]
fn functions_in_sizes_have_sizes_of_their_own() {
    let shapes = "def len [n] (_: [n]i32) = n\n def on [n] (f: [n]i32 -> i64) = f (replicate n 0)\n";
    let size = |n: i32| format!("on (len : [{n}]i32 -> i64)");
    let definition = |n| format!("{shapes} def xs : [{}]i32 = replicate ({}) 0", size(3), size(n));
    let summed = "def f (ks: []i64) (b: bool) : [i64.sum ks]i32 =
                    if b then replicate (i64.sum ks) 1 else replicate (i64.sum ks) 2";
    assert_eq!(errors(summed), Vec::<String>::new());
    assert_eq!(errors(&definition(3)), Vec::<String>::new());
    rejected(&definition(4), "do not match");
}

#[test]
fn functions_keep_their_sizes_in_coercions() {
    rejected("def f (g: i64 -> [3]i32) (k: i64) = g :> (i64 -> [k]i32)", "A size coercion cannot change");
    rejected("def f (g: i64 -> []i32) (k: i64) = (g, 1) :> (i64 -> [k]i32, i32)", "cannot change the sizes");
    assert!(errors("def f (g: i64 -> [3]i32) = g :> (i64 -> []i32)").is_empty());
}

#[test]
fn copies_of_abstract_types_that_hide_sizes() {
    let m = "module m : { type~ mat  type^ fun  val mk : i64 -> mat  val f : fun } =
               { type~ mat = []i32  type^ fun = i32 -> i32  def mk n : mat = replicate n 0  def f = (+ 1) } ";
    let definition = |text: &str| format!("{m}{text}");
    for text in
        ["def f (a: m.mat) = copy a", "def f (a: m.mat) = (copy (a, 1i32)).0", "def f = m.mk >-> copy"]
    {
        assert_eq!(errors(&definition(text)), Vec::<String>::new(), "{text}");
    }
    let lifted = "which the instance of non-lifted type parameter";
    rejected("def f '~t (x: t) = copy x", lifted);
    rejected("def f '^t (x: t) = copy x", lifted);
    rejected(&definition("def f = copy m.f"), lifted);
    rejected(
        "module m : { type~ mat [n]  val f : (n: i64) -> mat [n] } =
           { type~ mat [n] = ?[d].([n]i32, [d]i32)  def f n : mat [n] = (replicate n 0, []) }
         def f (n: i64) = copy (m.f n)",
        lifted,
    );
    rejected(&definition("def two 't (x: t) = [x, x] def f (a: m.mat) = two a"), lifted);
    rejected(&definition("def f (a: m.mat) = let g = copy in (g a, [a])"), "Cannot create array");
}

#[test]
fn one_mistake_one_message() {
    let all = errors("def f (x: i32) = let y = x + true let z = y + 1 in z * y\ndef g = f 2");
    assert_eq!(all.len(), 1, "{all:?}");
}

#[test]
fn long_programs_do_not_overflow_the_stack() {
    let lets: String = (1..3000).map(|i| format!("let x{i} = x{} + 1\n", i - 1)).collect();
    assert!(errors(&format!("def f (x0: i32) = {lets} in x2999")).is_empty());
    let sum = vec!["x"; 3000].join(" + ");
    assert!(errors(&format!("def f (x: i32) = {sum}")).is_empty());
}

#[test]
fn sizes_in_types_are_computed_of_any_parameter() {
    let sig = "module type m = {val f [n] : (xs: [n]i32) -> *[length xs / 2]i32 val g : (r: i32) -> [i64.i32 r]i32}";
    assert_eq!(errors(sig), Vec::<String>::new());
}
