//! The parts of a syntax tree, for those who only look: one place that knows what is inside of what.
//!
//! In: a [`Node`]. Out: its direct parts, in the order of the text ([`children`]), or all parts below it ([`each`]):
//!
//! ```text
//! let y = f x in y     children: the pattern y, then f x, then y
//! ```

use crate::ast::*;
use fehu_base::Span;

/// A part of a program.
#[derive(Clone, Copy, Debug)]
#[allow(missing_docs)]
pub enum Node<'a> {
    Dec(&'a Dec),
    Exp(&'a Exp),
    Pat(&'a Pat),
    Type(&'a TypeExp),
    Mod(&'a ModExp),
    ModType(&'a ModTypeExp),
    Spec(&'a Spec),
    TypeParam(&'a TypeParam),
    Attr(&'a Attr),
}

impl Node<'_> {
    /// Where the part stands.
    pub fn span(self) -> Span {
        match self {
            Node::Dec(d) => d.span(),
            Node::Exp(e) => e.span,
            Node::Pat(p) => p.span(),
            Node::Type(t) => t.span(),
            Node::Mod(m) => m.span(),
            Node::ModType(t) => t.span(),
            Node::Spec(Spec::TypeAbbrev(b)) => b.span,
            Node::Spec(Spec::Val { span, .. } | Spec::Type { span, .. } | Spec::Mod { span, .. }) => *span,
            Node::Spec(Spec::Include(_, span)) => *span,
            Node::TypeParam(TypeParam::Size(name) | TypeParam::Type(_, name)) => name.span,
            Node::Attr(Attr::Atom(name)) => name.span,
            Node::Attr(Attr::Int(_, span) | Attr::Comp(_, _, span)) => *span,
        }
    }
}

/// Calls `f` on all parts of some declarations, outer parts before inner ones, in the order of the text.
pub fn each<'a>(decs: &'a [Dec], f: &mut dyn FnMut(Node<'a>)) {
    // Programs may be deep, so there is no recursion.
    let mut rest: Vec<Node<'a>> = decs.iter().rev().map(Node::Dec).collect();
    while let Some(node) = rest.pop() {
        f(node);
        let from = rest.len();
        children(node, &mut |c| rest.push(c));
        rest[from..].reverse();
    }
}

/// Calls `f` on each direct part.
pub fn children<'a>(node: Node<'a>, f: &mut dyn FnMut(Node<'a>)) {
    match node {
        Node::Dec(d) => dec(d, f),
        Node::Exp(e) => exp(e, f),
        Node::Pat(p) => pat(p, f),
        Node::Type(t) => type_exp(t, f),
        Node::Mod(m) => module(m, f),
        Node::ModType(t) => module_type(t, f),
        Node::Spec(s) => spec(s, f),
        Node::TypeParam(_) | Node::Attr(_) => {}
    }
}

type Visit<'a, 'f> = &'f mut dyn FnMut(Node<'a>);

fn dec<'a>(d: &'a Dec, f: Visit<'a, '_>) {
    match d {
        Dec::Val(b) => {
            b.attrs.iter().for_each(|a| f(Node::Attr(a)));
            b.tparams.iter().for_each(|p| f(Node::TypeParam(p)));
            b.params.iter().for_each(|p| f(Node::Pat(p)));
            b.ret.iter().for_each(|t| f(Node::Type(t)));
            f(Node::Exp(&b.body));
        }
        Dec::Type(b) => type_bind(b, f),
        Dec::Mod(b) => {
            b.attrs.iter().for_each(|a| f(Node::Attr(a)));
            b.params.iter().for_each(|p| f(Node::ModType(&p.sig)));
            b.sig.iter().for_each(|t| f(Node::ModType(t)));
            f(Node::Mod(&b.body));
        }
        Dec::ModType(b) => {
            b.attrs.iter().for_each(|a| f(Node::Attr(a)));
            f(Node::ModType(&b.def));
        }
        Dec::Open(m, _) => f(Node::Mod(m)),
        Dec::Local(d, _) => f(Node::Dec(d)),
        Dec::Import(..) => {}
    }
}

fn type_bind<'a>(b: &'a TypeBind, f: Visit<'a, '_>) {
    b.attrs.iter().for_each(|a| f(Node::Attr(a)));
    b.tparams.iter().for_each(|p| f(Node::TypeParam(p)));
    f(Node::Type(&b.def));
}

fn module<'a>(m: &'a ModExp, f: Visit<'a, '_>) {
    match m {
        ModExp::Var(_) | ModExp::Import(..) => {}
        ModExp::Parens(m, _) => f(Node::Mod(m)),
        ModExp::Decs(decs, _) => decs.iter().for_each(|d| f(Node::Dec(d))),
        ModExp::Apply(g, a, _) => {
            f(Node::Mod(g));
            f(Node::Mod(a));
        }
        ModExp::Ascript(m, t, _) => {
            f(Node::Mod(m));
            f(Node::ModType(t));
        }
        ModExp::Lambda(p, t, m, _) => {
            f(Node::ModType(&p.sig));
            t.iter().for_each(|t| f(Node::ModType(t)));
            f(Node::Mod(m));
        }
    }
}

fn module_type<'a>(t: &'a ModTypeExp, f: Visit<'a, '_>) {
    match t {
        ModTypeExp::Var(_) => {}
        ModTypeExp::Parens(t, _) => f(Node::ModType(t)),
        ModTypeExp::Specs(specs, _) => specs.iter().for_each(|s| f(Node::Spec(s))),
        ModTypeExp::With { base, tparams, def, .. } => {
            f(Node::ModType(base));
            tparams.iter().for_each(|p| f(Node::TypeParam(p)));
            f(Node::Type(def));
        }
        ModTypeExp::Arrow { lhs, rhs, .. } => {
            f(Node::ModType(lhs));
            f(Node::ModType(rhs));
        }
    }
}

fn spec<'a>(s: &'a Spec, f: Visit<'a, '_>) {
    match s {
        Spec::Val { attrs, tparams, ty, .. } => {
            attrs.iter().for_each(|a| f(Node::Attr(a)));
            tparams.iter().for_each(|p| f(Node::TypeParam(p)));
            f(Node::Type(ty));
        }
        Spec::TypeAbbrev(b) => type_bind(b, f),
        Spec::Type { attrs, tparams, .. } => {
            attrs.iter().for_each(|a| f(Node::Attr(a)));
            tparams.iter().for_each(|p| f(Node::TypeParam(p)));
        }
        Spec::Mod { attrs, sig, .. } => {
            attrs.iter().for_each(|a| f(Node::Attr(a)));
            f(Node::ModType(sig));
        }
        Spec::Include(t, _) => f(Node::ModType(t)),
    }
}

fn size<'a>(s: &'a SizeExp, f: Visit<'a, '_>) {
    match s {
        SizeExp::Any(_) => {}
        SizeExp::Exp(e, _) => f(Node::Exp(e)),
    }
}

