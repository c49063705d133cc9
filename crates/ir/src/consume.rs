//! What expressions consume: the arrays whose memory they take over.

use crate::alias::{Aliases, Signatures};
use crate::free::Names;
use crate::op::{OpView, RepOp};
use crate::rep::Rep;
use crate::seg::{KernelReturn, SegKind, SegOp};
use crate::soac::Soac;
use crate::syntax::*;
use crate::visit::{deep, for_each_body, for_each_lambda};
use fehu_base::Name;

/// The arrays and accumulators that the expression itself takes over; not what the bodies in it do.
pub fn consumed_directly<R: Rep>(signatures: &Signatures, exp: &Exp<R>) -> Vec<Name> {
    match exp {
        Exp::Basic(b) => b.consumes().into_iter().collect(),
        Exp::Call(f, args) => {
            let Some(sig) = signatures.get(*f) else { return vec![] };
            let consumed = args.iter().enumerate().filter(|(i, _)| sig.consumes(*i));
            consumed.filter_map(|(_, e)| e.name()).collect()
        }
        Exp::Loop(l) => {
            let consumed = l.params.iter().filter(|(p, _)| p.consumed);
            consumed.filter_map(|(_, init)| init.name()).collect()
        }
        Exp::WithAcc(w) => w.inputs.iter().flat_map(|i| i.arrays.iter().copied()).collect(),
        Exp::Op(op) => match op.view() {
            OpView::Soac(soac) => consumed_by_soac(soac),
            OpView::Seg(seg) => consumed_by_seg(seg),
            OpView::Size(_) | OpView::Alloc(..) => vec![],
        },
        Exp::If(..) => vec![],
    }
}

fn consumed_by_soac<R: Rep>(soac: &Soac<R>) -> Vec<Name> {
    match soac {
        Soac::Screma(s) => taken_rows(&s.map, &s.arrays),
        Soac::Hist(h) => {
            let dests = h.ops.iter().flat_map(|op| op.dests.iter().copied());
            dests.chain(taken_rows(&h.lambda, &h.arrays)).collect()
        }
        Soac::Scatter(s) => {
            let dests = s.written().into_iter();
            dests.chain(taken_rows(&s.lambda, &s.arrays)).collect()
        }
        Soac::Filter(f) => taken_rows(&f.lambda, &f.arrays),
        Soac::Ad(ad) => {
            let consumed = ad.lambda.params.iter().zip(&ad.args).filter(|(p, _)| p.consumed);
            consumed.filter_map(|(_, e)| e.name()).collect()
        }
    }
}

/// The inputs of a combinator whose rows its lambda consumes; accumulators always are.
fn taken_rows<R: Rep>(lambda: &Lambda<R>, arrays: &[Name]) -> Vec<Name> {
    let taken = |p: &Param<R>| p.consumed || matches!(p.ty, Type::Acc(..));
    lambda.params.iter().zip(arrays).filter(|(p, _)| taken(p)).map(|(_, a)| *a).collect()
}

fn consumed_by_seg<R: Rep>(seg: &SegOp<R>) -> Vec<Name> {
    let mut consumed: Vec<Name> = match &seg.kind {
        SegKind::Map | SegKind::Red(_) | SegKind::Scan(..) => vec![],
        SegKind::Hist(ops) => ops.iter().flat_map(|op| op.dests.iter().copied()).collect(),
    };
    for (_, ret) in seg.kept() {
        match ret {
            KernelReturn::Write { array, .. } => consumed.push(*array),
            KernelReturn::Elem => {}
        }
    }
    consumed
}

/// All names bound outside of the expression whose memory it takes over, in its bodies too,
/// with everything that memory may come from.
pub fn consumed_by_exp<R: Rep>(signatures: &Signatures, aliases: &Aliases, exp: &Exp<R>) -> Names {
    let mut consumed = Names::default();
    for n in consumed_directly(signatures, exp) {
        consumed.extend(aliases.of(n));
    }
    for_each_body(exp, &mut |body| consumed.extend(consumed_by_body(signatures, aliases, body)));
    if let Exp::Loop(l) = exp {
        for (p, _) in &l.params {
            consumed.shift_remove(&p.name);
        }
    }
    for_each_lambda(exp, &mut |lambda| {
        for p in &lambda.params {
            consumed.shift_remove(&p.name);
        }
    });
    consumed
}

/// All names free in the body whose memory it takes over, with everything that memory may come from.
pub fn consumed_by_body<R: Rep>(signatures: &Signatures, aliases: &Aliases, body: &Body<R>) -> Names {
    deep(|| {
        let mut consumed = Names::default();
        for stm in &body.stms {
            consumed.extend(consumed_by_exp(signatures, aliases, &stm.exp));
        }
        for p in body.stms.iter().flat_map(|s| &s.pat) {
            consumed.shift_remove(&p.name);
        }
        consumed
    })
}
