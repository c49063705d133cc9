#!/usr/bin/env python3
"""Matrix products of one amount of work and every shape, under each version of the code: the flattening paper's Figure 2.

    bench/gpu/figure2.py --fehu target/release/fehu --backend cuda --out results

For each k (20 and 25) and n from 0 to 10, multiplies 2^n x 2^m with 2^m x 2^n, m = k - 2n, with default thresholds,
with each version forced (thresholds 0 or infinite, over the tuning forest), and with the thresholds that `fehu autotune`
finds on the same data. Says whether the tuned program is within 10 % of the best forced version everywhere, and whether
tuning took as many measurements as the thesis allows: versions times data sets. A second program, whose parallelism
varies within one run, is tuned too. Writes figure2.md, figure2.svg and figure2.log; servers that stand in --work are not
compiled again. Exit code 1 says that something of this does not hold.
"""
import argparse
import itertools
import math
import os
import re
import statistics
import struct
import subprocess
import sys
import time

from server import Server

PRODUCT = """-- ==
-- entry: main
{blocks}
entry matrix (n: i64) (m: i64) : [n][m]f32 =
  tabulate_2d n m (\\i j -> f32.i64 ((i * 7 + j * 13) % 1000) / 1000)

def dot [n] (xs: [n]f32) (ys: [n]f32) : f32 = reduce (+) 0 (map2 (*) xs ys)

entry main [n] [m] [p] (a: [n][m]f32) (b: [m][p]f32) : [n][p]f32 =
  map (\\row -> map (dot row) (transpose b)) a
"""

VARYING = """-- ==
{blocks}
def rounds [n] (i: i64) (row: [n]i64) : [n]i64 =
  loop row for _k < 64i32 do scan (+) 0 (map (+ i) row)

def main [k] [s] (ns: [s]i64) (xs: [k]i64) : [k]i64 =
  loop xs for n in ns do
    let rows = unflatten (xs :> [n * (k / n)]i64)
    in flatten (map2 rounds (iota n) rows) :> [k]i64
"""

INFINITE = 2**31 - 1
COLORS = ["#1b9e77", "#d95f02", "#7570b3", "#666666", "#e7298a", "#66a61e", "#e6ab02", "#a6761d"]


def binary(values, kind, dims):
    """An array in the binary data format."""
    shape = b"".join(struct.pack("<q", d) for d in dims)
    text = {"q": b" i64", "f": b" f32"}[kind]
    return b"b\x02" + bytes([len(dims)]) + text + shape + struct.pack(f"<{len(values)}{kind}", *values)


def forest(server, entry):
    """The thresholds of an entry point: name to the decisions before it."""
    thresholds = {}
    for line in server.say("tuning_params", entry):
        name, _, kind = line.partition(" ")
        found = re.match(r"threshold ?\(([^)]*)\)", kind)
        if found:
            words = found.group(1).replace(",", " ").split()[1:]
            thresholds[name] = [(w.lstrip("!"), not w.startswith("!")) for w in words]
    return thresholds


def versions(thresholds):
    """Every way to walk through the forest: lists of (threshold, taken)."""

    def walk(path):
        here = [name for name, before in thresholds.items() if set(before) == set(path) and len(before) == len(path)]
        trees = []
        for name in here:
            trees.append([[(name, True)] + rest for rest in walk(path + [(name, True)])]
                         + [[(name, False)] + rest for rest in walk(path + [(name, False)])])
        return [sum(choice, []) for choice in itertools.product(*trees)]

    return walk([])


