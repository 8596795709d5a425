"""`prmt` with every kind of selector against numpy, and how many instructions it takes."""

from __future__ import annotations

import random

import numpy as np
import pytest
from run_ir import Body, run_ops

import ptxlift
from benchmarks.vector_count import vector_instructions
from ptxlift.ir.builder import Builder
from ptxlift.ir.core import Value

LANES = 64
HEAD = ".version 8.0\n.target sm_80\n.address_size 64\n"
KERNEL = """.visible .entry {name}(.param .u64 memory) {{
.reg .b32 %r<6>; .reg .b64 %d<3>;
ld.param.u64 %d0, [memory]; mov.u32 %r0, %tid.x;
mul.wide.u32 %d1, %r0, 16; add.s64 %d2, %d0, %d1;
ld.global.u32 %r1, [%d2]; ld.global.u32 %r2, [%d2+4]; ld.global.u32 %r3, [%d2+8];
{line}
st.global.u32 [%d2+12], %r4; ret; }}
"""
# Selector of prmt, second word, and the vector instructions that AMD's manuals allow it in.
SHORTEST = {
    "identity": ("%r2, 0x3210", 0),
    "swap": ("%r2, 0x0123", 1),
    "funnel": ("%r2, 0x5432", 1),
    "low_halves": ("%r2, 0x5410", 1),
    "zero_extended": ("0, 0x4442", 1),
    "sign_extended_byte": ("0, 0x8880", 1),
    "sign_extended_half": ("0, 0xbb32", 1),
    "sign_everywhere": ("0, 0xaaaa", 1),
    "moved_up": ("0, 0x1044", 1),
    "odd_signs": ("%r2, 0xf9b3", 1),
    "bytes_to_halves": ("%r2, 0x9180", 2),
    "signs_of_b": ("%r2, 0xfedc", 2),
    "anything": ("%r2, 0x8c51", 3),
}


def permuted(a: int, b: int, selector: int) -> int:
    """As the manual says: bit 3 of a nibble replicates the byte's sign."""
    source = (b << 32 | a).to_bytes(8, "little")
    result = 0
    for place in range(4):
        nibble = selector >> 4 * place & 15
        byte = source[nibble & 7]
        if nibble & 8:
            byte = 255 if byte & 128 else 0
        result |= byte << 8 * place
    return result


def _selectors() -> list[int]:
    rng = random.Random(4)
    runs = [0x3210, 0x4321, 0x6543, 0x7654, 0x0123, 0x4567, 0x1032, 0x0321, 0x7777]
    return runs + [0x8888, 0x9999, 0x9910, 0x8880] + [rng.getrandbits(16) for _ in range(150)]


def _constant(selector: int, second: int | None) -> Body:
    def body(b: Builder, values: list[Value]) -> list[Value]:
        other = values[1] if second is None else b.const(32, second)
        return [b.prmt(values[0], other, b.const(32, selector))]

    return body


@pytest.mark.sampled(3)
@pytest.mark.parametrize("target", ["gfx942", "gfx1100"])
@pytest.mark.parametrize("second", [None, 0, 0xFFFFFFFF, 0x80FF0012])
def test_known_selectors(target: str, second: int | None) -> None:
    rng = np.random.default_rng(9)
    inputs = [rng.integers(0, 2**32, LANES, np.uint32) for _ in range(2)]
    selectors = _selectors()
    bodies = {f"s{s:x}": (_constant(s, second), (32, 32), (32,)) for s in selectors}
    results = run_ops(bodies, dict.fromkeys(bodies, inputs), target)
    for selector in selectors:
        others = inputs[1] if second is None else [second] * LANES
        pairs = zip(inputs[0], others, strict=True)
        expected = [permuted(int(a), int(b), selector) for a, b in pairs]
        assert results[f"s{selector:x}"][0].tolist() == expected, hex(selector)


def _masked(b: Builder, values: list[Value]) -> list[Value]:
    return [b.prmt(values[0], values[1], b.and_(values[2], b.const(32, 0x7777)))]


def _computed(b: Builder, values: list[Value]) -> list[Value]:
    start = b.mul(b.and_(values[2], b.const(32, 3)), b.const(32, 0x1111))
    return [b.prmt(values[0], values[1], b.add(start, b.const(32, 0x3210)))]


def _one_nibble(b: Builder, values: list[Value]) -> list[Value]:
    start = b.and_(values[2], b.const(32, 3))
    return [b.prmt(values[0], values[1], b.add(start, b.const(32, 0x3210)))]


def _any(b: Builder, values: list[Value]) -> list[Value]:
    return [b.prmt(*values)]


@pytest.mark.parametrize("target", ["gfx942", "gfx1100"])
def test_selectors_in_registers(target: str) -> None:
    rng = np.random.default_rng(9)
    inputs = [rng.integers(0, 2**32, 256, np.uint32) for _ in range(3)]
    bodies = {
        name: (body, (32,) * 3, (32,))
        for name, body in (
            ("any", _any),
            ("masked", _masked),
            ("computed", _computed),
            ("one", _one_nibble),
        )
    }
    found = run_ops(bodies, dict.fromkeys(bodies, inputs), target)
    rows = list(zip(*(array.tolist() for array in inputs), strict=True))
    assert found["any"][0].tolist() == [permuted(*row) for row in rows]
    assert found["masked"][0].tolist() == [permuted(a, b, c & 0x7777) for a, b, c in rows]
    expected = [permuted(a, b, (c & 3) * 0x1111 + 0x3210) for a, b, c in rows]
    assert found["computed"][0].tolist() == expected
    expected = [permuted(a, b, (c & 3) + 0x3210) for a, b, c in rows]
    assert found["one"][0].tolist() == expected


@pytest.mark.parametrize("target", ["gfx942", "gfx1100"])
def test_instructions(target: str) -> None:
    text = HEAD + KERNEL.format(name="none", line="mov.b32 %r4, %r1;")
    for name, (rest, _) in SHORTEST.items():
        text += KERNEL.format(name=name, line=f"prmt.b32 %r4, %r1, {rest};")
    counts = vector_instructions(ptxlift.lift(text, target).asm)
    found = {name: counts[name] - counts["none"] for name in SHORTEST}
    assert found == {name: count for name, (_, count) in SHORTEST.items()}
