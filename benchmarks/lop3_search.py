"""Finds the shortest programs of all functions of three inputs: `python -m benchmarks.lop3_search`.

Comes in: what each bitwise instruction computes. Goes out: the least number of instructions for
each truth table by exhaustive search, and `ptxlift/target/lop3_table.py` with one such program
each. Of several, one is chosen that LLVM leaves as short as it is; where there is none, results are
pinned. The search knows no LLVM; only the choice compiles.
"""

from __future__ import annotations

import argparse
import itertools
import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from benchmarks.vector_count import vector_instructions
from ptxlift.llvm.amdgpu.logic import Spelling
from ptxlift.llvm.compile import run
from ptxlift.llvm.options import Job, Pipeline
from ptxlift.target.lop3 import LogicClass, LogicOp, Step
from ptxlift.target.model import TRIPLE

INPUTS = {"a": 0xF0, "b": 0xCC, "c": 0xAA, "0": 0x00, "1": 0xFF}
RESULTS = "pqr"
Table = NDArray[np.uint8]
_FUNCTIONS: dict[LogicOp, Callable[..., Table]] = {
    LogicOp.NOT: lambda x: ~x,
    LogicOp.AND: lambda x, y: x & y,
    LogicOp.OR: lambda x, y: x | y,
    LogicOp.XOR: lambda x, y: x ^ y,
    LogicOp.XNOR: lambda x, y: ~(x ^ y),
    LogicOp.MERGE: lambda x, y, z: (x & y) | (~x & z),
    LogicOp.AND_OR: lambda x, y, z: (x & y) | z,
    LogicOp.OR3: lambda x, y, z: x | y | z,
    LogicOp.XOR3: lambda x, y, z: x ^ y ^ z,
    LogicOp.AND_NOT: lambda x, y: x & ~y,
    LogicOp.OR_NOT: lambda x, y: x | ~y,
    LogicOp.NAND: lambda x, y: ~(x & y),
    LogicOp.NOR: lambda x, y: ~(x | y),
}
_ARITY = {LogicOp.NOT: 1, LogicOp.MERGE: 3, LogicOp.AND_OR: 3, LogicOp.OR3: 3, LogicOp.XOR3: 3}
_BOTH = (LogicOp.NOT, LogicOp.AND, LogicOp.OR, LogicOp.XOR)
_VECTOR = (*_BOTH, LogicOp.MERGE, LogicOp.AND_OR, LogicOp.OR3)
_SCALAR = (LogicOp.AND_NOT, LogicOp.OR_NOT, LogicOp.NAND, LogicOp.NOR, LogicOp.XNOR)
INSTRUCTIONS = {
    LogicClass.BASE: _VECTOR,
    LogicClass.XNOR: (*_VECTOR, LogicOp.XNOR),
    LogicClass.XOR3: (*_VECTOR, LogicOp.XNOR, LogicOp.XOR3),
    LogicClass.SCALAR: (*_BOTH, *_SCALAR),
}
_ORDERED = {
    LogicOp.NOT,
    LogicOp.MERGE,
    LogicOp.AND_NOT,
    LogicOp.OR_NOT,
}  # the order of operands matters; of AND_OR, the last
Program = tuple[Step, ...]


def evaluate(op: LogicOp, operands: Sequence[int]) -> int:
    """The truth table of one instruction over truth tables."""
    return int(_FUNCTIONS[op](*(np.uint8(x) for x in operands))) & 0xFF


def reachable(values: Sequence[int], unit: LogicClass) -> NDArray[np.bool_]:
    """Which truth tables one instruction makes of these."""
    found = np.zeros(256, np.bool_)
    tables = np.array(values, np.uint8)
    for op in INSTRUCTIONS[unit]:
        axes = np.ix_(*[tables] * _ARITY.get(op, 2))
        found[_FUNCTIONS[op](*axes).ravel()] = True
    return found


def least(unit: LogicClass, most: int = 3) -> dict[int, int]:
    """The fewest instructions for each truth table that `most` of them can make."""
    start = tuple(INPUTS.values())
    lengths = dict.fromkeys(start, 0)
    sets: set[frozenset[int]] = {frozenset()}
    for length in range(1, most + 1):
        following = set()
        for made in sets:
            for table in np.flatnonzero(reachable((*start, *made), unit)):
                lengths.setdefault(int(table), length)
                if length < most and int(table) not in start:
                    following.add(made | {int(table)})
        sets = following if length < most else set()
    return lengths


