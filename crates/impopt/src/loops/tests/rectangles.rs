//! Products by rectangles give the same as by loops, at all sizes near the edges.

use super::{array, compile, improved, loops, same_at};

/// A product of matrices whose operator does not commute: `\a b -> map (\r -> map (\c -> reduce f 3 (map2 (*)
/// r c)) (transpose b)) a`.
const PRODUCT: &str = r#"
entry main sizes 3 0 ([][]i32, [][]i32) : [][]i32
fun main_0(n_1 : i64, m_2 : i64, p_3 : i64, a_4 : [n_1][m_2]i32, b_5 : [m_2][p_3]i32) : (*[n_1][p_3]i32) = {
  let (t_6 : [p_3][m_2]i32) = rearrange [1, 0] b_5
  let (r_7 : [n_1][p_3]i32) = screma n_1 [a_4]
    map \(x_8 : [m_2]i32) : ([p_3]i32) {
      let (s_9 : [p_3]i32) = screma p_3 [t_6]
        map \(y_10 : [m_2]i32) : (i32) {
          let (z_11 : i32) = screma m_2 [x_8, y_10]
            reduce [3i32] \(p_12 : i32, q_13 : i32) : (i32) {
              let (o_14 : i32) = xor_i32(p_12, 5i32)
              let (u_15 : i32) = add_i32(o_14, q_13)
              return (u_15)
            }
            map \(v_16 : i32, w_17 : i32) : (i32) {
              let (f_18 : i32) = mul_i32(v_16, w_17)
              return (f_18)
            }
          return (z_11)
        }
      return (s_9)
    }
  return (r_7)
}"#;

/// Such a product with the second matrix transposed.
fn with_transposed() -> String {
    PRODUCT
        .replace("rearrange [1, 0] b_5", "rearrange [0, 1] b_5")
        .replace("b_5 : [m_2][p_3]i32", "b_5 : [p_3][m_2]i32")
}

#[test]
fn products_are_done_by_rectangles() {
    let before = compile(PRODUCT);
    let after = improved(&before);
    assert_eq!((loops(&before, "tile"), loops(&after, "tile")), (0, 1));
    assert_eq!(loops(&after, "place"), 0, "nothing is read far apart");
    for (n, m, p) in
        [(4, 9, 40), (5, 9, 31), (5, 3, 32), (9, 0, 40), (11, 10, 47), (6, 66, 33), (31, 5, 34), (5, 5, 515)]
    {
        same_at(&before, &after, &[array(&[n, m]), array(&[m, p])]);
    }
}

#[test]
fn what_columns_read_far_apart_is_packed() {
    let before = compile(&with_transposed());
    let after = improved(&before);
    assert_eq!((loops(&after, "tile"), loops(&after, "place")), (1, 1));
    for (n, m, p) in [(15, 9, 20), (16, 9, 15), (16, 9, 16), (17, 66, 35), (20, 0, 20), (127, 5, 131)] {
        same_at(&before, &after, &[array(&[n, m]), array(&[p, m])]);
    }
}

#[test]
fn a_few_columns_are_left_to_strips() {
    let text = PRODUCT.replace("p_3", "7i64").replace("7i64 : i64, ", "").replace("sizes 3", "sizes 2");
    assert_eq!(loops(&improved(&compile(&text)), "tile"), 0);
}

#[test]
fn rows_with_something_else_in_them_are_left_to_strips() {
    let text = PRODUCT.replace(
        "      let (s_9 ",
        "      let (first_30 : i32) = x_8[0i64]
      let (s_9 ",
    );
    let text = text.replace("mul_i32(v_16, w_17)", "mul_i32(v_16, first_30)");
    let after = improved(&compile(&text));
    assert_eq!(loops(&after, "tile"), 0);
}
