//! Texts that are no programs: nothing may panic, hang or overflow the stack.

use fehu_base::FileId;
use fehu_syntax::{parse, parse_type_exp, tokens, Parsed};

const DEEP: usize = 100_000;

fn accepts(text: &str) -> Parsed {
    let parsed = parse(FileId(0), text);
    assert!(parsed.errors.is_empty(), "{:?}", parsed.errors.first());
    parsed
}

#[test]
fn deep_expressions() {
    accepts(&format!("def f = {}x{}", "(".repeat(DEEP), ")".repeat(DEEP)));
    accepts(&format!("def f = {}1", "1 + ".repeat(DEEP)));
    accepts(&format!("def f = {} in x", "let x = 1 ".repeat(DEEP)));
    accepts(&format!("def f = {}x", "let x = 1 in ".repeat(DEEP)));
    for (open, close) in [
        ("[", "]"),
        ("{a=", "}"),
        ("f (", ")"),
        ("- ", ""),
        ("-(", ")"),
        ("f <| ", ""),
        ("a ** (", ")"),
        ("\\x -> ", ""),
        ("if a then b else ", ""),
        ("if ", " then a else b"),
        ("let x = ", " in x"),
        ("match a case b -> ", ""),
        ("loop x = a for i < n do ", ""),
        ("#[a] ", ""),
        ("assert a ", ""),
        ("", ".f"),
        ("", "[0]"),
        ("", " x"),
        ("", " with [0] = 1"),
        ("", " `f` x"),
        ("a[", "]"),
        ("m.(", ")"),
    ] {
        let n = DEEP / 20;
        accepts(&format!("def f = {}x{}", open.repeat(n), close.repeat(n)));
    }
}

#[test]
fn very_deep_expressions_are_refused() {
    for (open, close) in [("(", ")"), ("", " + 1"), ("let x = 1 ", " in x"), ("", ".f")] {
        let n = 2 * DEEP + 1;
        let parsed = parse(FileId(0), &format!("def f = {}(x){}", open.repeat(n), close.repeat(n)));
        assert_eq!(parsed.errors.len(), 1, "{open}x{close}");
    }
}

#[test]
fn deep_types_patterns_and_modules_are_refused() {
    for (head, repeated) in [
        ("type t = ", "("),
        ("type t = ", "[]"),
        ("type t = ", "a -> "),
        ("type t = ", "a "),
        ("def f ", "("),
        ("def f = match x case ", "("),
        ("def f = match x case ", "#[a] "),
        ("def f = ", "x : ["),
        ("", "module m = {"),
        ("module m = ", "("),
        ("module m = ", "\\(x: t) -> "),
        ("module m = ", "a "),
        ("module m = a", ": a"),
        ("module type t = ", "{module m: "),
        ("module type t = ", "a -> "),
        ("module type t = a", " with t = i32"),
        ("def f = match x case y", " : t"),
        ("", "local "),
        ("#[a", "(a"),
    ] {
        let parsed = parse(FileId(0), &format!("{head}{}", repeated.repeat(DEEP)));
        assert_eq!(parsed.errors.len(), 1, "{head}{repeated}");
    }
    let (_, errors) = parse_type_exp(FileId(0), &"(".repeat(DEEP));
    assert_eq!(errors.len(), 1);
}

#[test]
fn wide_texts_take_linear_time() {
    let time = |n: usize| {
        let start = std::time::Instant::now();
        accepts(&format!("def f = [{}]", "123i32, ".repeat(n)));
        accepts(&"def f = 1\n".repeat(n));
        accepts(&format!("def f = {}x", "a.".repeat(n)));
        accepts(&"-- | doc\ndef f = 1\n".repeat(n));
        parse(FileId(0), &"let (".repeat(n));
        parse(FileId(0), &"def f = ( ] ".repeat(n));
        parse(FileId(0), &"`a.".repeat(n));
        parse(FileId(0), &"@ ".repeat(n));
        start.elapsed().as_secs_f64()
    };
    time(1_000);
    // One try in which the machine is not taken by others while the long texts are read is enough.
    let linear = (0..5).any(|_| {
        let (small, large) = (time(10_000), time(100_000));
        println!("{small} s for 10,000 and {large} s for 100,000");
        large < 40.0 * small + 0.5
    });
    assert!(linear, "long texts take more than linear time");
}

const SAMPLES: [&str; 5] = [
    "-- | Sums.\nmodule type num = { type t val + : t -> t -> t val zero: t }\n\
     module sums (N: num with t = i32) : { val sum [n]: [n]N.t -> N.t } = {\n\
       def sum [n] (xs: [n]N.t): N.t = reduce (N.+) N.zero xs\n}\n",
    "type opt 'a = #some a | #none\n\
     def get 'a (d: a) (x: opt a) = match x case #some (y: a) -> y case #none -> d\n\
     entry main (xs: []opt i32) = map (get (-1)) xs |> reduce (+) 0\n",
    "local import \"lib/x\"\nopen import \"y\"\n#[noinline]\n\
     def step [n] (xs: *[n]f32, ys: {a: []i32, b: bool}) (i: i64): *[n]f32 =\n\
     \x20 let xs[i] = 1.5e-3f32 + xs[i / 2, ::-1]\n  let ys.a[0] = 0x1.8p3\n\
     \x20 let f x = \\y -> x `max` y && !ys.b\n  in xs with [i] = if f 1 2 then 0 else -xs[0]\n",
    "def main (n: i64) =\n  loop (acc, x) = (0, 1) for i < n do\n    let y = assert (x > 0) x ** 2\n\
     \x20   in (acc + y, (.0) (x, y))\ndef (a, b) +^ (c, d) = (a m.+ c, m.(b * d))\n\
     def r = [0..<10, 1..3...9, n..>0, \"str\\n\", 'c', ???]\n",
    "module m = \\(p: s) : t -> { local def x = p.x : i32 :> [3]i32 def y = #[unsafe] {x, z = (x +), w = (+ x)} }\n\
     type^ f = (x: i64) -> ?[n].[n]i32 -> *(t [x] u)\n",
];

/// Deterministic numbers (xorshift).
struct Random(u64);

impl Random {
    fn below(&mut self, n: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % n.max(1) as u64) as usize
    }
}

#[test]
fn mutated_programs_never_panic() {
    let mut random = Random(0x9E37_79B9_7F4A_7C15);
    let mut broken = 0;
    for sample in SAMPLES {
        accepts(sample);
        let words: Vec<&str> = tokens(FileId(0), sample)
            .iter()
            .map(|t| &sample[t.span.lo as usize..t.span.hi as usize])
            .collect();
        for _ in 0..1_000 {
            let mut words = words.clone();
            for _ in 0..=random.below(3) {
                if words.is_empty() {
                    break;
                }
                let (i, j) = (random.below(words.len()), random.below(words.len()));
                match random.below(4) {
                    0 => drop(words.remove(i)),
                    1 => words.insert(j, words[i]),
                    2 => words.swap(i, j),
                    _ => words.truncate(i),
                }
            }
            let text = words.join([" ", "\n", ""][random.below(3)]);
            let parsed = parse(FileId(0), &text);
            broken += usize::from(!parsed.errors.is_empty());
            for e in &parsed.errors {
                assert!(e.span.lo <= e.span.hi && e.span.hi as usize <= text.len(), "{text}");
            }
        }
        for cut in sample.char_indices().map(|(i, _)| i) {
            parse(FileId(0), &sample[..cut]);
            parse(FileId(0), &sample[cut..]);
        }
    }
    assert!(broken > 3_000, "{broken}");
}
