use super::validate;
use crate::read::read_prog;
use crate::rep::{Kernels, Memory, Rep, Soacs};

fn errors<R: Rep>(text: &str) -> Vec<String> {
    let prog = read_prog::<R>(text).unwrap_or_else(|e| panic!("{e}\n{text}"));
    validate(&prog).err().unwrap_or_default()
}

#[track_caller]
fn good<R: Rep>(text: &str) {
    assert_eq!(errors::<R>(text), Vec::<String>::new());
}

/// A function with parameters of all kinds around some statements. Numbers from 20 on are free.
fn in_fun(stms: &str) -> String {
    format!(
        "fun f_0(n_1 : i64, x_2 : i32, b_3 : bool, xs_4 : [n_1]i32, *ys_5 : [n_1]i32, xss_6 : [n_1][3]f32) : () = {{
           {stms}
           return ()
         }}
         fun g_7(m_8 : i64, *as_9 : [m_8]i32, bs_10 : [m_8]i32) : (i64, [?0]i32, *[m_8]i32) = {{
           return (m_8, bs_10, as_9)
         }}"
    )
}

#[track_caller]
fn good_stms<R: Rep>(stms: &str) {
    good::<R>(&in_fun(stms));
}

/// The only mistake of some statements, without its place.
#[track_caller]
fn bad_stms<R: Rep>(stms: &str, expected: &str) {
    let errors = errors::<R>(&in_fun(stms));
    assert_eq!(errors.len(), 1, "{errors:#?}");
    let message = errors[0].rsplit("`: ").next().unwrap_or_default();
    assert_eq!(message, expected, "{errors:#?}");
}

#[test]
fn good_programs() {
    good_stms::<Soacs>(
        "let (a_20 : i32) = add_i32(x_2, 1i32)
         let (c_21 : unit) = assert(b_3, \"n is \", n_1 : i64)
         let (e_22 : i32) = <c_21> xs_4[0i64]
         let (s_23 : [n_1]f32) = xss_6[0i64 :+ n_1 * 1i64, 2i64]
         let (t_24 : [3][n_1]f32) = rearrange [1, 0] xss_6
         let (m_25 : i64, zs_26 : [m_25]i32) = if b_3 then {
           return (n_1, xs_4)
         } else {
           let (l_27 : [2]i32) = [a_20, e_22] : i32
           return (2i64, l_27)
         }
         let (u_28 : [n_1]i32) = ys_5 with [0i64] = a_20
         let (v_29 : [n_1]i32, sum_30 : i32) = loop (*v_31 : [n_1]i32 = u_28, sum_32 : i32 = 0i32) for i_33 : i64 < n_1 {
           let (w_34 : [n_1]i32) = v_31 with [i_33] = sum_32
           let (r_35 : i32) = w_34[0i64]
           return (w_34, r_35)
         }
         let (k_36 : i64, p_37 : [k_36]i32, q_38 : [n_1]i32) = call g_7(n_1, v_29, xs_4)
         let (sc_39 : [n_1]i32, red_40 : i32, kept_41 : [n_1][3]f32) = screma n_1 [xs_4, xss_6]
           scan [0i32] \\(x_42 : i32, y_43 : i32) : (i32) { let (z_44 : i32) = add_i32(x_42, y_43) return (z_44) }
           reduce comm [0i32] \\(x_45 : i32, y_46 : i32) : (i32) { let (z_47 : i32) = add_i32(x_45, y_46) return (z_47) }
           map \\(x_48 : i32, row_49 : [3]f32) : (i32, i32, [3]f32) { return (x_48, x_48, row_49) }
         let (dest_50 : [10]i32) = replicate [10] 0i32
         let (h_51 : [10]i32) = hist n_1 [xs_4]
           op [10] [dest_50] [0i32] \\(x_52 : i32, y_53 : i32) : (i32) { return (x_52) }
           map \\(x_54 : i32) : (i64, i32) { return (3i64, x_54) }
         let (s_55 : [10]i32) = scatter n_1 [xs_4]
           into [10] h_51
           map \\(x_56 : i32) : (i64, i32) { return (3i64, x_56) }
         let (acc_57 : [10]i32, other_58 : bool) = with_acc
           input [10] [s_55] op [0i32] \\(x_59 : i32, y_60 : i32) : (i32) { return (x_59) }
           do \\(tok_61 : unit, acc_62 : acc(tok_61, [10], (i32))) : (acc(tok_61, [10], (i32)), bool) {
             let (acc_63 : acc(tok_61, [10], (i32))) = update_acc acc_62 [3i64] [x_2]
             return (acc_63, true)
           }",
    );
    good_stms::<Kernels>(
        "let (r_20 : [n_1]f32, k_21 : [n_1][3]f32) = segred thread (flat_22; i_23 < n_1, j_24 < 3i64) : (f32, f32)
           op [0.0f32] \\(x_25 : f32, y_26 : f32) : (f32) { let (z_27 : f32) = fadd_f32(x_25, y_26) return (z_27) }
         {
           let (x_28 : f32) = xss_6[i_23, j_24]
           return (x_28, x_28)
         }
         let (w_29 : [n_1]i32) = segmap thread (flat_30; i_31 < n_1) : (i32) {
           return (write x_2 to ys_5 [n_1] at [i_31])
         }
         let (gr_50 : [n_1]i64) = segmap thread virtual grid(tid_51 < 512i64, 2i64, 256i64) (flat_52; i_53 < n_1) : (i64) {
           return (tid_51)
         }
         let (s_32 : i64) = get_size \"tile\" tile_size
         let (bl_33 : [n_1]i32) = segmap block (flat_34; i_35 < n_1) : (i32) {
           let (t_36 : [3]f32) = segmap in_block (flat_37; j_38 < 3i64) : (f32) {
             let (x_39 : f32) = xss_6[i_35, j_38]
             return (x_39)
           }
           return (x_2)
         }",
    );
    good::<Memory>(
        "fun f_0(n_1 : i64, m_2 : mem(default), xs_3 : [n_1]i32 @ m_2 -> 0 + {(n_1 : 1)}) : (mem(default)) = {
           let (m_4 : mem(default)) = alloc n_1 default
           let (ys_5 : [n_1]i32 @ m_4 -> 0 + {(n_1 : 1)}) = copy(xs_3)
           return (m_4)
         }",
    );
}

