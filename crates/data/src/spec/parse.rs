//! The notation inside test blocks.
//!
//! Keywords are contextual: a case begins with its name, its tags or `input`,
//! and ends where the next one (or another directive) begins.

use super::blocks::{blank_markers, find_blocks};
use super::{Action, EntrySpec, Expected, Input, Pattern, ProgramSpec, RunSpec, StructureTest, TestRun};
use crate::cursor::{Cursor, DataError};
use crate::generate::read_generator;
use crate::text;
use crate::value::Value;

/// Reads all blocks of a program.
pub(super) fn parse_program(source: &str) -> Result<Option<ProgramSpec>, DataError> {
    let blocks = find_blocks(source);
    let Some(first) = blocks.first() else { return Ok(None) };
    let mut spec = ProgramSpec { description: first.description.clone(), ..ProgramSpec::default() };
    let text = blank_markers(source);
    for block in &blocks {
        let cursor = Cursor { bytes: &text[..block.range.end], pos: block.range.start };
        BlockParser { c: cursor, spec: &mut spec, entries: vec!["main".to_string()], runs: Vec::new() }
            .parse()?;
    }
    Ok(Some(spec))
}

struct BlockParser<'a> {
    c: Cursor<'a>,
    spec: &'a mut ProgramSpec,
    /// The entry points that the cases to come are for.
    entries: Vec<String>,
    /// The cases for them so far.
    runs: Vec<TestRun>,
}

