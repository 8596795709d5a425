"""The part of a header that describes textures and surfaces to chips without image instructions.

Comes in: nothing but the table of `target.image_object`. Goes out: C text: the object as a struct
of dwords, the places of its fields, and a function that fills in an image of one level.
"""

from __future__ import annotations

from collections.abc import Iterator
from enum import Enum

from ptxlift.target.image_object import (
    LEVEL_BYTES,
    OBJECT_BYTES,
    AddressMode,
    Bits,
    ChannelKind,
    CountPart,
    Field,
    FormatPart,
    SamplerPart,
)

_ABOUT = """\
/* Textures and surfaces on chips without image instructions (gfx942, gfx950, gfx1250): a handle
   is the device address of a ptxlift_image; a .texref, .surfref or .samplerref variable is one,
   which the host writes to the symbol. On other chips both are HIP's own texture objects.
   Addresses, pitches and slices are multiples of 4 bytes, and rows may be read up to such a
   multiple. A mipmap has a table of its levels, {level} bytes each: the offset from the base
   (64 bits), pitch, slice. */"""
_FILL = """
/* log2_bytes: of a channel, 0-2; kind: PTXLIFT_UNSIGNED, ...; channels: 1, 2 or 4. */
static inline uint32_t ptxlift_image_format(unsigned log2_bytes, unsigned kind, int normalized,
                                            unsigned channels) {
    return log2_bytes << PTXLIFT_CHANNEL_SIZE | kind << PTXLIFT_KIND |
           (normalized ? 1u : 0u) << PTXLIFT_NORMALIZED | channels << PTXLIFT_CHANNELS;
}

/* An image of one level without a border. Sizes in texels, 1 where there is no such axis; base: the
   device's address; pitch, slice: bytes; sampler: bits at PTXLIFT_ADDRESS_0 and so on. */
static inline ptxlift_image ptxlift_image_of(ptxlift_word base, uint32_t width, uint32_t height,
                                             uint32_t depth, uint32_t layers, uint32_t format,
                                             uint32_t pitch, uint32_t slice, uint32_t sampler) {
    ptxlift_image image;
    float most = 255.0f;
    memset(&image, 0, sizeof image);
    memcpy(&image.dword[PTXLIFT_BASE_LOW], &base, 8);
    image.dword[PTXLIFT_WIDTH] = width;
    image.dword[PTXLIFT_HEIGHT] = height;
    image.dword[PTXLIFT_DEPTH] = depth;
    image.dword[PTXLIFT_LAYERS] = layers;
    image.dword[PTXLIFT_FORMAT] = format;
    image.dword[PTXLIFT_COUNTS] = 1u << PTXLIFT_LEVELS | 1u << PTXLIFT_SAMPLES;
    image.dword[PTXLIFT_PITCH] = pitch;
    image.dword[PTXLIFT_SLICE] = slice;
    image.dword[PTXLIFT_SAMPLER] = sampler;
    memcpy(&image.dword[PTXLIFT_MAX_LOD], &most, 4);
    return image;
}
#endif
"""


def image_header() -> str:
    """The text, guarded."""
    lines = ["#ifndef PTXLIFT_IMAGES\n#define PTXLIFT_IMAGES"]
    lines.append(_ABOUT.replace("{level}", str(LEVEL_BYTES)))
    lines.append(f"typedef struct {{ uint32_t dword[{OBJECT_BYTES // 4}]; }} ptxlift_image;")
    lines += _enumeration("dwords", ((field.name, field.value) for field in Field))
    for title, parts in (
        ("the lowest bit of parts of PTXLIFT_FORMAT", FormatPart),
        ("of PTXLIFT_COUNTS", CountPart),
        ("of PTXLIFT_SAMPLER", SamplerPart),
    ):
        lines += _enumeration(title, _first_bits(parts))
    lines += _enumeration("kinds of channels", ((kind.name, kind.value) for kind in ChannelKind))
    modes = ((f"ADDRESS_{mode.name}", mode.value) for mode in AddressMode)
    lines += _enumeration("address modes", modes)
    return "\n".join(lines) + _FILL


def _first_bits(parts: type[Enum]) -> Iterator[tuple[str, int]]:
    for part in parts:
        assert isinstance(part.value, Bits)
        yield part.name, part.value.first


def _enumeration(title: str, members: Iterator[tuple[str, int]]) -> Iterator[str]:
    yield f"enum {{ /* {title} */"
    yield ",\n".join(f"    PTXLIFT_{name} = {value}" for name, value in members)
    yield "};"
