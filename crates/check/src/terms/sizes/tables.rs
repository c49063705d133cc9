//! What the second layer knows: sizes and types that are still to be found.
//!
//! A *flexible* size is a name whose size is not decided yet. An *unknown* size
//! is a name that some value brings (`Exp::ext`). A type whose structure is
//! known from the first layer but whose sizes are not is a [`Type::Meta`] with
//! that *shape*; it is given structure only where structure is asked for, for
//! until then it may become a type with existential sizes.

use super::extent;
use super::Sizer;
use crate::named::Named;
use crate::subst::Subst;
use crate::type_exp::uses;
use crate::types::{Arrow, RetType, Size, Type, TypeArg, Uniq};
use fehu_base::{Name, Span, Symbol};
use fehu_syntax::ast::Liftedness;
use rustc_hash::FxHashSet;
use std::sync::Arc;

/// Where a flexible size comes from, for messages.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Origin {
    /// A size parameter of a function of that name.
    Instance(Symbol),
    /// A written type of an expression.
    Ascription,
    /// A size coercion.
    Coercion,
    /// A written type of a pattern or parameter.
    Pattern,
    /// A parameter without a written type.
    Parameter,
    /// A written type of a result.
    Result,
    /// The type of an argument.
    Argument,
    /// A loop.
    Loop,
    /// Something else without a type of its own.
    Other,
}

impl Origin {
    /// Whether the user wrote a type with this size, and left the size open.
    pub(crate) fn is_written(self) -> bool {
        match self {
            Origin::Ascription | Origin::Coercion | Origin::Pattern | Origin::Result => true,
            Origin::Instance(_) | Origin::Parameter | Origin::Argument | Origin::Loop | Origin::Other => {
                false
            }
        }
    }
}

/// A flexible size.
#[derive(Clone, Debug)]
pub(crate) enum Flex {
    Free { level: u32, origin: Origin, span: Span },
    Is(Size),
}

/// A type that is still to be found.
#[derive(Clone, Debug)]
pub(crate) enum Slot {
    Free { shape: Type, lifted: Liftedness, level: u32, origin: Origin, span: Span },
    Link(u32),
    Is(RetType),
}

/// Why an unknown size is unknown.
#[derive(Clone, Debug)]
pub(crate) struct Unknown {
    pub(crate) span: Span,
    pub(crate) why: String,
    /// The entry of the error index that explains it.
    pub(crate) index: Option<Named>,
    /// In how many bodies (functions, branches, loops) it is made.
    pub(crate) depth: u32,
}

/// The level of names that belong to no scope around.
pub(crate) const DEEPEST: u32 = u32::MAX;

