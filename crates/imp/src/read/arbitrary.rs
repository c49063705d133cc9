//! Random programs for the tests of printing and reading: every construct, with no regard to meaning.

use crate::ops::{Operation, RowsTo};
use crate::syntax::*;
use fehu_base::ops::{BinOp, CmpOp, ConvOp, PrimFn, UnOp};
use fehu_base::prim::{FloatType, IntType, PrimType, PrimValue, ScalarType};
use fehu_base::{Name, NameSource, Symbol};
use fehu_ir::{EntryParam, EntryResult, EntryType, OpaqueType};
use std::sync::Arc;

/// A source of random choices.
pub(super) struct Gen {
    state: u64,
    names: NameSource,
}

const BASES: [&str; 7] = ["x", "mem", "x_1", "+^", "", "a`b\n", "i64"];

impl Gen {
    pub(super) fn new(seed: u64) -> Gen {
        let mut names = NameSource::new();
        for i in 0..24 {
            names.fresh_str(BASES[i % BASES.len()]);
        }
        Gen { state: seed | 1, names }
    }

    fn below(&mut self, n: usize) -> usize {
        self.state = self.state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        ((self.state >> 33) as usize) % n
    }

    fn bool(&mut self) -> bool {
        self.below(2) == 0
    }

    fn pick<T: Clone>(&mut self, items: &[T]) -> T {
        items[self.below(items.len())].clone()
    }

    fn list<T>(&mut self, f: impl Fn(&mut Self) -> T) -> Vec<T> {
        (0..self.below(3)).map(|_| f(self)).collect()
    }

    fn option<T>(&mut self, f: impl Fn(&mut Self) -> T) -> Option<T> {
        self.bool().then(|| f(self))
    }

    pub(super) fn program(&mut self) -> Program {
        Program {
            globals: self.list(Gen::param),
            init: self.code(2),
            functions: self.list(Gen::function),
            device_functions: self.list(|g| DeviceFunction {
                name: g.name(),
                outputs: g.list(Gen::param),
                inputs: g.list(Gen::param),
                body: g.code(2),
            }),
            kernels: self.list(Gen::kernel),
            opaques: OpaqueTypes { types: self.list(|g| (g.text(), OpaqueType::Plain(vec![]))) },
            params: self.list(|g| TuningParam {
                name: g.symbol(),
                class: g.text(),
                default: g.option(|g| g.below(99) as i64 - 9),
                thread_bytes: g.option(|g| g.below(99) as i64),
            }),
            checks: self.list(|g| Check {
                message: g.list(|g| match g.bool() {
                    true => CheckPart::Text(g.text()),
                    false => CheckPart::Value(g.scalar()),
                }),
                loc: Loc::none(),
            }),
            names: self.names.clone(),
        }
    }

    fn text(&mut self) -> String {
        self.pick(&["a", "a b", "\"q\"\\", "tab\tnl\n\u{7}", "é`", "", "-- no comment"]).to_string()
    }

    fn symbol(&mut self) -> Symbol {
        let text = self.pick(&["foo", "0", "a.b", "bar_3", "i32", "default"]);
        Symbol::new(text)
    }

    fn name(&mut self) -> Name {
        Name(self.below(24) as u32)
    }

    fn prim(&mut self) -> PrimType {
        let int = PrimType::Int(self.int());
        let float = PrimType::Float(self.pick(&FloatType::ALL));
        self.pick(&[int, int, float, PrimType::Bool, PrimType::Unit])
    }

    fn int(&mut self) -> IntType {
        self.pick(&IntType::ALL)
    }

    fn scalar(&mut self) -> ScalarType {
        self.pick(&ScalarType::ALL)
    }

    fn value(&mut self, ty: PrimType) -> PrimValue {
        let v = self.below(7) as i64 - 3;
        match ty {
            PrimType::Int(t) => PrimValue::int(t, v),
            PrimType::Float(t) => {
                PrimValue::float(t, self.pick(&[v as f64, 0.5, -0.0, f64::NEG_INFINITY, f64::NAN]))
            }
            PrimType::Bool => PrimValue::Bool(v > 0),
            PrimType::Unit => PrimValue::Unit,
        }
    }

