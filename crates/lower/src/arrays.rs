//! Array operations that move or rearrange elements.

use crate::code::{Code, Emit, Res};
use crate::lowerer::Lowerer;
use crate::sizes::Origin;
use crate::value::{names, project, Data, Ty, Value};
use fehu_base::ops::{BinOp, CmpOp};
use fehu_base::prim::{IntType, ScalarType};
use fehu_ir::{Basic, Body, DimIndex, ErrorPart, Exp, Loop, LoopForm, Param, SubExp, Type};
use std::rc::Rc;

const I: IntType = IntType::I64;

/// Each leaf through an operation that gives a leaf of the result.
fn each_leaf(
    code: &mut Code,
    d: &Data,
    ty: Ty,
    f: impl Fn(fehu_base::Name, &Type) -> Exp<fehu_ir::Soacs>,
) -> Data {
    let leaves = names(&d.leaves)
        .into_iter()
        .zip(ty.leaves())
        .map(|(n, t)| {
            let exp = f(n, &t);
            code.b.bind("t", t, exp).into()
        })
        .collect();
    Data { ty, leaves }
}

/// `iota n`.
pub(crate) fn iota(code: &mut Code, n: SubExp) -> Value<'static> {
    let zero = SubExp::i64(0);
    let ok = code.is_size(n);
    // The range that other compilers take it for.
    let range = [(zero, "Range "), (SubExp::i64(1), ".."), (n, "..<")];
    let mut message = vec![];
    for (value, before) in range {
        message.push(ErrorPart::Text(before.into()));
        message.push(ErrorPart::Value(value, ScalarType::I64));
    }
    message.push(ErrorPart::Text(" is invalid.".into()));
    let cert = code.check_sizes(ok, message, &[n]);
    code.certified(cert, |l| {
        let a = l.b.bind(
            "iota",
            Type::I64.array_of(&[n]),
            Exp::Basic(Basic::Iota { n, start: zero, step: SubExp::i64(1), ty: I }),
        );
        Value::Data(Data { ty: Ty::Scalar(ScalarType::I64).array(n), leaves: vec![a.into()] })
    })
}

/// `replicate n x`.
pub(crate) fn replicate(code: &mut Code, n: SubExp, x: Data) -> Value<'static> {
    let ok = code.is_size(n);
    let cert = code.check_sizes(
        ok,
        vec![
            ErrorPart::Text("Replicate count ".into()),
            ErrorPart::Value(n, ScalarType::I64),
            ErrorPart::Text(" is negative or too large.".into()),
        ],
        &[n],
    );
    let ty = x.ty.clone().array(n);
    code.certified(cert, |l| {
        let leaves = x
            .leaves
            .iter()
            .zip(ty.leaves())
            .map(|(e, t)| l.b.bind("rep", t, Exp::Basic(Basic::Replicate(vec![n], *e))).into())
            .collect();
        Value::Data(Data { ty, leaves })
    })
}

/// `concat xs ys`.
pub(crate) fn concat(code: &mut Code, xs: Data, ys: Data) -> Value<'static> {
    let (Some((n, elem)), Some((m, _))) = (xs.ty.elem(), ys.ty.elem()) else {
        fehu_base::bug!("concat of {:?}", xs.ty)
    };
    let elem = elem.clone();
    let (size, cert) = code.size_sum(n, m);
    let ty = elem.array(size);
    code.certified(cert, |l| {
        let leaves = names(&xs.leaves)
            .into_iter()
            .zip(names(&ys.leaves))
            .zip(ty.leaves())
            .map(|((a, b), t)| {
                l.b.bind("t", t, Exp::Basic(Basic::Concat { dim: 0, arrays: vec![a, b], size })).into()
            })
            .collect();
        Value::Data(Data { ty, leaves })
    })
}

