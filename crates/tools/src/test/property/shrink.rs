//! Making counterexamples smaller.
//!
//! A program's shrinker is called with random numbers for as long as it finds smaller counterexamples. Without one, or
//! if it fails, the candidate is made again with the same seed and the smallest size that still is a
//! counterexample; and, if no generator of the program made it, with the smallest numbers.

use super::candidate::Candidate;
use super::declaration::{Declaration, Shrinker};
use super::{runtime_error, Tester};
use crate::programs::Trouble;
use fehu_data::generate::Rng;
use fehu_data::Value;

/// After so many attempts that found nothing smaller, a shrinker has done what it can.
const FRUITLESS_ATTEMPTS: usize = 100;

/// A shrinker may also run in circles.
const ATTEMPTS: usize = 5_000;

/// Sizes below this are all tried, larger ones by doubling.
const SIZES_TRIED: i64 = 64;

impl Tester<'_> {
    /// A variable with a smaller counterexample than that of a candidate, if there is one. Adds to the report what
    /// went wrong.
    pub(super) fn shrink(
        &mut self,
        d: &Declaration,
        candidate: &Candidate,
        variable: String,
        report: &mut Vec<String>,
    ) -> Result<String, Trouble> {
        let Some(shrinker) = &d.shrinker else { return self.shrink_candidate(d, candidate, variable) };
        match self.shrink_with(d, shrinker, candidate.seed, variable) {
            Ok(variable) => Ok(variable),
            Err(stopped) => {
                let limit = self.running.limit;
                report.push(format!(
                    "Shrinking note: User shrinker failed: Error in shrinker {} with random={}: {} has {}",
                    shrinker.name,
                    stopped.random,
                    shrinker.name,
                    runtime_error(&stopped.trouble, limit)
                ));
                report.push("Attempted auto-shrinker fallback.".into());
                let variable = match stopped.trouble {
                    Trouble::Failed(_) => stopped.variable,
                    Trouble::Exited(_) | Trouble::Dead(_) | Trouble::TooLate => {
                        self.generate(d, candidate)?
                    }
                };
                let smaller = self.shrink_candidate(d, candidate, variable)?;
                report.push("Auto-shrinker fallback completed.".into());
                Ok(smaller)
            }
        }
    }

    /// With a shrinker of the program.
    fn shrink_with(
        &mut self,
        d: &Declaration,
        shrinker: &Shrinker,
        seed: u64,
        mut smallest: String,
    ) -> Result<String, Stopped> {
        let mut rng = Rng::new(seed);
        let mut fruitless = 0;
        let mut bytes = self.bytes(&smallest).unwrap_or_default();
        for _ in 0..ATTEMPTS {
            if fruitless == FRUITLESS_ATTEMPTS {
                break;
            }
            let random = rng.next_u64();
            let smaller = match self.shrunk(d, shrinker, random, &smallest) {
                Ok(smaller) => smaller,
                Err(trouble) => return Err(Stopped { variable: smallest, random, trouble }),
            };
            // What makes the property fail in another way is another problem.
            let fails = matches!(self.holds(d, &smaller), Ok(false));
            let new_bytes = if fails { self.bytes(&smaller).unwrap_or_default() } else { vec![] };
            let gone = if fails && new_bytes != bytes {
                (fruitless, bytes) = (0, new_bytes);
                std::mem::replace(&mut smallest, smaller)
            } else {
                fruitless += 1;
                smaller
            };
            if let Err(trouble) = self.free(&gone) {
                return Err(Stopped { variable: smallest, random, trouble });
            }
        }
        Ok(smallest)
    }

    /// A value as a file holds it.
    fn bytes(&mut self, variable: &str) -> Result<Vec<u8>, Trouble> {
        self.talk(|server, transfer| {
            server.store(&transfer.display().to_string(), &[variable])?;
            Ok(std::fs::read(transfer)?)
        })
    }

    /// What a shrinker gives.
    fn shrunk(
        &mut self,
        d: &Declaration,
        shrinker: &Shrinker,
        random: u64,
        value: &str,
    ) -> Result<String, Trouble> {
        let argument = match shrinker.consumes {
            true => self.copy(d, value)?,
            false => value.to_owned(),
        };
        let random = self.number(&Value::scalar(random))?;
        let to = self.fresh();
        let consumes = shrinker.consumes;
        self.talk(|server, _| {
            let called = server.call(&shrinker.name, &[&to], &[&argument, &random]);
            server.free(&[&random])?;
            if consumes {
                server.free(&[&argument])?;
            }
            called
        })?;
        Ok(to)
    }

    /// With the same seed, but a smaller size and smaller numbers.
    fn shrink_candidate(
        &mut self,
        d: &Declaration,
        candidate: &Candidate,
        variable: String,
    ) -> Result<String, Trouble> {
        let mut smallest = (candidate.clone(), variable);
        self.shrink_size(d, &mut smallest)?;
        if d.generator.is_none() {
            let candidate = smallest.0.clone();
            let magnitudes = candidate.magnitude.smaller();
            let smaller = magnitudes.map(|magnitude| Candidate { magnitude, ..candidate.clone() });
            self.first_counterexample(d, smaller, &mut smallest)?;
            // Other numbers may do with fewer elements.
            self.shrink_size(d, &mut smallest)?;
        }
        Ok(smallest.1)
    }

    fn shrink_size(&mut self, d: &Declaration, smallest: &mut (Candidate, String)) -> Result<(), Trouble> {
        let candidate = smallest.0.clone();
        let doubled = std::iter::successors(Some(SIZES_TRIED), |n| n.checked_mul(2));
        let sizes = (0..SIZES_TRIED).chain(doubled).take_while(|s| *s < candidate.size);
        let sizes = sizes.map(|size| Candidate { size, ..candidate.clone() });
        self.first_counterexample(d, sizes, smallest)
    }

    /// The first of some candidates that is a counterexample becomes the smallest.
    fn first_counterexample(
        &mut self,
        d: &Declaration,
        candidates: impl Iterator<Item = Candidate>,
        smallest: &mut (Candidate, String),
    ) -> Result<(), Trouble> {
        for candidate in candidates {
            // Generators may have no value of this size.
            let variable = match self.generate(d, &candidate) {
                Ok(variable) => variable,
                Err(Trouble::Failed(_)) => continue,
                Err(trouble) => return Err(trouble),
            };
            let fails = match self.holds(d, &variable) {
                Ok(holds) => !holds,
                Err(Trouble::Failed(_)) => false,
                Err(trouble) => return Err(trouble),
            };
            if fails {
                let (_, old) = std::mem::replace(smallest, (candidate, variable));
                return self.free(&old);
            }
            self.free(&variable)?;
        }
        Ok(())
    }
}

/// A shrinker that failed.
struct Stopped {
    /// The smallest counterexample so far.
    variable: String,
    /// The number that the shrinker got.
    random: u64,
    trouble: Trouble,
}
