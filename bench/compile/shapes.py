#!/usr/bin/env python3
"""How the time and the memory that compiling takes grow with programs of unusual shapes.

    python3 bench/compile/shapes.py --fehu target/release/fehu [--runs N] [--backends c,cuda] [SHAPE ...]

Each shape of `programs.py` is compiled to text in two sizes, by each back end and by `check`. Growth is
given as an exponent: 1 for what grows with the program, 2 for what grows with its square. Time is that
of all passes (`--time-passes`), or user time for `check`, the least of several runs; memory is the most
that the process had. The last column names the passes that take a twentieth of the time or more and
grow faster than they should.
"""
import argparse
import math
import os
import re
import subprocess
import tempfile

from programs import SHAPES

BACKENDS = ("check", "c", "multicore", "cuda")
# Exponents above this are worth a look: caches and logarithms account for what is below.
FAST = 1.3
SHARE = 0.05


def measure(command, limit):
    """Milliseconds of each pass and of all, and megabytes; none if it fails or takes too long."""
    with tempfile.TemporaryFile() as out:
        process = subprocess.Popen(["timeout", str(limit)] + command, stdout=out, stderr=out)
        _, status, usage = os.wait4(process.pid, 0)
        out.seek(0)
        text = out.read().decode(errors="replace")
    if status != 0:
        return None
    passes = {}
    for name, ms in re.findall(r"^(\S.*?)\s+([\d.]+)\s+[\d.]+%$", text, re.M):
        passes[name] = passes.get(name, 0) + float(ms)
    passes.setdefault("total", usage.ru_utime * 1000)
    return passes, usage.ru_maxrss / 1024


def best(runs):
    """The least of several measurements, pass by pass."""
    passes = {name: min(p[name] for p, _ in runs if name in p) for p, _ in runs for name in p}
    return passes, min(memory for _, memory in runs)


def exponent(small, large, ratio):
    return math.log(max(large, 0.01) / max(small, 0.01)) / math.log(ratio)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--fehu", required=True, help="the compiler")
    parser.add_argument("--runs", type=int, default=3, help="runs of each command (default: 3)")
    parser.add_argument("--limit", type=float, default=60, help="seconds that a command may take (default: 60)")
    parser.add_argument("--backends", default=",".join(BACKENDS), help="which, separated by commas (default: all)")
    parser.add_argument("shapes", nargs="*", metavar="SHAPE", help="shapes to look at (default: all)")
    options = parser.parse_args()
    print("| shape | size | by | ms | grows by n^ | MB | grows by n^ | passes |")
    print("| --- " * 8 + "|")
    with tempfile.TemporaryDirectory() as folder:
        for shape in options.shapes or SHAPES:
            program, small, large = SHAPES[shape]
            for size in (small, large):
                with open(os.path.join(folder, f"p{size}.fut"), "w") as f:
                    f.write(program(size))
            for backend in options.backends.split(","):
                results = []
                for size in (small, large):
                    command = [options.fehu, backend, os.path.join(folder, f"p{size}.fut")]
                    if backend != "check":
                        command += ["--library", "-w", "--time-passes", "-o", os.path.join(folder, "out")]
                    runs = [measure(command, options.limit) for _ in range(options.runs)]
                    results.append(best(runs) if all(runs) else None)
                head = f"| {shape} | {small} to {large} | {backend} |"
                if not all(results):
                    print(head, "failed | | | | |", flush=True)
                    continue
                (before, memory), (after, more) = results
                ratio = large / small
                total = after["total"]
                grown = [(ms, name, exponent(before.get(name, 0), ms, ratio)) for name, ms in after.items()
                         if name != "total" and ms > SHARE * total]
                worst = ", ".join(f"{name} {e:.1f}" for _, name, e in sorted(grown, reverse=True) if e > FAST)
                print(head, f"{total:.0f} | {exponent(before['total'], total, ratio):.2f} |",
                      f"{more:.0f} | {exponent(memory, more, ratio):.2f} | {worst} |", flush=True)


if __name__ == "__main__":
    main()
