//! Runs imperative code, slowly and with every access checked: what tests compare with.

use crate::ops::CpuOperation;
use crate::syntax::{Arg, ArrayData, Code, CpuOp, EntryValue, Expr, Function, Param, Place, Program, Space};
use fehu_base::ops::BinOp;
use fehu_base::prim::{PrimType, PrimValue};
use fehu_base::Name;
use rustc_hash::FxHashMap;
use std::cell::RefCell;
use std::rc::Rc;

/// Elements by their offset; the type is that of the last write.
type Block = Rc<RefCell<Vec<Option<PrimValue>>>>;

/// A value at the boundary of an entry point.
#[derive(Clone, Debug, PartialEq)]
#[allow(missing_docs)]
pub enum Value {
    Scalar(PrimValue),
    Array(Vec<i64>, Vec<PrimValue>),
}

#[derive(Default)]
struct Vars {
    scalars: FxHashMap<Name, PrimValue>,
    mems: FxHashMap<Name, Option<(Block, usize)>>,
    statics: FxHashMap<Name, bool>,
}

/// A running program.
#[allow(missing_debug_implementations)]
pub struct Machine<'a> {
    prog: &'a Program,
    globals: Vars,
    /// How many blocks were ever allocated.
    pub allocations: usize,
    /// How many elements were copied.
    pub copied: usize,
}

type Eval<T> = Result<T, String>;

