"""Permutations known at compile time: right on every generation, and cheap where a way exists."""

from __future__ import annotations

import numpy as np
import pytest
from run_ir import THREADS, Body, build, kernel_of_op, run_ops

from ptxlift.ir.attributes import Special
from ptxlift.ir.builder import Builder
from ptxlift.ir.core import Module, Value
from ptxlift.link import listing
from ptxlift.llvm.options import CodegenOptions

ANY = -1
LANES = range(32)
RANDOM = tuple(int(x) for x in np.random.default_rng(1).permutation(32))
MAPS = {
    "quad": tuple(lane & ~3 | 2 for lane in LANES),
    "mirror": tuple(lane ^ 15 for lane in LANES),
    "rotated": tuple(lane & 16 | (lane - 3) & 15 for lane in LANES),
    "row_share": tuple(lane & 16 | 5 for lane in LANES),
    "row_xmask": tuple(lane ^ 10 for lane in LANES),
    "eight": tuple(lane & ~7 | (3 * lane + 1) & 7 for lane in LANES),
    "row": tuple(lane & 16 | (7 * lane + 2) & 15 for lane in LANES),
    "swapped_rows": tuple(lane ^ 16 for lane in LANES),
    "column_of_b": tuple(8 * (lane & 3) + 2 for lane in LANES),
    "some": tuple(lane ^ 1 if lane < 8 else ANY for lane in LANES),
    "random": RANDOM,
}
WAYS = [
    ("gfx900", None), ("gfx90a", None), ("gfx942", None), ("gfx1030", None), ("gfx1100", None),
    ("gfx1100", 64), ("gfx1201", None),
]  # fmt: skip


def permuted(lanes: tuple[int, ...]) -> Body:
    """The lane operand follows from the map bit by bit, for chips without a way of their own."""

    def body(b: Builder, values: list[Value]) -> list[Value]:
        lane = b.special(32, Special.LANEID)
        source = b.const(32, 0)
        for bit in range(5):
            word = sum((at >> bit & 1) << i for i, at in enumerate(lanes) if at != ANY)
            truth = b.and_(b.lshr(b.const(32, word), lane), b.const(32, 1))
            source = b.or_(source, b.shl(truth, b.const(32, bit)))
        return [b.permute(values[0], source, lanes)]

    return body


@pytest.mark.parametrize(("target", "wave"), WAYS)
def test_permute(target: str, wave: int | None) -> None:
    values = np.random.default_rng(0).integers(0, 1 << 32, THREADS, dtype=np.uint32)
    bodies = {name: (permuted(lanes), (32,), (32,)) for name, lanes in MAPS.items()}
    inputs = {name: [values] for name in MAPS}
    results = run_ops(bodies, inputs, target, CodegenOptions(wave_size=wave))
    for name, lanes in MAPS.items():
        for thread in range(THREADS):
            source = lanes[thread % 32]
            if source != ANY:
                assert results[name][0][thread] == values[thread & ~31 | source], (name, thread)


CHEAP = {
    "gfx942": (
        "quad",
        "mirror",
        "rotated",
        "row_share",
        "row_xmask",
        "swapped_rows",
        "some",
    ),
    "gfx1030": tuple(name for name in MAPS if name != "random"),
    "gfx1201": tuple(name for name in MAPS if name != "random"),
}


@pytest.mark.parametrize("target", CHEAP)
def test_no_address_where_a_way_exists(target: str) -> None:
    for name, lanes in MAPS.items():
        module = Module("m", {name: kernel_of_op(name, permuted(lanes), (32,), (32,))})
        text = listing([build(module, target).compiled.object])
        assert ("ds_bpermute" in text) == (name not in CHEAP[target]), name
