//! Reading the operations of machines. A word that begins an operation of another machine is no statement here.

use super::Text;
use crate::ops::{
    Ahead, AtomicOp, CpuOp, Direction, HostOp, KernelOp, Launch, Operation, Outlined, OutlinedBlock,
    RacingWrite, RowsTo, TaskOp, Vectors, Way,
};
use crate::print::direction_word;
use crate::syntax::{Expr, Loc, Space};
use fehu_base::prim::PrimType;
use fehu_base::Name;
use fehu_ir::read::Read;

/// Operations with a text.
pub(super) trait ReadOp: Operation {
    /// The operation that begins with this word, if there is one.
    fn read(t: &mut Text, word: &str) -> Read<Option<Self>>;
    /// The operation that sets a variable, and begins with this word after `=`, if there is one.
    fn read_assigned(t: &mut Text, x: Name, space: &Space, word: &str) -> Read<Option<Self>>;
    /// The operation that declares a variable, after `:`, if there is one.
    fn read_declared(t: &mut Text, x: Name) -> Read<Option<Self>>;
}

impl ReadOp for HostOp {
    fn read(t: &mut Text, word: &str) -> Read<Option<HostOp>> {
        if word == "launch" {
            return Ok(Some(HostOp::Own(Box::new(t.launch()?))));
        }
        Ok(t.cpu_op(word)?.map(HostOp::Cpu))
    }

    fn read_assigned(t: &mut Text, x: Name, space: &Space, word: &str) -> Read<Option<HostOp>> {
        Ok(t.cpu_assigned(x, space, word)?.map(HostOp::Cpu))
    }

    fn read_declared(_: &mut Text, _: Name) -> Read<Option<HostOp>> {
        Ok(None)
    }
}

impl ReadOp for TaskOp {
    fn read(t: &mut Text, word: &str) -> Read<Option<TaskOp>> {
        if word == "volatile" {
            let (mem, elem, offset, value) = t.write_volatile()?;
            return Ok(Some(TaskOp::Own(RacingWrite { mem, offset, elem, value })));
        }
        Ok(t.cpu_op(word)?.map(TaskOp::Cpu))
    }

    fn read_assigned(t: &mut Text, x: Name, space: &Space, word: &str) -> Read<Option<TaskOp>> {
        Ok(t.cpu_assigned(x, space, word)?.map(TaskOp::Cpu))
    }

    fn read_declared(_: &mut Text, _: Name) -> Read<Option<TaskOp>> {
        Ok(None)
    }
}

impl ReadOp for KernelOp {
    fn read(t: &mut Text, word: &str) -> Read<Option<KernelOp>> {
        Ok(Some(match word {
            "barrier" => {
                t.r.word(word)?;
                KernelOp::Barrier
            }
            "warp_barrier" => {
                t.r.word(word)?;
                KernelOp::WarpBarrier
            }
            "fence" => {
                t.r.word(word)?;
                KernelOp::Fence
            }
            "block_fence" => {
                t.r.word(word)?;
                KernelOp::BlockFence
            }
            "leave_if_failed" => {
                t.r.word(word)?;
                KernelOp::LeaveIfFailed
            }
            "guarded" => {
                t.r.word(word)?;
                KernelOp::Guarded(t.boxed_scope()?)
            }
            "unrolled" => {
                t.r.word(word)?;
                let mut by = None;
                if t.r.at_word("by") {
                    t.r.word("by")?;
                    by = Some(t.r.number()?);
                }
                t.r.word("for")?;
                let (var, ty, bound) = t.for_head()?;
                KernelOp::UnrolledFor { by, var, ty, bound, body: t.boxed_scope()? }
            }
            "check" => {
                t.r.word(word)?;
                let number = t.r.number()?;
                t.r.punct('(')?;
                let cond = t.expr()?;
                let mut values = vec![];
                while t.r.try_punct(',') {
                    let e = t.expr()?;
                    t.r.punct(':')?;
                    values.push((e, t.r.scalar_type()?));
                }
                t.r.punct(')')?;
                KernelOp::Check { cond, number, values }
            }
            "atomic" => t.atomic(None)?,
            "await_copies" => {
                t.r.word(word)?;
                KernelOp::AwaitCopies
            }
            "copy_ahead" => {
                t.r.word(word)?;
                let count = t.r.number()?;
                let dst = t.r.name()?;
                let (elem, dst_offset) = t.element()?;
                t.left_arrow()?;
                let src = t.r.name()?;
                let (_, src_offset) = t.element()?;
                KernelOp::CopyAhead { dst, dst_offset, src, src_offset, elem, count }
            }
            "await_products" => {
                t.r.word(word)?;
                let sums = t.r.name()?;
                t.r.word("of")?;
                KernelOp::AwaitProducts { sums, points: t.expr()? }
            }
            "multiply_add" => {
                t.r.word(word)?;
                let sums = t.r.name()?;
                t.left_arrow()?;
                let left = t.r.name()?;
                t.r.word("by")?;
                let right = t.r.name()?;
                t.r.word("of")?;
                KernelOp::MultiplyAdd { sums, left, right, points: t.expr()? }
            }
            "read_whole" => {
                t.r.word(word)?;
                let count = t.r.number()?;
                let to = t.r.name()?;
                t.left_arrow()?;
                let mem = t.r.name()?;
                let (elem, offset) = t.element()?;
                KernelOp::ReadWhole { to, mem, offset, elem, count }
            }
            "read_rows" => t.copy_rows(RowsTo::Shared)?,
            "write_rows" => t.copy_rows(RowsTo::Global)?,
            "read_run" => {
                t.r.word(word)?;
                let count = t.r.number()?;
                let to = t.r.name()?;
                t.left_arrow()?;
                let mem = t.r.name()?;
                let (elem, offset) = t.element()?;
                t.r.word("by")?;
                let stride = t.expr()?;
                t.r.word("below")?;
                KernelOp::ReadRun { to, mem, offset, elem, stride, count, limit: t.expr()? }
            }
            "volatile" => {
                let (mem, elem, offset, value) = t.write_volatile()?;
                KernelOp::WriteVolatile { mem, offset, elem, value }
            }
            _ => return Ok(None),
        }))
    }

