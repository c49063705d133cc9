//! Random schedules.

use super::Gen;
use crate::schedule::*;
use fehu_base::prim::IntType;
use fehu_base::Symbol;

impl Gen {
    pub(super) fn schedule(&mut self) -> Schedule {
        let params = self.list(|g| ScheduleParam {
            name: g.symbol(),
            class: g.class(),
            usual: g.bool().then_some(256),
        });
        Schedule { params, choices: self.list(|g| Choice { when: g.conditions(), plan: g.plan() }) }
    }

    fn single_pass(&mut self, block: Option<Symbol>, points: i64, exchange: Exchange) -> SinglePass {
        let placings = self
            .list(|g| g.pick(&[Placing::Flagged(1), Placing::Others, Placing::Count(0), Placing::Number(1)]));
        SinglePass {
            block,
            points,
            values: self.pick(&[TileValues::Same, TileValues::Narrow, TileValues::Flags]),
            gathered: !placings.is_empty() && self.bool(),
            placings,
            exchange,
            resident: self.bool().then_some(1024),
            in_order: self.bool(),
            whole_when: self.conditions(),
        }
    }

    fn conditions(&mut self) -> Vec<Condition> {
        self.list(|g| Condition {
            reason: g.pick(&[Reason::Must, Reason::Pays]),
            left: g.amount(),
            is: g.pick(&[Comparison::AtMost, Comparison::Below]),
            right: g.amount(),
        })
    }

    fn amount(&mut self) -> Amount {
        Amount { of: self.list(Gen::quantity), times: self.below(9) as i64 }
    }

    fn quantity(&mut self) -> Quantity {
        match self.below(4) {
            0 => Quantity::Param(self.symbol()),
            1 => Quantity::Size(self.operand(), self.pick(&[IntType::I8, IntType::I64])),
            2 => self.pick(&[Quantity::Points, Quantity::Segments, Quantity::Segment, Quantity::Shared]),
            _ => self.pick(&[Quantity::Block, Quantity::Covered, Quantity::WidthLog2, Quantity::MaxShared]),
        }
    }

    fn kept(&mut self) -> Kept {
        let columns = |g: &mut Gen| KeptColumns {
            points: 32,
            least: g.symbol(),
            rows: g.symbol(),
            long: g.option(Gen::symbol),
        };
        Kept { points: 16, of_lanes: 8, columns: self.option(columns) }
    }

    fn updates(&mut self) -> Vec<Update> {
        self.list(|g| g.pick(&[Update::Atomic, Update::Swap, Update::SwapPart, Update::Lock]))
    }

    fn plan(&mut self) -> Plan {
        let order = self.pick(&[Order::Interleaved, Order::Consecutive]);
        let exchange = self.pick(&[Exchange::Shuffles, Exchange::SharedMemory]);
        let (block, grid, points) = (self.symbol(), self.symbol(), self.below(99) as i64);
        match self.below(23) {
            0 => Plan::Points(Points {
                block,
                each: points,
                each_when: self.conditions(),
                column: self.bool().then(|| Column {
                    points,
                    widths_log2: self.list(|g| g.below(9) as i64),
                    idle: 8,
                    when: self.conditions(),
                }),
            }),
            1 => Plan::Tiled(Tiled {
                across: self.below(3),
                down: self.bool().then_some(2),
                tile: block,
                each: self.bool().then_some(grid),
                loops: self.list(|g| TiledLoop {
                    var: g.name(),
                    unrolled: g.bool(),
                    reads: g.list(|g| TiledRead {
                        name: g.name(),
                        along: g.pick(&[Along::Down, Along::Across, Along::Nothing]),
                        by_loop: g.bool(),
                    }),
                    product: g.bool().then(|| [g.name(), g.name()]),
                }),
            }),
            2 => Plan::RowCache(RowCache { tile: block, reads: self.list(|g| (g.name(), g.name())) }),
            3 => Plan::ThreadPerSegment { block, each: points, each_when: self.conditions() },
            4 => {
                let queue = self.bool().then_some(grid);
                Plan::LanesPerSegment { block, points, order, exchange, queue }
            }
            5 => Plan::SegmentsPerBlock { block },
            6 => Plan::BlocksPerSegment(BlocksPerSegment {
                block,
                grid,
                points,
                worth: 16,
                row: 8,
                order,
                exchange,
                resident: self.option(|_| 1024),
            }),
            7 => {
                let block = self.bool().then_some(block);
                Plan::SinglePass(self.single_pass(block, points, exchange))
            }
            8 => Plan::SubHistograms(SubHistograms {
                block,
                grid,
                room: points,
                room_for_copies: 1,
                copies: 2,
                worth: 3,
                grouped: 4,
                parts: self.bool().then_some(5),
                updates: self.updates(),
            }),
            9 => {
                let block = self.bool().then_some(block);
                let slices =
                    self.option(|g| Slices { bytes: g.symbol(), most: 8, miss: 20, when: g.conditions() });
                Plan::GlobalUpdates(GlobalUpdates { block, points, slices, updates: self.updates() })
            }
            10 => Plan::BlockPerPoint {
                spaces: self.list(Gen::operands),
                once: self.option(|g| Once { spaces: g.list(Gen::operands), turns: g.symbol() }),
                turns: self.option(|g| Turns {
                    points: g.symbol(),
                    threads: g.symbol(),
                    teams: g.option(|g| Teams { least: g.symbol(), most: g.symbol() }),
                    kept: g.option(Gen::kept),
                }),
            },
            11 => Plan::Rounds { updates: self.updates(), at_once: self.bool() },
            12 => Plan::Chunks { per_worker: points },
            13 => Plan::ReduceThenScan { beyond_workers: points },
            14 => Plan::ScanThenCorrect { per_worker: points },
            15 => Plan::Turned(Turned {
                sides: self.list(|g| (g.below(3), 16)),
                reads: self.list(|g| (g.name(), g.below(3))),
            }),
            16 => Plan::Strips(Strips { along: self.below(3), points, warps: points, turned: self.bool() }),
            17 => Plan::HistogramStrips(HistogramStrips {
                along: self.below(3),
                points,
                warps: 2,
                grid,
                worth: 3,
                parts: self.bool().then_some(5),
                updates: self.updates(),
            }),
            18 => Plan::Steps(Steps {
                steps: points,
                carried: self.list(Gen::name),
                radius: 1,
                block: 256,
                rows: 32,
                blocks: grid,
                around: self.bool(),
                kept: self.list(Gen::name),
            }),
            19 => Plan::SegmentsTogether { block, segments: points, exchange },
            20 => self.merge_path(block, grid, points, exchange),
            21 => self.line(points),
            _ => {
                self.pick(&[Plan::Strided, Plan::CopiedAhead, Plan::ByWarps, Plan::SideBySide, Plan::Ranges])
            }
        }
    }

    fn line(&mut self, steps: i64) -> Plan {
        let (carried, ahead) = (self.list(Gen::name), self.list(Gen::name));
        Plan::Line(Line { steps, carried, radius: 1, block: 256, ahead })
    }

    fn merge_path(&mut self, block: Symbol, carries: Symbol, items: i64, exchange: Exchange) -> Plan {
        let (ends, counts) = (self.name(), self.name());
        Plan::MergePath(MergePath { block, carries, items, ends, counts, exchange })
    }
}
