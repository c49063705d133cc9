//! Entry points: core functions with a face for the outside world.
//!
//! A scalar or an array of scalars is transparent; everything else is an
//! opaque type with a name: what the user wrote, if a type was written, else a
//! description such as `(i32, [](bool, f32))`.
//!
//! Inside of the program the unit has no components, and an array of units is nothing but its size. Outside, sizes
//! are those of arrays; so there, units are a `bool` that says nothing (`boundary`).

use crate::calls::{param_uniqueness, ret_type, ParamFace};
use crate::loops::unique_leaves;
use crate::lowerer::{Lowerer, Res};
use crate::sums::SumLayout;
use crate::value::{Binding, Data, Dim, Fun, Global, Ty, Value};
use fehu_base::prim::{PrimType, ScalarType};
use fehu_base::{Name, Symbol};
use fehu_check::tast::{EntryParam as SurfaceParam, Shown};
use fehu_check::types::Type as SurfaceType;
use fehu_ir::{
    EntryParam, EntryPoint, EntryResult, EntryType, ErrorPart, FunDef, FunRet, Loc, OpaqueType, OpaqueTypes,
    RetType, SubExp,
};
use std::rc::Rc;

impl<'a> Lowerer<'a> {
    /// Makes the core function of an entry point.
    pub(crate) fn entry(&mut self, g: &Rc<Global<'a>>) -> Res<()> {
        let bind = g.bind;
        let mut env = g.env.clone();
        crate::types::bind_tparams(&mut env, &bind.tparams, &[]);
        // The type may show more parameters than the definition names.
        let mut faces: Vec<ParamFace<'a>> = bind.params.iter().map(|p| self.param_face(p)).collect();
        let mut extra = vec![];
        let mut ret = &bind.ret.ty;
        while let SurfaceType::Arrow(arrow) = ret {
            let base = arrow.param.map_or("p", |n| self.program.names.base(n).as_str());
            faces.push(ParamFace { ty: &arrow.lhs, base });
            extra.push(arrow.param);
            ret = &arrow.ret.ty;
        }
        let types: Res<Vec<Ty>> = self.in_env(env.clone(), |l| faces.iter().map(|f| l.ty(f.ty)).collect());
        let types = types?;
        self.at(bind.span, |l| types.iter().try_for_each(|t| l.check_boundary(t)))?;
        let outside: Vec<Ty> = types.iter().map(boundary).collect();
        let mut params = self.function_params(&bind.tparams, &faces, &outside);
        let values: Vec<Data> = types.iter().zip(&params.values).map(|(t, d)| come_in(t, d)).collect();
        let sizes = params.sizes.len();
        for (p, u) in params.core.iter_mut().skip(sizes).zip(param_uniqueness(&faces, &params.sig_types)) {
            p.consumed = u;
        }
        self.b.begin();
        let mut declared_ret = None;
        let result = self.at(bind.span, |l| {
            l.in_env(env, |l| {
                let args: Vec<Value<'a>> = values.iter().cloned().map(Value::Data).collect();
                let rest = args[bind.params.len()..].to_vec();
                l.bind_params(&bind.tparams, &bind.params, args.clone());
                let names: Vec<Name> = bind.tparams.iter().map(|p| p.name()).collect();
                for (i, (name, v)) in extra.iter().zip(&rest).enumerate() {
                    let at = bind.params.len() + i;
                    l.learn(&names, faces[at].ty, &values[at].ty);
                    if let Some(name) = name {
                        l.env.insert(*name, Binding::Value(v.clone()));
                    }
                }
                // Everything depends on the sizes being as declared.
                let mut certs = vec![];
                for (f, d) in faces.iter().zip(&values) {
                    certs.extend(l.check_declared_sizes(f.ty, d)?);
                }
                l.b.certs.clone_from(&certs);
                declared_ret = Some(l.ty(ret)?);
                if bind.recursive {
                    let f = Fun::Closure {
                        env: g.env.clone(),
                        tparams: &bind.tparams,
                        inst: vec![],
                        params: &bind.params,
                        body: &bind.body,
                        global: Some(g.clone()),
                    };
                    return l.apply(Value::Fun(Rc::new(f)), args);
                }
                let v = l.exp(&bind.body)?;
                let mut v = l.apply(v, rest)?;
                for cert in &certs {
                    v = l.depending(Some(*cert), v);
                }
                Ok(v)
            })
        });
        self.b.certs.clear();
        let d: Res<Data> = self.at(bind.span, |l| {
            let d = l.data(result?)?;
            l.check_boundary(&d.ty)?;
            Ok(d)
        });
        let outside = d.as_ref().ok().map(|d| self.go_out(d));
        let mut body = self.b.end(vec![]);
        let (d, outside) = (d?, outside.unwrap_or_else(|| fehu_base::bug!("a result without a value")));
        let core_params: Vec<Name> = params.core.iter().map(|p| p.name).collect();
        let (core_ret, size_results, results) = entry_results(&outside, ret, &core_params);
        body.result = results;
        let declared_ret = declared_ret.as_ref().unwrap_or(&d.ty);
        let face = self.face(g, &faces, &types, (ret, declared_ret), (sizes, size_results));
        let name = self.b.names.fresh(Symbol::new(&format!("entry_{}", face.name)));
        self.funs.push(FunDef {
            name,
            entry: Some(face),
            attrs: bind.attrs.iter().map(crate::apply::core_attr).collect(),
            params: params.core,
            ret: core_ret,
            body,
            loc: Loc::at(bind.span),
        });
        Ok(())
    }

