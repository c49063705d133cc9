//! Executing a directive: its expression is evaluated on a server, and its value becomes text or the bytes of a file.

use super::directive::{Directive, Product};
use crate::media::audio;
use crate::media::gnuplot::{self, DataSet};
use crate::media::image::Picture;
use crate::media::plot::{self, Series, Style};
use crate::media::video::{Playing, Writer};
use crate::programs::script::{wrong, Evaluator, Res, ScriptError, Val};
use std::path::Path;

/// The content of the file that a directive gives; for text, the text. `name` is the file's, whose extension
/// says in which format it is.
pub(super) fn content(e: &mut Evaluator, directive: &Directive, name: &str, scratch: &Path) -> Res<Vec<u8>> {
    let value = e.exp(&directive.exp)?;
    match &directive.product {
        Product::Text => Ok(e.text(&value)?.into_bytes()),
        Product::Image { .. } => {
            let picture = picture(e, &value)?;
            said(picture.encoded(extension(name)))
        }
        Product::Plot { frame, style, styles, .. } => {
            let mut all = series(e, &value)?;
            all.iter_mut().for_each(|s| s.style = *style);
            for (name, style) in styles {
                let Some(of) = all.iter_mut().find(|s| s.name.as_ref() == Some(name)) else {
                    return wrong(format!("there is no series `{name}`: the fields of a record are series"));
                };
                of.style = *style;
            }
            Ok(plot::svg(&all, frame).into_bytes())
        }
        Product::Gnuplot { script } => {
            let (sets, to) = (data_sets(e, &value)?, scratch.join("plot.png"));
            said(gnuplot::run(&sets, script, scratch, &to))?;
            written(&to)
        }
        Product::Video { playing, .. } => {
            let to = scratch.join("video").with_extension(extension(name));
            match video(e, &value, playing, &to)? {
                Some(bytes) => Ok(bytes),
                None => written(&to),
            }
        }
        Product::Audio { frequency, codec } => match e.value(&value) {
            Ok(samples) => said(audio::encoded(&samples, *frequency, codec)),
            Err(ScriptError::Script(_)) => not(e, &value, "sound"),
            Err(e @ ScriptError::Server(_)) => Err(e),
        },
    }
}

fn extension(name: &str) -> &str {
    name.rsplit_once('.').map_or("", |(_, extension)| extension)
}

fn said<T>(result: Result<T, String>) -> Res<T> {
    result.map_err(ScriptError::Script)
}

/// A file that another program wrote.
fn written(path: &Path) -> Res<Vec<u8>> {
    said(std::fs::read(path).map_err(|e| format!("there is no result: {e}")))
}

/// The message that a value is of the wrong type.
fn not<T>(e: &mut Evaluator, value: &Val, what: &str) -> Res<T> {
    let t = e.type_name(value);
    wrong(format!("a value of type {t} is no {what}"))
}

fn picture(e: &mut Evaluator, value: &Val) -> Res<Picture> {
    match e.value(value) {
        Ok(pixels) => match Picture::of(&pixels) {
            Some(picture) => Ok(picture),
            None => not(e, value, "picture"),
        },
        Err(ScriptError::Script(_)) => not(e, value, "picture"),
        Err(e @ ScriptError::Server(_)) => Err(e),
    }
}

/// The series of a plot: one for each field of a record, or only one.
fn series(e: &mut Evaluator, value: &Val) -> Res<Vec<Series>> {
    let mut all = vec![];
    let lines = match e.named_fields(value)? {
        Some(fields) => fields.into_iter().map(|(name, v)| (Some(name), v)).collect(),
        None => vec![(None, value.clone())],
    };
    for (name, line) in lines {
        let Some([xs, ys]) = columns(e, &line)?.and_then(|c| <[Vec<f64>; 2]>::try_from(c).ok()) else {
            return not(e, value, "plot: it takes two arrays of numbers, or a record of such pairs");
        };
        if xs.len() != ys.len() {
            return wrong(format!("there are {} x values and {} y values", xs.len(), ys.len()));
        }
        all.push(Series { name, style: Style::default(), xs, ys });
    }
    Ok(all)
}

fn data_sets(e: &mut Evaluator, value: &Val) -> Res<Vec<DataSet>> {
    let Some(fields) = e.named_fields(value)? else {
        return not(e, value, "plot: it takes a record of tuples of arrays");
    };
    let mut sets = vec![];
    for (name, field) in fields {
        let Some(columns) = columns(e, &field)? else {
            return not(e, value, "plot: it takes a record of tuples of arrays");
        };
        sets.push(DataSet { name, columns });
    }
    Ok(sets)
}

/// The arrays of numbers that a tuple has; `None` if it has something else.
fn columns(e: &mut Evaluator, value: &Val) -> Res<Option<Vec<Vec<f64>>>> {
    let mut columns = vec![];
    for part in e.components(value)? {
        let numbers = match e.value(&part) {
            Ok(array) => plot::numbers(&array),
            Err(ScriptError::Script(_)) => None,
            Err(e @ ScriptError::Server(_)) => return Err(e),
        };
        let Some(numbers) = numbers else { return Ok(None) };
        columns.push(numbers);
    }
    Ok(Some(columns))
}

/// A video of the rows of an array, or of what a function of a state gives. `None` if the file has been written.
fn video(e: &mut Evaluator, value: &Val, playing: &Playing, to: &Path) -> Res<Option<Vec<u8>>> {
    let mut writer = Writer::new(to, playing.clone());
    let parts = e.components(value)?;
    if let [step @ Val::Function(..), state, count] = parts.as_slice() {
        let count = e.number(count)?;
        film(e, step, state.clone(), count, &mut writer)?;
        return said(writer.finish());
    }
    let frames = match e.value(value) {
        Ok(pixels) => Picture::frames(&pixels),
        Err(ScriptError::Script(_)) => None,
        Err(e @ ScriptError::Server(_)) => return Err(e),
    };
    let Some(frames) = frames else {
        return not(e, value, "video: it takes an array of pictures, or a function, a state and a number");
    };
    frames.iter().try_for_each(|frame| said(writer.frame(frame)))?;
    said(writer.finish())
}

/// Only one picture is there at a time.
fn film(e: &mut Evaluator, step: &Val, mut state: Val, count: usize, writer: &mut Writer) -> Res<()> {
    for i in 0..count {
        let result = e.apply_value(step, state.clone())?;
        let parts = e.spread(result.clone(), 2)?;
        let [image, next] = parts.as_slice() else {
            return wrong("the function of a video gives a picture and a state");
        };
        said(writer.frame(&picture(e, image)?))?;
        e.free(image)?;
        // The first state may be needed elsewhere; the later ones are ours.
        if i > 0 {
            e.free(&state)?;
        }
        if let Val::Var(..) = result {
            e.free(&result)?;
        }
        state = next.clone();
    }
    Ok(())
}
