use super::needed::Needed;
use super::*;
use crate::tast::{Dec, Shown};
use fehu_base::SourceMap;

/// Checks texts without the prelude, each imported by the next ones under its name.
fn check(texts: &[(&str, &str)]) -> Checked {
    let mut sources = SourceMap::default();
    let mut units = vec![];
    for (i, (name, text)) in texts.iter().enumerate() {
        let file = sources.add(*name, (*text).to_owned());
        let parsed = fehu_syntax::parse(file, text);
        assert!(parsed.errors.is_empty(), "{:?}", parsed.errors);
        let imports = texts[..i].iter().enumerate().map(|(j, (n, _))| (Symbol::new(n), j)).collect();
        units.push(SourceUnit { file, prog: parsed.prog, imports, broken: vec![] });
    }
    check_program(&units, 0, Needed::All)
}

/// What is declared, in short: the kind of each declaration and the text of its name.
fn outline(c: &Checked) -> Vec<String> {
    let p = c.program.as_ref().expect("the program is right");
    fn one(names: &fehu_base::NameSource, d: &Dec) -> String {
        let base = |n| names.base(n).to_string();
        match d {
            Dec::Val(b) => format!("val {}", base(b.name)),
            Dec::TypeDef(n, _) => format!("type {}", base(*n)),
            Dec::Alias(a) => format!("{} = {}", base(a.name), base(a.target)),
            Dec::Functor(f) => {
                let body: Vec<_> = f.body.iter().map(|d| one(names, d)).collect();
                format!("functor {} {{{}}}", base(f.name), body.join("; "))
            }
            Dec::Apply(a) => {
                let bind: Vec<_> = a.bind.iter().map(|d| one(names, d)).collect();
                let results: Vec<_> =
                    a.results.iter().map(|(o, i)| format!("{} from {}", base(*o), base(*i))).collect();
                format!("apply {} {{{}}} {{{}}}", base(a.functor), bind.join("; "), results.join("; "))
            }
        }
    }
    p.decs.iter().map(|d| one(&p.names, d)).collect()
}

fn only(text: &str) -> Checked {
    check(&[("main", text)])
}

fn errors(c: &Checked) -> Vec<&str> {
    c.diagnostics.iter().filter(|d| d.severity == Severity::Error).map(|d| d.message.as_str()).collect()
}

#[test]
fn ascription_leaves_renamings() {
    let c = only("module m : {type t val x : t} = {type t = i32 def x : i32 = 2}");
    assert_eq!(outline(&c), ["val x", "type m.t", "x = x"]);
}

#[test]
fn a_structure_leaves_nothing() {
    let c = only("module m = {module n = {def x : i32 = 2} open n} def y : i32 = m.x");
    assert_eq!(outline(&c), ["val x", "val y"]);
}

#[test]
fn each_application_binds_and_copies() {
    let c = only(
        "module F (P: {val n : i64}) = {def m : i64 = P.n}
         module A = F {def n : i64 = 1}
         def y : i64 = A.m",
    );
    assert_eq!(outline(&c), ["functor F {val m}", "val n", "apply F {n = n} {m from m}", "val y"]);
}

#[test]
fn applications_make_types_of_their_own() {
    let functor = "module F (P: {}) : {type t val x : t val f : t -> i32} =
                     {type t = i32 def x : i32 = 2 def f (y: i32) : i32 = y}
                   module A = F {} module B = F {} module C = A\n";
    assert!(errors(&only(&format!("{functor} def y : i32 = A.f C.x"))).is_empty());
    let c = only(&format!("{functor} def y : i32 = A.f B.x"));
    let messages = errors(&c);
    assert_eq!(messages.len(), 1, "{messages:?}");
    assert!(messages[0].contains("A.t") && messages[0].contains("B.t"), "{messages:?}");
}

#[test]
fn refinement_reveals() {
    let c = only(
        "module type S = {type t val x : t}
         module m : S with t = i32 = {type t = i32 def x : i32 = 2}
         def y : i32 = m.x",
    );
    assert_eq!(outline(&c), ["val x", "x = x", "val y"]);
}

#[test]
fn functors_may_take_and_give_functors() {
    let c = only(
        "module type S = {type t val x : t}
         module Twice (F: (P: S) -> S with t = P.t) (P: S) = {
           module A = F P
           module B = F A
           open B
         }
         module m = Twice (\\(P: S) -> {type t = P.t def x : t = P.x}) {type t = i32 def x : i32 = 2}
         def y : i32 = m.x",
    );
    assert!(errors(&c).is_empty(), "{:?}", errors(&c));
}

#[test]
fn sizes_kept_local_are_copied_with_the_result() {
    let c = only(
        "module F (P: {val xs : [3]i32}) = {local def k : i64 = 3 def ys : [k]i32 = P.xs :> [k]i32}
         module A = F {def xs : [3]i32 = [1, 2, 3]}",
    );
    let lines = outline(&c);
    assert!(lines.iter().any(|l| l.contains("k from k") && l.contains("ys from ys")), "{lines:?}");
}

