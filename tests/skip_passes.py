#!/usr/bin/env python3
"""Programs give the same answers when any one of the optional passes is left out.

    python3 tests/skip_passes.py FEHU SUITE [--count 300] [--jobs 2] [--backend c] [--passes fusion,cse]

Takes a sample of the programs of a test suite that have data, always the same one. Those that give the expected answers with all
passes must give them without each pass, too. C texts that are the same are compiled once, without optimisation.
"""
import argparse
import os
import sys
import tempfile
import time

import programs

PASSES = ["simplify", "inline", "cse", "invariant-parts", "accumulations", "fusion", "sink", "fuse-loops", "dead-memory", "short-circuit", "double-buffer-in-kernels",
          "merge-blocks", "double-buffer",
          "interleave", "hoist-allocations", "interchange-loops", "split-loops"]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("fehu")
    parser.add_argument("suite")
    parser.add_argument("--count", type=int, default=300)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--backend", default="c")
    parser.add_argument("--passes", default=",".join(PASSES))
    args = parser.parse_args()
    picked = programs.sample(args.suite, args.count)
    bad = 0
    with tempfile.TemporaryDirectory() as cache:
        env = {"CC": programs.CACHED_CC, "CACHED_CC_DIR": cache, "CFLAGS": "-O0 -std=c11"}

        def failures(paths, skip, timeout):
            start = time.time()
            options = ["--backend", args.backend, "--concurrency", str(args.jobs), "--timeout", str(timeout)]
            failed = programs.test(args.fehu, paths, options, {**env, "FEHU_SKIP_PASS": skip})
            print(f"{skip or 'none':20} {len(paths):4} programs {len(failed):4} failed  {time.time() - start:6.0f} s  "
                  f"{len(os.listdir(cache)):5} C texts so far", flush=True)
            return failed

        # What takes long without a C compiler's help says nothing about passes.
        failed = failures(picked, "", 20)
        for path, why in failed.items():
            print(f"  not looked at: {os.path.relpath(path, args.suite)}: {' '.join(why)[:160]}")
        good = [p for p in picked if p not in failed]
        for name in args.passes.split(","):
            failed = failures(good, name, 120)
            bad += len(failed)
            for path, why in failed.items():
                print(f"  without {name}: {os.path.relpath(path, args.suite)}: {' '.join(why)[:400]}", flush=True)
    print(f"{bad} programs answer otherwise without a pass")
    sys.exit(1 if bad or not good else 0)


main()
