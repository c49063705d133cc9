//! Reading index functions: `offset + {(size : stride), ...}` of polynomials.

use super::lex::Kind;
use super::{Read, Reader};
use crate::mem::{sym, Lmad};
use fehu_algebra::{Monomial, Poly};
use fehu_lmad::Dim;

impl Reader<'_> {
    pub(super) fn lmad(&mut self) -> Read<Lmad> {
        let offset = self.poly()?;
        self.punct('+')?;
        let dims = self.list('{', '}', |r| {
            r.punct('(')?;
            let size = r.poly()?;
            r.punct(':')?;
            let stride = r.poly()?;
            r.punct(')')?;
            Ok(Dim { size, stride })
        })?;
        Ok(Lmad { offset, dims })
    }

    fn poly(&mut self) -> Read<Poly> {
        if self.try_punct('?') {
            return Ok(Poly::unknown());
        }
        let negative = self.try_punct('-');
        let mut terms = vec![self.term(negative)?];
        loop {
            if self.at('+') && !self.peek2().is_punct('{') {
                self.take();
                terms.push(self.term(false)?);
            } else if self.try_punct('-') {
                terms.push(self.term(true)?);
            } else {
                return Ok(Poly::from_terms(terms));
            }
        }
    }

    fn term(&mut self, negative: bool) -> Read<(Monomial, i64)> {
        let mut coefficient: i128 = if negative { -1 } else { 1 };
        let mut factors = vec![];
        loop {
            if matches!(self.peek().kind, Kind::Num(_)) {
                coefficient = coefficient.saturating_mul(
                    self.number::<i64>()
                        .map_or_else(|_| self.number::<u64>().map(i128::from), |n| Ok(i128::from(n)))?,
                );
            } else {
                factors.push(sym(self.name()?));
            }
            if !self.try_punct('*') {
                break;
            }
        }
        match coefficient.try_into() {
            Ok(c) => Ok((Monomial::new(factors), c)),
            Err(_) => self.fail("coefficient out of range"),
        }
    }
}
