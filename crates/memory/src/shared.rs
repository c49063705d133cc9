//! How much shared memory the operations of thread blocks need, for the tests that choose between versions.
//!
//! Before: a program over `Memory` whose kernels are finished. After: thread blocks allocate all the shared
//! memory that they use, that through which their threads exchange values included (`exchange`), and no
//! `shared_needed` is left: each became the sum of what the operation allocates.
//!
//! ```text
//! let (b : i64) = shared_needed "block_7"                 let (s : i64) = mul_i64(4, n)
//! let (m : i64) = get_size_max shared_memory              let (b : i64) = add_i64(8, s)
//! let (fits : bool) = sle_i64(b, m)                       let (m : i64) = get_size_max shared_memory
//! if fits then {                                          ...
//!   let (s : i64) = mul_i64(4, n)
//!   #[shared_memory(block_7)] segmap block { let (x : mem) = alloc s shared ... }
//! ```
//!
//! Sizes are computed again where the question stands, of what is known there. One that is not known there is
//! too large: the version is not chosen. (Flattening makes no such versions.)

mod exchange;

use crate::builder::MemBuilder;
use crate::within::is_parallel;
use fehu_algebra::horner::Arith;
use fehu_base::device;
use fehu_base::ops::BinOp;
use fehu_base::prim::IntType;
use fehu_base::{Name, Symbol};
use fehu_ir::mem::MemOp;
use fehu_ir::seg::{SegLevel, SegOp, SizeOp, SHARED_MEMORY};
use fehu_ir::types::Types;
use fehu_ir::visit::{deep, for_each_stm, map_bodies};
use fehu_ir::{Attr, Basic, Body, Exp, LoopForm, Memory, Prog, Space, Stm, SubExp, Type};
use fehu_pass::{Need, Pass};
use rustc_hash::{FxHashMap, FxHashSet};

/// The tests that choose between versions know how much shared memory each needs.
pub static PASS: Pass<Prog<Memory>> = Pass { name: "shared-memory", need: Need::Required, run: fill };

fn fill(prog: &mut Prog<Memory>) {
    if !is_parallel(prog) {
        return;
    }
    let mut b = MemBuilder::new(std::mem::take(&mut prog.names), Types::default());
    fill_body(&mut b, &mut prog.consts, FxHashSet::default());
    let consts: FxHashSet<Name> = prog.consts.stms.iter().flat_map(|s| &s.pat).map(|p| p.name).collect();
    for fun in &mut prog.funs {
        let scope = consts.iter().copied().chain(fun.params.iter().map(|p| p.name)).collect();
        fill_body(&mut b, &mut fun.body, scope);
    }
    prog.names = b.names;
}

/// Fills a function's body, or the constants, where `scope` is known.
fn fill_body(b: &mut MemBuilder, body: &mut Body<Memory>, scope: FxHashSet<Name>) {
    exchange::allocate(b, body);
    let (kernels, defs) = look(body);
    if !kernels.is_empty() {
        Fill { b, kernels, defs, scope }.body(body);
    }
}

/// The expressions that sizes are computed by.
type Defs = FxHashMap<Name, (Type, Exp<Memory>)>;

/// The sizes of the blocks that an operation has in shared memory.
type Blocks = Vec<SubExp>;

/// The operations whose needs are asked for, and how scalars of a function are computed.
fn look(body: &Body<Memory>) -> (FxHashMap<Symbol, Vec<Blocks>>, Defs) {
    let mut kernels: FxHashMap<Symbol, Vec<Blocks>> = FxHashMap::default();
    let mut defs = Defs::default();
    let mut asked = false;
    for_each_stm(body, &mut |stm| match (&stm.exp, &stm.pat[..]) {
        (Exp::Op(MemOp::Seg(seg)), _) if seg.level == SegLevel::Block => {
            if let Some(label) = label(stm) {
                kernels.entry(label).or_default().push(blocks(seg));
            }
        }
        (Exp::Op(MemOp::Size(SizeOp::SharedNeeded(label))), _) => {
            kernels.entry(*label).or_default();
            asked = true;
        }
        (Exp::Op(MemOp::Size(SizeOp::GetSizeMax(_))), [p]) => {
            defs.insert(p.name, (p.ty.clone(), stm.exp.clone()));
        }
        (Exp::Basic(Basic::BinOp(op, ..)), [p]) if !op.is_partial() => {
            defs.insert(p.name, (p.ty.clone(), stm.exp.clone()));
        }
        (Exp::Basic(Basic::SubExp(_) | Basic::UnOp(..) | Basic::CmpOp(..) | Basic::Conv(..)), [p])
            if matches!(p.ty, Type::Prim(_)) =>
        {
            defs.insert(p.name, (p.ty.clone(), stm.exp.clone()));
        }
        _ => {}
    });
    if !asked {
        kernels.clear();
    }
    (kernels, defs)
}

fn label(stm: &Stm<Memory>) -> Option<Symbol> {
    stm.attrs.iter().find_map(|a| match a {
        Attr::Comp(name, args) if name.as_str() == SHARED_MEMORY => match &args[..] {
            [Attr::Atom(label)] => Some(*label),
            _ => None,
        },
        Attr::Atom(_) | Attr::Int(_) | Attr::Comp(..) => None,
    })
}

