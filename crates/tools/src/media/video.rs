//! Videos: GIF is written here, anything else by `ffmpeg`, one picture at a time.

use super::image::Picture;
use super::outside::{self, Running};
use std::path::Path;
use std::time::Duration;

/// How a video is played.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Playing {
    /// Pictures per second.
    pub(crate) fps: u32,
    /// Whether it begins again at the end.
    pub(crate) repeat: bool,
}

/// A video that is being written.
pub(crate) enum Writer {
    Gif { playing: Playing, encoder: Option<gif::Encoder<Vec<u8>>>, size: (u16, u16) },
    Ffmpeg { playing: Playing, running: Option<Running>, size: (usize, usize), to: String },
}

const WITHOUT_FFMPEG: &str = "`format: gif` needs no other program";

impl Writer {
    /// A video in the format that the extension of a file names.
    pub(crate) fn new(to: &Path, playing: Playing) -> Writer {
        if to.extension().is_some_and(|e| e.eq_ignore_ascii_case("gif")) {
            return Writer::Gif { playing, encoder: None, size: (0, 0) };
        }
        Writer::Ffmpeg { playing, running: None, size: (0, 0), to: format!("file:{}", to.display()) }
    }

    /// Adds a picture. All must have the same size.
    pub(crate) fn frame(&mut self, picture: &Picture) -> Result<(), String> {
        match self {
            Writer::Gif { playing, encoder, size } => {
                let side =
                    |n: usize| u16::try_from(n).map_err(|_| "a GIF has at most 65535 rows and columns");
                let this = (side(picture.width)?, side(picture.height)?);
                if encoder.is_none() {
                    *size = this;
                    *encoder = Some(gif_encoder(this, playing)?);
                }
                if this != *size || picture.rgb.is_empty() {
                    return different_sizes();
                }
                let mut frame = gif::Frame::from_rgb(this.0, this.1, &picture.rgb);
                frame.delay = hundredths(playing);
                let Some(encoder) = encoder else { return Ok(()) };
                encoder.write_frame(&frame).map_err(|e| format!("the video cannot be written: {e}"))
            }
            Writer::Ffmpeg { playing, running, size, to } => {
                if running.is_none() {
                    *size = (picture.width, picture.height);
                    *running = Some(ffmpeg(*size, playing, to)?);
                }
                if *size != (picture.width, picture.height) || picture.rgb.is_empty() {
                    return different_sizes();
                }
                running.as_mut().map_or(Ok(()), |r| r.write(&picture.rgb))
            }
        }
    }

    /// Ends the video: the bytes of its file, or `None` if they have been written.
    pub(crate) fn finish(self) -> Result<Option<Vec<u8>>, String> {
        let none = || "a video needs at least one picture".to_owned();
        match self {
            Writer::Gif { encoder, .. } => {
                let bytes = encoder.ok_or_else(none)?.into_inner();
                bytes.map(Some).map_err(|e| format!("the video cannot be written: {e}"))
            }
            Writer::Ffmpeg { running, .. } => running.ok_or_else(none)?.finish().map(|_| None),
        }
    }
}

/// Some pictures as the bytes of a GIF.
pub(crate) fn gif(pictures: &[Picture]) -> Result<Vec<u8>, String> {
    let playing = Playing { fps: 1, repeat: false };
    let mut writer = Writer::Gif { playing, encoder: None, size: (0, 0) };
    pictures.iter().try_for_each(|p| writer.frame(p))?;
    writer.finish().map(Option::unwrap_or_default)
}

fn gif_encoder(size: (u16, u16), playing: &Playing) -> Result<gif::Encoder<Vec<u8>>, String> {
    let mut encoder = gif::Encoder::new(vec![], size.0, size.1, &[])
        .map_err(|e| format!("the video cannot be written: {e}"))?;
    let repeat = if playing.repeat { gif::Repeat::Infinite } else { gif::Repeat::Finite(0) };
    encoder.set_repeat(repeat).map_err(|e| format!("the video cannot be written: {e}"))?;
    Ok(encoder)
}

/// How long a picture of a GIF is shown. Browsers slow down what is shown for less than two hundredths of a second.
fn hundredths(playing: &Playing) -> u16 {
    let shown = Duration::from_secs(1) / playing.fps.max(1);
    u16::try_from((shown.as_millis() + 5) / 10).unwrap_or(u16::MAX).max(2)
}

fn ffmpeg(size: (usize, usize), playing: &Playing, to: &str) -> Result<Running, String> {
    let (pixels, rate) = (format!("{}x{}", size.0, size.1), playing.fps.to_string());
    let input = ["-f", "rawvideo", "-pix_fmt", "rgb24", "-s", &pixels, "-r", &rate, "-i", "pipe:0"];
    // Most formats want an even number of rows and columns.
    let even = "pad=ceil(iw/2)*2:ceil(ih/2)*2";
    let output = ["-vf", even, "-pix_fmt", "yuv420p", "-b:v", "2M", to];
    let args = [&["-nostdin", "-v", "error", "-y"][..], &input, &output].concat();
    outside::start("ffmpeg", &args, WITHOUT_FFMPEG)
}

fn different_sizes<T>() -> Result<T, String> {
    Err("the pictures of a video must have the same size, and some pixels".into())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn picture(width: usize, height: usize, byte: u8) -> Picture {
        Picture { width, height, rgb: vec![byte; 3 * width * height] }
    }

    #[test]
    fn gif_has_all_pictures() {
        let mut writer = Writer::new(Path::new("x.gif"), Playing { fps: 10, repeat: true });
        for byte in [0, 100, 200] {
            writer.frame(&picture(3, 2, byte)).expect("a frame");
        }
        let bytes = writer.finish().expect("a video").expect("bytes");
        let mut options = gif::DecodeOptions::new();
        options.set_color_output(gif::ColorOutput::RGBA);
        let mut decoder = options.read_info(&bytes[..]).expect("a GIF");
        assert_eq!((decoder.width(), decoder.height(), decoder.repeat()), (3, 2, gif::Repeat::Infinite));
        let mut seen = vec![];
        while let Some(frame) = decoder.read_next_frame().expect("a frame") {
            seen.push((frame.buffer[0], frame.delay));
        }
        assert_eq!(seen, [(0, 10), (100, 10), (200, 10)]);
    }

    #[test]
    fn pictures_of_other_sizes_and_no_pictures_are_refused() {
        let mut writer = Writer::new(Path::new("x.gif"), Playing { fps: 10, repeat: true });
        writer.frame(&picture(3, 2, 0)).expect("a frame");
        assert!(writer.frame(&picture(2, 3, 0)).is_err());
        assert!(writer.frame(&picture(0, 3, 0)).is_err());
        assert!(gif(&[]).is_err());
        assert!(gif(&[picture(0, 0, 0)]).is_err());
    }
}
