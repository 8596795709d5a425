"""Text to LLVM IR, without LLVM's passes: instructions a CPU second, by stage.

The program is generated: kernels of loads, integer and float arithmetic, compares and branches in
the mix that nvcc writes. Goal: 40,000 instructions/s. Prints a table, writes
build/bench-frontend.json.
"""

from __future__ import annotations

import argparse
import itertools
import json
import random
import time
from pathlib import Path

from ptxlift.driver.options import Options
from ptxlift.driver.units import Request, split_units
from ptxlift.lifter.module import lift_program
from ptxlift.ptx import check
from ptxlift.syntax import parse
from ptxlift.target import lookup

_HEAD = ".version 8.0\n.target sm_80\n.address_size 64\n"
_STEPS = (
    "add.s32 %r{d}, %r{a}, %r{b};",
    "mad.lo.s32 %r{d}, %r{a}, %r{b}, %r{c};",
    "shl.b32 %r{d}, %r{a}, {k};",
    "and.b32 %r{d}, %r{a}, {m};",
    "fma.rn.f32 %f{d}, %f{a}, %f{b}, %f{c};",
    "mul.f32 %f{d}, %f{a}, 0f3F000000;",
    "add.f32 %f{d}, %f{a}, %f{b};",
    "mul.wide.s32 %rd{d}, %r{a}, 4;",
    "add.s64 %rd{d}, %rd1, %rd{a};",
    "ld.global.f32 %f{d}, [%rd1+{o}];",
    "st.global.f32 [%rd1+{o}], %f{a};",
    "setp.lt.s32 %p{p}, %r{a}, %r{b};",
    "selp.b32 %r{d}, %r{a}, %r{b}, %p{p};",
    "cvt.rn.f32.s32 %f{d}, %r{a};",
    "xor.b32 %r{d}, %r{a}, %r{b};",
)


def program(kernels: int, length: int) -> str:
    """PTX text of so many kernels with so many instructions each."""
    rng = random.Random(1)
    return _HEAD + "".join(_kernel(number, length, rng) for number in range(kernels))


def _kernel(number: int, length: int, rng: random.Random) -> str:
    lines = [f".visible .entry k{number}(.param .u64 k{number}_p) {{"]
    lines += [f".reg .b32 %r<{length + 9}>;", f".reg .f32 %f<{length + 9}>;"]
    lines += [f".reg .b64 %rd<{length + 9}>;", ".reg .pred %p<9>;"]
    lines += [f"ld.param.u64 %rd1, [k{number}_p];", "mov.u32 %r1, %tid.x;"]
    lines += [f"mov.b32 %r{i}, {i};" for i in range(2, 9)]
    lines += [f"mov.f32 %f{i}, 0f3F80000{i};" for i in range(1, 9)]
    lines += [f"mov.u64 %rd{i}, {i};" for i in range(2, 9)]
    lines += [f"setp.eq.s32 %p{i}, %r1, {i};" for i in range(1, 9)]
    for at in range(9, length + 9):
        a, b, c = (rng.randint(max(1, at - 30), at - 1) for _ in range(3))
        lines.append(_step(at, a, b, c, rng))
        if at % 40 == 0:
            lines += [f"@%p{rng.randint(1, 8)} bra $L{number}_{at};", f"$L{number}_{at}:"]
    return "\n".join([*lines, "ret;", "}", ""])


def _step(at: int, a: int, b: int, c: int, rng: random.Random) -> str:
    text = rng.choice(_STEPS)
    filled = text.format(
        d=at, a=a, b=b, c=c, k=rng.randint(1, 31), m=rng.getrandbits(20), o=4 * a, p=1 + at % 8
    )
    kind = filled.split()[1][1:].rstrip(f"{at},") if "%" in filled else ""
    others = [f"mov.{t} %{k}{at}, {v};" for k, t, v in _FILL if k != kind]
    return " ".join([filled, *others])


_FILL = (("r", "b32", "7"), ("f", "f32", "0f40000000"), ("rd", "u64", "64"))


def main() -> None:
    """Measures and prints."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kernels", type=int, default=10)
    parser.add_argument("--length", type=int, default=1000)
    options = parser.parse_args()
    text = program(options.kernels, options.length)
    spec = lookup("gfx942")
    marks = [time.process_time()]
    tree = parse(text)
    marks.append(time.process_time())
    module = check(tree)
    marks.append(time.process_time())
    lifted = lift_program([module])
    marks.append(time.process_time())
    units = split_units(Request(lifted.module, spec, Options())).units
    marks.append(time.process_time())
    count = sum(len(f.body or ()) for f in module.functions.values())
    stages = dict(zip(("parse", "check", "lift", "emit"), _steps(marks), strict=True))
    print(f"{count} instructions, {text.count(chr(10))} lines, {len(units)} units")
    for name, seconds in stages.items():
        print(f"{name:<8}{seconds:8.3f} s {1e6 * seconds / count:8.2f} us/instruction")
    rate = count / (marks[-1] - marks[0])
    print(f"total {rate:,.0f} instructions/s (goal 40,000)")
    out = Path("build/bench-frontend.json")
    out.parent.mkdir(exist_ok=True)
    out.write_text(json.dumps({"instructions": count, "rate": rate, **stages}))


def _steps(marks: list[float]) -> list[float]:
    return [after - before for before, after in itertools.pairwise(marks)]


if __name__ == "__main__":
    main()
