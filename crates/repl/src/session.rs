//! The session: its program, and what lines do to it.

use crate::command;
use crate::declared::Declared;
use crate::pieces::{Piece, Pieces, Places};
use crate::stops::{Skipped, Stopped, Stops};
use fehu_base::{Diagnostic, FileId, Severity, SourceMap, Symbol};
use fehu_check::scope::{Env, TermEntry};
use fehu_check::show::{Abbreviations, Show, Texts};
use fehu_check::tast::Program;
use fehu_check::types::{TParam, Type};
use fehu_driver::compile::Settings;
use fehu_driver::files::read_source;
use fehu_driver::front::{check_over, check_prelude, Front};
use fehu_driver::interpret::{interpreted, Failure, Shaped};
use fehu_driver::load::{normalise, Overlay};
use fehu_driver::target::Target;
use fehu_ir::Loc;
use std::cell::OnceCell;
use std::collections::BTreeMap;
use std::panic::{catch_unwind, AssertUnwindSafe};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::Arc;

/// The name of an expression's value; no program has it.
const VALUE: &str = "fehu_repl_value";

/// The file that only the session has.
const NO_FILE: &str = "<session>";

/// What a line gave.
#[derive(Debug)]
pub enum Answer {
    /// Nothing to say.
    Done,
    /// Something to read.
    Text(String),
    /// A mistake.
    Problem(Box<Problem>),
    /// The program that stopped goes on.
    Continue,
    /// The user wants to leave.
    Quit,
}

/// A program that stopped at `#[break]`, or where a NaN came into being.
pub struct Stop {
    /// The operands that a NaN was made of, if that is why.
    pub nan: Option<String>,
    /// Where, and the calls that led there.
    pub places: Vec<String>,
    /// A session in which the variables at this place are declared. An [`Answer::Continue`] ends it.
    pub session: Session,
}

/// Who is called when a program stops.
pub(crate) type StopSink = Arc<dyn Fn(Stop) + Send + Sync>;

/// What is wrong.
#[derive(Debug)]
pub enum Problem {
    /// Errors of the program, with the texts that they are about.
    Program(Vec<Diagnostic>, SourceMap),
    /// Something else.
    Message(String),
}

impl Problem {
    pub(crate) fn answer(self) -> Answer {
        Answer::Problem(Box::new(self))
    }

    pub(crate) fn message(text: impl Into<String>) -> Answer {
        Problem::Message(text.into()).answer()
    }
}

/// Where traced values go.
pub(crate) type TraceSink = Arc<dyn Fn(&str) + Send + Sync>;

/// A session.
pub struct Session {
    /// The file that was loaded last.
    pub(crate) loaded: Option<(PathBuf, String)>,
    /// The declarations that were entered since. Programs that stop share them with the session at the stop.
    pub(crate) declared: Arc<Declared>,
    /// How many lines have been entered.
    pub(crate) lines: usize,
    /// All that the prelude declares, once somebody has asked.
    pub(crate) prelude: OnceCell<Option<Arc<Env>>>,
    pub(crate) trace: TraceSink,
    /// Texts that stand for files.
    pub(crate) files: Overlay,
    /// Whether evaluation ends after as many steps as interpreters usually do.
    pub(crate) limited: bool,
    pub(crate) interrupt: Arc<AtomicBool>,
    pub(crate) stop: Option<StopSink>,
    pub(crate) skipped: Skipped,
    /// Whether programs stop where NaNs come into being.
    pub(crate) nans: Arc<AtomicBool>,
    /// Where the program stopped of whose variables this session knows.
    pub(crate) stopped: Option<Stopped>,
    /// The values of variables there that no definition can give.
    pub(crate) values: BTreeMap<String, String>,
}

/// A program that has been checked, and the way back to lines.
pub(crate) struct Checked {
    pub(crate) front: Front,
    places: Places,
}

impl Checked {
    pub(crate) fn program(&self) -> Option<&Program> {
        self.front.program.as_ref()
    }

    /// The type of a value of the main file.
    fn scheme_text(&self, name: &str, abbreviations: Abbreviations) -> Option<String> {
        let program = self.program()?;
        let TermEntry::Val(value) = program.env.terms.get(&Symbol::new(name))? else { return None };
        let texts = Texts::default();
        Some(Show { abbreviations, ..Show::plain(&program.names, &texts) }.scheme(&value.scheme))
    }

