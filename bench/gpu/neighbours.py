#!/usr/bin/env python3
"""Programs that are close to those of the benchmarks: our times beside another compiler's and the bytes that must move.

    cat bench/gpu/neighbours/data.fut bench/gpu/neighbours/rows.fut > rows.fut
    fehu cuda --server rows.fut -o ours/rows
    futhark cuda --server rows.fut -o theirs/rows
    bench/gpu/neighbours.py ours theirs [NAME...]

Prints for each entry point: our time and theirs in us, the quotient, the time of the bytes at the speed of a copy, and
our GB/s; the answers are compared by a number that stands for each.
"""
import os
import statistics
import struct
import sys
import tempfile
import threading
import time

from server import Server

FORMATS = {"i64": ("<q", b" i64"), "i32": ("<i", b" i32"), "f32": ("<f", b" f32")}
SPEED = 4200e3  # bytes of a copy in a us
K, M = 1 << 10, 1 << 20


def plane(n, m):
    return ("f32_2", n, m)


# File: entry point, arguments (which entry makes them, or a scalar with its type), bytes that must move.
WORK = {
    "products": [
        ("layer", [plane(2048, 2048), plane(2048, 2048), ("f32_1", 2048)], 0),
        ("layer_after", [plane(2048, 2048), plane(2048, 2048), ("f32_1", 2048)], 0),
        ("gemm", [plane(2048, 2048)] * 3, 0),
        ("both_transposed", [plane(2048, 2048)] * 2, 0),
        ("of_i64", [("i64_2", K, K, 100)] * 2, 0),
        ("of_complex", [plane(K, K)] * 4, 0),
        ("batched", [("f32_3", 256, 128, 128)] * 2, 3 * 4 * 256 * 128 * 128),
        ("scaled", [("f32_1", 16), plane(512, 512), plane(512, 512)], 0),
        ("of_bytes", [("u8_2", K, K, 100)] * 2, 0),
        ("covariance", [plane(1 << 16, 128)], 4 << 23),
        ("similar", [plane(4096, 64)] * 2, 4 << 24),
        ("by_loops", [plane(2048, 2048)] * 2, 0),
        ("of_bools", [("u8_2", K, K, 2)], 0),
        ("vector_matrix", [("f32_1", 8192), plane(8192, 8192)], 4 << 26),
        ("atax", [plane(8192, 8192), ("f32_1", 8192)], 8 << 26),
        ("gesummv", [plane(8192, 8192), plane(8192, 8192), ("f32_1", 8192)], 8 << 26),
        ("attention", [plane(4096, 64)] * 3, 0),
        ("congruent", [("f32_3", 4096, 16, 16)] * 2, 3 * 4 * 4096 * 256),
        ("half_product", [plane(2048, 2048)], 0),
        ("nearest", [plane(1 << 17, 16), plane(256, 16)], 0),
    ],
    "stencils": [
        ("life", [(8, "i64"), ("u8_2", 8192, 8192, 2)], 8 * 2 << 26),
        ("life_rotated", [(8, "i64"), ("i32_2", 4096, 4096, 2)], 8 * 8 << 24),
        ("torus", [(8, "i64"), plane(8192, 8192)], 8 * 8 << 26),
        ("wave", [(8, "i64"), plane(8192, 8192), plane(8192, 8192)], 8 * 12 << 26),
        ("reaction", [(8, "i64"), plane(4096, 4096), plane(4096, 4096)], 8 * 16 << 24),
        ("fdtd", [(8, "i64"), plane(4096, 4096), plane(4096, 4096), plane(4096, 4096)], 8 * 24 << 24),
        ("red_black", [(8, "i64"), plane(8192, 8192)], 8 * 8 << 26),
        ("until_settled", [(0.02, "f32"), plane(4096, 4096)], 0),
        ("cube", [(8, "i64"), ("f32_3", 256, 512, 512)], 8 * 8 << 26),
        ("blur", [plane(8192, 8192)], 8 << 26),
        ("weighted", [plane(7, 7), plane(4096, 4096)], 8 << 24),
        ("filtered", [("f32_1", 1 << 24), ("f32_1", 64)], 8 << 24),
        ("sobel", [("u8_2", 8192, 8192, 256)], 2 << 26),
        ("pooled", [plane(8192, 8192)], 5 << 26),
        ("layer_of_filters", [("planes", 16, 32, 64, 64), ("planes", 32, 32, 3, 3)], 8 * 16 * 32 * 64 * 64),
        ("larger", [plane(4096, 4096)], 20 << 24),
        ("median", [plane(4096, 4096)], 8 << 24),
        ("ring", [(32, "i64"), ("f32_1", M)], 0),
        ("odd_even", [(32, "i64"), ("i32_1", M, 1000000)], 0),
    ],
    "bins": [
        ("least_of_bins", [(1000, "i64"), ("i64_1", 1 << 24, 1000), ("f32_1", 1 << 24)], 12 << 24),
        ("in_two_directions", [(512, "i64"), ("i64_1", 1 << 24, 512), ("i64_1", 1 << 24, 510)], 16 << 24),
        ("colours", [("u32_1", 1 << 26)], 4 << 26),
        ("of_doubles", [(256, "i64"), ("i64_1", 1 << 25, 256), ("f64_1", 1 << 25)], 16 << 25),
        ("means_of_groups", [(100, "i64"), ("i64_1", 1 << 25, 100), ("f32_1", 1 << 25)], 12 << 25),
        ("sums_of_vectors", [(64, "i64"), ("i64_1", 1 << 20, 64), plane(1 << 20, 32)], 4 << 25),
        ("ranges", [(1000, "i64"), ("f32_1", 1 << 26)], 4 << 26),
        ("segmented", [("bool_1", 1 << 26, 100), ("f32_1", 1 << 26)], 9 << 26),
        ("recurrence", [("f32_1", 1 << 26)] * 2, 12 << 26),
        ("largest_so_far", [("f32_1", 1 << 26)], 16 << 26),
        ("records", [("f32_1", 1 << 26)], 4 << 26),
        ("kept_by_scatter", [("i32_1", 1 << 26, 1000)], 4 << 26),
        ("runs", [("i32_1", 1 << 25, 3)], 4 << 25),
        ("exclusive", [("i32_1", 1 << 26, 10)], 8 << 26),
        ("column_sums_so_far", [plane(8192, 8192)], 8 << 26),
        ("vectors_so_far", [plane(8192, 8192)], 8 << 26),
        ("summed_area", [plane(8192, 8192)], 8 << 26),
        ("means_of_boxes", [(5, "i64"), plane(4096, 4096)], 8 << 24),
        ("scans_in_loop", [(10, "i64"), ("i32_1", 1 << 24, 10)], 10 * 8 << 24),
        ("best_part", [("f32_1", 1 << 26)], 4 << 26),
        ("statistics", [("f32_1", 1 << 26)], 4 << 26),
        ("radix_sort", [("u32_1", 1 << 22)], 16 * 8 << 22),
        ("bitonic", [(20, "i64"), ("i32_1", 1 << 20, 1000000)], 210 * 8 << 20),
        ("permuted", [("shuffled", 1 << 26), ("f32_1", 1 << 26)], 16 << 26),
        ("permuted_pairs", [("shuffled", 1 << 26), ("f32_1", 1 << 26), ("i32_1", 1 << 26, 100)], 24 << 26),
        ("searched", [("sorted", 1 << 20), ("f32_1", 1 << 24)], 12 << 24),
        ("ranks", [(1 << 20, "i64"), (5, "i64"), ("i64_1", 1 << 24, 1 << 20), ("i64_1", 1 << 24, (1 << 20) - 3)], 0),
        ("found", [("u8_1", 1 << 27, 4), ("u8_1", 8, 4)], 1 << 27),
        ("found_places", [("u8_1", 1 << 26, 4), ("u8_1", 8, 4)], 1 << 26),
    ],
    "rows": [
        ("softmax_of_three", [("f32_3", 64, 1024, 512)], 8 << 25),
        ("softmax_columns", [plane(8192, 8192)], 8 << 26),
        ("cross_entropy", [plane(1 << 16, 1000), ("i64_1", 1 << 16, 1000)], 4000 << 16),
        ("layer_norm", [plane(1 << 15, 1024), plane(1 << 15, 1024), ("f32_1", 1024), ("f32_1", 1024)], 12 << 25),
        ("rms_norm", [plane(1 << 15, 2048), ("f32_1", 2048)], 8 << 26),
        ("standardised", [plane(1 << 16, 512)], 8 << 25),
        ("sums_of_slices", [(10, "i64"), (1000, "i64"), plane(1 << 16, 1024)], 990 * 4 << 16),
        ("sums_of_joined", [plane(1 << 16, 500), plane(1 << 16, 500)], 4000 << 16),
        ("sums_of_three", [plane(1 << 15, 1024)] * 3, 12 << 25),
        ("every_other", [plane(1 << 16, 1024)], 4 << 26),
        ("sums_backwards", [plane(1 << 16, 512)], 8 << 25),
        ("differences", [plane(8192, 8192)], 8 << 26),
        ("largest_of_rows", [plane(1 << 16, 1024)], 4 << 26),
        ("largest_of_columns", [plane(8192, 8192)], 4 << 26),
        ("moments", [plane(1 << 16, 1024)], 4 << 26),
        ("above_mean", [plane(1 << 16, 1024)], 4 << 26),
        ("sums_of_planes", [("f32_3", 1024, 256, 256)], 4 << 26),
        ("sums_of_middle", [("f32_3", 1024, 256, 256)], 4 << 26),
        ("sums_of_outer", [("f32_3", 1024, 256, 256)], 4 << 26),
        ("sorted_rows", [("i32_2", 1 << 18, 32, 1000)], 8 << 23),
        ("chosen_columns", [("i64_1", 100, 1000), plane(1 << 16, 1000)], 800 << 16),
        ("grey", [plane(8192, 8192)] * 3, 16 << 26),
        ("grey_of_rows", [("f32_3", 4096, 8192, 3)], 16 << 25),
        ("variation", [plane(8192, 8192)], 4 << 26),
        ("smoothed", [plane(512, 1 << 16)], 8 << 25),
    ],
    "steps": [
        ("floyd_warshall", [plane(K, K)], 0),
        ("floyd_maps", [("i32_2", K, K, 1000)], 0),
        ("gauss", [plane(512, 513)], 0),
        ("gauss_pivot", [plane(512, 513)], 0),
        ("lu", [plane(K, K)], 0),
        ("cholesky", [plane(K, K)], 0),
        ("thomas", [plane(1 << 16, 256)] * 4, 20 << 24),
        ("knapsack", [(100000, "i64"), ("i64_1", 200, 1000), ("i32_1", 200, 1000)], 0),
        ("edit_distance", [("u8_1", 4000, 4), ("u8_1", 4000, 5)], 0),
        ("queens", [(12, "i64")], 0),
        ("pi", [(1 << 17, "i64"), (1000, "i64")], 0),
        ("walks", [(1 << 17, "i64"), (256, "i64")], 4 << 25),
        ("fft", [(20, "i64"), ("f32_1", 1 << 20), ("f32_1", 1 << 20)], 20 * 16 << 20),
        ("fft_rows", [(9, "i64"), plane(1 << 14, 512), plane(1 << 14, 512)], 16 << 23),
        ("bodies", [(3, "i64")] + [("f32_1", 16384)] * 4, 0),
        ("boids", [(3, "i64"), plane(16384, 2), plane(16384, 2)], 0),
        ("neighbours", [(5, "i64"), plane(4096, 8), plane(1 << 16, 8)], 0),
        ("gradients", [(10, "i64"), plane(4096, 4096)], 10 * 44 << 24),
        ("ell", [("i64_2", 1 << 20, 16, 1 << 20), plane(1 << 20, 16), ("f32_1", 1 << 20)], 12 << 24),
        ("julia", [(4096, "i64"), (200, "i32")], 0),
        ("power", [(10, "i64"), plane(8192, 8192)], 10 * 4 << 26),
    ],
}


