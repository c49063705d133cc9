use fehu_ir::print::{print_prog, Locations};
use fehu_ir::read::read_prog;
use fehu_ir::validate::validate;
use fehu_ir::Kernels;

/// What becomes of a function with a scan of `xs_1` at its start, whose values are `ks_2`.
fn joined(rest: &str) -> String {
    let text = format!(
        "kernels
fun f_0(n_3 : i64, *zs_4 : [n_3]i64, xs_1 : [n_3]i64) : (i64, *[?0]i64) = {{
  let (ks_2 : [n_3]i64, ys_5 : [n_3]i64) = segscan thread virtual (flat_6; i_7 < n_3) : (i64, i64)
    op [0i64] \\(a_8 : i64, b_9 : i64) : (i64) {{
      let (c_10 : i64) = add_i64(a_8, b_9)
      return (c_10)
    }}
  {{
    let (x_11 : i64) = xs_1[i_7]
    let (y_12 : i64) = mul_i64(x_11, 3i64)
    return (x_11, y_12)
  }}
{rest}
}}
"
    );
    let mut prog = read_prog::<Kernels>(&text).unwrap_or_else(|e| panic!("{e}"));
    validate(&prog).unwrap_or_else(|e| panic!("{e:?}"));
    super::join(&mut prog);
    validate(&prog).unwrap_or_else(|e| panic!("{e:?}\n{}", print_prog(&prog, Locations::Hidden)));
    print_prog(&prog, Locations::Hidden)
}

/// A map over the scan's points that makes `rs_20`, with `line` in its body, which makes `r_24`.
fn map(line: &str) -> String {
    format!(
        "  let (rs_20 : [n_3]i64) = segmap thread virtual (flat_21; j_22 < n_3) : (i64) {{
    let (k_23 : i64) = ks_2[j_22]
    {line}
    return (r_24)
  }}"
    )
}

#[test]
fn maps_join_their_scans() {
    let rest = map("let (r_24 : i64) = add_i64(k_23, j_22)");
    let text = joined(&format!("{rest}\n  return (n_3, rs_20)"));
    assert!(text.contains("after") && !text.contains("segmap"), "{text}");
    assert!(text.contains("let (rs_20 : [n_3]i64) = segscan"), "{text}");
}

#[test]
fn what_is_needed_later_is_kept() {
    let rest = map("let (r_24 : i64) = add_i64(k_23, 1i64)");
    let last = "  let (t_30 : i64) = ks_2[0i64]\n  let (u_31 : [t_30]i64) = replicate [t_30] 0i64";
    let text = joined(&format!("{rest}\n{last}\n  return (t_30, u_31)"));
    assert!(text.contains("let (rs_20 : [n_3]i64, ks_2 : [n_3]i64) = segscan"), "{text}");
}

#[test]
fn other_results_are_computed_again() {
    let rest = map("let (y_25 : i64) = ys_5[j_22]\n    let (r_24 : i64) = add_i64(k_23, y_25)");
    let text = joined(&format!("{rest}\n  return (n_3, rs_20)"));
    assert!(text.contains("after") && !text.contains("segmap"), "{text}");
    assert!(!text.contains("ys_5") && text.matches("mul_i64").count() == 2, "{text}");
}

#[test]
fn last_elements_of_sums_are_reduced() {
    let first = "  let (l_28 : i64) = sub_i64(n_3, 1i64)\n  let (m_29 : i64) = ks_2[l_28]";
    let rest = map("let (r_24 : i64) = add_i64(k_23, m_29)");
    let text = joined(&format!("{first}\n{rest}\n  return (n_3, rs_20)"));
    assert!(text.contains("segred") && text.contains("after") && !text.contains("segmap"), "{text}");
}

#[test]
fn others_stay_as_they_are() {
    let returned = "\n  return (n_3, rs_20)";
    // At other points.
    let rest = "  let (rs_20 : [n_3]i64) = segmap thread virtual (flat_21; j_22 < n_3) : (i64) {
    let (l_26 : i64) = sub_i64(n_3, j_22)
    let (r_24 : i64) = ks_2[l_26]
    return (r_24)
  }";
    assert!(joined(&format!("{rest}{returned}")).contains("segmap"));
    // An element that is not the last is read before.
    let first = "  let (m_29 : i64) = ks_2[0i64]";
    let rest = map("let (r_24 : i64) = add_i64(k_23, m_29)");
    assert!(joined(&format!("{first}\n{rest}{returned}")).contains("segmap"));
    // Something that the scan might read is overwritten in between.
    let first = "  let (w_27 : [n_3]i64) = zs_4 with [0i64] = 1i64";
    let rest = map("let (r_24 : i64) = add_i64(k_23, 1i64)");
    assert!(joined(&format!("{first}\n{rest}{returned}")).contains("segmap"));
}
