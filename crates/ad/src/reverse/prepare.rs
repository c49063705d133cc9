//! Statements with several tasks become several statements, of which each has a rule.
//!
//! ```text
//! reduce f e (map g xs)          let (ys) = map g xs   reduce f e ys           the function is a map of its own
//! reduce of independent parts    one reduction for each of them
//! reduce (map2 f) es xss         map (reduce f) es (transpose xss)             scans and histograms as well
//! scan of arrays                 a loop
//! histogram of operators         sorting and a scan (`bins`); on CPUs a loop
//!   without a rule
//! while                          a first run counts the steps, then as `for`
//! #[bound(n)] while              for, with a branch that does nothing once the condition does not hold
//! #[stripmine(k)] for            k loops in each other, so that each saves few states (`strips`)
//! ```

use super::bins::of_numbers;
use super::hist::known_of_rows;
use super::nest::{array, mapping};
use super::operators::{groups, known, of_vectors, Known};
use super::Reverse;
use crate::Machine;
use fehu_analysis::operator::depends_on_order;
use fehu_base::Name;
use fehu_ir::free::free_in_stm;
use fehu_ir::soac::{Filter, Hist, HistOp, Reduce, Scan, Scatter, Screma, Soac};
use fehu_ir::{
    Attr, Basic, Body, ErrorPart, Exp, Lambda, Loop, LoopForm, PatElem, Purpose, Soacs, Stm, SubExp, Type,
};
use rustc_hash::FxHashSet;

/// What comes in place of a statement.
enum Instead {
    Itself(Box<Stm<Soacs>>),
    Others(Vec<Stm<Soacs>>),
}

/// A reduction or a scan.
#[derive(Clone)]
enum Task {
    Reduce(Reduce<Soacs>),
    Scan(Scan<Soacs>),
}

impl Task {
    fn op(&self) -> &Lambda<Soacs> {
        match self {
            Task::Reduce(r) => &r.op,
            Task::Scan(s) => &s.op,
        }
    }

    fn neutral(&self) -> &[SubExp] {
        match self {
            Task::Reduce(r) => &r.neutral,
            Task::Scan(s) => &s.neutral,
        }
    }

    fn with(&self, op: Lambda<Soacs>, neutral: Vec<SubExp>) -> Task {
        match self {
            Task::Reduce(r) => Task::Reduce(Reduce { comm: r.comm, op, neutral }),
            Task::Scan(_) => Task::Scan(Scan { op, neutral }),
        }
    }

    fn of(self, width: SubExp, arrays: Vec<Name>, map: Lambda<Soacs>) -> Exp<Soacs> {
        let (scans, reds) = match self {
            Task::Reduce(r) => (vec![], vec![r]),
            Task::Scan(s) => (vec![s], vec![]),
        };
        Exp::Op(Soac::Screma(Screma { width, arrays, scans, reds, map }))
    }
}

