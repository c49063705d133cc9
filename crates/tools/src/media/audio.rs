//! Sounds: WAV is read and written here, other formats go through `ffmpeg`.
//!
//! A value is one channel (`[]i16`) or several (`[2][]f32`: left and right). Samples keep their width: WAV has unsigned
//! bytes, signed integers of 16 and 32 bits, and both floats; what differs in sign is shifted.

use super::outside;
use fehu_data::{Data, Value};
use fehu_driver::files::read_data;
use std::path::Path;

const WITHOUT_FFMPEG: &str = "WAV files need no other program";

/// Integers and floats in WAV files.
const PCM: u16 = 1;
const FLOAT: u16 = 3;
/// The true format stands further on.
const EXTENSIBLE: u16 = 0xfffe;

/// Samples as WAV stores them: how, the bits of each, and their bytes.
struct Samples {
    format: u16,
    bits: u16,
    bytes: Vec<u8>,
}

/// The sound that a value is, in a format that `ffmpeg` knows by this name.
pub(crate) fn encoded(value: &Value, frequency: u32, codec: &str) -> Result<Vec<u8>, String> {
    let wav = wav(value, frequency)?;
    match codec {
        "wav" => Ok(wav),
        _ => {
            let args = ["-nostdin", "-v", "error", "-f", "wav", "-i", "pipe:0", "-f", codec, "pipe:1"];
            outside::run("ffmpeg", &args, &wav, "`codec: wav` needs no other program")
        }
    }
}

fn wav(value: &Value, frequency: u32) -> Result<Vec<u8>, String> {
    let (channels, count) = match *value.shape() {
        [count] => (1, count),
        [channels, count] => (channels, count),
        _ => return Err("a sound has one or two dimensions".into()),
    };
    let samples = samples(value.data())
        .ok_or_else(|| format!("samples of type {} are no sound", value.scalar_type()))?;
    let width = usize::from(samples.bits / 8);
    let too_long = "the sound is too long for a file";
    let length = u32::try_from(samples.bytes.len()).ok().filter(|n| *n < u32::MAX - 100).ok_or(too_long)?;
    let channel_count = u16::try_from(channels).ok().filter(|n| *n > 0).ok_or("a sound needs a channel")?;
    let frame = u16::try_from(channels * width).map_err(|_| too_long)?;
    let mut file = vec![];
    file.extend(b"RIFF");
    file.extend((36 + length + length % 2).to_le_bytes());
    file.extend(b"WAVEfmt ");
    file.extend(16u32.to_le_bytes());
    file.extend(samples.format.to_le_bytes());
    file.extend(channel_count.to_le_bytes());
    file.extend(frequency.to_le_bytes());
    file.extend(frequency.saturating_mul(u32::from(frame)).to_le_bytes());
    file.extend(frame.to_le_bytes());
    file.extend(samples.bits.to_le_bytes());
    file.extend(b"data");
    file.extend(length.to_le_bytes());
    // Files have the samples of all channels at one time side by side.
    for time in 0..count {
        for channel in 0..channels {
            let at = (channel * count + time) * width;
            file.extend(&samples.bytes[at..at + width]);
        }
    }
    if length % 2 == 1 {
        file.push(0);
    }
    Ok(file)
}

fn samples(data: &Data) -> Option<Samples> {
    let of = |format, bits, bytes| Some(Samples { format, bits, bytes });
    match data {
        Data::U8(xs) => of(PCM, 8, xs.clone()),
        Data::I8(xs) => of(PCM, 8, xs.iter().map(|x| (*x as u8) ^ 0x80).collect()),
        Data::I16(xs) => of(PCM, 16, xs.iter().flat_map(|x| x.to_le_bytes()).collect()),
        Data::U16(xs) => of(PCM, 16, xs.iter().flat_map(|x| (x ^ 0x8000).to_le_bytes()).collect()),
        Data::I32(xs) => of(PCM, 32, xs.iter().flat_map(|x| x.to_le_bytes()).collect()),
        Data::U32(xs) => of(PCM, 32, xs.iter().flat_map(|x| (x ^ 0x8000_0000).to_le_bytes()).collect()),
        Data::F32(xs) => of(FLOAT, 32, xs.iter().flat_map(|x| x.to_le_bytes()).collect()),
        Data::F64(xs) => of(FLOAT, 64, xs.iter().flat_map(|x| x.to_le_bytes()).collect()),
        Data::I64(_) | Data::U64(_) | Data::F16(_) | Data::Bool(_) => None,
    }
}

/// Reads a sound as an array of type `[][]f64`: a row for each channel, samples from -1 to 1.
pub(crate) fn load(path: &Path) -> Result<Value, String> {
    let bytes = read_data(path).map_err(|e| format!("could not read {}: {e}", path.display()))?;
    let wav = match bytes.starts_with(b"RIFF") {
        true => bytes,
        false => {
            let full = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
            let file = format!("file:{}", full.display());
            let args = ["-nostdin", "-v", "error", "-i", &file, "-f", "wav", "-c:a", "pcm_f64le", "pipe:1"];
            outside::run("ffmpeg", &args, &[], WITHOUT_FFMPEG)?
        }
    };
    decoded(&wav).map_err(|e| format!("{} cannot be read as a sound: {e}", path.display()))
}

