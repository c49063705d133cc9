//! `fehu doc`.

use crate::names::program_files;
use crate::project;
use crate::report::show_all;
use fehu_base::diagnostic::Colour;
use fehu_base::{FileId, Severity};
use fehu_doc::{Example, Input};
use fehu_driver::files::Batch;
use fehu_driver::front::check_over;
use fehu_driver::load::{normalise, Overlay};
use fehu_tools::{errln, outln};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

/// Options of `fehu doc`.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// The folder whose programs are documented, or a single file [default: the project].
    #[arg(add = program_files())]
    dir: Option<PathBuf>,
    /// Document the prelude: what every program can use.
    #[arg(long, conflicts_with = "dir", requires = "output")]
    prelude: bool,
    /// The folder to write to [default: build/doc of the project].
    #[arg(short, value_name = "OUTDIR")]
    output: Option<PathBuf>,
    /// Say which files are read and written.
    #[arg(short, long)]
    verbose: bool,
}

pub(crate) fn run(args: &Args) -> ExitCode {
    let work = match work(args) {
        Ok(work) => work,
        Err(code) => return code,
    };
    match document(args, &work) {
        Ok(()) => {
            if args.output.is_none() {
                outln!("Wrote {}", work.output.join("index.html").display());
            }
            ExitCode::SUCCESS
        }
        Err(message) => {
            if !message.is_empty() {
                errln!("fehu: {message}");
            }
            ExitCode::from(1)
        }
    }
}

/// What to document, and where pages go.
struct Work {
    /// The files of a library; without them, the prelude.
    library: Option<Library>,
    output: PathBuf,
    title: String,
}

/// Files, and the folder that their names are below.
struct Library {
    files: Vec<PathBuf>,
    root: PathBuf,
}

fn work(args: &Args) -> Result<Work, ExitCode> {
    if let (true, Some(output)) = (args.prelude, &args.output) {
        return Ok(Work { library: None, output: output.clone(), title: "The prelude".into() });
    }
    let (given, root) = match &args.dir {
        Some(dir) if dir.is_dir() => (dir.clone(), dir.clone()),
        Some(file) => (file.clone(), file.parent().unwrap_or(Path::new("")).to_owned()),
        None => {
            let root = project::root("doc -o pages", "a program or a folder")?;
            (root.clone(), root)
        }
    };
    let output = match (&args.output, fehu_pkg::root()) {
        (Some(output), _) => output.clone(),
        (None, Some(root)) => root.join("build/doc"),
        (None, None) => {
            errln!("fehu: where to? Name a folder, as in `fehu doc -o pages {}`", given.display());
            return Err(ExitCode::from(2));
        }
    };
    let files = project::programs(std::slice::from_ref(&given), "doc")?;
    Ok(Work { library: Some(Library { files, root }), output, title: title(&given) })
}

/// What the documentation is called: as the package, or the folder, or the file.
fn title(given: &Path) -> String {
    let named = if given.as_os_str().is_empty() { Path::new(".") } else { given };
    let package = fehu_pkg::Project::new(named).package().ok().flatten();
    let path = named.canonicalize().unwrap_or_else(|_| named.to_owned()).with_extension("");
    let name = path.file_name().map_or("programs".into(), |name| name.to_string_lossy().into_owned());
    package.map_or(name, |package| package.to_string())
}

/// Writes all pages. An error that was shown already has no text.
fn document(args: &Args, work: &Work) -> Result<(), String> {
    let Work { library, output, title } = work;
    let (inputs, root) = match library {
        Some(library) => (read_all(library, args.verbose)?, library.root.as_path()),
        None => (prelude(), Path::new("")),
    };
    let site = fehu_doc::site(title, &inputs);
    for warning in &site.warnings {
        errln!("fehu: {warning}");
    }
    site.examples.iter().for_each(|example| check(example, root));
    let mut batch = Batch::default();
    for page in site.pages {
        let path = output.join(&page.path);
        if args.verbose {
            errln!("Writing {}.", path.display());
        }
        batch.folder(path.parent().unwrap_or(Path::new("")))?;
        batch.file(&path, &page.content)?;
    }
    batch.finish()
}

/// The files of a library.
fn read_all(library: &Library, verbose: bool) -> Result<Vec<Input>, String> {
    let Library { files, root } = library;
    if files.is_empty() {
        let folder = if root.as_os_str().is_empty() { Path::new(".") } else { root };
        return Err(format!("there are no .fut files in {}", folder.display()));
    }
    let mut inputs = vec![];
    for file in files {
        if verbose {
            errln!("Reading {}.", file.display());
        }
        inputs.extend(read(file, root)?);
    }
    Ok(inputs)
}

/// The files of the prelude that programs see; the first declares what the compiler knows of itself.
fn prelude() -> Vec<Input> {
    let front = fehu_driver::front::check_prelude();
    let Some(program) = &front.program else { fehu_base::bug!("the prelude has errors") };
    let seen = program.files.iter().take(front.prelude.len()).skip(1);
    let input = |(id, env): &(FileId, _)| {
        let source = front.sources.get(*id)?;
        let name = source.path.file_stem()?.to_string_lossy().into_owned();
        let text = source.text.to_string();
        let prog = fehu_syntax::parse(*id, &text).prog;
        Some(Input { name, text, prog, env: Arc::clone(env), names: program.names.clone() })
    };
    seen.filter_map(input).collect()
}

/// A file, which must be correct; `None` if it wants no documentation.
fn read(file: &Path, root: &Path) -> Result<Option<Input>, String> {
    let front = fehu_driver::front::check_file(file);
    let Some(program) = front.program else {
        let errors: Vec<_> =
            front.diagnostics.iter().filter(|d| d.severity == Severity::Error).cloned().collect();
        show_all(&errors, &front.sources);
        return Err(String::new());
    };
    let Some((id, source)) = front.sources.files().nth(front.prelude.len()) else { return Ok(None) };
    let text = source.text.to_string();
    let prog = fehu_syntax::parse(id, &text).prog;
    if fehu_doc::is_ignored(&prog) {
        return Ok(None);
    }
    let name = file.strip_prefix(root).unwrap_or(file).with_extension("");
    let name = name.iter().map(|part| part.to_string_lossy()).collect::<Vec<_>>().join("/");
    Ok(Some(Input { name, text, prog, env: program.env, names: program.names }))
}

/// Says what is wrong with an example: a user who imports the file writes it into a file beside it.
fn check(example: &Example, root: &Path) {
    let file = root.join(format!("{}.fut", example.file));
    let name = example.file.rsplit('/').next().unwrap_or(&example.file);
    let is_expression = fehu_syntax::parse_exp(FileId(0), &example.text).1.is_empty();
    let text = match is_expression {
        true => format!("local open import \"{name}\"\ndef example =\n{}", example.text),
        false => format!("local open import \"{name}\"\n{}", example.text),
    };
    let path = file.with_file_name(format!("example of {name}"));
    let front = check_over(&path, Overlay::from_iter([(normalise(&path), text)]));
    for d in front.diagnostics.iter().filter(|d| d.severity == Severity::Error) {
        let message = d.render(&front.sources, Colour::Never);
        errln!("fehu: {}:{}: an example is wrong\n{message}", file.display(), example.line);
    }
}
