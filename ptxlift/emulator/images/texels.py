"""Texels: from bytes in memory to channels in registers, and back.

Comes in: addresses of texels, or channel words. Goes out: an array of words with one row a channel.
Reading follows the format: integers are extended, normalised and half-precision numbers become f32.
It must not know coordinates or instructions.
"""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ptxlift.diag import PtxError
from ptxlift.emulator.memory import AccessFault, Memory
from ptxlift.target.image_words import Numbers, Select, Texel

Words: TypeAlias = NDArray[np.uint32]  # channels, lanes
Addresses: TypeAlias = NDArray[np.uint64]

_UNSIGNED: dict[int, type[np.unsignedinteger[Any]]] = {8: np.uint8, 16: np.uint16, 32: np.uint32}
_SIGNED: dict[int, type[np.signedinteger[Any]]] = {8: np.int8, 16: np.int16, 32: np.int32}
_ONE_FLOAT = 0x3F800000


def fetch(memory: Memory, texel: Texel, addresses: Addresses, inside: NDArray[np.bool_]) -> Words:
    """Channels of the texels; those that are not `inside` the image read as zeros."""
    raw = np.zeros((texel.channels, len(addresses)), _UNSIGNED[texel.bits])
    lanes = np.flatnonzero(inside)
    if len(lanes):
        try:
            raw[:, lanes] = _load(memory, texel, addresses[lanes])
        except AccessFault as error:
            at = int(lanes[error.position])
            raise AccessFault(error.address, at, error.reason) from None
    return _widen(texel, raw)


def put(memory: Memory, texel: Texel, addresses: Addresses, channels: Words) -> None:
    """Write texels of as many channels as the format has."""
    narrow = _narrow(texel, channels)
    size = texel.size
    bytes_ = np.ascontiguousarray(narrow.T).view(np.uint8).reshape(len(addresses), size)
    if size < 4:
        memory.store(addresses, bytes_.view(_UNSIGNED[8 * size])[:, 0], size)
    else:
        memory.store(addresses, np.ascontiguousarray(bytes_.view(np.uint32).T), size)


def _load(memory: Memory, texel: Texel, addresses: Addresses) -> NDArray[Any]:
    size = texel.size
    data = memory.load(addresses, size)
    each = np.ascontiguousarray(data if size < 4 else data.T).view(np.uint8)
    return each.reshape(len(addresses), size).view(_UNSIGNED[texel.bits]).T


def _widen(texel: Texel, raw: NDArray[Any]) -> Words:
    top = (1 << texel.bits - 1) - 1
    raw = np.ascontiguousarray(raw)
    match texel.numbers:
        case Numbers.UINT:
            return raw.astype(np.uint32)
        case Numbers.SINT:
            return raw.view(_SIGNED[texel.bits]).astype(np.int32).view(np.uint32)
        case Numbers.UNORM:
            return (raw / np.float64(2 * top + 1)).astype(np.float32).view(np.uint32)
        case Numbers.SNORM:
            signed = raw.view(_SIGNED[texel.bits]) / np.float64(top)
            return np.maximum(signed, -1.0).astype(np.float32).view(np.uint32)
    if texel.bits == 32:
        return raw
    return raw.view(np.float16).astype(np.float32).view(np.uint32)


def _narrow(texel: Texel, channels: Words) -> NDArray[Any]:
    """The reverse of `_widen`. Whether a chip cuts or clamps integers that do not fit is not
    documented, so they are refused; normalised numbers round to nearest even.
    """
    top = (1 << texel.bits - 1) - 1
    unsigned, signed = _UNSIGNED[texel.bits], _SIGNED[texel.bits]
    match texel.numbers:
        case Numbers.UINT:
            return _cut(channels, channels.astype(unsigned))
        case Numbers.SINT:
            return _cut(channels.view(np.int32), channels.view(np.int32).astype(signed))
        case Numbers.UNORM:
            return _scaled(channels, 0.0, 2 * top + 1).astype(unsigned)
        case Numbers.SNORM:
            return _scaled(channels, -1.0, top).astype(signed)
    if texel.bits == 32:
        return channels
    return channels.view(np.float32).astype(np.float16)


def _scaled(channels: Words, low: float, top: int) -> NDArray[np.float64]:
    """Normalised numbers as whole ones; NaN as 0."""
    values = np.nan_to_num(channels.view(np.float32).astype(np.float64))
    whole: NDArray[np.float64] = np.rint(np.clip(values, low, 1.0) * top)
    return whole


def _cut(whole: NDArray[Any], cut: NDArray[Any]) -> NDArray[Any]:
    if (cut != whole).any():
        message = "an image store of an integer that its texel format cannot hold is not modelled"
        raise PtxError.of("PTX406", message)
    return cut


def select(texel: Texel, selects: tuple[Select, ...], channels: Words) -> Words:
    """The four result channels; those that the format lacks are 0, 0 and 1."""
    one = 1 if texel.numbers in (Numbers.UINT, Numbers.SINT) else _ONE_FLOAT
    found = np.zeros((4, channels.shape[1]), np.uint32)
    for at, what in enumerate(selects):
        if what is Select.ONE:
            found[at] = one
        elif what is not Select.ZERO:
            source = what - Select.X
            found[at] = channels[source] if source < texel.channels else one * (source == 3)
    return found
