//! Floats that all threads divide by have their inverses computed once.
//!
//! In: kernels that divide floats. Out: where the divisor is a constant or a parameter of the kernel, a
//! multiplication by its inverse with two corrections takes the place of the division, and the inverse is one
//! more parameter, computed by the host:
//!
//! ```text
//! launch k(mem xs, d)                           launch k(mem xs, d, inverse d)
//! kernel k (xs : mem, d : f32) {          =>    kernel k (xs : mem, d : f32, e : f32) {
//!   .. xs[i] / d ..                               .. divide_by (xs[i]) d e ..
//! ```
//!
//! The result is the same number, bit for bit, for all operands: `divide_by` in
//! `codegen/rts/c/scalar_divide.h` says why. GPUs have no instruction for division. What their compilers emit
//! for it refines an approximate inverse, asks whether operands are in a range in which that is exact, and
//! else calls a function, also for infinities and NaN: some 10 instructions, two of which are issued at a
//! quarter of the speed of others, and those of the call. This is 3 instructions (`f64`: 5), comparisons, and
//! a branch for numbers of extreme size.
//!
//! Divisors that are powers of two are left to compilers, which multiply.

use fehu_base::ops::{BinOp, MathFn, PrimFn};
use fehu_base::prim::{FloatType, PrimType, PrimValue};
use fehu_base::{Name, NameSource};
use fehu_imp::syntax::{Arg, Expr, HostOp, Kernel, Param, Program};
use fehu_imp::visit::{change_expr, change_host_op, Mutator, Visitor};
use fehu_pass::{Need, Pass};
use indexmap::IndexMap;
use rustc_hash::{FxHashMap, FxHashSet};

/// Divisions by what is the same for all threads are multiplications.
pub static PASS: Pass<Program> = Pass { name: "divisors", need: Need::Optional, run: invert };

fn invert(program: &mut Program) {
    let mut launches = Launches::default();
    for kernel in &mut program.kernels {
        let inverses = divisors(kernel, &mut program.names);
        if !inverses.is_empty() {
            launches.inverses.insert(kernel.name, inverses);
        }
    }
    launches.code(&mut program.init);
    program.functions.iter_mut().for_each(|f| launches.code(&mut f.body));
}

/// Changes a kernel. Which of its parameters are divisors, in the order in which parameters for their
/// inverses are added.
fn divisors(kernel: &mut Kernel, names: &mut NameSource) -> Vec<(usize, PrimType)> {
    let mut assigned = Assigned::default();
    assigned.code(&kernel.body);
    let params = kernel.params.iter().enumerate().filter_map(|(i, p)| match p {
        Param::Scalar(x, PrimType::Float(t)) if !assigned.0.contains(x) => Some((*x, (i, *t))),
        Param::Scalar(..) | Param::Mem(..) => None,
    });
    let mut divide = Divide { params: params.collect(), inverses: IndexMap::new(), names };
    divide.code(&mut kernel.body);
    let Divide { params, inverses, .. } = divide;
    let mut added = vec![];
    for (divisor, inverse) in inverses {
        if let Some((i, t)) = params.get(&divisor) {
            kernel.params.push(Param::Scalar(inverse, PrimType::Float(*t)));
            added.push((*i, PrimType::Float(*t)));
        }
    }
    added
}

/// Scalars that get values.
#[derive(Default)]
struct Assigned(FxHashSet<Name>);

impl Visitor<'_> for Assigned {
    fn assigned(&mut self, x: &Name) {
        self.0.insert(*x);
    }
}

struct Divide<'a> {
    /// The parameters that may be divisors: their positions and types.
    params: FxHashMap<Name, (usize, FloatType)>,
    /// The inverses of those that are.
    inverses: IndexMap<Name, Name>,
    names: &'a mut NameSource,
}

impl Mutator for Divide<'_> {
    fn expr(&mut self, e: &mut Expr) {
        change_expr(self, e);
        let Expr::BinOp(BinOp::FDiv(t), x, y) = e else { return };
        let Some(inverse) = self.inverse(*t, y) else { return };
        let args = [x, y].map(|a| std::mem::replace(&mut **a, Expr::Const(PrimValue::Unit)));
        let by = PrimFn { op: MathFn::DivideBy, at: PrimType::Float(*t) };
        *e = Expr::PrimFn(by, args.into_iter().chain([inverse]).collect());
    }
}

impl Divide<'_> {
    /// The inverse of a divisor, if it is the same for all threads.
    fn inverse(&mut self, t: FloatType, y: &Expr) -> Option<Expr> {
        let inverse = PrimFn { op: MathFn::Inverse, at: PrimType::Float(t) };
        match y {
            Expr::Var(x) if inverse.is_defined() && self.params.contains_key(x) => {
                let names = &mut *self.names;
                Some(Expr::Var(*self.inverses.entry(*x).or_insert_with(|| names.fresh_str("inverse"))))
            }
            Expr::Const(v) => {
                let value = inverse.eval(&[*v])?;
                (value.as_f64()?.is_finite() && !is_power_of_two(v.as_f64()?)).then_some(Expr::Const(value))
            }
            Expr::Var(_)
            | Expr::UnOp(..)
            | Expr::BinOp(..)
            | Expr::CmpOp(..)
            | Expr::Conv(..)
            | Expr::PrimFn(..)
            | Expr::Select(..)
            | Expr::Index { .. }
            | Expr::Param(_)
            | Expr::Gpu(_) => None,
        }
    }
}

/// Whether the only digit of a number that has an inverse is its first.
fn is_power_of_two(v: f64) -> bool {
    v.to_bits() << 12 == 0
}

/// The divisors of kernels, whose inverses are given to them at each launch.
#[derive(Default)]
struct Launches {
    inverses: FxHashMap<Name, Vec<(usize, PrimType)>>,
}

impl Mutator for Launches {
    fn host_op(&mut self, op: &mut HostOp) {
        change_host_op(self, op);
        let HostOp::Own(launch) = op else { return };
        for (i, at) in self.inverses.get(&launch.kernel).into_iter().flatten() {
            if let Some(Arg::Scalar(divisor)) = launch.args.get(*i) {
                let inverse = PrimFn { op: MathFn::Inverse, at: *at };
                launch.args.push(Arg::Scalar(Expr::PrimFn(inverse, vec![divisor.clone()])));
            }
        }
    }
}
