#!/usr/bin/env python3
"""ThreadSanitizer finds no race in programs with threads.

    python3 tests/multicore/tsan.py FEHU SUITE [--count 60] [--jobs 2] [--threads 2,7]

Builds programs of a test suite (those that exercise parallel operations, always the same ones) and our own in this folder with
`fehu multicore`, and runs their data with several numbers of threads. Answers must be right and nothing may race.
"""
import argparse
import os
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import programs

FOLDERS = ("soacs", "hist", "scatter", "segredomap", "accs", "fusion", "intrablock", "distribution", "flattening",
           "loops", "migration", "memory-block-merging", "existential-ifs")
FLAGS = "-fsanitize=thread -g -O1 -std=c11"


def own(fehu, threads, logs):
    """Our programs take a size; each entry point runs once for each number of threads."""
    here = os.path.dirname(os.path.abspath(__file__))
    bad = []
    names = sorted(f for f in os.listdir(here) if f.endswith(".fut"))
    for name in names:
        path = os.path.join(here, name)
        exe = os.path.join(logs, name[:-4])
        subprocess.run([fehu, "multicore", path, "-o", exe], check=True)
        with open(path) as f:
            entries = re.findall(r"^entry (\w+)", f.read(), re.M)
        for entry in entries:
            for n in threads:
                done = subprocess.run([exe, "-b", "--num-threads", n, "-e", entry], input=b"3000", capture_output=True)
                # What fails in `failures.fut` fails by a check, with status 1.
                if done.returncode not in ((1,) if name == "failures.fut" else (0,)):
                    bad.append(f"{name}, {entry}, {n} threads: {done.stderr.decode()[-400:]}")
        print(f"{name}: {len(entries)} entry points", flush=True)
    return len(names), bad


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("fehu")
    parser.add_argument("suite")
    parser.add_argument("--count", type=int, default=60)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--threads", default="2,7")
    args = parser.parse_args()
    threads = args.threads.split(",")
    with tempfile.TemporaryDirectory() as folder:
        logs = os.path.join(folder, "logs")
        cache = os.path.join(folder, "cache")
        os.mkdir(logs)
        os.mkdir(cache)
        os.environ["TSAN_OPTIONS"] = f"exitcode=66:log_path={logs}/race"
        os.environ["CFLAGS"] = FLAGS
        count, bad = own(args.fehu, threads, logs)
        os.environ.update(CC=programs.CACHED_CC, CACHED_CC_DIR=cache)
        picked = programs.sample(args.suite, args.count, FOLDERS)
        slow = []
        for n in threads:
            options = ["--backend", "multicore", "--concurrency", str(args.jobs), "--timeout", "120",
                       f"--pass-option=--num-threads={n}"]
            failed = programs.test(args.fehu, picked, options)
            print(f"{n} threads: {len(picked) - len(failed)} of {len(picked)} programs of the suite are right", flush=True)
            for path, why in failed.items():
                # Programs are much slower when they are watched.
                late = all("stopped after" in line for line in why)
                (slow if late else bad).append(f"{os.path.relpath(path, args.suite)}, {n} threads: {' '.join(why)[:400]}")
        races = sorted(f for f in os.listdir(logs) if f.startswith("race"))
        for name in races[:5]:
            with open(os.path.join(logs, name)) as f:
                print(f.read()[:3000])
    for line in slow + bad:
        print(line)
    print(f"{count + len(picked)} programs, {len(races)} runs with races, {len(bad)} that fail, {len(slow)} that took too long")
    sys.exit(1 if races or bad else 0)


main()
