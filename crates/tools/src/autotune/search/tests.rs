use super::*;

/// One traversal of a tuning tree: versions with what they cost, and questions.
#[derive(Clone)]
enum Tree {
    Version(f64),
    Fails,
    /// The last is a size that the threshold can be split by.
    Ask {
        threshold: usize,
        par: i64,
        then: Box<Tree>,
        otherwise: Box<Tree>,
        other: Option<i64>,
    },
}
use Tree::{Fails, Version};

fn ask(threshold: usize, par: i64, then: Tree, otherwise: Tree) -> Tree {
    Tree::Ask { threshold, par, then: Box::new(then), otherwise: Box::new(otherwise), other: None }
}

impl Tree {
    /// The question has another size.
    fn beside(mut self, size: i64) -> Tree {
        if let Tree::Ask { other, .. } = &mut self {
            *other = Some(size);
        }
        self
    }

    /// The cost, and what is compared; `None` if it fails.
    fn run(&self, settings: &[i64], compared: &mut Compared) -> Option<f64> {
        match self {
            Version(cost) => Some(*cost),
            Fails => None,
            Tree::Ask { threshold, par, then, otherwise, other } => {
                compared.0.push((*threshold, *par));
                compared.1.extend(other.map(|other| (*threshold, other)));
                if settings[*threshold] <= *par { then } else { otherwise }.run(settings, compared)
            }
        }
    }
}

/// Thresholds with amounts of parallelism, and with other sizes.
type Compared = (Vec<(usize, i64)>, Vec<(usize, i64)>);

/// A program with a cost model: a data set is the trees that a run traverses.
struct Model {
    datasets: Vec<Vec<Tree>>,
    times: usize,
    probes: usize,
}

impl Model {
    fn new(datasets: Vec<Vec<Tree>>) -> Model {
        Model { datasets, times: 0, probes: 0 }
    }

    fn cost(&self, dataset: usize, settings: &[i64]) -> (Option<f64>, Compared) {
        let mut compared = Compared::default();
        let mut sum = Some(0.0);
        for tree in &self.datasets[dataset] {
            let Some(cost) = tree.run(settings, &mut compared) else { return (None, compared) };
            sum = sum.map(|s| s + cost);
        }
        (sum, compared)
    }

    /// The least cost of a data set, whatever the thresholds: every amount of parallelism is tried.
    fn least(&self, dataset: usize, thresholds: usize) -> f64 {
        let mut amounts: Vec<i64> = vec![];
        let all = |t: &Tree, out: &mut Vec<i64>| {
            fn walk(t: &Tree, out: &mut Vec<i64>) {
                if let Tree::Ask { par, then, otherwise, .. } = t {
                    out.push(*par);
                    walk(then, out);
                    walk(otherwise, out);
                }
            }
            walk(t, out);
        };
        self.datasets[dataset].iter().for_each(|t| all(t, &mut amounts));
        amounts.push(INFINITY);
        amounts.sort_unstable();
        amounts.dedup();
        let mut least = f64::INFINITY;
        let mut at = vec![0; thresholds];
        loop {
            let settings: Vec<i64> = at.iter().map(|i| amounts[*i]).collect();
            least = least.min(self.cost(dataset, &settings).0.unwrap_or(f64::INFINITY));
            let Some(next) = (0..thresholds).find(|i| at[*i] + 1 < amounts.len()) else { return least };
            at[next] += 1;
            at[..next].fill(0);
        }
    }
}

impl Oracle for Model {
    fn probe(&mut self, dataset: usize, settings: &[i64]) -> Probe {
        self.probes += 1;
        let (cost, (compared, others)) = self.cost(dataset, settings);
        Probe { compared, others, complete: cost.is_some() }
    }

    fn time(&mut self, dataset: usize, settings: &[i64], _: Option<f64>) -> Result<f64, String> {
        self.times += 1;
        self.cost(dataset, settings).0.ok_or("out of memory".into())
    }
}

fn forest(params: &[(&str, &str)]) -> Forest {
    let params: Vec<_> =
        params.iter().map(|(name, path)| ((*name).to_owned(), format!("threshold(def, {path})"))).collect();
    Forest::new(&params)
}

fn tune(forest: &Forest, model: &mut Model) -> (Tuning, usize) {
    let datasets = model.datasets.len();
    let search = Search::begin(forest, datasets, model);
    let most = search.most_runs();
    (search.run(), most)
}

/// Settings as a tuning file would make them.
fn settings(tuning: &Tuning) -> Vec<i64> {
    tuning.decisions.iter().map(|d| d.as_ref().map_or(INFINITY, |d| d.value)).collect()
}

