//! `fehu literate`: a program with its text as Markdown, in which directives are replaced with what they give.
//!
//! In: `foo.fut`. Out: `foo.md`, and files in `foo-img/`. [`document`] finds the directives, [`directive`]
//! reads them, [`execute`] evaluates them on a server, and [`folder`] keeps what they gave: a directive is
//! executed again only if the program, the directive, the compiler or a file that it loads has changed. If
//! none has, the program is not compiled at all.
//!
//! ```text
//! -- Twice two:
//! def double (x: i32) = 2 * x
//!
//! -- > double 2
//! ```

mod directive;
mod document;
mod execute;
mod folder;

use crate::programs::script::{Evaluator, Places, ScriptError, Store};
use crate::programs::{rendered, Compiler, ServerProcess, Trouble};
use crate::{errln, outln};
use directive::{Directive, Product};
use document::{blocks, code, fenced, Block, Comment};
use fehu_base::{Diagnostic, Span};
use fehu_data::script::{Exp, Function};
use fehu_driver::files::{read_data, write, TempFolder};
use fehu_driver::hash::program_hash;
use fehu_driver::load::{load, Loaded};
use folder::{key, Folder};
use std::path::{Path, PathBuf};

/// How a document is made.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// The name of the back end.
    pub backend: String,
    /// Another compiler to use instead of this one.
    pub compiler: Option<PathBuf>,
    /// Options for the compiler.
    pub compiler_options: Vec<String>,
    /// Options for the program.
    pub pass_options: Vec<String>,
    /// Where to write the document, if not beside the program.
    pub output: Option<PathBuf>,
    /// Take a server that was compiled before, named like the program without `.fut`.
    pub skip_compilation: bool,
    /// Write no document if a directive fails.
    pub stop_on_error: bool,
    /// Say what is done, and print what the program prints.
    pub verbose: bool,
}

/// Makes the document; whether all directives succeeded. `Err` says why there is none.
pub fn literate(program: &Path, options: &Options) -> Result<bool, String> {
    let loaded = load(program);
    if !loaded.errors.is_empty() {
        return Err(rendered(&loaded.errors, &loaded.sources));
    }
    let main = loaded.units.last().and_then(|unit| loaded.sources.get(unit.file).map(|f| (unit.file, f)));
    let Some((file, source)) = main else { return Err(format!("{} is empty", program.display())) };
    let mut errors = vec![];
    let mut pieces = vec![];
    for block in blocks(&source.text) {
        pieces.push(match block {
            Block::Text(text) => Piece::Text(text),
            Block::Code(text) => Piece::Text(code(&text)),
            Block::Blank => Piece::Text(String::new()),
            Block::Directive(comment) => match directive::parse(&comment.text) {
                Ok(directive) => Piece::Directive(comment, Box::new(directive)),
                Err(mistake) => {
                    let lo = source.position(comment.line + mistake.line + 1, 1).unwrap_or_default();
                    let end =
                        source.text[lo as usize..].find('\n').unwrap_or(source.text.len() - lo as usize);
                    errors.push(Diagnostic::error(Span::new(file, lo, lo + end as u32), mistake.message));
                    continue;
                }
            },
        });
    }
    if !errors.is_empty() {
        return Err(rendered(&errors, &loaded.sources));
    }
    let output = options.output.clone().unwrap_or_else(|| program.with_extension("md"));
    Document::new(program, &loaded, &pieces, &output, options)?.make(&pieces, &output)
}

/// A part of the document.
enum Piece {
    /// As it is.
    Text(String),
    /// What it gives.
    Directive(Comment, Box<Directive>),
}

struct Document<'a> {
    program: &'a Path,
    options: &'a Options,
    /// What all directives depend on.
    key: String,
    folder: Folder,
    /// The folder, as the document names it.
    link: String,
    compiler: Compiler,
    /// Functions of the program that directives apply.
    functions: Vec<String>,
    scratch: TempFolder,
    /// The program, once it runs.
    process: Option<ServerProcess>,
    compiled: bool,
}

/// Why a directive gives nothing, or the whole document.
enum Failure {
    Directive(String),
    Document(String),
}

