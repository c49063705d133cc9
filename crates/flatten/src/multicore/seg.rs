//! Maps, reductions, scans and scatters as one operation.

use super::host::Form;
use super::worth::{heavy, nest, parallel_inside, Level};
use super::{Inside, Multi};
use crate::scan_and_reduce::separate;
use crate::sequential::Bindings;
use fehu_base::ops::{BinOp, ConvOp};
use fehu_base::prim::IntType;
use fehu_base::{bug, Name};
use fehu_ir::free::bound_in_body;
use fehu_ir::seg::{KernelBody, KernelReturn, KernelsOp, SegBinOp, SegKind, SegLevel, SegOp, SegSpace};
use fehu_ir::soac::{Commutativity, Scatter, Screma, Soac};
use fehu_ir::types::array_of_rows;
use fehu_ir::{Basic, Body, Exp, Kernels, Lambda, Param, PatElem, Soacs, Stm, SubExp, Type};
use rustc_hash::FxHashSet;

impl Multi {
    /// What becomes of a map, reduction or scan.
    pub(super) fn shape_of(s: &Screma<Soacs>) -> Form {
        let scalar = |op: &Lambda<Soacs>| op.ret.iter().all(|t| !t.is_array());
        let scans = s.scans.iter().all(|x| scalar(&x.op));
        let reds = s.reds.iter().all(|x| scalar(&x.op));
        let taken: usize = s.scans.iter().map(|x| x.op.ret.len()).sum::<usize>()
            + s.reds.iter().map(|x| x.op.ret.len()).sum::<usize>();
        let kept = s.map.ret.len() > taken;
        match (s.scans.is_empty(), s.reds.is_empty()) {
            (false, false) => Form::Split,
            (true, _) if reds => Form::One,
            (_, true) if scans => Form::One,
            (true, false) if kept || parallel_inside(&s.map.body) => Form::Split,
            (true, false) => Form::Chunked,
            (false, true) if heavy(&s.map.body) => Form::Split,
            (_, true) => Form::Sequential,
        }
    }

    /// Scans and reductions, each with the map; or, where scans are of arrays or there are none, the map,
    /// then scans and reductions of its results.
    pub(super) fn split(&mut self, stm: Stm<Soacs>) {
        let Exp::Op(Soac::Screma(s)) = &stm.exp else { bug!("only maps, reductions and scans are split") };
        if Self::is_scan_and_reduce(s) {
            for part in separate(&mut self.seq, &stm, &stm.pat, s) {
                self.stm(part);
            }
            return;
        }
        let make = |pat, s| Stm { pat, exp: Exp::Op(Soac::Screma(s)), ..stm.clone() };
        let Screma { width, arrays, scans, reds, map } = s.clone();
        let scanned: usize = scans.iter().map(|x| x.op.ret.len()).sum();
        let reduced: usize = reds.iter().map(|x| x.op.ret.len()).sum();
        let (scan_pat, rest) = stm.pat.split_at(scanned);
        let (red_pat, map_pat) = rest.split_at(reduced);
        let inputs: Vec<PatElem<Soacs>> = map.ret[..scanned + reduced]
            .iter()
            .map(|t| self.soac_binding("mapped", array_of_rows(t, &[width])))
            .collect();
        let outer = inputs.iter().chain(map_pat).cloned().collect();
        self.stm(make(outer, Screma { width, arrays, scans: vec![], reds: vec![], map }));
        let (for_scans, for_reds) = inputs.split_at(scanned);
        for (inputs, pat, scans, reds) in
            [(for_scans, scan_pat, scans, vec![]), (for_reds, red_pat, vec![], reds)]
        {
            if !inputs.is_empty() {
                let arrays = inputs.iter().map(|p| p.name).collect();
                let map = self.identity(inputs.iter().map(|p| p.ty.peel(1)).collect());
                self.stm(make(pat.to_vec(), Screma { width, arrays, scans, reds, map }));
            }
        }
    }

