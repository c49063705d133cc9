//! Arrays in shared memory of which each thread only touches its own element are variables.
//!
//! In: kernels with arrays in shared memory. Out: an array all of whose accesses are at the number of the
//! thread is a variable of the thread, and the launch needs no room for it:
//!
//! ```text
//! launch k() shared (4 * n, 4 * m)             launch k() shared (4 * m)
//! kernel k () shared (xs, ys) {                kernel k () shared (ys) {
//!   i = local_id                                 own = 0
//!   xs[i] <- ys[i + 1] + 1             =>        i = local_id
//!   barrier                                      own = ys[i + 1] + 1
//!   j = local_id                                 barrier
//!   ys[j] <- xs[j]                               ys[local_id] <- own
//! ```
//!
//! So it is in a block that has a thread for each point, where a map reads an array that what follows writes:
//! the two cannot be one loop over the points, since all threads must have read before one of them writes.
//! The barriers stay: they are there for the array that is written. Times of the public `nw` with and
//! without: `notebook/2026-11-19-gpu-mechanisms.md`.

use fehu_base::prim::{PrimType, PrimValue};
use fehu_base::{Name, NameSource};
use fehu_imp::ops::Operation;
use fehu_imp::syntax::{Code, Expr, GpuIndex, HostOp, Kernel, KernelOp, Program, Space};
use fehu_imp::visit::{
    change_code, change_expr, change_host_op, look_at_code, look_at_expr, look_at_kernel_op, Mutator, Visitor,
};
use fehu_pass::{Need, Pass};
use indexmap::IndexMap;
use rustc_hash::{FxHashMap, FxHashSet};

/// Arrays of which each thread only touches its own element become variables.
pub static PASS: Pass<Program> = Pass { name: "own-elements", need: Need::Optional, run: keep };

fn keep(program: &mut Program) {
    let mut launches = Launches::default();
    for kernel in &mut program.kernels {
        let gone = variables(kernel, &mut program.names);
        if !gone.is_empty() {
            launches.gone.insert(kernel.name, gone);
        }
    }
    if !launches.gone.is_empty() {
        launches.code(&mut program.init);
        program.functions.iter_mut().for_each(|f| launches.code(&mut f.body));
    }
}

/// Changes a kernel. The positions of the shared arrays that it no longer has.
fn variables(kernel: &mut Kernel, names: &mut NameSource) -> FxHashSet<usize> {
    if kernel.shared.is_empty() {
        return FxHashSet::default();
    }
    let mut uses = Uses { threads: own_numbers(&kernel.body), arrays: IndexMap::new() };
    uses.code(&kernel.body);
    let mut own = Own { variables: IndexMap::new() };
    let mut gone = FxHashSet::default();
    for (position, m) in kernel.shared.iter().enumerate() {
        let only_own = uses.arrays.get(m).filter(|used| used.own == used.mentioned);
        if let Some(ty) = only_own.and_then(|used| used.elem) {
            own.variables.insert(*m, (names.fresh_str("own"), ty));
            gone.insert(position);
        }
    }
    if !gone.is_empty() {
        own.code(&mut kernel.body);
        let body = std::mem::replace(&mut kernel.body, Code::Seq(vec![]));
        let declared = own
            .variables
            .values()
            .flat_map(|(x, ty)| [Code::DeclareScalar(*x, *ty), Code::SetScalar(*x, Expr::Const(ty.blank()))]);
        kernel.body = Code::Seq(declared.chain([body]).collect());
        kernel.shared.retain(|m| !own.variables.contains_key(m));
    }
    gone
}

/// Scalars that are always the number of the thread in its block.
fn own_numbers(body: &Code<KernelOp>) -> FxHashSet<Name> {
    let mut set = Set::default();
    set.code(body);
    let mut own: FxHashSet<Name> =
        set.values.keys().copied().filter(|x| !set.otherwise.contains(x)).collect();
    // What is set to anything else goes, until nothing does.
    loop {
        let all_own =
            |x: &Name| set.values.get(x).is_some_and(|values| values.iter().all(|e| is_own(e, &own)));
        let stay: FxHashSet<Name> = own.iter().copied().filter(all_own).collect();
        if stay.len() == own.len() {
            return own;
        }
        own = stay;
    }
}

