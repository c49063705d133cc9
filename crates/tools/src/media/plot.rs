//! Plots of lines, points and bars, as SVG.
//!
//! In: series of points, and how they are shown. Out: a picture with axes, ticks at round numbers, a line,
//! points or bars for each series, and a legend if they have names. Points that are no numbers interrupt a
//! line. A line has at most a few points for each column of pixels: with the smallest and the largest of each
//! it looks the same; of points at the same place there is one.
//!
//! ```text
//! let series = Series { name: None, style: Style::Lines, xs: vec![0.0, 1.0], ys: vec![2.0, 3.0] };
//! let svg = plot::svg(&[series], &Frame::default());
//! ```

mod axis;

use axis::Axis;
use fehu_data::{Data, Value};
use std::collections::BTreeSet;
use std::fmt::Write;

/// Points, and how they are shown.
pub(crate) struct Series {
    pub(crate) name: Option<String>,
    pub(crate) style: Style,
    pub(crate) xs: Vec<f64>,
    pub(crate) ys: Vec<f64>,
}

/// How points are shown.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(crate) enum Style {
    /// A line connects them.
    #[default]
    Lines,
    /// A dot for each.
    Points,
    /// A bar from the axis to each.
    Bars,
}

/// What is around the points.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Frame {
    /// Width and height, in pixels.
    pub(crate) size: (u32, u32),
    pub(crate) title: Option<String>,
    pub(crate) across: Scale,
    pub(crate) down: Scale,
}

/// What an axis says.
#[derive(Clone, PartialEq, Default, Debug)]
pub(crate) struct Scale {
    pub(crate) name: Option<String>,
    pub(crate) logarithmic: bool,
}

impl Default for Frame {
    /// Gnuplot's size, which Futhark's plots have, too.
    fn default() -> Frame {
        Frame { size: (500, 500), title: None, across: Scale::default(), down: Scale::default() }
    }
}

/// Colours that people with any kind of sight tell from each other, on white.
const COLOURS: [&str; 8] =
    ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#56b4e9", "#e69f00", "#000000", "#b0a000"];

/// Space around the points, in pixels; and for a title or the name of an axis.
const LEFT: f64 = 64.0;
const RIGHT: f64 = 16.0;
const TOP: f64 = 16.0;
const BOTTOM: f64 = 32.0;
const HEADING: f64 = 22.0;

/// A tick for so many pixels, at least.
const PIXELS_PER_TICK_ACROSS: f64 = 70.0;
const PIXELS_PER_TICK_DOWN: f64 = 40.0;

/// The radius of a point, and the part of the space between two bars that a bar takes.
const RADIUS: f64 = 2.5;
const BAR: f64 = 0.8;

/// The width of a letter in the legend, about.
const LETTER: f64 = 7.5;

/// The elements of an array of numbers with one dimension.
pub(crate) fn numbers(value: &Value) -> Option<Vec<f64>> {
    if value.rank() != 1 {
        return None;
    }
    Some(match value.data() {
        Data::I8(xs) => xs.iter().map(|x| f64::from(*x)).collect(),
        Data::I16(xs) => xs.iter().map(|x| f64::from(*x)).collect(),
        Data::I32(xs) => xs.iter().map(|x| f64::from(*x)).collect(),
        Data::I64(xs) => xs.iter().map(|x| *x as f64).collect(),
        Data::U8(xs) => xs.iter().map(|x| f64::from(*x)).collect(),
        Data::U16(xs) => xs.iter().map(|x| f64::from(*x)).collect(),
        Data::U32(xs) => xs.iter().map(|x| f64::from(*x)).collect(),
        Data::U64(xs) => xs.iter().map(|x| *x as f64).collect(),
        Data::F16(xs) => xs.iter().map(|x| x.to_f64()).collect(),
        Data::F32(xs) => xs.iter().map(|x| f64::from(*x)).collect(),
        Data::F64(xs) => xs.clone(),
        Data::Bool(_) => return None,
    })
}

