//! The tree as a compact S-expression, for golden tests.

use fehu_syntax::ast::*;
use std::fmt::Display;

/// All declarations, separated by spaces.
pub(crate) fn prog(p: &Prog) -> String {
    let doc = p.doc.as_ref().map(|d| format!("(doc {:?})", d.text));
    doc.into_iter().chain(p.decs.iter().map(dec)).collect::<Vec<_>>().join(" ")
}

/// An expression.
pub(crate) fn exp(e: &Exp) -> String {
    match &*e.kind {
        ExpKind::Literal(l) => literal(l),
        ExpKind::Var(q) => qual(q),
        ExpKind::Hole => "???".into(),
        ExpKind::Parens(e) => list("paren", [exp(e)]),
        ExpKind::QualParens(m, e) => list("open", [qual(m), exp(e)]),
        ExpKind::Tuple(es) => list("tuple", es.iter().map(exp)),
        ExpKind::Record(fs) => list(
            "record",
            fs.iter().map(|f| match f {
                FieldExp::Explicit(x, e) => list("=", [x.name.to_string(), exp(e)]),
                FieldExp::Implicit(x) => x.name.to_string(),
            }),
        ),
        ExpKind::Array(es) => list("array", es.iter().map(exp)),
        ExpKind::Project(e, f) => list(".", [exp(e), f.name.to_string()]),
        ExpKind::Index(e, is) => list("index", [exp(e)].into_iter().chain(is.iter().map(index))),
        ExpKind::Negate(e) => list("neg", [exp(e)]),
        ExpKind::Not(e) => list("not", [exp(e)]),
        ExpKind::Assert(c, e) => list("assert", [exp(c), exp(e)]),
        ExpKind::Constr(c, es) => list(format!("#{}", c.name), es.iter().map(exp)),
        ExpKind::Apply(f, es) => list("app", [exp(f)].into_iter().chain(es.iter().map(exp))),
        ExpKind::BinOp(op, l, r) => list(qual(op), [exp(l), exp(r)]),
        ExpKind::Lambda(l) => list(
            "\\",
            l.params
                .iter()
                .map(pat)
                .chain(l.ret.as_ref().map(|t| format!(": {}", ty(t))))
                .chain([format!("-> {}", exp(&l.body))]),
        ),
        ExpKind::SectionLeft(e, op) => list("left", [exp(e), qual(op)]),
        ExpKind::SectionRight(op, e) => list("right", [qual(op), exp(e)]),
        ExpKind::SectionAccess(path) => list("access", path.iter().map(access)),
        ExpKind::Ascript(e, t) => list(":", [exp(e), ty(t)]),
        ExpKind::Coerce(e, t) => list(":>", [exp(e), ty(t)]),
        ExpKind::Range(a, b, end) => {
            let (word, end) = match end {
                RangeEnd::Inclusive(e) => ("...", e),
                RangeEnd::UpTo(e) => ("..<", e),
                RangeEnd::DownTo(e) => ("..>", e),
            };
            list(word, [Some(exp(a)), b.as_ref().map(exp), Some(exp(end))].into_iter().flatten())
        }
        ExpKind::Update(e, path, v) => {
            list("with", [exp(e)].into_iter().chain(path.iter().map(access)).chain([exp(v)]))
        }
        ExpKind::Let { sizes, pat: p, value, body } => {
            list("let", binders(sizes).chain([pat(p), exp(value), exp(body)]))
        }
        ExpKind::LetUpdate { name, path, value, body } => list(
            "let-with",
            [name.name.to_string()].into_iter().chain(path.iter().map(access)).chain([exp(value), exp(body)]),
        ),
        ExpKind::LetFun(f, body) => {
            list("let-fun", [fun(&f.name, &f.tparams, &f.params, &f.ret, &f.body), exp(body)])
        }
        ExpKind::If(c, a, b) => list("if", [exp(c), exp(a), exp(b)]),
        ExpKind::Loop { sizes, pat: p, init, form, body } => {
            let form = match form {
                LoopForm::For(i, e) => list("for", [i.name.to_string(), exp(e)]),
                LoopForm::ForIn(p, e) => list("for-in", [pat(p), exp(e)]),
                LoopForm::While(e) => list("while", [exp(e)]),
            };
            list(
                "loop",
                binders(sizes).chain([pat(p)]).chain(init.as_ref().map(exp)).chain([form, exp(body)]),
            )
        }
        ExpKind::Match(e, cases) => list(
            "match",
            [exp(e)].into_iter().chain(cases.iter().map(|c| list("case", [pat(&c.pat), exp(&c.body)]))),
        ),
        ExpKind::Attr(a, e) => list(attr(a), [exp(e)]),
        ExpKind::Error => "<error>".into(),
    }
}

