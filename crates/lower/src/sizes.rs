//! Sizes that are computed, so that none of them wraps around.
//!
//! In: numbers of the program that are to be sizes, and sizes of arrays that exist. Out: the size of a new
//! array, and a certificate that the number is one: 0 or more, and below 2^48. No memory holds larger arrays,
//! and what is below 2^48 can be added, subtracted and multiplied by small numbers without wrapping around.
//! The simplifier relies on it when it removes checks of indices (`opt/simplify/known.rs`). An array whose
//! size had wrapped would be smaller than its parts, and its elements would be outside of its memory.
//!
//! ```text
//! replicate n x               assert (0 <= n && n < 2^48)
//! flatten (xss: [n][m]t)      size = n * m;  assert (umul_hi n (m << 16) == 0)
//! concat (xs: [n]t) [m]t      size = n + m;  assert (n <= 2^48 - 1 - m)
//! ```
//!
//! The conditions are written such that no part of them can wrap. They hold for constants, and those of the
//! first kind also for numbers that are sizes already, and then vanish. Where they stay, they cost an
//! instruction or two, on the host, for an operation on a whole array.
//!
//! Three places keep sizes from wrapping:
//! - here, where a size is computed that indices are compared with;
//! - `codegen/c/sizes.rs`, where a number of bytes is computed for an allocation;
//! - `shape_elements` of `crates/codegen/rts/c/values.h`, for shapes that come from outside of the program.

use crate::code::{Code, Emit};
use crate::value::Ty;
use fehu_base::ops::{BinOp, CmpOp, MathFn, PrimFn};
use fehu_base::prim::{IntType, PrimType, ScalarType};
use fehu_base::Name;
use fehu_ir::{Basic, ErrorPart, Exp, Purpose, SubExp, Type};

const I: IntType = IntType::I64;

/// Sizes are below this; products of sizes that are a power of two larger than it have something in the high half.
const LIMIT: i64 = 1 << LIMIT_BITS;
const LIMIT_BITS: i64 = 48;

/// What is known of a size where it was handed on.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Origin {
    /// It has been checked.
    Checked,
    /// It has been checked, but for an inner size of an array without rows.
    CheckedInShape,
    Unknown,
}

impl Origin {
    /// Of what has been checked, or may not have been.
    pub(crate) fn of(checked: bool) -> Origin {
        if checked {
            Origin::Checked
        } else {
            Origin::Unknown
        }
    }
}

impl Code {
    /// Whether a number is a size.
    pub(crate) fn is_size(&mut self, n: SubExp) -> SubExp {
        self.is_size_before(n, 0)
    }

    /// Whether a number is 0 or more, and a size when so much is added.
    pub(crate) fn is_size_before(&mut self, n: SubExp, more: i64) -> SubExp {
        let low = self.b.cmp(CmpOp::SLe(I), SubExp::i64(0), n);
        let high = self.b.cmp(CmpOp::SLt(I), n, SubExp::i64(LIMIT - more));
        self.all(&[low, high])
    }

    /// Whether the product of two sizes is one. That is asked of the product itself, too: the sizes may come
    /// from code without checks.
    pub(crate) fn product_fits(&mut self, n: SubExp, m: SubExp, product: SubExp) -> SubExp {
        match (n.as_i64(), m.as_i64()) {
            (Some(a), Some(b)) => return SubExp::bool(a.checked_mul(b).is_some_and(|p| p < LIMIT)),
            (Some(0 | 1), _) | (_, Some(0 | 1)) => return SubExp::bool(true),
            (Some(c), None) if c > 0 => return self.is_size_before(m, LIMIT - 1 - (LIMIT - 1) / c),
            (None, Some(c)) if c > 0 => return self.is_size_before(n, LIMIT - 1 - (LIMIT - 1) / c),
            (_, _) => {}
        }
        let shifted = self.b.bin(BinOp::Shl(I), m, SubExp::i64(64 - LIMIT_BITS));
        let op = PrimFn { op: MathFn::UMulHi, at: PrimType::I64 };
        let high = self.b.bind("high", Type::I64, Exp::Basic(Basic::PrimFn(op, vec![n, shifted])));
        let exact = self.b.cmp(CmpOp::Eq(PrimType::I64), high.into(), SubExp::i64(0));
        let small = self.b.cmp(CmpOp::ULt(I), product, SubExp::i64(LIMIT));
        self.all(&[exact, small])
    }

