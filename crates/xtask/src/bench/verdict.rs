//! Answers are judged while the next case is measured, as soon as the right one is known; or, where the hand-written
//! program is too slow for the data, against each other.

use super::ahead::Ahead;
use super::contest::{Contestant, Workshop};
use super::measure::{Outcome, Row};
use super::suite::Case;
use std::path::PathBuf;
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

/// The answers that contestants gave in one row.
pub(crate) struct Answered {
    /// The row's place among all rows.
    pub(crate) row: usize,
    /// The case's place among all cases.
    pub(crate) case: usize,
    /// The file with each contestant's answer, if there is one.
    pub(crate) files: Vec<Option<PathBuf>>,
}

/// What rows say until their answers are judged.
pub(crate) const NOT_YET: &str = "not compared yet";

/// Judge what arrives until nothing more can.
pub(crate) fn judge(
    shop: &Workshop,
    ahead: &Ahead<'_>,
    cases: &[&Case],
    contestants: &[Contestant],
    rows: &Mutex<Vec<Row>>,
    arrivals: &Receiver<Answered>,
) {
    let mut waiting: Vec<Answered> = Vec::new();
    let mut open = true;
    while open || !waiting.is_empty() {
        let known = waiting.iter().enumerate().find_map(|(i, a)| Some((i, ahead.right(a.case)?)));
        if let Some((i, right)) = known {
            let answered = waiting.remove(i);
            let verdict = compare(shop, cases[answered.case], contestants, &answered.files, &right);
            for file in answered.files.iter().flatten() {
                let _ = std::fs::remove_file(file);
            }
            let mut rows = rows.lock().unwrap_or_else(PoisonError::into_inner);
            let row = &mut rows[answered.row];
            row.unchecked = verdict.unchecked;
            for (who, why) in verdict.wrong {
                if let Outcome::Times(times) = &mut row.outcomes[who] {
                    row.outcomes[who] = Outcome::Wrong(std::mem::take(times), why);
                }
            }
            continue;
        }
        match arrivals.recv_timeout(Duration::from_millis(if open { 50 } else { 200 })) {
            Ok(answered) => waiting.push(answered),
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => {
                if open {
                    open = false;
                } else {
                    std::thread::sleep(Duration::from_millis(50));
                }
            }
        }
    }
}

struct Verdict {
    wrong: Vec<(usize, String)>,
    unchecked: Option<String>,
}

fn compare(
    shop: &Workshop,
    case: &Case,
    contestants: &[Contestant],
    files: &[Option<PathBuf>],
    right: &Result<PathBuf, String>,
) -> Verdict {
    let answers: Vec<(usize, &PathBuf)> =
        files.iter().enumerate().filter_map(|(who, file)| Some((who, file.as_ref()?))).collect();
    let wrong = |against: &PathBuf, answers: &[(usize, &PathBuf)]| {
        let verdict =
            |&(who, file): &(usize, &PathBuf)| Some((who, shop.compare(case, against, file).err()?));
        answers.iter().filter_map(verdict).collect()
    };
    match (right, answers.split_first()) {
        (Ok(right), _) => Verdict { wrong: wrong(right, &answers), unchecked: None },
        (Err(why), Some(((first, stand_in), others))) if !others.is_empty() => {
            let label = contestants[*first].label();
            let unchecked = Some(format!("{why}; compared with {label} instead"));
            Verdict { wrong: wrong(stand_in, others), unchecked }
        }
        (Err(why), _) => Verdict { wrong: vec![], unchecked: Some(why.clone()) },
    }
}
