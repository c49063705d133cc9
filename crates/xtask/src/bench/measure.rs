//! Rounds. In every round each contestant runs once on the case, in an order that rotates from round to round, so that
//! a change in the machine's speed hits all of them alike.

use super::contest::{Contestant, Workshop};
use super::stats::median;
use super::suite::Case;
use std::path::{Path, PathBuf};

/// What came of one contestant on one case.
pub(crate) enum Outcome {
    /// The median time of each round, in microseconds.
    Times(Vec<f64>),
    /// Why there is no time.
    Failed(String),
}

/// One case, one entry point, all contestants in their order.
pub(crate) struct Row {
    /// Program, entry point and data set.
    pub(crate) title: String,
    /// One for each contestant.
    pub(crate) outcomes: Vec<Outcome>,
    /// All single times: contestant, round, microseconds.
    pub(crate) raw: Vec<(usize, usize, f64)>,
    /// Why the answers were not compared, if they were not.
    pub(crate) unchecked: Option<String>,
}

/// How to measure.
pub(crate) struct Plan {
    /// How many rounds.
    pub(crate) rounds: usize,
    /// The time that a contestant should fill in a round.
    pub(crate) seconds: f64,
    /// What to do before measuring.
    pub(crate) answers: Answers,
}

/// Whether answers are compared with the hand-written program's before measuring.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Answers {
    /// A wrong answer gets no time.
    Compare,
    /// Nothing is compared.
    Trust,
}

/// Measure all cases; failures are part of the result.
pub(crate) fn measure(shop: &Workshop, cases: &[&Case], contestants: &[Contestant], plan: &Plan) -> Vec<Row> {
    let mut rows = Vec::new();
    for case in cases {
        // The hand-written program may be too slow for a set that is meant for GPUs: then the row says so.
        let right = match plan.answers {
            Answers::Compare => shop.answer(case),
            Answers::Trust => Err("not asked for".into()),
        };
        for entry in &case.entries {
            eprintln!("{}", case.title(entry));
            rows.push(measure_case(shop, case, entry, contestants, plan, &right));
        }
    }
    rows
}

struct Entrant {
    exe: PathBuf,
    runs: usize,
    medians: Vec<f64>,
}

fn measure_case(
    shop: &Workshop,
    case: &Case,
    entry: &str,
    contestants: &[Contestant],
    plan: &Plan,
    right: &Result<PathBuf, String>,
) -> Row {
    let mut raw = Vec::new();
    let input = shop.data(case);
    let mut entrants: Vec<Result<Entrant, String>> = contestants
        .iter()
        .map(|c| {
            let input = input.as_deref().map_err(Clone::clone)?;
            if let (Ok(right), false) = (right, matches!(c, Contestant::Hand)) {
                shop.check(case, entry, c, right).map_err(|why| format!("no right answer: {why}"))?;
            }
            prepare(shop, case, entry, c, input, plan.seconds)
        })
        .collect();
    for round in 0..plan.rounds {
        for turn in 0..entrants.len() {
            let who = (turn + round) % entrants.len();
            let (Ok(entrant), Ok(input)) = (&mut entrants[who], &input) else { continue };
            match shop.time(&entrant.exe, entry, input, entrant.runs) {
                Ok(times) => {
                    entrant.medians.push(median(&times));
                    raw.extend(times.into_iter().map(|t| (who, round, t)));
                }
                Err(why) => entrants[who] = Err(why),
            }
        }
    }
    let outcome = |e: Result<Entrant, String>| e.map_or_else(Outcome::Failed, |e| Outcome::Times(e.medians));
    Row {
        title: case.title(entry),
        outcomes: entrants.into_iter().map(outcome).collect(),
        raw,
        unchecked: right.as_ref().err().cloned(),
    }
}

/// Build, and find out how many runs fill the time of a round.
fn prepare(
    shop: &Workshop,
    case: &Case,
    entry: &str,
    contestant: &Contestant,
    input: &Path,
    seconds: f64,
) -> Result<Entrant, String> {
    let exe = shop.build(&case.program, contestant)?;
    // More than one run is preceded by one to warm up, which slow programs do without.
    let first = median(&shop.time(&exe, entry, input, 1)?);
    let runs = (seconds * 1e6 / first.max(1.0)) as usize;
    Ok(Entrant { exe, runs: runs.clamp(1, 1000), medians: Vec::new() })
}
