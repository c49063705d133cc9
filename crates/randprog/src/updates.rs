//! Arrays after several changes: elements, slices of every stride, parts of themselves, joined parts, flat slices; in loops, branches and
//! functions that consume.
//!
//! ```text
//! (let (z: *[n]i32) = copy xs  let z = z with [k:] = copy z[:n - k]  let z = loop ... in z)
//! ```

use crate::maker::Maker;
use crate::types::{Size, Ty};

impl Maker<'_> {
    /// A fresh array after one to four changes, each of which may use the array as it was before it.
    pub(crate) fn changed(&mut self, s: &Size, t: &Ty, depth: usize) -> String {
        let depth = depth.saturating_sub(1);
        let ty = Ty::array(s, t.clone());
        let (z, start) = (self.new_name("z"), self.fresh(s, t, depth));
        let mut text = format!("(let ({z}: *{ty}) = {start}");
        for _ in 0..=self.c.below(4) {
            let change = self.change(&z, s, t, depth);
            text += &format!(" let ({z}: *{ty}) = {change}");
        }
        format!("{text} in {z})")
    }

    /// An expression that uses changed arrays.
    pub(crate) fn after_changes(&mut self, ty: &Ty, depth: usize) -> String {
        let (s, t, x) = (self.size(), self.some_type(2), self.new_name("u"));
        let changed = self.changed(&s, &t, depth);
        let array = Ty::array(&s, t);
        let rest = self.with(vec![(x.clone(), array.clone())], |m| m.exp(ty, depth.saturating_sub(1)));
        format!("(let ({x}: {array}) = {changed} in {rest})")
    }

    /// The array `z` after a change, which consumes it.
    fn change(&mut self, z: &str, s: &Size, t: &Ty, depth: usize) -> String {
        let ty = Ty::array(s, t.clone());
        let bound = vec![(z.to_owned(), ty.clone())];
        let (i, v, q) = (self.new_name("i"), self.new_name("v"), self.new_name("q"));
        match self.c.below(14) {
            0 => {
                let (at, value) = self.with(bound, |m| (m.index(1), m.exp(t, depth)));
                format!(
                    "(let ({i}, {v}) = ({at}, copy {value}) in if {s} == 0 then {z} else {z} with [{i} % i64.max 1 {s}] = {v})"
                )
            }
            1 => {
                // An update of an update, of elements that may be the same.
                let (a, b) = self.with(bound, |m| (m.exp(t, depth), m.exp(t, depth)));
                let (at, w) = (self.index(1), self.new_name("w"));
                format!(
                    "(let ({v}, {w}, {i}) = (copy {a}, copy {b}, {at}) in if {s} == 0 then {z} \
                     else ({z} with [{i} % i64.max 1 {s}] = {v}) with [{s} / 2] = {w})"
                )
            }
            2..=4 => {
                let (to, from) = self.slices_of_one_size(z, &v, s, &ty, depth);
                format!("({from} in {z} with {to} = {v})")
            }
            5 => {
                // All of it from joined parts of it.
                let k = self.new_name("k");
                let at = self.index(1);
                let other = self.with(bound, |m| m.exp(&ty, depth));
                let joined = match self.c.below(4) {
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
                let count = *self.c.pick(&["3i64", "2", "5"]);
                let more = vec![(z.to_owned(), ty.clone()), (i.clone(), Ty::I64)];
                let value = self.with(more, |m| m.exp(t, depth));
                let update = match self.c.below(3) {
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
                let other = self.fresh(s, t, depth);
                let more = vec![(z.to_owned(), ty.clone()), (q.clone(), ty.clone()), (i.clone(), Ty::I64)];
                let value = self.with(more, |m| m.exp(t, depth));
                format!(
                    "((loop ({z}: *{ty}, {q}: *{ty}) = ({z}, {other}) for {i} < 3i64 do \
                     let {v} = copy {value} in if {s} == 0 then ({q}, {z}) else ({q}, {z} with [{i} % i64.max 1 {s}] = {v})).0)"
                )
            }
            8 => {
                let condition = self.with(bound.clone(), |m| m.exp(&Ty::BOOL, 1));
                let c = self.new_name("b");
                let yes = self.change(z, s, t, depth.saturating_sub(1));
                let no = match self.c.chance(50) {
                    true => z.to_owned(),
                    false => self.change(z, s, t, depth.saturating_sub(1)),
                };
                format!("(let {c} = {condition} in if {c} then {yes} else {no})")
            }
            9 => {
                // A function that consumes.
                let f = self.new_name("f");
                let body = self.change(z, s, t, depth.saturating_sub(1));
                let calls = match self.c.chance(30) {
                    true => format!("{f} ({f} {z})"),
                    false => format!("{f} {z}"),
                };
                format!("(let {f} ({z}: *{ty}) : *{ty} = {body} in {calls})")
            }
            10 => self.flat_change(z, s, t, depth),
            11 => {
                // Every element from others, and back.
                let value = self.with(vec![(z.to_owned(), ty), (i.clone(), Ty::I64)], |m| m.exp(t, depth));
                format!(
                    "(let {v} = map (\\({i}: i64) : {t} -> copy {value}) (iota {s}) in {z} with [:] = {v})"
                )
            }
            12 => {
                // A loop that is in the array until a condition fails.
                let more = vec![(z.to_owned(), ty.clone()), (i.clone(), Ty::I64)];
                let (go, value) = self.with(more, |m| (m.exp(&Ty::BOOL, 1), m.exp(t, depth)));
                format!(
                    "((loop ({z}: *{ty}, {i}) = ({z}, 0i64) while {i} < i64.min 5 {s} && ({i} == 0 || {go}) do \
                     let {v} = copy {value} in ({z} with [{i}] = {v}, {i} + 1)).0)"
                )
            }
            _ => self.change_of_rows(z, s, t, depth),
        }
    }

    /// A slice to write to, and the text that binds `v` to as many elements: of `z` itself, or of another array.
    fn slices_of_one_size(&mut self, z: &str, v: &str, s: &Size, ty: &Ty, depth: usize) -> (String, String) {
        let (k, q) = (self.new_name("k"), self.new_name("q"));
        let at = self.index(1);
        let other = self.with(vec![(z.to_owned(), ty.clone())], |m| m.exp(ty, depth));
        let source = if self.c.chance(50) { z } else { &q };
        let (to, from) = match self.c.below(9) {
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
    fn flat_change(&mut self, z: &str, s: &Size, t: &Ty, depth: usize) -> String {
        let [w, k, v, q, i, j] = ["w", "k", "v", "q", "i", "j"].map(|stem| self.new_name(stem));
        let ty = Ty::array(s, t.clone());
        let width = self.index(1);
        let bound = vec![(z.to_owned(), ty.clone()), (i.clone(), Ty::I64), (j.clone(), Ty::I64)];
        let value = self.with(bound, |m| m.exp(t, depth));
        let (offset, strides) = match self.c.below(4) {
            0 => ("0".to_owned(), [&w, "1"]),
            1 => ("0".to_owned(), ["1", &k]),
            2 => (format!("({s} - {k} * {w})"), [w.as_str(), "1"]),
            _ => (format!("({s} - {k} * {w})"), ["1", k.as_str()]),
        };
        let [a, b] = strides;
        let values = match self.c.below(3) {
            0 => format!("tabulate_2d {k} {w} (\\({i}: i64) ({j}: i64) : {t} -> copy {value})"),
            1 => format!("(let {q} = {} in copy (flat_index_2d {q} 0 {k} {w} {w} 1))", self.exp(&ty, depth)),
            _ => format!("copy (flat_index_2d {z} 0 {k} 1 {w} {k})"),
        };
        format!(
            "(let {w} = {width} % 3 + 1 let {k} = {s} / {w} let {v} = {values} in flat_update_2d {z} {offset} {a} {b} {v})"
        )
    }

    /// A change of rows, columns or a block; of vectors, of all elements.
    fn change_of_rows(&mut self, z: &str, s: &Size, t: &Ty, depth: usize) -> String {
        let (v, k) = (self.new_name("v"), self.new_name("k"));
        let ty = Ty::array(s, t.clone());
        let at = self.index(1);
        let bound = vec![(z.to_owned(), ty.clone())];
        let Ty::Array(w, e) = t else {
            let value = self.with(bound, |m| m.exp(&ty, depth));
            return format!("(let {v} = copy {value} in {z} with [:] = {v})");
        };
        let column = Ty::array(s, (**e).clone());
        match self.c.below(4) {
            0 => {
                let value = self.with(bound, |m| m.exp(&column, depth));
                format!(
                    "(let ({v}, {k}) = (copy {value}, {at}) in if {w} == 0 then {z} else {z} with [:, {k} % i64.max 1 {w}] = {v})"
                )
            }
            1 => {
                let value = self.with(bound, |m| m.exp(t, depth));
                format!(
                    "(let ({v}, {k}) = (copy {value}, {at}) in if {s} == 0 then {z} else {z} with [{k} % i64.max 1 {s}, ::-1] = {v})"
                )
            }
            2 => {
                let value = self.with(bound, |m| m.exp(&ty, depth));
                format!(
                    "(let {k} = {at} % ({s} + 1) let {v} = {value} let {v} = copy {v}[{s} - {k}:, ::-1] in {z} with [:{k}, :] = {v})"
                )
            }
            _ => format!("(let {v} = copy {z}[::-1, ::2] in {z} with [:, ::2] = {v})"),
        }
    }
}
