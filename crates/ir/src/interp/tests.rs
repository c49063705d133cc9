#![allow(clippy::unwrap_used)]
use super::{run_entry, run_fun, Failure, Options, Value};
use crate::read::read_prog;
use crate::rep::{Kernels, Memory, Rep, Soacs};
use crate::validate::validate;
use fehu_base::Name;

/// Runs the first function of a valid program; its results as text.
#[track_caller]
fn run<R: Rep>(text: &str, args: Vec<Value>) -> String {
    let prog = read_prog::<R>(text).unwrap_or_else(|e| panic!("{e}\n{text}"));
    assert_eq!(validate(&prog), Ok(()));
    match run_fun(&prog, prog.funs[0].name, args, &Options { steps: 100_000, ..Options::default() }) {
        Ok(values) => values.iter().map(|v| v.to_string()).collect::<Vec<_>>().join(" "),
        Err(e) => e.to_string(),
    }
}

#[test]
fn loops_and_branches() {
    let text = "fun f_0(n_1 : i64) : (i64, i64) = {
      let (fib_2 : i64, next_3 : i64) = loop (a_4 : i64 = 0i64, b_5 : i64 = 1i64) for i_6 : i64 < n_1 {
        let (c_7 : i64) = add_i64(a_4, b_5)
        return (b_5, c_7)
      }
      let (go_8 : bool) = slt_i64(1i64, n_1)
      let (go_9 : bool, steps_10 : i64, x_11 : i64) = loop (go_12 : bool = go_8, s_13 : i64 = 0i64, x_14 : i64 = n_1) while go_12 {
        let (r_15 : i64) = smod_i64(x_14, 2i64)
        let (even_16 : bool) = eq_i64(r_15, 0i64)
        let (y_17 : i64) = if even_16 then {
          let (h_18 : i64) = sdiv_i64(x_14, 2i64)
          return (h_18)
        } else {
          let (t_19 : i64) = mul_i64(x_14, 3i64)
          let (u_20 : i64) = add_i64(t_19, 1i64)
          return (u_20)
        }
        let (s_21 : i64) = add_i64(s_13, 1i64)
        let (more_22 : bool) = slt_i64(1i64, y_17)
        return (more_22, s_21, y_17)
      }
      return (fib_2, steps_10)
    }";
    assert_eq!(run::<Soacs>(text, vec![Value::i64(10)]), "55i64 6i64");
    assert_eq!(run::<Soacs>(text, vec![Value::i64(0)]), "0i64 0i64");
}

#[test]
fn arrays() {
    let text =
        "fun f_0(n_1 : i64, *xs_2 : [n_1]i32) : ([n_1]i32, [2][n_1]i32, [n_1][2]i32, [2]i32, [2]i32) = {
      let (ys_3 : [n_1]i32) = xs_2 with [1i64] = 7i32
      let (io_4 : [n_1]i32) = iota i32 (n_1, 10i32, -1i32)
      let (two_5 : [2][n_1]i32) = [ys_3, io_4] : [n_1]i32
      let (tr_6 : [n_1][2]i32) = rearrange [1, 0] two_5
      let (sl_7 : [2]i32) = ys_3[0i64 :+ 2i64 * 2i64]
      let (fl_8 : [2]i32) = flat io_4[1i64; (2i64, 1i64)]
      return (ys_3, two_5, tr_6, sl_7, fl_8)
    }";
    assert_eq!(
        run::<Soacs>(text, vec![Value::i64(3), Value::i32s(&[1, 2, 3])]),
        "[1i32, 7i32, 3i32] [[1i32, 7i32, 3i32], [10i32, 9i32, 8i32]] \
         [[1i32, 10i32], [7i32, 9i32], [3i32, 8i32]] [1i32, 3i32] [9i32, 8i32]"
    );
    assert_eq!(
        run::<Soacs>(text, vec![Value::i64(1), Value::i32s(&[1])]),
        "stuck: `let (ys_3 : [n_1]i32) = xs_2 with [1i64] = 7i32`: index 1 out of bounds for the shape [1]"
    );
    assert!(run::<Soacs>(text, vec![Value::i64(2), Value::i32s(&[1])])
        .starts_with("stuck: xs_2: an array of shape"));
}

