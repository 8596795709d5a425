"""Translates every example for two chips, runs the code in the emulator and compares it with numpy.

`make demo` runs it: one line a kernel and target, then a summary. Exit 1 if a result is wrong.
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path

from rich.console import Console

import ptxlift

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests" / "corpus"))

from cases import ALL_CASES
from cases.model import Case, check_results, copy_inputs

HEADER = f"{'kernel':<26}{'target':<9}{'PTX lines':>10}{'instructions':>14}{'VGPRs':>7}{'SGPRs':>7}"


def run_case(case: Case, target: str) -> tuple[str, bool]:
    """One line of the table, and whether the result was right."""
    text = case.ptx_files()[0].read_text()
    try:
        program = ptxlift.lift(text, target, name=case.source)
        before = case.inputs()
        after = copy_inputs(before)
        ptxlift.run(program, case.kernel, case.grid, case.block, after, shared=case.shared)
        check_results(case, before, after, case.tolerance)
    except (ptxlift.PtxError, AssertionError) as error:
        first = str(error).strip().splitlines()[0]
        return f"{case.name:<26}{target:<9}{first}", False
    kernel = program.kernels[case.kernel]
    count = sum(line.startswith("\t") for line in program.listing.splitlines())
    numbers = f"{count:>14}{kernel.vgprs:>7}{kernel.sgprs:>7}"
    lines = text.count("\n")
    return f"{case.name:<26}{target:<9}{lines:>10}{numbers}  equals numpy", True


def main() -> int:
    """Runs the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--targets", default="gfx942,gfx1100")
    parser.add_argument("--only", help="part of the names of the examples to run")
    options = parser.parse_args()
    console = Console(highlight=False, soft_wrap=True)
    cases = [case for case in ALL_CASES if not options.only or options.only in case.name]
    targets = options.targets.split(",")
    start = time.perf_counter()
    console.print(HEADER + "  result")
    right = 0
    for case in cases:
        for target in targets:
            line, good = run_case(case, target)
            right += good
            console.print(line, style=None if good else "red", markup=False)
    wall = time.perf_counter() - start
    total = len(cases) * len(targets)
    console.print(f"{right} of {total} kernels translated and right, in {wall:.0f} s")
    return 0 if right == total else 1


if __name__ == "__main__":
    raise SystemExit(main())