fn blocks(seg: &SegOp<Memory>) -> Blocks {
    let mut blocks = vec![];
    for_each_stm(&seg.body.body, &mut |stm| {
        if let Exp::Op(MemOp::Alloc(bytes, Space::Shared)) = &stm.exp {
            blocks.push(*bytes);
        }
    });
    blocks
}

struct Fill<'a> {
    b: &'a mut MemBuilder,
    kernels: FxHashMap<Symbol, Vec<Blocks>>,
    defs: Defs,
    /// What is known where we are.
    scope: FxHashSet<Name>,
}

impl Fill<'_> {
    /// Code of the host.
    fn body(&mut self, body: &mut Body<Memory>) {
        deep(|| {
            let mut mine = vec![];
            let mut out = Vec::with_capacity(body.stms.len());
            for mut stm in std::mem::take(&mut body.stms) {
                match &mut stm.exp {
                    Exp::Op(MemOp::Size(SizeOp::SharedNeeded(label))) => {
                        self.b.begin();
                        self.b.loc = stm.loc.clone();
                        let bytes = self.bytes(*label).unwrap_or(SubExp::i64(i64::MAX));
                        out.extend(self.b.close());
                        stm.exp = Exp::Basic(Basic::SubExp(bytes));
                    }
                    Exp::Op(MemOp::Seg(_)) => {}
                    Exp::Loop(l) => {
                        mine.extend(l.params.iter().map(|(p, _)| p.name));
                        match &l.form {
                            LoopForm::For { var, .. } => mine.push(*var),
                            LoopForm::While(_) => {}
                        }
                        self.scope.extend(mine.iter().copied());
                        self.body(&mut l.body);
                    }
                    other @ (Exp::Basic(_) | Exp::Call(..) | Exp::If(..) | Exp::WithAcc(_) | Exp::Op(_)) => {
                        map_bodies(other, &mut |inner| self.body(inner))
                    }
                }
                mine.extend(stm.pat.iter().map(|p| p.name));
                self.scope.extend(stm.pat.iter().map(|p| p.name));
                out.push(stm);
            }
            body.stms = out;
            for n in mine {
                self.scope.remove(&n);
            }
        });
    }

    /// How many bytes an operation needs.
    fn bytes(&mut self, label: Symbol) -> Option<SubExp> {
        let mut most = SubExp::i64(0);
        let all = self.kernels.remove(&label).unwrap_or_default();
        let mut known = FxHashMap::default();
        for blocks in &all {
            let mut sum = SubExp::i64(blocks.len() as i64 * device::SHARED_ALIGNMENT_BYTES);
            for bytes in blocks {
                let bytes = self.value(&mut known, *bytes)?;
                sum = self.b.add(sum, bytes);
            }
            most = if most == SubExp::i64(0) { sum } else { self.larger(most, sum) };
        }
        self.kernels.insert(label, all);
        Some(most)
    }

    fn larger(&mut self, a: SubExp, b: SubExp) -> SubExp {
        self.bound(Type::I64, Exp::Basic(Basic::BinOp(BinOp::SMax(IntType::I64), a, b)))
    }

    /// An operand, computed of what is known here.
    fn value(&mut self, known: &mut FxHashMap<Name, SubExp>, e: SubExp) -> Option<SubExp> {
        let SubExp::Var(n) = e else { return Some(e) };
        if self.scope.contains(&n) {
            return Some(e);
        }
        if let Some(value) = known.get(&n) {
            return Some(*value);
        }
        let (ty, exp) = self.defs.get(&n)?.clone();
        let value = deep(|| match exp {
            Exp::Basic(Basic::SubExp(x)) => self.value(known, x),
            exp @ Exp::Op(MemOp::Size(SizeOp::GetSizeMax(_))) => Some(self.bound(ty, exp)),
            Exp::Basic(Basic::UnOp(op, x)) => {
                let x = self.value(known, x)?;
                Some(self.bound(ty, Exp::Basic(Basic::UnOp(op, x))))
            }
            Exp::Basic(Basic::Conv(op, x)) => {
                let x = self.value(known, x)?;
                Some(self.bound(ty, Exp::Basic(Basic::Conv(op, x))))
            }
            Exp::Basic(Basic::BinOp(op, x, y)) => {
                let (x, y) = (self.value(known, x)?, self.value(known, y)?);
                Some(self.bound(ty, Exp::Basic(Basic::BinOp(op, x, y))))
            }
            Exp::Basic(Basic::CmpOp(op, x, y)) => {
                let (x, y) = (self.value(known, x)?, self.value(known, y)?);
                Some(self.bound(ty, Exp::Basic(Basic::CmpOp(op, x, y))))
            }
            Exp::Basic(_) | Exp::Call(..) | Exp::If(..) | Exp::Loop(_) | Exp::WithAcc(_) | Exp::Op(_) => None,
        })?;
        known.insert(n, value);
        Some(value)
    }

    fn bound(&mut self, ty: Type, exp: Exp<Memory>) -> SubExp {
        let name = self.b.fresh("bytes", ty.clone());
        self.b.bind(name, ty, exp);
        name.into()
    }
}