def give(server, name, value, form="i64"):
    pack, word = FORMATS[form]
    with tempfile.NamedTemporaryFile() as file:
        file.write(b"b\x02\x00" + word + struct.pack(pack, value))
        file.flush()
        server.say("restore", file.name, name, form)


def make(server, name, what):
    if isinstance(what[1], str):
        give(server, name, *what)
        return
    given = [f"size{k}" for k in range(len(what) - 1)]
    for size, n in zip(given, what[1:]):
        give(server, size, n)
    server.say("call", what[0], name, *given)
    server.say("free", *given)


def stands(server, name, form):
    """A number that stands for an answer."""
    form = form.lstrip("*")
    server.say("call", f"stands_{form.split(']')[-1]}_{form.count('[')}", "number", name)
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "number")
        server.say("store", path, "number")
        with open(path, "rb") as file:
            number = struct.unpack("<d", file.read()[-8:])[0]
    server.say("free", "number")
    return number


def times(server, entry, args, budget):
    """The median time in us of runs within the budget in seconds, and what stands for the answers."""
    outs = server.say("outputs", entry)
    names = [f"out{k}" for k in range(len(outs))]
    taken, end = [], time.time() + budget
    while len(taken) < 3 or (len(taken) < 12 and time.time() < end):
        lines = server.say("call", entry, *names, *args)
        taken.append(next(int(line.split()[1]) for line in lines if line.startswith("runtime:")))
        numbers = [] if len(taken) > 1 else [stands(server, name, form) for name, form in zip(names, outs)]
        answers = numbers or answers
        server.say("free", *names)
        if taken[-1] > 15e4:
            break
    return statistics.median(taken[1:] or taken), answers


