//! Scalars that loops of the host carry, and that kernels compute, stay on the device.
//!
//! Before: any valid program over `Kernels`. After: where all that the iterations of a loop compute from what
//! is on the device is for the device, a scalar that one iteration hands to the next is an array of one
//! element:
//!
//! ```text
//! loop (best = 0) for i < n {                loop (bests = [0]) for i < n {
//!   let (x : i32) = segred ..                  let (best : i32) = bests[0]
//!   let (y : i32) = smax_i32(best, x)    ->    let (x : i32) = segred ..
//!   return (y)                                 let (y : i32) = smax_i32(best, x)
//! }                                            let (ys : [1]i32) = [y] : i32
//!                                              return (ys)
//!                                            }
//! ```
//!
//! The host would wait for the device in each iteration, only to hand the number back.
//! [`single_point`](super::single_point) has the device compute it instead, and nobody waits. If the host
//! needs one of these numbers to go on, as a condition, a check, a size or an index, it waits in any case,
//! and the loop stays as it is.

use fehu_base::{Name, NameSource};
use fehu_ir::build::plain;
use fehu_ir::class::Class;
use fehu_ir::free::{free_in_exp, free_in_type};
use fehu_ir::seg::{KernelsOp, SegKind, SegOp};
use fehu_ir::visit::{deep, for_each_body, for_each_operand, for_each_stm, map_bodies};
use fehu_ir::{Basic, Body, DimIndex, Exp, Kernels, Loop, LoopForm, Param, PatElem, Prog, Stm, SubExp, Type};
use fehu_pass::{Need, Pass};
use rustc_hash::FxHashSet;

/// The pass.
pub static PASS: Pass<Prog<Kernels>> = Pass { name: "loop-scalars", need: Need::Optional, run };

fn run(prog: &mut Prog<Kernels>) {
    for fun in &mut prog.funs {
        body(&mut prog.names, &mut fun.body);
    }
}

/// Code of the host.
fn body(names: &mut NameSource, host: &mut Body<Kernels>) {
    deep(|| {
        let mut out = Vec::with_capacity(host.stms.len());
        for mut stm in std::mem::take(&mut host.stms) {
            if !matches!(stm.exp, Exp::Op(_)) {
                map_bodies(&mut stm.exp, &mut |inner| body(names, inner));
            }
            let carried = match &stm.exp {
                Exp::Loop(l) => carried(l),
                Exp::Basic(_) | Exp::Call(..) | Exp::If(..) | Exp::WithAcc(_) | Exp::Op(_) => vec![],
            };
            let after = as_arrays(names, &mut stm, &carried, &mut out);
            out.push(stm);
            out.extend(after);
        }
        host.stms = out;
    });
}

/// Has a loop carry arrays instead of these of its scalars. What goes before the loop is put out, what comes
/// after it is returned.
fn as_arrays(
    names: &mut NameSource,
    stm: &mut Stm<Kernels>,
    carried: &[usize],
    before: &mut Vec<Stm<Kernels>>,
) -> Vec<Stm<Kernels>> {
    let Exp::Loop(l) = &mut stm.exp else { return vec![] };
    let mut first = vec![];
    let mut after = vec![];
    let one = |names: &mut NameSource, e: SubExp, ty: &Type, whole: &Type| {
        let lit =
            plain(names.fresh_str("lit"), whole.clone(), Exp::Basic(Basic::ArrayLit(vec![e], ty.clone())));
        (lit.pat[0].name, lit)
    };
    let only = |of: Name| Exp::Basic(Basic::Index(of, vec![DimIndex::Fix(SubExp::i64(0))]));
    for &k in carried {
        let (p, init) = &mut l.params[k];
        let Type::Prim(elem) = p.ty else { continue };
        let (ty, whole) = (p.ty.clone(), Type::Array(elem, vec![SubExp::i64(1)]));
        let (name, lit) = one(names, *init, &ty, &whole);
        before.push(lit);
        *init = name.into();
        let array = names.fresh_like(p.name);
        first.push(plain(p.name, ty.clone(), only(array)));
        *p = Param { name: array, ty: whole.clone(), dec: (), consumed: false };
        let (name, lit) = one(names, l.body.result[k], &ty, &whole);
        l.body.stms.push(lit);
        l.body.result[k] = name.into();
        let array = names.fresh_like(stm.pat[k].name);
        let old = std::mem::replace(&mut stm.pat[k], PatElem { name: array, ty: whole, dec: () });
        after.push(plain(old.name, ty, only(array)));
    }
    l.body.stms.splice(0..0, first);
    after
}

/// The scalars that a loop need not hand to the host.
fn carried(l: &Loop<Kernels>) -> Vec<usize> {
    let mut launches = false;
    for_each_stm(&l.body, &mut |stm| launches |= matches!(stm.exp, Exp::Op(KernelsOp::Seg(_))));
    if !launches || !matches!(l.form, LoopForm::For { .. }) {
        return vec![];
    }
    let scalar = |k: &usize| matches!(&l.params[*k].0.ty, Type::Prim(_)) && l.params[*k].0.ty != Type::UNIT;
    let scalars: Vec<usize> = (0..l.params.len()).filter(scalar).collect();
    let mut survey = Survey { on_device: FxHashSet::default(), steers: false };
    loop {
        survey.body(&l.body);
        let found: Vec<usize> =
            scalars.iter().copied().filter(|k| survey.is_there(l.body.result[*k])).collect();
        let known = survey.on_device.len();
        survey.on_device.extend(found.iter().map(|k| l.params[*k].0.name));
        if survey.steers {
            return vec![];
        }
        if survey.on_device.len() == known {
            return found;
        }
    }
}