/// Whether an expression is the number of the thread, or one of the scalars that are.
fn is_own(e: &Expr, own: &FxHashSet<Name>) -> bool {
    match e {
        Expr::Gpu(GpuIndex::Local) => true,
        Expr::Var(x) => own.contains(x),
        Expr::Const(_)
        | Expr::UnOp(..)
        | Expr::BinOp(..)
        | Expr::CmpOp(..)
        | Expr::Conv(..)
        | Expr::PrimFn(..)
        | Expr::Select(..)
        | Expr::Index { .. }
        | Expr::Param(_)
        | Expr::Gpu(_) => false,
    }
}

/// What scalars are set to.
#[derive(Default)]
struct Set<'c> {
    values: FxHashMap<Name, Vec<&'c Expr>>,
    /// Those that are set in other ways: by calls, and by what threads do together.
    otherwise: FxHashSet<Name>,
}

impl<'c> Visitor<'c> for Set<'c> {
    fn code<O: Operation>(&mut self, code: &'c Code<O>) {
        if let Code::SetScalar(x, e) = code {
            self.values.entry(*x).or_default().push(e);
        } else {
            if let Code::For { var, .. } = code {
                self.otherwise.insert(*var);
            }
            look_at_code(self, code);
        }
    }

    fn kernel_op(&mut self, op: &'c KernelOp) {
        if let KernelOp::UnrolledFor { var, .. } = op {
            self.otherwise.insert(*var);
        }
        look_at_kernel_op(self, op);
    }

    fn assigned(&mut self, x: &'c Name) {
        self.otherwise.insert(*x);
    }
}

/// How an array is used.
#[derive(Default)]
struct Used {
    /// How often it is mentioned.
    mentioned: usize,
    /// How often a thread reads or writes its own element, always of the same type.
    own: usize,
    elem: Option<PrimType>,
}

struct Uses {
    threads: FxHashSet<Name>,
    arrays: IndexMap<Name, Used>,
}

impl Uses {
    fn access(&mut self, mem: Name, elem: PrimType, space: &Space, offset: &Expr) {
        if *space != Space::Shared {
            return;
        }
        let own = is_own(offset, &self.threads);
        let used = self.arrays.entry(mem).or_default();
        if own && used.elem.is_none_or(|before| before == elem) {
            used.elem = Some(elem);
            used.own += 1;
        }
    }
}

impl<'c> Visitor<'c> for Uses {
    fn code<O: Operation>(&mut self, code: &'c Code<O>) {
        if let Code::Write { mem, offset, elem, space, .. } = code {
            self.access(*mem, *elem, space, offset);
        }
        look_at_code(self, code);
    }

    fn expr(&mut self, e: &'c Expr) {
        if let Expr::Index { mem, offset, elem, space } = e {
            self.access(*mem, *elem, space, offset);
        }
        look_at_expr(self, e);
    }

    fn block(&mut self, m: &'c Name) {
        self.arrays.entry(*m).or_default().mentioned += 1;
    }
}

/// Puts variables where the elements were.
struct Own {
    variables: IndexMap<Name, (Name, PrimType)>,
}

impl Mutator for Own {
    fn code<O: Operation>(&mut self, code: &mut Code<O>) {
        change_code(self, code);
        if let Code::Write { mem, value, .. } = code {
            if let Some((x, _)) = self.variables.get(mem) {
                *code = Code::SetScalar(*x, std::mem::replace(value, Expr::Const(PrimValue::Unit)));
            }
        }
    }

    fn expr(&mut self, e: &mut Expr) {
        change_expr(self, e);
        if let Expr::Index { mem, .. } = e {
            if let Some((x, _)) = self.variables.get(mem) {
                *e = Expr::Var(*x);
            }
        }
    }
}

/// The arrays that kernels no longer have, by position: launches make no room for them.
#[derive(Default)]
struct Launches {
    gone: FxHashMap<Name, FxHashSet<usize>>,
}

impl Mutator for Launches {
    fn host_op(&mut self, op: &mut HostOp) {
        change_host_op(self, op);
        let HostOp::Own(launch) = op else { return };
        if let Some(gone) = self.gone.get(&launch.kernel) {
            let mut position = 0;
            launch.shared.retain(|_| {
                position += 1;
                !gone.contains(&(position - 1))
            });
        }
    }
}
