//! Values that are likely to break something: candidates of property tests.
//!
//! Uniform numbers almost never hit the ends of a type, and mistakes live there. So one value in three consists
//! of a single extreme number repeated, and elsewhere every fourth number is one of these.
//!
//! Shrinking needs neighbours of a value. Every element depends only on the seed, on which value of a candidate it is
//! in, and on its index: with the same seed, a smaller array is a part of a larger one, and with fewer [`Magnitude`]
//! bits, all numbers are closer to zero.

use super::Rng;
use crate::value::{Data, Element, Value, ValueType};
use fehu_base::ops::f16_from_f64;
use fehu_base::prim::ScalarType;

/// How far from zero numbers may be: all of a type's values, or so many sixty-fourths of its bits.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Magnitude(u32);

impl Magnitude {
    /// All values of each type.
    pub const FULL: Magnitude = Magnitude(64);

    /// All smaller magnitudes, the smallest (nothing but zeros) first.
    pub fn smaller(self) -> impl Iterator<Item = Magnitude> {
        (0..self.0).map(Magnitude)
    }
}

/// How the numbers of one candidate are chosen.
#[derive(Clone, Copy, Debug)]
enum Choice {
    /// All are this extreme.
    Same(u64),
    /// Each on its own.
    Mixed,
}

/// A generator of the values that make up a candidate.
#[derive(Clone, Debug)]
pub struct Arbitrary {
    /// One number for each value.
    values: Rng,
    choice: Choice,
    magnitude: Magnitude,
}

impl Arbitrary {
    /// A generator whose values depend only on the seed and the magnitude.
    pub fn new(seed: u64, magnitude: Magnitude) -> Arbitrary {
        let mut rng = Rng::new(seed);
        let (kind, extreme) = (rng.up_to(2), rng.next_u64());
        let choice = if kind == 0 { Choice::Same(extreme) } else { Choice::Mixed };
        Arbitrary { values: rng, choice, magnitude }
    }

    /// One of so many alternatives.
    pub fn pick(&mut self, count: usize) -> usize {
        self.values.up_to(count.saturating_sub(1) as u64) as usize
    }

    /// A value of the type; an error if memory cannot hold it.
    pub fn value(&mut self, t: &ValueType) -> Result<Value, String> {
        let too_large = || format!("a value of type {t} does not fit in memory");
        let count = t.element_count().ok_or_else(too_large)?;
        let value = self.values.next_u64();
        let fill = Fill { shape: &t.shape, count, value };
        let data = match t.elem {
            ScalarType::I8 => fill.with(|at| self.integer(8, at) as i8),
            ScalarType::I16 => fill.with(|at| self.integer(16, at) as i16),
            ScalarType::I32 => fill.with(|at| self.integer(32, at) as i32),
            ScalarType::I64 => fill.with(|at| self.integer(64, at)),
            ScalarType::U8 => fill.with(|at| self.natural(8, at) as u8),
            ScalarType::U16 => fill.with(|at| self.natural(16, at) as u16),
            ScalarType::U32 => fill.with(|at| self.natural(32, at) as u32),
            ScalarType::U64 => fill.with(|at| self.natural(64, at)),
            ScalarType::F16 => fill.with(|at| f16_from_f64(self.float(at))),
            ScalarType::F32 => fill.with(|at| self.float(at) as f32),
            ScalarType::F64 => fill.with(|at| self.float(at)),
            ScalarType::Bool => fill.with(|at| self.natural(1, at) == 1),
        };
        data.and_then(|data| Value::new(t.shape.clone(), data)).ok_or_else(too_large)
    }

    /// The number of an extreme, or else random bits.
    fn draw(&self, at: u64) -> (Option<u64>, u64) {
        let mut rng = Rng::new(at);
        let (kind, bits) = (rng.next_u64(), rng.next_u64());
        match self.choice {
            Choice::Same(extreme) => (Some(extreme), bits),
            Choice::Mixed if kind >> 62 == 0 => (Some(bits), bits),
            Choice::Mixed => (None, bits),
        }
    }

    /// A signed number of so many bits.
    fn integer(&self, width: u32, at: u64) -> i64 {
        let all = i64::MIN >> (64 - width);
        let number = match self.draw(at) {
            (Some(extreme), _) => [0, 1, -1, all, !all][(extreme % 5) as usize],
            (None, bits) => (bits as i64) >> (64 - width),
        };
        match self.kept(width) {
            0 => 0,
            // Towards zero, also from below.
            kept => number / (1i64 << (width - kept).min(62)),
        }
    }

    /// An unsigned number of so many bits.
    fn natural(&self, width: u32, at: u64) -> u64 {
        let highest = u64::MAX >> (64 - width);
        let number = match self.draw(at) {
            (Some(extreme), _) => [0, 1.min(highest), highest, highest / 2][(extreme % 4) as usize],
            (None, bits) => bits >> (64 - width),
        };
        match self.kept(width) {
            0 => 0,
            kept => number >> (width - kept),
        }
    }

