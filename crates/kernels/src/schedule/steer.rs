//! The attribute `#[schedule(NAME)]`: a person knows better which plan is fast.
//!
//! `NAME` is a plan as schedules print it, or `column` or `flat` for the order of the points of a map without
//! tiles. Of the plan, conditions that must hold stay, and those that are about speed go; plans before it go
//! too. So what was asked for runs wherever it can.
//!
//! ```text
//! #[schedule(segments_per_block)] map (reduce (+) 0) xss
//!
//! when (pays segment <= 8, pays 32768 <= segments)          when (must segment * 2 <= block)
//!   thread_per_segment(..)                                    segments_per_block(..)
//! when (must segment * 2 <= block)                    ==>   otherwise
//!   segments_per_block(..)                                    blocks_per_segment(..)
//! otherwise
//!   blocks_per_segment(..)
//! ```
//!
//! A name that is not among the plans of an operation changes nothing: flattening makes several operations of
//! one, and the attribute is for those that have such a plan.

use fehu_ir::schedule::{Plan, Reason, Schedule};
use fehu_ir::Attr;

/// Changes a schedule as the attributes of its operation say.
pub(super) fn steer(schedule: &mut Schedule, attrs: &[Attr]) {
    for attr in attrs {
        match attr {
            Attr::Comp(name, args) if name.as_str() == "schedule" => {
                for arg in args {
                    match arg {
                        Attr::Atom(plan) => prefer(schedule, plan.as_str()),
                        Attr::Comp(..) | Attr::Int(_) => {}
                    }
                }
            }
            Attr::Comp(..) | Attr::Atom(_) | Attr::Int(_) => {}
        }
    }
}

fn prefer(schedule: &mut Schedule, name: &str) {
    let wanted = match name {
        "flat" | "column" => "points",
        plan => plan,
    };
    let Some(first) = schedule.choices.iter().position(|c| c.plan.word() == wanted) else { return };
    let mut choices = schedule.choices.split_off(first);
    if let Some(chosen) = choices.first_mut() {
        chosen.when.retain(|c| c.reason == Reason::Must);
        if let Plan::Points(points) = &mut chosen.plan {
            match name {
                "flat" => points.column = None,
                "column" => {
                    if let Some(column) = &mut points.column {
                        column.when.retain(|c| c.reason == Reason::Must);
                    }
                }
                _ => {}
            }
        }
        if chosen.when.is_empty() {
            choices.truncate(1);
        }
    }
    schedule.params.retain(|p| choices.iter().any(|c| c.mentions(p.name)));
    schedule.choices = choices;
}
