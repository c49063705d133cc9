"""A Python program that uses a generated library through its manifest.

Usage: use.py LIBRARY.so MANIFEST.json
"""
import ctypes
import json
import sys
import threading

SCALARS = {
    "i8": ctypes.c_int8, "i16": ctypes.c_int16, "i32": ctypes.c_int32, "i64": ctypes.c_int64,
    "u8": ctypes.c_uint8, "u16": ctypes.c_uint16, "u32": ctypes.c_uint32, "u64": ctypes.c_uint64,
    "f32": ctypes.c_float, "f64": ctypes.c_double, "bool": ctypes.c_bool,
}


class Failure(Exception):
    """The program failed; the message is the library's."""


class Program:
    """A context, with entry points called by name."""

    def __init__(self, library, manifest):
        self.lib, self.manifest = ctypes.CDLL(library), manifest
        for name in ("context_config_new", "context_new", "context_get_error"):
            getattr(self.lib, "futhark_" + name).restype = ctypes.c_void_p
        self.cfg = ctypes.c_void_p(self.lib.futhark_context_config_new())
        self.ctx = ctypes.c_void_p(self.lib.futhark_context_new(self.cfg))

    def check(self, code):
        if code != 0:
            address = self.lib.futhark_context_get_error(self.ctx)
            message = ctypes.string_at(address).decode()
            ctypes.CDLL(None).free(ctypes.c_void_p(address))
            raise Failure(message)

    def array(self, type_name, values):
        t = self.manifest["types"][type_name]
        new = getattr(self.lib, t["ops"]["new"])
        new.restype = ctypes.c_void_p
        data = (SCALARS[t["elemtype"]] * len(values))(*values)
        return ctypes.c_void_p(new(self.ctx, data, ctypes.c_int64(len(values))))

    def values(self, type_name, array):
        t = self.manifest["types"][type_name]
        shape = getattr(self.lib, t["ops"]["shape"])
        shape.restype = ctypes.POINTER(ctypes.c_int64)
        out = (SCALARS[t["elemtype"]] * shape(self.ctx, array)[0])()
        self.check(getattr(self.lib, t["ops"]["values"])(self.ctx, array, out))
        self.check(self.lib.futhark_context_sync(self.ctx))
        return list(out)

    def call(self, entry, *args):
        e = self.manifest["entry_points"][entry]
        assert e["outputs"] == [e["output"]], "both generations of bindings read the same"
        out_type = e["output"]["type"]
        out = SCALARS.get(out_type, ctypes.c_void_p)()
        converted = [SCALARS[i["type"]](a) if i["type"] in SCALARS else a for i, a in zip(e["inputs"], args)]
        self.check(getattr(self.lib, e["cfun"])(self.ctx, ctypes.byref(out), *converted))
        self.check(self.lib.futhark_context_sync(self.ctx))
        return out.value if out_type in SCALARS else out

    def project(self, type_name, value, field):
        f = next(f for f in self.manifest["types"][type_name]["record"]["fields"] if f["name"] == field)
        out = SCALARS[f["type"]]()
        self.check(getattr(self.lib, f["project"])(self.ctx, ctypes.byref(out), value))
        return out.value

    def free(self, type_name, value):
        self.check(getattr(self.lib, self.manifest["types"][type_name]["ops"]["free"])(self.ctx, value))

    def close(self):
        self.lib.futhark_context_free(self.ctx)
        self.lib.futhark_context_config_free(self.cfg)


def work(library, manifest, factor, failures):
    try:
        p = Program(library, manifest)
        xs = p.array("[]f64", [1.0, 2.0, 3.0])
        ys = p.call("scale", factor, xs)
        assert p.values("[]f64", ys) == [factor, 2 * factor, 3 * factor]
        stats = p.call("summary", ys)
        assert p.project("stats", stats, "count") == 3
        assert p.project("stats", stats, "mean") == 2 * factor
        numbers = p.array("[]i32", [4, 5])
        assert p.call("pick", numbers, 1) == 5
        try:
            p.call("pick", numbers, 2)
            raise AssertionError("an index out of bounds must fail")
        except Failure as failure:
            assert "Index [2] out of bounds for array of shape [2]." in str(failure)
        for t, v in (("[]f64", xs), ("[]f64", ys), ("stats", stats), ("[]i32", numbers)):
            p.free(t, v)
        p.close()
    except BaseException as e:  # handed to the main thread
        failures.append(e)


def main():
    library = sys.argv[1]
    with open(sys.argv[2]) as f:
        manifest = json.load(f)
    failures = []
    threads = [threading.Thread(target=work, args=(library, manifest, k, failures)) for k in (2.0, 3.0)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    if failures:
        raise failures[0]
    print("fine")


main()