impl Reverse<'_> {
    /// The statements that come in place of one.
    pub(super) fn prepared(&mut self, stm: Stm<Soacs>) -> Vec<Stm<Soacs>> {
        let bound: Vec<Name> = stm.pat.iter().map(|p| p.name).collect();
        match self.split(stm) {
            Instead::Itself(stm) => vec![*stm],
            Instead::Others(stms) => {
                let body = Body { stms, result: vec![] };
                self.activity.of_body(&self.b.types, &body, &mut self.active);
                let used: FxHashSet<Name> =
                    bound.into_iter().chain(body.stms.iter().flat_map(free_in_stm)).collect();
                // What nothing uses needs no derivative: the first run of a loop says how long it is.
                for p in body.stms.iter().flat_map(|s| &s.pat).filter(|p| !used.contains(&p.name)) {
                    self.active.remove(&p.name);
                }
                let mut all = vec![];
                for stm in body.stms {
                    match self.matters(&stm) {
                        true => all.extend(self.prepared(stm)),
                        false => all.push(stm),
                    }
                }
                all
            }
        }
    }

    fn split(&mut self, stm: Stm<Soacs>) -> Instead {
        let simple = match &stm.exp {
            Exp::Op(Soac::Screma(s)) => is_simple(s),
            Exp::Op(Soac::Hist(h)) => match h.ops.as_slice() {
                [op] => is_identity(&h.lambda) && op.dests.len() == 1 && known_of_rows(op) != Known::Other,
                _ => false,
            },
            Exp::Op(Soac::Scatter(s)) => is_identity(&s.lambda) && s.dests.len() == 1,
            Exp::Op(Soac::Filter(f)) => is_identity(&f.lambda),
            Exp::Loop(l) => matches!(l.form, LoopForm::For { .. }) && self.levels(&stm.attrs, l).is_none(),
            Exp::Basic(_) | Exp::Call(..) | Exp::If(..) | Exp::WithAcc(_) | Exp::Op(_) => true,
        };
        if simple {
            return Instead::Itself(Box::new(stm));
        }
        self.b.begin();
        let certs = std::mem::replace(&mut self.b.certs, stm.certs);
        match stm.exp {
            Exp::Op(Soac::Screma(s)) => self.split_screma(&stm.pat, s),
            Exp::Op(Soac::Hist(h)) => self.split_hist(&stm.pat, h),
            Exp::Op(Soac::Scatter(s)) => self.split_scatter(&stm.pat, s),
            Exp::Op(Soac::Filter(f)) => self.split_filter(stm.pat, f),
            Exp::Loop(l) => match (l.form.clone(), bound(&stm.attrs), self.levels(&stm.attrs, &l)) {
                (LoopForm::While(more), Some(most), _) if is_regular(&l) => {
                    self.bounded((&stm.pat, stm.attrs), *l, more, most)
                }
                (LoopForm::For { .. }, _, Some(levels)) => self.stripped(&stm.pat, *l, levels),
                (LoopForm::While(_), _, _) => self.counted((stm.pat, stm.attrs), *l),
                (LoopForm::For { .. }, _, None) => fehu_base::bug!("a loop that has a rule"),
            },
            Exp::Basic(_) | Exp::Call(..) | Exp::If(..) | Exp::WithAcc(_) | Exp::Op(_) => {}
        }
        self.b.certs = certs;
        Instead::Others(self.b.end(vec![]).stms)
    }

    fn bind_pat(&mut self, pat: &[PatElem<Soacs>], exp: Exp<Soacs>) {
        self.b.bind_names(pat.iter().map(|p| (p.name, p.ty.clone())).collect(), exp);
    }

    /// The arrays of what a combinator's function gives; a map of their own if it does something. Some of
    /// them have names already.
    fn mapped(
        &mut self,
        width: SubExp,
        arrays: &[Name],
        map: Lambda<Soacs>,
        bound: &[Option<PatElem<Soacs>>],
    ) -> Vec<Name> {
        let params: Vec<SubExp> = map.params.iter().map(|p| p.name.into()).collect();
        let place = |e: &SubExp| params.iter().position(|p| p == e);
        let places: Option<Vec<usize>> = map.body.result.iter().map(place).collect();
        if let (true, Some(places)) = (map.body.stms.is_empty(), places) {
            let mut made = vec![];
            for (at, bound) in places.into_iter().zip(bound) {
                if let Some(p) = bound {
                    let exp = Exp::Basic(Basic::SubExp(arrays[at].into()));
                    self.bind_pat(std::slice::from_ref(p), exp);
                }
                made.push(bound.as_ref().map_or(arrays[at], |p| p.name));
            }
            return made;
        }
        let mut pat = vec![];
        for (t, bound) in map.ret.iter().zip(bound) {
            pat.push(match bound {
                Some(p) => (p.name, p.ty.clone()),
                None => {
                    let ty = t.array_of(&[width]);
                    (self.b.fresh("ys", ty.clone()), ty)
                }
            });
        }
        let names = pat.iter().map(|(n, _)| *n).collect();
        self.b.bind_names(pat, mapping(width, arrays.to_vec(), map));
        names
    }

    fn split_screma(&mut self, pat: &[PatElem<Soacs>], s: Screma<Soacs>) {
        let mut tasks: Vec<Task> = s.scans.into_iter().map(Task::Scan).collect();
        tasks.extend(s.reds.into_iter().map(Task::Reduce));
        let inputs: usize = tasks.iter().map(|t| t.neutral().len()).sum();
        let bound: Vec<Option<PatElem<Soacs>>> =
            pat.iter().enumerate().map(|(i, p)| (i >= inputs).then(|| p.clone())).collect();
        let arrays = self.mapped(s.width, &s.arrays, s.map, &bound);
        let mut at = 0;
        for task in tasks {
            let k = task.neutral().len();
            for (members, op) in groups(task.op()) {
                let op = self.again_lambda(&op);
                let neutral = members.iter().map(|i| task.neutral()[*i]).collect();
                let own: Vec<PatElem<Soacs>> = members.iter().map(|i| pat[at + i].clone()).collect();
                let of: Vec<Name> = members.iter().map(|i| arrays[at + i]).collect();
                self.task(s.width, &own, &of, task.with(op, neutral));
            }
            at += k;
        }
    }

    /// A reduction or scan of arrays as they are.
    fn task(&mut self, width: SubExp, pat: &[PatElem<Soacs>], arrays: &[Name], task: Task) {
        let rows: Vec<Type> = arrays.iter().map(|a| self.b.type_of((*a).into()).peel(1)).collect();
        if let (Some(inner), Some(n)) = (of_vectors(task.op()), rows[0].shape().first()) {
            return self.by_columns(width, *n, pat, arrays, &task, &inner);
        }
        if let (Task::Scan(scan), true) = (&task, rows.iter().any(Type::is_array)) {
            return self.scan_loop(width, pat, arrays, scan);
        }
        let map = self.identity(&rows);
        self.bind_pat(pat, task.of(width, arrays.to_vec(), map));
    }

    /// For each column, a reduction or scan of its elements.
    fn by_columns(
        &mut self,
        width: SubExp,
        columns: SubExp,
        pat: &[PatElem<Soacs>],
        arrays: &[Name],
        task: &Task,
        inner: &Lambda<Soacs>,
    ) {
        let swapped = |rank: usize| -> Vec<usize> { [1, 0].into_iter().chain(2..rank).collect() };
        let k = arrays.len();
        let mut inputs = vec![];
        for a in arrays {
            let rank = self.b.type_of((*a).into()).rank();
            inputs.push(self.rearranged(&swapped(rank), *a));
        }
        inputs.extend(task.neutral().iter().map(|e| array(*e)));
        let made = self.map_rows(columns, &inputs, &mut |r, xs| {
            let (column, neutral) = xs.split_at(k);
            let column: Vec<Name> = column.iter().map(|e| array(*e)).collect();
            let rows: Vec<Type> = column.iter().map(|a| r.b.type_of((*a).into()).peel(1)).collect();
            let op = r.again_lambda(inner);
            let map = r.identity(&rows);
            let own = task.with(op, neutral.to_vec());
            let types = match &own {
                Task::Reduce(_) => rows.clone(),
                Task::Scan(_) => rows.iter().map(|t| t.array_of(&[width])).collect(),
            };
            let exp = own.of(width, column, map);
            r.b.bind_all("t", types, exp).into_iter().map(SubExp::Var).collect()
        });
        for (p, name) in pat.iter().zip(made) {
            let exp = match task {
                Task::Reduce(_) => Basic::SubExp(name.into()),
                Task::Scan(_) => Basic::Rearrange(swapped(p.ty.rank()), name),
            };
            self.bind_pat(std::slice::from_ref(p), Exp::Basic(exp));
        }
    }

    /// A scan as a loop.
    fn scan_loop(&mut self, n: SubExp, pat: &[PatElem<Soacs>], arrays: &[Name], scan: &Scan<Soacs>) {
        let k = arrays.len();
        let mut params = vec![];
        for (p, e) in pat.iter().zip(&scan.neutral) {
            params.push((self.b.param("last", p.ty.peel(1)), *e));
        }
        for p in pat {
            let Some(prim) = p.ty.elem() else { fehu_base::bug!("a scan of nothing") };
            let room = Exp::Basic(Basic::Scratch(prim, p.ty.shape().to_vec()));
            let room = self.b.bind("room", p.ty.clone(), room);
            params.push((self.b.param("ys", p.ty.clone()), room.into()));
        }
        let names: Vec<Name> = params.iter().map(|(p, _)| p.name).collect();
        let i = self.b.fresh("i", Type::I64);
        let body = self.nested(|r| {
            let own: Vec<SubExp> = arrays.iter().map(|a| r.row(*a, &[i.into()])).collect();
            let last = names[..k].iter().map(|n| SubExp::Var(*n));
            let next = r.applied(&scan.op, &last.chain(own).collect::<Vec<_>>());
            let mut results = next.clone();
            for (room, e) in names[k..].iter().zip(next) {
                let ty = r.b.type_of((*room).into());
                results.push(r.update(*room, &Self::row_slice(&ty, i.into()), e));
            }
            results
        });
        let form = LoopForm::For { var: i, ty: fehu_base::prim::IntType::I64, bound: n };
        let lasts = pat.iter().map(|p| (self.b.names.fresh_str("last"), p.ty.peel(1))).collect::<Vec<_>>();
        let all = lasts.into_iter().chain(pat.iter().map(|p| (p.name, p.ty.clone()))).collect();
        self.b.bind_names(all, Exp::Loop(Box::new(Loop { params, form, body })));
    }

    pub(crate) fn split_hist(&mut self, pat: &[PatElem<Soacs>], h: Hist<Soacs>) {
        let indices: usize = h.ops.iter().map(|op| op.shape.len()).sum();
        let bound = vec![None; h.lambda.ret.len()];
        let arrays = self.mapped(h.width, &h.arrays, h.lambda, &bound);
        let (mut at, mut index) = (0, 0);
        for op in h.ops {
            let (k, rank) = (op.neutral.len(), op.shape.len());
            let is = &arrays[index..index + rank];
            for (members, lambda) in groups(&op.op) {
                let lambda = self.again_lambda(&lambda);
                let one = HistOp {
                    shape: op.shape.clone(),
                    dests: members.iter().map(|i| op.dests[*i]).collect(),
                    neutral: members.iter().map(|i| op.neutral[*i]).collect(),
                    op: lambda,
                };
                let own: Vec<PatElem<Soacs>> = members.iter().map(|i| pat[at + i].clone()).collect();
                let values: Vec<Name> = members.iter().map(|i| arrays[indices + at + i]).collect();
                self.one_hist(h.width, &own, is, &values, one);
            }
            at += k;
            index += rank;
        }
    }

    fn one_hist(
        &mut self,
        n: SubExp,
        pat: &[PatElem<Soacs>],
        is: &[Name],
        values: &[Name],
        op: HistOp<Soacs>,
    ) {
        let sorts = self.sorts && depends_on_order(&op.op);
        if op.dests.len() == 1 && known_of_rows(&op) != Known::Other && !sorts {
            let mut types = vec![Type::I64; is.len()];
            types.push(self.b.type_of(values[0].into()).peel(1));
            let lambda = self.identity(&types);
            let arrays = is.iter().chain(values).copied().collect();
            return self.bind_pat(pat, Exp::Op(Soac::Hist(Hist { width: n, arrays, ops: vec![op], lambda })));
        }
        match of_vectors(&op.op) {
            Some(inner) => self.hist_by_columns(n, pat, is, values, &op, &inner),
            None if of_numbers(&op) => {
                let op = self.with_neutral(op);
                match self.options.machine {
                    Machine::Gpu => self.hist_sorted(n, pat, is, values, &op),
                    Machine::Cpu => self.hist_loop(n, pat, is, values, &op),
                }
            }
            None => self.hist_loop(n, pat, is, values, &op),
        }
    }

    /// The bins, combined with the neutral element. That changes nothing, unless it is none: then bins without values
    /// have derivatives, too.
    fn with_neutral(&mut self, op: HistOp<Soacs>) -> HistOp<Soacs> {
        let Some((width, inner)) = op.shape.split_first() else {
            fehu_base::bug!("a histogram without bins")
        };
        let dests = self.map_rows(*width, &op.dests, &mut |r, xs| r.combined(inner, xs, &op));
        HistOp { dests, ..op }
    }

    fn combined(&mut self, shape: &[SubExp], bins: &[SubExp], op: &HistOp<Soacs>) -> Vec<SubExp> {
        let Some((width, inner)) = shape.split_first() else {
            return self.applied(&op.op, &[bins, &op.neutral].concat());
        };
        let rows: Vec<Name> = bins.iter().map(|e| array(*e)).collect();
        let made = self.map_rows(*width, &rows, &mut |r, xs| r.combined(inner, xs, op));
        made.into_iter().map(SubExp::Var).collect()
    }

    /// For each column of rows, a histogram of its elements.
    fn hist_by_columns(
        &mut self,
        n: SubExp,
        pat: &[PatElem<Soacs>],
        is: &[Name],
        values: &[Name],
        op: &HistOp<Soacs>,
        inner: &Lambda<Soacs>,
    ) {
        let (k, rank) = (values.len(), op.shape.len());
        let columns = self.b.type_of(op.dests[0].into()).shape()[rank];
        let mut inputs = vec![];
        for v in values {
            let of = self.b.type_of((*v).into()).rank();
            let perm: Vec<usize> = [1, 0].into_iter().chain(2..of).collect();
            inputs.push(self.rearranged(&perm, *v));
        }
        for d in &op.dests {
            let of = self.b.type_of((*d).into()).rank();
            let perm: Vec<usize> = [rank].into_iter().chain(0..rank).chain(rank + 1..of).collect();
            inputs.push(self.rearranged(&perm, *d));
        }
        inputs.extend(op.neutral.iter().map(|e| array(*e)));
        let made = self.map_rows(columns, &inputs, &mut |r, xs| {
            let names: Vec<Name> = xs[..2 * k].iter().map(|e| array(*e)).collect();
            let mut types = vec![Type::I64; is.len()];
            types.extend(names[..k].iter().map(|a| r.b.type_of((*a).into()).peel(1)));
            let dests: Vec<Name> = names[k..].iter().map(|a| r.copied(*a)).collect();
            let results = dests.iter().map(|d| r.b.type_of((*d).into())).collect();
            let own = HistOp {
                shape: op.shape.clone(),
                dests,
                neutral: xs[2 * k..].to_vec(),
                op: r.again_lambda(inner),
            };
            let lambda = r.identity(&types);
            let arrays = is.iter().chain(&names[..k]).copied().collect();
            let hist = Exp::Op(Soac::Hist(Hist { width: n, arrays, ops: vec![own], lambda }));
            r.b.bind_all("bins", results, hist).into_iter().map(SubExp::Var).collect()
        });
        for (p, name) in pat.iter().zip(made) {
            let perm = (1..=rank).chain([0]).chain(rank + 1..p.ty.rank()).collect();
            self.bind_pat(std::slice::from_ref(p), Exp::Basic(Basic::Rearrange(perm, name)));
        }
    }

    /// A histogram as a loop.
    fn hist_loop(
        &mut self,
        n: SubExp,
        pat: &[PatElem<Soacs>],
        is: &[Name],
        values: &[Name],
        op: &HistOp<Soacs>,
    ) {
        let mut params = vec![];
        for (p, d) in pat.iter().zip(&op.dests) {
            params.push((self.b.param("bins", p.ty.clone()), SubExp::Var(*d)));
        }
        let bins: Vec<Name> = params.iter().map(|(p, _)| p.name).collect();
        let types: Vec<Type> = pat.iter().map(|p| p.ty.clone()).collect();
        let i = self.b.fresh("i", Type::I64);
        let body = self.nested(|r| {
            let at: Vec<SubExp> = is.iter().map(|a| r.row(*a, &[i.into()])).collect();
            let inside = r.within(&at, &op.shape);
            r.choice(
                inside,
                &types,
                |r| {
                    let old: Vec<SubExp> = bins.iter().map(|a| r.row(*a, &at)).collect();
                    let new: Vec<SubExp> = values.iter().map(|a| r.row(*a, &[i.into()])).collect();
                    let both = r.applied(&op.op, &[old, new].concat());
                    let write = |r: &mut Self, (a, e): (&Name, SubExp)| {
                        let ty = r.b.type_of((*a).into());
                        r.update(*a, &Self::rows_slice(&at, &ty), e)
                    };
                    bins.iter().zip(both).map(|x| write(r, x)).collect()
                },
                |_| bins.iter().map(|n| SubExp::Var(*n)).collect(),
            )
        });
        let form = LoopForm::For { var: i, ty: fehu_base::prim::IntType::I64, bound: n };
        self.bind_pat(pat, Exp::Loop(Box::new(Loop { params, form, body })));
    }

    fn split_scatter(&mut self, pat: &[PatElem<Soacs>], s: Scatter<Soacs>) {
        let results = s.results();
        let bound = vec![None; s.lambda.ret.len()];
        let arrays = self.mapped(s.width, &s.arrays, s.lambda, &bound);
        let indices: usize = s.dests.iter().map(|d| d.shape.len()).sum();
        let mut now = s.dests.iter().map(|d| d.array).collect::<Vec<_>>();
        let mut index = 0;
        for (nth, dest) in s.dests.iter().enumerate() {
            let rank = dest.shape.len();
            let last = results[nth + 1..].iter().all(|w| *w != results[nth]);
            let p = &pat[results[nth]];
            let name = if last { p.name } else { self.b.fresh("put", p.ty.clone()) };
            let mut types = vec![Type::I64; rank];
            types.push(self.b.type_of(arrays[indices + nth].into()).peel(1));
            let lambda = self.identity(&types);
            let inputs = arrays[index..index + rank].iter().copied().chain([arrays[indices + nth]]).collect();
            let dests = vec![fehu_ir::soac::ScatterDest { shape: dest.shape.clone(), array: now[nth] }];
            let exp = Exp::Op(Soac::Scatter(Scatter { width: s.width, arrays: inputs, dests, lambda }));
            self.b.bind_names(vec![(name, p.ty.clone())], exp);
            now.iter_mut()
                .enumerate()
                .filter(|(i, _)| results[*i] == results[nth])
                .for_each(|(_, a)| *a = name);
            index += rank;
        }
    }

    fn split_filter(&mut self, pat: Vec<PatElem<Soacs>>, f: Filter<Soacs>) {
        let bound = vec![None; f.lambda.ret.len()];
        let types = f.lambda.ret.clone();
        let arrays = self.mapped(f.width, &f.arrays, f.lambda, &bound);
        let lambda = self.identity(&types);
        self.bind_pat(&pat, Exp::Op(Soac::Filter(Filter { width: f.width, arrays, kept: f.kept, lambda })));
    }

    /// A loop that makes a number of steps at most. That it does is checked.
    fn bounded(
        &mut self,
        (pat, attrs): (&[PatElem<Soacs>], Vec<Attr>),
        l: Loop<Soacs>,
        more: Name,
        most: i64,
    ) {
        let Loop { params, body, .. } = l;
        let types: Vec<Type> = params.iter().map(|(p, _)| p.ty.clone()).collect();
        let names: Vec<SubExp> = params.iter().map(|(p, _)| p.name.into()).collect();
        let var = self.b.fresh("i", Type::I64);
        let body = self.nested(|r| {
            let step = |r: &mut Self| {
                body.stms.into_iter().for_each(|stm| r.b.push(stm));
                body.result
            };
            r.choice(more.into(), &types, step, |_| names.clone())
        });
        let form = LoopForm::For { var, ty: fehu_base::prim::IntType::I64, bound: SubExp::i64(most) };
        let at = params.iter().position(|(p, _)| p.name == more);
        let results: Vec<Type> = pat.iter().map(|p| p.ty.clone()).collect();
        self.b.attrs = attrs;
        let made = self.b.bind_all("last", results, Exp::Loop(Box::new(Loop { params, form, body })));
        self.b.attrs.clear();
        let Some(more) = at.and_then(|at| made.get(at)) else {
            fehu_base::bug!("a loop without a condition")
        };
        let done = self.equal((*more).into(), SubExp::bool(false));
        let message =
            vec![ErrorPart::Text("The loop makes more steps than its attribute `bound` says.".into())];
        let cert = self.b.assert(done, message, Purpose::Values);
        self.b.certs.extend(cert);
        for (p, n) in pat.iter().zip(made) {
            self.bind_pat(std::slice::from_ref(p), Exp::Basic(Basic::SubExp(n.into())));
        }
        if cert.is_some() {
            self.b.certs.pop();
        }
    }

    /// A loop of which is not known how often it runs.
    fn counted(&mut self, (pat, attrs): (Vec<PatElem<Soacs>>, Vec<Attr>), l: Loop<Soacs>) {
        let (mut copy, _) = self.loop_again(&l);
        let steps = self.b.param("steps", Type::I64);
        self.b.begin();
        let more = self.b.add64(steps.name.into(), SubExp::i64(1));
        copy.body.stms.extend(self.b.end(vec![]).stms);
        copy.body.result.push(more);
        copy.params.push((steps, SubExp::i64(0)));
        let made = self.emit_loop(copy);
        let Some(bound) = made.last() else { fehu_base::bug!("a loop without results") };
        let var = self.b.fresh("i", Type::I64);
        let form = LoopForm::For { var, ty: fehu_base::prim::IntType::I64, bound: (*bound).into() };
        self.b.attrs = attrs;
        self.bind_pat(&pat, Exp::Loop(Box::new(Loop { form, ..l })));
        self.b.attrs.clear();
    }
}

