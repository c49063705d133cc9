//! The text of schedules: a line for each parameter, then two for each choice.
//!
//! ```text
//! schedule
//!   param "main.segmap_tblock_size_0" block_size
//!   when (must block <= max_block, pays 524288 <= points)
//!     tiled(...)
//!   otherwise
//!     points(block "main.segmap_tblock_size_0", each 1 when ())
//! ```

use super::Printer;
use crate::schedule::*;
use fehu_base::Symbol;

impl Printer<'_> {
    pub(super) fn schedule(&mut self, schedule: &Schedule) {
        self.line();
        self.put("schedule");
        self.indent += 1;
        for ScheduleParam { name, class, usual } in &schedule.params {
            self.line();
            self.put(format_args!("param {:?} ", name.as_str()));
            self.size_class(class);
            if let Some(usual) = usual {
                self.put(format_args!(" default {usual}"));
            }
        }
        for choice in &schedule.choices {
            self.line();
            if choice.when.is_empty() {
                self.put("otherwise");
            } else {
                self.conditions(&choice.when);
            }
            self.indent += 1;
            self.line();
            self.plan(&choice.plan);
            self.indent -= 1;
        }
        self.indent -= 1;
    }

    fn conditions(&mut self, conditions: &[Condition]) {
        self.put("when (");
        self.list(conditions, |p, c| {
            p.put(match c.reason {
                Reason::Must => "must ",
                Reason::Pays => "pays ",
            });
            p.amount(&c.left);
            p.put(match c.is {
                Comparison::AtMost => " <= ",
                Comparison::Below => " < ",
            });
            p.amount(&c.right);
        });
        self.put(")");
    }

    fn amount(&mut self, amount: &Amount) {
        for (k, quantity) in amount.of.iter().enumerate() {
            if k > 0 {
                self.put(" * ");
            }
            self.quantity(*quantity);
        }
        match (amount.of.is_empty(), amount.times) {
            (true, n) => self.put(n),
            (false, 1) => {}
            (false, n) => self.put(format_args!(" * {n}")),
        }
    }

    fn quantity(&mut self, quantity: Quantity) {
        match quantity {
            Quantity::Param(name) => self.put(format_args!("{:?}", name.as_str())),
            Quantity::Size(e, ty) => {
                self.put(format_args!("{ty}("));
                self.operand(e);
                self.put(")");
            }
            Quantity::Points => self.put("points"),
            Quantity::Segments => self.put("segments"),
            Quantity::Segment => self.put("segment"),
            Quantity::Rows => self.put("rows"),
            Quantity::WidthLog2 => self.put("width_log2"),
            Quantity::Lanes => self.put("lanes"),
            Quantity::Bins => self.put("bins"),
            Quantity::BinBytes => self.put("bin_bytes"),
            Quantity::Passes => self.put("passes"),
            Quantity::Parts => self.put("parts"),
            Quantity::Repeats => self.put("repeats"),
            Quantity::Block => self.put("block"),
            Quantity::Blocks => self.put("blocks"),
            Quantity::Covered => self.put("covered"),
            Quantity::Depth => self.put("depth"),
            Quantity::Shared => self.put("shared"),
            Quantity::MaxBlock => self.put("max_block"),
            Quantity::MaxShared => self.put("max_shared"),
        }
    }

    fn steps_plan(&mut self, steps: &Steps) {
        self.put(format_args!("{} of ", steps.steps));
        self.put("[");
        self.list(&steps.carried, |p, carried| p.name(*carried));
        self.put(format_args!("], radius {}, block {}, rows {}, ", steps.radius, steps.block, steps.rows));
        self.param_field("blocks", steps.blocks);
        if steps.around {
            self.put(", around");
        }
        if !steps.kept.is_empty() {
            self.put(", kept [");
            self.list(&steps.kept, |p, kept| p.name(*kept));
            self.put("]");
        }
    }

    fn line_plan(&mut self, line: &Line) {
        self.put(format_args!("{} of ", line.steps));
        self.put("[");
        self.list(&line.carried, |p, carried| p.name(*carried));
        self.put(format_args!("], radius {}, block {}", line.radius, line.block));
        if !line.ahead.is_empty() {
            self.put(", ahead [");
            self.list(&line.ahead, |p, ahead| p.name(*ahead));
            self.put("]");
        }
    }

    fn plan(&mut self, plan: &Plan) {
        self.put(plan.word());
        if matches!(plan, Plan::Strided | Plan::CopiedAhead | Plan::ByWarps | Plan::SideBySide | Plan::Ranges)
        {
            return;
        }
        self.put("(");
        match plan {
            Plan::Strided | Plan::CopiedAhead | Plan::ByWarps | Plan::SideBySide | Plan::Ranges => {}
            Plan::Points(points) => self.points(points),
            Plan::Tiled(tiled) => self.tiled(tiled),
            Plan::RowCache(cache) => {
                self.param_field("tile", cache.tile);
                for (read, var) in &cache.reads {
                    self.put(", ");
                    self.name(*read);
                    self.put(" along ");
                    self.name(*var);
                }
            }
            Plan::Turned(turned) => {
                let side = |(d, n): &(usize, i64)| format!("{d} by {n}");
                let sides: Vec<String> = turned.sides.iter().map(side).collect();
                self.put(format_args!("sides [{}]", sides.join(", ")));
                for (read, dim) in &turned.reads {
                    self.put(", ");
                    self.name(*read);
                    self.put(format_args!(" along {dim}"));
                }
            }
            Plan::Steps(steps) => self.steps_plan(steps),
            Plan::Line(line) => self.line_plan(line),
            Plan::ThreadPerSegment { block, each, each_when } => {
                self.param_field("block", *block);
                self.put(format_args!(", each {each} "));
                self.conditions(each_when);
            }
            Plan::SegmentsPerBlock { block } => {
                self.param_field("block", *block);
            }
            Plan::SegmentsTogether { block, segments, exchange } => {
                self.param_field("block", *block);
                self.put(format_args!(", segments {segments}, exchange {}", exchange_word(*exchange)));
            }
            Plan::LanesPerSegment { block, points, order, exchange, queue } => {
                self.param_field("block", *block);
                self.put(format_args!(", points {points}, order {}", order_word(*order)));
                self.put(format_args!(", exchange {}", exchange_word(*exchange)));
                if let Some(grid) = queue {
                    self.put(", ");
                    self.param_field("queue", *grid);
                }
            }
            Plan::BlocksPerSegment(b) => {
                self.param_field("block", b.block);
                self.put(", ");
                self.param_field("grid", b.grid);
                self.put(format_args!(
                    ", points {}, worth {}, row {}, order {}, exchange {}",
                    b.points,
                    b.worth,
                    b.row,
                    order_word(b.order),
                    exchange_word(b.exchange)
                ));
                if let Some(threads) = b.resident {
                    self.put(format_args!(", resident {threads}"));
                }
            }
            Plan::MergePath(m) => self.merge_path(m),
            Plan::SinglePass(s) => self.single_pass(s),
            Plan::Strips(s) => {
                self.put(format_args!("along {}, points {}, warps {}", s.along, s.points, s.warps));
                self.put(if s.turned { ", turned" } else { "" });
            }
            Plan::SubHistograms(h) => self.sub_histograms(h),
            Plan::HistogramStrips(h) => self.histogram_strips(h),
            Plan::GlobalUpdates(GlobalUpdates { block, points, slices, updates }) => {
                self.block_or_own(*block);
                self.put(format_args!(", points {points}, "));
                if let Some(slices) = slices {
                    self.param_field("slices", slices.bytes);
                    self.put(format_args!(", most {}, miss {} ", slices.most, slices.miss));
                    self.conditions(&slices.when);
                    self.put(", ");
                }
                self.updates(updates);
            }
            Plan::BlockPerPoint { spaces, once, turns } => {
                self.put("spaces ");
                self.list(spaces, |p, space| p.operands(space));
                if let Some(Once { spaces, turns }) = once {
                    self.put(", once ");
                    self.list(spaces, |p, space| p.operands(space));
                    self.put(", ");
                    self.param_field("turns", *turns);
                }
                if let Some(turns) = turns {
                    self.turns(turns);
                }
            }
            Plan::Rounds { updates, at_once } => self.rounds(updates, *at_once),
            Plan::Chunks { per_worker } | Plan::ScanThenCorrect { per_worker } => {
                self.put(format_args!("per_worker {per_worker}"));
            }
            Plan::ReduceThenScan { beyond_workers } => {
                self.put(format_args!("beyond_workers {beyond_workers}"));
            }
        }
        self.put(")");
    }

    fn merge_path(&mut self, m: &MergePath) {
        self.param_field("block", m.block);
        self.put(", ");
        self.param_field("carries", m.carries);
        self.put(format_args!(", items {}, ends ", m.items));
        self.name(m.ends);
        self.put(", counts ");
        self.name(m.counts);
        self.put(format_args!(", exchange {}", exchange_word(m.exchange)));
    }

    fn single_pass(&mut self, s: &SinglePass) {
        self.block_or_own(s.block);
        self.put(format_args!(", points {}", s.points));
        self.put(match s.values {
            TileValues::Same => "",
            TileValues::Narrow => ", narrow",
            TileValues::Flags => ", flags",
        });
        if !s.placings.is_empty() {
            self.put(if s.gathered { ", placed [" } else { ", placed directly [" });
            for (k, placing) in s.placings.iter().enumerate() {
                self.put(if k > 0 { ", " } else { "" });
                match placing {
                    Placing::Flagged(flag) => self.put(format_args!("flagged {flag}")),
                    Placing::Others => self.put("others"),
                    Placing::Count(flag) => self.put(format_args!("count {flag}")),
                    Placing::Number(flag) => self.put(format_args!("number {flag}")),
                }
            }
            self.put("]");
        }
        self.put(format_args!(", exchange {}", exchange_word(s.exchange)));
        if let Some(threads) = s.resident {
            self.put(format_args!(", resident {threads}"));
        }
        if s.in_order {
            self.put(", in_order");
        }
        if !s.whole_when.is_empty() {
            self.put(", whole_segments ");
            self.conditions(&s.whole_when);
        }
    }

    fn turns(&mut self, Turns { points, threads, teams, kept }: &Turns) {
        self.put(", ");
        self.param_field("points", *points);
        self.put(", ");
        self.param_field("threads", *threads);
        if let Some(Teams { least, most }) = teams {
            self.put(", ");
            self.param_field("least", *least);
            self.put(", ");
            self.param_field("most", *most);
        }
        let Some(Kept { points, of_lanes, columns }) = kept else { return };
        self.put(format_args!(", kept {points}, of_lanes {of_lanes}"));
        if let Some(KeptColumns { points, least, rows, long }) = columns {
            self.put(format_args!(", columns {points}, "));
            self.param_field("least_columns", *least);
            self.put(", ");
            self.param_field("least_rows", *rows);
            if let Some(long) = long {
                self.put(", ");
                self.param_field("least_long", *long);
            }
        }
    }

    fn sub_histograms(&mut self, h: &SubHistograms) {
        self.param_field("block", h.block);
        self.put(", ");
        self.param_field("grid", h.grid);
        self.put(format_args!(
            ", room {}, room_for_copies {}, copies {}, worth {}, grouped {}",
            h.room, h.room_for_copies, h.copies, h.worth, h.grouped
        ));
        if let Some(parts) = h.parts {
            self.put(format_args!(", parts {parts}"));
        }
        self.put(", ");
        self.updates(&h.updates);
    }

    fn histogram_strips(&mut self, h: &HistogramStrips) {
        self.put(format_args!("along {}, points {}, warps {}, ", h.along, h.points, h.warps));
        self.param_field("grid", h.grid);
        self.put(format_args!(", worth {}", h.worth));
        if let Some(parts) = h.parts {
            self.put(format_args!(", parts {parts}"));
        }
        self.put(", ");
        self.updates(&h.updates);
    }

    fn points(&mut self, points: &Points) {
        self.param_field("block", points.block);
        self.put(format_args!(", each {} ", points.each));
        self.conditions(&points.each_when);
        if let Some(column) = &points.column {
            self.put(format_args!(", column {} widths_log2 [", column.points));
            self.list(&column.widths_log2, |p, w| p.put(w));
            self.put(format_args!("] idle {} ", column.idle));
            self.conditions(&column.when);
        }
    }

    fn tiled(&mut self, tiled: &Tiled) {
        self.put(format_args!("across {}", tiled.across));
        if let Some(down) = tiled.down {
            self.put(format_args!(", down {down}"));
        }
        self.put(", ");
        self.param_field("tile", tiled.tile);
        if let Some(each) = tiled.each {
            self.put(", ");
            self.param_field("each", each);
        }
        for l in &tiled.loops {
            self.put(", loop ");
            self.name(l.var);
            if l.unrolled {
                self.put(" unrolled");
            }
            if let Some([down, across]) = l.product {
                self.put(" product ");
                self.name(down);
                self.put(" by ");
                self.name(across);
            }
            self.put(" (");
            self.list(&l.reads, |p, read| {
                p.name(read.name);
                p.put(match read.along {
                    Along::Down => " down",
                    Along::Across => " across",
                    Along::Nothing => " common",
                });
                if read.by_loop {
                    p.put(" by_loop");
                }
            });
            self.put(")");
        }
    }

    fn param_field(&mut self, word: &str, name: Symbol) {
        self.put(format_args!("{word} {:?}", name.as_str()));
    }

    fn block_or_own(&mut self, block: Option<Symbol>) {
        match block {
            Some(block) => self.param_field("block", block),
            None => self.put("own_grid"),
        }
    }

    fn rounds(&mut self, updates: &[Update], at_once: bool) {
        self.updates(updates);
        if at_once {
            self.put(", at_once");
        }
    }

    fn updates(&mut self, updates: &[Update]) {
        self.put("updates [");
        self.list(updates, |p, update| p.put(update_word(*update)));
        self.put("]");
    }
}

pub(crate) fn order_word(order: Order) -> &'static str {
    match order {
        Order::Interleaved => "interleaved",
        Order::Consecutive => "consecutive",
    }
}

pub(crate) fn exchange_word(exchange: Exchange) -> &'static str {
    match exchange {
        Exchange::Shuffles => "shuffles",
        Exchange::SharedMemory => "shared",
    }
}

pub(crate) fn update_word(update: Update) -> &'static str {
    match update {
        Update::Atomic => "atomic",
        Update::Swap => "swap",
        Update::SwapPart => "swap_part",
        Update::Lock => "lock",
    }
}
