//! Associative operators with their neutral elements, and reductions with them.
//!
//! Every order of evaluation must give the same bits. Integers wrap, so most of what they do is associative;
//! floats are first made small whole numbers (`tidy_f32` and so on, in the library of `program.rs`), whose
//! sums are exact.

use crate::maker::Maker;
use crate::types::{is_float, is_int, Ty};
use fehu_base::prim::ScalarType;

impl Maker<'_> {
    /// An associative operator and its neutral element.
    pub(crate) fn operator(&mut self, ty: &Ty, commutes: bool) -> (String, String) {
        match ty {
            Ty::Scalar(t) => self.scalar_operator(*t, commutes),
            Ty::Array(s, t) => {
                let (op, ne) = self.operator(t, commutes);
                (format!("(map2 {op})"), format!("(replicate {s} {ne})"))
            }
            Ty::Tuple(ts) => {
                if let (false, [Ty::Scalar(a), Ty::Scalar(b)]) = (commutes, &ts[..]) {
                    if a == b && is_int(*a) && self.c.chance(50) {
                        return self.affine(*a);
                    }
                }
                let (a, b) = (self.new_name("a"), self.new_name("b"));
                let parts: Vec<(String, String)> = ts.iter().map(|t| self.operator(t, commutes)).collect();
                let body: Vec<String> =
                    parts.iter().enumerate().map(|(i, (op, _))| format!("{op} {a}.{i} {b}.{i}")).collect();
                let ne: Vec<String> = parts.into_iter().map(|(_, ne)| ne).collect();
                (
                    format!("(\\({a}: {ty}) ({b}: {ty}) -> ({}))", body.join(", ")),
                    format!("({})", ne.join(", ")),
                )
            }
            Ty::Record(fs) => {
                let (a, b) = (self.new_name("a"), self.new_name("b"));
                let parts: Vec<(String, String)> =
                    fs.iter().map(|(_, t)| self.operator(t, commutes)).collect();
                let body: Vec<String> = fs
                    .iter()
                    .zip(&parts)
                    .map(|((f, _), (op, _))| format!("{f} = {op} {a}.{f} {b}.{f}"))
                    .collect();
                let ne: Vec<String> =
                    fs.iter().zip(&parts).map(|((f, _), (_, ne))| format!("{f} = {ne}")).collect();
                (
                    format!("(\\({a}: {ty}) ({b}: {ty}) : {ty} -> {{{}}})", body.join(", ")),
                    format!("{{{}}}", ne.join(", ")),
                )
            }
            Ty::Sum(dec, _) => {
                // The first that is not the first constructor.
                let none = &dec.constructors[0].0;
                let (a, b) = (self.new_name("a"), self.new_name("b"));
                (
                    format!(
                        "(\\({a}: {ty}) ({b}: {ty}) : {ty} -> match {a} case #{none} -> {b} case _ -> {a})"
                    ),
                    format!("(#{none} : {ty})"),
                )
            }
        }
    }

    /// Whether there are commutative operators on a type.
    pub(crate) fn commutes(ty: &Ty) -> bool {
        match ty {
            Ty::Scalar(_) => true,
            Ty::Array(_, t) => Self::commutes(t),
            Ty::Tuple(ts) => ts.iter().all(Self::commutes),
            Ty::Record(fs) => fs.iter().all(|(_, t)| Self::commutes(t)),
            Ty::Sum(..) => false,
        }
    }

    /// The composition of functions `a * x + b`.
    fn affine(&mut self, t: ScalarType) -> (String, String) {
        let [a, b, c, d] = ["a", "b", "c", "d"].map(|stem| self.new_name(stem));
        let op = format!("(\\({a}: {t}, {b}: {t}) ({c}: {t}, {d}: {t}) -> ({a} * {c}, {b} * {c} + {d}))");
        (op, format!("(1{t}, 0{t})"))
    }

    fn scalar_operator(&mut self, t: ScalarType, commutes: bool) -> (String, String) {
        if t == ScalarType::Bool {
            let all = [("(||)", "false"), ("(&&)", "true"), ("(!=)", "false")];
            let (op, ne) = self.c.pick(&all);
            return (op.to_string(), ne.to_string());
        }
        if is_float(t) {
            let sums = if t == ScalarType::F16 { 0 } else { 1 };
            return match self.c.below(2 + sums) {
                0 => (format!("{t}.max"), format!("(-{t}.inf)")),
                1 => (format!("{t}.min"), format!("{t}.inf")),
                _ => ("(+)".into(), format!("0{t}")),
            };
        }
        let (a, b) = (self.new_name("a"), self.new_name("b"));
        match self.c.below(if commutes { 8 } else { 10 }) {
            0..=2 => ("(+)".into(), format!("0{t}")),
            3 => ("(*)".into(), format!("1{t}")),
            4 => (format!("{t}.max"), format!("{t}.lowest")),
            5 => (format!("{t}.min"), format!("{t}.highest")),
            6 => ("(^)".into(), format!("0{t}")),
            7 => (format!("(\\({a}: {t}) ({b}: {t}) -> {a} | {b})"), format!("0{t}")),
            8 => (format!("(\\({a}: {t}) ({b}: {t}) -> if {b} == 0 then {a} else {b})"), format!("0{t}")),
            _ => (format!("(\\({a}: {t}) ({b}: {t}) -> if {a} == 0 then {b} else {a})"), format!("0{t}")),
        }
    }

    /// An array ready to be reduced: no float in it is large, broken or negative zero.
    pub(crate) fn tidied(&mut self, xs: &str, elem: &Ty) -> String {
        match elem.has_floats() {
            true => format!("(map {} {xs})", self.tidy(elem)),
            false => xs.to_owned(),
        }
    }

    fn tidy(&mut self, ty: &Ty) -> String {
        match ty {
            Ty::Scalar(t) if is_float(*t) => format!("tidy_{t}"),
            Ty::Scalar(_) => "id".into(),
            Ty::Array(_, t) => format!("(map {})", self.tidy(t)),
            Ty::Tuple(ts) => {
                let a = self.new_name("a");
                let parts: Vec<String> =
                    ts.iter().enumerate().map(|(i, t)| format!("{} {a}.{i}", self.tidy(t))).collect();
                format!("(\\({a}: {ty}) : {ty} -> ({}))", parts.join(", "))
            }
            Ty::Record(fs) => {
                let a = self.new_name("a");
                let parts: Vec<String> =
                    fs.iter().map(|(f, t)| format!("{f} = {} {a}.{f}", self.tidy(t))).collect();
                format!("(\\({a}: {ty}) : {ty} -> {{{}}})", parts.join(", "))
            }
            // The operator on sums only chooses.
            Ty::Sum(..) => "id".into(),
        }
    }

    /// A value that an array is reduced to.
    pub(crate) fn reduction(&mut self, ty: &Ty, depth: usize) -> String {
        let size = self.size();
        let xs = self.exp(&Ty::array(&size, ty.clone()), depth);
        let xs = self.tidied(&xs, ty);
        if Self::commutes(ty) && self.c.chance(15) {
            let (op, ne) = self.operator(ty, true);
            return self.attributed(format!("(reduce_comm {op} {ne} {xs})"));
        }
        let (op, ne) = self.operator(ty, false);
        match self.c.below(10) {
            9 => format!("(foldl {op} {ne} {xs})"),
            _ => self.attributed(format!("(reduce {op} {ne} {xs})")),
        }
    }

    /// A reduction of as many values as only this point knows.
    pub(crate) fn irregular(&mut self, t: ScalarType, depth: usize) -> String {
        let ty = Ty::Scalar(t);
        let (i, k, w) = (self.new_name("i"), self.new_name("k"), self.new_name("w"));
        let most = *self.c.pick(&[6, 3, 17]);
        let count = format!("({} % {most})", self.exp(&Ty::I64, depth.min(2)));
        let (op, ne) = self.operator(&ty, false);
        let rest = self.with_size(&k, |m| {
            let body = m.with(vec![(i.clone(), Ty::I64)], |m| m.exp(&ty, depth));
            let values = format!("(map (\\({i}: i64) -> {body}) (iota {k}))");
            if m.c.chance(40) {
                let elem = Ty::array(&k.as_str().into(), ty.clone());
                let after = m.with(vec![(w.clone(), elem.clone())], |m| m.exp(&ty, depth.saturating_sub(1)));
                return format!("let ({w}: {elem}) = {values} in {after}");
            }
            let values = m.tidied(&values, &ty);
            format!("in reduce {op} {ne} {values}")
        });
        format!("(let {k} = {count} {rest})")
    }

    /// A reduction of what a condition keeps.
    pub(crate) fn filtered(&mut self, t: ScalarType, depth: usize) -> String {
        let ty = Ty::Scalar(t);
        let size = self.size();
        let xs = self.exp(&Ty::array(&size, ty.clone()), depth);
        let p = self.new_name("p");
        let keep = self.with(vec![(p.clone(), ty.clone())], |m| m.exp(&Ty::BOOL, depth.min(2)));
        let kept = self.tidied(&format!("(filter (\\({p}: {ty}) -> {keep}) {xs})"), &ty);
        let (op, ne) = self.operator(&ty, false);
        format!("(reduce {op} {ne} {kept})")
    }
}