/// The plot of some series.
pub(crate) fn svg(series: &[Series], frame: &Frame) -> String {
    let (width, height) = (f64::from(frame.size.0), f64::from(frame.size.1));
    let longest = series.iter().filter_map(|s| s.name.as_ref()).map(|n| n.chars().count()).max();
    let legend = longest.map_or(0.0, |n| 40.0 + LETTER * n as f64);
    let space = |text: &Option<String>| if text.is_some() { HEADING } else { 0.0 };
    let (left, top) = (LEFT + space(&frame.down.name), TOP + space(&frame.title));
    let bottom = BOTTOM + space(&frame.across.name);
    let bars = Bars::of(series);
    let (across, down) = (&frame.across, &frame.down);
    let xs = series.iter().flat_map(|s| s.xs.iter().flat_map(|x| bars.ends(s, *x)));
    let across = Axis::over(xs, (left, (width - RIGHT - legend).max(left + 1.0)), across.logarithmic);
    let ys = series.iter().flat_map(|s| s.ys.iter().copied());
    let zero = bars.any.then_some(0.0);
    let down = Axis::over(ys.chain(zero), ((height - bottom).max(top + 1.0), top), down.logarithmic);
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" \
         viewBox=\"0 0 {width} {height}\" font-family=\"sans-serif\" font-size=\"12\">\n\
         <rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n"
    );
    ticks(&mut out, &across, &down);
    headings(&mut out, frame, &across, &down);
    let mut nth_bars = 0;
    for (i, s) in series.iter().enumerate() {
        let colour = COLOURS[i % COLOURS.len()];
        // Writing to a string does not fail.
        let _ = match s.style {
            Style::Lines => writeln!(
                out,
                "<path fill=\"none\" stroke=\"{colour}\" stroke-width=\"1.5\" stroke-linejoin=\"round\" d=\"{}\"/>",
                path(s, &across, &down)
            ),
            Style::Points => writeln!(
                out,
                "<path fill=\"none\" stroke=\"{colour}\" stroke-width=\"{}\" stroke-linecap=\"round\" d=\"{}\"/>",
                2.0 * RADIUS,
                dots(s, &across, &down)
            ),
            Style::Bars => {
                nth_bars += 1;
                writeln!(out, "<path fill=\"{colour}\" d=\"{}\"/>", bars.path(s, nth_bars - 1, &across, &down))
            }
        };
        if let Some(name) = &s.name {
            let (x, y) = (across.end + 12.0, top + 8.0 + 18.0 * i as f64);
            let sample = sample(s.style, colour, x, y);
            let _ =
                writeln!(out, "{sample}<text x=\"{}\" y=\"{}\">{}</text>", x + 24.0, y + 4.0, escaped(name));
        }
    }
    out + "</svg>\n"
}

/// What a series looks like, for the legend.
fn sample(style: Style, colour: &str, x: f64, y: f64) -> String {
    match style {
        Style::Lines => format!("<path stroke=\"{colour}\" stroke-width=\"2\" d=\"M{x} {y}h18\"/>"),
        Style::Points => format!("<circle fill=\"{colour}\" cx=\"{}\" cy=\"{y}\" r=\"{RADIUS}\"/>", x + 9.0),
        Style::Bars => {
            format!("<rect fill=\"{colour}\" x=\"{x}\" y=\"{}\" width=\"18\" height=\"10\"/>", y - 5.0)
        }
    }
}