fn type_exp<'a>(t: &'a TypeExp, f: Visit<'a, '_>) {
    match t {
        TypeExp::Var(_) => {}
        TypeExp::Parens(t, _) | TypeExp::Unique(t, _) | TypeExp::Exists(_, t, _) => f(Node::Type(t)),
        TypeExp::Array(s, t, _) => {
            size(s, f);
            f(Node::Type(t));
        }
        TypeExp::Tuple(ts, _) => ts.iter().for_each(|t| f(Node::Type(t))),
        TypeExp::Record(fields, _) => fields.iter().for_each(|(_, t)| f(Node::Type(t))),
        TypeExp::Sum(constrs, _) => constrs.iter().flat_map(|(_, ts)| ts).for_each(|t| f(Node::Type(t))),
        TypeExp::Apply(t, arg, _) => {
            f(Node::Type(t));
            match arg {
                TypeArg::Size(s) => size(s, f),
                TypeArg::Type(t) => f(Node::Type(t)),
            }
        }
        TypeExp::Arrow { lhs, rhs, .. } => {
            f(Node::Type(lhs));
            f(Node::Type(rhs));
        }
    }
}

fn pat<'a>(p: &'a Pat, f: Visit<'a, '_>) {
    match p {
        Pat::Var(_) | Pat::Wildcard(_) | Pat::Literal { .. } => {}
        Pat::Parens(p, _) => f(Node::Pat(p)),
        Pat::Tuple(ps, _) | Pat::Constr(_, ps, _) => ps.iter().for_each(|p| f(Node::Pat(p))),
        Pat::Record(fields, _) => fields.iter().filter_map(|(_, p)| p.as_ref()).for_each(|p| f(Node::Pat(p))),
        Pat::Ascript(p, t, _) => {
            f(Node::Pat(p));
            f(Node::Type(t));
        }
        Pat::Attr(a, p, _) => {
            f(Node::Attr(a));
            f(Node::Pat(p));
        }
    }
}

