//! Maps, reductions and scans, fused or alone, as one loop.

use super::{row, Bindings, Goal, Seq};
use fehu_base::prim::IntType;
use fehu_base::{bug, Name, Symbol};
use fehu_ir::seg::REDUCTION;
use fehu_ir::soac::{Reduce, Scan, Screma};
use fehu_ir::{Attr, Basic, Exp, Lambda, Loop, LoopForm, Param, Soacs, SubExp, Type};

impl<R: Goal> Seq<R> {
    pub(super) fn screma(&mut self, pat: Bindings, s: Screma<Soacs>) {
        let Screma { width, arrays, scans, reds, map } = s;
        let scanned: usize = scans.iter().map(|s| s.neutral.len()).sum();
        let reduced: usize = reds.iter().map(|r| r.neutral.len()).sum();
        let (scan_pat, rest) = pat.split_at(scanned);
        let (red_pat, map_pat) = rest.split_at(reduced);
        let mut carried = Carried { params: vec![], results: vec![] };
        // Operators' values so far: their first parameters, carried under their own names.
        for Scan { op, neutral } in &scans {
            self.carry_values(&mut carried, op, neutral);
        }
        for ((name, ty), carried) in scan_pat.iter().zip(&mut carried.results) {
            *carried = (self.b.names.fresh_like(*name), ty.peel(1));
        }
        for Reduce { op, neutral, .. } in &reds {
            self.carry_values(&mut carried, op, neutral);
        }
        carried.results[scanned..].clone_from_slice(red_pat);
        // Arrays under construction, and accumulators.
        let mut outputs = vec![];
        for (name, ty) in scan_pat.iter().chain(map_pat) {
            outputs.push(match ty {
                Type::Acc(..) => self.carry_acc(&mut carried, *name, ty, &arrays),
                Type::Array(..) => self.carry_array(&mut carried, *name, ty),
                Type::Prim(_) | Type::Mem(_) => bug!("a map has a result of type {ty:?}"),
            });
        }
        let i = self.b.fresh("i", Type::I64);
        let body = self.undecorated(|seq| {
            seq.b.begin();
            let result = seq.iteration(i.into(), &arrays, scans, reds, map, &outputs);
            seq.b.end(result)
        });
        let Carried { params, results } = carried;
        let form = LoopForm::For { var: i, ty: IntType::I64, bound: width };
        let attrs = self.b.attrs.clone();
        if reduced > 0 && scanned == 0 {
            self.b.attrs.push(Attr::Atom(Symbol::new(REDUCTION)));
        }
        self.b.bind_names(results, Exp::Loop(Box::new(Loop { params, form, body })));
        self.b.attrs = attrs;
    }

    /// The body of the loop; returns what it carries.
    fn iteration(
        &mut self,
        i: SubExp,
        arrays: &[Name],
        scans: Vec<Scan<Soacs>>,
        reds: Vec<Reduce<Soacs>>,
        map: Lambda<Soacs>,
        outputs: &[Output],
    ) -> Vec<SubExp> {
        for ((param, array), output) in map.params.iter().zip(arrays).filter_map(|(p, a)| {
            let taken = |o: &&Output| matches!(o, Output::Acc { input, .. } if input == a);
            outputs.iter().find(taken).map(|o| ((p, a), o))
        }) {
            let Output::Acc { params, .. } = output else { continue };
            if self.accs.contains_key(array) {
                self.accs.insert(param.name, params.clone());
            } else if let [carried] = params[..] {
                self.b.bind_names(
                    vec![(param.name, param.ty.clone())],
                    Exp::Basic(Basic::SubExp(carried.into())),
                );
            }
        }
        let plain = map.params.iter().zip(arrays).filter(|(p, _)| !matches!(p.ty, Type::Acc(..)));
        let (plain_params, plain_arrays): (Vec<_>, Vec<_>) = plain.map(|(p, a)| (p.clone(), *a)).unzip();
        self.bind_elements(&plain_params, &plain_arrays, i);
        let kept = map.body.result.clone();
        let types = map.ret.clone();
        for stm in map.body.stms {
            self.stm(stm);
        }
        let mut values = kept.iter();
        let mut next = vec![];
        let operators = scans.into_iter().map(|s| s.op).chain(reds.into_iter().map(|r| r.op));
        let mut scanned = vec![];
        for op in operators {
            let fresh: Vec<SubExp> = values.by_ref().take(op.ret.len()).copied().collect();
            let results = self.combine(op, &fresh);
            scanned.extend(results.iter().copied());
            next.extend(results);
        }
        let kept: Vec<SubExp> = values.copied().collect();
        let scans = outputs.len() - kept.len();
        let reduced = next.len() - scans;
        let results = scanned[..scans].iter().chain(&kept);
        let elems = types[..scans].iter().chain(&types[scans + reduced..]);
        for ((output, value), elem) in outputs.iter().zip(results).zip(elems) {
            match output {
                Output::Array { param, ty } => {
                    let update = Exp::Basic(Basic::Update(*param, row(&[i], elem), *value));
                    next.push(self.b.bind("out", ty.clone(), update).into());
                }
                Output::Acc { .. } => next.extend(self.operands(&[*value])),
            }
        }
        next
    }

