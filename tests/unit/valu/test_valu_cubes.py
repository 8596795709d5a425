"""Faces of cubes: the table of "Cube map texture selection" that graphics APIs share.

| major axis | face | sc | tc | ma |
| +x | 0 | -z | -y | x |   | -x | 1 | +z | -y | x |
| +y | 2 | +x | +z | y |   | -y | 3 | +x | -z | y |
| +z | 4 | +x | -y | z |   | -z | 5 | -x | -y | z |
"""

from __future__ import annotations

import numpy as np
import pytest

from ptxlift.emulator.valu import Ctx, lookup

CASES = [
    ((3.0, 1.0, 2.0), (0, -2, -1, 6)),
    ((-3.0, 1.0, 2.0), (1, 2, -1, -6)),
    ((1.0, 3.0, 2.0), (2, 1, 2, 6)),
    ((1.0, -3.0, 2.0), (3, 1, -2, -6)),
    ((1.0, 2.0, 3.0), (4, 1, -2, 6)),
    ((1.0, 2.0, -3.0), (5, -1, -2, -6)),
    ((1.0, 1.0, 1.0), (4, 1, -1, 2)),  # z before y before x
    ((1.0, -1.0, 0.5), (3, 1, -0.5, -2)),
]


@pytest.mark.parametrize(("direction", "wanted"), CASES)
def test_faces(direction: tuple[float, ...], wanted: tuple[float, ...]) -> None:
    parts = [np.array([[part]], np.float32).view(np.uint32) for part in direction]
    for name, value in zip(("id", "sc", "tc", "ma"), wanted, strict=True):
        op = lookup(f"v_cube{name}_f32")
        assert op is not None
        assert op.fn(Ctx(), *parts).view(np.float32) == value
