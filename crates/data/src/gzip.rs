//! Reading gzip files: large data sets are kept compressed (`input @ data/big.in.gz`).
//!
//! A file is one or more members; each is a header, a deflate stream and the checksum and length of what comes
//! out. A deflate stream is a sequence of blocks: stored bytes, or symbols of two Huffman codes (literals with lengths, and
//! distances), which are fixed or described at the start of the block. RFC 1951 and RFC 1952.

/// The bytes that a gzip file holds.
pub fn gunzip(bytes: &[u8]) -> Result<Vec<u8>, String> {
    let mut out = vec![];
    let mut rest = bytes;
    loop {
        rest = member(rest, &mut out).ok_or("it is no gzip file, or is damaged")?;
        if rest.is_empty() {
            return Ok(out);
        }
    }
}

/// Reads one member; what follows it.
fn member<'a>(bytes: &'a [u8], out: &mut Vec<u8>) -> Option<&'a [u8]> {
    let start = out.len();
    let mut bits = Bits { bytes: header(bytes)?, held: 0, count: 0 };
    loop {
        let last = bits.take(1)? == 1;
        match bits.take(2)? {
            0 => stored(&mut bits, out)?,
            1 => coded(&mut bits, &fixed_literals()?, &Code::new(&[5; 30])?, start, out)?,
            2 => {
                let (literals, distances) = codes(&mut bits)?;
                coded(&mut bits, &literals, &distances, start, out)?;
            }
            _ => return None,
        }
        if last {
            break;
        }
    }
    bits.align();
    let (crc, len) = (bits.take(32)?, bits.take(32)?);
    let made = &out[start..];
    (crc == u64::from(checksum(made)) && len == made.len() as u64 & 0xffff_ffff).then_some(bits.bytes)
}

/// What follows the header of a member.
fn header(bytes: &[u8]) -> Option<&[u8]> {
    let [0x1f, 0x8b, 8, flags, _, _, _, _, _, _, rest @ ..] = bytes else { return None };
    let mut rest = rest;
    if flags & 4 != 0 {
        let [a, b, after @ ..] = rest else { return None };
        rest = after.get(usize::from(u16::from_le_bytes([*a, *b]))..)?;
    }
    // A file name, and a comment.
    for flag in [8, 16] {
        if flags & flag != 0 {
            let end = rest.iter().position(|b| *b == 0)?;
            rest = &rest[end + 1..];
        }
    }
    if flags & 2 != 0 {
        rest = rest.get(2..)?;
    }
    Some(rest)
}

/// Bits, the lowest of each byte first.
struct Bits<'a> {
    bytes: &'a [u8],
    held: u64,
    count: u32,
}

impl Bits<'_> {
    /// So many bits, at most 32.
    fn take(&mut self, count: u32) -> Option<u64> {
        while self.count < count {
            let (first, rest) = self.bytes.split_first()?;
            self.held |= u64::from(*first) << self.count;
            self.count += 8;
            self.bytes = rest;
        }
        let taken = self.held & ((1u64 << count) - 1);
        self.held >>= count;
        self.count -= count;
        Some(taken)
    }

    /// Goes on at the next byte.
    fn align(&mut self) {
        self.held >>= self.count % 8;
        self.count -= self.count % 8;
    }
}

/// A canonical Huffman code: how many codes there are of each length, and the symbols in the order of their codes.
struct Code {
    counts: [u16; 16],
    symbols: Vec<u16>,
}

impl Code {
    /// From the length of each symbol's code, 0 for those that do not occur; `None` if no code has these lengths.
    fn new(lengths: &[u8]) -> Option<Code> {
        let mut counts = [0u16; 16];
        lengths.iter().for_each(|l| counts[usize::from(*l)] += 1);
        counts[0] = 0;
        let mut free = 1i32;
        for count in &counts[1..] {
            free = free * 2 - i32::from(*count);
            if free < 0 {
                return None;
            }
        }
        let mut symbols: Vec<u16> = (0..).zip(lengths).filter(|(_, l)| **l > 0).map(|(s, _)| s).collect();
        symbols.sort_by_key(|s| (lengths[usize::from(*s)], *s));
        Some(Code { counts, symbols })
    }

    /// The next symbol.
    fn read(&self, bits: &mut Bits) -> Option<usize> {
        let (mut code, mut first, mut index) = (0usize, 0usize, 0usize);
        for count in &self.counts[1..] {
            code |= bits.take(1)? as usize;
            let count = usize::from(*count);
            if code < first + count {
                return self.symbols.get(index + code - first).map(|s| usize::from(*s));
            }
            index += count;
            first = (first + count) << 1;
            code <<= 1;
        }
        None
    }
}

fn stored(bits: &mut Bits, out: &mut Vec<u8>) -> Option<()> {
    bits.align();
    let (len, complement) = (bits.take(16)?, bits.take(16)?);
    if len ^ complement != 0xffff {
        return None;
    }
    (0..len).try_for_each(|_| bits.take(8).map(|byte| out.push(byte as u8)))
}

/// The length of a match for the symbols from 257 on: the smallest, and how many bits are added to it.
const LENGTHS: [(usize, u32); 29] = [
    (3, 0),
    (4, 0),
    (5, 0),
    (6, 0),
    (7, 0),
    (8, 0),
    (9, 0),
    (10, 0),
    (11, 1),
    (13, 1),
    (15, 1),
    (17, 1),
    (19, 2),
    (23, 2),
    (27, 2),
    (31, 2),
    (35, 3),
    (43, 3),
    (51, 3),
    (59, 3),
    (67, 4),
    (83, 4),
    (99, 4),
    (115, 4),
    (131, 5),
    (163, 5),
    (195, 5),
    (227, 5),
    (258, 0),
];

