"""m8n8k4 of f16: four small tiles a warp, each held by eight lanes; and special values."""

from __future__ import annotations

import manual_fragments as manual
import numpy as np
import pytest
from matrix_kernels import INTERPRETER, LANES, TARGETS, Array, run, vector
from matrix_numbers import (
    WIDTHS,
    assert_close,
    bound_of,
    pack_lane,
    random_matrix,
    unpack_lane,
    values_of,
)

EVERYWHERE = (INTERPRETER, *TARGETS)
TILES = 8  # of two warps


def tile_of(lane: int) -> int:
    return lane // 32 * 4 + manual.quad_tile(lane % 32)


@pytest.mark.parametrize("target", EVERYWHERE)
@pytest.mark.parametrize("layouts", ["row row", "row col", "col row", "col col"])
@pytest.mark.parametrize(("d_kind", "c_kind"), [("f32", "f32"), ("f16", "f16"), ("f32", "f16")])
def test_quads(d_kind: str, c_kind: str, layouts: str, target: str) -> None:
    rng = np.random.default_rng(3)
    by_row = [word == "row" for word in layouts.split()]
    (a_bits, a), (b_bits, b), (c_bits, c) = (
        random_matrix(kind, (TILES, *shape), rng)
        for kind, shape in (("f16", (8, 4)), ("f16", (4, 8)), (c_kind, (8, 8)))
    )

    def spread(bits: Array, formula, flag: bool, count: int, width: int) -> Array:  # type: ignore[no-untyped-def]
        rows = []
        for lane in range(LANES):
            places = [formula(lane % 32, i, flag) for i in range(count)]
            rows.append(pack_lane([int(bits[tile_of(lane)][place]) for place in places], width))
        return np.array(rows, np.uint32)

    inputs = {
        "a": spread(a_bits, manual.quad_left, by_row[0], 4, 16),
        "b": spread(b_bits, manual.quad_right, by_row[1], 4, 16),
        "c": spread(c_bits, manual.quad_accumulator, c_kind == "f32", 8, WIDTHS[c_kind]),
    }
    count = 8 if d_kind == "f32" else 4
    operands = ", ".join(vector(letter, inputs[letter].shape[1]) for letter in "abc")
    al, bl = layouts.split()
    text = f"mma.sync.aligned.m8n8k4.{al}.{bl}.{d_kind}.f16.f16.{c_kind}"
    body = f"{text} {vector('d', count)}, {operands};"
    found = []
    for device in (target, INTERPRETER):
        got = run(body, inputs, {"d": (count, 32)}, device)["d"]
        d = np.zeros((TILES, 8, 8), np.uint64)
        for lane in range(LANES):
            for i, element in enumerate(unpack_lane(got[lane], WIDTHS[d_kind])):
                place = manual.quad_accumulator(lane % 32, i, d_kind == "f32")
                d[(tile_of(lane), *place)] = element
        found.append(values_of(d_kind, d))
    assert_close(d_kind, found[0], a, b, c)
    assert (np.abs(found[0] - found[1]) <= bound_of(d_kind, a, b, c, 2)).all()


@pytest.mark.parametrize("target", EVERYWHERE)
def test_special_values(target: str) -> None:
    """Infinity times zero, and infinities that cancel, are not numbers; one infinity stays."""
    a = np.zeros((LANES, 4), np.uint32)
    b = np.zeros((LANES, 2), np.uint32)
    c = np.full((LANES, 4), 0x3F800000, np.uint32)
    a[0, 0] = 0x7C00  # row 0, k 0: infinity
    a[4, 0] = 0x3C00  # row 1, k 0: one
    b[0, 0] = 0x3C00  # column 0, k 0: one; all others of k 0 are zero
    operands = ", ".join(vector(letter, count) for letter, count in (("a", 4), ("b", 2), ("c", 4)))
    body = f"mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {vector('d', 4)}, {operands};"
    got = run(body, {"a": a, "b": b, "c": c}, {"d": (4, 32)}, target)["d"]
    values = got[:, 0].view(np.float32), got[:, 1].view(np.float32)
    assert values[0][0] == np.inf  # inf * 1
    assert np.isnan(values[1][0])  # inf * 0
    assert np.isnan(values[0][1])
    assert values[0][4] == 2.0
    assert values[1][4] == 1.0
    assert (got[8:32] == 0x3F800000).all()
