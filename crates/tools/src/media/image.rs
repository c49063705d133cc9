//! Pictures: values as pixels, PNG and GIF as bytes, files as values.
//!
//! | value | is |
//! | --- | --- |
//! | `[][]i32`, `[][]u32` | pixels `0xAARRGGBB`; pictures have no holes, so the alpha channel does not count |
//! | `[][]f32`, `[][]f64` | grey from 0 (black) to 1 (white) |
//! | `[][]u8` | grey from 0 (black) to 255 (white) |
//! | `[][]bool` | black (`false`) and white (`true`) |

use super::outside;
use fehu_data::{Data, Value};
use fehu_driver::files::read_data;
use std::path::Path;

/// A picture: rows of pixels from the top, three bytes for each.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Picture {
    pub(crate) width: usize,
    pub(crate) height: usize,
    pub(crate) rgb: Vec<u8>,
}

/// The most bytes that a picture may have when it is unpacked.
const MAX_PICTURE_BYTES: usize = 1 << 30;

/// Formats that `convert` writes for us, by the extensions of their files.
const CONVERTED: [&str; 7] = ["bmp", "jpeg", "jpg", "ppm", "tif", "tiff", "webp"];

const WITHOUT_CONVERT: &str = "PNG and GIF files need no other program";

impl Picture {
    /// The picture that a value is.
    pub(crate) fn of(value: &Value) -> Option<Picture> {
        let [height, width] = *value.shape() else { return None };
        Some(Picture { width, height, rgb: pixels(value.data())? })
    }

    /// The pictures that the rows of a value are.
    pub(crate) fn frames(value: &Value) -> Option<Vec<Picture>> {
        let [_, height, width] = *value.shape() else { return None };
        let rgb = pixels(value.data())?;
        let frames = rgb.chunks((3 * height * width).max(1));
        Some(frames.map(|rgb| Picture { width, height, rgb: rgb.to_vec() }).collect())
    }

    /// The picture in the format that the extension of a file names; PNG, if it names none.
    pub(crate) fn encoded(&self, extension: &str) -> Result<Vec<u8>, String> {
        let extension = extension.to_ascii_lowercase();
        if extension == "gif" {
            return super::video::gif(std::slice::from_ref(self));
        }
        let png = self.png()?;
        if CONVERTED.contains(&extension.as_str()) {
            return outside::run("convert", &["png:-", &format!("{extension}:-")], &png, WITHOUT_CONVERT);
        }
        Ok(png)
    }

    fn png(&self) -> Result<Vec<u8>, String> {
        let size = |n: usize| u32::try_from(n).ok().filter(|n| *n > 0);
        let (Some(width), Some(height)) = (size(self.width), size(self.height)) else {
            return Err(format!("a picture of {} by {} pixels cannot be written", self.width, self.height));
        };
        let mut bytes = vec![];
        let mut encoder = png::Encoder::new(&mut bytes, width, height);
        encoder.set_color(png::ColorType::Rgb);
        encoder.set_depth(png::BitDepth::Eight);
        let written = encoder.write_header().and_then(|mut writer| writer.write_image_data(&self.rgb));
        written.map(|()| bytes).map_err(|e| format!("the picture cannot be written: {e}"))
    }
}

/// The colours of elements.
fn pixels(data: &Data) -> Option<Vec<u8>> {
    let grey = |g: u8| [g; 3];
    let level = |x: f64| grey((x.clamp(0.0, 1.0) * 255.0).round() as u8);
    let argb = |p: u32| {
        let [_, r, g, b] = p.to_be_bytes();
        [r, g, b]
    };
    Some(match data {
        Data::I32(ps) => ps.iter().flat_map(|p| argb(*p as u32)).collect(),
        Data::U32(ps) => ps.iter().flat_map(|p| argb(*p)).collect(),
        Data::F32(xs) => xs.iter().flat_map(|x| level(f64::from(*x))).collect(),
        Data::F64(xs) => xs.iter().flat_map(|x| level(*x)).collect(),
        Data::U8(xs) => xs.iter().flat_map(|x| grey(*x)).collect(),
        Data::Bool(xs) => xs.iter().flat_map(|x| grey(if *x { 255 } else { 0 })).collect(),
        Data::I8(_) | Data::I16(_) | Data::I64(_) | Data::U16(_) | Data::U64(_) | Data::F16(_) => {
            return None
        }
    })
}

