"""Texture and surface objects of chips without image instructions: what their dwords hold.

The handle in a PTX program (`.u64` operands of `tex`, `suld` and the like; `.texref`, `.samplerref`
and `.surfref` parameters) is the 64-bit address of an object of 20 dwords, as a HIP texture object
is. A `.texref`, `.samplerref` or `.surfref` variable is the object itself: the host writes the 20
dwords to the symbol.

On chips with image instructions the object is HIP's own: dwords 0-7 the image resource, 12-15 the
sampler, dword 10 the width. The others (gfx942, gfx950, gfx1250) have no such thing, and HIP gives
them no textures; there the object is the one described here, and texels are read by ordinary loads.
In independent mode the sampler operand names an object of which dwords 8-15 count, and these of the
texture object do not.

Memory that an object describes: rows of texels, `PITCH` bytes apart; the rows of layers, slices,
faces or samples `SLICE` bytes apart; each level of a mipmap for itself. Addresses and distances are
multiples of 4, and a row may be read up to the next multiple of 4. A cube has six layers in the
order +x -x +y -y +z -z, a cube array six a cube; an array of multisample images all samples of
layer 0 first. It must know no instruction.
"""

from __future__ import annotations

from enum import Enum

from ptxlift.records import dataclass

OBJECT_BYTES = 80
OBJECT_ALIGN = 16  # of the variables; HIP's objects are read in pieces of 16 and 32 bytes
LEVEL_BYTES = 16  # of an entry in the table of levels: offset from the base (64 bits), pitch, slice


class Field(Enum):
    """A dword of the object, by its index."""

    BASE_LOW = 0  # address of the first texel of level 0
    BASE_HIGH = 1
    WIDTH = 2  # texels of level 0
    HEIGHT = 3  # 1 in one dimension
    DEPTH = 4  # 1 except in three dimensions
    LAYERS = 5  # of arrays; of cube arrays cubes; else 1
    FORMAT = 6  # `FormatPart`s
    COUNTS = 7  # `CountPart`s
    BORDER = 8  # four dwords: r, g, b, a as a fetch gives them
    SAMPLER = 12  # `SamplerPart`s
    MIN_LOD = 13  # f32
    MAX_LOD = 14  # f32
    LOD_BIAS = 15  # f32
    PITCH = 16  # bytes between rows of level 0
    SLICE = 17  # bytes between layers, slices or samples of level 0
    LEVELS_LOW = 18  # address of the table of levels, which has an entry for level 0 too
    LEVELS_HIGH = 19  # 0 where there is one level


@dataclass(frozen=True, slots=True)
class Bits:
    """Bits of a dword: the lowest one, and how many."""

    first: int
    count: int

    def of(self, dword: int) -> int:
        """What a dword holds there."""
        return dword >> self.first & ((1 << self.count) - 1)

    def put(self, value: int) -> int:
        """A dword that holds a value there and zeros elsewhere."""
        assert 0 <= value < 1 << self.count, f"{value} does not fit {self.count} bits"
        return value << self.first


class FormatPart(Enum):
    """Bits of `Field.FORMAT`."""

    CHANNEL_SIZE = Bits(0, 2)  # log2 of a channel's bytes: 0, 1, 2
    KIND = Bits(2, 2)  # `ChannelKind`
    NORMALIZED = Bits(4, 1)  # integers are read as f32 of [0, 1] or [-1, 1]
    CHANNELS = Bits(8, 3)  # 1, 2 or 4


class CountPart(Enum):
    """Bits of `Field.COUNTS`."""

    LEVELS = Bits(0, 8)
    SAMPLES = Bits(8, 8)


class SamplerPart(Enum):
    """Bits of `Field.SAMPLER`."""

    ADDRESS_0 = Bits(0, 3)  # `AddressMode` of x
    ADDRESS_1 = Bits(4, 3)  # of y
    ADDRESS_2 = Bits(8, 3)  # of z
    LINEAR = Bits(12, 1)  # between texels
    LINEAR_LEVELS = Bits(13, 1)  # between levels
    UNNORMALIZED = Bits(14, 1)  # coordinates count texels


class ChannelKind(Enum):
    """How a channel's bits are read."""

    UNSIGNED = 0
    SIGNED = 1
    FLOAT = 2  # f16 or f32 by its size


class AddressMode(Enum):
    """What stands outside of the image, in the order of PTX's `txq.addr_mode`."""

    WRAP = 0
    MIRROR = 1
    CLAMP_OGL = 2  # as CLAMP; CUDA cannot make it
    CLAMP = 3  # the texel at the edge
    BORDER = 4  # `Field.BORDER`


# What `txq` and `suq` give for channel_data_type and channel_order: OpenCL's numbers.
CHANNEL_ORDERS = {1: 0x10B0, 2: 0x10B1, 4: 0x10B5}
_CHANNEL_TYPES = {
    (ChannelKind.SIGNED, 0): 0x10D7,
    (ChannelKind.SIGNED, 1): 0x10D8,
    (ChannelKind.SIGNED, 2): 0x10D9,
    (ChannelKind.UNSIGNED, 0): 0x10DA,
    (ChannelKind.UNSIGNED, 1): 0x10DB,
    (ChannelKind.UNSIGNED, 2): 0x10DC,
    (ChannelKind.FLOAT, 1): 0x10DD,
    (ChannelKind.FLOAT, 2): 0x10DE,
}
_NORMALIZED_TYPES = {
    (ChannelKind.SIGNED, 0): 0x10D0,
    (ChannelKind.SIGNED, 1): 0x10D1,
    (ChannelKind.UNSIGNED, 0): 0x10D2,
    (ChannelKind.UNSIGNED, 1): 0x10D3,
}
CHANNEL_TYPES = {
    **{(*key, 0): code for key, code in _CHANNEL_TYPES.items()},
    **{(*key, 1): code for key, code in _NORMALIZED_TYPES.items()},
}  # by kind, log2 of the bytes, normalised
