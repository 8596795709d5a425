"""Flat byte storage that lanes read and write at many offsets at once.

Comes in: a numpy array and arrays of byte offsets that the caller has bounds-checked. Goes out:
loaded words; the array is changed in place. It must not know addresses, lanes or instructions.
Global allocations, LDS and scratch are all buffers.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ptxlift.records import dataclass

Words: TypeAlias = NDArray[np.uint32]
Offsets: TypeAlias = NDArray[np.int64]
Raw: TypeAlias = NDArray[Any]  # unsigned integers of the width accessed

_MASKS = {1: 0, 2: 1, 4: 3, 8: 7}
_TYPES: dict[int, type[np.unsignedinteger[Any]]] = {
    1: np.uint8,
    2: np.uint16,
    4: np.uint32,
    8: np.uint64,
}


@dataclass(frozen=True, slots=True)
class Change:
    """An atomic operation: `many(old, *data)` on arrays, and `one(mask, old, *data)` on unsigned
    integers, which is faster where lanes meet at one place; `mask` has all bits of the width."""

    many: Callable[..., Raw]
    one: Callable[..., int] | None = None


def _update_one_by_one(
    view: Raw, at: Offsets, one: Callable[..., int], data: tuple[Raw, ...]
) -> Raw:
    mask = (1 << 8 * view.dtype.itemsize) - 1
    places = at.tolist()
    cells = {place: int(view[place]) for place in set(places)}
    found = []
    for place, *values in zip(places, *(item.tolist() for item in data), strict=True):
        old = cells[place]
        found.append(old)
        cells[place] = one(mask, old, *values)
    for place, value in cells.items():
        view[place] = value
    return np.array(found, view.dtype)


class Buffer:
    """A contiguous array seen as bytes, halves, words and doubles."""

    __slots__ = ("size", "views", "writeable")

    def __init__(self, array: NDArray[Any]) -> None:
        flat = array.reshape(-1).view(np.uint8)
        self.size = len(flat)
        self.writeable = bool(array.flags.writeable)
        self.views: dict[int, Raw] = {
            width: flat[: len(flat) // width * width].view(dtype) for width, dtype in _TYPES.items()
        }

    def load(self, offsets: Offsets, size: int) -> Raw:
        """`size` 1 or 2: one narrow value an offset; else uint32 with a leading axis of words."""
        if size < 4:
            return self._take(offsets, size)
        if not _aligned(offsets, 4):
            return self._load_bytes(offsets, size)
        at = offsets >> 2
        words: Raw = self.views[4]
        if size == 4:
            return words.take(at)[None]
        return words.take(at[None] + _steps(size // 4, at.ndim))

    def store(self, offsets: Offsets, data: Raw, size: int) -> None:
        """The reverse of `load`; where offsets repeat, the last one stays."""
        if size < 4:
            if _aligned(offsets, size):
                self.views[size][offsets >> (size - 1)] = data
                return
            data = np.ascontiguousarray(data).astype(np.uint16).view(np.uint8)
            self._store_bytes(offsets, data.reshape(*offsets.shape, 2))
            return
        if _aligned(offsets, 4):
            at = offsets >> 2
            for step in range(size // 4):
                self.views[4][at + step] = data[step]
            return
        last = np.ascontiguousarray(np.moveaxis(data, 0, -1)).view(np.uint8)
        self._store_bytes(offsets, last.reshape(*offsets.shape, size))

    def update(self, offsets: Offsets, size: int, change: Change, *data: Raw) -> Raw:
        """Atomic read-modify-write, lane after lane; gives the old values."""
        view = self.views[size]
        at = offsets >> (2 if size == 4 else 3)
        ordered = np.sort(at)
        if len(at) < 2 or not (ordered[1:] == ordered[:-1]).any():
            old: Raw = view[at]
            view[at] = change.many(old, *data)
            return old
        if change.one is not None:
            return _update_one_by_one(view, at, change.one, data)
        result = np.empty(len(at), view.dtype)
        for lane in range(len(at)):
            part = slice(lane, lane + 1)
            result[part] = view[at[part]]
            view[at[part]] = change.many(result[part], *(item[part] for item in data))
        return result

    def _take(self, offsets: Offsets, size: int) -> Raw:
        if _aligned(offsets, size):
            narrow: Raw = self.views[size].take(offsets >> (size - 1))
            return narrow
        return self.views[1].take(offsets[..., None] + np.arange(size)).view(_TYPES[size])[..., 0]

    def _load_bytes(self, offsets: Offsets, size: int) -> Raw:
        found = self.views[1].take(offsets[..., None] + np.arange(size)).view(np.uint32)
        return np.moveaxis(found, -1, 0)

    def _store_bytes(self, offsets: Offsets, data: Raw) -> None:
        for step in range(data.shape[-1]):
            self.views[1][offsets + step] = data[..., step]


def _aligned(offsets: Offsets, size: int) -> bool:
    return size == 1 or not int(np.bitwise_or.reduce(offsets, axis=None)) & _MASKS[size]


def _steps(count: int, ndim: int) -> Offsets:
    return np.arange(count, dtype=np.int64).reshape(-1, *(1,) * ndim)
