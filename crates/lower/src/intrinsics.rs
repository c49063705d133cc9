//! The built-in functions: what each does with its arguments. Scalar ones are in [`crate::scalar`].

use crate::arrays;
use crate::code::Res;
use crate::derivatives;
use crate::equality;
use crate::flat;
use crate::lowerer::Lowerer;
use crate::scalar;
use crate::soacs;
use crate::value::{InstArg, Ty, TypeBinding, Value};
use fehu_base::bug;
use fehu_base::intrinsic::{ArrayFn, HigherOrder, Intrinsic, Operator};
use fehu_base::ops::UnOp;
use fehu_base::prim::ScalarType;
use fehu_ir::soac::Commutativity;
use fehu_ir::SubExp;

/// Applies a built-in function to all its arguments.
pub(crate) fn intrinsic<'a>(
    cx: &mut Lowerer<'a>,
    intrinsic: Intrinsic,
    inst: &[InstArg<'a>],
    args: Vec<Value<'a>>,
) -> Res<Value<'a>> {
    if let Some(v) = scalar::scalar_intrinsic(&mut cx.code, intrinsic, inst, &args)? {
        return Ok(v);
    }
    let mut args = Args { args: args.into_iter(), intrinsic };
    match intrinsic {
        Intrinsic::Operator(op @ (Operator::Eq | Operator::Ne)) => {
            let (x, y) = (args.next(), args.next());
            let mut eq = equality::equal(&mut cx.code, &x, &y)?;
            if op == Operator::Ne {
                eq = cx.code.b.un(UnOp::Not, eq);
            }
            Ok(Value::scalar(ScalarType::Bool, eq))
        }
        Intrinsic::Operator(_)
        | Intrinsic::Math(_)
        | Intrinsic::Convert
        | Intrinsic::Abs
        | Intrinsic::Sgn
        | Intrinsic::Acc => bug!("`{}` of no scalars", intrinsic.name()),
        Intrinsic::HigherOrder(f) => higher_order(cx, f, inst, args),
        Intrinsic::Array(f) => array_function(cx, f, args),
        Intrinsic::Derivative(which) => {
            let hint = type_arg(inst, 1);
            derivatives::derivative(cx, which, args, hint.as_ref())
        }
    }
}

/// Functions that take functions.
fn higher_order<'a>(
    cx: &mut Lowerer<'a>,
    function: HigherOrder,
    inst: &[InstArg<'a>],
    mut args: Args<'a>,
) -> Res<Value<'a>> {
    match function {
        HigherOrder::Map => {
            let f = args.next();
            let xs = cx.code.data(args.next())?;
            let hint = type_arg(inst, 1);
            soacs::map(cx, &f, xs, hint.as_ref())
        }
        HigherOrder::Reduce | HigherOrder::ReduceComm => {
            let f = args.next();
            let ne = cx.code.data(args.next())?;
            let xs = cx.code.data(args.next())?;
            let comm = match function == HigherOrder::ReduceComm {
                true => Commutativity::Commutative,
                false => Commutativity::Noncommutative,
            };
            soacs::reduce(cx, comm, &f, ne, xs)
        }
        HigherOrder::Scan => {
            let f = args.next();
            let ne = cx.code.data(args.next())?;
            let xs = cx.code.data(args.next())?;
            soacs::scan(cx, &f, ne, xs)
        }
        HigherOrder::Filter => {
            let f = args.next();
            let xs = cx.code.data(args.next())?;
            soacs::filter(cx, &f, xs)
        }
        HigherOrder::Partition(predicates) => {
            let predicates: Vec<Value<'_>> = (0..predicates).map(|_| args.next()).collect();
            let xs = cx.code.data(args.next())?;
            soacs::partition(cx, &predicates, xs)
        }
        HigherOrder::Flatmap => {
            let f = args.next();
            let xs = cx.code.data(args.next())?;
            arrays::flatmap(cx, &f, xs)
        }
        HigherOrder::Scatter(rank) => {
            let dest = cx.code.data(args.next())?;
            let is = cx.code.data(args.next())?;
            let vs = cx.code.data(args.next())?;
            soacs::scatter(&mut cx.code, rank, dest, is, vs)
        }
        HigherOrder::Hist(rank) => {
            let dest = cx.code.data(args.next())?;
            let f = args.next();
            let ne = cx.code.data(args.next())?;
            let is = cx.code.data(args.next())?;
            let vs = cx.code.data(args.next())?;
            soacs::hist(cx, rank, dest, &f, ne, is, vs)
        }
        HigherOrder::AccWrite => {
            let acc = cx.code.data(args.next())?;
            let i = cx.code.scalar(args.next())?;
            let v = cx.code.data(args.next())?;
            soacs::acc_write(&mut cx.code, acc, i, v)
        }
        HigherOrder::ScatterStream => {
            let dest = cx.code.data(args.next())?;
            let f = args.next();
            let xs = cx.code.data(args.next())?;
            soacs::acc_stream(cx, dest, None, &f, xs)
        }
        HigherOrder::HistStream => {
            let dest = cx.code.data(args.next())?;
            let op = args.next();
            let ne = cx.code.data(args.next())?;
            let f = args.next();
            let xs = cx.code.data(args.next())?;
            soacs::acc_stream(cx, dest, Some((&op, ne)), &f, xs)
        }
    }
}

