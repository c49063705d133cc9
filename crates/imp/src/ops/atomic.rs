//! How threads change elements in one indivisible step.

/// Changes of an element in one step.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum AtomicOp {
    /// Integer addition, of the element's width.
    Add,
    /// Floating-point addition (`f32` and `f64`).
    FAdd,
    /// Addition of two half floats, whose bits are a word of 32; in global memory, and without the old value.
    FAddHalves,
    /// Signed maximum.
    SMax,
    /// Signed minimum.
    SMin,
    /// Unsigned maximum.
    UMax,
    /// Unsigned minimum.
    UMin,
    /// Bitwise and.
    And,
    /// Bitwise or.
    Or,
    /// Bitwise exclusive or.
    Xor,
    /// The operand takes its place.
    Exchange,
}

impl AtomicOp {
    /// Its word in the text form and in the runtime's names.
    pub fn word(self) -> &'static str {
        match self {
            AtomicOp::Add => "add",
            AtomicOp::FAdd => "fadd",
            AtomicOp::FAddHalves => "fadd_halves",
            AtomicOp::SMax => "smax",
            AtomicOp::SMin => "smin",
            AtomicOp::UMax => "umax",
            AtomicOp::UMin => "umin",
            AtomicOp::And => "and",
            AtomicOp::Or => "or",
            AtomicOp::Xor => "xor",
            AtomicOp::Exchange => "exchange",
        }
    }
}
