//! Programs for a machine that has a GPU and a C compiler, but no Rust: a folder with the C text of servers, arguments,
//! expected results, and a script that compiles, runs and compares.
//!
//! ```text
//! FOLDER/run.py               python3 run.py [--jobs 8]
//! FOLDER/target               the back end
//! FOLDER/0.c                  a server with many entry points
//! FOLDER/0.fut                the programs in it
//! FOLDER/0.cases              one run a line: entry point, file of arguments, file of results or -, number of results
//! FOLDER/0/p1_main.0.in       arguments
//! FOLDER/0/p1_main.0.out      results
//! ```

use crate::outcome::{Outcome, Part};
use crate::program::{file, Program};
use crate::stages::{compare, Depth};
use fehu_base::diagnostic::Colour;
use fehu_base::prim::ScalarType;
use fehu_data::{binary, Data, Value};
use fehu_driver::compile::{Product, Settings};
use fehu_driver::front::check_text;
use fehu_driver::generate::generate;
use fehu_driver::target::Target;
use fehu_driver::times::Times;
use std::path::Path;

/// The script that runs what is packed.
const SCRIPT: &str = include_str!("pack/run.py");

/// Writes programs for a back end to a folder, some to a file. Returns what was written, in words.
pub fn write(programs: &[Program], per_file: usize, target: Target, folder: &Path) -> Result<String, String> {
    std::fs::create_dir_all(folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    save(&folder.join("target"), target.name().as_bytes())?;
    save(&folder.join("run.py"), SCRIPT.as_bytes())?;
    let (mut files, mut runs, mut refused) = (0, 0, vec![]);
    for some in programs.chunks(per_file.max(1)) {
        let mut good = some.to_vec();
        let report = compare(&good, &[], Depth::Optimised);
        let mut expected = report.outcomes;
        if !report.faults.is_empty() {
            // Those that are refused one by one are left out.
            good.retain(|p| compare(std::slice::from_ref(p), &[], Depth::Optimised).faults.is_empty());
            refused.extend(
                some.iter().filter(|p| good.iter().all(|q| q.entry != p.entry)).map(|p| p.entry.clone()),
            );
            expected = compare(&good, &[], Depth::Optimised).outcomes;
        }
        if good.is_empty() {
            continue;
        }
        runs += write_file(&good, &expected, target, &folder.join(files.to_string()))?;
        files += 1;
    }
    let refusals = match refused.is_empty() {
        true => String::new(),
        false => format!(" Left out, as they are refused: {}.", refused.join(", ")),
    };
    Ok(format!("{files} files with {runs} runs in {}.{refusals}", folder.display()))
}

fn write_file(
    programs: &[Program],
    expected: &[Vec<Outcome>],
    target: Target,
    base: &Path,
) -> Result<usize, String> {
    let text = file(programs);
    let front = check_text(Path::new("random.fut"), text.clone());
    let settings = Settings { product: Product::Server, ..Settings::executable(target, base.to_owned()) };
    let generated = generate(&front, &settings, &mut Times::default()).map_err(|problems| {
        let all: Vec<String> = problems.iter().map(|d| d.render(&front.sources, Colour::Never)).collect();
        all.join("\n")
    })?;
    save(&base.with_extension("c"), generated.text.c_text.as_bytes())?;
    save(&base.with_extension("fut"), text.as_bytes())?;
    std::fs::create_dir_all(base).map_err(|e| format!("{}: {e}", base.display()))?;
    let mut cases = String::new();
    let mut runs = 0;
    for (program, outcomes) in programs.iter().zip(expected) {
        for (k, (input, outcome)) in program.inputs.iter().zip(outcomes).enumerate() {
            let name = format!("{}.{k}", program.entry);
            let results = match outcome {
                Outcome::Values(parts) => parts.iter().zip(&program.results).filter_map(typed).collect(),
                Outcome::Failed(_) => vec![],
                Outcome::Late | Outcome::Broken(_) | Outcome::Overwritten(_) => continue,
            };
            save(&base.join(format!("{name}.in")), &bytes(input))?;
            let out = match results.is_empty() {
                true => "-".to_owned(),
                false => {
                    save(&base.join(format!("{name}.out")), &bytes(&results))?;
                    format!("{name}.out")
                }
            };
            cases += &format!("{} {name}.in {out} {}\n", program.entry, program.results.len());
            runs += 1;
        }
    }
    save(&base.with_extension("cases"), cases.as_bytes())?;
    Ok(runs)
}

/// A result as a value of its type.
fn typed((part, t): (&Part, &ScalarType)) -> Option<Value> {
    let mut data = Data::empty(*t);
    part.data.iter().for_each(|v| {
        data.push(*v);
    });
    Value::new(part.shape.clone(), data)
}

fn bytes(values: &[Value]) -> Vec<u8> {
    let mut out = vec![];
    values.iter().for_each(|v| binary::write_binary(v, &mut out));
    out
}

fn save(path: &Path, bytes: &[u8]) -> Result<(), String> {
    std::fs::write(path, bytes).map_err(|e| format!("{}: {e}", path.display()))
}