/// Reads a picture as an array of type `[][]u32`, with pixels `0xAARRGGBB`.
pub(crate) fn load(path: &Path) -> Result<Value, String> {
    let bytes = read_data(path).map_err(|e| format!("could not read {}: {e}", path.display()))?;
    let png = match bytes.starts_with(b"\x89PNG") {
        true => bytes,
        false => outside::run("convert", &["-", "png:-"], &bytes, "PNG files need no other program")?,
    };
    decoded(&png).map_err(|e| format!("{} cannot be read as a picture: {e}", path.display()))
}

fn decoded(png: &[u8]) -> Result<Value, String> {
    let mut decoder = png::Decoder::new(std::io::Cursor::new(png));
    decoder.set_transformations(png::Transformations::normalize_to_color8() | png::Transformations::ALPHA);
    let mut reader = decoder.read_info().map_err(|e| e.to_string())?;
    let size = reader.output_buffer_size().filter(|n| *n <= MAX_PICTURE_BYTES).ok_or("it is too large")?;
    let mut buffer = vec![0; size];
    let frame = reader.next_frame(&mut buffer).map_err(|e| e.to_string())?;
    let bytes = &buffer[..frame.buffer_size()];
    let argb = |r: u8, g: u8, b: u8, a: u8| u32::from_be_bytes([a, r, g, b]);
    let pixels: Vec<u32> = match frame.color_type {
        png::ColorType::Rgba => bytes.chunks_exact(4).map(|p| argb(p[0], p[1], p[2], p[3])).collect(),
        png::ColorType::GrayscaleAlpha => {
            bytes.chunks_exact(2).map(|p| argb(p[0], p[0], p[0], p[1])).collect()
        }
        png::ColorType::Rgb => bytes.chunks_exact(3).map(|p| argb(p[0], p[1], p[2], 255)).collect(),
        png::ColorType::Grayscale => bytes.iter().map(|g| argb(*g, *g, *g, 255)).collect(),
        png::ColorType::Indexed => return Err("its colours are indexed".into()),
    };
    let shape = vec![frame.height as usize, frame.width as usize];
    Value::new(shape, Data::U32(pixels)).ok_or_else(|| "its size is wrong".into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read() {
        let value = Value::new(vec![2, 3], Data::U32(vec![0xff0000, 0xff00, 0xff, 0, 0xffffff, 0x123456]));
        let picture = Picture::of(&value.expect("a value")).expect("a picture");
        let read = decoded(&picture.encoded("png").expect("a file")).expect("a picture");
        assert_eq!(read.shape(), [2, 3]);
        let expected = [0xffff0000, 0xff00ff00, 0xff0000ff, 0xff000000, 0xffffffff, 0xff123456];
        assert_eq!(read.elements::<u32>(), Some(&expected[..]));
    }

    #[test]
    fn greys() {
        let rgb = |data| Picture::of(&Value::new(vec![1, 2], data).expect("a value")).map(|p| p.rgb);
        assert_eq!(rgb(Data::F32(vec![0.5, 7.0])), Some(vec![128, 128, 128, 255, 255, 255]));
        assert_eq!(rgb(Data::F64(vec![f64::NAN, -1.0])), Some(vec![0; 6]));
        assert_eq!(rgb(Data::Bool(vec![false, true])), Some(vec![0, 0, 0, 255, 255, 255]));
        assert_eq!(rgb(Data::U8(vec![1, 2])), Some(vec![1, 1, 1, 2, 2, 2]));
        assert_eq!(rgb(Data::I64(vec![1, 2])), None);
    }

    #[test]
    fn empty_and_broken_pictures_are_refused() {
        let empty = Value::new(vec![0, 3], Data::U8(vec![])).expect("a value");
        assert!(Picture::of(&empty).expect("a picture").encoded("png").is_err());
        assert!(decoded(b"\x89PNG\r\n\x1a\n").is_err());
    }
}
