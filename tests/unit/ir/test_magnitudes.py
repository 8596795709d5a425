"""Bounds of values by the ops that compute them, against numpy on the inputs that are hardest."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

import ptxlift

_EDGES = (0.0, -0.0, 1e-45, -1e-45, 1.2e-38, 1.0, -3.0, 3e38, float("inf"), float("nan"))
_HEAD = ".version 8.0\n.target sm_80\n.address_size 64\n"


@pytest.mark.parametrize("function", ["rsqrt", "sqrt", "lg2"])
@pytest.mark.parametrize(
    "body",
    [
        "fma.rn.f32 %f6, %f1, %f1, 0f00800000;",
        "fma.rz.f32 %f3, %f2, %f2, 0f00800000; fma.rm.f32 %f6, %f1, %f1, %f3;",
        "max.f32 %f6, %f1, 0f00800000;",
        "abs.f32 %f3, %f1; add.ftz.f32 %f6, %f3, 0f00800000;",
    ],
)
def test_functions_of_normal_numbers(function: str, body: str) -> None:
    """A flushed operand would give infinity, which numpy's value is not."""
    text = f"""{_HEAD}.visible .entry k(.param .u64 memory)
{{
.reg .b32 %r<4>; .reg .f32 %f<8>; .reg .b64 %d<4>;
ld.param.u64 %d0, [memory]; mov.u32 %r0, %tid.x; mul.wide.u32 %d1, %r0, 8; add.u64 %d2, %d0, %d1;
ld.global.v2.f32 {{%f1, %f2}}, [%d2];
{body}
{function}.approx.f32 %f7, %f6;
st.global.v2.f32 [%d2], {{%f6, %f7}};
ret;
}}"""
    pairs = np.array(list(itertools.product(_EDGES, _EDGES)), np.float32)
    for target in ("gfx942", "gfx1100"):
        memory = pairs.copy()
        ptxlift.run(text, "k", (1, 1, 1), (len(pairs), 1, 1), [memory], target=target)
        operand = memory[:, 0].astype(np.float64)
        assert np.all(np.isnan(operand) | (operand >= 2.0**-126))
        with np.errstate(all="ignore"):
            numpy_function = {"sqrt": np.sqrt, "lg2": np.log2, "rsqrt": lambda x: x**-0.5}
            expected = numpy_function[function](operand)
        atol = 1e-6 if function == "lg2" else 0.0
        np.testing.assert_allclose(memory[:, 1], expected, rtol=1e-6, atol=atol)
