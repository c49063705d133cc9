//! Points that parts of warps compute: teams, which are blocks of a few lanes.
//!
//! A thread block for each short row has threads that wait at barriers most of the time. Where 4 to 32 lanes
//! are enough for a point, several points are computed by one thread block, whose teams have nothing to do
//! with each other:
//!
//! ```text
//! 128 threads, teams of 16:   threads 0 .. 15   point 8 b         threads 16 .. 31   point 8 b + 1        ...
//! ```
//!
//! The code of a team is that of a block, in which a thread's number is its lane in the team, the block's
//! number that of the point, and its size that of the team; barriers are those of a warp, and each team has
//! its own part of every shared array. So it is translated as for a block, and then these are replaced.
//!
//! - All lanes of a warp must get to all barriers and shuffles, so the last teams, which have no point, run
//!   the code, too: the lanes' numbers are larger than any index space inside, so that they have no part in
//!   operations and write nothing, and they read scalars of the last point. Plans have teams only where
//!   nothing else depends on the point (`kernels/schedule/block`).
//! - There is a kernel for each width: where it is not known when the kernel is compiled, finding the places
//!   of elements takes as long as all else.
//! - The parts of shared arrays are an odd number of times as long as a team is wide, in words, so that lanes
//!   of all teams of a warp touch different banks.

use super::kept::{self, Sharing};
use super::{exchange_of, largest, rows};
use crate::translate::kernel::operator::vars;
use crate::translate::kernel::point;
use crate::translate::kernel::size;
use crate::translate::state::{HostCode, KernelCode, Mode};
use fehu_base::device::WARP_THREADS;
use fehu_base::ops::BinOp;
use fehu_base::prim::{IntType, PrimType};
use fehu_base::{bug, Name};
use fehu_imp::build::*;
use fehu_imp::ops::{Direction, Operation};
use fehu_imp::syntax::{Code, Expr, GpuIndex, KernelOp};
use fehu_imp::visit::{change_code, change_expr, change_kernel_op, Mutator};
use fehu_ir::mem::MemOp;
use fehu_ir::schedule::{Teams, Turns};
use fehu_ir::seg::{SegBinOp, SegOp, SizeClass, EXCHANGE};
use fehu_ir::{Attr, Exp, Memory, PatElem, Shape, Space, Stm};
use rustc_hash::FxHashMap;

/// How many lanes a team may have.
const WIDTHS: [i64; 4] = [4, 8, 16, 32];

/// Threads of a block of teams. With 256, rows of 256 take as long.
const BLOCK_THREADS: i64 = 128;

/// The number of a lane without a point: larger than any index space of a team, and small enough to be
/// multiplied by one.
pub(super) const NO_LANE: i64 = 1 << 30;

/// Points of operations inside of a team, at most: lanes are below [`NO_LANE`].
const MAX_WIDTH: i64 = 1 << 20;

/// Bytes of a team's part of an array through which lanes exchange values: one value.
const EXCHANGE_BYTES: i64 = 8;

/// Bytes of a bank of shared memory.
const BANK_BYTES: i64 = 4;

/// What the host decides about teams.
pub(super) struct Team {
    /// Whether they compute the points.
    pub(super) pay: Expr,
    /// The number of lanes.
    lanes: Expr,
    /// The words of a team's part of each shared array.
    words: FxHashMap<Name, Expr>,
    /// How many points of each operation a lane has at most, if it keeps what it needs of them.
    kept: Option<i64>,
}

