//! Arrays that combinators make: maps, scans, histograms, scatters, products of matrices.

use crate::maker::Maker;
use crate::types::{is_float, Size, Ty};
use fehu_base::prim::ScalarType;

const ATTRIBUTES: [&str; 11] = [
    "sequential",
    "sequential_inner",
    "sequential_outer",
    "unroll",
    "noinline",
    "incremental_flattening(only_inner)",
    "incremental_flattening(only_outer)",
    "incremental_flattening(only_intra)",
    "incremental_flattening(no_intra)",
    "incremental_flattening(no_outer)",
    "blank",
];

impl Maker<'_> {
    pub(crate) fn array(&mut self, s: &Size, t: &Ty, depth: usize) -> String {
        match self.c.below(24) {
            0..=7 => self.map(s, t, depth),
            8..=11 => self.rearrange(s, t, depth),
            12..=14 => self.scan(s, t, depth),
            15 | 16 => self.contraction(s, t, depth),
            17 => self.scatter(s, t, depth),
            18 | 19 => self.histogram(s, t, depth),
            20..=22 => self.in_place(s, t, depth),
            _ => self.parts(s, t, depth),
        }
    }

    /// Says how a combinator is to be run, now and then.
    pub(crate) fn attributed(&mut self, text: String) -> String {
        match self.c.chance(6) {
            true => format!("(#[{}] {text})", self.c.pick(&ATTRIBUTES)),
            false => text,
        }
    }

    /// The arrays in scope of this size, with the types of their elements.
    pub(crate) fn arrays_of(&self, s: &Size) -> Vec<(String, Ty)> {
        let of_size = |(x, ty): &(String, Ty)| match ty {
            Ty::Array(size, elem) if size == s => Some((x.clone(), (**elem).clone())),
            Ty::Scalar(_) | Ty::Array(..) | Ty::Tuple(_) | Ty::Record(_) | Ty::Sum(..) => None,
        };
        self.env.iter().filter_map(of_size).collect()
    }

    pub(crate) fn map(&mut self, s: &Size, t: &Ty, depth: usize) -> String {
        let count = *self.c.pick(&[1, 1, 1, 2, 2, 3, 4, 5]);
        let mut args: Vec<(String, Ty)> = vec![];
        for _ in 0..count {
            let have = self.arrays_of(s);
            let how = self.c.below(10);
            args.push(if !have.is_empty() && how < 7 {
                have[self.c.below(have.len())].clone()
            } else if how < 8 {
                (format!("(iota {s})"), Ty::I64)
            } else {
                let elem = self.some_type(1);
                (self.exp(&Ty::array(s, elem.clone()), depth.saturating_sub(1)), elem)
            });
        }
        let xs: Vec<String> = args.iter().map(|_| self.new_name("x")).collect();
        let more = xs.iter().cloned().zip(args.iter().map(|(_, t)| t.clone())).collect();
        let body = self.with(more, |m| m.exp(t, depth));
        let params: Vec<String> = xs.iter().zip(&args).map(|(x, (_, t))| format!("({x}: {t})")).collect();
        let function = format!("(\\{} : {t} -> {body})", params.join(" "));
        let arrays: Vec<&str> = args.iter().map(|(a, _)| a.as_str()).collect();
        let text = match (count, self.c.below(8)) {
            (1, 5) => format!("({} |> map {function})", arrays[0]),
            (1, 6) => format!("(map {function} (copy {}))", arrays[0]),
            (1, 7) if args[0].1 == *t => format!("(map (twice {function}) {})", arrays[0]),
            (2, 6) => format!("(map (uncurry {function}) (zip {} {}))", arrays[0], arrays[1]),
            (1, _) => format!("(map {function} {})", arrays[0]),
            _ => format!("(map{count} {function} {})", arrays.join(" ")),
        };
        self.attributed(text)
    }

    /// Every row of one matrix with every row of another, as in products of matrices.
    fn contraction(&mut self, s: &Size, t: &Ty, depth: usize) -> String {
        let Ty::Array(width, e) = t else { return self.map(s, t, depth) };
        let Ty::Scalar(e) = **e else { return self.map(s, t, depth) };
        let (rows, k) = (depth.saturating_sub(1), self.size());
        let f = if self.c.chance(60) { e } else { self.scalar_type() };
        let row = Ty::array(&k, Ty::Scalar(f));
        let other = match self.c.chance(60) {
            true => {
                let flipped = Ty::array(&k, Ty::array(width, Ty::Scalar(f)));
                format!("(transpose {})", self.exp(&flipped, rows))
            }
            false => self.exp(&Ty::array(width, row.clone()), rows),
        };
        let [a, b, x, y] = ["a", "b", "x", "y"].map(|stem| self.new_name(stem));
        let more = vec![(x.clone(), Ty::Scalar(f)), (y.clone(), Ty::Scalar(f))];
        let inner = match self.c.chance(40) && e != ScalarType::Bool {
            true => {
                let (left, right) = (self.converted(&x, f, e), self.converted(&y, f, e));
                match is_float(e) {
                    true => format!("(tidy_{e} {left} * tidy_{e} {right})"),
                    false => format!("({left} * {right})"),
                }
            }
            false => self.with(more, |m| m.exp(&Ty::Scalar(e), depth.min(1))),
        };
        let (op, ne) = self.operator(&Ty::Scalar(e), false);
        let products = format!("(map2 (\\({x}: {f}) ({y}: {f}) : {e} -> {inner}) {a} {b})");
        let products = self.tidied(&products, &Ty::Scalar(e));
        let left = self.exp(&Ty::array(s, row.clone()), rows);
        format!(
            "(map (\\({a}: {row}) : {t} -> map (\\({b}: {row}) -> reduce {op} {ne} {products}) {other}) {left})"
        )
    }

    fn scan(&mut self, s: &Size, t: &Ty, depth: usize) -> String {
        let xs = self.exp(&Ty::array(s, t.clone()), depth);
        let xs = self.tidied(&xs, t);
        let (op, ne) = self.operator(t, false);
        let name = if self.c.chance(10) { "exscan" } else { "scan" };
        self.attributed(format!("({name} {op} {ne} {xs})"))
    }

    /// Writes to different places, or the same value everywhere.
    fn scatter(&mut self, s: &Size, t: &Ty, depth: usize) -> String {
        let xs = self.fresh(s, t, depth);
        let i = self.new_name("i");
        if let (Ty::Array(w, e), true) = (t, self.c.chance(30)) {
            let values = self.exp(&Ty::array(w, (**e).clone()), depth);
            let other = self.index(1);
            return format!(
                "(scatter_2d {xs} (map (\\{i} -> (({other}) % ({s} + 1), {i} * 2 - 1)) (iota {w})) {values})"
            );
        }
        if self.c.chance(50) {
            let shift = *self.c.pick(&[0, 1, 3]);
            let stride = *self.c.pick(&["2", "1", "(-1)"]);
            let values = self.exp(&Ty::array(s, t.clone()), depth);
            return format!("(scatter {xs} (map (\\{i} -> {i} * {stride} + {shift}) (iota {s})) {values})");
        }
        let (o, value) = (self.size(), self.exp(t, depth));
        let to = self.with(vec![(i.clone(), Ty::I64)], |m| m.exp(&Ty::I64, depth.min(2)));
        let to = format!("(map (\\{i} -> {to} % ({s} + 2) - 1) (iota {o}))");
        match self.c.below(3) {
            2 => format!("(spread {s} {} {to} (replicate {o} {value}))", self.leaf(t)),
            _ => format!("(scatter {xs} {to} (replicate {o} {value}))"),
        }
    }

    fn histogram(&mut self, s: &Size, t: &Ty, depth: usize) -> String {
        if !Self::commutes(t) {
            return self.map(s, t, depth);
        }
        let (op, ne) = self.operator(t, true);
        let (i, o) = (self.new_name("i"), self.size());
        let to = self.with(vec![(i.clone(), Ty::I64)], |m| m.exp(&Ty::I64, depth.min(2)));
        let to = format!("(map (\\{i} -> {to} % ({s} + 2) - 1) (iota {o}))");
        let values = self.exp(&Ty::array(&o, t.clone()), depth);
        let values = self.tidied(&values, t);
        match self.c.below(5) {
            0 | 1 => format!("(hist {op} {ne} {s} {to} {values})"),
            2 => self.stream(s, t, depth, (&op, &ne)),
            _ => {
                let first = self.fresh(s, t, depth);
                let first = self.tidied(&first, t);
                format!("(reduce_by_index {first} {op} {ne} {to} {values})")
            }
        }
    }

    /// Writes to an accumulator, in loops and branches.
    fn stream(&mut self, s: &Size, t: &Ty, depth: usize, (op, ne): (&str, &str)) -> String {
        let (o, e) = (self.size(), self.scalar_type());
        let [acc, x, i] = ["acc", "x", "i"].map(|stem| self.new_name(stem));
        let own = vec![(x.clone(), Ty::Scalar(e)), (i.clone(), Ty::I64)];
        let (place, value) = self.with(own, |m| (m.exp(&Ty::I64, 1), m.exp(t, depth.min(2))));
        let value = match t.has_floats() {
            true => format!("(let w = {} in w[0])", self.tidied(&format!("[{value}]"), t)),
            false => value,
        };
        let write = format!("(intrinsics.acc_write {acc} ({place} % ({s} + 2) - 1) {value})");
        let body = match self.c.below(3) {
            0 => format!("(let {i} = 2i64 in {write})"),
            1 => format!("(loop {acc} = {acc} for {i} < 3i64 do {write})"),
            _ => {
                let when = self.with(vec![(x.clone(), Ty::Scalar(e))], |m| m.exp(&Ty::BOOL, 1));
                format!("(let {i} = 1i64 in if {when} then {write} else {acc})")
            }
        };
        let function = format!("(\\({acc}: *intrinsics.acc ([{s}]{t})) ({x}: {e}) -> {body})");
        let first = self.fresh(s, t, depth);
        let first = self.tidied(&first, t);
        let values = self.exp(&Ty::array(&o, Ty::Scalar(e)), depth);
        let ty = Ty::array(s, t.clone());
        format!("(intrinsics.hist_stream {first} {op} {ne} {function} {values} :> {ty})")
    }
}