    fn read_assigned(t: &mut Text, x: Name, _: &Space, word: &str) -> Read<Option<KernelOp>> {
        Ok(Some(match word {
            "atomic" => t.atomic(Some(x))?,
            "compare_and_swap" => {
                t.r.word(word)?;
                let (mem, space, elem, offset) = t.element_of()?;
                t.r.punct(',')?;
                let expected = t.expr()?;
                t.r.punct(',')?;
                let value = t.expr()?;
                KernelOp::CompareAndSwap { old: x, mem, offset, elem, space, expected, value }
            }
            "volatile" => {
                t.r.word(word)?;
                let mem = t.r.name()?;
                let (elem, offset) = t.element()?;
                KernelOp::ReadVolatile { var: x, mem, offset, elem }
            }
            "ballot" => {
                t.r.word(word)?;
                KernelOp::Ballot { var: x, cond: t.expr()? }
            }
            "most_of_warp" => {
                t.r.word(word)?;
                KernelOp::MostOfWarp { var: x, value: t.expr()? }
            }
            "shuffle" => {
                t.r.word(word)?;
                let ty = t.r.prim_type()?;
                let direction = t.direction()?;
                let delta = t.r.number()?;
                t.r.punct(',')?;
                KernelOp::Shuffle { var: x, ty, direction, delta, value: t.expr()? }
            }
            _ => return Ok(None),
        }))
    }

    fn read_declared(t: &mut Text, x: Name) -> Read<Option<KernelOp>> {
        if !t.r.try_word("array") {
            return Ok(None);
        }
        let space = t.r.space_in_parens()?;
        t.declared.block(x, &space);
        let elem = t.r.prim_type()?;
        t.r.punct('[')?;
        let count = t.expr()?;
        t.r.punct(']')?;
        Ok(Some(KernelOp::DeclareArray { mem: x, space, elem, count }))
    }
}

pub(super) const ATOMIC_OPS: [AtomicOp; 11] = [
    AtomicOp::Add,
    AtomicOp::FAdd,
    AtomicOp::FAddHalves,
    AtomicOp::SMax,
    AtomicOp::SMin,
    AtomicOp::UMax,
    AtomicOp::UMin,
    AtomicOp::And,
    AtomicOp::Or,
    AtomicOp::Xor,
    AtomicOp::Exchange,
];

