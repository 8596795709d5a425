"""Sampling: from coordinates to texels, with wrapping and filtering.

Comes in: an image, a sampler and coordinates of lanes. Goes out: four channels of words. A texel's
index and weights come from the coordinate in texels, rounded to 8 bits of fraction; the weighted
sum is exact and then rounded once. It must not know registers or instructions.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from ptxlift.diag import PtxError
from ptxlift.emulator.images.descriptors import LAYERED, Image, Sampler
from ptxlift.emulator.images.texels import Words, fetch, select
from ptxlift.emulator.memory import Memory
from ptxlift.records import dataclass
from ptxlift.target.image_words import Border, Clamp, ImageType, Numbers

Floats: TypeAlias = NDArray[np.float32]
Integers: TypeAlias = NDArray[np.int64]
Bools: TypeAlias = NDArray[np.bool_]

_FRACTION_BITS = 8
_STEPS = 1 << _FRACTION_BITS
_FARTHEST = 1 << 40  # texels: coordinates are cut to it before they become integers
_FACE_STRIDE = 8  # a cube array's third coordinate is 8 * cube + face
_FACES = 6
_DIMENSIONS = {ImageType.D1: 1, ImageType.D1_ARRAY: 1, ImageType.D3: 3}  # else 2


@dataclass(frozen=True, slots=True)
class Place:
    """Texels along one axis: the lower index and the weight of the one above, in 1/256."""

    index: Integers
    weight: Integers
    linear: bool


def dimensions(shape: ImageType) -> int:
    """How many coordinates are filtered; what follows them is a layer."""
    return _DIMENSIONS.get(shape, 2)


def sample(
    memory: Memory,
    image: Image,
    sampler: Sampler,
    coordinates: list[Floats],
    offsets: tuple[Integers, ...],
) -> Words:
    """What a sample at level 0 returns."""
    if sampler.linear and image.texel.numbers in (Numbers.UINT, Numbers.SINT):
        raise PtxError.of("PTX406", "linear filtering of integer texels is not modelled")
    places = _places(image, sampler, coordinates, offsets)
    layer = _layer(image, coordinates)
    corners = list(_corners(image, sampler, memory, places, layer))
    if len(corners) == 1:
        return corners[0][0]
    total = np.zeros(corners[0][0].shape, np.float64)
    for channels, weight in corners:
        # a weight of 0 keeps infinities and NaNs of texels that are not wanted out
        part = channels.view(np.float32).astype(np.float64) * weight
        total += np.where(weight == 0, 0.0, part)
    return total.astype(np.float32).view(np.uint32)


def gather(
    memory: Memory,
    image: Image,
    sampler: Sampler,
    coordinates: list[Floats],
    offsets: tuple[Integers, ...],
    channel: int,
) -> Words:
    """One channel of the texels a bilinear filter reads: (0, 1), (1, 1), (1, 0), (0, 0)."""
    places = [
        Place(place.index, place.weight, True)
        for place in _places(image, sampler, coordinates, offsets, always_linear=True)
    ]
    layer = _layer(image, coordinates)
    found = [
        _texel(image, sampler, memory, places, steps, layer)[channel]
        for steps in ((0, 1), (1, 1), (1, 0), (0, 0))
    ]
    return np.stack(found)


def _places(
    image: Image,
    sampler: Sampler,
    coordinates: list[Floats],
    offsets: tuple[Integers, ...],
    always_linear: bool = False,
) -> list[Place]:
    is_cube = image.shape is ImageType.CUBE
    found = []
    for axis in range(dimensions(image.shape)):
        value = np.nan_to_num(coordinates[axis].astype(np.float64), posinf=_FARTHEST)
        if is_cube:
            value -= 1.0  # the face's coordinates are 1 to 2
        if sampler.normalized:
            value *= image.size[axis]
        linear = always_linear or (sampler.linear_z if axis == 2 else sampler.linear)
        place = _place(np.clip(value, -_FARTHEST, _FARTHEST), linear, sampler.truncate)
        moved = place.index + offsets[axis] if axis < len(offsets) else place.index
        found.append(Place(moved, place.weight, place.linear))
    return found


def _place(texels: NDArray[np.float64], linear: bool, truncate: bool) -> Place:
    if truncate and not linear:
        return Place(np.floor(texels).astype(np.int64), np.zeros(len(texels), np.int64), False)
    fixed = np.rint((texels - 0.5 * linear) * _STEPS).astype(np.int64)
    return Place(fixed >> _FRACTION_BITS, fixed & _STEPS - 1, linear)


def _layer(image: Image, coordinates: list[Floats]) -> Integers:
    """The layer: the coordinate rounded to the nearest, and cut to those that exist."""
    filtered = dimensions(image.shape)
    if image.shape not in LAYERED:
        return np.zeros(len(coordinates[0]), np.int64)
    value = np.nan_to_num(coordinates[filtered].astype(np.float64), posinf=_FARTHEST)
    rounded = np.rint(np.clip(value, 0, _FARTHEST)).astype(np.int64)
    if image.shape is ImageType.CUBE:
        cube, face = rounded // _FACE_STRIDE, rounded % _FACE_STRIDE
        cube = np.minimum(cube, image.layers // _FACES - 1)
        rounded = cube * _FACES + face
    return np.minimum(rounded, image.layers - 1)


def _corners(
    image: Image, sampler: Sampler, memory: Memory, places: list[Place], layer: Integers
) -> Iterator[tuple[Words, NDArray[np.float64]]]:
    """The texels that are filtered, with their weights."""
    for steps in product(*((0, 1) if place.linear else (0,) for place in places)):
        weight = np.ones(len(layer), np.float64)
        for place, step in zip(places, steps, strict=True):
            if place.linear:
                weight *= (place.weight if step else _STEPS - place.weight) / _STEPS
        yield _texel(image, sampler, memory, places, steps, layer), weight


def _texel(
    image: Image,
    sampler: Sampler,
    memory: Memory,
    places: list[Place],
    steps: tuple[int, ...],
    layer: Integers,
) -> Words:
    """One texel a lane, or the border's colour."""
    inside = np.ones(len(layer), np.bool_)
    indices: list[Integers] = []
    for axis, (place, step) in enumerate(zip(places, steps, strict=True)):
        index = place.index + step
        if image.shape is ImageType.CUBE and sampler.seamless:
            _refuse_other_faces(place, index, image.size[axis])
        wrapped, found = _wrap(index, image.size[axis], sampler.clamps[axis])
        indices.append(wrapped)
        inside &= found
    channels = fetch(memory, image.texel, addresses(image, indices, layer), inside)
    _paint_border(image, sampler, channels, ~inside)
    return select(image.texel, image.selects, channels)


