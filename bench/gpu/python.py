#!/usr/bin/env python3
"""Times python.fut beside what a user of Python would write: CuPy, PyTorch (compiled) and JAX, on the same data.

    fehu cuda --server bench/gpu/python.fut -o tasks
    bench/gpu/python.py ./tasks [--seconds 90] [--only WORD ...] [--without LIBRARY ...]

Each row has the median wall-clock time in milliseconds of several runs after two to warm up, ours and those of the libraries
that are installed, and how many times as long the best of them takes. A `!` says that the answers differ. Tasks that would begin after the
given number of seconds are left out, and named.
"""
import argparse
import os
import statistics
import struct
import tempfile
import time

os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")

from server import Server


def optional(name):
    try:
        return __import__(name)
    except Exception as error:  # whatever a broken installation raises
        print(f"no {name}: {str(error)[:80]}")
        return None


cupy, torch, jax = optional("cupy"), optional("torch"), optional("jax")
if cupy is None:
    raise SystemExit("CuPy makes the data for the others; install it first")
numpy = __import__("numpy")
jnp = __import__("jax.numpy", fromlist=["numpy"]) if jax else None


def numbers(seed, *shape):
    """The same numbers as in python.fut."""
    count = 1
    for n in shape:
        count *= n
    i = cupy.arange(count, dtype=cupy.uint32) + cupy.uint32(seed)
    return ((i * cupy.uint32(2654435761)) >> 8).astype(cupy.float32).reshape(shape) / cupy.float32(16777216)


def normal(x, d):
    """The normal distribution function as in blackscholes.fut, for any of the libraries."""
    k = 1 / (1 + 0.2316419 * (cupy.abs(d) if x is cupy else abs(d)))
    poly = k * (0.31938153 + k * (-0.356563782 + k * (1.781477937 + k * (-1.821255978 + k * 1.330274429))))
    tail = 0.39894228 * x.exp(-0.5 * d * d) * poly
    return x.where(d > 0, 1 - tail, tail)


def options(x):
    def price(s, k, y):
        spot, strike, years = 50 + 50 * s, 50 + 50 * k, 0.5 + y
        root = x.sqrt(years)
        d1 = (x.log(spot / strike) + (0.05 + 0.02) * years) / (0.2 * root)
        return spot * normal(x, d1) - strike * x.exp(-0.05 * years) * normal(x, d1 - 0.2 * root)
    return price


def bodies(x):
    def move(xs, ys, zs, ms):
        dx, dy, dz = xs[None, :] - xs[:, None], ys[None, :] - ys[:, None], zs[None, :] - zs[:, None]
        inv = 1 / x.sqrt(dx * dx + dy * dy + dz * dz + 0.01)
        return xs + 0.0001 * (ms[None, :] * inv * inv * inv * dx).sum(1)
    return move


def pad(x, g):
    if x is torch:
        return torch.nn.functional.pad(g[None, None], (1, 1, 1, 1), mode="replicate")[0, 0]
    return x.pad(g, 1, mode="edge")


def smooth(x):
    def once(g):
        p = pad(x, g)
        return 0.2 * (g + p[:-2, 1:-1] + p[2:, 1:-1] + p[1:-1, :-2] + p[1:-1, 2:])
    return once


def softmax(x):
    def rows(g):
        most = g.max(1)[0] if x is torch else g.max(1)
        e = x.exp(g - most[:, None])
        return e / e.sum(1)[:, None]
    return rows


def clusters(x):
    def step(p):
        c = p[:64]
        d = ((p[:, None, :] - c[None, :, :]) ** 2).sum(2)
        own = d.argmin(1)
        if x is torch:
            sums = torch.zeros_like(c).index_add_(0, own, p)
            sizes = torch.bincount(own, minlength=64)
        elif x is cupy:
            sums = cupy.stack([cupy.bincount(own, weights=p[:, k], minlength=64) for k in range(3)], 1)
            sizes = cupy.bincount(own, minlength=64)
        else:
            sums = jnp.zeros_like(c).at[own].add(p)
            sizes = jnp.zeros(64, dtype=jnp.int32).at[own].add(1)
        return sums / sizes[:, None]
    return step


