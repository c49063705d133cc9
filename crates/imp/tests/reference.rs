//! The examples of `docs/ir.md` are programs: they are read, valid, and printed as they stand there.

use fehu_imp::print::print_program;
use fehu_imp::read::read_program;
use fehu_ir::print::{print_prog, Locations};
use fehu_ir::read::read_prog;
use fehu_ir::{Kernels, Memory, Rep, Soacs};

#[test]
fn the_reference_is_true() {
    let page = include_str!("../../../docs/ir.md");
    let examples: Vec<(usize, &str)> = page
        .match_indices("```ir\n")
        .map(|(at, fence)| {
            let line = page[..at].lines().count() + 1;
            let rest = &page[at + fence.len()..];
            (line, rest.split("```").next().unwrap_or_default())
        })
        .collect();
    assert!(examples.len() >= 10, "the page has lost its examples");
    for (line, text) in examples {
        let printed = match text.lines().next() {
            Some("soacs") => core::<Soacs>(text),
            Some("kernels") => core::<Kernels>(text),
            Some("memory") => core::<Memory>(text),
            Some("imp") => imp(text),
            other => panic!("docs/ir.md, line {line}: no language is named {other:?}"),
        };
        match printed {
            Ok(printed) => assert_eq!(printed, text, "docs/ir.md, line {line}"),
            Err(e) => panic!("docs/ir.md, example at line {line}: {e}"),
        }
    }
}

fn core<R: Rep>(text: &str) -> Result<String, String> {
    let prog = read_prog::<R>(text).map_err(|e| e.to_string())?;
    fehu_ir::validate::validate(&prog).map_err(|e| e.join("\n"))?;
    Ok(print_prog(&prog, Locations::Hidden))
}

fn imp(text: &str) -> Result<String, String> {
    let program = read_program(text).map_err(|e| e.to_string())?;
    fehu_imp::validate::validate(&program).map_err(|e| e.join("\n"))?;
    Ok(print_program(&program))
}
