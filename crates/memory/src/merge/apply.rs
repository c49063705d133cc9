//! Makes blocks one, as was decided.

use super::lifetimes::Lifetimes;
use super::Group;
use crate::builder::MemBuilder;
use crate::tables::Tables;
use fehu_base::ops::BinOp;
use fehu_base::prim::IntType;
use fehu_base::{Name, NameSource};
use fehu_ir::mem::{MemInfo, MemOp};
use fehu_ir::types::Types;
use fehu_ir::visit::{deep, map_bodies, Mutator};
use fehu_ir::{Basic, Body, Exp, Memory, PatElem, Space, Stm, SubExp, Type};
use rustc_hash::{FxHashMap, FxHashSet};

/// What is to be done.
#[derive(Default)]
pub(super) struct Plan {
    /// What blocks become.
    renamed: FxHashMap<Name, Name>,
    /// Allocations that go.
    dropped: FxHashSet<Name>,
    /// Blocks that are allocated where they were, as large as the largest of these.
    grown: FxHashMap<Name, Vec<SubExp>>,
    /// Blocks that are allocated where the operation with this flat index begins.
    moved: FxHashMap<Name, Vec<Moved>>,
}

struct Moved {
    block: Name,
    space: Space,
    /// As large as the largest of these.
    sizes: Vec<SubExp>,
}

impl Plan {
    /// Whether a block becomes another, or another becomes it.
    pub(super) fn joins(&self, block: Name) -> bool {
        self.renamed.contains_key(&block) || self.grown.contains_key(&block)
    }

    /// A block becomes another that is in scope and as large.
    pub(super) fn replace(&mut self, block: Name, by: Name) {
        self.renamed.insert(block, by);
        self.dropped.insert(block);
    }

    /// The blocks of a place become one.
    pub(super) fn join(&mut self, lives: &Lifetimes, group: Group, place: Vec<Name>, equal: bool) {
        let life = |block: &Name| lives.blocks.get(block);
        let mut sizes: Vec<SubExp> = place.iter().filter_map(|b| Some(life(b)?.bytes)).collect();
        sizes.dedup();
        if equal {
            sizes.truncate(1);
        }
        match group {
            Group::Shared(operation) | Group::Private(operation, _) => {
                let Some(block) = place.first().copied() else { return };
                let Some(space) = place.iter().filter_map(life).map(|l| l.space.clone()).max_by_key(elements)
                else {
                    return;
                };
                self.dropped.extend(&place);
                self.renamed.extend(place.iter().map(|b| (*b, block)));
                self.moved.entry(operation).or_default().push(Moved { block, space, sizes });
            }
            Group::Parts(..) | Group::Inside(..) => {
                // All sizes are known where the last one is allocated.
                let Some(block) = place.iter().copied().max_by_key(|b| life(b).map(|l| l.alloc)) else {
                    return;
                };
                self.dropped.extend(place.iter().filter(|b| **b != block));
                self.renamed.extend(place.iter().map(|b| (*b, block)));
                let own = life(&block).map(|l| vec![l.bytes]);
                self.grown.insert(block, if equal { own.unwrap_or_default() } else { sizes });
            }
        }
    }
}

/// How many elements a thread's own array has.
fn elements(space: &Space) -> i64 {
    match space {
        Space::Scalar(_, shape) => shape.iter().product(),
        Space::Default | Space::Shared => 0,
    }
}

/// Changes a function's body.
pub(super) fn apply(names: &mut NameSource, tables: &Tables, body: &mut Body<Memory>, plan: &Plan) {
    if plan.renamed.is_empty() {
        return;
    }
    Rename { plan, tables }.body(body);
    let mut b = MemBuilder::new(std::mem::replace(names, NameSource::new()), Types::default());
    allocations(&mut b, body, plan);
    *names = b.names;
}

struct Rename<'a> {
    plan: &'a Plan,
    tables: &'a Tables,
}

impl Mutator<Memory> for Rename<'_> {
    fn name(&mut self, n: &mut Name) {
        if let (Some(by), Some(Type::Mem(_))) = (self.plan.renamed.get(n), self.tables.types.get(n)) {
            *n = *by;
        }
    }
    fn operand(&mut self, e: &mut SubExp) {
        if let SubExp::Var(n) = e {
            self.name(n);
        }
    }
}

/// Drops and changes allocations.
fn allocations(b: &mut MemBuilder, body: &mut Body<Memory>, plan: &Plan) {
    deep(|| {
        let mut out = Vec::with_capacity(body.stms.len());
        for mut stm in std::mem::take(&mut body.stms) {
            if let (Exp::Op(MemOp::Alloc(..)), [p]) = (&stm.exp, &stm.pat[..]) {
                if plan.dropped.contains(&p.name) {
                    continue;
                }
            }
            b.begin();
            b.loc = stm.loc.clone();
            if let (Exp::Op(MemOp::Alloc(bytes, _)), [p]) = (&mut stm.exp, &stm.pat[..]) {
                if let Some(sizes) = plan.grown.get(&p.name) {
                    *bytes = largest(b, sizes);
                }
            }
            map_bodies(&mut stm.exp, &mut |inner| allocations(b, inner, plan));
            if let Exp::Op(MemOp::Seg(seg)) = &mut stm.exp {
                for Moved { block, space, sizes } in plan.moved.get(&seg.space.flat).into_iter().flatten() {
                    let bytes = largest(b, sizes);
                    let pat =
                        vec![PatElem { name: *block, ty: Type::Mem(space.clone()), dec: MemInfo::None }];
                    let exp = Exp::Op(MemOp::Alloc(bytes, space.clone()));
                    let alloc = Stm { pat, certs: vec![], attrs: vec![], loc: stm.loc.clone(), exp };
                    seg.body.body.stms.insert(0, alloc);
                }
            }
            out.extend(b.close());
            out.push(stm);
        }
        body.stms = out;
    });
}

/// The largest of some sizes.
fn largest(b: &mut MemBuilder, sizes: &[SubExp]) -> SubExp {
    let constant = sizes.iter().filter_map(|s| s.as_i64()).max();
    let symbolic = sizes.iter().filter(|s| s.as_i64().is_none()).copied();
    let all: Vec<SubExp> = constant.map(SubExp::i64).into_iter().chain(symbolic).collect();
    let Some((first, rest)) = all.split_first() else { return SubExp::i64(0) };
    let mut most = *first;
    for size in rest {
        let name = b.fresh("bytes", Type::I64);
        b.bind(name, Type::I64, Exp::Basic(Basic::BinOp(BinOp::SMax(IntType::I64), most, *size)));
        most = name.into();
    }
    most
}