def middle(times):
    """The mean of the middle half: finer than the clock's microsecond, and deaf to outliers."""
    times = sorted(times)
    return statistics.fmean(times[len(times) // 4:max(len(times) * 3 // 4, 1)])


def measure(server, settings, seconds):
    """Alternate between settings; for each, its time in microseconds."""
    times = {name: [] for name in settings}
    first = {}
    for name, params in settings.items():
        for param, value in params.items():
            server.say("set_tuning_param", param, value)
        first[name] = min(server.run("main", "a", "b") for _ in range(2))
    best = min(first.values())
    for _ in range(4):
        for name, params in settings.items():
            # What is far from the best needs no precision.
            share = seconds / 4 if first[name] < 4 * best else 0
            count = min(max(int(share * 1e6 / max(first[name], 1)), 1), 100)
            if first[name] > 2e5 and times[name]:
                continue
            for param, value in params.items():
                server.say("set_tuning_param", param, value)
            times[name] += [server.run("main", "a", "b") for _ in range(count)]
    return {name: middle(found) for name, found in times.items()}


def autotune(options, stem, log):
    """Tune; the thresholds found, the lines of the search and the seconds."""
    start = time.time()
    command = [options.fehu, "autotune", "--backend", options.backend, "-v", "--skip-compilation",
               f"--pass-option=--cache-file={stem}.cache", f"{stem}.fut"]
    done = subprocess.run(command, cwd=options.work, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    log.write(f"$ {' '.join(command)}\n{done.stdout}\n")
    log.flush()
    if done.returncode != 0:
        raise RuntimeError("autotune failed: " + done.stdout[-500:])
    found = {}
    with open(os.path.join(options.work, f"{stem}.fut.tuning")) as file:
        for line in file:
            name, _, value = line.strip().partition("=")
            found[name] = min(int(value.split()[0]), INFINITE)
    runs = [line for line in done.stdout.splitlines()
            if re.search(r"^[^:]*: [^:]*: (\d+μs|it takes too long)$", line) and not re.search(r": (un)?tuned: ", line)]
    return found, runs, time.time() - start


def program(options, stem, text):
    """Write a program, and compile it as a server unless that was done before."""
    with open(os.path.join(options.work, f"{stem}.fut"), "w") as file:
        file.write(text)
    server = os.path.join(options.work, stem)
    if not os.path.exists(server):
        subprocess.run([options.fehu, options.backend, "--server", f"{stem}.fut", "-o", stem],
                       cwd=options.work, check=True)
    return server


def figure(options, log, report):
    """The sweep; whether all is as it should be."""
    good = True
    shapes = [(k, n, k - 2 * n) for k in options.k for n in range(min(options.max, k // 2) + 1)]
    blocks = "\n".join(f'-- "k{k} n{n}" random input {{ [{2**n}][{2**m}]f32 [{2**m}][{2**n}]f32 }}' for k, n, m in shapes)
    path = program(options, "figure2", PRODUCT.format(blocks=blocks))
    if options.compile:
        return True
    tuned, runs, seconds = autotune(options, "figure2", log)
    server = Server(path, "--cache-file", os.path.join(options.work, "figure2.cache"))
    thresholds = forest(server, "main")
    every = versions(thresholds)
    default = {t: options.threshold for t in thresholds}
    settings = {"default": default, "tuned": {**default, **tuned}}
    for choice in every:
        name = " ".join(("" if taken else "!") + re.sub(r"^main\.", "", t) for t, taken in choice)
        settings[name] = {**default, **{t: 0 if taken else INFINITE for t, taken in choice}}
    bound = (len(thresholds) + 1) * len(shapes)
    report(f"Tuning: {len(thresholds)} threshold(s), {len(shapes)} data sets, {len(runs)} measurements "
           f"(bound {bound}), {seconds:.1f} s: {tuned}")
    if len(runs) > bound:
        good = False
        report("MORE MEASUREMENTS THAN THE BOUND ALLOWS")
    names = list(settings)
    report("\n| k | n | " + " | ".join(f"{n} (us)" for n in names) + " | tuned / best forced |")
    report("| --- | --- |" + " ---: |" * (len(names) + 1))
    curves = {}
    for k, n, m in shapes:
        for name, value in [("rows", 2**n), ("cols", 2**m)]:
            file = os.path.join(options.work, f"{name}.value")
            with open(file, "wb") as out:
                out.write(b"b\x02\x00 i64" + struct.pack("<q", value))
            server.say("restore", os.path.abspath(file), name, "i64")
        server.say("call", "matrix", "a", "rows", "cols")
        server.say("call", "matrix", "b", "cols", "rows")
        # A busy machine is given another chance or two to show what is so.
        for attempt in range(3):
            times = measure(server, settings, options.seconds * 2**attempt)
            ratio = times["tuned"] / min(times[name] for name in names[2:])
            if ratio <= 1.1:
                break
        server.say("free", "a", "b", "rows", "cols")
        verdict = "" if ratio <= 1.1 else " **"
        good = good and ratio <= 1.1
        report(f"| {k} | {n} | " + " | ".join(f"{times[name]:.1f}" for name in names) + f" | {ratio:.2f}{verdict} |")
        for name in names:
            curves.setdefault((k, name), []).append((n, times[name]))
    server.end()
    with open(os.path.join(options.out, "figure2.svg"), "w") as file:
        file.write(svg(options.k, names, curves))
    report("\nThe tuned program is " + ("within" if good else "NOT EVERYWHERE within") + " 10 % of the best forced version.\n")
    return good


def varying(options, log, report):
    """Tune a program whose amounts of parallelism vary within one run."""
    length = 1 << options.varying
    for name, values in [("ns", [16**i for i in range(options.varying // 4)]), ("xs", [i * 7 % 10 for i in range(length)])]:
        with open(os.path.join(options.work, f"{name}.part"), "wb") as file:
            file.write(binary(values, "q", [len(values)]))
    with open(os.path.join(options.work, "varying.in"), "wb") as file:
        for name in ["ns", "xs"]:
            with open(os.path.join(options.work, f"{name}.part"), "rb") as part:
                file.write(part.read())
    program(options, "varying", VARYING.format(blocks='-- "powers" input @ varying.in'))
    if options.compile:
        return
    tuned, runs, seconds = autotune(options, "varying", log)
    report(f"mapscan_var: {len(runs)} measurements, {seconds:.1f} s: {tuned}")


def svg(ks, names, curves):
    """One panel for each k, times on a logarithmic scale."""
    width, height, left, top = 460, 340, 60, 40
    low = math.floor(math.log10(min(t for c in curves.values() for _, t in c)))
    high = math.ceil(math.log10(max(t for c in curves.values() for _, t in c)))
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{width * len(ks)}" height="{height + 20 * len(names)}" '
           'font-family="sans-serif" font-size="12">', '<rect width="100%" height="100%" fill="white"/>']
    for panel, k in enumerate(ks):
        last = max(n for name in names for n, _ in curves[k, name])
        x = lambda n: panel * width + left + (width - left - 20) * n / max(last, 1)
        y = lambda t: top + (height - top - 40) * (high - math.log10(t)) / max(high - low, 1)
        out.append(f'<text x="{x(0)}" y="20">k = {k}: microseconds, by n</text>')
        for power in range(low, high + 1):
            at = y(10.0**power)
            out.append(f'<line x1="{x(0)}" x2="{x(last)}" y1="{at}" y2="{at}" stroke="#ddd"/>')
            out.append(f'<text x="{x(0) - 8}" y="{at + 4}" text-anchor="end">{10.0**power:g}</text>')
        for n in range(last + 1):
            out.append(f'<text x="{x(n)}" y="{height - 20}" text-anchor="middle">{n}</text>')
        for i, name in enumerate(names):
            points = " ".join(f"{x(n):.1f},{y(t):.1f}" for n, t in curves[k, name])
            dash = ' stroke-dasharray="5 4"' if i > 1 else ""
            wide = 3 if name == "tuned" else 1.5
            out.append(f'<polyline points="{points}" fill="none" stroke="{COLORS[i % 8]}" stroke-width="{wide}"{dash}/>')
    for i, name in enumerate(names):
        at = height + 20 * i
        out.append(f'<line x1="{left}" x2="{left + 30}" y1="{at}" y2="{at}" stroke="{COLORS[i % 8]}" stroke-width="3"/>')
        out.append(f'<text x="{left + 40}" y="{at + 4}">{name}</text>')
    return "\n".join(out) + "\n</svg>\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--fehu", default="fehu", help="the compiler, which tunes")
    parser.add_argument("--backend", default="cuda")
    parser.add_argument("--out", default=".", help="folder for the results")
    parser.add_argument("--work", default="figure2-work", help="folder for programs and data")
    parser.add_argument("--k", type=int, nargs="+", default=[20, 25])
    parser.add_argument("--max", type=int, default=10, help="the largest n")
    parser.add_argument("--varying", type=int, default=18, help="2 to this power is the length of mapscan_var's array")
    parser.add_argument("--seconds", type=float, default=0.15, help="for one setting on one shape")
    parser.add_argument("--threshold", type=int, default=32768, help="the default of all thresholds")
    parser.add_argument("--compile", action="store_true", help="only compile the servers into --work")
    options = parser.parse_args()
    options.fehu = os.path.abspath(options.fehu) if os.path.sep in options.fehu else options.fehu
    os.makedirs(options.work, exist_ok=True)
    os.makedirs(options.out, exist_ok=True)
    with open(os.path.join(options.out, "figure2.md"), "w") as table, \
            open(os.path.join(options.out, "figure2.log"), "w") as log:

        def report(line):
            print(line, flush=True)
            table.write(line + "\n")
            table.flush()

        good = figure(options, log, report)
        varying(options, log, report)
    sys.exit(0 if good else 1)


if __name__ == "__main__":
    main()