fn indexes<'a>(ixs: &'a [Index], f: Visit<'a, '_>) {
    for ix in ixs {
        match ix {
            Index::Fix(e) => f(Node::Exp(e)),
            Index::Slice { lo, hi, stride, .. } => {
                [lo, hi, stride].into_iter().flatten().for_each(|e| f(Node::Exp(e)));
            }
        }
    }
}

fn path<'a>(steps: &'a [Access], f: Visit<'a, '_>) {
    for step in steps {
        match step {
            Access::Field(_) => {}
            Access::Index(ixs, _) => indexes(ixs, f),
        }
    }
}

fn exp<'a>(e: &'a Exp, f: Visit<'a, '_>) {
    match &*e.kind {
        ExpKind::Literal(_) | ExpKind::Var(_) | ExpKind::Hole | ExpKind::Error => {}
        ExpKind::Parens(e)
        | ExpKind::QualParens(_, e)
        | ExpKind::Project(e, _)
        | ExpKind::Negate(e)
        | ExpKind::Not(e)
        | ExpKind::SectionLeft(e, _)
        | ExpKind::SectionRight(_, e) => f(Node::Exp(e)),
        ExpKind::Tuple(es) | ExpKind::Array(es) | ExpKind::Constr(_, es) => {
            es.iter().for_each(|e| f(Node::Exp(e)));
        }
        ExpKind::Record(fields) => {
            for field in fields {
                match field {
                    FieldExp::Explicit(_, e) => f(Node::Exp(e)),
                    FieldExp::Implicit(_) => {}
                }
            }
        }
        ExpKind::Index(e, ixs) => {
            f(Node::Exp(e));
            indexes(ixs, f);
        }
        ExpKind::Assert(a, b) | ExpKind::BinOp(_, a, b) => {
            f(Node::Exp(a));
            f(Node::Exp(b));
        }
        ExpKind::Apply(g, args) => {
            f(Node::Exp(g));
            args.iter().for_each(|e| f(Node::Exp(e)));
        }
        ExpKind::Lambda(l) => {
            l.params.iter().for_each(|p| f(Node::Pat(p)));
            l.ret.iter().for_each(|t| f(Node::Type(t)));
            f(Node::Exp(&l.body));
        }
        ExpKind::SectionAccess(steps) => path(steps, f),
        ExpKind::Ascript(e, t) | ExpKind::Coerce(e, t) => {
            f(Node::Exp(e));
            f(Node::Type(t));
        }
        ExpKind::Range(start, second, end) => {
            f(Node::Exp(start));
            second.iter().for_each(|e| f(Node::Exp(e)));
            match end {
                RangeEnd::Inclusive(e) | RangeEnd::UpTo(e) | RangeEnd::DownTo(e) => f(Node::Exp(e)),
            }
        }
        ExpKind::Update(e, steps, v) => {
            f(Node::Exp(e));
            path(steps, f);
            f(Node::Exp(v));
        }
        ExpKind::Let { pat, value, body, .. } => {
            f(Node::Pat(pat));
            f(Node::Exp(value));
            f(Node::Exp(body));
        }
        ExpKind::LetUpdate { path: steps, value, body, .. } => {
            path(steps, f);
            f(Node::Exp(value));
            f(Node::Exp(body));
        }
        ExpKind::LetFun(g, body) => {
            g.tparams.iter().for_each(|p| f(Node::TypeParam(p)));
            g.params.iter().for_each(|p| f(Node::Pat(p)));
            g.ret.iter().for_each(|t| f(Node::Type(t)));
            f(Node::Exp(&g.body));
            f(Node::Exp(body));
        }
        ExpKind::If(c, t, e) => [c, t, e].into_iter().for_each(|e| f(Node::Exp(e))),
        ExpKind::Loop { pat, init, form, body, .. } => {
            f(Node::Pat(pat));
            init.iter().for_each(|e| f(Node::Exp(e)));
            match form {
                LoopForm::For(_, e) | LoopForm::While(e) => f(Node::Exp(e)),
                LoopForm::ForIn(p, e) => {
                    f(Node::Pat(p));
                    f(Node::Exp(e));
                }
            }
            f(Node::Exp(body));
        }
        ExpKind::Match(e, cases) => {
            f(Node::Exp(e));
            for case in cases {
                f(Node::Pat(&case.pat));
                f(Node::Exp(&case.body));
            }
        }
        ExpKind::Attr(a, e) => {
            f(Node::Attr(a));
            f(Node::Exp(e));
        }
    }
}
