"""Layers, cubes, samples, levels and gathers."""

from __future__ import annotations

import numpy as np
import pytest
from image_kernels import PLACES, Array, kernel, results
from reference import Reference, face

import ptxlift

RESULTS = ("%f1", "%f2", "%f3", "%f4")
RESULT = "{%f1, %f2, %f3, %f4}"
FLOATS = [np.float32] * 4
COUNT = 80


def texels_of(*shape: int) -> Array:
    return np.random.default_rng(len(shape)).integers(0, 64, shape).astype(np.float32)


def uniform(low: float, high: float, seed: int) -> Array:
    """Coordinates in steps of 1/64, off the middles and edges of texels."""
    rng = np.random.default_rng(seed)
    return ((rng.integers(int(low * 64), int(high * 64), COUNT) + 0.25) / 64).astype(np.float32)


def numbers(low: int, high: int, seed: int) -> Array:
    return np.random.default_rng(seed).integers(low, high, COUNT).astype(np.int32)


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("linear", [False, True])
def test_layers(linear: bool, place: str) -> None:
    """The index is unsigned and kept within the layers."""
    texels = texels_of(3, 4, 5, 2)
    layers, x, y = numbers(-2, 6, 1), uniform(-2, 7, 2), uniform(-2, 6, 3)
    texture = ptxlift.Texture(texels, "a2d", filter_mode="linear" if linear else "point")
    text = kernel(f"tex.a2d.v4.f32.f32 {RESULT}, [%t0, {{%r5, %f5, %f6, %f6}}];",
                  ["%r5", "%f5", "%f6"], RESULTS)  # fmt: skip
    found = np.stack(results(text, place, [texture], [layers, x, y], FLOATS), -1)
    for at, layer in enumerate(layers):
        plane = texels[min(int(layer) % 2**32, 2)]
        wanted = Reference(plane, linear=linear).fetch([float(x[at]), float(y[at])])
        np.testing.assert_allclose(found[at, :2], wanted, rtol=1e-6)


@pytest.mark.parametrize("place", PLACES)
def test_layers_of_one_dimension(place: str) -> None:
    texels = texels_of(4, 6)
    layers, x = numbers(0, 4, 1), uniform(0, 6, 2)
    text = kernel(f"tex.a1d.v4.f32.f32 {RESULT}, [%t0, {{%r5, %f5}}];", ["%r5", "%f5"], RESULTS)
    found = results(text, place, [ptxlift.Texture(texels, "a1d")], [layers, x], FLOATS)
    np.testing.assert_array_equal(found[0], texels[layers, np.floor(x).astype(int)])


def directions() -> list[Array]:
    """No two components of the same size."""
    rng = np.random.default_rng(5)
    found = rng.normal(size=(COUNT, 3))
    return [column.astype(np.float32) for column in found.T]


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("linear", [False, True])
def test_cubes(linear: bool, place: str) -> None:
    texels = texels_of(6, 8, 8)
    coordinates = directions()
    texture = ptxlift.Texture(
        texels, "cube", normalized=True, filter_mode="linear" if linear else "point"
    )
    text = kernel(f"tex.cube.v4.f32.f32 {RESULT}, [%t0, {{%f5, %f6, %f7, %f7}}];",
                  ["%f5", "%f6", "%f7"], RESULTS)  # fmt: skip
    found = results(text, place, [texture], coordinates, FLOATS)[0]
    wanted = []
    for direction in zip(*coordinates, strict=True):
        number, s, t = face(*map(float, direction))
        plane = Reference(texels[number][..., None], linear=linear, normalized=True)
        wanted.append(plane.fetch([s, t])[0])
    if linear:  # weights may be one step of 1/256 apart, texels are below 64
        np.testing.assert_allclose(found, wanted, atol=0.6)
        assert (np.abs(found - wanted) < 1e-4).mean() > 0.9
    else:
        np.testing.assert_array_equal(found, wanted)


