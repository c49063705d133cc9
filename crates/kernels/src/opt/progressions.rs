//! Elements of progressions and of repeated values are computed where they are needed, not read.
//!
//! `tabulate` maps over an `iota`, and several maps may share one. Inside of kernels its elements are then
//! read from memory, although each of them is just a number that the thread knows:
//!
//! ```text
//! let (is : [n]i64) = iota i64 (n, 5, 1)
//! segmap ... {                                segmap ... {
//!   let (x : i64) = is[gtid]           ->       let (x : i64) = add_i64(5, gtid)
//! ```
//!
//! What nobody reads any more is dead code.

use fehu_base::ops::{BinOp, ConvOp};
use fehu_base::prim::IntType;
use fehu_base::{Name, NameSource};
use fehu_ir::visit::{change, Mutator};
use fehu_ir::{Basic, Body, DimIndex, Exp, Kernels, Prog, Stm, SubExp, Type};
use fehu_pass::{Need, Pass};
use rustc_hash::FxHashMap;

/// Elements of progressions and of repeated values are computed.
pub static PASS: Pass<Prog<Kernels>> = Pass { name: "progressions", need: Need::Optional, run: compute };

/// Computes what would be read.
fn compute(prog: &mut Prog<Kernels>) {
    let names = std::mem::replace(&mut prog.names, NameSource::new());
    let mut known = Known { arrays: FxHashMap::default(), names };
    known.body(&mut prog.consts);
    prog.funs.iter_mut().for_each(|f| known.body(&mut f.body));
    prog.names = known.names;
}

/// What the elements of an array are.
#[derive(Clone, Copy)]
enum Elements {
    Progression { start: SubExp, step: SubExp, ty: IntType },
    Same(SubExp),
}

struct Known {
    arrays: FxHashMap<Name, Elements>,
    names: NameSource,
}

impl Known {
    /// The statement that computes an element instead, after those that lead up to it.
    fn computed(&mut self, stm: &Stm<Kernels>, stms: &mut Vec<Stm<Kernels>>) -> Option<Exp<Kernels>> {
        let Exp::Basic(Basic::Index(array, slice)) = &stm.exp else { return None };
        let [DimIndex::Fix(i)] = &slice[..] else { return None };
        let (start, step, ty) = match *self.arrays.get(array)? {
            Elements::Same(e) => return Some(Exp::Basic(Basic::SubExp(e))),
            Elements::Progression { start, step, ty } => (start, step, ty),
        };
        let mut bind = |exp| {
            let mut step = stm.clone();
            step.exp = exp;
            step.pat.truncate(1);
            step.pat[0].name = self.names.fresh_str("x");
            let name = step.pat[0].name;
            stms.push(step);
            SubExp::Var(name)
        };
        let mut x = *i;
        if ty != IntType::I64 {
            x = bind(Exp::Basic(Basic::Conv(ConvOp::SExt(IntType::I64, ty), x)));
        }
        if step.as_i64() != Some(1) {
            x = bind(Exp::Basic(Basic::BinOp(BinOp::Mul(ty), x, step)));
        }
        Some(if start.as_i64() == Some(0) {
            Exp::Basic(Basic::SubExp(x))
        } else {
            Exp::Basic(Basic::BinOp(BinOp::Add(ty), start, x))
        })
    }

    fn learn(&mut self, stm: &Stm<Kernels>) {
        let [p] = &stm.pat[..] else { return };
        match &stm.exp {
            Exp::Basic(Basic::Iota { start, step, ty, .. }) => {
                self.arrays.insert(p.name, Elements::Progression { start: *start, step: *step, ty: *ty });
            }
            Exp::Basic(Basic::Replicate(shape, e))
                if shape.len() == 1 && matches!(&p.ty, Type::Array(_, dims) if dims.len() == 1) =>
            {
                self.arrays.insert(p.name, Elements::Same(*e));
            }
            Exp::Basic(_) | Exp::Call(..) | Exp::If(..) | Exp::Loop(_) | Exp::WithAcc(_) | Exp::Op(_) => {}
        }
    }
}

impl Mutator<Kernels> for Known {
    fn body(&mut self, body: &mut Body<Kernels>) {
        let mut stms = Vec::with_capacity(body.stms.len());
        for mut stm in std::mem::take(&mut body.stms) {
            self.learn(&stm);
            fehu_ir::visit::deep(|| change::stm(self, &mut stm));
            if let Some(exp) = self.computed(&stm, &mut stms) {
                stm.exp = exp;
            }
            stms.push(stm);
        }
        body.stms = stms;
    }
}

#[cfg(test)]
mod tests {
    use fehu_ir::print::{print_prog, Locations};
    use fehu_ir::read::read_prog;
    use fehu_ir::validate::validate;
    use fehu_ir::Kernels;

    #[test]
    fn elements_are_computed() {
        let text = "kernels
fun f_1(n_2 : i64, k_3 : i64) : (*[n_2]i64, *[n_2]i64) = {
  let (is_4 : [n_2]i64) = iota i64 (n_2, 5i64, 2i64)
  let (js_5 : [n_2]i64) = iota i64 (n_2, 0i64, 1i64)
  let (ks_6 : [n_2]i64) = replicate [n_2] k_3
  let (xs_7 : [n_2]i64) = segmap thread virtual (flat_8; i_9 < n_2) : (i64) {
    let (a_10 : i64) = is_4[i_9]
    let (b_11 : i64) = js_5[i_9]
    let (c_12 : i64) = ks_6[b_11]
    let (d_13 : i64) = add_i64(a_10, c_12)
    return (d_13)
  }
  return (xs_7, js_5)
}
";
        let mut prog = read_prog::<Kernels>(text).unwrap_or_else(|e| panic!("{e}"));
        super::compute(&mut prog);
        validate(&prog).unwrap_or_else(|e| panic!("{e:?}"));
        let printed = print_prog(&prog, Locations::Hidden);
        assert!(printed.contains("add_i64(5i64, x_"), "{printed}");
        assert!(!printed.contains("[i_9]") && !printed.contains("[b_11]"), "{printed}");
    }
}
