"""Warp and block operations: compiled code in the emulator against the manual's definitions.

Both wave sizes: in a wave of 64 two warps run side by side and must not mix.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import reduce

import numpy as np
import pytest
from numpy.typing import NDArray
from run_ir import Body, run_ops

from ptxlift.interp.lanes import Lanes
from ptxlift.ir.attributes import (
    BarrierMode,
    IntPredicate,
    Number,
    ReduceOp,
    ShuffleMode,
    Special,
    VoteMode,
)
from ptxlift.ir.builder import Builder
from ptxlift.ir.core import Block, Value
from ptxlift.llvm.options import CodegenOptions

COUNT = 128  # four warps in two blocks
FULL = 0xFFFFFFFF
LANES = np.arange(COUNT) % 32
WAYS = [
    ("gfx942", CodegenOptions()),
    ("gfx1100", CodegenOptions()),
    ("gfx1100", CodegenOptions(wave_size=64)),
    ("gfx1201", CodegenOptions()),
]
every_way = pytest.mark.parametrize(
    ("target", "options"), WAYS, ids=[f"{t}-{o.wave_size}" for t, o in WAYS]
)
Bits = NDArray[np.uint32]


def words(seed: int, high: int = 1 << 32) -> Bits:
    return np.random.default_rng(seed).integers(0, high, COUNT).astype(np.uint32)


def run_one(
    body: Callable[[Builder, list[Value]], Sequence[Value]],
    inputs: list[Lanes],
    widths: Sequence[int],
    outputs: Sequence[int],
    target: str,
    options: CodegenOptions,
) -> list[Lanes]:
    return run_ops({"op": (body, widths, outputs)}, {"op": inputs}, target, options)["op"]


def per_warp(values: Lanes, function: Callable[[Lanes], int]) -> Bits:
    """One number a warp, in each of its lanes."""
    warps = values.reshape(-1, 32)
    return np.repeat(np.array([function(warp) for warp in warps], np.uint32), 32)


def bits_of(flags: Lanes) -> int:
    return sum(1 << lane for lane, flag in enumerate(flags) if flag)


# ---- shuffle ----


def shuffled(mode: ShuffleMode, values: Bits, b: Bits, c: Bits) -> tuple[Bits, NDArray[np.bool_]]:
    """shfl.sync as the manual's pseudo code has it, lane by lane."""
    results, inside = values.copy(), np.zeros(COUNT, np.bool_)
    for thread in range(COUNT):
        lane, first = thread % 32, thread - thread % 32
        offset, clamp, mask = int(b[thread]) & 31, int(c[thread]) & 31, int(c[thread]) >> 8 & 31
        limit, low = (lane & mask) | (clamp & ~mask), lane & mask
        match mode:
            case ShuffleMode.UP:
                source, ok = lane - offset, lane - offset >= limit
            case ShuffleMode.DOWN:
                source, ok = lane + offset, lane + offset <= limit
            case ShuffleMode.BFLY:
                source, ok = lane ^ offset, lane ^ offset <= limit
            case ShuffleMode.IDX:
                source = low | (offset & ~mask)
                ok = source <= limit
        results[thread] = values[first + (source if ok else lane)]
        inside[thread] = ok
    return results, inside


def _shuffle(mode: ShuffleMode, constants: tuple[int, int] | None) -> Body:
    def body(builder: Builder, v: list[Value]) -> Sequence[Value]:
        known = [builder.const(32, n) for n in constants or ()]
        return builder.shuffle(*v, *known, builder.const(32, FULL), mode)

    return body


@every_way
def test_shuffle_with_variable_operands(target: str, options: CodegenOptions) -> None:
    values, b = words(1), words(2, 64)
    segment = np.random.default_rng(3).choice([0, 16, 24, 28, 30, 31], COUNT)
    bodies, inputs = {}, {}
    for mode in ShuffleMode:
        c = (segment << 8 | (0 if mode is ShuffleMode.UP else 31)).astype(np.uint32)
        bodies[mode.value] = (_shuffle(mode, None), (32, 32, 32), (32, 1))
        inputs[mode.value] = [values, b, c]
    results = run_ops(bodies, inputs, target, options)
    for mode in ShuffleMode:
        for have, want in zip(
            results[mode.value], shuffled(mode, *inputs[mode.value]), strict=True
        ):
            assert np.array_equal(have, want), mode


