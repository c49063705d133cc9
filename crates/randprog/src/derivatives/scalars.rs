//! Numbers.

use super::{Kind, Writer};

impl Writer<'_> {
    /// A number without parts.
    pub(super) fn leaf(&mut self) -> String {
        match self.c.below(8) {
            6 => format!("{}{}", self.c.pick(&["2", "3", "1", "0"]), self.t),
            7 => match self.known(&Kind::Index) {
                Some(i) if self.t == "i64" => i,
                Some(i) => format!("(f64.i64 ({i} % 5))"),
                None => format!("2{}", self.t),
            },
            _ => match self.known(&Kind::Number) {
                Some(x) => x,
                None => format!("3{}", self.t),
            },
        }
    }

    /// A number.
    pub(super) fn number(&mut self, depth: usize) -> String {
        self.fuel -= 1;
        if depth == 0 || self.fuel <= 0 {
            return self.small();
        }
        let depth = depth - 1;
        match self.c.below(28) {
            0 => self.leaf(),
            1..=6 => self.operation(depth),
            7 => self.branch(depth),
            8 | 9 => self.bound(depth),
            10..=12 => self.reduction(depth),
            13..=15 => self.loop_of_number(depth),
            16 => self.while_loop(depth),
            17..=19 => self.element(depth),
            20 | 21 => self.call(depth),
            22 => self.matched(depth),
            23 => self.rule(depth),
            24 => self.loop_of_several(depth),
            25 => self.foreign_array(depth),
            _ => self.derivative(depth),
        }
    }

    /// A number of the innermost name and another.
    fn small(&mut self) -> String {
        let near =
            self.env.iter().rev().find(|(_, kind)| *kind == Kind::Number).map(|(name, _)| name.clone());
        let (a, b) = (near.unwrap_or_else(|| self.leaf()), self.leaf());
        match self.c.below(8) {
            0 => b,
            1 | 2 => format!("({a} * {b})"),
            3 => format!("({a} - {b})"),
            4 => format!("({a} * {a} + {b})"),
            5 => format!("({}.max {a} {b})", self.t),
            6 if self.t == "f64" => format!("(f64.sin ({a} * {b}))"),
            _ => a,
        }
    }

    fn operation(&mut self, depth: usize) -> String {
        let (a, t) = (self.number(depth), self.t);
        if t == "f64" && self.c.chance(50) {
            return match self.c.below(8) {
                0 => format!("(f64.sin {a})"),
                1 => format!("(f64.cos {a})"),
                2 => format!("(f64.tanh {a})"),
                3 => format!("(f64.exp (f64.sin {a}))"),
                4 => format!("(f64.sqrt (1 + {a} * {a}))"),
                5 => format!("(f64.log (2 + f64.cos {a}))"),
                6 => format!("({a} / (1 + {a} * {a}))"),
                _ => format!("(f64.atan {a})"),
            };
        }
        let b = self.number(depth);
        match self.c.below(12) {
            0 | 1 => format!("({a} + {b})"),
            2 => format!("({a} - {b})"),
            3 => format!("({t}.min {a} {b})"),
            4 => format!("({t}.max {a} {b})"),
            5 => format!("({a} ** 2 - {b})"),
            6 => format!("({t}.neg {a} + {t}.abs {b})"),
            7 if t == "f64" => format!("({a} / (1 + {b} ** 2))"),
            _ => format!("({a} * {b})"),
        }
    }

    fn branch(&mut self, depth: usize) -> String {
        let condition = self.condition();
        let (yes, no) = (self.number(depth), self.number(depth));
        format!("(if {condition} then {yes} else {no})")
    }

    fn bound(&mut self, depth: usize) -> String {
        let (x, value) = (self.new_name("v"), self.number(depth));
        let rest = self.with(&[(&x, Kind::Number)], |m| m.number(depth));
        format!("(let {x} = {value} in {rest})")
    }

    fn reduction(&mut self, depth: usize) -> String {
        let size = self.size();
        let xs = self.array(size, depth);
        match self.c.below(6) {
            0 => {
                let (other, at) = (self.array(size, depth), self.c.below(2));
                let pair = self.pair();
                format!("((reduce {pair} (zip {xs} {other})).{at})")
            }
            1 => {
                // The sum of a function over an array that is free in it.
                let (i, x) = (self.new_name("i"), self.new_name("x"));
                let own = [(i.as_str(), Kind::Index), (x.as_str(), Kind::Number)];
                let body = self.with(&own, |m| m.number(depth));
                format!("({}.sum (map2 (\\{i} {x} -> {body}) (iota {size}) {xs}))", self.t)
            }
            _ => {
                let (op, neutral) = self.operator();
                format!("(reduce {op} {neutral} {xs})")
            }
        }
    }

    /// An operator on pairs with its neutral element.
    pub(super) fn pair(&mut self) -> String {
        let t = self.t;
        let [a, b, c, d] = ["a", "b", "c", "d"].map(|stem| self.new_name(stem));
        match self.c.below(3) {
            0 | 1 => format!("(\\({a}, {b}) ({c}, {d}) -> ({a} * {c}, {b} * {c} + {d})) (1{t}, 0{t})"),
            _ => format!("(\\({a}, {b}) ({c}, {d}) -> ({a} + {c}, {b} + {d} + {a} * {c})) (0{t}, 0{t})"),
        }
    }

    fn attribute(&mut self) -> &'static str {
        self.c.pick::<&str>(&["", "", "", "", "#[stripmine(2)] ", "#[sequential] "])
    }

    fn count(&mut self) -> String {
        match self.c.below(6) {
            5 => self.size().to_owned(),
            k => ["2i64", "3i64", "0i64", "1i64", "7i64"][k].to_owned(),
        }
    }

    fn loop_of_number(&mut self, depth: usize) -> String {
        let (x, i) = (self.new_name("c"), self.new_name("i"));
        let (start, count, attribute) = (self.leaf(), self.count(), self.attribute());
        let own = [(x.as_str(), Kind::Number), (i.as_str(), Kind::Index)];
        let body = self.with(&own, |m| m.number(depth));
        let body = self.damped(&body);
        format!("({attribute}loop {x} = {start} for {i} < {count} do {body})")
    }

    /// What a loop may do often.
    fn damped(&mut self, body: &str) -> String {
        match self.t {
            "f64" => format!("f64.sin {body}"),
            _ => body.to_owned(),
        }
    }

    fn loop_of_several(&mut self, depth: usize) -> String {
        let [x, y, z, i] = ["c", "d", "z", "i"].map(|stem| self.new_name(stem));
        let size = self.size();
        let (start, array, count) = (self.leaf(), self.array(size, depth), self.count());
        let own = [
            (x.as_str(), Kind::Number),
            (y.as_str(), Kind::Number),
            (z.as_str(), Kind::Array(size.into())),
            (i.as_str(), Kind::Index),
        ];
        let (a, b) = self.with(&own, |m| (m.number(depth), m.array(size, depth.saturating_sub(1))));
        let a = self.damped(&a);
        let (attribute, t) = (self.attribute(), self.t);
        format!(
            "(let ({x}, _, {z}) = {attribute}loop ({x}, {y}, {z}: [{size}]{t}) = ({start}, {start} + 1, {array}) for {i} < {count} do \
             ({y}, {a}, {b}) in {x} + {t}.sum {z})"
        )
    }

    fn while_loop(&mut self, depth: usize) -> String {
        let (x, i) = (self.new_name("c"), self.new_name("i"));
        let start = self.leaf();
        let own = [(x.as_str(), Kind::Number), (i.as_str(), Kind::Index)];
        let (condition, body) = self.with(&own, |m| (m.condition(), m.number(depth)));
        let body = self.damped(&body);
        let attribute = self.c.pick(&["", "#[bound(5)] "]);
        format!(
            "((.0) ({attribute}loop ({x}, {i}) = ({start}, 0) while {i} < 4 && ({i} == 0 || {condition}) do \
             ({body}, {i} + 1)))"
        )
    }

    fn element(&mut self, depth: usize) -> String {
        let size = self.size();
        let (xs, i) = (self.array(size, depth), self.index());
        format!("(at 1 {xs} {i})")
    }

    /// A function of its own, which is not inlined.
    fn call(&mut self, depth: usize) -> String {
        let own = self.new_name("g");
        let f = format!("{}{own}", self.prefix);
        let t = self.t;
        let before = std::mem::take(&mut self.env);
        let own =
            [("p", Kind::Number), ("q", Kind::Number), ("r", Kind::Index), ("xs", Kind::Array("n".into()))];
        let own: Vec<_> = own.into_iter().map(|(x, k)| (x.to_owned(), k)).collect();
        self.env = own;
        self.env.push(("ys".into(), Kind::Array("m".into())));
        let body = self.number(depth);
        self.env = before;
        self.declarations += &format!(
            "#[noinline]\ndef {f} [n] [m] (p: {t}) (q: {t}) (r: i64) (xs: [n]{t}) (ys: [m]{t}) : {t} = {body}\n"
        );
        let (p, q, r) = (self.number(depth), self.leaf(), self.index());
        let (xs, ys) = (self.array("n", 1), self.array("m", 0));
        format!("({f} {p} {q} {r} {xs} {ys})")
    }

    /// A value of a sum type.
    fn matched(&mut self, depth: usize) -> String {
        let (x, y, z, t) = (self.new_name("x"), self.new_name("y"), self.new_name("z"), self.t);
        let (condition, a, b, c) = (self.condition(), self.number(depth), self.leaf(), self.leaf());
        let one = self.with(&[(&x, Kind::Number)], |m| m.number(depth));
        let two = self.with(&[(&y, Kind::Number), (&z, Kind::Number)], |m| m.number(depth));
        format!(
            "(match (if {condition} then #one {a} else #two {b} {c} : #one {t} | #two {t} {t}) \
             case #one {x} -> {one} case #two {y} {z} -> {two})"
        )
    }

    /// A function with the rule that it has anyway.
    fn rule(&mut self, depth: usize) -> String {
        let (a, t) = (self.number(depth), self.t);
        let free = self.leaf();
        match self.orders {
            // The rule of a rule's derivative is that of its code.
            0 => format!("(with_vjp_tape (\\(x: {t}) -> (x, x * x)) (\\(x, y) -> 2 * x * y) {a} + {free})"),
            _ => format!("({a} * {free})"),
        }
    }

    /// A sum over an array of a size that only this point knows.
    fn foreign_array(&mut self, depth: usize) -> String {
        let (z, k, x, t) = (self.new_name("z"), self.new_name("k"), self.new_name("x"), self.t);
        let (count, i) = (self.index(), self.new_name("i"));
        let element = self.with(&[(&i, Kind::Index)], |m| m.number(depth));
        let after = self.with(&[(&x, Kind::Number)], |m| m.number(depth.saturating_sub(1)));
        format!(
            "(let {k} = {count} % 4 let {z} = map (\\{i} -> {element}) (iota {k}) in {t}.sum (map (\\{x} -> {after}) {z}))"
        )
    }

    /// A derivative within.
    fn derivative(&mut self, depth: usize) -> String {
        if self.orders == 2 {
            return self.operation(depth);
        }
        self.orders += 1;
        let (x, t) = (self.new_name("x"), self.t);
        let (at, seed) = (self.leaf(), self.leaf());
        let body = self.with(&[(&x, Kind::Number)], |m| m.number(depth));
        let made = match self.c.below(3) {
            0 => format!("(jvp (\\({x}: {t}) -> {body}) {at} {seed})"),
            1 => format!("(vjp (\\({x}: {t}) -> {body}) {at} {seed})"),
            _ => {
                let size = self.size();
                let (z, xs) = (self.new_name("z"), self.array(size, 1));
                let own = [(z.as_str(), Kind::Array(size.into()))];
                let body = self.with(&own, |m| m.number(depth));
                format!("({t}.sum (vjp (\\{z} -> {body}) {xs} {seed}))")
            }
        };
        self.orders -= 1;
        made
    }
}
