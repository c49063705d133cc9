//! Makes a failing program smaller by making its list of decisions shorter and its numbers smaller.
//!
//! Which decisions mean what need not be known here: any list is a program, and a shorter one is a simpler one.
//!
//! ```text
//! [4, 9, 0, 7, 3]  parts left out  [4, 7]  numbers made smaller  [1, 7]
//! ```

use std::time::{Duration, Instant};

/// The simplest list found in a time for which a question is still answered with yes.
pub fn shrink(start: Vec<u32>, limit: Duration, still: &mut dyn FnMut(&[u32]) -> bool) -> Vec<u32> {
    let begun = Instant::now();
    let mut best = start;
    loop {
        let before = best.clone();
        let mut ask = |list: &[u32]| begun.elapsed() < limit && still(list);
        leave_out(&mut best, &mut ask);
        make_smaller(&mut best, &mut ask);
        if best == before || begun.elapsed() >= limit {
            return best;
        }
    }
}

/// Leaves out parts, long ones first.
fn leave_out(best: &mut Vec<u32>, still: &mut dyn FnMut(&[u32]) -> bool) {
    let mut length = best.len() / 2;
    while length > 0 {
        let mut at = best.len().saturating_sub(length);
        loop {
            let mut shorter = best.clone();
            shorter.drain(at..(at + length).min(best.len()));
            if shorter.len() < best.len() && still(&shorter) {
                *best = shorter;
            }
            if at == 0 {
                break;
            }
            at = at.saturating_sub(length);
        }
        length /= 2;
    }
}

/// Makes numbers zero, runs of them at once, and then single ones as small as they can be.
fn make_smaller(best: &mut Vec<u32>, still: &mut dyn FnMut(&[u32]) -> bool) {
    for length in [16, 4] {
        for at in (0..best.len()).step_by(length) {
            let mut simpler = best.clone();
            let end = (at + length).min(simpler.len());
            simpler[at..end].fill(0);
            if simpler != *best && still(&simpler) {
                *best = simpler;
            }
        }
    }
    for at in 0..best.len() {
        let mut low = 0;
        while low < best[at] {
            let middle = low + (best[at] - low) / 2;
            let mut simpler = best.clone();
            simpler[at] = middle;
            if still(&simpler) {
                *best = simpler;
            } else {
                low = middle + 1;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_does_not_matter_goes() {
        let start = vec![9, 1, 40, 3, 77, 5, 6, 40];
        let mut still = |list: &[u32]| list.iter().filter(|n| **n >= 30).count() >= 2;
        assert_eq!(shrink(start, Duration::from_secs(5), &mut still), [30, 30]);
    }
}
