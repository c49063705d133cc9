//! Lengths of arrays of negative or excessive sizes, of which only the length is used.
//!
//! ```text
//! let a = scatter (replicate (k - 24) 0) [0] [9]  let k = length a  in  (copy ys)[k]
//! ```
//!
//! Such a program ends with a check that failed. A stage after which it reads outside of an array has
//! believed in a size whose check is gone.

use crate::maker::Maker;
use crate::types::{Size, Ty};
use fehu_base::prim::ScalarType;

/// Sizes; `q` is a number of the program.
const SIZES: [&str; 14] = [
    "q",
    "q - 24",
    "-3",
    "q - n",
    "q / 2",
    "q % 7 + q",
    "0 - n",
    "q * 4611686018427387904",
    "4611686018427387904 + q",
    "i64.lowest + n",
    "i64.min q 40",
    "i64.max q (-2)",
    "if q > 3 then q else n - 5",
    "m - n",
];

/// Arrays of that size, of `i64`.
const BASES: [&str; 15] = [
    "iota S",
    "replicate S 7i64",
    "tabulate S (+ 2)",
    "map (^ 3) (0..<S)",
    "hist (+) 0i64 S [0, 1] [4, 5]",
    "copy (replicate S q)",
    "ys[:S]",
    "ys[S:]",
    "ys[S:S + 2]",
    "ys[q:S:2]",
    "flatten (replicate S [1i64, 2])",
    "flatten (replicate 2 (iota S))",
    "filter (>= 0) (iota S)",
    "(if q > 1 then iota S else replicate (S + 0 * m) 7i64)",
    "(if q > 1 then (loop z = iota S for _i < q do map (+ 1) z) else replicate (S + 0 * n) q)",
];

/// Arrays made of another, `A`.
const STEPS: [&str; 18] = [
    "map (+ 1) A",
    "scan (+) 0 A",
    "rotate 3 A",
    "reverse A",
    "scatter (copy A) [0] [9]",
    "reduce_by_index (copy A) (+) 0 [0] [9]",
    "filter (> 3) A",
    "(A ++ [q])",
    "(transpose [A, A])[:, 0]",
    "(if q > 1 then A else map (+ 2) A)",
    "(loop z = A for _i < q % 3 do map (+ 1) z)",
    "(loop z = A while length z > 90 do z[1:])",
    "(map (\\r -> map (+ r) A) [1, 2])[0]",
    "(unzip (zip A A)).0",
    "take (length A) A",
    "A[:q]",
    "(let l = length A in iota (l + l))",
    "(#[unsafe] map (* 2) A)",
];

/// What is computed of a length, `l`: mostly something that must be within an array.
const USES: [&str; 11] = [
    "(copy ys)[l]",
    "(let c = copy ys with [l] = 99 in i64.sum c)",
    "(let c = loop c = replicate 64 0i64 for i < 64 - l do c with [l + i] = 7 in i64.sum c)",
    "(let c = loop c = replicate (l + 20) 0i64 for i < 20 do c with [i] = i in i64.sum c)",
    "(i64.sum ys[l:m])",
    "(copy ys)[i64.min l (m - 1)]",
    "(let v = map (\\e -> ys[i64.min (length (iota (l - e % 2))) (m - 1)]) ys in i64.sum (scan (+) 0 v) + i64.maximum v)",
    "(i64.sum (map (\\e -> i64.sum (map (+ e) (iota (1 + ys[i64.min (length (iota (e % 9 - l))) (m - 1)] % 4)))) ys))",
    "(loop s = 0 for i < m do if i < m - l then s + ys[i + l] else s)",
    "(loop s = 0 for i < m do if i >= l then s + ys[i - l] else s)",
    "(i64.sum (map (\\i -> if i < l then 0 else ys[i - l]) (iota m)))",
];

/// A number that is made of such a length.
pub(crate) fn used(m: &mut Maker<'_>, to: ScalarType) -> String {
    let [q, l] = ["q", "l"].map(|stem| m.new_name(stem));
    let number = m.index(1);
    let size = m.c.pick(&SIZES).to_string();
    let mut text = format!("let {q} = i64.min 1000 ({number})");
    // The size itself is a number of the program: it is the same when the array is gone.
    let p = m.new_name("p");
    text += &format!(" let {p} = {}", named(&size, &q, &l));
    let mut array = m.c.pick(&BASES).replace('S', &format!("({size})"));
    for _ in 0..=m.c.below(3) {
        let a = m.new_name("a");
        text += &format!(" let {a} = {}", named(&array, &q, &l));
        // Of another name for the size: sizes that the checker knows to be equal are one.
        text += &format!(" let {a} = {a} :> [length {a}]i64");
        array = m.c.pick(&STEPS).replace('A', &a);
    }
    let value = format!("({} + i64.bool ({p} > 987654))", named(m.c.pick::<&str>(&USES), &q, &l));
    let value = m.converted(&value, ScalarType::I64, to);
    format!("({text} let {l} = length ({}) in {value})", named(&array, &q, &l))
}

/// Numbers, or elements, that are made of such a length.
pub(crate) fn array(m: &mut Maker<'_>, s: &Size, t: &Ty, depth: usize) -> String {
    match t {
        Ty::Scalar(e) => format!("(let v = {} in map (const v) (iota {s}))", used(m, *e)),
        Ty::Array(..) | Ty::Tuple(_) | Ty::Record(_) | Ty::Sum(..) => m.map(s, t, depth),
    }
}

/// The text with the names of the number and of the length.
fn named(text: &str, q: &str, l: &str) -> String {
    let mut out = String::new();
    let mut word = String::new();
    for c in text.chars().chain([' ']) {
        if c.is_alphanumeric() || c == '_' || c == '\'' {
            word.push(c);
            continue;
        }
        out += match word.as_str() {
            "q" => q,
            "l" => l,
            other => other,
        };
        word.clear();
        out.push(c);
    }
    out.pop();
    out
}
