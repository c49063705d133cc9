//! What kernels read and how, and which copies and blocks of memory are left: for people who make a program
//! faster. `fehu dev --explain-locality` and `--explain-memory` print it.
//!
//! What is said of one place of the user's program is one paragraph; what is said several times has a count.
//!
//! ```text
//! prog.fut:2:3-30
//!   the update copies 4*n bytes: it is also used or returned otherwise (2 times)
//!   a block of 4*n bytes; in each iteration of a loop
//! ```

use crate::compile::Settings;
use crate::explore::no_step;
use crate::front::Front;
use crate::generate::watch;
use crate::pipelines;
use crate::target::Target;
use fehu_ad::explain::Way;
use fehu_base::{Diagnostic, Span};
use fehu_ir::mem::MemOp;
use fehu_ir::schedule::Plan;
use fehu_ir::visit::for_each_stm;
use fehu_ir::{Exp, Kernels, Loc, Memory, Prog, Soacs, Space, Stm};
use fehu_kernels::opt::layout;
use fehu_kernels::opt::layout::explain::{Remedy, Row};
use fehu_kernels::schedule;
use fehu_memory::remaining::Kind as Left;
use fehu_memory::shortcircuit::Reason;
use fehu_opt::accumulators::{self, Became};
use fehu_pass::Flow;
use fehu_syntax::TokenKind;
use indexmap::IndexMap;
use rustc_hash::FxHashSet;
use std::collections::BTreeMap;
use std::fmt::Write;

/// Lines about places, in the order in which the places came first; with how often each was said.
#[derive(Default)]
struct Report(IndexMap<String, IndexMap<String, usize>>);

impl Report {
    fn say(&mut self, heading: String, line: String) {
        *self.0.entry(heading).or_default().entry(line).or_default() += 1;
    }

    fn text(&self) -> String {
        let mut text = String::new();
        for (heading, lines) in &self.0 {
            let _ = writeln!(text, "{heading}");
            for (line, count) in lines {
                let times = if *count > 1 { format!(" ({count} times)") } else { String::new() };
                let _ = writeln!(text, "  {line}{times}");
            }
        }
        text
    }
}

/// What the kernels of a program read, and whether in the order of memory.
pub fn explain_locality(front: &Front, settings: &Settings) -> Result<String, Vec<Diagnostic>> {
    let (rows, plans) = locality(front, settings)?;
    let names = OwnNames::of(front);
    let mut report = Report::default();
    for row in rows {
        let place = front.sources.show(own_place(front, &row.loc));
        let index = format!("[{}]", row.index.join(", "));
        let remedy = match &row.remedy {
            Remedy::Unneeded => String::new(),
            Remedy::Said(how) => format!(": {how}"),
            Remedy::Tiles if plans.tiles.contains(&row.loc) => ": tiles in shared memory".to_owned(),
            Remedy::Turned if plans.turned.contains(&row.loc) => ": transposed in shared memory".to_owned(),
            Remedy::Tiles | Remedy::Turned => ": none".to_owned(),
        };
        let order = row.order.to_string();
        let line = format!("{order:16} {index:14} of {}{remedy}", names.array(&row));
        report.say(format!("{place}  {}", row.kernel), line);
    }
    Ok(report.text())
}

/// The kernels of which `layout` expects that they read through shared memory: their places, what it expects, and
/// whether their schedules do so.
pub fn expected_shared_reads(
    front: &Front,
    settings: &Settings,
) -> Result<BTreeMap<String, bool>, Vec<Diagnostic>> {
    let (rows, plans) = locality(front, settings)?;
    let mut expected = BTreeMap::new();
    for row in rows {
        let (what, holds) = match row.remedy {
            Remedy::Tiles => ("tiles", plans.tiles.contains(&row.loc)),
            Remedy::Turned => ("turned", plans.turned.contains(&row.loc)),
            Remedy::Unneeded | Remedy::Said(_) => continue,
        };
        expected.insert(format!("{}  {what}", front.sources.show(own_place(front, &row.loc))), holds);
    }
    Ok(expected)
}

