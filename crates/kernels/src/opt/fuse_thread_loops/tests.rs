use fehu_ir::print::{print_prog, Locations};
use fehu_ir::read::read_prog;
use fehu_ir::validate::validate;
use fehu_ir::Kernels;

/// The program with its loops merged, around the code of a thread that makes `cs_9` from `xs_3`.
fn merged(thread: &str) -> String {
    let text = format!(
        "kernels
fun f_1(n_2 : i64, xs_3 : [n_2]f32) : (*[n_2][n_2]f32) = {{
  let (out_4 : [n_2][n_2]f32) = segmap thread virtual (flat_5; g_6 < n_2) : ([n_2]f32) {{
    let (s_7 : [n_2]f32) = scratch f32 [n_2]
    let (x_8 : f32, as_10 : [n_2]f32) = loop (c_11 : f32 = 0.0f32, *p_12 : [n_2]f32 = s_7) for i_13 : i64 < n_2 {{
      let (e_14 : f32) = xs_3[i_13]
      let (v_15 : f32) = fadd_f32(c_11, e_14)
      let (o_16 : [n_2]f32) = p_12 with [i_13] = v_15
      return (v_15, o_16)
    }}
    let (t_17 : [n_2]f32) = scratch f32 [n_2]
{thread}
    return (cs_9)
  }}
  return (out_4)
}}
"
    );
    let mut prog = read_prog::<Kernels>(&text).unwrap_or_else(|e| panic!("{e}"));
    super::fuse(&mut prog);
    validate(&prog).unwrap_or_else(|e| panic!("{e:?}"));
    print_prog(&prog, Locations::Hidden)
}

/// A loop after the first one, whose element is made of `a_20` and others.
fn second(bound: &str, reads: &str) -> String {
    format!(
        "    let (cs_9 : [n_2]f32) = loop (*q_18 : [n_2]f32 = t_17) for j_19 : i64 < {bound} {{
{reads}
      let (r_21 : [n_2]f32) = q_18 with [j_19] = a_20
      return (r_21)
    }}"
    )
}

fn loops(text: &str) -> usize {
    text.matches("= loop").count()
}

#[test]
fn elements_of_the_same_iteration_are_values() {
    let text = merged(&second("n_2", "      let (a_20 : f32) = as_10[j_19]"));
    assert_eq!(loops(&text), 1, "{text}");
    assert!(text.contains("(a_20 : f32) = v_15"), "{text}");
    assert!(text.contains("q_18 with [i_13] = a_20"), "{text}");
}

#[test]
fn elements_of_earlier_iterations_are_read() {
    let reads = "      let (k_22 : i64) = sub_i64(j_19, 2i64)
      let (b_23 : bool) = slt_i64(k_22, 0i64)
      let (a_20 : f32) = if b_23 then {
        let (d_24 : f32) = as_10[0i64]
        return (d_24)
      } else {
        let (d_25 : f32) = as_10[k_22]
        return (d_25)
      }";
    let text = merged(&second("n_2", reads));
    assert_eq!(loops(&text), 1, "{text}");
    assert!(text.contains("o_16[k_22]") && !text.contains("o_16[0i64]"), "{text}");
    assert!(text.contains("(d_24 : f32) = first_") && text.contains("= if is_first_"), "{text}");
}

#[test]
fn the_element_of_the_iteration_before_is_carried_along() {
    let reads = "      let (k_22 : i64) = sub_i64(j_19, 1i64)
      let (b_23 : bool) = slt_i64(k_22, 0i64)
      let (a_20 : f32) = if b_23 then {
        return (0.0f32)
      } else {
        let (d_25 : f32) = as_10[k_22]
        return (d_25)
      }";
    let text = merged(&second("n_2", reads));
    assert!(text.contains("(d_25 : f32) = c_11"), "the scan has it: {text}");
    let third = "    let (u_40 : [n_2]f32) = scratch f32 [n_2]
    let (bs_41 : [n_2]f32) = loop (*w_42 : [n_2]f32 = u_40) for h_43 : i64 < n_2 {
      let (y_44 : f32) = as_10[h_43]
      let (z_45 : f32) = fmul_f32(y_44, y_44)
      let (o_46 : [n_2]f32) = w_42 with [h_43] = z_45
      return (o_46)
    }
";
    let text = merged(&(third.to_string() + &second("n_2", &reads.replace("as_10", "bs_41"))));
    assert_eq!(loops(&text), 1, "{text}");
    assert!(text.contains("(d_25 : f32) = last_"), "{text}");
}

#[test]
fn later_elements_keep_loops_apart() {
    for index in
        ["      let (k_22 : i64) = add_i64(j_19, 1i64)", "      let (k_22 : i64) = sub_i64(n_2, j_19)"]
    {
        let text = merged(&second("n_2", &format!("{index}\n      let (a_20 : f32) = as_10[k_22]")));
        assert_eq!(loops(&text), 2, "{text}");
    }
    let text = merged(&second("n_2", "      let (a_20 : f32) = as_10[1i64]"));
    assert_eq!(loops(&text), 2, "{text}");
}

#[test]
fn other_bounds_and_final_values_keep_loops_apart() {
    let text = merged(&second("5i64", "      let (a_20 : f32) = as_10[j_19]"));
    assert_eq!(loops(&text), 2, "{text}");
    let text = merged(&second(
        "n_2",
        "      let (a_22 : f32) = as_10[j_19]\n      let (a_20 : f32) = fdiv_f32(a_22, x_8)",
    ));
    assert_eq!(loops(&text), 2, "{text}");
}

