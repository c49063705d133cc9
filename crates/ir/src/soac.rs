//! Second-order array combinators.
//!
//! Map, reduce and scan, alone or fused, have one form, the *screma*: a map
//! whose results feed scans, reductions, or are kept. Example, the sum of
//! squares of `xs`:
//!
//! ```text
//! screma(n, xs, scans [], reduces [{(\a b -> a + b), 0}], map (\x -> x * x))
//! ```

use crate::rep::Rep;
use crate::syntax::{Lambda, Shape, SubExp};
use fehu_base::Name;

/// A second-order array combinator.
#[derive(Clone, PartialEq, Debug)]
pub enum Soac<R: Rep> {
    /// Map, then scans and reductions of some of its results.
    Screma(Screma<R>),
    /// Generalised histograms.
    Hist(Hist<R>),
    /// Parallel writes.
    Scatter(Scatter<R>),
    /// The elements for which conditions hold.
    Filter(Filter<R>),
    /// Derivatives of a function at a point; the pass `derive` makes code of it.
    Ad(Ad<R>),
}

/// `map`, `reduce`, `scan`, `redomap`, `scanomap`, ...
///
/// The map lambda takes one element of each array; its results are, in order: the
/// inputs of the scans, the inputs of the reductions, and the results kept as
/// arrays. The operation's results are in the same order: scanned arrays,
/// reduced values, mapped arrays.
#[derive(Clone, PartialEq, Debug)]
#[allow(missing_docs)]
pub struct Screma<R: Rep> {
    pub width: SubExp,
    pub arrays: Vec<Name>,
    pub scans: Vec<Scan<R>>,
    pub reds: Vec<Reduce<R>>,
    pub map: Lambda<R>,
}

/// A scan's operator and neutral elements. Inclusive.
#[derive(Clone, PartialEq, Debug)]
#[allow(missing_docs)]
pub struct Scan<R: Rep> {
    pub op: Lambda<R>,
    pub neutral: Vec<SubExp>,
}

/// A reduction's operator and neutral elements.
#[derive(Clone, PartialEq, Debug)]
#[allow(missing_docs)]
pub struct Reduce<R: Rep> {
    pub comm: Commutativity,
    pub op: Lambda<R>,
    pub neutral: Vec<SubExp>,
}

/// Whether operands may be exchanged.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(missing_docs)]
pub enum Commutativity {
    Commutative,
    Noncommutative,
}

/// Histograms: the lambda takes one element of each array and returns, for each
/// operation, its index (one `i64` per dimension of `shape`), all indices
/// first; then the values, operation by operation. Out-of-bounds indices are
/// ignored. Consumes the destinations, and returns them.
#[derive(Clone, PartialEq, Debug)]
#[allow(missing_docs)]
pub struct Hist<R: Rep> {
    pub width: SubExp,
    pub arrays: Vec<Name>,
    pub ops: Vec<HistOp<R>>,
    pub lambda: Lambda<R>,
}

/// One histogram.
#[derive(Clone, PartialEq, Debug)]
#[allow(missing_docs)]
pub struct HistOp<R: Rep> {
    /// The index space: the outer dimensions of the destinations.
    pub shape: Shape,
    pub dests: Vec<Name>,
    pub neutral: Vec<SubExp>,
    pub op: Lambda<R>,
}

/// Scatter: the lambda takes one element of each array and returns, for each destination, an index (one `i64`
/// per dimension of its `shape`), all indices first; then a value for each. Out-of-bounds indices are
/// ignored. Consumes the destinations, and returns them. One array may be the destination of several values;
/// it is one result, at the place of the first.
#[derive(Clone, PartialEq, Debug)]
#[allow(missing_docs)]
pub struct Scatter<R: Rep> {
    pub width: SubExp,
    pub arrays: Vec<Name>,
    pub dests: Vec<ScatterDest>,
    pub lambda: Lambda<R>,
}

impl<R: Rep> Scatter<R> {
    /// The arrays that are written, in the order of the results.
    pub fn written(&self) -> Vec<Name> {
        let mut written = vec![];
        for d in &self.dests {
            if !written.contains(&d.array) {
                written.push(d.array);
            }
        }
        written
    }

    /// For each destination, which of the results its array is.
    pub fn results(&self) -> Vec<usize> {
        let written = self.written();
        let number = |d: &ScatterDest| written.iter().position(|a| *a == d.array);
        self.dests.iter().filter_map(number).collect()
    }
}

/// A destination of a scatter.
#[derive(Clone, PartialEq, Debug)]
#[allow(missing_docs)]
pub struct ScatterDest {
    /// The index space: the outer dimensions of the array.
    pub shape: Shape,
    pub array: Name,
}

/// Filters: the lambda takes one element of each array and returns, for each condition, a `bool`, all of them
/// first; then the values that are kept where it holds, condition by condition, as many as `kept` says. The
/// results are, for each condition, how often it holds; then for each value the array of those that are kept, in
/// the order of the inputs.
///
/// ```text
/// let (m : i64, ys : [m]f32) = filter n [xs] kept 1
///   map \(x : f32) : (bool, f32) { let (p : bool) = flt_f32(0.0f32, x) return (p, x) }
/// ```
#[derive(Clone, PartialEq, Debug)]
#[allow(missing_docs)]
pub struct Filter<R: Rep> {
    pub width: SubExp,
    pub arrays: Vec<Name>,
    /// How many values each condition is about.
    pub kept: Vec<usize>,
    pub lambda: Lambda<R>,
}

impl<R: Rep> Filter<R> {
    /// For each value that is kept, the condition it depends on.
    pub fn conditions(&self) -> impl Iterator<Item = usize> + '_ {
        self.kept.iter().enumerate().flat_map(|(k, n)| std::iter::repeat_n(k, *n))
    }
}

/// `jvp2`: arguments and their tangents; results and their tangents.
/// `vjp2`: arguments and the results' adjoints; results and the arguments' adjoints.
/// `with_vjp`: arguments; results. See [`AdMode::Rule`].
#[derive(Clone, PartialEq, Debug)]
#[allow(missing_docs)]
pub struct Ad<R: Rep> {
    pub mode: AdMode,
    pub lambda: Lambda<R>,
    pub args: Vec<SubExp>,
    pub seeds: Vec<SubExp>,
}

/// Which way derivatives flow.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(missing_docs)]
pub enum AdMode {
    Forward,
    Reverse,
    /// A function with its own rule for reverse mode, and no derivative. The lambda is both in one: its parameters
    /// are those of the function, then its results and then their adjoints, for the rule; its results are those
    /// of the function, then those of the rule, which are the adjoints of the function's parameters. There are no seeds.
    Rule,
}

impl<R: Rep> Ad<R> {
    /// How many results the function has.
    pub fn results(&self) -> usize {
        match self.mode {
            AdMode::Forward | AdMode::Reverse => self.lambda.ret.len(),
            AdMode::Rule => self.lambda.ret.len() - self.args.len(),
        }
    }
}
