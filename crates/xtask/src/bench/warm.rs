//! Measuring with servers: every contestant's program starts once and keeps running while all of its cases go by, and
//! contestants take turns on the same data.
//!
//! Everything that takes long and does not need the machine for itself (data, right answers, the kernels that
//! starting compiles) is made first, on all cores.

use super::contest::{Contestant, Workshop};
use super::measure::{Answers, Outcome, Plan, Row};
use super::server::{Results, Running};
use super::stats::median;
use super::suite::Case;
use std::path::PathBuf;
use std::sync::Mutex;
use std::time::{Duration, Instant};

/// Measure all cases; failures are part of the result. Cases whose turn would come after `budget` are named as skipped.
pub(crate) fn measure(
    shop: &Workshop,
    cases: &[&Case],
    contestants: &[Contestant],
    plan: &Plan,
    budget: Duration,
) -> Vec<Row> {
    let start = Instant::now();
    prepare(shop, cases, contestants, plan);
    eprintln!("prepared after {:.0} s", start.elapsed().as_secs_f64());
    let mut rows = Vec::new();
    for group in cases.chunk_by(|a, b| a.program == b.program) {
        let mut servers: Vec<Result<Running, String>> =
            contestants.iter().map(|c| launch(shop, &group[0].program, c)).collect();
        for case in group {
            for entry in &case.entries {
                eprintln!("{:6.1} s  {}", start.elapsed().as_secs_f64(), case.title(entry));
                rows.push(if start.elapsed() > budget {
                    skipped(case, entry, contestants)
                } else {
                    measure_case(shop, case, entry, contestants, &mut servers, plan)
                });
            }
        }
    }
    rows
}

fn launch(shop: &Workshop, program: &str, contestant: &Contestant) -> Result<Running, String> {
    let results = match contestant {
        Contestant::Compiler { name, .. } if name == "reference" => Results::Components,
        Contestant::Compiler { .. } | Contestant::Hand => Results::Whole,
    };
    Running::start(&shop.build(program, contestant)?, results, Duration::from_secs_f64(shop.timeout))
}

fn skipped(case: &Case, entry: &str, contestants: &[Contestant]) -> Row {
    let outcomes = contestants.iter().map(|_| Outcome::Failed("no time was left for it".into())).collect();
    Row { title: case.title(entry), outcomes, raw: vec![], unchecked: None }
}

/// Fill the folders with data, answers and compiled kernels; what fails here fails again, and is reported, later.
fn prepare(shop: &Workshop, cases: &[&Case], contestants: &[Contestant], plan: &Plan) {
    let mut jobs: Vec<Box<dyn FnOnce() + Send + '_>> = Vec::new();
    // The last job is taken first: starts of programs, then cases, of which the largest tend to come last.
    for case in cases {
        let answers = plan.answers;
        jobs.push(Box::new(move || match answers {
            Answers::Compare => drop(shop.answer(case)),
            Answers::Trust => drop(shop.data(case)),
        }));
    }
    for group in cases.chunk_by(|a, b| a.program == b.program) {
        for contestant in contestants {
            jobs.push(Box::new(move || drop(launch(shop, &group[0].program, contestant))));
        }
    }
    let workers = std::thread::available_parallelism().map_or(1, |n| n.get().saturating_sub(1).clamp(1, 12));
    let queue = Mutex::new(jobs);
    std::thread::scope(|scope| {
        for _ in 0..workers {
            scope.spawn(|| loop {
                let job = queue.lock().ok().and_then(|mut q| q.pop());
                match job {
                    Some(job) => job(),
                    None => break,
                }
            });
        }
    });
}

fn measure_case(
    shop: &Workshop,
    case: &Case,
    entry: &str,
    contestants: &[Contestant],
    servers: &mut [Result<Running, String>],
    plan: &Plan,
) -> Row {
    let right = match plan.answers {
        Answers::Compare => shop.known_answer(case),
        Answers::Trust => Err("not asked for".into()),
    };
    let mut row = Row { title: case.title(entry), outcomes: vec![], raw: vec![], unchecked: None };
    // Whose answer stands in for the hand-written program's, when that is too slow for the data.
    let mut stand_in: Option<(PathBuf, String)> = None;
    let mut entrants: Vec<Result<(usize, usize, Vec<f64>), String>> = Vec::new();
    for (contestant, server) in contestants.iter().zip(servers.iter_mut()) {
        let got = shop.work.join("data").join(format!("{}.got", contestant.label()));
        let entrant = server.as_mut().map_err(|e| e.clone()).and_then(|server| {
            let inputs = server.load(entry, &shop.data(case)?)?;
            let first = server.answer(entry, inputs, &got)?;
            let against = right.as_ref().ok().or(stand_in.as_ref().map(|(path, _)| path));
            if let (Some(against), Answers::Compare) = (against, plan.answers) {
                shop.compare(case, against, &got).map_err(|why| format!("no right answer: {why}"))?;
            }
            let runs = (plan.seconds * 1e6 / first.max(1.0)) as usize;
            // Over its time, what it took to answer is all there is.
            let times = if runs == 0 { vec![first] } else { vec![] };
            Ok((inputs, runs.min(200), times))
        });
        if let (Ok(_), Err(_), None, Answers::Compare) = (&entrant, &right, &stand_in, plan.answers) {
            let kept = got.with_extension("kept");
            if std::fs::rename(&got, &kept).is_ok() {
                stand_in = Some((kept, contestant.label()));
            }
        }
        let _ = std::fs::remove_file(&got);
        recover(shop, &case.program, contestant, server, &entrant);
        entrants.push(entrant);
    }
    for round in 0..plan.rounds {
        for turn in 0..entrants.len() {
            let who = (turn + round) % entrants.len();
            let (Ok((inputs, runs, medians)), Ok(server)) = (&mut entrants[who], &mut servers[who]) else {
                continue;
            };
            let times: Result<Vec<f64>, String> = (0..*runs).map(|_| server.time(entry, *inputs)).collect();
            match times {
                Ok(times) if times.is_empty() => {}
                Ok(times) => {
                    medians.push(median(&times));
                    row.raw.extend(times.into_iter().map(|t| (who, round, t)));
                }
                Err(why) => entrants[who] = Err(why),
            }
            recover(shop, &case.program, &contestants[who], &mut servers[who], &entrants[who]);
        }
    }
    for (server, entrant) in servers.iter_mut().zip(&entrants) {
        if let (Ok(server), Ok((inputs, ..))) = (server, entrant) {
            let _ = server.unload(*inputs);
        }
    }
    row.unchecked = right.err().map(|why| match &stand_in {
        Some((path, label)) => {
            let _ = std::fs::remove_file(path);
            format!("{why}; compared with {label} instead")
        }
        None => why,
    });
    row.outcomes = entrants
        .into_iter()
        .map(|e| e.map_or_else(Outcome::Failed, |(_, _, times)| Outcome::Times(times)))
        .collect();
    row
}

/// A server that failed is started anew for the next case.
fn recover<T>(
    shop: &Workshop,
    program: &str,
    contestant: &Contestant,
    server: &mut Result<Running, String>,
    outcome: &Result<T, String>,
) {
    if outcome.is_err() && server.is_ok() {
        *server = launch(shop, program, contestant);
    }
}
