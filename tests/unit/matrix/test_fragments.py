"""Every layout against the manual's formulas, and that it holds each element exactly once."""

from __future__ import annotations

import re
from collections import Counter

import manual_fragments as manual
import pytest

from ptxlift.isa import fragments
from ptxlift.isa.fragments import Fragment


def sizes(shape: str) -> tuple[int, int, int]:
    found = re.fullmatch(r"m(\d+)n(\d+)k(\d+)", shape)
    assert found is not None
    m, n, k = (int(part) for part in found.groups())
    return m, n, k


def packed(bits: int) -> int:
    return max(1, 32 // bits)


def assert_complete(fragment: Fragment) -> None:
    """Every element of every tile is held by exactly one lane."""
    counts = Counter(cell for cell, _ in fragment.holders())
    assert set(counts.values()) == {1}
    assert len(counts) == fragment.tiles * fragment.rows * fragment.columns
    for tile, row, column in counts:
        assert 0 <= tile < fragment.tiles
        assert 0 <= row < fragment.rows
        assert 0 <= column < fragment.columns


def assert_follows(fragment: Fragment, formula: manual.Formula) -> None:
    for lane, held in enumerate(fragment.cells):
        for i, cell in enumerate(held):
            assert cell == (0, *formula(lane // 4, lane % 4, i))


@pytest.mark.parametrize(("shape", "bits"), manual.LEFT)
def test_left(shape: str, bits: int) -> None:
    m, _, k = sizes(shape)
    fragment = fragments.left(m, k, packed(bits))
    assert_complete(fragment)
    assert_follows(fragment, manual.LEFT[shape, bits])


@pytest.mark.parametrize(("shape", "bits"), manual.RIGHT)
def test_right(shape: str, bits: int) -> None:
    _, n, k = sizes(shape)
    fragment = fragments.right(k, n, packed(bits))
    assert_complete(fragment)
    assert_follows(fragment, manual.RIGHT[shape, bits])


@pytest.mark.parametrize("shape", sorted({shape for shape, _ in manual.LEFT}))
@pytest.mark.parametrize("bits", [16, 32, 64])
def test_accumulator(shape: str, bits: int) -> None:
    m, n, _ = sizes(shape)
    fragment = fragments.accumulator(m, n, packed(bits))
    assert_complete(fragment)
    assert_follows(fragment, manual.accumulator(shape))


@pytest.mark.parametrize("row_major", [False, True])
def test_quad_pairs(row_major: bool) -> None:
    """The four tiles of m8n8k4 with f16."""
    pairs = (
        (fragments.quad_left(row_major), manual.quad_left),
        (fragments.quad_right(row_major), manual.quad_right),
        (fragments.quad_accumulator(1 if row_major else 2), manual.quad_accumulator),
    )
    for fragment, formula in pairs:
        assert_complete(fragment)
        for lane, held in enumerate(fragment.cells):
            for i, cell in enumerate(held):
                assert cell == (manual.quad_tile(lane), *formula(lane, i, row_major))


@pytest.mark.parametrize(("m", "n", "k"), [(16, 16, 16), (32, 8, 16), (8, 32, 16)])
def test_tiles_of_wmma(m: int, n: int, k: int) -> None:
    """Larger tiles are those of mma.sync side by side, register by register."""
    for bits in (8, 16, 32):
        left, right = fragments.left(m, k, packed(bits)), fragments.right(k, n, packed(bits))
        assert_complete(left)
        assert_complete(right)
        assert left.elements * 32 == m * k
        assert right.elements * 32 == k * n
    assert_complete(fragments.accumulator(m, n, 1))