    /// In a sum, an array of units would have no place for its size.
    fn check_boundary(&self, ty: &Ty) -> Res<()> {
        match ty {
            Ty::Array(_, t) => self.check_boundary(t),
            Ty::Record(fs) => fs.iter().try_for_each(|(_, t)| self.check_boundary(t)),
            Ty::Sum(cs) if cs.iter().any(|(_, ts)| ts.iter().any(has_unit_array)) => {
                Err(self.unsupported("an array of units inside of a sum type of an entry point"))
            }
            Ty::Scalar(_) | Ty::Sum(_) | Ty::Acc(..) | Ty::Fun => Ok(()),
        }
    }

    /// A value as the outside has it.
    fn go_out(&mut self, d: &Data) -> Data {
        let ty = boundary(&d.ty);
        let mut inside = d.leaves.iter();
        let leaves = ty
            .leaves()
            .iter()
            .zip(units(&d.ty))
            .map(|(t, unit)| match (unit, inside.as_slice()) {
                (false, [leaf, ..]) => {
                    inside.next();
                    *leaf
                }
                (_, _) => self.blank(t),
            })
            .collect();
        Data { ty, leaves }
    }

    /// Sizes that the parameter's type gives as an expression must be what the argument has.
    fn check_declared_sizes(&mut self, t: &'a SurfaceType, d: &Data) -> Res<Option<Name>> {
        let declared = self.ty(t)?;
        let mut conds = vec![];
        for (want, have) in declared.dims().into_iter().zip(d.ty.dims()) {
            if let Dim::Known(w) = want {
                let c = self.same_size(w, have.operand());
                conds.push(c);
            }
        }
        let cond = self.all(&conds);
        Ok(self.b.assert(cond, vec![ErrorPart::Text("entry point arguments have invalid sizes.".into())]))
    }