/// What kernels read, as `layout` sees it, and what schedules then make of it.
fn locality(front: &Front, settings: &Settings) -> Result<(Vec<Row>, SharedReads), Vec<Diagnostic>> {
    let (mut rows, mut before) = (None, None::<Prog<Kernels>>);
    let mut plans = SharedReads::default();
    let warps = match settings.target {
        Target::Cuda => layout::Warps::Exchange,
        Target::OpenCl | Target::C | Target::Multicore => layout::Warps::Unknown,
    };
    watch(front, settings, &mut |id, form| {
        if id.matches(layout::PASS.name) {
            rows = before.take().map(|prog| layout::explain::explain(&prog, warps));
        }
        before = form.as_any().downcast_ref::<Prog<Kernels>>().cloned();
        if id.matches(schedule::WITH_WARPS.name) {
            plans = form.as_any().downcast_ref().map(SharedReads::of).unwrap_or_default();
        }
        Flow::Continue
    })?;
    Ok((rows.ok_or_else(|| vec![no_step(settings, "layout")])?, plans))
}

/// The places of kernels of which some schedule reads through shared memory.
#[derive(Default)]
struct SharedReads {
    tiles: FxHashSet<Loc>,
    turned: FxHashSet<Loc>,
}

impl SharedReads {
    fn of(prog: &Prog<Memory>) -> SharedReads {
        let mut found = SharedReads::default();
        let mut look = |stm: &Stm<Memory>| {
            let Exp::Op(MemOp::Seg(seg)) = &stm.exp else { return };
            for choice in seg.schedule.iter().flat_map(|s| &s.choices) {
                if matches!(choice.plan, Plan::Tiled(_) | Plan::RowCache(_)) {
                    found.tiles.insert(stm.loc.clone());
                } else if matches!(choice.plan, Plan::Turned(_)) {
                    found.turned.insert(stm.loc.clone());
                }
            }
        };
        for_each_stm(&prog.consts, &mut look);
        prog.funs.iter().for_each(|f| for_each_stm(&f.body, &mut look));
        found
    }
}

/// The copies and blocks that are left in a program, with their places and why they are.
pub fn explain_memory(front: &Front, settings: &Settings) -> Result<String, Vec<Diagnostic>> {
    let mut reasons = rustc_hash::FxHashMap::default();
    let mut before: Option<Prog<Memory>> = None;
    watch(front, settings, &mut |id, form| {
        if id.matches(fehu_memory::shortcircuit::PASS.name) {
            reasons = before.take().map(|prog| fehu_memory::shortcircuit::reasons(&prog)).unwrap_or_default();
        }
        if let Some(prog) = form.as_any().downcast_ref::<Prog<Memory>>() {
            before = Some(prog.clone());
        }
        Flow::Continue
    })?;
    let Some(prog) = before else { return Err(vec![no_step(settings, "memory")]) };
    let names = OwnNames::of(front);
    let mut report = Report::default();
    for left in fehu_memory::remaining::remaining(&prog) {
        let (block, copy) = match names.knows(&left.bytes) {
            true => (format!("a block of {} bytes", left.bytes), format!("copies {} bytes", left.bytes)),
            false => {
                ("a block of a size that the program knows when it runs".into(), "copies an array".into())
            }
        };
        let mut line = match &left.kind {
            Left::Copy(what, value) => {
                let why = reasons.get(value).map_or_else(
                    || String::from("the program asks for it, or another layout is needed"),
                    |reason| why(front, &names, &prog, reason),
                );
                format!("the {what} {copy}: {why}")
            }
            Left::Block(Space::Default) => block,
            Left::Block(Space::Shared) => format!("{block} in shared memory"),
            Left::Block(Space::Scalar(..)) => format!("{block} for each thread"),
        };
        if left.in_kernel {
            line.push_str("; in parallel code");
        }
        if left.in_loop {
            line.push_str("; in each iteration of a loop");
        }
        report.say(front.sources.show(own_place(front, &left.loc)), line);
    }
    Ok(report.text())
}

