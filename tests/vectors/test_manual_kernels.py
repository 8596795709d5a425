"""Memory, warp and barrier rows: interpreter and machine code give what the manual says."""

from __future__ import annotations

import numpy as np
import pytest
from chips import TARGETS
from manual_kernels import CASES, THREADS, inputs, kernel

import ptxlift

PLACES = [(name, target) for name in CASES for target in ("interpreter", *TARGETS)]


@pytest.mark.sampled(50)
@pytest.mark.parametrize(("name", "target"), PLACES)
def test_a_kernel_gives_what_the_manual_says(name: str, target: str) -> None:
    case, x, out = CASES[name], inputs(), np.zeros(THREADS, np.uint32)
    where = {"device": target} if target == "interpreter" else {"target": target}
    ptxlift.run(kernel(case), "k", 1, THREADS, [x.copy(), out], **where)
    np.testing.assert_array_equal(out, np.broadcast_to(case.expected(x), out.shape))
