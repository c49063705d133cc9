//! The typed tree as text, for `fehu dev --typed`.
//!
//! Names carry their numbers, bindings their types. After a use of a
//! polymorphic value stands what its parameters are, `map@[n_1]@i32`; after an
//! expression that brings unknown sizes stand those, `filter p xs ?[m_3]`.
//! Small expressions take one line; bindings, branches, loops, matches and
//! functions take several.

use crate::show::{attr, lift_mark, Show};
use crate::tast::{
    Dec, Exp, ExpKind, Functor, FunctorApply, Lambda, LoopForm, Pat, Program, ValAlias, ValBind,
};
use crate::types::{TParam, TypeDef};
use crate::visit;
use fehu_base::{Name, NameSource};
use std::fmt::Write;

/// The whole program.
pub fn program(p: &Program) -> String {
    decs(&p.names, &p.decs)
}

/// Some declarations.
pub fn decs(names: &NameSource, decs: &[Dec]) -> String {
    let mut printer = Printer { show: Show::unique(names), out: String::new(), indent: 0 };
    for d in decs {
        printer.dec(d);
    }
    printer.out
}

struct Printer<'a> {
    show: Show<'a>,
    out: String,
    indent: usize,
}

impl Printer<'_> {
    fn line(&mut self, text: &str) {
        let _ = writeln!(self.out, "{:width$}{text}", "", width = 2 * self.indent);
    }

    fn indented(&mut self, body: impl FnOnce(&mut Self)) {
        self.indent += 1;
        body(self);
        self.indent -= 1;
    }

    fn dec(&mut self, d: &Dec) {
        match d {
            Dec::Val(v) => self.val(v),
            Dec::TypeDef(name, def) => self.type_def(*name, def),
            Dec::Alias(a) => self.alias(a),
            Dec::Functor(f) => self.functor(f),
            Dec::Apply(a) => self.functor_apply(a),
        }
    }

    fn val(&mut self, v: &ValBind) {
        for a in &v.attrs {
            self.line(&format!("#[{}]", attr(a)));
        }
        let word = if v.entry.is_some() { "entry" } else { "def" };
        let rec = if v.recursive { " rec" } else { "" };
        let head = self.fun_head(&format!("{word}{rec} {}", self.show.name(v.name)), &v.tparams, &v.params);
        self.body(&format!("{head}: {} =", self.show.ret(&v.ret)), &v.body);
    }

    fn type_def(&mut self, name: Name, def: &TypeDef) {
        let params = self.tparams(&def.tparams);
        let head = format!("type{} {}{params}", lift_mark(def.lifted), self.show.name(name));
        self.line(&format!("{head} = {}", self.show.ret(&def.def)));
    }

    fn alias(&mut self, a: &ValAlias) {
        let inst: String = a.inst.iter().map(|x| format!("@{}", self.show.type_arg(x))).collect();
        let head = format!("alias {}: {}", self.show.name(a.name), self.show.scheme(&a.scheme));
        self.line(&format!("{head} = {}{inst}", self.show.name(a.target)));
    }

    fn functor(&mut self, f: &Functor) {
        self.line(&format!("functor {} {{", self.show.name(f.name)));
        self.indented(|p| f.body.iter().for_each(|d| p.dec(d)));
        self.line("}");
    }

    fn functor_apply(&mut self, a: &FunctorApply) {
        self.line(&format!("apply {} {{", self.show.name(a.functor)));
        self.indented(|p| a.bind.iter().for_each(|d| p.dec(d)));
        let results: Vec<String> = a
            .results
            .iter()
            .map(|(outer, inner)| format!("{} = {}", self.show.name(*outer), self.show.name(*inner)))
            .collect();
        self.line(&format!("}} -> {{{}}}", results.join(", ")));
    }

    fn tparams(&self, params: &[TParam]) -> String {
        params.iter().map(|p| format!(" {}", self.show.tparam(*p))).collect()
    }

    fn fun_head(&self, name: &str, tparams: &[TParam], params: &[Pat]) -> String {
        let values: String = params.iter().map(|p| format!(" {}", self.typed_pat(p))).collect();
        format!("{name}{}{values}", self.tparams(tparams))
    }

    fn typed_pat(&self, p: &Pat) -> String {
        format!("({}: {})", self.show.pat(p), self.show.ty(&p.ty))
    }

    /// `head body`, the body on lines of its own if it does not fit.
    fn body(&mut self, head: &str, body: &Exp) {
        if is_small(body) {
            let text = self.show.exp(body);
            if head.len() + text.len() + 2 * self.indent < 100 {
                return self.line(&format!("{head} {text}"));
            }
        }
        self.line(head);
        self.indented(|p| p.block(body));
    }

    /// An expression on lines of its own.
    fn block(&mut self, e: &Exp) {
        fehu_base::stack::deep(|| self.block_inner(e));
    }

    fn block_inner(&mut self, e: &Exp) {
        if is_small(e) {
            let text = self.show.exp(e);
            return self.line(&text);
        }
        if !e.ext.is_empty() {
            let sizes: String = e.ext.iter().map(|n| format!("[{}]", self.show.name(*n))).collect();
            self.line(&format!("-- brings ?{sizes}"));
        }
        match &*e.kind {
            ExpKind::Let { sizes, pat, value, body } => {
                let sizes: String = sizes.iter().map(|n| format!("[{}] ", self.show.name(*n))).collect();
                let head = format!("let {sizes}{}: {} =", self.show.pat(pat), self.show.ty(&pat.ty));
                self.body(&head, value);
                self.rest(body);
            }
            ExpKind::LetFun(f, body) => {
                let name = format!("let {}", self.show.name(f.name));
                let head = self.fun_head(&name, &f.tparams, &f.params);
                self.body(&format!("{head}: {} =", self.show.ret(&f.ret)), &f.body);
                self.rest(body);
            }
            ExpKind::If(c, t, f) => {
                self.body("if", c);
                self.body("then", t);
                self.body("else", f);
            }
            ExpKind::Loop(l) => {
                let sizes: String = l.sizes.iter().map(|n| format!("[{}] ", self.show.name(*n))).collect();
                let head = format!("loop {sizes}{}: {} =", self.show.pat(&l.pat), self.show.ty(&l.pat.ty));
                self.body(&head, &l.init);
                match &l.form {
                    LoopForm::For(i, t, bound) => {
                        self.body(&format!("for {}: {t} <", self.show.name(*i)), bound);
                    }
                    LoopForm::ForIn(p, array) => {
                        let pat = self.typed_pat(p);
                        self.body(&format!("for {pat} in"), array);
                    }
                    LoopForm::While(c) => self.body("while", c),
                }
                self.body("do", &l.body);
            }
            ExpKind::Match(x, cases) => {
                self.body("match", x);
                for c in cases {
                    let head = format!("case {}: {} ->", self.show.pat(&c.pat), self.show.ty(&c.pat.ty));
                    self.body(&head, &c.body);
                }
            }
            ExpKind::Lambda(l) => self.lambda(l),
            ExpKind::Apply(f, args) => {
                self.part(f);
                self.indented(|p| args.iter().for_each(|a| p.part(a)));
            }
            ExpKind::Record(fields) => {
                self.line("{");
                self.indented(|p| fields.iter().for_each(|(f, x)| p.body(&format!("{f} ="), x)));
                self.line("}");
            }
            ExpKind::Attr(a, x) => self.body(&format!("#[{}]", attr(a)), x),
            // What is left is small apart from what stands inside; its types
            // at bindings are given up.
            ExpKind::Literal(_)
            | ExpKind::String(_)
            | ExpKind::Hole
            | ExpKind::Var(..)
            | ExpKind::Array(_)
            | ExpKind::Project(..)
            | ExpKind::Index(..)
            | ExpKind::Negate(_)
            | ExpKind::Not(_)
            | ExpKind::And(..)
            | ExpKind::Or(..)
            | ExpKind::Assert(..)
            | ExpKind::Constr(..)
            | ExpKind::Coerce(_)
            | ExpKind::Range { .. }
            | ExpKind::Update(..) => {
                let text = self.show.exp(e);
                self.line(&text);
            }
        }
    }

    /// What follows a binding.
    fn rest(&mut self, body: &Exp) {
        if matches!(&*body.kind, ExpKind::Let { .. } | ExpKind::LetFun(..)) {
            self.block(body);
        } else {
            self.body("in", body);
        }
    }

    fn lambda(&mut self, l: &Lambda) {
        let params: Vec<String> = l.params.iter().map(|p| self.typed_pat(p)).collect();
        let head = format!("\\{}: {} ->", params.join(" "), self.show.ret(&l.ret));
        self.body(&head, &l.body);
    }

    /// A function or argument of a call that takes several lines.
    fn part(&mut self, e: &Exp) {
        if is_small(e) {
            let text = self.show.operand(e);
            return self.line(&text);
        }
        self.line("(");
        self.indented(|p| p.block(e));
        self.line(")");
    }
}

/// Whether nothing is bound inside, so that one line says all.
fn is_small(e: &Exp) -> bool {
    let binds = matches!(
        &*e.kind,
        ExpKind::Let { .. }
            | ExpKind::LetFun(..)
            | ExpKind::If(..)
            | ExpKind::Loop(_)
            | ExpKind::Match(..)
            | ExpKind::Lambda(_)
    );
    if binds {
        return false;
    }
    let mut small = true;
    fehu_base::stack::deep(|| {
        visit::children(e, &mut |x| small = small && is_small(x));
    });
    small
}