#[test]
fn joins() {
    let text =
        "fun f_0(n_1 : i64, m_2 : i64, xs_3 : [n_1]i32, ys_4 : [m_2]i32) : (i64, [?0]i32, [2][3]i32) = {
      let (k_5 : i64) = add_i64(n_1, m_2)
      let (zs_6 : [k_5]i32) = concat 0 [xs_3, ys_4] k_5
      let (a_7 : [2][1]i32) = replicate [2, 1] 5i32
      let (b_8 : [2][2]i32) = reshape [2, 2] zs_6
      let (c_9 : [2][3]i32) = concat 1 [a_7, b_8] 3i64
      return (k_5, zs_6, c_9)
    }";
    let args = vec![Value::i64(1), Value::i64(3), Value::i32s(&[1]), Value::i32s(&[2, 3, 4])];
    assert_eq!(
        run::<Soacs>(text, args),
        "4i64 [1i32, 2i32, 3i32, 4i32] [[5i32, 1i32, 2i32], [5i32, 3i32, 4i32]]"
    );
}

#[test]
fn checks_fail_with_their_message() {
    let text = "fun f_0(n_1 : i64) : (i64) = {
      let (ok_2 : bool) = slt_i64(n_1, 10i64)
      let (c_3 : unit) = assert(ok_2, \"size \", n_1 : u8, \" too large\")
      let (x_4 : i64) = <c_3> mul_i64(n_1, 2i64)
      return (x_4)
    }";
    let text = text.replace(": u8", ": i64");
    assert_eq!(run::<Soacs>(&text, vec![Value::i64(3)]), "6i64");
    assert_eq!(run::<Soacs>(&text, vec![Value::i64(30)]), "check failed: size 30 too large");
}

