//! What kernels cannot do is expressed in terms of what they can.
//!
//! Before: a program over `Kernels` as flattening leaves it. After: the same program, in which
//!
//! - kernels call only functions of scalars ([`inline`]);
//! - constant data is allocated outside of kernels ([`CONSTANTS`]);
//! - operators of histograms take primitives, as those of reductions and scans do from the start
//!   ([`OPERATORS`]): those on vectors became histograms of elements (`vector`), those on other arrays are
//!   applied by loops (`chunks`);
//! - arrays are filled by kernels: no `iota` or `replicate` is left on the host, nor in a thread block ([`FILL`]).
//!
//! ```text
//! let (xs : [n]i64) = iota i64 (n, 0, 2)     let (xs : [n]i64) = segmap thread (f; i < n) : (i64) {
//!                                              let (x : i64) = mul_i64(i, 2)
//!                                              return (x)
//!                                            }
//! ```
//!
//! The last three are one walk over the operations of the host and of thread blocks, with another rewrite each time.

mod chunks;
mod constants;
pub mod inline;
mod operators;
mod vector;

use fehu_base::ops::{BinOp, ConvOp};
use fehu_base::prim::{IntType, PrimType};
use fehu_base::{Name, NameSource};
use fehu_ir::alias::Signatures;
use fehu_ir::build::nested_body;
use fehu_ir::seg::{KernelBody, KernelReturn, KernelsOp, SegKind, SegLevel, SegOp, SegSpace};
use fehu_ir::types::prog_types;
use fehu_ir::visit::deep;
use fehu_ir::{Basic, Body, Builder, DimIndex, Exp, Kernels, Lambda, Prog, Slice, Stm, SubExp, Type};
use fehu_pass::{Need, Pass};

/// Constant data is outside of kernels.
pub static CONSTANTS: Pass<Prog<Kernels>> =
    Pass { name: "kernel-constants", need: Need::Required, run: |prog| rewrite(prog, Rewrite::Constants) };

/// Operators of segmented operations take primitives. Operators that update arrays become loops, which consume.
pub static OPERATORS: Pass<Prog<Kernels>> = Pass {
    name: "scalar-operators",
    need: Need::Required,
    run: |prog| {
        rewrite(prog, Rewrite::Operators);
        fehu_ir::mark::mark(prog);
    },
};

/// Arrays are filled by kernels.
pub static FILL: Pass<Prog<Kernels>> =
    Pass { name: "fill-kernels", need: Need::Required, run: |prog| rewrite(prog, Rewrite::Fills) };

/// What is rewritten.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Rewrite {
    Constants,
    Operators,
    Fills,
}

fn rewrite(prog: &mut Prog<Kernels>, rewrite: Rewrite) {
    let signatures = Signatures::of_prog(prog);
    let types = prog_types(prog);
    let mut b = Builder::new(std::mem::replace(&mut prog.names, NameSource::new()));
    b.types = types;
    let mut legalise = Legalise { b, signatures, rewrite };
    let none = || Body { stms: vec![], result: vec![] };
    prog.consts = legalise.body(std::mem::replace(&mut prog.consts, none()), Around::Host);
    for fun in &mut prog.funs {
        fun.body = legalise.body(std::mem::replace(&mut fun.body, none()), Around::Host);
    }
    prog.names = legalise.b.names;
}

/// Whose code it is that contains an operation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Around {
    /// The host's.
    Host,
    /// A thread block's.
    Block,
}

struct Legalise {
    b: Builder<Kernels>,
    signatures: Signatures,
    rewrite: Rewrite,
}

/// A pattern as names and types.
type Bindings = Vec<(Name, Type)>;

impl Legalise {
    fn body(&mut self, body: Body<Kernels>, around: Around) -> Body<Kernels> {
        deep(|| {
            self.b.begin();
            for stm in body.stms {
                self.stm(stm, around);
            }
            self.b.end(body.result)
        })
    }

