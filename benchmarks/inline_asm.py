"""Inline PTX statements raised per second, warm, each different from all others.

Comes in: nothing. Prints a table; `--json FILE` writes the figures too. The goal is 1,000
statements of three instructions a second of processor time. The first statements are not counted:
they load the grammar.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path

import ptxlift

GOAL = 1000  # statements a second
WARM_UP = 50
TEMPLATE = (
    "{{ .reg .b32 t; xor.b32 t, %1, {0}; mad.lo.u32 t, t, %2, %1; shf.l.wrap.b32 %0, t, t, {1}; }}"
)
VECTOR = (
    "ld.global.nc.v2.f32 {{%0, %1}}, [%2+{0}]; fma.rn.f32 %0, %0, %3, %1;\n"
    "mul.f32 %1, %1, %3; // {1}"
)
CARRIES = "add.cc.u32 %0, %2, {0}; addc.cc.u32 %1, %3, {1}; addc.u32 %1, %1, 0;"
STATEMENTS = {  # name: template, constraints, types
    "integers": (TEMPLATE, "=r,r,r", ["i32"] * 3),
    "loads and floats": (VECTOR, "=f,=f,l,f", ["float", "float", "ptr addrspace(1)", "float"]),
    "carry chain": (CARRIES, "=r,=r,r,r", ["i32"] * 4),
}


@dataclass(frozen=True, slots=True)
class Figure:
    """Statements a second."""

    name: str
    per_second: float


def rate(count: int, action: Callable[[int], object]) -> float:
    """The best of three runs."""
    best = 0.0
    for run in range(3):
        start = time.process_time()
        for number in range(count):
            action(count * run + number)
        best = max(best, count / (time.process_time() - start))
    return best


def alone(name: str, number: int) -> None:
    """Raises one statement."""
    template, constraints, types = STATEMENTS[name]
    text = template.format(4 * number, number % 31)
    made = ptxlift.raise_inline_asm(text, constraints, types, target="gfx942")
    assert made.llvm_ir


def module_of(count: int, base: int) -> str:
    """An LLVM module with many different statements."""
    lines = ['target triple = "amdgcn-amd-amdhsa"', "define i32 @f(i32 %a, i32 %b) {"]
    for number in range(count):
        text = TEMPLATE.format(base + number, number % 31).replace("%", "$")
        lines.append(f'  %x{number} = call i32 asm "{text}", "=r,r,r"(i32 %a, i32 %b)')
    return "\n".join([*lines, "  ret i32 %x0", "}", ""])


def measure(count: int) -> list[Figure]:
    """All figures."""
    figures = []
    for name in STATEMENTS:
        rate(WARM_UP, lambda number, name=name: alone(name, -number - 1000))
        figures.append(Figure(name, rate(count, lambda number, name=name: alone(name, number))))
    start = time.process_time()
    ptxlift.lift_inline_asm(module_of(count, 10**6), "gfx942")
    figures.append(Figure("in one module", count / (time.process_time() - start)))
    return figures


def main() -> None:
    """Measures, prints, writes."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=500, help="statements a run")
    parser.add_argument("--json", type=Path, help="also write the figures here")
    arguments = parser.parse_args()
    figures = measure(arguments.count)
    print(f"{'statements of three instructions':<34}{'per second':>12}")
    for figure in figures:
        mark = "" if figure.per_second >= GOAL else f"  below the goal of {GOAL}"
        print(f"{figure.name:<34}{figure.per_second:>12,.0f}{mark}")
    if arguments.json:
        arguments.json.write_text(json.dumps([asdict(f) for f in figures], indent=2) + "\n")


if __name__ == "__main__":
    main()
