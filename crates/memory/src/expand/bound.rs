//! The largest size that an allocation asks for at any point of a kernel.
//!
//! A kernel over the same points computes nothing but the sizes, and reduces them by `max`:
//!
//! ```text
//! segmap thread (f; i < n) {              let (most : i64) = segred thread (g; j < n) : (i64) op [0] max {
//!   let (m : i64) = ns[i]                   let (m' : i64) = ns[j]
//!   let (bytes : i64) = mul_i64(8, m)       let (bytes' : i64) = mul_i64(8, m')
//!   let (b : mem) = alloc(bytes) ...        return (bytes')
//! }                                       }
//! ```
//!
//! Its body is a slice of the kernel's: the statements that sizes depend on. An allocation in a branch counts if the
//! branch is taken; one in a loop, in every iteration. What a loop counts (the elements that a filter keeps) is taken
//! for the most that it can be. If sizes depend on arrays, the slice allocates as well, and is
//! expanded in turn; only sizes that depend on the contents of arrays of such sizes, round and round, cannot be found.

use super::{collect, Expand, Host, Owner, Request};
use crate::builder::MemBuilder;
use crate::slice::{loop_part, needed, Part};
use fehu_algebra::horner::Arith;
use fehu_algebra::Poly;
use fehu_base::ops::BinOp;
use fehu_base::prim::IntType;
use fehu_base::{Diagnostic, Name, NameSource};
use fehu_ir::free::bound_in_exp;
use fehu_ir::mem::{sym_name, MemInfo, MemOp};
use fehu_ir::seg::{KernelBody, KernelReturn, SegBinOp, SegKind, SegLevel, SegOp, SegSpace};
use fehu_ir::soac::Commutativity;
use fehu_ir::subst::{rename_body, rename_exp, Subst};
use fehu_ir::types::{body_types, Types};
use fehu_ir::visit::{deep, for_each_body};
use fehu_ir::{Basic, Body, Exp, Lambda, Loc, Loop, Memory, Param, PatElem, Stm, SubExp, Type};
use fehu_pass::Refusal;
use indexmap::IndexSet;
use rustc_hash::{FxHashMap, FxHashSet};

impl Expand {
    /// The largest size of each of these allocations in a kernel. What computes them goes before it.
    pub(super) fn bounds(
        &mut self,
        out: &mut Vec<Stm<Memory>>,
        stm: &Stm<Memory>,
        host: &Host,
        requests: &[&Request],
    ) -> FxHashMap<Name, SubExp> {
        let Exp::Op(MemOp::Seg(seg)) = &stm.exp else { return FxHashMap::default() };
        let wanted: FxHashSet<Name> = requests.iter().map(|r| r.block).collect();
        let mut slicer =
            Slicer { names: std::mem::take(&mut self.b.names), wanted: &wanted, host, loc: &stm.loc };
        let sliced = slicer.sizes(&seg.body.body, &[]);
        self.b.names = slicer.names;
        // A single thread computes the sizes of a point, so nothing in them may need a thread block.
        let found = sliced.filter(|s| {
            s.values.len() == wanted.len() && makes_progress(seg, s, &wanted) && !has_operations(&s.stms)
        });
        let Some(sliced) = found else {
            let message = "An array has a size that is known only inside of parallel code for a GPU.";
            let problem = Diagnostic::error(stm.loc.span, message).help(
                "memory inside of GPU code must be set aside before it runs: give the array a size that does not depend on what is computed in there",
            );
            self.errors.push(Refusal { kernel: stm.loc.clone(), problem });
            return FxHashMap::default();
        };
        let mut bound = vec![];
        let Sliced { stms, values } = sliced;
        let distinct: IndexSet<SubExp> = values.iter().map(|(_, v)| *v).collect();
        let most = self.largest(&mut bound, seg, stms, distinct.iter().copied().collect(), stm.loc.clone());
        for stm in bound {
            self.see(&stm);
            let is_kernel = matches!(stm.exp, Exp::Op(MemOp::Seg(_)));
            if is_kernel {
                self.kernel(out, stm);
            } else {
                out.push(stm);
            }
        }
        let most_of = |v: &SubExp| distinct.get_index_of(v).map_or(SubExp::i64(0), |k| most[k]);
        values.iter().map(|(block, v)| (*block, most_of(v))).collect()
    }

