"""Runs one corpus case through ptxlift and compares every array with the reference."""

from __future__ import annotations

from cases.model import Case, Tolerance, check_results, copy_inputs

import ptxlift

QUICK_TARGETS = ("gfx942", "gfx1100")
FULL_TARGETS = (*QUICK_TARGETS, "gfx90a", "gfx950", "gfx1030", "gfx1201")
INTERPRETER = "interpreter"


def run_case(case: Case, text: str, target: str, tolerance: Tolerance) -> None:
    """One launch from PTX text; target "interpreter" is the PTX interpreter."""
    before = case.inputs()
    after = copy_inputs(before)
    place = {"device": INTERPRETER} if target == INTERPRETER else {"target": target}
    ptxlift.run(text, case.kernel, case.grid, case.block, after, shared=case.shared, **place)
    check_results(case, before, after, tolerance)
