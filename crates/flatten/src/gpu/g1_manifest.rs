//! G1: a nest over sequential code becomes one kernel.
//!
//! In the paper: if no other rule applies, `Σ ⊢ e ⇒ segmap Σ e`.
//!
//! The kernel's body computes, from the indices of the nest, what the code
//! needs of what the nest binds, then the code itself, with combinators as
//! loops. What the code consumes is copied first, for no kernel may consume
//! what other points can see.

use super::nest::{at, Nest, Source};
use super::state::{Flat, Machine};
use fehu_base::Name;
use fehu_ir::alias::Aliases;
use fehu_ir::build::plain;
use fehu_ir::consume::consumed_by_exp;
use fehu_ir::free::{free_in_body, free_in_type};
use fehu_ir::seg::{KernelBody, KernelReturn, KernelsOp, SegKind, SegLevel, SegOp, SegSpace};
use fehu_ir::subst::rename_body;
use fehu_ir::types::{array_of_rows, body_types};
use fehu_ir::{Basic, Body, Exp, Kernels, Soacs, Stm, Type};
use rustc_hash::FxHashSet;

/// Code and what it is to be run on: the first levels of a nest.
pub(super) struct Point<'a> {
    pub(super) nest: &'a Nest,
    /// How many levels.
    pub(super) depth: usize,
    pub(super) body: Body<Soacs>,
    /// The types of the body's results.
    pub(super) types: Vec<Type>,
}

/// Code with all it needs from a nest.
pub(super) struct Opened {
    pub(super) space: SegSpace,
    pub(super) body: Body<Soacs>,
}

impl Flat {
    /// The arrays of the results of a body at all points of a nest.
    pub(super) fn seg_map(&mut self, point: Point<'_>) -> Vec<Name> {
        let returns = point.types.iter().map(|_| KernelReturn::Elem).collect();
        let (types, depth, nest) = (point.types.clone(), point.depth, point.nest);
        let results = types.iter().map(|t| array_of_rows(t, &nest.widths[..depth])).collect();
        let opened = self.open(point);
        let body = self.seq_body(opened.body);
        self.seg_op(opened.space, types, KernelBody { body, returns }, SegKind::Map, results)
    }

    /// Appends a segmented operation.
    pub(super) fn seg_op(
        &mut self,
        space: SegSpace,
        types: Vec<Type>,
        body: KernelBody<Kernels>,
        kind: SegKind<Kernels>,
        results: Vec<Type>,
    ) -> Vec<Name> {
        let level = match self.machine {
            Machine::Grid => SegLevel::Thread,
            Machine::Block => SegLevel::InBlock,
        };
        let virtualise = self.machine == Machine::Grid;
        let seg = SegOp { level, space, types, body, kind, virtualise, grid: None, schedule: None };
        let plain = self.seq.b.attrs.len();
        self.seq.b.attrs.extend(self.schedules.iter().cloned());
        let names = self.seq.b.bind_all("out", results, Exp::Op(KernelsOp::Seg(seg)));
        self.seq.b.attrs.truncate(plain);
        names
    }

    /// Sequential code, to be put inside of a kernel.
    pub(super) fn seq_body(&mut self, body: Body<Soacs>) -> Body<Kernels> {
        self.seq.undecorated(|seq| seq.body(body))
    }

