//! Where the memory of names comes from: what each expression hands on.
//!
//! In: a statement. Out: its [`Flows`], pairs of a name that gets memory and a name whose memory it may be.
//! Only names that hold memory get some: arrays, accumulators, blocks. Statements inside of bodies have flows
//! of their own.
//!
//! ```text
//! let (r : [n]i32) = loop (*p : [n]i32 = x) for i < n {        enter  p <- x  inherits (x is consumed)
//!   let (q : [n]i32) = p with [i] = 0i32                       again  p <- q  aliases
//!   return (q)                                                 leave  r <- q  aliases
//! }                                                            leave  r <- x  inherits
//! ```

use super::signature::Signatures;
use crate::op::{OpView, RepOp};
use crate::rep::Rep;
use crate::seg::{KernelReturn, SegKind, SegOp};
use crate::soac::Soac;
use crate::syntax::*;
use fehu_base::Name;

/// What two names have to do with each other.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum How {
    /// Both can be used, and may be the same memory.
    Aliases,
    /// The memory may be handed on, but the two are never two names of it: the source is consumed, or the
    /// operation has a result of its own that a rewrite may replace by the source (a reduction of no elements
    /// is its neutral element).
    Inherits,
}

/// One name may get the memory of another.
#[derive(Clone, Copy, Debug)]
#[allow(missing_docs)]
pub struct Flow {
    pub to: Name,
    pub from: Name,
    pub how: How,
}

/// The flows of a statement.
#[derive(Clone, Default, Debug)]
pub struct Flows {
    /// To parameters of its loop and lambdas, when they start.
    pub enter: Vec<Flow>,
    /// From results of bodies back to parameters.
    pub again: Vec<Flow>,
    /// To what it binds.
    pub leave: Vec<Flow>,
}

impl Flows {
    /// Those of a statement.
    pub fn of_stm<R: Rep>(signatures: &Signatures, stm: &Stm<R>) -> Flows {
        let mut flows = Flows::default();
        flows.exp(signatures, &stm.exp, &stm.pat);
        flows
    }