def systems(x):
    """Elimination and substitution by columns."""
    def solve(a, c, d):
        m = a.shape[1]
        us, vs = [c[:, 0] / 3], [d[:, 0] / 3]
        for i in range(1, m):
            pivot = 1 / (3 - a[:, i] * us[-1])
            us.append(c[:, i] * pivot)
            vs.append((d[:, i] - a[:, i] * vs[-1]) * pivot)
        for i in range(m - 2, -1, -1):
            vs[i] = vs[i] - us[i] * vs[i + 1]
        return x.stack(vs, 1)

    def solve_jax(a, c, d):
        def down(uv, row):
            pivot = 1 / (3 - row[0] * uv[0])
            next = (row[1] * pivot, (row[2] - row[0] * uv[1]) * pivot)
            return next, next
        zero = jnp.zeros(a.shape[0], a.dtype)
        _, (us, vs) = jax.lax.scan(down, (zero, zero), (a.T, c.T, d.T))

        def up(next, uv):
            this = uv[1] - uv[0] * next
            return this, this
        _, xs = jax.lax.scan(up, zero, (us, vs), reverse=True)
        return xs.T
    return solve_jax if x is jnp else solve


ESCAPES = r"""
extern "C" __global__ void escapes(int *out, int n) {
  int j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y;
  if (j < n) {
    float cx = -2 + j * 3.0f / n, cy = -1.5f + i * 3.0f / n, x = cx, y = cy;
    int k = 0;
    for (; k < 255 && x * x + y * y <= 4; k++) {
      float t = x * x - y * y + cx;
      y = 2 * x * y + cy;
      x = t;
    }
    out[(long long)i * n + j] = k;
  }
}"""


