//! Reading schedules: see `print/schedule.rs` for their text.

use super::lex::Kind;
use super::{Read, Reader};
use crate::print::schedule::{exchange_word, order_word, update_word};
use crate::schedule::*;
use crate::syntax::Shape;
use fehu_base::prim::IntType;
use fehu_base::Symbol;

/// The quantities that are a word.
const QUANTITIES: [(&str, Quantity); 18] = [
    ("points", Quantity::Points),
    ("segments", Quantity::Segments),
    ("segment", Quantity::Segment),
    ("rows", Quantity::Rows),
    ("width_log2", Quantity::WidthLog2),
    ("lanes", Quantity::Lanes),
    ("bins", Quantity::Bins),
    ("bin_bytes", Quantity::BinBytes),
    ("passes", Quantity::Passes),
    ("parts", Quantity::Parts),
    ("repeats", Quantity::Repeats),
    ("block", Quantity::Block),
    ("blocks", Quantity::Blocks),
    ("covered", Quantity::Covered),
    ("depth", Quantity::Depth),
    ("shared", Quantity::Shared),
    ("max_block", Quantity::MaxBlock),
    ("max_shared", Quantity::MaxShared),
];

impl Reader<'_> {
    /// The schedule of an operation, if it has one.
    pub(super) fn schedule(&mut self) -> Read<Option<Box<Schedule>>> {
        if !self.try_word("schedule") {
            return Ok(None);
        }
        let mut schedule = Schedule::default();
        while self.try_word("param") {
            let name = self.text_symbol()?;
            let class = self.size_class()?;
            let usual = if self.try_word("default") { Some(self.number()?) } else { None };
            schedule.params.push(ScheduleParam { name, class, usual });
        }
        while !self.at('{') {
            let when = if self.try_word("otherwise") { vec![] } else { self.conditions()? };
            schedule.choices.push(Choice { when, plan: self.plan()? });
        }
        Ok(Some(Box::new(schedule)))
    }

    fn conditions(&mut self) -> Read<Vec<Condition>> {
        self.word("when")?;
        self.list('(', ')', |r| {
            let reason = if r.try_word("must") {
                Reason::Must
            } else {
                r.word("pays")?;
                Reason::Pays
            };
            let left = r.amount()?;
            r.punct('<')?;
            let is = if r.try_punct('=') { Comparison::AtMost } else { Comparison::Below };
            Ok(Condition { reason, left, is, right: r.amount()? })
        })
    }

    fn amount(&mut self) -> Read<Amount> {
        let mut amount = Amount { of: vec![], times: 1 };
        loop {
            if matches!(self.peek().kind, Kind::Num(_)) {
                amount.times = self.number()?;
                return Ok(amount);
            }
            amount.of.push(self.quantity()?);
            if !self.try_punct('*') {
                return Ok(amount);
            }
        }
    }

    fn quantity(&mut self) -> Read<Quantity> {
        if self.at_string() {
            return Ok(Quantity::Param(self.text_symbol()?));
        }
        for (word, quantity) in QUANTITIES {
            if self.try_word(word) {
                return Ok(quantity);
            }
        }
        for ty in [IntType::I8, IntType::I16, IntType::I32, IntType::I64] {
            if self.try_word(&ty.to_string()) {
                self.punct('(')?;
                let e = self.operand()?;
                self.punct(')')?;
                return Ok(Quantity::Size(e, ty));
            }
        }
        self.expected("a quantity")
    }

    fn plan(&mut self) -> Read<Plan> {
        for plan in [Plan::Strided, Plan::CopiedAhead, Plan::ByWarps, Plan::SideBySide, Plan::Ranges] {
            if self.try_word(plan.word()) {
                return Ok(plan);
            }
        }
        let Kind::Word(word) = self.peek().kind else { return self.expected("a plan") };
        self.take();
        self.punct('(')?;
        let plan = match word {
            "points" => Plan::Points(self.points_plan()?),
            "tiled" => Plan::Tiled(self.tiled()?),
            "row_cache" => {
                let tile = self.param_field("tile")?;
                let mut reads = vec![];
                while self.try_punct(',') {
                    let read = self.name()?;
                    self.word("along")?;
                    reads.push((read, self.name()?));
                }
                Plan::RowCache(RowCache { tile, reads })
            }
            "turned" => {
                self.word("sides")?;
                let sides = self.list('[', ']', |r| {
                    let dim = r.number()?;
                    r.word("by")?;
                    Ok((dim, r.number()?))
                })?;
                let mut reads = vec![];
                while self.try_punct(',') {
                    let read = self.name()?;
                    self.word("along")?;
                    reads.push((read, self.number()?));
                }
                Plan::Turned(Turned { sides, reads })
            }
            "steps" => Plan::Steps(self.steps()?),
            "line" => Plan::Line(self.line()?),
            "thread_per_segment" => {
                let block = self.param_field("block")?;
                let each = self.next_field("each")?;
                Plan::ThreadPerSegment { block, each, each_when: self.conditions()? }
            }
            "segments_per_block" => Plan::SegmentsPerBlock { block: self.param_field("block")? },
            "segments_together" => self.segments_together()?,
            "lanes_per_segment" => self.lanes_per_segment()?,
            "blocks_per_segment" => Plan::BlocksPerSegment(self.blocks_per_segment()?),
            "merge_path" => self.merge_path()?,
            "single_pass" => Plan::SinglePass(self.single_pass()?),
            "strips" => {
                self.word("along")?;
                let along = self.number()?;
                let points = self.next_field("points")?;
                let warps = self.next_field("warps")?;
                Plan::Strips(Strips { along, points, warps, turned: self.next_is("turned") })
            }
            "sub_histograms" => Plan::SubHistograms(self.sub_histograms()?),
            "histogram_strips" => Plan::HistogramStrips(self.histogram_strips()?),
            "global_updates" => {
                let block = self.block_or_own()?;
                let points = self.next_field("points")?;
                let slices = match self.next_is("slices") {
                    true => {
                        let bytes = self.text_symbol()?;
                        let most = self.next_field("most")?;
                        let miss = self.next_field("miss")?;
                        Some(Slices { bytes, most, miss, when: self.conditions()? })
                    }
                    false => None,
                };
                self.punct(',')?;
                Plan::GlobalUpdates(GlobalUpdates { block, points, slices, updates: self.updates()? })
            }
            "block_per_point" => {
                self.word("spaces")?;
                let spaces = self.shapes()?;
                let once = match self.try_word("once") {
                    true => Some(Once { spaces: self.shapes()?, turns: self.param_field("turns")? }),
                    false => None,
                };
                self.try_punct(',');
                let turns = match self.at_word("points") {
                    true => Some(self.turns()?),
                    false => None,
                };
                Plan::BlockPerPoint { spaces, once, turns }
            }
            "rounds" => self.rounds()?,
            "chunks" => Plan::Chunks { per_worker: self.first_field("per_worker")? },
            "scan_then_correct" => Plan::ScanThenCorrect { per_worker: self.first_field("per_worker")? },
            "reduce_then_scan" => {
                Plan::ReduceThenScan { beyond_workers: self.first_field("beyond_workers")? }
            }
            other => return self.fail(format!("there is no plan named {other}")),
        };
        self.punct(')')?;
        Ok(plan)
    }

    fn turns(&mut self) -> Read<Turns> {
        let points = self.param_field("points")?;
        self.punct(',')?;
        let threads = self.param_field("threads")?;
        let teams = match self.next_is("least") {
            true => {
                let least = self.text_symbol()?;
                self.punct(',')?;
                Some(Teams { least, most: self.param_field("most")? })
            }
            false => None,
        };
        let kept = match self.next_is("kept") {
            true => {
                let (points, of_lanes) = (self.number()?, self.next_field("of_lanes")?);
                let columns = match self.next_is("columns") {
                    true => Some(self.kept_columns()?),
                    false => None,
                };
                Some(Kept { points, of_lanes, columns })
            }
            false => None,
        };
        Ok(Turns { points, threads, teams, kept })
    }

    fn kept_columns(&mut self) -> Read<KeptColumns> {
        let points = self.number()?;
        self.punct(',')?;
        let least = self.param_field("least_columns")?;
        self.punct(',')?;
        let rows = self.param_field("least_rows")?;
        let long = match self.next_is("least_long") {
            true => Some(self.text_symbol()?),
            false => None,
        };
        Ok(KeptColumns { points, least, rows, long })
    }

    fn steps(&mut self) -> Read<Steps> {
        let steps = self.number()?;
        self.word("of")?;
        let carried = self.list('[', ']', Self::name)?;
        let radius = self.next_field("radius")?;
        let block = self.next_field("block")?;
        let rows = self.next_field("rows")?;
        self.punct(',')?;
        let blocks = self.param_field("blocks")?;
        let around = self.next_is("around");
        let kept = match self.next_is("kept") {
            true => self.list('[', ']', Self::name)?,
            false => vec![],
        };
        Ok(Steps { steps, carried, radius, block, rows, blocks, around, kept })
    }

    fn line(&mut self) -> Read<Line> {
        let steps = self.number()?;
        self.word("of")?;
        let carried = self.list('[', ']', Self::name)?;
        let radius = self.next_field("radius")?;
        let block = self.next_field("block")?;
        let ahead = match self.next_is("ahead") {
            true => self.list('[', ']', Self::name)?,
            false => vec![],
        };
        Ok(Line { steps, carried, radius, block, ahead })
    }

    fn points_plan(&mut self) -> Read<Points> {
        let block = self.param_field("block")?;
        let each = self.next_field("each")?;
        let each_when = self.conditions()?;
        let column = if self.next_is("column") {
            let points = self.number()?;
            self.word("widths_log2")?;
            let widths_log2 = self.list('[', ']', Self::number)?;
            self.word("idle")?;
            let idle = self.number()?;
            Some(Column { points, widths_log2, idle, when: self.conditions()? })
        } else {
            None
        };
        Ok(Points { block, each, each_when, column })
    }

    fn tiled(&mut self) -> Read<Tiled> {
        self.word("across")?;
        let across = self.number()?;
        let down = if self.next_is("down") { Some(self.number()?) } else { None };
        self.punct(',')?;
        let tile = self.param_field("tile")?;
        let each = if self.next_is("each") { Some(self.text_symbol()?) } else { None };
        let mut loops = vec![];
        while self.next_is("loop") {
            let var = self.name()?;
            let unrolled = self.try_word("unrolled");
            let product = match self.try_word("product") {
                true => {
                    let down = self.name()?;
                    self.word("by")?;
                    Some([down, self.name()?])
                }
                false => None,
            };
            let reads = self.list('(', ')', |r| {
                let name = r.name()?;
                let along = if r.try_word("down") {
                    Along::Down
                } else if r.try_word("across") {
                    Along::Across
                } else {
                    r.word("common")?;
                    Along::Nothing
                };
                Ok(TiledRead { name, along, by_loop: r.try_word("by_loop") })
            })?;
            loops.push(TiledLoop { var, unrolled, reads, product });
        }
        Ok(Tiled { across, down, tile, each, loops })
    }

    fn lanes_per_segment(&mut self) -> Read<Plan> {
        let block = self.param_field("block")?;
        let (points, order, exchange) = (self.next_field("points")?, self.order()?, self.exchange()?);
        let queue = match self.next_is("queue") {
            true => Some(self.text_symbol()?),
            false => None,
        };
        Ok(Plan::LanesPerSegment { block, points, order, exchange, queue })
    }

    fn segments_together(&mut self) -> Read<Plan> {
        let block = self.param_field("block")?;
        let segments = self.next_field("segments")?;
        Ok(Plan::SegmentsTogether { block, segments, exchange: self.exchange()? })
    }

    fn merge_path(&mut self) -> Read<Plan> {
        let block = self.param_field("block")?;
        self.punct(',')?;
        let carries = self.param_field("carries")?;
        let items = self.next_field("items")?;
        let mut named = |word: &str| {
            self.punct(',')?;
            self.word(word)?;
            self.name()
        };
        let (ends, counts) = (named("ends")?, named("counts")?);
        Ok(Plan::MergePath(MergePath { block, carries, items, ends, counts, exchange: self.exchange()? }))
    }

    fn blocks_per_segment(&mut self) -> Read<BlocksPerSegment> {
        let block = self.param_field("block")?;
        self.punct(',')?;
        Ok(BlocksPerSegment {
            block,
            grid: self.param_field("grid")?,
            points: self.next_field("points")?,
            worth: self.next_field("worth")?,
            row: self.next_field("row")?,
            order: self.order()?,
            exchange: self.exchange()?,
            resident: if self.next_is("resident") { Some(self.number()?) } else { None },
        })
    }

    fn sub_histograms(&mut self) -> Read<SubHistograms> {
        let block = self.param_field("block")?;
        self.punct(',')?;
        let grid = self.param_field("grid")?;
        let room = self.next_field("room")?;
        let room_for_copies = self.next_field("room_for_copies")?;
        let copies = self.next_field("copies")?;
        let worth = self.next_field("worth")?;
        let grouped = self.next_field("grouped")?;
        let parts = if self.next_is("parts") { Some(self.number()?) } else { None };
        self.punct(',')?;
        let updates = self.updates()?;
        Ok(SubHistograms { block, grid, room, room_for_copies, copies, worth, grouped, parts, updates })
    }

    fn histogram_strips(&mut self) -> Read<HistogramStrips> {
        self.word("along")?;
        let along = self.number()?;
        let points = self.next_field("points")?;
        let warps = self.next_field("warps")?;
        self.punct(',')?;
        let grid = self.param_field("grid")?;
        let worth = self.next_field("worth")?;
        let parts = if self.next_is("parts") { Some(self.number()?) } else { None };
        self.punct(',')?;
        let updates = self.updates()?;
        Ok(HistogramStrips { along, points, warps, grid, worth, parts, updates })
    }

    fn param_field(&mut self, word: &str) -> Read<Symbol> {
        self.word(word)?;
        self.text_symbol()
    }

    /// Shapes with commas between them, and the comma after them, if there is one: also after none.
    fn shapes(&mut self) -> Read<Vec<Shape>> {
        let mut shapes = vec![];
        loop {
            if self.at('[') {
                shapes.push(self.operands()?);
            }
            if !self.try_punct(',') || !self.at('[') {
                return Ok(shapes);
            }
        }
    }

    /// A number after a comma and a word.
    fn next_field(&mut self, word: &str) -> Read<i64> {
        self.punct(',')?;
        self.first_field(word)
    }

    fn first_field(&mut self, word: &str) -> Read<i64> {
        self.word(word)?;
        self.number()
    }

    /// Whether a comma and this word come next, which are then taken.
    fn next_is(&mut self, word: &str) -> bool {
        let is = self.at(',') && matches!(self.peek2().kind, Kind::Word(w) if w == word);
        if is {
            self.take();
            self.take();
        }
        is
    }

    fn block_or_own(&mut self) -> Read<Option<Symbol>> {
        match self.try_word("own_grid") {
            true => Ok(None),
            false => self.param_field("block").map(Some),
        }
    }

    fn order(&mut self) -> Read<Order> {
        self.punct(',')?;
        self.word("order")?;
        self.one_of(&[Order::Interleaved, Order::Consecutive], order_word)
    }

    fn exchange(&mut self) -> Read<Exchange> {
        self.punct(',')?;
        self.word("exchange")?;
        self.one_of(&[Exchange::Shuffles, Exchange::SharedMemory], exchange_word)
    }

    fn rounds(&mut self) -> Read<Plan> {
        let updates = self.updates()?;
        let at_once = self.try_punct(',');
        if at_once {
            self.word("at_once")?;
        }
        Ok(Plan::Rounds { updates, at_once })
    }

    fn updates(&mut self) -> Read<Vec<Update>> {
        self.word("updates")?;
        let all = [Update::Atomic, Update::Swap, Update::SwapPart, Update::Lock];
        self.list('[', ']', |r| r.one_of(&all, update_word))
    }

    fn single_pass(&mut self) -> Read<SinglePass> {
        let block = self.block_or_own()?;
        let points = self.next_field("points")?;
        let values = match (self.next_is("narrow"), self.next_is("flags")) {
            (true, _) => TileValues::Narrow,
            (false, true) => TileValues::Flags,
            (false, false) => TileValues::Same,
        };
        let (placings, gathered) = self.placings()?;
        let exchange = self.exchange()?;
        let resident = if self.next_is("resident") { Some(self.number()?) } else { None };
        let in_order = self.next_is("in_order");
        let whole_when = if self.next_is("whole_segments") { self.conditions()? } else { vec![] };
        Ok(SinglePass { block, points, values, placings, gathered, exchange, resident, in_order, whole_when })
    }

    /// Where results go, and whether they are gathered before.
    fn placings(&mut self) -> Read<(Vec<Placing>, bool)> {
        if !self.next_is("placed") {
            return Ok((vec![], false));
        }
        let gathered = !self.try_word("directly");
        let placings = self.list('[', ']', |r| {
            if r.try_word("flagged") {
                return Ok(Placing::Flagged(r.number()?));
            }
            if r.try_word("count") {
                return Ok(Placing::Count(r.number()?));
            }
            if r.try_word("number") {
                return Ok(Placing::Number(r.number()?));
            }
            r.word("others")?;
            Ok(Placing::Others)
        })?;
        Ok((placings, gathered))
    }

    fn one_of<T: Copy>(&mut self, all: &[T], word: fn(T) -> &'static str) -> Read<T> {
        for one in all {
            if self.try_word(word(*one)) {
                return Ok(*one);
            }
        }
        self.expected(&all.iter().map(|one| word(*one)).collect::<Vec<_>>().join(" or "))
    }
}
