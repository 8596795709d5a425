"""The cases with one warp in each wave of 64: the upper half idles and the launch is twice as wide.

Atomics and counting barriers show a half that does not idle, blocks that are no multiple of 32 wide
a thread index that is found wrongly. The quick run takes these; --corpus-full takes every case.
"""

from __future__ import annotations

import pytest
from cases import ALL_CASES
from cases.model import Case, check_results, copy_inputs

import ptxlift

QUICK = (
    *("atomics64", "histogram", "compact", "barriers", "warp"),
    *("transpose_tiled", "stencil3d", "vectors", "carry_chain", "noinline_calls"),
)


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    full = metafunc.config.getoption("--corpus-full", default=False)
    ready = [case for case in ALL_CASES if not case.needs]
    cases = [case for case in ready if full or case.name in QUICK]
    metafunc.parametrize("case", cases, ids=[case.name for case in cases])


def test_one_warp_a_wave_matches_numpy(case: Case) -> None:
    text = case.ptx_files()[0].read_text()
    options = ptxlift.Options(warp_mapping="split")
    lifted = ptxlift.lift(text, target="gfx942", options=options)
    assert lifted.kernels[case.kernel].warp_mapping == "split"
    before = case.inputs()
    after = copy_inputs(before)
    ptxlift.run(lifted, case.kernel, case.grid, case.block, after, shared=case.shared)
    check_results(case, before, after, case.tolerance)
