//! Expressions as C text.
//!
//! Wrapping arithmetic happens in unsigned types, converted back once at the
//! outside; operators that C does not have are calls of the runtime's
//! functions. Offsets into blocks are plain signed arithmetic: they are within a
//! block, so they do not overflow.

use super::context::Context;
use super::ctype;
use super::literal;
use fehu_base::ops::{BinOp, CmpOp, ConvOp, FloatToInt, MathFn, PrimFn, UnOp};
use fehu_base::prim::{FloatType, IntType, PrimType, PrimValue};
use fehu_base::Name;
use fehu_imp::build::constant;
use fehu_imp::syntax::{Expr, GpuIndex, Space};
use fehu_impopt::usage::Access;
use rustc_hash::FxHashMap;

/// How tightly a piece of C text binds; from loose to tight.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Prec {
    /// Anything: the outside of an expression.
    Top,
    /// `?:`
    Select,
    /// `||`
    Or,
    /// `&&`
    And,
    /// Bits and comparisons, whose operands are always in parentheses if binary.
    Other,
    /// `+`, `-`
    Sum,
    /// `*`, `/`
    Product,
    /// Casts, `-`, `!`
    Unary,
    /// Names, calls, indexing.
    Primary,
}

/// How a machine spells what expressions are made of.
pub(crate) trait Spelling {
    /// A tuning parameter of this number.
    fn param(&self, index: usize) -> String {
        format!("param_value(ctx, {index})")
    }
    /// The type of an element in memory.
    fn element_type(&self, t: PrimType) -> &'static str {
        ctype::prim(t)
    }
    /// The address space of a block, ready for a type to follow.
    fn qualifier(&self, _: Name) -> &'static str {
        ""
    }
    /// Whether blocks in this space are in a memory that the code cannot touch.
    fn is_elsewhere(&self, _: &Space) -> bool {
        false
    }
}

/// Spelling as on any CPU.
pub(crate) struct Plain;

impl Spelling for Plain {}

/// Prints expressions to the end of a text.
pub(crate) struct ExprPrinter<'a, S> {
    /// The text so far.
    pub(crate) out: String,
    /// The program.
    pub(crate) context: &'a Context<'a>,
    /// How the blocks in scope are accessed.
    pub(crate) access: FxHashMap<Name, Access>,
    /// The machine.
    pub(crate) dialect: S,
}

