"""Whole programs on textures and surfaces: CUDA by nvcc, and PTX by hand."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from cases.model import EXAMPLES
from numpy.typing import NDArray
from test_nvcc import NVCC, NvccBuild, compile_with_nvcc

import ptxlift

Array = NDArray[Any]  # Any: arrays of several types
PLACES = ("gfx942", "gfx1100", "interpreter")
needs_nvcc = pytest.mark.skipif(NVCC is None, reason="nvcc is not installed")
WIDTH, HEIGHT = 40, 24


@cache
def _compiled(directory: str) -> str:
    build = NvccBuild("sm80", ("-arch=sm_80", "-std=c++17"))
    return compile_with_nvcc(EXAMPLES / "textures/images.cu", build, Path(directory))


@pytest.fixture(params=PLACES)
def program(request: pytest.FixtureRequest, pytestconfig: pytest.Config) -> ptxlift.Program:
    assert pytestconfig.cache is not None
    return loaded(_compiled(str(pytestconfig.cache.mkdir("corpus-nvcc"))), request.param)


def loaded(text: str, place: str) -> ptxlift.Program:
    if place == "interpreter":
        return ptxlift.load(text, "interpreter")
    return ptxlift.load(text, "emulator", target=place)


def grid_of(width: int, height: int) -> tuple[int, int]:
    return (width + 15) // 16, (height + 7) // 8


def picture(*shape: int) -> Array:
    return np.random.default_rng(len(shape)).random(shape, np.float32)


@needs_nvcc
def test_rotate(program: ptxlift.Program) -> None:
    array = picture(HEIGHT, WIDTH)
    out = np.zeros((HEIGHT, WIDTH), np.float32)
    texture = ptxlift.Texture(array, filter_mode="linear", normalized=True, address_mode="border")
    sine, cosine = np.float32(0.5), np.float32(0.75)
    sizes = [np.int32(WIDTH), np.int32(HEIGHT)]
    program.launch("rotate", grid_of(WIDTH, HEIGHT), (16, 8), [texture, out, *sizes, sine, cosine])
    u = (np.arange(WIDTH) + 0.5) / WIDTH - 0.5
    v = ((np.arange(HEIGHT) + 0.5) / HEIGHT - 0.5)[:, None]
    x = (u * 0.75 - v * 0.5 + 0.5) * WIDTH - 0.5
    y = (v * 0.75 + u * 0.5 + 0.5) * HEIGHT - 0.5
    padded = np.pad(array.astype(np.float64), 64)
    column, row = np.floor(x).astype(int), np.floor(y).astype(int)
    a, b = x - column, y - row
    corner = [padded[row + 64 + j, column + 64 + i] for j in (0, 1) for i in (0, 1)]
    top = (1 - a) * corner[0] + a * corner[1]
    bottom = (1 - a) * corner[2] + a * corner[3]
    wanted = (1 - b) * top + b * bottom
    np.testing.assert_allclose(out, wanted, atol=2 / 256)  # each weight is off by 1/512 at most


@needs_nvcc
def test_blur(program: ptxlift.Program) -> None:
    source = np.random.default_rng(1).integers(0, 256, (HEIGHT, WIDTH, 4)).astype(np.uint8)
    target = np.zeros_like(source)
    sizes = [np.int32(WIDTH), np.int32(HEIGHT)]
    program.launch(
        "blur", grid_of(WIDTH, HEIGHT), (16, 8),
        [ptxlift.Surface(source), ptxlift.Surface(target), *sizes],
    )  # fmt: skip
    padded = np.pad(source.astype(np.uint32), ((1, 1), (1, 1), (0, 0)), mode="edge")
    parts = [padded[j : j + HEIGHT, i : i + WIDTH] for j in range(3) for i in range(3)]
    np.testing.assert_array_equal(target, sum(parts) // 9)


@needs_nvcc
def test_grade(program: ptxlift.Program) -> None:
    rng = np.random.default_rng(2)
    layers = rng.integers(0, 16, (3, HEIGHT, WIDTH)).astype(np.uint8)
    palette = (rng.integers(0, 4, (16, 4)) + 0.5).astype(np.float32)
    table = rng.random((4, 4, 4, 4), np.float32)
    out = np.zeros((HEIGHT, WIDTH, 4), np.float32)
    textures = [
        ptxlift.Texture(layers, "a2d"),
        ptxlift.Texture(palette, "1d"),
        ptxlift.Texture(table, "3d", filter_mode="linear"),
    ]
    arguments = [*textures, out, np.int32(WIDTH), np.int32(1)]
    program.launch("grade", (1, HEIGHT), WIDTH, arguments)
    colour = palette[layers[1]]
    x, y, z = (np.floor(colour[..., i]).astype(int) for i in range(3))  # middles of texels
    np.testing.assert_array_equal(out[..., :3], table[z, y, x][..., :3])
    np.testing.assert_array_equal(out[..., 3], colour[..., 3])


@needs_nvcc
def test_sky(program: ptxlift.Program) -> None:
    """Towards the middles of the eight corners' neighbours: faces by the largest component."""
    cube = np.zeros((6, 2, 2, 2), np.float32)
    cube[..., 0] = np.arange(6)[:, None, None]
    cube[..., 1] = np.arange(4).reshape(2, 2)
    directions = np.array(
        [(4, 1, 1), (-4, 1, 1), (1, 4, 1), (1, -4, 1), (1, 1, 4), (1, 1, -4)], np.float32
    )
    out = np.zeros((6, 2), np.float32)
    texture = ptxlift.Texture(cube, "cube", normalized=True)
    program.launch("sky", 1, 32, [texture, directions, out, np.int32(6)])
    # (s, t) of the guide's table: (-z, -y) (z, -y) (x, z) (x, -z) (x, -y) (-x, -y)
    wanted = [(0, 0), (1, 1), (2, 3), (3, 1), (4, 1), (5, 0)]
    np.testing.assert_array_equal(out, wanted)