#[test]
fn scopes() {
    bad_stms::<Soacs>("let (a_20 : i32) = add_i32(y_21, 1i32)", "y_21 is not in scope");
    bad_stms::<Soacs>(
        "let () = if b_3 then { let (a_20 : i32) = 1i32 return () } else { return () } let (c_21 : i32) = a_20",
        "a_20 is not in scope",
    );
    bad_stms::<Soacs>("let (x_2 : i32) = 1i32", "x_2 is bound twice");
    bad_stms::<Soacs>("let (a_20 : [k_21]i32) = copy(xs_4)", "k_21 is not in scope");
    bad_stms::<Soacs>("let () = call h_30()", "there is no function h_30");
}

#[test]
fn types() {
    bad_stms::<Soacs>("let (a_20 : i64) = add_i32(x_2, 1i32)", "the value of a_20 has type i32, not i64");
    bad_stms::<Soacs>("let (a_20 : i64) = add_i64(x_2, 1i64)", "operand: x_2 has type i32, not i64");
    bad_stms::<Soacs>("let (a_20 : i32) = xs_4[0i64, 1i64]", "2 indices for an array of rank 1");
    bad_stms::<Soacs>("let (a_20 : [n_1]i32) = copy(x_2)", "x_2 of type i32 is no array");
    bad_stms::<Soacs>("let (a_20 : i32, c_21 : i32) = xs_4[0i64]", "1 values are bound to 2 names");
    bad_stms::<Soacs>(
        "let (a_20 : [3][n_1]f32) = rearrange [0, 0] xss_6",
        "[0, 0] is no permutation of 2 dimensions",
    );
    bad_stms::<Soacs>(
        "let (a_20 : [n_1][4]f32) = copy(xss_6)",
        "the value of a_20 has type [n_1][3]f32, not [n_1][4]f32",
    );
    bad_stms::<Soacs>("let (a_20 : i32) = <x_2> 1i32", "certificate: x_2 has type i32, not unit");
    bad_stms::<Soacs>(
        "let (m_20 : i64, a_21 : [m_20]i32) = if b_3 then { return (2i64, xs_4) } else {
           let (l_22 : [2]i32) = [1i32, 2i32] : i32
           return (3i64, l_22)
         }",
        "second branch: l_22 has type [2]i32, not [3]i32",
    );
    bad_stms::<Soacs>(
        "let (a_20 : i32) = loop (a_21 : i32 = 0i32) while b_3 { return (a_21) }",
        "the condition b_3 is no parameter of the loop",
    );
    bad_stms::<Soacs>(
        "let (a_20 : i32) = loop (a_21 : i32 = 0i32) for i_22 : i64 < n_1 { return (i_22) }",
        "result of the loop's body: i_22 has type i64, not i32",
    );
    bad_stms::<Soacs>(
        "let (a_20 : i64, c_21 : [a_20]i32, d_22 : [n_1]i32) = call g_7(n_1, ys_5)",
        "2 arguments for 3 parameters",
    );
    bad_stms::<Soacs>(
        "let (m_20 : [0]i32) = [] : i32 let () = if b_3 then { return () } else { return (1i32) }",
        "second branch: 1 values are bound to 0 names",
    );
    let memory = errors::<Soacs>("fun f_0(m_1 : mem(default)) : () = { return () }");
    assert_eq!(memory, ["f_0: memory in a program over soacs"]);
}

