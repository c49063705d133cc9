//! Makers of data: deterministic, from the name of the data set and the position of the value alone.
//!
//! A value is described by one word: a constant (`16i64`, `0.5f32`), a uniform array or scalar (`[n][m]f32@lo:hi`,
//! bounds 0 to 1 for floats and 0 to 99 for integers if left out), or a named maker with dimensions (`dominant[256]`).

use super::values::{Elements, Value};

/// Make the value that `word` describes.
pub(crate) fn make(word: &str, seed: &str) -> Result<Value, String> {
    let mut random = Random::new(seed);
    let (name, rest) = word.split_at(word.find(['[', '@']).unwrap_or(word.len()));
    if name.starts_with(|c: char| c.is_ascii_digit() || c == '-') {
        return constant(word);
    }
    let (shape, rest) = dimensions(rest)?;
    if name.is_empty() {
        let (element, bounds) = rest.split_once('@').unwrap_or((rest, ""));
        return uniform(element, shape, bounds, &mut random);
    }
    match (name, shape.as_slice()) {
        ("i32" | "i64" | "f32" | "f64" | "u32", []) => {
            uniform(name, shape, rest.strip_prefix('@').unwrap_or(""), &mut random)
        }
        ("powers", &[n]) => Ok(powers(n)),
        ("bisection", &[n]) => Ok(bisection(n)),
        ("spots", &[m, n]) => Ok(spots(m, n, &mut random)),
        ("dominant", &[n]) => Ok(dominant(n, &mut random)),
        ("cavity", &[nz, ny, nx]) => Ok(cavity(nz, ny, nx, &mut random)),
        ("series", &[m, n]) => Ok(series(m, n, &mut random)),
        ("equal", &[n, sum]) => Ok(sizes(n, sum, |_| 1.0)),
        ("power", &[n, sum]) => Ok(sizes(n, sum, |_| random.float(1e-6, 1.0).powf(-0.75))),
        ("giant", &[n, sum]) => Ok(sizes(n, sum, |i| if i == n / 2 { n as f64 } else { 1.0 })),
        _ => Err(format!("no maker is called {word}")),
    }
}

fn dimensions(mut rest: &str) -> Result<(Vec<usize>, &str), String> {
    let mut shape = Vec::new();
    while let Some(inside) = rest.strip_prefix('[') {
        let (n, after) = inside.split_once(']').ok_or_else(|| format!("no ] in [{inside}"))?;
        shape.push(n.parse().map_err(|_| format!("not a size: {n}"))?);
        rest = after;
    }
    Ok((shape, rest))
}

fn constant(word: &str) -> Result<Value, String> {
    let at = word.len().saturating_sub(3);
    let (number, suffix) = word.split_at_checked(at).unwrap_or((word, ""));
    let bad = |_| format!("not a constant: {word}");
    let elements = match suffix {
        "i32" => Elements::I32(vec![number.parse().map_err(bad)?]),
        "i64" => Elements::I64(vec![number.parse().map_err(bad)?]),
        "f32" => Elements::F32(vec![number.parse().map_err(|_| format!("not a constant: {word}"))?]),
        "f64" => Elements::F64(vec![number.parse().map_err(|_| format!("not a constant: {word}"))?]),
        _ => return Err(format!("a constant needs a type suffix: {word}")),
    };
    Ok(Value { shape: vec![], elements })
}

