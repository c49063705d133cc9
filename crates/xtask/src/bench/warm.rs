//! Measuring with servers: every contestant's program starts once and keeps running while all of its cases go by, and
//! contestants take turns on the same data.
//!
//! One thread measures; data, right answers and started servers are made ahead of it (`ahead`), and answers are judged
//! behind it (`verdict`). Results are saved after every case, so that a run that is cut short leaves what it has.

use super::ahead::{launch, Ahead};
use super::contest::{Contestant, Workshop};
use super::measure::{Answers, Contest, Outcome, Plan, Row};
use super::server::Running;
use super::suite::Case;
use super::verdict::{judge, Answered, NOT_YET};
use fehu_data::stats::median;
use std::path::{Path, PathBuf};
use std::sync::mpsc::channel;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Seconds after the budget in which right answers that are being computed may still arrive.
const GRACE: Duration = Duration::from_secs(8);

/// Threads that start servers; a start mostly compiles kernels, on one core.
const STARTERS: usize = 4;

/// Threads that make data.
const MAKERS: usize = 3;

/// Measure all cases; failures are part of the result. `save` is given all rows after every case.
pub(crate) fn measure(contest: Contest, save: &(dyn Fn(&[Row]) + Sync)) -> Vec<Row> {
    let Contest { shop, cases, contestants, plan, budget } = contest;
    let start = Instant::now();
    let (closing, deadline) = (start + budget, start + budget + GRACE);
    let ahead = Ahead::new(shop, cases, contestants, plan.answers, closing, deadline);
    let cores = std::thread::available_parallelism().map_or(1, |n| n.get());
    let rows: Mutex<Vec<Row>> = Mutex::new(Vec::new());
    let see = |rows: &Mutex<Vec<Row>>| save(&rows.lock().unwrap_or_else(PoisonError::into_inner));
    std::thread::scope(|scope| {
        for _ in 0..STARTERS.min(cores) {
            scope.spawn(|| ahead.start_servers());
        }
        for _ in 0..MAKERS.min(cores) {
            scope.spawn(|| ahead.make_data());
        }
        // More of them would slow the programs down that wait for their own host code.
        for _ in 0..(cores * 3 / 8).clamp(1, 12) {
            scope.spawn(|| ahead.compute_answers());
        }
        let (answered, arrivals) = channel::<Answered>();
        let judging = scope.spawn({
            let (ahead, rows) = (&ahead, &rows);
            move || judge(shop, ahead, cases, contestants, rows, &arrivals)
        });
        let mut at = 0;
        for (program, group) in cases.chunk_by(|a, b| a.program == b.program).enumerate() {
            let mut seats: Vec<Seat> = Vec::new();
            for case in group {
                for entry in &case.entries {
                    let now = start.elapsed();
                    eprintln!("{:6.1} s  {}", now.as_secs_f64(), case.title(entry));
                    let (row, files) = if now > budget {
                        (Row::skipped(case, entry, contestants), vec![])
                    } else {
                        if seats.is_empty() {
                            seats = ahead.servers(program).into_iter().map(Seat::new).collect();
                        }
                        let data = ahead.data(at);
                        measure_case(shop, case, &data, entry, contestants, &mut seats, plan)
                    };
                    let mut rows = rows.lock().unwrap_or_else(PoisonError::into_inner);
                    rows.push(row);
                    if !files.is_empty() {
                        let _ = answered.send(Answered { row: rows.len() - 1, case: at, files });
                    }
                }
                for seat in &mut seats {
                    seat.unload();
                }
                see(&rows);
                at += 1;
            }
        }
        eprintln!("{:6.1} s  measured", start.elapsed().as_secs_f64());
        drop(answered);
        let _ = judging.join();
        see(&rows);
        eprintln!("{:6.1} s  judged", start.elapsed().as_secs_f64());
    });
    rows.into_inner().unwrap_or_else(PoisonError::into_inner)
}

/// A contestant's server with what it holds.
struct Seat {
    server: Result<Running, String>,
    /// How many arguments of the current case are loaded.
    inputs: Option<usize>,
    /// Entry points that were too slow on an earlier set.
    slow: Vec<String>,
}

/// What a contestant that has answered goes on with: how often it is called in a round, and its times so far.
struct Pace {
    runs: usize,
    times: Vec<f64>,
}

impl Seat {
    fn new(server: Result<Running, String>) -> Seat {
        Seat { server, inputs: None, slow: vec![] }
    }

    fn load(&mut self, entry: &str, data: &Result<PathBuf, String>) -> Result<usize, String> {
        if let Some(inputs) = self.inputs {
            return Ok(inputs);
        }
        if self.slow.iter().any(|slow| slow == entry) {
            return Err("took too long on an earlier set".into());
        }
        let server = self.server.as_mut().map_err(|e| e.clone())?;
        let inputs = server.load(entry, data.as_deref().map_err(Clone::clone)?)?;
        self.inputs = Some(inputs);
        Ok(inputs)
    }

