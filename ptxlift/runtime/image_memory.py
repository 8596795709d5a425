"""Images in device memory: where their texels lie, and the objects that describe them.

Comes in: textures, surfaces and samplers of the caller, and how a device allocates. Goes out: the
addresses of objects. The caller's arrays are copied to rows of whole 256 bytes before a launch, as
image instructions want them, and those of surfaces back after it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import numpy as np

from ptxlift.runtime.image_descriptors import hardware_object, linear_pitches
from ptxlift.runtime.image_objects import software_object
from ptxlift.runtime.images import Array, Image, Sampler, Surface
from ptxlift.runtime.placed_images import PlacedImage, PlacedLevel
from ptxlift.target import Feature, TargetSpec
from ptxlift.target.image_object import OBJECT_BYTES

ROW_ALIGN = 256  # bytes
Described: TypeAlias = Image | Sampler
ObjectMaker: TypeAlias = Callable[[PlacedImage | None, Sampler | None, int], list[int]]


def object_maker(spec: TargetSpec | None) -> ObjectMaker:
    """How a chip's objects are made; None: those of the interpreter."""
    if spec is None or not spec.target.has(Feature.IMAGE):
        return software_object

    def make(placed: PlacedImage | None, sampler: Sampler | None, table: int) -> list[int]:
        return hardware_object(placed, sampler, spec)

    return make


def placed_levels(image: Image, spec: TargetSpec | None) -> tuple[PlacedLevel, ...]:
    """The levels one after the other; rows and all that follows begin at multiples of 256, but
    where a chip's instructions have other rows.
    """
    levels, offset = [], 0
    for number, array in enumerate(image.arrays):
        shape = image.shape_of(number)
        row = shape.width * image.channels * array.dtype.itemsize
        pitch = -(-row // ROW_ALIGN) * ROW_ALIGN
        slice_ = pitch * shape.height
        if spec is not None and spec.target.has(Feature.IMAGE):
            pitch, slice_ = linear_pitches(spec, image, shape)
        levels.append(PlacedLevel(offset, pitch, slice_))
        offset += slice_ * shape.planes
    return tuple(levels)


class ImageMemory:
    """The images of one device. `alloc`: makes an array device memory and gives its address."""

    def __init__(self, alloc: Callable[[Array], int], spec: TargetSpec | None) -> None:
        self._alloc = alloc
        self._spec = spec
        self._objects: dict[int, tuple[Described, int]] = {}  # by id; the pair keeps it alive
        self._placed: list[PlacedImage] = []
        self._by_image: dict[int, PlacedImage] = {}

    def address(self, described: Described) -> int:
        """The address of the object of a texture, surface or sampler: its handle."""
        known = self._objects.get(id(described))
        if known is None:
            words = self.words(described)
            known = described, self._alloc(np.array(words, np.uint32))
            self._objects[id(described)] = known
        return known[1]

    def words(self, described: Described) -> list[int]:
        """The dwords of an object."""
        make = object_maker(self._spec)
        placed = self._place(described) if isinstance(described, Image) else None
        sampler = described if isinstance(described, Sampler) else None
        table = 0
        if placed is not None and len(placed.levels) > 1:
            table = self._alloc(placed.level_table())
        words = make(placed, sampler, table)
        assert len(words) == OBJECT_BYTES // 4, "an object has 20 dwords"
        return words

    def _place(self, image: Image) -> PlacedImage:
        known = self._by_image.get(id(image))
        if known is not None:
            return known
        levels = placed_levels(image, self._spec)
        last = levels[-1]
        size = last.offset + last.slice * image.shape_of(len(levels) - 1).planes
        memory = np.zeros(size, np.uint8)
        placed = PlacedImage(image, levels, memory, self._alloc(memory))
        self._placed.append(placed)
        self._by_image[id(image)] = placed
        return placed

    def copy_there(self) -> None:
        """The callers' arrays to the device's memory, before a launch."""
        for placed in self._placed:
            for number, array in enumerate(placed.image.arrays):
                rows = placed.rows_of(number)
                rows[...] = array.reshape(rows.shape)

    def copy_back(self) -> None:
        """What kernels wrote to surfaces, after a launch."""
        for placed in self._placed:
            if isinstance(placed.image, Surface):
                array = placed.image.array
                array[...] = placed.rows_of(0).reshape(array.shape)
