//! Arrays after several changes: elements, slices of every stride, parts of themselves, joined parts, flat
//! slices; in loops, branches and functions that consume.
//!
//! ```text
//! (let (z: *[n]i32) = copy xs  let z = z with [k:] = copy z[:n - k]  let z = loop ... in z)
//! (let (z: *[n]i32) = copy xs  let j = rotate 1 z  let z = z with [0] = 7  in map2 (+) j z)
//! ```

use crate::maker::Maker;
use crate::types::{Size, Ty};

/// A fresh array after one to four changes, each of which may use the array as it was before it, and arrays
/// that were joined of its parts before earlier changes.
pub(crate) fn changed(m: &mut Maker<'_>, s: &Size, t: &Ty, depth: usize) -> String {
    let depth = depth.saturating_sub(1);
    let ty = Ty::array(s, t.clone());
    let (z, start) = (m.new_name("z"), m.fresh(s, t, depth));
    let mut text = format!("(let ({z}: *{ty}) = {start}");
    let outside = m.env.len();
    for _ in 0..=m.c.below(4) {
        if m.c.chance(30) {
            let (j, joined) = (m.new_name("j"), joined(m, &z, s, t, depth));
            text += &format!(" let ({j}: {ty}) = {joined}");
            m.env.push((j, ty.clone()));
        }
        let change = change(m, &z, s, t, depth);
        text += &format!(" let ({z}: *{ty}) = {change}");
    }
    let result = match m.env[outside..].last().cloned() {
        Some((j, _)) if m.c.chance(70) => beside_joined(m, &z, &j, s, t, depth),
        Some(_) | None => z,
    };
    m.env.truncate(outside);
    format!("{text} in {result})")
}

/// An array of the size of `z` made of its parts, that shares nothing with it: `z` may be consumed afterwards.
fn joined(m: &mut Maker<'_>, z: &str, s: &Size, t: &Ty, depth: usize) -> String {
    let ty = Ty::array(s, t.clone());
    let (k, q, at) = (m.new_name("k"), m.new_name("q"), m.index(1));
    let parts = match m.c.below(if matches!(t, Ty::Array(..)) { 14 } else { 9 }) {
        0 | 1 => return format!("(rotate {at} {z})"),
        2 => return format!("(copy (reverse {z}))"),
        3 => return format!("(rotate {at} (rotate 1 {z}))"),
        4 => format!("concat {z}[{k}:] {z}[:{k}]"),
        5 => {
            let other = m.with(vec![(z.to_owned(), ty.clone())], |m| m.exp(&ty, depth.min(2)));
            format!("let {q} = {other} in concat {z}[:{k}] {q}[{k}:]")
        }
        6 => format!("concat (reverse {z}[:{k}]) {z}[{k}:]"),
        7 => format!("concat {z}[{k}:] (map id {z}[:{k}])"),
        8 => format!("concat {z}[:0] (concat {z}[:{k}][::-1] {z}[{k}:])"),
        9 => return format!("(let {k} = {at} in map (rotate {k}) {z})"),
        10 => return format!("(transpose (rotate {at} (transpose {z})))"),
        11 => return format!("(copy (transpose (transpose {z})))"),
        12 => return format!("(unflatten (rotate {at} (flatten {z})) :> {ty})"),
        _ => return format!("(map (\\{q} -> concat {q}[1:] {q}[:1] :> {t}) {z}[::-1] :> {ty})"),
    };
    format!("(let {k} = {at} % ({s} + 1) in ({parts}) :> {ty})")
}

/// A changed array and one that was joined of its parts before, read together.
fn beside_joined(m: &mut Maker<'_>, z: &str, j: &str, s: &Size, t: &Ty, depth: usize) -> String {
    let (a, b) = (m.new_name("a"), m.new_name("b"));
    match m.c.below(4) {
        0 => format!("({z} with [::2] = copy {j}[::2])"),
        1 => format!("(copy (concat {z}[{s} / 2:] {j}[:{s} / 2] :> {}))", Ty::array(s, t.clone())),
        _ => {
            let more = vec![(a.clone(), t.clone()), (b.clone(), t.clone())];
            let value = m.with(more, |m| m.exp(t, depth.max(1)));
            format!("(map2 (\\({a}: {t}) ({b}: {t}) : {t} -> copy {value}) {j} {z})")
        }
    }
}

/// An expression that uses changed arrays.
pub(crate) fn after_changes(m: &mut Maker<'_>, ty: &Ty, depth: usize) -> String {
    let (s, t, x) = (m.size(), m.some_type(2), m.new_name("u"));
    let changed = changed(m, &s, &t, depth);
    let array = Ty::array(&s, t);
    let rest = m.with(vec![(x.clone(), array.clone())], |m| m.exp(ty, depth.saturating_sub(1)));
    format!("(let ({x}: {array}) = {changed} in {rest})")
}

