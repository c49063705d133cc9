//! The source of all randomness: a list of numbers, each of which decides one thing.
//!
//! A generator that asks for its decisions one by one, and records them, can be run again on any other list: on a
//! shorter one, or on one with smaller numbers. That is all a shrinker needs. Two conventions make it work:
//!
//! - when the list is at its end, every further decision is 0;
//! - 0 always decides for what is simplest and ends soonest.
//!
//! ```text
//! below(5) on [7, 3]   gives 7 % 5 = 2, then below(5) gives 3, then 0 for ever
//! ```

/// Decisions, random or replayed.
#[derive(Debug)]
pub struct Choices {
    made: Vec<u32>,
    next: usize,
    random: Option<Random>,
}

impl Choices {
    /// New decisions from a seed.
    pub fn random(seed: u64) -> Choices {
        Choices { made: vec![], next: 0, random: Some(Random::new(seed)) }
    }

    /// The decisions of a list, and then zeros.
    pub fn replay(made: &[u32]) -> Choices {
        Choices { made: made.to_vec(), next: 0, random: None }
    }

    /// The decisions that were taken.
    pub fn taken(mut self) -> Vec<u32> {
        self.made.truncate(self.next);
        self.made
    }

    /// A number below `n`, which is at least 1.
    pub fn below(&mut self, n: usize) -> usize {
        if let Some(random) = &mut self.random {
            // Remainders are stored, so that smaller numbers are simpler decisions.
            let value = (random.next() >> 33) % n.max(1) as u64;
            self.made.push(value as u32);
        }
        let value = self.made.get(self.next).copied().unwrap_or(0);
        self.next += 1;
        value as usize % n.max(1)
    }

    /// True in so many cases of a hundred.
    pub fn chance(&mut self, percent: usize) -> bool {
        self.below(100) >= 100 - percent
    }

    /// One of some options, the simplest of which comes first.
    pub fn pick<'a, T>(&mut self, options: &'a [T]) -> &'a T {
        &options[self.below(options.len())]
    }
}

/// A sequence of numbers that looks random (splitmix64).
#[derive(Clone, Debug)]
pub struct Random(u64);

impl Random {
    /// The sequence of a seed.
    pub fn new(seed: u64) -> Random {
        Random(seed.wrapping_mul(0x2545_f491_4f6c_dd1d) ^ 0x9e37_79b9_7f4a_7c15)
    }

    /// The next number.
    #[allow(clippy::should_implement_trait, reason = "it never ends")]
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number below `n`, which is at least 1.
    pub fn below(&mut self, n: usize) -> usize {
        (self.next() % n.max(1) as u64) as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_replay_decides_the_same_and_then_zero() {
        let mut first = Choices::random(3);
        let decided: Vec<usize> = [7, 100, 3].iter().map(|n| first.below(*n)).collect();
        let mut again = Choices::replay(&first.taken());
        assert_eq!(decided, [7, 100, 3].iter().map(|n| again.below(*n)).collect::<Vec<_>>());
        assert_eq!(again.below(9), 0);
    }
}
