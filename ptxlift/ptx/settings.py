"""Initial values of samplers: `{ addr_mode_0 = wrap, filter_mode = linear }`.

Comes in: the fields and values of an opaque variable's initialiser. Goes out: the bytes of an
object of `target.image_object`. Fields of the image itself are the host's to write, as the memory
is; they are passed over, as ptxas does.
"""

from __future__ import annotations

import struct
from collections.abc import Mapping, Sequence

from ptxlift.target.image_object import (
    OBJECT_BYTES,
    AddressMode,
    Field,
    SamplerPart,
)

_MODES = {
    "wrap": AddressMode.WRAP,
    "mirror": AddressMode.MIRROR,
    "clamp_ogl": AddressMode.CLAMP_OGL,
    "clamp_to_edge": AddressMode.CLAMP,
    "clamp_to_border": AddressMode.BORDER,
}
_MODE_VALUES = {word: mode.value for word, mode in _MODES.items()}
_FLAGS = {"0": 0, "1": 1}
_UNNORMALIZED = {"0": 1, "1": 0}
_FIELDS: Mapping[str, tuple[SamplerPart, Mapping[str, int]]] = {
    "addr_mode_0": (SamplerPart.ADDRESS_0, _MODE_VALUES),
    "addr_mode_1": (SamplerPart.ADDRESS_1, _MODE_VALUES),
    "addr_mode_2": (SamplerPart.ADDRESS_2, _MODE_VALUES),
    "filter_mode": (SamplerPart.LINEAR, {"nearest": 0, "linear": 1}),
    "normalized_coords": (SamplerPart.UNNORMALIZED, _UNNORMALIZED),
    "force_unnormalized_coords": (SamplerPart.UNNORMALIZED, _FLAGS),
}
_MOST_LEVELS = 255.0


class SettingError(Exception):
    """A value that a field does not take."""


def object_of(settings: Sequence[tuple[str, str]]) -> bytes:
    """The object with these fields of its sampler. Raises `SettingError`."""
    word = 0
    for name, value in settings:
        if name not in _FIELDS:
            continue
        part, values = _FIELDS[name]
        if value not in values:
            raise SettingError(f"`{name}` cannot be `{value}`: one of {', '.join(values)}")
        bits = part.value
        word = word & ~bits.put((1 << bits.count) - 1) | bits.put(values[value])
    words = bytearray(OBJECT_BYTES)
    struct.pack_into("<I", words, 4 * Field.SAMPLER.value, word)
    struct.pack_into("<f", words, 4 * Field.MAX_LOD.value, _MOST_LEVELS)
    return bytes(words)
