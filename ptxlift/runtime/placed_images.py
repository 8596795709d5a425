"""An image and the device memory it lies in."""

from __future__ import annotations

import numpy as np

from ptxlift.records import dataclass
from ptxlift.runtime.buffers import Array
from ptxlift.runtime.images import Image


@dataclass(frozen=True, slots=True)
class PlacedLevel:
    """Bytes: from the base to the level, between its rows, between its planes."""

    offset: int
    pitch: int
    slice: int


@dataclass(frozen=True, slots=True)
class PlacedImage:
    """`base`: the device's address of the first level, whose bytes begin `memory`."""

    image: Image
    levels: tuple[PlacedLevel, ...]
    memory: Array
    base: int

    def rows_of(self, number: int) -> Array:
        """A level's texels as a view of the memory: plane, row, texel, channel."""
        image, level = self.image, self.levels[number]
        shape, array = image.shape_of(number), image.arrays[number]
        item = array.dtype.itemsize
        return np.ndarray(
            (shape.planes, shape.height, shape.width, image.channels),
            array.dtype,
            self.memory.data,
            level.offset,
            (level.slice, level.pitch, item * image.channels, item),
        )

    def level_table(self) -> Array:
        """The table of levels of a software object, `LEVEL_BYTES` each."""
        entries = [
            (level.offset & 0xFFFFFFFF, level.offset >> 32, level.pitch, level.slice)
            for level in self.levels
        ]
        return np.array(entries, np.uint32)
