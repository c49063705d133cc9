//! The nest that computes what one update puts into an accumulator.
//!
//! The dimensions on which the index depends are outside, the others inside: over those, contributions are
//! combined. Elements that are read at the counters of dimensions are inputs of the maps.

use super::scopes::{Kind, ScopeId, Scopes, Update};
use super::value::{needed, Around, Dims, Env, Values};
use fehu_base::ops::BinOp;
use fehu_base::prim::IntType;
use fehu_base::Name;
use fehu_ir::free::{free_in_body, free_in_lambda, free_in_stms, Names};
use fehu_ir::soac::{Commutativity, Reduce, Screma, Soac};
use fehu_ir::subst::{rename_lambda, Subst};
use fehu_ir::{AccInput, Basic, Body, Builder, DimIndex, Exp, Lambda, Param, Soacs, Stm, SubExp, Type};
use rustc_hash::FxHashMap;

/// What becomes of an update: code that runs after the accumulation, and what that gives.
pub(super) struct Made {
    pub(super) stms: Vec<Stm<Soacs>>,
    pub(super) gives: Gives,
    /// The certificates on which the code relies.
    pub(super) certs: Vec<Name>,
    /// What the accumulation stores for it: names in its code, and the arrays that they become.
    pub(super) stored: Vec<(Name, Name)>,
}

/// What is combined with the arrays.
pub(super) enum Gives {
    /// A value for each element; of some dimensions, for one index.
    Elements { at: Vec<Option<SubExp>>, values: Vec<SubExp> },
    /// Indices and values, for a histogram.
    Bins { width: SubExp, arrays: Vec<Name>, lambda: Lambda<Soacs> },
}

/// An array that is read at the counters of dimensions.
struct Input {
    /// The array, or the part of it that the dimensions so far have left.
    part: Name,
    /// The places of the dimensions in the nest, from the outermost, that are left.
    dims: Vec<usize>,
    /// The name of the element.
    element: Name,
}

/// The nest that is made.
struct Nest<'n> {
    op: &'n Lambda<Soacs>,
    neutral: &'n [SubExp],
    /// The counter and width of each dimension; those of indices first.
    dims: Vec<(Name, SubExp)>,
    /// How many are those of indices.
    outer: usize,
    /// Code between outer and inner dimensions, and inside of all.
    between: Vec<Stm<Soacs>>,
    inside: Vec<Stm<Soacs>>,
    values: Vec<SubExp>,
    /// Results beside the values.
    index: Vec<SubExp>,
    inputs: Vec<Input>,
}

/// The nest of an update, if it has a form that is better than the update.
pub(super) fn made(
    b: &mut Builder<Soacs>,
    scopes: &Scopes<'_>,
    around: &Around<'_>,
    update: &Update<'_>,
    input: &AccInput<Soacs>,
) -> Option<Made> {
    let (op, neutral) = input.op.as_ref()?;
    if op.ret.iter().any(|t| !matches!(t, Type::Prim(_))) {
        return None;
    }
    let chain = scopes.chain(update.scope);
    let (mut conditions, mut unknown) = (vec![], false);
    let mut widths = vec![];
    b.begin();
    for scope in &chain {
        match scopes.scopes[*scope].kind {
            Kind::Once => {}
            Kind::Map(width) => widths.push(width),
            Kind::Count(bound) if input.shape.contains(&bound) || scopes.is_inside(bound) => {
                widths.push(bound)
            }
            Kind::Count(bound) => widths.push(b.bin(BinOp::SMax(IntType::I64), bound, SubExp::i64(0))),
            Kind::Branch(c, value) => conditions.push((c, value)),
            Kind::Other => unknown = true,
        }
    }
    let first = b.end(vec![]).stms;
    if unknown || widths.len() >= Dims::BITS as usize || widths.iter().any(|w| scopes.is_inside(*w)) {
        return None;
    }
    let path: Vec<ScopeId> = chain.iter().copied().filter(|s| scopes.is_dim(*s)).collect();
    let mut v = Values::new(b, scopes, around, path);
    v.b.begin();
    let result = v.contribution(update, &conditions, neutral);
    let rest = v.b.end(vec![]).stms;
    if !rest.is_empty() {
        return None;
    }
    let code = result?;
    let (stored, certs) = (std::mem::take(&mut v.stored), std::mem::take(&mut v.certs));
    let mut made = finish(b, code, (&widths, &input.shape), (op, neutral), stored)?;
    made.stms.splice(0..0, first);
    made.certs = certs;
    Some(made)
}

