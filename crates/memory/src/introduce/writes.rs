//! Parallel operations that write into arrays which their points also read.
//!
//! A point must not see what another has written, whenever that runs. There are three ways:
//!
//! - a single point reads before it writes: nothing is to be done;
//! - the operation becomes two. The first computes what is to be written, and where; the second writes it.
//!   This costs as much as there is to write, however large the array is, as an update should;
//! - what cannot be taken in two, the rest of a scan, writes to a copy of the array.
//!
//! ```text
//! segmap (i < k) {                       let (vs, ps) = segmap (i < k) {
//!   let x = xs[is[i]]                      let x = xs[is[i]]
//!   return (write x to xs at [is[i]])      return (x, is[i])
//! }                                      }
//!                                        segmap (j < k) { return (write vs[j] to xs at [ps[j]]) }
//! ```

use super::{Bindings, Introduce};
use crate::results::in_place_of;
use fehu_base::Name;
use fehu_ir::free::{free_in_body, free_in_lambda};
use fehu_ir::seg::{KernelBody, KernelReturn, KernelsOp, SegKind, SegLevel, SegOp, SegSpace};
use fehu_ir::subst::Subst;
use fehu_ir::{Basic, Body, DimIndex, Exp, Kernels, PatElem, Stm, SubExp, Type};

impl Introduce {
    /// Makes sure that no point reads what another writes. What is left is to be bound to the rest of the pattern.
    pub(super) fn write_apart(
        &mut self,
        pat: Bindings,
        mut seg: SegOp<Kernels>,
    ) -> (Bindings, SegOp<Kernels>) {
        let targets: Vec<Name> = in_place_of(&seg).into_iter().flatten().collect();
        if targets.is_empty() || reads_first(&seg) {
            return (pat, seg);
        }
        let after = seg.after().map(|after| free_in_lambda(&after.lambda)).unwrap_or_default();
        let read: Vec<Name> = free_in_body(&seg.body.body)
            .into_iter()
            .chain(after)
            .filter(|n| self.b.types.get(n).is_some_and(Type::is_array))
            .collect();
        let shared: Vec<Name> =
            targets.into_iter().filter(|t| read.iter().any(|n| self.aliases.may_alias(*n, *t))).collect();
        if shared.is_empty() {
            return (pat, seg);
        }
        match &seg.kind {
            SegKind::Map | SegKind::Hist(_) => self.write_later(pat, seg),
            SegKind::Red(_) | SegKind::Scan(..) => {
                self.write_to_copies(&mut seg, &shared);
                (pat, seg)
            }
        }
    }

    /// Computes all that the points of a map or histogram make, and returns the operation that puts it in place.
    fn write_later(&mut self, pat: Bindings, seg: SegOp<Kernels>) -> (Bindings, SegOp<Kernels>) {
        let SegOp {
            level,
            space,
            types,
            body: KernelBody { body, returns },
            kind,
            virtualise,
            grid,
            schedule: _,
        } = seg;
        let dims: Vec<SubExp> = space.dims.iter().map(|d| d.1).collect();
        let mut later = Later {
            space: self.same_space(&space),
            own: free_names(&space, &body),
            dims,
            stored: vec![],
            stms: vec![],
        };
        let is_hist = matches!(kind, SegKind::Hist(_));
        let mut first_pat = vec![];
        let mut kept = vec![];
        let mut left = vec![];
        let mut elems = pat.into_iter();
        let mut later_returns = vec![];
        let mut later_results = vec![];
        let mut later_types = vec![];
        let mut written: Vec<Name> = vec![];
        for ((value, ret), ty) in body.result.iter().zip(returns).zip(types) {
            match ret {
                KernelReturn::Elem if !is_hist => {
                    first_pat.extend(elems.next());
                    kept.push((*value, ty));
                }
                KernelReturn::Elem => {
                    later_results.push(self.later(&mut later, *value, &ty));
                    later_returns.push(ret);
                    later_types.push(ty);
                }
                KernelReturn::Write { array, shape, index } => {
                    if !written.contains(&array) {
                        written.push(array);
                        left.extend(elems.next());
                    }
                    later_results.push(self.later(&mut later, *value, &ty));
                    let index = index.into_iter().map(|e| self.later(&mut later, e, &Type::I64)).collect();
                    later_returns.push(KernelReturn::Write { array, shape, index });
                    later_types.push(ty);
                }
            }
        }
        left.extend(elems);
        let Later { space: later_space, stored, stms, .. } = later;
        for Stored { value, ty, all, all_ty, read: _ } in stored {
            kept.push((value.into(), ty));
            first_pat.push((all, all_ty));
        }
        let (result, types): (Vec<SubExp>, Vec<Type>) = kept.into_iter().unzip();
        let returns = vec![KernelReturn::Elem; result.len()];
        let body = Body { stms: body.stms, result };
        let first = SegOp {
            level,
            space,
            types,
            body: KernelBody { body, returns },
            kind: SegKind::Map,
            virtualise,
            grid: None,
            schedule: None,
        };
        self.bind(first_pat, Exp::Op(KernelsOp::Seg(first)));
        let body = KernelBody { body: Body { stms, result: later_results }, returns: later_returns };
        (
            left,
            SegOp {
                level,
                space: later_space,
                types: later_types,
                body,
                kind,
                virtualise,
                grid,
                schedule: None,
            },
        )
    }