def escapes(x):
    def with_kernel(n):
        out = cupy.empty((n, n), dtype=cupy.int32)
        cupy.RawKernel(ESCAPES, "escapes")(((n + 127) // 128, n), (128,), (out, numpy.int32(n)))
        return out

    def with_jax(n):
        at = jnp.arange(n, dtype=jnp.float32) * 3 / n
        cx, cy = jnp.broadcast_to(at - 2, (n, n)), jnp.broadcast_to((at - 1.5)[:, None], (n, n))

        def body(_, s):
            x, y, k = s
            go = x * x + y * y <= 4
            return jnp.where(go, x * x - y * y + cx, x), jnp.where(go, 2 * x * y + cy, y), k + go
        return jax.lax.fori_loop(0, 255, body, (cx, cy, jnp.zeros((n, n), jnp.int32)))[2]
    return {cupy: with_kernel, jnp: with_jax}.get(x)


def iterated(x):
    once = smooth(x)
    if x is jnp:
        return lambda g: jax.lax.fori_loop(0, 100, lambda _, g: once(g), g)
    if x is torch:
        once = torch.compile(once)
    if x is cupy:
        once = smooth(cupy)

    def steps(g):
        for _ in range(100):
            g = once(g)
        return g
    return steps


# Name, entry point, arguments (a number is given as it is, a shape as numbers of that shape), the rival's code.
TASKS = [
    ("sum", "total", [(1 << 28,)], lambda x: lambda v: v.sum()),
    ("scan", "prefixes", [(1 << 28,)], lambda x: lambda v: x.cumsum(v, 0)),
    ("dot", "dot", [(1 << 28,), (1 << 28,)], lambda x: lambda v, w: x.dot(v, w)),
    ("softmax 32768 x 1024", "softmax", [(32768, 1024)], softmax),
    ("Black-Scholes 2^26", "options", [(1 << 26,)] * 3, options),
    ("mandelbrot 4096^2, 255", "escapes", [4096], escapes),
    ("5 points, 8192^2, 100 steps", "smoothed", [(8192, 8192)], iterated),
    ("n-body 16384", "bodies", [(1 << 14,)] * 4, bodies),
    ("k-means step 2^22 x 3, 64", "clusters", [(1 << 22, 3)], clusters),
    ("tridiagonal 65536 x 256", "systems", [(65536, 256)] * 3, systems),
]


def compiled(x, code, entry):
    """A rival's code, compiled where its library can."""
    if code is None:
        return None
    if x is jnp:
        return jax.jit(code, static_argnums=0) if entry == "escapes" else jax.jit(code)
    # PyTorch unrolls the 511 steps of a solver, and takes minutes over it.
    if x is torch and entry not in ("smoothed", "systems", "escapes"):
        return torch.compile(code)
    if x is cupy and entry == "options":
        return cupy.fuse(code)
    return code


def wait(x, value):
    if x is jnp:
        value.block_until_ready()
    elif x is torch:
        torch.cuda.synchronize()
    else:
        cupy.cuda.Device().synchronize()


def rival(x, code, entry, args):
    """The median time in milliseconds, and a sample of the answer."""
    code = compiled(x, code(x), entry)
    if code is None:
        return None, None
    if x is jnp:
        args = [a if isinstance(a, int) else jnp.from_dlpack(a) for a in args]
    elif x is torch:
        args = [a if isinstance(a, int) else torch.from_dlpack(a) for a in args]
    times = []
    for turn in range(9):
        begin = time.perf_counter()
        value = code(*args)
        wait(x, value)
        times.append(time.perf_counter() - begin)
        if turn >= 4 and sum(times[2:]) > 2:
            break
    flat = value.reshape(-1)
    flat = flat[:: max(1, flat.shape[0] // 64)][:64]
    sample = numpy.asarray(flat.get() if x is cupy else flat.cpu() if x is torch else flat)
    return statistics.median(times[2:]) * 1e3, sample


def give(server, name, value):
    with tempfile.NamedTemporaryFile() as file:
        file.write(b"b\x02\x00 i64" + struct.pack("<q", value))
        file.flush()
        server.say("restore", file.name, name, "i64")


def ours(server, entry, shapes):
    """The median time in milliseconds, and a sample of the answer."""
    names = []
    for number, shape in enumerate(shapes):
        name = f"a{number}"
        names.append(name)
        if isinstance(shape, int):
            give(server, name, shape)
            continue
        sizes = [f"{name}_{k}" for k in range(len(shape))]
        for size, n in zip(sizes, shape):
            give(server, size, n)
        give(server, "seed", number)
        server.say("call", "numbers" if len(shape) == 1 else "grid", name, "seed", *sizes)
        server.say("free", "seed", *sizes)
    times = [server.run(entry, *names) for _ in range(9)][2:]
    server.say("call", entry, "out", *names)
    sample = read_sample(server)
    server.say("free", "out", *names)
    return statistics.median(times) / 1e3, sample


def read_sample(server):
    """At most 64 values of the server's `out`, evenly spaced."""
    with tempfile.TemporaryDirectory(dir="/dev/shm" if os.path.isdir("/dev/shm") else None) as folder:
        path = os.path.join(folder, "out")
        server.say("store", path, "out")
        data = open(path, "rb").read()
    rank, kind = data[2], data[3:7]
    values = numpy.frombuffer(data, dtype={b" f32": "<f4", b" i32": "<i4"}[kind], offset=7 + 8 * rank)
    return values[:: max(1, values.size // 64)][:64]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("server", help="python.fut as a server")
    parser.add_argument("--seconds", type=float, default=300, help="begin no task after so many seconds")
    parser.add_argument("--only", nargs="*", default=[], metavar="WORD", help="tasks whose names contain one of these words")
    parser.add_argument("--without", nargs="*", default=[], metavar="LIBRARY", help="libraries to leave out: CuPy, PyTorch or JAX")
    options = parser.parse_args()
    begin = time.time()
    server = Server(options.server)
    rivals = [(name, x) for name, x in [("CuPy", cupy), ("PyTorch", torch), ("JAX", jnp)] if x and name not in options.without]
    print(f"{'ms':30} {'Fehu':>9} " + " ".join(f"{name:>10}" for name, _ in rivals) + "   best / Fehu")
    for name, entry, shapes, code in TASKS:
        if options.only and not any(word in name for word in options.only):
            continue
        if time.time() - begin > options.seconds:
            print(f"{name:30} left out")
            continue
        try:
            mine, sample = ours(server, entry, shapes)
        except RuntimeError as error:
            print(f"{name:30} failed: {str(error)[:200]}")
            continue
        data = [s if isinstance(s, int) else numbers(k, *s) for k, s in enumerate(shapes)]
        print(f"{name:30} {mine:9.3f} ", end="", flush=True)
        best, failures = None, []
        for library, x in rivals:
            try:
                took, answer = rival(x, code, entry, data)
            except Exception as error:
                failures.append(f"  {library} fails: {type(error).__name__} {str(error)[:150]}")
                took = None
            if took is None:
                print(f"{'-':>10} ", end="", flush=True)
                continue
            same = numpy.allclose(answer, sample, rtol=1e-2, atol=1e-3)
            print(f"{took:9.3f}{' ' if same else '!'} ", end="", flush=True)
            best = took if best is None else min(best, took)
            cupy.get_default_memory_pool().free_all_blocks()
            if torch:
                torch.cuda.empty_cache()
        print(f"  {best / mine:8.2f}" if best else "", *failures, sep="\n" if failures else "", flush=True)
    server.end()


if __name__ == "__main__":
    main()