    /// The product of two sizes, and the certificate that it is one.
    pub(crate) fn size_product(&mut self, n: SubExp, m: SubExp) -> (SubExp, Option<Name>) {
        let size = self.b.mul64(n, m);
        let ok = self.product_fits(n, m, size);
        let cert = self.check_sizes(ok, too_large("Shape [", n, "][", m, "]"), &[size]);
        (self.checked_size(cert, size), cert)
    }

    /// The sum of two sizes, and the certificate that it is one.
    pub(crate) fn size_sum(&mut self, n: SubExp, m: SubExp) -> (SubExp, Option<Name>) {
        let room = self.b.sub64(SubExp::i64(LIMIT - 1), m);
        let ok = self.b.cmp(CmpOp::SLe(I), n, room);
        let size = self.b.add64(n, m);
        let low = self.b.cmp(CmpOp::SLe(I), SubExp::i64(0), size);
        let ok = self.all(&[ok, low]);
        let message = too_large("Concatenation of arrays of sizes ", n, " and ", m, "");
        let cert = self.check_sizes(ok, message, &[size]);
        (self.checked_size(cert, size), cert)
    }

    /// Whether a check that has been made says that this is a size.
    pub(crate) fn is_checked_size(&self, n: SubExp) -> bool {
        match n {
            SubExp::Const(c) => c.as_i64().is_some_and(|c| (0..LIMIT).contains(&c)),
            SubExp::Var(n) => self.checked_sizes.contains(&n),
        }
    }

    /// Records what is known of sizes that functions take or return, loops carry and branches return, whose
    /// checks are elsewhere: by a check that always holds, if the origin of the size has checked it, else by
    /// one at run time. An inner size is valid where the sizes around it are positive: an array without rows
    /// has passed no check of its row size. Returns sizes with certificates.
    pub(crate) fn check_shapes(
        &mut self,
        ty: &Ty,
        own: impl Fn(Name) -> Option<Origin>,
    ) -> Vec<(Name, Name)> {
        let shapes: Vec<Vec<SubExp>> = ty.leaves().iter().map(|t| t.shape().to_vec()).collect();
        let rank = shapes.iter().map(Vec::len).max().unwrap_or(0);
        let mut said: Vec<(Name, Name)> = vec![];
        // Outer sizes first: what is one needs no condition.
        for (k, shape) in (0..rank).flat_map(|k| shapes.iter().map(move |s| (k, s))) {
            let Some(SubExp::Var(n)) = shape.get(k).copied() else { continue };
            let Some(origin) = own(n).filter(|_| said.iter().all(|(m, _)| *m != n)) else { continue };
            if origin == Origin::Unknown && self.leaves_checks_out() {
                continue;
            }
            let outer = shape[..k].iter().filter(|d| d.name().is_some()).copied().collect();
            let runs = if origin == Origin::Checked { vec![] } else { outer };
            let ok = match origin {
                Origin::Checked | Origin::CheckedInShape => SubExp::bool(true),
                Origin::Unknown => self.is_size_if(n, &runs),
            };
            let message = vec![
                ErrorPart::Text("The size ".into()),
                ErrorPart::Value(n.into(), ScalarType::I64),
                ErrorPart::Text(" of an array is negative or too large.".into()),
            ];
            if runs.is_empty() {
                self.checked_sizes.insert(n);
            }
            let purpose = Purpose::Sizes { sizes: vec![n.into()], runs };
            let check = Exp::Basic(Basic::Assert(ok, message, purpose));
            said.push((n, self.b.bind("cert", Type::UNIT, check)));
        }
        said
    }

