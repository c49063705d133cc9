//! Large reductions read transposed arrays in the order in which these are in memory.
//!
//! Neighbouring threads of a reduction have neighbouring numbers in the innermost dimension. If that is not the innermost one
//! in memory, as for the columns of a matrix product, each of them fetches a piece of memory of its own. Where every element is
//! read often, a copy in the right order is made before:
//!
//! ```text
//! let (ts : [m][n]f32) = rearrange [1, 0] bs              let (ts' : [m][n]f32) = if 16 <= k && ... then copy ts else ts
//! segred (f; h < k, i < m, j < n) { ts[i, j] ... }   ->   segred (f; h < k, i < m, j < n) { ts'[i, j] ... }
//! ```

use fehu_base::ops::{BinOp, CmpOp};
use fehu_base::prim::IntType;
use fehu_base::{Name, NameSource};
use fehu_ir::seg::{KernelsOp, SegKind, SegLevel, SegOp};
use fehu_ir::subst::Subst;
use fehu_ir::visit::{deep, map_bodies};
use fehu_ir::{Body, DimIndex, Exp, Kernels, Loc, PatElem, Prog, Stm, SubExp, Type};
use fehu_pass::{Need, Pass};
use rustc_hash::{FxHashMap, FxHashSet};

/// Large reductions read arrays in memory order.
pub const PASS: Pass<Prog<Kernels>> =
    Pass { name: "coalesce-reductions", need: Need::Optional, run: coalesce };

/// An array is copied if every element is read so often.
const OFTEN: i64 = 16;

/// Reductions of fewer points are not worth a further kernel.
const MANY: i64 = 1 << 20;

/// Copies what reductions would read in a bad order.
fn coalesce(prog: &mut Prog<Kernels>) {
    let names = std::mem::replace(&mut prog.names, NameSource::new());
    let mut pass = Coalesce { names, rearranged: FxHashMap::default() };
    for fun in &mut prog.funs {
        pass.body(&mut fun.body);
    }
    prog.names = pass.names;
}

struct Coalesce {
    names: NameSource,
    /// Arrays of the host whose innermost dimension is not that of what they are views of.
    rearranged: FxHashMap<Name, Type>,
}

impl Coalesce {
    fn body(&mut self, b: &mut Body<Kernels>) {
        deep(|| {
            let mut out = vec![];
            for mut stm in std::mem::take(&mut b.stms) {
                match &mut stm.exp {
                    Exp::Rearrange(perm, _) if perm.last().is_some_and(|p| p + 1 != perm.len()) => {
                        self.rearranged.extend(stm.pat.iter().map(|p| (p.name, p.ty.clone())));
                    }
                    Exp::Op(KernelsOp::Seg(seg)) => self.reads(seg, &mut out),
                    Exp::Op(_) => {}
                    exp => map_bodies(exp, &mut |inner| self.body(inner)),
                }
                out.push(stm);
            }
            b.stms = out;
        });
    }

    /// Has a reduction read copies.
    fn reads(&mut self, seg: &mut SegOp<Kernels>, out: &mut Vec<Stm<Kernels>>) {
        if !matches!(seg.kind, SegKind::Red(_)) || seg.level != SegLevel::Thread {
            return;
        }
        let mut subst = Subst::new();
        for (array, unused) in self.often(seg) {
            let Some(ty) = self.rearranged.get(&array).cloned() else { continue };
            let mut times = SubExp::i64(1);
            for n in unused {
                times = self.bind(out, Type::I64, Exp::BinOp(BinOp::Mul(IntType::I64), times, n));
            }
            let mut points = SubExp::i64(1);
            for (_, n) in &seg.space.dims {
                points = self.bind(out, Type::I64, Exp::BinOp(BinOp::Mul(IntType::I64), points, *n));
            }
            let le = |least: i64, e: SubExp| Exp::CmpOp(CmpOp::SLe(IntType::I64), SubExp::i64(least), e);
            let often = self.bind(out, Type::BOOL, le(OFTEN, times));
            let many = self.bind(out, Type::BOOL, le(MANY, points));
            let worth = self.bind(out, Type::BOOL, Exp::BinOp(BinOp::LogAnd, often, many));
            let mut yes = vec![];
            let copy = self.bind(&mut yes, ty.clone(), Exp::Copy(array));
            let yes = Body { stms: yes, result: vec![copy] };
            let no = Body { stms: vec![], result: vec![array.into()] };
            subst.insert(array, self.bind(out, ty, Exp::If(worth, Box::new(yes), Box::new(no))));
        }
        if !subst.is_empty() {
            subst.body(&mut seg.body.body);
        }
    }

    fn bind(&mut self, out: &mut Vec<Stm<Kernels>>, ty: Type, exp: Exp<Kernels>) -> SubExp {
        let name = self.names.fresh_str("c");
        let pat = vec![PatElem { name, ty, dec: () }];
        out.push(Stm { pat, certs: vec![], attrs: vec![], loc: Loc::none(), exp });
        name.into()
    }

    /// The arrays that a reduction reads in a bad order, each with the sizes of the dimensions that do not matter to
    /// what is read.
    fn often(&self, seg: &SegOp<Kernels>) -> Vec<(Name, Vec<SubExp>)> {
        let dims = &seg.space.dims;
        let Some((last, _)) = dims.last() else { return vec![] };
        let mut same: FxHashMap<Name, Name> = dims.iter().map(|d| (d.0, d.0)).collect();
        let mut seen = FxHashSet::default();
        let mut found = vec![];
        for stm in &seg.body.body.stms {
            match (&stm.exp, &stm.pat[..]) {
                (Exp::SubExp(SubExp::Var(n)), [p]) => {
                    if let Some(n) = same.get(n).copied() {
                        same.insert(p.name, n);
                    }
                }
                (Exp::Index(array, slice), _) if self.rearranged.contains_key(array) => {
                    let index = |d: &DimIndex| match d {
                        DimIndex::Fix(SubExp::Var(n)) => same.get(n).copied(),
                        DimIndex::Fix(SubExp::Const(_)) | DimIndex::Slice { .. } => None,
                    };
                    let Some(used) = slice.iter().map(index).collect::<Option<Vec<Name>>>() else { continue };
                    let unused: Vec<SubExp> =
                        dims.iter().filter(|d| !used.contains(&d.0)).map(|d| d.1).collect();
                    if used.last() == Some(last) && !unused.is_empty() && seen.insert(*array) {
                        found.push((*array, unused));
                    }
                }
                _ => {}
            }
        }
        found
    }
}
