//! The current time as versions of commits have it.

use std::time::{SystemTime, UNIX_EPOCH};

/// `yyyymmddhhmmss`, in UTC.
pub(crate) fn stamp(at: SystemTime) -> String {
    let seconds = at.duration_since(UNIX_EPOCH).map_or(0, |d| d.as_secs());
    let (days, rest) = (seconds / 86_400, seconds % 86_400);
    let (year, month, day) = date(days);
    format!("{year:04}{month:02}{day:02}{:02}{:02}{:02}", rest / 3600, rest / 60 % 60, rest % 60)
}

/// Year, month and day of a day counted from 1970-01-01.
fn date(days: u64) -> (u64, u64, u64) {
    let leap = |y: u64| y % 4 == 0 && (y % 100 != 0 || y % 400 == 0);
    let (mut year, mut left) = (1970, days);
    loop {
        let length = if leap(year) { 366 } else { 365 };
        if left < length {
            break;
        }
        left -= length;
        year += 1;
    }
    let lengths = [31, if leap(year) { 29 } else { 28 }, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
    let mut month = 1;
    for length in lengths {
        if left < length {
            break;
        }
        left -= length;
        month += 1;
    }
    (year, month, left + 1)
}

#[cfg(test)]
mod tests {
    use super::stamp;
    use std::time::{Duration, UNIX_EPOCH};

    #[test]
    fn known_times() {
        let at = |s| stamp(UNIX_EPOCH + Duration::from_secs(s));
        assert_eq!(at(0), "19700101000000");
        assert_eq!(at(951_782_400), "20000229000000");
        assert_eq!(at(1_533_119_132), "20180801102532");
        assert_eq!(at(1_735_689_599), "20241231235959");
    }
}
