"""Channels of every type and number, as they are and as normalised floats."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from image_kernels import PLACES, Array, kernel, results

import ptxlift

TYPES = ("uint8", "int8", "uint16", "int16", "uint32", "int32", "float16", "float32")
WORDS = ("%r1", "%r2", "%r3", "%r4")
FETCH = "tex.1d.v4.u32.s32 {%r1, %r2, %r3, %r4}, [%t0, {%r5}];"


def some_texels(dtype: str, channels: int) -> Array:
    rng = np.random.default_rng(channels)
    raw = rng.integers(0, 256, (9, channels * np.dtype(dtype).itemsize), np.uint8)
    if dtype.startswith("float"):
        return rng.normal(size=(9, channels)).astype(dtype)
    return raw.view(dtype)


def as_words(values: Array) -> Array:
    """What a fetch gives: floats as f32, integers extended to 32 bits."""
    if values.dtype.kind == "f":
        return values.astype(np.float32).view(np.uint32)
    return values.astype(np.int64).astype(np.uint32)


def completed(words: Array, one: int) -> Array:
    missing = np.array([0, 0, 0, one], np.uint32)[words.shape[1] :]
    return np.concatenate([words, np.tile(missing, (len(words), 1))], 1)


def fetched(texture: ptxlift.Texture, place: str, x: Array) -> Array:
    text = kernel(FETCH, ["%r5"], WORDS)
    return np.stack(results(text, place, [texture], [x], [np.uint32] * 4), -1)


@pytest.mark.sampled(19)
@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("channels", [1, 2, 4])
@pytest.mark.parametrize("dtype", TYPES)
def test_every_format(dtype: str, channels: int, place: str) -> None:
    texels = some_texels(dtype, channels)
    found = fetched(ptxlift.Texture(texels, "1d"), place, np.arange(9, dtype=np.int32))
    one = 0x3F800000 if dtype.startswith("float") else 1
    np.testing.assert_array_equal(found, completed(as_words(texels), one))


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("dtype", ["uint8", "int8", "uint16", "int16"])
def test_normalised_integers_are_quotients_rounded_once(dtype: str, place: str) -> None:
    """All bytes; of the halves every 64th and the ends."""
    info = np.iinfo(dtype)
    step = 1 if info.bits == 8 else 64
    texels = np.unique([*range(info.min, info.max + 1, step), info.max, -1 % info.max, 0, 1])
    texels = texels.astype(dtype)[:1024]
    texture = ptxlift.Texture(texels, "1d", normalized_float=True)
    found = fetched(texture, place, np.arange(len(texels), dtype=np.int32))
    wanted = np.maximum(texels.astype(np.float64) / info.max, -1).astype(np.float32)
    np.testing.assert_array_equal(found[:, 0].view(np.float32), wanted)
    assert (found[:, 3] == 0x3F800000).all()


@pytest.mark.parametrize("place", PLACES)
def test_filters_of_normalised_bytes(place: str) -> None:
    texels = np.array([[0, 255], [255, 51]], np.uint8)
    texture = ptxlift.Texture(texels, "1d", normalized_float=True, filter_mode="linear")
    text = kernel("tex.1d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%t0, {%f5}];", ["%f5"], ["%f1", "%f2"])
    x = np.array([0.5, 0.75, 1.0, 1.5], np.float32)
    found = results(text, place, [texture], [x], [np.float32] * 2)
    np.testing.assert_array_equal(found[0], np.array([0, 0.25, 0.5, 1], np.float32))
    np.testing.assert_allclose(found[1], [1, 0.8, 0.6, 0.2], rtol=1e-6)


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize(
    ("instruction", "outputs"),
    [
        ("tex.1d.v4.f16.s32 {%h1, %h2, %h3, %h4}, [%t0, {%r5}];", ["%h1", "%h2", "%h3", "%h4"]),
        ("tex.1d.v2.f16x2.s32 {%r1, %r2}, [%t0, {%r5}];", ["%r1", "%r2"]),
    ],
)
def test_results_of_half_precision_are_rounded(
    instruction: str, outputs: Sequence[str], place: str
) -> None:
    texels = np.random.default_rng(4).normal(size=(8, 4)).astype(np.float32)
    types = [np.uint16 if name.startswith("%h") else np.uint32 for name in outputs]
    x = np.arange(8, dtype=np.int32)
    found = results(kernel(instruction, ["%r5"], outputs), place, [ptxlift.Texture(texels, "1d")],
                    [x], types)  # fmt: skip
    halves = np.stack(found, -1).view(np.uint16)
    np.testing.assert_array_equal(halves.view(np.float16), texels.astype(np.float16))


@pytest.mark.parametrize("place", PLACES)
def test_borders_of_integers_are_integers(place: str) -> None:
    texture = ptxlift.Texture(
        np.array([[1, 2, 3, 4]], np.int16), "1d", address_mode="border", border=(-5, 6, -7, 8)
    )
    text = kernel("tex.1d.v4.s32.f32 {%r1, %r2, %r3, %r4}, [%t0, {%f5}];", ["%f5"], WORDS)
    found = results(text, place, [texture], [np.array([-1, 0.5, 1], np.float32)], [np.int32] * 4)
    np.testing.assert_array_equal(
        np.stack(found, -1), [[-5, 6, -7, 8], [1, 2, 3, 4], [-5, 6, -7, 8]]
    )
