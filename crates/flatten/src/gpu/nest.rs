//! The map nest `Σ`: levels of parallel loops, and what is bound in them.
//!
//! In the paper a level is `⟨x̄ ∈ ȳ⟩`. Here levels are just widths, and beside
//! them stands, in order, what the names bound inside mean: the element of an
//! array at the indices of some levels, or the result of a statement. So scalar
//! code between two levels needs no kernel of its own: whoever needs its result
//! computes it again, and [`super::g6_distribute`] decides what is too expensive for that.
//!
//! ```text
//! map (\xs -> let n = xs[0] in map (\x -> x * n) xs) xss
//!
//! widths  m, k      xs = xss at [0];  n = `xs[0]`;  x = xss at [0, 1]
//! ```

use fehu_base::ops::{BinOp, ConvOp};
use fehu_base::prim::IntType;
use fehu_base::{Name, NameSource};
use fehu_ir::build::plain;
use fehu_ir::free::{free_in_lambda, free_in_stm, free_in_type};
use fehu_ir::{Basic, DimIndex, Exp, Lambda, Param, Soacs, Stm, SubExp, Type};
use rustc_hash::{FxHashMap, FxHashSet};

/// A map nest.
#[derive(Clone, Default, Debug)]
pub(super) struct Nest {
    pub(super) widths: Vec<SubExp>,
    pub(super) bindings: Vec<Binding>,
    /// Certificates bound in the nest on which all code under it depends.
    pub(super) certs: Vec<Name>,
    /// Checks bound in the nest that stay, as long as it is not known that they were made at all points: code
    /// under the nest may rely on them without naming them.
    pub(super) unmade: Vec<Name>,
    /// Where each name is bound in `bindings`.
    place: FxHashMap<Name, usize>,
    /// How many bindings were left when those that nothing uses were last looked for.
    left: usize,
}

/// With fewer bindings, it does not matter whether all of them are used.
const FEW_BINDINGS: usize = 64;

/// Names bound inside of a nest.
#[derive(Clone, Debug)]
pub(super) struct Binding {
    pub(super) names: Vec<(Name, Type)>,
    pub(super) source: Source,
    /// How many levels are outside of it.
    pub(super) depth: usize,
}

/// What names bound inside of a nest mean.
#[derive(Clone, Debug)]
pub(super) enum Source {
    /// An element of an array of the host, at the indices of these levels.
    Elem { array: Name, levels: Vec<usize>, owner: Owner },
    /// An accumulator of the host.
    Acc(Name),
    /// The index of a level.
    Index(usize),
    /// The result of a statement.
    Stm(Box<Computed>),
}

impl Source {
    /// Whether it is a check.
    pub(super) fn is_check(&self) -> bool {
        matches!(self, Source::Stm(c) if matches!(c.stm.exp, Exp::Basic(Basic::Assert(..))))
    }
}

/// A statement inside of a nest.
#[derive(Clone, Debug)]
pub(super) struct Computed {
    pub(super) stm: Stm<Soacs>,
    pub(super) cost: Cost,
}

/// Whether a statement may be computed wherever it is needed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Cost {
    Cheap,
    Expensive,
}

/// Whether the nest is the only user of an array.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Owner {
    /// It may be consumed.
    Nest,
    /// It must be copied first.
    Shared,
}

/// Results of code under a nest: for each, the array over the nest.
pub(super) type Lifted = Vec<(SubExp, Owner)>;

impl Nest {
    /// How many levels there are.
    pub(super) fn depth(&self) -> usize {
        self.widths.len()
    }

    /// Whether a name means different things at different points.
    pub(super) fn binds(&self, name: Name) -> bool {
        self.place.contains_key(&name)
    }

    /// Whether an operand is the same at all points.
    pub(super) fn invariant(&self, e: SubExp) -> bool {
        e.name().is_none_or(|n| !self.binds(n))
    }

    /// Whether all sizes of a type are the same at all points.
    pub(super) fn regular(&self, ty: &Type) -> bool {
        free_in_type(ty).into_iter().all(|n| !self.binds(n))
    }

    /// Whether an operator and its neutral element are the same at all points.
    pub(super) fn invariant_operator(&self, op: &Lambda<Soacs>, neutral: &[SubExp]) -> bool {
        neutral.iter().all(|e| self.invariant(*e)) && free_in_lambda(op).into_iter().all(|n| !self.binds(n))
    }

    /// The names that a statement needs from the nest, its types and certificates included.
    pub(super) fn needed(&self, stm: &Stm<Soacs>) -> Vec<Name> {
        let types = stm.pat.iter().flat_map(|p| free_in_type(&p.ty));
        free_in_stm(stm).into_iter().chain(types).filter(|n| self.binds(*n)).collect()
    }