@pytest.mark.parametrize("place", PLACES)
def test_middles_of_faces_and_their_axes(place: str) -> None:
    """The guide's table, each face by itself: its middle, and a step along s and along t."""
    texels = np.zeros((6, 3, 3), np.float32)
    texels[:] = np.arange(6)[:, None, None] * 100 + np.arange(9).reshape(3, 3)
    middle = [(1, 0, 0), (-1, 0, 0), (0, 1, 0), (0, -1, 0), (0, 0, 1), (0, 0, -1)]
    s_axes = [(0, 0, -1), (0, 0, 1), (1, 0, 0), (1, 0, 0), (1, 0, 0), (-1, 0, 0)]
    t_axes = [(0, -1, 0), (0, -1, 0), (0, 0, 1), (0, 0, -1), (0, -1, 0), (0, -1, 0)]
    points, wanted = [], []
    for number in range(6):
        for step, texel in (((0, 0), 4), ((0.6, 0), 5), ((0, 0.6), 7), ((-0.6, -0.6), 0)):
            s, t = np.multiply(s_axes[number], step[0]), np.multiply(t_axes[number], step[1])
            points.append(np.add(middle[number], s + t))
            wanted.append(number * 100 + texel)
    text = kernel(f"tex.cube.v4.f32.f32 {RESULT}, [%t0, {{%f5, %f6, %f7, %f7}}];",
                  ["%f5", "%f6", "%f7"], RESULTS)  # fmt: skip
    coordinates = [np.array(c, np.float32) for c in np.transpose(points)]
    texture = ptxlift.Texture(texels, "cube", normalized=True)
    found = results(text, place, [texture], coordinates, FLOATS)[0]
    np.testing.assert_array_equal(found, wanted)


@pytest.mark.parametrize("place", PLACES)
def test_cubes_in_arrays(place: str) -> None:
    texels = texels_of(3, 6, 4, 4)
    coordinates, cubes = directions(), numbers(0, 5, 6)
    text = kernel(f"tex.acube.v4.f32.f32 {RESULT}, [%t0, {{%r5, %f5, %f6, %f7}}];",
                  ["%r5", "%f5", "%f6", "%f7"], RESULTS)  # fmt: skip
    texture = ptxlift.Texture(texels, "acube", normalized=True)
    found = results(text, place, [texture], [cubes, *coordinates], FLOATS)[0]
    for at, direction in enumerate(zip(*coordinates, strict=True)):
        number, s, t = face(*map(float, direction))
        plane = texels[min(cubes[at], 2), number]
        assert found[at] == plane[min(int(t * 4), 3), min(int(s * 4), 3)]


@pytest.mark.parametrize("place", PLACES)
def test_integer_coordinates_give_zeros_outside(place: str) -> None:
    texels = texels_of(4, 5, 2)
    x, y = numbers(-3, 8, 1), numbers(-3, 7, 2)
    text = kernel(f"tex.2d.v4.f32.s32 {RESULT}, [%t0, {{%r5, %r6}}];", ["%r5", "%r6"], RESULTS)
    texture = ptxlift.Texture(texels, address_mode="wrap", normalized=True)
    found = np.stack(results(text, place, [texture], [x, y], FLOATS), -1)
    inside = (x >= 0) & (x < 5) & (y >= 0) & (y < 4)
    wanted = np.where(inside[:, None], texels[np.clip(y, 0, 3), np.clip(x, 0, 4)], 0)
    np.testing.assert_array_equal(found[:, :2], wanted)
    assert (found[:, 3] == 1).all()


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("array", [False, True])
def test_samples(array: bool, place: str) -> None:
    """PTX ISA, tex.2dms, tex.a2dms: the sample comes first. Of arrays the manual also says that the
    layer does; ptxas 13 makes TLD.MS of (layer, x, y) = (second, third, fourth) and the first.
    """
    texels = texels_of(*((3,) if array else ()), 4, 3, 5)
    layer, sample = numbers(0, 3, 1), numbers(0, 4, 2)
    x, y = numbers(0, 5, 3), numbers(0, 3, 4)
    if array:
        line, inputs = "a2dms.v4.f32.s32", ["%r5", "%r6", "%r7", "%r8"]
        places, given = "{%r6, %r5, %r7, %r8}", [layer, sample, x, y]
        wanted = texels[layer, sample, y, x]
    else:
        line, inputs = "2dms.v4.f32.s32", ["%r6", "%r7", "%r8"]
        places, given = "{%r6, %r7, %r8, %r8}", [sample, x, y]
        wanted = texels[sample, y, x]
    text = kernel(f"tex.{line} {RESULT}, [%t0, {places}];", inputs, RESULTS)
    texture = ptxlift.Texture(texels, "a2dms" if array else "2dms")
    found = results(text, place, [texture], given, FLOATS)[0]
    np.testing.assert_array_equal(found, wanted)