#[test]
fn operations() {
    bad_stms::<Soacs>(
        "let (a_20 : [n_1]i32) = screma n_1 [xs_4] map \\(x_21 : f32) : (i32) { return (1i32) }",
        "map: the argument for x_21 has type i32, not f32",
    );
    bad_stms::<Soacs>(
        "let (a_20 : [4]f32) = screma 4i64 [xss_6] map \\(x_21 : [3]f32) : (f32) { return (x_21) }",
        "result of the lambda: x_21 has type [3]f32, not f32",
    );
    bad_stms::<Soacs>(
        "let (a_20 : i32) = screma n_1 [xs_4]
           reduce [0i32] \\(x_21 : i32) : (i32) { return (x_21) }
           map \\(x_22 : i32) : (i32) { return (x_22) }",
        "reduction: 1 parameters for 2 arguments",
    );
    bad_stms::<Soacs>(
        "let (s_20 : [n_1]i32) = scatter n_1 [xs_4] into [n_1] ys_5 map \\(x_21 : i32) : (i32) { return (x_21) }",
        "the lambda returns 1 values, not 2",
    );
    bad_stms::<Kernels>(
        "let (a_20 : [n_1]i32) = segmap in_block (f_21; i_22 < n_1) : (i32) { return (x_2) }",
        "an operation at level InBlock on the host",
    );
    bad_stms::<Kernels>(
        "let (a_20 : [n_1]i32) = segmap task grid(t_23 < 4i64, 2i64, 2i64) (f_21; i_22 < n_1) : (i32) { return (x_2) }",
        "a grid at level Task",
    );
    bad_stms::<Kernels>(
        "let (a_20 : [n_1]i64) = segmap thread (f_21; i_22 < n_1) : (i64) {
           let (s_23 : i64) = get_size_max grid_size
           return (s_23)
         }",
        "a size of the machine inside of a kernel",
    );
}