fn uniform(element: &str, shape: Vec<usize>, bounds: &str, random: &mut Random) -> Result<Value, String> {
    let count = shape.iter().product();
    let default = if element.starts_with('f') { "0:1" } else { "0:99" };
    let bounds = if bounds.is_empty() { default } else { bounds };
    let (lo, hi) = bounds.split_once(':').ok_or_else(|| format!("bounds are written lo:hi, not {bounds}"))?;
    let parse = |s: &str| s.parse::<f64>().map_err(|_| format!("not a bound: {s}"));
    let (lo, hi) = (parse(lo)?, parse(hi)?);
    let elements = match element {
        "i8" => Elements::I8(random.many(count, |r| r.integer(lo, hi) as i8)),
        "i32" => Elements::I32(random.many(count, |r| r.integer(lo, hi) as i32)),
        "i64" => Elements::I64(random.many(count, |r| r.integer(lo, hi))),
        "u32" => Elements::U32(random.many(count, |r| r.integer(lo, hi) as u32)),
        "f32" => Elements::F32(random.many(count, |r| r.float(lo, hi) as f32)),
        "f64" => Elements::F64(random.many(count, |r| r.float(lo, hi))),
        other => return Err(format!("no uniform values of type {other}")),
    };
    Ok(Value { shape, elements })
}

/// 1, 16, 256, ...
fn powers(n: usize) -> Value {
    let v = (0..n as u32).map(|i| 16i64.saturating_pow(i)).collect();
    Value { shape: vec![n], elements: Elements::I64(v) }
}

/// The steps of a Brownian bridge over n dates, as three rows: the date that a step sets, and the dates to its left and
/// right that it is set from; dates count from one, and zero is the start. The end comes first, then middles of gaps.
fn bisection(n: usize) -> Value {
    let mut rows = [vec![n as i32], vec![0], vec![0]];
    let mut gaps = std::collections::VecDeque::from([(0, n)]);
    while let Some((left, right)) = gaps.pop_front() {
        let middle = (left + right) / 2;
        if middle > left {
            for (row, date) in rows.iter_mut().zip([middle, left, right]) {
                row.push(date as i32);
            }
            gaps.extend([(left, middle), (middle, right)]);
        }
    }
    Value { shape: vec![3, n], elements: Elements::I32(rows.concat()) }
}

/// Prices of three assets near the levels that the option contracts name.
fn spots(m: usize, n: usize, random: &mut Random) -> Value {
    let level = |i: usize| [3758.05, 11840.0, 1200.0][i % 3];
    let v = (0..m * n).map(|i| (level(i % n) * random.float(0.95, 1.1)) as f32).collect();
    Value { shape: vec![m, n], elements: Elements::F32(v) }
}

/// A square matrix whose diagonal outweighs its rows, so that elimination without pivoting is stable.
fn dominant(n: usize, random: &mut Random) -> Value {
    let mut v = random.many(n * n, |r| r.float(0.0, 1.0) as f32);
    for i in 0..n {
        v[i * n + i] += n as f32;
    }
    Value { shape: vec![n, n], elements: Elements::F32(v) }
}

/// A closed box of fluid (0) with walls (1), a few solid cells inside, and a lid (2) that drags the fluid below it.
fn cavity(nz: usize, ny: usize, nx: usize, random: &mut Random) -> Value {
    let mut v = Vec::with_capacity(nz * ny * nx);
    for z in 0..nz {
        for y in 0..ny {
            for x in 0..nx {
                let side = x == 0 || y == 0 || z == 0 || x == nx - 1 || y == ny - 1 || z == nz - 1;
                let solid = random.float(0.0, 1.0) < 0.03;
                let lid = z + 2 == nz;
                v.push(if side {
                    1
                } else if lid {
                    2
                } else {
                    i8::from(solid)
                });
            }
        }
    }
    Value { shape: vec![nz, ny, nx], elements: Elements::I8(v) }
}

/// Time series with a season of 23 samples, noise, a break in every third one, and one sample in four missing (NaN).
fn series(m: usize, n: usize, random: &mut Random) -> Value {
    let mut v = Vec::with_capacity(m * n);
    for i in 0..m {
        let (level, swing) = (random.float(0.3, 0.8), random.float(0.05, 0.2));
        for t in 0..n {
            let season = swing * (t as f64 * std::f64::consts::TAU / 23.0).sin();
            let fall = if i % 3 == 0 && t > n * 3 / 4 { 0.4 } else { 0.0 };
            let sample = level + season - fall + random.float(-0.05, 0.05);
            v.push(if random.float(0.0, 1.0) < 0.25 { f32::NAN } else { sample as f32 });
        }
    }
    Value { shape: vec![m, n], elements: Elements::F32(v) }
}