#[test]
fn what_is_needed_goes_ahead_and_the_rest_behind() {
    let between = "    let (m_30 : i64) = add_i64(n_2, 1i64)
    let (last_31 : f32) = fadd_f32(x_8, 1.0f32)
";
    let reads = "      let (a_22 : f32) = as_10[j_19]
      let (m_32 : f32) = sitofp_i64_f32(m_30)
      let (a_20 : f32) = fadd_f32(a_22, m_32)";
    let text = merged(&(between.to_string() + &second("n_2", reads)));
    assert_eq!(loops(&text), 1, "{text}");
    let at = |s: &str| text.find(s).unwrap_or_else(|| panic!("no {s} in {text}"));
    assert!(at("(m_30 : i64)") < at("= loop") && at("= loop") < at("(last_31 : f32)"), "{text}");
}

#[test]
fn arrays_with_other_uses_keep_loops_apart() {
    let peek = "    let (t0_30 : f32) = t_17[0i64]\n";
    let text = merged(&(peek.to_string() + &second("n_2", "      let (a_20 : f32) = as_10[j_19]")));
    assert_eq!(loops(&text), 2, "{text}");
}

/// The program with its loops merged, around a scan of the rows of `xs_3` by products and what follows it in
/// a thread. `twist` is what the scan does with a row after it has copied it.
fn merged_rows(twist: &str, row: &str, index: &str) -> String {
    let text = format!(
        "kernels
fun f_1(n_2 : i64, m_4 : i64, xs_3 : [n_2][m_4]f32, start_5 : [m_4]f32) : (*[n_2][n_2][m_4]f32) = {{
  let (out_6 : [n_2][n_2][m_4]f32) = segmap thread virtual (flat_7; g_8 < n_2) : ([n_2][m_4]f32) {{
    let (s_9 : [n_2][m_4]f32) = scratch f32 [n_2, m_4]
    let (x_10 : [m_4]f32, as_11 : [n_2][m_4]f32) = loop (c_12 : [m_4]f32 = start_5, *p_13 : [n_2][m_4]f32 = s_9) for i_14 : i64 < n_2 {{
      let (e_15 : [m_4]f32) = xs_3[i_14, 0i64 :+ m_4 * 1i64]
      let (e_16 : [m_4]f32) = e_15
      let (s_17 : [m_4]f32) = scratch f32 [m_4]
      let (v_18 : [m_4]f32) = loop (*q_19 : [m_4]f32 = s_17) for j_20 : i64 < m_4 {{
        let (y_21 : f32) = c_12[j_20]
        let (z_22 : f32) = e_16[j_20]
        let (w_23 : f32) = fmul_f32(y_21, z_22)
        let (r_24 : [m_4]f32) = q_19 with [j_20] = w_23
        return (r_24)
      }}
      let (o_25 : [n_2][m_4]f32) = p_13 with [i_14, 0i64 :+ m_4 * 1i64] = v_18
{twist}
      return ({row}, o_25)
    }}
    let (t_26 : [n_2][m_4]f32) = scratch f32 [n_2, m_4]
    let (bs_27 : [n_2][m_4]f32) = loop (*p_28 : [n_2][m_4]f32 = t_26) for i_29 : i64 < n_2 {{
      let (k_30 : i64) = {index}
      let (a_31 : [m_4]f32) = as_11[k_30, 0i64 :+ m_4 * 1i64]
      let (s_32 : [m_4]f32) = scratch f32 [m_4]
      let (v_33 : [m_4]f32) = loop (*q_34 : [m_4]f32 = s_32) for j_35 : i64 < m_4 {{
        let (y_36 : f32) = a_31[j_35]
        let (w_37 : f32) = fadd_f32(y_36, 1.0f32)
        let (r_38 : [m_4]f32) = q_34 with [j_35] = w_37
        return (r_38)
      }}
      let (o_39 : [n_2][m_4]f32) = p_28 with [i_29, 0i64 :+ m_4 * 1i64] = v_33
      return (o_39)
    }}
    return (bs_27)
  }}
  return (out_6)
}}
"
    );
    let mut prog = read_prog::<Kernels>(&text).unwrap_or_else(|e| panic!("{e}"));
    validate(&prog).unwrap_or_else(|e| panic!("{e:?}"));
    super::fuse(&mut prog);
    validate(&prog).unwrap_or_else(|e| panic!("{e:?}"));
    print_prog(&prog, Locations::Hidden)
}

#[test]
fn a_scan_of_rows_and_a_map_hand_on_scalars() {
    let text = merged_rows("", "v_18", "i_29");
    assert_eq!(loops(&text), 2, "one for rows, one for elements: {text}");
    assert!(text.contains("(y_36 : f32) = w_23"), "{text}");
    assert!(!text.contains("e_16"), "another name for a row is that row: {text}");
}

#[test]
fn rows_of_earlier_iterations_are_read_from_the_array() {
    // The row before the first one is not there: the program reads only what it has written, which this one
    // leaves to its caller.
    let text = merged_rows("", "v_18", "sub_i64(i_29, 1i64)");
    assert!(text.contains("(a_31 : [m_4]f32) = o_25[k_30"), "{text}");
    assert_eq!(loops(&text), 3, "{text}");
    let text = merged_rows("", "v_18", "add_i64(i_29, 1i64)");
    assert_eq!(loops(&text), 4, "{text}");
}

#[test]
fn rows_that_are_overwritten_after_they_are_copied_keep_loops_apart() {
    let twist = "      let (u_40 : [m_4]f32) = v_18 with [0i64] = 2.0f32";
    let text = merged_rows(twist, "u_40", "i_29");
    assert_eq!(loops(&text), 4, "{text}");
    let twist = "      let (d_41 : f32) = v_18[0i64]";
    assert_eq!(loops(&merged_rows(twist, "v_18", "i_29")), 2);
}