    /// The first call, whose result stays in the server until it is stored; the time in microseconds.
    fn first(&mut self, entry: &str) -> Result<(f64, Vec<String>), String> {
        if self.slow.iter().any(|slow| slow == entry) {
            return Err("took too long on an earlier set".into());
        }
        let server = self.server.as_mut().map_err(|e| e.clone())?;
        let result = server.first(entry, self.inputs.unwrap_or_default());
        if result.as_ref().is_err_and(|why| why.starts_with("takes more than")) {
            self.slow.push(entry.into());
        }
        result
    }

    fn unload(&mut self) {
        if let (Ok(server), Some(inputs)) = (&mut self.server, self.inputs.take()) {
            let _ = server.unload(inputs);
        }
    }

    /// A server that failed is started anew for the next case.
    fn recover(&mut self, shop: &Workshop, program: &str, contestant: &Contestant) {
        if self.server.as_ref().is_ok_and(|server| !server.is_alive()) {
            self.inputs = None;
            self.server = launch(shop, program, contestant);
        }
    }
}

fn measure_case(
    shop: &Workshop,
    case: &Case,
    data: &Result<PathBuf, String>,
    entry: &str,
    contestants: &[Contestant],
    seats: &mut [Seat],
    plan: &Plan,
) -> (Row, Vec<Option<PathBuf>>) {
    let (place, title) = (case.place.clone(), case.title(entry));
    let mut row = Row { place, title, outcomes: vec![], raw: vec![], unchecked: None };
    let loaded = together(seats, |_, seat| seat.load(entry, data).map(drop));
    let mut firsts: Vec<Result<(f64, Vec<String>), String>> = Vec::new();
    for (seat, loaded) in seats.iter_mut().zip(loaded) {
        firsts.push(loaded.and_then(|()| seat.first(entry)));
    }
    let folder = shop.work.join("data").join(&case.program);
    let stored = together(seats, |who, seat| {
        let (time, outs) = firsts[who].clone()?;
        let file = folder.join(format!("{}-{entry}-{}.got", case.set, contestants[who].label()));
        let server = seat.server.as_mut().map_err(|e| e.clone())?;
        server.store(entry, &outs, (plan.answers == Answers::Compare).then_some(&*file))?;
        Ok((time, file))
    });
    let mut files = vec![None; seats.len()];
    let mut paces: Vec<Result<Pace, String>> = Vec::new();
    for (who, outcome) in stored.into_iter().enumerate() {
        seats[who].recover(shop, &case.program, &contestants[who]);
        paces.push(outcome.and_then(|(first, file)| {
            files[who] = Some(file).filter(|file| Path::new(file).exists());
            pace(&mut seats[who], entry, first, plan.seconds * 1e6)
        }));
    }
    for round in 0..plan.rounds {
        for turn in 0..paces.len() {
            let who = (turn + round) % paces.len();
            let (Ok(pace), Ok(server)) = (&mut paces[who], &mut seats[who].server) else { continue };
            let inputs = seats[who].inputs.unwrap_or_default();
            let times: Result<Vec<f64>, String> =
                (0..pace.runs).map(|_| server.time(entry, inputs)).collect();
            match times {
                Ok(times) if times.is_empty() => {}
                Ok(times) => {
                    pace.times.push(median(&times));
                    row.raw.extend(times.into_iter().map(|t| (who, round, t)));
                }
                Err(why) => paces[who] = Err(why),
            }
            seats[who].recover(shop, &case.program, &contestants[who]);
        }
    }
    for (who, pace) in paces.iter().enumerate() {
        if let Some(time) = pace.as_ref().ok().filter(|p| p.runs == 0).and_then(|p| p.times.first()) {
            row.raw.push((who, 0, *time));
        }
    }
    row.unchecked = (plan.answers == Answers::Compare).then(|| NOT_YET.to_owned());
    row.outcomes =
        paces.into_iter().map(|p| p.map_or_else(Outcome::Failed, |p| Outcome::Times(p.times))).collect();
    (row, files)
}

/// How often to call in a round of so many microseconds. The first call of a fast program says little: it
/// loads kernels. Over ten times the round, the first call is all there is.
fn pace(seat: &mut Seat, entry: &str, first: f64, round: f64) -> Result<Pace, String> {
    if first > 10.0 * round {
        return Ok(Pace { runs: 0, times: vec![first] });
    }
    let inputs = seat.inputs.unwrap_or_default();
    let server = seat.server.as_mut().map_err(|e| e.clone())?;
    let usual = if first < round { server.time(entry, inputs)? } else { first };
    Ok(Pace { runs: ((round / usual.max(1.0)) as usize).clamp(1, 200), times: vec![] })
}

/// Do something with all seats at once.
fn together<T: Send>(
    seats: &mut [Seat],
    what: impl Fn(usize, &mut Seat) -> Result<T, String> + Sync,
) -> Vec<Result<T, String>> {
    let what = &what;
    std::thread::scope(|scope| {
        let running: Vec<_> =
            seats.iter_mut().enumerate().map(|(who, seat)| scope.spawn(move || what(who, seat))).collect();
        running.into_iter().map(|r| r.join().unwrap_or_else(|_| Err("panicked".into()))).collect()
    })
}
