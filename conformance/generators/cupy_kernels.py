"""PTX of CuPy's elementwise kernels: their texts, put into loops as CuPy does it.

Run by the scratch environment's Python with the unpacked package and the output folder. Kernels
whose text is put together at run time are left out; the modules CuPy holds as whole texts are made
by `source_strings`, which this one runs too.
"""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterator
from pathlib import Path

import source_strings
from nvrtc import CompileError, compile_text, cuda_headers
from order import first, spread

TYPES = {
    "bool": "bool",
    "int8": "signed char",
    "uint8": "unsigned char",
    "int16": "short",
    "uint16": "unsigned short",
    "int32": "int",
    "uint32": "unsigned int",
    "int64": "long long",
    "uint64": "unsigned long long",
    "float16": "float16",
    "float32": "float",
    "float64": "double",
    "complex64": "complex<float>",
    "complex128": "complex<double>",
}
LETTERS = (("float", "int"), ("double", "long long"), ("int", "unsigned int"))
HEADER = """
#include <cupy/complex.cuh>
#include <cupy/carray.cuh>
#include <cupy/atomics.cuh>
#include <cupy/math_constants.h>
"""


def calls(path: Path) -> Iterator[list[str]]:
    """The literal arguments of every call that makes an elementwise kernel."""
    text = path.read_text(errors="replace")
    for found in re.finditer(r"\bElementwiseKernel\(", text):
        depth, at = 1, found.end()
        while depth and at < len(text):
            depth += {"(": 1, ")": -1}.get(text[at], 0)
            at += 1
        try:
            tree = ast.parse("f(" + text[found.end() : at], mode="eval")
            call = tree.body
            assert isinstance(call, ast.Call)
            values = [ast.literal_eval(argument) for argument in call.args]
            values += [""] * (4 - len(values))
            named = {word.arg: ast.literal_eval(word.value) for word in call.keywords}
        except (SyntaxError, ValueError, AssertionError):
            continue
        if all(isinstance(value, str) for value in values[:4]):
            yield [*values[:4], str(named.get("preamble", "")), str(named.get("loop_prep", ""))]


def c_type(name: str, letters: tuple[str, str]) -> str:
    """C's name of a parameter's type; a letter stands for any."""
    if name in TYPES:
        return TYPES[name]
    return letters[1] if name in "IJSU" else letters[0]


def source(call: list[str], letters: tuple[str, str]) -> str:
    """The whole text of one kernel."""
    inputs, outputs, body, name, preamble, prepare = call
    params, names, typedefs = [], [], {}
    for text in [p for group in (inputs, outputs) for p in group.split(",") if p.strip()]:
        words = text.split()
        kind, name_ = c_type(words[-2], letters), words[-1]
        if words[-2] not in TYPES:
            typedefs[words[-2]] = kind
        if words[0] == "raw":
            params.append(f"CArray<{kind}, 1, 1, 1> {name_}")
        else:
            params.append(f"CArray<{kind}, 1, 1, 1> _raw_{name_}")
            names.append(f"{kind} &{name_} = _raw_{name_}[_ind.get()];")
    defined = "\n".join(f"typedef {kind} {letter};" for letter, kind in typedefs.items())
    return f"""{HEADER}{defined}
{preamble}
extern "C" __global__ void {name or "kernel"}({", ".join([*params, "CIndexer<1, 1> _ind"])}) {{
  {prepare};
  #pragma unroll 1
  CUPY_FOR(i, _ind.size()) {{
    _ind.set(i);
    {" ".join(names)}
    {body};
  }}
}}
"""


def compiled(root: Path) -> Iterator[tuple[str, str]]:
    """Names and PTX of kernels for all types."""
    include = root / "cupy" / "_core" / "include"
    options = (f"-I{include}", f"-I{include}/cupy/_cccl/libcudacxx", f"-I{cuda_headers()}")
    options += tuple(f"-I{path}" for path in include.glob("cupy/_cccl/*"))
    files = [path.relative_to(root) for path in (*root.rglob("*.py"), *root.rglob("*.pyx"))]
    for path in spread(files):
        for number, call in enumerate(calls(root / path)):
            for letters in LETTERS:
                name = f"{path.stem}-{call[3] or number}-{letters[0].replace(' ', '_')}"
                try:
                    made = compile_text(source(call, letters), f"{name}.cu", options)
                except CompileError as error:
                    print(f"{name}: {error}")
                    continue
                yield name, made


def main(root: Path, folder: Path, limit: int) -> None:
    for name, text in first(compiled(root), limit):
        (folder / f"{name}.ptx").write_text(text)
    source_strings.main(root, folder, limit)


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]), int(sys.argv[3]))
