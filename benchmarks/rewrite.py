"""The rewriter alone: IR ops a second, on code where nothing fits and on code where much does.

Comes in: generated PTX, lifted. Goes out: a table and build/bench-rewrite.json. Goal: 60,000 ops/s.
"""

from __future__ import annotations

import argparse
import gc
import json
import time
from collections.abc import Callable
from pathlib import Path

from benchmarks.frontend import program as mixed_program
from ptxlift import ptx
from ptxlift.cli import COLLECTIONS
from ptxlift.lifter.module import lift_program
from ptxlift.rewrite.driver import Log
from ptxlift.rewrite.passes import rewrite_module
from ptxlift.target import lookup

_HEAD = ".version 8.0\n.target sm_80\n.address_size 64\n"
_TARGETS = ("gfx942", "gfx950", "gfx1100")
# A round of SHA-256, a limb of a wide product, a byte permute, shifts: registers by offset.
_RICH = (
    "and.b32 %r{0}, %r{1}, %r{2}; and.b32 %r{3}, %r{1}, %r{4}; and.b32 %r{5}, %r{2}, %r{4};",
    "xor.b32 %r{0}, %r{0}, %r{3}; xor.b32 %r{0}, %r{0}, %r{5};",
    "mad.lo.cc.u32 %r{1}, %r{2}, %r{3}, %r{1}; madc.hi.u32 %r{4}, %r{2}, %r{3}, %r{4};",
    "prmt.b32.f4e %r{2}, %r{3}, %r{4}, %r{5}; shf.l.clamp.b32 %r{3}, %r{4}, %r{5}, %r{0};",
    "shl.b32 %r{5}, %r{5}, %r{1};",
)


def _plain_program(length: int) -> str:
    """Memory and arithmetic that no rule knows."""
    lines = [
        f"ld.global.u32 %r{i % 8}, [%d0+{4 * i}];"
        f" add.u32 %r{(i + 1) % 8}, %r{i % 8}, %r{i * 5 % 8};"
        f" st.global.u32 [%d0+{4 * i}], %r{(i + 1) % 8};"
        for i in range(length // 3)
    ]
    return _kernel(lines)


def _rich_program(length: int) -> str:
    lines = []
    for i in range(length // 11):
        places = [(i * 3 + j) % 8 for j in range(6)]
        lines += [line.format(*places) for line in _RICH]
    lines += [f"st.global.u32 [%d0+{4 * i}], %r{i};" for i in range(8)]
    return _kernel(lines)


def _kernel(lines: list[str]) -> str:
    loads = "".join(f"ld.global.u32 %r{i}, [%d0+{4 * i}];" for i in range(8))
    start = f".reg .b32 %r<8>; .reg .b64 %d<1>; ld.param.u64 %d0, [memory]; {loads}"
    body = "\n".join([start, *lines])
    return f"{_HEAD}.visible .entry k(.param .u64 memory)\n{{\n{body}\nret;\n}}\n"


_PROGRAMS: dict[str, Callable[[int], str]] = {
    "nothing fits": _plain_program,
    "nvcc's mix": lambda length: mixed_program(length // 1000, 1000),
    "much fits": _rich_program,
}


def measure(text: str, target: str, repeats: int = 3) -> tuple[int, int, float]:
    """Ops, fires and the least seconds."""
    module = lift_program([ptx.parse_module(text, "bench")]).module
    features = lookup(target).target.features
    count = sum(1 for function in module.functions.values() for _ in function.ops())
    best, log = float("inf"), Log()
    for _ in range(repeats):
        log = Log()
        start = time.perf_counter()
        rewrite_module(module, features, log)
        best = min(best, time.perf_counter() - start)
    return count, len(log.fires), best


def main() -> None:
    """Measures and prints."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--length", type=int, default=10_000)
    length = parser.parse_args().length
    gc.set_threshold(*COLLECTIONS)  # as the command has it
    results = {}
    print(f"{'program':<14}{'target':<9}{'ops':>8}{'fires':>8}{'ops/s':>12}")
    for name, write in _PROGRAMS.items():
        for target in _TARGETS:
            ops, fires, seconds = measure(write(length), target)
            print(f"{name:<14}{target:<9}{ops:>8}{fires:>8}{ops / seconds:>12,.0f}")
            results[f"{name}, {target}"] = {"ops": ops, "fires": fires, "rate": ops / seconds}
    out = Path("build/bench-rewrite.json")
    out.parent.mkdir(exist_ok=True)
    out.write_text(json.dumps(results), encoding="utf-8")


if __name__ == "__main__":
    main()