/// Functions that make arrays of numbers and of other arrays.
fn array_function<'a>(cx: &mut Lowerer<'a>, function: ArrayFn, mut args: Args<'a>) -> Res<Value<'a>> {
    match function {
        ArrayFn::Zip => {
            let xs = cx.code.data(args.next())?;
            let ys = cx.code.data(args.next())?;
            Ok(arrays::zip(xs, ys))
        }
        ArrayFn::Unzip => {
            let xs = cx.code.data(args.next())?;
            Ok(arrays::unzip(xs))
        }
        ArrayFn::Iota => {
            let n = cx.code.scalar(args.next())?;
            Ok(arrays::iota(&mut cx.code, n))
        }
        ArrayFn::Replicate => {
            let n = cx.code.scalar(args.next())?;
            let x = cx.code.data(args.next())?;
            Ok(arrays::replicate(&mut cx.code, n, x))
        }
        ArrayFn::Concat => {
            let xs = cx.code.data(args.next())?;
            let ys = cx.code.data(args.next())?;
            Ok(arrays::concat(&mut cx.code, xs, ys))
        }
        ArrayFn::Rotate => {
            let r = cx.code.scalar(args.next())?;
            let xs = cx.code.data(args.next())?;
            Ok(arrays::rotate(&mut cx.code, r, xs))
        }
        ArrayFn::Transpose => {
            let xs = cx.code.data(args.next())?;
            Ok(arrays::transpose(&mut cx.code, xs))
        }
        ArrayFn::Flatten => {
            let xs = cx.code.data(args.next())?;
            Ok(arrays::flatten(&mut cx.code, xs))
        }
        ArrayFn::Unflatten => {
            let n = cx.code.scalar(args.next())?;
            let m = cx.code.scalar(args.next())?;
            let xs = cx.code.data(args.next())?;
            Ok(arrays::unflatten(&mut cx.code, n, m, xs))
        }
        ArrayFn::Manifest | ArrayFn::Copy => {
            let v = args.next();
            Ok(arrays::copy(&mut cx.code, v))
        }
        ArrayFn::FlatIndex(rank) => {
            let xs = cx.code.data(args.next())?;
            let offset = cx.code.scalar(args.next())?;
            let mut dims = vec![];
            for _ in 0..rank {
                let len = cx.code.scalar(args.next())?;
                let stride = cx.code.scalar(args.next())?;
                dims.push((len, stride));
            }
            Ok(flat::index(&mut cx.code, xs, offset, dims))
        }
        ArrayFn::FlatUpdate(rank) => {
            let xs = cx.code.data(args.next())?;
            let offset = cx.code.scalar(args.next())?;
            let strides: Res<Vec<SubExp>> = (0..rank).map(|_| cx.code.scalar(args.next())).collect();
            let strides = strides?;
            let v = cx.code.data(args.next())?;
            Ok(flat::update(&mut cx.code, xs, offset, strides, v))
        }
    }
}

/// What a type parameter of the intrinsic is, if data of known sizes.
fn type_arg(inst: &[InstArg<'_>], nth: usize) -> Option<Ty> {
    inst.iter()
        .filter_map(|a| match a {
            InstArg::Type(t) => Some(t),
            InstArg::Size(_) => None,
        })
        .nth(nth)
        .and_then(|t| match t {
            TypeBinding::Ty(t) => Some(t.clone()),
            TypeBinding::Def(..) => None,
        })
}

/// The arguments, one after another.
pub(crate) struct Args<'a> {
    args: std::vec::IntoIter<Value<'a>>,
    intrinsic: Intrinsic,
}

impl<'a> Args<'a> {
    pub(crate) fn next(&mut self) -> Value<'a> {
        match self.args.next() {
            Some(v) => v,
            None => bug!("too few arguments to {}", self.intrinsic.name()),
        }
    }
}