    /// The accumulator of the host that stands for an operand at all points, if one does.
    pub(super) fn accumulator(&self, e: SubExp) -> Option<SubExp> {
        match self.find(e.name()?).map(|b| &b.source) {
            Some(Source::Acc(acc)) => Some((*acc).into()),
            Some(Source::Elem { .. } | Source::Index(_) | Source::Stm(_)) | None => None,
        }
    }

    /// The binding of a name.
    pub(super) fn find(&self, name: Name) -> Option<&Binding> {
        self.place.get(&name).and_then(|i| self.bindings.get(*i))
    }

    /// The array that holds the name's value for every point of the nest, if there is one.
    pub(super) fn whole(&self, name: Name) -> Option<(Name, Owner)> {
        match &self.find(name)?.source {
            Source::Elem { array, levels, owner } if levels.iter().copied().eq(0..self.depth()) => {
                Some((*array, *owner))
            }
            Source::Elem { .. } | Source::Acc(_) | Source::Index(_) | Source::Stm(_) => None,
        }
    }

    /// Adds a binding.
    pub(super) fn bind(&mut self, names: Vec<(Name, Type)>, source: Source) {
        for (name, _) in &names {
            self.place.insert(*name, self.bindings.len());
        }
        let depth = self.depth();
        self.bindings.push(Binding { names, source, depth });
    }

    /// A name is the element of an array over the whole nest.
    pub(super) fn bind_whole(&mut self, name: Name, ty: Type, array: Name, owner: Owner) {
        let source = match ty {
            Type::Acc(..) => Source::Acc(array),
            Type::Prim(_) | Type::Array(..) | Type::Mem(_) => {
                Source::Elem { array, levels: (0..self.depth()).collect(), owner }
            }
        };
        self.bind(vec![(name, ty)], source);
    }

    /// A statement.
    pub(super) fn bind_stm(&mut self, stm: Stm<Soacs>, cost: Cost) {
        if stm.stays() {
            self.unmade.extend(stm.pat.iter().map(|p| p.name));
        }
        let names = stm.pat.iter().map(|p| (p.name, p.ty.clone())).collect();
        self.bind(names, Source::Stm(Box::new(Computed { stm, cost })));
    }

    /// Names that a statement bound are the elements of arrays over the levels around it from now on.
    pub(super) fn replace(&mut self, name: Name, arrays: Vec<Name>) {
        let Some(i) = self.place.get(&name).copied() else { return };
        let Some(old) = self.bindings.get(i).cloned() else { return };
        let same_places = old.names.len() == 1;
        let elems = old.names.into_iter().zip(arrays).map(|((name, ty), array)| {
            let source = match ty {
                Type::Acc(..) => Source::Acc(array),
                Type::Prim(_) | Type::Array(..) | Type::Mem(_) => {
                    Source::Elem { array, levels: (0..old.depth).collect(), owner: Owner::Nest }
                }
            };
            Binding { names: vec![(name, ty)], source, depth: old.depth }
        });
        self.bindings.splice(i..=i, elems);
        if !same_places {
            self.find_places();
        }
    }

    fn find_places(&mut self) {
        let names = |(i, b): (usize, &Binding)| b.names.iter().map(move |(n, _)| (*n, i)).collect::<Vec<_>>();
        self.place = self.bindings.iter().enumerate().flat_map(names).collect();
    }

    /// Forgets what neither these names nor checks need, once it may be half of all bindings: what is done for
    /// a statement takes as long as there are bindings.
    pub(super) fn forget_unused(&mut self, used: &FxHashSet<Name>) {
        if self.bindings.len() < FEW_BINDINGS.max(2 * self.left) {
            return;
        }
        let mut needed: FxHashSet<Name> = self.certs.iter().chain(&self.unmade).copied().collect();
        let mut kept = vec![];
        for binding in std::mem::take(&mut self.bindings).into_iter().rev() {
            let asked = |(n, _): &(Name, Type)| used.contains(n) || needed.contains(n);
            let is_value = matches!(&binding.source, Source::Elem { .. } | Source::Stm(_));
            if is_value && !binding.source.is_check() && !binding.names.iter().any(asked) {
                continue;
            }
            needed.extend(Nest::needs(&binding));
            kept.push(binding);
        }
        kept.reverse();
        self.left = kept.len();
        self.bindings = kept;
        self.find_places();
    }