    /// All of them.
    pub fn all(&self) -> impl Iterator<Item = Flow> + '_ {
        self.enter.iter().chain(&self.again).chain(&self.leave).copied()
    }

    fn exp<R: Rep>(&mut self, signatures: &Signatures, exp: &Exp<R>, pat: &[PatElem<R>]) {
        match exp {
            Exp::Basic(b) => {
                let shares = b.shares().map(|a| (a, How::Aliases));
                let consumes = b.consumes().map(|a| (a, How::Inherits));
                for (p, (from, how)) in pat.iter().zip(shares.or(consumes)) {
                    flow(&mut self.leave, p, from.into(), how);
                }
            }
            Exp::Call(f, args) => self.call(signatures, *f, args, pat),
            Exp::If(_, t, f) => {
                for body in [t, f] {
                    each(&mut self.leave, pat, &body.result, How::Aliases);
                }
            }
            Exp::Loop(l) => {
                for ((param, init), k) in l.params.iter().zip(0..) {
                    let entry = entering(param.consumed);
                    flow(&mut self.enter, param, *init, entry);
                    for e in l.body.result.get(k).into_iter().copied() {
                        flow(&mut self.again, param, e, How::Aliases);
                        pat.get(k).into_iter().for_each(|p| flow(&mut self.leave, p, e, How::Aliases));
                    }
                    pat.get(k).into_iter().for_each(|p| flow(&mut self.leave, p, *init, entry));
                }
            }
            Exp::WithAcc(w) => self.with_acc(w, pat),
            Exp::Op(op) => match op.view() {
                OpView::Soac(soac) => self.soac(soac, pat),
                OpView::Seg(seg) => self.seg(seg, pat),
                OpView::Size(_) | OpView::Alloc(..) => {}
            },
        }
    }

    /// A function may return the arguments that it does not consume, unless its result is unique, and its
    /// results may share memory with each other. What it consumes may be the memory of any result.
    fn call<R: Rep>(&mut self, signatures: &Signatures, f: Name, args: &[SubExp], pat: &[PatElem<R>]) {
        let sig = signatures.get(f);
        let consumed = |i: usize| sig.is_some_and(|s| s.consumes(i));
        let memory = |i: usize| sig.is_none_or(|s| s.memory.get(i).copied().unwrap_or(false));
        let aliasing = |k: usize| sig.is_none_or(|s| s.aliasing.get(k).copied().unwrap_or(false));
        for (k, p) in pat.iter().enumerate() {
            for (i, arg) in args.iter().enumerate().filter(|(i, _)| memory(*i)) {
                if consumed(i) {
                    flow(&mut self.leave, p, *arg, How::Inherits);
                } else if aliasing(k) {
                    flow(&mut self.leave, p, *arg, How::Aliases);
                }
            }
            for (_, earlier) in pat[..k].iter().enumerate().filter(|(j, _)| aliasing(k) && aliasing(*j)) {
                if holds_memory(&earlier.ty) {
                    flow(&mut self.leave, p, earlier.name.into(), How::Aliases);
                }
            }
        }
    }

    fn with_acc<R: Rep>(&mut self, w: &WithAcc<R>, pat: &[PatElem<R>]) {
        let mut results = pat.iter();
        for (k, input) in w.inputs.iter().enumerate() {
            for a in &input.arrays {
                results.next().into_iter().for_each(|p| flow(&mut self.leave, p, (*a).into(), How::Inherits));
                let acc = w.lambda.params.get(w.inputs.len() + k);
                acc.into_iter().for_each(|p| flow(&mut self.enter, p, (*a).into(), How::Inherits));
            }
            if let Some((op, neutral)) = &input.op {
                self.operator(op, neutral, &[]);
            }
        }
        for (p, e) in results.zip(w.lambda.body.result.iter().skip(w.inputs.len())) {
            flow(&mut self.leave, p, *e, How::Aliases);
        }
    }

    /// A lambda that is applied to rows of arrays, or to arguments.
    fn applied<R: Rep>(&mut self, lambda: &Lambda<R>, args: impl IntoIterator<Item = SubExp>) {
        for (param, arg) in lambda.params.iter().zip(args) {
            flow(&mut self.enter, param, arg, entering(param.consumed));
        }
    }

    /// An operator, either of whose operands may be a neutral element, a value, or its own result.
    fn operator<R: Rep>(&mut self, op: &Lambda<R>, neutral: &[SubExp], values: &[SubExp]) {
        self.applied(op, neutral.iter().chain(neutral).copied());
        for side in op.params.chunks(neutral.len().max(1)) {
            each(&mut self.again, side, &op.body.result, How::Inherits);
            each(&mut self.again, side, values, How::Inherits);
        }
    }

    fn soac<R: Rep>(&mut self, soac: &Soac<R>, pat: &[PatElem<R>]) {
        let rows = |arrays: &[Name]| arrays.iter().map(|a| SubExp::Var(*a)).collect::<Vec<_>>();
        match soac {
            Soac::Screma(s) => {
                self.applied(&s.map, rows(&s.arrays));
                let mut values = &s.map.body.result[..];
                let mut results = pat;
                for scan in &s.scans {
                    let (these, rest) = values.split_at(scan.neutral.len());
                    self.operator(&scan.op, &scan.neutral, these);
                    (values, results) = (rest, results.get(these.len()..).unwrap_or_default());
                }
                for red in &s.reds {
                    let (these, rest) = values.split_at(red.neutral.len());
                    self.operator(&red.op, &red.neutral, these);
                    each(&mut self.leave, results, &red.neutral, How::Inherits);
                    each(&mut self.leave, results, these, How::Inherits);
                    (values, results) = (rest, results.get(these.len()..).unwrap_or_default());
                }
                // Arrays of rows are new; accumulators go through.
                for (p, e) in results.iter().zip(values).filter(|(p, _)| matches!(p.ty, Type::Acc(..))) {
                    flow(&mut self.leave, p, *e, How::Inherits);
                }
            }
            Soac::Hist(h) => {
                self.applied(&h.lambda, rows(&h.arrays));
                h.ops.iter().for_each(|op| self.operator(&op.op, &op.neutral, &[]));
                let dests: Vec<Name> = h.ops.iter().flat_map(|op| op.dests.iter().copied()).collect();
                each(&mut self.leave, pat, &rows(&dests), How::Inherits);
            }
            Soac::Scatter(s) => {
                self.applied(&s.lambda, rows(&s.arrays));
                each(&mut self.leave, pat, &rows(&s.written()), How::Inherits);
            }
            Soac::Filter(f) => self.applied(&f.lambda, rows(&f.arrays)),
            Soac::Ad(ad) => {
                self.applied(&ad.lambda, ad.args.iter().copied());
                any(&mut self.leave, pat, &ad.lambda.body.result);
            }
        }
    }

    /// What is written by threads may be any of the results, in whatever order they are.
    fn seg<R: Rep>(&mut self, seg: &SegOp<R>, pat: &[PatElem<R>]) {
        match &seg.kind {
            SegKind::Map => {}
            SegKind::Red(ops) | SegKind::Scan(ops, _) => {
                for op in ops {
                    self.operator(&op.op, &op.neutral, &[]);
                    any(&mut self.leave, pat, &op.neutral);
                }
            }
            SegKind::Hist(ops) => {
                for op in ops {
                    self.operator(&op.op, &op.neutral, &[]);
                    op.dests.iter().for_each(|d| any(&mut self.leave, pat, &[(*d).into()]));
                }
            }
        }
        for (_, ret) in seg.kept() {
            match ret {
                KernelReturn::Write { array, .. } => any(&mut self.leave, pat, &[(*array).into()]),
                KernelReturn::Elem => {}
            }
        }
    }
}

/// What arrives in a parameter.
fn entering(consumed: bool) -> How {
    match consumed {
        true => How::Inherits,
        false => How::Aliases,
    }
}

/// What binds a name.
trait Binding {
    fn bound(&self) -> (Name, &Type);
}

impl<R: Rep> Binding for PatElem<R> {
    fn bound(&self) -> (Name, &Type) {
        (self.name, &self.ty)
    }
}

impl<R: Rep> Binding for Param<R> {
    fn bound(&self) -> (Name, &Type) {
        (self.name, &self.ty)
    }
}

fn flow(flows: &mut Vec<Flow>, to: &impl Binding, from: SubExp, how: How) {
    let (to, ty) = to.bound();
    if let (true, SubExp::Var(from)) = (holds_memory(ty), from) {
        flows.push(Flow { to, from, how });
    }
}

/// From each operand to the name at its position.
fn each(flows: &mut Vec<Flow>, to: &[impl Binding], from: &[SubExp], how: How) {
    to.iter().zip(from).for_each(|(p, e)| flow(flows, p, *e, how));
}

/// From each operand to any of the names.
fn any(flows: &mut Vec<Flow>, to: &[impl Binding], from: &[SubExp]) {
    for e in from {
        to.iter().for_each(|p| flow(flows, p, *e, How::Inherits));
    }
}

fn holds_memory(ty: &Type) -> bool {
    !matches!(ty, Type::Prim(_))
}
