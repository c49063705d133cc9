//! Random programs for the tests of printing and reading: every construct,
//! with no regard to meaning.

mod schedule;

use crate::op::RepOp;
use crate::rep::Rep;
use crate::seg::*;
use crate::soac::*;
use crate::syntax::*;
use fehu_base::ops::{BinOp, CmpOp, ConvOp, PrimFn, UnOp};
use fehu_base::prim::{FloatType, IntType, PrimType, PrimValue, ScalarType};
use fehu_base::{FileId, Name, NameSource, Span, Symbol};
use std::sync::Arc;

/// A source of random choices.
pub(crate) struct Gen {
    state: u64,
    names: NameSource,
}

const BASES: [&str; 7] = ["x", "xs'", "x_1", "+^", "", "a`b\n", "défi"];

impl Gen {
    pub(crate) fn new(seed: u64) -> Gen {
        let mut names = NameSource::new();
        for i in 0..40 {
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

    fn bits(&mut self) -> u64 {
        (0..4).fold(0, |acc, _| acc << 16 | self.below(1 << 16) as u64)
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

    pub(crate) fn prog<R: Rep<Dec = ()>>(&mut self) -> Prog<R> {
        let opaques = OpaqueTypes { types: self.list(|g| (g.text(), g.opaque())) };
        let consts = Body { stms: self.list(|g| g.stm(1)), result: vec![] };
        let funs = self.list(Gen::fun);
        Prog { consts, funs, opaques, names: self.names.clone() }
    }

    fn text(&mut self) -> String {
        self.pick(&["a", "a b", "\"q\"\\", "tab\tnl\n\u{7}", "é`", "", "-- no comment"]).to_string()
    }

    fn symbol(&mut self) -> Symbol {
        let text = self.pick(&["foo", "0", "a.b", "bar_3", "i32"]);
        Symbol::new(text)
    }

    fn scalar(&mut self) -> ScalarType {
        self.pick(&ScalarType::ALL)
    }

    fn ranked(&mut self) -> (ScalarType, usize) {
        (self.scalar(), self.below(3))
    }

    fn entry_type(&mut self) -> EntryType {
        if self.bool() {
            EntryType::Transparent(self.scalar(), self.below(3))
        } else {
            EntryType::Opaque(self.text())
        }
    }

    fn field(&mut self) -> (Symbol, EntryType) {
        (self.symbol(), self.entry_type())
    }

    fn sum_size(&mut self) -> SumSize {
        match self.below(2) {
            0 => SumSize::Constant(self.below(9) as i64),
            _ => SumSize::Same(self.below(3), self.below(3)),
        }
    }

    fn opaque(&mut self) -> OpaqueType {
        match self.below(5) {
            0 => OpaqueType::Plain(self.list(Gen::ranked)),
            1 => OpaqueType::Record(self.list(Gen::field)),
            2 => OpaqueType::Sum {
                values: self.list(Gen::ranked),
                variants: self.list(|g| (g.symbol(), g.list(|g| (g.entry_type(), g.list(|g| g.below(5)))))),
                sizes: self.list(|g| (g.below(3), g.below(3), g.sum_size())),
            },
            3 => OpaqueType::Array {
                elem: self.entry_type(),
                rank: self.below(3),
                values: self.list(Gen::ranked),
            },
            _ => OpaqueType::RecordArray {
                elem: self.entry_type(),
                rank: self.below(3),
                fields: self.list(Gen::field),
            },
        }
    }

    fn fun<R: Rep<Dec = ()>>(&mut self) -> FunDef<R> {
        FunDef {
            name: self.name(),
            entry: self.option(|g| EntryPoint {
                name: g.symbol(),
                doc: g.option(Gen::text),
                params: g.list(|g| EntryParam {
                    name: g.option(Gen::symbol),
                    ty: g.entry_type(),
                    unique: g.bool(),
                }),
                result: EntryResult { ty: g.entry_type(), unique: g.bool() },
                size_params: g.below(3),
                size_results: g.below(3),
            }),
            attrs: self.list(|g| g.attr(2)),
            params: self.list(Gen::param),
            ret: self.list(|g| FunRet { ty: g.ret_type(), dec: () }),
            body: self.body(3),
            loc: self.loc(),
        }
    }

    fn ret_type(&mut self) -> RetType {
        if self.bool() {
            return RetType::Prim(self.prim());
        }
        let mut shape =
            self.list(|g| if g.bool() { ExtSize::Ext(g.below(3)) } else { ExtSize::Free(g.operand()) });
        shape.push(ExtSize::Free(SubExp::i64(3)));
        RetType::Array { elem: self.prim(), shape, unique: self.bool() }
    }

    fn attr(&mut self, depth: usize) -> Attr {
        match self.below(if depth == 0 { 2 } else { 3 }) {
            0 => Attr::Atom(self.symbol()),
            1 => Attr::Int(self.bits() as i64),
            _ => Attr::Comp(self.symbol(), self.list(|g| g.attr(depth - 1))),
        }
    }

    fn span(&mut self) -> Span {
        if self.bool() {
            return Span::NONE;
        }
        Span::new(FileId(self.below(3) as u32), self.below(9) as u32, self.below(99) as u32)
    }

    fn loc(&mut self) -> Loc {
        let caller = self.option(|g| Arc::new(Loc::at(g.span())));
        Loc { span: self.span(), caller }
    }

    fn name(&mut self) -> Name {
        Name(self.below(self.names.len()) as u32)
    }

    fn name_list(&mut self) -> Vec<Name> {
        self.list(Gen::name)
    }

    fn int(&mut self) -> IntType {
        self.pick(&IntType::ALL)
    }

    fn prim(&mut self) -> PrimType {
        match self.below(4) {
            0 => PrimType::Int(self.int()),
            1 => PrimType::Float(self.pick(&FloatType::ALL)),
            2 => PrimType::Bool,
            _ => PrimType::Unit,
        }
    }

    fn value(&mut self, t: PrimType) -> PrimValue {
        let bits = self.bits();
        match t {
            PrimType::Int(t) => PrimValue::int(t, bits as i64),
            PrimType::Float(t) if self.bool() => {
                let v = self.pick(&[0.0, -0.0, 1.5, f64::INFINITY, f64::NEG_INFINITY, f64::NAN, 1e-7]);
                PrimValue::float(t, v)
            }
            PrimType::Float(FloatType::F16) => PrimValue::F16(half::f16::from_bits(bits as u16)),
            PrimType::Float(FloatType::F32) => PrimValue::F32(f32::from_bits(bits as u32)),
            PrimType::Float(FloatType::F64) => PrimValue::F64(f64::from_bits(bits)),
            PrimType::Bool => PrimValue::Bool(bits % 2 == 0),
            PrimType::Unit => PrimValue::Unit,
        }
    }

    fn operand(&mut self) -> SubExp {
        if self.bool() {
            return SubExp::Var(self.name());
        }
        let t = self.prim();
        SubExp::Const(self.value(t))
    }

    fn operands(&mut self) -> Vec<SubExp> {
        self.list(Gen::operand)
    }

    fn ty(&mut self) -> Type {
        match self.below(4) {
            0 => Type::Prim(self.prim()),
            1 => Type::Acc(self.name(), self.operands(), self.list(|g| Type::Prim(g.prim()))),
            2 => Type::Mem(match self.below(3) {
                0 => Space::Default,
                1 => Space::Shared,
                _ => Space::Scalar(self.prim(), self.list(|g| g.below(9) as i64)),
            }),
            _ => {
                let mut shape = self.operands();
                shape.push(self.operand());
                Type::Array(self.prim(), shape)
            }
        }
    }

    fn types(&mut self) -> Vec<Type> {
        self.list(Gen::ty)
    }

    fn param<R: Rep<Dec = ()>>(&mut self) -> Param<R> {
        Param { name: self.name(), ty: self.ty(), dec: (), consumed: self.bool() }
    }

    fn body<R: Rep<Dec = ()>>(&mut self, depth: usize) -> Body<R> {
        Body { stms: self.list(|g| g.stm(depth)), result: self.operands() }
    }

    fn stm<R: Rep<Dec = ()>>(&mut self, depth: usize) -> Stm<R> {
        Stm {
            pat: self.list(|g| PatElem { name: g.name(), ty: g.ty(), dec: () }),
            certs: self.name_list(),
            attrs: self.list(|g| g.attr(1)),
            loc: self.loc(),
            exp: self.exp(depth),
        }
    }

    fn lambda<R: Rep<Dec = ()>>(&mut self, depth: usize) -> Lambda<R> {
        Lambda { params: self.list(Gen::param), body: self.body(depth.saturating_sub(1)), ret: self.types() }
    }

    fn dim_index(&mut self) -> DimIndex {
        if self.bool() {
            return DimIndex::Fix(self.operand());
        }
        DimIndex::Slice { start: self.operand(), len: self.operand(), stride: self.operand() }
    }

    fn pair(&mut self) -> (SubExp, SubExp) {
        (self.operand(), self.operand())
    }

    fn exp<R: Rep<Dec = ()>>(&mut self, depth: usize) -> Exp<R> {
        let deep = depth.saturating_sub(1);
        match self.below(if depth == 0 { 22 } else { 30 }) {
            0 => Exp::Basic(Basic::SubExp(self.operand())),
            1 => Exp::Basic(Basic::Opaque(self.operand())),
            2 => Exp::Basic(Basic::UnOp(self.pick(&UnOp::all()), self.operand())),
            3 => Exp::Basic(Basic::BinOp(self.pick(&BinOp::all()), self.operand(), self.operand())),
            4 => Exp::Basic(Basic::CmpOp(self.pick(&CmpOp::all()), self.operand(), self.operand())),
            5 => Exp::Basic(Basic::Conv(self.pick(&ConvOp::all()), self.operand())),
            6 => Exp::Basic(Basic::PrimFn(self.pick(&PrimFn::all()), self.operands())),
            7 => Exp::Basic(Basic::Assert(
                self.operand(),
                self.list(|g| {
                    if g.bool() {
                        ErrorPart::Text(g.text())
                    } else {
                        ErrorPart::Value(g.operand(), g.scalar())
                    }
                }),
                match self.below(3) {
                    0 => Purpose::Values,
                    1 => Purpose::Program,
                    _ => Purpose::Sizes { sizes: self.operands(), runs: self.operands() },
                },
            )),
            8 => Exp::Basic(Basic::ArrayLit(self.operands(), self.ty())),
            9 => {
                let elem = self.prim();
                Exp::Basic(Basic::ArrayConst(Arc::new(ArrayData {
                    elem,
                    values: self.list(|g| g.value(elem)),
                })))
            }
            10 => Exp::Basic(Basic::Index(self.name(), self.list(Gen::dim_index))),
            11 => Exp::Basic(Basic::Update(self.name(), self.list(Gen::dim_index), self.operand())),
            12 => Exp::Basic(Basic::FlatIndex(self.name(), self.operand(), self.list(Gen::pair))),
            13 => {
                Exp::Basic(Basic::FlatUpdate(self.name(), self.operand(), self.list(Gen::pair), self.name()))
            }
            14 => Exp::Basic(Basic::Iota {
                n: self.operand(),
                start: self.operand(),
                step: self.operand(),
                ty: self.int(),
            }),
            15 => Exp::Basic(Basic::Replicate(self.operands(), self.operand())),
            16 => Exp::Basic(Basic::Scratch(self.prim(), self.operands())),
            17 => Exp::Basic(Basic::Manifest(self.list(|g| g.below(4)), self.name())),
            18 => Exp::Basic(Basic::Concat {
                dim: self.below(3),
                arrays: self.name_list(),
                size: self.operand(),
            }),
            19 => Exp::Basic(Basic::Rearrange(self.list(|g| g.below(4)), self.name())),
            20 => Exp::Basic(Basic::Reshape(self.operands(), self.name())),
            21 => Exp::Basic(Basic::UpdateAcc(self.name(), self.operands(), self.operands())),
            22 => Exp::Call(self.name(), self.operands()),
            23 => Exp::If(self.operand(), Box::new(self.body(deep)), Box::new(self.body(deep))),
            24 => Exp::Loop(Box::new(Loop {
                params: self.list(|g| (g.param(), g.operand())),
                form: if self.bool() {
                    LoopForm::For { var: self.name(), ty: self.int(), bound: self.operand() }
                } else {
                    LoopForm::While(self.name())
                },
                body: self.body(deep),
            })),
            25 => Exp::WithAcc(Box::new(WithAcc {
                inputs: self.list(|g| AccInput {
                    shape: g.operands(),
                    arrays: g.name_list(),
                    op: g.option(|g| (g.lambda(deep), g.operands())),
                }),
                lambda: self.lambda(deep),
            })),
            26 => Exp::Basic(Basic::Copy(self.name())),
            _ => self.op(deep),
        }
    }

    fn op<R: Rep<Dec = ()>>(&mut self, depth: usize) -> Exp<R> {
        let op = match self.below(3) {
            0 => R::Op::from_seg(self.seg(depth)),
            1 => R::Op::from_size(self.size()),
            _ => R::Op::from_soac(self.soac(depth)),
        };
        op.or_else(|| R::Op::from_soac(self.soac(depth)))
            .map_or(Exp::Basic(Basic::SubExp(SubExp::bool(true))), Exp::Op)
    }

    fn comm(&mut self) -> Commutativity {
        self.pick(&[Commutativity::Commutative, Commutativity::Noncommutative])
    }

    fn soac<R: Rep<Dec = ()>>(&mut self, depth: usize) -> Soac<R> {
        match self.below(5) {
            0 => Soac::Screma(Screma {
                width: self.operand(),
                arrays: self.name_list(),
                scans: self.list(|g| Scan { op: g.lambda(depth), neutral: g.operands() }),
                reds: self.list(|g| Reduce { comm: g.comm(), op: g.lambda(depth), neutral: g.operands() }),
                map: self.lambda(depth),
            }),
            1 => Soac::Hist(Hist {
                width: self.operand(),
                arrays: self.name_list(),
                ops: self.list(|g| HistOp {
                    shape: g.operands(),
                    dests: g.name_list(),
                    neutral: g.operands(),
                    op: g.lambda(depth),
                }),
                lambda: self.lambda(depth),
            }),
            2 => Soac::Scatter(Scatter {
                width: self.operand(),
                arrays: self.name_list(),
                dests: self.list(|g| ScatterDest { shape: g.operands(), array: g.name() }),
                lambda: self.lambda(depth),
            }),
            3 => Soac::Filter(Filter {
                width: self.operand(),
                arrays: self.name_list(),
                kept: self.list(|g| g.below(3)),
                lambda: self.lambda(depth),
            }),
            _ => Soac::Ad(Ad {
                mode: self.pick(&[AdMode::Forward, AdMode::Reverse, AdMode::Rule]),
                lambda: self.lambda(depth),
                args: self.operands(),
                seeds: self.operands(),
            }),
        }
    }

    fn seg<R: Rep<Dec = ()>>(&mut self, depth: usize) -> SegOp<R> {
        let bin_op = |g: &mut Gen| SegBinOp { comm: g.comm(), op: g.lambda(depth), neutral: g.operands() };
        let body: Body<R> = self.body(depth);
        let returns = body.result.iter().map(|_| self.kernel_return()).collect();
        SegOp {
            level: self.pick(&[SegLevel::Thread, SegLevel::Block, SegLevel::InBlock, SegLevel::Task]),
            space: SegSpace { flat: self.name(), dims: self.list(|g| (g.name(), g.operand())) },
            types: self.types(),
            body: KernelBody { body, returns },
            kind: match self.below(4) {
                0 => SegKind::Map,
                1 => SegKind::Red(self.list(bin_op)),
                2 => SegKind::Scan(
                    self.list(bin_op),
                    self.bool().then(|| {
                        let lambda: Lambda<R> = self.lambda(depth);
                        let returns = lambda.body.result.iter().map(|_| self.kernel_return()).collect();
                        Box::new(SegAfter { lambda, returns })
                    }),
                ),
                _ => SegKind::Hist(self.list(|g| SegHistOp {
                    shape: g.operands(),
                    dests: g.name_list(),
                    neutral: g.operands(),
                    vector: g.operands(),
                    op: g.lambda(depth),
                })),
            },
            virtualise: self.bool(),
            grid: self.bool().then(|| SegGrid {
                thread: self.name(),
                threads: self.operand(),
                blocks: self.operand(),
                block_size: self.operand(),
            }),
            schedule: self.bool().then(|| Box::new(self.schedule())),
        }
    }

    fn kernel_return(&mut self) -> KernelReturn {
        match self.bool() {
            true => KernelReturn::Elem,
            false => {
                KernelReturn::Write { array: self.name(), shape: self.operands(), index: self.operands() }
            }
        }
    }

    fn size(&mut self) -> SizeOp {
        match self.below(5) {
            0 => SizeOp::GetSize(self.symbol(), self.class()),
            1 => SizeOp::GetSizeMax(self.class()),
            2 => SizeOp::SharedNeeded(self.symbol()),
            3 => SizeOp::CmpThreshold {
                name: self.symbol(),
                class: self.class(),
                par: self.operand(),
                by: self.bool().then(|| self.operand()),
            },
            _ => SizeOp::CalcGrid { points: self.operand(), max: self.symbol(), block: self.operand() },
        }
    }

    fn class(&mut self) -> SizeClass {
        match self.below(8) {
            0 => SizeClass::Threshold(self.list(|g| (g.symbol(), g.bool())), self.bool().then_some(32)),
            1 => SizeClass::ThreadBlockSize,
            2 => SizeClass::GridSize,
            3 => SizeClass::TileSize,
            4 => SizeClass::RegTileSize,
            5 => SizeClass::SharedMemory,
            6 => SizeClass::ThreadMemory,
            _ => SizeClass::Bespoke(self.symbol(), self.below(99) as i64),
        }
    }
}