const SOACS: &str = "
  entry main sizes 1 0 ([]i32, []i64) : opaque(\"all\")
  fun main_0(n_1 : i64, xs_2 : [n_1]i32, is_3 : [n_1]i64) : ([n_1]i32, i32, [n_1]i32, *[4]i32, *[4]i32, *[4]i32) = {
    let (sc_4 : [n_1]i32, red_5 : i32, sq_6 : [n_1]i32) = screma n_1 [xs_2]
      scan [0i32] \\(x_7 : i32, y_8 : i32) : (i32) { let (z_9 : i32) = add_i32(x_7, y_8) return (z_9) }
      reduce comm [1i32] \\(x_10 : i32, y_11 : i32) : (i32) { let (z_12 : i32) = mul_i32(x_10, y_11) return (z_12) }
      map \\(x_13 : i32) : (i32, i32, i32) { let (z_14 : i32) = mul_i32(x_13, x_13) return (x_13, x_13, z_14) }
    let (d_15 : [4]i32) = replicate [4] 0i32
    let (e_16 : [4]i32) = replicate [4] 0i32
    let (g_17 : [4]i32) = replicate [4] 0i32
    let (h_18 : [4]i32) = hist n_1 [is_3, xs_2]
      op [4] [d_15] [0i32] \\(x_19 : i32, y_20 : i32) : (i32) { let (z_21 : i32) = add_i32(x_19, y_20) return (z_21) }
      map \\(i_22 : i64, x_23 : i32) : (i64, i32) { return (i_22, x_23) }
    let (s_24 : [4]i32) = scatter n_1 [is_3, xs_2]
      into [4] e_16
      map \\(i_25 : i64, x_26 : i32) : (i64, i32) { return (i_25, x_26) }
    let (a_27 : [4]i32) = with_acc
      input [4] [g_17] op [0i32] \\(x_28 : i32, y_29 : i32) : (i32) { let (z_30 : i32) = smax_i32(x_28, y_29) return (z_30) }
      do \\(t_31 : unit, acc_32 : acc(t_31, [4], (i32))) : (acc(t_31, [4], (i32))) {
        let (acc_33 : acc(t_31, [4], (i32))) = screma n_1 [acc_32, is_3, xs_2]
          map \\(acc_34 : acc(t_31, [4], (i32)), i_35 : i64, x_36 : i32) : (acc(t_31, [4], (i32))) {
            let (acc_37 : acc(t_31, [4], (i32))) = update_acc acc_34 [i_35] [x_36]
            return (acc_37)
          }
        return (acc_33)
      }
    return (sc_4, red_5, sq_6, h_18, s_24, a_27)
  }";

#[test]
fn combinators() {
    let text = format!("opaque \"all\" = plain ([]i32, i32, []i32, []i32, []i32, []i32) {SOACS}");
    let prog = read_prog::<Soacs>(&text).unwrap();
    assert_eq!(validate(&prog), Ok(()));
    let args = vec![Value::i32s(&[3, 1, 4, 1, 5]), Value::i64s(&[0, 2, 0, -1, 7])];
    let values = run_entry(&prog, "main", args, &Options::default()).unwrap();
    let shown: Vec<String> = values.iter().map(|v| v.to_string().replace("i32", "")).collect();
    assert_eq!(
        shown,
        ["[3, 4, 8, 9, 14]", "60", "[9, 1, 16, 1, 25]", "[7, 0, 1, 0]", "[4, 0, 1, 0]", "[4, 0, 1, 0]"]
    );
    let empty = run_entry(&prog, "main", vec![Value::i32s(&[]), Value::i64s(&[])], &Options::default());
    let shown: Vec<String> = empty.unwrap().iter().map(|v| v.to_string().replace("i32", "")).collect();
    assert_eq!(shown, ["[]", "1", "[]", "[0, 0, 0, 0]", "[0, 0, 0, 0]", "[0, 0, 0, 0]"]);
}

#[test]
fn segmented_operations() {
    let text = "fun f_0(n_1 : i64, xs_2 : [n_1]i32) : ([2]i32, [2][n_1]i32, [n_1]i32, [4]i32, [2]i32, [4]i32, [n_1][2]i32) = {
      let (sum_3 : [2]i32, all_4 : [2][n_1]i32) = segred thread (fl_5; i_6 < 2i64, j_7 < n_1) : (i32, i32)
        op comm [0i32] \\(x_8 : i32, y_9 : i32) : (i32) { let (z_10 : i32) = add_i32(x_8, y_9) return (z_10) }
      {
        let (x_11 : i32) = xs_2[j_7]
        let (k_12 : i32) = sext_i64_i32(i_6)
        let (y_13 : i32) = add_i32(x_11, k_12)
        return (y_13, y_13)
      }
      let (sc_14 : [n_1]i32) = segscan thread grid(t_90 < 4i64, 2i64, 2i64) (fl_15; i_16 < n_1) : (i32)
        op [0i32] \\(x_17 : i32, y_18 : i32) : (i32) { let (z_19 : i32) = add_i32(x_17, y_18) return (z_19) }
      {
        let (x_20 : i32) = xs_2[i_16]
        return (x_20)
      }
      let (d_21 : [4]i32) = replicate [4] 0i32
      let (h_22 : [4]i32) = seghist thread (fl_23; i_24 < n_1) : (i64, i32)
        op [4] [d_21] [0i32] [] \\(x_25 : i32, y_26 : i32) : (i32) { let (z_27 : i32) = add_i32(x_25, y_26) return (z_27) }
      {
        let (x_28 : i32) = xs_2[i_24]
        let (b_29 : i64) = zext_i32_i64(x_28)
        return (b_29, 1i32)
      }
      let (zero_91 : [2]i32) = replicate [2] 0i32
      let (vec_30 : [2]i32) = segred thread (fl_31; i_32 < n_1) : ([2]i32)
        op [zero_91] \\(x_33 : [2]i32, y_34 : [2]i32) : ([2]i32) {
          let (a_92 : i32) = x_33[0i64]
          let (b_93 : i32) = y_34[0i64]
          let (c_94 : i32) = add_i32(a_92, b_93)
          let (d_95 : i32) = x_33[1i64]
          let (e_96 : i32) = y_34[1i64]
          let (f_97 : i32) = add_i32(d_95, e_96)
          let (z_35 : [2]i32) = [c_94, f_97] : i32
          return (z_35)
        }
      {
        let (x_36 : i32) = xs_2[i_32]
        let (v_37 : [2]i32) = [x_36, 1i32] : i32
        return (v_37)
      }
      let (w_38 : [4]i32) = replicate [4] 9i32
      let (wr_39 : [4]i32) = segmap thread (fl_40; i_41 < n_1) : (i32, i32) {
        let (x_42 : i32) = xs_2[i_41]
        let (b_43 : i64) = zext_i32_i64(x_42)
        return (write x_42 to w_38 [4] at [b_43], write 5i32 to w_38 [4] at [3i64])
      }
      let (t_45 : [n_1][2]i32) = segmap block (fl_46; b_47 < n_1) : ([2]i32) {
        let (v_48 : [2]i32) = segmap in_block (fl_49; i_50 < 2i64) : (i32) {
          let (p_52 : i64) = add_i64(b_47, i_50)
          let (q_53 : i32) = sext_i64_i32(p_52)
          return (q_53)
        }
        return (v_48)
      }
      return (sum_3, all_4, sc_14, h_22, vec_30, wr_39, t_45)
    }";
    let shown = run::<Kernels>(text, vec![Value::i64(5), Value::i32s(&[1, 2, 2, 0, 7])]).replace("i32", "");
    assert_eq!(
        shown,
        "[12, 17] [[1, 2, 2, 0, 7], [2, 3, 3, 1, 8]] [1, 3, 5, 5, 12] [1, 1, 2, 0] [12, 5] [0, 1, 2, 5] [[0, 1], [1, 2], [2, 3], [3, 4], [4, 5]]"
    );
}