/// A block of literals and matches; `start` is where the member's bytes begin.
fn coded(bits: &mut Bits, literals: &Code, distances: &Code, start: usize, out: &mut Vec<u8>) -> Option<()> {
    loop {
        match literals.read(bits)? {
            literal @ 0..=255 => out.push(literal as u8),
            256 => return Some(()),
            symbol => {
                let (least, extra) = *LENGTHS.get(symbol - 257)?;
                let length = least + bits.take(extra)? as usize;
                let symbol = distances.read(bits)? as u32;
                let extra = (symbol / 2).saturating_sub(1);
                let least =
                    if symbol < 4 { symbol as usize + 1 } else { ((2 + symbol as usize % 2) << extra) + 1 };
                let distance = least + bits.take(extra)? as usize;
                let from = out.len().checked_sub(distance).filter(|from| *from >= start)?;
                // A match may overlap what it adds.
                for i in 0..length {
                    out.push(out[from + i]);
                }
            }
        }
    }
}

fn fixed_literals() -> Option<Code> {
    let mut lengths = [8; 288];
    lengths[144..256].fill(9);
    lengths[256..280].fill(7);
    Code::new(&lengths)
}

/// The codes at the start of a block, whose lengths are coded themselves.
fn codes(bits: &mut Bits) -> Option<(Code, Code)> {
    const ORDER: [usize; 19] = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15];
    let literals = bits.take(5)? as usize + 257;
    let distances = bits.take(5)? as usize + 1;
    let given = bits.take(4)? as usize + 4;
    let mut lengths = [0u8; 19];
    for at in &ORDER[..given] {
        lengths[*at] = bits.take(3)? as u8;
    }
    let code = Code::new(&lengths)?;
    let mut all: Vec<u8> = vec![];
    while all.len() < literals + distances {
        let (length, times) = match code.read(bits)? {
            length @ 0..=15 => (length as u8, 1),
            16 => (*all.last()?, bits.take(2)? + 3),
            17 => (0, bits.take(3)? + 3),
            _ => (0, bits.take(7)? + 11),
        };
        all.extend((0..times).map(|_| length));
    }
    if all.len() > literals + distances {
        return None;
    }
    Some((Code::new(&all[..literals])?, Code::new(&all[literals..])?))
}

/// CRC-32, as gzip has it.
fn checksum(bytes: &[u8]) -> u32 {
    let step = |c: u32| if c & 1 == 1 { (c >> 1) ^ 0xedb8_8320 } else { c >> 1 };
    let table: Vec<u32> = (0..256).map(|byte| (0..8).fold(byte, |c, _| step(c))).collect();
    !bytes.iter().fold(!0u32, |crc, byte| (crc >> 8) ^ table[((crc ^ u32::from(*byte)) & 0xff) as usize])
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What `gzip` makes of the squares modulo 97, with codes of its own.
    const SQUARES: &str = "1f8b0800000000000203ed90c115052108035bb1000fabaea8fd37f667567bf8170f3e90900079722a39bd392d92c8a9f69c1af1e51f94 \
         2768a34cfa8e9c4625a7423588cb6ee0f1c0e6dfc9976c05d5f54fdec12714da2b2a93bc53ae50a6831c025688137a28414f032ff25041 \
         69d232681fc676dea989d9139b21530595542c6782939ce8643770133772b3b9f774df6fef72ee887d97f779a7f77a771c1fea76457774 \
         a96dcff44e0fdbf1546fd76734e0734dbfa65fd3afe97f37fd0700a1aa83ff050000";
    /// With the fixed codes.
    const FIXED: &str = "1f8b080000000000020333d05130d45130d151b00432cc74148c4c75148c81b409906f0614b600ca1a0385814c13731d057323201b2802 \
         143503d29620d5406973031d0500829f16d94a000000";
    /// With a file name in the header.
    const NAMED: &str = "1f8b08080000000002ff6e616d65004b4c4a0600c241243503000000";

    fn bytes(hex: &str) -> Vec<u8> {
        let digits: Vec<u32> = hex.chars().filter_map(|c| c.to_digit(16)).collect();
        digits.chunks(2).map(|pair| (pair[0] * 16 + pair[1]) as u8).collect()
    }

    fn squares(count: usize) -> Vec<u8> {
        (0..count).flat_map(|i| format!("{}, ", i * i % 97).into_bytes()).collect()
    }

    #[test]
    fn files_of_all_kinds() {
        assert_eq!(gunzip(&bytes(SQUARES)), Ok(squares(400)));
        assert_eq!(gunzip(&bytes(FIXED)), Ok(squares(20)));
        assert_eq!(gunzip(&bytes(NAMED)), Ok(b"abc".to_vec()));
        // Several members are one file.
        assert_eq!(
            gunzip(&[bytes(NAMED), bytes(FIXED)].concat()),
            Ok([b"abc".to_vec(), squares(20)].concat())
        );
    }

    #[test]
    fn damage_is_found() {
        assert!(gunzip(b"").is_err());
        assert!(gunzip(b"[1, 2, 3]").is_err());
        let good = bytes(SQUARES);
        for at in 0..good.len() {
            assert!(gunzip(&good[..at]).is_err(), "cut at {at}");
            let mut bad = good.clone();
            bad[at] ^= 1;
            // Whether it is text, the time, the way it was compressed and the system are not looked at.
            let unused = (3..10).contains(&at);
            assert_eq!(gunzip(&bad).is_ok(), unused, "changed at {at}");
        }
    }
}
