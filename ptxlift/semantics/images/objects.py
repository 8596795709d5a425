"""Texture and surface objects as values: fields, flags, the geometry of a level."""

from __future__ import annotations

from typing import Generic, TypeVar

from ptxlift.ir.attributes import IntPredicate
from ptxlift.records import dataclass
from ptxlift.semantics.images.arithmetic import Arithmetic
from ptxlift.semantics.images.machine import ImageMachine
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

V = TypeVar("V")
_PIECE = 4  # dwords that are loaded together


class ImageObject(Generic[V]):
    """All dwords of an object, loaded where this is made."""

    def __init__(self, machine: ImageMachine[V], address: V) -> None:
        self.machine = machine
        self.math = Arithmetic(machine.algebra)
        self.dwords: list[V] = []
        for first in range(0, OBJECT_BYTES // 4, _PIECE):
            place = self.math.a.add(address, self.math.number(4 * first, 64))
            self.dwords += machine.object_words(place, _PIECE)

    def field(self, field: Field) -> V:
        return self.dwords[field.value]

    def address(self, low: Field) -> V:
        """The 64-bit number in two dwords."""
        return self.math.a.pack([self.dwords[low.value], self.dwords[low.value + 1]])

    def _part(self, field: Field, bits: Bits) -> V:
        return self.math.bits(self.field(field), bits.first, bits.count)

    # ---- the image ----

    @property
    def channels(self) -> V:
        return self._part(Field.FORMAT, FormatPart.CHANNELS.value)

    @property
    def channel_size(self) -> V:
        """log2 of the bytes."""
        return self._part(Field.FORMAT, FormatPart.CHANNEL_SIZE.value)

    @property
    def kind(self) -> V:
        return self._part(Field.FORMAT, FormatPart.KIND.value)

    @property
    def is_float(self) -> V:
        return self.math.equal(self.kind, ChannelKind.FLOAT.value)

    @property
    def is_signed(self) -> V:
        return self.math.equal(self.kind, ChannelKind.SIGNED.value)

    @property
    def is_normalized(self) -> V:
        return self.math.flag(self.field(Field.FORMAT), FormatPart.NORMALIZED.value.first)

    @property
    def texel_bytes(self) -> V:
        return self.math.a.shl(self.channels, self.channel_size)

    @property
    def levels(self) -> V:
        return self._part(Field.COUNTS, CountPart.LEVELS.value)

    @property
    def samples(self) -> V:
        return self._part(Field.COUNTS, CountPart.SAMPLES.value)

    # ---- the sampler ----

    def address_mode(self, axis: int) -> V:
        parts = (SamplerPart.ADDRESS_0, SamplerPart.ADDRESS_1, SamplerPart.ADDRESS_2)
        return self._part(Field.SAMPLER, parts[axis].value)

    def has_mode(self, axis: int, mode: AddressMode) -> V:
        return self.math.equal(self.address_mode(axis), mode.value)

    def sampler_flag(self, part: SamplerPart) -> V:
        return self.math.flag(self.field(Field.SAMPLER), part.value.first)

    @property
    def border(self) -> list[V]:
        first = Field.BORDER.value
        return self.dwords[first : first + 4]


@dataclass(frozen=True, slots=True)
class Level(Generic[V]):
    """One level of an image: sizes in texels, distances in bytes."""

    base: V  # i64
    width: V
    height: V
    depth: V
    pitch: V
    slice: V

    @property
    def sizes(self) -> tuple[V, V, V]:
        return self.width, self.height, self.depth


def base_level(image: ImageObject[V]) -> Level[V]:
    """Level 0."""
    return Level(
        image.address(Field.BASE_LOW),
        image.field(Field.WIDTH),
        image.field(Field.HEIGHT),
        image.field(Field.DEPTH),
        image.field(Field.PITCH),
        image.field(Field.SLICE),
    )


def level_at(image: ImageObject[V], number: V) -> Level[V]:
    """A level that the image has."""
    math, machine = image.math, image.machine
    base = image.address(Field.BASE_LOW)

    def of_table() -> list[V]:
        offset = math.wide_product(number, math.number(LEVEL_BYTES))
        entry = math.a.add(image.address(Field.LEVELS_LOW), offset)
        low, high, pitch, slice_ = machine.object_words(entry, LEVEL_BYTES // 4)
        return [math.a.pack([low, high]), pitch, slice_]

    def only_one() -> list[V]:
        return [math.number(0, 64), image.field(Field.PITCH), image.field(Field.SLICE)]

    offset, pitch, slice_ = machine.either(math.above(image.levels, 1), of_table, only_one)
    width, height, depth = (
        shrunk(math, image.field(field), number)
        for field in (Field.WIDTH, Field.HEIGHT, Field.DEPTH)
    )
    return Level(math.a.add(base, offset), width, height, depth, pitch, slice_)


def shrunk(math: Arithmetic[V], size: V, level: V) -> V:
    """A size at a level: halved each time, at least 1."""
    return math.a.umax(math.a.lshr(size, level), math.number(1))


def layer_of(image: ImageObject[V], index: V) -> V:
    """An index brought into the image's layers; it is unsigned."""
    last = image.math.a.sub(image.field(Field.LAYERS), image.math.number(1))
    return image.math.a.umin(index, last)


def inside(math: Arithmetic[V], index: V, size: V) -> V:
    """Whether a signed index is one of 0 .. size - 1."""
    return math.a.icmp(index, size, IntPredicate.ULT)