/// Code of one contribution.
struct Code {
    counters: Vec<Name>,
    /// Dimensions on which the index depends.
    index_dims: Dims,
    between: Vec<Stm<Soacs>>,
    inside: Vec<Stm<Soacs>>,
    index: Vec<SubExp>,
    values: Vec<SubExp>,
}

impl Values<'_, '_> {
    fn contribution(
        &mut self,
        update: &Update<'_>,
        conditions: &[(SubExp, bool)],
        neutral: &[SubExp],
    ) -> Option<Code> {
        let (counters, mut env) = self.counters();
        self.b.begin();
        let always = update.index.iter().all(|e| self.is_always(*e));
        let guards = if always { &[] } else { conditions };
        let none = vec![SubExp::i64(-1); update.index.len()];
        let index = self.guarded(guards, (update.index, &none), &[], &mut env);
        let between = self.b.end(vec![]).stms;
        let index = index?;
        let index_dims = index.iter().fold(0, |all, e| all | self.deps(*e));
        self.reorder(index_dims);
        self.without(&mut env, !index_dims);
        self.b.begin();
        let values = self.guarded(conditions, (update.values, neutral), &update.stm.certs, &mut env);
        let inside = self.b.end(vec![]).stms;
        Some(Code { counters, index_dims, between, inside, index, values: values? })
    }

    /// Dimensions of the index first.
    fn reorder(&mut self, first: Dims) {
        let n = self.path.len();
        let (outer, inner): (Vec<usize>, Vec<usize>) = (0..n).partition(|d| first & (1 << d) != 0);
        self.order = vec![0; n];
        for (place, d) in outer.into_iter().chain(inner).enumerate() {
            self.order[d] = place;
        }
    }

    /// Whether an index can be computed where the conditions around the update do not hold.
    fn is_always(&self, e: SubExp) -> bool {
        use super::scopes::Is;
        let Some(def) = e.name().and_then(|n| self.scopes.defs.get(&n)) else { return true };
        let in_branch = |s: &ScopeId| matches!(self.scopes.scopes[*s].kind, Kind::Branch(..));
        let chain = self.scopes.chain(def.scope);
        let known = match def.is {
            Is::Counter => true,
            Is::Element(a) => self.around.iotas.contains(&a),
            Is::Result(..) | Is::Unknown => false,
        };
        known || !chain.iter().any(in_branch)
    }

    /// Values that need certificates, computed if conditions hold; else others.
    fn guarded(
        &mut self,
        conditions: &[(SubExp, bool)],
        (values, others): (&[SubExp], &[SubExp]),
        certs: &[Name],
        env: &mut Env,
    ) -> Option<Vec<SubExp>> {
        let Some(((c, value), rest)) = conditions.split_first() else {
            let values = values.iter().map(|e| self.scalar(*e, env)).collect::<Option<Vec<SubExp>>>()?;
            return self.named_with(values, certs, env);
        };
        let c = self.scalar(*c, env)?;
        self.b.begin();
        let some = self.guarded(rest, (values, others), certs, &mut env.clone());
        let body = self.b.end(some.clone().unwrap_or_default());
        let types = some?.into_iter().map(|e| self.b.type_of(e)).collect();
        let none = Body { stms: vec![], result: others.to_vec() };
        let (yes, no) = if *value { (body, none) } else { (none, body) };
        let exp = Exp::If(c, Box::new(yes), Box::new(no));
        Some(self.bind_with_deps(types, exp))
    }

    /// Values that depend on certificates.
    fn named_with(&mut self, values: Vec<SubExp>, certs: &[Name], env: &mut Env) -> Option<Vec<SubExp>> {
        let own = self.certs(certs, env)?;
        if own.is_empty() {
            return Some(values);
        }
        let mut named = vec![];
        for e in values {
            let ty = self.b.type_of(e);
            self.b.certs.clone_from(&own);
            named.extend(self.bind_with_deps(vec![ty], Exp::Basic(Basic::SubExp(e))));
            self.b.certs.clear();
        }
        Some(named)
    }
}

