//! Whole programs: an entry point with what it needs, and arguments for it.
//!
//! ```text
//! generate(Focus::All, Choices::random(1), "p0_")  ->  type p0_s0 = ...           declarations
//!                                                      entry p0_main [n] [m] ...  one entry point
//!                                                      and some lists of arguments
//! ```
//!
//! All names start with the prefix, so that many programs fit into one file, after [`LIBRARY`].

use crate::choices::{Choices, Random};
use crate::derivatives;
use crate::focus;
use crate::focus::Focus;
use crate::maker::Maker;
use crate::types::{is_signed, Size, Ty};
use fehu_base::prim::{FloatType, PrimType, PrimValue, ScalarType};
use fehu_data::{Data, Value};

/// What programs share: polymorphic functions, and functions that make floats small whole numbers, of which
/// sums are exact.
pub const LIBRARY: &str = "\
def at 'a [n] (d: a) (xs: [n]a) (i: i64) : a = if n == 0 then d else xs[i % i64.max 1 n]
def fit 'a [n] (k: i64) (d: a) (xs: [n]a) : [k]a = map (\\i -> at d xs i) (iota k)
def twice 'a (f: a -> a) (x: a) : a = f (f x)
def tidy_f16 (x: f16) : f16 = if f16.isnan x then 0 else f16.round (f16.max (-9) (f16.min 9 x)) + 0
def tidy_f32 (x: f32) : f32 = if f32.isnan x then 0 else f32.round (f32.max (-99) (f32.min 99 x)) + 0
def tidy_f64 (x: f64) : f64 = if f64.isnan x then 0 else f64.round (f64.max (-999) (f64.min 999 x)) + 0
";

/// A program with arguments.
#[derive(Clone, Debug)]
pub struct Program {
    /// Its declarations and its entry point, without the library.
    pub text: String,
    /// The entry point.
    pub entry: String,
    /// The scalar types of its results; a result is a scalar or an array of scalars.
    pub results: Vec<ScalarType>,
    /// Lists of arguments.
    pub inputs: Vec<Vec<Value>>,
    /// The decisions that led here.
    pub choices: Vec<u32>,
    /// Whether its first result says that all is right, on all inputs.
    pub claims: bool,
}

impl Program {
    /// The program as a file of its own.
    pub fn file(&self) -> String {
        file(std::slice::from_ref(self))
    }
}

/// Programs as one file.
pub fn file(programs: &[Program]) -> String {
    let mut text = LIBRARY.to_owned();
    if programs.iter().any(|p| p.claims) {
        text += "\n";
        text += derivatives::LIBRARY;
    }
    for p in programs {
        text += "\n";
        text += &p.text;
    }
    text
}

/// Makes a program.
pub fn generate(focus: Focus, mut choices: Choices, prefix: &str) -> Program {
    if focus == Focus::Derivatives {
        return derivatives::generate(choices, prefix);
    }
    let mut m = Maker::new(focus, &mut choices, prefix);
    let params = params(&mut m);
    let inputs = inputs(m.c, &params);
    m.reckless = m.c.chance(15);
    m.fuel = 0;
    let declarations = m.declarations();
    m.sizes = vec!["n".into(), "m".into()];
    m.env.extend([("n".to_owned(), Ty::I64), ("m".to_owned(), Ty::I64)]);
    m.env.extend(params.iter().cloned());
    let results = results(&mut m);
    m.fuel = *m.c.pick(&[5, 15, 30, 60, 90]);
    let depth = *m.c.pick(&[3, 4, 5, 6]);
    // A parameter that is consumed first.
    let first = match m.c.chance(30) {
        true => {
            let (i, v) = (m.index(1), m.exp(&Ty::Scalar(ScalarType::I32), 2));
            format!("let (i, v) = ({i}, {v}) let us = if n == 0 then us else us with [i % i64.max 1 n] = v\n  in ")
        }
        false => String::new(),
    };
    let bodies: Vec<String> = results
        .iter()
        .map(|ty| match (focus::about(&mut m, ty, depth - 1), ty) {
            (Some(body), _) => body,
            (None, Ty::Array(s, t)) if m.c.chance(50) => m.map(s, t, depth - 1),
            (None, Ty::Scalar(_) | Ty::Array(..) | Ty::Tuple(_) | Ty::Record(_) | Ty::Sum(..)) => {
                m.exp(ty, depth)
            }
        })
        .collect();
    let entry = format!("{prefix}main");
    let shown: Vec<String> = params
        .iter()
        .map(|(x, t)| format!("({x}: {}{t})", if x == "us" && !first.is_empty() { "*" } else { "" }))
        .collect();
    let (ret, body) = match (&results[..], &bodies[..]) {
        ([ty], [body]) => (ty.to_string(), body.clone()),
        _ => (Ty::Tuple(results.clone()).to_string(), format!("({})", bodies.join(",\n   "))),
    };
    let text =
        format!("{declarations}entry {entry} [n] [m] {} : {ret} =\n  {first}{body}\n", shown.join(" "));
    let results = results.iter().filter_map(Ty::bottom).collect();
    Program { text, entry, results, inputs, choices: choices.taken(), claims: false }
}