    /// An operation that reduces the values of a slice, at all points, by `max`.
    fn largest(
        &mut self,
        out: &mut Vec<Stm<Memory>>,
        seg: &SegOp<Memory>,
        sliced: Vec<Stm<Memory>>,
        result: Vec<SubExp>,
        loc: Loc,
    ) -> Vec<SubExp> {
        self.b.loc = loc;
        self.b.begin();
        let mut points = SubExp::i64(1);
        for (_, n) in &seg.space.dims {
            points = self.b.mul(points, *n);
        }
        let before = self.b.close();
        out.extend(before);
        // All points along one dimension; the indices are computed back from it.
        self.b.begin();
        let index = self.b.fresh("i", Type::I64);
        let flat = self.b.fresh("flat", Type::I64);
        let mut rest = SubExp::Var(index);
        for (k, (name, n)) in seg.space.dims.iter().enumerate().rev() {
            let copied = if k == 0 {
                Exp::Basic(Basic::SubExp(rest))
            } else {
                Exp::Basic(Basic::BinOp(BinOp::SRem(IntType::I64), rest, *n))
            };
            self.b.bind(*name, Type::I64, copied);
            if k > 0 {
                let quot = self.b.fresh("rest", Type::I64);
                self.b.bind(quot, Type::I64, Exp::Basic(Basic::BinOp(BinOp::SQuot(IntType::I64), rest, *n)));
                rest = quot.into();
            }
        }
        self.b.bind(seg.space.flat, Type::I64, Exp::Basic(Basic::SubExp(index.into())));
        let mut stms = self.b.close();
        stms.extend(sliced);
        let count = result.len();
        let body = rename_body(&mut self.b.names, &Body { stms, result });
        let ops = (0..count).map(|_| self.max_op()).collect();
        let op = SegOp {
            level: SegLevel::Thread,
            space: SegSpace { flat, dims: vec![(index, points)] },
            types: vec![Type::I64; count],
            body: KernelBody { body, returns: vec![KernelReturn::Elem; count] },
            kind: SegKind::Red(ops),
            virtualise: true,
            grid: None,
            schedule: None,
        };
        self.b.begin();
        let names: Vec<Name> = (0..count).map(|_| self.b.fresh("bytes", Type::I64)).collect();
        let pat = names.iter().map(|n| scalar(*n)).collect();
        self.b.push(pat, Exp::Op(MemOp::Seg(op)));
        out.extend(self.b.close());
        names.into_iter().map(SubExp::Var).collect()
    }

    fn max_op(&mut self) -> SegBinOp<Memory> {
        let [x, y] = ["x", "y"].map(|base| self.b.fresh(base, Type::I64));
        self.b.begin();
        let most = self.b.fresh("most", Type::I64);
        self.b.bind(most, Type::I64, Exp::Basic(Basic::BinOp(BinOp::SMax(IntType::I64), x.into(), y.into())));
        let body = self.b.end(vec![most.into()]);
        let param = |name| Param { name, ty: Type::I64, dec: MemInfo::None, consumed: false };
        let op = Lambda { params: vec![param(x), param(y)], body, ret: vec![Type::I64] };
        let neutral = vec![SubExp::i64(0)];
        SegBinOp { comm: Commutativity::Commutative, op, neutral }
    }

    /// Takes new code into the tables.
    fn see(&mut self, stm: &Stm<Memory>) {
        let body = Body { stms: vec![stm.clone()], result: vec![] };
        self.tables.see(&body);
        let types = body_types(&body);
        self.b.types.extend(types.clone());
        self.tables.types.extend(types);
    }
}