/// What remains of the nest when its code is made.
fn finish(
    b: &mut Builder<Soacs>,
    code: Code,
    (widths, shape): (&[SubExp], &[SubExp]),
    (op, neutral): (&Lambda<Soacs>, &[SubExp]),
    stored: FxHashMap<Name, Name>,
) -> Option<Made> {
    let Code { counters, index_dims, between, inside, index, values } = code;
    let is_outer = |d: &usize| index_dims & (1 << d) != 0;
    let (mut outer, inner): (Vec<usize>, Vec<usize>) = (0..widths.len()).partition(is_outer);
    let counter = |e: &SubExp| e.name().and_then(|n| counters.iter().position(|c| *c == n));
    // Which dimension each index is, if it goes over all elements.
    let places: Vec<Option<usize>> =
        (index.iter().zip(shape)).map(|(e, n)| counter(e).filter(|d| widths[*d] == *n)).collect();
    let mut covered: Vec<usize> = places.iter().flatten().copied().collect();
    covered.sort_unstable();
    let fixed = |(e, place): (&SubExp, &Option<usize>)| {
        place.is_some()
            || outer.is_empty()
            || e.name().is_none_or(|n| !bound(&between, n) && !counters.contains(&n))
    };
    let elements = covered == outer && index.iter().zip(&places).all(fixed);
    if elements {
        // The nest gives the elements in the order of the array.
        outer = places.iter().flatten().copied().collect();
    } else if outer.len() != 1 {
        return None;
    }
    let inside = needed(inside, &values);
    let wanted: Vec<SubExp> = free_in_stms(&inside).into_iter().map(SubExp::Var).collect();
    let wanted: Vec<SubExp> = wanted.into_iter().chain(values.clone()).chain(index.clone()).collect();
    let between = needed(between, &wanted);
    let dims = outer.iter().chain(&inner).map(|d| (counters[*d], widths[*d])).collect();
    let mut nest = Nest {
        op,
        neutral,
        dims,
        outer: outer.len(),
        between,
        inside,
        values,
        index: if elements { vec![] } else { index.clone() },
        inputs: vec![],
    };
    b.begin();
    nest.take_inputs(b);
    let gives = match elements {
        true => {
            let values = nest.emit(b, 0);
            let at = index.iter().zip(&places).map(|(e, place)| place.is_none().then_some(*e));
            Gives::Elements { at: at.collect(), values }
        }
        false => {
            let width = nest.dims[0].1;
            let (arrays, lambda) = nest.lambda(b, 0);
            Gives::Bins { width, arrays, lambda }
        }
    };
    let stms = b.end(vec![]).stms;
    let used = free_in_stms(&stms);
    let in_lambda = match &gives {
        Gives::Elements { .. } => Names::default(),
        Gives::Bins { arrays, lambda, .. } => {
            free_in_lambda(lambda).into_iter().chain(arrays.iter().copied()).collect()
        }
    };
    let in_values = |n: &Name| match &gives {
        Gives::Elements { at, values } => {
            values.contains(&(*n).into()) || at.iter().flatten().any(|e| *e == (*n).into())
        }
        Gives::Bins { .. } => in_lambda.contains(n),
    };
    let mut stored: Vec<(Name, Name)> =
        stored.into_iter().filter(|(_, n)| used.contains(n) || in_values(n)).collect();
    stored.sort_unstable();
    Some(Made { stms, gives, certs: vec![], stored })
}

/// Whether statements bind a name.
fn bound(stms: &[Stm<Soacs>], n: Name) -> bool {
    stms.iter().flat_map(|s| &s.pat).any(|p| p.name == n)
}

