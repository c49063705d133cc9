#!/usr/bin/env python3
"""How long compiling takes: checking and C text, small and large, and beside the reference.

    python3 bench/compile/compile.py --fehu target/release/fehu [--reference BIN] [--runs N]

Everything is measured in one run, as medians of wall-clock times of whole
processes. Prints a table for each question:

1. A ten-line program: `check`, and C text by `c --library`.
2. Growth: programs of 10 times the declarations; the factor in time.
3. Beside the reference: C text for the benchmark programs, alternating, and the ratio.
"""
import argparse
import math
import os
import statistics
import subprocess
import sys
import tempfile
import time

TEN_LINES = """\
type point = {x: f64, y: f64}

def distance (p: point) (q: point) : f64 =
  f64.sqrt ((p.x - q.x) ** 2 + (p.y - q.y) ** 2)

def centre [n] (ps: [n]point) : point =
  {x = f64.sum (map (.x) ps) / f64.i64 n, y = f64.sum (map (.y) ps) / f64.i64 n}

entry main [n] (xs: [n]f64) (ys: [n]f64) : f64 =
  let ps = map2 (\\x y -> {x, y}) xs ys in f64.maximum (map (distance (centre ps)) ps)
"""

# One declaration of each kind that programs are made of; `K` is its number.
UNIT = """\
def scaleK [n] (a: f32) (xs: [n]f32) : [n]f32 = map (* a) xs
def dotK [n] (xs: [n]f32) (ys: [n]f32) : f32 = reduce (+) 0 (map2 (*) xs ys)
def stepK [n] (xs: *[n]i32) (i: i64) : *[n]i32 = xs with [i] = xs[i] + K
def pickK (b: bool) (x: i64, y: i64) : i64 = if b then x + K else loop y for i < x do y * i
entry mainK [n] (xs: [n]f32) (b: bool) : f32 =
  let ys = scaleK 2 xs
  let k = pickK b (n, 3)
  let zs = stepK (replicate 8 0) 3
  in dotK xs ys + f32.i64 k + f32.i32 zs[3]
"""


def large(units):
    return "".join(UNIT.replace("K", str(k)) for k in range(units))


def timed(command):
    start = time.perf_counter()
    done = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    taken = time.perf_counter() - start
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)} failed:\n{done.stderr.decode()[:2000]}")
    return taken


def median(command, runs):
    timed(command)
    return statistics.median(timed(command) for _ in range(runs))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--fehu", required=True, help="the compiler")
    parser.add_argument("--reference", help="the reference compiler, to compare with")
    parser.add_argument("--runs", type=int, default=11, help="runs of each command (default: 11)")
    options = parser.parse_args()
    bench = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    with tempfile.TemporaryDirectory() as folder:
        def write(name, text):
            path = os.path.join(folder, name)
            with open(path, "w") as f:
                f.write(text)
            return path

        def library(compiler, path):
            return [compiler, "c", "--library", "-o", os.path.join(folder, "out"), path]

        ten = write("ten.fut", TEN_LINES)
        print("| ten-line program | ms |\n| --- | --- |")
        print(f"| check | {1e3 * median([options.fehu, 'check', ten], options.runs):.1f} |")
        print(f"| C text | {1e3 * median(library(options.fehu, ten), options.runs):.1f} |")

        print("\n| lines | check ms | C text ms |\n| --- | --- | --- |")
        times = []
        for units in (22, 222, 2222):
            text = large(units)
            path = write(f"large{units}.fut", text)
            runs = max(3, options.runs // (1 if units < 1000 else 4))
            check = median([options.fehu, "check", path], runs)
            c_text = median(library(options.fehu, path), runs)
            times.append((check, c_text))
            print(f"| {text.count(chr(10))} | {1e3 * check:.1f} | {1e3 * c_text:.1f} |")
        (a, b), (c, d) = times[-2], times[-1]
        print(f"\nten times the declarations: check {c / a:.1f} times the time, C text {d / b:.1f} times")

        if options.reference:
            print("\n| program | fehu ms | reference ms | ratio |\n| --- | --- | --- | --- |")
            ratios = []
            for name in ("matmul", "stencil", "scan", "histogram", "nbody", "blackscholes", "mandelbrot",
                         "tridag", "radixsort", "kmeans"):
                path = os.path.join(bench, name + ".fut")
                ours, theirs = [], []
                for _ in range(5):
                    ours.append(timed(library(options.fehu, path)))
                    theirs.append(timed(library(options.reference, path)))
                x, y = statistics.median(ours), statistics.median(theirs)
                ratios.append(y / x)
                print(f"| {name} | {1e3 * x:.1f} | {1e3 * y:.1f} | {y / x:.1f} |")
            mean = math.exp(sum(map(math.log, ratios)) / len(ratios))
            print(f"\ngeometric mean: {mean:.1f} times faster")


if __name__ == "__main__":
    main()
