//! Reading operations.

use super::lex::Kind;
use super::{Read, Reader};
use crate::op::RepOp;
use crate::rep::Rep;
use crate::seg::*;
use crate::soac::*;
use crate::syntax::SubExp;
use fehu_base::Symbol;

impl Reader<'_> {
    /// An operation, if the next word begins one.
    pub(super) fn op<R: Rep>(&mut self) -> Read<Option<R::Op>> {
        let Kind::Word(word) = self.peek().kind else { return Ok(None) };
        let op = match word {
            "screma" => {
                self.take();
                R::Op::from_soac(Soac::Screma(self.screma()?))
            }
            "hist" => {
                self.take();
                R::Op::from_soac(Soac::Hist(self.hist()?))
            }
            "scatter" => {
                self.take();
                R::Op::from_soac(Soac::Scatter(self.scatter()?))
            }
            "filter" => {
                self.take();
                R::Op::from_soac(Soac::Filter(self.filter()?))
            }
            "jvp" => {
                self.take();
                R::Op::from_soac(Soac::Ad(self.ad(AdMode::Forward)?))
            }
            "vjp" => {
                self.take();
                R::Op::from_soac(Soac::Ad(self.ad(AdMode::Reverse)?))
            }
            "with_vjp" => {
                self.take();
                R::Op::from_soac(Soac::Ad(self.ad(AdMode::Rule)?))
            }
            "segmap" | "segred" | "segscan" | "seghist" => {
                self.take();
                R::Op::from_seg(self.seg(word)?)
            }
            "get_size" | "get_size_max" | "cmp_threshold" | "calc_grid" | "shared_needed" => {
                self.take();
                R::Op::from_size(self.size_op(word)?)
            }
            "alloc" => {
                self.take();
                R::Op::from_alloc(self.operand()?, self.space()?)
            }
            _ => return Ok(None),
        };
        match op {
            Some(op) => Ok(Some(op)),
            None => self.fail(format!("{} has no {word}", R::Op::NAME)),
        }
    }

    fn screma<R: Rep>(&mut self) -> Read<Screma<R>> {
        let width = self.operand()?;
        let arrays = self.name_list()?;
        let (mut scans, mut reds) = (vec![], vec![]);
        while self.try_word("scan") {
            let neutral = self.operands()?;
            scans.push(Scan { neutral, op: self.lambda()? });
        }
        while self.try_word("reduce") {
            let comm = self.comm();
            let neutral = self.operands()?;
            reds.push(Reduce { comm, neutral, op: self.lambda()? });
        }
        self.word("map")?;
        Ok(Screma { width, arrays, scans, reds, map: self.lambda()? })
    }

    fn comm(&mut self) -> Commutativity {
        if self.try_word("comm") {
            Commutativity::Commutative
        } else {
            Commutativity::Noncommutative
        }
    }

    fn hist<R: Rep>(&mut self) -> Read<Hist<R>> {
        let width = self.operand()?;
        let arrays = self.name_list()?;
        let mut ops = vec![];
        while self.try_word("op") {
            ops.push(HistOp {
                shape: self.shape()?,
                dests: self.name_list()?,
                neutral: self.operands()?,
                op: self.lambda()?,
            });
        }
        self.word("map")?;
        Ok(Hist { width, arrays, ops, lambda: self.lambda()? })
    }

    fn scatter<R: Rep>(&mut self) -> Read<Scatter<R>> {
        let width = self.operand()?;
        let arrays = self.name_list()?;
        let mut dests = vec![];
        while self.try_word("into") {
            dests.push(ScatterDest { shape: self.shape()?, array: self.name()? });
        }
        self.word("map")?;
        Ok(Scatter { width, arrays, dests, lambda: self.lambda()? })
    }

    fn filter<R: Rep>(&mut self) -> Read<Filter<R>> {
        let width = self.operand()?;
        let arrays = self.name_list()?;
        let mut kept = vec![];
        while self.try_word("kept") {
            kept.push(self.number()?);
        }
        self.word("map")?;
        Ok(Filter { width, arrays, kept, lambda: self.lambda()? })
    }

    fn ad<R: Rep>(&mut self, mode: AdMode) -> Read<Ad<R>> {
        let args = self.operands()?;
        let seeds = self.operands()?;
        Ok(Ad { mode, lambda: self.lambda()?, args, seeds })
    }

    fn seg<R: Rep>(&mut self, word: &str) -> Read<SegOp<R>> {
        let level = self.level()?;
        let virtualise = self.try_word("virtual");
        let grid = if self.try_word("grid") { Some(self.grid()?) } else { None };
        self.punct('(')?;
        let flat = self.name()?;
        self.punct(';')?;
        let dims = self.items(')', |r| {
            let index = r.name()?;
            r.punct('<')?;
            Ok((index, r.operand()?))
        })?;
        self.punct(':')?;
        let types = self.types()?;
        let kind = match word {
            "segred" => SegKind::Red(self.seg_bin_ops()?),
            "segscan" => SegKind::Scan(self.seg_bin_ops()?, self.seg_after()?),
            "seghist" => SegKind::Hist(self.seg_hist_ops()?),
            _ => SegKind::Map,
        };
        let schedule = self.schedule()?;
        let stms = self.stms()?;
        let (result, returns) = self.list('(', ')', Self::seg_return)?.into_iter().unzip();
        self.punct('}')?;
        let body = KernelBody { body: crate::syntax::Body { stms, result }, returns };
        Ok(SegOp { level, space: SegSpace { flat, dims }, types, body, kind, virtualise, grid, schedule })
    }

    fn grid(&mut self) -> Read<SegGrid> {
        self.punct('(')?;
        let thread = self.name()?;
        self.punct('<')?;
        let sizes = self.items(')', Self::operand)?;
        match sizes[..] {
            [threads, blocks, block_size] => Ok(SegGrid { thread, threads, blocks, block_size }),
            _ => self.expected("threads, blocks and block size"),
        }
    }

    fn level(&mut self) -> Read<SegLevel> {
        for (word, level) in [
            ("thread", SegLevel::Thread),
            ("block", SegLevel::Block),
            ("in_block", SegLevel::InBlock),
            ("task", SegLevel::Task),
        ] {
            if self.try_word(word) {
                return Ok(level);
            }
        }
        self.expected("a level")
    }

    fn seg_bin_ops<R: Rep>(&mut self) -> Read<Vec<SegBinOp<R>>> {
        let mut ops = vec![];
        while self.try_word("op") {
            let comm = self.comm();
            let neutral = self.operands()?;
            ops.push(SegBinOp { comm, op: self.lambda()?, neutral });
        }
        Ok(ops)
    }

    fn seg_after<R: Rep>(&mut self) -> Read<Option<Box<SegAfter<R>>>> {
        if !self.try_word("after") {
            return Ok(None);
        }
        let lambda = self.lambda()?;
        self.word("as")?;
        let (_, returns): (Vec<SubExp>, _) = self.list('(', ')', Self::seg_return)?.into_iter().unzip();
        Ok(Some(Box::new(SegAfter { lambda, returns })))
    }

    fn seg_hist_ops<R: Rep>(&mut self) -> Read<Vec<SegHistOp<R>>> {
        let mut ops = vec![];
        while self.try_word("op") {
            ops.push(SegHistOp {
                shape: self.shape()?,
                dests: self.name_list()?,
                neutral: self.operands()?,
                vector: self.shape()?,
                op: self.lambda()?,
            });
        }
        Ok(ops)
    }

    fn seg_return(&mut self) -> Read<(SubExp, KernelReturn)> {
        if self.try_word("write") {
            let e = self.operand()?;
            self.word("to")?;
            let array = self.name()?;
            let shape = self.shape()?;
            self.word("at")?;
            return Ok((e, KernelReturn::Write { array, shape, index: self.operands()? }));
        }
        Ok((self.operand()?, KernelReturn::Elem))
    }

    fn size_op(&mut self, word: &str) -> Read<SizeOp> {
        Ok(match word {
            "get_size" => SizeOp::GetSize(self.text_symbol()?, self.size_class()?),
            "get_size_max" => SizeOp::GetSizeMax(self.size_class()?),
            "shared_needed" => SizeOp::SharedNeeded(self.text_symbol()?),
            "cmp_threshold" => SizeOp::CmpThreshold {
                name: self.text_symbol()?,
                class: self.size_class()?,
                par: self.operand()?,
                by: if self.try_word("by") { Some(self.operand()?) } else { None },
            },
            _ => {
                SizeOp::CalcGrid { points: self.operand()?, max: self.text_symbol()?, block: self.operand()? }
            }
        })
    }

    pub(super) fn text_symbol(&mut self) -> Read<Symbol> {
        Ok(Symbol::new(&self.string()?))
    }

    pub(super) fn size_class(&mut self) -> Read<SizeClass> {
        if self.try_word("threshold") {
            let path = self.list('(', ')', |r| {
                let name = r.text_symbol()?;
                if r.try_word("true") {
                    return Ok((name, true));
                }
                r.word("false")?;
                Ok((name, false))
            })?;
            let usual = if self.try_word("usually") { Some(self.number()?) } else { None };
            return Ok(SizeClass::Threshold(path, usual));
        }
        if self.try_word("bespoke") {
            self.punct('(')?;
            let name = self.text_symbol()?;
            let default = self.number()?;
            self.punct(')')?;
            return Ok(SizeClass::Bespoke(name, default));
        }
        for (word, class) in [
            ("block_size", SizeClass::ThreadBlockSize),
            ("grid_size", SizeClass::GridSize),
            ("tile_size", SizeClass::TileSize),
            ("reg_tile_size", SizeClass::RegTileSize),
            ("shared_memory", SizeClass::SharedMemory),
            ("thread_memory", SizeClass::ThreadMemory),
        ] {
            if self.try_word(word) {
                return Ok(class);
            }
        }
        self.expected("a class of sizes")
    }
}
