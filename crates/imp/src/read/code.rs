//! Reading statements.

use super::Text;
use crate::print::{atomic_op, direction_word};
use crate::syntax::{
    Arg, ArrayData, AtomicOp, Code, Direction, ErrorPart, KernelOp, Launch, Loc, Op, Param, Place, Space,
};
use fehu_base::prim::PrimType;
use fehu_base::Name;
use fehu_ir::read::Read;
use fehu_ir::visit::deep;
use std::sync::Arc;

pub(super) const ATOMIC_OPS: [AtomicOp; 10] = [
    AtomicOp::Add,
    AtomicOp::FAdd,
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
    /// Code in braces.
    pub(super) fn scope(&mut self) -> Read<Code> {
        deep(|| {
            self.r.punct('{')?;
            let mut codes = vec![];
            while !self.r.try_punct('}') {
                self.statement(&mut codes)?;
            }
            Ok(Code::Seq(codes))
        })
    }

    fn boxed_scope(&mut self) -> Read<Box<Code>> {
        Ok(Box::new(self.scope()?))
    }

    /// Adds the next statement; a declaration with a value is two.
    fn statement(&mut self, out: &mut Vec<Code>) -> Read<()> {
        if self.r.is_name() {
            return self.of_variable(out);
        }
        let Some(word) = self.r.next_word() else { return self.r.expected("a statement") };
        let code = match word {
            "free" => {
                self.r.word(word)?;
                let m = self.r.name()?;
                Code::Free(m, self.space_of(m)?)
            }
            "copy" => {
                self.r.word(word)?;
                let elem = self.r.prim_type()?;
                let shape = self.list('[', ']', Self::expr)?;
                let dst = self.place()?;
                self.left_arrow()?;
                Code::Copy { elem, shape, dst, src: self.place()? }
            }
            "for" => {
                self.r.word(word)?;
                let var = self.r.name()?;
                self.r.punct(':')?;
                let ty = self.r.int_type()?;
                self.declared.scalar(var, PrimType::Int(ty));
                self.r.punct('<')?;
                let bound = self.expr()?;
                Code::For { var, ty, bound, body: self.boxed_scope()? }
            }
            "while" => {
                self.r.word(word)?;
                let cond = self.expr()?;
                Code::While(cond, self.boxed_scope()?)
            }
            "if" => self.branch()?,
            "call" => {
                self.r.word(word)?;
                let fun = self.r.name()?;
                let args = self.args()?;
                let outs = if self.r.at('-') {
                    self.arrow()?;
                    self.list('(', ')', |t| t.r.name())?
                } else {
                    vec![]
                };
                Code::Call { outs, fun, args }
            }
            "assert" => self.assert()?,
            "trace" => self.trace()?,
            _ => Code::Op(self.op(word)?),
        };
        out.push(code);
        Ok(())
    }

    /// A statement that begins with a variable: it is declared, assigned, or written to.
    fn of_variable(&mut self, out: &mut Vec<Code>) -> Read<()> {
        let x = self.r.name()?;
        if self.r.try_punct(':') {
            return self.declare(x, out);
        }
        let space = self.space_of(x)?;
        let code = if self.r.at('.') {
            let (elem, offset) = self.element()?;
            self.left_arrow()?;
            Code::Write { mem: x, offset, elem, space, value: self.expr()? }
        } else {
            self.r.punct('=')?;
            self.assigned(x, space)?
        };
        out.push(code);
        Ok(())
    }

    fn declare(&mut self, x: Name, out: &mut Vec<Code>) -> Read<()> {
        if self.r.try_word("static") {
            let elem = self.r.prim_type()?;
            let values = self.list('[', ']', |t| t.r.value())?;
            if values.iter().any(|v| v.prim_type() != elem) {
                return self.r.fail(format!("an element of this array is not of type {elem}"));
            }
            self.declared.block(x, &Space::Default);
            out.push(Code::DeclareStatic(x, Arc::new(ArrayData { elem, values })));
        } else if self.r.try_word("array") {
            let space = self.r.space_in_parens()?;
            self.declared.block(x, &space);
            let elem = self.r.prim_type()?;
            self.r.punct('[')?;
            let count = self.expr()?;
            self.r.punct(']')?;
            out.push(Code::Op(Op::Kernel(KernelOp::DeclareArray { mem: x, space, elem, count })));
        } else {
            match self.declaration(x)? {
                Param::Mem(m, space) => out.push(Code::DeclareMem(m, space)),
                Param::Scalar(x, ty) => {
                    out.push(Code::DeclareScalar(x, ty));
                    if self.r.try_punct('=') {
                        out.push(Code::SetScalar(x, self.expr()?));
                    }
                }
            }
        }
        Ok(())
    }

    /// What a variable is assigned.
    fn assigned(&mut self, x: Name, space: Space) -> Read<Code> {
        let Some(word) = self.r.next_word() else { return Ok(Code::SetScalar(x, self.expr()?)) };
        Ok(match word {
            "allocate" => {
                self.r.word(word)?;
                Code::Allocate { mem: x, bytes: self.expr()?, space, loc: Loc::none() }
            }
            "mem" => {
                self.r.word(word)?;
                Code::SetMem(x, self.r.name()?, space)
            }
            "get_size" => {
                self.r.word(word)?;
                Code::Op(Op::GetSize(x, self.r.symbol()?))
            }
            "get_size_max" => {
                self.r.word(word)?;
                Code::Op(Op::GetSizeMax(x, self.r.symbol()?))
            }
            "threshold" => {
                self.r.word(word)?;
                let param = self.r.symbol()?;
                self.r.punct('<')?;
                self.r.punct('=')?;
                Code::Op(Op::CmpThreshold(x, param, self.expr()?))
            }
            "atomic" => Code::Op(Op::Kernel(self.atomic(Some(x))?)),
            "compare_and_swap" => {
                self.r.word(word)?;
                let (mem, space, elem, offset) = self.element_of()?;
                self.r.punct(',')?;
                let expected = self.expr()?;
                self.r.punct(',')?;
                let value = self.expr()?;
                let op = KernelOp::CompareAndSwap { old: x, mem, offset, elem, space, expected, value };
                Code::Op(Op::Kernel(op))
            }
            "volatile" => {
                self.r.word(word)?;
                let mem = self.r.name()?;
                let (elem, offset) = self.element()?;
                Code::Op(Op::Kernel(KernelOp::ReadVolatile { var: x, mem, offset, elem }))
            }
            "shuffle" => {
                self.r.word(word)?;
                let ty = self.r.prim_type()?;
                let direction = self.direction()?;
                let delta = self.r.number()?;
                self.r.punct(',')?;
                let value = self.expr()?;
                Code::Op(Op::Kernel(KernelOp::Shuffle { var: x, ty, direction, delta, value }))
            }
            _ => Code::SetScalar(x, self.expr()?),
        })
    }

    fn branch(&mut self) -> Read<Code> {
        self.r.word("if")?;
        let cond = self.expr()?;
        let yes = self.boxed_scope()?;
        let no = if !self.r.try_word("else") {
            Code::Seq(vec![])
        } else if self.r.at_word("if") {
            Code::Seq(vec![deep(|| self.branch())?])
        } else {
            self.scope()?
        };
        Ok(Code::If(cond, yes, Box::new(no)))
    }

    fn args(&mut self) -> Read<Vec<Arg>> {
        self.list('(', ')', |t| {
            if t.r.try_word("mem") {
                return Ok(Arg::Mem(t.r.name()?));
            }
            Ok(Arg::Scalar(t.expr()?))
        })
    }

    fn assert(&mut self) -> Read<Code> {
        self.r.word("assert")?;
        self.r.punct('(')?;
        let cond = self.expr()?;
        let message = self.message()?;
        self.r.punct(')')?;
        Ok(Code::Assert { cond, message, loc: Loc::none() })
    }

    /// `trace(at, "x is ", x : i32)`; `nowhere` instead of `at` if the place is not printed.
    fn trace(&mut self) -> Read<Code> {
        self.r.word("trace")?;
        self.r.punct('(')?;
        let loc = if self.r.try_word("at") { Some(Loc::none()) } else { None };
        if loc.is_none() {
            self.r.word("nowhere")?;
        }
        let message = self.message()?;
        self.r.punct(')')?;
        Ok(Code::Trace { loc, message })
    }

    /// Parts of a message, with a comma before each.
    fn message(&mut self) -> Read<Vec<ErrorPart>> {
        let mut message = vec![];
        while self.r.try_punct(',') {
            if self.r.at_string() {
                message.push(ErrorPart::Text(self.r.string()?));
            } else {
                let e = self.expr()?;
                self.r.punct(':')?;
                message.push(ErrorPart::Value(e, self.r.scalar_type()?));
            }
        }
        Ok(message)
    }

    fn place(&mut self) -> Read<Place> {
        let mem = self.r.name()?;
        let space = self.space_of(mem)?;
        self.r.punct('[')?;
        let offset = self.expr()?;
        self.r.punct(';')?;
        let strides = self.items(']', Self::expr)?;
        Ok(Place { mem, space, offset, strides })
    }

    fn left_arrow(&mut self) -> Read<()> {
        self.r.punct('<')?;
        self.r.punct('-')
    }

    fn op(&mut self, word: &str) -> Read<Op> {
        Ok(match word {
            "parfor" => {
                self.r.word(word)?;
                let (start, end) = self.range()?;
                self.r.word("of")?;
                let bound = self.expr()?;
                Op::ParFor { start, end, bound, body: self.boxed_scope()? }
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
                Op::ParChunks { chunk, start, end, bound, most, chunks, before, body }
            }
            "launch" => Op::Launch(Box::new(self.launch()?)),
            _ => Op::Kernel(self.kernel_op(word)?),
        })
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
        Ok(Launch { kernel, grid, block, shared, args })
    }

    fn kernel_op(&mut self, word: &str) -> Read<KernelOp> {
        Ok(match word {
            "barrier" => {
                self.r.word(word)?;
                KernelOp::Barrier
            }
            "fence" => {
                self.r.word(word)?;
                KernelOp::Fence
            }
            "block_fence" => {
                self.r.word(word)?;
                KernelOp::BlockFence
            }
            "leave_if_failed" => {
                self.r.word(word)?;
                KernelOp::LeaveIfFailed
            }
            "guarded" => {
                self.r.word(word)?;
                KernelOp::Guarded(self.boxed_scope()?)
            }
            "atomic" => self.atomic(None)?,
            "volatile" => {
                self.r.word(word)?;
                let mem = self.r.name()?;
                let (elem, offset) = self.element()?;
                self.left_arrow()?;
                KernelOp::WriteVolatile { mem, offset, elem, value: self.expr()? }
            }
            _ => return self.r.expected("a statement"),
        })
    }

    fn atomic(&mut self, old: Option<Name>) -> Read<KernelOp> {
        self.r.word("atomic")?;
        let Some(op) = ATOMIC_OPS.into_iter().find(|op| self.r.at_word(atomic_op(*op))) else {
            return self.r.expected("an atomic operation");
        };
        self.r.word(atomic_op(op))?;
        let (mem, space, elem, offset) = self.element_of()?;
        self.r.punct(',')?;
        Ok(KernelOp::Atomic { old, op, mem, offset, elem, space, value: self.expr()? })
    }

    fn direction(&mut self) -> Read<Direction> {
        let all = [Direction::Up, Direction::Down, Direction::First];
        let Some(direction) = all.into_iter().find(|d| self.r.at_word(direction_word(*d))) else {
            return self.r.expected("a direction");
        };
        self.r.word(direction_word(direction))?;
        Ok(direction)
    }
}
