//! The plot: one line for each case, a dot with its interval for each contestant, on a logarithmic axis of ratios.

use fehu_data::stats::Interval;
use std::fmt::Write as _;

const ROW: f64 = 22.0;
const LEFT: f64 = 210.0;
const WIDTH: f64 = 560.0;
const TOP: f64 = 48.0;
const COLOURS: [&str; 6] = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9"];

/// Draw the ratios of all contestants but the baseline.
pub(crate) fn svg(rows: &[(String, Vec<Option<Interval>>)], labels: &[String], baseline: usize) -> String {
    let shown = || rows.iter().flat_map(|(_, r)| r.iter().flatten());
    let low = shown().map(|r| r.low).fold(0.5, f64::min).max(1e-4);
    let high = shown().map(|r| r.high).fold(2.0, f64::max).min(1e4);
    let x = |ratio: f64| LEFT + WIDTH * (ratio.clamp(low, high) / low).ln() / (high / low).ln();
    let bottom = TOP + ROW * rows.len() as f64;
    let (w, h) = (LEFT + WIDTH + 20.0, bottom + 40.0);
    let mut out = format!("<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{w}\" height=\"{h}\" ");
    out += "font-family=\"sans-serif\" font-size=\"12\">\n<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n";
    for tick in ticks(low, high) {
        let (at, shade) = (x(tick), if tick == 1.0 { "black" } else { "#ddd" });
        let _ = writeln!(
            out,
            "<line x1=\"{at:.1}\" x2=\"{at:.1}\" y1=\"{TOP}\" y2=\"{bottom}\" stroke=\"{shade}\"/>"
        );
        let _ =
            writeln!(out, "<text x=\"{at:.1}\" y=\"{}\" text-anchor=\"middle\">{tick}</text>", bottom + 16.0);
    }
    let _ = writeln!(
        out,
        "<text x=\"{LEFT}\" y=\"{}\">times as long as {}</text>",
        bottom + 34.0,
        escape(&labels[baseline])
    );
    let others: Vec<usize> = (0..labels.len()).filter(|&w| w != baseline).collect();
    for (i, &who) in others.iter().enumerate() {
        let (at, colour) = (LEFT + 150.0 * i as f64, COLOURS[i % COLOURS.len()]);
        let _ = writeln!(out, "<circle cx=\"{at}\" cy=\"18\" r=\"5\" fill=\"{colour}\"/>");
        let _ = writeln!(out, "<text x=\"{}\" y=\"22\">{}</text>", at + 10.0, escape(&labels[who]));
    }
    for (i, (title, ratios)) in rows.iter().enumerate() {
        let y = TOP + ROW * (i as f64 + 0.5);
        let _ = writeln!(
            out,
            "<text x=\"{}\" y=\"{:.1}\" text-anchor=\"end\">{}</text>",
            LEFT - 8.0,
            y + 4.0,
            escape(title)
        );
        for (k, &who) in others.iter().enumerate() {
            let Some(r) = ratios[who] else { continue };
            let (y, colour) =
                (y + 4.0 * (k as f64 - (others.len() - 1) as f64 / 2.0), COLOURS[k % COLOURS.len()]);
            let (a, b, m) = (x(r.low), x(r.high), x(r.mid));
            let _ = writeln!(out, "<line x1=\"{a:.1}\" x2=\"{b:.1}\" y1=\"{y:.1}\" y2=\"{y:.1}\" stroke=\"{colour}\" stroke-width=\"2\"/>");
            let _ = writeln!(out, "<circle cx=\"{m:.1}\" cy=\"{y:.1}\" r=\"4\" fill=\"{colour}\"/>");
        }
    }
    out += "</svg>\n";
    out
}

/// 1, 2, 5 and their tenfolds within the axis.
fn ticks(low: f64, high: f64) -> Vec<f64> {
    let decades: [f64; 9] = [1e-4, 1e-3, 1e-2, 0.1, 1.0, 10.0, 100.0, 1000.0, 1e4];
    let all = decades.into_iter().flat_map(|d| [1.0, 2.0, 5.0].map(|m: f64| (m * d * 1e6).round() / 1e6));
    all.filter(|t| (low..=high).contains(t)).collect()
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_dot_for_each_ratio() {
        let one = Interval { mid: 1.0, low: 1.0, high: 1.0 };
        let other = Interval { mid: 3.0, low: 2.5, high: 4.0 };
        let rows =
            [("a<b".to_owned(), vec![Some(one), Some(other)]), ("c".to_owned(), vec![Some(one), None])];
        let text = svg(&rows, &["hand".into(), "fehu-c".into()], 0);
        assert_eq!(text.matches("r=\"4\"").count(), 1);
        assert!(text.contains("a&lt;b"));
        assert_eq!(ticks(0.5, 4.0), [0.5, 1.0, 2.0]);
    }
}