/// `rotate r xs`: two slices joined.
pub(crate) fn rotate(code: &mut Code, r: SubExp, xs: Data) -> Value<'static> {
    let Some((n, _)) = xs.ty.elem() else { fehu_base::bug!("rotate of {:?}", xs.ty) };
    // Of an empty array there is nothing to rotate; a modulus of zero has no value.
    let safe = code.b.bin(BinOp::SMax(I), n, SubExp::i64(1));
    let r = code.b.bin(BinOp::SMod(I), r, safe);
    let rest = code.b.sub64(n, r);
    let one = SubExp::i64(1);
    let front = code.take_slice(&xs, &[DimIndex::Slice { start: SubExp::i64(0), len: r, stride: one }]);
    let back = code.take_slice(&xs, &[DimIndex::Slice { start: r, len: rest, stride: one }]);
    let leaves = names(&back.leaves)
        .into_iter()
        .zip(names(&front.leaves))
        .zip(xs.ty.leaves())
        .map(|((a, b), t)| {
            code.b.bind("t", t, Exp::Basic(Basic::Concat { dim: 0, arrays: vec![a, b], size: n })).into()
        })
        .collect();
    Value::Data(Data { ty: xs.ty, leaves })
}

/// `transpose xss`.
pub(crate) fn transpose(code: &mut Code, xs: Data) -> Value<'static> {
    let (n, m, elem) = two_dims(&xs.ty);
    let ty = elem.array(n).array(m);
    Value::Data(each_leaf(code, &xs, ty, |a, t| {
        let mut perm: Vec<usize> = (0..t.rank()).collect();
        perm.swap(0, 1);
        Exp::Basic(Basic::Rearrange(perm, a))
    }))
}

/// `flatten xss`.
pub(crate) fn flatten(code: &mut Code, xs: Data) -> Value<'static> {
    let (n, m, elem) = two_dims(&xs.ty);
    let (size, cert) = code.size_product(n, m);
    let ty = elem.array(size);
    Value::Data(
        code.certified(cert, |l| {
            each_leaf(l, &xs, ty, |a, t| Exp::Basic(Basic::Reshape(t.shape().to_vec(), a)))
        }),
    )
}

/// `unflatten n m xs`.
pub(crate) fn unflatten(code: &mut Code, n: SubExp, m: SubExp, xs: Data) -> Value<'static> {
    let Some((size, elem)) = xs.ty.elem() else { fehu_base::bug!("unflatten of {:?}", xs.ty) };
    let elem = elem.clone();
    let nn = code.is_size(n);
    let mn = code.is_size(m);
    let product = code.b.mul64(n, m);
    let same = code.same_size(product, size);
    let fits = code.product_fits(n, m, product);
    let ok = code.all(&[nn, mn, same, fits]);
    let v = |e| ErrorPart::Value(e, ScalarType::I64);
    let t = |s: &str| ErrorPart::Text(s.into());
    let cert = code.check_sizes(
        ok,
        vec![
            t("Cannot unflatten an array of shape ["),
            v(size),
            t("] to shape ["),
            v(n),
            t("]["),
            v(m),
            t("]."),
        ],
        &[n, m],
    );
    let ty = elem.array(m).array(n);
    Value::Data(
        code.certified(cert, |l| {
            each_leaf(l, &xs, ty, |a, t| Exp::Basic(Basic::Reshape(t.shape().to_vec(), a)))
        }),
    )
}

/// A copy in fresh memory of all arrays in a value.
pub(crate) fn copy<'a>(code: &mut Code, v: Value<'a>) -> Value<'a> {
    let Value::Data(d) = v else { return v };
    let leaves = d
        .leaves
        .iter()
        .map(|e| {
            let t = code.b.type_of(*e);
            match e {
                SubExp::Var(n) if t.is_array() => code.b.bind("copy", t, Exp::Basic(Basic::Copy(*n))).into(),
                SubExp::Var(_) | SubExp::Const(_) => *e,
            }
        })
        .collect();
    Value::Data(Data { ty: d.ty, leaves })
}

/// `zip xs ys`: the same leaves, under an array of pairs.
pub(crate) fn zip(xs: Data, ys: Data) -> Value<'static> {
    let (Some((n, a)), Some((_, b))) = (xs.ty.elem(), ys.ty.elem()) else {
        fehu_base::bug!("zip of {:?}", xs.ty)
    };
    let fields = vec![(fehu_base::Symbol::new("0"), a.clone()), (fehu_base::Symbol::new("1"), b.clone())];
    let ty = Ty::Record(Rc::new(fields)).array(n);
    let leaves = xs.leaves.into_iter().chain(ys.leaves).collect();
    Value::Data(Data { ty, leaves })
}