/// Every data set is as fast with the common thresholds as it can be.
fn assert_optimal(tuning: &Tuning, model: &Model) {
    let settings = settings(tuning);
    for dataset in 0..model.datasets.len() {
        let least = model.least(dataset, settings.len());
        assert_eq!(model.cost(dataset, &settings).0, Some(least), "data set {dataset}, {tuning:?}");
        assert_eq!(tuning.best[dataset], Some(least));
    }
}

/// `mapscan` of the thesis: m rows of n; outer, intra-block and inner parallelism.
fn mapscan(m: i64, n: i64) -> Tree {
    let (rows, all) = (m as f64, (m * n) as f64);
    let outer = 3.0 * all / rows.min(4096.0);
    let inner = 640.0 + 4.0 * all / all.min(60_000.0);
    // Rows that are too long for a block fall through to the inner version.
    let intra = if n <= 1024 { 10.0 + all / all.min(60_000.0) } else { inner };
    ask(0, m, Version(outer), ask(1, m * n, Version(intra), Version(inner)))
}

fn mapscan_forest() -> Forest {
    forest(&[("outer", ""), ("intra", "!outer")])
}

#[test]
fn size_invariant_programs_need_one_run_per_version_and_data_set() {
    let forest = mapscan_forest();
    let mut model = Model::new(vec![
        vec![mapscan(1_000_000, 4)],
        vec![mapscan(4, 1_000_000)],
        vec![mapscan(1000, 1000)],
        vec![mapscan(100, 10)],
    ]);
    let (tuning, most) = tune(&forest, &mut model);
    assert_eq!((tuning.runs, model.times, most), (3 * 4, 3 * 4, 3 * 4));
    assert_eq!(model.probes, 4);
    // All three versions are wanted by someone.
    let versions: Vec<f64> = tuning.best.iter().flatten().copied().collect();
    assert_eq!(versions.len(), 4);
    assert!(tuning.findings.is_empty(), "{:?}", tuning.findings);
    let without_conflicts = tuning.decisions.iter().flatten().all(|d| d.conflicts.is_empty());
    assert!(without_conflicts, "{:?}", tuning.decisions);
    assert_optimal(&tuning, &model);
}

#[test]
fn many_trees_with_deep_ones_among_them() {
    let forest = forest(&[("a", ""), ("b", "!a"), ("c", "!a !b"), ("d", ""), ("e", "!d")]);
    let data = |p: i64, costs: [f64; 7]| {
        vec![
            ask(
                0,
                p,
                Version(costs[0]),
                ask(1, 2 * p, Version(costs[1]), ask(2, 3 * p, Version(costs[2]), Version(costs[3]))),
            ),
            ask(3, p, Version(costs[4]), ask(4, 5 * p, Version(costs[5]), Version(costs[6]))),
        ]
    };
    let mut model = Model::new(vec![
        data(10, [90.0, 30.0, 20.0, 50.0, 7.0, 9.0, 5.0]),
        data(1000, [40.0, 10.0, 80.0, 90.0, 2.0, 4.0, 6.0]),
        data(100_000, [10.0, 20.0, 30.0, 40.0, 1.0, 1.0, 2.0]),
    ]);
    let (tuning, most) = tune(&forest, &mut model);
    assert_eq!((tuning.runs, most), (6 * 3, 6 * 3));
    assert_optimal(&tuning, &model);
}

#[test]
fn size_variant_programs_need_logarithmically_many_runs() {
    // `mapscan_var` of the thesis: one run sees many shapes of the same array.
    let forest = mapscan_forest();
    let shapes = |log: u32| (0..=log).map(|i| mapscan(1 << i, 1 << (log - i))).collect::<Vec<_>>();
    let mut model = Model::new(vec![shapes(24), shapes(12)]);
    let (tuning, most) = tune(&forest, &mut model);
    assert!(tuning.runs <= most, "{} of {most}", tuning.runs);
    // 25 and 13 amounts for the outer threshold, one for the other: not one run for each.
    assert_eq!(most, (1 + 1 + most_runs(25)) + (1 + 1 + most_runs(13)));
    assert!(tuning.runs < 24, "{}", tuning.runs);
    for dataset in 0..2 {
        assert_eq!(tuning.best[dataset], Some(model.least(dataset, 2)));
    }
    // However many amounts there are.
    let many: Vec<Tree> =
        (1..=5000).map(|p| ask(0, p, Version(3000.0), ask(1, 7, Version(p as f64), Version(1e4)))).collect();
    let mut model = Model::new(vec![many]);
    let (tuning, most) = tune(&forest, &mut model);
    assert!(tuning.runs <= most && most == 2 + most_runs(5000) && most < 40, "{} of {most}", tuning.runs);
    let outer = tuning.decisions[0].as_ref().expect("a decision");
    assert!((2900..=3100).contains(&outer.value), "{outer:?}");
}