# ---- levels ----


def pyramid() -> list[Array]:
    """Level n is full of 100 n, plus the texel's number."""
    shapes = [(8, 12), (4, 6), (2, 3), (1, 1)]
    return [
        (100 * n + np.arange(h * w).reshape(h, w)).astype(np.float32)
        for n, (h, w) in enumerate(shapes)
    ]


def level_of(lods: Array, mipmap_filter: str, place: str, **more: object) -> Array:
    levels = pyramid()
    texture = ptxlift.Texture(
        levels[0], levels=levels[1:], normalized=True, mipmap_filter=mipmap_filter, **more
    )
    text = kernel(f"tex.level.2d.v4.f32.f32 {RESULT}, [%t0, {{%f5, %f6}}], %f7;",
                  ["%f5", "%f6", "%f7"], RESULTS)  # fmt: skip
    zeros = np.zeros(len(lods), np.float32)
    return results(text, place, [texture], [zeros, zeros, lods], FLOATS)[0]


@pytest.mark.parametrize("place", PLACES)
def test_the_nearest_level(place: str) -> None:
    lods = np.array([-1, 0, 0.25, 0.75, 1, 1.75, 2.75, 9], np.float32)
    found = level_of(lods, "point", place)
    np.testing.assert_array_equal(found, [0, 0, 0, 100, 100, 200, 300, 300])


@pytest.mark.parametrize("place", PLACES)
def test_between_levels(place: str) -> None:
    lods = np.array([-1, 0.25, 0.5, 1, 2.75, 3, 9], np.float32)
    found = level_of(lods, "linear", place)
    np.testing.assert_array_equal(found, [0, 25, 50, 100, 275, 300, 300])


@pytest.mark.parametrize("place", PLACES)
def test_bias_and_bounds_of_levels(place: str) -> None:
    lods = np.array([-2, 0, 1, 9], np.float32)
    found = level_of(lods, "linear", place, lod_bias=0.5, lod_range=(0.25, 2.0))
    np.testing.assert_array_equal(found, [25, 50, 150, 200])


@pytest.mark.parametrize("place", PLACES)
def test_levels_of_integer_coordinates(place: str) -> None:
    levels = pyramid()
    texture = ptxlift.Texture(levels[0], levels=levels[1:], mipmap_filter="linear")
    level, x, y = numbers(0, 4, 1), numbers(0, 3, 2), numbers(0, 2, 3)
    text = kernel(f"tex.level.2d.v4.f32.s32 {RESULT}, [%t0, {{%r5, %r6}}], %r7;",
                  ["%r5", "%r6", "%r7"], RESULTS)  # fmt: skip
    found = results(text, place, [texture], [x, y, level], FLOATS)[0]
    for at in range(COUNT):
        plane = levels[level[at]]
        inside = x[at] < plane.shape[1] and y[at] < plane.shape[0]
        assert found[at] == (plane[y[at], x[at]] if inside else 0)


