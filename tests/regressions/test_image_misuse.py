"""Textures and surfaces that no kernel could read: refused by name where they are made."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pytest

import ptxlift
from ptxlift import PtxError

TEXELS = np.ones((4, 4), np.float32)
PAIRS = np.ones((4, 4, 2), np.float32)
WHOLE = np.ones((4, 4), np.int32)
ONE = np.ones((1, 1), np.float32)
MISUSED: Sequence[tuple[Any, Mapping[str, Any]]] = (
    (TEXELS, {"address_mode": 5}),
    (TEXELS, {"address_mode": ["clamp", []]}),
    (TEXELS, {"address_mode": ["clamp"] * 4}),
    (TEXELS, {"border": "0001"}),
    (TEXELS, {"border": None}),
    (TEXELS, {"border": (1e300, 0, 0, 0)}),
    (WHOLE, {"border": (float("nan"), 0, 0, 0)}),
    (WHOLE, {"border": (0.5, 0, 0, 0)}),
    (TEXELS, {"lod_bias": "x"}),
    (TEXELS, {"lod_range": (1,)}),
    (TEXELS, {"lod_range": 3}),
    (TEXELS, {"geometry": ["2d"]}),
    (TEXELS, {"normalized": "no"}),
    (TEXELS, {"normalized_float": 1}),
    (TEXELS, {"levels": None}),
    (PAIRS, {"levels": [np.ones((2, 2, 4), np.float32)]}),
    (TEXELS, {"levels": [TEXELS[:2, :2], ONE, ONE]}),
)


@pytest.mark.parametrize(("array", "words"), MISUSED, ids=lambda value: str(value)[:30])
def test_bad_textures_are_refused(array: Any, words: Mapping[str, Any]) -> None:
    with pytest.raises(PtxError, match="PTX401"):
        ptxlift.Texture(array, **words)


def test_surfaces_are_not_read_only() -> None:
    with pytest.raises(PtxError, match="read-only"):
        ptxlift.Surface(np.broadcast_to(np.float32(1), (4, 4)))


SAMPLE = """.version 8.0
.target sm_80
.address_size 64
.visible .entry k(.param .u64 t0, .param .u64 out)
{
.reg .f32 %f<4>; .reg .b32 %r<1>; .reg .b64 %d<2>;
ld.param.u64 %d0, [t0]; ld.param.u64 %d1, [out]; mov.b32 %r0, 0;
tex.a2d.v4.f32.s32 {%f0, %f1, %f2, %f3}, [%d0, {%r0, %r0, %r0, %r0}];
st.global.f32 [%d1], %f0;
ret;
}
"""


@pytest.mark.parametrize(("layers", "fits"), [(8192, True), (8193, False)])
def test_layers_fill_the_descriptor_and_no_more(layers: int, fits: bool) -> None:
    """Thirteen bits of gfx11's descriptor say how many there are, less one."""
    texture = ptxlift.Texture(np.full((layers, 1, 1), 3, np.float32), "a2d")
    out = np.zeros(1, np.float32)
    if not fits:
        with pytest.raises(PtxError, match=r"PTX302.*more than 8192 layers"):
            ptxlift.run(SAMPLE, "k", 1, 1, [texture, out], target="gfx1100")
        return
    ptxlift.run(SAMPLE, "k", 1, 1, [texture, out], target="gfx1100")
    assert out[0] == 3


@pytest.mark.parametrize("given", [5, None, TEXELS], ids=["number", "nothing", "array"])
def test_only_images_and_samplers_have_handles(given: Any) -> None:
    program = ptxlift.load(SAMPLE, "interpreter")
    with pytest.raises(PtxError, match=r"(?s)PTX401.*has no handle"):
        program.handle(given)


@pytest.mark.parametrize("device", ["emulator", "interpreter"])
def test_a_pointer_to_the_array_of_a_surface(device: str) -> None:
    """The image is a copy, whose texels go back where the kernel wrote them, and only there."""
    text = """.version 8.0
.target sm_80
.address_size 64
.visible .entry k(.param .u64 image, .param .u64 array) {
  .reg .b64 %rd<3>; .reg .b32 %r<2>;
  ld.param.u64 %rd1, [image]; ld.param.u64 %rd2, [array];
  mov.u32 %r0, 4; mov.u32 %r1, 7;
  sust.b.1d.b32.zero [%rd1, {%r0}], {%r1};
  st.global.u32 [%rd2+12], %r1;
  ret; }
"""
    array = np.arange(4, dtype=np.uint32)
    ptxlift.run(text, "k", 1, 1, [ptxlift.Surface(array, "1d"), array], device=device)
    np.testing.assert_array_equal(array, [0, 7, 2, 7])
