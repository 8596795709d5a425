"""Device memory as the caller sees it."""

from __future__ import annotations

from typing import Any, TypeAlias

from numpy.typing import NDArray

from ptxlift.records import dataclass

Array: TypeAlias = NDArray[Any]  # Any: arrays of every dtype are passed


@dataclass(frozen=True, slots=True)
class Buffer:
    """Device memory. `buffer + offset` (bytes) is an address inside it, and an argument."""

    array: Array
    address: int
    offset: int = 0

    def __add__(self, offset: int) -> Buffer:
        return Buffer(self.array, self.address, self.offset + offset)
