//! Loops. Sizes that may change from one iteration to the next are loop
//! parameters of their own, before the values.

use crate::lowerer::{Lowerer, Res};
use crate::value::{Binding, Data, Dim, Ty, Value};
use fehu_base::prim::{IntType, PrimType, ScalarType};
use fehu_base::Name;
use fehu_check::tast;
use fehu_check::types::{Type as SurfaceType, Uniq};
use fehu_ir::{Body, Exp, Loop, LoopForm, Param, SubExp, Type};

impl<'a> Lowerer<'a> {
    /// `loop p = init form do body`.
    pub(crate) fn lower_loop(&mut self, lp: &'a tast::Loop) -> Res<Value<'a>> {
        let init = self.exp(&lp.init)?;
        let init = self.data(init)?;
        let form = self.loop_bound(&lp.form)?;
        // The type of the parameter: what varies is unknown now.
        let hint = self.scoped(|l| {
            for n in &lp.sizes {
                l.env.insert(*n, Binding::UnknownSize);
            }
            l.ty(&lp.pat.ty)
        })?;
        let (ty, sizes) = self.loop_type(&hint, &init.ty);
        let mut params: Vec<(Param<_>, SubExp)> = vec![];
        for (n, d) in &sizes {
            params.push((Param { name: *n, ty: Type::I64, dec: (), consumed: false }, *d));
        }
        let unique = unique_leaves(&lp.pat.ty, &ty);
        let mut leaves = vec![];
        for ((t, e), consumed) in ty.leaves().into_iter().zip(&init.leaves).zip(unique) {
            let p = Param { consumed, ..self.b.param("p", t) };
            leaves.push(p.name.into());
            params.push((p, *e));
        }
        let param = Data { ty: ty.clone(), leaves };
        let (core_form, body) = match form {
            Form::While => {
                let start = self.scoped(|l| l.while_cond(lp, init.clone()))?;
                let cond = self.b.param("going", Type::BOOL);
                let name = cond.name;
                params.push((cond, start));
                let (body, d) = self.body(|l| {
                    let v = l.iteration(lp, param.clone())?;
                    let c = l.while_cond(lp, v.clone())?;
                    Ok((v, c))
                })?;
                let (v, c) = d;
                let mut result = self.loop_result(&sizes, &ty, &v);
                result.push(c);
                (LoopForm::While(name), Body { result, ..body })
            }
            Form::For { var, ty: it, bound, bind } => {
                let (body, v) = self.body(|l| {
                    l.bind_iteration(bind, var, it)?;
                    l.iteration(lp, param.clone())
                })?;
                let result = self.loop_result(&sizes, &ty, &v);
                (LoopForm::For { var, ty: it, bound }, Body { result, ..body })
            }
        };
        self.finish_loop(params, core_form, body, &sizes, &ty)
    }

    fn finish_loop(
        &mut self,
        params: Vec<(Param<fehu_ir::Soacs>, SubExp)>,
        form: LoopForm,
        body: Body<fehu_ir::Soacs>,
        sizes: &[(Name, SubExp)],
        ty: &Ty,
    ) -> Res<Value<'a>> {
        // The results have the types of the parameters, with the final sizes.
        let finals: Vec<(Name, Name)> =
            sizes.iter().map(|(n, _)| (*n, self.b.fresh("n", Type::I64))).collect();
        let ty = ty.map_dims(&mut |d| match d {
            Dim::Known(SubExp::Var(n)) => match finals.iter().find(|(p, _)| *p == n) {
                Some((_, f)) => Dim::Known((*f).into()),
                None => d,
            },
            Dim::Known(SubExp::Const(_)) | Dim::Unknown => d,
        });
        let mut pat: Vec<(Name, Type)> = finals.iter().map(|(_, f)| (*f, Type::I64)).collect();
        let mut leaves = vec![];
        for t in ty.leaves() {
            let n = self.b.fresh("t", t.clone());
            leaves.push(n.into());
            pat.push((n, t));
        }
        if matches!(form, LoopForm::While(_)) {
            pat.push((self.b.fresh("going", Type::BOOL), Type::BOOL));
        }
        self.b.bind_names(pat, Exp::Loop(Box::new(Loop { params, form, body })));
        Ok(Value::Data(Data { ty, leaves }))
    }

    /// The type of the loop's parameter: sizes known outside, and names for those that vary with their
    /// initial values.
    fn loop_type(&mut self, hint: &Ty, init: &Ty) -> (Ty, Vec<(Name, SubExp)>) {
        let hints = hint.dims();
        let mut sizes: Vec<(Name, SubExp)> = vec![];
        let mut i = 0;
        let ty = init.map_dims(&mut |d| {
            let h = hints.get(i).copied().unwrap_or(Dim::Unknown);
            i += 1;
            match h {
                Dim::Known(_) => h,
                Dim::Unknown => {
                    let n = self.b.fresh("n", Type::I64);
                    sizes.push((n, d.operand()));
                    Dim::Known(n.into())
                }
            }
        });
        (ty, sizes)
    }

