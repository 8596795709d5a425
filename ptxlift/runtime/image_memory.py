"""Images in device memory: where their texels lie, and the objects that describe them.

Comes in: textures, surfaces and samplers of the caller, and how a device allocates. Goes out: the
addresses of objects. The caller's arrays are copied to rows of whole 256 bytes before a launch, as
image instructions want them, and those of surfaces back after it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import numpy as np

from ptxlift.diag import PtxError
from ptxlift.records import dataclass
from ptxlift.runtime.buffers import Array, Buffer
from ptxlift.runtime.image_descriptors import hardware_object, linear_pitches
from ptxlift.runtime.image_objects import software_object
from ptxlift.runtime.images import Image, Sampler, Surface
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


@dataclass(slots=True)
class _Texels:
    """Memory of the levels of an image, and the images that it is the memory of, by id. `before`:
    what it held when a launch began, where that may write to it.
    """

    buffer: Buffer
    levels: tuple[PlacedLevel, ...]
    images: dict[int, Image]
    before: Array | None = None

    def placed(self, image: Image, memory: Array | None = None) -> PlacedImage:
        memory = self.buffer.array if memory is None else memory
        return PlacedImage(image, self.levels, memory, self.buffer.address)

    @property
    def any_image(self) -> Image:
        return next(iter(self.images.values()))


@dataclass(frozen=True, slots=True)
class _Object:
    """`table`: of the levels of a software object."""

    described: Described  # kept alive, for it is known by its id
    buffer: Buffer
    table: Buffer | None


class ImageMemory:
    """The images of one device. `alloc` and `free`: of arrays that are device memory. Images of
    the same arrays have one memory, so that one launch sees in one what it writes to the other.
    """

    def __init__(
        self,
        alloc: Callable[[Array], Buffer],
        free: Callable[[Buffer], None],
        spec: TargetSpec | None,
    ) -> None:
        self._alloc = alloc
        self._free = free
        self._spec = spec
        self._objects: dict[int, _Object] = {}
        self._texels: dict[tuple[object, ...], _Texels] = {}

    def address(self, described: Described) -> int:
        """The address of the object of a texture, surface or sampler: its handle."""
        return self._object(described).buffer.address

    def words(self, described: Described) -> Array:
        """The 20 dwords of an object."""
        return self._object(described).buffer.array

    def _object(self, described: Described) -> _Object:
        known = self._objects.get(id(described))
        if known is not None:
            return known
        if not isinstance(described, Image | Sampler):
            hint = "textures, surfaces and samplers have one"
            raise PtxError.of("PTX401", f"{described!r:.40} has no handle", hint=hint)
        placed = self._place(described) if isinstance(described, Image) else None
        sampler = described if isinstance(described, Sampler) else None
        table = None
        if placed is not None and len(placed.levels) > 1:
            table = self._alloc(placed.level_table())
        make = object_maker(self._spec)
        words = make(placed, sampler, table.address if table is not None else 0)
        assert len(words) == OBJECT_BYTES // 4, "an object has 20 dwords"
        made = _Object(described, self._alloc(np.array(words, np.uint32)), table)
        self._objects[id(described)] = made
        return made

    def _place(self, image: Image) -> PlacedImage:
        key = (image.geometry, *map(id, image.arrays))
        found = self._texels.get(key)
        if found is None:
            levels = placed_levels(image, self._spec)
            last = levels[-1]
            size = last.offset + last.slice * image.shape_of(len(levels) - 1).planes
            found = _Texels(self._alloc(np.zeros(size, np.uint8)), levels, {})
            self._texels[key] = found
        found.images[id(image)] = image
        return found.placed(image)

    def free(self, described: Described) -> None:
        """Forgets an image or sampler; its memory with the last image that has it."""
        known = self._objects.pop(id(described), None)
        if known is None:
            raise PtxError.of("PTX401", "this image or sampler is not on the device")
        self._free(known.buffer)
        if known.table is not None:
            self._free(known.table)
        for key, texels in list(self._texels.items()):
            if texels.images.pop(id(described), None) is not None and not texels.images:
                self._free(texels.buffer)
                del self._texels[key]

    def copy_there(self) -> None:
        """The callers' arrays to the device's memory, before a launch."""
        for texels in self._texels.values():
            placed = texels.placed(texels.any_image)
            for number, array in enumerate(placed.image.arrays):
                rows = placed.rows_of(number)
                rows[...] = np.asarray(array).reshape(rows.shape)
            is_written = any(isinstance(image, Surface) for image in texels.images.values())
            texels.before = texels.buffer.array.copy() if is_written else None

    def copy_back(self) -> None:
        """What kernels wrote to surfaces, after a launch: the rest of an array may have been
        written through a pointer.
        """
        for texels in self._texels.values():
            if texels.before is None:
                continue
            image = next(image for image in texels.images.values() if isinstance(image, Surface))
            rows = texels.placed(image).rows_of(0)
            word = np.dtype(f"u{rows.dtype.itemsize}")
            old = texels.placed(image, texels.before).rows_of(0)
            changed = (rows.view(word) != old.view(word)).reshape(image.array.shape)
            np.copyto(np.asarray(image.array), rows.reshape(image.array.shape), where=changed)