/// Whether teams are wide enough for so many points, and how wide they are.
pub(super) fn team(
    t: &mut HostCode,
    seg: &SegOp<Memory>,
    spaces: &[Shape],
    points: &Expr,
    Turns { threads, kept, .. }: &Turns,
    Teams { least, most }: &Teams,
) -> Team {
    let (least, most, threads) = (size::param(t, *least), size::param(t, *most), size::param(t, *threads));
    let widest = t.let_i64("widest", largest(t, spaces));
    let at_least = |lanes: i64| le(mul(least.clone(), i64(lanes)), widest.clone());
    let lanes = WIDTHS
        .iter()
        .skip(1)
        .fold(i64(WIDTHS[0]), |fewer, lanes| select(at_least(*lanes), i64(*lanes), fewer));
    let lanes = t.let_i64("lanes", lanes);
    let busy = quot(threads, max(i64(1), points.clone()));
    let few = le(min(widest.clone(), busy), i64(WARP_THREADS));
    let mut pay = and(few, le(widest.clone(), mul(most, i64(WARP_THREADS))));
    pay = and(pay, le(widest.clone(), i64(MAX_WIDTH)));
    if let Some(kept) = kept {
        // Nothing is in shared memory.
        pay = and(pay, le(widest, mul(lanes.clone(), i64(kept.of_lanes))));
        return Team { pay, lanes, words: FxHashMap::default(), kept: Some(kept.of_lanes) };
    }
    let (mut words, mut sum) = (FxHashMap::default(), i64(0));
    for stm in &seg.body.body.stms {
        let Exp::Op(MemOp::Alloc(bytes, Space::Shared)) = &stm.exp else { continue };
        let bytes = match is_exchange(stm) {
            true => i64(EXCHANGE_BYTES),
            false => t.operand(*bytes),
        };
        let wide = quot_up(bytes, mul(lanes.clone(), i64(BANK_BYTES)));
        let odd = binary(BinOp::Or(IntType::I64), wide, i64(1));
        let part = t.let_i64("part", mul(odd, lanes.clone()));
        sum = add(sum, part.clone());
        words.extend(stm.pat.iter().map(|p| (p.name, part.clone())));
    }
    let teams = quot(i64(BLOCK_THREADS), lanes.clone());
    let most = size::device_max(t, &SizeClass::SharedMemory);
    // Two blocks at a time, at least.
    pay = and(pay, le(mul(mul(sum, teams), i64(2 * BANK_BYTES)), most));
    Team { pay, lanes, words, kept: None }
}

fn is_exchange(stm: &Stm<Memory>) -> bool {
    stm.attrs.iter().any(|a| matches!(a, Attr::Comp(name, _) if name.as_str() == EXCHANGE))
}

/// The kernels, of which the host launches one.
pub(super) fn team_kernels(
    t: &mut HostCode,
    pat: &[PatElem<Memory>],
    seg: &SegOp<Memory>,
    points: &Expr,
    team: &Team,
) {
    for lanes in WIDTHS {
        t.if_then(eq(team.lanes.clone(), i64(lanes)), |t| team_kernel(t, pat, seg, points, team, lanes));
    }
}

/// The kernel of teams of so many lanes.
fn team_kernel(
    t: &mut HostCode,
    pat: &[PatElem<Memory>],
    seg: &SegOp<Memory>,
    points: &Expr,
    team: &Team,
    lanes: i64,
) {
    let (log2, width) = (i64(i64::from(lanes.trailing_zeros())), lanes);
    let (teams, lanes) = (i64(BLOCK_THREADS / lanes), i64(lanes));
    let grid = quot_up(points.clone(), teams.clone());
    t.kernel("segmap_teams", grid, i64(BLOCK_THREADS), Mode::Block, |t| {
        t.in_kernel.exchange = exchange_of(&seg.body.body);
        t.in_kernel.in_turns = rows(&seg.body.body);
        t.in_kernel.team_log2 = Some(log2.clone());
        let mine = t.let_i64("team", binary(BinOp::AShr(IntType::I64), local(), log2));
        let number = t.let_i64("number", add(mul(block(), teams.clone()), mine.clone()));
        let lane = bits(local(), sub(lanes.clone(), i64(1)));
        let lane = t.let_i64("lane", select(lt(number.clone(), points.clone()), lane, i64(NO_LANE)));
        let point = t.let_i64("point", min(number, sub(points.clone(), i64(1))));
        let compute = |t: &mut KernelCode| {
            point::set_point(t, &seg.space, block());
            t.body(&seg.body.body, &[]);
            super::block_results(t, pat, seg);
        };
        let mut code = t.block(|t| match team.kept {
            Some(points) => kept::keeping(t, seg, points, Sharing::Team { lanes: width }, compute),
            None => compute(t),
        });
        let mut parts: FxHashMap<Name, Expr> = FxHashMap::default();
        for (mem, bytes) in &mut t.in_kernel.shared {
            let Some(words) = team.words.get(mem) else { bug!("a team's shared array of unknown size") };
            *bytes = mul(mul(words.clone(), teams.clone()), i64(BANK_BYTES));
            parts.insert(*mem, mul(mine.clone(), words.clone()));
        }
        AsBlock { lane, point, lanes, parts }.code(&mut code);
        t.emit(code);
    });
}