#[test]
fn files_are_modules() {
    let c = check(&[
        ("lib", "def x : i32 = 2 local def z : i32 = 3"),
        ("main", "import \"lib\" def y : i32 = x"),
    ]);
    assert_eq!(outline(&c), ["val x", "val z", "val y"]);
    let c = check(&[("lib", "local def z : i32 = 3"), ("main", "import \"lib\" def y : i32 = z")]);
    assert_eq!(errors(&c).len(), 1);
    let c = check(&[
        ("a", "def x : i32 = 2"),
        ("b", "import \"a\" def y : i32 = x"),
        ("main", "module b = import \"b\" def z : i32 = b.x"),
    ]);
    assert_eq!(errors(&c).len(), 1, "what a file imports is not its own");
}

#[test]
fn entry_points_show_types_as_written() {
    let c = check(&[
        ("lib", "entry other (x: i32) : i32 = x"),
        (
            "main",
            "type vec = [2]f32 entry f (v: *vec) (_: (i32, bool)) : i32 -> vec = \\_ -> v def main : i32 = 2",
        ),
    ]);
    let p = c.program.as_ref().expect("the program is right");
    let entries: Vec<_> = p
        .decs
        .iter()
        .filter_map(|d| match d {
            Dec::Val(b) => b.entry.as_ref(),
            Dec::TypeDef(..) | Dec::Alias(_) | Dec::Functor(_) | Dec::Apply(_) => None,
        })
        .collect();
    let names: Vec<_> = entries.iter().map(|e| e.name.as_str()).collect();
    assert_eq!(names, ["f", "main"]);
    let params: Vec<_> =
        entries[0].params.iter().map(|p| p.ty.as_ref().map_or("?".into(), Shown::text)).collect();
    assert_eq!(params, ["vec", "(i32, bool)", "i32"]);
    assert_eq!(entries[0].ret.as_ref().map(Shown::text).as_deref(), Some("vec"));
    assert_eq!(entries[0].params[0].name, Some(Symbol::new("v")));
}

#[test]
fn the_prelude_is_right_and_fits_its_module_types() {
    let mut sources = SourceMap::default();
    let mut units: Vec<SourceUnit> = vec![];
    let main = "module a : integral with t = i8 = i8
                module b : integral with t = u64 = u64
                module c : float with t = f16 with int_t = u16 = f16
                module d : float with t = f64 with int_t = u64 = f64
                module e : from_prim with t = bool = bool
                def f (xs: []i32) = let (ys, zs) = partition (> 0) xs in (map (+ 1) ys, i32.sum zs)";
    let texts = crate::prelude_sources().iter().copied().chain([("main", main)]);
    for (path, text) in texts {
        let file = sources.add(path, text.to_owned());
        let parsed = fehu_syntax::parse(file, text);
        assert!(parsed.errors.is_empty(), "{:?}", parsed.errors);
        let names = crate::prelude_sources().iter().take(units.len()).enumerate();
        let imports = names
            .map(|(i, (p, _))| (Symbol::new(p.trim_start_matches("/prelude/").trim_end_matches(".fut")), i))
            .collect();
        units.push(SourceUnit { file, prog: parsed.prog, imports, broken: vec![] });
    }
    let c = check_program(&units, units.len() - 1, Needed::All);
    assert!(errors(&c).is_empty(), "{:#?}", errors(&c));
    assert!(c.program.is_some());
}

#[test]
fn constants_of_other_files_keep_their_identity() {
    let tones = ("tones", "def rate : i64 = 8");
    let more = ("more", "module t = import \"tones\" open t def rate = t.rate def half = 4i64");
    let f = |size| {
        format!("module t = import \"tones\" import \"more\" def f (xs: [t.rate]i32) : [{size}]i32 = xs")
    };
    assert_eq!(errors(&check(&[tones, more, ("main", &f("rate"))])), Vec::<&str>::new());
    assert_eq!(errors(&check(&[tones, more, ("main", &f("half"))])).len(), 1);
}

#[test]
fn size_parameters_are_not_what_mentions_themselves() {
    let c = only(
        "module m : { val f : (() -> [1]i32) -> [2]i32 } = { def f [n] (g: () -> [n]i32) : [n + 1]i32 = ??? }",
    );
    assert_eq!(errors(&c).len(), 1);
    let c = only(
        "module m : { val f [k] : [k]i32 -> ([k + 1]i32 -> ()) -> () } =
                    { def f [n] (_: [n]i32) (_: [n]i32 -> ()) : () = () }",
    );
    assert_eq!(errors(&c).len(), 1);
}

#[test]
fn another_constant_under_a_name_is_another_size() {
    let unit = |text: &str| {
        let file = SourceMap::default().add("main", text.to_owned());
        SourceUnit { file, prog: fehu_syntax::parse(file, text).prog, imports: vec![], broken: vec![] }
    };
    let program = |k: &str| {
        format!(
            "module a = {{ def n : i64 = 8 }}\nmodule b = {{ def n : i64 = 9 }}\n\
             def k = {k}\ndef f (xs: [a.n]i32) : [k]i32 = xs\n"
        )
    };
    let (before, after) = (program("a.n"), program("b.n"));
    let mut memory = Memory::default();
    let first = check_again(&mut memory, vec![unit(&before)], 0, &before, &|| false);
    assert!(first.is_some_and(|c| c.diagnostics.is_empty()));
    let found = check_changed(&mut memory, &[unit(&after)], 0, &after).map(|f| f.diagnostics.len());
    assert_eq!(found, Some(1));
}
