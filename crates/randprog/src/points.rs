//! Maps over points whose inner sizes differ from point to point.
//!
//! Each point binds a size of its own, and then arrays of sizes that follow from it, one after the other;
//! what it gives is made of these:
//!
//! ```text
//! map (\(x: i32) -> let k = i64.i32 x % 5             a size of this point
//!                   let (a: [k]i64) = iota k
//!                   let [l] (b: [l]i64) = filter p a  a size that is known later
//!                   in reduce (+) 0 b) xs
//! ```
//!
//! Points of scans and reductions also make rows, of a size that is known at run time:
//!
//! ```text
//! let (rs, vs) = unzip (map (\\i -> (replicate m i with [0] = 7, i * 2)) (iota n))  let ws = scan (+) 0 vs  in map2 f rs ws
//! ```

use crate::maker::Maker;
use crate::types::{Size, Ty};

/// A map over points.
pub(crate) fn points(m: &mut Maker<'_>, s: &Size, t: &Ty, depth: usize) -> String {
    let have = m.arrays_of(s);
    let (over, e) = match have.is_empty() || m.c.chance(30) {
        true => (format!("(iota {s})"), Ty::I64),
        false => have[m.c.below(have.len())].clone(),
    };
    let x = m.new_name("x");
    let body = m.with(vec![(x.clone(), e.clone())], |m| point(m, t, depth.saturating_sub(1)));
    let text = format!("(map (\\({x}: {e}) : {t} -> {body}) {over})");
    m.attributed(text)
}

/// One point: a size, some arrays, and what is made of them.
pub(crate) fn point(m: &mut Maker<'_>, ty: &Ty, depth: usize) -> String {
    let k = m.new_name("k");
    let size = match m.c.below(3) {
        0 => nearby_size(m),
        _ => m.index(1),
    };
    let cap = *m.c.pick(&["4", "2", "6", "9", "1", "17"]);
    let count = 1 + m.c.below(4);
    let rest = m.with_size(&k, |m| steps(m, &k.as_str().into(), count, ty, depth));
    format!("(let {k} = {size} % {cap} in {rest})")
}

/// What was bound last, as a number.
fn nearby_size(m: &mut Maker<'_>) -> String {
    m.nearby(fehu_base::prim::ScalarType::I64, 0)
}

/// Some more arrays, the first of which may be made from one of this size, and then the result.
fn steps(m: &mut Maker<'_>, k: &Size, count: usize, ty: &Ty, depth: usize) -> String {
    if count == 0 || m.fuel <= 0 {
        return m.exp(ty, depth);
    }
    let e = match m.c.below(8) {
        6 => Ty::Tuple(vec![Ty::Scalar(m.scalar_type()), Ty::I64]),
        7 => {
            let width = m.size();
            Ty::array(&width, Ty::Scalar(m.scalar_type()))
        }
        _ => Ty::Scalar(m.scalar_type()),
    };
    let within = depth.saturating_sub(2);
    let array = Ty::array(k, e.clone());
    let (a, b, l) = (m.new_name("a"), m.new_name("b"), m.new_name("l"));
    let value = match m.known(&array) {
        Some(name) if m.c.chance(60) => name,
        _ => m.exp(&array, within),
    };
    // As many as before: the array itself.
    if m.c.chance(25) {
        let rest = m.with(vec![(a.clone(), array.clone())], |m| steps(m, k, count - 1, ty, depth));
        return format!("(let ({a}: {array}) = {value} in {rest})");
    }
    let other = m.with(vec![(a.clone(), array.clone())], |m| other_size(m, &a, k, &e, within));
    let size: Size = l.as_str().into();
    let result = Ty::array(&size, e.clone());
    let rest = m.with(vec![(a.clone(), array.clone())], |m| {
        m.with_size(&l, |m| {
            m.with(vec![(b.clone(), result.clone())], |m| steps(m, &size, count - 1, ty, depth))
        })
    });
    format!("(let ({a}: {array}) = {value} let [{l}] ({b}: {result}) = {other} in {rest})")
}

/// An array of another size, made from one.
fn other_size(m: &mut Maker<'_>, a: &str, k: &Size, e: &Ty, depth: usize) -> String {
    let (p, i, x) = (m.new_name("p"), m.new_name("i"), m.new_name("y"));
    let keep = |m: &mut Maker<'_>| {
        let kept = m.with(vec![(p.clone(), e.clone())], |m| m.exp(&Ty::BOOL, depth.min(2)));
        format!("(\\({p}: {e}) -> {kept})")
    };
    match m.c.below(14) {
        0 | 1 => format!("filter {} {a}", keep(m)),
        2 => {
            let size = m.size();
            format!("concat {a} {}", m.exp(&Ty::array(&size, e.clone()), depth))
        }
        3 => format!("{a}[{} % ({k} + 1):]", m.index(1)),
        4 => format!("{a}[:{} % ({k} + 1)]", m.index(1)),
        5 => format!("{a}[{}]", m.c.pick(&["::2", "::-1", "::-2", "::3"])),
        6 => {
            let condition = m.exp(&Ty::BOOL, depth.min(2));
            let (yes, no) = match depth {
                0 => (a.to_owned(), format!("{a}[:{k} / 2]")),
                _ => (other_size(m, a, k, e, depth - 1), other_size(m, a, k, e, depth - 1)),
            };
            format!("(if {condition} then {yes} else {no})")
        }
        7 => {
            // A loop with a bound of its own that changes the size.
            let bound = m.index(1);
            let last = m.with(vec![(i.clone(), Ty::I64)], |m| m.exp(e, depth));
            format!(
                "(loop ({x}: []{e}) = {a} for {i} < {bound} % 4 do \
                 if length {x} < 12 then concat {x} [{last}] else {x}[:length {x} / 2])"
            )
        }
        8 => {
            // Halves, until few are left.
            let (op, _) = m.operator(e, false);
            let least = *m.c.pick(&["1", "2", "3"]);
            format!(
                "(loop ({x}: []{e}) = {} while length {x} > {least} do \
                 let {i} = length {x} / 2 in map2 {op} {x}[:{i}] ({x}[{i}:2 * {i}] :> [{i}]{e}))",
                m.tidied(a, e)
            )
        }
        9 => {
            // Neighbours twice as far each time, as divide and conquer does without recursion.
            let (op, _) = m.operator(e, false);
            let w = m.new_name("w");
            format!(
                "((loop ({x}, {w}) = ({}, 1i64) while {w} < {k} do \
                 (map (\\({i}: i64) -> if ({i} / {w}) % 2 == 0 && {i} + {w} < {k} then {op} {x}[{i}] {x}[{i} + {w}] else {x}[{i}]) \
                 (iota {k}), {w} * 2)).0)",
                m.tidied(a, e)
            )
        }
        10 => {
            let size = m.index(1);
            let value = m.with(vec![(i.clone(), Ty::I64)], |m| m.exp(e, depth));
            format!("tabulate ({size} % 5) (\\({i}: i64) : {e} -> {value})")
        }
        11 => format!("replicate ({} % 4) {}", m.index(1), m.exp(e, depth)),
        12 => format!("(partition {} {a}).{}", keep(m), m.c.below(2)),
        _ => {
            // A scan of those that are kept.
            let (op, ne) = m.operator(e, false);
            let kept = format!("(filter {} {a})", keep(m));
            format!("scan {op} {ne} {}", m.tidied(&kept, e))
        }
    }
}