/// A type.
pub(crate) fn ty(t: &TypeExp) -> String {
    match t {
        TypeExp::Var(q) => qual(q),
        TypeExp::Parens(t, _) => list("paren", [ty(t)]),
        TypeExp::Array(s, t, _) => list(size(s), [ty(t)]),
        TypeExp::Tuple(ts, _) => list("tuple", ts.iter().map(ty)),
        TypeExp::Record(fs, _) => {
            list("record", fs.iter().map(|(x, t)| list(":", [x.name.to_string(), ty(t)])))
        }
        TypeExp::Sum(cs, _) => {
            list("sum", cs.iter().map(|(c, ts)| list(format!("#{}", c.name), ts.iter().map(ty))))
        }
        TypeExp::Unique(t, _) => list("*", [ty(t)]),
        TypeExp::Apply(t, a, _) => list(
            "app",
            [
                ty(t),
                match a {
                    TypeArg::Size(s) => size(s),
                    TypeArg::Type(t) => ty(t),
                },
            ],
        ),
        TypeExp::Arrow { param, lhs, rhs, .. } => {
            list("->", param.iter().map(|x| format!("{}:", x.name)).chain([ty(lhs), ty(rhs)]))
        }
        TypeExp::Exists(xs, t, _) => list("?", binders(xs).chain([ty(t)])),
    }
}

fn list(head: impl Display, items: impl IntoIterator<Item = String>) -> String {
    let mut out = format!("({head}");
    for item in items {
        out.push(' ');
        out.push_str(&item);
    }
    out.push(')');
    out
}

fn qual(q: &QualName) -> String {
    let mut out = String::new();
    for m in &q.quals {
        out += m.name.as_str();
        out += ".";
    }
    out + q.name.name.as_str()
}

fn binders(xs: &[Ident]) -> impl Iterator<Item = String> + '_ {
    xs.iter().map(|x| format!("[{}]", x.name))
}

fn literal(l: &Literal) -> String {
    match l {
        Literal::Int(v, s) => format!("{v}{}", s.map_or("", |s| s.as_str())),
        Literal::Float(v, text, s) => format!("{v:?}/{text}{}", s.map_or("", |s| s.as_str())),
        Literal::Bool(b) => b.to_string(),
        Literal::Char(c) => format!("{c:?}"),
        Literal::String(bytes) => format!("{:?}", String::from_utf8_lossy(bytes)),
    }
}

fn index(i: &Index) -> String {
    let part = |e: &Option<Box<Exp>>| e.as_ref().map_or("_".into(), |e| exp(e));
    match i {
        Index::Fix(e) => exp(e),
        Index::Slice { lo, hi, stride, .. } => list(":", [part(lo), part(hi), part(stride)]),
    }
}

fn access(a: &Access) -> String {
    match a {
        Access::Field(x) => format!(".{}", x.name),
        Access::Index(is, _) => {
            format!("[{}]", is.iter().map(index).collect::<Vec<_>>().join(" "))
        }
    }
}

fn size(s: &SizeExp) -> String {
    match s {
        SizeExp::Any(_) => "[]".into(),
        SizeExp::Exp(e, _) => format!("[{}]", exp(e)),
    }
}

fn attr(a: &Attr) -> String {
    fn inner(a: &Attr) -> String {
        match a {
            Attr::Atom(x) => x.name.to_string(),
            Attr::Int(i, _) => i.to_string(),
            Attr::Comp(x, args, _) => list(x.name, args.iter().map(inner)),
        }
    }
    format!("#[{}]", inner(a))
}

fn pat(p: &Pat) -> String {
    match p {
        Pat::Var(x) => x.name.to_string(),
        Pat::Wildcard(_) => "_".into(),
        Pat::Parens(p, _) => list("paren", [pat(p)]),
        Pat::Tuple(ps, _) => list("tuple", ps.iter().map(pat)),
        Pat::Record(fs, _) => list(
            "record",
            fs.iter().map(|(x, p)| match p {
                Some(p) => list("=", [x.name.to_string(), pat(p)]),
                None => x.name.to_string(),
            }),
        ),
        Pat::Literal { value, negated, .. } => {
            format!("{}{}", if *negated { "-" } else { "" }, literal(value))
        }
        Pat::Constr(c, ps, _) => list(format!("#{}", c.name), ps.iter().map(pat)),
        Pat::Ascript(p, t, _) => list(":", [pat(p), ty(t)]),
        Pat::Attr(a, p, _) => list(attr(a), [pat(p)]),
    }
}

fn tparam(t: &TypeParam) -> String {
    match t {
        TypeParam::Size(x) => format!("[{}]", x.name),
        TypeParam::Type(l, x) => format!("'{}{}", lifted(*l), x.name),
    }
}

