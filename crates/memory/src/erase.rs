//! Forgets memory.
//!
//! Before: a program over `Memory`. After: the same over `Kernels`. Blocks and
//! allocations are gone; what code computes about offsets and strides stays,
//! for it is ordinary code.

use fehu_base::bug;
use fehu_ir::mem::MemOp;
use fehu_ir::seg::{KernelBody, KernelReturn, KernelsOp, SegAfter, SegBinOp, SegHistOp, SegKind, SegOp};
use fehu_ir::types::{operand_type, prog_types, Types};
use fehu_ir::visit::deep;
use fehu_ir::{
    AccInput, Basic, Body, Exp, ExtSize, FunDef, FunRet, Kernels, Lambda, Loop, Memory, Param, PatElem, Prog,
    RetType, Stm, SubExp, Type, WithAcc,
};

/// The program without memory.
pub fn erase(prog: Prog<Memory>) -> Prog<Kernels> {
    let types = prog_types(&prog);
    let eraser = Eraser { types: &types };
    let Prog { consts, funs, opaques, names } = prog;
    let consts = eraser.body(consts);
    let funs = funs.into_iter().map(|f| eraser.fun(f)).collect();
    Prog { consts, funs, opaques, names }
}

struct Eraser<'a> {
    types: &'a Types,
}

impl Eraser<'_> {
    fn fun(&self, fun: FunDef<Memory>) -> FunDef<Kernels> {
        let FunDef { name, entry, attrs, params, ret, body, loc } = fun;
        let params = self.params(params);
        FunDef { name, entry, attrs, params, ret: returns(ret), body: self.body(body), loc }
    }

    fn params(&self, params: Vec<Param<Memory>>) -> Vec<Param<Kernels>> {
        let kept = params.into_iter().filter(|p| !is_mem(&p.ty));
        kept.map(|p| Param { name: p.name, ty: p.ty, dec: (), consumed: p.consumed }).collect()
    }

    fn body(&self, body: Body<Memory>) -> Body<Kernels> {
        deep(|| {
            let stms = body.stms.into_iter().filter_map(|s| self.stm(s)).collect();
            Body { stms, result: self.operands(body.result) }
        })
    }

    /// The operands that are no blocks.
    fn operands(&self, es: Vec<SubExp>) -> Vec<SubExp> {
        let kept = es.into_iter().filter(|e| !operand_type(self.types, *e).is_some_and(|t| is_mem(&t)));
        kept.collect()
    }

    fn stm(&self, stm: Stm<Memory>) -> Option<Stm<Kernels>> {
        let Stm { pat, certs, attrs, loc, exp } = stm;
        let kept = pat.into_iter().filter(|p| !is_mem(&p.ty));
        let pat = kept.map(|p| PatElem { name: p.name, ty: p.ty, dec: () }).collect();
        let exp = self.exp(exp)?;
        Some(Stm { pat, certs, attrs, loc, exp })
    }

    fn lambda(&self, l: Lambda<Memory>) -> Lambda<Kernels> {
        let ret = l.ret.into_iter().filter(|t| !is_mem(t)).collect();
        Lambda { params: self.params(l.params), body: self.body(l.body), ret }
    }

    fn exp(&self, exp: Exp<Memory>) -> Option<Exp<Kernels>> {
        Some(match exp {
            Exp::Basic(Basic::SubExp(e)) if operand_type(self.types, e).is_some_and(|t| is_mem(&t)) => {
                return None
            }
            Exp::Basic(b) => Exp::Basic(b),
            Exp::Call(f, args) => Exp::Call(f, self.operands(args)),
            Exp::If(c, t, f) => Exp::If(c, Box::new(self.body(*t)), Box::new(self.body(*f))),
            Exp::Loop(l) => {
                let Loop { params, form, body } = *l;
                let (params, inits): (Vec<_>, Vec<_>) =
                    params.into_iter().filter(|(p, _)| !is_mem(&p.ty)).unzip();
                let params = self.params(params).into_iter().zip(inits).collect();
                Exp::Loop(Box::new(Loop { params, form, body: self.body(body) }))
            }
            Exp::WithAcc(w) => {
                let WithAcc { inputs, lambda } = *w;
                let input = |i: AccInput<Memory>| AccInput {
                    shape: i.shape,
                    arrays: i.arrays,
                    op: i.op.map(|(op, neutral)| (self.lambda(op), neutral)),
                };
                let inputs = inputs.into_iter().map(input).collect();
                Exp::WithAcc(Box::new(WithAcc { inputs, lambda: self.lambda(lambda) }))
            }
            Exp::Op(MemOp::Alloc(..)) => return None,
            Exp::Op(MemOp::Size(size)) => Exp::Op(KernelsOp::Size(size)),
            Exp::Op(MemOp::Seg(seg)) => Exp::Op(KernelsOp::Seg(self.seg(seg))),
        })
    }

    fn seg(&self, seg: SegOp<Memory>) -> SegOp<Kernels> {
        let SegOp { level, space, types, body, kind, virtualise, grid, schedule } = seg;
        let bin_op =
            |op: SegBinOp<Memory>| SegBinOp { comm: op.comm, op: self.lambda(op.op), neutral: op.neutral };
        let hist_op = |op: SegHistOp<Memory>| SegHistOp {
            shape: op.shape,
            dests: op.dests,
            neutral: op.neutral,
            vector: op.vector,
            op: self.lambda(op.op),
        };
        let kind = match kind {
            SegKind::Map => SegKind::Map,
            SegKind::Red(ops) => SegKind::Red(ops.into_iter().map(bin_op).collect()),
            SegKind::Scan(ops, after) => {
                let after = after.map(|after| {
                    let SegAfter { lambda, returns } = *after;
                    Box::new(SegAfter { lambda: self.lambda(lambda), returns })
                });
                SegKind::Scan(ops.into_iter().map(bin_op).collect(), after)
            }
            SegKind::Hist(ops) => SegKind::Hist(ops.into_iter().map(hist_op).collect()),
        };
        let KernelBody { body, returns } = body;
        if body.result.len() != returns.len() {
            bug!("a parallel operation returns blocks");
        }
        let returns: Vec<KernelReturn> = returns;
        let body = KernelBody { body: self.body(body), returns };
        SegOp { level, space, types, body, kind, virtualise, grid, schedule }
    }
}

fn is_mem(ty: &Type) -> bool {
    matches!(ty, Type::Mem(_))
}

/// The declared results without blocks; positions shift back.
fn returns(ret: Vec<FunRet<Memory>>) -> Vec<FunRet<Kernels>> {
    let is_kept = |r: &FunRet<Memory>| !matches!(r.ty, RetType::Mem(_));
    let positions: Vec<usize> =
        (0..ret.len()).map(|k| ret[..k].iter().filter(|r| is_kept(r)).count()).collect();
    let moved = |s: ExtSize| match s {
        ExtSize::Free(e) => ExtSize::Free(e),
        ExtSize::Ext(k) => ExtSize::Ext(positions.get(k).copied().unwrap_or(k)),
    };
    let mut out = vec![];
    for r in ret {
        let ty = match r.ty {
            RetType::Mem(_) => continue,
            RetType::Prim(p) => RetType::Prim(p),
            RetType::Array { elem, shape, unique } => {
                RetType::Array { elem, shape: shape.into_iter().map(moved).collect(), unique }
            }
        };
        out.push(FunRet { ty, dec: () });
    }
    out
}