impl BlockParser<'_> {
    fn parse(mut self) -> Result<(), DataError> {
        loop {
            self.c.skip_space();
            if self.c.peek().is_none() {
                break;
            }
            let start = self.c.pos;
            match self.peek_word().as_str() {
                "tags" => self.tags()?,
                "entry" => {
                    self.finish_entries();
                    self.entries = self.names_after("entry")?;
                }
                "property" => {
                    let names = self.names_after("property")?;
                    self.run_spec(start)?.properties.extend(names);
                }
                "error" => {
                    let pattern = self.pattern_after("error")?;
                    self.compile_error(start, pattern)?;
                }
                "warning" => {
                    let pattern = self.pattern_after("warning")?;
                    self.run_spec(start)?.warnings.push(pattern);
                }
                "structure" => {
                    let structure = self.structure()?;
                    self.run_spec(start)?.structures.push(structure);
                }
                _ => {
                    let run = self.case()?;
                    self.run_spec(start)?;
                    self.runs.push(run);
                }
            }
        }
        self.finish_entries();
        Ok(())
    }

    /// Hands the cases so far to each of the entry points they are for.
    fn finish_entries(&mut self) {
        let runs = std::mem::take(&mut self.runs);
        if runs.is_empty() {
            return;
        }
        if let Action::Run(spec) = &mut self.spec.action {
            for entry in &self.entries {
                spec.entries.push(EntrySpec { entry: entry.clone(), runs: runs.clone() });
            }
        }
    }

    /// What is expected of the program if it compiles; an error if it is
    /// expected not to.
    fn run_spec(&mut self, pos: usize) -> Result<&mut RunSpec, DataError> {
        match &mut self.spec.action {
            Action::Run(spec) => Ok(spec),
            Action::CompileError(_) => {
                Err(self.c.error_at(pos, "a program that must not compile cannot have other tests"))
            }
        }
    }

    fn compile_error(&mut self, pos: usize, pattern: Pattern) -> Result<(), DataError> {
        let other_tests = !self.runs.is_empty() || !self.run_spec(pos)?.is_empty();
        if other_tests {
            return Err(self.c.error_at(pos, "a program that must not compile cannot have other tests"));
        }
        self.spec.action = Action::CompileError(pattern);
        Ok(())
    }

    /// `tags { a b c }`.
    fn tags(&mut self) -> Result<(), DataError> {
        self.word();
        self.expect("{")?;
        loop {
            self.c.skip_space();
            if self.c.eat("}") {
                return Ok(());
            }
            let tag = self.word();
            if tag.is_empty() {
                return Err(self.unexpected("a tag or `}`"));
            }
            self.spec.tags.push(tag);
        }
    }

    /// `keyword: a b c` on one line.
    fn names_after(&mut self, keyword: &str) -> Result<Vec<String>, DataError> {
        let line = self.rest_of_line_after(keyword)?;
        let names: Vec<String> = line.split_whitespace().map(str::to_string).collect();
        if names.is_empty() {
            return Err(self.c.error(format!("expected names after `{keyword}:`")));
        }
        Ok(names)
    }

    /// `keyword: regex` on one line.
    fn pattern_after(&mut self, keyword: &str) -> Result<Pattern, DataError> {
        let start = self.c.pos;
        let line = self.rest_of_line_after(keyword)?;
        Pattern::new(&line).map_err(|why| self.c.error_at(start, format!("malformed pattern: {why}")))
    }

    fn rest_of_line_after(&mut self, keyword: &str) -> Result<String, DataError> {
        self.c.eat(keyword);
        if !self.c.eat(":") {
            return Err(self.unexpected(&format!("`:` after `{keyword}`")));
        }
        let line = self.c.take_while(|b| b != b'\n');
        Ok(String::from_utf8_lossy(line).trim().to_string())
    }

    /// `structure gpu { SegRed 1 /Screma 0 }`.
    fn structure(&mut self) -> Result<StructureTest, DataError> {
        self.word();
        self.c.skip_space();
        let pipeline = Some(self.word()).filter(|w| !w.is_empty());
        self.expect("{")?;
        let mut counts = Vec::new();
        loop {
            self.c.skip_space();
            if self.c.eat("}") {
                return Ok(StructureTest { pipeline, counts });
            }
            let path = self.c.take_while(|b| is_word(b) || b == b'/');
            if path.is_empty() {
                return Err(self.unexpected("an operation or `}`"));
            }
            let path = String::from_utf8_lossy(path).into_owned();
            self.c.skip_space();
            let digits = self.c.take_while(|b| b.is_ascii_digit());
            let count = std::str::from_utf8(digits).ok().and_then(|d| d.parse().ok());
            counts.push((path, count.ok_or_else(|| self.unexpected("a count"))?));
        }
    }

    /// A name, tags, the input and what is expected.
    fn case(&mut self) -> Result<TestRun, DataError> {
        let line = self.c.error("").line;
        let name = if self.c.peek() == Some(b'"') { Some(self.quoted()?) } else { None };
        let mut tags = Vec::new();
        let mut kind = InputKind::Plain;
        loop {
            self.c.skip_space();
            match self.peek_word().as_str() {
                "" | "output" | "auto" | "error" => return Err(self.unexpected("`input`")),
                "random" => kind = InputKind::Random,
                "script" => kind = InputKind::Script,
                "input" => break,
                tag => tags.push(tag.to_string()),
            }
            self.word();
        }
        self.word();
        let input = match kind {
            InputKind::Plain => self.plain_input()?,
            InputKind::Random => Input::Random(self.braced(read_generator)?),
            InputKind::Script => self.script_input()?,
        };
        let expected = self.expected()?;
        Ok(TestRun { name, tags, index: self.runs.len(), line, input, expected })
    }

    fn plain_input(&mut self) -> Result<Input, DataError> {
        match self.file_name()? {
            Some(file) => Ok(Input::File(file)),
            None => Ok(Input::Values(self.braced(text::read_test_value)?)),
        }
    }

    /// The script as text, up to the brace that closes it.
    fn script_input(&mut self) -> Result<Input, DataError> {
        if let Some(file) = self.file_name()? {
            return Ok(Input::ScriptFile(file));
        }
        self.expect("{")?;
        let start = self.c.pos;
        let mut depth = 1;
        loop {
            self.c.take_while(|b| !matches!(b, b'{' | b'}' | b'"'));
            match self.c.peek() {
                Some(b'"') => drop(self.quoted()?),
                Some(b'{') => {
                    depth += 1;
                    self.c.pos += 1;
                }
                Some(_) => {
                    depth -= 1;
                    self.c.pos += 1;
                    if depth == 0 {
                        let script = String::from_utf8_lossy(&self.c.bytes[start..self.c.pos - 1]);
                        return Ok(Input::Script(script.trim().to_string()));
                    }
                }
                None => return Err(self.c.error_at(start, "a script that does not end")),
            }
        }
    }

    fn expected(&mut self) -> Result<Expected, DataError> {
        self.c.skip_space();
        match self.peek_word().as_str() {
            "output" => {
                self.word();
                match self.file_name()? {
                    Some(file) => Ok(Expected::File(file)),
                    None => Ok(Expected::Values(self.braced::<Value>(text::read_test_value)?)),
                }
            }
            "auto" => {
                self.word();
                self.expect("output")?;
                Ok(Expected::Auto)
            }
            "error" => Ok(Expected::Error(self.pattern_after("error")?)),
            _ => Ok(Expected::Success),
        }
    }

    /// `@ file`, if that comes next.
    fn file_name(&mut self) -> Result<Option<String>, DataError> {
        self.c.skip_space();
        if !self.c.eat("@") {
            return Ok(None);
        }
        self.c.skip_space();
        let name = self.c.take_while(|b| !b.is_ascii_whitespace());
        if name.is_empty() {
            return Err(self.unexpected("a file name"));
        }
        Ok(Some(String::from_utf8_lossy(name).into_owned()))
    }

    /// `{ item item ... }`.
    fn braced<T>(
        &mut self,
        item: impl Fn(&mut Cursor<'_>) -> Result<T, DataError>,
    ) -> Result<Vec<T>, DataError> {
        self.expect("{")?;
        let mut items = Vec::new();
        loop {
            self.c.skip_space();
            if self.c.eat("}") {
                return Ok(items);
            }
            items.push(item(&mut self.c)?);
        }
    }

    /// A string in double quotes, with nothing escaped but quotes.
    fn quoted(&mut self) -> Result<String, DataError> {
        let start = self.c.pos;
        self.c.pos += 1;
        let mut bytes = Vec::new();
        loop {
            bytes.extend_from_slice(self.c.take_while(|b| !matches!(b, b'"' | b'\\' | b'\n')));
            match self.c.peek() {
                Some(b'"') => {
                    self.c.pos += 1;
                    return Ok(String::from_utf8_lossy(&bytes).into_owned());
                }
                Some(b'\\') => {
                    self.c.pos += 1;
                    bytes.extend(self.c.peek());
                    self.c.pos += 1;
                }
                _ => return Err(self.c.error_at(start, "a string that does not end on its line")),
            }
        }
    }

    fn expect(&mut self, token: &str) -> Result<(), DataError> {
        self.c.skip_space();
        if self.c.eat(token) {
            Ok(())
        } else {
            Err(self.unexpected(&format!("`{token}`")))
        }
    }

    fn word(&mut self) -> String {
        String::from_utf8_lossy(self.c.take_while(is_word)).into_owned()
    }

    fn peek_word(&self) -> String {
        String::from_utf8_lossy(self.c.clone().take_while(is_word)).into_owned()
    }

    fn unexpected(&self, wanted: &str) -> DataError {
        self.c.error(format!("expected {wanted}, but found {}", self.c.describe_next()))
    }
}

/// What the words before `input` say that it is.
enum InputKind {
    Plain,
    Random,
    Script,
}

impl RunSpec {
    fn is_empty(&self) -> bool {
        self.entries.is_empty()
            && self.properties.is_empty()
            && self.warnings.is_empty()
            && self.structures.is_empty()
    }
}

fn is_word(b: u8) -> bool {
    b.is_ascii_alphanumeric() || b == b'_' || b == b'-'
}