    /// What is wrong with the type of the value, if something is: nothing says what it is.
    fn ambiguity(&self) -> Option<String> {
        let TermEntry::Val(value) = self.program()?.env.terms.get(&Symbol::new(VALUE))? else { return None };
        let unknown = value.scheme.tparams.iter().any(|p| matches!(p, TParam::Type(..)));
        unknown.then(|| {
            let scheme = self.scheme_text(VALUE, Abbreviations::Given).unwrap_or_default();
            format!("the type of this expression is ambiguous: {scheme}; write it, as in `[] : []i32`")
        })
    }

    fn has_function(&self) -> bool {
        let entry = self.program().and_then(|p| p.env.terms.get(&Symbol::new(VALUE)));
        matches!(entry, Some(TermEntry::Val(value)) if has_function(&value.scheme.ty))
    }
}

/// The end of a program: the input that it is checked for.
#[derive(Clone, Copy)]
pub(crate) enum Last<'a> {
    /// There is none.
    Nothing,
    /// Declarations.
    Declarations(&'a Piece),
    /// A piece, and the words before it.
    After(&'a str, &'a Piece),
}

impl<'a> Last<'a> {
    fn piece(self) -> Option<&'a Piece> {
        match self {
            Last::Nothing => None,
            Last::Declarations(piece) | Last::After(_, piece) => Some(piece),
        }
    }
}

/// What a line is.
enum Line {
    Declarations,
    Expression,
    Wrong(Vec<Diagnostic>),
}

impl Session {
    /// A session in which nothing is declared. Traced values are given to `trace`, as lines.
    pub fn new(trace: impl Fn(&str) + Send + Sync + 'static) -> Session {
        Session {
            loaded: None,
            declared: Arc::default(),
            lines: 0,
            prelude: OnceCell::new(),
            trace: Arc::new(trace),
            files: Overlay::default(),
            limited: false,
            interrupt: Arc::default(),
            stop: None,
            skipped: Skipped::default(),
            nans: Arc::default(),
            stopped: None,
            values: BTreeMap::new(),
        }
    }

    /// The same session, in which programs stop at `#[break]`: `stop` is called, and they go on when it returns.
    pub fn stopping(self, stop: impl Fn(Stop) + Send + Sync + 'static) -> Session {
        Session { stop: Some(Arc::new(stop)), ..self }
    }

    /// With texts that stand for files, such as those that an editor has not saved.
    pub fn with_files(mut self, files: Overlay) -> Session {
        self.files = files;
        self
    }

    /// With an end to programs that run too long.
    pub fn limited(mut self) -> Session {
        self.limited = true;
        self
    }

    /// With a flag by which others end the evaluation of a line.
    pub fn interrupted_by(mut self, interrupt: Arc<AtomicBool>) -> Session {
        self.interrupt = interrupt;
        self
    }

    /// The number of the next line.
    pub fn line(&self) -> usize {
        self.lines
    }

    /// Replaces everything that is declared by a file.
    pub fn load(&mut self, path: &Path) -> Answer {
        let text = match self.files.get(&normalise(path)).cloned().map_or_else(|| read_source(path), Ok) {
            Ok(text) => text,
            Err(e) => return Problem::message(format!("could not read {}: {e}", path.display())),
        };
        let front = self.check_text(path, text.clone());
        let problem = errors(&front.diagnostics);
        if !problem.is_empty() {
            return Problem::Program(problem, front.sources).answer();
        }
        self.loaded = Some((path.to_owned(), text));
        self.declared = Arc::default();
        Answer::Done
    }

    /// Answers a line: a command, declarations, or an expression. A bug of ours ends the line, and no more.
    pub fn enter(&mut self, line: &str) -> Answer {
        self.interrupt.store(false, Ordering::Relaxed);
        let declared = self.declared.len();
        let answer = catch_unwind(AssertUnwindSafe(|| self.answer(line)));
        answer.unwrap_or_else(|_| {
            Arc::make_mut(&mut self.declared).truncate(declared);
            Problem::message(
                "this is a bug in fehu; please report it together with the lines of this session",
            )
        })
    }

    fn answer(&mut self, line: &str) -> Answer {
        let line = line.trim();
        if line.is_empty() {
            return if self.stopped.is_some() { Answer::Continue } else { Answer::Done };
        }
        if let Some(command) = line.strip_prefix(':') {
            return self.command(command);
        }
        if let Some(value) = self.values.get(line) {
            return Answer::Text(value.clone());
        }
        if let Some(command) = command::plain(line).filter(|_| !self.is_value(line)) {
            return self.command(command);
        }
        let piece = self.piece(line);
        self.lines += 1;
        match classify(line) {
            Line::Wrong(errors) => wrong(&piece, errors),
            Line::Declarations => self.declare(piece),
            Line::Expression => self.evaluate(piece),
        }
    }