@needs_nvcc
def test_levels(program: ptxlift.Program, request: pytest.FixtureRequest) -> None:
    if "gfx1100" in request.node.name:
        pytest.skip("objects for image instructions have one level")
    shapes = ((8, 8), (4, 4), (2, 2), (1, 1))
    levels = [np.full(shape, 10 * n, np.float32) for n, shape in enumerate(shapes)]
    mipmap = ptxlift.Texture(levels[0], levels=levels[1:], normalized=True, mipmap_filter="linear")
    plain = np.arange(64, dtype=np.float32).reshape(8, 8)
    out, around = np.zeros(12, np.float32), np.zeros((12, 4), np.float32)
    program.launch("levels", 1, 12, [mipmap, ptxlift.Texture(plain), out, around, np.int32(12)])
    np.testing.assert_array_equal(out, np.minimum(np.arange(12) * 2.5, 30))
    column = np.arange(12)[:, None] + np.array([0, 1, 1, 0])
    wanted = plain[np.array([2, 2, 1, 1]), np.minimum(column, 7)]
    np.testing.assert_array_equal(around, wanted)


@needs_nvcc
def test_count_grey(program: ptxlift.Program) -> None:
    grey = np.random.default_rng(3).integers(0, 256, (HEIGHT, WIDTH)).astype(np.uint8)
    counts = np.zeros(8, np.int32)
    texture = ptxlift.Texture(grey, normalized_float=True)
    sizes = [np.int32(WIDTH), np.int32(HEIGHT)]
    program.launch("count_grey", grid_of(WIDTH, HEIGHT), (16, 8), [texture, counts, *sizes])
    steps = np.floor(grey.astype(np.float64) / 255 * 7 + 0.5).astype(int)
    np.testing.assert_array_equal(counts, np.bincount(steps.reshape(-1), minlength=8))


@pytest.mark.parametrize("place", (*PLACES, "gfx950", "gfx1201"))
def test_edges_by_hand(place: str) -> None:
    array = np.random.default_rng(4).integers(0, 200, (HEIGHT, WIDTH)).astype(np.float32)
    found = np.zeros((HEIGHT, WIDTH), np.float32)
    program = loaded((EXAMPLES / "textures/edges.ptx").read_text(), place)
    program.bind("picture", ptxlift.Texture(array, filter_mode="linear", address_mode="border"))
    program.bind("edges", ptxlift.Surface(found))
    program.launch("find_edges", HEIGHT + 2, 64, [])
    padded = np.pad(array.astype(np.float64), 2)
    rows, columns = np.mgrid[0:HEIGHT, 0:WIDTH]

    def mean(dx: int, dy: int) -> Array:
        """Of the four texels around a corner."""
        y, x = rows + dy + 2, columns + dx + 2
        return (padded[y, x] + padded[y, x - 1] + padded[y - 1, x] + padded[y - 1, x - 1]) / 4

    wanted = np.abs(mean(1, 0) - mean(-1, 0)) + np.abs(mean(0, 1) - mean(0, -1))
    np.testing.assert_array_equal(found, wanted)