/// The title, and the names of the axes.
fn headings(out: &mut String, frame: &Frame, across: &Axis, down: &Axis) {
    let middle = f64::midpoint(across.start, across.end);
    if let Some(title) = &frame.title {
        let y = down.end - 10.0;
        let text = escaped(title);
        let _ = writeln!(
            out,
            "<text x=\"{middle:.1}\" y=\"{y:.1}\" text-anchor=\"middle\" font-size=\"14\" font-weight=\"bold\">{text}</text>"
        );
    }
    if let Some(name) = &frame.across.name {
        let y = down.start + BOTTOM + 4.0;
        let _ = writeln!(
            out,
            "<text x=\"{middle:.1}\" y=\"{y:.1}\" text-anchor=\"middle\">{}</text>",
            escaped(name)
        );
    }
    if let Some(name) = &frame.down.name {
        let (x, y) = (HEADING - 6.0, f64::midpoint(down.start, down.end));
        let _ = writeln!(
            out,
            "<text transform=\"translate({x:.1} {y:.1}) rotate(-90)\" text-anchor=\"middle\">{}</text>",
            escaped(name)
        );
    }
}

/// Dots, each as a line without length; one for each place.
fn dots(series: &Series, across: &Axis, down: &Axis) -> String {
    let mut path = String::new();
    let mut places = BTreeSet::new();
    for (x, y) in series.xs.iter().zip(&series.ys).filter(|(x, y)| across.shows(**x) && down.shows(**y)) {
        let place = format!("M{:.1} {:.1}h0", across.at(*x), down.at(*y));
        if places.insert(place.clone()) {
            path += &place;
        }
    }
    path
}

/// The bars of a plot: those at one place stand beside each other.
struct Bars {
    any: bool,
    series: usize,
    /// From one bar to the next.
    distance: f64,
}

impl Bars {
    fn of(series: &[Series]) -> Bars {
        let all: Vec<&Series> = series.iter().filter(|s| s.style == Style::Bars).collect();
        let mut xs: Vec<f64> = all.iter().flat_map(|s| &s.xs).copied().filter(|x| x.is_finite()).collect();
        xs.sort_by(f64::total_cmp);
        let distances = xs.windows(2).map(|w| w[1] - w[0]).filter(|d| *d > 0.0);
        let distance = distances.fold(f64::INFINITY, f64::min);
        let distance = if distance.is_finite() { distance } else { 1.0 };
        Bars { any: !all.is_empty(), series: all.len().max(1), distance }
    }

    /// The places that a point takes on the axis.
    fn ends(&self, series: &Series, x: f64) -> [f64; 2] {
        let half = if series.style == Style::Bars { self.distance / 2.0 } else { 0.0 };
        [x - half, x + half]
    }

    /// The rectangles of a series, which is the nth with bars.
    fn path(&self, series: &Series, nth: usize, across: &Axis, down: &Axis) -> String {
        let mut path = String::new();
        let width = self.distance * BAR / self.series as f64;
        let base = if down.logarithmic { down.start } else { down.at(0.0) };
        for (x, y) in series.xs.iter().zip(&series.ys) {
            let from = x - self.distance * BAR / 2.0 + width * nth as f64;
            if across.shows(from) && down.shows(*y) {
                let (left, right) = (across.at(from), across.at(from + width));
                let _ = write!(path, "M{left:.1} {base:.1}V{:.1}H{right:.1}V{base:.1}Z", down.at(*y));
            }
        }
        path
    }
}

fn ticks(out: &mut String, across: &Axis, down: &Axis) {
    let grid = "stroke=\"#e0e0e0\"";
    for (x, text) in across.ticks(PIXELS_PER_TICK_ACROSS) {
        let at = across.at(x);
        let _ = writeln!(
            out,
            "<path {grid} d=\"M{at:.1} {:.1}V{:.1}\"/><text x=\"{at:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{text}</text>",
            down.start,
            down.end,
            down.start + 18.0
        );
    }
    for (y, text) in down.ticks(PIXELS_PER_TICK_DOWN) {
        let at = down.at(y);
        let _ = writeln!(
            out,
            "<path {grid} d=\"M{:.1} {at:.1}H{:.1}\"/><text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\">{text}</text>",
            across.start,
            across.end,
            across.start - 6.0,
            at + 4.0
        );
    }
    let (x, y) = (across.start, down.end);
    let (width, height) = (across.end - x, down.start - y);
    let _ = writeln!(
        out,
        "<rect x=\"{x:.1}\" y=\"{y:.1}\" width=\"{width:.1}\" height=\"{height:.1}\" fill=\"none\" stroke=\"#404040\"/>"
    );
}

