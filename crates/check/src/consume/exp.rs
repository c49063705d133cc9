//! The walk through expressions and patterns.

use super::alias::{functional, overlay_arrow, AliasSet, Tree};
use super::errors;
use super::state::{LogMark, State};
use crate::tast::{Access, Case, Exp, ExpKind, Index, Pat, PatKind, RangeEnd};
use crate::types::{Type, TypeArg};
use fehu_base::{Name, Span, Symbol};
use std::sync::Arc;

impl State<'_> {
    /// Walks an expression; gives what its value may share.
    pub(super) fn exp(&mut self, e: &mut Exp) -> Tree {
        fehu_base::stack::deep(|| self.exp_inner(e))
    }

    fn exp_inner(&mut self, e: &mut Exp) -> Tree {
        let (ty, span) = (e.ty.clone(), e.span);
        match Arc::make_mut(&mut e.kind) {
            ExpKind::Literal(_) => Tree::Nothing,
            ExpKind::String(_) | ExpKind::Hole => Tree::fresh(&ty),
            ExpKind::Var(name, inst) => match self.local(*name, &[], &ty, span) {
                Some(tree) => tree,
                // A constant of any size is computed anew at each use.
                None if inst.iter().any(|arg| matches!(arg, TypeArg::Size(_))) => Tree::fresh(&ty),
                None => self.global(*name, &ty),
            },
            ExpKind::Record(fields) => self.record(&ty, fields),
            ExpKind::Array(elems) => {
                self.together(elems.iter_mut());
                Tree::fresh(&ty)
            }
            ExpKind::Project(inner, field) => self.project(inner, *field, &ty, span),
            ExpKind::Index(array, indexes) => {
                let set = self.exp(array).all();
                let mark = self.log_mark();
                self.indexes(indexes);
                self.check_kept(&set, array.span, mark);
                Tree::of_type(&ty, &mut |_| set.clone())
            }
            ExpKind::Negate(x) | ExpKind::Not(x) => {
                self.exp(x);
                Tree::Nothing
            }
            ExpKind::And(l, r) | ExpKind::Or(l, r) => {
                self.exp(l);
                self.exp(r);
                Tree::Nothing
            }
            ExpKind::Assert(cond, x, _) => {
                self.exp(cond);
                self.exp(x)
            }
            ExpKind::Constr(constr, args) => self.constr(&ty, *constr, args),
            ExpKind::Apply(f, args) => self.apply(f, args, &ty, span),
            ExpKind::Lambda(lambda) => self.lambda(lambda),
            ExpKind::Coerce(x) | ExpKind::Attr(_, x) => self.exp(x),
            ExpKind::Range { start, second, end } => {
                self.exp(start);
                second.iter_mut().for_each(|x| drop(self.exp(x)));
                match end {
                    RangeEnd::Inclusive(x) | RangeEnd::UpTo(x) | RangeEnd::DownTo(x) => self.exp(x),
                };
                Tree::fresh(&ty)
            }
            ExpKind::Update(source, path, value) => self.update(source, path, value),
            ExpKind::Let { pat, value, body, .. } => {
                let mark = self.log_mark();
                let tree = self.exp(value);
                self.check_let_value(value, mark);
                self.bind_pat(pat, &tree);
                self.exp(body)
            }
            ExpKind::LetFun(fun, body) => {
                let tree = self.local_fun(fun);
                self.bind_as_is(fun.name, tree);
                self.exp(body)
            }
            ExpKind::If(cond, yes, no) => {
                self.exp(cond);
                let mark = self.log_mark();
                let a = self.exp(yes);
                let taken = self.rewind(mark);
                let b = self.exp(no);
                self.replay(taken);
                self.without_consumed(&a.union(&b), mark)
            }
            ExpKind::Loop(l) => self.loop_exp(l),
            ExpKind::Match(scrutinee, cases) => self.match_exp(scrutinee, cases),
        }
    }

    /// A use of a local variable, or of the part at the end of a path of fields.
    fn local(&mut self, name: Name, path: &[Symbol], ty: &Type, span: Span) -> Option<Tree> {
        let tree = self.observe(name, path, span)?;
        // Only the declaration knows what a function consumes; only the use
        // knows at which types.
        Some(match (tree, ty) {
            (Tree::Fun(set, template), Type::Arrow(inst)) => Tree::Fun(set, overlay_arrow(&template, inst)),
            (tree, _) => tree,
        })
    }

    /// A use of a top-level definition. Functions hold on to nothing.
    fn global(&mut self, name: Name, ty: &Type) -> Tree {
        let mut concrete = false;
        let tree = Tree::of_type(ty, &mut |t| {
            if matches!(t, Type::Arrow(_)) {
                return AliasSet::default();
            }
            concrete |= !matches!(t, Type::Var(..));
            AliasSet::one(name)
        });
        if !concrete {
            self.abstract_global(name);
        }
        tree
    }

    fn record(&mut self, ty: &Type, fields: &mut [(Symbol, Exp)]) -> Tree {
        let parts = self.together(fields.iter_mut().map(|(_, x)| x));
        let trees: Vec<(Symbol, Tree)> = fields.iter().map(|(f, _)| *f).zip(parts).collect();
        let Type::Record(order) = ty else { return Tree::record(trees) };
        let find = |f: Symbol| trees.iter().find(|(g, _)| *g == f).map_or(Tree::Nothing, |(_, t)| t.clone());
        Tree::record(order.iter().map(|(f, _)| (*f, find(*f))).collect())
    }

    /// `x.a.b` uses only that part of `x`.
    #[expect(clippy::wildcard_enum_match_arm, reason = "a few of many are asked for")]
    fn project(&mut self, inner: &mut Exp, field: Symbol, ty: &Type, span: Span) -> Tree {
        let mut path = vec![field];
        let mut base = &*inner;
        while let ExpKind::Project(deeper, f) = &*base.kind {
            path.push(*f);
            base = deeper;
        }
        path.reverse();
        let part = match &*base.kind {
            ExpKind::Var(name, _) => self.local(*name, &path, ty, span),
            _ => None,
        };
        part.unwrap_or_else(|| self.exp(inner).field(field))
    }

    fn constr(&mut self, ty: &Type, constr: Symbol, args: &mut [Exp]) -> Tree {
        let trees = self.together(args.iter_mut());
        let Type::Sum(constrs) = ty else { return Tree::Leaf(AliasSet::default()) };
        Tree::sum(
            constrs
                .iter()
                .map(|(c, ts)| {
                    (*c, if *c == constr { trees.clone() } else { ts.iter().map(Tree::fresh).collect() })
                })
                .collect(),
        )
    }

    /// The expressions in indexes.
    pub(super) fn indexes(&mut self, indexes: &mut [Index]) {
        for index in indexes {
            match index {
                Index::Fix(x) => drop(self.exp(x)),
                Index::Slice { lo, hi, stride } => {
                    for x in [lo, hi, stride].into_iter().flatten() {
                        self.exp(x);
                    }
                }
            }
        }
    }

    /// `source with path = value`: first the indexes, then the value, then the source.
    fn update(&mut self, source: &mut Exp, path: &mut [Access], value: &mut Exp) -> Tree {
        let mut fields = vec![];
        let mut in_place = false;
        for step in path {
            match step {
                Access::Field(f) if !in_place => fields.push(*f),
                Access::Field(_) => {}
                Access::Index(indexes, _) => {
                    self.indexes(indexes);
                    in_place = true;
                }
            }
        }
        let value_tree = self.exp(value);
        let mark = self.log_mark();
        let tree = self.exp(source);
        self.check_kept(&value_tree.all(), value.span, mark);
        if !in_place {
            return tree.replace(&fields, value_tree);
        }
        let target = tree.at(&fields);
        let gone = target.all();
        if let Some(shared) = gone.common(&value_tree.all()) {
            let d = errors::update_aliases(self, source.span, value.span, shared);
            self.report_once(shared, d);
        }
        self.consume(&gone, source.span);
        tree.replace(&fields, target.map(&mut |_| AliasSet::default()))
    }

    /// Expressions that are evaluated one after the other, and then put together.
    fn together<'e>(&mut self, es: impl Iterator<Item = &'e mut Exp>) -> Vec<Tree> {
        let start = self.log_mark();
        let parts: Vec<(Tree, LogMark, Span)> = es.map(|e| (self.exp(e), self.log_mark(), e.span)).collect();
        if self.consumed_since(start).is_some() {
            for (tree, mark, span) in &parts {
                self.check_kept(&tree.all(), *span, *mark);
            }
        }
        parts.into_iter().map(|(tree, _, _)| tree).collect()
    }

    /// What was evaluated before the mark and is used now must not have been consumed since.
    pub(super) fn check_kept(&mut self, kept: &AliasSet, span: Span, mark: LogMark) {
        if self.consumed_since(mark).is_none() {
            return;
        }
        if let Some((name, at)) = kept.iter().find_map(|n| Some((n, self.consumed_at(n)?))) {
            let d = errors::use_after_consume(self, name, name, span, at);
            self.report_once(name, d);
        }
    }

    /// A function must not come out of an expression that consumes: each of its
    /// applications would consume again.
    fn check_let_value(&mut self, value: &Exp, mark: LogMark) {
        if !functional(&value.ty) {
            return;
        }
        if let Some((what, at)) = self.consumed_since(mark) {
            let d = errors::let_contains_consumption(self, value.span, &value.ty, at);
            self.report_once(what, d);
        }
    }

    fn match_exp(&mut self, scrutinee: &mut Exp, cases: &mut [Case]) -> Tree {
        let tree = self.exp(scrutinee);
        let mark = self.log_mark();
        let mut ways = vec![];
        let mut result = Tree::Nothing;
        for case in cases {
            self.bind_pat(&case.pat, &tree);
            result = result.union(&self.exp(&mut case.body));
            ways.extend(self.rewind(mark));
        }
        self.replay(ways);
        self.without_consumed(&result, mark)
    }

    /// What comes out of branches. Memory that one branch consumed and another
    /// gave back is reached only through what was given back.
    fn without_consumed(&self, tree: &Tree, mark: LogMark) -> Tree {
        if self.consumed_since(mark).is_none() {
            return tree.clone();
        }
        tree.map(&mut |set| {
            AliasSet::from_names(set.iter().filter(|n| self.consumed_at(*n).is_none()).collect())
        })
    }

    /// Binds the variables of a pattern to the parts of a value.
    pub(super) fn bind_pat(&mut self, pat: &Pat, tree: &Tree) {
        match &pat.kind {
            PatKind::Var(name) => self.bind(*name, tree.clone(), pat.span),
            PatKind::Wildcard | PatKind::Literal(_) => {}
            PatKind::Record(fields) => fields.iter().for_each(|(f, p)| self.bind_pat(p, &tree.field(*f))),
            PatKind::Constr(c, args) => {
                args.iter().enumerate().for_each(|(i, p)| self.bind_pat(p, &tree.payload(*c, i)))
            }
            PatKind::Attr(_, p) => self.bind_pat(p, tree),
        }
    }
}
