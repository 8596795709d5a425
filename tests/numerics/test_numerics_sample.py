"""A small sample of what `make numerics` runs: every instruction, every mode, two chips."""

from __future__ import annotations

import pytest

from ptxlift.emulator import Approx
from tests.numerics.__main__ import Judge, operands_of
from tests.numerics.cases import Case, approximate_cases, exact_cases
from tests.numerics.device import Device

CASES = [*exact_cases(), *approximate_cases()]
COUNT = 4096


@pytest.fixture(scope="module", params=["gfx942", "gfx1100"])
def device(request: pytest.FixtureRequest) -> Device:
    return Device({case.name: case.instruction for case in CASES}, request.param)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.instruction.text)
def test_sample_is_right_in_every_mode(case: Case, device: Device) -> None:
    operands = operands_of(case, 0, COUNT)
    judge = Judge(case, operands)
    for approx in Approx:
        outcome = judge.outcome(device.run(case.name, operands, approx, seed=0))
        assert outcome.lanes == len(operands[0])
        assert outcome.wrong == 0, f"{approx.name}: {outcome}"
