"""Where the fields of image resources and samplers lie, one table a chip family.

Comes in: a generation and field values, or the words of a descriptor. Goes out: words, or values.
It must not know what a texture is in PTX. Every position is as AMD's ROCm runtime declares it
(ROCR-Runtime, runtime/hsa-runtime/image/resource_ai.h for gfx9, resource_nv.h for gfx10,
resource_gfx11.h, resource_gfx12.h); texel formats are the enumerations in the same files, and the
format numbers of gfx9 those of the "Vega" ISA document's table of image data formats. Row
alignment is what the addrlib folders beside them give linear surfaces.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from enum import Enum, IntEnum
from typing import TypeAlias

from ptxlift.records import dataclass

Piece: TypeAlias = tuple[int, int, int]  # dword, lowest bit, width
Field: TypeAlias = tuple[Piece, ...]  # the low part of the value first

IMAGE_WORDS = 8
SAMPLER_WORDS = 4
BUFFER_WORDS = 4


class Numbers(Enum):
    """What the bits of a channel mean."""

    UNORM = "unorm"
    SNORM = "snorm"
    UINT = "uint"
    SINT = "sint"
    FLOAT = "float"


@dataclass(frozen=True, slots=True)
class Texel:
    """A texel of equal channels."""

    bits: int  # of a channel: 8, 16 or 32
    channels: int  # 1, 2 or 4
    numbers: Numbers

    @property
    def size(self) -> int:
        """Bytes of a texel."""
        return self.bits * self.channels // 8


class ImageType(IntEnum):
    """The TYPE field: the shape of an image."""

    D1 = 8
    D2 = 9
    D3 = 10
    CUBE = 11  # also an array of cubes
    D1_ARRAY = 12
    D2_ARRAY = 13
    D2_MSAA = 14
    D2_MSAA_ARRAY = 15


class Clamp(IntEnum):
    """CLAMP_X, _Y and _Z: what a coordinate outside the image means."""

    WRAP = 0
    MIRROR = 1
    LAST_TEXEL = 2
    MIRROR_ONCE = 3
    HALF_BORDER = 4
    MIRROR_ONCE_HALF_BORDER = 5
    BORDER = 6
    MIRROR_ONCE_BORDER = 7


class Select(IntEnum):
    """DST_SEL_X to _W: what a result channel is."""

    ZERO = 0
    ONE = 1
    X = 4
    Y = 5
    Z = 6
    W = 7


class Border(IntEnum):
    """BORDER_COLOR_TYPE."""

    TRANSPARENT_BLACK = 0
    OPAQUE_BLACK = 1
    OPAQUE_WHITE = 2
    REGISTER = 3


@dataclass(frozen=True, slots=True)
class Family:
    """The descriptors of one generation."""

    image: Mapping[str, Field]
    sampler: Mapping[str, Field]
    buffer: Mapping[str, Field]
    formats: Mapping[Texel, int]
    buffer_formats: Mapping[Texel, int]
    row_alignment: int  # bytes that rows of a linear image without a pitch field are rounded to
    slice_alignment: int  # the same of the rows that a slice of it is made of
    largest: int  # texels of a side


# fmt: off
_WORD3 = {
    "select_x":   ((3, 0, 3),),
    "select_y":   ((3, 3, 3),),
    "select_z":   ((3, 6, 3),),
    "select_w":   ((3, 9, 3),),
    "base_level": ((3, 12, 4),),
    "last_level": ((3, 16, 4),),
    "tile_mode":  ((3, 20, 5),),
    "type":       ((3, 28, 4),),
}
_GFX9_IMAGE: dict[str, Field] = _WORD3 | {
    "address":     ((0, 0, 32), (1, 0, 8)),  # in units of 256 bytes
    "format":      ((1, 20, 10),),           # DATA_FORMAT, then NUM_FORMAT
    "width":       ((2, 0, 14),),            # less one, as the other sizes are
    "height":      ((2, 14, 14),),
    "depth":       ((4, 0, 13),),            # of a 3D image; else the last layer
    "pitch":       ((4, 13, 16),),           # texels from row to row, less one
    "base_layer":  ((5, 0, 13),),
    "max_level":   ((5, 28, 4),),
    "compression": ((6, 21, 1),),
}
_GFX10_IMAGE: dict[str, Field] = _WORD3 | {
    "address":        ((0, 0, 32), (1, 0, 8)),
    "format":         ((1, 20, 9),),
    "width":          ((1, 30, 2), (2, 0, 12)),
    "height":         ((2, 14, 14),),
    "resource_level": ((2, 31, 1),),         # always 1
    "depth":          ((4, 0, 13),),
    "pitch":          ((4, 0, 14),),         # of 1D and 2D images, which have no depth
    "base_layer":     ((4, 16, 13),),
    "max_level":      ((5, 4, 4),),
    "compression":    ((6, 21, 1),),
}
_GFX11_IMAGE: dict[str, Field] = _WORD3 | {
    "address":     ((0, 0, 32), (1, 0, 8)),
    "max_level":   ((1, 16, 4),),
    "format":      ((1, 20, 8),),
    "width":       ((1, 30, 2), (2, 0, 12)),
    "height":      ((2, 14, 14),),
    "depth":       ((4, 0, 13),),
    "pitch":       ((4, 0, 14),),
    "base_layer":  ((4, 16, 13),),
    "compression": ((6, 21, 1),),
}
_GFX12_IMAGE: dict[str, Field] = _WORD3 | {
    "address":     ((0, 0, 32), (1, 0, 8)),
    "max_level":   ((1, 12, 5),),
    "format":      ((1, 17, 8),),
    "base_level":  ((1, 25, 5),),
    "width":       ((1, 30, 2), (2, 0, 14)),
    "height":      ((2, 14, 16),),
    "last_level":  ((3, 15, 5),),
    "depth":       ((4, 0, 14),),
    "pitch":       ((4, 0, 16),),
    "base_layer":  ((4, 16, 14),),
    "compression": ((6, 21, 1),),
}
_SAMPLER: dict[str, Field] = {
    "clamp_x":           ((0, 0, 3),),
    "clamp_y":           ((0, 3, 3),),
    "clamp_z":           ((0, 6, 3),),
    "anisotropy":        ((0, 9, 3),),
    "unnormalized":      ((0, 15, 1),),
    "truncate":          ((0, 27, 1),),      # TRUNC_COORD
    "separate_faces":    ((0, 28, 1),),      # DISABLE_CUBE_WRAP
    "filter_mode":       ((0, 29, 2),),      # 0 blends; 1 and 2 take the least and the greatest
    "min_lod":           ((1, 0, 12),),      # 8 bits of fraction
    "max_lod":           ((1, 12, 12),),
    "magnify":           ((2, 20, 2),),      # 0 point, 1 bilinear
    "minify":            ((2, 22, 2),),
    "filter_z":          ((2, 24, 2),),      # 0 as in the plane, 1 point, 2 linear
    "filter_level":      ((2, 26, 2),),      # 0 none
    "border":            ((3, 30, 2),),
}
_GFX12_SAMPLER: dict[str, Field] = _SAMPLER | {
    "min_lod": ((1, 0, 13),),
    "max_lod": ((1, 13, 13),),
}

_BUFFER: dict[str, Field] = {
    "address":  ((0, 0, 32), (1, 0, 16)),
    "stride":   ((1, 16, 14),),              # bytes of a texel
    "swizzle":  ((1, 30, 2),),
    "records":  ((2, 0, 32),),
    "select_x": ((3, 0, 3),),
    "select_y": ((3, 3, 3),),
    "select_z": ((3, 6, 3),),
    "select_w": ((3, 9, 3),),
    "type":     ((3, 30, 2),),               # 0, where the TYPE of an image is 8 or more
}
_GFX9_BUFFER = _BUFFER | {"format": ((3, 12, 7),)}   # NUM_FORMAT, then DATA_FORMAT
_GFX10_BUFFER = _BUFFER | {"format": ((3, 12, 7),), "resource_level": ((3, 24, 1),)}
_GFX11_BUFFER = _BUFFER | {"format": ((3, 12, 6),)}

# The number of a format by bits, channels and kind of numbers.
_UNIFIED_ORDER = (Numbers.UNORM, Numbers.SNORM, None, None, Numbers.UINT, Numbers.SINT,
                  Numbers.FLOAT)  # scaled numbers in between
_GFX10_FIRST = {(8, 1): 1, (16, 1): 7, (8, 2): 14, (16, 2): 23, (8, 4): 56, (16, 4): 65}
_GFX10_WORDS = {1: 20, 2: 62, 4: 75}
_GFX11_FIRST = {(8, 1): 1, (16, 1): 7, (8, 2): 14, (16, 2): 23, (8, 4): 42, (16, 4): 51}
_GFX11_WORDS = {1: 20, 2: 48, 4: 61}
_GFX9_DATA = {(8, 1): 1, (16, 1): 2, (8, 2): 3, (32, 1): 4, (16, 2): 5, (8, 4): 10, (32, 2): 11,
              (16, 4): 12, (32, 4): 14}
_GFX9_NUMBERS = {Numbers.UNORM: 0, Numbers.SNORM: 1, Numbers.UINT: 4, Numbers.SINT: 5,
                 Numbers.FLOAT: 7}
# fmt: on


def _unified(first: Mapping[tuple[int, int], int], words: Mapping[int, int]) -> dict[Texel, int]:
    """Formats in the order of `_UNIFIED_ORDER`; of 8 bits none is float, of 32 none normalised."""
    found: dict[Texel, int] = {}
    for (bits, channels), start in first.items():
        for step, numbers in enumerate(_UNIFIED_ORDER):
            if numbers is not None and not (bits == 8 and numbers is Numbers.FLOAT):
                found[Texel(bits, channels, numbers)] = start + step
    for channels, start in words.items():
        for step, numbers in enumerate((Numbers.UINT, Numbers.SINT, Numbers.FLOAT)):
            found[Texel(32, channels, numbers)] = start + step
    return found


def _parted(data: int, numbers: int) -> dict[Texel, int]:
    """gfx9: how the data lie and what the numbers are, side by side, from these bits on."""
    return {
        texel: _GFX9_DATA[texel.bits, texel.channels] << data
        | _GFX9_NUMBERS[texel.numbers] << numbers
        for texel in _unified(_GFX10_FIRST, _GFX10_WORDS)
    }


# fmt: off
_GFX10 = _unified(_GFX10_FIRST, _GFX10_WORDS)
_GFX11 = _unified(_GFX11_FIRST, _GFX11_WORDS)
_IMAGE9, _BUFFER9 = _parted(0, 6), _parted(3, 0)
FAMILIES: dict[int, Family] = {
    9:  Family(_GFX9_IMAGE,  _SAMPLER,       _GFX9_BUFFER,  _IMAGE9, _BUFFER9, 256, 256, 1 << 14),
    10: Family(_GFX10_IMAGE, _SAMPLER,       _GFX10_BUFFER, _GFX10,  _GFX10,   256, 256, 1 << 14),
    11: Family(_GFX11_IMAGE, _SAMPLER,       _GFX11_BUFFER, _GFX11,  _GFX11,   256, 256, 1 << 14),
    12: Family(_GFX12_IMAGE, _GFX12_SAMPLER, _GFX11_BUFFER, _GFX11,  _GFX11,   128, 256, 1 << 16),
}
# fmt: on
"""By the chip's generation."""