struct Survey {
    /// Scalars that are on the device, or are computed from such.
    on_device: FxHashSet<Name>,
    /// Whether the host needs one of them to go on.
    steers: bool,
}

impl Survey {
    fn is_there(&self, e: SubExp) -> bool {
        e.name().is_some_and(|n| self.on_device.contains(&n))
    }

    /// The host needs these.
    fn needs(&mut self, es: impl IntoIterator<Item = SubExp>) {
        for e in es {
            self.steers |= self.is_there(e);
        }
    }

    fn needs_type(&mut self, ty: &Type) {
        self.needs(free_in_type(ty).into_iter().map(SubExp::from));
    }

    fn body(&mut self, body: &Body<Kernels>) {
        deep(|| body.stms.iter().for_each(|stm| self.stm(stm)));
    }

    fn stm(&mut self, stm: &Stm<Kernels>) {
        stm.pat.iter().for_each(|p| self.needs_type(&p.ty));
        let there = match &stm.exp {
            Exp::Basic(b) => self.basic(b),
            Exp::Op(KernelsOp::Seg(seg)) => {
                self.kernel(seg);
                true
            }
            // Branches and loops return numbers to the host.
            Exp::If(c, t, f) => {
                self.needs([*c]);
                [t, f].into_iter().for_each(|b| self.body(b));
                self.needs(t.result.iter().chain(&f.result).copied());
                false
            }
            Exp::Loop(l) => {
                if let LoopForm::For { bound, .. } = l.form {
                    self.needs([bound]);
                }
                l.params.iter().for_each(|(p, _)| self.needs_type(&p.ty));
                self.body(&l.body);
                self.needs(l.params.iter().map(|(_, e)| *e).chain(l.body.result.iter().copied()));
                false
            }
            exp @ (Exp::Call(..) | Exp::WithAcc(_) | Exp::Op(KernelsOp::Size(_))) => {
                self.needs(free_in_exp(exp).into_iter().map(SubExp::from));
                for_each_body(exp, &mut |b| self.body(b));
                false
            }
        };
        if there {
            let numbers = stm.pat.iter().filter(|p| matches!(p.ty, Type::Prim(_)));
            self.on_device.extend(numbers.map(|p| p.name));
        }
    }

    /// Whether what it computes is on the device.
    fn basic(&mut self, b: &Basic) -> bool {
        let exp = Exp::<Kernels>::Basic(b.clone());
        match b {
            Basic::Index(_, slice) | Basic::Update(_, slice, _) => {
                for d in slice {
                    match d {
                        DimIndex::Fix(i) => self.needs([*i]),
                        DimIndex::Slice { start, len, stride } => self.needs([*start, *len, *stride]),
                    }
                }
                true
            }
            Basic::Replicate(shape, _) => {
                self.needs(shape.iter().copied());
                false
            }
            Basic::ArrayLit(..) => false,
            Basic::SubExp(_)
            | Basic::Opaque(_)
            | Basic::UnOp(..)
            | Basic::BinOp(..)
            | Basic::CmpOp(..)
            | Basic::Conv(..)
            | Basic::PrimFn(..)
            | Basic::Assert(..)
            | Basic::ArrayConst(_)
            | Basic::FlatIndex(..)
            | Basic::FlatUpdate(..)
            | Basic::Iota { .. }
            | Basic::Scratch(..)
            | Basic::Copy(_)
            | Basic::Manifest(..)
            | Basic::Concat { .. }
            | Basic::Rearrange(..)
            | Basic::Reshape(..)
            | Basic::UpdateAcc(..) => {
                let mut operands = vec![];
                for_each_operand(&exp, &mut |e| operands.push(e));
                match b.class() {
                    Class::Arithmetic | Class::Function => operands.into_iter().any(|e| self.is_there(e)),
                    Class::Opaque
                    | Class::Check
                    | Class::Read
                    | Class::View
                    | Class::Reshape
                    | Class::Generate
                    | Class::Gather
                    | Class::Update => {
                        self.needs(operands);
                        false
                    }
                }
            }
        }
    }

    /// A kernel may compute with all numbers, but its size is the host's to know, and so are the sizes of arrays in it.
    fn kernel(&mut self, seg: &SegOp<Kernels>) {
        self.needs(seg.space.dims.iter().map(|d| d.1));
        seg.types.iter().for_each(|t| self.needs_type(t));
        if let SegKind::Hist(ops) = &seg.kind {
            ops.iter().for_each(|op| self.needs(op.shape.iter().copied()));
        }
        for_each_stm(&seg.body.body, &mut |stm| {
            stm.pat.iter().for_each(|p| self.needs_type(&p.ty));
            if let Exp::Op(KernelsOp::Seg(inner)) = &stm.exp {
                self.needs(inner.space.dims.iter().map(|d| d.1));
            }
        });
    }
}