def _refuse_other_faces(place: Place, index: Integers, size: int) -> None:
    outside = (index < 0) | (index >= size)
    if place.linear and (outside & (place.weight != 0)).any():
        message = "filtering over the edges of a cube's faces is not modelled"
        raise PtxError.of("PTX406", message)


def _wrap(index: Integers, size: int, clamp: Clamp) -> tuple[Integers, Bools]:
    """An index inside the image, and whether the texel is the image's rather than the border's."""
    everywhere = np.ones(len(index), np.bool_)
    match clamp:
        case Clamp.WRAP:
            return index % size, everywhere
        case Clamp.MIRROR:
            turned = index % (2 * size)
            return np.where(turned < size, turned, 2 * size - 1 - turned), everywhere
        case Clamp.BORDER:
            return np.clip(index, 0, size - 1), (index >= 0) & (index < size)
    return np.clip(index, 0, size - 1), everywhere


def _paint_border(image: Image, sampler: Sampler, channels: Words, outside: Bools) -> None:
    if sampler.border is Border.TRANSPARENT_BLACK or not outside.any():
        return
    integer = image.texel.numbers in (Numbers.UINT, Numbers.SINT)
    one = np.uint32(1) if integer else np.float32(1).view(np.uint32)
    first = 0 if sampler.border is Border.OPAQUE_WHITE else 3
    channels[first:, outside] = one


def addresses(image: Image, indices: list[Integers], layer: Integers) -> NDArray[np.uint64]:
    """Byte addresses of texels that are inside the image."""
    x, y, z = [*indices, *[np.zeros(len(layer), np.int64)] * 2][:3]
    if len(indices) < 3:
        z = layer
    if len(indices) == 1:
        y = np.zeros(len(layer), np.int64)
    found: NDArray[np.int64] = z * image.slice + y * image.row + x * image.texel.size
    return (found + image.address).view(np.uint64)