impl Text<'_> {
    fn copy_rows(&mut self, to: RowsTo) -> Read<KernelOp> {
        self.r.word(to.word())?;
        let count = self.r.number()?;
        let tile = self.r.name()?;
        self.r.word("of")?;
        let mem = self.r.name()?;
        let (elem, offset) = self.element()?;
        self.r.word("from")?;
        let from = self.expr()?;
        self.r.word("until")?;
        let within = (from, self.expr()?);
        Ok(KernelOp::CopyRows { to, tile, mem, offset, within, elem, count })
    }

    fn cpu_op<O: ReadOp>(&mut self, word: &str) -> Read<Option<CpuOp<O>>> {
        Ok(Some(match word {
            "free" => {
                self.r.word(word)?;
                let m = self.r.name()?;
                CpuOp::Free(m, self.space_of(m)?)
            }
            "trace" => self.trace()?,
            "outlined" => CpuOp::Outlined(Box::new(self.outlined()?)),
            "parfor" => {
                self.r.word(word)?;
                let (start, end) = self.range()?;
                self.r.word("of")?;
                let bound = self.expr()?;
                let least = if self.r.try_word("least") { self.r.number()? } else { 1 };
                CpuOp::ParFor { start, end, bound, least, body: self.boxed_scope()? }
            }
            "parchunks" => {
                self.r.word(word)?;
                let chunk = self.index()?;
                let (start, end) = self.range()?;
                self.r.word("of")?;
                let bound = self.expr()?;
                self.r.word("most")?;
                let most = self.expr()?;
                self.r.word("chunks")?;
                let chunks = self.index()?;
                self.r.word("before")?;
                let before = self.boxed_scope()?;
                self.r.word("do")?;
                let body = self.boxed_scope()?;
                CpuOp::ParChunks { chunk, start, end, bound, most, chunks, before, body }
            }
            _ => return Ok(None),
        }))
    }

    fn outlined<O: ReadOp>(&mut self) -> Read<Outlined<O>> {
        self.r.word("outlined")?;
        let can_fail = self.r.try_word("failing");
        let words = [("wide", Vectors::Wide), ("widest", Vectors::Widest)];
        let vectors = words.into_iter().find(|(word, _)| self.r.try_word(word));
        let vectors = vectors.map_or(Vectors::Basic, |(_, vectors)| vectors);
        let var = self.r.name()?;
        let inputs = self.list('(', ')', |t| t.r.name())?;
        self.r.word("updates")?;
        let updated = self.list('(', ')', |t| t.r.name())?;
        self.r.word("blocks")?;
        let blocks = self.list('(', ')', |t| {
            let written = t.r.try_word("written");
            if !written {
                t.r.word("read")?;
            }
            Ok(OutlinedBlock { written, unaliased: t.r.try_word("unaliased"), mem: t.r.name()? })
        })?;
        Ok(Outlined { var, inputs, updated, blocks, can_fail, vectors, code: self.scope()? })
    }

    fn cpu_assigned<O>(&mut self, x: Name, space: &Space, word: &str) -> Read<Option<CpuOp<O>>> {
        Ok(Some(match word {
            "allocate" => {
                self.r.word(word)?;
                CpuOp::Allocate { mem: x, bytes: self.expr()?, space: space.clone(), loc: Loc::none() }
            }
            "get_size" => {
                self.r.word(word)?;
                CpuOp::GetSize(x, self.r.symbol()?)
            }
            "get_size_max" => {
                self.r.word(word)?;
                CpuOp::GetSizeMax(x, self.r.symbol()?)
            }
            "threshold" => {
                self.r.word(word)?;
                let param = self.r.symbol()?;
                self.r.punct('<')?;
                self.r.punct('=')?;
                CpuOp::CmpThreshold(x, param, self.expr()?)
            }
            _ => return Ok(None),
        }))
    }

    /// `volatile m.i32[0] <- 1`: the block, the type of the element, its offset, the value.
    fn write_volatile(&mut self) -> Read<(Name, PrimType, Expr, Expr)> {
        self.r.word("volatile")?;
        let mem = self.r.name()?;
        let (elem, offset) = self.element()?;
        self.left_arrow()?;
        Ok((mem, elem, offset, self.expr()?))
    }

    /// `trace(at, "x is ", x : i32)`; `nowhere` instead of `at` if the place is not printed.
    fn trace<O>(&mut self) -> Read<CpuOp<O>> {
        self.r.word("trace")?;
        self.r.punct('(')?;
        let loc = if self.r.try_word("at") { Some(Loc::none()) } else { None };
        if loc.is_none() {
            self.r.word("nowhere")?;
        }
        let message = self.message()?;
        self.r.punct(')')?;
        Ok(CpuOp::Trace { loc, message })
    }

    fn range(&mut self) -> Read<(Name, Name)> {
        let start = self.index()?;
        self.r.punct('.')?;
        self.r.punct('.')?;
        Ok((start, self.index()?))
    }

    fn launch(&mut self) -> Read<Launch> {
        self.r.word("launch")?;
        let kernel = self.r.name()?;
        let args = self.args()?;
        self.r.word("grid")?;
        let grid = self.expr()?;
        self.r.word("block")?;
        let block = self.expr()?;
        let shared = if self.r.try_word("shared") { self.list('(', ')', Self::expr)? } else { vec![] };
        let way = if self.r.try_word("ahead") {
            Some(Way::Copied)
        } else {
            self.r.try_word("to_host").then_some(Way::Written)
        };
        let ahead = way.map(|way| Ok(Ahead { block: self.r.name()?, way })).transpose()?;
        Ok(Launch { kernel, grid, block, shared, args, ahead })
    }

    fn atomic(&mut self, old: Option<Name>) -> Read<KernelOp> {
        self.r.word("atomic")?;
        let Some(op) = ATOMIC_OPS.into_iter().find(|op| self.r.at_word(op.word())) else {
            return self.r.expected("an atomic operation");
        };
        self.r.word(op.word())?;
        let (mem, space, elem, offset) = self.element_of()?;
        self.r.punct(',')?;
        Ok(KernelOp::Atomic { old, op, mem, offset, elem, space, value: self.expr()? })
    }

    fn direction(&mut self) -> Read<Direction> {
        let all = [Direction::Up, Direction::Down, Direction::First, Direction::FirstOf, Direction::LastOf];
        let Some(direction) = all.into_iter().find(|d| self.r.at_word(direction_word(*d))) else {
            return self.r.expected("a direction");
        };
        self.r.word(direction_word(direction))?;
        Ok(direction)
    }
}