impl<'a> Machine<'a> {
    /// Initialises a program.
    pub fn new(prog: &'a Program) -> Eval<Machine<'a>> {
        let mut m = Machine { prog, globals: Vars::default(), allocations: 0, copied: 0 };
        let mut vars = Vars::default();
        for g in &prog.globals {
            m.declare_param(&mut vars, g);
        }
        m.code(&mut vars, &prog.init)?;
        m.globals = vars;
        Ok(m)
    }

    fn declare_param(&self, vars: &mut Vars, p: &Param) {
        match p {
            Param::Scalar(n, ty) => {
                vars.scalars.insert(*n, ty.blank());
            }
            Param::Mem(n, _) => {
                vars.mems.insert(*n, None);
            }
        }
    }

    /// Runs an entry point.
    pub fn entry(&mut self, name: &str, args: &[Value]) -> Eval<Vec<Value>> {
        let fun = self
            .prog
            .functions
            .iter()
            .find(|f| f.entry.as_ref().is_some_and(|e| e.face.name.as_str() == name));
        let Some(fun) = fun else { return Err(format!("no entry {name}")) };
        let Some(entry) = &fun.entry else { return Err("no entry".into()) };
        let mut vars = Vars::default();
        let flat = entry.params.iter().flatten();
        for (value, arg) in flat.zip(args) {
            match (value, arg) {
                (EntryValue::Scalar { var, .. }, Value::Scalar(v)) => {
                    vars.scalars.insert(*var, *v);
                }
                (EntryValue::Array { mem, shape, elem }, Value::Array(sizes, values)) => {
                    for (n, size) in shape.iter().zip(sizes) {
                        if let Expr::Var(n) = n {
                            vars.scalars.insert(*n, PrimValue::I64(*size));
                        }
                    }
                    let mut block: Vec<Option<PrimValue>> = values.iter().copied().map(Some).collect();
                    let bytes = elem.prim().bytes() as usize * block.len();
                    block.resize(bytes, None);
                    vars.mems.insert(*mem, Some((Rc::new(RefCell::new(block)), bytes)));
                }
                _ => return Err("wrong argument".into()),
            }
        }
        let outs = self.run(fun, vars)?;
        let mut results = vec![];
        for value in &entry.result {
            results.push(match value {
                EntryValue::Scalar { var, .. } => Value::Scalar(outs.scalars[var]),
                EntryValue::Array { mem, shape, .. } => {
                    let mut sizes = vec![];
                    for n in shape {
                        sizes.push(self.int(&outs, n)?);
                    }
                    let count = sizes.iter().product::<i64>() as usize;
                    let elems = match &outs.mems[mem] {
                        Some((block, _)) => block.borrow()[..count].to_vec(),
                        None if count == 0 => vec![],
                        None => return Err("null result".into()),
                    };
                    let elems: Option<Vec<PrimValue>> = elems.into_iter().collect();
                    Value::Array(sizes, elems.ok_or("a result has elements without value")?)
                }
            });
        }
        Ok(results)
    }

    fn run(&mut self, fun: &Function, mut vars: Vars) -> Eval<Vars> {
        for p in &fun.outputs {
            self.declare_param(&mut vars, p);
        }
        self.code(&mut vars, &fun.body)?;
        Ok(vars)
    }

    fn scalar(&self, vars: &Vars, n: Name) -> Eval<PrimValue> {
        match vars.scalars.get(&n).or_else(|| self.globals.scalars.get(&n)) {
            Some(v) => Ok(*v),
            None => Err(format!("{} is not declared", self.prog.names.show(n))),
        }
    }

    fn block(&self, vars: &Vars, n: Name) -> Eval<(Block, usize)> {
        match vars.mems.get(&n).or_else(|| self.globals.mems.get(&n)) {
            Some(Some(b)) => Ok(b.clone()),
            Some(None) => Err(format!("{} is null", self.prog.names.show(n))),
            None => Err(format!("{} is not declared", self.prog.names.show(n))),
        }
    }

    fn int(&self, vars: &Vars, e: &Expr) -> Eval<i64> {
        self.expr(vars, e)?.as_i64().ok_or_else(|| "not an integer".into())
    }

    fn at(&self, (block, bytes): &(Block, usize), offset: i64, elem: PrimType) -> Eval<usize> {
        let fits = |i: usize| (i + 1) * elem.bytes() as usize <= *bytes && i < block.borrow().len();
        match usize::try_from(offset) {
            Ok(i) if fits(i) => Ok(i),
            _ => Err(format!("offset {offset} is out of {bytes} bytes")),
        }
    }

    fn read(&self, vars: &Vars, mem: Name, offset: i64, elem: PrimType) -> Eval<Option<PrimValue>> {
        let block = self.block(vars, mem)?;
        let i = self.at(&block, offset, elem)?;
        let value = block.0.borrow()[i];
        Ok(value)
    }

    fn write(&self, vars: &Vars, mem: Name, offset: i64, elem: PrimType, v: Option<PrimValue>) -> Eval<()> {
        if vars.statics.contains_key(&mem) {
            return Err("static memory is written".into());
        }
        let block = self.block(vars, mem)?;
        let i = self.at(&block, offset, elem)?;
        block.0.borrow_mut()[i] = v;
        Ok(())
    }

    fn expr(&self, vars: &Vars, e: &Expr) -> Eval<PrimValue> {
        let none = || format!("no value: {e:?}");
        Ok(match e {
            Expr::Const(v) => *v,
            Expr::Var(n) => self.scalar(vars, *n)?,
            Expr::UnOp(op, x) => op.eval(self.expr(vars, x)?).ok_or_else(none)?,
            Expr::BinOp(op, x, y) => {
                let (x, y) = (self.expr(vars, x)?, self.expr(vars, y)?);
                if let (BinOp::LogAnd, PrimValue::Bool(false)) = (op, x) {
                    return Ok(x);
                }
                op.eval(x, y).ok_or_else(none)?
            }
            Expr::CmpOp(op, x, y) => {
                PrimValue::Bool(op.eval(self.expr(vars, x)?, self.expr(vars, y)?).ok_or_else(none)?)
            }
            Expr::Conv(op, x) => op.eval(self.expr(vars, x)?).ok_or_else(none)?,
            Expr::PrimFn(f, xs) => {
                let xs: Eval<Vec<PrimValue>> = xs.iter().map(|x| self.expr(vars, x)).collect();
                f.eval(&xs?).ok_or_else(none)?
            }
            Expr::Select(c, a, b) => {
                if let PrimValue::Bool(true) = self.expr(vars, c)? {
                    self.expr(vars, a)?
                } else {
                    self.expr(vars, b)?
                }
            }
            Expr::Index { mem, offset, elem, .. } => {
                let offset = self.int(vars, offset)?;
                // What was never written may be read, if nothing depends on it.
                self.read(vars, *mem, offset, *elem)?.unwrap_or(elem.blank())
            }
            Expr::Param(_) => return Err("no parameters".into()),
            Expr::Gpu(_) => return Err("no threads".into()),
        })
    }

    fn code<O: CpuOperation>(&mut self, vars: &mut Vars, code: &Code<O>) -> Eval<()> {
        match code {
            Code::Seq(codes) => codes.iter().try_for_each(|c| self.code(vars, c))?,
            Code::DeclareScalar(n, ty) => {
                vars.scalars.insert(*n, ty.blank());
            }
            Code::SetScalar(n, e) => {
                let v = self.expr(vars, e)?;
                match vars.scalars.get_mut(n) {
                    Some(slot) if slot.prim_type() == v.prim_type() => *slot = v,
                    Some(_) => return Err(format!("{} changes its type", self.prog.names.show(*n))),
                    None => return Err(format!("{} is not declared", self.prog.names.show(*n))),
                }
            }
            Code::DeclareMem(n, Space::Scalar(ty, dims)) => {
                let count = dims.iter().product::<i64>() as usize;
                let block = Rc::new(RefCell::new(vec![None; count]));
                vars.mems.insert(*n, Some((block, count * ty.bytes() as usize)));
            }
            Code::DeclareMem(n, _) => {
                vars.mems.insert(*n, None);
            }
            Code::DeclareStatic(n, data) => {
                vars.mems.insert(*n, Some(static_block(data)));
                vars.statics.insert(*n, true);
            }
            Code::SetMem(n, from, _) => {
                let block = self.block(vars, *from)?;
                if vars.mems.insert(*n, Some(block)).is_none() {
                    return Err(format!("{} is not declared", self.prog.names.show(*n)));
                }
                if vars.statics.contains_key(from) {
                    vars.statics.insert(*n, true);
                }
            }
            Code::Write { mem, offset, elem, value, .. } => {
                let offset = self.int(vars, offset)?;
                let value = self.expr(vars, value)?;
                self.write(vars, *mem, offset, *elem, Some(value))?;
            }
            Code::Copy { elem, shape, dst, src } => {
                let shape: Eval<Vec<i64>> = shape.iter().map(|n| self.int(vars, n)).collect();
                self.copy(vars, *elem, &shape?, dst, src)?;
            }
            Code::For { var, ty, bound, order: _, body } => {
                let bound = self.int(vars, bound)?;
                for i in 0..bound {
                    vars.scalars.insert(*var, PrimValue::int(*ty, i));
                    self.code(vars, body)?;
                }
            }
            Code::While(cond, body) => {
                while self.expr(vars, cond)? == PrimValue::Bool(true) {
                    self.code(vars, body)?;
                }
            }
            Code::If(cond, t, f) => {
                if let PrimValue::Bool(true) = self.expr(vars, cond)? {
                    self.code(vars, t)?
                } else {
                    self.code(vars, f)?
                }
            }
            Code::Call { outs, fun, args } => self.call(vars, outs, *fun, args)?,
            Code::Assert { cond, message, .. } => {
                if self.expr(vars, cond)? != PrimValue::Bool(true) {
                    return Err(format!("assertion failed: {message:?}"));
                }
            }
            Code::Op(op) => match op.cpu() {
                Some(op) => self.cpu_op(vars, op)?,
                None => return Err(format!("cannot run {op:?}")),
            },
        }
        Ok(())
    }

    fn cpu_op<O: CpuOperation>(&mut self, vars: &mut Vars, op: &CpuOp<O>) -> Eval<()> {
        match op {
            CpuOp::Allocate { mem, bytes, .. } => {
                let bytes = self.int(vars, bytes)?;
                let size = usize::try_from(bytes).map_err(|_| format!("{bytes} bytes"))?;
                self.allocations += 1;
                let block = Rc::new(RefCell::new(vec![None; size]));
                if vars.mems.insert(*mem, Some((block, size))).is_none() {
                    return Err(format!("{} is not declared", self.prog.names.show(*mem)));
                }
            }
            CpuOp::Free(n, _) => {
                vars.mems.insert(*n, None);
            }
            CpuOp::Trace { .. } => {}
            CpuOp::Outlined(outlined) => self.code(vars, &outlined.code)?,
            CpuOp::ParFor { .. }
            | CpuOp::ParChunks { .. }
            | CpuOp::GetSize(..)
            | CpuOp::GetSizeMax(..)
            | CpuOp::CmpThreshold(..) => return Err(format!("cannot run {op:?}")),
        }
        Ok(())
    }

    fn copy(&mut self, vars: &Vars, elem: PrimType, shape: &[i64], dst: &Place, src: &Place) -> Eval<()> {
        let strides = |p: &Place| p.strides.iter().map(|s| self.int(vars, s)).collect::<Eval<Vec<i64>>>();
        let (to, from) = (strides(dst)?, strides(src)?);
        if to.len() != shape.len() || from.len() != shape.len() {
            return Err(format!(
                "copy of rank {} between ranks {} and {}",
                shape.len(),
                to.len(),
                from.len()
            ));
        }
        let (d0, s0) = (self.int(vars, &dst.offset)?, self.int(vars, &src.offset)?);
        let count: i64 = shape.iter().product();
        for k in 0..count {
            let (mut d, mut s, mut rest) = (d0, s0, k);
            for (i, n) in shape.iter().enumerate().rev() {
                d += rest % n * to[i];
                s += rest % n * from[i];
                rest /= n;
            }
            let v = self.read(vars, src.mem, s, elem)?;
            self.write(vars, dst.mem, d, elem, v)?;
            self.copied += 1;
        }
        Ok(())
    }

    fn call(&mut self, vars: &mut Vars, outs: &[Name], fun: Name, args: &[Arg]) -> Eval<()> {
        let prog = self.prog;
        let Some(fun) = prog.functions.iter().find(|f| f.name == fun) else {
            return Err("no such function".into());
        };
        if fun.inputs.len() != args.len() || fun.outputs.len() != outs.len() {
            return Err("wrong number of arguments or results".into());
        }
        let mut inner = Vars::default();
        for (p, a) in fun.inputs.iter().zip(args) {
            match (p, a) {
                (Param::Scalar(n, ty), Arg::Scalar(e)) => {
                    let v = self.expr(vars, e)?;
                    if v.prim_type() != *ty {
                        return Err("wrong type of argument".into());
                    }
                    inner.scalars.insert(*n, v);
                }
                (Param::Mem(n, _), Arg::Mem(m)) => {
                    inner.mems.insert(*n, Some(self.block(vars, *m)?));
                }
                _ => return Err("wrong argument".into()),
            }
        }
        let inner = self.run(fun, inner)?;
        for (p, out) in fun.outputs.iter().zip(outs) {
            match p {
                Param::Scalar(n, _) => {
                    vars.scalars.insert(*out, inner.scalars[n]);
                }
                Param::Mem(n, _) => {
                    vars.mems.insert(*out, inner.mems[n].clone());
                }
            }
        }
        Ok(())
    }
}

fn static_block(data: &ArrayData) -> (Block, usize) {
    let mut block: Vec<Option<PrimValue>> = data.values.iter().copied().map(Some).collect();
    let bytes = block.len() * data.elem.bytes() as usize;
    block.resize(bytes, None);
    (Rc::new(RefCell::new(block)), bytes)
}
