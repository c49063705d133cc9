//! The end of the first layer: what is still open is defaulted, generalised or
//! complained about.

use super::infer::Infer;
use super::metas::{Cons, ScalarSet, Slot};
use super::pre::Pat;
use crate::context::see;
use crate::named::Named;
use crate::types::{TParam, Type, TypeArg};
use fehu_base::prim::ScalarType;
use fehu_base::Diagnostic;
use fehu_syntax::ast;

impl Infer<'_> {
    /// Settles all variables. Those in the declaration's type of which nothing
    /// is known become type parameters, which are returned.
    /// Nothing is said about what is open if there were errors (`failed`).
    pub(crate) fn close(&mut self, ty: &Type, failed: bool) -> Vec<TParam> {
        if failed {
            for s in &mut self.st.slots {
                if matches!(s, Slot::Free(_)) {
                    *s = Slot::Known(Type::Error);
                }
            }
            return vec![];
        }
        self.check_updated();
        let ty = self.st.zonk(ty);
        let mut open = vec![];
        metas(&ty, &mut open);
        let mut tparams = vec![];
        for m in open {
            let root = self.st.root(m);
            let Some(f) = self.st.free(root).cloned() else { continue };
            match f.cons {
                Cons::OneOf(set, why) => {
                    let t = default(set);
                    self.report(
                        Diagnostic::warning(
                            why.span,
                            format!("Defaulting ambiguous type to {}.", t.as_str()),
                        )
                        .help("annotate the type"),
                    );
                    self.st.slots[root as usize] = Slot::Known(Type::scalar(t));
                }
                Cons::Open if f.eq.is_none() => {
                    let called = f.called.unwrap_or_else(|| fehu_base::Symbol::new("t"));
                    let n = self.ctx.bind(called, f.span);
                    self.ctx.kinds.insert(n, f.lifted);
                    tparams.push(TParam::Type(f.lifted, n));
                    self.st.slots[root as usize] = Slot::Known(Type::var(n));
                }
                Cons::Open | Cons::Record(_) | Cons::Sum(_) => {}
            }
        }
        self.settle();
        tparams
    }

    /// The parameters without a type of which only is known that they are numbers.
    pub(crate) fn open_numbers(&mut self, params: &[Pat], bind: &ast::ValBind) -> Vec<(usize, ast::Ident)> {
        let mut open = vec![];
        for (i, (p, written)) in params.iter().zip(&bind.params).enumerate() {
            if let (ast::Pat::Var(id), Type::Meta(m)) = (written, self.st.head(&p.ty)) {
                if self.set_of(m).is_some() {
                    open.push((i, *id));
                }
            }
        }
        open
    }

    /// A field can only be updated in a record of which all fields are known.
    fn check_updated(&mut self) {
        for (t, span) in std::mem::take(&mut self.st.updated) {
            if let Type::Meta(m) = self.st.head(&t) {
                self.st.slots[m as usize] = Slot::Known(Type::Error);
                self.report(
                    Diagnostic::error(span, "Full type of this record is not known at this point.")
                        .label("the type of a record must be known where a field is updated")
                        .note(see(Named::RecordTypeNotKnown))
                        .help("annotate the type where the record is bound"),
                );
            }
        }
    }

    /// Settles what is not part of a type that others see.
    pub(crate) fn settle(&mut self) {
        for m in 0..self.st.slots.len() as u32 {
            let Slot::Free(f) = &self.st.slots[m as usize] else { continue };
            let f = f.clone();
            match &f.cons {
                Cons::OneOf(set, _) => {
                    self.st.slots[m as usize] = Slot::Known(Type::scalar(default(*set)));
                }
                Cons::Open if f.eq.is_none() => self.st.slots[m as usize] = Slot::Known(Type::unit()),
                Cons::Open => self.ambiguous(
                    m,
                    &f.span,
                    "must be equality type, and a type parameter does not support equality",
                ),
                Cons::Record(fs) => {
                    let fs: Vec<String> = fs.iter().map(|(f, t)| format!("{f}: {}", self.show(t))).collect();
                    self.ambiguous(m, &f.span, &format!("must be record with fields {{{}}}", fs.join(", ")));
                }
                Cons::Sum(cs) => {
                    let cs: Vec<String> = cs.iter().map(|(c, _)| format!("#{c}")).collect();
                    let what = format!("must be a sum type with constructors {}", cs.join(" | "));
                    self.ambiguous(m, &f.span, &what);
                }
            }
        }
    }

    fn ambiguous(&mut self, m: u32, span: &fehu_base::Span, what: &str) {
        self.st.slots[m as usize] = Slot::Known(Type::Error);
        self.report(
            Diagnostic::error(*span, format!("Type is ambiguous ({what})."))
                .note(see(Named::AmbiguousType))
                .help("add a type annotation to say which type is meant"),
        );
    }
}

/// What a literal is if nothing says otherwise.
fn default(set: ScalarSet) -> ScalarType {
    if set.has(ScalarType::I32) {
        ScalarType::I32
    } else if set.has(ScalarType::F64) {
        ScalarType::F64
    } else {
        set.iter().next().unwrap_or(ScalarType::I32)
    }
}

fn metas(t: &Type, out: &mut Vec<u32>) {
    match t {
        Type::Scalar(..) | Type::Error => {}
        Type::Meta(m) => out.push(*m),
        Type::Array(_, _, e) => metas(e, out),
        Type::Record(fs) => fs.iter().for_each(|(_, t)| metas(t, out)),
        Type::Sum(cs) => cs.iter().flat_map(|(_, ts)| ts).for_each(|t| metas(t, out)),
        Type::Arrow(a) => {
            metas(&a.lhs, out);
            metas(&a.ret.ty, out);
        }
        Type::Var(_, _, args) => {
            for a in args.iter() {
                if let TypeArg::Type(t) = a {
                    metas(t, out);
                }
            }
        }
    }
}