    /// Whether there are both, and scans are of scalars.
    fn is_scan_and_reduce(s: &Screma<Soacs>) -> bool {
        let scalars = s.scans.iter().all(|x| !x.op.ret.iter().any(Type::is_array));
        !s.scans.is_empty() && !s.reds.is_empty() && scalars
    }

    /// One operation.
    pub(super) fn one(&mut self, pat: Bindings, exp: Exp<Soacs>, inside: Inside) {
        match exp {
            Exp::Op(Soac::Screma(s)) => self.screma(pat, s, inside),
            Exp::Op(Soac::Scatter(s)) => self.scatter(pat, s, inside),
            other @ (Exp::Basic(_)
            | Exp::Call(..)
            | Exp::If(..)
            | Exp::Loop(_)
            | Exp::WithAcc(_)
            | Exp::Op(_)) => bug!("{other:?} is no operation by itself"),
        }
    }

    fn screma(&mut self, pat: Bindings, s: Screma<Soacs>, inside: Inside) {
        if s.scans.is_empty() && s.reds.is_empty() {
            let (levels, inner) = nest(s);
            let (space, body) = self.points(levels, inner.body, inside);
            return self.seg(pat, space, inner.ret, body, SegKind::Map);
        }
        let Screma { width, arrays, scans, reds, map } = s;
        let level = Level { width, params: map.params, arrays, made: vec![], stms: vec![] };
        let (space, body) = self.points(vec![level], map.body, inside);
        let mut op = |comm, op, neutral| SegBinOp { comm, op: self.seq.lambda(op), neutral };
        let kind = if reds.is_empty() {
            let ops = scans.into_iter().map(|x| op(Commutativity::Noncommutative, x.op, x.neutral));
            SegKind::Scan(ops.collect(), None)
        } else {
            SegKind::Red(reds.into_iter().map(|x| op(x.comm, x.op, x.neutral)).collect())
        };
        self.seg(pat, space, map.ret, body, kind);
    }

    fn scatter(&mut self, pat: Bindings, s: Scatter<Soacs>, inside: Inside) {
        let Scatter { width, arrays, dests, lambda } = s;
        let level = Level { width, params: lambda.params, arrays, made: vec![], stms: vec![] };
        let (space, mut body) = self.points(vec![level], lambda.body, inside);
        let indices: usize = dests.iter().map(|d| d.shape.len()).sum();
        let values = body.result.split_off(indices.min(body.result.len()));
        let mut indices = std::mem::replace(&mut body.result, values).into_iter();
        let mut returns = vec![];
        for d in dests {
            let index = indices.by_ref().take(d.shape.len()).collect();
            returns.push(KernelReturn::Write { array: d.array, shape: d.shape, index });
        }
        let types = lambda.ret[lambda.ret.len() - returns.len()..].to_vec();
        self.seg_returning(pat, space, types, KernelBody { body, returns }, SegKind::Map);
    }

    /// The space of a nest, and the code at each of its points.
    fn points(&mut self, levels: Vec<Level>, body: Body<Soacs>, inside: Inside) -> (SegSpace, Body<Kernels>) {
        let dims: Vec<(Name, SubExp)> =
            levels.iter().map(|l| (self.seq.b.fresh("gtid", Type::I64), l.width)).collect();
        let flat = self.seq.b.fresh("flat", Type::I64);
        let mut own: FxHashSet<Name> = bound_in_body(&body).into_iter().collect();
        own.extend(levels.iter().flat_map(|l| &l.params).map(|p| p.name));
        own.extend(levels.iter().flat_map(|l| &l.stms).flat_map(|s| &s.pat).map(|p| p.name));
        let body = self.nested(|m| {
            for (level, (i, _)) in levels.into_iter().zip(&dims) {
                m.elements(&level, *i);
                level.stms.into_iter().for_each(|stm| m.seq.stm(stm));
            }
            match inside {
                Inside::Sequential => m.uneven(body, &own),
                Inside::Parallel => m.inline(body),
            }
        });
        (SegSpace { flat, dims }, body)
    }