impl<S: Spelling> ExprPrinter<'_, S> {
    /// An expression where its type is known from outside.
    pub(crate) fn top(&mut self, e: &Expr) {
        match short_constant(e) {
            Some(v) => self.out.push_str(&v.to_string()),
            None => self.expr(e, Prec::Top),
        }
    }

    /// An expression, in parentheses unless it binds at least so tightly.
    pub(crate) fn expr(&mut self, e: &Expr, min: Prec) {
        fehu_base::stack::deep(|| match e {
            Expr::Const(v) => {
                let prec = if literal::is_primary(*v) { Prec::Primary } else { Prec::Unary };
                self.wrap(prec, min, |p| p.out.push_str(&literal::value(*v)));
            }
            Expr::Var(x) => self.name(*x),
            Expr::UnOp(op, a) => self.unop(*op, e, a, min),
            Expr::BinOp(op, a, b) => self.binop(*op, e, a, b, min),
            Expr::CmpOp(op, a, b) => self.cmpop(*op, a, b, min),
            Expr::Conv(op, a) => self.conv(*op, a, min),
            Expr::PrimFn(f, args) => self.primfn(*f, args, min),
            Expr::Select(c, a, b) => self.wrap(Prec::Select, min, |p| {
                p.expr(c, Prec::Or);
                p.out.push_str(" ? ");
                p.expr(a, Prec::Select);
                p.out.push_str(" : ");
                p.expr(b, Prec::Select);
            }),
            Expr::Index { mem, offset, elem, space } if self.is_on_device(*mem, space) => {
                self.device_element(*mem, offset, *elem);
            }
            Expr::Index { mem, offset, elem, space: _ } => self.element(*mem, offset, *elem),
            Expr::Param(param) => {
                let index = self.context.param_index(*param);
                let text = self.dialect.param(index);
                self.out.push_str(&text);
            }
            Expr::Gpu(index) => self.out.push_str(gpu_index(*index)),
        });
    }

    /// The text of an expression by itself.
    pub(crate) fn inline(&mut self, e: &Expr, min: Prec) -> String {
        let before = std::mem::take(&mut self.out);
        match (e, min) {
            (Expr::Const(_), Prec::Top) => self.top(e),
            _ => self.expr(e, min),
        }
        std::mem::replace(&mut self.out, before)
    }

    /// An offset into a block, or a stride or size that makes up one.
    #[expect(clippy::wildcard_enum_match_arm, reason = "a few of many are asked for")]
    pub(crate) fn offset(&mut self, e: &Expr, min: Prec) {
        match e {
            Expr::Const(PrimValue::I64(v)) if i32::try_from(*v).is_ok() => {
                let prec = if *v < 0 { Prec::Unary } else { Prec::Primary };
                self.wrap(prec, min, |p| p.out.push_str(&v.to_string()));
            }
            Expr::BinOp(BinOp::Add(IntType::I64), a, b) if !both_constant(a, b) => match constant(b) {
                Some(v) if v < 0 && v > i64::MIN => self.wrap(Prec::Sum, min, |p| {
                    p.offset(a, Prec::Sum);
                    p.out.push_str(" - ");
                    p.offset(&Expr::Const(PrimValue::I64(-v)), Prec::Product);
                }),
                _ => self.plain(" + ", Prec::Sum, a, b, min),
            },
            Expr::BinOp(BinOp::Sub(IntType::I64), a, b) if !both_constant(a, b) => {
                self.plain(" - ", Prec::Sum, a, b, min);
            }
            Expr::BinOp(BinOp::Mul(IntType::I64), a, b) if !both_constant(a, b) => {
                self.plain(" * ", Prec::Product, a, b, min);
            }
            _ => self.expr(e, min),
        }
    }

    fn plain(&mut self, op: &str, prec: Prec, a: &Expr, b: &Expr, min: Prec) {
        let tighter = if prec == Prec::Sum { Prec::Product } else { Prec::Unary };
        fehu_base::stack::deep(|| {
            self.wrap(prec, min, |p| {
                p.offset(a, prec);
                p.out.push_str(op);
                p.offset(b, tighter);
            });
        });
    }

    /// An element of a block, which can also be assigned to.
    pub(crate) fn element(&mut self, mem: Name, offset: &Expr, elem: PrimType) {
        self.pointer(mem, elem);
        self.out.push('[');
        self.offset(offset, Prec::Top);
        self.out.push(']');
    }

    /// A pointer to the elements of a block, binding as a primary expression.
    pub(crate) fn pointer(&mut self, mem: Name, elem: PrimType) {
        match self.access.get(&mem) {
            Some(Access::As(t)) if *t == elem => {
                self.name(mem);
                self.out.push_str("_p");
            }
            Some(Access::As(_) | Access::Mixed) | None => {
                let qualifier = self.dialect.qualifier(mem);
                self.out.push_str(&format!("(({qualifier}{} *)", self.dialect.element_type(elem)));
                self.name(mem);
                self.out.push_str("_p)");
            }
        }
    }

    /// A name.
    pub(crate) fn name(&mut self, name: Name) {
        self.out.push_str(self.context.name(name));
    }

    /// Whether the host cannot touch a block itself.
    pub(crate) fn is_on_device(&self, mem: Name, space: &Space) -> bool {
        self.dialect.is_elsewhere(space) && !self.access.contains_key(&mem)
    }

    /// An element that the device has; the call leaves an error behind if it fails.
    fn device_element(&mut self, mem: Name, offset: &Expr, elem: PrimType) {
        self.out.push_str(&format!("read_{}(ctx, &err, ", ctype::runtime(elem)));
        self.name(mem);
        self.out.push_str(", ");
        self.offset(offset, Prec::Top);
        self.out.push(')');
    }

    fn wrap(&mut self, prec: Prec, min: Prec, f: impl FnOnce(&mut Self)) {
        if prec < min {
            self.out.push('(');
            f(self);
            self.out.push(')');
        } else {
            f(self);
        }
    }

    fn call(&mut self, function: &str, args: &[&Expr]) {
        self.out.push_str(function);
        self.out.push('(');
        for (i, arg) in args.iter().enumerate() {
            if i > 0 {
                self.out.push_str(", ");
            }
            self.expr(arg, Prec::Top);
        }
        self.out.push(')');
    }

    /// `a OP b` for operators whose mixture with others C compilers frown upon.
    fn infix(&mut self, op: &str, prec: Prec, a: &Expr, b: &Expr, min: Prec) {
        let (left, right) = match prec {
            Prec::Sum => (Prec::Sum, Prec::Product),
            Prec::Product => (Prec::Product, Prec::Unary),
            Prec::And => (Prec::And, Prec::Other),
            Prec::Or if matches!(a, Expr::BinOp(BinOp::LogOr, ..)) => (Prec::Or, Prec::Other),
            Prec::Or => (Prec::Other, Prec::Other),
            Prec::Top | Prec::Select | Prec::Other | Prec::Unary | Prec::Primary => {
                (Prec::Unary, Prec::Unary)
            }
        };
        self.wrap(prec, min, |p| {
            p.expr(a, if constant_like(a) { Prec::Unary } else { left });
            p.out.push_str(op);
            p.expr(b, right);
        });
    }

    /// Integer arithmetic, back in the signed type.
    fn wrapping(&mut self, t: IntType, e: &Expr, min: Prec) {
        self.wrap(Prec::Unary, min, |p| {
            p.out.push_str(&format!("({})(", ctype::int(t)));
            p.unsigned(t, e, Prec::Top);
            p.out.push(')');
        });
    }

    /// The value modulo the width, in an unsigned type that is wide enough: narrow
    /// types count in 32 bits, of which the conversion back takes the lower ones.
    #[expect(clippy::wildcard_enum_match_arm, reason = "a few of many are asked for")]
    fn unsigned(&mut self, t: IntType, e: &Expr, min: Prec) {
        fehu_base::stack::deep(|| match e {
            Expr::BinOp(BinOp::Add(_), a, b) => match constant(b) {
                Some(v) if v < 0 && v > i64::MIN => self.wrap(Prec::Sum, min, |p| {
                    p.unsigned(t, a, Prec::Sum);
                    p.out.push_str(" - ");
                    p.unsigned_constant(t, -v);
                }),
                _ => self.unsigned_infix(" + ", Prec::Sum, t, a, b, min),
            },
            Expr::BinOp(BinOp::Sub(_), a, b) => self.unsigned_infix(" - ", Prec::Sum, t, a, b, min),
            Expr::BinOp(BinOp::Mul(_), a, b) => self.unsigned_infix(" * ", Prec::Product, t, a, b, min),
            Expr::UnOp(UnOp::Neg(_), a) => self.wrap(Prec::Sum, min, |p| {
                p.out.push_str("0u - ");
                p.unsigned(t, a, Prec::Product);
            }),
            Expr::Const(v) => self.unsigned_constant(t, v.as_i64().unwrap_or(0)),
            _ => self.wrap(Prec::Unary, min, |p| {
                p.out.push_str(if t == IntType::I64 { "(uint64_t)" } else { "(uint32_t)" });
                p.expr(e, Prec::Unary);
            }),
        });
    }

    fn unsigned_infix(&mut self, op: &str, prec: Prec, t: IntType, a: &Expr, b: &Expr, min: Prec) {
        self.wrap(prec, min, |p| {
            p.unsigned(t, a, prec);
            p.out.push_str(op);
            p.unsigned(t, b, if prec == Prec::Sum { Prec::Product } else { Prec::Unary });
        });
    }

    fn unsigned_constant(&mut self, t: IntType, v: i64) {
        if t == IntType::I64 {
            self.out.push_str(&format!("UINT64_C({})", v as u64));
        } else {
            self.out.push_str(&format!("{}u", v as u32));
        }
    }

    fn unop(&mut self, op: UnOp, e: &Expr, a: &Expr, min: Prec) {
        match op {
            UnOp::Not => self.prefix("!", a, min),
            UnOp::Complement(_) => self.prefix("~", a, min),
            UnOp::Neg(t) => self.wrapping(t, e, min),
            UnOp::Abs(t) => self.call(&format!("abs{}", t.bits()), &[a]),
            UnOp::SSignum(t) => self.call(&format!("ssignum{}", t.bits()), &[a]),
            UnOp::USignum(t) => self.call(&format!("usignum{}", t.bits()), &[a]),
            UnOp::FSignum(t) => self.call(&format!("fsignum{}", t.bits()), &[a]),
            UnOp::FNeg(FloatType::F16) => self.half_bits("^ 0x8000", a, min),
            UnOp::FNeg(FloatType::F32 | FloatType::F64) => self.prefix("-", a, min),
            UnOp::FAbs(FloatType::F16) => self.half_bits("& 0x7fff", a, min),
            UnOp::FAbs(FloatType::F32) => self.call("fabsf", &[a]),
            UnOp::FAbs(FloatType::F64) => self.call("fabs", &[a]),
        }
    }

    /// An operator before a primary operand, so that no `--` arises.
    fn prefix(&mut self, op: &str, a: &Expr, min: Prec) {
        self.wrap(Prec::Unary, min, |p| {
            p.out.push_str(op);
            p.expr(a, Prec::Primary);
        });
    }

    fn half_bits(&mut self, op: &str, a: &Expr, min: Prec) {
        self.wrap(Prec::Unary, min, |p| {
            p.out.push_str("(f16)(");
            p.expr(a, Prec::Unary);
            p.out.push_str(&format!(" {op})"));
        });
    }

    fn binop(&mut self, op: BinOp, e: &Expr, a: &Expr, b: &Expr, min: Prec) {
        match op {
            BinOp::Add(t) | BinOp::Sub(t) | BinOp::Mul(t) => self.wrapping(t, e, min),
            BinOp::And(_) => self.infix(" & ", Prec::Other, a, b, min),
            BinOp::Or(_) => self.infix(" | ", Prec::Other, a, b, min),
            BinOp::Xor(_) => self.infix(" ^ ", Prec::Other, a, b, min),
            BinOp::SDiv(t) => self.call(&format!("sdiv{}", t.bits()), &[a, b]),
            BinOp::SMod(t) => self.call(&format!("smod{}", t.bits()), &[a, b]),
            BinOp::SQuot(t) => self.call(&format!("squot{}", t.bits()), &[a, b]),
            BinOp::SRem(t) => self.call(&format!("srem{}", t.bits()), &[a, b]),
            BinOp::UDiv(t) => self.call(&format!("udiv{}", t.bits()), &[a, b]),
            BinOp::UMod(t) => self.call(&format!("umod{}", t.bits()), &[a, b]),
            BinOp::SMin(t) => self.call(&format!("smin{}", t.bits()), &[a, b]),
            BinOp::SMax(t) => self.call(&format!("smax{}", t.bits()), &[a, b]),
            BinOp::UMin(t) => self.call(&format!("umin{}", t.bits()), &[a, b]),
            BinOp::UMax(t) => self.call(&format!("umax{}", t.bits()), &[a, b]),
            BinOp::Shl(t) => self.shift("shl", t, a, b),
            BinOp::LShr(t) => self.shift("lshr", t, a, b),
            BinOp::AShr(t) => self.shift("ashr", t, a, b),
            BinOp::Pow(t) => self.call(&format!("pow{}", t.bits()), &[a, b]),
            BinOp::FAdd(FloatType::F16) => self.call("fadd16", &[a, b]),
            BinOp::FSub(FloatType::F16) => self.call("fsub16", &[a, b]),
            BinOp::FMul(FloatType::F16) => self.call("fmul16", &[a, b]),
            BinOp::FDiv(FloatType::F16) => self.call("fdiv16", &[a, b]),
            BinOp::FAdd(_) => self.infix(" + ", Prec::Sum, a, b, min),
            BinOp::FSub(_) => self.infix(" - ", Prec::Sum, a, b, min),
            BinOp::FMul(_) => self.infix(" * ", Prec::Product, a, b, min),
            BinOp::FDiv(_) => self.infix(" / ", Prec::Product, a, b, min),
            BinOp::FMod(t) => self.call(by_width(t, "fmod16", "fmodf", "fmod"), &[a, b]),
            BinOp::FPow(t) => self.call(by_width(t, "fpow16", "powf", "pow"), &[a, b]),
            BinOp::FMin(t) => self.call(&format!("fmin{}", t.bits()), &[a, b]),
            BinOp::FMax(t) => self.call(&format!("fmax{}", t.bits()), &[a, b]),
            BinOp::LogAnd => self.infix(" && ", Prec::And, a, b, min),
            BinOp::LogOr => self.infix(" || ", Prec::Or, a, b, min),
        }
    }

    /// A shift. Some devices have instructions for any amount, whose results compilers know nothing about;
    /// they do best where they see that the amount is small: a constant, or some bits of a number.
    fn shift(&mut self, word: &str, t: IntType, a: &Expr, b: &Expr) {
        let amount = if let Expr::BinOp(BinOp::And(_), _, bits) = b { bits } else { b };
        let small = constant(amount).is_some_and(|n| 0 <= n && n < i64::from(t.bits()));
        let any = if small { "" } else { "any_" };
        self.call(&format!("{any}{word}{}", t.bits()), &[a, b]);
    }

    fn cmpop(&mut self, op: CmpOp, a: &Expr, b: &Expr, min: Prec) {
        match op {
            CmpOp::Eq(PrimType::Float(FloatType::F16)) => self.call("feq16", &[a, b]),
            CmpOp::FLt(FloatType::F16) => self.call("flt16", &[a, b]),
            CmpOp::FLe(FloatType::F16) => self.call("fle16", &[a, b]),
            CmpOp::Eq(_) => self.infix(" == ", Prec::Other, a, b, min),
            CmpOp::SLt(_) | CmpOp::FLt(_) | CmpOp::BLt => self.infix(" < ", Prec::Other, a, b, min),
            CmpOp::SLe(_) | CmpOp::FLe(_) | CmpOp::BLe => self.infix(" <= ", Prec::Other, a, b, min),
            CmpOp::ULt(t) => self.unsigned_compare(" < ", t, a, b, min),
            CmpOp::ULe(t) => self.unsigned_compare(" <= ", t, a, b, min),
        }
    }

    fn unsigned_compare(&mut self, op: &str, t: IntType, a: &Expr, b: &Expr, min: Prec) {
        self.wrap(Prec::Other, min, |p| {
            p.cast(ctype::unsigned(t), a, Prec::Unary);
            p.out.push_str(op);
            p.cast(ctype::unsigned(t), b, Prec::Unary);
        });
    }

    fn cast(&mut self, ty: &str, a: &Expr, min: Prec) {
        self.wrap(Prec::Unary, min, |p| {
            p.out.push_str(&format!("({ty})"));
            p.expr(a, Prec::Unary);
        });
    }

    fn conv(&mut self, op: ConvOp, a: &Expr, min: Prec) {
        match op {
            ConvOp::ZExt(from, to) if from.bits() < to.bits() => {
                self.cast(&format!("{})({}", ctype::int(to), ctype::unsigned(from)), a, min);
            }
            ConvOp::ZExt(_, to) | ConvOp::SExt(_, to) => self.cast(ctype::int(to), a, min),
            ConvOp::FPConv(from, to) => match (from, to) {
                (FloatType::F16, FloatType::F16) => self.expr(a, min),
                (FloatType::F16, FloatType::F32) => self.call("f16_to_f32", &[a]),
                (FloatType::F16, FloatType::F64) => self.call("f16_to_f64", &[a]),
                (FloatType::F32, FloatType::F16) => self.call("f32_to_f16", &[a]),
                (FloatType::F64, FloatType::F16) => self.call("f64_to_f16", &[a]),
                (_, FloatType::F32) => self.cast("float", a, min),
                (_, FloatType::F64) => self.cast("double", a, min),
            },
            ConvOp::FPToUI(from, to) | ConvOp::FPToSI(from, to) => self.wrap(Prec::Unary, min, |p| {
                let how = match FloatToInt::of(to, matches!(op, ConvOp::FPToSI(..))) {
                    FloatToInt::I32 => "i32",
                    FloatToInt::I64 => "i64",
                    FloatToInt::U64 => "u64",
                };
                p.out.push_str(&format!("({})", ctype::int(to)));
                p.call(&format!("f{}_to_{how}", from.bits()), &[a]);
            }),
            ConvOp::UIToFP(from, FloatType::F16) => {
                self.out.push_str("f64_to_f16((double)");
                self.cast(ctype::unsigned(from), a, Prec::Unary);
                self.out.push(')');
            }
            ConvOp::SIToFP(_, FloatType::F16) => {
                self.out.push_str("f64_to_f16(");
                self.cast("double", a, Prec::Top);
                self.out.push(')');
            }
            ConvOp::UIToFP(from, to) => {
                let cast = format!("{})({}", ctype::prim(PrimType::Float(to)), ctype::unsigned(from));
                self.cast(&cast, a, min);
            }
            ConvOp::SIToFP(_, to) | ConvOp::BToF(to @ (FloatType::F32 | FloatType::F64)) => {
                self.cast(ctype::prim(PrimType::Float(to)), a, min);
            }
            ConvOp::BToF(FloatType::F16) => self.wrap(Prec::Select, min, |p| {
                p.expr(a, Prec::Or);
                p.out.push_str(" ? 0x3c00 : 0");
            }),
            ConvOp::IToB(_) | ConvOp::FToB(FloatType::F32 | FloatType::F64) => {
                self.wrap(Prec::Other, min, |p| {
                    p.expr(a, Prec::Unary);
                    p.out.push_str(" != 0");
                });
            }
            ConvOp::FToB(FloatType::F16) => self.wrap(Prec::Other, min, |p| {
                p.out.push('(');
                p.expr(a, Prec::Unary);
                p.out.push_str(" & 0x7fff) != 0");
            }),
            ConvOp::BToI(to) => self.cast(ctype::int(to), a, min),
        }
    }

    fn primfn(&mut self, f: PrimFn, args: &[Expr], min: Prec) {
        let args: Vec<&Expr> = args.iter().collect();
        match (f.op, f.at, args.as_slice()) {
            // The bits are what a half float is.
            (MathFn::ToBits, PrimType::Float(FloatType::F16), [a]) => self.cast("int16_t", a, min),
            (MathFn::FromBits, PrimType::Float(FloatType::F16), [a]) => self.cast("f16", a, min),
            (op, at, _) => self.call(&math_name(op, at), &args),
        }
    }
}