fn decoded(wav: &[u8]) -> Result<Value, String> {
    if !wav.starts_with(b"RIFF") || wav.get(8..12) != Some(b"WAVE") {
        return Err("it is no WAV file".into());
    }
    let mut rest = &wav[12..];
    let mut format: Option<(u16, usize, usize)> = None;
    while let Some((name, size)) = chunk_header(rest) {
        // A file that was written to a pipe does not know its length.
        let content = &rest[8..rest.len().min(size.saturating_add(8))];
        match name {
            b"fmt " => format = Some(read_format(content).ok_or("its header is too short")?),
            b"data" => {
                let (format, channels, width) = format.ok_or("its format is missing")?;
                return read_samples(content, format, channels, width);
            }
            _ => {}
        }
        rest = rest.get(8 + size + size % 2..).unwrap_or_default();
    }
    Err("it has no samples".into())
}

fn chunk_header(rest: &[u8]) -> Option<(&[u8], usize)> {
    let size = rest.get(4..8)?.try_into().ok().map(u32::from_le_bytes)?;
    Some((&rest[..4], size as usize))
}

/// The format, the number of channels, and the bytes of a sample.
fn read_format(content: &[u8]) -> Option<(u16, usize, usize)> {
    let word = |at: usize| content.get(at..at + 2).map(|b| u16::from_le_bytes([b[0], b[1]]));
    let format = match word(0)? {
        EXTENSIBLE => word(24)?,
        format => format,
    };
    Some((format, usize::from(word(2)?), usize::from(word(14)?).div_ceil(8)))
}

fn read_samples(bytes: &[u8], format: u16, channels: usize, width: usize) -> Result<Value, String> {
    let known = match format {
        PCM => (1..=4).contains(&width),
        FLOAT => width == 4 || width == 8,
        _ => false,
    };
    if !known || channels == 0 {
        return Err(format!("it has samples of {width} bytes in format {format}, which is not known here"));
    }
    let count = bytes.len() / (width * channels);
    let mut rows = Vec::with_capacity(count * channels);
    for channel in 0..channels {
        for time in 0..count {
            let at = (time * channels + channel) * width;
            rows.push(sample(&bytes[at..at + width], format));
        }
    }
    Value::new(vec![channels, count], Data::F64(rows)).ok_or_else(|| "its size is wrong".into())
}

/// A sample of one to eight bytes.
fn sample(bytes: &[u8], format: u16) -> f64 {
    let mut wide = [0; 8];
    match (format, bytes) {
        (FLOAT, [a, b, c, d]) => f64::from(f32::from_le_bytes([*a, *b, *c, *d])),
        (FLOAT, _) => {
            wide[..bytes.len()].copy_from_slice(bytes);
            f64::from_le_bytes(wide)
        }
        (_, [byte]) => (f64::from(*byte) - 128.0) / 128.0,
        _ => {
            // The sign is in the last byte, so the number goes to the upper end of a wide one.
            wide[8 - bytes.len()..].copy_from_slice(bytes);
            i64::from_le_bytes(wide) as f64 / 2f64.powi(63)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn there_and_back(shape: Vec<usize>, data: Data) -> Vec<f64> {
        let value = Value::new(shape, data).expect("a value");
        let read = decoded(&encoded(&value, 44100, "wav").expect("a sound")).expect("a sound");
        read.elements::<f64>().expect("floats").to_vec()
    }

    #[test]
    fn what_is_written_is_read() {
        assert_eq!(there_and_back(vec![3], Data::U8(vec![0, 128, 192])), [-1.0, 0.0, 0.5]);
        assert_eq!(there_and_back(vec![3], Data::I8(vec![-128, 0, 64])), [-1.0, 0.0, 0.5]);
        assert_eq!(there_and_back(vec![2], Data::I16(vec![-0x8000, 0x4000])), [-1.0, 0.5]);
        assert_eq!(there_and_back(vec![2], Data::U16(vec![0, 0xc000])), [-1.0, 0.5]);
        assert_eq!(there_and_back(vec![1], Data::I32(vec![-0x4000_0000])), [-0.5]);
        assert_eq!(there_and_back(vec![1], Data::U32(vec![0x4000_0000])), [-0.5]);
        assert_eq!(there_and_back(vec![2], Data::F32(vec![0.25, -0.75])), [0.25, -0.75]);
        // Channels are rows, also where files mix them.
        assert_eq!(there_and_back(vec![2, 2], Data::F64(vec![0.1, 0.2, 0.3, 0.4])), [0.1, 0.2, 0.3, 0.4]);
        assert_eq!(there_and_back(vec![0], Data::I16(vec![])), [0.0; 0]);
    }

    #[test]
    fn what_is_no_sound_is_refused() {
        let value = |shape, data| Value::new(shape, data).expect("a value");
        assert!(encoded(&value(vec![1], Data::I64(vec![1])), 44100, "wav").is_err());
        assert!(encoded(&value(vec![], Data::I16(vec![1])), 44100, "wav").is_err());
        assert!(encoded(&value(vec![0, 4], Data::I16(vec![])), 44100, "wav").is_err());
        let file = encoded(&value(vec![2], Data::I16(vec![1, 2])), 8000, "wav").expect("a sound");
        for length in 0..44 {
            assert!(decoded(&file[..length]).is_err(), "{length}");
        }
        assert!(decoded(b"RIFF\0\0\0\0WAVEdata\xff\xff\xff\xff").is_err());
    }
}
