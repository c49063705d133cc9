//! The built-in functions, by name.

use crate::lowerer::{Lowerer, Res};
use crate::value::{InstArg, Ty, TypeBinding, Value};
use fehu_base::prim::ScalarType;
use fehu_base::Symbol;
use fehu_ir::soac::Commutativity;
use fehu_ir::SubExp;

/// How many arguments a built-in function takes.
pub(crate) fn arity(name: Symbol) -> usize {
    match name.as_str() {
        "map" | "filter" | "zip" | "concat" | "replicate" | "rotate" | "flatmap" => 2,
        "reduce" | "reduce_comm" | "scan" | "scatter" | "scatter_2d" | "scatter_3d" | "partition"
        | "unflatten" | "acc_write" | "scatter_stream" | "jvp2" | "vjp2" | "jmp2" | "mjp2"
        | "with_vjp_tape" => 3,
        "hist_1d" | "hist_2d" | "hist_3d" | "hist_stream" | "flat_update_2d" => 5,
        "flat_index_2d" | "flat_update_3d" => 6,
        "flat_index_3d" => 8,
        "flat_update_4d" => 7,
        "flat_index_4d" => 10,
        "fma" | "mad" | "lerp" | "mad_hi" => 3,
        "unzip" | "iota" | "transpose" | "flatten" | "manifest" | "copy" | "abs" | "sgn" | "convert"
        | "opaque" | "trace" | "break" => 1,
        "+" | "-" | "*" | "/" | "%" | "//" | "%%" | "**" | "&" | "|" | "^" | "<<" | ">>" | ">>>" | "<"
        | "<=" | ">" | ">=" | "==" | "!=" | "&&" | "||" | "min" | "max" | "atan2" | "atan2pi" | "hypot"
        | "nextafter" | "ldexp" | "copysign" | "mul_hi" => 2,
        _ => 1,
    }
}