impl Sizer<'_> {
    /// A flexible size.
    pub(crate) fn flex(&mut self, base: &str, origin: Origin, span: Span) -> Name {
        let level = self.level;
        self.flex_at(base, level, origin, span)
    }

    pub(crate) fn flex_at(&mut self, base: &str, level: u32, origin: Origin, span: Span) -> Name {
        let n = self.ctx.bind(Symbol::new(base), span);
        self.flexes.insert(n, Flex::Free { level, origin, span });
        self.flex_order.push(n);
        n
    }

    /// An unknown size made here.
    pub(crate) fn unknown(&mut self, base: &str, span: Span, why: String) -> Name {
        let n = self.ctx.bind(Symbol::new(base), span);
        self.unknowns.insert(n, Unknown { span, why, index: None, depth: self.depth });
        n
    }

    /// The structure of a type of the first layer.
    pub(crate) fn shape(&mut self, t: &Type) -> Type {
        let full = self.st.zonk(t);
        strip(&full)
    }

    /// A type of this shape, with sizes to be found.
    pub(crate) fn of_shape(&mut self, shape: &Type, lifted: Liftedness, origin: Origin, span: Span) -> Type {
        let level = self.level;
        self.of_shape_at(shape, lifted, level, origin, span)
    }

    fn of_shape_at(
        &mut self,
        shape: &Type,
        lifted: Liftedness,
        level: u32,
        origin: Origin,
        span: Span,
    ) -> Type {
        if sizeless(shape) {
            return shape.clone();
        }
        self.slots.push(Slot::Free { shape: shape.clone(), lifted, level, origin, span });
        Type::Meta(self.slots.len() as u32 - 1)
    }

    pub(crate) fn root(&self, m: u32) -> u32 {
        let mut at = m;
        while let Slot::Link(next) = self.slots[at as usize] {
            at = next;
        }
        at
    }

    /// The type with its outermost constructor; a type still to be found stays what it is.
    pub(crate) fn peek(&self, t: &Type) -> Type {
        let mut t = t.clone();
        while let Type::Meta(m) = t {
            let root = self.root(m);
            match &self.slots[root as usize] {
                Slot::Is(r) => t = r.ty.clone(),
                Slot::Free { .. } | Slot::Link(_) => return Type::Meta(root),
            }
        }
        t
    }

    /// The type with its outermost constructor, made up from the shape if need be.
    pub(crate) fn head(&mut self, t: &Type) -> Type {
        match self.peek(t) {
            Type::Meta(m) => self.expand(m),
            other @ (Type::Scalar(..)
            | Type::Array(..)
            | Type::Record(_)
            | Type::Sum(_)
            | Type::Arrow(_)
            | Type::Var(..)
            | Type::Error) => other,
        }
    }

    /// Gives a type still to be found its outermost constructor.
    pub(crate) fn expand(&mut self, m: u32) -> Type {
        let Slot::Free { shape, lifted, level, origin, span } = self.slots[m as usize].clone() else {
            return self.peek(&Type::Meta(m));
        };
        let any = Liftedness::Lifted;
        let part = |me: &mut Self, t: &Type, l: Liftedness| me.of_shape_at(t, l, level, origin, span);
        let t = match &shape {
            Type::Array(u, _, e) => {
                let size = Size::Var(self.flex_at("d", level, origin, span));
                Type::Array(*u, size, e.with(part(self, e, Liftedness::Unlifted)))
            }
            Type::Record(fs) => {
                Type::Record(fs.with(fs.iter().map(|(f, t)| (*f, part(self, t, lifted))).collect()))
            }
            Type::Sum(cs) => Type::Sum(cs.with(
                cs.iter().map(|(c, ts)| (*c, ts.iter().map(|t| part(self, t, lifted)).collect())).collect(),
            )),
            Type::Arrow(a) => {
                let lhs = part(self, &a.lhs, any);
                let ret = part(self, &a.ret.ty, any);
                Type::Arrow(a.with(Arrow { param: None, lhs, ret: RetType::simple(ret) }))
            }
            Type::Var(u, n, args) => {
                let args = args
                    .iter()
                    .map(|a| match a {
                        TypeArg::Size(_) => TypeArg::Size(Size::Var(self.flex_at("d", level, origin, span))),
                        TypeArg::Type(t) => TypeArg::Type(part(self, t, any)),
                    })
                    .collect();
                Type::Var(*u, *n, Arc::new(args))
            }
            Type::Scalar(..) | Type::Meta(_) | Type::Error => shape.clone(),
        };
        self.slots[m as usize] = Slot::Is(RetType::simple(t.clone()));
        t
    }

    /// The size with what is known put in.
    pub(crate) fn size(&mut self, s: &Size) -> Size {
        match s {
            Size::Var(n) => match self.flexes.get(n) {
                Some(Flex::Is(s)) => {
                    let s = s.clone();
                    let full = self.size(&s);
                    self.flexes.insert(*n, Flex::Is(full.clone()));
                    full
                }
                Some(Flex::Free { .. }) | None => s.clone(),
            },
            Size::Exp(e) => {
                let mut names = FxHashSet::default();
                uses::depends_on(s, &mut names);
                let mut subst = Subst::default();
                for n in names {
                    if let Some(Flex::Is(s)) = self.flexes.get(&n) {
                        let s = s.clone();
                        let s = self.size(&s);
                        subst.sizes.insert(n, s);
                    }
                }
                if subst.is_empty() {
                    return s.clone();
                }
                let full = subst.size(&mut self.ctx.names, s);
                extent::bounded(self, full, e.span)
            }
            Size::Const(_) | Size::Any => s.clone(),
        }
    }

    /// The type with everything known put in; existential sizes that come out
    /// are added to `dims`, under fresh names.
    pub(crate) fn zonk_into(&mut self, t: &Type, dims: &mut Vec<Name>) -> Type {
        fehu_base::stack::deep(|| self.zonk_inner(t, dims))
    }

    /// As [`Sizer::zonk_into`], where no existential sizes are expected.
    pub(crate) fn zonk(&mut self, t: &Type) -> Type {
        self.zonk_into(t, &mut vec![])
    }

    pub(crate) fn zonk_ret(&mut self, r: &RetType) -> RetType {
        let mut dims = r.dims.clone();
        let ty = self.zonk_into(&r.ty, &mut dims);
        RetType { dims, ty }
    }

    fn zonk_inner(&mut self, t: &Type, dims: &mut Vec<Name>) -> Type {
        match t {
            Type::Scalar(..) | Type::Error => t.clone(),
            Type::Meta(m) => {
                let root = self.root(*m);
                match self.slots[root as usize].clone() {
                    Slot::Is(r) if r.dims.is_empty() => self.zonk_into(&r.ty, dims),
                    Slot::Is(r) => {
                        let mut subst = Subst::default();
                        for d in &r.dims {
                            let fresh = self.ctx.names.fresh_like(*d);
                            subst.rename_value(*d, fresh);
                            dims.push(fresh);
                        }
                        let ty = self.zonk_into(&r.ty, dims);
                        subst.ty(&mut self.ctx.names, &mut vec![], &ty)
                    }
                    Slot::Free { .. } | Slot::Link(_) => Type::Meta(root),
                }
            }
            Type::Array(u, s, e) => {
                let s = self.size(s);
                Type::Array(*u, s, e.with(self.zonk_into(e, dims)))
            }
            Type::Record(fs) => {
                Type::Record(fs.with(fs.iter().map(|(f, t)| (*f, self.zonk_into(t, dims))).collect()))
            }
            Type::Sum(cs) => Type::Sum(cs.with(
                cs.iter().map(|(c, ts)| (*c, ts.iter().map(|t| self.zonk_into(t, dims)).collect())).collect(),
            )),
            Type::Arrow(a) => {
                // An existential size in a parameter has been complained about.
                let lhs = self.zonk_into(&a.lhs, &mut vec![]);
                let ret = self.zonk_ret(&a.ret);
                Type::Arrow(a.with(Arrow { param: a.param, lhs, ret }))
            }
            Type::Var(u, n, args) => {
                let args = args
                    .iter()
                    .map(|a| match a {
                        TypeArg::Size(s) => TypeArg::Size(self.size(s)),
                        TypeArg::Type(t) => TypeArg::Type(self.zonk_into(t, dims)),
                    })
                    .collect();
                Type::Var(*u, *n, Arc::new(args))
            }
        }
    }

    /// The type with all structure made up that is still to be found.
    pub(crate) fn settle(&mut self, t: &Type) -> Type {
        let t = self.zonk(t);
        let mut metas = vec![];
        collect_metas(&t, &mut metas);
        if metas.is_empty() {
            return t;
        }
        for m in metas {
            self.expand(m);
        }
        self.settle(&t)
    }

    /// Whether a name is a flexible size that is not decided.
    pub(crate) fn is_free_flex(&self, n: Name) -> bool {
        matches!(self.flexes.get(&n), Some(Flex::Free { .. }))
    }
}

