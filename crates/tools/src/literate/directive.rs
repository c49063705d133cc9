//! Directives: what a comment such as `-- > :img f 10; file: x.png` asks for.
//!
//! ```text
//! directive  ::= (":brief" | ":covert")* (":img" | ":plot2d" | ":gnuplot" | ":video" | ":audio")? exp (";" parameter*)?
//! parameter  ::= name ":" value          one a line; those of :gnuplot are the lines of its script
//! ```

use crate::media::plot::{Frame, Style};
use crate::media::video::Playing;
use fehu_data::script::{parse_script, Exp};

/// A directive.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Directive {
    /// What the reader sees of it; `None` if nothing.
    pub(super) shown: Option<String>,
    /// The expression.
    pub(super) exp: Exp,
    /// What to make of its value.
    pub(super) product: Product,
}

/// What to make of a value.
#[derive(Clone, PartialEq, Debug)]
pub(super) enum Product {
    Text,
    Image {
        file: Option<String>,
    },
    /// What is around the points, and how those of all series and of single ones are shown.
    Plot {
        frame: Frame,
        style: Style,
        styles: Vec<(String, Style)>,
        file: Option<String>,
    },
    Gnuplot {
        script: String,
    },
    Video {
        playing: Playing,
        format: &'static str,
        file: Option<String>,
    },
    Audio {
        frequency: u32,
        codec: String,
    },
}

/// What is wrong with a directive, and in which of its lines, from 0.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Mistake {
    pub(super) line: usize,
    pub(super) message: String,
}

const KINDS: [&str; 5] = ["img", "plot2d", "gnuplot", "video", "audio"];

fn mistake<T>(line: usize, message: impl Into<String>) -> Result<T, Mistake> {
    Err(Mistake { line, message: message.into() })
}

/// Reads a directive, without its `>`.
pub(super) fn parse(text: &str) -> Result<Directive, Mistake> {
    let (mut brief, mut covert) = (false, false);
    let mut rest = text;
    let kind = loop {
        let Some(word) = rest.strip_prefix(':') else { break None };
        let length = word.find(|c: char| !c.is_alphanumeric()).unwrap_or(word.len());
        let (word, after) = word.split_at(length);
        rest = after.trim_start_matches(' ');
        match word {
            "brief" => brief = true,
            "covert" => covert = true,
            _ => match KINDS.iter().find(|kind| **kind == word) {
                Some(kind) => break Some(*kind),
                None => {
                    let known = KINDS.map(|kind| format!("`:{kind}`")).join(", ");
                    let message =
                        format!("there is no directive `:{word}`, but {known}, `:brief` and `:covert`");
                    return mistake(0, message);
                }
            },
        }
    };
    let (exp_text, parameters) = split(rest);
    let exp = parse_script(exp_text).map_err(|e| Mistake {
        line: e.line - 1,
        message: format!("the expression cannot be read: {}", e.message),
    })?;
    let lines = Lines::of(rest, exp_text, parameters);
    let product = match kind {
        Some("img") => image(&lines)?,
        Some("plot2d") => plot(&lines)?,
        Some("gnuplot") => {
            Product::Gnuplot { script: parameters.unwrap_or_default().trim_start().to_owned() }
        }
        Some("video") => video(&lines)?,
        Some("audio") => audio(&lines)?,
        Some(_) | None => {
            lines.each(|_, _| None)?;
            Product::Text
        }
    };
    let prefix = kind.map_or(String::new(), |kind| format!(":{kind} "));
    let shown = match (covert, brief) {
        (true, _) => None,
        (false, true) => Some(format!("{prefix}{}", exp_text.trim_end())),
        (false, false) => Some(text.to_owned()),
    };
    Ok(Directive { shown, exp, product })
}

/// An expression, and what follows the semicolon.
fn split(text: &str) -> (&str, Option<&str>) {
    let (mut in_string, mut escaped) = (false, false);
    for (at, c) in text.char_indices() {
        match c {
            _ if escaped => escaped = false,
            '\\' if in_string => escaped = true,
            '"' => in_string = !in_string,
            ';' if !in_string => return (&text[..at], Some(&text[at + 1..])),
            _ => {}
        }
    }
    (text, None)
}

/// Parameters, and the line in which they begin.
struct Lines<'a> {
    first: usize,
    text: &'a str,
}

