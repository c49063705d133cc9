//! Tests in program comments.
//!
//! A comment with a line `==` is a test block. What follows the line says
//! what the program must do:
//!
//! ```text
//! -- Sums of arrays.
//! -- ==
//! -- tags { small }
//! -- entry: sum
//! -- "ten" input { [1, 2, 7] } output { 10 }
//! -- compiled random input { [1000]i32 } auto output
//! -- input { empty([0]i32) } error: empty.*
//! ```
//!
//! A block describes data sets for entry points, or a compile-time error
//! (`error:`), or properties to test with random inputs (`property:`); and it
//! may ask for warnings (`warning:`) and for operations in the compiled
//! program (`structure`). [`ProgramSpec::parse`] reads all blocks of a
//! program at once; [`TestRun::dataset_name`] is what tools call a data set.

mod blocks;
mod parse;
mod pattern;
#[cfg(test)]
mod tests;

pub use pattern::Pattern;

use crate::cursor::DataError;
use crate::generate::Generator;
use crate::value::Value;
use std::fmt;

/// Everything that a program's comments say about testing it.
#[derive(Clone, Debug, Default)]
pub struct ProgramSpec {
    /// The text before the `==` of the first block.
    pub description: String,
    /// The tags of the program, such as `disable`.
    pub tags: Vec<String>,
    /// What must happen.
    pub action: Action,
}

/// What must happen to a program.
#[derive(Clone, Debug)]
pub enum Action {
    /// The compiler rejects it, with such a message.
    CompileError(Pattern),
    /// It compiles, and more.
    Run(RunSpec),
}

/// What is expected of a program that compiles.
#[derive(Clone, Debug, Default)]
pub struct RunSpec {
    /// The data sets, by entry point, in the order of the program text.
    pub entries: Vec<EntrySpec>,
    /// Entry points that are properties to be tested.
    pub properties: Vec<String>,
    /// Warnings that the compiler must give.
    pub warnings: Vec<Pattern>,
    /// What the compiled program must contain.
    pub structures: Vec<StructureTest>,
}

/// The data sets of one entry point in one block.
#[derive(Clone, Debug)]
pub struct EntrySpec {
    /// The entry point.
    pub entry: String,
    /// Its data sets.
    pub runs: Vec<TestRun>,
}

/// One data set.
#[derive(Clone, Debug)]
pub struct TestRun {
    /// The name it was given.
    pub name: Option<String>,
    /// Words before `input`, such as `compiled`, `nobench` or `no_cuda`.
    pub tags: Vec<String>,
    /// Its position among the data sets of its block, from 0.
    pub index: usize,
    /// The line of the program on which it begins, from 1.
    pub line: usize,
    /// The arguments.
    pub input: Input,
    /// The result.
    pub expected: Expected,
}

/// Where the arguments come from. File names are relative to the program.
#[derive(Clone, PartialEq, Debug)]
pub enum Input {
    /// They are written out.
    Values(Vec<Value>),
    /// They are in a data file.
    File(String),
    /// They are generated.
    Random(Vec<Generator>),
    /// A script computes them.
    Script(String),
    /// A script in a file computes them.
    ScriptFile(String),
}

/// What a run must lead to.
#[derive(Clone, Debug)]
pub enum Expected {
    /// Any result.
    Success,
    /// These results.
    Values(Vec<Value>),
    /// The results in a data file.
    File(String),
    /// What the reference back end computes.
    Auto,
    /// A run-time error with such a message.
    Error(Pattern),
}

/// How often operations occur in the program after a pipeline.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct StructureTest {
    /// The pipeline, such as `gpu` or `seq-mem`; the usual one if not given.
    pub pipeline: Option<String>,
    /// Paths of operations, such as `Screma/BinOp` or `/Screma`, and how
    /// often each must occur.
    pub counts: Vec<(String, u64)>,
}

impl Default for Action {
    fn default() -> Action {
        Action::Run(RunSpec::default())
    }
}

impl ProgramSpec {
    /// Reads the test blocks of a program; `None` if it has none.
    pub fn parse(source: &str) -> Result<Option<ProgramSpec>, DataError> {
        parse::parse_program(source)
    }

    /// Whether the program has the tag.
    pub fn has_tag(&self, tag: &str) -> bool {
        self.tags.iter().any(|t| t == tag)
    }
}

impl TestRun {
    /// Whether the data set, on its own, has the tag.
    pub fn has_tag(&self, tag: &str) -> bool {
        self.tags.iter().any(|t| t == tag)
    }

    /// The name it was given, or one made from its input.
    pub fn dataset_name(&self) -> String {
        if let Some(name) = &self.name {
            return name.clone();
        }
        match &self.input {
            Input::File(file) | Input::ScriptFile(file) => file.clone(),
            Input::Random(generators) => spaced(generators),
            Input::Script(script) => spaced(script.split_whitespace()),
            Input::Values(values) => {
                let text = spaced(values);
                let mut short: String = text.chars().take(LONGEST_SHOWN_INPUT).collect();
                if short.len() < text.len() {
                    short.push_str("...");
                }
                format!("#{} (\"{short}\")", self.index)
            }
        }
    }
}

/// Longer values are cut in the names of data sets.
const LONGEST_SHOWN_INPUT: usize = 50;

fn spaced<T: fmt::Display>(items: impl IntoIterator<Item = T>) -> String {
    items.into_iter().map(|i| i.to_string()).collect::<Vec<_>>().join(" ")
}
