//! Arrays made of other arrays without computing: slices of every stride, rotations, transpositions, concatenations,
//! rows taken together and separated again.

use crate::maker::Maker;
use crate::types::{Size, Ty};

impl Maker<'_> {
    pub(crate) fn rearrange(&mut self, s: &Size, t: &Ty, depth: usize) -> String {
        let ty = Ty::array(s, t.clone());
        if let (Ty::Array(w, e), true) = (t, self.c.chance(50)) {
            return self.rearrange_rows(s, w, e, depth);
        }
        let xs = self.exp(&ty, depth);
        let (o, q) = (self.size(), self.new_name("q"));
        let other = |m: &mut Self| m.exp(&Ty::array(&o, t.clone()), depth);
        match self.c.below(18) {
            0 => format!("(reverse {xs})"),
            1 => format!("(rotate {} {xs})", self.index(depth.min(2))),
            2 => format!("(let {q} = {xs} in {q}[::-1])"),
            3 => format!("(fit {s} {} {})", self.leaf(t), other(self)),
            4 => format!("(take {s} (concat {xs} {}))", other(self)),
            5 => format!("(drop {o} (concat {} {xs}) :> {ty})", other(self)),
            6 => format!("(let {q} = concat {xs} {} in {q}[:{s}] :> {ty})", other(self)),
            7 => format!("((flatten (transpose [{xs}, {}]))[::2] :> {ty})", self.exp(&ty, depth)),
            8 => format!("((flatten [{xs}, {}])[2*{s}-1:{s}-1:-1] :> {ty})", self.exp(&ty, depth)),
            9 => format!("(let {q} = {xs} in concat {q}[{s}/2:] {q}[:{s}/2] :> {ty})"),
            10 => format!("(copy {xs})"),
            11 => {
                let i = self.new_name("i");
                let elem = self.with(vec![(i.clone(), Ty::I64)], |m| m.exp(t, depth));
                format!("(tabulate {s} (\\({i}: i64) : {t} -> {elem}))")
            }
            12 => format!("(zip {xs} (iota {s}) |> map (.0))"),
            13 => format!("((unzip (zip {} {xs})).1)", self.leaf(&Ty::array(s, Ty::I64))),
            14 => {
                // A part that is computed by position from one that is not.
                let (i, e) = (self.new_name("i"), self.exp(t, depth));
                let (a, k) = (self.index(1), self.new_name("k"));
                format!(
                    "(let {k} = {a} % ({s} + 1) in concat (replicate {k} {e}) (tabulate ({s} - {k}) (\\{i} -> at {e} {xs} ({i} * 2))) :> {ty})"
                )
            }
            15 => format!(
                "(map (\\{q} -> {q}[0]) (unflatten (flatten (map (\\y -> [y]) {xs} :> [{s}][1]{t}))))"
            ),
            16 if self.reckless => {
                let (a, b) = (self.index(1), self.index(1));
                format!("(let {q} = concat {xs} {} in {q}[{a} % 9:{b} % 30] :> {ty})", other(self))
            }
            16 => format!("(replicate {s} {})", self.exp(t, depth)),
            _ => {
                let keep = self.new_name("p");
                let condition =
                    self.with(vec![(keep.clone(), t.clone())], |m| m.exp(&Ty::BOOL, depth.min(2)));
                format!(
                    "(let (a, b) = partition (\\({keep}: {t}) -> {condition}) {xs} in concat b a :> {ty})"
                )
            }
        }
    }

    fn rearrange_rows(&mut self, s: &Size, w: &Size, e: &Ty, depth: usize) -> String {
        let row = Ty::array(w, e.clone());
        let ty = Ty::array(s, row.clone());
        let q = self.new_name("q");
        if self.c.below(3) == 0 {
            let flipped = Ty::array(w, Ty::array(s, e.clone()));
            return format!("(transpose {})", self.exp(&flipped, depth));
        }
        let xs = self.exp(&ty, depth);
        match self.c.below(8) {
            0 => format!("(map reverse {xs})"),
            1 => format!("(unflatten (flatten {xs}) :> {ty})"),
            // A function that is an argument may not consume.
            2 => format!("(let {q} = {} in map (rotate {q}) {xs})", self.index(1)),
            3 => format!("(let {q} = {xs} in {q}[::-1, ::-1])"),
            4 => format!("(unflatten (rotate {} (flatten {xs})) :> {ty})", self.index(1)),
            5 => format!("(transpose (map reverse (transpose {xs})))"),
            6 => {
                let i = self.new_name("i");
                format!("(let {q} = {xs} in map (\\{i} -> {q}[{s} - 1 - {i}, :]) (iota {s}))")
            }
            _ => {
                let (i, j) = (self.new_name("i"), self.new_name("j"));
                let elem = self.with(vec![(i.clone(), Ty::I64), (j.clone(), Ty::I64)], |m| m.exp(e, depth));
                format!("(tabulate_2d {s} {w} (\\({i}: i64) ({j}: i64) : {e} -> {elem}))")
            }
        }
    }

    /// An array that is written as a list of parts.
    pub(crate) fn parts(&mut self, s: &Size, t: &Ty, depth: usize) -> String {
        match &**s {
            "1" => format!("[{}]", self.exp(t, depth)),
            "3" => {
                let parts = [0, 1, 2].map(|_| self.exp(t, depth));
                format!("[{}]", parts.join(", "))
            }
            _ => {
                let [a, b] = [0, 1].map(|_| self.exp(t, depth));
                format!("(fit {s} {} [{a}, {b}])", self.leaf(t))
            }
        }
    }
}