    /// Binds the parameters of a level to the elements at an index.
    fn elements(&mut self, level: &Level, i: Name) {
        for (param, array) in level.params.iter().zip(&level.arrays) {
            match level.made.iter().find(|(name, _)| name == array).map(|(_, exp)| exp) {
                Some(Exp::Basic(Basic::Iota { start, step, ty, .. })) => {
                    let b = &mut self.seq.b;
                    let i = match ty {
                        IntType::I64 => i.into(),
                        IntType::I8 | IntType::I16 | IntType::I32 => {
                            b.conv(ConvOp::SExt(IntType::I64, *ty), i.into())
                        }
                    };
                    let far = if step.as_i64() == Some(1) { i } else { b.bin(BinOp::Mul(*ty), i, *step) };
                    let add = Exp::Basic(Basic::BinOp(BinOp::Add(*ty), *start, far));
                    let exp = if start.as_i64() == Some(0) { Exp::Basic(Basic::SubExp(far)) } else { add };
                    b.bind_names(vec![(param.name, param.ty.clone())], exp);
                }
                Some(Exp::Basic(Basic::Replicate(_, e))) => {
                    let exp = match e {
                        SubExp::Var(a) if param.consumed && param.ty.is_array() => {
                            Exp::Basic(Basic::Copy(*a))
                        }
                        SubExp::Var(_) | SubExp::Const(_) => Exp::Basic(Basic::SubExp(*e)),
                    };
                    self.seq.b.bind_names(vec![(param.name, param.ty.clone())], exp);
                }
                Some(_) | None => {
                    self.seq.bind_elements(std::slice::from_ref(param), &[*array], i.into());
                }
            }
        }
    }

    /// An operation over tasks `0..n`, whose body is made by a function of the index.
    pub(super) fn tasks(
        &mut self,
        pat: Bindings,
        dims: &[SubExp],
        types: Vec<Type>,
        body: impl FnOnce(&mut Self, &[SubExp]) -> Vec<SubExp>,
    ) {
        let dims: Vec<(Name, SubExp)> =
            dims.iter().map(|n| (self.seq.b.fresh("gtid", Type::I64), *n)).collect();
        let flat = self.seq.b.fresh("flat", Type::I64);
        let at: Vec<SubExp> = dims.iter().map(|(i, _)| (*i).into()).collect();
        let body = self.nested(|m| body(m, &at));
        self.seg(pat, SegSpace { flat, dims }, types, body, SegKind::Map);
    }

    fn seg(
        &mut self,
        pat: Bindings,
        space: SegSpace,
        types: Vec<Type>,
        body: Body<Kernels>,
        kind: SegKind<Kernels>,
    ) {
        let returns = types.iter().map(|_| KernelReturn::Elem).collect();
        self.seg_returning(pat, space, types, KernelBody { body, returns }, kind);
    }

    fn seg_returning(
        &mut self,
        pat: Bindings,
        space: SegSpace,
        types: Vec<Type>,
        body: KernelBody<Kernels>,
        kind: SegKind<Kernels>,
    ) {
        let level = SegLevel::Task;
        let seg = SegOp { level, space, types, body, kind, virtualise: false, grid: None, schedule: None };
        self.seq.b.bind_names(pat, Exp::Op(KernelsOp::Seg(seg)));
    }

    /// A name for a value of combinators.
    pub(super) fn soac_binding(&mut self, base: &str, ty: Type) -> PatElem<Soacs> {
        PatElem { name: self.seq.b.fresh(base, ty.clone()), ty, dec: () }
    }

    /// The lambda that returns its arguments.
    pub(super) fn identity(&mut self, types: Vec<Type>) -> Lambda<Soacs> {
        let mut params = vec![];
        for ty in types.iter().cloned() {
            let name = self.seq.b.fresh("x", ty.clone());
            params.push(Param { name, ty, dec: (), consumed: false });
        }
        let result = params.iter().map(|p| p.name.into()).collect();
        Lambda { params, body: Body { stms: vec![], result }, ret: types }
    }
}