#[test]
fn memory_is_ignored() {
    let text = "fun f_0(n_1 : i64, m_2 : mem(default), xs_3 : [n_1]i32 @ m_2 -> 0 + {(n_1 : 1)}) : (i32) = {
      let (m_4 : mem(default)) = alloc n_1 default
      let (ys_5 : [n_1]i32 @ m_4 -> n_1 - 1 + {(n_1 : -1)}) = copy(xs_3)
      let (x_6 : i32) = ys_5[1i64]
      return (x_6)
    }";
    assert_eq!(run::<Memory>(text, vec![Value::i64(2), Value::Mem(0), Value::i32s(&[4, 5])]), "5i32");
}

/// What happens to a program whose memory is watched.
fn watched(text: &str) -> Result<Vec<Value>, Failure> {
    let prog = read_prog::<Memory>(text).unwrap();
    run_fun(&prog, Name(0), vec![], &Options { heap: true, ..Options::default() })
}

#[test]
fn arrays_that_are_needed_at_once_do_not_share_memory() {
    let merged = |other: &str, value: &str| {
        format!(
            "fun f_0() : ({other}) = {{
              let (m_1 : mem(default)) = alloc 32i64 default
              let (xs_2 : [4]i64 @ m_1 -> 0 + {{(4 : 1)}}) = iota i64 (4i64, 1i64, 1i64)
              let (x_3 : i64) = xs_2[1i64]
              let (ys_4 : [4]{other} @ m_1 -> 0 + {{(4 : 1)}}) = replicate [4i64] {value}
              let (x_5 : i64) = xs_2[0i64]
              let (y_6 : {other}) = ys_4[1i64]
              return (y_6)
            }}"
        )
    };
    let stuck = |text: String| match watched(&text) {
        Err(Failure::Overwritten(why)) => why,
        other => panic!("{other:?}"),
    };
    assert!(stuck(merged("i64", "7i64")).contains("xs_2 is not where it should be"));
    // Elements of another size overlap, too.
    assert!(stuck(merged("i16", "7i16")).contains("xs_2 is not where it should be"));
}

