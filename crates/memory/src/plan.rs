//! How loops carry their arrays, decided before memory is introduced.
//!
//! A loop parameter is carried *in place* if what the body returns for it is
//! that very memory: the parameter itself, or the end of a chain of updates,
//! branches and inner loops that starts at it. It then needs no block of its own:
//! it lives where its initial value does. Otherwise the loop carries a block,
//! and as much of the index function as may change: nothing if every value is
//! dense from the start of its block, an offset if it is row-major, else
//! strides as well.
//!
//! The analysis follows, name by name, where memory comes from (its *root*) and
//! what is known of its layout. It must only claim what `introduce` then does;
//! where it claims too much, `introduce` copies.

use crate::results::in_place_of;
use fehu_base::Name;
use fehu_ir::seg::KernelsOp;
use fehu_ir::types::Types;
use fehu_ir::visit::{deep, for_each_body};
use fehu_ir::{Basic, Body, DimIndex, Exp, Kernels, Loop, Stm, SubExp, Type};
use rustc_hash::{FxHashMap, FxHashSet};

/// How a loop carries an array.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Plan {
    /// It lives where its initial value does.
    InPlace,
    /// In a block that is carried too, with this layout.
    Block(Layout),
}

/// What is known of an index function; each says less than the one before.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Layout {
    /// Dense and row-major from the start of the block.
    Direct,
    /// Dense and row-major from an offset.
    RowMajor,
    /// Anything.
    Any,
}

/// The plans of all loop parameters of array type in a body. `internal` are functions that
/// return arrays with an offset.
pub(crate) fn plan(
    types: &Types,
    internal: &FxHashSet<Name>,
    params: impl IntoIterator<Item = (Name, Layout)>,
    body: &Body<Kernels>,
) -> FxHashMap<Name, Plan> {
    let mut planner = Planner {
        types,
        internal,
        plans: FxHashMap::default(),
        roots: FxHashMap::default(),
        layouts: params.into_iter().collect(),
    };
    planner.body(body);
    planner.plans
}

struct Planner<'a> {
    types: &'a Types,
    internal: &'a FxHashSet<Name>,
    plans: FxHashMap<Name, Plan>,
    /// Where a name's memory and index function come from, if not from its own statement.
    roots: FxHashMap<Name, Name>,
    /// Layouts that are not `Direct`.
    layouts: FxHashMap<Name, Layout>,
}

