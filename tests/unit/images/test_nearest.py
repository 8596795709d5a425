"""Nearest sampling: the texel whose number is the floor of the coordinate."""

from __future__ import annotations

import numpy as np
import pytest
from image_kernels import PLACES, kernel, results

import ptxlift

CHANNELS = ("%f1", "%f2", "%f3", "%f4")


@pytest.mark.parametrize("place", PLACES)
def test_two_dimensions_clamp_to_the_edge(place: str) -> None:
    rng = np.random.default_rng(1)
    array = rng.random((5, 7), np.float32)
    x = rng.uniform(-3, 10, 64).astype(np.float32)
    y = rng.uniform(-3, 8, 64).astype(np.float32)
    text = kernel(
        "tex.2d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%t0, {%f5, %f6}];", ["%f5", "%f6"], CHANNELS
    )
    found = results(text, place, [ptxlift.Texture(array)], [x, y], [np.float32] * 4)
    columns = np.clip(np.floor(x), 0, 6).astype(int)
    rows = np.clip(np.floor(y), 0, 4).astype(int)
    np.testing.assert_array_equal(found[0], array[rows, columns])
    assert (found[1] == 0).all() and (found[2] == 0).all() and (found[3] == 1).all()
