//! What is known of arrays of the host: which are views of others, which hold one value everywhere, and whose
//! elements are read where they came from.
//!
//! ```text
//! let zs = replicate n 0        zs holds 0 everywhere
//! let t = rearrange (1, 0) xs   t is a view of xs: who consumes it consumes xs
//! let c = concat xs ys          c is joined of xs and ys, if it is only used element by element (`join`)
//! ```

use super::nest::{Nest, Source};
use fehu_base::Name;
use fehu_ir::visit::for_each_stm;
use fehu_ir::{Basic, Builder, Exp, FunDef, Kernels, Prog, Soacs, SubExp};
use rustc_hash::{FxHashMap, FxHashSet};

/// An array whose elements are read from its parts.
#[derive(Clone, Debug)]
pub(super) struct Join {
    pub(super) parts: Vec<Name>,
    pub(super) certs: Vec<Name>,
}

/// What is known of arrays of the host.
pub(super) struct Arrays {
    /// Arrays that are others in another order or shape, and those others.
    views: FxHashMap<Name, Name>,
    /// Arrays all of whose elements are one operand.
    replicated: FxHashMap<Name, SubExp>,
    /// Arrays that are others in an order in which neighbours along the last dimension are no neighbours in memory.
    turned: FxHashSet<Name>,
    joins: FxHashMap<Name, Join>,
    /// Arrays that are joined of parts which change later.
    changing_parts: FxHashSet<Name>,
    /// The sizes of the arrays that the function is given.
    sizes: FxHashSet<SubExp>,
}

impl Arrays {
    /// What a program says of its arrays.
    pub(super) fn of(prog: &Prog<Soacs>) -> Arrays {
        Arrays {
            views: FxHashMap::default(),
            replicated: replicated(prog),
            turned: turned(prog),
            joins: FxHashMap::default(),
            changing_parts: FxHashSet::default(),
            sizes: FxHashSet::default(),
        }
    }

    /// This function comes next.
    pub(super) fn enter(&mut self, fun: &FunDef<Soacs>) {
        self.sizes = fun.checked_sizes().collect();
    }

    /// Whether an operand is a size for certain: arrays of it are there before any code runs.
    pub(super) fn is_size(&self, e: SubExp) -> bool {
        self.sizes.contains(&e) || matches!(e, SubExp::Const(n) if n.as_i64().is_some_and(|n| n >= 0))
    }

    /// The first array is the second in another order or shape.
    pub(super) fn add_view(&mut self, view: Name, of: Name) {
        self.views.insert(view, of);
    }

    /// All elements of the array are this operand.
    pub(super) fn add_replicated(&mut self, array: Name, element: SubExp) {
        self.replicated.insert(array, element);
    }

    /// Elements of the array are read from the parts it is joined of.
    pub(super) fn add_join(&mut self, array: Name, join: Join) {
        self.joins.insert(array, join);
    }

    /// What the array is joined of changes later.
    pub(super) fn add_changing_parts(&mut self, array: Name) {
        self.changing_parts.insert(array);
    }

    /// Whether what the array is joined of changes later.
    pub(super) fn parts_change(&self, array: Name) -> bool {
        self.changing_parts.contains(&array)
    }

    /// The parts that elements of the array are read from, if they are.
    pub(super) fn join_of(&self, array: Name) -> Option<&Join> {
        self.joins.get(&array)
    }

    /// The array that an array is a view of, or itself.
    pub(super) fn root(&self, mut array: Name) -> Name {
        while let Some(of) = self.views.get(&array) {
            array = *of;
        }
        array
    }

    /// Whether rows of an array are columns, or the like, of another one: what is read along them is read in leaps.
    pub(super) fn is_turned(&self, array: Name) -> bool {
        self.turned.contains(&array)
    }

    /// The names of the nest that are in the memory of some of them.
    pub(super) fn same_memory(&self, nest: &Nest, names: &[Name]) -> FxHashSet<Name> {
        let root = |source: &Source| match source {
            Source::Elem { array, .. } => Some(self.root(*array)),
            Source::Acc(_) | Source::Index(_) | Source::Stm(_) => None,
        };
        let roots: FxHashSet<Name> = names.iter().filter_map(|n| root(&nest.find(*n)?.source)).collect();
        let mut same: FxHashSet<Name> = names.iter().copied().collect();
        if roots.is_empty() {
            return same;
        }
        for binding in &nest.bindings {
            if root(&binding.source).is_some_and(|r| roots.contains(&r)) {
                same.extend(binding.names.iter().map(|(n, _)| *n));
            }
        }
        same
    }

    /// The one value of this rank of which all of an array is made.
    pub(super) fn element_of(&self, b: &Builder<Kernels>, e: SubExp, rank: usize) -> Option<SubExp> {
        let by = self.replicated.get(&e.name()?).copied()?;
        match b.type_of(by).rank() {
            own if own == rank => Some(by),
            own if own > rank => self.element_of(b, by, rank),
            _ => None,
        }
    }
}

/// The arrays of a program whose last dimension is another one of the array that they are a view of.
fn turned(prog: &Prog<Soacs>) -> FxHashSet<Name> {
    let mut found = FxHashSet::default();
    let bodies = std::iter::once(&prog.consts).chain(prog.funs.iter().map(|f| &f.body));
    for body in bodies {
        for_each_stm(body, &mut |stm| {
            if let (Exp::Basic(Basic::Rearrange(perm, _)), [p]) = (&stm.exp, stm.pat.as_slice()) {
                found.extend((perm.last() != Some(&(perm.len() - 1))).then_some(p.name));
            }
        });
    }
    found
}

/// The arrays of a program that hold one operand everywhere, and that operand.
fn replicated(prog: &Prog<Soacs>) -> FxHashMap<Name, SubExp> {
    let mut found = FxHashMap::default();
    let bodies = std::iter::once(&prog.consts).chain(prog.funs.iter().map(|f| &f.body));
    for body in bodies {
        for_each_stm(body, &mut |stm| {
            let [p] = &stm.pat[..] else { return };
            match &stm.exp {
                Exp::Basic(Basic::Replicate(_, e)) => {
                    found.insert(p.name, *e);
                }
                Exp::Basic(Basic::ArrayLit(es, _)) => {
                    if let Some(e) = es.first().filter(|first| es.iter().all(|e| e == *first)) {
                        found.insert(p.name, *e);
                    }
                }
                Exp::Basic(Basic::ArrayConst(data)) => {
                    if let Some(v) = data.values.first().filter(|v| data.values.iter().all(|w| w == *v)) {
                        found.insert(p.name, SubExp::Const(*v));
                    }
                }
                Exp::Basic(_) | Exp::Call(..) | Exp::If(..) | Exp::Loop(_) | Exp::WithAcc(_) | Exp::Op(_) => {
                }
            }
        });
    }
    found
}
