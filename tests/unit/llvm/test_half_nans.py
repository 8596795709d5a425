"""Every NaN of a packed half is PTX's 0x7fff, by one maximum with it.

Of two NaNs v_pk_max_f16 returns the second operand and gfx12's v_pk_max_num_f16 the first (AMD's
ISA documents): the tests hold the order in the code of every chip. Expected values are numpy's.
"""

from __future__ import annotations

import re

import numpy as np
import pytest
from numpy.typing import NDArray

import ptxlift
from ptxlift.target import Target

KERNEL = """.version 8.6
.target sm_90
.address_size 64
.visible .entry k(.param .u64 in, .param .u64 out)
{{
    .reg .b64 %d<4>; .reg .b32 %r<6>; .reg .f32 %f<3>; .reg .pred %p;
    ld.param.u64 %d0, [in]; ld.param.u64 %d1, [out]; mov.u32 %r0, %tid.x;
    mul.wide.u32 %d2, %r0, 8; add.u64 %d0, %d0, %d2; add.u64 %d1, %d1, %d2; mov.u32 %r5, 0;
again:
    ld.global.b32 %r1, [%d0]; ld.global.b32 %r2, [%d0+4];
    ld.global.f32 %f1, [%d0]; ld.global.f32 %f2, [%d0+4];
    {statement}
    st.global.b32 [%d1], %r3;
    add.u64 %d0, %d0, 512; add.u64 %d1, %d1, 512; add.u32 %r5, %r5, 1;
    setp.lt.u32 %p, %r5, 2; @%p bra again;
    ret; }}
"""
TARGETS = ("gfx90a", "gfx942", "gfx1030", "gfx1100", "gfx1201", "gfx1250")
SINGLES = (
    "00000000 80000000 7f800000 ff800000 7fc00000 ffc12345 7f800001 ffbfffff "
    "3f800000 bf802fff 477ff000 33000001 80000001 38801fff 477fefff"
)
HALVES = "0000 8000 7c00 fc00 7e00 fe00 7d01 fc01 7fff 3c00 bc01 0001 8001"
COUNT = 128


def pairs(values: str, dtype: type[np.unsignedinteger]) -> NDArray[np.uint32]:
    """Rows of two words: two singles, or two pairs of halves."""
    rng = np.random.default_rng(5)
    chosen = rng.choice(
        np.array([int(word, 16) for word in values.split()], dtype),
        COUNT * 8 // np.dtype(dtype).itemsize,
    )
    return chosen.view(np.uint32).reshape(COUNT, 2)


def run(statement: str, data: NDArray[np.uint32], target: str) -> NDArray[np.uint16]:
    out = np.zeros_like(data)
    ptxlift.run(KERNEL.format(statement=statement), "k", 1, 64, [data, out], target=target)
    return np.ascontiguousarray(out[:, 0]).view(np.uint16).reshape(COUNT, 2)


def ptx_nan(halves: NDArray[np.float16]) -> NDArray[np.uint16]:
    return np.where(np.isnan(halves), np.uint16(0x7FFF), halves.view(np.uint16))


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("rounding", ["rn", "rz"])
def test_converted_pair(rounding: str, target: str) -> None:
    data = pairs(SINGLES, np.uint32)
    singles = data.view(np.float32)[:, ::-1]  # the first source is the upper half
    with np.errstate(all="ignore"):
        halves = singles.astype(np.float16)
        past = np.abs(halves.astype(np.float32)) > np.abs(singles)
    bits = ptx_nan(halves)
    if rounding == "rz":
        bits = np.where(past, bits - 1, bits).astype(np.uint16)
    got = run(f"cvt.{rounding}.f16x2.f32 %r3, %f1, %f2;", data, target)
    np.testing.assert_array_equal(got, bits)


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("word", ["min", "max"])
def test_extreme_of_pairs(word: str, target: str) -> None:
    data = pairs(HALVES, np.uint16)
    a, b = (np.ascontiguousarray(data[:, i]).view(np.float16).reshape(COUNT, 2) for i in (0, 1))
    zeros = (a == 0) & (b == 0)  # -0 is the less
    signs = a.view(np.uint16) | b.view(np.uint16), a.view(np.uint16) & b.view(np.uint16)
    with np.errstate(all="ignore"):
        extreme = (np.fmin if word == "min" else np.fmax)(a, b)
    expected = np.where(zeros, signs[word == "max"], ptx_nan(extreme))
    np.testing.assert_array_equal(run(f"{word}.f16x2 %r3, %r1, %r2;", data, target), expected)


@pytest.mark.parametrize("target", ptxlift.targets(), ids=lambda target: target.name)
def test_operands_keep_their_order(target: Target) -> None:
    text = KERNEL.format(statement="cvt.rn.f16x2.f32 %r3, %f1, %f2;")
    asm = ptxlift.lift(text, target=target.name).asm
    nan = re.search(r"s_mov_b32 (s\d+), 0x7fff7fff", asm)
    assert nan is not None
    maxima = re.findall(r"v_pk_max\w*_f16 v\d+, (\w+), (\w+)", asm)
    if target.generation < 12:
        assert maxima and all(second == nan[1] for _, second in maxima)
        assert all(first.startswith("v") for first, _ in maxima)
        return
    canonical, *others = maxima  # LLVM makes the constant quiet first
    assert canonical == (nan[1], nan[1])
    made = re.search(rf"v_pk_max_num_f16 (v\d+), {nan[1]}, {nan[1]}\b", asm)
    assert made is not None and others and all(first == made[1] for first, _ in others)