impl<'a> Lines<'a> {
    fn of(all: &str, exp: &str, parameters: Option<&'a str>) -> Lines<'a> {
        Lines { first: all[..exp.len()].matches('\n').count(), text: parameters.unwrap_or_default() }
    }

    /// Reads each parameter; the reader says `None` of names that it does not know, and why a value is wrong.
    fn each(&self, mut read: impl FnMut(&str, &str) -> Option<Result<(), String>>) -> Result<(), Mistake> {
        for (i, line) in self.text.lines().enumerate() {
            let line = line.trim();
            if line.is_empty() {
                continue;
            }
            let Some((name, value)) = line.split_once([':', '=']) else {
                return mistake(
                    self.first + i,
                    format!("a parameter is written `name: value`, and not `{line}`"),
                );
            };
            let (name, value) = (name.trim(), value.trim());
            match read(name, value) {
                Some(Ok(())) => {}
                Some(Err(expected)) => {
                    return mistake(self.first + i, format!("`{name}` is {expected}, and not `{value}`"))
                }
                None => return mistake(self.first + i, format!("this directive has no parameter `{name}`")),
            }
        }
        Ok(())
    }
}

fn image(lines: &Lines) -> Result<Product, Mistake> {
    let mut file = None;
    lines.each(|name, value| Some(if name == "file" { set_file(&mut file, value) } else { return None }))?;
    Ok(Product::Image { file })
}

/// The longest side of a plot.
const MAX_PLOT_SIDE: u32 = 20_000;

fn plot(lines: &Lines) -> Result<Product, Mistake> {
    let (mut frame, mut style, mut styles, mut file) = (Frame::default(), Style::default(), vec![], None);
    lines.each(|name, value| {
        let text = || Some(value.to_owned()).filter(|v| !v.is_empty());
        match (name, name.strip_prefix("style ")) {
            ("size", _) => return Some(set_size(&mut frame.size, value)),
            ("file", _) => return Some(set_file(&mut file, value)),
            ("title", _) => frame.title = text(),
            ("xlabel", _) => frame.across.name = text(),
            ("ylabel", _) => frame.down.name = text(),
            ("log", _) => {
                let axes = ["x", "y", "xy"].into_iter().find(|axes| *axes == value);
                let Some(axes) = axes else { return Some(Err("`x`, `y` or `xy`".into())) };
                frame.across.logarithmic = axes.contains('x');
                frame.down.logarithmic = axes.contains('y');
            }
            ("style", _) => return Some(read_style(value).map(|s| style = s)),
            (_, Some(series)) => {
                let series = series.trim().to_owned();
                return Some(read_style(value).map(|s| styles.push((series, s))));
            }
            _ => return None,
        }
        Some(Ok(()))
    })?;
    Ok(Product::Plot { frame, style, styles, file })
}

fn set_size(to: &mut (u32, u32), value: &str) -> Result<(), String> {
    let pair = || {
        let (width, height) = value.strip_prefix('(')?.strip_suffix(')')?.split_once(',')?;
        let side = |text: &str| text.trim().parse().ok().filter(|n| (1..=MAX_PLOT_SIDE).contains(n));
        Some((side(width)?, side(height)?))
    };
    *to = pair().ok_or("a width and a height in pixels, such as `(600, 400)`")?;
    Ok(())
}

fn read_style(value: &str) -> Result<Style, String> {
    match value {
        "lines" => Ok(Style::Lines),
        "points" => Ok(Style::Points),
        "bars" => Ok(Style::Bars),
        _ => Err("`lines`, `points` or `bars`".into()),
    }
}

fn video(lines: &Lines) -> Result<Product, Mistake> {
    let mut playing = Playing { fps: 30, repeat: true };
    let (mut format, mut file) = ("webm", None);
    lines.each(|name, value| {
        Some(match name {
            "fps" => set_number(&mut playing.fps, value),
            "repeat" | "loop" => match value {
                "true" | "false" => {
                    playing.repeat = value == "true";
                    Ok(())
                }
                _ => Err("`true` or `false`".into()),
            },
            "format" => match ["webm", "gif"].into_iter().find(|f| *f == value) {
                Some(known) => {
                    format = known;
                    Ok(())
                }
                None => Err("`webm` or `gif`".into()),
            },
            "file" => set_file(&mut file, value),
            _ => return None,
        })
    })?;
    Ok(Product::Video { playing, format, file })
}

fn audio(lines: &Lines) -> Result<Product, Mistake> {
    let (mut frequency, mut codec) = (44100, "wav".to_owned());
    lines.each(|name, value| {
        Some(match name {
            "sampling_frequency" => set_number(&mut frequency, value),
            "codec" if !value.is_empty() && value.chars().all(|c| c.is_ascii_alphanumeric()) => {
                value.clone_into(&mut codec);
                Ok(())
            }
            "codec" => Err("a name such as `ogg`".into()),
            _ => return None,
        })
    })?;
    Ok(Product::Audio { frequency, codec })
}

fn set_number(to: &mut u32, value: &str) -> Result<(), String> {
    match value.parse() {
        Ok(n @ 1..) => {
            *to = n;
            Ok(())
        }
        Ok(0) | Err(_) => Err("a positive number".into()),
    }
}

/// Files are in the folder of the document, and nowhere else.
fn set_file(to: &mut Option<String>, value: &str) -> Result<(), String> {
    let is_name = !value.contains(['/', '\\']) && !value.contains(char::is_whitespace);
    if !is_name || value.is_empty() || value.starts_with(['.', '-']) {
        return Err("the name of a file without a folder or spaces".into());
    }
    *to = Some(value.to_owned());
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::media::plot::Scale;

    fn product(text: &str) -> Product {
        parse(text).unwrap_or_else(|m| panic!("{text}: {}", m.message)).product
    }

    #[test]
    fn products() {
        assert_eq!(product("f 1"), Product::Text);
        assert_eq!(product(":img f"), Product::Image { file: None });
        assert_eq!(product(":img f;\nfile: x.png"), Product::Image { file: Some("x.png".into()) });
        let sized = || Product::Plot {
            frame: Frame { size: (100, 200), ..Frame::default() },
            style: Style::Lines,
            styles: vec![],
            file: None,
        };
        assert_eq!(product(":plot2d f;\nsize: (100, 200)"), sized());
        assert_eq!(product(":plot2d f; size=(100,200)"), sized());
        let scale = |name: &str, logarithmic| Scale { name: Some(name.into()), logarithmic };
        assert_eq!(
            product(":plot2d f;\ntitle: a: b\nxlabel: n\nylabel: ms\nlog: y\nstyle: bars\nstyle mean: lines"),
            Product::Plot {
                frame: Frame {
                    title: Some("a: b".into()),
                    across: scale("n", false),
                    down: scale("ms", true),
                    ..Frame::default()
                },
                style: Style::Bars,
                styles: vec![("mean".into(), Style::Lines)],
                file: None,
            }
        );
        assert_eq!(
            product(":gnuplot {a=f};\nplot a;\nreplot"),
            Product::Gnuplot { script: "plot a;\nreplot".into() }
        );
        let playing = Playing { fps: 5, repeat: false };
        let video = Product::Video { playing, format: "gif", file: None };
        assert_eq!(product(":video f;\nfps: 5\nrepeat: false\nformat: gif"), video);
        assert_eq!(product(":audio f"), Product::Audio { frequency: 44100, codec: "wav".into() });
    }

    #[test]
    fn what_is_shown() {
        let shown = |text: &str| parse(text).expect("a directive").shown;
        assert_eq!(shown(":img f;\nfile: x.png").as_deref(), Some(":img f;\nfile: x.png"));
        assert_eq!(shown(":brief :img f;\nfile: x.png").as_deref(), Some(":img f"));
        assert_eq!(shown(":covert f"), None);
        assert_eq!(shown(":brief :covert f"), None);
    }

    #[test]
    fn a_semicolon_in_a_string_is_none() {
        let directive = parse("$loaddata \"a;b\"").expect("a directive");
        assert_eq!(directive.exp, parse_script("$loaddata \"a;b\"").expect("a script"));
    }

    #[test]
    fn mistakes() {
        let line = |text: &str| parse(text).expect_err(text).line;
        assert_eq!(line(":foo x"), 0);
        assert_eq!(line("f\n("), 1);
        assert_eq!(line(":img f;\n\nsize: 3"), 2);
        assert_eq!(line("f;\nx: 3"), 1);
        for parameter in
            ["file: a/b.png", "file: ..", "file: a b", "file:", "file: -x", "nothing", "size: (1,2)"]
        {
            assert_eq!(line(&format!(":img f;\n{parameter}")), 1, "{parameter}");
        }
        for parameter in ["fps: 0", "fps: x", "repeat: maybe", "format: mp4"] {
            assert_eq!(line(&format!(":video f;\n{parameter}")), 1, "{parameter}");
        }
        assert_eq!(line(":plot2d f;\nsize: (0, 3)"), 1);
        for parameter in ["size: 3", "log: z", "style: pie", "style a: pie", "colour: red"] {
            assert_eq!(line(&format!(":plot2d f;\n{parameter}")), 1, "{parameter}");
        }
        assert_eq!(line(":audio f;\ncodec: -f"), 1);
    }
}
