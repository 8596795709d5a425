"""Address modes, filters and offsets in one, two and three dimensions."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from image_kernels import PLACES, Array, kernel, results
from reference import Reference

import ptxlift

RESULTS = ("%f1", "%f2", "%f3", "%f4")
FLOATS = [np.float32] * 4
SHAPES = {"1d": (7,), "2d": (5, 6), "3d": (3, 4, 5)}
MODES = ("clamp", "border", "wrap", "mirror")
BORDER = (7.0, 11.0, 13.0, 17.0)


def tex(geometry: str, offsets: Sequence[int] = ()) -> str:
    """A fetch at %f5, %f6, %f7."""
    names = {"1d": "%f5", "2d": "%f5, %f6", "3d": "%f5, %f6, %f7, %f7"}[geometry]
    more = f", {{{', '.join(map(str, offsets))}}}" if offsets else ""
    return f"tex.{geometry}.v4.f32.f32 {{%f1, %f2, %f3, %f4}}, [%t0, {{{names}}}]{more};"


def places_around(sizes: Sequence[int], normalized: bool) -> list[Array]:
    """Coordinates in and around the image, in steps of 1/64 texel: exact in f32."""
    rng = np.random.default_rng(sum(sizes))
    found = []
    for size in sizes:
        texels = rng.integers(-3 * size * 64, 4 * size * 64, 96) / 64
        found.append((texels / size if normalized else texels).astype(np.float32))
    return found


def small_texels(shape: Sequence[int], channels: int) -> Array:
    return np.random.default_rng(channels).integers(0, 64, (*shape, channels)).astype(np.float32)


def check(
    geometry: str,
    place: str,
    reference: Reference,
    texture: ptxlift.Texture,
    coordinates: Sequence[Array],
    offsets: Sequence[int] = (0, 0, 0),
) -> None:
    inputs = [f"%f{5 + i}" for i in range(len(coordinates))]
    given = offsets if any(offsets) else ()
    text = kernel(tex(geometry, given), inputs, RESULTS)
    found = np.stack(results(text, place, [texture], coordinates, FLOATS), -1)
    points = zip(*coordinates, strict=True)
    wanted = np.stack([reference.fetch([float(c) for c in point], offsets) for point in points])
    channels = wanted.shape[-1]
    np.testing.assert_allclose(found[:, :channels], wanted, rtol=1e-6, atol=0)
    missing = np.array([0, 0, 0, 1], np.float32)[channels:]
    assert (found[:, channels:] == missing).all()


@pytest.mark.sampled(19)
@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("geometry", SHAPES)
@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("linear", [False, True])
def test_address_modes(geometry: str, mode: str, linear: bool, place: str) -> None:
    shape = SHAPES[geometry]
    texels = small_texels(shape, 2)
    normalized = mode in ("wrap", "mirror")
    reference = Reference(texels, (mode,) * 3, linear, normalized, BORDER)
    texture = ptxlift.Texture(
        texels,
        geometry,
        address_mode=mode,
        filter_mode="linear" if linear else "point",
        normalized=normalized,
        border=BORDER,
    )
    coordinates = places_around(reference.sizes, normalized)
    check(geometry, place, reference, texture, coordinates)


@pytest.mark.parametrize("place", PLACES)
def test_axes_have_their_own_modes(place: str) -> None:
    modes = ("wrap", "mirror", "clamp")
    texels = small_texels((3, 4, 5), 1)
    reference = Reference(texels, modes, True, True)
    texture = ptxlift.Texture(
        texels, "3d", address_mode=modes, filter_mode="linear", normalized=True
    )
    check("3d", place, reference, texture, places_around((5, 4, 3), True))


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("mode", MODES)
def test_offsets_count_texels(mode: str, place: str) -> None:
    texels = small_texels((5, 3), 4)
    normalized = mode in ("wrap", "mirror")
    reference = Reference(texels, (mode,) * 2, True, normalized)
    texture = ptxlift.Texture(
        texels, "2d", address_mode=mode, filter_mode="linear", normalized=normalized
    )
    check("2d", place, reference, texture, places_around((3, 5), normalized), (-8, 7))


@pytest.mark.parametrize("place", PLACES)
def test_wrap_clamps_what_is_not_normalised(place: str) -> None:
    texels = small_texels((6,), 1)
    texture = ptxlift.Texture(texels, "1d", address_mode="wrap")
    check("1d", place, Reference(texels), texture, places_around((6,), False))


@pytest.mark.parametrize("place", PLACES)
def test_weights_have_eight_bits(place: str) -> None:
    """Guide, "Linear Filtering": 1.8 fixed point, so that 1.0 is exact and 1/1024 is nothing."""
    texels = np.array([0, 256], np.float32)
    texture = ptxlift.Texture(texels, "1d", filter_mode="linear")
    x = np.array([0.5, 0.5 + 1 / 1024, 0.5 + 3 / 1024, 1.0, 1.5 - 1 / 1024, 1.5], np.float32)
    text = kernel(tex("1d"), ["%f5"], RESULTS)
    found = results(text, place, [texture], [x], FLOATS)
    np.testing.assert_array_equal(found[0], [0, 0, 1, 128, 256, 256])


@pytest.mark.parametrize("place", PLACES)
def test_coordinates_that_are_no_numbers(place: str) -> None:
    texels = np.arange(1, 5, dtype=np.float32)
    x = np.array([np.nan, np.inf, -np.inf, 3e38, -3e38], np.float32)
    text = kernel(tex("1d"), ["%f5"], RESULTS)
    found = results(text, place, [ptxlift.Texture(texels, "1d")], [x], FLOATS)
    np.testing.assert_array_equal(found[0], [1, 4, 1, 4, 1])
