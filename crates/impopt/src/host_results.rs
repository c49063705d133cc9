//! Kernels write the few bytes that only the host reads where the host reads them.
//!
//! In: a program whose host code reads scalars, such as results of reductions, from blocks of a few bytes.
//! Out: the same program, where a launch says of such a block that its kernel writes it to memory of the host
//! (`to_host`), if it can:
//!
//! ```text
//! m = allocate 16
//! launch reduction(.., mem m)          launch reduction(.., mem m) to_host m
//! x = m[0]                       ->    x = m[0]
//! free m
//! ```
//!
//! The host then waits for the kernel alone. Otherwise the bytes are copied behind the kernel, and all that
//! is launched after it waits for the copy as well. Times: `notebook/2026-11-19-gpu-mechanisms.md`.
//!
//! Stores to the host's memory take about as long as the end of a kernel, but a thread that reads there waits
//! far longer, and atomic operations are slow. So a block stays on the device unless its only kernel has
//! nothing but plain stores to it, outside of loops or for the one point whose number is another
//! (`i == n - 1`, as scans store sums over all points), and the host allocates, reads and frees it, and does
//! nothing else with it. Nobody has given it a value before the kernel: what it does not write is not read,
//! and as such blocks have at most [`MOST_BYTES`], few threads write.

use fehu_base::ops::CmpOp;
use fehu_base::prim::PrimType;
use fehu_base::Name;
use fehu_imp::build::constant;
use fehu_imp::ops::Operation;
use fehu_imp::syntax::{
    Ahead, Arg, Code, CpuOp, Expr, HostOp, Kernel, KernelOp, Launch, Param, Program, Space, Way,
};
use fehu_imp::visit::{change_host_op, look_at_code, look_at_host_op, Mutator, Visitor};
use fehu_pass::{Need, Pass};
use rustc_hash::{FxHashMap, FxHashSet};

/// Results for the host are written to its memory.
pub static PASS: Pass<Program> = Pass { name: "host-results", need: Need::Optional, run };

/// The most bytes of a block that the host reads as a whole (`rts/gpu/memory.h` has the same).
pub(crate) const MOST_BYTES: i64 = 64;

fn run(program: &mut Program) {
    let kernels: FxHashMap<Name, Stored> =
        program.kernels.iter().map(|k| (k.name, Stored::of(k))).filter(|(_, s)| !s.0.is_empty()).collect();
    for function in &mut program.functions {
        let mut uses = Uses { kernels: &kernels, blocks: FxHashMap::default() };
        uses.code(&function.body);
        let of_host = uses.blocks.into_iter().filter(|(_, uses)| uses.are_of_host()).map(|(m, _)| m);
        let mut written = Written { kernels: &kernels, of_host: of_host.collect() };
        if !written.of_host.is_empty() {
            written.code(&mut function.body);
        }
    }
}

/// Which parameters of a kernel are only stored to, by code outside of loops or by one point.
struct Stored(Vec<bool>);

impl Stored {
    fn of(kernel: &Kernel) -> Stored {
        let mut stores = Stores::default();
        stores.code(&kernel.body);
        let only_stored = |p: &Param| match p {
            Param::Mem(m, _) => {
                stores.stores.contains_key(m) && stores.mentions.get(m) == stores.stores.get(m)
            }
            Param::Scalar(..) => false,
        };
        Stored(kernel.params.iter().map(only_stored).collect())
    }

    /// The blocks of a launch that are only stored to.
    fn blocks<'l>(&'l self, launch: &'l Launch) -> impl Iterator<Item = Name> + 'l {
        launch.args.iter().zip(&self.0).filter_map(|(arg, stored)| match arg {
            Arg::Mem(m) if *stored => Some(*m),
            Arg::Mem(_) | Arg::Scalar(_) => None,
        })
    }
}

/// How often a kernel mentions its blocks, and how often to store something outside of loops, or in one round alone.
#[derive(Default)]
struct Stores {
    mentions: FxHashMap<Name, usize>,
    stores: FxHashMap<Name, usize>,
    in_loop: bool,
    /// Whether two integers are equal.
    equalities: FxHashSet<Name>,
    /// A place if two integers are equal, and none otherwise.
    places: FxHashSet<Name>,
}

impl Stores {
    /// Whether code is for the case that two integers are equal.
    fn is_for_one(&mut self, condition: &Expr) -> bool {
        let Expr::CmpOp(CmpOp::ULt(_), place, _) = condition else { return false };
        matches!(**place, Expr::Var(v) if self.places.contains(&v))
    }

