#!/usr/bin/env python3
"""How long large programs of unusual shapes take to compile to text, on all back ends.

    python3 bench/compile/shapes.py --fehu target/release/fehu [--runs N] [SHAPE ...]

The measure is the user time of the compiler, the least of several runs: other
processes hardly change it. Each shape is compiled in two sizes, so that the
table also says how the time grows.
"""
import argparse
import os
import subprocess
import tempfile

BACKENDS = ("c", "multicore", "cuda")


def rows(head, line, result="x{n}"):
    """Statements of one kind, one after another: `{i}` is the number of one, `{j}` the next."""
    def program(n):
        lines = [f"  {line}".replace("{i}", str(i)).replace("{j}", str(i + 1)) for i in range(n)]
        return "\n".join([f"entry main {head} ="] + lines + ["  in " + result.replace("{n}", str(n)), ""])
    return program


def nest(level, inmost, result):
    """Something in something else: `{i}` is the number of a level, `{j}` the next, `{inner}` what is in it."""
    def program(n):
        sizes = "".join(f"[n{i}]" for i in range(n))
        code = inmost.replace("{j}", str(n))
        for i in reversed(range(n)):
            code = level.replace("{inner}", code).replace("{i}", str(i)).replace("{j}", str(i + 1))
        ret = result.replace("{sizes}", sizes)
        return f"entry main {sizes} (c: i64) (x0: {sizes}f32) : {ret} = {code}\n"
    return program


def records(n):
    fields = range(n)
    return "\n".join([
        "type r = {" + ", ".join(f"a{k}: f32" for k in fields) + "}",
        "def plus (x: r) (y: r) : r = {" + ", ".join(f"a{k} = x.a{k} + y.a{k}" for k in fields) + "}",
        "def zero : r = {" + ", ".join(f"a{k} = 0" for k in fields) + "}",
        "def make (v: f32) : r = {" + ", ".join(f"a{k} = v * {k}" for k in fields) + "}",
        "entry sum [n] (xs: [n]f32) = reduce plus zero (map make xs)",
        "entry sums [n] (xs: [n]f32) = map (.a1) (scan plus zero (map make xs))",
        ""])


def entries(n):
    return "".join(
        f"entry e{k} [n] (xs: [n]f32) (ys: [n]f32) : f32 = reduce (+) {k} (map2 (*) xs ys)\n" for k in range(n))


SHAPES = {
    "statements": (rows("(x0: i64) (y: i64) : i64", "let x{j} = x{i} * {j} ^ y"), 2000, 20000),
    "branches": (rows("(c: i64) (x0: i64) : i64", "let x{j} = if c > {i} then x{i} * 3 else x{i} / (c + 1)"),
                 500, 5000),
    "updates": (rows("(x0: *[]i64) : []i64", "let x{j} = x{i} with [{i} % 50] = x{i}[{i} % 7] + {i}"), 1000, 10000),
    "nests in a row": (rows("[n][m] (x0: [n][m]f32) : [n][m]f32",
                            "let x{j} = map (\\r -> let s = f32.sum r in map (\\x -> x / s + {i}) r) x{i}"), 50, 500),
    "scatters": (rows("[n] (is: [n]i64) (x0: *[n]i32) : [n]i32",
                      "let x{j} = scatter x{i} is (map (+ {i}) (copy x{i}))"), 30, 300),
    "histograms": (rows("[n] (is: [n]i64) (vs: [n]i32) (x0: [64]i32) : [64]i32",
                        "let x{j} = reduce_by_index (copy x{i}) (+) 0 is (map (* {i}) vs)"), 30, 300),
    "filters": (rows("[n] (x0: [n]i32) : []i32", "let x{j} = filter (\\x -> x % ({i} + 2) != 0) x{i}"), 30, 300),
    "entry points": (entries, 50, 500),
    "fields of a record": (records, 20, 200),
    "maps in maps": (nest("(let y{i} = map (\\x{j} -> {inner}) x{i} in f32.maximum (scan (+) 0 y{i}) + f32.sum y{i})",
                          "(x{j} * 2)", "f32"), 6, 12),
    "branches in maps": (nest("(if c > {i} then map (\\x{j} -> {inner}) x{i} else map (\\x{j} -> copy x{j}) x{i})",
                              "(x{j} * 2)", "{sizes}f32"), 6, 12),
    "loops in maps": (nest("(loop b{i} = x{i} for k{i} < n{i} do map (\\x{j} -> {inner}) b{i})",
                           "(x{j} * 2)", "{sizes}f32"), 6, 12),
}


def user_time(command):
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    return usage.ru_utime if status == 0 else None


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--fehu", required=True, help="the compiler")
    parser.add_argument("--runs", type=int, default=3, help="runs of each command (default: 3)")
    parser.add_argument("shapes", nargs="*", metavar="SHAPE", help="shapes to look at (default: all)")
    options = parser.parse_args()
    print("| shape | size | " + " | ".join(f"{b}, s | growth" for b in BACKENDS) + " |")
    print("| --- " * (2 + 2 * len(BACKENDS)) + "|")
    with tempfile.TemporaryDirectory() as folder:
        for shape in options.shapes or SHAPES:
            program, *sizes = SHAPES[shape]
            cells = []
            for backend in BACKENDS:
                times = []
                for size in sizes:
                    path = os.path.join(folder, f"p{size}.fut")
                    with open(path, "w") as f:
                        f.write(program(size))
                    command = [options.fehu, backend, "--library", "-w", "-o", os.path.join(folder, "out"), path]
                    runs = [user_time(command) for _ in range(options.runs)]
                    times.append(min((t for t in runs if t is not None), default=None))
                small, large = times
                failed = small is None or large is None
                cells.append("failed |" if failed else f"{large:.2f} | {large / max(small, 0.01):.0f}")
            print(f"| {shape} | {sizes[0]} to {sizes[1]} | " + " | ".join(cells) + " |", flush=True)


if __name__ == "__main__":
    main()