/// Whether there are parallel operations in statements.
fn has_operations(stms: &[Stm<Memory>]) -> bool {
    stms.iter().any(|stm| {
        let mut found = matches!(stm.exp, Exp::Op(MemOp::Seg(_)));
        for_each_body(&stm.exp, &mut |body| found |= deep(|| has_operations(&body.stms)));
        found
    })
}

/// Whether fewer allocations of varying size are left in the slice.
fn makes_progress(seg: &SegOp<Memory>, sliced: &Sliced, wanted: &FxHashSet<Name>) -> bool {
    let mut inside: FxHashSet<Name> = seg.space.dims.iter().map(|d| d.0).collect();
    inside.insert(seg.space.flat);
    inside.extend(sliced.stms.iter().flat_map(|s| bound_in_exp(&s.exp)));
    inside.extend(sliced.stms.iter().flat_map(|s| &s.pat).map(|p| p.name));
    let body = Body { stms: sliced.stms.clone(), result: vec![] };
    let mut left = vec![];
    collect(&body, Owner::Thread, &mut left);
    let mut host = Host::new(inside);
    host.see(&body);
    let varying = left.iter().filter(|r| !host.is_known(r.bytes)).count();
    varying < wanted.len()
}

fn scalar(name: Name) -> PatElem<Memory> {
    PatElem { name, ty: Type::I64, dec: MemInfo::None }
}

/// Code that computes sizes.
struct Sliced {
    stms: Vec<Stm<Memory>>,
    /// The size of each allocation; its largest, for one in a loop.
    values: Vec<(Name, SubExp)>,
}

struct Slicer<'a> {
    names: NameSource,
    /// The blocks whose sizes are to be found.
    wanted: &'a FxHashSet<Name>,
    host: &'a Host,
    loc: &'a Loc,
}

