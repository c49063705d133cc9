//! Which memory a value may share: alias sets, and trees of them that follow
//! the shape of a type.
//!
//! Memory is spoken of by *identities*. An identity is a [`Name`]: that of the
//! variable which first held the memory, or one made up for a part of it (see
//! [`super::state`]). Two values may share memory if their sets have an
//! identity in common.

use crate::types::{Arrow, Parts, Type, Uniq};
use fehu_base::{Name, Symbol};
use std::rc::Rc;

/// A sorted set of identities, cheap to copy.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct AliasSet(Option<Rc<Vec<Name>>>);

/// What a value may share, component by component.
#[derive(Clone, Debug)]
pub(super) enum Tree {
    /// Scalars, and records and sums of nothing but scalars: no memory.
    Nothing,
    /// An array, or a value of a type we cannot look into.
    Leaf(AliasSet),
    /// A record; fields as in the type.
    Record(Rc<Vec<(Symbol, Tree)>>),
    /// A sum; constructors and payloads as in the type.
    Sum(Rc<Vec<(Symbol, Vec<Tree>)>>),
    /// A function: what it holds on to, and its type, in which uniqueness is
    /// as precise as we know it.
    Fun(AliasSet, Parts<Arrow>),
}

impl AliasSet {
    /// The set of one identity.
    pub(super) fn one(name: Name) -> AliasSet {
        AliasSet(Some(Rc::new(vec![name])))
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_none()
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = Name> + '_ {
        self.0.iter().flat_map(|v| v.iter().copied())
    }

    pub(super) fn contains(&self, name: Name) -> bool {
        self.0.as_ref().is_some_and(|v| v.binary_search(&name).is_ok())
    }

    /// The smallest identity in both sets.
    pub(super) fn common(&self, other: &AliasSet) -> Option<Name> {
        self.iter().find(|n| other.contains(*n))
    }

    pub(super) fn union(&self, other: &AliasSet) -> AliasSet {
        let (Some(a), Some(b)) = (&self.0, &other.0) else {
            return if self.is_empty() { other.clone() } else { self.clone() };
        };
        if Rc::ptr_eq(a, b) || b.iter().all(|n| self.contains(*n)) {
            return self.clone();
        }
        AliasSet::from_names(a.iter().chain(b.iter()).copied().collect())
    }

    /// A set from names in any order.
    pub(super) fn from_names(mut names: Vec<Name>) -> AliasSet {
        names.sort_unstable();
        names.dedup();
        AliasSet(if names.is_empty() { None } else { Some(Rc::new(names)) })
    }
}

impl Tree {
    /// A tree in the shape of a type; `leaf` is asked for the set of each array
    /// and abstract value in it, from left to right.
    pub(super) fn of_type(ty: &Type, leaf: &mut dyn FnMut(&Type) -> AliasSet) -> Tree {
        match ty {
            Type::Scalar(..) | Type::Meta(_) | Type::Error => Tree::Nothing,
            Type::Array(..) | Type::Var(..) => Tree::Leaf(leaf(ty)),
            Type::Record(fields) => {
                Tree::record(fields.iter().map(|(f, t)| (*f, Tree::of_type(t, leaf))).collect())
            }
            Type::Sum(constrs) => {
                let mut payload = |ts: &Vec<Type>| ts.iter().map(|t| Tree::of_type(t, leaf)).collect();
                Tree::sum(constrs.iter().map(|(c, ts)| (*c, payload(ts))).collect())
            }
            Type::Arrow(arrow) => Tree::Fun(leaf(ty), arrow.clone()),
        }
    }

    /// A value that shares nothing.
    pub(super) fn fresh(ty: &Type) -> Tree {
        Tree::of_type(ty, &mut |_| AliasSet::default())
    }

    pub(super) fn record(fields: Vec<(Symbol, Tree)>) -> Tree {
        if fields.iter().all(|(_, t)| matches!(t, Tree::Nothing)) {
            return Tree::Nothing;
        }
        Tree::Record(Rc::new(fields))
    }

    pub(super) fn sum(constrs: Vec<(Symbol, Vec<Tree>)>) -> Tree {
        if constrs.iter().all(|(_, ts)| ts.iter().all(|t| matches!(t, Tree::Nothing))) {
            return Tree::Nothing;
        }
        Tree::Sum(Rc::new(constrs))
    }

