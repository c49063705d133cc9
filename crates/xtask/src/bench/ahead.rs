//! What is made ahead of the measurement, on all cores while the one that measures waits for a GPU: data, right
//! answers, and servers, whose start compiles kernels.
//!
//! Everything is begun in the order of the cases. The three kinds have threads of their own, so that a slow
//! answer delays answers alone. The servers of a few programs are there before their turn comes.

use super::contest::{Contestant, Workshop};
use super::measure::Answers;
use super::server::{Results, Running};
use super::suite::Case;
use std::path::PathBuf;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// How many programs after the one that is measured have servers running.
const PROGRAMS_FIRST: usize = 4;

/// Something that may have failed.
type Made<T> = Result<T, String>;

/// The things made ahead, and where each of them stands.
pub(crate) struct Ahead<'a> {
    shop: &'a Workshop,
    cases: &'a [&'a Case],
    programs: Vec<&'a str>,
    contestants: &'a [Contestant],
    answers: Answers,
    /// After this nothing is begun.
    closing: Instant,
    /// After this nothing goes on.
    deadline: Instant,
    state: Mutex<State>,
    changed: Condvar,
}

struct State {
    data: Vec<Option<Made<PathBuf>>>,
    right: Vec<Option<Made<PathBuf>>>,
    servers: Vec<Vec<Option<Made<Running>>>>,
    /// How many of each kind have been begun.
    begun: Begun,
    /// The program that is measured.
    current: usize,
}

#[derive(Default)]
struct Begun {
    data: usize,
    right: usize,
    servers: usize,
}

impl<'a> Ahead<'a> {
    /// Nothing is made before threads run the three methods that make it.
    pub(crate) fn new(
        shop: &'a Workshop,
        cases: &'a [&'a Case],
        contestants: &'a [Contestant],
        answers: Answers,
        closing: Instant,
        deadline: Instant,
    ) -> Ahead<'a> {
        let programs: Vec<&str> =
            cases.chunk_by(|a, b| a.program == b.program).map(|group| group[0].program.as_str()).collect();
        let state = State {
            data: vec![None; cases.len()],
            right: vec![None; cases.len()],
            servers: programs.iter().map(|_| contestants.iter().map(|_| None).collect()).collect(),
            begun: Begun::default(),
            current: 0,
        };
        let (state, changed) = (Mutex::new(state), Condvar::new());
        Ahead { shop, cases, programs, contestants, answers, closing, deadline, state, changed }
    }

    /// Make data until there is none left to make.
    pub(crate) fn make_data(&self) {
        loop {
            let mut state = self.lock();
            let i = state.begun.data;
            if i == self.cases.len() || Instant::now() > self.closing {
                break self.give_up(state);
            }
            state.begun.data += 1;
            drop(state);
            let made = self.shop.data(self.cases[i]);
            self.lock().data[i] = Some(made);
            self.changed.notify_all();
        }
    }

    /// Compute answers until there are none left to compute.
    pub(crate) fn compute_answers(&self) {
        loop {
            let mut state = self.lock();
            let i = state.begun.right;
            if i == self.cases.len() || Instant::now() > self.closing {
                break self.give_up(state);
            }
            state.begun.right += 1;
            drop(state);
            let right = self.data(i).and_then(|_| self.compute(self.cases[i]));
            self.lock().right[i] = Some(right);
            self.changed.notify_all();
        }
    }

    /// Start servers until all have been started.
    pub(crate) fn start_servers(&self) {
        loop {
            let mut state = self.lock();
            let at = state.begun.servers;
            let (program, who) = (at / self.contestants.len(), at % self.contestants.len());
            let Some(name) = self.programs.get(program).filter(|_| Instant::now() < self.closing) else {
                break self.give_up(state);
            };
            if program > state.current + PROGRAMS_FIRST {
                drop(self.wait(state));
                continue;
            }
            state.begun.servers += 1;
            drop(state);
            let server = launch(self.shop, name, &self.contestants[who]);
            self.lock().servers[program][who] = Some(server);
            self.changed.notify_all();
        }
    }

    /// The data of a case, once it is there.
    pub(crate) fn data(&self, case: usize) -> Made<PathBuf> {
        let mut state = self.lock();
        loop {
            if let Some(made) = &state.data[case] {
                return made.clone();
            }
            state = self.wait(state);
        }
    }

    /// The right answer to a case, if it is known whether there is one.
    pub(crate) fn right(&self, case: usize) -> Option<Made<PathBuf>> {
        match &self.lock().right[case] {
            None if Instant::now() > self.deadline => Some(Err(self.too_slow())),
            known => known.clone(),
        }
    }

    /// The running servers of a program, once they are there; each can be taken once.
    pub(crate) fn servers(&self, program: usize) -> Vec<Made<Running>> {
        let mut state = self.lock();
        state.current = program;
        self.changed.notify_all();
        while state.servers[program].iter().any(Option::is_none) {
            state = self.wait(state);
        }
        state.servers[program].iter_mut().filter_map(Option::take).collect()
    }

    fn compute(&self, case: &Case) -> Made<PathBuf> {
        if self.answers == Answers::Trust {
            return Err("not asked for".into());
        }
        let left = self.deadline.saturating_duration_since(Instant::now()).as_secs_f64();
        self.shop.answer_within(case, left.min(self.shop.patience)).map_err(|why| {
            if why.starts_with("takes more than") {
                self.too_slow()
            } else {
                why
            }
        })
    }

    fn too_slow(&self) -> String {
        format!("the hand-written program takes more than {} s or had no turn", self.shop.patience)
    }

    /// There is nothing left to begin, or no time: whoever waits for what was not begun need not wait on.
    fn give_up(&self, mut state: MutexGuard<'_, State>) {
        if Instant::now() >= self.closing {
            let late = || "no time was left for it".to_owned();
            let (data, servers) = (state.begun.data, state.begun.servers);
            state.data[data..].iter_mut().for_each(|slot| *slot = Some(Err(late())));
            state.servers.iter_mut().flatten().skip(servers).for_each(|slot| *slot = Some(Err(late())));
        }
        self.changed.notify_all();
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Wait for a change, or a moment: times are part of what is waited for.
    fn wait<'s>(&self, state: MutexGuard<'s, State>) -> MutexGuard<'s, State> {
        let moment = Duration::from_millis(100);
        self.changed.wait_timeout(state, moment).map_or_else(|e| e.into_inner().0, |(state, _)| state)
    }
}

/// Start a contestant's server.
pub(crate) fn launch(shop: &Workshop, program: &str, contestant: &Contestant) -> Made<Running> {
    let results = match contestant {
        Contestant::Compiler { name, .. } if name == "reference" => Results::Components,
        Contestant::Compiler { .. } | Contestant::Hand => Results::Whole,
    };
    Running::start(&shop.build(program, contestant)?, results, Duration::from_secs_f64(shop.timeout))
}