    fn stm(&mut self, stm: Stm<Kernels>, around: Around) {
        let Stm { pat, certs, attrs, loc, exp } = stm;
        let exp = self.inside(exp, around);
        self.b.certs = certs;
        self.b.attrs = attrs;
        self.b.loc = loc;
        let pat: Bindings = pat.into_iter().map(|p| (p.name, p.ty)).collect();
        match (exp, &pat[..]) {
            (Exp::Basic(Basic::Iota { start, step, ty, .. }), [(name, t)])
                if self.rewrite == Rewrite::Fills =>
            {
                let (name, t) = (*name, t.clone());
                self.fill(around, name, &t, |p, index| p.nth(index, start, step, ty));
            }
            (Exp::Basic(Basic::Replicate(shape, e)), [(name, t)]) if self.rewrite == Rewrite::Fills => {
                let (name, t, outer) = (*name, t.clone(), shape.len());
                self.fill(around, name, &t, |p, index| p.element(e, &index[outer..]));
            }
            (Exp::Op(KernelsOp::Seg(seg)), _) => self.seg(around, pat, seg),
            (exp, _) => self.b.bind_names(pat, exp),
        }
        self.b.certs.clear();
        self.b.attrs.clear();
    }

    /// The bodies inside of an expression.
    fn inside(&mut self, exp: Exp<Kernels>, around: Around) -> Exp<Kernels> {
        match exp {
            Exp::If(c, t, f) => {
                let t = self.body(*t, around);
                Exp::If(c, Box::new(t), Box::new(self.body(*f, around)))
            }
            Exp::Loop(mut l) => {
                l.body = self.body(l.body, around);
                Exp::Loop(l)
            }
            Exp::WithAcc(mut w) => {
                w.lambda.body = self.body(w.lambda.body, around);
                Exp::WithAcc(w)
            }
            Exp::Op(KernelsOp::Seg(mut seg)) if seg.level == SegLevel::Block => {
                seg.body.body = self.body(seg.body.body, Around::Block);
                Exp::Op(KernelsOp::Seg(seg))
            }
            other @ (Exp::Basic(_) | Exp::Call(..) | Exp::Op(_)) => other,
        }
    }

    fn seg(&mut self, around: Around, pat: Bindings, mut seg: SegOp<Kernels>) {
        let left = match self.rewrite {
            Rewrite::Constants if around == Around::Host => {
                self.constants(&mut seg);
                Some((pat, seg))
            }
            Rewrite::Constants | Rewrite::Fills => Some((pat, seg)),
            Rewrite::Operators => self.operators(around, pat, seg),
        };
        if let Some((pat, seg)) = left {
            self.b.bind_names(pat, Exp::Op(KernelsOp::Seg(seg)));
        }
    }

    /// An array whose elements are computed from their indices.
    fn fill(
        &mut self,
        around: Around,
        name: Name,
        ty: &Type,
        element: impl FnOnce(&mut Self, &[Name]) -> SubExp,
    ) {
        let dims: Vec<(Name, SubExp)> =
            ty.shape().iter().map(|n| (self.b.fresh("i", Type::I64), *n)).collect();
        let index: Vec<Name> = dims.iter().map(|d| d.0).collect();
        let body = self.nested(|p| vec![element(p, &index)]);
        let types = vec![ty.peel(ty.rank())];
        self.map(around, vec![(name, ty.clone())], dims, types, body);
    }

    /// An element of a progression.
    fn nth(&mut self, index: &[Name], start: SubExp, step: SubExp, ty: IntType) -> SubExp {
        let Some(i) = index.first().map(|i| SubExp::Var(*i)) else { return start };
        let i = match ty {
            IntType::I64 => i,
            IntType::I8 | IntType::I16 | IntType::I32 => self.b.conv(ConvOp::SExt(IntType::I64, ty), i),
        };
        let one = step.as_i64() == Some(1);
        let far = if one { i } else { self.b.bin(BinOp::Mul(ty), i, step) };
        if start.as_i64() == Some(0) {
            far
        } else {
            self.b.bin(BinOp::Add(ty), start, far)
        }
    }

