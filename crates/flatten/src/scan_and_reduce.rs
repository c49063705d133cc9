//! A combinator that scans and reduces what it maps becomes two: no kernel or task does both.
//!
//! The map goes where the scans are, so that what they scan never becomes an array. For the reductions it is
//! computed again if that costs less than to store what they reduce and to read it back; else they reduce an
//! array.
//!
//! ```text
//! let (is, s, ys) = screma n [xs]             let (s) = screma n [xs] reduce (+) 0  map \x -> x & 1
//!   scan (+) 0  reduce (+) 0             =>   let (is, ys) = screma n [xs] scan (+) 0
//!   map \x -> (x & 1, x & 1, x >> 1)            map \x -> (x & 1, x >> 1)
//! ```
//!
//! The reductions come first where they can: a map of the scanned values that also uses sums then directly
//! follows the scan, whose kernel can do it.

use crate::sequential::Seq;
use fehu_base::tuning::flattening::INSTRUCTIONS_PER_BYTE;
use fehu_base::Name;
use fehu_ir::cost::scalar_instructions;
use fehu_ir::free::free_in_stm;
use fehu_ir::soac::{Screma, Soac};
use fehu_ir::subst::rename_lambda;
use fehu_ir::types::array_of_rows;
use fehu_ir::{Body, Exp, Lambda, Param, PatElem, Soacs, Stm, SubExp, Type};
use rustc_hash::FxHashSet;

/// The two combinators, as statements that bind a pattern for all results. Scans must be of scalars, and the
/// map without parallelism that the back end could use.
pub(crate) fn separate(
    seq: &mut Seq,
    like: &Stm<Soacs>,
    pat: &[PatElem<Soacs>],
    s: &Screma<Soacs>,
) -> [Stm<Soacs>; 2] {
    let scanned: usize = s.scans.iter().map(|x| x.op.ret.len()).sum();
    let reduced: usize = s.reds.iter().map(|x| x.op.ret.len()).sum();
    let for_reds: Vec<usize> = (scanned..scanned + reduced).collect();
    let for_scans: Vec<usize> = (0..scanned).chain(scanned + reduced..s.map.ret.len()).collect();
    let bound = |which: &[usize]| -> Vec<PatElem<Soacs>> { which.iter().map(|k| pat[*k].clone()).collect() };
    let stm = |pat, arrays: &[Name], scans, reds, map| {
        let exp = Exp::Op(Soac::Screma(Screma { width: s.width, arrays: arrays.to_vec(), scans, reds, map }));
        Stm { pat, exp, ..like.clone() }
    };
    let reduced_map = with_results(&s.map, &for_reds);
    if is_cheaper_again(&reduced_map) {
        let again = rename_lambda(&mut seq.b.names, &reduced_map);
        seq.learn_types(&again);
        let scanned_map = with_results(&s.map, &for_scans);
        let reduce = stm(bound(&for_reds), &s.arrays, vec![], s.reds.clone(), again);
        return [reduce, stm(bound(&for_scans), &s.arrays, s.scans.clone(), vec![], scanned_map)];
    }
    let (mut scan_pat, mut all) = (bound(&for_scans), for_scans.clone());
    let (mut stored, mut params) = (vec![], vec![]);
    for k in for_reds.iter().copied() {
        let (row, ty) = (s.map.ret[k].clone(), array_of_rows(&s.map.ret[k], &[s.width]));
        let is_same = |j: &usize| s.map.body.result[*j] == s.map.body.result[k];
        stored.push(match (scanned + reduced..s.map.ret.len()).find(is_same) {
            Some(kept) => pat[kept].name,
            None => {
                let name = seq.b.fresh("mapped", ty.clone());
                scan_pat.push(PatElem { name, ty, dec: () });
                all.push(k);
                name
            }
        });
        params.push(Param { name: seq.b.fresh("x", row.clone()), ty: row, dec: (), consumed: false });
    }
    let result = params.iter().map(|p| SubExp::Var(p.name)).collect();
    let hand_on = Lambda { params, body: Body { stms: vec![], result }, ret: reduced_map.ret };
    let scan = stm(scan_pat, &s.arrays, s.scans.clone(), vec![], with_results(&s.map, &all));
    [scan, stm(bound(&for_reds), &stored, vec![], s.reds.clone(), hand_on)]
}

/// A function that returns some of the results only, and computes what these need.
fn with_results(lambda: &Lambda<Soacs>, which: &[usize]) -> Lambda<Soacs> {
    let result: Vec<SubExp> = which.iter().map(|k| lambda.body.result[*k]).collect();
    let mut needed: FxHashSet<Name> = result.iter().filter_map(|e| e.name()).collect();
    let mut stms: Vec<Stm<Soacs>> = vec![];
    for stm in lambda.body.stms.iter().rev() {
        if stm.stays() || stm.pat.iter().any(|p| needed.contains(&p.name)) {
            needed.extend(free_in_stm(stm));
            stms.push(stm.clone());
        }
    }
    stms.reverse();
    let ret = which.iter().map(|k| lambda.ret[*k].clone()).collect();
    Lambda { params: lambda.params.clone(), body: Body { stms, result }, ret }
}

/// Whether results cost less to compute twice than to store and read back.
fn is_cheaper_again(lambda: &Lambda<Soacs>) -> bool {
    let bytes = lambda.ret.iter().map(|t| match t {
        Type::Prim(p) => Some(p.bytes() as usize),
        Type::Array(..) | Type::Acc(..) | Type::Mem(_) => None,
    });
    let moved: Option<usize> = bytes.map(|b| b.map(|b| 2 * b)).sum();
    match (moved, scalar_instructions(&lambda.body)) {
        (Some(moved), Some(instructions)) => instructions <= moved * INSTRUCTIONS_PER_BYTE,
        _ => false,
    }
}
