//! Plots of lines, as SVG.
//!
//! In: series of points. Out: a picture with axes, ticks at round numbers, a line for each series, and a
//! legend if they have names. Points that are no numbers interrupt a line. A line has at most a few points
//! for each column of pixels: with the smallest and the largest of each it looks the same.
//!
//! ```text
//! let svg = plot::svg(&[Series { name: None, xs: vec![0.0, 1.0], ys: vec![2.0, 3.0] }], (500, 500));
//! ```

use fehu_data::{Data, Value};
use std::fmt::Write;

/// Points that a line connects.
pub(crate) struct Series {
    pub(crate) name: Option<String>,
    pub(crate) xs: Vec<f64>,
    pub(crate) ys: Vec<f64>,
}

/// Colours that people with any kind of sight tell from each other, on white.
const COLOURS: [&str; 8] =
    ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#56b4e9", "#e69f00", "#000000", "#b0a000"];

/// Space around the lines, in pixels.
const LEFT: f64 = 64.0;
const RIGHT: f64 = 16.0;
const TOP: f64 = 16.0;
const BOTTOM: f64 = 32.0;

/// A tick for so many pixels, at least.
const PIXELS_PER_TICK_ACROSS: f64 = 70.0;
const PIXELS_PER_TICK_DOWN: f64 = 40.0;

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

/// The plot of some series, of this width and height.
pub(crate) fn svg(series: &[Series], (width, height): (u32, u32)) -> String {
    let (width, height) = (f64::from(width), f64::from(height));
    let longest = series.iter().filter_map(|s| s.name.as_ref()).map(|n| n.chars().count()).max();
    let legend = longest.map_or(0.0, |n| 40.0 + LETTER * n as f64);
    let across =
        Axis::over(series.iter().flat_map(|s| &s.xs), LEFT, (width - RIGHT - legend).max(LEFT + 1.0));
    let down = Axis::over(series.iter().flat_map(|s| &s.ys), (height - BOTTOM).max(TOP + 1.0), TOP);
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" \
         viewBox=\"0 0 {width} {height}\" font-family=\"sans-serif\" font-size=\"12\">\n\
         <rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n"
    );
    ticks(&mut out, &across, &down);
    for (i, line) in series.iter().enumerate() {
        let colour = COLOURS[i % COLOURS.len()];
        let path = path(line, &across, &down);
        let style =
            format!("fill=\"none\" stroke=\"{colour}\" stroke-width=\"1.5\" stroke-linejoin=\"round\"");
        // Writing to a string does not fail.
        let _ = writeln!(out, "<path {style} d=\"{path}\"/>");
        if let Some(name) = &line.name {
            let (x, y) = (across.end + 12.0, TOP + 8.0 + 18.0 * i as f64);
            let sample = format!("<path stroke=\"{colour}\" stroke-width=\"2\" d=\"M{x} {y}h18\"/>");
            let _ =
                writeln!(out, "{sample}<text x=\"{}\" y=\"{}\">{}</text>", x + 24.0, y + 4.0, escaped(name));
        }
    }
    out + "</svg>\n"
}

/// From numbers to pixels.
struct Axis {
    low: f64,
    high: f64,
    start: f64,
    end: f64,
}

impl Axis {
    fn over<'a>(values: impl Iterator<Item = &'a f64>, start: f64, end: f64) -> Axis {
        let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
        for x in values.copied().filter(|x| x.is_finite()) {
            (low, high) = (low.min(x), high.max(x));
        }
        if low > high {
            (low, high) = (0.0, 1.0);
        }
        if low == high {
            let margin = if low == 0.0 { 1.0 } else { low.abs() * 0.1 };
            (low, high) = (low - margin, high + margin);
        }
        Axis { low, high, start, end }
    }

    fn at(&self, x: f64) -> f64 {
        // Halves, as the difference of two finite numbers need not be one.
        let part = (x / 2.0 - self.low / 2.0) / (self.high / 2.0 - self.low / 2.0);
        self.start + part * (self.end - self.start)
    }

    /// Round numbers on the axis, with their text.
    fn ticks(&self, pixels_per_tick: f64) -> Vec<(f64, String)> {
        let count = ((self.end - self.start).abs() / pixels_per_tick).max(1.0);
        let rough = (self.high / 2.0 - self.low / 2.0) / count * 2.0;
        let power = 10f64.powf(rough.log10().floor());
        let step = [1.0, 2.0, 5.0, 10.0].into_iter().map(|s| s * power).find(|s| *s >= rough);
        let Some(step) = step.filter(|s| s.is_finite() && *s > 0.0) else { return vec![] };
        let decimals = (-step.log10().floor()).clamp(0.0, 12.0) as usize;
        let largest = self.low.abs().max(self.high.abs());
        let first = (self.low / step).ceil();
        (0..=count.ceil() as usize + 1)
            .map(|i| (first + i as f64) * step)
            .filter(|x| *x <= self.high + step * 1e-9)
            .map(|x| {
                let text = if !(1e-4..1e6).contains(&largest) {
                    format!("{:e}", (x / step).round() * step)
                } else {
                    format!("{:.decimals$}", x + 0.0)
                };
                (x, if text.len() > 9 { format!("{x:.3e}") } else { text })
            })
            .collect()
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
    let points = points.map(|(x, y)| (x.is_finite() && y.is_finite()).then(|| (across.at(*x), down.at(*y))));
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
        Series { name: None, xs: xs.to_vec(), ys: ys.to_vec() }
    }

    fn line(s: Series) -> String {
        let across = Axis { low: 0.0, high: 10.0, start: 0.0, end: 100.0 };
        let down = Axis { low: 0.0, high: 10.0, start: 100.0, end: 0.0 };
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
        let ticks = |low, high| {
            let axis = Axis { low, high, start: 0.0, end: 350.0 };
            axis.ticks(70.0).into_iter().map(|(_, text)| text).collect::<Vec<_>>()
        };
        assert_eq!(ticks(0.0, 10.0), ["0", "2", "4", "6", "8", "10"]);
        assert_eq!(ticks(-1.0, 1.0), ["-1.0", "-0.5", "0.0", "0.5", "1.0"]);
        assert_eq!(ticks(0.0, 3e9), ["0e0", "1e9", "2e9", "3e9"]);
        assert!(ticks(f64::MIN, f64::MAX).len() < 20);
    }

    #[test]
    fn strange_data_gives_a_picture() {
        for (xs, ys) in [(vec![], vec![]), (vec![1.0], vec![2.0]), (vec![f64::NAN], vec![f64::INFINITY])] {
            for size in [(500, 500), (1, 1), (0, 0)] {
                let svg = svg(&[Series { name: Some("a<b".into()), xs: xs.clone(), ys: ys.clone() }], size);
                assert!(svg.ends_with("</svg>\n") && svg.contains("a&lt;b"));
                assert!(!svg.contains("NaN") && !svg.contains("inf"), "{svg}");
            }
        }
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
