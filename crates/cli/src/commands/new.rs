//! `fehu new`: a project to start from.

use fehu_driver::files::Batch;
use fehu_tools::{errln, outln};
use std::path::Path;
use std::process::ExitCode;

/// Options of `fehu new`.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// The name of the project, and of the folder to make.
    name: String,
}

/// What is in a new project; `NAME` stands for its name.
const FILES: [(&str, &str); 3] = [
    ("futhark.pkg", "require {\n}\n"),
    (".gitignore", "/NAME\n/build\n*.c\n*.o\n"),
    (
        "NAME.fut",
        "\
-- | The mean of some numbers.
def mean [n] (xs: [n]f64) : f64 =
  f64.sum xs / f64.i64 n

-- Tests are run by `fehu test`, and data sets without results are measured by `fehu bench`.
-- ==
-- input { [1.0, 2.0, 6.0] } output { 3.0 }
-- random input { [1000000]f64 }

entry main [n] (xs: [n]f64) : f64 =
  mean xs
",
    ),
];

pub(crate) fn run(args: &Args) -> ExitCode {
    match make(&args.name) {
        Ok(()) => {
            outln!("Made {0}/{0}.fut. Try:\n", args.name);
            outln!("  cd {}", args.name);
            outln!("  echo '[1.0, 2.0]' | fehu run");
            outln!("  fehu test");
            ExitCode::SUCCESS
        }
        Err(message) => {
            errln!("fehu: {message}");
            ExitCode::from(1)
        }
    }
}

fn make(name: &str) -> Result<(), String> {
    let plain = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    if !name.starts_with(|c: char| c.is_ascii_alphabetic()) || !name.chars().all(plain) {
        return Err(format!(
            "`{name}` cannot be the name of a project: use letters, digits, _ and -, and begin with a letter"
        ));
    }
    let folder = Path::new(name);
    if folder.exists() {
        return Err(format!("there is a {name} already"));
    }
    let mut batch = Batch::default();
    batch.folder(folder)?;
    for (file, text) in FILES {
        let path = folder.join(file.replace("NAME", name));
        batch.file(&path, text.replace("NAME", name))?;
    }
    batch.finish()
}
