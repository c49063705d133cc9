//! Where a program stops: somebody gets a session with the variables there.
//!
//! A program stops at `#[break]`, and, if `:nanbreak` says so, where an operation makes a NaN of operands
//! that are none. `:frame` goes to the variables of the functions that called:
//!
//! ```text
//! Stopped at b.fut:1:33-49      def f (x: i32) = #[break] (x + 1)
//!   called from b.fut:2:20-25   def g (y: i32) = f (y * 2)
//! [1]> x                        6
//! [2]> :frame 1
//! [3]> y                        3
//! ```

use crate::declared::Declared;
use crate::pieces::Piece;
use crate::session::{Answer, Problem, Session, Stop, StopSink};
use fehu_base::prim::PrimValue;
use fehu_driver::interpret::Variable;
use fehu_ir::Loc;
use std::collections::BTreeSet;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, PoisonError};

/// Values of variables whose text is longer can only be shown: it would have to be checked for each line.
const MAX_DEFINITION: usize = 100_000;

/// Places at which nobody wants to stop any more.
pub(crate) type Skipped = Arc<Mutex<BTreeSet<String>>>;

/// Where the program stopped of whose variables a session knows.
pub(crate) struct Stopped {
    /// The place, and the calls that led there.
    places: Vec<String>,
    /// The variables of each of these functions, as far as they are known.
    frames: Vec<Vec<Variable>>,
    /// Whose variables are declared.
    frame: usize,
    /// What was declared before the program ran.
    before: Arc<Declared>,
}

/// What happens when a program of a session stops.
pub(crate) struct Stops {
    session: Mutex<Session>,
    stop: StopSink,
    skipped: Skipped,
    place: Arc<dyn Fn(&Loc) -> String + Send + Sync>,
}

impl Stops {
    /// For programs of a session; `place` shows places.
    pub(crate) fn new(
        session: &Session,
        stop: &StopSink,
        place: impl Fn(&Loc) -> String + Send + Sync + 'static,
    ) -> Stops {
        Stops {
            session: Mutex::new(session.again()),
            stop: stop.clone(),
            skipped: session.skipped.clone(),
            place: Arc::new(place),
        }
    }

    /// At `#[break]`.
    pub(crate) fn broke(&self, loc: &Loc, variables: Vec<Variable>) {
        self.happened(loc, variables, None);
    }

    /// Where a NaN came into being.
    pub(crate) fn nan(&self, loc: &Loc, operands: &[PrimValue]) {
        let operands: Vec<String> = operands.iter().map(PrimValue::to_string).collect();
        self.happened(loc, vec![], Some(operands.join(" and ")));
    }

    fn happened(&self, loc: &Loc, variables: Vec<Variable>, nan: Option<String>) {
        let calls = std::iter::successors(Some(loc), |l| l.caller.as_deref());
        let places: Vec<String> = calls.map(|l| (self.place)(l)).collect();
        let here = places.first().cloned().unwrap_or_default();
        if self.skipped.lock().unwrap_or_else(PoisonError::into_inner).contains(&here) {
            return;
        }
        let mut frames: Vec<Vec<Variable>> = places.iter().map(|_| vec![]).collect();
        for variable in variables {
            if let Some(frame) = frames.get_mut(variable.frame) {
                frame.push(variable);
            }
        }
        let mut session = self.session.lock().unwrap_or_else(PoisonError::into_inner).again();
        let before = session.declared.clone();
        session.stopped = Some(Stopped { places: places.clone(), frames, frame: 0, before });
        session.declare_frame();
        (self.stop)(Stop { nan, places, session });
    }
}

impl Session {
    /// A session with the same declarations, for the time in which a program of this one stands still.
    fn again(&self) -> Session {
        Session {
            loaded: self.loaded.clone(),
            declared: self.declared.clone(),
            lines: self.lines,
            trace: self.trace.clone(),
            files: self.files.clone(),
            limited: self.limited,
            interrupt: self.interrupt.clone(),
            stop: self.stop.clone(),
            skipped: self.skipped.clone(),
            nans: self.nans.clone(),
            ..Session::new(|_| {})
        }
    }

    /// Declares the variables of the current frame.
    fn declare_frame(&mut self) {
        let Some(stopped) = &self.stopped else { return };
        let place = stopped.places.get(stopped.frame).cloned().unwrap_or_default();
        let variables = stopped.frames.get(stopped.frame).cloned().unwrap_or_default();
        self.declared = stopped.before.clone();
        self.values.clear();
        for variable in variables {
            let short = variable.definition.filter(|text| text.len() <= MAX_DEFINITION);
            let declared = short.map(|text| self.declare(Piece { name: place.clone(), text }));
            if !matches!(declared, Some(Answer::Done)) {
                self.values.insert(variable.name, variable.value.to_string());
            }
        }
    }

    /// Goes to the variables of another function.
    pub(crate) fn frame(&mut self, number: &str) -> Answer {
        let Some(stopped) = &mut self.stopped else { return Problem::message("nothing has stopped") };
        let last = stopped.places.len().saturating_sub(1);
        match number.parse() {
            Ok(frame) if frame <= last => stopped.frame = frame,
            Ok(_) | Err(_) => {
                return Problem::message(format!("which frame? Write :frame N, from 0 to {last}"))
            }
        }
        let line = |(i, place): (usize, &String)| {
            format!("{} #{i} {place}", if i == stopped.frame { "->" } else { "  " })
        };
        let text: Vec<String> = stopped.places.iter().enumerate().map(line).collect();
        self.declare_frame();
        Answer::Text(text.join("\n"))
    }

    /// Never stops again where the program stopped.
    pub(crate) fn unbreak(&mut self) -> Answer {
        match self.stopped.as_ref().and_then(|s| s.places.first()) {
            Some(place) => {
                self.skipped.lock().unwrap_or_else(PoisonError::into_inner).insert(place.clone());
                Answer::Continue
            }
            None => Problem::message("nothing has stopped"),
        }
    }

    /// Stops where NaNs come into being, or no longer.
    pub(crate) fn nanbreak(&mut self) -> Answer {
        let stops = !self.nans.fetch_xor(true, Ordering::Relaxed);
        Answer::Text(match stops {
            true => "Programs stop where an operation makes a NaN.".into(),
            false => "Programs no longer stop where an operation makes a NaN.".into(),
        })
    }
}