impl Planner<'_> {
    fn body(&mut self, body: &Body<Kernels>) {
        deep(|| {
            for stm in &body.stms {
                self.stm(stm);
            }
        })
    }

    fn root(&self, n: Name) -> Name {
        self.roots.get(&n).copied().unwrap_or(n)
    }

    fn layout(&self, n: Name) -> Layout {
        self.layouts.get(&n).copied().unwrap_or(Layout::Direct)
    }

    /// The name is the same memory as another.
    fn same(&mut self, name: Name, as_: Name) {
        self.roots.insert(name, self.root(as_));
        self.layouts.insert(name, self.layout(as_));
    }

    fn stm(&mut self, stm: &Stm<Kernels>) {
        let name = stm.pat.first().map(|p| p.name);
        match (&stm.exp, name) {
            (Exp::If(_, t, f), _) => {
                self.body(t);
                self.body(f);
                for (p, (t, f)) in stm.pat.iter().zip(t.result.iter().zip(&f.result)) {
                    if let (Type::Array(..), SubExp::Var(t), SubExp::Var(f)) = (&p.ty, t, f) {
                        self.layouts.insert(p.name, self.layout(*t).max(self.layout(*f)));
                        if self.root(*t) == self.root(*f) {
                            self.roots.insert(p.name, self.root(*t));
                        }
                    }
                }
            }
            (Exp::Loop(l), _) => self.loop_(stm, l),
            (Exp::Basic(Basic::SubExp(SubExp::Var(a)) | Basic::Opaque(SubExp::Var(a))), Some(name)) => {
                self.same(name, *a)
            }
            (Exp::Basic(Basic::Update(a, ..) | Basic::FlatUpdate(a, ..)), Some(name)) => self.same(name, *a),
            (Exp::Basic(Basic::Index(a, slice)), Some(name)) => {
                let layout = match self.layout(*a) {
                    Layout::Any => Layout::Any,
                    Layout::Direct | Layout::RowMajor => self.slice_layout(*a, slice),
                };
                self.layouts.insert(name, layout);
            }
            (Exp::Basic(Basic::Reshape(_, a)), Some(name)) => {
                self.layouts.insert(name, self.layout(*a));
            }
            (Exp::Basic(Basic::FlatIndex(..) | Basic::Rearrange(..) | Basic::Manifest(..)), Some(name)) => {
                self.layouts.insert(name, Layout::Any);
            }
            (Exp::Op(KernelsOp::Seg(seg)), _) => {
                for_each_body(&stm.exp, &mut |b| self.body(b));
                for (p, array) in stm.pat.iter().zip(in_place_of(seg)) {
                    if let Some(array) = array {
                        self.same(p.name, array);
                    }
                }
            }
            (Exp::WithAcc(w), _) => {
                for_each_body(&stm.exp, &mut |b| self.body(b));
                let arrays = w.inputs.iter().flat_map(|i| &i.arrays);
                for (p, array) in stm.pat.iter().zip(arrays) {
                    self.same(p.name, *array);
                }
            }
            (Exp::Call(f, _), _) if self.internal.contains(f) => {
                for p in &stm.pat {
                    self.layouts.insert(p.name, Layout::RowMajor);
                }
            }
            (Exp::Basic(_) | Exp::Call(..) | Exp::Op(KernelsOp::Size(_)), _) => {}
        }
    }

    /// A slice of a row-major array is row-major if it fixes outer dimensions, takes a range of the next and
    /// all of the others.
    fn slice_layout(&self, array: Name, slice: &[DimIndex]) -> Layout {
        let shape = self.types.get(&array).map(Type::shape).unwrap_or(&[]);
        let one = |e: &SubExp| e.as_i64() == Some(1);
        let mut dims = slice.iter().zip(shape).skip_while(|(d, _)| matches!(d, DimIndex::Fix(_)));
        let first = dims.next().is_none_or(|(d, _)| match d {
            DimIndex::Fix(_) => true,
            DimIndex::Slice { stride, .. } => one(stride),
        });
        let whole = |(d, n): (&DimIndex, &SubExp)| match d {
            DimIndex::Fix(_) => false,
            DimIndex::Slice { start, len, stride } => start.as_i64() == Some(0) && len == n && one(stride),
        };
        if first && dims.all(whole) {
            Layout::RowMajor
        } else {
            Layout::Any
        }
    }

    fn loop_(&mut self, stm: &Stm<Kernels>, l: &Loop<Kernels>) {
        let arrays: Vec<(usize, Name, Name)> = (l.params.iter().enumerate())
            .filter(|(_, (p, _))| p.ty.is_array())
            .filter_map(|(i, (p, init))| Some((i, p.name, init.name()?)))
            .collect();
        let mut assumed: Vec<Layout> = arrays.iter().map(|(_, _, init)| self.layout(*init)).collect();
        for round in 0.. {
            for ((_, p, _), layout) in arrays.iter().zip(&assumed) {
                self.layouts.insert(*p, *layout);
            }
            self.body(&l.body);
            let mut changed = false;
            for ((i, p, _), layout) in arrays.iter().zip(&mut assumed) {
                let Some(SubExp::Var(result)) = l.body.result.get(*i) else { continue };
                if self.root(*result) == *p {
                    self.plans.insert(*p, Plan::InPlace);
                    continue;
                }
                let joined = self.layout(*result).max(*layout);
                if joined != *layout {
                    // Every further round looks at inner loops again, so there are few.
                    *layout = if round > 0 { Layout::Any } else { joined };
                    changed = true;
                }
                self.plans.insert(*p, Plan::Block(*layout));
            }
            if !changed {
                break;
            }
        }
        for ((i, p, init), layout) in arrays.iter().zip(&assumed) {
            let Some(result) = stm.pat.get(*i).map(|p| p.name) else { continue };
            match self.plans.get(p) {
                Some(Plan::InPlace) => self.same(result, *init),
                Some(Plan::Block(_)) | None => {
                    self.layouts.insert(result, *layout);
                }
            }
        }
    }
}