impl<'a> Lowerer<'a> {
    /// Applies a built-in function to all its arguments.
    pub(crate) fn intrinsic(
        &mut self,
        name: Symbol,
        inst: &[InstArg<'a>],
        args: Vec<Value<'a>>,
    ) -> Res<Value<'a>> {
        if let Some(v) = self.scalar_intrinsic(name, inst, &args)? {
            return Ok(v);
        }
        let mut args = Args { args: args.into_iter(), name };
        match name.as_str() {
            "==" | "!=" => {
                let (x, y) = (args.next(), args.next());
                let mut eq = self.equal(&x, &y)?;
                if name.as_str() == "!=" {
                    eq = self.b.un(fehu_base::ops::UnOp::Not, eq);
                }
                Ok(Value::scalar(ScalarType::Bool, eq))
            }
            "map" => {
                let f = args.next();
                let xs = self.data(args.next())?;
                let hint = type_arg(inst, 1);
                self.map(&f, xs, hint.as_ref())
            }
            "reduce" | "reduce_comm" => {
                let f = args.next();
                let ne = self.data(args.next())?;
                let xs = self.data(args.next())?;
                let comm = if name.as_str() == "reduce" {
                    Commutativity::Noncommutative
                } else {
                    Commutativity::Commutative
                };
                self.reduce(comm, &f, ne, xs)
            }
            "scan" => {
                let f = args.next();
                let ne = self.data(args.next())?;
                let xs = self.data(args.next())?;
                self.scan(&f, ne, xs)
            }
            "filter" => {
                let f = args.next();
                let xs = self.data(args.next())?;
                self.filter(&f, xs)
            }
            "partition" => {
                let k = self.scalar(args.next())?;
                let f = args.next();
                let xs = self.data(args.next())?;
                self.partition(k, &f, xs)
            }
            "scatter" | "scatter_2d" | "scatter_3d" => {
                let dest = self.data(args.next())?;
                let is = self.data(args.next())?;
                let vs = self.data(args.next())?;
                self.scatter(rank_of(name), dest, is, vs)
            }
            "hist_1d" | "hist_2d" | "hist_3d" => {
                let dest = self.data(args.next())?;
                let f = args.next();
                let ne = self.data(args.next())?;
                let is = self.data(args.next())?;
                let vs = self.data(args.next())?;
                self.hist(rank_of(name), dest, &f, ne, is, vs)
            }
            "flatmap" => {
                let f = args.next();
                let xs = self.data(args.next())?;
                self.flatmap(&f, xs)
            }
            "zip" => {
                let xs = self.data(args.next())?;
                let ys = self.data(args.next())?;
                Ok(self.zip(xs, ys))
            }
            "unzip" => {
                let xs = self.data(args.next())?;
                Ok(self.unzip(xs))
            }
            "iota" => {
                let n = self.scalar(args.next())?;
                Ok(self.iota(n))
            }
            "replicate" => {
                let n = self.scalar(args.next())?;
                let x = self.data(args.next())?;
                Ok(self.replicate(n, x))
            }
            "concat" => {
                let xs = self.data(args.next())?;
                let ys = self.data(args.next())?;
                Ok(self.concat(xs, ys))
            }
            "rotate" => {
                let r = self.scalar(args.next())?;
                let xs = self.data(args.next())?;
                Ok(self.rotate(r, xs))
            }
            "transpose" => {
                let xs = self.data(args.next())?;
                Ok(self.transpose(xs))
            }
            "flatten" => {
                let xs = self.data(args.next())?;
                Ok(self.flatten(xs))
            }
            "unflatten" => {
                let n = self.scalar(args.next())?;
                let m = self.scalar(args.next())?;
                let xs = self.data(args.next())?;
                Ok(self.unflatten(n, m, xs))
            }
            "manifest" | "copy" => {
                let v = args.next();
                Ok(self.copy(v))
            }
            "opaque" => {
                let v = args.next();
                self.opaque(v)
            }
            "trace" => {
                let v = args.next();
                self.traced(v, Some(Symbol::new("trace")))
            }
            "break" => Ok(args.next()),
            "acc_write" => {
                let acc = self.data(args.next())?;
                let i = self.scalar(args.next())?;
                let v = self.data(args.next())?;
                self.acc_write(acc, i, v)
            }
            "scatter_stream" => {
                let dest = self.data(args.next())?;
                let f = args.next();
                let xs = self.data(args.next())?;
                self.acc_stream(dest, None, &f, xs)
            }
            "hist_stream" => {
                let dest = self.data(args.next())?;
                let op = args.next();
                let ne = self.data(args.next())?;
                let f = args.next();
                let xs = self.data(args.next())?;
                self.acc_stream(dest, Some((&op, ne)), &f, xs)
            }
            "flat_index_2d" | "flat_index_3d" | "flat_index_4d" => {
                let xs = self.data(args.next())?;
                let offset = self.scalar(args.next())?;
                let mut dims = vec![];
                for _ in 0..rank_of(name) {
                    let len = self.scalar(args.next())?;
                    let stride = self.scalar(args.next())?;
                    dims.push((len, stride));
                }
                Ok(self.flat_index(xs, offset, dims))
            }
            "flat_update_2d" | "flat_update_3d" | "flat_update_4d" => {
                let xs = self.data(args.next())?;
                let offset = self.scalar(args.next())?;
                let strides: Res<Vec<SubExp>> =
                    (0..rank_of(name)).map(|_| self.scalar(args.next())).collect();
                let strides = strides?;
                let v = self.data(args.next())?;
                Ok(self.flat_update(xs, offset, strides, v))
            }
            "jvp2" | "vjp2" | "jmp2" | "mjp2" | "with_vjp_tape" => {
                Err(self.unsupported("automatic differentiation (`jvp`, `vjp` and the like)"))
            }
            other => Err(self.unsupported(&format!("the built-in function `{other}`"))),
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

fn rank_of(name: Symbol) -> usize {
    match name.as_str().chars().rev().nth(1) {
        Some('2') => 2,
        Some('3') => 3,
        Some('4') => 4,
        _ => 1,
    }
}

/// The arguments, one after another.
struct Args<'a> {
    args: std::vec::IntoIter<Value<'a>>,
    name: Symbol,
}

impl<'a> Args<'a> {
    fn next(&mut self) -> Value<'a> {
        match self.args.next() {
            Some(v) => v,
            None => fehu_base::bug!("too few arguments to {}", self.name),
        }
    }
}
