#!/usr/bin/env python3
"""Times the versions of an irregular nest, and what is chosen by default, on ten distributions of sizes.

    fehu cuda --server bench/skewed.fut -o skewed
    bench/gpu/irregular.py ./skewed

Each version is forced by its thresholds: `thread` is one thread for each point, `team` a team of threads, `flat` all elements
together. A version is left out where its longest point alone would take seconds. All answers are compared. Prints times in
microseconds, medians of seven turns in each of which a version runs twice and the faster run counts, and how many times the
best of them the default takes.
"""
import argparse
import statistics
import struct
import tempfile
import time

import numpy

from server import Server

USUAL, NEVER = 32768, 1 << 60
# Values of the thresholds for one thread and for a team.
VERSIONS = {"default": (USUAL, USUAL), "thread": (1, NEVER), "team": (NEVER, 1), "flat": (NEVER, NEVER)}
# The largest point with which a version is tried.
LONGEST = {"thread": 2_000_000, "team": 4_000_000}


def scaled(weights, total):
    """Sizes in proportion to weights."""
    return numpy.floor(weights * (total / weights.sum())).astype(numpy.int64)


def distributions():
    """Names and sizes."""
    random = numpy.random.default_rng(1)
    ranks = numpy.arange(1, 1_000_001, dtype=numpy.float64)
    yield "10^7 points of 10", numpy.full(10**7, 10)
    yield "10^6 of 100", numpy.full(10**6, 100)
    yield "10^6, uniform from 0 to 199", random.integers(0, 200, 10**6)
    yield "10^4 of 10^4", numpy.full(10**4, 10**4)
    yield "100 of 10^6", numpy.full(100, 10**6)
    yield "10^6, Pareto with exponent 2", scaled(random.pareto(2, 10**6) + 1, 10**8)
    yield "10^6, i-th in proportion to i^-1.2", scaled(random.permutation(ranks**-1.2), 10**8)
    yield "10^6, i-th in proportion to i^-0.9", scaled(random.permutation(ranks**-0.9), 10**8)
    yield "10^6, one of 5*10^7", numpy.where(ranks == 500_000, 5 * 10**7, 50)
    yield "10^6, log-normal", scaled(random.lognormal(3, 1.5, 10**6), 9 * 10**7)


def give(server, folder, sizes):
    path = f"{folder}/sizes"
    with open(path, "wb") as file:
        file.write(b"b\x02\x01 i64" + struct.pack("<q", len(sizes)) + sizes.astype(numpy.int64).tobytes())
    server.say("restore", path, "sizes", "[]i64")


def force(server, version):
    for name, threshold in zip(("main.suff_outer_par_0", "main.suff_outer_par_1"), VERSIONS[version]):
        server.say("set_tuning_param", name, threshold)


def answer(server, folder):
    path = f"{folder}/out"
    server.say("call", "main", "out", "sizes")
    server.say("store", path, "out")
    server.say("free", "out")
    with open(path, "rb") as file:
        return file.read()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("server")
    parser.add_argument("--seconds", type=float, default=600, help="start no distribution after so many")
    options = parser.parse_args()
    server = Server(options.server)
    start = time.time()
    print("| sizes | " + " | ".join(VERSIONS) + " | default / best |\n| --- |" + " ---: |" * (len(VERSIONS) + 1))
    with tempfile.TemporaryDirectory() as folder:
        for name, sizes in distributions():
            if time.time() - start > options.seconds:
                print(f"no time left for {name}")
                continue
            give(server, folder, sizes)
            chosen = [v for v in VERSIONS if sizes.max() <= LONGEST.get(v, NEVER)]
            runs, answers = {v: [] for v in chosen}, set()
            # In turns, so that a change of the device's clock is not taken for one of the version.
            for turn in range(7):
                for version in chosen:
                    force(server, version)
                    if turn == 0:
                        answers.add(answer(server, folder))
                    runs[version].append(min(server.run("main", "sizes") for _ in range(2)))
            times = {v: statistics.median(found) for v, found in runs.items()}
            ratio = times["default"] / min(times.values())
            row = [f"{times[v]:,.0f}" if v in times else "" for v in VERSIONS]
            same = "" if len(answers) == 1 else " ANSWERS DIFFER"
            print(f"| {name} | " + " | ".join(row) + f" | {ratio:.2f} |{same}", flush=True)
            server.say("free", "sizes")
    server.end()


if __name__ == "__main__":
    main()
