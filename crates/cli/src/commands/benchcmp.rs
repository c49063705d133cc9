//! `fehu benchcmp`.

use fehu_tools::bench::results::Results;
use fehu_tools::benchcmp::{benchcmp, Order, Paint, SortBy};
use fehu_tools::output::colours;
use fehu_tools::{errln, out};
use std::io::IsTerminal;
use std::path::PathBuf;
use std::process::ExitCode;

/// Options of `fehu benchcmp`.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// What `fehu bench --json` wrote before.
    file_a: PathBuf,
    /// What it wrote after.
    file_b: PathBuf,
    /// Sort programs by the number of data sets that are significantly slower, or by the geometric mean
    /// of significant or of all speedups, rather than by name.
    #[arg(long, value_name = "METRIC", value_parser = ["significant", "geomean-significant", "geomean-all"])]
    sort_by: Option<String>,
    /// What comes first when sorted.
    #[arg(long, value_name = "ORDER", default_value = "worst-first", value_parser = ["worst-first", "best-first"])]
    order: String,
}

pub(crate) fn run(args: &Args) -> ExitCode {
    let sort = match args.sort_by.as_deref() {
        Some("significant") => SortBy::Significant,
        Some("geomean-significant") => SortBy::GeomeanSignificant,
        Some("geomean-all") => SortBy::GeomeanAll,
        _ => SortBy::Name,
    };
    let order = if args.order == "best-first" { Order::BestFirst } else { Order::WorstFirst };
    let paint = if colours(std::io::stdout().is_terminal()) { Paint::Colours } else { Paint::Plain };
    let read = |path| Results::read(path);
    match (read(&args.file_a), read(&args.file_b)) {
        (Ok(a), Ok(b)) => {
            let names = (args.file_a.display().to_string(), args.file_b.display().to_string());
            out!("{}", benchcmp((&names.0, &names.1), &a, &b, sort, order, paint));
            ExitCode::SUCCESS
        }
        (Err(message), _) | (_, Err(message)) => {
            errln!("fehu: {message}");
            ExitCode::from(1)
        }
    }
}