fn lifted(l: Liftedness) -> &'static str {
    match l {
        Liftedness::Unlifted => "",
        Liftedness::SizeLifted => "~",
        Liftedness::Lifted => "^",
    }
}

fn fun(name: &Ident, tps: &[TypeParam], ps: &[Pat], ret: &Option<TypeExp>, body: &Exp) -> String {
    list(
        name.name,
        tps.iter()
            .map(tparam)
            .chain(ps.iter().map(pat))
            .chain(ret.as_ref().map(|t| format!(": {}", ty(t))))
            .chain([format!("= {}", exp(body))]),
    )
}

fn front<'a>(doc: &'a Option<Doc>, attrs: &'a [Attr]) -> impl Iterator<Item = String> + 'a {
    doc.iter().map(|d| format!("(doc {:?})", d.text)).chain(attrs.iter().map(attr))
}

fn dec(d: &Dec) -> String {
    match d {
        Dec::Val(v) => {
            let word = match v.keyword {
                ValKeyword::Def => "def",
                ValKeyword::Let => "let",
                ValKeyword::Entry => "entry",
            };
            list(word, front(&v.doc, &v.attrs).chain([fun(&v.name, &v.tparams, &v.params, &v.ret, &v.body)]))
        }
        Dec::Type(t) => type_bind(t),
        Dec::Mod(m) => list(
            "module",
            front(&m.doc, &m.attrs)
                .chain([m.name.name.to_string()])
                .chain(m.params.iter().map(mod_param))
                .chain(m.sig.as_ref().map(|s| format!(": {}", mod_type(s))))
                .chain([mod_exp(&m.body)]),
        ),
        Dec::ModType(m) => {
            list("module-type", front(&m.doc, &m.attrs).chain([m.name.name.to_string(), mod_type(&m.def)]))
        }
        Dec::Open(m, _) => list("open", [mod_exp(m)]),
        Dec::Import(path, _) => list("import", [format!("{path:?}")]),
        Dec::Local(d, _) => list("local", [dec(d)]),
    }
}

fn type_bind(t: &TypeBind) -> String {
    list(
        format!("type{}", lifted(t.lifted)),
        front(&t.doc, &t.attrs)
            .chain([t.name.name.to_string()])
            .chain(t.tparams.iter().map(tparam))
            .chain([ty(&t.def)]),
    )
}

fn mod_param(p: &ModParam) -> String {
    list(":", [p.name.name.to_string(), mod_type(&p.sig)])
}

fn mod_exp(m: &ModExp) -> String {
    match m {
        ModExp::Var(q) => qual(q),
        ModExp::Parens(m, _) => list("paren", [mod_exp(m)]),
        ModExp::Import(path, _) => list("import", [format!("{path:?}")]),
        ModExp::Decs(ds, _) => list("decs", ds.iter().map(dec)),
        ModExp::Apply(f, m, _) => list("app", [mod_exp(f), mod_exp(m)]),
        ModExp::Ascript(m, s, _) => list(":", [mod_exp(m), mod_type(s)]),
        ModExp::Lambda(p, sig, m, _) => list(
            "\\",
            [mod_param(p)]
                .into_iter()
                .chain(sig.as_ref().map(|s| format!(": {}", mod_type(s))))
                .chain([mod_exp(m)]),
        ),
    }
}

fn mod_type(m: &ModTypeExp) -> String {
    match m {
        ModTypeExp::Var(q) => qual(q),
        ModTypeExp::Parens(m, _) => list("paren", [mod_type(m)]),
        ModTypeExp::Specs(ss, _) => list("specs", ss.iter().map(spec)),
        ModTypeExp::With { base, name, tparams, def, .. } => list(
            "with",
            [mod_type(base), qual(name)].into_iter().chain(tparams.iter().map(tparam)).chain([ty(def)]),
        ),
        ModTypeExp::Arrow { param, lhs, rhs, .. } => {
            list("->", param.iter().map(|x| format!("{}:", x.name)).chain([mod_type(lhs), mod_type(rhs)]))
        }
    }
}

fn spec(s: &Spec) -> String {
    match s {
        Spec::Val { doc, attrs, name, tparams, ty: t, .. } => list(
            "val",
            front(doc, attrs).chain([name.name.to_string()]).chain(tparams.iter().map(tparam)).chain([ty(t)]),
        ),
        Spec::TypeAbbrev(t) => type_bind(t),
        Spec::Type { doc, attrs, lifted: l, name, tparams, .. } => list(
            format!("type{}", lifted(*l)),
            front(doc, attrs).chain([name.name.to_string()]).chain(tparams.iter().map(tparam)),
        ),
        Spec::Mod { doc, attrs, name, sig, .. } => {
            list("module", front(doc, attrs).chain([name.name.to_string(), mod_type(sig)]))
        }
        Spec::Include(m, _) => list("include", [mod_type(m)]),
    }
}
