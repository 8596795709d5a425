"""Runs the vectors as machine code: `python tests/vectors/chips.py`, or `make vectors`.

Comes in: vector files. Goes out: what differs from NVIDIA's results, by section and chip. A section
is a kernel that loads its operands, one thread a vector.
"""

from __future__ import annotations

import argparse
import math
import struct
import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from nearness import is_near
from vector_file import Section, read, width

import ptxlift

HERE = Path(__file__).resolve().parent
TARGETS = ("gfx90a", "gfx942", "gfx950", "gfx1030", "gfx1100", "gfx1201")
_SLOT = 8  # bytes of an operand or result in memory
_BLOCK = 64
_DECLARATIONS = (
    ".reg .pred %p<9>; .reg .b8 %c<9>; .reg .b16 %h<9>; .reg .b32 %r<9>; .reg .b64 %d<9>;"
)
_LETTERS = {1: "p", 8: "c", 16: "h", 32: "r", 64: "d"}


def _register(operand: str, number: int) -> str:
    return f"%{_LETTERS[width(operand)]}{number}"


def _load(operand: str, number: int) -> str:
    if operand == "p":
        word = f"ld.global.u32 %r{number}, [%in+{_SLOT * number}];"
        return f"{word} setp.ne.b32 %p{number}, %r{number}, 0;"
    return f"ld.global.b{width(operand)} {_register(operand, number)}, [%in+{_SLOT * number}];"


def _store(operand: str, number: int, place: int) -> str:
    name = _register(operand, number)
    if operand == "p":
        return (
            f"selp.b32 %r{number}, 1, 0, {name}; st.global.u32 [%out+{_SLOT * place}], %r{number};"
        )
    return f"st.global.b{width(operand)} [%out+{_SLOT * place}], {name};"


def kernel(section: Section) -> str:
    """PTX of a section."""
    sources, results = section.signature.sources, section.signature.results
    constants = section.vectors[0].inputs
    operands, loads = [], []
    for number, (operand, value) in enumerate(zip(sources, constants, strict=True)):
        if operand.startswith("#"):
            operands.append(f"0x{value:x}")
        else:
            operands.append(_register(operand, number))
            loads.append(_load(operand, number))
    first = len(sources)
    names = [_register(operand, first + i) for i, operand in enumerate(results)]
    stores = [_store(operand, first + i, i) for i, operand in enumerate(results)]
    return "\n".join(
        [
            ".version 9.0\n.target sm_120a\n.address_size 64",
            ".visible .entry k(.param .u64 inputs, .param .u64 results) {",
            f"{_DECLARATIONS} .reg .b64 %in, %out, %at; .reg .b32 %t, %n;",
            "ld.param.u64 %in, [inputs]; ld.param.u64 %out, [results];",
            "mov.u32 %t, %ctaid.x; mov.u32 %n, %tid.x; mad.lo.u32 %t, %t, 64, %n;",
            f"mul.wide.u32 %at, %t, {_SLOT * len(sources)}; add.u64 %in, %in, %at;",
            f"mul.wide.u32 %at, %t, {_SLOT * len(results)}; add.u64 %out, %out, %at;",
            *loads,
            f"{section.opcode} {'|'.join(names)}, {', '.join(operands)};",
            *stores,
            "ret; }",
        ]
    )


# A NaN that these compute may be any quiet one, by the manual; NVIDIA's chips give 7fff...
_COMPUTING = frozenset(
    ["add", "sub", "mul", "fma", "mad", "div", "rcp", "rsqrt", "sqrt", "ex2", "lg2", "tanh"]
)
_FORMATS = ("f64", "f32", "bf16", "f16")


def tolerance_of(section: Section) -> str:
    """The section's own, else any NaN for the NaN of a float computation."""
    opcode, *modifiers = section.opcode.split(".")
    if section.tolerance or opcode not in _COMPUTING or modifiers[-1] not in _FORMATS:
        return section.tolerance
    return f"nan {modifiers[-1]}"


# How the chips flush what lies less than one unit below the smallest normal number, in kernels
# that flush as a whole, is not documented: they may round it up first.
_OPEN = {"mul.rn.ftz.f32": [(0x3EFFFFFF, 0x81000000)]}


def is_defined(section: Section, inputs: tuple[int, ...]) -> bool:
    """Whether the result is known: of sines the manual's bound is the section's within 2 pi."""
    if section.opcode.split(".")[0] not in ("sin", "cos"):
        return inputs not in _OPEN.get(section.opcode, [])
    (angle,) = struct.unpack("<f", struct.pack("<I", inputs[0]))
    return not math.isfinite(angle) or abs(angle) <= 2 * math.pi


def differences(section: Section, target: str) -> list[str]:
    """The vectors whose results are not NVIDIA's."""
    rows = [vector.inputs for vector in section.vectors]
    blocks = -(-len(rows) // _BLOCK)
    rows += [rows[0]] * (blocks * _BLOCK - len(rows))
    results = np.zeros((len(rows), len(section.signature.results)), np.uint64)
    inputs = np.array(rows, np.uint64)
    ptxlift.run(
        kernel(section), "k", (blocks, 1, 1), (_BLOCK, 1, 1), [inputs, results], target=target
    )
    wrong, tolerance = [], tolerance_of(section)
    for vector, got in zip(section.vectors, results.tolist(), strict=False):
        pairs = zip(got, vector.results, strict=True)
        near = all(is_near(have, want, tolerance) for have, want in pairs)
        if not near and is_defined(section, vector.inputs):
            words = " ".join(f"{value:x}" for value in vector.inputs)
            wrong.append(
                f"{words} -> {[hex(v) for v in got]}, not {[hex(v) for v in vector.results]}"
            )
    return wrong


def main(arguments: Sequence[str] | None = None) -> int:
    """Exit 1 if any vector differs."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--targets", default=" ".join(TARGETS))
    parser.add_argument("--only", default="", help="part of a file's name")
    options = parser.parse_args(arguments)
    files = [p for p in sorted(HERE.glob("*/*.txt")) if options.only in p.name]
    failed = 0
    for target in options.targets.split():
        sections = vectors = 0
        for section in (section for path in files for section in read(path)):
            sections, vectors = sections + 1, vectors + len(section.vectors)
            wrong = differences(section, target)
            failed += len(wrong)
            if wrong:
                print(f"{target} {section.opcode}: {len(wrong)} differ; {wrong[0]}", flush=True)
        print(f"{target}: {vectors:,} vectors of {sections} instructions", flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