/// The line through the points that are numbers.
fn path(series: &Series, across: &Axis, down: &Axis) -> String {
    let points = series.xs.iter().zip(&series.ys);
    let points =
        points.map(|(x, y)| (across.shows(*x) && down.shows(*y)).then(|| (across.at(*x), down.at(*y))));
    let mut path = String::new();
    let mut pen = Pen { path: &mut path, column: Column::default(), down: false };
    for point in points {
        match point {
            Some(point) => pen.point(point),
            None => {
                pen.flush();
                pen.down = false;
            }
        }
    }
    pen.flush();
    path
}

/// Points in the same column of pixels, one after the other: the first, the highest, the lowest and the last.
#[derive(Default)]
struct Column {
    points: Vec<(f64, f64)>,
}

struct Pen<'a> {
    path: &'a mut String,
    column: Column,
    down: bool,
}

impl Pen<'_> {
    fn point(&mut self, point: (f64, f64)) {
        let points = &mut self.column.points;
        if points.first().is_some_and(|first| first.0.floor() != point.0.floor()) {
            self.flush();
        }
        let points = &mut self.column.points;
        points.push(point);
        if points.len() > 4 {
            // Of first, two between and last, the extremes stay in their order.
            let inner = &points[1..points.len() - 1];
            let extreme = |better: fn(f64, f64) -> bool| {
                (0..inner.len()).fold(0, |best, i| if better(inner[i].1, inner[best].1) { i } else { best })
            };
            let (low, high) = (extreme(|a, b| a < b), extreme(|a, b| a > b));
            let keep = [low.min(high), low.max(high)].map(|i| inner[i]);
            let (first, last) = (points[0], point);
            *points = vec![first, keep[0], keep[1], last];
        }
    }

    fn flush(&mut self) {
        for (x, y) in self.column.points.drain(..) {
            let _ = write!(self.path, "{}{x:.1} {y:.1}", if self.down { "L" } else { "M" });
            self.down = true;
        }
    }
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn series(xs: &[f64], ys: &[f64]) -> Series {
        Series { name: None, style: Style::Lines, xs: xs.to_vec(), ys: ys.to_vec() }
    }

    fn line(s: Series) -> String {
        let across = Axis { low: 0.0, high: 10.0, start: 0.0, end: 100.0, logarithmic: false };
        let down = Axis { low: 0.0, high: 10.0, start: 100.0, end: 0.0, logarithmic: false };
        path(&s, &across, &down)
    }

    #[test]
    fn lines() {
        assert_eq!(line(series(&[0.0, 5.0, 10.0], &[0.0, 10.0, 5.0])), "M0.0 100.0L50.0 0.0L100.0 50.0");
        let gap = series(&[0.0, 1.0, 2.0, 3.0], &[1.0, f64::NAN, 2.0, 3.0]);
        assert_eq!(line(gap), "M0.0 90.0M20.0 80.0L30.0 70.0");
        assert_eq!(line(series(&[], &[])), "");
    }

    #[test]
    fn many_points_in_a_column_are_few() {
        let n = 100_000;
        let xs: Vec<f64> = (0..n).map(|i| 10.0 * f64::from(i) / f64::from(n)).collect();
        let ys: Vec<f64> = (0..n).map(|i| f64::from(i % 11)).collect();
        let path = line(series(&xs, &ys));
        assert!(path.len() < 10_000, "{}", path.len());
        assert!(path.contains(" 0.0L") && path.contains(" 100.0L"));
    }

    #[test]
    fn ticks_are_round() {
        let on = |low, high, logarithmic| {
            let axis = Axis { low, high, start: 0.0, end: 350.0, logarithmic };
            axis.ticks(70.0).into_iter().map(|(_, text)| text).collect::<Vec<_>>()
        };
        let ticks = |low, high| on(low, high, false);
        assert_eq!(on(0.5, 5e4, true), ["1", "10", "100", "1000", "10000"]);
        assert_eq!(on(1.0, 12.0, true), ["1", "2", "5", "10"]);
        assert!(on(1e-300, 1e300, true).len() < 20);
        assert_eq!(ticks(0.0, 10.0), ["0", "2", "4", "6", "8", "10"]);
        assert_eq!(ticks(-1.0, 1.0), ["-1.0", "-0.5", "0.0", "0.5", "1.0"]);
        assert_eq!(ticks(0.0, 3e9), ["0e0", "1e9", "2e9", "3e9"]);
        assert!(ticks(f64::MIN, f64::MAX).len() < 20);
    }

    #[test]
    fn strange_data_gives_a_picture() {
        for (xs, ys) in [
            (vec![], vec![]),
            (vec![1.0], vec![2.0]),
            (vec![f64::NAN], vec![f64::INFINITY]),
            (vec![0.0], vec![-1.0]),
        ] {
            for (size, style) in [((500, 500), Style::Lines), ((1, 1), Style::Points), ((0, 0), Style::Bars)]
            {
                for logarithmic in [false, true] {
                    let scale = Scale { name: Some("n".into()), logarithmic };
                    let frame = Frame { size, title: Some("t".into()), across: scale.clone(), down: scale };
                    let series = Series { name: Some("a<b".into()), style, xs: xs.clone(), ys: ys.clone() };
                    let svg = svg(&[series], &frame);
                    assert!(svg.ends_with("</svg>\n") && svg.contains("a&lt;b"));
                    assert!(!svg.contains("NaN") && !svg.contains("inf"), "{svg}");
                }
            }
        }
    }

    #[test]
    fn bars_stand_beside_each_other() {
        let bars = |name: &str| Series {
            style: Style::Bars,
            name: Some(name.into()),
            ..series(&[1.0, 2.0], &[3.0, 4.0])
        };
        let both = [bars("a"), bars("b")];
        let found = Bars::of(&both);
        let across = Axis { low: 0.0, high: 10.0, start: 0.0, end: 100.0, logarithmic: false };
        let down = Axis { low: 0.0, high: 10.0, start: 100.0, end: 0.0, logarithmic: false };
        assert_eq!(
            found.path(&both[0], 0, &across, &down),
            "M6.0 100.0V70.0H10.0V100.0ZM16.0 100.0V60.0H20.0V100.0Z"
        );
        assert!(found.path(&both[1], 1, &across, &down).starts_with("M10.0 100.0V70.0H14.0"));
    }

    #[test]
    fn points_at_one_place_are_one() {
        let many = series(&[1.0; 1000], &[2.0; 1000]);
        let across = Axis { low: 0.0, high: 10.0, start: 0.0, end: 100.0, logarithmic: false };
        assert_eq!(dots(&many, &across, &across), "M10.0 20.0h0");
    }

    #[test]
    fn unsigned_numbers() {
        assert_eq!(numbers(&Value::vector(vec![255u8, 1])), Some(vec![255.0, 1.0]));
        assert_eq!(numbers(&Value::vector(vec![u64::MAX])), Some(vec![u64::MAX as f64]));
        assert_eq!(numbers(&Value::vector(vec![-1i16])), Some(vec![-1.0]));
        assert_eq!(numbers(&Value::vector(vec![1.5f32])), Some(vec![1.5]));
        assert_eq!(numbers(&Value::vector(vec![true])), None);
        assert_eq!(numbers(&Value::scalar(1.5f32)), None);
    }
}