    /// Whether a line is an expression of the program as it is.
    fn is_value(&self, line: &str) -> bool {
        let parsed = fehu_syntax::parse_exp(FileId(0), line).1.is_empty();
        parsed && self.checked_value(self.piece(line)).is_ok()
    }

    /// Answers an expression.
    pub fn expression(&mut self, text: &str) -> Answer {
        let piece = self.piece(text);
        self.lines += 1;
        let (_, errors) = fehu_syntax::parse_exp(FileId(0), text);
        match errors.is_empty() {
            true => self.evaluate(piece),
            false => wrong(&piece, errors),
        }
    }

    pub(crate) fn piece(&self, text: &str) -> Piece {
        Piece { name: format!("[{}]", self.lines), text: text.to_owned() }
    }

    /// All that the prelude declares; programs see only what they need of it.
    pub(crate) fn prelude(&self) -> Option<&Arc<Env>> {
        let whole = || check_prelude().program.map(|p| p.prelude_env);
        self.prelude.get_or_init(whole).as_ref()
    }

    pub(crate) fn declare(&mut self, mut piece: Piece) -> Answer {
        // A module has no entry points. The width stays, for messages.
        if let Some(rest) = piece.text.strip_prefix("entry") {
            piece.text = format!("def  {rest}");
        }
        let checked = self.check(Last::Declarations(&piece));
        match self.refused(checked) {
            Err(problem) => problem,
            Ok(_) => {
                Arc::make_mut(&mut self.declared).push(piece);
                Answer::Done
            }
        }
    }

    /// The value of an expression, as text.
    fn evaluate(&mut self, piece: Piece) -> Answer {
        let checked = match self.checked_value(piece) {
            Ok(checked) => checked,
            Err(problem) => return problem,
        };
        if checked.has_function() {
            return Answer::Text("#<fun>".into());
        }
        if let Some(ambiguity) = checked.ambiguity() {
            return Problem::message(ambiguity);
        }
        match self.run(&checked) {
            Ok(value) => Answer::Text(value.to_string()),
            Err(problem) => problem.answer(),
        }
    }

    /// The type of an expression, as text.
    pub(crate) fn type_of(&mut self, text: &str, abbreviations: Abbreviations) -> Answer {
        let piece = self.piece(text);
        let (_, errors) = fehu_syntax::parse_exp(FileId(0), text);
        if !errors.is_empty() {
            return wrong(&piece, errors);
        }
        match self.checked_value(piece) {
            Ok(checked) => Answer::Text(checked.scheme_text(VALUE, abbreviations).unwrap_or_default()),
            Err(problem) => problem,
        }
    }

    /// The program with the value of an expression.
    pub(crate) fn checked_value(&self, piece: Piece) -> Result<Checked, Answer> {
        let checked = self.check(Last::After(&format!("def {VALUE} =\n"), &piece));
        self.refused(checked)
    }

    /// Checks an input with what it needs of the program; with all of it if there is a mistake.
    pub(crate) fn check(&self, last: Last<'_>) -> Checked {
        let needed = last.piece().map_or_else(|| self.declared.all(), |p| self.declared.needed(&p.text));
        let checked = self.check_with(&needed, last);
        match checked.program().is_none() && needed.len() < self.declared.len() {
            true => self.check_with(&self.declared.all(), last),
            false => checked,
        }
    }

    /// Checks an input with some of what was declared.
    fn check_with(&self, declared: &[&Piece], last: Last<'_>) -> Checked {
        let mut pieces = Pieces::default();
        let path = self.loaded.as_ref().map_or(Path::new(NO_FILE), |(path, _)| path);
        if let Some((path, text)) = &self.loaded {
            let file = Piece { name: path.display().to_string(), text: text.clone() };
            pieces.push("", file, "\n");
        }
        for piece in declared {
            pieces.push_declarations((*piece).clone());
        }
        match last {
            Last::Nothing => {}
            Last::Declarations(piece) => pieces.push_declarations(piece.clone()),
            Last::After(before, piece) => pieces.push(before, piece.clone(), "\n"),
        }
        let mut front = self.check_text(path, pieces.text().to_owned());
        // Files are read in the order in which they are imported, the importing one first.
        let main = front.sources.files().map(|(id, _)| id).nth(front.prelude.len()).unwrap_or(FileId(0));
        let places = pieces.places(main, &mut front.sources);
        Checked { front, places }
    }