    /// A number of any size up to about a thousand, as likely below one as above. Infinities and numbers that are
    /// none are left to generators: few properties are meant for them.
    fn float(&self, at: u64) -> f64 {
        const LARGEST_EXPONENT: u32 = 10;
        let (extreme, bits) = self.draw(at);
        if let Some(extreme) = extreme {
            let number = [0.0, 1.0, -1.0, 0.5, -0.5][(extreme % 5) as usize];
            return if self.magnitude.0 == 0 { 0.0 } else { number };
        }
        let exponent = (bits & 0xff) as u32 % (2 * LARGEST_EXPONENT + 1);
        let unit = (bits >> 11) as f64 / (1u64 << 52) as f64 - 1.0;
        let number = unit * f64::from(1 << exponent) / f64::from(1 << LARGEST_EXPONENT);
        let bound = f64::from(1 << self.kept(LARGEST_EXPONENT)) - 1.0;
        if self.magnitude == Magnitude::FULL {
            number
        } else {
            // No negative zeros.
            number.clamp(-bound, bound).trunc() + 0.0
        }
    }

    /// How many bits of a number of so many are kept.
    fn kept(&self, width: u32) -> u32 {
        (width * self.magnitude.0).div_ceil(64)
    }
}

/// So many elements of one value.
struct Fill<'a> {
    shape: &'a [usize],
    count: usize,
    /// What sets the value off from others.
    value: u64,
}

impl Fill<'_> {
    /// The elements, each from a number that depends on its index, if memory can hold them.
    fn with<T: Element>(&self, element: impl Fn(u64) -> T) -> Option<Data> {
        let mut elements = Vec::new();
        elements.try_reserve_exact(self.count).ok()?;
        elements.extend((0..self.count).map(|flat| element(self.at(flat))));
        Some(T::wrap(elements))
    }

    /// The same number for the same index, whatever the shape.
    fn at(&self, flat: usize) -> u64 {
        const ODD: u64 = 0x9e37_79b9_7f4a_7c15;
        let (mut rest, mut at) = (flat, self.value);
        for n in self.shape.iter().rev() {
            at = (at ^ (rest % n) as u64).wrapping_mul(ODD).rotate_left(23);
            rest /= n;
        }
        at
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::generate::parse_type;

    fn make(t: &str, seed: u64, magnitude: Magnitude) -> Value {
        Arbitrary::new(seed, magnitude).value(&parse_type(t).expect("a type")).expect("a value")
    }

    #[test]
    fn the_ends_of_types_are_found_soon() {
        for t in ["i8", "i16", "i32", "i64"] {
            let found: Vec<String> =
                (0..100).map(|seed| make(t, seed, Magnitude::FULL).to_string()).collect();
            let width: u32 = t[1..].parse().expect("a width");
            let lowest = i64::MIN >> (64 - width);
            for end in [lowest, !lowest, 0, 1, -1] {
                assert!(found.contains(&format!("{end}{t}")), "{end}{t}");
            }
        }
        let naturals: Vec<String> =
            (0..100).map(|seed| make("u64", seed, Magnitude::FULL).to_string()).collect();
        assert!(naturals.contains(&format!("{}u64", u64::MAX)));
    }

    #[test]
    fn smaller_magnitudes_are_closer_to_zero() {
        let distance = |seed, m| make("i16", seed, m).elements::<i16>().expect("i16")[0].unsigned_abs();
        for seed in 0..50 {
            let mut last = 0;
            for m in Magnitude::FULL.smaller().chain([Magnitude::FULL]) {
                let now = distance(seed, m);
                assert!(now + 1 >= last, "{seed}");
                last = now;
            }
        }
        for t in ["i8", "u32", "f16", "f32", "f64", "bool"] {
            let zeros = make(&format!("[20]{t}"), 7, Magnitude(0)).to_string();
            assert!(!zeros.contains(|c: char| ('1'..='9').contains(&c) && !t.contains(c)), "{zeros}");
            assert!(!zeros.contains("true"), "{zeros}");
        }
    }

    #[test]
    fn smaller_arrays_are_parts_of_larger_ones() {
        for seed in 0..20 {
            let large = make("[20][7]i32", seed, Magnitude::FULL);
            let small = make("[5][3]i32", seed, Magnitude::FULL);
            let (large, small) =
                (large.elements::<i32>().expect("i32"), small.elements::<i32>().expect("i32"));
            for i in 0..5 {
                assert_eq!(large[i * 7..i * 7 + 3], small[i * 3..i * 3 + 3]);
            }
        }
        let distinct: std::collections::HashSet<i64> =
            make("[10][10]i64", 1, Magnitude::FULL).elements::<i64>().expect("i64").iter().copied().collect();
        assert!(distinct.len() > 50);
    }

    #[test]
    fn values_of_one_candidate_differ() {
        let mut arbitrary = Arbitrary::new(1, Magnitude::FULL);
        let t = parse_type("[10]i64").expect("a type");
        assert_ne!(arbitrary.value(&t), arbitrary.value(&t));
    }
}
