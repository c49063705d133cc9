#![allow(clippy::unwrap_used)]
use super::{Aliases, Classes, Signatures};
use crate::consume::consumed_by_exp;
use crate::last_use::LastUses;
use crate::read::read_prog;
use crate::rep::Soacs;
use crate::syntax::Prog;
use fehu_base::Name;

fn program() -> Prog<Soacs> {
    let text = "
      fun f_0(n_1 : i64, c_2 : bool, a_3 : [n_1]i32, *b_4 : [n_1]i32, *d_5 : [n_1]i32) : (*[n_1]i32) = {
        let (s_6 : [n_1]i32) = a_3[0i64 :+ n_1 * 1i64]
        let (r_7 : [n_1]i32) = if c_2 then { return (s_6) } else {
          let (k_8 : [n_1]i32) = copy(b_4)
          return (k_8)
        }
        let (u_9 : [n_1]i32) = b_4 with [0i64] = 1i32
        let (l_10 : [n_1]i32, m_11 : [n_1]i32) = loop (l_12 : [n_1]i32 = r_7, *m_13 : [n_1]i32 = d_5) for i_14 : i64 < n_1 {
          let (m_15 : [n_1]i32) = m_13 with [i_14] = 1i32
          let (l_16 : [n_1]i32) = l_12[0i64 :+ n_1 * 1i64]
          return (u_9, m_15)
        }
        let (x_17 : i64, p_18 : [n_1]i32, q_19 : [n_1]i32) = call g_20(n_1, m_11, l_10)
        let (v_24 : [n_1]i32) = p_18 with [0i64] = 2i32
        return (v_24)
      }
      fun g_20(n_21 : i64, *as_22 : [n_21]i32, bs_23 : [n_21]i32) : (i64, *[n_21]i32, [n_21]i32) = {
        return (n_21, as_22, bs_23)
      }";
    let prog = read_prog::<Soacs>(text).unwrap();
    assert_eq!(crate::validate::validate(&prog), Ok(()));
    prog
}

#[test]
fn ancestors() {
    let prog = program();
    let table = Aliases::of_fun(&Signatures::of_prog(&prog), &prog.funs[0]);
    let of = |n: u32| {
        let mut found: Vec<u32> = table.of(Name(n)).into_iter().map(|n| n.0).collect();
        found.sort_unstable();
        found
    };
    assert_eq!(of(6), [3, 6]);
    assert_eq!(of(7), [3, 6, 7]);
    assert_eq!(of(9), [9]);
    // The loop's first parameter is the initial value, or what the body returns for it.
    assert_eq!(of(12), [3, 6, 7, 9, 12]);
    assert_eq!(of(16), [3, 6, 7, 9, 12, 16]);
    assert_eq!(of(10), [3, 6, 7, 9, 10]);
    assert_eq!(of(11), [11]);
    assert_eq!(of(18), [18]);
    assert_eq!(of(19), [3, 6, 7, 9, 10, 19]);
    assert!(table.may_alias(Name(6), Name(10)));
    assert!(!table.may_alias(Name(11), Name(10)));
}

#[test]
fn consumed_and_last_used() {
    let prog = program();
    let fun = &prog.funs[0];
    let signatures = Signatures::of_prog(&prog);
    let table = Aliases::of_fun(&signatures, fun);
    let last = LastUses::of_fun(&table, fun);
    let numbers = |names: crate::free::Names| {
        let mut found: Vec<u32> = names.into_iter().map(|n| n.0).collect();
        found.sort_unstable();
        found
    };
    let consumed = |i: usize| numbers(consumed_by_exp(&signatures, &table, &fun.body.stms[i].exp));
    let at = |i: usize| numbers(last.at(&fun.body.stms[i]).cloned().unwrap_or_default());
    assert_eq!(consumed(2), [4]);
    assert_eq!(consumed(3), [5]);
    assert_eq!(consumed(4), [11]);
    // The branch reads `s` for its value, which lives on in `r`.
    assert_eq!(at(1), [2]);
    assert_eq!(at(2), [4]);
    // `r` and `u` live on in `l`.
    assert_eq!(at(3), [5]);
    assert_eq!(at(4), [10, 11, 17, 19]);
    assert_eq!(at(5), [1, 18]);
}

