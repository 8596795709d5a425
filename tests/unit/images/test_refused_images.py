"""What is refused, by name and with what to do instead."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from image_kernels import kernel, load

import ptxlift
from ptxlift import PtxError

RESULT = "{%f1, %f2, %f3, %f4}"
TEXELS = np.zeros((4, 4), np.float32)


@pytest.mark.parametrize("place", ["interpreter", "gfx942"])
def test_depths_are_not_compared(place: str) -> None:
    text = kernel(f"tex.2d.v4.f32.f32 {RESULT}, [%t0, {{%f5, %f6}}], %f7;", ["%f5"], ["%f1"])
    with pytest.raises(PtxError, match="depth"):
        program = load(text, place)
        program.launch("k", 1, 1, [ptxlift.Texture(TEXELS), TEXELS, TEXELS])


def test_asm_statements_cannot_call_device_functions() -> None:
    line = "tex.1d.v4.f32.s32 {$0, $1, $2, $3}, [$4, {$5}];"
    types = ["float"] * 4 + ["i64", "i32"]
    with pytest.raises(PtxError, match=r"PTX302.*in an asm statement"):
        ptxlift.raise_inline_asm(line, "=f,=f,=f,=f,l,r", types, target="gfx942", dialect="llvm")


Make = Callable[[], object]
MISTAKES: dict[str, tuple[Make, str]] = {
    "a list": (lambda: ptxlift.Texture([1, 2]), "numpy array"),  # type: ignore[arg-type] # on purpose
    "doubles": (lambda: ptxlift.Texture(TEXELS.astype(float)), "channels of float64"),
    "three channels": (lambda: ptxlift.Surface(np.zeros((4, 4, 3), np.uint8)), "shape"),
    "five faces": (lambda: ptxlift.Texture(np.zeros((5, 4, 4), np.uint8), "cube"), "six faces"),
    "no texels": (lambda: ptxlift.Texture(np.zeros((0, 4), np.uint8)), "no texels"),
    "an unknown geometry": (lambda: ptxlift.Texture(TEXELS, "4d"), "geometry '4d'"),
    "an unknown mode": (lambda: ptxlift.Sampler(address_mode="repeat"), "address mode 'repeat'"),
    "an unknown filter": (lambda: ptxlift.Sampler(filter_mode="cubic"), "filter 'cubic'"),
    "a short border": (lambda: ptxlift.Sampler(border=(0, 0)), "four channels"),
    "filtered integers": (
        lambda: ptxlift.Texture(TEXELS.astype(np.uint8), filter_mode="linear"), "filtered",
    ),
    "normalised floats of floats": (
        lambda: ptxlift.Texture(TEXELS, normalized_float=True), "normalised floats",
    ),
    "a level too large": (lambda: ptxlift.Texture(TEXELS, levels=[TEXELS]), "level 1"),
    "a level of another type": (
        lambda: ptxlift.Texture(TEXELS, levels=[TEXELS[:2, :2].astype(np.uint8)]), "level 1",
    ),
}  # fmt: skip


@pytest.mark.parametrize("mistake", MISTAKES)
def test_arrays_and_words_that_make_no_image(mistake: str) -> None:
    make, message = MISTAKES[mistake]
    with pytest.raises(PtxError, match=rf"PTX401.*{message}"):
        make()


def test_handles_have_eight_bytes() -> None:
    """A handle where the kernel wants a number of another size."""
    text = kernel("", [], ["%r1"]).replace(".param .u64 t0", ".param .u32 t0")
    text = text.replace("ld.param.u64 %t0", "ld.param.u32 %r5").replace("%t0", "%r5")
    with pytest.raises(PtxError, match=r"PTX401.*8 bytes"):
        load(text, "interpreter").launch("k", 1, 1, [ptxlift.Texture(TEXELS), TEXELS])