    /// Notes what is known of the scalars that code sets.
    fn note<O: Operation>(&mut self, code: &Code<O>) {
        if let Code::SetScalar(v, Expr::CmpOp(CmpOp::Eq(PrimType::Int(_)), ..)) = code {
            self.equalities.insert(*v);
        }
        if let Code::If(Expr::Var(c), yes, no) = code {
            if let (Some((v, place)), Some((other, none))) = (only_set(yes), only_set(no)) {
                if self.equalities.contains(c) && v == other && place >= 0 && none < 0 {
                    self.places.insert(v);
                }
            }
        }
    }
}

/// The scalar that all that code does is to set, and to which constant.
fn only_set<O: Operation>(code: &Code<O>) -> Option<(Name, i64)> {
    if let Code::Seq(codes) = code {
        return if let [only] = codes.as_slice() { only_set(only) } else { None };
    }
    let Code::SetScalar(v, e) = code else { return None };
    Some((*v, constant(e)?))
}

impl<'c> Visitor<'c> for Stores {
    fn code<O: Operation>(&mut self, code: &'c Code<O>) {
        let outside = self.in_loop;
        self.note(code);
        self.in_loop |= matches!(code, Code::For { .. } | Code::While(..));
        self.in_loop &= !matches!(code, Code::If(condition, ..) if self.is_for_one(condition));
        if let (Code::Write { mem, .. }, false) = (code, self.in_loop) {
            *self.stores.entry(*mem).or_default() += 1;
        }
        look_at_code(self, code);
        self.in_loop = outside;
    }

    fn kernel_op(&mut self, op: &'c KernelOp) {
        let outside = self.in_loop;
        fehu_imp::visit::look_at_kernel_op(self, op);
        self.in_loop = outside;
    }

    fn block(&mut self, m: &'c Name) {
        *self.mentions.entry(*m).or_default() += 1;
    }
}

/// What a function does with a block.
#[derive(Default)]
struct BlockUses {
    /// How often it mentions it, and how often in a way that is known.
    mentions: usize,
    known: usize,
    allocations: usize,
    launches: usize,
    reads: usize,
}

impl BlockUses {
    fn are_of_host(&self) -> bool {
        self.mentions == self.known && self.allocations == 1 && self.launches == 1 && self.reads > 0
    }
}

struct Uses<'k> {
    kernels: &'k FxHashMap<Name, Stored>,
    blocks: FxHashMap<Name, BlockUses>,
}

impl Uses<'_> {
    /// A mention in a way that is known.
    fn known(&mut self, m: Name) -> &mut BlockUses {
        let uses = self.blocks.entry(m).or_default();
        uses.known += 1;
        uses
    }
}

impl<'c> Visitor<'c> for Uses<'_> {
    fn code<O: Operation>(&mut self, code: &'c Code<O>) {
        if let Code::SetScalar(_, Expr::Index { mem, space: Space::Default, .. }) = code {
            self.known(*mem).reads += 1;
        }
        look_at_code(self, code);
    }

    fn host_op(&mut self, op: &'c HostOp) {
        match op {
            HostOp::Cpu(CpuOp::Allocate { mem, bytes, space: Space::Default, .. })
                if constant(bytes).is_some_and(|bytes| bytes <= MOST_BYTES) =>
            {
                self.known(*mem).allocations += 1;
            }
            HostOp::Cpu(CpuOp::Free(mem, _)) => {
                self.known(*mem);
            }
            HostOp::Own(launch) => {
                let stored = self.kernels.get(&launch.kernel);
                for m in stored.into_iter().flat_map(|stored| stored.blocks(launch)) {
                    self.known(m).launches += 1;
                }
                if let Some(ahead) = launch.ahead {
                    self.known(ahead.block);
                }
            }
            HostOp::Cpu(_) => {}
        }
        look_at_host_op(self, op);
    }

    fn block(&mut self, m: &'c Name) {
        self.blocks.entry(*m).or_default().mentions += 1;
    }
}

/// Marks launches.
struct Written<'k> {
    kernels: &'k FxHashMap<Name, Stored>,
    of_host: FxHashSet<Name>,
}

impl Mutator for Written<'_> {
    fn host_op(&mut self, op: &mut HostOp) {
        change_host_op(self, op);
        let HostOp::Own(launch) = op else { return };
        let Some(stored) = self.kernels.get(&launch.kernel) else { return };
        let mut blocks = stored.blocks(launch).filter(|m| self.of_host.contains(m));
        // Of several, the one that the host has got a copy of so far.
        let copied = launch.ahead.map(|ahead| ahead.block);
        let block = match copied {
            Some(copied) => blocks.find(|m| *m == copied),
            None => blocks.next(),
        };
        drop(blocks);
        if let Some(block) = block {
            launch.ahead = Some(Ahead { block, way: Way::Written });
        }
    }
}
