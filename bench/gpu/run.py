#!/usr/bin/env python3
"""Times primitives.fut on a GPU beside a plain copy and CUB, on the same sizes, in one run.

    fehu cuda --server bench/gpu/primitives.fut -o primitives     (makes the server)
    nvcc -O3 -arch=native bench/gpu/cub.cu -o cub                 (makes the rival)
    bench/gpu/run.py ./primitives ./cub

Prints, for each piece of work: the median time of 30 runs after 5 to warm up, the memory traffic it needs, the bandwidth that
makes, and how it compares with CUB.
"""
import argparse
import statistics
import subprocess
import tempfile

from server import Server


def number(server, name, value):
    """Gives the server an i64."""
    with tempfile.NamedTemporaryFile() as file:
        file.write(b"b\x02\x00 i64" + value.to_bytes(8, "little", signed=True))
        file.flush()
        server.say("restore", file.name, name, "i64")


def median(server, entry, *args, runs=30):
    """The median time in microseconds, after five runs to warm up."""
    return statistics.median([server.run(entry, *args) for _ in range(runs + 5)][5:])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("server", help="primitives.fut as a server")
    parser.add_argument("rival", nargs="?", help="the program made of cub.cu")
    parser.add_argument("--log", type=int, default=28, help="2 to this power is the number of elements")
    parser.add_argument("--options", nargs=argparse.REMAINDER, default=[], help="options for the server")
    options = parser.parse_args()
    server = Server(options.server, *options.options)
    rival = {}
    if options.rival:
        for line in subprocess.run([options.rival], stdout=subprocess.PIPE, text=True, check=True).stdout.splitlines():
            name, time = line.split()
            rival[name] = float(time)
    n = 1 << options.log

    def measure(name, entry, args, bytes_moved, peer=None):
        try:
            time = median(server, entry, *args)
        except RuntimeError as error:
            print(f"{name:24} failed: {str(error)[:300]}")
            return
        other = rival.get(peer)
        ratio = f"{other / time:6.2f}" if other else "      "
        print(f"{name:24} {time:10.0f} us {bytes_moved / max(time, 1) / 1000:8.0f} GB/s   "
              f"{peer or '':14} {other or 0:9.0f} us   {ratio}", flush=True)

    number(server, "n", n)
    server.say("call", "floats", "xs", "n")
    measure("map (+1)", "increment", ["xs"], 8 * n, "copy")
    measure("reduce (+)", "sum", ["xs"], 4 * n, "sum")
    measure("scan (+)", "prefix_sums", ["xs"], 8 * n, "prefix_sums")
    server.say("free", "xs")
    server.say("call", "ints", "is", "n")
    for log in [8, 12, 20]:
        number(server, "k", 1 << log)
        measure(f"histogram 2^{log}", "histogram", ["k", "is"], 4 * n, f"histogram_2^{log}")
        server.say("free", "k")
    measure("filter (> 0)", "positives", ["is"], 6 * n)
    server.say("free", "is")
    for log in [options.log - 10, 10, 4]:
        number(server, "a", n >> log)
        number(server, "b", 1 << log)
        server.say("call", "rows", "xss", "a", "b")
        measure(f"row sums 2^{options.log - log} x 2^{log}", "row_sums", ["xss"], 4 * n, f"row_sums_2^{log}")
        measure(f"row scans 2^{options.log - log} x 2^{log}", "row_scans", ["xss"], 8 * n)
        server.say("free", "xss", "a", "b")
    side = 1 << options.log // 2
    number(server, "a", side)
    server.say("call", "rows", "xss", "a", "a")
    measure(f"transpose {side}^2", "transposed", ["xss"], 8 * side * side, "copy")
    server.say("free", "xss", "a")
    for size in [side // 16, side // 8, side // 4]:
        number(server, "a", size)
        server.say("call", "rows", "xss", "a", "a")
        measure(f"matmul {size}", "matmul", ["xss", "xss"], 12 * size * size)
        server.say("free", "xss", "a")


if __name__ == "__main__":
    main()
