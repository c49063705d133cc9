//! Scalars: operators of every kind at every width, conversions, elements of arrays, and what reductions leave.
//!
//! Every operation here gives the same bits on every machine. So floats are multiplied where their product is
//! exact or goes nowhere that could be contracted with it, and where zeros of either sign would do, they lose
//! it first.

use crate::maker::Maker;
use crate::types::{is_float, is_int, is_signed, Ty, FLOATS, INTS};
use fehu_base::prim::ScalarType;

impl Maker<'_> {
    pub(crate) fn scalar(&mut self, t: ScalarType, depth: usize) -> String {
        match self.c.below(20) {
            0..=5 => self.nearby(t, depth),
            6..=10 => self.compute(t, depth),
            11..=13 => self.reduction(&Ty::Scalar(t), depth),
            14 => self.convert(t, depth),
            15 | 16 => self.element(t, depth),
            17 => self.irregular(t, depth),
            18 => self.filtered(t, depth),
            _ => self.counted(t, depth),
        }
    }

    /// A value that was bound not long ago, whatever its type, as a scalar of this type.
    pub(crate) fn nearby(&mut self, t: ScalarType, depth: usize) -> String {
        let near = self.env.len().min(6);
        if near == 0 {
            return self.literal(t);
        }
        let i = self.env.len() - 1 - self.c.below(near);
        let (x, ty) = self.env[i].clone();
        self.project(x, &ty, t, depth)
    }

    /// A value as a scalar: a field of it, an element, its reduction, converted.
    fn project(&mut self, x: String, ty: &Ty, t: ScalarType, depth: usize) -> String {
        match ty {
            Ty::Scalar(from) => self.converted(&x, *from, t),
            Ty::Tuple(ts) => {
                let i = self.c.below(ts.len());
                self.project(format!("{x}.{i}"), &ts[i], t, depth)
            }
            Ty::Record(fs) => {
                let (f, ty) = &fs[self.c.below(fs.len())];
                self.project(format!("{x}.{f}"), ty, t, depth)
            }
            Ty::Array(s, elem) => match &**elem {
                Ty::Scalar(e) if self.c.chance(40) => {
                    let (op, ne) = self.operator(elem, false);
                    let xs = self.tidied(&x, elem);
                    let whole = match self.c.below(3) {
                        2 => format!("(at {ne} (scan {op} {ne} {xs}) {})", self.index(depth.min(1))),
                        _ => format!("(reduce {op} {ne} {xs})"),
                    };
                    self.converted(&whole, *e, t)
                }
                Ty::Scalar(_) | Ty::Array(..) | Ty::Tuple(_) | Ty::Record(_) | Ty::Sum(..) => {
                    let y = self.at(&x, s, elem, depth.min(1));
                    if matches!(**elem, Ty::Scalar(_)) {
                        return self.project(y, elem, t, depth);
                    }
                    let name = self.new_name("y");
                    let inner = self.project(name.clone(), elem, t, depth);
                    format!("(let {name} = {y} in {inner})")
                }
            },
            Ty::Sum(dec, size) => {
                let mut cases = vec![];
                for (name, payload) in dec.constructors(size.as_ref()) {
                    let xs: Vec<String> = payload.iter().map(|_| self.new_name("m")).collect();
                    let inner = match payload.len() {
                        0 => self.literal(t),
                        k => {
                            let i = self.c.below(k);
                            self.project(xs[i].clone(), &payload[i], t, depth)
                        }
                    };
                    cases.push(format!("case #{name} {} -> {inner}", xs.join(" ")));
                }
                format!("(match {x} {})", cases.join(" "))
            }
        }
    }

    /// An index for `at`, which takes any.
    pub(crate) fn index(&mut self, depth: usize) -> String {
        // Indices of what indices are made of would have no end.
        match depth == 0 || self.fuel <= 0 {
            true => self.leaf(&Ty::I64),
            false => self.exp(&Ty::I64, depth),
        }
    }

    /// An element of an array, with a check that fails only in reckless programs.
    pub(crate) fn at(&mut self, xs: &str, size: &str, elem: &Ty, depth: usize) -> String {
        let i = self.index(depth);
        let wild = self.reckless && self.c.chance(15);
        let (a, k) = (self.new_name("a"), self.new_name("i"));
        match self.c.below(10) {
            _ if wild => format!("(let {a} = {xs} in {a}[{i} % ({size} + 1)])"),
            8 => {
                let default = self.leaf(elem);
                format!("(let {a} = {xs} let {k} = {i} in if 0 <= {k} && {k} < {size} then {a}[{k}] else {default})")
            }
            9 => {
                let default = self.leaf(elem);
                // Only this check is left out, not those in the index.
                format!("(let {a} = {xs} let {k} = {i} % i64.max 1 {size} in if {size} < 2 then {default} else #[unsafe] {a}[{k}])")
            }
            _ => format!("(at {} {xs} {i})", self.leaf(elem)),
        }
    }

    /// A scalar as another type. Floats that become integers may be anything: conversions are defined at the edges too.
    pub(crate) fn converted(&mut self, x: &str, from: ScalarType, to: ScalarType) -> String {
        if from == to {
            return x.to_owned();
        }
        if to == ScalarType::Bool {
            let op = *self.c.pick(&["<", "!=", ">=", "=="]);
            return format!("({x} {op} {})", self.literal(from));
        }
        if is_float(to) && is_int(from) && self.c.chance(50) {
            // Small ones stay exact.
            return format!("({to}.i16 (i16.{from} {x} % 40))");
        }
        format!("({to}.{from} {x})")
    }

    fn convert(&mut self, t: ScalarType, depth: usize) -> String {
        let from = self.scalar_type();
        let x = self.exp(&Ty::Scalar(from), depth);
        self.converted(&x, from, t)
    }

    fn compute(&mut self, t: ScalarType, depth: usize) -> String {
        let ty = Ty::Scalar(t);
        if t == ScalarType::Bool {
            return self.logic(depth);
        }
        let a = self.exp(&ty, depth);
        if is_float(t) {
            return self.float_operation(t, &a, depth);
        }
        let b = self.exp(&ty, depth);
        let wild = self.reckless && self.c.chance(25);
        match self.c.below(24) {
            0 => format!("({a} + {b})"),
            1 => format!("({a} - {b})"),
            2 | 3 => format!("({a} * {b})"),
            4 => format!("({a} & {b})"),
            5 => format!("({a} | {b})"),
            6 => format!("({a} ^ {b})"),
            k @ 7..=10 => {
                let op = ["/", "%", "//", "%%"][k - 7];
                if wild {
                    format!("({a} {op} {b})")
                } else {
                    format!("({a} {op} ({b} | 1))")
                }
            }
            11 => format!("({a} >> ({b} & {}))", bits(t) - 1),
            12 => format!("({a} << ({b} & {}))", bits(t) - 1),
            13 => {
                let (x, y) = (self.new_name("x"), self.new_name("y"));
                format!("(let {x} = {a} let {y} = {b} & {} in {t}.({x} >>> {y}))", bits(t) - 1)
            }
            14 => format!("({t}.max {a} {b})"),
            15 => format!("({t}.min {a} {b})"),
            16 => format!("({t}.abs {a})"),
            17 => format!("({t}.sgn {a})"),
            18 => format!("({t}.i32 ({t}.{} {a}))", self.c.pick(&["popc", "clz", "ctz"])),
            19 => format!("({t}.not {a})"),
            20 if is_signed(t) && wild => format!("({a} ** ({b} % 5 - 2))"),
            20 => format!("({a} ** ({b} % 5))"),
            21 => format!("({t}.mul_hi {a} {b})"),
            22 => format!("({t}.set_bit 3 {a} ({t}.get_bit 1 {b}))"),
            _ => format!("({t}.neg {a})"),
        }
    }

    fn float_operation(&mut self, t: ScalarType, a: &str, depth: usize) -> String {
        let b = self.exp(&Ty::Scalar(t), depth);
        match self.c.below(17) {
            0 | 1 => format!("({a} + {b})"),
            2 | 3 => format!("({a} - {b})"),
            4 | 5 => format!("(tidy_{t} {a} * tidy_{t} {b})"),
            6 => format!("({t}.max ({a} * {b} + 0) 1)"),
            7 => format!("({a} / {})", self.c.pick(&["2", "0.5", "(-4)", "0"])),
            8 => format!("({t}.max ({a} + 0) ({b} + 0))"),
            9 => format!("({t}.min ({a} + 0) ({b} + 0))"),
            10 => format!("(-{a})"),
            11 => format!("({t}.abs {a})"),
            12 => format!("({t}.{} {a})", self.c.pick(&["floor", "ceil", "round", "trunc"])),
            13 => format!("({t}.sqrt (tidy_{t} {a} * tidy_{t} {a}))"),
            14 => {
                let u = match t {
                    ScalarType::F16 => "u16",
                    ScalarType::F32 => "u32",
                    ScalarType::I8
                    | ScalarType::I16
                    | ScalarType::I32
                    | ScalarType::I64
                    | ScalarType::U8
                    | ScalarType::U16
                    | ScalarType::U32
                    | ScalarType::U64
                    | ScalarType::F64
                    | ScalarType::Bool => "u64",
                };
                // What NaN's bits are is nobody's business.
                format!("({t}.from_bits (if {t}.isnan {a} then 0{u} else {t}.to_bits {a}))")
            }
            15 => format!("(if {t}.isinf {a} || {t}.isnan {a} then {b} else {a})"),
            _ => {
                let from = *self.c.pick(&FLOATS);
                format!("({t}.{from} ({from}.{t} {a}))")
            }
        }
    }

    fn logic(&mut self, depth: usize) -> String {
        let a = self.exp(&Ty::BOOL, depth);
        match self.c.below(10) {
            0 => format!("(!{a})"),
            1 | 2 => format!("({a} && {})", self.exp(&Ty::BOOL, depth)),
            3 | 4 => format!("({a} || {})", self.exp(&Ty::BOOL, depth)),
            5 => format!("({a} != {})", self.exp(&Ty::BOOL, depth)),
            _ => {
                let t = match self.c.below(4) {
                    3 => *self.c.pick(&FLOATS),
                    _ => *self.c.pick(&INTS),
                };
                let (x, y) = (self.exp(&Ty::Scalar(t), depth), self.exp(&Ty::Scalar(t), depth));
                let op = *self.c.pick(&["<", "<=", "==", "!=", ">", ">="]);
                format!("({x} {op} {y})")
            }
        }
    }

    /// An element of an array that is made for it, or was there.
    fn element(&mut self, t: ScalarType, depth: usize) -> String {
        let size = self.size();
        let mut ty = Ty::array(&size, Ty::Scalar(t));
        let have: Vec<(String, Ty)> = self
            .env
            .iter()
            .filter(|(_, ty)| matches!(ty, Ty::Array(..)) && ty.bottom() == Some(t))
            .cloned()
            .collect();
        let mut text = match have.len() {
            0 => self.exp(&ty, depth),
            k => {
                let (x, found) = have[self.c.below(k)].clone();
                ty = found;
                x
            }
        };
        while let Ty::Array(s, elem) = ty {
            text = self.at(&text, &s, &elem, depth.min(1));
            ty = *elem;
        }
        text
    }

    /// How many elements are so.
    fn counted(&mut self, t: ScalarType, depth: usize) -> String {
        let e = Ty::Scalar(self.scalar_type());
        let size = self.size();
        let xs = self.exp(&Ty::array(&size, e.clone()), depth);
        let p = self.new_name("p");
        let keep = self.with(vec![(p.clone(), e.clone())], |m| m.exp(&Ty::BOOL, depth.min(2)));
        let function = format!("(\\({p}: {e}) -> {keep})");
        match self.c.below(4) {
            0 => self.converted(&format!("(length (filter {function} {xs}))"), ScalarType::I64, t),
            1 => self.converted(&format!("(all {function} {xs})"), ScalarType::Bool, t),
            2 => self.converted(&format!("(any {function} {xs})"), ScalarType::Bool, t),
            _ => {
                self.converted(&format!("(i64.sum (map (i64.bool <-< {function}) {xs}))"), ScalarType::I64, t)
            }
        }
    }
}

fn bits(t: ScalarType) -> u32 {
    match t {
        ScalarType::I8 | ScalarType::U8 | ScalarType::Bool => 8,
        ScalarType::I16 | ScalarType::U16 | ScalarType::F16 => 16,
        ScalarType::I32 | ScalarType::U32 | ScalarType::F32 => 32,
        ScalarType::I64 | ScalarType::U64 | ScalarType::F64 => 64,
    }
}