def started(folder, files):
    """The servers, started at the same time: they compile their kernels."""
    servers = {}

    def start(file):
        try:
            servers[file] = Server(os.path.join(folder, file))
        except (RuntimeError, OSError) as error:
            print(f"{folder} {file}: {str(error)[:300]}")

    threads = [threading.Thread(target=start, args=[file]) for file in files]
    return servers, threads


def main():
    ours, theirs, only = sys.argv[1], sys.argv[2], sys.argv[3:]
    began = time.time()
    deadline = began + float(os.environ.get("LIMIT_S", "3600"))
    files = [file for file in WORK if os.path.exists(os.path.join(ours, file))]
    us, threads = started(ours, files)
    them, more = started(theirs, files)
    for thread in threads + more:
        thread.start()
    for thread in threads + more:
        thread.join()
    print(f"started after {time.time() - began:.1f} s")
    for file in files:
        for entry, makers, moved in WORK[file]:
            if only and entry not in only:
                continue
            if time.time() > deadline:
                print(f"{entry:20} no time")
                continue
            found = []
            for servers in (us, them):
                server, names = servers.get(file), [f"a{k}" for k in range(len(makers))]
                try:
                    for name, what in zip(names, makers):
                        make(server, name, what)
                    found.append(times(server, entry, names, 0.08))
                    server.say("free", *names)
                except (RuntimeError, AttributeError) as error:
                    print(f"{entry:20} {'ours' if servers is us else 'theirs'} failed: {str(error)[:200]}")
                    found.append((float("nan"), []))
                    if server is not None and server.process.poll() is not None:
                        servers.pop(file)
            (a, x), (b, y) = found
            same = all(abs(p - q) <= 1e-3 * max(1, abs(p), abs(q)) for p, q in zip(x, y))
            floor = moved / SPEED
            print(f"{entry:20} {a:9.0f} {b:9.0f} {a / b:6.2f}  floor {floor:7.0f} {a / floor if floor else 0:6.2f}"
                  f" {moved / a / 1e3:7.0f} GB/s {'' if same else 'DIFFERENT ' + str(x) + ' ' + str(y)}", flush=True)
    print(f"ended after {time.time() - began:.1f} s")


if __name__ == "__main__":
    main()