    /// The value of an operand of the points, when all of them have run.
    fn later(&mut self, later: &mut Later, e: SubExp, ty: &Type) -> SubExp {
        let SubExp::Var(n) = e else { return e };
        if let Some(k) = later.own.iter().position(|(old, _)| *old == n) {
            return match later.own[k].1 {
                Own::Index(k) => later.space.dims[k].0.into(),
                Own::Point => self.stored(later, n, ty).into(),
            };
        }
        e
    }

    /// Keeps a value of each point in an array, and reads it.
    fn stored(&mut self, later: &mut Later, value: Name, ty: &Type) -> Name {
        if let Some(known) = later.stored.iter().find(|s| s.value == value) {
            return known.read;
        }
        let shape: Vec<SubExp> = later.dims.iter().chain(ty.shape()).copied().collect();
        let elem = match ty {
            Type::Prim(p) | Type::Array(p, _) => *p,
            Type::Acc(..) | Type::Mem(_) => return value,
        };
        let all = self.b.fresh_like(value, Type::Array(elem, shape.clone()));
        let one = self.b.fresh_like(value, ty.clone());
        let all_ty = Type::Array(elem, shape);
        later.stored.push(Stored { value, ty: ty.clone(), all, all_ty, read: one });
        let at = later.space.dims.iter().map(|d| DimIndex::Fix(d.0.into()));
        let whole = |n: &SubExp| DimIndex::Slice { start: SubExp::i64(0), len: *n, stride: SubExp::i64(1) };
        let slice = at.chain(ty.shape().iter().map(whole)).collect();
        later.stms.push(Stm {
            pat: vec![PatElem { name: one, ty: ty.clone(), dec: () }],
            certs: vec![],
            attrs: vec![],
            loc: self.b.loc.clone(),
            exp: Exp::Basic(Basic::Index(all, slice)),
        });
        one
    }

    /// The same index space, under other names.
    fn same_space(&mut self, space: &SegSpace) -> SegSpace {
        let flat = self.b.fresh_like(space.flat, Type::I64);
        let dims = space.dims.iter().map(|(i, n)| (self.b.fresh_like(*i, Type::I64), *n)).collect();
        SegSpace { flat, dims }
    }

    /// Lets the operation write to copies of these arrays.
    fn write_to_copies(&mut self, seg: &mut SegOp<Kernels>, shared: &[Name]) {
        let mut copies = Subst::new();
        for array in shared {
            copies.insert(*array, self.b.copy(*array));
        }
        let after = match &mut seg.kind {
            SegKind::Scan(_, Some(after)) => &mut after.returns[..],
            SegKind::Map | SegKind::Red(_) | SegKind::Scan(_, None) | SegKind::Hist(_) => &mut [],
        };
        for ret in seg.body.returns.iter_mut().chain(after) {
            match ret {
                KernelReturn::Write { array, .. } => {
                    *array = copies.get(*array).and_then(|e| e.name()).unwrap_or(*array);
                }
                KernelReturn::Elem => {}
            }
        }
    }
}

/// What is to be done when all points have computed what is to be written.
struct Later {
    /// The points.
    space: SegSpace,
    /// What belongs to a point of the first operation.
    own: Vec<(Name, Own)>,
    /// The sizes of the space.
    dims: Vec<SubExp>,
    /// What the points of the first operation return for it.
    stored: Vec<Stored>,
    /// The code that reads them again.
    stms: Vec<Stm<Kernels>>,
}

/// A value of each point that is kept in an array.
struct Stored {
    value: Name,
    ty: Type,
    all: Name,
    all_ty: Type,
    /// The value as it is read again.
    read: Name,
}

/// What a name stands for at a point.
#[derive(Clone, Copy)]
enum Own {
    /// The index in that dimension.
    Index(usize),
    /// Something computed there.
    Point,
}

/// The names that belong to a point.
fn free_names(space: &SegSpace, body: &Body<Kernels>) -> Vec<(Name, Own)> {
    let indices = space.dims.iter().enumerate().map(|(k, d)| (d.0, Own::Index(k)));
    let bound = body.stms.iter().flat_map(|s| &s.pat).map(|p| (p.name, Own::Point));
    indices.chain([(space.flat, Own::Point)]).chain(bound).collect()
}

/// Whether there is a single point, run by a single thread, which handles scalars: it reads before it writes.
fn reads_first(seg: &SegOp<Kernels>) -> bool {
    let alone = match seg.level {
        SegLevel::Thread | SegLevel::Task => seg.space.dims.iter().all(|d| d.1.as_i64() == Some(1)),
        SegLevel::Block | SegLevel::InBlock => false,
    };
    alone && matches!(seg.kind, SegKind::Map) && seg.types.iter().all(|t| matches!(t, Type::Prim(_)))
}
