//! Changes bytes by lot: pieces of text are deleted, doubled, moved, and taken from other files; single bytes
//! become others.

use crate::choices::Random;

/// A changed copy of one of some files.
pub fn mutate(files: &[Vec<u8>], random: &mut Random) -> Vec<u8> {
    let Some(start) = files.get(random.below(files.len())) else { return vec![] };
    let mut bytes = start.clone();
    for _ in 0..=random.below(4) {
        change(&mut bytes, files, random);
    }
    bytes.truncate(1 << 16);
    bytes
}

fn change(bytes: &mut Vec<u8>, files: &[Vec<u8>], random: &mut Random) {
    let at = random.below(bytes.len() + 1);
    match random.below(10) {
        0 => drop(bytes.drain(piece(bytes, at))),
        1 => {
            let copy = bytes[piece(bytes, at)].to_vec();
            bytes.splice(at..at, copy);
        }
        2 => {
            let from = piece(bytes, random.below(bytes.len() + 1));
            let copy = bytes[from].to_vec();
            bytes.splice(piece(bytes, at), copy);
        }
        3 | 4 => {
            let Some(other) = files.get(random.below(files.len())) else { return };
            let from = piece(other, random.below(other.len() + 1));
            bytes.splice(piece(bytes, at), other[from].to_vec());
        }
        5 => {
            // A longer part of another file.
            let Some(other) = files.get(random.below(files.len())) else { return };
            let from = random.below(other.len() + 1);
            let end = (from + random.below(200)).min(other.len());
            bytes.splice(at..at, other[from..end].to_vec());
        }
        6 if at < bytes.len() => bytes[at] = random.next() as u8,
        7 if at < bytes.len() => bytes[at] ^= 1 << random.below(8),
        8 => {
            let all: [&[u8]; 12] = [
                b"(",
                b")",
                b"[",
                b"]",
                b"{",
                b"}",
                b"9223372036854775808",
                b"-1",
                b"0",
                b"\n",
                b"1e999",
                b"\xc3\xa9",
            ];
            bytes.splice(at..at, all[random.below(all.len())].to_vec());
        }
        _ => bytes.truncate(at),
    }
}

/// A word, a number, a run of spaces or a single other character.
fn piece(bytes: &[u8], at: usize) -> std::ops::Range<usize> {
    let kind = |b: u8| match b {
        b if b.is_ascii_alphanumeric() || b == b'_' || b >= 0x80 => 0,
        b if b.is_ascii_whitespace() => 1,
        _ => 2,
    };
    let Some(first) = bytes.get(at) else { return at..at };
    let same = |b: &&u8| kind(**b) == kind(*first) && kind(**b) != 2;
    let end = at + bytes[at..].iter().take_while(same).count().max(1);
    let start = at - bytes[..at].iter().rev().take_while(same).count();
    start..end
}