fn params(m: &mut Maker<'_>) -> Vec<(String, Ty)> {
    let (n, k): (Size, Size) = ("n".into(), "m".into());
    let t = |t| Ty::Scalar(t);
    let mut params = vec![
        ("us".to_owned(), Ty::array(&n, t(ScalarType::I32))),
        ("ys".to_owned(), Ty::array(&k, t(ScalarType::I64))),
    ];
    let more = [
        ("xss", Ty::array(&n, Ty::array(&k, t(ScalarType::I32)))),
        ("k", Ty::I64),
        ("fs", Ty::array(&n, t(ScalarType::F64))),
        ("gs", Ty::array(&k, t(ScalarType::F32))),
        ("bs", Ty::array(&k, Ty::array(&n, t(ScalarType::U8)))),
        ("hs", Ty::array(&n, t(ScalarType::F16))),
        ("x", t(ScalarType::I32)),
        ("flag", Ty::BOOL),
    ];
    for (name, ty) in more {
        if m.c.chance(45) {
            params.push((name.to_owned(), ty));
        }
    }
    params
}

/// The types of results: scalars and arrays of them.
fn results(m: &mut Maker<'_>) -> Vec<Ty> {
    (0..*m.c.pick(&[1, 1, 1, 2, 3]))
        .map(|_| {
            let mut ty = Ty::Scalar(m.scalar_type());
            for _ in 0..*m.c.pick(&[1, 1, 1, 0, 2, 2, 2, 3]) {
                ty = Ty::array(&m.size(), ty);
            }
            ty
        })
        .collect()
}

/// Arguments. One decision makes an array, or lists of decisions would be long: 0 is for zeros.
fn inputs(c: &mut Choices, params: &[(String, Ty)]) -> Vec<Vec<Value>> {
    let mut all = vec![];
    for _ in 0..=c.below(3) {
        let sizes = [0, 1].map(|_| *c.pick(&[3usize, 2, 1, 0, 4, 5, 7, 9, 17, 3, 2, 1, 0, 4, 5, 6, 8, 33]));
        let seed = c.below(1 << 20) as u64;
        let mut random = Random::new(seed);
        let list = params.iter().filter_map(|(_, ty)| {
            let mut shape = vec![];
            let mut t = ty;
            while let Ty::Array(s, elem) = t {
                shape.push(if &**s == "n" { sizes[0] } else { sizes[1] });
                t = elem;
            }
            let Ty::Scalar(t) = t else { return None };
            let mut data = Data::empty(*t);
            for _ in 0..shape.iter().product() {
                data.push(if seed == 0 { zero(*t) } else { number(*t, &mut random) });
            }
            Value::new(shape, data)
        });
        all.push(list.collect());
    }
    all
}

fn zero(t: ScalarType) -> PrimValue {
    t.prim().blank()
}

/// A number as arguments have it: mostly small, sometimes at an edge.
fn number(t: ScalarType, random: &mut Random) -> PrimValue {
    let edge = random.below(12) == 0;
    let (r, small) = (random.next(), random.below(51) as i64 - 20);
    match t.prim() {
        PrimType::Int(w) if edge => {
            let low = i64::MIN >> (64 - w.bits());
            PrimValue::int(w, [low, !low, -1, r as i64][random.below(4)])
        }
        PrimType::Int(w) => PrimValue::int(w, if is_signed(t) { small } else { small.abs() }),
        PrimType::Float(w) if edge => {
            let denormal = match w {
                FloatType::F16 => 6e-8,
                FloatType::F32 => 1e-42,
                FloatType::F64 => 1e-310,
            };
            let edges = [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, -0.0, denormal, 1e300, 0.1, -2.5];
            PrimValue::float(w, edges[random.below(edges.len())])
        }
        PrimType::Float(w) => PrimValue::float(w, small as f64 / 2.0),
        PrimType::Bool | PrimType::Unit => PrimValue::Bool(r % 2 == 0),
    }
}