    fn space(&mut self) -> Space {
        match self.below(5) {
            0 => Space::Shared,
            1 => Space::Scalar(self.prim(), self.list(|g| g.below(9) as i64)),
            _ => Space::Default,
        }
    }

    fn param(&mut self) -> Param {
        match self.bool() {
            true => Param::Scalar(self.name(), self.prim()),
            false => Param::Mem(self.name(), self.space()),
        }
    }

    fn function(&mut self) -> Function {
        Function {
            name: self.name(),
            outputs: self.list(Gen::param),
            inputs: self.list(Gen::param),
            body: self.code(3),
            entry: self.option(Gen::entry),
        }
    }

    fn entry(&mut self) -> Entry {
        let ty = |g: &mut Gen| EntryType::Transparent(g.scalar(), g.below(3));
        Entry {
            face: EntryPoint {
                name: self.symbol(),
                doc: self.option(Gen::text),
                params: self.list(|g| EntryParam {
                    name: g.option(Gen::symbol),
                    ty: ty(g),
                    unique: g.bool(),
                }),
                result: EntryResult { ty: ty(self), unique: self.bool() },
                size_params: self.below(3),
                size_results: self.below(3),
            },
            attrs: self.list(|g| fehu_ir::Attr::Comp(g.symbol(), vec![fehu_ir::Attr::Atom(g.symbol())])),
            params: self.list(|g| g.list(Gen::entry_value)),
            result: self.list(Gen::entry_value),
        }
    }

    fn entry_value(&mut self) -> EntryValue {
        if self.bool() {
            return EntryValue::Scalar { var: self.name(), ty: self.scalar() };
        }
        EntryValue::Array { mem: self.name(), elem: self.scalar(), shape: self.list(|g| g.expr(1)) }
    }

    fn kernel(&mut self) -> Kernel {
        Kernel {
            name: self.name(),
            label: self.symbol(),
            params: self.list(Gen::param),
            shared: self.list(Gen::name),
            block_size: self.option(|g| g.expr(1)),
            resident: self.option(|_| 1024),
            qualifiers: self
                .list(|g| (g.name(), g.pick(&[Qualifier::OnlyRead, Qualifier::Unaliased])))
                .into_iter()
                .collect(),
            body: self.code(3),
            loc: Loc::none(),
        }
    }

    /// An expression of at most this depth.
    fn expr(&mut self, depth: usize) -> Expr {
        let deep = depth.saturating_sub(1);
        let part = |g: &mut Gen| Box::new(g.expr(deep));
        match self.below(if depth == 0 { 4 } else { 14 }) {
            0 => {
                let ty = self.prim();
                Expr::Const(self.value(ty))
            }
            1 => Expr::Var(self.name()),
            2 => Expr::Param(self.symbol()),
            3 => Expr::Gpu(self.pick(&[
                GpuIndex::Local,
                GpuIndex::Block,
                GpuIndex::BlockSize,
                GpuIndex::GridSize,
                GpuIndex::MatrixUnits,
            ])),
            4 => Expr::UnOp(self.pick(&UnOp::all()), part(self)),
            5 => Expr::Conv(self.pick(&ConvOp::all()), part(self)),
            6..=8 => Expr::BinOp(self.pick(&BinOp::all()), part(self), part(self)),
            9 | 10 => Expr::CmpOp(self.pick(&CmpOp::all()), part(self), part(self)),
            11 => Expr::PrimFn(self.pick(&PrimFn::all()), self.list(|g| g.expr(deep))),
            12 => Expr::Select(part(self), part(self), part(self)),
            _ => Expr::Index { mem: self.name(), offset: part(self), elem: self.prim(), space: self.space() },
        }
    }

    fn place(&mut self) -> Place {
        Place {
            mem: self.name(),
            space: self.space(),
            offset: self.expr(2),
            strides: self.list(|g| g.expr(1)),
        }
    }

    fn arg(&mut self) -> Arg {
        match self.bool() {
            true => Arg::Scalar(self.expr(2)),
            false => Arg::Mem(self.name()),
        }
    }

    fn code<O: Arbitrary>(&mut self, depth: usize) -> Code<O> {
        let codes = (0..self.below(5)).map(|_| self.statement(depth)).collect();
        Code::Seq(codes)
    }

