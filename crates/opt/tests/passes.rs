//! Passes on programs given as text.
//!
//! - `tests/rules/*.ir`: a program, the pass it is for, and what the pass makes of it. With `BLESS=1` in the
//!   environment the results are written anew.
//! - `tests/fusion/*.ir`: a program (its source in comments), and how many combinators are left in the end.
//!
//! All of them give the same answers after each pass, on a few arguments made up for them. `FEHU_OPT_PROGRAMS=dir`
//! looks at all programs (`*.ir`, as lowering leaves them) of a folder instead.

mod support;

use fehu_ir::print::{print_prog, Locations};
use fehu_ir::soac::Soac;
use fehu_ir::subst::renumber;
use fehu_ir::validate::validate;
use fehu_ir::visit::for_each_stm;
use fehu_ir::{Exp, Prog, Soacs};
use fehu_opt::{Observer, PassId, Silent};
use std::path::Path;
use std::time::Duration;
use support::{assert_same, files, program, results};

const BECOMES: &str = "-- becomes\n";

#[test]
fn rules() {
    let bless = std::env::var_os("BLESS").is_some();
    for file in files("rules") {
        let text = std::fs::read_to_string(&file).unwrap_or_default();
        let (input, expected) = text.split_once(BECOMES).unwrap_or((&text, ""));
        let mut prog = program(&file, input);
        let before = results(&prog);
        for pass in header(input, "-- pass ").unwrap_or("simplify").split_whitespace() {
            apply(&file, pass, &mut prog);
            assert_eq!(validate(&prog), Ok(()), "{}", file.display());
        }
        assert_same(&file.display().to_string(), &before, &prog);
        let mut shown = renumber(&prog);
        shown.opaques.types.clear();
        for fun in &mut shown.funs {
            fun.entry = None;
        }
        let output = print_prog(&shown, Locations::Hidden);
        if bless {
            let blessed = format!("{}\n\n{BECOMES}{output}", input.trim_end());
            std::fs::write(&file, blessed).unwrap_or_else(|e| panic!("{}: {e}", file.display()));
        } else {
            assert_eq!(output.trim(), expected.trim(), "{}", file.display());
        }
    }
}

fn apply(file: &Path, pass: &str, prog: &mut Prog<Soacs>) {
    let all = fehu_opt::standard_pipeline();
    match all.steps.iter().find(|s| s.pass.name == pass) {
        Some(step) => (step.pass.run)(prog),
        None => panic!("{}: there is no pass {pass}", file.display()),
    }
}

/// The rest of a line that starts so.
fn header<'a>(text: &'a str, start: &str) -> Option<&'a str> {
    text.lines().find_map(|l| l.strip_prefix(start))
}

#[test]
fn fusion() {
    let mut wrong = vec![];
    for file in files("fusion") {
        let text = std::fs::read_to_string(&file).unwrap_or_default();
        let prog = fehu_opt::run(program(&file, &text), &fehu_opt::standard_pipeline(), &mut Silent);
        let mut expected = [0, 0, 0];
        for part in header(&text, "-- expect ").unwrap_or("").split_whitespace() {
            match part.split_once('=') {
                Some(("screma", n)) => expected[0] = n.parse().unwrap_or(99),
                Some(("hist", n)) => expected[1] = n.parse().unwrap_or(99),
                Some(("scatter", n)) => expected[2] = n.parse().unwrap_or(99),
                _ => panic!("{}: {part}", file.display()),
            }
        }
        let found = combinators(&prog);
        if found != expected {
            let shown = print_prog(&prog, Locations::Hidden);
            let what = "scremas, histograms, scatters";
            wrong.push(format!("{}: {what} {found:?}, not {expected:?}\n{shown}", file.display()));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

fn combinators(prog: &Prog<Soacs>) -> [usize; 3] {
    let mut n = [0, 0, 0];
    for fun in &prog.funs {
        for_each_stm(&fun.body, &mut |s| match &s.exp {
            Exp::Op(Soac::Screma(_)) => n[0] += 1,
            Exp::Op(Soac::Hist(_)) => n[1] += 1,
            Exp::Op(Soac::Scatter(_)) => n[2] += 1,
            _ => {}
        });
    }
    n
}

#[test]
fn answers_stay_the_same() {
    let others = std::env::var("FEHU_OPT_PROGRAMS").ok();
    let all = match &others {
        Some(folder) => files(folder),
        None => files("fusion").into_iter().chain(files("rules")).collect(),
    };
    let mut wrong = vec![];
    for file in all {
        let same = std::panic::catch_unwind(|| {
            let text = std::fs::read_to_string(&file).unwrap_or_default();
            let input = text.split_once(BECOMES).map_or(text.as_str(), |(input, _)| input);
            let prog = program(&file, input);
            let mut watcher = Watcher { file: &file, before: results(&prog) };
            fehu_opt::run(prog, &fehu_opt::standard_pipeline(), &mut watcher);
        });
        if same.is_err() {
            wrong.push(file);
        }
    }
    assert!(wrong.is_empty(), "{} programs changed: {wrong:#?}", wrong.len());
}

struct Watcher<'a> {
    file: &'a Path,
    before: Vec<Result<Vec<fehu_ir::interp::Value>, fehu_ir::interp::Failure>>,
}

impl Observer<Soacs> for Watcher<'_> {
    fn after(&mut self, pass: &PassId, prog: &Prog<Soacs>, _: Duration) {
        assert_eq!(validate(prog), Ok(()), "{} after {pass}", self.file.display());
        assert_same(&format!("{} after {pass}", self.file.display()), &self.before, prog);
    }
}