/// The types still to be found in a type, in order.
pub(crate) fn collect_metas(t: &Type, out: &mut Vec<u32>) {
    match t {
        Type::Scalar(..) | Type::Error => {}
        Type::Meta(m) => out.push(*m),
        Type::Array(_, _, e) => collect_metas(e, out),
        Type::Record(fs) => fs.iter().for_each(|(_, t)| collect_metas(t, out)),
        Type::Sum(cs) => cs.iter().flat_map(|(_, ts)| ts).for_each(|t| collect_metas(t, out)),
        Type::Arrow(a) => {
            collect_metas(&a.lhs, out);
            collect_metas(&a.ret.ty, out);
        }
        Type::Var(_, _, args) => {
            for a in args.iter() {
                if let TypeArg::Type(t) = a {
                    collect_metas(t, out);
                }
            }
        }
    }
}

/// The names that a size mentions.
pub(crate) fn mentioned_size(s: &Size) -> FxHashSet<Name> {
    let mut out = FxHashSet::default();
    uses::mentioned_size(s, &mut out);
    out
}

/// The names that a type mentions in sizes.
pub(crate) fn mentioned_type(t: &Type) -> FxHashSet<Name> {
    let mut out = FxHashSet::default();
    uses::mentioned(t, &mut out);
    out
}

/// The type without its sizes, uniqueness and names.
fn strip(t: &Type) -> Type {
    match t {
        Type::Scalar(..) | Type::Meta(_) | Type::Error => t.clone(),
        Type::Array(_, _, e) => Type::Array(Uniq::Nonunique, Size::Any, e.with(strip(e))),
        Type::Record(fs) => Type::Record(fs.with(fs.iter().map(|(f, t)| (*f, strip(t))).collect())),
        Type::Sum(cs) => {
            Type::Sum(cs.with(cs.iter().map(|(c, ts)| (*c, ts.iter().map(strip).collect())).collect()))
        }
        Type::Arrow(a) => Type::Arrow(a.with(Arrow {
            param: None,
            lhs: strip(&a.lhs),
            ret: RetType::simple(strip(&a.ret.ty)),
        })),
        Type::Var(_, n, args) => {
            let args = args
                .iter()
                .map(|a| match a {
                    TypeArg::Size(_) => TypeArg::Size(Size::Any),
                    TypeArg::Type(t) => TypeArg::Type(strip(t)),
                })
                .collect();
            Type::Var(Uniq::Nonunique, *n, Arc::new(args))
        }
    }
}

/// Whether a type has no place for a size.
///
/// Arrows and lifted type variables have one: their results may be existential.
fn sizeless(t: &Type) -> bool {
    match t {
        Type::Scalar(..) | Type::Error => true,
        Type::Meta(_) | Type::Array(..) => false,
        Type::Record(fs) => fs.iter().all(|(_, t)| sizeless(t)),
        Type::Sum(cs) => cs.iter().flat_map(|(_, ts)| ts).all(sizeless),
        Type::Arrow(a) => sizeless(&a.lhs) && sizeless(&a.ret.ty),
        Type::Var(_, _, args) => args.iter().all(|a| match a {
            TypeArg::Size(_) => false,
            TypeArg::Type(t) => sizeless(t),
        }),
    }
}
