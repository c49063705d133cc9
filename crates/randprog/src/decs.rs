//! Declarations that a program's entry point uses: sum types, constants, functions, modules and parametric modules.

use crate::maker::{Fun, Maker};
use crate::types::{Size, SumDec, Ty, INTS};
use fehu_base::prim::ScalarType;
use std::rc::Rc;

impl Maker<'_> {
    /// The text of some declarations, which are in scope from then on.
    pub(crate) fn declarations(&mut self) -> String {
        let mut text = String::new();
        for _ in 0..self.c.below(3) {
            text += &self.sum_type();
        }
        for _ in 0..*self.c.pick(&[0, 0, 0, 1, 2]) {
            text += &self.constant();
        }
        if self.c.chance(25) {
            text += &self.modules();
        }
        for _ in 0..*self.c.pick(&[0, 0, 0, 1, 2]) {
            text += &self.function();
        }
        text
    }

    fn sum_type(&mut self) -> String {
        let name = format!("{}s{}", self.prefix, self.sums.len());
        let sized = self.c.chance(35);
        let mut constructors = vec![("none".to_owned(), vec![])];
        for k in 0..=self.c.below(2) {
            let mut payload: Vec<Ty> =
                (0..=self.c.below(2)).map(|_| Ty::Scalar(self.scalar_type())).collect();
            let size: Option<Size> = match self.c.below(4) {
                _ if sized && k == 0 => Some("z".into()),
                3 => Some("3".into()),
                _ => None,
            };
            if let Some(size) = size {
                payload.push(Ty::array(&size, Ty::Scalar(self.scalar_type())));
            }
            constructors.push((format!("{}{k}", self.c.pick(&["some", "box"])), payload));
        }
        let shown: Vec<String> = constructors
            .iter()
            .map(|(c, ts)| {
                let ts: Vec<String> = ts.iter().map(|t| format!(" ({t})")).collect();
                format!("#{c}{}", ts.concat())
            })
            .collect();
        let text = format!("type {name}{} = {}\n", if sized { " [z]" } else { "" }, shown.join(" | "));
        self.sums.push(Rc::new(SumDec { name, sized, constructors }));
        text
    }

    /// A constant that is computed when the program starts.
    fn constant(&mut self) -> String {
        let name = self.new_name(&format!("{}c", self.prefix));
        let ty = self.some_type(2);
        self.fuel = 8;
        // A constant that fails would keep the other programs of its file from starting.
        let reckless = std::mem::take(&mut self.reckless);
        let value = self.exp(&ty, 2);
        self.reckless = reckless;
        // Functions may not return constants that hold arrays.
        let shown = if ty.has_arrays() { format!("(copy {name})") } else { name.clone() };
        self.env.push((shown, ty.clone()));
        format!("def {name} : {ty} = {value}\n")
    }

    /// A function with size parameters.
    fn function(&mut self) -> String {
        let name = self.new_name(&format!("{}f", self.prefix));
        let (a, b): (Size, Size) = ("rows".into(), "cols".into());
        let before = std::mem::replace(&mut self.sizes, vec![a.clone(), b.clone()]);
        let mut params = vec![self.some_type(1), self.some_type(1)];
        params[0] = Ty::array(&a, params[0].clone());
        params[1] = Ty::array(&b, params[1].clone());
        if self.c.chance(50) {
            params.push(self.some_type(1));
        }
        // Arguments say what the size parameters are, so none may be within an expression only.
        let params: Vec<Ty> = params.iter().map(plain_sizes).collect();
        let ret = plain_sizes(&self.some_type(2));
        let xs: Vec<String> = params.iter().map(|_| self.new_name("x")).collect();
        let mut own: Vec<(String, Ty)> = vec![("rows".into(), Ty::I64), ("cols".into(), Ty::I64)];
        own.extend(xs.iter().cloned().zip(params.iter().cloned()));
        self.fuel = 25;
        let body = self.with(own, |m| m.exp(&ret, 4));
        self.sizes = before;
        let attribute = *self.c.pick(&["", "", "#[noinline] ", "#[inline] "]);
        let shown: Vec<String> = xs.iter().zip(&params).map(|(x, t)| format!("({x}: {t})")).collect();
        let text = format!("{attribute}def {name} [rows] [cols] {} : {ret} =\n  {body}\n", shown.join(" "));
        self.funs.push(Fun { name, sizes: vec![a, b], params, ret });
        text
    }

    /// A module with an operator, and modules that parametric ones make of it.
    fn modules(&mut self) -> String {
        let (p, t) = (self.prefix.clone(), *self.c.pick(&INTS));
        let ty = match self.c.below(3) {
            2 => Ty::Tuple(vec![Ty::Scalar(t), Ty::Scalar(t)]),
            _ => Ty::Scalar(t),
        };
        let (op, ne) = self.operator(&ty, false);
        let ascription = match self.c.below(3) {
            0 => String::new(),
            1 => format!(" : {p}op with t = {ty}"),
            _ => format!(" : ({p}op with t = {ty})"),
        };
        let (a, b): (Size, Size) = ("a".into(), "b".into());
        let sizes = vec![a.clone(), b.clone()];
        let row = Ty::array(&a, ty.clone());
        let square = Ty::array(&a, Ty::array(&b, ty.clone()));
        let mut add = |name: String, params: Vec<Ty>, ret: Ty| {
            // A size parameter that no argument fixes would stay open.
            self.funs.push(Fun { name, sizes: sizes.clone(), params, ret });
        };
        add(format!("{p}use.all"), vec![row.clone()], ty.clone());
        add(format!("{p}use.prefixes"), vec![row.clone()], row.clone());
        add(format!("{p}use.rows"), vec![square], row.clone());
        add(format!("{p}use.power"), vec![Ty::Scalar(ScalarType::U8), ty.clone()], ty.clone());
        add(format!("{p}paired.all"), vec![row], Ty::Tuple(vec![ty.clone(), ty.clone()]));
        add(format!("{p}base.op"), vec![ty.clone(), ty.clone()], ty.clone());
        format!(
            "module type {p}op = {{ type t val ne : t val op : t -> t -> t }}
module {p}base{ascription} = {{ type t = {ty} def ne : t = {ne} def op : t -> t -> t = {op} }}
module {p}over (M: {p}op) = {{
  def all [n] (xs: [n]M.t) : M.t = reduce M.op M.ne xs
  def prefixes [n] (xs: [n]M.t) : [n]M.t = scan M.op M.ne xs
  def rows [n] [m] (xss: [n][m]M.t) : [n]M.t = map all xss
  def power (k: u8) (x: M.t) : M.t = loop y = M.ne for _i < i64.u8 k % 7 do M.(op y x)
}}
module {p}pair (A: {p}op) (B: {p}op) = {{
  type t = (A.t, B.t)
  def ne : t = (A.ne, B.ne)
  def op (x: t) (y: t) : t = (A.op x.0 y.0, B.op x.1 y.1)
}}
module {p}use = {p}over {p}base
module {p}paired = {{
  module both = {p}pair {p}base {p}base
  module of_both = {p}over both
  def all [n] (xs: [n]({ty})) : ({ty}, {ty}) = of_both.all (zip xs (reverse xs))
}}
"
        )
    }
}

/// A type without size expressions.
fn plain_sizes(ty: &Ty) -> Ty {
    let size = |s: &Size| if s.contains(' ') { "rows".into() } else { s.clone() };
    match ty {
        Ty::Scalar(t) => Ty::Scalar(*t),
        Ty::Array(s, t) => Ty::Array(size(s), Box::new(plain_sizes(t))),
        Ty::Tuple(ts) => Ty::Tuple(ts.iter().map(plain_sizes).collect()),
        Ty::Record(fs) => Ty::Record(fs.iter().map(|(f, t)| (*f, plain_sizes(t))).collect()),
        Ty::Sum(dec, s) => Ty::Sum(dec.clone(), s.as_ref().map(size)),
    }
}
