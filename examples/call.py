"""Calls the entry point of dot.fut from Python, with nothing but the standard library.

fehu c --library examples/dot.fut -o dot
cc -O2 -shared -fPIC dot.c -lm -o libdot.so
"""

import ctypes
import os

dot = ctypes.CDLL(os.path.abspath("libdot.so"))
pointer = ctypes.c_void_p
for name in ("context_config_new", "context_new", "new_f64_1d"):
    getattr(dot, "futhark_" + name).restype = pointer
dot.futhark_context_get_error.restype = ctypes.c_char_p

config = pointer(dot.futhark_context_config_new())
context = pointer(dot.futhark_context_new(config))


def array(values):
    """An array of the program's, with these elements. Free it when it is no longer needed."""
    data = (ctypes.c_double * len(values))(*values)
    return pointer(dot.futhark_new_f64_1d(context, data, ctypes.c_int64(len(values))))


xs, ys = array([1.0, 2.0]), array([3.0, 4.0])
result = ctypes.c_double()
if dot.futhark_entry_main(context, ctypes.byref(result), xs, ys) or dot.futhark_context_sync(context):
    raise SystemExit(dot.futhark_context_get_error(context).decode())
print(result.value)

for values in (xs, ys):
    dot.futhark_free_f64_1d(context, values)
dot.futhark_context_free(context)
dot.futhark_context_config_free(config)
