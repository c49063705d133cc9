//! Scans and reductions of values whose points also make rows, of a size that is known at run time:
//!
//! ```text
//! let (rs, vs) = unzip (map (\\i -> (replicate m i with [0] = 7, i * 2)) (iota n))  let ws = scan (+) 0 vs  in map2 f rs ws
//! ```

use crate::maker::Maker;
use crate::types::{Size, Ty};

/// An array made of a scan and of the rows beside it.
pub(crate) fn scanned(m: &mut Maker<'_>, s: &Size, t: &Ty, depth: usize) -> String {
    let points = Points::new(m, s, t, depth);
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
pub(crate) fn reduced(m: &mut Maker<'_>, t: &Ty, depth: usize) -> String {
    let s = m.size();
    let points = Points::new(m, &s, t, depth);
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

/// Points that make a row and a value each.
struct Points {
    /// Binds the rows and the values.
    text: String,
    rows: String,
    row: Ty,
    /// The values, ready to be reduced.
    values: String,
}

impl Points {
    fn new(m: &mut Maker<'_>, s: &Size, t: &Ty, depth: usize) -> Points {
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
        Points { text, rows, row, values }
    }

    /// The rows, as a name in scope.
    fn bound(&self, s: &Size) -> (String, Ty) {
        (self.rows.clone(), Ty::array(s, self.row.clone()))
    }
}
