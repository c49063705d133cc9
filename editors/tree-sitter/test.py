"""Parses programs with the generated parser, and compares with what the compiler says of their syntax.

    pip install tree-sitter
    python3 editors/tree-sitter/test.py FEHU FOLDER...

A program that `fehu check-syntax` accepts must have no error in its tree, and nothing may be lost: the colours of
queries/highlights.scm must be found in it. What the compiler refuses may have any tree, but must have one.
"""

import ctypes
import pathlib
import subprocess
import sys
import tempfile

from tree_sitter import Language, Parser, Query

HERE = pathlib.Path(__file__).parent


def language(folder):
    """Compiles the parser, and loads it."""
    library = pathlib.Path(folder) / "futhark.so"
    source = HERE / "src"
    command = ["cc", "-O1", "-fPIC", "-shared", f"-I{source}", str(source / "parser.c"), "-o", str(library)]
    subprocess.run(command, check=True)
    function = ctypes.CDLL(str(library)).tree_sitter_futhark
    function.restype = ctypes.c_void_p
    capsule = ctypes.pythonapi.PyCapsule_New
    capsule.restype, capsule.argtypes = ctypes.py_object, [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
    return Language(capsule(function(), b"tree_sitter.Language", None))


def first_error(node):
    """The first place that the parser did not understand."""
    if node.is_error or node.is_missing:
        return node
    found = (first_error(child) for child in node.children if child.has_error)
    return next(found, None)


def main(fehu, folders):
    programs = sorted(path for folder in folders for path in pathlib.Path(folder).rglob("*.fut"))
    right, refused, wrong = 0, 0, []
    with tempfile.TemporaryDirectory() as folder:
        futhark = language(folder)
        parser = Parser(futhark)
        for query in sorted((HERE / "queries").glob("*.scm")):
            Query(futhark, query.read_text())
        for path in programs:
            tree = parser.parse(path.read_bytes())
            if subprocess.run([fehu, "check-syntax", str(path)], capture_output=True).returncode != 0:
                refused += 1
            elif tree.root_node.has_error:
                node = first_error(tree.root_node)
                row, column = node.start_point if node else (0, 0)
                wrong.append(f"{path}:{row + 1}:{column + 1}: {node.text.decode(errors='replace')[:60] if node else ''!r}")
            else:
                right += 1
    print("\n".join(wrong[:40]))
    print(f"{right} programs have trees without errors, {len(wrong)} do not; the compiler refuses {refused} others")
    return 1 if wrong or right == 0 else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2:]))
