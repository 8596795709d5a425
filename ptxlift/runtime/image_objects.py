"""The dwords of objects for chips without image instructions, as `target.image_object` has them."""

from __future__ import annotations

import struct
from collections.abc import Mapping

from ptxlift.runtime.images import Image, Sampler, Texture
from ptxlift.runtime.placed_images import PlacedImage
from ptxlift.target.image_object import (
    OBJECT_BYTES,
    ChannelKind,
    CountPart,
    Field,
    FormatPart,
    SamplerPart,
)

_LOG2 = {1: 0, 2: 1, 4: 2}


def software_object(placed: PlacedImage | None, sampler: Sampler | None, table: int) -> list[int]:
    """The object of an image, a sampler, or both. `table`: the address of the table of levels, 0
    for one level.
    """
    fields: dict[Field, int] = {}
    if placed is not None:
        fields |= _image_fields(placed, table)
    if sampler is not None:
        fields |= _sampler_fields(sampler)
    words = [0] * (OBJECT_BYTES // 4)
    for field, value in fields.items():
        words[field.value] = value
    if sampler is not None:
        first = Field.BORDER.value
        reads_float = not isinstance(sampler, Texture) or _reads_float(sampler)
        words[first : first + 4] = [_channel(value, reads_float) for value in sampler.border]
    return words


def _image_fields(placed: PlacedImage, table: int) -> Mapping[Field, int]:
    image, first = placed.image, placed.levels[0]
    shape = image.shape_of(0)
    return {
        Field.BASE_LOW: placed.base & 0xFFFFFFFF,
        Field.BASE_HIGH: placed.base >> 32,
        Field.WIDTH: shape.width,
        Field.HEIGHT: shape.height,
        Field.DEPTH: image.depth,
        Field.LAYERS: image.layers,
        Field.FORMAT: _format(image),
        Field.COUNTS: CountPart.LEVELS.value.put(len(placed.levels))
        | CountPart.SAMPLES.value.put(image.samples),
        Field.PITCH: first.pitch,
        Field.SLICE: first.slice,
        Field.LEVELS_LOW: table & 0xFFFFFFFF,
        Field.LEVELS_HIGH: table >> 32,
    }


def _format(image: Image) -> int:
    normalized = isinstance(image, Texture) and image.normalized_float
    return (
        FormatPart.CHANNEL_SIZE.value.put(_LOG2[image.array.dtype.itemsize])
        | FormatPart.KIND.value.put(image.kind.value)
        | FormatPart.NORMALIZED.value.put(normalized)
        | FormatPart.CHANNELS.value.put(image.channels)
    )


def _sampler_fields(sampler: Sampler) -> Mapping[Field, int]:
    parts = (SamplerPart.ADDRESS_0, SamplerPart.ADDRESS_1, SamplerPart.ADDRESS_2)
    word = 0
    for part, mode in zip(parts, sampler.address_modes, strict=True):
        word |= part.value.put(mode.value)
    word |= SamplerPart.LINEAR.value.put(sampler.filter_mode == "linear")
    word |= SamplerPart.LINEAR_LEVELS.value.put(sampler.mipmap_filter == "linear")
    word |= SamplerPart.UNNORMALIZED.value.put(not sampler.normalized)
    low, high = sampler.lod_range
    return {
        Field.SAMPLER: word,
        Field.MIN_LOD: _float_bits(low),
        Field.MAX_LOD: _float_bits(high),
        Field.LOD_BIAS: _float_bits(sampler.lod_bias),
    }


def _reads_float(texture: Texture) -> bool:
    return texture.kind is ChannelKind.FLOAT or texture.normalized_float


def _channel(value: float, reads_float: bool) -> int:
    return _float_bits(value) if reads_float else int(value) & 0xFFFFFFFF


def _float_bits(value: float) -> int:
    return int(struct.unpack("<I", struct.pack("<f", value))[0])
