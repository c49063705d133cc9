//! The analyses on small programs in text.

use fehu_algebra::{Facts, Poly};
use fehu_analysis::access::{accesses, Kind, Part};
use fehu_analysis::order::{Order, Side, Uses};
use fehu_analysis::{Blocks, Callees, Known};
use fehu_base::Name;
use fehu_ir::mem::{poly, MemInfo};
use fehu_ir::read::read_prog;
use fehu_ir::{Body, Memory, Prog};

fn prog(text: &str) -> Prog<Memory> {
    read_prog::<Memory>(&format!("memory\n\n{text}")).unwrap_or_else(|e| panic!("{e}"))
}

/// The only function's body.
fn body(prog: &Prog<Memory>) -> &Body<Memory> {
    &prog.funs[0].body
}

/// A name of the program, by the text before its number.
fn name(prog: &Prog<Memory>, base: &str) -> Name {
    let all = (0..prog.names.len() as u32).map(Name);
    let mut found = all.filter(|n| prog.names.base(*n).to_string() == base);
    found.next().unwrap_or_else(|| panic!("there is no {base}"))
}

fn var(prog: &Prog<Memory>, base: &str) -> Poly {
    poly(name(prog, base).into())
}

fn facts_of(prog: &Prog<Memory>) -> Facts {
    let known = Known::of_fun(&prog.funs[0]);
    let mut facts = known.facts();
    known.enter_body(&mut facts, body(prog));
    facts
}

#[test]
fn checks_that_pass_and_definitions_are_known() {
    let prog = prog(
        "fun f_0(n_1 : i64, k_2 : i64) : (i64) = {
           let (c_3 : bool) = slt_i64(k_2, n_1)
           let (cert_4 : unit) = assert(c_3, \"too large\")
           let (t_5 : i64) = sub_i64(n_1, k_2)
           return (t_5)
         }",
    );
    let facts = facts_of(&prog);
    assert!(facts.lt(&var(&prog, "k"), &var(&prog, "n")));
    assert!(facts.positive(&var(&prog, "t")));
    assert!(!facts.nonneg(&var(&prog, "k")), "nothing is known of its sign");
}

#[test]
fn a_branch_knows_its_condition_and_only_there() {
    let prog = prog(
        "fun f_0(n_1 : i64, k_2 : i64) : (i64) = {
           let (c_3 : bool) = sle_i64(k_2, n_1)
           let (r_4 : i64) = if c_3 then { return (k_2) } else { return (n_1) }
           return (r_4)
         }",
    );
    let known = Known::of_fun(&prog.funs[0]);
    let (k, n) = (var(&prog, "k"), var(&prog, "n"));
    let condition = name(&prog, "c").into();
    let (mut taken, mut other) = (known.facts(), known.facts());
    known.enter_branch(&mut taken, condition, true);
    known.enter_branch(&mut other, condition, false);
    assert!(taken.le(&k, &n) && !taken.lt(&n, &k));
    assert!(other.lt(&n, &k) && !other.le(&k, &n));
    assert!(!known.facts().le(&k, &n));
}

#[test]
fn an_array_of_one_dimension_keeps_its_size_under_another_name() {
    let prog = prog(
        "fun f_0(n_1 : i64, k_2 : i64, xs_mem_3 : mem(default), xs_4 : [n_1]i32 @ xs_mem_3 -> 0 + {(n_1 : 1)}) : (i64) = {
           let (ys_5 : [k_2]i32 @ xs_mem_3 -> 0 + {(k_2 : 1)}) = reshape [k_2] xs_4
           return (k_2)
         }",
    );
    assert!(facts_of(&prog).eq(&var(&prog, "k"), &var(&prog, "n")));
}

#[test]
fn blocks_are_one_only_if_they_may_come_from_one() {
    let prog = prog(
        "fun f_0(n_1 : i64, c_2 : bool, a_3 : mem(default), b_4 : mem(default)) : (mem(default)) = {
           let (d_5 : mem(default)) = alloc n_1 default
           let (e_6 : mem(default)) = if c_2 then { return (a_3) } else { return (d_5) }
           return (e_6)
         }",
    );
    let blocks = Blocks::of_body(body(&prog));
    let of = |base: &str| name(&prog, base);
    assert!(blocks.may_be_same(of("e"), of("a")) && blocks.may_be_same(of("e"), of("d")));
    assert!(!blocks.may_be_same(of("e"), of("b")));
    assert!(!blocks.may_be_same(of("a"), of("d")), "what is allocated is nobody else's");
}

const ROWS: &str = "fun f_0(n_1 : i64, k_2 : i64, t_mem_3 : mem(default), *t_4 : [n_1][n_1]i32 @ t_mem_3 -> 0 + {(n_1 : n_1), (n_1 : 1)}) : (i32) = {
  let (b_5 : mem(default)) = alloc n_1 default
  let (x_6 : [n_1]i32 @ b_5 -> 0 + {(n_1 : 1)}) = replicate [n_1] 7i32
  let (s_7 : i32) = t_4[ROW, 0i64]
  return (s_7)
}";

