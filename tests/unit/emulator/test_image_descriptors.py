"""The objects that the runtime makes, against descriptors written out by hand."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from image_programs import CHIPS, FORMATS, SHAPES, Plan, image_words, sampler_words

from ptxlift.runtime.image_descriptors import hardware_object
from ptxlift.runtime.image_memory import placed_levels
from ptxlift.runtime.images import Sampler, Texture
from ptxlift.runtime.placed_images import PlacedImage
from ptxlift.target import TargetSpec, lookup
from ptxlift.target.image_words import FAMILIES, pack, unpack

ADDRESS = 0x1234_5678_9A00
GEOMETRIES = {"1darray": "a1d", "2darray": "a2d"}
SIZES: dict[str, tuple[int, ...]] = {
    "1d": (70,),
    "2d": (5, 70),
    "3d": (4, 5, 70),
    "1darray": (4, 70),
    "2darray": (4, 5, 70),
    "cube": (6, 5, 70),
}
DTYPES: dict[str, tuple[Any, bool]] = {
    "u8": (np.uint8, False),
    "unorm8": (np.uint8, True),
    "snorm8": (np.int8, True),
    "s16": (np.int16, False),
    "unorm16": (np.uint16, True),
    "f16": (np.float16, False),
    "u32": (np.uint32, False),
    "f32": (np.float32, False),
}


def _spec(chip: str) -> TargetSpec:
    return lookup(chip)


def _place(texture: Texture, chip: str) -> PlacedImage:
    levels = placed_levels(texture, _spec(chip))
    return PlacedImage(texture, levels, np.zeros(0, np.uint8), ADDRESS)


def _selected(words: list[int], channels: int) -> list[int]:
    """As `image_words` makes them, with 0, 0 and 1 for channels that the format lacks."""
    selects = [4, 5, 6, 7][:channels] + [0, 0, 0, 1][channels:]
    word = sum(select << 3 * at for at, select in enumerate(selects))
    return [*words[:3], words[3] & ~0xFFF | word, *words[4:]]


@pytest.mark.parametrize("chip", CHIPS)
@pytest.mark.parametrize("form", FORMATS)
@pytest.mark.parametrize("shape", SHAPES)
def test_image_words(chip: str, form: str, shape: str) -> None:
    kind, channels = form[:-2], int(form[-1])
    dtype, normalized = DTYPES[kind]
    size = SIZES[shape]
    array = np.zeros((*size, *((channels,) if channels > 1 else ())), dtype)
    geometry = GEOMETRIES.get(shape, shape)
    texture = Texture(array, geometry=geometry, normalized_float=normalized)
    placed = _place(texture, chip)
    found = hardware_object(placed, None, _spec(chip))
    planes = size[0] if shape in ("3d", "1darray", "2darray", "cube") else 1
    height = size[-2] if shape in ("2d", "3d", "2darray", "cube") else 1
    texel = array.dtype.itemsize * channels
    pitch = -(-70 * texel // 256) * 256 // texel
    plan = Plan(form, shape, 70, height, planes - 1, pitch)
    assert found[:8] == _selected(image_words(chip, plan, ADDRESS), channels)
    assert found[10] == 70


@pytest.mark.parametrize("chip", CHIPS)
def test_rows_of_slices(chip: str) -> None:
    """gfx12 rounds rows of arrays and volumes to 128 bytes, and their slices as if to 256."""
    texture = Texture(np.zeros((2, 3, 70), np.float32), geometry="3d")
    (level,) = placed_levels(texture, _spec(chip))
    assert (level.pitch, level.slice) == (384 if chip == "gfx1201" else 512, 3 * 512)
    (level,) = placed_levels(Texture(np.zeros((3, 70), np.float32)), _spec(chip))
    assert (level.pitch, level.slice) == (512, 3 * 512)


SAMPLERS = [
    (Sampler(), sampler_words(2, unnormalized=True)),
    (Sampler(address_mode="wrap", normalized=True), sampler_words(0)),
    (Sampler(address_mode="wrap"), sampler_words(2, unnormalized=True)),  # as CUDA has it
    (Sampler(address_mode="mirror", filter_mode="linear", normalized=True), sampler_words(1, True)),
    (
        Sampler(address_mode="border", border=(0, 0, 0, 1), normalized=True),
        sampler_words(6, border=1),
    ),
]


@pytest.mark.parametrize(("sampler", "words"), SAMPLERS)
@pytest.mark.parametrize("chip", CHIPS[:3])
def test_sampler_words(chip: str, sampler: Sampler, words: list[int]) -> None:
    assert hardware_object(None, sampler, _spec(chip))[12:16] == words


BUFFERS = {
    "gfx90a": 11 << 15 | 7 << 12,  # data format 32_32, number format float
    "gfx1030": 64 << 12 | 1 << 24,
    "gfx1100": 50 << 12,
    "gfx1201": 50 << 12,
}


@pytest.mark.parametrize("chip", CHIPS)
def test_buffer_words(chip: str) -> None:
    texture = Texture(np.zeros((70_000, 2), np.float32), geometry="1d")
    found = hardware_object(_place(texture, chip), None, _spec(chip))
    selects = 4 | 5 << 3 | 1 << 9
    low, high = ADDRESS & 0xFFFFFFFF, ADDRESS >> 32
    assert found[:4] == [low, high | 8 << 16, 8 * 70_000, BUFFERS[chip] | selects]


@pytest.mark.parametrize("generation", FAMILIES)
def test_fields_do_not_overlap(generation: int) -> None:
    """But for the pitch, which stands where other shapes have their depth."""
    family = FAMILIES[generation]
    for fields, words in ((family.image, 8), (family.sampler, 4), (family.buffer, 4)):
        taken: dict[tuple[int, int], str] = {}
        for name, pieces in fields.items():
            if name == "pitch" and generation > 9:
                continue
            for word, low, width in pieces:
                assert word < words and low + width <= 32
                for bit in range(low, low + width):
                    assert taken.setdefault((word, bit), name) == name
        values = {name: 1 for name in fields if name != "pitch"}
        found = unpack(fields, pack(fields, values, words))
        assert {name: found[name] for name in values} == values
    with pytest.raises(ValueError, match="height"):
        pack(FAMILIES[generation].image, {"height": 1 << 20}, 8)