# ---- programs, for the table ----


def _applications(names: str, unit: LogicClass) -> Iterator[Step]:
    """Instructions over named values, but for those that a simpler instruction equals."""
    values = [name for name in names if name not in "01"]
    for op in INSTRUCTIONS[unit]:
        if op is LogicOp.MERGE:
            yield from _merges(values)
            continue
        for operands in itertools.permutations(values, _ARITY.get(op, 2)):
            free = operands if op not in _ORDERED else ()
            free = free[:2] if op is LogicOp.AND_OR else free
            if list(free) == sorted(free):
                yield Step(op, "".join(operands), False)


def _merges(values: Sequence[str]) -> Iterator[Step]:
    for mask in values:
        for one, other in itertools.permutations([*values, "0", "1"], 2):
            is_simple = one == "1" or other == "0" or one == mask or other == mask
            if not is_simple and (one, other) != ("0", "1"):
                yield Step(LogicOp.MERGE, mask + one + other, False)


class _Search:
    """Programs of one unit, found in an order that the seed gives."""

    def __init__(self, unit: LogicClass) -> None:
        self._unit = unit
        self._last: dict[frozenset[int], NDArray[np.bool_]] = {}

    def find(self, lut: int, length: int, seed: int) -> Program:
        """A program of that length whose results are all used."""
        return next(self._extend((), dict(INPUTS), lut, length, random.Random(seed)))

    def _extend(
        self, steps: Program, values: dict[str, int], lut: int, left: int, rng: random.Random
    ) -> Iterator[Program]:
        made = frozenset(values.values())
        if left == 1 and not self._reaches(made)[lut]:
            return
        candidates = list(_applications("".join(values), self._unit))
        rng.shuffle(candidates)
        for step in candidates:
            table = evaluate(step.op, [values[name] for name in step.operands])
            if left > 1 and table not in made:
                longer = {**values, RESULTS[len(steps)]: table}
                yield from self._extend((*steps, step), longer, lut, left - 1, rng)
            elif left == 1 and table == lut and _all_used((*steps, step)):
                yield (*steps, step)

    def _reaches(self, made: frozenset[int]) -> NDArray[np.bool_]:
        if made not in self._last:
            self._last[made] = reachable(sorted(made), self._unit)
        return self._last[made]


def _all_used(steps: Program) -> bool:
    used = {name for step in steps for name in step.operands}
    return used >= set(RESULTS[: len(steps) - 1])


def pinnings(steps: Program) -> Iterator[Program]:
    """The program with none, one or all of its intermediate results pinned."""
    inner = range(len(steps) - 1)
    choices = [(), *((i,) for i in inner), tuple(inner)]
    for pinned in dict.fromkeys(choices):
        yield tuple(replace(s, pinned=i in pinned) for i, s in enumerate(steps))


def encode(steps: Program) -> str:
    """A program as the table writes it."""
    return " ".join(s.op.value + s.operands + ("!" if s.pinned else "") for s in steps)


# ---- the choice among them: what LLVM leaves alone ----

_SAMPLES: dict[LogicClass, tuple[str, ...]] = {
    LogicClass.SCALAR: (),
    LogicClass.BASE: ("gfx900",),
    LogicClass.XNOR: ("gfx906", "gfx942"),
    LogicClass.XOR3: ("gfx1030", "gfx1100", "gfx1201"),
}
_SEEDS = 24  # programs tried without pins
_HEAD = """target triple = "amdgcn-amd-amdhsa"
declare i32 @llvm.amdgcn.workitem.id.x()
declare i32 @llvm.amdgcn.softwqm.i32(i32)
"""
_KERNEL = """define amdgpu_kernel void @{name}(ptr addrspace(1) %memory) {{
  %lane = call i32 @llvm.amdgcn.workitem.id.x()
  %offset = zext i32 %lane to i64
  %at_a = getelementptr [4 x i32], ptr addrspace(1) %memory, i64 %offset
  %at_b = getelementptr i32, ptr addrspace(1) %at_a, i64 1
  %at_c = getelementptr i32, ptr addrspace(1) %at_a, i64 2
  %out = getelementptr i32, ptr addrspace(1) %at_a, i64 3
  %a = load i32, ptr addrspace(1) %at_a
  %b = load i32, ptr addrspace(1) %at_b
  %c = load i32, ptr addrspace(1) %at_c
{lines}
  store i32 {result}, ptr addrspace(1) %out
  ret void
}}
"""


