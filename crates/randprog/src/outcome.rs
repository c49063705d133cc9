//! How a run of a program ended, and whether two runs ended alike.

use fehu_base::prim::PrimValue;
use fehu_data::Value;
use fehu_ir::interp;
use std::fmt;

/// How a run ended.
#[derive(Clone, Debug)]
pub enum Outcome {
    /// With these values; whether integers are signed is not known to the interpreter, so it is left out.
    Values(Vec<Part>),
    /// A check of the program failed, with this message.
    Failed(String),
    /// It did not end in time.
    Late,
    /// It ended as no program may: a crash, a stuck interpreter, a panic of the compiler.
    Broken(String),
    /// The memory of an array held something else than the array.
    Overwritten(String),
}

/// A scalar, or an array.
#[derive(Clone, Debug)]
pub struct Part {
    /// The sizes; none for scalars.
    pub shape: Vec<usize>,
    /// The elements.
    pub data: Vec<PrimValue>,
}

impl Outcome {
    /// How a run of the interpreter ended.
    pub fn interpreted(result: Result<Vec<interp::Value>, interp::Failure>, results: usize) -> Outcome {
        match result {
            Ok(values) => {
                // Sizes that nobody wrote come first.
                let skip = values.len().saturating_sub(results);
                let parts: Option<Vec<Part>> = values.into_iter().skip(skip).map(Part::interpreted).collect();
                parts.map_or_else(|| Outcome::Broken("a result is no data".into()), Outcome::Values)
            }
            Err(interp::Failure::Assert { message, .. }) => Outcome::Failed(message),
            Err(interp::Failure::TooLong | interp::Failure::Interrupted) => Outcome::Late,
            Err(interp::Failure::Stuck(message)) => Outcome::Broken(message),
            Err(interp::Failure::Overwritten(message)) => Outcome::Overwritten(message),
        }
    }

    /// A run that ended with these values.
    pub fn read(values: &[Value]) -> Outcome {
        let part = |v: &Value| Part {
            shape: v.shape().to_vec(),
            data: (0..v.data().len()).filter_map(|i| v.data().get(i)).collect(),
        };
        Outcome::Values(values.iter().map(part).collect())
    }

    /// Whether a program whose first result says that all is right says that something is wrong, or nothing.
    pub fn denies(&self) -> bool {
        match self {
            Outcome::Values(parts) => {
                parts.first().map(|p| p.data.as_slice()) != Some(&[PrimValue::Bool(true)][..])
            }
            Outcome::Late => false,
            Outcome::Failed(_) | Outcome::Broken(_) | Outcome::Overwritten(_) => true,
        }
    }

    /// Whether an optimiser may make a program that ends so of one that ended like the other: a failing check
    /// that nothing depends on may go.
    pub fn may_become(&self, after: &Outcome) -> bool {
        self.agrees(after) || matches!((self, after), (Outcome::Failed(_), Outcome::Values(_)))
    }

    /// Whether two runs ended alike. Every failure is like every other: which check fails first is not fixed.
    pub fn agrees(&self, other: &Outcome) -> bool {
        match (self, other) {
            (Outcome::Values(a), Outcome::Values(b)) => {
                a.len() == b.len() && a.iter().zip(b).all(|(a, b)| a.agrees(b))
            }
            // Passes know that checks will pass also before they are reached (`fehu_analysis::known`): if one
            // fails, nobody sees what was computed before.
            (Outcome::Failed(_), Outcome::Failed(_) | Outcome::Overwritten(_)) => true,
            (Outcome::Late, Outcome::Late) => true,
            (Outcome::Values(_) | Outcome::Failed(_) | Outcome::Late, _) => false,
            (Outcome::Broken(_) | Outcome::Overwritten(_), _) => false,
        }
    }
}

impl Part {
    fn interpreted(value: interp::Value) -> Option<Part> {
        match value {
            interp::Value::Prim(v) => Some(Part { shape: vec![], data: vec![v] }),
            interp::Value::Array(a) => Some(Part { shape: a.shape, data: a.data.to_vec() }),
            interp::Value::Acc(_) | interp::Value::Mem(_) => None,
        }
    }

    fn agrees(&self, other: &Part) -> bool {
        self.shape == other.shape
            && self.data.len() == other.data.len()
            && self.data.iter().zip(&other.data).all(|(a, b)| same(a, b))
    }
}

/// Equal bits, or both not a number.
fn same(a: &PrimValue, b: &PrimValue) -> bool {
    a == b || (a.is_nan() && b.is_nan() && a.prim_type() == b.prim_type())
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Outcome::Values(parts) => {
                for (i, p) in parts.iter().enumerate() {
                    let shown: Vec<String> = p.data.iter().take(60).map(PrimValue::to_string).collect();
                    let more = if p.data.len() > 60 { " ..." } else { "" };
                    let line = if i > 0 { "\n" } else { "" };
                    write!(f, "{line}{:?} {}{more}", p.shape, shown.join(" "))?;
                }
                Ok(())
            }
            Outcome::Failed(message) => write!(f, "check failed: {message}"),
            Outcome::Late => f.write_str("not in time"),
            Outcome::Broken(message) | Outcome::Overwritten(message) => write!(f, "broken: {message}"),
        }
    }
}