#[test]
fn versions_that_fail_are_avoided() {
    let forest = mapscan_forest();
    // The version in blocks is fast, but does not fit for the second data set; the last never ends.
    let data = |m: i64, intra: Tree| vec![ask(0, m, Version(50.0), ask(1, 10 * m, intra, Fails))];
    let mut model = Model::new(vec![data(10, Version(5.0)), data(100, Fails)]);
    let (tuning, _) = tune(&forest, &mut model);
    assert_eq!(tuning.best, [Some(5.0), Some(50.0)]);
    assert_optimal(&tuning, &model);
    let fails = tuning.findings.iter().filter(|f| matches!(f, Finding::Fails { .. })).count();
    assert_eq!(fails, 3);
    assert!(tuning.runs <= 6);
}

#[test]
fn what_comes_after_a_failure_is_found() {
    // The first tree fails unless its threshold is reached, so that the second is not seen at first.
    let forest = forest(&[("a", ""), ("b", "")]);
    let data = vec![ask(0, 10, Version(9.0), Fails), ask(1, 20, Version(1.0), Version(5.0))];
    let mut model = Model::new(vec![data]);
    let (tuning, most) = tune(&forest, &mut model);
    assert_eq!((most, tuning.runs), (2, 3));
    assert_eq!(tuning.best, [Some(10.0)]);
    assert_optimal(&tuning, &model);
}

#[test]
fn a_data_set_that_always_fails_says_nothing() {
    let forest = mapscan_forest();
    let good = vec![mapscan(100, 100)];
    let mut model = Model::new(vec![vec![ask(0, 5, Fails, Fails)], good.clone()]);
    let (tuning, _) = tune(&forest, &mut model);
    let (alone, _) = tune(&forest, &mut Model::new(vec![good]));
    assert_eq!(tuning.best[0], None);
    let intervals =
        |t: &Tuning| t.decisions.iter().map(|d| d.as_ref().map(|d| d.interval)).collect::<Vec<_>>();
    assert_eq!(intervals(&tuning), intervals(&alone));
}

#[test]
fn questions_within_a_version() {
    // `b` is asked only where `a` is reached, `c` only where it is not.
    let forest = forest(&[("a", ""), ("b", "a"), ("c", "!a")]);
    let data = |p: i64, costs: [f64; 4]| {
        vec![ask(
            0,
            p,
            ask(1, 2 * p, Version(costs[0]), Version(costs[1])),
            ask(2, 3 * p, Version(costs[2]), Version(costs[3])),
        )]
    };
    for (costs, best) in
        [([1.0, 5.0, 6.0, 7.0], 1.0), ([5.0, 1.0, 6.0, 7.0], 1.0), ([5.0, 6.0, 7.0, 1.0], 1.0)]
    {
        let mut model = Model::new(vec![data(10, costs)]);
        let (tuning, _) = tune(&forest, &mut model);
        assert_eq!((tuning.best[0], tuning.runs), (Some(best), 4));
        assert_optimal(&tuning, &model);
    }
}

#[test]
fn broken_monotonicity_is_shown() {
    let forest = forest(&[("a", "")]);
    // Between data sets:
    let mut model = Model::new(vec![
        vec![ask(0, 10, Version(5.0), Version(9.0))],
        vec![ask(0, 100, Version(80.0), Version(20.0))],
    ]);
    let (tuning, _) = tune(&forest, &mut model);
    let decision = tuning.decisions[0].as_ref().expect("a decision");
    assert_eq!(decision.conflicts.len(), 1, "{decision:?}");
    // Within one:
    let bumpy = (1..=9).map(|p| ask(0, p, Version(if p % 3 == 0 { 50.0 } else { 1.0 }), Version(20.0)));
    let mut model = Model::new(vec![bumpy.collect()]);
    let (tuning, _) = tune(&forest, &mut model);
    assert!(tuning.findings.iter().any(|f| matches!(f, Finding::Hill { .. })), "{:?}", tuning.findings);
}

#[test]
fn thresholds_nobody_compares_are_left_alone() {
    let forest = forest(&[("a", ""), ("b", "")]);
    let mut model = Model::new(vec![vec![ask(0, 10, Version(5.0), Version(9.0))]]);
    let (tuning, _) = tune(&forest, &mut model);
    assert_eq!(tuning.decisions[1], None);
    assert_eq!(tuning.runs, 2);
}

