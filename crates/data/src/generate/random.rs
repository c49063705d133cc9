//! Random elements.

use crate::literal::parse;
use crate::value::{Data, Value, ValueType};
use fehu_base::ops::{f16_from_f64, CmpOp};
use fehu_base::prim::{PrimType, PrimValue, ScalarType};

/// A source of random bits (xoshiro256**, seeded by splitmix64).
#[derive(Clone, Debug)]
pub struct Rng {
    state: [u64; 4],
}

impl Rng {
    /// A source that gives the same bits for the same seed.
    pub fn new(seed: u64) -> Rng {
        let mut x = seed;
        let state = [(); 4].map(|()| {
            x = x.wrapping_add(0x9e37_79b9_7f4a_7c15);
            let mut z = x;
            z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
            z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
            z ^ (z >> 31)
        });
        Rng { state }
    }

    /// Sixty-four random bits.
    pub fn next_u64(&mut self) -> u64 {
        let s = &mut self.state;
        let result = s[1].wrapping_mul(5).rotate_left(7).wrapping_mul(9);
        let t = s[1] << 17;
        s[2] ^= s[0];
        s[3] ^= s[1];
        s[1] ^= s[2];
        s[0] ^= s[3];
        s[2] ^= t;
        s[3] = s[3].rotate_left(45);
        result
    }

    /// A number from 0 to `last`, both included.
    pub fn up_to(&mut self, last: u64) -> u64 {
        let bits = self.next_u64();
        match last.checked_add(1) {
            Some(count) => ((u128::from(bits) * u128::from(count)) >> 64) as u64,
            None => bits,
        }
    }

    /// A number from 0 up to but not including 1.
    pub fn unit(&mut self) -> f64 {
        (self.next_u64() >> 11) as f64 / (1u64 << 53) as f64
    }
}

/// The smallest and the largest value of each type that may be generated.
/// By default integers have none and floats are between 0 and 1.
#[derive(Clone, Debug)]
pub struct Bounds {
    ranges: Vec<(PrimValue, PrimValue)>,
}

impl Default for Bounds {
    fn default() -> Bounds {
        let range = |t: ScalarType| match (t.prim(), t.is_unsigned()) {
            (PrimType::Int(w), true) => (PrimValue::int(w, 0), PrimValue::int(w, -1)),
            (PrimType::Int(w), false) => {
                let shift = 64 - w.bits();
                (PrimValue::int(w, i64::MIN >> shift), PrimValue::int(w, i64::MAX >> shift))
            }
            (PrimType::Float(w), _) => (PrimValue::float(w, 0.0), PrimValue::float(w, 1.0)),
            (PrimType::Bool | PrimType::Unit, _) => (PrimValue::Bool(false), PrimValue::Bool(true)),
        };
        Bounds { ranges: ScalarType::ALL.map(range).to_vec() }
    }
}

impl Bounds {
    /// Sets the bounds of a type from text: `min:max`, both included.
    pub fn set(&mut self, t: ScalarType, text: &str) -> Result<(), String> {
        let (min, max) =
            text.split_once(':').ok_or_else(|| format!("`{text}` is not a range of {t}; write min:max"))?;
        let (min, max) = (parse(min.trim(), t)?, parse(max.trim(), t)?);
        let ordered = match (t.prim(), t.is_unsigned()) {
            (PrimType::Int(w), true) => CmpOp::ULe(w).eval(min, max),
            (PrimType::Int(w), false) => CmpOp::SLe(w).eval(min, max),
            (PrimType::Float(w), _) => CmpOp::FLe(w).eval(min, max),
            (PrimType::Bool | PrimType::Unit, _) => CmpOp::BLe.eval(min, max),
        };
        if ordered != Some(true) {
            return Err(format!("the range `{text}` is empty"));
        }
        if let Some(slot) = self.ranges.get_mut(t as usize) {
            *slot = (min, max);
        }
        Ok(())
    }

    fn range(&self, t: ScalarType) -> (PrimValue, PrimValue) {
        self.ranges.get(t as usize).copied().unwrap_or((t.prim().blank(), t.prim().blank()))
    }
}

/// The largest random value. Asking for more memory than there is may succeed, and end the program later.
const MAX_BYTES: u64 = 32 << 30;

/// A value of the type with random elements within the bounds; an error if
/// memory cannot hold it.
pub fn random_value(t: &ValueType, bounds: &Bounds, rng: &mut Rng) -> Result<Value, String> {
    let too_large =
        || format!("a value of type {t} is too large: it would take more than {} GiB", MAX_BYTES >> 30);
    let fits = |count: &usize| *count as u64 <= MAX_BYTES / t.elem.prim().bytes();
    let count = t.element_count().filter(fits).ok_or_else(too_large)?;
    let (min, max) = bounds.range(t.elem);
    let data = match (t.elem, min.as_i64().zip(max.as_i64()), min.as_f64().zip(max.as_f64())) {
        (ScalarType::F16, _, Some((a, b))) => fill(count, || f16_from_f64(a + rng.unit() * (b - a))),
        (ScalarType::F32, _, Some((a, b))) => fill(count, || float32(a, b, rng.unit())),
        (ScalarType::F64, _, Some((a, b))) => fill(count, || (a + rng.unit() * (b - a)).clamp(a, b)),
        (ScalarType::Bool, ..) => {
            let (low, high) = (min == PrimValue::Bool(true), max == PrimValue::Bool(true));
            fill(count, || if rng.next_u64() >> 63 == 1 { high } else { low })
        }
        (elem, Some((a, b)), _) => {
            // Modulo 2^64, so that it serves unsigned types as well; those
            // narrower than 64 bits first lose their sign.
            let (a, b) = if t.elem.is_unsigned() {
                (min.as_u64().unwrap_or(0), max.as_u64().unwrap_or(0))
            } else {
                (a as u64, b as u64)
            };
            let mut next = || a.wrapping_add(rng.up_to(b.wrapping_sub(a)));
            match elem {
                ScalarType::I8 => fill(count, || next() as i8),
                ScalarType::I16 => fill(count, || next() as i16),
                ScalarType::I32 => fill(count, || next() as i32),
                ScalarType::I64 => fill(count, || next() as i64),
                ScalarType::U8 => fill(count, || next() as u8),
                ScalarType::U16 => fill(count, || next() as u16),
                ScalarType::U32 => fill(count, || next() as u32),
                ScalarType::U64 => fill(count, &mut next),
                ScalarType::F16 | ScalarType::F32 | ScalarType::F64 | ScalarType::Bool => None,
            }
        }
        (_, None, _) => None,
    };
    data.and_then(|data| Value::new(t.shape.clone(), data)).ok_or_else(too_large)
}

/// So many elements, if memory can hold them.
fn fill<T: crate::value::Element>(count: usize, mut next: impl FnMut() -> T) -> Option<Data> {
    let mut elements = Vec::new();
    elements.try_reserve_exact(count).ok()?;
    elements.extend((0..count).map(|_| next()));
    Some(T::wrap(elements))
}

/// Rounding to `f32` must not step over a bound.
fn float32(a: f64, b: f64, unit: f64) -> f32 {
    ((a + unit * (b - a)) as f32).clamp(a as f32, b as f32)
}
