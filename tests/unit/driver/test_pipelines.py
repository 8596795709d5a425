"""Which LLVM passes a program gets, and that each choice computes what numpy does."""

from __future__ import annotations

import numpy as np
import pytest

import ptxlift
from ptxlift.llvm.options import Pipeline

STEPS = 800  # enough for a large program: each step is two ops and more


def program(loop: bool, local: bool, steps: int) -> str:
    """Adds 0, 1, ... `steps`-1 to x, four times where there is a loop."""
    body = [f"add.u32 %x, %x, {step}; xor.b32 %x, %x, 1;" for step in range(steps)]
    through = "st.local.u32 [spare], %x; ld.local.u32 %x, [spare];" if local else ""
    again = "add.u32 %n, %n, 1; setp.lt.u32 %p, %n, 4; @%p bra AGAIN;" if loop else ""
    return f"""
.version 8.0
.target sm_80
.address_size 64
.visible .entry k(.param .u64 out) {{
  .reg .b64 %a; .reg .b32 %x, %n; .reg .pred %p;
  {".local .b32 spare;" if local else ""}
  ld.param.u64 %a, [out]; cvta.to.global.u64 %a, %a;
  ld.global.u32 %x, [%a]; mov.u32 %n, 0;
AGAIN:
  {" ".join(body)}
  {through}
  {again}
  st.global.u32 [%a], %x;
  ret;
}}
"""


def expected(start: int, rounds: int, steps: int) -> int:
    for _ in range(rounds):
        for step in range(steps):
            start = (start + step) % 2**32 ^ 1
    return start


@pytest.mark.parametrize(
    ("loop", "local", "steps", "level", "pipeline"),
    [
        (False, False, STEPS, 2, Pipeline.SHORT),
        (True, False, 5, 2, Pipeline.FULL),
        (True, False, STEPS, 2, Pipeline.LOOPS),
        (True, False, STEPS, 3, Pipeline.FULL),
        (False, True, STEPS, 2, Pipeline.MOST),
    ],
)
def test_the_choice_and_its_result(
    loop: bool, local: bool, steps: int, level: int, pipeline: Pipeline
) -> None:
    lifted = ptxlift.lift(program(loop, local, steps), options=ptxlift.Options(opt_level=level))
    (unit,) = lifted._split.units
    assert unit.job.pipeline is pipeline
    data = np.array([7], np.uint32)
    ptxlift.run(lifted, "k", 1, 1, [data])
    assert data[0] == expected(7, 4 if loop else 1, steps)