impl<'a> Document<'a> {
    fn new(
        program: &'a Path,
        loaded: &'a Loaded,
        pieces: &[Piece],
        output: &Path,
        options: &'a Options,
    ) -> Result<Document<'a>, String> {
        let mut functions = vec![];
        for piece in pieces {
            match piece {
                Piece::Text(_) => {}
                Piece::Directive(_, directive) => directive.exp.functions(&mut functions),
            }
        }
        functions.sort();
        functions.dedup();
        let compiler =
            Compiler::new(&options.backend, options.compiler.as_deref(), &options.compiler_options)?;
        let scratch = TempFolder::new()?;
        let stem = output.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let link = format!("{stem}-img");
        let settings =
            format!("{:?} {:?}", options.compiler, (&options.compiler_options, &options.pass_options));
        let key = key(&[
            env!("CARGO_PKG_VERSION").as_bytes(),
            program_hash(loaded).as_bytes(),
            options.backend.as_bytes(),
            settings.as_bytes(),
        ]);
        Ok(Document {
            program,
            options,
            key,
            folder: Folder::new(output.with_file_name(&link)),
            link,
            compiler,
            functions,
            scratch,
            process: None,
            compiled: false,
        })
    }

    fn make(mut self, pieces: &[Piece], output: &Path) -> Result<bool, String> {
        let mut texts = vec![];
        let mut all_succeeded = true;
        for piece in pieces {
            match piece {
                Piece::Text(text) => texts.push(text.clone()),
                Piece::Directive(comment, directive) => {
                    let result = match self.result(comment, directive) {
                        Ok(result) => result,
                        Err(Failure::Document(message)) => return Err(message),
                        Err(Failure::Directive(message)) => {
                            all_succeeded = false;
                            let place = format!("{}:{}", self.program.display(), comment.line + 1);
                            errln!("{place}: `{}` failed:\n{message}", first_line(comment));
                            if self.options.stop_on_error {
                                return Ok(false);
                            }
                            format!("**FAILED**\n{}", fenced("", &message))
                        }
                    };
                    let shown = directive.shown.as_ref().map(|text| fenced("", &format!("> {text}")));
                    texts.push(format!("{}\n{result}", shown.unwrap_or_default()));
                }
            }
        }
        write(output, texts.join("\n"))?;
        self.folder.clean();
        Ok(all_succeeded)
    }

    /// The Markdown that stands for a directive's result.
    fn result(&mut self, comment: &Comment, directive: &Directive) -> Result<String, Failure> {
        let key = key(&[
            self.key.as_bytes(),
            comment.text.as_bytes(),
            self.loaded_files(&directive.exp).as_bytes(),
        ]);
        let (name, ending) = match &directive.product {
            Product::Text => (None, "eval.txt".to_owned()),
            Product::Image { file } => (file.as_deref(), "img.png".to_owned()),
            Product::Plot { file, .. } => (file.as_deref(), "plot.svg".to_owned()),
            Product::Gnuplot { .. } => (None, "plot.png".to_owned()),
            Product::Video { file, format, .. } => (file.as_deref(), format!("video.{format}")),
            Product::Audio { codec, .. } => (None, format!("output.{codec}")),
        };
        let entry = self.folder.entry(&key, name, &ending);
        let content = match self.folder.content(&entry) {
            Some(content) => {
                self.say(|| {
                    format!("`{}` is in {}", first_line(comment), self.folder.file(&entry).display())
                });
                content
            }
            None => {
                self.say(|| format!("executing `{}`", first_line(comment)));
                let content = self.execute(directive, &entry.name)?;
                self.folder.write(&entry, &content).map_err(Failure::Document)?;
                content
            }
        };
        Ok(match &directive.product {
            Product::Text => fenced("", &String::from_utf8_lossy(&content)),
            Product::Video { playing, .. } if !playing.repeat => {
                format!("![]({}/{}){{loop=\"false\"}}\n", self.link, entry.name)
            }
            Product::Image { .. }
            | Product::Plot { .. }
            | Product::Gnuplot { .. }
            | Product::Video { .. }
            | Product::Audio { .. } => format!("![]({}/{})\n", self.link, entry.name),
        })
    }

    /// Evaluates a directive on the program, which is compiled for the first one.
    fn execute(&mut self, directive: &Directive, name: &str) -> Result<Vec<u8>, Failure> {
        let scratch = self.scratch.path().to_owned();
        let places = Places { program: self.program, scratch: &scratch, store: Store::Nowhere };
        let process = self.running()?;
        let mut log = vec![];
        let result = process.talk(None, |server| {
            let mut e = Evaluator::new(server, &places);
            let content = execute::content(&mut e, directive, name, &scratch);
            log = e.finish();
            match content {
                Ok(bytes) => Ok(Ok(bytes)),
                Err(ScriptError::Script(message)) => Ok(Err(message)),
                Err(ScriptError::Server(e)) => Err(e),
            }
        });
        let complaints = process.take_stderr();
        if self.options.verbose {
            log.iter().for_each(|line| outln!("{line}"));
            crate::output::complain(format_args!("{complaints}"));
        }
        match result {
            Ok(Ok(bytes)) => Ok(bytes),
            Ok(Err(message)) | Err(Trouble::Failed(message)) => Err(Failure::Directive(message)),
            Err(trouble @ (Trouble::Exited(_) | Trouble::Dead(_) | Trouble::TooLate)) => {
                // The next directive gets a new process.
                self.process = None;
                Err(Failure::Directive(trouble.to_string()))
            }
        }
    }

    /// The program as a server.
    fn running(&mut self) -> Result<&mut ServerProcess, Failure> {
        let process = match self.process.take() {
            Some(process) => process,
            None => {
                let server = self.compiled().map_err(Failure::Document)?;
                ServerProcess::start(&server, None, &self.options.pass_options).map_err(Failure::Document)?
            }
        };
        Ok(self.process.insert(process))
    }

    fn compiled(&mut self) -> Result<PathBuf, String> {
        if self.options.skip_compilation {
            return Ok(self.program.with_extension(""));
        }
        let server = self.scratch.path().join("server");
        if !std::mem::replace(&mut self.compiled, true) {
            self.say(|| format!("compiling {}", self.program.display()));
            self.compiler.server(self.program, &self.functions, &server)?;
        }
        Ok(server)
    }

    /// A text that changes with the content of the files that an expression loads.
    fn loaded_files(&self, exp: &Exp) -> String {
        let mut files = vec![];
        file_names(exp, &mut files);
        let beside = |name: &String| self.program.with_file_name("").join(name);
        let sums = files.iter().map(|name| match read_data(&beside(name)) {
            Ok(bytes) => key(&[&bytes]),
            // The execution of the directive says what is wrong.
            Err(_) => "missing".to_owned(),
        });
        sums.collect::<Vec<_>>().join(" ")
    }

    fn say(&self, what: impl FnOnce() -> String) {
        if self.options.verbose {
            errln!("{}", what());
        }
    }
}