    /// A further level, with parameters that are the elements of arrays.
    pub(super) fn level(
        &mut self,
        names: &mut NameSource,
        width: SubExp,
        params: &[Param<Soacs>],
        arrays: &[Name],
    ) {
        let level = self.depth();
        self.widths.push(width);
        let mut index = None;
        for (param, array) in params.iter().zip(arrays) {
            let bound = vec![(param.name, param.ty.clone())];
            let source = match self.find(*array).map(|b| &b.source) {
                _ if matches!(param.ty, Type::Acc(..)) => match self.find(*array).map(|b| &b.source) {
                    Some(Source::Acc(acc)) => Source::Acc(*acc),
                    Some(Source::Elem { .. } | Source::Index(_) | Source::Stm(_)) | None => {
                        Source::Acc(*array)
                    }
                },
                None => Source::Elem { array: *array, levels: vec![level], owner: Owner::Shared },
                Some(Source::Elem { array, levels, .. }) => {
                    let levels = levels.iter().copied().chain([level]).collect();
                    Source::Elem { array: *array, levels, owner: Owner::Shared }
                }
                Some(Source::Acc(_) | Source::Index(_) | Source::Stm(_)) => {
                    let i = *index.get_or_insert_with(|| {
                        let i = names.fresh_str("i");
                        self.bind(vec![(i, Type::I64)], Source::Index(level));
                        i
                    });
                    self.computed_element(names, param, *array, i);
                    continue;
                }
            };
            self.bind(bound, source);
        }
    }

    /// A parameter is the element of an array that a statement of the nest makes. Of one value, or of a progression, no
    /// array is needed.
    fn computed_element(&mut self, names: &mut NameSource, param: &Param<Soacs>, array: Name, i: Name) {
        let made = match self.find(array).map(|b| &b.source) {
            Some(Source::Stm(c)) => Some((c.stm.exp.clone(), c.stm.certs.clone())),
            Some(Source::Elem { .. } | Source::Acc(_) | Source::Index(_)) | None => None,
        };
        let (exp, certs) = match made {
            Some((Exp::Basic(Basic::Replicate(shape, e)), certs)) if shape.len() == 1 && !param.consumed => {
                (Exp::Basic(Basic::SubExp(e)), certs)
            }
            Some((Exp::Basic(Basic::Iota { start, step, ty, .. }), certs)) => {
                let mut bind = |exp| {
                    let x = names.fresh_str("x");
                    let stm = Stm { certs: certs.clone(), ..plain(x, param.ty.clone(), exp) };
                    self.bind_stm(stm, Cost::Cheap);
                    SubExp::Var(x)
                };
                let mut x = SubExp::Var(i);
                if ty != IntType::I64 {
                    x = bind(Exp::Basic(Basic::Conv(ConvOp::SExt(IntType::I64, ty), x)));
                }
                if step.as_i64() != Some(1) {
                    x = bind(Exp::Basic(Basic::BinOp(BinOp::Mul(ty), x, step)));
                }
                if start.as_i64() == Some(0) {
                    (Exp::Basic(Basic::SubExp(x)), certs)
                } else {
                    (Exp::Basic(Basic::BinOp(BinOp::Add(ty), start, x)), certs)
                }
            }
            Some(_) | None => {
                (Exp::Basic(Basic::Index(array, crate::sequential::row(&[i.into()], &param.ty))), vec![])
            }
        };
        self.bind_stm(Stm { certs, ..plain(param.name, param.ty.clone(), exp) }, Cost::Cheap);
    }

    /// A further level for each dimension of a shape; gives names for their indices.
    pub(super) fn dims(&mut self, names: &mut NameSource, shape: &[SubExp]) -> Vec<Name> {
        let mut indices = vec![];
        for n in shape {
            let level = self.depth();
            self.widths.push(*n);
            let i = names.fresh_str("i");
            self.bind(vec![(i, Type::I64)], Source::Index(level));
            indices.push(i);
        }
        indices
    }

    /// The names that a binding needs.
    pub(super) fn needs(binding: &Binding) -> Vec<Name> {
        let of_types = || binding.names.iter().flat_map(|(_, t)| free_in_type(t));
        match &binding.source {
            Source::Elem { .. } | Source::Acc(_) | Source::Index(_) => of_types().collect(),
            Source::Stm(c) => free_in_stm(&c.stm).into_iter().collect(),
        }
    }
}

/// A slice that fixes indices and takes the rest of a type's dimensions whole.
pub(super) fn at(indices: &[Name], rest: &Type) -> Vec<DimIndex> {
    let indices: Vec<SubExp> = indices.iter().map(|i| (*i).into()).collect();
    crate::sequential::row(&indices, rest)
}