    /// Checks the sizes that have not been checked in this body, since a caller or a callee relies on them.
    pub(crate) fn check_hidden(&mut self, ty: &Ty, handed_on: impl Fn(Name) -> bool) {
        let sizes = ty.dims().into_iter().filter_map(|d| d.operand().name());
        let hidden: Vec<Name> = sizes.filter(|n| handed_on(*n) && !self.checked_sizes.contains(n)).collect();
        self.check_shapes(ty, |n| hidden.contains(&n).then_some(Origin::Unknown));
    }

    /// Whether a number is a size, unless one of the others is not positive.
    fn is_size_if(&mut self, n: Name, runs: &[SubExp]) -> SubExp {
        let mut ok = self.is_size(n.into());
        for outer in runs {
            let never = self.b.cmp(CmpOp::SLe(I), *outer, SubExp::i64(0));
            ok = self.b.bin(BinOp::LogOr, ok, never);
        }
        ok
    }

    /// The size under a name that depends on a check, so that what uses nothing but the size has passed
    /// it too.
    pub(crate) fn checked_size(&mut self, cert: Option<Name>, size: SubExp) -> SubExp {
        if cert.is_none() {
            return size;
        }
        let checked = self.certified(cert, |l| l.b.bind("n", Type::I64, Exp::Basic(Basic::SubExp(size))));
        if self.is_checked_size(size) {
            self.checked_sizes.insert(checked);
        }
        checked.into()
    }

    /// Whether all elements that a flat slice touches are in an array of size `n`: offset, then number and
    /// stride for each dimension.
    pub(crate) fn flat_slice_fits(&mut self, n: SubExp, offset: SubExp, dims: &[(SubExp, SubExp)]) -> SubExp {
        let zero = SubExp::i64(0);
        let mut empty = SubExp::bool(false);
        let mut sizes = vec![];
        // The first element is inside. Then each dimension moves the lowest or the highest of the elements, which
        // are inside so far, by a distance that must leave it there.
        let mut inside = vec![self.in_bounds(offset, n)];
        let (mut lowest, mut highest) = (offset, offset);
        for (len, stride) in dims {
            sizes.push(self.is_size(*len));
            let none = self.b.cmp(CmpOp::Eq(PrimType::I64), *len, zero);
            empty = if empty == SubExp::bool(false) { none } else { self.b.bin(BinOp::LogOr, empty, none) };
            let steps = self.b.sub64(*len, SubExp::i64(1));
            let (reach, exact) = self.exact_product(steps, *stride);
            inside.push(exact);
            let down = self.b.bin(BinOp::SMin(I), reach, zero);
            let up = self.b.bin(BinOp::SMax(I), reach, zero);
            let room = self.b.sub64(n, highest);
            inside.push(self.b.cmp(CmpOp::SLt(I), up, room));
            lowest = self.b.add64(lowest, down);
            highest = self.b.add64(highest, up);
            inside.push(self.b.cmp(CmpOp::SLe(I), zero, lowest));
        }
        let inside = self.all(&inside);
        let fits = self.b.bin(BinOp::LogOr, empty, inside);
        sizes.push(fits);
        self.all(&sizes)
    }

    /// A product modulo 2^64, and whether it is the product.
    fn exact_product(&mut self, x: SubExp, y: SubExp) -> (SubExp, SubExp) {
        let low = self.b.mul64(x, y);
        if let (Some(a), Some(b)) = (x.as_i64(), y.as_i64()) {
            return (low, SubExp::bool(a.checked_mul(b).is_some()));
        }
        let op = PrimFn { op: MathFn::SMulHi, at: PrimType::I64 };
        let high = self.b.bind("high", Type::I64, Exp::Basic(Basic::PrimFn(op, vec![x, y])));
        let sign = self.b.bin(BinOp::AShr(I), low, SubExp::i64(63));
        (low, self.b.cmp(CmpOp::Eq(PrimType::I64), high.into(), sign))
    }
}

/// What is said of two sizes that are too large together.
fn too_large(before: &str, n: SubExp, between: &str, m: SubExp, after: &str) -> Vec<ErrorPart> {
    let value = |e| ErrorPart::Value(e, ScalarType::I64);
    let text = |s: String| ErrorPart::Text(s);
    vec![
        text(before.into()),
        value(n),
        text(between.into()),
        value(m),
        text(format!("{after} has too many elements.")),
    ]
}