    fn statement<O: Arbitrary>(&mut self, depth: usize) -> Code<O> {
        let deep = depth.saturating_sub(1);
        let scope = |g: &mut Gen| Box::new(g.code(deep));
        match self.below(if depth == 0 { 12 } else { 15 }) {
            0 => Code::DeclareScalar(self.name(), self.prim()),
            1 | 2 => Code::SetScalar(self.name(), self.expr(4)),
            3 => Code::DeclareMem(self.name(), self.space()),
            4 => {
                let elem = self.prim();
                Code::DeclareStatic(
                    self.name(),
                    Arc::new(ArrayData { elem, values: self.list(|g| g.value(elem)) }),
                )
            }
            5 => Code::SetMem(self.name(), self.name(), self.space()),
            6 => Code::Write {
                mem: self.name(),
                offset: self.expr(2),
                elem: self.prim(),
                space: self.space(),
                value: self.expr(2),
            },
            7 => Code::Copy {
                elem: self.prim(),
                shape: self.list(|g| g.expr(1)),
                dst: self.place(),
                src: self.place(),
            },
            8 => Code::Call { outs: self.list(Gen::name), fun: self.name(), args: self.list(Gen::arg) },
            9 => Code::Assert { cond: self.expr(2), message: self.message(), loc: Loc::none() },
            12 => {
                let order = if self.bool() { Order::Reduction } else { Order::Sequential };
                let (var, ty, bound) = (self.name(), self.int(), self.expr(2));
                Code::For { var, ty, bound, order, body: scope(self) }
            }
            13 => Code::While(self.expr(2), scope(self)),
            14 => Code::If(self.expr(2), scope(self), scope(self)),
            _ => Code::Op(O::arbitrary(self, depth)),
        }
    }

    fn cpu_op<O: Arbitrary>(&mut self, depth: usize) -> CpuOp<O> {
        let deep = depth.saturating_sub(1);
        match self.below(if depth == 0 { 6 } else { 9 }) {
            0 => CpuOp::Allocate {
                mem: self.name(),
                bytes: self.expr(2),
                space: self.space(),
                loc: Loc::none(),
            },
            1 => CpuOp::Free(self.name(), self.space()),
            2 => CpuOp::GetSize(self.name(), self.symbol()),
            3 => CpuOp::GetSizeMax(self.name(), self.symbol()),
            4 => CpuOp::CmpThreshold(self.name(), self.symbol(), self.expr(2)),
            5 => CpuOp::Trace { loc: self.option(|_| Loc::none()), message: self.message() },
            8 => CpuOp::Outlined(Box::new(Outlined {
                var: self.name(),
                inputs: self.list(Gen::name),
                updated: self.list(Gen::name),
                blocks: self.list(|g| OutlinedBlock {
                    mem: g.name(),
                    written: g.bool(),
                    unaliased: g.bool(),
                }),
                can_fail: self.bool(),
                vectors: [Vectors::Basic, Vectors::Wide, Vectors::Widest][self.below(3)],
                code: self.code(deep),
            })),
            6 => CpuOp::ParFor {
                start: self.name(),
                end: self.name(),
                bound: self.expr(1),
                least: if self.bool() { 1 } else { 16 },
                body: Box::new(self.code(deep)),
            },
            _ => CpuOp::ParChunks {
                chunk: self.name(),
                start: self.name(),
                end: self.name(),
                bound: self.expr(1),
                most: self.expr(1),
                chunks: self.name(),
                before: Box::new(self.code(deep)),
                body: Box::new(self.code(deep)),
            },
        }
    }

    fn message(&mut self) -> Vec<ErrorPart> {
        self.list(|g| match g.bool() {
            true => ErrorPart::Text(g.text()),
            false => ErrorPart::Value(g.expr(2), g.scalar()),
        })
    }
}

/// Operations that can be made at random.
trait Arbitrary: Operation {
    fn arbitrary(g: &mut Gen, depth: usize) -> Self;
}

impl Arbitrary for HostOp {
    fn arbitrary(g: &mut Gen, depth: usize) -> HostOp {
        if g.below(4) > 0 {
            return HostOp::Cpu(g.cpu_op(depth));
        }
        HostOp::Own(Box::new(Launch {
            kernel: g.name(),
            grid: g.expr(2),
            block: g.expr(2),
            shared: g.list(|g| g.expr(2)),
            args: g.list(Gen::arg),
            ahead: (g.below(4) == 0).then(|| Ahead {
                block: g.name(),
                way: if g.below(2) == 0 { Way::Copied } else { Way::Written },
            }),
        }))
    }
}