    fn check_text(&self, path: &Path, text: String) -> Front {
        let mut files = self.files.clone();
        files.insert(normalise(path), text);
        check_over(path, files)
    }

    /// The program, if it has no errors.
    pub(crate) fn refused(&self, checked: Checked) -> Result<Checked, Answer> {
        if checked.program().is_some() {
            return Ok(checked);
        }
        let Checked { front, places } = checked;
        let errors = errors(&front.diagnostics).into_iter().map(|d| places.diagnostic(d)).collect();
        Err(Problem::Program(errors, front.sources).answer())
    }

    /// Interprets the program for the value.
    pub(crate) fn run(&self, checked: &Checked) -> Result<Shaped, Problem> {
        let front = &checked.front;
        let settings = Settings {
            entry_points: vec![VALUE.to_owned()],
            stops: self.stop.is_some(),
            ..Settings::executable(Target::C, PathBuf::new())
        };
        let sources = front.sources.clone();
        let program = interpreted(front, &settings).map_err(|errors| {
            Problem::Program(
                errors.into_iter().map(|d| checked.places.diagnostic(d)).collect(),
                sources.clone(),
            )
        })?;
        let trace = self.trace.clone();
        let places = checked.places.clone();
        let place = move |loc: &Loc| sources.show(places.span(loc.span));
        let shown = place.clone();
        let program = if self.limited { program } else { program.at_most(u64::MAX) };
        let program =
            program.interrupted_by(self.interrupt.clone()).traced(move |loc, tag, text| match tag {
                Some(tag) => trace(&format!("{tag}: {text}")),
                None => trace(&format!("{}: {text}", shown(loc))),
            });
        let program = match &self.stop {
            Some(stop) => {
                let stops = Arc::new(Stops::new(self, stop, place.clone()));
                let breaks = stops.clone();
                let program = program.stopping(move |loc, variables| breaks.broke(loc, variables));
                match self.nans.load(Ordering::Relaxed) {
                    true => program.watching_nans(move |loc, operands| stops.nan(loc, operands)),
                    false => program,
                }
            }
            None => program,
        };
        program.evaluate(VALUE).map_err(|failure| {
            Problem::Message(match failure {
                Failure::Assert { message, loc } => {
                    let calls = std::iter::successors(Some(&loc), |l| l.caller.as_deref());
                    let calls: String = calls.map(|l| format!("\n  at {}", place(l))).collect();
                    format!("Error: {message}{calls}")
                }
                Failure::Stuck(message) | Failure::Overwritten(message) => {
                    format!("this cannot be interpreted: {message}")
                }
                Failure::TooLong => "this takes too many steps".to_owned(),
                Failure::Interrupted => "interrupted".to_owned(),
            })
        })
    }

    pub(crate) fn loaded(&self) -> Option<&Path> {
        self.loaded.as_ref().map(|(path, _)| path.as_path())
    }
}

fn errors(diagnostics: &[Diagnostic]) -> Vec<Diagnostic> {
    diagnostics.iter().filter(|d| d.severity == Severity::Error).cloned().collect()
}

/// Errors of a line that was parsed by itself.
pub(crate) fn wrong(piece: &Piece, errors: Vec<Diagnostic>) -> Answer {
    let mut sources = SourceMap::default();
    sources.add(piece.name.clone(), piece.text.clone());
    Problem::Program(errors, sources).answer()
}

/// What could be either is a declaration.
fn classify(line: &str) -> Line {
    let file = FileId(0);
    let parsed = fehu_syntax::parse(file, line);
    if parsed.errors.is_empty() && !parsed.prog.decs.is_empty() {
        return Line::Declarations;
    }
    let (_, errors) = fehu_syntax::parse_exp(file, line);
    if errors.is_empty() {
        return Line::Expression;
    }
    let first = line.split(|c: char| !c.is_alphanumeric()).next().unwrap_or("");
    let declares = ["def", "entry", "type", "module", "open", "import", "local"].contains(&first);
    Line::Wrong(if declares { parsed.errors } else { errors })
}

/// Whether there are functions in a value of this type.
fn has_function(t: &Type) -> bool {
    match t {
        Type::Arrow(_) => true,
        Type::Record(fields) => fields.iter().any(|(_, t)| has_function(t)),
        Type::Sum(constructors) => constructors.iter().flat_map(|(_, ts)| ts).any(has_function),
        Type::Array(_, _, t) => has_function(t),
        Type::Scalar(..) | Type::Var(..) | Type::Meta(_) | Type::Error => false,
    }
}
