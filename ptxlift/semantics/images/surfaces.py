"""`suld`, `sust` and `sured`: accesses of an image by integer coordinates.

Surface Instructions: suld, sust, sured. Unformatted accesses move bits, and x counts bytes;
formatted ones convert 32-bit values to the channels of the image. An access that is not wholly
inside traps, moves to the edge, or does nothing and gives zeros.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Generic, TypeVar

from ptxlift.ir.attributes import AtomicOp, Format, IntPredicate, Number, Rounding
from ptxlift.ir.images import Border, Geometry
from ptxlift.records import dataclass
from ptxlift.semantics.images.arithmetic import Arithmetic
from ptxlift.semantics.images.machine import ImageMachine
from ptxlift.semantics.images.objects import ImageObject, base_level, inside, layer_of
from ptxlift.semantics.images.texels import Texels

V = TypeVar("V")


@dataclass(frozen=True, slots=True)
class SurfaceForm:
    """The attributes that surface ops share. `width`, `count`: of the values; `formatted`: x counts
    texels.
    """

    geometry: Geometry
    width: int
    count: int
    border: Border
    formatted: bool = False

    def shape(self) -> list[int]:
        """How many operands are the layer and the coordinates."""
        return [self.geometry.has_layer, self.geometry.coordinates]


def surface_load(
    machine: ImageMachine[V], form: SurfaceForm, surface: V, operands: Sequence[V]
) -> list[V]:
    """The values at a place."""
    access = _Access(machine, form, surface, operands)
    values = access.guarded_load()
    return list(values)


def surface_store(
    machine: ImageMachine[V],
    form: SurfaceForm,
    surface: V,
    operands: Sequence[V],
    values: Sequence[V],
) -> None:
    """Writes values at a place."""
    access = _Access(machine, form, surface, operands)
    if form.formatted:
        access.guarded(partial(_store_channels, access, values))
    else:
        access.guarded(partial(machine.store, access.place, values, form.width))


def surface_reduce(
    machine: ImageMachine[V],
    form: SurfaceForm,
    op: AtomicOp,
    number: Number,
    surface: V,
    operands: Sequence[V],
    value: V,
) -> None:
    """An atomic operation at a place."""
    access = _Access(machine, form, surface, operands)
    depends = form.formatted and op in (AtomicOp.MIN, AtomicOp.MAX)

    def reduce(number: Number) -> None:
        machine.reduce(access.place, value, form.width, op, number)

    def reduce_by_format() -> None:
        signed = access.image.is_signed
        machine.when(signed, partial(reduce, Number.SIGNED))
        machine.when(access.math.neither(signed), partial(reduce, Number.UNSIGNED))

    access.guarded(reduce_by_format if depends else partial(reduce, number))


class _Access(Generic[V]):
    """Where an access goes, and whether it is inside of the image."""

    def __init__(
        self, machine: ImageMachine[V], form: SurfaceForm, surface: V, operands: Sequence[V]
    ) -> None:
        self.machine, self.form = machine, form
        self.image = ImageObject(machine, surface)
        self.math: Arithmetic[V] = self.image.math
        math, level = self.math, base_level(self.image)
        layer = operands[: form.geometry.has_layer]
        coordinates = operands[form.geometry.has_layer :]
        sizes = [self._starts(level.width), level.height, level.depth]
        self.is_inside = math.number(1, 1)
        indices = []
        for index, size in zip(coordinates, sizes, strict=False):
            self.is_inside = math.both(self.is_inside, inside(math, index, size))
            indices.append(math.clamped(index, size))
        x, y, z = (*indices, *[math.number(0)] * 2)[:3]
        plane = layer_of(self.image, layer[0]) if layer else None
        texels = Texels(self.image)
        row = texels.row(level, y, z, plane)
        if form.formatted:
            self.place = texels.place(row, x)
        else:
            self.place = math.a.add(row, math.a.zext(x, 64))

    def _starts(self, width: V) -> V:
        """How many values of x an access may begin at."""
        if self.form.formatted:
            return width
        math = self.math
        row = math.a.mul(width, self.image.texel_bytes)
        return math.a.sub(row, math.number(self.form.width // 8 * self.form.count - 1))

    def guarded(self, action: Callable[[], None]) -> None:
        """Runs an action, at the edge or inside only."""
        if self.form.border is Border.CLAMP:
            action()
            return
        self._trap_outside()
        self.machine.when(self.is_inside, action)

    def guarded_load(self) -> Sequence[V]:
        """The values, or what stands for them outside."""
        load = partial(self.machine.load, self.place, self.form.width, self.form.count)
        if self.form.border is Border.CLAMP:
            return load()
        self._trap_outside()
        zeros = [self.math.number(0, self.form.width)] * self.form.count
        return self.machine.either(self.is_inside, load, lambda: zeros)

    def _trap_outside(self) -> None:
        if self.form.border is Border.TRAP:
            self.machine.when(self.math.neither(self.is_inside), self.machine.trap)


def _store_channels(access: _Access[V], values: Sequence[V]) -> None:
    """Each value that the image has a channel for, converted to it."""
    math, image, machine = access.math, access.image, access.machine
    bits = math.a.shl(math.number(8), image.channel_size)
    for channel, value in enumerate(values):
        offset = math.a.shl(math.number(channel), image.channel_size)
        place = math.a.add(access.place, math.a.zext(offset, 64))
        converted = _converted(math, image, value, bits)

        def store(width: int, place: V = place, converted: V = converted) -> None:
            machine.store(place, [math.a.trunc(converted, width)], width)

        has_channel = math.above(image.channels, channel)
        for size, width in enumerate((8, 16, 32)):
            is_so_wide = math.both(has_channel, math.equal(image.channel_size, size))
            machine.when(is_so_wide, partial(store, width))


def _converted(math: Arithmetic[V], image: ImageObject[V], value: V, bits: V) -> V:
    """A 32-bit value as a channel of so many bits, in the low bits."""
    half = math.a.fconvert(value, Format.F32, Format.F16, Rounding.RN, False)
    is_word = math.a.icmp(bits, math.number(32), IntPredicate.EQ)
    real = math.a.select(is_word, value, math.a.zext(half, 32))
    spare = math.a.sub(math.number(32), bits)
    most_unsigned = math.a.lshr(math.number(-1), spare)
    most_signed = math.a.lshr(most_unsigned, math.number(1))
    least_signed = math.a.not_(most_signed)
    signed = math.a.smax(math.a.smin(value, most_signed), least_signed)
    unsigned = math.a.umin(value, most_unsigned)
    integer = math.a.select(image.is_signed, signed, unsigned)
    most = math.a.select(image.is_signed, most_signed, most_unsigned)
    scaled = math.a.select(image.is_normalized, _scaled(math, image, value, most), integer)
    return math.a.select(image.is_float, real, scaled)


def _scaled(math: Arithmetic[V], image: ImageObject[V], value: V, most: V) -> V:
    """A float of [0, 1] or [-1, 1] as a normalised integer."""
    least = math.a.select(image.is_signed, math.real(-1.0), math.real(0.0))
    kept = math.fmin(math.fmax(value, least), math.real(1.0))
    return math.to_int(math.fmul(kept, math.to_float(most, signed=False)), Rounding.RN)