    /// Applies an operator whose first parameters are bound already.
    fn combine(&mut self, op: Lambda<Soacs>, values: &[SubExp]) -> Vec<SubExp> {
        let Lambda { mut params, body, ret } = op;
        params.drain(..ret.len());
        self.apply(Lambda { params, body, ret }, values)
    }

    fn carry_values(&mut self, carried: &mut Carried<R>, op: &Lambda<Soacs>, neutral: &[SubExp]) {
        for (param, init) in op.params.iter().zip(neutral) {
            let init = match init {
                SubExp::Var(n) if param.consumed && param.ty.is_array() => {
                    self.b.bind("neutral", param.ty.clone(), Exp::Basic(Basic::Copy(*n))).into()
                }
                SubExp::Var(_) | SubExp::Const(_) => *init,
            };
            let param = Param { name: param.name, ty: param.ty.clone(), dec: (), consumed: param.consumed };
            carried.results.push((param.name, param.ty.clone()));
            carried.params.push((param, init));
        }
    }

    fn carry_array(&mut self, carried: &mut Carried<R>, name: Name, ty: &Type) -> Output {
        let (Some(elem), shape) = (ty.elem(), ty.shape().to_vec()) else {
            bug!("array without elements: {ty:?}")
        };
        let scratch = self.b.bind("scratch", ty.clone(), Exp::Basic(Basic::Scratch(elem, shape)));
        let param = self.b.names.fresh_like(name);
        self.b.types.insert(param, ty.clone());
        carried.params.push((Param { name: param, ty: ty.clone(), dec: (), consumed: true }, scratch.into()));
        carried.results.push((name, ty.clone()));
        Output::Array { param, ty: ty.clone() }
    }

    fn carry_acc(&mut self, carried: &mut Carried<R>, name: Name, ty: &Type, arrays: &[Name]) -> Output {
        let same = |a: &&Name| self.b.types.get(a).is_some_and(|t| same_token(t, ty));
        let Some(input) = arrays.iter().find(same).copied() else {
            bug!("accumulator {} comes from no input", self.b.names.show(name))
        };
        let inits = self.operands(&[input.into()]);
        let results = self.expand(vec![(name, ty.clone())]);
        let mut params = vec![];
        for ((result, ty), init) in results.iter().zip(inits) {
            let param = self.b.names.fresh_like(*result);
            self.b.types.insert(param, ty.clone());
            carried.params.push((Param { name: param, ty: ty.clone(), dec: (), consumed: true }, init));
            params.push(param);
        }
        carried.results.extend(results);
        Output::Acc { input, params }
    }
}

/// Whether two types are of accumulators of one token.
fn same_token(a: &Type, b: &Type) -> bool {
    matches!((a, b), (Type::Acc(s, ..), Type::Acc(t, ..)) if s == t)
}

/// What a loop carries: its parameters, and the names for them after it.
struct Carried<R: Goal> {
    params: Vec<(Param<R>, SubExp)>,
    results: Bindings,
}

/// How a kept result leaves the loop.
enum Output {
    /// An array under construction: the loop's parameter for it.
    Array { param: Name, ty: Type },
    /// An accumulator that goes through every iteration: the input, and the loop's parameters for its arrays.
    Acc { input: Name, params: Vec<Name> },
}