    /// The body with all it needs from the nest before it, and fresh names for everything.
    pub(super) fn open(&mut self, point: Point<'_>) -> Opened {
        let Point { nest, depth, mut body, types } = point;
        let mut needed: FxHashSet<Name> = free_in_body(&body).into_iter().collect();
        needed.extend(types.iter().flat_map(free_in_type));
        let bound = |c: &Name| nest.find(*c).is_some_and(|b| b.depth <= depth);
        let inner: Vec<Name> = nest.certs.iter().copied().filter(bound).collect();
        needed.extend(inner.iter().copied());
        needed.extend(self.unmade(nest, depth));
        for stm in &mut body.stms {
            stm.certs.extend(inner.iter().filter(|c| !stm.certs.contains(c)).collect::<Vec<_>>());
        }
        let mut taken = vec![];
        for binding in nest.bindings.iter().rev() {
            if binding.names.iter().any(|(n, _)| needed.contains(n)) {
                needed.extend(Nest::needs(binding));
                taken.push(binding);
            }
        }
        for binding in &taken {
            if let Source::Stm(c) = &binding.source {
                if matches!(c.stm.exp, Exp::Basic(Basic::Assert(..))) {
                    let deeper = nest.widths[binding.depth.min(depth)..depth].to_vec();
                    c.stm.pat.iter().for_each(|p| self.ran.add(p.name, deeper.clone()));
                }
            }
        }
        let dims: Vec<Name> = (0..depth).map(|_| self.seq.b.fresh("gtid", Type::I64)).collect();
        let mut stms: Vec<Stm<Soacs>> = vec![];
        let mut elements = FxHashSet::default();
        for binding in taken.into_iter().rev() {
            match (&binding.source, &binding.names[..]) {
                (Source::Stm(c), _) => stms.push(c.stm.clone()),
                (Source::Elem { array, levels, .. }, [(name, ty)]) => {
                    let indices: Vec<Name> = levels.iter().map(|l| dims[*l]).collect();
                    let exp = if indices.is_empty() {
                        Exp::Basic(Basic::SubExp((*array).into()))
                    } else {
                        Exp::Basic(Basic::Index(*array, at(&indices, ty)))
                    };
                    elements.insert(*name);
                    stms.push(plain(*name, ty.clone(), exp));
                }
                (Source::Acc(acc), [(name, ty)]) => {
                    stms.push(plain(*name, ty.clone(), Exp::Basic(Basic::SubExp((*acc).into()))));
                }
                (Source::Index(level), [(name, ty)]) => {
                    stms.push(plain(*name, ty.clone(), Exp::Basic(Basic::SubExp(dims[*level].into()))));
                }
                (Source::Elem { .. } | Source::Acc(_) | Source::Index(_), _) => {}
            }
        }
        stms.append(&mut body.stms);
        let body = self.copy_consumed(Body { stms, result: body.result }, &elements);
        let body = rename_body(&mut self.seq.b.names, &body);
        self.seq.b.types.extend(body_types(&body));
        let flat = self.seq.b.fresh("flat", Type::I64);
        let bounds = nest.widths.iter().copied();
        let space = SegSpace { flat, dims: dims.into_iter().zip(bounds).collect() };
        Opened { space, body }
    }

    /// The checks that a kernel over the first levels of a nest has to make because nobody did.
    pub(super) fn unmade(&self, nest: &Nest, depth: usize) -> Vec<Name> {
        let left = |c: &Name| {
            let own = nest.find(*c).map(|b| b.depth);
            own.is_some_and(|own| own <= depth && !self.ran.covers(*c, &nest.widths[own..depth]))
        };
        nest.unmade.iter().copied().filter(left).collect()
    }

    /// Copies those of the elements, names bound at the top of the body, that it consumes.
    fn copy_consumed(&mut self, mut body: Body<Soacs>, elements: &FxHashSet<Name>) -> Body<Soacs> {
        let aliases = Aliases::of_body(&self.signatures, &body);
        let mut consumed = FxHashSet::default();
        for stm in &body.stms {
            consumed.extend(consumed_by_exp(&self.signatures, &aliases, &stm.exp));
        }
        if !elements.iter().any(|e| consumed.contains(e)) {
            return body;
        }
        let mut stms = vec![];
        for mut stm in body.stms {
            let copied = match &mut stm.pat[..] {
                [p] if elements.contains(&p.name) && consumed.contains(&p.name) && p.ty.is_array() => {
                    let name = p.name;
                    p.name = self.seq.b.names.fresh_like(name);
                    self.seq.b.types.insert(p.name, p.ty.clone());
                    Some(plain(name, p.ty.clone(), Exp::Basic(Basic::Copy(p.name))))
                }
                _ => None,
            };
            stms.push(stm);
            stms.extend(copied);
        }
        body.stms = stms;
        body
    }
}
