//! Pictures, videos, sounds and plots: what `fehu literate` makes of values, and what scripts read with `$loadimg` and
//! `$loadaudio`.
//!
//! PNG, GIF, WAV and SVG are read and written here. Other formats need the program that Futhark's manual
//! names for them (`convert`, `ffmpeg`, `gnuplot`), which [`outside`] runs without a shell; the error
//! about one that is not installed says which formats need no other program.

pub(crate) mod audio;
pub(crate) mod gnuplot;
pub(crate) mod image;
pub(crate) mod outside;
pub(crate) mod plot;
pub(crate) mod video;
