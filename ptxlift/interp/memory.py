"""The interpreter's memory: regions of one 64-bit address space, with bounds and alignment checks.

Comes in: addresses, one a lane. Goes out: lanes read, or memory changed. Each array the caller
passes is a region of its own with a gap behind it. Shared and local memory are windows: one row of
bytes a block or a thread, at the same addresses for all. It must know no instruction and no
scheduling.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ptxlift.interp.lanes import Lanes, dtype_of

SHARED_WINDOW = 0x7100_0000_0000
LOCAL_WINDOW = 0x7200_0000_0000
FIRST_ADDRESS = 0x7300_0000_0000
FUNCTION_WINDOW = 0x7E00_0000_0000
_GAP = 1 << 16
_PAGE = 256


class Fault(Exception):
    """A bad access by one lane of a group; the scheduler adds thread and place."""

    def __init__(self, lane: int, text: str) -> None:
        super().__init__(text)
        self.lane = lane  # position within the group
        self.text = text


class Region:
    """Bytes at consecutive addresses from `base`; of windows, the bytes of each lane's row.

    `stride`: bytes between rows, 0 for plain memory. `row_of`: the row of each thread slot.
    """

    def __init__(
        self, base: int, data: Lanes, size: int, what: str, stride: int = 0, writable: bool = True
    ) -> None:
        self.base = base
        self.size = size
        self.what = what
        self.stride = stride
        self.writable = writable
        self.row_of: Lanes = np.zeros(0, np.int64)
        self._data = data
        self._views: dict[int, Lanes] = {}

    def view(self, width: int) -> Lanes:
        """The whole region as elements of `width` bits; a ragged end is cut."""
        found = self._views.get(width)
        if found is None:
            size = width // 8
            whole = len(self._data) // size * size
            found = self._data[:whole].view(dtype_of(width))
            self._views[width] = found
        return found

    def replace(self, data: Lanes, size: int, stride: int) -> None:
        """Other bytes at the same addresses: a window that grows."""
        self._data, self.size, self.stride = data, size, stride
        self._views.clear()

    def data(self) -> Lanes:
        return self._data


class Memory:
    """All regions, found by address."""

    def __init__(self) -> None:
        self.regions: list[Region] = []  # in order of address
        self._bases = np.zeros(0, np.uint64)
        self._next = FIRST_ADDRESS

    def map(self, data: Lanes, what: str, writable: bool = True) -> Region:
        """Makes bytes memory at a fresh address."""
        region = Region(self._next, data, len(data), what, writable=writable)
        self._next += (len(data) + _PAGE - 1) // _PAGE * _PAGE + _GAP
        self.add(region)
        return region

    def add(self, region: Region) -> None:
        """Adds a region whose address is already chosen."""
        self.regions.append(region)
        self.regions.sort(key=_base_of)
        self._bases = np.array([r.base for r in self.regions], np.uint64)

    def remove(self, region: Region) -> None:
        """Takes a region away; its addresses are not used again."""
        self.regions.remove(region)
        self._bases = np.array([r.base for r in self.regions], np.uint64)

    def region_indices(self, addresses: Lanes) -> Lanes:
        """For each address the last region that begins at or below it; -1 if there is none."""
        return np.searchsorted(self._bases, addresses, side="right") - 1

    def overlaps(self, address: int, size: int) -> bool:
        """Whether some region has bytes among these."""
        end = address + size
        return any(r.base < end and address < r.base + r.size for r in self.regions)

    def at(self, address: int) -> Region | None:
        """The region that holds an address."""
        index = int(self.region_indices(np.array([address], np.uint64))[0])
        if index < 0:
            return None
        region = self.regions[index]
        return region if address < region.base + region.size else None

    def read_bytes(self, address: int, count: int) -> bytes:
        """Bytes of plain memory, for the host side."""
        region = self.at(address)
        if region is None or region.stride or address + count > region.base + region.size:
            raise Fault(0, f"{count} bytes at 0x{address:x} are not in global memory")
        start = address - region.base
        return bytes(region.data()[start : start + count])

    def parts(self, addresses: Lanes, bytes_: int) -> Iterator[tuple[Region, Lanes, Lanes | None]]:
        """The regions that lanes touch: region, offsets and positions (None: all lanes)."""
        indices = self.region_indices(addresses)
        first = int(indices[0])
        if (indices == first).all():
            self._reject(indices, addresses, bytes_)
            region = self.regions[first]
            offsets = addresses - np.uint64(region.base)
            check(region, offsets, None, bytes_)
            yield region, offsets, None
            return
        self._reject(indices, addresses, bytes_)
        for index in np.unique(indices):
            positions = np.flatnonzero(indices == index)
            region = self.regions[int(index)]
            offsets = addresses[positions] - np.uint64(region.base)
            check(region, offsets, positions, bytes_)
            yield region, offsets, positions

    def _reject(self, indices: Lanes, addresses: Lanes, bytes_: int) -> None:
        if (indices < 0).any():
            position = int(np.flatnonzero(indices < 0)[0])
            address = int(addresses[position])
            raise Fault(position, f"{bytes_} bytes at 0x{address:x}, where there is no memory")


def _base_of(region: Region) -> int:
    return region.base


def check(region: Region, offsets: Lanes, positions: Lanes | None, bytes_: int) -> None:
    """Raises `Fault` for the first lane that leaves the region or is misaligned."""
    last = region.size - bytes_
    inside = offsets <= np.uint64(last) if last >= 0 else np.zeros(len(offsets), np.bool_)
    if not inside.all():
        bad = int(np.flatnonzero(~inside)[0])
        text = _outside(region, int(offsets[bad]), bytes_)
        raise Fault(bad if positions is None else int(positions[bad]), text)
    askew = offsets & np.uint64(bytes_ - 1)
    if askew.any():
        bad = int(np.flatnonzero(askew)[0])
        address = region.base + int(offsets[bad])
        text = f"{bytes_} bytes at 0x{address:x}, which is not a multiple of {bytes_}"
        raise Fault(bad if positions is None else int(positions[bad]), text)


def _outside(region: Region, offset: int, bytes_: int) -> str:
    address = region.base + offset
    beyond = offset + bytes_ - region.size
    return (
        f"{bytes_} bytes at 0x{address:x} reach {beyond} bytes past the end of "
        f"{region.what} of {region.size} bytes"
    )


def element_indices(region: Region, offsets: Lanes, slots: Lanes, width: int) -> Lanes:
    """Where in `region.view(width)` each lane's element lies."""
    if region.stride:
        offsets = offsets + (region.row_of[slots] * region.stride).astype(np.uint64)
    shift = (width // 8).bit_length() - 1
    return (offsets >> np.uint64(shift)).astype(np.int64)
