"""Operands at which a lowering is just still right, each with a value from outside.

From ptxas 13.0 (`-O3 -arch=sm_90` folds the constants), from PTX's manual by hand, or from numpy.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np
import pytest
from run_ir import THREADS, Body, build, kernel_of_op, run_ops
from shuffle_kernels import LANES, lift, reduction

import ptxlift
from ptxlift.diag import PtxError
from ptxlift.interp.lanes import Lanes, dtype_of
from ptxlift.ir.attributes import (
    Approximation,
    FloatPredicate,
    Format,
    IntPredicate,
    Rounding,
    Space,
)
from ptxlift.ir.builder import Builder
from ptxlift.ir.core import Function, Module, Value
from ptxlift.link import link

F16, F32, F64, RN = Format.F16, Format.F32, Format.F64, Rounding.RN
TARGET = "gfx1100"


@dataclass(frozen=True)
class Edge:
    """A body, operands of one thread with their widths, and the bits that come out."""

    body: Body
    operands: Sequence[int]
    results: Sequence[int]
    widths: Sequence[int] = (32, 32)
    result_widths: Sequence[int] = (32,)


def _with_negation(b: Builder, v: list[Value]) -> list[Value]:
    return [b.fmax(v[0], b.fneg(v[0], F32), F32, True, False)]


def _mixed_divisions(b: Builder, v: list[Value]) -> list[Value]:
    """An op that keeps subnormal numbers keeps the mode from flushing."""
    return [b.fdiv_approx(v[0], v[1], F32, ftz, False) for ftz in (True, False)]


def _doubles(b: Builder, v: list[Value]) -> list[Value]:
    return [
        b.fapprox(v[0], Approximation.RCP, F64, True),
        b.fapprox(v[0], Approximation.RSQRT, F64, True),
        b.fcmp(
            b.fapprox(v[0], Approximation.RSQRT, F64, False),
            b.const(64, 0x3FF << 52),
            F64,
            FloatPredicate.OLT,
            False,
        ),
    ]


def _halves(whole: Callable[[Builder, list[Value]], tuple[Value, Value]]) -> Body:
    """`pack` of what comes of the four halves of two words."""

    def body(b: Builder, v: list[Value]) -> list[Value]:
        parts = [b.extract(word, 16, offset) for word in v for offset in (0, 16)]
        return [b.pack(whole(b, parts))]

    return body


def _one_may_be_nan(b: Builder, h: list[Value]) -> tuple[Value, Value]:
    one = b.const(16, 0x3C00)
    return b.fmax(h[0], one, F16, False, False), b.fmax(h[1], h[3], F16, False, False)


def _both_propagate(b: Builder, h: list[Value]) -> tuple[Value, Value]:
    return b.fmax(h[0], h[2], F16, False, True), b.fmax(h[1], h[3], F16, False, True)


def _half_or_constant(b: Builder, v: list[Value]) -> list[Value]:
    one = b.const(16, 0x3C00)
    equal = b.fcmp(b.trunc(v[0], 16), one, F16, FloatPredicate.UEQ, False)
    return [b.zext(b.select(equal, one, b.const(16, 0)), 32)]


def _selected(selector: Callable[[Builder, Value], Value]) -> Body:
    """The bytes that 0x3210 plus something made of a number up to 3 asks for."""

    def body(b: Builder, v: list[Value]) -> list[Value]:
        chosen = b.add(b.const(32, 0x3210), selector(b, b.and_(v[0], b.const(32, 3))))
        return [b.prmt(b.const(32, 0x33221100), v[1], chosen)]

    return body


def _address(b: Builder, v: list[Value]) -> list[Value]:
    """An address that goes through the generic space and is only looked at."""
    there = b.to_generic(b.zext(v[0], 64), Space.GLOBAL)
    return [b.trunc(b.from_generic(there, 64, Space.GLOBAL), 32)]


def _negation_behind_select(b: Builder, v: list[Value]) -> list[Value]:
    """What is selected only LLVM finds out."""
    always = b.icmp(b.const(32, 0), b.const(32, 0), IntPredicate.EQ)
    chosen = b.select(always, b.fneg(v[0], F32), b.const(32, 0x3F800000))
    return [b.fmul(b.fadd(chosen, b.const(32, 0), F32, RN, False), v[1], F32, RN, False)]


def _other_space(b: Builder, v: list[Value]) -> list[Value]:
    """The number of a pointer to global memory, taken as an address in local memory."""
    pointer = b.kernel_param(64, 0)
    back = b.from_generic(b.to_generic(pointer, Space.LOCAL), 32, Space.LOCAL)
    return [b.icmp(back, b.trunc(pointer, 32), IntPredicate.EQ)]


def _undefined(b: Builder, v: list[Value]) -> list[Value]:
    """One value, whatever it is."""
    anything = b.undef(32)
    return [b.sub(anything, anything)]


def _constant_quotient(b: Builder, v: list[Value]) -> list[Value]:
    return [b.sdiv(b.const(32, 1 << 31), b.const(32, -1))]


EDGES = {
    # ptxas: mul.rn.ftz of the same exact product gives 0, which would round to 0x00800000
    "ftz_quotient_below_2^-126": Edge(
        lambda b, v: [b.fdiv(v[0], v[1], F32, RN, True)], (0x0DFFFFFF, 0x4D000000), [0]
    ),
    # ptxas: max.ftz of a subnormal number and its negation
    "ftz_maximum_with_negation": Edge(_with_negation, (0x007FFFFF, 0), [0]),
    # ptxas: div.approx.ftz and div.approx
    "approximate_quotients": Edge(
        _mixed_divisions, (0x007FFFFF, 0x3A000000), (0, 0x05FFFFFE), (32, 32), (32, 32)
    ),
    # the manual: `.ftz` reads the upper word only, here that of 1; the whole is above 1
    "ftz_double_reads_upper_word": Edge(
        _doubles, [0x3FF00000FFFFFFFF], (0x3FF << 52, 0x3FF << 52, 1), [64], (64, 64, 1)
    ),
    # the manual: a canonical NaN is 0x7fff; max(NaN, 1) is 1, of two NaNs is NaN
    "half_nan_in_upper": Edge(_halves(_one_may_be_nan), (0x7E017E02, 0x7E030000), [0x7FFF3C00]),
    # ptxas's HMNMX2.NAN: NaN wins
    "half_nan_wins": Edge(_halves(_both_propagate), (0x7E003C00, 0x40004000), [0x7FFF4000]),
    # the manual: equ is true where an operand is NaN
    "half_nan_equals_constant": Edge(_half_or_constant, (0x7E00, 0), [0x3C00]),
    # by hand: signs of bytes 4, 3, 2 and 1; bytes 3240 and 3230 of 7766554433221100
    "selector_times": Edge(
        _selected(lambda b, x: b.mul(x, b.const(32, 0x3333))), (3, 0xF7E6D5C4), [0xFF000000]
    ),
    "selector_shifted": Edge(
        _selected(lambda b, x: b.shl(x, b.const(32, 4))), (3, 0x77665544), [0x33224400]
    ),
    "selector_shifted_by_itself": Edge(
        _selected(lambda b, x: b.shl(x, b.add(x, x))), (2, 0x77665544), [0x33223300]
    ),
    "part_of_constant": Edge(
        lambda b, v: [b.extract(b.const(64, 0x1_0000_0003), 32, 0)], (0, 0), [3]
    ),
    # IEEE 754: (-0 + +0) * 1 is +0
    "negation_behind_select": Edge(_negation_behind_select, (0, 0x3F800000), [0]),
    # the manual: cvta to a space and back gives the address
    "address_of_other_space": Edge(_other_space, (0, 0), [1], (32, 32), (1,)),
    "address_only_looked_at": Edge(_address, (0x1234, 0), [0x1234]),
    "undefined_is_one_value": Edge(_undefined, (0, 0), [0]),
    # the manual: what does not fit wraps, as the hardware's magnitudes and signs give it
    "least_by_minus_one": Edge(_constant_quotient, (0, 0), [1 << 31]),
}


@cache
def _computed() -> dict[str, list[Lanes]]:
    """All of them as kernels of one module."""
    bodies = {f"k{i}": (e.body, e.widths, e.result_widths) for i, e in enumerate(EDGES.values())}
    operands = {
        f"k{i}": [
            np.full(THREADS, bits, dtype_of(width))
            for bits, width in zip(edge.operands, edge.widths, strict=True)
        ]
        for i, edge in enumerate(EDGES.values())
    }
    return dict(zip(EDGES, run_ops(bodies, operands, TARGET).values(), strict=True))


@pytest.mark.parametrize("name", EDGES)
def test_value_at_an_edge(name: str) -> None:
    found = [int(lanes[0]) for lanes in _computed()[name]]
    assert [hex(bits) for bits in found] == [hex(bits) for bits in EDGES[name].results]


def test_a_call_of_linked_bitcode_is_left_to_the_linker() -> None:
    """It names the function that the declaration promises."""
    declared = Function("triple", False, "extern", param_widths=(32,), result_widths=(32,))
    kernel = kernel_of_op("k", lambda b, v: b.call("triple", v, (32,)), [32], [32])
    built = build(Module("calls", {"triple": declared, "k": kernel}), TARGET)
    with pytest.raises(PtxError, match=r"PTX306.*triple is used"):
        link([built.compiled.object], target_id=built.spec.target_id)


def test_four_butterflies_and_a_step_down_are_no_reduction() -> None:
    """The step down by one from lane 31 reads lane 31 itself (the manual's shfl.sync)."""
    steps = "".join(
        f"shfl.sync.bfly.b32 %r3, %r1, {mask}, 31, -1; add.u32 %r1, %r1, %r3;"
        for mask in (16, 8, 4, 2)
    )
    last = "shfl.sync.down.b32 %r3, %r1, 1, 31, -1; add.u32 %r2, %r1, %r3;"
    values = np.arange(LANES, dtype=np.uint32) ** 2
    odd = np.arange(LANES) % 2 == 1
    parity = np.where(odd, values[odd].sum(), values[~odd].sum())
    expected = np.full(LANES, values.sum())
    expected[31] = 2 * parity[31]
    ptxlift.run(lift(reduction("k", steps + last), TARGET), "k", 1, LANES, [values])
    np.testing.assert_array_equal(values, expected)


CHOSEN = """.visible .entry k(.param .u64 memory) {
.reg .b32 %r<4>; .reg .b64 %d<8>; .reg .pred %p; .shared .align 8 .b8 buffer[8];
ld.param.u64 %d0, [memory]; mov.u32 %r0, %tid.x; mul.wide.u32 %d1, %r0, 8; add.u64 %d0, %d0, %d1;
mov.u64 %d2, buffer; mov.u32 %r1, 17; st.shared.u32 [buffer+4], %r1;
cvta.shared.u64 %d3, %d2; add.u64 %d4, %d3, 4; and.b32 %r2, %r0, 1; setp.eq.u32 %p, %r2, 0;
mov.u32 %r1, 9; st.shared.u32 [buffer], %r1; bar.sync 0;
selp.b64 %d5, %d3, %d4, %p; ld.u32 %r3, [%d5]; sub.u64 %d6, %d5, %d3;
mov.b64 {%r2, %r1}, %d6; add.u32 %r2, %r2, %r1;
st.global.u32 [%d0], %r2; st.global.u32 [%d0+4], %r3; ret; }
"""


def test_a_selected_generic_address_is_a_number_too() -> None:
    """It is read through, and its distance to the first is taken."""
    out = np.zeros(2 * LANES, np.uint32)
    ptxlift.run(lift(CHOSEN, TARGET), "k", 1, LANES, [out])
    assert out.tolist() == [0, 9, 4, 17] * (LANES // 2)
