#!/usr/bin/env python3
"""Compares the programs of layout.fut with the time that the bytes which they must move take at the speed of a copy.

    fehu cuda --server bench/gpu/layout.fut -o layout
    bench/gpu/layout.py ./layout

Prints for each: the median time of 20 runs after 3 to warm up, the time at the speed of a copy, and the ratio of both.
"""
import argparse
import statistics
import struct
import tempfile

from server import Server


def give(server, name, value):
    with tempfile.NamedTemporaryFile() as file:
        file.write(b"b\x02\x00 i64" + struct.pack("<q", value))
        file.flush()
        server.say("restore", file.name, name, "i64")


def make(server, name, entry, *sizes):
    """An array of the server, made there."""
    given = [f"size{k}" for k in range(len(sizes))]
    for size, n in zip(given, sizes):
        give(server, size, n)
    server.say("call", entry, name, *given)
    server.say("free", *given)


def median(server, entry, args, outs):
    """The median time in microseconds."""
    times = []
    names = [f"out{k}" for k in range(outs)]
    for _ in range(23):
        lines = server.say("call", entry, *names, *args)
        server.say("free", *names)
        times.append(next(int(line.split()[1]) for line in lines if line.startswith("runtime:")))
    return statistics.median(times[3:])


# Entry point, arrays (which entry makes them, of which sizes), bytes that must move, results.
N, C, K = 8192, 512, 1 << 20
WORK = [
    ("rows", [("plane", 1 << 17, 512)], 4 << 26, 1),
    ("columns", [("plane", 512, 1 << 17)], 4 << 26, 1),
    ("rows_of_made", [("plane", 1 << 17, 512)], 8 << 26, 2),
    ("three_orders", [("cube", C)], 8 * C**3, 1),
    ("two_orders", [("cube", C)], 8 * C**3, 1),
    ("plus_transposed", [("plane", N, N), ("plane", N, N)], 12 * N * N, 1),
    ("column_sums", [("plane", N, N)], 4 * N * N, 1),
    ("column_dots", [("plane", N, N), ("plane", N, N)], 8 * N * N, 1),
    ("column_scans", [("plane", N, N)], 8 * N * N, 1),
    ("vector_sum", [("plane", N, N)], 4 * N * N, 1),
    ("gathered", [("plane", K, 32), ("places", K, K)], (8 * 32 + 8) * K, 1),
    ("records", [("plane", 1 << 26, 3)], 16 << 26, 1),
    ("doubled_transposed", [("plane", N, N)], 8 * N * N, 1),
    ("column_histograms", [("bins", N, N)], 8 * N * N + 256 * N, 1),
    ("columns_in_blocks", [("plane", 1024, 1 << 16)], 8 << 26, 1),
]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("server", help="layout.fut as a server")
    parser.add_argument("--copy", type=float, default=4200, help="GB/s of a copy, read and written (default: an H200's)")
    options = parser.parse_args()
    server, speed = Server(options.server), options.copy * 1e3
    for entry, arrays, moved, outs in WORK:
        names = [f"a{k}" for k in range(len(arrays))]
        try:
            for name, (maker, *sizes) in zip(names, arrays):
                make(server, name, maker, *sizes)
            time = median(server, entry, names, outs)
        except RuntimeError as error:
            print(f"{entry:20} failed: {str(error)[:200]}")
            continue
        server.say("free", *names)
        print(f"{entry:20} {time:8.0f} us   floor {moved / speed:8.0f} us   {time * speed / moved:6.2f}", flush=True)
    server.end()


if __name__ == "__main__":
    main()