#[test]
fn versions_that_a_data_set_never_reaches_bind_nobody() {
    // The second data set is best outside; what it thinks of the inner threshold, which it then never asks, is no
    // reason to make the first one slower.
    let forest = mapscan_forest();
    let small = ask(0, 100, Version(11_000.0), ask(1, 100, Version(83.0), Version(145.0)));
    let large = ask(0, 1000, Version(95.0), ask(1, 1000, Version(3_900.0), Version(540.0)));
    let mut model = Model::new(vec![vec![small], vec![large]]);
    let (tuning, _) = tune(&forest, &mut model);
    assert_optimal(&tuning, &model);
    assert!(tuning.decisions.iter().flatten().all(|d| d.conflicts.is_empty()), "{tuning:?}");
}

#[test]
fn contradictions_between_data_sets_are_repaired() {
    // As `backprop` of the public suite: as many rows in both, but long ones need the inner parallelism. What
    // is asked after the threshold is wanted by the second data set alone, which is beyond the border.
    let forest = mapscan_forest();
    let small = ask(0, 16, Version(20.0), ask(1, 1600, Version(50.0), Version(40.0))).beside(100);
    let large = ask(0, 16, Version(9000.0), ask(1, 160_000, Version(80.0), Version(60.0))).beside(10_000);
    let mut model = Model::new(vec![vec![small], vec![large]]);
    let (tuning, most) = tune(&forest, &mut model);
    assert!(tuning.runs <= most && most == 6, "{} of {most}", tuning.runs);
    assert_eq!(tuning.best, [Some(20.0), Some(60.0)]);
    let outer = tuning.decisions[0].as_ref().expect("a decision");
    assert!(outer.conflicts.is_empty(), "{outer:?}");
    let values = [100, 10_000].map(|size| outer.value_where(Some((size, size))));
    assert!(values[0] <= 16 && values[1] > 16, "{outer:?}");
    // Without the other size there is no value for both.
    let trees = [(20.0, 40.0), (9000.0, 60.0)].map(|(a, b)| vec![ask(0, 16, Version(a), Version(b))]);
    let (tuning, _) = tune(&forest, &mut Model::new(trees.to_vec()));
    let outer = tuning.decisions[0].as_ref().expect("a decision");
    assert!(outer.split.is_none() && outer.conflicts.len() == 1, "{outer:?}");
}

fn guess(forest: &Forest, model: &mut Model, measurements: usize, seed: u64) -> Tuning {
    let datasets = model.datasets.len();
    Search::begin(forest, datasets, model).run_stochastic(Budget { measurements, seed })
}

#[test]
fn guesses_measure_each_path_once() {
    // Three versions: whatever is guessed, there are three paths for each data set.
    let forest = mapscan_forest();
    let mut model = Model::new(vec![vec![mapscan(1_000_000, 4)], vec![mapscan(1000, 1000)]]);
    let tuning = guess(&forest, &mut model, 1000, 1);
    assert_eq!((tuning.runs, model.times), (6, 6));
    assert_optimal(&tuning, &model);
}

#[test]
fn guesses_keep_within_their_budget() {
    let forest = mapscan_forest();
    let shapes = (0..=24).map(|i| mapscan(1 << i, 1 << (24 - i))).collect::<Vec<_>>();
    for seed in 0..20 {
        let mut model = Model::new(vec![shapes.clone(), shapes[5..].to_vec()]);
        let least = model.least(0, 2) + model.least(1, 2);
        let few = guess(&forest, &mut model, 7, seed);
        assert!(few.runs <= 7 && model.times == few.runs, "{}", few.runs);
        let many = guess(&forest, &mut model, 200, seed);
        let cost = |t: &Tuning| (0..2).filter_map(|d| model.cost(d, &settings(t)).0).sum::<f64>();
        // The same seed makes the same guesses first.
        assert!(cost(&many) <= cost(&few) && cost(&many) < 1.2 * least, "{} {least}", cost(&many));
    }
}

#[test]
fn guesses_see_what_is_asked_within_versions_and_avoid_failures() {
    let forest = forest(&[("a", ""), ("b", "a"), ("c", "!a")]);
    let tree =
        |p: i64| ask(0, p, ask(1, 2 * p, Version(1.0), Version(5.0)), ask(2, 3 * p, Fails, Version(7.0)));
    let mut model = Model::new(vec![vec![tree(10)], vec![tree(1000)]]);
    let tuning = guess(&forest, &mut model, 100, 3);
    assert!(tuning.runs <= 8, "{}", tuning.runs);
    assert_optimal(&tuning, &model);
    // Where everything fails, nothing is learnt.
    let mut model = Model::new(vec![vec![ask(0, 5, Fails, Fails)]]);
    let tuning = guess(&forest, &mut model, 100, 3);
    assert_eq!((tuning.best, tuning.decisions), (vec![None], vec![None, None, None]));
}