#[test]
fn statements_read_and_write_what_they_say() {
    let prog = prog(&ROWS.replace("ROW", "1i64"));
    let stms = &body(&prog).stms;
    assert!(accesses(&Callees::default(), &stms[0]).is_empty(), "an allocation touches nothing");
    let made = accesses(&Callees::default(), &stms[1]);
    assert_eq!((made.len(), made[0].kind, made[0].part.clone()), (1, Kind::Write, Part::Whole));
    let read = accesses(&Callees::default(), &stms[2]);
    assert_eq!((read.len(), read[0].kind), (1, Kind::Read));
    assert_eq!(read[0].array, name(&prog, "t"));
}

#[test]
fn calls_only_read_what_they_do_not_consume() {
    let given = "a_mem_3 : mem(default), a_4 : [n_1]i32 @ a_mem_3 -> 0 + {(n_1 : 1)}, \
                 b_mem_5 : mem(default), *b_6 : [n_1]i32 @ b_mem_5 -> 0 + {(n_1 : 1)}";
    let text =
        format!("fun g_0(n_1 : i64, {given}) : (i32) = {{ let (s_7 : i32) = a_4[0i64] return (s_7) }}");
    let prog = prog(&text);
    let callees = Callees::of_prog(&prog);
    let only_read: Vec<bool> = (0..5).map(|i| callees.only_reads(prog.funs[0].name, i)).collect();
    assert_eq!(only_read, [false, true, true, false, false]);
    assert!(!Callees::default().only_reads(prog.funs[0].name, 1), "who is not known may write");
}

/// Whether `x` may be row 0 of `t`, in a program that then reads a row.
fn may_be_row_0(row: &str) -> bool {
    let prog = prog(&ROWS.replace("ROW", row));
    let facts = facts_of(&prog);
    let known = Known::of_fun(&prog.funs[0]);
    let (x, t) = (name(&prog, "x"), name(&prog, "t"));
    let place = |array: Name| {
        let params = prog.funs[0].params.iter().map(|p| (p.name, &p.dec));
        let bound = body(&prog).stms.iter().flat_map(|s| &s.pat).map(|p| (p.name, &p.dec));
        match params.chain(bound).find(|(n, _)| *n == array) {
            Some((_, MemInfo::Array { lmad, .. })) => lmad.clone(),
            Some((_, MemInfo::None)) | None => panic!("an array without a place"),
        }
    };
    let side = |n: Name| match n {
        n if n == x => Side::Source(place(x)),
        n if n == t => Side::Destination(place(t)),
        _ => Side::None,
    };
    let order = Order { known: &known, side: &side };
    order.stms(&facts, &body(&prog).stms, &mut Uses::nothing())
}

#[test]
fn the_overlap_test_decides_whether_a_value_moves() {
    assert!(may_be_row_0("1i64"), "row 1 is not row 0");
    assert!(!may_be_row_0("0i64"), "row 0 would be overwritten before it is read");
    assert!(!may_be_row_0("k_2"), "nothing says that the row is another");
}

/// Iterations that read an element of `t` and store it at the same place in `x`.
const ITERATIONS: &str = "fun f_0(m_1 : i64, t_mem_2 : mem(default), t_3 : [8]i64 @ t_mem_2 -> 0 + {(8 : 1)}, b_4 : mem(default), *x_5 : [8]i64 @ b_4 -> 0 + {(8 : 1)}) : (i64) = {
  let (x_6 : [8]i64 @ b_4 -> 0 + {(8 : 1)}) = loop (*x_7 : [8]i64 @ b_4 -> 0 + {(8 : 1)} = x_5) for i_8 : i64 < m_1 {
    let (r_9 : i64) = smod_i64(i_8, 4i64)
    let (s_10 : i64) = t_3[INDEX]
    let (x_11 : [8]i64 @ b_4 -> 0 + {(8 : 1)}) = x_7 with [INDEX] = s_10
    return (x_11)
  }
  return (m_1)
}";

/// Whether `x` may be in the memory of `t` in iterations that use this index.
fn may_be_the_same_memory(index: &str) -> bool {
    let prog = prog(&ITERATIONS.replace("INDEX", index));
    let facts = facts_of(&prog);
    let known = Known::of_fun(&prog.funs[0]);
    let whole = || fehu_ir::mem::Lmad::row_major(0, &[Poly::constant(8)]);
    let side = |n: Name| match prog.names.base(n).to_string().as_str() {
        "x" => Side::Source(whole()),
        "t" => Side::Destination(whole()),
        _ => Side::None,
    };
    let order = Order { known: &known, side: &side };
    order.stms(&facts, &body(&prog).stms, &mut Uses::nothing())
}

#[test]
fn remainders_of_an_index_come_again() {
    assert!(may_be_the_same_memory("i_8"), "each iteration has a place of its own");
    assert!(!may_be_the_same_memory("r_9"), "the fourth iteration after this one reads what it wrote");
}