/// How many steps a loop makes at most, as the program says.
fn bound(attrs: &[Attr]) -> Option<i64> {
    number(attrs, "bound").filter(|n| *n >= 0)
}

/// The number that an attribute has.
pub(super) fn number(attrs: &[Attr], of: &str) -> Option<i64> {
    attrs.iter().find_map(|a| match a {
        Attr::Comp(name, args) if name.as_str() == of => match args.as_slice() {
            [Attr::Int(k)] => Some(*k),
            _ => None,
        },
        Attr::Comp(..) | Attr::Atom(_) | Attr::Int(_) => None,
    })
}

/// Whether the parameters of a loop have the same sizes in all steps.
fn is_regular(l: &Loop<Soacs>) -> bool {
    let own = |e: &SubExp| l.params.iter().any(|(p, _)| *e == p.name.into());
    !l.params.iter().any(|(p, _)| p.ty.shape().iter().any(own))
}

/// Whether a lambda gives what it is given.
fn is_identity(lambda: &Lambda<Soacs>) -> bool {
    lambda.body.stms.is_empty()
        && lambda.params.len() == lambda.body.result.len()
        && lambda.params.iter().zip(&lambda.body.result).all(|(p, e)| *e == p.name.into())
}

/// Whether a combinator is a map, or one reduction or scan of arrays that has a rule.
fn is_simple(s: &Screma<Soacs>) -> bool {
    let op = match (s.scans.as_slice(), s.reds.as_slice()) {
        ([], []) => return true,
        ([scan], []) => &scan.op,
        ([], [red]) => &red.op,
        (_, _) => return false,
    };
    let scalars = op.ret.iter().all(|t| matches!(t, Type::Prim(_)));
    is_identity(&s.map)
        && op.ret.len() == s.map.ret.len()
        && groups(op).len() == 1
        && (known(op) != Known::Other || scalars || (s.scans.is_empty() && of_vectors(op).is_none()))
}