#[test]
fn consumption() {
    let update = "let (a_20 : [n_1]i32) = ys_5 with [0i64] = 1i32";
    bad_stms::<Soacs>(
        &format!("{update} let (c_21 : i32) = ys_5[0i64]"),
        "ys_5 is used after it was consumed",
    );
    bad_stms::<Soacs>(
        &format!(
            "let (s_22 : [n_1]i32) = ys_5[0i64 :+ n_1 * 1i64] {update} let (c_21 : [n_1]i32) = copy(s_22)"
        ),
        "s_22 is used, which may share the memory of ys_5 after it was consumed",
    );
    bad_stms::<Soacs>(
        "let (a_20 : [n_1]i32) = xs_4 with [0i64] = 1i32",
        "xs_4 is consumed, but xs_4 may not be consumed here",
    );
    bad_stms::<Soacs>(
        "let (z_20 : [n_1]i32) = if b_3 then { return (xs_4) } else { return (ys_5) }
         let (a_21 : [n_1]i32) = z_20 with [0i64] = 1i32",
        "z_20 is consumed, but xs_4 may not be consumed here",
    );
    bad_stms::<Soacs>(
        "let () = loop () for i_20 : i64 < n_1 {
           let (a_21 : [n_1]i32) = ys_5 with [i_20] = 1i32
           return ()
         }",
        "ys_5 is consumed, but ys_5 may not be consumed here",
    );
    bad_stms::<Soacs>(
        "let (a_20 : [n_1]i32) = loop (*v_21 : [n_1]i32 = ys_5) for i_22 : i64 < n_1 { return (xs_4) }",
        "the loop's body returns xs_4 to be consumed, but xs_4 may not be",
    );
    bad_stms::<Soacs>(
        "let (k_20 : i64, p_21 : [k_20]i32, q_22 : [n_1]i32) = call g_7(n_1, ys_5, ys_5)",
        "ys_5 is consumed, but shares memory with another argument",
    );
    let returned = errors::<Soacs>("fun f_0(xs_1 : [2]i32) : (*[2]i32) = { return (xs_1) }");
    assert_eq!(returned, ["f_0: xs_1 is returned as unique, but may share the memory of xs_1"]);
    // Either branch may consume, but then it is gone.
    let branches = "let (z_20 : [n_1]i32) = if b_3 then {
           let (a_21 : [n_1]i32) = ys_5 with [0i64] = 1i32
           return (a_21)
         } else {
           let (a_22 : [n_1]i32) = ys_5 with [1i64] = 1i32
           return (a_22)
         }";
    good_stms::<Soacs>(branches);
    bad_stms::<Soacs>(
        &format!("{branches} let (c_23 : i32) = ys_5[0i64]"),
        "ys_5 is used after it was consumed",
    );
    // A row that is consumed takes its array.
    let rows = "let (c_23 : [n_1][3]f32) = copy(xss_6)
         let (z_20 : [n_1][3]f32) = screma n_1 [c_23]
           map \\(*r_21 : [3]f32) : ([3]f32) {
             let (s_22 : [3]f32) = r_21 with [0i64] = 1.0f32
             return (s_22)
           }";
    good_stms::<Soacs>(rows);
    bad_stms::<Soacs>(
        &format!("{rows} let (d_24 : f32) = c_23[0i64, 0i64]"),
        "c_23 is used after it was consumed",
    );
}

#[test]
fn places_are_told() {
    let errors = errors::<Soacs>(&in_fun(
        "let (a_20 : i32) = if b_3 then {
           let (c_21 : i32) = neg_i32(b_3)
           return (c_21)
         } else { return (1i32) }",
    ));
    assert_eq!(
        errors,
        ["f_0: in `let (a_20 : i32) = if b_3 then {`: in `let (c_21 : i32) = neg_i32(b_3)`: operand: b_3 has type bool, not i32"]
    );
}

#[test]
fn entry_points() {
    let text = |sizes: &str| {
        format!(
            "entry main sizes {sizes} 0 ([]i32) : i32
             fun main_0(n_1 : i64, xs_2 : [n_1]i32) : (i32) = {{ let (x_3 : i32) = xs_2[0i64] return (x_3) }}"
        )
    };
    good::<Soacs>(&text("1"));
    assert_eq!(
        errors::<Soacs>(&text("0")),
        ["main_0: an entry point of 1 values and 0 sizes has 2 parameters"]
    );
}

#[test]
fn random_syntax_never_panics() {
    for seed in 0..300u64 {
        let mut gen = crate::read::arbitrary::Gen::new(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15));
        let _ = validate(&gen.prog::<Kernels>());
        let _ = validate(&gen.prog::<Soacs>());
    }
}