@pytest.mark.parametrize("place", PLACES)
def test_gradients_choose_the_level(place: str) -> None:
    """log2 of the longer step in texels: 12 texels across, 8 down."""
    levels = pyramid()
    texture = ptxlift.Texture(levels[0], levels=levels[1:], normalized=True, mipmap_filter="linear")
    text = kernel(
        f"tex.grad.2d.v4.f32.f32 {RESULT}, [%t0, {{%f5, %f5}}], {{%f6, %f7}}, {{%f8, %f9}};",
        ["%f5", "%f6", "%f7", "%f8", "%f9"], RESULTS,
    )  # fmt: skip
    steps = [
        (1, 0, 0, 0),
        (2, 0, 0, 1),
        (0, 0, 0, 4),
        (0, 8, 0, 0),
        (0.5, 0, 0, 0.25),
        (6, 0, 0, 8),
    ]
    across_down = np.array(steps, np.float32).T / np.array([12, 8, 12, 8], np.float32)[:, None]
    zeros = np.zeros(len(steps), np.float32)
    found = results(
        text, place, [texture], [zeros, *map(np.ascontiguousarray, across_down)], FLOATS
    )[0]
    np.testing.assert_allclose(found, [0, 100, 200, 300, 0, 300], atol=0.5)


@pytest.mark.parametrize("place", PLACES)
def test_levels_of_volumes_and_layers(place: str) -> None:
    volume = [texels_of(4, 5, 6), texels_of(2, 2, 3), texels_of(1, 1, 1)]
    layers = [texels_of(3, 4, 4), texels_of(3, 2, 2)]
    level = np.array([0, 1, 2, 1], np.float32)
    zero = np.zeros(4, np.float32)
    line = f"tex.level.3d.v4.f32.f32 {RESULT}, [%t0, {{%f5, %f5, %f6, %f5}}], %f7;"
    text = kernel(line, ["%f5", "%f6", "%f7"], RESULTS)
    texture = ptxlift.Texture(volume[0], "3d", levels=volume[1:])
    z = np.array([3, 1, 0, 5], np.float32)
    found = results(text, place, [texture], [zero, z, level], FLOATS)[0]
    wanted = [volume[0][3, 0, 0], volume[1][1, 0, 0], volume[2][0, 0, 0], volume[1][1, 0, 0]]
    np.testing.assert_array_equal(found, wanted)
    line = f"tex.level.a2d.v4.f32.f32 {RESULT}, [%t0, {{%r5, %f5, %f5, %f5}}], %f7;"
    text = kernel(line, ["%r5", "%f5", "%f7"], RESULTS)
    texture = ptxlift.Texture(layers[0], "a2d", levels=layers[1:])
    layer = np.array([0, 2, 1, 1], np.int32)
    found = results(text, place, [texture], [layer, zero, level], FLOATS)[0]
    wanted = [layers[0][0, 0, 0], layers[1][2, 0, 0], layers[1][1, 0, 0], layers[1][1, 0, 0]]
    np.testing.assert_array_equal(found, wanted)


# ---- gathers ----


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("component", [0, 1, 3])
def test_gathers(component: int, place: str) -> None:
    texels = texels_of(5, 6, 4)
    x, y = uniform(-2, 8, 1), uniform(-2, 7, 2)
    line = f"tld4.{'rgba'[component]}.2d.v4.f32.f32 {RESULT}, [%t0, {{%f5, %f6}}];"
    text = kernel(line, ["%f5", "%f6"], RESULTS)
    found = np.stack(results(text, place, [ptxlift.Texture(texels)], [x, y], FLOATS), -1)
    reference = Reference(texels)
    for at in range(COUNT):
        assert list(found[at]) == reference.gather([float(x[at]), float(y[at])], component)


@pytest.mark.parametrize("place", PLACES)
def test_what_is_read_is_resident(place: str) -> None:
    line = f"tex.1d.v4.f32.s32 {RESULT}|%p1, [%t0, {{%r5}}]; selp.b32 %r6, 1, 0, %p1;"
    text = kernel(line, ["%r5"], ["%r6"])
    texture = ptxlift.Texture(texels_of(4), "1d")
    (found,) = results(text, place, [texture], [np.arange(-2, 6, dtype=np.int32)], [np.uint32])
    assert (found == 1).all()