@every_way
def test_shuffle_with_constants(target: str, options: CodegenOptions) -> None:
    values = words(4)
    bodies, expected = {}, {}
    for mode in ShuffleMode:
        for b, c in ((1, 31), (16, 31), (3, 0x1C1F), (5, 0x181F), (31, 0x1E1F)):
            c &= 0x1F00 if mode is ShuffleMode.UP else 0x1F1F
            name = f"{mode.value}_{b}_{c:x}"
            bodies[name] = (_shuffle(mode, (b, c)), (32,), (32, 1))
            expected[name] = shuffled(mode, values, np.full(COUNT, b), np.full(COUNT, c))
    inputs = {name: [values] for name in bodies}
    results = run_ops(bodies, inputs, target, options)
    for name, want in expected.items():
        assert np.array_equal(results[name][0], want[0]), name
        assert np.array_equal(results[name][1], want[1]), name


# ---- votes, match, reduce ----


def _flags() -> NDArray[np.bool_]:
    flags = words(5, 2).astype(np.bool_)
    flags[:32], flags[32:64] = True, False
    return flags


@every_way
def test_votes(target: str, options: CodegenOptions) -> None:
    flags = _flags()
    lanes = per_warp(flags, bits_of)

    def body(b: Builder, v: list[Value]) -> Sequence[Value]:
        mask = b.const(32, FULL)
        votes = [b.vote(v[0], mask, mode) for mode in (VoteMode.ALL, VoteMode.ANY, VoteMode.UNI)]
        some = b.ballot(v[0], b.const(32, 0xFF00FF))
        return [*votes, b.ballot(v[0], mask), some, b.active_mask()]

    got = run_one(body, [flags], (1,), (1, 1, 1, 32, 32, 32), target, options)
    uniform = (lanes == 0) | (lanes == FULL)
    want = [lanes == FULL, lanes != 0, uniform, lanes, lanes & 0xFF00FF, np.full(COUNT, FULL)]
    for have, expected in zip(got, want, strict=True):
        assert np.array_equal(have, expected)


@every_way
@pytest.mark.parametrize("width", [32, 64])
def test_match(width: int, target: str, options: CodegenOptions) -> None:
    small = words(6, 4)
    small[64:128] = 2
    small[100] = 3  # of 64 bits the lower word differs alone
    values = small if width == 32 else small.astype(np.uint64) << np.uint64(31)

    def body(b: Builder, v: list[Value]) -> Sequence[Value]:
        mask = b.const(32, FULL)
        return [b.match_any(v[0], mask), *b.match_all(v[0], mask)]

    got = run_one(body, [values], (width,), (32, 32, 1), target, options)
    warps = small.reshape(-1, 32)
    same = np.array([bits_of(warp == value) for warp in warps for value in warp], np.uint32)
    agreed = np.repeat((warps == warps[:, :1]).all(axis=1), 32)
    assert np.array_equal(got[0], same)
    assert np.array_equal(got[1], np.where(agreed, FULL, 0))
    assert np.array_equal(got[2], agreed)


_REDUCTIONS = [
    (ReduceOp.ADD, Number.UNSIGNED, np.add),
    (ReduceOp.MIN, Number.UNSIGNED, np.minimum),
    (ReduceOp.MAX, Number.UNSIGNED, np.maximum),
    (ReduceOp.MIN, Number.SIGNED, np.minimum),
    (ReduceOp.MAX, Number.SIGNED, np.maximum),
    (ReduceOp.AND, Number.BITS, np.bitwise_and),
    (ReduceOp.OR, Number.BITS, np.bitwise_or),
    (ReduceOp.XOR, Number.BITS, np.bitwise_xor),
]


@every_way
def test_reduce_of_whole_and_partial_warps(target: str, options: CodegenOptions) -> None:
    """The lanes of an odd number sum among themselves, in a branch of their own."""
    values = words(7)

    def body(b: Builder, v: list[Value]) -> Sequence[Value]:
        mask = b.const(32, FULL)
        return [b.reduce(v[0], mask, op, number) for op, number, _ in _REDUCTIONS]

    got = run_one(body, [values], (32,), (32,) * len(_REDUCTIONS), target, options)
    for have, (_, number, function) in zip(got, _REDUCTIONS, strict=True):
        view = values.view(np.int32) if number is Number.SIGNED else values
        want = [np.repeat(reduce(function, warp), 32) for warp in view.reshape(-1, 32)]
        assert np.array_equal(have, np.concatenate(want).view(np.uint32))


