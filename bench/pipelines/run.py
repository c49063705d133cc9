#!/usr/bin/env python3
"""Pipelines of small operations against the same by hand: how many times longer the former take.

    bench/pipelines/run.py [--fehu BIN] [--backend c] [--rounds 7] [NAME...]

Each program has two entry points, `composed` and `fused`, and a data set. They run in turns; what counts is the least time of
each. Nothing here is about GPUs: there, hand-written loops would not be parallel.
"""

import argparse
import math
import os
import pathlib
import re
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent


def data(fehu, program):
    """The values of the program's data set, in the binary format."""
    types = re.search(r'^-- "large" random input \{ (.*) \}$', program.read_text(), re.M)[1].split()
    bounds = ["--f32-bounds=0:1", "--f64-bounds=0:1"]
    wanted = [w for t in types for w in ("-g", t)]
    return subprocess.run([fehu, "dataset", "-b", *bounds, *wanted], check=True, capture_output=True).stdout


def least(binary, entry, values, scratch):
    """The least of a few times, in microseconds."""
    times = scratch / "times"
    command = [binary, "-b", "-e", entry, "-r", "5", "-t", times]
    subprocess.run(command, input=values, check=True, stdout=subprocess.DEVNULL)
    return min(int(line) for line in times.read_text().split())


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--fehu", default="fehu")
    parser.add_argument("--backend", default="c", choices=["c", "multicore"])
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("names", nargs="*")
    args = parser.parse_args()
    programs = [HERE / f"{n}.fut" for n in args.names] or sorted(HERE.glob("*.fut"))
    ratios = []
    print("| pipeline | composed | fused by hand | ratio |\n| --- | ---: | ---: | ---: |")
    with tempfile.TemporaryDirectory() as scratch:
        scratch = pathlib.Path(scratch)
        for program in programs:
            binary = scratch / program.stem
            env = {**os.environ, "CFLAGS": os.environ.get("CFLAGS", "-O3")}
            subprocess.run([args.fehu, args.backend, program, "-o", binary], check=True, env=env)
            values = data(args.fehu, program)
            best = {"composed": math.inf, "fused": math.inf}
            for _ in range(args.rounds):
                for entry in best:
                    best[entry] = min(best[entry], least(binary, entry, values, scratch))
            ratio = best["composed"] / max(best["fused"], 1)
            ratios.append(ratio)
            shown = " | ".join(f"{best[e] / 1000:.2f} ms" for e in best)
            print(f"| {program.stem} | {shown} | {ratio:.2f} |", flush=True)
    mean = math.exp(sum(map(math.log, ratios)) / len(ratios))
    print(f"| geometric mean | | | {mean:.2f} |")


if __name__ == "__main__":
    sys.exit(main())
