//! The built-in functions: what each does with its arguments. Scalar ones are in [`crate::scalar`].

use crate::lowerer::{Lowerer, Res};
use crate::value::{InstArg, Ty, TypeBinding, Value};
use fehu_base::bug;
use fehu_base::intrinsic::{ArrayFn, HigherOrder, Intrinsic, Operator};
use fehu_base::ops::UnOp;
use fehu_base::prim::ScalarType;
use fehu_ir::soac::Commutativity;
use fehu_ir::SubExp;

impl<'a> Lowerer<'a> {
    /// Applies a built-in function to all its arguments.
    pub(crate) fn intrinsic(
        &mut self,
        intrinsic: Intrinsic,
        inst: &[InstArg<'a>],
        args: Vec<Value<'a>>,
    ) -> Res<Value<'a>> {
        if let Some(v) = self.scalar_intrinsic(intrinsic, inst, &args)? {
            return Ok(v);
        }
        let mut args = Args { args: args.into_iter(), intrinsic };
        match intrinsic {
            Intrinsic::Operator(op @ (Operator::Eq | Operator::Ne)) => {
                let (x, y) = (args.next(), args.next());
                let mut eq = self.equal(&x, &y)?;
                if op == Operator::Ne {
                    eq = self.b.un(UnOp::Not, eq);
                }
                Ok(Value::scalar(ScalarType::Bool, eq))
            }
            Intrinsic::Operator(_)
            | Intrinsic::Math(_)
            | Intrinsic::Convert
            | Intrinsic::Abs
            | Intrinsic::Sgn
            | Intrinsic::Acc => bug!("`{}` of no scalars", intrinsic.name()),
            Intrinsic::HigherOrder(f) => self.higher_order(f, inst, args),
            Intrinsic::Array(f) => self.array_function(f, args),
            Intrinsic::Derivative(_) => {
                Err(self.unsupported("automatic differentiation (`jvp`, `vjp` and the like)"))
            }
        }
    }

    /// Functions that take functions.
    fn higher_order(
        &mut self,
        function: HigherOrder,
        inst: &[InstArg<'a>],
        mut args: Args<'a>,
    ) -> Res<Value<'a>> {
        match function {
            HigherOrder::Map => {
                let f = args.next();
                let xs = self.data(args.next())?;
                let hint = type_arg(inst, 1);
                self.map(&f, xs, hint.as_ref())
            }
            HigherOrder::Reduce | HigherOrder::ReduceComm => {
                let f = args.next();
                let ne = self.data(args.next())?;
                let xs = self.data(args.next())?;
                let comm = match function == HigherOrder::ReduceComm {
                    true => Commutativity::Commutative,
                    false => Commutativity::Noncommutative,
                };
                self.reduce(comm, &f, ne, xs)
            }
            HigherOrder::Scan => {
                let f = args.next();
                let ne = self.data(args.next())?;
                let xs = self.data(args.next())?;
                self.scan(&f, ne, xs)
            }
            HigherOrder::Filter => {
                let f = args.next();
                let xs = self.data(args.next())?;
                self.filter(&f, xs)
            }
            HigherOrder::Partition => {
                let k = self.scalar(args.next())?;
                let f = args.next();
                let xs = self.data(args.next())?;
                self.partition(k, &f, xs)
            }
            HigherOrder::Flatmap => {
                let f = args.next();
                let xs = self.data(args.next())?;
                self.flatmap(&f, xs)
            }
            HigherOrder::Scatter(rank) => {
                let dest = self.data(args.next())?;
                let is = self.data(args.next())?;
                let vs = self.data(args.next())?;
                self.scatter(rank, dest, is, vs)
            }
            HigherOrder::Hist(rank) => {
                let dest = self.data(args.next())?;
                let f = args.next();
                let ne = self.data(args.next())?;
                let is = self.data(args.next())?;
                let vs = self.data(args.next())?;
                self.hist(rank, dest, &f, ne, is, vs)
            }
            HigherOrder::AccWrite => {
                let acc = self.data(args.next())?;
                let i = self.scalar(args.next())?;
                let v = self.data(args.next())?;
                self.acc_write(acc, i, v)
            }
            HigherOrder::ScatterStream => {
                let dest = self.data(args.next())?;
                let f = args.next();
                let xs = self.data(args.next())?;
                self.acc_stream(dest, None, &f, xs)
            }
            HigherOrder::HistStream => {
                let dest = self.data(args.next())?;
                let op = args.next();
                let ne = self.data(args.next())?;
                let f = args.next();
                let xs = self.data(args.next())?;
                self.acc_stream(dest, Some((&op, ne)), &f, xs)
            }
        }
    }

    /// Functions that make arrays of numbers and of other arrays.
    fn array_function(&mut self, function: ArrayFn, mut args: Args<'a>) -> Res<Value<'a>> {
        match function {
            ArrayFn::Zip => {
                let xs = self.data(args.next())?;
                let ys = self.data(args.next())?;
                Ok(self.zip(xs, ys))
            }
            ArrayFn::Unzip => {
                let xs = self.data(args.next())?;
                Ok(self.unzip(xs))
            }
            ArrayFn::Iota => {
                let n = self.scalar(args.next())?;
                Ok(self.iota(n))
            }
            ArrayFn::Replicate => {
                let n = self.scalar(args.next())?;
                let x = self.data(args.next())?;
                Ok(self.replicate(n, x))
            }
            ArrayFn::Concat => {
                let xs = self.data(args.next())?;
                let ys = self.data(args.next())?;
                Ok(self.concat(xs, ys))
            }
            ArrayFn::Rotate => {
                let r = self.scalar(args.next())?;
                let xs = self.data(args.next())?;
                Ok(self.rotate(r, xs))
            }
            ArrayFn::Transpose => {
                let xs = self.data(args.next())?;
                Ok(self.transpose(xs))
            }
            ArrayFn::Flatten => {
                let xs = self.data(args.next())?;
                Ok(self.flatten(xs))
            }
            ArrayFn::Unflatten => {
                let n = self.scalar(args.next())?;
                let m = self.scalar(args.next())?;
                let xs = self.data(args.next())?;
                Ok(self.unflatten(n, m, xs))
            }
            ArrayFn::Manifest | ArrayFn::Copy => {
                let v = args.next();
                Ok(self.copy(v))
            }
            ArrayFn::FlatIndex(rank) => {
                let xs = self.data(args.next())?;
                let offset = self.scalar(args.next())?;
                let mut dims = vec![];
                for _ in 0..rank {
                    let len = self.scalar(args.next())?;
                    let stride = self.scalar(args.next())?;
                    dims.push((len, stride));
                }
                Ok(self.flat_index(xs, offset, dims))
            }
            ArrayFn::FlatUpdate(rank) => {
                let xs = self.data(args.next())?;
                let offset = self.scalar(args.next())?;
                let strides: Res<Vec<SubExp>> = (0..rank).map(|_| self.scalar(args.next())).collect();
                let strides = strides?;
                let v = self.data(args.next())?;
                Ok(self.flat_update(xs, offset, strides, v))
            }
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
struct Args<'a> {
    args: std::vec::IntoIter<Value<'a>>,
    intrinsic: Intrinsic,
}

impl<'a> Args<'a> {
    fn next(&mut self) -> Value<'a> {
        match self.args.next() {
            Some(v) => v,
            None => bug!("too few arguments to {}", self.intrinsic.name()),
        }
    }
}