    /// The element of an operand at inner indices; the operand itself if there are none.
    fn element(&mut self, e: SubExp, index: &[Name]) -> SubExp {
        let fixed: Vec<SubExp> = index.iter().map(|i| SubExp::Var(*i)).collect();
        self.part(e, &fixed)
    }

    /// The part of an array at outer indices.
    fn part(&mut self, e: SubExp, index: &[SubExp]) -> SubExp {
        let SubExp::Var(array) = e else { return e };
        if index.is_empty() {
            return e;
        }
        let ty = self.b.type_of(e);
        let slice = outer_slice(&ty, index);
        self.b.bind("x", ty.peel(index.len()), Exp::Basic(Basic::Index(array, slice))).into()
    }

    /// A nested body.
    fn nested(&mut self, f: impl FnOnce(&mut Self) -> Vec<SubExp>) -> Body<Kernels> {
        nested_body(self, |this| &mut this.b, f)
    }

    /// A segmented map.
    fn map(
        &mut self,
        around: Around,
        pat: Bindings,
        dims: Vec<(Name, SubExp)>,
        types: Vec<Type>,
        body: Body<Kernels>,
    ) {
        self.operation(around, pat, dims, types, body, SegKind::Map);
    }

    /// A segmented operation, all of whose results are elements.
    fn operation(
        &mut self,
        around: Around,
        pat: Bindings,
        dims: Vec<(Name, SubExp)>,
        types: Vec<Type>,
        body: Body<Kernels>,
        kind: SegKind<Kernels>,
    ) {
        let level = match around {
            Around::Host => SegLevel::Thread,
            Around::Block => SegLevel::InBlock,
        };
        let flat = self.b.fresh("flat", Type::I64);
        let returns = types.iter().map(|_| KernelReturn::Elem).collect();
        let seg = SegOp {
            level,
            space: SegSpace { flat, dims },
            types,
            body: KernelBody { body, returns },
            virtualise: around == Around::Host || matches!(kind, SegKind::Map),
            kind,
            grid: None,
            schedule: None,
        };
        self.b.bind_names(pat, Exp::Op(KernelsOp::Seg(seg)));
    }

    /// Fresh names for results.
    fn results(&mut self, base: &str, types: impl IntoIterator<Item = Type>) -> Bindings {
        types.into_iter().map(|t| (self.b.fresh(base, t.clone()), t)).collect()
    }

    /// The results of a lambda on arguments; what it consumes is copied first.
    fn apply(&mut self, lambda: &Lambda<Kernels>, args: &[SubExp]) -> Vec<SubExp> {
        let lambda = fehu_ir::subst::rename_lambda(&mut self.b.names, lambda);
        let mut subst = fehu_ir::subst::Subst::new();
        for (p, arg) in lambda.params.iter().zip(args) {
            let arg = match arg {
                SubExp::Var(a) if p.consumed && p.ty.is_array() => {
                    self.b.bind("copy", p.ty.clone(), Exp::Basic(Basic::Copy(*a))).into()
                }
                SubExp::Var(_) | SubExp::Const(_) => *arg,
            };
            subst.insert(p.name, arg);
        }
        let mut body = lambda.body;
        subst.body(&mut body);
        self.b.types.extend(fehu_ir::types::body_types(&body));
        for stm in body.stms {
            self.b.push(stm);
        }
        body.result
    }
}

/// The slice of an array that fixes outer indices.
fn outer_slice(ty: &Type, index: &[SubExp]) -> Slice {
    let fixed = index.iter().map(|i| DimIndex::Fix(*i));
    let whole = |n: &SubExp| DimIndex::Slice { start: SubExp::i64(0), len: *n, stride: SubExp::i64(1) };
    fixed.chain(ty.shape().iter().skip(index.len()).map(whole)).collect()
}

/// Whether a value of the type is a primitive.
fn is_prim(ty: &Type) -> bool {
    matches!(ty, Type::Prim(_))
}

/// The blank value of a primitive type's operand, never used.
fn blank(p: PrimType) -> SubExp {
    SubExp::Const(p.blank())
}
