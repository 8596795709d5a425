"""fma.rm into a number without a fraction, as expf has it, at the edges of every whole number."""

from __future__ import annotations

import numpy as np
import pytest

import ptxlift

_TEXT = """.version 8.0
.target sm_80
.address_size 64
.visible .entry k(.param .u64 memory)
{{
.reg .b32 %r<4>; .reg .f32 %f<8>; .reg .b64 %d<4>;
ld.param.u64 %d0, [memory]; mov.u32 %r0, %ctaid.x; mov.u32 %r1, %tid.x;
mad.lo.u32 %r0, %r0, 256, %r1;
mul.wide.u32 %d1, %r0, 4; add.u64 %d2, %d0, %d1;
ld.global.f32 %f1, [%d2];
cvt.sat.f32.f32 %f2, %f1;
fma.rm{ftz}.f32 %f3, %f2, {factor}, {offset};
st.global.f32 [%d2], %f3;
ret;
}}"""


def _inputs(factor: float) -> np.ndarray[tuple[int], np.dtype[np.float32]]:
    whole = np.arange(int(factor) + 1, dtype=np.float64) / factor
    edges = whole.astype(np.float32).view(np.int32)[:, None] + np.arange(-3, 4, dtype=np.int32)
    special = np.array([-1, -0.0, 1e-45, 1e-38, 1, 2, np.inf, -np.inf, np.nan], np.float32)
    random = np.random.default_rng(7).random(2000, np.float32)
    every = np.concatenate([np.maximum(edges.ravel(), 0).view(np.float32), special, random])
    return np.resize(every, -(-len(every) // 256) * 256)


@pytest.mark.parametrize("target", ["gfx942", "gfx1100"])
@pytest.mark.parametrize(
    ("factor", "factor_bits", "offset", "offset_bits"),
    [(252.0, "0f437C0000", 12582913.0, "0f4B400001"), (37.5, "0f42160000", 64.0, "0f42800000")],
)
def test_floor_by_sum(
    target: str, factor: float, factor_bits: str, offset: float, offset_bits: str
) -> None:
    """The sum in f64 is exact; floor to the unit of the last place there."""
    for ftz in ("", ".ftz"):
        memory = _inputs(factor)
        x = np.clip(np.nan_to_num(memory.astype(np.float64), nan=0.0), 0.0, 1.0)
        unit = float(np.spacing(np.float32(offset)))
        expected = np.floor((x * factor + offset) / unit) * unit
        text = _TEXT.format(ftz=ftz, factor=factor_bits, offset=offset_bits)
        grid = (len(memory) // 256, 1, 1)
        ptxlift.run(text, "k", grid, (256, 1, 1), [memory], target=target)
        np.testing.assert_array_equal(memory, expected.astype(np.float32))