fn first_line(comment: &Comment) -> String {
    format!("> {}", comment.text.lines().next().unwrap_or_default())
}

/// The strings that built-in functions are applied to, which are names of files or of types.
fn file_names(exp: &Exp, names: &mut Vec<String>) {
    match exp {
        Exp::Const(_) | Exp::Number(..) => {}
        Exp::Tuple(es) | Exp::Array(es) | Exp::Index(_, es) => es.iter().for_each(|e| file_names(e, names)),
        Exp::Record(fields) => fields.iter().for_each(|(_, e)| file_names(e, names)),
        Exp::Project(e, _) => file_names(e, names),
        Exp::Let(_, value, body) => [value, body].into_iter().for_each(|e| file_names(e, names)),
        Exp::Apply(Function::Named(_), es) => es.iter().for_each(|e| file_names(e, names)),
        Exp::Apply(Function::Builtin(_), es) => {
            for e in es {
                match e {
                    Exp::Const(value) => {
                        let bytes = value.elements::<u8>().unwrap_or_default();
                        names.push(String::from_utf8_lossy(bytes).into_owned());
                    }
                    Exp::Number(..)
                    | Exp::Apply(..)
                    | Exp::Tuple(_)
                    | Exp::Record(_)
                    | Exp::Array(_)
                    | Exp::Project(..)
                    | Exp::Index(..)
                    | Exp::Let(..) => file_names(e, names),
                }
            }
        }
    }
}
