#!/usr/bin/env python3
"""What the memory passes save: copies, blocks and bytes with all of them, and without each.

    bench/memory.py --fehu target/release/fehu --reference futhark --programs nw,lud --data target/bench/data

For each program of suite.txt, and each entry point: how many copies and blocks are left in the code, the peak of the
bytes that the executable allocates, and the share of the memory passes in the compile time. A column for each pass that is
left out (--without), and one for the reference. With `--backend cuda --times` also the time of a run, in microseconds.

Data are the test sets (`small`), or those that `cargo xtask bench data` made (--data, --sets).
"""
import argparse
import pathlib
import re
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
PASSES = ["loops-in-place", "short-circuit", "reuse-blocks", "double-buffer", "merge-blocks", "hoist-allocations"]
MEMORY = PASSES + ["introduce-memory", "dead-memory", "double-buffer-in-kernels", "expand-memory", "interleave", "shared-memory"]


def main():
    options = arguments()
    print("| program | entry | " + " | ".join(columns(options)) + " |")
    print("| --- | --- |" + " ---: |" * len(columns(options)))
    with tempfile.TemporaryDirectory() as work:
        for name, entries in programs(options.programs):
            for row in rows(options, pathlib.Path(work), name, entries):
                print("| " + " | ".join(row) + " |", flush=True)


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--fehu", default="fehu")
    parser.add_argument("--reference", help="the reference compiler, for peak bytes")
    parser.add_argument("--programs", help="names, separated by commas; all of suite.txt if left out")
    parser.add_argument("--backend", default="c")
    parser.add_argument("--data", help="the folder with made data")
    parser.add_argument("--sets", default="small", help="data sets, of which each program takes the first that it has")
    parser.add_argument("--without", default=",".join(PASSES), help="passes to leave out, one at a time")
    parser.add_argument("--times", action="store_true", help="also the time of a run")
    return parser.parse_args()


def programs(wanted):
    """The programs of the suite with their entry points."""
    wanted = wanted.split(",") if wanted else None
    for line in (HERE / "suite.txt").read_text().splitlines():
        words = line.split()
        if line and line[0] not in " #=" and (wanted is None or words[0] in wanted):
            yield words[0], words[1:] or ["main"]


def variants(options):
    return [None] + [p for p in options.without.split(",") if p]


def columns(options):
    found = []
    for variant in variants(options):
        found.append("copies, blocks, bytes" if variant is None else f"without `{variant}`")
    return found + (["reference"] if options.reference else []) + ["memory passes"]


def rows(options, work, name, entries):
    source = HERE / f"{name}.fut"
    folder = pathlib.Path(options.data) if options.data else HERE / "data"
    inputs = [path for s in options.sets.split(",") for path in sorted((folder / name).glob(f"{s}*.in"))]
    if not inputs:
        return
    counts, executables = {}, {}
    for variant in variants(options):
        skipped = ["--skip-pass", variant] if variant else []
        listed = run([options.fehu, "dev", "--backend", options.backend, "--explain-memory", *skipped, source])
        lines = listed.stdout.splitlines()
        copies = sum(" copies " in line for line in lines)
        counts[variant] = (copies, len(lines) - copies)
        executables[variant] = built(work / f"{name}-{variant}", [options.fehu, options.backend, *skipped, source])
    if options.reference:
        executables["reference"] = built(work / f"{name}-reference", [options.reference, options.backend, source])
    share = compile_share(options, work, source)
    for entry in entries:
        cells = []
        for variant in variants(options):
            cells.append("{}, {}, {}".format(*counts[variant], measured(options, executables[variant], entry, inputs[0])))
        if options.reference:
            cells.append(measured(options, executables["reference"], entry, inputs[0]))
        yield [name, entry, *cells, share]


def built(path, command):
    return path if run([*command, "-o", path]).returncode == 0 else None


def measured(options, executable, entry, data):
    """The peak of the bytes in the default space, and the time of a run."""
    if executable is None:
        return "not built"
    times = executable.with_suffix(".us")
    with open(data, "rb") as values:
        done = run([executable, "-e", entry, "-D", "-b", "-r", "5" if options.times else "1", "-t", times], stdin=values, text=False)
    peaks = re.findall(rb"(?:default space|space 'device')\": (\d+)|now allocated: (\d+) bytes", done.stderr)
    if done.returncode != 0 or not peaks:
        return "failed"
    text = f"{max(int(number) for found in peaks for number in found if number):,}"
    if options.times:
        text += f" ({min(int(t) for t in times.read_text().split())} us)"
    return text


def compile_share(options, work, source):
    done = run([options.fehu, options.backend, "--library", "--time-passes", source, "-o", work / "library"])
    spent = {}
    for line in (done.stdout + done.stderr).splitlines():
        words = line.split()
        if len(words) >= 2 and re.fullmatch(r"[\d.]+", words[1]):
            step = words[0].split("#")[0]
            spent[step] = spent.get(step, 0) + float(words[1])
    memory = sum(spent.get(step, 0) for step in MEMORY)
    return f"{100 * memory / spent['total']:.0f} %" if spent.get("total") else "?"


def run(command, stdin=None, text=True):
    return subprocess.run([str(c) for c in command], stdin=stdin, capture_output=True, text=text)


if __name__ == "__main__":
    sys.exit(main())