impl Nest<'_> {
    /// Elements that are read at counters become inputs of maps.
    fn take_inputs(&mut self, b: &mut Builder<Soacs>) {
        let counters: Vec<Name> = self.dims.iter().map(|(c, _)| *c).collect();
        let mut same = Subst::new();
        let own: Vec<Stm<Soacs>> = self.between.iter().chain(&self.inside).cloned().collect();
        let mut known: Vec<(Name, Vec<usize>, Name)> = vec![];
        let mut is_input = |stm: &Stm<Soacs>, inputs: &mut Vec<Input>| {
            let Exp::Basic(Basic::Index(a, slice)) = &stm.exp else { return false };
            let Some(places) = places_of(&counters, slice) else { return false };
            let shape = b.types.get(a).map(|t| t.shape().to_vec()).unwrap_or_default();
            let fits = |(d, n): (&usize, &SubExp)| self.dims[*d].1 == *n;
            if !stm.certs.is_empty() || bound(&own, *a) || !places.iter().zip(&shape).all(fits) {
                return false;
            }
            let element = stm.pat[0].name;
            if let Some((.., first)) = known.iter().find(|(b, at, _)| b == a && *at == places) {
                same.insert(element, *first);
                return true;
            }
            known.push((*a, places.clone(), element));
            let mut perm: Vec<usize> = (0..places.len()).collect();
            perm.sort_by_key(|k| places[*k]);
            let dims: Vec<usize> = perm.iter().map(|k| places[*k]).collect();
            let mut part = *a;
            if !perm.iter().copied().eq(0..perm.len()) {
                let shape: Vec<SubExp> = perm.iter().map(|k| shape[*k]).collect();
                let Some(p) = b.types.get(a).and_then(Type::elem) else { return false };
                part = b.bind("tr", Type::Array(p, shape), Exp::Basic(Basic::Rearrange(perm, *a)));
            }
            inputs.push(Input { part, dims, element });
            true
        };
        let mut inputs = vec![];
        let mut between = self.between.clone();
        between.retain(|stm| !is_input(stm, &mut inputs));
        let mut inside = self.inside.clone();
        inside.retain(|stm| !is_input(stm, &mut inputs));
        for stm in between.iter_mut().chain(&mut inside) {
            same.stm(stm);
        }
        for e in self.values.iter_mut().chain(&mut self.index) {
            *e = same.operand(*e);
        }
        (self.between, self.inside, self.inputs) = (between, inside, inputs);
    }

    /// Emits the dimensions from one on. The values that result.
    fn emit(&mut self, b: &mut Builder<Soacs>, at: usize) -> Vec<SubExp> {
        let Some((_, width)) = self.dims.get(at).copied() else {
            if at == self.outer {
                self.emit_between(b);
            }
            std::mem::take(&mut self.inside).into_iter().for_each(|stm| b.push(stm));
            return self.values.clone();
        };
        if at == self.outer {
            self.emit_between(b);
        }
        let (arrays, map) = self.lambda(b, at);
        let (types, reds): (Vec<Type>, Vec<Reduce<Soacs>>) = match at < self.outer {
            true => (map.ret.iter().map(|t| t.array_of(&[width])).collect(), vec![]),
            false => {
                let op = rename_lambda(&mut b.names, self.op);
                let comm = Commutativity::Commutative;
                (map.ret.clone(), vec![Reduce { comm, op, neutral: self.neutral.to_vec() }])
            }
        };
        let exp = Exp::Op(Soac::Screma(Screma { width, arrays, scans: vec![], reds, map }));
        b.bind_all("sum", types, exp).into_iter().map(SubExp::Var).collect()
    }

    fn emit_between(&mut self, b: &mut Builder<Soacs>) {
        std::mem::take(&mut self.between).into_iter().for_each(|stm| b.push(stm));
    }

    /// The function of a dimension, and the arrays that it is for.
    fn lambda(&mut self, b: &mut Builder<Soacs>, at: usize) -> (Vec<Name>, Lambda<Soacs>) {
        let (counter, width) = self.dims[at];
        let (mut arrays, mut params) = (vec![], vec![]);
        for input in &mut self.inputs {
            if input.dims.first() != Some(&at) {
                continue;
            }
            input.dims.remove(0);
            let ty = b.type_of(input.part.into()).peel(1);
            let param = match input.dims.is_empty() {
                true => Param { name: input.element, ty, dec: (), consumed: false },
                false => b.param("x", ty),
            };
            arrays.push(input.part);
            input.part = param.name;
            params.push(param);
        }
        b.begin();
        let values = self.emit(b, at + 1);
        let index = if at + 1 == self.outer { self.index.clone() } else { vec![] };
        let body = b.end(index.into_iter().chain(values).collect());
        if params.is_empty() || free_in_body(&body).contains(&counter) {
            let (start, step, ty) = (SubExp::i64(0), SubExp::i64(1), IntType::I64);
            let numbers = Exp::Basic(Basic::Iota { n: width, start, step, ty });
            arrays.push(b.bind("is", Type::I64.array_of(&[width]), numbers));
            params.push(Param { name: counter, ty: Type::I64, dec: (), consumed: false });
        }
        let ret = body.result.iter().map(|e| b.type_of(*e)).collect();
        (arrays, Lambda { params, body, ret })
    }
}

/// The dimensions whose counters a slice is made of, each once.
fn places_of(counters: &[Name], slice: &[DimIndex]) -> Option<Vec<usize>> {
    let mut places = vec![];
    for d in slice {
        let DimIndex::Fix(SubExp::Var(i)) = d else { return None };
        let place = counters.iter().position(|c| c == i)?;
        if places.contains(&place) {
            return None;
        }
        places.push(place);
    }
    (!places.is_empty()).then_some(places)
}
