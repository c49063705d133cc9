//! Arrays of numbers.

use super::{Kind, Writer};

impl Writer<'_> {
    /// An array of this size.
    pub(super) fn array(&mut self, size: &str, depth: usize) -> String {
        self.fuel -= 1;
        if depth == 0 || self.fuel <= 0 {
            return match self.known(&Kind::Array(size.to_owned())) {
                Some(xs) => xs,
                None => format!("(replicate {size} {})", self.leaf()),
            };
        }
        let depth = depth - 1;
        match self.c.below(34) {
            0 => self.array(size, 0),
            1..=4 => self.map(size, depth),
            5 | 6 => self.map_of_two(size, depth),
            7 | 8 => self.gather(size, depth),
            9..=11 => self.scan(size, depth),
            12 => self.rearranged(size, depth),
            13 | 14 => self.updated(size, depth),
            15 => self.updated_slice(size, depth),
            16 | 17 => self.scatter(size, depth),
            18..=20 => self.histogram(size, depth),
            21 => self.filtered(size, depth),
            22 => self.joined(size, depth),
            23 => self.loop_of_array(size, depth),
            24 | 25 => self.loop_in_place(size, depth),
            26 => self.branch_of_arrays(size, depth),
            27 | 28 => self.rows(size, depth),
            29 => self.reduced_rows(size, depth),
            30 => self.growing(size, depth),
            31 => self.product(size, depth),
            32 => self.repeated(size, depth),
            _ => self.bound_array(size, depth),
        }
    }

    fn map(&mut self, size: &str, depth: usize) -> String {
        let (x, xs) = (self.new_name("x"), self.array(size, depth));
        let body = self.with(&[(&x, Kind::Number)], |m| m.number(depth));
        format!("(map (\\{x} -> {body}) {xs})")
    }

    fn map_of_two(&mut self, size: &str, depth: usize) -> String {
        let (x, i, xs) = (self.new_name("x"), self.new_name("i"), self.array(size, depth));
        let own = [(x.as_str(), Kind::Number), (i.as_str(), Kind::Index)];
        let body = self.with(&own, |m| m.number(depth));
        format!("(map2 (\\{x} {i} -> {body}) {xs} (iota {size}))")
    }

    fn gather(&mut self, size: &str, depth: usize) -> String {
        let (other, i) = (self.size(), self.new_name("i"));
        let xs = self.array(other, depth);
        let z = self.new_name("z");
        let at = self.with(&[(&i, Kind::Index)], |m| m.index());
        format!("(let {z} = {xs} in map (\\{i} -> at 1 {z} {at}) (iota {size}))")
    }

    fn scan(&mut self, size: &str, depth: usize) -> String {
        let xs = self.array(size, depth);
        if self.c.chance(30) {
            let (other, at, pair) = (self.array(size, depth), self.c.below(2), self.pair());
            return format!("(map (.{at}) (scan {pair} (zip {xs} {other})))");
        }
        let (op, neutral) = self.operator();
        format!("(scan {op} {neutral} {xs})")
    }

    fn rearranged(&mut self, size: &str, depth: usize) -> String {
        let xs = self.array(size, depth);
        match self.c.below(2) {
            0 => format!("(reverse {xs})"),
            _ => format!("(rotate {} {xs})", self.index()),
        }
    }

    fn updated(&mut self, size: &str, depth: usize) -> String {
        let (z, xs, i) = (self.new_name("z"), self.array(size, depth), self.index());
        let value = self.with(&[(&z, Kind::Array(size.to_owned()))], |m| m.number(depth));
        format!("(let {z} = {xs} in if {size} == 0 then {z} else copy {z} with [{i} % i64.max 1 {size}] = {value})")
    }

    fn updated_slice(&mut self, size: &str, depth: usize) -> String {
        let (z, k) = (self.new_name("z"), self.new_name("k"));
        let (xs, ys) = (self.array(size, depth), self.array(size, depth));
        let at = self.index();
        let from = self.c.pick(&["[K:]", "[:S - K]"]).replace('K', &k).replace('S', size);
        format!(
            "(let {k} = {at} % ({size} + 1) let {z} = copy {xs} in \
             {z} with [{k}:] = ({ys}{from} :> [{size} - {k}]{}))",
            self.t
        )
    }

    fn scatter(&mut self, size: &str, depth: usize) -> String {
        let other = self.size();
        let (xs, values, i) = (self.array(size, depth), self.array(other, depth), self.new_name("i"));
        let to = match self.c.below(3) {
            0 => format!("{i} + {}", self.c.below(3)),
            1 => format!("{other} - 1 - {i}"),
            _ => format!("{i} * 2 - 1"),
        };
        format!("(scatter (copy {xs}) (map (\\{i} -> {to}) (iota {other})) {values})")
    }

    fn histogram(&mut self, size: &str, depth: usize) -> String {
        let other = self.size();
        let (xs, values, i) = (self.array(size, depth), self.array(other, depth), self.new_name("i"));
        let (op, neutral) = self.operator();
        let bin = self.with(&[(&i, Kind::Index)], |m| m.index());
        format!(
            "(reduce_by_index (copy {xs}) {op} {neutral} (map (\\{i} -> {bin} % ({size} + 1)) (iota {other})) {values})"
        )
    }

    fn filtered(&mut self, size: &str, depth: usize) -> String {
        let (other, x) = (self.size(), self.new_name("x"));
        let xs = self.array(other, depth);
        let keep = self.with(&[(&x, Kind::Number)], |m| m.condition());
        format!("(fit {size} 1 (filter (\\{x} -> {keep}) {xs}))")
    }

    fn joined(&mut self, size: &str, depth: usize) -> String {
        let (one, two) = (self.size(), self.size());
        let (xs, ys) = (self.array(one, depth), self.array(two, depth));
        format!("(fit {size} 2 ({xs} ++ {ys}))")
    }

    fn loop_of_array(&mut self, size: &str, depth: usize) -> String {
        let (z, i, xs) = (self.new_name("z"), self.new_name("i"), self.array(size, depth));
        let own = [(z.as_str(), Kind::Array(size.to_owned())), (i.as_str(), Kind::Index)];
        let body = self.with(&own, |m| m.array(size, depth));
        let attribute = self.c.pick(&["", "", "#[stripmine(2)] "]);
        let count = self.c.pick(&["2i64", "3i64", "0i64", "5i64"]);
        let body = match self.t {
            "f64" => format!("map f64.sin {body}"),
            _ => body,
        };
        format!("({attribute}loop ({z}: [{size}]{}) = {xs} for {i} < {count} do {body})", self.t)
    }

    fn loop_in_place(&mut self, size: &str, depth: usize) -> String {
        let (z, i, xs) = (self.new_name("z"), self.new_name("i"), self.array(size, depth));
        let own = [(z.as_str(), Kind::Array(size.to_owned())), (i.as_str(), Kind::Index)];
        let (value, to, also) = self.with(&own, |m| (m.number(depth), m.index(), m.index()));
        let value = match self.t {
            "f64" => format!("f64.sin {value}"),
            _ => value,
        };
        let bound = format!("i64.min {} (3 * {size})", self.c.pick(&["3", "1", "5"]));
        let attribute = self.c.pick(&["", "", "#[stripmine(2)] "]);
        let more = match self.c.chance(40) {
            true => format!(" with [{also} % {size}] = {}", self.leaf()),
            false => String::new(),
        };
        format!(
            "({attribute}loop ({z}: *[{size}]{}) = copy {xs} for {i} < {bound} do \
             let value = {value} in ({z} with [{to} % {size}] = value){more})",
            self.t
        )
    }

    fn branch_of_arrays(&mut self, size: &str, depth: usize) -> String {
        let condition = self.condition();
        let (yes, no) = (self.array(size, depth), self.array(size, depth));
        format!("(if {condition} then {yes} else {no})")
    }

    /// A map whose points make arrays.
    fn rows(&mut self, size: &str, depth: usize) -> String {
        let (i, x, z) = (self.new_name("i"), self.new_name("x"), self.new_name("z"));
        let (inner, xs) = (self.size(), self.array(size, depth));
        let own = [(i.as_str(), Kind::Index), (x.as_str(), Kind::Number)];
        let row = self.with(&own, |m| m.array(inner, depth));
        let more = [own[0].clone(), own[1].clone(), (z.as_str(), Kind::Array(inner.into()))];
        let value = self.with(&more, |m| m.number(depth));
        format!("(map2 (\\{i} {x} -> let {z} = {row} in {value}) (iota {size}) {xs})")
    }

    /// A reduction or a scan of rows.
    fn reduced_rows(&mut self, size: &str, depth: usize) -> String {
        let (outer, x) = (self.size(), self.new_name("x"));
        let xs = self.array(outer, depth);
        let row = self.with(&[(&x, Kind::Number)], |m| m.array(size, depth));
        let (op, neutral) = self.operator();
        let rows = format!("(map (\\{x} -> {row}) {xs})");
        match self.c.below(3) {
            0 => format!("(reduce (map2 {op}) (replicate {size} {neutral}) {rows})"),
            1 => format!("(map (reduce {op} {neutral}) (transpose {rows}))"),
            _ => {
                let sum = self.t;
                format!("(map {sum}.sum (transpose (scan (map2 {op}) (replicate {size} {neutral}) {rows})))")
            }
        }
    }

    /// A loop that changes the size of an array.
    fn growing(&mut self, size: &str, depth: usize) -> String {
        let (z, i, t) = (self.new_name("z"), self.new_name("i"), self.t);
        let (x, k, r) = (self.new_name("x"), self.new_name("k"), self.new_name("r"));
        let (other, xs) = (self.size(), self.array(size, depth));
        let own = [(x.as_str(), Kind::Number), (i.as_str(), Kind::Index)];
        let (value, more) = (self.with(&own, |m| m.number(depth)), self.array(other, 1));
        let value = if t == "f64" { format!("f64.sin {value}") } else { value };
        let next = match self.c.below(3) {
            0 => format!("map (\\{x} -> {value}) {z} ++ {more}"),
            1 => format!("map (\\{x} -> {value}) {z}[{k} / 2:]"),
            _ => format!("map (\\{x} -> {value}) (filter (\\{x} -> {x} < 2) {z})"),
        };
        format!(
            "(let {r} = loop {z} = {xs} for {i} < 2i64 do (let {k} = length {z} in {next}) in fit {size} 1 {r})"
        )
    }

    /// The product of a matrix and a vector, or of two matrices.
    fn product(&mut self, size: &str, depth: usize) -> String {
        let (inner, i, j, t) = (self.size(), self.new_name("i"), self.new_name("j"), self.t);
        let (a, x) = (self.new_name("m"), self.new_name("x"));
        let own = [(i.as_str(), Kind::Index), (j.as_str(), Kind::Index)];
        let element = self.with(&own, |m| m.number(depth));
        let vector = self.array(inner, depth);
        let rows = format!("(tabulate_2d {size} {inner} (\\{i} {j} -> {element}))");
        match self.c.below(2) {
            0 => format!("(let {x} = {vector} in map (\\{a} -> {t}.sum (map2 (*) {a} {x})) {rows})"),
            _ => format!(
                "(let {a} = {rows} in map (\\{x} -> {t}.sum (map (\\{i} -> {t}.sum (map2 (*) {x} {i})) {a})) {a})"
            ),
        }
    }

    fn repeated(&mut self, size: &str, depth: usize) -> String {
        let (other, xs) = (self.size(), self.number(depth));
        match self.c.below(2) {
            0 => format!("(replicate {size} {xs})"),
            _ => {
                let ys = self.array(size, depth);
                format!("(map {}.sum (transpose (replicate {other} {ys})))", self.t)
            }
        }
    }

    fn bound_array(&mut self, size: &str, depth: usize) -> String {
        let (other, z) = (self.size(), self.new_name("z"));
        let value = self.array(other, depth);
        let rest = self.with(&[(&z, Kind::Array(other.into()))], |m| m.array(size, depth));
        format!("(let {z} = {value} in {rest})")
    }
}
