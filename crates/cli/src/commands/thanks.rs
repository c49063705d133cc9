//! `fehu thanks`.

use fehu_tools::outln;
use std::process::ExitCode;

pub(crate) fn run() -> ExitCode {
    outln!("Thank you, too. And thanks to everybody who made Futhark: the language is theirs.");
    ExitCode::SUCCESS
}