/// `unzip xys`.
pub(crate) fn unzip(xs: Data) -> Value<'static> {
    let Ty::Array(n, elem) = &xs.ty else { fehu_base::bug!("unzip of {:?}", xs.ty) };
    let Ty::Record(fields) = &**elem else { fehu_base::bug!("unzip of {:?}", xs.ty) };
    let mut at = 0;
    let parts = fields
        .iter()
        .map(|(_, t)| {
            let k = t.leaf_count();
            let leaves = xs.leaves[at..at + k].to_vec();
            at += k;
            Value::Data(Data { ty: Ty::Array(*n, Rc::new(t.clone())), leaves })
        })
        .collect();
    Value::tuple(parts)
}

/// `flatmap f xs`: pieces of different sizes, one after another. The function runs twice for each
/// element: once for the size of its piece, once for the piece itself.
pub(crate) fn flatmap<'a>(cx: &mut Lowerer<'a>, f: &Value<'a>, xs: Data) -> Res<Value<'a>> {
    let Some((n, x_ty)) = xs.ty.elem() else { fehu_base::bug!("flatmap over {:?}", xs.ty) };
    let x_ty = x_ty.clone();
    let zero = SubExp::i64(0);
    let one = SubExp::i64(1);
    let i64_array = |n: SubExp| Ty::Scalar(ScalarType::I64).array(n);
    // Sizes and the other results.
    let (params, x) = cx.code.params_of(&x_ty);
    let (body, (size, other, piece)) = cx.body(|l| {
        let v = l.apply(f.clone(), vec![Value::Data(x)])?;
        let piece = project(&v, fehu_base::Symbol::new("0"));
        let other = project(&v, fehu_base::Symbol::new("1"));
        let piece = l.code.data(piece)?;
        let Some((m, _)) = piece.ty.elem() else { fehu_base::bug!("a piece is an array") };
        // A piece of negative size fails when it is made; until then it counts as empty.
        let m = l.code.b.bin(BinOp::SMax(IntType::I64), m, zero);
        Ok((m, l.code.data(other)?, piece))
    })?;
    let Some((_, b_ty)) = piece.ty.elem() else { fehu_base::bug!("a piece is an array") };
    let b_ty = b_ty.clone();
    let mut result = vec![size];
    result.extend(&other.leaves);
    let mut ret = vec![Type::I64];
    ret.extend(other.ty.leaves());
    let map = fehu_ir::Lambda { params, body: Body { result, ..body }, ret: ret.clone() };
    let soac = fehu_ir::soac::Soac::Screma(fehu_ir::soac::Screma {
        width: n,
        arrays: names(&xs.leaves),
        scans: vec![],
        reds: vec![],
        map,
    });
    let types = ret.iter().map(|t| t.array_of(&[n])).collect();
    let results = cx.code.b.bind_all("t", types, Exp::Op(soac));
    let sizes = results[0];
    let others: Vec<SubExp> = results[1..].iter().map(|r| SubExp::Var(*r)).collect();
    // Offsets and the total, then the pieces, in order.
    let offsets = cx.code.b.bind(
        "offsets",
        Type::I64.array_of(&[n]),
        Exp::Basic(Basic::Scratch(fehu_base::prim::PrimType::I64, vec![n])),
    );
    let (total, offsets) = {
        let i = cx.code.b.fresh("i", Type::I64);
        let sum = cx.code.b.param("sum", Type::I64);
        let offs = Param { consumed: true, ..cx.code.b.param("offs", Type::I64.array_of(&[n])) };
        let (body, result) = cx.body(|l| {
            let next = l.code.b.bind(
                "t",
                offs.ty.clone(),
                Exp::Basic(Basic::Update(offs.name, vec![DimIndex::Fix(i.into())], sum.name.into())),
            );
            let m =
                l.code.b.bind("m", Type::I64, Exp::Basic(Basic::Index(sizes, vec![DimIndex::Fix(i.into())])));
            let (sum, _) = l.code.size_sum(sum.name.into(), m.into());
            Ok(vec![sum, next.into()])
        })?;
        let lp = Loop {
            params: vec![(sum, zero), (offs, offsets.into())],
            form: LoopForm::For { var: i, ty: I, bound: n },
            body: Body { result, ..body },
        };
        let r = cx.code.b.bind_all("t", vec![Type::I64, Type::I64.array_of(&[n])], Exp::Loop(Box::new(lp)));
        (SubExp::Var(r[0]), r[1])
    };
    // A sum of sizes, all of which have been checked.
    cx.code.check_shapes(&i64_array(total), |_| Some(Origin::Checked));
    let flags0 = cx.code.b.bind(
        "flags",
        Type::BOOL.array_of(&[total]),
        Exp::Basic(Basic::Replicate(vec![total], SubExp::bool(false))),
    );
    let out = cx.code.scratch(&b_ty.clone().array(total));
    let i = cx.code.b.fresh("i", Type::I64);
    let flags = Param { consumed: true, ..cx.code.b.param("flags", Type::BOOL.array_of(&[total])) };
    let (out_params, out_data) = cx.code.params_of(&out.ty);
    let (body, result) = cx.body(|l| {
        let x = l.code.element(&xs, &[i.into()]);
        let v = l.apply(f.clone(), vec![Value::Data(x)])?;
        let piece = project(&v, fehu_base::Symbol::new("0"));
        let piece = l.code.data(piece)?;
        let m = l.code.b.bind("m", Type::I64, Exp::Basic(Basic::Index(sizes, vec![DimIndex::Fix(i.into())])));
        let at =
            l.code.b.bind("at", Type::I64, Exp::Basic(Basic::Index(offsets, vec![DimIndex::Fix(i.into())])));
        let written = l.code.write_slice(
            out_data.clone(),
            &[DimIndex::Slice { start: at.into(), len: m.into(), stride: one }],
            &piece,
        );
        let nonempty = l.code.b.cmp(CmpOp::SLt(I), zero, m.into());
        let (set, s) = l.body(|l| {
            Ok(l.code.b.bind(
                "t",
                flags.ty.clone(),
                Exp::Basic(Basic::Update(flags.name, vec![DimIndex::Fix(at.into())], SubExp::bool(true))),
            ))
        })?;
        let set = Body { result: vec![s.into()], ..set };
        let keep = Body { stms: vec![], result: vec![flags.name.into()] };
        let fl = l.code.b.bind("t", flags.ty.clone(), Exp::If(nonempty, Box::new(set), Box::new(keep)));
        Ok(std::iter::once(fl.into()).chain(written.leaves).collect())
    })?;
    let mut params = vec![(flags.clone(), flags0.into())];
    params.extend(
        out_params.into_iter().map(|p| Param { consumed: true, ..p }).zip(out.leaves.iter().copied()),
    );
    let types: Vec<Type> = params.iter().map(|(p, _)| p.ty.clone()).collect();
    let lp = Loop { params, form: LoopForm::For { var: i, ty: I, bound: n }, body: Body { result, ..body } };
    let r = cx.code.b.bind_all("t", types, Exp::Loop(Box::new(lp)));
    let flags = Data { ty: Ty::Scalar(ScalarType::Bool).array(total), leaves: vec![r[0].into()] };
    let pieces = Data { ty: out.ty, leaves: r[1..].iter().map(|n| SubExp::Var(*n)).collect() };
    Ok(Value::tuple(vec![
        Value::Data(Data { ty: i64_array(n), leaves: vec![sizes.into()] }),
        Value::Data(flags),
        Value::Data(Data { ty: i64_array(n), leaves: vec![offsets.into()] }),
        Value::Data(pieces),
        Value::Data(Data { ty: other.ty.array(n), leaves: others }),
    ]))
}

fn two_dims(ty: &Ty) -> (SubExp, SubExp, Ty) {
    let Some((n, row)) = ty.elem() else { fehu_base::bug!("{ty:?} has no two dimensions") };
    let Some((m, elem)) = row.elem() else { fehu_base::bug!("{ty:?} has no two dimensions") };
    (n, m, elem.clone())
}
