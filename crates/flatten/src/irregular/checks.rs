//! Checks of points on which code of the host relies.
//!
//! A check is made again wherever code of points depends on it. But statements of the host may depend on it,
//! too: data are given another shape because each point has checked that the sizes are the same, and there is
//! no code of points in that. So the host checks once that all points have passed. What that check itself
//! says nobody reads: a point says it first.
//!
//! ```text
//! xs :> [m] at each point      let all  = reduce (&&) true (map (\n -> let c = assert (n == m) "..." in <c> true) ns)
//!                              let made = assert all "..."
//!                              let xss  = <made> reshape [width, m] data
//! ```

use super::level::Lift;
use super::loops::over_points;
use super::value::LevelId;
use fehu_base::ops::BinOp;
use fehu_base::Name;
use fehu_ir::build::plain;
use fehu_ir::{Basic, ErrorPart, Exp, Purpose, SubExp, Type};

/// The checks of the points of a level as checks that statements of the host can name.
fn made(lift: &mut Lift<'_>, level: LevelId, checks: &[Name]) -> Option<Vec<Name>> {
    let (of_points, mut made): (Vec<Name>, Vec<Name>) =
        checks.iter().partition(|c| lift.values.contains_key(*c));
    let of_points: Vec<Name> = of_points.into_iter().filter(|c| !lift.are_made(&[*c], level)).collect();
    if of_points.is_empty() {
        return Some(made);
    }
    let made_before = lift
        .known
        .made
        .iter()
        .find(|(at, checks, _)| *at == level && of_points.iter().all(|c| checks.contains(c)));
    if let Some((_, _, known)) = made_before {
        made.push(*known);
        return Some(made);
    }
    let all = over_points(lift, level, ("all", BinOp::LogAnd, SubExp::bool(true)), |f| {
        let ok = f.b.fresh("ok", Type::BOOL);
        let mut stm = plain(ok, Type::BOOL, Exp::Basic(Basic::SubExp(SubExp::bool(true))));
        stm.certs.clone_from(&of_points);
        f.b.push(stm);
        ok.into()
    })?;
    let message = vec![ErrorPart::Text("a check failed".into())];
    let check = lift.b.bind("made", Type::UNIT, Exp::Basic(Basic::Assert(all, message, Purpose::Values)));
    lift.known.made.push((level, of_points, check));
    made.push(check);
    Some(made)
}

/// Emits statements of the host that depend on checks of the points of a level.
pub(super) fn after<'l, T>(
    lift: &mut Lift<'l>,
    level: LevelId,
    checks: &[Name],
    emit: impl FnOnce(&mut Lift<'l>) -> Option<T>,
) -> Option<T> {
    let made = made(lift, level, checks)?;
    let before = lift.b.certs.len();
    lift.b.certs.extend(made);
    let result = emit(lift);
    lift.b.certs.truncate(before);
    result
}
