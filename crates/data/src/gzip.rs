//! Reading gzip files: large data sets are kept compressed (`input @ data/big.in.gz`). A file is one or more members.

use flate2::read::MultiGzDecoder;
use std::io::Read;

/// The bytes that a gzip file holds.
pub fn gunzip(bytes: &[u8]) -> Result<Vec<u8>, String> {
    let mut out = vec![];
    match MultiGzDecoder::new(bytes).read_to_end(&mut out) {
        Ok(_) if !bytes.is_empty() => Ok(out),
        Ok(_) | Err(_) => Err("it is no gzip file, or is damaged".into()),
    }
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
