//! `fehu repl`.

use crate::commands::eval::{show_not_loaded, show_problem};
use fehu_repl::{Answer, Session, Stop};
use fehu_tools::{errln, out, outln};
use rustyline::completion::Completer;
use rustyline::error::ReadlineError;
use rustyline::highlight::Highlighter;
use rustyline::hint::Hinter;
use rustyline::history::FileHistory;
use rustyline::validate::Validator;
use rustyline::{Context, Editor, Helper};
use signal_hook::consts::SIGINT;
use std::cell::RefCell;
use std::io::IsTerminal;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::rc::Rc;
use std::sync::atomic::AtomicBool;
use std::sync::Arc;

/// Options of `fehu repl`.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// A file to load.
    file: Option<PathBuf>,
}

pub(crate) fn run(args: &Args) -> ExitCode {
    let is_terminal = std::io::stdin().is_terminal();
    let mut session = Session::new(|line| outln!("{line}")).stopping(move |stop| inspect(stop, is_terminal));
    if is_terminal {
        match interrupts() {
            Ok(interrupt) => session = session.interrupted_by(interrupt),
            Err(e) => errln!("fehu: Ctrl-C will end the session: {e}"),
        }
    }
    if let Some(file) = &args.file {
        if let Answer::Problem(problem) = session.load(file) {
            show_not_loaded(&problem);
            return ExitCode::from(1);
        }
    }
    if is_terminal {
        return interactive(session);
    }
    match piped(&mut session) {
        Ok(()) => ExitCode::SUCCESS,
        Err(e) => {
            errln!("fehu: cannot read standard input: {e}");
            ExitCode::from(1)
        }
    }
}

/// A flag that Ctrl-C sets while a line is evaluated. If that does not end it, the next Ctrl-C ends the process.
fn interrupts() -> std::io::Result<Arc<AtomicBool>> {
    let interrupt: Arc<AtomicBool> = Arc::default();
    signal_hook::flag::register_conditional_default(SIGINT, interrupt.clone())?;
    signal_hook::flag::register(SIGINT, interrupt.clone())?;
    Ok(interrupt)
}

/// Answers lines that no person types. Where the program stops, the next lines are about that.
fn piped(session: &mut Session) -> std::io::Result<()> {
    loop {
        out!("[{}]> ", session.line());
        let mut line = String::new();
        if std::io::stdin().read_line(&mut line)? == 0 {
            outln!("");
            return Ok(());
        }
        if answer(session, &line) != Next::Go {
            return Ok(());
        }
    }
}

/// Lets people look at the variables where a program stopped, until they want to go on.
fn inspect(stop: Stop, is_terminal: bool) {
    let Stop { nan, places, mut session } = stop;
    let places = places.join("\n  called from ");
    match nan {
        Some(operands) => outln!("A NaN comes of {operands} at {places}."),
        None => outln!("Stopped at {places}."),
    }
    outln!("An empty line goes on.");
    if !is_terminal {
        if let Err(e) = piped(&mut session) {
            errln!("fehu: cannot read standard input: {e}");
        }
        return;
    }
    let Ok(mut editor) = rustyline::DefaultEditor::new() else { return };
    while let Ok(line) = editor.readline(&format!("[{}]> ", session.line())) {
        if answer(&mut session, &line) != Next::Go {
            return;
        }
    }
}

/// Whether to read another line.
#[derive(PartialEq, Eq)]
enum Next {
    Go,
    Leave,
}

fn answer(session: &mut Session, line: &str) -> Next {
    match session.enter(line) {
        Answer::Done => {}
        Answer::Text(text) => outln!("{text}"),
        Answer::Problem(problem) => show_problem(&problem),
        Answer::Quit | Answer::Continue => return Next::Leave,
    }
    Next::Go
}

/// With editing, history and completion.
fn interactive(session: Session) -> ExitCode {
    let session = Rc::new(RefCell::new(session));
    let mut editor: Editor<Names, FileHistory> = match Editor::new() {
        Ok(editor) => editor,
        Err(e) => {
            errln!("fehu: cannot use this terminal: {e}");
            return ExitCode::from(1);
        }
    };
    editor.set_helper(Some(Names(session.clone())));
    let history = history();
    if let Some(file) = &history {
        // There is none at first.
        let _ = editor.load_history(file);
    }
    outln!(
        "Futhark, by fehu {}. :help lists commands, :doc map says what map does, exit leaves.",
        env!("CARGO_PKG_VERSION")
    );
    loop {
        let prompt = format!("[{}]> ", session.borrow().line());
        match editor.readline(&prompt) {
            Ok(line) => {
                // A line that cannot be remembered is no reason not to answer it.
                let _ = editor.add_history_entry(&line);
                if answer(&mut session.borrow_mut(), &line) == Next::Leave {
                    break;
                }
            }
            Err(ReadlineError::Interrupted) => {}
            Err(ReadlineError::Eof) => break,
            Err(e) => {
                errln!("fehu: {e}");
                break;
            }
        }
    }
    if let Some(file) = &history {
        if let Some(folder) = file.parent() {
            // As above: history is a convenience.
            let _ = std::fs::create_dir_all(folder);
        }
        let _ = editor.save_history(file);
    }
    ExitCode::SUCCESS
}

/// Where lines are remembered.
fn history() -> Option<PathBuf> {
    let absolute = |name: &str| std::env::var_os(name).map(PathBuf::from).filter(|p| p.is_absolute());
    let state = absolute("XDG_STATE_HOME").or_else(|| Some(absolute("HOME")?.join(".local/state")))?;
    Some(state.join(Path::new("fehu/history")))
}

/// Completes the names of the session.
struct Names(Rc<RefCell<Session>>);

impl Completer for Names {
    type Candidate = String;

    fn complete(&self, line: &str, pos: usize, _: &Context<'_>) -> rustyline::Result<(usize, Vec<String>)> {
        Ok(self.0.borrow().completions(line.get(..pos).unwrap_or(line)))
    }
}

impl Hinter for Names {
    type Hint = String;
}

impl Highlighter for Names {}
impl Validator for Names {}
impl Helper for Names {}