    /// A component of a record.
    pub(super) fn field(&self, field: Symbol) -> Tree {
        match self {
            Tree::Record(fs) => {
                fs.iter().find(|(f, _)| *f == field).map_or(Tree::Nothing, |(_, t)| t.clone())
            }
            Tree::Nothing | Tree::Leaf(_) | Tree::Sum(_) | Tree::Fun(..) => self.clone(),
        }
    }

    /// The component at the end of a path of fields.
    pub(super) fn at(&self, path: &[Symbol]) -> Tree {
        path.iter().fold(self.clone(), |t, f| t.field(*f))
    }

    /// The tree with the component at the end of a path replaced.
    pub(super) fn replace(&self, path: &[Symbol], new: Tree) -> Tree {
        let Some((first, rest)) = path.split_first() else { return new };
        match self {
            Tree::Record(fs) => Tree::record(
                fs.iter()
                    .map(|(f, t)| (*f, if f == first { t.replace(rest, new.clone()) } else { t.clone() }))
                    .collect(),
            ),
            Tree::Nothing | Tree::Leaf(_) | Tree::Sum(_) | Tree::Fun(..) => self.union(&new),
        }
    }

    /// A component of a constructor's payload.
    pub(super) fn payload(&self, constr: Symbol, index: usize) -> Tree {
        match self {
            Tree::Sum(cs) => cs
                .iter()
                .find(|(c, _)| *c == constr)
                .and_then(|(_, ts)| ts.get(index).cloned())
                .unwrap_or(Tree::Nothing),
            Tree::Nothing | Tree::Leaf(_) | Tree::Record(_) | Tree::Fun(..) => self.clone(),
        }
    }

    /// The sets of all leaves, from left to right.
    pub(super) fn leaves(&self) -> Vec<AliasSet> {
        let mut out = vec![];
        self.each_leaf(&mut |s| out.push(s.clone()));
        out
    }

    fn each_leaf(&self, go: &mut dyn FnMut(&AliasSet)) {
        match self {
            Tree::Nothing => {}
            Tree::Leaf(s) | Tree::Fun(s, _) => go(s),
            Tree::Record(fs) => fs.iter().for_each(|(_, t)| t.each_leaf(go)),
            Tree::Sum(cs) => cs.iter().flat_map(|(_, ts)| ts).for_each(|t| t.each_leaf(go)),
        }
    }

    /// Everything the value may share.
    pub(super) fn all(&self) -> AliasSet {
        let mut out = AliasSet::default();
        self.each_leaf(&mut |s| out = out.union(s));
        out
    }

    /// The tree with each leaf's set changed.
    pub(super) fn map(&self, change: &mut dyn FnMut(&AliasSet) -> AliasSet) -> Tree {
        match self {
            Tree::Nothing => Tree::Nothing,
            Tree::Leaf(s) => Tree::Leaf(change(s)),
            Tree::Fun(s, a) => Tree::Fun(change(s), a.clone()),
            Tree::Record(fs) => Tree::Record(Rc::new(fs.iter().map(|(f, t)| (*f, t.map(change))).collect())),
            Tree::Sum(cs) => Tree::Sum(Rc::new(
                cs.iter().map(|(c, ts)| (*c, ts.iter().map(|t| t.map(change)).collect())).collect(),
            )),
        }
    }

    /// What a value that is either of two may share.
    pub(super) fn union(&self, other: &Tree) -> Tree {
        match (self, other) {
            (Tree::Nothing, t) | (t, Tree::Nothing) => t.clone(),
            (Tree::Leaf(a), Tree::Leaf(b)) => Tree::Leaf(a.union(b)),
            (Tree::Fun(a, t), Tree::Fun(b, _)) => Tree::Fun(a.union(b), t.clone()),
            (Tree::Record(a), Tree::Record(b)) if a.len() == b.len() => Tree::Record(Rc::new(
                a.iter().zip(b.iter()).map(|((f, x), (_, y))| (*f, x.union(y))).collect(),
            )),
            (Tree::Sum(a), Tree::Sum(b)) if a.len() == b.len() => Tree::Sum(Rc::new(
                a.iter()
                    .zip(b.iter())
                    .map(|((c, xs), (_, ys))| (*c, xs.iter().zip(ys).map(|(x, y)| x.union(y)).collect()))
                    .collect(),
            )),
            (Tree::Leaf(_) | Tree::Fun(..) | Tree::Record(_) | Tree::Sum(_), _) => {
                Tree::Leaf(self.all().union(&other.all()))
            }
        }
    }