def _kernel(name: str, lut: int, steps: Program) -> str:
    lines: list[str] = []

    def let(expression: str) -> str:
        lines.append(f"  %t{len(lines)} = {expression}")
        return f"%t{len(lines) - 1}"

    def pin(text: str) -> str:
        return let(f"call i32 @llvm.amdgcn.softwqm.i32(i32 {text})")

    result = Spelling(let, pin).write(steps, lut, ("%a", "%b", "%c"), pins=True)
    return _KERNEL.format(name=name, lines="\n".join(lines), result=result)


def emitted(candidates: dict[int, Program], chip: str, pipeline: Pipeline) -> dict[int, int]:
    """The vector instructions that LLVM emits for each program."""
    text = _HEAD + _kernel("none", INPUTS["a"], ())
    text += "".join(_kernel(f"lut{lut}", lut, steps) for lut, steps in candidates.items())
    job = Job("lop3", text, TRIPLE, chip, "", 2, pipeline, want_asm=True)
    counts = vector_instructions(run(job).asm)
    return {lut: counts[f"lut{lut}"] - counts["none"] for lut in candidates}


def survivors(candidates: dict[int, Program], unit: LogicClass) -> dict[int, Program]:
    """Those that stay as short as they are, on every sample and through every pipeline."""
    for chip in _SAMPLES[unit]:
        for pipeline in Pipeline:
            counts = emitted(candidates, chip, pipeline)
            candidates = {lut: p for lut, p in candidates.items() if counts[lut] <= len(p)}
    return candidates


def choose(unit: LogicClass) -> dict[int, Program]:
    """A shortest program for every truth table."""
    lengths, search = least(unit), _Search(unit)
    lengths |= {lut: 4 for lut in range(256) if lut not in lengths}  # one more than was searched
    chosen: dict[int, Program] = dict.fromkeys(INPUTS.values(), ())
    for seed in range(_SEEDS):
        missing = [lut for lut in range(256) if lut not in chosen]
        chosen |= survivors({lut: search.find(lut, lengths[lut], seed) for lut in missing}, unit)
    for seed, variant in itertools.product(range(_SEEDS), range(4)):
        missing = [lut for lut in range(256) if lut not in chosen]
        found = {lut: list(pinnings(search.find(lut, lengths[lut], seed))) for lut in missing}
        chosen |= survivors({lut: p[min(variant, len(p) - 1)] for lut, p in found.items()}, unit)
    assert len(chosen) == 256, "LLVM lengthens some program however it is written"
    return chosen


# ---- the table ----

_TABLE = Path(__file__).parent.parent / "ptxlift/target/lop3_table.py"
_INTRODUCTION = '''"""Shortest programs of all functions of three inputs, by truth table and unit.

Comes in: nothing. Goes out: `ROWS`. The columns are those of `lop3.LogicClass`, the letters those
of `lop3.LogicOp` and `lop3.Step`. `python -m benchmarks.lop3_search --write` makes this file; a
test proves by search that no program is shorter.
"""

from __future__ import annotations

# fmt: off
ROWS: tuple[tuple[str, str, str, str], ...] = (
'''


def table() -> str:
    """The text of the table's module."""
    columns = [choose(unit) for unit in LogicClass]
    widths = [max(len(encode(p)) for p in column.values()) + 3 for column in columns]
    lines = [_INTRODUCTION]
    for lut in range(256):
        cells = [f'"{encode(column[lut])}",' for column in columns]
        padded = " ".join(c.ljust(width) for c, width in zip(cells, widths, strict=True))
        lines.append(f"    ({padded.rstrip().removesuffix(',')}),  # {lut:#04x}\n")
    return "".join([*lines, ")\n# fmt: on\n"])


def main() -> None:
    """Counts, and writes the table if asked to."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", action="store_true", help="compile candidates, write the table")
    if parser.parse_args().write:
        _TABLE.write_text(table(), encoding="utf-8")
    for unit in LogicClass:
        lengths = list(least(unit).values())
        counts = ", ".join(f"{lengths.count(n)} in {n}" for n in range(4))
        print(f"{unit.name}: {counts}, {256 - len(lengths)} in more")


if __name__ == "__main__":
    main()
