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

/// Options of `fehu doc`.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// The folder whose programs are documented, or a single file [default: the project].
    #[arg(add = program_files())]
    dir: Option<PathBuf>,
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

/// What to document: the files, the folder that their names are below, and where pages go.
struct Work {
    files: Vec<PathBuf>,
    root: PathBuf,
    output: PathBuf,
    title: String,
}

fn work(args: &Args) -> Result<Work, ExitCode> {
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
    let files = project::programs(&[given.clone()], "doc")?;
    Ok(Work { files, title: title(&given), root, output })
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
    let Work { files, root, output, title } = work;
    if files.is_empty() {
        let folder = if root.as_os_str().is_empty() { Path::new(".") } else { root };
        return Err(format!("there are no .fut files in {}", folder.display()));
    }
    let mut inputs = vec![];
    for file in files {
        if args.verbose {
            errln!("Reading {}.", file.display());
        }
        inputs.extend(read(file, root)?);
    }
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