@every_way
@pytest.mark.parametrize("mask", [0xFFFF0000, 0x80000001, 0x00F000F0, 0x00000400])
def test_partial_masks_in_a_branch(mask: int, target: str, options: CodegenOptions) -> None:
    """Only the members reach the operations; the others branch around them."""
    values = words(8)
    member = np.array([bool(mask >> lane & 1) for lane in LANES])

    def body(b: Builder, v: list[Value]) -> Sequence[Value]:
        inside, after = Block("inside"), Block("after")
        lane = b.special(32, Special.LANEID)
        shifted = b.lshr(b.const(32, mask), lane)
        bit = b.and_(shifted, b.const(32, 1))
        take = b.icmp(bit, b.const(32, 0), IntPredicate.NE)
        zero = b.const(32, 0)
        results = [after.add_param(32) for _ in range(4)]
        b.branch("cond_br", (take,), ((inside, ()), (after, (zero, zero, zero, zero))))
        b.block = inside
        members = b.const(32, mask)
        total = b.reduce(v[0], members, ReduceOp.ADD, Number.UNSIGNED)
        smallest = b.reduce(v[0], members, ReduceOp.MIN, Number.UNSIGNED)
        leader, _ = b.elect(members)
        b.branch("br", (), ((after, (total, smallest, leader, b.active_mask())),))
        b.block = after
        return results

    got = run_one(body, [values], (32,), (32,) * 4, target, options)
    sums = per_warp(np.where(member, values, 0), lambda warp: int(warp.sum()) & FULL)
    least = per_warp(np.where(member, values, FULL), lambda warp: int(warp.min()))
    first = (mask & -mask).bit_length() - 1
    for have, want in zip(got, (sums, least, first, mask), strict=True):
        assert np.array_equal(have, np.where(member, want, 0))


# ---- launch values and block reductions ----

_SPECIALS = {
    Special.LANEID: LANES,
    Special.LANEMASK_EQ: 1 << LANES,
    Special.LANEMASK_LT: (1 << LANES) - 1,
    Special.LANEMASK_LE: (2 << LANES) - 1,
    Special.LANEMASK_GE: FULL << LANES & FULL,
    Special.LANEMASK_GT: FULL << LANES + 1 & FULL,
    Special.WARPID: np.arange(COUNT) % 64 // 32,
    Special.NWARPID: np.full(COUNT, 2),
    Special.NTID_X: np.full(COUNT, 64),
    Special.NTID_Y: np.full(COUNT, 1),
    Special.NCTAID_X: np.full(COUNT, 2),
    Special.NCTAID_Z: np.full(COUNT, 1),
    Special.CTAID_X: np.arange(COUNT) // 64,
    Special.TID_X: np.arange(COUNT) % 64,
    Special.TID_Z: np.zeros(COUNT),
}


@every_way
def test_special_registers(target: str, options: CodegenOptions) -> None:
    def body(b: Builder, v: list[Value]) -> Sequence[Value]:
        return [b.special(32, register) for register in _SPECIALS]

    got = run_one(body, [words(9)], (32,), (32,) * len(_SPECIALS), target, options)
    for register, have in zip(_SPECIALS, got, strict=True):
        assert np.array_equal(have, _SPECIALS[register].astype(np.uint32)), register


@every_way
def test_block_reductions(target: str, options: CodegenOptions) -> None:
    flags = _flags()

    def body(b: Builder, v: list[Value]) -> Sequence[Value]:
        zero = b.const(32, 0)
        modes = (BarrierMode.POPC, BarrierMode.AND, BarrierMode.OR)
        return [b.barrier(zero, zero, v[0], mode, False) for mode in modes]

    got = run_one(body, [flags], (1,), (32, 32, 32), target, options)
    counts = np.repeat(flags.reshape(-1, 64).sum(axis=1), 64)
    assert np.array_equal(got[0], counts)
    assert np.array_equal(got[1], counts == 64)
    assert np.array_equal(got[2], counts > 0)
