//! Rounds. In every round each contestant runs once on the case, in an order that rotates from round to round, so that
//! a change in the machine's speed hits all of them alike.

use super::contest::{Contestant, Workshop};
use super::suite::Case;
use fehu_data::stats::median;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// What came of one contestant on one case.
pub(crate) enum Outcome {
    /// The median time of each round, in microseconds.
    Times(Vec<f64>),
    /// The same, for answers that are wrong, and in what.
    Wrong(Vec<f64>, String),
    /// Why there is no time.
    Failed(String),
}

/// One case, one entry point, all contestants in their order.
pub(crate) struct Row {
    /// The case's place in tables.
    pub(crate) place: (usize, String),
    /// Program, entry point and data set.
    pub(crate) title: String,
    /// One for each contestant.
    pub(crate) outcomes: Vec<Outcome>,
    /// All single times: contestant, round, microseconds.
    pub(crate) raw: Vec<(usize, usize, f64)>,
    /// Why the answers were not compared, if they were not.
    pub(crate) unchecked: Option<String>,
}

impl Row {
    /// The row of a case that was not reached in time.
    pub(crate) fn skipped(case: &Case, entry: &str, contestants: &[Contestant]) -> Row {
        let late = || Outcome::Failed("no time was left for it".into());
        let outcomes = contestants.iter().map(|_| late()).collect();
        Row { place: case.place.clone(), title: case.title(entry), outcomes, raw: vec![], unchecked: None }
    }
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

/// Who takes part in what, and for how long.
#[derive(Clone, Copy)]
pub(crate) struct Contest<'a> {
    /// Makes data and programs.
    pub(crate) shop: &'a Workshop,
    /// What is measured.
    pub(crate) cases: &'a [&'a Case],
    /// Who is.
    pub(crate) contestants: &'a [Contestant],
    /// How.
    pub(crate) plan: &'a Plan,
    /// Cases whose turn would come after this are named as skipped.
    pub(crate) budget: Duration,
}

/// Measure all cases, each with new processes; failures are part of the result. `save` is given all rows
/// after every case.
pub(crate) fn measure(contest: Contest, save: &dyn Fn(&[Row])) -> Vec<Row> {
    let Contest { shop, cases, contestants, plan, budget } = contest;
    let start = Instant::now();
    let mut rows = Vec::new();
    for case in cases {
        if start.elapsed() > budget {
            rows.extend(case.entries.iter().map(|entry| Row::skipped(case, entry, contestants)));
            continue;
        }
        // The hand-written program may be too slow for a set that is meant for GPUs: then the row says so.
        let right = match plan.answers {
            Answers::Compare => shop.answer(case),
            Answers::Trust => Err("not asked for".into()),
        };
        for entry in &case.entries {
            eprintln!("{:6.1} s  {}", start.elapsed().as_secs_f64(), case.title(entry));
            rows.push(measure_case(shop, case, entry, contestants, plan, &right));
        }
        save(&rows);
    }
    save(&rows);
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
            let first = match (right, c) {
                (Ok(right), Contestant::Compiler { .. }) => {
                    Some(shop.check(case, entry, c, right).map_err(|why| format!("no right answer: {why}"))?)
                }
                (Ok(_), Contestant::Hand) | (Err(_), _) => None,
            };
            prepare(shop, case, entry, c, input, plan.seconds, first)
        })
        .collect();
    for round in 0..plan.rounds {
        for turn in 0..entrants.len() {
            let who = (turn + round) % entrants.len();
            let (Ok(entrant), Ok(input)) = (&mut entrants[who], &input) else { continue };
            if entrant.runs == 0 {
                continue;
            }
            match shop.time(&entrant.exe, entry, input, entrant.runs) {
                Ok(times) => {
                    entrant.medians.push(median(&times));
                    raw.extend(times.into_iter().map(|t| (who, round, t)));
                }
                Err(why) => entrants[who] = Err(why),
            }
        }
    }
    for (who, entrant) in entrants.iter().enumerate() {
        if let Some(time) = entrant.as_ref().ok().filter(|e| e.runs == 0).and_then(|e| e.medians.first()) {
            raw.push((who, 0, *time));
        }
    }
    let outcome = |e: Result<Entrant, String>| e.map_or_else(Outcome::Failed, |e| Outcome::Times(e.medians));
    Row {
        place: case.place.clone(),
        title: case.title(entry),
        outcomes: entrants.into_iter().map(outcome).collect(),
        raw,
        unchecked: right.as_ref().err().cloned(),
    }
}

/// Build, and find out how many runs fill the time of a round. The time of the first run is measured unless
/// it is given; if it fills ten rounds it is all there is.
fn prepare(
    shop: &Workshop,
    case: &Case,
    entry: &str,
    contestant: &Contestant,
    input: &Path,
    seconds: f64,
    first: Option<f64>,
) -> Result<Entrant, String> {
    let exe = shop.build(&case.program, contestant)?;
    // More than one run is preceded by one to warm up, which slow programs do without.
    let first = match first {
        Some(time) => time,
        None => median(&shop.time(&exe, entry, input, 1)?),
    };
    if first > 10.0 * seconds * 1e6 {
        return Ok(Entrant { exe, runs: 0, medians: vec![first] });
    }
    let runs = (seconds * 1e6 / first.max(1.0)) as usize;
    Ok(Entrant { exe, runs: runs.clamp(1, 1000), medians: Vec::new() })
}