/// Makes code of a block that of a team.
struct AsBlock {
    lane: Expr,
    point: Expr,
    lanes: Expr,
    /// Where the team's part of each shared array begins, in words.
    parts: FxHashMap<Name, Expr>,
}

impl AsBlock {
    /// Moves an offset into a block to the team's part of it.
    fn place(&self, mem: Name, elem: PrimType, offset: &mut Expr) {
        let Some(part) = self.parts.get(&mem) else { return };
        let bytes = elem.bytes() as i64;
        let part = match bytes <= BANK_BYTES {
            true => mul(part.clone(), i64(BANK_BYTES / bytes)),
            false => quot(part.clone(), i64(bytes / BANK_BYTES)),
        };
        let inside = std::mem::replace(offset, i64(0));
        *offset = add(part, inside);
    }
}

impl Mutator for AsBlock {
    fn code<O: Operation>(&mut self, code: &mut Code<O>) {
        change_code(self, code);
        match code {
            Code::Write { mem, offset, elem, .. } => self.place(*mem, *elem, offset),
            Code::Copy { dst, src, .. }
                if [dst.mem, src.mem].iter().any(|mem| self.parts.contains_key(mem)) =>
            {
                bug!("a team copies shared arrays")
            }
            Code::Copy { .. }
            | Code::Seq(_)
            | Code::DeclareScalar(..)
            | Code::SetScalar(..)
            | Code::DeclareMem(..)
            | Code::DeclareStatic(..)
            | Code::SetMem(..)
            | Code::For { .. }
            | Code::While(..)
            | Code::If(..)
            | Code::Call { .. }
            | Code::Assert { .. }
            | Code::Op(_) => {}
        }
    }

    fn expr(&mut self, e: &mut Expr) {
        change_expr(self, e);
        match e {
            Expr::Gpu(GpuIndex::Local) => *e = self.lane.clone(),
            Expr::Gpu(GpuIndex::Block) => *e = self.point.clone(),
            Expr::Gpu(GpuIndex::BlockSize) => *e = self.lanes.clone(),
            Expr::Gpu(GpuIndex::GridSize) => bug!("a team asks for the grid"),
            Expr::Gpu(GpuIndex::MatrixUnits) => {}
            Expr::Index { mem, offset, elem, .. } => self.place(*mem, *elem, offset),
            Expr::Const(_)
            | Expr::Var(_)
            | Expr::UnOp(..)
            | Expr::BinOp(..)
            | Expr::CmpOp(..)
            | Expr::Conv(..)
            | Expr::PrimFn(..)
            | Expr::Select(..)
            | Expr::Param(_) => {}
        }
    }

    fn kernel_op(&mut self, op: &mut KernelOp) {
        change_kernel_op(self, op);
        match op {
            KernelOp::Barrier | KernelOp::LeaveIfFailed => *op = KernelOp::WarpBarrier,
            KernelOp::Atomic { mem, offset, elem, .. }
            | KernelOp::CompareAndSwap { mem, offset, elem, .. }
            | KernelOp::CopyAhead { dst: mem, dst_offset: offset, elem, .. } => {
                self.place(*mem, *elem, offset);
            }
            KernelOp::Guarded(_)
            | KernelOp::UnrolledFor { .. }
            | KernelOp::DeclareArray { .. }
            | KernelOp::Fence
            | KernelOp::BlockFence
            | KernelOp::Check { .. }
            | KernelOp::ReadVolatile { .. }
            | KernelOp::WriteVolatile { .. }
            | KernelOp::AwaitCopies
            | KernelOp::ReadRun { .. }
            | KernelOp::ReadWhole { .. }
            | KernelOp::CopyRows { .. }
            | KernelOp::Ballot { .. }
            | KernelOp::MostOfWarp { .. }
            | KernelOp::WarpBarrier
            | KernelOp::MultiplyAdd { .. }
            | KernelOp::AwaitProducts { .. }
            | KernelOp::Shuffle { .. } => {}
        }
    }
}

impl KernelCode<'_> {
    /// Reduces a value of each lane of a team; the first lane has the result.
    pub(super) fn team_reduce(&mut self, ops: &[SegBinOp<Memory>], types: &[PrimType], values: &[Name]) {
        for delta in [1u32, 2, 4, 8, 16] {
            self.if_then(lt(i64(i64::from(delta)), block_size()), |t| {
                let other = t.shuffle(types, values, Direction::Down, delta);
                t.apply_all(ops, &vars(values), &vars(&other), values);
            });
        }
    }
}