/// The C function that computes a mathematical function at a type.
fn math_name(op: MathFn, at: PrimType) -> String {
    let (bits, float) = match at {
        PrimType::Int(t) => (t.bits(), None),
        PrimType::Float(t) => (t.bits(), Some(t)),
        PrimType::Bool | PrimType::Unit => (8, None),
    };
    // Of the C library, or if a half float, of the runtime.
    let library = |name: &str| match float {
        Some(FloatType::F16) => format!("{name}_f16"),
        Some(FloatType::F32) => format!("{name}f"),
        Some(FloatType::F64) | None => name.to_owned(),
    };
    let runtime = |name: &str| format!("{name}{bits}");
    match op {
        MathFn::Sqrt => library("sqrt"),
        MathFn::Cbrt => library("cbrt"),
        MathFn::Rsqrt => runtime("rsqrt"),
        MathFn::Exp => runtime("exp_f"),
        MathFn::Exp2 => library("exp2"),
        MathFn::Exp10 => runtime("exp10_f"),
        MathFn::Expm1 => library("expm1"),
        MathFn::Log => runtime("log_f"),
        MathFn::Log2 => library("log2"),
        MathFn::Log10 => library("log10"),
        MathFn::Log1p => library("log1p"),
        MathFn::Sin => library("sin"),
        MathFn::Cos => library("cos"),
        MathFn::Tan => library("tan"),
        MathFn::Asin => library("asin"),
        MathFn::Acos => library("acos"),
        MathFn::Atan => library("atan"),
        MathFn::Sinh => library("sinh"),
        MathFn::Cosh => library("cosh"),
        MathFn::Tanh => library("tanh"),
        MathFn::Asinh => library("asinh"),
        MathFn::Acosh => library("acosh"),
        MathFn::Atanh => library("atanh"),
        MathFn::SinPi => runtime("sinpi"),
        MathFn::CosPi => runtime("cospi"),
        MathFn::TanPi => runtime("tanpi"),
        MathFn::AsinPi => runtime("asinpi"),
        MathFn::AcosPi => runtime("acospi"),
        MathFn::AtanPi => runtime("atanpi"),
        MathFn::Atan2 => library("atan2"),
        MathFn::Atan2Pi => runtime("atan2pi"),
        MathFn::Hypot => library("hypot"),
        MathFn::Gamma => match float {
            Some(FloatType::F16) => "gamma_f16".to_owned(),
            Some(FloatType::F32 | FloatType::F64) | None => library("tgamma"),
        },
        MathFn::LGamma => runtime("lgamma_f"),
        MathFn::Erf => library("erf"),
        MathFn::Erfc => library("erfc"),
        MathFn::Floor => library("floor"),
        MathFn::Ceil => library("ceil"),
        MathFn::Round => match float {
            Some(FloatType::F16) => "round_f16".to_owned(),
            Some(FloatType::F32 | FloatType::F64) | None => library("nearbyint"),
        },
        MathFn::Trunc => library("trunc"),
        MathFn::Fma => match float {
            Some(FloatType::F16) => "fma16".to_owned(),
            Some(FloatType::F32 | FloatType::F64) | None => library("fma"),
        },
        MathFn::Mad => runtime("mad"),
        MathFn::Lerp => runtime("lerp"),
        MathFn::Inverse => runtime("inverse"),
        MathFn::DivideBy => runtime("divide_by"),
        MathFn::QuotientBy => runtime("quotient_by"),
        MathFn::InexactBy => runtime("inexact_by"),
        MathFn::IsNan => runtime("isnan"),
        MathFn::IsInf => runtime("isinf"),
        MathFn::ToBits => runtime("to_bits"),
        MathFn::FromBits => runtime("from_bits"),
        MathFn::NextAfter => match float {
            Some(FloatType::F16) => "nextafter16".to_owned(),
            Some(FloatType::F32 | FloatType::F64) | None => library("nextafter"),
        },
        MathFn::Ldexp => match float {
            Some(FloatType::F16) => "ldexp16".to_owned(),
            Some(FloatType::F32 | FloatType::F64) | None => library("ldexp"),
        },
        MathFn::CopySign => match float {
            Some(FloatType::F16) => "copysign16".to_owned(),
            Some(FloatType::F32 | FloatType::F64) | None => library("copysign"),
        },
        MathFn::Popc => runtime("popc"),
        MathFn::Clz => runtime("clz"),
        MathFn::Ctz => runtime("ctz"),
        MathFn::SMulHi => runtime("smul_hi"),
        MathFn::UMulHi => runtime("umul_hi"),
        MathFn::SMadHi => runtime("smad_hi"),
        MathFn::UMadHi => runtime("umad_hi"),
    }
}

fn gpu_index(index: GpuIndex) -> &'static str {
    match index {
        GpuIndex::Local => "LOCAL_ID",
        GpuIndex::Block => "BLOCK_ID",
        GpuIndex::BlockSize => "block_size",
        GpuIndex::GridSize => "GRID_SIZE",
        GpuIndex::MatrixUnits => "MATRIX_UNITS",
    }
}

fn by_width<'a>(t: FloatType, half: &'a str, single: &'a str, double: &'a str) -> &'a str {
    match t {
        FloatType::F16 => half,
        FloatType::F32 => single,
        FloatType::F64 => double,
    }
}

/// The constant, if 32 bits hold it: it needs no mark of its type.
fn short_constant(e: &Expr) -> Option<i64> {
    constant(e).filter(|v| matches!(e, Expr::Const(PrimValue::I64(_))) && i32::try_from(*v).is_ok())
}

fn both_constant(a: &Expr, b: &Expr) -> bool {
    constant(a).is_some() && constant(b).is_some()
}

/// Whether it may start with a minus that another operator must not touch.
fn constant_like(e: &Expr) -> bool {
    matches!(e, Expr::Const(_))
}