    /// The results of an iteration: the sizes that vary, then the values.
    fn loop_result(&mut self, sizes: &[(Name, SubExp)], ty: &Ty, v: &Data) -> Vec<SubExp> {
        let mut result = vec![SubExp::i64(0); sizes.len()];
        for (p, d) in ty.dims().into_iter().zip(v.ty.dims()) {
            if let Dim::Known(SubExp::Var(n)) = p {
                if let Some(i) = sizes.iter().position(|(s, _)| *s == n) {
                    result[i] = d.operand();
                }
            }
        }
        result.extend(v.leaves.iter().copied());
        result
    }

    fn iteration(&mut self, lp: &'a tast::Loop, param: Data) -> Res<Data> {
        self.learn(&lp.sizes, &lp.pat.ty, &param.ty);
        self.bind_pat(&lp.pat, Value::Data(param));
        let v = self.exp(&lp.body)?;
        self.data(v)
    }

    fn while_cond(&mut self, lp: &'a tast::Loop, v: Data) -> Res<SubExp> {
        let tast::LoopForm::While(cond) = &lp.form else { return Ok(SubExp::bool(false)) };
        self.learn(&lp.sizes, &lp.pat.ty, &v.ty);
        self.bind_pat(&lp.pat, Value::Data(v));
        let c = self.exp(cond)?;
        self.scalar(c)
    }

    fn loop_bound(&mut self, form: &'a tast::LoopForm) -> Res<Form<'a>> {
        match form {
            tast::LoopForm::While(_) => Ok(Form::While),
            tast::LoopForm::For(name, s, bound) => {
                let b = self.exp(bound)?;
                let bound = self.scalar(b)?;
                let PrimType::Int(ty) = s.prim() else { fehu_base::bug!("loop over {s}") };
                let var = self.b.fresh("i", Type::Prim(s.prim()));
                Ok(Form::For { var, ty, bound, bind: Iter::Index(*name, *s) })
            }
            tast::LoopForm::ForIn(pat, e) => {
                let v = self.exp(e)?;
                let arr = self.data(v)?;
                let Some((n, _)) = arr.ty.elem() else { fehu_base::bug!("loop over {:?}", arr.ty) };
                let var = self.b.fresh("i", Type::I64);
                Ok(Form::For { var, ty: IntType::I64, bound: n, bind: Iter::Element(pat, arr) })
            }
        }
    }

    fn bind_iteration(&mut self, bind: Iter<'a>, var: Name, _ty: IntType) -> Res<()> {
        match bind {
            Iter::Index(name, s) => {
                self.env.insert(name, Binding::Value(Value::scalar(s, var.into())));
            }
            Iter::Element(pat, arr) => {
                let elem = self.element(&arr, &[var.into()]);
                self.bind_pat(pat, Value::Data(elem));
            }
        }
        Ok(())
    }
}

enum Form<'a> {
    While,
    For { var: Name, ty: IntType, bound: SubExp, bind: Iter<'a> },
}

enum Iter<'a> {
    Index(Name, ScalarType),
    Element(&'a tast::Pat, Data),
}

/// Which leaves of a value of the given type are unique.
pub(crate) fn unique_leaves(t: &SurfaceType, ty: &Ty) -> Vec<bool> {
    match (t, ty) {
        (SurfaceType::Record(fs), Ty::Record(tys)) => {
            fs.iter().zip(tys.iter()).flat_map(|((_, t), (_, ty))| unique_leaves(t, ty)).collect()
        }
        (SurfaceType::Array(Uniq::Unique, _, _) | SurfaceType::Var(Uniq::Unique, _, _), _) => {
            vec![true; ty.leaf_count()]
        }
        (SurfaceType::Sum(cs), _) => {
            let unique = cs.iter().any(|(_, ts)| ts.iter().any(is_unique));
            vec![unique; ty.leaf_count()]
        }
        (
            SurfaceType::Scalar(_)
            | SurfaceType::Array(..)
            | SurfaceType::Record(_)
            | SurfaceType::Arrow(_)
            | SurfaceType::Var(..)
            | SurfaceType::Meta(_)
            | SurfaceType::Error,
            _,
        ) => vec![false; ty.leaf_count()],
    }
}

fn is_unique(t: &SurfaceType) -> bool {
    match t {
        SurfaceType::Array(u, _, _) | SurfaceType::Var(u, _, _) => *u == Uniq::Unique,
        SurfaceType::Record(fs) => fs.iter().any(|(_, t)| is_unique(t)),
        SurfaceType::Sum(cs) => cs.iter().any(|(_, ts)| ts.iter().any(is_unique)),
        SurfaceType::Scalar(_) | SurfaceType::Arrow(_) | SurfaceType::Meta(_) | SurfaceType::Error => false,
    }
}
