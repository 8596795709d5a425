"""Three-input logic: the vector instructions emitted for each truth table and target, against the
least number that any program needs.

Comes in: one kernel of `lop3.b32` for each of the 256 truth tables, translated in the ordinary way.
Goes out: a table and build/bench-lop3.json. The least is found by exhaustive search, not read from
the table that the backend uses. A constant in a register takes one instruction.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import ptxlift
from benchmarks.lop3_search import INPUTS, least
from benchmarks.vector_count import vector_instructions
from ptxlift.target import Feature, Target, all_targets
from ptxlift.target.lop3 import LogicClass, logic_class

_HEAD = ".version 8.0\n.target sm_80\n.address_size 64\n"
_KERNEL = """.visible .entry {name}(.param .u64 memory) {{
.reg .b32 %r<6>; .reg .b64 %d<3>;
ld.param.u64 %d0, [memory]; mov.u32 %r0, %tid.x;
mul.wide.u32 %d1, %r0, 16; add.s64 %d2, %d0, %d1;
ld.global.u32 %r1, [%d2]; ld.global.u32 %r2, [%d2+4]; ld.global.u32 %r3, [%d2+8];
{logic}
st.global.u32 [%d2+12], %r4; ret; }}
"""


@dataclass(frozen=True, slots=True)
class Result:
    """One target. `lengths[lut]`: instructions emitted; `least[lut]`: what is needed."""

    target: str
    lengths: tuple[int, ...]
    least: tuple[int, ...]

    @property
    def above(self) -> dict[int, int]:
        """Truth tables that take more than they need, with the excess."""
        pairs = enumerate(zip(self.lengths, self.least, strict=True))
        return {lut: have - need for lut, (have, need) in pairs if have > need}


def program() -> str:
    """PTX of all kernels, and of one that copies an input."""
    kernels = [_KERNEL.format(name="none", logic="mov.b32 %r4, %r1;")]
    for lut in range(256):
        logic = f"lop3.b32 %r4, %r1, %r2, %r3, {lut};"
        kernels.append(_KERNEL.format(name=f"lut{lut}", logic=logic))
    return _HEAD + "".join(kernels)


@cache
def _lengths(unit: LogicClass) -> dict[int, int]:
    return least(unit)


def needed(lut: int, target: Target) -> int:
    """The fewest vector instructions; one beyond the search where it found none."""
    if lut in (INPUTS["0"], INPUTS["1"]):
        return 1
    length = _lengths(logic_class(target.features)).get(lut, 4)
    return min(length, 1) if target.has(Feature.V_BITOP3) else length


def measure(target: Target, text: str) -> Result:
    """Translates all kernels and counts."""
    counts = vector_instructions(ptxlift.lift(text, target.name).asm)
    lengths = tuple(counts[f"lut{lut}"] - counts["none"] for lut in range(256))
    return Result(target.name, lengths, tuple(needed(lut, target) for lut in range(256)))


def _row(result: Result, seconds: float) -> str:
    counts = Counter(result.lengths)
    spread = " ".join(f"{counts[n]:4}" for n in range(5))
    sums = f"{sum(result.lengths):5} {sum(result.least):5}"
    verdict = "all least" if not result.above else f"{len(result.above)} above: {result.above}"
    return f"{result.target:<16}{spread} {sums}  {verdict} ({seconds:.1f} s)"


def main(arguments: Sequence[str] | None = None) -> int:
    """Measures, prints, writes; 1 if anything is above the least."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("targets", nargs="*", help="all by default")
    names = parser.parse_args(arguments).targets
    chosen = [target for target in all_targets() if not names or target.name in names]
    text = program()
    print(f"{'target':<16}{'0':>4} {'1':>4} {'2':>4} {'3':>4} {'4':>4}   sum least")
    results = []
    for target in chosen:
        start = time.perf_counter()
        results.append(measure(target, text))
        print(_row(results[-1], time.perf_counter() - start), flush=True)
    out = Path("build/bench-lop3.json")
    out.parent.mkdir(exist_ok=True)
    rows = {r.target: {"emitted": r.lengths, "least": r.least} for r in results}
    out.write_text(json.dumps(rows), encoding="utf-8")
    return int(any(result.above for result in results))


if __name__ == "__main__":
    sys.exit(main())