HAS_OWN_PITCH = frozenset({ImageType.D1, ImageType.D2})
"""Shapes whose pitch every family but gfx10's first chips can choose; gfx9 can for all of them."""


def pack(fields: Mapping[str, Field], values: Mapping[str, int], words: int) -> tuple[int, ...]:
    """A descriptor from values by field name; a value too wide for its field is an error."""
    found = [0] * words
    for name, value in values.items():
        rest = value
        for word, low, width in fields[name]:
            found[word] |= (rest & (1 << width) - 1) << low
            rest >>= width
        if rest:
            raise ValueError(f"{name} = {value} does not fit its field")
    return tuple(found)


def unpack(fields: Mapping[str, Field], words: Sequence[int]) -> dict[str, int]:
    """All fields of a descriptor by name."""
    found: dict[str, int] = {}
    for name, pieces in fields.items():
        value = shift = 0
        for word, low, width in pieces:
            value |= (words[word] >> low & (1 << width) - 1) << shift
            shift += width
        found[name] = value
    return found


def row_bytes(family: Family, width: int, texel: Texel) -> int:
    """Bytes from row to row of a linear image whose pitch is not its own choice."""
    return _round_up(width * texel.size, family.row_alignment)


def slice_bytes(family: Family, width: int, height: int, texel: Texel) -> int:
    """Bytes from slice to slice of such an image."""
    return _round_up(width * texel.size, family.slice_alignment) * height


def _round_up(value: int, step: int) -> int:
    return -(-value // step) * step
