//! The MD5 digest, by which users of the interface know opaque types whose
//! names C cannot spell. Not for secrets.

/// The digest of some bytes, in hexadecimal.
pub(super) fn hex_digest(bytes: &[u8]) -> String {
    let mut state: [u32; 4] = [0x6745_2301, 0xefcd_ab89, 0x98ba_dcfe, 0x1032_5476];
    let mut padded = bytes.to_vec();
    padded.push(0x80);
    while padded.len() % 64 != 56 {
        padded.push(0);
    }
    padded.extend((bytes.len() as u64).wrapping_mul(8).to_le_bytes());
    for block in padded.chunks_exact(64) {
        add_block(&mut state, block);
    }
    state.iter().flat_map(|word| word.to_le_bytes()).map(|b| format!("{b:02x}")).collect()
}

fn add_block(state: &mut [u32; 4], block: &[u8]) {
    const SHIFTS: [[u32; 4]; 4] = [[7, 12, 17, 22], [5, 9, 14, 20], [4, 11, 16, 23], [6, 10, 15, 21]];
    let words: Vec<u32> =
        block.chunks_exact(4).map(|w| w.iter().rev().fold(0u32, |acc, b| acc << 8 | u32::from(*b))).collect();
    let [mut a, mut b, mut c, mut d] = *state;
    for i in 0..64 {
        let (mix, word) = match i / 16 {
            0 => ((b & c) | (!b & d), i),
            1 => ((d & b) | (!d & c), (5 * i + 1) % 16),
            2 => (b ^ c ^ d, (3 * i + 5) % 16),
            _ => (c ^ (b | !d), (7 * i) % 16),
        };
        // The digits of the sine of whole numbers.
        let constant = ((i as f64 + 1.0).sin().abs() * 4_294_967_296.0) as u32;
        let sum = a.wrapping_add(mix).wrapping_add(constant).wrapping_add(words[word]);
        (a, d, c) = (d, c, b);
        b = b.wrapping_add(sum.rotate_left(SHIFTS[i / 16][i % 4]));
    }
    for (s, v) in state.iter_mut().zip([a, b, c, d]) {
        *s = s.wrapping_add(v);
    }
}

#[cfg(test)]
mod tests {
    use super::hex_digest;

    #[test]
    fn known_digests() {
        assert_eq!(hex_digest(b""), "d41d8cd98f00b204e9800998ecf8427e");
        assert_eq!(hex_digest(b"{a: i32, b: f64}"), "abd1fe49a6392d882d7b82e531fa519b");
        assert_eq!(hex_digest(&[b'a'; 64]), "014842d480b571495a4a0363793f7367");
    }
}