impl Slicer<'_> {
    /// What computes the sizes of the allocations in a body, and other operands; `None` if it cannot be done.
    fn sizes(&mut self, body: &Body<Memory>, also: &[SubExp]) -> Option<Sliced> {
        let mut values = vec![];
        // The sums that sizes are, and what computes them.
        let mut sums: Vec<(Poly, SubExp)> = vec![];
        let mut computed = vec![];
        let mut nested: FxHashMap<usize, Stm<Memory>> = FxHashMap::default();
        for (i, stm) in body.stms.iter().enumerate() {
            match (&stm.exp, stm.pat.first()) {
                (Exp::Op(MemOp::Alloc(bytes, _)), Some(p)) if self.wanted.contains(&p.name) => {
                    let sum = self.host.room(*bytes);
                    let known = sums.iter().find(|(s, _)| *s == sum).map(|(_, v)| *v);
                    let value = known.unwrap_or_else(|| self.compute(&mut computed, &sum));
                    sums.push((sum, value));
                    values.push((p.name, value));
                }
                _ => {
                    let mut requests = vec![];
                    for_each_body(&stm.exp, &mut |b| collect(b, Owner::Thread, &mut requests));
                    if requests.iter().any(|r| self.wanted.contains(&r.block)) {
                        let (found, exp) = deep(|| self.inside(&stm.exp))?;
                        let exp = rename_exp(&mut self.names, &exp);
                        let mut pat = vec![];
                        for block in found {
                            let name = self.names.fresh_str("most");
                            pat.push(scalar(name));
                            values.push((block, name.into()));
                        }
                        // Results of a loop that only it needs.
                        let results = match &exp {
                            Exp::Loop(l) => l.params.iter().map(|(p, _)| p.clone()).collect(),
                            Exp::Basic(_) | Exp::Call(..) | Exp::If(..) | Exp::WithAcc(_) | Exp::Op(_) => {
                                vec![]
                            }
                        };
                        let mut renamed = Subst::new();
                        let results: Vec<Param<Memory>> = results.into_iter().skip(pat.len()).collect();
                        for p in &results {
                            renamed.insert(p.name, self.names.fresh_like(p.name));
                        }
                        for Param { name, mut ty, mut dec, .. } in results {
                            renamed.ty(&mut ty);
                            renamed.dec::<Memory>(&mut dec);
                            let name = renamed.get(name).and_then(|e| e.name()).unwrap_or(name);
                            pat.push(PatElem { name, ty, dec });
                        }
                        let Stm { certs, attrs, loc, .. } = stm.clone();
                        nested.insert(i, Stm { pat, certs, attrs, loc, exp });
                    }
                }
            }
        }
        let leaves = sums.iter().flat_map(|(sum, _)| sum.vars()).map(|x| sym_name(x).into());
        let operands = leaves.chain(values.iter().map(|(_, v)| *v)).chain(also.iter().copied());
        let mut stms = needed(body, nested, operands);
        stms.extend(computed);
        Some(Sliced { stms, values })
    }

    fn compute(&mut self, out: &mut Vec<Stm<Memory>>, sum: &Poly) -> SubExp {
        let mut b = MemBuilder::new(std::mem::take(&mut self.names), Types::default());
        b.loc = self.loc.clone();
        b.begin();
        let value = b.emit(sum, "bytes");
        out.extend(b.close());
        self.names = b.names;
        value
    }

    /// The largest sizes of the allocations inside of an expression, and an expression that returns them.
    fn inside(&mut self, exp: &Exp<Memory>) -> Option<(Vec<Name>, Exp<Memory>)> {
        match exp {
            Exp::If(c, t, f) => {
                let branches = [self.sizes(t, &[])?, self.sizes(f, &[])?];
                let found: Vec<Name> = branches.iter().flat_map(|b| &b.values).map(|(n, _)| *n).collect();
                let [t, f] = branches.map(|b| {
                    let value =
                        |n: &Name| b.values.iter().find(|(m, _)| m == n).map_or(SubExp::i64(0), |v| v.1);
                    let result = found.iter().map(value).collect();
                    Box::new(Body { stms: b.stms, result })
                });
                Some((found, Exp::If(*c, t, f)))
            }
            Exp::Loop(l) => self.in_loop(l),
            Exp::Basic(_) | Exp::Call(..) | Exp::WithAcc(_) | Exp::Op(_) => None,
        }
    }

    fn in_loop(&mut self, l: &Loop<Memory>) -> Option<(Vec<Name>, Exp<Memory>)> {
        let mut values = vec![];
        let (kept, part) = loop_part(l, &[], |next| {
            let sliced = self.sizes(&l.body, next)?;
            let operands = sliced.values.iter().map(|(_, v)| *v).collect();
            values = sliced.values;
            Some(Part { stms: sliced.stms, operands })
        })?;
        let mut stms = part.stms;
        let mut params = vec![];
        let mut result = vec![];
        for (_, value) in &values {
            let [so_far, most] = ["so_far", "most"].map(|base| self.names.fresh_str(base));
            params.push((
                Param { name: so_far, ty: Type::I64, dec: MemInfo::None, consumed: false },
                SubExp::i64(0),
            ));
            let exp = Exp::Basic(Basic::BinOp(BinOp::SMax(IntType::I64), so_far.into(), *value));
            let loc = self.loc.clone();
            stms.push(Stm { pat: vec![scalar(most)], certs: vec![], attrs: vec![], loc, exp });
            result.push(most.into());
        }
        for ((param, kept), next) in l.params.iter().zip(kept).zip(&l.body.result) {
            if kept {
                params.push(param.clone());
                result.push(*next);
            }
        }
        let found = values.into_iter().map(|(n, _)| n).collect();
        let body = Body { stms, result };
        Some((found, Exp::Loop(Box::new(Loop { params, form: l.form.clone(), body }))))
    }
}