    fn face(
        &mut self,
        g: &Rc<Global<'a>>,
        faces: &[ParamFace<'a>],
        params: &[Ty],
        (ret, result): (&SurfaceType, &Ty),
        (size_params, size_results): (usize, usize),
    ) -> EntryPoint {
        let bind = g.bind;
        let written = bind.entry.as_ref();
        let name = written.map_or_else(|| self.program.names.base(bind.name), |e| e.name);
        let mut entry_params = vec![];
        for (i, (face, ty)) in faces.iter().zip(params).enumerate() {
            let w: Option<&SurfaceParam> = written.and_then(|e| e.params.get(i));
            let ty = self.entry_type(ty, w.and_then(|w| w.ty.as_ref()));
            let own = Some(Symbol::new(face.base)).filter(|_| face.base != "p");
            let unique = unique_leaves(face.ty, &params[i]).into_iter().any(|u| u);
            entry_params.push(EntryParam { name: w.and_then(|w| w.name).or(own), ty, unique });
        }
        let ty = self.entry_type(result, written.and_then(|e| e.ret.as_ref()));
        let unique = unique_leaves(ret, result).into_iter().any(|u| u);
        EntryPoint {
            name,
            doc: bind.doc.as_ref().map(|d| d.text.clone()),
            params: entry_params,
            result: EntryResult { ty, unique },
            size_params,
            size_results,
        }
    }

    /// How a type looks from outside; opaque ones are noted.
    pub(crate) fn entry_type(&mut self, ty: &Ty, written: Option<&Shown>) -> EntryType {
        if let Some((s, rank)) = transparent(ty) {
            return EntryType::Transparent(s, rank);
        }
        let name = written.map_or_else(|| describe(ty), Shown::text);
        self.register(&name, ty, written.map(Shown::meaning));
        EntryType::Opaque(name)
    }

    fn register(&mut self, name: &str, ty: &Ty, written: Option<&Shown>) {
        if self.opaques.types.iter().any(|(n, _)| n == name) {
            return;
        }
        let known = match ty {
            Ty::Record(fields) => {
                let shown = |f: Symbol| written.and_then(|w| shown_field(w, f));
                OpaqueType::Record(fields.iter().map(|(f, t)| (*f, self.entry_type(t, shown(*f)))).collect())
            }
            Ty::Sum(constrs) => {
                let layout = SumLayout::new(constrs);
                let variants = constrs
                    .iter()
                    .zip(&layout.places)
                    .map(|((c, ts), places)| {
                        let mut places = places.iter();
                        let payload = ts
                            .iter()
                            .enumerate()
                            .map(|(i, t)| {
                                // The tag has room for units.
                                let slot = |unit| if unit { Some(0) } else { places.next().map(|p| p + 1) };
                                let slots = units(t).into_iter().filter_map(slot).collect();
                                let shown = written.and_then(|w| shown_payload(w, *c, i));
                                (self.entry_type(t, shown), slots)
                            })
                            .collect();
                        (*c, payload)
                    })
                    .collect();
                OpaqueType::Sum { values: flat_values(ty), variants, sizes: known_sizes(constrs) }
            }
            Ty::Array(..) => {
                let (rank, elem) = array_of(ty);
                let shown = written.and_then(|w| (0..rank).try_fold(w, |w, _| shown_elem(w)));
                let elem_type = self.entry_type(elem, shown);
                let shown = shown.map(Shown::meaning);
                match elem {
                    Ty::Record(fields) if !fields.is_empty() => {
                        let fields = fields
                            .iter()
                            .map(|(f, t)| {
                                let mut t = t.clone();
                                let mut shown = shown.and_then(|w| shown_field(w, *f)).cloned();
                                for _ in 0..rank {
                                    t = t.array(SubExp::i64(0));
                                    shown = shown.map(|w| Shown::Array(Box::new(w)));
                                }
                                (*f, self.entry_type(&t, shown.as_ref()))
                            })
                            .collect();
                        OpaqueType::RecordArray { elem: elem_type, rank, fields }
                    }
                    Ty::Record(_) | Ty::Scalar(_) | Ty::Array(..) | Ty::Sum(_) | Ty::Acc(..) | Ty::Fun => {
                        OpaqueType::Array { elem: elem_type, rank, values: flat_values(ty) }
                    }
                }
            }
            Ty::Scalar(_) | Ty::Acc(..) | Ty::Fun => OpaqueType::Plain(flat_values(ty)),
        };
        self.opaques.types.push((name.to_owned(), known));
    }

    /// The opaque types noted so far.
    pub(crate) fn take_opaques(&mut self) -> OpaqueTypes {
        std::mem::take(&mut self.opaques)
    }
}

/// A type as the outside has it: units are booleans.
fn boundary(ty: &Ty) -> Ty {
    match ty {
        Ty::Record(fs) if fs.is_empty() => Ty::Scalar(ScalarType::Bool),
        Ty::Record(fs) => Ty::Record(Rc::new(fs.iter().map(|(f, t)| (*f, boundary(t))).collect())),
        Ty::Array(n, t) => Ty::Array(*n, Rc::new(boundary(t))),
        Ty::Scalar(_) | Ty::Sum(_) | Ty::Acc(..) | Ty::Fun => ty.clone(),
    }
}

/// Which of the leaves that the outside has are units.
fn units(ty: &Ty) -> Vec<bool> {
    match ty {
        Ty::Record(fs) if fs.is_empty() => vec![true],
        Ty::Record(fs) => fs.iter().flat_map(|(_, t)| units(t)).collect(),
        Ty::Array(_, t) => units(t),
        Ty::Scalar(_) | Ty::Sum(_) | Ty::Acc(..) | Ty::Fun => vec![false; ty.leaf_count()],
    }
}

/// The scalar type of each leaf.
pub(crate) fn leaf_scalars(ty: &Ty) -> Vec<ScalarType> {
    flat_values(ty).into_iter().zip(units(ty)).filter(|(_, unit)| !unit).map(|((s, _), _)| s).collect()
}

fn has_unit_array(ty: &Ty) -> bool {
    match ty {
        Ty::Array(_, t) => units(t).contains(&true) || has_unit_array(t),
        Ty::Record(fs) => fs.iter().any(|(_, t)| has_unit_array(t)),
        Ty::Sum(cs) => cs.iter().any(|(_, ts)| ts.iter().any(has_unit_array)),
        Ty::Scalar(_) | Ty::Acc(..) | Ty::Fun => false,
    }
}

/// A value of the outside as one of this type.
fn come_in(ty: &Ty, outside: &Data) -> Data {
    let mut dims = outside.ty.dims().into_iter();
    let leaves = outside.leaves.iter().zip(units(ty)).filter(|(_, unit)| !unit).map(|(leaf, _)| *leaf);
    Data { ty: ty.map_dims(&mut |d| dims.next().unwrap_or(d)), leaves: leaves.collect() }
}

/// The results of an entry point: sizes unknown before, then the leaves.
fn entry_results(
    d: &Data,
    ret_surface: &SurfaceType,
    params: &[Name],
) -> (Vec<FunRet<fehu_ir::Soacs>>, usize, Vec<SubExp>) {
    let mut sizes: Vec<SubExp> = vec![];
    let marked = d.ty.map_dims(&mut |x| {
        let e = x.operand();
        match e {
            SubExp::Const(_) => Dim::Known(e),
            SubExp::Var(n) if params.contains(&n) => Dim::Known(e),
            SubExp::Var(_) => {
                let k = sizes.iter().position(|s| *s == e).unwrap_or_else(|| {
                    sizes.push(e);
                    sizes.len() - 1
                });
                Dim::Known(SubExp::Var(Name(u32::MAX - k as u32)))
            }
        }
    });
    let mut ret: Vec<_> =
        sizes.iter().map(|_| FunRet { ty: RetType::Prim(PrimType::I64), dec: () }).collect();
    let unique = unique_leaves(ret_surface, &d.ty);
    for (t, u) in marked.leaves().iter().zip(unique) {
        ret.push(FunRet { ty: ret_type(t, sizes.len() as u32, u), dec: () });
    }
    let n = sizes.len();
    let mut results = sizes;
    results.extend(&d.leaves);
    (ret, n, results)
}

/// The element type and rank of what needs no opaque type.
fn transparent(ty: &Ty) -> Option<(ScalarType, usize)> {
    match ty {
        Ty::Scalar(s) => Some((*s, 0)),
        Ty::Array(_, e) => transparent(e).map(|(s, r)| (s, r + 1)),
        Ty::Record(_) | Ty::Sum(_) | Ty::Acc(..) | Ty::Fun => None,
    }
}

/// The type of a field, as it was written.
fn shown_field(t: &Shown, field: Symbol) -> Option<&Shown> {
    match t {
        Shown::Record(fs) => fs.iter().find(|(f, _)| *f == field).map(|(_, t)| t),
        Shown::Tuple(ts) => ts.get(field.as_str().parse::<usize>().ok()?),
        Shown::Name(..) | Shown::Array(_) | Shown::Sum(_) => None,
    }
}

/// The type of a constructor's payload, as it was written.
fn shown_payload(t: &Shown, constr: Symbol, i: usize) -> Option<&Shown> {
    match t {
        Shown::Sum(cs) => cs.iter().find(|(c, _)| *c == constr).and_then(|(_, ts)| ts.get(i)),
        Shown::Name(..) | Shown::Array(_) | Shown::Tuple(_) | Shown::Record(_) => None,
    }
}

/// The type of an array's elements, as it was written.
fn shown_elem(t: &Shown) -> Option<&Shown> {
    match t.meaning() {
        Shown::Array(t) => Some(t),
        Shown::Name(..) | Shown::Tuple(_) | Shown::Record(_) | Shown::Sum(_) => None,
    }
}

fn array_of(ty: &Ty) -> (usize, &Ty) {
    match ty {
        Ty::Array(_, e) => {
            let (r, elem) = array_of(e);
            (r + 1, elem)
        }
        Ty::Scalar(_) | Ty::Record(_) | Ty::Sum(_) | Ty::Acc(..) | Ty::Fun => (0, ty),
    }
}

/// Scalar type and rank of each leaf. Slots of sums have lost their signedness.
fn flat_values(ty: &Ty) -> Vec<(ScalarType, usize)> {
    match ty {
        Ty::Scalar(s) => vec![(*s, 0)],
        Ty::Array(_, e) => flat_values(e).into_iter().map(|(s, r)| (s, r + 1)).collect(),
        Ty::Record(fs) if fs.is_empty() => vec![(ScalarType::Bool, 0)],
        Ty::Record(fs) => fs.iter().flat_map(|(_, t)| flat_values(t)).collect(),
        Ty::Sum(_) | Ty::Acc(..) | Ty::Fun => ty
            .leaves()
            .iter()
            .map(|t| {
                let s = ScalarType::ALL.into_iter().find(|s| Some(s.prim()) == t.elem());
                (s.unwrap_or(ScalarType::Bool), t.rank())
            })
            .collect(),
    }
}

/// The sizes in a sum that its type gives as constants: of which of the flattened values, the tag included, in
/// which dimension, and how large.
fn known_sizes(constrs: &[(Symbol, Vec<Ty>)]) -> Vec<(usize, usize, i64)> {
    // What the layout calls a size tells unknown sizes from constants.
    let unknown = SubExp::Var(Name(u32::MAX));
    let marked: Vec<(Symbol, Vec<Ty>)> = constrs
        .iter()
        .map(|(c, ts)| {
            let mark = |d: Dim| match d {
                Dim::Known(SubExp::Const(_)) => d,
                Dim::Known(SubExp::Var(_)) | Dim::Unknown => Dim::Known(unknown),
            };
            (*c, ts.iter().map(|t| t.map_dims(&mut |d| mark(d))).collect())
        })
        .collect();
    let mut sizes = vec![];
    for (i, slot) in SumLayout::new(&marked).slots.iter().enumerate() {
        for (dim, size) in slot.shape().iter().enumerate() {
            sizes.extend(size.as_i64().map(|n| (i + 1, dim, n)));
        }
    }
    sizes
}

/// A type as a name.
fn describe(ty: &Ty) -> String {
    match ty {
        Ty::Scalar(s) => s.to_string(),
        Ty::Array(_, e) => format!("[]{}", describe(e)),
        Ty::Record(fs) => {
            let tuple = fs.iter().enumerate().all(|(i, (f, _))| f.as_str() == i.to_string());
            if tuple {
                format!("({})", fs.iter().map(|(_, t)| describe(t)).collect::<Vec<_>>().join(", "))
            } else {
                let fields: Vec<_> = fs.iter().map(|(f, t)| format!("{f}: {}", describe(t))).collect();
                format!("{{{}}}", fields.join(", "))
            }
        }
        Ty::Sum(cs) => cs
            .iter()
            .map(|(c, ts)| ts.iter().fold(format!("#{c}"), |s, t| format!("{s} {}", describe(t))))
            .collect::<Vec<_>>()
            .join(" | "),
        Ty::Acc(..) => "acc".into(),
        Ty::Fun => "function".into(),
    }
}
