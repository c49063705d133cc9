//! `fehu dataset`.

use clap::{Arg, Command};
use fehu_base::prim::ScalarType;
use fehu_driver::files::read_stdin;
use fehu_tools::dataset::{convert, generate, render, Format};
use fehu_tools::errln;
use fehu_tools::output::write_bytes;
use std::process::ExitCode;

/// Options of `fehu dataset`. Their order matters: formats and bounds hold for what follows them.
#[derive(clap::Args)]
#[command(disable_help_flag = true)]
pub(crate) struct Args {
    /// -g TYPE, --generate=TYPE: make a value; -b, --binary; --text; -t, --type; -s SEED;
    /// --T-bounds=MIN:MAX for a scalar type T. Without -g, values are read from standard input.
    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    words: Vec<String>,
}

/// The command as help and shells show it. The order of its options, which matters, only we know.
pub(crate) fn described(command: Command) -> Command {
    let option = |name: &'static str, help: &'static str| Arg::new(name).long(name).help(help).num_args(0);
    let command = command.mut_arg("words", |arg| arg.hide(true));
    command
        .about("Make random values, or turn values from one format into another")
        .override_usage("fehu dataset [OPTIONS]... [-g TYPE]...")
        .next_help_heading("Options, in order: each holds for the values that follow it")
        .args([
            option("generate", "Make a value of a type such as [10][20]f32, or this very value")
                .short('g')
                .num_args(1)
                .value_name("TYPE"),
            option("binary", "Write the binary format").short('b'),
            option("text", "Write text (the default)"),
            option("type", "Write only the types of values").short('t'),
            option("seed", "The seed of random numbers [default: 1]")
                .short('s')
                .num_args(1)
                .value_name("SEED"),
            option("T-bounds", "Bounds for values of scalar type T, such as --i32-bounds=0:9")
                .num_args(1)
                .value_name("MIN:MAX"),
            option("help", "Print help").short('h'),
        ])
}

fn help() -> String {
    let mut all = crate::help::command();
    all.find_subcommand_mut("dataset").map_or(String::new(), |command| {
        described(command.clone().bin_name("fehu dataset").disable_version_flag(true))
            .render_help()
            .to_string()
    })
}

pub(crate) fn run(args: &Args) -> ExitCode {
    match output(&args.words) {
        Ok(bytes) => {
            write_bytes(&bytes);
            ExitCode::SUCCESS
        }
        Err(message) => {
            errln!("fehu: {message}");
            ExitCode::from(2)
        }
    }
}

fn output(words: &[String]) -> Result<Vec<u8>, String> {
    let mut format = Format::Text;
    let mut bounds: Vec<(ScalarType, String)> = vec![];
    let mut seed = 1;
    let mut out = vec![];
    let mut generated = 0;
    let mut words = words.iter();
    while let Some(word) = words.next() {
        let (name, inline) = match (word.split_once('='), word.split_at_checked(2)) {
            (Some((n, v)), _) if n.starts_with("--") => (n, Some(v.to_owned())),
            (_, Some((n @ ("-s" | "-g"), v))) if !v.is_empty() => (n, Some(v.to_owned())),
            _ => (word.as_str(), None),
        };
        let mut value = || {
            inline
                .clone()
                .or_else(|| words.next().cloned())
                .ok_or(format!("{name} needs a value; see --help"))
        };
        match name {
            "-h" | "--help" => return Ok(help().into()),
            "-b" | "--binary" => format = Format::Binary,
            "--text" => format = Format::Text,
            "-t" | "--type" => format = Format::Types,
            "-s" | "--seed" => {
                let text = value()?;
                seed = text.parse().map_err(|_| format!("`{text}` is no seed; write a whole number"))?;
            }
            "-g" | "--generate" => {
                let values = generate(&[value()?], &bounds, seed + generated)?;
                generated += 1;
                out.extend(render(&values, format));
            }
            _ => {
                let t = name.strip_prefix("--").and_then(|n| n.strip_suffix("-bounds"));
                match t.and_then(ScalarType::named) {
                    Some(t) => bounds.push((t, value()?)),
                    None => return Err(format!("there is no option {name}; see --help")),
                }
            }
        }
    }
    if generated > 0 {
        return Ok(out);
    }
    let input = read_stdin().map_err(|e| format!("could not read standard input: {e}"))?;
    convert(&input, format)
}
