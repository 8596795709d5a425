"""`txq` and `suq`: what an object says of itself.

Texture Instructions: txq; Surface Instructions: suq. Channel types and orders are OpenCL's numbers.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypeVar

from ptxlift.ir.images import ImageQuery
from ptxlift.semantics.images.machine import ImageMachine
from ptxlift.semantics.images.objects import ImageObject, shrunk
from ptxlift.target.image_object import (
    CHANNEL_ORDERS,
    CHANNEL_TYPES,
    Field,
    FormatPart,
    SamplerPart,
)

V = TypeVar("V")
_SIZES = {
    ImageQuery.WIDTH: Field.WIDTH,
    ImageQuery.HEIGHT: Field.HEIGHT,
    ImageQuery.DEPTH: Field.DEPTH,
}
_LINEAR = 1  # memory_layout of rows one after the other


def image_query(machine: ImageMachine[V], query: ImageQuery, address: V, level: Sequence[V]) -> V:
    """One number."""
    image = ImageObject(machine, address)
    math = image.math
    if query in _SIZES:
        size = image.field(_SIZES[query])
        return shrunk(math, size, level[0]) if level else size
    match query:
        case ImageQuery.ARRAY_SIZE:
            return image.field(Field.LAYERS)
        case ImageQuery.NUM_MIPMAP_LEVELS:
            return image.levels
        case ImageQuery.NUM_SAMPLES:
            return image.samples
        case ImageQuery.MEMORY_LAYOUT:
            return math.number(_LINEAR)
        case ImageQuery.CHANNEL_ORDER:
            return _looked_up(image, image.channels, CHANNEL_ORDERS)
        case ImageQuery.CHANNEL_DATA_TYPE:
            return _channel_type(image)
        case ImageQuery.FORCE_UNNORMALIZED_COORDS | ImageQuery.NORMALIZED_COORDS:
            counts = image.sampler_flag(SamplerPart.UNNORMALIZED)
            wanted = query is ImageQuery.FORCE_UNNORMALIZED_COORDS
            return math.a.zext(counts if wanted else math.neither(counts), 32)
        case ImageQuery.FILTER_MODE:
            return math.a.zext(image.sampler_flag(SamplerPart.LINEAR), 32)
        case ImageQuery.ADDR_MODE_0:
            return image.address_mode(0)
        case ImageQuery.ADDR_MODE_1:
            return image.address_mode(1)
        case _:
            return image.address_mode(2)


def _channel_type(image: ImageObject[V]) -> V:
    """By the bits of the format that say it."""
    kind, normalized = FormatPart.KIND.value, FormatPart.NORMALIZED.value
    codes = {
        size | kind.put(number.value) | normalized.put(flag): code
        for (number, size, flag), code in CHANNEL_TYPES.items()
    }
    said = (1 << (normalized.first + 1)) - 1
    word = image.math.a.and_(image.field(Field.FORMAT), image.math.number(said))
    return _looked_up(image, word, codes)


def _looked_up(image: ImageObject[V], key: V, codes: Mapping[int, int]) -> V:
    math = image.math
    found = math.number(0)
    for value, code in codes.items():
        found = math.a.select(math.equal(key, value), math.number(code), found)
    return found