/// Sizes of points, in proportion to their weights, that have this sum.
fn sizes(n: usize, sum: usize, weight: impl FnMut(usize) -> f64) -> Value {
    let weights: Vec<f64> = (0..n).map(weight).collect();
    let all: f64 = weights.iter().sum();
    let mut ends: Vec<i64> = weights
        .iter()
        .scan(0.0, |before, w| {
            *before += w;
            Some((*before / all * sum as f64) as i64)
        })
        .collect();
    if let Some(last) = ends.last_mut() {
        *last = sum as i64;
    }
    let starts = std::iter::once(0).chain(ends.iter().copied());
    let v = ends.iter().zip(starts).map(|(end, start)| end - start).collect();
    Value { shape: vec![n], elements: Elements::I64(v) }
}

/// SplitMix64: small, fast and the same everywhere.
struct Random(u64);

impl Random {
    fn new(seed: &str) -> Random {
        // FNV-1a spreads the name over the state.
        Random(
            seed.bytes().fold(0xcbf2_9ce4_8422_2325, |h, b| (h ^ u64::from(b)).wrapping_mul(0x100_0000_01b3)),
        )
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// Uniform in [lo, hi), with 24 random bits: the same value as f32 and as f64.
    fn float(&mut self, lo: f64, hi: f64) -> f64 {
        lo + (hi - lo) * ((self.next() >> 40) as f64 / (1u64 << 24) as f64)
    }

    /// Uniform from lo to hi, both included.
    fn integer(&mut self, lo: f64, hi: f64) -> i64 {
        let (lo, hi) = (lo as i64, hi as i64);
        lo + (self.next() % (hi - lo + 1).max(1) as u64) as i64
    }

    fn many<T>(&mut self, count: usize, mut one: impl FnMut(&mut Random) -> T) -> Vec<T> {
        (0..count).map(|_| one(self)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words() {
        assert_eq!(make("-3i64", "s"), Ok(Value { shape: vec![], elements: Elements::I64(vec![-3]) }));
        let v = make("[2][3]i32@5:6", "s").map(|v| (v.shape.clone(), v));
        assert!(matches!(v, Ok((shape, Value { elements: Elements::I32(xs), .. }))
            if shape == [2, 3] && xs.iter().all(|x| (5..=6).contains(x))));
        assert!(
            make("[2]f128", "s").is_err() && make("nothing[2]", "s").is_err() && make("[2", "s").is_err()
        );
    }

    #[test]
    fn a_bridge_sets_every_date_once_from_dates_set_before() {
        let Elements::I32(v) = bisection(11).elements else { panic!("not i32") };
        let mut set = vec![0];
        for t in 0..11 {
            assert!(!set.contains(&v[t]) && set.contains(&v[11 + t]) && set.contains(&v[22 + t]));
            set.push(v[t]);
        }
    }

    #[test]
    fn sizes_have_their_sum() {
        for word in ["equal[7][50]", "power[40][1000]", "giant[9][100]"] {
            let Ok(Value { elements: Elements::I64(v), .. }) = make(word, "s") else { panic!("{word}") };
            let sum: i64 = v.iter().sum();
            assert!(v.iter().all(|n| *n >= 0) && [50, 1000, 100].contains(&sum), "{word}: {v:?}");
        }
    }

    #[test]
    fn the_same_name_gives_the_same_data() {
        assert_eq!(make("[9]f32", "a/b/0"), make("[9]f32", "a/b/0"));
        assert_ne!(make("[9]f32", "a/b/0"), make("[9]f32", "a/b/1"));
    }
}