    /// An identity in two leaves of the tree: the value shares memory with itself.
    pub(super) fn self_alias(&self) -> Option<Name> {
        let leaves = self.leaves();
        for (i, a) in leaves.iter().enumerate() {
            if let Some(n) = leaves[i + 1..].iter().find_map(|b| a.common(b)) {
                return Some(n);
            }
        }
        None
    }
}

/// Whether the type holds a function.
pub(super) fn functional(ty: &Type) -> bool {
    match ty {
        Type::Arrow(_) => true,
        Type::Scalar(..) | Type::Array(..) | Type::Var(..) | Type::Meta(_) | Type::Error => false,
        Type::Record(fs) => fs.iter().any(|(_, t)| functional(t)),
        Type::Sum(cs) => cs.iter().any(|(_, ts)| ts.iter().any(functional)),
    }
}

/// A leaf's uniqueness in a type.
pub(super) fn leaf_uniq(ty: &Type) -> Uniq {
    if let Type::Array(u, ..) | Type::Var(u, ..) = ty {
        *u
    } else {
        Uniq::Nonunique
    }
}

/// The type with the uniqueness of each leaf chosen by `choose`, which sees
/// the leaves in the order of [`Tree::leaves`] for a tree of this type.
pub(super) fn with_uniq(ty: &Type, choose: &mut dyn FnMut() -> Uniq) -> Type {
    match ty {
        Type::Scalar(..) | Type::Meta(_) | Type::Error => ty.clone(),
        Type::Arrow(_) => {
            choose();
            ty.clone()
        }
        Type::Array(_, size, elem) => Type::Array(choose(), size.clone(), elem.clone()),
        Type::Var(_, name, args) => Type::Var(choose(), *name, args.clone()),
        Type::Record(fs) => {
            Type::Record(fs.with(fs.iter().map(|(f, t)| (*f, with_uniq(t, choose))).collect()))
        }
        Type::Sum(cs) => Type::Sum(cs.with(
            cs.iter().map(|(c, ts)| (*c, ts.iter().map(|t| with_uniq(t, choose)).collect())).collect(),
        )),
    }
}

/// `inst` with the uniqueness that `template`, a more general form of it, has.
/// A unique type variable makes unique all that stands in its place.
pub(super) fn overlay(template: &Type, inst: &Type) -> Type {
    match (template, inst) {
        (Type::Var(u, ..), Type::Array(..) | Type::Var(..) | Type::Record(_) | Type::Sum(_)) => {
            with_uniq(inst, &mut || *u)
        }
        (Type::Array(u, ..), Type::Array(_, size, elem)) => Type::Array(*u, size.clone(), elem.clone()),
        (Type::Record(a), Type::Record(b)) if a.len() == b.len() => {
            Type::Record(b.with(a.iter().zip(b.iter()).map(|((_, x), (f, y))| (*f, overlay(x, y))).collect()))
        }
        (Type::Sum(a), Type::Sum(b)) if a.len() == b.len() => Type::Sum(
            b.with(
                a.iter()
                    .zip(b.iter())
                    .map(|((_, xs), (c, ys))| (*c, xs.iter().zip(ys).map(|(x, y)| overlay(x, y)).collect()))
                    .collect(),
            ),
        ),
        (Type::Arrow(a), Type::Arrow(b)) => Type::Arrow(overlay_arrow(a, b)),
        (
            Type::Scalar(..)
            | Type::Array(..)
            | Type::Record(_)
            | Type::Sum(_)
            | Type::Arrow(_)
            | Type::Var(..)
            | Type::Meta(_)
            | Type::Error,
            _,
        ) => inst.clone(),
    }
}

/// [`overlay`] of function types.
pub(super) fn overlay_arrow(template: &Arrow, inst: &Parts<Arrow>) -> Parts<Arrow> {
    let mut out = Arrow::clone(inst);
    out.lhs = overlay(&template.lhs, &inst.lhs);
    out.ret.ty = overlay(&template.ret.ty, &inst.ret.ty);
    inst.with(out)
}
