//! What works for every type: bindings, branches, matches, loops, functions and calls.

use crate::maker::{Fun, Maker};
use crate::types::{Size, Ty};

impl Maker<'_> {
    pub(crate) fn control(&mut self, ty: &Ty, depth: usize) -> String {
        match self.c.below(20) {
            0..=3 => self.binding(ty, depth),
            4..=6 => self.branch(ty, depth),
            7..=10 => self.carried(ty, depth),
            11 | 12 => self.growing(ty, depth),
            13 | 14 => self.found_size(ty, depth),
            15 => self.matched(ty, depth),
            16 => self.local_function(ty, depth),
            17 => self.applied(ty, depth),
            18 => self.asserted(ty, depth),
            _ => self.updated_rest(ty, depth),
        }
    }

    fn binding(&mut self, ty: &Ty, depth: usize) -> String {
        let t = self.some_type(2);
        let value = self.exp(&t, depth);
        match &t {
            Ty::Tuple(ts) => {
                let xs: Vec<String> = ts.iter().map(|_| self.new_name("v")).collect();
                let rest =
                    self.with(xs.iter().cloned().zip(ts.iter().cloned()).collect(), |m| m.exp(ty, depth));
                format!("(let ({}) = {value} in {rest})", xs.join(", "))
            }
            Ty::Record(fs) if self.c.chance(50) => {
                let xs: Vec<String> = fs.iter().map(|_| self.new_name("v")).collect();
                let parts: Vec<String> = fs.iter().zip(&xs).map(|((f, _), x)| format!("{f} = {x}")).collect();
                let more = xs.iter().cloned().zip(fs.iter().map(|(_, t)| t.clone())).collect();
                let rest = self.with(more, |m| m.exp(ty, depth));
                format!("(let {{{}}} = {value} in {rest})", parts.join(", "))
            }
            Ty::Scalar(_) | Ty::Array(..) | Ty::Record(_) | Ty::Sum(..) => {
                let x = self.new_name("v");
                let rest = self.with(vec![(x.clone(), t.clone())], |m| m.exp(ty, depth));
                format!("(let ({x}: {t}) = {value} in {rest})")
            }
        }
    }

    fn branch(&mut self, ty: &Ty, depth: usize) -> String {
        let condition = self.exp(&Ty::BOOL, depth.min(2));
        let (yes, no) = (self.exp(ty, depth), self.exp(ty, depth));
        format!("(if {condition} then {yes} else {no})")
    }

    /// A loop that carries a value of the type.
    fn carried(&mut self, ty: &Ty, depth: usize) -> String {
        let (x, i) = (self.new_name("c"), self.new_name("i"));
        let start = self.exp(ty, depth.saturating_sub(1));
        let own = vec![(x.clone(), ty.clone()), (i.clone(), Ty::I64)];
        match self.c.below(10) {
            0..=4 => {
                let size = self.size();
                let bound = match self.c.below(4) {
                    3 => size.to_string(),
                    k => ["2i64", "3i64", "0i64"][k].to_owned(),
                };
                let body = self.with(own, |m| m.exp(ty, depth));
                format!("(loop ({x}: {ty}) = {start} for {i} < {bound} do {body})")
            }
            5 | 6 => {
                let (go, body) = self.with(own, |m| (m.exp(&Ty::BOOL, 1), m.exp(ty, depth)));
                format!(
                    "(let (r, _) = (loop ({x}: {ty}, {i}) = ({start}, 0i64) \
                     while {i} < 4 && ({i} == 0 || {go}) do ({body}, {i} + 1)) in r)"
                )
            }
            7 => {
                // Two values that change places.
                let y = self.new_name("c");
                let other = self.exp(ty, depth.saturating_sub(1));
                let more = vec![(y.clone(), ty.clone()), (x.clone(), ty.clone()), (i.clone(), Ty::I64)];
                let body = self.with(more, |m| m.exp(ty, depth));
                format!(
                    "(let (r, _) = (loop ({x}: {ty}, {y}: {ty}) = ({start}, {other}) for {i} < 3i64 do ({y}, {body})) in r)"
                )
            }
            _ => {
                let (e, size, y) = (self.some_type(1), self.size(), self.new_name("e"));
                let over = self.exp(&Ty::array(&size, e.clone()), depth.saturating_sub(1));
                let body = self.with(vec![(x.clone(), ty.clone()), (y.clone(), e)], |m| m.exp(ty, depth));
                format!("(loop ({x}: {ty}) = {start} for {y} in {over} do {body})")
            }
        }
    }

    /// A loop that changes the size of what it carries, and an expression that uses what comes of it.
    fn growing(&mut self, ty: &Ty, depth: usize) -> String {
        let (k, x, i, p) = (self.new_name("k"), self.new_name("g"), self.new_name("i"), self.new_name("p"));
        let e = Ty::Scalar(self.scalar_type());
        let size = self.size();
        let start = self.exp(&Ty::array(&size, e.clone()), depth.saturating_sub(1));
        let grown = Ty::array(&k.as_str().into(), e.clone());
        let own = vec![(x.clone(), grown.clone()), (i.clone(), Ty::I64)];
        let body = self.with_size(&k, |m| {
            m.with(own, |m| {
                let keep = m.with(vec![(p.clone(), e.clone())], |m| m.exp(&Ty::BOOL, 1));
                let less = format!("(filter (\\({p}: {e}) -> {keep}) {x})");
                let more_size = m.size();
                let more = m.exp(&Ty::array(&more_size, e.clone()), depth.saturating_sub(1));
                match m.c.below(5) {
                    0 => less,
                    1 => format!("(concat {x} {more})[:i64.min 40 ({k} + {more_size})]"),
                    2 => format!("{x}[{k} / 2:]"),
                    3 => format!("{x}[::{}]", m.c.pick(&["-2", "2", "-1", "3"])),
                    _ => format!("(let q = concat {less} {more} in q[:i64.min 40 (length q)])"),
                }
            })
        });
        let turns = *self.c.pick(&[1, 2, 3]);
        let rest = self.with_size(&k, |m| m.with(vec![(x.clone(), grown)], |m| m.exp(ty, depth)));
        format!(
            "(let [{k}] ({x}: [{k}]{e}) = (loop {x} = {start} : []{e} for {i} < {turns} do \
             let {k} = length {x} let {x} = {x} :> [{k}]{e} in {body}) in {rest})"
        )
    }

    /// An array whose size is known only when it is there, and an expression that uses it.
    fn found_size(&mut self, ty: &Ty, depth: usize) -> String {
        let (k, x, p) = (self.new_name("k"), self.new_name("f"), self.new_name("p"));
        let e = self.some_type(1);
        let size = self.size();
        let xs = self.exp(&Ty::array(&size, e.clone()), depth);
        let found = match self.c.below(5) {
            0 => {
                let keep = self.with(vec![(p.clone(), e.clone())], |m| m.exp(&Ty::BOOL, depth.min(2)));
                format!("filter (\\({p}: {e}) -> {keep}) {xs}")
            }
            1 => {
                let keep = self.with(vec![(p.clone(), e.clone())], |m| m.exp(&Ty::BOOL, depth.min(2)));
                format!("(partition (\\({p}: {e}) -> {keep}) {xs}).{}", self.c.pick(&["0", "1"]))
            }
            2 => format!("let q = {xs} in q[::{}]", self.c.pick(&["2", "-1", "-3", "5"])),
            3 => {
                let (a, b) = (self.index(1), self.index(1));
                format!("let q = {xs} let a = {a} % ({size} + 1) let b = {b} % ({size} + 1) in q[i64.min a b:i64.max a b]")
            }
            _ => {
                let (a, b) = (self.index(1), self.index(1));
                format!(
                    "let q = {xs} let a = {a} % ({size} + 1) let b = {b} % ({size} + 1) \
                     in q[i64.max a b - 1:i64.min a b - 1:-1]"
                )
            }
        };
        let known = Ty::array(&k.as_str().into(), e);
        let rest = self.with_size(&k, |m| m.with(vec![(x.clone(), known.clone())], |m| m.exp(ty, depth)));
        format!("(let [{k}] ({x}: {known}) = {found} in {rest})")
    }

    fn matched(&mut self, ty: &Ty, depth: usize) -> String {
        if self.sums.is_empty() || self.c.chance(30) {
            let x = self.exp(&Ty::I64, depth.min(2));
            let [a, b, c] = [0, 1, 2].map(|_| self.exp(ty, depth));
            return format!("(match {x} % 4 case 0 -> {a} case 1 -> {b} case _ -> {c})");
        }
        let dec = self.sums[self.c.below(self.sums.len())].clone();
        let size = dec.sized.then(|| self.size());
        let of = self.exp(&Ty::Sum(dec.clone(), size.clone()), depth);
        let mut cases = vec![];
        let all = dec.constructors(size.as_ref());
        for (i, (name, payload)) in all.iter().enumerate() {
            if i > 0 && i + 1 == all.len() && self.c.chance(20) {
                cases.push(format!("case _ -> {}", self.exp(ty, depth)));
                continue;
            }
            let xs: Vec<String> = payload.iter().map(|_| self.new_name("m")).collect();
            let more = xs.iter().cloned().zip(payload.iter().cloned()).collect();
            let body = self.with(more, |m| m.exp(ty, depth));
            cases.push(format!("case #{name} {} -> {body}", xs.join(" ")));
        }
        format!("(match {of} {})", cases.join(" "))
    }

    /// A function that only this expression knows.
    fn local_function(&mut self, ty: &Ty, depth: usize) -> String {
        let name = self.new_name("h");
        let params: Vec<Ty> = (0..*self.c.pick(&[1, 2])).map(|_| self.some_type(1)).collect();
        let ret = if self.c.chance(50) { ty.clone() } else { self.some_type(1) };
        let xs: Vec<String> = params.iter().map(|_| self.new_name("x")).collect();
        let more = xs.iter().cloned().zip(params.iter().cloned()).collect();
        let body = self.with(more, |m| m.exp(&ret, depth));
        let shown: Vec<String> = xs.iter().zip(&params).map(|(x, t)| format!("({x}: {t})")).collect();
        self.funs.push(Fun { name: name.clone(), sizes: vec![], params, ret: ret.clone() });
        let rest = self.exp(ty, depth);
        self.funs.pop();
        format!("(let {name} {} : {ret} = {body} in {rest})", shown.join(" "))
    }

    /// A call of a function in scope whose result has the type.
    pub(crate) fn call(&mut self, ty: &Ty, depth: usize) -> Option<String> {
        let mut fitting: Vec<(Fun, Vec<(Size, Size)>)> = vec![];
        for f in &self.funs {
            let mut found = vec![];
            if f.ret.matches(ty, &f.sizes, &mut found) {
                fitting.push((f.clone(), found));
            }
        }
        if fitting.is_empty() {
            return None;
        }
        let (fun, mut sizes) = fitting.swap_remove(self.c.below(fitting.len()));
        for p in &fun.sizes {
            if sizes.iter().all(|(q, _)| q != p) {
                sizes.push((p.clone(), self.size()));
            }
        }
        let args: Vec<String> = fun.params.iter().map(|t| self.exp(&t.instantiate(&sizes), depth)).collect();
        Some(match self.c.below(6) {
            4 if args.len() == 1 => format!("({} |> {})", args[0], fun.name),
            5 if args.len() == 2 => format!("(uncurry {} ({}, {}))", fun.name, args[0], args[1]),
            _ => format!("({} {})", fun.name, args.join(" ")),
        })
    }

    /// Functions of higher order.
    fn applied(&mut self, ty: &Ty, depth: usize) -> String {
        let x = self.new_name("x");
        let body = self.with(vec![(x.clone(), ty.clone())], |m| m.exp(ty, depth));
        let f = format!("(\\({x}: {ty}) : {ty} -> {body})");
        let start = self.exp(ty, depth);
        match self.c.below(5) {
            0 => format!("(twice {f} {start})"),
            1 => format!("(iterate 3 {f} {start})"),
            2 => format!("(({f} >-> {f}) {start})"),
            3 => {
                let t = self.some_type(1);
                let (y, z) = (self.new_name("y"), self.new_name("f"));
                let with = self.exp(&t, depth);
                let more = vec![(x.clone(), ty.clone()), (y.clone(), t.clone())];
                let body = self.with(more, |m| m.exp(ty, depth));
                // What is bound to a function may not consume.
                let w = self.new_name("w");
                format!("(let {w} = {with} let {z} = (\\({y}: {t}) ({x}: {ty}) : {ty} -> {body}) {w} in {z} ({z} {start}))")
            }
            _ => {
                let (fs, g) = (self.new_name("fs"), self.exp(ty, depth));
                format!("(let {fs} = {{go = {f}, stay = \\({x}: {ty}) -> {x}}} in {fs}.go ({fs}.stay {g}))")
            }
        }
    }

    /// A check of the program's own.
    fn asserted(&mut self, ty: &Ty, depth: usize) -> String {
        let rest = self.exp(ty, depth);
        if self.reckless {
            return format!("(assert {} {rest})", self.exp(&Ty::BOOL, depth.min(2)));
        }
        let size = self.size();
        format!("(assert ({size} >= 0) {rest})")
    }
}