#[test]
fn what_a_branch_consumes_is_no_alias() {
    let text = "fun f_0(c_1 : bool, *a_2 : [2]i32, b_3 : [2]i32) : () = {
        let (r_4 : [2]i32) = if c_1 then {
          let (u_5 : [2]i32) = a_2 with [0i64] = 1i32
          return (u_5)
        } else {
          let (s_6 : [2]i32) = if c_1 then { return (a_2) } else { return (b_3) }
          return (s_6)
        }
        return ()
      }";
    let prog = read_prog::<Soacs>(text).unwrap();
    let table = Aliases::of_fun(&Signatures::of_prog(&prog), &prog.funs[0]);
    assert_eq!(table.of(Name(4)).into_iter().map(|n| n.0).collect::<Vec<_>>(), [4, 3]);
}

/// The ancestors of names and the classes of a function, by numbers.
fn both(text: &str) -> (Aliases, Classes) {
    let prog = read_prog::<Soacs>(text).unwrap();
    assert_eq!(crate::validate::validate(&prog), Ok(()));
    let signatures = Signatures::of_prog(&prog);
    let fun = &prog.funs[0];
    (Aliases::of_fun(&signatures, fun), Classes::of_fun(&signatures, &prog.consts, fun))
}

fn ancestors_of(aliases: &Aliases, n: u32) -> Vec<u32> {
    let mut found: Vec<u32> = aliases.of(Name(n)).into_iter().map(|n| n.0).collect();
    found.sort_unstable();
    found
}

#[test]
fn an_update_inherits_and_does_not_alias() {
    let (aliases, classes) = both(
        "fun f_0(n_1 : i64, *a_2 : [n_1]i32, b_3 : [n_1]i32) : (*[n_1]i32) = {
          let (v_4 : [n_1]i32) = a_2[0i64 :+ n_1 * 1i64]
          let (u_5 : [n_1]i32) = v_4 with [0i64] = 1i32
          let (w_6 : [n_1]i32) = b_3[0i64 :+ n_1 * 1i64]
          return (u_5)
        }",
    );
    assert_eq!(ancestors_of(&aliases, 5), [5]);
    assert_eq!(classes.find(Name(5)), classes.find(Name(2)));
    assert!(classes.is_consumed(Name(4)) && !classes.is_consumed(Name(6)));
    assert_ne!(classes.find(Name(6)), classes.find(Name(2)));
}

#[test]
fn results_of_a_loop_share_what_they_have_in_common() {
    // The first two results are one array; the third is what the second was an iteration before.
    let (aliases, classes) = both(
        "fun f_0(n_1 : i64, a_2 : [n_1]i32, b_3 : [n_1]i32, c_4 : [n_1]i32) : () = {
          let (r_5 : [n_1]i32, s_6 : [n_1]i32, t_7 : [n_1]i32) = loop (p_8 : [n_1]i32 = a_2, q_9 : [n_1]i32 = b_3, o_10 : [n_1]i32 = c_4) for i_11 : i64 < n_1 {
            let (x_12 : [n_1]i32) = copy(p_8)
            return (x_12, x_12, q_9)
          }
          return ()
        }",
    );
    assert_eq!(ancestors_of(&aliases, 5), [2, 5]);
    assert_eq!(ancestors_of(&aliases, 6), [2, 3, 5, 6]);
    assert_eq!(ancestors_of(&aliases, 7), [3, 4, 7]);
    assert!(aliases.may_alias(Name(5), Name(6)) && !aliases.may_alias(Name(5), Name(7)));
    // Classes know no iterations.
    assert_eq!(classes.find(Name(5)), classes.find(Name(7)));
}

#[test]
fn a_reduction_may_become_its_neutral_element() {
    let (aliases, classes) = both(
        "fun f_0(n_1 : i64, xs_2 : [n_1][2]i32, z_3 : [2]i32) : () = {
          let (r_4 : [2]i32, ys_5 : [n_1][2]i32) = screma n_1 [xs_2]
            reduce [z_3] \\(a_6 : [2]i32, b_7 : [2]i32) : ([2]i32) { return (b_7) }
            map \\(x_8 : [2]i32) : ([2]i32, [2]i32) { return (x_8, x_8) }
          return ()
        }",
    );
    assert_eq!(ancestors_of(&aliases, 4), [4]);
    assert_eq!(ancestors_of(&aliases, 7), [3, 7]);
    assert_eq!(classes.find(Name(4)), classes.find(Name(3)));
    assert_ne!(classes.find(Name(5)), classes.find(Name(3)));
}