/// What reverse mode saves of loops, and what became of updates of accumulators.
pub fn explain_ad(front: &Front, settings: &Settings) -> Result<String, Vec<Diagnostic>> {
    let (options, bins) = pipelines::of_derivatives(settings);
    let (mut saved, mut updates) = (vec![], vec![]);
    let mut before: Option<Prog<Soacs>> = None;
    watch(front, settings, &mut |id, form| {
        let Some(prog) = form.as_any().downcast_ref::<Prog<Soacs>>() else { return Flow::Stop };
        if id.matches("derive") {
            saved = before.take().map(|prog| fehu_ad::explain::saved(&prog, options)).unwrap_or_default();
            updates = accumulators::explained(prog, bins);
            return Flow::Stop;
        }
        before = Some(prog.clone());
        Flow::Continue
    })?;
    let names = OwnNames::of(front);
    let mut lines: Vec<(Span, String)> = vec![];
    for s in saved {
        let bytes = match names.knows(&s.bytes) {
            true => format!("{} bytes for each iteration", s.bytes),
            false => "as many bytes for each iteration as the program knows when it runs".into(),
        };
        let what = match s.way {
            Way::Values => format!("a value of a loop is saved: {bytes}"),
            Way::ValuesOfChangingSize => {
                format!("a value of a loop is saved, which changes its size: {bytes}")
            }
            Way::Overwritten => format!("what a loop overwrites of an array is saved: {bytes}"),
            Way::AtTheEnd => {
                "nothing of an array is saved: no element is overwritten after it was read".into()
            }
            Way::Again => "the steps of a loop run again on the way back".into(),
            Way::Levels(k) => {
                format!("a loop is {k} loops in each other, so that it saves less and runs again more often")
            }
            Way::LevelsFor(bytes) => {
                format!("a loop is as many loops in each other, when it runs, as its tape needs for {bytes} bytes")
            }
        };
        lines.push((own_place(front, &s.loc), what));
    }
    for (loc, became) in updates {
        let what = match became {
            Became::Elements => "an accumulation is computed element by element, with reductions",
            Became::Bins => "an accumulation is a histogram",
            Became::Update => "an accumulation is updates in memory, which are atomic on GPUs",
        };
        lines.push((own_place(front, &loc), what.into()));
    }
    lines.sort_by_key(|(span, what)| (span.file, span.lo, what.clone()));
    let mut report = Report::default();
    for (span, what) in lines {
        report.say(front.sources.show(span), what);
    }
    Ok(report.text())
}

/// The names that stand in the program's own files; others are those of the prelude or of the compiler.
struct OwnNames(FxHashSet<String>);

impl OwnNames {
    fn of(front: &Front) -> OwnNames {
        let own = front.sources.files().filter(|(id, _)| !front.prelude.contains(id));
        let tokens = own.flat_map(|(id, file)| fehu_syntax::tokens(id, &file.text));
        let code = tokens.filter(|t| !matches!(t.kind, TokenKind::Comment | TokenKind::DocComment));
        OwnNames(code.flat_map(|t| words(front.sources.snippet(t.span))).map(str::to_owned).collect())
    }

    /// An array as the user knows it: its name, and those of its sizes.
    fn array(&self, row: &Row) -> String {
        let own = |text: &str| if self.knows(text) { text.to_owned() } else { String::new() };
        let dims: String = row.dims.iter().map(|n| format!("[{}]", own(n))).collect();
        match own(&row.array) {
            name if name.is_empty() => format!("an array {dims}{}", row.elem),
            name => format!("{name} {dims}{}", row.elem),
        }
    }

    /// Whether all names of a size are the user's.
    fn knows(&self, size: &str) -> bool {
        words(size).all(|word| self.0.contains(word))
    }
}

/// The words of a text that begin with a letter.
fn words(text: &str) -> impl Iterator<Item = &str> {
    let words = text.split(|c: char| !c.is_alphanumeric() && c != '_' && c != '\'');
    words.filter(|word| word.starts_with(|c: char| c.is_alphabetic() || c == '_'))
}

/// Why a value is copied.
fn why(front: &Front, own: &OwnNames, prog: &Prog<Memory>, reason: &Reason) -> String {
    let fixed = match reason {
        Reason::NotItsOwn => "its memory is an argument's or a loop's, or is returned or passed on",
        Reason::UsedTwice => "it is also used or returned otherwise",
        Reason::ChangedLater => "it is used later, when its place may have changed",
        Reason::Layout => "it is a part of what is computed, or has parts that cannot be laid out that way",
        Reason::PlaceIsKnownTooLate => "where it goes is known only when it has been computed",
        Reason::ReadByThreads => "threads read it while they compute it, and their own memory is faster",
        Reason::TooFarAway => "there is too much code between its computation and its use",
        Reason::MayOverlap(loc, unknown) => {
            let place = front.sources.show(own_place(front, loc));
            let names = unknown.iter().map(|n| prog.names.base(*n).to_string());
            let names: Vec<String> = names.filter(|n| own.knows(n)).collect();
            let since = match names.is_empty() {
                true => String::new(),
                false => format!(", for all that is known of {}", names.join(", ")),
            };
            return format!("may overlap what {place} uses{since}");
        }
    };
    fixed.into()
}

/// The innermost place of the program's own files: in the definition that was inlined, not where it was
/// called.
fn own_place(front: &Front, mut loc: &Loc) -> Span {
    while let Some(caller) = loc.caller.as_ref().filter(|_| front.prelude.contains(&loc.span.file)) {
        loc = caller;
    }
    loc.span
}
