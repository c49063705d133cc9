//! Patterns: binding, and the tests of `match`.

use crate::exp::fields;
use crate::lowerer::{Lowerer, Res};
use crate::sums::{payload, tag};
use crate::value::{Binding, Data, Ty, Value};
use fehu_base::ops::CmpOp;
use fehu_base::prim::PrimType;
use fehu_base::Symbol;
use fehu_check::tast::{Case, Pat, PatKind};
use fehu_check::types::Type as SurfaceType;
use fehu_ir::SubExp;
use rustc_hash::FxHashMap;

impl<'a> Lowerer<'a> {
    /// Binds the variables of a pattern that matches.
    pub(crate) fn bind_pat(&mut self, p: &'a Pat, v: Value<'a>) {
        match &p.kind {
            PatKind::Var(name) => self.env.insert(*name, Binding::Value(v)),
            PatKind::Wildcard | PatKind::Literal(_) => {}
            PatKind::Record(pats) => {
                let mut parts: FxHashMap<Symbol, Value<'a>> = fields(&v).into_iter().collect();
                for (f, p) in pats {
                    match parts.remove(f) {
                        Some(part) => self.bind_pat(p, part),
                        None => fehu_base::bug!("no field {f}"),
                    }
                }
            }
            PatKind::Constr(c, ps) => {
                if let Value::Constr(_, args) = &v {
                    ps.iter().zip(args.iter()).for_each(|(p, v)| self.bind_pat(p, v.clone()));
                    return;
                }
                let Value::Data(d) = &v else { fehu_base::bug!("constructor pattern on {v:?}") };
                for (p, d) in ps.iter().zip(payload(d, constr_index(d, *c))) {
                    self.bind_pat(p, Value::Data(d));
                }
            }
            PatKind::Attr(_, p) => self.bind_pat(p, v),
        }
    }

    /// The conditions under which a value matches a pattern.
    fn tests(&mut self, p: &'a Pat, v: &Value<'a>, out: &mut Vec<SubExp>) {
        match &p.kind {
            PatKind::Var(_) | PatKind::Wildcard => {}
            PatKind::Literal(lit) => {
                let Value::Data(Data { leaves, .. }) = v else { fehu_base::bug!("literal pattern") };
                let c = self.b.cmp(CmpOp::Eq(lit.prim_type()), leaves[0], SubExp::Const(*lit));
                out.push(c);
            }
            PatKind::Record(pats) => {
                let parts: FxHashMap<Symbol, Value<'a>> = fields(v).into_iter().collect();
                for (f, p) in pats {
                    match parts.get(f) {
                        Some(part) => self.tests(p, part, out),
                        None => fehu_base::bug!("no field {f}"),
                    }
                }
            }
            PatKind::Constr(c, ps) => {
                if let Value::Constr(actual, args) = v {
                    if actual == c {
                        ps.iter().zip(args.iter()).for_each(|(p, v)| self.tests(p, v, out));
                    } else {
                        out.push(SubExp::bool(false));
                    }
                    return;
                }
                let Value::Data(d) = v else { fehu_base::bug!("constructor pattern on {v:?}") };
                let index = constr_index(d, *c);
                if let Ty::Sum(cs) = &d.ty {
                    if cs.len() > 1 {
                        let t = self.b.cmp(CmpOp::Eq(PrimType::I8), d.leaves[0], tag(index));
                        out.push(t);
                    }
                }
                for (p, d) in ps.iter().zip(payload(d, index)) {
                    self.tests(p, &Value::Data(d), out);
                }
            }
            PatKind::Attr(_, p) => self.tests(p, v, out),
        }
    }

    /// `match v case ...`: a chain of conditionals; the checker has made sure that the last case
    /// matches when no other does.
    pub(crate) fn match_cases(
        &mut self,
        v: Value<'a>,
        cases: &'a [Case],
        ty: &'a SurfaceType,
    ) -> Res<Value<'a>> {
        let Some((first, rest)) = cases.split_first() else { fehu_base::bug!("match without cases") };
        let mut conds = vec![];
        if !rest.is_empty() {
            self.at(first.span, |l| l.tests(&first.pat, &v, &mut conds));
        }
        let cond = self.all(&conds);
        if cond == SubExp::bool(true) {
            return self.scoped(|l| {
                l.bind_case(first, v);
                l.exp(&first.body)
            });
        }
        let other = v.clone();
        self.branch(
            cond,
            ty,
            |l| {
                l.bind_case(first, v);
                l.exp(&first.body)
            },
            |l| stacker::maybe_grow(128 * 1024, 4 * 1024 * 1024, || l.match_cases(other, rest, ty)),
        )
    }

    fn bind_case(&mut self, case: &'a Case, v: Value<'a>) {
        self.bind_pat(&case.pat, v);
    }
}

fn constr_index(d: &Data, c: fehu_base::Symbol) -> usize {
    let Ty::Sum(cs) = &d.ty else { fehu_base::bug!("constructor pattern on {:?}", d.ty) };
    match cs.iter().position(|(n, _)| *n == c) {
        Some(i) => i,
        None => fehu_base::bug!("no constructor {c}"),
    }
}