/// An array made of a scan and of the rows beside it.
pub(crate) fn scanned_beside_rows(m: &mut Maker<'_>, s: &Size, t: &Ty, depth: usize) -> String {
    let points = RowPoints::new(m, s, t, depth);
    let (op, ne) = m.operator(t, false);
    let (w, ty) = (m.new_name("w"), Ty::array(s, t.clone()));
    let (a, b) = (m.new_name("a"), m.new_name("b"));
    let rest = match m.c.below(3) {
        0 => m.with(vec![(w.clone(), ty.clone()), points.bound(s)], |m| m.exp(&ty, depth)),
        _ => {
            let more = vec![(a.clone(), points.row.clone()), (b.clone(), t.clone())];
            let value = m.with(more, |m| m.exp(t, depth));
            format!("(map2 (\\({a}: {}) ({b}: {t}) : {t} -> {value}) {} {w})", points.row, points.rows)
        }
    };
    let scan = m.attributed(format!("(scan {op} {ne} {})", points.values));
    format!("({} let ({w}: {ty}) = {scan} in {rest})", points.text)
}

/// A value made of a reduction and of the rows beside it.
pub(crate) fn reduced_beside_rows(m: &mut Maker<'_>, t: &Ty, depth: usize) -> String {
    let s = m.size();
    let points = RowPoints::new(m, &s, t, depth);
    let (op, ne) = m.operator(t, false);
    let (w, a) = (m.new_name("w"), m.new_name("a"));
    let rest = match m.c.below(3) {
        0 => m.with(vec![(w.clone(), t.clone()), points.bound(&s)], |m| m.exp(t, depth)),
        _ => {
            let more = vec![(w.clone(), t.clone()), (a.clone(), points.row.clone())];
            let value = m.with(more, |m| m.exp(t, depth));
            let values = format!("(map (\\({a}: {}) : {t} -> {value}) {})", points.row, points.rows);
            format!("(reduce {op} {ne} {})", m.tidied(&values, t))
        }
    };
    let reduce = m.attributed(format!("(reduce {op} {ne} {})", points.values));
    format!("({} let ({w}: {t}) = {reduce} in {rest})", points.text)
}

/// RowPoints that make a row and a value each.
struct RowPoints {
    /// Binds the rows and the values.
    text: String,
    rows: String,
    row: Ty,
    /// The values, ready to be reduced.
    values: String,
}

impl RowPoints {
    fn new(m: &mut Maker<'_>, s: &Size, t: &Ty, depth: usize) -> RowPoints {
        let have = m.arrays_of(s);
        let (over, e) = match have.is_empty() || m.c.chance(40) {
            true => (format!("(iota {s})"), Ty::I64),
            false => have[m.c.below(have.len())].clone(),
        };
        let [rows, values, x, i] = ["r", "v", "x", "i"].map(|stem| m.new_name(stem));
        let mut row = Ty::Scalar(m.scalar_type());
        for _ in 0..=m.c.below(2) {
            row = Ty::array(&m.size(), row);
        }
        let (made, value) = m.with(vec![(x.clone(), e.clone())], |m| {
            let made = match &row {
                Ty::Array(w, elem) if m.c.chance(60) => m.in_place(w, elem, depth),
                Ty::Scalar(_) | Ty::Array(..) | Ty::Tuple(_) | Ty::Record(_) | Ty::Sum(..) => {
                    m.exp(&row, depth)
                }
            };
            (made, m.exp(t, depth.min(2)))
        });
        let point = format!("(\\({x}: {e}) : ({row}, {t}) -> let {i} = {made} in ({i}, {value}))");
        let text = format!(
            "let ({rows}: {}, {values}: {}) = unzip (map {point} {over})",
            Ty::array(s, row.clone()),
            Ty::array(s, t.clone())
        );
        let values = m.tidied(&values, t);
        RowPoints { text, rows, row, values }
    }

    /// The rows, as a name in scope.
    fn bound(&self, s: &Size) -> (String, Ty) {
        (self.rows.clone(), Ty::array(s, self.row.clone()))
    }
}
