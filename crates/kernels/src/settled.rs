//! Checks that kernels have made already.
//!
//! Before: programs over `Memory`. After: nobody reduces values that are true wherever they are.
//!
//! Points of irregular nests make checks on which statements of the host rely, so that the host reduces a
//! value that only follows these checks, and checks that all of them are true (`flatten/irregular/checks`).
//! That keeps the checks where they are while programs change. When no more statements go, it has done its
//! work: a point whose check fails has no value, and the program ends.
//!
//! ```text
//! oks = segmap (i < n) { c = assert(..); ok = <c> true; return ok }          as it was
//! all = segred (i < n) && { return oks[i] }                           ==>    all = true
//! made = assert(all, ..)                                                     made = assert(true, ..)
//! ```
//!
//! The reduction and the check of its result were two kernels. Where it is the points of the reduction that
//! make the checks, they still do, but reduce nothing:
//!
//! ```text
//! all = segred (i < n) && { c = assert(..); ok = <c> true; return ok }   ==>   all = true
//!                                                                              segmap (i < n) { c = assert(..); ok = <c> true; return () }
//! ```
//!
//! A reduction has few threads, each of which makes the checks of several points, one after the other. What
//! else points return they go on to return.

use fehu_base::ops::BinOp;
use fehu_base::Name;
use fehu_ir::mem::MemOp;
use fehu_ir::seg::{KernelReturn, SegBinOp, SegKind, SegOp};
use fehu_ir::visit::{deep, map_bodies};
use fehu_ir::{Basic, Body, DimIndex, Exp, Loc, Memory, PatElem, Prog, Stm, SubExp};
use fehu_pass::{Need, Pass};
use rustc_hash::FxHashSet;

/// Nobody reduces values that are true wherever they are.
pub static PASS: Pass<Prog<Memory>> = Pass { name: "settled-checks", need: Need::Optional, run: settled };

fn settled(prog: &mut Prog<Memory>) {
    let mut pass = Settled::default();
    pass.host(&mut prog.consts);
    prog.funs.iter_mut().for_each(|fun| pass.host(&mut fun.body));
}

/// What is true, if it is there.
#[derive(Default)]
struct Settled {
    /// All elements of these arrays.
    arrays: FxHashSet<Name>,
    scalars: FxHashSet<Name>,
}

impl Settled {
    /// Code of the host.
    fn host(&mut self, body: &mut Body<Memory>) {
        let mut stms = Vec::with_capacity(body.stms.len());
        for mut stm in std::mem::take(&mut body.stms) {
            match &mut stm.exp {
                Exp::Op(MemOp::Seg(seg))
                    if is_conjunction(seg) && self.reads_settled(&seg.body.body, seg) =>
                {
                    stms.extend(self.holds(&stm.pat));
                    continue;
                }
                Exp::Op(MemOp::Seg(seg)) if is_conjunction(seg) && checks(&stm.pat, seg) => {
                    seg.kind = SegKind::Map;
                    seg.body.body.result.remove(0);
                    seg.body.returns.remove(0);
                    seg.types.remove(0);
                    stms.extend(self.holds(&[stm.pat.remove(0)]));
                }
                Exp::Op(MemOp::Seg(seg)) => {
                    if has_plain_results(seg) && stm.pat.len() == seg.body.body.result.len() {
                        let kept = stm.pat.iter().zip(&seg.body.body.result).skip(seg.combined());
                        let kept = kept.filter(|(_, e)| is_true(&seg.body.body, **e));
                        self.arrays.extend(kept.map(|(p, _)| p.name));
                    }
                }
                Exp::Basic(Basic::Assert(cond, ..)) => {
                    if cond.name().is_some_and(|c| self.scalars.contains(&c)) {
                        *cond = SubExp::bool(true);
                    }
                }
                Exp::Basic(_) => {}
                exp @ (Exp::Call(..) | Exp::If(..) | Exp::Loop(_) | Exp::WithAcc(_) | Exp::Op(_)) => {
                    map_bodies(exp, &mut |inner| deep(|| self.host(inner)))
                }
            }
            stms.push(stm);
        }
        body.stms = stms;
    }

    /// What binds the result of a reduction whose operands all are true.
    fn holds(&mut self, pat: &[PatElem<Memory>]) -> Option<Stm<Memory>> {
        let all = pat.first()?;
        self.scalars.insert(all.name);
        let exp = Exp::Basic(Basic::SubExp(SubExp::bool(true)));
        Some(Stm { pat: vec![all.clone()], certs: vec![], attrs: vec![], loc: Loc::none(), exp })
    }

    /// Whether all that points do is to read an element that is true.
    fn reads_settled(&self, body: &Body<Memory>, seg: &SegOp<Memory>) -> bool {
        let ([stm], [result], [(index, _)]) = (&body.stms[..], &body.result[..], &seg.space.dims[..]) else {
            return false;
        };
        let at = |at: &DimIndex| matches!(at, DimIndex::Fix(i) if i.name() == Some(*index));
        let Exp::Basic(Basic::Index(array, slice)) = &stm.exp else { return false };
        let read = self.arrays.contains(array) && slice.iter().all(at);
        read && stm.pat.first().map(|p| p.name) == result.name()
    }
}

/// Whether an operation is the reduction of conditions to whether all of them hold, over the whole space.
fn is_conjunction(seg: &SegOp<Memory>) -> bool {
    let (SegKind::Red(ops), 1) = (&seg.kind, seg.space.dims.len()) else { return false };
    let and = |op: &SegBinOp<Memory>| {
        let [stm] = &op.op.body.stms[..] else { return false };
        let of_both =
            matches!(stm.exp, Exp::Basic(Basic::BinOp(BinOp::LogAnd, SubExp::Var(_), SubExp::Var(_))));
        of_both
            && op.neutral == [SubExp::bool(true)]
            && stm.pat.first().map(|p| p.name) == op.op.body.result.first().and_then(|e| e.name())
    };
    ops.len() == 1 && ops.iter().all(and)
}

/// Whether what points combine is that their checks hold.
fn checks(pat: &[PatElem<Memory>], seg: &SegOp<Memory>) -> bool {
    let results = seg.body.body.result.len();
    let all = [pat.len(), seg.body.returns.len(), seg.types.len()].iter().all(|n| *n == results);
    let first = seg.body.body.result.first();
    all && seg.grid.is_none() && first.is_some_and(|e| is_true(&seg.body.body, *e))
}

/// Whether each result of the body is an element of an array, or combined to a result.
fn has_plain_results(seg: &SegOp<Memory>) -> bool {
    let elements = seg.body.returns.iter().all(|r| matches!(r, KernelReturn::Elem));
    match &seg.kind {
        SegKind::Map | SegKind::Red(_) | SegKind::Scan(_, None) => elements,
        SegKind::Scan(_, Some(_)) | SegKind::Hist(_) => false,
    }
}

/// Whether an operand of a body is true, where it is there.
fn is_true(body: &Body<Memory>, e: SubExp) -> bool {
    let made = |x: Name| {
        let stm = body.stms.iter().find(|s| s.pat.iter().any(|p| p.name == x));
        matches!(stm.map(|s| &s.exp), Some(Exp::Basic(Basic::SubExp(e))) if *e == SubExp::bool(true))
    };
    e == SubExp::bool(true) || e.name().is_some_and(made)
}
