//! What programs are mostly about.
//!
//! Programs of all that the language has contain a bit of everything, so few of them combine several forms of
//! one thing. With a focus, a third of all expressions are of forms that passes treat together, one inside of
//! the other:
//!
//! ```text
//! updates      let z = copy xs  let z = z with [::2] = copy z[s-1::-2]  in flat_update_2d z 0 w 1 vs        (`updates`)
//! irregular    map (\x -> let k = x % 5  let [l] (b: [l]i32) = filter p (iota k)  in reduce (+) 0 b) xs     (`points`)
//! lengths      let a = scatter (replicate (k - 24) 0) [0] [9]  let l = length a  in (copy ys)[l]            (`lengths`)
//! both         let (rs, vs) = unzip (map (\i -> (replicate m i, i)) (iota n))  in map2 f rs (scan (+) 0 vs)  (`points`)
//! ```
//!
//! Derivatives have a generator of their own (`derivatives`).
//!
//! Without a focus no decision is taken here, so the programs of seeds stay what they are.

use crate::lengths;
use crate::maker::Maker;
use crate::points;
use crate::types::Ty;
use crate::updates;

/// What a program is mostly about.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Focus {
    /// All that the language has.
    #[default]
    All,
    /// Arrays that are changed, joined and taken to pieces.
    Updates,
    /// Maps over points whose inner sizes differ.
    Irregular,
    /// Lengths of arrays whose sizes may be none.
    Lengths,
    /// Derivatives that must agree, of functions of numbers.
    Derivatives,
}

impl Focus {
    /// All of them, by name.
    pub const NAMES: [(&'static str, Focus); 5] = [
        ("all", Focus::All),
        ("updates", Focus::Updates),
        ("irregular", Focus::Irregular),
        ("lengths", Focus::Lengths),
        ("derivatives", Focus::Derivatives),
    ];
}

/// An expression of the type that is about what the program is about, now and then.
pub(crate) fn focused(m: &mut Maker<'_>, ty: &Ty, depth: usize) -> Option<String> {
    if m.focus == Focus::All || !m.c.chance(35) {
        return None;
    }
    about(m, ty, depth)
}

/// An expression of the type that is about what the program is about.
pub(crate) fn about(m: &mut Maker<'_>, ty: &Ty, depth: usize) -> Option<String> {
    if matches!(m.focus, Focus::Updates | Focus::Irregular) && m.c.chance(12) {
        return Some(match ty {
            Ty::Array(s, t) => points::scanned_beside_rows(m, s, t, depth.saturating_sub(1)),
            Ty::Scalar(_) | Ty::Tuple(_) | Ty::Record(_) | Ty::Sum(..) => {
                points::reduced_beside_rows(m, ty, depth.saturating_sub(1))
            }
        });
    }
    // Functions have no arrays of the program.
    let in_entry = m.env.iter().any(|(x, _)| x == "ys");
    match (m.focus, ty) {
        (Focus::All | Focus::Derivatives, _) => None,
        (Focus::Lengths, _) if !in_entry => None,
        (Focus::Updates, Ty::Array(s, t)) => Some(updates::changed(m, s, t, depth)),
        (Focus::Updates, Ty::Scalar(_) | Ty::Tuple(_) | Ty::Record(_) | Ty::Sum(..)) => {
            Some(updates::after_changes(m, ty, depth))
        }
        (Focus::Irregular, Ty::Array(s, t)) => Some(points::points(m, s, t, depth)),
        (Focus::Irregular, Ty::Scalar(_) | Ty::Tuple(_) | Ty::Record(_) | Ty::Sum(..)) => {
            Some(points::point(m, ty, depth))
        }
        (Focus::Lengths, Ty::Array(s, t)) => Some(lengths::array(m, s, t, depth)),
        (Focus::Lengths, Ty::Scalar(s)) => Some(lengths::used(m, *s)),
        (Focus::Lengths, Ty::Tuple(_) | Ty::Record(_) | Ty::Sum(..)) => None,
    }
}
