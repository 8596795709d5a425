"""cvt.rs against the manual's text in fractions: the random bits are added right below the last
place that is kept, and the rest is cut off.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import pytest
from fractions_reference import value_of

import ptxlift
from ptxlift.ir.attributes import Format

COUNT = 256
KERNEL = """.version 8.7
.target sm_100a
.address_size 64
.visible .entry k(.param .u64 a, .param .u64 b, .param .u64 c) {{
.reg .b32 %t, %r; .reg .f32 %f<4>; .reg .b64 %a<5>; .reg .b{width} %d;
ld.param.u64 %a1, [a]; ld.param.u64 %a2, [b]; ld.param.u64 %a3, [c];
mov.u32 %t, %tid.x; mul.wide.u32 %a4, %t, 16; add.u64 %a1, %a1, %a4;
mul.wide.u32 %a4, %t, 4; add.u64 %a2, %a2, %a4; add.u64 %a3, %a3, %a4;
ld.global.v4.f32 {{%f0, %f1, %f2, %f3}}, [%a1]; ld.global.u32 %r, [%a2];
{opcode} %d, {sources}, %r;
st.global.b{width} [%a3], %d; ret; }}
"""


@dataclass(frozen=True)
class Element:
    """A format and what its largest value, infinity (if any) and NaN are as bits."""

    bits: int
    places: int
    bias: int
    largest: int
    infinity: int | None
    nan: int


HALF = Element(16, 10, 15, 0x7BFF, 0x7C00, 0x7FFF)
BFLOAT = Element(16, 7, 127, 0x7F7F, 0x7F80, 0x7FFF)
E4M3 = Element(8, 3, 7, 0x7E, None, 0x7F)
E5M2 = Element(8, 2, 15, 0x7B, None, 0x7F)
E2M3 = Element(6, 3, 1, 0x1F, None, 0x1F)
E3M2 = Element(6, 2, 3, 0x1F, None, 0x1F)
E2M1 = Element(4, 1, 1, 0x7, None, 0x7)
# First bit and number of the random bits of each operand, as the manual lists them; of e2m1 it
# leaves the order within a pair open.
THIRTEEN, SIXTEEN = ((16, 13), (0, 13)), ((16, 16), (0, 16))
SHARED = ((16, 16), (16, 16), (0, 16), (0, 16))
BYTES = ((24, 8), (8, 8), (16, 8), (0, 8))
FORMS = (
    ("cvt.rs.f16x2.f32", HALF, THIRTEEN, 16),
    ("cvt.rs.satfinite.f16x2.f32", HALF, THIRTEEN, 16),
    ("cvt.rs.relu.bf16x2.f32", BFLOAT, SIXTEEN, 16),
    ("cvt.rs.satfinite.bf16x2.f32", BFLOAT, SIXTEEN, 16),
    ("cvt.rs.satfinite.e4m3x4.f32", E4M3, SHARED, 8),
    ("cvt.rs.relu.satfinite.e5m2x4.f32", E5M2, SHARED, 8),
    ("cvt.rs.satfinite.e2m3x4.f32", E2M3, SHARED, 8),
    ("cvt.rs.relu.satfinite.e3m2x4.f32", E3M2, SHARED, 8),
    ("cvt.rs.satfinite.e2m1x4.f32", E2M1, BYTES, 4),
)


def element(bits: int, noise: tuple[int, int], rbits: int, to: Element, opcode: str) -> int:
    """One f32, by its bits, rounded to one element."""
    size, sign = bits & 0x7FFFFFFF, bits >> 31
    if size > 0x7F800000:
        return to.nan
    limit = to.largest if "satfinite" in opcode else to.infinity
    assert limit is not None
    if size == 0x7F800000:
        encoded = limit
    else:
        value = value_of(size, Format.F32)
        assert value is not None
        exponent = max(size >> 23, 1) - 127
        exponent = max(exponent, 1 - to.bias)
        first, count = noise
        unit = Fraction(2) ** (exponent - to.places)
        steps = int(value / unit * 2**count) + (rbits >> first & ((1 << count) - 1))
        encoded = min((steps >> count) + ((exponent - 1 + to.bias) << to.places), limit)
    if "relu" in opcode:
        return 0 if sign else encoded
    return encoded | sign << (to.bits - 1)


def operands() -> tuple[np.ndarray, np.ndarray]:
    """Ordinary numbers of many sizes, then specials."""
    rng = np.random.default_rng(5)
    sizes = 2.0 ** rng.uniform(-30, 18, (COUNT, 4)) * rng.choice([-1, 1], (COUNT, 4))
    values = sizes.astype(np.float32).view(np.uint32)
    edges = [0, 1 << 31, 0x7F800000, 0xFF800000, 0x7FC00000, 1, 0x807FFFFF, 0x477FF000, 0x7F7FFFFF]
    values[: len(edges), 0] = edges
    return values, rng.integers(0, 1 << 32, COUNT, np.uint64).astype(np.uint32)


@pytest.mark.parametrize("device", ["interpreter", "gfx942", "gfx1100"])
@pytest.mark.parametrize(("opcode", "to", "noise", "place"), FORMS, ids=lambda value: str(value))
def test_rounding_by_random_bits(
    opcode: str, to: Element, noise: tuple[tuple[int, int], ...], place: int, device: str
) -> None:
    values, rbits = operands()
    names = ", ".join(f"%f{i}" for i in range(len(noise)))
    sources = names if len(noise) == 2 else f"{{{names}}}"
    width = place * len(noise)
    text = KERNEL.format(opcode=opcode, sources=sources, width=width)
    got = np.zeros(COUNT, np.uint32)
    where = {"device": device} if device == "interpreter" else {"target": device}
    ptxlift.run(text, "k", (1, 1, 1), (COUNT, 1, 1), [values, rbits, got], **where)
    for row, random, result in zip(values.tolist(), rbits.tolist(), got.tolist(), strict=True):
        expected = 0
        for bits, part in zip(row, noise, strict=False):
            expected = expected << place | element(bits, part, random, to, opcode)
        assert result == expected, [hex(bits) for bits in row]