/// The array `z` after a change, which consumes it.
fn change(m: &mut Maker<'_>, z: &str, s: &Size, t: &Ty, depth: usize) -> String {
    let ty = Ty::array(s, t.clone());
    let bound = vec![(z.to_owned(), ty.clone())];
    let (i, v, q) = (m.new_name("i"), m.new_name("v"), m.new_name("q"));
    match m.c.below(14) {
        0 => {
            let (at, value) = m.with(bound, |m| (m.index(1), m.exp(t, depth)));
            format!(
                "(let ({i}, {v}) = ({at}, copy {value}) in if {s} == 0 then {z} else {z} with [{i} % i64.max 1 {s}] = {v})"
            )
        }
        1 => {
            // An update of an update, of elements that may be the same.
            let (a, b) = m.with(bound, |m| (m.exp(t, depth), m.exp(t, depth)));
            let (at, w) = (m.index(1), m.new_name("w"));
            format!(
                "(let ({v}, {w}, {i}) = (copy {a}, copy {b}, {at}) in if {s} == 0 then {z} \
                 else ({z} with [{i} % i64.max 1 {s}] = {v}) with [{s} / 2] = {w})"
            )
        }
        2..=4 => {
            let (to, from) = slices_of_one_size(m, z, &v, s, &ty, depth);
            format!("({from} in {z} with {to} = {v})")
        }
        5 => {
            // All of it from joined parts of it.
            let k = m.new_name("k");
            let at = m.index(1);
            let other = m.with(bound, |m| m.exp(&ty, depth));
            let joined = match m.c.below(4) {
                0 => format!("concat {z}[{k}:] {z}[:{k}]"),
                1 => format!("concat {z}[:{k}] {q}[{k}:]"),
                2 => format!("concat (reverse {z}[:{k}]) (map id {q}[{k}:])"),
                _ => format!("concat {q}[{k}:] (concat {z}[:{k}][::-1] {z}[:0])"),
            };
            format!(
                "(let {q} = {other} let {k} = {at} % ({s} + 1) let {v} = ({joined}) :> {ty} in {z} with [:] = {v})"
            )
        }
        6 => {
            // Some elements, or slices, one after the other.
            let count = *m.c.pick(&["3i64", "2", "5"]);
            let more = vec![(z.to_owned(), ty.clone()), (i.clone(), Ty::I64)];
            let value = m.with(more, |m| m.exp(t, depth));
            let update = match m.c.below(3) {
                0 => format!("{z} with [({i} * 2) % i64.max 1 {s}] = {v}"),
                1 => format!("{z} with [{i} % i64.max 1 {s} : {i} % i64.max 1 {s} + 1] = [{v}]"),
                _ => format!("{z} with [{s} - 1 - {i} % i64.max 1 {s}] = {v}"),
            };
            format!(
                "(loop ({z}: *{ty}) = {z} for {i} < {count} do let {v} = copy {value} in if {s} == 0 then {z} else {update})"
            )
        }
        7 => {
            // Two arrays that change places.
            let other = m.fresh(s, t, depth);
            let more = vec![(z.to_owned(), ty.clone()), (q.clone(), ty.clone()), (i.clone(), Ty::I64)];
            let value = m.with(more, |m| m.exp(t, depth));
            format!(
                "((loop ({z}: *{ty}, {q}: *{ty}) = ({z}, {other}) for {i} < 3i64 do \
                 let {v} = copy {value} in if {s} == 0 then ({q}, {z}) else ({q}, {z} with [{i} % i64.max 1 {s}] = {v})).0)"
            )
        }
        8 => {
            let condition = m.with(bound.clone(), |m| m.exp(&Ty::BOOL, 1));
            let c = m.new_name("b");
            let yes = change(m, z, s, t, depth.saturating_sub(1));
            let no = match m.c.chance(50) {
                true => z.to_owned(),
                false => change(m, z, s, t, depth.saturating_sub(1)),
            };
            format!("(let {c} = {condition} in if {c} then {yes} else {no})")
        }
        9 => {
            // A function that consumes.
            let f = m.new_name("f");
            let body = change(m, z, s, t, depth.saturating_sub(1));
            let calls = match m.c.chance(30) {
                true => format!("{f} ({f} {z})"),
                false => format!("{f} {z}"),
            };
            format!("(let {f} ({z}: *{ty}) : *{ty} = {body} in {calls})")
        }
        10 => flat_change(m, z, s, t, depth),
        11 => {
            // Every element from others, and back.
            let value = m.with(vec![(z.to_owned(), ty), (i.clone(), Ty::I64)], |m| m.exp(t, depth));
            format!("(let {v} = map (\\({i}: i64) : {t} -> copy {value}) (iota {s}) in {z} with [:] = {v})")
        }
        12 => {
            // A loop that is in the array until a condition fails.
            let more = vec![(z.to_owned(), ty.clone()), (i.clone(), Ty::I64)];
            let (go, value) = m.with(more, |m| (m.exp(&Ty::BOOL, 1), m.exp(t, depth)));
            format!(
                "((loop ({z}: *{ty}, {i}) = ({z}, 0i64) while {i} < i64.min 5 {s} && ({i} == 0 || {go}) do \
                 let {v} = copy {value} in ({z} with [{i}] = {v}, {i} + 1)).0)"
            )
        }
        _ => change_of_rows(m, z, s, t, depth),
    }
}