impl Arbitrary for TaskOp {
    fn arbitrary(g: &mut Gen, depth: usize) -> TaskOp {
        if g.below(4) > 0 {
            return TaskOp::Cpu(g.cpu_op(depth));
        }
        TaskOp::Own(RacingWrite { mem: g.name(), offset: g.expr(2), elem: g.prim(), value: g.expr(2) })
    }
}

impl Arbitrary for KernelOp {
    fn arbitrary(g: &mut Gen, depth: usize) -> KernelOp {
        match g.below(if depth == 0 { 21 } else { 23 }) {
            22 => KernelOp::UnrolledFor {
                by: [None, Some(4)][g.below(2)],
                var: g.name(),
                ty: g.int(),
                bound: g.expr(1),
                body: Box::new(g.code(depth - 1)),
            },
            21 => KernelOp::Guarded(Box::new(g.code(depth - 1))),
            17 => KernelOp::MostOfWarp { var: g.name(), value: g.expr(2) },
            18 => KernelOp::CopyRows {
                to: [RowsTo::Shared, RowsTo::Global][g.below(2)],
                tile: g.name(),
                mem: g.name(),
                offset: g.expr(2),
                within: (g.expr(2), g.expr(2)),
                elem: g.prim(),
                count: g.below(33) as u32,
            },
            16 => KernelOp::ReadWhole {
                to: g.name(),
                mem: g.name(),
                offset: g.expr(2),
                elem: g.prim(),
                count: g.below(17) as u32,
            },
            12 => KernelOp::Check {
                cond: g.expr(2),
                number: g.below(9),
                values: g.list(|g| (g.expr(2), g.scalar())),
            },
            0 => KernelOp::Barrier,
            1 => KernelOp::Fence,
            9 => KernelOp::BlockFence,
            14 => KernelOp::WarpBarrier,
            15 => KernelOp::Ballot { var: g.name(), cond: g.expr(2) },
            2 => KernelOp::LeaveIfFailed,
            3 => KernelOp::Atomic {
                old: g.option(Gen::name),
                op: g.pick(&super::ops::ATOMIC_OPS),
                mem: g.name(),
                offset: g.expr(2),
                elem: g.prim(),
                space: g.space(),
                value: g.expr(2),
            },
            4 => KernelOp::CompareAndSwap {
                old: g.name(),
                mem: g.name(),
                offset: g.expr(2),
                elem: g.prim(),
                space: g.space(),
                expected: g.expr(2),
                value: g.expr(2),
            },
            5 => KernelOp::ReadVolatile { var: g.name(), mem: g.name(), offset: g.expr(2), elem: g.prim() },
            6 => {
                KernelOp::WriteVolatile { mem: g.name(), offset: g.expr(2), elem: g.prim(), value: g.expr(2) }
            }
            10 => KernelOp::AwaitCopies,
            13 => KernelOp::ReadRun {
                to: g.name(),
                mem: g.name(),
                offset: g.expr(2),
                elem: g.prim(),
                stride: g.expr(2),
                count: g.below(17) as u32,
                limit: g.expr(2),
            },
            19 => {
                KernelOp::MultiplyAdd { sums: g.name(), left: g.name(), right: g.name(), points: g.expr(2) }
            }
            20 => KernelOp::AwaitProducts { sums: g.name(), points: g.expr(2) },
            11 => KernelOp::CopyAhead {
                dst: g.name(),
                dst_offset: g.expr(2),
                src: g.name(),
                src_offset: g.expr(2),
                elem: g.prim(),
                count: g.below(17) as u32,
            },
            7 => KernelOp::DeclareArray { mem: g.name(), space: g.space(), elem: g.prim(), count: g.expr(2) },
            _ => KernelOp::Shuffle {
                var: g.name(),
                ty: g.prim(),
                direction: g.pick(&[
                    Direction::Up,
                    Direction::Down,
                    Direction::First,
                    Direction::FirstOf,
                    Direction::LastOf,
                ]),
                delta: g.below(33) as u32,
                value: g.expr(2),
            },
        }
    }
}
