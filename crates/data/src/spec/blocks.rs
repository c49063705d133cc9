//! Finding test blocks among the comments of a program.

use std::ops::Range;

/// A test block: the text of a comment, of the same length as in the program
/// so that positions agree, with the comment markers blanked out.
#[derive(Debug)]
pub(super) struct Block {
    /// The lines before `==`, without comment markers.
    pub(super) description: String,
    /// Which part of the program the lines after `==` are.
    pub(super) range: Range<usize>,
}

/// The blocks of a program: runs of lines that begin with `--`, one of which
/// is `==`.
pub(super) fn find_blocks(source: &str) -> Vec<Block> {
    let mut blocks = Vec::new();
    let mut comment: Vec<(usize, &str)> = Vec::new();
    let mut pos = 0;
    for line in source.split_inclusive('\n') {
        if line.starts_with("--") {
            comment.push((pos, line));
        } else {
            blocks.extend(block_of(&comment));
            comment.clear();
        }
        pos += line.len();
    }
    blocks.extend(block_of(&comment));
    blocks
}

/// The program text with the `--` of every comment line made blank.
pub(super) fn blank_markers(source: &str) -> Vec<u8> {
    let mut bytes = source.as_bytes().to_vec();
    let mut pos = 0;
    for line in source.split_inclusive('\n') {
        if line.starts_with("--") {
            bytes[pos..pos + 2].fill(b' ');
        }
        pos += line.len();
    }
    bytes
}

fn block_of(comment: &[(usize, &str)]) -> Option<Block> {
    let content = |line: &str| line.trim_start_matches("--").trim().to_string();
    let divider = comment.iter().position(|(_, line)| content(line) == "==")?;
    let description: Vec<String> = comment[..divider].iter().map(|(_, line)| content(line)).collect();
    let end_of = |(pos, line): (usize, &str)| pos + line.len();
    let start = end_of(comment[divider]);
    let end = comment.last().copied().map_or(start, end_of);
    Some(Block { description: description.join("\n"), range: start..end })
}