/// A slice to write to, and the text that binds `v` to as many elements: of `z` itself, or of another array.
fn slices_of_one_size(
    m: &mut Maker<'_>,
    z: &str,
    v: &str,
    s: &Size,
    ty: &Ty,
    depth: usize,
) -> (String, String) {
    let (k, q) = (m.new_name("k"), m.new_name("q"));
    let at = m.index(1);
    let other = m.with(vec![(z.to_owned(), ty.clone())], |m| m.exp(ty, depth));
    let source = if m.c.chance(50) { z } else { &q };
    let (to, from) = match m.c.below(9) {
        0 => (format!("[:{k}]"), format!("[{s} - {k}:]")),
        1 => (format!("[{k}:]"), format!("[:{s} - {k}]")),
        2 => (format!("[{s} - {k}:]"), format!("[:{k}]")),
        3 => ("[::-1]".into(), "[:]".into()),
        4 => ("[::2]".into(), "[::2]".into()),
        5 => ("[::-2]".into(), "[::-2]".into()),
        6 => ("[::3]".into(), format!("[:({s} + 2) / 3]")),
        7 => (format!("[{k} / 2:{k}]"), format!("[:{k} - {k} / 2]")),
        _ => (format!("[:{k}:2]"), format!("[:({k} + 1) / 2]")),
    };
    let bind = format!("let {q} = {other} let {k} = {at} % ({s} + 1) let {v} = copy {source}{from}");
    (to, bind)
}

/// A change by the prelude's flat updates: rows or columns of the array taken for a matrix.
fn flat_change(m: &mut Maker<'_>, z: &str, s: &Size, t: &Ty, depth: usize) -> String {
    let [w, k, v, q, i, j] = ["w", "k", "v", "q", "i", "j"].map(|stem| m.new_name(stem));
    let ty = Ty::array(s, t.clone());
    let width = m.index(1);
    let bound = vec![(z.to_owned(), ty.clone()), (i.clone(), Ty::I64), (j.clone(), Ty::I64)];
    let value = m.with(bound, |m| m.exp(t, depth));
    let (offset, strides) = match m.c.below(4) {
        0 => ("0".to_owned(), [&w, "1"]),
        1 => ("0".to_owned(), ["1", &k]),
        2 => (format!("({s} - {k} * {w})"), [w.as_str(), "1"]),
        _ => (format!("({s} - {k} * {w})"), ["1", k.as_str()]),
    };
    let [a, b] = strides;
    let values = match m.c.below(3) {
        0 => format!("tabulate_2d {k} {w} (\\({i}: i64) ({j}: i64) : {t} -> copy {value})"),
        1 => format!("(let {q} = {} in copy (flat_index_2d {q} 0 {k} {w} {w} 1))", m.exp(&ty, depth)),
        _ => format!("copy (flat_index_2d {z} 0 {k} 1 {w} {k})"),
    };
    format!(
        "(let {w} = {width} % 3 + 1 let {k} = {s} / {w} let {v} = {values} in flat_update_2d {z} {offset} {a} {b} {v})"
    )
}

/// A change of rows, columns or a block; of vectors, of all elements.
fn change_of_rows(m: &mut Maker<'_>, z: &str, s: &Size, t: &Ty, depth: usize) -> String {
    let (v, k) = (m.new_name("v"), m.new_name("k"));
    let ty = Ty::array(s, t.clone());
    let at = m.index(1);
    let bound = vec![(z.to_owned(), ty.clone())];
    let Ty::Array(w, e) = t else {
        let value = m.with(bound, |m| m.exp(&ty, depth));
        return format!("(let {v} = copy {value} in {z} with [:] = {v})");
    };
    let column = Ty::array(s, (**e).clone());
    match m.c.below(4) {
        0 => {
            let value = m.with(bound, |m| m.exp(&column, depth));
            format!(
                "(let ({v}, {k}) = (copy {value}, {at}) in if {w} == 0 then {z} else {z} with [:, {k} % i64.max 1 {w}] = {v})"
            )
        }
        1 => {
            let value = m.with(bound, |m| m.exp(t, depth));
            format!(
                "(let ({v}, {k}) = (copy {value}, {at}) in if {s} == 0 then {z} else {z} with [{k} % i64.max 1 {s}, ::-1] = {v})"
            )
        }
        2 => {
            let value = m.with(bound, |m| m.exp(&ty, depth));
            format!(
                "(let {k} = {at} % ({s} + 1) let {v} = {value} let {v} = copy {v}[{s} - {k}:, ::-1] in {z} with [:{k}, :] = {v})"
            )
        }
        _ => format!("(let {v} = copy {z}[::-1, ::2] in {z} with [:, ::2] = {v})"),
    }
}