#[test]
fn memory_is_used_again_by_elements_of_another_size() {
    let text = "fun f_0() : (i16) = {
      let (m_1 : mem(default)) = alloc 32i64 default
      let (xs_2 : [4]i64 @ m_1 -> 0 + {(4 : 1)}) = iota i64 (4i64, 1i64, 1i64)
      let (x_3 : i64) = xs_2[1i64]
      let (ys_4 : [4]i16 @ m_1 -> 0 + {(4 : 1)}) = replicate [4i64] 7i16
      let (y_5 : i16) = ys_4[1i64]
      return (y_5)
    }";
    assert!(watched(text).is_ok());
}

#[test]
fn calls_recurse_and_end() {
    let text = "fun f_0(n_1 : i64) : (i64) = {
      let (base_2 : bool) = sle_i64(n_1, 0i64)
      let (r_3 : i64) = if base_2 then { return (0i64) } else {
        let (m_4 : i64) = sub_i64(n_1, 1i64)
        let (s_5 : i64) = call f_0(m_4)
        let (t_6 : i64) = add_i64(s_5, n_1)
        return (t_6)
      }
      return (r_3)
    }";
    assert_eq!(run::<Soacs>(text, vec![Value::i64(5000)]), "12502500i64");
    let forever = "fun f_0() : () = {
      let (go_1 : bool) = loop (go_2 : bool = true) while go_2 { return (true) }
      return ()
    }";
    assert_eq!(run::<Soacs>(forever, vec![]), "too many steps");
}

#[test]
fn every_point_has_the_accumulator() {
    let text = "fun f_0(*xs_1 : [2]i32) : ([2]i32) = {
      let (r_2 : [2]i32) = with_acc
        input [2i64] [xs_1] op [0i32] \\(x_3 : i32, x_4 : i32) : (i32) {
          let (t_5 : i32) = add_i32(x_3, x_4)
          return (t_5)
        }
        do \\(token_6 : unit, a_7 : acc(token_6, [2i64], (i32))) : (acc(token_6, [2i64], (i32))) {
          let (b_8 : acc(token_6, [2i64], (i32))) = segmap thread virtual (fl_9; i_10 < 3i64) : (acc(token_6, [2i64], (i32))) {
            let (c_11 : acc(token_6, [2i64], (i32))) = loop (*p_12 : acc(token_6, [2i64], (i32)) = a_7) for j_13 : i64 < 2i64 {
              let (d_14 : acc(token_6, [2i64], (i32))) = update_acc p_12 [j_13] [1i32]
              return (d_14)
            }
            return (c_11)
          }
          return (b_8)
        }
      return (r_2)
    }";
    assert_eq!(run::<Kernels>(text, vec![Value::i32s(&[10, 20])]), "[13i32, 23i32]");
}

#[test]
fn consumed_arrays_are_gone() {
    let text = "fun f_0(*xs_1 : [2]i32) : (i32) = {
      let (ys_2 : [2]i32) = xs_1 with [0i64] = 1i32
      let (x_3 : i32) = xs_1[0i64]
      return (x_3)
    }";
    let prog = read_prog::<Soacs>(text).unwrap();
    let result = run_fun(&prog, Name(0), vec![Value::i32s(&[1, 2])], &Options::default());
    assert_eq!(
        result,
        Err(Failure::Stuck("`let (x_3 : i32) = xs_1[0i64]`: xs_1 is unbound or consumed".into()))
    );
}
